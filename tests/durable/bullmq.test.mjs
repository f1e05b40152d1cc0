// BullMQ as the queue, on Redis in both majors and on Postgres: no wake is lost, times are kept, and turns come to
// their end.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import * as bull6 from 'bullmq'
import * as bull5 from 'bullmq-5'
import * as early from 'bullmq-5-50'
import { Redis } from 'ioredis'
import pg from 'pg'
import { answersOf, approve, asks, hello, serverOf, textOf, until } from '../js/durable-support.mjs'
import { open } from './places.mjs'
import { noPostgres, noRedis, startRedis, withServers } from './servers.mjs'

const { Engine } = await built('sluice')
const { bullmqQueue, durable, postgresTurns, redisTurns, redisLog } = await built('sluice/durable')

const servers = withServers()
const program = fileURLToPath(new URL('bullmq-worker.mjs', import.meta.url))
const LEASE_MS = 2000

const backends = {
  'BullMQ 6 on Redis': {
    skip: noRedis,
    options: () => ({ ...bull6, connection: { host: '127.0.0.1', port: servers.redis.port } }),
    store: redisStore,
  },
  'BullMQ 5 on Redis': {
    skip: noRedis,
    options: () => ({ ...bull5, connection: { host: '127.0.0.1', port: servers.redis.port } }),
    store: redisStore,
  },
  'BullMQ 6 on Postgres': {
    skip: noPostgres,
    options: () => ({
      ...bull6,
      backend: bull6.createPostgresBackend,
      connection: { ...servers.postgres.config, migrate: true },
    }),
    store: postgresStore,
  },
}

function redisStore(t) {
  const client = new Redis({ host: '127.0.0.1', port: servers.redis.port })
  t.after(() => client.disconnect())
  const prefix = `t${randomUUID()}:`
  return { store: redisTurns(client, { prefix }), log: redisLog(client, { prefix, pollMs: 10 }) }
}

function postgresStore(t) {
  const pool = new pg.Pool({ ...servers.postgres.config, max: 4 })
  t.after(() => pool.end())
  return { store: postgresTurns(pool, { prefix: `t${randomUUID().replaceAll('-', '')}_` }) }
}

for (const [name, { skip, options, store }] of Object.entries(backends)) {
  const queueOf = (t, more = {}) => {
    const { Queue, Worker, connection, backend } = options()
    const queue = bullmqQueue({
      Queue,
      Worker,
      connection,
      name: `q${randomUUID()}`,
      ...(backend ? { backend } : {}),
      ...more,
    })
    t.after(() => queue.close())
    return queue
  }

  test(`${name}: a wake that comes while its turn is worked on leads to another look, and many are one`, {
    skip,
  }, async (t) => {
    const queue = queueOf(t)
    const looks = []
    let most = 0
    let now = 0
    const worker = queue.work(async (id) => {
      most = Math.max(most, ++now)
      looks.push(id)
      if (looks.length === 1) for (let count = 0; count < 3; count++) await queue.wake(id)
      await delay(100)
      now--
    })
    for (let count = 0; count < 5; count++) await queue.wake('a turn: ü')
    await until(() => looks.length === 2, 'the second look')
    await delay(300)
    assert.deepEqual([looks, most], [['a turn: ü', 'a turn: ü'], 1])
    await worker.close()
  })

  test(`${name}: a time is kept, and swallows no wake`, { skip }, async (t) => {
    const queue = queueOf(t)
    const looks = []
    const worker = queue.work(async () => void looks.push(Date.now()))
    const due = Date.now() + 3000 // a busy machine looks late
    await queue.at('a', due)
    await queue.at('a', due)
    await queue.wake('a')
    await until(() => looks.length === 1)
    assert.ok(looks[0] < due, 'the wake came at once')
    await until(() => looks.length === 2)
    assert.ok(looks[1] >= due - 5)
    await worker.close()
  })

  test(`${name}: what a sweep found waits behind no worker that died`, { skip }, async (t) => {
    const queue = queueOf(t)
    let looks = 0
    let letGo
    const dead = new Promise((resolve) => (letGo = resolve))
    const worker = queue.work(async () => {
      if (++looks === 1) await dead
    }) // its job is held until the end
    await queue.wake('a')
    await until(() => looks === 1)
    await queue.wake('a')
    await delay(300)
    assert.equal(looks, 1, 'a wake waits for the look that runs')
    await queue.wake('a', { swept: true })
    await until(() => looks === 2, 'the look for the sweep')
    letGo()
    await until(() => looks === 3, 'the look for the wake that came meanwhile')
    await worker.close()
  })

  const others = name.startsWith('BullMQ 5') && 'its workers are those of BullMQ 6'
  test(`${name}: a worker is killed every 2 s, and every turn comes to its end soon`, {
    skip: skip || others,
    timeout: 240_000,
  }, async (t) => {
    const server = await serverOf(t, answersOf('one', 'two'))
    const place = name.endsWith('Postgres')
      ? { kind: 'postgres', config: servers.postgres.config }
      : { kind: 'redis', port: servers.redis.port }
    place.name = `q${randomUUID().replaceAll('-', '')}`
    const { store, queue, log, close } = await open(place)
    const engine = new Engine({ tools: [asks()] })
    const page = durable(engine, {
      store,
      queue,
      log,
      leaseMs: LEASE_MS,
      run: () => {
        throw new Error('nobody works here')
      },
    })
    const ready = new Set()
    const children = new Set()
    const starts = []
    let living = true
    const spawned = () => {
      const child = spawn(
        process.execPath,
        [program, JSON.stringify({ place, baseURL: server.baseURL, leaseMs: LEASE_MS })],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      )
      const begun = performance.now()
      children.add(child)
      child.stdout.on('data', () => {
        starts.push(performance.now() - begun)
        ready.add(child)
      })
      child.on('exit', () => {
        children.delete(child)
        ready.delete(child)
        if (living) spawned()
      })
    }
    t.after(async () => {
      living = false
      for (const child of children) child.kill('SIGKILL')
      engine.close()
      await close()
    })
    for (let count = 0; count < 3; count++) spawned()
    await until(() => ready.size === 3, 'the workers')
    let killed = 0
    const killing = setInterval(() => {
      const [oldest] = ready
      if (ready.size === 3 && oldest.kill('SIGKILL')) killed++ // on a busy machine the next one may not be there yet
    }, 2000)
    t.after(() => clearInterval(killing))
    const left = new Map()
    const took = []
    const answered = new Set()
    const decide = async () => {
      for await (const question of page.questions()) {
        const { turn, call, digest, askedAt } = question
        const known = `${turn} ${call} ${digest} ${askedAt}`
        if (!answered.has(known) && answered.add(known)) await page.decide(turn, approve(question))
      }
    }
    let starting = 0
    await until(
      async () => {
        if (killed < 5 && performance.now() > starting) {
          left.set(await page.start({ messages: hello }), performance.now())
          starting = performance.now() + 600
        }
        await decide()
        for (const [id, begun] of left)
          if ((await store.load(id)).phase === 'done' && left.delete(id)) took.push(performance.now() - begun)
        await delay(100)
        return killed >= 5 && left.size === 0
      },
      'the end of every turn',
      150_000,
    )
    assert.ok(
      Math.max(...took) < 20_000 + 3 * Math.max(...starts),
      `the slowest turn took ${Math.round(Math.max(...took))} ms`,
    )
    t.diagnostic(
      `${killed} were killed; the slowest turn took ${Math.round(Math.max(...took))} ms, the slowest start of a worker ${Math.round(Math.max(...starts))} ms`,
    )
  })

  test(`${name}: what fails is tried again`, { skip }, async (t) => {
    const queue = queueOf(t)
    let tries = 0
    const worker = queue.work(async () => {
      if (++tries < 3) throw new Error('the model server is away')
    })
    await queue.wake('a')
    await until(() => tries === 3)
    await worker.close()
  })

  test(`${name}: turns of two workers come to their end, with readers elsewhere`, { skip }, async (t) => {
    const server = await serverOf(t, answersOf('one', 'two'))
    const places = store(t)
    const queueName = `q${randomUUID()}`
    const make = () => {
      const engine = new Engine({ tools: [asks()] })
      t.after(() => engine.close())
      return durable(engine, {
        ...places,
        queue: queueOf(t, { name: queueName }),
        run: () => ({ model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' } }),
      })
    }
    const [page, ...processes] = [make(), make(), make()]
    const workers = processes.map((turns) => turns.work())
    const ids = []
    for (let count = 0; count < 10; count++) ids.push(await page.start({ messages: hello, thread: `${count % 2}` }))
    const reading = ids.map(async (id) => {
      const events = []
      for await (const event of page.events(id)) events.push(event)
      return events
    })
    let decided = 0
    await until(async () => {
      for await (const question of page.questions())
        if ((await page.decide(question.turn, approve(question, { by: 'a page' }))) === 'accepted') decided++
      await delay(50)
      return decided === 20
    }, 'every decision')
    for (const events of await Promise.all(reading)) assert.equal(events.at(-1).type, 'done')
    for (const id of ids) {
      const status = await page.status(id)
      assert.deepEqual(
        [status.phase, status.outcome, textOf(status)],
        ['done', 'completed', 'Call 1. Call 2. I was told: you said one, you said two'],
      )
    }
    assert.equal(server.requests.length, 30, 'nothing was done twice')
    assert.equal(await page.sweep(), 0)
    for (const worker of workers) await worker.close()
  })
}

test('a worker whose jobs stay locked for much longer than its lease is warned about', { skip: noRedis }, async (t) => {
  const warned = []
  const listen = ({ message }) => warned.push(message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  for (const [lockMs, leaseMs] of [
    [4000, 2000],
    [4001, 2000],
    [undefined, 2000],
  ]) {
    const { Queue, Worker, connection } = backends['BullMQ 6 on Redis'].options()
    const locks = []
    class Noted extends Worker {
      constructor(name, process, options, ...more) {
        super(name, process, options, ...more)
        if (process) locks.push(options.lockDuration)
      }
    }
    const queue = bullmqQueue({
      Queue,
      Worker: Noted,
      connection,
      name: `q${randomUUID()}`,
      ...(lockMs ? { lockMs } : {}),
    })
    t.after(() => queue.close())
    await queue.work(async () => {}, { leaseMs }).close()
    assert.deepEqual(locks, [lockMs ?? leaseMs])
  }
  await until(() => warned.length > 0, 'the warning')
  assert.deepEqual(warned, [
    'lockMs of bullmq is 4001, more than twice the leaseMs of the turns (2000): a turn whose worker dies stands still for longer than its lease',
  ])
})

test('trials: processes try one at a time, and what a hundred left that were killed is gone behind the next one', {
  skip: noRedis,
  timeout: 60_000,
}, async (t) => {
  const client = new Redis({ host: '127.0.0.1', port: servers.redis.port })
  t.after(() => client.disconnect())
  const connection = { host: '127.0.0.1', port: servers.redis.port }
  const name = `q${randomUUID()}`
  for (let count = 0; count < 100; count++) {
    // each was killed behind another step of its trial
    const [id, steps] = [randomUUID(), count % 4]
    const queue = new bull6.Queue(`${name}-trial`, { connection })
    const worker = new bull6.Worker(`${name}-trial`, null, { connection, autorun: false })
    await queue.add('reserved', { id }, { jobId: id, delay: 1_000_000, deduplication: { id: 'trial', ttl: 1 } })
    const wake = () =>
      queue.add('wake', { id }, { deduplication: { id, keepLastIfActive: true }, removeOnComplete: true })
    if (steps > 0) await wake()
    const job = steps > 1 ? await worker.getNextJob(id) : undefined
    if (steps > 2) {
      await wake()
      await job.moveToCompleted(null, id, false)
    }
    await queue.close()
    await worker.close()
  }
  const queues = async () => new Set((await client.keys('*-trial*')).map((key) => key.split(':')[1]))
  assert.deepEqual([...(await queues())], [`${name}-trial`])
  const many = Array.from({ length: 12 }, () =>
    bullmqQueue({ Queue: bull6.Queue, Worker: bull6.Worker, connection, name }),
  )
  t.after(() => Promise.all(many.map((queue) => queue.close())))
  await Promise.all(many.map((queue) => queue.wake('a')))
  assert.deepEqual([...(await queues())], [])
})

test('a BullMQ that would lose wakes is refused, in words, and nothing of the trial stays', {
  skip: noRedis,
}, async (t) => {
  const warned = []
  const listen = ({ message }) => warned.push(message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  const client = new Redis({ host: '127.0.0.1', port: servers.redis.port })
  t.after(() => client.disconnect())
  const connection = { host: '127.0.0.1', port: servers.redis.port }
  const name = `q${randomUUID()}`
  const queue = bullmqQueue({ Queue: early.Queue, Worker: early.Worker, connection, name })
  t.after(() => queue.close())
  const refused = { code: 'option', path: 'Queue', message: /loses a wake .*5\.81/s }
  await assert.rejects(queue.wake('a'), refused)
  await assert.rejects(queue.wake('a'), refused)
  const worker = queue.work(async () => {})
  await until(() => warned.some((text) => /loses a wake/.test(text)), 'the word of the worker')
  await worker.close()
  const turns = durable(new Engine(), { store: redisTurns(client, { prefix: `${name}:` }), queue, run: () => ({}) })
  await assert.rejects(turns.start({ messages: hello }), refused)
  assert.deepEqual(await client.keys('*-trial*'), [])

  const sound = bullmqQueue({ Queue: bull5.Queue, Worker: bull5.Worker, connection, name })
  t.after(() => sound.close())
  await sound.wake('a')
  assert.deepEqual(await client.keys('*-trial*'), [])
})

test('a trial that fails loses no wake and leaves nothing behind, and is made again', { skip: noRedis }, async (t) => {
  const warned = []
  const listen = ({ message }) => warned.push(message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  const client = new Redis({ host: '127.0.0.1', port: servers.redis.port })
  t.after(() => client.disconnect())
  const open = new Set()
  class Queue extends bull5.Queue {
    constructor(...given) {
      super(...given)
      open.add(this)
    }
    async close() {
      open.delete(this)
      await super.close()
    }
  }
  const connections = async () => Number(/connected_clients:(\d+)/.exec(await client.info('clients'))[1])
  const queueOf = (more = {}) =>
    bullmqQueue({
      Queue,
      Worker: bull5.Worker,
      connection: { host: '127.0.0.1', port: servers.redis.port },
      name: `q${randomUUID()}`,
      ...more,
    })

  // A worker refuses this client; a process that only starts turns needs none.
  const shared = new Redis({ host: '127.0.0.1', port: servers.redis.port })
  t.after(() => shared.disconnect())
  const starts = queueOf({ connection: shared })
  t.after(() => starts.close())
  for (const id of ['a', 'b']) await starts.wake(id)
  assert.deepEqual(
    [open.size, warned.filter((text) => /could not be tried: .*maxRetriesPerRequest/.test(text)).length],
    [1, 1],
    'what a trial opened is closed, and it is told once',
  )

  let fails = true
  class Failing extends Queue {
    async getWaitingCount() {
      if (fails) throw new Error('READONLY')
      return await super.getWaitingCount()
    }
  }
  const before = await connections()
  const name = `q${randomUUID()}`
  const flaky = queueOf({ Queue: Failing, name })
  t.after(() => flaky.close())
  await flaky.wake('a')
  await flaky.at('b', Date.now())
  assert.deepEqual(await client.keys('*-trial*'), [])
  assert.equal(warned.filter((text) => /could not be tried: READONLY/.test(text)).length, 1)
  await until(async () => (await connections()) <= before + 2, 'the end of the connections')
  fails = false
  await flaky.wake('c')
  const trials = open.size
  await flaky.wake('d')
  assert.equal(open.size, trials)
  const looks = []
  const worker = flaky.work(async (id) => void looks.push(id))
  await until(() => looks.length === 4, 'all that was woken')
  await worker.close()
})

test('a worker that begins while its Redis is away works when it is there', { skip: noRedis }, async (t) => {
  const server = await startRedis()
  t.after(() => server.stop())
  await server.pause()
  const connection = { host: '127.0.0.1', port: server.port }
  const queue = bullmqQueue({ Queue: bull6.Queue, Worker: bull6.Worker, connection, name: 'q' })
  t.after(() => queue.close())
  const looks = []
  const worker = queue.work(async (id) => void looks.push(id))
  const waking = queue.wake('a')
  await delay(500)
  await server.goOn()
  await waking
  await until(() => looks.length === 1, 'the look')
  await worker.close()
})
