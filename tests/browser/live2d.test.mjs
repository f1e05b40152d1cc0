// The drawn puppet, and the real engine with a real model where `npm run live2d` has installed one. The policy of the
// pages is that of the demo.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serve } from 'sluice/web'
import { picture, until, useBrowser } from './support.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const local = here('../../build/live2d/')
const skip = existsSync(`${local}manifest.json`) ? false : 'no model: npm run live2d -- --accept-licences installs one'
const browser = useBrowser({ webgl: !skip })
let server

before(async () => {
  server = await serve({
    roots: { '/': here('live2d/'), '/pet/': here('../../js/demo/pet/'), ...(skip ? {} : { '/live2d-local/': local }) },
  })
})
after(() => server.close())

async function open(t, mode, options) {
  const page = await browser.page(t, options)
  await load(page, mode)
  return page
}

async function load(page, mode) {
  await page.goto(`${server.url}&${mode}`)
  await page.goto(`${server.origin}/?${mode}`)
  await page.waitForFunction(() => window.ready, undefined, { timeout: 30_000 })
}

/** What the puppet shows, as markup. */
const drawn = (page) => page.evaluate(() => window.pet.element.innerHTML)

test('every expression of the puppet looks different from every other', async (t) => {
  const page = await open(t, 'sheet', { reducedMotion: 'reduce', viewport: { width: 1200, height: 1010 } })
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  const seen = new Map()
  for (const figure of await page.locator('figure').all()) {
    const name = await figure.innerText()
    const markup = await figure.locator('svg').evaluate((svg) => svg.innerHTML.replace(/puppet\d+-/g, ''))
    assert.equal(seen.get(markup), undefined, `${name} looks like another one`)
    seen.set(markup, name)
    assert.equal(await figure.locator('svg').getAttribute('aria-label'), `Lulu: ${name}`)
  }
  assert.ok(seen.size >= 10, `found ${seen.size} expressions`)
  await picture(page, 'puppet-expressions', { fullPage: true })
})

test('at 120 pixels a person sees which expression it is', async (t) => {
  const page = await open(t, 'sheet', { reducedMotion: 'reduce', viewport: { width: 1200, height: 1010 } })
  const shown = await page.evaluate(async () => {
    const all = [...document.querySelectorAll('figure')]
    const pixels = []
    for (const figure of all) {
      const svg = figure.querySelector('svg').cloneNode(true)
      svg.setAttribute('width', 120)
      svg.setAttribute('height', 144)
      const image = new Image()
      image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`
      await image.decode()
      const pen = new OffscreenCanvas(120, 144).getContext('2d')
      pen.drawImage(image, 0, 0, 120, 144)
      pixels.push({ name: figure.innerText.trim(), data: [...pen.getImageData(0, 0, 120, 144).data] })
    }
    return pixels
  })
  const drawn = shown[0].data.filter((value, at) => at % 4 === 3 && value > 0).length
  assert.ok(drawn > 3000, `${drawn} pixels are drawn`)
  for (const one of shown)
    for (const other of shown) {
      if (one.name <= other.name) continue
      let differ = 0
      for (let at = 0; at < one.data.length; at += 4)
        if ([0, 1, 2].some((part) => Math.abs(one.data[at + part] - other.data[at + part]) > 48)) differ++
      assert.ok(differ / drawn > 0.02, `${one.name} and ${other.name}: ${differ} of ${drawn} pixels differ`)
    }
})

for (const [mode, least, height] of [
  ['states', 18, 1350],
  ['mouths', 5, 560],
]) {
  test(`the puppet's ${mode} look different from each other`, async (t) => {
    const page = await open(t, mode, { reducedMotion: 'reduce', viewport: { width: 1200, height } })
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    const seen = new Map()
    for (const figure of await page.locator('figure').all()) {
      const markup = await figure.locator('svg').evaluate((svg) => svg.innerHTML.replace(/puppet\d+-/g, ''))
      const name = await figure.innerText()
      if (/^(speaking|stopped)$/.test(name)) continue // a mouth, and a nod
      assert.equal(seen.get(markup), undefined, `${name} looks like another one`)
      seen.set(markup, name)
    }
    assert.ok(seen.size >= least - 2, `found ${seen.size}`)
    await picture(page, `puppet-${mode}`, { fullPage: true })
  })
}

test('every motion of the puppet moves it, also as a still pose where motion is reduced', async (t) => {
  const page = await open(t, 'motions', { reducedMotion: 'reduce', viewport: { width: 1200, height: 1350 } })
  const frame = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await frame()
  const shapes = () => page.locator('svg').evaluateAll((all) => all.map((svg) => svg.innerHTML))
  const before = await shapes()
  // a pose is drawn once at least; on a busy machine it is over when the test looks
  await page.evaluate(() => {
    const all = [...document.querySelectorAll('svg')]
    window.moved = all.map(() => false)
    all.forEach((svg, index) => {
      const rest = svg.innerHTML
      new MutationObserver(() => (window.moved[index] ||= svg.innerHTML !== rest)).observe(svg, {
        subtree: true,
        childList: true,
        attributes: true,
      })
    })
    window.start.forEach((start) => start())
  })
  await frame()
  await picture(page, 'puppet-motions', { fullPage: true })
  await until(async () => (await shapes()).every((shape, index) => shape === before[index]), 'rest')
  const names = await page.locator('figure').allInnerTexts()
  const moved = await page.evaluate(() => window.moved)
  assert.ok(moved.length >= 10)
  moved.forEach((one, index) => assert.ok(one, `${names[index]} moves nothing`))
})

test('motions run their course, one takes the place of another, and the pet comes back to itself', async (t) => {
  const page = await open(t, 'puppet')
  const values = () => page.evaluate(() => window.pet.parameters())
  assert.equal(await page.evaluate(() => window.pet.motion('Jump')), true)
  await until(async () => (await values()).bodyY < -20, 'the jump')
  await until(async () => (await values()).bodyY > -2, 'the landing')
  await page.evaluate(() => (window.pet.motion('Dance'), window.pet.motion('Wave')))
  await until(async () => (await values()).armR > 90, 'the wave')
  const { armL } = await values()
  assert.ok(armL < 40, `the other arm hangs: ${armL}`)
  await until(async () => (await values()).armR < 30, 'the end of the wave')
  await picture(page, 'puppet')
})

test('it blinks, breathes, opens its mouth when it is told to, and looks at the pointer', async (t) => {
  const page = await open(t, 'puppet')
  const values = () => page.evaluate(() => window.pet.parameters())
  const [first] = [await drawn(page)]
  await until(async () => (await drawn(page)) !== first, 'breath')
  const blinked = () =>
    page.evaluate(
      () =>
        new Promise((done) => {
          const end = performance.now() + 14_000
          const look = () =>
            window.pet.parameters().eyeL < 0.4 || performance.now() > end
              ? done(performance.now() < end)
              : requestAnimationFrame(look)
          look()
        }),
    )
  assert.equal(await blinked(), true, 'a blink') // it is over sooner than a test looks again
  await page.evaluate(() => window.pet.mouth(0.8, 0.2))
  await until(async () => (await values()).mouthOpen > 0.3, 'an open mouth')
  await page.evaluate(() => window.pet.mouth(0))
  await until(async () => (await values()).mouthOpen < 0.02, 'a closed mouth')
  await page.mouse.move(5, 350)
  await until(async () => (await values()).headX < -0.3, 'a look to the left')
  await page.mouse.move(890, 350)
  await until(async () => (await values()).headX > 0.3, 'a look to the right')
})

test('where motion is reduced it stands still, but shows what it feels and that it talks', async (t) => {
  const page = await open(t, 'puppet', { reducedMotion: 'reduce' })
  const frames = (count) =>
    page.evaluate(async (count) => {
      const seen = new Set()
      for (let index = 0; index < count; index++) {
        await new Promise(requestAnimationFrame)
        seen.add(window.pet.element.innerHTML)
      }
      return seen.size
    }, count)
  await frames(3)
  assert.equal(await frames(60), 1)
  const before = await drawn(page)
  await page.evaluate(() => window.pet.expression('happy'))
  await frames(3)
  assert.notEqual(await drawn(page), before)
  assert.equal(await frames(30), 1)
  const quiet = await drawn(page)
  await page.evaluate(() => window.pet.mouth(0.8, 0.2))
  await frames(3)
  assert.notEqual(await drawn(page), quiet)
  assert.equal(await frames(30), 1)
})

test('where motion is reduced it asks for no frames while nothing happens, and what passes by itself still ends', async (t) => {
  const page = await browser.page(t, { reducedMotion: 'reduce' })
  await page.addInitScript(() => {
    const { requestAnimationFrame } = window
    window.asked = 0
    window.requestAnimationFrame = (run) => (window.asked++, requestAnimationFrame(run))
  })
  await load(page, 'puppet')
  const still = () =>
    page.evaluate(async () => {
      const pause = () => new Promise((resolve) => setTimeout(resolve, 100))
      await pause()
      const before = window.asked
      await pause()
      return window.asked === before
    })
  assert.equal(await still(), true)
  const rest = await drawn(page)
  await page.evaluate(() => window.pet.motion('Wave'))
  assert.equal(await still(), true)
  assert.notEqual(await drawn(page), rest)
  await until(async () => (await drawn(page)) === rest, 'the end of the wave')
  await page.mouse.move(5, 350)
  assert.equal(await still(), true)
  assert.notEqual(await drawn(page), rest, 'it looks')
  await until(async () => (await drawn(page)) === rest, 'it to look away')
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await until(async () => (await drawn(page)) !== rest, 'breath')
})

/**
 * Runs in the page before anything of its own: time passes when `pass(ms)` says so, a screen has 60 frames a second.
 */
function standStill() {
  let now = 1000
  let due = []
  let count = 0
  const later = (run, at, frame) => (due.push({ run, at, frame, id: ++count }), count)
  const forget = (id) => void (due = due.filter((one) => one.id !== id))
  performance.now = () => now
  window.setTimeout = (run, ms = 0) => later(run, now + ms)
  window.requestAnimationFrame = (run) => later(run, (Math.floor((now * 60) / 1000 + 1e-6) + 1) * (1000 / 60), true)
  window.clearTimeout = window.cancelAnimationFrame = forget
  /**
   * Frames that were asked for, those of them that changed the figure, attributes that were set, and the most changes
   * in any second.
   */
  window.pass = (ms) => {
    const observer = new MutationObserver(() => {})
    observer.observe(window.pet.element, { attributes: true, subtree: true, childList: true })
    const end = now + ms
    const result = { frames: 0, changed: [], attributes: 0 }
    for (;;) {
      const next = due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      forget(next.id)
      now = Math.max(now, next.at)
      next.run(now)
      const records = observer.takeRecords().length
      if (next.frame) result.frames++
      result.attributes += records
      if (records > 0) result.changed.push(now)
    }
    now = end
    observer.disconnect()
    const most = Math.max(
      0,
      ...result.changed.map((at) => result.changed.filter((other) => other >= at && other < at + 1000).length),
    )
    return {
      frames: result.frames / (ms / 1000),
      changes: result.changed.length / (ms / 1000),
      most,
      attributes: result.attributes / (result.changed.length || 1),
      all: result.attributes,
    }
  }
}

test('it is drawn as often as what moves needs: 60 times in a second while it does, 12 at rest, 4 asleep, never with 0', async (t) => {
  const page = await browser.page(t)
  await page.addInitScript(standStill)
  await page.goto(`${server.url}&puppet`)
  await page.goto(`${server.origin}/?puppet`)
  await until(() => page.evaluate(() => window.ready), 'the puppet')
  const pass = (seconds) => page.evaluate((ms) => window.pass(ms), seconds * 1000)
  const to = (state, fps) =>
    page.evaluate(([state, fps]) => (window.pet.state(state), window.pet.fps(fps)), [state, fps])
  await to('idle', 12)
  await pass(3)
  const idle = await pass(180) // looks about and stretches now and then
  assert.ok(idle.most <= 12, `at most ${idle.most} in a second`)
  assert.ok(idle.changes > 1 && idle.frames < 5, `idle: ${JSON.stringify(idle)}`)
  assert.ok(idle.frames <= idle.changes * 1.15, `frames for nothing: ${JSON.stringify(idle)}`)
  assert.ok(idle.attributes < 8, `it only breathes: ${idle.attributes} attributes a frame`)
  await page.evaluate(() => window.pet.motion('Wave'))
  const moving = await pass(1.5)
  assert.ok(moving.frames > 55, `a motion: ${moving.frames}`)
  await to('dozing', 4)
  await pass(3)
  const dozing = await pass(60)
  assert.ok(dozing.changes > 0.3 && dozing.most <= 4 && dozing.frames <= 2, `dozing: ${JSON.stringify(dozing)}`)
  await page.evaluate(() => window.pet.fps(0))
  await pass(0.1)
  await page.evaluate(() => (window.pet.look({ x: 5, y: 5 }), window.pet.mouth(1)))
  assert.deepEqual(await pass(20), { frames: 0, changes: 0, most: 0, attributes: 0, all: 0 })
  await page.evaluate(() => (window.pet.mouth(0), window.pet.fps(60)))
  assert.ok((await pass(2)).changes > 0, 'it goes on')
})

test('it looks at the pointer for as long as it asks, leans to where somebody types, and looks away else', async (t) => {
  const page = await browser.page(t)
  await page.addInitScript(standStill)
  await page.goto(`${server.url}&puppet`)
  await page.goto(`${server.origin}/?puppet`)
  await until(() => page.evaluate(() => window.ready), 'the puppet')
  const after = (state, seconds) =>
    page.evaluate(
      ([state, ms]) => {
        window.pet.state(state)
        window.pet.look({ x: 890, y: 300 })
        window.pass(ms)
        return window.pet.parameters()
      },
      [state, seconds * 1000],
    )
  assert.ok((await after('asking', 9)).headX > 0.3)
  assert.ok((await after('idle', 1)).headX > 0.3)
  assert.ok(Math.abs((await after('idle', 9)).headX) < 0.2)
  const [leans, stands] = [(await after('listening', 2)).bodyTilt, (await after('thinking', 2)).bodyTilt]
  assert.ok(leans > stands + 4, `leans ${leans}, stands ${stands}`)
})

test('a frame in which nothing moved sets no attribute', async (t) => {
  const page = await browser.page(t)
  await page.addInitScript(standStill)
  await page.goto(`${server.url}&puppet`)
  await page.goto(`${server.origin}/?puppet`)
  await until(() => page.evaluate(() => window.ready), 'the puppet')
  const [same, less, more] = await page.evaluate(async () => {
    const { draw, parameters } = await import('/pet/puppet-drawing.js')
    const { element, pose } = draw()
    const values = Object.fromEntries(Object.keys(parameters).map((name) => [name, parameters[name][2]]))
    const changes = (change, seconds) => {
      const observer = new MutationObserver(() => {})
      observer.observe(element, { attributes: true, subtree: true })
      pose({ ...values, ...change }, seconds)
      return observer.takeRecords().length
    }
    changes({}, 0)
    return [changes({}, 5), changes({ headX: 0.001, breath: 0.0005 }, 6), changes({ headX: 0.1 }, 7)]
  })
  assert.deepEqual([same, less], [0, 0])
  assert.ok(more > 0 && more < 12, `${more}`)
})

test('the puppet refuses what it does not have, is clickable, and leaves nothing behind', async (t) => {
  const page = await open(t, 'puppet')
  const told = await page.evaluate(() => {
    const { pet } = window
    return [
      pet.expression('angry'),
      pet.expression('constructor'),
      pet.expression('smile'),
      pet.expression('smile'),
      pet.motion('Fly'),
      pet.motion('toString'),
      pet.motion('TapBody', 99),
      pet.motion('TapBody', -1),
      pet.motion('TapBody', 0),
    ]
  })
  assert.deepEqual(told, [false, false, true, true, false, false, false, false, true])
  const { expressions, motions, parameters } = await page.evaluate(() => window.pet.capabilities())
  for (const name of ['neutral', 'smile', 'happy', 'shy', 'thinking', 'surprised', 'worried', 'sleepy'])
    assert.ok(expressions.includes(name), name)
  assert.ok(motions.Idle >= 1 && motions.TapBody >= 3)
  for (const { id, min, max, default: usual } of parameters) assert.ok(min <= usual && usual <= max && min < max, id)
  await until(async () => (await page.evaluate(() => Math.abs(window.pet.parameters().bodyY))) < 1, 'the landing')
  // The motion is short: the page looks at every frame of it.
  await page.evaluate(() => {
    const look = () => {
      const { armR, bodyY, headY } = window.pet.parameters()
      window.moved = armR > 60 || bodyY < -15 || headY > 0.5
      if (!window.moved) requestAnimationFrame(look)
    }
    look()
  })
  await page.mouse.click(450, 400)
  await until(() => page.evaluate(() => window.moved), 'what a click does')
  await page.evaluate(() => window.pet.destroy())
  assert.equal(await page.locator('svg').count(), 0)
})

test('a real model in the real engine: what it can do, and its parameters after every expression and motion', {
  skip,
}, async (t) => {
  const page = await open(t, 'model')
  const { model, expressions, motions, parameters } = await page.evaluate(() => window.pet.capabilities())
  assert.equal(model, 'Hiyori')
  assert.ok(expressions.includes('smile') && expressions.includes('surprised'))
  assert.deepEqual(motions, { Idle: 9, TapBody: 1 })
  assert.ok(parameters.some(({ id, min, max }) => id === 'ParamAngleX' && min === -30 && max === 30))

  // The engine's clock stands; every step is a twentieth of a second, and what counts is read where the model is about
  // to be drawn.
  await page.evaluate(() => {
    const { live2d } = window.pet
    live2d.autoUpdate = false
    const { internalModel } = live2d
    const core = internalModel.coreModel._model.parameters
    window.values = {}
    internalModel.on('beforeModelUpdate', () =>
      core.ids.forEach((id, index) => (window.values[id] = core.values[index])),
    )
    internalModel.motionManager.stopAllMotions()
    internalModel.motionManager.groups.idle = '-' // no motion of its own accord
    internalModel.breath = undefined
    internalModel.eyeBlink = undefined
    let now = performance.now()
    window.step = (count) => {
      for (let index = 0; index < count; index++) internalModel.update(50, (now += 50))
      return { ...window.values }
    }
  })
  const show = async (name) => {
    assert.equal(await page.evaluate((name) => window.pet.expression(name), name), true, name)
    return page.evaluate(() => window.step(40))
  }
  const neutral = await show('neutral')
  const different = (values) => Object.keys(values).filter((id) => Math.abs(values[id] - neutral[id]) > 0.05)
  for (const name of expressions.filter((name) => name !== 'neutral'))
    assert.notDeepEqual(different(await show(name)), [], name)
  assert.equal((await show('smile')).ParamMouthForm, 1)
  assert.ok((await show('surprised')).ParamMouthOpenY > 0.5)
  const face = ({ ParamMouthForm, ParamBrowLForm, ParamEyeLOpen, ParamAngleY }) => [
    ParamMouthForm,
    ParamBrowLForm,
    ParamEyeLOpen,
    ParamAngleY,
  ]
  const once = face(await show('sad'))
  assert.deepEqual(once, [-1, -1, once[2], -12])
  assert.deepEqual(face(await show('sad')), once, 'the same again: it stays')
  assert.equal(await page.evaluate(() => window.pet.expression('furious')), false)

  await show('neutral')
  assert.equal(await page.evaluate(() => window.pet.motion('TapBody', 0)), true)
  const moved = await page.evaluate(() => window.step(20))
  assert.ok(different(moved).length > 3, `moved: ${different(moved)}`)
  assert.equal(await page.evaluate(() => window.pet.motion('Idle', 3)), true, 'in place of the one that plays')
  assert.equal(await page.evaluate(() => window.pet.motion('Fly')), false)
  await page.evaluate(() => window.pet.mouth(0.8, 0.2))
  const open1 = await page.evaluate(() => window.step(1).ParamMouthOpenY)
  assert.ok(open1 >= 0.1, `the mouth: ${open1}`)
  await page.evaluate(() => (window.pet.mouth(0), (window.pet.live2d.autoUpdate = true)))
  await show('happy')
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)))
  await picture(page, 'live2d-model')
  await page.evaluate(() => window.pet.destroy())
  await assert.rejects(
    page.evaluate(() => window.pet.expression('smile')),
    /destroyed/,
  )
})
