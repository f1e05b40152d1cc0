// Pages whose time is ours: host, page and animations go on by the same steps, so that the same steps give the same pixels.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const hostFile = fileURLToPath(new URL('./host.mjs', import.meta.url))
const beginning = Date.UTC(2026, 9, 17, 14, 2)
const flags = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb', '--hide-scrollbars']

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
  const ask = (message) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject })
    child.send({ id: last, ...message })
  })
  const { url } = await ask({ start: what, options })
  return { url, pass: (ms) => ask({ pass: ms }), close: () => child.disconnect() }
}

/** Runs in the page before anything of its own: counts what is on its way, and draws the same numbers each time. */
function count() {
  let seed = 1
  Math.random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const counts = (window.__counts = { events: 0, asked: 0 })
  const Source = window.EventSource
  window.EventSource = class extends Source {
    constructor(...given) {
      super(...given)
      for (const name of ['hello', 'frame', 'pet']) this.addEventListener(name, () => counts.events++)
    }
  }
  const ask = window.fetch
  window.fetch = (...given) => {
    counts.asked++
    return ask(...given).finally(() => counts.asked--)
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
export async function openStage(browser, host, { path = '/', init, motion = false, ...options } = {}) {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', colorScheme: 'light', ...options })
  const page = await context.newPage()
  await page.clock.install({ time: beginning - 60_000 }) // it runs until it is stopped
  await page.clock.pauseAt(beginning)
  await page.addInitScript(count)
  if (init) await page.addInitScript(init)
  const faults = []
  page.on('pageerror', (error) => faults.push(String(error.stack ?? error)))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(host.url.replace('/?', `${path}${path.includes('?') ? '&' : '?'}`))

  /** Until the page has what the host sent, and the host what the page asked. */
  const settle = async () => {
    for (let calm = false, tries = 0; !calm; tries++) {
      const { events } = await host.pass(0)
      const counts = await page.evaluate(() => new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = () => resolve({ ...window.__counts }); port2.postMessage(0) }))
      if (tries > 500) throw new Error(`the page does not come to rest: ${JSON.stringify({ ...counts, sent: events })}`)
      calm = counts.events === events && counts.asked === 0
    }
  }
  const pass = async (ms, step = ms) => {
    for (let left = ms; left > 0; left -= step) {
      const now = Math.min(step, left)
      await host.pass(now)
      await settle()
      await page.clock.runFor(now)
      await settle()
      if (motion) await page.evaluate(animate, now)
    }
  }
  /** Waits until it is so while no time passes: a module that is loaded takes none of ours. */
  const arrive = async (condition, what) => {
    for (const end = Date.now() + 30_000; !(await condition());) {
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
  await settle()
  return { page, faults, pass, arrive, until, close: () => context.close() }
}
