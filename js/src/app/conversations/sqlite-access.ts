// A database of the app's, for stores with tables in it: one transaction at a time, tried again while another
// connection holds the database.
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, SluiceError } from '../../engine/core/errors.js'

/** A prepared statement of a `Database`. */
export interface SqliteStatement {
  run(...values: unknown[]): unknown
  /** The first row, or undefined. */
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
}

/** An opened database: `DatabaseSync` of node:sqlite, or one of better-sqlite3. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown
  prepare(sql: string): SqliteStatement
}

/** How long to retry while another connection holds the database. */
const BUSY_MS = 5000
const POLL_MS = 10

export class SqliteAccess {
  readonly #database: SqliteDatabase
  readonly #of: string
  readonly #prepare: () => void
  /** The tables were created, or were there. */
  #ready = false
  readonly #statements = new Map<string, SqliteStatement>()

  /**
   * @param of whose database it is, for errors: `the conversations`
   * @param prepare makes what is missing
   */
  constructor(database: SqliteDatabase, of: string, prepare: () => void) {
    this.#database = database
    this.#of = of
    this.#prepare = prepare
  }

  /** Runs `act` in a transaction. `act` has no `await`, so that no other method of this connection comes between. */
  async transaction<T>(kind: 'read' | 'write', act: () => T): Promise<T> {
    for (const end = performance.now() + BUSY_MS; ; await delay(POLL_MS)) {
      try {
        if (!this.#ready) this.#prepare()
        this.#ready = true
        this.#database.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
        try {
          const value = act()
          this.#database.exec('COMMIT')
          return value
        } catch (error) {
          this.rollBack()
          throw error
        }
      } catch (error) {
        if (error instanceof SluiceError) throw error
        if (!isBusy(error) || performance.now() > end) throw this.#storageError(error)
      }
    }
  }

  /** Rolls back. SQLite already did so if the disk was full. */
  rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // there is no transaction any more
    }
  }

  /** Runs statements without values, outside of a transaction. */
  exec(sql: string): void {
    this.#database.exec(sql)
  }

  run(sql: string, ...values: unknown[]): unknown {
    return this.#prepared(sql).run(...values)
  }

  get<T>(sql: string, ...values: unknown[]): T | undefined {
    return (this.#prepared(sql).get(...values) ?? undefined) as T | undefined
  }

  all<T>(sql: string, ...values: unknown[]): T[] {
    return this.#prepared(sql).all(...values) as T[]
  }

  #prepared(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)))
    return statement
  }

  #storageError(cause: unknown): SluiceError {
    return new SluiceError({
      code: 'storage',
      path: 'database',
      detail: `the database of ${this.#of}: ${messageOf(cause)}`,
      cause,
    })
  }
}

/** Whether another connection holds the database, by the errors of node:sqlite and better-sqlite3. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return (
    (typeof errcode === 'number' && (errcode & 0xff) === 5) ||
    (typeof code === 'string' && code.startsWith('SQLITE_BUSY'))
  )
}
