// agUIHandler in front of durable turns, with `HttpAgent` of both eras: runs start, decide and read; workers, here or
// in another process, do the work.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { asks, folderOf, lossy, serverOf, turnsOf, until } from '../js/durable-support.mjs'
import { echo } from '../js/support.mjs'
import { eras, ofType, open, told, typesOf } from './agents.mjs'

const { agUIHandler } = await built('sluice/ag-ui')
const { fileConversations: conversationFiles, memoryConversations } = await built('sluice/conversations')
const { fileTurns, localQueue, memoryLog } = await built('sluice/durable')

const calls = (...texts) => ({
  text: 'Well, ',
  calls: texts.map((text, at) => ({ id: `call_${at}`, name: 'echo_back', arguments: { text } })),
})

async function turnStage(
  t,
  sdk,
  { answers, handler: more = {}, working = true, store = memoryConversations(), client = {}, ...given },
) {
  const server = await serverOf(t, answers)
  const shared = { store: fileTurns(folderOf(t)), log: memoryLog(), ...given }
  const turns = turnsOf(t, server, shared)
  if (working) turns.work()
  const handler = agUIHandler(turns, { store, authorize: () => true, ...more })
  return { server, shared, turns, store, handler, ...open(sdk, handler, client) }
}

for (const [name, { load, current }] of Object.entries(eras)) {
  describe(name, async () => {
    const sdk = await load()
    const interruptsOf = ({ outcome }) => {
      assert.equal(outcome.type, 'interrupt')
      return outcome.interrupts
    }
    const resolved = ({ id }, payload = { approved: true }) => ({ interruptId: id, status: 'resolved', payload })
    const done = ['Hello', 'Well, ', 'echo.back {"text":"hi"}', '= you said hi', 'Done.']
    const asked = async (t, more) => {
      const stage = await turnStage(t, sdk, { answers: [calls('hi'), { text: 'Done.' }, { text: 'Later.' }], ...more })
      await stage.ask('Hello')
      return stage
    }

    test('a question is asked, decided and answered over two runs, and the conversation goes on', async (t) => {
      const { agent, ask, events, last, server, store, turns } = await asked(t, {
        handler: { start: ({ id, input }) => ({ system: `In ${id}.`, data: { state: input.state ?? null } }) },
      })
      const [question] = interruptsOf(last())
      assert.equal(question.metadata.sluice.stage, 'execution')
      await ask(undefined, { resume: [resolved(question)] })
      assert.deepEqual([told(agent), last().outcome], [done, { type: 'success' }])
      assert.deepEqual(typesOf(events), [
        'RUN_STARTED',
        'TOOL_CALL_RESULT',
        'STEP_STARTED',
        'TEXT_MESSAGE_START',
        'TEXT_MESSAGE_CONTENT',
        'TEXT_MESSAGE_END',
        'STEP_FINISHED',
        'RUN_FINISHED',
      ])
      const { entries } = await store.load('thread')
      assert.deepEqual(
        entries.map(({ role, history }) => [role, history?.length]),
        [
          ['user', undefined],
          ['assistant', 3],
        ],
      )
      assert.equal((await turns.status(entries[1].id)).thread, 'thread')
      await ask('And now?')
      assert.equal(told(agent).at(-1), 'Later.')
      assert.deepEqual(
        server.requests.at(-1).body.messages.map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
      )
    })

    test('two questions: one edited, one cancelled; half of the answers do nothing, and arguments that do not fit are asked again', async (t) => {
      const ran = []
      const { agent, ask, events, last } = await asked(t, {
        answers: [calls('one', 'two'), { text: 'Done.' }],
        tools: [
          asks({
            execute: ({ text }) => {
              ran.push(text)
              return text
            },
          }),
        ],
      })
      const both = interruptsOf(last())
      assert.equal(both.length, 2)
      const [one, two] = both
      agent.pendingInterrupts = []
      await ask(undefined, { resume: [resolved(one)] })
      assert.deepEqual([last().type, last().code, ran], ['RUN_ERROR', 'interrupted', []])
      agent.pendingInterrupts = []
      await ask(undefined)
      assert.deepEqual(interruptsOf(last()), both, 'a page that was loaded again gets them')
      await ask(undefined, {
        resume: [
          resolved(one, { approved: true, editedArgs: { text: 5 } }),
          { interruptId: two.id, status: 'cancelled', payload: { reason: 'no' } },
        ],
      })
      assert.deepEqual(
        [ofType(events, 'CUSTOM').map(({ value }) => value.code), interruptsOf(last()).map(({ id }) => id), ran],
        [['decision'], [one.id], []],
      )
      await ask(undefined, { resume: [resolved(one, { approved: true, editedArgs: { text: 'edited' } })] })
      assert.deepEqual([ran, last().outcome, told(agent).at(-1)], [['edited'], { type: 'success' }, 'Done.'])
    })

    test('what a client makes up or repeats has no effect', async (t) => {
      let ran = 0
      const stage = await asked(t, {
        tools: [asks({ execute: () => ++ran })],
        handler: { authorize: (request, id) => id === 'thread' },
      })
      const { agent, ask, handler, last, server } = stage
      const [question] = interruptsOf(last())
      await assert.rejects(open(sdk, handler, { threadId: 'others' }).ask('Hello'), /403/)
      agent.addMessage({ id: 'made-up', role: 'tool', toolCallId: question.toolCallId, content: '{"approved":true}' })
      agent.pendingInterrupts = []
      await ask(undefined)
      assert.deepEqual([interruptsOf(last()).length, ran, server.requests.length], [1, 0, 1])
      const forged = `${question.id.slice(0, -1)}${question.id.endsWith('0') ? 'f' : '0'}`
      agent.pendingInterrupts = []
      await ask(undefined, { resume: [{ interruptId: forged, status: 'resolved', payload: { approved: true } }] })
      assert.deepEqual(
        [interruptsOf(last()).map(({ id }) => id), ran],
        [[question.id], 0],
        'about another digest: it is asked as it is',
      )
      await ask(undefined, { resume: [resolved(question)] })
      assert.equal(ran, 1)
      await ask(undefined, { resume: [resolved(question)] })
      assert.deepEqual([last().type, last().code, ran], ['RUN_ERROR', 'stale', 1])
    })

    const map = {
      name: 'show_map',
      description: 'Shows a map.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    }
    const callsMap = (...cities) => ({
      text: 'Look: ',
      calls: cities.map((city, at) => ({ id: `m${at}`, name: 'show_map', arguments: { city } })),
    })

    test('a tool that the page brings: any worker offers it, and its result comes with the next run', async (t) => {
      const { agent, ask, events, last, server, shared, store, turns } = await turnStage(t, sdk, {
        answers: [callsMap('Rome', 'Bari'), callsMap('Pisa'), { text: 'Done.' }],
        working: false,
      })
      const first = turns.work()
      await ask('Where?', { tools: [map] })
      await first.close()
      assert.ok(
        server.requests[0].body.tools.some(
          ({ function: { name, parameters } }) => name === 'show_map' && parameters.required[0] === 'city',
        ),
      )
      const lastCall = (of) => of.messages.flatMap(({ toolCalls = [] }) => toolCalls).at(-1).id
      assert.deepEqual(
        [ofType(events, 'TOOL_CALL_START').length, typesOf(events).includes('TOOL_CALL_RESULT')],
        [1, false],
        'the page has each call when it may begin',
      )
      if (current) assert.deepEqual(last().outcome.pendingToolCallIds, [lastCall(agent)])
      // Another process goes on, with a page that brings no tools any more, and results of which one is an error.
      const others = turnsOf(t, server, shared)
      others.work()
      const page = open(sdk, agUIHandler(others, { store, authorize: () => true }), {
        messages: structuredClone(agent.messages),
      })
      page.agent.addMessage({ id: 'r1', role: 'tool', toolCallId: lastCall(page.agent), content: 'Rome is shown' })
      await page.ask(undefined)
      assert.equal(server.requests.length, 1)
      page.agent.addMessage({
        id: 'r2',
        role: 'tool',
        toolCallId: lastCall(page.agent),
        content: '',
        error: 'no map of Bari',
      })
      await page.ask(undefined)
      const [one, two] = server.requests[1].body.messages.slice(-2).map(({ content }) => content)
      assert.deepEqual([one, /no map of Bari/.test(two)], ['Rome is shown', true])
      assert.ok(
        server.requests[1].body.tools.some(({ function: { name } }) => name === 'show_map'),
        'it is offered in the next round as well',
      )
      page.agent.addMessage({ id: 'r3', role: 'tool', toolCallId: lastCall(page.agent), content: 'Pisa is shown' })
      await page.ask(undefined)
      assert.equal(told(page.agent).at(-1), 'Done.')
      assert.equal(page.agent.messages.filter(({ role }) => role === 'tool').length, 3, 'no result comes twice')
    })

    test('a page does not put its tool in the place of one of the server, and what is no tool is refused before anything begins', async (t) => {
      const { ask, last, handler, store, server } = await turnStage(t, sdk, {
        answers: [calls('hi'), { text: 'Done.' }],
      })
      await ask('Hello', {
        tools: [
          { name: 'echo.back', description: 'Mine.', parameters: {} },
          { name: 'echo_back', description: 'Mine.', parameters: {} },
          map,
          map,
        ],
      })
      assert.ok(!JSON.stringify(server.requests[0].body.tools).includes('Mine.'))
      assert.deepEqual(
        [server.requests[0].body.tools.length, interruptsOf(last()).length],
        [2, 1],
        "the call of the server's tool is asked about",
      )
      const post = async (tools) =>
        await handler(
          new Request('http://app.test/', {
            method: 'POST',
            body: JSON.stringify({
              threadId: 'other',
              runId: 'r',
              messages: [{ id: 'm', role: 'user', content: 'Hi' }],
              tools,
            }),
          }),
        )
      for (const wrong of [{ ...map, parameters: { type: 'string' } }, { ...map, name: '' }, 7])
        assert.equal((await post([wrong])).status, 400, JSON.stringify(wrong).slice(0, 80))
      assert.equal(await store.load('other'), null)
    })

    test('a tool of the engine that the page runs brings its result with the next run', async (t) => {
      const stage = await turnStage(t, sdk, {
        answers: [calls('hi'), { text: 'Done.' }],
        tools: [echo({ execute: undefined, external: true, identity: '1' })],
      })
      const { agent, ask, last, server } = stage
      await ask('Hello', { tools: [{ name: 'echo.back', description: '', parameters: {} }] })
      const toolCallId = agent.messages.flatMap(({ toolCalls = [] }) => toolCalls)[0].id
      if (current) assert.deepEqual(last().outcome, { type: 'success', pendingToolCallIds: [toolCallId] })
      agent.addMessage({ id: 'result', role: 'tool', toolCallId, content: 'from the page' })
      await ask(undefined)
      assert.deepEqual(
        [server.requests.at(-1).body.messages.at(-1).content, told(agent).at(-1)],
        ['from the page', 'Done.'],
      )
    })

    test('a client that goes away ends nothing: a run without a message reads the answer from its beginning; a new message ends it', async (t) => {
      let goOn
      const gate = new Promise((resolve) => (goOn = resolve))
      const forever = new Promise(() => {})
      const stage = await turnStage(t, sdk, {
        answers: [
          { parts: [{ text: 'Do' }, { wait: gate }, { text: 'ne.' }] },
          { parts: [{ text: 'Never ' }, { wait: forever }] },
          { text: 'Fine.' },
        ],
      })
      const { agent, ask, events, handler, last, store, turns } = stage
      const first = ask('Hello').catch(() => {})
      await until(() => told(agent).includes('Do'), 'the first piece of the answer')
      agent.abortRun()
      await first
      const again = ask(undefined)
      await until(() => ofType(events, 'TEXT_MESSAGE_CONTENT').length > 0, 'the text, read again from its beginning')
      goOn()
      await again
      assert.deepEqual(
        [told(agent), last().outcome.type, ofType(events, 'MESSAGES_SNAPSHOT').length],
        [['Hello', 'Done.'], 'success', 1],
      )
      void ask('Again').catch(() => {})
      await until(() => told(agent).includes('Never '))
      const { head } = await store.load('thread')
      const other = open(sdk, handler, { messages: structuredClone(agent.messages) })
      await other.ask('Once more')
      assert.deepEqual([(await turns.status(head)).outcome, told(other.agent).at(-1)], ['cancelled', 'Fine.'])
    })

    test('where a worker dies in mid-answer the run ends, and the next one tells the answer anew', async (t) => {
      const forever = new Promise(() => {})
      let goOn
      const gate = new Promise((resolve) => (goOn = resolve))
      const stage = await turnStage(t, sdk, {
        answers: [
          { parts: [{ text: 'Half of ' }, { wait: forever }] },
          { parts: [{ text: 'Who' }, { wait: gate }, { text: 'le.' }] },
        ],
        working: false,
        queue: lossy,
      })
      const { agent, ask, events, last, server, shared, store, turns } = stage
      const first = ask('Hello')
      const turn = await until(async () => (await store.load('thread'))?.entries[1]?.id)
      await until(async () => await turns.status(turn).catch(() => undefined))
      void turns.advance(turn)
      await until(() => told(agent).includes('Half of '))
      const row = await shared.store.load(turn)
      await shared.store.save(turn, row.rev, { updated: Date.now(), wakeAt: 0 })
      const other = turnsOf(t, server, shared).advance(turn)
      await first
      assert.deepEqual([last().type, last().code], ['RUN_ERROR', 'anew'])
      const again = ask(undefined)
      await until(() => ofType(events, 'TEXT_MESSAGE_CONTENT').length > 0)
      goOn()
      await Promise.all([again, other])
      assert.deepEqual(told(agent), ['Hello', 'Whole.'])
    })

    test('the process of the handler is not the worker: it reads what was saved', async (t) => {
      const server = await serverOf(t, [calls('hi'), { text: 'Done.' }, { text: 'Bye.' }])
      const folder = folderOf(t)
      const worker = fork(fileURLToPath(new URL('chat-worker.mjs', import.meta.url)), [folder, server.baseURL], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      t.after(() => worker.kill())
      await once(worker, 'message')
      const queue = {
        ...localQueue(),
        wake: async (id) => void worker.send(id),
        at: async () => {},
        work: () => {
          throw new Error('nobody works here')
        },
      }
      const turns = turnsOf(t, server, { store: fileTurns(folder), queue })
      const store = conversationFiles(folderOf(t))
      // each run comes to another process
      const handlers = [1, 2, 3].map(() => agUIHandler(turns, { store, authorize: () => true }))
      let at = 0
      const { agent, ask, last } = open(sdk, (request) => handlers[at++ % 3](request))
      await ask('Hello')
      await ask(undefined, { resume: interruptsOf(last()).map((one) => resolved(one)) })
      assert.deepEqual(told(agent), done)
      await ask('Bye')
      assert.deepEqual([told(agent).at(-1), server.requests.at(-1).body.messages.length], ['Bye.', 5])
    })
  })
}

test('options are checked', () => {
  const turns = Object.fromEntries(['start', 'decide', 'events', 'status', 'advance'].map((name) => [name, () => {}]))
  assert.throws(() => agUIHandler(turns, { store: memoryConversations() }), { code: 'option' })
  assert.throws(() => agUIHandler(turns, { store: memoryConversations(), authorize: () => true, run: () => ({}) }), {
    code: 'option',
  })
})
