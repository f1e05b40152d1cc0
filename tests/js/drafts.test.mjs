// What somebody wrote and did not send, when the page is loaded again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { Drafts } = await built('kept-drafts')

/** A page: its storage, and what hears that it goes. `room`: so many characters. */
function page(t, { room = Infinity, refused = false } = {}) {
  const kept = new Map()
  const listeners = new Set()
  const storage = {
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem: (key, text) => {
      if (text.length > room) throw new Error('QuotaExceededError')
      kept.set(key, text)
    },
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage')
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    get: () => {
      if (refused) throw new Error('SecurityError')
      return storage
    },
  })
  Object.assign(globalThis, {
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  })
  t.after(() => {
    if (before) Object.defineProperty(globalThis, 'sessionStorage', before)
    else delete globalThis.sessionStorage
    delete globalThis.addEventListener
    delete globalThis.removeEventListener
  })
  return { kept, listeners, hide: () => listeners.forEach((listener) => listener()) }
}

test('a draft is written down when it rests, at once where the page goes, and is forgotten when it was sent', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { kept, listeners, hide } = page(t)
  const drafts = new Drafts()
  for (const text of ['W', 'We', 'Wet']) drafts.save('rain', text)
  assert.deepEqual([kept.size, drafts.load('rain')], [0, 'Wet'], 'not with every key')
  t.mock.timers.tick(300)
  assert.deepEqual([...kept.values()], ['Wet'])
  drafts.save('rain', 'Wet shoes')
  drafts.save('sun', 'Dry')
  hide()
  const again = new Drafts()
  assert.deepEqual([again.load('rain'), again.load('sun'), again.load('snow')], ['Wet shoes', 'Dry', ''])
  again.save('rain', '')
  again.close()
  drafts.close()
  assert.deepEqual([[...kept.values()], listeners.size], [['Dry'], 0])
})

test('where a page may keep nothing, or has no room, a draft goes with it, and an old one does not come back', (t) => {
  const { kept, hide } = page(t, { room: 10 })
  const drafts = new Drafts()
  drafts.save('rain', 'short')
  hide()
  drafts.save('rain', 'longer than that')
  hide()
  assert.deepEqual([kept.size, drafts.load('rain')], [0, ''])
  page(t, { refused: true })
  const refused = new Drafts()
  refused.save('rain', 'x')
  assert.equal(refused.load('rain'), '')
  refused.close()
})
