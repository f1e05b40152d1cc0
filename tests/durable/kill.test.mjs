// Real processes that die: at every step of a turn, while they are paused, on a full disk. Whoever goes on finds what was saved.
import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { durable } from '../../js/dist/esm/durable/index.js'
import { Engine } from '../../js/dist/esm/index.js'
import { openStore } from '../js/durable-places.mjs'
import { cardsOf, folderOf, lossy, serverOf, textOf, until } from '../js/durable-support.mjs'
import { answers, checkTurn, finish, toolsOf } from '../js/durable-worker.mjs'

const worker = fileURLToPath(new URL('../js/durable-worker.mjs', import.meta.url))
const LEASE_MS = 60
/** Of a worker that is to die: long enough that its steps are the same each time. */
const LONG_MS = 60_000

/** Runs a worker. Resolves to what it printed, its signal and its code. */
async function run(options, { wrap = (args) => [process.execPath, args] } = {}) {
  const child = spawn(...wrap([worker, JSON.stringify({ leaseMs: LONG_MS, ...options })]), { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (data) => (out += data))
  child.stderr.on('data', (data) => (err += data))
  const [code, signal] = await once(child, 'close')
  return { out, err, code, signal }
}

/** The worker that comes next, in this process. */
async function next(t, place, server, journal) {
  const kept = await openStore(place)
  const row = await kept.store.load('turn')
  if (row && row.phase === 'running' && row.wakeAt > Date.now() + 10_000) await kept.store.save('turn', row.rev, { updated: Date.now(), wakeAt: 0 }) // the time of its lease has passed
  const engine = new Engine({ tools: toolsOf(journal) })
  t.after(async () => { engine.close(); await kept.close() })
  return durable(engine, { store: kept.store, queue: lossy, leaseMs: LEASE_MS, run: () => ({ model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' } }) })
}

const linesOf = (journal) => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : [])

test('killed at every step, a turn comes to its end: a tool runs once, an idempotent one with one key', async (t) => {
  const server = await serverOf(t, answers)
  const folder = folderOf(t)
  const { out, err } = await run({ store: { kind: 'files', path: join(folder, 'whole') }, baseURL: server.baseURL, journal: join(folder, 'whole.log') })
  assert.equal(err, '')
  const steps = JSON.parse(out)
  assert.ok(steps.length > 40, out)
  // Of each kind the first and the last, and every fifth; all of them where there is time.
  const times = new Map()
  for (const what of steps) times.set(what, (times.get(what) ?? 0) + 1)
  const all = [...times].flatMap(([what, count]) => Array.from({ length: count }, (_, at) => ({ what, time: at + 1, last: at + 1 === count })))
  const left = all.filter(({ time, last }) => process.env.SLUICE_LONG || time === 1 || last || time % 5 === 0)
  let unknown = 0
  let died = 0
  const places = new Set()
  const tryAt = async (killAt) => {
    const name = `${killAt.what} ${killAt.time}`
    const place = { kind: 'files', path: join(folder, name) }
    const journal = join(folder, `${name}.log`)
    const { signal } = await run({ store: place, baseURL: server.baseURL, journal, killAt })
    if (signal === null && killAt.time > 1) return // a slow machine looks into the inbox more often
    assert.equal(signal, 'SIGKILL', name)
    died++
    const turns = await next(t, place, server, journal)
    await turns.start({ id: 'turn', messages: [{ role: 'user', content: 'Do it.' }] }) // its first start may be lost
    const reading = (async () => { const events = []; for await (const event of turns.events('turn')) events.push(event); return events })()
    const status = await finish(turns, 'turn')
    const lines = linesOf(journal)
    const where = lines.find((line) => line.startsWith('killed'))
    places.add(where)
    unknown += checkTurn('turn', status, lines, `${where}, ${name}`)
    const events = await reading
    const last = events.slice(events.findLastIndex(({ type }) => type === 'reset'))
    assert.equal(textOf(last[0]) + last.map((event) => (event.type === 'text' ? event.text : '')).join(''), textOf(status), where)
  }
  await Promise.all([1, 2].map(async () => { for (let at = left.shift(); at !== undefined; at = left.shift()) await tryAt(at) }))
  for (const where of ['in front of save', 'behind save', 'in the answer', 'in once', 'behind asked', 'behind push', 'behind create']) assert.ok(places.has(`killed ${where}`), where)
  assert.ok(unknown > 0, 'some died in a tool')
  t.diagnostic(`killed at ${died} of ${steps.length} steps; ${unknown} calls may have run, and the model was told so`)
})

test('a worker that was paused for longer than its lease writes nothing, and its tool runs once', { skip: process.platform === 'win32' && 'Windows pauses no process' }, async (t) => {
  const server = await serverOf(t, answers)
  const folder = folderOf(t)
  const place = { kind: 'files', path: join(folder, 'turns') }
  const journal = join(folder, 'log')
  const child = fork(worker, [JSON.stringify({ store: place, baseURL: server.baseURL, journal, leaseMs: 450, hang: 'once' })], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  t.after(() => child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (data) => (err += data))
  await once(child, 'message')
  const turns = await next(t, place, server, journal)
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

test('on a full disk nothing starts that was not saved, and nothing that was saved is lost', { skip: process.platform === 'win32' && 'Windows has no ulimit' }, async (t) => {
  const server = await serverOf(t, answers)
  const folder = folderOf(t)
  const place = { kind: 'files', path: join(folder, 'turns') }
  const journal = join(folder, 'log')
  const wrap = (args) => ['bash', ['-c', `trap '' XFSZ; ulimit -f 64; exec "$0" "$@"`, process.execPath, ...args]]
  const { code, err } = await run({ store: place, baseURL: server.baseURL, journal, big: 100_000 }, { wrap })
  assert.equal(code, 1)
  assert.match(err, /the file of a turn: /)
  const turns = await next(t, place, server, journal)
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
  const ends = await Promise.all([1, 2].map(() => run({ store: place, baseURL: server.baseURL, journal, leaseMs: 2000 })))
  assert.deepEqual(ends.map(({ code, err }) => [code, err]), [[0, ''], [0, '']])
  const status = await (await next(t, place, server, journal)).status('turn')
  checkTurn('turn', status, linesOf(journal), 'two')
  assert.deepEqual(cardsOf(status).map((card) => card.status), ['success', 'success', 'success'])
})
