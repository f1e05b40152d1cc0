// What an event costs through the addon: one delta in, one event out.
import { Buffer } from 'node:buffer'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const native = createRequire(import.meta.url)(process.env.SLUICE_ADDON ?? join(root, 'build', 'release', 'sluice.node'))

const sse = (delta) => Buffer.from(`data: ${JSON.stringify({
  id: 'chatcmpl-B1x9pQ2cS7', object: 'chat.completion.chunk', created: 1727346169, model: 'gpt-4o-mini',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
})}\n\n`)
const text = sse({ content: ' token' })
const opens = sse({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'note', arguments: '{"text":"' } }] })
const args = sse({ tool_calls: [{ index: 0, function: { arguments: ' token' } }] })

const nothing = () => {}
const cases = [
  ['text, events as strings', {}, null, text, nothing],
  ['text, events parsed', {}, null, text, JSON.parse],
  ['text of a text protocol, parsed', { mode: 'text', protocol: 'vcp' }, null, text, JSON.parse],
  ['arguments, parsed', {}, opens, args, JSON.parse],
]

const deltas = 50_000
console.log(`\n${'through the addon (aim: at most 3 µs per event)'.padEnd(55)} ${'µs/event'.padStart(10)}`)
for (const [name, config, first, delta, take] of cases) {
  let best = Infinity
  for (let run = 0; run < 5; run++) {
    const engine = native.engineNew('{}')
    const turn = native.turnNew(engine, JSON.stringify({ wire: 'openai-chat', ...config }))
    if (first) native.feed(turn, first)
    let events = 0
    const start = performance.now()
    for (let i = 0; i < deltas; i++) {
      native.feed(turn, delta)
      for (let event; (event = native.nextEvent(turn)) !== null; events++) take(event)
    }
    best = Math.min(best, ((performance.now() - start) * 1000) / events)
    native.turnFree(turn)
    native.engineFree(engine)
  }
  console.log(`${name.padEnd(55)} ${best.toFixed(2).padStart(10)}`)
}
