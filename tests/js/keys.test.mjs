// What a call is known by, and what is saved before it begins: an effect outside belongs to one card, also after a
// crash.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { cards, collect, echo, ofType, stage } from './support.mjs'

const call = (text, id = text) => ({ id, name: 'echo_back', arguments: { text } })
const keyOf = (round, args, name = 'echo.back') =>
  `${round}:${createHash('sha256')
    .update(`${name}\0${JSON.stringify(args)}`)
    .digest('hex')
    .slice(0, 32)}`
const modelOf = (server) => ({ baseURL: server.baseURL, apiKey: 'secret' })
const noted = (more = {}) => {
  const ran = []
  return {
    ran,
    tool: (also = {}) =>
      echo({
        identity: '1',
        ...more,
        ...also,
        execute: (args, { key }) => {
          ran.push([key, args.text])
          return `ran ${args.text}`
        },
      }),
  }
}

test('the key of a call: its round, its tool and its arguments, and a number for equal calls of the round', async (t) => {
  const { ran, tool: made } = noted()
  const other = tool({
    name: 'other',
    agentCallable: true,
    permission: 'public',
    parameters: { type: 'object', properties: { b: { type: 'number' }, a: { type: 'number' } } },
    execute: (args, { key }) => {
      ran.push([key, args])
      return 'ok'
    },
  })
  const { run } = await stage(t, {
    answers: [
      {
        calls: [
          call('a', '1'),
          call('b', '2'),
          call('a', '3'),
          call('a', '4'),
          { id: '5', name: 'other', arguments: { b: 2, a: 1 } },
        ],
      },
      { calls: [call('a', '6')] },
      { text: 'Done.' },
    ],
    tools: [made(), other],
  })
  const own = run({ id: 'run' })
  const events = await collect(own)
  const expected = [
    keyOf(1, { text: 'a' }),
    keyOf(1, { text: 'b' }),
    `${keyOf(1, { text: 'a' })}:2`,
    `${keyOf(1, { text: 'a' })}:3`,
    keyOf(1, { a: 1, b: 2 }, 'other'),
    keyOf(2, { text: 'a' }),
  ]
  assert.deepEqual(
    ran.map(([key]) => key),
    expected.map((key) => `run:${key}`),
  )
  assert.deepEqual(
    ofType(events, 'execute').map(({ key }) => key),
    expected,
  )
  assert.deepEqual(
    cards(await own.done).map(({ key }) => key),
    expected,
  )
  for (const { call: number, digest } of ofType(events, 'execute'))
    assert.equal(digest, cards(await own.done)[number - 1].digest)
  assert.equal(
    new Set(ofType(events, 'execute').map(({ digest }) => digest)).size,
    3,
    'the digest is about tool, arguments and definition, as that of a question',
  )
})

test('an edited or resolved call has the key of the arguments that it runs with, and the digest of its question', async (t) => {
  const { ran, tool: made } = noted({ permission: 'sensitive' })
  const { run } = await stage(t, { answers: [{ calls: [call('a'), call('b')] }, { text: 'Done.' }], tools: [made()] })
  const own = run({
    id: 'run',
    beforeExecute: ({ arguments: { text } }) => (text === 'b' ? { arguments: { text: 'resolved' } } : undefined),
  })
  const asked = []
  await collect(own, (event) => {
    if (event.type !== 'approval') return
    asked.push(event.digest)
    own.approve(event, event.call === 1 ? { arguments: { text: 'edited' } } : {})
  })
  assert.deepEqual(ran, [
    [`run:${keyOf(1, { text: 'edited' })}`, 'edited'],
    [`run:${keyOf(1, { text: 'resolved' })}`, 'resolved'],
  ])
  const [edited, resolved] = cards(await own.done)
  assert.deepEqual([edited.digest, resolved.digest], asked)
  assert.deepEqual([edited.key, resolved.key], [keyOf(1, { text: 'edited' }), keyOf(1, { text: 'resolved' })])
})

test('two calls that the app makes equal have two keys', async (t) => {
  const { ran, tool: made } = noted()
  const { run } = await stage(t, {
    answers: [{ calls: [call('a'), call('b')] }, { text: 'Done.' }],
    tools: [made()],
    execution: 'parallel',
  })
  await run({ id: 'run', beforeExecute: () => ({ arguments: { text: 'same' } }) }).done
  const key = `run:${keyOf(1, { text: 'same' })}`
  assert.deepEqual(ran, [
    [key, 'same'],
    [`${key}:2`, 'same'],
  ])
})

test('a call that a restored turn runs again has its key and its arguments, whatever the app would resolve now', async (t) => {
  const { ran, tool: made } = noted({ idempotent: true })
  const { server, run } = await stage(t, {
    answers: ({ body }) =>
      body.messages.length === 1 ? { calls: [call('a', '1'), call('a', '2')] } : { text: 'Done.' },
    tools: [made()],
    execution: 'parallel',
  })
  const states = []
  await run({
    id: 'run',
    beforeExecute: () => ({ arguments: { text: `at ${states.length}` } }),
    checkpoint: (state, why) => void states.push([why, state]),
  }).done
  const [first, second] = ran
  assert.notEqual(first[0], second[0])
  const engine = new Engine({ tools: [made()], execution: 'parallel' })
  t.after(() => engine.close())
  const [, state] = states.find(([why]) => why === 'tool')
  const result = await engine.resume(state, {
    model: modelOf(server),
    beforeExecute: () => ({ arguments: { text: 'another' } }),
  }).done
  assert.deepEqual(ran, [first, second, first, second])
  assert.deepEqual(
    cards(result).map(({ output }) => output),
    ['ran at 1', 'ran at 1'],
  )
})

/**
 * What a process that dies in `execute` leaves, and what the next one makes of it, where the model says something else
 * each time it is asked.
 */
async function diesInTool(t, options, more = {}) {
  const { ran, tool: made } = noted(options)
  let asked = 0
  const { server, run } = await stage(t, {
    answers: ({ body }) =>
      body.messages.length === 1 ? { text: 'Well. ', calls: [call(`word ${++asked}`)] } : { text: 'Done.' },
    tools: [made()],
  })
  let saved
  const first = run({
    id: 'run',
    checkpoint: async (state) => {
      await delay(5)
      if (ran.length === 0) saved = state
    },
    ...more,
  })
  for await (const event of first)
    if (event.type === 'execute') {
      while (ran.length === 0) await delay(1)
      break
    }
  void first.cancel('', { graceMs: 0 })
  const engine = new Engine({ tools: [made()] })
  t.after(() => engine.close())
  const result = await engine.resume(saved, { model: modelOf(server) }).done
  return { ran, cards: cards(result) }
}

for (const [name, options, more] of [
  ['a public tool', {}],
  ['an idempotent tool', { idempotent: true }],
  ['an immediate tool', { immediate: true }],
  ['an immediate, idempotent tool', { immediate: true, idempotent: true }],
  ['a tool in an engine with `dispatch: block`', { idempotent: true }, { dispatch: 'block' }],
]) {
  test(`${name}: nothing that happened is without its card, and no key is of two calls`, async (t) => {
    const { ran, cards: found } = await diesInTool(t, options, more)
    assert.equal(found.length, 1)
    const [{ arguments: args, status, key }] = found
    for (const [used, text] of ran) assert.deepEqual([used, text], [`run:${key}`, args.text])
    assert.deepEqual([status, ran.length], options.idempotent ? ['success', 2] : ['unknown', 1])
  })
}

test('a read-only tool needs no save: it may run again, or never have been', async (t) => {
  const { tool: made } = noted({ annotations: { readOnlyHint: true } })
  const { run } = await stage(t, { answers: [{ calls: [call('a')] }, { text: 'Done.' }], tools: [made()] })
  const saved = []
  await run({ checkpoint: (_, why) => void saved.push(why) }).done
  assert.deepEqual(saved, ['request', 'request'])
})

test('the hint of a stranger is no reason to leave out a save', async (t) => {
  const { tool: made } = noted({ annotations: { readOnlyHint: true }, from: 'a server' })
  const { run } = await stage(t, { answers: [{ calls: [call('a')] }, { text: 'Done.' }], tools: [made()] })
  const saved = []
  await run({ checkpoint: (_, why) => void saved.push(why) }).done
  assert.deepEqual(saved, ['request', 'tool', 'request'])
})

test('with `checkpoint` a tool starts when the answer has ended; a read-only one, and a message to a window, do not wait', async (t) => {
  const order = []
  const made = (name, more) =>
    tool({
      name,
      agentCallable: true,
      permission: 'public',
      immediate: true,
      ...(more.ipc
        ? {}
        : {
            execute: () => {
              order.push(name)
              return 'ok'
            },
          }),
      ...more,
    })
  const parts = ['reads', 'writes', 'sends'].map((name) => ({ call: { id: name, name, arguments: { n: 1 } } }))
  const { run } = await stage(t, {
    answers: [
      { parts: [...parts, { wait: 60 }, { call: { id: 'last', name: 'writes', arguments: {} } }] },
      { text: 'Done.' },
    ],
    tools: [
      made('reads', { annotations: { readOnlyHint: true } }),
      made('writes', {}),
      made('sends', { ipc: { channel: 'c', payload: [] } }),
    ],
  })
  const own = run({
    checkpoint: () => {},
    ipc: () => order.push('sends'),
    onEvent: (event) => {
      if (event.type === 'round') order.push('end')
    },
  })
  await own.done
  assert.deepEqual(order.slice(0, 5), ['reads', 'sends', 'end', 'writes', 'writes'])
})

test('whoever runs a tool outside reads of its call when it is saved, and only then', async (t) => {
  const external = echo({ execute: undefined, external: true })
  const { run } = await stage(t, {
    answers: [{ calls: [call('a'), call('b')] }, { text: 'Done.' }],
    tools: [external],
    execution: 'parallel',
  })
  let saved = 0
  const own = run({
    checkpoint: async (state, why) => {
      await delay(20)
      if (why === 'tool') saved = JSON.parse(state).cards?.length ?? state.split('"executing"').length - 1
    },
  })
  const seen = []
  const events = await collect(own, (event) => {
    if (event.type !== 'execute') return
    seen.push(saved)
    own.succeed(event, `of ${event.arguments.text}`)
  })
  assert.equal(seen.length, 2)
  assert.ok(
    seen.every((count) => count > 0),
    `${seen}`,
  )
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, at) => at + 1),
    'events are counted without gaps',
  )
  assert.deepEqual(
    cards(await own.done).map(({ output }) => output),
    ['of a', 'of b'],
  )
})

test('a call outside that is cancelled while it is saved is never told', async (t) => {
  const external = echo({ execute: undefined, external: true })
  const { run } = await stage(t, { answers: [{ calls: [call('a')] }, { text: 'Done.' }], tools: [external] })
  let own
  own = run({
    checkpoint: async (_, why) => {
      if (why === 'tool') {
        own.cancelCall(1, 'no longer')
        await delay(10)
      }
    },
  })
  const events = await collect(own)
  assert.deepEqual([ofType(events, 'execute').length, cards(await own.done)[0].status], [0, 'unknown'])
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, at) => at + 1),
  )
})

test('a save that fails: no call outside is told', async (t) => {
  const external = echo({ execute: undefined, external: true })
  const { run } = await stage(t, { answers: [{ calls: [call('a')] }, { text: 'Done.' }], tools: [external] })
  const own = run({
    checkpoint: (_, why) => {
      if (why === 'tool') throw new Error('the disk is full')
    },
  })
  const events = await collect(own)
  assert.deepEqual([ofType(events, 'execute').length, (await own.done).outcome], [0, 'suspended'])
})

test('a run that is suspended while a call outside is saved asks for it again', async (t) => {
  const external = () => echo({ execute: undefined, external: true })
  const { server, run } = await stage(t, { answers: [{ calls: [call('a')] }, { text: 'Done.' }], tools: [external()] })
  let state
  const own = run({
    checkpoint: (_, why) => {
      if (why === 'tool') {
        state = own.suspend()
        return delay(10)
      }
    },
  })
  await own.done
  const engine = new Engine({ tools: [external()] })
  t.after(() => engine.close())
  const second = engine.resume(await state, { model: modelOf(server) })
  await collect(second, (event) => event.type === 'execute' && second.succeed(event, 'here'))
  assert.equal(cards(await second.done)[0].output, 'here')
})
