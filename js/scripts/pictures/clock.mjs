// A clock of our own for the process of the host: nothing in it takes time until somebody says how much, so the same
// steps give the same pictures on any machine. Has to be imported before what it is to hold for.
import { syncBuiltinESMExports } from 'node:module'
import { Server, ServerResponse } from 'node:http'
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { beginning } from './beginning.mjs'

let now = 0
let last = 0
const due = new Map() // id → { at, run, every }
const real = { setTimeout: globalThis.setTimeout, setImmediate: globalThis.setImmediate }

class Timer {
  constructor(run, ms, every) {
    this.id = ++last
    // as Node does: half a millisecond would be a time that is no whole number
    this.ms = Math.max(1, Math.trunc(Number(ms)) || 0)
    this.run = run
    this.every = every
    this.refresh()
  }

  refresh() {
    due.set(this.id, Object.assign(this, { at: now + this.ms }))
    return this
  }

  ref() {
    return this
  }
  unref() {
    return this
  }
  hasRef() {
    return true
  }
  close() {
    due.delete(this.id)
  }
  [Symbol.toPrimitive]() {
    return this.id
  }
  [Symbol.dispose]() {
    this.close()
  }
}

const clear = (timer) => void due.delete(typeof timer === 'object' ? timer?.id : Number(timer))
const start =
  (every) =>
  (run, ms, ...rest) =>
    new Timer(() => run(...rest), ms, every)
const replaced = { setTimeout: start(false), setInterval: start(true), clearTimeout: clear, clearInterval: clear }
Object.assign(globalThis, replaced)
Object.assign(timers, replaced)
promises.setTimeout = (ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    const fail = () => {
      timer.close()
      reject(signal.reason)
    }
    const timer = new Timer(() => {
      signal?.removeEventListener('abort', fail)
      resolve(value)
    }, ms)
    if (signal?.aborted) fail()
    else signal?.addEventListener('abort', fail, { once: true })
  })
syncBuiltinESMExports()

globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [beginning + now] : given))
  }

  static now() {
    return beginning + now
  }
}
performance.now = () => now

// -- what goes on though no time passes: requests, and what is read and written

let stirred = 0
/** Events that were sent to pages. */
export let events = 0
const stir = (object, method, note) => {
  const before = object[method]
  object[method] = function (...given) {
    stirred++
    note?.call(this, ...given)
    return before.apply(this, given)
  }
}
stir(ServerResponse.prototype, 'write', (text) => {
  if (typeof text === 'string' && text.startsWith('event: ')) events++
})
stir(ServerResponse.prototype, 'end')
stir(Server.prototype, 'emit')
stir(globalThis, 'fetch')
stir(ReadableStreamDefaultReader.prototype, 'read')
stir(ReadableStream.prototype, 'getReader')

/** Resolves when nothing goes on any more: both ends of every connection but the page's are in this process. */
export async function quiet() {
  for (let turns = 0, before = -1; turns < 30; turns++) {
    if (stirred !== before) turns = 0
    before = stirred
    await new Promise((resolve) => real.setImmediate(resolve))
  }
}

/**
 * Lets up to so many milliseconds pass: what is due in them happens in its order. It stops as soon as a page is sent
 * something, so that what the page answers comes at that time, however long the page takes. Resolves to how many
 * passed.
 */
export async function pass(ms) {
  const start = now
  const end = now + ms
  const sent = events
  for (;;) {
    await quiet()
    if (events !== sent) return now - start
    const next = [...due.values()].sort((a, b) => a.at - b.at || a.id - b.id)[0]
    if (!next || next.at > end) break
    now = Math.max(now, next.at)
    if (next.every) next.refresh()
    else due.delete(next.id)
    next.run()
  }
  now = end
  await quiet()
  return ms
}
