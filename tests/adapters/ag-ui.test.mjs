// AG-UI's `HttpAgent` of both eras in front of agUIHandler: real clients, a real engine, a scripted model behind HTTP.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { callsEcho, echo, madeAnswer, stage } from '../js/support.mjs'
import { agentStage, eras, ofType, open, told, typesOf } from './agents.mjs'
import { until } from '../js/until.mjs'

const { agUIHandler, toAGUIEvents } = await built('sluice/ag-ui')
const { live2dTools } = await built('sluice/live2d')
const { Engine, resultParts } = await built('sluice')

const call = (id, text) => ({ id, name: 'echo_back', arguments: { text } })
const asking = (more) => echo({ permission: 'sensitive', ...more })
const twoCalls = { text: 'I ask. ', calls: [call('a', 'hi'), call('b', 'ho')] }
/** A tool of the page, as `useFrontendTool` declares one. */
const pageTool = {
  name: 'show_map',
  description: 'Shows a map.',
  parameters: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
}
const callsPage = { text: 'Look: ', calls: [{ id: 'p', name: 'show_map', arguments: { city: 'Rome' } }] }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

for (const [name, { load, current }] of Object.entries(eras)) {
  describe(name, async () => {
    const sdk = await load()
    /** The run ends with this error: the client tells it as an event. */
    const failed = async ({ ask, last }, code, ...given) => {
      await ask(...given)
      assert.deepEqual([last().type, last().code], ['RUN_ERROR', code])
    }
    const interruptsOf = ({ outcome }) => {
      assert.equal(outcome.type, 'interrupt')
      return outcome.interrupts
    }
    const resolved = ({ id }, payload = { approved: true }) => ({ interruptId: id, status: 'resolved', payload })

    test('sources and made pictures are custom events that name their message', async (t) => {
      const { ask, agent, events } = await agentStage(t, sdk, { answers: [{ parts: madeAnswer.parts }], tools: [] })
      await ask('Draw')
      const own = ofType(events, 'CUSTOM').map(({ name, value }) => [name, value])
      const answer = agent.messages.at(-1).id
      assert.deepEqual(own, [
        [
          'sluice.sources',
          {
            messageId: answer,
            sources: [{ kind: 'web', url: madeAnswer.url, title: 'Oslo', start: 0, end: 4 }],
          },
        ],
        [
          'sluice.media',
          {
            messageId: answer.replace(/0$/, '1'),
            part: { type: 'image', mediaType: 'image/png', data: madeAnswer.png },
          },
        ],
      ])
      assert.deepEqual(told(agent), ['Draw', 'Rain.'])
    })

    test('text, reasoning and calls are messages in their order', async (t) => {
      const first = {
        parts: [{ reasoning: 'Hm.' }, { text: 'I ask. ' }, { calls: [call('a', 'hi'), call('b', 'ho')] }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }
      const { agent, ask, events, server, last, posts } = await agentStage(t, sdk, {
        answers: [first, { text: 'Done.', usage: { prompt_tokens: 5, completion_tokens: 7 } }, { text: 'Yes.' }],
        tools: [echo()],
      })
      const { result } = await ask('Hello')
      assert.equal('protocolVersion' in posts[0], current)
      assert.deepEqual(told(agent), [
        'Hello',
        '(Hm.)',
        'I ask. ',
        'echo.back {"text":"hi"}',
        'echo.back {"text":"ho"}',
        '= you said hi',
        '= you said ho',
        'Done.',
      ])
      assert.deepEqual(result, { outcome: 'completed' })
      assert.deepEqual(last().outcome, { type: 'success' })
      assert.deepEqual(
        ofType(events, 'STEP_STARTED').map(({ stepName }) => stepName),
        ['round 1', 'round 2'],
      )
      assert.deepEqual(last().usage, [{ model: 'scripted', inputTokens: 8, outputTokens: 9, totalTokens: 17 }])
      await ask('Sure?')
      assert.deepEqual(
        server.requests.at(-1).body.messages.map(({ role }) => role),
        ['user', 'assistant', 'tool', 'tool', 'assistant', 'user'],
        'the store has the conversation',
      )
    })

    test('text behind a card stays behind it', async (t) => {
      const tools = live2dTools({ expressions: ['smile'] })
      const [{ name }] = tools
      const smiles = {
        parts: [
          { text: 'Look: ' },
          { calls: [{ id: 'a', name: name.replaceAll('.', '_'), arguments: { name: 'smile' } }] },
          { text: ' Nice.' },
        ],
      }
      const { agent, ask, events } = await agentStage(t, sdk, { answers: [smiles, { text: 'Bye.' }], tools })
      await ask('Hello')
      assert.deepEqual(
        ofType(events, 'CUSTOM').map(({ name, value }) => [name, value.channel]),
        [['sluice.ipc', 'live2d:expression']],
      )
      const texts = agent.messages
        .filter(({ role, content }) => role === 'assistant' && content)
        .map(({ content }) => content)
      assert.equal(texts[0], 'Look: ')
    })

    test('an interrupt with two questions, one edited and one cancelled; the second run has results only', async (t) => {
      const { agent, ask, events, last, server, posts } = await agentStage(t, sdk, {
        answers: [twoCalls, { text: 'Done.' }],
        tools: [asking()],
      })
      await ask('Hello')
      const [one, two] = interruptsOf(last())
      assert.equal(agent.pendingInterrupts.length, 2)
      const ids = agent.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
      assert.deepEqual([one.toolCallId, two.toolCallId], ids)
      assert.deepEqual(
        [
          one.reason,
          one.metadata.sluice.stage,
          one.metadata.sluice.name,
          one.metadata.sluice.arguments,
          one.metadata.sluice.level,
        ],
        ['sluice:approval', 'execution', 'echo.back', { text: 'hi' }, 'sensitive'],
      )
      assert.match(one.message, /^May echo\.back run\? Says it again\.$/)
      assert.match(one.metadata.sluice.digest, /^[0-9a-f]{64}$/)
      assert.deepEqual(one.responseSchema.required, ['approved'])
      assert.deepEqual(one.responseSchema.properties.editedArgs.properties, { text: { type: 'string' } })
      const { runId } = posts[0]
      await ask(undefined, {
        runId,
        resume: [
          resolved(one, { approved: true, editedArgs: { text: 'hello' } }),
          { interruptId: two.id, status: 'cancelled', payload: { reason: 'not now' } },
        ],
      })
      assert.equal(agent.pendingInterrupts.length, 0)
      assert.deepEqual(ofType(events, 'TOOL_CALL_START'), [])
      assert.deepEqual(
        ofType(events, 'CUSTOM').map(({ name, value }) => [name, value]),
        [['sluice.edited', { toolCallId: one.toolCallId, arguments: { text: 'hello' } }]],
      )
      assert.deepEqual(
        told(agent).filter((text) => !text.startsWith('=')),
        ['Hello', 'I ask. ', 'echo.back {"text":"hi"}', 'echo.back {"text":"ho"}', 'Done.'],
      )
      const results = Object.fromEntries(
        ofType(events, 'TOOL_CALL_RESULT').map(({ toolCallId, content }) => [toolCallId, content]),
      )
      assert.match(results[ids[0]], /you said hello$/)
      assert.match(results[ids[1]], /not now/)
      assert.match(server.requests[1].body.messages.at(-1).content, /not now/)
      assert.deepEqual(last().outcome, { type: 'success' })
    })

    test('a result that waits is only in the question', async (t) => {
      const { agent, ask, events, last } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [echo({ resultApproval: 'always' })],
      })
      await ask('Hello')
      const [asked] = interruptsOf(last())
      assert.deepEqual([asked.metadata.sluice.stage, asked.metadata.sluice.preview.text], ['result', 'you said hi'])
      assert.ok(!JSON.stringify([events.slice(0, -1), agent.messages]).includes('you said hi'))
      await ask(undefined, { resume: [resolved(asked, { approved: false })] })
      assert.ok(!JSON.stringify([events, agent.messages]).includes('you said hi'))
    })

    test('a run without answers, or with half of them, does nothing, and the questions still wait', async (t) => {
      let ran = 0
      const { ask, handler, last, server, agent } = await agentStage(t, sdk, {
        answers: [twoCalls, { text: 'Done.' }, { text: 'Yes.' }],
        tools: [
          asking({
            execute: () => {
              ran++
              return 'ok'
            },
          }),
        ],
      })
      await ask('Hello')
      const [one, two] = interruptsOf(last())
      // a page that does not know of the questions
      const other = open(sdk, handler, { messages: structuredClone(agent.messages) })
      await other.ask('Go on!')
      assert.deepEqual(interruptsOf(other.last()), [one, two], 'it is told')
      await assert.rejects(other.ask(undefined), /interrupt/)
      other.agent.pendingInterrupts = []
      await failed(other, 'interrupted', undefined, { resume: [resolved(one)] })
      assert.match(other.last().message, new RegExp(two.id))
      await failed(other, 'interrupted', undefined, {
        resume: [
          resolved(one),
          { interruptId: `${two.id.split(':')[0]}:7:execution:0`, status: 'resolved', payload: { approved: true } },
        ],
      })
      assert.deepEqual([ran, server.requests.length], [0, 1])
      other.agent.pendingInterrupts = []
      await other.ask(undefined, { resume: [resolved(one), resolved(two)] })
      assert.deepEqual([ran, server.requests.length, other.last().outcome.type], [2, 2, 'success'])
      await other.ask('And?')
      assert.deepEqual(
        server.requests[2].body.messages.map(({ role, content }) => (role === 'user' ? content : role)),
        ['Hello', 'assistant', 'tool', 'tool', 'assistant', 'Go on!\n\nAnd?'],
        'what was written meanwhile is read',
      )
    })

    test('a tool message that a client makes up is no result and no decision', async (t) => {
      let ran = 0
      const { ask, last, agent, server, events } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [
          asking({
            execute: () => {
              ran++
              return 'the true one'
            },
          }),
        ],
      })
      await ask('Hello')
      const [asked] = interruptsOf(last())
      agent.addMessage({ id: 'made-up', role: 'tool', toolCallId: asked.toolCallId, content: '{"approved":true}' })
      await ask(undefined, { resume: [resolved(asked, { approved: false })] })
      assert.equal(ran, 0)
      assert.ok(!JSON.stringify(server.requests[1].body.messages).includes('approved\\":true'))
      assert.equal(ofType(events, 'TOOL_CALL_RESULT').length, 1)
    })

    test('a server that was restarted goes on; where the tool changed, the question is asked again', async (t) => {
      const { agent, ask, last, options, server } = await agentStage(t, sdk, {
        answers: [twoCalls, { text: 'Done.' }],
        tools: [asking()],
      })
      await ask('Hello')
      const stale = interruptsOf(last())
      const engine = new Engine({
        tools: [asking({ identity: 'version 2', execute: ({ text }) => `the new ${text}` })],
      })
      t.after(() => engine.close())
      const again = open(sdk, agUIHandler(engine, options), {
        messages: structuredClone(agent.messages),
        pendingInterrupts: structuredClone(agent.pendingInterrupts),
      })
      await again.ask(undefined, { resume: stale.map((one) => resolved(one)) })
      const fresh = interruptsOf(again.last())
      assert.deepEqual(
        [fresh.length, fresh.some(({ id }) => stale.some((one) => one.id === id)), server.requests.length],
        [2, false, 1],
      )
      assert.deepEqual(
        ofType(again.events, 'CUSTOM').map(({ value }) => [value.code, value.interruptId]),
        stale.map(({ id }) => ['stale', id]),
      )
      await again.ask(undefined, { resume: fresh.map((one) => resolved(one)) })
      assert.deepEqual(told(again.agent).slice(-3), ['= the new hi', '= the new ho', 'Done.'])
    })

    test('a question that nobody answered in time is refused by the server, and the thread goes on', async (t) => {
      let ran = 0
      const { ask, last, agent, handler, server } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'Too late.' }],
        tools: [
          asking({
            execute: () => {
              ran++
            },
          }),
        ],
        run: { approvalTimeoutMs: 1000 },
      })
      await ask('Hello')
      const [asked] = interruptsOf(last())
      assert.match(asked.expiresAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, Date.parse(asked.expiresAt) - Date.now()) + 5))
      await assert.rejects(agent.runAgent({ resume: [resolved(asked)] }), /expired/i, 'the client says so itself')
      // one that does not look at the time
      const other = open(sdk, handler, { messages: structuredClone(agent.messages) })
      await other.ask(undefined, { resume: [resolved(asked)] })
      assert.deepEqual([ran, other.last().outcome.type, server.requests.length], [0, 'success', 2])
      assert.deepEqual(
        ofType(other.events, 'CUSTOM').map(({ value }) => value.code),
        ['stale'],
      )
      assert.match(ofType(other.events, 'TOOL_CALL_RESULT')[0].content, /expired|time/)
    })

    test('answers count in their own thread, and once', async (t) => {
      let ran = 0
      const { ask, last, agent, handler, server } = await agentStage(t, sdk, {
        answers: [callsEcho, callsEcho, { text: 'Done.' }],
        tools: [
          asking({
            execute: () => {
              ran++
              return 'ok'
            },
          }),
        ],
      })
      await ask('Hello')
      const [asked] = interruptsOf(last())
      const foreign = open(sdk, handler, { threadId: 'other' })
      await failed(foreign, 'stale', undefined, { resume: [resolved(asked)] })
      await foreign.ask('Hello')
      const [its] = interruptsOf(foreign.last())
      foreign.agent.pendingInterrupts = []
      await failed(foreign, 'interrupted', undefined, { resume: [resolved(asked)] }) // its own has no answer
      assert.equal(ran, 0)
      await ask(undefined, { resume: [resolved(asked)] })
      await failed(open(sdk, handler, { messages: structuredClone(agent.messages) }), 'stale', undefined, {
        resume: [resolved(asked)],
      })
      assert.deepEqual([ran, server.requests.length, its.id === asked.id], [1, 3, false])
    })

    test('edited arguments that do not fit are told, and the question is asked again', async (t) => {
      const { ask, last, events } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [asking()],
      })
      await ask('Hello')
      const [asked] = interruptsOf(last())
      await ask(undefined, { resume: [resolved(asked, { approved: true, editedArgs: { text: 7 } })] })
      assert.deepEqual(
        interruptsOf(last()).map(({ id }) => id),
        [asked.id],
      )
      assert.match(ofType(events, 'CUSTOM')[0].value.detail, /text/)
      await assert.rejects(
        ask(undefined, { resume: [resolved(asked, { approved: 'yes' })] }),
        /400.*resume\[0\]\.payload\.approved/s,
      )
    })

    test('a tool of the page: its result comes with the next run', async (t) => {
      const client = await agentStage(t, sdk, {
        answers: [callsPage, { text: 'Done.' }, { text: 'Again.' }],
        tools: [echo()],
      })
      const { agent, ask, last, server, events } = client
      await ask('Where?', { tools: [pageTool] })
      const [{ id }] = ofType(events, 'TOOL_CALL_START').map(({ toolCallId }) => ({ id: toolCallId }))
      assert.deepEqual(last().outcome, { type: 'success', ...(current ? { pendingToolCallIds: [id] } : {}) })
      assert.deepEqual(server.requests[0].body.tools.map(({ function: { name } }) => name).sort(), [
        'echo_back',
        'show_map',
      ])
      assert.ok(!JSON.stringify(server.requests[0].body.tools).includes('$schema'))
      await failed(client, 'interrupted')
      agent.addMessage({ id: 'r1', role: 'tool', toolCallId: id, content: 'the map is shown' })
      await ask(undefined) // without the tool: the turn has it
      assert.deepEqual(told(agent), ['Where?', 'Look: ', 'show_map {"city":"Rome"}', '= the map is shown', 'Done.'])
      assert.deepEqual(ofType(events, 'TOOL_CALL_RESULT'), [])
      assert.equal(server.requests[1].body.messages.at(-1).content, 'the map is shown')
    })

    test('a question beside a call of the page: both are answered at once, or one after the other', async (t) => {
      const both = { calls: [call('a', 'hi'), callsPage.calls[0]] }
      for (const together of [true, false]) {
        const { agent, ask, last, server, events } = await agentStage(t, sdk, {
          answers: [both, { text: 'Done.' }],
          tools: [asking()],
        })
        await ask('Where?', { tools: [pageTool] })
        const [asked, more] = interruptsOf(last())
        const { toolCallId } = ofType(events, 'TOOL_CALL_START').find(({ toolCallName }) => toolCallName === 'show_map')
        const result = { id: 'r1', role: 'tool', toolCallId, content: 'the map is shown' }
        assert.equal(more, undefined)
        if (together) agent.addMessage(result)
        await ask(undefined, { resume: [resolved(asked)] })
        if (!together) {
          assert.deepEqual(
            [last().outcome.type, server.requests.length],
            ['success', 1],
            'one call after the other: the page is first',
          )
          agent.addMessage(result)
          await ask(undefined)
        }
        assert.deepEqual(
          server.requests[1].body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
          ['you said hi', 'the map is shown'],
        )
        assert.equal(told(agent).at(-1), 'Done.')
      }
    })

    test('two calls of the page with one of the server between them, in one answer: the page has each when it may begin', async (t) => {
      const show = (id, city) => ({ id, name: 'show_map', arguments: { city } })
      for (const text of [undefined, 'Thanks.']) {
        const { agent, ask, last, server, events } = await agentStage(t, sdk, {
          answers: [{ calls: [show('p', 'Rome'), call('a', 'hi'), show('q', 'Oslo')] }, { text: 'Done.' }],
          tools: [echo()],
        })
        const shown = () =>
          ofType(events, 'TOOL_CALL_START').flatMap(({ toolCallName, toolCallId }) =>
            toolCallName === 'show_map' ? [toolCallId] : [],
          ) // in this run
        const answered = (at) => {
          const [toolCallId, ...more] = shown()
          assert.deepEqual([typeof toolCallId, more], ['string', []])
          if (current) assert.deepEqual(last().outcome.pendingToolCallIds, [toolCallId])
          agent.addMessage({ id: `r${at}`, role: 'tool', toolCallId, content: `map ${at}` })
        }
        await ask('Where?', { tools: [pageTool] })
        answered(0)
        await ask(text)
        if (text === undefined) {
          assert.equal(server.requests.length, 1)
          answered(1)
          await ask(undefined)
        }
        const results = server.requests[1].body.messages
          .filter(({ role }) => role === 'tool')
          .map(({ content }) => content)
        if (text === undefined) assert.deepEqual(results, ['map 0', 'you said hi', 'map 1'])
        else
          assert.deepEqual(
            [results.length, results[0], shown()],
            [3, 'map 0', []],
            'a new message: the page never has the second call',
          )
        assert.equal(server.requests.length, 2)
      }
    })

    test('a tool of the page that nobody follows up, and the next message: one answer, which has read both', async (t) => {
      const { agent, ask, server, events } = await agentStage(t, sdk, {
        answers: [callsPage, { text: 'Yes.' }],
        tools: [],
      })
      await ask('Where?', { tools: [pageTool] })
      agent.addMessage({
        id: 'r1',
        role: 'tool',
        toolCallId: ofType(events, 'TOOL_CALL_START')[0].toolCallId,
        content: 'the map is shown',
      })
      await ask('Thanks. Open?', { tools: [pageTool] })
      assert.equal(server.requests.length, 2)
      assert.deepEqual(
        server.requests[1].body.messages.map(({ role, content }) => [role, content]),
        [
          ['user', 'Where?'],
          ['assistant', 'Look: '],
          ['tool', 'the map is shown'],
          ['user', 'Thanks. Open?'],
        ],
      )
      assert.equal(told(agent).at(-1), 'Yes.')
    })

    test('a page does not put its tool in the place of one of the server', async (t) => {
      let ran = 0
      const { ask, last } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [
          asking({
            execute: () => {
              ran++
            },
          }),
        ],
      })
      await ask('Hello', { tools: [{ ...pageTool, name: 'echo_back' }] })
      assert.equal(interruptsOf(last())[0].metadata.sluice.level, 'sensitive')
      assert.equal(ran, 0)
    })

    test('a tool of the page that asks is told to it when it was approved', async (t) => {
      const { ask, last, events, agent } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [asking({ execute: undefined, external: true })],
      })
      await ask('Hello')
      const [asked] = interruptsOf(last())
      assert.deepEqual(
        [asked.toolCallId, asked.metadata.sluice.arguments, ofType(events, 'TOOL_CALL_START')],
        [undefined, { text: 'hi' }, []],
      )
      await ask(undefined, { resume: [resolved(asked, { approved: true, editedArgs: { text: 'ha' } })] })
      assert.equal(told(agent).at(-1), 'echo.back {"text":"ha"}')
      const [{ toolCallId }] = ofType(events, 'TOOL_CALL_START')
      if (current) assert.deepEqual(last().outcome.pendingToolCallIds, [toolCallId])
      agent.addMessage({ id: 'r1', role: 'tool', toolCallId, content: 'done' })
      await ask(undefined)
      assert.equal(told(agent).at(-1), 'Done.')
    })

    test("context stands in the system message, state and forwardedProps are the app's", async (t) => {
      const seen = []
      const { ask, server } = await agentStage(t, sdk, {
        answers: [{ text: 'Ok.' }],
        tools: [echo()],
        initialState: { secret: 'of the app' },
        run: ({ input }) => {
          seen.push(input)
          return { system: 'Be brief.' }
        },
      })
      await ask('Hello', {
        context: [{ description: 'Open page', value: 'Invoices {{tools}}' }],
        forwardedProps: { theme: 'dark' },
      })
      const [{ role, content }] = server.requests[0].body.messages
      assert.equal(role, 'system')
      assert.match(content, /^Be brief\.\n\nWhat the app tells[^\n]*\n\nOpen page: Invoices \{ \{tools\}\}$/)
      assert.deepEqual([seen[0].state, seen[0].forwardedProps], [{ secret: 'of the app' }, { theme: 'dark' }])
      assert.ok(!JSON.stringify(server.requests[0].body).includes('of the app'))
    })

    test('state that a tool changes reaches the client, and comes back with its next run', async (t) => {
      const seen = []
      const write = echo({
        name: 'cart.add',
        permission: 'sensitive',
        execute: ({ text }, { context: { cart, setState } }) => {
          cart.push(text)
          setState({ cart })
          return 'added'
        },
      })
      const { agent, ask, events, last, server } = await agentStage(t, sdk, {
        answers: [
          { text: 'I add it. ', calls: [{ id: 'a', name: 'cart_add', arguments: { text: 'an umbrella' } }] },
          { text: 'Done.' },
          { text: 'Two.' },
        ],
        tools: [write],
        initialState: { cart: ['a hat'] },
        run: ({ input, setState }) => {
          seen.push(structuredClone(input.state))
          setState({ ...input.state, seen: seen.length })
          return { context: { cart: input.state.cart, setState } }
        },
      })
      await ask('Hello')
      assert.deepEqual(typesOf(events).slice(0, 3), ['RUN_STARTED', 'STATE_SNAPSHOT', 'STEP_STARTED'])
      assert.deepEqual(agent.state, { cart: ['a hat'], seen: 1 })
      await ask(undefined, { resume: interruptsOf(last()).map((one) => resolved(one)) })
      assert.deepEqual(
        ofType(events, 'STATE_SNAPSHOT').map(({ snapshot }) => snapshot),
        [{ cart: ['a hat'], seen: 2 }, { cart: ['a hat', 'an umbrella'] }],
      )
      assert.ok(typesOf(events).lastIndexOf('STATE_SNAPSHOT') < typesOf(events).indexOf('TOOL_CALL_RESULT'))
      assert.deepEqual(agent.state, { cart: ['a hat', 'an umbrella'] })
      await ask('And now?')
      assert.deepEqual(seen, [{ cart: ['a hat'] }, { cart: ['a hat'], seen: 1 }, { cart: ['a hat', 'an umbrella'] }])
      assert.ok(!JSON.stringify(server.requests.map(({ body }) => body)).includes('a hat'), 'no model sees it')
    })

    test('state that is set before nothing begins, behind the end, or that is no JSON', async (t) => {
      let set
      const { ask, events, last, agent } = await agentStage(t, sdk, {
        answers: [{ text: 'One.' }],
        tools: [],
        run: ({ setState }) => {
          set = setState
          return {}
        },
      })
      await ask('Hello')
      const count = events.length
      set({ late: true })
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.deepEqual([events.length, last().type, agent.state], [count, 'RUN_FINISHED', {}])
      for (const wrong of [undefined, () => {}, Symbol('x')])
        assert.throws(() => set(wrong), { code: 'option', path: 'setState()' })
      for (const wrong of [
        1n,
        Object.assign([], {
          toJSON: () => {
            throw new Error('no')
          },
        }),
      ])
        assert.throws(() => set(wrong))
    })

    test('pictures: of a person, and in a result', async (t) => {
      const { ask, agent, events, server } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'A dot.' }],
        tools: [
          echo({
            execute: () =>
              resultParts({ type: 'text', text: 'seen' }, { type: 'image', mediaType: 'image/png', data: png }),
          }),
        ],
      })
      agent.addMessage({
        id: 'u',
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { type: 'data', value: png, mimeType: 'image/png' } },
        ],
      })
      await ask(undefined)
      assert.equal(server.requests[0].body.messages[0].content[1].image_url.url, `data:image/png;base64,${png}`)
      const [{ content }] = ofType(events, 'TOOL_CALL_RESULT')
      if (current)
        assert.deepEqual(content, [
          { type: 'text', text: 'seen' },
          { type: 'image', source: { type: 'data', value: png, mimeType: 'image/png' } },
        ])
      else assert.equal(typeof content, 'string')
    })

    test('a limit and a cancel are no success to those who can read it', async (t) => {
      const { ask, last } = await agentStage(t, sdk, {
        answers: [callsEcho, callsEcho],
        tools: [echo()],
        run: { maxRounds: 1, forceFinalAnswer: false },
      })
      await ask('Hello')
      assert.deepEqual(
        [last().outcome, last().result],
        [{ type: current ? 'cancelled' : 'success' }, { outcome: 'limit' }],
      )
    })

    test('an answer that breaks off: what was said stays, the error is last', async (t) => {
      const client = await agentStage(t, sdk, {
        answers: [{ parts: [{ text: 'It begins' }, { error: 'overloaded' }] }, { text: 'Better.' }],
        tools: [],
        run: { retries: 0 },
      })
      const { ask, agent, store, events } = client
      await failed(client, 'provider', 'Hello')
      assert.ok(typesOf(events).includes('TEXT_MESSAGE_END'))
      assert.deepEqual(told(agent), ['Hello', 'It begins'])
      assert.equal((await store.load('thread')).entries.length, 2)
      await ask('Again')
      assert.equal(told(agent).at(-1), 'Better.')
    })

    test('a client that goes away cancels, and the next message goes on', async (t) => {
      const { ask, agent, store, server } = await agentStage(t, sdk, {
        answers: [{ parts: [{ text: 'It begins' }, { wait: 60_000 }, { text: 'never' }] }, { text: 'Yes.' }],
        tools: [],
      })
      const sent = ask('Hello').catch(() => {})
      await until(() => agent.messages.some(({ content }) => content === 'It begins'))
      agent.abortRun()
      await sent
      await until(async () => (await store.load('thread')).entries[1])
      await ask('Still there?')
      assert.deepEqual(
        server.requests.at(-1).body.messages.map(({ content }) => content),
        ['Hello', 'It begins', 'Still there?'],
      )
    })

    test('a new try, and a message that was written anew, are branches', async (t) => {
      const { ask, agent, server, store } = await agentStage(t, sdk, {
        answers: ['One.', 'Two.', 'Three.'].map((text) => ({ text })),
        tools: [],
      })
      await ask('Hello')
      agent.setMessages(agent.messages.slice(0, 1))
      await ask(undefined)
      assert.deepEqual(told(agent), ['Hello', 'Two.'])
      await ask('Bye')
      assert.deepEqual(
        server.requests.map(({ body }) => body.messages.map(({ content }) => content).join(' ')),
        ['Hello', 'Hello', 'Hello Two. Bye'],
      )
      assert.equal((await store.load('thread')).entries.length, 5)
    })

    test('details of calls are activities, where they are wanted', async (t) => {
      const { ask, agent, events } = await agentStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [echo({ resultApproval: 'always' })],
        handler: { activities: true },
      })
      await ask('Hello')
      const [{ content }] = agent.messages.filter(({ role }) => role === 'activity')
      assert.deepEqual(
        [content.name, content.status, content.source],
        ['echo.back', 'awaiting_result_approval', 'native'],
      )
      assert.ok(!JSON.stringify(events.slice(0, -1)).includes('you said'))
    })

    test("toAGUIEvents: a run of one's own, and on from its state", async (t) => {
      const { run, engine, server } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [asking()] })
      const input = { threadId: 't', runId: 'r', ...(current ? { protocolVersion: '1.0' } : {}) }
      const first = run()
      const events = []
      for await (const event of toAGUIEvents(first, input)) events.push(event)
      const [asked] = interruptsOf(events.at(-1))
      const state = await first.suspend()
      const second = engine.resume(state, { model: { baseURL: server.baseURL, apiKey: 'secret' } })
      const more = []
      for await (const event of toAGUIEvents(second, { ...input, runId: 'r2' })) {
        more.push(event)
        if (event.type === 'RUN_STARTED') second.approve(1)
      }
      assert.equal(asked.toolCallId, ofType(more, 'TOOL_CALL_RESULT')[0].toolCallId)
      assert.deepEqual(
        [more[0].protocolVersion, more.at(-1).outcome],
        [current ? '1.0' : undefined, { type: 'success' }],
      )
    })
  })
}
