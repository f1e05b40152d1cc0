// The addon and WebAssembly beside each other: the calls of shared scripts go through both, damaged, doubled, left out
// and mixed with those of other scripts. Every return code, event and document of one must be that of the other. node
// tests/fuzz/backends.mjs seconds [seed]: one line at the end; 1 and the calls of the seed where something differs.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { scriptFiles } from '../js/script-files.mjs'
import { cuts, documents, documentText, fed, tests } from '../js/script-runner.mjs'

const { startWasm } = await built('wasm')

const mostBytes = 16384 // of a body: what is longer costs time and shows nothing else
const kinds = ['result', 'json', 'parts', 'failure', 'progress', 'rewritten']
const decisions = ['once', 'turn', 'session', 'always', 'release']
const damage = [
  '"',
  '\\',
  '{',
  '}',
  ']',
  ',',
  '\n',
  '\0',
  '<',
  '</',
  '「',
  '\u{1F600}',
  '\\ud83d',
  '1e999',
  '-0',
  'null',
  '<<<[',
  'data: ',
  '\ud800',
  '18446744073709551616',
  '0.30000000000000004',
]

const scripts = scriptFiles('')
  .map(({ name, script }) => ({ file: name, ...script }))
  .filter((script) => script.turn !== undefined)

/**
 * The functions of sluice.h, once of each build. Each has a memory of its own: what one damages the other does not see.
 */
export function startBoth() {
  const addon = createRequire(import.meta.url)(process.env.SLUICE_ADDON ?? join(tests, '../build/release/sluice.node'))
  const wasm = startWasm(new WebAssembly.Module(readFileSync(join(tests, '../js/prebuilds/wasm/sluice.wasm'))))
  return [addon, wasm]
}

/** Numbers below n, the same for a seed everywhere. */
function dice(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  const below = (n) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
  return { below, one: (list) => list[below(list.length)], often: (percent) => below(100) < percent }
}

/** One turn in both builds. */
class Pair {
  calls = []
  turns = [null, null]
  engines = [null, null]

  constructor(both) {
    this.both = both
  }

  /** What both gave. `use`: of one build, with its engine and its turn. */
  same(what, use) {
    this.calls.push(what)
    const [one, other] = this.both.map((native, i) => use(native, this.engines[i], this.turns[i]))
    if (JSON.stringify(one) !== JSON.stringify(other))
      throw new Error(
        `${this.calls.map((call) => JSON.stringify(call)).join('\n')}\n--- addon\n${JSON.stringify(one)}\n--- wasm\n${JSON.stringify(other)}`,
      )
    return one
  }

  engine(document) {
    const before = this.engines
    this.engines = this.both.map((native) => native.engineNew(document))
    this.both.forEach((native, i) => native.engineFree(before[i]))
    this.same(['engine', document], (native, engine) => native.engineError(engine))
  }

  turn(how, document) {
    const before = this.turns
    this.turns = this.both.map((native, i) => native[how](this.engines[i], document))
    this.both.forEach((native, i) => native.turnFree(before[i]))
    this.document('error')
  }

  verb(name, ...args) {
    return this.same(
      [name, ...args.map((arg) => (arg instanceof Uint8Array ? Buffer.from(arg).toString() : arg))],
      (native, _, turn) => native[name](turn, ...args),
    )
  }

  document(name) {
    return this.same(['get', name], (native, _, turn) => native.get(turn, documents[name]))
  }

  /** Events as JSON, or packed with room for so many records. */
  poll(room) {
    this.same(['poll', room], (native, _, turn) => {
      const told = []
      const out = new Uint32Array(4 + 3 * room)
      for (let more = room > 0; more; ) {
        const given = native.step(turn, null, null, out)
        told.push([given, [...out.subarray(0, 4 + 3 * out[0])]])
        more = out[0] === room
      }
      for (let text; (text = native.nextEvent(turn)) !== null; ) told.push(text)
      return told
    })
  }

  close() {
    this.both.forEach((native, i) => native.turnFree(this.turns[i]))
    this.both.forEach((native, i) => native.engineFree(this.engines[i]))
  }
}

/** Plays what a seed draws. Throws with every call where the builds differ. Returns the number of calls. */
export function play(both, seed) {
  const { below, one, often } = dice(seed)
  const damaged = (text, percent) => {
    if (!often(percent)) return text
    const at = below(text.length + 1)
    return text.slice(0, at) + one(damage) + text.slice(at + (often(50) ? below(8) : 0))
  }
  const text = (document) => (document === undefined ? null : damaged(documentText(document), 10))
  const script = one(scripts)
  const pair = new Pair(both)
  pair.engine(damaged(documentText(script.engine ?? {}), 5))
  pair.turn('turnNew', damaged(documentText(script.turn), 5))

  const verbs = {
    response: (step) => pair.verb('response', often(10) ? below(600) : step.response, text(step.headers)),
    finish: (step) =>
      pair.verb(
        'finish',
        often(80) ? ['complete', 'network', 'aborted', 'retry', 'hook'].indexOf(step.finish) : below(6),
        text(step.detail),
      ),
    approve: (step) =>
      pair.verb(
        'approve',
        step.approve,
        decisions.indexOf(step.decision ?? 'once') + (step.exact ? 256 : 0),
        text(step.edited),
      ),
    deny: (step) => pair.verb('deny', step.deny, text(step.reason)),
    refuse: (step) => pair.verb('refuse', step.refuse, text(step.reason)),
    cancel: (step) => pair.verb('cancel', step.cancel, text(step.reason)),
    conclude: (step) => pair.verb('conclude', ['accept', 'retry', 'replace'].indexOf(step.conclude), text(step.text)),
    resolve: (step) => pair.verb('resolve', step.resolve, text(step.arguments)),
    call: (step) => pair.verb('call', step.call, text({ name: step.name, arguments: step.arguments ?? {} })),
    judge: (step) => pair.verb('judge', step.judge, text(step.rules)),
    submit: (step) => {
      const name = kinds.find((kind) => kind in step)
      pair.verb(
        'submit',
        step.submit,
        name === undefined ? (step.kind ?? 0) : kinds.indexOf(name),
        text(step[name] ?? step.data ?? ''),
      )
    },
    tick: (step) => pair.verb('tick', step.tick + (often(10) ? below(100000) : 0)),
    restore: ({ restore }) => {
      if (typeof restore === 'object') pair.engine(text(restore))
      const state = pair.document('state')
      if (state !== null) pair.turn('turnRestore', damaged(state, 20))
    },
    get: (step) =>
      step.get === 'tool'
        ? pair.verb('findTool', damaged(step.name, 20))
        : step.get in documents && pair.document(step.get),
  }
  const room = [0, 1, 3, 64][below(4)]
  const act = (step) => {
    const bytes = fed(step)?.subarray(0, mostBytes)
    if (bytes === undefined) return verbs[Object.keys(step).find((key) => key in verbs)]?.(step)
    const body = often(40) ? Buffer.from(damaged(bytes.toString('latin1'), 100), 'latin1') : bytes
    for (const piece of cuts(body, { seed: below(1 << 30), most: [0, 0, 64, 1024][below(4)] })) pair.verb('feed', piece)
    if ('answer' in step) pair.verb('finish', 0, null)
  }
  for (const step of script.steps) {
    if (often(5)) continue
    act(step)
    if (often(10)) act(often(50) ? step : one(one(scripts).steps))
    if (often(60)) pair.poll(room)
    if (often(5)) verbs.restore({ restore: true })
  }
  pair.verb('cancel', 0, null)
  pair.poll(room)
  for (const name of Object.keys(documents)) pair.document(name)
  pair.close()
  return pair.calls.length
}

/** So many seconds of turns, from a seed on. */
export function playFor(seconds, seed = 0) {
  const both = startBoth()
  const [from, end] = [seed, performance.now() + seconds * 1000]
  let calls = 0
  for (; performance.now() < end; seed++) {
    try {
      calls += play(both, seed)
    } catch (error) {
      throw new Error(`seed ${seed}: ${error.message}`)
    }
  }
  return { turns: seed - from, calls }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [seconds, seed] = process.argv.slice(2).map(Number)
  try {
    console.log(JSON.stringify(seconds === 0 ? { turns: 1, calls: play(startBoth(), seed) } : playFor(seconds, seed)))
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
