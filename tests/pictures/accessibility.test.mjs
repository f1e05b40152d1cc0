// Every element in every state, as the gallery has them: axe-core, contrast where a person asks for more, forced
// colours, reduced motion, small windows.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { startGallery } from '../../js/pages/gallery/host.js'
import { until, useBrowser } from '../browser/support.mjs'

const browser = useBrowser()
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function open(t, lang, options = {}) {
  const page = await browser.page(t, { viewport: { width: 900, height: 30_000 }, reducedMotion: 'reduce', ...options })
  const gallery = await startGallery()
  t.after(gallery.close)
  await page.goto(`${gallery.url}&lang=${lang}`)
  await until(
    () =>
      page.evaluate(
        () =>
          document.querySelectorAll('.stage').length > 0 &&
          [...document.querySelectorAll('.stage')].every((one) => 'ready' in one.dataset),
      ),
    'the states',
  )
  await page.evaluate(axe)
  await page.evaluate(() => {
    window.everything = (root) =>
      [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? everything(one.shadowRoot) : [])])
  })
  return page
}

/** Colours change within a moment. */
const changed = (page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const passing = everything(document)
      .flatMap((one) => one.getAnimations())
      .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity)
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })

/** What axe-core finds on the whole page, a line each. */
async function found(page, options) {
  const { violations } = await page.evaluate(
    (options) => window.axe.run(document, { resultTypes: ['violations'], ...options }),
    options,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.flat().join(' ')} ${any[0]?.message ?? ''}`),
  )
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
      faults[`${colorScheme}, more contrast`] = await found(page, {
        runOnly: { type: 'rule', values: ['color-contrast-enhanced'] },
        rules: { 'color-contrast-enhanced': { enabled: true } },
      })
    }
    assert.deepEqual(faults, { light: [], 'light, more contrast': [], dark: [], 'dark, more contrast': [] })
  })
}

test('nothing moves on and on where a person wants less motion', async (t) => {
  const page = await open(t, 'en')
  const moving = () =>
    page.evaluate(() =>
      everything(document)
        .flatMap((one) => one.getAnimations())
        .filter(
          ({ playState, effect }) => playState === 'running' && effect.getComputedTiming().iterations === Infinity,
        )
        .map(({ animationName, effect }) => `${animationName}: ${effect.target.className}`),
    )
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
    const boxes = everything(document.querySelector('main')).filter(
      (one) =>
        one.matches(
          'button:not(.link, .plain), textarea, select, input:not([type=checkbox], [type=radio], [type=range]), [part~=mine], [part~=theirs]',
        ) && one.checkVisibility({ visibilityProperty: true }),
    )
    return {
      boxes: boxes.length,
      bubbles: ['mine', 'theirs'].map((part) => boxes.filter((one) => one.matches(`[part~=${part}]`)).length),
      without: [
        ...new Set(
          boxes
            .filter((one) => !edge(one) && !edge(one.parentElement ?? one))
            .map((one) => `${one.getRootNode().host?.localName} ${one.localName}.${one.className} ${one.part}`),
        ),
      ],
    }
  })
  assert.ok(
    without.boxes > 100 && without.bubbles.every((count) => count > 5),
    `${without.boxes} boxes, ${without.bubbles} bubbles`,
  )
  assert.deepEqual(without.without, [])
})

/**
 * Goes through the page by Tab: how many places there are, which of them are not in sight when they have the focus, and
 * which cannot be reached.
 */
async function byKeyboard(page) {
  await page.evaluate(() => {
    window.deepest = () => {
      let one = document.activeElement
      while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
      return one
    }
    const around = (one) => one.parentNode ?? one.host
    window.within = (inner, outer) => {
      for (let one = inner; one; one = one.assignedSlot ?? around(one)) if (one === outer) return true
      return false
    }
    const called = (one) =>
      `${one.closest('section[id]')?.id ?? one.getRootNode().host?.localName} ${one.localName}.${one.className} ${(one.getAttribute('aria-label') ?? one.textContent).trim().slice(0, 40)}`
    /** What lies over an element at the middle of what the window shows of it, if anything does; or where it is. */
    const hides = (one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect()
      const [x, y] = [
        (Math.max(left, 0) + Math.min(right, innerWidth)) / 2,
        (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2,
      ]
      if (left > innerWidth - 1 || right < 1 || top > innerHeight - 1 || bottom < 1)
        return `at ${Math.round(left)}, ${Math.round(top)}`
      if (left < -1 || right > innerWidth + 1) return `from ${Math.round(left)} to ${Math.round(right)}`
      let over = document.elementFromPoint(x, y)
      for (let inner; (inner = over?.shadowRoot?.elementFromPoint(x, y)) && inner !== over; ) over = inner
      return over && (within(over, one) || within(one, over)) ? undefined : `under ${over && called(over)}`
    }
    window.reached = new Set()
    window.unseen = []
    window.over = false
    // Where the last key led is looked at when the next one comes: the page stands still then.
    addEventListener(
      'keydown',
      () => {
        const one = deepest()
        if (one === document.body || reached.has(one)) return (window.over = true)
        reached.add(one)
        const why = hides(one)
        if (why) unseen.push(`${called(one)}: ${why}`)
      },
      true,
    )
    document.querySelector('select').focus()
    window.unreached = () =>
      everything(document)
        .filter(
          (one) =>
            one.matches(':is(button, input, select, textarea):enabled:not([type=file]), a[href]') &&
            one.tabIndex >= 0 &&
            one.checkVisibility({ visibilityProperty: true }) &&
            !reached.has(one),
        )
        .filter((one) => !(one.type === 'radio' && !one.checked))
        .map(called)
  })
  while (!(await page.evaluate(() => over))) for (let at = 0; at < 40; at++) await page.keyboard.press('Tab')
  return page.evaluate(() => ({ places: reached.size, unseen, unreached: unreached() }))
}

for (const [width, height] of [
  [320, 256],
  [640, 512],
  [2560, 1440],
]) {
  test(`nothing stands beside a page that is ${width} pixels wide${height < 600 ? ', and every control is in sight when the keyboard comes to it' : ''}`, async (t) => {
    const page = await open(t, 'en', { viewport: { width, height: 60_000 } })
    assert.equal(await page.evaluate(() => document.scrollingElement.scrollWidth), width)
    const out = await page.evaluate(
      (width) =>
        [...document.querySelectorAll('.stage > *')]
          .filter((one) => one.getBoundingClientRect().right > width + 1)
          .map((one) => `${one.parentElement.scene?.id} ${one.getBoundingClientRect().right}`),
      width,
    )
    assert.deepEqual(out, [])
    if (height > 600) return
    await page.setViewportSize({ width, height })
    await changed(page)
    const cut = await page.evaluate(() =>
      everything(document)
        .filter((one) => {
          const { overflowX, textOverflow } = getComputedStyle(one)
          return (
            ['hidden', 'clip'].includes(overflowX) &&
            textOverflow !== 'ellipsis' &&
            one.clientWidth > 1 &&
            one.scrollWidth > one.clientWidth + 1 &&
            one.checkVisibility({ opacityProperty: true })
          )
        })
        .map(
          (one) =>
            `${one.getRootNode().host?.localName} ${one.localName}.${one.className}: ${one.scrollWidth} of ${one.clientWidth}`,
        ),
    )
    assert.deepEqual(cut, [], 'what is cut off and cannot be scrolled')
    const { places, ...faults } = await byKeyboard(page)
    assert.ok(places > 150, `${places} places`)
    assert.deepEqual(faults, { unseen: [], unreached: [] })
  })
}
