// Pictures of 50 MB, and pictures that are none: said in words, nothing is lost, the page goes on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../browser/support.mjs'
import { message } from '../browser/ui/message.mjs'

test('a picture of 50 MB, or one that is none, is refused in words by the composer, and what is written stays', async (t) => {
  const page = await message(t)
  const said = await page.evaluate(async () => {
    const head = Uint8Array.from(
      atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
      (one) => one.charCodeAt(0),
    )
    const file = (name, ...bytes) => new File(bytes, name, { type: 'image/png' })
    const composer = document.createElement('sluice-composer')
    document.querySelector('#stage').append(composer)
    composer.value = 'Look:'
    await composer.updateComplete
    const refused = []
    composer.addEventListener('sluice-refused', ({ detail }) => refused.push([detail.file.name, detail.why]))
    const said = []
    for (const given of [
      file('larger.png', head, new Uint8Array(50_000_000)), // not read at all
      file('large.png', head, new Uint8Array(50_000_000 - head.length)), // a picture of a pixel, and what nobody draws
      file('none.png', head.slice(0, 20), new Uint8Array(49_000_000)),
      file('text.png', new Uint8Array(9_000_000)),
    ]) {
      const data = new DataTransfer()
      data.items.add(given)
      composer.renderRoot
        .querySelector('textarea')
        .dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, composed: true, cancelable: true }),
        )
      await composer.attach([]) // it is read by then
      await composer.updateComplete
      said.push(composer.renderRoot.querySelector('[role=alert]')?.textContent)
    }
    const { value, attachments } = composer
    composer.remove()
    return { said, refused, value, attachments: attachments.length }
  })
  assert.deepEqual(said, {
    said: [
      'larger.png is too large: 10.0 MB go with a message, and it has 50.0 MB.',
      'large.png is too large: 10.0 MB go with a message, and it has 50.0 MB.',
      'none.png cannot be read.',
      'text.png cannot be sent: its type is image/png. Allowed: PNG, JPEG, GIF, WebP, AVIF, text.',
    ],
    refused: [
      ['larger.png', 'size'],
      ['large.png', 'size'],
      ['none.png', 'unreadable'],
      ['text.png', 'type'],
    ],
    value: 'Look:',
    attachments: 0,
  })
})

test('a result with a picture of 50 MB that is none, or of a kind that is not drawn, says so, closed and open', async (t) => {
  const page = await message(t)
  await page.evaluate(async () => {
    const data = `iVBORw0KGgo${'A'.repeat(67_000_000 - 11)}`
    live.push(
      {
        type: 'card',
        block: 0,
        call: 1,
        name: 'screen.shot',
        source: 'native',
        round: 1,
        status: 'success',
        arguments: {},
        output: 'three pictures',
        parts: [
          { type: 'image', mediaType: 'image/png', data },
          { type: 'image', mediaType: 'image/svg+xml', data: 'AAAA' },
          { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        ],
      },
      { type: 'text', block: 1, text: 'It goes on.' },
      { type: 'done', outcome: 'completed' },
    )
    await frames(2)
    window.card = element.renderRoot.querySelector('sluice-card')
  })
  await until(
    () => page.evaluate(() => card.renderRoot.querySelectorAll('.thumb').length === 0),
    'the thumbnails to go',
  )
  await page.evaluate(() => card.renderRoot.querySelector('button').click())
  const facts = () =>
    page.evaluate(() => [...card.renderRoot.querySelectorAll('.facts')].map((one) => one.textContent.trim()))
  await until(async () => (await facts()).length >= 3, 'what is said of the pictures')
  assert.deepEqual(
    (await facts()).filter((one) => one.includes('image')),
    [
      'An image that cannot be shown here, 67,000,000 characters of image/png',
      'An image that cannot be shown here, 4 characters of image/svg+xml',
      'An image that cannot be shown here, 4 characters of image/png',
    ],
  )
  assert.ok(await page.evaluate(() => seen(element).includes('It goes on.')))
})
