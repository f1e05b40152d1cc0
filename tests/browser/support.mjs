// What the browser tests share: Chromium, pages that report what went wrong in them, pictures.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { browser as findBrowser } from '../../js/scripts/setup.mjs'
export { until } from '../js/until.mjs'

// The last list of features counts: these are Playwright's, and the popups of the address bar, two pages more for every
// one of ours.
const features = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
]
export const args = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  `--disable-features=${features}`,
]
// A machine without a graphics card: to play one costs four times what the pages do.
export const drawing = {
  plain: ['--disable-gpu'],
  webgl: ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
}
const pictures = fileURLToPath(new URL('../../build/screenshots/', import.meta.url))

/**
 * One browser for the tests of a file: `const browser = useBrowser()`, then `await browser.page(t, options)`. `webgl`:
 * its pages draw with it. `flags`: of V8.
 */
export function useBrowser({ webgl = false, flags = [] } = {}) {
  let browser
  before(async () => {
    browser = await chromium.launch({
      executablePath: findBrowser(),
      args: [
        ...args,
        ...drawing[webgl ? 'webgl' : 'plain'],
        ...(flags.length > 0 ? [`--js-flags=${flags.join(' ')}`] : []),
      ],
    })
  })
  after(() => browser.close())
  return {
    /**
     * A page in a context of its own. Errors, console errors and refused resources (CSP) fail the test, but for those
     * that match `expected`. `times`: how much faster its clock runs.
     */
    async page(t, { expected = [], times = 1, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 900, height: 700 }, locale: 'en-US', ...options })
      const page = await context.newPage()
      if (times > 1) await page.addInitScript(hurry, times)
      const faults = []
      const fault = (text) => expected.some((pattern) => pattern.test(text)) || faults.push(text)
      page.on('pageerror', (error) => fault(String(error.stack ?? error)))
      page.on('console', (message) => message.type() === 'error' && fault(message.text()))
      t.after(async () => {
        await context.close()
        assert.deepEqual(faults, [], 'errors in the page')
      })
      return page
    },
  }
}

/** Runs in the page before anything of its own: its seconds are the same to it, for less of ours. */
function hurry(times) {
  const { setTimeout, setInterval, performance } = window
  const now = performance.now.bind(performance)
  window.setTimeout = (run, ms = 0, ...rest) => setTimeout(run, ms / times, ...rest)
  window.setInterval = (run, ms = 0, ...rest) => setInterval(run, ms / times, ...rest)
  performance.now = () => now() * times
}

/**
 * Keeps a picture in build/screenshots, for those who want to look: no test looks at it, and to draw it costs as much
 * as many a test.
 */
export async function picture(page, name, options = {}) {
  if (!process.env.SLUICE_PICTURES) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: `${pictures}${name}.png`, ...options })
}
