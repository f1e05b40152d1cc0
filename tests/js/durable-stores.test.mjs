// The stores of durable turns that need nothing installed: the contract over each of them, and a disk that is full.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { files, sqlite } from 'sluice/durable'
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

test('files: a turn that ends between two looks of a reader is there', async (t) => {
  const path = placed(t)
  const [reader, other] = [files(path), files(path)]
  await reader.create('a', rowOf())
  const { readFile } = promises
  const restore = () => { promises.readFile = readFile; syncBuiltinESMExports() }
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
