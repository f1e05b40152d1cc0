// When a run is quiet: the work that has not settled, and who waits for it.
import { setImmediate } from './set-immediate.js'
import { sleep } from './transport.js'

type Quiet = 'done' | 'waiting'

/** A run, as far as its quiet is concerned. */
export interface Quietable {
  /** What the run is at if it is quiet now; undefined: it is busy. */
  quiet(): Quiet | undefined
  /** Events are being acted on. */
  draining(): boolean
  /** An error of tracked work. */
  fail(error: unknown): void
}

export class RunQuiet {
  readonly #run: Quietable
  /** Requests, tools and adapters that have not settled. */
  readonly #pending = new Set<Promise<unknown>>()
  #waiters: ((what: Quiet) => void)[] = []

  constructor(run: Quietable) {
    this.#run = run
  }

  /** Work has not settled. */
  get pending(): boolean {
    return this.#pending.size > 0
  }

  /** Resolves when the run is quiet. */
  next(): Promise<Quiet> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve)
      this.tell()
    })
  }

  track(work: Promise<unknown>): void {
    const settled = work
      .catch((error: unknown) => this.#run.fail(error))
      .finally(() => {
        this.#pending.delete(settled)
        this.tell()
      })
    this.#pending.add(settled)
  }

  /** Tells those who wait, if the run is quiet at the end of this turn of the event loop. */
  tell(): void {
    if (this.#waiters.length === 0) return
    setImmediate(() => {
      const what = this.#run.quiet()
      if (what === undefined) return
      for (const waiter of this.#waiters.splice(0)) waiter(what)
    })
  }

  /** Waits until `busy` is false, at most `ms` milliseconds. */
  async waitWhile(busy: () => boolean, ms: number): Promise<void> {
    if (!busy()) return
    const grace = new AbortController()
    const over = sleep(ms, grace.signal).then(
      () => grace.abort(),
      () => {},
    )
    while (busy() && !grace.signal.aborted) {
      const drained = this.#run.draining() ? [new Promise<void>((resolve) => setImmediate(resolve))] : []
      await Promise.race([...this.#pending, over, ...drained])
    }
    grace.abort()
  }
}
