// The stores of durable turns that need nothing installed: the contract over each of them, and what may go wrong.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileTurns, sqliteTurns } from 'sluice/durable'
import { columnOf, faults, onFullDisk } from './turn-faults-contract.mjs'
import { contract, rowOf } from './turn-store-contract.mjs'

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
  files: (t) => fileTurns(placed(t)),
  sqlite: (t) => {
    const database = new DatabaseSync(join(placed(t), 'app.db'))
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    t.after(() => database.close())
    return sqliteTurns(database)
  },
}

const spoil = {
  files: async (t, id, member, value) => {
    const path = join(placed(t), id, 'turn.json')
    writeFileSync(
      path,
      JSON.stringify({
        ...JSON.parse(readFileSync(path, 'utf8')),
        [member]: member === 'phase' ? value : Number(value),
      }),
    )
  },
  sqlite: async (t, id, member, value) => {
    const database = new DatabaseSync(join(placed(t), 'app.db'))
    database.prepare(`UPDATE sluice_turns SET ${columnOf(member)} = ? WHERE id = ?`).run(value, id)
    database.close()
  },
}

const skip = DatabaseSync ? false : `Node ${process.versions.node} has no node:sqlite`
contract('files', { open: open.files, again: open.files })
faults('files', { open: open.files, spoil: spoil.files })
contract('sqlite', { skip, open: open.sqlite, again: open.sqlite })
faults('sqlite', { skip, open: open.sqlite, spoil: spoil.sqlite })

test('a SQLite whose file may not grow says so, and what was saved goes on', { skip }, async (t) => {
  const database = new DatabaseSync(join(placed(t), 'app.db'))
  t.after(() => database.close())
  const fill = async () =>
    void database.exec(`PRAGMA max_page_count = ${database.prepare('PRAGMA page_count').get().page_count}`)
  await onFullDisk(t, sqliteTurns(database), {
    fill,
    free: async () => void database.exec('PRAGMA max_page_count = 1000000'),
    fault: { code: 'storage', message: /the database of the turns: .*full/s },
  })
})

test('files: a turn that ends between two looks of a reader is there', async (t) => {
  const path = placed(t)
  const [reader, other] = [fileTurns(path), fileTurns(path)]
  await reader.create('a', rowOf())
  const { readFile } = promises
  const restore = () => {
    promises.readFile = readFile
    syncBuiltinESMExports()
  }
  t.after(restore)
  promises.readFile = async (file, ...more) => {
    try {
      return await readFile(file, ...more)
    } catch (error) {
      restore() // it is not over yet, and now it is
      await other.save('a', 1, { updated: 2, phase: 'done', wakeAt: null, result: 'r' })
      throw error
    }
  }
  syncBuiltinESMExports()
  assert.equal((await reader.load('a'))?.result, 'r')
})
