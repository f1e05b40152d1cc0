// js/examples/durable as a user starts it, in each of its places: a worker that is killed while it waits and while a
// tool may run, one after it, and a question that is decided in a third process.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { built, builtFile } from '../js/dist.mjs'
import { noSqlite } from './places.mjs'
import { noPostgres, noRedis, withServers } from './servers.mjs'

const { startScriptedServer } = await built('sluice/testing')

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = builtFile('main')
const servers = withServers()

const answers = ({ body }) => {
  const told = body.messages.find(({ role }) => role === 'tool')
  return told
    ? { text: `I was told: ${told.content}` }
    : { text: 'I note it. ', calls: [{ id: 'c1', name: 'note_add', arguments: { text: 'umbrella' } }] }
}
const places = {
  process: { skip: false, env: () => ({}) },
  machine: { skip: noSqlite, env: () => ({}) },
  many: {
    skip: noPostgres || noRedis,
    env: () => ({
      POSTGRES_URL: `postgresql://${servers.postgres.config.user}@127.0.0.1:${servers.postgres.config.port}/postgres`,
      REDIS_URL: `redis://127.0.0.1:${servers.redis.port}`,
    }),
  },
}

for (const [TURNS, { skip, env }] of Object.entries(places)) {
  test(`TURNS=${TURNS}: a worker asks and is killed, somebody decides, and another worker goes on, before the eyes of who began`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-example-'))
    cpSync(join(root, 'js/examples/durable'), folder, { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/sluice'), 'dir')
    for (const name of ['bullmq', 'ioredis', 'pg'])
      symlinkSync(join(root, 'tests/durable/node_modules', name), join(folder, 'node_modules', name), 'dir')
    const model = await startScriptedServer({ answers, appendOnly: false })
    const living = new Set()
    t.after(async () => {
      for (const child of living) child.kill('SIGKILL')
      await model.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    })
    const start = (...words) => {
      const child = spawn(process.execPath, words, {
        cwd: folder,
        env: { ...process.env, ...env(), TURNS, SLUICE_BASE_URL: model.baseURL, SLUICE_MODEL: 'm' },
      })
      living.add(child)
      let [said, wrong] = ['', '']
      child.stdout.on('data', (data) => (said += data))
      child.stderr.on('data', (data) => (wrong += data))
      const end = once(child, 'close').then(([code]) => {
        living.delete(child)
        return { code, said, wrong }
      })
      const says = async (pattern) => {
        for (const late = performance.now() + 60_000; performance.now() < late; await delay(50)) {
          if (pattern.test(said)) return
          if (!living.has(child)) break
        }
        assert.fail(`${pattern} in ${JSON.stringify({ said, wrong })}`)
      }
      return {
        end,
        says,
        kill: async () => {
          child.kill('SIGKILL')
          await end
        },
      }
    }
    const first = start(main, 'worker', 'app.mjs', '--sweep', '1')
    const reader = start('app.mjs', 'ask', 'Note: umbrella.')
    await reader.says(
      /^\[turn [\w-]+\]\nI note it\. \n\[note\.add waits for somebody: npx sluice questions app\.mjs\]\n$/,
    )
    await first.kill()
    const listed = await start(main, 'questions', 'app.mjs').end
    const [name] = /[\w-]+:1:execution:[0-9a-f]{12}/.exec(listed.said) ?? assert.fail(JSON.stringify(listed))
    const decided = await start(main, 'questions', 'app.mjs', '--approve', name).end
    assert.equal(decided.said, 'accepted\n', decided.wrong)
    const second = start(main, 'worker', 'app.mjs', '--sweep', '1')
    const { code, said, wrong } = await reader.end
    assert.equal(code, 0, wrong)
    assert.match(said, /\nI was told: added umbrella\n\[completed\]\n$/)
    assert.equal(said.match(/I note it\./g).length, 1, said)
    assert.equal(model.requests.length, 2)
    await second.kill()
  })
}
