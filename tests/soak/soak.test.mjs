// Memory stays flat over many turns, runs and workers: counted after collections, never timed; and where there is none,
// that is told. `npm run soak` runs it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Engine, tool } from 'sluice'

const MB = 1 << 20
const encoder = new TextEncoder()
const event = (delta, finish) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...(finish ? { finish_reason: finish } : {}) }] })}\n\n`
const body = (...events) =>
  new Response(encoder.encode([...events, 'data: [DONE]\n\n'].join('')), {
    headers: { 'content-type': 'text/event-stream' },
  })
const words = 'some words of an answer '.repeat(100)
const look = tool({
  name: 'look',
  description: 'x',
  parameters: { type: 'object' },
  permission: 'public',
  agentCallable: true,
  execute: () => 'ok'.repeat(1000),
})
const call = event({ tool_calls: [{ index: 0, id: 'c', function: { name: 'look', arguments: '{"at":1}' } }] })
const model = { baseURL: 'http://model.invalid/v1', name: 'm' }
const messages = [{ role: 'user', content: 'go' }]

/** A first answer with a call, a second with text. */
const transport = async ({ body: request }) =>
  request.includes('"tool"')
    ? body(event({ content: words }), event({}, 'stop'))
    : body(event({ content: words }), call, event({}, 'tool_calls'))
/** Never answers. */
const silent = (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** What is held when nothing is left to collect: JavaScript's heap, and all memory of the process. */
async function held() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 20)) // finalizers run in between
  }
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / MB, all: rss / MB }
}

const shown = (before, after) =>
  `${before.heap.toFixed(1)} MB of heap and ${before.all.toFixed(0)} MB in all before, ${after.heap.toFixed(1)} and ${after.all.toFixed(0)} after`

/**
 * After `first` of them what is made once is made, and the allocator has what it keeps: `more` of them leave nothing.
 * `all`: MB that the allocator may keep in addition.
 */
async function staysFlat(t, some, first, more, all) {
  await some(first)
  const before = await held()
  await some(more)
  const after = await held()
  t.diagnostic(shown(before, after))
  assert.ok(after.heap - before.heap < 1, `heap: ${shown(before, after)}`)
  assert.ok(after.all - before.all < all, `all: ${shown(before, after)}`)
}

async function read(run) {
  for await (const _ of run);
  return (await run.done).outcome
}

/** A program of build/release. What it says stands in the report. */
function runs(t, name, env) {
  const program = fileURLToPath(new URL(`../../build/release/${name}`, import.meta.url))
  const { status, stdout, stderr, error } = spawnSync(program, { encoding: 'utf8', env: { ...process.env, ...env } })
  t.diagnostic(
    stdout
      .trim()
      .replace(/\n+=+\n+/g, '; ')
      .replaceAll('\n', '; '),
  )
  assert.equal(status, 0, `${error ?? ''}${stdout}${stderr}`)
}

test('15,000 turns through the C ABI leave no byte, at once, one after another and on threads', {
  timeout: 300_000,
}, (t) => {
  runs(t, 'sluice_soak')
})

test('whichever allocation fails, in every shared script, nothing crashes, leaks or goes on wrong', {
  timeout: 1_800_000,
}, (t) => {
  runs(t, 'sluice_short_memory', { SLUICE_LONG: '1' })
})

test('1,000 runs at once end, and what they held is free', { timeout: 300_000 }, async (t) => {
  const engine = new Engine({ tools: [look] })
  t.after(() => engine.close())
  const start = (i) => engine.run({ model, messages, transport: i % 5 === 0 ? silent : transport })
  const atOnce = async (count) => {
    const runs = Array.from({ length: count }, (_, i) => start(i))
    const ends = runs.map(read)
    for (let i = 0; i < runs.length; i += 5) void runs[i].cancel()
    const outcomes = await Promise.all(ends)
    assert.deepEqual(
      [outcomes.filter((end) => end === 'completed').length, outcomes.filter((end) => end === 'cancelled').length],
      [0.8 * count, 0.2 * count],
    )
  }
  await staysFlat(t, atOnce, 1000, 1000, 40)
})

test('10,000 runs one after another take no more memory than 2,000', { timeout: 300_000 }, async (t) => {
  const engine = new Engine({ tools: [look] })
  t.after(() => engine.close())
  const some = async (count) => {
    for (let i = 0; i < count; i++) {
      const run = engine.run({ model, messages, transport })
      if (i % 10 === 0) await run.cancel() // in the middle
      const outcome = await read(run)
      assert.equal(outcome, i % 10 === 0 ? 'cancelled' : 'completed')
    }
  }
  await staysFlat(t, some, 2000, 8000, 40)
})

test('10,000 turns that nobody closed are collected, with what the engine held for them', {
  timeout: 300_000,
}, async (t) => {
  const engine = new Engine({ limits: { textBytes: 1 << 24 } })
  t.after(() => engine.close())
  const some = async (count) => {
    for (let i = 0; i < count; i++) {
      const turn = engine.turn({ wire: 'text' })
      turn.feed(words.repeat(10)) // 24 KB: 10,000 of them would be 240 MB
      for (const one of turn.events()) assert.equal(one.type, 'text')
      if (i % 500 === 0) await new Promise(setImmediate)
    }
  }
  await staysFlat(t, some, 2000, 8000, 60)
})

test('200 workers that end in mid-turn leave nothing', { timeout: 300_000 }, async (t) => {
  const work = (how) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: how })
      worker.on('error', reject).on('exit', resolve)
      worker.on('message', () => how === 'stay' && void worker.terminate())
    })
  const some = async (count) => {
    for (let i = 0; i < count; i += 2) await Promise.all([work('end'), work('stay')])
  }
  await staysFlat(t, some, 40, 160, 60) // each holds 1 MB in four turns
})
