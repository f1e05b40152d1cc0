import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { built } from './dist.mjs'
import { tool } from 'sluice'
import { createHost } from 'sluice/host'
import { callsDelete, everything, guarded, hostStage, until } from './host-support.mjs'

const { applyDeltas } = await built('view')
const { Pet } = await built('pet')

const done = (window, message) => until(() => window.view(message).outcome, `the end of ${message}`)
const asked = (window, message) => until(() => window.asks(message)[0], 'a question')

// -- messages ---------------------------------------------------------------------------------------------------------

test('a window sends, watches, approves, and sees the message as the engine has it', async (t) => {
  const { tool, ran } = guarded()
  const events = []
  const { open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.', usage: { prompt_tokens: 3, completion_tokens: 4 } }],
    tools: [tool],
    host: { onEvent: (id, event) => events.push([id, event.type]) },
  })
  const window = open()
  const message = await window.send('Delete it')
  const ask = await asked(window, message)
  assert.deepEqual([ask.call, ask.stage, ask.level, ask.token.length], [1, 'execution', 'sensitive', 43])
  assert.deepEqual(ran, [])
  assert.equal(await window.get('approve', { message, token: ask.token }), true)
  assert.equal(await done(window, message), 'completed')
  const { blocks, questions: asks, usage, rounds } = window.view(message)
  assert.deepEqual(
    blocks.map((block) => block.text ?? block.status),
    ['I will. ', 'success', 'Done.'],
  )
  assert.deepEqual([asks, usage, rounds], [[], { inputTokens: 3, outputTokens: 4 }, 2])
  const { answers } = window.view(message)
  assert.ok(answers.every(({ startedAt, endedAt }) => startedAt > 0 && endedAt >= startedAt))
  assert.deepEqual(
    answers.map(({ startedAt: _, endedAt: __, ...answer }) => answer),
    [{ finishReason: 'tool_calls' }, { usage: { inputTokens: 3, outputTokens: 4 }, finishReason: 'stop' }],
  )
  assert.equal(window.view(message).finishReason, 'stop')
  assert.deepEqual(ran, [{ path: '/tmp/x' }])
  assert.equal(window.mismatches, 0)
  assert.deepEqual(
    events.find(([, type]) => type === 'done'),
    [message, 'done'],
  )
  assert.deepEqual(
    await window.get('subscribe', { message }),
    window.view(message),
    'what the deltas made is what a late window gets',
  )
})

test('a conversation goes on: the model sees what was said, windows see the entries', async (t) => {
  const { server, open } = await hostStage(t, {
    answers: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    host: { system: 'Be brief.' },
  })
  const [first, second] = [open(), open()]
  assert.deepEqual(await second.get('open', {}), { id: 'main', forgotten: 0, entries: [] })
  const one = await first.send('1')
  await done(first, one)
  const two = await first.send('2')
  await done(first, two)
  const { entries, ...rest } = await until(
    () => second.conversations.get('main')?.entries.length === 4 && second.conversations.get('main'),
  )
  assert.deepEqual(rest, { id: 'main', title: '1', forgotten: 0 })
  assert.deepEqual(
    entries.map(({ id: _, at: __, ...entry }) => entry),
    [
      { role: 'user', text: '1' },
      { role: 'assistant', message: one },
      { role: 'user', text: '2' },
      { role: 'assistant', message: two },
    ],
  )
  assert.deepEqual([entries[1].id, entries[3].id, new Set(entries.map(({ id }) => id)).size], [one, two, 4])
  assert.ok(entries.every(({ at }, index) => at >= (entries[index - 1]?.at ?? 0) && Math.abs(Date.now() - at) < 60_000))
  assert.equal(first.conversations.size, 0, 'it did not open it')
  assert.deepEqual(
    server.requests[1].body.messages.map(({ role, content }) => [role, content]),
    [
      ['system', 'Be brief.'],
      ['user', '1'],
      ['assistant', 'One.'],
      ['user', '2'],
    ],
  )
  await done(first, await first.send('3', 'another'))
  assert.deepEqual(
    server.requests[2].body.messages.map(({ content }) => content),
    ['Be brief.', '3'],
  )
})

test('a conversation has one turn at a time, others go on beside it', async (t) => {
  const { open } = await hostStage(t, {
    answers: [{ parts: [{ text: 'a' }, { wait: 60_000 }] }, { text: 'b' }],
    host: { maxRunning: 2 },
  })
  const window = open()
  const message = await window.send('1')
  assert.equal((await window.call('send', { text: '2' })).error.code, 'state')
  const other = await window.send('3', 'another')
  assert.equal((await window.call('send', { text: '4', conversation: 'a third' })).error.code, 'limit')
  assert.equal(await done(window, other), 'completed')
  await window.get('cancel', { message })
  assert.equal(await done(window, message), 'cancelled')
  assert.equal((await window.call('cancel', { message })).ok, true, 'once more is fine')
})

test('a turn that came to nothing leaves its question to the next', async (t) => {
  const { server, open } = await hostStage(t, { answers: [{ status: 400, error: 'no' }, { text: 'Yes.' }] })
  const window = open()
  const message = await window.send('1')
  assert.equal(await done(window, message), 'failed')
  assert.equal(window.view(message).blocks.at(-1).type, 'error')
  await done(window, await window.send('2'))
  assert.deepEqual(
    server.requests[1].body.messages.map(({ role, content }) => [role, content]),
    [['user', '1\n\n2']],
  )
})

test('a late window gets the message so far, and goes on from there', async (t) => {
  const { open } = await hostStage(t, { answers: [{ parts: [{ text: 'Hello ' }, { wait: 50 }, { text: 'there' }] }] })
  const [first, late] = [open(), open({ read: true })]
  const message = await first.send('Hi')
  await until(() => first.text(message) !== '')
  await late.watch(message)
  assert.match(late.text(message), /^Hello/)
  await done(late, message)
  await done(first, message)
  assert.deepEqual(late.view(message), first.view(message))
  assert.equal(late.mismatches, 0)
})

test('only windows that watch are told, and no more after they stopped', async (t) => {
  const { open } = await hostStage(t, { answers: [{ parts: [{ text: 'a' }, { wait: 40 }, { text: 'b' }] }] })
  const [first, second, third] = [open(), open(), open()]
  const message = await first.send('Hi')
  await second.watch(message)
  await second.get('unsubscribe', { message })
  await done(first, message)
  assert.deepEqual([second.frames, third.frames], [[], []])
})

test('old messages are forgotten, those that go on are not', async (t) => {
  const answers = [{ parts: [{ text: 'slow' }, { wait: 60_000 }] }, { text: '1' }, { text: '2' }, { text: '3' }]
  const { server, open } = await hostStage(t, { answers, host: { keepMessages: 3 } })
  const window = open()
  const slow = await window.send('slow', 'slow')
  const sent = []
  for (const text of ['a', 'b', 'c']) {
    sent.push(await window.send(text))
    await done(window, sent.at(-1))
  }
  assert.equal((await window.call('subscribe', { message: sent[0] })).error.code, 'not_found')
  assert.equal((await window.call('subscribe', { message: slow })).ok, true)
  const { entries, forgotten } = await window.get('open')
  assert.deepEqual([forgotten, entries.map(({ text, message }) => text ?? message)], [2, ['b', sent[1], 'c', sent[2]]])
  assert.deepEqual(
    server.requests[3].body.messages.map(({ content }) => content),
    ['a', '1', 'b', '2', 'c'],
    'when it was sent, it was still there',
  )
})

test('the main process sends without a window, and has a bridge of its own', async (t) => {
  const { host } = await hostStage(t)
  const bridge = host.bridge()
  const frames = []
  const off = bridge.onFrame((frame) => frames.push(frame))
  await bridge.call('open', {})
  const message = await host.send('Hi')
  assert.equal((await bridge.call('subscribe', { message })).ok, true)
  await until(() =>
    frames.some(({ messages }) => messages?.some(({ deltas }) => deltas.some(({ type }) => type === 'done'))),
  )
  assert.equal(frames[0].conversations?.[0].entries.length ?? frames[1].conversations?.[0].entries.length, 2)
  off()
  bridge.close()
  assert.equal((await bridge.call('open', {})).error.code, 'closed')
  await assert.rejects(host.send(''), { name: 'SluiceError', code: 'argument', path: 'text' })
})

test('what the app gives for a turn goes before what was configured', async (t) => {
  const seen = []
  const { server, open } = await hostStage(t, {
    host: {
      run: (input) => {
        seen.push(input)
        return {
          model: { baseURL: server.baseURL, name: 'chosen' },
          request: { temperature: 0 },
          messages: [{ role: 'user', content: 'something else' }],
        }
      },
    },
  })
  const window = open()
  await done(window, await window.send('Hi', 'a'))
  const { model, temperature, messages } = server.requests[0].body
  assert.deepEqual([model, temperature, messages.map(({ content }) => content)], ['chosen', 0, ['something else']])
  const [{ signal, entry, message, ...asked }] = seen
  assert.deepEqual(asked, {
    text: 'Hi',
    conversation: 'a',
    why: 'send',
    app: {},
    messages: [{ role: 'user', content: 'Hi' }],
  })
  assert.deepEqual([signal.aborted, entry.role, entry.text], [false, 'user', 'Hi'])
  assert.equal((await window.get('open', { conversation: 'a' })).entries[1].message, message)
})

test('the rights of a bridge are checked', async (t) => {
  const { host } = await hostStage(t)
  assert.throws(() => host.bridge({ aprove: true }), {
    code: 'option',
    path: 'rights.aprove',
    hint: 'did you mean approve?',
  })
})

test('a window whose rights were taken away gets nothing more of them', async (t) => {
  const { tool, ran } = guarded()
  let goOn
  const taken = new Promise((resolve) => (goOn = resolve))
  const { host, open } = await hostStage(t, {
    tools: [tool],
    answers: [{ parts: [{ text: 'seen' }, { wait: taken }, { text: ' SECRET' }] }, callsDelete],
  })
  const app = host.bridge()
  const rights = { ...everything }
  const window = open(rights)
  await window.get('open', {})
  const message = await window.send('Hi')
  await until(() => window.text(message) === 'seen')
  const frames = window.frames.length
  rights.read = false
  await until(async () => (await window.call('cancel', { message: 'none' })).error.code === 'not_found')
  goOn()
  await until(async () => (await app.call('subscribe', { message })).value.outcome)
  await setTimeout(50) // more than a frame
  assert.equal(window.frames.length, frames)
  rights.read = true
  await until(async () => (await window.get('subscribe', { message })).outcome === 'completed')
  rights.approve = false
  const second = await window.send('Delete')
  await until(async () => (await app.call('subscribe', { message: second })).value.questions.length > 0)
  await setTimeout(50)
  assert.doesNotMatch(JSON.stringify(window.frames), /"type":"ask"/)
  assert.deepEqual(ran, [])
})

test('a host that is closed cancels what runs and answers nobody', async (t) => {
  const { host, server, open } = await hostStage(t, { answers: [{ parts: [{ text: 'a' }, { wait: 60_000 }] }] })
  const window = open()
  await window.send('Hi')
  await until(() => server.requests.length === 1)
  await host.close()
  assert.equal((await window.call('open', {})).error.code, 'closed')
  await assert.rejects(host.send('x'), { code: 'closed' })
  await until(() => server.requests[0].aborted)
})

test('options that are wrong are told at once', async (t) => {
  const { engine } = await hostStage(t)
  const run = () => ({})
  for (const [options, path] of [
    [{}, 'run'],
    [{ run, windows: [] }, 'windows'],
    [{ run, frameMs: -1 }, 'frameMs'],
    [{ run, onPet: 3 }, 'onPet'],
    [{ run, configuration: { settings: { maxRounds: 'many' } } }, 'configuration.settings.maxRounds'],
    [{ run, configuration: { model: 1 } }, 'configuration.model'],
  ]) {
    assert.throws(() => createHost(engine, options), { name: 'SluiceError', path })
  }
})

// -- frames -----------------------------------------------------------------------------------------------------------

test('at most 70 frames a second go to a window while 1,000 deltas a second flow in several messages', async (t) => {
  const words = Array.from({ length: 1000 }, (_, index) => `w${index} `).join('')
  const { open } = await hostStage(t, {
    answers: () => ({ text: words }),
    server: { delayMs: 1 },
    flushMs: 0,
    host: { frameMs: 16 },
  })
  const window = open()
  const messages = []
  for (const conversation of ['a', 'b', 'c']) messages.push(await window.send('Go', conversation))
  for (const message of messages) await until(() => window.view(message).outcome, 'the end')
  for (const message of messages) assert.equal(window.text(message), words)
  assert.equal(window.mismatches, 0)
  const times = window.frames.map(({ at }) => at)
  const seconds = (times.at(-1) - times[0]) / 1000
  t.diagnostic(`${times.length} frames in ${seconds.toFixed(2)} s, 3,000 deltas`)
  assert.ok(seconds > 0.9, 'it took long enough to count')
  assert.ok(times.length <= 70 * seconds + 1, `${times.length} frames in ${seconds} s`)
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last] - times[first] > 1000) first++
    assert.ok(last - first + 1 <= 71, `${last - first + 1} frames within a second`)
  }
})

test('the first text does not wait for the next frame, the rest does', async (t) => {
  let goOn
  const seen = new Promise((resolve) => (goOn = resolve))
  const { open } = await hostStage(t, {
    answers: [{ parts: [{ text: 'a' }, { wait: seen }, { text: 'b' }, { wait: 30 }, { text: 'c' }] }],
    host: { frameMs: 3_600_000 },
  })
  const window = open()
  await window.get('open', {})
  const message = await window.send('Hi') // the conversation's frame goes first: the next would be due in an hour
  await until(() => window.text(message) === 'a')
  goOn()
  await until(async () => (await window.get('open', {})) && (await window.get('subscribe', { message })).outcome)
  assert.equal(window.text(message), 'a')
})

test('a window that does not keep up loses deltas and is shown the message anew', async (t) => {
  const long = tool({
    name: 'long',
    description: '',
    permission: 'public',
    agentCallable: true,
    execute: async () => (await setTimeout(20), 'x'.repeat(1_000_000)),
  })
  const calls = [1, 2, 3].map((n) => ({ name: 'long', arguments: { n } }))
  const { open } = await hostStage(t, { answers: [{ text: 'Well.', calls }, { text: 'end' }], tools: [long] })
  const [window, good] = [open(), open()]
  window.blocked = true
  const message = await window.send('Hi')
  await good.watch(message)
  await done(good, message)
  assert.deepEqual(window.frames, [])
  window.blocked = false
  await done(window, message)
  assert.deepEqual(window.view(message), good.view(message))
  assert.deepEqual([window.mismatches, good.mismatches], [1, 0])
})

// -- questions --------------------------------------------------------------------------------------------------------

test('the first decision wins, others are told no and see the card go on', async (t) => {
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, { answers: [callsDelete, { text: 'Done.' }], tools: [tool] })
  const [first, second] = [open(), open()]
  const message = await first.send('Hi')
  await second.watch(message)
  const [one, two] = [await asked(first, message), await asked(second, message)]
  assert.notEqual(one.token, two.token)
  assert.equal(one.digest, two.digest)
  const replies = await Promise.all([
    first.get('approve', { message, token: one.token }),
    second.get('deny', { message, token: two.token }),
  ])
  assert.deepEqual(replies, [true, false])
  await done(second, message)
  assert.equal(second.cards(message)[0].status, 'success')
  assert.equal(ran.length, 1)
})

test('a window that was shown another question decides nothing', async (t) => {
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, { answers: [callsDelete, { text: 'Done.' }], tools: [tool] })
  const window = open()
  const message = await window.send('Hi')
  const { token, digest } = await asked(window, message)
  const stale = { message, token, digest: '0'.repeat(64) }
  assert.deepEqual([await window.get('approve', stale), await window.get('deny', stale)], [false, false])
  assert.equal((await window.call('approve', { message, token, digest: 5 })).error.path, 'digest')
  assert.equal(await window.get('approve', { message, token, digest }), true)
  await done(window, message)
  assert.equal(ran.length, 1)
})

test('a window that comes later may answer with a token of its own', async (t) => {
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, { answers: [callsDelete, { text: 'Done.' }], tools: [tool] })
  const first = open()
  const message = await first.send('Hi')
  const { token } = await asked(first, message)
  const late = open()
  await late.watch(message)
  const [ask] = late.asks(message)
  assert.notEqual(ask.token, token)
  assert.equal((await late.get('subscribe', { message })).questions[0].token, ask.token, 'asked again, it is the same')
  assert.equal(await late.get('deny', { message, token: ask.token, reason: 'not that one' }), true)
  await done(first, message)
  assert.equal(first.cards(message)[0].status, 'denied')
  assert.match(first.cards(message)[0].modelOutput, /not that one/)
  assert.deepEqual(ran, [])
})

test('edited arguments are checked by the engine; a mistake decides nothing', async (t) => {
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, { answers: [callsDelete, { text: 'Done.' }], tools: [tool] })
  const window = open()
  const message = await window.send('Hi')
  const { token } = await asked(window, message)
  assert.equal((await window.call('approve', { message, token, arguments: { path: 3 } })).ok, false)
  assert.equal(await window.get('approve', { message, token, arguments: { path: '/tmp/y' } }), true)
  await done(window, message)
  assert.deepEqual(ran, [{ path: '/tmp/y' }])
})

test('the release of a result is a question of its own', async (t) => {
  const { tool } = guarded({ resultApproval: 'always' })
  const { server, open } = await hostStage(t, { answers: [callsDelete, { text: 'Done.' }], tools: [tool] })
  const window = open()
  const message = await window.send('Hi')
  const first = await asked(window, message)
  await window.get('approve', { message, token: first.token })
  const second = await until(() => window.asks(message).find(({ stage }) => stage === 'result'))
  assert.equal(second.preview.text, 'deleted')
  assert.equal(await window.get('approve', { message, token: first.token }), false, 'the first token releases nothing')
  assert.equal(
    (await window.call('approve', { message, token: second.token, remember: 'always' })).error.path,
    'remember',
  )
  assert.equal(server.requests.length, 1)
  assert.equal(await window.get('approve', { message, token: second.token }), true)
  await done(window, message)
  assert.equal(window.cards(message)[0].status, 'success')
})

test('what is remembered asks no more', async (t) => {
  const { tool, ran } = guarded({ permission: 'moderate' })
  const { engine, open } = await hostStage(t, { answers: [callsDelete, callsDelete, { text: 'Done.' }], tools: [tool] })
  const window = open()
  const message = await window.send('Hi')
  const { token } = await asked(window, message)
  await window.get('approve', { message, token, remember: 'session', exact: true })
  await done(window, message)
  assert.equal(ran.length, 2)
  assert.equal(engine.rules.list().length, 1)
})

test('a question says how long it can be answered yet, for a window whose clock is wrong', async (t) => {
  const stage = await hostStage(t, {
    answers: [callsDelete],
    tools: [guarded().tool],
    host: { run: () => ({ model: { baseURL: stage.server.baseURL, name: 'm' }, approvalTimeoutMs: 60_000 }) },
  })
  const window = stage.open()
  const ask = await asked(window, await window.send('Delete it'))
  assert.ok(ask.leftMs > 0 && ask.leftMs <= 60_000, `${ask.leftMs} ms`)
  assert.ok(Math.abs(ask.expiresAt - Date.now() - ask.leftMs) < 10_000)
})

test('a question that no window can answer is denied after a while', async (t) => {
  const { tool, ran } = guarded()
  const { host, open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.' }],
    tools: [tool],
    host: { approvalGraceMs: 30 },
  })
  const looker = open({ read: true })
  const message = await host.send('Hi')
  await looker.watch(message)
  await done(looker, message)
  assert.equal(looker.cards(message)[0].status, 'denied')
  assert.match(looker.cards(message)[0].approvals[0].reason, /^no_approver/)
  assert.deepEqual(ran, [])
  assert.ok(
    looker.frames.every((frame) => !JSON.stringify(frame).includes('token')),
    'who may not answer is not asked',
  )
})

test('a window that is loaded again finds its question', async (t) => {
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.' }],
    tools: [tool],
    host: { approvalGraceMs: 20_000 },
  })
  const before = open()
  const message = await before.send('Hi')
  const { token } = await asked(before, message)
  before.close()
  assert.equal((await before.call('approve', { message, token })).error.code, 'closed')
  const after = open()
  const { entries } = await after.get('open', {})
  await after.watch(entries[1].message)
  assert.equal(await after.get('approve', { message, token: after.asks(message)[0].token }), true)
  await done(after, message)
  assert.equal(ran.length, 1)
})

test('an adapter of the app answers, and windows are not asked', async (t) => {
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.' }],
    tools: [tool],
    approvals: { execution: () => 'once' },
    host: { approvalGraceMs: 0 },
  })
  const window = open()
  const message = await window.send('Hi')
  await done(window, message)
  assert.equal(ran.length, 1)
  assert.ok(window.frames.every((frame) => !JSON.stringify(frame).includes('token')))
})

test('an adapter that is null answers nothing: windows are asked', async (t) => {
  const { tool, ran } = guarded()
  const never = { execution: () => new Promise(() => {}) }
  const { open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.' }],
    tools: [tool],
    approvals: { execution: null },
  })
  const window = open()
  const first = await window.send('Hi')
  const { token } = await asked(window, first)
  await setTimeout(50)
  assert.equal(await window.get('approve', { message: first, token }), true, 'nobody but the window answered')
  await done(window, first)
  assert.equal(ran.length, 1)
  const perTurn = await hostStage(t, { answers: () => callsDelete, tools: [tool], approvals: never })
  const run = () => ({ model: { baseURL: perTurn.server.baseURL, name: 'scripted' }, approvals: null })
  const other = createHost(perTurn.engine, { run, frameMs: 0 })
  t.after(() => other.close())
  const bridge = other.bridge()
  const {
    value: { message },
  } = await bridge.call('send', { text: 'Hi' })
  const ask = await until(async () => (await bridge.call('subscribe', { message })).value?.questions[0], 'a question')
  await setTimeout(50)
  assert.deepEqual(await bridge.call('deny', { message, token: ask.token }), { ok: true, value: true })
})

for (const mode of ['native', 'text']) {
  test(`calls that wait for a button go on in the same message, mode ${mode}`, async (t) => {
    const { tool, ran } = guarded({ permission: 'public' })
    const inText = (path) => ({
      text: `I will.\n<<<[TOOL_REQUEST]>>>\ntool_name:「始」file.delete「末」,\npath:「始」${path}「末」\n<<<[END_TOOL_REQUEST]>>>`,
    })
    const native = (...paths) => ({
      text: 'I will. ',
      calls: paths.map((path, n) => ({ id: `call_${n}${path}`, name: 'file_delete', arguments: { path } })),
    })
    const answers =
      mode === 'native'
        ? [native('a', 'b'), native('c'), { text: 'Done.' }]
        : [inText('a'), inText('c'), { text: 'Done.' }]
    const { server, open } = await hostStage(t, {
      answers: [...answers, { text: 'Next.' }],
      tools: [tool],
      loop: 'user_mediated',
      mode,
    })
    const window = open()
    const message = await window.send('Hi')
    const paths = []
    while (!window.view(message).outcome) {
      const ask = await until(() => window.asks(message)[0] ?? (window.view(message).outcome && {}))
      if (!ask.token) break
      const card = window.cards(message).find(({ call }) => call === ask.call)
      assert.deepEqual([card.status, ran.length], ['awaiting_approval', paths.length])
      paths.push(card.arguments.path)
      assert.equal(await window.get('approve', { message, token: ask.token }), true)
      await until(() => window.asks(message)[0]?.token !== ask.token)
      await until(() => ran.length === paths.length)
    }
    const expected = mode === 'native' ? ['a', 'b', 'c'] : ['a', 'c']
    assert.deepEqual(paths, expected)
    assert.deepEqual(
      ran.map(({ path }) => path),
      expected,
    )
    const { outcome, blocks, rounds } = window.view(message)
    assert.equal(outcome, 'completed')
    assert.deepEqual(
      blocks.map(({ type, status }) => status ?? type),
      mode === 'native'
        ? ['text', 'success', 'success', 'text', 'success', 'text']
        : ['text', 'success', 'text', 'success', 'text'],
    )
    assert.deepEqual(
      window.cards(message).map(({ call, round }) => [call, round]),
      mode === 'native'
        ? [
            [1, 1],
            [2, 1],
            [3, 2],
          ]
        : [
            [1, 1],
            [2, 2],
          ],
    )
    assert.equal(rounds, server.requests.length, 'as many as there were answers')
    assert.equal(window.mismatches, 0)
    await done(window, await window.send('And?'))
    assert.equal(server.requests.length, 4)
    assert.match(server.requests[3].body.messages.at(-1).content, /And\?/)
  })
}

test('calls that wait for a button keep their cards where a provider gives an id twice', async (t) => {
  const { tool, ran } = guarded()
  const calls = (...paths) => ({
    calls: paths.map((path) => ({ id: 'call_0', name: 'file_delete', arguments: { path } })),
  })
  const { open } = await hostStage(t, {
    answers: [calls('a', 'b'), calls('c'), { text: 'Done.' }],
    tools: [tool],
    loop: 'user_mediated',
  })
  const window = open()
  const message = await window.send('Hi')
  for (const path of ['b', 'a', 'c']) {
    // the last one first
    const ask = await until(() => window.asks(message).at(-1))
    assert.equal(window.cards(message).find(({ call }) => call === ask.call).arguments.path, path)
    assert.equal(await window.get('approve', { message, token: ask.token }), true)
    await until(() => !window.asks(message).some(({ token }) => token === ask.token))
  }
  assert.equal(await done(window, message), 'completed')
  assert.deepEqual(
    window.cards(message).map(({ call, round, status, arguments: { path } }) => [call, round, status, path]),
    [
      [1, 1, 'success', 'a'],
      [2, 1, 'success', 'b'],
      [3, 2, 'success', 'c'],
    ],
  )
  assert.deepEqual(
    ran.map(({ path }) => path),
    ['b', 'a', 'c'],
  )
})

test('a call that waits for a button ends with the message that is cancelled', async (t) => {
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Next.' }],
    tools: [tool],
    loop: 'user_mediated',
  })
  const window = open()
  const message = await window.send('Hi')
  const { token } = await asked(window, message)
  await window.get('cancel', { message })
  assert.equal(await done(window, message), 'cancelled')
  assert.equal(await window.get('approve', { message, token }), false)
  assert.equal(window.cards(message)[0].status, 'cancelled')
  assert.equal(await done(window, await window.send('And?')), 'completed')
  assert.deepEqual(ran, [])
})

test('a message that is cancelled as one of its runs ends starts nothing more', async (t) => {
  const { tool, ran } = guarded()
  const atButton = (act) => (id, event) => event.type === 'done' && event.outcome === 'awaiting_user' && act(id)
  const cancelled = await hostStage(t, {
    answers: [callsDelete, { text: 'Next.' }],
    tools: [tool],
    loop: 'user_mediated',
    host: { onEvent: atButton((message) => void window.call('cancel', { message })) },
  })
  const window = cancelled.open()
  const message = await window.send('Hi')
  assert.equal(await done(window, message), 'cancelled')
  assert.equal(window.cards(message)[0].status, 'cancelled')
  assert.equal(await done(window, await window.send('And?')), 'completed')

  let quiet
  const closed = await hostStage(t, {
    answers: [callsDelete],
    tools: [tool],
    loop: 'user_mediated',
    host: {
      onEvent: atButton(() => {
        quiet = closed.host.close()
      }),
    },
  })
  await closed.host.send('Hi')
  await until(() => quiet !== undefined)
  assert.deepEqual(await Promise.race([quiet, setTimeout(20_000, 'waits for a button', { ref: false })]), {
    stillRunning: [],
  })
  assert.equal(closed.server.requests.length, 1)
  assert.deepEqual(ran, [])
})

test('a message whose next run cannot start says why', async (t) => {
  const { tool } = guarded()
  const { open, engine } = await hostStage(t, {
    answers: [callsDelete],
    tools: [tool],
    loop: 'user_mediated',
    host: { onEvent: (_, { type }) => type === 'done' && engine.close() },
  })
  const window = open()
  const message = await window.send('Hi')
  assert.equal(await done(window, message), 'failed')
  const { type, code } = window.view(message).blocks.at(-1)
  assert.deepEqual([type, code], ['error', 'closed'])
})

test('cards and questions say what the tool is', async (t) => {
  const { tool } = guarded({ tags: ['files'] })
  const { open } = await hostStage(t, { answers: [callsDelete], tools: [tool] })
  const window = open()
  const message = await window.send('Hi')
  assert.equal((await asked(window, message)).description, 'Deletes a file.')
  assert.deepEqual(window.cards(message)[0].tags, ['files'])
})

// -- what a run tells of itself ---------------------------------------------------------------------------------------

test('a window hears that a request is sent again, until something comes of it', async (t) => {
  const busy = { status: 503, error: 'overloaded', headers: { 'retry-after-ms': '60' } }
  const { open } = await hostStage(t, {
    answers: [busy, busy, { parts: [{ text: 'Now.' }, { wait: 100 }] }, busy, { status: 400, error: 'no' }],
    retries: 3,
    host: { frameMs: 0 },
  })
  const window = open()
  const message = await window.send('Hi')
  const before = Date.now()
  await done(window, message)
  const deltas = window.frames.flatMap(({ messages = [] }) => messages.flatMap(({ deltas }) => deltas))
  const retries = deltas.filter(({ type }) => type === 'retry') // the first may have come before the window watched
  assert.equal(retries.at(-1)?.attempt, 2)
  for (const { round, maxAttempts, delayMs, at, detail } of retries) {
    assert.deepEqual([round, maxAttempts], [1, 3])
    assert.ok(delayMs >= 60 && Math.abs(at - delayMs - before) < 20_000, `${at}: ${delayMs}`)
    assert.match(detail, /overloaded/)
  }
  assert.equal(window.view(message).retry, undefined, 'the text ended the wait')
  assert.deepEqual(await window.get('subscribe', { message }), window.view(message))
  const second = await window.send('Again')
  await done(window, second)
  assert.equal(window.view(second).retry, undefined, 'so does the end')
})

test('a window that comes while a request waits to be sent again sees that', async (t) => {
  const { open } = await hostStage(t, {
    answers: [{ status: 503, error: 'overloaded', headers: { 'retry-after-ms': '30000' } }],
  })
  const window = open()
  const message = await window.send('Hi')
  const late = open()
  const { retry } = await until(async () => {
    const view = await late.get('subscribe', { message })
    return view.retry && view
  }, 'a retry')
  assert.deepEqual(Object.keys(retry).sort(), ['at', 'attempt', 'delayMs', 'detail', 'maxAttempts', 'round'])
  await window.get('cancel', { message })
  await done(window, message)
  assert.equal(window.view(message).retry, undefined)
})

test('a window hears what a tool counts', async (t) => {
  let go
  const counts = tool({
    name: 'disk.scan',
    description: 'Scans.',
    permission: 'public',
    agentCallable: true,
    execute: async (_, { progress }) => {
      progress({ done: 1, total: 4, text: 'reading' })
      await new Promise((resolve) => (go = resolve))
      progress('nearly')
      return 'ok'
    },
  })
  const { open } = await hostStage(t, {
    answers: [{ calls: [{ name: 'disk_scan', arguments: {} }] }, { text: 'Done.' }],
    tools: [counts],
  })
  const window = open()
  const message = await window.send('Hi')
  const card = await until(() => window.cards(message)[0]?.progress && window.cards(message)[0])
  assert.deepEqual([card.progress, card.progressDone, card.progressTotal], ['reading (1 / 4)', 1, 4])
  await until(() => go)
  go()
  await done(window, message)
  const { progress, progressDone, progressTotal } = window.cards(message)[0]
  assert.deepEqual(
    [progress, progressDone, progressTotal],
    ['nearly', undefined, undefined],
    'a report without numbers takes them away',
  )
})

// -- tools that run in a window ---------------------------------------------------------------------------------------

const selection = () =>
  tool({
    name: 'editor.selection',
    description: 'What is selected.',
    permission: 'public',
    agentCallable: true,
    runsIn: 'window',
  })
const callsSelection = { calls: [{ id: 'call_s', name: 'editor_selection', arguments: { from: 1 } }] }

test('a tool runs in the window that asked', async (t) => {
  const { server, open } = await hostStage(t, { answers: [callsSelection, { text: 'Done.' }], tools: [selection()] })
  const [window, other] = [open(), open()]
  const message = await window.send('Hi')
  await other.watch(message)
  const order = await until(() => window.executed[0])
  assert.deepEqual(
    [order.message, order.call, order.name, order.arguments, order.id],
    [message, 1, 'editor.selection', { from: 1 }, 'call_s'],
  )
  assert.match(order.key, /^[\w-]{20,}:1:[0-9a-f]{32}$/)
  const answer = { message, call: 1, token: order.token, value: { text: 'abc' } }
  assert.equal((await other.call('result', answer)).error.code, 'state')
  await window.get('result', answer)
  assert.equal((await window.call('result', answer)).error.code, 'state', 'once')
  await done(window, message)
  assert.equal(server.requests[1].body.messages.at(-1).content, '{"text":"abc"}')
  assert.deepEqual(other.executed, [])
})

test('a window may fail, be closed, or be told to stop', async (t) => {
  const { host, open } = await hostStage(t, {
    answers: () => callsSelection,
    tools: [selection()],
    maxRounds: 1,
    forceFinalAnswer: false,
  })
  const [window, watcher] = [open(), open()]
  const first = await window.send('1', 'a')
  const order = await until(() => window.executed[0])
  await window.get('result', { message: first, call: 1, token: order.token, error: 'nothing is selected' })
  await until(() => window.cards(first)[0].error)
  assert.equal(window.cards(first)[0].error, 'nothing is selected')

  const second = await window.send('2', 'b')
  await until(() => window.executed[1])
  await window.get('cancel', { message: second })
  await until(() => window.aborted.length === 1)
  assert.deepEqual([window.aborted[0].message, window.aborted[0].call], [second, 1])
  assert.equal(
    (await window.call('result', { message: second, call: 1, token: window.executed[1].token, value: 1 })).error.code,
    'state',
  )

  const third = await window.send('3', 'c')
  await watcher.watch(third)
  await until(() => window.executed[2])
  window.close()
  await until(() => watcher.cards(third)[0]?.error)
  assert.equal(watcher.cards(third)[0].error, 'the window was closed')

  const fourth = await host.send('4', 'd')
  await watcher.watch(fourth)
  await until(() => watcher.cards(fourth)[0]?.error)
  assert.match(watcher.cards(fourth)[0].error, /window that asks/)
})

test('a call that is cancelled before the window was told does not start there', async (t) => {
  const { open } = await hostStage(t, { answers: [callsSelection], tools: [selection()] })
  const [window, watcher] = [open(), open()]
  const message = await window.send('Hi')
  window.blocked = true
  await watcher.watch(message)
  await until(() => watcher.cards(message)[0]?.status === 'executing')
  await watcher.get('cancel', { message })
  await done(watcher, message)
  window.blocked = false
  await done(window, message)
  assert.deepEqual([window.executed, window.aborted], [[], []])
})

test('a result that the engine does not take fails the call', async (t) => {
  const { open } = await hostStage(t, {
    answers: [callsSelection, { text: 'Done.' }],
    tools: [selection()],
    limits: { depth: 16 },
    timeoutMs: 0,
  })
  const window = open()
  const message = await window.send('Hi')
  const { token } = await until(() => window.executed[0])
  const value = JSON.parse('['.repeat(20) + ']'.repeat(20))
  assert.match((await window.call('result', { message, call: 1, token, value })).error.detail, /nested deeper than 16/)
  assert.equal(await done(window, message), 'completed')
  assert.match(window.cards(message)[0].error, /no usable result: nested deeper/)
})

test('a tool runs in one place', () => {
  assert.throws(() => tool({ name: 'x', runsIn: 'window', execute: () => 1 }), { code: 'option', path: 'x.runsIn' })
  assert.throws(() => tool({ name: 'x', runsIn: 'cloud' }), { code: 'option', path: 'runsIn' })
})

// -- configuration ----------------------------------------------------------------------------------------------------

test('a person configures: switches, tools, and what the model sees', async (t) => {
  const { tool, ran } = guarded()
  const kept = []
  const { server, engine, open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.' }],
    tools: [tool],
    maxCalls: 7,
    host: { onConfigure: (all) => kept.push(all) },
  })
  const window = open()
  const view = await window.get('configuration')
  assert.deepEqual([view.settings.maxCalls, view.settings.maxRounds, view.settings.mode], [7, 5, 'auto'])
  assert.deepEqual(
    view.tools.map(({ name, permission, executionApproval, exposed }) => [
      name,
      permission,
      executionApproval,
      exposed,
    ]),
    [['file.delete', 'sensitive', null, true]],
  )
  assert.match(view.prompt, /file\.delete/)
  assert.ok(view.tokens.native > 0 && view.tokens.text > view.tokens.native)
  assert.equal(view.estimatedTokens, view.tokens.native)
  assert.equal((await window.get('configure', { settings: { mode: 'text' } })).estimatedTokens, view.tokens.text)
  kept.length = 0
  assert.ok(['auto', 'vcp', 'hermes'].every((id) => view.protocols.includes(id)))

  const changed = await window.get('configure', {
    settings: { mode: 'native', maxRounds: 2, toolToggles: { x: false } },
    tools: { 'file.delete': { executionApproval: 'auto' } },
  })
  assert.deepEqual(
    [changed.settings.mode, changed.defaults.mode, changed.tools[0].executionApproval, changed.tools[0].changed],
    ['native', 'auto', 'auto', ['executionApproval']],
  )
  assert.deepEqual(kept, [
    {
      settings: { mode: 'native', maxRounds: 2, toolToggles: { x: false } },
      tools: { 'file.delete': { executionApproval: 'auto' } },
    },
  ])
  const message = await window.send('Hi')
  await done(window, message)
  assert.equal(ran.length, 1, 'it did not ask')
  assert.equal(server.requests.length, 2)

  const back = await window.get('configure', {
    settings: { mode: null, toolToggles: { x: null, 'file.delete': false } },
    tools: { 'file.delete': { executionApproval: null } },
  })
  assert.deepEqual(
    [back.settings.mode, back.settings.maxRounds, back.settings.toolToggles],
    ['auto', 2, { 'file.delete': false }],
  )
  assert.deepEqual(
    [back.tools[0].exposed, back.tools[0].executionApproval, back.tools[0].changed],
    [false, null, undefined],
  )
  assert.equal(engine.tools[0], tool)
  assert.deepEqual(kept.at(-1), { settings: { maxRounds: 2, toolToggles: { 'file.delete': false } }, tools: {} })
})

test('what was remembered is listed, and can be forgotten', async (t) => {
  const { tool, ran } = guarded({ permission: 'moderate' })
  const kept = []
  const { engine, open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.' }, callsDelete, { text: 'Done.' }],
    tools: [tool],
    host: { onConfigure: (all) => kept.push(all) },
  })
  const window = open()
  const first = await window.send('Hi')
  const { token } = await asked(window, first)
  await window.get('approve', { message: first, token, remember: 'session' })
  await done(window, first)
  assert.equal(ran.length, 1)
  engine.rules.add({ tool: 'other', effect: 'deny', scope: 'always', arguments: { path: '/' } })
  const [allowed, denied] = (await window.get('configuration')).rules
  assert.deepEqual([allowed.tool, allowed.effect, allowed.scope], ['file.delete', 'allow', 'session'])
  assert.deepEqual([denied.tool, denied.effect, denied.arguments], ['other', 'deny', { path: '/' }])

  const { rules } = await window.get('configure', { revoke: [allowed.id, 'gone long ago'] })
  assert.deepEqual(
    rules.map(({ id }) => id),
    [denied.id],
  )
  assert.deepEqual(
    engine.rules.list().map(({ tool }) => tool),
    ['other'],
  )
  assert.deepEqual(kept, [], 'rules are kept elsewhere')
  const message = await window.send('Again')
  await asked(window, message)
  assert.equal(ran.length, 1, 'now it asks')

  assert.deepEqual(
    (await open({ rights: { chat: true } }).call('configure', { revoke: [denied.id] })).error.code,
    'forbidden',
  )
  assert.equal((await window.call('configure', { revoke: [7] })).error.path, 'revoke[0]')
  assert.equal(engine.rules.list().length, 1)
})

test('what was configured before counts from the start, for tools that come later too', async (t) => {
  const { tool, ran } = guarded()
  const { engine, open } = await hostStage(t, {
    answers: [callsDelete, { text: 'Done.' }],
    host: { configuration: { tools: { 'file.delete': { permission: 'public' } } } },
  })
  engine.add(tool)
  const window = open()
  await done(window, await window.send('Hi'))
  assert.equal(ran.length, 1)
})

test('a wrong value is told with its path and changes nothing', async (t) => {
  const { tool } = guarded()
  const { open } = await hostStage(t, { tools: [tool] })
  const window = open()
  const before = await window.get('configuration')
  for (const [patch, code, path] of [
    [{ settings: { maxRounds: 'many' } }, 'argument', 'settings.maxRounds'],
    [{ settings: { protocol: 'nope' } }, 'argument', 'settings.protocol'],
    [{ settings: { mode: 'native', toolToggles: { x: 3 } } }, 'argument', 'settings.toolToggles.x'],
    [{ settings: { limits: { textBytes: 1 } } }, 'forbidden', 'settings.limits'],
    [{ settings: { model: 'x' } }, 'forbidden', 'settings.model'],
    [{ settings: { transport: 'x' } }, 'forbidden', 'settings.transport'],
    [{ settings: [] }, 'argument', 'settings'],
    [{ tools: { 'file.delete': { permission: 'everyone' } } }, 'argument', 'tools.file.delete.permission'],
    [{ tools: { 'file.delete': { agentCallable: true } } }, 'argument', 'tools.file.delete.agentCallable'],
    [{ tools: { nope: { permission: 'public' } } }, 'not_found', 'tools.nope'],
    [{ request: {} }, 'argument', 'request'],
    [null, 'argument', undefined],
  ]) {
    const { ok, error } = await window.call('configure', patch)
    assert.deepEqual([ok, error?.code, error?.path], [false, code, path], JSON.stringify(patch))
  }
  assert.deepEqual(await window.get('configuration'), before)
})

// -- the pet ----------------------------------------------------------------------------------------------------------

const hiyori = {
  model: 'Hiyori',
  expressions: ['smile'],
  motions: { Idle: 2 },
  parameters: [{ id: 'ParamAngleX', min: -30, max: 30 }],
}
const smiles = {
  parts: [{ text: 'Hi ' }, { call: { name: 'live2d_expression', arguments: { name: 'smile' } } }, { text: 'there' }],
}

test('a pet that has a model is given orders', async (t) => {
  const { engine, open } = await hostStage(t, { answers: [smiles, smiles] })
  const [pet, chat] = [open({ pet: true }), open()]
  await pet.get('petReady', hiyori)
  assert.deepEqual(
    engine.tools.map(({ name }) => name),
    ['live2d.expression', 'live2d.motion'],
  )
  const message = await chat.send('Hi')
  const order = await until(() => pet.orders[0])
  assert.deepEqual([order.channel, order.payload], ['live2d:expression', ['smile']])
  assert.deepEqual(chat.orders, [], 'a window that may be the pet, but is not')
  await pet.get('petReply', { id: order.id, ok: true })
  await done(chat, message)
  assert.deepEqual([chat.cards(message)[0].status, chat.cards(message)[0].notice], ['success', undefined])
  await pet.get('petReady', null)
  assert.deepEqual(engine.tools, [])
})

test('a pet that cannot is told of on the card, which stays a success', async (t) => {
  const failures = []
  const { engine, open } = await hostStage(t, {
    answers: () => smiles,
    host: { petReplyMs: 30, onPetFailure: (failure) => failures.push(failure) },
  })
  const [pet, chat] = [open({ pet: true }), open()]
  await pet.get('petReady', hiyori)
  const notice = async (act) => {
    const message = await chat.send('Hi')
    await act(pet.orders.at(-1) ?? (await until(() => pet.orders.at(-1))))
    const text = await until(() => chat.cards(message)[0]?.notice)
    await done(chat, message)
    assert.equal(chat.cards(message)[0].status, 'success')
    assert.deepEqual(failures.at(-1), { message, call: 1, channel: 'live2d:expression', reason: text })
    pet.orders.length = 0
    return text
  }
  assert.equal(await notice(async () => {}), 'the pet did not answer')
  const order = (count) => until(() => pet.orders[count])
  assert.equal(
    await notice(async () => pet.get('petReply', { id: (await order(0)).id, ok: false, reason: 'no such expression' })),
    'no such expression',
  )
  assert.equal(engine.tools.length, 2)
  assert.equal(
    await notice(async () => {
      await order(0)
      pet.close()
    }),
    'the pet window was closed',
  )
  assert.deepEqual(engine.tools, [], 'and its tools went with it')
})

test('an order that waits for its words has 30 s, and the usual time from then on', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] }) // no connection is open: it would take their hours for its own
  const orders = []
  const pet = new Pet({ add: () => {}, remove: () => {} }, { cues: 'spoken', petReplyMs: 100 })
  const window = { rights: { pet: true }, peer: { pet: (order) => orders.push(order) } }
  pet.ready(window, hiyori)
  const next = () => {
    let said
    pet.order(
      { id: 'm', hold: () => () => {}, flush: () => {}, notice: (call, reason) => (said = reason) },
      { call: 1, channel: 'live2d:expression', payload: ['smile'] },
    )
    const { id, ...order } = orders.at(-1)
    assert.deepEqual(order, { channel: 'live2d:expression', payload: ['smile'], message: 'm', call: 1, spoken: true })
    return { id, notice: () => said }
  }
  const pass = (ms) => t.mock.timers.tick(ms)
  const held = next()
  pet.hold(window, held.id, true)
  pass(25_000)
  assert.equal(held.notice(), undefined, 'it waits')
  pet.hold(window, held.id, false)
  pass(99)
  assert.equal(held.notice(), undefined)
  pass(1)
  assert.equal(held.notice(), 'the pet did not answer')

  const other = next()
  pet.hold(window, other.id, true)
  pass(30_200)
  assert.equal(other.notice(), 'the pet did not answer', 'no longer than that')
  pet.hold(window, other.id, true)
  pet.hold(window, 10_000, true)
  pet.reply(window, other.id, undefined)

  const stopped = next()
  pet.hold(window, stopped.id, true)
  pet.reply(window, stopped.id, 'its words were not said')
  assert.equal(stopped.notice(), 'its words were not said')
})

test('a window cannot hold orders where nothing waits for words', async (t) => {
  const { open } = await hostStage(t, { answers: () => smiles, host: { petReplyMs: 30 } })
  const [pet, chat] = [open({ pet: true }), open()]
  await pet.get('petReady', hiyori)
  const message = await chat.send('Hi')
  const order = await until(() => pet.orders[0])
  assert.equal(order.spoken, undefined)
  await pet.get('petHold', { id: order.id, held: true })
  assert.equal(await until(() => chat.cards(message)[0]?.notice), 'the pet did not answer')
  assert.equal((await pet.call('petHold', { id: 'x', held: true })).error.code, 'argument')
  assert.deepEqual(chat.cards(message)[0].sent, {
    block: 0,
    offset: 3,
    channel: 'live2d:expression',
    payload: ['smile'],
  })
})

test('an order that nobody can carry out is told', async (t) => {
  const { engine, open } = await hostStage(t, { answers: [smiles], host: { onPet: () => {} } })
  const { live2dTools } = await import('sluice/live2d')
  engine.add(...live2dTools(hiyori))
  const chat = open()
  const message = await chat.send('Hi')
  await done(chat, message)
  assert.match(chat.cards(message)[0].notice, /no pet window/)
})

test('the app may make the tools itself, and wrong capabilities are refused', async (t) => {
  const told = []
  const { engine, open } = await hostStage(t, { host: { onPet: (capabilities) => told.push(capabilities) } })
  const pet = open({ pet: true })
  await pet.get('petReady', hiyori)
  await pet.get('petReady', null)
  assert.deepEqual(told, [hiyori, null])
  assert.deepEqual(engine.tools, [])
  for (const [capabilities, path] of [
    [{ motions: {} }, 'expressions'],
    [{ expressions: ['a', 3], motions: {} }, 'expressions[1]'],
    [{ expressions: ['a\nb'], motions: {} }, 'expressions[0]'],
    [{ expressions: [], motions: { Idle: -1 } }, 'motions.Idle'],
    [{ expressions: [], motions: [] }, 'motions'],
    [{ expressions: Array(501).fill('a'), motions: {} }, 'expressions'],
    [{ expressions: [], motions: {}, parameters: [{ id: 'a', min: NaN, max: 1 }] }, 'parameters[0].min'],
  ]) {
    assert.equal((await pet.call('petReady', capabilities)).error?.path, path)
  }
  assert.equal(told.length, 2)
})

test('a window reads nothing unless it was said', async (t) => {
  const { open } = await hostStage(t)
  const message = await open().send('Hi')
  assert.equal((await open({ read: true }).call('subscribe', { message })).ok, true)
  for (const rights of [{}, { pet: true }, { chat: true, approve: true }, { ...everything, read: false }]) {
    assert.equal((await open(rights).call('subscribe', { message })).error.code, 'forbidden')
    assert.equal((await open(rights).call('open', {})).error.code, 'forbidden')
  }
})

test('what the oldest messages leave behind is counted, and every entry keeps its id', async (t) => {
  const { open } = await hostStage(t, { answers: (_, count) => ({ text: `${count}` }), host: { keepMessages: 2 } })
  const [window, other] = [open(), open()]
  await other.get('open', { conversation: 'quiet' })
  await done(other, await other.send('first', 'quiet'))
  const before = new Map()
  for (const text of ['a', 'b', 'c', 'd']) {
    await done(window, await window.send(text))
    const { entries, forgotten } = await window.get('open')
    assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length)
    entries.forEach((entry, at) => {
      assert.deepEqual(before.get(forgotten + at) ?? entry, entry, 'the same place, the same entry')
      before.set(forgotten + at, entry)
    })
  }
  assert.equal(before.size, 8)
  const view = await until(
    () => other.conversations.get('quiet')?.entries.length === 0 && other.conversations.get('quiet'),
    'another conversation forgets too, and says so',
  )
  assert.deepEqual(view, { id: 'quiet', forgotten: 2, entries: [] })
})

test('a host that is closed waits for no tool that takes no notice, and says which', async (t) => {
  const deaf = tool({
    name: 'deaf.one',
    permission: 'public',
    agentCallable: true,
    execute: () => new Promise(() => {}),
  })
  const { host, open } = await hostStage(t, {
    answers: [{ calls: [{ name: 'deaf_one', arguments: {} }] }],
    tools: [deaf],
  })
  const window = open()
  const message = await window.send('Hi')
  await until(() => window.cards(message)[0]?.status === 'executing')
  assert.deepEqual(await host.close(), { stillRunning: [{ message, call: 1, name: 'deaf.one' }] })
  assert.equal(window.view(message).outcome, 'cancelled', 'windows are shown how it ended')
  assert.equal(window.frames.at(-1).closed, true)
  assert.equal((await window.call('send', { text: 'x' })).error.code, 'closed')
})

test('the pet is told when the window has the text in front of it', async (t) => {
  const answer = {
    parts: [
      { text: 'Before. ' },
      { call: { name: 'live2d_expression', arguments: { name: 'smile' } } },
      { text: 'Behind.' },
    ],
  }
  const { host } = await hostStage(t, { answers: [answer], host: { frameMs: 50 } })
  const seen = []
  const bridge = host.bridge({ read: true, chat: true, pet: true })
  let view
  bridge.onFrame(({ messages = [] }) => {
    for (const { deltas, seq } of messages) view = applyDeltas(view, deltas, seq)
  })
  bridge.onPet(({ id }) => {
    seen.push(view.blocks.map((block) => block.text).join(''))
    void bridge.call('petReply', { id, ok: true })
  })
  await bridge.call('petReady', hiyori)
  const { message } = (await bridge.call('send', { text: 'Hi' })).value
  view = (await bridge.call('subscribe', { message })).value
  await until(() => view.outcome)
  assert.deepEqual(seen, ['Before. '])
})

test('a message of many blocks costs its length, not the square of it', async (t) => {
  const parts = (count) => Array.from({ length: count }, (_, at) => (at % 2 ? { text: 't' } : { reasoning: 'r' }))
  const time = async (count) => {
    const { open } = await hostStage(t, { answers: [{ parts: parts(count) }], flushMs: 0, host: { frameMs: 50 } })
    const window = open()
    const start = process.cpuUsage()
    const message = await window.send('Hi')
    await until(() => window.view(message).outcome, 'the end')
    assert.equal(window.view(message).blocks.length, count)
    const { user } = process.cpuUsage(start)
    return user
  }
  await time(500)
  const [small, large] = [await time(1000), await time(8000)]
  assert.ok(large < small * 8 * 3, `8 times the blocks took ${(large / small).toFixed(1)} times the time`)
})

test('a window that asks in a loop is refused before it takes the time of others', async (t) => {
  const { engine, open } = await hostStage(t, {
    answers: [{ text: 'x'.repeat(1_000_000) }],
    server: { deltas: 'whole' },
  })
  const [greedy, other] = [open(), open()]
  const message = await greedy.send('Hi')
  await done(greedy, message)
  const replies = await Promise.all(
    Array.from({ length: 3000 }, () => greedy.connection.call('subscribe', { message })),
  )
  const refused = replies.filter(({ ok }) => !ok)
  assert.ok(refused.length > 1000 && refused.every(({ error }) => error.code === 'limit'), `${refused.length} of 3000`)
  assert.equal((await other.call('open', {})).ok, true)
  assert.equal((await greedy.call('send', { text: 'a person is never refused' })).ok, true)
  const first = (await other.call('configuration')).value
  const { value: again } = await other.connection.call('configuration')
  assert.equal((await other.connection.call('configuration')).value, again, 'nothing is made anew')
  engine.add(tool({ name: 'new.one', agentCallable: true, execute: () => 'new' }))
  assert.equal((await other.call('configuration')).value.tools.length, first.tools.length + 1)
})

// -- speech -----------------------------------------------------------------------------------------------------------

test('a window gets the sound of a text, and nothing of how it is made', async (t) => {
  const said = []
  let slow
  const { open, host } = await hostStage(t, {
    host: {
      speech: async function* (text, signal) {
        said.push(text)
        if (text === 'fail') throw new Error('401: wrong key sk-SECRET')
        if (text === 'slow')
          await new Promise((resolve, reject) => {
            slow = resolve
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        if (text === 'endless') for (;;) yield new Uint8Array(1_000_000)
        yield new TextEncoder().encode(text.slice(0, 2))
        yield new TextEncoder().encode(text.slice(2))
      },
    },
  })
  const window = open({ read: true, pet: true })
  assert.equal(Buffer.from(await window.get('synthesize', { text: '你好呀' }), 'base64').toString(), '你好呀')
  const code = async (one, input) => (await one.call('synthesize', input)).error.code
  assert.equal(
    await code(open({ read: true }), { text: 'x' }),
    'forbidden',
    'a window that only looks costs nobody anything',
  )
  assert.equal(await code(open({ pet: true, chat: true }), { text: 'x' }), 'forbidden')
  assert.equal(await code(window, { text: 'x'.repeat(2001) }), 'limit')
  assert.equal(await code(window, { text: '' }), 'argument')
  assert.equal(await code(window, { text: 'endless' }), 'limit')
  t.mock.method(process, 'emitWarning', () => {})
  const failed = await window.call('synthesize', { text: 'fail' })
  assert.equal(failed.error.code, 'internal')
  assert.doesNotMatch(JSON.stringify(failed), /SECRET/)
  const open6 = Array.from({ length: 6 }, () => window.call('synthesize', { text: 'slow' }))
  await until(() => slow)
  assert.equal(await code(window, { text: 'slow' }), 'limit')
  const other = open({ read: true, chat: true })
  assert.equal(await other.get('synthesize', { text: '' + 'ok' }), btoa('ok'), 'another window has its own share')
  void host.close()
  for (const reply of await Promise.all(open6)) assert.equal(reply.ok, false)

  const without = await hostStage(t)
  assert.equal(await code(without.open(), { text: 'x' }), 'state')
})
