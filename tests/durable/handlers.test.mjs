// Chats on many machines: chatHandler and agUIHandler in front of turns in Postgres, woken by BullMQ and told by a log
// in Redis. Workers are processes of their own, and die; each request comes to another handler with connections of its
// own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { cardsOf, until } from '../js/durable-support.mjs'
import { handlerTools, leaseMs } from './handler-tools.mjs'
import { open } from './places.mjs'
import { noPostgres, noRedis, startPostgres, startRedis } from './servers.mjs'

const { agUIHandler } = await built('sluice/ag-ui')
const { chatHandler, toUIMessages } = await built('sluice/ai-sdk')
const { fileConversations } = await built('sluice/conversations')
const { durable } = await built('sluice/durable')
const { Engine } = await built('sluice')
const { startScriptedServer } = await built('sluice/testing')

const skip = noRedis || noPostgres
let redisServer
let postgresServer
before(async () => {
  if (!skip) [redisServer, postgresServer] = await Promise.all([startRedis(), startPostgres()])
})
after(async () => {
  await redisServer?.stop()
  await postgresServer?.stop()
})

const program = fileURLToPath(new URL('handler-worker.mjs', import.meta.url))
const calls = (...named) => ({
  text: 'Well, ',
  calls: named.map(([name, text], at) => ({ id: `call_${at}`, name, arguments: { text } })),
})

/** Two handlers, each as in a process of its own, and workers in theirs. */
async function stage(t, make, answers) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-handlers-'))
  const journal = join(folder, 'journal')
  const place = {
    kind: 'many machines',
    port: redisServer.port,
    config: postgresServer.config,
    name: `h${randomUUID().replaceAll('-', '')}`,
    lockMs: 1000,
  }
  const server = await startScriptedServer({ answers, appendOnly: false })
  const children = new Set()
  const worker = () => {
    const child = spawn(process.execPath, [program, JSON.stringify({ place, baseURL: server.baseURL, journal })], {
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    children.add(child)
    return child
  }
  t.after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const machines = await Promise.all(
    [1, 2].map(async () => {
      const { close, ...kept } = await open(place)
      const engine = new Engine({ tools: handlerTools(journal), execution: 'parallel' })
      t.after(async () => {
        engine.close()
        await close()
      })
      const turns = durable(engine, {
        ...kept,
        leaseMs,
        run: () => {
          throw new Error('nobody works here')
        },
      })
      const store = fileConversations(join(folder, 'conversations'))
      return {
        turns,
        store,
        handler: make(turns, { store, authorize: () => true, start: () => ({ data: { key: 'secret' } }) }),
      }
    }),
  )
  let at = 0
  return {
    ...machines[0],
    server,
    worker,
    journal: () => (existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []),
    letGo: () => writeFileSync(`${journal}.go`, ''),
    handler: (request) => machines[at++ % 2].handler(request),
  }
}

/** Reads a stream of events as it comes. */
function reading(response) {
  const chunks = []
  const done = (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body) {
      text += decoder.decode(bytes, { stream: true })
      const parts = text.split('\n\n')
      text = parts.pop()
      for (const part of parts) if (part.startsWith('data: {')) chunks.push(JSON.parse(part.slice(6)))
    }
    return chunks
  })()
  return {
    chunks,
    done,
    seen: (what) => until(() => chunks.find(what), what.toString()),
    /** In as many pieces as the network made of it. */
    said: (text) => until(() => textOf(chunks).includes(text), `the text ${JSON.stringify(text)}`),
  }
}

const ofType = (chunks, type) => chunks.filter((chunk) => chunk.type === type)
const textOf = (chunks) =>
  chunks.map(({ type, delta }) => (/^(text-delta|TEXT_MESSAGE_CONTENT)$/.test(type) ? delta : '')).join('')

/** What the journal has of a turn whose two tools ran once each. */
async function ranOf(turns, id) {
  const cards = cardsOf(await turns.status(id)).filter(({ name }) => name !== 'page')
  assert.deepEqual(
    cards.map(({ name }) => name),
    ['asked', 'slow'],
  )
  return cards.map(({ name, key }) => `${name} ${id}:${key}`)
}

test('chatHandler: told as it comes, decided, edited, a worker that dies, and nothing twice', {
  skip,
  timeout: 120_000,
}, async (t) => {
  let goOn
  const gate = new Promise((resolve) => (goOn = resolve))
  const forever = new Promise(() => {})
  const { handler, journal, letGo, server, store, turns, worker } = await stage(t, chatHandler, [
    {
      parts: [
        { text: 'Let me ' },
        { wait: gate },
        { text: 'see. ' },
        ...calls(['asked', 'a'], ['slow', 's'], ['page', 'p']).calls.map((call) => ({ call })),
      ],
    },
    { text: 'Done.' },
    { parts: [{ text: 'Half of ' }, { wait: forever }] },
    { text: 'Whole.' },
  ])
  const first = worker()
  const post = async (...messages) =>
    await handler(
      new Request('http://app.test/api/chat', { method: 'POST', body: JSON.stringify({ id: 'chat', messages }) }),
    )
  const resumed = () => handler(new Request('http://app.test/api/chat/chat/stream'))
  const hello = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }

  const answer = reading(await post(hello))
  await answer.said('Let me ') // over the log: the worker has nothing saved of it
  const beside = reading(await resumed())
  await beside.said('Let me ')
  goOn()
  const question = await answer.seen(({ type }) => type === 'tool-approval-request')
  const { messageId } = answer.chunks.find(({ type }) => type === 'start')
  assert.equal((await turns.status(messageId)).phase, 'running', 'the slow tool runs')
  const decided = (more) => ({
    id: messageId,
    role: 'assistant',
    parts: [
      {
        type: 'tool-asked',
        toolCallId: question.toolCallId,
        state: 'approval-responded',
        approval: { id: question.approvalId, approved: true, ...more },
      },
    ],
  })
  // Edited, and it does not fit: the page is told, and asked again; the answer goes on.
  const misfit = await reading(await post(hello, decided({ arguments: { text: 5 } }))).done
  assert.deepEqual(
    [
      ofType(misfit, 'data-sluice-error').map(({ data }) => data.code),
      ofType(misfit, 'tool-approval-request').map(({ approvalId }) => approvalId),
    ],
    [['decision'], [question.approvalId]],
  )
  const edited = reading(await post(hello, decided({ arguments: { text: 'edited' } })))
  // while the slow one runs
  await edited.seen(({ type, output }) => type === 'tool-output-available' && output === 'asked did edited')
  letGo()
  for (const chunks of await Promise.all([answer.done, beside.done, edited.done]))
    assert.equal(chunks.at(-1).type, 'finish', JSON.stringify(chunks.at(-1)))
  assert.equal(textOf(beside.chunks), 'Let me see. ')
  assert.equal((await turns.status(messageId)).phase, 'waiting')
  assert.equal((await resumed()).status, 204)
  // The tool of the page; its result comes twice.
  const [page] = answer.chunks.filter(({ type, toolName }) => type === 'tool-input-available' && toolName === 'page')
  const result = {
    id: messageId,
    role: 'assistant',
    parts: [{ type: 'tool-page', toolCallId: page.toolCallId, state: 'output-available', output: 'from the page' }],
  }
  const ends = await Promise.all([post(hello, result), post(hello, result)])
  const told = await Promise.all(ends.filter(({ status }) => status === 200).map((response) => reading(response).done))
  for (const chunks of told) assert.equal(textOf(chunks), 'Done.')
  assert.ok(told.length >= 1)
  assert.deepEqual(journal().sort(), await ranOf(turns, messageId))
  assert.deepEqual(
    server.requests
      .at(-1)
      .body.messages.filter(({ role }) => role === 'tool')
      .map(({ content }) => content.split('\n').at(-1)),
    ['asked did edited', 'slow did s', 'from the page'],
  )
  assert.equal((await post(hello, decided({}))).status, 409, 'it is over')

  // Its worker dies in mid-answer.
  const more = { id: 'm2', role: 'user', parts: [{ type: 'text', text: 'More' }] }
  const half = reading(await post(hello, more))
  await half.said('Half of ')
  first.kill('SIGKILL')
  worker()
  const broken = (await half.done).at(-1)
  assert.deepEqual([broken.type, /anew/.test(broken.errorText)], ['error', true])
  const anew = await resumed()
  if (anew.status === 200) assert.equal(textOf(await reading(anew).done), 'Whole.')
  await until(async () => (await toUIMessages(turns, store, 'chat')).length === 4, 'the answer in the conversation')
  const messages = await toUIMessages(turns, store, 'chat')
  assert.equal(
    messages[3].parts
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join(''),
    'Whole.',
  )
  const { entries } = await store.load('chat')
  assert.deepEqual(
    entries.map(({ role, history }) => [role, history !== undefined]),
    [
      ['user', false],
      ['assistant', true],
      ['user', false],
      ['assistant', true],
    ],
  )
  assert.equal(server.requests.length, 4)
})

test('agUIHandler: told as it comes, decided, a tool of the page, a worker that dies, and nothing twice', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const forever = new Promise(() => {})
  const { handler, journal, letGo, server, store, turns, worker } = await stage(t, agUIHandler, [
    calls(['asked', 'a'], ['slow', 's']),
    calls(['page', 'p']),
    { text: 'Done.' },
    { parts: [{ text: 'Half of ' }, { wait: forever }] },
    { text: 'Whole.' },
  ])
  const first = worker()
  const messages = [{ id: 'm1', role: 'user', content: 'Hello' }]
  const ask = async (more = {}) => {
    const response = await handler(
      new Request('http://app.test/agent', {
        method: 'POST',
        body: JSON.stringify({
          threadId: 'thread',
          runId: randomUUID(),
          protocolVersion: '1.0',
          state: {},
          tools: [],
          context: [],
          forwardedProps: {},
          messages,
          ...more,
        }),
      }),
    )
    assert.equal(response.status, 200)
    return reading(response)
  }
  const run = await ask()
  await run.said('Well, ')
  letGo()
  const [interrupt] = (await run.done).at(-1).outcome.interrupts
  const resumes = (payload) => ({ resume: [{ interruptId: interrupt.id, status: 'resolved', payload }] })
  const misfit = await (await ask(resumes({ approved: true, editedArgs: { text: 5 } }))).done
  assert.deepEqual(
    [ofType(misfit, 'CUSTOM').map(({ value }) => value.code), misfit.at(-1).outcome.interrupts.map(({ id }) => id)],
    [['decision'], [interrupt.id]],
  )
  const both = await Promise.all(
    [1, 2].map(async () => (await ask(resumes({ approved: true, editedArgs: { text: 'edited' } }))).done),
  )
  for (const events of both)
    assert.ok(['RUN_FINISHED', 'RUN_ERROR'].includes(events.at(-1).type), JSON.stringify(events.at(-1)))
  const turn = await until(async () => (await store.load('thread')).head)
  await until(async () => (await turns.status(turn)).phase === 'waiting')
  assert.deepEqual(journal().sort(), await ranOf(turns, turn))
  const calling = both.flat().find(({ type, toolCallName }) => type === 'TOOL_CALL_START' && toolCallName === 'page')
  messages.push({ id: 'r1', role: 'tool', toolCallId: calling.toolCallId, content: 'from the page' })
  assert.equal(textOf(await (await ask()).done), 'Done.')
  messages.push({ id: 'm2', role: 'user', content: 'More' })
  const half = await ask()
  await half.said('Half of ')
  first.kill('SIGKILL')
  worker()
  assert.deepEqual((({ type, code }) => [type, code])((await half.done).at(-1)), ['RUN_ERROR', 'anew'])
  const head = (await store.load('thread')).head
  const anew = await (await ask()).done
  assert.ok(
    anew.at(-1).type === 'RUN_FINISHED' ? textOf(anew) === 'Whole.' : anew.at(-1).code === 'stale',
    JSON.stringify(anew.at(-1)),
  )
  await until(async () => (await turns.status(head)).phase === 'done')
  assert.deepEqual(
    (await turns.status(head)).history.map(({ role, content }) => [role, content]),
    [['assistant', 'Whole.']],
  )
  assert.equal(server.requests.length, 5)
})
