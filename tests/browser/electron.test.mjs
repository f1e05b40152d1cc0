// The Electron layer as it runs: the built preload in an isolated world of Chromium, a strict policy, a structured
// clone between processes, and the host in the process that plays main.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { fileConversations } from 'sluice/conversations'
import { openApp } from './electron/app.mjs'
import { asked as askedIn, call, question, ranOf, rawCall, remove, say, shows } from './electron/asked.mjs'
import { until, useBrowser } from './support.mjs'

const browser = useBrowser()
const words = (count, text = 'word') => Array.from({ length: count }, (_, n) => `${text}${n} `).join('')
const press = (window, name) => window.page.getByRole('button', { name }).click()
const viewOf = (window, id) => window.evaluate((id) => window.client.message(id).getSnapshot(), id)
const doneOf = (window, id) => window.evaluate((id) => window.client.message(id).done, id)

test('a turn with a card, an approval and a release in a page with a strict policy', async (t) => {
  const app = await openApp(t, browser, {
    answers: [remove('a.txt'), { calls: [call('file_read', { text: 'b.txt' })] }, { text: 'Gone, and read.' }],
  })
  const window = await app.window(t)
  const id = await say(window, 'delete a.txt')
  await shows(window, 'file.delete awaiting_approval')
  assert.deepEqual(await ranOf(app), [])
  await press(window, 'Approve')
  await shows(window, 'file.delete success did a.txt')
  assert.equal(await window.evaluate(() => window.decided), true)
  await shows(window, 'file.read awaiting_result_approval')
  assert.ok(!JSON.stringify(app.model.requests).includes('did b.txt'), 'the model has not seen the result')
  await press(window, 'Release')
  await shows(window, 'Gone, and read.')
  assert.equal((await doneOf(window, id)).outcome, 'completed')
  assert.deepEqual(await ranOf(app), [
    ['file.delete', { text: 'a.txt' }],
    ['file.read', { text: 'b.txt' }],
  ])
})

test('the page has five functions, and no way to anything behind them', async (t) => {
  const app = await openApp(t, browser)
  const window = await app.window(t)
  const found = await window.evaluate(async () => {
    const events = []
    const off = window.sluice.onFrame((...args) => events.push(args))
    const listeners = [0, 0]
    const offs = [0, 1].map((at) => window.sluice.onFrame(() => listeners[at]++))
    offs[0]()
    await window.sluice.call('open', {})
    await (await window.client.send('x')).done
    off()
    const attempt = (work) => {
      try {
        return String(work())
      } catch (error) {
        return error instanceof Error ? `threw: ${error.message}` : `threw something of another world`
      }
    }
    return {
      keys: Object.keys(window.sluice).sort(),
      types: [...Object.values(window.sluice), ...Object.values(window.sluice.petWindow)]
        .filter((one) => one !== window.sluice.petWindow)
        .map((one) => typeof one),
      frozen: Object.isFrozen(window.sluice) && Object.isFrozen(window.sluice.petWindow),
      globals: [
        'require',
        'module',
        'process',
        'ipcRenderer',
        'electron',
        '__toBrowser',
        'deliver',
        'Buffer',
        'global',
      ].filter((name) => name in window),
      everyEventIsOneFrame: events.length > 0 && events.every((args) => args.length === 1 && !('sender' in args[0])),
      heard: listeners.map((count) => count > 0),
      constructor: attempt(() => window.sluice.call.constructor('return typeof process + typeof require')()),
      replaced: attempt(() => {
        'use strict'
        window.sluice.call = () => {}
      }),
      listener: attempt(() => window.sluice.onFrame('nothing')),
      unknown: await window.sluice.call('sluice:call', {}),
      inherited: await window.sluice.call('constructor', {}),
      uncloneable: await window.sluice.call('send', { text: () => {} }).then(
        ({ ok }) => `ok ${ok}`,
        ({ message }) => message,
      ),
    }
  })
  assert.deepEqual(found.keys, ['call', 'onFrame', 'onPet', 'petWindow'])
  assert.deepEqual(found.types, Array(5).fill('function'))
  assert.equal(found.frozen, true)
  assert.deepEqual(found.globals, [])
  assert.equal(found.everyEventIsOneFrame, true)
  assert.deepEqual(found.heard, [false, true], 'a listener that was taken away hears nothing')
  assert.match(found.constructor, /threw: .*unsafe-eval|undefinedundefined/)
  assert.match(found.replaced, /threw/)
  assert.equal(found.listener, 'threw: expected a function, found string')
  for (const reply of [found.unknown, found.inherited])
    assert.deepEqual([reply.ok, reply.error.code], [false, 'argument'])
  assert.match(found.uncloneable, /ok false|could not be cloned/)
})

test("an app's own preload imports ours, and is bundled with it", async (t) => {
  const contents =
    "import 'sluice/preload'; import { contextBridge } from 'electron'; contextBridge.exposeInMainWorld('app', { version: () => '1.0' })"
  const stdin = { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) }
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    external: ['electron'],
    logLevel: 'warning',
  })
  const app = await openApp(t, browser, { answers: [{ text: 'Hello.' }] })
  const window = await app.window(t, { preload: outputFiles[0].text })
  assert.equal(await window.evaluate(() => window.app.version()), '1.0')
  await say(window, 'hi')
  await shows(window, 'Hello.')
})

test('a request that is sent again, and what a tool counts, are shown in the page', async (t) => {
  const busy = { status: 503, error: 'overloaded', headers: { 'retry-after-ms': '500' } }
  let goOn
  const seen = new Promise((resolve) => (goOn = resolve))
  const app = await openApp(t, browser, {
    answers: [busy, { parts: [{ wait: seen }, { calls: [call('disk_scan')] }] }, { text: 'Scanned.' }],
  })
  const window = await app.window(t)
  await window.evaluate(async () => {
    await import('/sluice/ui/index.js')
    window.element = document.body.appendChild(document.createElement('sluice-message'))
    element.message = await client.send('scan')
  })
  await window.page
    .locator('.retry')
    .getByText(/^Trying again( in 1 s)? \(1 of \d\)/)
    .waitFor()
  await window.page.getByText(/overloaded/).waitFor()
  goOn()
  const bar = window.page.getByRole('progressbar')
  await bar.waitFor()
  assert.deepEqual(await bar.evaluate(({ value, max }) => [value, max]), [1, 4])
  assert.equal(await window.page.locator('.retry').count(), 0)
  await until(async () => (await app.ask('count'), (await bar.count()) === 0), 'the end of the tool')
  await shows(window, 'Scanned.')
})

test('two windows on one message: the first decision counts, and the other window sees it', async (t) => {
  const app = await openApp(t, browser, { answers: [remove('a.txt'), { text: 'Gone.' }] })
  const [one, two] = [await app.window(t), await app.window(t)]
  const id = await say(one, 'delete a.txt')
  const [first, second] = [await question(one), await question(two)]
  assert.equal(first.message, second.message)
  assert.notEqual(first.token, second.token, 'every window has a token of its own')
  // Both at once: the page that the other one's decision reaches late presses too.
  const decisions = await Promise.all([rawCall(one, 'approve', first), rawCall(two, 'deny', second)])
  assert.deepEqual(
    decisions.map(({ ok }) => ok),
    [true, true],
  )
  assert.deepEqual(decisions.map(({ value }) => value).sort(), [false, true])
  const approved = decisions[0].value
  const views = await Promise.all([one, two].map((window) => doneOf(window, id)))
  assert.deepEqual(views[0], views[1])
  assert.equal(views[0].blocks[1].status, approved ? 'success' : 'denied')
  assert.equal((await ranOf(app)).length, approved ? 1 : 0)
})

test('a window that comes late gets what was said, and goes on from there', async (t) => {
  const said = words(300)
  const app = await openApp(t, browser, { answers: [{ text: said }], server: { delayMs: 5 } })
  const one = await app.window(t)
  const id = await say(one, 'talk')
  await shows(one, 'word9')
  const two = await app.window(t)
  await shows(two, 'word299')
  const [a, b] = await Promise.all([one, two].map((window) => doneOf(window, id)))
  assert.deepEqual(a, b)
  assert.equal(a.blocks[0].text, said)
})

test('a reload in mid-stream loses nothing and doubles nothing', async (t) => {
  const said = words(300)
  const app = await openApp(t, browser, { answers: [{ text: said }], server: { delayMs: 5 } })
  const window = await app.window(t)
  const id = await say(window, 'talk')
  await shows(window, 'word5')
  for (let n = 0; n < 3; n++) await window.page.reload()
  await shows(window, 'word299')
  assert.equal((await doneOf(window, id)).blocks[0].text, said)
})

test('a reload in mid-approval: the old token is dead, the new one works', async (t) => {
  const app = await openApp(t, browser, { answers: [remove('a.txt'), { text: 'Gone.' }] })
  const window = await app.window(t)
  await say(window, 'delete a.txt')
  const old = await question(window)
  await window.page.reload()
  const now = await question(window)
  assert.equal(old.message, now.message)
  assert.notEqual(old.token, now.token)
  assert.equal((await rawCall(window, 'approve', old)).ok, false)
  assert.deepEqual(await ranOf(app), [])
  assert.deepEqual(await rawCall(window, 'approve', now), { ok: true, value: true })
  await shows(window, 'Gone.')
  assert.equal((await ranOf(app)).length, 1)
})

test('a question outlives the app: killed and started anew, it asks again in its window, the old token is dead, and the call runs once', async (t) => {
  const kept = mkdtempSync(join(tmpdir(), 'sluice-electron-'))
  const first = await openApp(t, browser, { answers: [remove('a.txt')], main: { kept } })
  const before = await first.window(t)
  await say(before, 'delete a.txt')
  const old = await question(before)
  const reader = fileConversations(kept)
  await until(async () => (await reader.load('main'))?.entries.at(-1)?.state, 'the question is kept')
  assert.deepEqual(await ranOf(first), [])
  process.kill(first.pid, 'SIGKILL')
  await before.close()

  const second = await openApp(t, browser, { answers: [{ text: 'Gone.' }], main: { kept } })
  t.after(() => rmSync(kept, { recursive: true, force: true, maxRetries: 5 }))
  const window = await second.window(t)
  const now = await question(window)
  assert.notEqual(now.token, old.token)
  assert.equal((await rawCall(window, 'approve', { ...now, token: old.token })).ok, false)
  assert.deepEqual(await ranOf(second), [])
  assert.equal(second.model.requests.length, 0, 'the model is not asked again')
  await press(window, 'Approve')
  await shows(window, 'Gone.')
  assert.deepEqual(await ranOf(second), [['file.delete', { text: 'a.txt' }]])
  assert.deepEqual(
    second.model.requests[0].body.messages.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  )
  await until(async () => (await reader.load('main')).entries.at(-1).state === undefined, 'its end is kept')
})

test('a window that is closed while a question waits: another one answers, or after a while it is denied', async (t) => {
  const answers = [remove('a.txt'), { text: 'Gone.' }, remove('b.txt'), { text: 'Kept.' }]
  const app = await openApp(t, browser, { answers, main: { host: { approvalGraceMs: 300 } } })
  const [one, two] = [await app.window(t), await app.window(t)]
  await say(one, 'delete a.txt')
  await question(one)
  await one.close()
  await question(two)
  await press(two, 'Approve')
  await shows(two, 'Gone.')
  const three = await app.window(t)
  await say(two, 'delete b.txt')
  await question(two)
  await two.close()
  await three.close()
  const four = await until(
    async () => (app.model.requests.length === 4 ? await app.window(t) : undefined),
    'the answer to the denial',
  )
  await shows(four, 'file.delete denied')
  assert.match(JSON.stringify(app.model.requests[3].body.messages), /no_approver/, 'the model reads why')
  assert.deepEqual(await ranOf(app), [['file.delete', { text: 'a.txt' }]])
})

test('a window that is closed while a tool of the main process runs changes nothing', async (t) => {
  const app = await openApp(t, browser, { answers: [{ calls: [call('wait_long')] }, { text: 'Over.' }] })
  const [one, two] = [await app.window(t), await app.window(t)]
  const id = await say(one, 'wait')
  await shows(two, 'wait.long executing')
  await one.close()
  assert.deepEqual(await app.ask('aborted'), [])
  assert.equal((await viewOf(two, id)).blocks[0].status, 'executing')
  await two.evaluate((id) => window.client.message(id).cancel(1), id)
  await shows(two, 'wait.long unknown cancelled')
  await shows(two, 'Over.')
  assert.equal((await app.ask('aborted')).length, 1)
})

test('a tool of the window runs in the window that asked', async (t) => {
  const app = await openApp(t, browser, { answers: [{ calls: [call('page_title')] }, { text: 'Done.' }] })
  const [one, two] = [await app.window(t), await app.window(t)]
  await one.evaluate(() => (document.title = 'The first'))
  await say(one, 'title?')
  await shows(two, 'page.title success The first')
  await shows(two, 'Done.')
})

test('a window that goes while it runs a tool: the card fails, and the turn goes on', async (t) => {
  for (const leave of ['close', 'reload', 'crash', 'cancel']) {
    await t.test(leave, async (t) => {
      const app = await openApp(t, browser, { answers: [{ calls: [call('page_wait')] }, { text: 'Then not.' }] })
      const [one, two] = [await app.window(t), await app.window(t)]
      const id = await say(one, 'wait')
      await shows(two, 'page.wait executing')
      if (leave === 'close') await one.close()
      else if (leave === 'reload') await one.page.reload()
      else if (leave === 'crash') await one.page.goto('chrome://crash').catch(() => {})
      else await two.evaluate((id) => window.client.message(id).cancel(1), id)
      await shows(two, leave === 'cancel' ? 'page.wait unknown cancelled' : 'page.wait error')
      await shows(two, 'Then not.')
      if (leave === 'cancel') await until(() => one.evaluate(() => window.aborted), 'the abort in the window')
    })
  }
})

test('a hidden window gets no animation frames and all of its frames', async (t) => {
  const said = words(200)
  const app = await openApp(t, browser, { answers: [{ text: said }], server: { delayMs: 5 } })
  const window = await app.window(t, { hidden: true })
  assert.equal(await window.evaluate(() => document.visibilityState), 'hidden')
  await window.evaluate(() => requestAnimationFrame(() => (window.animated = true)))
  const id = await say(window, 'talk')
  const done = await doneOf(window, id)
  assert.equal(done.blocks[0].text, said)
  await shows(window, 'word199')
  assert.ok(window.sent.length > 5, `in ${window.sent.length} frames`)
  assert.equal(await window.evaluate(() => window.animated), undefined, 'nobody animated it')
})

// -- attacks ----------------------------------------------------------------------------------------------------------

const asked = (t, options) => askedIn(t, browser, options)

test("Esc in the chat ends the voice of the pet in its window, and nothing of it is the pet's to take from others", async (t) => {
  const app = await openApp(t, browser, {
    answers: [
      { text: 'This is the first sentence. This is the second one.' },
      { text: 'Another answer, and it is long enough.' },
    ],
  })
  const pet = await app.window(t, { rights: { read: true, pet: true } })
  const chat = await app.window(t, { rights: { read: true, chat: true } })
  await pet.evaluate(async () => {
    const [{ companion }, { speaker }] = await Promise.all([
      import('/sluice/pet/index.js'),
      import('/sluice/speech/index.js'),
    ])
    window.spoken = []
    const speak = ({ text }, signal) => (
      spoken.push(text), new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    ) // until it is ended
    window.voice = speaker({ voice: { speak } })
    companion({ client: window.client, speaker: window.voice })
  })
  await chat.evaluate(async () => {
    await import('/sluice/ui/index.js')
    window.chat = Object.assign(document.createElement('sluice-chat'), { client: window.client })
    document.body.append(window.chat)
    await window.chat.updateComplete
    window.chat.focusComposer()
  })
  const heard = (state) =>
    until(() => pet.evaluate((state) => window.voice.state === state, state), `the voice is ${state}`)
  const stops = chat.page.getByRole('button', { name: 'Stop the voice' })
  await doneOf(chat, await say(chat, 'Tell me'))
  await heard('speaking')
  await stops.first().waitFor()
  await chat.page.getByRole('textbox').press('Escape')
  await heard('idle')
  await stops.first().waitFor({ state: 'detached' })
  assert.deepEqual(
    await pet.evaluate(() => window.spoken),
    ['This is the first sentence.'],
    'nothing of the rest is said',
  )
  await doneOf(chat, await say(chat, 'And now?'))
  await heard('speaking')
  const refused = await Promise.all([
    rawCall(pet, 'endVoice'),
    rawCall(pet, 'voice'),
    rawCall(chat, 'petVoice', { state: 'off', turn: 1 }),
  ])
  assert.deepEqual(
    refused.map(({ error }) => error?.code),
    ['forbidden', 'forbidden', 'forbidden'],
  )
  await pet.close()
  await stops.first().waitFor({ state: 'detached' }) // who speaks is gone
})

test('a picture that is dropped on the pet lies in the chat of another window, and the pet sends nothing', async (t) => {
  const app = await openApp(t, browser, { answers: [{ text: 'A dot.' }] })
  const pet = await app.window(t, { rights: { read: true, pet: true } })
  await pet.evaluate(async () => {
    const { companion, petBody, petBubble } = await import('/sluice/pet/index.js')
    window.pet = companion({ client: window.client })
    const bubble = petBubble({ pet: window.pet, openChat() {}, window: window.sluice.petWindow })
    document.body.append(bubble.element)
    petBody({ pet: window.pet, element: document.body, window: window.sluice.petWindow })
    window.said = () => (bubble.element.hidden ? '' : bubble.element.shadowRoot.querySelector('p').textContent)
  })
  const drop = () =>
    pet.evaluate(async () => {
      const canvas = new OffscreenCanvas(8, 8)
      canvas.getContext('2d').fillRect(0, 0, 4, 4)
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([await canvas.convertToBlob()], 'dot.png', { type: 'image/png' }))
      return ['dragover', 'drop'].map((type) =>
        document.documentElement.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })),
      )
    })
  const says = (words) => until(() => pet.evaluate((words) => window.said() === words, words), words)
  assert.deepEqual(await drop(), [false, false], 'the window does not show it in place of the page')
  await says('Open the chat, then drop it on me again.')
  const chat = await app.window(t, { rights: { read: true, chat: true } })
  await chat.evaluate(async () => {
    await import('/sluice/ui/index.js')
    window.chat = Object.assign(document.createElement('sluice-chat'), { client: window.client })
    document.body.append(window.chat)
  })
  const field = chat.page.getByRole('textbox')
  await field.waitFor()
  await until(async () => {
    await drop()
    return await pet.evaluate(
      () => new Promise((resolve) => setTimeout(() => resolve(window.pet.getSnapshot().note === 'taken'), 100)),
    )
  }, 'the chat to take it')
  await says('It lies in the chat, ready to send.')
  await chat.page.locator('sluice-composer [part=chip]').first().waitFor()
  const refused = await Promise.all([
    rawCall(pet, 'send', { text: 'x' }),
    rawCall(pet, 'takeDrops', { on: true }),
    rawCall(chat, 'petDrop', { files: [] }),
  ])
  assert.deepEqual(
    refused.map(({ error }) => error?.code),
    ['forbidden', 'forbidden', 'forbidden'],
  )
  assert.equal(app.model.requests.length, 0, 'a person sends it, nobody else')
  await field.fill('What is this?')
  await field.press('Enter')
  await until(() => app.model.requests.length === 1, 'the request')
  assert.match(JSON.stringify(app.model.requests[0]), /What is this\?[^]*image_url[^]*data:image\/png;base64,/)
  await chat.close()
  await until(async () => {
    await drop()
    return await pet.evaluate(
      () => new Promise((resolve) => setTimeout(() => resolve(window.pet.getSnapshot().note === 'noChat'), 100)),
    )
  }, 'the chat to be gone')
})

test('attack: an approval with the token of another window', async (t) => {
  const { app, victim, attacker, ask, own } = await asked(t)
  for (const forged of [
    ask,
    { ...ask, token: `${ask.token.slice(0, -1)}A` },
    { ...own, message: 'other' },
    { ...own, token: '' },
  ]) {
    const reply = await rawCall(attacker, 'approve', forged)
    assert.deepEqual([reply.ok, typeof reply.error?.code], [false, 'string'], JSON.stringify(forged))
  }
  assert.deepEqual(await ranOf(app), [])
  assert.deepEqual(await rawCall(victim, 'approve', ask), { ok: true, value: true }, 'the real one is not used up')
})

test('attack: an approval by a window that may only look', async (t) => {
  const app = await openApp(t, browser, { answers: [remove('a.txt'), { text: 'Kept.' }] })
  const victim = await app.window(t)
  const looker = await app.window(t, { rights: { read: true } })
  await say(victim, 'delete a.txt')
  const ask = await question(victim)
  await shows(looker, 'file.delete awaiting_approval')
  assert.deepEqual(
    await looker.evaluate((id) => window.client.message(id).getSnapshot().questions, ask.message),
    [],
    'it is not given a token',
  )
  const calls = {
    approve: ask,
    deny: ask,
    send: { text: 'x' },
    cancel: { message: ask.message },
    configure: {},
    petReady: null,
  }
  for (const [method, input] of Object.entries(calls)) {
    assert.equal((await rawCall(looker, method, input)).error.code, 'forbidden', method)
  }
  await press(victim, 'Deny')
  await shows(victim, 'Kept.')
  assert.deepEqual(await ranOf(app), [])
})

test('attack: a token that was used already', async (t) => {
  const { app, victim, ask } = await asked(t)
  const replies = await victim.evaluate(
    (ask) => Promise.all(Array.from({ length: 20 }, () => window.sluice.call('approve', ask))),
    ask,
  )
  assert.equal(replies.filter(({ ok, value }) => ok && value).length, 1)
  await shows(victim, 'Gone.')
  await say(victim, 'delete b.txt')
  const next = await question(victim)
  for (const replayed of [ask, { ...ask, message: next.message }])
    assert.notEqual((await rawCall(victim, 'approve', replayed)).value, true)
  assert.equal((await rawCall(victim, 'approve', { ...next, message: ask.message })).ok, false)
  assert.deepEqual(await ranOf(app), [['file.delete', { text: 'a.txt' }]])
})

test('attack: garbage for every method, as a page can send it', async (t) => {
  const { app, victim, attacker, ask } = await asked(t)
  const outcomes = await attacker.evaluate(async (ask) => {
    const cycle = { message: ask.message }
    cycle.token = cycle
    let deep = 1
    for (let n = 0; n < 5000; n++) deep = [deep]
    const garbage = [
      undefined,
      null,
      true,
      -1,
      NaN,
      10n,
      '',
      'x',
      [],
      [ask],
      {},
      cycle,
      deep,
      Object.create(null),
      new Date(NaN),
      /x/g,
      new Error('x'),
      new Map([['message', ask.message]]),
      new Set([1]),
      new Uint8Array(9),
      new ArrayBuffer(8),
      { ...ask, token: { toString: 'x' } },
      { ...ask, token: [ask.token] },
      { ...ask, token: null },
      { ...ask, message: [ask.message] },
      { ...ask, more: 1 },
      { ...ask, remember: 'forever' },
      { ...ask, exact: 'yes' },
      { ...ask, arguments: [] },
      { ...ask, arguments: 'x' },
      { text: 1 },
      { text: '' },
      { text: ['x'] },
      { text: 'x', conversation: 1 },
      { text: 'x', conversation: '__proto__'.repeat(100) },
      { message: ask.message, call: -1 },
      { message: ask.message, call: 1.5 },
      { message: ask.message, call: '1', token: 'x', value: 1 },
      { id: 1, ok: 'yes' },
      { settings: null },
      { settings: { mode: 'x' } },
      { tools: { 'file.delete': { permission: 'root' } } },
      { tools: [] },
      { settings: { limits: -1 } },
      { expressions: 'x', motions: [] },
      { expressions: [], motions: { a: -1 } },
    ]
    const attempt = async (method, input) => {
      try {
        return await window.sluice.call(method, input)
      } catch {
        return { ok: false, error: { code: 'bridge', detail: 'it cannot be copied' } }
      }
    }
    const outcomes = []
    for (const method of [
      'approve',
      'deny',
      'result',
      'petReady',
      'petReply',
      'petHold',
      'petVoice',
      'subscribe',
      'unsubscribe',
      'cancel',
      'send',
      'open',
      'configure',
    ]) {
      for (const [at, input] of garbage.entries()) {
        const harmless =
          input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
        const mine = method === 'cancel' && input?.message === ask.message && !('call' in input)
        const may = harmless || mine || ['open', 'subscribe', 'unsubscribe'].includes(method)
        if (mine) continue // a window that may chat may cancel
        const reply = await attempt(method, input)
        if (!(reply.ok ? may : typeof reply.error?.code === 'string' && typeof reply.error.detail === 'string'))
          outcomes.push([method, at, reply])
        else if (!reply.ok && reply.error.code === 'internal') outcomes.push([method, at, reply])
      }
    }
    for (const method of [undefined, null, 1, {}, [], 'toString', '__proto__', ['approve']]) {
      const reply = await attempt(method, ask)
      if (reply.ok) outcomes.push([JSON.stringify(method), reply])
    }
    return outcomes
  }, ask)
  assert.deepEqual(outcomes, [])
  // The same past the preload: a page that took over its process talks to main directly.
  const past = [
    [],
    [null],
    [{}, ask],
    [['approve'], ask],
    ['approve'],
    [new Map(), new Map()],
    ['__proto__', ask],
    ['approve', new Map(Object.entries(ask))],
  ]
  for (const args of past) {
    const reply = await app.forge({ window: attacker, args })
    assert.equal(reply.ok, false, JSON.stringify(args))
  }
  assert.deepEqual(await ranOf(app), [])
  assert.deepEqual(await rawCall(victim, 'approve', ask), { ok: true, value: true }, 'the app is as it was')
  await shows(victim, 'Gone.')
})

test('attack: __proto__ and prototype keys', async (t) => {
  const { app, victim, ask } = await asked(t)
  const replies = await victim.evaluate(async (ask) => {
    const poison = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    const calls = [
      ['configure', poison],
      ['configure', { settings: poison }],
      ['configure', { tools: poison }],
      ['configure', { tools: { ['__proto__']: { permission: 'public' }, toString: { permission: 'public' } } }],
      ['petReady', { expressions: [], motions: poison }],
      ['open', poison],
      ['open', { conversation: '__proto__' }],
      ['subscribe', { message: '__proto__' }],
      ['cancel', { message: 'constructor' }],
      ['deny', { ...ask, token: '__proto__' }],
      ['approve', JSON.parse(`{"__proto__":${JSON.stringify(ask)}}`)],
    ]
    const replies = []
    for (const [method, input] of calls) replies.push(await window.sluice.call(method, input))
    const edited = await window.sluice.call('approve', {
      ...ask,
      arguments: JSON.parse('{"text":"c.txt","__proto__":{"polluted":true}}'),
    })
    return { replies, edited, polluted: {}.polluted }
  }, ask)
  assert.equal(replies.polluted, undefined)
  assert.equal(replies.replies.at(-1).ok, false)
  if (!replies.edited.ok)
    assert.equal((await rawCall(victim, 'approve', { ...ask, arguments: { text: 'c.txt' } })).value, true)
  await shows(victim, 'Gone.')
  const [run] = await app.ask('ran')
  assert.equal(run.polluted, undefined)
  assert.equal(run.args.text, 'c.txt')
  assert.equal(run.args.polluted, undefined)
})

test('attack: a window that shows a page of another origin', async (t) => {
  const { app, victim, ask } = await asked(t)
  const framesBefore = () => victim.sent.length
  const stranger = app.site.origin.replace('localhost', '127.0.0.1')
  await victim.goto(`${stranger}/bare.html`)
  const before = framesBefore()
  const tried = await victim.evaluate(async (ask) => {
    const calls = {
      approve: ask,
      subscribe: { message: ask.message },
      open: {},
      send: { text: 'x' },
      cancel: { message: ask.message },
      configuration: undefined,
    }
    return await Promise.all(
      Object.entries(calls).map(async ([method, input]) => [
        method,
        (await window.sluice.call(method, input)).error?.code,
      ]),
    )
  }, ask)
  for (const [method, code] of tried) assert.equal(code, 'forbidden', method)
  assert.equal(victim.sent.length, before, 'nothing is sent to it')
  await victim.goto(`${app.site.origin}/index.html`)
  const now = await question(victim)
  assert.equal((await rawCall(victim, 'approve', ask)).ok, false, 'the token of the page before is dead')
  assert.deepEqual(await ranOf(app), [])
  assert.deepEqual(await rawCall(victim, 'approve', now), { ok: true, value: true })
})

test('attack: a frame inside the page, a page that is gone, a window that is none of ours', async (t) => {
  const { app, victim, ask } = await asked(t)
  const args = ['approve', ask]
  const own = app.site.origin + '/index.html'
  for (const url of ['https://evil.example/', own, 'about:blank', 'data:text/html,x']) {
    assert.equal((await app.forge({ window: victim, subframe: true, url, args })).error.code, 'forbidden', url)
  }
  const stale = victim.document
  await victim.page.reload()
  const now = await question(victim)
  assert.equal((await app.forge({ window: victim, document: stale, args: ['approve', now] })).error.code, 'forbidden')
  const unknown = await app.window(t, { unknown: true })
  assert.equal((await rawCall(unknown, 'approve', now)).error.code, 'forbidden')
  assert.equal((await rawCall(unknown, 'open', {})).error.code, 'forbidden')
  assert.deepEqual(unknown.sent, [])
  assert.deepEqual(await ranOf(app), [])
})
