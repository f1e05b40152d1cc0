// The queue of a single process: it follows everything that it starts, and starts no more than it may.
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { localQueue } from 'sluice/durable'
import { answersOf, hello, memoryStore, serverOf, turnsOf as appOf, until } from './durable-support.mjs'

/** What turns promise to a queue: a second `advance` joins the first one, until that is about to end. */
function turnsOf(work) {
  const running = new Map()
  const advance = (id) => {
    const known = running.get(id)
    if (known) return known
    const end = (async () => {
      try {
        return await work(id)
      } finally {
        running.delete(id)
      }
    })()
    running.set(id, end)
    return end
  }
  return { advance, running }
}

test('a wake in the last moment of a leg begins one that is waited for, counted, and tried again', async (t) => {
  const warned = []
  const listen = ({ message }) => warned.push(message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  const queue = localQueue({ concurrency: 1 })
  const gates = []
  const seen = []
  const { advance, running } = turnsOf(async (id) => {
    seen.push(id)
    await new Promise((resolve, reject) => gates.push({ resolve, reject }))
  })
  const worker = queue.work(advance)
  await queue.wake('a')
  await queue.wake('b')
  // The leg of `a` is over, and the queue has not heard of it yet.
  gates[0].resolve()
  while (running.has('a')) await null
  await queue.wake('a')
  await delay(5)
  assert.deepEqual(seen, ['a', 'a'], 'b has to wait')
  let closed = false
  const closing = worker.close().then(() => (closed = true))
  await delay(5)
  assert.equal(closed, false, 'it is worked on')
  gates[1].reject(new Error('no model today'))
  await closing
  await until(() => warned.some((text) => /the turn a does not go on, and is tried again: no model today/.test(text)))
  const next = queue.work(advance)
  await until(() => seen.length === 3)
  assert.equal(seen[2], 'b')
  gates[2].resolve()
  await until(() => seen.length === 4, 'the next try')
  assert.equal(seen[3], 'a')
  gates[3].resolve()
  await next.close()
})

test('a turn that is tried again waits for its place like any other', async () => {
  const queue = localQueue({ concurrency: 2 })
  let [now, most, failed] = [0, 0, 0]
  const gates = []
  const { advance } = turnsOf(async (id) => {
    most = Math.max(most, ++now)
    try {
      if (id.startsWith('bad') && failed < 4) {
        failed++
        throw new Error('no model today')
      }
      await new Promise((resolve) => gates.push(resolve))
    } finally {
      now--
    }
  })
  const worker = queue.work(advance)
  for (const id of ['bad 1', 'bad 2', 'bad 3', 'bad 4']) await queue.wake(id)
  for (const id of ['good 1', 'good 2']) await queue.wake(id)
  await until(() => gates.length === 2)
  await delay(700) // the time of the next try
  assert.deepEqual([most, gates.length], [2, 2])
  for (let done = 0; done < 6; done++) {
    await until(() => gates.length > 0, `${done}`)
    gates.shift()()
  }
  await worker.close()
  assert.equal(most, 2)
})

test('turns that wait for people hold one timer, however many they are', { timeout: 120_000 }, async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const timers = new Map() // also those for which no process stays alive
  const hook = createHook({
    init: (id, type) => type === 'Timeout' && timers.set(id, new Error('set here').stack),
    destroy: (id) => timers.delete(id),
  })
  const turns = appOf(t, server, { store: memoryStore(), queue: localQueue(), engine: { approvalTimeoutMs: 240_000 } })
  const worker = turns.work({ sweepMs: 600_000 })
  hook.enable()
  t.after(() => hook.disable())
  for (let count = 0; count < 200; count++) await turns.start({ id: `turn-${count}`, messages: hello })
  const waiting = async () => {
    await delay(200)
    let count = 0
    for await (const _ of turns.questions()) count++
    return count
  }
  await until(async () => (await waiting()) === 200, 'the last question')
  await until(() => {
    const ours = [...timers.values()].filter((stack) => /js.dist.esm.durable/.test(stack))
    return ours.length <= 1
  }, 'one timer')
  assert.ok(
    process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length < 20,
    'those of connections and of this test',
  )
  await worker.close()
})

test('deadlines come in time and in order, by one timer, also behind more of them than are kept', async (t) => {
  const realNow = Date.now
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: realNow() })
  const queue = localQueue({ concurrency: 2000 })
  const rung = []
  const begin = Date.now()
  const worker = queue.work(async (id) => void rung.push([id, Date.now() - begin]))
  const at = async (times) => {
    for (const ms of times) await queue.at(`${ms}`, begin + ms)
  }
  const step = async (ms) => {
    t.mock.timers.tick(ms)
    for (let turns = 0; turns < 5; turns++) await null
  }
  const shuffled = Array.from({ length: 1200 }, (_, n) => ((n * 7919) % 1200) * 100 + 100) // each once, in no order
  await at(shuffled)
  await at([400_000]) // too far away
  await queue.at('300', begin + 500) // later than it is known
  await queue.at('900', begin + 250) // earlier
  for (let ms = 0; ms < 130_000; ms += 50) await step(50)
  const expected = Array.from({ length: 1000 }, (_, n) => [`${n * 100 + 100}`, n * 100 + 100]).filter(
    ([id]) => id !== '900',
  )
  expected.splice(2, 0, ['900', 250])
  assert.deepEqual(rung, expected)
  await at([200_000])
  await step(70_000)
  assert.deepEqual(rung.slice(1000), [['200000', 200_000]])
  await worker.close()
})

test('a clock that is set back delays a deadline, and a clock that is set forward loses none', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 })
  const { now } = Date
  let skew = 0
  Date.now = () => now() + skew
  t.after(() => (Date.now = now))
  const queue = localQueue()
  const rung = []
  const worker = queue.work(async (id) => void rung.push(id))
  const step = async (ms) => {
    t.mock.timers.tick(ms)
    for (let turns = 0; turns < 5; turns++) await null
  }
  await queue.at('a', Date.now() + 1000)
  await queue.at('b', Date.now() + 2000)
  skew = -10_000
  await step(1000)
  assert.deepEqual(rung, [])
  await step(10_000)
  assert.deepEqual(rung, ['a'])
  skew = 60_000
  await step(1000)
  assert.deepEqual(rung, ['a', 'b'])
  await queue.at('c', Date.now() + 1000)
  skew = -90 * 86_400_000 // for ninety days nothing is due: it is looked at now and then, not all the time
  await step(1000)
  skew = 60_000
  await step(300_000)
  assert.deepEqual(rung, ['a', 'b', 'c'])
  await worker.close()
})
