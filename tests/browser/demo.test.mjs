// The demo pet on its real page: real server, real bridge, strict CSP (a refused resource fails the test, see support.mjs).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from 'sluice/testing'
import { startDemo } from '../../js/demo/web.mjs'
import { picture, until, useBrowser } from './support.mjs'

const browser = useBrowser()
const wide = { viewport: { width: 1280, height: 800 } }

async function open(t, { expected, demo: options, path = '/', pages = 1, ...more } = {}) {
  // Where motion is not what is looked at, a pet that stands still leaves the machine to the rest.
  const settings = { ...wide, reducedMotion: 'reduce', ...(expected ? { expected } : {}), ...more }
  const [page, other] = await Promise.all(Array.from({ length: pages }, () => browser.page(t, settings)))
  const demo = await startDemo({ delayMs: 0, live2d: false, ...options })
  t.after(demo.close)
  await go(page, demo, path)
  return { page, other, demo }
}

async function go(page, demo, path = '/') {
  await page.goto(demo.url.replace('/?', `${path}${path.includes('?') ? '&' : '?'}`))
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
}

/** Asks, and waits for the answer to begin. */
async function ask(page, act) {
  const before = await answers(page).count()
  await act()
  await until(async () => (await answers(page).count()) > before, 'an answer', 15_000)
}
const scene = (page, id) => ask(page, () => page.locator(`[data-scene=${id}]:visible`).first().click())
const say = (page, text) => ask(page, async () => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
})
/** The last answer is over, and on the page. */
async function idle(page) {
  await last(page).evaluate(async (element) => {
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error('the end of the answer: waited 30 s')), 30_000))
    await Promise.race([element.message.done, late])
  })
  await page.waitForSelector('#chat[data-state=idle]')
  await last(page).evaluate((element) => new Promise((done) => requestAnimationFrame(() => done(element.updateComplete))))
}
const answers = (page) => page.locator('sluice-message')
const last = (page) => answers(page).last()
const cards = (page) => last(page).locator('sluice-card')
const statuses = (page) => cards(page).evaluateAll((all) => all.map((one) => `${one.card.name ?? one.card.askedName} ${one.card.status}`))
const expression = (page) => page.locator('#pet [data-expression]').getAttribute('data-expression')
const question = (page) => last(page).locator('sluice-approval')
const button = (page, name) => question(page).getByRole('button', { name, exact: true })
/** What one reads in an element, through its shadow roots. */
const read = (locator) => locator.evaluate(function text(node) {
  if (node.nodeType === 3) return node.data
  if (node.nodeType === 1 && (node.localName === 'style' || node.hidden)) return ''
  return [...(node.shadowRoot ?? node).childNodes].map(text).join(node.shadowRoot ? ' ' : '')
})
/** What live regions of the page itself say: those of messages are theirs. */
const told = (page) => page.evaluate(() => [...document.querySelectorAll('#chat :is([role=status], [role=alert], [aria-live=polite])')].filter((one) => one.checkVisibility()).map((one) => one.textContent.trim()).filter(Boolean))
/** Text and cards of the last answer, in the order in which they stand. */
const shape = (page) => last(page).evaluate((element) => element.message.getSnapshot().blocks.map((block) => (block.type === 'tool_use' ? block.name : block.type)))

/** Clicks when the button takes clicks: questions are armed after a moment. */
async function decide(page, name, at = button(page, name)) {
  await at.scrollIntoViewIfNeeded() // what cannot be seen is not armed
  await at.and(page.locator('[aria-disabled=false]')).click()
}

/** What the first answer was whenever it changed: by the store, and by what stood on the page. */
async function record(page) {
  await page.evaluate(() => {
    window.seen = { store: [], page: [] }
    const textOf = (blocks) => blocks.map((block) => block.text ?? '').join('')
    new MutationObserver((_, observer) => {
      const element = document.querySelector('sluice-message')
      if (!element?.message) return
      observer.disconnect()
      const live = element.message
      live.subscribe(() => {
        const { blocks, outcome } = live.getSnapshot()
        window.seen.store.push({ text: textOf(blocks), outcome, cards: blocks.filter((block) => block.type === 'tool_use').map((card) => card.status) })
      })
      const look = () => {
        const texts = [...(element.shadowRoot?.querySelectorAll('[part=text]') ?? [])].map((one) => one.textContent).join('')
        if (texts !== (window.seen.page.at(-1)?.text ?? '')) window.seen.page.push({ text: texts, state: document.querySelector('#chat').dataset.state })
        requestAnimationFrame(look)
      }
      look()
    }).observe(document.querySelector('#entries'), { childList: true })
  })
  return () => page.evaluate(() => window.seen)
}

// -- the five acceptance cases, natively and as text ------------------------------------------------------------------------------

for (const mode of ['native', 'text']) {
  const settings = { mode }

  test(`plain chat, ${mode}: the first words at once, one stream, one message`, async (t) => {
    const { page } = await open(t, { demo: { delayMs: 40, settings } })
    const seen = await record(page)
    await scene(page, 'chat')
    await idle(page)
    const { store, page: shown } = await seen()
    const whole = store.at(-1).text
    assert.match(whole, /open the window for a moment\.$/)
    const steps = store.filter(({ text }, at) => text !== '' && text !== store[at - 1]?.text)
    assert.ok(steps.length > 10, `the text came in ${steps.length} steps`)
    assert.ok(steps[0].text.length < whole.length / 4, `the first text is ${steps[0].text.length} characters long`)
    for (const [at, { text }] of steps.entries()) assert.ok(at === 0 || text.startsWith(steps[at - 1].text), 'what stands there stays')
    assert.ok(shown.length > 2, `the page showed ${shown.length} steps`)
    assert.equal(shown[0].state, 'speaking')
    assert.ok(shown[0].text.length < whole.length / 2, `the page began with ${shown[0].text.length} characters`)
    assert.equal(shown.at(-1).text, whole)
    assert.match(await read(last(page)), /open the window for a moment\./)
    assert.equal(await answers(page).count(), 1)
    assert.deepEqual(await shape(page), ['text'])
  })

  test(`one tool, ${mode}: its card runs, succeeds, and the text goes on in the same message`, async (t) => {
    const { page } = await open(t, { demo: { settings } })
    const seen = await record(page)
    await scene(page, 'weather')
    await idle(page)
    const states = (await seen()).store.map(({ cards }) => cards[0]).filter((state, at, all) => state && state !== all[at - 1])
    assert.deepEqual(states.slice(-2), ['executing', 'success'])
    assert.deepEqual(await statuses(page), ['weather.now success'])
    assert.deepEqual(await shape(page), ['text', 'weather.now', 'text'])
    assert.equal(await answers(page).count(), 1)
    assert.match(await read(last(page)), /look at the sky over Hangzhou[^]*Done[^]*Overcast and mild/)
    await cards(page).getByRole('button').first().click()
    assert.match(await read(cards(page)), /Hangzhou[^]*rain from 16:00 on/)
    await picture(page, `demo-weather-${mode}`)
  })

  test(`several tools, ${mode}: their cards stand in order, collapsed`, async (t) => {
    const { page } = await open(t, { demo: { settings } })
    await scene(page, 'trip')
    await idle(page)
    assert.deepEqual(await statuses(page), ['calendar.list success', 'weather.now success', 'web.search success'])
    assert.deepEqual(await shape(page), ['text', 'calendar.list', 'weather.now', 'web.search', 'text'])
    assert.deepEqual(await cards(page).evaluateAll((all) => all.map((one) => one.open)), [false, false, false])
    const tops = await cards(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    assert.deepEqual(tops, [...tops].sort((a, b) => a - b))
    await picture(page, `demo-trip-${mode}`)
  })

  test(`Live2D in mid-answer, ${mode}: the card is there and the pet has moved while the text goes on`, async (t) => {
    const { page } = await open(t, { demo: { delayMs: 70, settings }, reducedMotion: 'no-preference' })
    assert.equal(await expression(page), 'neutral')
    await scene(page, 'face')
    await page.waitForSelector('#pet [data-expression=surprised]')
    const during = await last(page).evaluate((element) => element.message.getSnapshot())
    assert.equal(during.outcome, undefined, 'the answer goes on')
    assert.doesNotMatch(JSON.stringify(during.blocks), /from the handshake on/)
    assert.equal(during.blocks.find((block) => block.type === 'tool_use').name, 'live2d.expression')
    await page.waitForSelector('#pet [data-expression=happy]')
    await picture(page, `demo-face-${mode}`)
    await idle(page)
    assert.deepEqual(await shape(page), ['text', 'live2d.expression', 'text', 'live2d.expression', 'live2d.motion', 'text'])
    assert.deepEqual(await statuses(page), ['live2d.expression success', 'live2d.expression success', 'live2d.motion success'])
    assert.equal(await last(page).evaluate((element) => element.message.getSnapshot().rounds), 1, 'one request')
  })
}

test('a provider that refuses tools: the error says what to do, nothing is done in silence, and text mode works', async (t) => {
  const { page } = await open(t)
  await page.getByRole('radio', { name: 'Native' }).check()
  await scene(page, 'refused')
  await idle(page)
  assert.match(await read(last(page)), /tools is not supported by this model[^]*In text mode tools are described in the prompt/)
  assert.deepEqual(await shape(page), ['error'])
  assert.equal(await page.locator('#modes input:checked').inputValue(), 'native')
  await picture(page, 'demo-refused')
  await page.getByRole('button', { name: 'Switch to text and ask again' }).click()
  await until(async () => (await answers(page).count()) === 2, 'the second answer')
  await idle(page)
  assert.equal(await page.locator('#modes input:checked').inputValue(), 'text')
  assert.deepEqual(await shape(page), ['text', 'weather.now', 'text'])
  assert.deepEqual(await statuses(page), ['weather.now success'])
  assert.match(await read(last(page)), /Take the umbrella/)
  assert.equal(await page.getByRole('button', { name: 'Switch to text and ask again' }).count(), 0)
})

test('every protocol of the script calls the same tools', async (t) => {
  const { page } = await open(t, { demo: { settings: { mode: 'text' }, delayMs: 0 } })
  const known = await page.locator('#protocol optgroup').first().locator('option').allInnerTexts()
  assert.ok(known.length >= 5 && known.includes('vcp'), known.join())
  for (const [at, protocol] of known.entries()) {
    await page.getByLabel('Protocol').selectOption(protocol)
    await scene(page, 'trip')
    await idle(page)
    assert.deepEqual(await statuses(page), ['calendar.list success', 'weather.now success', 'web.search success'], protocol)
    assert.equal(await cards(page).first().evaluate((card) => card.card.source), protocol)
  }
  await page.getByLabel('Protocol').selectOption('kimi-k2')
  await scene(page, 'weather')
  await idle(page)
  assert.match(await read(last(page)), /it writes vcp, /)
})

// -- people decide --------------------------------------------------------------------------------------------------------------

test('an approval stands in its card: denied, the tool does not run and the answer goes on', async (t) => {
  const { page } = await open(t)
  await scene(page, 'message')
  await question(page).waitFor()
  assert.equal(await page.locator('#chat').getAttribute('data-state'), 'waiting')
  assert.match(await read(question(page)), /message\.send[^]*changes something[^]*leaves this computer[^]*Lin[^]*ten minutes late/)
  await picture(page, 'demo-approval')
  await decide(page, 'Deny')
  await idle(page)
  assert.deepEqual(await statuses(page), ['message.send denied', 'live2d.expression success'])
  assert.match(await read(last(page)), /Not sent/)
  assert.equal(await expression(page), 'worried')
})

test('an approval is given, and remembered for the session', async (t) => {
  const { page } = await open(t)
  await scene(page, 'umbrella')
  await question(page).waitFor()
  await question(page).getByLabel('Remember').selectOption('For this session')
  await decide(page, 'Approve')
  await idle(page)
  assert.deepEqual(await statuses(page), ['live2d.expression success', 'weather.now success', 'notes.add success', 'live2d.motion success'])
  assert.deepEqual(await shape(page), ['reasoning', 'text', 'live2d.expression', 'weather.now', 'text', 'notes.add', 'live2d.motion', 'text'])
  await scene(page, 'errands')
  await idle(page)
  assert.deepEqual(await statuses(page), ['notes.add success', 'notes.add success', 'notes.add success'], 'nobody was asked')
})

test('a call in prose waits for its button, and the answer goes on in the same message', async (t) => {
  const { page } = await open(t)
  await scene(page, 'button')
  await question(page).waitFor()
  await picture(page, 'demo-button')
  assert.match(await cards(page).evaluate((card) => card.card.raw), /^\{"tool_calls":/, 'as it was written in the prose')
  await decide(page, 'Approve')
  await idle(page)
  assert.deepEqual(await shape(page), ['text', 'weather.now', 'text'])
  assert.deepEqual(await statuses(page), ['weather.now success'])
  assert.equal(await answers(page).count(), 1)
})

test('several questions are answered at once', async (t) => {
  const { page } = await open(t)
  await scene(page, 'errands')
  await until(async () => (await question(page).count()) === 3, 'three questions')
  await picture(page, 'demo-errands')
  await decide(page, '', last(page).getByRole('button', { name: 'Approve all 3' }))
  await idle(page)
  assert.deepEqual(await statuses(page), ['notes.add success', 'notes.add success', 'notes.add success'])
})

test('a result leaves the machine when it is released, and not before', async (t) => {
  const { page } = await open(t)
  for (const [name, told, count] of [['Withhold', /I did not get to see it/, 1], ['Release', /picnic by the lake, and that/, 2]]) {
    await scene(page, 'diary')
    await question(page).waitFor()
    assert.match(await read(question(page)), /A heron watched/)
    if (count === 1) await picture(page, 'demo-release')
    await decide(page, name)
    await idle(page)
    assert.match(await read(last(page)), told)
  }
})

test('a slow tool tells how far it is, and one call can be cancelled', async (t) => {
  const { page } = await open(t)
  await scene(page, 'album')
  await until(async () => /[1-9] \/ 40/.test(await read(last(page))), 'progress')
  await picture(page, 'demo-album')
  await cards(page).locator('[part=stop]').click()
  await idle(page)
  assert.deepEqual(await statuses(page), ['album.make unknown'], 'it ran, and nobody knows how far')
  assert.match(await read(last(page)), /Stopped half-way/)
})

test('a tool that fails is told, and the answer goes on', async (t) => {
  const { page } = await open(t)
  await scene(page, 'printer')
  await idle(page)
  assert.deepEqual(await statuses(page), ['printer.print error', 'live2d.expression success'])
  assert.match(await read(last(page)), /out of paper \(tray 1\)[^]*I can read the list/)
})

test('thoughts stand apart from the answer', async (t) => {
  const { page } = await open(t)
  await scene(page, 'think')
  await idle(page)
  assert.deepEqual(await shape(page), ['reasoning', 'text'])
  assert.match(await read(last(page)), /Five cents/)
})

test('stop ends the answer where it is, and the next one works', async (t) => {
  const { page } = await open(t, { demo: { delayMs: 30 } })
  await scene(page, 'chat')
  await page.waitForSelector('#chat[data-state=speaking]')
  await page.getByRole('button', { name: 'Stop' }).click()
  await idle(page)
  assert.equal(await last(page).evaluate((element) => element.message.getSnapshot().outcome), 'cancelled')
  assert.doesNotMatch(await read(last(page)), /open the window/)
  await scene(page, 'weather')
  await idle(page)
  assert.deepEqual(await statuses(page), ['weather.now success'])
})

// -- windows --------------------------------------------------------------------------------------------------------------------

test('two pages show one message: the first decision counts, and both see it', async (t) => {
  const { page, other, demo } = await open(t, { pages: 2 })
  await go(other, demo)
  await scene(page, 'message')
  await question(page).waitFor()
  await question(other).waitFor()
  await decide(other, 'Approve')
  await Promise.all([idle(page), idle(other)])
  for (const each of [page, other]) {
    assert.deepEqual(await statuses(each), ['message.send success', 'live2d.expression success'])
    assert.equal(await question(each).count(), 0)
    assert.match(await read(last(each)), /Sent\. Lin knows/)
  }
})

test('a page that is loaded again in mid-answer goes on with it', async (t) => {
  const { page } = await open(t, { demo: { delayMs: 40 } })
  await scene(page, 'chat')
  await until(async () => (await read(last(page))).length > 40, 'some text')
  await page.reload()
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  await until(async () => (await answers(page).count()) === 1 && (await read(last(page))).length > 40, 'what was said before')
  assert.equal(await page.locator('#chat').getAttribute('data-state'), 'speaking')
  await idle(page)
  assert.match(await read(last(page)), /Rain is the only weather[^]*open the window for a moment\./)
})

test('a question that was open is asked again behind a reload', async (t) => {
  const { page } = await open(t)
  await scene(page, 'message')
  await question(page).waitFor()
  await page.reload()
  await question(page).waitFor()
  await decide(page, 'Approve')
  await idle(page)
  assert.deepEqual((await statuses(page))[0], 'message.send success')
})

test('a new conversation is empty, and the old one is not told to the model', async (t) => {
  const server = await startServer({ answers: [{ text: 'One.' }, { text: 'Two.' }] })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  await say(page, 'First')
  await idle(page)
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByRole('heading', { name: 'Hi, I am Lulu!' }).waitFor()
  assert.equal(await answers(page).count(), 0)
  await say(page, 'Second')
  await until(async () => /Two\./.test(await read(last(page))), 'the answer')
  assert.deepEqual(server.requests[1].body.messages.map(({ role }) => role), ['system', 'user'])
})

for (const [view, seen, unseen] of [['pet', '#pet', '#chat'], ['chat', '#chat', '#pet']]) {
  test(`the ${view} has a window of its own`, async (t) => {
    const viewport = view === 'pet' ? { width: 340, height: 460 } : { width: 560, height: 780 }
    const { page, other: chat, demo } = await open(t, { path: `/?view=${view}`, viewport, pages: 2 })
    assert.ok(await page.locator(seen).isVisible())
    assert.ok(!(await page.locator(unseen).isVisible()))
    if (view === 'pet') {
      await go(chat, demo, '/?view=chat')
      await scene(chat, 'face')
      await page.waitForSelector('#pet [data-expression=happy]')
      await until(async () => /little dance/.test(await page.locator('#words').innerText()), 'the bubble')
      await picture(page, 'demo-window-pet', { omitBackground: true })
    } else {
      await scene(page, 'umbrella')
      await question(page).waitFor()
      await picture(page, 'demo-window-chat')
    }
  })
}

// -- what goes wrong around the conversation ----------------------------------------------------------------------------------------

test('a conversation goes on where the host keeps only its last messages', async (t) => {
  const { page, demo } = await open(t, { demo: { keepMessages: 3 } })
  for (const [at, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
    await say(page, text)
    await idle(page)
    assert.equal(await answers(page).count(), at + 1, text)
  }
  assert.deepEqual(await page.locator('.mine').evaluateAll((all) => all.map((one) => one.lastChild.textContent)), ['one', 'two', 'three', 'four', 'five'])
  void demo
})

test('a host that is lost is told, nothing looks as if it went on, and what is written stays', async (t) => {
  const { page, demo } = await open(t, { demo: { delayMs: 60 }, expected: [/ERR_|Failed to load/] })
  await scene(page, 'chat')
  await page.waitForSelector('#chat[data-state=speaking]')
  await page.getByRole('textbox', { name: 'Message' }).fill('Still there?')
  await demo.close()
  await page.getByText(/^Not connected\. Trying again/).waitFor()
  assert.deepEqual(await told(page), ['not connected'], 'once, not every second')
  assert.equal(await page.locator('#chat').getAttribute('data-state'), 'offline')
  assert.equal(await page.getByRole('button', { name: 'Stop', exact: true }).count(), 0)
  assert.equal(await page.locator('#send').isDisabled(), true)
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  await page.getByText('Not connected: your text stays here.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'Still there?')
  await page.getByRole('button', { name: 'Try now' }).click()
  await picture(page, 'demo-offline')
})

test('what an answer is up to is read out by its message alone, an end that comes at once too', async (t) => {
  const server = await startServer({ answers: [{ text: 'One.' }, { status: 400, error: 'no such model' }] })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: 'm' } })
  await say(page, 'one')
  await idle(page)
  await say(page, 'two')
  await idle(page)
  await until(async () => (await last(page).getByRole('status').first().textContent()).startsWith('Failed'), 'the failure to be read out')
  assert.deepEqual(await told(page), [])
})

test('Enter while an answer runs says why nothing is sent; with Ctrl it stops the answer and sends', async (t) => {
  const { page } = await open(t, { demo: { delayMs: 60 } })
  await scene(page, 'chat')
  await page.waitForSelector('#chat[data-state=speaking]')
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('And snow?')
  await field.press('Enter')
  await page.getByText('Lulu is still answering.').waitFor()
  assert.equal(await answers(page).count(), 1)
  assert.equal(await field.inputValue(), 'And snow?')
  await field.press('Control+Enter')
  await until(async () => (await answers(page).count()) === 2, 'the next answer')
  await idle(page)
  assert.equal(await answers(page).first().evaluate((element) => element.message.getSnapshot().outcome), 'cancelled')
  assert.equal(await page.locator('#hint').isVisible(), false)
})

test('a long text of a person is folded until somebody wants to see it', async (t) => {
  const { page } = await open(t)
  await say(page, `begin ${'pasted words '.repeat(4000)}end`)
  const bubble = page.locator('.mine')
  assert.ok((await bubble.boundingBox()).height < 600)
  await bubble.getByRole('button', { name: 'Show more' }).click()
  assert.ok((await bubble.boundingBox()).height > 2000)
  assert.equal(await bubble.getByRole('button', { name: 'Show less' }).getAttribute('aria-expanded'), 'true')
})

test('every scene of the strip can be reached with a wheel and the keyboard, and none while an answer runs', async (t) => {
  const { page } = await open(t, { demo: { delayMs: 25 } })
  await scene(page, 'weather')
  assert.equal(await page.locator('#strip').evaluate((strip) => strip.inert), true)
  await idle(page)
  const strip = page.locator('#strip')
  await strip.hover()
  const end = () => strip.evaluate((one) => one.scrollLeft + one.clientWidth >= one.scrollWidth - 1)
  assert.equal(await end(), false)
  for (let turns = 0; turns < 30 && !(await end()); turns++) await page.mouse.wheel(0, 200)
  await until(end, 'the end of the strip')
  const last = strip.getByRole('button').last()
  await strip.getByRole('button').first().focus()
  assert.equal(await last.evaluate((button) => (button.focus(), document.activeElement === button)), true)
})

test('a face comes to rest: a thinking one when Lulu goes on, any with the next answer and a new conversation', async (t) => {
  const { page } = await open(t)
  await scene(page, 'umbrella')
  await question(page).waitFor()
  await decide(page, 'Approve')
  await idle(page)
  await until(async () => (await expression(page)) === 'neutral', 'the face to rest')
  await scene(page, 'message')
  await question(page).waitFor()
  await decide(page, 'Deny')
  await idle(page)
  await until(async () => (await expression(page)) === 'worried', 'the face')
  await say(page, 'Well.')
  await until(async () => (await expression(page)) === 'neutral', 'the face to rest with the next answer')
  await idle(page)
  await scene(page, 'message')
  await question(page).waitFor()
  await decide(page, 'Deny')
  await idle(page)
  await until(async () => (await expression(page)) === 'worried', 'the face')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await until(async () => (await expression(page)) === 'neutral', 'the face to rest')
})

test('protocols are sorted, and grouped', async (t) => {
  const { page } = await open(t)
  const groups = await page.locator('#protocol optgroup').evaluateAll((all) => all.map((one) => [one.label, [...one.children].map((option) => option.value)]))
  assert.ok(groups.length >= 4)
  for (const [label, ids] of groups.slice(1)) assert.deepEqual(ids, [...ids].sort((a, b) => a.localeCompare(b, 'en')), label)
})

for (const [width, height] of [[320, 256], [320, 640], [390, 780], [800, 700], [1280, 800]]) {
  test(`nothing lies over another at ${width} × ${height}`, async (t) => {
    const { page } = await open(t, { viewport: { width, height } })
    await ask(page, () => page.locator('[data-scene=message]').first().evaluate((button) => button.click()))
    await question(page).waitFor()
    const { wide, over, log } = await page.evaluate(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect()
      const who = box('.who')
      const buttons = [...document.querySelectorAll('.head > button')].map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0)
      const status = box('#status')
      return { wide: document.documentElement.scrollWidth > innerWidth, over: buttons.some(({ left }) => left < Math.min(who.right, status.right) - 1 && left > who.left), log: box('#log').height }
    })
    assert.deepEqual([wide, over], [false, false])
    assert.ok(log > 140, `${log} px of conversation`)
    const unseen = question(page).getByRole('button', { name: /not seen|out of view/ })
    await until(async () => {
      if (await button(page, 'Approve').getAttribute('aria-disabled') === 'false') return true
      if (await unseen.count() > 0) await unseen.click({ timeout: 1000 }).catch(() => {})
      return false
    }, 'the question to be seen', 30_000)
    await picture(page, `demo-question-${width}x${height}`)
  })
}

// -- settings -------------------------------------------------------------------------------------------------------------------

test('any server of the same API can answer; its key never comes back to a page', async (t) => {
  const server = await startServer({ answers: [{ text: 'I am a real one.' }, { text: 'And still here.' }] })
  t.after(server.close)
  const { page } = await open(t, { expected: [/400 \(Bad Request\)/] })
  const bodies = []
  page.on('response', async (response) => bodies.push(await response.text().catch(() => '')))
  await page.getByRole('button', { name: 'Settings' }).click()
  const drawer = page.getByRole('dialog', { name: 'Settings' })
  await drawer.getByRole('radio', { name: 'A server' }).check()
  await drawer.getByLabel('Base URL').fill('ftp://example')
  await drawer.getByLabel('Model name').fill('qwen3:8b')
  await drawer.getByLabel('API key').fill('sk-very-secret')
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('expected an http or https URL').waitFor()
  await drawer.getByLabel('Base URL').fill(server.baseURL)
  await drawer.getByRole('button', { name: 'Use it' }).click()
  await drawer.getByText('the next message goes there').waitFor()
  assert.equal(await drawer.getByLabel('API key').inputValue(), '')
  await drawer.getByText('A key is set').waitFor()
  await picture(page, 'demo-settings')
  await page.keyboard.press('Escape')
  await until(() => drawer.isHidden(), 'the drawer is closed')
  await say(page, 'Who are you?')
  await until(async () => /I am a real one/.test(await read(last(page))), 'the answer')
  await idle(page)
  assert.equal(server.requests[0].headers.authorization, 'Bearer sk-very-secret')
  assert.equal(server.requests[0].body.model, 'qwen3:8b')
  await page.reload()
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  assert.equal(await page.locator('#model').innerText(), 'qwen3:8b')
  assert.doesNotMatch(bodies.join('\n') + (await page.content()), /sk-very-secret/)
})

test('a key is not sent to another server than the one it was given for', async (t) => {
  const [one, two] = await Promise.all([startServer({ answers: [{ text: 'a' }] }), startServer({ answers: [{ text: 'b' }] })])
  t.after(one.close)
  t.after(two.close)
  const { page } = await open(t, { demo: { baseURL: one.baseURL, model: 'm', apiKey: 'sk-one' } })
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByLabel('Base URL').fill(two.baseURL)
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByText('the next message goes there').waitFor()
  await page.keyboard.press('Escape')
  await say(page, 'Hello')
  await until(() => two.requests.length === 1, 'the request')
  assert.equal(two.requests[0].headers.authorization, undefined)
})

test('the configuration is a page of the drawer, and what is switched off is not offered', async (t) => {
  const { page } = await open(t)
  await page.getByRole('button', { name: 'Settings' }).click()
  const configuration = page.locator('sluice-configuration')
  await configuration.getByText('notes.add').first().waitFor()
  await configuration.scrollIntoViewIfNeeded()
  await picture(page, 'demo-configuration')
  await page.keyboard.press('Escape')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'settings')
})

test('modes and protocols are kept for every window', async (t) => {
  const { page, other, demo } = await open(t, { pages: 2 })
  await page.getByRole('radio', { name: 'Text' }).check()
  await page.getByLabel('Protocol').selectOption('hermes')
  await scene(page, 'weather')
  await idle(page)
  assert.equal(await cards(page).first().evaluate((card) => card.card.source), 'hermes')
  await go(other, demo)
  assert.equal(await other.locator('#modes input:checked').inputValue(), 'text')
  assert.equal(await other.locator('#protocol').inputValue(), 'hermes')
})

// -- for everybody --------------------------------------------------------------------------------------------------------------

test('a whole turn with the keyboard alone', async (t) => {
  const { page } = await open(t)
  const focused = () => page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element?.textContent?.trim() || element?.getAttribute('aria-label') || element?.id
  })
  assert.equal(await page.evaluate(() => document.activeElement.id), 'text')
  await page.keyboard.type('Tell Lin that I will be ten minutes late.')
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  await button(page, 'Approve').and(page.locator('[aria-disabled=false]')).waitFor()
  for (let tabs = 0; tabs < 12 && (await focused()) !== 'Approve'; tabs++) await page.keyboard.press('Shift+Tab')
  assert.equal(await focused(), 'Approve')
  await page.keyboard.press('Enter')
  await idle(page)
  assert.equal((await statuses(page))[0], 'message.send success')
  for (let tabs = 0; tabs < 30 && (await page.evaluate(() => document.activeElement.name)) !== 'mode'; tabs++) await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.locator('#modes input:checked').inputValue(), 'native')
})

test('a scene that is started from the keyboard leads to its question: the focus is on Deny', async (t) => {
  const { page } = await open(t)
  await page.locator('.scene[data-scene=message]').focus()
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  await until(() => page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element?.textContent.trim() === 'Deny'
  }), 'the focus')
})

test('the page says what everything is', async (t) => {
  const { page } = await open(t)
  const tree = await page.locator('body').ariaSnapshot()
  for (const part of [
    /region "Lulu, the pet"|img "Lulu: neutral"/, /main "Chat with Lulu"/, /heading "Lulu" \[level=1\]/, /paragraph: here for you/, /group "How tools are called"/,
    /radio "Auto" \[checked\]/, /combobox "Protocol"/, /log "Conversation"/, /textbox "Message"/, /button "Send" \[disabled\]/, /button "Settings"/,
  ]) assert.match(tree, part)
  await page.getByRole('button', { name: 'Settings' }).click()
  const drawer = await page.getByRole('dialog', { name: 'Settings' }).ariaSnapshot()
  assert.match(drawer, /radio "Scripted" \[checked\]/)
  assert.equal(await page.locator('button:visible, input:visible, select:visible, textarea:visible').evaluateAll((all) =>
    all.filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML)).then(String), '')
})

test('the page speaks Chinese, by night too, and in a narrow window', async (t) => {
  const { page } = await open(t, { locale: 'zh-CN', colorScheme: 'dark' })
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN')
  await picture(page, 'demo-zh-dark-welcome')
  await scene(page, 'umbrella')
  await question(page).waitFor()
  await picture(page, 'demo-zh-dark')
  await decide(page, '批准')
  await idle(page)
  assert.match(await read(last(page)), /记好了/)
  await page.setViewportSize({ width: 400, height: 780 })
  await picture(page, 'demo-zh-dark-narrow')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByText('here for you').waitFor()
  await page.getByRole('button', { name: 'Light or dark' }).click()
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'light')
  await page.getByRole('button', { name: 'Settings' }).click()
  await picture(page, 'demo-narrow-settings')
})

test('at 200 % a question and its buttons are on the page at once', async (t) => {
  const { page } = await open(t, { viewport: { width: 600, height: 390 }, deviceScaleFactor: 2 })
  await scene(page, 'diary')
  await button(page, 'Release').waitFor()
  const log = await page.locator('#log').boundingBox()
  await until(async () => {
    const box = await button(page, 'Release').boundingBox()
    return box.y > log.y && box.y + box.height < log.y + log.height
  }, 'the button')
  assert.ok(log.height > 180, `${log.height} px of conversation`)
  await picture(page, 'demo-zoomed')
  await decide(page, 'Release')
  await idle(page)
  assert.match(await read(last(page)), /picnic/)
})

test('a page that is told garbage by its server shows it as text', async (t) => {
  const bad = '<img src=x onerror=alert(1)>\u202e<script>document.title="gone"</script>'
  const server = await startServer({ answers: [{ text: bad }] })
  t.after(server.close)
  const { page } = await open(t, { demo: { baseURL: server.baseURL, model: '<b>m</b>' } })
  await say(page, bad)
  await until(async () => /onerror/.test(await read(last(page))), 'the answer')
  assert.equal(await page.title(), 'Lulu')
  assert.equal(await page.locator('img, #log script, .model b').count(), 0)
})
