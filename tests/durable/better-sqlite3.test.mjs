// The stores in a database of better-sqlite3: the contracts of turns and of conversations, what may go wrong, a
// database that is full, and one that is held.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { built } from '../js/dist.mjs'
import { contract as contractOfConversations, question, refused } from '../js/conversation-contract.mjs'
import { columnOf, faults, onFullDisk } from '../js/turn-faults-contract.mjs'
import { contract, rowOf } from '../js/turn-store-contract.mjs'
import { betterSqlite3, noBetterSqlite3 as skip } from './places.mjs'

const { sqliteConversations: conversations } = await built('sluice/conversations')
const { sqliteTurns } = await built('sluice/durable')

const folders = new WeakMap()
/** The same place for all databases of a test. */
function placed(t) {
  if (!folders.has(t)) {
    folders.set(t, mkdtempSync(join(tmpdir(), 'sluice-better-')))
    t.after(() => rmSync(folders.get(t), { recursive: true, force: true }))
  }
  return join(folders.get(t), 'app.db')
}

function opened(t, options) {
  const database = betterSqlite3(placed(t), options)
  t.after(() => database.close())
  return database
}

const turns = (t) => sqliteTurns(opened(t))
const spoil = async (t, id, member, value) =>
  void opened(t)
    .prepare(`UPDATE sluice_turns SET ${columnOf(member)} = ? WHERE id = ?`)
    .run(value, id)
contract('better-sqlite3', { skip, open: turns, again: turns })
faults('better-sqlite3', { skip, open: turns, spoil })
contractOfConversations('better-sqlite3, conversations', {
  skip,
  open: (t) => conversations(opened(t)),
  again: (t) => conversations(opened(t)),
})

test('better-sqlite3: a database that may not grow says so, and what was saved goes on', { skip }, async (t) => {
  const database = opened(t)
  const fill = async () => void database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`)
  await onFullDisk(t, sqliteTurns(database), {
    fill,
    free: async () => void database.pragma('max_page_count = 1000000'),
    fault: { code: 'storage', message: /the database of the turns: .*full/s },
  })
})

test('better-sqlite3: a database that another connection holds is waited for, one that may only be read says so', {
  skip,
}, async (t) => {
  const [own, other] = [opened(t, { timeout: 0 }), opened(t, { timeout: 0 })]
  const store = sqliteTurns(own)
  await store.create('a', rowOf())
  other.exec('BEGIN EXCLUSIVE')
  let isSaved = false
  const saving = store.save('a', 1, { updated: 2, state: 's' }).then((rev) => {
    isSaved = true
    return rev
  })
  const talking = conversations(own).save('main', { entries: [question('q', null, 'Hello')] })
  await delay(100)
  assert.equal(isSaved, false)
  other.exec('COMMIT')
  assert.equal(await saving, 2)
  await talking
  assert.equal((await sqliteTurns(other).load('a')).state, 's')
  const reading = opened(t, { readonly: true })
  await assert.rejects(sqliteTurns(reading).save('a', 2, { updated: 3 }), refused('storage', 'database'))
  await assert.rejects(conversations(reading).rename('main', 'x'), refused('storage', 'database'))
})
