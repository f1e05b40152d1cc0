// Where nested cards are read beside the engine: stored pictures, exports, the words of questions, durable turns and the
// handlers of clients.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { chatHandler } from 'sluice/ai-sdk'
import { memoryConversations, withoutPictures, withPictures } from 'sluice/conversations'
import { built } from './dist.mjs'
import { approve, hello, serverOf, turnsOf, until } from './durable-support.mjs'
import { echo } from './support.mjs'

const { questionLines, questionWords } = await built('question')
const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }
const card = (call, more) => ({
  type: 'tool_use',
  call,
  name: `tool${call}`,
  status: 'success',
  arguments: {},
  ...more,
})
const entry = {
  id: 'a',
  parent: null,
  at: 0,
  role: 'assistant',
  message: {
    role: 'assistant',
    rounds: 1,
    blocks: [card(1, { nested: [card(2, { parts: [image], nested: [card(3, { parts: [image] })] })] })],
  },
}

test('pictures in results of nested calls are stored beside the entry, and come back whole', async () => {
  const { entry: kept, blobs } = withoutPictures(entry)
  assert.equal(blobs.length, 1)
  assert.doesNotMatch(JSON.stringify(kept), /iVBOR/)
  const bytes = new Map(blobs.map(({ ref, bytes }) => [ref, bytes]))
  assert.deepEqual(await withPictures(kept, async (ref) => bytes.get(ref) ?? null), entry)
})

test('an exported conversation has nested calls below their callers', async () => {
  const store = memoryConversations()
  await store.save('c', { entries: [{ ...entry, id: 'a' }] })
  assert.match(
    await store.export('c', 'markdown'),
    /^> tool1\(\{\}\): success\n> > tool2\(\{\}\): success\n> > > tool3/m,
  )
})

test('a question says which tool asks, and which one would read the result, in both languages', () => {
  const sentence = (lang, request) =>
    questionLines(
      { name: 'fs.read', arguments: {}, parent: { call: 1, name: 'script.run' }, ...request },
      questionWords[lang],
      { lang, name: 'Lulu' },
    )[0]
      .runs.map(({ text }) => text)
      .join('')
  const result = { stage: 'result', preview: { text: 'x', isError: false }, reader: { model: 'm' } }
  assert.equal(sentence('en', { stage: 'execution' }), 'script.run wants to use fs.read.')
  assert.equal(sentence('zh', { stage: 'execution' }), 'script.run想使用fs.read。')
  assert.equal(sentence('en', result), 'script.run wanted to use fs.read, and has the result. May script.run see it?')
  assert.equal(sentence('zh', result), 'script.run想使用fs.read，结果已经有了。可以给script.run看吗？')
})

const once = ({ body }) =>
  body.messages.some(({ role }) => role === 'tool')
    ? { text: 'Done.' }
    : { calls: [{ id: 'a', name: 'script_run', arguments: {} }] }
/** A tool that calls `name`. `said`: what came of it. */
const script = (name, said) =>
  tool({
    name: 'script.run',
    permission: 'public',
    agentCallable: true,
    execute: async (_, { call }) => {
      const made = call(name, { text: 'x' })
      said.push(await made.catch(({ code, detail }) => [code, detail]))
      return 'ran'
    },
  })
const outside = () => echo({ name: 'page', execute: undefined, external: true })

test('a durable turn: an approver decides about a nested call, an outside result is accepted for one', async (t) => {
  const server = await serverOf(t, once)
  for (const [name, tools] of [
    ['echo.back', [echo({ permission: 'sensitive', identity: '1' })]],
    ['page', [outside()]],
  ]) {
    const said = []
    const turns = turnsOf(t, server, { tools: [script(name, said), ...tools] })
    turns.work({ sweepMs: 20 })
    const id = await turns.start({ messages: hello })
    if (name === 'echo.back') {
      const question = await until(async () => (await turns.status(id)).questions[0], 'the question')
      assert.deepEqual(question.parent, { call: 1, name: 'script.run' })
      const [{ status, nested }] = (await turns.status(id)).message.blocks
      assert.deepEqual([status, nested[0].status], ['executing', 'awaiting_approval'])
      assert.deepEqual(await turns.decide(id, approve(question, { by: 'ann' })), 'accepted')
    } else {
      const nested = await until(
        async () => (await turns.status(id)).message.blocks[0]?.nested?.find(({ status }) => status === 'executing'),
        'the nested call',
      )
      assert.equal(await turns.result(id, { call: nested.call, digest: nested.digest }, { value: 'x' }), 'accepted')
    }
    const { message } = await until(async () => {
      const status = await turns.status(id)
      return status.phase === 'done' && status
    }, 'the end')
    const [nested] = message.blocks[0].nested
    assert.equal(nested.status, 'success')
    if (name === 'echo.back') assert.equal(nested.approvals[0].who, 'ann')
    assert.deepEqual(said, [name === 'page' ? 'x' : 'you said x'])
  }
})

test('chatHandler: a nested call that needs a person, or a tool of the client, is denied at once', async (t) => {
  const server = await serverOf(t, once)
  for (const [name, made, reason] of [
    ['echo.back', echo({ permission: 'sensitive' }), /no_approver/],
    ['page', outside(), /the client runs this tool/],
  ]) {
    const said = []
    const engine = new Engine({ tools: [script(name, said), made] })
    t.after(() => engine.close())
    const model = { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' }
    const handler = chatHandler(engine, { store: memoryConversations(), authorize: () => true, run: () => ({ model }) })
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }]
    const body = JSON.stringify({ id: name, messages })
    const text = await (await handler(new Request('http://app.test/api', { method: 'POST', body }))).text()
    assert.match(text, /"finish"/)
    assert.equal(said[0][0], 'denied')
    assert.match(said[0][1], reason)
  }
})
