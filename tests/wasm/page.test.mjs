// The engine in Chromium, in pages and workers, off a plain web server under a strict policy.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../js/dist.mjs'
import { scriptFiles } from '../js/script-files.mjs'
import { build } from 'esbuild'
import { startScriptedServer } from 'sluice/testing'
import { useBrowser } from '../browser/support.mjs'
import { policy, startSite } from './site.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('page/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'sluice-page-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
}
const answers = [
  { text: 'Let me see. ', calls: [{ id: 'call_a', name: 'sky_look', arguments: { at: 'noon' } }] },
  { text: 'It is clear.' },
]
const turn = {
  outcome: 'completed',
  results: 1,
  text: 'Let me see. It is clear.',
  cards: ['sky.look success'],
  kept: 'How is the sky?',
  backend: { name: 'wasm' },
}
const early = [
  'load',
  'the WebAssembly build is not loaded yet',
  '`await loadEngine()` of sluice before the first engine',
]
const html = (script) => `<!doctype html><meta charset="utf-8"><title>test</title>${script}`
const browser = useBrowser()

/** The package under /package/, and these files. */
async function site(t, files, options = {}) {
  const model = await startScriptedServer({ answers })
  t.after(() => model.close())
  return startSite(t, {
    roots: { '/package/': root, '/': folder },
    model: model.url,
    files,
    typeOf: (path) => (path === '/' ? 'text/html' : undefined) ?? typeOf(path),
    ...options,
  })
}
const typeOf = (path) =>
  ({
    html: 'text/html',
    js: 'text/javascript',
    mjs: 'text/javascript',
    wasm: 'application/wasm',
    json: 'application/json',
  })[path.split('.').at(-1)]

/** What Node has, and what stands for it in a page. */
const standIns = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, () => ({ path: join(here, 'stand-ins.mjs') }))
    onResolve({ filter: /\/dist\.mjs$/ }, () => ({ path: 'built', namespace: 'built' }))
    onLoad({ filter: /./, namespace: 'built' }, () => ({
      resolveDir: root,
      contents: [
        ...['packed', 'wasm'].map((name) => `import * as ${name} from ${JSON.stringify(builtFile(name))}`),
        'const backend = { native: () => globalThis.native }',
        'export const built = async (name) => ({ packed, wasm, backend })[name]',
      ].join('\n'),
    }))
    onResolve({ filter: /^sluice\/testing$/ }, () => ({ path: 'checks', namespace: 'checks' }))
    onLoad({ filter: /./, namespace: 'checks' }, () => ({
      resolveDir: root,
      contents: ['anthropic', 'gemini', 'gemini-interactions', 'ollama', 'openai-responses']
        .map((name) => `export * from './js/dist/esm/engine/testing/check-${name}.js'`)
        .join('\n'),
    }))
  },
}

const scripts = () => Object.fromEntries(scriptFiles().map(({ name, script }) => [name, script]))

test('every shared script holds in a page and in a worker', { timeout: 600_000 }, async (t) => {
  await build({
    ...common,
    entryPoints: [join(here, 'replay.mjs')],
    outfile: join(folder, 'replay.js'),
    plugins: [standIns],
    define: {
      'process.env.SLUICE_BACKEND': '"wasm"',
      'process.env.SLUICE_ADDON': '""',
      'process.env.SLUICE_SHARED': '""',
    },
  })
  const all = scripts()
  const origin = await site(t, {
    '/': html('<script type="module" src="/replay.js"></script>'),
    '/scripts.json': JSON.stringify(all),
  })
  const page = await browser.page(t)
  await page.goto(origin)
  await page.waitForFunction(() => globalThis.replay)
  const [inPage, inWorker] = [
    await page.evaluate(() => globalThis.replay()),
    await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker('/replay.js', { type: 'module' })
          worker.onmessage = ({ data }) => resolve(data)
          worker.onerror = ({ message }) => reject(new Error(message))
        }),
    ),
  ]
  for (const said of [inPage, inWorker])
    assert.deepEqual(said, { restorable: true, held: Object.keys(all).length, failures: [] })
})

const importMap = `<script type="importmap">${JSON.stringify({ imports: { sluice: '/package/js/dist/browser/index.js', 'sluice/conversations': '/package/js/dist/browser/conversations.js' } })}</script>`
const app = (script) => ({ '/': html(script), '/app.mjs': readFileSync(join(here, 'app.mjs')) })

test('a page without a bundler runs a turn by fetch, and says that it is WebAssembly', async (t) => {
  // The import map stands inline, so this policy names it by its hash; a page that imports by address needs none.
  const origin = await site(t, app(importMap), {
    policyOf: () => policy.replace("'self' 'wasm", `'self' '${hashOf(importMap)}' 'wasm`),
  })
  const page = await browser.page(t)
  await page.goto(origin)
  const { first, ...said } = await page.evaluate(async () => (await import('/app.mjs')).app(`${location.origin}/v1`))
  assert.deepEqual(said, { ...turn, early })
  t.diagnostic(`first event after ${first.toFixed(0)} ms`)
})

test('a bundler takes the browser build, without anything of Node, in a page and in a worker', async (t) => {
  const worker = `import { app } from ${JSON.stringify(join(here, 'app.mjs'))}\napp(self.location.origin + '/v1', { wasm: '/package/js/prebuilds/wasm/sluice.wasm' }).then(postMessage)`
  const page1 = `import { app } from ${JSON.stringify(join(here, 'app.mjs'))}\nglobalThis.app = app`
  for (const [name, contents] of Object.entries({ worker, page: page1 })) {
    const { metafile } = await build({
      ...common,
      stdin: { contents, resolveDir: here },
      outfile: join(folder, `${name}.js`),
      metafile: true,
    })
    const inputs = Object.keys(metafile.inputs)
    assert.ok(
      inputs.some((path) => path.endsWith('js/dist/browser/index.js')),
      inputs.join(),
    )
    assert.ok(!inputs.some((path) => path.includes('js/dist/esm')), inputs.join())
    const text = readFileSync(join(folder, `${name}.js`), 'utf8')
    assert.doesNotMatch(text, /["']node:|\brequire\(|__dirname/)
  }
  const origin = await site(t, { '/': html('<script type="module" src="/page.js"></script>') })
  const page = await browser.page(t)
  await page.goto(origin)
  await page.waitForFunction(() => globalThis.app)
  const here1 = await page.evaluate(() =>
    globalThis.app(`${location.origin}/v1`, { wasm: '/package/js/prebuilds/wasm/sluice.wasm' }),
  )
  const origin2 = await site(t, { '/': html('') })
  await page.goto(origin2)
  const there = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/worker.js', { type: 'module' })
        worker.onmessage = ({ data }) => resolve(data)
        worker.onerror = ({ message }) => reject(new Error(message))
      }),
  )
  for (const { first: _, ...said } of [here1, there]) assert.deepEqual(said, { ...turn, early })
})

test('the files for pages use nothing that only Node has, unless it is there', () => {
  const dist = join(root, 'js/dist/browser')
  for (const name of readdirSync(dist)) {
    const text = readFileSync(join(dist, name), 'utf8').replaceAll('apiKey: process.env.', '')
    assert.doesNotMatch(text, /["']node:|\brequire\(|__dirname|\beval\(|new Function/, name)
    const uses = [...text.matchAll(/\b(?:process|Buffer)\.\w+|\b(?:setImmediate|clearImmediate)\(/g)].map(
      ([use]) => use,
    )
    assert.deepEqual(
      uses.filter((use) => use !== 'process.emitWarning'),
      [],
      name,
    ) // that is called where it is a function
  }
})

test('without wasm-unsafe-eval in the policy the error says what to add', async (t) => {
  const origin = await site(t, app(''), { policyOf: () => "default-src 'none'; script-src 'self'; connect-src 'self'" })
  const page = await browser.page(t, { expected: [/WebAssembly|wasm-unsafe-eval|unsafe-eval/i] })
  await page.goto(origin)
  const said = await page.evaluate(async () => {
    const { loadEngine } = await import('/package/js/dist/browser/index.js')
    return loadEngine().catch(({ code, detail, hint }) => ({ code, detail, hint }))
  })
  assert.equal(said.code, 'load')
  assert.match(said.detail, /sluice\.wasm, cannot be loaded: /)
  assert.equal(said.hint, "the page's Content-Security-Policy must have 'wasm-unsafe-eval' in script-src")
})

test('where sluice.wasm is not, is a page of words, or is sent with another type, that is said or does not matter', async (t) => {
  const origin = await site(t, {
    ...app(''),
    '/words.wasm': '<!doctype html>not found',
    '/plain': readFileSync(join(root, 'js/prebuilds/wasm/sluice.wasm')),
  })
  const page = await browser.page(t, { expected: [/404/, /127\.0\.0\.1:9\/|ERR_/] })
  await page.goto(origin)
  const said = await page.evaluate(async () => {
    const { loadEngine } = await import('/package/js/dist/browser/index.js')
    const failure = (wasm) => loadEngine({ wasm }).catch(({ code, detail, hint }) => ({ code, detail, hint }))
    const out = [
      await failure('/missing.wasm'),
      await failure('/words.wasm'),
      await failure('http://127.0.0.1:9/x.wasm'),
      await failure(new Uint8Array(3)),
      await failure('/plain'),
    ]
    return out
  })
  const [missing, words, unreachable, short, plain] = said
  assert.match(missing.detail, /\/missing\.wasm, cannot be loaded: the server answered with HTTP 404/)
  assert.match(words.detail, /cannot be loaded/)
  assert.match(unreachable.detail, /127\.0\.0\.1:9/)
  assert.equal(short.code, 'load')
  assert.deepEqual(plain, { name: 'wasm' })
})

function hashOf(script) {
  const content = /^<script[^>]*>([^]*)<\/script>$/.exec(script)[1]
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}
