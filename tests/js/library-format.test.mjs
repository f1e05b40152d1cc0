// What stands in the place of the addon is told before it is loaded.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from './dist.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { foundInstead } = await built('library-format')
const addon = readFileSync(process.env.SLUICE_ADDON ?? join(root, 'build/release/sluice.node'))
const folder = mkdtempSync(join(tmpdir(), 'sluice-binary-'))
after(() => rmSync(folder, { recursive: true }))

const here = `${process.platform}-${process.arch}`
const found = (bytes, platform = here) => {
  const file = join(folder, 'sluice.node')
  writeFileSync(file, bytes)
  return foundInstead(file, platform)
}
/** The addon's first bytes, some of them others. */
const changed = (at, ...bytes) =>
  Buffer.concat([addon.subarray(0, at), Buffer.from(bytes), addon.subarray(at + bytes.length)])
const beginning = (size, parts) => {
  const bytes = Buffer.alloc(size)
  for (const [at, part] of parts) Buffer.from(part).copy(bytes, at)
  return bytes
}

test('nothing speaks against the addon of this platform', () => assert.equal(found(addon), undefined))

test('a file that is empty or no library', () => {
  assert.equal(found(''), 'an empty file')
  assert.equal(
    found('version https://git-lfs.github.com/spec/v1\noid sha256:0\n'),
    'no library: it begins with "version https://git-lfs."',
  )
  assert.equal(found(Buffer.alloc(5000)), `no library: it begins with ${JSON.stringify('\0'.repeat(24))}`)
  assert.equal(
    found(
      beginning(64, [
        [0, 'MZ'],
        [60, [0xff, 0xff, 0xff, 0xff]],
      ]),
      'win32-x64',
    ),
    `no library: it begins with ${JSON.stringify('MZ' + '\0'.repeat(22))}`,
  )
})

test('libraries for other platforms', {
  skip: process.platform !== 'linux' && 'made out of the addon for Linux',
}, () => {
  const [arm, x64] = [0xb7, 0x3e]
  assert.equal(
    found(changed(18, process.arch === 'x64' ? arm : x64)),
    `a library for linux-${process.arch === 'x64' ? 'arm64' : 'x64'}`,
  )
  assert.equal(found(addon, 'linux-ia32'), `a library for linux-${process.arch}`)
  assert.equal(found(addon, `${here}-musl`), undefined, 'the loader tells what it lacks')
  assert.equal(found(changed(18, 0xf3), 'linux-riscv64'), undefined, 'built where it runs')
})

test('those for macOS and Windows', () => {
  const macho = beginning(64, [[0, [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]]])
  const pe = beginning(256, [
    [0, 'MZ'],
    [60, [128]],
    [128, 'PE\0\0'],
    [132, [0x64, 0x86]],
  ])
  assert.equal(found(macho, 'linux-arm64'), 'a library for darwin-arm64')
  assert.equal(found(macho, 'darwin-x64'), 'a library for darwin-arm64')
  assert.equal(found(macho, 'darwin-arm64'), undefined)
  assert.equal(found(pe, 'win32-arm64'), 'a library for win32-x64')
  assert.equal(found(pe, 'win32-x64'), undefined)
})

test('a library that was cut off', { skip: process.platform !== 'linux' && 'elsewhere the system tells that' }, () => {
  for (const size of [64, 5000, addon.length >> 1, addon.length - 1]) {
    assert.equal(found(addon.subarray(0, size)), `a library that is cut off: ${size} bytes of ${addon.length}`)
  }
  assert.match(found(addon.subarray(0, 63)), /^no library: it begins with "\x7fELF/)
})
