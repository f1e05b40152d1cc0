// The stream log in Postgres beyond the contract of logs: who is woken by what, which connection listens and for how
// long, and what becomes of readers whose connection breaks.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import pg from 'pg'
import { folderOf, serverOf, until } from '../js/durable-support.mjs'
import { handlerTools, leaseMs } from './handler-tools.mjs'
import { open } from './places.mjs'
import { noPostgres as skip, withServers } from './servers.mjs'

const { durable, postgresLog } = await built('sluice/durable')
const { Engine } = await built('sluice')

const servers = withServers()
const HOUR = 3_600_000
const unhandled = []
process.on('unhandledRejection', (error) => unhandled.push(error))

/** Pools of a test, under a name by which Postgres knows their connections, and under which the tables stand. */
function poolsOf(t) {
  const name = `t${randomUUID().replaceAll('-', '')}`
  const pool = (more) => {
    const made = new pg.Pool({ ...servers.postgres.config, max: 4, application_name: name, ...more })
    t.after(async () => {
      if (!made.ending) await made.end()
    })
    return made
  }
  const beside = pool({ application_name: `${name}-beside` })
  const listening = async () =>
    (
      await beside.query("SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND query LIKE 'LISTEN%'", [
        name,
      ])
    ).rows.map(({ pid }) => pid)
  const count = async (table) => Number((await beside.query(`SELECT count(*) FROM ${name}_${table}`)).rows[0].count)
  return { prefix: `${name}_`, pool, beside, listening, count }
}

/** Reads to the end: `chunks` grows meanwhile. */
function following(log, id) {
  const reader = log.read(id)
  const chunks = []
  const done = (async () => {
    for await (const one of reader) chunks.push(...one.chunks)
  })()
  done.catch(() => {})
  return { chunks, done, leave: () => reader.return() }
}

test('a worker and a reader in processes of their own, with Postgres alone: the reader has the text before the leg ends', {
  skip,
  timeout: 60_000,
}, async (t) => {
  let goOn
  const gate = new Promise((resolve) => (goOn = resolve))
  const server = await serverOf(t, [{ parts: [{ text: 'What comes ' }, { wait: gate }, { text: 'later.' }] }])
  const journal = join(folderOf(t), 'journal')
  const place = {
    kind: 'postgres',
    config: servers.postgres.config,
    name: `h${randomUUID().replaceAll('-', '')}`,
    lockMs: 1000,
  }
  const { close, store, queue, log } = await open(place)
  const engine = new Engine({ tools: handlerTools(journal) })
  t.after(async () => {
    engine.close()
    await close()
  })
  const turns = durable(engine, {
    store,
    queue,
    log,
    leaseMs,
    run: () => {
      throw new Error('nobody works here')
    },
  })
  const program = fileURLToPath(new URL('handler-worker.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify({ place, baseURL: server.baseURL, journal })], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const id = await turns.start({ messages: [{ role: 'user', content: 'Hello' }], data: { key: 'secret' } })
  let text = ''
  for await (const event of turns.events(id)) {
    if (event.type === 'text') text += event.text
    if (event.type === 'reset') text = ''
    if (text !== 'What comes ' || !goOn) continue
    assert.equal((await turns.status(id)).phase, 'running')
    goOn()
    goOn = undefined
  }
  assert.equal(text, 'What comes later.')
  assert.equal(goOn, undefined, 'the text came before its end')
})

test('a reader is woken by notifications, and gives its connection back when it goes, also while it waits', {
  skip,
}, async (t) => {
  const { prefix, pool, listening } = poolsOf(t)
  const [writer, own] = [postgresLog(pool(), { prefix }), pool()]
  const reader = postgresLog(own, { prefix, pollMs: HOUR })
  const id = `it's "a" \\ ${'ü'.repeat(1000)}` // longer than a payload needs to be
  await writer.append(id, 1, ['"1"'])
  const all = Array.from({ length: 20 }, () => following(reader, id))
  await until(async () => (await listening()).length > 0, 'LISTEN')
  for (let n = 2; n <= 30; n++) {
    await writer.append(id, 1, [`"${n}"`])
    await delay(n % 5)
  }
  await until(() => all.every(({ chunks }) => chunks.length === 30), 'the notification')
  assert.deepEqual(
    all[7].chunks,
    Array.from({ length: 30 }, (_, n) => `"${n + 1}"`),
  )
  assert.equal((await listening()).length, 1, 'one connection for all')
  await Promise.all(all.slice(1).map(({ leave, done }) => leave().then(() => done)))
  assert.equal((await listening()).length, 1, 'one still reads')
  await all[0].leave()
  await until(async () => (await listening()).length === 0, 'the last one goes')
  const again = following(reader, id)
  await until(() => again.chunks.length === 30)
  await writer.end(id, 1)
  await again.done
  await own.end()
})

test('where no notification arrives, readers look by themselves, and the pool has a connection for everything else', {
  skip,
  timeout: 60_000,
}, async (t) => {
  const { prefix, pool, listening } = poolsOf(t)
  const writer = postgresLog(pool({ application_name: 'writer' }), { prefix })
  const made = pool()
  /** As behind PgBouncer in transaction mode: LISTEN succeeds, and the server tells somebody else. */
  const deaf = {
    query: (...given) => made.query(...given),
    connect: async () => ({ query: async () => ({ rows: [] }), on() {}, release() {} }),
  }
  const pools = {
    deaf,
    'without connect': { query: deaf.query },
    'of one': pool({ max: 1 }),
    'that gives none': {
      query: deaf.query,
      connect: async () => {
        throw new Error('no more')
      },
    },
    'whose connections hear nothing unasked': {
      query: deaf.query,
      connect: async () => ({ query: async () => {}, release() {} }),
    },
  }
  await Promise.all(
    Object.entries(pools).map(async ([name, given]) => {
      const reader = postgresLog(given, { prefix, pollMs: 10 })
      await writer.append(name, 1, ['"1"'])
      const { chunks, done } = following(reader, name)
      await until(() => chunks.length === 1, name)
      await writer.append(name, 1, ['"2"'])
      await until(() => chunks.length === 2, name)
      await writer.end(name, 1)
      await done
    }),
  )
  assert.deepEqual(await listening(), [])
})

test('a connection that breaks is replaced; until then readers look by themselves', {
  skip,
  timeout: 60_000,
}, async (t) => {
  const { prefix, pool, beside, listening } = poolsOf(t)
  const writer = postgresLog(pool({ application_name: 'writer' }), { prefix })
  const reader = postgresLog(pool(), { prefix, pollMs: 20 })
  await writer.append('a', 1, ['"1"'])
  const { chunks, done } = following(reader, 'a')
  const [pid] = await until(async () => {
    const found = await listening()
    return found.length > 0 && found
  }, 'LISTEN')
  await writer.append('a', 1, ['"2"'])
  await until(() => chunks.length === 2)
  await beside.query('SELECT pg_terminate_backend($1)', [pid])
  await writer.append('a', 1, ['"3"'])
  await until(() => chunks.length === 3, 'a look')
  await until(async () => (await listening()).some((one) => one !== pid), 'another connection')
  await writer.append('a', 1, ['"4"'])
  await writer.end('a', 1)
  await done
  assert.deepEqual(chunks, ['"1"', '"2"', '"3"', '"4"'])
})

test('a connection that hears no more is noticed, and replaced', { skip, timeout: 60_000 }, async (t) => {
  const { prefix, pool, beside, listening } = poolsOf(t)
  const [writer, own] = [postgresLog(pool({ application_name: 'writer' }), { prefix }), pool()]
  let lost = false
  const hearing = {
    query: (...given) => own.query(...given),
    connect: async () => {
      const client = await own.connect()
      const isLost = lost === false // the first one
      return {
        query: (text) => client.query(text),
        on: (event, listener) =>
          client.on(event, (...given) => {
            if (!(isLost && lost)) listener(...given)
          }),
        release: (destroy) => client.release(destroy),
      }
    },
  }
  const reader = postgresLog(hearing, { prefix, pollMs: 20 })
  await writer.append('a', 1, ['"1"'])
  const { chunks, done } = following(reader, 'a')
  const [pid] = await until(async () => {
    const found = await listening()
    return found.length > 0 && found
  }, 'LISTEN')
  await writer.append('a', 1, ['"2"'])
  await until(() => chunks.length === 2)
  await delay(100)
  lost = true
  await writer.append('a', 1, ['"3"'])
  await until(() => chunks.length === 3, 'a look')
  await until(async () => (await listening()).some((one) => one !== pid), 'another connection')
  assert.equal((await beside.query('SELECT count(*) FROM pg_stat_activity WHERE pid = $1', [pid])).rows[0].count, '0')
  await writer.end('a', 1)
  await done
})

test('a reader and a writer outlast a database that begins anew', { skip, timeout: 60_000 }, async (t) => {
  const { prefix, pool } = poolsOf(t)
  const [writer, reader] = [postgresLog(pool(), { prefix }), postgresLog(pool(), { prefix, pollMs: 20 })]
  for (const id of ['a', 'b']) await writer.append(id, 1, ['"1"'])
  const [a, b] = ['a', 'b'].map((id) => following(reader, id))
  await until(() => a.chunks.length === 1 && b.chunks.length === 1)
  await servers.postgres.pause()
  await assert.rejects(writer.append('a', 1, ['"2"']), { code: 'storage', path: 'pool' })
  await assert.rejects(writer.end('a', 1), { code: 'storage' }) // and is made up for
  await delay(300)
  await servers.postgres.goOn()
  await a.done
  await writer.append('b', 1, ['"2"'])
  await writer.end('b', 1)
  await b.done
  assert.deepEqual([a.chunks, b.chunks], [['"1"'], ['"1"', '"2"']])
})

test('nothing is kept longer than keepMs, an answer that is over no longer than its readers need; the rows go', {
  skip,
  timeout: 60_000,
}, async (t) => {
  const { prefix, pool, count } = poolsOf(t)
  const options = { prefix, keepMs: 1000, pollMs: 20 }
  const log = postgresLog(pool(), options)
  const dying = new pg.Pool({ ...servers.postgres.config, max: 2 })
  const writer = postgresLog(dying, options)
  for (let n = 0; n < 30; n++) await writer.append(`gone ${n}`, 1, ['"1"', '"2"'])
  await writer.append('a', 1, ['"1"'])
  const { chunks, done } = following(log, 'a')
  await until(() => chunks.length === 1)
  assert.ok((await count('log')) > 0)
  await dying.end() // as its process does when it dies
  await log.append('b', 1, ['"over"'])
  await log.end('b', 1)
  await done // nobody goes on with it
  assert.equal((await log.read('a').next()).done, true)
  await until(async () => (await count('log')) === 0 && (await count('log_chunks')) === 0, 'the sweep')
})

test('an answer whose log was lost does not begin in its middle; the next log may come', { skip }, async (t) => {
  const { prefix, pool, beside, count } = poolsOf(t)
  const log = postgresLog(pool(), { prefix })
  await log.append('a', 1, ['"1"'])
  await beside.query(`TRUNCATE ${prefix}log, ${prefix}log_chunks`) // as behind a crash of the database
  await assert.rejects(log.append('a', 1, ['"2"']), /is over/)
  assert.equal((await log.read('a').next()).done, true)
  await log.append('a', 2, ['"anew"'])
  assert.deepEqual((await log.read('a').next()).value, { logNumber: 2, chunks: ['"anew"'] })
  await postgresLog(pool(), { prefix }).append('a', 3, ['"elsewhere"'])
  assert.equal(await count('log_chunks'), 1, 'the chunks of earlier logs are dropped')
  await assert.rejects(log.append('a', 2, ['"late"']), /is over/)
})

test('a long answer is read in parts of a bounded size, and any text comes as it was', { skip }, async (t) => {
  const { prefix, pool, beside } = poolsOf(t)
  await beside.query(`CREATE SCHEMA ${prefix}own`)
  const log = postgresLog(pool(), { prefix: `${prefix}own.turns_` })
  const told = Array.from({ length: 5000 }, (_, n) => JSON.stringify({ n, text: `ü\u0000\u2028\ud83d "\\${n}` }))
  for (let at = 0; at < 1000; at += 10) await log.append('a', 1, told.slice(at, at + 10))
  await log.append('a', 1, told.slice(1000))
  await log.end('a', 1)
  await log.append('b', 1, told)
  const all = []
  for await (const { chunks } of log.read('b')) {
    assert.ok(chunks.length < 1000)
    all.push(...chunks)
    if (all.length === told.length) break
  }
  assert.deepEqual(all, told)
})

test('many processes may make the tables at once; a database that is away is told as such', { skip }, async (t) => {
  const { prefix, pool } = poolsOf(t)
  await Promise.all(Array.from({ length: 6 }, (_, n) => postgresLog(pool(), { prefix }).append(`${n}`, 1, ['"1"'])))
  const away = postgresLog(pool({ port: 9 }), { prefix })
  for (let tries = 0; tries < 2; tries++)
    await assert.rejects(away.read('x').next(), {
      code: 'storage',
      path: 'pool',
      message: /the database of the stream log/,
    })
})

test('no pool, and wrong options, are refused', () => {
  const query = async () => ({ rows: [] })
  assert.throws(() => postgresLog({}), { code: 'option', path: 'pool' })
  for (const [options, path] of [
    [{ prefix: 'a"; drop table x' }, 'prefix'],
    [{ prefix: '' }, 'prefix'],
    [{ keepMs: -1 }, 'keepMs'],
    [{ pollMs: '1' }, 'pollMs'],
    [{ pollms: 1 }, 'pollms'],
  ])
    assert.throws(() => postgresLog({ query }, options), { code: 'option', path })
})

test('no promise was left alone', () => assert.deepEqual(unhandled, []))
