// Stores turns in two tables of a Postgres database. Every method is one statement, so that nothing is half done and no
// connection is held.
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { members, withMethods, is } from '../../engine/core/options.js'
import { warn } from '../../engine/core/warning.js'
import { checked, listed, sound } from './row.js'
import type { TurnInboxEntry, ListedTurnRow, TurnRow, TurnRowFilter, TurnRowPatch, TurnStore } from './durable-types.js'

/** A `Pool` of `pg`, or whatever queries as it does. */
export interface PostgresPool {
  /** Runs one statement with its values. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{
    rows: unknown[]
  }>
}

/** What `postgresTurns` takes. */
export interface PostgresOptions {
  /**
   * In front of the names of the tables: letters, digits and `_`; `app.sluice_` puts them in a schema that is there.
   * Default `sluice_`.
   */
  prefix?: string
}

/** @internal */
export const checkPrefix = is(
  'letters, digits and _, perhaps behind a schema and a dot',
  (value) => typeof value === 'string' && /^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]{0,40}$/.test(value),
)
/** @internal */
export const checkPool = withMethods('a Pool of pg', 'query')
const checkOptions = members({ members: { prefix: checkPrefix } })

/**
 * Keeps turns in two tables of a Postgres database (12 or later), `sluice_turns` and `sluice_inbox`, created if
 * missing. The app makes the pool and ends it. Any number of processes may use it. Throws SluiceError `option` if this
 * is no pool.
 */
export function postgresTurns(pool: PostgresPool, options: PostgresOptions = {}): TurnStore {
  checkPool(pool, 'pool')
  checkOptions(options, 'options')
  return new PostgresTurns(pool, options.prefix ?? 'sluice_')
}

const LISTED = 'id, thread, rev, log_number AS "logNumber", phase, wake_at AS "wakeAt", updated, questions'
const PAGE = 200

/** Members of a patch that are columns. */
const columns = {
  logNumber: 'log_number',
  phase: 'phase',
  wakeAt: 'wake_at',
  updated: 'updated',
  questions: 'questions',
  config: 'config',
  state: 'state',
  result: 'result',
} as const

class PostgresTurns implements TurnStore {
  readonly #pool: PostgresPool
  readonly #turns: string
  readonly #inbox: string
  #ready: Promise<unknown> | undefined

  constructor(pool: PostgresPool, prefix: string) {
    this.#pool = pool
    this.#turns = `${prefix}turns`
    this.#inbox = `${prefix}inbox`
    listenTo(pool)
  }

  async create(
    id: string,
    { thread, logNumber, phase, wakeAt, updated, questions, config, state, result }: Omit<TurnRow, 'id' | 'rev'>,
  ): Promise<boolean> {
    const rows = await this.#query(
      `INSERT INTO ${this.#turns} (id, thread, rev, log_number, phase, wake_at, updated, questions, config, state, result)
      VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, thread, logNumber, phase, wakeAt, updated, questions, config, state, result],
    )
    return rows.length > 0
  }

  async load(id: string): Promise<TurnRow | null> {
    const [row] = await this.#query<TurnRow>(
      `SELECT ${LISTED}, config, state, result FROM ${this.#turns} WHERE id = $1`,
      [id],
    )
    return row ? checked({ ...listedOf(row), config: row.config, state: row.state, result: row.result }) : null
  }

  async inbox(id: string): Promise<TurnInboxEntry[]> {
    const rows = await this.#query<TurnInboxEntry>(
      `SELECT key, entry FROM ${this.#inbox} WHERE turn = $1 AND entry IS NOT NULL ORDER BY number`,
      [id],
    )
    return rows.map(({ key, entry }) => ({ key, entry }))
  }

  async save(id: string, rev: number, { taken = [], ...patch }: TurnRowPatch): Promise<number | null> {
    const changed = (Object.keys(columns) as (keyof typeof columns)[]).filter((name) => patch[name] !== undefined)
    const set = changed.map((name, at) => `${columns[name]} = $${at + 4}`).join(', ')
    const rows = await this.#query(
      `
      WITH saved AS (UPDATE ${this.#turns} SET rev = rev + 1, ${set} WHERE id = $1 AND rev = $2 AND phase <> 'done' RETURNING id, phase),
        taken AS (UPDATE ${this.#inbox} SET entry = NULL FROM saved WHERE turn = saved.id AND key = ANY($3::text[]) AND saved.phase <> 'done'),
        gone AS (DELETE FROM ${this.#inbox} USING saved WHERE turn = saved.id AND saved.phase = 'done')
      SELECT id FROM saved`,
      [id, rev, taken, ...changed.map((name) => patch[name])],
    )
    return rows.length > 0 ? rev + 1 : null
  }

  async push(id: string, { key, entry }: TurnInboxEntry): Promise<boolean> {
    // The row is locked against the save that makes it done: nothing comes to a turn that is over.
    const rows = await this.#query(
      `
      WITH open AS (SELECT id FROM ${this.#turns} WHERE id = $1 AND phase <> 'done' FOR SHARE)
      INSERT INTO ${this.#inbox} (turn, key, entry) SELECT id, $2, $3 FROM open ON CONFLICT (turn, key) DO NOTHING RETURNING turn`,
      [id, key, entry],
    )
    return rows.length > 0
  }

  async *list(filter: TurnRowFilter = {}): AsyncGenerator<ListedTurnRow, void, undefined> {
    const { thread, asking, due } = filter
    const values: unknown[] = []
    const value = (given: unknown): string => `$${values.push(given) + 1}`
    const where = ['id > $1']
    if (thread !== undefined) where.push(`thread = ${value(thread)}`)
    if (asking === true) where.push('questions IS NOT NULL')
    if (due !== undefined) {
      const now = value(due)
      where.push(`id IN (SELECT id FROM ${this.#turns} WHERE wake_at <= ${now} UNION SELECT turn FROM ${this.#inbox} WHERE entry IS NOT NULL)
        AND (wake_at <= ${now} OR phase = 'waiting') AND phase <> 'done'`)
    }
    for (let last = ''; ; ) {
      const rows = await this.#query<ListedTurnRow>(
        `SELECT ${LISTED} FROM ${this.#turns} WHERE ${where.join(' AND ')} ORDER BY id LIMIT ${PAGE}`,
        [last, ...values],
      )
      yield* sound(rows.map(listedOf))
      if (rows.length < PAGE) return
      last = (rows.at(-1) as ListedTurnRow).id
    }
  }

  async remove(id: string): Promise<boolean> {
    const rows = await this.#query(
      `WITH gone AS (DELETE FROM ${this.#inbox} WHERE turn = $1) DELETE FROM ${this.#turns} WHERE id = $1 RETURNING id`,
      [id],
    )
    return rows.length > 0
  }

  async #query<T>(text: string, values: unknown[]): Promise<T[]> {
    try {
      await (this.#ready ??= this.#prepare())
      return (await this.#pool.query(text, values)).rows as T[]
    } catch (cause) {
      throw cause instanceof SluiceError ? cause : storageError(cause)
    }
  }

  /** Ids are compared byte by byte, as pages of a list are. Keys stay when their entries are taken. */
  async #prepare(): Promise<void> {
    const name = (table: string): string => table.replace(/^.*\./, '')
    const tables = `
      CREATE TABLE IF NOT EXISTS ${this.#turns} (
        id text COLLATE "C" PRIMARY KEY, thread text, rev bigint NOT NULL, log_number bigint NOT NULL, phase text NOT NULL, wake_at bigint, updated bigint NOT NULL,
        questions text, config text NOT NULL, state text, result text);
      CREATE INDEX IF NOT EXISTS ${name(this.#turns)}_wake ON ${this.#turns} (wake_at) WHERE wake_at IS NOT NULL;
      CREATE INDEX IF NOT EXISTS ${name(this.#turns)}_asking ON ${this.#turns} (id) WHERE questions IS NOT NULL;
      CREATE TABLE IF NOT EXISTS ${this.#inbox} (number bigserial PRIMARY KEY, turn text COLLATE "C" NOT NULL, key text NOT NULL, entry text, UNIQUE (turn, key));
      CREATE INDEX IF NOT EXISTS ${name(this.#inbox)}_waits ON ${this.#inbox} (turn) WHERE entry IS NOT NULL;`
    try {
      await this.#pool.query(madeByOne(tables))
    } catch (error) {
      this.#ready = undefined // the next call tries again
      throw error
    }
  }
}

/**
 * Of two processes that make a table at once, Postgres lets one fail: so one waits.
 * @internal
 */
export const madeByOne = (tables: string): string =>
  `DO $do$ BEGIN PERFORM pg_advisory_xact_lock(7583910842); ${tables} END $do$`

const heard = new WeakSet<PostgresPool>()

/**
 * A connection that breaks while nobody uses it would end the process: a pool of `pg` throws what nobody hears. The
 * next query makes another one.
 * @internal
 */
export function listenTo(pool: PostgresPool, what = 'the turns'): void {
  if (heard.has(pool)) return
  heard.add(pool)
  const { on } = pool as { on?: (event: 'error', listener: (error: unknown) => void) => unknown }
  on?.call(pool, 'error', (error) => warn(`the database of ${what}: ${messageOf(error)}`))
}

/** @internal */
export const storageError = (cause: unknown, what = 'the turns'): SluiceError =>
  new SluiceError({ code: 'storage', path: 'pool', detail: `the database of ${what}: ${messageOf(cause)}`, cause })

/** A bigint comes as text. */
function listedOf(row: ListedTurnRow): ListedTurnRow {
  const { rev, logNumber, wakeAt, updated } = row
  return {
    ...listed(row),
    rev: Number(rev),
    logNumber: Number(logNumber),
    wakeAt: wakeAt === null ? null : Number(wakeAt),
    updated: Number(updated),
  }
}
