// A stream log in Postgres: for readers in other processes than the one that writes, without another server. What is
// told stands in two tables, and a notification wakes those who read. The tables are unlogged: an append waits for no
// disk. A crash of the database empties them, and readers go on from what the store has saved.
import { createHash } from 'node:crypto'
import { onAbort } from '../../engine/core/on-abort.js'
import { members, milliseconds, whole } from '../../engine/core/options.js'
import type { LoggedChunks, StreamLog } from '../leg/stream-log.js'
import { leavable } from './leavable.js'
import { CHANNEL, listenerOf, type Listener, type PostgresLogPool, type Seat } from './postgres-listener.js'
import { checkPool, checkPrefix, listenTo, madeByOne, storageError, type PostgresOptions } from './postgres.js'
import { Begun, delay, endSurely } from './shared-log.js'

export type { PostgresConnection, PostgresLogPool } from './postgres-listener.js'

/** What `postgresLog` takes. */
export interface PostgresLogOptions extends PostgresOptions {
  /** Milliseconds after which the log of an answer is forgotten that nobody goes on with. Default 600,000. */
  keepMs?: number
  /** Milliseconds after which a reader looks again where no notifications arrive. Default 100. */
  pollMs?: number
}

const checkOptions = members({
  members: { keepMs: whole(0), pollMs: milliseconds, prefix: checkPrefix } satisfies {
    [member in keyof Required<PostgresLogOptions>]: unknown
  },
})

/**
 * Keeps what is told of answers in two tables of a Postgres database (12 or later), `sluice_log` and
 * `sluice_log_chunks`, created if missing, for readers in any process. While somebody reads, one connection of the pool
 * is taken to LISTEN. Where that is not possible, readers look every `pollMs`: behind PgBouncer in transaction mode,
 * and with a pool of one connection. Throws SluiceError `option` if this is no pool, or an option is wrong.
 */
export function postgresLog(pool: PostgresLogPool, options: PostgresLogOptions = {}): StreamLog {
  checkPool(pool, 'pool')
  checkOptions(options, 'options')
  return new PostgresLog(pool, options)
}

/** Chunks that one statement writes. One that reads gives fewer than twice as many. */
const PAGE = 500
/** How long the rest of an answer that is over is kept for those who read it. */
const REST_MS = 30_000
/**
 * A reader that hears notifications looks for itself all the same, for one that was lost, and for the end of the time
 * that a log is kept.
 */
const SURE_MS = 1000
/** What is told within so many milliseconds is read at once. */
const GATHER_MS = 20
/** How long a reader in the middle of an answer waits for a database that is away. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250
const SWEEP_MS = 60_000
/** Answers that are swept at once. */
const SWEPT = 20

/** In messages. */
const WHAT = 'the stream log'

interface Found {
  logNumber: number
  ended: boolean
  /** How many chunks there are. */
  length: number
  chunks: string[]
}

class PostgresLog implements StreamLog {
  readonly #pool: PostgresLogPool
  readonly #listener: Listener
  readonly #keepMs: number
  readonly #pollMs: number
  readonly #table: string
  readonly #statements: ReturnType<typeof statementsOf>
  readonly #begun: Begun
  #ready: Promise<unknown> | undefined
  #sweeping: NodeJS.Timeout | undefined
  #wroteAt = 0

  constructor(pool: PostgresLogPool, { prefix = 'sluice_', keepMs = 600_000, pollMs = 100 }: PostgresLogOptions) {
    this.#pool = pool
    this.#listener = listenerOf(pool)
    this.#keepMs = keepMs
    this.#pollMs = pollMs
    this.#table = `${prefix}log`
    this.#statements = statementsOf(this.#table)
    this.#begun = new Begun(keepMs, (id, logNumber) => this.#query(this.#statements.touch, [id, logNumber, keepMs]))
    listenTo(pool, WHAT)
  }

  async begin(id: string, least: number): Promise<number> {
    const [given] = await this.#query<{ given: string }>(this.#statements.begin, [id, least, this.#keepMs])
    return Number(given?.given)
  }

  async append(id: string, logNumber: number, chunks: readonly string[]): Promise<void> {
    const name = this.#nameOf(id)
    for (let at = 0; at < chunks.length; at += PAGE) {
      const page = chunks.slice(at, at + PAGE)
      const { first, next } = this.#statements
      const rows = await this.#query(this.#begun.has(id, logNumber) ? next : first, [
        id,
        logNumber,
        page.length,
        this.#keepMs,
        JSON.stringify(page),
        name,
      ])
      if (rows.length === 0) throw new Error(`log ${logNumber} of ${id} is over`)
      this.#begun.add(id, logNumber)
    }
    this.#sweepLater()
  }

  async end(id: string, logNumber: number): Promise<void> {
    this.#begun.delete(id, logNumber)
    this.#sweepLater()
    await endSurely(
      async () =>
        void (await this.#query(this.#statements.end, [
          id,
          logNumber,
          Math.min(REST_MS, this.#keepMs),
          this.#nameOf(id),
        ])),
    )
  }

  read(id: string): AsyncIterableIterator<LoggedChunks, void, undefined> {
    return leavable((left) => this.#read(id, left))
  }

  // -- reading --------------------------------------------------------------------------------------------------------

  async *#read(id: string, left: AbortSignal): AsyncGenerator<LoggedChunks, void, undefined> {
    const name = this.#nameOf(id)
    let seat: Seat | undefined
    let forget = (): void => {}
    try {
      for (let logNumber = -1, at = 0, late = false; ; ) {
        if (seat) seat.notified = false
        const found = await this.#find(id, logNumber, at, left)
        if (!found || left.aborted || (logNumber < 0 && found.ended)) return
        const { chunks, length, ended } = found
        if (found.logNumber !== logNumber) [logNumber, at] = [found.logNumber, 0]
        at += chunks.length
        if (late && chunks.length > 0 && !seat?.notified) this.#listener.missed()
        late = false
        if (chunks.length > 0) yield { logNumber, chunks }
        if (at < length) continue
        if (ended) return
        if (!seat) {
          const own = (seat = this.#listener.join(name))
          forget = onAbort(left, () => own.wake())
          continue // what was told before
        }
        await seat.wait(this.#listener.hears ? Math.max(SURE_MS, this.#pollMs) : this.#pollMs)
        if (left.aborted) return
        late = !seat.notified
        if (!late) await delay(Math.min(GATHER_MS, this.#pollMs), left)
      }
    } finally {
      forget()
      if (seat) this.#listener.leave(name, seat)
    }
  }

  /** A reader that has begun outlasts a database that begins anew. */
  async #find(id: string, logNumber: number, at: number, left: AbortSignal): Promise<Found | undefined> {
    for (const until = performance.now() + PATIENCE_MS; ; ) {
      try {
        const rows = await this.#query<{ logNumber: string; ended: boolean; length: string; chunks: string | null }>(
          this.#statements.read,
          [id, logNumber, at],
        )
        const [first] = rows
        return (
          first && {
            logNumber: Number(first.logNumber),
            ended: first.ended,
            length: Number(first.length),
            chunks: rows.flatMap(({ chunks }) => (chunks === null ? [] : (JSON.parse(chunks) as string[]))),
          }
        )
      } catch (error) {
        if (logNumber < 0 || left.aborted || performance.now() > until || (this.#pool as { ending?: boolean }).ending)
          throw error
      }
      await delay(RETRY_MS, left)
    }
  }

  // -- what nobody reads any more -------------------------------------------------------------------------------------

  /** Now and then, as long as something may be left of what was written here. Also what other processes left. */
  #sweepLater(): void {
    this.#wroteAt = performance.now()
    this.#sweeping ??= this.#sweepIn(Math.min(SWEEP_MS, Math.max(1000, this.#keepMs)))
  }

  #sweepIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#sweep(ms), ms).unref()
  }

  async #sweep(ms: number): Promise<void> {
    let swept: unknown[]
    try {
      swept = await this.#query(this.#statements.sweep, [SWEPT])
    } catch {
      this.#sweeping = undefined // the next one who writes begins it again
      return
    }
    this.#sweeping =
      swept.length === SWEPT
        ? this.#sweepIn(1000)
        : performance.now() < this.#wroteAt + this.#keepMs + ms
          ? this.#sweepIn(ms)
          : undefined
  }

  // -- the database ---------------------------------------------------------------------------------------------------

  /**
   * What a notification says: the readers of which answer look. Ids may be longer than what it carries, and are nobody
   * else's business.
   */
  #nameOf(id: string): string {
    return createHash('sha256').update(`${this.#table}\n${id}`).digest('base64url')
  }

  async #query<T>(text: string, values: unknown[]): Promise<T[]> {
    try {
      await (this.#ready ??= this.#prepare())
      return (await this.#pool.query(text, values)).rows as T[]
    } catch (cause) {
      throw storageError(cause, WHAT)
    }
  }

  async #prepare(): Promise<void> {
    try {
      await this.#pool.query(madeByOne(this.#statements.tables))
    } catch (error) {
      this.#ready = undefined // the next call tries again
      throw error
    }
  }
}

/**
 * `log` has a row for each answer: its last log number, how many chunks that log has, and the number that `begin` gave
 * last. `log_chunks` has a row for each append, under the number of its first chunk. Who appends holds the
 * row of the answer, so that appends of an answer stand in one order. No index has `until`: a row that is updated with
 * each append would change it each time, and there are few.
 */
function statementsOf(log: string) {
  const chunks = `${log}_chunks`
  const kept = `INSERT INTO ${chunks} (turn, log_number, number, chunks) SELECT $1::text, $2::bigint, written.length - $3::bigint, $5::text FROM written`
  const until = (ms: string): string => `now() + ${ms}::float8 * interval '1 millisecond'`
  return {
    tables: `
      CREATE UNLOGGED TABLE IF NOT EXISTS ${log} (id text COLLATE "C" PRIMARY KEY, log_number bigint NOT NULL, length bigint NOT NULL, ended boolean NOT NULL, until timestamptz NOT NULL, given bigint);
      CREATE UNLOGGED TABLE IF NOT EXISTS ${chunks} (turn text COLLATE "C", log_number bigint, number bigint, chunks text NOT NULL, PRIMARY KEY (turn, log_number, number));`,
    /**
     * What was given last counts as well: no two legs get the same. Of an answer that nothing was told of, readers find
     * none.
     */
    begin: `
      INSERT INTO ${log} AS known (id, log_number, length, ended, until, given) VALUES ($1::text, -1, 0, true, ${until('$3')}, $2::bigint)
      ON CONFLICT (id) DO UPDATE SET given = greatest(known.log_number + 1, known.given + 1, excluded.given), until = greatest(known.until, excluded.until)
      RETURNING given`,
    /** The first append of a log number here. */
    first: `
      WITH written AS (
          INSERT INTO ${log} AS known (id, log_number, length, ended, until) VALUES ($1::text, $2::bigint, $3::bigint, false, ${until('$4')})
          ON CONFLICT (id) DO UPDATE SET log_number = excluded.log_number, until = excluded.until,
            length = excluded.length + CASE WHEN known.log_number = excluded.log_number THEN known.length ELSE 0 END, ended = known.ended AND known.log_number = excluded.log_number
          WHERE known.log_number <= excluded.log_number OR known.until <= now()
          RETURNING length),
        kept AS (${kept}),
        gone AS (DELETE FROM ${chunks} USING written WHERE turn = $1::text AND log_number <> $2::bigint)
      SELECT pg_notify('${CHANNEL}', $6::text) FROM written`,
    next: `
      WITH written AS (UPDATE ${log} SET length = length + $3::bigint, until = ${until('$4')} WHERE id = $1::text AND log_number = $2::bigint RETURNING length),
        kept AS (${kept})
      SELECT pg_notify('${CHANNEL}', $6::text) FROM written`,
    /** Its writer lives, and has nothing to tell. */
    touch: `UPDATE ${log} SET until = ${until('$3')} WHERE id = $1::text AND log_number = $2::bigint AND NOT ended`,
    /** Readers that follow it get the rest; who comes later finds nothing. */
    end: `
      WITH written AS (UPDATE ${log} SET ended = true, until = ${until('$3')} WHERE id = $1::text AND log_number = $2::bigint RETURNING id)
      SELECT pg_notify('${CHANNEL}', $4::text) FROM written`,
    read: `
      SELECT known.log_number AS "logNumber", known.ended, known.length, part.chunks
      FROM ${log} known CROSS JOIN LATERAL (SELECT CASE WHEN known.log_number = $2::bigint THEN $3::bigint ELSE 0 END AS at) place
        LEFT JOIN ${chunks} part ON part.turn = known.id AND part.log_number = known.log_number AND part.number >= place.at AND part.number < place.at + ${PAGE}
      WHERE known.id = $1::text AND known.until > now() ORDER BY part.number`,
    sweep: `
      WITH old AS (SELECT id FROM ${log} WHERE until <= now() LIMIT $1::int FOR UPDATE SKIP LOCKED),
        swept AS (DELETE FROM ${log} known USING old WHERE known.id = old.id RETURNING known.id),
        gone AS (DELETE FROM ${chunks} USING old WHERE turn = old.id)
      SELECT id FROM swept`,
  }
}
