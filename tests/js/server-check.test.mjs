// Whether a server can be used, step by step, against servers with real faults.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { checkServer, listModels, SluiceError } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { holdWaits } from './support.mjs'

const key = 'sk-quite-secret-0123456789'

async function checked(endpoint, options) {
  const steps = []
  for await (const step of checkServer(endpoint, options)) steps.push(step)
  for (const { ok, says, hint, ms } of steps) {
    assert.ok(Number.isInteger(ms) && ms >= 0)
    assert.ok(says.en && says.zh, 'in both languages')
    assert.equal(hint !== undefined, !ok, 'one thing to do where it does not work')
  }
  assert.doesNotMatch(JSON.stringify(steps), new RegExp(key))
  return steps
}
const brief = (steps) => steps.map(({ step, ok }) => `${ok ? '+' : '-'}${step}`).join(' ')
const said = (steps) => [steps.at(-1).says.en, steps.at(-1).hint?.en ?? steps.at(-1).hint]

/** Answers as a model that can all of it would. */
const able = ({ body }) => {
  const text = JSON.stringify(body)
  if (/image|inline_?data|picture/i.test(text)) return { text: 'Red.' }
  return /Call the tool note/.test(text) && !/noted/.test(text)
    ? { calls: [{ name: 'note', arguments: { text: 'ready' } }] }
    : { text: 'ready' }
}
async function scripted(t, options) {
  const server = await startScriptedServer({ answers: able, ...options })
  t.after(server.close)
  return server
}
async function http(t, handle) {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => (server.closeAllConnections(), server.close()))
  return `http://127.0.0.1:${server.address().port}`
}
const json = (response, status, value) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

for (const wire of ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'gemini-interactions', 'ollama']) {
  test(`${wire}: models are listed, and a server that can all of it passes every step`, async (t) => {
    const server = await scripted(t, { models: ['a', 'm:8b'] })
    const at = { wire, baseURL: server.baseURLs[wire], apiKey: key }
    assert.deepEqual(await listModels(at), ['a', 'm:8b'])
    const steps = await checked({ ...at, name: 'm:8b' })
    assert.equal(brief(steps), '+reach +key +model +stream +tools +pictures', JSON.stringify(steps))
    assert.equal(server.requests.length, 3, 'three short answers')
  })
}

test('a server that lists no models is asked for an answer', async (t) => {
  const server = await scripted(t)
  const steps = await checked({ baseURL: server.baseURL, name: 'm' })
  assert.equal(brief(steps), '+reach +key +model +stream +tools +pictures')
  assert.match(steps[1].says.en, /No key is needed/)
  await assert.rejects(
    listModels({ baseURL: server.baseURL }),
    (error) => error instanceof SluiceError && error.code === 'failed' && /HTTP 404/.test(error.detail),
  )
})

test('nobody there: the address, and how to start it', async () => {
  const server = await startScriptedServer({ answers: [] })
  await server.close()
  const steps = await checked({ provider: 'ollama', baseURL: server.url, name: 'm' })
  assert.equal(brief(steps), '-reach')
  assert.match(said(steps)[0], /Nothing answers at http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/)
  assert.match(said(steps)[1], /ollama serve/)
  assert.match(said(await checked({ baseURL: server.url, name: 'm' }))[1], /Check the address/)
  await assert.rejects(listModels({ baseURL: server.url }), /ECONNREFUSED/)
})

test('a key that is refused, with the words of the server but without the key', async (t) => {
  for (const [status, message] of [
    [401, `Incorrect API key provided: ${key}`],
    [403, `you are not allowed with ${key}`],
    [400, `API key not valid: ${encodeURIComponent(key)}`],
  ]) {
    const url = await http(t, (_, response) => json(response, status, { error: { message } }))
    const steps = await checked({ provider: 'qwen', baseURL: `${url}/v1`, name: 'm', apiKey: key })
    assert.equal(brief(steps), '+reach -key', message)
    assert.match(said(steps)[1], /region/)
    await assert.rejects(
      listModels({ baseURL: `${url}/v1`, apiKey: key }),
      (error) => !error.message.includes(key) && /HTTP 4/.test(error.message),
    )
  }
  const open = await http(t, (request, response) =>
    request.method === 'GET'
      ? json(response, 200, { data: [{ id: 'm' }] })
      : json(response, 401, { error: { message: 'No cookie auth credentials found' } }),
  )
  const steps = await checked({ baseURL: open, name: 'm' })
  assert.equal(brief(steps), '+reach -key', 'a list for everybody says nothing of the key')
  assert.match(said(steps)[0], /wants a key, and there is none/)
})

test('no credit is told as such', async (t) => {
  const url = await http(t, (request, response) =>
    request.method === 'GET'
      ? json(response, 200, { data: [{ id: 'm' }] })
      : json(response, 429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }),
  )
  const steps = await checked({ baseURL: url, name: 'm', apiKey: key })
  assert.equal(brief(steps), '+reach -key')
  assert.match(said(steps)[1], /billing/)
})

test('an address of something else: a web page, a path that is not there', async (t) => {
  const page = await http(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title><p>Hi'),
  )
  assert.equal(brief(await checked({ baseURL: page, name: 'm' })), '-reach')
  assert.match(said(await checked({ baseURL: page, name: 'm' }))[0], /A web page answers/)
  assert.equal(brief(await checked({ baseURL: page })), '-reach')
  await assert.rejects(listModels({ baseURL: page }), /a web page/)
  const none = await http(t, (_, response) => json(response, 404, { error: 'not found' }))
  const steps = await checked({ baseURL: none, name: 'm' })
  assert.equal(brief(steps), '-reach')
  assert.match(said(steps).join(), /nothing at .*HTTP 404.*\/v1/s)
})

test('no model yet, none chosen, one that is not there', async (t) => {
  const empty = await scripted(t, { models: [] })
  const none = await checked({ provider: 'ollama', baseURL: empty.url, name: 'm' })
  assert.equal(brief(none), '+reach +key -model')
  assert.deepEqual(said(none), ['Ollama answers, but has no model yet.', 'Get one: `ollama pull qwen3:8b`.'])
  const { baseURL } = await scripted(t, {
    models: ['qwen3-8b', 'llama'],
    answers: () => ({ status: 404, error: "The model 'qwen3' does not exist" }),
  })
  const open = await checked({ baseURL })
  assert.equal(brief(open), '+reach +key -model')
  assert.match(said(open)[1], /such as qwen3-8b/)
  const gone = await checked({ baseURL, name: 'qwen3' })
  assert.equal(brief(gone), '+reach +key -model')
  assert.match(said(gone)[0], /does not have qwen3: HTTP 404/)
  assert.equal(said(gone)[1], 'Choose another one, such as qwen3-8b.')
})

test('a model without tools, one that writes calls its own way, one that calls nothing', async (t) => {
  for (const [answer, hint] of [
    [{ status: 400, error: 'm does not support tools' }, /mode 'text'/],
    [{ text: '<tool_call>\n{"name": "note", "arguments": {"text": "ready"}}\n</tool_call>' }, /protocol 'hermes'/],
    [{ text: 'I would rather not.' }, /mode 'text', or a larger model/],
    [{ calls: [{ name: 'note', arguments: { text: 7 } }] }, /larger model/],
  ]) {
    let asked = 0
    const { baseURL } = await scripted(t, {
      answers: (request) => (request.body.tools ? (asked++ ? { text: '' } : answer) : able(request)),
    })
    const steps = await checked({ baseURL, name: 'm' })
    assert.equal(brief(steps), '+reach +key +model +stream -tools +pictures', JSON.stringify(answer))
    assert.match(steps[4].hint.en, hint)
  }
})

test('a model without pictures, and one that does not look', async (t) => {
  for (const [answer, says] of [
    [{ status: 400, error: 'image input is not supported' }, /takes no pictures: .*image input/],
    [{ text: 'Blue' }, /did not see that it is red/],
  ]) {
    const { baseURL } = await scripted(t, {
      answers: (request) => (/image_url/.test(request.text) ? answer : able(request)),
    })
    const steps = await checked({ baseURL, name: 'm' })
    assert.equal(brief(steps), '+reach +key +model +stream +tools -pictures')
    assert.match(said(steps)[0], says)
  }
})

test('an answer in one piece, one without a word, one that is refused', async (t) => {
  const { baseURL } = await scripted(t, { answers: (request) => ({ ...able(request), json: true }) })
  const whole = await checked({ baseURL, name: 'm' })
  assert.equal(brief(whole), '+reach +key +model -stream +tools +pictures', 'it can be used all the same')
  assert.match(whole[3].hint.en, /stream: true/)
  const silent = await scripted(t, { answers: () => ({ text: '' }) })
  assert.equal(brief(await checked({ baseURL: silent.baseURL, name: 'm' })), '+reach +key +model -stream')
  const busy = await scripted(t, { answers: () => ({ status: 503, error: 'overloaded' }) })
  const steps = await checked({ baseURL: busy.baseURL, name: 'm' })
  assert.equal(brief(steps), '+reach +key -stream')
  assert.match(said(steps)[0], /overloaded/)
})

test('a slow server and a slow model are told, in time', async (t) => {
  // Time is the test's own: it passes once a request is there that nobody answers, however busy the machine is.
  const pass = holdWaits(t, 300)
  const silence = () => setImmediate(pass)
  const mute = await http(t, silence)
  const steps = await checked({ baseURL: mute, name: 'm' }, { timeoutMs: 300 })
  assert.equal(brief(steps), '-reach')
  assert.match(said(steps)[0], /^No answer .* within 0\.3 s/)
  await assert.rejects(listModels({ baseURL: mute }, { timeoutMs: 300 }), /no answer within 0\.3 s/)
  const slow = await http(t, (request, response) =>
    request.method === 'GET' ? json(response, 200, { data: [{ id: 'm' }] }) : silence(),
  )
  const late = await checked({ baseURL: slow, name: 'm' }, { timeoutMs: 300 })
  assert.equal(brief(late), '+reach +key -stream')
  assert.match(said(late)[0], /said nothing within 0\.3 s/)
})

test('a model that talks without an end does neither what it was asked for, and nobody waits for the rest', async (t) => {
  let asked = 0
  const baseURL = await http(t, async (request, response) => {
    if (request.method === 'GET') return json(response, 200, { data: [{ id: 'm' }] })
    const piece = (text) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.on('error', () => {})
    if (asked++ === 0) return response.end(`${piece('ready')}data: [DONE]\n\n`)
    while (!response.destroyed)
      response.write(piece('and so on '.repeat(10))) || (await new Promise((resolve) => setTimeout(resolve, 1)))
  })
  const steps = await checked({ baseURL, name: 'm' }, { timeoutMs: 600_000 }) // longer than a test may take
  assert.equal(brief(steps), '+reach +key +model +stream -tools -pictures')
  assert.deepEqual(
    steps.slice(4).map(({ says }) => says.en),
    [
      'It was asked to call a tool, and did not do so properly.',
      'It took a red picture, and did not see that it is red.',
    ],
  )
})

test('a signal ends it, and what is described wrongly is told', async (t) => {
  const mute = await http(t, () => {})
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('left')), 50)
  await assert.rejects(checked({ baseURL: mute, name: 'm' }, { signal: stop.signal }), /left/)
  await assert.rejects(listModels({ baseURL: mute }, { signal: stop.signal }), /left/)
  await assert.rejects(checked({ name: 'm' }), (error) => error.code === 'option')
  await assert.rejects(
    listModels({ baseURL: 'nowhere' }),
    (error) => error.code === 'option' && error.path === 'server.baseURL',
  )
  await assert.rejects(checked({ baseURL: mute, name: 'm' }, { timeoutMS: 1 }), (error) => error.path === 'timeoutMS')
})

test('a list of models may be anything: it neither breaks nor grows', async (t) => {
  let value
  const url = await http(t, (_, response) => response.end(typeof value === 'string' ? value : JSON.stringify(value)))
  for (const [given, wanted] of [
    [
      [{ id: 'a' }, { id: 'a' }, { name: 'b' }, { id: 7 }, null, 'c', { id: '' }, { id: 'x'.repeat(300) }],
      ['a', 'b'],
    ],
    [{ data: [] }, []],
    [{ models: [{ model: 'z' }] }, ['z']],
  ]) {
    value = given
    assert.deepEqual(await listModels({ baseURL: url }), wanted)
  }
  for (const bad of ['nope', '7', '{"data": 3}', '[', '"x"', '{}']) {
    value = bad
    await assert.rejects(listModels({ baseURL: url }), /another document/)
  }
})
