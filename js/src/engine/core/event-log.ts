import type { SluiceEvent } from './events.js'
import type { Unnumbered } from './stage.js'

interface Node {
  event: SluiceEvent | undefined
  before: Node | undefined
  next: Node | undefined
}

/**
 * The events of a run, for any number of readers, each from the first one on. Of a call's progress only the last report
 * is kept for those who come later: a tool may report without end.
 */
export class EventLog {
  readonly #first: Node = { event: undefined, before: undefined, next: undefined }
  #last = this.#first
  readonly #progress = new Map<number, Node>()
  #wake: (() => void)[] = []
  #ended = false
  #readers = 0
  #given = 0
  #passed = 0
  #lastSeq = 0
  /** How many events of this log do not come from the engine, less those of the engine that were left out. */
  #added = 0

  /** `seq` of the last event. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** How many read it now who look after questions. */
  get readers(): number {
    return this.#readers
  }

  /** One of them has got it. */
  given({ seq }: SluiceEvent): boolean {
    return seq <= this.#given
  }

  /** One of them has got it, and asked for the next. */
  passed({ seq }: SluiceEvent): boolean {
    return seq <= this.#passed
  }

  /** Adds an event of the engine, which numbers only its own. */
  push(event: SluiceEvent): void {
    event.seq += this.#added
    this.#append(event)
  }

  /** Adds an event that does not come from the engine. Returns it with its number. */
  add(event: Unnumbered): SluiceEvent {
    const numbered = { ...event, seq: this.#lastSeq + 1 } as SluiceEvent
    this.#added++
    this.#append(numbered)
    return numbered
  }

  /** Leaves out an event of the engine: its number is given to the next one. */
  skip(event: SluiceEvent): void {
    this.#lastSeq = event.seq + this.#added - 1
    this.#added--
  }

  #append(event: SluiceEvent): void {
    this.#lastSeq = event.seq
    const node: Node = { event, before: this.#last, next: undefined }
    this.#last = this.#last.next = node // in front of what follows: a reader may stand on the one that goes
    if (event.type === 'progress') {
      const old = this.#progress.get(event.call)
      this.#progress.set(event.call, node)
      if (old?.before) old.before.next = old.next
      if (old?.next) old.next.before = old.before
    } else if (event.type === 'done') {
      this.end()
    }
  }

  /** Ends the log: readers leave after the last event. */
  end(): void {
    this.#ended = true
    this.wake()
  }

  wake(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  /** Every event from the first one on. With `onLeave`, called at the end, the reader looks after questions as well. */
  async *read(onLeave?: () => void): AsyncGenerator<SluiceEvent, void, undefined> {
    if (onLeave) this.#readers++
    try {
      for (let node = this.#first; ; ) {
        while (node.next) {
          node = node.next
          const event = node.event as SluiceEvent
          if (onLeave) this.#given = Math.max(this.#given, event.seq)
          yield event
          if (onLeave) this.#passed = Math.max(this.#passed, event.seq)
        }
        if (this.#ended) return
        await new Promise<void>((resolve) => this.#wake.push(resolve))
      }
    } finally {
      if (onLeave) {
        this.#readers--
        onLeave()
      }
    }
  }
}
