// The demo pet on its real page, as in demo.test.mjs: its windows, its settings, what goes wrong around the
// conversation, and whom it is for.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { SluiceError } from 'sluice'
import { memoryConversations } from 'sluice/conversations'
import { startScriptedServer } from 'sluice/testing'
import {
  answers,
  ask,
  button,
  cards,
  decide,
  expression,
  focused,
  go,
  idle,
  last,
  log,
  open,
  question,
  read,
  say,
  scene,
  settings,
  statuses,
  switches,
  told,
} from './demo/page.mjs'
import { picture, until } from '../browser/support.mjs'

// -- windows ----------------------------------------------------------------------------------------------------------

test('two pages show one message: the first decision counts, and both see it', async (t) => {
  const { page, other, demo } = await open(t, { pages: 2 })
  await go(other, demo)
  await scene(page, 'message')
  await question(page).waitFor()
  await question(other).waitFor()
  await decide(other, 'Allow')
  await Promise.all([idle(page), idle(other)])
  for (const each of [page, other]) {
    assert.deepEqual(await statuses(each), ['message.send success', 'live2d.expression success'])
    assert.equal(await question(each).count(), 0)
    assert.match(await read(last(each)), /Sent\. Lin knows/)
  }
})

test('a page that is loaded again in mid-answer goes on with it', async (t) => {
  let goOn
  const loaded = new Promise((resolve) => (goOn = resolve))
  const server = await startScriptedServer({
    answers: [
      {
        parts: [
          { text: 'Rain is the only weather that comes to visit: listen to it.' },
          { wait: loaded },
          { text: ' Then open the window for a moment.' },
        ],
      },
    ],
  })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  await say(page, 'Tell me something nice about rain.')
  await until(async () => (await read(last(page))).length > 40, 'some text')
  await page.reload()
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  await until(
    async () => (await answers(page).count()) === 1 && (await read(last(page))).length > 40,
    'what was said before',
  )
  assert.equal(await page.locator('#chat').getAttribute('data-state'), 'speaking')
  goOn()
  await idle(page)
  assert.match(await read(last(page)), /Rain is the only weather[^]*open the window for a moment\./)
})

test('a question that was open is asked again behind a reload', async (t) => {
  const { page } = await open(t)
  await scene(page, 'message')
  await question(page).waitFor()
  await page.reload()
  await question(page).waitFor()
  await decide(page, 'Allow')
  await idle(page)
  assert.deepEqual((await statuses(page))[0], 'message.send success')
})

test('what is written and not sent is there behind a reload, each in its conversation, and what waited with it', async (t) => {
  const { page } = await open(t, { demo: { delayMs: 60 } })
  const field = page.getByRole('textbox', { name: 'Message' })
  const loadAgain = async () => {
    await page.reload()
    await page.waitForSelector('html[data-ready]', { state: 'attached' })
  }
  await scene(page, 'chat')
  await page.waitForSelector('#chat[data-state=speaking]')
  await field.fill('And snow?')
  await field.press('Enter')
  await page.getByText('Sent when Lulu has answered.').waitFor()
  await field.fill('Half a thou')
  await loadAgain()
  await until(async () => (await field.inputValue()) === 'And snow?\n\nHalf a thou', 'the draft')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await until(async () => (await field.inputValue()) === '', 'another conversation has none')
  await say(page, 'Something else')
  await idle(page)
  await loadAgain()
  assert.equal(await field.inputValue(), '', 'what was sent is none')
})

test('a new conversation is empty, and the old one is not told to the model', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'One.' }, { text: 'Two.' }] })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  await say(page, 'First')
  await idle(page)
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('heading', { name: 'Hi, I am Lulu.' }).waitFor()
  assert.equal(await answers(page).count(), 0)
  await say(page, 'Second')
  await until(async () => /Two\./.test(await read(last(page))), 'the answer')
  assert.deepEqual(
    server.requests[1].body.messages.map(({ role }) => role),
    ['system', 'user'],
  )
  await idle(page)
  await page.getByRole('button', { name: 'Conversations', exact: true }).click()
  await page
    .locator('sluice-conversations:visible')
    .getByRole('button', { name: /^First/ })
    .click()
  await until(async () => (await log(page)).join() === 'First,One.', 'the way back')
})

for (const [view, seen, unseen] of [
  ['pet', '#pet', '#chat'],
  ['chat', '#chat', '#pet'],
]) {
  test(`the ${view} has a window of its own`, async (t) => {
    const viewport = view === 'pet' ? { width: 340, height: 460 } : { width: 560, height: 780 }
    const { page, other: chat, demo } = await open(t, { path: `/?view=${view}`, viewport, pages: 2 })
    assert.ok(await page.locator(seen).isVisible())
    assert.ok(!(await page.locator(unseen).isVisible()))
    if (view === 'pet') {
      await go(chat, demo, '/?view=chat')
      await scene(chat, 'face')
      await page.waitForSelector('#pet [data-expression=happy]')
      await until(async () => /little dance/.test(await page.locator('#words p').innerText()), 'the bubble')
      await picture(page, 'demo-window-pet', { omitBackground: true })
      for (const size of [viewport, { width: 200, height: 260 }]) {
        await page.setViewportSize(size)
        const [bubble, handles, pet] = await page.evaluate(() =>
          [
            document.querySelector('#words > *').shadowRoot.querySelector('.bubble'),
            document.querySelector('.handles'),
            document.querySelector('#pet svg'),
          ].map((one) => one.getBoundingClientRect().toJSON()),
        )
        assert.ok(
          handles.top >= bubble.bottom && handles.bottom <= size.height && handles.right <= size.width,
          `the bubble lies over the handles at ${size.width} × ${size.height}`,
        )
        assert.ok(pet.height >= size.height / 2, `the pet is ${pet.height} px high of ${size.height}`)
      }
      await scene(chat, 'umbrella')
      await question(chat).waitFor()
      for (const way of [page.getByRole('button', { name: 'Show me' }), page.locator('#open-chat')]) {
        const opened = page.context().waitForEvent('page')
        await way.click()
        const tab = await opened
        await question(tab).waitFor()
        await tab.close()
      }
      for (const button of ['.handle', '#quit'])
        assert.equal(await page.locator(button).isVisible(), false, `a tab has no ${button}`)
    } else {
      await scene(page, 'umbrella')
      await question(page).waitFor()
      await picture(page, 'demo-window-chat')
    }
  })
}

test('the conversation that changed last is there after a restart, and what cannot be saved is told', async (t) => {
  const kept = memoryConversations()
  let full = false
  const conversations = {
    ...Object.fromEntries(
      ['list', 'load', 'rename', 'delete', 'search', 'export', 'bytes'].map((name) => [
        name,
        (...args) => kept[name](...args),
      ]),
    ),
    save: async (...args) => {
      if (full) throw new SluiceError({ code: 'storage', detail: 'the disk is full' })
      await kept.save(...args)
    },
  }
  const before = await open(t, { demo: { conversations }, expected: [/ERR_|Failed to load/] }) // its host is closed
  await scene(before.page, 'face')
  await idle(before.page)
  await before.page.getByRole('button', { name: 'New conversation' }).click()
  await scene(before.page, 'face')
  await idle(before.page)
  await before.demo.close()
  const { page } = await open(t, { demo: { conversations } })
  await until(async () => (await answers(page).count()) === 1, 'the answer of yesterday')
  assert.match(await read(last(page)), /\w/)
  assert.equal(await page.locator('#welcome').isVisible(), false)
  full = true
  await say(page, 'Hello')
  await page.getByText('This could not be saved yet: the disk is full').waitFor()
  full = false
  await idle(page)
  await page.getByText('This could not be saved yet').waitFor({ state: 'hidden' })
  assert.equal((await kept.list())[0].entries, 4)
})

// -- pictures, and versions of what was said --------------------------------------------------------------------------

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const file = (name, mimeType = 'image/png', buffer = png) => ({ name, mimeType, buffer })
const tray = (page) => page.getByRole('list', { name: 'Attached files' }).getByRole('listitem')
const shownPictures = (page) =>
  page.locator('.mine .pictures img').evaluateAll((all) => all.map((one) => one.naturalWidth))
/** Hands files to the page as a person's paste or drop would. */
const hand = (page, kind, files, to = '#talk') =>
  page.evaluate(
    async ([kind, files, to]) => {
      const data = new DataTransfer()
      for (const { name, type, base64 } of files)
        data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name, { type }))
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })
      document.querySelector(to).dispatchEvent(event)
      return event.defaultPrevented
    },
    [
      kind,
      files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, base64: buffer.toString('base64') })),
      to,
    ],
  )

test('pictures are chosen, pasted and dropped, taken away again, and sent with or without words', async (t) => {
  const server = await startScriptedServer({
    answers: ({ body }) => ({
      text: `I see ${JSON.stringify(body.messages.at(-1).content).split('image_url":').length - 1}.`,
    }),
  })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach files' }).click()
  await (await chooser).setFiles([file('one.png'), file('two.png')])
  assert.equal(await hand(page, 'paste', [file('three.png')]), true)
  assert.equal(await hand(page, 'dragover', [file('four.png')]), true)
  assert.equal(await page.getByText('Drop files here').count(), 1)
  assert.equal(await hand(page, 'drop', [file('four.png')]), true)
  assert.equal(await page.getByText('Drop files here').count(), 0)
  await until(async () => (await tray(page).count()) === 4, 'all of them')
  await picture(page, 'demo-pictures')
  await page.getByRole('button', { name: 'Remove two.png' }).press('Enter')
  await until(async () => (await focused(page)) === 'Remove three.png', 'the focus on the next one')
  assert.deepEqual(
    await tray(page)
      .getByRole('img')
      .evaluateAll((all) => all.map(({ alt }) => alt)),
    ['one.png', 'three.png', 'four.png'],
  )
  await ask(page, () => page.getByRole('button', { name: 'Send', exact: true }).click()) // without a word
  await idle(page)
  assert.match(await read(last(page)), /I see 3\./)
  assert.equal(await tray(page).count(), 0)
  await until(async () => (await shownPictures(page)).join() === '1,1,1', 'the pictures')
  await hand(page, 'paste', [file('five.png')])
  await say(page, 'And this?')
  await idle(page)
  assert.match(await read(last(page)), /I see 1\./)
  await page.reload()
  await until(async () => (await shownPictures(page)).join() === '1,1,1,1', 'the pictures after a reload')
})

test('a picture that is dropped on Lulu goes with the next message', async (t) => {
  const { page } = await open(t)
  const hint = page.getByText('Drop files here')
  assert.equal(await hand(page, 'dragover', [file('cat.png')], '#pet'), true)
  await hint.waitFor()
  await hand(page, 'dragleave', [], '#pet')
  await hint.waitFor({ state: 'detached' })
  assert.equal(
    await hand(page, 'drop', [file('cat.png')], '#pet'),
    true,
    'the browser would show it in place of the page',
  )
  await page.getByRole('button', { name: 'Remove cat.png' }).waitFor()
  assert.equal(await hand(page, 'dragover', [], '#pet'), false, 'what is no file is left alone')
})

test('what is no picture, and more pictures than go with a message, are refused in words', async (t) => {
  const { page } = await open(t, { locale: 'zh-CN' })
  await hand(page, 'paste', [file('notes.zip', 'image/png', Buffer.from('PK\x03\x04\0'))])
  await page.getByRole('alert').getByText('notes.zip 无法发送').waitFor()
  await hand(
    page,
    'drop',
    Array.from({ length: 10 }, (_, at) => file(`${at}.png`)),
  )
  await page.getByRole('alert').getByText('一条消息最多 8 个文件').waitFor()
  assert.equal(await page.getByRole('list', { name: '已添加的文件' }).getByRole('listitem').count(), 8)
  assert.equal(await page.getByRole('button', { name: '移除 0.png' }).count(), 1)
  await page.getByRole('button', { name: 'English' }).click()
  assert.equal(await page.getByRole('button', { name: 'Remove 0.png' }).count(), 1)
  // What the host refuses stays here, with the reason.
  await page.route(/bridge\/call/, (route) =>
    route.fulfill({ json: { ok: true, value: { ok: false, error: { code: 'limit', detail: 'too much' } } } }),
  )
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('alert').getByText('That did not work: too much').waitFor()
  assert.equal(await tray(page).count(), 8)
})

test('another answer, another question: arrows lead from version to version, by mouse and keys', async (t) => {
  let count = 0
  const server = await startScriptedServer({
    answers: ({ body }) => ({ text: `${body.messages.at(-1).content}: answer ${++count}.` }),
    appendOnly: false,
  })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  const version = (name) => page.getByRole('group', { name, exact: true })
  await say(page, 'One')
  await idle(page)
  await say(page, 'Two')
  await idle(page)
  assert.deepEqual(await log(page), ['One', 'One: answer 1.', 'Two', 'Two: answer 2.'])
  assert.equal(await page.getByRole('group', { name: /^Version/ }).count(), 0, 'there is one of each')

  await page.getByRole('button', { name: 'Another answer' }).first().click()
  await version('Version 2 of 2').waitFor()
  await until(async () => (await log(page)).join() === 'One,One: answer 3.', 'the other answer')
  await page.waitForSelector('#chat[data-state=idle]')
  await version('Version 2 of 2').getByRole('button', { name: 'Next version' }).press('Enter') // leads nowhere
  await picture(page, 'demo-versions')
  await version('Version 2 of 2').getByRole('button', { name: 'Previous version' }).click()
  await until(
    async () => (await log(page)).join() === 'One,One: answer 1.,Two,Two: answer 2.',
    'the first answer, and what followed it',
  )
  assert.equal(await focused(page), 'Previous version')
  assert.ok((await told(page)).includes('Version 1 of 2'), 'read out')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await until(async () => (await log(page)).join() === 'One,One: answer 3.', 'the second by key')
  assert.equal(await focused(page), 'Next version')

  await page.getByRole('button', { name: 'Change the question' }).click()
  const editor = page.getByRole('textbox', { name: 'The question' })
  assert.equal(await editor.inputValue(), 'One')
  await page.keyboard.press('Escape')
  assert.equal(await editor.count(), 0)
  await page.getByRole('button', { name: 'Change the question' }).click()
  await editor.fill('Three')
  await page.keyboard.press('Enter')
  await until(async () => (await log(page)).join() === 'Three,Three: answer 4.', 'the other question')
  await page.waitForSelector('#chat[data-state=idle]')
  await page.getByRole('button', { name: '中文' }).click()
  await page
    .getByRole('group', { name: '第 2 个版本，共 2 个' })
    .getByRole('button', { name: '上一个版本' })
    .press('Enter')
  await until(
    async () => (await log(page)).join() === 'One,One: answer 3.',
    'the first question, with the answer that was shown last',
  )
  await page.reload()
  await until(async () => (await log(page)).join() === 'One,One: answer 3.', 'the same after a reload')
  assert.equal(await page.getByRole('group', { name: /个版本/ }).count(), 2)
})

test('an answer that failed is asked for again in its place: the question stands there once, for the model too', async (t) => {
  const server = await startScriptedServer({
    answers: [{ text: 'Hello.' }, { status: 400, error: 'no' }, { text: 'It rains.' }],
    appendOnly: false,
  })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  for (const text of ['Hi', 'Does it rain?']) {
    await say(page, text)
    await idle(page)
  }
  await page.getByRole('button', { name: 'Ask again', exact: true }).click()
  await until(async () => (await log(page)).join() === 'Hi,Hello.,Does it rain?,It rains.', 'the answer')
  await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor() // the failure is the first
  const asked = server.requests.filter(({ body }) => body?.messages).at(-1).body.messages
  assert.deepEqual(
    asked.filter(({ role }) => role === 'user').map(({ content }) => content),
    ['Hi', 'Does it rain?'],
  )
})

// -- what goes wrong around the conversation --------------------------------------------------------------------------

test('a conversation goes on where the host keeps only its last messages', async (t) => {
  const { page, demo } = await open(t, { demo: { keepMessages: 3 } })
  for (const [at, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
    await say(page, text)
    await idle(page)
    assert.equal(await answers(page).count(), at + 1, text)
  }
  assert.deepEqual(
    await page.locator('.mine').evaluateAll((all) => all.map((one) => one.querySelector('.words').textContent)),
    ['one', 'two', 'three', 'four', 'five'],
  )
  void demo
})

test('a host that is lost is told, nothing looks as if it went on, and what is written stays', async (t) => {
  const { page, demo } = await open(t, { demo: { delayMs: 60 }, expected: [/ERR_|Failed to load/] })
  await scene(page, 'chat')
  await page.waitForSelector('#chat[data-state=speaking]')
  await page.getByRole('textbox', { name: 'Message' }).fill('Still there?')
  await demo.close()
  await page.getByText(/^Not connected\. Trying again/).waitFor()
  assert.deepEqual(await told(page), ['not connected'], 'once, not every second')
  assert.equal(await page.locator('#chat').getAttribute('data-state'), 'offline')
  assert.equal(await page.getByRole('button', { name: 'Stop', exact: true }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true)
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  await page.getByText('Not connected: your text stays here.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'Still there?')
  await page.getByRole('button', { name: 'Try now' }).click()
  await picture(page, 'demo-offline')
})

test('an answer is read out once, an end that comes at once too', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'One.' }, { status: 400, error: 'no such model' }] })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  await say(page, 'one')
  await idle(page)
  await say(page, 'two')
  await idle(page)
  await until(
    async () => (await told(page)).join() === 'Lulu: Failed. The server refused the request',
    'the failure to be read out',
  )
})

test('Enter while an answer runs has the message wait, and says so; with Ctrl it stops the answer and sends', async (t) => {
  const { page } = await open(t, { demo: { delayMs: 60 } })
  await scene(page, 'chat')
  await page.waitForSelector('#chat[data-state=speaking]')
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('And snow?')
  await field.press('Enter')
  await page.getByText('Sent when Lulu has answered.').waitFor()
  assert.equal(await answers(page).count(), 1)
  assert.equal(await page.getByRole('list', { name: 'Waiting to be sent' }).innerText(), 'And snow?')
  await field.press('Control+Enter')
  await until(async () => (await answers(page).count()) === 2, 'the next answer')
  await idle(page)
  assert.equal(
    await answers(page)
      .first()
      .evaluate((element) => element.message.getSnapshot().outcome),
    'cancelled',
  )
  assert.equal(await page.getByText('Sent when Lulu has answered.').isVisible(), false)
})

test('a long text of a person is folded until somebody wants to see it', async (t) => {
  const { page } = await open(t)
  await say(page, `begin ${'pasted words '.repeat(4000)}end`)
  const bubble = page.locator('.mine')
  assert.ok((await bubble.boundingBox()).height < 600)
  await bubble.getByRole('button', { name: 'Show more' }).click()
  assert.ok((await bubble.boundingBox()).height > 2000)
  assert.equal(await bubble.getByRole('button', { name: 'Show less' }).getAttribute('aria-expanded'), 'true')
})

test('every scene is behind a button, for mouse and keyboard, and none begins while an answer runs', async (t) => {
  const { page } = await open(t, { demo: { delayMs: 25 } })
  await scene(page, 'weather')
  const all = page.getByRole('dialog', { name: 'Scenes' })
  const button = page.getByRole('button', { name: 'Scenes', exact: true })
  await button.click()
  assert.equal(await all.locator('.scene').count(), 13)
  assert.equal(await all.locator('.scene').first().isDisabled(), true)
  await idle(page)
  await until(async () => await all.locator('.scene').first().isEnabled(), 'the end of the answer')
  const last = all.locator('.scene').last()
  await all.hover()
  for (let turns = 0; turns < 30 && !(await last.isVisible()); turns++) await page.mouse.wheel(0, 200)
  await last.scrollIntoViewIfNeeded()
  await page.keyboard.press('Escape')
  await all.waitFor({ state: 'hidden' })
  await button.focus()
  await page.keyboard.press('Enter')
  await all.waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.dataset.scene), 'chat')
  for (let tabs = 0; tabs < 12; tabs++) await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.dataset.scene), 'printer')
  await ask(page, () => page.keyboard.press('Enter'))
  await idle(page)
  assert.equal((await statuses(page))[0], 'printer.print error')
})

test('a real model is begun with suggestions, and has no scenes', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'Rain is nice.' }] })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  assert.equal(await page.locator('.scene:visible').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Scenes', exact: true }).count(), 0)
  await ask(page, () => page.getByRole('button', { name: 'Tell me something nice about rain.' }).click())
  await idle(page)
  assert.match(await read(last(page)), /Rain is nice/)
})

test('a face comes to rest: a thinking one when Lulu goes on, any with the next answer and a new conversation', async (t) => {
  const { page } = await open(t)
  await scene(page, 'umbrella')
  await question(page).waitFor()
  await decide(page, 'Allow')
  await idle(page)
  await until(async () => (await expression(page)) === 'neutral', 'the face to rest')
  await scene(page, 'message')
  await question(page).waitFor()
  await decide(page, 'Not now')
  await idle(page)
  await until(async () => (await expression(page)) === 'worried', 'the face')
  await say(page, 'Well.')
  await until(async () => (await expression(page)) === 'neutral', 'the face to rest with the next answer')
  await idle(page)
  await scene(page, 'message')
  await question(page).waitFor()
  await decide(page, 'Not now')
  await idle(page)
  await until(async () => (await expression(page)) === 'worried', 'the face')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await until(async () => (await expression(page)) === 'neutral', 'the face to rest')
})

test('a question begins no animation of the conversation anew', async (t) => {
  const { page } = await open(t, { reducedMotion: 'no-preference' })
  await scene(page, 'message')
  await question(page).waitFor()
  await page
    .locator('sluice-entry')
    .last()
    .evaluate(async ({ shadowRoot }) => {
      for (let still = 0, frames = 0; still < 5; still = shadowRoot.getAnimations().length > 0 ? 0 : still + 1) {
        if (++frames > 1000) throw new Error('it goes on beginning anew')
        await new Promise(requestAnimationFrame)
      }
    })
})

for (const [width, height] of [
  [320, 256],
  [320, 640],
  [360, 740],
  [800, 700],
  [1280, 800],
  [2560, 1440],
]) {
  test(`nothing lies over another at ${width} × ${height}`, async (t) => {
    const { page } = await open(t, { viewport: { width, height } })
    await ask(page, () =>
      page
        .locator('[data-scene=message]')
        .first()
        .evaluate((button) => button.click()),
    )
    await question(page).waitFor()
    const { wide, over, cut, log } = await page.evaluate(async () => {
      const { petStates } = await import('/sluice/pet/index.js')
      const status = document.querySelector('#status')
      const shown = status.textContent
      const buttons = [...document.querySelectorAll('.head > button')]
        .map((one) => one.getBoundingClientRect())
        .filter(({ width }) => width > 0)
      const found = { over: [], cut: [] }
      // at 400 % it is read out alone
      const said = getComputedStyle(document.querySelector('.status')).clipPath === 'none'
      // Whatever Lulu does is said whole, beside the buttons or below them.
      for (const words of new Set(Object.values(petStates).flatMap(({ words }) => Object.values(words)))) {
        status.textContent = words
        const text = document.createRange()
        text.selectNodeContents(status)
        const { left, right, top, bottom, height } = text.getBoundingClientRect()
        if (said && buttons.some((one) => one.left < right && one.right > left && one.top < bottom && one.bottom > top))
          found.over.push(words)
        if (said && (status.scrollWidth > status.clientWidth || height > 24)) found.cut.push(words)
      }
      status.textContent = shown
      return {
        ...found,
        wide: document.documentElement.scrollWidth > innerWidth,
        log: document.querySelector('#talk').shadowRoot.querySelector('sluice-thread').clientHeight,
      }
    })
    assert.deepEqual([wide, over, cut], [false, [], []])
    // Under 480 px the question has all the room that there is.
    const dock = await page.locator('sluice-questions').boundingBox()
    assert.ok(dock.y + dock.height <= height, `the question ends at ${dock.y + dock.height} of ${height} px`)
    assert.ok(
      height < 480 ? dock.height > height * 0.6 : log > 100 && dock.height <= height * 0.6,
      `${log} px of conversation, ${dock.height} of the question`,
    )
    const unseen = question(page).getByRole('button', { name: /not seen|out of view/ })
    await until(async () => {
      if ((await button(page, 'Allow').getAttribute('aria-disabled')) === 'false') return true
      if ((await unseen.count()) > 0) await unseen.click({ timeout: 1000 }).catch(() => {})
      return false
    }, 'the question to be seen')
    // Where Allow counts, what it allows is in sight: the sentence with the name of the tool.
    for (const part of [
      question(page).locator('.head'),
      question(page).locator('.head > bdi').first(),
      button(page, 'Allow'),
    ]) {
      const { x, y, width: wide, height: high } = await part.boundingBox()
      assert.ok(
        high > 0 &&
          x >= dock.x &&
          x + wide <= dock.x + dock.width + 1 &&
          y >= dock.y &&
          y + high <= dock.y + dock.height + 1,
        `${await part.innerText()} at ${x}, ${y} in ${JSON.stringify(dock)}`,
      )
    }
    // Whoever asks is seen beside the question.
    const face = width >= 800 ? await page.locator('#pet').boundingBox() : undefined
    if (face)
      assert.ok(
        face.height > 60 && (face.x + face.width <= dock.x || face.y + face.height <= dock.y),
        JSON.stringify({ face, dock }),
      )
    // Where there is room the conversations stand beside the chat, which has half of the page, and its lines stay as
    // long as eyes like them.
    if (width >= 1500) {
      const at = (selector) => page.locator(selector).first().boundingBox()
      const [chat, list, column] = [
        await at('#chat'),
        await at('#talks-side sluice-conversations'),
        await at('sluice-composer'),
      ]
      assert.ok(
        chat.width >= width / 2 && list.x >= chat.x && list.x + list.width <= column.x,
        JSON.stringify({ chat, list, column }),
      )
      for (const { width } of [column, dock, await at('sluice-message')])
        assert.ok(width > 600 && width <= 760, `${width} px`)
    }
    await picture(page, `demo-question-${width}x${height}`)
  })
}

test('a tool that failed is red, by day and by night', async (t) => {
  const { page } = await open(t)
  await scene(page, 'printer')
  await idle(page)
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' })
    const colours = await cards(page).evaluateAll((all) =>
      all
        .filter(({ shadowRoot }) => shadowRoot.querySelector('.error'))
        .flatMap(({ shadowRoot }) => {
          const pen = new OffscreenCanvas(1, 1).getContext('2d')
          return ['.summary.error', '.state'].map((selector) => {
            pen.fillStyle = getComputedStyle(shadowRoot.querySelector(selector)).color
            pen.fillRect(0, 0, 1, 1)
            return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
          })
        }),
    )
    assert.equal(colours.length, 2)
    for (const colour of colours) {
      const [red, green, blue] = colour
      const others = Math.max(green, blue)
      assert.ok(
        red - others >= 80 && Math.abs(green - blue) <= 0.25 * (red - Math.min(green, blue)),
        `${colorScheme}: rgb(${colour}) is no red`,
      )
    }
  }
})

// -- settings ---------------------------------------------------------------------------------------------------------

test('any server of the same API can answer; its key never comes back to a page', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'I am a real one.' }, { text: 'And still here.' }] })
  t.after(server.close)
  const { page } = await open(t)
  const bodies = []
  page.on('response', async (response) => bodies.push(await response.text().catch(() => '')))
  const drawer = await settings(page)
  await drawer.getByLabel('Service').selectOption('Another server')
  await drawer.getByLabel('Address').fill('ftp://example')
  await drawer.getByRole('combobox', { name: 'Model' }).fill('qwen3:8b')
  await drawer.getByLabel('API key').fill('sk-very-secret')
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('expected an http or https URL').waitFor()
  await until(async () => (await focused(page)) === 'address', 'the focus at the field')
  await drawer.getByLabel('Address').fill(server.baseURL)
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('qwen3:8b answers from the next message on.').waitFor()
  assert.equal(await drawer.getByLabel('API key').inputValue(), '')
  await drawer.getByText('A key is kept').waitFor()
  await picture(page, 'demo-settings')
  await page.keyboard.press('Escape')
  await until(() => drawer.isHidden(), 'the drawer is closed')
  await say(page, 'Who are you?')
  await until(async () => /I am a real one/.test(await read(last(page))), 'the answer')
  await idle(page)
  const asked = server.requests.filter(({ body }) => body?.messages)
  assert.equal(asked[0].headers.authorization, 'Bearer sk-very-secret')
  assert.equal(asked[0].body.model, 'qwen3:8b')
  await page.reload()
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  assert.equal(await page.locator('#model').innerText(), 'qwen3:8b')
  assert.doesNotMatch(bodies.join('\n') + (await page.content()), /sk-very-secret/)
  await settings(page)
  await drawer.getByRole('button', { name: 'Use the script instead' }).click()
  await until(async () => (await page.locator('#model').innerText()) === 'Scripted', 'the script')
})

test('a provider brings its address; its key is asked for, and sent as it wants it', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'I am a provider.' }] })
  t.after(server.close)
  const { page } = await open(t)
  const drawer = await settings(page)
  const service = drawer.getByLabel('Service')
  await service.locator('option', { hasText: 'Google Gemini' }).waitFor({ state: 'attached' })
  await service.selectOption('DeepSeek')
  assert.equal(
    await drawer.getByRole('link', { name: 'platform.deepseek.com/api_keys' }).getAttribute('href'),
    'https://platform.deepseek.com/api_keys',
  )
  assert.equal(await drawer.getByRole('combobox', { name: 'Model' }).inputValue(), 'deepseek-chat')
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('This service wants a key.').waitFor()
  await until(async () => (await focused(page)) === 'key', 'the focus at the field')
  await drawer.getByText('More', { exact: true }).click()
  assert.equal(await drawer.getByLabel('Address').getAttribute('placeholder'), 'https://api.deepseek.com')
  await drawer.getByLabel('Address').fill(server.baseURL)
  await drawer.getByLabel('API key').fill('sk-of-deepseek')
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('answers from the next message on').waitFor()
  await page.keyboard.press('Escape')
  await say(page, 'Who are you?')
  await until(async () => /I am a provider/.test(await read(last(page))), 'the answer')
  assert.equal(server.requests.find(({ body }) => body?.messages).headers.authorization, 'Bearer sk-of-deepseek')
  await page.reload()
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  await settings(page)
  await until(
    async () => (await service.locator('option:checked').textContent()).trim() === 'DeepSeek',
    'the service that was chosen',
  )
  await drawer.getByText('More', { exact: true }).click()
  assert.equal(await drawer.getByLabel('Address').inputValue(), server.baseURL)
  await service.selectOption('Moonshot (Kimi)')
  assert.equal(
    await drawer.getByLabel('Address').inputValue(),
    '',
    'the address of one provider is not that of another',
  )
})

test('a key is not sent to another server than the one it was given for', async (t) => {
  const [one, two] = await Promise.all([
    startScriptedServer({ answers: [{ text: 'a' }] }),
    startScriptedServer({ answers: [{ text: 'b' }] }),
  ])
  t.after(one.close)
  t.after(two.close)
  const { page } = await open(t, { demo: { baseURL: one.baseURL, model: 'm', apiKey: 'sk-one' } })
  const drawer = await settings(page)
  await drawer.getByLabel('Address').fill(two.baseURL)
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('answers from the next message on').waitFor()
  await page.keyboard.press('Escape')
  await say(page, 'Hello')
  await until(() => two.requests.some(({ body }) => body?.messages), 'the request')
  for (const { headers } of two.requests) assert.equal(headers.authorization, undefined)
})

test('the configuration is a page of the drawer, and what is switched off is not offered', async (t) => {
  const { page } = await open(t)
  await settings(page, 'Tools and rules')
  const configuration = page.locator('sluice-configuration')
  await configuration.getByText('notes.add').first().waitFor()
  await picture(page, 'demo-configuration')
  await page.keyboard.press('Escape')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'settings')
})

test('in the settings of Lulu what is switched off looks so, and no page of the drawer is called as one within it', async (t) => {
  for (const locale of ['en', 'zh-CN']) {
    const { page } = await open(t, { locale })
    const drawer = await settings(page, locale === 'en' ? 'Lulu' : '露露')
    const faint = (field) => drawer.locator(field).evaluate((one) => Number(getComputedStyle(one).opacity) < 0.7)
    for (const [box, fields] of [
      ['#quiet', ['#quiet-from', '#quiet-to']],
      ['#first', ['#first-after', '#first-per-day']],
    ]) {
      for (const on of [false, true]) {
        await drawer.locator(box).setChecked(on)
        for (const field of fields) assert.equal(await faint(field), !on, `${field} ${on}`)
      }
    }
    await settings(page, locale === 'en' ? 'Tools and rules' : '工具与规则')
    await page.locator('sluice-configuration').getByText('notes.add').first().waitFor()
    const names = (await drawer.getByRole('tab').allTextContents()).map((name) => name.trim())
    assert.equal(new Set(names).size, names.length, names.join())
  }
})

test('in the drawer no text shows above the tabs of the configuration', async (t) => {
  const { page } = await open(t)
  await settings(page, 'Tools and rules')
  await page.getByRole('tab', { name: 'Advanced' }).click()
  await page.locator('#page-tools').evaluate((pages) => (pages.scrollTop = pages.scrollHeight))
  const gap = () =>
    page
      .locator('sluice-configuration')
      .evaluate(
        (element) =>
          element.shadowRoot
            .querySelector('sluice-configuration-page')
            .shadowRoot.querySelector('header')
            .getBoundingClientRect().top - document.querySelector('#page-tools').getBoundingClientRect().top,
      )
  await until(async () => (await gap()) === 0, 'the tabs stand at the upper edge of what scrolls')
})

test('modes and protocols are in the settings, not in the header, and hold for every window', async (t) => {
  const { page, other, demo } = await open(t, { pages: 2 })
  const header = await page.locator('.head[slot=header]').ariaSnapshot()
  assert.doesNotMatch(header, /radio|combobox|Native|Protocol/)
  const drawer = await settings(page, 'Tools and rules')
  await drawer.getByRole('tab', { name: 'Model and protocol' }).click()
  await drawer.locator('[data-switch=mode]').selectOption({ index: 2 })
  await drawer.locator('[data-row=protocol]').getByRole('combobox').fill('hermes')
  await drawer.locator('[data-row=protocol]').getByRole('option').first().click()
  await until(async () => (await switches(page)).protocol === 'hermes', 'the protocol')
  assert.equal((await switches(page)).mode, 'text')
  await drawer.getByRole('button', { name: 'Close', exact: true }).click()
  await scene(page, 'weather')
  await idle(page)
  assert.equal(
    await cards(page)
      .first()
      .evaluate((card) => card.card.source),
    'hermes',
  )
  await go(other, demo)
  const { mode, protocol } = await switches(other)
  assert.deepEqual([mode, protocol], ['text', 'hermes'])
})

// -- for everybody ----------------------------------------------------------------------------------------------------

test('a whole turn with the keyboard alone', async (t) => {
  const { page } = await open(t)
  assert.equal(await focused(page), 'Message')
  await page.keyboard.type('Tell Lin that I will be ten minutes late.')
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  await button(page, 'Allow').and(page.locator('[aria-disabled=false]')).waitFor()
  for (let tabs = 0; tabs < 12 && (await focused(page)) !== 'Allow'; tabs++) await page.keyboard.press('Shift+Tab')
  assert.equal(await focused(page), 'Allow')
  await page.keyboard.press('Enter')
  await idle(page)
  assert.equal((await statuses(page))[0], 'message.send success')
  for (let tabs = 0; tabs < 40 && (await page.evaluate(() => document.activeElement.id)) !== 'settings'; tabs++)
    await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.locator('#tab-model').focus()
  for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
  assert.equal(await focused(page), 'Appearance')
  for (let tabs = 0; tabs < 6 && (await page.evaluate(() => document.activeElement.name)) !== 'theme'; tabs++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light')
  assert.equal(await page.getByRole('radio', { name: 'Light' }).isChecked(), true)
})

test('a scene that is started from the keyboard leads to its question: the focus is on Not now', async (t) => {
  const { page } = await open(t)
  await page.locator('.scene[data-scene=message]').first().focus()
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  await until(
    () =>
      page.evaluate(() => {
        let element = document.activeElement
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
        return element?.textContent.trim() === 'Not now'
      }),
    'the focus',
  )
})

test('the page says what everything is', async (t) => {
  const { page } = await open(t)
  const tree = await page.locator('body').ariaSnapshot()
  for (const part of [
    /region "Lulu, the pet"|img "Lulu: neutral"/,
    /main "Chat with Lulu"/,
    /heading "Lulu" \[level=1\]/,
    /paragraph: here for you/,
    /button "Scenes"/,
    /group "Conversation"/,
    /textbox "Message"/,
    /button "Send" \[disabled\]/,
    /button "Settings"/,
  ])
    assert.match(tree, part)
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByLabel('Service').waitFor()
  const drawer = await page.getByRole('dialog', { name: 'Settings' }).ariaSnapshot()
  for (const part of [
    /tab "Model" \[selected\]/,
    /tab "Lulu"/,
    /tab "Tools and rules"/,
    /status: "?Now: Scripted/,
    /combobox "Service"/,
  ])
    assert.match(drawer, part)
  assert.equal(
    await page
      .locator('button:visible, input:visible, select:visible, textarea:visible')
      .evaluateAll((all) =>
        all
          .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
          .map((one) => one.outerHTML),
      )
      .then(String),
    '',
  )
})

test('the page speaks Chinese, by night too, and in a narrow window', async (t) => {
  const { page } = await open(t, { locale: 'zh-CN', colorScheme: 'dark' })
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN')
  await picture(page, 'demo-zh-dark-welcome')
  await scene(page, 'umbrella')
  await question(page).waitFor()
  await picture(page, 'demo-zh-dark')
  await decide(page, '允许')
  await idle(page)
  assert.match(await read(last(page)), /记好了/)
  await page.setViewportSize({ width: 400, height: 780 })
  await picture(page, 'demo-zh-dark-narrow')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
  await page.getByRole('button', { name: 'English' }).click()
  await page.locator('#status', { hasText: 'here for you' }).waitFor()
  await page.getByRole('button', { name: 'Light or dark' }).click()
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light')
  await page.getByRole('button', { name: 'Settings' }).click()
  await picture(page, 'demo-narrow-settings')
})

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test('axe finds nothing on the page: the scenes, a question by day and by night, the drawer', async (t) => {
  const { page } = await open(t, { colorScheme: 'light' })
  await page.evaluate(axe)
  const found = () =>
    page.evaluate(async () => {
      const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, any }) => `${id}: ${target.flat().join(' ')} ${any[0]?.message ?? ''}`),
      )
    })
  /** It can be decided, and its colours have changed. */
  const settled = () =>
    button(page, 'Allow')
      .and(page.locator('[aria-disabled=false]'))
      .evaluate(async (one) => {
        const frame = () => new Promise(requestAnimationFrame)
        await frame()
        while ([...one.getRootNode().querySelectorAll('button')].some((button) => button.getAnimations().length > 0))
          await frame()
      })
  await scene(page, 'umbrella')
  await question(page).waitFor()
  await settled()
  assert.deepEqual(await found(), [], 'a question by day')
  await page.getByRole('button', { name: 'Scenes', exact: true }).click()
  await page.getByRole('dialog', { name: 'Scenes' }).waitFor()
  assert.deepEqual(await found(), [], 'the scenes, while none can begin')
  await page.keyboard.press('Escape')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' })
  await settled()
  assert.deepEqual(await found(), [], 'a question by night')
  await settings(page, 'Tools and rules')
  await page.locator('sluice-configuration').getByText('notes.add').first().waitFor()
  assert.deepEqual(await found(), [], 'the drawer')
})

for (const colorScheme of ['light', 'dark']) {
  test(`where more contrast is asked for no text of the page is under 7 : 1: ${colorScheme}`, async (t) => {
    const { page } = await open(t, { colorScheme, contrast: 'more' })
    await page.evaluate(axe)
    const poor = () =>
      page.evaluate(async () => {
        const { violations } = await window.axe.run(document, {
          runOnly: { type: 'rule', values: ['color-contrast-enhanced'] },
          rules: { 'color-contrast-enhanced': { enabled: true } },
        })
        return violations.flatMap(({ nodes }) =>
          nodes.map(({ target, any }) => `${target.flat().join(' ')} ${any[0]?.message}`),
        )
      })
    assert.deepEqual(await poor(), [], 'the welcome')
    await scene(page, 'umbrella')
    await question(page).waitFor()
    assert.deepEqual(await poor(), [], 'a question')
    await picture(page, `demo-contrast-${colorScheme}`)
    for (const tab of ['Model', 'Lulu', 'Appearance', 'Tools and rules']) {
      await settings(page, tab)
      await page.waitForTimeout(300)
      assert.deepEqual(await poor(), [], tab)
    }
  })
}

test('at 200 % a question and its buttons are on the page at once', async (t) => {
  const { page } = await open(t, { viewport: { width: 600, height: 390 }, deviceScaleFactor: 2 })
  await scene(page, 'diary')
  await button(page, 'Let it read').waitFor()
  const dock = await page.locator('sluice-questions').boundingBox()
  await until(async () => {
    const box = await button(page, 'Let it read').boundingBox()
    return box.y > dock.y && box.y + box.height <= dock.y + dock.height + 1
  }, 'the button')
  assert.ok(dock.height > 180 && dock.y + dock.height <= 391, `${dock.height} px of question`)
  await picture(page, 'demo-zoomed')
  await decide(page, 'Let it read')
  await idle(page)
  assert.match(await read(last(page)), /picnic/)
})

test('a page that is told garbage by its server shows it as text', async (t) => {
  const bad = '<img src=x onerror=alert(1)>\u202e<script>document.title="gone"</script>'
  const server = await startScriptedServer({ answers: [{ text: bad }] })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: '<b>m</b>' } })
  await say(page, bad)
  await until(async () => /onerror/.test(await read(last(page))), 'the answer')
  assert.equal(await page.title(), 'Lulu')
  assert.equal(await page.locator('img, #talk script, .model b').count(), 0)
})

// -- the voice --------------------------------------------------------------------------------------------------------

/** In the page, before anything of it: speech that says everything in the time that the test gives it. */
function standIn() {
  window.utterances = []
  const synthesis = Object.assign(new EventTarget(), {
    getVoices: () => [{ name: 'Test', lang: 'en-US', localService: true, default: true }],
    speak: (utterance) => void window.utterances.push(utterance),
    cancel: () =>
      window.utterances
        .at(-1)
        .dispatchEvent(
          new SpeechSynthesisErrorEvent('error', { utterance: window.utterances.at(-1), error: 'canceled' }),
        ),
    pause() {},
    resume() {},
  })
  Object.defineProperty(window, 'speechSynthesis', { value: synthesis })
  // A voice cannot be made by hand, and an utterance takes no other.
  Object.defineProperty(SpeechSynthesisUtterance.prototype, 'voice', { set() {} })
}
const spoken = (page) => page.evaluate(() => window.utterances.map(({ text }) => text))
const endSpoken = (page) =>
  page.evaluate(() =>
    window.utterances.at(-1).dispatchEvent(new SpeechSynthesisEvent('end', { utterance: window.utterances.at(-1) })),
  )

test('Lulu is silent until she is told to speak; then she says her answers, and her face changes with her words', async (t) => {
  const call = { call: { name: 'live2d_expression', arguments: { name: 'happy' } } }
  const server = await startScriptedServer({
    answers: () => ({
      parts: [{ text: 'This is how it began. And ' }, call, { text: 'this is how it ended for all of them.' }],
    }),
  })
  t.after(server.close)
  const { page, demo } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  await page.addInitScript(standIn)
  await go(page, demo)
  await until(async () => (await expression(page)) === 'neutral', 'the pet to be there')
  await say(page, 'Tell me.')
  await idle(page)
  assert.deepEqual(await spoken(page), [])
  await until(async () => (await expression(page)) === 'happy', 'her face, at once')

  await settings(page, 'Lulu')
  await page.getByRole('radio', { name: 'Speaks' }).check()
  assert.equal(await page.locator('#no-voice').isVisible(), false)
  await picture(page, 'demo-voice')
  await page.getByRole('button', { name: 'Close' }).click()
  await say(page, 'Tell me again.')
  await idle(page)
  await until(async () => (await spoken(page)).length === 1, 'the first sentence')
  await until(async () => (await expression(page)) === 'neutral', 'a face at rest')
  await page.waitForTimeout(400)
  assert.equal(await expression(page), 'neutral', 'its words are still to come')
  await endSpoken(page)
  await until(async () => (await expression(page)) === 'happy', 'her face with her words')
  assert.deepEqual(await spoken(page), ['This is how it began.', 'And this is how it ended for all of them.'])
  await endSpoken(page)

  await say(page, 'And again.')
  await idle(page)
  await until(async () => (await spoken(page)).length === 3, 'her voice, behind the end of the answer')
  await page.keyboard.press('Escape')
  await page.getByText(/^You (?:heard it up to|interrupted it before)/).waitFor()
  assert.equal((await spoken(page)).length, 3, 'nothing of the rest is said')
  await page.getByRole('button', { name: 'Read aloud' }).last().click()
  await until(async () => (await spoken(page)).length === 4, 'it is read aloud')
  await say(page, 'Something else.')
  await until(async () => (await spoken(page)).length === 5, 'the next answer is said at once')
  await settings(page, 'Lulu')
  await page.getByRole('radio', { name: 'Silent' }).check()
  assert.equal(await page.getByRole('button', { name: 'Read aloud' }).count(), 0, 'who is silent does not read')
})

test('the chat ends the voice of Lulu in a window of her own, also where it was loaded again meanwhile', async (t) => {
  const server = await startScriptedServer({
    answers: () => ({ text: 'This is how it began. And this is how it ended.' }),
  })
  t.after(server.close)
  const {
    page,
    other: pet,
    demo,
  } = await open(t, { pages: 2, path: '/?view=chat', demo: { baseURL: server.baseURL, model: 'm' } })
  await pet.addInitScript(standIn)
  await pet.addInitScript(() => localStorage.setItem('voice', 'on'))
  await go(pet, demo, '/?view=pet')
  const stops = page.getByRole('button', { name: 'Stop the voice' })
  for (const [at, text] of ['Tell me.', 'Tell me again.'].entries()) {
    await say(page, text)
    await idle(page)
    await stops.last().waitFor()
    if (at === 1) {
      await page.reload()
      await stops.last().waitFor()
    }
    await page.getByRole('textbox', { name: 'Message' }).press('Escape')
    await stops.last().waitFor({ state: 'detached' })
    await page
      .getByText(/^You (?:heard it up to|interrupted it before)/)
      .nth(at)
      .waitFor()
    assert.equal((await spoken(pet)).length, at + 1, 'nothing of the rest is said')
  }
})

test('Lulu speaks first only where that is switched on, and that is kept', async (t) => {
  const { page } = await open(t)
  const drawer = await settings(page, 'Lulu')
  const on = drawer.getByRole('checkbox', { name: 'Now and then, when nothing else goes on' })
  const [after, perDay] = [/Minutes after the last answer/, /Times a day/].map((name) => drawer.getByLabel(name))
  assert.deepEqual([await on.isChecked(), await after.isDisabled()], [false, true])
  await on.check()
  await after.fill('0')
  await after.press('Tab')
  await after.fill('45')
  await perDay.fill('2')
  await perDay.press('Tab')
  assert.equal(await page.evaluate(() => localStorage.getItem('first')), '45 2')
  await page.reload()
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  await settings(page, 'Lulu')
  assert.deepEqual([await on.isChecked(), await after.inputValue(), await perDay.inputValue()], [true, '45', '2'])
  await after.fill('0')
  await on.uncheck()
  assert.equal(await page.evaluate(() => localStorage.getItem('first')), '', 'whatever stands in its fields')
  await picture(page, 'demo-settings-lulu')
})

test('where the system has no voice the settings say so', async (t) => {
  const { page } = await open(t)
  if (await page.evaluate(() => speechSynthesis.getVoices().length > 0)) return t.skip('this machine has voices')
  await settings(page, 'Lulu')
  await page.getByRole('radio', { name: 'Speaks' }).check()
  await page.getByText('This system has no voice.').waitFor()
  await settings(page, 'Appearance')
  await page.getByRole('radio', { name: '中文' }).check()
  await settings(page, '露露')
  await page.getByText('本机没有可用的语音。').waitFor()
})
