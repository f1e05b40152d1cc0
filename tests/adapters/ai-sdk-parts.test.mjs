// What the page gets of a turn, part by part, in `Chat` of both majors: calls that fail in every way, results of every
// kind, what only `onData` sees.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { callsEcho, echo } from '../js/support.mjs'
import { callsOf, chatStage, majors, told, typesOf } from './chats.mjs'

const { decide } = await built('sluice/ai-sdk/client')
const { resultParts } = await built('sluice')

const call = (id, text, name = 'echo_back') => ({ id, name, arguments: { text } })
const done = { text: 'Done.' }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

for (const [name, { load, skip }] of Object.entries(majors)) {
  describe(name, { skip: skip || false }, async () => {
    const sdk = skip ? undefined : await load()
    const both = ({ messages }) =>
      sdk.lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
      sdk.lastAssistantMessageIsCompleteWithApprovalResponses({ messages })
    const asked = async (t, options) => {
      const page = await chatStage(t, sdk, { sendAutomaticallyWhen: both, ...options })
      await page.chat.sendMessage({ text: 'Hello' })
      await page.rest()
      assert.equal((await sdk.safeValidateUIMessages({ messages: page.chat.messages })).error, undefined)
      return { ...page, calls: callsOf(page.chat.messages[1]) }
    }

    test('calls that end in every way: the part says what the model is told', async (t) => {
      const tools = [
        echo(),
        echo({
          name: 'fails',
          execute: () => {
            throw new Error('no luck')
          },
        }),
        echo({ name: 'slow', timeoutMs: 20, execute: () => new Promise(() => {}) }),
        echo({ name: 'forbidden', permission: 'public' }),
      ]
      const answers = [
        {
          calls: [
            call('a', 'x', 'fails'),
            call('b', 'x', 'slow'),
            call('c', 'x', 'nowhere'),
            { id: 'd', name: 'echo_back', arguments: { text: 7 } },
            call('e', 'x', 'forbidden'),
          ],
        },
        done,
      ]
      const { calls, posts, server } = await asked(t, {
        answers,
        tools,
        run: { rules: [{ tool: 'forbidden', effect: 'deny' }] },
      })
      assert.deepEqual(
        calls.map(({ type, state }) => [type, state]),
        ['fails', 'slow', 'nowhere', 'echo.back', 'forbidden'].map((name) => [`tool-${name}`, 'output-error']),
      )
      const results = server.requests[1].body.messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => content)
      assert.deepEqual(
        calls.map(({ errorText }) => errorText),
        results,
      )
      assert.equal(posts.length, 1)
    })

    test('results: an object, a list, a text, pictures; JSON that is a text stays one', async (t) => {
      const tools = [
        echo({ name: 'object', execute: () => ({ n: 1 }) }),
        echo({ name: 'list', execute: () => [1, 2] }),
        echo({ name: 'text', execute: () => '42' }),
        echo({
          name: 'picture',
          execute: () =>
            resultParts({ type: 'text', text: 'Look' }, { type: 'image', mediaType: 'image/png', data: png }),
        }),
      ]
      const { calls, posts } = await asked(t, {
        answers: [{ calls: ['object', 'list', 'text', 'picture'].map((name) => call(name, 'x', name)) }, done],
        tools,
      })
      assert.deepEqual(
        calls.slice(0, 3).map(({ output }) => output),
        [{ n: 1 }, [1, 2], '42'],
      )
      assert.deepEqual(calls[3].output, [
        { type: 'text', text: 'Look' },
        { type: 'image', mediaType: 'image/png', data: png },
      ])
      assert.equal(posts.length, 1)
    })

    test('arguments come in pieces where they are JSON, and whole where the model writes them otherwise', async (t) => {
      const vcp =
        '<<<[TOOL_REQUEST]>>>\ntool_name:「始」echo.back「末」,\ntext:「始」hi there「末」\n<<<[END_TOOL_REQUEST]>>>'
      const hermes = '<tool_call>\n{"name": "echo.back", "arguments": {"text": "hi there"}}\n</tool_call>'
      for (const [protocol, text, pieces] of [
        ['vcp', vcp, 0],
        ['hermes', hermes, 1],
      ]) {
        const { chunks, calls } = await asked(t, {
          answers: [{ text }, done],
          tools: [echo()],
          run: { mode: 'text', protocol },
        })
        assert.deepEqual([calls[0].input, calls[0].output], [{ text: 'hi there' }, 'you said hi there'], protocol)
        assert.equal(
          chunks.filter(({ type }) => type === 'tool-input-delta').length >= pieces &&
            (pieces > 0 || !typesOf(chunks).includes('tool-input-delta')),
          true,
          protocol,
        )
      }
    })

    test('an edited call has its new arguments before its result', async (t) => {
      const page = await asked(t, {
        answers: [callsEcho, done],
        tools: [echo({ permission: 'sensitive', description: 'Says it again.' })],
      })
      const [{ approval }] = page.calls
      if (name === 'ai 7') assert.equal(approval.requestReason, 'Says it again.')
      page.chunks.length = 0
      await decide(page.chat, approval.id, { approved: true, arguments: { text: 'ho' } })
      await page.rest()
      const ofCall = page.chunks.filter(({ toolCallId }) => toolCallId)
      assert.deepEqual(
        ofCall.map(({ type, input, output }) => [type, input ?? output]),
        [
          ['tool-input-available', { text: 'ho' }],
          ['tool-output-available', 'you said ho'],
        ],
      )
      assert.deepEqual(
        typesOf(page.chunks).filter((type) => /step|start$|finish/.test(type)),
        ['start', 'start-step', 'text-start', 'finish-step', 'finish'],
        'outputs first, then the next step',
      )
    })

    test('what is remembered for the turn is not asked again', async (t) => {
      const page = await asked(t, {
        answers: [{ calls: [call('a', 'hi')] }, { calls: [call('b', 'ho')] }, done],
        tools: [echo({ permission: 'moderate' })],
      })
      await decide(page.chat, page.calls[0].approval.id, { approved: true, remember: 'turn' })
      await page.rest()
      assert.deepEqual(told(page.chat.messages[1]), [
        '|',
        'echo.back: output-available',
        '|',
        'echo.back: output-available',
        '|',
        'Done.',
      ])
      assert.deepEqual(
        [page.posts.length, page.chunks.filter(({ type }) => type === 'tool-approval-request').length],
        [2, 1],
      )
    })

    test('progress and diagnostics are for onData alone', async (t) => {
      const tools = [
        echo({
          execute: async (_, { progress }) => {
            progress('half')
            return 'ok'
          },
        }),
      ]
      const wrong = {
        text: '<<<[TOOL_REQUEST]>>>\ntool_name:「始」echo.back「末」,\ntext:「始」ho「末」\n<<<[END_TOOL_REQUEST]>>>',
        calls: [call('a', 'hi')],
      }
      const { chat, calls, data } = await asked(t, {
        answers: [wrong, done],
        tools,
        handler: { sendDiagnostics: true },
      })
      assert.deepEqual(
        data.filter(({ type }) => type === 'data-sluice-progress').map(({ id, data }) => [id, data]),
        [[calls[0].toolCallId, { text: 'half' }]],
      )
      assert.deepEqual(
        data.filter(({ type }) => type === 'data-sluice-diagnostic').map(({ data: { code } }) => code),
        ['text_call_in_native_mode'],
      )
      assert.ok(chat.messages[1].parts.every(({ type }) => !type.startsWith('data-')))
      const silent = await asked(t, { answers: [wrong, done], tools: [echo()] })
      assert.deepEqual(silent.data, [])
    })

    test('reasoning can be kept from the page', async (t) => {
      const { chat } = await asked(t, {
        answers: [{ reasoning: 'Hm.', text: 'Yes.' }],
        tools: [],
        handler: { sendReasoning: false },
      })
      assert.deepEqual(told(chat.messages[1]), ['|', 'Yes.'])
    })

    test('a page that fails to run its tool says so', async (t) => {
      const { chat, calls, posts, server, rest } = await asked(t, {
        answers: [callsEcho, done],
        tools: [echo({ execute: undefined, external: true })],
      })
      await chat.addToolOutput({
        tool: 'echo.back',
        toolCallId: calls[0].toolCallId,
        state: 'output-error',
        errorText: 'the page has no voice',
      })
      await rest()
      assert.deepEqual(
        [told(chat.messages[1]), posts.length],
        [['|', 'Well, ', 'echo.back: output-error', '|', 'Done.'], 2],
      )
      assert.match(server.requests[1].body.messages.at(-1).content, /the page has no voice/)
    })

    test('an answer that ends on calls, stopped or failed, is not sent by the page again', async (t) => {
      const running = await chatStage(t, sdk, {
        answers: [callsEcho],
        tools: [
          echo({
            execute: (_, { signal }) =>
              new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
          }),
        ],
        sendAutomaticallyWhen: both,
      })
      const sent = running.chat.sendMessage({ text: 'Hello' })
      for (
        const end = Date.now() + 10_000;
        running.chat.messages[1]?.parts.at(-1)?.state !== 'input-available' && Date.now() < end;
      )
        await new Promise((resolve) => setTimeout(resolve, 2))
      await running.handler(new Request('http://app.test/api/chat/chat/stop', { method: 'POST' }))
      await sent
      await running.rest()
      assert.deepEqual([callsOf(running.chat.messages[1])[0].state, running.posts.length], ['output-error', 1])

      const failed = await asked(t, {
        answers: [callsEcho, { status: 400, error: 'no more' }],
        tools: [echo()],
        run: { retries: 0 },
      })
      assert.deepEqual(
        [failed.chat.status, failed.posts.length, failed.errors.length, failed.chunks.at(-1).type],
        ['error', 1, 1, 'error'],
      )
    })

    test('an error that does not fail the turn is a part of the message', async (t) => {
      const { chat, posts, errors } = await asked(t, {
        answers: [callsEcho, callsEcho],
        tools: [echo()],
        run: { maxRounds: 1, forceFinalAnswer: false },
      })
      const [, { parts: pieces, metadata }] = chat.messages
      const [{ data }] = pieces.filter(({ type }) => type === 'data-sluice-error')
      assert.deepEqual(
        [data.code, metadata.sluice.outcome, chat.status, posts.length, errors.length],
        ['max_rounds', 'limit', 'ready', 1, 0],
      )
    })
  })
}
