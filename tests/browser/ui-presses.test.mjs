// A decision counts only if its press began on the same button, while it was armed for the same question.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './support.mjs'
import { open } from './ui/message.mjs'

/** How each element shows its questions, and which buttons decide. */
const elements = {
  approval: { calls: 1, buttons: ['.approve', '.deny'] },
  message: { calls: 1, buttons: ['.approve', '.deny'] },
  all: { calls: 2, buttons: ['.approve-all', '.deny-all'] },
  bar: { calls: 2, buttons: ['.allow', '.refuse'] },
  dialog: { calls: 1, buttons: ['.approve', '.deny'] },
}

/** The events between press and release. */
const changes = ['another question', 'other arguments', 'the same again', 'nothing']

/** Where a press begins and ends, by the centre of a button. */
const presses = {
  mouse: {
    down: async ({ page }, { x, y }) => {
      await page.mouse.move(x, y)
      await page.mouse.down()
    },
    up: ({ page }) => page.mouse.up(),
  },
  touch: {
    down: ({ touch }, { x, y }) => touch('touchStart', [{ x, y }]),
    up: ({ touch }) => touch('touchEnd', []),
  },
  Enter: { down: ({ page }) => page.keyboard.down('Enter'), up: ({ page }) => page.keyboard.up('Enter'), atOnce: true },
  space: { down: ({ page }) => page.keyboard.down('Space'), up: ({ page }) => page.keyboard.up('Space') },
}

async function ready(t) {
  const page = await open(t, { hasTouch: true, times: 5, viewport: { width: 900, height: 1200 } })
  const session = await page.context().newCDPSession(page)
  await page.evaluate(() => {
    window.put = (calls, change, token) => {
      for (let at = 0; at < calls; at++) {
        const [card, { ask }] = asking(
          at,
          'file.read',
          { path: change === 'other arguments' ? '/home/me' : '/tmp/a' },
          {
            ...(change === 'another question' && { call: at + 11 }),
            ask: { token: `${token}${at}`, annotations: { readOnlyHint: true }, policy: 'ask_always' },
          },
        )
        if (kind !== 'approval')
          live.push(
            ...(change === 'another question' ? [{ type: 'card', block: at, call: at + 1, status: 'denied' }] : []),
            { ...card, block: change === 'another question' ? at + 10 : at },
            { type: 'ask', ask },
          )
        else Object.assign(element, { ask, card })
      }
    }
    window.begin = (one, calls) => {
      document.querySelector('#stage').replaceChildren()
      window.kind = one
      window.live = new Live()
      live.settles = false
      const name = { approval: 'sluice-approval', bar: 'sluice-questions' }[one] ?? 'sluice-message'
      window.element = Object.assign(
        document.createElement(name),
        { message: live, armMs: 60 },
        one === 'dialog' && { approvals: 'dialog' },
      )
      document.querySelector('#stage').append(element)
      put(calls, '', 'first')
    }
    /** All that fit, through shadow roots. */
    window.findAll = (selector, root = document) => [
      ...root.querySelectorAll(selector),
      ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? findAll(selector, shadowRoot) : [])),
    ]
    window.find = (selector) => findAll(selector)[0] ?? null
    /**
     * True if the questions of that token are drawn, and no others, and were seen: a row that ticks itself then lets
     * the bar wait anew.
     */
    window.drawn = (token) => {
      const asking = findAll('sluice-approval').filter(({ ask }) => ask)
      return asking.length > 0 && asking.every(({ ask, seen }) => seen && ask.token.startsWith(token))
    }
  })
  return { page, touch: (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints }) }
}

/**
 * Waits until the questions of that token were seen and a button takes an answer. Returns the centre of the button once
 * it rests.
 */
async function armedAt(page, button, token = 'first') {
  let before
  return until(
    () =>
      page
        .evaluate(
          ([button, token]) => {
            const found = find(button)
            if (found?.ariaDisabled !== 'false' || !drawn(token)) return undefined
            const { left, top, width, height } = found.getBoundingClientRect()
            return { x: left + width / 2, y: top + height / 2 }
          },
          [button, token],
        )
        .then((at) => {
          const same = at && JSON.stringify(at) === JSON.stringify(before)
          before = at
          return same && at
        }),
    `${button} to be armed`,
  )
}

for (const [kind, { calls, buttons }] of Object.entries(elements)) {
  test(`${kind}: what was pressed for one question does not answer another`, async (t) => {
    const all = await ready(t)
    const { page } = all
    for (const button of buttons) {
      for (const [how, { down, up, atOnce = false }] of Object.entries(presses)) {
        for (const change of changes) {
          const what = `${button}, ${how}, ${change}`
          await page.evaluate(([kind, calls]) => begin(kind, calls), [kind, calls])
          const at = await armedAt(page, button)
          await page.evaluate((button) => find(button).focus(), button)
          await down(all, at)
          const early = await page.evaluate(() => live.answers.length)
          assert.equal(early, atOnce ? calls : 0, `${what}: a key answers at once, others when they are let go`)
          if (change !== 'nothing') {
            await page.evaluate(([calls, change]) => put(calls, change, 'second'), [calls, change])
            await armedAt(page, button, 'second')
            await page.evaluate((button) => find(button).focus(), button)
          }
          if (how === 'Enter') await page.keyboard.down('Enter') // it repeats
          await up(all)
          await page.evaluate(() => frames(2))
          const answers = await page.evaluate(() => live.answers.map(([, token]) => token))
          const counts = atOnce || change === 'nothing'
          assert.deepEqual(answers, counts ? Array.from({ length: calls }, (_, at) => `first${at}`) : [], what)
        }
      }
    }
  })
}

test('a press that decided nothing says that the question changed; the next one answers', async (t) => {
  const all = await ready(t)
  const { page } = all
  for (const [kind, lang, words] of [
    ['approval', 'en', 'The question changed. Nothing was decided.'],
    ['all', 'zh', '问题已变，未作任何决定。'],
    ['bar', 'en', 'The question changed. Nothing was decided.'],
  ]) {
    const {
      calls,
      buttons: [, button],
    } = elements[kind]
    await page.evaluate(
      ([kind, calls, lang]) => {
        document.documentElement.lang = lang
        begin(kind, calls)
      },
      [kind, calls, lang],
    )
    await presses.mouse.down(all, await armedAt(page, button))
    await page.evaluate((calls) => put(calls, 'other arguments', 'second'), calls)
    const at = await armedAt(page, button, 'second')
    await page.mouse.up()
    const note = await until(
      () =>
        page.evaluate((button) => {
          const { textContent, role } = [...find(button).getRootNode().querySelectorAll('.note')].at(-1)
          return textContent && { textContent, role }
        }, button),
      'the note',
    )
    assert.deepEqual(note, { textContent: words, role: 'status' })
    assert.deepEqual(await page.evaluate(() => live.answers), [])
    await page.mouse.click(at.x, (await armedAt(page, button, 'second')).y)
    assert.equal(await page.evaluate(() => live.answers.length), calls)
  }
})

test('a press that began elsewhere answers nothing; a click without a press does, once its button is armed', async (t) => {
  const all = await ready(t)
  const { page } = all
  await page.evaluate(() => {
    begin('approval', 1)
    document
      .querySelector('#stage')
      .prepend(Object.assign(document.createElement('button'), { id: 'other', textContent: 'other' }))
  })
  await armedAt(page, '.deny')
  await page.evaluate(() => document.querySelector('#other').focus())
  await page.keyboard.down('Enter')
  await page.evaluate(() => find('.deny').focus())
  await page.keyboard.down('Enter')
  await page.evaluate(() => find('.deny').click())
  await page.keyboard.up('Enter')
  assert.deepEqual(await page.evaluate(() => live.answers), [])
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)))
  await page.evaluate(() => find('.deny').click())
  assert.deepEqual(await page.evaluate(() => live.answers), [['deny', 'first0']])
})

test('a link is opened by a press that began on its button, and by a click without a press', async (t) => {
  const { page } = await ready(t)
  for (const [pressed, count] of [
    ['#other', 0],
    [undefined, 1],
  ]) {
    const opened = await page.evaluate(async (pressed) => {
      window.kind = 'link'
      document.querySelector('#stage').innerHTML = '<button id="other">other</button>'
      const opened = []
      window.live = new Live()
      show(live, { openLink: async (url) => void opened.push(url) })
      live.push({ type: 'text', block: 0, text: '[a](https://example.com/)' })
      await frames(3)
      document
        .querySelector(pressed)
        ?.dispatchEvent(new PointerEvent('pointerdown', { pointerId: 7, bubbles: true, composed: true }))
      find('a[href]').click()
      while (!find('.link-question .primary')) await frames(1)
      find('.link-question .primary').click()
      document
        .querySelector(pressed)
        ?.dispatchEvent(new PointerEvent('pointercancel', { pointerId: 7, bubbles: true, composed: true }))
      await frames(1)
      find('.link-question')?.close()
      return opened.length
    }, pressed)
    assert.equal(opened, count, String(pressed))
  }
})
