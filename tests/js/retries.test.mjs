import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { Engine } from 'sluice'
import { callsEcho, collect, echo, ofType, stage } from './support.mjs'

const busy = { status: 503, error: 'overloaded', headers: { 'retry-after-ms': '5' } }

test('a wait that is longer than a timer can wait does not end at once', async (t) => {
  const { server, run } = await stage(t, {
    answers: [{ ...busy, headers: { 'retry-after': '2592000' } }, { text: 'Now.' }],
  })
  const waits = t.mock.method(globalThis, 'setTimeout')
  const turn = run({ retries: ({ retryAfterMs }) => retryAfterMs, firstByteTimeoutMs: 0 })
  const events = await collect(turn, ({ type }) => type === 'retry' && setImmediate(() => turn.cancel()))
  assert.deepEqual(
    ofType(events, 'retry').map(({ delayMs }) => delayMs),
    [30 * 86_400_000],
  )
  assert.equal(server.requests.length, 1)
  assert.deepEqual(
    waits.mock.calls.map(({ arguments: [, ms] }) => ms).filter((ms) => ms >= 2 ** 31 - 1),
    [2 ** 31 - 1],
  )
})

test('a 503 before the first text is asked again', async (t) => {
  const { server, run } = await stage(t, { answers: [busy, busy, { text: 'Now.' }] })
  const events = await collect(run())
  assert.equal(ofType(events, 'error').length, 0)
  assert.equal(
    ofType(events, 'text')
      .map((event) => event.text)
      .join(''),
    'Now.',
  )
  assert.equal(server.requests.length, 3)
  assert.equal(server.requests[0].text, server.requests[2].text)
})

test('a 503 in a later round loses nothing', async (t) => {
  const { server, run } = await stage(t, { answers: [callsEcho, busy, { text: 'Done.' }], tools: [echo()] })
  const { outcome, message } = await run().done
  assert.equal(outcome, 'completed')
  assert.deepEqual(
    message.blocks.map((block) => block.type),
    ['text', 'tool_use', 'text'],
  )
  assert.equal(server.requests.length, 3)
})

test('tries are bounded, and the last one tells the words of the provider', async (t) => {
  const { server, run } = await stage(t, { answers: () => busy })
  const { outcome, error } = await run({ retries: 1 }).done
  assert.equal(outcome, 'failed')
  assert.match(error.detail, /overloaded/)
  assert.equal(server.requests.length, 2)
})

test('an error inside of a stream that may pass is asked again, and leaves no trace', async (t) => {
  const overloaded = {
    parts: [{ raw: 'data: {"error":{"message":"Overloaded","type":"overloaded_error","code":529}}\n\n' }],
  }
  const { server, run } = await stage(t, { answers: [overloaded, { text: 'Now.' }] })
  const events = await collect(run())
  assert.equal(ofType(events, 'error').length, 0)
  assert.equal(
    ofType(events, 'text')
      .map((event) => event.text)
      .join(''),
    'Now.',
  )
  assert.equal(server.requests.length, 2)
})

test('a refusal is not asked again', async (t) => {
  const { server, run } = await stage(t, { answers: () => ({ status: 401, error: 'Incorrect API key provided' }) })
  const { outcome, error } = await run().done
  assert.equal(outcome, 'failed')
  assert.match(error.detail, /Incorrect API key/)
  assert.equal(server.requests.length, 1)
})

test('a server that asks for more patience than there is ends the turn', async (t) => {
  const { server, run } = await stage(t, { answers: () => ({ ...busy, headers: { 'retry-after': '3600' } }) })
  assert.equal((await run().done).outcome, 'failed')
  assert.equal(server.requests.length, 1)
})

test('the wait that Google names in the body of an error counts like Retry-After', async (t) => {
  const body = (retryDelay) => ({
    error: {
      code: 429,
      message: 'Quota',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.Help' },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
      ],
    },
  })
  const delayMs = async (...answers) => {
    const { run } = await stage(t, { answers: [] })
    const transport = async () => answers.shift() ?? new Response('no', { status: 400 })
    const events = await collect(run({ transport }))
    return ofType(events, 'retry').map((event) => [event.delayMs, event.retryAfterMs, event.detail])
  }
  const refused = (body, headers) => Response.json(body, { status: 429, headers })
  assert.deepEqual(await delayMs(refused(body('0.02s')), refused([body('0s')])), [
    [20, 20, 'HTTP 429: Quota'],
    [0, 0, 'HTTP 429: Quota'],
  ])
  assert.deepEqual(
    await delayMs(refused(body('3s'), { 'retry-after-ms': '5' })),
    [[5, 5, 'HTTP 429: Quota']],
    'the header goes first',
  )
  assert.deepEqual(await delayMs(refused(body('61s'))), [], 'more patience than there is')
  assert.equal((await delayMs(refused(body('soon'))))[0][1], undefined)
})

test('a page in the place of an error is told by its title', async (t) => {
  const { run } = await stage(t, { answers: [] })
  const pages = [
    '<html><head><title>502 Bad\nGateway</title></head><body><h1>nginx</h1></body></html>',
    '<style>a{}</style><p>No <b>upstream</b></p>',
  ]
  const transport = async () =>
    pages.length > 0
      ? new Response(pages.shift(), { status: 502, headers: { 'content-type': 'text/html', 'retry-after-ms': '1' } })
      : new Response('no', { status: 400 })
  const told = ofType(await collect(run({ transport })), 'retry').map(({ detail }) => detail)
  assert.deepEqual(told, ['HTTP 502: 502 Bad Gateway', 'HTTP 502: No upstream'])
})

test('a stream of calls that tells why it ends is whole, also without [DONE]', async (t) => {
  const [{ id, name, arguments: args }] = callsEcho.calls
  const chunk = {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  }
  const { run } = await stage(t, { answers: [], tools: [echo()] })
  const bodies = [
    `data: ${JSON.stringify(chunk)}\n\n`,
    'data: {"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}\n\n',
  ]
  const transport = async () => new Response(bodies.shift(), { headers: { 'content-type': 'text/event-stream' } })
  const events = await collect(run({ transport }))
  assert.deepEqual(ofType(events, 'retry'), [])
  assert.equal(events.at(-1).outcome, 'completed')
})

test('a page in the place of an answer is not asked for again', async (t) => {
  const { run } = await stage(t, { answers: [] })
  let tries = 0
  const transport = async () => {
    tries++
    return new Response('<!doctype html><title>Sign in</title>', { headers: { 'content-type': 'text/html' } })
  }
  const { error } = await run({ transport }).done
  assert.deepEqual([tries, error.code], [1, 'provider'])
})

test('cancel ends the wait for another try', async (t) => {
  const { run } = await stage(t, { answers: () => ({ ...busy, headers: { 'retry-after': '30' } }) })
  const turn = run()
  await new Promise((resolve) => setTimeout(resolve, 50))
  await turn.cancel()
  assert.equal((await turn.done).outcome, 'cancelled')
})

test('a connection that breaks after text keeps the text and is not asked again', async (t) => {
  const { server, run } = await stage(t, {
    answers: () => ({ parts: [{ text: 'Half' }, { wait: 30 }, { cut: true }] }),
  })
  const { outcome, error, text } = await run().done
  assert.equal(outcome, 'failed')
  assert.equal(error.code, 'network')
  assert.equal(text, 'Half')
  assert.equal(server.requests.length, 1)
})

test('a connection that breaks before text is asked again', async (t) => {
  const answers = [{ parts: [{ wait: 5 }, { cut: true }] }, { text: 'Whole.' }]
  const { server, run } = await stage(t, { answers })
  assert.equal((await run().done).text, 'Whole.')
  assert.equal(server.requests.length, 2)
})

test('nobody listens: the error names the address and the reason', async () => {
  const port = await new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
  const engine = new Engine()
  const { outcome, error } = await engine.run({
    model: { baseURL: `http://127.0.0.1:${port}/v1`, name: 'm' },
    messages: [{ role: 'user', content: 'x' }],
    retries: 0,
  }).done
  assert.equal(outcome, 'failed')
  assert.equal(error.code, 'network')
  assert.match(error.detail, new RegExp(`127\\.0\\.0\\.1:${port}.*ECONNREFUSED`))
  engine.close()
})

test('a provider that refuses tools fails with a hint, and never silently goes on without', async (t) => {
  const { server, run } = await stage(t, {
    answers: () => ({
      status: 400,
      error: { message: 'registry.ollama.ai/library/gemma:2b does not support tools', type: 'api_error' },
    }),
    tools: [echo()],
  })
  const { outcome, error } = await run().done
  assert.equal(outcome, 'failed')
  assert.equal(error.code, 'tools_unsupported')
  assert.match(error.hint, /text/)
  assert.equal(server.requests.length, 1)
})

test('autoFallback goes on in mode text where tools are refused, also behind calls that ran', async (t) => {
  const refusal = { status: 404, error: { message: 'No endpoints found that support tool use.' } }
  const { server, run } = await stage(t, { answers: [callsEcho, refusal, { text: 'Done.' }], tools: [echo()] })
  const turn = run({ mode: 'auto', autoFallback: { on: ['tools_unsupported'] } })
  const events = await collect(turn)
  const { outcome, message } = await turn.done
  assert.deepEqual(
    [outcome, message.rounds, message.blocks.map(({ type }) => type)],
    ['completed', 2, ['text', 'tool_use', 'text']],
  )
  assert.ok(ofType(events, 'diagnostic').some(({ code }) => code === 'fallback_to_text'))
  const [, refused, asText] = server.requests.map(({ body }) => body)
  assert.ok(refused.tools && !asText.tools)
  assert.match(JSON.stringify(asText.messages), /TOOL_REQUEST.*echo\.back.*you said hi/)
  assert.ok(asText.messages.every(({ role, tool_calls: calls }) => role !== 'tool' && !calls))
  assert.throws(
    () => run({ autoFallback: { on: ['thought_signature'] } }),
    (error) => error.path === 'autoFallback.on[0]' && /expected tools_unsupported/.test(error.message),
  )
})

test('an HTTP error names the address without what is secret in it, and what is commonly wrong', async (t) => {
  const { run } = await stage(t, { answers: [] })
  const port = 9
  const at = `http://127.0.0.1:${port}`
  const refused = async (baseURL, status, body = 'no', headers = {}) => {
    const transport = async () => new Response(body, { status, headers })
    return (await run({ model: { baseURL, name: 'm' }, transport, retries: 0 }).done).error
  }
  assert.equal((await refused(`${at}/v1?api-key=SECRET`, 400)).detail, `HTTP 400: no (${at}/v1/chat/completions)`)
  const lost = await refused(at, 404)
  assert.equal(lost.detail, `HTTP 404: no (${at}/chat/completions)`)
  assert.match(lost.hint, /base URL.*\/v1\/chat\/completions/)
  for (const [status, body, detail, hint] of [
    [
      401,
      '{"error":{"message":"Incorrect API key provided"}}',
      /^HTTP 401: Incorrect API key provided/,
      /check the key/,
    ],
    [403, '{"error":"country"}', /^HTTP 403: country/, /region/],
    [404, '{"error":{"message":"The model `m` does not exist"}}', /does not exist/, /the name of the model/],
    [404, '<html><title>404 Not Found</title></html>', /^HTTP 404: 404 Not Found/, /base URL and the path/],
    [405, 'Method Not Allowed', /^HTTP 405: Method Not Allowed/, /base URL and the path/],
    [
      407,
      '<html><head><title>Proxy Authentication Required</title></head></html>',
      /^HTTP 407: Proxy Authentication/,
      /proxy/,
    ],
    [502, '<html><h1>Bad Gateway</h1></html>', /^HTTP 502: Bad Gateway/, /try again later/],
    [503, '', /^HTTP 503 \(/, /try again later/],
    [
      200,
      '<html><title>Sign in</title></html>',
      /the answer is not a chat completion: Sign in/,
      /base URL and the path/,
    ],
    [200, '{"hello":"world"}', /the answer is not a chat completion: \{"hello":"world"\}/, /base URL and the path/],
  ]) {
    const error = await refused(`${at}/v1`, status, body)
    assert.match(error.detail, detail)
    assert.match(error.hint, hint, error.detail)
    assert.equal(error.status, status)
  }
  const baseURL = '//user:SECRET@host/?key=SECRET'
  assert.throws(
    () => run({ model: { baseURL, name: 'm' } }),
    (error) => error.path === 'model.baseURL' && !error.message.includes('SECRET'),
  )
})

test('a transport that is wrong in itself is not tried again, and says what it is', async (t) => {
  const { run } = await stage(t, { answers: [] })
  for (const [transport, words] of [
    [
      () => {
        throw new ReferenceError('fetsch is not defined')
      },
      /transport threw: fetsch is not defined/,
    ],
    [
      async () => {
        undefined.body
      },
      /transport threw: Cannot read properties of undefined/,
    ],
    [async () => ({ body: 'x' }), /transport gave back an object, expected a Response/],
    [async () => undefined, /transport gave back undefined, expected a Response/],
    [
      async () => ({ status: 200, headers: new Headers(), body: Readable.from(['x']) }),
      /transport gave back an object, expected a Response/,
    ],
    [
      async () => ({ status: 200, headers: { get: () => null }, body: null }),
      /transport gave back an object, expected a Response/,
    ],
  ]) {
    let tries = 0
    const { outcome, error } = await run({
      transport: (...given) => {
        tries++
        return transport(...given)
      },
    }).done
    assert.deepEqual([outcome, error.code, error.retryable, tries], ['failed', 'hook', false, 1])
    assert.match(error.detail, words)
  }
  for (const thrown of [
    new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }),
    new TypeError('Failed to fetch'),
    new Error('net::ERR_FAILED'),
    'down',
    new DOMException('too long', 'TimeoutError'),
  ]) {
    let tries = 0
    const { error } = await run({
      retries: 1,
      transport: () => {
        tries++
        throw thrown
      },
    }).done
    assert.deepEqual([error.code, tries], ['network', 2])
  }
})

test('the tokens are asked for, and not of a server that refuses to say', async (t) => {
  const usage = { prompt_tokens: 5, completion_tokens: 2 }
  const { server, run } = await stage(t, {
    answers: ({ body }) =>
      body.stream_options ? { status: 400, error: "Unknown parameter: 'stream_options'" } : { text: 'Yes.', usage },
  })
  const turn = run()
  const events = await collect(turn)
  assert.deepEqual(ofType(events, 'error'), [])
  assert.deepEqual(
    ofType(events, 'diagnostic').map(({ code }) => code),
    ['provider_error', 'usage_refused'],
  )
  const result = await turn.done
  assert.deepEqual(
    [result.usage, result.message.usage],
    [
      { inputTokens: 5, outputTokens: 2 },
      { inputTokens: 5, outputTokens: 2 },
    ],
  )
  assert.deepEqual(
    server.requests.map(({ body }) => body.stream_options),
    [{ include_usage: true }, undefined],
  )
  await run({ usage: false }).done
  assert.equal(server.requests[2].body.stream_options, undefined)
})

test('onEvent: cancels the run at a retry event → no two events have the same number', async (t) => {
  const { run } = await stage(t, { answers: () => busy })
  const seen = []
  const turn = run({
    retries: 1,
    onEvent: (event) => {
      seen.push(event)
      if (event.type === 'retry') turn.cancel()
    },
  })
  await turn.done
  const numbers = seen.map(({ seq }) => seq)
  assert.deepEqual(
    seen.slice(-3).map(({ type }) => type),
    ['retry', 'abortRequest', 'done'],
  )
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + numbers[0]),
  )
})
