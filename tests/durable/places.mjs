// Opens a store of turns with its queue and its stream log in any process, by a description that goes through JSON.
import { bullmq, local, memoryLog, postgres, redis, redisLog } from '../../js/dist/esm/durable/index.js'
import { openStore } from '../js/durable-places.mjs'

/** `{ kind, … }` → `{ store, queue, log, close }`. */
export async function open(place) {
  const { kind, name, lockMs } = place
  if (kind === 'redis') {
    const { Redis } = await import('ioredis')
    const { Queue, Worker } = await import('bullmq')
    const connection = { host: '127.0.0.1', port: place.port }
    const client = new Redis(connection)
    const queue = bullmq({ Queue, Worker, connection, name, lockMs })
    return { store: redis(client, { prefix: `{${name}}:` }), queue, log: redisLog(client, { prefix: `{${name}}:`, pollMs: 20 }), close: async () => { await queue.close(); client.disconnect() } }
  }
  if (kind === 'postgres') {
    const { default: pg } = await import('pg')
    const { Queue, Worker, createPostgresBackend } = await import('bullmq')
    const pool = new pg.Pool({ ...place.config, max: 5 })
    const queue = bullmq({ Queue, Worker, backend: createPostgresBackend, connection: { ...place.config, max: 5, migrate: true }, name, lockMs })
    return { store: postgres(pool, { prefix: `${name}_` }), queue, log: memoryLog(), close: async () => { await queue.close(); await pool.end() } }
  }
  if (kind === 'many machines') {
    const { default: pg } = await import('pg')
    const { Redis } = await import('ioredis')
    const { Queue, Worker } = await import('bullmq')
    const pool = new pg.Pool({ ...place.config, max: 5 })
    const connection = { host: '127.0.0.1', port: place.port }
    const client = new Redis(connection)
    const queue = bullmq({ Queue, Worker, connection, name, lockMs })
    return { store: postgres(pool, { prefix: `${name}_` }), queue, log: redisLog(client, { prefix: `{${name}}:`, pollMs: 20 }), close: async () => { await queue.close(); client.disconnect(); await pool.end() } }
  }
  const { store, close } = await openStore(place)
  return { store, queue: local(), log: memoryLog(), close }
}
