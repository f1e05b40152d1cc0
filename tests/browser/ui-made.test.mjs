// Where a text comes from, and pictures and files that a model made: as people see, follow and save them, also where
// what the window was sent is hostile.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { picture, until } from './support.mjs'
import { message, text } from './ui/message.mjs'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'

const push = (page, ...deltas) => page.evaluate((deltas) => live.push(...deltas), deltas)
/** What each line of the list of sources is. */
const lines = (page) =>
  page.evaluate(() =>
    [...element.renderRoot.querySelectorAll('ol.sources > li')].map((line) => {
      const link = line.querySelector('a')
      return {
        text: line.textContent,
        ...(link ? { href: link.getAttribute('href'), target: link.target, rel: link.rel } : {}),
      }
    }),
  )
const untilLines = (page, count) => until(async () => (await lines(page)).length === count, `${count} sources`)

test('sources: a numbered list of links after the text, each page once, with its host and what was quoted', async (t) => {
  for (const [lang, label, colorScheme, forcedColors] of [
    ['en', 'Sources', 'light', 'none'],
    ['zh', '来源', 'dark', 'active'],
  ]) {
    const page = await message(t, undefined, { colorScheme, forcedColors })
    await page.evaluate((lang) => void (document.documentElement.lang = lang), lang)
    const first = { kind: 'web', url: 'https://weather.example/oslo', title: 'Oslo', start: 0, end: 4 }
    await push(page, { type: 'text', block: 0, text: 'Rain all day.' }, { type: 'sources', block: 0, sources: [first] })
    await untilLines(page, 1)
    await push(page, {
      type: 'sources',
      block: 0,
      sources: [
        first,
        { ...first, start: 5, end: 8 },
        { kind: 'web', url: 'http://e.example/' },
        { kind: 'file', title: 'a.pdf', id: 'file-1', cited: 'It rains in Oslo.' },
      ],
    })
    await untilLines(page, 3)
    const outside = { target: '_blank', rel: 'noopener noreferrer' }
    assert.deepEqual(await lines(page), [
      { text: 'Oslo (weather.example)', href: 'https://weather.example/oslo', ...outside },
      { text: 'e.example', href: 'http://e.example/', ...outside },
      { text: 'a.pdfIt rains in Oslo.' },
    ])
    await page.getByRole('list', { name: label }).waitFor()
    const order = await page.evaluate(() =>
      [...element.renderRoot.querySelectorAll('.text, .sources')].map((one) => one.className.split(' ')[0]),
    )
    assert.deepEqual(order, ['text', 'sources'])
    await picture(page, `sources-${lang}`)
  }
})

test('sources: a link has the focus by Tab, and asks before it opens', async (t) => {
  const page = await message(t)
  await push(
    page,
    { type: 'text', block: 0, text: 'Rain.' },
    { type: 'sources', block: 0, sources: [{ kind: 'web', url: 'https://weather.example/oslo', title: 'Oslo' }] },
  )
  await untilLines(page, 1)
  const focused = () => page.evaluate(() => element.renderRoot.activeElement?.getAttribute('href'))
  for (let tabs = 0; tabs < 10 && !(await focused()); tabs++) await page.keyboard.press('Tab')
  assert.equal(await focused(), 'https://weather.example/oslo')
  await push(
    page,
    { type: 'text', block: 0, text: ' All day.' },
    {
      type: 'sources',
      block: 0,
      sources: [
        { kind: 'web', url: 'https://weather.example/oslo', title: 'Oslo' },
        { kind: 'web', url: 'https://b.example/' },
      ],
    },
  )
  await untilLines(page, 2)
  assert.equal(await focused(), 'https://weather.example/oslo', 'more sources leave the focus where it is')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('https://weather.example/oslo').waitFor()
  assert.equal(await dialog.evaluate((one) => getComputedStyle(one).paddingTop), '18px', 'its styles came with it')
})

test('sources: text that only expressions cut keeps the sources of all its blocks; a new message has none', async (t) => {
  const page = await message(t)
  const source = (host) => ({ kind: 'web', url: `https://${host}/` })
  const face = { type: 'card', block: 1, call: 1, name: 'face', status: 'success', silent: true }
  await push(
    page,
    { type: 'text', block: 0, text: 'One. ' },
    { type: 'sources', block: 0, sources: [source('a.example')] },
    face,
    { type: 'text', block: 2, text: 'Two.' },
    { type: 'sources', block: 2, sources: [source('b.example')] },
  )
  await untilLines(page, 2)
  await page.evaluate(() => {
    element.message = Object.assign(new Live(), { id: 'another' })
  })
  await untilLines(page, 0)
})

test('sources: links of other schemes are no links, long titles are cut, and direction marks are shown', async (t) => {
  const page = await message(t)
  await push(
    page,
    { type: 'text', block: 0, text: 'Rain.' },
    {
      type: 'sources',
      block: 0,
      sources: [
        { kind: 'web', url: 'javascript:alert(1)', title: 'script' },
        { kind: 'web', url: 'data:text/html,<b>x', title: 'data' },
        { kind: 'web', url: ' jAvAsCrIpT:alert(1)//https://x.example', title: 'blank' },
        { kind: 'web', url: 'https://', title: 'no host' },
        { kind: 'web', url: 'https://long.example/', title: 'x'.repeat(10_000) },
        { kind: 'web', url: 'https://turned.example/', title: 'abc\u202Etxt.exe' },
        { kind: 'web', url: 'https://html.example/', title: '<img src=x onerror=alert(1)>' },
        { kind: 'web', url: { toString: 'x' }, title: 5, cited: [] },
        null,
        'https://text.example/',
      ],
    },
  )
  await untilLines(page, 7)
  const shown = await lines(page)
  assert.deepEqual(
    shown.map(({ href }) => href),
    [
      undefined,
      undefined,
      undefined,
      undefined,
      'https://long.example/',
      'https://turned.example/',
      'https://html.example/',
    ],
  )
  assert.equal(shown[4].text.length, 200 + ' (long.example)'.length)
  assert.equal(shown[5].text, 'abc⟨U+202E⟩txt.exe (turned.example)')
  assert.equal(shown[6].text, '<img src=x onerror=alert(1)> (html.example)')
  await push(page, { type: 'sources', block: 0, sources: 'https://no.example/' })
  await untilLines(page, 0)
})

test('sources: 256 of them scroll in a bounded box, and more are left out', async (t) => {
  const page = await message(t)
  const sources = Array.from({ length: 300 }, (_, at) => ({ kind: 'web', url: `https://p${at}.example/` }))
  await push(page, { type: 'text', block: 0, text: 'Rain.' }, { type: 'sources', block: 0, sources })
  await untilLines(page, 256)
  const [height, inside] = await page.evaluate(() => {
    const list = element.renderRoot.querySelector('ol.sources')
    return [list.clientHeight, list.scrollHeight]
  })
  assert.ok(height < inside && height < 1000, `${height} of ${inside}`)
})

test('media: a picture is drawn and saved; one more does not draw it again', async (t) => {
  for (const [lang, name, save] of [
    ['en', 'Picture', 'Save: picture-1.png'],
    ['zh', '图片', '保存: 图片-1.png'],
  ]) {
    const page = await message(t)
    await page.evaluate((lang) => void (document.documentElement.lang = lang), lang)
    const part = { type: 'image', mediaType: 'image/png', data: png }
    await push(page, { type: 'media', block: 0, part })
    const images = page.getByRole('img', { name })
    await until(async () => (await images.count()) === 1, 'the picture')
    await images.first().evaluate((image) => void (window.first = image))
    await push(page, { type: 'media', block: 0, part })
    await until(async () => (await images.count()) === 2, 'another picture')
    assert.ok(await images.first().evaluate((image) => image === window.first))
    assert.equal(await images.first().evaluate((image) => image.decode().then(() => image.naturalWidth)), 8)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: save }).click()
    const file = await download
    assert.equal(file.suggestedFilename(), save.split(': ')[1])
    assert.deepEqual(readFileSync(await file.path()), Buffer.from(png, 'base64'))
    await picture(page, `media-${lang}`)
  }
})

test('media: a file has its name or media type, and is saved or linked; a picture elsewhere is not loaded', async (t) => {
  const page = await message(t)
  const asked = []
  page.on('request', (request) => asked.push(request.url()))
  const parts = [
    { type: 'file', mediaType: 'application/pdf', data: 'aGk=' },
    { type: 'file', mediaType: 'text/csv', name: '../../a\u202Eb.csv', data: 'aGk=' },
    { type: 'file', url: 'https://files.example/a', name: 'a.zip' },
    { type: 'file', url: 'javascript:alert(1)', name: 'b.zip' },
    { type: 'file', id: 'file_1' },
    { type: 'image', url: 'https://pictures.example/a.png' },
  ]
  await push(page, ...parts.map((part) => ({ type: 'media', block: 0, part })))
  const figures = () =>
    page.evaluate(() =>
      [...element.renderRoot.querySelectorAll('.media > figure')].map((one) => [
        one.querySelector('p').textContent,
        one.querySelector('a')?.href ?? one.querySelector('button')?.getAttribute('aria-label'),
      ]),
    )
  await until(async () => (await figures()).length === parts.length, 'the files')
  assert.deepEqual(await figures(), [
    ['File application/pdf', 'Save: File-1.pdf'],
    ['../../a⟨U+202E⟩b.csv text/csv', 'Save: _.._a_b.csv'],
    ['a.zip files.example', 'https://files.example/a'],
    ['b.zip', undefined],
    ['File', undefined],
    ['Picture pictures.example', 'https://pictures.example/a.png'],
  ])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save: File-1.pdf' }).click()
  assert.equal((await download).suggestedFilename(), 'File-1.pdf')
  assert.deepEqual(
    asked.filter((url) => /example/.test(url)),
    [],
  )
})

test('media: HTML, SVG and what is no picture are never drawn', async (t) => {
  const page = await message(t)
  const html = btoa('<script>window.ran = true</script>')
  const svg = btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = true"/>')
  const parts = [
    { type: 'image', mediaType: 'text/html', data: html },
    { type: 'image', mediaType: 'image/svg+xml', data: svg },
    { type: 'image', mediaType: 'image/png', data: html },
    { type: 'image', mediaType: 'image/png', data: '"><img src=x onerror=alert(1)>' },
    { type: 'image', mediaType: 'image/png', data: 5 },
    null,
  ]
  await push(page, ...parts.map((part) => ({ type: 'media', block: 0, part })))
  await until(() => page.evaluate(() => element.renderRoot.querySelectorAll('.media figure p').length === 5), 'names')
  assert.equal(await page.evaluate(() => element.renderRoot.querySelectorAll('.media img').length), 0)
  assert.match(await text(page), /Picture text\/html/)
  for (const [name, extension] of [
    ['Save: picture-1.html', 'html'],
    ['Save: picture-2.svg', 'svg'],
  ]) {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name }).click()
    assert.ok((await download).suggestedFilename().endsWith(extension))
  }
  await page.getByRole('button', { name: 'Save: picture-4.png' }).click()
  assert.equal(await page.getByRole('button', { name: 'Save: picture-4.png' }).isDisabled(), true)
  assert.equal(await page.evaluate(() => window.ran), undefined)
})

test('media: a picture of 20 MB is drawn', async (t) => {
  const page = await message(t)
  await page.evaluate((png) => {
    const data = png.replaceAll('=', '') + 'A'.repeat(27_000_000)
    live.push({
      type: 'media',
      block: 0,
      part: { type: 'image', mediaType: 'image/png', data: data.slice(0, data.length - (data.length % 4)) },
    })
  }, png)
  const image = page.getByRole('img', { name: 'Picture' })
  await image.waitFor()
  assert.equal(await image.evaluate((one) => one.decode().then(() => one.naturalWidth)), 8)
})

test('card: a tool of the provider shows its pictures and files, without an output', async (t) => {
  const page = await message(t)
  await push(page, {
    type: 'card',
    block: 0,
    call: 1,
    name: 'image_generation',
    source: 'provider',
    status: 'success',
    parts: [
      { type: 'image', mediaType: 'image/png', data: png },
      { type: 'file', mediaType: 'text/csv', name: 'rain.csv', data: 'aGk=' },
      { type: 'file', url: 'https://files.example/a', name: 'a.zip' },
    ],
  })
  await page.getByRole('button', { name: 'Picture 1 of 1' }).waitFor()
  await page.getByRole('button', { name: /image_generation/ }).click()
  await page.getByRole('img', { name: 'Image of the result' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save: rain.csv' }).click()
  assert.equal((await download).suggestedFilename(), 'rain.csv')
  await page.getByRole('link', { name: 'a.zip' }).click()
  await page.getByRole('dialog').getByText('https://files.example/a').waitFor()
})
