// Files that are not pictures, in the field and in what a person said, with a client that the test plays.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { picture, until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

async function open(t, options = {}) {
  const page = await browser.page(t, options)
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  await page.evaluate((lang) => {
    document.documentElement.lang = lang
  }, options.locale ?? 'en')
  return page
}

/** A field whose host takes PDF, films and every kind of text, and 2,000 bytes with a message. */
const field = (page) =>
  page.evaluate(async () => {
    start('sluice-composer')
    element.remove()
    client.attachments = async () => ({
      types: ['application/pdf', 'video/mp4', 'text/*'],
      maxBytes: 2000,
      maxParts: 3,
    })
    document.querySelector('#stage').append(element)
    await frames(3)
  })

const give = (page, kind, ...files) =>
  page.locator('sluice-composer textarea').evaluate(
    (element, [kind, files]) => {
      const data = new DataTransfer()
      for (const [name, type, text] of files) data.items.add(new File([text], name, { type }))
      element.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, composed: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, composed: true, cancelable: true }),
      )
    },
    [kind, files],
  )

test('the field takes what the host allows, shows a chip with its size, and sends it as a file', async (t) => {
  const page = await open(t)
  await field(page)
  await give(page, 'paste', ['a.pdf', 'application/pdf', '%PDF-1.7'], ['notes.md', 'text/markdown', '# Notes'])
  await page.getByText('a.pdf · 8 B').waitFor()
  await page.getByText('notes.md · 7 B').waitFor()
  await picture(page, 'chat-files-field')
  await page.getByRole('button', { name: 'Remove notes.md' }).press('Enter')
  await page.getByRole('textbox').fill('Read it')
  await page.keyboard.press('Enter')
  await until(() => page.evaluate(() => client.calls.length > 0), 'the message')
  assert.deepEqual(await page.evaluate(() => client.calls), [
    [
      'send',
      {
        text: 'Read it',
        conversation: 'main',
        parts: [{ type: 'file', name: 'a.pdf', mediaType: 'application/pdf', data: btoa('%PDF-1.7') }],
      },
    ],
  ])
})

for (const [locale, type, size, lies] of [
  [
    'en',
    'a.zip cannot be sent: its type is application/zip. Allowed: PDF, MP4, text.',
    'film.mp4 is too large: 2 kB go with a message, and it has 3 kB.',
    'lies.pdf cannot be sent',
  ],
  [
    'zh-CN',
    'a.zip 无法发送：类型为 application/zip。支持：PDF、MP4、文本。',
    'film.mp4 太大（3 kB）：一条消息最多 2 kB。',
    'lies.pdf 无法发送',
  ],
]) {
  test(`${locale}: a refusal says what was found and what is allowed`, async (t) => {
    const page = await open(t, { locale })
    await field(page)
    for (const [file, words] of [
      [['a.zip', 'application/zip', 'PK\u0003\u0004\u0000'], type],
      [['film.mp4', 'video/mp4', 'x'.repeat(3000)], size],
      [['lies.pdf', 'application/pdf', 'PK\u0003\u0004\u0000'], lies],
    ]) {
      await give(page, 'paste', file)
      await page.getByRole('alert').getByText(words).waitFor()
    }
    assert.equal(await page.evaluate(() => element.attachments.length), 0)
  })
}

for (const [locale, colorScheme, save, gone] of [
  ['en', 'light', 'Save a.pdf, 3.1 MB', 'old.txt is gone.'],
  ['zh-CN', 'dark', '保存 a.pdf，3.1 MB', 'old.txt 已不存在。'],
]) {
  test(`${locale}, ${colorScheme}: a message shows its files, and a key saves one; one that is gone says so`, async (t) => {
    const page = await open(t, { locale, colorScheme })
    await page.evaluate(() => {
      const file = (name, url) => ({ type: 'file', name, mediaType: 'text/html', bytes: 3_100_000, url })
      start('sluice-thread')
      const parts = [
        file('a.pdf', 'sluice:one'),
        file('old.txt', 'sluice:gone'),
        file(`${'x'.repeat(115)}.txt`, 'sluice:x'),
      ]
      client.ask('See', said('Yes.'), { parts })
    })
    const button = page.getByRole('button', { name: save, exact: true })
    await button.waitFor()
    const widths = await page.evaluate(() =>
      [...document.querySelectorAll('body, #stage')].map((one) => one.scrollWidth <= one.clientWidth),
    )
    assert.deepEqual(widths, [true, true])
    await picture(page, `chat-files-${locale}`)
    const download = page.waitForEvent('download')
    await button.press('Enter')
    const saved = await download
    assert.equal(saved.suggestedFilename(), 'a.pdf')
    assert.equal(readFileSync(await saved.path(), 'utf8'), 'sluice:one')
    await page.getByRole('button', { name: /old\.txt/ }).click()
    await page.getByText(gone).waitFor()
  })
}
