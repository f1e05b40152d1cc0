// Waits for notifications of Postgres in one connection of a pool, for all readers of this process. A notification says
// only that there is something to read.
import type { PostgresPool } from './postgres.js'

/** A connection that a pool gives. */
export interface PostgresConnection {
  query(text: string): Promise<unknown>
  /** Calls back with what comes unasked: a `notification`, an `error`, the `end`. */
  on(
    event: string,
    listener: (message: {
      /** What a notification carries. */
      payload?: string | undefined
    }) => void,
  ): unknown
  /** Gives the connection back; with `true` it is closed. */
  release(destroy?: boolean): void
}

/** A `Pool` of `pg`. One without `connect` is asked again and again. */
export interface PostgresLogPool extends PostgresPool {
  /** Takes a connection out of the pool. */
  connect?(): Promise<PostgresConnection>
}

/** All logs share it, so that a pool needs one connection for them. What it carries names the table. */
export const CHANNEL = 'sluice_log'

const RETRY_MS = 1000
const MOST_RETRY_MS = 30_000

const listeners = new WeakMap<PostgresLogPool, Listener>()

/** The one of this pool. */
export function listenerOf(pool: PostgresLogPool): Listener {
  let listener = listeners.get(pool)
  if (!listener) listeners.set(pool, (listener = new Listener(pool)))
  return listener
}

/** Where a reader waits. */
export class Seat {
  /** A notification arrived since this was last set to false. */
  notified = true
  #wake = (): void => {}

  wake(): void {
    this.notified = true
    this.#wake()
  }

  /** Resolves when something is told, or when the time has passed. */
  async wait(ms: number): Promise<void> {
    if (this.notified) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Takes a connection when the first reader comes, and closes it when the last one goes. */
export class Listener {
  readonly #pool: PostgresLogPool
  readonly #seats = new Map<string, Set<Seat>>()
  #listening = false
  #hears = false
  #drop = (): void => {}

  constructor(pool: PostgresLogPool) {
    this.#pool = pool
  }

  /**
   * Notifications arrive. Only one that came proves it: behind PgBouncer in transaction mode LISTEN succeeds, and
   * nothing ever comes.
   */
  get hears(): boolean {
    return this.#hears
  }

  join(name: string): Seat {
    const seat = new Seat()
    const beside = this.#seats.get(name)
    if (beside) beside.add(seat)
    else this.#seats.set(name, new Set([seat]))
    void this.#listen()
    return seat
  }

  leave(name: string, seat: Seat): void {
    const beside = this.#seats.get(name)
    beside?.delete(seat)
    if (beside?.size === 0) this.#seats.delete(name)
    if (this.#seats.size === 0) this.#drop()
  }

  /**
   * A reader found what no notification told it: the connection may be dead without knowing it. The next one is tried
   * after a pause.
   */
  missed(): void {
    if (this.#hears) this.#drop()
  }

  async #listen(): Promise<void> {
    // A connection that is taken for good out of a pool of one leaves none for anything else.
    if (
      this.#listening ||
      typeof this.#pool.connect !== 'function' ||
      (this.#pool as { options?: { max?: number } }).options?.max === 1
    )
      return
    this.#listening = true
    let pause = RETRY_MS
    while (this.#seats.size > 0) {
      pause = (await this.#hear()) ? RETRY_MS : Math.min(2 * pause, MOST_RETRY_MS)
      if (this.#seats.size > 0) await new Promise((resolve) => setTimeout(resolve, pause).unref())
    }
    this.#listening = false
  }

  /** Until the connection breaks, misses something, or nobody reads any more. @returns whether it could listen */
  async #hear(): Promise<boolean> {
    let connection: PostgresConnection | undefined
    try {
      const taken = (connection = await this.#pool.connect?.())
      if (!taken) return false
      let drop = (): void => {}
      const over = new Promise<void>((resolve) => (drop = resolve))
      this.#drop = drop
      for (const event of ['error', 'end']) taken.on(event, () => drop())
      if (this.#seats.size === 0) return true
      taken.on('notification', ({ payload }) => {
        if (this.#drop !== drop) return // it came while the connection was closed
        this.#hears = true
        for (const seat of this.#seats.get(payload ?? '') ?? []) seat.wake()
      })
      await Promise.race([taken.query(`LISTEN ${CHANNEL}`), over])
      // what was told before it listened
      for (const seats of this.#seats.values()) for (const seat of seats) seat.wake()
      await over
      return true
    } catch {
      return false // readers look again by themselves
    } finally {
      this.#drop = () => {}
      this.#hears = false
      connection?.release(true) // nobody else is to get what this one listens to
    }
  }
}
