// Conversations of a host: kept across restarts, with branches and pictures, whatever the store does.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Engine, resultParts, SluiceError, tool } from 'sluice'
import { fileConversations, memoryConversations } from 'sluice/conversations'
import { connect } from 'sluice/renderer'
import { createHost } from 'sluice/host'
import { callsDelete, everything, guarded, hostStage, until } from './host-support.mjs'
import { shorten } from './support.mjs'

const done = (window, message) => until(() => window.view(message).outcome, `the end of ${message}`)
const said = (server, at) => server.requests.at(at).body.messages.map(({ role, content }) => [role, content])
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const picture = (data = png, mediaType = 'image/png') => ({ type: 'image', mediaType, data })
const data = (mediaType, base64) => ({ type: 'image_url', image_url: { url: `data:${mediaType};base64,${base64}` } })

/** Removed at the end: hosts that are still open save into it. */
function folder() {
  const path = mkdtempSync(join(tmpdir(), 'sluice-host-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Sends and waits for the end. */
async function say(window, given) {
  const { method = 'send', ...input } = typeof given === 'string' ? { text: given } : given
  const { message } = await window.get(method, input)
  await window.watch(message)
  await done(window, message)
  return message
}

const shown = ({ entries }) =>
  entries.map(
    ({ text, message, branch }) =>
      `${text ?? (message && 'answer')}${branch ? ` ${branch.index + 1}/${branch.count}` : ''}`,
  )

test('a conversation goes on after a restart: what people saw, and what the model gets', async (t) => {
  const path = folder()
  const { tool: removes } = guarded({ permission: 'public' })
  const answers = [callsDelete, { text: 'Done.', usage: { prompt_tokens: 3, completion_tokens: 4 } }]
  const first = await hostStage(t, {
    answers,
    tools: [removes],
    host: { conversations: fileConversations(path), system: 'Be brief.' },
  })
  const window = first.open()
  const message = await say(window, 'Delete it')
  await window.get('open')
  const view = window.view(message)
  await first.host.close()

  const second = await hostStage(t, {
    answers: [{ text: 'You are welcome.' }],
    host: { conversations: fileConversations(path), system: 'Be brief.' },
  })
  const later = second.open()
  const conversation = await later.get('open')
  assert.deepEqual(
    [conversation.title, conversation.forgotten, shown(conversation)],
    ['Delete it', 0, ['Delete it', 'answer']],
  )
  const { seq: _, ...after } = await later.get('subscribe', { message })
  const { seq: __, ...before } = view
  assert.deepEqual(after, before)
  assert.equal((await later.call('cancel', { message })).ok, true, 'it is over')
  await say(later, 'Thanks')
  assert.deepEqual(
    second.server.requests[0].body.messages.map(({ role, content, tool_calls }) => [role, content, tool_calls?.length]),
    [
      ['system', 'Be brief.', undefined],
      ['user', 'Delete it', undefined],
      ['assistant', 'I will. ', 1],
      ['tool', 'deleted', undefined],
      ['assistant', 'Done.', undefined],
      ['user', 'Thanks', undefined],
    ],
  )
  assert.deepEqual(shown(await later.get('open')), ['Delete it', 'answer', 'Thanks', 'answer'])
})

test('a client sees after a restart what was there', async (t) => {
  const path = folder()
  for (const round of [1, 2, 3]) {
    const { host } = await hostStage(t, {
      answers: [{ text: `Answer ${round}.` }],
      host: { conversations: fileConversations(path) },
    })
    const client = connect(host.bridge())
    const { entries } = await client.open().opened
    assert.equal(entries.length, 2 * (round - 1))
    for (const { message } of entries)
      if (message) assert.match((await client.message(message).done).blocks[0].text, /^Answer \d\.$/)
    await (await client.send(`Question ${round}`)).done
    await host.close()
  }
})

test('the app is handed each turn, also one that failed', async (t) => {
  const turns = []
  const { open, server } = await hostStage(t, {
    answers: [
      { text: 'One.', usage: { prompt_tokens: 1, completion_tokens: 2 } },
      { status: 400, error: 'no' },
      { text: 'Two.' },
    ],
    host: { onTurn: (turn) => turns.push(turn) },
  })
  const window = open()
  const ids = [
    await say(window, { text: '1', conversation: 'c', parts: [picture()] }),
    await say(window, { text: '2', conversation: 'c' }),
  ]
  await until(() => turns.length === 2)
  const [one, two] = turns
  assert.deepEqual([one.message, two.message], ids)
  assert.deepEqual(
    [one.conversation, one.text, one.parts.length, one.outcome, one.finishReason, one.error],
    ['c', '1', 1, 'completed', 'stop', undefined],
  )
  assert.deepEqual(
    one.history.map(({ role, content }) => [role, content]),
    [['assistant', 'One.']],
  )
  assert.deepEqual(one.usage, { inputTokens: 1, outputTokens: 2 })
  assert.equal(one.view.blocks[0].text, 'One.')
  assert.deepEqual([two.outcome, two.history, two.error.code, two.error.status], ['failed', [], 'http', 400])
  await say(window, { text: '3', conversation: 'c' })
  assert.deepEqual(said(server, -1).slice(2), [['user', '2\n\n3']])
})

test('a question that was never answered is there after a restart, and can be answered', async (t) => {
  const store = memoryConversations()
  const question = (id, text) => ({ id, parent: null, at: 1, role: 'user', text })
  await store.save('main', { entries: [question('lost', 'Are you there?')] }) // the app died before the answer was over
  await store.save('other', { entries: [question('lost too', 'Hello?')] })
  const { open, server } = await hostStage(t, {
    answers: [{ text: 'Yes.' }, { text: 'Hi.' }],
    host: { conversations: store },
  })
  const window = open()
  assert.deepEqual(shown(await window.get('open')), ['Are you there?'])
  await say(window, { method: 'regenerate', entry: 'lost' })
  assert.deepEqual(shown(await window.get('open')), ['Are you there?', 'answer'])
  await say(window, { text: 'Anybody?', conversation: 'other' })
  assert.deepEqual(said(server, -1), [['user', 'Hello?\n\nAnybody?']])
})

// -- branches ---------------------------------------------------------------------------------------------------------

test('asking again and editing make branches; one is shown and sent to the model', async (t) => {
  const path = folder()
  const options = {
    answers: ({ body }, count) => ({ text: `${count + 1} to ${body.messages.at(-1).content}` }),
    host: { conversations: fileConversations(path) },
  }
  const { open, server, host } = await hostStage(t, options)
  const window = open()
  const view = () => window.get('open')
  const first = await say(window, 'a')
  await say(window, 'b')
  const again = await say(window, { method: 'regenerate', entry: first })
  assert.deepEqual(said(server, -1), [['user', 'a']])
  assert.deepEqual(shown(await view()), ['a', 'answer 2/2'])
  await say(window, 'c')
  assert.deepEqual(said(server, -1), [
    ['user', 'a'],
    ['assistant', '3 to a'],
    ['user', 'c'],
  ])
  const { entries } = await view()
  await say(window, { method: 'edit', entry: entries[2].id, text: 'C' })
  assert.deepEqual(said(server, -1), [
    ['user', 'a'],
    ['assistant', '3 to a'],
    ['user', 'C'],
  ])
  assert.deepEqual(shown(await view()), ['a', 'answer 2/2', 'C 2/2', 'answer'])
  await window.get('choose', { entry: again, index: 0 })
  assert.deepEqual(shown(await view()), ['a', 'answer 1/2', 'b', 'answer'])
  await until(() => window.conversations.get('main')?.entries.length === 4)
  await window.get('choose', { entry: again, index: 1 })
  assert.deepEqual(shown(await view()), ['a', 'answer 2/2', 'C 2/2', 'answer'], 'the newest leaf beneath')
  await window.get('choose', { entry: again, index: 0 })
  await say(window, 'e')
  await window.get('choose', { entry: entries[0].id, index: 0 })
  assert.deepEqual(
    shown(await view()),
    ['a', 'answer 1/2', 'b', 'answer', 'e', 'answer'],
    'where somebody went on last, though the other answer is the newer one',
  )
  await say(window, { text: 'd', replyTo: first })
  assert.deepEqual(said(server, -1), [
    ['user', 'a'],
    ['assistant', '1 to a'],
    ['user', 'd'],
  ])
  assert.deepEqual(shown(await view()), ['a', 'answer 1/2', 'd 2/2', 'answer'])
  await say(window, { method: 'edit', entry: entries[0].id, text: 'A' })
  assert.deepEqual(shown(await view()), ['A 2/2', 'answer'])
  const before = await view()
  await host.close()
  const { open: reopened } = await hostStage(t, options)
  assert.deepEqual(await reopened().get('open'), before)
})

test('branches that there are not are refused, and a conversation that is busy stays as it is', async (t) => {
  const { open } = await hostStage(t, { answers: [{ text: 'One.' }, { parts: [{ text: 'slow' }, { wait: 60_000 }] }] })
  const window = open()
  const first = await say(window, '1')
  const [{ id: question }] = (await window.get('open')).entries
  const code = async (method, input) => (await window.call(method, input)).error?.code
  assert.equal(await code('regenerate', { entry: 'nobody' }), 'not_found')
  assert.equal(await code('edit', { entry: 'nobody', text: 'x' }), 'not_found')
  assert.equal(await code('edit', { entry: first, text: 'x' }), 'argument')
  assert.equal(await code('edit', { entry: question, text: '' }), 'argument')
  assert.equal(await code('choose', { entry: first, index: 1 }), 'argument')
  assert.equal(await code('choose', { entry: first, index: -1 }), 'argument')
  assert.equal(await code('send', { text: 'x', replyTo: 'nobody' }), 'not_found')
  const { message } = await window.get('send', { text: '2' })
  for (const [method, input] of [
    ['regenerate', { entry: first }],
    ['edit', { entry: question, text: 'x' }],
    ['choose', { entry: first, index: 0 }],
    ['delete', { conversation: 'main' }],
    ['send', { text: 'x' }],
  ]) {
    assert.equal(await code(method, input), 'state', method)
  }
  await window.get('cancel', { message })
  await until(async () => (await code('choose', { entry: first, index: 0 })) === undefined)
  assert.deepEqual(shown(await window.get('open')), ['1', 'answer', '2', 'answer'])
})

test('two sends in the same moment: one begins, the other is told', async (t) => {
  const { open, server } = await hostStage(t, { host: { conversations: fileConversations(folder()) } })
  const window = open()
  const replies = await Promise.all([window.call('send', { text: '1' }), window.call('send', { text: '2' })])
  assert.deepEqual(replies.map(({ ok, error }) => error?.code ?? ok).sort(), ['state', true])
  await window.watch(replies.find(({ ok }) => ok).value.message)
  await done(window, replies.find(({ ok }) => ok).value.message)
  assert.equal(server.requests.length, 1)
})

// -- pictures ---------------------------------------------------------------------------------------------------------

test('pictures go to the model, are shown by address, and are kept beside the conversation', async (t) => {
  const path = folder()
  const look = tool({
    name: 'screen.look',
    permission: 'public',
    agentCallable: true,
    execute: () =>
      resultParts({ type: 'text', text: 'the screen' }, { type: 'image', mediaType: 'image/gif', data: gif }),
  })
  const answers = [{ calls: [{ name: 'screen_look', arguments: {} }] }, { text: 'A dot.' }, { text: 'Still.' }]
  const seen = []
  const first = await hostStage(t, {
    answers,
    tools: [look],
    host: { conversations: fileConversations(path), onTurn: (turn) => seen.push(turn) },
  })
  const client = connect(first.host.bridge())
  const message = await client.send({
    text: 'What is this?',
    parts: [picture(), new Blob([Buffer.from(gif, 'base64')], { type: 'image/gif' })],
  })
  const view = await message.done
  assert.deepEqual(first.server.requests[0].body.messages, [
    {
      role: 'user',
      content: [{ type: 'text', text: 'What is this?' }, data('image/png', png), data('image/gif', gif)],
    },
  ])
  const [entry] = (await client.open().opened).entries
  assert.deepEqual(
    entry.parts.map(({ url }) => url.replace(/[0-9a-f]{64}/, '#')),
    ['sluice:#.png', 'sluice:#.gif'],
  )
  assert.deepEqual(await client.open().picture(entry.parts[0]), picture())
  assert.equal(view.blocks[0].parts[1].data, gif)
  await first.host.close()
  const stored = readFileSync(join(path, 'main/conversation.jsonl'), 'utf8')
  assert.ok(!stored.includes(png) && !stored.includes(gif))
  assert.equal(readdirSync(join(path, 'main')).length, 3, 'each picture once')

  const second = await hostStage(t, { answers: answers.slice(2), host: { conversations: fileConversations(path) } })
  const window = second.open()
  await window.get('open')
  const later = await window.get('subscribe', { message: message.id })
  assert.deepEqual(later.blocks, view.blocks)
  await say(window, 'And now?')
  const [asked, , , images] = second.server.requests[0].body.messages
  assert.deepEqual(asked.content.slice(1), [data('image/png', png), data('image/gif', gif)])
  assert.ok(JSON.stringify(images).includes(gif))
  assert.deepEqual(
    await window.get('picture', { conversation: 'main', url: entry.parts[1].url }),
    picture(gif, 'image/gif'),
  )
  for (const input of [
    { conversation: 'other', url: entry.parts[1].url },
    { conversation: 'main', url: 'sluice:../../main/conversation.jsonl' },
    { conversation: 'main', url: 'file:///etc/passwd' },
  ]) {
    assert.equal((await window.call('picture', input)).error.code, 'not_found')
  }
  await say(window, { text: '', parts: [picture()] })
  assert.deepEqual(said(second.server, -1).at(-1), ['user', [data('image/png', png)]])
  await say(window, { method: 'edit', entry: entry.id, text: 'Look again' })
  assert.deepEqual(said(second.server, -1), [
    ['user', [{ type: 'text', text: 'Look again' }, data('image/png', png), data('image/gif', gif)]],
  ])
})

test('where a model takes no pictures a person is told so, and the conversation goes on without them', async (t) => {
  const see = tool({
    name: 'screen.see',
    description: 'Looks.',
    parameters: { type: 'object' },
    permission: 'public',
    agentCallable: true,
    execute: () => resultParts({ type: 'text', text: 'seen' }, { type: 'image', mediaType: 'image/png', data: png }),
  })
  const sees = ({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'image_url')
  const { open, server } = await hostStage(t, {
    tools: [see],
    host: { conversations: memoryConversations() },
    answers: ({ body }) => {
      if (body.messages.some(sees)) return { status: 400, error: 'This model does not support image input.' }
      return String(body.messages.at(-1).content).endsWith('look')
        ? { calls: [{ id: 'c', name: 'screen_see', arguments: {} }] }
        : { text: 'yes' }
    },
  })
  const window = open()
  const outcome = async (given) => {
    const { blocks, outcome } = window.view(await say(window, given))
    return [outcome, ...blocks.map(({ type, code, text }) => code ?? text ?? type)]
  }
  assert.deepEqual(await outcome({ text: 'what is this?', parts: [picture()] }), ['failed', 'pictures_unsupported'])
  assert.deepEqual(await outcome('and now?'), ['completed', 'yes'])
  assert.deepEqual(said(server, -1), [['user', '[picture]\n\nwhat is this?\n\nand now?']])
  const entry = (await window.get('open')).entries[0].id
  assert.deepEqual(
    await outcome({ method: 'regenerate', entry }),
    ['failed', 'pictures_unsupported'],
    'asked again, it has its picture',
  )
  assert.deepEqual(await outcome('look'), ['failed', 'tool_use', 'pictures_unsupported'], 'pictures of a result, too')
  assert.deepEqual(await outcome('go on'), ['completed', 'yes'])
})

test('what is no picture, too large or too much is refused with its place', async (t) => {
  const { open, server } = await hostStage(t, { host: { attachments: { maxBytes: 1000 } } })
  const window = open()
  const html = Buffer.from('<script>alert(1)</script>').toString('base64')
  const large = Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(900)]).toString('base64')
  const wrong = [
    [[picture(html, 'text/html')], 'argument', 'parts[0].mediaType'],
    [[picture(Buffer.from('<svg/>').toString('base64'), 'image/svg+xml')], 'argument', 'parts[0].mediaType'],
    [[picture(), picture(html)], 'argument', 'parts[1].data'],
    [[picture(gif)], 'argument', 'parts[0].data'],
    [[picture(`${png.slice(0, -4)}****`)], 'argument', 'parts[0].data'],
    [[picture('')], 'argument', 'parts[0].data'],
    [[picture(png.repeat(30))], 'limit', 'parts[0].data'],
    [[picture(large), picture(large)], 'limit', 'parts'],
    [Array.from({ length: 9 }, () => picture()), 'limit', 'parts'],
    [[{ type: 'image', url: 'http://127.0.0.1/a.png' }], 'argument', 'parts[0].url'],
    [[{ type: 'text', text: 'x' }], 'argument', 'parts[0].text'],
    [{ length: 1 }, 'argument', 'parts'],
  ]
  for (const [given, code, path] of wrong) {
    const { error } = await window.call('send', { text: 'x', parts: given })
    assert.deepEqual([error.code, error.path], [code, path], JSON.stringify(given).slice(0, 80))
  }
  assert.equal((await window.call('send', { text: '', parts: [] })).error.path, 'text')
  assert.equal(server.requests.length, 0)
  await assert.rejects(
    connect((await hostStage(t)).host.bridge()).send({ parts: [new Blob([], { type: 'image/png' })] }),
    { code: 'argument' },
  )
})

// -- lists ------------------------------------------------------------------------------------------------------------

test('windows list, search, rename, export and delete', async (t) => {
  const path = folder()
  const { open, host } = await hostStage(t, {
    answers: ({ body }) => ({ text: `About ${body.messages.at(-1).content}` }),
    host: { conversations: fileConversations(path) },
  })
  const client = connect(host.bridge())
  for (const id of ['rain', 'sun']) {
    await (await client.send(`the ${id}`, { conversation: id })).done
    await until(async () =>
      (await client.conversations.list()).some((one) => one.id === id && one.entries === 2 && one.updated < Date.now()),
    )
  }
  const titles = async (options) => (await client.conversations.list(options)).map(({ id, title }) => `${id}: ${title}`)
  await until(async () => (await client.conversations.list()).filter(({ entries }) => entries === 2).length === 2)
  assert.deepEqual(await titles(), ['sun: the sun', 'rain: the rain'])
  assert.deepEqual(await titles({ query: 'RAIN' }), ['rain: the rain'])
  assert.deepEqual(
    (await client.conversations.search('about the sun')).map(({ conversation }) => conversation),
    ['sun'],
  )
  const window = open({ read: true })
  await window.get('open', { conversation: 'rain' })
  assert.equal(await client.conversations.rename('rain', 'Weather'), true)
  await until(() => window.conversations.get('rain')?.title === 'Weather')
  assert.equal(await client.conversations.rename('nobody', 'x'), false)
  assert.match(await client.conversations.export('rain', 'markdown'), /^# Weather\n/)
  await assert.rejects(client.conversations.export('nobody', 'json'), { code: 'not_found' })
  const { entries } = window.conversations.get('rain')
  assert.equal(await client.conversations.delete('rain', entries[1].id), true)
  await until(() => window.conversations.get('rain').entries.length === 1)
  assert.equal((await window.call('subscribe', { message: entries[1].message })).error.code, 'not_found')
  assert.equal(await client.conversations.delete('rain'), true)
  await until(() => window.conversations.get('rain').entries.length === 0)
  assert.equal(await client.conversations.delete('rain'), false)
  writeFileSync(join(path, 'sun/conversation.jsonl'), 'x\n')
  const [damaged] = await client.conversations.list()
  assert.ok(damaged.damaged && !JSON.stringify(damaged).includes(path), 'no path of the disk')
  const { error } = await window.call('open', { conversation: 'sun' })
  assert.ok(
    error.code === 'storage' && /is damaged/.test(error.detail) && !JSON.stringify(error).includes(path),
    JSON.stringify(error),
  )
  assert.equal((await open().call('send', { text: 'x', conversation: 'sun' })).error.code, 'storage')
})

test('without a store the same is possible, as long as the host lives', async (t) => {
  const { host } = await hostStage(t, { answers: (_, count) => ({ text: `${count}` }), host: { keepMessages: 2 } })
  const client = connect(host.bridge())
  for (const text of ['a', 'b', 'c', 'd']) await (await client.send({ text, parts: [picture()] })).done
  const view = client.open()
  await until(() => view.getSnapshot().entries.length === 4 && view.getSnapshot().forgotten === 4)
  const { entries } = view.getSnapshot()
  assert.deepEqual(await view.picture(entries[0].parts[0]), picture())
  await (await client.regenerate(entries[3].id)).done
  await until(() => view.getSnapshot().forgotten === 6)
  assert.deepEqual(shown(view.getSnapshot()), ['d', 'answer 2/2'])
  await client.choose(view.getSnapshot().entries[1].id, 0)
  await until(() => shown(view.getSnapshot())[1] === 'answer 1/2')
  const [{ entries: kept }] = await client.conversations.list()
  assert.ok(kept <= 4, `${kept}`)
  await client.conversations.delete('main')
  assert.deepEqual(await client.conversations.list(), [])
})

// -- stores that fail -------------------------------------------------------------------------------------------------

/** A store in memory that does what the test says. */
function moody() {
  const store = memoryConversations()
  const mood = { save: (save) => save(), load: (load) => load() }
  return Object.assign(mood, {
    store: {
      ...Object.fromEntries(
        ['list', 'rename', 'delete', 'search', 'export', 'bytes'].map((name) => [
          name,
          (...args) => store[name](...args),
        ]),
      ),
      save: (...args) => mood.save(() => store.save(...args)),
      load: (id) => mood.load(() => store.load(id)),
    },
    kept: store,
  })
}

test('a store that cannot save is told of, and nothing that was said is lost', async (t) => {
  const mood = moody()
  const failures = []
  const { open, server, host } = await hostStage(t, {
    answers: (_, count) => ({ text: `${count}` }),
    host: { conversations: mood.store, onUnsaved: (failure) => failures.push(failure) },
  })
  const window = open()
  await window.get('open')
  mood.save = async () => {
    throw new SluiceError({
      code: 'storage',
      path: '/home/me/secret/file',
      detail: 'the file of a conversation: the disk is full',
    })
  }
  await say(window, { text: 'a', parts: [picture()] })
  await until(() => window.conversations.get('main')?.unsaved)
  assert.equal(window.conversations.get('main').unsaved, 'the file of a conversation: the disk is full')
  assert.deepEqual([failures[0].conversation, failures[0].error.path], ['main', '/home/me/secret/file'])
  mood.save = () => {
    throw new Error('key sk-12345')
  }
  const second = await say(window, 'b')
  await until(() => !/disk/.test(window.conversations.get('main').unsaved))
  assert.doesNotMatch(JSON.stringify(window.frames), /secret|sk-12345/)
  assert.deepEqual(
    said(server, -1).map(([role]) => role),
    ['user', 'assistant', 'user'],
  )
  assert.deepEqual(shown(await window.get('open')), ['a', 'answer', 'b', 'answer'])
  assert.equal((await window.call('subscribe', { message: second })).ok, true)
  assert.equal(await mood.kept.load('main'), null)
  mood.save = (save) => save()
  await say(window, 'c')
  await until(() => window.conversations.get('main').unsaved === undefined)
  await until(async () => (await mood.kept.load('main')).entries.length === 6)
  const { entries } = await mood.kept.load('main')
  assert.ok(
    entries.every(({ role, message, history, text }) => (role === 'user' ? text : message && history.length === 1)),
  )
  assert.equal(
    (await mood.kept.bytes('main', entries[0].parts[0].url.slice(7))).length,
    Buffer.from(png, 'base64').length,
  )
  mood.save = async () => {
    throw new Error('again')
  }
  await say(window, 'd')
  mood.save = (save) => save()
  await host.close()
  assert.equal((await mood.kept.load('main')).entries.length, 8, 'a host that is closed tries once more')
})

test('what could not be saved is saved when the store is well again, though nobody says anything', async (t) => {
  const mood = moody()
  const { open } = await hostStage(t, {
    answers: [{ text: 'one' }],
    host: { conversations: mood.store, onUnsaved: () => {} },
  })
  const window = open()
  await window.get('open')
  mood.save = async () => {
    throw new Error('the disk is full')
  }
  await say(window, 'a')
  await until(() => window.conversations.get('main')?.unsaved)
  mood.save = (save) => save()
  await until(() => window.conversations.get('main').unsaved === undefined, 'the store to take it')
  assert.equal((await mood.kept.load('main')).entries.length, 2)
})

test('a conversation that could not be saved and is deleted stays deleted', async (t) => {
  const mood = moody()
  const saves = []
  mood.save = async () => {
    throw new Error('the disk is full')
  }
  const { open, host } = await hostStage(t, {
    answers: [{ text: 'one' }],
    host: { conversations: mood.store, onUnsaved: () => {} },
  })
  const window = open()
  await window.get('open')
  await say(window, { text: 'a', parts: [picture()] })
  await until(() => window.conversations.get('main')?.unsaved)
  await window.get('delete', { conversation: 'main' })
  mood.save = (save) => saves.push(save)
  await until(() => window.conversations.get('main').unsaved === undefined)
  await new Promise((resolve) => setTimeout(resolve, 2500)) // the next try would come after one or two seconds
  await host.close()
  assert.equal(saves.length, 0)
})

test('while a conversation is deleted nothing begins in it, and a window that reads it meanwhile brings nothing back', async (t) => {
  const store = memoryConversations()
  const gates = { delete: [], load: [] }
  const slow =
    (name) =>
    async (...given) => {
      const found = await store[name](...given)
      await new Promise((resolve) => gates[name].push(resolve))
      return found
    }
  let held = false
  const conversations = new Proxy(store, {
    get: (_, name) =>
      held && name in gates ? slow(name) : typeof store[name] === 'function' ? store[name].bind(store) : store[name],
  })
  const first = await hostStage(t, { answers: [{ text: 'One.' }], host: { conversations } })
  await say(first.open(), 'First')
  await first.host.close()

  const { open } = await hostStage(t, { answers: [{ text: 'Two.' }, { text: 'Three.' }], host: { conversations } })
  const [here, there] = [open(), open()]
  held = true
  const reading = there.get('open')
  await until(() => gates.load.length === 1, 'the store reads')
  const deleting = here.get('delete', { conversation: 'main' })
  const late = (async () => {
    // the store reads for it, or is about to delete
    await until(() => gates.delete.length === 1 || gates.load.length > 1, 'the store is asked')
    return there.call('send', { text: 'Meanwhile' })
  })()
  for (const resolve of gates.load) resolve()
  await until(() => gates.delete.length === 1, 'the store deletes')
  assert.deepEqual([(await late).ok, (await late).error?.code], [false, 'state'])
  held = false
  for (const resolve of [...gates.delete, ...gates.load]) resolve()
  assert.equal(await deleting, true)
  await reading
  assert.deepEqual((await here.get('open')).entries, [])
  assert.equal(await store.load('main'), null)
  await say(here, 'Again')
  assert.deepEqual(shown(await here.get('open')), ['Again', 'answer'])
})

test('an entry never lies in the store without what belongs to it', async (t) => {
  const mood = moody()
  const changes = []
  mood.save = (save) => save()
  const { open } = await hostStage(t, {
    answers: (_, count) => ({ text: `${count}` }),
    host: {
      conversations: {
        ...mood.store,
        save: async (id, change) => {
          changes.push(structuredClone(change))
          await mood.kept.save(id, change)
        },
      },
    },
  })
  const window = open()
  for (const text of ['a', 'b']) await say(window, text)
  await until(async () => (await mood.kept.load('main')).entries.length === 4)
  // The question and its answer are saved together, the answer as one that was interrupted.
  assert.deepEqual(
    changes.flatMap(({ entries }) =>
      entries.map(({ role, message }) => (role === 'user' ? role : message?.interrupted ? 'begun' : message?.outcome)),
    ),
    ['user', 'begun', 'completed', 'user', 'begun', 'completed'],
  )
  assert.ok(
    changes
      .flatMap(({ entries }) => entries)
      .every(({ role, message, history }) => role === 'user' || message?.interrupted || history.length === 1),
  )
  assert.deepEqual(
    changes.map(({ entries }) => entries.length),
    [2, 1, 2, 1],
  )
  assert.ok(changes.every(({ head, entries }) => head === entries.at(-1).id))
})

test('a store that hangs delays no answer, and a host that is closed waits for it a while', async (t) => {
  const mood = moody()
  mood.save = () => new Promise(() => {})
  const { open, host } = await hostStage(t, { host: { conversations: mood.store } })
  const window = open()
  await say(window, 'a')
  await say(window, 'b')
  const waits = shorten(t, { 5000: 50 })
  await host.close()
  assert.ok(waits.calls.some(({ arguments: [, ms] }) => ms === 5000))
})

test('a conversation that cannot be loaded is not gone on with', async (t) => {
  const mood = moody()
  mood.load = async () => {
    throw new SluiceError({
      code: 'storage',
      path: '/home/me/file:3',
      detail: 'the file of a conversation is damaged: x',
    })
  }
  const { open, server, host } = await hostStage(t, { host: { conversations: mood.store } })
  const window = open()
  for (const [method, input] of [
    ['open', {}],
    ['send', { text: 'x' }],
  ]) {
    assert.deepEqual((await window.call(method, input)).error, {
      code: 'storage',
      detail: 'the file of a conversation is damaged: x',
    })
  }
  await assert.rejects(host.send('x'), { code: 'storage', path: '/home/me/file:3' })
  mood.load = () => {
    throw new Error('key sk-12345')
  }
  assert.equal((await window.call('send', { text: 'x' })).error.code, 'internal')
  assert.equal(server.requests.length, 0)
  mood.load = (load) => load()
  await say(window, 'x')
})

test('what is no store is refused', (t) => {
  const engine = new Engine()
  t.after(() => engine.close())
  for (const conversations of [null, {}, 'folder', { ...memoryConversations() }])
    assert.throws(() => createHost(engine, { run: () => ({}), conversations }), {
      code: 'option',
      path: 'conversations',
    })
})

// -- long lives -------------------------------------------------------------------------------------------------------

test('of many conversations few are held, and all can be shown', async (t) => {
  let loads = 0
  const mood = moody()
  mood.load = (load) => (loads++, load())
  const { open } = await hostStage(t, {
    answers: (_, count) => ({ text: `${count}` }),
    host: { conversations: mood.store },
  })
  const window = open()
  const messages = []
  for (let at = 0; at < 25; at++) {
    await window.get('open', { conversation: `c${at}` })
    messages.push(await say(window, { text: `question ${at}`, conversation: `c${at}` }))
  }
  const before = loads
  for (const [at, message] of messages.entries())
    assert.equal((await window.get('subscribe', { message })).blocks[0].text, `${at}`)
  assert.ok(loads - before >= 10, `${loads - before}`)
  for (const at of [0, 1, 24]) {
    await say(window, { text: 'again', conversation: `c${at}` })
    assert.deepEqual(shown(await window.get('open', { conversation: `c${at}` })), [
      `question ${at}`,
      'answer',
      'again',
      'answer',
    ])
  }
})

test('of a long conversation a window is shown the end, asks for the rest, and the model gets all of it', async (t) => {
  const store = memoryConversations()
  const entries = Array.from({ length: 5000 }, (_, at) => ({
    id: `e${at}`,
    parent: at ? `e${at - 1}` : null,
    at,
    role: at % 2 ? 'assistant' : 'user',
    text: at % 2 ? undefined : `${at}`,
    ...(at % 2
      ? {
          message: { role: 'assistant', outcome: 'completed', rounds: 1, blocks: [] },
          history: [{ role: 'assistant', content: `${at}` }],
        }
      : {}),
  }))
  await store.save('main', { entries })
  const { open, server } = await hostStage(t, { host: { conversations: store } })
  const window = open()
  const view = await window.get('open')
  assert.deepEqual([view.forgotten, view.entries.length, view.entries[0].id], [4500, 500, 'e4500'])
  const earlier = await window.get('earlier', { entry: 'e4500' })
  assert.deepEqual([earlier.length, earlier[0].id, earlier.at(-1).id], [100, 'e4400', 'e4499'])
  assert.deepEqual(
    (await window.get('earlier', { entry: 'e2', limit: 1000 })).map(({ id }) => id),
    ['e0', 'e1'],
  )
  assert.deepEqual(await window.get('earlier', { entry: 'e0' }), [])
  assert.equal((await window.call('earlier', { entry: 'nobody' })).error.code, 'not_found')
  const start = performance.now()
  await say(window, 'And now?')
  t.diagnostic(`a turn behind 5,000 entries: ${(performance.now() - start).toFixed(0)} ms`)
  assert.equal(server.requests[0].body.messages.length, 5001)
  assert.equal((await window.get('open')).forgotten, 4502)
})

test('a window that asks the store in a loop is refused before it takes the time of others', async (t) => {
  const mood = moody()
  mood.store.search = async () => {
    for (const end = performance.now() + 30; performance.now() < end; );
    return []
  }
  const { open } = await hostStage(t, { host: { conversations: mood.store } })
  const [greedy, other] = [open(), open()]
  const replies = await Promise.all(Array.from({ length: 1500 }, () => greedy.call('search', { query: 'x' })))
  assert.ok(replies.filter(({ error }) => error?.code === 'limit').length > 1000)
  assert.equal((await other.call('search', { query: 'x' })).ok, true)
  assert.equal((await greedy.call('send', { text: 'Hi' })).ok, true, 'what a person does is not refused')
})

test('what the pet says behind the end of a message is kept, too', async (t) => {
  const path = folder()
  const smile = tool({
    name: 'live2d.expression',
    permission: 'public',
    agentCallable: true,
    immediate: true,
    ipc: { channel: 'live2d:expression', payload: ['{{name}}'] },
    parameters: { type: 'object', properties: { name: { type: 'string' } } },
  })
  const { open, host } = await hostStage(t, {
    answers: [{ calls: [{ name: 'live2d_expression', arguments: { name: 'smile' } }] }, { text: 'Done.' }],
    tools: [smile],
    host: { conversations: fileConversations(path), onPet: () => {} },
  })
  const pet = open({ ...everything })
  await pet.get('petReady', { expressions: ['smile'], motions: {} })
  const message = await say(pet, 'Smile')
  const [order] = await until(() => pet.orders.length > 0 && pet.orders)
  await pet.get('petReply', { id: order.id, ok: false, reason: 'no face' })
  await until(
    async () => (await fileConversations(path).load('main'))?.entries[1]?.message.blocks.some(({ notice }) => notice),
    'the notice in the store',
  )
  await pet.get('open')
  assert.match((await pet.get('subscribe', { message })).blocks[0].notice, /no face/)
  await host.close()
})
