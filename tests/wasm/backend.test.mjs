// Which build of the engine runs, how one is forced, and what is said where WebAssembly cannot be loaded.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../..', import.meta.url))
const wasm = join(root, 'js/prebuilds/wasm/sluice.wasm')
const { SLUICE_BACKEND: _, SLUICE_ADDON: __, NODE_TEST_CONTEXT: ___, ...plain } = process.env

/** Runs a module that has `sluice` and `bytes` of sluice.wasm, in a process of its own; what its `tell` was given. */
function program(source, { env = {}, options = [], cwd = root } = {}) {
  const script = `
    import * as sluice from 'sluice'
    import { readFileSync } from 'node:fs'
    const bytes = readFileSync(${JSON.stringify(wasm)})
    const tell = (value) => console.log(JSON.stringify(value))
    const failure = async (act) => { try { await act() } catch ({ code, detail, hint, backend }) { return { code, detail, hint, backend } } return 'nothing was thrown' }
    const words = () => { const turn = new sluice.Engine().turn({ wire: 'text' }); turn.feed('hello'); return [...turn.events()].map((event) => event.text).join('') }
    ${source}`
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, '--input-type=module', '-e', script], {
    cwd,
    encoding: 'utf8',
    env: { ...plain, ...env },
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

test('the addon runs where there is one, and says so', () => {
  assert.deepEqual(program('tell([sluice.backend(), await sluice.loadEngine(), words()])'), [
    { name: 'addon' },
    { name: 'addon' },
    'hello',
  ])
})

test('describe() and errors say which build runs, and whether one did', () => {
  const said = `const early = (await failure(() => sluice.loadEngine({ file: 1 }))).backend; tell([early ?? null, new sluice.Engine().describe().backend, (await failure(() => new sluice.Engine({ tools: 7 }))).backend])`
  assert.deepEqual(program(said), [null, { name: 'addon' }, 'addon'])
  assert.deepEqual(program(said, { env: { SLUICE_BACKEND: 'wasm' } }), [null, { name: 'wasm' }, 'wasm'])
})

test('a page fetches 430 kB at most by brotli, and 540 kB by gzip', () => {
  const file = readFileSync(wasm)
  const sizes = [brotliCompressSync(file).length, gzipSync(file, { level: 9 }).length]
  assert.ok(sizes[0] <= 430_000 && sizes[1] <= 540_000, `${sizes} bytes`)
})

test('an option or the environment forces WebAssembly', () => {
  assert.deepEqual(
    program(`tell([await sluice.loadEngine({ backend: 'wasm' }), sluice.backend(), words(), sluice.version()])`),
    [{ name: 'wasm' }, { name: 'wasm' }, 'hello', JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version],
  )
  assert.deepEqual(program('tell([words(), sluice.backend()])', { env: { SLUICE_BACKEND: 'wasm' } }), [
    'hello',
    { name: 'wasm' },
  ])
  assert.deepEqual(
    program(`tell([await sluice.loadEngine({ backend: 'addon' }), words()])`, { env: { SLUICE_BACKEND: 'wasm' } }),
    [{ name: 'addon' }, 'hello'],
  )
})

test('a build that does not exist is refused', () => {
  const { code, detail } = program('tell(await failure(() => new sluice.Engine()))', {
    env: { SLUICE_BACKEND: 'java' },
  })
  assert.deepEqual([code, detail], ['load', 'SLUICE_BACKEND: found "java", expected addon or wasm'])
  const option = program(
    `tell([await failure(() => sluice.loadEngine({ backend: 'java' })), await failure(() => sluice.loadEngine({ backend: 'addon', wasm: bytes })), await failure(() => sluice.loadEngine({ file: 1 }))])`,
  )
  assert.deepEqual(
    option.map((one) => one.code),
    ['option', 'option', 'option'],
  )
})

test('the engine that runs is not replaced', () => {
  const { code, detail, hint } = program(
    `new sluice.Engine(); tell(await failure(() => sluice.loadEngine({ backend: 'wasm' })))`,
  )
  assert.deepEqual(
    [code, detail, hint],
    ['state', 'found the engine loaded as addon, expected wasm', 'call loadEngine() before the first engine'],
  )
})

test('bytes, a module, a response and an address are taken', () => {
  const address = `data:application/wasm;base64,${'${bytes.toString("base64")}'}`
  for (const source of [
    'bytes',
    'bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)',
    'new WebAssembly.Module(bytes)',
    'new Response(bytes)',
    `new Response(bytes, { headers: { 'content-type': 'application/wasm' } })`,
    `\`${address}\``,
    `new URL(\`${address}\`)`,
  ]) {
    assert.deepEqual(
      program(`tell([await sluice.loadEngine({ wasm: ${source} }), words()])`),
      [{ name: 'wasm' }, 'hello'],
      source,
    )
  }
  assert.deepEqual(
    program('tell(await Promise.all([sluice.loadEngine({ wasm: bytes }), sluice.loadEngine({ wasm: bytes })]))'),
    [{ name: 'wasm' }, { name: 'wasm' }],
  )
})

test('what is no such module says what came and what to do', () => {
  const of = (source, more) =>
    program(
      `tell([await failure(() => sluice.loadEngine({ wasm: ${source} })), await sluice.loadEngine({ wasm: bytes })])`,
      more,
    )
  const [page, after] = of(`new Response('<!doctype html><title>App</title>')`)
  assert.equal(page.code, 'load')
  assert.match(page.detail, /found "<!doctype html><title>Ap" …, expected a WebAssembly module/)
  assert.match(page.hint, /the server must send js\/prebuilds\/wasm\/sluice\.wasm/)
  assert.deepEqual(after, { name: 'wasm' }, 'another try may succeed')
  assert.match(of(`new Response('', { status: 404 })`)[0].detail, /HTTP 404/)
  assert.match(of('new Uint8Array(0)')[0].detail, /found nothing/)
  const [cut] = of('bytes.subarray(0, 100000)')
  assert.equal(cut.code, 'load')
  assert.match(cut.hint, /install the package again/)
  assert.equal(
    of(`new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))`)[0].code,
    'load',
    'a module of something else',
  )
  const [far] = of(`'http://127.0.0.1:9/sluice.wasm'`)
  assert.match(far.detail, /http:\/\/127\.0\.0\.1:9\/sluice\.wasm/)
  assert.match(far.hint, /takes another address, or its bytes/)
})

test('without fetch or WebAssembly that is said', () => {
  const fetchless = program(
    `delete globalThis.fetch; tell([await failure(() => sluice.loadEngine({ wasm: 'https://cdn.example/sluice.wasm' })), await sluice.loadEngine({ wasm: bytes })])`,
  )
  assert.match(fetchless[0].detail, /there is no fetch here/)
  assert.match(fetchless[0].hint, /also takes the bytes/)
  assert.deepEqual(fetchless[1], { name: 'wasm' })
  const { code, detail, hint } = program(`tell(await failure(() => new sluice.Engine()))`, {
    options: ['--jitless'],
    env: { SLUICE_BACKEND: 'wasm' },
  })
  assert.equal(code, 'load')
  assert.match(detail, /sluice\.wasm, cannot be loaded: there is no WebAssembly here/)
  assert.match(hint, /turn it off/)
})

test('where the addon cannot be loaded WebAssembly runs, and tells why; without both, both are named', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wasm-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const home = join(folder, 'node_modules/sluice')
  const [platform, inside] = [`${process.platform}-${process.arch}`, join(home, 'js/prebuilds/wasm')]
  mkdirSync(inside, { recursive: true })
  symlinkSync(wasm, join(inside, 'sluice.wasm'))
  cpSync(join(root, 'js/dist'), join(home, 'js/dist'), { recursive: true })
  for (const file of ['package.json', 'CMakeLists.txt']) cpSync(join(root, file), join(home, file))
  const inFolder = (source, env) => program(source, { cwd: folder, env })
  const ask =
    'let said; try { said = words() } catch ({ code, detail, hint }) { said = { code, detail, hint } } tell([said, await failure(() => sluice.backend()) && globalThis.told])'.replace(
      'await failure(() => sluice.backend()) && globalThis.told',
      '(() => { try { return sluice.backend() } catch { return null } })()',
    )
  const missing = inFolder(ask)
  assert.equal(missing[0], 'hello')
  assert.equal(missing[1].name, 'wasm')
  assert.match(
    missing[1].why,
    new RegExp(`the addon sluice.node is missing; looked for .*; this is ${platform}, and there is wasm`),
  )

  mkdirSync(join(home, 'js/prebuilds', platform))
  writeFileSync(join(home, 'js/prebuilds', platform, 'sluice.node'), 'no library')
  const damaged = inFolder(ask)
  assert.equal(damaged[0], 'hello')
  assert.match(damaged[1].why, /sluice\.node cannot be loaded: /)
  const [forced] = inFolder(ask, { SLUICE_BACKEND: 'addon' })
  assert.equal(forced.code, 'load')
  assert.match(forced.detail, /sluice\.node cannot be loaded: /)

  rmSync(join(inside, 'sluice.wasm'))
  const [neither] = inFolder(ask)
  assert.equal(neither.code, 'load')
  assert.match(
    neither.detail,
    /sluice\.node cannot be loaded: .*; the WebAssembly build sluice\.wasm is missing; looked for .*js\/prebuilds\/wasm\/sluice\.wasm/,
  )
  cpSync(wasm, join(inside, 'sluice.wasm'))
  truncateSync(join(inside, 'sluice.wasm'), 100_000)
  const [cut] = inFolder(ask, { SLUICE_BACKEND: 'wasm' })
  assert.match(cut.detail, /js\/prebuilds\/wasm\/sluice\.wasm, cannot be loaded: /)
  assert.match(cut.hint, /not whole/)
})
