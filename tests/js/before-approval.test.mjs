// beforeApproval: the app resolves what the model wrote before anybody is asked, and what it resolved is the call.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cards, collect, echo, ofType, stage } from './support.mjs'

const refers = { calls: [{ name: 'echo_back', arguments: { text: '$REF{1}' } }] }
const done = { text: 'Done.' }
const asking = () => echo({ permission: 'sensitive' })

test('the question shows what runs beside what the model wrote; the model reads its own words', async (t) => {
  const ran = []
  const { server, run } = await stage(t, {
    answers: [refers, done],
    tools: [echo({ permission: 'sensitive', execute: ({ text }) => void ran.push(text) })],
  })
  const seen = []
  const turn = run({
    beforeApproval: (call, { signal }) => {
      seen.push([call, signal.aborted])
      return { arguments: { text: '/home/me' } }
    },
  })
  const events = await collect(turn, (event) => event.type === 'approval' && turn.approve(event))
  assert.deepEqual(seen, [[{ call: 1, name: 'echo.back', arguments: { text: '$REF{1}' } }, false]])
  const [question] = ofType(events, 'approval')
  assert.deepEqual([question.arguments, question.written], [{ text: '/home/me' }, { text: '$REF{1}' }])
  assert.deepEqual(ran, ['/home/me'])
  const [card] = cards(await turn.done)
  assert.deepEqual([card.arguments, card.hostArguments], [{ text: '$REF{1}' }, { text: '/home/me' }])
  assert.equal(server.requests[1].body.messages[1].tool_calls[0].function.arguments, '{"text":"$REF{1}"}')
})

test('a rule denies what a reference stands for: nobody is asked, nothing runs', async (t) => {
  const { run } = await stage(t, { answers: [refers, done], tools: [asking()] })
  const turn = run({
    rules: [{ tool: 'echo.back', effect: 'deny', arguments: { text: '/home/secret' } }],
    beforeApproval: async () => ({ arguments: { text: '/home/secret' } }),
  })
  const events = await collect(turn)
  assert.deepEqual(ofType(events, 'approval'), [])
  assert.equal(cards(await turn.done)[0].status, 'denied')
})

test('nothing given back: the call is as the model wrote it', async (t) => {
  const { run } = await stage(t, { answers: [refers, done], tools: [asking()] })
  const turn = run({ beforeApproval: () => {} })
  const events = await collect(turn, (event) => event.type === 'approval' && turn.approve(event))
  const [question] = ofType(events, 'approval')
  assert.deepEqual([question.arguments, question.written], [{ text: '$REF{1}' }, undefined])
})

test('a hook that refuses, throws, talks nonsense, is late or does not fit the schema: nobody is asked, nothing runs', async (t) => {
  t.mock.method(process, 'emitWarning', () => {})
  for (const beforeApproval of [
    () => ({ deny: 'There is no such reference.' }),
    () => {
      throw new Error('a secret')
    },
    () => ({ args: {} }),
    () => ({ arguments: { text: 5 } }),
    () => new Promise(() => {}),
  ]) {
    const { server, run } = await stage(t, { answers: [refers, done], tools: [asking()] })
    const turn = run({ beforeApproval, hookTimeoutMs: 30 })
    const events = await collect(turn)
    assert.deepEqual(ofType(events, 'approval'), [])
    const [card] = cards(await turn.done)
    assert.deepEqual([card.status, card.reason], ['denied', 'policy'])
    assert.doesNotMatch(server.requests[1].text, /a secret/)
  }
})

test('a cancel ends a call that waits for its arguments, and aborts the signal', async (t) => {
  const { run } = await stage(t, { answers: [refers, done], tools: [asking()] })
  let aborted = false
  const turn = run({
    beforeApproval: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true
          reject(signal.reason)
        })
        queueMicrotask(() => turn.cancelCall(1))
      }),
  })
  await collect(turn)
  assert.equal(cards(await turn.done)[0].status, 'cancelled')
  assert.equal(aborted, true)
})

test('after resume a call that waits is resolved again: another value is asked about again', async (t) => {
  const { server, run, engine } = await stage(t, { answers: [refers, done], tools: [asking()] })
  const first = run({ beforeApproval: () => ({ arguments: { text: 'one' } }) })
  for await (const event of first) if (event.type === 'approval') break
  const second = engine.resume(await first.suspend(), {
    model: { baseURL: server.baseURL, apiKey: 'secret' },
    beforeApproval: () => ({ arguments: { text: 'two' } }),
  })
  const asked = []
  for await (const event of second)
    if (event.type === 'approval') {
      asked.push(event.arguments)
      second.approve(event)
    }
  assert.deepEqual(asked, [{ text: 'two' }])
})
