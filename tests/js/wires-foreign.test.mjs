// The engine against a server of other hands, which has each wire in its own framing, and with the 429 of each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LLMock } from '@copilotkit/aimock'
import { Engine } from 'sluice'
import { cards } from './support.mjs'
import { ask, kept, names, tools, wires } from './wires-support.mjs'

const bases = {
  'openai-chat': '/v1',
  anthropic: '/v1',
  gemini: '/v1beta',
  'gemini-interactions': '/v1beta',
  'openai-responses': '/v1',
  ollama: '',
}

// This server ends an answer with calls by a word that Google does not have.
const finishReasons = { FUNCTION_CALL: 'good' }

async function foreign(t, options = {}) {
  const mock = new LLMock({ port: 0, logLevel: 'silent', strict: true, chunkSize: 5, ...options })
  t.after(() => mock.stop())
  const engine = new Engine({ tools: tools(), approvals: { execution: () => 'deny' } })
  t.after(() => engine.close())
  return { mock, engine }
}

for (const [wire, request] of Object.entries(wires)) {
  const modelAt = (mock) => ({
    wire,
    baseURL: mock.url + bases[wire],
    apiKey: 'key-of-a-test',
    name: names[wire] ?? 'scripted',
  })

  test(`${wire}: a foreign server is read, and takes what the engine sends back`, async (t) => {
    const { mock, engine } = await foreign(t)
    const toolCalls = [
      { name: 'weather_now', arguments: '{"city":"Paris"}', id: 'call_one' },
      { name: 'camera_look', arguments: '{}', id: 'call_two' },
    ]
    mock.on(
      { userMessage: 'How is the weather', hasToolResult: false },
      { reasoning: 'I ask.', reasoningSignature: 'c2lnbmF0dXJl', content: 'Let me see. ', toolCalls },
    )
    const last = { content: 'It is 21 degrees, größe 你好.' }
    mock.on({ userMessage: 'How is the weather', hasToolResult: true }, last)
    mock.onMessage('The images of the tool results', last) // where images stand in a message of their own
    mock.onMessage('Thanks', { content: 'Any time.' })
    await mock.start()
    const messages = ask([{ role: 'system', content: 'Be brief.' }], 'How is the weather?')
    const result = await engine.run({ model: modelAt(mock), messages, request, finishReasons }).done
    assert.deepEqual([result.outcome, result.text], ['completed', 'Let me see. It is 21 degrees, größe 你好.'])
    assert.deepEqual(
      cards(result).map(({ name, status, arguments: given }) => [name, status, given]),
      [
        ['weather.now', 'success', { city: 'Paris' }],
        ['camera.look', 'success', {}],
      ],
    )
    const next = await engine.run({
      model: modelAt(mock),
      messages: ask(kept(messages, result), 'Thanks!'),
      request,
      finishReasons,
    }).done
    assert.deepEqual([next.outcome, next.text], ['completed', 'Any time.'])
    assert.equal(mock.getRequests().length, 3)
  })

  test(`${wire}: a foreign 429 is waited for`, async (t) => {
    const { mock, engine } = await foreign(t)
    let count = 0
    mock.onMessage('Hello', () =>
      ++count === 1 ? { error: { message: 'Slow down.', type: 'rate_limit_error' }, status: 429 } : { content: 'Hi.' },
    )
    await mock.start()
    const { outcome, text } = await engine.run({
      model: modelAt(mock),
      messages: ask([], 'Hello'),
      request,
      retries: () => 5,
    }).done
    assert.deepEqual([outcome, text, count], ['completed', 'Hi.', 2])
  })
}
