// The queue of a single process: what is woken runs here, a few at a time.
import { messageOf } from '../../engine/core/errors.js'
import { members, whole } from '../../engine/core/options.js'
import { warn } from '../../engine/core/warning.js'
import type { QueueWorker, WakeQueue } from './durable-types.js'

/** What `localQueue` takes. */
export interface LocalOptions {
  /** How many turns are worked on at once. They wait more than they compute. Default 50. */
  concurrency?: number
}

/** Times that are further away are left to `sweep`: a turn that waits for days is only a row in the store. */
const HORIZON_MS = 300_000
/** So many of the times that are next are kept. `sweep` finds the turns of the others. */
const MOST_TIMES = 1000
const MOST_TRIES = 10
const FIRST_DELAY_MS = 500

const checkOptions = members({ members: { concurrency: whole(1) } })

/**
 * A queue in the memory of this process. What it forgets when the process ends, `sweep` finds. Throws SluiceError
 * `option` where an option is wrong.
 */
export function localQueue(options: LocalOptions = {}): WakeQueue {
  checkOptions(options, 'options')
  return new LocalQueue(options.concurrency ?? 50)
}

/** A turn that is worked on. */
interface Work {
  /** Calls of `advance` that have not ended: a wake in the last moment of one may begin another. */
  open: number
  /** Of the one that ended last. */
  failure: { error: unknown } | undefined
  end: () => void
  ended: Promise<void>
}

class LocalQueue implements WakeQueue {
  readonly #concurrency: number
  #advance: ((id: string) => Promise<unknown>) | undefined
  readonly #ready = new Set<string>()
  readonly #running = new Map<string, Work>()
  /** When a turn is to be woken. */
  readonly #times = new Map<string, number>()
  /** For the first of them. */
  #timer: NodeJS.Timeout | undefined
  #rings = Infinity
  /** How often turns failed in a row. */
  readonly #failures = new Map<string, number>()

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  async wake(id: string): Promise<void> {
    const [advance, work] = [this.#advance, this.#running.get(id)]
    // One that is being worked on is told at once. It promises to look again.
    if (advance && work) this.#follow(id, work, advance)
    else this.#ready.add(id)
    this.#fill()
  }

  async at(id: string, time: number): Promise<void> {
    if (time - Date.now() > HORIZON_MS || (this.#times.get(id) ?? Infinity) <= time) return
    this.#times.set(id, time)
    if (this.#times.size > MOST_TIMES) this.#times.delete(this.#last())
    if (time < this.#rings && this.#times.has(id)) this.#setTimer(time)
  }

  work(advance: (id: string) => Promise<unknown>): QueueWorker {
    this.#advance = advance
    this.#fill()
    return {
      close: async () => {
        if (this.#advance === advance) this.#advance = undefined
        await Promise.all([...this.#running.values()].map(({ ended }) => ended))
      },
    }
  }

  /** The turn that is woken after all others. */
  #last(): string {
    let [last, latest] = ['', -Infinity]
    for (const [id, time] of this.#times) if (time > latest) [last, latest] = [id, time]
    return last
  }

  #setTimer(time: number): void {
    clearTimeout(this.#timer)
    this.#rings = time
    // A clock may be set back meanwhile: nothing is waited for longer than the horizon.
    this.#timer = setTimeout(() => this.#ring(), Math.min(Math.max(time - Date.now(), 1), HORIZON_MS)).unref()
  }

  #ring(): void {
    this.#rings = Infinity
    const now = Date.now()
    const due = [...this.#times].filter(([, time]) => time <= now).sort(([, one], [, other]) => one - other)
    for (const [id] of due) this.#times.delete(id)
    for (const [id] of due) void this.wake(id)
    const next = Math.min(...this.#times.values())
    if (next < this.#rings) this.#setTimer(next)
  }

  #fill(): void {
    for (const id of this.#ready) {
      const advance = this.#advance
      if (!advance || this.#running.size >= this.#concurrency) return
      this.#ready.delete(id)
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => (end = resolve))
      const work: Work = { open: 0, failure: undefined, end, ended }
      this.#running.set(id, work)
      this.#follow(id, work, advance)
    }
  }

  #follow(id: string, work: Work, advance: (id: string) => Promise<unknown>): void {
    work.open++
    const settled = (failure?: { error: unknown }): void => {
      work.failure = failure
      if (--work.open > 0) return
      this.#running.delete(id)
      if (work.failure) this.#failed(id, work.failure.error)
      else this.#failures.delete(id)
      work.end()
      this.#fill()
    }
    advance(id).then(
      () => settled(),
      (error: unknown) => settled({ error }),
    )
  }

  /** Tries it again after a while, in turn with the others. */
  #failed(id: string, error: unknown): void {
    const tries = (this.#failures.get(id) ?? 0) + 1
    if (tries === 1 || tries === MOST_TRIES)
      warn(`the turn ${id} does not go on${tries === 1 ? ', and is tried again' : ''}: ${messageOf(error)}`)
    if (tries === MOST_TRIES) this.#failures.delete(id)
    else {
      this.#failures.set(id, tries)
      void this.at(id, Date.now() + FIRST_DELAY_MS * 2 ** (tries - 1))
    }
  }
}
