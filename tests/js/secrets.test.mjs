// Keys go to the server they were given for, and into nothing that a window, a log or a saved message has.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Engine } from 'sluice'
import { collect } from './support.mjs'

const KEY = 'sk-abcdefgh1234ijklmnop'

async function listen(t, handle) {
  const requests = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    requests.push({ ...request, url: request.url, headers: request.headers, body })
    handle(request, response, requests.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { requests, port: server.address().port, origin: `http://127.0.0.1:${server.address().port}` }
}

async function run(t, model, more = {}) {
  const engine = new Engine({ retries: 0, ...more })
  t.after(() => engine.close())
  const turn = engine.run({ model: { name: 'm', ...model }, messages: [{ role: 'user', content: 'Hello' }] })
  const events = await collect(turn)
  const result = await turn.done
  return { ...result, all: JSON.stringify([events, result]) + inspect(turn, { depth: 9, showHidden: true }) }
}

test('no error tells a key, wherever it stands in the model', async (t) => {
  const closed = 'http://127.0.0.1:9'
  for (const model of [
    { baseURL: `${closed}/v1`, apiKey: KEY }, { baseURL: `${closed}/v1?api-key=${KEY}` }, { baseURL: `http://me:${KEY}@127.0.0.1:9/v1` },
  ]) {
    const { outcome, error, all } = await run(t, model)
    assert.equal(outcome, 'failed')
    assert.ok(!all.includes(KEY), error.detail)
  }
  const engine = new Engine()
  t.after(() => engine.close())
  for (const model of [{ baseURL: `127.0.0.1/${KEY}` }, { baseURL: closed, apiKey: `${KEY}\n` }, { baseURL: closed, headers: { 'api-key': `${KEY}\n` } }, { baseURL: closed, headers: { 'x-goog-api-key': `${KEY}…` } }]) {
    assert.throws(() => engine.run({ model: { name: 'm', ...model }, messages: [{ role: 'user', content: 'x' }] }), (error) => {
      assert.equal(error.code, 'option')
      assert.ok(!inspect(error, { showHidden: true }).includes(KEY), error.message)
      return true
    })
  }
})

test('what a provider says back of a key is not passed on, in an answer or in an error', async (t) => {
  for (const [status, body] of [
    [401, JSON.stringify({ error: { message: `Incorrect API key: ${KEY}` } })],
    [200, `data: ${JSON.stringify({ error: { message: `Bearer ${KEY} is not known` } })}\n\n`],
    [200, `data: ${JSON.stringify({ choices: [{ delta: { content: `Your key is ${KEY}.` }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`],
  ]) {
    const server = await listen(t, (_, response) => response.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' }).end(body))
    const { all } = await run(t, { baseURL: `${server.origin}/v1`, apiKey: KEY })
    assert.equal(server.requests[0].headers.authorization, `Bearer ${KEY}`)
    assert.ok(!all.includes(KEY), all)
    assert.ok(all.includes('[secret]'))
  }
})

test('a user in the URL is sent as it is meant', async (t) => {
  const server = await listen(t, (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'))
  const { outcome } = await run(t, { baseURL: `http://me:p%40ss@127.0.0.1:${server.port}/v1` })
  assert.equal(outcome, 'completed')
  assert.equal(server.requests[0].headers.authorization, `Basic ${btoa('me:p@ss')}`)
  assert.equal(server.requests[0].headers['accept-encoding'], 'identity')
})

test('nothing follows a redirect to another server', async (t) => {
  const other = await listen(t, (_, response) => response.end('{}'))
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await listen(t, (_, response) => response.writeHead(status, { location: `http://localhost:${other.port}/v1/chat/completions?key=${KEY}` }).end())
    const { outcome, error, all } = await run(t, { baseURL: `${server.origin}/v1`, apiKey: KEY, headers: { 'api-key': KEY } }, { retries: 2 })
    assert.equal(outcome, 'failed')
    assert.match(error.detail, new RegExp(`redirects to http://localhost:${other.port}/v1/chat/completions; .*baseURL`))
    assert.ok(!all.includes(KEY))
    assert.equal(server.requests.length, 1, 'and it is not tried again')
  }
  assert.deepEqual(other.requests, [])
})

test('a redirect of the server to itself is followed, as often as makes sense', async (t) => {
  const server = await listen(t, ({ url }, response) => {
    if (url.endsWith('/new')) response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}')
    else response.writeHead(307, { location: '/new' }).end()
  })
  const { outcome } = await run(t, { baseURL: `${server.origin}/v1`, apiKey: KEY })
  assert.equal(outcome, 'completed')
  assert.deepEqual(server.requests.map(({ body, headers }) => [JSON.parse(body).model, headers.authorization]), Array(2).fill(['m', `Bearer ${KEY}`]))
  const round = await listen(t, (_, response) => response.writeHead(308, { location: '/again' }).end())
  const { error } = await run(t, { baseURL: `${round.origin}/v1` })
  assert.match(error.detail, /in a circle/)
  assert.equal(round.requests.length, 6)
})
