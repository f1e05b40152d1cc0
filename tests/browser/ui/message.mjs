// Pages with one message, and what is seen of it and answered there.
import { until, useBrowser } from '../support.mjs'
import { usePages } from './server.mjs'

export const browser = useBrowser()
export const pages = usePages()

export async function open(t, options) {
  const page = await browser.page(t, options)
  await page.goto(`${pages.url}/page.html`)
  await page.waitForFunction(() => window.ready)
  return page
}

/** A page with one live message, `window.live`, shown by `window.element`; `script` makes the first deltas. */
export async function message(t, script, { properties = {}, ...options } = {}) {
  const page = await open(t, options)
  await page.evaluate((given) => {
    window.live = new Live()
    window.element = show(live, given)
  }, properties)
  if (script) await page.evaluate(script)
  await page.evaluate(() => frames(2))
  return page
}

/** Until every button of that name is active: each question has a clock of its own, and the focus is on one of them. */
export const armed = (page, name) =>
  until(async () => {
    const [on, off] = await Promise.all(
      [false, true].map((disabled) => page.getByRole('button', { name, disabled }).count()),
    )
    return on > 0 && off === 0
  }, `"${name}" to become active`)
export const answers = (page) => page.evaluate(() => live.answers)
/** What one sees of the first element that fits, line by line. */
export const text = (page, selector = 'sluice-message') =>
  page.evaluate((selector) => seen(document.querySelector(selector)), selector)
