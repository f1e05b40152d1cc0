// What every store of turns does. `open` gives one that is empty, or with `again` the same place opened anew.
import assert from 'node:assert/strict'
import { test } from 'node:test'

export const rowOf = (more = {}) => ({
  thread: null,
  logNumber: 0,
  phase: 'running',
  wakeAt: 0,
  updated: 1,
  questions: null,
  config: '{}',
  state: null,
  result: null,
  ...more,
})
const all = async (items) => {
  const found = []
  for await (const item of items) found.push(item)
  return found
}
const ids = async (store, filter) => (await all(store.list(filter))).map(({ id }) => id).sort()

export function contract(name, { open, again, skip = false }) {
  const check = (what, run) => test(`${name}: ${what}`, { skip }, run)

  check('where nothing is, nothing is found', async (t) => {
    const store = await open(t)
    assert.deepEqual(await all(store.list()), [])
    assert.equal(await store.load('a'), null)
    assert.deepEqual(await store.inbox('a'), [])
    assert.equal(await store.save('a', 1, { updated: 1, phase: 'waiting' }), null)
    assert.equal(await store.push('a', { key: 'k', entry: 'e' }), false)
    assert.equal(await store.remove('a'), false)
    assert.deepEqual(await all(store.list()), [])
  })

  check('a turn is kept as it was given, once', async (t) => {
    const store = await open(t)
    const row = rowOf({
      thread: 'of Ä\u2028',
      wakeAt: 1_700_000_000_123,
      updated: 1_700_000_000_001,
      questions: 'q',
      config: 'a\u2028b "quoted" \\ 😀 \u007f',
      state: 'x'.repeat(300_000),
      result: null,
    })
    assert.equal(await store.create('Turn/../one 一', row), true)
    assert.equal(await store.create('Turn/../one 一', rowOf({ config: 'another' })), false)
    assert.deepEqual(await store.load('Turn/../one 一'), { id: 'Turn/../one 一', rev: 1, ...row })
    const other = again ? await again(t) : store
    assert.deepEqual(await other.load('Turn/../one 一'), { id: 'Turn/../one 一', rev: 1, ...row })
    const { config: _, state: __, result: ___, ...listed } = row
    assert.deepEqual(await all(other.list()), [{ id: 'Turn/../one 一', rev: 1, ...listed }])
  })

  check('a save counts for the revision that it was made of, and changes what it names', async (t) => {
    const store = await open(t)
    await store.create('a', rowOf({ thread: 'x', questions: 'q' }))
    assert.equal(await store.save('a', 1, { updated: 2, phase: 'waiting', wakeAt: null, state: 's' }), 2)
    assert.equal(await store.save('a', 1, { updated: 3, state: 'of a worker that was paused' }), null)
    assert.equal(await store.save('a', 3, { updated: 3, state: 'of nowhere' }), null)
    assert.deepEqual(await store.load('a'), {
      id: 'a',
      rev: 2,
      ...rowOf({ thread: 'x', questions: 'q', phase: 'waiting', wakeAt: null, state: 's', updated: 2 }),
    })
    assert.equal(
      await store.save('a', 2, { updated: 4, logNumber: 7, questions: null, config: 'c', result: 'r', state: null }),
      3,
    )
    assert.deepEqual(await store.load('a'), {
      id: 'a',
      rev: 3,
      ...rowOf({ thread: 'x', logNumber: 7, phase: 'waiting', wakeAt: null, config: 'c', result: 'r', updated: 4 }),
    })
  })

  check('of saves at the same time one counts', async (t) => {
    const stores = [await open(t), again ? await again(t) : await open(t)]
    await stores[0].create('a', rowOf())
    for (let rev = 1; rev <= 5; rev++) {
      const done = await Promise.all(
        Array.from({ length: 8 }, (_, n) => stores[n % 2].save('a', rev, { updated: n, state: `${n}` })),
      )
      const won = done.flatMap((got, n) => (got === null ? [] : [[got, `${n}`]]))
      assert.deepEqual(won, [[rev + 1, (await stores[1].load('a')).state]])
    }
  })

  check('an inbox keeps its order, and a key counts once', async (t) => {
    const store = await open(t)
    await store.create('a', rowOf())
    await store.create('b', rowOf())
    for (const key of ['z', 'a:ü\n', '3', '']) assert.equal(await store.push('a', { key, entry: `${key}!` }), true)
    assert.equal(await store.push('a', { key: 'z', entry: 'again' }), false)
    assert.equal(await store.push('b', { key: 'z', entry: 'of b' }), true)
    const other = again ? await again(t) : store
    assert.deepEqual(
      await other.inbox('a'),
      ['z', 'a:ü\n', '3', ''].map((key) => ({ key, entry: `${key}!` })),
    )
    assert.equal(await store.save('a', 1, { updated: 2, taken: ['z', '3', 'nowhere'] }), 2)
    assert.deepEqual(
      (await store.inbox('a')).map(({ key }) => key),
      ['a:ü\n', ''],
    )
    assert.equal(await other.push('a', { key: 'z', entry: 'a third time' }), false, 'it was taken')
    assert.equal(await other.push('a', { key: 'y', entry: 'e' }), true)
    assert.deepEqual(
      (await other.inbox('a')).map(({ key }) => key),
      ['a:ü\n', '', 'y'],
    )
    assert.equal(await store.save('a', 1, { updated: 2, taken: ['y'] }), null)
    assert.equal((await store.inbox('a')).length, 3, 'a save that does not count takes nothing')
    assert.deepEqual(await store.inbox('b'), [{ key: 'z', entry: 'of b' }])
    const pushed = await Promise.all(Array.from({ length: 6 }, () => store.push('a', { key: 'one', entry: 'e' })))
    assert.deepEqual(pushed.filter(Boolean), [true])
  })

  check('a turn that is done has no inbox', async (t) => {
    const store = await open(t)
    await store.create('a', rowOf())
    await store.push('a', { key: 'k', entry: 'e' })
    assert.equal(await store.save('a', 1, { updated: 2, phase: 'done', wakeAt: null, result: 'r' }), 2)
    assert.deepEqual(await store.inbox('a'), [])
    assert.equal(await store.push('a', { key: 'l', entry: 'e' }), false)
    assert.equal(await store.save('a', 2, { updated: 3, phase: 'running', wakeAt: 0 }), null, 'it is over')
    assert.deepEqual([(await store.load('a')).result, (await store.load('a')).phase], ['r', 'done'])
    assert.equal(await store.create('a', rowOf()), false)
  })

  check('lists: by thread, with questions, and what is due', async (t) => {
    const store = await open(t)
    const rows = {
      new: rowOf(),
      working: rowOf({ wakeAt: 500 }),
      'told while working': rowOf({ wakeAt: 500 }),
      left: rowOf({ wakeAt: 100 }),
      waits: rowOf({ phase: 'waiting', wakeAt: null, questions: 'q', thread: 'x' }),
      'waits and was told': rowOf({ phase: 'waiting', wakeAt: null, questions: 'q' }),
      'waits with a time': rowOf({ phase: 'waiting', wakeAt: 200, thread: 'x' }),
      'waits with a time, and was told': rowOf({ phase: 'waiting', wakeAt: 200 }),
      over: rowOf({ phase: 'done', wakeAt: null, thread: 'x' }),
    }
    for (const [id, row] of Object.entries(rows)) await store.create(id, row)
    for (const id of Object.keys(rows)) if (id.includes('told')) await store.push(id, { key: 'k', entry: 'e' })
    assert.deepEqual(await ids(store), Object.keys(rows).sort())
    assert.deepEqual(await ids(store, { thread: 'x' }), ['over', 'waits', 'waits with a time'])
    assert.deepEqual(await ids(store, { asking: true }), ['waits', 'waits and was told'])
    assert.deepEqual(await ids(store, { asking: true, thread: 'x' }), ['waits'])
    assert.deepEqual(await ids(store, { due: 150 }), [
      'left',
      'new',
      'waits and was told',
      'waits with a time, and was told',
    ])
    assert.deepEqual(await ids(store, { due: 200 }), [
      'left',
      'new',
      'waits and was told',
      'waits with a time',
      'waits with a time, and was told',
    ])
    assert.deepEqual(await ids(store, { due: 200, thread: 'x' }), ['waits with a time'])
    assert.equal((await ids(store, { due: 500 })).length, 7)
    await store.save('waits and was told', 1, { updated: 2, taken: ['k'] })
    await store.save('left', 1, { updated: 2, wakeAt: 900 })
    await store.save('waits', 1, { updated: 2, questions: null })
    assert.deepEqual(await ids(store, { due: 150 }), ['new', 'waits with a time, and was told'])
    assert.deepEqual(await ids(store, { asking: true }), ['waits and was told'])
    await store.save('waits with a time, and was told', 1, { updated: 2, phase: 'done', wakeAt: null })
    assert.deepEqual(await ids(store, { due: 150 }), ['new'])
  })

  check('a list of two hundred and more is whole', async (t) => {
    const store = await open(t)
    const names = Array.from({ length: 230 }, (_, n) => `turn-${n}`)
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((id) => store.create(id, rowOf())))
    assert.deepEqual(await ids(store), names.toSorted())
    assert.equal((await ids(store, { due: 1 })).length, 230)
    for await (const { id } of store.list()) {
      assert.ok(names.includes(id))
      break
    } // a reader may leave
  })

  check('what is removed is gone, with what came for it', async (t) => {
    const store = await open(t)
    await store.create('a', rowOf({ questions: 'q' }))
    await store.create('b', rowOf())
    await store.push('a', { key: 'k', entry: 'e' })
    assert.equal(await store.remove('a'), true)
    assert.equal(await store.remove('a'), false)
    assert.equal(await store.load('a'), null)
    assert.equal(await store.save('a', 1, { updated: 1 }), null)
    assert.deepEqual(await ids(store), ['b'])
    assert.deepEqual(await ids(store, { due: 1 }), ['b'])
    assert.deepEqual(await ids(store, { asking: true }), [])
    assert.equal(await store.create('a', rowOf()), true)
    assert.equal(await store.push('a', { key: 'k', entry: 'anew' }), true)
    assert.deepEqual(await store.inbox('a'), [{ key: 'k', entry: 'anew' }])
  })
}
