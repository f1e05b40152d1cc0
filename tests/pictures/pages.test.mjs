// Every page looks as it did: compared with baselines that `npm test -- pictures --accept` draws anew, and nothing else
// does. What is compared are pixels, so that only a machine with the same Chromium and the same fonts can: any other
// skips this, and says why.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'
import { chromium } from 'playwright-core'
import { readPng, writePng } from '../../js/scripts/pictures/palette.mjs'
import { launchOptions, openStage, startHost } from '../../js/scripts/pictures/stage.mjs'
import { browser as findBrowser } from '../../js/scripts/setup.mjs'
import { shots } from './shots.mjs'

const folder = fileURLToPath(new URL('./', import.meta.url))
const found = fileURLToPath(new URL('../../build/screenshots/', import.meta.url))
const accept = process.env.SLUICE_ACCEPT === '1'
const MOST_DIFFERENT = 0.0002 // a word of a page; what differs from run to run is a tenth of it
const MOST_BYTES = 2_500_000

/**
 * Drawn without anything of ours: a machine that draws these letters and controls as another does draws all of it so.
 */
const sample = `<body style="font: 15px system-ui; margin: 8px; width: 600px">
  ${['system-ui', 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace', '"Noto Sans CJK SC", sans-serif', 'math', 'serif'].map((font) => `<p style='font-family: ${font}'>Rain at four, <b>Quick</b> <i>fox</i> 0123 记得带伞，<b>周六</b>。שלום ✓ → … 😀</p>`).join('')}
  <select><option>One</select> <input type="checkbox" checked> <input type="radio"> <progress value="0.4"></progress> <button>Allow</button>`

let browser
let drawnBy
let other

before(async () => {
  browser = await chromium.launch(launchOptions(findBrowser()))
  const file = join(folder, 'drawn-by.json')
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const page = await browser.newPage({ viewport: { width: 640, height: 400 } })
  await page.setContent(sample)
  // A page that is drawn for the first time may lack a glyph for a moment.
  for (let tries = 0; tries < 10 && (drawnBy === undefined || drawnBy.sample !== before.sample); tries++) {
    await page.evaluate(() => document.fonts.ready)
    drawnBy = {
      chromium: browser.version(),
      sample: createHash('sha256')
        .update(readPng(await page.screenshot()).data)
        .digest('hex'),
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await page.close()
  if (!existsSync(file)) other = 'no baselines were drawn yet: `npm test -- pictures --accept` draws them'
  else if (before.chromium !== drawnBy.chromium)
    other = `the baselines were drawn by Chromium ${before.chromium}, this is ${drawnBy.chromium}`
  else if (before.sample !== drawnBy.sample)
    other = 'the baselines were drawn with other fonts, or by another build of Chromium'
  if (accept) {
    writeFileSync(file, `${JSON.stringify(drawnBy, null, 2)}\n`)
    for (const name of readdirSync(folder))
      if (name.endsWith('.png') && !shots.some((shot) => `${shot.name}.png` === name)) rmSync(join(folder, name))
  }
})
after(() => browser?.close())

/** Different pixels, as a share of all; 1 where the size is another. `threshold`: how much another a colour may be. */
function compare(actual, expected, threshold = 0.1) {
  const { width, height } = actual
  if (width !== expected.width || height !== expected.height) return { share: 1, difference: actual }
  const difference = new PNG({ width, height })
  return {
    share: pixelmatch(actual.data, expected.data, difference.data, width, height, { threshold }) / (width * height),
    difference,
  }
}

/** In as few colours as do not show, not even to eyes. */
function small(picture) {
  for (const colours of [32, 64, 128]) {
    const bytes = writePng(picture, colours)
    const drawn = readPng(bytes)
    if (compare(picture, drawn).share === 0 && compare(picture, drawn, 0.03).share <= 0.001) return bytes
  }
  return writePng(picture)
}

async function draw({ host, path, look, act, clip }) {
  const process = await startHost(host) // each begins at the same moment
  const stage = await openStage(browser, process, { path, reducedMotion: 'reduce', deviceScaleFactor: 0.75, ...look })
  try {
    await act(stage)
    await stage.page.evaluate(() => document.fonts.ready)
    const box = clip ? await stage.page.locator(clip).boundingBox() : { x: 0, y: 0, ...look.viewport }
    const picture = readPng(
      await stage.page.screenshot({
        clip: { ...box, height: Math.ceil(box.height) },
        caret: 'hide',
        animations: 'disabled',
      }),
    )
    assert.deepEqual(stage.faults, [], 'errors in the page')
    return picture
  } finally {
    await stage.close()
    process.close()
  }
}

// Two at a time: while one waits for its host, the other draws.
describe('every page looks as it did', { concurrency: 2 }, () => {
  for (const shot of shots) {
    test(`${shot.name} looks as it did`, async (t) => {
      if (other && !accept) return t.skip(other)
      const file = join(folder, `${shot.name}.png`)
      const actual = await draw(shot)
      const expected = existsSync(file) ? readPng(readFileSync(file)) : undefined
      const { share, difference } = expected ? compare(actual, expected) : { share: 1, difference: actual }
      if (share <= MOST_DIFFERENT) return
      if (accept) return writeFileSync(file, small(actual))
      mkdirSync(found, { recursive: true })
      for (const [name, picture] of Object.entries({ actual, expected, diff: difference }))
        if (picture) writeFileSync(join(found, `${shot.name}-${name}.png`), PNG.sync.write(picture))
      assert.fail(
        `${expected ? `${(share * 100).toFixed(2)} % of the pixels differ` : 'there is no baseline'}: see build/screenshots/${shot.name}-*.png; \`npm test -- pictures --accept\` takes what is there now`,
      )
    })
  }
})

test('the baselines are few and small, and each is compared', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.png'))
  assert.deepEqual(
    files.filter((name) => !shots.some((shot) => `${shot.name}.png` === name)),
    [],
  )
  assert.equal(new Set(shots.map(({ name }) => name)).size, shots.length)
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`)
})
