// A film of a page: a picture every so often, with a pointer that is seen, and things that happen at their time.
import { readPng } from './palette.mjs'

const FRAME_MS = 100

/** The pointer as a picture, `scale` times its size. */
export async function drawPointer(browser, scale) {
  const page = await browser.newPage({ viewport: { width: 20, height: 28 }, deviceScaleFactor: scale })
  await page.setContent(
    '<body style="margin:0"><svg width="20" height="28" viewBox="0 0 20 28"><path d="M2 2v20l5-4 3.4 7.600 3.600-1.600-3.400-7.400 6.400-.6z" fill="#111" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/></svg>',
  )
  const picture = readPng(await page.screenshot({ omitBackground: true }))
  await page.close()
  return picture
}

/** Lays a picture over another at a place; what is outside is left out. */
export function lay(over, under, left, top) {
  for (let y = Math.max(0, -top); y < over.height && y + top < under.height; y++) {
    for (let x = Math.max(0, -left); x < over.width && x + left < under.width; x++) {
      const from = (y * over.width + x) * 4
      const alpha = over.data[from + 3]
      if (alpha === 0) continue
      const to = ((y + top) * under.width + x + left) * 4
      for (let part = 0; part < 3; part++)
        under.data[to + part] = Math.round(
          (over.data[from + part] * alpha + under.data[to + part] * (255 - alpha)) / 255,
        )
    }
  }
}

/** Slow, quick, slow: between 0 and 1. */
const eased = (share) => (share < 0.5 ? 2 * share ** 2 : 1 - 2 * (1 - share) ** 2)

/** Where something is that goes from place to place: `[[ms, x, y], …]`. */
export function placeAt(way, ms) {
  const next = way.findIndex(([at]) => at > ms)
  if (next < 0) return way.at(-1).slice(1)
  if (next === 0) return way[0].slice(1)
  const [[from, x, y], [to, left, top]] = [way[next - 1], way[next]]
  const share = eased((ms - from) / (to - from))
  return [Math.round(x + (left - x) * share), Math.round(y + (top - y) * share)]
}

/**
 * Makes a film of `ms` milliseconds; its last frame is shown for `lastMs` of them. `steps` is `[[ms, act], …]`: each
 * `act` is called when its time has come. `draw(ms, picture)` returns the frame for a picture of the page.
 */
export async function film(stage, { ms, lastMs, steps, draw, transparent = false }) {
  const frames = []
  const waiting = [...steps]
  for (let at = 0; at <= ms - lastMs; at += FRAME_MS) {
    while (waiting[0]?.[0] <= at) await waiting.shift()[1](at)
    await stage.pass(FRAME_MS)
    const picture = readPng(await stage.page.screenshot({ caret: 'hide', omitBackground: transparent }))
    frames.push({ picture: draw(at, picture), ms: FRAME_MS })
  }
  frames.at(-1).ms = lastMs
  return frames
}
