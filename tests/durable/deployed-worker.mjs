// A deployment of an app with a durable turn: a process with its own clock and its own definition of the tool. It works
// until it is told to end. `node deployed-worker.mjs JSON`.
import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { open } from './places.mjs'

const { Engine, tool } = await built('sluice')
const { durable } = await built('sluice/durable')

export const DAY = 86_400_000
/** Longer than the question waits in the test, and it ends by the clock. */
export const approvalTimeoutMs = 40 * DAY

/** The app of a version: from the second on, the tool is another one. Each says in the journal which version ran. */
export function appOf(version, { journal, baseURL, ...places }) {
  const parameters = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] }
  const pay = tool({
    name: 'bill.pay',
    description: version === 1 ? 'Pays a bill.' : 'Pays a bill from the other account.',
    identity: `${version}`,
    parameters,
    agentCallable: true,
    permission: 'sensitive',
    execute: ({ amount }, { key }) => {
      appendFileSync(journal, `version ${version} paid ${amount} for ${key}\n`)
      return `paid ${amount}`
    },
  })
  const engine = new Engine({ approvalTimeoutMs, tools: [pay] })
  return {
    engine,
    turns: durable(engine, { ...places, run: () => ({ model: { baseURL, name: 'scripted', apiKey: 'secret' } }) }),
  }
}

/** Moves the clock of this process. Returns what puts it back. */
export function ahead(ms) {
  const { now } = Date
  Date.now = () => now() + ms
  return () => void (Date.now = now)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { place, version, aheadMs, ...given } = JSON.parse(process.argv[2])
  ahead(aheadMs)
  const { store, queue, log, close } = await open(place)
  let sweeps = 0
  const { turns, engine } = appOf(version, { ...given, store, queue, log })
  const sweep = turns.sweep.bind(turns)
  turns.sweep = async () => {
    const found = await sweep()
    console.log(`sweep ${++sweeps}: ${found}`)
    return found
  }
  const worker = turns.work({ sweepMs: 200 })
  process.stdin.resume().on('end', () => process.exit()) // whoever started it is gone
  process.on(
    'SIGTERM',
    () =>
      void worker
        .close()
        .then(close)
        .then(() => {
          engine.close()
          process.exit()
        }),
  )
}
