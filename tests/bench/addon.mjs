// What an event costs through the addon: one delta in, one event out; polled as JSON, and in steps.
import { Buffer } from 'node:buffer'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unpack } from '../../js/dist/esm/core/packed.js'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const native = createRequire(import.meta.url)(process.env.SLUICE_ADDON ?? join(root, 'build', 'release', 'sluice.node'))

const sse = (delta) => Buffer.from(`data: ${JSON.stringify({
  id: 'chatcmpl-B1x9pQ2cS7', object: 'chat.completion.chunk', created: 1727346169, model: 'gpt-4o-mini',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
})}\n\n`)
const text = sse({ content: ' token' })
const opens = sse({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'note', arguments: '{"text":"' } }] })
const args = sse({ tool_calls: [{ index: 0, function: { arguments: ' token' } }] })

const polls = (take) => (turn, delta) => {
  native.feed(turn, delta)
  let events = 0
  for (let event; (event = native.nextEvent(turn)) !== null; events++) take(event)
  return events
}
const out = new Uint32Array(4 + 256 * 3)
const steps = (turn, delta) => {
  const given = native.step(turn, null, delta, out)
  return given === undefined ? 0 : unpack(out, given, 0, (text) => text).length
}
const cases = [
  ['text, events as strings', {}, null, text, polls(() => {})],
  ['text, events parsed', {}, null, text, polls(JSON.parse)],
  ['text, in steps', {}, null, text, steps],
  ['text of a text protocol, parsed', { mode: 'text', protocol: 'vcp' }, null, text, polls(JSON.parse)],
  ['text of a text protocol, in steps', { mode: 'text', protocol: 'vcp' }, null, text, steps],
  ['arguments, parsed', {}, opens, args, polls(JSON.parse)],
  ['arguments, in steps', {}, opens, args, steps],
]

const deltas = 50_000
console.log(`\n${'through the addon (aim: at most 3 µs per event)'.padEnd(55)} ${'µs/event'.padStart(10)}`)
for (const [name, config, first, delta, pass] of cases) {
  let best = Infinity
  for (let run = 0; run < 5; run++) {
    const engine = native.engineNew('{}')
    const turn = native.turnNew(engine, JSON.stringify({ wire: 'openai-chat', ...config }))
    if (first) native.feed(turn, first)
    let events = 0
    const start = performance.now()
    for (let i = 0; i < deltas; i++) events += pass(turn, delta)
    best = Math.min(best, ((performance.now() - start) * 1000) / events)
    native.turnFree(turn)
    native.engineFree(engine)
  }
  console.log(`${name.padEnd(55)} ${best.toFixed(2).padStart(10)}`)
}
