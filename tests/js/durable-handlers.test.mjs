// Handlers in front of durable turns: who may decide what, and who did.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { memory } from 'sluice/conversations'
import { memoryLog } from 'sluice/durable'
import { asks, cardsOf, serverOf, turnsOf, until } from './durable-support.mjs'

const twoCalls = [
  { text: 'Well, ', calls: [{ id: 'a', name: 'echo_back', arguments: { text: 'one' } }, { id: 'b', name: 'file_delete', arguments: { text: 'two' } }] }, { text: 'Done.' },
]
const chunksOf = async (response) => (await response.text()).split('\n\n').filter((part) => part.startsWith('data: {')).map((part) => JSON.parse(part.slice(6)))

async function stage(t, make) {
  const turns = turnsOf(t, await serverOf(t, twoCalls), { log: memoryLog(), tools: [asks(), asks({ name: 'file.delete' })], engine: { execution: 'parallel' } })
  turns.work()
  const store = memory()
  const asked = []
  const userOf = (request) => request.headers.get('x-user')
  const handler = make(turns, {
    store, by: userOf,
    authorize: (request, id, question) => {
      asked.push(question && [id, question.turn === undefined, question.name])
      return question?.name !== 'file.delete' || userOf(request) === 'ann'
    },
  })
  const post = (path, user, body) => handler(new Request(`http://app.test/api${path}`, { method: 'POST', headers: { 'x-user': user }, body: JSON.stringify(body) }))
  return { asked, post, store, turns }
}

const whoOf = (status) => cardsOf(status).map(({ approvals }) => approvals?.map(({ by, who, decision }) => [by, who, decision]))

test('chatHandler: `authorize` is asked about each question, and whoever decides is named', async (t) => {
  const { asked, post, store, turns } = await stage(t, chatHandler)
  const hello = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
  const first = await chunksOf(await post('', 'bob', { id: 'chat', messages: [hello] }))
  const { messageId } = first.find(({ type }) => type === 'start')
  const questions = first.filter(({ type }) => type === 'tool-approval-request')
  const parts = questions.map(({ approvalId, toolCallId }, at) => ({ type: 'tool-x', toolCallId, state: 'approval-responded', approval: { id: approvalId, approved: at === 1 } }))
  const second = chunksOf(await post('', 'bob', { id: 'chat', messages: [hello, { id: messageId, role: 'assistant', parts }] }))
  await until(async () => cardsOf(await turns.status(messageId))[0].status === 'denied')
  assert.deepEqual(asked.filter(Boolean), [['chat', false, 'echo.back'], ['chat', false, 'file.delete']])
  const told = await second
  assert.deepEqual([told.find(({ type }) => type === 'data-sluice-error').data.detail, told.at(-1).type], ['this question is not yours to decide', 'finish'])
  assert.equal((await turns.status(messageId)).questions.length, 1)
  const decision = { approvalId: questions[1].approvalId, approved: true }
  assert.equal((await post('/chat/decide', 'bob', decision)).status, 403)
  assert.equal((await post('/chat/decide', 'ann', decision)).status, 200)
  const status = await until(async () => { const now = await turns.status(messageId); return now.phase === 'done' && now })
  assert.deepEqual(whoOf(status), [[['user', 'bob', 'denied']], [['user', 'ann', 'approved']]])
  assert.deepEqual(status.decisions.map(({ by }) => by), ['bob', 'ann'])
  await post('/chat/stop', 'ann', {}) // whoever looks next keeps what came of it
  assert.deepEqual(whoOf({ message: (await store.load('chat')).entries[1].message }), whoOf(status))
})

test('agUIHandler: the same', async (t) => {
  const { asked, post, store, turns } = await stage(t, agUIHandler)
  const run = (user, more = {}) => post('', user, { threadId: 'thread', runId: `${Math.random()}`, protocolVersion: '1.0', state: {}, tools: [], context: [], forwardedProps: {}, messages: [{ id: 'm1', role: 'user', content: 'Hello' }], ...more })
  const { outcome: { interrupts } } = (await chunksOf(await run('bob'))).at(-1)
  const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } }))
  const second = await chunksOf(await run('bob', { resume }))
  assert.deepEqual([second.find(({ type }) => type === 'CUSTOM').value.detail, second.at(-1).outcome.interrupts.map(({ id }) => id)], ['this question is not yours to decide', [interrupts[1].id]])
  assert.deepEqual((await chunksOf(await run('ann', { resume: [resume[1]] }))).at(-1).outcome, { type: 'success' })
  const { head } = await store.load('thread')
  assert.deepEqual(whoOf(await turns.status(head)), [[['user', 'bob', 'approved']], [['user', 'ann', 'approved']]])
  assert.deepEqual(asked.filter(Boolean).map(([, , name]) => name), ['echo.back', 'file.delete', 'file.delete'])
})

test('readers hear who decided with the card', async (t) => {
  const turns = turnsOf(t, await serverOf(t, twoCalls), { log: memoryLog(), tools: [asks(), asks({ name: 'file.delete' })], engine: { execution: 'parallel' } })
  turns.work()
  const id = await turns.start({ messages: [{ role: 'user', content: 'Hello' }] })
  const events = []
  const decided = new Set()
  for await (const event of turns.events(id)) {
    events.push(event)
    if (event.type !== 'approval' || decided.has(event.call)) continue
    decided.add(event.call)
    await turns.decide(id, { call: event.call, stage: event.stage, digest: event.digest, decision: 'approve', by: `ann ${event.call}` })
  }
  const cards = events.filter(({ type, approvals }) => type === 'card' && approvals)
  const kept = events.filter(({ type }) => type === 'reset').flatMap(({ message }) => message.blocks).filter(({ approvals }) => approvals)
  assert.ok(cards.length > 0)
  for (const { call, approvals } of [...cards, ...kept]) assert.deepEqual(approvals.map(({ who }) => who), [`ann ${call}`])
})
