// Stores turns in two tables of the app's own database. Every method is one transaction.
import { withMethods } from '../../engine/core/options.js'
import { SqliteAccess, type SqliteDatabase } from '../../app/conversations/sqlite-access.js'
import { checked, sound } from './row.js'
import type { TurnInboxEntry, ListedTurnRow, TurnRow, TurnRowFilter, TurnRowPatch, TurnStore } from './durable-types.js'

/**
 * Keeps turns in two tables of a database, `sluice_turns` and `sluice_inbox`, created if missing. The app opens and
 * closes the database and chooses its settings (`PRAGMA journal_mode = WAL` is a good one). Several processes may use
 * it at the same time. Throws SluiceError `option` if this is not a database.
 */
export function sqliteTurns(database: SqliteDatabase): TurnStore {
  withMethods('an opened database, of node:sqlite or better-sqlite3', 'exec', 'prepare')(database, 'database')
  return new SqliteTurns(database)
}

/** Keys stay when their entries are taken: a second one with the same key is refused. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS sluice_turns (
    id TEXT PRIMARY KEY, thread TEXT, rev INTEGER NOT NULL, log_number INTEGER NOT NULL, phase TEXT NOT NULL, wake_at INTEGER, updated INTEGER NOT NULL,
    questions TEXT, config TEXT NOT NULL, state TEXT, result TEXT);
  CREATE INDEX IF NOT EXISTS sluice_turns_wake ON sluice_turns (wake_at) WHERE wake_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS sluice_turns_asking ON sluice_turns (id) WHERE questions IS NOT NULL;
  CREATE TABLE IF NOT EXISTS sluice_inbox (number INTEGER PRIMARY KEY, turn TEXT NOT NULL, key TEXT NOT NULL, entry TEXT, UNIQUE (turn, key));
  CREATE INDEX IF NOT EXISTS sluice_inbox_waits ON sluice_inbox (turn) WHERE entry IS NOT NULL;`

const LISTED = 'id, thread, rev, log_number AS logNumber, phase, wake_at AS wakeAt, updated, questions'
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

class SqliteTurns implements TurnStore {
  readonly #database: SqliteAccess

  constructor(database: SqliteDatabase) {
    this.#database = new SqliteAccess(database, 'the turns', () => this.#database.exec(TABLES))
  }

  async create(id: string, row: Omit<TurnRow, 'id' | 'rev'>): Promise<boolean> {
    const { thread, logNumber, phase, wakeAt, updated, questions, config, state, result } = row
    return await this.#database.transaction('write', () => {
      if (this.#database.get('SELECT 1 FROM sluice_turns WHERE id = ?', id)) return false
      this.#database.run(
        'INSERT INTO sluice_turns (id, thread, rev, log_number, phase, wake_at, updated, questions, config, state, result) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)',
        id,
        thread,
        logNumber,
        phase,
        wakeAt,
        updated,
        questions,
        config,
        state,
        result,
      )
      return true
    })
  }

  async load(id: string): Promise<TurnRow | null> {
    const row = await this.#database.transaction('read', () =>
      this.#database.get<TurnRow>(`SELECT ${LISTED}, config, state, result FROM sluice_turns WHERE id = ?`, id),
    )
    return row ? checked({ ...row }) : null
  }

  async inbox(id: string): Promise<TurnInboxEntry[]> {
    return await this.#database.transaction('read', () =>
      this.#database
        .all<TurnInboxEntry>(
          'SELECT key, entry FROM sluice_inbox WHERE turn = ? AND entry IS NOT NULL ORDER BY number',
          id,
        )
        .map((entry) => ({ ...entry })),
    )
  }

  async save(id: string, rev: number, { taken = [], ...patch }: TurnRowPatch): Promise<number | null> {
    const changed = (Object.keys(columns) as (keyof typeof columns)[]).filter((name) => patch[name] !== undefined)
    return await this.#database.transaction('write', () => {
      const known = this.#database.get<{ rev: number }>(
        "SELECT rev FROM sluice_turns WHERE id = ? AND phase <> 'done'",
        id,
      )
      if (known?.rev !== rev) return null
      const set = changed.map((name) => `${columns[name]} = ?`).join(', ')
      this.#database.run(
        `UPDATE sluice_turns SET rev = rev + 1, ${set} WHERE id = ?`,
        ...changed.map((name) => patch[name]),
        id,
      )
      if (patch.phase === 'done') this.#database.run('DELETE FROM sluice_inbox WHERE turn = ?', id)
      else
        for (const key of taken)
          this.#database.run('UPDATE sluice_inbox SET entry = NULL WHERE turn = ? AND key = ?', id, key)
      return rev + 1
    })
  }

  async push(id: string, { key, entry }: TurnInboxEntry): Promise<boolean> {
    return await this.#database.transaction('write', () => {
      if (!this.#database.get("SELECT 1 FROM sluice_turns WHERE id = ? AND phase <> 'done'", id)) return false
      if (this.#database.get('SELECT 1 FROM sluice_inbox WHERE turn = ? AND key = ?', id, key)) return false
      this.#database.run('INSERT INTO sluice_inbox (turn, key, entry) VALUES (?, ?, ?)', id, key, entry)
      return true
    })
  }

  async *list(filter: TurnRowFilter = {}): AsyncGenerator<ListedTurnRow, void, undefined> {
    const { thread, asking, due } = filter
    const where: string[] = ['id > ?']
    const values: unknown[] = []
    if (thread !== undefined) where.push('thread = ?'), values.push(thread)
    if (asking === true) where.push('questions IS NOT NULL')
    if (due !== undefined) {
      // Two ways to the few that are due, each by its index.
      where.push(`id IN (SELECT id FROM sluice_turns WHERE wake_at <= ? UNION SELECT turn FROM sluice_inbox WHERE entry IS NOT NULL)
        AND (wake_at <= ? OR phase = 'waiting') AND phase <> 'done'`)
      values.push(due, due)
    }
    for (let last = ''; ; ) {
      const rows = await this.#database.transaction('read', () =>
        this.#database.all<ListedTurnRow>(
          `SELECT ${LISTED} FROM sluice_turns WHERE ${where.join(' AND ')} ORDER BY id LIMIT ${PAGE}`,
          last,
          ...values,
        ),
      )
      yield* sound(rows)
      if (rows.length < PAGE) return
      last = (rows.at(-1) as ListedTurnRow).id
    }
  }

  async remove(id: string): Promise<boolean> {
    return await this.#database.transaction('write', () => {
      const known = this.#database.get('SELECT 1 FROM sluice_turns WHERE id = ?', id) !== undefined
      this.#database.run('DELETE FROM sluice_turns WHERE id = ?', id)
      this.#database.run('DELETE FROM sluice_inbox WHERE turn = ?', id)
      return known
    })
  }
}
