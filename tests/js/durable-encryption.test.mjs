// Durable turns with an encryption: what the store and the log hold, and who can decrypt it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileBlobs, fileTurns, memoryLog } from 'sluice/durable'
import { answersOf, approve, cardsOf, folderOf, hello, lossy, serverOf, textOf, turnsOf } from './durable-support.mjs'
import { callsEcho, echo } from './support.mjs'

test('encryption: the store holds no plain text, and each text is decrypted by its key and at its place alone', async (t) => {
  const server = await serverOf(t, answersOf('a secret'))
  const folder = folderOf(t)
  const [key, next, other] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
  const open = (encryption) =>
    turnsOf(t, server, { store: fileTurns(folder), blobs: fileBlobs(folder), queue: lossy, encryption })
  const turns = open(key)
  const messages = [{ role: 'user', content: `the prompt ${'is long '.repeat(5000)}` }]
  const id = await turns.start({ messages, data: { note: 'of the app' } })
  const twin = await turns.start({ messages })
  await turns.advance(id)
  await turns.advance(twin)
  const [question] = (await turns.status(id)).questions
  assert.equal(await turns.decide(id, approve(question, { reason: 'the reason' })), 'accepted')
  assert.equal(await turns.decide(twin, approve((await turns.status(twin)).questions[0])), 'accepted')
  const read = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => readFileSync(join(one.parentPath ?? one.path, one.name), 'utf8'))
      .join('\n')
  const kept = read()
  for (const word of ['the prompt', 'is long', 'a secret', 'echo.back', 'of the app', 'the reason'])
    assert.ok(!kept.includes(word), word)
  const nonsense = { encrypt: (text) => text, decrypt: (text) => [...text].reverse().join('') }
  const locked = {
    encrypt: async () => Promise.reject(new Error('locked')),
    decrypt: async () => Promise.reject(new Error('locked')),
  }
  const hint = 'give encryption the key it was written with: [new, old]'
  for (const [encryption, said] of [
    [other, /written with another key/],
    [undefined, /is encrypted, and encryption is not given/],
    [nonsense, /written with another key/],
    [locked, /cannot be decrypted: locked/],
    [{ encrypt: () => 1, decrypt: () => undefined }, /found undefined from encryption.decrypt, expected a text/],
  ]) {
    const wrong = open(encryption)
    await assert.rejects(
      wrong.status(id),
      (error) => error.code === 'storage' && error.path === id && said.test(error.detail) && error.hint === hint,
    )
    await assert.rejects(wrong.cancel(id), { code: 'storage' }, 'no worker could decrypt what it pushes')
    await assert.rejects(wrong.advance(id), { code: 'storage' })
    await assert.rejects(
      (async () => {
        for await (const _ of wrong.questions());
      })(),
      { code: 'storage' },
    )
  }
  assert.equal(read(), kept, 'nothing was written')
  const store = fileTurns(folder)
  const [row, twinned] = [await store.load(id), await store.load(twin)]
  let { rev } = twinned
  for (const [state, said] of [
    [row.state, /at another place/], // of another turn
    [twinned.config, /at another place/], // of another row
    [`${twinned.state.slice(0, 60)}${twinned.state[60] === 'A' ? 'B' : 'A'}${twinned.state.slice(61)}`, /changed/],
    ['{"format":2}', /is plain text/],
  ]) {
    rev = await store.save(twin, rev, { updated: 1, state })
    await assert.rejects(
      open(key).status(twin),
      (error) => error.code === 'storage' && error.path === twin && said.test(error.detail) && error.hint === hint,
    )
    await assert.rejects(open(key).advance(twin), { code: 'storage' })
    assert.equal((await store.load(twin)).state, state, 'nothing was written over it')
    rev = (await store.load(twin)).rev
  }
  assert.equal(await open([next, key]).advance(id), 'done')
  await assert.rejects(open(key).status(id), { code: 'storage' }, 'its end was encrypted with the new key')
  assert.equal((await open([next, key]).status(id)).outcome, 'completed')
})

test('encryption: the log that readers in other processes follow holds no plain text', async (t) => {
  const server = await serverOf(t, answersOf('a secret'))
  const key = new Uint8Array(32).fill(7)
  const [store, log, told] = [fileTurns(folderOf(t)), memoryLog(), []]
  const elsewhere = {
    append: (id, logNumber, chunks) => (told.push(...chunks), log.append(id, logNumber, chunks)),
    read: (id) => log.read(id),
    end: (id, logNumber) => log.end(id, logNumber),
  }
  const open = (encryption) => turnsOf(t, server, { store, log: elsewhere, queue: lossy, encryption })
  const turns = open(key)
  const id = await turns.start({ messages: hello })
  const events = []
  const reading = (async () => {
    for await (const event of open(key).events(id)) events.push(event)
  })()
  await turns.advance(id)
  const [question] = (await turns.status(id)).questions
  await turns.decide(id, approve(question))
  const ends = turns.advance(id)
  await reading
  await ends
  const replayed = events.slice(events.findLastIndex(({ type }) => type === 'reset'))
  assert.equal(
    textOf(replayed[0]) +
      replayed
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join(''),
    textOf(await turns.status(id)),
  )
  assert.ok(told.length > 5, 'it went by the log')
  for (const word of ['a secret', 'I was told', 'echo', 'approval'])
    assert.ok(!told.some((chunk) => chunk.includes(word)), word)
})

test('encryption: functions encrypt in place of keys; if they fail or return no text, no turn is saved', async (t) => {
  const server = await serverOf(t, answersOf('a secret'))
  const folder = folderOf(t)
  const places = []
  const functions = {
    encrypt: async (text, place) => (places.push(place), Buffer.from(text).toString('hex')),
    decrypt: async (text) => Buffer.from(text, 'hex').toString(),
  }
  const open = (encryption) => turnsOf(t, server, { store: fileTurns(folder), queue: lossy, encryption })
  const turns = open(functions)
  const id = await turns.start({ messages: hello })
  await turns.advance(id)
  const [question] = (await turns.status(id)).questions
  await turns.decide(id, approve(question))
  assert.equal(await turns.advance(id), 'done')
  assert.ok(places.includes(JSON.stringify(['turn', id, 'config'])) && places.includes(`["turn","${id}","state"]`))
  const store = fileTurns(folder)
  const twin = await turns.start({ messages: hello })
  await store.save(twin, 1, { updated: 1, config: (await store.load(id)).config })
  await assert.rejects(turns.status(twin), { code: 'storage', message: /at another place/ }, 'the text has its place')
  for (const [encrypt, said] of [
    [() => Promise.reject(new Error('locked')), /the config of the turn is not saved: locked/],
    [() => Buffer.from('x'), /found an object from encryption.encrypt, expected a text/],
  ]) {
    const failing = open({ ...functions, encrypt })
    await assert.rejects(failing.start({ messages: hello, id: 'new' }), { code: 'storage', path: 'new', message: said })
    assert.equal(await store.load('new'), null)
  }
})

test('a plain long result that begins like an encrypted text is read', async (t) => {
  const server = await serverOf(t, ({ body }) => (body.messages.at(-1).role === 'tool' ? { text: 'Seen.' } : callsEcho))
  const folder = folderOf(t)
  const execute = () => `sluice1.${'A'.repeat(20_000)}`
  const tools = [echo({ permission: 'public', execute })]
  const turns = turnsOf(t, server, {
    store: fileTurns(folder),
    blobs: fileBlobs(folder),
    queue: lossy,
    tools,
    engine: { resultMaxBytes: 100_000 },
  })
  const id = await turns.start({ messages: hello })
  assert.equal(await turns.advance(id), 'done')
  assert.equal(cardsOf(await turns.status(id))[0].modelOutput, execute())
})
