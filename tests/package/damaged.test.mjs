// A binary that is missing, is another platform's or came to harm on the way: WebAssembly runs, and what is said tells what was looked for,
// what was found and what to do.
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { installed, run } from './support.mjs'

const platform = `${process.platform}-${process.arch}`

describe('in the place of the binary', { skip: platform !== 'linux-x64' && 'the binaries are tried on linux-x64' }, () => {
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
  const cases = {
    'that of macOS': [() => copyFileSync(join(prebuilds, 'darwin-arm64/sluice.node'), binary), () => `found a library for darwin-arm64, expected a library for ${platform}`],
    'that of Windows': [() => copyFileSync(join(prebuilds, 'win32-x64/sluice.node'), binary), () => `found a library for win32-x64, expected a library for ${platform}`],
    'that of another machine': [() => copyFileSync(join(prebuilds, 'linux-arm64/sluice.node'), binary), () => `found a library for linux-arm64, expected a library for ${platform}`],
    'that of musl': [() => copyFileSync(join(prebuilds, 'linux-x64-musl/sluice.node'), binary), () => 'libc.so: '],
    'half of it': [() => writeFileSync(binary, whole.subarray(0, half())), () => `found a library that is cut off: ${half()} bytes of ${whole.length}, expected a library for ${platform}`],
    'an empty file': [() => writeFileSync(binary, ''), () => `found an empty file, expected a library for ${platform}`],
    'a text': [() => writeFileSync(binary, 'version https://git-lfs.github.com/spec/v1\n'), () => `found no library: it begins with "version https://git-lfs.", expected a library for ${platform}`],
  }
  for (const [name, [put, why]] of Object.entries(cases)) {
    test(`${name}: WebAssembly runs, and says why`, () => {
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
    const [code, detail, hint] = JSON.parse(run([process.execPath, '-e', script], { cwd: folder, env: { SLUICE_BACKEND: 'addon' } }))
    assert.equal(code, 'load')
    assert.ok(detail.startsWith(`${binary} cannot be loaded: found a library that is cut off`), detail)
    assert.equal(hint, `it has to be a whole library for ${platform}: install the package again, or \`npm run build:addon\` in ${join(folder, 'node_modules/sluice')} builds it; CMake 3.25 and a C++20 compiler are needed`)
  })
})
