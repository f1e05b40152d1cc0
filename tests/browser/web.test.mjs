// The local web server and its bridge in a real browser: its own page, and pages that are not.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Engine, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { createHost } from 'sluice/host'
import { serve } from 'sluice/web'
import { until, useBrowser } from './support.mjs'

const browser = useBrowser()

let site
before(() => {
  site = mkdtempSync(join(tmpdir(), 'sluice-page-'))
  const head = '<!doctype html><meta charset="utf-8">'
  writeFileSync(join(site, 'index.html'), `${head}<title>page</title><script type="module" src="/page.js"></script>`)
  writeFileSync(
    join(site, 'page.js'),
    `
    import { connect } from '/sluice/renderer/index.js'
    import { postJson as post, webBridge } from '/sluice/renderer/web-bridge.js'
    const bridge = webBridge()
    window.test = { bridge, post, client: connect(bridge) }`,
  )
  writeFileSync(
    join(site, 'inline.html'),
    `${head}<title>inline</title><script>window.ran = true</script><p style="color: red">x</p>`,
  )
})
after(() => rmSync(site, { recursive: true, force: true }))

/** After the page: what is registered first ends first. */
async function start(t, { answers = [], tools = [], rights = { read: true, chat: true, approve: true }, routes } = {}) {
  const model = await startScriptedServer({ answers, delayMs: 10 })
  const engine = new Engine({ tools })
  const real = createHost(engine, { run: () => ({ model: { baseURL: model.baseURL, name: 'm' } }) })
  const peers = []
  const calls = []
  const host = {
    connect(peer) {
      peers.push(peer)
      const connection = real.connect(peer)
      return {
        call: (method, input) => {
          calls.push(method)
          return connection.call(method, input)
        },
        close: () => connection.close(),
      }
    },
  }
  const server = await serve({ roots: { '/': site }, host, rights, ...(routes ? { routes } : {}) })
  t.after(async () => {
    await server.close()
    await real.close()
    engine.close()
    await model.close()
  })
  return { ...server, peers, calls, model }
}

/** Breaks the connection of a window: it gets more at once than any window may have waiting. */
function breakOff(peer) {
  const big = { conversations: [{ id: 'nobody', entries: [{ role: 'user', text: 'x'.repeat(5 * 1024 * 1024) }] }] }
  peer.frame(big)
  peer.frame(big)
}

async function open(page, url) {
  await page.goto(url)
  await page.waitForFunction(() => window.test)
}

test('a page talks to the host: text comes, a question is answered, the tool runs', async (t) => {
  const ran = []
  const answers = [
    { text: 'I delete it.', calls: [{ name: 'file_delete', arguments: { path: '/a' } }] },
    { text: 'It is gone.' },
  ]
  const parameters = { type: 'object', properties: { path: { type: 'string' } } }
  const tools = [
    tool({
      name: 'file.delete',
      description: 'd',
      agentCallable: true,
      parameters,
      execute: ({ path }) => void ran.push(path),
    }),
  ]
  const page = await browser.page(t)
  const { url, origin } = await start(t, { answers, tools })
  await open(page, url)
  assert.equal(page.url(), `${origin}/`, 'the token is not in the address')
  assert.equal(await page.evaluate(() => document.cookie), '', 'and scripts cannot read it')
  const asked = page.evaluate(
    () =>
      new Promise((resolve) => {
        void window.test.client.send('Delete /a').then((message) => {
          window.message = message
          const look = () => message.getSnapshot().questions[0] && resolve(message.getSnapshot().questions[0].stage)
          message.subscribe(look)
          look()
        })
      }),
  )
  assert.equal(await asked, 'execution')
  assert.deepEqual(ran, [])
  assert.equal(await page.evaluate(() => window.message.approve(window.message.getSnapshot().questions[0])), true)
  const view = await page.evaluate(() => window.message.done)
  assert.deepEqual(
    view.blocks.map((block) => block.text ?? `${block.name} ${block.status}`),
    ['I delete it.', 'file.delete success', 'It is gone.'],
  )
  assert.deepEqual(ran, ['/a'])
})

test('a connection that breaks comes back as a new window, in mid-answer', async (t) => {
  const words = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
  const page = await browser.page(t, { expected: [/ERR_INCOMPLETE_CHUNKED_ENCODING/] })
  const { url, peers } = await start(t, { answers: [{ text: words }, { text: 'more' }] })
  await open(page, url)
  await page.evaluate(async () => {
    window.conversation = window.test.client.open()
    await window.conversation.opened
    window.message = await window.test.client.send('Talk')
    window.message.subscribe(() => {})
  })
  await page.waitForFunction(() => window.message.getSnapshot().blocks[0]?.text.includes('word5'))
  breakOff(peers[0])
  const view = await page.evaluate(() => window.message.done)
  assert.equal(view.blocks[0].text, words)
  assert.equal(peers.length, 2)
  assert.notEqual(peers[0].id, peers[1].id)
  await page.evaluate(() => window.test.client.send('More'))
  // the conversation is followed again as well
  await page.waitForFunction(() => window.conversation.getSnapshot().entries.length === 4)
})

test('a call waits for the connection, and is closed with the bridge', async (t) => {
  const page = await browser.page(t, { expected: [/ERR_INCOMPLETE_CHUNKED_ENCODING/, /410/] })
  const { url, peers } = await start(t)
  await open(page, url)
  await until(() => peers.length === 1, 'the window')
  breakOff(peers[0])
  // The window may not know yet that it is gone, or wait for the next: both end in an answer.
  const reply = await page.evaluate(() => window.test.bridge.call('open', {}))
  assert.deepEqual(reply, { ok: true, value: { id: 'main', forgotten: 0, entries: [] } })
  const closed = await page.evaluate(() => {
    window.test.bridge.close()
    return window.test.bridge.call('open', {})
  })
  assert.equal(closed.error.code, 'closed')
})

test('routes: values, errors with their fields, and an end to waiting', async (t) => {
  const gone = []
  const page = await browser.page(t, { expected: [/404/, /400/, /405/] })
  const { url } = await start(t, {
    routes: {
      'POST /api/double': ({ n }) => n * 2,
      'POST /api/slow': (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(gone.push(1)))),
    },
  })
  await open(page, url)
  assert.equal(await page.evaluate(() => window.test.post('/api/double', { n: 21 })), 42)
  const failed = await page.evaluate(() =>
    window.test.post('/api/none', {}).catch(({ code, message }) => ({ code, message })),
  )
  assert.equal(failed.code, 'argument')
  assert.match(failed.message, /found POST, expected GET or HEAD/)
  await page
    .evaluate(() => {
      const abort = new AbortController()
      const waiting = window.test.post('/api/slow', {}, abort.signal).catch((error) => error.name)
      setTimeout(() => abort.abort(), 50)
      return waiting
    })
    .then((name) => assert.equal(name, 'AbortError'))
  await until(() => gone.length === 1, 'the abort at the server')
})

test('inline scripts and styles do not run', async (t) => {
  const page = await browser.page(t, { expected: [/Content Security Policy/] })
  const { url } = await start(t)
  await open(page, url)
  await page.goto(new URL('/inline.html', page.url()).href)
  assert.equal(await page.title(), 'inline')
  assert.equal(await page.evaluate(() => window.ran), undefined)
})

test('another page of the same browser gets nothing, though the cookie would come along', async (t) => {
  const context = await browser.page(t, { expected: [/.*/] })
  const { url, origin, peers, calls } = await start(t)
  await open(context, url)
  await until(() => peers.length === 1, 'the window of the page')
  // Another port of the same address is the same site: SameSite does not help.
  const evil = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>'),
  )
  await new Promise((resolve) => evil.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => (evil.close(resolve), evil.closeAllConnections())))
  const before = calls.length
  const page = await context.context().newPage()
  await page.goto(`http://127.0.0.1:${evil.address().port}/`)
  const tried = await page.evaluate(async (origin) => {
    const attempt = (promise) =>
      promise.then(
        (response) => `read ${response.status}`,
        () => 'refused',
      )
    const loads = (tag, src, more = {}) =>
      new Promise((resolve) => {
        const element = Object.assign(document.createElement(tag), {
          onload: () => resolve('loaded'),
          onerror: () => resolve('refused'),
          ...more,
        })
        element[tag === 'link' ? 'href' : 'src'] = src
        document.head.append(element)
      })
    const body = JSON.stringify({ window: 'x', method: 'send', input: { text: 'x' } })
    const events = new Promise((resolve) => {
      const source = new EventSource(`${origin}/bridge/events`, { withCredentials: true })
      source.onopen = () => resolve('open')
      source.onerror = () => (source.close(), resolve('refused'))
    })
    return {
      page: await attempt(fetch(origin, { credentials: 'include' })),
      json: await attempt(
        fetch(`${origin}/bridge/call`, {
          method: 'POST',
          credentials: 'include',
          headers: { 'content-type': 'application/json' },
          body,
        }),
      ),
      simple: await attempt(
        fetch(`${origin}/bridge/call`, {
          method: 'POST',
          credentials: 'include',
          headers: { 'content-type': 'text/plain' },
          body,
        }),
      ),
      events: await events,
      script: await loads('script', `${origin}/sluice/errors.js`),
      module: await loads('script', `${origin}/page.js`, { type: 'module', crossOrigin: 'use-credentials' }),
      image: await loads('img', `${origin}/index.html`),
    }
  }, origin)
  assert.deepEqual(tried, {
    page: 'refused',
    json: 'refused',
    simple: 'refused',
    events: 'refused',
    script: 'refused',
    module: 'refused',
    image: 'refused',
  })
  const ended = []
  for (const event of ['requestfinished', 'requestfailed'])
    page.on(event, (request) => ended.push(new URL(request.url()).pathname))
  await page.evaluate((origin) => {
    // No answer is needed to send these.
    void fetch(`${origin}/bridge/call`, {
      method: 'POST',
      mode: 'no-cors',
      credentials: 'include',
      body: '{"window":"x","method":"send","input":{}}',
    }).catch(() => {})
    navigator.sendBeacon(`${origin}/bridge/call`, new Blob(['{}'], { type: 'application/json' }))
    const frame = document.createElement('iframe')
    frame.src = origin
    document.body.append(frame)
    return new Promise((resolve) => (frame.onload = resolve))
  }, origin)
  await until(() => ended.filter((path) => path === '/bridge/call').length >= 2, 'both requests to end')
  assert.ok(!page.frames().some((frame) => frame.url().startsWith(origin)), 'no frame shows the page')
  assert.equal(peers.length, 1, 'no window but the own one')
  assert.equal(calls.length, before)
})

test('a server that is gone is told: an answer ends, what is sent is refused, and it goes on when the server is back', async (t) => {
  const page = await browser.page(t, { expected: [/ERR_/] })
  const { url, close, peers } = await start(t, {
    answers: [{ parts: [{ text: Array.from({ length: 10 }, (_, at) => `word${at}`).join(' ') }, { wait: 60_000 }] }],
  })
  await open(page, url)
  await page.evaluate(async () => {
    window.states = []
    const { connection } = window.test.client
    connection.subscribe(() => window.states.at(-1) === connection.state || window.states.push(connection.state))
    window.message = await window.test.client.send('Talk')
    window.message.subscribe(() => {})
  })
  await page.waitForFunction(() => window.message.getSnapshot().blocks[0]?.text.includes('word5'))
  breakOff(peers[0])
  await page.waitForFunction(() => window.states.join() === 'reconnecting,connected')
  assert.equal(
    await page.evaluate(() => window.message.getSnapshot().outcome),
    undefined,
    'a connection that comes back ends nothing',
  )
  await close()
  await page.waitForFunction(() => window.states.join() === 'reconnecting,connected,reconnecting,lost', undefined, {
    timeout: 30_000,
  })
  const view = await page.evaluate(() => window.message.getSnapshot())
  assert.deepEqual([view.outcome, view.blocks.at(-1).code], ['failed', 'connection'])
  assert.equal(
    await page.evaluate(() => window.test.client.send('More').catch(({ code }) => code)),
    'connection',
    'it does not wait in silence',
  )
  assert.ok(await page.evaluate(() => window.test.client.connection.retryAt > Date.now() - 1000))
})
