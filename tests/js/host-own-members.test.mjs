// What an app keeps with a conversation: members of its own, tags, settings; and what a list says of all of them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { memoryConversations } from 'sluice/conversations'
import { connect } from 'sluice/renderer'
import { callsDelete, guarded, hostStage, until } from './host-support.mjs'

const hello = { answers: () => ({ text: 'Hello.' }) }
const kept = async (store, id) => {
  const { entries: _, head: __, ...own } = await store.load(id)
  return own
}

test('the app names a new conversation before it is asked to prepare the answer', async (t) => {
  const store = memoryConversations()
  const begun = []
  const prepared = []
  const { server, host } = await hostStage(t, {
    ...hello,
    host: {
      conversations: store,
      begin: (about) => {
        begun.push(about)
        return { title: 'Rain', tags: ['pet'], app: { persona: 'cat' } }
      },
      system: ({ app }) => `You are a ${app.persona}.`,
      run: ({ app }) => {
        prepared.push(app)
        app.persona = 'changed'
        return { model: { baseURL: server.baseURL, name: 'scripted' } }
      },
      titles: () => 'never asked',
    },
  })
  const client = connect(host.bridge())
  await (await client.send('What about today?', { conversation: 'a' })).done
  await (await client.send('And tomorrow?', { conversation: 'a' })).done
  assert.deepEqual(begun, [{ conversation: 'a', text: 'What about today?' }])
  assert.equal(prepared.length, 2)
  assert.equal(server.requests[1].body.messages[0].content, 'You are a cat.')
  await until(async () => (await kept(store, 'a')).title === 'Rain', 'the title')
  assert.deepEqual(await kept(store, 'a'), {
    id: 'a',
    title: 'Rain',
    tags: ['pet'],
    app: { persona: 'cat' },
    seen: false,
  })
})

test('in a page, which has no Buffer, the app keeps something as well', async () => {
  const { Buffer } = globalThis
  delete globalThis.Buffer
  try {
    const store = memoryConversations()
    await store.save('a', { app: { persona: '猫' } })
    await assert.rejects(store.save('a', { app: { big: '猫'.repeat(22_000) } }), { code: 'limit', path: 'change.app' })
    assert.deepEqual((await store.load('a')).app, { persona: '猫' })
  } finally {
    globalThis.Buffer = Buffer
  }
})

test('what `begin` gives wrongly is a warning, and the answer comes', async (t) => {
  for (const [begin, told] of [
    [() => ({ tag: 'x' }), /begin threw: begin\(\)\.tag: unknown member/],
    [() => ({ app: 'x' }), /begin threw: begin\(\)\.app: found "x", expected an object of JSON/],
    [
      () => {
        throw new Error('no')
      },
      /begin threw: no/,
    ],
  ]) {
    const { host } = await hostStage(t, { ...hello, host: { begin } })
    const warned = once(process, 'warning')
    assert.equal((await (await connect(host.bridge()).send('Hi')).done).outcome, 'completed')
    assert.match((await warned)[0].message, told)
  }
})

test('the app describes a conversation and marks entries; windows get what `appView` lets through', async (t) => {
  const store = memoryConversations()
  const { host } = await hostStage(t, {
    ...hello,
    host: {
      conversations: store,
      appView: (app, entry) => (entry ? { stars: app.stars } : { colour: app.colour }),
    },
  })
  const client = connect(host.bridge())
  const conversation = client.open()
  conversation.subscribe(() => {})
  await host.describe('main', { title: 'Rain', tags: ['work'], app: { colour: 'blue', key: 'secret' } })
  const message = await client.send('Hi')
  await message.done
  host.mark(message.id, { stars: 5, key: 'secret' })
  await until(() => conversation.getSnapshot().entries[1]?.app, 'the mark')
  const view = conversation.getSnapshot()
  assert.deepEqual([view.title, view.tags, view.app], ['Rain', ['work'], { colour: 'blue' }])
  assert.deepEqual([view.entries[0].app, view.entries[1].app], [undefined, { stars: 5 }])
  assert.doesNotMatch(JSON.stringify(view), /secret/)
  await until(async () => (await store.load('main')).entries[1]?.app, 'the mark is saved')
  assert.deepEqual((await store.load('main')).entries[1].app, { stars: 5, key: 'secret' })
  host.mark(message.id, null)
  await host.describe('main', { app: null, tags: [] })
  await until(async () => (await store.load('main')).entries[1].app === undefined, 'the mark is gone')
  assert.deepEqual(await kept(store, 'main'), { id: 'main', title: 'Rain' })
  await assert.rejects(host.describe('main', { name: 'x' }), { code: 'option', path: 'description.name' })
  await assert.rejects(host.describe('', {}), { code: 'argument', path: 'conversation' })
  assert.throws(() => host.mark('nobody', {}), { code: 'not_found', path: 'entry' })
  assert.throws(() => host.mark(message.id, { big: 'x'.repeat(70_000) }), { code: 'limit', path: 'app' })
})

test('without `appView` a window gets nothing of the app, and where it throws neither', async (t) => {
  for (const appView of [
    undefined,
    () => {
      throw new Error('no')
    },
  ]) {
    const { host } = await hostStage(t, { ...hello, host: appView ? { appView } : {} })
    await host.describe('main', { app: { key: 'secret' } })
    const view = await connect(host.bridge()).open().opened
    assert.equal(view.app, undefined)
  }
})

test('settings of one conversation go before those of all, and behind what `run` gives', async (t) => {
  const store = memoryConversations()
  let turn = {}
  const { server, host } = await hostStage(t, {
    ...hello,
    host: {
      conversations: store,
      run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' }, ...turn }),
    },
    tools: [guarded().tool],
  })
  const client = connect(host.bridge())
  await host.configure({ settings: { mode: 'text' } })
  const own = await client.configure({ settings: { mode: 'native', maxRounds: 2 } }, { conversation: 'a' })
  assert.deepEqual([own.settings.mode, own.settings.maxRounds], ['native', 2])
  assert.equal((await client.configuration()).settings.mode, 'text')
  assert.equal((await client.configuration({ conversation: 'a' })).settings.mode, 'native')
  const hasTools = async (conversation) => {
    await (await client.send('Hi', { conversation })).done
    return server.requests.at(-1).body.tools !== undefined
  }
  assert.deepEqual([await hasTools('a'), await hasTools('b')], [true, false])
  turn = { mode: 'text' }
  assert.equal(await hasTools('a'), false)
  assert.deepEqual((await store.load('a')).configuration, { settings: { mode: 'native', maxRounds: 2 } })
  await client.configure({ settings: { mode: null, maxRounds: null } }, { conversation: 'a' })
  assert.equal((await store.load('a')).configuration, undefined)
  for (const [patch, code, path] of [
    [{ settings: { mode: 'no' } }, 'argument', 'settings.mode'],
    [{ settings: { limits: {} } }, 'forbidden', 'settings.limits'],
    [{ tools: {} }, 'argument', 'tools'],
  ])
    await assert.rejects(client.configure(patch, { conversation: 'a' }), { code, path })
  const window = connect(host.bridge({ read: true, chat: true }))
  await assert.rejects(window.configure({ settings: {} }, { conversation: 'a' }), { code: 'forbidden' })
})

test('a list says which conversation runs, asks, waits and was not read, and tells changes as they come', async (t) => {
  const store = memoryConversations()
  const { tool } = guarded()
  const { host } = await hostStage(t, {
    tools: [tool],
    answers: [callsDelete, { text: 'Done.' }],
    host: { conversations: store },
  })
  const client = connect(host.bridge())
  const frames = []
  const off = client.conversations.subscribe((changed) => frames.push(changed))
  await host.describe('other', { tags: ['work'] })
  const message = await client.send('Delete it.', { conversation: 'a' })
  await until(() => message.getSnapshot().questions.length === 1, 'the question')
  const item = async (id) => (await client.conversations.list()).find((one) => one.id === id)
  await until(async () => (await item('a')).unread, 'it was not read')
  const asking = await item('a')
  assert.deepEqual([asking.running, asking.asks, asking.waiting, asking.title], [true, 1, true, 'Delete it.'])
  assert.deepEqual(
    (await client.conversations.list({ tags: ['work'] })).map(({ id }) => id),
    ['other'],
  )
  await until(() => frames.flat().some(({ id, asks }) => id === 'a' && asks === 1), 'a change')
  assert.deepEqual(await store.list({}).then((all) => all.find(({ id }) => id === 'a').seen), false)
  await client.open('a').opened
  await until(async () => !(await item('a')).unread, 'it was read')
  message.approve(message.getSnapshot().questions[0])
  await message.done
  await until(async () => !(await item('a')).running, 'it is over')
  const over = await item('a')
  assert.deepEqual([over.running, over.asks, over.waiting, over.unread], [undefined, undefined, undefined, undefined])
  await until(() => frames.flat().some(({ id, running, asks }) => id === 'a' && !running && !asks), 'the end')
  assert.ok(frames.every((changed) => new Set(changed.map(({ id }) => id)).size === changed.length))
  off()
  const told = frames.length
  await client.conversations.delete('a')
  assert.equal(frames.length, told, 'nobody listens any more')
})

test('an answer that ended while no window had it open is unread after a restart as well', async (t) => {
  const store = memoryConversations()
  const first = await hostStage(t, { ...hello, host: { conversations: store } })
  const id = await first.host.send('Hi')
  await connect(first.host.bridge()).message(id).done
  await first.host.close()
  const second = await hostStage(t, { ...hello, host: { conversations: store } })
  const client = connect(second.host.bridge())
  assert.equal((await client.conversations.list())[0].unread, true)
  await client.open().opened
  await until(async () => (await store.list())[0].seen === undefined, 'the store knows')
  assert.equal((await client.conversations.list())[0].unread, undefined)
})
