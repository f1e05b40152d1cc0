// npm run bench -- durable: what durable turns cost. 10,000 of them that wait: memory, timers, a sweep, the questions. Then legs a second, one process,
// against a scripted server in another one. `--store files|sqlite` (SQLite needs Node ≥ 22.13), `--turns N`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Engine, tool } from 'sluice'
import { durable } from 'sluice/durable'
import { startServer } from 'sluice/testing'
import { openStore } from '../js/durable-places.mjs'

const self = fileURLToPath(import.meta.url)
if (process.argv[2] === 'server') {
  const answers = ({ body }) => (body.messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : { text: 'I will. ', calls: [{ id: 'c', name: 'note_add', arguments: { text: 'umbrella' } }] })
  const server = await startServer({ answers, appendOnly: false, strict: false })
  process.send(server.baseURL)
} else {
  await bench()
}

async function bench() {
  const { values } = parseArgs({ options: { store: { type: 'string', default: 'files' }, turns: { type: 'string', default: '10000' } } })
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const server = fork(self, ['server'])
  const [baseURL] = await once(server, 'message')
  const place = values.store === 'sqlite' ? { kind: 'sqlite', path: join(folder, 'turns.db') } : { kind: 'files', path: join(folder, 'turns') }
  const { store, close } = await openStore(place)
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  const engine = new Engine({ approvalTimeoutMs: 30 * 86_400_000, tools: [tool({ name: 'note.add', description: 'Adds a note.', parameters, agentCallable: true, execute: ({ text }) => `added ${text}` })] })
  const lossy = { wake: async () => {}, at: async () => {}, work: () => ({ close: async () => {} }) }
  const turns = durable(engine, { store, queue: lossy, run: () => ({ model: { baseURL, name: 'scripted' } }) })
  const count = Number(values.turns)
  const each = async (items, act, width = 50) => {
    const left = [...items]
    await Promise.all(Array.from({ length: width }, async () => { for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item) }))
  }
  const timed = async (what, act) => {
    const [start, cpu] = [performance.now(), process.cpuUsage()]
    const units = await act()
    const [ms, used] = [performance.now() - start, process.cpuUsage(cpu)]
    console.log(`${what}: ${(ms / 1000).toFixed(2)} s, ${((used.user + used.system) / 1e6).toFixed(2)} s of processor${units ? `; ${Math.round((units * 1000) / ms)} a second, ${Math.round(units / ((used.user + used.system) / 1e6))} a second of processor` : ''}`)
  }
  const ids = Array.from({ length: count }, (_, at) => `turn-${at}`)
  console.log(`store: ${values.store}`)
  global.gc?.()
  const before = process.memoryUsage()
  await timed(`${count} turns are started`, async () => { await each(ids, (id) => turns.start({ id, messages: [{ role: 'user', content: 'Note: umbrella.' }] })); return count })
  await timed('each runs to its question (a leg with a request)', async () => { await each(ids, (id) => turns.advance(id)); return count })
  global.gc?.()
  await new Promise((resolve) => setTimeout(resolve, 200))
  global.gc?.()
  const after = process.memoryUsage()
  console.log(`memory of a waiting turn: ${((after.heapUsed - before.heapUsed) / count).toFixed(0)} bytes of heap; timers and handles: ${process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length}`)
  await timed('a sweep that finds nothing', async () => void (await turns.sweep()))
  const questions = []
  await timed('the questions of all', async () => { for await (const question of turns.questions()) questions.push(question); return questions.length })
  const some = questions.slice(0, Math.min(questions.length, 2000))
  await timed(`${some.length} decisions`, async () => { await each(some, ({ turn, call, stage, digest }) => turns.decide(turn, { call, stage, digest, decision: 'approve' })); return some.length })
  await timed('a sweep that finds them', async () => void (await turns.sweep()))
  await timed(`${some.length} legs with a decision, a tool and a request`, async () => { await each(some, ({ turn }) => turns.advance(turn)); return some.length })
  engine.close()
  await close()
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}
