// The pictures of the README, made from the real pages: the demo with an open question, and the tester with its reasons.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { command, quietly, root, say, Stop } from './run.mjs'
import { browser as findBrowser, setup } from './setup.mjs'

const folder = join(root, 'js/docs/pictures')

await command(async () => {
  await setup({ tests: true, pictures: true })
  const executablePath = findBrowser()
  if (!executablePath) throw new Stop('no Chromium was found; $SLUICE_CHROMIUM may name one')
  mkdirSync(folder, { recursive: true })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    await takeTurn(browser)
    await takeReasons(browser)
  } finally {
    await browser.close()
  }
  await quietly('making the files smaller', 'optipng', ['-quiet', '-o5', ...['turn', 'reasons'].map((name) => join(folder, `${name}.png`))])
  say(`made ${folder}`)
})

async function open(browser, { width, height }, url) {
  const context = await browser.newContext({ viewport: { width, height }, locale: 'en-US', reducedMotion: 'reduce', colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** A question in mid-turn: a call that ran, the text behind it, and what a person must decide. */
async function takeTurn(browser) {
  const { startDemo } = await import('../demo/web.mjs')
  const demo = await startDemo({ delayMs: 0, live2d: false })
  try {
    const page = await open(browser, { width: 1180, height: 760 }, demo.url)
    await page.waitForSelector('html[data-ready]', { state: 'attached' })
    await page.locator('[data-scene=umbrella]:visible').first().click()
    await page.locator('sluice-approval').getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await page.waitForTimeout(1500) // until the question is armed
    await page.screenshot({ path: join(folder, 'turn.png') })
  } finally {
    await demo.close()
  }
}

/** A pasted answer with a call, a quotation and a broken block, and the reasons beside it. */
async function takeReasons(browser) {
  const { startTester } = await import('../dist/esm/cli/tester.js')
  const { tools } = await import('../demo/tools.mjs')
  const tester = await startTester({ tools })
  try {
    const page = await open(browser, { width: 1180, height: 820 }, tester.url)
    await page.getByRole('tab', { name: 'Parse' }).click()
    const block = (fields) => `<<<[TOOL_REQUEST]>>>\n${fields}\n<<<[END_TOOL_REQUEST]>>>`
    const call = block('tool_name:「始」weather.now「末」,\ncity:「始」Hangzhou「末」')
    const broken = block('tool_name:「始」notes.add「末」,\ntext:「始」bring an umbrella,\nwhen:「始」four「末」')
    await page.locator('#answer').fill(`Let me look at the sky.\n${call}\nA call begins with \`<<<[TOOL_REQUEST]>>>\`.\n${broken}\n`)
    await page.locator('#reasons li').nth(1).waitFor()
    await page.screenshot({ path: join(folder, 'reasons.png'), fullPage: true })
  } finally {
    await tester.close()
  }
}
