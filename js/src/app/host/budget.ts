// What a window may cost the process that hosts it. Windows are as trustworthy as the page in them; one that asks in a
// loop must not keep the others, and the app, from their turn.
import { refuse } from './checks.js'

/** What may be spent at once, in milliseconds of this thread, and what comes back of it each second. */
const MOST_MS = 1000
const MS_PER_SECOND = 250

/** One window's share of the thread's time. */
export class Budget {
  #left = MOST_MS
  #at = performance.now()

  /** Carries the call out and takes its time off. Throws `limit` where nothing is left. */
  pay<T>(call: () => T): T {
    this.check()
    const start = performance.now()
    try {
      return call()
    } finally {
      this.spend(performance.now() - start)
    }
  }

  check(): void {
    const now = performance.now()
    this.#left = Math.min(MOST_MS, this.#left + ((now - this.#at) * MS_PER_SECOND) / 1000)
    this.#at = now
    if (this.#left <= 0)
      throw refuse('limit', 'this window asks for more than its share of the time: it may ask again in a moment')
  }

  /** What a call costs beside its time: an answer that has to be copied. */
  spend(ms: number): void {
    this.#left -= ms
  }
}
