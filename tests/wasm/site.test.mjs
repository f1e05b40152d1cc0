// The static page of `npm run build:site`: below any path, with another server than the script, and with nothing but
// itself. The flows of the demo run on it too, see js/scripts/test-files.mjs.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { buildSite } from '../../js/scripts/site.mjs'
import { last, idle, read, scene, say } from '../pages/demo/page.mjs'
import { until, useBrowser } from '../browser/support.mjs'
import { startSite } from './site.mjs'

const { openaiChat } = await built('openai-chat')

const folder = mkdtempSync(join(tmpdir(), 'sluice-site-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const local = /^http:\/\/127\.0\.0\.1:(11434|1234|8080|8000)\// // where models of this computer are looked for
const browser = useBrowser()
before(() => buildSite(folder))

const ready = (page) => page.waitForSelector('html[data-ready]', { state: 'attached' })

test('it runs below any path, asks first who answers, and no server but its own and those of this computer', async (t) => {
  const origin = await startSite(t, { roots: { '/some/where/': folder }, policyOf: () => undefined })
  const page = await browser.page(t, {
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    expected: [/ERR_CONNECTION_REFUSED/],
  })
  const asked = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`${origin}/some/where/`)
  await ready(page)
  await page.getByRole('button', { name: 'Try it without a key' }).click()
  await scene(page, 'weather')
  await idle(page)
  assert.match(await read(last(page)), /Overcast and mild/)
  await page.reload()
  await ready(page)
  assert.equal(await page.locator('#start').isVisible(), false, 'who chose the script is not asked again')
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(`${origin}/some/where/`) && !local.test(url)),
    [],
  )
})

/**
 * A server that allows pages of `origin`; without one it allows none. `redirects`: what it is asked belongs elsewhere.
 */
async function startModel(t, origin, redirects = false) {
  const server = createServer((request, response) => {
    if (origin)
      response
        .setHeader('access-control-allow-origin', origin)
        .setHeader('access-control-allow-headers', 'content-type, authorization')
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    if (request.method === 'GET')
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"far"}]}')
    if (redirects) return response.writeHead(307, { location: 'http://elsewhere.invalid/v1' }).end()
    response.writeHead(200, { 'content-type': openaiChat.type })
    const written = openaiChat.write(
      { text: 'Hello from the server.' },
      { id: '1', model: 'far', request: {}, seal: () => '' },
    )
    for (const { bytes } of written.stream((text) => [text])) response.write(bytes)
    response.end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${server.address().port}/v1`
}

test('any server by its address answers, and is kept for the next visit; one that allows no pages is told as that', async (t) => {
  const origin = await startSite(t, { roots: { '/': folder }, policyOf: () => undefined })
  const [open, moved, closed] = [await startModel(t, origin), await startModel(t, origin, true), await startModel(t)]
  const page = await browser.page(t, {
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    expected: [/CORS|ERR_FAILED|308/],
  })
  const use = (baseURL) =>
    page.evaluate(
      (baseURL) => document.querySelector('#talk').client.server.use({ baseURL, wire: 'openai-chat', model: 'far' }),
      baseURL,
    )
  await page.goto(`${origin}/?scripted=`)
  await ready(page)
  await use(open)
  await say(page, 'Hello?')
  await idle(page)
  assert.match(await read(last(page)), /Hello from the server\./)
  await page.goto(`${origin}/`)
  await ready(page)
  assert.equal(await page.locator('#start').isVisible(), false, 'nobody is asked again')
  await until(async () => (await page.locator('#model').textContent()).includes('far'), 'the name of the model')
  await use(moved)
  await say(page, 'And there?')
  await idle(page)
  assert.match(await read(last(page)), /it redirects, and a page is not told where to/)
  await use(closed)
  await say(page, 'Hello again?')
  await idle(page)
  assert.match(
    await read(last(page)),
    /a browser does not say why: the server may not run, or not allow this page by its CORS headers/,
  )
})
