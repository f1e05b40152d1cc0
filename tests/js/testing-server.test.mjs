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

test('strict: true refuses what providers only enforce; a dialect and a template have rules of their own', async (t) => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  const user = { role: 'user', content: 'x' }
  const statuses = async (options, ...asks) => {
    const server = await startScriptedServer({
      answers: () => ({ text: 'x' }),
      strict: true,
      appendOnly: false,
      ...options,
    })
    t.after(server.close)
    const all = []
    for (const [messages, more] of asks) all.push((await ask(server, messages, more)).status)
    return all
  }
  const withTools = [[user], { tools }]
  assert.deepEqual(await statuses({}, withTools), [400])
  assert.deepEqual(await statuses({ strict: 'documented' }, withTools, [[user], { tools: [] }]), [200, 400])
  assert.deepEqual(await statuses({ strict: false }, withTools, [[user], { tools: [] }]), [200, 200])
  assert.deepEqual(await statuses({ server: { dialect: 'vllm' } }, withTools), [200])
  assert.deepEqual(await statuses({}, [[user, user], {}]), [200])
  assert.deepEqual(await statuses({ server: { template: 'gemma' } }, [[user, user], {}]), [400])
})

test('half of a surrogate pair is found escaped, as bytes and in names; a pair in halves of bytes is a pair', async (t) => {
  const server = await startScriptedServer({ answers: () => ({ text: 'x' }), strict: true, appendOnly: false })
  t.after(server.close)
  const post = async (content) => {
    const [before, after] = '{"model":"m","messages":[{"role":"user","content":"?"}]}'.split('?')
    const body = Buffer.concat([Buffer.from(before), Buffer.from(content), Buffer.from(after)])
    return (await fetch(`${server.baseURL}/chat/completions`, { method: 'POST', body })).status
  }
  assert.equal(await post('\\ud83d'), 400)
  assert.equal(await post([0x61, 0xed, 0xa0, 0xbd]), 400)
  assert.equal(server.requests.at(-1).body.messages[0].content, 'a\ud83d')
  assert.equal(await post('\\ud83c\\udf89'), 200)
  assert.equal(await post([0xed, 0xa0, 0xbc, 0xed, 0xbe, 0x89]), 200)
  assert.equal(server.requests.at(-1).body.messages[0].content, '🎉')
  const named = { model: 'm', messages: [{ role: 'user', content: 'x' }], metadata: { '\udf89': 'x' } }
  assert.match(checkOpenAIChat(named, [], { strict: true }), /a name in metadata/)
})

test('thoughts in pieces: the last has the signature of the whole, which alone comes back', async (t) => {
  for (const [thoughts, read] of [
    ['reasoning_details', (piece) => [piece.text ?? '', piece.signature]],
    ['thinking_blocks', (piece) => [piece.thinking, piece.signature]],
  ]) {
    const server = await startScriptedServer({
      answers: [
        { reasoning: 'one two', calls: [{ id: 'a', name: 'f' }] },
        { reasoning: 'one two', calls: [{ id: 'b', name: 'f' }], json: true },
        { text: 'x' },
      ],
      thoughts,
      strict: true,
      appendOnly: false,
    })
    t.after(server.close)
    const pieces = [...(await ask(server)).text.matchAll(/^data: (\{.*)$/gm)]
      .flatMap(([, event]) => JSON.parse(event).choices[0]?.delta[thoughts] ?? [])
      .map(read)
    assert.deepEqual(
      pieces.slice(0, -1).map(([text, signature]) => [text, Boolean(signature)]),
      [
        ['one', false],
        [' two', false],
      ],
    )
    assert.ok(pieces.at(-1)[1])
    const { message } = JSON.parse((await ask(server)).text).choices[0]
    assert.deepEqual(message[thoughts].map(read)[0][0], 'one two')
    const user = { role: 'user', content: 'x' }
    const back = await ask(server, [user, message, { role: 'tool', tool_call_id: 'b', content: 'r' }])
    assert.equal(back.status, 200, back.text)
  }
})
