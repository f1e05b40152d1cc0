// What a pet's voice has to do with a conversation: an answer that was interrupted, and one that nobody asked for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { tool } from 'sluice'
import { memoryConversations } from 'sluice/conversations'
import { hostStage, until } from './host-support.mjs'

const { heardOf, onlyHeard } = await built('heard-text')
const { sentencesIn } = await built('first')

const roles = (request) => request.body.messages.map(({ role, content }) => [role, content])
const answerOf = (entries) => entries.findLast(({ role }) => role === 'assistant')

// -- interrupted ------------------------------------------------------------------------------------------------------

for (const heard of [undefined, 'note', 'trim']) {
  test(`an answer whose voice was interrupted: its entry says how far it was heard, also after a restart; the model is told ${heard === 'trim' ? 'no more than that' : 'all of it'} (${heard})`, async (t) => {
    const store = memoryConversations()
    const answers = [{ text: 'It rains. Take **the** umbrella, and the boots.' }, { text: 'Bye.' }]
    const host = { conversations: store, ...(heard ? { heard } : {}) }
    const { server, open } = await hostStage(t, { answers, host })
    const window = open()
    await window.get('open', {})
    const message = await window.send('What now?')
    await until(() => window.view(message).outcome, 'the end')
    await window.get('heard', { message, block: 0, to: 'It rains. Take **the'.length })
    const entry = () => answerOf(window.conversations.get('main').entries)
    await until(() => entry()?.heard !== undefined, 'the entry')
    assert.equal(entry().heard, 'It rains. Take **the')
    await until(async () => (await store.load('main')).entries.at(-1).heard, 'the store')
    await window.send('Go on')
    await until(() => server.requests.length === 2, 'the request')
    assert.deepEqual(roles(server.requests[1]), [
      ['user', 'What now?'],
      ['assistant', heard === 'trim' ? 'It rains. Take **the' : answers[0].text],
      ['user', 'Go on'],
    ])
    const later = await hostStage(t, { answers, host })
    const again = await later.open().get('open', {})
    assert.equal(again.entries[1].heard, 'It rains. Take **the')
  })
}

test('what a window says it heard: only with a right, only of an answer, only a place of its text', async (t) => {
  const { open } = await hostStage(t, {})
  const window = open()
  await window.get('open', {})
  const message = await window.send('Hi')
  await until(() => window.view(message).outcome, 'the end')
  const code = async (who, input) => (await who.call('heard', input)).error?.code
  assert.equal(await code(open({ read: true }), { message, block: 0, to: 1 }), 'forbidden')
  assert.equal(await code(open({ read: true, pet: true }), { message, block: 0, to: 3 }), undefined)
  await until(() => answerOf(window.conversations.get('main').entries)?.heard === 'Hel', 'the entry')
  assert.equal(await code(window, { message: 'nobody', block: 0, to: 1 }), 'not_found')
  assert.equal(
    await code(window, { message: window.conversations.get('main').entries[0].id, block: 0, to: 1 }),
    'argument',
  )
  for (const nonsense of [
    { message },
    { message, block: -1, to: 1 },
    { message, block: 0, to: 0.5 },
    { message, block: 0, to: 'all' },
    { message, block: 0, to: 1, text: 'words of mine' },
  ]) {
    assert.equal(await code(window, nonsense), 'argument', JSON.stringify(nonsense))
  }
  await window.get('heard', { message, block: 7, to: 1 }) // there is no such block
  await window.get('heard', { message, block: 0, to: 999 }) // all of it
  await until(() => answerOf(window.conversations.get('main').entries).heard === undefined, 'it was heard')
})

test('what the model is told of it: calls stay, text behind the place goes, raw calls between stay where they were', () => {
  const blocks = [
    { type: 'text', text: 'First this. ' },
    { type: 'tool_use', call: 1 },
    { type: 'text', text: 'And then that.' },
  ]
  const message = { blocks, outcome: 'completed' }
  const history = [
    { role: 'assistant', content: 'First this. ', tool_calls: [{ id: 'a' }] },
    { role: 'tool', tool_call_id: 'a', content: 'seen' },
    { role: 'assistant', content: 'And then that.' },
  ]
  assert.deepEqual(onlyHeard(history, message, { block: 0, to: 5 }), [{ ...history[0], content: 'First' }, history[1]])
  assert.deepEqual(onlyHeard(history, message, { block: 0, to: 0 }), [{ ...history[0], content: null }, history[1]])
  assert.deepEqual(onlyHeard(history, message, { block: 2, to: 3 }), [
    history[0],
    history[1],
    { role: 'assistant', content: 'And' },
  ])
  assert.deepEqual(onlyHeard(history, message, { block: 1, to: 3 }), history, 'no place in a text')
  const raw = [{ role: 'assistant', content: 'First this. <call>look()</call>And then that.' }]
  assert.deepEqual(onlyHeard(raw, message, { block: 0, to: 5 }), [
    { role: 'assistant', content: 'First<call>look()</call>' },
  ])
  assert.equal(heardOf(message, { block: 0, to: 15 }).text, 'First this. And', 'over a call that cut the text')
  assert.equal(heardOf(message, { block: 2, to: 14 }), undefined, 'all of it')
  assert.ok(
    heardOf({ blocks: [{ type: 'text', text: 'word '.repeat(1000) }] }, { block: 0, to: 4000 }).text.length <= 82,
  )
})

// -- the pet speaks first ---------------------------------------------------------------------------------------------

const prompt = 'Say something about the evening.'

test('a pet speaks first where the app lets it: nobody sees the prompt, the entry says that nobody asked, and it counts over reloads and restarts', async (t) => {
  const store = memoryConversations()
  // Entries carry the time of this machine: what was said today counts, and in a month nothing of it.
  const [year, month, day] = [new Date().getFullYear(), new Date().getMonth(), new Date().getDate()]
  let now = new Date(year, month, day, 20, 0)
  const host = { conversations: store, proactive: { perDay: 2, date: () => now } }
  const seen = []
  const stage = await hostStage(t, {
    answers: [{ text: 'Hi!' }, { text: 'It is late. Sleep well.' }, { text: 'Good night.' }, { text: 'Good morning.' }],
    host: { ...host, onTurn: (turn) => seen.push(turn.outcome) },
  })
  const window = stage.open()
  await window.get('open', {})
  await window.send('Hello')
  await until(() => seen.length === 1, 'the answer')
  const { message, left } = await window.get('petFirst', { prompt })
  assert.equal(left, 1)
  await window.watch(message)
  await until(() => seen.length === 2, 'its words')
  const [, sent] = stage.server.requests
  assert.equal(sent.body.messages.at(-1).role, 'user')
  assert.match(sent.body.messages.at(-1).content, /^Say something about the evening\.\n\n.*two short sentences/s)
  await until(() => window.conversations.get('main').entries.length === 3, 'the entries')
  const { entries, title } = window.conversations.get('main')
  assert.deepEqual(
    entries.map(({ role, first }) => [role, first]),
    [
      ['user', undefined],
      ['assistant', undefined],
      ['assistant', true],
    ],
  )
  assert.equal(title, 'Hello')
  assert.doesNotMatch(await window.get('export', { conversation: 'main', as: 'markdown' }), /evening/)
  assert.deepEqual(await window.get('search', { query: 'evening' }), [])

  const again = await hostStage(t, { answers: [{ text: 'Good night.' }], host })
  const reloaded = again.open()
  assert.equal((await reloaded.get('petFirst', { prompt })).left, 0, 'one of the two was said before the restart')
  await until(async () => (await reloaded.call('petFirst', { prompt })).error?.code === 'limit', 'the limit')
  await until(() => again.server.requests.length === 1, 'the request')
  now = new Date(year, month + 1, day, 8, 0)
  await until(async () => (await reloaded.call('petFirst', {})).value?.left === 2, 'another day')
  await until(async () => (await reloaded.call('petFirst', { prompt })).ok, 'its turn')
  assert.equal((await reloaded.get('petNotToday')).left, 0)
  assert.equal((await reloaded.call('petFirst', { prompt })).error.code, 'limit')
})

test('a pet that may not speaks not first: without the option, without the right, while something is said, with nonsense', async (t) => {
  const off = await hostStage(t, {})
  assert.equal((await off.open().call('petFirst', { prompt })).error.code, 'unsupported')
  const { open, server } = await hostStage(t, {
    host: { proactive: {} },
    answers: [{ text: 'Hello.', hang: true }, { text: 'x' }],
  })
  const window = open()
  assert.equal((await open({ read: true, chat: true }).call('petFirst', { prompt })).error.code, 'forbidden')
  for (const nonsense of [
    { prompt: '' },
    { prompt: 'x'.repeat(2001) },
    { prompt: 5 },
    { prompt, conversation: '' },
    { prompt, tools: [] },
  ]) {
    assert.match(
      (await window.call('petFirst', nonsense)).error?.code ?? '',
      /argument|limit/,
      JSON.stringify(nonsense).slice(0, 60),
    )
  }
  const message = await window.send('Hi')
  assert.equal(
    (await window.call('petFirst', { prompt, conversation: 'other' })).error.code,
    'state',
    'an answer is open',
  )
  await window.get('cancel', { message })
  await until(() => window.view(message).outcome, 'the end')
  const both = await Promise.all([window.call('petFirst', { prompt }), window.call('petFirst', { prompt })])
  assert.deepEqual(
    both.map(({ ok }) => ok),
    [true, false],
    'one at a time',
  )
  assert.ok(server.requests.length <= 2)
})

test('where it speaks first a tool that asks is refused, and asks nobody; its third sentence is not said', async (t) => {
  let ran = 0
  const send = tool({
    name: 'mail_send',
    description: 'd',
    parameters: { type: 'object' },
    permission: 'moderate',
    agentCallable: true,
    execute: () => ran++,
  })
  const { open, server } = await hostStage(t, {
    tools: [send],
    host: { proactive: {} },
    answers: [
      { calls: [{ name: 'mail_send', arguments: {} }] },
      { text: 'One is enough. Two as well. Three are too many. Four.' },
    ],
  })
  const window = open()
  const { message } = await window.get('petFirst', { prompt })
  await window.watch(message)
  await until(() => window.view(message).outcome, 'the end')
  const { blocks, questions: asks, outcome } = window.view(message)
  assert.equal(ran, 0)
  assert.deepEqual(asks, [])
  assert.equal(blocks.find(({ type }) => type === 'tool_use').status, 'denied')
  assert.match(JSON.stringify(server.requests[1].body.messages), /nobody asked for this/)
  assert.equal(outcome, 'cancelled')
})

test('how many sentences a text has', () => {
  for (const [text, count] of [
    ['', 0],
    ['Hi', 1],
    ['Hi there.', 1],
    ['Hi. ', 1],
    ['Hi. You', 2],
    ['Dr. Who is here. Hello', 2],
    ['It is 3.14 or so. Yes!', 2],
    ['“Really?” Yes.', 2],
    ['晚上好。早点睡！明天见', 3],
    ['Wait … what', 2],
  ])
    assert.equal(sentencesIn(text), count, text)
})
