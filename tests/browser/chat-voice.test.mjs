// A chat and the voice that reads it: what ends the voice, and what an entry says of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

async function open(t, { locale } = {}) {
  const page = await browser.page(t, locale ? { locale } : {})
  await page.goto(`${pages.url}/chat.html${locale ? '?lang=zh' : ''}`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate(() => {
    window.voice = {
      done: [],
      say: (text) => window.voice.done.push(['say', text]),
      stop: (why) => window.voice.done.push(['stop', why]),
    }
    if (location.search.includes('zh')) document.documentElement.lang = 'zh-CN'
    start('sluice-chat')
    element.voice = window.voice
  })
  return page
}
const done = (page) => page.evaluate(() => window.voice.done)

for (const [locale, words] of [
  [undefined, ['You heard it up to “in the morning”', 'Nobody asked: said of its own accord', 'Read aloud']],
  ['zh-CN', ['你听到了“in the morning”为止', '没有人问：主动说的', '朗读']],
]) {
  test(`an entry says how far it was heard, and that nobody asked (${locale ?? 'en'})`, async (t) => {
    const page = await open(t, { locale })
    await page.evaluate(() => {
      client.ask('When?', said('Come in the morning, or later.'))
      const { entries } = client.open().getSnapshot()
      client.open().set({
        entries: entries.map((entry) =>
          entry.role === 'assistant' ? { ...entry, heard: 'in the morning', first: true } : entry,
        ),
      })
    })
    await page.getByText(words[0]).waitFor()
    await page.getByText(words[1]).waitFor()
    await picture(page, `chat-heard-${locale ?? 'en'}`)
    await page.getByRole('button', { name: words[2] }).last().click()
    assert.deepEqual(
      await done(page),
      [
        ['stop', 'another text'],
        ['say', 'Come in the morning, or later.'],
      ],
      'what is read begins anew',
    )
  })
}

test('a message that is sent, and a stop, end the voice', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    client.ask('Go on?', said('Yes, I ', null))
  })
  const field = page.getByRole('textbox')
  await field.focus()
  await page.keyboard.press('Escape')
  await until(async () => (await done(page)).length === 1, 'the stop')
  assert.deepEqual(await done(page), [['stop', 'stop']])
  await page.evaluate(() => client.message('main-1a').push({ type: 'done', outcome: 'cancelled' }))
  await field.fill('Something else')
  await page.keyboard.press('Enter')
  await until(async () => (await done(page)).length === 2, 'the message')
  assert.deepEqual((await done(page))[1], ['stop', 'a message was sent'])
})

test("Esc ends a voice that goes on behind the end of its answer; where none is heard the key is the page's", async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    client.ask('Go on?', said('Yes.'))
    window.keys = []
    addEventListener('keydown', ({ key, defaultPrevented }) => window.keys.push([key, defaultPrevented]))
  })
  await page.getByRole('textbox').focus()
  for (const state of [undefined, 'idle', 'speaking']) {
    await page.evaluate((state) => {
      window.voice.state = state
    }, state)
    await page.keyboard.press('Escape')
  }
  assert.deepEqual(await done(page), [['stop', 'Esc']])
  assert.deepEqual(await page.evaluate(() => window.keys), [
    ['Escape', false],
    ['Escape', false],
    ['Escape', true],
  ])
})

/** A voice in another window: what the client tells of it, and what is done with it. */
const elsewhere = () => {
  const listeners = new Set()
  window.far = {
    done: [],
    state: 'off',
    subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    stop: (why) => window.far.done.push(why),
    set: (state) => {
      window.far.state = state
      for (const listener of listeners) listener()
    },
    get listeners() {
      return listeners.size
    },
  }
  client.voice = window.far
  element.voice = undefined
  element.client = undefined
  return element.updateComplete.then(() => ((element.client = client), element.updateComplete))
}
const far = (page) => page.evaluate(() => far.done)

for (const [locale, label] of [
  [undefined, 'Stop the voice'],
  ['zh-CN', '停止发声'],
]) {
  test(`a voice in another window: Esc and a button of the answer end it while it is heard (${locale ?? 'en'})`, async (t) => {
    const page = await open(t, { locale })
    await page.evaluate(elsewhere)
    await page.evaluate(() => {
      client.ask('Go on?', said('Yes.'))
    })
    await page.getByRole('textbox').focus()
    const button = page.getByRole('button', { name: label })
    await page.keyboard.press('Escape')
    assert.deepEqual([await far(page), await button.count()], [[], 0], 'nothing is heard')
    await page.evaluate(() => far.set('speaking'))
    await button.click()
    await page.getByRole('textbox').focus()
    await page.keyboard.press('Escape')
    assert.deepEqual(await far(page), ['a button', 'Esc'])
    await page.evaluate(() => far.set('idle'))
    await page.keyboard.press('Escape')
    assert.deepEqual([await far(page), await button.count()], [['a button', 'Esc'], 0], 'it is over')
    await page.evaluate(() => element.remove())
    assert.equal(await page.evaluate(() => far.listeners), 0, 'an element that left follows nothing')
  })
}

test('what reads aloud becomes what ends it, and the focus stays on the button', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    const listeners = new Set()
    const set = (state) => {
      voice.state = state
      for (const listener of listeners) listener()
    }
    Object.assign(voice, {
      subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
      say: (text) => (voice.done.push(['say', text]), set('speaking')),
      stop: (why) => (voice.done.push(['stop', why]), set('idle')),
    })
    element.voice = undefined
    client.ask('Go on?', said('Yes.'))
  })
  await page.evaluate(() => ((element.voice = voice), element.updateComplete))
  await page.getByRole('button', { name: 'Read aloud' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop the voice' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Read aloud' }).waitFor()
  assert.deepEqual(await done(page), [
    ['stop', 'another text'],
    ['say', 'Yes.'],
    ['stop', 'a button'],
  ])
})

test('Esc closes a question first, and ends the voice behind that', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    client.ask('Where?', said('[there](https://example.com/)'))
    voice.state = 'speaking'
  })
  await page.getByRole('link', { name: 'there' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.deepEqual(await done(page), [])
  await page.keyboard.press('Escape')
  assert.deepEqual(await done(page), [['stop', 'Esc']])
})
