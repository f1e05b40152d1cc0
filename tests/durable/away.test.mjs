// Servers that go away for a while under running turns, and disks that are full: what was saved is there, nothing runs
// twice, and the words say what happened.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { Redis } from 'ioredis'
import pg from 'pg'
import { approve, asks, cardsOf, hello, lossy, serverOf, turnsOf, until } from '../js/durable-support.mjs'
import { onFullDisk } from '../js/turn-faults-contract.mjs'
import { handlerTools, leaseMs } from './handler-tools.mjs'
import { open, poolOf } from './places.mjs'
import { noPostgres, noRedis, startPostgres, startRedis } from './servers.mjs'

const { durable, postgresTurns, redisTurns } = await built('sluice/durable')
const { Engine } = await built('sluice')
const { startScriptedServer } = await built('sluice/testing')

const program = fileURLToPath(new URL('handler-worker.mjs', import.meta.url))
/** Longer than a lease. `SLUICE_LONG=1`: a minute. */
const AWAY_MS = process.env.SLUICE_LONG ? 60_000 : 2 * leaseMs + 500

const name = () => `a${randomUUID().replaceAll('-', '')}`
const kinds = {
  'Redis, with BullMQ and the log in it': {
    skip: noRedis,
    start: startRedis,
    place: ({ port }) => ({ kind: 'redis', port, name: name(), lockMs: 1000 }),
  },
  'Postgres, with BullMQ in it': {
    skip: noPostgres,
    start: startPostgres,
    place: ({ config }) => ({ kind: 'postgres', config, name: name(), lockMs: 1000 }),
  },
}

for (const [what, { skip, start, place: placeOf }] of Object.entries(kinds)) {
  test(`${what}, goes away while turns run and wait`, { skip, timeout: AWAY_MS + 120_000 }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-away-'))
    const journal = join(folder, 'journal')
    const server = await start()
    const place = placeOf(server)
    const model = await startScriptedServer({
      answers: ({ body }) =>
        body.messages.some(({ role }) => role === 'tool')
          ? { text: 'Done.' }
          : { calls: ['asked', 'slow'].map((tool, at) => ({ id: `c${at}`, name: tool, arguments: { text: tool } })) },
      appendOnly: false,
    })
    const said = []
    const spawned = () => {
      const child = spawn(process.execPath, [program, JSON.stringify({ place, baseURL: model.baseURL, journal })], {
        stdio: ['pipe', 'ignore', 'pipe'],
      })
      child.stderr.on('data', (data) => said.push(String(data)))
      t.after(() => child.kill('SIGKILL'))
      return child
    }
    const { close, client: _, empty: __, ...kept } = await open(place)
    const engine = new Engine({ tools: handlerTools(journal), execution: 'parallel' })
    const page = durable(engine, {
      ...kept,
      leaseMs,
      run: () => {
        throw new Error('nobody works here')
      },
    })
    t.after(async () => {
      engine.close()
      await Promise.race([close().catch(() => {}), delay(2000)])
      await server.stop()
      await model.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const children = [spawned(), spawned()]
    const ids = ['decided before', 'decided after', 'decided while it is away']
    for (const id of ids) await page.start({ id, messages: hello, data: { key: 'secret' } })
    const questions = new Map()
    for (const id of ids)
      questions.set(
        id,
        await until(async () => {
          await delay(20)
          return (await page.status(id)).questions[0]
        }, id),
      )
    assert.equal(await page.decide(ids[0], approve(questions.get(ids[0]))), 'accepted')
    await server.pause()
    const during = page.decide(ids[2], approve(questions.get(ids[2]))).catch((error) => error)
    await delay(AWAY_MS)
    // BullMQ 6 listens for no error of a connection while a transaction runs on it: `pg` ends the process then, and who
    // supervises it begins another.
    const ended = children.filter(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
    const byPg = what.startsWith('Postgres')
      ? (said.join('').match(/Emitted 'error' event on Client instance/g)?.length ?? 0)
      : 0
    assert.equal(ended.length, byPg, said.join('\n'))
    for (const _ of ended) spawned()
    await server.goOn()
    const told = await during
    assert.ok(
      told === 'accepted' || (told.code === 'storage' && /the (Redis|database) of the turns/.test(told.message)),
      String(told),
    )
    const decide = async (id) =>
      await until(async () => {
        await delay(50)
        const status = await page.status(id).catch(() => undefined)
        if (!status) return false
        const [question] = status.questions
        if (question) await page.decide(id, approve(question)).catch(() => {})
        return status.decisions.length > 0 || status.phase === 'done'
      }, id)
    for (const id of ids.slice(1)) await decide(id)
    writeFileSync(`${journal}.go`, '')
    const lines = () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [])
    for (const id of ids) {
      const status = await until(
        async () => {
          await delay(20)
          const now = await page.status(id)
          return now.phase === 'done' && now
        },
        `${id}: ${said.slice(-3).join('\n')}`,
      )
      assert.equal(status.outcome, 'completed', id)
      assert.equal(status.decisions.length, 1, id)
      for (const { name: tool, key, status: card } of cardsOf(status)) {
        const ran = lines().filter((line) => line === `${tool} ${id}:${key}`).length
        assert.ok(
          card === 'success' ? ran === 1 : card === 'unknown' && ran <= 1,
          `${id}, ${tool}: ${card}, ran ${ran} times`,
        )
      }
    }
    assert.equal(await page.sweep(), 0)
  })
}

// -- full disks -------------------------------------------------------------------------------------------------------

test('a Redis that has no room says so, and what waits goes on when there is some', { skip: noRedis }, async (t) => {
  const redisServer = await startRedis()
  const client = new Redis({ host: '127.0.0.1', port: redisServer.port })
  t.after(async () => {
    client.disconnect()
    await redisServer.stop()
  })
  const server = await serverOf(t, ({ body }) =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: [{ id: 'c', name: 'echo_back', arguments: { text: 'a' } }] },
  )
  let ran = 0
  const turns = turnsOf(t, server, { store: redisTurns(client), queue: lossy, tools: [asks({ execute: () => ++ran })] })
  const id = await turns.start({ messages: hello })
  await turns.advance(id)
  const before = await turns.status(id)
  const [question] = before.questions
  await client.config('SET', 'maxmemory', '500000')
  const fault = { code: 'storage', path: 'client', message: /the Redis of the turns: .*OOM/ }
  for (const act of [
    () => turns.decide(id, approve(question)),
    () => turns.cancel(id),
    () => turns.start({ id: 'another', messages: hello }),
  ])
    await assert.rejects(act(), fault)
  assert.deepEqual([await turns.status(id), await turns.sweep()], [before, 0])
  await client.config('SET', 'maxmemory', '0')
  await assert.rejects(turns.status('another'), { code: 'not_found' })
  assert.equal(await turns.decide(id, approve(question)), 'accepted')
  assert.equal(await turns.advance(id), 'done')
  assert.equal(ran, 1)
})

const mountable = () => {
  if (process.platform !== 'linux' || process.getuid() !== 0) return 'only root mounts a small disk'
  const folder = mkdtempSync(join(tmpdir(), 'sluice-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return false
  } catch {
    return 'no small disk can be mounted here'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('a Postgres whose disk is full says so, and what was saved goes on', {
  skip: noPostgres || mountable(),
}, async (t) => {
  const server = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=777', 'tmpfs', folder])
  const [pool, small] = ['', '-c default_tablespace=small'].map((options) =>
    poolOf(pg, { ...server.config, max: 4, options }).on('error', () => {}),
  )
  t.after(async () => {
    await Promise.all([pool.end(), small.end()])
    await server.stop()
    execFileSync('umount', [folder])
    rmSync(folder, { recursive: true, force: true })
  })
  execFileSync('chown', ['postgres', folder])
  await pool.query(`CREATE TABLESPACE small LOCATION '${folder}'`)
  const filler = join(folder, 'filler')
  const fill = async () => {
    try {
      writeFileSync(filler, Buffer.alloc(4_000_000))
    } catch {
      /* it is full */
    }
  }
  await onFullDisk(t, postgresTurns(small), {
    fill,
    free: async () => rmSync(filler, { force: true }),
    fault: { code: 'storage', path: 'pool', message: /the database of the turns: .*No space left on device/s },
  })
})
