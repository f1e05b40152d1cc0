// One script on every wire: what each provider writes in its own way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { startScriptedServer } from 'sluice/testing'

const user = { role: 'user', content: 'x' }

/** A legal request per wire. */
const paths = {
  'openai-chat': ['/v1/chat/completions', { model: 'm', messages: [user], stream: true }],
  anthropic: ['/v1/messages', { model: 'm', max_tokens: 100, messages: [user], stream: true }],
  gemini: ['/v1beta/models/m:streamGenerateContent?alt=sse', { contents: [{ role: 'user', parts: [{ text: 'x' }] }] }],
  'gemini-interactions': ['/v1beta/interactions', { model: 'm', input: 'x', stream: true }],
  'openai-responses': ['/v1/responses', { model: 'm', input: 'x', stream: true }],
  ollama: ['/api/chat', { model: 'm', messages: [user] }],
}

async function serve(t, options) {
  const server = await startScriptedServer(options)
  t.after(server.close)
  const ask = async (wire, more = {}, path = paths[wire][0]) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...paths[wire][1], ...more }),
    })
    const text = await response.text()
    const events = text
      .split(/\r?\n/)
      .flatMap((line) => (/^(?:data: )?\{.*\}$/.test(line) ? [JSON.parse(line.replace(/^data: /, ''))] : []))
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      headers: response.headers,
      text,
      events,
    }
  }
  return { server, ask }
}

test('every wire has its path, its content type and its end', async (t) => {
  const { server, ask } = await serve(t, { answers: () => ({ text: 'one two' }) })
  const ends = {
    'openai-chat': ['text/event-stream', /data: \[DONE\]\n\n$/],
    anthropic: ['text/event-stream', /event: message_stop\ndata: .*\n\n$/],
    gemini: ['text/event-stream', /"finishReason":"STOP".*\r\n\r\n$/],
    'gemini-interactions': [
      'text/event-stream',
      /event: interaction\.completed\ndata: .*\n\nevent: done\ndata: \[DONE\]\n\n$/,
    ],
    'openai-responses': ['text/event-stream', /event: response\.completed\ndata: .*\n\n$/],
    ollama: ['application/x-ndjson', /"done":true.*\n$/],
  }
  for (const [wire, [type, end]] of Object.entries(ends)) {
    const answer = await ask(wire)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.type, type)
    assert.match(answer.text, end)
    assert.ok((server.url + paths[wire][0]).startsWith(server.baseURLs[wire]))
  }
  assert.deepEqual(
    server.requests.map(({ wire }) => wire),
    Object.keys(ends),
  )
  const lost = await ask('ollama', {}, '/v1/completions')
  assert.equal(lost.status, 404)
  assert.match(lost.text, /expected POST \/v1\/chat\/completions, \/v1\/messages/)
})

test('the end in the words of each wire; a word that is none goes out as it stands', async (t) => {
  const { ask } = await serve(t, {
    answers: ({ body, path }) => ({
      text: 'x',
      finish: body.user ?? body.metadata?.user_id ?? body.labels?.finish ?? body.options?.finish ?? path,
    }),
  })
  const asks = {
    'openai-chat': (finish) => ({ user: finish }),
    anthropic: (finish) => ({ metadata: { user_id: finish } }),
    gemini: (finish) => ({ labels: { finish } }),
    'gemini-interactions': (finish) => ({ labels: { finish } }),
    'openai-responses': (finish) => ({ user: finish }),
    ollama: (finish) => ({ options: { finish } }),
  }
  const reads = {
    'openai-chat': (events) => events.findLast(({ choices }) => choices?.[0]?.finish_reason).choices[0].finish_reason,
    anthropic: (events) => events.find(({ type }) => type === 'message_delta').delta.stop_reason,
    gemini: (events) => events.at(-1).candidates[0].finishReason,
    'gemini-interactions': (events) => events.at(-1).interaction.status,
    'openai-responses': (events) => events.at(-1).response.incomplete_details?.reason ?? events.at(-1).response.status,
    ollama: (events) => events.at(-1).done_reason,
  }
  const words = {
    //                stop        tool_calls    length               content_filter    pause         malformed
    //                       odd
    'openai-chat': ['stop', 'tool_calls', 'length', 'content_filter', 'pause', 'malformed', 'odd'],
    anthropic: ['end_turn', 'tool_use', 'max_tokens', 'refusal', 'pause_turn', 'malformed', 'odd'],
    gemini: ['STOP', 'STOP', 'MAX_TOKENS', 'SAFETY', 'pause', 'MALFORMED_FUNCTION_CALL', 'odd'],
    'gemini-interactions': ['completed', 'requires_action', 'incomplete', 'failed', 'pause', 'failed', 'odd'],
    'openai-responses': ['completed', 'completed', 'max_output_tokens', 'content_filter', 'pause', 'malformed', 'odd'],
    ollama: ['stop', 'stop', 'length', 'content_filter', 'pause', 'malformed', 'odd'],
  }
  for (const [wire, expected] of Object.entries(words)) {
    const said = []
    for (const finish of ['stop', 'tool_calls', 'length', 'content_filter', 'pause', 'malformed', 'odd'])
      said.push(reads[wire]((await ask(wire, asks[wire](finish))).events))
    assert.deepEqual(said, expected, wire)
  }
})

test('null for the end: none is sent', async (t) => {
  const { ask } = await serve(t, { answers: () => ({ text: 'x', finish: null, done: false }) })
  for (const wire of Object.keys(paths))
    assert.doesNotMatch(
      (await ask(wire)).text,
      /"(?:finish_reason|finishReason|stop_reason|done_reason)":"|message_stop|(?:response|interaction)\.completed|DONE|"done":true/,
      wire,
    )
})

test('errors have the shape of each provider', async (t) => {
  const { ask } = await serve(t, {
    answers: () => ({ status: 429, error: 'slow down', headers: { 'retry-after': '3' } }),
  })
  const bodies = {
    'openai-chat': { error: { message: 'slow down', type: 'server_error', param: null, code: null } },
    anthropic: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' }, request_id: 'req_scripted' },
    gemini: {
      error: {
        code: 429,
        message: 'slow down',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }],
      },
    },
    'gemini-interactions': { error: { message: 'slow down', code: 'rate_limit_exceeded' } },
    'openai-responses': { error: { message: 'slow down', type: 'rate_limit_error', param: null, code: null } },
    ollama: { error: 'slow down' },
  }
  for (const [wire, body] of Object.entries(bodies)) {
    const { status, text, headers } = await ask(wire)
    assert.equal(status, 429)
    assert.equal(headers.get('retry-after'), '3')
    assert.deepEqual(JSON.parse(text), body)
  }
})

test('an error object goes out as it is, also in mid-stream', async (t) => {
  const { ask } = await serve(t, {
    answers: () => ({
      parts: [
        { text: 'one' },
        { error: { type: 'overloaded_error', code: 'server_is_overloaded', message: 'burned' } },
        { text: 'never' },
      ],
    }),
  })
  for (const wire of Object.keys(paths)) {
    const { text } = await ask(wire)
    assert.match(text, /burned/)
    assert.doesNotMatch(
      text,
      /never|"(?:finish_reason|finishReason|stop_reason|done_reason)":"|(?:response|interaction)\.completed|DONE/,
      wire,
    )
  }
})

test('what happens within a text stays in its place, and does not cut the text in two', async (t) => {
  const { ask } = await serve(t, {
    answers: () => ({ parts: [{ wait: 1 }, { text: 'one ' }, { raw: '\n' }, { text: 'two' }] }),
    deltas: 'whole',
  })
  const { text, events } = await ask('anthropic')
  assert.deepEqual(events.filter(({ type }) => type === 'content_block_start').length, 1)
  assert.match(text, /"one "\}\}\n\n\nevent: content_block_delta/)
})

test('anthropic: thoughts that are not shown, encrypted thoughts, and tools that Anthropic runs', async (t) => {
  const parts = [
    { reasoning: '' },
    { reasoning: 'dark', redacted: true },
    { provider: { name: 'web_search', arguments: { query: 'q' }, result: 'A page' } },
    {
      provider: {
        name: 'code_execution',
        arguments: { code: '1+1' },
        result: { type: 'code_execution_result', stdout: '2', stderr: '', return_code: 0, content: [] },
      },
    },
    { text: 'Two.' },
  ]
  const { server } = await serve(t, { answers: [{ parts, finish: 'pause' }, { text: 'And on.' }] })
  const client = new Anthropic({ baseURL: server.url, apiKey: 'key', maxRetries: 0 })
  const body = { model: 'm', max_tokens: 100, messages: [user] }
  const { content, stop_reason: reason } = await client.messages.stream(body).finalMessage()
  assert.equal(reason, 'pause_turn')
  assert.deepEqual(
    content.map(({ type }) => type),
    [
      'thinking',
      'redacted_thinking',
      'server_tool_use',
      'web_search_tool_result',
      'server_tool_use',
      'code_execution_tool_result',
      'text',
    ],
  )
  assert.equal(content[0].thinking, '')
  assert.ok(content[0].signature.length > 20)
  assert.doesNotMatch(JSON.stringify(content), /"dark"/)
  assert.deepEqual(content[2].input, { query: 'q' })
  assert.equal(content[3].content[0].title, 'A page')
  assert.equal(content[5].content.stdout, '2')
  const {
    content: [next],
  } = await client.messages.stream({ ...body, messages: [user, { role: 'assistant', content }] }).finalMessage()
  assert.equal(next.text, 'And on.')
})

test('gemini: code that Google runs, an array without alt=sse, and a model of the path', async (t) => {
  const code = { provider: { name: 'code_execution', arguments: { code: 'print(2)' }, result: '2' } }
  const { server, ask } = await serve(t, {
    answers: [{ parts: [code, { text: 'Two.' }] }, { text: 'an array' }, { text: 'whole', reasoning: 'hm' }],
  })
  const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: server.url } })
  const parts = []
  for await (const chunk of await client.models.generateContentStream({ model: 'gemini-3-x', contents: 'x' })) {
    assert.equal(chunk.modelVersion, 'gemini-3-x')
    parts.push(...(chunk.candidates[0].content?.parts ?? []))
  }
  assert.deepEqual(parts.slice(0, 2), [
    { executableCode: { language: 'PYTHON', code: 'print(2)' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2' } },
  ])
  const { type, text } = await ask('gemini', {}, '/v1beta/models/m:streamGenerateContent')
  assert.equal(type, 'application/json')
  assert.equal(
    JSON.parse(text)
      .map(({ candidates }) => candidates[0].content?.parts[0].text ?? '')
      .join(''),
    'an array',
  )
  const whole = JSON.parse((await ask('gemini', {}, '/v1beta/models/m:generateContent')).text)
  assert.deepEqual(
    whole.candidates[0].content.parts.map((part) => part.text),
    ['hm', 'whole', ''],
  )
})

test('openai-responses: what is encrypted comes when it was asked for, whole when the item is done', async (t) => {
  const parts = [
    { reasoning: 'hm' },
    { provider: { name: 'web_search', arguments: { query: 'q' } } },
    { provider: { name: 'code_execution', arguments: { code: '1' }, result: '1' } },
    { provider: { name: 'lookup', result: { a: 1 } } },
    { text: 'x' },
  ]
  const { server, ask } = await serve(t, { answers: () => ({ parts }) })
  const { events } = await ask('openai-responses', { include: ['reasoning.encrypted_content'] })
  const [added] = events.filter(({ type }) => type === 'response.output_item.added')
  const [done] = events.filter(({ type }) => type === 'response.output_item.done')
  assert.notEqual(added.item.encrypted_content, done.item.encrypted_content)
  assert.deepEqual(
    events.map(({ sequence_number: number }) => number),
    events.map((_, index) => index),
  )
  const client = new OpenAI({ baseURL: server.baseURLs['openai-responses'], apiKey: 'key', maxRetries: 0 })
  const { output } = await client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
  assert.deepEqual(
    output.map(({ type }) => type),
    ['reasoning', 'web_search_call', 'code_interpreter_call', 'mcp_call', 'message'],
  )
  assert.equal(output[0].encrypted_content, undefined)
  assert.deepEqual(output[2].outputs, [{ type: 'logs', logs: '1' }])
  assert.equal(output[3].output, '{"a":1}')
})

test('openai-chat and ollama leave out what they cannot say', async (t) => {
  const parts = [
    { reasoning: 'dark', redacted: true },
    { provider: { name: 'web_search', result: 'dark' } },
    { text: 'x' },
  ]
  const { ask } = await serve(t, { answers: () => ({ parts }) })
  for (const wire of ['openai-chat', 'ollama']) assert.doesNotMatch((await ask(wire)).text, /dark/)
})

test('answers without signatures ask for none', async (t) => {
  const call = { name: 'f', arguments: {} }
  const { ask } = await serve(t, { answers: () => ({ reasoning: 'hm', calls: [call], signed: false }) })
  const include = { include: ['reasoning.encrypted_content'] }
  for (const wire of Object.keys(paths))
    assert.doesNotMatch(
      (await ask(wire, wire === 'openai-responses' ? include : {})).text,
      /signature_delta|thoughtSignature|thought_signature|encrypted_content/,
      wire,
    )
})

test('a request begins with the one before it, as far as the option says', async (t) => {
  const messages = [user, { role: 'assistant', content: 'y' }, user]
  const edited = [user, { role: 'assistant', content: 'z' }, user, { role: 'assistant', content: 'y' }, user]
  for (const appendOnly of [undefined, false]) {
    const { ask } = await serve(t, { answers: () => ({ text: 'y' }), appendOnly })
    assert.equal((await ask('ollama', { messages })).status, 200)
    assert.equal(
      (await ask('ollama', { messages: messages.slice(0, 2).concat({ ...user }) })).status,
      200,
      'the same again',
    )
    assert.equal(
      (await ask('ollama', { messages: [{ role: 'system', content: 'z' }, user] })).status,
      200,
      'the question alone asks anew',
    )
    assert.equal(
      (await ask('ollama', { messages: [...edited.slice(0, 1), ...messages.slice(1)] })).status,
      appendOnly === false ? 200 : 400,
      'without the system prompt',
    )
    assert.equal((await ask('ollama', { messages })).status, 200)
    const { status, text } = await ask('ollama', { messages: edited })
    assert.equal(status, appendOnly === false ? 200 : 400)
    if (status === 400) assert.match(JSON.parse(text).error, /append only.*piece 1 .*"z".*appendOnly: false/)
    assert.equal((await ask('ollama', { messages: edited })).status, 200, 'after a refusal it may be told anew')
  }
})

test('anthropic: the header of the version is needed', async (t) => {
  const { server } = await serve(t, { answers: () => ({ text: 'y' }) })
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify(paths.anthropic[1]),
  })
  assert.equal(response.status, 400)
  assert.match(await response.text(), /anthropic-version: header is required/)
})

test('gemini-interactions: a revision without steps is refused', async (t) => {
  const { server } = await serve(t, { answers: () => ({ text: 'y' }) })
  for (const [revision, status] of [
    ['2026-05-19', 400],
    ['2026-05-20', 200],
    [undefined, 200],
  ]) {
    const response = await fetch(`${server.url}/v1beta/interactions`, {
      method: 'POST',
      headers: revision ? { 'Api-Revision': revision } : {},
      body: JSON.stringify(paths['gemini-interactions'][1]),
    })
    assert.equal(response.status, status, revision)
  }
})

test('gemini-interactions: tools that Google runs, thoughts of all kinds, and one interaction', async (t) => {
  const parts = [
    { reasoning: 'hm' },
    { reasoning: 'dark', redacted: true },
    { provider: { name: 'web_search', arguments: { query: 'q' }, result: 'A page' } },
    { provider: { name: 'code_execution', arguments: { code: 'print(2)' }, result: '2' } },
    { provider: { name: 'look', result: { a: 1 } } },
    { text: 'Two.' },
    { call: { name: 'f', arguments: { a: 1 } } },
  ]
  const { ask } = await serve(t, { answers: () => ({ parts }) })
  const { events, text } = await ask('gemini-interactions')
  assert.doesNotMatch(text, /dark/)
  assert.deepEqual(
    events.filter(({ event_type: type }) => type === 'step.start').map(({ index, step }) => `${index} ${step.type}`),
    [
      '0 thought',
      '1 thought',
      '2 google_search_call',
      '3 google_search_result',
      '4 code_execution_call',
      '5 code_execution_result',
      '6 mcp_server_tool_call',
      '7 mcp_server_tool_result',
      '8 model_output',
      '9 function_call',
    ],
  )
  const { steps, status, id } = JSON.parse((await ask('gemini-interactions', { stream: false })).text)
  assert.deepEqual([status, id], ['requires_action', ''])
  assert.equal(JSON.parse((await ask('gemini-interactions', { stream: false, store: true })).text).id, 'resp_3')
  assert.deepEqual(steps[0].summary, [{ type: 'text', text: 'hm' }])
  assert.equal(steps[1].summary, undefined)
  assert.deepEqual(steps[3].result, [{ url: 'https://example.com/', title: 'A page' }])
  assert.deepEqual(steps[9].arguments, { a: 1 })
})
