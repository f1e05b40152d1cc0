// Pages whose time is ours: host, page and animations go on by the same steps, so that the same steps give the same
// pixels.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beginning } from './beginning.mjs'

const hostFile = fileURLToPath(new URL('./host.mjs', import.meta.url))
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  '--disable-partial-raster', // else an edge depends on which pieces were drawn before
]

/** How Chromium is started for pictures. */
export const launchOptions = (executablePath) => ({ executablePath, args: flags })

/** Starts `gallery`, `demo` or `tester` in a process of its own. */
export async function startHost(what, options = {}) {
  const child = fork(hostFile, { execArgv: ['--no-warnings'], serialization: 'advanced' })
  const waiting = new Map()
  let last = 0
  await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('the host did not start')))
  })
  child.on('message', ({ id, value, error }) => {
    const { resolve, reject } = waiting.get(id)
    waiting.delete(id)
    if (error) reject(new Error(error))
    else resolve(value)
  })
  child.on('exit', () => waiting.forEach(({ reject }) => reject(new Error('the host is gone'))))
  const ask = (message) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject })
      child.send({ id: last, ...message })
    })
  const { url } = await ask({ start: what, options })
  return { url, pass: (ms) => ask({ pass: ms }), close: () => child.disconnect() }
}

/**
 * Runs in the page before anything of its own: counts what is on its way, and draws the same numbers each time. What it
 * asks goes out one by one: over several connections the host would read it in another order each time.
 */
function count() {
  const frame = window.requestAnimationFrame.bind(window)
  window.__frame = () => new Promise((resolve) => frame(() => frame(resolve)))
  let seed = 1
  Math.random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const counts = (window.__counts = { events: 0, asks: 0, asked: 0 }) // asks: all, asked: those without an answer yet
  const Source = window.EventSource
  window.EventSource = class extends Source {
    constructor(...given) {
      super(...given)
      for (const name of ['hello', 'frame', 'pet']) this.addEventListener(name, () => counts.events++)
    }
  }
  const ask = window.fetch
  let before = Promise.resolve()
  window.fetch = (...given) => {
    counts.asks++
    counts.asked++
    const reply = before
      .then(async () => {
        const begun = await ask(...given)
        await begun.clone().arrayBuffer() // all of it is there when the page reads it
        return begun
      })
      .finally(() => counts.asked--)
    before = reply.catch(() => {})
    return reply
  }
  const Helper = window.Worker
  window.Worker = class extends Helper {
    #asked = 0

    constructor(...given) {
      super(...given)
      this.addEventListener('message', ({ data }) => data?.begun || this.#answered(1))
      this.addEventListener('error', () => this.#answered(this.#asked))
    }

    #answered(times) {
      this.#asked -= times
      counts.asked -= times
    }

    postMessage(...given) {
      this.#answered(-1)
      super.postMessage(...given)
    }

    terminate() {
      this.#answered(this.#asked)
      super.terminate()
    }
  }
}

/** Runs in the page: what is on its way, once it has done what came. */
async function look(frames) {
  if (frames) await window.__frame()
  await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = resolve
    port2.postMessage(0)
  })
  return { ...window.__counts }
}

/** Runs in the page: its animations go on by so many milliseconds, and by nothing else. */
function animate(ms) {
  const roots = [document]
  for (const root of roots) for (const one of root.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot)
  const held = (window.__held ??= new WeakSet())
  for (const one of new Set(roots.flatMap((root) => root.getAnimations()))) {
    const { endTime } = one.effect.getComputedTiming()
    if (!held.has(one)) {
      held.add(one)
      one.pause()
      one.currentTime = 0
    } else if (one.currentTime + ms >= endTime) one.finish()
    else one.currentTime += ms
  }
}

/**
 * A page on a host: `await scene.pass(80)`, then `scene.page.screenshot()`. `path` goes behind the host's address;
 * `motion`: what is animated is to be seen.
 */
export async function openStage(browser, host, { path = '/', motion = false, ...options } = {}) {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', colorScheme: 'light', ...options })
  await context.addInitScript(count) // before the clock, which puts frames of its own in place of the real ones
  const page = await context.newPage()
  page.setDefaultTimeout(120_000) // a machine may be busy
  await page.clock.install({ time: beginning - 60_000 }) // it runs until it is stopped
  await page.clock.pauseAt(beginning)
  const session = await context.newCDPSession(page)
  await session.send('Animation.enable')
  await session.send('Animation.setPlaybackRate', { playbackRate: 0 })
  const faults = []
  page.on('pageerror', (error) => faults.push(String(error.stack ?? error)))
  const loading = new Set() // modules and pictures, which the page does not count
  page.on(
    'request',
    (request) => ['script', 'stylesheet', 'image', 'font'].includes(request.resourceType()) && loading.add(request),
  )
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => loading.delete(request))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(host.url.replace('/?', `${path}${path.includes('?') ? '&' : '?'}`))

  let sent = 0
  let asks = 0
  /**
   * Until the page has what the host sent, and the host what the page asked. `frames`: the page first draws, which
   * tells it sizes and what is in view.
   */
  const settle = async (frames = false) => {
    for (let calm = false, tries = 0; ; tries++) {
      const counts = await page.evaluate(look, frames && tries === 0)
      const rests = counts.events === sent && counts.asks === asks && counts.asked === 0 && loading.size === 0
      if (rests && (calm || tries === 0)) return
      if (tries > 2000)
        throw new Error(
          `the page does not come to rest: ${JSON.stringify({ ...counts, sent, loading: [...loading].map((one) => one.url()) })}`,
        )
      calm = rests
      asks = counts.asks
      sent = (await host.pass(0)).events
    }
  }
  const pass = async (ms, step = ms) => {
    for (let left = ms; left > 0; left -= step) {
      const now = Math.min(step, left)
      for (let rest = now; rest > 0; ) {
        const { passed, events } = await host.pass(rest)
        rest -= passed
        if (events === sent) continue
        sent = events
        await settle()
      }
      await page.clock.runFor(now)
      await settle(true)
      if (motion) await page.evaluate(animate, now)
    }
  }
  /** Waits until it is so while no time passes: a module that is loaded takes none of ours. */
  const arrive = async (condition, what) => {
    for (const end = Date.now() + 120_000; !(await condition()); ) {
      if (Date.now() > end) throw new Error(`${what}: did not come`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await settle()
  }
  /** Lets time pass until it is so. */
  const until = async (condition, what, ms = 20_000) => {
    for (let passed = 0; !(await condition()); passed += 80) {
      if (passed > ms) throw new Error(`${what}: did not come within ${ms} ms`)
      await pass(80)
    }
  }
  sent = (await host.pass(0)).events
  await settle()
  return { page, faults, pass, arrive, until, close: () => context.close() }
}
