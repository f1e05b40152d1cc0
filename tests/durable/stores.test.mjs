// The stores and the stream logs for servers: the contracts of both over real Redis and Postgres, by each client.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { built } from '../js/dist.mjs'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { columnOf, faults } from '../js/turn-faults-contract.mjs'
import { contract } from '../js/turn-store-contract.mjs'
import { noPostgres, noRedis, withServers } from './servers.mjs'

const { postgresTurns, postgresLog, redisTurns, redisLog, encryptedLog } = await built('sluice/durable')

const servers = withServers()

const names = new WeakMap()
/** The same for all stores of a test. */
const nameOf = (t) => names.get(t) ?? names.set(t, `t${randomUUID().replaceAll('-', '')}_`).get(t)

function ioredis(t) {
  const client = new Redis({ port: servers.redis.port, host: '127.0.0.1' })
  t.after(() => client.disconnect())
  return client
}

async function nodeRedis(t) {
  const client = await createClient({ url: `redis://127.0.0.1:${servers.redis.port}` }).connect()
  t.after(() => client.close())
  return client
}

function pool(t) {
  const made = new pg.Pool({ ...servers.postgres.config, max: 4 })
  t.after(() => made.end())
  return made
}

const withRedis = (client) => async (t) => redisTurns(await client(t), { prefix: nameOf(t) })
const withPostgres = (t) => postgresTurns(pool(t), { prefix: nameOf(t) })

contract('redis, by ioredis', { skip: noRedis, open: withRedis(ioredis), again: withRedis(nodeRedis) })
contract('redis, by redis', { skip: noRedis, open: withRedis(nodeRedis), again: withRedis(ioredis) })
contract('postgres', { skip: noPostgres, open: withPostgres, again: withPostgres })

faults('redis', {
  skip: noRedis,
  open: withRedis(ioredis),
  again: withRedis(nodeRedis),
  spoil: async (t, id, member, value) => void (await ioredis(t).hset(`${nameOf(t)}t:${id}`, member, value)),
})
faults('postgres', {
  skip: noPostgres,
  open: withPostgres,
  spoil: async (t, id, member, value) =>
    void (await pool(t).query(`UPDATE ${nameOf(t)}turns SET ${columnOf(member)} = $2 WHERE id = $1`, [id, value])),
})

test('postgres: many processes may make the tables at once; a prefix is no way into the database', {
  skip: noPostgres,
}, async (t) => {
  const stores = Array.from({ length: 6 }, () => withPostgres(t))
  assert.deepEqual(
    await Promise.all(stores.map((store) => store.load('x'))),
    stores.map(() => null),
  )
  for (const prefix of ['a"; drop table x', 'a.b.c', '', 'A', 'x'.repeat(60)])
    assert.throws(() => postgresTurns(pool(t), { prefix }), { code: 'option', path: 'prefix' })
  await pool(t).query('create schema own')
  const own = postgresTurns(pool(t), { prefix: 'own.turns_' })
  assert.equal(await own.load('x'), null)
})

test('stores whose server is away say so', { skip: noRedis || noPostgres }, async (t) => {
  const client = new Redis({ port: 9, host: '127.0.0.1', maxRetriesPerRequest: 0, retryStrategy: () => null })
  client.on('error', () => {})
  await assert.rejects(redisTurns(client).load('x'), { code: 'storage', path: 'client' })
  const away = new pg.Pool({ ...servers.postgres.config, port: 9 })
  const store = postgresTurns(away)
  await assert.rejects(store.load('x'), { code: 'storage', path: 'pool' })
  await assert.rejects(store.load('x'), { code: 'storage', path: 'pool' })
  assert.throws(() => redisTurns({}), { code: 'option', path: 'client' })
  assert.throws(() => postgresTurns({}), { code: 'option', path: 'pool' })
})

const inRedis = (client) => async (t, more) => redisLog(await client(t), { prefix: nameOf(t), pollMs: 5, ...more })
const lostInRedis = async (t, id) => void (await ioredis(t).del(`${nameOf(t)}log:${id}`, `${nameOf(t)}chunks:${id}`))
const lostInPostgres = async (t, id) => {
  for (const [table, column] of [
    ['log', 'id'],
    ['log_chunks', 'turn'],
  ])
    await pool(t).query(`DELETE FROM ${nameOf(t)}${table} WHERE ${column} = $1`, [id])
}
const logs = {
  'in Redis, by ioredis': [noRedis, inRedis(ioredis), lostInRedis],
  'in Redis, by redis': [noRedis, inRedis(nodeRedis), lostInRedis],
  'in Postgres': [noPostgres, (t, more) => postgresLog(pool(t), { prefix: nameOf(t), ...more }), lostInPostgres],
}
for (const [name, [skip, open, lose]] of Object.entries(logs)) {
  test(`the stream log ${name}: from its beginning, what comes, each log number anew, and no more of an old one`, {
    skip,
  }, async (t) => {
    const make = async () => await open(t)
    const [writer, reader] = [await make(), await make()]
    const all = async (id, told = []) => {
      for await (const one of reader.read(id)) told.push(one)
      return told
    }
    assert.deepEqual(await all('a'), [])
    await writer.append('a', 2, ['"1"', '"ü\u2028"'])
    const told = []
    const reading = all('a', told)
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await writer.append(
      'a',
      2,
      Array.from({ length: 1200 }, (_, n) => `${n}`),
    )
    while (told.flatMap(({ chunks }) => chunks).length < 1202) await new Promise((resolve) => setTimeout(resolve, 5))
    await writer.append('a', 3, ['"anew"'])
    await assert.rejects(writer.append('a', 2, ['"late"']), /is over/)
    await writer.end('a', 2) // of no effect
    await writer.append('a', 3, ['"end"'])
    await writer.end('a', 3)
    await reading
    const of = (logNumber) => told.filter((one) => one.logNumber === logNumber).flatMap(({ chunks }) => chunks)
    assert.deepEqual(of(2), ['"1"', '"ü\u2028"', ...Array.from({ length: 1200 }, (_, n) => `${n}`)])
    assert.deepEqual(of(3), ['"anew"', '"end"'])
    assert.deepEqual(await all('a'), [], 'who comes later finds nothing')
  })

  test(`the stream log ${name}: a log number is given once, whatever the clocks say`, { skip }, async (t) => {
    const make = async () => await open(t)
    const [one, other] = [await make(), await make()]
    const all = async (id, told = []) => {
      for await (const part of other.read(id)) told.push(part)
      return told
    }
    const late = 1_795_000_000_123
    assert.deepEqual(
      [await one.begin('a', late), await other.begin('a', late - 3_600_000), await one.begin('a', late + 10)],
      [late, late + 1, late + 10],
    )
    assert.deepEqual(await all('a'), [], 'nothing is told yet')
    await one.append('a', late + 10, ['"1"'])
    assert.equal(await other.begin('a', 5), late + 11)
    await one.end('a', late + 10)
    assert.equal(await other.begin('a', 5), late + 12)
    await other.append('a', late + 12, ['"2"'])
    const reading = all('a')
    await other.end('a', late + 12)
    assert.ok((await reading).every(({ logNumber }) => logNumber === late + 12))
  })

  test(`the stream log ${name}: while its writer lives none is forgotten, and a lost one is not begun in its middle`, {
    skip,
  }, async (t) => {
    const keepMs = 2000
    const [writer, reader] = [await open(t, { keepMs }), await open(t, { keepMs })]
    const first = async (id) => {
      for await (const { chunks } of reader.read(id)) return chunks
      return undefined
    }
    await writer.append('a', 1, ['"1"'])
    await reader.append('b', 1, ['"1"'])
    const end = performance.now() + 1.5 * keepMs
    while (performance.now() < end) assert.deepEqual(await first('a'), ['"1"']) // a reader that leaves at once
    await lose(t, 'b')
    await assert.rejects(reader.append('b', 1, ['"2"']), /is over/)
    assert.equal(await first('b'), undefined)
    await writer.end('a', 1)
  })

  test(`the stream log ${name}: a reader that waits leaves at once, and an encrypted one reports the same chunks`, {
    skip,
  }, async (t) => {
    const inner = await open(t, { pollMs: 60_000 })
    const log = encryptedLog(inner, new Uint8Array(32))
    await log.append('a', await log.begin('a', 1), ['"secret"', '"more"'])
    const told = log.read('a')
    assert.deepEqual((await told.next()).value.chunks, ['"secret"', '"more"'])
    const waiting = told.next()
    await told.return()
    assert.deepEqual(await waiting, { done: true, value: undefined })
    for await (const { chunks } of inner.read('a')) {
      assert.ok(chunks.length === 2 && chunks.every((chunk) => chunk.startsWith('sluice1.')))
      break
    }
  })
}
