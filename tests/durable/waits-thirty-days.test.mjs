// An approval that waits for thirty days, over three deployments: processes with clocks of their own, the last one with
// another definition of the tool, and a queue that lost everything meanwhile; for every store.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { approve, cardsOf, textOf } from '../js/durable-support.mjs'
import { ahead, appOf, approvalTimeoutMs, DAY } from './deployed-worker.mjs'
import { everyPlace, open } from './places.mjs'
import { withServers } from './servers.mjs'
import { until } from '../js/until.mjs'

const { startScriptedServer } = await built('sluice/testing')

const program = fileURLToPath(new URL('deployed-worker.mjs', import.meta.url))
const servers = withServers({ lockMs: 2000 })

const answers = ({ body }) => {
  const told = body.messages.find(({ role }) => role === 'tool')
  return told
    ? { text: `I was told: ${told.content}` }
    : { text: 'I pay. ', calls: [{ id: 'c1', name: 'bill_pay', arguments: { amount: 7 } }] }
}

for (const [what, { skip, place: placeOf }] of Object.entries(everyPlace)) {
  test(`an approval waits thirty days over ${what}, and the tool that changed meanwhile runs once, for the question about itself`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-days-'))
    const server = await startScriptedServer({ answers, appendOnly: false })
    const place = placeOf(folder, servers)
    const journal = join(folder, 'journal')
    const { close, empty, store, queue, log } = await open(place)
    const given = { baseURL: server.baseURL, journal }
    const begin = Date.now()
    let back = () => {}
    /** It is so many days later: for the page of this process, and for what is deployed now. */
    const later = (days) => {
      back()
      back = ahead(days * DAY)
      deploy.aheadMs = days * DAY
    }
    const deploy = Object.assign(
      (version) => {
        const child = spawn(
          process.execPath,
          [program, JSON.stringify({ ...given, place, version, aheadMs: deploy.aheadMs })],
          { stdio: ['pipe', 'pipe', 'pipe'] },
        )
        const told = { out: '', err: '' }
        child.stdout.on('data', (data) => (told.out += data))
        child.stderr.on('data', (data) => (told.err += data))
        t.after(() => child.kill('SIGKILL'))
        return {
          told,
          sweeps: (pattern) => until(() => pattern.test(told.out), `${pattern} in ${JSON.stringify(told)}`),
          stop: async () => {
            const gone = once(child, 'exit')
            child.kill('SIGTERM')
            assert.deepEqual(
              [await gone, told.err.replaceAll(/.*(ExperimentalWarning|--trace-warnings).*\n/g, '')],
              [[0, null], ''],
            )
          },
        }
      },
      { aheadMs: 0 },
    )
    const engines = []
    const pageOf = (version) => {
      const { engine, turns } = appOf(version, { ...given, store, queue, log })
      engines.push(engine)
      return turns
    }
    t.after(async () => {
      back()
      for (const engine of engines) engine.close()
      await close()
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const ran = () => (existsSync(journal) ? readFileSync(journal, 'utf8') : '')

    // The first deployment asks, and goes.
    const page = pageOf(1)
    const first = deploy(1)
    await page.start({ id: 'turn', messages: [{ role: 'user', content: 'Pay the bill.' }] })
    await until(async () => (await page.status('turn')).phase === 'waiting', 'the question')
    const [question] = (await page.status('turn')).questions
    assert.ok(question.askedAt - begin < 60_000)
    assert.ok(Math.abs(question.expiresAt - question.askedAt - approvalTimeoutMs) < 1000)
    await first.stop()
    await empty()

    // The second one, 29 days later, finds nothing to do: a turn that waits is a row.
    later(29)
    const row = await store.load('turn')
    const second = deploy(1)
    await second.sweeps(/sweep 3: /)
    await second.stop()
    assert.ok(!/: [1-9]/.test(second.told.out), second.told.out)
    assert.deepEqual(await store.load('turn'), row, 'nobody touched it')
    assert.deepEqual((await page.status('turn')).questions, [question])
    assert.equal(server.requests.length, 1)

    // On the 30th day somebody approves, on a page that has the old tool. No worker runs, and the queue loses the wake.
    later(30)
    assert.equal(await page.decide('turn', approve(question, { by: 'ann' })), 'accepted')
    await empty()
    assert.equal(await page.sweep(), 1, 'the store knows')
    await empty()

    // The third one has another tool: what was decided is about the one that is gone, and the question is asked again.
    const third = deploy(2)
    await third.sweeps(/sweep \d+: 1/)
    const again = await until(async () => {
      const {
        phase,
        questions: [asked],
      } = await page.status('turn')
      return phase === 'waiting' && asked.digest !== question.digest && asked
    }, 'the question is asked again')
    assert.deepEqual(
      [again.call, again.arguments, again.description],
      [question.call, { amount: 7 }, 'Pays a bill from the other account.'],
    )
    assert.equal(ran(), '', 'nothing ran by the old decision')
    const pageNow = pageOf(2)
    assert.equal(await pageNow.sweep(), 0, 'the old decision is used up')
    assert.equal(await pageNow.decide('turn', approve(question, { by: 'ann' })), 'stale')
    assert.equal(ran(), '')

    // Two people decide the new one at the same moment.
    const said = await Promise.all(['ann', 'bob'].map((by) => pageNow.decide('turn', approve(again, { by }))))
    assert.deepEqual(said.toSorted(), ['accepted', 'stale'])
    await until(async () => (await pageNow.status('turn')).phase === 'done', 'its end')
    const status = await pageNow.status('turn')
    assert.deepEqual(
      [status.outcome, textOf(status), cardsOf(status)[0].status],
      ['completed', 'I pay. I was told: paid 7', 'success'],
    )
    assert.deepEqual(
      status.decisions.map(({ digest }) => digest),
      [again.digest],
    )
    assert.ok(status.decisions[0].at >= begin + 30 * DAY)
    assert.equal(ran(), `version 2 paid 7 for turn:${cardsOf(status)[0].key}\n`)
    assert.equal(server.requests.length, 2)
    await third.stop()
    assert.equal(await pageNow.decide('turn', approve(again)), 'over')
  })
}
