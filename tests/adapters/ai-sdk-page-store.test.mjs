// The AI SDK's `Chat` of both majors in front of a server that keeps nothing: every request meets another handler.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { callsEcho, echo, stage } from '../js/support.mjs'
import { callsOf, majors, open, told } from './chats.mjs'

const { decide } = await built('sluice/ai-sdk/client')
const { chatHandler, memorySpend, pageStore } = await built('sluice/ai-sdk')

const encryption = 'a key of the server that nobody can guess'
const call = (id, text) => ({ id, name: 'echo_back', arguments: { text } })
const asking = (more) => echo({ permission: 'sensitive', ...more })

/** A page whose server is a new one for every request, as in a function of a cloud. */
async function servedAnew(
  t,
  sdk,
  { answers, tools, run: settings = {}, wire, handler: more = {}, appendOnly = true, ...page },
) {
  const { server, engine } = await stage(t, { answers, tools, server: { appendOnly } })
  const run = () => ({
    model: {
      baseURL: wire ? server.baseURLs[wire] : server.baseURL,
      name: 'scripted',
      apiKey: 'key',
      ...(wire ? { wire } : {}),
    },
    system: 'The secret word is plugh.',
    ...settings,
  })
  const spend = memorySpend()
  const handler = (request) =>
    chatHandler(engine, { run, store: pageStore({ encryption, spend }), authorize: () => true, ...more })(request)
  return { server, engine, handler, ...(await open(sdk, handler, page)) }
}

for (const [name, { load, skip }] of Object.entries(majors)) {
  describe(name, { skip: skip || false }, async () => {
    const sdk = skip ? undefined : await load()
    const both = ({ messages }) =>
      sdk.lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
      sdk.lastAssistantMessageIsCompleteWithApprovalResponses({ messages })

    const served = (t, options) => servedAnew(t, sdk, { sendAutomaticallyWhen: both, ...options })

    test('pageStore: questions, one edited and one refused, and what was said is known later', async (t) => {
      const { chat, posts, server, rest } = await served(t, {
        answers: [{ text: 'I ask. ', calls: [call('a', 'hi'), call('b', 'ho')] }, { text: 'Done.' }, { text: 'Yes.' }],
        tools: [asking()],
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const [first, second] = callsOf(chat.messages[1])
      await decide(chat, first.approval.id, { approved: true, arguments: { text: 'hello' } })
      await decide(chat, second.approval.id, { approved: false, reason: 'not now' })
      await rest()
      assert.deepEqual(told(chat.messages[1]), [
        '|',
        'I ask. ',
        'echo.back: output-available',
        'echo.back: output-denied',
        '|',
        'Done.',
      ])
      assert.deepEqual(
        [callsOf(chat.messages[1])[0].output, posts.length, chat.messages.length],
        ['you said hello', 2, 2],
      )
      await chat.sendMessage({ text: 'Sure?' })
      await rest()
      assert.deepEqual(told(chat.messages[3]), ['|', 'Yes.'])
      const { messages } = server.requests[2].body
      assert.deepEqual(
        messages.map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'user'],
      )
      assert.match(messages[4].content, /not now/)
      assert.deepEqual(messages.slice(0, 5), server.requests[1].body.messages, 'word for word what the turn said')
      assert.ok(!JSON.stringify([chat.messages, posts]).includes('plugh'), 'the system message stays on the server')
      assert.equal((await sdk.safeValidateUIMessages({ messages: chat.messages })).error, undefined)
    })

    test('pageStore: one question is answered, the other one later', async (t) => {
      const { chat, server, rest } = await served(t, {
        answers: [{ calls: [call('a', 'hi'), call('b', 'ho')] }, { calls: [call('c', 'he')] }, { text: 'Done.' }],
        tools: [asking()],
        sendAutomaticallyWhen: undefined,
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      for (const at of [1, 0, 2]) {
        const { approval } = callsOf(chat.messages[1])[at]
        await chat.addToolApprovalResponse({ id: approval.id, approved: true })
        await chat.sendMessage()
        await rest()
        assert.equal(callsOf(chat.messages[1])[at].state, 'output-available')
      }
      assert.deepEqual(
        callsOf(chat.messages[1]).map(({ output }) => output),
        ['you said hi', 'you said ho', 'you said he'],
      )
      assert.equal(new Set(callsOf(chat.messages[1]).map(({ toolCallId }) => toolCallId)).size, 3)
      assert.deepEqual([told(chat.messages[1]).at(-1), server.requests.length], ['Done.', 3])
    })

    test('pageStore: a tool of the page, and a face', async (t) => {
      const { chat, posts, rest } = await served(t, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [echo({ execute: undefined, external: true })],
        onToolCall: ({ toolCall }) =>
          void chat.addToolOutput({
            tool: toolCall.toolName,
            toolCallId: toolCall.toolCallId,
            output: { said: toolCall.input.text },
          }),
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      assert.deepEqual(
        [told(chat.messages[1]), posts.length],
        [['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'], 2],
      )
    })

    for (const wire of ['anthropic', 'openai-responses', 'gemini']) {
      test(`pageStore: what ${wire} signed goes back to it as it was`, async (t) => {
        const answers = [
          { reasoning: 'I had better ask.', calls: [call('a', 'hi')] },
          { reasoning: 'That was it.', text: 'Done.' },
          { text: 'Yes.' },
        ]
        const { chat, server, rest } = await served(t, {
          answers,
          tools: [asking()],
          wire,
          ...(wire === 'anthropic'
            ? { run: { request: { max_tokens: 2000, thinking: { type: 'enabled', budget_tokens: 1024 } } } }
            : {}),
        })
        await chat.sendMessage({ text: 'Hello' })
        await rest()
        await chat.addToolApprovalResponse({ id: callsOf(chat.messages[1])[0].approval.id, approved: true })
        await rest()
        await chat.sendMessage({ text: 'Sure?' })
        await rest()
        assert.deepEqual(
          told(chat.messages[3]),
          ['|', 'Yes.'],
          'a server that refuses what it did not sign has taken it',
        )
        assert.equal(server.requests.length, 3)
      })
    }

    test('pageStore: calls as text go back as the model wrote them', async (t) => {
      const text = '<tool_call>\n{"name": "echo.back", "arguments": {"text": "hi"}}\n</tool_call>'
      const { chat, server, rest } = await served(t, {
        answers: [{ text }, { text: 'Done.' }],
        tools: [asking()],
        run: { mode: 'text', protocol: 'hermes' },
      })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      await chat.addToolApprovalResponse({ id: callsOf(chat.messages[1])[0].approval.id, approved: true })
      await rest()
      assert.deepEqual(
        told(chat.messages[1]).filter((one) => one !== '|'),
        ['echo.back: output-available', 'Done.'],
      )
      assert.ok(
        server.requests[1].body.messages.some(({ role, content }) => role === 'assistant' && content.includes(text)),
      )
    })

    test('pageStore: a new message while a question waits closes it, and nothing runs', async (t) => {
      let ran = 0
      const { chat, server, rest } = await served(t, {
        answers: [{ calls: [call('a', 'hi')] }, { calls: [call('b', 'ho')] }, { text: 'Yes.' }, { text: 'Again.' }],
        tools: [
          asking({
            execute: () => {
              ran++
            },
          }),
        ],
      })
      await chat.sendMessage({ text: 'One' })
      await chat.sendMessage({ text: 'Two' })
      await chat.sendMessage({ text: 'Three' })
      await chat.sendMessage({ text: 'Four' })
      await rest()
      assert.equal(ran, 0)
      const { messages } = server.requests[3].body
      assert.deepEqual(
        messages.map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool', 'user', 'assistant', 'tool', 'user', 'assistant', 'user'],
      )
      assert.deepEqual(messages.slice(0, 8), server.requests[2].body.messages)
    })

    test('pageStore: an answer that was stopped, another try, an edited message', async (t) => {
      const { chat, server, rest } = await served(t, {
        answers: [
          { parts: [{ text: 'It begins' }, { wait: 60_000 }] },
          { text: 'Two.' },
          { text: 'Three.' },
          { text: 'Four.' },
        ],
        tools: [],
        appendOnly: false,
      })
      const sent = chat.sendMessage({ text: 'Hello' })
      for (
        const end = Date.now() + 10_000;
        !chat.messages[1]?.parts.some(({ text }) => text === 'It begins') && Date.now() < end;
      )
        await new Promise((resolve) => setTimeout(resolve, 2))
      await chat.stop()
      await sent
      await chat.sendMessage({ text: 'Go on' })
      await rest()
      assert.deepEqual(told(chat.messages[3]), ['|', 'Two.'])
      await chat.regenerate()
      await rest()
      assert.deepEqual(told(chat.messages[3]), ['|', 'Three.'])
      await chat.sendMessage({ text: 'Good day', messageId: chat.messages[0].id })
      await rest()
      assert.deepEqual(
        [
          told(chat.messages[1]),
          chat.messages.length,
          server.requests.at(-1).body.messages.map(({ content }) => content),
        ],
        [['|', 'Four.'], 2, ['The secret word is plugh.', 'Good day']],
      )
    })

    test('pageStore: a page that lost the connection in the second leg gets the whole message', async (t) => {
      let goOn
      const gate = new Promise((resolve) => (goOn = resolve))
      const { server, engine } = await stage(t, {
        answers: [{ text: 'Well, ', calls: [call('a', 'hi')] }, { text: 'Done.' }],
        tools: [
          asking({
            execute: async () => {
              await gate
              return 'late'
            },
          }),
        ],
      })
      const handler = chatHandler(engine, {
        run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }),
        store: pageStore({ encryption, spend: memorySpend() }),
        authorize: () => true,
        onDisconnect: 'continue',
      })
      const { chat, rest } = await open(sdk, handler, { sendAutomaticallyWhen: both })
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      await chat.addToolApprovalResponse({ id: callsOf(chat.messages[1])[0].approval.id, approved: true })
      for (
        const end = Date.now() + 10_000;
        (await handler(new Request('http://app.test/api/chat/chat/stream'))).status !== 200 && Date.now() < end;
      );
      const other = await open(sdk, handler, { messages: structuredClone(chat.messages) })
      const resumed = other.chat.resumeStream()
      await new Promise((resolve) => setTimeout(resolve, 20))
      goOn()
      await resumed
      await Promise.all([rest(), other.rest()])
      assert.deepEqual(told(other.chat.messages[1]), ['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'])
      assert.deepEqual(told(chat.messages[1]), told(other.chat.messages[1]))
    })

    const released = (t) =>
      servedAnew(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [echo({ resultApproval: 'always' })],
        sendAutomaticallyWhen: both,
      })

    test('pageStore: a result waits encrypted until a person releases it', async (t) => {
      const { chat, server, posts, rest } = await released(t)
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      const { approval } = callsOf(chat.messages[1])[0]
      assert.deepEqual([approval.descriptor.sluice.stage, server.requests.length], ['result', 1])
      await chat.addToolApprovalResponse({ id: approval.id, approved: true })
      await rest()
      assert.deepEqual([callsOf(chat.messages[1])[0].output, posts.length], ['you said hi', 2])
    })

    test('pageStore: a result that waits, beside a call that asks, in the second leg of an answer; what is not let out stays in', async (t) => {
      let ran = 0
      const shown = (name, more) =>
        echo({
          name,
          resultApproval: 'always',
          execute: ({ text }) => {
            ran++
            return `${name} ${text}`
          },
          ...more,
        })
      const at = (id, name) => ({ id, name, arguments: { text: id } })
      const { chat, chunks, posts, server, rest } = await servedAnew(t, sdk, {
        answers: [
          { text: 'One. ', calls: [at('a', 'asks')] },
          { text: 'Two. ', calls: [at('b', 'shows'), at('c', 'asks'), at('d', 'shows')] },
          { text: 'Done.' },
          { text: 'Yes.' },
        ],
        tools: [
          shown('shows'),
          asking({
            name: 'asks',
            execute: ({ text }) => {
              ran++
              return `asked ${text}`
            },
          }),
        ],
        run: { execution: 'parallel' },
        sendAutomaticallyWhen: both,
      })
      const card = (id) => callsOf(chat.messages[1]).find(({ input }) => input.text === id)
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      await chat.addToolApprovalResponse({ id: card('a').approval.id, approved: true })
      await rest()
      assert.deepEqual(
        ['b', 'c', 'd'].map((id) => [card(id).state, card(id).approval.descriptor.sluice.stage]),
        [
          ['approval-requested', 'result'],
          ['approval-requested', 'execution'],
          ['approval-requested', 'result'],
        ],
      )
      assert.ok(
        !JSON.stringify(chat.messages[1].metadata).includes('shows b'),
        'the page has the result in the question alone',
      )
      for (const [id, approved] of [
        ['b', true],
        ['c', true],
        ['d', false],
      ])
        await chat.addToolApprovalResponse({ id: card(id).approval.id, approved })
      await rest()
      assert.deepEqual(
        ['a', 'b', 'c', 'd'].map((id) => [card(id).state, card(id).output]),
        [
          ['output-available', 'asked a'],
          ['output-available', 'shows b'],
          ['output-available', 'asked c'],
          ['output-denied', undefined],
        ],
      )
      assert.deepEqual(
        [ran, posts.length, server.requests.length, chat.messages.length, told(chat.messages[1]).at(-1)],
        [4, 3, 3, 2, 'Done.'],
      )
      const results = server.requests[2].body.messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => content)
      assert.deepEqual(
        [results.slice(0, 3), results[3].includes('shows d')],
        [['asked a', 'shows b', 'asked c'], false],
      )
      assert.ok(!JSON.stringify(chunks.filter(({ type }) => type !== 'tool-approval-request')).includes('shows d'))
      await chat.sendMessage({ text: 'Sure?' })
      await rest()
      assert.deepEqual(
        server.requests[3].body.messages
          .filter(({ role }) => role === 'tool')
          .map(({ content }) => content)
          .slice(0, 3),
        results.slice(0, 3),
        'and it is known later',
      )
    })

    test('pageStore: a new message while a result waits: the model reads that there is none', async (t) => {
      const { chat, server, rest } = await released(t)
      await chat.sendMessage({ text: 'Hello' })
      await rest()
      await chat.sendMessage({ text: 'Never mind.' })
      await rest()
      assert.deepEqual([told(chat.messages.at(-1)).at(-1), server.requests.length], ['Done.', 2])
      assert.ok(!JSON.stringify(server.requests[1].body).includes('you said hi'))
    })
  })
}
