// Bodies that come in the smallest of pieces: a buffer of its own for each costs a hundred times its length, so that no
// limit of bytes would hold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { memoryConversations } from 'sluice/conversations'
import { openAIHandler, textToolCalls } from 'sluice/openai'
import { ask, readStream, streamOf, wholeOf } from './openai-support.mjs'
import { stage } from './support.mjs'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const PIECES = 50_000
/** A sixth of what as many small buffers take. */
const MOST = 1_500_000

/** A body of one-byte pieces, `head` first and `tail` last, which notes what is held when all but the tail has come. */
function inPieces(head, filling, tail) {
  const held = { bytes: 0 }
  const [first, last] = [head, tail].map((text) => new TextEncoder().encode(text))
  let at = 0
  let before
  const body = new ReadableStream(
    {
      async pull(controller) {
        if (at === 0) before = inUse()
        if (at < first.length) controller.enqueue(first.slice(at, at + 1))
        else if (at < first.length + PIECES) controller.enqueue(new TextEncoder().encode(filling))
        else if (at === first.length + PIECES) {
          held.bytes = inUse() - before
          controller.enqueue(last)
        } else controller.close()
        at++
      },
    },
    { highWaterMark: 0 },
  )
  return { body, held }
}

function inUse() {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const light = ({ bytes }, what) => assert.ok(bytes < MOST, `${what}: ${bytes} bytes are held of ${PIECES}`)
const whole = wholeOf('x')
const [begin, end] = whole.split('"x"')

test("answers of a model's server: an event, a whole one, one where a stream was asked for", async () => {
  const cases = {
    event: [streamOf('').replace('"content":""', '"content":"\u0000"').split('\u0000'), true],
    whole: [[`${begin}"`, `"${end}`], false],
    'whole as a stream': [[`${begin}"`, `"${end}`], true],
  }
  for (const [what, [[head, tail], stream]] of Object.entries(cases)) {
    const { body, held } = inPieces(head, 'x', tail)
    const response = await ask(textToolCalls({ protocol: 'hermes', fetch: async () => new Response(body) }), { stream })
    const content = stream
      ? readStream(await response.text()).content
      : (await response.json()).choices[0].message.content
    assert.equal(content.length, PIECES, what)
    light(held, what)
  }
})

test('requests: of a client of OpenAI, of a chat, of AG-UI', async (t) => {
  const { engine } = await stage(t, { answers: [] })
  const options = {
    run: () => ({ model: { baseURL: 'http://127.0.0.1:1/v1', name: 'm' }, retries: 0 }),
    store: memoryConversations(),
    authorize: () => false,
  }
  const handlers = {
    openAIHandler: openAIHandler({ baseURL: 'http://model.test/v1', fetch: async () => new Response(whole) }),
    chatHandler: chatHandler(engine, options),
    agUIHandler: agUIHandler(engine, options),
  }
  const text = JSON.stringify({
    id: 'chat',
    threadId: 'chat',
    runId: 'r',
    messages: [{ id: 'm1', role: 'user', content: 'Hi', parts: [{ type: 'text', text: 'Hi' }] }],
    filling: '\u0001',
  })
  const [head, tail] = text.split('\\u0001')
  for (const [what, handler] of Object.entries(handlers)) {
    const { body, held } = inPieces(head, 'x', tail)
    const { status } = await handler(
      new Request('http://app.test/v1/chat/completions', { method: 'POST', body, duplex: 'half' }),
    )
    assert.equal(status, what === 'openAIHandler' ? 200 : 403, what)
    light(held, what)
  }
})
