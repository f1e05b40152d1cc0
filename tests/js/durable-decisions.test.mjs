// Two people decide about one question, and results come late, twice or for another call: each hears whether theirs
// counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { memoryConversations } from 'sluice/conversations'
import { fileTurns } from 'sluice/durable'
import { Engine } from 'sluice'
import { asks, cardsOf, folderOf, lossy, serverOf, turnsOf } from './durable-support.mjs'
import { echo } from './support.mjs'

const chunksOf = (text) =>
  text
    .split('\n\n')
    .filter((part) => part.startsWith('data: {'))
    .map((part) => JSON.parse(part.slice(6)))
const once = ({ body }) =>
  body.messages.some(({ role }) => role === 'tool')
    ? { text: 'Done.' }
    : { calls: [{ id: 'a', name: 'echo_back', arguments: { text: 'one' } }] }
const hello = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
const run = (more = {}) => ({
  threadId: 'thread',
  runId: `${Math.random()}`,
  protocolVersion: '1.0',
  state: {},
  tools: [],
  context: [],
  forwardedProps: {},
  messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
  ...more,
})

/** A turn that asks, behind a handler; `look` is what a worker does when it comes to it. */
async function asked(t, make, begin) {
  let ran = 0
  const server = await serverOf(t, once)
  const made = (more) =>
    turnsOf(t, server, { store: fileTurns(folder), tools: [asks({ execute: () => `${++ran}` })], ...more })
  const folder = folderOf(t)
  const turns = made({ queue: lossy }) // nobody works for it, until a test says so
  const handler = make(turns, {
    store: memoryConversations(),
    by: (request) => request.headers.get('x-user'),
    authorize: () => true,
  })
  const send = async (path, user, body) => {
    const response = await handler(
      new Request(`http://app.test/api${path}`, {
        method: 'POST',
        headers: { 'x-user': user },
        body: JSON.stringify(body),
      }),
    )
    return { status: response.status, text: await response.text() }
  }
  const worker = made({}).work({ sweepMs: 20 })
  const first = await send('', 'ann', begin)
  await worker.close()
  return { turns, send, first, ran: () => ran, work: () => made({}).work({ sweepMs: 20 }) }
}

const ways = ['approve', 'deny', 'cancel']
for (const [first, second, looks] of ways.flatMap((one) =>
  ['approve', 'deny'].flatMap((other) => [
    [one, other, true],
    [one, other, false],
  ]),
)) {
  test(`POST decide: Ann says ${first}, then Bea says ${second}, and ${looks ? 'a' : 'no'} worker looked between them: one of them counts`, async (t) => {
    const { turns, send, first: told, ran } = await asked(t, chatHandler, { id: 'chat', messages: [hello] })
    const { approvalId } = chunksOf(told.text).find(({ type }) => type === 'tool-approval-request')
    const [turn] = approvalId.split(':')
    const decide = (user, way) => send('/chat/decide', user, { approvalId, approved: way === 'approve' })
    if (first === 'cancel') await turns.cancel(turn, 'no more')
    else assert.deepEqual(await decide('ann', first), { status: 200, text: '{"decided":true}' })
    if (looks) assert.equal(await turns.advance(turn), 'done')
    const { status, text } = await decide('bea', second)
    const { at, ...said } = JSON.parse(text)
    const isOver = looks || first === 'cancel'
    assert.deepEqual(
      [status, said],
      [
        409,
        {
          decided: false,
          reason: isOver ? 'over' : 'stale',
          ...(first === 'cancel' ? {} : { decision: first, by: 'ann' }),
        },
      ],
    )
    if (first !== 'cancel') assert.ok(at > 0)
    await turns.advance(turn)
    assert.equal(ran(), first === 'approve' ? 1 : 0)
  })
}

for (const same of [true, false]) {
  test(`in a stream: a decision that does not count is said to be stale, and by whom it was decided (${same ? 'the same' : 'another'} decision)`, async (t) => {
    const { send, first: told, work } = await asked(t, chatHandler, { id: 'chat', messages: [hello] })
    const { approvalId, toolCallId } = chunksOf(told.text).find(({ type }) => type === 'tool-approval-request')
    const [turn] = approvalId.split(':')
    assert.equal((await send('/chat/decide', 'ann', { approvalId, approved: true })).status, 200)
    const worker = work()
    const parts = [
      { type: 'tool-x', toolCallId, state: 'approval-responded', approval: { id: approvalId, approved: same } },
    ]
    const { status, text } = await send('', 'bea', {
      id: 'chat',
      messages: [hello, { id: turn, role: 'assistant', parts }],
    })
    await worker.close()
    if (status === 409) {
      const { at: _, ...said } = JSON.parse(text) // a worker was faster
      return assert.deepEqual(said, { decided: false, reason: 'over', decision: 'approve', by: 'ann' })
    }
    const { at, detail, ...data } = chunksOf(text).find(({ type }) => type === 'data-sluice-error').data
    assert.deepEqual(data, {
      code: 'stale',
      approvalId,
      decided: false,
      reason: 'stale',
      decision: 'approve',
      by: 'ann',
    })
    assert.match(detail, /^ann approved it before you/)
    assert.ok(at > 0)
  })
}

test('AG-UI: a decision that does not count is `sluice.error` `stale`, with the decision that counts', async (t) => {
  const { turns, send, first: told, work } = await asked(t, agUIHandler, run())
  const {
    outcome: {
      interrupts: [{ id: interruptId }],
    },
  } = chunksOf(told.text).at(-1)
  const { value: question } = await turns.questions()[Symbol.asyncIterator]().next()
  const { turn, call, stage, digest } = question
  assert.equal(await turns.decide(turn, { call, stage, digest, decision: 'deny', by: 'ann' }), 'accepted')
  const sent = send('', 'bea', run({ resume: [{ interruptId, status: 'resolved', payload: { approved: true } }] }))
  const worker = work()
  const { at, detail, ...value } = chunksOf((await sent).text).find(
    ({ type, name }) => type === 'CUSTOM' && name === 'sluice.error',
  ).value
  await worker.close()
  assert.deepEqual(value, { code: 'stale', interruptId, decided: false, reason: 'stale', decision: 'deny', by: 'ann' })
  assert.match(detail, /^ann denied it before you/)
  assert.ok(at > 0)
})

// -- results ----------------------------------------------------------------------------------------------------------

const external = () => echo({ execute: undefined, external: true })
const another = (name) => name.replace(/[0-9a-f]{16}$/, '0123456789abcdef')
const bare = (name) => name.replace(/-[0-9a-f]{16}$/, '')

for (const isDurable of [true, false]) {
  const kind = isDurable ? 'durable turns' : 'an engine'
  const made = async (t, make) => {
    const server = await serverOf(t, once)
    const options = { store: memoryConversations(), authorize: () => true }
    const model = { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' }
    let handler
    if (isDurable) {
      const turns = turnsOf(t, server, { store: fileTurns(folderOf(t)), tools: [external()] })
      const worker = turns.work({ sweepMs: 50 })
      t.after(() => worker.close())
      handler = make(turns, options)
    } else {
      const engine = new Engine({ tools: [external()] })
      t.after(() => engine.close())
      handler = make(engine, { ...options, run: () => ({ model }) })
    }
    const send = async (body) => {
      const response = await handler(new Request('http://app.test/api', { method: 'POST', body: JSON.stringify(body) }))
      return { status: response.status, text: await response.text(), requests: server.requests.length }
    }
    return { send, server }
  }

  test(`chatHandler in front of ${kind}: a result for another name gets 409 and stale, and its own name counts once`, async (t) => {
    const { send, server } = await made(t, chatHandler)
    const first = chunksOf((await send({ id: 'chat', messages: [hello] })).text)
    const { messageId } = first.find(({ type }) => type === 'start')
    const { toolCallId } = first.find(({ type }) => type === 'tool-input-available')
    assert.match(toolCallId, new RegExp(`^${messageId}:c1-[0-9a-f]{16}$`))
    const brings = (name, output) =>
      send({
        id: 'chat',
        messages: [
          hello,
          {
            id: messageId,
            role: 'assistant',
            parts: [{ type: 'tool-echo.back', toolCallId: name, state: 'output-available', input: {}, output }],
          },
        ],
      })
    for (const name of [another(toolCallId), bare(toolCallId)]) {
      const { status, text } = await brings(name, 'of another')
      assert.deepEqual([status, JSON.parse(text).reason, server.requests.length], [409, 'stale', 1], name)
    }
    const { status } = await brings(toolCallId, 'its own')
    assert.deepEqual([status, server.requests.at(-1).body.messages.at(-1).content], [200, 'its own'])
    assert.equal((await brings(toolCallId, 'twice')).status, 409)
    assert.equal(server.requests.length, 2)
  })

  test(`agUIHandler in front of ${kind}: the same`, async (t) => {
    const { send, server } = await made(t, agUIHandler)
    const first = chunksOf((await send(run())).text)
    const { toolCallId } = first.find(({ type }) => type === 'TOOL_CALL_START')
    assert.match(toolCallId, /:c1-[0-9a-f]{16}$/)
    const brings = (name, content) =>
      send(
        run({
          messages: [
            { id: 'm1', role: 'user', content: 'Hello' },
            {
              id: 'a',
              role: 'assistant',
              toolCalls: [{ id: name, type: 'function', function: { name: 'echo.back', arguments: '{}' } }],
            },
            { id: 'r', role: 'tool', toolCallId: name, content },
          ],
        }),
      )
    for (const name of [another(toolCallId), bare(toolCallId)]) {
      const { status, text } = await brings(name, 'of another')
      assert.deepEqual([status, JSON.parse(text).reason, server.requests.length], [409, 'stale', 1], name)
    }
    const { status } = await brings(toolCallId, 'its own')
    assert.deepEqual([status, server.requests.at(-1).body.messages.at(-1).content], [200, 'its own'])
  })
}

test('a result for a call that the model asked for differently after a crash applies to no call, now or later', async (t) => {
  let asked = 0
  const server = await serverOf(t, ({ body }) =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: [{ id: 'a', name: 'echo_back', arguments: { text: `word ${++asked}` } }] },
  )
  const store = fileTurns(folderOf(t))
  // A worker that cannot save the call: nobody hears of it.
  const failing = {
    ...Object.fromEntries(
      ['create', 'load', 'inbox', 'push', 'list', 'remove'].map((name) => [name, (...given) => store[name](...given)]),
    ),
    save: async (id, rev, patch) => {
      if (patch.state?.includes('"word 1')) throw new Error('the disk is full')
      return await store.save(id, rev, patch)
    },
  }
  const told = []
  const first = turnsOf(t, server, {
    store: failing,
    queue: lossy,
    leaseMs: 30,
    tools: [external()],
    run: { onEvent: (event) => told.push(event) },
  })
  const id = await first.start({ messages: [{ role: 'user', content: 'Hello' }] })
  await assert.rejects(first.advance(id))
  assert.equal(told.filter(({ type }) => type === 'execute').length, 0)
  const lost = told.find(({ type, digest }) => type === 'card' && digest !== undefined)
  const second = turnsOf(t, server, { store, queue: lossy, leaseMs: 30, tools: [external()] })
  assert.equal(await second.result(id, lost, { value: 'of word 1' }), 'stale')
  while ((await second.advance(id)) !== 'waiting' || cardsOf(await second.status(id)).length === 0);
  assert.equal(await second.result(id, lost, { value: 'of word 1' }), 'stale')
  const [card] = cardsOf(await second.status(id))
  assert.deepEqual([card.call, card.arguments.text, card.status], [lost.call, 'word 2', 'executing'])
  assert.equal(await second.result(id, card, { value: 'of word 2' }), 'accepted')
  assert.equal(await second.advance(id), 'done')
  assert.equal(cardsOf(await second.status(id))[0].output, 'of word 2')
})
