// The pet on a page: its body under a pointer, and its bubble. The window is played by the test; the policy is that of
// the demo.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serve } from 'sluice/web'
import { startDemo } from '../../js/demo/web.mjs'
import { picture, until, useBrowser } from './support.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const browser = useBrowser()
let server

before(async () => {
  server = await serve({
    roots: { '/': here('pet/'), '/pet/': here('../../js/demo/pet/'), '/support/': here('../js/') },
  })
})
after(() => server.close())

async function open(t, { query = '', ...options } = {}) {
  const page = await browser.page(t, { viewport: { width: 340, height: 460 }, reducedMotion: 'reduce', ...options })
  await page.goto(`${server.url}${query}`)
  await page.waitForFunction(() => window.ready)
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  return page
}
const state = (page) => page.evaluate(() => window.pet.getSnapshot().state)
const said = (page) => page.evaluate(() => window.said)
const text = (page) =>
  page.evaluate(() =>
    window.bubble.element.hidden ? '' : window.bubble.element.shadowRoot.querySelector('p').textContent,
  )
/** For every part of the puppet, and for the air, the point of the page that is farthest from all others. */
const places = (page) =>
  page.evaluate(() => {
    const points = []
    for (let y = 150; y < 456; y += 6)
      for (let x = 4; x < 336; x += 6) points.push({ x, y, zone: window.model.hit(x, y) ?? 'none' })
    const best = {}
    for (const { x, y, zone } of points) {
      const deep = Math.min(
        ...points.map((other) => (other.zone === zone ? Infinity : Math.hypot(other.x - x, other.y - y))),
      )
      if (!(best[zone]?.deep >= deep)) best[zone] = { deep, at: [x, y] }
    }
    return Object.fromEntries(Object.entries(best).map(([zone, { at }]) => [zone, at]))
  })
/** A point on the outline of each part that has one: beside what it fills, and away from the others. */
const outlines = (page) =>
  page.evaluate(() => {
    const shapes = [...window.model.element.querySelectorAll('[data-zone]')]
      .filter((one) => one.getTotalLength)
      .map((shape) => ({
        shape,
        zone: shape.dataset.zone,
        matrix: shape.getScreenCTM(),
        inverse: shape.getScreenCTM().inverse(),
      }))
    const covers = ({ shape, inverse }, at) => {
      const here = at.matrixTransform(inverse)
      return shape.isPointInFill(here) || shape.isPointInStroke(here)
    }
    const onOutline = ({ shape, zone, matrix, inverse }) => {
      const far = Number(shape.getAttribute('stroke-width')) * 0.4
      const length = shape.getTotalLength()
      for (let along = 0; along < length; along += length / 40) {
        const { x, y } = shape.getPointAtLength(along)
        for (const angle of [0, 1.6, 3.1, 4.7]) {
          const at = new DOMPoint(x + far * Math.cos(angle), y + far * Math.sin(angle)).matrixTransform(matrix)
          if (shape.isPointInFill(at.matrixTransform(inverse))) continue
          if (!shapes.some((other) => other.zone !== zone && covers(other, at))) return [at.x, at.y]
        }
      }
      return undefined
    }
    const found = {}
    for (const one of shapes) if (one.shape.hasAttribute('stroke')) found[one.zone] ??= onOutline(one)
    return found
  })

test('a hit test knows head, cheek, belly, hand, and where nothing is', async (t) => {
  const page = await open(t)
  const found = await places(page)
  for (const zone of ['head', 'cheek', 'mouth', 'belly', 'hand', 'foot', 'none']) assert.ok(found[zone], zone)
  assert.equal(await page.evaluate(() => window.model.opaque(2, 300)), false)
  assert.equal(await page.evaluate(() => window.model.opaque(170, 330)), true)
})

test('a click on the body pats it, a click beside it does nothing', async (t) => {
  const page = await open(t)
  await page.mouse.click(10, 440)
  assert.equal(await state(page), 'idle')
  await page.mouse.click(...(await places(page)).head)
  assert.equal(await state(page), 'patted')
  assert.deepEqual(await said(page), [])
})

test('what is drawn counts, its outline too, and no line that is not drawn', async (t) => {
  const page = await open(t)
  const zones = ['head', 'belly', 'hand', 'foot']
  const found = await outlines(page)
  assert.deepEqual(
    await page.evaluate(
      (points) => points.map(([x, y]) => window.model.opaque(x, y) && window.model.hit(x, y)),
      zones.map((zone) => found[zone]),
    ),
    zones,
  )
  for (const zone of zones) {
    await page.mouse.click(...(await outlines(page))[zone]) // its head follows the pointer
    assert.equal(await state(page), 'patted', zone)
    await until(async () => (await state(page)) === 'idle', 'rest')
  }
  const held = () =>
    page.evaluate(() => {
      let points = 0
      for (let y = 150; y < 456; y += 6) for (let x = 4; x < 336; x += 6) if (window.model.opaque(x, y)) points++
      return points
    })
  const without = await held()
  await page.evaluate(
    () => (
      window.model.state('busy', { prop: 'letter' }),
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    ),
  )
  assert.ok((await held()) > without, 'what it holds is there, and was not before')
})

test('a body that sways under a pointer that rests is patted all the same, one that went away is not', async (t) => {
  const page = await open(t)
  const [x, y] = (await outlines(page)).head
  const shift = (px) =>
    page.evaluate((px) => window.model.element.style.setProperty('transform', `translateX(${px}px)`), px)
  const away = x < 170 ? 1 : -1
  await page.mouse.move(x, y)
  await shift(9 * away)
  assert.equal(await page.evaluate(([x, y]) => window.model.hit(x, y), [x, y]), null)
  await page.evaluate(([x, y]) => window.order({ probe: 1, x, y }), [x, y])
  assert.deepEqual(await said(page), [{ over: true, probe: 1 }])
  await page.mouse.down()
  await page.mouse.up()
  assert.equal(await state(page), 'patted')
  await until(async () => (await state(page)) === 'idle', 'rest')
  await shift(70 * away)
  await page.mouse.down()
  await page.mouse.up()
  assert.equal(await state(page), 'idle')
  await shift(9 * away)
  await page.mouse.down()
  await page.mouse.up()
  assert.equal(await state(page), 'idle', 'it met nothing since')
})

test('more than four pixels carry it, by any point of the body; the window is told, and it lands', async (t) => {
  const page = await open(t)
  for (const zone of ['head', 'belly']) {
    const [x, y] = (await places(page))[zone]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 3, y)
    assert.deepEqual(await said(page), [], 'it may still be a click')
    await page.mouse.move(x + 9, y - 5)
    assert.deepEqual(await said(page), [{ carry: true }])
    assert.equal(await state(page), 'carried')
    await page.mouse.up()
    assert.deepEqual(await said(page), [{ carry: true }, { carry: false }])
    assert.equal(await state(page), 'landed')
    await until(async () => (await state(page)) === 'idle', 'rest')
    await page.evaluate(() => (window.said.length = 0))
  }
  const [x, y] = (await places(page)).none
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 40, y)
  await page.mouse.up()
  assert.deepEqual(await said(page), [], 'where nothing is drawn there is nothing to carry')
})

test('a double click opens the chat, the other button the menu', async (t) => {
  const page = await open(t)
  const { head } = await places(page)
  await page.mouse.dblclick(...head)
  assert.equal(await page.evaluate(() => window.chats), 1)
  await page.mouse.click(...head, { button: 'right' })
  assert.deepEqual(await said(page), [{ open: 'menu' }])
})

test('a probe is answered by what is drawn, and by the bubble', async (t) => {
  const page = await open(t)
  const probe = async (x, y) => {
    await page.evaluate((order) => window.order(order), { probe: 7, x, y })
    return (await said(page)).at(-1)
  }
  assert.deepEqual(await probe(...(await places(page)).head), { over: true, probe: 7 })
  assert.deepEqual(await probe(4, 440), { over: false, probe: 7 })
  assert.deepEqual(await probe(170, 30), { over: false, probe: 7 })
  await page.evaluate(
    () => (
      window.client.answer('m1'),
      window.client.write('m1', 'Hello there, nice to see you. '),
      window.client.tell('m1', { outcome: 'completed' })
    ),
  )
  await until(async () => (await text(page)) !== '', 'the bubble')
  assert.deepEqual(await probe(170, 30), { over: true, probe: 7 })
})

for (const scheme of ['light', 'dark']) {
  test(`the bubble says one sentence at a time, of four lines at most, and the pet stays as large as it is (${scheme})`, async (t) => {
    const page = await open(t, { colorScheme: scheme })
    const size = () => page.evaluate(() => JSON.stringify(window.model.element.getBoundingClientRect()))
    const before = await size()
    const long =
      'This sentence goes on and on, because somebody who likes to talk could not find the place where it might have come to its end, and so it holds more words than any bubble should ever have to show to a person who wanted nothing but a short answer to a small question, and then it went on for quite a while, about rain and umbrellas and the smell of the street.'
    await page.evaluate((long) => {
      window.seen = []
      const line = window.bubble.element.shadowRoot.querySelector('p')
      const look = () => {
        const { hidden } = window.bubble.element
        const box = line.getBoundingClientRect()
        const lines = Math.round(box.height / parseFloat(getComputedStyle(line).lineHeight))
        const last = window.seen.at(-1)
        const now = hidden ? '' : line.textContent
        if (!last || last.text !== now || last.lines !== lines)
          window.seen.push({ text: now, lines, cut: line.scrollHeight > line.clientHeight + 1 })
        requestAnimationFrame(look)
      }
      look()
      window.client.answer('m1')
      const all = `Rain is the only weather you can hear. ${long} **And** \`then\` it stops.`
      let at = 0
      const write = () => {
        window.client.write('m1', all.slice(at, (at += 9)))
        if (at < all.length) setTimeout(write, 10)
        else window.client.tell('m1', { outcome: 'completed' })
      }
      write()
    }, long)
    await until(async () => (await text(page)).startsWith('This sentence'), 'the second sentence')
    assert.equal(await size(), before)
    await picture(page, `pet-bubble-${scheme}`)
    await page.getByRole('button', { name: 'Back' }).click()
    assert.equal(await text(page), 'Rain is the only weather you can hear.')
    for (let index = 0; index < 9; index++)
      await page.getByRole('button', { name: 'On', exact: true }).dispatchEvent('click')
    assert.equal(await text(page), 'And then it stops.')
    await until(async () => (await text(page)) === '', 'it to fade')
    const seen = await page.evaluate(() => window.seen)
    for (const { text: shown, lines, cut } of seen) {
      assert.ok(lines <= 4, `${lines} lines: ${shown}`)
      assert.ok(!cut, `cut: ${shown}`)
    }
    const texts = seen.map((one) => one.text).filter(Boolean)
    assert.equal(
      texts.filter((one, index) => texts.indexOf(one) === index).filter((one) => long.startsWith(one)).length,
      1,
      'no sentence grows while it is read',
    )
    assert.equal(await size(), before)
  })
}

test('the bubble is as large, as slow and as silent as a person wants it, at once', async (t) => {
  const page = await open(t)
  await page.evaluate(
    () => (
      window.client.answer('m1'),
      window.client.write('m1', 'It is nice to see you. '),
      window.client.tell('m1', { outcome: 'completed' })
    ),
  )
  await until(async () => (await text(page)) !== '', 'the bubble')
  const letters = () =>
    page.evaluate(() => getComputedStyle(window.bubble.element.shadowRoot.querySelector('p')).fontSize)
  assert.equal(await letters(), '14px')
  await page.evaluate(() => window.order({ look: { size: 1.5, duration: 5, off: false } }))
  assert.equal(await letters(), '21px')
  await page.evaluate(() => window.bubble.change({ off: true }))
  assert.equal(await text(page), '')
  assert.deepEqual((await said(page)).at(-1), { bubble: false })
  await page.evaluate(() => window.bubble.change({ off: false, size: 1 }))
  assert.equal(await text(page), 'It is nice to see you.', 'it stays five times as long')
  assert.match(
    await page.evaluate(() => {
      try {
        window.bubble.change({ size: 9 })
      } catch (error) {
        return error.message
      }
    }),
    /size/,
  )
  await page.evaluate(() => window.order({ look: { size: 'huge', off: true } }))
  assert.equal(await text(page), '', 'of nonsense only what is right')
})

test('nothing that the bubble says has its letters turned round', async (t) => {
  const page = await open(t)
  await page.evaluate(
    () => (
      window.client.answer('m1'),
      window.client.write('m1', 'I open \u202egnp.exe now.'),
      window.client.tell('m1', { outcome: 'completed' })
    ),
  )
  await until(async () => (await text(page)) === 'I open \ufffdgnp.exe now.', 'the sentence')
  await page.evaluate(() => window.order({ heard: 'And \u202dfdp.exe too.' }))
  assert.equal(await text(page), 'And \ufffdfdp.exe too.')
})

test('the bubble shows what the voice of another page says, in pieces that fit, and a person may turn back meanwhile', async (t) => {
  const page = await open(t)
  const first = 'This is the first sentence of them.'
  const long = `And ${'this one is long enough to need more than a page of four lines, '.repeat(5)}which ends here.`
  await page.evaluate(
    (all) => (
      window.client.answer('m1'), window.client.write('m1', all), window.client.tell('m1', { outcome: 'completed' })
    ),
    `${first} ${long}`,
  )
  await until(async () => (await text(page)) === first, 'the first one')
  const segments = await page.evaluate(async (all) => {
    const { speechSegmenter } = await import('/sluice/speech/index.js')
    const cutter = speechSegmenter()
    return [...cutter.push({ type: 'text', block: 0, text: all }), ...cutter.end()].map((one) => one.text)
  }, `${first} ${long}`)
  await page.evaluate((heard) => window.order({ heard }), segments[1])
  const shown = await text(page)
  assert.ok(segments[1].startsWith(shown) && shown !== '', shown)
  const cut = await page.evaluate(() => {
    const line = window.bubble.element.shadowRoot.querySelector('p')
    return line.scrollHeight > line.clientHeight + 1
  })
  assert.equal(cut, false, 'nothing of it is hidden')
  await page.getByRole('button', { name: 'Back' }).click()
  assert.equal(await text(page), first)
  await page.getByRole('button', { name: 'On', exact: true }).click()
  assert.equal(await text(page), shown)
  await page.evaluate(() => window.order({ heard: 'Something else is read aloud.' }))
  assert.equal(await text(page), 'Something else is read aloud.')
  await page.evaluate(() => window.order({ heard: '' }))
  assert.equal(await text(page), shown)
})

test('where more contrast is asked for the bubble has a solid edge, and what stands small in it the colour of the text', async (t) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(t, { colorScheme, contrast: 'more' })
    await page.evaluate(() => {
      window.client.answer('m1')
      window.client.write('m1', 'This is the first of what it says. And this is the second one of them.')
    })
    await until(async () => (await text(page)) !== '', 'the bubble')
    const [words, edge, count] = await page.evaluate(() => {
      const root = window.bubble.element.shadowRoot
      const style = (selector) => getComputedStyle(root.querySelector(selector))
      return [style('p').color, style('.bubble').borderTopColor, style('nav').color]
    })
    assert.deepEqual([edge, count], [words, words])
  }
})

test('the bubble points to the head also where the edge of the screen moved it', async (t) => {
  const page = await open(t)
  await page.evaluate(
    () => (
      window.client.answer('m1'),
      window.client.write('m1', 'Hi there you. '),
      window.client.tell('m1', { outcome: 'completed' })
    ),
  )
  await until(async () => (await text(page)) !== '', 'the bubble')
  for (const points of [40, 170, 300]) {
    await page.evaluate((points) => window.order({ side: 'above', points }), points)
    const [left, width, tail] = await page.evaluate(() => {
      const box = window.bubble.box.getBoundingClientRect()
      return [box.left, box.width, parseFloat(getComputedStyle(window.bubble.box, '::after').left) + 6]
    })
    assert.ok(Math.abs(left + tail - points) <= 22, `${points}: ${left} + ${tail}`)
    assert.ok(left >= 0 && left + width <= 340, `${points}: ${left} ${width}`)
  }
})

test('what nobody asked for is marked in the bubble, and one click ends it for today', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    window.declined = []
    window.client.pet.first = async (input) => (window.declined.push(input), { left: 0 })
    window.client.answer('m1', 'main', {}, { first: true })
    window.client.write('m1', 'It is getting late now. ')
    window.client.tell('m1', { outcome: 'completed' })
  })
  await until(async () => (await text(page)) !== '', 'the bubble')
  await page.getByText('Nobody asked').waitFor()
  await picture(page, 'pet-first')
  await page.getByRole('button', { name: 'Not today' }).click()
  assert.deepEqual(await page.evaluate(() => window.declined), [{ notToday: true }])
  assert.equal(await text(page), '')
  await page.evaluate(
    () => (
      window.client.answer('m2'),
      window.client.write('m2', 'You asked for this one. '),
      window.client.tell('m2', { outcome: 'completed' })
    ),
  )
  await until(async () => (await text(page)) !== '', 'an answer')
  assert.equal(await page.getByText('Nobody asked').isVisible(), false)
})

test('a bubble that knows its window is quiet with it, whoever else listens', async (t) => {
  const page = await open(t)
  const shown = await page.evaluate(async () => {
    const { companion, petBubble } = await import('/sluice/pet/index.js')
    let tell
    const alone = petBubble({
      pet: companion({ client: window.client }),
      openChat() {},
      window: { send() {}, on: (listener) => ((tell = listener), () => {}) },
    })
    document.body.append(alone.element)
    window.client.answer('m1')
    window.client.write('m1', 'It is nice to see you. ')
    window.client.tell('m1', { outcome: 'completed' })
    const hidden = [alone.element.hidden]
    for (const quiet of [true, false]) {
      tell({ quiet })
      hidden.push(alone.element.hidden)
    }
    alone.close()
    return hidden
  })
  assert.deepEqual(shown, [false, true, false])
})

test('its window is told how many questions wait, by their cards where it may not answer them', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    window.client.answer('m1')
    window.client.card('m1', { call: 1, status: 'awaiting_approval', name: 'notes.add' })
  })
  assert.equal(await state(page), 'asking')
  assert.deepEqual((await said(page)).filter(({ asks }) => asks !== undefined).at(-1), { asks: 1 })
  assert.equal(await text(page), 'Lulu has a question')
  await page.evaluate(() => window.client.card('m1', { call: 1, status: 'denied', name: 'notes.add' }))
  assert.deepEqual((await said(page)).filter(({ asks }) => asks !== undefined).at(-1), { asks: 0 })
})

test('a small question is asked in the bubble, a larger one in the chat', async (t) => {
  const page = await open(t, { query: '&questions' })
  const ask = (args, card = {}) =>
    page.evaluate(
      ([args, card]) => {
        window.decided = []
        window.client.card('m1', {
          call: 1,
          status: 'awaiting_approval',
          name: 'message.send',
          twice: undefined,
          protocolFields: undefined,
          askedName: undefined,
          ...card,
        })
        Object.assign(window.client.message('m1'), {
          approve: async (one) => window.decided.push(['approve', one.token]),
          deny: async (one) => window.decided.push(['deny', one.token]),
        })
        window.client.tell('m1', {
          questions: [
            {
              call: 1,
              token: JSON.stringify(args).length.toString(),
              stage: 'execution',
              name: 'message.send',
              description: '',
              arguments: args,
              level: 'moderate',
              policy: 'ask_once',
              digest: JSON.stringify(args),
            },
          ],
        })
      },
      [args, card],
    )
  await page.evaluate(() => window.client.answer('m1'))
  // What is to be said of a call beside its arguments is said in the chat.
  for (const [args, card] of [
    [{ to: 'Lin' }, { twice: ['to'] }],
    [{ to: 'Lin' }, { protocolFields: { maid: 'Lulu' } }],
    [{ to: 'Lin' }, { askedName: 'message.read' }],
    [{ ['to'.repeat(99)]: 'Lin' }, {}],
  ]) {
    await ask(args, card)
    await page.getByRole('button', { name: 'Show me' }).waitFor()
    assert.equal(await page.locator('sluice-approval').count(), 0, JSON.stringify(card))
  }
  await ask({ to: 'Lin', text: 'I am late' })
  assert.equal(await state(page), 'asking')
  const approval = page.locator('sluice-approval')
  await approval.waitFor()
  await approval.getByText('Lulu').waitFor()
  await picture(page, 'pet-question')
  const allow = approval
    .getByRole('button')
    .filter({ hasText: /approve|allow/i })
    .first()
  await until(
    async () => (await allow.getAttribute('aria-disabled')) !== 'true' && !(await allow.isDisabled()),
    'the button',
  )
  await picture(page, 'pet-question-armed')
  await allow.click()
  await until(() => page.evaluate(() => window.decided.length === 1), 'the decision')
  await ask({ to: 'Lin', text: 'x'.repeat(400) })
  await page.getByRole('button', { name: 'Show me' }).click()
  assert.equal(await page.evaluate(() => window.chats), 1)
  assert.equal(await approval.count(), 0)
  assert.equal(await text(page), 'Lulu has a question')
})

test('it says what works and what failed in one line, in Chinese as well, and nothing while it is to be quiet', async (t) => {
  const page = await open(t)
  await page.evaluate(() => {
    document.documentElement.lang = 'zh-CN'
    window.client.answer('m1')
    window.client.card('m1', { call: 1, status: 'executing', name: 'web.search' })
  })
  await until(async () => (await text(page)) === '正在使用 web.search ……', 'the tool')
  await page.evaluate(() =>
    window.client.card('m1', {
      call: 1,
      status: 'executing',
      words: { title: { en: 'Search the web', zh: '上网查\u202e' } },
    }),
  )
  await until(async () => (await text(page)) === '上网查⟨U+202E⟩ ……', 'its title')
  await page.evaluate(() => window.client.tell('m1', { outcome: 'failed' }))
  await until(async () => (await text(page)) === '没有成功。', 'the error')
  await page.evaluate(() => window.order({ quiet: true }))
  assert.equal(await text(page), '')
  await page.evaluate(() => window.order({ quiet: false }))
  assert.equal(await text(page), '没有成功。')
})

test('what became of a drop is said in the bubble, also while it is quiet, for a while; its window hears it for a bubble of its own', async (t) => {
  const page = await open(t)
  const drop = (count, type = 'Files') =>
    page.evaluate(
      async ([count, type]) => {
        const dataTransfer = new DataTransfer()
        if (type === 'Files') for (let at = 0; at < count; at++) dataTransfer.items.add(new File(['x'], `${at}.txt`))
        else dataTransfer.setData(type, 'https://example.com')
        return document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      },
      [count, type],
    )
  await page.evaluate(() => {
    window.handed = []
    window.client.pet.drop = async (files) => (handed.push(files.map(({ name }) => name)), handed.length > 1)
    window.order({ quiet: true })
  })
  assert.equal(await drop(2), false)
  await until(async () => (await text(page)) === 'Open the chat, then drop it on me again.', 'why nothing happened')
  await page.evaluate(() => (document.documentElement.lang = 'zh'))
  await drop(1)
  await until(async () => (await text(page)) === '已经放到聊天里了，随时可以发送。', 'that it is there')
  await drop(9)
  await until(async () => (await text(page)) === '太多了：最多 8 个文件，一共 10 MB。', 'that it is too much')
  assert.equal(await drop(1, 'text/uri-list'), true, 'what is no file is left to the page')
  assert.deepEqual(await page.evaluate(() => handed), [['0.txt', '1.txt'], ['0.txt']])
  assert.deepEqual(
    (await said(page)).flatMap(({ note }) => note ?? []),
    ['noChat', 'taken', 'tooLarge'],
  )
  await page.evaluate(() => window.order({ note: 'noChat' })) // as the page of the body tells a bubble of its own
  assert.equal(await text(page), '先打开聊天窗口，再拖给我一次。')
  await page.evaluate(() => window.order({ note: '' }))
  await until(async () => (await text(page)) === '', 'it to end')
})

test('the demo in two windows: the body alone, and the bubble alone, which tells when there is something in it', async (t) => {
  const demo = await startDemo({ delayMs: 0, live2d: false })
  const show = async (view, part, viewport) => {
    const page = await browser.page(t, { viewport, reducedMotion: 'reduce' })
    await page.goto(`${demo.url.replace('/?', `/?view=${view}&`)}${part}`)
    await page.waitForSelector('html[data-ready]', { state: 'attached' })
    return page
  }
  const body = await show('pet', '#body', { width: 260, height: 312 })
  const bubble = await show('pet', '#bubble', { width: 320, height: 230 })
  assert.equal(await body.locator('#words > *').count(), 0)
  assert.equal(await body.locator('.handles').isVisible(), false)
  const height = await body.locator('#pet svg').evaluate((svg) => svg.getBoundingClientRect().height)
  assert.ok(height > 290, `the body fills its window: ${height}`)
  assert.equal(await bubble.locator('#pet svg').count(), 0)
  const chat = await show('chat', '', { width: 560, height: 780 })
  t.after(demo.close) // behind its pages
  await chat.locator('[data-scene=face]:visible').first().click()
  await until(
    async () =>
      /\S/.test(
        await bubble
          .locator('#words p')
          .innerText()
          .catch(() => ''),
      ),
    'the bubble',
  )
  const [box, below] = await bubble
    .locator('#words .bubble')
    .evaluate((one) => [one.getBoundingClientRect().bottom, innerHeight])
  assert.ok(below - box < 20, 'it stands at the head')
  await picture(body, 'demo-window-body', { omitBackground: true })
  await picture(bubble, 'demo-window-bubble', { omitBackground: true })
})
