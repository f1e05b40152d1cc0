// Opens a store of turns in any process, by a description that goes through JSON.
import { createRequire } from 'node:module'
import { fileTurns, sqliteTurns } from 'sluice/durable'

const none = async () => {}

/** A database of better-sqlite3. */
export const betterSqlite3 = (path, options) =>
  new (createRequire(new URL('../durable/', import.meta.url))('better-sqlite3'))(path, options)

/** `{ kind, path, by }` → the store, and what closes it. */
export async function openStore({ kind, path, by }) {
  if (kind === 'files') return { store: fileTurns(path), close: none }
  const database =
    by === 'better-sqlite3' ? betterSqlite3(path, { timeout: 0 }) : new (await import('node:sqlite')).DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  return { store: sqliteTurns(database), close: async () => database.close() }
}
