// The stores of durable turns that need nothing installed: the contract over each of them, and a disk that is full.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { files, sqlite } from 'sluice/durable'
import { contract } from './turn-store-contract.mjs'

const { DatabaseSync } = await import('node:sqlite').catch(() => ({}))
const places = new WeakMap()
const placed = (t) => {
  if (!places.has(t)) {
    places.set(t, mkdtempSync(join(tmpdir(), 'sluice-turns-')))
    t.after(() => rmSync(places.get(t), { recursive: true, force: true }))
  }
  return places.get(t)
}

const open = {
  files: (t) => files(placed(t)),
  sqlite: (t) => {
    const database = new DatabaseSync(join(placed(t), 'app.db'))
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    t.after(() => database.close())
    return sqlite(database)
  },
}

contract('files', { open: open.files, again: open.files })
contract('sqlite', { skip: DatabaseSync ? false : `Node ${process.versions.node} has no node:sqlite`, open: open.sqlite, again: open.sqlite })
