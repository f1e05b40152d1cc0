// The store of a window against a main process of a few lines, over a wire that delivers late, in odd orders, and not
// everything.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { built } from './dist.mjs'
import { ClientError, connect } from 'sluice/renderer'

const { applyDeltas, emptyView } = await built('view')

/** A bridge whose calls are answered by `answer(method, input)`; `frame` and `pet` say something to the window. */
function wire(answer = () => undefined) {
  const calls = []
  const [frames, pets] = [new Set(), new Set()]
  const add = (set) => (listener) => (set.add(listener), () => void set.delete(listener))
  const bridge = {
    async call(method, input) {
      calls.push({ method, ...(input === undefined ? {} : { input }) })
      return { ok: true, value: await answer(method, input) }
    },
    onFrame: add(frames),
    onPet: add(pets),
  }
  const say = (set) => (data) => set.forEach((listener) => listener(data))
  return { bridge, calls, frame: say(frames), pet: say(pets), listening: () => frames.size + pets.size }
}

const refusal = (error) => ({
  call: async () => ({ ok: false, error }),
  onFrame: () => () => {},
  onPet: () => () => {},
})
const text = (text, block = 0) => ({ type: 'text', block, text })
const view = (id, seq, said, more = {}) => ({ ...emptyView(id), seq, blocks: [{ type: 'text', text: said }], ...more })
const named = (calls) => calls.map(({ method }) => method)

test('a message is subscribed to with its first listener and left when it is done and nobody looks', async () => {
  const { bridge, calls, frame } = wire((method) => (method === 'subscribe' ? view('m1', 3, 'He') : undefined))
  const message = connect(bridge).message('m1')
  await turn()
  assert.deepEqual(calls, [], 'nobody looked yet')
  let told = 0
  const off = message.subscribe(() => told++)
  assert.equal(message.getSnapshot().blocks.length, 0)
  await turn()
  assert.equal(message.getSnapshot().blocks[0].text, 'He')
  const before = message.getSnapshot()
  assert.equal(message.getSnapshot(), before, 'the same object while nothing changes')
  frame({ messages: [{ id: 'm1', after: 3, seq: 5, deltas: [text('l'), text('lo')] }] })
  assert.equal(told, 2, 'one call for the snapshot, one for the frame')
  assert.equal(before.blocks[0].text, 'He', 'what was given out is not changed')
  assert.equal(message.getSnapshot().blocks[0].text, 'Hello')
  off()
  await turn()
  assert.deepEqual(named(calls), ['subscribe'], 'it goes on, and somebody may want its end')
  frame({ messages: [{ id: 'm1', after: 5, seq: 6, deltas: [{ type: 'done', outcome: 'completed' }] }] })
  assert.equal((await message.done).outcome, 'completed')
  await turn()
  assert.deepEqual(named(calls), ['subscribe', 'unsubscribe'])
  assert.equal(told, 2)
})

test('a done message is followed while somebody looks: a notice may come behind it', async () => {
  const card = { type: 'tool_use', call: 1, name: 'live2d.expression' }
  const { bridge, calls, frame } = wire(() => ({ ...emptyView('m1'), seq: 9, blocks: [card], outcome: 'completed' }))
  const message = connect(bridge).message('m1')
  const off = message.subscribe(() => {})
  await turn()
  frame({
    messages: [{ id: 'm1', after: 9, seq: 10, deltas: [{ type: 'notice', call: 1, text: 'no such expression' }] }],
  })
  assert.equal(message.getSnapshot().blocks[0].notice, 'no such expression')
  off()
  await turn()
  assert.deepEqual(named(calls), ['subscribe', 'unsubscribe'])
})

test('getSnapshot and done alone follow a message too', async () => {
  const { bridge, calls, frame } = wire((_, input) => view(input?.message, 1, 'x'))
  const client = connect(bridge)
  assert.equal(client.message('m1'), client.message('m1'))
  client.message('m1').getSnapshot()
  const done = client.message('m2').done
  await turn()
  assert.deepEqual(
    calls.map(({ input }) => input.message),
    ['m1', 'm2'],
  )
  const end = [{ type: 'done', outcome: 'cancelled' }]
  frame({ messages: ['m1', 'm2'].map((id) => ({ id, after: 1, seq: 2, deltas: end })) })
  assert.equal(client.message('m1').getSnapshot().outcome, 'cancelled')
  assert.equal((await done).id, 'm2')
})

test('subscribe and getSnapshot work unbound, as useSyncExternalStore calls them', async () => {
  const { bridge } = wire((method) =>
    method === 'open'
      ? { id: 'main', forgotten: 0, entries: [{ id: 'a', role: 'user', text: 'hi' }] }
      : view('m1', 1, 'x'),
  )
  const client = connect(bridge)
  for (const { subscribe, getSnapshot } of [client.message('m1'), client.open()]) {
    const first = getSnapshot()
    const off = subscribe(() => {})
    await turn()
    assert.notEqual(getSnapshot(), first)
    off()
  }
})

test('listeners that throw, leave or come while they are told do not disturb the others', async (t) => {
  const errors = t.mock.method(console, 'error', () => {})
  const { bridge, frame } = wire(() => view('m1', 0, ''))
  const message = connect(bridge).message('m1')
  const heard = []
  let offLater
  message.subscribe(() => {
    throw new Error('no')
  })
  message.subscribe(() => (heard.push('a'), offLater()))
  offLater = message.subscribe(() => heard.push('never'))
  const twice = () => heard.push('b')
  message.subscribe(twice)
  message.subscribe(twice)()
  await turn()
  frame({ messages: [{ id: 'm1', after: 0, seq: 1, deltas: [text('x')] }] })
  assert.deepEqual(heard, ['a', 'b', 'a', 'b'])
  assert.equal(errors.mock.callCount(), 2)
})

test('frames before the snapshot are held; those it has already are not applied again', async () => {
  let give
  const { bridge, calls, frame } = wire(() => new Promise((resolve) => (give = resolve)))
  const message = connect(bridge).message('m1')
  message.subscribe(() => {})
  frame({ messages: [{ id: 'm1', after: 0, seq: 2, deltas: [text('ab')] }] }) // of an older subscription
  frame({ messages: [{ id: 'm1', after: 2, seq: 3, deltas: [text('c')] }] })
  give(view('m1', 2, 'ab'))
  await turn()
  assert.equal(message.getSnapshot().blocks[0].text, 'abc')
  frame({ messages: [{ id: 'm1', after: 2, seq: 3, deltas: [text('c')] }] })
  assert.equal(message.getSnapshot().blocks[0].text, 'abc')
  assert.equal(calls.length, 1)
})

test('the time to answer a question counts by the clock of this window', async () => {
  const hostsNow = Date.now() - 90_000
  const ask = (call, leftMs) => ({
    call,
    stage: 'execution',
    token: `t${call}`,
    digest: 'd',
    expiresAt: hostsNow + 60_000,
    leftMs,
  })
  const { bridge, frame } = wire(() => ({ ...emptyView('m1'), seq: 1, questions: [ask(1, 60_000)] }))
  const message = connect(bridge).message('m1')
  message.subscribe(() => {})
  await turn()
  frame({
    messages: [
      {
        id: 'm1',
        after: 1,
        seq: 2,
        deltas: [
          { type: 'ask', ask: ask(2, 20_000) },
          { type: 'ask', ask: { ...ask(3), leftMs: undefined } },
        ],
      },
    ],
  })
  const left = message.getSnapshot().questions.map(({ expiresAt }) => Math.round((expiresAt - Date.now()) / 10_000))
  assert.deepEqual(left, [6, 2, -3], 'a host that does not say how much was left is believed')
})

test('after a gap there is a new snapshot', async () => {
  const snapshots = [view('m1', 1, 'a'), view('m1', 5, 'abcde')]
  const { bridge, calls, frame } = wire(() => snapshots.shift())
  const message = connect(bridge).message('m1')
  message.subscribe(() => {})
  await turn()
  frame({ messages: [{ id: 'm1', after: 3, seq: 4, deltas: [text('d')] }] })
  assert.equal(message.getSnapshot().blocks[0].text, 'a', 'what cannot follow is not shown')
  frame({ messages: [{ id: 'm1', after: 4, seq: 5, deltas: [text('e')] }] })
  frame({ messages: [{ id: 'm1', after: 5, seq: 6, deltas: [text('f')] }] })
  await turn()
  assert.equal(message.getSnapshot().blocks[0].text, 'abcdef')
  assert.deepEqual(named(calls), ['subscribe', 'subscribe'])
})

// A message of 300 deltas, told by a host that groups them, over a wire with two lanes (replies, frames) that are
// emptied in random order, to a window that comes and goes. Whatever it shows must be what the message was at that seq.
function chaos(seed, { lossy }) {
  let state = seed
  const random = (below) => (
    (state = (Math.imul(state, 1664525) + 1013904223) >>> 0), Math.floor((state / 2 ** 32) * below)
  )
  const id = 'm1'
  let truth = emptyView(id)
  const history = [truth]
  let position // of the window, or undefined
  let pending = []
  const lanes = { replies: [], frames: [] }
  const { bridge, frame } = wire((method) => {
    const value = method === 'subscribe' ? ((pending = []), (position = truth.seq), truth) : void (position = undefined)
    return new Promise((resolve) => lanes.replies.push(() => resolve(value)))
  })
  const flush = () => {
    if (position === undefined || pending.length === 0) return
    const message = structuredClone({ id, after: position, seq: truth.seq, deltas: pending })
    ;[pending, position] = [[], truth.seq]
    if (!lossy || random(12) > 0) lanes.frames.push(() => frame({ messages: [message] }))
  }
  const add = (delta) => {
    truth = applyDeltas(truth, [delta], truth.seq + 1)
    history.push(truth)
    if (position !== undefined) pending.push(delta)
  }
  const deliver = () => {
    const lane = lanes[random(2) ? 'replies' : 'frames']
    lane.shift()?.()
  }
  return {
    random,
    add,
    flush,
    deliver,
    idle: () => lanes.replies.length + lanes.frames.length === 0,
    history,
    message: connect(bridge).message(id),
  }
}

for (const lossy of [false, true]) {
  test(`however replies and frames${lossy ? ', some of them lost,' : ''} overtake each other, no delta is lost or doubled`, async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { random, add, flush, deliver, idle, history, message } = chaos(seed * 7919, { lossy })
      let lastSeq = 0
      let off
      const check = () => {
        const seen = message.getSnapshot()
        assert.ok(seen.seq >= lastSeq, `seed ${seed}: it never goes back`)
        lastSeq = seen.seq
        assert.deepEqual(seen, history[seen.seq], `seed ${seed}, seq ${seen.seq}`)
      }
      for (let n = 0; n < 300; n++) {
        const action = random(10)
        if (action < 5)
          add(text(`${n} `, random(3) && history.at(-1).blocks.length - 1 > 0 ? history.at(-1).blocks.length - 1 : 0))
        else if (action < 7) flush()
        else if (action < 9) deliver()
        else if (off) off = void off()
        else off = message.subscribe(check)
        if (random(3) === 0) await turn()
      }
      off ??= message.subscribe(check)
      add({ type: 'done', outcome: 'completed' })
      flush()
      // What was lost at the very end shows with the next frame; a host that is alive sends one.
      for (let n = 0; n < 400; n++) {
        if (idle() && message.getSnapshot().seq < history.length - 1) add({ type: 'usage', outputTokens: 1 }), flush()
        deliver()
        await turn()
      }
      check()
      assert.equal(lastSeq, history.length - 1, `seed ${seed}: it has everything`)
      assert.equal((await message.done).outcome, 'completed')
    }
  })
}

test('a message that cannot be had is shown as failed, and tried again with the next listener', async () => {
  const error = { code: 'not_found', detail: 'there is no message "m9"', hint: 'it may be gone' }
  let reply = { ok: false, error }
  const bridge = { ...refusal(), call: async () => reply }
  const message = connect(bridge).message('m9')
  const off = message.subscribe(() => {})
  await assert.rejects(
    message.done,
    (thrown) => thrown instanceof ClientError && thrown.code === 'not_found' && thrown.hint === error.hint,
  )
  assert.deepEqual(message.getSnapshot().blocks, [{ type: 'error', ...error }])
  assert.equal(message.getSnapshot().outcome, 'failed')
  off()
  reply = { ok: true, value: view('m9', 1, 'here') }
  message.subscribe(() => {})
  await turn()
  assert.deepEqual(message.getSnapshot(), reply.value)
  const later = Promise.race([message.done, turn().then(() => 'waits')])
  assert.equal(await later, 'waits', 'it is no longer what it was')
})

test('a message that was had to its end stays what it is, also when the host has forgotten it', async () => {
  let reply = { ok: true, value: view('m1', 4, 'all of it', { outcome: 'completed' }) }
  const message = connect({ ...refusal(), call: async () => reply }).message('m1')
  message.subscribe(() => {})()
  await turn()
  assert.equal(message.getSnapshot().outcome, 'completed')
  reply = { ok: false, error: { code: 'not_found', detail: 'it is too old' } }
  message.subscribe(() => {})
  await turn()
  assert.deepEqual(message.getSnapshot().blocks, [{ type: 'text', text: 'all of it' }])
  assert.equal((await message.done).outcome, 'completed')
})

test('send, cancel and decisions say what they mean', async () => {
  const { bridge, calls } = wire((method) => ({ send: { message: 'm1' }, approve: true, deny: false })[method])
  const client = connect(bridge)
  const message = await client.send('hello', { conversation: 'side' })
  assert.equal(message, client.message('m1'))
  const ask = { token: 't1', call: 1, stage: 'execution' }
  assert.equal(await message.approve(ask, { remember: 'session', exact: true, arguments: { a: 1 } }), true)
  assert.equal(await message.release({ token: 't2' }), true)
  assert.equal(await message.deny({ token: 't3' }, 'not now'), false)
  await message.cancel()
  await message.cancel(2)
  assert.deepEqual(calls, [
    { method: 'send', input: { conversation: 'side', text: 'hello' } },
    { method: 'approve', input: { remember: 'session', exact: true, arguments: { a: 1 }, message: 'm1', token: 't1' } },
    { method: 'approve', input: { message: 'm1', token: 't2' } },
    { method: 'deny', input: { message: 'm1', token: 't3', reason: 'not now' } },
    { method: 'cancel', input: { message: 'm1' } },
    { method: 'cancel', input: { message: 'm1', call: 2 } },
  ])
})

test('decisionOn: names the decision that counts, by the question and not by its call alone', async () => {
  const approvals = [
    { stage: 'execution', decision: 'approved', by: 'user', who: 'ann', at: 7 },
    { stage: 'result', decision: 'denied', by: 'user' },
    { stage: 'result', decision: 'expired', by: 'policy' },
  ]
  const snapshot = {
    id: 'm1',
    seq: 1,
    role: 'assistant',
    rounds: 1,
    questions: [],
    blocks: [
      { type: 'text', text: 'a' },
      { type: 'tool_use', call: 1, name: 'a.b', approvals },
      { type: 'tool_use', call: 2, name: 'a.b' },
    ],
  }
  const message = connect({ ...refusal(), call: async () => ({ ok: true, value: snapshot }) }).message('m1')
  message.subscribe(() => {})
  await turn()
  assert.deepEqual(
    { ...message.decisionOn({ call: 1, stage: 'execution' }) },
    { decision: 'approve', by: 'ann', at: 7 },
  )
  assert.equal(message.decisionOn({ call: 1, stage: 'result' }).decision, 'deny')
  for (const call of [2, 3]) assert.deepEqual(message.decisionOn({ call, stage: 'execution' }), {})
})

test('what the host refuses is a ClientError with its fields, and so is a bridge that breaks', async () => {
  const error = { code: 'forbidden', detail: 'this window may not send', path: 'send', hint: 'rights.chat' }
  await assert.rejects(connect(refusal(error)).send('x'), (thrown) => {
    assert.ok(thrown instanceof ClientError)
    assert.equal(thrown.message, 'send: this window may not send (rights.chat)')
    assert.deepEqual({ ...thrown }, { name: 'ClientError', ...error })
    return true
  })
  const broken = {
    ...refusal(),
    call: () => {
      throw new Error('An object could not be cloned.')
    },
  }
  await assert.rejects(connect(broken).configure({}), {
    code: 'bridge',
    path: 'configure',
    detail: 'An object could not be cloned.',
  })
  assert.throws(() => connect(), { code: 'bridge', message: /window\.sluice.*webPreferences\.preload/ })
  assert.throws(() => connect({}), { code: 'bridge', message: /not a bridge/ })
  assert.throws(() => connect(wire().bridge).message(undefined), /expected an id, found undefined/)
})

test('a conversation is opened once, and what a frame said meanwhile is newer than the answer', async () => {
  let give
  const { bridge, calls, frame } = wire(() => new Promise((resolve) => (give = resolve)))
  const client = connect(bridge)
  const conversation = client.open()
  assert.equal(conversation, client.open('main'))
  let told = 0
  conversation.subscribe(() => told++)
  conversation.getSnapshot()
  const newer = {
    id: 'main',
    entries: [
      { role: 'user', text: 'a' },
      { role: 'assistant', message: 'm1' },
    ],
  }
  frame({ conversations: [newer, { id: 'other', entries: [] }] })
  give({ id: 'main', entries: [{ role: 'user', text: 'a' }] })
  assert.deepEqual(await conversation.opened, newer)
  assert.deepEqual(conversation.getSnapshot(), newer)
  assert.equal(told, 1)
  assert.deepEqual(calls, [{ method: 'open', input: { conversation: 'main' } }])
})

test('a conversation that the host left is opened again by who looks next, and stands as it was until then', async () => {
  let n = 0
  const { bridge, calls, frame } = wire(async () => ({
    id: 'main',
    forgotten: 0,
    entries: [{ role: 'user', text: `${++n}` }],
  }))
  const client = connect(bridge)
  const conversation = client.open()
  await conversation.opened
  frame({ left: ['main', 'other'] })
  assert.equal(calls.length, 1)
  assert.equal(conversation.getSnapshot().entries[0].text, '1')
  await conversation.opened
  assert.equal(conversation.getSnapshot().entries[0].text, '2')
  assert.equal(calls.length, 2)
})

test('a conversation that could not be opened is tried again by whoever asks anew, not by a page that draws', async () => {
  const answers = [
    new Error('EMFILE: too many open files'),
    new Error('EMFILE: too many open files'),
    { id: 'main', forgotten: 0, entries: [{ role: 'user', text: 'kept' }] },
  ]
  const { bridge, calls } = wire()
  bridge.call = async (method) => {
    calls.push({ method })
    const value = answers.shift()
    return value instanceof Error
      ? { ok: false, error: { code: 'internal', detail: value.message } }
      : { ok: true, value }
  }
  const conversation = connect(bridge).open()
  conversation.subscribe(() => {})
  await assert.rejects(conversation.opened, { code: 'internal' })
  for (let drawn = 0; drawn < 3; drawn++) conversation.getSnapshot()
  assert.equal(calls.length, 1)
  await assert.rejects(conversation.opened, { code: 'internal' })
  let told = 0
  conversation.subscribe(() => told++)
  assert.equal((await conversation.opened).entries[0].text, 'kept')
  assert.equal(conversation.getSnapshot().entries[0].text, 'kept')
  assert.deepEqual([told, calls.length], [1, 3])
})

test('tools of the window: a result, a failure, an unknown one, an abort', async () => {
  const { bridge, calls, frame } = wire()
  const client = connect(bridge)
  const aborted = []
  const off = client.tools({
    'page.title': (args, { name, call }) => ({ title: args.of, name, call, at: new Date(0), left: undefined }),
    'page.fail': async () => {
      throw new Error('no page')
    },
    'page.odd': () => 10n,
    'page.wait': (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(aborted.push(signal.reason.message)))),
    'page.nothing': () => {},
  })
  const order = (call, name, args = {}) => ({ message: 'm1', call, token: `t${call}`, name, arguments: args })
  frame({
    execute: [
      order(1, 'page.title', { of: 'x' }),
      order(2, 'page.fail'),
      order(3, 'page.odd'),
      order(4, 'page.wait'),
      order(5, 'page.nothing'),
      order(6, 'page.none'),
    ],
  })
  await turn()
  frame({
    abort: [
      { message: 'm1', call: 4, reason: 'timeout' },
      { message: 'm1', call: 99, reason: 'unknown' },
    ],
  })
  await turn()
  assert.deepEqual(aborted, ['timeout'])
  assert.ok(calls.every(({ method }) => method === 'result'))
  const results = Object.fromEntries(
    calls.map(({ input: { call, message, token, ...result } }) => [`${message} ${token}`, result]),
  )
  assert.match(results['m1 t3'].error, /BigInt/)
  delete results['m1 t3']
  assert.deepEqual(results, {
    'm1 t1': { value: { title: 'x', name: 'page.title', call: 1, at: '1970-01-01T00:00:00.000Z' } },
    'm1 t2': { error: 'no page' },
    'm1 t5': { value: null },
    'm1 t6': { error: 'this window has no tool "page.none"' },
  })
  off()
  frame({ execute: [order(7, 'page.title')] })
  await turn()
  assert.match(calls.at(-1).input.error, /no tool/)
  assert.throws(() => client.tools({ 'page.title': null }), /tools\.page\.title: expected a function, found null/)
})

test('a result that is lost on its way is told as a failure', async () => {
  const { bridge, calls, frame } = wire()
  const told = bridge.call
  bridge.call = async (method, input) => {
    const reply = await told(method, input)
    return 'value' in input
      ? { ok: false, error: { code: 'limit', detail: 'the body is larger than 10 bytes' } }
      : reply
  }
  connect(bridge).tools({ long: () => 'a long text' })
  frame({ execute: [{ message: 'm1', call: 1, token: 't1', name: 'long', arguments: {} }] })
  await turn()
  const common = { message: 'm1', call: 1, token: 't1' }
  assert.deepEqual(
    calls.map(({ input }) => input),
    [
      { ...common, value: 'a long text' },
      { ...common, error: 'the body is larger than 10 bytes' },
    ],
  )
})

test('the pet hears orders in their order, and answers', async () => {
  const { bridge, calls, pet } = wire()
  const client = connect(bridge)
  const heard = []
  const off = client.pet.onOrder((order) => heard.push(order.payload[0]))
  await client.pet.ready({ expressions: ['smile'], motions: {} })
  for (const [id, name] of ['smile', 'smile', 'sad'].entries())
    pet({ id, channel: 'live2d:expression', payload: [name] })
  await client.pet.reply({ id: 2, ok: false, reason: 'no such expression' })
  await client.pet.ready(null)
  off()
  pet({ id: 3, channel: 'live2d:expression', payload: ['late'] })
  assert.deepEqual(heard, ['smile', 'smile', 'sad'])
  assert.deepEqual(
    calls.map(({ input }) => input),
    [{ expressions: ['smile'], motions: {} }, { id: 2, ok: false, reason: 'no such expression' }, null],
  )
})

test('one client for a bridge until it is closed; then nothing comes and nothing goes', async () => {
  const { bridge, calls, frame, listening } = wire((method) =>
    method === 'subscribe' ? view('m1', 1, 'x') : undefined,
  )
  const client = connect(bridge)
  assert.equal(connect(bridge), client)
  const message = client.message('m1')
  let told = 0
  message.subscribe(() => told++)
  const { done } = message
  client.pet.onOrder(() => {})
  let reason
  client.tools({
    wait: (_, { signal }) =>
      new Promise(() => signal.addEventListener('abort', () => (reason = signal.reason.message))),
  })
  frame({ execute: [{ message: 'm1', call: 1, token: 't', name: 'wait', arguments: {} }] })
  await turn()
  client.close()
  client.close()
  assert.equal(reason, 'the client was closed')
  await assert.rejects(done, { code: 'closed' })
  await assert.rejects(client.send('x'), { code: 'closed' })
  assert.deepEqual(named(calls), ['subscribe', 'unsubscribe'])
  assert.equal(listening(), 0)
  assert.equal(message.getSnapshot().blocks[0].text, 'x', 'what was there stays')
  assert.equal(told, 2)
  assert.notEqual(connect(bridge), client)
})

// -- the connection ---------------------------------------------------------------------------------------------------

/** A bridge that tells how its connection stands. */
function shaky(answer) {
  const made = wire(answer)
  const states = new Set()
  const retries = []
  Object.assign(made.bridge, {
    onConnection: (listener) => (states.add(listener), () => void states.delete(listener)),
    retry: () => retries.push('now'),
  })
  return { ...made, retries, state: (...state) => states.forEach((listener) => listener(...state)) }
}

test('the connection is a store: its state, since when, and when the next try is', () => {
  const { bridge, state, retries } = shaky()
  const { connection } = connect(bridge)
  const seen = []
  const off = connection.subscribe(() => seen.push([connection.getSnapshot(), connection.retryAt]))
  assert.equal(connection.state, 'connected')
  connection.retry()
  assert.deepEqual(retries, [], 'there is nothing to try')
  state('reconnecting', 5)
  state('reconnecting', 5)
  state('reconnecting', 9)
  connection.retry()
  state('lost', 9)
  state('connected')
  off()
  state('lost')
  assert.deepEqual(seen, [
    ['reconnecting', 5],
    ['reconnecting', 9],
    ['lost', 9],
    ['connected', undefined],
  ])
  assert.deepEqual(retries, ['now'])
  assert.ok(Math.abs(connection.since - Date.now()) < 20_000)
})

test('what goes on when the host is lost is at its end, and goes on when the host is there again', async () => {
  let snapshot = view('m1', 2, 'Hel')
  const { bridge, state, frame } = shaky(() => snapshot)
  const client = connect(bridge)
  const message = client.message('m1')
  message.subscribe(() => {})
  await turn()
  state('reconnecting', 1)
  assert.equal(message.getSnapshot().outcome, undefined, 'it may still come')
  state('lost', 1)
  const broken = message.getSnapshot()
  assert.deepEqual([broken.outcome, broken.blocks[0].text, broken.blocks[1].code], ['failed', 'Hel', 'connection'])
  await assert.rejects(message.done, { code: 'connection' })
  const late = client.message('m2')
  late.subscribe(() => {})
  assert.equal(late.getSnapshot().outcome, 'failed', 'a message that is looked at now does not wait either')
  snapshot = view('m1', 4, 'Hello')
  state('connected')
  await turn()
  assert.deepEqual(
    [message.getSnapshot().outcome, message.getSnapshot().blocks.map(({ text }) => text)],
    [undefined, ['Hello']],
  )
  frame({ messages: [{ id: 'm1', after: 4, seq: 5, deltas: [text('!')] }] })
  assert.equal(message.getSnapshot().blocks[0].text, 'Hello!')
  const { done } = message
  frame({ messages: [{ id: 'm1', after: 5, seq: 6, deltas: [{ type: 'done', outcome: 'completed' }] }] })
  assert.equal((await done).outcome, 'completed', 'whoever waits again')
})

test('a message that ended before stays what it is when the host is lost', async () => {
  const { bridge, state } = shaky(() => view('m1', 2, 'Hello', { outcome: 'completed' }))
  const message = connect(bridge).message('m1')
  await message.done
  state('lost')
  assert.equal(message.getSnapshot().outcome, 'completed')
})

test('a host that says that it is closed is lost, and one that answers is there', async () => {
  const { bridge, frame } = wire((method) =>
    method === 'open' ? { id: 'main', forgotten: 0, entries: [] } : view('m1', 1, 'x'),
  )
  const client = connect(bridge)
  const message = client.message('m1')
  message.subscribe(() => {})
  await turn()
  frame({ closed: true })
  assert.equal(client.connection.state, 'lost')
  assert.equal(message.getSnapshot().outcome, 'failed')
  await client.open().opened
  assert.equal(client.connection.state, 'connected')
})

// -- memory -----------------------------------------------------------------------------------------------------------

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

test('of 1,000 messages of 50 kB that were looked at less than 5 MB are left', async () => {
  const { bridge, frame } = wire((_, input) =>
    view(input?.message, 1, Buffer.alloc(50_000, input?.message).toString('latin1')),
  )
  const client = connect(bridge)
  const held = async () => {
    for (let tries = 0; tries < 10; tries++) {
      await turn()
      collect()
    }
    return process.memoryUsage().heapUsed
  }
  const before = await held()
  for (let at = 0; at < 1000; at++) {
    const off = client.message(`m${at}`).subscribe(() => {})
    await turn()
    frame({ messages: [{ id: `m${at}`, after: 1, seq: 2, deltas: [{ type: 'done', outcome: 'completed' }] }] })
    assert.equal(client.message(`m${at}`).getSnapshot().blocks[0].text.length, 50_000)
    off()
    await turn()
  }
  const more = (await held()) - before
  assert.ok(more <= 5e6, `${more} bytes`)
})

test('messages that ended and are not shown are not kept', async () => {
  const { bridge, frame } = wire((_, input) => view(input?.message, 1, 'x'.repeat(50_000)))
  const client = connect(bridge)
  const refs = []
  const shown = []
  for (let at = 0; at < 40; at++) {
    const message = client.message(`m${at}`)
    const off = message.subscribe(() => {})
    await turn()
    frame({
      messages: [{ id: `m${at}`, after: 1, seq: 2, deltas: at < 30 ? [{ type: 'done', outcome: 'completed' }] : [] }],
    })
    if (at >= 10) off()
    else shown.push(message)
    refs.push(new WeakRef(message))
  }
  for (let tries = 0; tries < 10; tries++) {
    await turn()
    collect()
  }
  const alive = refs.map((ref) => ref.deref() !== undefined)
  assert.deepEqual(alive.slice(0, 10), Array(10).fill(true), 'those that are shown')
  assert.deepEqual(alive.slice(10, 30), Array(20).fill(false), 'those that ended')
  assert.deepEqual(alive.slice(30), Array(10).fill(true), 'those that go on: somebody may wait for their end')
  assert.equal(client.message('m3'), shown[3])
  frame({ messages: [{ id: 'm35', after: 2, seq: 3, deltas: [{ type: 'done', outcome: 'completed' }] }] })
  assert.equal((await client.message('m35').done).outcome, 'completed')
})
