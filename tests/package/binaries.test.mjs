// What each binary of the tarball is, asks for and exports, as LLVM reads it, and what its platform looks at before it
// loads one. Those for macOS and for Windows on arm64 cannot be run where this is built: this is all that is tried of
// them.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { all, isCurrent } from '../../js/scripts/binaries.mjs'
import { which } from '../../js/scripts/run.mjs'
import { binaries, tarball, without } from './support.mjs'

const entries = ['napi_register_module_v1', 'node_api_module_get_api_version_v1']
const nodeApi8 = new Set(Object.values(createRequire(import.meta.url)('node-api-headers').symbols.v8).flat())
const lacking = ['llvm-readobj', 'llvm-nm', 'llvm-objdump'].filter((program) => !which(program))
const skipped = (platform) =>
  lacking.length > 0 ? `not on this machine: ${lacking.join(', ')} (Debian: llvm)` : without(platform)

const folder = mkdtempSync(join(tmpdir(), 'sluice-binaries-'))
before(() => execFileSync('tar', ['xzf', tarball(), '-C', folder, '--strip-components=3', 'package/js/prebuilds']))
after(() => rmSync(folder, { recursive: true }))

const fileOf = (platform) => join(folder, platform, 'sluice.node')
const said = (platform, program, ...args) =>
  execFileSync(program, [...args, fileOf(platform)], { encoding: 'utf8', maxBuffer: 1 << 28 })
const matches = (text, pattern) => [...text.matchAll(pattern)].map((match) => match[1])

const linux = {
  'linux-x64': ['elf64-x86-64', /^(libc|libm|libpthread|libdl)\.so\.\d$|^ld-linux-x86-64\.so\.2$/],
  'linux-arm64': ['elf64-littleaarch64', /^(libc|libm|libpthread|libdl)\.so\.\d$|^ld-linux-aarch64\.so\.1$/],
  'linux-x64-musl': ['elf64-x86-64', /^libc\.so$/],
  'linux-arm64-musl': ['elf64-littleaarch64', /^libc\.so$/],
}
const windows = {
  'win32-x64': ['COFF-x86-64', /^$/],
  'win32-arm64': ['COFF-ARM64', /^(_GCC_specific_handler|_Unwind_\w+|unw_\w+)$/],
}
const darwin = { 'darwin-x64': 'x86_64', 'darwin-arm64': 'arm64' }

test('the tarball has the binary of this machine, and each other one is for a platform that is promised', () => {
  assert.deepEqual([...Object.keys({ ...linux, ...windows, ...darwin }), 'wasm'].sort(), [...all].sort())
  const held = binaries()
  assert.ok(held.includes(`${process.platform}-${process.arch}`), held.join())
  assert.deepEqual(
    held.filter((name) => !all.includes(name)),
    [],
  )
  for (const name of held)
    assert.deepEqual(readdirSync(join(folder, name)), [name === 'wasm' ? 'sluice.wasm' : 'sluice.node'])
})

for (const [platform, [format, system]] of Object.entries(linux)) {
  describe(platform, { skip: skipped(platform) }, () => {
    test('is a library for that machine that asks for its libc alone', (t) => {
      const read = said(platform, 'llvm-readobj', '--file-headers', '--needed-libs', '--sections')
      assert.match(read, new RegExp(`^Format: ${format}$`, 'm'))
      assert.match(read, /Type: SharedObject/)
      const libraries = matches(read.slice(read.indexOf('NeededLibraries')).split(']')[0], /^ {2}(\S+)$/gm)
      assert.ok(libraries.length > 0)
      if (libraries.includes('libstdc++.so.6') && !isCurrent(platform))
        return t.skip('this machine made it, for itself')
      assert.deepEqual(
        libraries.filter((name) => !system.test(name)),
        [],
      )
      assert.deepEqual(matches(read, /Name: (\.debug\S*|\.symtab) /g), [], 'names that nobody needs')
      const versions = matches(said(platform, 'llvm-nm', '-D', '--undefined-only'), /@GLIBC_2\.(\d+)/g).map(Number)
      assert.equal(versions.length > 0, !platform.endsWith('-musl'))
      if (versions.length > 0)
        t.diagnostic(`the highest version of a symbol it needs is GLIBC_2.${Math.max(...versions)}`)
      assert.ok(Math.max(0, ...versions) <= 28)
    })
    test('exports what Node looks for, and wants nothing of Node beyond Node-API 8', () => {
      const names = (which) => matches(said(platform, 'llvm-nm', '-D', which, '--format=posix'), /^(\S+)/gm)
      assert.deepEqual(names('--defined-only').sort(), entries)
      const wanted = names('--undefined-only').filter((name) => name.startsWith('napi_'))
      assert.ok(wanted.length > 20)
      assert.deepEqual(
        wanted.filter((name) => !nodeApi8.has(name)),
        [],
      )
    })
  })
}

for (const [platform, [format, unwinding]] of Object.entries(windows)) {
  describe(platform, { skip: skipped(platform) }, () => {
    test('is a library for that machine that imports no node.exe and no DLL that Windows lacks', () => {
      const read = said(platform, 'llvm-readobj', '--file-headers', '--coff-imports')
      assert.match(read, new RegExp(`^Format: ${format}$`, 'm'))
      assert.match(read, /IMAGE_FILE_DLL/)
      assert.deepEqual(
        matches(read, /^ {2}Name: (\S+)$/gm)
          .map((name) => name.toLowerCase())
          .sort(),
        ['kernel32.dll', 'msvcrt.dll'],
      )
      for (const name of ['GetModuleHandleW', 'GetProcAddress'])
        assert.match(read, new RegExp(`Symbol: ${name} `), 'what host.c finds the host by')
    })
    test('exports what Node looks for', () => {
      const names = matches(said(platform, 'llvm-readobj', '--coff-exports'), /^ {2}Name: (\S+)$/gm)
      // zig marks its unwinder for export; nobody is hurt
      assert.deepEqual(names.filter((name) => !unwinding.test(name)).sort(), entries)
    })
  })
}

for (const [platform, machine] of Object.entries(darwin)) {
  describe(platform, { skip: skipped(platform) }, () => {
    test('is a bundle for that machine and macOS 11 that asks for the system alone', () => {
      const headers = said(platform, 'llvm-objdump', '--macho', '--private-headers')
      assert.match(
        said(platform, 'llvm-readobj', '--file-headers'),
        new RegExp(`^Format: Mach-O ${machine === 'arm64' ? 'arm64' : '64-bit x86-64'}$`, 'm'),
      )
      assert.match(headers, /\bBUNDLE\b/)
      assert.match(headers, /platform macos\s+sdk 11\.0\s+minos 11\.0/)
      assert.deepEqual(matches(said(platform, 'llvm-objdump', '--macho', '--dylibs-used'), /^\t(\S+) \(/gm), [
        '/usr/lib/libSystem.B.dylib',
      ])
    })
    test('exports what Node looks for, and has Node-API 8 looked up in whatever program loads it', () => {
      assert.deepEqual(
        matches(said(platform, 'llvm-objdump', '--macho', '--exports-trie'), /^0x[0-9A-F]+ {2}_(\S+)/gm).sort(),
        entries,
      )
      const bound = [
        ...said(platform, 'llvm-objdump', '--macho', '--bind', '--lazy-bind', '--weak-bind').matchAll(
          /(\S+)\s+_(\w+)$/gm,
        ),
      ]
      const from = (where) =>
        bound
          .filter(([, library]) => (library === 'flat-namespace') === (where === 'program'))
          .map(([, , name]) => name)
      assert.ok(from('program').length > 20)
      assert.deepEqual(
        from('program').filter((name) => !nodeApi8.has(name)),
        [],
      )
      assert.deepEqual(
        from('system').filter((name) => name.startsWith('napi_')),
        [],
      )
    })
    test('tells of every function how an exception leaves it', () => {
      const unwinding = said(platform, 'llvm-objdump', '--macho', '--unwind-info')
      // the mode of those that are told elsewhere; the rest of the number is where
      const dwarf = machine === 'arm64' ? 3 : 4
      const encodings = matches(unwinding, /encoding(?:\[\d+\])?=0x([0-9a-f]{8})/g).map((digits) =>
        parseInt(digits, 16),
      )
      assert.ok(encodings.length > 500)
      assert.deepEqual(
        encodings.filter((code) => ((code >> 24) & 15) === dwarf && (code & 0xffffff) === 0),
        [],
      )
      assert.ok(matches(unwinding, /(LSDA offset=0x[0-9a-f]+)/g).length > 200, 'what is tidied up on the way')
    })
    test('carries a signature that names nobody and holds for every page', () => {
      const bytes = readFileSync(fileOf(platform))
      const at = Number(
        /cmd LC_CODE_SIGNATURE\s+cmdsize \d+\s+dataoff (\d+)/.exec(
          said(platform, 'llvm-objdump', '--macho', '--private-headers'),
        )?.[1] ?? assert.fail('it is not signed'),
      )
      assert.equal(bytes.readUInt32BE(at), 0xfade0cc0)
      const code = bytes.subarray(at + bytes.readUInt32BE(at + 16)) // its first part: the directory of the code
      assert.equal(code.readUInt32BE(0), 0xfade0c02)
      assert.ok(code.readUInt32BE(12) & 2, 'ad hoc')
      const [hashes, count, end] = [code.readUInt32BE(16), code.readUInt32BE(28), code.readUInt32BE(32)]
      const page = 1 << code[39]
      assert.equal(end, at)
      assert.equal(count, Math.ceil(end / page))
      for (let i = 0; i < count; ++i) {
        const hash = createHash('sha256')
          .update(bytes.subarray(i * page, Math.min((i + 1) * page, end)))
          .digest()
        assert.ok(hash.equals(code.subarray(hashes + 32 * i, hashes + 32 * (i + 1))), `page ${i}`)
      }
    })
  })
}
