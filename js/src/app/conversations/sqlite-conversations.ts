// Stores conversations in three tables of the app's own database. Every method is one transaction; if another
// connection holds the database, it is tried again for a while. An index of trigrams finds what a search looks for: 0.3
// ms among 10,000 entries of 1.6 kB. Queries under three characters, and builds of SQLite without FTS5, read all texts:
// 80 ms. The index is half as large as the rest, and a save takes 1 ms more.
import { withMethods } from '../../engine/core/options.js'
import { refsOf } from './blobs.js'
import { checkChange, checkEntryId, checkId, checkTitle } from './check-change.js'
import { EntryTree } from './entry-tree.js'
import {
  checkList,
  checkSearch,
  exportFrom,
  infoOf,
  LIST_LIMIT,
  SEARCH_LIMIT,
  type ListOptions,
  type SearchOptions,
} from './query.js'
import {
  ENCRYPTED_BODY,
  ENCRYPTED_TITLE,
  encryptedError,
  refuseEncrypted,
  refuseEncryptedPicture,
  stored,
  type ConversationStoreOptions,
} from './encrypted-conversations.js'
import { isBusy, SqliteAccess, type SqliteDatabase } from './sqlite-access.js'
import type {
  ConversationChange,
  Conversation,
  ConversationInfo,
  Conversations,
  ConversationEntry,
  FoundInStore,
  OwnMembers,
} from './conversation-types.js'
import { hasTags, readOwn, withOwn } from './own-members.js'
import { excerpt, folded, textOf, titleOf } from './words.js'

/**
 * Keeps conversations in tables of their own in a database: `sluice_conversations`, `sluice_entries` and
 * `sluice_blobs`, created if missing; where its SQLite has FTS5 an index of their words, too, and then every process
 * that uses it needs FTS5. The app opens and closes the database and chooses its settings (`PRAGMA journal_mode = WAL`
 * is a good one). Several processes may use it at the same time. Throws SluiceError `option` if this is not a database.
 */
export function sqliteConversations(database: SqliteDatabase, options: ConversationStoreOptions = {}): Conversations {
  withMethods('an opened database, of node:sqlite or better-sqlite3', 'exec', 'prepare')(database, 'database')
  return stored((takesEncrypted) => new SqliteConversations(database, takesEncrypted), options)
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS sluice_conversations (id TEXT PRIMARY KEY, title TEXT NOT NULL, head TEXT, updated INTEGER NOT NULL, own TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sluice_entries (
    number INTEGER PRIMARY KEY, conversation TEXT NOT NULL, id TEXT NOT NULL, parent TEXT, at INTEGER NOT NULL, role TEXT NOT NULL,
    words TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (conversation, id));
  CREATE INDEX IF NOT EXISTS sluice_entries_at ON sluice_entries (at);
  CREATE TABLE IF NOT EXISTS sluice_blobs (conversation TEXT NOT NULL, ref TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (conversation, ref));`

/**
 * The index holds no copy of the texts. Triggers keep it, so that it is right whoever changes the entries; encrypted
 * ones have no words. A text is in lower case already, and what the index finds is compared again.
 */
const INDEX = `
  CREATE VIRTUAL TABLE sluice_words USING fts5(words, content = 'sluice_entries', content_rowid = 'number', tokenize = 'trigram case_sensitive 1');
  CREATE TRIGGER sluice_words_new AFTER INSERT ON sluice_entries WHEN new.words <> '' BEGIN
    INSERT INTO sluice_words (rowid, words) VALUES (new.number, new.words); END;
  CREATE TRIGGER sluice_words_gone AFTER DELETE ON sluice_entries WHEN old.words <> '' BEGIN
    INSERT INTO sluice_words (sluice_words, rowid, words) VALUES ('delete', old.number, old.words); END;
  CREATE TRIGGER sluice_words_changed AFTER UPDATE OF words ON sluice_entries WHEN old.words <> new.words BEGIN
    INSERT INTO sluice_words (sluice_words, rowid, words) SELECT 'delete', old.number, old.words WHERE old.words <> '';
    INSERT INTO sluice_words (rowid, words) SELECT new.number, new.words WHERE new.words <> ''; END;
  INSERT INTO sluice_words (sluice_words) VALUES ('rebuild');`
const TRIGRAM = 3

interface ConversationRow {
  id: string
  title: string
  head: string | null
  updated: number
  /** The app's own members, as JSON. */
  own: string
}
interface EntryRow {
  conversation: string
  id: string
  parent: string | null
  at: number
  body: string
}

const ownOf = (row: ConversationRow | undefined): OwnMembers => (row ? (readOwn(JSON.parse(row.own)) ?? {}) : {})

class SqliteConversations implements Conversations {
  readonly #database: SqliteAccess
  readonly #takesEncrypted: boolean
  #indexed = false

  constructor(database: SqliteDatabase, takesEncrypted: boolean) {
    this.#database = new SqliteAccess(database, 'the conversations', () => this.#prepare())
    this.#takesEncrypted = takesEncrypted
  }

  async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    checkList(options)
    const { query = '', tags, skip = 0, limit = LIST_LIMIT } = options
    return await this.#database.transaction('read', () => {
      const infos: ConversationInfo[] = []
      let left = skip
      const [where, ...values] = this.#says(folded(query))
      const saying = new Set(
        query === ''
          ? []
          : this.#database
              .all<EntryRow>(`SELECT DISTINCT conversation FROM sluice_entries WHERE ${where}`, ...values)
              .map((row) => row.conversation),
      )
      for (const row of this.#database.all<ConversationRow>(
        'SELECT * FROM sluice_conversations ORDER BY updated DESC, id',
      )) {
        if (infos.length >= limit) break
        const damaged = this.#isEncrypted(row.id) ? encryptedError('database').message : undefined
        const title = damaged === undefined ? this.#title(row) : row.id
        const own = ownOf(row)
        if (!hasTags(own.tags, tags)) continue
        const fits = query === '' || folded(title).includes(folded(query)) || saying.has(row.id)
        if (!fits || left-- > 0) continue
        const { entries } = this.#database.get<{ entries: number }>(
          'SELECT count(*) AS entries FROM sluice_entries WHERE conversation = ?',
          row.id,
        ) ?? { entries: 0 }
        const end = this.#database.get<EntryRow>(
          'SELECT body FROM sluice_entries WHERE conversation = ? AND id = ?',
          row.id,
          row.head,
        )
        const about = { id: row.id, title, updated: Number(row.updated), head: row.head, own }
        infos.push({
          ...infoOf(about, Number(entries), end && (JSON.parse(end.body) as ConversationEntry)),
          ...(damaged === undefined ? {} : { damaged }),
        })
      }
      return infos
    })
  }

  async load(id: string): Promise<Conversation | null> {
    checkId(id)
    return await this.#database.transaction('read', () => this.#load(id))
  }

  async save(id: string, change: ConversationChange): Promise<void> {
    checkId(id)
    await this.#database.transaction('write', () => {
      if (this.#isEncrypted(id)) throw encryptedError('database')
      const { entries, bodies, head, own, isOwnAlone } = checkChange(
        change,
        (one) =>
          this.#database.get<EntryRow>('SELECT parent FROM sluice_entries WHERE conversation = ? AND id = ?', id, one)
            ?.parent,
        this.#takesEncrypted,
      )
      const row = this.#row(id)
      const members = ownOf(row)
      this.#database.run(
        `INSERT INTO sluice_conversations (id, title, head, updated, own) VALUES (?, '', ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET head = coalesce(excluded.head, head), updated = excluded.updated, own = excluded.own`,
        id,
        head ?? null,
        isOwnAlone && row ? row.updated : Date.now(),
        JSON.stringify(own ? withOwn(members, own) : members),
      )
      for (const { ref, bytes } of change.blobs ?? [])
        this.#database.run(
          'INSERT OR IGNORE INTO sluice_blobs (conversation, ref, bytes) VALUES (?, ?, ?)',
          id,
          ref,
          bytes,
        )
      for (const [index, entry] of entries.entries()) {
        this.#database.run(
          `INSERT INTO sluice_entries (conversation, id, parent, at, role, words, body) VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (conversation, id) DO UPDATE SET at = excluded.at, role = excluded.role, words = excluded.words, body = excluded.body`,
          id,
          entry.id,
          entry.parent,
          entry.at,
          entry.role,
          folded(textOf(entry)),
          bodies[index],
        )
      }
    })
  }

  async rename(id: string, title: string): Promise<boolean> {
    checkId(id)
    if (!this.#takesEncrypted) checkTitle(title)
    return await this.#database.transaction('write', () => {
      if (!this.#row(id)) return false
      if (this.#isEncrypted(id)) throw encryptedError('database')
      this.#database.run('UPDATE sluice_conversations SET title = ? WHERE id = ?', title, id)
      return true
    })
  }

  async delete(id: string, entry?: string): Promise<boolean> {
    checkId(id)
    checkEntryId(entry, 'entry')
    return await this.#database.transaction('write', () =>
      entry === undefined ? this.#delete(id) : this.#deleteEntry(id, entry),
    )
  }

  async search(query: string, options: SearchOptions = {}): Promise<FoundInStore[]> {
    checkSearch(query, options)
    return await this.#database.transaction('read', () => {
      const [where, ...values] = this.#says(folded(query))
      const rows = this.#database.all<EntryRow>(
        `SELECT conversation, id, at, body FROM sluice_entries WHERE ${where} ORDER BY at DESC, id LIMIT ?`,
        ...values,
        options.limit ?? SEARCH_LIMIT,
      )
      return rows.map(({ conversation, id, at, body }) => ({
        conversation,
        title: this.#title(this.#row(conversation)),
        entry: id,
        at: Number(at),
        text: excerpt(textOf(JSON.parse(body) as ConversationEntry), query),
      }))
    })
  }

  async export(id: string, as: 'json' | 'markdown'): Promise<string | null> {
    return await exportFrom(this, id, as)
  }

  async bytes(id: string, ref: string): Promise<Uint8Array | null> {
    const bytes = await this.#database.transaction(
      'read',
      () =>
        this.#database.get<{ bytes: Uint8Array }>(
          'SELECT bytes FROM sluice_blobs WHERE conversation = ? AND ref = ?',
          id,
          ref,
        )?.bytes ?? null,
    )
    if (!this.#takesEncrypted) refuseEncryptedPicture(bytes, ref, 'database')
    return bytes
  }

  // -- within a transaction -------------------------------------------------------------------------------------------

  #row(id: string): ConversationRow | undefined {
    return this.#database.get<ConversationRow>('SELECT * FROM sluice_conversations WHERE id = ?', id)
  }

  /** The condition for entries whose text has these words, and its values. */
  #says(words: string): [string, ...string[]] {
    if (!this.#indexed || [...words].length < TRIGRAM) return ['instr(words, ?) > 0', words]
    return [
      'number IN (SELECT rowid FROM sluice_words WHERE sluice_words MATCH ?) AND instr(words, ?) > 0',
      `"${words.replaceAll('"', '""')}"`,
      words,
    ]
  }

  /** Whether its title or the entry at its end is encrypted, and this store has no encryption. */
  #isEncrypted(id: string): boolean {
    return (
      !this.#takesEncrypted &&
      this.#database.get(
        `SELECT 1 FROM sluice_conversations c LEFT JOIN sluice_entries e ON e.conversation = c.id AND e.id = c.head
      WHERE c.id = ? AND (substr(c.title, 1, ${ENCRYPTED_TITLE.length}) = ? OR substr(e.body, 1, ${ENCRYPTED_BODY.length}) = ?)`,
        id,
        ENCRYPTED_TITLE,
        ENCRYPTED_BODY,
      ) !== undefined
    )
  }

  #title(row: ConversationRow | undefined): string {
    if (row?.title !== '') return row?.title ?? ''
    return titleOf(
      this.#database
        .all<EntryRow>(
          "SELECT body FROM sluice_entries WHERE conversation = ? AND role = 'user' ORDER BY number LIMIT 20",
          row.id,
        )
        .map(({ body }) => JSON.parse(body) as ConversationEntry),
    )
  }

  #load(id: string): Conversation | null {
    const row = this.#row(id)
    if (!row) return null
    const entries = this.#database
      .all<EntryRow>('SELECT body FROM sluice_entries WHERE conversation = ? ORDER BY number', id)
      .map(({ body }) => JSON.parse(body) as ConversationEntry)
    const own = ownOf(row)
    if (!this.#takesEncrypted) refuseEncrypted(row.title, own, entries, 'database')
    return { id, title: row.title || titleOf(entries), head: row.head, entries, ...own }
  }

  #delete(id: string): boolean {
    const known = this.#row(id) !== undefined
    for (const [table, column] of [
      ['sluice_conversations', 'id'],
      ['sluice_entries', 'conversation'],
      ['sluice_blobs', 'conversation'],
    ] as const) {
      this.#database.run(`DELETE FROM ${table} WHERE ${column} = ?`, id)
    }
    return known
  }

  #deleteEntry(id: string, entry: string): boolean {
    const loaded = this.#load(id)
    if (!loaded) return false
    const tree = new EntryTree(loaded.entries, loaded.head)
    const gone = tree.delete(entry)
    if (gone.length === 0) return false
    for (const one of gone) this.#database.run('DELETE FROM sluice_entries WHERE conversation = ? AND id = ?', id, one)
    this.#database.run('UPDATE sluice_conversations SET head = ?, updated = ? WHERE id = ?', tree.head, Date.now(), id)
    const refs = refsOf(tree.entries)
    for (const { ref } of this.#database.all<{ ref: string }>(
      'SELECT ref FROM sluice_blobs WHERE conversation = ?',
      id,
    )) {
      if (!refs.has(ref)) this.#database.run('DELETE FROM sluice_blobs WHERE conversation = ? AND ref = ?', id, ref)
    }
    return true
  }

  // -- the database ---------------------------------------------------------------------------------------------------

  #prepare(): void {
    this.#database.exec(TABLES)
    const isThere = (): boolean =>
      this.#database.get("SELECT 1 FROM sqlite_schema WHERE name = 'sluice_words'") !== undefined
    if (!isThere()) this.#makeIndex(isThere)
    this.#indexed = isThere()
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
      if (begun) this.#database.rollBack()
      if (isBusy(error)) throw error
    }
  }
}
