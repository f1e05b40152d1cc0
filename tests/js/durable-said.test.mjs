// What is said to a turn while others say something, too: the answer is what becomes of it, and nothing that was
// accepted is in the way of what comes next.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { mock, test } from 'node:test'
import { memoryRules } from 'sluice'
import { fileTurns } from 'sluice/durable'
import {
  answersOf,
  approve,
  asks,
  cardsOf,
  folderOf,
  hello,
  lossy,
  serverOf,
  storeWith,
  textOf,
  turnsOf,
  until,
} from './durable-support.mjs'
import { echo } from './support.mjs'

/** A model that calls a tool that is asked about and another one beside it. */
const both =
  (other) =>
  ({ body }) =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : {
          calls: [
            { id: 'a', name: 'echo_back', arguments: { text: 'a' } },
            { id: 'b', name: other, arguments: { text: 'b' } },
          ],
        }
const outside = (more) => echo({ name: 'from.outside', execute: undefined, external: true, identity: '1', ...more })
const parallel = { execution: 'parallel' }

/** A turn that runs, with a question that waits: a tool beside it goes on until `release`. */
async function runningTurn(t, { run = {}, ...more } = {}) {
  let release
  const gate = new Promise((resolve) => (release = resolve))
  const tools = [
    asks(),
    echo({
      name: 'takes.long',
      identity: '1',
      execute: async () => {
        await gate
        return 'long'
      },
    }),
  ]
  const store = fileTurns(folderOf(t))
  const server = await serverOf(t, both('takes_long'))
  const turns = turnsOf(t, server, { store, tools, engine: { ...parallel, ...more.engine }, run })
  const worker = turns.work()
  t.after(() => release())
  const id = await turns.start({ messages: hello })
  const question = await until(async () => (await turns.status(id)).questions[0])
  assert.equal((await turns.status(id)).phase, 'running')
  return {
    id,
    question,
    release,
    server,
    store,
    turns,
    worker,
    end: async () => {
      release()
      return await until(async () => {
        const status = await turns.status(id)
        return status.phase === 'done' && status
      })
    },
  }
}

test('who decided is kept of every decision, also of one that comes while another one is saved', async (t) => {
  const inner = fileTurns(folderOf(t))
  const store = storeWith(inner, {
    save: async (...given) => {
      await delay(15)
      const rev = await inner.save(...given)
      await delay(15)
      return rev
    },
  })
  const server = await serverOf(t, both('asks_too'))
  const turns = turnsOf(t, server, { store, tools: [asks(), asks({ name: 'asks.too' })], engine: parallel })
  turns.work()
  for (const pause of [0, 5, 10, 20, 30, 40]) {
    const id = await turns.start({ messages: hello })
    const [first, second] = await until(async () => {
      const { questions } = await turns.status(id)
      return questions.length === 2 && questions
    })
    assert.equal(await turns.decide(id, approve(first, { by: 'ann' })), 'accepted')
    await delay(pause)
    assert.equal(await turns.decide(id, approve(second, { by: 'bob' })), 'accepted')
    const status = await until(async () => {
      const now = await turns.status(id)
      return now.phase === 'done' && now
    })
    assert.deepEqual(
      [status.decisions.map(({ by }) => by), cardsOf(status).map(({ approvals }) => approvals[0].who)],
      [
        ['ann', 'bob'],
        ['ann', 'bob'],
      ],
      `${pause} ms`,
    )
  }
})

test('tools of a client that cannot be declared are refused when the turn starts, and not in every leg', async (t) => {
  const server = await serverOf(t, both('asks_too'))
  const store = fileTurns(folderOf(t))
  const turns = turnsOf(t, server, { store, tools: [asks()] })
  await assert.rejects(
    turns.start({
      messages: hello,
      external: [{ name: 'of.a.page', description: '', parameters: { type: 'nonsense' } }],
    }),
    { code: 'option' },
  )
  for await (const row of store.list({})) assert.fail(`kept ${row.id}`)
})

test('what comes in the moment in which its turn ends is answered so: it is over', async (t) => {
  const tools = [asks(), outside()]
  const server = await serverOf(t, both('from_outside'))
  const says = {
    'a decision': (turns, id, question) => turns.decide(id, approve(question)),
    'a decision about what is not asked': (turns, id, question) =>
      turns.decide(id, { ...approve(question), digest: 'f'.repeat(64) }),
    'a result': (turns, id) => turns.result(id, { call: 2, digest: '0' }, { value: 'late' }),
  }
  for (const [what, say] of Object.entries(says)) {
    const store = fileTurns(folderOf(t))
    const turns = turnsOf(t, server, { store, queue: lossy, tools, engine: parallel })
    const id = await turns.start({ messages: hello })
    assert.equal(await turns.advance(id), 'waiting')
    const {
      questions: [question],
    } = await turns.status(id)
    let looks = 0
    const load = async (name) => {
      const row = await store.load(name)
      if (looks++ === 0) {
        await turns.cancel(id)
        assert.equal(await turns.advance(id), 'done')
      } // by another process, behind this look
      return row
    }
    assert.equal(
      await say(
        turnsOf(t, server, { store: storeWith(store, { load }), queue: lossy, tools, engine: parallel }),
        id,
        question,
      ),
      'over',
      what,
    )
    assert.equal((await turns.status(id)).outcome, 'cancelled')
  }
})

test('edited arguments that do not fit are refused to their sender also while the turn runs, and the question stays', async (t) => {
  const { end, id, question, turns } = await runningTurn(t)
  await assert.rejects(turns.decide(id, approve(question, { arguments: { text: 5 } })), { code: 'json' })
  assert.equal(await turns.decide(id, approve(question, { arguments: { text: 'edited' } })), 'accepted')
  const status = await end()
  assert.deepEqual(
    [status.outcome, ...cardsOf(status).map(({ output }) => output)],
    ['completed', 'you said edited', 'long'],
  )
})

test('edited arguments that a rule of the turn forbids are refused to their sender, and the question stays', async (t) => {
  const rules = [{ tool: 'echo.back', effect: 'deny', arguments: { text: 'secret' } }]
  const { end, id, question, turns } = await runningTurn(t, { run: { rules } })
  await assert.rejects(turns.decide(id, approve(question, { arguments: { text: 'secret' } })), {
    code: 'state',
    message: /rule/,
  })
  assert.equal(await turns.decide(id, approve(question)), 'accepted')
  assert.deepEqual(
    cardsOf(await end()).map(({ output }) => output),
    ['you said a', 'long'],
  )
})

test('a decision that only its worker can see through does not leave a question that nobody can decide', async (t) => {
  for (const args of [{ text: 5 }, { text: 'secret' }]) {
    const { end, id, question, store, turns } = await runningTurn(t, {
      run: { rules: [{ tool: 'echo.back', effect: 'deny', arguments: { text: 'secret' } }] },
    })
    const { call, stage, digest } = question
    // By a process that has other tools: it cannot check them.
    await store.push(id, {
      key: 'of another process',
      entry: JSON.stringify({ type: 'decision', at: 1, call, stage, digest, decision: 'approve', arguments: args }),
    })
    const reading = (async () => {
      const events = []
      for await (const event of turns.events(id)) events.push(event)
      return events
    })()
    const status = await end()
    const [card] = cardsOf(status)
    assert.deepEqual(
      [card.status, card.reason, status.outcome, status.decisions],
      ['denied', 'policy', 'completed', []],
    )
    assert.match(card.approvals.at(-1).reason, /text|rule/)
    assert.equal((await reading).at(-1).type, 'done')
  }
})

test('a tool that runs is told as running to every process, until its worker is dead', async (t) => {
  const { id, store, turns, end } = await runningTurn(t)
  const elsewhere = turnsOf(
    t,
    { baseURL: 'http://127.0.0.1:9/v1' },
    { store, tools: turns.tools, queue: lossy, engine: parallel },
  )
  const { status, reason, endedAt, modelOutput: told } = cardsOf(await elsewhere.status(id))[1]
  assert.deepEqual([status, reason, endedAt, told], ['executing', undefined, undefined, undefined])
  const reader = elsewhere.events(id)
  assert.deepEqual(
    cardsOf((await reader.next()).value).map((card) => card.status),
    ['awaiting_approval', 'executing'],
  )
  await reader.return()
  const now = Date.now()
  mock.timers.enable({ apis: ['Date'], now: now + 60_000 })
  assert.equal(cardsOf(await elsewhere.status(id))[1].status, 'unknown', 'nobody says that it lives')
  mock.timers.reset()
  const [question] = (await turns.status(id)).questions
  assert.equal(await turns.decide(id, approve(question)), 'accepted')
  assert.deepEqual(
    cardsOf(await end()).map((card) => card.status),
    ['success', 'success'],
  )
})

test('a rule that forbids since the question was asked goes before the decision, while the turn runs, too', async (t) => {
  const rules = memoryRules()
  const { end, id, question, turns } = await runningTurn(t, { engine: { rules } })
  rules.add({ tool: 'echo.*', effect: 'deny' })
  assert.equal(await turns.decide(id, approve(question)), 'accepted')
  const status = await end()
  const [card] = cardsOf(status)
  assert.deepEqual([card.status, card.reason, status.decisions], ['denied', 'policy', []])
})

test('a rule that forbids since the question was asked is held against edited arguments, too', async (t) => {
  const rules = memoryRules()
  const { end, id, question, turns } = await runningTurn(t, { engine: { rules } })
  rules.add({ tool: 'echo.back', effect: 'deny', arguments: { text: 'secret' } })
  assert.equal(await turns.decide(id, approve(question, { arguments: { text: 'secret' } })), 'accepted')
  const [card] = cardsOf(await end())
  assert.notEqual(card.status, 'success')
  assert.match(JSON.stringify(card.output), /forbidden meanwhile/)
})

/** A question of a worker, and another worker that has the tool in a newer version. */
async function deployedAnew(t) {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  let ran = 0
  const deployed = (identity) =>
    turnsOf(t, server, { store, queue: lossy, tools: [asks({ identity, execute: () => ++ran })] })
  const [old, next] = [deployed('1'), deployed('2')]
  const id = await old.start({ messages: hello })
  await old.advance(id)
  return { id, old, next, ran: () => ran }
}

test('where every process has a newer tool, the old question is decided into a new one', async (t) => {
  const { id, next, ran } = await deployedAnew(t)
  const [question] = (await next.status(id)).questions
  assert.equal(await next.decide(id, approve(question)), 'accepted')
  assert.equal(await next.advance(id), 'waiting')
  const [again] = (await next.status(id)).questions
  assert.notEqual(again.digest, question.digest)
  assert.deepEqual(
    [ran(), await next.decide(id, approve(question)), await next.decide(id, approve(again))],
    [0, 'stale', 'accepted'],
  )
  assert.equal(await next.advance(id), 'done')
  assert.equal(ran(), 1)
})

test('two workers with different tools: a question that comes back is decided anew', async (t) => {
  const { id, old, next, ran } = await deployedAnew(t)
  const seen = []
  for (const worker of [next, old, next, old]) {
    const [question] = (await old.status(id)).questions
    seen.push(question.digest)
    await delay(2)
    assert.deepEqual(
      await Promise.all([1, 2].map(() => old.decide(id, approve(question)))).then((both) => both.sort()),
      ['accepted', 'stale'],
    )
    assert.equal(await worker.advance(id), 'waiting')
    assert.equal(ran(), 0)
  }
  assert.equal(new Set(seen).size, 2)
  const [question] = (await old.status(id)).questions
  assert.equal(await old.decide(id, approve(question)), 'accepted')
  assert.equal(await old.advance(id), 'done')
  assert.deepEqual([ran(), textOf(await old.status(id))], [1, 'Call 1. I was told: 1'])
})

test('a worker that does not have the tool tells the model so, and nothing that was approved runs', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  let ran = 0
  const turns = turnsOf(t, server, { store, queue: lossy, tools: [asks({ execute: () => ++ran })] })
  const id = await turns.start({ messages: hello })
  await turns.advance(id)
  const [question] = (await turns.status(id)).questions
  assert.equal(await turns.decide(id, approve(question)), 'accepted')
  const other = turnsOf(t, server, { store, queue: lossy, tools: [echo({ name: 'something.else', identity: '1' })] })
  assert.equal(await other.advance(id), 'done')
  const status = await turns.status(id)
  assert.deepEqual(
    [cardsOf(status)[0].status, status.outcome, status.decisions, ran],
    ['not_found', 'completed', [], 0],
  )
})

test("a result that came in front of its call is in nobody's way", async (t) => {
  const server = await serverOf(t, ({ body }) =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: [{ id: 'b', name: 'from_outside', arguments: { text: 'b' } }] },
  )
  const store = fileTurns(folderOf(t))
  const turns = turnsOf(t, server, { store, queue: lossy, tools: [outside({ permission: 'sensitive' })] })
  const id = await turns.start({ messages: hello })
  assert.equal(await turns.result(id, { call: 1, digest: '0'.repeat(64) }, { value: 'early' }), 'stale')
  assert.equal(await turns.advance(id), 'waiting')
  const {
    questions: [question],
  } = await turns.status(id)
  assert.equal(await turns.result(id, question, { value: 'before it may run' }), 'stale')
  assert.equal(await turns.decide(id, approve(question)), 'accepted')
  assert.equal(await turns.advance(id), 'waiting')
  assert.deepEqual(
    (await Promise.all([1, 2].map((n) => turns.result(id, question, { value: `in time ${n}` })))).toSorted(),
    ['accepted', 'stale'],
  )
  assert.equal(await turns.advance(id), 'done')
  assert.match(cardsOf(await turns.status(id))[0].output, /^in time \d$/)
})

test('what was saved is said to be so where the queue is away: it goes on with the next sweep', async (t) => {
  const server = await serverOf(t, answersOf('hi'))
  const store = fileTurns(folderOf(t))
  const warned = []
  const listen = ({ message }) => warned.push(message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  let away = true
  const woken = []
  const say = async (id) => {
    if (away) throw new Error('no queue today')
    woken.push(id)
  }
  const turns = turnsOf(t, server, {
    store,
    engine: { approvalTimeoutMs: 60_000 },
    queue: { wake: say, at: say, work: lossy.work },
  })
  const id = await turns.start({ messages: hello })
  const { rev } = await store.load(id)
  assert.equal(await turns.advance(id), 'waiting')
  const row = await store.load(id)
  assert.deepEqual([row.phase, row.logNumber, row.rev > rev], ['waiting', 1, true], 'it was left as it was saved')
  const [question] = (await turns.status(id)).questions
  assert.deepEqual(
    [await turns.decide(id, approve(question)), await turns.decide(id, approve(question))],
    ['accepted', 'stale'],
  )
  await until(() => warned.some((text) => text.includes(`the turn ${id} was saved`)))
  await assert.rejects(turns.sweep(), /no queue today/)
  away = false
  assert.equal(await turns.sweep(), 1)
  assert.deepEqual(woken, [id])
  assert.equal(await turns.advance(id), 'done')
  assert.equal(server.requests.length, 2)
})

test('a question says what the call runs with beside its arguments, how the model called the tool, and what it gave twice', async (t) => {
  const text =
    '<<<[TOOL_REQUEST]>>>\ntool_name:「始」echo.back「末」,\narchery:「始」no_reply「末」,\ntext:「始」a「末」\n<<<[END_TOOL_REQUEST]>>>'
  const native = { calls: [{ id: 'c', name: 'echo_back', arguments: '{"text":"shown","text":"run"}' }] }
  for (const [answer, engine, wanted] of [
    [
      { text },
      { mode: 'text', protocol: 'vcp' },
      { protocolFields: { archery: 'no_reply' }, askedName: undefined, twice: undefined },
    ],
    [native, {}, { protocolFields: undefined, askedName: 'echo_back', twice: ['text'] }],
  ]) {
    const store = fileTurns(folderOf(t))
    const server = await serverOf(t, [answer, { text: 'Done.' }], { strict: false })
    const turns = turnsOf(t, server, { store, engine, queue: lossy })
    const id = await turns.start({ messages: hello })
    await turns.advance(id)
    const said = async (process) => {
      const [{ protocolFields, askedName, twice }] = (await process.status(id)).questions
      return { protocolFields, askedName, twice }
    }
    assert.deepEqual(await said(turns), wanted)
    // Another worker has another definition of the tool, and asks anew.
    const next = turnsOf(t, server, {
      store,
      engine,
      queue: lossy,
      tools: [asks({ description: 'Says it once more.' })],
    })
    await next.advance(id)
    assert.deepEqual(await said(next), wanted)
  }
})
