import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOpenAIChat, startScriptedServer } from 'sluice/testing'

async function ask(server, messages = [{ role: 'user', content: 'x' }], more = {}) {
  const body = JSON.stringify({ model: 'm', messages, stream: true, ...more })
  const response = await fetch(`${server.baseURL}/chat/completions`, { method: 'POST', body })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

test('an answer is a stream of chunks that ends with [DONE]', async (t) => {
  const server = await startScriptedServer({
    answers: [
      {
        text: 'one two',
        calls: [{ id: 'c', name: 'f', arguments: { a: 1 } }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      },
    ],
  })
  t.after(server.close)
  const { status, type, text } = await ask(server)
  assert.equal(status, 200)
  assert.match(type, /event-stream/)
  const events = text
    .split('\n\n')
    .filter(Boolean)
    .map((event) => event.replace(/^data: /, ''))
  assert.equal(events.pop(), '[DONE]')
  const chunks = events.map((event) => JSON.parse(event))
  const deltas = chunks.flatMap((chunk) => chunk.choices).map((choice) => choice.delta)
  assert.equal(deltas.map((delta) => delta.content ?? '').join(''), 'one two')
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? [])
  assert.equal(calls[0].function.name, 'f')
  assert.equal(calls.map((call) => call.function.arguments).join(''), '{"a":1}')
  assert.deepEqual(chunks.at(-1).usage, { prompt_tokens: 1, completion_tokens: 2 })
  assert.equal(chunks.at(-2).choices[0].finish_reason, 'tool_calls')
})

test('the bytes are the same however they are cut', async (t) => {
  const answer = { reasoning: 'hm', text: 'größe 你好 🎉', finish: 'length', done: false }
  const texts = []
  for (const chunks of ['event', 'byte', 5, { seed: 1 }, { seed: 2, max: 3 }]) {
    const server = await startScriptedServer({ answers: [answer], chunks, deltas: 2 })
    t.after(server.close)
    texts.push((await ask(server)).text)
  }
  assert.equal(new Set(texts).size, 1)
})

test('raw bytes, errors, one JSON body, and the end of the script', async (t) => {
  const server = await startScriptedServer({
    answers: [
      { parts: [{ raw: ': hello\n\n' }], finish: null, done: false },
      { status: 429, error: 'slow down', headers: { 'retry-after': '1' } },
      { json: true, text: 'whole', calls: [{ name: 'f', arguments: '{"cut' }] },
    ],
  })
  t.after(server.close)
  assert.match((await ask(server)).text, /: hello\n\n$/)
  const refused = await ask(server)
  assert.equal(refused.status, 429)
  assert.equal(JSON.parse(refused.text).error.message, 'slow down')
  const whole = JSON.parse((await ask(server)).text)
  assert.equal(whole.choices[0].message.content, 'whole')
  assert.equal(whole.choices[0].message.tool_calls[0].function.arguments, '{"cut')
  assert.match((await ask(server)).text, /no answer for request 4/)
  assert.equal(server.requests.length, 4)
})

test('a request that a strict provider would refuse gets a 400 that says why', async (t) => {
  const server = await startScriptedServer({ answers: () => ({ text: 'x' }) })
  t.after(server.close)
  const { status, text } = await ask(server, [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'user', content: 'y' },
  ])
  assert.equal(status, 400)
  assert.match(JSON.parse(text).error.message, /messages\[2\].*missing: a/)
})

test('the order of messages is checked as strict providers do', () => {
  const user = { role: 'user', content: 'x' }
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const calling = { role: 'assistant', content: null, tool_calls: [call] }
  const result = { role: 'tool', tool_call_id: 'a', content: 'r' }
  const check = (...messages) => checkOpenAIChat({ model: 'm', messages })
  assert.equal(check(user), null)
  assert.equal(check(user, calling, result), null)
  assert.match(check(), /non-empty/)
  assert.match(check(user, calling), /no tool message for a/)
  assert.match(check(user, result), /answers no call/)
  assert.match(check(user, calling, result, result), /answers no call/)
  assert.match(check(user, { role: 'assistant', content: 'x' }), /last message is of role assistant/)
  assert.match(check(user, { role: 'assistant', content: '' }, user), /needs content or tool_calls/)
  assert.match(check({ ...user, metadata: {} }), /unknown member 'metadata'/)
  assert.match(check(user, { ...calling, tool_calls: [call, call] }, result), /stands twice/)
  assert.match(
    check(user, { ...calling, tool_calls: [{ ...call, function: { name: 'a.b', arguments: '{}' } }] }, result),
    /does not match/,
  )
  assert.match(
    check(user, { ...calling, tool_calls: [{ ...call, function: { name: 'f', arguments: '{"x' } }] }, result),
    /no JSON/,
  )
  assert.match(checkOpenAIChat({ model: 'm', messages: [user], tools: [] }), /non-empty/)
  assert.match(
    checkOpenAIChat({ model: 'm', messages: [user], tools: [{ function: { name: 'a.b' } }] }),
    /does not match/,
  )
})
