// A question that a person cannot read takes no approval: whatever hides it, and whatever clicks would meet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './support.mjs'
import { answers, message } from './ui/message.mjs'

/** A layer over the whole window that lets clicks through. The policy of the page allows no styles in its markup. */
const layer = (style, html = '<div class="layer"></div>') => ({
  html,
  page: `.layer { position: fixed; inset: 0; z-index: 9; width: 900px; height: 700px; pointer-events: none; ${style} }`,
})

/**
 * Ways to hide a question. `html` is added to the page, `css` is the style of the box around the question, `page` are
 * rules of the page.
 */
const hides = {
  'a white layer that lets clicks through': layer('background: #fff'),
  'a white layer that takes clicks': layer('background: #fff; pointer-events: auto'),
  'a canvas, also one that nothing was drawn on': layer('', '<canvas class="layer"></canvas>'),
  'a picture': layer('', '<img class="layer" alt="">'),
  'a drawing': layer('', '<svg class="layer" viewBox="0 0 9 7"><rect width="9" height="7" fill="white"/></svg>'),
  'a layer that blurs what is below': layer('backdrop-filter: blur(20px)'),
  'a layer in a shadow root': layer('background: #fff', '<div class="shadow"></div>'),
  'what a rule draws before an empty layer': layer(
    '} .layer::before { content: ""; position: absolute; inset: 0; background: #fff',
  ),
  blur: { css: 'filter: blur(9px)' },
  'no brightness': { css: 'filter: brightness(0)' },
  'opacity, of two elements together': { css: 'opacity: .6', page: 'body { opacity: .6 }' },
  'a mask': { css: 'mask-image: linear-gradient(transparent, transparent)' },
  'a path that clips all': { css: 'clip-path: circle(0)' },
  scale: { css: 'transform: scale(.05)' },
  zoom: { css: 'zoom: .3' },
  'small text': { css: '--sluice-font-size: 1px; font-size: 1px', page: 'sluice-approval { font-size: 1px }' },
}

/** The same for pages whose questions can be read. */
const leaves = {
  'an opacity that leaves it readable': { css: 'opacity: .9' },
  'a filter that turns light into dark': { css: 'filter: invert(1) hue-rotate(180deg)' },
  'a shadow of its own': { css: 'filter: drop-shadow(0 0 4px #000)' },
  'glass below it': { css: 'backdrop-filter: blur(8px)' },
  'a size a little smaller': { css: 'transform: scale(.95)' },
  'an animation that came to its end': {
    css: 'animation: come .2s ease-out both',
    page: '@keyframes come { from { opacity: 0; translate: 0 5px; filter: blur(4px) } to { filter: blur(0) } }',
  },
  'an animation that goes on': {
    css: 'animation: breathe 1s infinite',
    page: '@keyframes breathe { 50% { filter: drop-shadow(0 0 4px #00f) } }',
  },
  'round corners': { css: 'border-radius: 16px; overflow: hidden' },
  'an empty layer, as for notices': layer('inset: 16px'),
  'a layer that is not shown': layer('background: #fff; opacity: 0'),
  'a layer below': layer('background: #eee; z-index: -1'),
  'the shadow of a neighbour': layer('inset: auto 0 0; height: 10px; box-shadow: 0 0 0 690px rgb(0 0 0 / .02)'),
  'a dark page': { page: ':root { color-scheme: dark }' },
}

/** A page with one question. `hide` and `show` change what is around it. */
async function ask(t, first) {
  const page = await message(t, undefined, { properties: { armMs: 60 }, times: 5 })
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    document.adoptedStyleSheets.push(sheet)
    window.hide = ({ html = '', css = '', page = '' }) => {
      sheet.replaceSync(`#stage { ${css} } ${page}`)
      document.body.insertAdjacentHTML('beforeend', `<div id="over">${html}</div>`)
      const root = document.querySelector('.shadow')?.attachShadow({ mode: 'open' })
      root?.adoptedStyleSheets.push(sheet)
      root?.append(Object.assign(document.createElement('div'), { className: 'layer' }))
    }
    window.reveal = () => {
      sheet.replaceSync('')
      document.querySelector('#over').remove()
    }
    window.part = (selector) =>
      ['sluice-message', 'sluice-card', 'sluice-approval']
        .reduce((root, name) => root?.querySelector(name)?.shadowRoot, document)
        ?.querySelector(selector)
  })
  if (first) await page.evaluate((first) => hide(first), first)
  await page.evaluate(() => live.push(...asking(0, 'shell.run', { command: 'echo ok' })))
  return page
}

const becomes = (page, off, what) =>
  until(() => page.evaluate((off) => part('.approve')?.ariaDisabled === off, off), what)
const says = (page, words) =>
  until(() => page.evaluate((words) => part('.missing')?.textContent.trim() === words, words), `"${words}"`)

test('a question that is hidden after its buttons were armed takes no approval until it is seen again', async (t) => {
  const page = await ask(t)
  for (const [name, how] of Object.entries(hides)) {
    await becomes(page, 'false', `the buttons to be armed before: ${name}`)
    await page.evaluate((how) => hide(how), how)
    await becomes(page, 'true', `the buttons to be off: ${name}`)
    await page.evaluate(() => part('.approve').click())
    await page.evaluate(() => reveal())
  }
  assert.deepEqual(await answers(page), [])
  await becomes(page, 'false', 'the buttons to be armed in the end')
  await page.evaluate(() => part('.approve').click())
  assert.deepEqual(await answers(page), [['approve', 't1']])
})

for (const [name, how] of Object.entries(leaves)) {
  test(`a question that can be read takes an approval: ${name}`, async (t) => {
    const page = await ask(t, how)
    await becomes(page, 'false', 'the buttons to be armed')
    await page.evaluate(() => part('.approve').click())
    assert.deepEqual(await answers(page), [['approve', 't1']])
  })
}

test('lines below a layer were not seen; the question says that something hides it', async (t) => {
  const page = await ask(t, layer('background: #fff'))
  await says(page, 'Something hides the question')
  await page.evaluate(() => (document.documentElement.lang = 'zh'))
  await says(page, '问题被遮住了')
  await page.evaluate(() => (document.documentElement.lang = 'en'))
  const { top, height } = await page.evaluate(() => part('.scroll').getBoundingClientRect().toJSON())
  await page.evaluate(
    (how) => {
      reveal()
      hide(how)
    },
    layer(`background: #fff; top: ${top}px; height: ${height}px`),
  )
  await says(page, '2 lines not seen ↓')
  assert.equal(await page.evaluate(() => part('.approve').ariaDisabled), 'true')
  await page.evaluate(() => reveal())
  await becomes(page, 'false', 'the buttons to be armed once the line was seen')
})

test('buttons below several questions take no approval below a layer, and say so', async (t) => {
  const page = await message(
    t,
    () => live.push(...asking(0, 'shell.run', { command: 'a' }), ...asking(1, 'shell.run', { command: 'b' })),
    { properties: { armMs: 60 } },
  )
  const bar = (selector) =>
    page.evaluate((selector) => {
      const found = document.querySelector('sluice-message').shadowRoot.querySelector(selector)
      return found && [found.ariaDisabled, found.textContent]
    }, selector)
  await until(async () => (await bar('.approve-all'))?.[0] === 'false', 'all to be armed')
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('#over { position: fixed; inset: 0; background: #fff; pointer-events: none }')
    document.adoptedStyleSheets.push(sheet)
    document.body.append(Object.assign(document.createElement('div'), { id: 'over' }))
  })
  await until(async () => (await bar('.approve-all'))[0] === 'true', 'all to be off')
  await until(async () => (await bar('.all > .what + .what'))?.[1] === 'Something hides the question', 'the reason')
})
