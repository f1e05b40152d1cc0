// hostEngine behind an ipcMain in Electron's shape: everything that passes is a structured clone, as between two
// processes.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { Engine } from 'sluice'
import { hostEngine } from 'sluice/electron'
import { startScriptedServer } from 'sluice/testing'
import { callsDelete, everything, guarded, until } from './host-support.mjs'

class IpcMain {
  handlers = new Map()
  handle(channel, handler) {
    assert.ok(!this.handlers.has(channel), 'Attempted to register a second handler')
    this.handlers.set(channel, handler)
  }
  removeHandler(channel) {
    this.handlers.delete(channel)
  }
}

class WebContents extends EventEmitter {
  static count = 0
  id = ++WebContents.count
  destroyed = false
  sent = []
  constructor(ipcMain, url) {
    super()
    this.ipcMain = ipcMain
    this.mainFrame = frame(url)
  }
  isDestroyed() {
    return this.destroyed
  }
  send(channel, data) {
    if (this.destroyed) throw new TypeError('Object has been destroyed')
    this.sent.push([channel, structuredClone(data)])
  }
  async invoke(method, input, { senderFrame = this.mainFrame } = {}) {
    const handler = this.ipcMain.handlers.get('sluice:call')
    return structuredClone(await handler({ sender: this, senderFrame }, ...structuredClone([method, input])))
  }
  navigate(url) {
    this.mainFrame = frame(url)
    this.emit('did-navigate', {}, url, 200, 'OK')
  }
  destroy() {
    this.destroyed = true
    this.emit('destroyed')
  }
  /** Deltas of a message that were sent to it. */
  deltas(message) {
    return this.sent.flatMap(([, frame]) =>
      (frame.messages ?? []).filter(({ id }) => id === message).flatMap(({ deltas }) => deltas),
    )
  }
}

/** As Electron has it: opaque origins are the text `null`. */
function frame(url, parent = null) {
  const { protocol, host, origin } = new URL(url)
  return { url, parent, origin: protocol === 'file:' ? 'file://' : protocol === 'app:' ? `app://${host}` : origin }
}

/** Pages of the app may everything. */
const mine = [{ origin: 'app://main', rights: everything }]

async function app(t, { answers = [{ text: 'Hello.' }], tools = [], ...options } = {}) {
  const server = await startScriptedServer({ answers })
  const engine = new Engine({ tools })
  const ipcMain = new IpcMain()
  const host = hostEngine(engine, {
    ipcMain,
    run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }),
    frameMs: 0,
    windows: mine,
    ...options,
  })
  const warnings = []
  const warn = ({ message }) => warnings.push(message)
  process.on('warning', warn)
  t.after(async () => {
    process.off('warning', warn)
    await host.close()
    engine.close()
    await server.close()
  })
  return {
    server,
    engine,
    ipcMain,
    host,
    warnings,
    window: (url = 'app://main/index.html') => new WebContents(ipcMain, url),
  }
}

const value = async (reply) => {
  const { ok, value, error } = await reply
  assert.ok(ok, JSON.stringify(error))
  return value
}

async function asks(window, message) {
  return (await value(window.invoke('subscribe', { message }))).questions
}

test('a window sends, is shown what happens, and approves', async (t) => {
  const { tool, ran } = guarded()
  const { window: open } = await app(t, { tools: [tool], answers: [callsDelete, { text: 'Done.' }] })
  const window = open()
  const { message } = await value(window.invoke('send', { text: 'Hi' }))
  await value(window.invoke('subscribe', { message }))
  const { ask } = await until(() => window.deltas(message).find(({ type }) => type === 'ask'))
  assert.equal(await value(window.invoke('approve', { message, token: ask.token })), true)
  await until(() => window.deltas(message).some(({ type }) => type === 'done'))
  assert.deepEqual(ran, [{ path: '/tmp/x' }])
  assert.ok(window.sent.every(([channel]) => channel === 'sluice:frame'))
})

test('orders go to the pet window', async (t) => {
  const smile = { parts: [{ call: { name: 'live2d_expression', arguments: { name: 'smile' } } }, { text: 'Hi' }] }
  const { window: open } = await app(t, { answers: [smile] })
  const [chat, pet] = [open(), open('app://main/pet.html')]
  await value(pet.invoke('petReady', { expressions: ['smile'], motions: {} }))
  await value(chat.invoke('send', { text: 'Hi' }))
  const [channel, order] = await until(() => pet.sent[0])
  assert.deepEqual([channel, order.channel, order.payload], ['sluice:pet', 'live2d:expression', ['smile']])
  await value(pet.invoke('petReply', { id: order.id, ok: true }))
  assert.ok(chat.sent.every(([channel]) => channel === 'sluice:frame'))
})

test('who may is known without being told: local pages in development, pages of the app always', async (t) => {
  const cases = [
    ['app://main/index.html', true, true],
    ['file:///opt/app/index.html', true, true],
    ['file:///opt/app/pages/%63hat.html?x=1#y', true, true],
    ['file:///opt/app/../evil.html', false, false],
    ['file:///opt/app/%2e%2e/evil.html', false, false],
    ['file:///opt/application/evil.html', false, false],
    ['file:///home/user/Downloads/evil.html', false, false],
    ['file:///opt/app/..%2fevil.html', false, false],
    ['file://server/opt/app/index.html', false, false],
    ['http://localhost:5173/', true, false],
    ['http://localhost/', true, false],
    ['http://127.0.0.1:8080/', true, false],
    ['http://localhost.evil.example/', false, false],
    ['http://localhost:80@evil.example/', false, false],
    ['https://example.org/', false, false],
    ['http://127.0.0.1.evil.example:80/', false, false],
    ['data:text/html,x', false, false],
    ['about:blank', false, false],
    ['https://localhost:5173/', false, false],
  ]
  for (const isPackaged of [false, true, undefined]) {
    const known = isPackaged === undefined ? undefined : { isPackaged, getAppPath: () => '/opt/app' }
    const { window, warnings } = await app(t, { windows: undefined, app: known })
    for (const [url, inDevelopment, inPackage] of cases) {
      const { ok, error } = await window(url).invoke('open', {})
      const may = isPackaged === false ? inDevelopment : inPackage && (known || !url.startsWith('file:'))
      assert.equal(ok, Boolean(may), `${url}, packaged: ${isPackaged}`)
      if (!ok) assert.deepEqual([error.code, /windows/.test(error.hint)], ['forbidden', true])
    }
    await until(() => warnings.some((text) => /example\.org/.test(text)), 'a word to the developer')
  }
})

test('pages of the app read and chat; what decides or changes anything is given by name', async (t) => {
  const { tool, ran } = guarded()
  const { window: open } = await app(t, {
    windows: undefined,
    tools: [tool],
    answers: [callsDelete, { text: 'Done.' }],
    approvalGraceMs: 20,
  })
  const window = open()
  const { message } = await value(window.invoke('send', { text: 'Hi' }))
  assert.deepEqual(await asks(window, message), [], 'it is shown no question that it may answer')
  for (const [method, input] of [
    ['configuration'],
    ['configure', { tools: { 'file.delete': { permission: 'public' } } }],
    ['petReady', null],
  ]) {
    assert.equal((await window.invoke(method, input)).error?.code, 'forbidden', method)
  }
  await until(() => window.deltas(message).some(({ type }) => type === 'done'))
  assert.deepEqual(ran, [])
})

test('a window that shows another file of the disk may nothing, and is sent nothing', async (t) => {
  const { window: open } = await app(t, {
    app: { isPackaged: true, getAppPath: () => '/opt/app' },
    windows: [{ origin: 'file://', rights: everything }],
    answers: [{ parts: [{ text: 'a' }, { wait: 40 }, { text: 'b' }] }],
  })
  const [window, watcher] = [open('file:///opt/app/index.html'), open('file:///opt/app/index.html')]
  const { message } = await value(window.invoke('send', { text: 'Hi' }))
  for (const each of [window, watcher]) await value(each.invoke('subscribe', { message }))
  window.mainFrame = frame('file:///home/user/Downloads/evil.html') // dropped on the window
  window.sent.length = 0
  assert.equal((await window.invoke('configure', {})).error.code, 'forbidden')
  await until(() => watcher.deltas(message).some(({ type }) => type === 'done'))
  assert.deepEqual(window.sent, [])
})

test('a page that says that it reads is sent no more than it reads', async (t) => {
  const { window: open } = await app(t, {
    answers: [{ parts: Array.from({ length: 60 }, (_, i) => [{ text: `${i} ` }, { wait: 10 }]).flat() }],
  })
  const [frozen, reader] = [open(), open()]
  const { message } = await value(reader.invoke('send', { text: 'Hi' }))
  for (const window of [frozen, reader]) await value(window.invoke('subscribe', { message }))
  assert.equal(await frozen.invoke('seen'), undefined)
  await until(() => reader.deltas(message).some(({ type }) => type === 'done'))
  assert.ok(
    frozen.sent.length < 12 && reader.sent.length > 20,
    `${frozen.sent.length} and ${reader.sent.length} frames`,
  )
  for (let read = frozen.sent.length; read > 0; read--) await frozen.invoke('seen')
  await until(() => frozen.deltas(message).some(({ type }) => type === 'done'), 'what waited')
})

test('the allow-list says which window and which origin may what', async (t) => {
  const windows = []
  const { window } = await app(t, { windows })
  const [chat, pet, other] = [window(), window(), window()]
  windows.push(
    { webContentsId: chat.id, rights: { chat: true } },
    { webContentsId: pet.id, origin: 'app://pet', rights: { pet: true } },
    { origin: 'http://localhost:*', rights: everything },
  )
  assert.equal((await chat.invoke('send', { text: 'Hi' })).ok, true)
  assert.equal((await chat.invoke('configuration')).error.code, 'forbidden')
  assert.equal((await pet.invoke('petReady', null)).error.code, 'forbidden', 'its origin is another one')
  pet.navigate('app://pet/')
  assert.equal((await pet.invoke('petReady', null)).ok, true)
  assert.equal((await pet.invoke('send', { text: 'Hi' })).error.code, 'forbidden')
  assert.equal((await other.invoke('open', {})).error.code, 'forbidden')
  other.navigate('http://localhost:3000/')
  assert.equal((await other.invoke('configuration')).ok, true)
})

test('a function may decide, for every call anew; one that throws allows nothing', async (t) => {
  const seen = []
  let rights = { chat: true }
  const { window: open } = await app(t, {
    windows: (sender) => {
      seen.push(sender)
      if (rights === 'throw') throw new Error('x')
      return rights
    },
  })
  const window = open('https://app.example/chat?x=1')
  assert.equal((await window.invoke('send', { text: 'Hi' })).ok, true)
  assert.ok(seen.length > 0)
  for (const sender of seen)
    assert.deepEqual(sender, {
      webContentsId: window.id,
      origin: 'https://app.example',
      url: 'https://app.example/chat?x=1',
    })
  for (const none of [{}, null, 'throw']) {
    rights = none
    assert.equal((await window.invoke('send', { text: 'Hi' })).error.code, 'forbidden')
  }
  for (const none of [Promise.resolve(null), Promise.resolve({ chat: true }), true, undefined]) {
    rights = none
    assert.equal((await window.invoke('open', {})).error?.code, 'forbidden', 'not even a look')
  }
})

test('what the app takes away from a window goes to it no more', async (t) => {
  let rights = everything
  let goOn
  const taken = new Promise((resolve) => (goOn = resolve))
  const { window: open, host } = await app(t, {
    windows: () => rights,
    answers: [{ parts: [{ text: 'seen' }, { wait: taken }, { text: ' SECRET' }] }],
  })
  const window = open()
  await value(window.invoke('open', {}))
  const { message } = await value(window.invoke('send', { text: 'Hi' }))
  await value(window.invoke('subscribe', { message }))
  await until(() => window.deltas(message).some(({ text }) => text === 'seen'))
  rights = { chat: true }
  goOn()
  const inside = host.bridge()
  await until(async () => (await inside.call('subscribe', { message })).value.outcome)
  await new Promise((resolve) => setTimeout(resolve, 100)) // more than a frame
  assert.doesNotMatch(JSON.stringify(window.sent), /SECRET/)
})

test('a function that throws, or gives rights that there are not, is told to the developer', async (t) => {
  let rights = () => {
    throw new Error('the list of windows is broken')
  }
  const { window: open, warnings } = await app(t, { windows: () => rights() })
  const window = open()
  assert.equal((await window.invoke('open', {})).error.code, 'forbidden')
  rights = () => ({ raed: true })
  const { error } = await window.invoke('open', {})
  assert.equal(error.code, 'forbidden')
  assert.doesNotMatch(JSON.stringify(error), /broken|raed/)
  await until(
    () =>
      warnings.some((text) => /`windows` threw: the list of windows is broken/.test(text)) &&
      warnings.some((text) => /windows\(\)\.raed/.test(text)),
  )
})

test('frames within a page, and frames that are gone, may nothing', async (t) => {
  const { window: open } = await app(t)
  const window = open()
  const inner = frame('app://main/inner.html', window.mainFrame)
  const gone = {
    get parent() {
      throw new Error('Render frame was disposed before WebFrameMain could be accessed')
    },
  }
  for (const senderFrame of [inner, gone, null]) {
    assert.equal((await window.invoke('send', { text: 'Hi' }, { senderFrame })).error.code, 'forbidden')
  }
  assert.equal((await window.invoke('open', {})).ok, true)
})

test('a page that goes elsewhere loses everything, also when it comes back', async (t) => {
  const { tool, ran } = guarded()
  const { window: open } = await app(t, { tools: [tool], answers: [callsDelete, { text: 'Done.' }] })
  const [window, other] = [open(), open()]
  const { message } = await value(window.invoke('send', { text: 'Hi' }))
  const [{ token }] = await until(async () => {
    const found = await asks(window, message)
    return found.length > 0 && found
  })
  window.navigate('https://evil.example/')
  const count = window.sent.length
  assert.equal((await window.invoke('approve', { message, token })).error.code, 'forbidden')
  const [mine] = await asks(other, message)
  assert.equal(await value(other.invoke('deny', { message, token: mine.token })), true)
  await until(() => other.deltas(message).some(({ type }) => type === 'done'))
  assert.equal(window.sent.length, count, 'the other page is told nothing')
  window.navigate('app://main/index.html')
  assert.equal(
    (await window.invoke('approve', { message, token })).error.code,
    'forbidden',
    'tokens of the page before',
  )
  assert.deepEqual(ran, [])
})

test('a page of another origin is sent nothing, even before Electron tells of it', async (t) => {
  const { window: open } = await app(t, { answers: [{ parts: [{ text: 'a' }, { wait: 40 }, { text: 'b' }] }] })
  const [window, other] = [open(), open()]
  const { message } = await value(window.invoke('send', { text: 'Hi' }))
  await value(window.invoke('subscribe', { message }))
  await value(other.invoke('subscribe', { message }))
  window.mainFrame = frame('https://evil.example/') // and no event
  window.sent.length = 0
  await until(() => other.deltas(message).some(({ type }) => type === 'done'))
  assert.deepEqual(window.sent, [])
})

test('a page that is loaded anew starts anew', async (t) => {
  const { tool, ran } = guarded()
  const { window: open } = await app(t, { tools: [tool], answers: [callsDelete, { text: 'Done.' }] })
  const window = open()
  const { message } = await value(window.invoke('send', { text: 'Hi' }))
  const [{ token }] = await until(async () => {
    const found = await asks(window, message)
    return found.length > 0 && found
  })
  window.navigate(window.mainFrame.url)
  assert.equal((await window.invoke('approve', { message, token })).error.code, 'forbidden')
  const [ask] = await asks(window, message)
  assert.notEqual(ask.token, token)
  assert.equal(await value(window.invoke('approve', { message, token: ask.token })), true)
  await until(() => window.deltas(message).some(({ type }) => type === 'done'))
  assert.equal(ran.length, 1)
})

test('a window that is destroyed or crashes is let go', async (t) => {
  const { window: open, host } = await app(t, {
    answers: [{ parts: [{ text: 'a' }, { wait: 40 }, { text: 'b' }] }, { text: 'c' }],
  })
  const [destroyed, silent, crashed, watcher] = [open(), open(), open(), open()]
  const { message } = await value(watcher.invoke('send', { text: 'Hi' }))
  for (const window of [destroyed, silent, crashed, watcher]) await value(window.invoke('subscribe', { message }))
  destroyed.destroy()
  silent.destroyed = true // without the event: send throws
  crashed.emit('render-process-gone', {}, { reason: 'crashed' })
  crashed.sent.length = 0
  await until(() => watcher.deltas(message).some(({ type }) => type === 'done'))
  assert.deepEqual(crashed.sent, [])
  for (const window of [destroyed, silent, crashed]) assert.equal(window.eventNames().length, 0, 'no listener is left')
  crashed.navigate(crashed.mainFrame.url) // Electron loads it again
  assert.equal((await crashed.invoke('open', {})).ok, true)
  assert.equal(typeof (await host.send('by the app itself')), 'string')
})

test('a host that is closed takes its handler away', async (t) => {
  const { host, ipcMain, window: open } = await app(t)
  const window = open()
  await window.invoke('open', {})
  await host.close()
  assert.equal(ipcMain.handlers.size, 0)
  assert.deepEqual(window.eventNames(), [])
})

test('options that are wrong are told at once', () => {
  const engine = new Engine()
  const [ipcMain, run] = [new IpcMain(), () => ({})]
  for (const [options, path, hint] of [
    [{ run }, 'ipcMain'],
    [{ ipcMain }, 'run'],
    [{ ipcMain, run, windows: 'all' }, 'windows'],
    [{ ipcMain, run, windows: [{ rights: {} }] }, 'windows[0]'],
    [{ ipcMain, run, windows: [{ origin: '*' }] }, 'windows[0].origin'],
    [{ ipcMain, run, windows: [{ origin: 'https://*.example.org' }] }, 'windows[0].origin'],
    [{ ipcMain, run, windows: [{ origin: 'file://' }] }, 'app'],
    [{ ipcMain, run, windows: [{ origin: 'https://example.org/path' }] }, 'windows[0].origin'],
    [{ ipcMain, run, windows: [{ webContentsId: '1' }] }, 'windows[0].webContentsId'],
    [{ ipcMain, run, window: [] }, 'window', 'did you mean windows?'],
    [{ ipcMain, run, keepMessage: 5 }, 'keepMessage', 'did you mean keepMessages?'],
    [
      { ipcMain, run, windows: [{ origin: 'app://', rights: { aprove: true } }] },
      'windows[0].rights.aprove',
      'did you mean approve?',
    ],
    [{ ipcMain, run, windows: [{ origin: 'app://', rights: { read: 'yes' } }] }, 'windows[0].rights.read'],
    [{ ipcMain, run, windows: [{ origin: 'app://', right: {} }] }, 'windows[0].right', 'did you mean rights?'],
    [{ ipcMain, run, petReplyMs: Infinity }, 'petReplyMs'],
    [{ ipcMain, run, app: true }, 'app'],
  ]) {
    assert.throws(() => hostEngine(engine, options), {
      name: 'SluiceError',
      code: 'option',
      path,
      ...(hint && { hint }),
    })
  }
  assert.throws(() => hostEngine({ tools: [] }, { ipcMain, run }), {
    name: 'SluiceError',
    code: 'option',
    path: 'engine',
  })
  assert.equal(ipcMain.handlers.size, 0)
  engine.close()
})

test('the CommonJS build takes an engine of either build, and both know the preload', async (t) => {
  const require = createRequire(import.meta.url)
  const common = require('sluice/electron')
  const server = await startScriptedServer({ answers: () => ({ text: 'Hello.' }) })
  t.after(() => server.close())
  for (const { Engine: Kind } of [require('sluice'), { Engine }]) {
    const engine = new Kind()
    const ipcMain = new IpcMain()
    const host = common.hostEngine(engine, {
      ipcMain,
      windows: mine,
      run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }),
    })
    const window = new WebContents(ipcMain, 'app://main/')
    const { message } = await value(window.invoke('send', { text: 'Hi' }))
    await value(window.invoke('subscribe', { message }))
    await until(async () => (await value(window.invoke('subscribe', { message }))).outcome === 'completed')
    assert.equal((await window.invoke('configure', { settings: { maxRounds: 'x' } })).error.path, 'settings.maxRounds')
    assert.match(host.preloadPath, /js[\\/]dist[\\/]preload[\\/]index\.cjs$/)
    assert.ok(existsSync(host.preloadPath))
    await host.close()
    engine.close()
  }
})
