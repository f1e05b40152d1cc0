// npm run bench -- page [stream|keys|open|memory] [--seconds 20] [--times 3] [--texts prose,tables,code] [--where
// alone,answer,chat] [--profile]: what typeset text costs a page, against the same as bare text nodes: by turns, each
// in a page of its own; processor time of the page's main thread and of its whole process. What is opened is also
// compared with a page as it was before there was typeset text: raw text, and all of it at once.
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { browser as findBrowser } from '../../js/scripts/setup.mjs'
import { args, drawing } from '../browser/support.mjs'
import { servePages } from '../browser/ui/server.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '20' },
    times: { type: 'string', default: '3' },
    rate: { type: 'string', default: '1000' },
    texts: { type: 'string', default: 'prose,tables,code' },
    where: { type: 'string', default: 'alone,answer' },
    profile: { type: 'boolean' },
  },
})
const [seconds, times, rate] = [values.seconds, values.times, values.rate].map(Number)
const wanted = (name) => positionals.length === 0 || positionals.includes(name)

const served = await servePages([['/bench/', 'tests/bench/page/']])
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...args, ...drawing.plain] })

/** Runs it in a fresh page, and gives what it took. */
async function measured(run, { prepare, profile, meanwhile } = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 700 }, locale: 'en-US' })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await page.goto(`${served.url}/bench/index.html`)
  await page.waitForFunction(() => window.benchReady)
  if (prepare) await page.evaluate(...prepare)
  await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const metrics = async () =>
    Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]))
  if (profile) {
    await cdp.send('Profiler.enable')
    await cdp.send('Profiler.setSamplingInterval', { interval: 200 })
    await cdp.send('Profiler.start')
  } else await browser.startTracing(page, { categories: ['toplevel'] })
  const before = await metrics()
  const running = page.evaluate(...run)
  await meanwhile?.(page, running)
  const given = await running
  const after = await metrics()
  const hot = profile ? (await cdp.send('Profiler.stop')).profile : undefined
  const longest = profile ? 0 : longestTask((await browser.stopTracing()).toString())
  const took = (name) => after[name] - before[name]
  const result = {
    given,
    longest,
    hot,
    main: took('ThreadTime'),
    process: took('ProcessTime'),
    script: took('ScriptDuration'),
    layout: took('LayoutDuration'),
    style: took('RecalcStyleDuration'),
    nodes: after.Nodes,
    heap: after.JSHeapUsedSize / 1e6,
  }
  await context.close()
  return result
}

/** The most milliseconds that a task of a page's main thread had the processor: by the clock, others would count. */
function longestTask(trace) {
  const { traceEvents: events } = JSON.parse(trace)
  const key = ({ pid, tid }) => `${pid} ${tid}`
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(key),
  )
  return Math.max(
    0,
    ...events
      .filter((event) => event.name.endsWith('RunTask') && event.ph === 'X' && main.has(key(event)))
      .map(({ tdur = 0 }) => tdur / 1000),
  )
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
const say = (cells) =>
  console.log(cells.map((cell, at) => (at === 0 ? String(cell).padEnd(22) : String(cell).padStart(9))).join(' '))
const parts = ({ main, process, script, layout, style }) =>
  [main, process, script, layout, style].map((value) => `${value.toFixed(2)} s`)

function hottest({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const self = new Map()
  samples.forEach((id, at) => {
    const { functionName, lineNumber, columnNumber, url } = byId.get(id).callFrame
    const name = `${functionName || '(anonymous)'} ${url.split('/').at(-1)}:${lineNumber + 1}:${columnNumber}`
    self.set(name, (self.get(name) ?? 0) + timeDeltas[at] / 1000)
  })
  for (const [name, ms] of [...self].sort(([, a], [, b]) => b - a).slice(0, 40))
    console.log(`  ${ms.toFixed(0).padStart(6)} ms  ${name}`)
}

/** By turns, typeset behind what it is compared with. Prints each, and the ratios of the least. */
async function compare(name, run, prepare, more, others = ['bare']) {
  say([name, 'main', 'process', 'script', 'layout', 'style', ...more.heads])
  const all = Object.fromEntries([...others, 'typeset'].map((text) => [text, []]))
  for (let time = 0; time < times; time++) {
    for (const text of Object.keys(all)) {
      const result = await measured(run(text), { prepare: prepare(text), meanwhile: more.meanwhile })
      all[text].push(result)
      say([`  ${text}`, ...parts(result), ...more.cells(result)])
    }
  }
  for (const other of others) {
    const ratio = (what) => median(all.typeset.map((one, at) => one[what] / all[other][at][what])).toFixed(2)
    const least = (what) =>
      (Math.min(...all.typeset.map((one) => one[what])) / Math.min(...all[other].map((one) => one[what]))).toFixed(2)
    console.log(
      `  typeset : ${other}, median of the pairs: main thread ${ratio('main')}, process ${ratio('process')}; the least of each: ${least('main')}, ${least('process')}`,
    )
  }
  console.log()
  if (values.profile) hottest((await measured(run('typeset'), { prepare: prepare('typeset'), profile: true })).hot)
}

try {
  if (wanted('stream')) {
    for (const [where, kind] of values.where
      .split(',')
      .flatMap((where) => values.texts.split(',').map((kind) => [where, kind]))) {
      await compare(
        `${kind}, ${where}`,
        () => [(given) => window.stream(given), { kind, rate, seconds }],
        (text) => [(given) => window.ready(given), { where, text }],
        {
          heads: ['longest', 'fps', 'heap'],
          cells: ({ longest, heap, given: { frames, ms } }) => [
            `${longest.toFixed(0)} ms`,
            ((frames * 1000) / ms).toFixed(0),
            `${heap.toFixed(1)} MB`,
          ],
        },
      )
    }
  }
  if (wanted('keys')) {
    for (const kind of values.texts.split(',')) {
      await compare(
        `${kind}, keys`,
        () => [(given) => window.stream(given), { kind, rate, seconds }],
        (text) => [(given) => window.ready(given), { where: 'chat', text }],
        {
          heads: ['keys', 'median', 'worst'],
          cells: ({ given: { keys } }) => [keys.length, `${median(keys)} ms`, `${Math.max(...keys)} ms`],
          meanwhile: type,
        },
      )
    }
  }
  if (wanted('open')) {
    await compare(
      'open 500, 200 cards',
      (text) => [(given) => window.show(given), { text, whole: 100 }],
      () => [(given) => window.prepare(given), { messages: 500, cards: 200 }],
      {
        heads: ['longest', 'nodes', 'at once', 'first'],
        cells: ({ longest, nodes, given: { atOnce, first } }) => [
          `${longest.toFixed(0)} ms`,
          nodes,
          atOnce,
          `${first.toFixed(0)} ms`,
        ],
      },
      ['before', 'bare'],
    )
  }
  if (wanted('memory')) await memory()
} finally {
  await browser.close()
  served.close()
}

/** Types until it is over, about ten keys a second. */
async function type(page, running) {
  let over = false
  const end = running.finally(() => (over = true))
  while (!over) {
    await page.keyboard.press('a')
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 90))])
  }
}

/** A page that stays open. */
async function memory() {
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await page.goto(`${served.url}/bench/index.html`)
  await page.waitForFunction(() => window.benchReady)
  await page.evaluate(() => void start('sluice-thread'))
  await cdp.send('Performance.enable')
  say(['messages', 'heap', 'nodes', 'in page'])
  for (let from = 0; from < 10_000; from += 1000) {
    await page.evaluate((from) => goOn({ from, count: 1000 }), from)
    for (let pass = 0; pass < 3; pass++) await cdp.send('HeapProfiler.collectGarbage')
    const { JSHeapUsedSize, Nodes } = Object.fromEntries(
      (await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]),
    )
    say([
      from + 1000,
      `${(JSHeapUsedSize / 1e6).toFixed(2)} MB`,
      Nodes,
      await page.evaluate(() => element.shadowRoot.querySelectorAll('sluice-entry').length),
    ])
  }
  await context.close()
}
