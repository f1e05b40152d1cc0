// What of an answer goes back: to its own endpoint alone, and never in a form that a strict provider refuses.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { Engine, tool } from 'sluice'
import {
  checkAnthropic,
  checkGemini,
  checkGeminiInteractions,
  checkOpenAIChat,
  checkOllama,
  checkOpenAIResponses,
} from 'sluice/testing'

const checks = {
  'openai-chat': checkOpenAIChat,
  'openai-responses': checkOpenAIResponses,
  anthropic: checkAnthropic,
  gemini: (body) => checkGemini(body, 'm'),
  'gemini-interactions': (body) => checkGeminiInteractions(body),
  ollama: checkOllama,
}
const sse = (...events) => events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
const item = (index, value) => ({ type: 'response.output_item.done', output_index: index, item: value })
const block = (index, value) => [
  { type: 'content_block_start', index, content_block: value },
  { type: 'content_block_stop', index },
]
const step = (index, value) => [
  { event_type: 'step.start', index, step: value },
  { event_type: 'step.stop', index },
]
const chat = (delta, finish = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] })

/** An answer of each wire with a thought, a text and a call. */
const answers = {
  'openai-chat': sse(
    chat({ reasoning_content: 'Hm.' }),
    chat({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 's', index: 0 }] }),
    chat({ content: 'Hello.' }),
    chat({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] }),
    chat({}, 'tool_calls'),
  ),
  'openai-responses': sse(
    item(0, { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' }),
    item(1, {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
    }),
    item(2, { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{"a":1}', status: 'completed' }),
    { type: 'response.completed', response: { status: 'completed', output: [] } },
  ),
  anthropic: sse(
    { type: 'message_start', message: { id: 'm', content: [] } },
    ...block(0, { type: 'thinking', thinking: 'Hm.', signature: 's' }),
    ...block(1, { type: 'text', text: 'Hello.' }),
    ...block(2, { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ),
  gemini: sse({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'Hello.' },
            { functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
          ],
        },
        finishReason: 'STOP',
      },
    ],
  }),
  'gemini-interactions': sse(
    ...step(0, { type: 'thought', signature: 'c2ln', summary: [{ type: 'text', text: 'Hm.' }] }),
    ...step(1, { type: 'model_output', content: [{ type: 'text', text: 'Hello.' }] }),
    ...step(2, { type: 'function_call', id: 'c', name: 'f', arguments: { a: 1 } }),
    { event_type: 'interaction.completed', interaction: { status: 'requires_action' } },
  ),
  ollama:
    [
      { role: 'assistant', content: 'Hello.', thinking: 'Hm.' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: { name: 'f', arguments: { a: 1 } } }] },
    ]
      .map((message) => `${JSON.stringify({ model: 'm', message, done: false })}\n`)
      .join('') + '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
}

function engineOf(body, requests = []) {
  const transport = async (request) => {
    requests.push(JSON.parse(request.body))
    return new Response(requests.length === 1 ? body : '', { headers: { 'content-type': 'text/event-stream' } })
  }
  const f = tool({
    name: 'f',
    description: 'd',
    agentCallable: true,
    permission: 'public',
    parameters: { type: 'object', properties: { a: { type: 'integer' } } },
    execute: () => 'ok',
  })
  return new Engine({ transport, tools: [f] })
}

const user = { role: 'user', content: 'hello' }
const run = (engine, wire, messages, baseURL = 'http://one.invalid/v1') =>
  engine.run({ model: { wire, name: 'm', apiKey: 'k', baseURL }, messages, retries: 0 }).done

/** The body of the request that goes on from this conversation. */
async function nextRequest(wire, messages, baseURL) {
  const requests = []
  const engine = engineOf('', requests)
  await run(engine, wire, [...messages, user], baseURL)
  engine.close()
  return requests[0]
}

test('items go back to the base URL that they came from, and to no other', async () => {
  for (const wire of Object.keys(answers)) {
    const engine = engineOf(answers[wire])
    const done = await run(engine, wire, [user])
    engine.close()
    const native = done.history.find((message) => message.role === 'assistant').metadata.native
    assert.equal(native.endpoint, createHash('sha256').update('http://one.invalid/v1').digest('hex').slice(0, 16), wire)
    const kept = (body) => /Hm\.|rs_1|c2ln/.test(JSON.stringify(body))
    assert.equal(kept(await nextRequest(wire, [user, ...done.history])), true, wire)
    assert.equal(kept(await nextRequest(wire, [user, ...done.history], 'http://two.invalid/v1')), false, wire)
  }
})

const damage = ['[1]', '{"a":[]}', '7', '"x"']

test('a value of an answer that is damaged makes no later request unfit, on any wire', async () => {
  for (const [wire, good] of Object.entries(answers)) {
    // Ids of items are the server's own: which ones it takes, it knows.
    const values = [...good.matchAll(/"[^"\\]*"(?=[,}\]])|\[\]|\{\}/g)]
    for (const [at, value] of values.entries()) {
      const body =
        good.slice(0, value.index) +
        damage[(at + 3) % (/^"(msg|rs|fc)_/.test(value[0]) ? 3 : 4)] +
        good.slice(value.index + value[0].length)
      const engine = engineOf(body)
      const { history } = await run(engine, wire, [user])
      engine.close()
      for (const [next, check] of Object.entries(checks)) {
        const request = await nextRequest(next, [user, ...history])
        assert.equal(check(request), null, `${wire} to ${next}\n${body}\n${JSON.stringify(request)}`)
      }
    }
  }
})
