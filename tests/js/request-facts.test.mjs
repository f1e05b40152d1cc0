// What a run says of its requests: whom their messages come from, what the provider said, and what to do about it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine } from 'sluice'
import { callsEcho, cards, echo, stage } from './support.mjs'

test('beforeRequest gets a source for each message', async (t) => {
  const seen = []
  const beforeRequest = ({ messages, sources }) => void seen.push([messages.length, sources.join(' ')])
  const { run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }, { text: 'Done.' }],
    tools: [echo()],
    beforeRequest,
  })
  await run().done
  await run({
    mode: 'text',
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ],
  }).done
  assert.deepEqual(seen, [
    [1, 'host'],
    [3, 'host turn turn'],
    [4, 'guide host host host'],
  ])
})

test('sources stay when a request is tried again, and cannot be changed', async (t) => {
  const seen = []
  const beforeRequest = ({ sources }) => void seen.push(sources)
  const busy = { status: 503, error: 'busy', headers: { 'retry-after-ms': '1' } }
  const { run } = await stage(t, { answers: [busy, { text: 'Done.' }], beforeRequest })
  await run().done
  assert.deepEqual(seen, [['host'], ['host']])
  assert.throws(() => seen[0].push('turn'), TypeError)
})

test('words are what the provider said: of an error, of a failed try, without status, address and keys', async (t) => {
  const failures = []
  const answers = () => ({ status: 503, error: { message: 'overloaded, secret-key-of-mine-1' } })
  const retries = (failure) => (failures.push(failure), failures.length < 2 ? 1 : null)
  const { run, server } = await stage(t, { answers, retries })
  const model = { baseURL: server.baseURL, name: 'm', apiKey: 'secret-key-of-mine-1' }
  const { error } = await run({ model }).done
  assert.equal(error.words, 'overloaded, [secret]')
  assert.match(error.detail, /^HTTP 503: overloaded, \[secret\]/)
  assert.deepEqual(
    failures.map(({ words }) => words),
    ['overloaded, [secret]', 'overloaded, [secret]'],
  )
})

test('a server that said nothing has no words', async (t) => {
  const failures = []
  const { run } = await stage(t, { answers: [], retries: (failure) => (failures.push(failure), null) })
  const transport = async () => new Response(null, { status: 503 })
  const { error } = await run({ transport }).done
  assert.deepEqual([error.code, 'words' in error, 'words' in failures[0]], ['http', false, false])
})

const refused = () =>
  Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: new Error('connect ECONNREFUSED') }))

test('where nothing listens at the usual address of a server, the hint has its command', async (t) => {
  const engine = new Engine({ retries: 0, transport: refused })
  t.after(() => engine.close())
  const hintOf = async (model) =>
    (await engine.run({ model: { name: 'm', ...model }, messages: [{ role: 'user', content: 'a' }] }).done).error.hint
  const plain = 'Nothing listens at that address: start the server, or correct the address.'
  assert.equal(await hintOf({ provider: 'ollama' }), `${plain} Start it: \`ollama serve\`.`)
  assert.equal(await hintOf({ baseURL: 'http://localhost:11434/v1' }), `${plain} Start it: \`ollama serve\`.`)
  assert.equal(await hintOf({ baseURL: 'http://127.0.0.1:9/v1' }), plain)
  assert.equal(await hintOf({ baseURL: 'http://models.example:11434/v1' }), plain)
})

test('onFinal sends an answer back in the role that it names', async (t) => {
  const answers = () => ({ text: 'no' })
  for (const [role, sent] of [
    [undefined, 'user'],
    ['user', 'user'],
    ['system', 'system'],
  ]) {
    const { server, run } = await stage(t, { answers })
    let asked = 0
    await run({ onFinal: () => (asked++ === 0 ? { retry: 'Say yes.', ...(role ? { role } : {}) } : 'accept') }).done
    assert.deepEqual(server.requests[1].body.messages.at(-1), { role: sent, content: 'Say yes.' })
  }
  const { engine } = await stage(t, { answers })
  const turn = engine.turn({ checkFinal: true, request: { model: 'm', messages: [{ role: 'user', content: 'a' }] } })
  t.after(() => turn.close())
  assert.throws(() => turn.conclude({ retry: 'x', role: 'tool' }), { path: 'decision.role', message: /user \| system/ })
  assert.throws(() => turn.conclude({ replace: 'x', role: 'user' }), { path: 'decision.role' })
})

test('maxRequests counts answers, not tries, and what onFinal sends back', async (t) => {
  const busy = { status: 503, error: 'busy', headers: { 'retry-after-ms': '1' } }
  const { server, run } = await stage(t, { answers: [busy, callsEcho, { text: 'no' }, { text: 'x' }], tools: [echo()] })
  const asked = []
  const { outcome, text } = await run({
    maxRequests: 2,
    onFinal: ({ noRetry }) => void asked.push(noRetry),
  }).done
  assert.deepEqual([outcome, text, asked, server.requests.length], ['limit', 'Well, no', [true], 3])
  assert.equal(server.requests[2].body.tool_choice, 'none')
})

test('maxRequests: 1 runs no call, and the result says so', async (t) => {
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'x' }], tools: [echo()] })
  const result = await run({ maxRequests: 1 }).done
  assert.deepEqual([result.outcome, result.error.code, server.requests.length], ['limit', 'max_requests', 1])
  assert.deepEqual([cards(result)[0].status, cards(result)[0].reason], ['cancelled', 'max_requests'])
})
