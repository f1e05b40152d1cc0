// A process that carries one turn on, and is killed or paused where it is told to: the n-th time that it comes to a
// step. `node durable-worker.mjs JSON`.
import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine, tool, Turn } from 'sluice'
import { durable } from 'sluice/durable'
import { checkOpenAIChat } from 'sluice/testing'
import { openStore } from './durable-places.mjs'

const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

/** The tools of every process of these tests: what they do stands in the journal before and behind it. */
export function toolsOf(journal, point = () => {}, meanwhile = async () => {}) {
  const make = (name, more) =>
    tool({
      name,
      parameters,
      agentCallable: true,
      permission: 'public',
      identity: '1',
      execute: async ({ text }, { key, signal }) => {
        appendFileSync(journal, `begin ${name} ${key} ${text}\n`)
        point(`in ${name}`)
        await meanwhile(name, signal)
        appendFileSync(journal, `end ${name} ${key}\n`)
        point(`behind ${name}`)
        return `${name} did ${text}`
      },
      ...more,
    })
  return [
    make('once', {}),
    make('often', { idempotent: true }),
    make('asked', { permission: 'sensitive' }),
    make('outside', { execute: undefined, external: true }),
  ]
}

let asked = 0

/**
 * The model of these tests: two calls together, one that is asked about with one that runs outside, and words. It calls
 * with something else each time that it is asked.
 */
export const answers = ({ body }) => {
  const calls = body.messages.filter(({ role }) => role === 'assistant').length
  asked++
  const call = (name, n) => ({ id: `${name}${n}`, name, arguments: { text: `${n}.${asked}` } })
  if (calls === 0) return { text: 'First both. ', calls: [call('once', 1), call('often', 2)] }
  return calls === 1 ? { text: 'Then one. ', calls: [call('asked', 3), call('outside', 4)] } : { text: 'That is all.' }
}

/** What a strict provider would refuse behind this history; null: nothing. */
export const faultOf = (history) =>
  checkOpenAIChat({
    model: 'm',
    messages: [
      { role: 'user', content: 'Do it.' },
      ...history.map(({ metadata: _, ...sent }) => sent),
      { role: 'user', content: 'Thanks.' },
    ],
  })

/** What holds of a turn wherever its workers died. Returns how many of its calls may have run. `where`: for errors. */
export function checkTurn(id, status, lines, where = id) {
  assert.equal(status.outcome, 'completed', where)
  assert.deepEqual(
    lines.filter((line) => line.startsWith('invalid')),
    [],
    where,
  )
  const cards = status.message.blocks.filter(({ type }) => type === 'tool_use')
  assert.deepEqual(
    cards.map(({ name }) => name),
    ['once', 'often', 'asked', 'outside'],
    where,
  )
  const begun = lines.filter((line) => line.startsWith('begin ') && line.includes(` ${id}:`))
  // What happened outside has its card: of the same key, the same tool and the same arguments.
  const expected = new Set(cards.map(({ name, key, arguments: { text } }) => `begin ${name} ${id}:${key} ${text}`))
  for (const line of begun)
    assert.ok(expected.has(line), `${line} has no card among ${[...expected].join(', ')}, ${where}`)
  for (const {
    name,
    key,
    status: told,
    output,
    arguments: { text },
  } of cards) {
    if (name === 'outside') {
      assert.deepEqual(
        [told, output],
        ['success', outsideDid(text)],
        `${where}: it has the result of its own arguments`,
      )
      continue
    }
    const times = begun.filter((line) => line.startsWith(`begin ${name} ${id}:${key} `)).length
    if (name === 'often') assert.ok(told === 'success' && times >= 1, `${name}: ${told}, ${times} times, ${where}`)
    else
      assert.ok(
        times <= 1 && (told === 'success' ? lines.includes(`end ${name} ${id}:${key}`) : told === 'unknown'),
        `${name}: ${told}, ${times} times, ${where}`,
      )
  }
  assert.equal(
    status.message.blocks.map(({ type, text }) => (type === 'text' ? text : '')).join(''),
    'First both. Then one. That is all.',
    where,
  )
  assert.equal(faultOf(status.history), null, where)
  return cards.filter(({ status: told }) => told === 'unknown').length
}

/** Everything in front of and behind a method is a step. */
export function numbered(target, names, point) {
  return Object.fromEntries(
    names.map((name) => [
      name,
      async (...given) => {
        point(`in front of ${name}`)
        const value = await target[name](...given)
        point(`behind ${name}`)
        return value
      },
    ]),
  )
}

const outsideDid = (text) => `outside did ${text}`

/**
 * Whoever runs calls outside answers what the message shows of them: twice, and with the result of another call, which
 * changes nothing.
 */
export async function answerOutside(turns, id, { blocks }) {
  for (const { name, status, call, digest, arguments: args } of blocks) {
    if (name !== 'outside' || status !== 'executing') continue
    assert.notEqual(await turns.result(id, { call, digest: '0'.repeat(64) }, { value: 'of another call' }), 'accepted')
    const said = await Promise.all(
      [1, 2].map(() => turns.result(id, { call, digest }, { value: outsideDid(args.text) })),
    )
    assert.ok(said.filter((one) => one === 'accepted').length <= 1, said.join())
  }
}

/** Carries a turn on to its end, approves what it asks, and answers what runs outside. */
export async function finish(turns, id) {
  for (let tries = 0; tries < 10_000; tries++) {
    if ((await turns.advance(id)) === 'done') return await turns.status(id)
    const {
      questions: [question],
      message,
    } = await turns.status(id)
    await answerOutside(turns, id, message)
    if (question)
      await turns.decide(id, {
        call: question.call,
        stage: question.stage,
        digest: question.digest,
        decision: 'approve',
      })
    else await delay(5) // another worker is believed to live
  }
  throw new Error('the turn does not end')
}

/** Stores that need servers come with their clients. */
const opened = async (place) =>
  ['files', 'sqlite'].includes(place.kind)
    ? await openStore(place)
    : await (await import('../durable/places.mjs')).open(place)

async function work({ store: place, baseURL, journal, stopAt, id = 'turn', leaseMs, hang, big }) {
  const steps = []
  const point = (what) => {
    steps.push(what)
    if (what !== stopAt?.what || steps.filter((one) => one === what).length !== stopAt.time) return
    appendFileSync(journal, `${stopAt.signal} ${what}\n`)
    process.kill(process.pid, stopAt.signal)
    while (stopAt.signal === 'SIGKILL');
  }
  const kept = await opened(place)
  const tools = toolsOf(journal, point, async (name, signal) => {
    if (hang === name) {
      process.send?.('hangs')
      await delay(600_000, undefined, { signal })
    }
  })
  if (big)
    tools[0] = tool({
      name: 'once',
      parameters,
      agentCallable: true,
      permission: 'public',
      identity: '1',
      execute: ({ text }, { key }) => {
        appendFileSync(journal, `begin once ${key} ${text}\nend once ${key}\n`)
        return 'x'.repeat(big)
      },
    })
  const engine = new Engine({ tools })
  const save = async (id, rev, patch) => {
    const saved = await kept.store.save(id, rev, patch)
    if (patch.state && saved !== null) {
      const turn = Turn.restore(engine, patch.state) // whoever goes on from here has a valid history
      const fault = faultOf(turn.history)
      turn.close()
      if (fault !== null) appendFileSync(journal, `invalid ${fault}\n`)
    }
    return saved
  }
  const store = {
    ...numbered(
      {
        ...Object.fromEntries(
          ['create', 'load', 'inbox', 'push', 'remove'].map((name) => [name, (...given) => kept.store[name](...given)]),
        ),
        save,
      },
      ['create', 'load', 'inbox', 'push', 'remove', 'save'],
      point,
    ),
    list: (filter) => kept.store.list(filter),
  }
  const transport = async (request, signal) => {
    point('in front of the request')
    const response = await fetch(request.url, { method: 'POST', headers: request.headers, body: request.body, signal })
    point('behind the request')
    let pieces = 0
    const told = new TransformStream({
      transform: (piece, controller) => {
        controller.enqueue(piece)
        if (pieces++ < 2) point('in the answer')
      },
    })
    return new Response(response.body.pipeThrough(told), { status: response.status, headers: response.headers })
  }
  const queue = {
    ...numbered({ wake: async () => {}, at: async () => {} }, ['wake', 'at'], point),
    work: () => ({ close: async () => {} }),
  }
  const turns = durable(engine, {
    store,
    queue,
    leaseMs,
    run: () => ({ model: { baseURL, name: 'scripted', apiKey: 'secret' }, transport, flushMs: 0 }),
  })
  await turns.start({ id, messages: [{ role: 'user', content: 'Do it.' }] })
  await finish(turns, id)
  await kept.close()
  console.log(JSON.stringify(steps))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await work(JSON.parse(process.argv[2])).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
  process.disconnect?.()
}
