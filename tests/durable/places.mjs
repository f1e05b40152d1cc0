// Opens a store of turns with its queue and its stream log in any process, by a description that goes through JSON.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { built } from '../js/dist.mjs'
import { betterSqlite3, openStore } from '../js/durable-places.mjs'
import { noPostgres, noRedis } from './servers.mjs'

const { bullmqQueue, localQueue, memoryLog, postgresTurns, postgresLog, redisTurns, redisLog } =
  await built('sluice/durable')

const { DatabaseSync } = await import('node:sqlite').catch(() => ({}))
/** False, or why it is skipped. */
export const noSqlite = DatabaseSync ? false : `Node ${process.versions.node} has no node:sqlite`
/** The same of better-sqlite3. An older Node crashes with it. */
export const noBetterSqlite3 =
  Number.parseInt(process.versions.node, 10) < 22
    ? `better-sqlite3 13 needs Node 22, this is ${process.versions.node}`
    : whyNot(() => betterSqlite3(':memory:').close())
export { betterSqlite3 }
const name = () => `c${randomUUID().replaceAll('-', '')}`

/**
 * Every store with the queue that belongs to it: why it is skipped, and the description of a new one in this folder, on
 * these servers.
 */
const places = {
  files: { skip: false, place: (folder) => ({ kind: 'files', path: join(folder, 'turns') }) },
  sqlite: { skip: noSqlite, place: (folder) => ({ kind: 'sqlite', path: join(folder, 'turns.db') }) },
  'sqlite, by better-sqlite3': {
    skip: noBetterSqlite3,
    place: (folder) => ({ kind: 'sqlite', path: join(folder, 'turns.db'), by: 'better-sqlite3' }),
  },
  'redis and BullMQ': {
    skip: noRedis,
    place: (_, { redis, lockMs }) => ({ kind: 'redis', port: redis.port, name: name(), lockMs }),
  },
  'postgres and BullMQ': {
    skip: noPostgres,
    place: (_, { postgres, lockMs }) => ({ kind: 'postgres', config: postgres.config, name: name(), lockMs }),
  },
}

function whyNot(load) {
  try {
    load()
    return false
  } catch (error) {
    return `better-sqlite3 cannot be loaded: ${error.message.split('\n')[0]}`
  }
}

/** All of them, or with SLUICE_STORES those whose name contains this word. */
export const everyPlace = Object.fromEntries(
  Object.entries(places).filter(([what]) => what.includes(process.env.SLUICE_STORES ?? '')),
)

/** A pool whose connections may be cut off by a server that ends while they do. */
export function poolOf(pg, config) {
  const pool = new pg.Pool(config)
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** `{ kind, … }` → `{ store, queue, log, close, empty }`; `empty` throws away all that the queue holds. */
export async function open(place) {
  const { kind, name, lockMs } = place
  if (kind === 'redis') {
    const { Redis } = await import('ioredis')
    const { Queue, Worker } = await import('bullmq')
    const connection = { host: '127.0.0.1', port: place.port }
    const client = new Redis(connection)
    const queue = bullmqQueue({ Queue, Worker, connection, name, lockMs })
    const empty = () => emptied(new Queue(name, { connection }))
    return {
      client,
      store: redisTurns(client, { prefix: `{${name}}:` }),
      queue,
      empty,
      log: redisLog(client, { prefix: `{${name}}:`, pollMs: 20 }),
      close: async () => {
        await queue.close()
        client.disconnect()
      },
    }
  }
  if (kind === 'postgres') {
    const { default: pg } = await import('pg')
    const { Queue, Worker, createPostgresBackend } = await import('bullmq')
    const pool = poolOf(pg, { ...place.config, max: 5 })
    const connection = { ...place.config, max: 5, migrate: true }
    const queue = bullmqQueue({ Queue, Worker, backend: createPostgresBackend, connection, name, lockMs })
    const empty = () => emptied(new Queue(name, { connection }, createPostgresBackend))
    return {
      client: pool,
      store: postgresTurns(pool, { prefix: `${name}_` }),
      queue,
      empty,
      log: postgresLog(pool, { prefix: `${name}_` }),
      close: async () => {
        await queue.close()
        await pool.end()
      },
    }
  }
  if (kind === 'many machines') {
    const { default: pg } = await import('pg')
    const { Redis } = await import('ioredis')
    const { Queue, Worker } = await import('bullmq')
    const pool = poolOf(pg, { ...place.config, max: 5 })
    const connection = { host: '127.0.0.1', port: place.port }
    const client = new Redis(connection)
    const queue = bullmqQueue({ Queue, Worker, connection, name, lockMs })
    return {
      store: postgresTurns(pool, { prefix: `${name}_` }),
      queue,
      log: redisLog(client, { prefix: `{${name}}:`, pollMs: 20 }),
      close: async () => {
        await queue.close()
        client.disconnect()
        await pool.end()
      },
    }
  }
  const { store, close } = await openStore(place)
  // a queue in memory is empty when its process ends
  return { store, queue: localQueue(), log: memoryLog(), close, empty: async () => {} }
}

async function emptied(queue) {
  await queue.obliterate({ force: true })
  await queue.close()
}
