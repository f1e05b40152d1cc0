// What an event costs through the addon and through WebAssembly: one delta in, one event out; polled as JSON, and in
// steps. Both in turns, so that their ratio stays true on a machine that is busy. Without a build of WebAssembly (npm
// run build:wasm): the addon alone.
import { Buffer } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'

const { unpack } = await built('packed')
const { startWasm } = await built('wasm')

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const wasm = process.env.SLUICE_WASM ?? join(root, 'js', 'prebuilds', 'wasm', 'sluice.wasm')
const backends = [
  createRequire(import.meta.url)(process.env.SLUICE_ADDON ?? join(root, 'build', 'release', 'sluice.node')),
]
if (existsSync(wasm)) backends.push(startWasm(new WebAssembly.Module(readFileSync(wasm))))

const sse = (delta) =>
  Buffer.from(
    `data: ${JSON.stringify({
      id: 'chatcmpl-B1x9pQ2cS7',
      object: 'chat.completion.chunk',
      created: 1727346169,
      model: 'gpt-4o-mini',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
    })}\n\n`,
  )
const text = sse({ content: ' token' })
const opens = sse({
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'note', arguments: '{"text":"' } }],
})
const args = sse({ tool_calls: [{ index: 0, function: { arguments: ' token' } }] })

const polls = (take) => (native, turn, delta) => {
  native.feed(turn, delta)
  let events = 0
  for (let event; (event = native.nextEvent(turn)) !== null; events++) take(event)
  return events
}
const out = new Uint32Array(4 + 256 * 3)
const steps = (native, turn, delta) => {
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

const deltas = 2_000
const rounds = 80

/** µs per event. */
function measure(native, [, config, first, delta, pass]) {
  const engine = native.engineNew('{}')
  const turn = native.turnNew(engine, JSON.stringify({ wire: 'openai-chat', ...config }))
  if (first) native.feed(turn, first)
  let events = 0
  const start = performance.now()
  for (let i = 0; i < deltas; i++) events += pass(native, turn, delta)
  const each = ((performance.now() - start) * 1000) / events
  native.turnFree(turn)
  native.engineFree(engine)
  return each
}

console.log(
  `\n${'µs per event (aim of the addon: at most 3)'.padEnd(55)} ${['addon', 'WebAssembly', 'ratio']
    .slice(0, backends.length + 1)
    .map((title) => title.padStart(11))
    .join(' ')}`,
)
for (const one of cases) {
  const best = backends.map(() => Infinity)
  for (let round = 0; round < rounds; round++)
    backends.forEach((native, which) => (best[which] = Math.min(best[which], measure(native, one))))
  const ratio = best.length > 1 ? [best[0] / best[1]] : []
  console.log(`${one[0].padEnd(55)} ${[...best, ...ratio].map((figure) => figure.toFixed(2).padStart(11)).join(' ')}`)
}
