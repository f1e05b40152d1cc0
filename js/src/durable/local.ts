// The queue of a single process: what is woken runs here, a few at a time.
import { messageOf } from '../core/errors.js'
import { members, whole } from '../core/options.js'
import { warn } from '../core/warning.js'
import type { QueueWorker, WakeQueue } from './types.js'

/** What `local` takes. */
export interface LocalOptions {
  /** How many turns are worked on at once. They wait more than they compute. Default 50. */
  concurrency?: number
}

/** Times that are further away are left to `sweep`: a turn that waits for days is only a row in the store. */
const HORIZON_MS = 300_000
const MOST_TRIES = 10
const FIRST_DELAY_MS = 500

const checkOptions = members({ members: { concurrency: whole(1) } })

/** A queue in the memory of this process. What it forgets when the process ends, `sweep` finds. Throws SluiceError `option` where an option is wrong. */
export function local(options: LocalOptions = {}): WakeQueue {
  checkOptions(options, 'options')
  return new LocalQueue(options.concurrency ?? 50)
}

class LocalQueue implements WakeQueue {
  readonly #concurrency: number
  #advance: ((id: string) => Promise<unknown>) | undefined
  readonly #ready = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #timers = new Map<string, { time: number; timer: NodeJS.Timeout }>()

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  async wake(id: string): Promise<void> {
    const advance = this.#advance
    // One that is being worked on is told at once. It promises to look again.
    if (advance && this.#running.has(id)) advance(id).catch(() => {})
    else this.#ready.add(id)
    this.#fill()
  }

  async at(id: string, time: number): Promise<void> {
    const wait = time - Date.now()
    const known = this.#timers.get(id)
    if (wait > HORIZON_MS || (known && known.time <= time)) return
    clearTimeout(known?.timer)
    const ring = (): void => {
      this.#timers.delete(id)
      void this.wake(id)
    }
    this.#timers.set(id, { time, timer: setTimeout(ring, Math.max(wait, 0)).unref() })
  }

  work(advance: (id: string) => Promise<unknown>): QueueWorker {
    this.#advance = advance
    this.#fill()
    return {
      close: async () => {
        if (this.#advance === advance) this.#advance = undefined
        await Promise.all(this.#running.values())
      },
    }
  }

  #fill(): void {
    for (const id of this.#ready) {
      if (!this.#advance || this.#running.size >= this.#concurrency) return
      this.#ready.delete(id)
      this.#begin(id, this.#advance, 1)
    }
  }

  #begin(id: string, advance: (id: string) => Promise<unknown>, tries: number): void {
    const work = advance(id).then(() => {}, (error: unknown) => this.#failed(id, error, tries)).then(() => {
      this.#running.delete(id)
      this.#fill()
    })
    this.#running.set(id, work)
  }

  #failed(id: string, error: unknown, tries: number): void {
    if (tries === 1 || tries === MOST_TRIES) warn(`the turn ${id} does not go on${tries === 1 ? ', and is tried again' : ''}: ${messageOf(error)}`)
    if (tries === MOST_TRIES) return
    const again = (): void => {
      if (this.#advance && !this.#running.has(id) && !this.#ready.has(id)) this.#begin(id, this.#advance, tries + 1)
    }
    setTimeout(again, FIRST_DELAY_MS * 2 ** (tries - 1)).unref()
  }
}
