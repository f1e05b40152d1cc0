// The voice is held: time stands still for it.
import { MOST_MS } from '../../engine/core/options.js'
import type { SpeechClock } from './voice.js'

export class Pause {
  readonly #clock: SpeechClock
  #since: number | undefined
  /** How long it was held before, in all. */
  #held = 0
  #over: { promise: Promise<void>; resolve: () => void } | undefined

  constructor(clock: SpeechClock) {
    this.#clock = clock
  }

  get on(): boolean {
    return this.#since !== undefined
  }

  /** The time; while it is held, when that began. */
  get now(): number {
    return this.#since ?? this.#clock.now()
  }

  begin(): void {
    this.#since = this.#clock.now()
    let resolve = (): void => {}
    this.#over = { promise: new Promise((done) => (resolve = done)), resolve: () => resolve() }
  }

  /** Returns how long it took. */
  end(): number {
    const took = this.#since === undefined ? 0 : this.#clock.now() - this.#since
    this.#held += took
    this.#since = undefined
    this.#over?.resolve()
    this.#over = undefined
    return took
  }

  /** Resolves when it is not held. */
  async over(): Promise<void> {
    while (this.#over) await this.#over.promise
  }

  /** Rejects what takes too long, not counting the time that it was held, and what is not wanted any more. */
  async within<T>(work: Promise<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
    let timer: unknown
    let settled = false
    let stop = (): void => {}
    const end = this.now - this.#held + milliseconds
    const late = new Promise<never>((_, fail) => {
      const wait = (): void => {
        const rest = end - (this.now - this.#held)
        if (settled) return
        if (this.on) void this.over().then(wait)
        else if (rest >= 1) timer = this.#clock.setTimeout(wait, Math.min(rest, MOST_MS))
        else fail(new Error('the voice took too long'))
      }
      wait()
      stop = () => fail(signal.reason as Error)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
    try {
      return await Promise.race([work, late])
    } finally {
      settled = true
      this.#clock.clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }
}
