// Comments of the model on its work are folded, and each message of an answer is a paragraph of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './support.mjs'
import { message, open, text } from './ui/message.mjs'

const LABEL = 'Note while working'
const lines = async (page) => (await text(page)).split('\n').filter(Boolean)

test('a comment is folded from its first word; the keyboard opens it, typeset', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'One **mo', phase: 'commentary' }))
  assert.deepEqual(await lines(page), [LABEL])
  await page.evaluate(async () => {
    live.push(
      { type: 'text', block: 0, text: 'ment**.', phase: 'commentary' },
      { type: 'text', block: 1, text: 'It rains.', phase: 'final_answer' },
      { type: 'done', outcome: 'completed' },
    )
    await frames(2)
  })
  assert.deepEqual(await lines(page), [LABEL, 'It rains.'])
  assert.equal(await page.locator('.commentary .thoughts *').count(), 0, 'nothing is drawn that nobody sees')
  await page.locator('.commentary summary').focus()
  await page.keyboard.press('Enter')
  await page.locator('.commentary strong', { hasText: 'moment' }).waitFor()
  assert.deepEqual(await lines(page), [LABEL, 'One moment.', 'It rains.'])
  await page.keyboard.press('Space')
  await until(async () => (await lines(page)).length === 2, 'that it is closed again')
})

test('a screen reader meets a closed group with its label, and the end reads out the answer alone', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'One moment.', phase: 'commentary' }))
  await page.evaluate(async () => {
    live.push(
      { type: 'text', block: 1, text: 'It rains.', phase: 'final_answer' },
      { type: 'done', outcome: 'completed' },
    )
    await frames(2)
  })
  const tree = await page.locator('sluice-message').ariaSnapshot()
  assert.match(tree, new RegExp(LABEL))
  assert.doesNotMatch(tree, /One moment/)
  assert.match(tree, /It rains/)
  const said = await page.getByRole('status').first().textContent()
  assert.match(said, /It rains\./)
  assert.doesNotMatch(said, /One moment/)
})

test('text that turns out to be a comment folds then, also after the next message began', async (t) => {
  for (const late of ['at its end', 'after the next message']) {
    const page = await message(t, () => live.push({ type: 'text', block: 0, text: 'One moment.' }))
    assert.deepEqual(await lines(page), ['One moment.'])
    await page.evaluate(async (late) => {
      const phase = { type: 'text', block: 0, text: '', phase: 'commentary' }
      const next = { type: 'text', block: 1, text: 'It rains.' }
      live.push(...(late === 'at its end' ? [phase, next] : [next, phase]))
      await frames(2)
    }, late)
    assert.deepEqual(await lines(page), [LABEL, 'It rains.'], late)
    await page.getByText(LABEL).click()
    await page.getByText('One moment.', { exact: true }).waitFor()
  }
})

test('messages without a phase, and final answers, are shown as paragraphs of their own', async (t) => {
  for (const phase of [undefined, 'final_answer']) {
    const page = await message(t)
    await page.evaluate(async (phase) => {
      const marks = phase ? { phase } : {}
      live.push(
        { type: 'text', block: 0, text: 'One moment.', ...marks },
        { type: 'text', block: 1, text: 'It rains.', ...marks },
        { type: 'done', outcome: 'completed' },
      )
      await frames(2)
    }, phase)
    assert.deepEqual(await lines(page), ['One moment.', 'It rains.'])
    assert.equal(await page.locator('.folded').count(), 0)
  }
})

test('a comment alone, and a message that a later one repeats', async (t) => {
  const alone = await message(t, () =>
    live.push(
      { type: 'text', block: 0, text: 'One moment.', phase: 'commentary' },
      { type: 'done', outcome: 'completed' },
    ),
  )
  assert.deepEqual(await lines(alone), [LABEL])
  const twice = await message(t, () =>
    live.push(
      { type: 'text', block: 0, text: 'It rains.' },
      { type: 'text', block: 1, text: 'It rains.' },
      { type: 'retracted', blocks: [0] },
    ),
  )
  assert.deepEqual(await lines(twice), ['Answer taken back', 'It rains.'])
})

test('the label is in the language of the page, and a saved message is folded as well', async (t) => {
  const page = await open(t)
  await page.evaluate(async () => {
    document.documentElement.lang = 'zh-CN'
    const element = document.createElement('sluice-message')
    element.view = {
      role: 'assistant',
      outcome: 'completed',
      rounds: 1,
      blocks: [
        { type: 'text', round: 1, text: '稍等。', phase: 'commentary' },
        { type: 'text', round: 1, text: '下雨了。', phase: 'final_answer', apart: true },
      ],
    }
    document.body.append(element)
    await frames(3)
  })
  assert.deepEqual(await lines(page), ['工作中的说明', '下雨了。'])
})

test('the fold can be read in light and in dark', async (t) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await message(
      t,
      () =>
        live.push(
          { type: 'text', block: 0, text: 'One moment.', phase: 'commentary' },
          { type: 'done', outcome: 'completed' },
        ),
      { colorScheme },
    )
    await page.getByText(LABEL).click()
    const contrast = await page.evaluate(() => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
      const light = (colour) => {
        canvas.clearRect(0, 0, 1, 1)
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
          part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      const style = getComputedStyle(element.renderRoot.querySelector('.commentary'))
      const [back, ink] = [light(getComputedStyle(document.body).backgroundColor), light(style.color)]
      return (Math.max(back, ink) + 0.05) / (Math.min(back, ink) + 0.05)
    })
    assert.ok(contrast >= 4.5, `${colorScheme}: ${contrast}`)
  }
})
