// 1,000 tokens a second into a message on a page: 5 seconds of it, or 60 with SLUICE_LONG=1.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openApp } from './electron/app.mjs'
import { picture, until, useBrowser } from './support.mjs'

const browser = useBrowser()
const rate = 1000
const seconds = process.env.SLUICE_LONG ? 60 : 5
const LONG_MS = 50
const MAX_MESSAGES = 70

test(`${rate} tokens a second for ${seconds} seconds: no long task, few messages`, async (t) => {
  const app = await openApp(t, browser, { main: { baseURL: await startTokens(t) } })
  const window = await app.window(t, { path: '/speed.html' })
  await until(() => window.evaluate(() => window.ready), 'the page')
  const chromium = window.page.context().browser()
  await chromium.startTracing(window.page, { categories: ['toplevel'] })
  const { outcome, characters, shown, long, ms } = await window.evaluate(() => window.run())
  const tasks = mainThreadTasks(await chromium.stopTracing())
  await picture(window.page, 'electron-speed')
  assert.equal(outcome, 'completed')
  assert.ok(shown, 'the page shows all of it')

  const most = mostPerSecond(window.sent.map(({ at }) => at))
  const longest = Math.max(...tasks.map(({ work }) => work))
  const total = tasks.reduce((sum, { work }) => sum + work, 0)
  const waits = long.map(({ duration }) => duration)
  t.diagnostic(
    `${characters} characters in ${(ms / 1000).toFixed(1)} s; at most ${most} messages in a second, ${window.sent.length} in all`,
  )
  t.diagnostic(
    `main thread of the page: ${tasks.length} tasks, ${((total / ms) * 100).toFixed(1)} % busy, the longest worked ${longest.toFixed(1)} ms`,
  )
  t.diagnostic(`long tasks by the clock: ${waits.length}${waits.length > 0 ? `, up to ${Math.max(...waits)} ms` : ''}`)
  assert.ok(most <= MAX_MESSAGES, `${most} messages within a second`)
  // By the clock of the thread: while other programs have the processor, a task that does next to nothing takes long by
  // the other one.
  assert.ok(tasks.length > 100, 'the trace has the tasks of the page')
  assert.ok(longest <= LONG_MS, `a task worked ${longest} ms`)
})

async function startTokens(t) {
  const file = fileURLToPath(new URL('electron/tokens.mjs', import.meta.url))
  const source = fork(file, { env: { ...process.env, SLUICE_TOKENS: JSON.stringify({ rate, seconds }) } })
  t.after(() => source.disconnect())
  const { baseURL } = await new Promise((resolve) => source.once('message', resolve))
  return baseURL
}

/** The tasks on the main threads of pages, with the milliseconds that each had the processor. */
function mainThreadTasks(trace) {
  const { traceEvents: events } = JSON.parse(trace)
  const key = ({ pid, tid }) => `${pid} ${tid}`
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(key),
  )
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && event.ph === 'X' && main.has(key(event)))
  return tasks.map(({ tdur = 0 }) => ({ work: tdur / 1000 }))
}

function mostPerSecond(times) {
  let from = 0
  return times.reduce((most, time, at) => {
    while (time - times[from] >= 1000) from++
    return Math.max(most, at - from + 1)
  }, 0)
}
