// A binary that is missing, is another platform's or came to harm on the way: WebAssembly runs, and what is said tells
// what was looked for, what was found and what to do.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { binaries, installed, run, without } from './support.mjs'

const platform = `${process.platform}-${process.arch}`

describe('in the place of the binary', {
  skip: platform !== 'linux-x64' && 'the binaries are tried on linux-x64',
}, () => {
  let prebuilds
  let folder
  let binary
  let whole
  before(() => {
    folder = installed()
    prebuilds = join(folder, 'node_modules/sluice/js/prebuilds')
    binary = join(prebuilds, platform, 'sluice.node')
    whole = readFileSync(binary)
  })

  const half = () => whole.length >> 1
  const macOS = binaries().find((name) => name.startsWith('darwin-')) ?? 'darwin-arm64'
  const foreign = (name, why = `found a library for ${name}, expected a library for ${platform}`) => [
    () => copyFileSync(join(prebuilds, name, 'sluice.node'), binary),
    () => why,
    without(name),
  ]
  const cases = {
    'that of macOS': foreign(macOS),
    'that of Windows': foreign('win32-x64'),
    'that of another machine': foreign('linux-arm64'),
    'that of musl': foreign('linux-x64-musl', 'libc.so: '),
    'half of it': [
      () => writeFileSync(binary, whole.subarray(0, half())),
      () => `found a library that is cut off: ${half()} bytes of ${whole.length}, expected a library for ${platform}`,
    ],
    'an empty file': [() => writeFileSync(binary, ''), () => `found an empty file, expected a library for ${platform}`],
    'a text': [
      () => writeFileSync(binary, 'version https://git-lfs.github.com/spec/v1\n'),
      () => `found no library: it begins with "version https://git-lfs.", expected a library for ${platform}`,
    ],
  }
  for (const [name, [put, why, skip = false]] of Object.entries(cases)) {
    test(`${name}: WebAssembly runs, and says why`, { skip }, () => {
      rmSync(binary)
      put()
      const told = JSON.parse(run([process.execPath, 'backend.mjs'], { cwd: folder }))
      assert.equal(told.name, 'wasm')
      assert.ok(told.why.startsWith(`${binary} cannot be loaded: `) && told.why.includes(why()), told.why)
    })
  }

  test('whoever wants the addon is told what to do', () => {
    writeFileSync(binary, whole.subarray(0, half()))
    const script = `try { new (require('sluice').Engine)() } catch ({ code, detail, hint }) { console.log(JSON.stringify([code, detail, hint])) }`
    const [code, detail, hint] = JSON.parse(
      run([process.execPath, '-e', script], { cwd: folder, env: { SLUICE_BACKEND: 'addon' } }),
    )
    assert.equal(code, 'load')
    assert.ok(detail.startsWith(`${binary} cannot be loaded: found a library that is cut off`), detail)
    assert.equal(
      hint,
      `it has to be a whole library for ${platform}: install the package again, or \`npm run build:addon\` in ${join(folder, 'node_modules/sluice')} builds it; CMake 3.25 and a C++20 compiler are needed`,
    )
  })
})
