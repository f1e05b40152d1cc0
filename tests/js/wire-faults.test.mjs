// What goes wrong on a wire, over HTTP: it is told in the same way on each, and the key goes where it belongs and
// nowhere else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, SluiceError } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { callsEcho, cards, collect, echo, ofType } from './support.mjs'

const KEY = 'sk-abcdefgh1234ijklmnop'
const messages = [{ role: 'user', content: 'Hello' }]
const keyHeaders = {
  'openai-chat': 'authorization',
  'openai-responses': 'authorization',
  anthropic: 'x-api-key',
  gemini: 'x-goog-api-key',
  'gemini-interactions': 'x-goog-api-key',
  ollama: 'authorization',
}

/** Members of `request` that another wire has, and what this one calls them. */
const foreign = {
  'openai-chat': [
    ['generationConfig', {}, /gemini/],
    ['max_output_tokens', 5, /max_tokens|max_completion_tokens/],
  ],
  'openai-responses': [
    ['max_tokens', 5, /max_output_tokens/],
    ['response_format', {}, /text\.format/],
  ],
  anthropic: [
    ['max_completion_tokens', 5, /max_tokens/],
    ['stop', ['x'], /stop_sequences/],
    ['generationConfig', {}, /gemini/],
  ],
  gemini: [
    ['max_tokens', 5, /generationConfig\.maxOutputTokens/],
    ['temperature', 1, /generationConfig\.temperature/],
  ],
  'gemini-interactions': [
    ['max_tokens', 5, /generation_config\.max_output_tokens/],
    ['generationConfig', { temperature: 1 }, /generation_config\.temperature/],
  ],
  ollama: [
    ['max_tokens', 5, /options\.num_predict/],
    ['response_format', {}, /format/],
  ],
}

for (const wire of Object.keys(keyHeaders)) {
  const prepare = async (t, answers, options = {}) => {
    const engine = new Engine({ tools: [echo()], retries: 0 })
    const server = await startScriptedServer({ answers, ...options })
    t.after(async () => {
      engine.close()
      await server.close()
    })
    const model = { wire, baseURL: server.baseURLs[wire], name: 'scripted', apiKey: KEY }
    return { server, model, run: (more = {}) => engine.run({ model, messages, ...more }) }
  }

  test(`${wire}: a call, its result, the next question, and the key in its header`, async (t) => {
    const stage = await prepare(t, [callsEcho, { text: 'Done.' }, { reasoning: 'Hm.', text: 'Again.' }])
    const { server, run } = stage
    const first = await run().done
    assert.deepEqual([first.outcome, first.text, first.error], ['completed', 'Well, Done.', undefined])
    assert.equal(cards(first)[0].output, 'you said hi')
    const next = await run({ messages: [...messages, ...first.history, { role: 'user', content: 'And now?' }] }).done
    assert.deepEqual([next.outcome, next.text, next.error], ['completed', 'Again.', undefined])
    for (const { headers } of server.requests) assert.match(headers[keyHeaders[wire]], new RegExp(`^(Bearer )?${KEY}$`))
    assert.equal(server.requests.length, 3)
  })

  test(`${wire}: an answer of nothing but calls is whole, and is not asked for again`, async (t) => {
    const stage = await prepare(t, [{ calls: callsEcho.calls }, { text: 'Done.' }])
    const events = await collect(stage.run({ retries: 2 }))
    assert.deepEqual(ofType(events, 'retry'), [])
    assert.equal(events.at(-1).outcome, 'completed')
    assert.equal(stage.server.requests.length, 2)
  })

  test(`${wire}: a body that ends before anything was said is asked for again`, async (t) => {
    const { run, server } = await prepare(t, [{ text: 'Whole.' }])
    const cut = [
      new Response(wire === 'ollama' ? '{"model":"m","mess' : 'data: {"a', {
        headers: { 'content-type': 'text/event-stream' },
      }),
    ]
    const transport = ({ url, ...request }, signal) => cut.pop() ?? fetch(url, { ...request, signal })
    const events = await collect(run({ retries: () => 0, transport }))
    assert.equal(ofType(events, 'retry').length, 1)
    assert.equal(
      ofType(events, 'text')
        .map(({ text }) => text)
        .join(''),
      'Whole.',
    )
    assert.equal(server.requests.length, 1)
  })

  test(`${wire}: what a provider refuses is told with its words, the status and what to do, without the key`, async (t) => {
    const stage = await prepare(t, [
      { status: 401, error: `key ${KEY} is not known` },
      { status: 404, error: 'model scripted not found' },
      { status: 400, error: 'no such thing' },
    ])
    for (const [status, words, hint] of [
      [401, /key \[secret\] is not known/, /check the key/],
      [404, /model scripted not found/, /name of the model/],
      [400, /no such thing/],
    ]) {
      const { outcome, error } = await stage.run().done
      assert.deepEqual([outcome, error.status], ['failed', status])
      assert.match(error.detail, words)
      if (hint) assert.match(error.hint, hint)
      assert.ok(!JSON.stringify(error).includes(KEY))
    }
    const lost = await stage.run({ model: { ...stage.model, path: '/nothing/here' } }).done
    assert.deepEqual([lost.error.status, /base URL and the path/.test(lost.error.hint)], [404, true], lost.error.detail)
    const page = await stage.run({
      transport: async () =>
        new Response('<html><title>Sign in</title></html>', { headers: { 'content-type': 'text/html' } }),
    }).done
    assert.match(page.error.detail, /is not .*: Sign in/)
    assert.match(page.error.hint, /base URL and the path/)
  })

  test(`${wire}: beforeRequest sees the conversation of the body, and may give back another`, async (t) => {
    const stage = await prepare(t, [{ text: 'Done.' }])
    const { run, server } = stage
    const earlier = [{ role: 'user', content: 'Old.' }, { role: 'assistant', content: 'Older.' }, ...messages]
    const seen = []
    const beforeRequest = ({ messages }) => {
      seen.push(messages.length)
      return { messages: messages.slice(-1) }
    }
    assert.equal((await run({ messages: earlier, beforeRequest }).done).outcome, 'completed')
    assert.deepEqual(seen, [3])
    const { body } = server.requests[0]
    assert.equal((body.messages ?? body.input ?? body.contents).length, 1)
    assert.match(JSON.stringify(body), /Hello/)
  })

  test(`${wire}: a busy server is asked again after the time it names`, async (t) => {
    const stage = await prepare(t, [
      { status: 429, error: 'slow down', headers: { 'retry-after-ms': '3' } },
      { text: 'Now.' },
    ])
    const events = await collect(stage.run({ retries: 1 }))
    assert.deepEqual(
      ofType(events, 'retry').map(({ status, delayMs }) => [status, delayMs]),
      [[429, 3]],
    )
    assert.equal(events.at(-1).outcome, 'completed')
  })

  test(`${wire}: a member of another provider is refused by its path, with its name here`, () => {
    const engine = new Engine()
    try {
      for (const [member, value, words] of foreign[wire]) {
        assert.throws(
          () =>
            engine.run({
              model: { wire, baseURL: 'http://127.0.0.1:9', name: 'm' },
              messages,
              request: { [member]: value },
            }),
          (error) => {
            assert.ok(SluiceError.is(error))
            assert.equal(error.code, 'option')
            assert.ok(error.path.startsWith(`request.${member}`), error.path)
            assert.match(error.message, words)
            return true
          },
        )
      }
    } finally {
      engine.close()
    }
  })
}
