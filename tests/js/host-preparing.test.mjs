// An answer before its turn: `system` and `run` of the app may take long, fail, or be given up.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { SluiceError } from 'sluice'
import { memoryConversations } from 'sluice/conversations'
import { UserError } from 'sluice/host'
import { connect } from 'sluice/renderer'
import { callsDelete, guarded, hostStage, until } from './host-support.mjs'

/** A promise, with what settles it. */
function gate() {
  let open, fail
  const passed = new Promise((resolve, reject) => ([open, fail] = [resolve, reject]))
  return { passed, open, fail }
}

/** A host whose `run` waits. `asked`: what it was asked; `goOn(turn)` lets the last one go on. */
async function waitingStage(t, { host = {}, ...options } = {}) {
  const gates = []
  const asked = []
  const stage = await hostStage(t, {
    ...options,
    host: {
      run: (input) => {
        asked.push(input)
        gates.push(gate())
        return gates.at(-1).passed
      },
      ...host,
    },
  })
  const model = { baseURL: stage.server.baseURL, name: 'scripted' }
  const client = connect(stage.host.bridge())
  return {
    ...stage,
    client,
    model,
    asked,
    goOn: (turn = { model }) => gates.at(-1).open(turn),
    fail: (error) => gates.at(-1).fail(error),
    asks: (count) => until(() => gates.length === count, 'the app is asked'),
  }
}

const shown = ({ blocks }) => blocks.map(({ text, code, detail }) => text ?? `${code}: ${detail}`)
const error = (detail) => `hook: ${detail}`
const UNPREPARED = error('the app could not prepare this answer')
const sent = ({ body }) => body.messages.map(({ role, content }) => [role, content])

test('a message is there while the app prepares its answer, in every window and in the store', async (t) => {
  const store = memoryConversations()
  const { server, host, client, goOn, asks } = await waitingStage(t, { host: { conversations: store } })
  const message = await client.send('What about today?')
  await asks(1)
  await until(() => message.getSnapshot().preparing, 'the window knows')
  const other = connect(host.bridge())
  const { entries } = await other.open().opened
  assert.deepEqual(
    entries.map(({ role, text }) => [role, text]),
    [
      ['user', 'What about today?'],
      ['assistant', undefined],
    ],
  )
  await until(async () => (await store.load('main'))?.entries.length === 2, 'both are saved')
  const { entries: kept, head } = await store.load('main')
  assert.deepEqual([kept[1].message.interrupted, kept[1].message.preparing, head], [true, undefined, message.id])
  await assert.rejects(client.send('And tomorrow?'), { code: 'state' }, 'one preparation of a conversation')
  assert.equal(server.requests.length, 0)
  goOn()
  const view = await message.done
  assert.deepEqual([view.preparing, view.outcome, shown(view)], [undefined, 'completed', ['Hello.']])
  const elsewhere = await other.message(message.id).done
  assert.deepEqual([elsewhere.preparing, shown(elsewhere)], [undefined, ['Hello.']])
})

test('`system` is asked first, then the messages are made, then `run` is asked: each with what the answer is for', async (t) => {
  const order = []
  const { server, client, asked, goOn, asks } = await waitingStage(t, {
    answers: () => ({ text: 'Hello.' }),
    host: {
      system: async (about) => {
        order.push(about)
        return `You know ${order.length} things.`
      },
      contextTokens: 40,
    },
  })
  const first = await client.send('x'.repeat(400))
  await asks(1)
  goOn()
  await first.done
  const second = await client.send('Short.', { conversation: 'main' })
  await asks(2)
  goOn()
  await second.done
  await client.regenerate((await client.open().opened).entries.at(-1).id)
  await asks(3)
  goOn()
  await until(() => server.requests.length === 3, 'the third request')
  assert.deepEqual(
    [...order, ...asked].map(({ why, conversation }) => [why, conversation]),
    [
      ['send', 'main'],
      ['send', 'main'],
      ['regenerate', 'main'],
      ['send', 'main'],
      ['send', 'main'],
      ['regenerate', 'main'],
    ],
  )
  assert.equal(order[1].message, second.id)
  assert.ok(order.every(({ signal }, at) => signal === asked[at].signal))
  assert.deepEqual(asked[1].messages, [
    { role: 'system', content: 'You know 2 things.' },
    { role: 'user', content: 'Short.' },
  ])
  assert.deepEqual([asked[1].entry.text, asked[1].entry.role], ['Short.', 'user'])
  assert.deepEqual(sent(server.requests[1]), [
    ['system', 'You know 2 things.'],
    ['user', 'Short.'],
  ])
})

for (const [what, settle, told] of [
  ['throws', ({ fail }) => fail(new Error('/home/me: no key')), /could not prepare an answer: \/home\/me: no key$/],
  ['gives nothing', ({ goOn }) => goOn(null), /run\(\): found null, expected \{ model, … \}/],
  ['gives an unknown member', ({ goOn }) => goOn({ mdoel: {} }), /mdoel: unknown member/],
  ['gives a wrong model', ({ goOn }) => goOn({ model: { baseURL: 'no', name: 'x' } }), /model\.baseURL: /],
  [
    'throws an error of Sluice',
    ({ fail }) => fail(new SluiceError({ code: 'storage', path: '/home/me', detail: 'the disk is full' })),
    /the disk is full/,
  ],
])
  test(`an app that ${what}: the answer is an error block, the developer reads why, and asking again works`, async (t) => {
    const stage = await waitingStage(t)
    const { client, host, server, goOn, asks } = stage
    const message = await client.send('First?')
    await asks(1)
    const warned = once(process, 'warning')
    settle(stage)
    const view = await message.done
    assert.deepEqual([view.outcome, view.preparing, shown(view)], ['failed', undefined, [UNPREPARED]])
    const [{ message: text, detail }] = await warned
    assert.match(text, told)
    assert.match(detail, /\n +at /)
    const again = await client.send('Second?')
    await asks(2)
    goOn()
    await again.done
    assert.deepEqual(sent(server.requests[0]), [['user', 'First?\n\nSecond?']], 'the model reads both questions')
    const id = await host.send('Third?')
    await asks(3)
    settle(stage)
    assert.equal((await client.message(id).done).outcome, 'failed', 'without a window as well')
  })

test('a UserError is what people read, and no warning', async (t) => {
  const warnings = []
  t.mock.method(process, 'emitWarning', (warning) => warnings.push(String(warning)))
  const { client, fail, asks } = await waitingStage(t)
  const message = await client.send('Hi')
  await asks(1)
  fail(new UserError('Choose a model first.'))
  const view = await message.done
  assert.deepEqual([view.outcome, shown(view)], ['failed', [error('Choose a model first.')]])
  assert.deepEqual(warnings, [])
})

test('`system` may fail and be late as well; `prepareMs: 0` has no limit', async (t) => {
  for (const [host, told] of [
    [{ system: () => Promise.reject(new Error('no memory')) }, /no memory/],
    [{ system: () => 7 }, /system\(\) gave a value of the type number, expected a string or nothing/],
    [{ system: () => new Promise(() => {}), prepareMs: 20 }, /system and run took longer than 20 ms \(prepareMs\)/],
    [{ run: () => new Promise(() => {}), prepareMs: 20 }, /system and run took longer than 20 ms \(prepareMs\)/],
  ]) {
    let signal
    const { client } = await waitingStage(t, {
      host: { ...host, ...(host.run ? { run: (input) => ((signal = input.signal), host.run()) } : {}) },
    })
    const warned = once(process, 'warning')
    const view = await (await client.send('Hi')).done
    assert.deepEqual([view.outcome, shown(view)], ['failed', [UNPREPARED]])
    assert.match((await warned)[0].message, told)
    if (host.run) assert.equal(signal.aborted, true)
  }
  const { client, goOn, asks } = await waitingStage(t, { host: { prepareMs: 0 } })
  const message = await client.send('Hi')
  await asks(1)
  goOn()
  assert.equal((await message.done).outcome, 'completed')
})

test('a preparation that is cancelled: the app hears it, no request is made, and nothing is added', async (t) => {
  const turns = []
  const { server, client, asked, goOn, asks } = await waitingStage(t, { host: { onTurn: (turn) => turns.push(turn) } })
  const message = await client.send('Hi')
  await asks(1)
  await message.cancel()
  const view = await message.done
  assert.deepEqual([view.outcome, view.blocks, asked[0].signal.aborted], ['cancelled', [], true])
  goOn() // too late
  assert.deepEqual(
    turns.map(({ outcome, history }) => [outcome, history]),
    [['cancelled', []]],
  )
  const next = await client.send('Again')
  await asks(2)
  goOn()
  await next.done
  assert.deepEqual(server.requests.map(sent), [[['user', 'Hi\n\nAgain']]])
})

test('a host that is closed meanwhile leaves an answer that was interrupted', async (t) => {
  const store = memoryConversations()
  const { host, client, asked, server, asks } = await waitingStage(t, { host: { conversations: store } })
  const message = await client.send('Hi')
  await asks(1)
  await host.close()
  assert.equal(asked[0].signal.aborted, true)
  assert.equal(server.requests.length, 0)
  const { entries } = await store.load('main')
  assert.deepEqual(
    [entries[1].id, entries[1].message.interrupted, entries[1].message.outcome, entries[1].history],
    [message.id, true, 'failed', []],
  )
  const next = await hostStage(t, { host: { conversations: store } })
  const later = connect(next.host.bridge())
  await later.open().opened
  const view = await (await later.regenerate(message.id)).done
  assert.deepEqual(shown(view), ['Hello.'])
})

test('messages that are prepared count for maxRunning', async (t) => {
  const { client, asks } = await waitingStage(t, { host: { maxRunning: 1 } })
  await client.send('Hi', { conversation: 'a' })
  await asks(1)
  await assert.rejects(client.send('Hi', { conversation: 'b' }), { code: 'limit' })
})

test('where going on cannot be prepared, the answer stays as it was, with the error behind it', async (t) => {
  const store = memoryConversations()
  const { server, client, fail, goOn, asks } = await waitingStage(t, {
    answers: [{ text: 'It rains, so ta', finish: 'length' }, { text: 'ke the umbrella.' }],
    host: { conversations: store },
  })
  const message = await client.send('What about today?')
  await asks(1)
  goOn()
  await message.done
  await client.goOn(message.id)
  await asks(2)
  fail(new UserError('No model.'))
  const view = await message.done
  assert.deepEqual([view.outcome, shown(view)], ['failed', ['It rains, so ta', error('No model.')]])
  await until(async () => (await store.load('main')).entries[1].message.outcome === 'failed', 'it is saved')
  assert.deepEqual(
    (await store.load('main')).entries[1].history.map(({ content }) => content),
    ['It rains, so ta'],
  )
  await client.goOn(message.id)
  await asks(3)
  goOn()
  assert.deepEqual(shown(await message.done), ['It rains, so take the umbrella.'])
  assert.equal(server.requests.length, 2)
})

test('a turn that waits for a person: the conversation opens at once, and the question is there when the app prepared it', async (t) => {
  const store = memoryConversations()
  const { tool, ran } = guarded()
  const before = await hostStage(t, { tools: [tool], answers: [callsDelete], host: { conversations: store } })
  const asking = await connect(before.host.bridge()).send('Delete it.')
  await until(() => asking.getSnapshot().questions.length === 1, 'the question')
  await before.host.close()

  const broken = await waitingStage(t, { tools: [tool], host: { conversations: store } })
  const { entries } = await broken.client.open().opened
  const message = broken.client.message(entries[1].message)
  await broken.asks(1)
  assert.deepEqual([broken.asked[0].why, broken.asked[0].message], ['resume', message.id])
  await until(() => message.getSnapshot().preparing, 'it is prepared')
  assert.equal(message.getSnapshot().questions.length, 0)
  broken.fail(new UserError('Not now.'))
  const failed = await message.done
  assert.deepEqual([failed.outcome, shown(failed).at(-1)], ['failed', error('Not now.')])
  await broken.host.close()
  assert.ok((await store.load('main')).entries[1].state, 'the question is not lost')

  const after = await waitingStage(t, { tools: [tool], answers: [{ text: 'Done.' }], host: { conversations: store } })
  const opened = await after.client.open().opened
  const again = after.client.message(opened.entries[1].message)
  await after.asks(1)
  after.goOn()
  await until(() => again.getSnapshot().questions.length === 1, 'the question')
  again.approve(again.getSnapshot().questions[0])
  assert.equal((await again.done).outcome, 'completed')
  assert.deepEqual(ran, [{ path: '/tmp/x' }])
})
