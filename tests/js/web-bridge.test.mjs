// The page's end of its connection, on a stopped clock: no real connection is open beside it, since that would take
// these hours for its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webBridge } from 'sluice/renderer'

test('a page that is connected to something that says nothing is told so, and tries again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  const sources = []
  globalThis.EventSource = class extends EventTarget {
    constructor(url) {
      super()
      this.url = url
      sources.push(this)
    }

    close() {
      this.closed = true
    }
  }
  t.after(() => delete globalThis.EventSource)
  const bridge = webBridge()
  const states = []
  bridge.onConnection((state) => state === states.at(-1) || states.push(state))
  t.mock.timers.tick(4_999)
  assert.deepEqual([states, sources.length], [[], 1])
  t.mock.timers.tick(1)
  assert.deepEqual(states, ['reconnecting'])
  assert.equal(sources[0].closed, true)
  t.mock.timers.tick(5_000)
  assert.deepEqual(states, ['reconnecting', 'lost'])
  assert.equal(sources.length, 2)
  sources[1].dispatchEvent(Object.assign(new Event('hello'), { data: '{"window":"w"}' }))
  t.mock.timers.tick(60_000)
  assert.deepEqual(states, ['reconnecting', 'lost', 'connected'])
  assert.equal(sources.length, 2, 'one that spoke stays')
  bridge.close()
})
