// Opens a store of turns in any process, by a description that goes through JSON.
import { files, sqlite } from 'sluice/durable'

const none = async () => {}

/** `{ kind, path }` → the store, and what closes it. */
export async function openStore({ kind, path }) {
  if (kind === 'files') return { store: files(path), close: none }
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  return { store: sqlite(database), close: async () => database.close() }
}
