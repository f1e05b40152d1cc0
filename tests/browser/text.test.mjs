// Typeset text in a real page, while it comes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awkward } from '../js/text/awkward.mjs'
import { picture, until } from './support.mjs'
import { message, open } from './ui/message.mjs'
import { everything } from './ui/everything.mjs'
import { unknownOf } from './ui/known-nodes.mjs'

/** Says a text, in as many pieces as there are `cuts`, a frame apart, and ends the message. */
async function say(page, text, cuts = []) {
  await page.evaluate(
    async ({ text, cuts }) => {
      let from = 0
      for (const cut of [...cuts, text.length]) {
        if (cut > from) live.push({ type: 'text', block: 0, text: text.slice(from, cut) })
        from = Math.max(from, cut)
        await frames(1)
      }
      live.push({ type: 'done', outcome: 'completed' })
      await frames(2)
    },
    { text, cuts },
  )
}

test('a text is the same in the page however it came', async (t) => {
  const page = await open(t)
  const results = await page.evaluate(async (texts) => {
    const stage = document.querySelector('#stage')
    const shown = async (text, cuts) => {
      const live = new Live(`m${Math.random()}`)
      const element = show(live)
      await element.updateComplete
      let from = 0
      const block = { text: '' }
      for (const cut of [...cuts, text.length]) {
        block.text = text.slice(from, cut)
        if (cut > from) live.push({ type: 'text', block: 0, text: block.text })
        from = Math.max(from, cut)
        if (cut < text.length) await frames(1)
      }
      live.push({ type: 'done', outcome: 'completed' })
      await frames(2)
      const { innerHTML } = element.renderRoot.querySelector('.text') ?? { innerHTML: '' }
      stage.replaceChildren()
      return innerHTML.replaceAll('"group done"', '"group"')
    }
    const wrong = []
    for (const [what, text] of Object.entries(texts)) {
      const whole = await shown(text, [])
      const random = Array.from({ length: 12 }, (_, at) => Math.floor(((at + 0.37) / 12) * text.length))
      for (const cuts of [random, Array.from({ length: 24 }, (_, at) => Math.max(0, text.length - 24) + at)])
        if ((await shown(text, cuts)) !== whole) wrong.push(what)
    }
    return wrong
  }, awkward)
  assert.deepEqual(results, [])
})

test('what a text means is how it is drawn: headings, emphasis, lists, tables, code in the letters of code, links, pictures, maths', async (t) => {
  const page = await message(t)
  await page.evaluate(() => import('/sluice/ui/math.js'))
  await say(
    page,
    '# A\n\n**b** and *c*\n\n- d\n\n1. e\n\n`f`\n\n```\ng\n```\n\n| h |\n|---|\n| i |\n\nhttps://example.com and ![j](https://example.com/j.png)\n\n$x^2$\n',
  )
  const drawn = () =>
    page.evaluate(() => {
      const text = element.renderRoot.querySelector('.text')
      const letters = (selector) => getComputedStyle(text.querySelector(selector)).fontFamily
      return {
        tags: ['h3', 'strong', 'em', 'ul > li', 'ol > li', 'code', 'pre', 'td', 'a', '.picture', 'math'].filter(
          (selector) => !text.querySelector(selector),
        ),
        code: ['p > code', 'pre'].map(
          (selector) => letters(selector) !== letters('strong') && /monospace/.test(letters(selector)),
        ),
        marks: /[*`|#$]|!\[/.exec(text.innerText)?.[0],
      }
    })
  await until(async () => (await drawn()).tags.length === 0, 'all of it').catch(async () =>
    assert.deepEqual((await drawn()).tags, [], 'what is missing'),
  )
  assert.deepEqual(await drawn(), { tags: [], code: [true, true], marks: undefined })
})

test('nothing in a text has letters stand in an order in which nobody wrote them, and Arabic and Hebrew stand as ever', async (t) => {
  const page = await open(t)
  const turned = ['\u202e', '\u202d', '&#x202e;', '&#8238;', '\u2067\u202e']
  const forms = [
    'Open NAME now',
    '# NAME',
    '- **NAME**',
    '[NAME](https://example.com)',
    '`NAME`',
    '![NAME](https://example.com/a.png)',
    '| a |\n| - |\n| NAME |',
    '```\nNAME\n```',
    '> ~~NAME~~',
  ]
  for (const text of forms
    .flatMap((form) => turned.map((control) => form.replace('NAME', `${control}gnp.exe`)))
    .filter((text) => !/`.*&#/s.test(text))) {
    await page.evaluate(() => {
      live = new Live(`m${Math.random()}`)
      element = show(live)
    })
    await say(page, text, [5])
    const [g, e] = await page.evaluate(() => {
      const walker = document.createTreeWalker(element.renderRoot.querySelector('.text'), NodeFilter.SHOW_TEXT)
      for (let node; (node = walker.nextNode()); ) {
        const at = node.data.indexOf('gnp.exe')
        if (at < 0) continue
        return [at, at + 6].map((from) => {
          const range = new Range()
          range.setStart(node, from)
          range.setEnd(node, from + 1)
          return range.getBoundingClientRect().left
        })
      }
      return []
    })
    assert.ok(g < e, `${JSON.stringify(text)}: ${g} ${e}`)
  }
  // What honest texts use is there as it was written, and acts only in its element.
  const honest = 'שלום \u2067abc\u2069 \u202bעולם\u202c \u200f! [\u2067קישור](https://example.com) then \u061cabc'
  await page.evaluate(() => {
    live = new Live(`m${Math.random()}`)
    element = show(live)
  })
  await say(page, honest)
  assert.equal(
    await page.evaluate(() => element.renderRoot.querySelector('.text').textContent),
    honest.replace('[', '').replace('](https://example.com)', ''),
  )
  await page.evaluate(() => {
    live = new Live(`m${Math.random()}`)
    element = show(live)
  })
  await say(page, 'a [\u2067link](https://example.com) first `\u2067code` second \u2067open\n\nthird')
  const lefts = await page.evaluate(() =>
    ['first', 'second', 'third'].map((word) => {
      const walker = document.createTreeWalker(element.renderRoot.querySelector('.text'), NodeFilter.SHOW_TEXT)
      for (let node; (node = walker.nextNode()); ) {
        const at = node.data.indexOf(word)
        if (at < 0) continue
        return [at, at + word.length - 1].map((from) => {
          const range = new Range()
          range.setStart(node, from)
          range.setEnd(node, from + 1)
          return range.getBoundingClientRect().left
        })
      }
    }),
  )
  for (const [left, right] of lefts) assert.ok(left < right)
  assert.ok(lefts[0][0] < lefts[1][0], 'what a link or code begins ends with it')
})

test('thoughts, and what does not count of an answer, turn no letters round either, and in code nothing does', async (t) => {
  const page = await message(t)
  await page.evaluate(async () => {
    live.push(
      { type: 'reasoning', block: 0, text: 'I open \u202egnp.exe now' },
      { type: 'text', block: 1, text: 'Ran \u202dgnp.exe', fabricated: true },
    )
    live.push(
      {
        type: 'text',
        block: 2,
        text: '```js\nlet a = 1 \u2067/* why */ ;return\n\u202agnp\u202c.exe \u2066x\u2069 \u2068y\n```\n\n- a\n\n  ```\n  \u202bb\n  ```\n\nand `\u2067c ;d`',
      },
      { type: 'done', outcome: 'completed' },
    )
    await frames(3)
    element.renderRoot.querySelectorAll('details').forEach((one) => (one.open = true))
    await frames(3)
  })
  const shown = await page.evaluate(() =>
    Object.fromEntries(
      [...element.renderRoot.querySelectorAll('.thoughts, pre, p > code')].map((one, at) => [
        `${at} ${one.localName}`,
        one.textContent,
      ]),
    ),
  )
  assert.deepEqual(Object.values(shown), [
    'I open \ufffdgnp.exe now',
    'Ran \ufffdgnp.exe',
    'let a = 1 \ufffd/* why */ ;return\n\ufffdgnp\ufffd.exe \ufffdx\ufffd \ufffdy',
    '\ufffdb',
    '\ufffdc ;d',
  ])
})

test('what is finished never moves, and its nodes stay', async (t) => {
  const page = await message(t)
  const faults = await page.evaluate(async (text) => {
    const faults = []
    const known = new Map()
    for (let at = 0; at < text.length; at += 7) {
      live.push({ type: 'text', block: 0, text: text.slice(at, at + 7) })
      await frames(1)
      const blocks = [...element.renderRoot.querySelectorAll('.text > .group > *')]
      const top = element.getBoundingClientRect().top
      const boxes = blocks.map((block) =>
        [block.getBoundingClientRect().top - top, block.getBoundingClientRect().height].map(Math.round).join(' '),
      )
      for (const [index, { block, box }] of known) {
        if (blocks[index] !== block) faults.push(`block ${index} was made anew`)
        else if (boxes[index] !== box)
          faults.push(`block ${index} moved from ${box} to ${boxes[index]}: ${block.textContent.slice(0, 40)}`)
      }
      blocks.slice(0, -2).forEach((block, index) => known.set(index, { block, box: boxes[index] }))
    }
    return faults
  }, everything)
  assert.deepEqual(faults, [])
})

test('a selection in front of what comes stays', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: '- one **two** th' }))
  const before = await page.evaluate(() => {
    const text = element.renderRoot.querySelector('strong').firstChild
    getSelection().setBaseAndExtent(text, 0, text, 3)
    window.node = text
    return getSelection().toString()
  })
  assert.equal(before, 'two')
  await say(page, 'ree *four*\n- five\n\nsix', [2, 5, 8, 12])
  assert.equal(await page.evaluate(() => node.isConnected && node.data), 'two')
  assert.deepEqual(
    (await page.evaluate(() => {
      const range = getSelection().getComposedRanges?.({ shadowRoots: [element.renderRoot] })[0]
      return range && [range.startContainer === node, range.startOffset, range.endOffset]
    })) ?? [true, 0, 3],
    [true, 0, 3],
  )
})

test('an open fence only grows, and no star stands in the text while it comes', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: '```js\nconst a = 1\n' }))
  await page.evaluate(() => (window.node = element.renderRoot.querySelector('pre .chunk').firstChild))
  await page.evaluate(async () => {
    live.push({ type: 'text', block: 0, text: 'const b = 2\n``' })
    await frames(2)
  })
  assert.deepEqual(
    await page.evaluate(() => [node === element.renderRoot.querySelector('pre .chunk').firstChild, node.data]),
    [true, 'const a = 1\nconst b = 2'],
  )
  await page.evaluate(async () => {
    live.push({ type: 'text', block: 0, text: '`\n\nthis is **bo' })
    await frames(2)
  })
  assert.deepEqual(
    await page.evaluate(() =>
      [...element.renderRoot.querySelectorAll('.text p, .text strong')].map((one) => one.textContent),
    ),
    ['this is bo', 'bo'],
  )
})

test('nothing but known nodes and attributes is made of a text, and nothing is loaded', async (t) => {
  const page = await message(t)
  const requests = []
  page.on('request', (request) => requests.push(request.url()))
  await say(
    page,
    `${Object.values(awkward).join('\n\n')}\n\n${everything}\n\n<img src=x onerror=alert(1)> <script>alert(1)</script> [x](javascript:alert(1)) ![x](https://example.com/x.png)`,
  )
  const found = await page.evaluate(() => {
    const seen = new Set()
    for (const one of element.renderRoot.querySelector('.text').querySelectorAll('*'))
      for (const name of ['', ...one.getAttributeNames()]) seen.add(name ? `${one.localName}[${name}]` : one.localName)
    return [...seen]
  })
  assert.deepEqual(unknownOf(found), [])
  assert.deepEqual(
    await page.evaluate(() =>
      [...element.renderRoot.querySelectorAll('a')]
        .map((one) => one.href)
        .filter((href) => !/^(https?|mailto):/.test(href)),
    ),
    [],
  )
  assert.deepEqual(
    requests.filter((url) => !url.includes('127.0.0.1')),
    [],
  )
})

for (const [name, options] of Object.entries({
  light: {},
  dark: { colorScheme: 'dark' },
  forced: { forcedColors: 'active' },
  narrow: { viewport: { width: 360, height: 900 } },
  wide: { viewport: { width: 1920, height: 1000 } },
})) {
  test(`text keeps within its box: ${name}`, async (t) => {
    const page = await message(t, undefined, options)
    await say(page, everything)
    await picture(page, `text-${name}`, { fullPage: true })
    const { page: wide, boxes } = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth - innerWidth,
      boxes: [...element.renderRoot.querySelectorAll('.text > .group > *')].map(
        (one) => one.getBoundingClientRect().right - element.getBoundingClientRect().right,
      ),
    }))
    assert.ok(wide <= 0, 'the page scrolls sideways')
    assert.deepEqual(
      boxes.filter((over) => over > 1),
      [],
    )
  })
}

// -- what a person does -----------------------------------------------------------------------------------------------

test('code is copied whole, and its lines are wrapped on request', async (t) => {
  const page = await message(t, undefined, { permissions: ['clipboard-read', 'clipboard-write'] })
  await say(page, 'a\n\n```py\nif a:\n    b = "*"\n\n```\nc')
  await page.evaluate(() => addEventListener('sluice-copy', ({ detail }) => (window.copied = detail)))
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.deepEqual(await page.evaluate(() => copied), { text: 'if a:\n    b = "*"\n', what: 'code' })
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'if a:\n    b = "*"\n')
  const wrap = page.getByRole('button', { name: 'Wrap lines' })
  assert.equal(await wrap.getAttribute('aria-pressed'), 'false')
  await wrap.press('Enter')
  assert.equal(await wrap.getAttribute('aria-pressed'), 'true')
  assert.equal(
    await page.evaluate(() => getComputedStyle(element.renderRoot.querySelector('pre .chunk')).whiteSpaceCollapse),
    'preserve',
  )
})

test('long code has its height from the beginning on and scrolls', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: `\`\`\`\n${'line\n'.repeat(200)}` }))
  const heights = () =>
    page.evaluate(() => {
      const { clientHeight, scrollHeight } = element.renderRoot.querySelector('pre')
      return [clientHeight, scrollHeight]
    })
  const [height, whole] = await heights()
  assert.ok(height <= 512 && whole > 2000, `${height} of ${whole}`)
  await say(page, `${'line\n'.repeat(200)}\`\`\`\nend`)
  assert.equal((await heights())[0], height)
})

test('a table scrolls in a region with a name and is copied as CSV', async (t) => {
  const page = await message(t, undefined, {
    permissions: ['clipboard-read', 'clipboard-write'],
    viewport: { width: 360, height: 700 },
  })
  await say(
    page,
    `| name | a, b | ${'column | '.repeat(12)}\n|---|---|${'---|'.repeat(12)}\n| =SUM(A1) | say "hi" | -5 | **bold** |\n`,
  )
  const region = page.getByRole('group', { name: 'Table' })
  await region.focus()
  assert.equal(
    await region.evaluate((box) => box.scrollWidth > box.clientWidth && box === box.getRootNode().activeElement),
    true,
  )
  await page.getByRole('button', { name: 'Copy as CSV' }).click()
  const csv = await page.evaluate(() => navigator.clipboard.readText())
  assert.deepEqual(
    csv
      .split('\r\n')
      .map((line) => line.split(',').slice(0, 5).join(','))
      .slice(0, 2),
    ['name,"a, b",column,column', '\'=SUM(A1),"say ""hi""",-5,bold,'],
  )
})

test('a link whose text may be read as an address shows its true host, unless it is exactly that address', async (t) => {
  const page = await message(t)
  const told = [
    'bank.com',
    'bank.com.',
    'bank．com',
    'bank。com',
    'bank.com,',
    'https://bank.com.',
    'bank\u2024com',
    'bank.com \u2713',
    'the end.',
  ]
  const honest = [
    '[example.com](https://example.com/)',
    '[see it](https://example.com/)',
    '[https://example.com](https://example.com/)',
  ]
  await say(page, [...told.map((text) => `[${text}](https://evil.example/)`), ...honest].join('\n\n'))
  assert.deepEqual(await page.getByRole('link').allTextContents(), [
    ...told.map((text) => `${text} (evil.example)`),
    'example.com',
    'see it',
    'https://example.com',
  ])
})

test('a link asks first, with the whole address, and once per host', async (t) => {
  const page = await message(t)
  await page.evaluate(() => {
    window.opened = []
    window.asked = []
    element.openLink = (url) => opened.push(url)
    addEventListener('sluice-link', ({ detail }) => asked.push(detail))
  })
  await say(
    page,
    '[the forecast](https://example.com/a?city=%E2%80%AEx), [bank.example](https://evil.example/), [例](https://例え.jp/), mailto:a@example.com',
  )
  await page.getByRole('link', { name: 'the forecast' }).click()
  const dialog = page.getByRole('dialog')
  assert.equal(await dialog.locator('.address').textContent(), 'https://example.com/a?city=%E2%80%AEx')
  assert.equal(await dialog.locator('b').textContent(), 'example.com')
  await picture(page, 'text-link')
  assert.equal(await page.evaluate(() => element.renderRoot.activeElement.textContent), 'Not now')
  await page.keyboard.press('Escape')
  assert.equal(await dialog.count(), 0)
  assert.equal(await page.evaluate(() => element.renderRoot.activeElement.textContent), 'the forecast')
  assert.deepEqual(await page.evaluate(() => opened), [])
  await page.getByRole('link', { name: 'the forecast' }).click({ button: 'right' })
  assert.equal(await dialog.count(), 0, 'a right click follows no link')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Open' }).click()
  const before = await page.evaluate(() => opened.length)
  await page.getByRole('link', { name: 'the forecast' }).click({ button: 'right' })
  assert.equal(await page.evaluate(() => opened.length), before, 'nor where its host was agreed to')
  await page.getByRole('link', { name: 'the forecast' }).click({ button: 'middle' })
  assert.deepEqual(await page.evaluate(() => opened), [
    'https://example.com/a?city=%E2%80%AEx',
    'https://example.com/a?city=%E2%80%AEx',
  ])
  assert.equal(await page.getByRole('link', { name: 'bank.example' }).textContent(), 'bank.example (evil.example)')
  await page.getByRole('link', { name: '例' }).click()
  assert.equal(await dialog.locator('b').textContent(), 'xn--r8jz45g.jp')
  await page.keyboard.press('Escape')
  assert.deepEqual(await page.evaluate(() => asked.length), 4)
  assert.equal(page.context().pages().length, 1, 'the page opens nothing itself')
})

test('an app that takes links over is asked nothing, and one that opens none offers the address', async (t) => {
  const page = await message(t, undefined, { permissions: ['clipboard-read', 'clipboard-write'] })
  await say(page, 'https://example.net/x')
  await page.getByRole('link').click()
  const dialog = page.getByRole('dialog', { name: 'The link leads here' })
  assert.equal(await dialog.getByRole('button', { name: 'Open' }).count(), 0)
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await until(
    async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'https://example.net/x',
    'the address',
  )
  await page.keyboard.press('Escape')
  await page.evaluate(() => addEventListener('sluice-link', (event) => event.preventDefault()))
  await page.getByRole('link').click()
  assert.equal(await page.getByRole('dialog').count(), 0)
})

test('a picture is a chip with its address, loaded by the app when a person asks', async (t) => {
  const page = await message(t)
  await page.evaluate(() => {
    window.loads = []
    element.loadImage = async (url) => {
      loads.push(url)
      const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 20 })
      return url.includes('map')
        ? new Promise((resolve) => canvas.toBlob(resolve))
        : new Blob(['<svg/>'], { type: 'image/svg+xml' })
    }
  })
  await say(page, '![A map](https://example.com/map.png?all=you+said) and ![](https://example.org/x.svg)')
  assert.equal(
    await page.evaluate(() => element.renderRoot.querySelector('.picture').innerText.replace(/\s+/g, ' ')),
    'A map · Picture from example.com https://example.com/map.png?all=you+said',
  )
  assert.deepEqual(await page.evaluate(() => loads), [])
  await page.getByRole('button', { name: 'A map' }).click()
  await page.getByRole('img', { name: 'A map' }).waitFor()
  await page.getByRole('button', { name: 'Picture from example.org' }).click()
  await page.getByText('The picture could not be loaded.').waitFor()
  assert.deepEqual(await page.evaluate(() => loads), [
    'https://example.com/map.png?all=you+said',
    'https://example.org/x.svg',
  ])
})

test('a picture that the text itself holds is shown after a click; one of more than 2 MB, one that is none and a vector drawing are not', async (t) => {
  const page = await message(t)
  const requests = []
  page.on('request', (request) => request.url().includes('sluice/ui') || requests.push(request.url().slice(0, 30)))
  const png = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 20 })
    return canvas.toDataURL('image/png')
  })
  const large = `data:image/png;base64,${'A'.repeat(2_700_000)}`
  await page.evaluate(
    () =>
      (element.loadImage = () => {
        throw new Error('the app is asked for none')
      }),
  )
  await say(
    page,
    `![small](${png})\n\n![none](data:image/png;base64,AAAA)\n\n![drawn](data:image/svg+xml;base64,PHN2Zy8+)\n\n![page](data:text/html;base64,AAAA)`,
  )
  assert.deepEqual(
    await page.evaluate(() => [...element.renderRoot.querySelectorAll('.text p')].map((one) => one.innerText)),
    [
      'small · Picture',
      'none · Picture',
      '![drawn](data:image/svg+xml;base64,PHN2Zy8+)',
      '![page](data:text/html;base64,AAAA)',
    ],
  )
  assert.equal(await page.evaluate(() => element.renderRoot.querySelectorAll('img').length), 0)
  assert.deepEqual(requests, [])
  await page.getByRole('button', { name: 'small' }).click()
  await page.getByRole('img', { name: 'small' }).waitFor()
  assert.deepEqual(
    await page
      .getByRole('img', { name: 'small' })
      .evaluate((image) => [image.naturalWidth, image.naturalHeight, image.src.slice(0, 22)]),
    [40, 20, 'data:image/png;base64,'],
  )
  await page.getByRole('button', { name: 'none' }).click()
  await page.getByText('The picture could not be loaded.').waitFor()
  assert.equal(await page.evaluate(() => element.renderRoot.querySelectorAll('img').length), 1)
  // A text with a larger one is too large to be read, so the chip is made as an app's own markup would.
  await page.evaluate(async (source) => {
    const chip = element.renderRoot.querySelector('.picture[data-state=shown]')
    delete chip.dataset.state
    chip.querySelector('img').remove()
    chip.dataset.source = source
    chip.querySelector('button').click()
    await frames(2)
  }, large)
  await until(
    () => page.evaluate(() => element.renderRoot.querySelectorAll('.picture .note').length === 2),
    'the refusal',
  )
  assert.equal(await page.evaluate(() => element.renderRoot.querySelectorAll('img').length), 0)
})

test('in Chinese the words of a text are Chinese', async (t) => {
  const page = await message(t, undefined, { locale: 'zh-CN' })
  await page.evaluate(() => (document.documentElement.lang = 'zh-CN'))
  await say(page, '```\nx\n```\n\n| 表 |\n|---|\n| 一 |\n\n![图](https://example.com/x.png)')
  const words = await page.evaluate(() =>
    [...element.renderRoot.querySelectorAll('.text button')].map((one) => one.textContent),
  )
  assert.deepEqual(words, ['自动换行', '复制', '复制为 CSV', '图 · 来自 example.com 的图片'])
})

test('a host that opens nothing leaves the address to be copied', async (t) => {
  const page = await message(t)
  await page.evaluate(
    () =>
      (live.openLink = async () => {
        throw new Error('unsupported')
      }),
  )
  await page.evaluate(() => element.requestUpdate('message'))
  await say(page, 'https://example.net/x')
  await page.getByRole('link').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Open' }).click()
  await page.getByText('This app opens no links.').waitFor()
  assert.deepEqual(await page.getByRole('dialog').getByRole('button').allTextContents(), ['Not now', 'Copy'])
})

// -- drawn by the app -------------------------------------------------------------------------------------------------

test('an app draws texts itself, once per frame and block, where its styles apply', async (t) => {
  const page = await message(t)
  await page.evaluate(async () => {
    window.calls = []
    element.renderText = (text, { open, lang, block, element }) => {
      calls.push([text, open, lang, block])
      element.className = 'mine'
      return block === 2
        ? Object.assign(document.createElement('b'), { textContent: text.toUpperCase() })
        : void (element.textContent = `<${text}>`)
    }
    await element.updateComplete
    for (const piece of ['a', ' *b*']) live.push({ type: 'text', block: 0, text: piece })
    await frames(2)
    live.push(
      { type: 'card', block: 1, call: 1, name: 'x.y', status: 'success', arguments: {} },
      { type: 'text', block: 2, text: 'later' },
    )
    await frames(2)
    live.push({ type: 'done', outcome: 'completed' })
    await frames(2)
  })
  assert.deepEqual(await page.evaluate(() => calls), [
    ['a *b*', true, 'en', 0],
    ['a *b*', false, 'en', 0],
    ['later', true, 'en', 2],
    ['later', false, 'en', 2],
  ])
  assert.deepEqual(
    await page.evaluate(() => [...document.querySelectorAll('sluice-message > .mine')].map((one) => one.innerHTML)),
    ['&lt;a *b*&gt;', '<b>LATER</b>'],
  )
  assert.equal(await page.evaluate(() => document.querySelector('sluice-message > .mine').checkVisibility()), true)
  await page.evaluate(async () => {
    element.renderText = undefined
    await element.updateComplete
  })
  assert.deepEqual(
    await page.evaluate(() => [
      document.querySelectorAll('sluice-message > *').length,
      element.renderRoot.querySelector('em').textContent,
    ]),
    [0, 'b'],
  )
})

test("where the app's function throws, the text is typeset", async (t) => {
  const page = await message(t, undefined, { expected: [/renderText threw/] })
  await page.evaluate(
    () =>
      (element.renderText = () => {
        throw new Error('no')
      }),
  )
  await say(page, 'a **b**', [3])
  assert.equal(await page.evaluate(() => element.renderRoot.querySelector('.text').innerText), 'a b')
  assert.equal(await page.evaluate(() => element.childElementCount), 0)
})

test('<sluice-text> shows a text anywhere, and what is open as it will be', async (t) => {
  const page = await open(t)
  const shown = () =>
    page.evaluate(async () => {
      await frames(2)
      return box.shadowRoot.querySelector('.text').innerHTML.replace(/<!--.*?-->/g, '')
    })
  await page.evaluate(() => {
    window.box = document.createElement('sluice-text')
    box.open = true
    box.text = 'this is **bo'
    document.querySelector('#stage').append(box)
  })
  assert.equal(await shown(), '<div class="group"><p>this is <strong>bo</strong></p></div>')
  await page.evaluate(() => (box.open = false))
  assert.equal(await shown(), '<div class="group"><p>this is **bo</p></div>')
  await page.evaluate(() => box.setAttribute('text', '# Title'))
  assert.equal(await shown(), '<div class="group"><h3 class="h1" part="heading">Title</h3></div>')
  const links = page.evaluate(
    () =>
      new Promise((resolve) =>
        box.addEventListener('sluice-link', (event) => {
          event.preventDefault()
          resolve(event.detail)
        }),
      ),
  )
  await page.evaluate(() => (box.text = '[a](https://example.com)'))
  await page.getByRole('link', { name: 'a' }).click()
  assert.deepEqual(await links, { url: 'https://example.com/', text: 'a' })
})

// -- maths ------------------------------------------------------------------------------------------------------------

const maths =
  'It costs $5 and $6, or $x^2$ and \\(y_1\\).\n\n$$\n\\frac{a}{b}\n- \\sum_{i=0}^n i\n$$\n\n\\[ \\sqrt{2} \\]\n\nand $\\bad{$ here, $$z$$ inside.'

test('without sluice/ui/math a text has no maths, and once it is there it has', async (t) => {
  const page = await message(t)
  await say(page, maths)
  assert.equal(await page.evaluate(() => element.renderRoot.querySelectorAll('math').length), 0)
  await page.evaluate(() => import('/sluice/ui/math.js'))
  await page.evaluate(() => frames(3))
  await picture(page, 'text-math')
  const found = await page.evaluate(() =>
    [...element.renderRoot.querySelectorAll('.math')].map((one) => [
      one.classList.contains('display'),
      one.firstElementChild?.namespaceURI === 'http://www.w3.org/1998/Math/MathML',
      one.textContent.replace(/[\s\u2061]/g, ''),
    ]),
  )
  assert.deepEqual(found, [
    [false, true, 'x2'],
    [false, true, 'y1'],
    [true, true, 'ab−∑i=0ni'],
    [true, true, '2'],
    [false, false, '$\\bad{$'],
    [true, true, 'z'],
  ])
  assert.match(
    await page.evaluate(() => element.renderRoot.querySelector('.text').innerText),
    /It costs \$5 and \$6, or/,
  )
})

test('maths is the same however it came, and hostile maths is shown as written', async (t) => {
  const page = await open(t)
  await page.evaluate(() => import('/sluice/ui/math.js'))
  const wrong = await page.evaluate(
    async (texts) => {
      const wrong = []
      for (const text of texts) {
        const shown = async (step) => {
          const live = new Live(`m${Math.random()}`)
          const element = show(live)
          await element.updateComplete
          for (let at = 0; at < text.length; at += step) {
            live.push({ type: 'text', block: 0, text: text.slice(at, at + step) })
            if (step < text.length) await frames(1)
          }
          live.push({ type: 'done', outcome: 'completed' })
          await frames(2)
          const { innerHTML } = element.renderRoot.querySelector('.text')
          element.remove()
          return innerHTML
        }
        if ((await shown(3)) !== (await shown(1e9))) wrong.push(text)
      }
      return wrong
    },
    [
      maths,
      '$$\na\n- b\n\nno end',
      '$$ x $$ is text\n\n$$\ny',
      'a\n$$\nx\n$$ b\nc',
      '> $$\n> x\n> $$\nafter',
      '- $$\n  x\n  $$\n\n1. $a$',
    ],
  )
  assert.deepEqual(wrong, [])
  const took = await page.evaluate(async () => {
    const box = document.createElement('sluice-text')
    document.querySelector('#stage').append(box)
    const begun = performance.now()
    box.text = [
      '\\def\\a{\\a\\a}\\a',
      '\\href{javascript:alert(1)}{x}',
      '\\rule{9999em}{9999em}',
      `${'{'.repeat(900)}x${'}'.repeat(900)}`,
      '\\style{position:fixed}{x}',
      '\\includegraphics{https://example.com/x.png}',
    ]
      .map((one) => `$${one}$`)
      .join('\n\n')
    await box.updateComplete
    window.box = box
    return performance.now() - begun
  })
  assert.ok(took < 2000, `${took} ms`)
  assert.deepEqual(
    await page.evaluate(() => [...box.shadowRoot.querySelectorAll('.math :is(a, img, script, [href], [src])')].length),
    0,
  )
  assert.ok(await page.evaluate(() => box.getBoundingClientRect().height < 3000))
})

// -- calls that cut no sentence ---------------------------------------------------------------------------------------

const face = (block, name, more = {}) => ({
  type: 'card',
  block,
  call: block + 1,
  name: 'live2d.expression',
  status: 'success',
  silent: true,
  arguments: { name },
  ...more,
})

test('a text that is cut only by expressions is one text, and each stands in the margin of its line', async (t) => {
  const page = await message(t)
  await page.evaluate(
    async (cards) => {
      live.push({ type: 'text', block: 0, text: 'Wait. You **got ' })
      await frames(2)
      window.node = element.renderRoot.querySelector('strong').firstChild
      live.push(cards[0])
      await frames(2)
      live.push({ type: 'text', block: 2, text: 'the** job?\n\n' }, cards[1], {
        type: 'text',
        block: 4,
        text: '# Hooray\n\nDance',
      })
      await frames(2)
    },
    [face(1, 'surprised', { status: 'executing' }), face(3, 'happy')],
  )
  assert.equal(await page.evaluate(() => element.renderRoot.querySelectorAll('sluice-card').length), 0)
  assert.deepEqual(
    await page.evaluate(() =>
      [...element.renderRoot.querySelectorAll('.text :is(p, h3)')].map((one) => one.textContent.trim()),
    ),
    ['Wait. You got the job?', '', 'Hooray', 'Dance'],
  )
  assert.ok(
    await page.evaluate(() => node.isConnected && node.parentNode.textContent.trim() === 'got the'),
    'the nodes stay',
  )
  const marks = await page.evaluate(() =>
    [...element.renderRoot.querySelectorAll('.cue')].map((one) => [
      one.getAttribute('aria-label'),
      one.title,
      one.getBoundingClientRect().left < element.getBoundingClientRect().left,
    ]),
  )
  assert.deepEqual(marks, [
    ['live2d.expression: surprised', 'surprised', true],
    ['live2d.expression: happy', 'happy', true],
  ])
  const [cue, line] = await page.evaluate(() =>
    [element.renderRoot.querySelector('.cue'), element.renderRoot.querySelector('strong')].map((one) =>
      one.getBoundingClientRect(),
    ),
  )
  assert.ok(
    cue.top >= line.top - 6 && cue.bottom <= line.bottom + 6,
    `${cue.top}–${cue.bottom} beside ${line.top}–${line.bottom}`,
  )
  await picture(page, 'text-cues')
  await page.evaluate(
    async (card) => {
      live.push(card, { type: 'done', outcome: 'completed' })
      await frames(2)
    },
    face(1, 'surprised', { status: 'error', error: 'no such face' }),
  )
  assert.deepEqual(
    await page.evaluate(() => [...element.renderRoot.querySelectorAll('.cue.failed')].map((one) => one.title)),
    ['surprised: Failed: no such face'],
  )
})

test('a sentence goes on behind a call that stands on lines of its own, a new paragraph does not', async (t) => {
  for (const [before, after, lines] of [
    ['Wait. You got\n\n', '\n\nthe job?', ['Wait. You got the job?']],
    ['Wait. You got\n', '\nthe job?', ['Wait. You got the job?']],
    ['你得到了\n\n', '\n那份工作？', ['你得到了那份工作？']],
    ['Wait.\n\n', '\n\nthe job?', ['Wait.', 'the job?']],
    ['Wait\n\n', '\n\nThe job?', ['Wait', 'The job?']],
    ['- one\n\n', '\n\nthe job', ['one', 'the job']],
    ['等等。\n\n', '\n那份工作', ['等等。', '那份工作']],
  ]) {
    const page = await message(t)
    await page.evaluate(
      async ({ before, after, card }) => {
        live.push({ type: 'text', block: 0, text: before }, card)
        await frames(2)
        for (const piece of after) {
          live.push({ type: 'text', block: 2, text: piece })
          await frames(1)
        }
        live.push({ type: 'done', outcome: 'completed' })
        await frames(2)
      },
      { before, after, card: face(1, 'happy') },
    )
    assert.deepEqual(
      await page.evaluate(() =>
        [...element.renderRoot.querySelectorAll('.text p')]
          .map((one) => one.textContent.trim().replace(/ +/g, ' '))
          .filter(Boolean),
      ),
      lines,
      JSON.stringify(before),
    )
    assert.equal(await page.evaluate(() => element.renderRoot.querySelectorAll('.cue').length), 1)
  }
})

test('a call that asks is a card, and so is one without a text', async (t) => {
  const page = await message(t)
  await page.evaluate(
    async (card) => {
      live.push(card)
      await frames(2)
    },
    face(0, 'happy'),
  )
  const shown = () =>
    page.evaluate(() => [
      element.renderRoot.querySelectorAll('sluice-card').length,
      element.renderRoot.querySelectorAll('.cue').length,
    ])
  assert.deepEqual(await shown(), [0, 0])
  await page.evaluate(
    async (cards) => {
      live.push({ type: 'text', block: 1, text: 'Hello' }, ...cards)
      await frames(2)
    },
    [
      { ...face(2, 'sad'), status: 'awaiting_approval' },
      {
        type: 'ask',
        ask: {
          call: 3,
          stage: 'execution',
          name: 'live2d.expression',
          description: '',
          arguments: { name: 'sad' },
          digest: 'd',
          token: 't',
        },
      },
    ],
  )
  assert.deepEqual(await shown(), [1, 1])
  await page.evaluate(async () => {
    live.push(
      { type: 'text', block: 3, text: ' there \ufdd00\ufdd1' },
      { type: 'card', block: 2, call: 3, status: 'success' },
      { type: 'done', outcome: 'completed' },
    )
    await frames(3)
  })
  assert.deepEqual(await shown(), [0, 2])
  assert.equal(await page.evaluate(() => element.renderRoot.querySelector('.text').textContent.trim()), 'Hello there 0')
  const alone = await page.evaluate(
    async (view) => {
      element.message = undefined
      element.view = view
      await element.updateComplete
      return element.renderRoot.querySelectorAll('sluice-card').length
    },
    {
      role: 'assistant',
      rounds: 1,
      outcome: 'completed',
      blocks: [
        {
          type: 'tool_use',
          call: 1,
          name: 'live2d.expression',
          status: 'success',
          silent: true,
          arguments: { name: 'happy' },
        },
      ],
    },
  )
  assert.equal(alone, 1)
})

// -- colours ----------------------------------------------------------------------------------------------------------

const coloured = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...CSS.highlights].map(([name, ranges]) => [
        name.replace('sluice-', ''),
        [...ranges]
          .filter((range) => range.startContainer.isConnected)
          .map((range) => range.startContainer.data.slice(range.startOffset, range.endOffset))
          .sort(),
      ]),
    ),
  )

test('code has colours, and no node is made for them', async (t) => {
  const page = await message(t, () => live.push({ type: 'text', block: 0, text: '```js\nconst a = "x" // why\n' }))
  await until(async () => (await coloured(page)).comment?.length === 1, 'the first colours')
  await say(page, 'return 12\n```\n\n```nothing\nconst a\n```')
  await until(async () => (await coloured(page)).number?.length === 1, 'the colours of the rest')
  assert.deepEqual(await coloured(page), {
    keyword: ['const', 'return'],
    string: ['"x"'],
    comment: ['// why'],
    number: ['12'],
  })
  assert.deepEqual(
    await page.evaluate(() =>
      [...element.renderRoot.querySelectorAll('pre code')].map((one) => [
        one.childNodes.length,
        one.firstChild.childNodes.length,
      ]),
    ),
    [
      [1, 1],
      [1, 1],
    ],
  )
})

test('code out of view has no ranges, and its colours come back with it', async (t) => {
  const page = await message(t)
  await say(page, `\`\`\`js\nconst a\n\`\`\`\n\n${'and so on\n\n'.repeat(120)}\`\`\`js\nlet b\n\`\`\``)
  await until(async () => (await coloured(page)).keyword?.join() === 'const', 'the first')
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await until(async () => (await coloured(page)).keyword?.join() === 'let', 'the last')
  await page.evaluate(() => scrollTo(0, 0))
  await until(async () => (await coloured(page)).keyword?.join() === 'const', 'the first again')
})

test('code that takes too long has no colours, and the next one has', async (t) => {
  const page = await message(t)
  let workers = 0
  await page.route('**/code.js', (route) => {
    workers++
    const body =
      'onmessage = ({ data: { id, code } }) => { postMessage({ id, begun: true }); while (code.includes("stall")); postMessage({ id, spans: [0, 0, 4] }) }'
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  await say(page, '```js\nstall\n```\n\n```js\nnext one\n```')
  await until(async () => (await coloured(page)).keyword?.join() === 'next', 'the next one')
  assert.equal(workers, 2)
})

test('where the worker cannot be loaded code has no colours, and nothing else changes', async (t) => {
  const page = await message(t, undefined, { expected: [/Failed to load resource/] })
  let asked = 0
  await page.route('**/code.js', (route) => {
    asked++
    return route.fulfill({ status: 404 })
  })
  await say(page, '```js\nconst a\n```')
  await until(() => asked > 0, 'the worker')
  await page.evaluate(async () => {
    const other = new Live('m2')
    const second = show(other)
    other.push({ type: 'text', block: 0, text: '```js\nconst b\n```\n\ntext' }, { type: 'done', outcome: 'completed' })
    await frames(4)
    window.second = second
  })
  assert.deepEqual(await coloured(page), {})
  assert.equal(await page.evaluate(() => second.renderRoot.querySelector('code').textContent), 'const b')
})
