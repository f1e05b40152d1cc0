// Turn.step: tick, feed and events in one. That it tells what nextEvent tells, scripts.test.mjs asks of the addon.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { Engine, Turn } from 'sluice'
import { echo } from './support.mjs'

const { native } = await built('native')

const request = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }
const sse = (delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
const call = sse({ tool_calls: [{ index: 0, id: 'a', function: { name: 'echo_back', arguments: '{"text":"hi"}' } }] })
const types = (events) => events.map(({ type }) => type)

function made(t, options = {}, config = { request }) {
  const engine = new Engine(options)
  const turn = engine.turn({ wire: 'openai-chat', ...config })
  t.after(() => (turn.close(), engine.close()))
  return { engine, turn }
}

test('a step tells every event in its place, tasks as well, and numbers them on', (t) => {
  const { turn } = made(t, { tools: [echo()] })
  const events = turn.step(
    sse({ reasoning_content: 'so' }) + sse({ content: 'Well, "😀"' }) + call + 'data: [DONE]\n\n',
    1000,
  )
  assert.deepEqual(events.slice(0, 3), [
    { type: 'request', round: 1, bytes: turn.request.length, sources: [['host', 1]], seq: 1 },
    { type: 'reasoning', block: 0, text: 'so', seq: 2 },
    { type: 'text', block: 1, text: 'Well, "😀"', seq: 3 },
  ])
  assert.deepEqual(types(events).slice(3), ['card', 'args', 'round'])
  turn.finish()
  const rest = [...turn.events()]
  assert.ok(types(rest).includes('execute'))
  assert.deepEqual(
    [...events, ...rest].map(({ seq }) => seq),
    [...events, ...rest].map((_, i) => i + 1),
  )
})

test('a step and events poll the same, however they take turns', (t) => {
  const { turn: one } = made(t, { tools: [echo()] })
  const { turn: other } = made(t, { tools: [echo()] })
  const pieces = [sse({ content: 'a' }), sse({ content: 'b' }), call, sse({ content: 'c' }), 'data: [DONE]\n\n']
  const stepped = []
  const polled = []
  pieces.forEach((piece, i) => {
    if (i % 2) one.feed(piece)
    stepped.push(...(i % 2 ? one.events() : one.step(piece, 1000 + i)))
    other.tick(1000 + i)
    other.feed(piece)
    for (let event = other.nextEvent(); event !== null; event = other.nextEvent()) polled.push(event)
  })
  assert.deepEqual(stepped, polled)
})

test('a step returns more events than one crossing holds', (t) => {
  const { turn } = made(t, {}, { request: undefined, limits: { callsPerRound: 1000 } })
  const calls = Array.from({ length: 400 }, (_, i) =>
    sse({ tool_calls: [{ index: i, id: `c${i}`, function: { name: 'x', arguments: '{}' } }] }),
  )
  const events = turn.step(calls.join('') + sse({ content: 'end' }))
  assert.ok(events.length > 800)
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, i) => i + 1),
  )
  assert.equal(events.at(-1).text, 'end')
})

test('a restored turn numbers its events on', (t) => {
  const { engine, turn } = made(t)
  turn.step(sse({ content: 'a' }))
  turn.feed(sse({ content: 'b' }))
  const later = Turn.restore(engine, turn.state)
  assert.deepEqual(later.step(sse({ content: 'c' })), [{ type: 'text', block: 0, text: 'bc', seq: 3 }])
  assert.deepEqual(later.step(sse({ content: 'd' })), [{ type: 'text', block: 0, text: 'd', seq: 4 }])
  assert.ok(later.deadline > Date.now() && later.deadline < Infinity)
  later.close()
})

test('the deadline is that of the last step or tick', (t) => {
  const { turn } = made(t, {}, { request, idleTimeoutMs: 5000 })
  assert.equal(turn.deadline, Infinity)
  turn.step(sse({ content: 'a' }), 1000)
  assert.equal(turn.deadline, 6000)
  turn.step(sse({ content: 'b' }), 3000)
  assert.equal(turn.deadline, 8000)
  assert.equal(turn.tick(8000), Infinity)
  assert.equal(turn.deadline, Infinity)
  assert.deepEqual(types([...turn.events()]).slice(-2), ['error', 'done'])
})

test('the deadline is told by a step whose events just fill one crossing', (t) => {
  const { turn } = made(t, {}, { request, idleTimeoutMs: 5000 })
  for (const _ of turn.events());
  const blocks = Array.from({ length: 256 }, (_, i) => sse({ [i % 2 ? 'content' : 'reasoning_content']: 'a' }))
  assert.equal(turn.step(blocks.join(''), 1000).length, 256)
  assert.equal(turn.deadline, 6000)
})

test('a step that passes the deadline tells what came of that', (t) => {
  const { turn } = made(t, {}, { request, idleTimeoutMs: 5000 })
  turn.step(sse({ content: 'a' }), 1000)
  turn.tick(6000 - 1)
  assert.deepEqual(types(turn.step(new Uint8Array(0), 6000)), ['abortRequest', 'error', 'done'])
})

test('no secret is told in pieces', (t) => {
  const { turn } = made(t)
  turn.secrets = ['sk-0123456789abcdef']
  turn.step(new Uint8Array(0))
  const [event] = turn.step(sse({ content: 'the key is sk-0123456789abcdef.' }))
  assert.equal(event.text, 'the key is [secret].')
  turn.feed(sse({ content: 'sk-0123456789abcdef' }))
  assert.equal(turn.nextEvent().text, '[secret]')
})

test('what is no bytes and no time is told, and a closed turn', (t) => {
  const { turn } = made(t)
  assert.throws(() => turn.step(7), { code: 'option', path: 'bytes' })
  assert.throws(() => turn.step('', 'now'), { code: 'option', path: 'now' })
  turn.close()
  assert.throws(() => turn.step(''), { code: 'closed' })
})

test('a run crosses into the engine once for a piece of the network', async (t) => {
  const functions = native()
  const crossings = []
  const own = {}
  for (const [name, value] of Object.entries(functions)) {
    own[name] = value
    functions[name] = (...given) => (crossings.push(name), value.apply(functions, given))
  }
  t.after(() => Object.assign(functions, own))
  const engine = new Engine()
  t.after(() => engine.close())
  const counted = async (pieces) => {
    const transport = async () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            for (let n = 0; n < pieces; n++)
              controller.enqueue(new TextEncoder().encode(sse({ content: `${n} ` }))),
                await new Promise((resolve) => setImmediate(resolve))
            controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n'))
            controller.close()
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    crossings.length = 0
    const { outcome } = await engine.run({
      model: { baseURL: 'http://x.test', name: 'm' },
      messages: [{ role: 'user', content: 'Hi' }],
      transport,
      flushMs: 0,
    }).done
    assert.equal(outcome, 'completed')
    return crossings.filter((name) => name !== 'adjustExternalMemory').length
  }
  const [few, many] = [await counted(10), await counted(510)]
  assert.ok(few >= 10 && many - few <= 510, `500 pieces more: ${many - few} crossings more`)
})
