// An answer that goes on behind its end, an entry that is deleted by its id, and addresses that the app opens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryConversations } from 'sluice/conversations'
import { connect } from 'sluice/renderer'
import { hostStage, until } from './host-support.mjs'

const over = async (client, message) => {
  await message.done
  return message.getSnapshot()
}
const textOf = (view) => view.blocks.map((block) => block.text ?? block.code ?? block.name)

test('a cut answer goes on in the same message, for every window, and the model is told where it stopped', async (t) => {
  const store = memoryConversations()
  const { server, host } = await hostStage(t, {
    answers: [
      { text: 'It rains, so ta', finish: 'length', usage: { prompt_tokens: 5, completion_tokens: 4 } },
      { text: 'ke the umbrella.', usage: { prompt_tokens: 9, completion_tokens: 6 } },
      { text: 'Bye.' },
    ],
    host: { conversations: store, goOn: 'Go on.' },
  })
  const [client, other] = [connect(host.bridge()), connect(host.bridge())]
  const conversation = other.open()
  conversation.subscribe(() => {})
  const first = await client.send('What about today?')
  assert.equal((await over(client, first)).finishReason, 'length')
  await until(() => conversation.getSnapshot().entries.length === 2, 'the entries')
  const elsewhere = other.message(first.id)
  let told = 0
  elsewhere.subscribe(() => told++)
  await elsewhere.done
  const again = await client.goOn(first.id)
  assert.equal(again, first, 'the same message')
  const view = await over(client, again)
  assert.deepEqual(
    [textOf(view), view.outcome, view.finishReason, view.rounds],
    [['It rains, so take the umbrella.'], 'completed', 'stop', 2],
  )
  assert.deepEqual(view.usage, { inputTokens: 14, outputTokens: 10 })
  assert.ok(view.answers.every(({ startedAt, endedAt }) => endedAt >= startedAt))
  await until(
    () =>
      textOf(elsewhere.getSnapshot()).join() === 'It rains, so take the umbrella.' && elsewhere.getSnapshot().outcome,
    'the other window',
  )
  assert.deepEqual(
    server.requests[1].body.messages.map(({ role, content }) => [role, content]),
    [
      ['user', 'What about today?'],
      ['assistant', 'It rains, so ta'],
      ['user', 'Go on.'],
    ],
  )
  assert.equal(conversation.getSnapshot().entries.length, 2, 'no entry more')
  await over(client, await client.send('Thanks'))
  assert.deepEqual(
    server.requests[2].body.messages.map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant', 'user'],
  )
  const saved = await store.load('main')
  assert.deepEqual(
    saved.entries.map(({ role, message }) => [role, message?.blocks[0].text]),
    [
      ['user', undefined],
      ['assistant', 'It rains, so take the umbrella.'],
      ['user', undefined],
      ['assistant', 'Bye.'],
    ],
  )
})

test('what broke off goes on without its error; calls of the new answer are numbered behind those of the old', async (t) => {
  const call = { calls: [{ name: 'look', arguments: {} }] }
  const { host } = await hostStage(t, {
    tools: [
      (await import('sluice')).tool({
        name: 'look',
        description: 'd',
        parameters: { type: 'object' },
        permission: 'public',
        agentCallable: true,
        execute: () => 'seen',
      }),
    ],
    answers: [
      { text: 'I look. ', ...call },
      { text: 'And then', unfinished: true, finish: null },
      { text: ' I look again. ', ...call },
      { text: 'Done.' },
    ],
  })
  const client = connect(host.bridge())
  const message = await client.send('Look')
  await message.done
  await message.cancel().catch(() => {})
  const before = message.getSnapshot()
  await client.goOn(message.id)
  const view = await over(client, message)
  assert.equal(view.outcome, 'completed')
  const calls = view.blocks.filter(({ type }) => type === 'tool_use').map(({ call }) => call)
  assert.deepEqual(calls, [...new Set(calls)], 'every call has its own number')
  assert.equal(calls.length, 2)
  assert.equal(view.blocks.filter(({ type }) => type === 'error').length, 0)
  assert.ok(view.rounds > before.rounds)
})

test('nothing goes on that cannot: a question, an answer under way, one with something behind it, one without a word', async (t) => {
  const { host } = await hostStage(t, { answers: [{ text: 'One.' }, { text: 'Two.' }, { status: 400, error: 'no' }] })
  const client = connect(host.bridge())
  const first = await client.send('a')
  await first.done
  const second = await client.send('b')
  await second.done
  const [question] = client.open().getSnapshot().entries.length
    ? client.open().getSnapshot().entries
    : (await client.open().opened).entries
  await assert.rejects(client.goOn(question.id), { code: 'argument' })
  await assert.rejects(client.goOn(first.id), { code: 'state' })
  await assert.rejects(client.goOn('nobody'), { code: 'not_found' })
  const third = await client.send('c')
  await third.done
  await assert.rejects(client.goOn(third.id), { code: 'state' })
  const reader = connect(host.bridge({ read: true }))
  await assert.rejects(reader.goOn(second.id), { code: 'forbidden' })
  await assert.rejects(reader.delete(second.id), { code: 'forbidden' })
  await assert.rejects(reader.openLink('https://example.com'), { code: 'forbidden' })
})

test('an answer that goes on and fails keeps what was there, and what the model knows of it', async (t) => {
  const { server, host } = await hostStage(t, {
    answers: [{ text: 'Half', finish: 'length' }, { status: 400, error: 'no' }, { text: ' and half.' }],
  })
  const client = connect(host.bridge())
  const message = await client.send('a')
  await message.done
  await client.goOn(message.id)
  const failed = await over(client, message)
  assert.deepEqual([failed.outcome, textOf(failed)], ['failed', ['Half', 'http']])
  await client.goOn(message.id)
  const view = await over(client, message)
  assert.deepEqual(textOf(view), ['Half and half.'])
  assert.deepEqual(
    server.requests.at(-1).body.messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
})

test('an entry is deleted by its id, with what follows', async (t) => {
  const { host } = await hostStage(t, { answers: [{ text: 'One.' }, { text: 'Two.' }] })
  const client = connect(host.bridge())
  const conversation = client.open('walk')
  for (const text of ['a', 'b']) await (await client.send({ text, conversation: 'walk' })).done
  await conversation.opened
  await until(() => conversation.getSnapshot().entries.length === 4, 'the entries')
  assert.equal(await client.delete(conversation.getSnapshot().entries[2].id), true)
  await until(() => conversation.getSnapshot().entries.length === 2, 'the rest')
  await assert.rejects(client.delete('nobody'), { code: 'not_found' })
})

test('addresses are opened by the app, and only those that a browser or a mail program takes', async (t) => {
  const opened = []
  const { host } = await hostStage(t, { host: { openExternal: (url) => opened.push(url) } })
  const client = connect(host.bridge())
  await client.openLink('https://example.com/a b')
  await client.openLink('mailto:lin@example.com')
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ms-settings:',
    'data:text/html,x',
    '//example.com',
    'not one',
  ]) {
    await assert.rejects(client.openLink(url), { code: 'argument' }, url)
  }
  await assert.rejects(client.openLink(`https://example.com/${'a'.repeat(9000)}`), { code: 'limit' })
  assert.deepEqual(opened, ['https://example.com/a%20b', 'mailto:lin@example.com'])
  const { host: without } = await hostStage(t)
  await assert.rejects(connect(without.bridge()).openLink('https://example.com'), { code: 'unsupported' })
})

test('a host that a person agreed to is known to every window as long as the app runs, and to no other app', async (t) => {
  const opened = []
  const { host } = await hostStage(t, { host: { openExternal: (url) => opened.push(url) } })
  const [one, two] = [connect(host.bridge()), connect(host.bridge())]
  assert.equal(await one.openKnownLink('https://example.com/a'), false)
  await one.openLink('https://example.com/help') // of the app itself: nobody was asked
  assert.equal(await one.openKnownLink('https://example.com/a'), false)
  assert.deepEqual(opened.splice(0), ['https://example.com/help'])
  await one.message('any').openLink('https://example.com/a')
  assert.equal(await two.openKnownLink('https://EXAMPLE.com/b'), true)
  await two.openLink('mailto:lin@example.com', { agreed: true })
  for (const [url, known] of [
    ['http://example.com/', false],
    ['https://example.com:8443/', false],
    ['https://www.example.com/', false],
    ['mailto:lin@example.com?subject=x', true],
    ['mailto:ann@example.com', false],
  ]) {
    assert.equal(await one.openKnownLink(url), known, url)
  }
  assert.deepEqual(opened.splice(0), [
    'https://example.com/a',
    'https://example.com/b',
    'mailto:lin@example.com',
    'mailto:lin@example.com?subject=x',
  ])
  await assert.rejects(one.openKnownLink('javascript:alert(1)'), { code: 'argument' })
  await assert.rejects(connect(host.bridge({ read: true })).openKnownLink('https://example.com/'), {
    code: 'forbidden',
  })
  for (let at = 0; at < 1000; at++) await one.openLink(`https://${at}.example/`, { agreed: true })
  assert.deepEqual(
    [await one.openKnownLink('https://example.com/'), await one.openKnownLink('https://999.example/')],
    [false, true],
    'the first of 1,000 others is asked about again',
  )
  const { host: other } = await hostStage(t, { host: { openExternal: () => {} } })
  assert.equal(await connect(other.bridge()).openKnownLink('https://999.example/'), false)
})

test('an address that could not be opened is asked about again', async (t) => {
  const { host } = await hostStage(t, { host: { openExternal: () => Promise.reject(new Error('no browser')) } })
  const client = connect(host.bridge())
  await assert.rejects(client.openLink('https://example.com/', { agreed: true }), { code: 'internal' })
  assert.equal(await client.openKnownLink('https://example.com/'), false)
})

test('thoughts are measured until something else of the answer comes, and the time is kept', async (t) => {
  const store = memoryConversations()
  const thinks = {
    parts: [
      { reasoning: 'It may ' },
      { wait: 120 },
      { reasoning: 'rain.' },
      { wait: 120 },
      { text: 'Take the umbrella.' },
    ],
  }
  const { host } = await hostStage(t, { answers: [thinks], host: { conversations: store } })
  const client = connect(host.bridge())
  const view = await over(client, await client.send('What now?'))
  assert.deepEqual(
    view.blocks.map(({ type, text }) => [type, text]),
    [
      ['reasoning', 'It may rain.'],
      ['text', 'Take the umbrella.'],
    ],
  )
  const { ms } = view.blocks[0]
  assert.ok(ms >= 200 && ms < 20_000, String(ms))
  await until(async () => (await store.load('main')).entries[1]?.message.outcome, 'the end')
  assert.equal((await store.load('main')).entries[1].message.blocks[0].ms, ms)
})

test('an answer that came to its limit of rounds goes on in the same message', async (t) => {
  const call = { calls: [{ name: 'look', arguments: {} }] }
  const { tool } = await import('sluice')
  const look = tool({
    name: 'look',
    description: 'd',
    parameters: { type: 'object' },
    permission: 'public',
    agentCallable: true,
    execute: () => 'seen',
  })
  const { host } = await hostStage(t, {
    tools: [look],
    maxRounds: 1,
    forceFinalAnswer: false,
    answers: [{ text: 'I look. ', ...call }, { text: 'Again. ', ...call }, { text: 'Done.' }],
  })
  const client = connect(host.bridge())
  const message = await client.send('Look')
  assert.equal((await over(client, message)).outcome, 'limit')
  await client.goOn(message.id)
  const view = await over(client, message)
  assert.equal(view.outcome, 'completed')
  assert.match(textOf(view).join('|'), /Done\.$/)
})
