// The demo's page, and what a person does on it and reads there.
import { startDemo } from '../../../js/demo/web.mjs'
import { startSite } from '../../wasm/site.mjs'
import { until, useBrowser } from '../../browser/support.mjs'

const browser = useBrowser()
const wide = { viewport: { width: 1280, height: 800 } }

export async function open(t, { expected, demo: options, path = '/', pages = 1, ...more } = {}) {
  // Where motion is not what is looked at, a pet that stands still leaves the machine to the rest.
  const settings = { ...wide, reducedMotion: 'reduce', ...(expected ? { expected } : {}), ...more }
  const [page, other] = await Promise.all(Array.from({ length: pages }, () => browser.page(t, settings)))
  const demo = process.env.SLUICE_SITE
    ? await startPage(t, process.env.SLUICE_SITE, options)
    : await startDemo({ delayMs: 0, live2d: false, ...options })
  t.after(() => demo.close?.())
  await go(page, demo, path)
  return { page, other, demo }
}

/** The static page of `npm run build:site` in this folder: no server of ours is behind it. */
async function startPage(t, folder, { delayMs = 0, settings = {} } = {}) {
  const origin = await startSite(t, { roots: { '/': folder }, policyOf: () => undefined })
  return { url: `${origin}/?${new URLSearchParams({ scripted: '', delayMs, settings: JSON.stringify(settings) })}` }
}

export async function go(page, demo, path = '/') {
  await page.goto(demo.url.replace('/?', `${path}${path.includes('?') ? '&' : '?'}`))
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
}

/** Asks, and waits for the answer to begin. */
export async function ask(page, act) {
  const before = await answers(page).count()
  await act()
  await until(async () => (await answers(page).count()) > before, 'an answer')
}
export const scene = (page, id) =>
  ask(page, async () => {
    const seen = page.locator(`[data-scene=${id}]:visible`).first()
    if ((await seen.count()) === 0) await page.getByRole('button', { name: /^(Scenes|场景)$/ }).click()
    await seen.click()
  })
export const say = (page, text) =>
  ask(page, async () => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
  })
/** The last answer is over, and on the page. */
export async function idle(page) {
  await last(page).evaluate(async (element) => {
    const late = new Promise((_, reject) =>
      setTimeout(() => reject(new Error('the end of the answer: waited 30 s')), 30_000),
    )
    await Promise.race([element.message.done, late])
  })
  await page.waitForSelector('#chat[data-state=idle]')
  await last(page).evaluate(
    (element) => new Promise((done) => requestAnimationFrame(() => done(element.updateComplete))),
  )
}
export const answers = (page) => page.locator('sluice-message')
export const last = (page) => answers(page).last()
export const cards = (page) => last(page).locator('sluice-card')
export const statuses = (page) =>
  last(page).evaluate((element) =>
    element.message
      .getSnapshot()
      .blocks.filter(({ type }) => type === 'tool_use')
      .map((card) => `${card.name ?? card.askedName} ${card.status}`),
  )
export const expression = (page) => page.locator('#pet [data-expression]').getAttribute('data-expression')
export const question = (page) => page.locator('sluice-questions sluice-approval')
export const button = (page, name) => question(page).getByRole('button', { name, exact: true })
/** A page of the drawer. */
export async function settings(page, tab) {
  const drawer = page.locator('#drawer')
  if (!(await drawer.isVisible())) await page.locator('#settings').click()
  if (tab) await drawer.getByRole('tablist').first().getByRole('tab', { name: tab, exact: true }).click()
  return drawer
}
/** Switches as the host has them. */
export const switches = (page) =>
  page.evaluate(async () => (await document.querySelector('#talk').client.configuration()).settings)
/** What one reads in an element, through its shadow roots. */
export const read = (locator) =>
  locator.evaluate(function text(node) {
    if (node.nodeType === 3) return node.data
    if (node.nodeType === 1 && (node.localName === 'style' || node.hidden)) return ''
    return [...(node.shadowRoot ?? node).childNodes].map(text).join(node.shadowRoot ? ' ' : '')
  })
/** What the live regions of the chat say; those of questions are theirs. */
export const told = (page) =>
  page.locator('#chat').evaluate(function regions(node) {
    if (node.localName === 'sluice-message') return []
    const own =
      node.matches('[role=status], [role=alert], [aria-live]') && node.checkVisibility()
        ? [node.textContent.trim()].filter(Boolean)
        : []
    return [...own, ...[...(node.shadowRoot ?? node).children].flatMap(regions)]
  })
/** What somebody wrote, and what was answered, from the first to the last. */
export const log = (page) =>
  page
    .locator('sluice-entry')
    .evaluateAll((all) => all.map(({ entry, message }) => entry.text ?? message.getSnapshot().blocks[0]?.text))
/** The name of what has the focus. */
export const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element?.textContent?.trim() || element?.getAttribute('aria-label') || element?.id
  })
/** Text and cards of the last answer, in the order in which they stand. */
export const shape = (page) =>
  last(page).evaluate((element) =>
    element.message.getSnapshot().blocks.map((block) => (block.type === 'tool_use' ? block.name : block.type)),
  )

/** Clicks when the button takes clicks: questions are armed after a moment. */
export async function decide(page, name, at = button(page, name)) {
  await at.scrollIntoViewIfNeeded() // what cannot be seen is not armed
  await at.and(page.locator('[aria-disabled=false]')).click()
}

/** What the first answer was whenever it changed: by the store, and by what stood on the page. */
export async function record(page) {
  await page.evaluate(() => {
    window.seen = { store: [], page: [] }
    const textOf = (blocks) => blocks.map((block) => block.text ?? '').join('')
    const deep = (names) => names.reduce((root, name) => root?.querySelector(name)?.shadowRoot, document)
    const begin = () => {
      const element = deep(['#talk', 'sluice-thread', 'sluice-entry + sluice-entry'])?.querySelector('sluice-message')
      if (!element?.message) return requestAnimationFrame(begin)
      const live = element.message
      live.subscribe(() => {
        const { blocks, outcome } = live.getSnapshot()
        window.seen.store.push({
          text: textOf(blocks),
          outcome,
          cards: blocks.filter((block) => block.type === 'tool_use').map((card) => card.status),
        })
      })
      const look = () => {
        const texts = [...(element.shadowRoot?.querySelectorAll('[part=text]') ?? [])]
          .map((one) => one.textContent)
          .join('')
        if (texts !== (window.seen.page.at(-1)?.text ?? ''))
          window.seen.page.push({ text: texts, state: document.querySelector('#chat').dataset.state })
        requestAnimationFrame(look)
      }
      look()
    }
    begin()
  })
  return () => page.evaluate(() => window.seen)
}
