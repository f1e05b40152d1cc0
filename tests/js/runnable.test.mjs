// Whoever runs turns refuses a tool that nothing can run; engines that only read accept it.
import assert from 'node:assert/strict'
import test from 'node:test'
import { Engine, tool } from 'sluice'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { memoryConversations } from 'sluice/conversations'
import { durable } from 'sluice/durable'
import { createHost } from 'sluice/host'

const model = { baseURL: 'http://127.0.0.1:9/v1', name: 'm' }
const transport = () => Promise.reject(new Error('nothing is sent'))
const run = () => ({ model, transport })
const handler = { run, store: memoryConversations(), authorize: () => true }

/** Everything that runs turns of an engine. */
const runners = {
  'engine.run': (engine) =>
    engine.run({ model, messages: [{ role: 'user', content: 'x' }], transport, retries: 0 }).cancel(),
  'engine.resume': (engine, state) => engine.resume(state, { model, transport, retries: 0 }).cancel(),
  createHost: (engine) => createHost(engine, { run }).close(),
  durable: (engine) => durable(engine, { run }),
  chatHandler: (engine) => chatHandler(engine, handler),
  agUIHandler: (engine) => agUIHandler(engine, handler),
}

const ways = {
  execute: { execute: () => 'done' },
  external: { external: true },
  'external, with times': { external: true, timeoutMs: 50, idempotent: false },
  ipc: { ipc: { channel: 'c', payload: [] } },
  runsIn: { runsIn: 'window' },
}

const named = (more) => tool({ name: 'note.add', agentCallable: true, permission: 'public', ...more })

async function savedState() {
  const engine = new Engine()
  const turn = engine.run({ model, messages: [{ role: 'user', content: 'x' }], transport: () => new Promise(() => {}) })
  const state = await turn.suspend({ graceMs: 0 })
  engine.close()
  return state
}

test('each way to run a tool is accepted by everything that runs turns, and a tool without one is refused', async (t) => {
  const state = await savedState()
  for (const [what, begin] of Object.entries(runners)) {
    for (const [way, more] of Object.entries(ways)) {
      const engine = new Engine({ tools: [named(more)] })
      t.after(() => engine.close())
      await assert.doesNotReject(async () => await begin(engine, state), `${what}, ${way}`)
    }
    for (const more of [{}, { external: false }, { ipc: null }, { idempotent: true }, { agentCallable: false }]) {
      const engine = new Engine({ tools: [named({ name: 'first', execute: () => 1 }), named(more)] })
      t.after(() => engine.close())
      await assert.rejects(
        async () => await begin(engine, state),
        (error) => {
          assert.deepEqual(
            [what, error.code, error.path, error.detail],
            [what, 'option', 'tools[1].execute', 'found undefined, expected a function, or external, ipc, runsIn'],
          )
          return true
        },
      )
    }
  }
})

test('two ways at once are refused where the tool is declared', () => {
  const entries = Object.entries(ways).filter(([, more]) => Object.keys(more).length === 1)
  for (const [first, one] of entries)
    for (const [second, other] of entries) {
      if (first !== second)
        assert.throws(() => named({ ...one, ...other }), { code: 'option' }, `${first} and ${second}`)
    }
})

test('an engine that only reads accepts a tool that nothing runs', () => {
  const engine = new Engine({ tools: [named({})] })
  assert.equal(engine.describe().tools.length, 1)
  assert.equal(engine.parse('hello').text, 'hello')
  engine.turn({ wire: 'openai-chat', request: { model: 'm', messages: [{ role: 'user', content: 'x' }] } }).close()
  engine.close()
})
