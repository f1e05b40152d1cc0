// `node tests/durable/golden.mjs`: keeps the durable turns of this version in tests/golden, for every store that has none there yet. SQLite needs Node ≥ 22.13
// (tests/durable/node_modules/node-22/bin/node), Redis and Postgres are those of the system.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mock } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'
import { fileBlobs, files, postgres, redis, sqlite } from '../../js/dist/esm/durable/index.js'
import { version } from '../../js/dist/esm/index.js'
import { pathOf, readDatabase, readFolder, seal, write } from '../golden/durable.mjs'
import { noPostgres, noRedis, postgresProgram, startPostgres, startRedis } from './servers.mjs'

/** Every key of a Redis, its type and what it holds. */
export async function readRedis(client) {
  const reads = { string: (key) => client.get(key), hash: (key) => client.hgetall(key), list: (key) => client.lrange(key, 0, -1), zset: (key) => client.zrange(key, 0, -1, 'WITHSCORES') }
  const kept = {}
  for (const key of (await client.keys('*')).sort()) {
    const type = await client.type(key)
    kept[key] = { type, value: await reads[type](key) }
  }
  return kept
}

export async function writeRedis(client, kept) {
  for (const [key, { type, value }] of Object.entries(kept)) {
    if (type === 'hash') await client.hset(key, value)
    else if (type === 'list') await client.rpush(key, ...value)
    else for (let at = 0; at < value.length; at += 2) await client.zadd(key, value[at + 1], value[at])
  }
}

/** The statements of pg_dump. */
export const readPostgres = ({ host, port, user, database }) =>
  execFileSync(postgresProgram('pg_dump'), ['-h', host, '-p', String(port), '-U', user, '--inserts', '--no-owner', '--no-comments', '-t', 'sluice_*', database], { encoding: 'utf8' })
    .split('\n').filter((line) => line !== '' && !/^(--|\\|SET |SELECT pg_catalog\.set_config)/.test(line))

export async function writePostgres(config, lines) {
  const client = new pg.Client(config)
  await client.connect()
  await client.query(lines.join('\n'))
  await client.end()
}

const stores = {
  files: async (t, folder) => await write(t, { store: files(folder), blobs: fileBlobs(folder) }, () => readFolder(folder)),
  sealed: async (t, folder) => await write(t, { store: files(folder), seal }, () => readFolder(folder)),
  sqlite: async (t, folder) => {
    const { DatabaseSync } = await import('node:sqlite').catch(() => ({}))
    if (!DatabaseSync) return 'this Node has no node:sqlite'
    const database = new DatabaseSync(join(folder, 'turns.db'))
    return await write(t, { store: sqlite(database) }, () => readDatabase(database))
  },
  redis: async (t) => {
    if (noRedis) return noRedis
    const server = await startRedis()
    const client = new Redis({ host: '127.0.0.1', port: server.port })
    t.after(() => client.disconnect(), () => server.stop())
    return await write(t, { store: redis(client) }, () => readRedis(client))
  },
  postgres: async (t) => {
    if (noPostgres) return noPostgres
    const server = await startPostgres()
    t.after(() => server.stop())
    return await write(t, { store: postgres(new pg.Pool(server.config)) }, () => readPostgres(server.config))
  },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2024, 0, 1) }) // the time of every lease has passed when they are read
  for (const [name, make] of Object.entries(stores)) {
    const path = pathOf(version(), name)
    if (existsSync(path)) {
      console.log(`${name}: is there already`)
      continue
    }
    const folder = mkdtempSync(join(tmpdir(), 'sluice-golden-'))
    const last = []
    const made = await make({ after: (...done) => last.push(...done) }, folder)
    if (typeof made === 'object') {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, JSON.stringify(made, null, 1) + '\n')
    }
    console.log(`${name}: ${typeof made === 'object' ? 'written' : made}`)
    rmSync(folder, { recursive: true, force: true })
    if (name === 'redis' || name === 'postgres') await last.at(-1)()
  }
  process.exit() // what hangs was to hang
}
