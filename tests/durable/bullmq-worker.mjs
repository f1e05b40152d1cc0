// A worker with the defaults of queue and sweep, until it is killed. `node bullmq-worker.mjs JSON`.
import { setTimeout as delay } from 'node:timers/promises'
import { built } from '../js/dist.mjs'
import { asks } from '../js/durable-support.mjs'
import { open } from './places.mjs'

const { durable } = await built('sluice/durable')
const { Engine } = await built('sluice')

const { place, baseURL, leaseMs } = JSON.parse(process.argv[2])
const { store, queue, log } = await open(place)
const engine = new Engine({
  tools: [
    asks({
      execute: async ({ text }) => {
        await delay(300)
        return `you said ${text}`
      },
    }),
  ],
})
durable(engine, {
  store,
  queue,
  log,
  leaseMs,
  run: () => ({ model: { baseURL, name: 'scripted', apiKey: 'secret' } }),
}).work()
console.log('works')
process.stdin.resume().on('end', () => process.exit()) // whoever started it is gone
