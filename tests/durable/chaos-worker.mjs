// A worker of the chaos: works until it is killed or told to end. `node chaos-worker.mjs JSON`.
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { built } from '../js/dist.mjs'
import { toolsOf } from '../js/durable-worker.mjs'
import { open } from './places.mjs'

const { durable } = await built('sluice/durable')
const { Engine } = await built('sluice')

const { place, baseURL, journal, leaseMs, mostMs } = JSON.parse(process.argv[2])
// Computers do not agree about the time, and set their clocks while they work, forward and back.
const now = Date.now
let skewMs
Date.now = () => now() + skewMs
function setClock() {
  skewMs = Math.round((2 * Math.random() - 1) * mostMs)
  setTimeout(setClock, 100 + Math.random() * leaseMs).unref()
}
setClock()

const { store, queue, log, close } = await open(place)
// A queue may lose a wake, and give one twice.
const rough = {
  wake: async (id, how) => {
    const times = Math.floor(Math.random() * 4)
    for (let n = 0; n < times; n++) await queue.wake(id, how)
  },
  at: (id, time) => queue.at(id, time),
  work: (advance, around) => queue.work(advance, around),
}
const save = async (id, rev, patch) => {
  const saved = await store.save(id, rev, patch)
  if (saved !== null) appendFileSync(journal, `saved ${id} ${saved}\n`)
  return saved
}
const told = {
  ...Object.fromEntries(
    ['create', 'load', 'inbox', 'push', 'list', 'remove'].map((name) => [name, (...given) => store[name](...given)]),
  ),
  save,
}
const tools = toolsOf(
  journal,
  () => {},
  async () => await delay(Math.random() * 300),
)
const turns = durable(new Engine({ tools }), {
  store: told,
  queue: rough,
  log,
  leaseMs,
  run: () => ({ model: { baseURL, name: 'scripted', apiKey: 'secret' } }),
})
process.on('warning', ({ message }) => appendFileSync(journal, `warning ${JSON.stringify(message)}\n`))
const worker = turns.work({ sweepMs: leaseMs })
process.stdin.resume().on('end', () => process.exit()) // whoever started it is gone
process.on(
  'SIGTERM',
  () =>
    void worker
      .close()
      .then(close)
      .then(() => process.exit()),
)
