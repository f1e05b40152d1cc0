// Turns that outlive processes: legs, decisions, results, readers, and what is refused.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { mock, test } from 'node:test'
import { Engine, resultParts } from 'sluice'
import { durable, fileBlobs, fileTurns, localQueue, memoryLog } from 'sluice/durable'
import {
  answersOf,
  approve,
  asks,
  cardsOf,
  folderOf,
  hello,
  lossy,
  memoryStore,
  Replay,
  serverOf,
  storeWith,
  textOf,
  turnsOf,
  until,
} from './durable-support.mjs'
import { callsEcho, echo, shorten } from './support.mjs'

const DAY = 86_400_000

test('a turn waits in the store, and another process goes on with it', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  const first = turnsOf(t, server, { store, queue: lossy })
  const id = await first.start({ messages: hello, thread: 'main', data: { user: 7 } })
  assert.equal((await first.status(id)).phase, 'running')
  assert.equal(await first.advance(id), 'waiting')
  const seen = []
  const second = turnsOf(t, server, { store, queue: lossy, run: {} })
  for await (const question of second.questions()) seen.push(question)
  const [question] = seen
  assert.equal(seen.length, 1)
  assert.deepEqual(
    [question.turn, question.thread, question.name, question.arguments, question.stage],
    [id, 'main', 'echo.back', { text: 'hi' }, 'execution'],
  )
  const before = await second.status(id)
  assert.deepEqual(
    [before.phase, before.thread, before.data, before.questions, textOf(before)],
    ['waiting', 'main', { user: 7 }, seen, 'Call 1. '],
  )
  assert.equal(await second.decide(id, approve(question, { by: 'ann' })), 'accepted')
  assert.equal(await second.advance(id), 'done')
  const status = await second.status(id)
  assert.deepEqual(
    [status.phase, status.outcome, status.questions, textOf(status)],
    ['done', 'completed', [], 'Call 1. I was told: you said hi'],
  )
  assert.deepEqual(
    status.history.map(({ role }) => role),
    ['assistant', 'tool', 'assistant'],
  )
  assert.deepEqual(
    status.decisions.map(({ call, decision, by }) => [call, decision, by]),
    [[1, 'approve', 'ann']],
  )
  assert.equal(await second.advance(id), 'done')
  assert.equal(server.requests.length, 2)
  assert.deepEqual(status.history, (await first.status(id)).history)
})

test('a worker takes what is started and decided, by itself', async (t) => {
  const server = await serverOf(t, answersOf('one', 'two'))
  const turns = turnsOf(t, server)
  const early = await turns.start({ messages: hello })
  const worker = turns.work()
  const late = await turns.start({ messages: hello })
  let decided = 0
  await until(async () => {
    for await (const question of turns.questions())
      if ((await turns.decide(question.turn, approve(question))) === 'accepted') decided++
    return (await turns.status(early)).phase === 'done' && (await turns.status(late)).phase === 'done'
  })
  await worker.close()
  assert.equal(decided, 4)
  for (const id of [early, late])
    assert.equal(textOf(await turns.status(id)), 'Call 1. Call 2. I was told: you said one, you said two')
})

test('decisions: the first one counts, and no other question is decided by it', async (t) => {
  const server = await serverOf(t, answersOf('hi', 'ho'))
  let ran = 0
  const execute = ({ text }) => {
    ran++
    return text
  }
  const turns = turnsOf(t, server, { queue: lossy, tools: [asks({ execute })] })
  const id = await turns.start({ messages: hello })
  await turns.advance(id)
  const [question] = (await turns.status(id)).questions
  assert.equal(await turns.decide(id, { ...approve(question), digest: 'f'.repeat(64) }), 'stale')
  assert.equal(await turns.decide(id, { ...approve(question), stage: 'result' }), 'stale')
  assert.equal(await turns.decide(id, { ...approve(question), call: 2 }), 'stale')
  await assert.rejects(turns.decide(id, approve(question, { arguments: { text: 5 } })), { code: 'json' })
  assert.equal(ran, 0)
  assert.equal(await turns.decide(id, { ...approve(question), decision: 'deny', reason: 'no' }), 'accepted')
  assert.equal(await turns.decide(id, approve(question)), 'stale')
  assert.equal(await turns.advance(id), 'waiting')
  assert.equal(await turns.decide(id, approve(question)), 'stale', 'the call was denied')
  const status = await turns.status(id)
  assert.deepEqual(
    cardsOf(status).map(({ status, approvals }) => [status, approvals?.[0]?.reason]),
    [
      ['denied', 'no'],
      ['awaiting_approval', undefined],
    ],
  )
  assert.equal(ran, 0)
  const both = await Promise.all(
    [1, 2].map(() => turns.decide(id, approve(status.questions[0], { arguments: { text: 'edited' } }))),
  )
  assert.deepEqual(both.sort(), ['accepted', 'stale'])
  assert.equal(await turns.advance(id), 'done')
  const end = await turns.status(id)
  assert.deepEqual([ran, cardsOf(end)[1].output, cardsOf(end)[1].editedArguments], [1, 'edited', { text: 'edited' }])
  assert.equal(await turns.decide(id, approve(status.questions[0])), 'over')
  assert.deepEqual(
    end.decisions.map(({ call, decision }) => [call, decision]),
    [
      [1, 'deny'],
      [2, 'approve'],
    ],
  )
})

test('a decision about another definition of the tool is stale, and it is asked again', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  let ran = 0
  const execute = () => ++ran
  const before = turnsOf(t, server, { store, queue: lossy, tools: [asks({ execute })] })
  const id = await before.start({ messages: hello })
  await before.advance(id)
  const [question] = (await before.status(id)).questions
  // The page that decides has the old tool, too: only the worker knows the new one.
  assert.equal(await before.decide(id, approve(question)), 'accepted')
  const after = turnsOf(t, server, { store, queue: lossy, tools: [asks({ execute, identity: '2' })] })
  assert.equal(await after.advance(id), 'waiting')
  assert.equal(ran, 0)
  const [again] = (await after.status(id)).questions
  assert.notEqual(again.digest, question.digest)
  assert.equal(await after.decide(id, approve(question)), 'stale')
  assert.equal(await after.decide(id, approve(again)), 'accepted')
  assert.equal(await after.advance(id), 'done')
  assert.equal(ran, 1)
})

test('a rule of today that forbids goes before a decision of yesterday', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  const turns = turnsOf(t, server, { store, queue: lossy })
  const id = await turns.start({ messages: hello })
  await turns.advance(id)
  const [question] = (await turns.status(id)).questions
  assert.equal(await turns.decide(id, approve(question)), 'accepted')
  const strict = turnsOf(t, server, { store, queue: lossy, run: { rules: [{ tool: 'echo.*', effect: 'deny' }] } })
  assert.equal(await strict.advance(id), 'done')
  const [card] = cardsOf(await strict.status(id))
  assert.deepEqual([card.status, card.reason], ['denied', 'policy'])
})

test('a result is asked about before the model reads it, and remembered decisions last', async (t) => {
  const server = await serverOf(t, answersOf('a', 'b'))
  const turns = turnsOf(t, server, {
    queue: lossy,
    tools: [asks({ permission: 'moderate', resultApproval: 'always' })],
  })
  const id = await turns.start({ messages: hello })
  await turns.advance(id)
  const [question] = (await turns.status(id)).questions
  assert.equal(await turns.decide(id, approve(question, { remember: 'turn' })), 'accepted')
  await turns.advance(id)
  const [result] = (await turns.status(id)).questions
  assert.deepEqual([result.stage, result.preview.text], ['result', 'you said a'])
  assert.equal(await turns.decide(id, approve(result)), 'accepted')
  await turns.advance(id)
  const [second] = (await turns.status(id)).questions
  assert.equal(second.stage, 'result', 'the execution was allowed for the turn')
  assert.equal(await turns.decide(id, { ...approve(second), decision: 'deny' }), 'accepted')
  assert.equal(await turns.advance(id), 'done')
  assert.deepEqual(
    cardsOf(await turns.status(id)).map(({ status }) => status),
    ['success', 'result_rejected'],
  )
})

test('thirty days and three deployments: nothing waits but a row, and what expires does so by the clock', async (t) => {
  const server = await serverOf(t, answersOf('one', 'two'))
  const store = fileTurns(folderOf(t))
  const begin = Date.UTC(2026, 0, 1)
  mock.timers.enable({ apis: ['Date'], now: begin })
  t.after(() => mock.timers.reset())
  const approvalTimeoutMs = 40 * DAY
  const deployed = () => turnsOf(t, server, { store, queue: lossy, engine: { approvalTimeoutMs } })
  const id = await deployed().start({ messages: hello })
  await deployed().advance(id)
  mock.timers.setTime(begin + 30 * DAY)
  const later = deployed()
  const [question] = (await later.status(id)).questions
  assert.deepEqual([question.askedAt, question.expiresAt], [begin, begin + approvalTimeoutMs])
  assert.equal(await later.sweep(), 0, 'nobody has decided')
  assert.equal(await later.decide(id, approve(question)), 'accepted') // the queue loses the wake
  const woken = []
  const after = turnsOf(t, server, {
    store,
    engine: { approvalTimeoutMs },
    queue: { ...lossy, wake: async (name) => void woken.push(name) },
  })
  assert.equal(await after.sweep(), 1)
  assert.deepEqual(woken, [id])
  assert.equal(await after.advance(id), 'waiting')
  assert.equal(await after.sweep(), 0)
  const {
    questions: [second],
    message,
  } = await after.status(id)
  assert.equal(cardsOf({ message })[0].output, 'you said one')
  // Nobody decides the second one.
  mock.timers.setTime(begin + 30 * DAY + approvalTimeoutMs + 1)
  assert.deepEqual((await after.status(id)).questions, [])
  assert.equal(await after.decide(id, approve(second)), 'stale')
  assert.equal(await after.sweep(), 1)
  assert.equal(await deployed().advance(id), 'done')
  const status = await after.status(id)
  assert.deepEqual([status.outcome, cardsOf(status)[1].status], ['completed', 'expired'])
})

test('the time of a question is kept by the queue: it wakes the turn', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const turns = turnsOf(t, server, { engine: { approvalTimeoutMs: 150 } })
  const worker = turns.work()
  const id = await turns.start({ messages: hello })
  await until(async () => (await turns.status(id)).phase === 'done')
  await worker.close()
  assert.equal(cardsOf(await turns.status(id))[0].status, 'expired')
})

test('a result from outside comes later, in another process, once', async (t) => {
  const server = await serverOf(t, answersOf('q', 'r'))
  const store = fileTurns(folderOf(t))
  const tools = () => [echo({ execute: undefined, external: true })]
  const first = turnsOf(t, server, { store, queue: lossy, tools: tools() })
  const id = await first.start({ messages: hello })
  assert.equal(await first.advance(id), 'waiting')
  const second = turnsOf(t, server, { store, queue: lossy, tools: tools() })
  const named = async (call) => ({ call, digest: cardsOf(await second.status(id))[call - 1].digest })
  const one = await named(1)
  for (const of of [{ ...one, call: 9 }, { call: 1, digest: '0'.repeat(64) }, { call: 1 }, 1])
    assert.equal(await second.result(id, of, { value: 1 }), 'stale', JSON.stringify(of))
  await assert.rejects(second.result(id, one, {}), { code: 'option' })
  await assert.rejects(second.result(id, one, { value: 1n }), { code: 'option' })
  await assert.rejects(second.result(id, { digest: one.digest }, { value: 1 }), { code: 'option' })
  assert.equal(await second.result(id, one, { value: { from: 'a person' } }), 'accepted')
  assert.equal(await second.result(id, one, { value: 'too late' }), 'stale')
  assert.equal(await second.advance(id), 'waiting')
  assert.equal(await second.result(id, one, { value: 1 }), 'stale')
  const two = await named(2)
  assert.equal(await second.result(id, { ...two, digest: one.digest }, { value: 'of the other' }), 'stale')
  assert.equal(await second.result(id, two, { error: 'nobody is there' }), 'accepted')
  assert.equal(await second.advance(id), 'done')
  const cards = cardsOf(await second.status(id))
  assert.deepEqual(
    cards.map(({ status, output, error }) => [status, output ?? error]),
    [
      ['success', '{"from":"a person"}'],
      ['error', 'nobody is there'],
    ],
  )
  assert.equal(await second.result(id, two, { value: 1 }), 'over')
})

test('a decision that comes in the moment in which its turn is put aside is not lost', async (t) => {
  const server = await serverOf(t, answersOf('a', 'b', 'c'))
  for (const ms of [5, 20]) {
    const store = fileTurns(folderOf(t))
    const slow = {
      ...Object.fromEntries(
        ['create', 'load', 'save', 'push', 'list', 'remove'].map((name) => [name, (...given) => store[name](...given)]),
      ),
      inbox: async (id) => {
        const found = await store.inbox(id)
        await delay(ms)
        return found
      },
    }
    const turns = turnsOf(t, server, {
      store: slow,
      tools: [
        asks({
          execute: async ({ text }) => {
            await delay(10)
            return text
          },
        }),
      ],
    })
    const worker = turns.work()
    const id = await turns.start({ messages: hello })
    for await (const event of turns.events(id)) if (event.type === 'approval') await turns.decide(id, approve(event))
    await worker.close()
    assert.equal(textOf(await turns.status(id)), 'Call 1. Call 2. Call 3. I was told: a, b, c')
  }
})

test('no result from outside stands in for a tool that runs here', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  let go
  const turns = turnsOf(t, server, { tools: [echo({ execute: () => new Promise((resolve) => (go = resolve)) })] })
  const worker = turns.work()
  const id = await turns.start({ messages: hello })
  await until(() => go)
  assert.equal(
    await turns.result(id, { call: 1, digest: cardsOf(await turns.status(id))[0].digest }, { value: 'made up' }),
    'stale',
  )
  await delay(30)
  go('the real one')
  await until(async () => (await turns.status(id)).phase === 'done')
  await worker.close()
  assert.equal(cardsOf(await turns.status(id))[0].output, 'the real one')
})

test('cancel: what waits, what runs here, what runs elsewhere', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const folder = folderOf(t)
  const waiting = turnsOf(t, server, { store: fileTurns(folder), queue: lossy })
  const id = await waiting.start({ messages: hello })
  await waiting.advance(id)
  await waiting.cancel(id, 'enough')
  assert.equal(await waiting.advance(id), 'done')
  const { outcome, reason, message } = await waiting.status(id)
  assert.deepEqual([outcome, reason, cardsOf({ message })[0].status], ['cancelled', 'enough', 'cancelled'])
  await waiting.cancel(id, 'twice')

  for (const elsewhere of [false, true]) {
    let aborted
    let started = false
    const execute = (_, { signal }) =>
      new Promise((resolve) => {
        started = true
        signal.addEventListener('abort', () => {
          aborted = true
          resolve()
        })
      })
    const turns = turnsOf(t, server, { store: fileTurns(folder), tools: [echo({ execute })], leaseMs: 300 })
    const worker = turns.work()
    const running = await turns.start({ messages: hello })
    await until(() => started)
    await (elsewhere ? turnsOf(t, server, { store: fileTurns(folder), queue: lossy }) : turns).cancel(running)
    await until(() => aborted)
    await until(async () => (await turns.status(running)).phase === 'done')
    assert.equal((await turns.status(running)).outcome, 'cancelled')
    await worker.close()
  }
})

test('a worker that closes leaves its turns to others, with what ran', async (t) => {
  const server = await serverOf(t, answersOf('a', 'b'))
  const store = fileTurns(folderOf(t))
  const ran = []
  const tools = (name) => [
    echo({
      identity: '1',
      execute: async ({ text }) => {
        ran.push(`${text} by ${name}`)
        await delay(40)
        return text
      },
    }),
  ]
  const first = turnsOf(t, server, { store, tools: tools('first') })
  const worker = first.work()
  const id = await first.start({ messages: hello })
  await until(() => ran.length === 1)
  await worker.close()
  const { phase } = await first.status(id)
  assert.equal(phase, 'running')
  const second = turnsOf(t, server, { store, tools: tools('second') })
  const next = second.work()
  await until(async () => (await second.status(id)).phase === 'done')
  await next.close()
  assert.deepEqual(ran, ['a by first', 'b by second'])
  assert.equal(textOf(await second.status(id)), 'Call 1. Call 2. I was told: a, b')
})

test('a turn whose worker died is taken when its lease has run out, not before', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  const timers = []
  const turns = turnsOf(t, server, {
    store,
    queue: { ...lossy, at: async (id, time) => void timers.push(time) },
    leaseMs: 60_000,
  })
  const id = await turns.start({ messages: hello })
  const row = await store.load(id)
  const until = Date.now() + 5000
  await store.save(id, row.rev, { updated: 1, phase: 'running', wakeAt: until, logNumber: 1 }) // by a worker elsewhere
  assert.equal(await turns.advance(id), 'waiting')
  assert.deepEqual([timers, server.requests.length], [[until], 0])
  mock.timers.enable({ apis: ['Date'], now: until })
  t.after(() => mock.timers.reset())
  assert.equal(await turns.sweep(), 1)
  assert.equal(await turns.advance(id), 'waiting')
  assert.equal((await turns.status(id)).questions.length, 1)
})

test('a worker that lost its turn writes nothing more, and stops what it does', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  let signal
  const turns = turnsOf(t, server, {
    store,
    queue: lossy,
    leaseMs: 90,
    tools: [echo({ execute: (_, context) => new Promise(() => ({ signal } = context)) })],
  })
  const id = await turns.start({ messages: hello })
  const leg = turns.advance(id)
  await until(() => signal)
  const rev = await until(async () => {
    const row = await store.load(id)
    return await store.save(id, row.rev, {
      updated: 1,
      phase: 'running',
      wakeAt: Date.now() + 60_000,
      logNumber: row.logNumber + 1,
    })
  })
  assert.equal(await leg, 'waiting')
  assert.ok(signal.aborted)
  assert.deepEqual((await store.load(id)).rev, rev)
})

test('who reads in the process of a worker that lost its turn, or failed, gets what follows from the store', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  for (const fails of [false, true]) {
    const store = fileTurns(folderOf(t))
    let broken = false
    const save = async (...given) => {
      if (broken) throw new Error('the disk is full')
      return await store.save(...given)
    }
    let runs = false
    const first = turnsOf(t, server, {
      store: storeWith(store, { save }),
      queue: lossy,
      leaseMs: 90,
      tools: [echo({ execute: () => new Promise(() => (runs = true)) })],
    })
    const second = turnsOf(t, server, { store, queue: lossy, tools: [echo()] })
    const id = await first.start({ messages: hello })
    const leg = first.advance(id).catch((error) => error)
    const replay = new Replay()
    const reading = (async () => {
      for await (const event of first.events(id)) replay.take(event)
    })()
    await until(() => runs && replay.message?.blocks.length === 2)
    if (fails) broken = true
    else await until(async () => await store.save(id, (await store.load(id)).rev, { updated: 1, wakeAt: 0 }))
    const ended = await leg
    assert.equal(fails ? ended.message : ended, fails ? 'the disk is full' : 'waiting')
    await until(async () => (await second.advance(id)) === 'done')
    await reading
    replay.check(await second.status(id))
  }
})

test('readers get every log from its beginning, questions that can be decided, and the end when it is saved', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const turns = turnsOf(t, server)
  const worker = turns.work()
  const id = await turns.start({ messages: hello })
  const events = []
  for await (const event of turns.events(id)) {
    events.push(event)
    if (event.type === 'approval' && event.seq > 0 && !events.some(({ decided }) => decided)) {
      events.push({ decided: true })
      assert.equal(await turns.decide(id, approve(event)), 'accepted', 'it is in the store')
    }
  }
  assert.equal((await turns.status(id)).phase, 'done', 'the end was saved')
  await worker.close()
  assert.equal(events.at(-1).type, 'done')
  const resets = events.filter(({ type }) => type === 'reset')
  assert.ok(resets.length >= 2)
  // The last log by itself is the whole message.
  const last = events.slice(events.lastIndexOf(resets.at(-1)))
  const text =
    last[0].message.blocks.map((block) => block.text ?? '').join('') +
    last.flatMap((event) => (event.type === 'text' ? event.text : [])).join('')
  assert.equal(text, textOf(await turns.status(id)))
  const places = events.flatMap(({ at }) => at ?? [])
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )

  const afterwards = []
  for await (const event of turns.events(id)) afterwards.push(event)
  assert.deepEqual(
    afterwards.map(({ type }) => type),
    ['reset', 'done'],
  )
  assert.deepEqual(afterwards[0].message, (await turns.status(id)).message)
})

test('a reader of a turn that waits sees its message and its questions, may leave, and comes back', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const turns = turnsOf(t, server)
  const worker = turns.work()
  const id = await turns.start({ messages: hello })
  await until(async () => (await turns.status(id)).phase === 'waiting')
  const reader = turns.events(id)
  const seen = []
  while (seen.at(-1)?.type !== 'approval') seen.push((await reader.next()).value)
  const question = seen.at(-1)
  assert.deepEqual([seen[0].type, question.name], ['reset', 'echo.back'])
  assert.equal((await reader.next()).value.type, 'waiting')
  const pending = reader.next()
  await delay(5)
  assert.deepEqual(await reader.return(), { done: true, value: undefined })
  assert.deepEqual(await pending, { done: true, value: undefined })
  await turns.decide(id, approve(question))
  const rest = []
  for await (const event of turns.events(id, question.at)) rest.push(event)
  await worker.close()
  assert.equal(rest.at(-1).type, 'done')
  assert.equal(rest.find(({ type }) => type !== 'waiting').type, 'reset')
  await assert.rejects(turns.events('nobody').next(), { code: 'not_found' })
})

test('a reader may leave a turn that no worker has had, and comes back', async (t) => {
  const turns = turnsOf(t, await serverOf(t, [{ text: 'Hello.' }]), { queue: lossy })
  const id = await turns.start({ messages: hello })
  const [first, then] = [new Replay(), new Replay()]
  let at
  for await (const event of turns.events(id)) {
    first.take(event)
    at = event.at
    break
  }
  assert.deepEqual(first.message.blocks, [])
  await turns.advance(id)
  for await (const event of turns.events(id, at)) then.take(event)
  then.check(await turns.status(id))
})

test('a reader that waits for long holds no more than one that has just come', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const turns = turnsOf(t, server, { queue: lossy })
  const id = await turns.start({ messages: hello })
  const warnings = []
  const note = (warning) => warnings.push(warning.name)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const reader = turns.events(id)
  assert.equal((await reader.next()).value.type, 'reset')
  const waits = shorten(t, { 1000: 1 })
  const pending = reader.next()
  await until(() => waits.calls.filter(({ arguments: [, ms] }) => ms === 1000).length > 15, 'fifteen looks')
  await reader.return()
  await pending
  assert.deepEqual(warnings, [])
})

test('where the stream log fails, the turn goes on, and readers get its end from the store', async (t) => {
  const server = await serverOf(t, answersOf())
  const log = memoryLog()
  let count = 0
  const broken = {
    append: async (...given) => {
      if (count++ > 0) throw new Error('no log')
      await log.append(...given)
    },
    read: (...given) => log.read(...given),
    end: (...given) => log.end(...given),
  }
  const turns = turnsOf(t, server, { log: broken })
  const id = await turns.start({ messages: hello })
  const reading = (async () => {
    const events = []
    for await (const event of turns.events(id)) events.push(event)
    return events
  })()
  const worker = turns.work()
  const events = await reading
  await worker.close()
  assert.equal(events.at(-1).type, 'done')
  assert.equal(textOf({ message: events.findLast(({ type }) => type === 'reset').message }), 'I was told: ')
})

test('an inbox that cannot be read for a moment ends no tool that runs', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const inner = fileTurns(folderOf(t))
  let [away, failed, goOn, aborted] = [false, 0, undefined, false]
  const store = storeWith(inner, {
    inbox: async (id) => {
      if (away) {
        failed++
        throw new Error('ECONNRESET')
      }
      return await inner.inbox(id)
    },
  })
  const execute = async (_, { signal }) => {
    signal.addEventListener('abort', () => (aborted = true))
    away = true
    await new Promise((resolve) => (goOn = resolve))
    return 'done'
  }
  const turns = turnsOf(t, server, { store, leaseMs: 3000, tools: [echo({ permission: 'public', execute })] })
  turns.work()
  const id = await turns.start({ messages: hello })
  await until(() => failed > 1)
  away = false
  goOn()
  const status = await until(async () => {
    const now = await turns.status(id)
    return now.phase === 'done' && now
  })
  assert.deepEqual([cardsOf(status)[0].status, aborted], ['success', false])
})

test('a reader gets the end from the store where the worker died before it told it', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const log = memoryLog()
  const dying = {
    append: (id, logNumber, chunks) =>
      log.append(
        id,
        logNumber,
        chunks.filter((chunk) => !/"type":"(?:done|approval)"/.test(chunk)),
      ),
    read: (id) => log.read(id),
    end: () => {},
  }
  const store = fileTurns(folderOf(t))
  const turns = turnsOf(t, server, { store, log: dying, queue: lossy })
  const reader = turnsOf(t, server, { store, log: dying, queue: lossy }) // in another process
  shorten(t, { 5000: 10, 1000: 10 })
  const id = await turns.start({ messages: hello })
  const events = []
  const reading = (async () => {
    for await (const event of reader.events(id)) events.push(event)
  })()
  await turns.advance(id)
  await until(() => events.some(({ type }) => type === 'waiting'), 'the reader to be told that it waits')
  await turns.decide(id, approve(events.find(({ type }) => type === 'approval')))
  await turns.advance(id)
  await reading
  assert.equal(events.at(-1).type, 'done')
  assert.equal(textOf(events.findLast(({ type }) => type === 'reset')), textOf(await turns.status(id)))
})

test('pictures and long results stand beside the turn, once, and the model gets them whole', async (t) => {
  const png = `iVBORw0KGgo${'A'.repeat(400_000)}`
  const long = `"sluice-blob:${'0'.repeat(64)}" \\ ${'long '.repeat(20_000)}`
  const results = [
    long,
    resultParts({ type: 'text', text: 'look' }, { type: 'image', mediaType: 'image/png', data: png }),
  ]
  const server = await serverOf(
    t,
    ({ body }) => (body.messages.filter(({ role }) => role === 'tool').length < 2 ? callsEcho : { text: 'Seen.' }),
    { strict: false },
  )
  const folder = folderOf(t)
  const store = fileTurns(folder)
  let most = 0
  const measured = {
    ...Object.fromEntries(
      ['create', 'load', 'inbox', 'push', 'list', 'remove'].map((name) => [name, (...given) => store[name](...given)]),
    ),
    save: async (id, rev, patch) => {
      most = Math.max(most, JSON.stringify(patch).length)
      return await store.save(id, rev, patch)
    },
  }
  const turns = turnsOf(t, server, {
    store: measured,
    blobs: fileBlobs(folder),
    queue: lossy,
    engine: { resultMaxBytes: 1_000_000 },
    tools: [asks({ execute: () => results.shift() })],
  })
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
  const id = await turns.start({ messages: [{ role: 'user', content: [{ type: 'text', text: 'see' }, picture] }] })
  while ((await turns.advance(id)) !== 'done') await turns.decide(id, approve((await turns.status(id)).questions[0]))
  assert.ok(most < 40_000, `${most} bytes`)
  const { body } = server.requests.at(-1)
  assert.deepEqual(body.messages[0].content[1], picture)
  assert.equal(body.messages.find(({ role }) => role === 'tool').content, long)
  assert.ok(JSON.stringify(body).split(png).length > 2, 'the result has the picture, too')
  const status = await turns.status(id)
  assert.equal(cardsOf(status)[0].output, long)
  assert.ok(readdirSync(join(folder, id, 'blobs')).length < 6, 'however often it was saved')
  assert.equal(await turns.forget(id), true)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name === id),
    [],
  )
  await assert.rejects(turns.status(id), { code: 'not_found' })
})

test('a turn that cannot be read is told, hides no other, and is not written over', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const folder = folderOf(t)
  const turns = turnsOf(t, server, { store: fileTurns(folder), queue: lossy })
  const [id, sound] = [await turns.start({ messages: hello }), await turns.start({ messages: hello })]
  await turns.advance(id)
  await turns.advance(sound)
  const path = join(folder, id, 'turn.json')
  const whole = readFileSync(path, 'utf8')
  const warned = []
  const listen = (warning) => warned.push(warning.message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  writeFileSync(path, whole.slice(0, 200))
  for (const act of [
    () => turns.status(id),
    () => turns.advance(id),
    () => turns.decide(id, { call: 1, stage: 'execution', digest: 'x', decision: 'deny' }),
    () => turns.cancel(id),
  ]) {
    await assert.rejects(
      act(),
      (error) => error.code === 'storage' && error.path === path && /is damaged/.test(error.message),
    )
  }
  const seen = []
  for await (const question of turns.questions()) seen.push(question.turn)
  assert.deepEqual(seen, [sound])
  await turns.sweep()
  await until(() => warned.some((text) => text.includes(path)))
  assert.equal(readFileSync(path, 'utf8'), whole.slice(0, 200))

  const row = JSON.parse(whole)
  writeFileSync(path, JSON.stringify({ ...row, state: row.state.slice(0, 100) }))
  await fileTurns(folder).push(id, { key: 'k', entry: '{"type":"cancel"}' })
  const before = readFileSync(path, 'utf8')
  await assert.rejects(turns.status(id), { code: 'storage', message: /the state of the turn cannot be read/ })
  await assert.rejects(turns.advance(id), { code: 'storage', message: /the state of the turn cannot be read/ })
  assert.deepEqual(
    { ...JSON.parse(readFileSync(path, 'utf8')), rev: 0, logNumber: 0, updated: 0 },
    { ...JSON.parse(before), rev: 0, logNumber: 0, updated: 0 },
    'it was given back',
  )
  const questions = []
  await (async () => {
    for await (const question of turns.questions()) questions.push(question.turn)
  })()
  assert.ok(questions.includes(sound))
})

test('what was thrown by `run` is tried again, and an unknown turn is none', async (t) => {
  const server = await serverOf(t, answersOf())
  let fails = true
  const engine = new Engine()
  t.after(() => engine.close())
  const turns = durable(engine, {
    store: fileTurns(folderOf(t)),
    run: ({ id, thread, data }) => {
      if (fails) {
        fails = false
        throw new Error('no key today')
      }
      return { model: { baseURL: server.baseURL, name: `${thread} ${data.n}`, apiKey: id } }
    },
  })
  const worker = turns.work()
  const id = await turns.start({ id: 'mine', thread: 'th', messages: hello, data: { n: 3 } })
  assert.equal(id, 'mine')
  await until(async () => (await turns.status(id)).phase === 'done')
  await worker.close()
  assert.deepEqual([server.requests[0].body.model, server.requests[0].headers.authorization], ['th 3', 'Bearer mine'])
  assert.equal(await turns.start({ id: 'mine', messages: hello }), 'mine', 'a start that comes twice begins nothing')
  assert.equal((await turns.status(id)).outcome, 'completed')
  for (const act of [
    () => turns.status('x'),
    () => turns.advance('x'),
    () => turns.cancel('x'),
    () => turns.result('x', { call: 1, digest: '' }, { value: 1 }),
    () => turns.decide('x', approve({ call: 1, stage: 'execution', digest: '' })),
  ]) {
    await assert.rejects(act(), { code: 'not_found' })
  }
  assert.equal(await turns.forget('x'), false)
})

test('what cannot be part of a durable turn is refused', async (t) => {
  const run = () => ({ model: { baseURL: 'http://127.0.0.1:9/v1', name: 'm' } })
  const store = fileTurns(folderOf(t))
  const refused = (options, engineOptions, path) => {
    const engine = new Engine(engineOptions)
    t.after(() => engine.close())
    assert.throws(
      () => durable(engine, { store, run, ...options }),
      (error) => error.code === 'option' && (error.path === path || assert.equal(error.path, path)),
    )
  }
  refused({}, { checkpoint: () => {} }, 'engine.checkpoint')
  refused({}, { tools: [echo({ execute: undefined })] }, 'tools[0].execute')
  refused({ run: undefined }, {}, 'run')
  refused({ encryption: new Uint8Array(31) }, {}, 'encryption')
  refused({ encryption: 'x'.repeat(31) }, {}, 'encryption')
  refused({ store: {} }, {}, 'store')
  refused({ queue: localQueue }, {}, 'queue')
  refused({ stores: 1 }, {}, 'stores')
  assert.throws(() => durable({}, { run }), { code: 'option', path: 'engine' })
  assert.throws(() => fileTurns(''), { code: 'option', path: 'folder' })
  assert.throws(() => localQueue({ concurrency: 0 }), { code: 'option', path: 'concurrency' })
  const engine = new Engine({ dispatch: 'block', tools: [echo({ immediate: true })] })
  t.after(() => engine.close())
  const turns = durable(engine, { store, queue: lossy, run: () => ({ ...run(), messages: hello }) })
  await assert.rejects(turns.start({ messages: [] }), { code: 'option', path: 'messages' })
  await assert.rejects(turns.start({ messages: hello, id: 'a\n' }), { code: 'option', path: 'id' })
  await assert.rejects(turns.start({ messages: hello, data: { big: 1n } }), { code: 'option', path: 'data.big' })
  const id = await turns.start({ messages: hello })
  await assert.rejects(turns.advance(id), { code: 'option', path: 'run().messages' })
  assert.equal((await turns.status(id)).phase, 'running')
  await assert.rejects(turns.decide(id, { call: 1, stage: 'execution', digest: 'x', decision: 'yes' }), {
    code: 'option',
    path: 'decision.decision',
  })
})

test('a store that is slower than the heart of a leg holds up no save of the turn', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const kept = memoryStore()
  let ended = false
  const saves = []
  const store = storeWith(kept, {
    save: async (id, rev, patch) => {
      if (ended) saves.push(patch.state === undefined ? 'lives' : 'state')
      await delay(40)
      return await kept.save(id, rev, patch)
    },
  })
  const turns = turnsOf(t, server, {
    store,
    queue: lossy,
    leaseMs: 30,
    tools: [
      echo({
        identity: '1',
        execute: async () => {
          await delay(1000)
          ended = true
          return 'ok'
        },
      }),
    ],
  }) // it beats every 10 ms
  const id = await turns.start({ messages: hello })
  assert.equal(await turns.advance(id), 'done')
  assert.ok(saves.indexOf('state') <= 2, saves.join())
})
