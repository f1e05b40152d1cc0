// The AI SDK's `Chat` of both majors in front of chatHandler: real classes, a real engine, a scripted model behind
// HTTP.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { callsEcho, echo, stage } from '../js/support.mjs'
import { callsOf, chatStage, majors, open, told, typesOf } from './chats.mjs'
import { until } from '../js/until.mjs'

const { decide } = await built('sluice/ai-sdk/client')
const { chatHandler, toUIMessageStream } = await built('sluice/ai-sdk')
const { live2dTools } = await built('sluice/live2d')
const { Engine } = await built('sluice')

const call = (id, text) => ({ id, name: 'echo_back', arguments: { text } })
const asking = (more) => echo({ permission: 'sensitive', ...more })
/** A tool that the page runs. */
const inPage = (more) => echo({ execute: undefined, external: true, ...more })
const endless = { parts: [{ text: 'It begins' }, { wait: 60_000 }, { text: ', and never ends.' }] }

for (const [name, { load, skip }] of Object.entries(majors)) {
  describe(name, { skip: skip || false }, async () => {
    const sdk = skip ? undefined : await load()
    const both = ({ messages }) =>
      sdk.lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
      sdk.lastAssistantMessageIsCompleteWithApprovalResponses({ messages })
    const valid = async (messages) => assert.equal((await sdk.safeValidateUIMessages({ messages })).error, undefined)

    test('text, reasoning and calls become one message, step by step', async (t) => {
      const first = {
        parts: [{ reasoning: 'Hm.' }, { text: 'I ask. ' }, { calls: [call('a', 'hi'), call('b', 'ho')] }],
      }
      const { chat, chunks, posts, server, rest } = await chatStage(t, sdk, {
        answers: [first, { text: 'Done.', usage: { prompt_tokens: 5, completion_tokens: 7 } }, { text: 'Yes.' }],
        tools: [echo()],
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const [, message] = chat.messages
      assert.deepEqual(told(message), [
        '|',
        '(Hm.)',
        'I ask. ',
        'echo.back: output-available',
        'echo.back: output-available',
        '|',
        'Done.',
      ])
      assert.deepEqual(
        callsOf(message).map(({ input, output }) => [input, output]),
        [
          [{ text: 'hi' }, 'you said hi'],
          [{ text: 'ho' }, 'you said ho'],
        ],
      )
      assert.deepEqual([message.metadata.sluice.outcome, message.metadata.sluice.usage.outputTokens], ['completed', 7])
      assert.ok(chunks.some(({ type, inputTextDelta }) => type === 'tool-input-delta' && inputTextDelta.includes('hi')))
      assert.equal(chunks.at(-1).finishReason, 'stop')
      assert.equal(posts.length, 1)
      await valid(chat.messages)
      await chat.sendMessage({ text: 'Sure?' })
      assert.deepEqual(
        server.requests.at(-1).body.messages.map(({ role }) => role),
        ['user', 'assistant', 'tool', 'tool', 'assistant', 'user'],
        'the store has the conversation',
      )
    })

    test('two questions, one edited and one refused: the second request continues the same message', async (t) => {
      const { chat, posts, server, rest } = await chatStage(t, sdk, {
        answers: [{ text: 'I ask. ', calls: [call('a', 'hi'), call('b', 'ho')] }, { text: 'Done.' }],
        tools: [asking()],
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const { id } = chat.messages[1]
      const asked = callsOf(chat.messages[1])
      assert.deepEqual(
        asked.map(({ state, approval }) => [state, approval.descriptor.sluice.stage, approval.descriptor.sluice.level]),
        Array(2).fill(['approval-requested', 'execution', 'sensitive']),
      )
      await decide(chat, asked[0].approval.id, { approved: true, arguments: { text: 'hello' } })
      await decide(chat, asked[1].approval.id, { approved: false, reason: 'not now' })
      await rest()
      assert.equal(posts.length, 2)
      assert.equal(chat.messages.length, 2)
      assert.equal(chat.messages[1].id, id)
      assert.deepEqual(told(chat.messages[1]), [
        '|',
        'I ask. ',
        'echo.back: output-available',
        'echo.back: output-denied',
        '|',
        'Done.',
      ])
      assert.deepEqual(callsOf(chat.messages[1])[0], {
        ...callsOf(chat.messages[1])[0],
        input: { text: 'hello' },
        output: 'you said hello',
      })
      assert.match(server.requests[1].body.messages.at(-1).content, /not now/)
      await valid(chat.messages)
    })

    test('a result that waits is only in the question, and is shown when it was released', async (t) => {
      const { chat, chunks, posts, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [asking({ resultApproval: 'always' })],
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const first = callsOf(chat.messages[1])[0].approval
      await chat.addToolApprovalResponse({ id: first.id, approved: true })
      await rest()
      const [card] = callsOf(chat.messages[1])
      assert.deepEqual(
        [card.state, card.output, card.approval.descriptor.sluice.stage, card.approval.descriptor.sluice.preview.text],
        ['approval-requested', undefined, 'result', 'you said hi'],
      )
      assert.notEqual(card.approval.id, first.id)
      assert.ok(!chunks.some(({ type }) => type === 'tool-output-available'))
      await chat.addToolApprovalResponse({ id: card.approval.id, approved: true })
      await rest()
      assert.deepEqual(told(chat.messages[1]), ['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'])
      assert.equal(posts.length, 3)
      await valid(chat.messages)
    })

    test('a result that is not let out reaches neither the page nor the model', async (t) => {
      const { chat, server, chunks, posts, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [echo({ resultApproval: 'always' })],
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      await chat.addToolApprovalResponse({ id: callsOf(chat.messages[1])[0].approval.id, approved: false })
      await rest()
      assert.deepEqual([callsOf(chat.messages[1])[0].state, posts.length], ['output-denied', 2])
      assert.ok(
        !JSON.stringify([
          server.requests[1].body.messages,
          chunks.filter(({ type }) => type !== 'tool-approval-request'),
        ]).includes('you said hi'),
      )
      await valid(chat.messages)
    })

    test('fire-and-forget calls and a limit do not have the page post again', async (t) => {
      const tools = live2dTools({ expressions: ['smile'] })
      const [{ name }] = tools
      const smiles = {
        parts: [
          { text: 'Look: ' },
          { calls: [{ id: 'a', name: name.replaceAll('.', '_'), arguments: { name: 'smile' } }] },
        ],
      }
      const between = { parts: [...smiles.parts, { text: ' and smile.' }] }
      const { chat, posts, data, rest } = await chatStage(t, sdk, {
        answers: [smiles, { text: 'Nice.' }, callsEcho, callsEcho, between, { text: 'Bye.' }],
        tools: [...tools, echo()],
        run: { maxRounds: 1, forceFinalAnswer: false },
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      assert.equal(posts.length, 1)
      assert.deepEqual(
        callsOf(chat.messages[1]).map(({ providerExecuted, state }) => [providerExecuted, state]),
        [[true, 'output-available']],
      )
      assert.deepEqual(
        data.map(({ type }) => type),
        ['data-sluice-ipc'],
      )
      await chat.sendMessage({ text: 'More' })
      await rest()
      assert.equal(posts.length, 2)
      assert.equal(chat.messages[3].metadata.sluice.outcome, 'limit')
      await chat.sendMessage({ text: 'In the middle of a sentence' })
      await rest()
      assert.deepEqual(
        [posts.length, told(chat.messages[5]).slice(0, 4)],
        [3, ['|', 'Look: ', `${name}: output-available`, ' and smile.']],
      )
      await valid(chat.messages)
    })

    test('a tool of the page: its result comes with the next request', async (t) => {
      let asked = 0
      const { chat, posts, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [inPage()],
        sendAutomaticallyWhen: both,
        onToolCall: ({ toolCall }) => {
          asked++
          void chat.addToolOutput({
            tool: toolCall.toolName,
            toolCallId: toolCall.toolCallId,
            output: { said: toolCall.input.text },
          })
        },
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      assert.deepEqual([asked, posts.length], [1, 2])
      assert.deepEqual(told(chat.messages[1]), ['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'])
      assert.deepEqual(callsOf(chat.messages[1])[0].output, { said: 'hi' })
      await valid(chat.messages)
    })

    test('calls run one after another, and the page is not kept waiting for those behind its own', async (t) => {
      const asked = []
      const page = inPage({ name: 'page.tell' })
      const at = (id, name, text) => ({ id, name, arguments: { text } })
      const { chat, posts, server, rest } = await chatStage(t, sdk, {
        answers: [
          { calls: [at('a', 'page_tell', 'one'), at('b', 'echo_back', 'two'), at('c', 'page_tell', 'three')] },
          { text: 'Done.' },
        ],
        tools: [page, echo()],
        sendAutomaticallyWhen: both,
        onToolCall: ({
          toolCall: {
            toolName: tool,
            toolCallId,
            input: { text },
          },
        }) => {
          if (tool !== 'page.tell') return
          asked.push(text)
          void chat.addToolOutput({ tool, toolCallId, output: `page: ${text}` })
        },
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      assert.deepEqual([asked, posts.length], [['one', 'three'], 2])
      assert.deepEqual(
        callsOf(chat.messages[1]).map(({ state, output, providerExecuted }) => [
          state,
          output,
          Boolean(providerExecuted),
        ]),
        [
          ['output-available', 'you said two', false],
          ['output-available', 'page: one', false],
          ['output-available', 'page: three', false],
        ],
        'the page has its own calls when they may begin, the others while the model writes them',
      )
      assert.deepEqual([told(chat.messages[1]).at(-1), server.requests.length], ['Done.', 2])
    })

    test('a tool of the page that asks runs when it was approved, not before', async (t) => {
      const ran = []
      const { chat, posts, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [inPage({ permission: 'sensitive' })],
        sendAutomaticallyWhen: both,
        onToolCall: ({ toolCall }) => {
          ran.push(toolCall.input)
          void chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: 'ok' })
        },
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      assert.deepEqual(ran, [])
      const [{ input, approval }] = callsOf(chat.messages[1])
      assert.deepEqual(input, { text: 'hi' })
      await decide(chat, approval.id, { approved: true, arguments: { text: 'ha' } })
      await rest()
      assert.deepEqual(ran, [{ text: 'ha' }])
      assert.equal(posts.length, 3)
      assert.deepEqual(told(chat.messages[1]), ['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'])
    })

    test('an answer that breaks off: what was said stays, the error is last', async (t) => {
      const { chat, chunks, errors, store, rest } = await chatStage(t, sdk, {
        answers: [{ parts: [{ text: 'It begins' }, { error: 'overloaded' }] }],
        tools: [],
        run: { retries: 0 },
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      assert.equal(chat.status, 'error')
      assert.equal(chunks.at(-1).type, 'error')
      assert.ok(errors[0].message.length > 0)
      assert.deepEqual(told(chat.messages[1]), ['|', 'It begins'])
      assert.equal((await store.load('chat')).entries.length, 2)
    })

    test('the stop of the page ends the run, and what was said is kept', async (t) => {
      const { chat, store, server, rest } = await chatStage(t, sdk, { answers: [endless, { text: 'Yes.' }], tools: [] })
      const sent = chat.sendMessage({ text: 'Hello' })
      await until(() => chat.messages[1]?.parts.some(({ text }) => text === 'It begins'))
      await chat.stop()
      await sent
      const kept = await until(async () =>
        (await store.load('chat')).entries.find(({ history }) => history?.length > 0),
      )
      assert.deepEqual([kept.message.outcome, kept.history[0].content], ['cancelled', 'It begins'])
      await chat.sendMessage({ text: 'Still there?' })
      await rest()
      assert.deepEqual(
        server.requests.at(-1).body.messages.map(({ content }) => content),
        ['Hello', 'It begins', 'Still there?'],
      )
    })

    test('POST …/stop ends it for every page, and the message says so', async (t) => {
      const { chat, handler, posts, rest } = await chatStage(t, sdk, {
        answers: [endless],
        tools: [],
        sendAutomaticallyWhen: both,
      })
      const sent = chat.sendMessage({ text: 'Hello' })
      await until(() => chat.messages[1]?.parts.some(({ text }) => text === 'It begins'))
      const response = await handler(new Request('http://app.test/api/chat/chat/stop', { method: 'POST' }))
      assert.deepEqual(await response.json(), { stopped: true })
      await sent
      await rest()
      assert.equal(chat.messages[1].metadata.sluice.outcome, 'cancelled')
      assert.equal(posts.length, 1)
    })

    test('a page that lost the connection resumes, and doubles nothing', async (t) => {
      let goOn
      const gate = new Promise((resolve) => (goOn = resolve))
      const slow = echo({
        execute: async ({ text }) => {
          await gate
          return `you said ${text}`
        },
      })
      const { chat, handler, store, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [slow],
        handler: { onDisconnect: 'continue' },
      })
      const sent = chat.sendMessage({ text: 'Hello' })
      await until(() => chat.messages[1]?.parts.some(({ state }) => state === 'input-available'))
      await chat.stop()
      await sent
      const other = await open(sdk, handler, { messages: structuredClone(chat.messages) })
      const fresh = await open(sdk, handler, { messages: structuredClone(chat.messages.slice(0, 1)) })
      const resumed = [other.chat.resumeStream(), fresh.chat.resumeStream(), chat.resumeStream()]
      await until(() => fresh.chat.messages[1]?.parts.some(({ state }) => state === 'input-available'))
      goOn()
      await Promise.all(resumed)
      await Promise.all([rest(), other.rest(), fresh.rest()])
      assert.deepEqual(told(fresh.chat.messages[1]), ['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'])
      assert.deepEqual(told(other.chat.messages[1]), told(fresh.chat.messages[1]))
      assert.deepEqual(told(chat.messages[1]), told(fresh.chat.messages[1]))
      assert.equal((await store.load('chat')).entries.length, 2)
      const none = await handler(new Request('http://app.test/api/chat/chat/stream'))
      assert.equal(none.status, 204)
    })

    test('a page that comes in the second leg gets the whole message', async (t) => {
      let goOn
      const gate = new Promise((resolve) => (goOn = resolve))
      const slow = asking({
        execute: async ({ text }) => {
          await gate
          return `you said ${text}`
        },
      })
      const { chat, handler, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [slow],
        handler: { onDisconnect: 'continue' },
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const waiting = chat.messages[1]
      await chat.addToolApprovalResponse({ id: callsOf(waiting)[0].approval.id, approved: true })
      const other = await open(sdk, handler, { messages: structuredClone(chat.messages.slice(0, 1)) })
      await until(async () => (await handler(new Request('http://app.test/api/chat/chat/stream'))).status === 200)
      const resumed = other.chat.resumeStream()
      await until(() => other.chat.messages[1]?.parts.length >= 3)
      goOn()
      await resumed
      await Promise.all([rest(), other.rest()])
      assert.deepEqual(told(other.chat.messages[1]), ['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'])
      assert.deepEqual(told(chat.messages[1]), told(other.chat.messages[1]))
    })

    test('a new message while a question waits: the old answer is closed, and nothing runs', async (t) => {
      let ran = 0
      const { chat, server, store, posts, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Yes.' }],
        tools: [
          asking({
            execute: () => {
              ran++
            },
          }),
        ],
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      await chat.sendMessage({ text: 'Never mind.' })
      await rest()
      assert.deepEqual([ran, posts.length], [0, 2])
      assert.deepEqual(told(chat.messages.at(-1)), ['|', 'Yes.'])
      const { entries } = await store.load('chat')
      assert.deepEqual(
        entries.map(({ role, state }) => [role, state]),
        [
          ['user', undefined],
          ['assistant', undefined],
          ['user', undefined],
          ['assistant', undefined],
        ],
      )
      assert.deepEqual(
        server.requests[1].body.messages.map(({ role }) => role),
        ['user', 'assistant', 'tool', 'user'],
      )
    })

    test('an edited message and a new try are branches of the stored conversation', async (t) => {
      const { chat, server, store, rest } = await chatStage(t, sdk, {
        answers: ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text })),
        tools: [],
      })
      await chat.sendMessage({ text: 'Hello' })
      await chat.regenerate()
      await rest()
      assert.deepEqual(told(chat.messages[1]), ['|', 'Two.'])
      await chat.sendMessage({ text: 'Good day', messageId: chat.messages[0].id })
      await chat.sendMessage({ text: 'Bye' })
      await rest()
      assert.deepEqual(
        server.requests.map(({ body }) => body.messages.map(({ content }) => content).join(' ')),
        ['Hello', 'Hello', 'Good day', 'Good day Three. Bye'],
      )
      const { entries, head } = await store.load('chat')
      assert.deepEqual([entries.length, entries.at(-1).id], [7, head])
    })

    test('a server that was restarted goes on, and a tool that changed meanwhile is asked about again', async (t) => {
      const { chat, posts, server, options, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [asking()],
        handler: {},
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const engine = new Engine({ tools: [asking({ identity: 'version 2', execute: () => 'the new one' })] })
      t.after(() => engine.close())
      const again = await open(sdk, chatHandler(engine, options), {
        messages: structuredClone(chat.messages),
        sendAutomaticallyWhen: both,
      })
      const old = callsOf(again.chat.messages[1])[0].approval.id
      await again.chat.addToolApprovalResponse({ id: old, approved: true })
      await again.rest()
      const [card] = callsOf(again.chat.messages[1])
      assert.deepEqual(
        [card.state, card.approval.id === old, server.requests.length, again.posts.length],
        ['approval-requested', false, 1, 1],
      )
      await again.chat.addToolApprovalResponse({ id: card.approval.id, approved: true })
      await again.rest()
      assert.deepEqual(
        [callsOf(again.chat.messages[1])[0].output, again.posts.length, posts.length],
        ['the new one', 2, 1],
      )
    })

    test('edited arguments that do not fit are told, and the question is asked again', async (t) => {
      const { chat, posts, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [asking()],
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      await decide(chat, callsOf(chat.messages[1])[0].approval.id, { approved: true, arguments: { text: 7 } })
      await rest()
      const { parts } = chat.messages[1]
      assert.equal(callsOf(chat.messages[1])[0].state, 'approval-requested')
      assert.match(parts.find(({ type }) => type === 'data-sluice-error').data.detail, /text/)
      assert.equal(posts.length, 2)
    })

    test('a question that nobody answered in time is an error of its call', async (t) => {
      const { chat, posts, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [asking()],
        run: { approvalTimeoutMs: 300 },
        sendAutomaticallyWhen: both,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const { approval } = callsOf(chat.messages[1])[0]
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(0, approval.descriptor.sluice.expiresAt - Date.now()) + 5),
      )
      await chat.addToolApprovalResponse({ id: approval.id, approved: true })
      await rest()
      assert.deepEqual(
        [told(chat.messages[1]), posts.length],
        [['|', 'Well, ', 'echo.back: output-error', '|', 'Done.'], 2],
      )
    })

    test('a decision while the answer is still written goes to …/decide', async (t) => {
      const slow = echo({
        name: 'slow',
        execute: () => new Promise((resolve) => setTimeout(() => resolve('late'), 300)),
      })
      const { chat, handler, rest } = await chatStage(t, sdk, {
        answers: [{ calls: [{ id: 'b', name: 'slow', arguments: { text: 'x' } }, call('a', 'hi')] }, { text: 'Done.' }],
        tools: [asking(), slow],
        run: { execution: 'parallel' },
      })
      const sent = chat.sendMessage({ text: 'Hello' })
      const { approval } = await until(
        () => chat.messages[1] && callsOf(chat.messages[1]).find(({ state }) => state === 'approval-requested'),
      )
      const post = (body) =>
        handler(new Request('http://app.test/api/chat/chat/decide', { method: 'POST', body: JSON.stringify(body) }))
      assert.equal((await post({ approvalId: 'made-up', approved: true })).status, 409)
      assert.equal((await post({ approvalId: approval.id, approved: 'yes' })).status, 400)
      assert.equal((await post({ approvalId: approval.id, approved: true })).status, 200)
      await sent
      await rest()
      assert.deepEqual(
        callsOf(chat.messages[1]).map(({ output }) => output),
        ['late', 'you said hi'],
      )
    })

    test('toUIMessageStream: what readUIMessageStream makes of a run', async (t) => {
      const { run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [echo()] })
      let message
      for await (message of sdk.readUIMessageStream({
        stream: toUIMessageStream(run(), { messageId: 'm', dynamic: () => true }),
      }));
      assert.equal(message.id, 'm')
      assert.deepEqual(told(message), ['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'])
      assert.equal(message.parts[2].type, 'dynamic-tool')
    })

    test('no chunk but those of both majors', async (t) => {
      const { chunks, chat, rest } = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [echo()],
        handler: { sendDiagnostics: true },
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      assert.deepEqual(
        typesOf(chunks).filter((type, at, all) => type !== all[at - 1]),
        [
          'start',
          'start-step',
          'text-start',
          'text-delta',
          'text-end',
          'tool-input-start',
          'tool-input-delta',
          'tool-input-available',
          'tool-output-available',
          'finish-step',
          'start-step',
          'text-start',
          'text-delta',
          'text-end',
          'finish-step',
          'finish',
        ],
      )
    })
  })
}
