// How a run polls its turn: after every call into it, when text has waited long enough, and at the turn's deadline.
import type { SluiceEvent } from './events.js'
import { MOST_MS } from './options.js'
import { setImmediate } from './set-immediate.js'
import type { Stage } from './stage.js'

const FLUSH_MS = 16

/** What a run does with the events. */
export interface Polled {
  /** Whether events may be acted on now. */
  mayPoll(): boolean
  /** A part of the answer was shown, so what follows may be grouped. */
  mayGroup(): boolean
  /** Publishes an event and acts on it. Returns true where whoever reads has to see it first: `handle` follows. */
  tell(event: SluiceEvent): boolean
  handle(event: SluiceEvent): void
  /** Something threw that must not: ends the turn. */
  fail(error: unknown): void
  /** There is no event left for now. */
  rest(): void
}

export class RunPolling {
  readonly #stage: Stage
  readonly #run: Polled
  #draining = false
  #polledAt = 0
  #flush: NodeJS.Timeout | undefined
  #alarm: NodeJS.Timeout | undefined
  #alarmAt = Infinity

  constructor(stage: Stage, run: Polled) {
    this.#stage = stage
    this.#run = run
  }

  /** Events are being acted on. */
  get draining(): boolean {
    return this.#draining
  }

  /** Events are being acted on, or text waits to be grouped. */
  get busy(): boolean {
    return this.#draining || this.#flush !== undefined
  }

  /** The one way to call into the native turn: tick, call, drain. */
  step(call: () => void): void {
    if (this.#stage.over) return // nothing comes after done, and calls that lost the race to it are fine
    this.#stage.turn.tick()
    try {
      call()
    } finally {
      this.#drain()
    }
  }

  /** Text that nobody polls becomes one event: polling less often is all it takes to group it. */
  feed(bytes: Uint8Array): void {
    const { turn, hooks, over } = this.#stage
    if (over) return
    if (this.#flush) return turn.put(bytes)
    const wait = this.#run.mayGroup() ? this.#polledAt + (hooks.flushMs ?? FLUSH_MS) - performance.now() : 0
    if (wait > 0) this.#flush = setTimeout(() => this.#drain(), wait)
    if (wait > 0 || !this.#mayDrain) return turn.put(bytes)
    let events: SluiceEvent[] | undefined
    try {
      events = turn.take(bytes)
    } finally {
      this.#drain(events)
    }
  }

  /** Resolves when every event that the turn has now was acted on. */
  async settled(): Promise<void> {
    this.step(() => {})
    while (this.#draining && !this.#stage.over) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  close(): void {
    clearTimeout(this.#alarm)
    clearTimeout(this.#flush)
  }

  /** False while an event's handler calls: the loop in #drain goes on with what that brought. */
  get #mayDrain(): boolean {
    return !this.#draining && !this.#stage.over && this.#run.mayPoll()
  }

  /** Acts on every event: on those that were polled already, and on what waits. */
  #drain(polled?: SluiceEvent[]): void {
    if (this.#draining || this.#stage.over) return
    clearTimeout(this.#flush)
    this.#flush = undefined
    if (!this.#mayDrain) return
    this.#draining = true
    let paused: SluiceEvent | undefined
    try {
      paused = this.#tellAll(polled)
      if (paused) return this.#goOnWith(paused)
      if (this.#stage.over) return
    } catch (error) {
      this.#run.fail(error)
    } finally {
      this.#draining = paused !== undefined
      this.#run.rest()
    }
    this.#polledAt = performance.now()
    this.#arm(this.#stage.turn.deadline)
  }

  /** Returns the event that whoever reads has to see before the run goes on. */
  #tellAll(polled: SluiceEvent[] | undefined): SluiceEvent | undefined {
    const { turn } = this.#stage
    for (let events = polled ?? turn.take(); ; events = turn.take()) {
      for (const event of events) {
        this.#run.tell(event)
        if (this.#stage.over) return undefined
      }
      // An event by which something happens is polled alone: until then it can be taken back, and a state holds it.
      const event = turn.waits ? turn.takeWaiting() : null
      if (event === null) return undefined
      if (this.#run.tell(event)) return event
      if (this.#stage.over) return undefined
    }
  }

  #goOnWith(event: SluiceEvent): void {
    setImmediate(() => {
      this.#draining = false
      try {
        this.#run.handle(event)
      } catch (error) {
        this.#run.fail(error)
      }
      this.#drain()
    })
  }

  #arm(deadline: number): void {
    if (deadline >= this.#alarmAt) return // an alarm that comes too early only asks again
    clearTimeout(this.#alarm)
    this.#alarmAt = deadline
    const ring = (): void => {
      this.#alarmAt = Infinity
      this.step(() => {})
    }
    this.#alarm = setTimeout(ring, Math.min(Math.max(deadline - Date.now(), 0), MOST_MS))
  }
}
