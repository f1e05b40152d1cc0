// Stores conversations in three tables of the app's own database. Every method is one transaction; if another connection holds the database,
// it is tried again for a while. An index of trigrams finds what a search looks for: 0.3 ms among 10,000 entries of 1.6 kB. Queries under three
// characters, and builds of SQLite without FTS5, read all texts: 80 ms. The index is half as large as the rest, and a save takes 1 ms more.
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, SluiceError } from '../core/errors.js'
import { withMethods } from '../core/options.js'
import { refsOf } from './blobs.js'
import { checkList, checkSearch, exportFrom, LIST_LIMIT, SEARCH_LIMIT, type ListOptions, type SearchOptions } from './query.js'
import { refuseSealed, SEALED_BODY, sealedError, stored, type StoreOptions } from './sealed.js'
import { checkChange, checkEntryId, checkId, checkTitle, removeEntry, type Tree } from './tree.js'
import type { Change, Conversation, ConversationInfo, Conversations, Entry, Found } from './types.js'
import { excerpt, folded, textOf, titleOf } from './words.js'

/** A prepared statement of a `Database`. */
export interface SqliteStatement {
  /** Runs it. */
  run(...values: unknown[]): unknown
  /** The first row, or undefined. */
  get(...values: unknown[]): unknown
  /** All rows. */
  all(...values: unknown[]): unknown[]
}

/** An opened database: `DatabaseSync` of node:sqlite, or one of better-sqlite3. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement
}

/**
 * Keeps conversations in tables of their own in a database: `sluice_conversations`, `sluice_entries` and `sluice_blobs`, created if missing; where
 * its SQLite has FTS5 an index of their words, too, and then every process that uses it needs FTS5. The
 * app opens and closes the database and chooses its settings (`PRAGMA journal_mode = WAL` is a good one). Several processes may use it at the
 * same time. Throws SluiceError `option` if this is not a database.
 */
export function sqlite(database: SqliteDatabase, options: StoreOptions = {}): Conversations {
  withMethods('an opened database, of node:sqlite or better-sqlite3', 'exec', 'prepare')(database, 'database')
  return stored((takesSealed) => new SqliteConversations(database, takesSealed), options)
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS sluice_conversations (id TEXT PRIMARY KEY, title TEXT NOT NULL, head TEXT, updated INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sluice_entries (
    number INTEGER PRIMARY KEY, conversation TEXT NOT NULL, id TEXT NOT NULL, parent TEXT, at INTEGER NOT NULL, role TEXT NOT NULL,
    words TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (conversation, id));
  CREATE INDEX IF NOT EXISTS sluice_entries_at ON sluice_entries (at);
  CREATE TABLE IF NOT EXISTS sluice_blobs (conversation TEXT NOT NULL, ref TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (conversation, ref));`

/**
 * The index holds no copy of the texts. Triggers keep it, so that it is right whoever changes the entries; sealed ones have no words. A text is
 * in lower case already, and what the index finds is compared again.
 */
const INDEX = `
  CREATE VIRTUAL TABLE sluice_words USING fts5(words, content = 'sluice_entries', content_rowid = 'number', tokenize = 'trigram case_sensitive 1');
  CREATE TRIGGER sluice_words_new AFTER INSERT ON sluice_entries WHEN new.words <> '' BEGIN
    INSERT INTO sluice_words (rowid, words) VALUES (new.number, new.words); END;
  CREATE TRIGGER sluice_words_gone AFTER DELETE ON sluice_entries WHEN old.words <> '' BEGIN
    INSERT INTO sluice_words (sluice_words, rowid, words) VALUES ('delete', old.number, old.words); END;
  CREATE TRIGGER sluice_words_changed AFTER UPDATE OF words ON sluice_entries WHEN old.words <> new.words BEGIN
    INSERT INTO sluice_words (sluice_words, rowid, words) VALUES ('delete', old.number, old.words);
    INSERT INTO sluice_words (rowid, words) VALUES (new.number, new.words); END;
  INSERT INTO sluice_words (sluice_words) VALUES ('rebuild');`
const TRIGRAM = 3

/** How long to retry while another connection holds the database. */
const BUSY_MS = 5000
const POLL_MS = 10

interface ConversationRow { id: string; title: string; head: string | null; updated: number }
interface EntryRow { conversation: string; id: string; parent: string | null; at: number; body: string }

class SqliteConversations implements Conversations {
  readonly #database: SqliteDatabase
  readonly #takesSealed: boolean
  /** The tables were created, or were there. */
  #ready = false
  #indexed = false
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase, takesSealed: boolean) {
    this.#database = database
    this.#takesSealed = takesSealed
  }

  async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    checkList(options)
    const { query = '', skip = 0, limit = LIST_LIMIT } = options
    return await this.#transaction('read', () => {
      const infos: ConversationInfo[] = []
      let left = skip
      const [where, ...values] = this.#says(folded(query))
      const saying = new Set(query === '' ? [] : this.#all<EntryRow>(`SELECT DISTINCT conversation FROM sluice_entries WHERE ${where}`, ...values).map((row) => row.conversation))
      for (const row of this.#all<ConversationRow>('SELECT * FROM sluice_conversations ORDER BY updated DESC, id')) {
        if (infos.length >= limit) break
        const damaged = this.#isSealed(row.id) ? sealedError('database').message : undefined
        const title = damaged === undefined ? this.#title(row) : row.id
        const fits = query === '' || folded(title).includes(folded(query)) || saying.has(row.id)
        if (!fits || left-- > 0) continue
        const { entries } = this.#get<{ entries: number }>('SELECT count(*) AS entries FROM sluice_entries WHERE conversation = ?', row.id) ?? { entries: 0 }
        infos.push({ id: row.id, title, updated: Number(row.updated), entries: Number(entries), ...(damaged === undefined ? {} : { damaged }) })
      }
      return infos
    })
  }

  async load(id: string): Promise<Conversation | null> {
    checkId(id)
    return await this.#transaction('read', () => this.#load(id))
  }

  async save(id: string, change: Change): Promise<void> {
    checkId(id)
    await this.#transaction('write', () => {
      if (this.#isSealed(id)) throw sealedError('database')
      const { entries, bodies, head } = checkChange(change, (one) => this.#get<EntryRow>('SELECT parent FROM sluice_entries WHERE conversation = ? AND id = ?', id, one)?.parent)
      this.#run(`INSERT INTO sluice_conversations (id, title, head, updated) VALUES (?, '', ?, ?)
        ON CONFLICT (id) DO UPDATE SET head = coalesce(excluded.head, head), updated = excluded.updated`, id, head ?? null, Date.now())
      for (const { ref, bytes } of change.blobs ?? []) this.#run('INSERT OR IGNORE INTO sluice_blobs (conversation, ref, bytes) VALUES (?, ?, ?)', id, ref, bytes)
      for (const [index, entry] of entries.entries()) {
        this.#run(`INSERT INTO sluice_entries (conversation, id, parent, at, role, words, body) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (conversation, id) DO UPDATE SET at = excluded.at, role = excluded.role, words = excluded.words, body = excluded.body`,
          id, entry.id, entry.parent, entry.at, entry.role, folded(textOf(entry)), bodies[index])
      }
    })
  }

  async rename(id: string, title: string): Promise<boolean> {
    checkId(id)
    if (!this.#takesSealed) checkTitle(title)
    return await this.#transaction('write', () => {
      if (!this.#row(id)) return false
      if (this.#isSealed(id)) throw sealedError('database')
      this.#run('UPDATE sluice_conversations SET title = ? WHERE id = ?', title, id)
      return true
    })
  }

  async delete(id: string, entry?: string): Promise<boolean> {
    checkId(id)
    checkEntryId(entry, 'entry')
    return await this.#transaction('write', () => (entry === undefined ? this.#delete(id) : this.#deleteEntry(id, entry)))
  }

  async search(query: string, options: SearchOptions = {}): Promise<Found[]> {
    checkSearch(query, options)
    return await this.#transaction('read', () => {
      const [where, ...values] = this.#says(folded(query))
      const rows = this.#all<EntryRow>(`SELECT conversation, id, at, body FROM sluice_entries WHERE ${where} ORDER BY at DESC, id LIMIT ?`,
        ...values, options.limit ?? SEARCH_LIMIT)
      return rows.map(({ conversation, id, at, body }) => ({
        conversation, title: this.#title(this.#row(conversation)), entry: id, at: Number(at), text: excerpt(textOf(JSON.parse(body) as Entry), query),
      }))
    })
  }

  async export(id: string, as: 'json' | 'markdown'): Promise<string | null> {
    return await exportFrom(this, id, as)
  }

  async bytes(id: string, ref: string): Promise<Uint8Array | null> {
    return await this.#transaction('read', () =>
      this.#get<{ bytes: Uint8Array }>('SELECT bytes FROM sluice_blobs WHERE conversation = ? AND ref = ?', id, ref)?.bytes ?? null)
  }

  // -- within a transaction -------------------------------------------------------------------------------------------------

  #row(id: string): ConversationRow | undefined {
    return this.#get<ConversationRow>('SELECT * FROM sluice_conversations WHERE id = ?', id)
  }

  /** The condition for entries whose text has these words, and its values. */
  #says(words: string): [string, ...string[]] {
    if (!this.#indexed || [...words].length < TRIGRAM) return ['instr(words, ?) > 0', words]
    return ['number IN (SELECT rowid FROM sluice_words WHERE sluice_words MATCH ?) AND instr(words, ?) > 0', `"${words.replaceAll('"', '""')}"`, words]
  }

  /** Whether its last entry is sealed, and this store has no key. */
  #isSealed(id: string): boolean {
    return !this.#takesSealed && this.#get(`SELECT 1 FROM sluice_conversations c JOIN sluice_entries e ON e.conversation = c.id AND e.id = c.head
      WHERE c.id = ? AND substr(e.body, 1, ${SEALED_BODY.length}) = ?`, id, SEALED_BODY) !== undefined
  }

  #title(row: ConversationRow | undefined): string {
    if (!row || row.title !== '') return row?.title ?? ''
    return titleOf(this.#all<EntryRow>("SELECT body FROM sluice_entries WHERE conversation = ? AND role = 'user' ORDER BY number LIMIT 20", row.id).map(({ body }) => JSON.parse(body) as Entry))
  }

  #load(id: string): Conversation | null {
    const row = this.#row(id)
    if (!row) return null
    const entries = this.#all<EntryRow>('SELECT body FROM sluice_entries WHERE conversation = ? ORDER BY number', id).map(({ body }) => JSON.parse(body) as Entry)
    if (!this.#takesSealed) refuseSealed(entries, 'database')
    return { id, title: row.title || titleOf(entries), head: row.head, entries }
  }

  #delete(id: string): boolean {
    const known = this.#row(id) !== undefined
    for (const [table, column] of [['sluice_conversations', 'id'], ['sluice_entries', 'conversation'], ['sluice_blobs', 'conversation']] as const) {
      this.#run(`DELETE FROM ${table} WHERE ${column} = ?`, id)
    }
    return known
  }

  #deleteEntry(id: string, entry: string): boolean {
    const loaded = this.#load(id)
    if (!loaded) return false
    const tree: Tree = { entries: new Map(loaded.entries.map((one) => [one.id, one])), head: loaded.head }
    const gone = removeEntry(tree, entry)
    if (gone.length === 0) return false
    for (const one of gone) this.#run('DELETE FROM sluice_entries WHERE conversation = ? AND id = ?', id, one)
    this.#run('UPDATE sluice_conversations SET head = ?, updated = ? WHERE id = ?', tree.head, Date.now(), id)
    const refs = refsOf(tree.entries.values())
    for (const { ref } of this.#all<{ ref: string }>('SELECT ref FROM sluice_blobs WHERE conversation = ?', id)) {
      if (!refs.has(ref)) this.#run('DELETE FROM sluice_blobs WHERE conversation = ? AND ref = ?', id, ref)
    }
    return true
  }

  // -- the database ---------------------------------------------------------------------------------------------------------

  /** Runs `act` in a transaction. `act` has no `await`, so that no other method of this connection comes between. */
  async #transaction<T>(kind: 'read' | 'write', act: () => T): Promise<T> {
    for (const end = Date.now() + BUSY_MS; ; await delay(POLL_MS)) {
      try {
        if (!this.#ready) this.#prepare()
        this.#database.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN')
        try {
          const value = act()
          this.#database.exec('COMMIT')
          return value
        } catch (error) {
          this.#rollBack()
          throw error
        }
      } catch (error) {
        if (error instanceof SluiceError) throw error
        if (!isBusy(error) || Date.now() > end) throw storageError(error)
      }
    }
  }

  #prepare(): void {
    this.#database.exec(TABLES)
    const isThere = (): boolean => this.#get("SELECT 1 FROM sqlite_schema WHERE name = 'sluice_words'") !== undefined
    if (!isThere()) this.#makeIndex(isThere)
    this.#indexed = isThere()
    this.#ready = true
  }

  /** Where SQLite has no FTS5 or the database can only be read, there is none. */
  #makeIndex(isThere: () => boolean): void {
    let begun = false
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      begun = true
      if (!isThere()) this.#database.exec(INDEX)
      this.#database.exec('COMMIT')
    } catch (error) {
      if (begun) this.#rollBack()
      if (isBusy(error)) throw error
    }
  }

  /** Rolls back. SQLite already did so if the disk was full. */
  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK')
    } catch {
      // there is no transaction any more
    }
  }

  #run(sql: string, ...values: unknown[]): void {
    this.#prepared(sql).run(...values)
  }

  #get<T>(sql: string, ...values: unknown[]): T | undefined {
    return (this.#prepared(sql).get(...values) ?? undefined) as T | undefined
  }

  #all<T>(sql: string, ...values: unknown[]): T[] {
    return this.#prepared(sql).all(...values) as T[]
  }

  #prepared(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)))
    return statement
  }
}

/** Whether another connection holds the database, by the errors of node:sqlite and better-sqlite3. */
function isBusy(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return (typeof errcode === 'number' && (errcode & 0xff) === 5) || (typeof code === 'string' && code.startsWith('SQLITE_BUSY'))
}

const storageError = (cause: unknown): SluiceError =>
  new SluiceError({ code: 'storage', path: 'database', detail: `the database of the conversations: ${messageOf(cause)}`, cause })
