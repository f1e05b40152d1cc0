// What a token costs the host and a window does not depend on what stands before it: counted, never timed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { built } from './dist.mjs'
import { tool } from 'sluice'
import { connect } from 'sluice/renderer'
import { counted } from './counted.mjs'
import { hostStage, until } from './host-support.mjs'

const { emptyView } = await built('view')

const TOKENS = 50
const MANY = 300
const limits = { callsPerRound: 1000 }
const encoder = new TextEncoder()
const event = (delta, finish) =>
  encoder.encode(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...(finish ? { finish_reason: finish } : {}) }] })}\n\n`,
  )
const call = (index) =>
  event({
    tool_calls: [
      { index, id: `c${index}`, type: 'function', function: { name: 'note', arguments: `{"at":${index}}` } },
    ],
  })

/** A model whose answers the test writes, piece by piece. */
function written() {
  const bodies = []
  const transport = async () =>
    new Response(new ReadableStream({ start: (body) => void bodies.push(body) }), {
      headers: { 'content-type': 'text/event-stream' },
    })
  return { bodies, transport, body: (at) => until(() => bodies.at(at), 'the request') }
}

const note = tool({
  name: 'note',
  description: 'x',
  parameters: { type: 'object' },
  permission: 'public',
  agentCallable: true,
  execute: () => 'ok',
})

/** A host with an answer that goes on, in a window that watches it. */
async function answering(t) {
  const { bodies, transport, body } = written()
  const { host, open } = await hostStage(t, {
    tools: [note],
    limits,
    execution: 'parallel',
    maxConcurrentTools: 1000,
    maxCalls: 10_000,
    repeatLimit: 10_000,
    host: { run: () => ({ model: { baseURL: 'http://model.invalid/v1', name: 'm' }, transport }) },
  })
  return { host, bodies, body, window: open() }
}

/** Steps and bytes that tokens cost, each told to the window before the next one comes. */
async function tokens({ window, message, body }) {
  const framesBefore = window.frames.length
  const steps = await counted(async () => {
    for (let i = 0; i < TOKENS; i++) {
      const before = window.text(message).length
      body.enqueue(event({ content: 'token ' }))
      while (window.text(message).length === before) await turn()
    }
  })
  const frames = window.frames.slice(framesBefore)
  return {
    steps,
    frames: frames.length,
    bytes: frames.reduce((sum, { at: _, ...frame }) => sum + JSON.stringify(frame).length, 0),
  }
}

function same(few, many, what) {
  assert.ok(few.steps > 10 * TOKENS, `${what}: only ${few.steps} steps were counted`)
  assert.equal(few.frames, TOKENS, `${what}: a frame for each token`)
  assert.ok(many.steps <= 1.1 * few.steps, `${what}: ${few.steps} steps behind none, ${many.steps} behind ${MANY}`)
  assert.ok(
    many.frames <= few.frames && many.bytes <= 1.1 * few.bytes,
    `${what}: ${few.bytes} bytes in ${few.frames} frames behind none, ${many.bytes} in ${many.frames} behind ${MANY}`,
  )
}

/** `fill` brings an answer so far; what its tokens cost then. */
async function cost(t, count, fill) {
  const stage = await answering(t)
  const message = await stage.window.send('x')
  await fill({ ...stage, message }, count)
  const body = await stage.body(-1)
  body.enqueue(event({ content: 'it ' }))
  await until(() => stage.window.text(message).endsWith('it '), 'the text')
  const spent = await tokens({ window: stage.window, message, body })
  body.close()
  return spent
}

test('a token costs the host and the bridge the same behind finished cards', async (t) => {
  const fill = async ({ body, bodies, window, message }, count) => {
    if (count === 0) return
    const first = await body(0)
    for (let i = 0; i < count; i++) first.enqueue(call(i))
    first.enqueue(event({}, 'tool_calls'))
    first.close()
    await until(() => bodies.length === 2, 'the next request')
    await until(
      () => window.cards(message).every(({ status }) => status === 'success') && window.cards(message).length === count,
      'the cards',
    )
  }
  same(await cost(t, 0, fill), await cost(t, MANY, fill), 'cards')
})

test('a token costs the host and the bridge the same behind other blocks', async (t) => {
  const fill = async ({ body, window, message }, count) => {
    const first = await body(0)
    for (let i = 0; i < count; i++) first.enqueue(event(i % 2 === 0 ? { reasoning_content: 'why' } : { content: 'so' }))
    await until(() => window.view(message).blocks.length === count, 'the blocks')
  }
  same(await cost(t, 0, fill), await cost(t, MANY, fill), 'blocks')
})

test('a token costs the host and the bridge the same in a long conversation', async (t) => {
  const long = async (count) => {
    const stage = await answering(t)
    await stage.window.get('open')
    for (let i = 0; i < count; i++) {
      const { message } = await stage.window.get('send', { text: 'x' })
      const body = await stage.body(i)
      body.enqueue(event({ content: 'y' }, 'stop'))
      body.close()
      await until(async () => (await stage.window.get('subscribe', { message })).outcome, 'the end')
    }
    const message = await stage.window.send('x')
    const body = await stage.body(count)
    body.enqueue(event({ content: 'it ' }))
    await until(() => stage.window.text(message) === 'it ', 'the text')
    const spent = await tokens({ window: stage.window, message, body })
    body.close()
    return spent
  }
  same(await long(0), await long(MANY / 3), 'messages')
})

// -- the window -------------------------------------------------------------------------------------------------------

/** A client whose main process is the test, with these blocks in a message that is watched. */
async function watching(blocks, messages = 0) {
  const listeners = new Set()
  const view = { ...emptyView('m'), seq: 1, blocks: [...blocks, { type: 'text', text: 'it ' }] }
  const calls = []
  const bridge = {
    call: async (method, input) => (
      calls.push(method),
      { ok: true, value: input?.message === 'm' ? view : { ...view, id: input?.message, outcome: 'completed' } }
    ),
    onFrame: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    onPet: () => () => {},
  }
  const client = connect(bridge)
  for (let i = 0; i < messages; i++) client.message(`old ${i}`).subscribe(() => {})
  const message = client.message('m')
  let told = 0
  message.subscribe(() => told++)
  while (calls.length < messages + 1) await turn()
  await turn()
  const said = told
  const called = calls.length
  const steps = await counted(() => {
    for (let i = 0; i < TOKENS; i++)
      for (const listener of listeners)
        listener({
          messages: [
            { id: 'm', after: i + 1, seq: i + 2, deltas: [{ type: 'text', block: blocks.length, text: 'token ' }] },
          ],
        })
  })
  assert.equal(message.getSnapshot().blocks.at(-1).text.length, 3 + 6 * TOKENS, 'every token arrived')
  const spent = { steps, told: told - said, calls: calls.length - called }
  client.close()
  return spent
}

test('a token costs the client in a window the same behind cards and blocks, and among other messages', async () => {
  const few = await watching([])
  assert.ok(few.steps > 5 * TOKENS && few.told >= TOKENS, `only ${few.steps} steps were counted`)
  const card = (i) => ({ type: 'tool_use', call: i + 1, name: 'note', status: 'success', arguments: {}, output: 'ok' })
  const kinds = {
    cards: [Array.from({ length: MANY }, (_, i) => card(i))],
    blocks: [Array.from({ length: MANY }, (_, i) => ({ type: i % 2 ? 'text' : 'reasoning', text: 'x' }))],
    messages: [[], MANY],
  }
  for (const [what, [blocks, messages]] of Object.entries(kinds)) {
    const many = await watching(blocks, messages)
    assert.ok(many.steps <= 1.1 * few.steps, `${what}: ${few.steps} steps behind none, ${many.steps} behind ${MANY}`)
    assert.deepEqual([many.told, many.calls], [few.told, few.calls], `${what}: as many notices and calls`)
  }
})
