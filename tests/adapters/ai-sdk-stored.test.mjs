// Stored conversations as the messages of a page, for its first load, and a page's messages for the model: with the AI
// SDK's `Chat` of both majors.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { callsEcho, collect, echo, madeAnswer, stage } from '../js/support.mjs'
import { callsOf, chatStage, majors, open, told } from './chats.mjs'

const { chatHandler, toChatMessages, toUIMessages } = await built('sluice/ai-sdk')
const { memoryConversations } = await built('sluice/conversations')
const { Engine } = await built('sluice')
const { live2dTools } = await built('sluice/live2d')

const call = (id, text) => ({ id, name: 'echo_back', arguments: { text } })
const asking = (more) => echo({ permission: 'sensitive', ...more })
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** As JSON has it: what is undefined is not there. */
const plain = (value) => JSON.parse(JSON.stringify(value))
/** What a page has of a message, but for what its stream alone brings. */
const shown = ({ id, role, parts, metadata }) =>
  plain({
    id,
    role,
    metadata,
    parts: parts
      .filter(({ type }) => !type.startsWith('data-'))
      .map(({ rawInput, approval, ...part }) => {
        if (part.type === 'reasoning') delete part.id
        return {
          ...part,
          ...(part.state === 'approval-requested'
            ? { approval: { id: approval.id, descriptor: approval.descriptor } }
            : {}),
        }
      }),
  })

for (const [name, { load, skip }] of Object.entries(majors)) {
  describe(name, { skip: skip || false }, async () => {
    const sdk = skip ? undefined : await load()
    const both = ({ messages }) =>
      sdk.lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
      sdk.lastAssistantMessageIsCompleteWithApprovalResponses({ messages })
    const valid = async (messages) => assert.equal((await sdk.safeValidateUIMessages({ messages })).error, undefined)
    /** Another page, which has what the store gives. */
    const loaded = async ({ engine, store, handler }, more) => {
      const messages = await toUIMessages(engine, store, 'chat')
      await valid(messages)
      return await open(sdk, handler, { messages, sendAutomaticallyWhen: both, ...more })
    }

    test('sources and made pictures: the page has them as parts, one that is loaded has the same, and may ask on', async (t) => {
      const page = await chatStage(t, sdk, { answers: [{ parts: madeAnswer.parts }, { text: 'Yes.' }], tools: [] })
      await page.chat.sendMessage({ text: 'Draw' })
      await page.rest()
      const [, first] = page.chat.messages
      assert.deepEqual(plain(first.parts.slice(1)), [
        { type: 'text', text: 'Rain.', state: 'done' },
        {
          type: 'source-url',
          sourceId: `${first.id}:b0:s1`,
          url: madeAnswer.url,
          title: 'Oslo',
          providerMetadata: { sluice: { kind: 'web', start: 0, end: 4 } },
        },
        { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${madeAnswer.png}` },
      ])
      const { chat, rest } = await loaded(page)
      assert.deepEqual(shown(chat.messages[1]), shown(first))
      await chat.sendMessage({ text: 'Is it nice?' })
      await rest()
      assert.deepEqual(told(chat.messages[3]), ['|', 'Yes.'])
      assert.deepEqual(
        page.server.requests[1].body.messages.map(({ role }) => role),
        ['user', 'assistant', 'user'],
      )
    })

    test('a page that is loaded shows what the first one has', async (t) => {
      const tools = [
        echo(),
        ...live2dTools({ expressions: ['smile'] }),
        echo({
          name: 'fails',
          execute: () => {
            throw new Error('no luck')
          },
        }),
      ]
      const answers = [
        {
          parts: [
            { reasoning: 'Hm.' },
            { text: 'Look: ' },
            { call: { name: 'live2d_expression', arguments: { name: 'smile' } } },
            { text: 'I ask. ' },
            { calls: [call('a', 'hi'), { id: 'b', name: 'fails', arguments: { text: 'x' } }] },
          ],
        },
        { text: 'Done.', usage: { prompt_tokens: 5, completion_tokens: 7 } },
        { text: 'Two.' },
        { text: 'Three.' },
        { text: 'Four.' },
      ]
      const page = await chatStage(t, sdk, { answers, tools })
      await page.chat.sendMessage({
        text: 'What is this?',
        files: [
          { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${png}` },
          { type: 'file', mediaType: 'image/jpeg', url: 'https://example.com/cat.jpg' },
        ],
      })
      await page.chat.sendMessage({ text: 'And now?' })
      await page.chat.regenerate()
      await page.rest()
      const { chat, ...other } = await loaded(page)
      assert.deepEqual(chat.messages.map(shown).slice(1), page.chat.messages.map(shown).slice(1))
      const [first] = chat.messages
      assert.deepEqual(
        first.parts.filter(({ type }) => type === 'file').map(({ url }) => url),
        [`data:image/png;base64,${png}`, 'https://example.com/cat.jpg'],
      )
      assert.deepEqual(told(chat.messages.at(-1)), ['|', 'Three.'], 'the branch that is shown')
      chat.messages = chat.messages.slice(0, 1)
      await chat.regenerate()
      await other.rest()
      assert.deepEqual(
        [told(chat.messages[1]), page.server.requests.at(-1).body.messages.map(({ role }) => role)],
        [['|', 'Four.'], ['user']],
        'what was loaded can be asked anew',
      )
    })

    for (const [what, tools, check] of [
      ['may it run', [asking()], ['execution', undefined]],
      ['may its result be read', [echo({ resultApproval: 'always' })], ['result', 'you said hi']],
    ]) {
      test(`a question that is open, ${what}, is answered by the page that was loaded`, async (t) => {
        const page = await chatStage(t, sdk, { answers: [callsEcho, { text: 'Done.' }], tools })
        await page.chat.sendMessage({ text: 'Hello' })
        await page.rest()
        const { chat, posts, rest } = await loaded(page)
        assert.deepEqual(chat.messages.map(shown).slice(1), page.chat.messages.map(shown).slice(1))
        const [{ approval }] = callsOf(chat.messages[1])
        assert.deepEqual([approval.descriptor.sluice.stage, approval.descriptor.sluice.preview?.text], check)
        await chat.addToolApprovalResponse({ id: approval.id, approved: true })
        await rest()
        assert.deepEqual(
          [told(chat.messages[1]), posts.length, chat.messages.length],
          [['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'], 1, 2],
        )
        assert.deepEqual(
          (await toUIMessages(page.engine, page.store, 'chat')).map(shown).slice(1),
          chat.messages
            .map(shown)
            .map(({ parts, ...one }) => ({ ...one, parts: parts.map(({ approval: _, ...part }) => part) }))
            .slice(1),
        )
      })
    }

    test('a question is asked as it is now: the tool is another, or nobody decided in time', async (t) => {
      const page = await chatStage(t, sdk, { answers: [callsEcho, { text: 'Done.' }], tools: [asking()] })
      await page.chat.sendMessage({ text: 'Hello' })
      await page.rest()
      const engine = new Engine({ tools: [asking({ identity: 'version 2', execute: () => 'the new one' })] })
      t.after(() => engine.close())
      const { chat, posts, rest } = await loaded({ ...page, engine, handler: chatHandler(engine, page.options) })
      await chat.addToolApprovalResponse({ id: callsOf(chat.messages[1])[0].approval.id, approved: true })
      await rest()
      assert.deepEqual(
        [callsOf(chat.messages[1])[0].output, posts.length],
        ['the new one', 1],
        'the page saw the new one',
      )

      const late = await chatStage(t, sdk, { answers: [callsEcho], tools: [asking()], run: { approvalTimeoutMs: 20 } })
      await late.chat.sendMessage({ text: 'Hello' })
      await late.rest()
      await new Promise((resolve) => setTimeout(resolve, 40))
      assert.equal(callsOf((await loaded(late)).chat.messages[1])[0].state, 'output-error')
    })

    test('a tool of the page that was not run goes on in the page that was loaded', async (t) => {
      const page = await chatStage(t, sdk, {
        answers: [callsEcho, { text: 'Done.' }],
        tools: [echo({ execute: undefined, external: true })],
      })
      await page.chat.sendMessage({ text: 'Hello' })
      await page.rest()
      const { chat, posts, rest } = await loaded(page)
      const [{ toolCallId, state }] = callsOf(chat.messages[1])
      assert.equal(state, 'input-available')
      await chat.addToolOutput({ tool: 'echo.back', toolCallId, output: 'late' })
      await rest()
      assert.deepEqual([told(chat.messages[1]).at(-1), posts.length], ['Done.', 1])
    })

    test('an answer that is being written comes by resuming, behind what was loaded', async (t) => {
      let goOn
      const gate = new Promise((resolve) => (goOn = resolve))
      const page = await chatStage(t, sdk, {
        answers: [callsEcho, { parts: [{ text: 'Do' }, { wait: gate }, { text: 'ne.' }] }],
        tools: [asking()],
        handler: { onDisconnect: 'continue' },
        sendAutomaticallyWhen: both,
      })
      await page.chat.sendMessage({ text: 'Hello' })
      await page.rest()
      void page.chat.addToolApprovalResponse({ id: callsOf(page.chat.messages[1])[0].approval.id, approved: true })
      for (const end = Date.now() + 10_000; !told(page.chat.messages[1]).includes('Do') && Date.now() < end; )
        await new Promise((resolve) => setTimeout(resolve, 2))
      const { chat, posts, rest } = await loaded(page)
      assert.equal(callsOf(chat.messages[1])[0].state, 'output-available', 'the store has what came before the request')
      const resumed = chat.resumeStream()
      goOn()
      await resumed
      await Promise.all([rest(), page.rest()])
      assert.deepEqual(
        [told(chat.messages[1]), posts.length],
        [['|', 'Well, ', 'echo.back: output-available', '|', 'Done.'], 1],
      )
    })

    test("a page's messages for the model: as the engine told them, and open calls are taken up", async (t) => {
      const page = await chatStage(t, sdk, {
        answers: [
          { text: 'I ask. ', calls: [call('a', 'hi'), call('b', 'ho')] },
          { text: 'Done.' },
          { text: 'More. ', calls: [call('c', 'he')] },
        ],
        tools: [asking()],
        sendAutomaticallyWhen: both,
      })
      const { chat, server, rest } = page
      await chat.sendMessage({
        text: 'Hello',
        files: [{ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${png}` }],
      })
      await rest()
      const [one, two] = callsOf(chat.messages[1])
      await chat.addToolApprovalResponse({ id: one.approval.id, approved: true })
      await chat.addToolApprovalResponse({ id: two.approval.id, approved: false, reason: 'not now' })
      await rest()
      await chat.sendMessage({ text: 'Again' })
      await rest()
      const messages = toChatMessages(chat.messages)
      const bare = (list) =>
        list.map(({ role, content, tool_calls: calls }) => [
          role,
          role === 'tool' && /not now/.test(content) ? 'refused' : content,
          calls?.map(({ function: { name, arguments: args } }) => [name.replace('_', '.'), JSON.parse(args)]),
        ])
      assert.deepEqual(bare(messages.slice(0, -1)), bare(server.requests[2].body.messages))
      const again = await stage(t, { answers: [{ text: 'Fine.' }], tools: [echo()] })
      const run = again.run({ messages, rules: [{ tool: 'echo.back', effect: 'ask' }] })
      const events = await collect(run, (event) => {
        if (event.type === 'approval') run.approve(event)
      })
      assert.deepEqual(
        [
          events.filter(({ type }) => type === 'approval').length,
          (await run.done).text,
          again.server.requests[0].body.messages.at(-1).content,
        ],
        [1, 'Fine.', 'you said he'],
      )
    })

    test('there is nothing, or nothing that is shown', async (t) => {
      const { engine } = await stage(t, { answers: [], tools: [] })
      const store = memoryConversations()
      assert.deepEqual(await toUIMessages(engine, store, 'none'), [])
      await store.save('a', {
        entries: [
          { id: 'f', parent: null, at: 1, role: 'user', text: 'Speak first.', first: true },
          {
            id: 'g',
            parent: 'f',
            at: 2,
            role: 'assistant',
            message: {
              role: 'assistant',
              outcome: 'completed',
              rounds: 1,
              blocks: [{ type: 'text', text: 'Hi!', round: 1 }],
            },
            history: [],
          },
        ],
      })
      assert.deepEqual((await toUIMessages(engine, store, 'a')).map(told), [['|', 'Hi!']])
      await assert.rejects(toUIMessages({}, store, 'a'), { path: 'engine' })
      await assert.rejects(toUIMessages(engine, {}, 'a'), { path: 'store' })
      await assert.rejects(toUIMessages(engine, store, 'a', { dynamic: 1 }), { path: 'dynamic' })
      assert.throws(() => toChatMessages('x'), { path: 'messages' })
      assert.throws(() => toChatMessages([{ id: 'a', role: 'user', parts: [7] }]), { path: 'messages' })
    })
  })
}
