// Compiled by types.test.mjs: clients, pools and classes of each version are what the stores and the queue take.
import { createPostgresBackend, Queue as Queue6, Worker as Worker6 } from 'bullmq'
import { Queue as Queue5, Worker as Worker5 } from 'bullmq-5'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { createClient } from 'redis'
import {
  bullmqQueue,
  postgresTurns,
  postgresLog,
  redisTurns,
  redisLog,
  type StreamLog,
  type TurnStore,
  type WakeQueue,
} from '../../js/dist/esm/servers/durable/index.js'

export const stores: TurnStore[] = [
  redisTurns(new Redis()),
  redisTurns(createClient()),
  redisTurns(await createClient().connect(), { prefix: 'a:' }),
  postgresTurns(new Pool()),
  postgresTurns(new Pool({ max: 3 }), { prefix: 'app.turns_' }),
]
export const logs: StreamLog[] = [
  redisLog(new Redis()),
  redisLog(createClient(), { pollMs: 20 }),
  postgresLog(new Pool()),
  postgresLog(new Pool(), { prefix: 'app.turns_', keepMs: 60_000, pollMs: 20 }),
]
export const queues: WakeQueue[] = [
  bullmqQueue({ Queue: Queue5, Worker: Worker5, connection: { host: '127.0.0.1' } }),
  bullmqQueue({ Queue: Queue6, Worker: Worker6, connection: { url: 'redis://127.0.0.1' }, concurrency: 5 }),
  bullmqQueue({
    Queue: Queue6,
    Worker: Worker6,
    backend: createPostgresBackend,
    connection: { connectionString: 'postgres://127.0.0.1', migrate: true },
  }),
]
// @ts-expect-error: it queries nothing
postgresTurns({})
// @ts-expect-error: it queries nothing
postgresLog({ connect: () => {} })
// @ts-expect-error: it sends nothing
redisTurns({ duplicate: () => {} })
