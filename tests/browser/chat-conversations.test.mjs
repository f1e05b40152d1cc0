// <sluice-conversations> over a list that the test plays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

async function open(t, { count = 3, ...options } = {}) {
  const page = await browser.page(t, options)
  await page.goto(`${pages.url}/chat.html`)
  await page.waitForFunction(() => window.chatReady)
  if (options.locale?.startsWith('zh'))
    await page.evaluate(() => {
      document.documentElement.lang = 'zh-CN'
    })
  await page.evaluate((count) => {
    start('sluice-conversations', { current: 'c1' })
    window.fired = []
    for (const name of ['open', 'rename', 'delete'])
      document.addEventListener(`sluice-${name}`, ({ detail }) => fired.push([name, detail.conversation]))
    window.all = Array.from({ length: count }, (_, at) => ({
      id: `c${at}`,
      title: at === 2 ? '' : `Talk ${at}`,
      updated: Date.now() - at * 100_000_000,
      entries: 2,
    }))
    window.asked = []
    client.conversations = {
      list: async ({ query = '', skip = 0, limit = 100 }) => {
        asked.push(query)
        if (window.refusing) throw Object.assign(new Error('no'), { detail: 'the disk is gone' })
        return all.filter(({ title }) => title.includes(query)).slice(skip, skip + limit)
      },
      rename: async (id, title) =>
        void Object.assign(
          all.find((one) => one.id === id),
          { title },
        ),
      delete: async (id) => void (all = all.filter((one) => one.id !== id)),
      export: async (id) => `# ${id}`,
    }
    element.requestUpdate('client')
  }, count)
  await until(async () => (await items(page).count()) > 0, 'the list')
  return page
}
const items = (page) => page.locator('sluice-conversations .item')
const titles = (page) => page.locator('sluice-conversations .title').allInnerTexts()
const fired = (page) => page.evaluate(() => fired)
const focused = (page) =>
  page.evaluate(
    () =>
      element.shadowRoot.activeElement?.getAttribute('aria-label') ??
      element.shadowRoot.activeElement?.textContent.trim(),
  )

test('a list says which conversation waits, goes on, or was not read, and hears of changes', async (t) => {
  const page = await open(t, { viewport: { width: 360, height: 600 } })
  await page.evaluate(async () => {
    Object.assign(all[0], { waiting: true, running: true, unread: true })
    Object.assign(all[1], { running: true })
    Object.assign(all[2], { unread: true })
    client.conversations.subscribe = (listener) => {
      window.changed = listener
      return () => (window.changed = undefined)
    }
    element.client = undefined
    await element.updateComplete
    element.client = client
  })
  const states = () => page.locator('sluice-conversations .state').allInnerTexts()
  await until(async () => (await states()).length === 3, 'the states')
  assert.deepEqual(await states(), ['waits for your word', 'thinking …', 'new'])
  await picture(page, 'conversations-states')
  await page.evaluate(() => {
    for (const one of all) for (const name of ['waiting', 'running', 'unread']) delete one[name]
    changed()
  })
  await until(async () => (await states()).length === 0, 'a change')
  assert.equal(await page.locator('sluice-conversations .unread').count(), 0)
})

for (const [lang, words] of Object.entries({
  en: {
    untitled: 'Untitled',
    search: 'Search',
    none: 'Nothing found.',
    today: /\d\d:\d\d [AP]M/,
    yesterday: 'Yesterday',
  },
  zh: { untitled: '无标题', search: '搜索', none: '没有找到。', today: /\d\d:\d\d/, yesterday: '昨天' },
})) {
  test(`conversations are listed with their titles and days, found and opened: ${lang}`, async (t) => {
    const page = await open(t, {
      locale: lang === 'zh' ? 'zh-CN' : 'en-US',
      viewport: { width: 360, height: 600 },
      colorScheme: lang === 'zh' ? 'dark' : 'light',
    })
    assert.deepEqual(await titles(page), ['Talk 0', 'Talk 1', words.untitled])
    const dates = await page.locator('sluice-conversations .date').allInnerTexts()
    assert.match(dates[0], words.today)
    assert.equal(
      await page
        .getByRole('button', { name: /Talk 1/ })
        .first()
        .getAttribute('aria-current'),
      'true',
    )
    await picture(page, `chat-conversations-${lang}`)
    await page.getByRole('button', { name: /^Talk 0/ }).click()
    assert.deepEqual(await fired(page), [['open', 'c0']])
    assert.equal(await page.evaluate(() => element.current), 'c0')
    await page.getByRole('searchbox', { name: words.search }).fill('1')
    await until(async () => (await titles(page)).join() === 'Talk 1', 'what was found')
    await page.getByRole('searchbox', { name: words.search }).fill('nowhere')
    await page.getByText(words.none).waitFor()
  })
}

test('a conversation is renamed and deleted after a question, by keys; the app may take both over', async (t) => {
  const page = await open(t)
  await page.getByRole('button', { name: 'Rename: Talk 0' }).focus()
  await page.keyboard.press('Enter')
  await until(async () => (await focused(page)) === 'Title', 'the field')
  await page.keyboard.press('Escape')
  await until(async () => (await focused(page)) === 'Rename: Talk 0', 'the button')
  await page.keyboard.press('Enter')
  await until(async () => (await focused(page)) === 'Title', 'the field')
  await page.keyboard.type('Walks')
  await page.keyboard.press('Enter')
  await until(async () => (await titles(page))[0] === 'Walks', 'the title')
  await page.getByRole('button', { name: 'Delete: Talk 1' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Delete “Talk 1”?').waitFor()
  assert.equal(await focused(page), 'Cancel')
  await page.keyboard.press('Escape')
  await until(async () => (await focused(page)) === 'Delete: Talk 1', 'the button')
  assert.equal(await items(page).count(), 3)
  await page.keyboard.press('Enter')
  await page.locator('.deleting').getByRole('button', { name: 'Delete' }).click()
  await until(async () => (await items(page).count()) === 2, 'the rest')
  const [last] = (await fired(page)).slice(-1)
  assert.equal(last[0], 'open', 'the one that was open is gone: a new one begins')
  assert.match(last[1], /^chat-/)
  await page.evaluate(() => document.addEventListener('sluice-delete', (event) => event.preventDefault(), true))
  await page.getByRole('button', { name: 'Delete: Walks' }).click()
  assert.equal(await page.locator('.deleting').count(), 0)
})

test('a list that is read anew takes no title away that is being written, nor a question, nor the focus', async (t) => {
  const page = await open(t)
  const refresh = () =>
    page.evaluate(async () => {
      all = [...all.slice(1), all[0]].map((one) => ({ ...one }))
      asked.length = 0
      await element.refresh()
      await frames(2)
    })
  const order = () =>
    page.evaluate(() => [...element.shadowRoot.querySelectorAll('.item')].map(({ dataset }) => dataset.id).join())
  await page.getByRole('button', { name: 'Rename: Talk 0' }).click()
  await until(async () => (await focused(page)) === 'Title', 'the field')
  await page.keyboard.type('My new ')
  await refresh()
  await page.keyboard.type('title')
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'My new title')
  assert.equal(await order(), 'c0,c1,c2', 'no row moves under the field')
  await page.evaluate(() => Object.assign(all.at(-1), { title: 'Named by the host' }))
  await page.evaluate(() => element.refresh())
  await page.keyboard.press('Escape')
  await until(async () => (await order()) === 'c1,c2,c0', 'the list as it is by now')
  assert.deepEqual((await titles(page))[2], 'Named by the host')
  await page.getByRole('button', { name: 'Delete: Talk 1' }).click()
  await page.getByText('Delete “Talk 1”?').waitFor()
  await refresh()
  assert.equal(await focused(page), 'Cancel')
  assert.equal(await order(), 'c1,c2,c0')
  await page.keyboard.press('Enter')
  await until(async () => (await order()) === 'c2,c0,c1', 'the list as it is by now')
  await page.getByRole('button', { name: 'Rename: Named by the host' }).focus()
  await page.evaluate(() => void (all = [all[1], all[0], all[2]]))
  await page.evaluate(() => element.refresh())
  await until(async () => (await order()) === 'c0,c2,c1', 'the order')
  assert.equal(await focused(page), 'Rename: Named by the host', 'the focus goes with its row')
})

test('more than a hundred come by and by; a list that fails says so; a conversation is saved as a file', async (t) => {
  const page = await open(t, { count: 130 })
  assert.equal(await items(page).count(), 100)
  const [title, whole] = await items(page)
    .nth(5)
    .evaluate((item) =>
      ['.title', '.item'].map((name) => (item.matches(name) ? item : item.querySelector(name)).clientWidth),
    )
  assert.ok(title > whole - 30, `a title has ${title} of ${whole} px: hidden buttons take none`)
  await page.getByRole('button', { name: 'More' }).click()
  await until(async () => (await items(page).count()) === 130, 'all')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as a file: Talk 0' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'Talk 0.md')
  await page.evaluate(() => {
    window.refusing = true
    return element.refresh()
  })
  await page.getByRole('alert').getByText('That did not work: the disk is gone').waitFor()
  assert.equal(await items(page).count(), 130, 'what was there stays')
})
