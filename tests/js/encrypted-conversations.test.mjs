// The stores of conversations with an encryption: the contract over each of them, what the disk holds, and what is
// refused.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { blobAddress, pictureBlob, fileConversations, sqliteConversations } from 'sluice/conversations'
import { answer, contract, ids, question, refused } from './conversation-contract.mjs'

const { DatabaseSync } = await import('node:sqlite').catch(() => ({}))
const skipped = (kind) =>
  kind === 'sqlite' && !DatabaseSync ? `Node ${process.versions.node} has no node:sqlite` : false

const key = 'a key of the app that nobody can guess'

/** Functions in place of the key, each text after a while that differs; `at once` without a promise. */
function functions(how = 'later') {
  const turned = (text) => [...text].reverse().join('')
  const encrypt = (text) => Buffer.from(turned(text)).toString('hex')
  const decrypt = (text) => turned(Buffer.from(text, 'hex').toString())
  const later = (act) => async (text) => {
    if (text.length % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
    return act(text)
  }
  return how === 'at once' ? { encrypt, decrypt } : { encrypt: later(encrypt), decrypt: later(decrypt) }
}

/** The encrypted texts of a store by their places (`main/q1`, `main/picture`, and `main` for a title), and how to put one. */
function kept(kind, path) {
  const at = (name) => name.split('/')
  if (kind === 'sqlite') {
    const database = new DatabaseSync(path)
    const all = (sql) => database.prepare(sql).all()
    return {
      texts: () =>
        Object.fromEntries([
          ...all('SELECT conversation, id, body FROM sluice_entries').map(({ conversation, id, body }) => [
            `${conversation}/${id}`,
            JSON.parse(body).encrypted,
          ]),
          ...all('SELECT id, title FROM sluice_conversations').map(({ id, title }) => [id, title]),
          ...all('SELECT conversation, bytes FROM sluice_blobs').map(({ conversation, bytes }) => [
            `${conversation}/picture`,
            Buffer.from(bytes).toString(),
          ]),
        ]),
      put(name, text) {
        const [id, entry] = at(name)
        if (entry === undefined)
          return database.prepare('UPDATE sluice_conversations SET title = ? WHERE id = ?').run(text, id)
        if (entry === 'picture')
          return database.prepare('UPDATE sluice_blobs SET bytes = ? WHERE conversation = ?').run(Buffer.from(text), id)
        const { body } = database
          .prepare('SELECT body FROM sluice_entries WHERE conversation = ? AND id = ?')
          .get(id, entry)
        return database
          .prepare('UPDATE sluice_entries SET body = ? WHERE conversation = ? AND id = ?')
          .run(JSON.stringify({ ...JSON.parse(body), encrypted: text }), id, entry)
      },
    }
  }
  const file = (id) => join(path, id, 'conversation.jsonl')
  const picture = (id) => readdirSync(join(path, id)).find((name) => name.endsWith('.png'))
  const lines = (id) =>
    readFileSync(file(id), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  return {
    texts: () =>
      Object.fromEntries(
        readdirSync(path).flatMap((id) => [
          ...lines(id).flatMap(({ entries = [], title }) => [
            ...entries.map((entry) => [`${id}/${entry.id}`, entry.encrypted]),
            ...(title === undefined ? [] : [[id, title]]),
          ]),
          ...(picture(id) ? [[`${id}/picture`, readFileSync(join(path, id, picture(id)), 'utf8')]] : []),
        ]),
      ),
    put(name, text) {
      const [id, entry] = at(name)
      if (entry === 'picture') return writeFileSync(join(path, id, picture(id)), text)
      const changed = lines(id).map((line) => ({
        ...line,
        ...(line.title !== undefined && entry === undefined ? { title: text } : {}),
        ...(line.entries
          ? { entries: line.entries.map((one) => (one.id === entry ? { ...one, encrypted: text } : one)) }
          : {}),
      }))
      return writeFileSync(file(id), changed.map((line) => `${JSON.stringify(line)}\n`).join(''))
    },
  }
}

const opened = (kind, path, options) => {
  if (kind === 'files') return fileConversations(path, options)
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL')
  return sqliteConversations(database, options)
}

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

contract('files, encrypted by a key', {
  open: async (t) =>
    fileConversations(
      placed(t, () => folder(t)),
      { encryption: key },
    ),
  again: async (t) => fileConversations(placed(t), { encryption: key }),
})
contract('sqlite, encrypted by functions', {
  skip: skipped('sqlite'),
  open: (t) =>
    opened(
      'sqlite',
      placed(t, () => join(folder(t), 'app.db')),
      { encryption: functions('at once') },
    ),
  again: (t) => opened('sqlite', placed(t), { encryption: functions() }),
})

for (const kind of ['files', 'sqlite']) {
  const skip = skipped(kind)
  const place = (t) => (kind === 'files' ? folder(t) : join(folder(t), 'app.db'))
  const everything = (path) =>
    kind === 'files'
      ? readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((one) => one.isFile())
          .sort((a, b) => (a.name < b.name ? -1 : 1))
          .map((one) => readFileSync(join(one.parentPath ?? one.path, one.name), 'latin1'))
          .join('\n')
      : [path, `${path}-wal`]
          .filter(existsSync)
          .map((one) => readFileSync(one, 'latin1'))
          .join('\n')
  const picture = pictureBlob(Buffer.from('the picture of a secret'), 'image/png')
  const asked = () =>
    question('q1', null, 'a secret question', {
      parts: [{ type: 'image', url: blobAddress(picture) }],
      app: { mark: 'a secret member' },
    })

  test(`${kind}: the disk holds no plain word, title or picture of an encrypted conversation`, {
    skip,
  }, async (t) => {
    const path = place(t)
    const store = opened(kind, path, { encryption: key })
    await store.save('main', { entries: [asked(), answer('a1', 'q1', 'a secret answer')], blobs: [picture] })
    await store.rename('main', 'a secret title')
    assert.doesNotMatch(everything(path), /secret/)
    assert.ok(!everything(path).includes(Buffer.from('the picture of a secret').toString('base64').slice(4, -4)))
    const again = opened(kind, path, { encryption: ['another key, which is the new one', key] })
    assert.deepEqual(await again.load('main'), await store.load('main'))
    assert.equal((await again.list({ query: 'secret title' }))[0].title, 'a secret title')
    assert.equal(Buffer.from(await again.bytes('main', picture.ref)).toString(), 'the picture of a secret')
  })

  const wrongKeys = {
    'another key': { encryption: 'the key of somebody else, also long' },
    'no key': undefined,
    'functions that return nonsense': {
      encryption: { encrypt: (text) => text, decrypt: (text) => [...text].reverse().join('') },
    },
    'functions that throw': {
      encryption: {
        encrypt: async () => {
          throw new Error('locked')
        },
        decrypt: async () => {
          throw new Error('locked')
        },
      },
    },
    'functions that return no text': {
      encryption: { encrypt: (text) => Buffer.from(text), decrypt: (text) => Buffer.from(text) },
    },
  }
  for (const [name, options] of Object.entries(wrongKeys)) {
    test(`${kind}: with ${name} an encrypted conversation is an error, and nothing of it changes`, {
      skip,
    }, async (t) => {
      const path = place(t)
      const store = opened(kind, path, { encryption: key })
      await store.save('main', { entries: [asked(), answer('a1', 'q1', 'Yes')], blobs: [picture] })
      await store.rename('main', 'Rain')
      const before = kind === 'files' ? everything(path) : await store.export('main', 'json')
      const other = opened(kind, path, options)
      for (const act of [
        () => other.load('main'),
        () => other.save('main', { entries: [question('q2', 'a1', 'New')] }),
        () => other.save('main', { head: 'q1' }),
        () => other.rename('main', 'x'),
        () => other.delete('main', 'a1'),
        () => other.export('main', 'json'),
      ]) {
        await assert.rejects(
          act(),
          (error) =>
            refused('storage')(error) &&
            /(is encrypted|cannot be decrypted)/.test(error.detail) &&
            error.hint === 'give encryption the key it was written with: [new, old]',
        )
      }
      await assert.rejects(other.bytes('main', picture.ref), refused('storage'))
      const [info] = await other.list()
      assert.ok(/is encrypted|cannot be decrypted/.test(info.damaged), info.damaged)
      assert.deepEqual(await other.search('secret'), [])
      assert.equal(kind === 'files' ? everything(path) : await store.export('main', 'json'), before)
      if (name === 'another key') {
        await other.save('new', { entries: [question('q', null, 'a secret too')] })
        assert.deepEqual(
          (await other.search('secret')).map(({ conversation }) => conversation),
          ['new'],
        )
        assert.deepEqual(
          (await other.list()).map(({ id, damaged }) => [id, damaged === undefined]),
          [
            ['new', true],
            ['main', false],
          ],
        )
      }
    })
  }

  test(`${kind}: with a key a plain conversation is an error, and nothing of it changes`, { skip }, async (t) => {
    const path = place(t)
    const plain = opened(kind, path)
    await plain.save('main', { entries: [asked()], blobs: [picture] })
    await plain.save('titled', { entries: [question('q1', null, '')] })
    await plain.rename('titled', 'Rain')
    const store = opened(kind, path, { encryption: key })
    for (const act of [
      () => store.load('main'),
      () => store.save('main', { entries: [answer('a1', 'q1', 'Yes')] }),
      () => store.rename('main', 'x'),
      () => store.delete('main', 'q1'),
      () => store.bytes('main', picture.ref),
    ])
      await assert.rejects(act(), (error) => refused('storage')(error) && /is plain text/.test(error.detail))
    const listed = await store.list()
    assert.ok(listed.length === 2 && listed.every(({ damaged }) => /is plain text/.test(damaged)))
    assert.deepEqual(await store.search('secret'), [])
    assert.equal(ids((await plain.load('main')).entries), 'q1')
    assert.equal(await store.delete('main'), true)
  })

  test(`${kind}: a text that was changed, or moved to another entry or conversation, is an error`, {
    skip,
  }, async (t) => {
    const path = place(t)
    const store = opened(kind, path, { encryption: key })
    for (const id of ['main', 'twin']) {
      await store.save(id, { entries: [asked(), answer('a1', 'q1', `Yes, ${id}`)], blobs: [picture] })
      await store.rename(id, `Title of ${id}`)
    }
    const { texts, put } = kept(kind, path)
    const own = texts()
    const changed = (text) => text.replace(/.{9}$/, (end) => `${end[0] === 'A' ? 'B' : 'A'}${end.slice(1)}`)
    for (const [what, text] of [
      ['of another entry', own['main/a1']],
      ['of another conversation', own['twin/q1']],
      ['a title', own['main'].slice(1)],
      ['changed', changed(own['main/q1'])],
      ['cut short', own['main/q1'].slice(0, -4)],
      ['of another version', own['main/q1'].replace('sluice1.', 'sluice2.')],
    ]) {
      put('main/q1', text)
      await assert.rejects(opened(kind, path, { encryption: key }).load('main'), refused('storage', 'main'), what)
      await assert.rejects(
        opened(kind, path, { encryption: key }).save('main', { entries: [question('q1', null, 'New')] }),
        refused('storage', 'main'),
      )
      assert.equal(texts()['main/q1'], text, 'nothing was written over it')
    }
    put('main/q1', own['main/q1'])
    put('main', own['twin'])
    await assert.rejects(opened(kind, path, { encryption: key }).load('main'), refused('storage', 'main'))
    put('main', own['main'])
    assert.equal((await opened(kind, path, { encryption: key }).load('main')).title, 'Title of main')
    put('main/picture', own['twin/picture'])
    await assert.rejects(opened(kind, path, { encryption: key }).bytes('main', picture.ref), refused('storage', 'main'))
  })

  test(`${kind}: of [new, old] the new key encrypts; one key alone changes nothing that the other wrote`, {
    skip,
  }, async (t) => {
    const path = place(t)
    const old = new Uint8Array(32).fill(1)
    await opened(kind, path, { encryption: old }).save('main', { entries: [question('q1', null, 'First')] })
    await opened(kind, path, { encryption: [key, old] }).save('main', { entries: [answer('a1', 'q1', 'Yes')] })
    for (const encryption of [key, old]) {
      const { texts } = kept(kind, path)
      const before = texts()
      const store = opened(kind, path, { encryption })
      for (const entry of [question('q1', null, 'Over it'), answer('a1', 'q1', 'Over it')])
        await assert.rejects(store.save('main', { entries: [entry] }), refused('storage', 'main'))
      assert.deepEqual(texts(), before)
    }
    assert.equal(ids((await opened(kind, path, { encryption: [old, key] }).load('main')).entries), 'q1 a1')
  })
}

test('encryption: a key has at least 32 characters or bytes, and no error shows it', () => {
  for (const [encryption, path = 'encryption'] of [
    [null],
    ['a short key'],
    [new Uint8Array(31)],
    [{}],
    [[]],
    [[key, 'a short key'], 'encryption[1]'],
    [{ encrypt() {} }],
    [{ encrypt: (text) => text, decrypt: 'x' }],
  ])
    assert.throws(
      () => fileConversations('x', { encryption }),
      (error) => refused('option', path)(error) && !error.message.includes('a short key'),
    )
})

test('files: an encrypted line that was torn at any byte is dropped', async (t) => {
  const path = folder(t)
  const options = { encryption: key }
  await fileConversations(path, options).save('main', { entries: [question('q1', null, 'Hello')] })
  const whole = statSync(join(path, 'main/conversation.jsonl')).size
  await fileConversations(path, options).save('main', { entries: [answer('a1', 'q1', 'Hi')] })
  const bytes = readFileSync(join(path, 'main/conversation.jsonl'))
  for (let size = whole; size < bytes.length; size += 3) {
    writeFileSync(join(path, 'main/conversation.jsonl'), bytes.subarray(0, size))
    await fileConversations(path, options).save('main', { entries: [answer('a2', 'q1', 'Again')] })
    assert.equal(ids((await fileConversations(path, options).load('main')).entries), 'q1 a2', `${size}`)
  }
})
