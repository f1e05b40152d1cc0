// autoFallback: { when }: the app decides whether an answer that failed is asked for again in mode text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { callsEcho, collect, echo, ofType, stage } from './support.mjs'

const refusal = (message, status = 400) => ({ status, error: { message } })
const odd = refusal('tool turns are disabled for this tenant')

test('autoFallback.when: sees the failure as the turn would end with it; true asks again in text', async (t) => {
  const { server, run } = await stage(t, { answers: [callsEcho, odd, { text: 'Done.' }], tools: [echo()] })
  const seen = []
  const turn = run({ autoFallback: { when: (failure) => seen.push(failure) > 0 } })
  const events = await collect(turn)
  const { outcome, message, fallback } = await turn.done
  assert.equal(outcome, 'completed')
  assert.deepEqual(fallback, { reason: 'host', round: 2 })
  assert.deepEqual(
    message.blocks.map(({ type }) => type),
    ['text', 'tool_use', 'text'],
  )
  const [{ detail, ...failure }] = seen
  assert.deepEqual(
    [seen.length, failure],
    [1, { code: 'http', status: 400, words: 'tool turns are disabled for this tenant', round: 2 }],
  )
  assert.match(detail, /^HTTP 400: tool turns are disabled for this tenant \(http:/)
  assert.deepEqual(
    ofType(events, 'diagnostic').map(({ code, detail }) => [code, detail]),
    [['fallback_to_text', detail]],
  )
  const [, refused, asText] = server.requests.map(({ body }) => body)
  assert.ok(refused.tools && !asText.tools)
  assert.match(JSON.stringify(asText.messages), /TOOL_REQUEST.*you said hi/)
})

test('autoFallback.when: true before a further try, of a refusal and of an error in the stream', async (t) => {
  for (const failure of [
    { status: 503, error: 'no tools today' },
    { parts: [{ error: { message: 'overloaded', type: 'overloaded_error' } }] },
  ]) {
    const { server, run } = await stage(t, { answers: [failure, { text: 'Done.' }], tools: [echo()] })
    const { outcome, fallback } = await run({
      retries: () => assert.fail('asked'),
      autoFallback: { on: [], when: () => true },
    }).done
    assert.deepEqual([outcome, fallback, server.requests.length], ['completed', { reason: 'host', round: 1 }, 2])
  }
})

test('a result names the reason of a fallback, and has none where there was none', async (t) => {
  const noTools = refusal('m does not support tools')
  const { run } = await stage(t, {
    answers: [noTools, { text: 'a' }, { text: 'b' }],
    tools: [echo()],
    autoFallback: 'text',
  })
  assert.deepEqual((await run().done).fallback, { reason: 'tools_unsupported', round: 1 })
  assert.equal((await run().done).fallback, undefined)
})

test('a turn that went on in mode text says so after a restart, too', async (t) => {
  const answers = [
    refusal('m does not support tools'),
    `<<<[TOOL_REQUEST]>>>\ntool_name:「始」echo.back「末」,\ntext:「始」hi「末」\n<<<[END_TOOL_REQUEST]>>>`,
    { text: 'Done.' },
  ]
  const { engine, server, run } = await stage(t, {
    answers: answers.map((one) => (typeof one === 'string' ? { text: one } : one)),
    tools: [echo({ permission: 'sensitive' })],
    autoFallback: 'text',
  })
  const first = run()
  for await (const event of first) if (event.type === 'approval') break
  const state = await first.suspend()
  const resumed = engine.resume(state, {
    model: { baseURL: server.baseURL, name: 'm' },
    approvals: { execution: () => 'once' },
  })
  const { outcome, text, fallback } = await resumed.done
  assert.deepEqual([outcome, text.trim(), fallback], ['completed', 'Done.', { reason: 'tools_unsupported', round: 1 }])
})

test('autoFallback.when: false, and the turn fails as without it', async (t) => {
  const { server, run } = await stage(t, { answers: () => odd, tools: [echo()] })
  const plain = await run().done
  let asked = 0
  const { outcome, error } = await run({ autoFallback: { when: () => ++asked < 0 } }).done
  assert.deepEqual([outcome, asked, server.requests.length], ['failed', 1, 2])
  assert.equal(error.detail, plain.error.detail)
})

test('autoFallback.when: is asked only if no reason applies, nothing was shown, and Sluice does not ask again itself', async (t) => {
  const asked = async (answers, settings = {}) => {
    const { run } = await stage(t, { answers, tools: [echo()] })
    const codes = []
    const { outcome } = await run({
      retries: 0,
      ...settings,
      autoFallback: { when: ({ code, status }) => codes.push(status ?? code) < 0, ...settings.autoFallback },
    }).done
    return [outcome, ...codes]
  }
  const done = { text: 'Done.' }
  // a reason of `on`, and one that `on` leaves out
  const noTools = refusal('m does not support tools')
  assert.deepEqual(await asked([noTools, done]), ['completed'])
  assert.deepEqual(await asked([noTools, done], { autoFallback: { on: ['schema'] } }), ['failed', 400])
  // a tool that the server refuses is left out, the member for token counts as well
  assert.deepEqual(await asked([refusal("Invalid schema for function 'echo_back'"), done]), ['completed'])
  assert.deepEqual(await asked([refusal('Unknown parameter: stream_options'), done]), ['completed'])
  // before each further try
  const busy = { status: 503, error: 'overloaded', headers: { 'retry-after-ms': '1' } }
  assert.deepEqual(await asked([busy, busy, done], { retries: 2 }), ['completed', 503, 503])
  assert.deepEqual(await asked(() => busy, { retries: 2 }), ['failed', 503, 503, 503])
  // text that was shown, an answer that ended well, and another mode
  assert.deepEqual(await asked([{ parts: [{ text: 'Well' }, { error: 'it broke' }] }]), ['failed'])
  assert.deepEqual(await asked([callsEcho, done]), ['completed'])
  for (const mode of ['native', 'text']) assert.deepEqual(await asked([odd], { mode }), ['failed'])
  // an empty answer, and a server that never answers
  assert.deepEqual(await asked([{ text: '' }]), ['failed', 'empty_answer'])
  const transport = () =>
    Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
  assert.deepEqual(await asked([], { transport }), ['failed'])
})

test('autoFallback.when: what it throws, or gives back beside true and false, ends the turn with the error hook', async (t) => {
  const fails = async (when, more = {}) => {
    const { server, run } = await stage(t, { answers: () => odd, tools: [echo()] })
    const { outcome, error } = await run({ autoFallback: { when }, ...more }).done
    assert.deepEqual([outcome, error.code, server.requests.length], ['failed', 'hook', 1])
    return error.detail
  }
  assert.match(
    await fails(() => {
      throw new Error('boom')
    }),
    /autoFallback\.when threw: boom/,
  )
  assert.match(await fails(() => undefined), /autoFallback\.when gave back undefined, expected true or false/)
  assert.match(await fails(() => new Promise(() => {}), { hookTimeoutMs: 1 }), /did not answer within 1 ms/)
})

test('autoFallback.when: a run that is cancelled while it thinks ends as cancelled', async (t) => {
  const { server, run } = await stage(t, { answers: () => odd, tools: [echo()] })
  let thinks
  const asked = new Promise((resolve) => (thinks = resolve))
  const turn = run({ autoFallback: { when: () => (thinks(), new Promise(() => {})) } })
  await asked
  await turn.cancel()
  assert.equal((await turn.done).outcome, 'cancelled')
  assert.equal(server.requests.length, 1)
})

test('autoFallback.when: of the engine, also for a run that resumes; a key does not reach it', async (t) => {
  const seen = []
  const { server, run, engine } = await stage(t, {
    answers: [callsEcho, odd, { text: 'Done.' }],
    tools: [echo({ permission: 'sensitive' })],
    autoFallback: { on: [], when: ({ detail }) => seen.push(detail) > 0 },
  })
  const first = run()
  for await (const event of first) if (event.type === 'approval') break
  const state = await first.suspend()
  assert.ok(!state.includes('"when"'))
  const second = engine.resume(state, { model: { baseURL: server.baseURL, apiKey: 'disabled' } })
  await collect(second, (event) => event.type === 'approval' && second.approve(event))
  assert.equal((await second.done).outcome, 'completed')
  assert.equal(seen.length, 1)
  assert.doesNotMatch(seen[0], /disabled/)
  assert.equal(server.requests.length, 3)
})

test('autoFallback.when: an engine that was closed meanwhile is not asked', async (t) => {
  const server = await startScriptedServer({ answers: [odd] })
  t.after(server.close)
  const engine = new Engine({ tools: [echo()], retries: 0, autoFallback: { when: () => assert.fail('it was asked') } })
  const run = engine.run({
    model: { baseURL: server.baseURL, name: 'm' },
    messages: [{ role: 'user', content: 'hi' }],
  })
  engine.close()
  assert.equal((await run.done).error.code, 'http')
})

test('autoFallback: a function is checked, and a native turn reads the settings without it', (t) => {
  const engine = new Engine({ autoFallback: { when: () => true } })
  t.after(() => engine.close())
  assert.equal(engine.describe().settings.autoFallback, 'text')
  assert.deepEqual(engine.describe({ autoFallback: { on: ['template'], when: () => true } }).settings.autoFallback, {
    on: ['template'],
  })
  assert.throws(() => new Engine({ autoFallback: { when: 'always' } }), {
    path: 'autoFallback.when',
    detail: 'found "always", expected a function (failure) => boolean',
  })
})
