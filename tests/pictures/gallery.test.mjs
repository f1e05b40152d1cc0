// The gallery shows every element in every state, and each state is reached by a real host.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startGallery } from '../../js/pages/gallery/host.js'
import { groups, scenes } from '../../js/pages/gallery/scenes.js'
import { until, useBrowser } from '../browser/support.mjs'

const browser = useBrowser()

/** The members of a union of strings, or the names of a map of tags, in a source. */
const inSource = (file, from, to, pattern) =>
  [
    ...readFileSync(new URL(`../../js/src/${file}`, import.meta.url), 'utf8')
      .split(from)[1]
      .split(to)[0]
      .matchAll(pattern),
  ].map(([, name]) => name)

async function open(t, query) {
  const page = await browser.page(t, { viewport: { width: 900, height: 30_000 }, reducedMotion: 'reduce' })
  const gallery = await startGallery()
  t.after(gallery.close)
  await page.goto(`${gallery.url}&${query}`)
  await until(
    () =>
      page.evaluate(
        () =>
          document.querySelectorAll('.stage').length > 0 &&
          [...document.querySelectorAll('.stage')].every((one) => 'ready' in one.dataset),
      ),
    'the states',
  )
  assert.deepEqual(await page.locator('.failed').allTextContents(), [])
  return page
}

test('every element and every state of a card has its place', () => {
  const statuses = inSource('engine/core/events.ts', 'export type CardStatus =', '\n\n', /'(\w+)'/g)
  assert.equal(statuses.length, 15)
  assert.deepEqual(
    scenes
      .filter(({ group }) => group === 'cards')
      .map(({ id }) => id)
      .sort(),
    statuses.sort(),
  )
  const tags = inSource('view/ui/elements.ts', 'interface HTMLElementTagNameMap {', '}', /'sluice-(\w+)'/g)
  assert.deepEqual([...new Set(scenes.map(({ show }) => show))].sort(), tags.sort())
  assert.deepEqual(
    scenes.filter(({ group }) => !groups.some(([id]) => id === group)),
    [],
  )
  for (const language of ['en', 'zh'])
    assert.equal(
      new Set(scenes.map(({ question }) => question[language])).size,
      scenes.length,
      'no two scenes ask the same',
    )
})

for (const lang of ['en', 'zh']) {
  test(`cards come to the state that their scene is of: ${lang}`, async (t) => {
    const page = await open(t, `only=cards&lang=${lang}`)
    const wrong = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.stage')]
          .map(({ scene, firstChild }) => [scene.id, firstChild.card?.status])
          .filter(([id, status]) => id !== status),
      )
    await until(async () => (await wrong()).length === 0, 'the states').catch(async () =>
      assert.deepEqual(await wrong(), []),
    )
  })

  test(`every other state is reached: ${lang}`, async (t) => {
    const others = groups.map(([id]) => id).filter((id) => id !== 'cards')
    const page = await open(t, `only=${others}&lang=${lang}`)
    const inside = (id, selector) => page.locator(`#${id}`).locator(selector)
    await inside('queue', '[part~=queue] li').nth(1).waitFor()
    await inside('branches', '[part~=toolbar]').getByText('2 / 2').waitFor()
    for (const id of ['reconnecting', 'lost']) await inside(id, '[part~=banner]').waitFor()
    for (const id of ['empty', 'length', 'filter', 'broke', 'refused', 'limit', 'stopped'])
      await inside(id, '[part~=ways] button').first().waitFor()
    await inside('checklist', 'input[type=checkbox]').nth(3).waitFor()
    await inside('attack', 'sluice-approval').getByText('U+202E').waitFor()
    await inside('retry', 'sluice-message').getByText('503').waitFor()
    await inside('forgotten', 'sluice-thread')
      .getByText(lang === 'en' ? 'no longer kept' : '不再保留')
      .waitFor()
    await inside('unsent', 'sluice-composer').getByText('too many messages at a time').waitFor()
  })
}

test('language and scheme are chosen in the page', async (t) => {
  const page = await open(t, 'only=welcome&lang=en')
  await page.getByLabel('Scheme').selectOption('dark')
  await page.locator('html[data-theme=dark] main').waitFor()
  await page.getByLabel('Language').selectOption('zh')
  await page.locator('html[lang=zh-CN] main').waitFor()
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark')
})
