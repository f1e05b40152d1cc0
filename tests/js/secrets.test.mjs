// Keys go to the server they were given for, and into nothing that a window, a log or a saved message has.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { checkServer, Engine, listModels } from 'sluice'
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
    { baseURL: `${closed}/v1`, apiKey: KEY },
    { baseURL: `${closed}/v1?api-key=${KEY}` },
    { baseURL: `http://me:${KEY}@127.0.0.1:9/v1` },
  ]) {
    const { outcome, error, all } = await run(t, model)
    assert.equal(outcome, 'failed')
    assert.ok(!all.includes(KEY), error.detail)
  }
  const engine = new Engine()
  t.after(() => engine.close())
  for (const model of [
    { baseURL: `127.0.0.1/${KEY}` },
    { baseURL: closed, apiKey: `${KEY}\n` },
    { baseURL: closed, headers: { 'api-key': `${KEY}\n` } },
    { baseURL: closed, headers: { 'x-goog-api-key': `${KEY}…` } },
  ]) {
    assert.throws(
      () => engine.run({ model: { name: 'm', ...model }, messages: [{ role: 'user', content: 'x' }] }),
      (error) => {
        assert.equal(error.code, 'option')
        assert.ok(!inspect(error, { showHidden: true }).includes(KEY), error.message)
        return true
      },
    )
  }
})

test('what a provider says back of a key is not passed on, in an answer or in an error', async (t) => {
  for (const [status, body] of [
    [401, JSON.stringify({ error: { message: `Incorrect API key: ${KEY}` } })],
    [200, `data: ${JSON.stringify({ error: { message: `Bearer ${KEY} is not known` } })}\n\n`],
    [
      200,
      `data: ${JSON.stringify({ choices: [{ delta: { content: `Your key is ${KEY}.` }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    ],
  ]) {
    const server = await listen(t, (_, response) =>
      response
        .writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' })
        .end(body),
    )
    const { all } = await run(t, { baseURL: `${server.origin}/v1`, apiKey: KEY })
    assert.equal(server.requests[0].headers.authorization, `Bearer ${KEY}`)
    assert.ok(!all.includes(KEY), all)
    assert.ok(all.includes('[secret]'))
  }
})

test('a user in the URL is sent as it is meant', async (t) => {
  const server = await listen(t, (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'),
  )
  const { outcome } = await run(t, { baseURL: `http://me:p%40ss@127.0.0.1:${server.port}/v1` })
  assert.equal(outcome, 'completed')
  assert.equal(server.requests[0].headers.authorization, `Basic ${btoa('me:p@ss')}`)
  assert.equal(server.requests[0].headers['accept-encoding'], 'identity')
})

test('nothing follows a redirect to another server', async (t) => {
  const other = await listen(t, (_, response) => response.end('{}'))
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await listen(t, (_, response) =>
      response.writeHead(status, { location: `http://localhost:${other.port}/v1/chat/completions?key=${KEY}` }).end(),
    )
    const { outcome, error, all } = await run(
      t,
      { baseURL: `${server.origin}/v1`, apiKey: KEY, headers: { 'api-key': KEY } },
      { retries: 2 },
    )
    assert.equal(outcome, 'failed')
    assert.match(error.detail, new RegExp(`redirects to http://localhost:${other.port}/v1/chat/completions; .*baseURL`))
    assert.ok(!all.includes(KEY))
    assert.equal(server.requests.length, 1, 'and it is not tried again')
  }
  assert.deepEqual(other.requests, [])
})

test('a redirect of the server to itself is followed, as often as makes sense', async (t) => {
  const server = await listen(t, ({ url }, response) => {
    if (url.endsWith('/new'))
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}')
    else response.writeHead(307, { location: '/new' }).end()
  })
  const { outcome } = await run(t, { baseURL: `${server.origin}/v1`, apiKey: KEY })
  assert.equal(outcome, 'completed')
  assert.deepEqual(
    server.requests.map(({ body, headers }) => [JSON.parse(body).model, headers.authorization]),
    Array(2).fill(['m', `Bearer ${KEY}`]),
  )
  const round = await listen(t, (_, response) => response.writeHead(308, { location: '/again' }).end())
  const { error } = await run(t, { baseURL: `${round.origin}/v1` })
  assert.match(error.detail, /in a circle/)
  assert.equal(round.requests.length, 6)
})

/**
 * Of a key, what a server may repeat. `~~?` and `>` are characters whose base64 has `+` and `/`; it is given with its
 * scheme.
 */
const ODD = 'sk-%3F~~?~?>>?>secret-0123456789'
const base64 = (text) => Buffer.from(text).toString('base64')
const spellings = {
  'as it is': `Bearer ${ODD}`,
  decoded: decodeURIComponent(ODD),
  'without its scheme': ODD,
  'in base64': base64(ODD),
  'in base64url': Buffer.from(ODD).toString('base64url'),
  'in base64, with its scheme': base64(`Bearer ${ODD}`),
}
const forbidden = [...new Set(Object.values(spellings).map((text) => text.replace(/=+$/, '')))]

const chunk = (value) => `data: ${JSON.stringify(value)}\n\n`
const stream = { 'content-type': 'text/event-stream' }
const said = chunk({ choices: [{ delta: { content: 'Hi' }, finish_reason: 'stop' }] })
const wrong = (status, message) => (response, text) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message: message(text) } }))
/** One place of a response each. */
const placesOfText = {
  'the body of a 401': wrong(401, (text) => `Incorrect API key: ${text}`),
  'the body of a 500, which is tried again': wrong(500, (text) => `no upstream for ${text}`),
  'the body of a 429': wrong(429, (text) => `quota of ${text} exceeded`),
  'a page': (response, text) =>
    response
      .writeHead(502, { 'content-type': 'text/html' })
      .end(`<html><title>${text}</title><body>${text}</body></html>`),
  'plain text': (response, text) => response.writeHead(400, { 'content-type': 'text/plain' }).end(text),
  'another member of the error': (response, text) =>
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: 'no', code: text, type: text, param: text }, request_id: text })),
  'the status text': (response, text) => response.writeHead(503, text).end(),
  'the status text of an answer': (response, text) =>
    response.writeHead(200, text, stream).end(`${said}data: [DONE]\n\n`),
  ...Object.fromEntries(
    [
      'x-request-id',
      'request-id',
      'x-amzn-requestid',
      'cf-ray',
      'retry-after',
      'server',
      'www-authenticate',
      'x-ratelimit-reset',
      'content-type',
    ].flatMap((name) => [
      [
        `the header ${name} of an error`,
        (response, text) => response.writeHead(500, { 'content-type': 'application/json', [name]: text }).end('{}'),
      ],
      [
        `the header ${name} of an answer`,
        (response, text) =>
          response.writeHead(200, { ...stream, [name]: text }).end(chunk({ error: { message: 'bad' } })),
      ],
    ]),
  ),
  'where a redirect goes': (response, text) =>
    response
      .writeHead(307, { location: `http://localhost:9/${encodeURI(text)}?key=${encodeURIComponent(text)}` })
      .end(),
  'where a redirect goes, as it is': (response, text) =>
    response.writeHead(307, { location: `http://localhost:9/v1/${text}` }).end(),
  'where a redirect goes that is no address': (response, text) =>
    response.writeHead(307, { location: `http://[${text}` }).end(),
  'an error in a stream': (response, text) =>
    response
      .writeHead(200, stream)
      .end(`event: error\n${chunk({ error: { message: `${text} is over its limit`, code: text } })}`),
  'the name of an event': (response, text) => response.writeHead(200, stream).end(`event: ${text}\ndata: {}\n\n`),
  'a line that is no JSON': (response, text) => response.writeHead(200, stream).end(`data: ${text}\n\n`),
  'text behind the end': (response, text) => response.writeHead(200, stream).end(`${said}data: [DONE]\n\n${text}`),
  'a comment': (response, text) => response.writeHead(200, stream).end(`: ${text}\n\n${said}`),
  'the text of an answer': (response, text) =>
    response
      .writeHead(200, stream)
      .end(
        `${chunk({ choices: [{ delta: { content: `Your key is ${text}.` }, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
      ),
  'the reason of an end': (response, text) =>
    response
      .writeHead(200, stream)
      .end(`${chunk({ choices: [{ delta: { content: 'Hi' }, finish_reason: text }] })}data: [DONE]\n\n`),
  'a whole answer that is none': (response, text) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ detail: text })),
}

/** What is said while `act` runs: its value, its error, and the warnings of the process. */
async function heard(act) {
  const all = []
  const listen = (warning) => all.push(inspect(warning))
  process.on('warning', listen)
  try {
    all.push(await act())
  } catch (error) {
    all.push(inspect(error, { showHidden: true, depth: 9 }), error.message, JSON.stringify(error))
  }
  await new Promise(setImmediate)
  process.off('warning', listen)
  return all
    .map((one) => (typeof one === 'string' ? one : inspect(one, { depth: 12, maxStringLength: Infinity })))
    .join('\n')
}

const waysToAsk = {
  'a run': async (model) => {
    const engine = new Engine({ retries: () => null })
    const turn = engine.run({ model, messages: [{ role: 'user', content: 'Hello' }] })
    const events = await collect(turn)
    const result = await turn.done
    engine.close()
    return JSON.stringify([events, result]) + inspect(result, { depth: 12 })
  },
  'a run that is tried again': async (model) => {
    const failures = []
    const engine = new Engine({
      retries: (failure) => {
        failures.push(failure)
        return failures.length < 2 ? 0 : null
      },
    })
    const turn = engine.run({ model, messages: [{ role: 'user', content: 'Hello' }] })
    const events = await collect(turn)
    const result = await turn.done
    engine.close()
    return JSON.stringify([failures, events, result])
  },
  models: async ({ name: _, ...server }) => await listModels(server),
  checkServer: async (model) => {
    const told = []
    for await (const check of checkServer(model)) told.push(check)
    return JSON.stringify(told)
  },
}

for (const [way, ask] of Object.entries(waysToAsk)) {
  test(`a key that a server puts into any place of its response comes out nowhere: ${way}`, {
    timeout: 120_000,
  }, async (t) => {
    let answer
    const server = await listen(t, (_, response) => answer(response))
    let hidden = 0
    for (const [place, tell] of Object.entries(placesOfText)) {
      for (const [how, text] of Object.entries(spellings)) {
        answer = (response) => tell(response, text)
        const all = await heard(() =>
          ask({ baseURL: `${server.origin}/v1`, name: 'm', headers: { authorization: `Bearer ${ODD}` } }),
        )
        for (const one of forbidden) assert.ok(!all.includes(one), `${place}, ${how}: ${all}`)
        if (all.includes('[secret]')) hidden++
      }
    }
    assert.ok(hidden > 20, `${hidden} were hidden`)
  })
}
