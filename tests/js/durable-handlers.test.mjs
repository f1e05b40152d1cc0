// Handlers in front of durable turns: who may decide what, and who did.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { memoryConversations } from 'sluice/conversations'
import { fileTurns, memoryLog } from 'sluice/durable'
import { asks, cardsOf, folderOf, serverOf, turnsOf, until } from './durable-support.mjs'
import { echo } from './support.mjs'

const twoCalls = [
  {
    text: 'Well, ',
    calls: [
      { id: 'a', name: 'echo_back', arguments: { text: 'one' } },
      { id: 'b', name: 'file_delete', arguments: { text: 'two' } },
    ],
  },
  { text: 'Done.' },
]
const chunksOf = async (response) =>
  (await response.text())
    .split('\n\n')
    .filter((part) => part.startsWith('data: {'))
    .map((part) => JSON.parse(part.slice(6)))

async function stage(t, make) {
  const turns = turnsOf(t, await serverOf(t, twoCalls), {
    log: memoryLog(),
    tools: [asks(), asks({ name: 'file.delete' })],
    engine: { execution: 'parallel' },
  })
  turns.work()
  const store = memoryConversations()
  const asked = []
  const userOf = (request) => request.headers.get('x-user')
  const handler = make(turns, {
    store,
    by: userOf,
    authorize: (request, id, question) => {
      asked.push(question && [id, question.turn === undefined, question.name])
      return question?.name !== 'file.delete' || userOf(request) === 'ann'
    },
  })
  const post = (path, user, body) =>
    handler(
      new Request(`http://app.test/api${path}`, {
        method: 'POST',
        headers: { 'x-user': user },
        body: JSON.stringify(body),
      }),
    )
  return { asked, post, store, turns }
}

const whoOf = (status) =>
  cardsOf(status).map(({ approvals }) => approvals?.map(({ by, who, decision }) => [by, who, decision]))

test('chatHandler: `authorize` is asked about each question, and whoever decides is named', async (t) => {
  const { asked, post, store, turns } = await stage(t, chatHandler)
  const hello = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
  const first = await chunksOf(await post('', 'bob', { id: 'chat', messages: [hello] }))
  const { messageId } = first.find(({ type }) => type === 'start')
  const questions = first.filter(({ type }) => type === 'tool-approval-request')
  const parts = questions.map(({ approvalId, toolCallId }, at) => ({
    type: 'tool-x',
    toolCallId,
    state: 'approval-responded',
    approval: { id: approvalId, approved: at === 1 },
  }))
  const second = chunksOf(
    await post('', 'bob', { id: 'chat', messages: [hello, { id: messageId, role: 'assistant', parts }] }),
  )
  await until(async () => cardsOf(await turns.status(messageId))[0].status === 'denied')
  assert.deepEqual(asked.filter(Boolean), [
    ['chat', false, 'echo.back'],
    ['chat', false, 'file.delete'],
  ])
  const told = await second
  assert.deepEqual(
    [told.find(({ type }) => type === 'data-sluice-error').data.detail, told.at(-1).type],
    ['this question is not yours to decide', 'finish'],
  )
  assert.equal((await turns.status(messageId)).questions.length, 1)
  const decision = { approvalId: questions[1].approvalId, approved: true }
  assert.equal((await post('/chat/decide', 'bob', decision)).status, 403)
  assert.equal((await post('/chat/decide', 'ann', decision)).status, 200)
  const status = await until(async () => {
    const now = await turns.status(messageId)
    return now.phase === 'done' && now
  })
  assert.deepEqual(whoOf(status), [[['user', 'bob', 'denied']], [['user', 'ann', 'approved']]])
  assert.deepEqual(
    status.decisions.map(({ by }) => by),
    ['bob', 'ann'],
  )
  await post('/chat/stop', 'ann', {}) // whoever looks next keeps what came of it
  assert.deepEqual(whoOf({ message: (await store.load('chat')).entries[1].message }), whoOf(status))
})

test('agUIHandler: the same', async (t) => {
  const { asked, post, store, turns } = await stage(t, agUIHandler)
  const run = (user, more = {}) =>
    post('', user, {
      threadId: 'thread',
      runId: `${Math.random()}`,
      protocolVersion: '1.0',
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
      messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
      ...more,
    })
  const {
    outcome: { interrupts },
  } = (await chunksOf(await run('bob'))).at(-1)
  const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } }))
  const second = await chunksOf(await run('bob', { resume }))
  assert.deepEqual(
    [second.find(({ type }) => type === 'CUSTOM').value.detail, second.at(-1).outcome.interrupts.map(({ id }) => id)],
    ['this question is not yours to decide', [interrupts[1].id]],
  )
  assert.deepEqual((await chunksOf(await run('ann', { resume: [resume[1]] }))).at(-1).outcome, { type: 'success' })
  const { head } = await store.load('thread')
  assert.deepEqual(whoOf(await turns.status(head)), [[['user', 'bob', 'approved']], [['user', 'ann', 'approved']]])
  assert.deepEqual(
    asked.filter(Boolean).map(([, , name]) => name),
    ['echo.back', 'file.delete', 'file.delete'],
  )
})

for (const [name, make] of Object.entries({ chatHandler, agUIHandler })) {
  test(`${name}: a reader who finds nothing in the log hears of a call of the page from what was saved, and by which name to answer`, async (t) => {
    const empty = { append: async () => {}, end: async () => {}, read: async function* () {} }
    const server = await serverOf(t, [
      { text: 'Well, ', calls: [{ id: 'p', name: 'page', arguments: { text: 'p' } }] },
      { text: 'Done.' },
    ])
    const turns = turnsOf(t, server, {
      log: empty,
      tools: [echo({ name: 'page', external: true, execute: undefined })],
    })
    turns.work()
    const handler = make(turns, { store: memoryConversations(), authorize: () => true })
    const post = async (body) =>
      await chunksOf(await handler(new Request('http://app.test/api', { method: 'POST', body: JSON.stringify(body) })))
    if (name === 'chatHandler') {
      const hello = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
      const first = await post({ id: 'chat', messages: [hello] })
      const { messageId } = first.find(({ type }) => type === 'start')
      const { toolCallId, toolName } = first.find(({ type }) => type === 'tool-input-available')
      assert.equal(toolName, 'page')
      const parts = [{ type: 'tool-page', toolCallId, state: 'output-available', output: 'from the page' }]
      const second = await post({ id: 'chat', messages: [hello, { id: messageId, role: 'assistant', parts }] })
      assert.equal(second.at(-1).type, 'finish')
    } else {
      const input = {
        threadId: 'thread',
        protocolVersion: '1.0',
        state: {},
        tools: [],
        context: [],
        forwardedProps: {},
      }
      const hello = { id: 'm1', role: 'user', content: 'Hello' }
      const first = await post({ ...input, runId: '1', messages: [hello] })
      const { toolCallId, toolCallName } = first.find(({ type }) => type === 'TOOL_CALL_START')
      assert.deepEqual([toolCallName, first.at(-1).outcome.pendingToolCallIds], ['page', [toolCallId]])
      const second = await post({
        ...input,
        runId: '2',
        messages: [hello, { id: 'r', role: 'tool', toolCallId, content: 'from the page' }],
      })
      assert.equal(second.at(-1).type, 'RUN_FINISHED')
    }
    assert.deepEqual(
      server.requests
        .at(-1)
        .body.messages.filter(({ role }) => role === 'tool')
        .map(({ content }) => content.split('\n').at(-1)),
      ['from the page'],
    )
  })
}

test('readers hear who decided with the card', async (t) => {
  const turns = turnsOf(t, await serverOf(t, twoCalls), {
    log: memoryLog(),
    tools: [asks(), asks({ name: 'file.delete' })],
    engine: { execution: 'parallel' },
  })
  turns.work()
  const id = await turns.start({ messages: [{ role: 'user', content: 'Hello' }] })
  const events = []
  const decided = new Set()
  for await (const event of turns.events(id)) {
    events.push(event)
    if (event.type !== 'approval' || decided.has(event.call)) continue
    decided.add(event.call)
    await turns.decide(id, {
      call: event.call,
      stage: event.stage,
      digest: event.digest,
      decision: 'approve',
      by: `ann ${event.call}`,
    })
  }
  const cards = events.filter(({ type, approvals }) => type === 'card' && approvals)
  const kept = events
    .filter(({ type }) => type === 'reset')
    .flatMap(({ message }) => message.blocks)
    .filter(({ approvals }) => approvals)
  assert.ok(cards.length > 0)
  for (const { call, approvals } of [...cards, ...kept])
    assert.deepEqual(
      approvals.map(({ who }) => who),
      [`ann ${call}`],
    )
})

/** What ends or goes on without its begin, or begins twice, in a stream of either protocol. */
function faultsOf(chunks) {
  const kinds = [
    ['text', 'text-start', 'text-delta', 'text-end', 'id'],
    ['reasoning', 'reasoning-start', 'reasoning-delta', 'reasoning-end', 'id'],
    ['step', 'start-step', '', 'finish-step', 'none'],
    ['input', 'tool-input-start', 'tool-input-delta', 'tool-input-available', 'toolCallId'],
    ['text', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'messageId'],
    ['step', 'STEP_STARTED', '', 'STEP_FINISHED', 'stepName'],
    ['call', 'TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'toolCallId'],
  ]
  const open = new Set()
  const faults = []
  for (const [at, chunk] of chunks.entries()) {
    for (const [kind, start, delta, end, id] of kinds) {
      if (![start, delta, end].includes(chunk.type)) continue
      const name = `${kind} ${chunk[id]}`
      // which comes without a begin, too
      const isWrong = chunk.type === start ? open.has(name) : !open.has(name) && chunk.type !== 'tool-input-available'
      if (isWrong) faults.push(`${at}: ${JSON.stringify(chunk)}`)
      if (chunk.type === start) open.add(name)
      if (chunk.type === end) open.delete(name)
    }
  }
  return [...faults, ...open]
}

const textOfChunks = (chunks) =>
  chunks.map(({ type, delta }) => (type === 'text-delta' || type === 'TEXT_MESSAGE_CONTENT' ? delta : '')).join('')

const bodies = {
  chatHandler: {
    make: chatHandler,
    start: { id: 'chat', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] },
    decision: (turn, approvalId) => ({
      id: 'chat',
      messages: [
        {
          id: turn,
          role: 'assistant',
          parts: [
            {
              type: 'tool-x',
              toolCallId: `${turn}:c1`,
              state: 'approval-responded',
              approval: { id: approvalId, approved: true },
            },
          ],
        },
      ],
    }),
  },
  agUIHandler: {
    make: agUIHandler,
    start: {
      threadId: 'chat',
      runId: 'one',
      protocolVersion: '1.0',
      messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
    },
    decision: (_, interruptId) => ({
      threadId: 'chat',
      runId: 'two',
      protocolVersion: '1.0',
      messages: [],
      resume: [{ interruptId, status: 'resolved', payload: { approved: true } }],
    }),
  },
}
for (const [name, { make, start, decision }] of Object.entries(bodies)) {
  for (const has of [' now we wait.', ' now we']) {
    test(`${name}: what a decision is answered with while a tool runs is well formed by itself, where the page has "${has}"`, async (t) => {
      let end
      const gate = new Promise((resolve) => (end = resolve))
      const call = (tool) => `<tool_call>{"name":"${tool}","arguments":{"text":"hi"}}</tool_call>`
      const server = await serverOf(t, [
        { text: `Let me ${call('echo.back')} and ${call('slow.one')} now we wait.` },
        { text: 'Done.' },
      ])
      const slow = asks({
        name: 'slow.one',
        permission: 'public',
        execute: async () => {
          await gate
          return 'slow'
        },
      })
      const turns = turnsOf(t, server, {
        log: memoryLog(),
        tools: [asks(), slow],
        engine: { execution: 'parallel' },
        run: { mode: 'text', protocol: 'hermes' },
      })
      turns.work()
      // As a page has it to which not all was told, and as of a turn that waits: `agUIHandler` takes a decision about
      // no other.
      const status = async (id) => {
        const { message, ...found } = await turns.status(id)
        const blocks = message.blocks.map((block) => (block.text === ' now we wait.' ? { ...block, text: has } : block))
        return {
          ...found,
          ...(found.phase === 'running' && found.questions.length > 0 ? { phase: 'waiting' } : {}),
          message: { ...message, blocks },
        }
      }
      const seen = new Proxy(turns, {
        get: (of, member) =>
          member === 'status' ? status : typeof of[member] === 'function' ? of[member].bind(of) : of[member],
      })
      const handler = make(seen, { store: memoryConversations(), authorize: () => true })
      const post = (body) => handler(new Request('http://app.test/api', { method: 'POST', body: JSON.stringify(body) }))
      const first = await post(start) // its reader stays
      const { turn, digest } = await until(async () => {
        for await (const question of turns.questions())
          if (cardsOf(await turns.status(question.turn))[1]?.status === 'executing') return question
      })
      const second = await post(decision(turn, `${turn}:1:execution:${digest.slice(0, 32)}`))
      end()
      const told = await chunksOf(second)
      assert.deepEqual(faultsOf(told), [])
      assert.equal(textOfChunks(told), `${' now we wait.'.slice(has.length)}Done.`)
      assert.ok(['finish', 'RUN_FINISHED'].includes(told.at(-1).type))
      assert.deepEqual(faultsOf(await chunksOf(first)), [])
    })
  }
}

/**
 * Two processes in front of the same turns and conversations. Their loads of the conversation wait for each other, so
 * that both find it as it was.
 */
async function twoProcesses(t, make) {
  const server = await serverOf(t, ({ body }) =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { calls: [{ id: 'c', name: 'echo_back', arguments: { text: 'pay' } }] },
  )
  const [kept, turnStore, ran] = [memoryConversations(), fileTurns(folderOf(t)), []]
  let waiting = []
  const together = async () => {
    await new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 2) waiting.splice(0).forEach((one) => one()), (waiting = undefined)
    })
  }
  const store = {
    bytes: (...given) => kept.bytes(...given),
    save: (...given) => kept.save(...given),
    load: async (id) => {
      const found = await kept.load(id)
      if (waiting) await together()
      return found
    },
  }
  const handlers = [1, 2].map(() => {
    const turns = turnsOf(t, server, {
      store: turnStore,
      log: memoryLog(),
      tools: [
        echo({
          permission: 'public',
          execute: ({ text }) => {
            ran.push(text)
            return 'paid'
          },
        }),
      ],
    })
    turns.work()
    return make(turns, { store, authorize: () => true })
  })
  return {
    kept,
    ran,
    post: (body) =>
      Promise.all(
        handlers.map(
          async (handler) =>
            await handler(new Request('http://app.test/api', { method: 'POST', body: JSON.stringify(body) })),
        ),
      ),
  }
}

test('a message that reaches two processes at once is answered once', async (t) => {
  const bodies = {
    chat: [chatHandler, { id: 'a', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] }],
    agUI: [
      agUIHandler,
      { threadId: 'a', runId: 'r', protocolVersion: '1.0', messages: [{ id: 'm1', role: 'user', content: 'Hello' }] },
    ],
  }
  for (const [name, [make, body]] of Object.entries(bodies)) {
    const { kept, ran, post } = await twoProcesses(t, make)
    const responses = await post(body)
    await Promise.all(responses.map((response) => response.text()))
    assert.deepEqual(ran, ['pay'], name)
    assert.deepEqual(
      (await kept.load('a')).entries.map(({ role }) => role),
      ['user', 'assistant'],
      name,
    )
    assert.ok(
      responses.some(({ status }) => status === 200) && responses.every(({ status }) => [200, 409].includes(status)),
      name,
    )
  }
})

test('a conversation that is made anew with the ids of one that is gone has answers of its own', async (t) => {
  const server = await serverOf(t, [{ text: 'The old one.' }, { text: 'The new one.' }])
  const turns = turnsOf(t, server, { log: memoryLog() })
  turns.work()
  for (const wanted of ['The old one.', 'The new one.']) {
    const handler = chatHandler(turns, { store: memoryConversations(), authorize: () => true })
    const response = await handler(
      new Request('http://app.test/api', {
        method: 'POST',
        body: JSON.stringify({
          id: 'a',
          messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
        }),
      }),
    )
    assert.equal(textOfChunks(await chunksOf(response)), wanted)
  }
})
