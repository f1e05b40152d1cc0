// WebAssembly's own memory: what happens where it ends, how it grows, and that it is used again.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { built } from '../js/dist.mjs'

const { startWasm } = await built('wasm')

const module = new WebAssembly.Module(readFileSync(new URL('../../js/prebuilds/wasm/sluice.wasm', import.meta.url)))
const MB = 1024 * 1024
const memoryOf = (native) => native.adjustExternalMemory(0)

/** A turn whose text nobody polls, fed until it refuses. */
function fill(native, turn, most) {
  const piece = new TextEncoder().encode('some words of an answer, over and over again. '.repeat(1000))
  for (let fed = 0; fed < most; fed += piece.length) {
    const code = native.feed(turn, piece)
    if (code !== 0) return { code, fed }
  }
  return { code: 0, fed: most }
}

test('without memory a turn ends with its last words, and others go on', () => {
  const native = startWasm(module, 16 * MB)
  const engine = native.engineNew('{}')
  const other = native.turnNew(engine, '{"wire":"text"}')
  const turn = native.turnNew(engine, JSON.stringify({ wire: 'text', limits: { textBytes: 1024 * MB } }))
  const { code } = fill(native, turn, 64 * MB)
  assert.equal(code, -100, native.get(turn, 7))
  assert.equal(native.get(turn, 2), null)
  const events = []
  for (let event = native.nextEvent(turn); event !== null; event = native.nextEvent(turn))
    events.push(JSON.parse(event))
  assert.deepEqual(
    events.map(({ type, fatal, outcome }) => [type, fatal ?? outcome]),
    [
      ['error', true],
      ['done', 'failed'],
    ],
  )
  assert.match(native.get(turn, 7), /"code":-100,.*out of memory/)
  native.turnFree(turn)
  assert.equal(native.feed(other, new TextEncoder().encode('still here')), 0)
  assert.equal(JSON.parse(native.nextEvent(other)).text, 'still here')
  assert.ok(memoryOf(native) <= 16 * MB)
})

test('an argument for which there is no memory throws, and nothing breaks', () => {
  const native = startWasm(module, 16 * MB)
  const engine = native.engineNew('{}')
  const turn = native.turnNew(engine, '{"wire":"text"}')
  for (const act of [
    () => native.feed(turn, new Uint8Array(20 * MB)),
    () => native.engineNew(' '.repeat(20 * MB)),
    () => native.submit(turn, 1, 0, 'x'.repeat(20 * MB)),
  ]) {
    assert.throws(
      act,
      (error) =>
        error.code === 'memory' && /out of memory: WebAssembly has \d+ bytes, and may have 16777216/.test(error.detail),
    )
  }
  assert.equal(native.feed(turn, new TextEncoder().encode('fine')), 0)
  assert.equal(JSON.parse(native.nextEvent(turn)).text, 'fine')
})

test('memory grows while handles and arguments are in use', () => {
  const native = startWasm(module)
  const before = memoryOf(native)
  const engine = native.engineNew('{}')
  const turn = native.turnNew(engine, '{"wire":"text"}')
  const text = 'ä€😀'.repeat(700_000)
  assert.equal(native.feed(turn, new TextEncoder().encode(text)), 0)
  let said = ''
  for (let event = native.nextEvent(turn); event !== null; event = native.nextEvent(turn))
    said += JSON.parse(event).text ?? ''
  assert.equal(native.finish(turn, 0, null), 0)
  for (let event = native.nextEvent(turn); event !== null; event = native.nextEvent(turn))
    said += JSON.parse(event).text ?? ''
  assert.ok(said === text)
  assert.ok(memoryOf(native) > before)
})

test('what was freed is used again: a thousand turns need no more than ten', () => {
  const native = startWasm(module)
  const engine = native.engineNew('{}')
  const once = () => {
    const turn = native.turnNew(engine, '{"wire":"text"}')
    fill(native, turn, 100_000)
    while (native.nextEvent(turn) !== null);
    native.turnFree(turn)
  }
  for (let i = 0; i < 10; i++) once()
  const after = memoryOf(native)
  for (let i = 0; i < 1000; i++) once()
  assert.equal(memoryOf(native), after)
})

test('handles that nobody freed are freed with their objects', {
  skip: typeof globalThis.gc !== 'function' && 'needs --expose-gc',
}, async () => {
  const native = startWasm(module)
  const engine = native.engineNew('{}')
  const leave = (turns) => {
    for (let i = 0; i < turns; i++) fill(native, native.turnNew(engine, '{"wire":"text"}'), 100_000)
  }
  const settle = async () => {
    for (let i = 0; i < 5; i++) {
      globalThis.gc()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  leave(50)
  await settle()
  const after = memoryOf(native)
  for (let i = 0; i < 5; i++) {
    leave(50)
    await settle()
  }
  assert.ok(memoryOf(native) <= after * 1.5, `${after} bytes, then ${memoryOf(native)}`)
})

test('handles of another instance are refused', () => {
  const [one, two] = [startWasm(module), startWasm(module)]
  assert.throws(() => two.turnNew(one.engineNew('{}'), '{}'), /argument 1: expected an engine/)
})

test('text goes through unchanged: a BOM, NUL, every plane, and halves of a surrogate as U+FFFD', () => {
  const native = startWasm(module)
  const turn = native.turnNew(native.engineNew('{}'), '{"wire":"text"}')
  assert.equal(native.finish(turn, 1, '\ufefflost \ud800 half'), 0)
  const all = []
  for (let event = native.nextEvent(turn); event !== null; event = native.nextEvent(turn)) all.push(event)
  assert.match(all.join('\n'), /\ufefflost \ufffd half/)
})

test('a module that traps answers nothing any more, and says why', () => {
  // (module (import "env" "memory" (memory 1)) (func (export …) unreachable)): every function of the engine traps.
  const names = ['malloc', 'free', 'sluice_version', 'sluice_engine_free', 'sluice_turn_free']
  assert.throws(
    () => startWasm(trapping(['_initialize', ...names])),
    (error) =>
      error.code === 'internal' &&
      /stopped in _initialize: unreachable/.test(error.detail) &&
      /report/.test(error.hint),
  )
})

/** A module of functions that trap. */
function trapping(names) {
  const text = (name) => [name.length, ...Buffer.from(name)]
  const section = (id, ...content) => [id, content.length, ...content]
  return new WebAssembly.Module(
    Uint8Array.of(
      0,
      0x61,
      0x73,
      0x6d,
      1,
      0,
      0,
      0,
      ...section(1, 1, 0x60, 0, 0),
      ...section(2, 1, ...text('env'), ...text('memory'), 2, 0, 1),
      ...section(3, 1, 0),
      ...section(7, names.length, ...names.flatMap((name) => [...text(name), 0, 0])),
      ...section(10, 1, 3, 0, 0, 0x0b),
    ),
  )
}
