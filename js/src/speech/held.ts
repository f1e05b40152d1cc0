// Orders of the pet that wait for their words.
import type { SpeechClock } from './voice.js'

type End = 'now' | 'stopped'

export class Held {
  readonly #clock: SpeechClock
  readonly #mostMs: number
  readonly #waiting = new Map<number, { end: (how: End) => void; timer: unknown }>()
  /** Calls of the message whose words came. An order may come behind them. */
  readonly #came = new Set<number>()
  #message: string | undefined

  constructor(clock: SpeechClock, mostMs: number) {
    this.#clock = clock
    this.#mostMs = mostMs
  }

  /** The words of this message are to come. */
  follow(message: string | undefined): void {
    this.#message = message
    this.#came.clear()
  }

  hold(message: string, call: number): Promise<End> {
    if (message !== this.#message || this.#came.has(call)) return Promise.resolve('now')
    return new Promise((resolve) => {
      this.#waiting.get(call)?.end('now')
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
  }

  #all(how: End): void {
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
