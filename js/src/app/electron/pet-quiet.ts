// When a pet leaves people alone: by hand, at the hours of every day, while somebody presents, and while nobody is
// there. Every end is a time of day that is looked at again, at least each minute: a timer alone would sleep with the
// laptop.
import { isQuietAt, toNextMinute, type QuietHours } from '../bridge/pet-settings.js'
import { messageOf } from '../../engine/core/errors.js'
import type { PetElectron } from './pet-types.js'

const PRESENTING_MS = 5000
const IDLE_MS = 20_000
/** Nobody touched keys or mouse for so long: they are away. */
const AWAY_S = 5 * 60

export interface QuietOptions {
  powerMonitor: PetElectron['powerMonitor']
  hours: QuietHours | null
  presenting?: (() => boolean) | undefined
  /** One of `quiet`, `gone` and `away` changed. */
  onChange(): void
  onProblem(what: string): void
}

export class Quiet {
  readonly #options: QuietOptions
  readonly #offs: (() => void)[] = []
  #hours: QuietHours | null
  /** By hand, until then. */
  #until = 0
  #presents = false
  #idle = false
  #locked = false
  #asleep = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #reported = ''
  #closed = false
  #asksPresenting: boolean
  #presentingAt = -Infinity

  constructor(options: QuietOptions) {
    this.#options = options
    this.#hours = options.hours
    this.#asksPresenting = options.presenting !== undefined
    const { powerMonitor } = options
    // A laptop that wakes may still be locked: the two end by themselves.
    const changes = {
      'lock-screen': () => (this.#locked = true),
      'unlock-screen': () => (this.#locked = false),
      suspend: () => (this.#asleep = true),
      resume: () => (this.#asleep = false),
    }
    for (const [event, change] of Object.entries(changes) as [keyof typeof changes, () => unknown][]) {
      const listener = (): void => {
        change()
        this.#look()
      }
      powerMonitor.on(event, listener)
      this.#offs.push(() => powerMonitor.removeListener(event, listener))
    }
    this.#look()
  }

  get byHand(): boolean {
    return Date.now() < this.#until
  }

  get quiet(): boolean {
    return this.byHand || this.#presents || this.gone || (this.#hours !== null && isQuietAt(this.#hours, new Date()))
  }

  /** The screen is locked, or the computer sleeps: nobody sees it. */
  get gone(): boolean {
    return this.#locked || this.#asleep
  }

  /** Nobody is at the computer. */
  get away(): boolean {
    return this.gone || this.#idle
  }

  /** By hand: until then; null: not any more. */
  until(until: Date | null | undefined): void {
    this.#until = until === undefined ? Infinity : until === null ? 0 : until.getTime()
    this.#look()
  }

  hours(hours: QuietHours | null): void {
    this.#hours = hours
    this.#look()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const off of this.#offs) off()
  }

  #look(): void {
    if (this.#closed) return
    clearTimeout(this.#timer)
    const now = new Date()
    this.#idle = this.#idleSeconds() >= AWAY_S
    if (this.#asksPresenting && performance.now() - this.#presentingAt >= PRESENTING_MS) this.#askPresenting()
    const state = [this.quiet, this.gone, this.away].join()
    const changed = state !== this.#reported
    this.#reported = state
    const hand = this.#until > now.getTime() && this.#until < Infinity ? this.#until - now.getTime() : Infinity
    const wait = Math.min(
      hand,
      hand < Infinity || this.#hours ? toNextMinute(now) : Infinity,
      this.#asksPresenting ? PRESENTING_MS : Infinity,
      this.#options.powerMonitor.getSystemIdleTime ? IDLE_MS : Infinity,
    )
    if (wait < Infinity) {
      this.#timer = setTimeout(() => this.#look(), wait)
      this.#timer.unref?.()
    }
    if (changed) this.#options.onChange()
  }

  #idleSeconds(): number {
    try {
      return this.#options.powerMonitor.getSystemIdleTime?.() ?? 0
    } catch {
      return 0 // not every desktop tells
    }
  }

  #askPresenting(): void {
    this.#presentingAt = performance.now()
    try {
      this.#presents = this.#options.presenting?.() === true
    } catch (error) {
      this.#asksPresenting = this.#presents = false
      this.#options.onProblem(`presenting() threw: ${messageOf(error)}`)
    }
  }
}
