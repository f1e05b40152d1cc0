// How a run is brought to its end: cancel, deadlines, signals, and servers that leave the connection open behind an
// error.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Engine } from 'sluice'
import { echo, stage } from './support.mjs'

const calls = { calls: [{ id: 'a', name: 'echo_back', arguments: { text: 'x' } }] }
const never = () => new Promise(() => {})
const soon = (promise, ms = 20_000) => Promise.race([promise, setTimeout(ms, 'it hangs', { ref: false })])

test('cancel resolves where a tool takes no notice, and says which', async (t) => {
  const { run } = await stage(t, { answers: () => calls, tools: [echo({ execute: never, timeoutMs: 60_000 })] })
  const turn = run()
  for await (const event of turn) if (event.type === 'execute') break
  await setTimeout(20)
  const start = performance.now()
  assert.deepEqual(await soon(turn.cancel('enough', { graceMs: 100 })), {
    stillRunning: [{ call: 1, name: 'echo.back' }],
  })
  assert.ok(performance.now() - start > 50, 'it waited for the tool')
  assert.equal((await turn.done).reason, 'enough')
  assert.deepEqual(
    await soon(turn.cancel(undefined, { graceMs: 10 })),
    { stillRunning: [{ call: 1, name: 'echo.back' }] },
    'after the end too',
  )
})

test('cancel waits for a tool that cleans up', async (t) => {
  const { run } = await stage(t, {
    answers: () => calls,
    tools: [
      echo({
        execute: (_, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => void setTimeout(50).then(resolve))),
      }),
    ],
  })
  const turn = run()
  for await (const event of turn) if (event.type === 'execute') break
  await setTimeout(20)
  assert.deepEqual(await soon(turn.cancel()), { stillRunning: [] })
})

test('a tool may cancel its own run and wait for that', async (t) => {
  let turn
  const { run } = await stage(t, {
    answers: () => calls,
    tools: [
      echo({
        execute: async () => {
          await turn.cancel('from inside', { graceMs: 50 })
          return 'x'
        },
      }),
    ],
  })
  turn = run()
  assert.equal((await soon(turn.done)).outcome, 'cancelled')
  assert.deepEqual(await soon(turn.cancel()), { stillRunning: [] })
})

test('an adapter or a hook that never answers keeps nobody from cancelling', async (t) => {
  for (const more of [{ approvals: { execution: never } }, { beforeRequest: never }, { transport: never }]) {
    const { run } = await stage(t, { answers: () => calls, tools: [echo({ permission: 'moderate' })], ...more })
    const turn = run()
    await setTimeout(50)
    assert.deepEqual(await soon(turn.cancel()), { stillRunning: [] })
    assert.equal((await turn.done).outcome, 'cancelled')
  }
})

test('a deadline ends a turn that does not end, and the result says so', async (t) => {
  const { run } = await stage(t, { answers: [calls], tools: [echo({ execute: never, timeoutMs: 0 })], deadlineMs: 100 })
  const { outcome, reason } = await soon(run().done)
  assert.deepEqual([outcome, reason], ['cancelled', 'the deadline of 100 ms passed'])
  const kept = await stage(t, { answers: [{ text: 'Quick.' }], deadlineMs: 60_000 })
  assert.deepEqual(await kept.run().done.then(({ outcome, reason }) => [outcome, reason]), ['completed', undefined])
})

test('the reason of a signal is in the result, and a signal has one listener for all runs', async (t) => {
  const warnings = []
  const warn = ({ name }) => warnings.push(name)
  process.on('warning', warn)
  t.after(() => process.off('warning', warn))
  const { run } = await stage(t, { answers: () => ({ parts: [{ text: 'a' }, { wait: 10_000 }] }) })
  const stop = new AbortController()
  const runs = Array.from({ length: 30 }, () => run({ signal: stop.signal }))
  await setTimeout(50)
  stop.abort(new Error('the window was closed'))
  for (const turn of runs)
    assert.deepEqual([(await turn.done).outcome, (await turn.done).reason], ['cancelled', 'the window was closed'])
  assert.deepEqual(await run({ signal: stop.signal }).done.then(({ outcome, reason }) => [outcome, reason]), [
    'cancelled',
    'the window was closed',
  ])
  await setTimeout(10)
  assert.deepEqual(warnings, [])
})

/** A server that answers in turn by these functions of the response; none of them has to end it. */
async function open(t, ...answers) {
  let count = 0
  const server = createServer((request, response) => {
    request.resume()
    answers[Math.min(count++, answers.length - 1)](response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const engine = new Engine({ firstByteTimeoutMs: 4000, idleTimeoutMs: 4000 })
  t.after(() => engine.close())
  const run = (more) =>
    engine.run({
      model: { baseURL: `http://127.0.0.1:${server.address().port}/v1`, name: 'm' },
      messages: [{ role: 'user', content: 'x' }],
      ...more,
    })
  return { run, count: () => count, baseURL: `http://127.0.0.1:${server.address().port}/v1` }
}

const fine = (response) =>
  response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
const refused =
  (status, headers = {}) =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .write('{"error":{"message":"slow down"}}')

test('a refusal whose connection stays open is waited out and asked again', async (t) => {
  for (const answer of [
    refused(503, { 'retry-after-ms': '1' }),
    refused(429, { 'retry-after-ms': '1' }),
    (response) => {
      response.writeHead(503, { 'retry-after-ms': '1' })
      const drip = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(drip))
    },
  ]) {
    const { run, count } = await open(t, answer, fine)
    const { outcome, text } = await soon(run().done, 3500)
    assert.deepEqual([outcome, text, count()], ['completed', 'Hi', 2])
  }
})

test('an error that may pass is asked again, also where silence follows it', async (t) => {
  const { run } = await open(
    t,
    (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('data: {"error":{"message":"Overloaded","code":529}}\n\n'),
    fine,
  )
  assert.equal((await soon(run().done, 3500)).text, 'Hi')
})

test("a refusal that is not asked again is told in the provider's words, and not as a timeout", async (t) => {
  for (const [answer, more] of [
    [refused(401)],
    [refused(503), { retries: 0 }],
    [refused(429, { 'retry-after': '10' })],
  ]) {
    const { run, count } = await open(t, answer)
    const { outcome, error } = await soon(run(more).done, 3500)
    assert.deepEqual([outcome, count()], ['failed', 1])
    assert.match(error.detail, /slow down/)
  }
})

test('what is behind the end of an answer is waited for by nobody, and a connection that comes to its end is used again', async (t) => {
  const connections = new Set()
  const head = (response) => {
    connections.add(response.socket)
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .write('data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  }
  const { run } = await open(t, (response) => {
    head(response)
    setTimeout(20).then(() => response.end())
  })
  for (let count = 0; count < 5; count++) {
    assert.equal((await run().done).text, 'Hi')
    await setTimeout(120)
  }
  assert.equal(connections.size, 1)
  for (const keep of [
    () => {},
    (response) => {
      const drip = setInterval(() => response.write(': still here\n\n'), 20)
      response.on('close', () => clearInterval(drip))
    },
    (response) => void response.write(`: ${'x'.repeat(200_000)}\n\n`),
  ]) {
    let closed
    const other = await open(t, (response) => {
      head(response)
      keep(response)
      closed = once(response, 'close')
    })
    assert.equal((await soon(other.run().done)).text, 'Hi')
    assert.notEqual(await soon(closed, 3000), 'it hangs', 'it is let go all the same')
  }
})

test('an answer ends where it says so, whatever the connection does', async (t) => {
  const call =
    '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"echo_back","arguments":"{\\"text\\":\\"x\\"}"}}]},"finish_reason":"tool_calls"}]}'
  const stream =
    (...events) =>
    (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(events.map((event) => `data: ${event}\n\n`).join(''))
  const text = (reason) => `{"choices":[{"delta":{"content":"Hi"},"finish_reason":"${reason}"}]}`
  const { run } = await open(t, stream(text('length'), '[DONE]'))
  const { outcome, finishReason, message } = await soon(run().done)
  assert.deepEqual(
    [outcome, finishReason, message.finishReason, message.answers.length],
    ['completed', 'length', 'length', 1],
  )
  const silent = await open(t, stream(text('content_filter')))
  assert.equal((await soon(silent.run().done)).finishReason, 'content_filter')
  const calls = await open(t, stream(call, '[DONE]'), stream(text('stop'), '[DONE]'))
  const engine = new Engine({ tools: [echo()] })
  t.after(() => engine.close())
  const result = await soon(
    engine.run({ model: { baseURL: calls.baseURL, name: 'm' }, messages: [{ role: 'user', content: 'x' }] }).done,
  )
  assert.deepEqual(
    result.message.blocks.map(({ type, status }) => status ?? type),
    ['success', 'text'],
  )
})

test('an answer of which nothing came is asked again, one that broke off behind text is not', async (t) => {
  const nothing = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
  const comments = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': ping\n\n')
  const marker = (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: [DONE]\n\n')
  for (const answer of [nothing, comments, marker]) {
    const { run, count } = await open(t, answer, fine)
    assert.deepEqual([(await soon(run().done)).text, count()], ['Hi', 2])
    const always = await open(t, answer)
    const { outcome, error } = await soon(always.run({ retries: 1 }).done)
    assert.deepEqual(
      [outcome, error.code, error.retryable, error.status, always.count()],
      ['failed', 'empty_answer', true, 200, 2],
    )
  }
  const half = (response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end('data: {"choices":[{"delta":{"content":"Half"}}]}\n\n')
  const { run, count } = await open(t, half, fine)
  const { outcome, error, text } = await soon(run().done)
  assert.deepEqual([outcome, error.code, text, count()], ['failed', 'unfinished', 'Half', 1])
})

test('an error says what the response said of itself', async (t) => {
  const { run } = await open(t, refused(429, { 'retry-after': '7', 'x-request-id': 'req_1' }))
  const { error } = await soon(run({ retries: 0 }).done)
  assert.deepEqual([error.status, error.retryAfterMs, error.requestId], [429, 7000, 'req_1'])
  const engine = new Engine({ retries: 0 })
  t.after(() => engine.close())
  const gone = await engine.run({
    model: { baseURL: 'http://127.0.0.1:9/v1', name: 'm' },
    messages: [{ role: 'user', content: 'x' }],
  }).done
  assert.equal('status' in gone.error, false)
})
