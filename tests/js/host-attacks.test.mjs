// What a window that was taken over might try. None of it may run a tool, throw, or cost much.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { tool } from 'sluice'
import { callsDelete, everything, guarded, hostStage, until } from './host-support.mjs'

const { methods } = await built('messages')

const asked = (window, message) => until(() => window.asks(message)[0], 'a question')

/** A question that waits, in a window that may answer it, and another window with the rights given. */
async function waiting(t, rights = everything, more = {}) {
  const { tool, ran } = guarded()
  const stage = await hostStage(t, { answers: () => callsDelete, tools: [tool], ...more })
  const owner = stage.open()
  const message = await owner.send('Hi')
  const ask = await asked(owner, message)
  const attacker = stage.open(rights)
  await attacker.watch(message)
  return { ...stage, owner, attacker, message, ask, ran }
}

test('a token of another window decides nothing', async (t) => {
  const { attacker, owner, message, ask, ran } = await waiting(t)
  assert.equal((await attacker.call('approve', { message, token: ask.token })).error.code, 'forbidden')
  assert.equal((await attacker.call('deny', { message, token: ask.token })).error.code, 'forbidden')
  assert.equal(await owner.get('deny', { message, token: ask.token }), true, 'the question still waits')
  assert.deepEqual(ran, [])
})

test('a token is good for one decision, and for no other question', async (t) => {
  const { owner, message, ask, ran } = await waiting(t)
  const other = await owner.send('Again', 'other')
  const second = await asked(owner, other)
  assert.equal((await owner.call('approve', { message: other, token: ask.token })).error.code, 'forbidden')
  assert.equal((await owner.call('approve', { message, token: second.token })).error.code, 'forbidden')
  assert.equal(await owner.get('deny', { message, token: ask.token }), true)
  for (const method of ['approve', 'deny'])
    assert.equal(await owner.get(method, { message, token: ask.token }), false, 'replayed')
  // the model tries the same again
  const third = await until(() => owner.asks(message).find(({ token }) => token !== ask.token))
  assert.ok(third)
  assert.equal(await owner.get('approve', { message, token: ask.token }), false, 'of the question before')
  assert.deepEqual(ran, [])
})

test('tokens cannot be guessed, and are of one length', async (t) => {
  const { owner, attacker, message, ask, ran } = await waiting(t)
  const tokens = new Set([ask.token, attacker.asks(message)[0].token])
  for (const guess of [
    '',
    'x',
    'x'.repeat(42),
    'x'.repeat(44),
    null,
    undefined,
    0,
    {},
    [ask.token],
    { toString: () => ask.token },
  ]) {
    const { error } = await owner.call('approve', { message, token: guess })
    assert.ok(['argument', 'limit'].includes(error.code), typeof guess)
  }
  assert.equal((await owner.call('approve', { message, token: 'x'.repeat(43) })).error.code, 'forbidden')
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
  assert.equal(tokens.size, 2)
  assert.deepEqual(ran, [])
})

test('a question that waits can be answered however many came after it', async (t) => {
  const many = {
    calls: Array.from({ length: 400 }, (_, at) => ({
      id: `call_${at}`,
      name: 'file_delete',
      arguments: { path: `/${at}` },
    })),
  }
  const { tool, ran } = guarded()
  const { open } = await hostStage(t, {
    answers: ({ body }) => (body.messages.at(-1).content === 'one' ? callsDelete : many),
    tools: [tool],
    maxCalls: 1000,
    limits: { callsPerRound: 1000 },
  })
  const window = open()
  const message = await window.send('one', 'first')
  const { token } = await asked(window, message)
  for (const conversation of ['a', 'b', 'c']) {
    const other = await window.send('many', conversation)
    await until(() => window.asks(other).length === 400)
    await window.get('cancel', { message: other })
    await until(() => window.view(other).outcome)
  }
  assert.equal(await window.get('approve', { message, token }), true)
  await until(() => ran.length === 1)
})

test('a decision names its stage: arguments and duration do not release a result', async (t) => {
  const { tool } = guarded({ resultApproval: 'always' })
  const { open, server } = await hostStage(t, { answers: () => callsDelete, tools: [tool] })
  const window = open()
  const message = await window.send('Hi')
  const { token } = await asked(window, message)
  assert.equal(await window.get('approve', { message, token }), true)
  await until(() => window.asks(message)[0]?.stage === 'result')
  assert.equal(await window.get('approve', { message, token }), false, 'a double click')
  assert.equal(server.requests.length, 1, 'nothing was released')
})

test('a right that a window lacks is refused, method by method', async (t) => {
  const { open, owner, message, ask, ran } = await waiting(t)
  const needs = {
    send: 'chat',
    cancel: 'chat',
    result: 'chat',
    approve: 'approve',
    deny: 'approve',
    configuration: 'configure',
    configure: 'configure',
    petReady: 'pet',
    petReply: 'pet',
    petHold: 'pet',
    petFirst: 'pet',
    petNotToday: 'read',
    petVoice: 'pet',
    petDrop: 'pet',
    voice: 'chat',
    endVoice: 'chat',
    takeDrops: 'chat',
    synthesize: 'read',
    heard: 'read',
    watchConversations: 'read',
    server: 'server',
    localServers: 'server',
    serverModels: 'server',
    checkServer: 'server',
    checkStep: 'server',
    useServer: 'server',
    subscribe: 'read',
    unsubscribe: 'read',
    open: 'read',
    earlier: 'read',
    conversations: 'read',
    search: 'read',
    export: 'read',
    picture: 'read',
    file: 'read',
    attachments: 'chat',
    regenerate: 'chat',
    edit: 'chat',
    goOn: 'chat',
    choose: 'chat',
    openLink: 'chat',
    openKnownLink: 'chat',
    rename: 'chat',
    delete: 'chat',
  }
  assert.deepEqual(Object.keys(needs).sort(), [...methods].sort())
  for (const [method, right] of Object.entries(needs)) {
    const window = open({ ...everything, [right]: false })
    for (const input of [undefined, {}, { message, token: ask.token, text: 'x' }]) {
      assert.deepEqual([method, (await window.call(method, input)).error.code], [method, 'forbidden'])
    }
  }
  assert.equal(owner.view(message).outcome, undefined)
  assert.deepEqual(ran, [])
})

test('rights count at the moment of the call', async (t) => {
  const { attacker, message, ran } = await waiting(t)
  const [{ token }] = attacker.asks(message)
  attacker.rights.approve = false
  try {
    assert.equal((await attacker.call('approve', { message, token })).error.code, 'forbidden')
  } finally {
    attacker.rights.approve = true
  }
  assert.deepEqual(ran, [])
})

test('a window that may not answer is not shown tokens, by snapshot or delta', async (t) => {
  const { attacker, owner, message } = await waiting(t, { read: true, chat: true })
  assert.deepEqual(attacker.asks(message), [])
  const other = await attacker.send('Again', 'other')
  await until(() => attacker.cards(other)[0]?.status === 'awaiting_approval')
  await owner.watch(other)
  assert.equal(owner.asks(other).length, 1)
  assert.doesNotMatch(JSON.stringify(attacker.frames), /token/)
})

test('the result of a tool comes from the window that was told to run it', async (t) => {
  const inWindow = tool({
    name: 'editor.selection',
    description: '',
    permission: 'public',
    agentCallable: true,
    runsIn: 'window',
  })
  const { open } = await hostStage(t, {
    answers: () => ({ calls: [{ name: 'editor_selection' }] }),
    tools: [inWindow],
    maxRounds: 1,
    forceFinalAnswer: false,
  })
  const [owner, attacker] = [open(), open()]
  const message = await owner.send('Hi')
  const { token, call } = await until(() => owner.executed[0])
  for (const forged of [
    { message, call, token },
    { message, call, token: 'x'.repeat(43) },
  ]) {
    assert.equal((await attacker.call('result', { ...forged, value: 'forged' })).error.code, 'state')
  }
  assert.equal((await owner.call('result', { message, call: call + 1, token, value: 'forged' })).error.code, 'state')
  const cycle = {}
  cycle.self = cycle
  assert.equal((await owner.call('result', { message, call, token, value: cycle })).error.code, 'limit')
  await until(() => owner.cards(message)[0].error)
  assert.match(owner.cards(message)[0].error, /no usable result/)
})

test('members that mean something to JavaScript are refused, wherever they stand', async (t) => {
  const { owner, message, ask, ran } = await waiting(t, everything)
  const { token } = ask
  const own = (key, value) => JSON.parse(`{ ${JSON.stringify(key)}: ${JSON.stringify(value)} }`)
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const evil = own(key, { polluted: true }) // an own member, also where it is __proto__
    for (const [method, input] of [
      ['send', { text: 'x', ...evil }],
      ['send', own(key, { text: 'x' })],
      ['approve', { message, token, arguments: evil }],
      ['approve', { message, token, arguments: { path: [{ deep: evil }] } }],
      ['configure', { settings: evil }],
      ['configure', { settings: { toolToggles: evil } }],
      ['configure', { tools: evil }],
      ['petReady', { expressions: [], motions: own(key, 1) }],
      ['open', own(key, 'x')],
    ]) {
      const { error } = await owner.call(method, input)
      assert.equal(error?.code, 'argument', `${method} ${JSON.stringify(input)}`)
    }
  }
  assert.equal({}.polluted, undefined)
  assert.deepEqual(ran, [])
})

test('huge inputs are refused at once', async (t) => {
  const { owner, attacker, message, ask, ran } = await waiting(t)
  const { token } = ask
  const huge = 'x'.repeat(100_000_000)
  const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000))
  const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`k${n}`, n]))
  const bomb = Array.from({ length: 40 }).reduce((inner) => [inner, inner, inner, inner], 1) // 4^40 values, few objects
  const sparse = []
  sparse.length = 4_000_000_000
  const cases = [
    ['send', { text: huge }],
    ['send', { text: 'x', conversation: huge }],
    ['send', huge],
    ['send', { [huge]: 1 }],
    [huge, {}],
    ['cancel', { message: huge }],
    ['subscribe', { message: huge }],
    ['open', { conversation: huge }],
    ['approve', { message, token: huge }],
    ['approve', { message: huge, token }],
    ['deny', { message, token, reason: huge }],
    ...[huge, deep, wide, bomb, sparse].flatMap((value) => [
      ['approve', { message, token, arguments: { value } }],
      ['configure', { settings: { alsoParse: value } }],
      ['configure', { settings: { toolToggles: value } }],
      ['configure', { tools: value }],
      ['petReady', { expressions: value, motions: {} }],
      ['petReady', { expressions: [], motions: { a: value } }],
      ['result', { message, call: 1, token, value }],
    ]),
  ]
  const start = process.cpuUsage()
  for (const [method, input] of cases) {
    const reply = await owner.connection.call(method, input)
    assert.equal(reply.ok, false, String(method).slice(0, 20))
    assert.ok(JSON.stringify(reply).length < 3000, 'and not told back')
  }
  const ms = process.cpuUsage(start).user / 1000
  t.diagnostic(`${cases.length} huge inputs in ${ms.toFixed(0)} ms`)
  assert.ok(ms < 20_000, `${ms} ms: it was walked through`)
  assert.equal(attacker.asks(message).length, 1)
  assert.deepEqual(ran, [])
})

test('a window cannot subscribe or open without bounds', async (t) => {
  const { open } = await hostStage(t, {
    answers: () => ({ parts: [{ text: 'a' }, { wait: 60_000 }] }),
    host: { maxRunning: 200, keepMessages: 10 },
  })
  const window = open()
  const replies = []
  for (let n = 0; n < 120; n++) {
    const { message } = await window.get('send', { text: 'x', conversation: `c${n}` })
    replies.push(await window.call('subscribe', { message }))
  }
  assert.deepEqual([replies.filter(({ ok }) => ok).length, replies.at(-1).error?.code], [100, 'limit'])
  for (let n = 0; n < 1020; n++) assert.equal((await window.call('open', { conversation: `o${n}` })).ok, true)
  const left = () => window.frames.flatMap((frame) => frame.left ?? [])
  await until(() => left().length >= 20)
  assert.deepEqual(
    left(),
    Array.from({ length: 20 }, (_, n) => `o${n}`),
    'those that it opened longest ago',
  )
})

test('garbage of all kinds is an answer, never an exception, and runs nothing', async (t) => {
  const { owner, attacker, message, ask, ran, engine } = await waiting(t)
  const random = generator(4711)
  const pieces = [
    undefined,
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    NaN,
    Infinity,
    -0,
    2 ** 53,
    10n,
    '',
    'x',
    '\0',
    '\ud800',
    'main',
    message,
    ask.token,
    'once',
    'always',
    'vcp',
    Symbol('s'),
    () => ask.token,
    new Date(0),
    /x/,
    new Map([['token', ask.token]]),
    new Set([1]),
    new Uint8Array(8),
    new ArrayBuffer(8),
    new Error('x'),
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap')
        },
      },
    ),
    {
      get token() {
        throw new Error('getter')
      },
    },
    Object.create({ token: ask.token, message }),
    Object.create(null),
    Promise.resolve(1),
    new (class Ask {
      token = ask.token
    })(),
  ]
  const names = [
    'text',
    'conversation',
    'message',
    'call',
    'remember',
    'exact',
    'arguments',
    'reason',
    'settings',
    'tools',
    'value',
    'error',
    'id',
    'ok',
    'expressions',
    'motions',
    'x',
    '__proto__',
  ]
  const pick = (list) => list[Math.floor(random() * list.length)]
  const make = (depth) => {
    const kind = random()
    if (depth === 0 || kind < 0.4) return pick(pieces)
    if (kind < 0.55) return Array.from({ length: Math.floor(random() * 4) }, () => make(depth - 1))
    const value = {}
    for (let n = Math.floor(random() * 5); n > 0; n--)
      Object.defineProperty(value, pick(names), {
        value: make(depth - 1),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    return value
  }
  const called = [
    ...methods.filter((method) => method !== 'cancel' && method !== 'deny'),
    'constructor',
    '__proto__',
    'toString',
    'frame',
    '',
    null,
    7,
    {},
    ['send'],
  ]
  let refused = 0
  for (let n = 0; n < 20_000; n++) {
    const input = make(3)
    // Whatever has both the token and the message may decide: that is no attack.
    if (typeof input === 'object' && input !== null && Object.getOwnPropertyDescriptor(input, 'token')) continue
    const reply = await attacker.connection.call(pick(called), input)
    assert.equal(typeof reply.ok, 'boolean')
    if (!reply.ok) {
      refused++
      assert.equal(typeof reply.error.code, 'string')
      assert.ok(reply.error.detail.length < 3000)
      assert.notEqual(reply.error.code, 'internal', JSON.stringify(reply.error))
    }
  }
  t.diagnostic(`${refused} of 20,000 were refused`)
  assert.ok(refused > 15_000)
  assert.equal({}.x, undefined)
  assert.equal(owner.asks(message).length, 1, 'the question still waits')
  assert.ok(engine.tools.some(({ name }) => name === 'file.delete'))
  assert.deepEqual(ran, [])
})

test('a window that throws when it is told something is closed, and others go on', async (t) => {
  const { host, open, server } = await hostStage(t, {
    answers: [{ parts: [{ text: 'a' }, { wait: 30 }, { text: 'b' }] }],
  })
  const window = open()
  const broken = host.connect({
    id: 'broken',
    rights: everything,
    frame: () => {
      throw new Error('gone')
    },
    pet: () => {
      throw new Error('gone')
    },
  })
  const message = await window.send('Hi')
  assert.equal((await broken.call('subscribe', { message })).ok, true)
  await until(() => window.view(message).outcome)
  assert.equal((await broken.call('subscribe', { message })).error.code, 'closed')
  assert.equal(window.text(message), 'ab')
  assert.equal(server.requests.length, 1)
})

test('hooks of the app that throw break no turn', async (t) => {
  const warnings = []
  const warn = (warning) => warnings.push(warning.message)
  process.on('warning', warn)
  t.after(() => process.off('warning', warn))
  const boom = () => {
    throw new Error('boom')
  }
  const { open } = await hostStage(t, { host: { onEvent: boom, onConfigure: boom } })
  const window = open()
  assert.equal((await window.call('configure', { settings: { maxRounds: 3 } })).ok, true)
  const message = await window.send('Hi')
  await until(() => window.view(message).outcome === 'completed')
  assert.ok(warnings.some((text) => /onEvent threw: boom/.test(text)))
  assert.ok(warnings.some((text) => /onConfigure threw: boom/.test(text)))
})

/** The same numbers every time. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
