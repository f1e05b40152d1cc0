// Durable turns that earlier releases kept, in the stores that need nothing installed: each is found and comes to its end. Those in Redis and Postgres: tests/durable.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileBlobs, files, sqlite } from 'sluice/durable'
import { check, readGolden, releases, seal, writeDatabase, writeFolder } from '../golden/durable.mjs'
import { folderOf } from './durable-support.mjs'

const { DatabaseSync } = await import('node:sqlite').catch(() => ({}))

test('a release kept durable turns', () => assert.ok(releases.includes('0.1.0')))

for (const release of releases) {
  for (const [name, more] of [['files', {}], ['sealed', { seal }]]) {
    test(`${release}, ${name}: every turn comes to its end`, async (t) => {
      const { kept, done } = readGolden(release, name)
      const path = folderOf(t)
      writeFolder(path, kept)
      await check(t, { store: files(path), ...(name === 'files' ? { blobs: fileBlobs(path) } : {}), ...more }, done)
    })
  }

  test(`${release}, sqlite: every turn comes to its end`, { skip: DatabaseSync ? false : `Node ${process.versions.node} has no node:sqlite` }, async (t) => {
    const { kept, done } = readGolden(release, 'sqlite')
    const database = new DatabaseSync(join(folderOf(t), 'turns.db'))
    t.after(() => database.close())
    writeDatabase(database, kept)
    await check(t, { store: sqlite(database) }, done)
  })
}
