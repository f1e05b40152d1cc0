// `openAIHandler` as a server: real HTTP on both sides.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { built } from './dist.mjs'
import OpenAI, { AuthenticationError, RateLimitError } from 'openai'
import { openAIHandler } from 'sluice/openai'
import { nodeListener } from 'sluice/web'
import { callsOf, chunk, hermes, readStream, streamOf, upstream, weather, wholeOf } from './openai-support.mjs'
import { until } from './until.mjs'

const { patient } = await built('patient')

/** The handler in front of a server, as a server of its own. */
async function proxy(t, options) {
  const server = createServer(nodeListener(openAIHandler({ protocol: 'hermes', ...options })))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${server.address().port}`
  return {
    url,
    port: server.address().port,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: 'of-the-client', maxRetries: 0 }),
  }
}

const asking = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [weather] }
const post = (url, body, init = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  })

test('the official client gets calls, models and errors through it', async (t) => {
  const { baseURL, requests } = await upstream(t, ({ path, body, method }, response) => {
    if (path === '/v1/models') return '{"object":"list","data":[{"id":"m","object":"model"}]}'
    if (method === 'DELETE') return '{"deleted":true}'
    if (body?.model !== 'busy')
      return body?.stream ? streamOf(`Well ${hermes({ city: 'Rome' })}`) : wholeOf(hermes({ city: 'Bari' }))
    response
      .writeHead(429, { 'retry-after': '7', 'content-type': 'application/json', 'set-cookie': 'a=b' })
      .end('{"error":{"message":"too fast","code":"slow_down"}}')
  })
  const { client, url } = await proxy(t, { baseURL, headers: { 'x-title': 'app' } })
  const {
    choices: [{ message }],
  } = await client.chat.completions.stream(asking).finalChatCompletion()
  assert.deepEqual([message.content, message.tool_calls[0].function.arguments], ['Well ', '{"city":"Rome"}'])
  const whole = await client.chat.completions.create(asking)
  assert.equal(whole.choices[0].message.tool_calls[0].function.arguments, '{"city":"Bari"}')
  assert.deepEqual(
    (await client.models.list()).data.map(({ id }) => id),
    ['m'],
  )
  await assert.rejects(client.chat.completions.create({ ...asking, model: 'busy' }), (error) => {
    assert.ok(error instanceof RateLimitError)
    assert.deepEqual(
      [error.message, error.code, error.headers.get('retry-after'), error.headers.get('set-cookie')],
      ['429 too fast', 'slow_down', '7', null],
    )
    return true
  })
  assert.deepEqual(await (await fetch(`${url}/v1/files/a%2Fb?x=1`, { method: 'DELETE' })).json(), { deleted: true })
  assert.equal(requests.at(-1).path, '/v1/files/a%2Fb?x=1')
  for (const { headers } of requests.slice(0, -1))
    assert.deepEqual(
      [headers.authorization, headers['x-title'], headers['accept-encoding'], headers.host],
      ['Bearer of-the-client', 'app', 'identity', new URL(baseURL).host],
    )
})

test('with a token only who has it is served, and the server behind never sees it', async (t) => {
  const { baseURL, requests } = await upstream(t, () => wholeOf('Hi'))
  const { client, url } = await proxy(t, { baseURL, token: 'sesame', apiKey: 'of-the-server' })
  await assert.rejects(client.chat.completions.create(asking), AuthenticationError)
  assert.equal((await fetch(`${url}/v1/models`)).status, 401)
  assert.equal(requests.length, 0)
  await new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sesame', maxRetries: 0 }).chat.completions.create(asking)
  assert.equal(requests[0].headers.authorization, 'Bearer of-the-server')
  const open = await proxy(t, { baseURL, token: 'sesame' })
  await new OpenAI({ baseURL: `${open.url}/v1`, apiKey: 'sesame' }).chat.completions.create(asking)
  assert.equal(requests[1].headers.authorization, undefined)
})

test('a path leads nowhere but behind the base URL', async (t) => {
  const { url, baseURL, requests } = await upstream(t, () => '{}')
  for (const [base, asked, path] of [
    [`${baseURL}/?key=1`, '/v1/models', '/v1/models?key=1'],
    [url, '/v1/chat/completions', '/chat/completions'],
    [`${url}/api/v3/`, '/api/llm/v1/models?a=b', '/api/v3/models?a=b'],
    [baseURL, '/models', '/v1/models'],
    [baseURL, '//elsewhere.test/v1/models', '/v1/models'],
    [baseURL, '/v1//elsewhere.test/x', '/v1//elsewhere.test/x'],
    [baseURL, '/v1/../../admin', '/v1/admin'],
    [baseURL, '/v1', '/v1'],
  ]) {
    const { port } = await proxy(t, { baseURL: base })
    await new Promise((resolve) =>
      connect(port, '127.0.0.1')
        .on('close', resolve)
        .on('data', () => {})
        .end(`GET ${asked} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
    )
    assert.equal(requests.at(-1).path, path, asked)
  }
})

test('dots that a server behind may read as a way up are refused, however they are written', async (t) => {
  const { baseURL, requests } = await upstream(t, () => '{}')
  const { port } = await proxy(t, { baseURL: `${baseURL}/`, apiKey: 'of-the-server' })
  const ask = (path) =>
    new Promise((resolve) => {
      let said = ''
      connect(port, '127.0.0.1')
        .on('close', () => resolve(Number(said.split(' ')[1])))
        .on('data', (piece) => {
          said += piece
        })
        .write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    })
  for (const path of [
    '/v1/..%2f..%2fadmin',
    '/v1/x%2F..%2Fadmin',
    '/v1/%2e%2e%2fadmin',
    '/v1/..%5cadmin',
    '/v1/..%252f..%252fadmin',
    '/v1/%252e%252e/admin',
    '/v1/a;/..%2fb',
    '/v1/%',
  ])
    assert.equal(await ask(path), 400, path)
  assert.equal(requests.length, 0)
  for (const path of ['/v1/files/a%2Fb', '/v1/models/a..b', '/v1/models/%E5%A4%A9', '/v1/models/..a'])
    assert.equal(await ask(path), 200, path)
})

test('a redirect is passed on, not followed', async (t) => {
  const { baseURL, requests } = await upstream(
    t,
    (_, response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/v1/chat/completions' }).end(),
  )
  const { url } = await proxy(t, { baseURL })
  const response = await post(url, asking, { redirect: 'manual' })
  assert.deepEqual([response.status, requests.length], [307, 1])
})

test("a server that cannot be reached, breaks off or stalls is told in words, in OpenAI's shape", async (t) => {
  const nobody = createServer()
  await new Promise((resolve) => nobody.listen(0, '127.0.0.1', resolve))
  const gone = await proxy(t, { baseURL: `http://127.0.0.1:${nobody.address().port}/v1` })
  await new Promise((resolve) => nobody.close(resolve))
  const refused = await post(gone.url, asking)
  const { error } = await refused.json()
  assert.deepEqual([refused.status, error.code, error.type], [502, 'network', 'api_error'])
  assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions cannot be reached: .*ECONNREFUSED/)

  const cut = streamOf(hermes({ city: 'Rome' }))
  const { baseURL } = await upstream(t, ({ body }, response) => {
    if (body.model === 'silent') return undefined
    if (body.model === 'hangs')
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk({ content: 'Well' }))
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write(cut.slice(0, cut.length / 2), () => response.destroy())
  })
  const { url, client } = await proxy(t, { baseURL, firstByteTimeoutMs: 150, idleTimeoutMs: 100 })
  const silent = await post(url, { ...asking, model: 'silent' })
  assert.deepEqual([silent.status, (await silent.json()).error.code], [504, 'first_byte_timeout'])
  await assert.rejects(
    client.chat.completions.stream({ ...asking, model: 'hangs' }).finalChatCompletion(),
    /sent nothing for 100 ms/,
  )
  const calm = await proxy(t, { baseURL })
  await assert.rejects(
    calm.client.chat.completions.stream(asking).finalChatCompletion(),
    /the connection to the model's server broke/,
  )
  const broken = readStream(await (await post(calm.url, { ...asking, stream: true })).text())
  assert.deepEqual([broken.calls, broken.error.code], [[], 'network'])
})

test('a whole answer may take its time, as long as it comes', async (t) => {
  const { baseURL } = await upstream(t, async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    for (const piece of wholeOf(hermes({ city: 'Rome' })).match(/[^]{1,40}/g)) {
      response.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    response.end()
  })
  const { client } = await proxy(t, { baseURL, firstByteTimeoutMs: 400 })
  assert.equal((await client.chat.completions.create(asking)).choices[0].finish_reason, 'tool_calls')
})

test('a client that goes away stops the model, before its first word and in the middle', async (t) => {
  const closed = []
  const { baseURL, requests } = await upstream(t, ({ body }, response) => {
    response.on('close', () => closed.push(body.model))
    if (body.model === 'thinks') return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const talk = setInterval(() => response.write(chunk({ content: 'and ' })), 5)
    response.on('close', () => clearInterval(talk))
  })
  const { url } = await proxy(t, { baseURL })
  for (const model of ['thinks', 'talks']) {
    const stop = new AbortController()
    const response = post(url, { ...asking, model, stream: true }, { signal: stop.signal })
    if (model === 'talks') await (await response).body.getReader().read()
    await until(() => requests.at(-1)?.body.model === model)
    assert.ok(!closed.includes(model))
    stop.abort()
    await response.catch(() => {})
    await until(() => closed.includes(model))
  }
})

test('an answer that a client does not read is not read either', async (t) => {
  let written = 0
  const { baseURL } = await upstream(t, async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const piece = chunk({ content: 'x'.repeat(64 * 1024) })
    const closed = new Promise((resolve) => response.once('close', resolve))
    while (!response.destroyed && written < 2000 * piece.length) {
      written += piece.length
      if (!response.write(piece))
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed])
    }
    response.end()
  })
  const { port } = await proxy(t, { baseURL })
  const body = JSON.stringify({ ...asking, stream: true })
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await until(() => written > 0)
  let before
  do {
    before = written
    await new Promise((resolve) => setTimeout(resolve, 150))
  } while (written !== before)
  assert.ok(written < 40_000_000, `${written} bytes were taken from the server`)
  socket.destroy()
})

test('compressed answers are read', async (t) => {
  const { baseURL } = await upstream(t, ({ body }, response) => {
    const text = body.messages[0].role === 'system' ? streamOf(hermes({ city: 'Rome' })) : '{"passed":true}'
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
  })
  const { url } = await proxy(t, { baseURL })
  assert.deepEqual(callsOf(readStream(await (await post(url, { ...asking, stream: true })).text())), [
    ['get_weather', { city: 'Rome' }],
  ])
  const passed = await post(url, { messages: asking.messages })
  assert.deepEqual([passed.headers.get('content-encoding'), await passed.json()], [null, { passed: true }])
})

test('a request that is too large is refused, and the server goes on', async (t) => {
  const { baseURL, requests } = await upstream(t, () => wholeOf('Hi'))
  const handle = openAIHandler({ baseURL })
  let read = 0
  const body = new ReadableStream(
    {
      pull(controller) {
        read++
        controller.enqueue(new Uint8Array(1024 * 1024))
      },
    },
    { highWaterMark: 0 },
  )
  const response = await handle(new Request('http://x/v1/chat/completions', { method: 'POST', body, duplex: 'half' }))
  assert.deepEqual(
    [response.status, (await response.json()).error.code, read, requests.length],
    [413, 'request_too_large', 65, 0],
  )
})

test('a listener answers what Fetch cannot ask for, and a handler that throws', async (t) => {
  const server = createServer(
    nodeListener(({ url }) => {
      if (url.endsWith('/throws')) throw new Error('out of luck')
      return new Response(
        url.endsWith('/breaks')
          ? new ReadableStream({
              pull(controller) {
                controller.error(new Error('broke'))
              },
            })
          : null,
        {
          status: 201,
          headers: [
            ['set-cookie', 'a=1'],
            ['set-cookie', 'b=2'],
            ['x-a', 'b'],
          ],
        },
      )
    }),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address()
  const response = await fetch(`http://127.0.0.1:${port}/`)
  assert.deepEqual(
    [response.status, response.headers.getSetCookie(), response.headers.get('x-a')],
    [201, ['a=1', 'b=2'], 'b'],
  )
  const thrown = await fetch(`http://127.0.0.1:${port}/throws`)
  assert.deepEqual([thrown.status, (await thrown.json()).error.message], [500, 'the server failed'])
  await assert.rejects(fetch(`http://127.0.0.1:${port}/breaks`).then((broken) => broken.text()))
  for (const head of ['TRACE / HTTP/1.1\r\nhost: x', 'GET / HTTP/1.1\r\nhost: a b']) {
    const raw = await new Promise((resolve) => {
      let text = ''
      connect(port, '127.0.0.1')
        .on('data', (piece) => {
          text += piece
        })
        .on('close', () => resolve(text))
        .write(`${head}\r\nconnection: close\r\n\r\n`)
    })
    assert.match(raw, /^HTTP\/1\.1 400 /)
  }
})

test('wrong options are refused by name', () => {
  assert.throws(() => openAIHandler({}), { code: 'option', path: 'baseURL' })
  assert.throws(() => openAIHandler({ baseURL: 'ftp://x' }), { code: 'option', path: 'baseURL' })
  assert.throws(() => openAIHandler({ baseURL: 'http://x', headers: { 'a\n': 'b' } }), {
    code: 'option',
    path: 'headers.a\n',
  })
  assert.throws(() => openAIHandler({ baseURL: 'http://x', token: '' }), { code: 'option', path: 'token' })
  assert.throws(() => openAIHandler({ baseURL: 'http://x', baseUrl: 'y' }), { code: 'option', path: 'baseUrl' })
})

test('a signal that outlives many answers keeps nothing of those that are over', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('it broke')) })
  const ends = {
    'was read': [async () => new Response('a body'), (response) => response.text()],
    'has no body': [async () => new Response(null, { status: 204 }), () => {}],
    'is not wanted': [async () => new Response('a body'), (response) => response.body.cancel()],
    'broke off': [async () => new Response(broken), (response) => response.text().catch(() => {})],
    'never came': [
      async () => {
        throw new TypeError('fetch failed')
      },
      () => {},
    ],
  }
  for (const [what, [fetch, end]] of Object.entries(ends)) {
    let own
    const send = patient({ fetch: (input, init) => ((own = init.signal), fetch(input, init)) })
    const other = new AbortController()
    const response = await send('http://127.0.0.1:9', { signal: other.signal }).catch(() => {})
    await end(response)
    other.abort(new Error('much later'))
    assert.equal(own.aborted, false, what)
  }
  const held = new AbortController()
  let own
  const response = await patient({ fetch: async (_, init) => ((own = init.signal), new Response('a body')) })(
    'http://127.0.0.1:9',
    { signal: held.signal },
  )
  held.abort(new Error('enough'))
  assert.equal(own.reason.message, 'enough', 'an answer that is being read ends with the signal')
  await response.body.cancel()
})

test('an answer that comes when nobody waits for it any more is not kept open', async () => {
  let arrive
  let cancelled
  const fetch = () =>
    new Promise(
      (resolve) =>
        (arrive = () => resolve(new Response(new ReadableStream({ cancel: (reason) => (cancelled = reason) })))),
    )
  const stop = new AbortController()
  const answer = patient({ fetch })('http://127.0.0.1:9', { signal: stop.signal })
  stop.abort(new Error('enough'))
  await assert.rejects(answer, /enough/)
  arrive()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(cancelled.message, 'enough')
})
