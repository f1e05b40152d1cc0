// Chaos: three workers that are killed and paused at random, clocks that differ and jump, wakes that are lost or come
// twice; for every store. Readers follow every turn through it. 5 s each, or 60 with SLUICE_LONG=1.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { cardsOf, Replay, until } from '../js/durable-support.mjs'
import { answerOutside, answers, checkTurn, toolsOf } from '../js/durable-worker.mjs'
import { everyPlace, open } from './places.mjs'
import { withServers } from './servers.mjs'

const { durable } = await built('sluice/durable')
const { Engine } = await built('sluice')
const { startScriptedServer } = await built('sluice/testing')

const program = fileURLToPath(new URL('chaos-worker.mjs', import.meta.url))
const SECONDS = process.env.SLUICE_LONG ? 60 : 5
const TURNS = process.env.SLUICE_LONG ? 200 : 24
const LEASE_MS = 600

const servers = withServers()

/**
 * What cannot be written because a paused process holds the database for longer than it is waited for is said again, as
 * an app would.
 */
async function patiently(act) {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (error.code !== 'storage' || !/locked/.test(error.message)) throw error
      await delay(50)
    }
  }
}

const random = (from, to) => from + Math.random() * (to - from)

for (const [what, { skip, place: placeOf }] of Object.entries(everyPlace)) {
  test(`chaos over ${what}: ${TURNS} turns in ${SECONDS} s come to their end, and nothing happens twice`, {
    skip,
    timeout: SECONDS * 1000 + 120_000,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-chaos-'))
    const journal = join(folder, 'journal')
    appendFileSync(journal, '')
    const server = await startScriptedServer({ answers, appendOnly: false })
    const place = placeOf(folder, servers)
    const { close, empty: _, client: __, ...kept } = await open(place)
    const engine = new Engine({ tools: toolsOf(journal) })
    const page = durable(engine, {
      ...kept,
      leaseMs: LEASE_MS,
      run: () => ({ model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' } }),
    })
    const counts = { killed: 0, paused: 0, told: 0 }
    let living = true
    const children = new Set()
    const spawned = () => {
      const given = { place, baseURL: server.baseURL, journal, leaseMs: LEASE_MS, mostMs: 1500 }
      const child = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['pipe', 'ignore', 'pipe'] })
      child.stderr.on('data', (data) => appendFileSync(journal, `stderr ${JSON.stringify(String(data))}\n`))
      children.add(child)
      child.on('exit', () => {
        children.delete(child)
        if (living) spawned()
      })
    }
    t.after(async () => {
      living = false
      for (const child of children) child.kill('SIGKILL')
      engine.close()
      await close()
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    })
    for (let count = 0; count < 3; count++) spawned()

    const end = Date.now() + SECONDS * 1000
    const ids = []
    /** The turns whose readers saw the end, with what they showed then. */
    const replays = new Map()
    const read = async (id) => {
      const replay = new Replay()
      let at
      while (replay.outcome === undefined) {
        await patiently(async () => {
          for await (const event of page.events(id, at)) {
            at = event.at
            replay.take(event)
            if (event.type === 'text' || event.type === 'card') counts.told++
            if (Math.random() < 0.05) break // leaves, and goes on where it was
          }
        })
      }
      replays.set(id, replay)
    }
    const starting = (async () => {
      for (let count = 0; count < TURNS; count++) {
        const id = await patiently(() =>
          page.start({ id: `turn-${count}`, messages: [{ role: 'user', content: 'Do it.' }] }),
        )
        ids.push(id)
        void read(id).catch((error) => replays.set(id, error))
        await delay((SECONDS * 800) / TURNS)
      }
    })()
    const killing = (async () => {
      while (Date.now() < end) {
        await delay(random(300, 900))
        const child = [...children][Math.floor(Math.random() * children.size)]
        if (!child) continue
        if (Math.random() < 0.6) {
          counts.killed++
          child.kill('SIGKILL')
        } else {
          counts.paused++
          child.kill('SIGSTOP')
          void delay(random(0.5, 3) * LEASE_MS).then(() => child.kill('SIGCONT'))
        }
      }
    })()
    let deciding = true
    const decisions = (async () => {
      while (deciding) {
        for (const id of ids)
          await patiently(async () => await answerOutside(page, id, (await page.status(id)).message))
        await patiently(async () => {
          for await (const question of page.questions()) {
            const { call, stage, digest } = question
            const decision = { call, stage, digest, decision: 'approve' }
            // somebody clicks twice
            await Promise.all([page.decide(question.turn, decision), page.decide(question.turn, decision)])
          }
        })
        await delay(100)
      }
    })()
    await starting
    await killing
    const statuses = new Map()
    const patience = Date.now() + 80_000 // of a machine that does much else
    while (statuses.size < TURNS) {
      for (const id of ids) {
        if (statuses.has(id)) continue
        const status = await patiently(() => page.status(id))
        if (status.phase === 'done') statuses.set(id, status)
      }
      if (Date.now() > patience) break
      await delay(100)
    }
    deciding = false
    await decisions
    living = false
    for (const child of [...children]) {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      if (child.exitCode === null) await Promise.race([once(child, 'exit'), delay(5000)])
    }
    const lines = readFileSync(journal, 'utf8').trim().split('\n')
    const left = []
    for (const id of ids)
      if (!statuses.has(id))
        left.push({
          ...(await kept.store.load(id)),
          state: undefined,
          config: undefined,
          cards: cardsOf(await page.status(id)).map(({ name, status }) => `${name} ${status}`),
          lines: lines.filter((line) => line.includes(`${id}:`) || line.includes(`${id} `)),
        })
    assert.deepEqual(
      left,
      [],
      `they do not end; ${lines
        .filter((line) => /^(warning|stderr)/.test(line))
        .slice(-5)
        .join('\n')}`,
    )
    let unknown = 0
    for (const [id, status] of statuses) unknown += checkTurn(id, status, lines)
    const saves = lines.filter((line) => line.startsWith('saved '))
    assert.equal(new Set(saves).size, saves.length, 'a revision was saved once')
    await until(() => replays.size === TURNS, 'the end, for every reader')
    for (const [id, replay] of replays) {
      if (replay instanceof Error) throw replay
      replay.check(statuses.get(id), `${id}, as its reader saw it`)
    }
    t.diagnostic(
      `${counts.killed} killed, ${counts.paused} paused, ${saves.length} saves, ${server.requests.length} requests; ${unknown} calls may have run, and the model was told so; ${counts.told} times a reader was told of a part`,
    )
  })
}
