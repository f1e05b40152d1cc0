// Tools call tools: `context.call` passes the same gate, and the model reads what the caller makes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tool, ToolError } from 'sluice'
import { cards, collect, ofType, stage } from './support.mjs'

const callsScript = { calls: [{ name: 'script_run', arguments: { code: 'x' } }] }
const done = { text: 'Done.' }
const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const make = (name, execute, more = {}) =>
  tool({ name, permission: 'public', agentCallable: true, parameters: path, execute, ...more })
const script = (execute, more = {}) =>
  make('script.run', execute, { parameters: { type: 'object', properties: { code: { type: 'string' } } }, ...more })
const read = (more = {}) => make('fs.read', ({ path }) => ({ path, lines: 3 }), more)
const secret = { permission: 'sensitive' }

/** Runs a script that calls tools. `fault`: what its tool threw. */
async function play(t, execute, tools, more = {}, onEvent = () => {}) {
  const answers = [callsScript, done]
  const { server, run } = await stage(t, { answers, tools: [script(execute, more.script), ...tools], ...more.engine })
  const turn = run(more.run)
  const events = await collect(turn, (event) => onEvent(event, turn))
  const result = await turn.done
  return { server, events, result, card: cards(result)[0] }
}

/** The error with which a call ended. */
const fault = async (called) => {
  try {
    return assert.fail(`it gave ${JSON.stringify(await called)}`)
  } catch (error) {
    return [error.name, error.code, error.detail]
  }
}

test('context.call resolves to what the other tool returned: JSON, text', async (t) => {
  const got = []
  const { server, card } = await play(
    t,
    async (_, { call, number }) => {
      got.push(number, await call('fs.read', { path: 'a' }), await call('says'))
      return 'read'
    },
    [read(), make('says', () => 'five', { parameters: { type: 'object' } })],
  )
  assert.deepEqual(got, [1, { path: 'a', lines: 3 }, 'five'])
  assert.deepEqual(
    card.nested.map(({ call, name, status, source, parent }) => [call, name, status, source, parent]),
    [
      [2, 'fs.read', 'success', 'nested', { call: 1, name: 'script.run' }],
      [3, 'says', 'success', 'nested', { call: 1, name: 'script.run' }],
    ],
  )
  const { messages } = server.requests[1].body
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content ?? null]),
    [
      ['user', 'Hello'],
      ['assistant', null],
      ['tool', 'read'],
    ],
  )
  assert.doesNotMatch(server.requests[1].text, /fs_read.*lines/s)
})

test('the question says who asks; a denial rejects with its reason', async (t) => {
  const seen = []
  const { events, card } = await play(
    t,
    async (_, { call }) =>
      seen.push(await call('fs.write', { path: 'a' }), await fault(call('fs.write', { path: 'b' }))),
    [make('fs.write', () => 'written', secret)],
    {},
    (event, turn) => {
      if (event.type !== 'approval') return
      if (event.arguments.path === 'a') turn.approve(event)
      else turn.deny(event, 'not this one')
    },
  )
  assert.deepEqual(
    ofType(events, 'approval').map(({ call, parent }) => [call, parent]),
    [2, 3].map((call) => [call, { call: 1, name: 'script.run' }]),
  )
  assert.deepEqual(seen, ['written', ['SluiceError', 'denied', 'not this one']])
  assert.deepEqual(
    card.nested.map(({ status }) => status),
    ['success', 'denied'],
  )
})

test('each way in which a call can fail has its code', async (t) => {
  t.mock.method(process, 'emitWarning', () => {})
  let faults
  await play(
    t,
    async (_, { call }) => {
      faults = [
        await fault(call('fs.raed', { path: 'a' })),
        await fault(call('hidden', { path: 'a' })),
        await fault(call('fs.read', { path: { no: 1 } })),
        await fault(call('breaks', { path: 'a' })),
        await fault(call('slow', { path: 'a' })),
        await fault(call('fs.read', { path: 'a' }, { signal: AbortSignal.abort() })),
        await fault(call('ruled', { path: 'a' })),
      ]
    },
    [
      read(),
      make('hidden', () => 'x', { agentCallable: false }),
      make('breaks', () => Promise.reject(new ToolError('no such file'))),
      make('slow', (_, { signal }) => new Promise((end) => signal.addEventListener('abort', end)), { timeoutMs: 20 }),
      make('ruled', () => 'x'),
    ],
    { run: { rules: [{ tool: 'ruled', effect: 'deny' }] } },
  )
  assert.deepEqual(
    faults.map(([, code]) => code),
    ['not_found', 'not_found', 'json', 'failed', 'timeout', 'cancelled', 'denied'],
  )
  assert.equal(faults[3][2], 'no such file')
})

test('calls: the caller may call a hidden tool that it names', async (t) => {
  let got
  await play(
    t,
    async (_, { call }) => (got = await call('hidden', { path: 'a' })),
    [make('hidden', () => 'found', { agentCallable: false })],
    { script: { calls: ['hidden'] } },
  )
  assert.equal(got, 'found')
})

test('Promise.all runs one after another in serial, and at once in parallel', async (t) => {
  for (const [execution, most] of [
    ['serial', 1],
    ['parallel', 3],
  ]) {
    let running = 0
    let peak = 0
    const busy = async () => {
      peak = Math.max(peak, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return 'x'
    }
    await play(
      t,
      (_, { call }) => Promise.all(['a', 'b', 'c'].map((path) => call('busy', { path }))),
      [make('busy', busy)],
      { engine: { execution, maxConcurrentTools: 3 } },
    )
    assert.equal(peak, most, execution)
  }
})

test('a signal cancels one call, the end of the caller all of them; nobody hears of a rejection that is not awaited', async (t) => {
  const aborted = []
  const waits = ({ path }, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(aborted.push(path))))
  let said
  const { card } = await play(
    t,
    async (_, { call }) => {
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 20)
      said = await fault(call('waits', { path: 'a' }, { signal: stop.signal }))
      void call('waits', { path: 'b' })
      await new Promise((resolve) => setTimeout(resolve, 20))
      return 'early'
    },
    [make('waits', waits)],
  )
  assert.equal(said[1], 'cancelled')
  assert.deepEqual(aborted, ['a', 'b'])
  assert.deepEqual(
    card.nested.map(({ status, reason }) => [status, reason]),
    [
      ['unknown', 'cancelled'],
      ['unknown', 'caller_ended'],
    ],
  )
})

test('a caller that has ended cannot call; a call that is late rejects with state', async (t) => {
  let kept
  await play(t, (_, { call }) => void (kept = call), [read()])
  assert.equal((await fault(kept('fs.read', { path: 'a' })))[1], 'state')
})

test('hooks: beforeApproval and afterTool see nested calls, onCall gets their cards', async (t) => {
  const told = []
  let got
  await play(t, async (_, { call }) => (got = await call('fs.read', { path: '$REF' })), [read()], {
    run: {
      beforeApproval: ({ name, arguments: args }) =>
        void told.push(['beforeApproval', name]) ?? (args.path === '$REF' ? { arguments: { path: '/a' } } : undefined),
      afterTool: ({ name, parent }, result) => {
        told.push(['afterTool', name, parent?.name])
        return name === 'fs.read' ? { value: { ...result.value, seen: true } } : undefined
      },
      onCall: ({ name, parent }) => void told.push(['onCall', name, parent?.name]),
    },
  })
  assert.deepEqual(got, { path: '/a', lines: 3, seen: true })
  assert.deepEqual(told, [
    ['beforeApproval', 'script.run'],
    ['beforeApproval', 'fs.read'],
    ['afterTool', 'fs.read', 'script.run'],
    ['onCall', 'fs.read', 'script.run'],
    ['afterTool', 'script.run', undefined],
    ['onCall', 'script.run', undefined],
  ])
})

test('context.messages is the conversation before this answer, context.parent who called', async (t) => {
  let messages
  let parent
  await play(t, (_, context) => ((messages = context.messages), context.call('who', { path: 'a' })), [
    make('who', (_, context) => void (parent = context.parent)),
  ])
  assert.deepEqual(messages, [{ role: 'user', content: 'Hello' }])
  assert.deepEqual(parent, { call: 1, name: 'script.run' })
})

test('an idempotent caller runs again after resume, and gets what it got before: nothing runs twice', async (t) => {
  const ran = []
  const tools = [
    script(async (_, { call }) => [await call('count', { path: 'a' }), await call('fs.write', { path: 'b' })], {
      idempotent: true,
    }),
    make('count', ({ path }) => ({ n: ran.push(path) })),
    make('fs.write', ({ path }) => `wrote ${ran.push(path)}`, secret),
  ]
  const { engine, server, run } = await stage(t, { answers: [callsScript, done], tools })
  const first = run()
  let state
  for await (const event of first) if (event.type === 'approval') state = await first.suspend({ graceMs: 0 })
  const again = engine.resume(state, { model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' } })
  const events = await collect(again, (event) => event.type === 'approval' && again.approve(event))
  assert.deepEqual(ran, ['a', 'b'])
  assert.equal(ofType(events, 'approval').length, 1)
  const [card] = cards(await again.done)
  assert.equal(card.output, '[{"n":1},"wrote 2"]')
})
