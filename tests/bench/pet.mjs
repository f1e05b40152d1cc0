// What the pet's window costs while little goes on: processor time of every thread of its renderer, and of the process
// that puts pages on the screen. `node tests/bench/pet.mjs [seconds] [state …]`, on Linux.
import { readdirSync, readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { startDemo } from '../../js/demo/web.mjs'
import { browser as findBrowser } from '../../js/scripts/setup.mjs'

const tick = 1 / 100 // of /proc

/** Processor seconds by the name of the thread. */
function threads(pids) {
  const used = {}
  for (const [pid, thread] of pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((thread) => [pid, thread]))) {
    const line = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const name = line
      .slice(line.indexOf('(') + 1, line.lastIndexOf(')'))
      .replace(/\d+$/, '')
      .replace(/^(CompositorTile|ThreadPool).*/, '$1')
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    used[name] = (used[name] ?? 0) + (Number(fields[11]) + Number(fields[12])) * tick
  }
  return used
}

/** In the page: a clock that can be made to run faster, what changes in the figure, and a page that can be hidden. */
function prepare(hurried) {
  const { setTimeout, performance } = window
  const now = performance.now.bind(performance)
  let [rate, shown, real] = [hurried, 0, now()]
  performance.now = () => shown + (now() - real) * rate
  window.setTimeout = (run, ms = 0, ...more) => setTimeout(run, ms / rate, ...more)
  window.slow = () => ([shown, real, rate] = [performance.now(), now(), 1])
  window.hide = () => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  }
  window.frames_ = { frames: 0, changes: 0 }
  window.watch = () =>
    new MutationObserver((records) => {
      window.frames_.frames++
      window.frames_.changes += records.length
    }).observe(document.querySelector('#pet svg'), { attributes: true, subtree: true })
}

const states = {
  async idle() {},
  async dozing(page) {
    await page.waitForSelector('#pet svg[data-state=dozing]', { timeout: 60_000 })
    await page.evaluate(() => window.slow())
  },
  async hidden(page) {
    await page.evaluate(() => window.hide())
  },
}

const [first, ...rest] = process.argv.slice(2)
const seconds = Number(first) || 30
const wanted = rest.length > 0 ? rest : Object.keys(states)

const chrome = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] })
const demo = await startDemo({ delayMs: 0, live2d: false })
const system = await chrome.newBrowserCDPSession()
const pids = async (type) =>
  (await system.send('SystemInfo.getProcessInfo')).processInfo.filter((one) => one.type === type).map(({ id }) => id)
const percent = (value) => `${((value / seconds) * 100).toFixed(1)} %`.padStart(8)

console.log(
  `${seconds} s each; % of a core\n${'state'.padEnd(10)}${'renderer'.padStart(9)}${'GPU'.padStart(9)}  frames/s  changes/frame   threads of the renderer`,
)
for (const name of wanted.filter((one) => states[one])) {
  const context = await chrome.newContext({ viewport: { width: 340, height: 460 } })
  const page = await context.newPage()
  await page.addInitScript(prepare, name === 'dozing' ? 60 : 1)
  await page.goto(demo.url.replace('/?', '/?view=pet&'))
  await page.waitForSelector('html[data-ready]', { state: 'attached' })
  await states[name](page)
  await page.waitForTimeout(3000)
  const renderers = await pids('renderer') // one waits for the next page and does nothing
  const [gpu] = await pids('GPU')
  await page.evaluate(() => (window.watch(), Object.assign(window.frames_, { frames: 0, changes: 0 })))
  const before = [threads(renderers), threads([gpu])]
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const after = [threads(renderers), threads([gpu])]
  const { frames, changes } = await page.evaluate(() => window.frames_)
  const sum = (one) => Object.values(one).reduce((all, value) => all + value, 0)
  const used = Object.entries(after[0])
    .map(([thread, value]) => [thread, value - (before[0][thread] ?? 0)])
    .filter(([, value]) => value >= 0.01)
    .sort((a, b) => b[1] - a[1])
  console.log(
    `${name.padEnd(10)} ${percent(sum(after[0]) - sum(before[0]))} ${percent(sum(after[1]) - sum(before[1]))}  ${(frames / seconds).toFixed(1).padStart(8)}  ${(changes / (frames || 1)).toFixed(1).padStart(13)}   ${used.map(([thread, value]) => `${thread} ${percent(value).trim()}`).join(', ')}`,
  )
  await context.close()
}
await chrome.close()
await demo.close()
