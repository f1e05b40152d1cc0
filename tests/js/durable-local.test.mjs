// The queue of a single process: it follows everything that it starts, and starts no more than it may.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { local } from 'sluice/durable'
import { until } from './durable-support.mjs'

/** What turns promise to a queue: a second `advance` joins the first one, until that is about to end. */
function turnsOf(work) {
  const running = new Map()
  const advance = (id) => {
    const known = running.get(id)
    if (known) return known
    const end = (async () => { try { return await work(id) } finally { running.delete(id) } })()
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
  const queue = local({ concurrency: 1 })
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
  const queue = local({ concurrency: 2 })
  let [now, most, failed] = [0, 0, 0]
  const gates = []
  const { advance } = turnsOf(async (id) => {
    most = Math.max(most, ++now)
    try {
      if (id.startsWith('bad') && failed < 4) { failed++; throw new Error('no model today') }
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
  for (let done = 0; done < 6; done++) { await until(() => gates.length > 0, `${done}`); gates.shift()() }
  await worker.close()
  assert.equal(most, 2)
})
