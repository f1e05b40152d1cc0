// Orders of the pet that wait for their words.
import type { SpeechClock } from './voice.js'

type End = 'now' | 'stopped'

/** How much earlier than its message an order may come. */
const EARLY_MS = 250

interface Early {
  message: string
  call: number
  end: (how: End) => void
  timer: unknown
}

export class Held {
  readonly #clock: SpeechClock
  readonly #mostMs: number
  readonly #waiting = new Map<number, { end: (how: End) => void; timer: unknown }>()
  /** Calls of the message whose words came. An order may come behind them. */
  readonly #came = new Set<number>()
  #message: string | undefined
  /** The message before, whose words are over. */
  #before: string | undefined
  /** Orders of a message that is not spoken, or not yet. */
  readonly #early = new Set<Early>()

  constructor(clock: SpeechClock, mostMs: number) {
    this.#clock = clock
    this.#mostMs = mostMs
  }

  /** The words of this message are to come. */
  follow(message: string | undefined): void {
    this.#before = undefined
    this.#message = message
    this.#came.clear()
    for (const one of [...this.#early]) {
      if (one.message !== message) continue
      this.#forget(one)
      void this.hold(message, one.call).then(one.end)
    }
  }

  hold(message: string, call: number): Promise<End> {
    if (message === this.#before || (message === this.#message && this.#came.has(call))) return Promise.resolve('now')
    return new Promise((resolve) => {
      if (message !== this.#message) {
        const early: Early = {
          message,
          call,
          end: resolve,
          timer: this.#clock.setTimeout(() => (this.#forget(early), resolve('now')), EARLY_MS),
        }
        return void this.#early.add(early)
      }
      this.#end(call, 'now')
      const timer = this.#clock.setTimeout(() => this.#end(call, 'now'), this.#mostMs)
      this.#waiting.set(call, { end: resolve, timer })
    })
  }

  fire(call: number): void {
    this.#came.add(call)
    this.#end(call, 'now')
  }

  /** Nothing more is said of the message. */
  end(): void {
    this.#all('now')
  }

  /** It was stopped: what was not said will not be. */
  stop(): void {
    this.#all('stopped')
  }

  close(): void {
    this.#all('now')
    for (const one of [...this.#early]) {
      this.#forget(one)
      one.end('now')
    }
  }

  #forget(early: Early): void {
    this.#clock.clearTimeout(early.timer)
    this.#early.delete(early)
  }

  #all(how: End): void {
    this.#before = this.#message ?? this.#before
    this.#message = undefined
    for (const call of [...this.#waiting.keys()]) this.#end(call, how)
  }

  #end(call: number, how: End): void {
    const held = this.#waiting.get(call)
    if (!held) return
    this.#waiting.delete(call)
    this.#clock.clearTimeout(held.timer)
    held.end(how)
  }
}
