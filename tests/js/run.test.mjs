import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { Engine, SluiceError, tool } from 'sluice'
import { callsEcho, cards, collect, echo, ofType, stage } from './support.mjs'
import { until } from './until.mjs'

test('text streams, and the message and the history say the same', async (t) => {
  const { server, run } = await stage(t, {
    answers: [{ text: 'Hello there, 你好 🎉.', usage: { prompt_tokens: 3, completion_tokens: 5 } }],
  })
  const events = await collect(run({ flushMs: 0 }))
  const texts = ofType(events, 'text')
  assert.ok(texts.length > 1, 'the text came in pieces')
  assert.equal(texts.map((event) => event.text).join(''), 'Hello there, 你好 🎉.')
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => index + events[0].seq),
  )
  assert.equal(events.at(-1).type, 'done')
  assert.equal(server.requests[0].headers.authorization, 'Bearer secret')
  assert.equal(server.requests[0].body.stream, true)
})

test('a turn gives message, history, text and outcome', async (t) => {
  const { run } = await stage(t, {
    answers: [{ reasoning: 'hm', text: 'Yes.', usage: { prompt_tokens: 3, completion_tokens: 5 } }],
  })
  const { message, history, outcome, text, error } = await run().done
  assert.equal(outcome, 'completed')
  assert.equal(error, undefined)
  assert.equal(text, 'Yes.')
  assert.deepEqual(message.blocks, [
    { type: 'reasoning', round: 1, text: 'hm' },
    { type: 'text', round: 1, text: 'Yes.' },
  ])
  assert.deepEqual(message.usage, { inputTokens: 3, outputTokens: 5 })
  assert.equal(history.length, 1)
  assert.equal(history[0].content, 'Yes.')
})

test('the result is the same however the bytes are cut', async (t) => {
  for (const chunks of ['event', 'byte', 7, { seed: 5 }]) {
    const { run } = await stage(t, {
      answers: [callsEcho, { text: '完了。' }],
      server: { chunks, deltas: 3 },
      tools: [echo()],
    })
    const { message, outcome } = await run().done
    assert.equal(outcome, 'completed')
    assert.deepEqual(
      message.blocks.map((block) => block.text ?? block.output),
      ['Well, ', 'you said hi', '完了。'],
    )
  }
})

test('a tool runs and the answer goes on in the same message', async (t) => {
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [echo()] })
  const events = await collect(run())
  assert.equal(ofType(events, 'execute').length, 1)
  const [, second] = server.requests
  assert.equal(second.body.messages.length, 3)
  assert.deepEqual(second.body.messages[1].tool_calls[0].function, { name: 'echo_back', arguments: '{"text":"hi"}' })
  assert.deepEqual(second.body.messages[2], {
    role: 'tool',
    tool_call_id: 'call_a',
    content: 'you said hi',
    ...pick(second.body.messages[2], 'name'),
  })
})

const pick = (object, key) => (key in object ? { [key]: object[key] } : {})

test('a conversation goes on with the history', async (t) => {
  const { server, run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }, { text: 'Again.' }],
    tools: [echo()],
  })
  const messages = [{ role: 'user', content: 'Hello' }]
  const { history } = await run({ messages }).done
  const { outcome } = await run({ messages: [...messages, ...history, { role: 'user', content: 'More' }] }).done
  assert.equal(outcome, 'completed')
  assert.equal(server.requests.at(-1).body.messages.length, 5)
})

test('results: text as it is, other values as JSON, nothing as ok, what is thrown as a failure', async (t) => {
  const values = {
    text: () => 'plain',
    json: () => ({ a: [1, 2] }),
    nothing: () => {},
    thrown: () => {
      throw new Error('no such file')
    },
    big: () => 10n,
  }
  const told = {}
  for (const [name, execute] of Object.entries(values)) {
    const { server, run } = await stage(t, { answers: [callsEcho, { text: 'x' }], tools: [echo({ execute })] })
    const result = await run().done
    told[name] = [cards(result)[0].status, server.requests[1].body.messages[2].content]
  }
  assert.deepEqual(told.text, ['success', 'plain'])
  assert.deepEqual(told.json, ['success', '{"a":[1,2]}'])
  assert.deepEqual(told.nothing, ['success', 'ok'])
  assert.equal(told.thrown[0], 'error')
  assert.match(told.thrown[1], /no such file/)
  assert.equal(told.big[0], 'error')
})

test('flushMs groups text, the first text comes at once', async (t) => {
  const text = 'one two three four five six seven eight nine ten eleven twelve'
  const server = { deltas: 'token', delayMs: 2 }
  const grouped = await stage(t, { answers: [{ text }], server, flushMs: 500 })
  const some = ofType(await collect(grouped.run()), 'text')
  assert.equal(some[0].text, 'one')
  assert.equal(some.length, 2)
  assert.equal(some.map((event) => event.text).join(''), text)
  const single = await stage(t, { answers: [{ text }], server, flushMs: 0 })
  assert.equal(ofType(await collect(single.run()), 'text').length, 12)
})

test('flushMs groups the arguments of an answer that is nothing but a call', async (t) => {
  const answers = [
    { calls: [{ id: 'a', name: 'echo_back', arguments: { text: 'one two three four five six seven eight' } }] },
    { text: 'Done.' },
  ]
  const server = { deltas: 'token', delayMs: 2 }
  for (const [flushMs, least, most] of [
    [500, 1, 2],
    [0, 5, 100],
  ]) {
    const { run } = await stage(t, { answers: [...answers], server, flushMs, tools: [echo()] })
    const args = ofType(await collect(run()), 'args')
    assert.ok(args.length >= least && args.length <= most, `${args.length} events with ${flushMs}`)
    assert.deepEqual(JSON.parse(args.map(({ text }) => text).join('')), answers[0].calls[0].arguments)
  }
})

test('cancel in mid-stream keeps the text, closes the request, and resolves when all is quiet', async (t) => {
  const { server, run } = await stage(t, {
    answers: [{ parts: [{ text: 'Once upon a time' }, { wait: 60_000 }, { text: ' never' }] }],
  })
  const turn = run()
  const events = await collect(turn, async (event) => {
    if (event.type === 'text') await turn.cancel('enough')
  })
  const { outcome, text } = await turn.done
  assert.equal(outcome, 'cancelled')
  assert.ok('Once upon a time'.startsWith(text) && text !== '')
  assert.equal(ofType(events, 'abortRequest').length, 1)
  await until(() => server.requests[0].aborted)
})

test('cancel tells the running tool and waits for it', async (t) => {
  let stopped = false
  const execute = async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await delay(20)
    stopped = true
  }
  const { run } = await stage(t, { answers: [callsEcho], tools: [echo({ execute })] })
  const turn = run()
  await collect(turn, async (event) => {
    if (event.type !== 'execute') return
    await delay(1)
    void turn.cancel()
  })
  assert.equal((await turn.done).outcome, 'cancelled')
  await turn.cancel()
  assert.equal(stopped, true)
  assert.equal(cards(await turn.done)[0].status, 'unknown')
})

test('an AbortSignal cancels, also one that was aborted before', async (t) => {
  const { server, run } = await stage(t, { answers: [{ parts: [{ text: 'a' }, { wait: 60_000 }] }, { text: 'never' }] })
  const controller = new AbortController()
  const turn = run({ signal: controller.signal })
  await collect(turn, (event) => void (event.type === 'text' && controller.abort()))
  assert.equal((await turn.done).outcome, 'cancelled')
  const late = await run({ signal: AbortSignal.abort() }).done
  assert.equal(late.outcome, 'cancelled')
  assert.equal(server.requests.length, 1)
})

test('a tool that takes too long is aborted, and the model is told', async (t) => {
  let reason
  const execute = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve((reason = signal.reason.message))))
  const { server, run } = await stage(t, {
    answers: [callsEcho, { text: 'Pity.' }],
    tools: [echo({ execute, timeoutMs: 60 })],
  })
  const result = await run().done
  assert.equal(result.outcome, 'completed')
  assert.equal(cards(result)[0].status, 'timeout')
  assert.equal(reason, 'timeout')
  assert.equal(server.requests.length, 2)
})

test('a deadline that passes between two looks at the clock is not forgotten', async (t) => {
  const start = Date.now()
  const now = t.mock.method(Date, 'now', () => start)
  const execute = (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', resolve)
      setTimeout(() => now.mock.mockImplementation(() => start + (now.mock.callCount() === 0 ? 59 : 60)), 20)
      setTimeout(() => now.mock.resetCalls(), 20) // the answer is over: who asks next is the alarm
    })
  const { run } = await stage(t, { answers: [callsEcho, { text: 'Pity.' }], tools: [echo({ execute, timeoutMs: 60 })] })
  const result = await run({ retries: 0 }).done
  assert.equal(cards(result)[0].status, 'timeout')
})

test('a server that says nothing is given up on', async (t) => {
  const { run } = await stage(t, { answers: [{ text: 'late', delayMs: 5000 }], firstByteTimeoutMs: 80 })
  const { outcome, error } = await run({ retries: 0 }).done
  assert.equal(outcome, 'failed')
  assert.equal(error.code, 'first_byte_timeout')
})

test('progress comes out as events', async (t) => {
  const execute = async (_, { progress }) => {
    progress('half')
    return 'all'
  }
  const { run } = await stage(t, { answers: [callsEcho, { text: 'x' }], tools: [echo({ execute })] })
  const events = await collect(run())
  assert.deepEqual(
    ofType(events, 'progress').map((event) => event.text),
    ['half'],
  )
})

test('an external tool is answered by whoever reads the events', async (t) => {
  const { run } = await stage(t, {
    answers: [callsEcho, { text: 'x' }],
    tools: [echo({ execute: undefined, external: true })],
  })
  const turn = run()
  await collect(
    turn,
    (event) => event.type === 'execute' && turn.succeed(event.call, `from outside: ${event.arguments.text}`),
  )
  assert.equal(cards(await turn.done)[0].output, 'from outside: hi')
})

test('beforeRequest sees the body as it stands and may change it', async (t) => {
  const seen = []
  const { server, run } = await stage(t, {
    answers: [{ text: 'x' }],
    beforeRequest: ({ text }) => {
      seen.push(text)
      return { text: text.replace('"scripted"', '"another"') }
    },
  })
  await run().done
  assert.equal(seen.length, 1)
  assert.equal(server.requests[0].body.model, 'another')
})

test("a transport of one's own replaces fetch", async () => {
  const engine = new Engine()
  const body = 'data: {"choices":[{"index":0,"delta":{"content":"by hand"}}]}\n\ndata: [DONE]\n\n'
  const { text } = await engine.run({
    model: { baseURL: 'https://example.invalid/v1/', name: 'm' },
    messages: [{ role: 'user', content: 'x' }],
    transport: async (request) => {
      assert.equal(request.url, 'https://example.invalid/v1/chat/completions')
      return new Response(body)
    },
  }).done
  assert.equal(text, 'by hand')
  engine.close()
})

test('tools come and go between turns, a running turn keeps its own', async (t) => {
  const { server, engine, run } = await stage(t, {
    answers: [callsEcho, { text: '1' }, { text: '2' }, { text: '3' }],
    tools: [echo()],
  })
  const first = run()
  assert.equal(engine.remove('echo.back'), true)
  assert.equal(engine.remove('echo.back'), false)
  engine.add(echo(), echo({ name: 'a' }), echo({ name: 'b' }))
  assert.deepEqual(
    [engine.remove('a', 'none', 'echo.back'), engine.tools.map(({ name }) => name), engine.remove()],
    [true, ['b'], false],
  )
  engine.remove('b')
  assert.equal(cards(await first.done)[0].status, 'success')
  await run().done
  assert.equal(server.requests[2].body.tools, undefined)
  engine.add(echo(), echo({ name: 'other' }))
  await run().done
  assert.deepEqual(
    server.requests[3].body.tools.map((tool) => tool.function.name),
    ['echo_back', 'other'],
  )
})

test('a user-mediated loop ends with its calls open, and the next turn adopts them', async (t) => {
  const { server, run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [echo()],
    loop: 'user_mediated',
  })
  const messages = [{ role: 'user', content: 'Hello' }]
  const asked = await run({ messages }).done
  assert.equal(asked.outcome, 'awaiting_user')
  assert.equal(cards(asked)[0].status, 'pending')
  const turn = run({ messages: [...messages, ...asked.history] })
  await collect(turn, (event) => event.type === 'approval' && turn.approve(event.call))
  const { outcome, text } = await turn.done
  assert.equal(outcome, 'completed')
  assert.equal(text, 'Done.')
  assert.equal(server.requests[1].body.messages.at(-1).content, 'you said hi')
})

test('adopted calls that nobody sees are not waited for', async (t) => {
  const { run } = await stage(t, { answers: [callsEcho, { text: 'Pity.' }], tools: [echo()], loop: 'user_mediated' })
  const messages = [{ role: 'user', content: 'Hello' }]
  const asked = await run({ messages }).done
  const result = await run({ messages: [...messages, ...asked.history] }).done
  assert.equal(cards(result)[0].status, 'denied')
})

test('wrong configuration says where and what was expected', async (t) => {
  const { engine, run } = await stage(t, { answers: [] })
  assert.throws(
    () => new Engine({ tools: [echo({ permission: 'everyone' })] }),
    (error) => {
      assert.ok(error instanceof SluiceError)
      assert.equal(error.code, 'option')
      assert.match(error.path, /^tools\[0\]\.permission/)
      return true
    },
  )
  assert.throws(() => new Engine({ maxRound: 3 }), {
    code: 'option',
    path: 'maxRound',
    hint: 'did you mean maxRounds?',
  })
  const plain = { name: 'echo', execute: () => '' }
  assert.throws(() => new Engine({ tools: [plain] }), {
    code: 'option',
    path: 'tools[0]',
    message: /expected what tool\(/,
  })
  assert.throws(() => new Engine({ tools: { echo: echo() } }), { code: 'option', path: 'tools' })
  assert.throws(() => engine.add([echo()]), { code: 'option', path: 'tools[0]' })
  assert.throws(() => run({ mode: 'loud' }), { code: 'option', path: 'mode' })
  assert.throws(() => run({ model: { name: 'm', baseURL: 'localhost' } }), { code: 'option', path: 'model.baseURL' })
  assert.throws(() => run({ messages: 'hi' }), { code: 'option', path: 'messages' })
  assert.throws(() => engine.add(echo({ parameters: { type: 7 } })), {
    code: 'option',
    path: /^tools\[0\]\.parameters/,
  })
  assert.deepEqual(engine.tools, [])
  engine.close()
  assert.throws(() => run(), { code: 'closed' })
})

test('describe shows what is exposed and why the rest is not', () => {
  const engine = new Engine({ tools: [echo(), tool({ name: 'hidden', parameters: { type: 'object' } })], mode: 'text' })
  const { tools, prompt } = engine.describe()
  assert.deepEqual(
    tools.map(({ name, exposed, reason }) => [name, exposed, reason]),
    [
      ['echo.back', true, undefined],
      ['hidden', false, 'not_callable'],
    ],
  )
  assert.match(prompt, /echo\.back/)
  assert.doesNotMatch(prompt, /hidden/)
  engine.close()
})

test("progress that comes after the tool returned is nobody's fault", async (t) => {
  const late = echo({
    execute: (_, context) => {
      setTimeout(() => context.progress('late'), 5)
      return 'ok'
    },
  })
  const { run } = await stage(t, { answers: [callsEcho, { parts: [{ wait: 40 }, { text: 'Done.' }] }], tools: [late] })
  assert.equal((await run().done).text.endsWith('Done.'), true)
})

test('an AbortController in place of its signal is refused before anything is sent', async (t) => {
  const { server, run } = await stage(t, { answers: [{ text: 'x' }] })
  assert.throws(() => run({ signal: new AbortController() }), { code: 'option', path: 'signal' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(server.requests.length, 0)
})

test('an answer that a transport brings after the run was cancelled is not kept open', async (t) => {
  const { run } = await stage(t, { answers: [] })
  let arrive
  let cancelled = 0
  const turn = run({
    transport: () =>
      new Promise(
        (resolve) => (arrive = () => resolve(new Response(new ReadableStream({ cancel: () => void cancelled++ })))),
      ),
  })
  while (!arrive) await new Promise((resolve) => setImmediate(resolve))
  await turn.cancel()
  arrive()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(cancelled, 1)
})

test('cancel is quiet also where a transport ignores its signal', async (t) => {
  const { run } = await stage(t, { answers: [] })
  const turn = run({ transport: () => new Promise(() => {}) })
  await turn.cancel()
  assert.equal((await turn.done).outcome, 'cancelled')
})

test('a hook of the host that throws is told once, not asked again', async (t) => {
  const { run } = await stage(t, { answers: [] })
  let calls = 0
  const { outcome, error } = await run({
    beforeRequest: () => {
      calls++
      throw new Error('no token')
    },
  }).done
  assert.deepEqual(
    [outcome, error.code, error.detail, error.retryable, calls],
    ['failed', 'hook', 'beforeRequest threw: no token', false, 1],
  )
})

test('an API key that no header can carry is refused, and not shown', async (t) => {
  const engine = new Engine()
  t.after(() => engine.close())
  const model = { baseURL: 'http://127.0.0.1:9/v1', name: 'm', apiKey: 'secret\nkey' }
  assert.throws(
    () => engine.run({ model, messages: [] }),
    (error) => error.path === 'model.apiKey' && !error.message.includes('secret'),
  )
})
