// The stores of conversations: the contract over each of them, and what only files and databases can meet.
import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  blobAddress,
  pictureBlob,
  fileConversations,
  memoryConversations,
  pathToEntry,
  sqliteConversations,
} from 'sluice/conversations'
import { answer, contract, ids, question, refused } from './conversation-contract.mjs'

const self = fileURLToPath(import.meta.url)
const { DatabaseSync } = await import('node:sqlite').catch(() => ({}))

/** As a process of its own beside others: saves a chain of entries, and says when each is saved. */
async function write(open, name, count) {
  const store = await open()
  for (let at = 0; at < count; at++) {
    await store.save('main', {
      entries: [question(`${name}${at}`, at ? `${name}${at - 1}` : null, 'word '.repeat(50))],
    })
    process.send?.(`${name}${at}`)
    if (!process.send) process.stdout.write(`${name}${at}\n`)
  }
  process.disconnect?.()
}

const opened = (kind, path) => {
  if (kind === 'files') return fileConversations(path)
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  return sqliteConversations(database)
}

if (process.argv[2] === 'writer')
  await write(() => opened(process.argv[3], process.argv[4]), process.argv[5], Number(process.argv[6]))
else suite()

function suite() {
  const folder = (t) => {
    const path = mkdtempSync(join(tmpdir(), 'sluice-conversations-'))
    t.after(() => rmSync(path, { recursive: true, force: true }))
    return path
  }
  const places = new WeakMap()
  const placed = (t, make) => {
    if (!places.has(t)) places.set(t, make())
    return places.get(t)
  }

  const log = (path, id = 'main') => join(path, id, 'conversation.jsonl')

  contract('memory', { open: () => memoryConversations() })
  contract('files', {
    open: (t) => fileConversations(placed(t, () => folder(t))),
    again: (t) => fileConversations(placed(t)),
  })
  contract('sqlite', {
    skip: DatabaseSync ? false : `Node ${process.versions.node} has no node:sqlite`,
    open: (t) => {
      const database = new DatabaseSync(placed(t, () => join(folder(t), 'app.db')))
      t.after(() => database.close())
      return sqliteConversations(database)
    },
    again: (t) => {
      const database = new DatabaseSync(placed(t))
      t.after(() => database.close())
      return sqliteConversations(database)
    },
  })

  // -- both that are kept ---------------------------------------------------------------------------------------------

  for (const kind of ['files', 'sqlite']) {
    const skip = kind === 'sqlite' && !DatabaseSync ? `Node ${process.versions.node} has no node:sqlite` : false
    const place = (t) => (kind === 'files' ? folder(t) : join(folder(t), 'app.db'))

    test(`${kind}: three processes that write at the same time lose nothing`, { skip }, async (t) => {
      const path = place(t)
      await opened(kind, path).list() // one process makes the database
      const children = ['a', 'b', 'c'].map((name) => fork(self, ['writer', kind, path, name, '30']))
      for (const [code] of await Promise.all(children.map((child) => once(child, 'exit')))) assert.equal(code, 0)
      const { entries } = await opened(kind, path).load('main')
      assert.equal(entries.length, 90)
      for (const name of ['a', 'b', 'c']) assert.equal(pathToEntry({ entries, head: `${name}29` }).length, 30)
    })

    test(`${kind}: what was saved is there when the process is killed in mid-save`, { skip }, async (t) => {
      const path = place(t)
      for (let round = 0; round < 4; round++) {
        const child = fork(self, ['writer', kind, path, `r${round}-`, '100000'])
        const said = []
        child.on('message', (id) => said.push(id))
        while (said.length < 3 + round * 7) await once(child, 'message')
        child.kill('SIGKILL')
        await once(child, 'exit')
        const known = new Set((await opened(kind, path).load('main')).entries.map(({ id }) => id))
        assert.deepEqual(
          said.filter((id) => !known.has(id)),
          [],
        )
      }
    })
  }

  test('sqlite: the index finds what reading all texts finds, whatever was changed or deleted, and whoever did', {
    skip: !DatabaseSync && `Node ${process.versions.node} has no node:sqlite`,
  }, async (t) => {
    const path = join(folder(t), 'app.db')
    const own = new DatabaseSync(path)
    t.after(() => own.close())
    const withoutFts = {
      exec: (sql) => {
        if (sql.includes('fts5')) throw new Error('no such module: fts5')
        return own.exec(sql)
      },
      prepare: (sql) => own.prepare(sql),
    }
    const reads = sqliteConversations(withoutFts)
    const said = async (store, query) => [
      (await store.search(query)).map(({ conversation, entry }) => `${conversation}/${entry}`),
      (await store.list({ query })).map(({ id }) => id),
    ]
    const isIndexed = () => own.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sluice_words'").get() !== undefined
    await reads.save('main', { entries: [question('q0', null, 'Before the index, 在索引之前')] })
    assert.deepEqual(await said(reads, 'the index'), [['main/q0'], ['main']])
    assert.equal(isIndexed(), false)
    const finds = sqliteConversations(own)
    const queries = [
      'the index',
      '索引之前',
      '索引',
      '"quoted"',
      "it's",
      'NEAR(a b)',
      'a* OR b',
      '100%',
      'ß',
      'straße',
      '😀😀😀',
      '\0',
      '\ud83d',
      '',
      'x',
    ]
    const agree = async (what) => {
      for (const query of queries)
        assert.deepEqual(await said(finds, query), await said(reads, query), `${what}: ${query}`)
    }
    await agree('made')
    assert.ok(isIndexed())
    await finds.save('main', { entries: queries.map((text, at) => question(`q${at + 1}`, 'q0', `with ${text} in it`)) })
    await reads.save('other', { entries: queries.map((text, at) => question(`q${at}`, null, `${text}, too`)) })
    await agree('saved')
    assert.equal((await finds.search('in it, too')).length, 0)
    assert.equal((await finds.search('straße')).length, 2)
    for (const store of [finds, reads])
      await store.save('main', { entries: [question('q1', 'q0', 'now other words'), question('q2', 'q0', '')] })
    await agree('changed')
    assert.deepEqual(await said(finds, 'the index'), [
      ['other/q0', 'main/q0'],
      ['main', 'other'],
    ])
    await reads.delete('main', 'q0')
    await agree('deleted')
    await finds.delete('other')
    await agree('deleted whole')
    own.exec("INSERT INTO sluice_words (sluice_words, rank) VALUES ('integrity-check', 1)")
  })

  test('sqlite: what is no database is refused, one that cannot be written tells why', {
    skip: !DatabaseSync && `Node ${process.versions.node} has no node:sqlite`,
  }, async (t) => {
    assert.throws(() => sqliteConversations('app.db'), refused('option', 'database'))
    const path = join(folder(t), 'app.db')
    const own = new DatabaseSync(path)
    await sqliteConversations(own).save('main', { entries: [question('q', null, 'Hello')] })
    const reading = new DatabaseSync(path, { readOnly: true })
    t.after(() => [own, reading].forEach((one) => one.close()))
    await assert.rejects(
      sqliteConversations(reading).save('main', { entries: [question('r', null, 'x')] }),
      refused('storage', 'database'),
    )
    own.exec('BEGIN') // the app's own transaction
    await assert.rejects(
      sqliteConversations(own).save('main', { entries: [question('r', null, 'x')] }),
      refused('storage', 'database'),
    )
    own.exec('ROLLBACK')
    assert.equal(ids((await sqliteConversations(own).load('main')).entries), 'q')
  })

  test('sqlite: a database that another connection holds is waited for', {
    skip: !DatabaseSync && `Node ${process.versions.node} has no node:sqlite`,
  }, async (t) => {
    const path = join(folder(t), 'app.db')
    const [own, other] = [new DatabaseSync(path, { timeout: 0 }), new DatabaseSync(path, { timeout: 0 })]
    t.after(() => [own, other].forEach((one) => one.close()))
    other.exec('BEGIN EXCLUSIVE')
    const saving = sqliteConversations(own).save('main', { entries: [question('q', null, 'Hello')] })
    await new Promise((resolve) => setTimeout(resolve, 100))
    other.exec('COMMIT')
    await saving
    assert.equal((await sqliteConversations(other).load('main')).title, 'Hello')
  })

  // -- files ----------------------------------------------------------------------------------------------------------

  test('files: a last line that was torn at any byte is dropped, and the next save goes on', async (t) => {
    const path = folder(t)
    const store = fileConversations(path)
    await store.save('main', { entries: [question('q1', null, 'Hello 你好')] })
    const whole = statSync(log(path)).size
    await store.save('main', { entries: [answer('a1', 'q1', 'Hi 😀')] })
    const bytes = readFileSync(log(path))
    for (let size = whole; size < bytes.length; size++) {
      writeFileSync(log(path), bytes)
      truncateSync(log(path), size)
      const other = fileConversations(path)
      assert.equal(ids((await other.load('main')).entries), 'q1', `${size}`)
      await other.save('main', { entries: [answer('a2', 'q1', 'Again')] })
      assert.equal(ids((await fileConversations(path).load('main')).entries), 'q1 a2', `${size}`)
    }
    // as some file systems do when the power fails
    writeFileSync(log(path), Buffer.concat([bytes.subarray(0, whole), Buffer.alloc(50), Buffer.from('\n')]))
    assert.equal(ids((await fileConversations(path).load('main')).entries), 'q1')
  })

  test('files: a damaged one is told with its line, left as it is, and hides no other', async (t) => {
    const path = folder(t)
    const store = fileConversations(path)
    for (const id of ['bad', 'good'])
      await store.save(id, { entries: [question('q1', null, `Hello from ${id}`), answer('a1', 'q1', 'Hi')] })
    await store.save('bad', { entries: [question('q2', 'a1', 'More')] })
    const lines = readFileSync(log(path, 'bad'), 'utf8').split('\n')
    const broken = (at, line) => lines.map((one, index) => (index === at ? line : one)).join('\n')
    const cases = [
      [broken(1, lines[1].slice(0, 40)), ':2'],
      [broken(2, 'x'), ':3'],
      [broken(0, '{}'), ':1'],
      [broken(2, '[]'), ':3'],
      [broken(2, '{"entries":[]}'), ':3.at'],
      [broken(2, '{"at":1,"entries":[{"id":"z","parent":"nowhere","at":1,"role":"user"}]}'), ':3.entries[0].parent'],
      [broken(2, '{"at":1,"entries":[{"id":"z","parent":null,"at":1,"role":"robot"}]}'), ':3.entries[0].role'],
      [broken(2, '{"at":1,"head":"nobody"}'), ':3.head'],
      ['', ''],
    ]
    for (const [content, place] of cases) {
      writeFileSync(log(path, 'bad'), content)
      for (const act of [
        () => store.load('bad'),
        () => store.save('bad', { head: 'a1' }),
        () => store.rename('bad', 'x'),
        () => store.delete('bad', 'q1'),
      ]) {
        await assert.rejects(act(), refused('storage', log(path, 'bad') + place), place)
      }
      assert.equal(readFileSync(log(path, 'bad'), 'utf8'), content)
      const list = await store.list()
      assert.deepEqual(
        list.map(({ id, title }) => [id, title]),
        [
          ['good', 'Hello from good'],
          ['bad', 'bad'],
        ],
      )
      assert.ok(list[1].damaged.startsWith(log(path, 'bad') + place), list[1].damaged)
      assert.deepEqual(
        (await store.search('hello')).map(({ conversation }) => conversation),
        ['good'],
      )
    }
    mkdirSync(join(path, 'copied'))
    writeFileSync(log(path, 'copied'), readFileSync(log(path, 'good')))
    await assert.rejects(store.load('copied'), refused('storage', log(path, 'copied')))
    writeFileSync(log(path, 'bad'), lines.join('\n'))
    assert.equal(ids((await store.load('bad')).entries), 'q1 a1 q2')
    assert.equal(await store.delete('bad'), true)
  })

  test('files: nothing lies outside of the folder, and nothing but what is named is in it', async (t) => {
    const path = join(folder(t), 'deep/er')
    const store = fileConversations(path)
    for (const id of ['../../evil', '..', 'CON', 'main']) {
      const blob = pictureBlob(Buffer.from(id), 'image/../../png')
      await store.save(id, {
        entries: [question('q', null, 'x', { parts: [{ type: 'image', url: blobAddress(blob) }] })],
        blobs: [blob],
      })
    }
    const found = readdirSync(join(path, '../..'), { recursive: true }).filter((name) =>
      /\.(jsonl|bin|lock|new)$/.test(name),
    )
    assert.equal(found.length, 8)
    for (const name of found)
      assert.match(name, /^deep\/er\/(main|~[0-9a-f]{40})\/(conversation\.jsonl|[0-9a-f]{64}\.bin)$/)
    if (process.platform !== 'win32') assert.equal(statSync(log(path)).mode & 0o077, 0)
  })

  test('files: what was deleted or replaced does not stay on the disk', async (t) => {
    const path = folder(t)
    const store = fileConversations(path)
    await store.save('main', {
      entries: [question('q1', null, 'Hello'), answer('a1', 'q1', 'a secret'), question('q2', null, 'Other')],
    })
    await store.rename('main', 'Kept')
    assert.equal(await store.delete('main', 'a1'), true)
    assert.ok(!readFileSync(log(path), 'utf8').includes('secret'))
    assert.deepEqual(await fileConversations(path).load('main'), await store.load('main'))
    assert.equal((await fileConversations(path).load('main')).title, 'Kept')
    for (let at = 0; at < 500; at++)
      await store.save('main', { entries: [answer('a2', 'q1', `${at} ${'word '.repeat(20)}`)] })
    assert.ok(statSync(log(path)).size < 30_000, `${statSync(log(path)).size} bytes`)
    assert.deepEqual(readdirSync(path), ['main'])
  })

  test('files: saving and deleting at the same time ends with the one or the other, and what killed processes left goes', async (t) => {
    const path = folder(t)
    const [one, other] = [fileConversations(path), fileConversations(path)]
    await one.save('main', { entries: [question('q', null, 'x')] })
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        at % 2 ? other.delete('main') : one.save('main', { entries: [question('q', null, 'x')] }),
      ),
    )
    await one.save('main', { entries: [question('q', null, 'x')] })
    writeFileSync(join(path, 'main', 'conversation.jsonl.0.new'), 'half of i')
    await one.save('main', { entries: [answer('a', 'q', 'y')] })
    await one.delete('main', 'a')
    assert.deepEqual([readdirSync(path), readdirSync(join(path, 'main'))], [['main'], ['conversation.jsonl']])
  })

  test('files: a place that cannot be used is told, and a lock that nobody holds is no hindrance', async (t) => {
    const path = folder(t)
    assert.throws(() => fileConversations(''), refused('option', 'folder'))
    assert.throws(() => fileConversations(undefined), refused('option', 'folder'))
    writeFileSync(join(path, 'file'), 'x')
    const within = fileConversations(join(path, 'file'))
    await assert.rejects(
      within.save('main', { entries: [question('q', null, 'x')] }),
      (error) => refused('storage')(error) && /expected a folder/.test(error.detail),
    )
    await assert.rejects(within.list(), refused('storage'))
    mkdirSync(log(path), { recursive: true })
    await assert.rejects(
      fileConversations(path).load('main'),
      (error) => refused('storage', log(path))(error) && /it is a folder/.test(error.detail),
    )
    rmSync(log(path), { recursive: true })
    const lock = join(path, 'main.lock')
    writeFileSync(lock, 'of a process that died')
    utimesSync(lock, 1, 1)
    await fileConversations(path).save('main', { entries: [question('q', null, 'x')] })
    assert.ok(!existsSync(lock))
    appendFileSync(log(path), '{"at":1,"enti')
    await fileConversations(path).rename('main', 'whole again')
    assert.equal((await fileConversations(path).load('main')).title, 'whole again')
  })

  test('files: where the disk is full nothing of what was saved is lost', {
    skip: process.platform === 'win32' && 'Windows has no ulimit',
  }, async (t) => {
    const path = folder(t)
    const child = spawn('bash', [
      '-c',
      `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`,
      process.execPath,
      self,
      'writer',
      'files',
      path,
      'n',
      '1000',
    ])
    let [said, told] = ['', '']
    child.stdout.on('data', (data) => (said += data))
    child.stderr.on('data', (data) => (told += data))
    const [code] = await once(child, 'exit')
    assert.equal(code, 1)
    assert.match(told, /the file of a conversation: /)
    const saved = said.trim().split('\n')
    assert.ok(saved.length > 5 && saved.length < 1000, `${saved.length}`)
    assert.equal(ids((await fileConversations(path).load('main')).entries), saved.join(' '))
    await fileConversations(path).save('main', { entries: [answer('after', saved.at(-1), 'There is room again.')] })
    assert.equal((await fileConversations(path).load('main')).entries.length, saved.length + 1)
  })
}
