// The demo pet on its real page: real server, real bridge, strict CSP (a refused resource fails the test, see
// support.mjs). What it answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { protocols } from '../../js/demo/script.mjs'
import {
  answers,
  cards,
  decide,
  expression,
  idle,
  last,
  open,
  question,
  read,
  record,
  scene,
  shape,
  statuses,
  switches,
} from './demo/page.mjs'
import { picture, until } from '../browser/support.mjs'

// -- the five acceptance cases, natively and as text ------------------------------------------------------------------

for (const mode of ['native', 'text']) {
  const settings = { mode }

  test(`plain chat, ${mode}: the first words at once, one stream, one message`, async (t) => {
    const { page } = await open(t, { demo: { delayMs: 25, settings } })
    const seen = await record(page)
    await scene(page, 'chat')
    await idle(page)
    const { store, page: shown } = await seen()
    const whole = store.at(-1).text
    assert.match(whole, /open the window for a moment\.$/)
    const steps = store.filter(({ text }, at) => text !== '' && text !== store[at - 1]?.text)
    assert.ok(steps.length > 10, `the text came in ${steps.length} steps`)
    assert.ok(steps[0].text.length < whole.length / 4, `the first text is ${steps[0].text.length} characters long`)
    for (const [at, { text }] of steps.entries())
      assert.ok(at === 0 || text.startsWith(steps[at - 1].text), 'what stands there stays')
    assert.ok(shown.length > 2, `the page showed ${shown.length} steps`)
    assert.equal(shown[0].state, 'speaking')
    assert.ok(shown[0].text.length < whole.length / 2, `the page began with ${shown[0].text.length} characters`)
    assert.equal(shown.at(-1).text, whole.replace(/\n+/g, ''))
    assert.match(await read(last(page)), /open the window for a moment\./)
    assert.equal(await answers(page).count(), 1)
    assert.deepEqual(await shape(page), ['text'])
  })

  test(`one tool, ${mode}: its card runs, succeeds, and the text goes on in the same message`, async (t) => {
    const { page } = await open(t, { demo: { settings } })
    const seen = await record(page)
    await scene(page, 'weather')
    await idle(page)
    const states = (await seen()).store
      .map(({ cards }) => cards[0])
      .filter((state, at, all) => state && state !== all[at - 1])
    const life = ['streaming', 'pending', 'executing', 'success'] // a busy page sees some of them together
    assert.equal(states.at(-1), 'success')
    assert.deepEqual(
      states,
      life.filter((state) => states.includes(state)),
    )
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
    assert.deepEqual(
      tops,
      [...tops].sort((a, b) => a - b),
    )
    await picture(page, `demo-trip-${mode}`)
  })

  test(`Live2D in mid-answer, ${mode}: the card is there and the pet has moved while the text goes on`, async (t) => {
    const { page } = await open(t, { demo: { delayMs: 45, settings }, reducedMotion: 'no-preference' })
    assert.equal(await expression(page), 'neutral')
    // the page notes the message as it is when the pet changes: a busy machine looks when all is over
    const during = page.evaluate(
      () =>
        new Promise((resolve) => {
          const within = (root) =>
            [...root.querySelectorAll('*')].flatMap((element) => [
              ...(element.localName === 'sluice-message' && element.message ? [element] : []),
              ...(element.shadowRoot ? within(element.shadowRoot) : []),
            ])
          // the pet has a way of its own: the message may come a frame later
          const look = () => {
            if (!document.querySelector('#pet [data-expression=surprised]')) return
            watcher.disconnect()
            const { message } = within(document).at(-1)
            const seen = () => {
              const now = message.getSnapshot()
              if (now.outcome || now.blocks.some((block) => block.type === 'tool_use')) resolve(now)
            }
            message.subscribe(seen)
            seen()
          }
          const watcher = new MutationObserver(look)
          watcher.observe(document.querySelector('#pet'), { subtree: true, childList: true, attributes: true })
        }),
    )
    await scene(page, 'face')
    const { outcome, blocks } = await during
    assert.equal(outcome, undefined, 'the answer goes on')
    assert.doesNotMatch(JSON.stringify(blocks), /from the handshake on/)
    assert.equal(blocks.find((block) => block.type === 'tool_use').name, 'live2d.expression')
    await page.waitForSelector('#pet [data-expression=happy]')
    await picture(page, `demo-face-${mode}`)
    await idle(page)
    assert.deepEqual(await shape(page), [
      'text',
      'live2d.expression',
      'text',
      'live2d.expression',
      'live2d.motion',
      'text',
    ])
    assert.deepEqual(await statuses(page), [
      'live2d.expression success',
      'live2d.expression success',
      'live2d.motion success',
    ])
    assert.equal(await last(page).evaluate((element) => element.message.getSnapshot().rounds), 1, 'one request')
  })
}

test('a provider that refuses tools: the error says what to do, nothing is done in silence, and text mode works', async (t) => {
  const { page } = await open(t, { demo: { settings: { mode: 'native' } } })
  await scene(page, 'refused')
  await idle(page)
  assert.match(
    await read(last(page)),
    /tools is not supported by this model[^]*Text mode describes tools in the prompt/,
  )
  assert.deepEqual(await shape(page), ['error'])
  assert.equal((await switches(page)).mode, 'native')
  await picture(page, 'demo-refused')
  await page.getByRole('button', { name: 'Switch to text and ask again' }).click()
  await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
  await idle(page)
  assert.equal(await answers(page).count(), 1, 'it stands in place of the one that failed')
  assert.equal((await switches(page)).mode, 'text')
  assert.deepEqual(await shape(page), ['text', 'weather.now', 'text'])
  assert.deepEqual(await statuses(page), ['weather.now success'])
  assert.match(await read(last(page)), /Take the umbrella/)
  assert.equal(await page.getByRole('button', { name: 'Switch to text and ask again' }).count(), 0)
})

test('every protocol of the script calls the same tools', async (t) => {
  const { page } = await open(t, { demo: { settings: { mode: 'text' }, delayMs: 0 } })
  const write = (protocol) =>
    page.evaluate((protocol) => document.querySelector('#talk').client.configure({ settings: { protocol } }), protocol)
  assert.ok(protocols.length >= 5 && protocols.includes('vcp'), protocols.join())
  for (const protocol of protocols) {
    await write(protocol)
    await scene(page, 'trip')
    await idle(page)
    assert.deepEqual(
      await statuses(page),
      ['calendar.list success', 'weather.now success', 'web.search success'],
      protocol,
    )
    assert.equal(
      await last(page).evaluate(
        (element) => element.message.getSnapshot().blocks.find(({ type }) => type === 'tool_use').source,
      ),
      protocol,
    )
  }
  await write('kimi-k2')
  await scene(page, 'weather')
  await idle(page)
  assert.match(await read(last(page)), /it writes vcp, /)
})

// -- people decide ----------------------------------------------------------------------------------------------------

test('an approval stands in its card: denied, the tool does not run and the answer goes on', async (t) => {
  const { page } = await open(t)
  await scene(page, 'message')
  await question(page).waitFor()
  assert.equal(await page.locator('#chat').getAttribute('data-state'), 'asking')
  assert.match(
    await read(question(page)),
    /message\.send[^]*changes something[^]*leaves this computer[^]*Lin[^]*ten minutes late/,
  )
  await picture(page, 'demo-approval')
  await decide(page, 'Not now')
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
  await decide(page, 'Allow')
  await idle(page)
  assert.deepEqual(await statuses(page), [
    'live2d.expression success',
    'weather.now success',
    'notes.add success',
    'live2d.motion success',
  ])
  assert.deepEqual(await shape(page), [
    'reasoning',
    'text',
    'live2d.expression',
    'weather.now',
    'text',
    'notes.add',
    'live2d.motion',
    'text',
  ])
  await scene(page, 'errands')
  await idle(page)
  assert.deepEqual(
    await statuses(page),
    ['notes.add success', 'notes.add success', 'notes.add success'],
    'nobody was asked',
  )
})

test('a call in prose waits for its button, and the answer goes on in the same message', async (t) => {
  const { page } = await open(t)
  await scene(page, 'button')
  await question(page).waitFor()
  await picture(page, 'demo-button')
  assert.match(
    await cards(page).evaluate((card) => card.card.raw),
    /^\{"tool_calls":/,
    'as it was written in the prose',
  )
  await decide(page, 'Run')
  await idle(page)
  assert.deepEqual(await shape(page), ['text', 'weather.now', 'text'])
  assert.deepEqual(await statuses(page), ['weather.now success'])
  assert.equal(await answers(page).count(), 1)
})

test('several questions are a checklist, answered at once', async (t) => {
  const { page } = await open(t)
  await scene(page, 'errands')
  const ticks = page.locator('sluice-questions').getByRole('checkbox')
  await until(async () => (await ticks.count()) === 3, 'three questions')
  await picture(page, 'demo-errands')
  const [bar, dock, card] = await page.evaluate(() => {
    const deep = (names) =>
      names.reduce((root, name) => root.querySelector(name).shadowRoot ?? root.querySelector(name), document)
    return [
      ['#talk', 'sluice-questions', '.bar'],
      ['#talk', 'sluice-questions', '.dock'],
      ['#talk', 'sluice-thread', 'sluice-entry + sluice-entry', 'sluice-message', 'sluice-card', '.card'],
    ].map((names) => getComputedStyle(deep(names)).backgroundColor)
  })
  assert.deepEqual([bar, dock], ['rgba(0, 0, 0, 0)', card], 'the questions and their bar stand on the colour of cards')
  for (let at = 0; at < 3; at++) {
    assert.equal(await ticks.nth(at).isChecked(), false, 'what changes something is ticked by hand')
    await ticks.nth(at).and(page.locator('[aria-disabled=false]')).click()
  }
  await decide(page, '', page.getByRole('button', { name: 'Allow 3' }))
  await idle(page)
  assert.deepEqual(await statuses(page), ['notes.add success', 'notes.add success', 'notes.add success'])
  assert.match(await read(last(page)), /Wrote 3 notes/)
})

test('a result leaves the machine when it is released, and not before', async (t) => {
  const { page } = await open(t)
  for (const [name, told, count] of [
    ['Keep it here', /I did not get to see it/, 1],
    ['Let it read', /picnic by the lake, and that/, 2],
  ]) {
    await scene(page, 'diary')
    await question(page).waitFor()
    const asked = await read(question(page))
    assert.match(asked, /A heron watched/)
    assert.doesNotMatch(asked, /public/i, 'how free the call is says nothing of its result')
    assert.equal(await question(page).locator('.scroll .line').count(), 4, 'JSON on lines of its own')
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
