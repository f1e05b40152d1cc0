// What a host makes of a conversation as it grows: its title, and how much of it a model gets.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { memoryConversations, messagesForModel, pathToEntry } from 'sluice/conversations'
import { hostStage, until } from './host-support.mjs'
import { assertLinear } from './work.mjs'

async function say(window, text, conversation) {
  const message = await window.send(text, conversation)
  await until(() => window.view(message).outcome, `the answer to ${text}`)
  return message
}
const titleOf = async (window, conversation = 'main') => (await window.get('open', { conversation })).title

test('the app gives a conversation its title behind its first answer, once, and not where a person did', async (t) => {
  const asked = []
  const store = memoryConversations()
  const { open } = await hostStage(t, {
    answers: (_, count) => ({ text: `answer ${count + 1}` }),
    host: {
      conversations: store,
      titles: async (turn) => (
        asked.push([turn.conversation, turn.text, turn.history.at(-1).content]), '  “Plans for\n the garden”  '
      ),
    },
  })
  const window = open()
  await say(window, 'what grows in May?')
  await until(async () => (await titleOf(window)) === 'Plans for the garden', 'the title')
  await say(window, 'and in June?')
  assert.deepEqual(asked, [['main', 'what grows in May?', 'answer 1']])
  assert.equal((await store.load('main')).title, 'Plans for the garden', 'in the store, too')
  assert.deepEqual(
    (await window.get('conversations')).map(({ title }) => title),
    ['Plans for the garden'],
  )

  let give
  const late = new Promise((resolve) => (give = resolve))
  const other = await hostStage(t, { host: { conversations: memoryConversations(), titles: () => late } })
  const second = other.open()
  await say(second, 'hello')
  await second.get('rename', { conversation: 'main', title: 'Mine' })
  give('Theirs')
  await new Promise(setImmediate)
  assert.equal(await titleOf(second), 'Mine')
})

test('where the pet spoke first the title comes behind the first answer to a person', async (t) => {
  const asked = []
  const { open } = await hostStage(t, {
    answers: (_, count) => ({ text: `answer ${count + 1}` }),
    host: { conversations: memoryConversations(), proactive: {}, titles: ({ text }) => (asked.push(text), 'Weather') },
  })
  const window = open()
  const { message } = await window.get('petFirst', { prompt: 'Say something kind.' })
  await window.watch(message)
  await until(() => window.view(message).outcome, 'its words')
  assert.deepEqual(asked, [], 'nobody asked yet')
  await say(window, 'does it rain?')
  await until(async () => (await titleOf(window)) === 'Weather', 'the title')
  await say(window, 'and now?')
  assert.deepEqual(asked, ['does it rain?'])
})

test('a title that is none, or fails, leaves the first line; an answer that failed is no reason for one', async (t) => {
  const given = [
    undefined,
    '   ',
    'x'.repeat(500),
    7,
    () => {
      throw new Error('no model')
    },
  ]
  let calls = 0
  const { open } = await hostStage(t, {
    answers: ({ body }) => (body.messages.at(-1).content === 'broken' ? { status: 400, error: 'no' } : { text: 'yes' }),
    host: {
      titles: () => {
        const one = given[calls++]
        return typeof one === 'function' ? one() : one
      },
    },
  })
  const window = open()
  const warned = once(process, 'warning')
  for (const at of given.keys()) await say(window, `line ${at}`, `c${at}`)
  assert.match(String((await warned)[0]), /titles threw: no model/)
  await until(async () => (await titleOf(window, 'c2')) !== 'line 2')
  assert.deepEqual(await Promise.all(given.map((_, at) => titleOf(window, `c${at}`))), [
    'line 0',
    'line 1',
    `${'x'.repeat(79)}…`,
    'line 3',
    'line 4',
  ])
  await say(window, 'broken', 'c9')
  assert.equal(calls, given.length)
})

test('of a long conversation the model gets the end, from a question on; people see all of it, and the beginning moves seldom', async (t) => {
  const { open, server } = await hostStage(t, {
    answers: (_, count) => ({ text: `${count} `.repeat(100) }), // about 75 tokens
    host: { conversations: memoryConversations(), system: 'Be brief.', contextTokens: 500 },
  })
  const window = open()
  for (let at = 0; at < 20; at++) await say(window, `question ${at}`)
  const sent = server.requests.map(({ body }) => body.messages)
  const beginnings = sent.map(([system, first]) => [system.role, first.role, first.content].join(' '))
  assert.ok(
    sent.every((messages) => messages.length <= 16),
    'bounded',
  )
  assert.ok(sent.every((messages) => messages.at(-1).role === 'user'))
  assert.equal(beginnings[0], 'system user question 0')
  assert.notEqual(beginnings[19], beginnings[0])
  assert.ok(new Set(beginnings).size <= 12, `the beginning moved ${new Set(beginnings).size} times in 20 requests`)
  assert.equal((await window.get('open')).entries.length, 40)

  await say(window, 'long '.repeat(1000))
  assert.deepEqual(
    server.requests.at(-1).body.messages.map(({ role }) => role),
    ['system', 'user'],
    'the last question goes whole',
  )
})

test('a question and its calls are left out together', async () => {
  const store = memoryConversations()
  const history = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'x'.repeat(4000) },
    { role: 'assistant', content: 'seen' },
  ]
  const message = { role: 'assistant', outcome: 'completed', rounds: 2, blocks: [] }
  const entries = [
    { id: 'q1', parent: null, at: 1, role: 'user', text: '第一个问题' },
    { id: 'a1', parent: 'q1', at: 2, role: 'assistant', message, history },
    { id: 'q2', parent: 'a1', at: 3, role: 'user', text: 'unanswered' },
    { id: 'q3', parent: 'q2', at: 4, role: 'user', text: 'the last' },
  ]
  await store.save('c', { entries })
  const path = pathToEntry(await store.load('c'))
  const roles = async (maxTokens) =>
    (await messagesForModel(path, { maxTokens })).map(({ role, content }) => (role === 'user' ? content : role))
  assert.deepEqual(await roles(2000), ['第一个问题', 'assistant', 'tool', 'assistant', 'unanswered\n\nthe last'])
  assert.deepEqual(await roles(900), ['unanswered\n\nthe last'])
  assert.deepEqual(await roles(1), ['the last'])
  assert.deepEqual(await roles(undefined), await roles(2000))
})

test('what is left out of many entries is found in one pass', async () => {
  const all = Array.from({ length: 10_000 }, (_, at) => ({
    id: `e${at}`,
    parent: at ? `e${at - 1}` : null,
    at,
    role: at % 2 ? 'assistant' : 'user',
    ...(at % 2 ? { history: [{ role: 'assistant', content: 'word '.repeat(20) }] } : { text: 'word '.repeat(20) }),
  }))
  await assertLinear(async (count) => {
    const entries = all.slice(0, count - (count % 2))
    for (const maxTokens of [1, 1000, 100_000]) {
      const messages = await messagesForModel(entries, { maxTokens })
      assert.equal(messages[0].role, 'user')
      assert.equal(messages.at(-1).content, entries.at(-1).history[0].content)
    }
  }, 2500)
})
