// A process that carries turns on for a handler in another one: it is told which by messages.
import { built } from '../js/dist.mjs'
import { asks } from '../js/durable-support.mjs'

const { Engine } = await built('sluice')
const { durable, fileTurns } = await built('sluice/durable')

const [folder, baseURL] = process.argv.slice(2)
const turns = durable(new Engine({ tools: [asks()] }), {
  store: fileTurns(folder),
  run: () => ({ model: { baseURL, name: 'scripted', apiKey: 'secret' } }),
})
turns.work({ sweepMs: 50 })
process.on('message', (id) => void turns.advance(id))
process.on('disconnect', () => process.exit())
process.send('ready')
