// A worker of soak.test.mjs: ends, or is ended, with an engine and turns that hold a megabyte still open.
import { parentPort, workerData } from 'node:worker_threads'
import { Engine } from 'sluice'

const engine = new Engine({ limits: { textBytes: 1 << 24 } })
const turns = Array.from({ length: 4 }, () => engine.turn({ wire: 'text' }))
for (const turn of turns) {
  for (let i = 0; i < 16; i++) turn.feed('a text that the engine holds '.repeat(600))
  for (const event of turn.events()) if (event.type !== 'text') throw new Error(event.type)
}
parentPort.postMessage('open')
if (workerData === 'stay') setInterval(() => turns[0].nextEvent(), 1000)
