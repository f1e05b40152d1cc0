// A process that carries the turns of handlers on, until it is killed. `node handler-worker.mjs JSON`.
import { built } from '../js/dist.mjs'
import { handlerTools, leaseMs } from './handler-tools.mjs'
import { open } from './places.mjs'

const { durable } = await built('sluice/durable')
const { Engine } = await built('sluice')

const { place, baseURL, journal } = JSON.parse(process.argv[2])
const { store, queue, log } = await open(place)
const turns = durable(new Engine({ tools: handlerTools(journal), execution: 'parallel' }), {
  store,
  queue,
  log,
  leaseMs,
  run: ({ data }) => ({ model: { baseURL, name: 'scripted', apiKey: data.key }, flushMs: 0 }),
})
turns.work({ sweepMs: 300 })
process.stdin.resume().on('end', () => process.exit()) // whoever started it is gone
