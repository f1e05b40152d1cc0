// What may go wrong with turns in every store: damaged rows, a wrong key, unknown turns, what is said twice. Nothing
// runs twice, nothing is lost, and the words say what happened. `open` gives a store that is empty, or with `again` the
// same place by another connection; `spoil` breaks a member of a row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { answersOf, approve, asks, cardsOf, hello, lossy, serverOf, turnsOf, until } from './durable-support.mjs'

/** The column of a member of a row, in SQL. */
export const columnOf = (member) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function faults(name, { open, again = open, skip = false, spoil }) {
  const check = (what, run) => test(`${name}: ${what}`, { skip }, run)
  const questionsOf = async (turns) => {
    const seen = []
    let fault
    try {
      for await (const { turn } of turns.questions()) seen.push(turn)
    } catch (error) {
      fault = error
    }
    return { seen: seen.sort(), fault }
  }
  const withoutPlace = ({ rev: _, logNumber: __, updated: ___, ...row }) => row

  check(
    'a text of a turn that cannot be read is told with its turn, hides no other, and is not written over',
    async (t) => {
      const server = await serverOf(t, answersOf('hi'))
      const store = await open(t)
      let ran = 0
      const turns = turnsOf(t, server, { store, queue: lossy, tools: [asks({ execute: () => ++ran })] })
      const texts = { state: '{"format":', config: 'no JSON', questions: '[{' }
      for (const id of ['sound', ...Object.keys(texts)]) {
        await turns.start({ id, messages: hello })
        await turns.advance(id)
      }
      const [question] = (await turns.status('sound')).questions
      for (const [id, text] of Object.entries(texts))
        await store.save(id, (await store.load(id)).rev, { updated: 1, [id]: text })
      for (const id of Object.keys(texts)) {
        await store.push(id, { key: 'k', entry: JSON.stringify({ type: 'decision', at: 1, ...approve(question) }) })
        const before = await store.load(id)
        await assert.rejects(
          turns.status(id),
          (error) => error.code === 'storage' && error.path === id && error.message.includes(id),
          id,
        )
        await assert.rejects(turns.advance(id), (error) => error.code === 'storage' && error.path === id, id)
        assert.deepEqual(withoutPlace(await store.load(id)), withoutPlace(before), `${id}: it was given back`)
        assert.equal((await store.inbox(id)).length, 1, 'and nothing that came for it was lost')
      }
      const { seen, fault } = await questionsOf(turns)
      assert.ok(seen.includes('sound') && fault.code === 'storage' && fault.path === 'questions')
      assert.equal(await turns.decide('sound', approve(question)), 'accepted')
      assert.ok((await turns.sweep()) >= 1)
      assert.equal(await turns.advance('sound'), 'done')
      assert.equal(ran, 1)
    },
  )

  if (spoil) {
    check('a damaged row is told as such, hides no other, and is left as it is', async (t) => {
      const server = await serverOf(t, answersOf('hi'))
      const store = await open(t)
      const warned = []
      const listen = ({ message }) => warned.push(message)
      process.on('warning', listen)
      t.after(() => process.off('warning', listen))
      const turns = turnsOf(t, server, { store, queue: lossy })
      const members = { phase: 'sleeping', rev: '-3', logNumber: '-1' }
      const ids = Object.keys(members).map((member) => member.toLowerCase())
      for (const id of ['sound', ...ids]) {
        await turns.start({ id, messages: hello })
        await turns.advance(id)
      }
      const {
        questions: [question],
      } = await turns.status('sound')
      for (const [member, value] of Object.entries(members)) await spoil(t, member.toLowerCase(), member, value)
      for (const id of ids) {
        for (const act of [
          () => turns.status(id),
          () => turns.advance(id),
          () => turns.decide(id, approve(question)),
          () => turns.cancel(id),
          () => turns.events(id).next(),
        ]) {
          await assert.rejects(
            act(),
            (error) => error.code === 'storage' && error.path.includes(id) && /damaged/.test(error.message),
            id,
          )
        }
      }
      assert.deepEqual(await questionsOf(turns), { seen: ['sound'], fault: undefined })
      await until(
        () => ids.every((id) => warned.some((text) => text.includes('passed over') && text.includes(id))),
        'the words',
      )
      assert.equal(await turns.sweep(), 0)
    })
  }

  check('with another key nothing is read, and nothing is changed', async (t) => {
    const server = await serverOf(t, answersOf('hi'))
    const [store, other] = [await open(t), await again(t)]
    const [key, wrong] = [1, 2].map((byte) => new Uint8Array(32).fill(byte))
    const turns = turnsOf(t, server, { store, queue: lossy, encryption: key })
    const id = await turns.start({ messages: hello })
    await turns.advance(id)
    const [question] = (await turns.status(id)).questions
    const before = await store.load(id)
    for (const encryption of [wrong, undefined]) {
      const stranger = turnsOf(t, server, { store: other, queue: lossy, encryption })
      for (const act of [
        () => stranger.status(id),
        () => stranger.decide(id, approve(question)),
        () => stranger.result(id, { call: 1, digest: '0' }, { value: 1 }),
        () => stranger.cancel(id),
        async () => {
          const { fault } = await questionsOf(stranger)
          throw fault
        },
      ]) {
        await assert.rejects(
          act(),
          (error) => error.code === 'storage' && error.path === id && /\[new, old\]/.test(error.hint),
        )
      }
      assert.deepEqual([await store.load(id), await store.inbox(id)], [before, []])
    }
    // What a stranger pushes is believed by nobody.
    await store.push(id, { key: 'forged', entry: JSON.stringify({ type: 'decision', at: 1, ...approve(question) }) })
    await assert.rejects(turns.advance(id), (error) => error.code === 'storage' && /is plain text/.test(error.message))
    assert.equal(cardsOf(await turns.status(id))[0].status, 'awaiting_approval')
  })

  check('an unknown turn is none, whatever is said to it', async (t) => {
    const turns = turnsOf(t, await serverOf(t, []), { store: await open(t), queue: lossy })
    const decision = approve({ call: 1, stage: 'execution', digest: 'x' })
    for (const act of [
      () => turns.status('x'),
      () => turns.advance('x'),
      () => turns.cancel('x'),
      () => turns.result('x', { call: 1, digest: '' }, { value: 1 }),
      () => turns.decide('x', decision),
      () => turns.events('x').next(),
    ]) {
      await assert.rejects(act(), { code: 'not_found', path: 'x' })
    }
    assert.deepEqual(
      [await turns.forget('x'), await questionsOf(turns), await turns.sweep()],
      [false, { seen: [], fault: undefined }, 0],
    )
  })

  check('what is decided by many at once is decided once, in every process', async (t) => {
    const server = await serverOf(t, answersOf('one', 'two'))
    const stores = [await open(t), await again(t)]
    const ran = []
    const tools = () => [
      asks({
        execute: ({ text }, { key }) => {
          ran.push(key)
          return text
        },
      }),
    ]
    const processes = stores.map((store) => turnsOf(t, server, { store, queue: lossy, tools: tools() }))
    const id = await processes[0].start({ messages: hello })
    for (const call of [1, 2]) {
      await Promise.all(processes.map((turns) => turns.advance(id)))
      const question = await until(async () =>
        (await processes[1].status(id)).questions.find((one) => one.call === call),
      )
      const said = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          processes[n % 2].decide(
            id,
            n % 3 ? approve(question) : approve(question, { arguments: { text: `by ${n}` } }),
          ),
        ),
      )
      assert.deepEqual(said.toSorted(), ['accepted', ...Array.from({ length: 7 }, () => 'stale')])
    }
    await until(
      async () => (await Promise.all(processes.map((turns) => turns.advance(id)))).includes('done') || delay(5),
    )
    assert.deepEqual(
      ran.map((key) => key.split(':').slice(0, 2).join(':')),
      [`${id}:1`, `${id}:2`],
    )
    assert.equal(server.requests.length, 3)
    const [one, other] = await Promise.all(processes.map((turns) => turns.status(id)))
    assert.deepEqual([one, one.outcome, one.decisions.length], [other, 'completed', 2])
    for (const turns of processes)
      assert.equal(await turns.decide(id, approve({ call: 2, stage: 'execution', digest: 'x' })), 'over')
  })

  check(
    'two workers with different tools: what was decided for the one is nothing to the other, and the turn ends',
    async (t) => {
      const server = await serverOf(t, answersOf('hi'))
      const stores = [await open(t), await again(t)]
      let ran = 0
      const [old, next] = ['1', '2'].map((identity, at) =>
        turnsOf(t, server, { store: stores[at], queue: lossy, tools: [asks({ identity, execute: () => ++ran })] }),
      )
      const id = await old.start({ messages: hello })
      await old.advance(id)
      for (const worker of [next, old, next]) {
        const [question] = (await worker.status(id)).questions
        await delay(2)
        assert.equal(await worker.decide(id, approve(question)), 'accepted')
        assert.equal(await worker.advance(id), 'waiting')
      }
      assert.equal(ran, 0)
      assert.equal(await next.decide(id, approve((await next.status(id)).questions[0])), 'accepted')
      assert.equal(await next.advance(id), 'done')
      assert.deepEqual([ran, cardsOf(await old.status(id))[0].status], [1, 'success'])
    },
  )
}

/** A turn whose result does not fit, and later does. */
export async function onFullDisk(t, store, { fill, free, fault }) {
  const server = await serverOf(t, ({ body }) =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: [{ id: 'c', name: 'echo_back', arguments: { text: 'a' } }] },
  )
  let ran = 0
  const tools = [
    asks({
      execute: async () => {
        ran++
        await fill()
        return 'x'.repeat(200_000)
      },
    }),
  ]
  const turns = turnsOf(t, server, { store, queue: lossy, leaseMs: 300, tools, engine: { resultMaxBytes: 1_000_000 } })
  const id = await turns.start({ messages: hello })
  await turns.advance(id)
  assert.equal(await turns.decide(id, approve((await turns.status(id)).questions[0])), 'accepted')
  await assert.rejects(turns.advance(id), fault)
  await assert.rejects(turns.start({ messages: [{ role: 'user', content: 'x'.repeat(500_000) }] }), fault)
  const before = await turns.status(id)
  assert.deepEqual([before.phase, ran, before.decisions.length], ['running', 1, 1], 'what was saved is there')
  await free()
  await until(async () => (await turns.advance(id)) === 'done' || delay(50).then(() => false))
  const status = await turns.status(id)
  assert.deepEqual(
    [status.outcome, ran, cardsOf(status)[0].status],
    ['completed', 1, 'unknown'],
    'it may have happened, and is not done again',
  )
}
