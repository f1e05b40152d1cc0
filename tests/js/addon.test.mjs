import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Engine, Turn, version } from 'sluice'
import { native } from './script-runner.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)
const delta = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`

test('package, library and header are of one version', () => {
  assert.equal(version(), JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
})

test('wrong types of arguments are TypeErrors that say which', () => {
  const engine = native.engineNew('{}')
  const turn = native.turnNew(engine, '{"wire":"text"}')
  const wrong = [
    [() => native.engineNew(), /argument 1: expected a string/],
    [() => native.engineNew({}), /argument 1: expected a string/],
    [() => native.turnNew({}, '{}'), /argument 1: expected an engine/],
    [() => native.turnNew(turn, '{}'), /argument 1: expected an engine/],
    [() => native.feed(engine, new Uint8Array(1)), /argument 1: expected a turn/],
    [() => native.feed(turn, 'text'), /argument 2: expected a Uint8Array/],
    [() => native.feed(turn, new Uint16Array(1)), /argument 2: expected a Uint8Array/],
    [() => native.approve(turn, -1, 0, null), /argument 2: expected an integer/],
    [() => native.approve(turn, 1.5, 0, null), /argument 2: expected an integer/],
    [() => native.approve(turn, 2 ** 32, 0, null), /argument 2: expected an integer/],
    [() => native.approve(turn, 1, 0, {}), /argument 4: expected a string or null/],
    [() => native.finish(turn, 2 ** 31, null), /argument 2: expected an integer/],
    [() => native.tick(turn, NaN), /argument 2: expected an integer/],
    [() => native.tick(turn, 2 ** 63), /argument 2: expected an integer/],
    [() => native.tick(turn, 1n), /argument 2: expected an integer/],
    [() => native.nextEvent(), /argument 1: expected a turn/],
    [() => native.step(engine, null, null, null), /argument 1: expected a turn/],
    [() => native.step(turn, '1', null, null), /argument 2: expected an integer/],
    [() => native.step(turn, null, 'text', null), /argument 3: expected a Uint8Array/],
    [() => native.step(turn, null, null, new Int32Array(9)), /argument 4: expected a Uint32Array/],
    [() => native.get(turn, '1'), /argument 2: expected an integer/],
  ]
  for (const [call, message] of wrong)
    assert.throws(call, (error) => error instanceof TypeError && message.test(error.message), String(call))
  native.turnFree(turn)
  native.engineFree(engine)
})

test('a step ticks, feeds and polls, and tells which of them failed', () => {
  const engine = native.engineNew('{}')
  const turn = native.turnNew(engine, '{"wire":"text"}')
  const out = new Uint32Array(4 + 2 * 3)
  assert.equal(native.step(turn, 1000, Buffer.from('a\0é😀'), out), 'a\0é😀')
  assert.deepEqual([...out.subarray(0, 2)], [1, 0])
  assert.deepEqual([...out.subarray(4, 7)], [1, 0, 5], 'text, block 0, UTF-16 units')
  assert.deepEqual([...out.subarray(2, 4)], [2 ** 31 - 1, 2 ** 32 - 1], 'never')
  assert.equal(native.step(turn, 1000, null, out), undefined)
  assert.deepEqual([...out.subarray(0, 2)], [0, 0])

  assert.equal(native.step(turn, 1000, Buffer.from('b'), null), undefined, 'nothing is polled')
  assert.equal(native.step(turn, -1, Buffer.from('c'), out), -1, 'a time that is none')
  assert.equal(native.step(turn, null, null, out), 'b', 'what was not fed is not there, what waited is')
  assert.equal(native.step(turn, 1000, Buffer.from('d'), new Uint32Array(3)), undefined, 'no room for anything')
  const [text, events] = (native.finish(turn, 0, null), native.step(turn, 1000, null, out))
  assert.equal(text, 'd')
  assert.deepEqual(JSON.parse(events), [{ type: 'round', round: 1, seq: 4 }])
  assert.deepEqual([...out], [2, 5, 2 ** 31 - 1, 2 ** 32 - 1, 1, 0, 1, 5, 0, 0], 'the room ended')
  const [nothing, last] = native.step(turn, 1000, null, out)
  assert.equal(nothing, '')
  assert.equal(JSON.parse(last)[0].type, 'done')
  for (const handle of [null, (native.turnFree(turn), turn)]) {
    assert.equal(native.step(handle, 1000, new Uint8Array(1), out), -1)
    assert.equal(native.step(handle, 1000, null, out), undefined)
    assert.equal(native.step(handle, null, null, null), undefined)
  }
  native.engineFree(engine)
})

test('null and freed handles act as NULL', () => {
  const engine = native.engineNew('{}')
  const turn = native.turnNew(engine, '{"wire":"text"}')
  native.engineFree(engine)
  native.engineFree(engine)
  assert.equal(native.feed(turn, Buffer.from('still there')), 0, 'a turn keeps what it needs of its engine')
  native.turnFree(turn)
  native.turnFree(turn)
  native.turnFree(null)
  for (const handle of [turn, null]) {
    assert.equal(native.feed(handle, new Uint8Array(1)), -1)
    assert.equal(native.response(handle, 200, null), -1)
    assert.equal(native.finish(handle, 0, null), -1)
    assert.equal(native.approve(handle, 1, 0, null), -1)
    assert.equal(native.deny(handle, 1, null), -1)
    assert.equal(native.cancel(handle, 0, null), -1)
    assert.equal(native.submit(handle, 1, 0, ''), -1)
    assert.equal(native.tick(handle, 1), -1)
    assert.equal(native.nextEvent(handle), null)
    assert.equal(native.get(handle, 2), null)
  }
})

test('no deadline is Infinity', () => {
  const engine = new Engine()
  const turn = engine.turn({ wire: 'text' })
  assert.equal(turn.tick(1000), Infinity)
  turn.close()
  engine.close()
})

test('a turn is fed, polled and read by hand', () => {
  using(new Engine(), (engine) => {
    const turn = engine.turn({
      wire: 'openai-chat',
      request: { model: 'm', big: 1, messages: [{ role: 'user', content: 'x' }] },
    })
    assert.deepEqual(
      [...turn.events()].map((event) => event.type),
      ['request'],
    )
    assert.equal(JSON.parse(turn.request).stream, true)
    turn.response(200, { 'content-type': 'text/event-stream' })
    turn.feed(delta('Hello'))
    turn.feed(new TextEncoder().encode(delta(' you')))
    assert.deepEqual(
      [...turn.events()].map((event) => event.text),
      ['Hello you'],
    )
    turn.feed('data: [DONE]\n\n')
    assert.throws(() => turn.approve(9), { name: 'SluiceError', code: 'not_found' })
    turn.finish()
    assert.deepEqual(
      [...turn.events()].map((event) => event.type),
      ['round', 'done'],
    )
    assert.equal(turn.history[0].content, 'Hello you')
    turn.close()
    turn.close()
    assert.equal(turn.closed, true)
    assert.throws(() => turn.feed('x'), { code: 'closed' })
  })
})

function using(resource, body) {
  try {
    body(resource)
  } finally {
    resource.close()
  }
}

test('configuration as text keeps numbers that JavaScript would round', () => {
  using(new Engine(), (engine) => {
    const turn = engine.turn(
      '{"wire":"openai-chat","request":{"model":"m","seed":12345678901234567890,"messages":[{"role":"user","content":"x"}]}}',
    )
    assert.match(turn.request, /12345678901234567890/)
    turn.close()
  })
})

test('a saved turn goes on where it was', () => {
  using(new Engine(), (engine) => {
    const before = engine.turn({
      wire: 'openai-chat',
      request: { model: 'm', messages: [{ role: 'user', content: 'x' }] },
    })
    assert.deepEqual(
      [...before.events()].map((event) => event.type),
      ['request'],
    )
    before.feed(delta('Half a '))
    before.nextEvent()
    const { state } = before
    before.close()
    const after = Turn.restore(engine, state)
    after.feed(delta('sentence.'))
    after.finish()
    assert.equal([...after.events()].at(-1).type, 'done')
    assert.equal(after.message.blocks[0].text, 'Half a sentence.')
    after.close()
  })
})

test('a turn from a bad document says where', () => {
  using(new Engine(), (engine) => {
    assert.throws(() => engine.turn({ wire: 'carrier-pigeon' }), { name: 'SluiceError', path: 'wire' })
    assert.throws(() => engine.turn('{'), { code: 'json' })
    assert.throws(() => Turn.restore(engine, '{}'), { name: 'SluiceError' })
  })
})

test('workers load the addon, and end with turns still open', async () => {
  const ask = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.mjs', import.meta.url))
      let said
      worker
        .on('message', (message) => (said = message))
        .on('error', reject)
        .on('exit', (exit) => resolve([exit, said]))
    })
  for (const [exit, said] of await Promise.all([ask(), ask(), ask()])) {
    assert.equal(exit, 0)
    assert.deepEqual(said, ['from the worker'])
  }
})

function load(addon) {
  const script = `import { Engine } from 'sluice'; try { new Engine() } catch (error) { console.log(JSON.stringify([error.code, error.detail, error.hint])) }`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, SLUICE_ADDON: addon, SLUICE_BACKEND: '' },
  })
  assert.notEqual(stdout, '', stderr)
  return JSON.parse(stdout)
}

test('an addon that is not there or no library says what was looked for and where', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  try {
    const missing = join(folder, 'missing.node')
    assert.deepEqual(load(missing), [
      'load',
      `the addon sluice.node is missing; looked for ${missing}`,
      'the environment variable SLUICE_ADDON names that file',
    ])
    const broken = join(folder, 'broken.node')
    writeFileSync(broken, 'no library')
    const [code, detail, hint] = load(broken)
    assert.equal(code, 'load')
    assert.ok(detail.startsWith(`${broken} cannot be loaded: `))
    assert.match(hint, new RegExp(process.platform))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the package can be required', () => {
  const sluice = require('sluice')
  assert.equal(sluice.version(), version())
  const engine = new sluice.Engine()
  const turn = engine.turn({ wire: 'text' })
  turn.feed('hello')
  assert.equal(turn.nextEvent().text, 'hello')
  turn.close()
  engine.close()
})

test('handles that nobody closed are collected', {
  skip: typeof globalThis.gc !== 'function' && 'needs --expose-gc',
}, async () => {
  const engine = new Engine()
  for (let i = 0; i < 200; i++) engine.turn({ wire: 'text' }).feed('x'.repeat(1000))
  globalThis.gc()
  await new Promise(setImmediate)
  globalThis.gc()
  engine.close()
})
