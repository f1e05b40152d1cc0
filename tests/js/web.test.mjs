// The local web server as an attacker and as a page see it: real HTTP, requests written by hand where clients are too
// polite.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { SluiceError } from 'sluice'
import { serve } from 'sluice/web'
import { until } from './until.mjs'

const MEGABYTE = 1024 * 1024

let folder
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-web-'))
  mkdirSync(join(folder, 'site/deep'), { recursive: true })
  writeFileSync(join(folder, 'site/index.html'), '<!doctype html><title>here</title>')
  writeFileSync(join(folder, 'site/deep/index.html'), 'deep')
  writeFileSync(join(folder, 'site/app.mjs'), 'export {}')
  writeFileSync(join(folder, 'site/empty.txt'), '')
  writeFileSync(join(folder, 'site/.secret'), 'hidden')
  writeFileSync(join(folder, 'secret.txt'), 'outside')
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'site/link.txt'))
  symlinkSync(folder, join(folder, 'site/up'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** A host that writes down what came, and lets the test speak to the windows. */
function fakeHost() {
  const windows = []
  return {
    windows,
    connect(peer) {
      const window = { peer, calls: [], closed: false }
      windows.push(window)
      return {
        async call(method, input) {
          window.calls.push([method, input])
          return { ok: true, value: method }
        },
        close: () => (window.closed = true),
      }
    },
  }
}

async function start(t, options = {}) {
  const rights = options.host ? { rights: { read: true } } : {}
  const server = await serve({ roots: { '/': join(folder, 'site') }, ...rights, ...options })
  t.after(server.close)
  const { origin } = server
  const { hostname: name, host: authority } = new URL(origin)
  const port = Number(new URL(origin).port)
  const opened = await fetch(server.url, { redirect: 'manual' })
  const [cookie] = opened.headers.get('set-cookie').split(';')
  const ask = (path, { method = 'GET', headers = {}, body } = {}) =>
    raw(origin, { method, path, headers: { host: authority, cookie, ...headers } }, body)
  const post = (path, value, headers = {}) =>
    ask(path, {
      method: 'POST',
      headers: { origin: server.origin, 'content-type': 'application/json', ...headers },
      body: typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value),
    })
  return { ...server, name, authority, port, cookie, opened, ask, post }
}

/** One request; the path and the headers go out as they are. */
function raw(origin, options, body) {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: hostname, port, setHost: false, agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => (text += piece))
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, text, json: () => JSON.parse(text) }),
      )
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

test('the opening URL turns into a cookie and a clean address', async (t) => {
  const { origin, opened, cookie, ask } = await start(t)
  assert.equal(opened.status, 303)
  assert.equal(opened.headers.get('location'), '/')
  assert.match(opened.headers.get('set-cookie'), /; HttpOnly; SameSite=Strict; Path=\/$/)
  assert.ok(cookie.split('=')[1].length >= 32)
  const page = await ask('/')
  assert.equal(page.status, 200)
  assert.match(page.text, /<title>here/)
  const other = await fetch(`${origin}/deep/?a=1&token=${cookie.split('=')[1]}`, { redirect: 'manual' })
  assert.equal(other.headers.get('location'), '/deep/?a=1', 'any page can be opened')
})

test('the opening URL leads nowhere else, and works from a link of another site', async (t) => {
  const { cookie, ask, origin, authority } = await start(t)
  const token = cookie.split('=')[1]
  const evil = await ask(`//evil.example/?token=${token}`)
  assert.equal(evil.headers.location, '/evil.example/')
  const linked = await ask(`/?token=${token}`, { headers: { 'sec-fetch-site': 'cross-site' } })
  assert.equal(linked.status, 200, 'no redirect: the strict cookie would not come along')
  assert.equal(linked.headers.refresh, '0; url=/')
  for (const wrong of ['', 'x', `${token}x`, token.slice(1)]) {
    const refused = await raw(origin, { path: `/?token=${wrong}`, headers: { host: authority } })
    assert.equal(refused.status, 403)
    assert.equal(refused.headers['set-cookie'], undefined)
  }
})

test('without the cookie there is nothing', async (t) => {
  const { port, ask, post } = await start(t, { host: fakeHost(), routes: { 'POST /api/x': () => 1 } })
  for (const path of ['/', '/app.mjs', '/sluice/engine/core/errors.js', '/bridge/events']) {
    for (const cookie of ['', 'other=1', `sluice-${port}=`, `sluice-${port}=guess`]) {
      assert.equal((await ask(path, { headers: { cookie } })).status, 403, `${path} with '${cookie}'`)
    }
  }
  assert.equal((await post('/api/x', {}, { cookie: '' })).status, 403)
  assert.equal((await post('/bridge/call', {}, { cookie: '' })).status, 403)
})

test('another Host is refused: DNS rebinding', async (t) => {
  const { port, ask, post, name, authority } = await start(t, { routes: { 'POST /api/x': () => 1 } })
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    name,
    `${name}:${port + 1}`,
    `${authority}.evil.example`,
    `0.0.0.0:${port}`,
    `127.0.0.1:${port}`,
    `localhost:${port}`,
  ]) {
    const { status, text } = await ask('/', { headers: { host } })
    assert.equal(status, 421, host)
    assert.match(text, /^Host: found '.*', expected the one of the URL that was printed\n$/)
    assert.ok(host.includes(name) || !text.includes(name), 'the name is told to nobody')
    assert.equal((await post('/api/x', {}, { host })).status, 421)
  }
})

test('another Origin is refused, and none is not enough to write', async (t) => {
  const { port, origin, ask, post, name, authority } = await start(t, {
    host: fakeHost(),
    routes: { 'POST /api/x': () => 'done' },
  })
  for (const foreign of [
    'http://evil.example',
    'null',
    'file://',
    `http://${name}:${port + 1}`,
    `https://${authority}`,
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
  ]) {
    assert.equal((await post('/api/x', {}, { origin: foreign })).status, 403, foreign)
    assert.equal((await ask('/bridge/events', { headers: { origin: foreign } })).status, 403, foreign)
    assert.equal((await ask('/', { headers: { origin: foreign } })).status, 403, foreign)
  }
  const without = await ask('/api/x', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  assert.equal(without.status, 403)
  assert.equal((await post('/api/x', {})).json().value, 'done')
  assert.equal((await post('/api/x', {}, { origin })).status, 200)
})

test('another page of the same browser is refused, also where it may not read the answer', async (t) => {
  const { ask } = await start(t, { host: fakeHost() })
  const from = (site, mode, dest) => ({ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest })
  for (const site of ['cross-site', 'same-site']) {
    for (const path of ['/app.mjs', '/bridge/events']) {
      assert.equal((await ask(path, { headers: from(site, 'no-cors', 'script') })).status, 403)
    }
    assert.equal((await ask('/', { headers: from(site, 'navigate', 'iframe') })).status, 403)
    assert.equal((await ask('/', { headers: from(site, 'navigate', 'document') })).status, 200)
  }
  assert.equal((await ask('/app.mjs', { headers: { 'sec-fetch-site': 'same-origin' } })).status, 200)
})

test('every answer carries the headers: pages, files, refusals, replies', async (t) => {
  const { ask, post } = await start(t, { routes: { 'POST /api/x': () => 1 } })
  const answers = [
    await ask('/'),
    await ask('/app.mjs'),
    await ask('/none'),
    await ask('/', { headers: { cookie: '' } }),
    await ask('/', { headers: { host: 'x' } }),
    await ask('/', { method: 'DELETE' }),
    await post('/api/x', {}),
    await post('/api/x', '{'),
  ]
  for (const { headers } of answers) {
    const policy = headers['content-security-policy'].split('; ')
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'none'",
    ]) {
      assert.ok(policy.includes(part), part)
    }
    assert.doesNotMatch(headers['content-security-policy'], /unsafe|\*/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'no-store')
  }
})

test('files: types, folders, HEAD, the package under /sluice/', async (t) => {
  const { ask } = await start(t, { roots: { '/': join(folder, 'site'), '/other': join(folder, 'site/deep') } })
  assert.equal((await ask('/app.mjs')).headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal((await ask('/deep/')).text, 'deep')
  assert.equal((await ask('/other/')).text, 'deep')
  assert.equal((await ask('/deep?x=1')).headers.location, '/deep/?x=1')
  assert.equal((await ask('/empty.txt')).text, '')
  const head = await ask('/', { method: 'HEAD' })
  assert.equal(head.text, '')
  assert.equal(head.headers['content-length'], String('<!doctype html><title>here</title>'.length))
  for (const path of [
    '/sluice/renderer/index.js',
    '/sluice/ui/index.js',
    '/sluice/renderer/web-bridge.js',
    '/sluice/live2d/index.js',
  ]) {
    const { status, headers } = await ask(path)
    assert.equal(status, 200, path)
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
  }
})

test('no path leads out of its folder', async (t) => {
  const { ask } = await start(t)
  const paths = [
    '/../secret.txt',
    '/deep/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/deep/%2e%2e/%2e%2e/secret.txt',
    '//secret.txt',
    '/link.txt',
    '/up/secret.txt',
    '/.secret',
    '/%2esecret',
    '/app.mjs%00.txt',
    '/app.mjs/',
    `/${'%2e%2e/'.repeat(20)}etc/passwd`,
    '/C:/Windows/win.ini',
    '/sluice/../../../package.json',
    '/sluice/%2e%2e/%2e%2e/%2e%2e/package.json',
    '/sluice/..%2f..%2f..%2fpackage.json',
    `/${'x'.repeat(5000)}`,
    '/deep/nothing',
    '/%252e%252e/secret.txt',
  ]
  for (const path of paths) {
    const { status, text } = await ask(path)
    assert.equal(status, path === '/app.mjs/' ? 200 : 404, path)
    assert.doesNotMatch(text, /outside|hidden|root:/, path)
  }
  assert.equal((await ask('/%ff%fe')).status, 400)
  assert.equal((await ask('http://evil.example/')).status, 400, 'a proxy is somebody else')
})

test('only the methods that mean something', async (t) => {
  const { ask } = await start(t, { host: fakeHost(), routes: { 'POST /api/x': () => 1 } })
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
    const { status, headers } = await ask('/', { method })
    assert.equal(status, 405, method)
    assert.equal(headers.allow, 'GET, HEAD')
  }
  for (const path of ['/api/x', '/bridge/call']) assert.equal((await ask(path)).headers.allow, 'POST')
  assert.equal((await ask('/bridge/events', { method: 'HEAD' })).status, 405)
})

test('a POST is JSON and nothing that a form could send', async (t) => {
  const seen = []
  const { post } = await start(t, { routes: { 'POST /api/x': (input) => seen.push(input) } })
  for (const type of [
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
    'text/plain; application/json',
  ]) {
    assert.equal((await post('/api/x', '{}', { 'content-type': type })).status, 415, type)
  }
  assert.equal((await post('/api/x', '{}', { 'content-encoding': 'gzip' })).status, 415)
  for (const body of ['', '{', 'undefined', Buffer.from([0x22, 0xff, 0x22])]) {
    const reply = await post('/api/x', body)
    assert.equal(reply.status, 400)
    assert.match(reply.json().error.detail, /^the body is no JSON: /)
  }
  assert.equal((await post('/api/x', '[1]', { 'content-type': 'application/json; charset=utf-8' })).status, 200)
  assert.deepEqual(seen.at(-1), [1])
})

test('a body that is too large ends with 413 before it is read', async (t) => {
  let ran = 0
  const { port, cookie, origin, post, name, authority } = await start(t, { routes: { 'POST /api/x': () => ++ran } })
  const told = await post('/api/x', JSON.stringify('x'.repeat(MEGABYTE)))
  assert.equal(told.status, 413)
  assert.equal(told.json().error.code, 'limit')

  // A client that promises nothing, and never stops.
  const socket = connect(port, name)
  t.after(() => socket.destroy())
  let answer = ''
  let sent = 0
  socket
    .setEncoding('utf8')
    .on('data', (text) => (answer += text))
    .on('error', () => {})
  const closed = new Promise((resolve) => socket.on('close', resolve))
  const head = ['POST /api/x HTTP/1.1', `Host: ${authority}`, `Cookie: ${cookie}`, `Origin: ${origin}`]
  socket.write([...head, 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', ''].join('\r\n'))
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65536, 'x'), Buffer.from('\r\n')])
  const pour = () => {
    while (!socket.destroyed && sent < 100 * MEGABYTE) {
      sent += chunk.length
      if (!socket.write(chunk)) return void socket.once('drain', pour)
    }
  }
  pour()
  await closed
  assert.match(answer, /^HTTP\/1\.1 413 /)
  assert.ok(sent < 50 * MEGABYTE, `it read ${sent} bytes`)
  assert.equal(ran, 0)
  assert.equal((await post('/api/x', JSON.stringify('x'.repeat(MEGABYTE - 10)))).status, 200)
})

test('who promises a large body is told before sending it', async (t) => {
  const { port, cookie, origin, name, authority } = await start(t, {
    routes: { 'POST /api/x': (input) => input.length },
  })
  const ask = (length) =>
    new Promise((resolve, reject) => {
      const headers = {
        host: authority,
        cookie,
        origin,
        'content-type': 'application/json',
        'content-length': length,
        expect: '100-continue',
      }
      let continued = false
      const outgoing = request(
        { host: name, port, method: 'POST', path: '/api/x', headers, agent: false },
        (response) => {
          response.resume().on('end', () => resolve({ status: response.statusCode, continued }))
          if (!continued) outgoing.destroy()
          if (!continued) resolve({ status: response.statusCode, continued })
        },
      )
      outgoing.on('continue', () => {
        continued = true
        outgoing.end(JSON.stringify('x'.repeat(length - 2)))
      })
      outgoing.on('error', (error) => error.code === 'ECONNRESET' || reject(error))
      outgoing.flushHeaders()
    })
  assert.deepEqual(await ask(100 * MEGABYTE), { status: 413, continued: false })
  assert.deepEqual(await ask(1000), { status: 200, continued: true })
})

test('what a route throws is told, and who leaves aborts it', async (t) => {
  let aborted
  const started = Promise.withResolvers?.() ?? {}
  started.promise ??= new Promise((resolve) => (started.resolve = resolve))
  const { origin, cookie, post } = await start(t, {
    routes: {
      'POST /api/wrong': () => {
        throw new SluiceError({ code: 'option', path: 'a.b', detail: 'found 1, expected 2', hint: 'try 2' })
      },
      'POST /api/broken': async () => {
        throw new TypeError('oh')
      },
      'POST /api/slow': (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve((aborted = signal.reason.message)))
          started.resolve()
        }),
    },
  })
  const wrong = await post('/api/wrong', {})
  assert.equal(wrong.status, 400)
  assert.deepEqual(wrong.json(), {
    ok: false,
    error: { code: 'option', detail: 'found 1, expected 2', path: 'a.b', hint: 'try 2' },
  })
  const broken = await post('/api/broken', {})
  assert.equal(broken.status, 500)
  assert.deepEqual(broken.json(), { ok: false, error: { code: 'internal', detail: 'oh' } })
  const leave = new AbortController()
  const headers = { cookie, origin, 'content-type': 'application/json' }
  const slow = fetch(`${origin}/api/slow`, { method: 'POST', headers, body: '{}', signal: leave.signal })
  await started.promise
  leave.abort()
  await assert.rejects(slow)
  await until(() => aborted === 'the page went away', 'the abort')
})

/** Reads the events of one window. */
function listen(t, origin, cookie) {
  const { hostname, port } = new URL(origin)
  const events = []
  const outgoing = request(
    { host: hostname, port, path: '/bridge/events', headers: { cookie }, agent: false },
    (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [, event, data] = /^event: (.*)\ndata: (.*)$/s.exec(text.slice(0, end)) ?? []
          if (event) events.push({ event, data: JSON.parse(data) })
          text = text.slice(end + 2)
        }
      })
      response.on('error', () => {})
    },
  )
  outgoing.on('error', () => {})
  outgoing.end()
  t.after(() => outgoing.destroy())
  return { events, leave: () => outgoing.destroy() }
}

test('the bridge: one window, its frames, its calls, its end', async (t) => {
  const host = fakeHost()
  const rights = { chat: true }
  const { cookie, post, origin } = await start(t, { host, rights })
  const first = listen(t, origin, cookie)
  const second = listen(t, origin, cookie)
  await until(() => first.events.length === 1 && second.events.length === 1 && host.windows.length === 2, 'two windows')
  const id = first.events[0].data.window
  const mine = host.windows.find(({ peer }) => peer.id === id)
  const other = host.windows.find(({ peer }) => peer.id !== id)
  assert.deepEqual(mine.peer.rights, rights)

  mine.peer.frame({ messages: [{ id: 'a\nb', after: 0, seq: 1, deltas: [] }] })
  mine.peer.pet({ id: 1, channel: 'c', payload: ['\u2028'] })
  await until(() => first.events.length === 3, 'both')
  assert.deepEqual(first.events.slice(1), [
    { event: 'frame', data: { messages: [{ id: 'a\nb', after: 0, seq: 1, deltas: [] }] } },
    { event: 'pet', data: { id: 1, channel: 'c', payload: ['\u2028'] } },
  ])
  assert.equal(second.events.length, 1, 'nothing is broadcast')

  const sent = await post('/bridge/call', { window: id, method: 'send', input: { text: 'x' } })
  assert.deepEqual(sent.json(), { ok: true, value: { ok: true, value: 'send' } })
  assert.deepEqual(mine.calls, [['send', { text: 'x' }]])
  assert.deepEqual(other.calls, [])
  for (const wrong of [{}, [], null, 7, 'x', { window: 7, method: 'send' }, { method: 'send' }]) {
    assert.equal((await post('/bridge/call', wrong)).status, 400)
  }
  for (const window of ['', 'x', '__proto__', 'constructor', `${id}x`]) {
    const gone = await post('/bridge/call', { window, method: 'send', input: {} })
    assert.equal(gone.json().error.code, 'gone')
  }
  first.leave()
  await until(() => mine.closed, 'the window to be gone')
  assert.equal(other.closed, false)
  assert.equal((await post('/bridge/call', { window: id, method: 'send', input: {} })).status, 410)
})

test('a window may do what its rights say', async (t) => {
  const host = fakeHost()
  const { cookie, origin } = await start(t, { host })
  listen(t, origin, cookie)
  await until(() => host.windows.length === 1, 'the window')
  assert.deepEqual(host.windows[0].peer.rights, { read: true })
})

test('a window that does not read is closed, and not kept in memory', async (t) => {
  const host = fakeHost()
  const { port, cookie, name, authority } = await start(t, { host })
  const socket = connect(port, name)
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(`GET /bridge/events HTTP/1.1\r\nHost: ${authority}\r\nCookie: ${cookie}\r\n\r\n`)
  socket.pause()
  const window = await until(() => host.windows[0], 'the window')
  const frame = {
    messages: [{ id: 'm', after: 0, seq: 1, deltas: [{ type: 'text', block: 0, text: 'x'.repeat(100_000) }] }],
  }
  let frames = 0
  await until(() => {
    for (let i = 0; i < 20 && !window.closed; i++, frames++) window.peer.frame(frame)
    return window.closed
  }, 'the window to be closed')
  assert.ok(frames < 500, `${frames} frames of 100 kB`)
})

test('too many windows are refused', async (t) => {
  const host = fakeHost()
  const { cookie, ask, origin } = await start(t, { host })
  for (let i = 0; i < 64; i++) listen(t, origin, cookie)
  await until(() => host.windows.length === 64, 'all of them')
  assert.equal((await ask('/bridge/events')).status, 503)
})

test('closing the server ends its windows', async (t) => {
  const host = fakeHost()
  const server = await serve({ roots: {}, host, rights: { read: true } })
  const opened = await fetch(server.url, { redirect: 'manual' })
  listen(t, server.origin, opened.headers.get('set-cookie').split(';')[0])
  const window = await until(() => host.windows[0], 'the window')
  await server.close()
  await until(() => window.closed, 'its end')
  await assert.rejects(fetch(server.origin))
})

test('two servers have tokens and cookies of their own; a port that is taken is told', async (t) => {
  const one = await start(t)
  const two = await start(t)
  assert.notEqual(one.cookie.split('=')[1], two.cookie.split('=')[1])
  assert.equal((await two.ask('/', { headers: { cookie: one.cookie } })).status, 403)
  assert.equal((await two.ask('/', { headers: { cookie: `${one.cookie}; ${two.cookie}` } })).status, 200)
  const other = createServer().listen(0, '0.0.0.0')
  t.after(() => other.close())
  await once(other, 'listening')
  const taken = serve({ roots: {}, port: other.address().port })
  await assert.rejects(
    taken,
    (error) =>
      error.code === 'option' && error.path === 'port' && /another program already uses 127/.test(error.detail),
  )
  for (const [options, path, words] of [
    [{}, 'roots', /expected folders/],
    [{ roots: {}, prot: 1 }, 'prot', /unknown member/],
    [{ roots: {}, port: -1 }, 'port', /found -1/],
    [{ roots: {}, host: {} }, 'host', /expected a host/],
    [{ roots: {}, host: fakeHost() }, 'rights', /found undefined, expected what the page may do/],
    [
      { roots: { '/': '/no/such/folder' } },
      'roots["/"]',
      /found "\/no\/such\/folder", expected a folder that is there/,
    ],
    [{ roots: {}, rights: { look: true } }, 'rights.look', /unknown member/],
    [undefined, 'options', /found undefined/],
  ])
    await assert.rejects(
      serve(options),
      (error) => SluiceError.is(error) && error.path === path && words.test(error.detail),
      path,
    )
  await assert.rejects(serve({ roots: {}, routes: { 'GET /x': () => 1 } }), /found 'GET \/x', expected 'POST \/path'/)
})

test('no other server of the machine has its address, and no other server is sent its cookie', async (t) => {
  const names = []
  for (let count = 0; count < 5; count++) names.push((await start(t)).name)
  assert.equal(new Set(names).size, 5)
  for (const name of names)
    assert.ok(name !== '127.0.0.1' && /^(?:127\.\d+\.\d+\.\d+|\w{24}\.localhost)$/.test(name), name)
})
