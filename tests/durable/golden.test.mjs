// Durable turns that earlier releases kept in Redis and Postgres: each is found and comes to its end.
import { test } from 'node:test'
import { Redis } from 'ioredis'
import pg from 'pg'
import { postgres, redis } from '../../js/dist/esm/durable/index.js'
import { check, readGolden, releases } from '../golden/durable.mjs'
import { writePostgres, writeRedis } from './golden.mjs'
import { noPostgres, noRedis, withServers } from './servers.mjs'

const servers = withServers()

for (const release of releases) {
  test(`${release}, redis: every turn comes to its end`, { skip: noRedis }, async (t) => {
    const { kept, done } = readGolden(release, 'redis')
    const client = new Redis({ host: '127.0.0.1', port: servers.redis.port })
    t.after(() => client.disconnect())
    await client.flushall()
    await writeRedis(client, kept)
    await check(t, { store: redis(client) }, done)
  })

  test(`${release}, postgres: every turn comes to its end`, { skip: noPostgres }, async (t) => {
    const { kept, done } = readGolden(release, 'postgres')
    const pool = new pg.Pool(servers.postgres.config)
    t.after(async () => { await pool.query('DROP TABLE IF EXISTS sluice_turns, sluice_inbox'); await pool.end() })
    await writePostgres(servers.postgres.config, kept)
    await check(t, { store: postgres(pool) }, done)
  })
}
