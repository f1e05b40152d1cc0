// <sluice-thread> with a client that the test plays: what stands in the page, what is followed, what is offered and
// read out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { picture, until, useBrowser } from './support.mjs'
import { usePages } from './ui/server.mjs'

const browser = useBrowser()
const pages = usePages()

async function open(t, properties = {}, options = {}) {
  const page = await browser.page(t, options)
  await page.goto(`${pages.url}/chat.html${options.locale?.startsWith('zh') ? '?lang=zh' : ''}`)
  await page.waitForFunction(() => window.chatReady)
  if (options.locale?.startsWith('zh'))
    await page.evaluate(() => {
      document.documentElement.lang = 'zh-CN'
    })
  await page.evaluate((given) => start('sluice-thread', given), properties)
  return page
}
const ids = (page) =>
  page.evaluate(() => [...element.shadowRoot.querySelectorAll('sluice-entry')].map((one) => one.entry.id))
const scroller = (page) => page.locator('sluice-thread .scroller')
const top = (page) => scroller(page).evaluate((one) => one.scrollTop)
const atEnd = (page) => scroller(page).evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 40)
const calls = (page) => page.evaluate(() => client.calls)
const settle = (page) => page.evaluate(() => frames(3))

test('what fills the view is in the page at once, the rest of the last 100 once it has time, and nothing in sight moves', async (t) => {
  const page = await open(t)
  const { counts, places, filled } = await page.evaluate(async () => {
    client.open().set({ entries: many(client, 500) })
    const [counts, places] = [[], new Set()]
    const scroller = element.shadowRoot.querySelector('.scroller')
    let filled
    while (counts.at(-1) !== 100) {
      await frames(1)
      await new Promise((resolve) => setTimeout(resolve)) // behind the frame, as a person sees it
      const shown = [...element.shadowRoot.querySelectorAll('sluice-entry')]
      counts.push(shown.length)
      filled ??= scroller.scrollHeight > scroller.clientHeight
      places.add(Math.round(shown.at(-1).getBoundingClientRect().bottom))
      if (counts.length > 2000) break
    }
    return { counts, places: [...places], filled }
  })
  assert.ok(counts[0] < 60 && filled, `${counts[0]} at once`)
  assert.equal(counts.at(-1), 100)
  assert.equal(places.length, 1, `the last one stood at ${places}`)
  assert.ok(await atEnd(page))
})

test('a person’s own text has no letters turned round either, and stays what it was where it is edited', async (t) => {
  const page = await open(t)
  await page.evaluate(() =>
    client.open().set({ entries: [{ id: 'q', role: 'user', text: 'open \u202egnp.exe, \u2067שלום\u2069', at: 1 }] }),
  )
  await settle(page)
  assert.equal(await page.locator('sluice-entry .words').textContent(), 'open \ufffdgnp.exe, \u2067שלום\u2069')
  await page.getByRole('button', { name: 'Change the question' }).click()
  assert.equal(await page.locator('sluice-entry textarea').inputValue(), 'open \u202egnp.exe, \u2067שלום\u2069')
})

test('whoever scrolls up while the page is filled is left where they are', async (t) => {
  const page = await open(t)
  const { before, after } = await page.evaluate(async () => {
    const idle = []
    window.requestIdleCallback = (run) => idle.push(run) // it has no time yet
    client.open().set({ entries: many(client, 500) })
    await frames(3)
    const scroller = element.shadowRoot.querySelector('.scroller')
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -300 }))
    scroller.scrollTop -= 300
    await frames(2)
    const place = () =>
      [...element.shadowRoot.querySelectorAll('sluice-entry')]
        .map((one) => [one.entry.id, Math.round(one.getBoundingClientRect().top)])
        .find(([, top]) => top > 100)
    const before = place()
    for (const run of idle.splice(0)) run()
    await frames(3)
    const same = [...element.shadowRoot.querySelectorAll('sluice-entry')].find((one) => one.entry.id === before[0])
    return { before, after: [before[0], Math.round(same.getBoundingClientRect().top)] }
  })
  assert.deepEqual(after, before)
})

test('the last 100 of 1,000 entries are in the page, earlier ones come on scrolling up, and never more than 300 are there', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    const all = many(client, 1000)
    client.open().older = all
    client.open().set({ entries: all.slice(-500), forgotten: 500 })
  })
  let shown
  await until(async () => (shown = await ids(page)).length >= 100, 'the last 100')
  assert.deepEqual([shown.length, shown[0], shown.at(-1)], [100, 'e900', 'e999'])
  assert.ok(await atEnd(page))
  let most = 0
  await until(async () => {
    await scroller(page).evaluate((one) => {
      one.scrollTop = Math.max(0, one.scrollTop - 4000)
    })
    await settle(page)
    shown = await ids(page)
    most = Math.max(most, shown.length)
    return shown[0] === 'e0'
  }, 'the first entry')
  assert.ok(most <= 300, `${most} in the page`)
  assert.deepEqual(
    (await calls(page)).filter(([name]) => name === 'earlier').map(([, id]) => id),
    ['e500', 'e400', 'e300', 'e200', 'e100'],
  )
  assert.equal(new Set(shown).size, shown.length)
  assert.equal(await page.locator('sluice-entry .entry').first().getAttribute('aria-posinset'), '1')
  assert.equal(await page.locator('sluice-entry .entry').first().getAttribute('aria-setsize'), '1000')
  await page.getByRole('button', { name: /^Latest/ }).click()
  await until(async () => (await ids(page)).at(-1) === 'e999' && (await atEnd(page)), 'the end')
})

test('what is read stays where it is while entries come in above it', async (t) => {
  const page = await open(t)
  await page.evaluate(() => client.open().set({ entries: many(client, 300) }))
  await settle(page)
  await scroller(page).hover()
  await page.mouse.wheel(0, -900)
  await settle(page)
  const place = () =>
    page.evaluate(() => {
      const from = element.shadowRoot.querySelector('.scroller').getBoundingClientRect().top
      const one = [...element.shadowRoot.querySelectorAll('sluice-entry')].find(
        (entry) => entry.getBoundingClientRect().bottom > from + 100,
      )
      return [one.entry.id, Math.round(one.getBoundingClientRect().top)]
    })
  const count = (await ids(page)).length
  await scroller(page).evaluate((one) => {
    one.scrollTop = 590
  })
  const [id, y] = await place()
  await until(async () => (await ids(page)).length > count, 'more above')
  await settle(page)
  const now = await page.evaluate(
    (id) =>
      Math.round(
        [...element.shadowRoot.querySelectorAll('sluice-entry')]
          .find((one) => one.entry.id === id)
          .getBoundingClientRect().top,
      ),
    id,
  )
  assert.ok(Math.abs(now - y) < 8, `${id} went from ${y} to ${now}`)
})

test('entries are kept by their ids: what the host forgets stays, and a shifted list moves nothing', async (t) => {
  const page = await open(t)
  await page.evaluate(() => client.open().set({ entries: many(client, 6) }))
  await settle(page)
  await page.evaluate(() => {
    window.kept = [...element.shadowRoot.querySelectorAll('sluice-entry')]
  })
  await page.evaluate(() => client.open().set({ entries: many(client, 6, 2), forgotten: 2 }))
  await settle(page)
  assert.deepEqual(await ids(page), ['e0', 'e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7'])
  assert.ok(
    await page.evaluate(() => kept.every((one, at) => one === element.shadowRoot.querySelectorAll('sluice-entry')[at])),
    'the same elements',
  )
  await page.evaluate(() =>
    client.open().set({
      entries: [...many(client, 2, 2), { id: 'other', role: 'user', text: 'Another branch', at: 1 }],
      forgotten: 2,
    }),
  )
  await settle(page)
  assert.deepEqual(await ids(page), ['e0', 'e1', 'e2', 'e3', 'other'])
})

/** Waits until nothing scrolls any more: a key scrolls smoothly. */
const still = (page) =>
  page.evaluate(async () => {
    const scroller = element.shadowRoot.querySelector('.scroller')
    for (let top, same = 0; same < 10; same = scroller.scrollTop === top ? same + 1 : 0) {
      top = scroller.scrollTop
      await frames(1)
    }
  })

test('the end is followed until a person looks away; what came since is counted, and who asks is taken along', async (t) => {
  const page = await open(t)
  await page.evaluate(() => client.open().set({ entries: many(client, 40) }))
  await settle(page)
  const grow = () =>
    page.evaluate(async () => {
      window.live ??= client.ask('More', [{ type: 'text', block: 0, text: 'a\n' }])
      for (let at = 0; at < 30; at++) live.push({ type: 'text', block: 0, text: 'line\n' })
      await frames(3)
    })
  await grow()
  assert.ok(await atEnd(page))
  assert.equal(await page.evaluate(() => element.follow), true)
  await scroller(page).hover()
  await page.mouse.wheel(0, -300)
  await until(async () => !(await page.evaluate(() => element.follow)), 'letting go')
  await still(page)
  const before = await top(page)
  await grow()
  assert.equal(await top(page), before)
  await page.evaluate(() => {
    const { entries } = client.open().getSnapshot()
    client.open().set({ entries: [...entries, ...many(client, 1, 101), ...many(client, 1, 103)] })
  })
  await page.getByRole('button', { name: 'Latest ↓ 2' }).waitFor()
  assert.equal(await top(page), before)
  await picture(page, 'chat-latest')
  await page.evaluate(() => client.ask('And now?'))
  await until(() => atEnd(page), 'the end of who asked')
  assert.equal(await page.getByRole('button', { name: /^Latest/ }).count(), 0)
  for (const [how, act] of [
    [
      'a key',
      async () => {
        await scroller(page).focus()
        await page.keyboard.press('PageUp')
      },
    ],
    [
      'a selection',
      async () => {
        const box = await page.locator('sluice-entry .words').last().boundingBox()
        await page.mouse.move(box.x + 2, box.y + 5)
        await page.mouse.down()
        await page.mouse.move(box.x + 40, box.y + 6, { steps: 4 })
        await page.mouse.up()
      },
    ],
  ]) {
    await page.evaluate(() => element.scrollToEnd())
    await until(() => page.evaluate(() => element.follow), 'the end')
    await act()
    await until(async () => !(await page.evaluate(() => element.follow)), how)
    await still(page)
  }
})

test('who opens something keeps its place, though the end was followed in the same frame', async (t) => {
  const page = await open(t)
  await page.evaluate(() => client.open().set({ entries: many(client, 40) }))
  await settle(page)
  assert.equal(
    await page.evaluate(async () => {
      const scroller = element.shadowRoot.querySelector('.scroller')
      const summary = document.createElement('summary')
      element.shadowRoot.querySelector('.entries').append(summary)
      scroller.scrollTop = 0
      element.scrollToEnd() // its scroll event comes with the next frame
      summary.click()
      await frames(3)
      summary.remove()
      return element.follow
    }),
    false,
  )
})

test('who opens something keeps its place, though earlier entries come above it', async (t) => {
  const page = await open(t)
  assert.deepEqual(
    await page.evaluate(async () => {
      client.open().set({ entries: many(client, 500) })
      await frames(2)
      const entries = element.shadowRoot.querySelector('.entries')
      const before = entries.childElementCount
      const summary = entries.appendChild(document.createElement('summary'))
      element.scrollToEnd()
      summary.click()
      await frames(20)
      const more = entries.childElementCount > before + 1
      summary.remove()
      return { more, follow: element.follow }
    }),
    { more: true, follow: false },
  )
})

test('the end stays in sight when the window gets another size', async (t) => {
  const page = await open(t, {}, { viewport: { width: 320, height: 256 } })
  await page.evaluate(() => client.open().set({ entries: many(client, 40) }))
  await settle(page)
  for (const [width, height] of [
    [1280, 800],
    [320, 256],
    [900, 700],
    [360, 740],
  ]) {
    await page.setViewportSize({ width, height })
    await until(() => atEnd(page), `the end at ${width} × ${height}`)
    await still(page)
    assert.ok(await atEnd(page))
    assert.equal(await page.evaluate(() => element.follow), true)
  }
})

test('who asks for the end gets it, though a scroll was on its way', async (t) => {
  const page = await open(t)
  await page.evaluate(() => client.open().set({ entries: many(client, 40) }))
  await settle(page)
  await scroller(page).hover()
  await page.mouse.wheel(0, -2000)
  await until(async () => !(await page.evaluate(() => element.follow)), 'letting go')
  await page.evaluate(async () => {
    element.scrollToEnd()
    element.shadowRoot.querySelector('.scroller').scrollTop -= 300 // as the rest of a smooth scroll does
    await frames(3)
  })
  await until(() => atEnd(page), 'the end')
  assert.equal(await page.evaluate(() => element.follow), true)
  await page.mouse.wheel(0, -300)
  await until(async () => !(await page.evaluate(() => element.follow)), 'letting go again')
})

for (const [lang, ends] of Object.entries({
  en: {
    goOn: 'Go on',
    again: 'Ask again',
    empty: 'No answer came.',
    length: 'The answer was cut at its length limit.',
    filter: 'The provider withheld the rest.',
    interrupted: 'This answer was interrupted.',
    blind: [
      'This model cannot see pictures',
      'Choose a model that can, and ask again. Your next message goes without pictures.',
    ],
  },
  zh: {
    goOn: '继续',
    again: '再问一次',
    empty: '没有收到回答。',
    length: '回答达到长度上限，被截断了。',
    filter: '模型服务没有给出其余内容。',
    interrupted: '这个回答中断了。',
    blind: ['这个模型看不了图片', '换一个能看图的模型再问一次。接下来写的内容会不带图片发送。'],
  },
})) {
  test(`a bad end is said behind the text, with what can be done about it: ${lang}`, async (t) => {
    const page = await open(t, {}, { locale: lang === 'zh' ? 'zh-CN' : 'en-US', viewport: { width: 360, height: 700 } })
    const ways = () => page.locator('sluice-entry .ways button').allInnerTexts()
    const ask = async (deltas) => {
      await page.evaluate((deltas) => client.ask('A', deltas), deltas)
      await settle(page)
      return [
        await page
          .locator('sluice-message')
          .last()
          .evaluate((one) => seen(one)),
        await ways(),
      ]
    }
    const text = { type: 'text', block: 0, text: 'I am afraid' }
    const both = [ends.goOn, ends.again]
    for (const [deltas, words, offered] of [
      [[{ type: 'done', outcome: 'completed', finishReason: 'stop' }], ends.empty, [ends.again]],
      [[text, { type: 'done', outcome: 'completed', finishReason: 'length' }], ends.length, both],
      [[text, { type: 'done', outcome: 'completed', finishReason: 'content_filter' }], ends.filter, [ends.again]],
      [
        [
          text,
          { type: 'error', block: 1, code: 'unfinished', detail: 'the stream ended' },
          { type: 'done', outcome: 'failed' },
        ],
        'the stream ended',
        both,
      ],
      ...ends.blind.map((words) => [
        [
          {
            type: 'error',
            block: 0,
            code: 'pictures_unsupported',
            detail: 'HTTP 400: this model does not support image input',
            hint: 'for the host',
          },
          { type: 'done', outcome: 'failed' },
        ],
        words,
        [ends.again],
      ]),
      [
        [
          { type: 'error', block: 0, code: 'network', detail: 'ECONNREFUSED' },
          { type: 'done', outcome: 'failed' },
        ],
        'ECONNREFUSED',
        [ends.again],
      ],
      [[text, { type: 'done', outcome: 'limit' }], 'I am afraid', [ends.goOn]],
      [[text, { type: 'done', outcome: 'cancelled' }], 'I am afraid', both],
      [[text, { type: 'done', outcome: 'completed', finishReason: 'stop' }], 'I am afraid', []],
    ]) {
      const [shown, buttons] = await ask(deltas)
      assert.ok(shown.includes(words), `${shown} has no ${words}`)
      assert.deepEqual(buttons, offered, words)
    }
    await ask([text, { type: 'done', outcome: 'cancelled' }])
    await picture(page, `chat-ends-${lang}`)
    await page.getByRole('button', { name: ends.goOn }).click()
    await page.getByRole('button', { name: ends.again, exact: true }).click()
    const [goOn, again] = (await calls(page)).slice(-2)
    assert.deepEqual([goOn[0], again[0], goOn[1]], ['goOn', 'regenerate', again[1]])
    await page.evaluate(() =>
      client
        .open()
        .set({ entries: [...client.open().getSnapshot().entries, { id: 'q', role: 'user', text: 'Lost', at: 1 }] }),
    )
    await page.getByText(ends.interrupted).waitFor()
    assert.deepEqual(await ways(), [ends.again])
  })
}

test('time and tokens stand beneath the last answer, all of them or none where the app wants it', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    for (const tokens of [12, 1234]) {
      client.ask('A', [
        { type: 'text', block: 0, text: 'B' },
        { type: 'usage', round: 1, inputTokens: 5000, outputTokens: tokens, cachedTokens: 4000 },
        { type: 'round', round: 1, finishReason: 'stop', startedAt: 1000, endedAt: 9200, model: 'qwen3:8b' },
        { type: 'done', outcome: 'completed', finishReason: 'stop' },
      ])
    }
  })
  await settle(page)
  const usage = () =>
    page
      .locator('sluice-entry .usage')
      .evaluateAll((all) => all.map((one) => [one.innerText.split('\n')[0].replace(one.title, '').trim(), one.title]))
  const [[line, title]] = await usage()
  assert.equal(line, '8.2 s · 1.2k tokens')
  assert.equal(title, '5,000 tokens in · 1,234 out · 4,000 of the input cached · qwen3:8b')
  assert.equal((await usage()).length, 1)
  await page.evaluate(() => {
    element.usage = 'all'
  })
  await settle(page)
  assert.deepEqual(
    (await usage()).map(([line]) => line),
    ['8.2 s · 12 tokens', '8.2 s · 1.2k tokens'],
  )
  await page.evaluate(() => {
    element.usage = 'none'
  })
  await settle(page)
  assert.equal((await usage()).length, 0)
})

test('a turn is read out once, at its end, and every question once more', async (t) => {
  const page = await open(t, { name: 'Lulu' })
  await page.evaluate(() => client.open().set({ entries: many(client, 4) }))
  await settle(page)
  await page.evaluate(() => hear())
  await page.evaluate(async () => {
    const live = client.ask('Tell Lin')
    await frames(2)
    live.push({ type: 'text', block: 0, text: 'I will ' })
    await frames(2)
    live.push({ type: 'text', block: 0, text: 'tell Lin.' }, ...asking(1, 'message.send', { to: 'Lin' }))
    await frames(2)
    await new Promise((done) => setTimeout(done, 900))
    live.push({ type: 'card', block: 1, call: 2, status: 'executing' })
    await frames(2)
    live.push({ type: 'card', block: 1, call: 2, status: 'success' })
    await frames(2)
    live.push({ type: 'text', block: 2, text: 'Done.' }, { type: 'done', outcome: 'completed', finishReason: 'stop' })
    await frames(3)
  })
  const heard = (await page.evaluate(() => window.heard)).filter(([, text]) => !/become active|decide now/.test(text))
  assert.deepEqual(heard, [
    ['alert', 'Approval needed: Lulu wants to use message.send.'],
    ['status', 'Lulu: I will tell Lin.\nDone.\n1 tool used'],
  ])
})

test('sentences are read out as they come, each once, and nothing at the end', async (t) => {
  const page = await open(t, { announce: 'sentences', name: 'Lulu' })
  await page.evaluate(async () => {
    hear()
    const live = client.ask('Hello')
    await frames(2)
    for (const text of ['It rains. Take', ' the umbrella. ', 'Bye']) {
      live.push({ type: 'text', block: 0, text })
      await frames(2)
    }
    live.push({ type: 'done', outcome: 'completed', finishReason: 'stop' })
    await frames(3)
  })
  assert.deepEqual(
    (await page.evaluate(() => heard)).map(([, text]) => text),
    ['It rains.', 'Take the umbrella.', 'Bye'],
  )
})

test('entries are articles of a feed with hidden headings; Page Up and Down lead from one to the next', async (t) => {
  const page = await open(t, { name: 'Lulu' })
  await page.evaluate(() => client.open().set({ entries: many(client, 6) }))
  await settle(page)
  const tree = await scroller(page).ariaSnapshot()
  assert.match(tree, /feed "Conversation"/)
  assert.match(tree, /article "You, \d\d:\d\d [AP]M"/)
  assert.match(tree, /heading "Lulu, \d\d:\d\d [AP]M" \[level=3\]/)
  assert.equal(await page.locator('sluice-message [role=article]').count(), 0, 'an answer is one article')
  await page
    .locator('sluice-entry')
    .nth(3)
    .evaluate((one) => one.focus())
  await page.keyboard.press('PageDown')
  const focused = () => page.evaluate(() => element.shadowRoot.activeElement?.entry?.id)
  assert.equal(await focused(), 'e4')
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  assert.equal(await focused(), 'e2')
  assert.equal(await scroller(page).getAttribute('tabindex'), '0')
})

test('thirty calls of a round are one line, and a card for each where the app wants that', async (t) => {
  const page = await open(t)
  await page.evaluate(() =>
    client.ask('Look', [
      ...Array.from({ length: 30 }, (_, at) => ({
        type: 'card',
        block: at,
        call: at + 1,
        name: 'web.search',
        status: 'success',
        arguments: { query: `q${at}` },
      })),
      { type: 'text', block: 30, text: 'So.' },
      { type: 'done', outcome: 'completed', finishReason: 'stop' },
    ]),
  )
  await settle(page)
  const answer = page.locator('sluice-message')
  assert.equal(await answer.locator('.calls').count(), 1)
  assert.ok((await answer.boundingBox()).height < 160, `${(await answer.boundingBox()).height} px`)
  await page.evaluate(() => {
    element.calls = 'each'
  })
  await until(async () => (await answer.locator('sluice-card:visible').count()) === 30, 'the cards')
})

test("a person's own long text is folded behind 12 lines, answers never", async (t) => {
  const page = await open(t)
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n')
  await page.evaluate((lines) => client.ask(lines, said(lines)), lines)
  await settle(page)
  const bubble = page.locator('.mine')
  assert.ok((await bubble.boundingBox()).height < 360)
  assert.ok((await page.locator('sluice-message').boundingBox()).height > 3000)
  const button = bubble.getByRole('button', { name: 'Show more' })
  assert.equal(await button.getAttribute('aria-expanded'), 'false')
  await button.click()
  assert.ok((await bubble.boundingBox()).height > 3000)
  await bubble.getByRole('button', { name: 'Show less' }).click()
  assert.ok((await bubble.boundingBox()).height < 360)
})

for (const scheme of ['light', 'dark']) {
  test(`a conversation looks like one: ${scheme}`, async (t) => {
    const page = await open(t, { name: 'Lulu' }, { colorScheme: scheme })
    await page.evaluate(() => {
      client.ask(
        'What about the weather?',
        [
          { type: 'text', block: 0, text: 'Rain at four.' },
          { type: 'round', round: 1, startedAt: 0, endedAt: 8000 },
          { type: 'usage', round: 1, outputTokens: 1200 },
          { type: 'done', outcome: 'completed', finishReason: 'stop' },
        ],
        { branch: { index: 1, count: 3 }, at: Date.now() - 200_000_000 },
      )
      client.ask('And tomorrow?', [
        { type: 'text', block: 0, text: 'Let me look.' },
        { type: 'error', block: 1, code: 'http', detail: '503 overloaded' },
        { type: 'done', outcome: 'failed' },
      ])
    })
    await settle(page)
    await picture(page, `chat-thread-${scheme}`)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
  })
}
