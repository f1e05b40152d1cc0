// Real processes that die: at every step of a turn, while they are paused, on a full disk. Whoever goes on finds what
// was saved.
import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { cardsOf, folderOf, lossy, Replay, serverOf, until } from '../js/durable-support.mjs'
import { answers, checkTurn, finish, toolsOf } from '../js/durable-worker.mjs'
import { everyPlace, open } from './places.mjs'
import { withServers } from './servers.mjs'

const { durable } = await built('sluice/durable')
const { Engine } = await built('sluice')

const worker = fileURLToPath(new URL('../js/durable-worker.mjs', import.meta.url))
const servers = withServers()
const LEASE_MS = 60
/** Of a worker that is to die: long enough that its steps are the same each time. */
const LONG_MS = 60_000
const PAUSES = process.platform !== 'win32'

/** A worker, and `ended`: what it printed, its signal and its code. */
function begun(options, { wrap = (args) => [process.execPath, args] } = {}) {
  const child = spawn(
    ...wrap(['--disable-warning=ExperimentalWarning', worker, JSON.stringify({ leaseMs: LONG_MS, ...options })]),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => (out += data))
  child.stderr.on('data', (data) => (err += data))
  return { child, ended: once(child, 'close').then(([code, signal]) => ({ out, err, code, signal })) }
}

const run = (options, more) => begun(options, more).ended

/** The worker that comes next, in this process: the time of the lease before it has passed. */
async function next(t, place, server, journal) {
  const kept = await open(place)
  const { store } = kept
  const engine = new Engine({ tools: toolsOf(journal) })
  let closing
  const close = () => (closing ??= (engine.close(), kept.close()))
  t.after(close)
  const turns = durable(engine, {
    store,
    queue: lossy,
    leaseMs: LEASE_MS,
    run: () => ({ model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' } }),
  })
  const row = await store.load('turn')
  if (row && row.phase === 'running' && row.wakeAt > Date.now() + 10_000)
    await store.save('turn', row.rev, { updated: Date.now(), wakeAt: 0 })
  return { turns, store, close }
}

const linesOf = (journal) => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [])

/**
 * Every step of a turn: what it is, and the how-manieth of these. Where a server is behind the store, the first of each
 * kind, and with SLUICE_LONG=1 all.
 */
function stepsOf(told, isServer) {
  const times = new Map()
  for (const what of told) times.set(what, (times.get(what) ?? 0) + 1)
  return [...times].flatMap(([what, count]) =>
    Array.from({ length: isServer && !process.env.SLUICE_LONG ? 1 : count }, (_, at) => ({ what, time: at + 1 })),
  )
}

for (const [kind, { skip, place: placeOf }] of Object.entries(everyPlace)) {
  if (kind.includes('better')) continue // the same steps, and the same statements, as over sqlite
  for (const [how, signal] of [['killed', 'SIGKILL'], ...(PAUSES ? [['paused', 'SIGSTOP']] : [])]) {
    test(`${how} at ${kind.includes('BullMQ') ? 'steps of every kind' : 'every step'} over ${kind}, a turn comes to its end: a tool runs once, an idempotent one with one key`, {
      skip,
      timeout: 600_000,
    }, async (t) => {
      const server = await serverOf(t, answers)
      const folder = folderOf(t)
      const placed = (name) => {
        mkdirSync(join(folder, name))
        return { place: placeOf(join(folder, name), servers), journal: join(folder, `${name}.log`) }
      }
      const whole = placed('whole')
      const { out, err } = await run({ store: whole.place, baseURL: server.baseURL, journal: whole.journal })
      assert.equal(err, '')
      const told = JSON.parse(out)
      assert.ok(told.length > 40, out)
      // some go on while the next one works, some behind its end
      const left = stepsOf(told, kind.includes('BullMQ')).map((step, at) => ({ ...step, isEarly: at % 2 === 0 }))
      let unknown = 0
      let stopped = 0
      const places = new Set()
      const tryAt = async ({ what, time, isEarly }) => {
        const name = `${what} ${time}`
        const { place, journal } = placed(name)
        const { child, ended } = begun({
          store: place,
          baseURL: server.baseURL,
          journal,
          stopAt: { what, time, signal },
        })
        t.after(() => child.kill('SIGKILL'))
        let end
        void ended.then((how) => (end = how))
        await until(() => end ?? (signal === 'SIGSTOP' && linesOf(journal).includes(`${signal} ${what}`)), name)
        if (end?.signal === null && time > 1) return // a slow machine looks into the inbox more often
        assert.equal(end?.signal, signal === 'SIGKILL' ? signal : undefined, name)
        places.add(what)
        stopped++
        const { turns, store, close } = await next(t, place, server, journal)
        // its first start may be lost
        await turns.start({ id: 'turn', messages: [{ role: 'user', content: 'Do it.' }] })
        const replay = new Replay()
        const reading = (async () => {
          for await (const event of turns.events('turn')) replay.take(event)
        })()
        if (signal === 'SIGSTOP' && isEarly) {
          await turns.advance('turn')
          child.kill('SIGCONT') // and works beside the next one
        }
        const status = await finish(turns, 'turn')
        await reading
        replay.check(status, name)
        const row = await store.load('turn')
        if (signal === 'SIGSTOP') {
          child.kill('SIGCONT')
          const { code, err } = await ended
          assert.equal(code, 0, `${name}: ${err}`)
          assert.deepEqual(await store.load('turn'), row, `${name}: it wrote what is over`)
        }
        await close()
        unknown += checkTurn('turn', status, linesOf(journal), name)
      }
      await Promise.all(
        [1, 2].map(async () => {
          for (let at = left.shift(); at !== undefined; at = left.shift()) await tryAt(at)
        }),
      )
      for (const what of [
        'in front of save',
        'behind save',
        'in the answer',
        'in once',
        'behind asked',
        'behind push',
        'behind create',
      ])
        assert.ok(places.has(what), what)
      assert.ok(unknown > 0, 'some were in a tool')
      t.diagnostic(
        `${how} at ${stopped} of ${told.length} steps; ${unknown} calls may have run, and the model was told so`,
      )
    })
  }
}

test('a worker that was paused for longer than its lease writes nothing, and its tool runs once', {
  skip: !PAUSES && 'Windows pauses no process',
}, async (t) => {
  const server = await serverOf(t, answers)
  const folder = folderOf(t)
  const place = { kind: 'files', path: join(folder, 'turns') }
  const journal = join(folder, 'log')
  const child = fork(
    worker,
    [JSON.stringify({ store: place, baseURL: server.baseURL, journal, leaseMs: 450, hang: 'once' })],
    { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  t.after(() => child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (data) => (err += data))
  await once(child, 'message')
  const { turns } = await next(t, place, server, journal)
  await delay(600)
  assert.equal(await turns.advance('turn'), 'waiting', 'it lives')
  child.kill('SIGSTOP')
  await delay(500)
  const status = await finish(turns, 'turn')
  checkTurn('turn', status, linesOf(journal), 'paused')
  assert.equal(cardsOf(status)[0].status, 'unknown')
  const kept = readFileSync(join(place.path, 'turn/done.json'), 'utf8')
  child.kill('SIGCONT')
  const [code] = await once(child, 'close')
  assert.equal(code, 0, err)
  assert.equal(readFileSync(join(place.path, 'turn/done.json'), 'utf8'), kept)
  assert.equal(linesOf(journal).filter((line) => line.startsWith('begin once')).length, 1)
})

test('on a full disk nothing starts that was not saved, and nothing that was saved is lost', {
  skip: process.platform === 'win32' && 'Windows has no ulimit',
}, async (t) => {
  const server = await serverOf(t, answers)
  const folder = folderOf(t)
  const place = { kind: 'files', path: join(folder, 'turns') }
  const journal = join(folder, 'log')
  const wrap = (args) => ['bash', ['-c', `trap '' XFSZ; ulimit -f 64; exec "$0" "$@"`, process.execPath, ...args]]
  const { code, err } = await run({ store: place, baseURL: server.baseURL, journal, big: 100_000 }, { wrap })
  assert.equal(code, 1)
  assert.match(err, /the file of a turn: /)
  const { turns } = await next(t, place, server, journal)
  const before = await turns.status('turn')
  assert.equal(before.phase, 'running')
  await until(async () => Date.now() > 0 && (await turns.advance('turn')) !== undefined)
  const status = await finish(turns, 'turn')
  checkTurn('turn', status, linesOf(journal), 'full')
  assert.equal(cardsOf(status)[0].status, 'unknown', 'its result was never saved')
})

test('two workers at once: one carries the turn on, and the other lets it', async (t) => {
  const server = await serverOf(t, answers)
  const folder = folderOf(t)
  const place = { kind: 'files', path: join(folder, 'turns') }
  const journal = join(folder, 'log')
  const ends = await Promise.all(
    [1, 2].map(() => run({ store: place, baseURL: server.baseURL, journal, leaseMs: 2000 })),
  )
  assert.deepEqual(
    ends.map(({ code, err }) => [code, err]),
    [
      [0, ''],
      [0, ''],
    ],
  )
  const { turns } = await next(t, place, server, journal)
  const status = await turns.status('turn')
  checkTurn('turn', status, linesOf(journal), 'two')
  assert.deepEqual(
    cardsOf(status).map((card) => card.status),
    Array(4).fill('success'),
  )
})
