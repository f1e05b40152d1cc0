// Every element in every state, as the gallery has them: axe-core, contrast where a person asks for more, forced colours, reduced motion, small windows.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { startGallery } from '../../js/pages/gallery/host.js'
import { until, useBrowser } from './support.mjs'

const browser = useBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function open(t, lang, options = {}) {
  const page = await browser.page(t, { viewport: { width: 900, height: 30_000 }, reducedMotion: 'reduce', ...options })
  const gallery = await startGallery()
  t.after(gallery.close)
  await page.goto(`${gallery.url}&lang=${lang}`)
  await until(() => page.evaluate(() => document.querySelectorAll('.stage').length > 0 && [...document.querySelectorAll('.stage')].every((one) => 'ready' in one.dataset)), 'the states', 60_000)
  await page.evaluate(axe)
  await page.evaluate(() => {
    window.everything = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? everything(one.shadowRoot) : [])])
  })
  return page
}

/** Colours change within a moment. */
const changed = (page) => page.evaluate(async () => {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  const passing = everything(document).flatMap((one) => one.getAnimations()).filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
  await Promise.allSettled(passing.map(({ finished }) => finished))
})

/** What axe-core finds on the whole page, a line each. */
async function found(page, options) {
  const { violations } = await page.evaluate((options) => window.axe.run(document, { resultTypes: ['violations'], ...options }), options)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) => `${id}: ${target.flat().join(' ')} ${any[0]?.message ?? ''}`))
}

for (const lang of ['en', 'zh']) {
  test(`axe finds nothing in any state, light and dark, and no text under 7 : 1 where more contrast is asked for: ${lang}`, async (t) => {
    const page = await open(t, lang)
    const faults = {}
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, contrast: 'no-preference' })
      await page.waitForTimeout(1000) // questions are armed
      await changed(page)
      faults[colorScheme] = await found(page, {})
      await page.emulateMedia({ colorScheme, contrast: 'more' })
      await changed(page)
      faults[`${colorScheme}, more contrast`] = await found(page, { runOnly: { type: 'rule', values: ['color-contrast-enhanced'] }, rules: { 'color-contrast-enhanced': { enabled: true } } })
    }
    assert.deepEqual(faults, { light: [], 'light, more contrast': [], dark: [], 'dark, more contrast': [] })
  })
}

test('nothing moves on and on where a person wants less motion', async (t) => {
  const page = await open(t, 'en')
  const moving = () => page.evaluate(() => everything(document).flatMap((one) => one.getAnimations()).filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().iterations === Infinity)
    .map(({ animationName, effect }) => `${animationName}: ${effect.target.className}`))
  assert.deepEqual(await moving(), [])
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  assert.notEqual((await moving()).length, 0, 'there is something to hold still')
})

test('in forced colours every bubble, button and field has an edge', async (t) => {
  const page = await open(t, 'en', { forcedColors: 'active' })
  const without = await page.evaluate(() => {
    const edge = (one) => {
      const { borderStyle, borderWidth, outlineStyle } = getComputedStyle(one)
      return (borderStyle !== 'none' && Number.parseFloat(borderWidth) > 0) || outlineStyle !== 'none'
    }
    const boxes = everything(document.querySelector('main')).filter((one) => one.matches('button:not(.link, .plain), textarea, select, input:not([type=checkbox], [type=radio], [type=range]), [part~=mine], [part~=theirs]') && one.checkVisibility({ visibilityProperty: true }))
    return { boxes: boxes.length, without: [...new Set(boxes.filter((one) => !edge(one) && !edge(one.parentElement ?? one)).map((one) => `${one.getRootNode().host?.localName} ${one.localName}.${one.className} ${one.part}`))] }
  })
  assert.ok(without.boxes > 100, `${without.boxes} boxes`)
  assert.deepEqual(without.without, [])
})

for (const width of [320, 640, 2560]) {
  test(`nothing stands beside a page that is ${width} pixels wide`, async (t) => {
    const page = await open(t, 'en', { viewport: { width, height: 60_000 } })
    assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), width)
    const out = await page.evaluate((width) => [...document.querySelectorAll('.stage > *')].filter((one) => one.getBoundingClientRect().right > width + 1).map((one) => `${one.parentElement.scene?.id} ${one.getBoundingClientRect().right}`), width)
    assert.deepEqual(out, [])
  })
}
