// Cards for people: titles and labels in their language, pictures, progress, what was stopped, marks, and cards of the
// app's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until } from './support.mjs'
import { message, open, text } from './ui/message.mjs'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'
const words = {
  title: { en: 'Send a message', zh: '发消息' },
  labels: { '/to': { en: 'Recipient', zh: '收件人' } },
  sentence: 'send it',
}

test('a card has its title and labels in the language of the person, and says the true name when it is open', async (t) => {
  for (const [lang, title, label] of [
    ['en', 'Send a message', 'Recipient'],
    ['zh', '发消息', '收件人'],
  ]) {
    const page = await open(t)
    await page.evaluate(
      ([lang, words]) => {
        document.documentElement.lang = lang
        window.live = new Live()
        show(live)
        live.push(
          {
            type: 'card',
            block: 0,
            call: 1,
            name: 'message.send',
            status: 'success',
            arguments: { to: 'Lin' },
            output: 'ok',
            words,
          },
          { type: 'text', block: 1, text: 'x' },
          {
            type: 'card',
            block: 2,
            call: 2,
            name: 'srv.wipe',
            status: 'success',
            arguments: {},
            output: 'ok',
            words: { from: 'a server', title: 'Read only' },
          },
        )
      },
      [lang, words],
    )
    await until(async () => (await text(page)).includes(`${label}: Lin`), 'the label')
    const shown = await text(page)
    assert.ok(shown.includes(title) && !shown.includes('message.send'), shown)
    assert.ok(
      shown.includes('srv.wipe') && !shown.includes('Read only'),
      "a stranger's words do not stand in the place of a name",
    )
    await page.getByRole('button', { name: title }).click()
    assert.match(await text(page), /message\.send/)
  }
})

test('the picture of a card is its own, else of the first word of its name that fits, else of its tags', async (t) => {
  const page = await message(t, () => {
    const own =
      "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><circle cx='4' cy='4' r='4'/></svg>"
    const all = [
      ['message.send', ['write']],
      ['db.query'],
      ['a.b', ['look up']],
      ['update.all', []],
      ['x.y', [], { icon: 'trash' }],
      ['x.z', [], { icon: own }],
      ['x.v', [], { icon: 'data:image/svg+xml,<svg' }],
    ]
    all.forEach(([name, tags, words], at) =>
      live.push({
        type: 'card',
        block: at,
        call: at + 1,
        name,
        status: 'success',
        arguments: {},
        output: '',
        tags,
        words,
      }),
    )
  })
  const drawn = () =>
    page.evaluate(() =>
      [...element.renderRoot.querySelectorAll('sluice-card')].map((card) => {
        const own = card.renderRoot.querySelector('.own.drawn')
        return own
          ? getComputedStyle(own).maskImage.slice(0, 25)
          : card.renderRoot
              .querySelector('.picture svg')
              .innerHTML.replace(/<!--.*?-->/g, '')
              .slice(0, 30)
      }),
    )
  await until(async () => (await drawn())[5].startsWith('url("data:image/svg+xml,'), 'the own picture')
  const [mail, data, , tool, trash, own, broken] = await drawn()
  assert.match(mail, /^<rect x="3" y="5"/)
  assert.match(data, /^<ellipse/)
  assert.equal(tool, broken, 'what cannot be drawn is left to the kit')
  assert.match(trash, /^<path d="M4 7h16/)
  assert.match(own, /^url/)
})

test('a bar stands for what a tool says of how far it is', async (t) => {
  const page = await message(t, () =>
    live.push({ type: 'card', block: 0, call: 1, name: 'album.make', status: 'executing', arguments: {} }),
  )
  for (const [said, share] of [
    ['12 / 40 pictures', 0.3],
    ['7 of 10', 0.7],
    ['45 %', 0.45],
    ['99.5%', 0.995],
    ['at 2026/11/23', null],
    ['version 3.1/2', null],
    ['40 of 12', null],
    ['140 %', null],
    ['reading', null],
    [`${'9'.repeat(50_000)}`, null],
  ]) {
    await page.evaluate((text) => live.push({ type: 'progress', call: 1, text }), said)
    const bar = page.getByRole('progressbar')
    if (share === null) await until(async () => (await bar.count()) === 0, `no bar for ${said.slice(0, 30)}`)
    else
      await until(
        async () => (await bar.count()) === 1 && Math.abs(Number(await bar.getAttribute('value')) - share) < 1e-9,
        `a bar for ${said}`,
      )
  }
})

test('what the person stopped is grey, and says that it may have happened only where it changes something', async (t) => {
  const page = await message(t, () => {
    live.push(
      { type: 'card', block: 0, call: 1, name: 'album.make', status: 'unknown', reason: 'cancelled', arguments: {} },
      {
        type: 'card',
        block: 1,
        call: 2,
        name: 'web.read',
        status: 'unknown',
        reason: 'cancelled',
        reads: true,
        arguments: {},
      },
    )
    live.push({ type: 'card', block: 2, call: 3, name: 'code.run', status: 'unknown', arguments: {} })
  })
  const cards = await page.evaluate(() =>
    [...element.renderRoot.querySelectorAll('sluice-card')].map((card) => [
      card.renderRoot.querySelector('.card').classList.contains('off'),
      seen(card),
    ]),
  )
  assert.match(cards[0][1], /Stopped[^]*It may already have happened/)
  assert.doesNotMatch(cards[1][1], /may already/)
  assert.match(cards[2][1], /Outcome unknown/)
  assert.deepEqual(
    cards.map(([grey]) => grey),
    [true, true, false],
  )
})

test('a failure is told once', async (t) => {
  const page = await message(t, () =>
    live.push({
      type: 'card',
      block: 0,
      call: 1,
      name: 'file.read',
      status: 'error',
      arguments: { path: '/x' },
      error: 'EACCES: no',
      output: 'EACCES: no',
      modelOutput: 'Error: EACCES: no',
    }),
  )
  assert.equal((await text(page)).match(/EACCES/g).length, 1)
  await page.getByRole('button', { name: /file\.read/ }).click()
  assert.equal((await text(page)).match(/EACCES/g).length, 1)
})

test('pictures of a result are small on the closed card, and large on a click: arrows, Escape, saving', async (t) => {
  const page = await message(t, (png) => 0)
  await page.evaluate(
    (png) =>
      live.push({
        type: 'card',
        block: 0,
        call: 1,
        name: 'camera.shoot',
        status: 'success',
        arguments: {},
        output: '',
        parts: Array.from({ length: 6 }, () => ({ type: 'image', mediaType: 'image/png', data: png })),
      }),
    png,
  )
  const thumbs = page.getByRole('button', { name: /^Picture \d of 6$/ })
  await until(async () => (await thumbs.count()) === 4, 'the pictures')
  assert.match(await text(page), /\+2/)
  await thumbs.nth(1).click()
  const box = page.getByRole('dialog')
  await box.getByText('Picture 2 of 6').waitFor()
  await page.keyboard.press('ArrowRight')
  await box.getByText('Picture 3 of 6').waitFor()
  await picture(page, 'card-lightbox')
  const download = page.waitForEvent('download')
  await box.getByText('Save').click()
  assert.equal((await download).suggestedFilename(), 'picture-3.png')
  await page.keyboard.press('Escape')
  await until(async () => (await box.count()) === 0, 'it to close')
})

test('a card of what nobody waits for is a mark at the edge, which says what it was; a failure is told there', async (t) => {
  for (const [colorScheme, lang, said] of [
    ['light', 'en', 'look surprised'],
    ['dark', 'zh', '做出surprised的表情'],
  ]) {
    const page = await open(t, { colorScheme })
    await page.evaluate((lang) => {
      document.documentElement.lang = lang
      const words = { sentence: { en: 'look **{name}**', zh: '做出**{name}**的表情' } }
      const add = (card) => {
        const line = Object.assign(document.createElement('p'), { textContent: 'Wait. You got the job?' })
        document.querySelector('#stage').append(
          line,
          Object.assign(document.createElement('sluice-card'), {
            card: { type: 'tool_use', call: 1, silent: true, status: 'success', ...card },
          }),
        )
      }
      add({ name: 'live2d.expression', arguments: { name: 'surprised' }, words })
      add({ name: 'live2d.motion', arguments: { group: 'Dance' }, notice: 'the pet has no motion "Dance"' })
    }, lang)
    const mark = page.getByRole('button', { name: said, exact: true })
    await mark.waitFor()
    await page.getByRole('button', { name: 'live2d.motion group: Dance: the pet has no motion "Dance"' }).waitFor()
    assert.deepEqual(
      await page.evaluate(() =>
        [...document.querySelectorAll('sluice-card')].map((card) => card.getBoundingClientRect().height),
      ),
      [0, 0],
      'they take no room',
    )
    await picture(page, `card-marks-${colorScheme}`)
    await mark.click()
    await until(async () => /live2d\.expression/.test(await text(page, 'sluice-card')), 'the card')
  }
})

test('an app draws cards itself; what throws, or gives nothing, is the plain card', async (t) => {
  const page = await message(t, () =>
    live.push({
      type: 'card',
      block: 0,
      call: 1,
      name: 'weather.now',
      status: 'success',
      arguments: { city: 'Hangzhou' },
      output: '21',
      durationMs: 420,
    }),
  )
  await page.evaluate(async () => {
    const { registerCards } = await import('/sluice/ui/index.js')
    window.cards = registerCards
    window.calls = []
    window.off = registerCards({
      'weather.now': {
        open: true,
        line: ({ output }) => `${output} °C‮`,
        render(card, { lang, node }) {
          calls.push([card.status, lang, node !== undefined])
          return Object.assign(node ?? document.createElement('b'), { textContent: `It is ${card.output} degrees` })
        },
      },
    })
  })
  await page.getByText('It is 21 degrees').waitFor()
  assert.match(await text(page), /21 °C⟨U\+202E⟩[^]*Done/)
  await page.evaluate(() => live.push({ type: 'card', block: 0, call: 1, output: '22' }))
  await page.getByText('It is 22 degrees').waitFor()
  assert.equal(await page.evaluate(() => calls.at(-1)[2]), true, 'the same node')
  await page.evaluate(() => off())
  await until(async () => (await page.getByText('It is').count()) === 0, 'it to go')
  assert.match(await text(page), /city: Hangzhou/)
  for (const broken of ['throws', 'null']) {
    await page.evaluate((broken) => {
      addEventListener('error', (event) => event.preventDefault(), { once: true })
      window.off = window.cards({
        'weather.now': {
          open: true,
          render: () => {
            if (broken === 'throws') throw new Error('no')
            return null
          },
        },
      })
    }, broken)
    await page.evaluate(() => frames(2))
    assert.match(await text(page), /city: Hangzhou[^]*Done/, broken)
    await page.evaluate(() => off())
  }
  await page.evaluate(() => {
    customElements.define(
      'my-weather',
      class extends HTMLElement {
        set card(card) {
          this.textContent = `mine: ${card.output}`
        }
      },
    )
    window.cards({ 'weather.now': 'my-weather' })
  })
  await page.getByText('mine: 22').waitFor()
})

test('the calls of a round are one line that opens into their cards; a question and what a person opened stay', async (t) => {
  for (const [lang, going, done, failed] of [
    ['en', '1 of 3 …', 'Looked up 3 things', '3 calls, 1 failed'],
    ['zh', '3 个调用，完成 1 个…', '查了 3 样东西', '3 个调用，1 个失败'],
  ]) {
    const page = await open(t)
    await page.evaluate((lang) => {
      document.documentElement.lang = lang
      window.live = new Live()
      window.element = show(live, { calls: 'folded' })
      window.words = { done: { en: 'Looked up {count} things', zh: '查了 {count} 样东西' } }
      window.call = (block, fields) =>
        live.push({
          type: 'card',
          block,
          call: block + 1,
          name: 'web.search',
          arguments: { query: `q${block}` },
          words,
          startedAt: 1000 + block,
          ...fields,
        })
      call(0, { status: 'success', durationMs: 400 })
    }, lang)
    await page.evaluate(() => frames(2))
    assert.match(await text(page), /q0/, 'one alone is a card')
    await page.evaluate(() => {
      call(1, { status: 'executing' })
      live.push({ type: 'text', block: 2, text: '\n' })
      call(3, { status: 'executing' })
    })
    const line = page.locator('.calls')
    await until(async () => (await line.count()) === 1 && (await line.innerText()).includes(going), 'the line')
    assert.doesNotMatch(await text(page), /q0/)
    await page.evaluate(() => {
      call(1, { status: 'success', durationMs: 1199 })
      call(3, { status: 'success', durationMs: 100 })
      live.push({ type: 'text', block: 4, text: 'So.' })
    })
    await until(async () => (await line.innerText()).replace(/\s+/g, ' ').includes(`${done} 1.2`), 'the end')
    await picture(page, `calls-line-${lang}`)
    await line.click()
    for (const query of ['q0', 'q1', 'q3']) assert.ok((await text(page)).includes(query), query)
    await page
      .getByRole('button', { name: /web\.search/ })
      .nth(1)
      .click()
    await line.click()
    assert.equal(await page.locator('sluice-card:visible').count(), 1, 'what the person opened stays')
    await page.evaluate(() => call(3, { status: 'error', error: 'no' }))
    await until(async () => (await line.innerText()).includes(failed), 'the failure')
    await page.evaluate(() =>
      live.push(...asking(5, 'file.delete', { path: '/a' }), ...asking(6, 'file.delete', { path: '/b' })),
    )
    await until(async () => (await page.locator('sluice-approval:visible').count()) === 2, 'both questions')
    await page.evaluate(() => {
      element.calls = 'each'
    })
    await until(
      async () => (await line.count()) === 0 && (await page.locator('sluice-card:visible').count()) === 5,
      'all cards',
    )
  }
})
