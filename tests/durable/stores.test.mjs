// The stores and the stream logs for servers: the contracts of both over real Redis and Postgres, by each client.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'
import { postgres, postgresLog, redis, redisLog } from '../../js/dist/esm/durable/index.js'
import { faults } from '../js/turn-faults-contract.mjs'
import { contract } from '../js/turn-store-contract.mjs'
import { noPostgres, noRedis, withServers } from './servers.mjs'

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

const withRedis = (client) => async (t) => redis(await client(t), { prefix: nameOf(t) })
const withPostgres = (t) => postgres(pool(t), { prefix: nameOf(t) })

contract('redis, by ioredis', { skip: noRedis, open: withRedis(ioredis), again: withRedis(nodeRedis) })
contract('redis, by redis', { skip: noRedis, open: withRedis(nodeRedis), again: withRedis(ioredis) })
contract('postgres', { skip: noPostgres, open: withPostgres, again: withPostgres })

faults('redis', { skip: noRedis, open: withRedis(ioredis), again: withRedis(nodeRedis), spoil: async (t, id, column, value) => void (await ioredis(t).hset(`${nameOf(t)}t:${id}`, column, value)) })
faults('postgres', { skip: noPostgres, open: withPostgres, spoil: async (t, id, column, value) => void (await pool(t).query(`UPDATE ${nameOf(t)}turns SET ${column} = $2 WHERE id = $1`, [id, value])) })

test('postgres: many processes may make the tables at once; a prefix is no way into the database', { skip: noPostgres }, async (t) => {
  const stores = Array.from({ length: 6 }, () => withPostgres(t))
  assert.deepEqual(await Promise.all(stores.map((store) => store.load('x'))), stores.map(() => null))
  for (const prefix of ['a"; drop table x', 'a.b.c', '', 'A', 'x'.repeat(60)]) assert.throws(() => postgres(pool(t), { prefix }), { code: 'option', path: 'prefix' })
  await pool(t).query('create schema own')
  const own = postgres(pool(t), { prefix: 'own.turns_' })
  assert.equal(await own.load('x'), null)
})

test('stores whose server is away say so', { skip: noRedis || noPostgres }, async (t) => {
  const client = new Redis({ port: 9, host: '127.0.0.1', maxRetriesPerRequest: 0, retryStrategy: () => null })
  client.on('error', () => {})
  await assert.rejects(redis(client).load('x'), { code: 'storage', path: 'client' })
  const away = new pg.Pool({ ...servers.postgres.config, port: 9 })
  const store = postgres(away)
  await assert.rejects(store.load('x'), { code: 'storage', path: 'pool' })
  await assert.rejects(store.load('x'), { code: 'storage', path: 'pool' })
  assert.throws(() => redis({}), { code: 'option', path: 'client' })
  assert.throws(() => postgres({}), { code: 'option', path: 'pool' })
})

const inRedis = (client) => async (t) => redisLog(await client(t), { prefix: nameOf(t), pollMs: 5 })
const logs = {
  'in Redis, by ioredis': [noRedis, inRedis(ioredis)], 'in Redis, by redis': [noRedis, inRedis(nodeRedis)],
  'in Postgres': [noPostgres, (t) => postgresLog(pool(t), { prefix: nameOf(t) })],
}
for (const [name, [skip, open]] of Object.entries(logs)) {
  test(`the stream log ${name}: from its beginning, what comes, each epoch anew, and no more of an old one`, { skip }, async (t) => {
    const make = async () => await open(t)
    const [writer, reader] = [await make(), await make()]
    const all = async (id, told = []) => { for await (const one of reader.read(id)) told.push(one); return told }
    assert.deepEqual(await all('a'), [])
    await writer.append('a', 2, ['"1"', '"ü\u2028"'])
    const told = []
    const reading = all('a', told)
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await writer.append('a', 2, Array.from({ length: 1200 }, (_, n) => `${n}`))
    while (told.flatMap(({ chunks }) => chunks).length < 1202) await new Promise((resolve) => setTimeout(resolve, 5))
    await writer.append('a', 3, ['"anew"'])
    await assert.rejects(writer.append('a', 2, ['"late"']), /is over/)
    await writer.end('a', 2) // of no effect
    await writer.append('a', 3, ['"end"'])
    await writer.end('a', 3)
    await reading
    const of = (epoch) => told.filter((one) => one.epoch === epoch).flatMap(({ chunks }) => chunks)
    assert.deepEqual(of(2), ['"1"', '"ü\u2028"', ...Array.from({ length: 1200 }, (_, n) => `${n}`)])
    assert.deepEqual(of(3), ['"anew"', '"end"'])
    assert.deepEqual(await all('a'), [], 'who comes later finds nothing')
  })
}
