// The host ends in the middle of an answer: what of it was kept, and that a question is there again.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from './dist.mjs'
import { tool } from 'sluice'
import { fileConversations, memoryConversations, sqliteConversations } from 'sluice/conversations'
import { connect } from 'sluice/renderer'
import { startScriptedServer } from 'sluice/testing'
import { guarded, hostStage, until } from './host-support.mjs'

const { Keeper } = await built('keeper')

const { DatabaseSync } = await import('node:sqlite').catch(() => ({}))
const looks = { text: 'I look first. ', calls: [{ id: 'call_l', name: 'look', arguments: {} }] }
const deletes = { text: 'I will. ', calls: [{ id: 'call_d', name: 'file_delete', arguments: { path: '/tmp/x' } }] }
const look = tool({
  name: 'look',
  description: 'Looks.',
  permission: 'public',
  agentCallable: true,
  parameters: { type: 'object', properties: {} },
  execute: () => 'It rains.',
})
const { tool: remove } = guarded()
const endless = {
  parts: [
    { text: 'It rains, so take ' },
    { wait: 100 },
    { text: 'the umbrella ' },
    { wait: 600_000 },
    { text: 'and never this.' },
  ],
}
const textOf = ({ blocks }) => blocks.map((block) => block.text ?? block.name ?? block.code).join('|')

/** Removed at the end: hosts that are still open save into it. */
function folder() {
  const path = mkdtempSync(join(tmpdir(), 'sluice-interrupted-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** The app in a process of its own. `looks`: what it showed, as it comes. */
function startApp(t, ...args) {
  const app = spawn(process.execPath, [fileURLToPath(new URL('interrupted-app.mjs', import.meta.url)), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const shown = []
  createInterface({ input: app.stdout }).on('line', (line) => shown.push(JSON.parse(line)))
  t.after(() => app.kill('SIGKILL'))
  return { app, shown, ended: new Promise((resolve) => app.on('exit', (_, signal) => resolve(signal))) }
}

async function killed({ app, ended }) {
  app.kill('SIGKILL')
  assert.equal(await ended, 'SIGKILL')
}

for (const kind of ['files', 'sqlite']) {
  const skip = kind === 'sqlite' && !DatabaseSync && `Node ${process.versions.node} has no node:sqlite`
  const open = (path) => (kind === 'files' ? fileConversations(path) : sqliteConversations(new DatabaseSync(path)))
  const place = () => (kind === 'files' ? folder() : join(folder(), 'conversations.db'))

  test(`${kind}: an answer whose app was killed is there as far as it came, says that it was interrupted, and goes on`, {
    skip,
  }, async (t) => {
    const path = place()
    const server = await startScriptedServer({ answers: [looks, endless] })
    t.after(() => server.close())
    const run = startApp(t, kind, path, server.baseURL, 'What about today?')
    await until(() => /umbrella/.test(textOf(run.shown.at(-1) ?? { blocks: [] })), 'the text')
    const reader = open(path)
    await until(
      async () => /umbrella/.test(textOf((await reader.load('main'))?.entries[1]?.message ?? { blocks: [] })),
      'what is kept',
    )
    await killed(run)

    const { host, server: second } = await hostStage(t, {
      answers: [{ text: 'today.' }],
      tools: [look],
      host: { conversations: open(path) },
    })
    const client = connect(host.bridge())
    const { entries } = await client.open().opened
    assert.deepEqual(
      entries.map(({ role }) => role),
      ['user', 'assistant'],
    )
    const message = client.message(entries[1].message)
    const view = await message.done
    assert.deepEqual(
      [view.outcome, view.interrupted, textOf(view)],
      ['failed', true, 'I look first. |look|It rains, so take the umbrella '],
    )
    await client.goOn(entries[1].id)
    const whole = await message.done
    assert.deepEqual(
      [whole.outcome, whole.interrupted, textOf(whole)],
      ['completed', undefined, 'I look first. |look|It rains, so take the umbrella today.'],
    )
    assert.deepEqual(
      second.requests[0].body.messages.map(({ role, content, tool_calls: calls }) => [role, content, calls?.length]),
      [
        ['user', 'What about today?', undefined],
        ['assistant', 'I look first. ', 1],
        ['tool', 'It rains.', undefined],
        ['assistant', 'It rains, so take the umbrella ', undefined],
        ['user', 'Go on exactly where you stopped, and repeat nothing.', undefined],
      ],
    )
  })

  test(`${kind}: a question of an app that was killed is there again, and its answer counts`, { skip }, async (t) => {
    const path = place()
    const server = await startScriptedServer({ answers: [looks, deletes] })
    t.after(() => server.close())
    const run = startApp(t, kind, path, server.baseURL, 'Delete it')
    await until(() => run.shown.at(-1)?.questions?.length, 'the question')
    const reader = open(path)
    await until(async () => (await reader.load('main'))?.entries[1]?.state, 'what is kept')
    await killed(run)

    const { tool: removes, ran } = guarded()
    const { host, server: second } = await hostStage(t, {
      answers: [{ text: 'Done.' }],
      tools: [look, removes],
      host: { conversations: open(path) },
    })
    const client = connect(host.bridge())
    const { entries } = await client.open().opened
    const message = client.message(entries[1].message)
    message.subscribe(() => {})
    await until(() => message.getSnapshot().questions.length === 1, 'the question')
    const [ask] = message.getSnapshot().questions
    assert.deepEqual(
      [ask.name, ask.arguments, message.getSnapshot().outcome],
      ['file.delete', { path: '/tmp/x' }, undefined],
    )
    assert.deepEqual(
      message.getSnapshot().blocks.map(({ status }) => status),
      [undefined, 'success', undefined, 'awaiting_approval'],
    )
    assert.equal(await message.approve(ask), true)
    const view = await message.done
    assert.deepEqual(
      [view.outcome, textOf(view), ran],
      ['completed', 'I look first. |look|I will. |file.delete|Done.', [{ path: '/tmp/x' }]],
    )
    assert.deepEqual(
      second.requests[0].body.messages.map(({ role, content }) => [role, content]),
      [
        ['user', 'Delete it'],
        ['assistant', 'I look first. '],
        ['tool', 'It rains.'],
        ['assistant', 'I will. '],
        ['tool', 'deleted'],
      ],
    )
    await until(async () => (await open(path).load('main')).entries[1].message.outcome === 'completed', 'the end')
    assert.equal((await open(path).load('main')).entries[1].state, undefined)
  })

  test(`${kind}: a call that was allowed before the app was killed does not run again`, { skip }, async (t) => {
    const path = place()
    const server = await startScriptedServer({ answers: [deletes] })
    t.after(() => server.close())
    const run = startApp(t, kind, path, server.baseURL, 'Delete it')
    await until(() => run.shown.at(-1)?.questions?.length, 'the question')
    const reader = open(path)
    await until(async () => (await reader.load('main'))?.entries[1]?.state, 'what is kept')
    run.app.stdin.write('yes\n')
    await until(() => run.shown.includes('deleted'), 'the tool')
    await killed(run)

    const { tool: removes, ran } = guarded()
    const { host } = await hostStage(t, { tools: [removes], host: { conversations: open(path) } })
    const client = connect(host.bridge())
    const { entries } = await client.open().opened
    const view = await client.message(entries[1].message).done
    assert.deepEqual([view.interrupted, view.questions, view.blocks.at(-1).status, ran], [true, [], 'unknown', []])
  })
}

test('an app that ends in order leaves its question to the next; what was asked is no answer that was cancelled', async (t) => {
  const store = memoryConversations()
  const first = await hostStage(t, { answers: [deletes], tools: [remove], host: { conversations: store } })
  const window = first.open()
  const id = await window.send('Delete it')
  await until(() => window.asks(id).length === 1, 'the question')
  await first.host.close()
  const { tool: removes, ran } = guarded()
  const second = await hostStage(t, { answers: [{ text: 'Well.' }], tools: [removes], host: { conversations: store } })
  const later = second.open()
  const other = second.open()
  const [one] = await Promise.all([later.get('open'), other.get('open')])
  assert.deepEqual(
    one.entries.map(({ id: entry }) => entry === id),
    [false, true],
  )
  await Promise.all([later.watch(id), other.watch(id)])
  await until(() => later.asks(id).length === 1, 'the question again')
  assert.equal((await later.call('send', { text: 'And?' })).error.code, 'state', 'the turn goes on')
  assert.equal(await later.get('deny', { message: id, token: later.asks(id)[0].token, reason: 'no' }), true)
  await until(() => other.view(id).outcome === 'completed', 'the end')
  assert.deepEqual([ran, other.text(id)], [[], 'I will. Well.'])
})

test('an answer that went on behind its end and asks keeps what came before, for people and for the model', async (t) => {
  const store = memoryConversations()
  const first = await hostStage(t, {
    answers: [
      { text: 'It rains, so ta', finish: 'length' },
      { ...deletes, text: 'ke care. ' },
    ],
    tools: [remove],
    host: { conversations: store, goOn: 'Go on.' },
  })
  const window = first.open()
  const id = await window.send('What now?')
  await until(() => window.view(id).outcome, 'the end')
  await window.get('goOn', { entry: id })
  await window.watch(id)
  await until(() => window.asks(id).length === 1, 'the question')
  await first.host.close()
  const second = await hostStage(t, { answers: [{ text: 'Done.' }], tools: [remove], host: { conversations: store } })
  const later = second.open()
  await later.get('open')
  await later.watch(id)
  await until(() => later.asks(id).length === 1, 'the question again')
  await later.get('approve', { message: id, token: later.asks(id)[0].token })
  await until(() => later.view(id).outcome, 'the end')
  assert.equal(textOf(later.view(id)), 'It rains, so take care. |file.delete|Done.')
  assert.deepEqual(
    (await store.load('main')).entries[1].history.map(({ role, content }) => [role, content]),
    [
      ['assistant', 'It rains, so ta'],
      ['user', 'Go on.'],
      ['assistant', 'ke care. '],
      ['tool', 'deleted'],
      ['assistant', 'Done.'],
    ],
  )
})

test('a state that nobody can read is an answer that was interrupted', async (t) => {
  for (const state of [
    '',
    '{"sluice":2}',
    '{"sluice":1,"run":"{}","numbering":{"blocks":[],"calls":[],"rounds":0,"nextBlock":0,"nextCall":1},"sentBefore":[],"statuses":[],"adopts":false}',
  ]) {
    const store = memoryConversations()
    const message = {
      role: 'assistant',
      rounds: 1,
      blocks: [{ type: 'text', text: 'Half' }],
      outcome: 'failed',
      interrupted: true,
    }
    await store.save('main', {
      entries: [
        { id: 'q', parent: null, at: 1, role: 'user', text: 'a' },
        { id: 'a', parent: 'q', at: 1, role: 'assistant', message, history: [], state },
      ],
    })
    const { open } = await hostStage(t, { answers: [{ text: ' and half.' }], host: { conversations: store } })
    const window = open()
    await window.get('open')
    assert.equal((await window.get('subscribe', { message: 'a' })).interrupted, true)
    await window.get('goOn', { entry: 'a' })
    await window.watch('a')
    await until(() => window.view('a').outcome === 'completed', 'the end')
    assert.equal(textOf(window.view('a')), 'Half and half.')
  }
})

test('an answer that goes on is saved at a bounded rate, a turning point soon', async (t) => {
  const store = memoryConversations()
  let saves = 0
  const counted = {
    ...Object.fromEntries(
      ['list', 'load', 'rename', 'delete', 'search', 'export', 'bytes'].map((name) => [name, store[name].bind(store)]),
    ),
    save: (...given) => (saves++, store.save(...given)),
  }
  const parts = Array.from({ length: 300 }, (_, at) => [{ text: `word ${at} ` }, { wait: 10 }]).flat()
  const { open } = await hostStage(t, { answers: [{ parts }], host: { conversations: counted } })
  const window = open()
  const began = Date.now()
  const id = await window.send('Talk')
  await until(() => window.view(id).outcome, 'the end')
  await until(async () => (await store.load('main')).entries[1]?.message.outcome === 'completed', 'the last save')
  const most = 3 + (Date.now() - began) / 2000
  assert.ok(saves >= 3 && saves <= most, `${saves} saves, expected 3 to ${most}`)
})

test('an answer that goes on is saved though the clock of the computer is set back', async (t) => {
  let saves = 0
  const keeper = new Keeper(() => saves++)
  t.after(() => keeper.close())
  keeper.changed(true)
  await until(() => saves === 1, 'the first save')
  const now = Date.now
  t.after(() => (Date.now = now))
  Date.now = () => now() - 3_600_000
  keeper.changed(true)
  const end = performance.now() + 20_000 // until() goes by the clock that was set back
  while (saves < 2 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(saves, 2)
})
