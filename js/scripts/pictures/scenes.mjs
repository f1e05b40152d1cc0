// The pictures of the README, each in a scheme: what is shown, and what happens in it.
import { drawPointer, film, lay, placeAt } from './film.mjs'
import { drawEditor } from './editor.mjs'
import { readPng, writeGif, writePng } from './palette.mjs'
import { openStage, startHost } from './stage.mjs'

const WIDTH = 720

/** Opens a page on a host of its own for as long as `use` takes. */
async function onStage(browser, what, hostOptions, pageOptions, use) {
  const host = await startHost(what, hostOptions)
  const stage = await openStage(browser, host, pageOptions)
  try {
    const given = await use(stage)
    if (stage.faults.length > 0) throw new Error(stage.faults.join('\n'))
    return given
  } finally {
    await stage.close()
    host.close()
  }
}

/** Where to point at it. */
const centre = async (locator) => {
  await locator.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const { x, y, width, height } = await locator.boundingBox()
  return [Math.round(x + width / 2), Math.round(y + height / 2)]
}

/** One turn in one message: a card, a question, Allow, and the text goes on. */
async function turn(browser, scheme) {
  const viewport = { width: 960, height: 620 }
  const scale = WIDTH / viewport.width
  const pointer = await drawPointer(browser, scale)
  return await onStage(
    browser,
    'demo',
    { delayMs: 36 },
    { viewport, deviceScaleFactor: scale, colorScheme: scheme, motion: true },
    async (stage) => {
      const { page } = stage
      await stage.arrive(() => page.evaluate(() => 'ready' in document.documentElement.dataset), 'the page')
      await stage.pass(600, 100)
      const start = [700, 560]
      let way = [[0, ...start]]
      const allow = page.getByRole('button', { name: 'Allow', exact: true })
      const steps = [
        [0, async () => page.mouse.click(...(await centre(page.locator('[data-scene=umbrella]:visible').first())))],
        [
          3700,
          async (at) =>
            (way = [
              [at, ...start],
              [at + 700, ...(await centre(allow))],
            ]),
        ],
        [4600, async () => page.mouse.click(...(await centre(allow)))],
        [
          5100,
          (at) =>
            (way = [
              [at, ...placeAt(way, at)],
              [at + 500, ...start],
            ]),
        ],
      ]
      const frames = await film(stage, {
        ms: 8000,
        lastMs: 1000,
        steps,
        draw: (at, picture) => {
          const [x, y] = placeAt(way, at)
          lay(pointer, picture, Math.round(x * scale), Math.round(y * scale))
          return picture
        },
      })
      return writeGif(frames)
    },
  )
}

/** The pet over an editor: carried, speaking, asking. */
async function desk(browser, scheme) {
  const size = { width: 960, height: 560 }
  const scale = WIDTH / size.width
  const [pointer, editor] = await Promise.all([
    drawPointer(browser, scale),
    drawEditor(browser, { ...size, scale, scheme }),
  ])
  const pet = { width: 320, height: 490 }
  return await onStage(
    browser,
    'pet',
    { delayMs: 20 },
    { viewport: pet, deviceScaleFactor: scale, colorScheme: scheme, locale: 'zh-CN', motion: true },
    async (stage) => {
      const { page } = stage
      await stage.arrive(() => page.evaluate(() => 'ready' in document.documentElement.dataset), 'the page')
      await stage.pass(600, 100)
      const hold = [160, 310] // where it is held
      const away = [250, 450]
      const way = [
        [0, 330, 70],
        [200, 330, 70],
        [900, 620, 70],
      ]
      let hand = [[0, ...hold]]
      const allow = page.getByRole('button', { name: '允许', exact: true })
      const steps = [
        [
          100,
          async () => {
            await page.mouse.move(...hold)
            await page.mouse.down()
            await page.mouse.move(hold[0] + 8, hold[1])
          },
        ],
        [
          900,
          async () => {
            await page.mouse.up()
            void page.evaluate(() => window.ask('告诉小林我会晚到十分钟。'))
          },
        ],
        [
          1000,
          (at) =>
            (hand = [
              [at, ...hold],
              [at + 400, ...away],
            ]),
        ],
        [
          2300,
          async (at) =>
            (hand = [
              [at, ...away],
              [at + 500, ...(await centre(allow))],
            ]),
        ],
        [2900, async () => page.mouse.click(...(await centre(allow)))],
        [
          3100,
          (at) =>
            (hand = [
              [at, ...placeAt(hand, at)],
              [at + 400, ...away],
            ]),
        ],
      ]
      const frames = await film(stage, {
        ms: 5000,
        lastMs: 800,
        steps,
        transparent: true,
        draw: (at, picture) => {
          const under = { ...editor, data: Buffer.from(editor.data) }
          const [left, top] = placeAt(way, at)
          lay(picture, under, Math.round(left * scale), Math.round(top * scale))
          const [x, y] = placeAt(hand, at)
          lay(pointer, under, Math.round((left + x) * scale), Math.round((top + y) * scale))
          return under
        },
      })
      return writeGif(frames)
    },
  )
}

/** A part of the gallery. */
const gallery =
  (only, { width = WIDTH, scale = 1, clip, height = 1200 }) =>
  (browser, scheme) =>
    onStage(
      browser,
      'gallery',
      {},
      {
        path: `/?only=${only}&lang=en`,
        viewport: { width, height },
        deviceScaleFactor: scale,
        colorScheme: scheme,
        reducedMotion: 'reduce',
      },
      async (stage) => {
        const { page } = stage
        await stage.until(
          () =>
            page.evaluate(
              () =>
                document.querySelectorAll('.stage').length > 0 &&
                [...document.querySelectorAll('.stage')].every((one) => 'ready' in one.dataset),
            ),
          'the states',
        )
        await stage.pass(1800, 300)
        return writePng(
          readPng(await page.screenshot({ clip: await clip(page), caret: 'hide', animations: 'disabled' })),
          64,
        )
      },
    )

/** Around an element, with some room. */
const around = (selector, room) => async (page) => {
  const { x, y, width, height } = await page.locator(selector).boundingBox()
  return { x: x - room, y: y - room, width: width + 2 * room, height: Math.ceil(height) + 2 * room }
}

/** Four candidates that are no calls, and why, beside one that is. */
async function reasons(browser, scheme) {
  const viewport = { width: 1080, height: 1600 }
  return await onStage(
    browser,
    'tester',
    {},
    { viewport, colorScheme: scheme, reducedMotion: 'reduce' },
    async (stage) => {
      const { page } = stage
      await stage.arrive(() => page.getByRole('tab').count(), 'the page')
      await page.getByRole('tab', { name: 'Parse' }).dispatchEvent('click')
      await stage.pass(400)
      const block = (fields) => `<<<[TOOL_REQUEST]>>>\n${fields}\n<<<[END_TOOL_REQUEST]>>>`
      const lines = [
        'Let me look at the sky.',
        block('tool_name:「始」weather.now「末」,\ncity:「始」Hangzhou「末」'),
        'A call begins with `<<<[TOOL_REQUEST]>>>`.',
        block('tool_name:「始」notes.add「末」,\ntext:「始」bring an umbrella,\nwhen:「始」four「末」'),
        block('city:「始」Hangzhou「末」'),
        '<<<[TOOL_REQUEST]>>>\ntool_name:「始」notes.add「末」,\ntext:「始」and a coa',
      ]
      await page.locator('#answer').fill(`${lines.join('\n')}\n`)
      await page.locator('#answer').evaluate((field) => {
        field.blur()
        field.scrollTop = 0
      })
      await stage.pass(1600, 400)
      const height = await page.evaluate(() => document.querySelector('#reasons').getBoundingClientRect().bottom + 6)
      return writePng(
        readPng(
          await page.screenshot({
            clip: { x: 0, y: 0, width: viewport.width, height: Math.ceil(height) },
            caret: 'hide',
            animations: 'disabled',
          }),
        ),
        64,
      )
    },
  )
}

/** Name of the file, what makes it, and how large it may be. */
export const pictures = [
  { name: 'turn', kind: 'gif', most: 1_500_000, make: turn },
  { name: 'desk', kind: 'gif', most: 1_200_000, make: desk },
  {
    name: 'question',
    kind: 'png',
    most: 120_000,
    make: gallery('attack', { scale: 2, clip: around('#attack sluice-approval', 4) }),
  },
  {
    name: 'states',
    kind: 'png',
    most: 150_000,
    make: gallery('cards', { width: 1080, clip: around('main .scenes', 16) }),
  },
  {
    name: 'answer',
    kind: 'png',
    most: 60_000,
    make: gallery('sources,made', { width: 960, scale: 1.5, clip: around('main .scenes', 8) }),
  },
  { name: 'reasons', kind: 'png', most: 150_000, make: reasons },
]
