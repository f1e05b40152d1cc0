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
    window.voice = { done: [], say: (text) => window.voice.done.push(['say', text]), stop: (why) => window.voice.done.push(['stop', why]) }
    if (location.search.includes('zh')) document.documentElement.lang = 'zh-CN'
    start('sluice-chat')
    element.voice = window.voice
  })
  return page
}
const done = (page) => page.evaluate(() => window.voice.done)

for (const [locale, words] of [[undefined, ['You heard it up to “in the morning”', 'Nobody asked: said of its own accord', 'Read aloud']], ['zh-CN', ['你听到了“in the morning”为止', '没有人问：主动说的', '朗读']]]) {
  test(`an entry says how far it was heard, and that nobody asked (${locale ?? 'en'})`, async (t) => {
    const page = await open(t, { locale })
    await page.evaluate(() => {
      client.ask('When?', said('Come in the morning, or later.'))
      const { entries } = client.open().getSnapshot()
      client.open().set({ entries: entries.map((entry) => (entry.role === 'assistant' ? { ...entry, heard: 'in the morning', first: true } : entry)) })
    })
    await page.getByText(words[0]).waitFor()
    await page.getByText(words[1]).waitFor()
    await picture(page, `chat-heard-${locale ?? 'en'}`)
    await page.getByRole('button', { name: words[2] }).last().click()
    assert.deepEqual(await done(page), [['stop', 'another text'], ['say', 'Come in the morning, or later.']], 'what is read begins anew')
  })
}

test('a message that is sent, and a stop, end the voice', async (t) => {
  const page = await open(t)
  await page.evaluate(() => { client.ask('Go on?', said('Yes, I ', null)) })
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

test('Esc ends a voice that goes on behind the end of its answer; where none is heard the key is the page\'s', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    client.ask('Go on?', said('Yes.'))
    window.keys = []
    addEventListener('keydown', ({ key, defaultPrevented }) => window.keys.push([key, defaultPrevented]))
  })
  await page.getByRole('textbox').focus()
  for (const state of [undefined, 'idle', 'speaking']) {
    await page.evaluate((state) => { window.voice.state = state }, state)
    await page.keyboard.press('Escape')
  }
  assert.deepEqual(await done(page), [['stop', 'Esc']])
  assert.deepEqual(await page.evaluate(() => window.keys), [['Escape', false], ['Escape', false], ['Escape', true]])
})
