// sluice/openai: requests with tools in words that a model without tools understands, and its calls as `tool_calls`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { textToolCalls } from 'sluice/openai'
import {
  answering,
  ask,
  callsOf,
  chunk,
  done,
  event,
  hermes,
  readStream,
  streamOf,
  upstream,
  usage,
  weather,
  wholeOf,
} from './openai-support.mjs'
import { assertLinear } from './work.mjs'

const protocol = 'hermes'
const idPattern = /^call_[A-Za-z0-9]{24}$/

/** What becomes of an answer that is streamed in these pieces. */
async function streamed(pieces, { options = {}, body = {} } = {}) {
  const response = await ask(textToolCalls({ protocol, ...options, fetch: answering(pieces) }), {
    stream: true,
    ...body,
  })
  return readStream(await response.text())
}

/** The body that reaches the server for a request. */
async function sent(body, options = {}) {
  let text
  const response = await ask(
    textToolCalls({
      protocol,
      ...options,
      fetch: async (_, init) => {
        text = init.body
        return new Response(wholeOf('Hello.'))
      },
    }),
    body,
  )
  return {
    text,
    response,
    get body() {
      return JSON.parse(text)
    },
  }
}

test('the official client streams a call that the model wrote as text, and tells its result back', async (t) => {
  const { baseURL, requests } = await upstream(t, ({ body }) =>
    streamOf(body.messages.length === 2 ? `I look. ${hermes({ city: 'Rome', days: '3' })}` : 'It is sunny.'),
  )
  const client = new OpenAI({ baseURL, apiKey: 'key', fetch: textToolCalls({ protocol }), maxRetries: 0 })
  const run = client.chat.completions.runTools({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'Weather in Rome?' }],
    tools: [
      {
        type: 'function',
        function: {
          ...weather.function,
          parse: JSON.parse,
          function: ({ city, days }) => `${city}: sunny for ${days} days, and ${typeof days}. <tool_call>`,
        },
      },
    ],
  })
  assert.equal(await run.finalContent(), 'It is sunny.')
  assert.equal(requests.length, 2)
  for (const { body } of requests)
    assert.deepEqual([body.tools, body.tool_choice, body.stream], [undefined, undefined, true])
  const [system, user, call, result] = requests[1].body.messages
  assert.equal(requests[0].body.messages[0].content, system.content)
  assert.ok(system.content.includes('"name":"get_weather"'))
  assert.deepEqual(
    [user, call],
    [
      { role: 'user', content: 'Weather in Rome?' },
      {
        role: 'assistant',
        content: `I look. \n<tool_call>\n{"name":"get_weather","arguments":{"city":"Rome","days":3}}\n</tool_call>\n`,
      },
    ],
  )
  assert.equal(result.role, 'user')
  assert.ok(result.content.includes('Rome: sunny for 3 days, and number.'))
  assert.ok(!result.content.slice(20).includes('<tool_call>'), 'a result holds no marker')
})

test('a whole answer is translated as a stream is, and what is no call stays', async (t) => {
  const { baseURL } = await upstream(t, () =>
    wholeOf(`<think>Hm.</think>I look. ${hermes('{"city": "Rome", "days": 12345678901234567890}')}`),
  )
  const client = new OpenAI({ baseURL, apiKey: 'key', fetch: textToolCalls({ protocol }), maxRetries: 0 })
  const {
    choices: [{ message, finish_reason, logprobs }],
    usage: counted,
    id,
  } = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [weather],
  })
  assert.deepEqual([finish_reason, logprobs, id, counted], ['tool_calls', null, 'chatcmpl-1', usage])
  assert.deepEqual([message.role, message.content.trim(), message.reasoning_content], ['assistant', 'I look.', 'Hm.'])
  const [
    {
      id: callId,
      type,
      function: { name, arguments: args },
    },
  ] = message.tool_calls
  assert.match(callId, idPattern)
  assert.deepEqual([type, name, args], ['function', 'get_weather', '{"city":"Rome","days":12345678901234567890}'])
})

test('of a request only tools and messages change: every other byte stays', async () => {
  const text = `{ "big":12345678901234567890,\n\t"tools" : ${JSON.stringify([weather, { type: 'web_search' }])} , "messages":[ {"role":"user","content":"H\\u0069 \\"tools\\": ["} ],
    "tool_choice":"auto","x": {"tools":[1,2],"messages":null}, "stream" :  true,"parallel_tool_calls":true,"tools2":"\\\\" }`
  const { text: body } = await sent(text)
  const parts =
    /^\{ "big":12345678901234567890,\n\t"tools" : (.*?) , "messages":(.*),"x": \{"tools":\[1,2\],"messages":null\}, "stream" : {2}true,"tools2":"\\\\" \}$/s.exec(
      body,
    )
  assert.ok(parts, body)
  assert.deepEqual(JSON.parse(parts[1]), [{ type: 'web_search' }])
  assert.deepEqual(
    JSON.parse(parts[2]).map(({ role }) => role),
    ['system', 'user'],
  )
  assert.ok(parts[2].includes('{"role":"user","content":"H\\u0069 \\"tools\\": ["}'))
  const { text: alone } = await sent(
    JSON.stringify({ tools: [weather], messages: [{ role: 'user', content: 'Hi' }], tool_choice: 'auto' }),
  )
  assert.deepEqual(Object.keys(JSON.parse(alone)), ['messages'])
})

test('what is no chat completion with functions passes as it came, there and back', async () => {
  const passed = []
  const answer = new Response('as it is')
  const send = textToolCalls({
    protocol,
    fetch: async (...all) => {
      passed.push(all)
      return answer
    },
  })
  const post = (body, path = 'chat/completions') => [`http://model.test/v1/${path}`, { method: 'POST', body }]
  const requests = [
    ['http://model.test/v1/models'],
    [new URL('http://model.test/v1/models'), { headers: { a: 'b' } }],
    post('no JSON'),
    post('[1]'),
    post('null'),
    post('{"model":"m"}'),
    post(JSON.stringify({ tools: [] })),
    post(JSON.stringify({ tools: 'some' })),
    post(JSON.stringify({ functions: [weather.function], function_call: 'auto' })),
    post(JSON.stringify({ tools: [{ type: 'web_search' }] })),
    post(JSON.stringify({ tools: [weather] }), 'embeddings'),
    post(new Uint8Array([0xff, 0xfe])),
    post(new FormData()),
    [new Request('http://model.test/v1/chat/completions', { method: 'POST', body: '{}' })],
  ]
  for (const request of requests) assert.equal(await send(...request), answer)
  for (const [at, all] of passed.entries())
    for (const [which, one] of requests[at].entries()) assert.equal(all[which], one)
  assert.equal(passed.length, requests.length)
  assert.equal(await passed.at(-1)[0].text(), '{}', 'its body is still there')
})

test('a request is read from a Request, from bytes and from text alike', async () => {
  const text = JSON.stringify({ tools: [weather], messages: [{ role: 'user', content: 'Hi' }] })
  const url = 'http://model.test/v1/chat/completions?a=b'
  const init = {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', 'x-own': '1', 'content-length': '7' },
  }
  const seen = []
  const send = textToolCalls({
    protocol,
    fetch: async (input, { body, headers }) => {
      seen.push([input instanceof Request ? input.url : String(input), body, Object.fromEntries(headers)])
      return new Response(wholeOf('Hi'))
    },
  })
  await send(url, init)
  await send(new URL(url), { ...init, body: new TextEncoder().encode(text), headers: Object.entries(init.headers) })
  await send(new Request(url, init))
  assert.deepEqual(seen[1], seen[0])
  assert.deepEqual(seen[2], seen[0])
  assert.deepEqual(seen[0][2], { 'accept-encoding': 'identity', 'content-type': 'application/json', 'x-own': '1' })
})

test('the choice of a tool is told in words', async () => {
  const guide = async (more) => (await sent(more)).body.messages[0].content
  const plain = await guide({})
  for (const choice of [null, 'auto']) assert.equal(await guide({ tool_choice: choice }), plain)
  for (const choice of ['required', 'any'])
    assert.match(await guide({ tool_choice: choice }), /call at least one of these tools/)
  assert.match(
    await guide({ tool_choice: { type: 'function', function: { name: 'get_weather' } } }),
    /call the tool get_weather/,
  )
  assert.match(await guide({ parallel_tool_calls: false }), /at most one call/)
  const other = { type: 'function', function: { name: 'other' } }
  const allowed = await guide({
    tools: [weather, other],
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [other] } },
  })
  assert.ok(allowed.includes('"other"') && !allowed.includes('get_weather') && /at least one/.test(allowed))
})

test('with tool_choice none the history is in words, the model reads of no tools, and its answer passes', async () => {
  const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
  ]
  const { body, response } = await sent({ tool_choice: 'none', messages })
  assert.deepEqual(
    body.messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
  assert.equal(
    body.messages[1].content.trim(),
    '<tool_call>\n{"name":"get_weather","arguments":{"city":"Rome"}}\n</tool_call>',
  )
  assert.equal(await response.text(), wholeOf('Hello.'))
})

test("a request that cannot be said in words is refused in OpenAI's shape, with the place", async () => {
  const refusals = [
    [
      { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'array' } } }] },
      'tools[0].function.parameters.type',
      /found a schema of type "array"/,
    ],
    [{ tools: [weather, weather] }, 'tools[1].function.name', /is taken by tools/],
    [{ tools: [{ type: 'function', function: { name: 'a\nb' } }] }, 'tools[0].function.name', /control characters/],
    [
      { tools: [{ type: 'web_search' }, { type: 'function', function: { name: 5 } }] },
      'tools[1].function.name',
      /found 5/,
    ],
    [{ tools: [{ type: 'function', function: null }] }, 'tools[0].function', /found null/],
    [
      { tools: [{ type: 'function', function: { name: 'a', parameters: 'none' } }] },
      'tools[0].function.parameters',
      /expected a JSON Schema/,
    ],
    [{ messages: 5 }, 'messages', /expected an array/],
    [{ messages: [] }, 'messages', /at least one/],
    [{ messages: [{ role: 'robot' }] }, 'messages[0].role', /found "robot"/],
    [{ tool_choice: 'perhaps' }, 'tool_choice', /none \| auto \| required/],
    [{ tool_choice: { type: 'function', function: { name: 'other' } } }, 'tool_choice.function.name', /found "other"/],
  ]
  for (const [body, param, words] of refusals) {
    const { response, text } = await sent(body)
    const { error } = await response.json()
    assert.equal(text, undefined, 'nothing was sent')
    assert.deepEqual(
      [response.status, error.type, error.param, error.code],
      [400, 'invalid_request_error', param, 'invalid_value'],
    )
    assert.match(error.message, words)
  }
})

test('histories that no server would take reach the model in order', async () => {
  const call = (id, args = '{"city":"Rome"}', name = 'get_weather') => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  const messages = [
    { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
    { role: 'tool', tool_call_id: 'nobody', content: 'x' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'I do.' }],
      tool_calls: [call('a'), call('b', '{broken', 'gone')],
    },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'of b' }] },
    { role: 'user', content: 'And?' },
    { role: 'assistant', tool_calls: [call('c')] },
  ]
  const { body } = await sent({ messages })
  assert.deepEqual(
    body.messages.map(({ role }) => role),
    ['developer', 'user', 'assistant', 'user', 'user', 'assistant', 'user'],
  )
  assert.deepEqual(body.messages[1], messages[2])
  assert.ok(!JSON.stringify(body).includes('tool_calls') && !JSON.stringify(body).includes('nobody'))
  assert.match(body.messages[2].content, /^I do\.\n.*get_weather.*\n.*\n.*"gone","arguments":\{\}/s)
  assert.match(body.messages[3].content, /not run.*of b/s)
  assert.match(body.messages[6].content, /No result: this call was not run/)
  const many = await sent({
    messages: [messages[2], { role: 'assistant', tool_calls: Array.from({ length: 200 }, (_, at) => call(`c${at}`)) }],
  })
  assert.deepEqual(
    many.body.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  )
})

test('however a stream is cut, the same comes out', async () => {
  const text = `Wie schön ☔ \u{1f600} <tool_ ${hermes({ city: 'Köln' })} und <tool_cal`
  let pieces
  const send = textToolCalls({ protocol, fetch: (...all) => answering(pieces)(...all) })
  const read = async (...given) => {
    pieces = given
    return readStream(await (await ask(send, { stream: true })).text())
  }
  for (const [size, newLine, step] of [
    [1, '\n', 997],
    [5, '\r\n', 97],
    [1000, '\r', 7],
  ]) {
    const bytes = new TextEncoder().encode(streamOf(text, { size }).replaceAll('\n', newLine))
    const whole = await read(bytes)
    assert.deepEqual(callsOf(whole), [['get_weather', { city: 'Köln' }]])
    assert.deepEqual(
      [whole.content, whole.finish, whole.ends, whole.usage],
      ['Wie schön ☔ 😀 <tool_  und <tool_cal', ['tool_calls'], 1, usage],
    )
    for (const cut of [
      Array.from(bytes, (byte) => new Uint8Array([byte])),
      ...Array.from({ length: bytes.length / step }, (_, at) => [
        bytes.subarray(0, at * step),
        bytes.subarray(at * step),
      ]),
    ]) {
      const halves = await read(...cut)
      assert.deepEqual(
        [callsOf(halves), halves.content, halves.ends],
        [callsOf(whole), whole.content, 1],
        `cut at ${cut[0].length}`,
      )
    }
  }
})

test('ids are unlike any other', async () => {
  const { calls } = await streamed([
    streamOf(Array.from({ length: 100 }, (_, day) => hermes({ city: 'Rome', days: day })).join(''), { size: 50 }),
  ])
  assert.equal(new Set(calls.map(({ id }) => id)).size, 100)
  for (const { id, type } of calls) assert.match(`${id} ${type}`, /^call_[A-Za-z0-9]{24} function$/)
})

test('prose passes byte by byte, with all that a server adds', async () => {
  const prose = [
    ': keep-alive\n\n',
    chunk({ role: 'assistant', content: '' }, null, { usage: null, system_fingerprint: 'fp' }),
    'event: message\nid: 7\ndata:{"choices":[{"delta":{"content":"Hel","extra":1},"index":0,"logprobs":{"content":[]}}],"big":12345678901234567890}\n\n',
    chunk({ content: 'lo', reasoning_details: [{ type: 'x' }] }),
  ].join('')
  const response = await ask(textToolCalls({ protocol, fetch: answering([prose, chunk({}, 'stop'), done]) }), {
    stream: true,
  })
  const text = await response.text()
  assert.equal(
    text,
    prose +
      chunk({}, 'stop')
        .replace('"finish_reason":"stop"', '')
        .replace(',}', '}')
        .replace(/"choices":.*?\}\]/, '"choices":[{"index":0,"finish_reason":"stop","delta":{}}]') +
      done,
  )
})

test('a call that lost something is given back as the model wrote it, and counted', async () => {
  const cases = [
    ['Well <tool_call>\n{"name": "get_weather", "arguments": {"ci', 'length', 'length', 'unterminated_block'],
    [
      'Well <tool_call>\n{"name": "get_weather", "arguments": {"city": Rome}}\n</tool_call> so',
      'stop',
      'stop',
      'invalid_json',
    ],
    ['<tool_call>\n{"name": "get_weather", "arguments": {"city": "Ro', 'tool_calls', 'stop', 'unterminated_block'],
    [`${hermes({ city: 'Rome' })} and`, 'content_filter', 'content_filter', undefined],
  ]
  for (const [text, said, reason, code] of cases) {
    const { content, calls, finish, comments, ends } = await streamed([streamOf(text, { finish: said })])
    assert.deepEqual([calls, finish, ends], [[], [reason], 1])
    assert.equal([...content].sort().join(''), [...text].sort().join(''))
    if (said !== 'content_filter') assert.equal(content, text)
    if (code)
      assert.deepEqual(
        comments.map((one) => one.includes(`x-sluice-diagnostics: ${code}=1`)),
        [true],
      )
    const told = []
    const response = await ask(
      textToolCalls({
        protocol,
        fetch: async () => new Response(wholeOf(text, said)),
        onDiagnostic: (one) => told.push(one),
      }),
    )
    const {
      choices: [{ message, finish_reason }],
    } = await response.json()
    assert.deepEqual([message.tool_calls, finish_reason], [undefined, reason])
    if (code) assert.equal(response.headers.get('x-sluice-diagnostics').split(', ')[0], `${code}=1`)
    if (code) assert.deepEqual([told[0].model, told[0].code], ['m', code])
    if (said !== 'content_filter') assert.equal(message.content, text)
  }
})

test("whole calls beside a broken one, of an unknown tool or against the schema are the client's to judge", async () => {
  const text = `${hermes({ city: 3 })}${hermes({ x: 1 }, 'unknown')}${hermes('{"city"')}`
  const { calls, content, finish } = await streamed([streamOf(text)])
  assert.deepEqual(callsOf({ calls }), [
    ['get_weather', { city: 3 }],
    ['unknown', { x: 1 }],
  ])
  assert.deepEqual([content, finish], [hermes('{"city"'), ['tool_calls']])
  const one = await streamed([streamOf(hermes({ city: 'A' }) + hermes({ city: 'B' }))], {
    body: { parallel_tool_calls: false },
  })
  assert.deepEqual(callsOf(one), [['get_weather', { city: 'A' }]])
})

test('calls that the server reads itself pass, and the text is read as well', async () => {
  const piece = (at, said, id) =>
    chunk({ tool_calls: [{ index: at, ...(id ? { id, type: 'function' } : {}), function: said }] })
  const native = [
    piece(0, { name: 'get_weather', arguments: '' }, 'own_1'),
    piece(0, { arguments: '{"city": ' }),
    piece(0, { arguments: '"Rome", "days": 12345678901234567890}' }),
  ]
  const { calls, content, finish } = await streamed([
    chunk({ content: `A ${hermes({ city: 'Bari' })}` }),
    ...native,
    chunk({}, 'tool_calls'),
    done,
  ])
  assert.deepEqual(
    calls.map(({ name, arguments: args }) => [name, args]),
    [
      ['get_weather', '{"city":"Bari"}'],
      ['get_weather', '{"city": "Rome", "days": 12345678901234567890}'],
    ],
  )
  assert.deepEqual([calls[1].id, content, finish], ['own_1', 'A ', ['tool_calls']])
  const twice = await streamed([
    piece(0, { name: 'get_weather', arguments: '{"city":"A"}' }, 'same'),
    piece(1, { name: 'get_weather', arguments: '{"city":"B"}' }, 'same'),
    chunk({}, 'stop'),
    done,
  ])
  assert.equal(new Set(twice.calls.map(({ id }) => id)).size, 2)
  const cut = await streamed([...native.slice(0, 2), chunk({}, 'length'), done])
  assert.deepEqual([cut.calls, cut.finish], [[], ['length']])
})

test('a connection that breaks is told in words, and nothing of it is a call', async () => {
  const broken = (pieces) => async () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          if (pieces.length > 0) controller.enqueue(new TextEncoder().encode(pieces.shift()))
          else controller.error(new TypeError('terminated', { cause: new Error('other side closed') }))
        },
      }),
    )
  const cut = streamOf(`Well ${hermes({ city: 'Rome' })} so`)
    .split('\n\n')
    .slice(0, -5)
    .join('\n\n')
  const response = await ask(textToolCalls({ protocol, fetch: broken([cut]) }), { stream: true })
  const { calls, content, finish, ends, error } = readStream(await response.text())
  assert.deepEqual([calls, finish, ends, error.code, error.type], [[], [], 0, 'network', 'api_error'])
  assert.match(error.message, /other side closed/)
  assert.match(content, /^Well .*tool_call/s)
  const unfinished = await streamed([
    streamOf(hermes({ city: 'Rome' }))
      .split('\n\n')
      .slice(0, -4)
      .join('\n\n'),
  ])
  assert.deepEqual([unfinished.calls, unfinished.error.code], [[], 'unfinished'])
  assert.equal((await streamed([])).error.code, 'empty_answer')
  assert.equal((await streamed(['<html>busy</html>'])).error.code, 'empty_answer')
  const whole = await ask(textToolCalls({ protocol, fetch: broken([wholeOf('Hi').slice(0, 40)]) }))
  assert.deepEqual([whole.status, (await whole.json()).error.code], [502, 'network'])
})

test('an event that is no JSON, or no UTF-8, may have held a part of a call', async () => {
  const before = chunk({ content: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Ro' })
  const behind = chunk({ content: 'e"}}\n</tool_call>' })
  const broken = await streamed([
    before,
    'data: {"choices":[{"index":0,"delta":{"content":"m\n\n',
    behind,
    chunk({}, 'stop'),
    done,
  ])
  assert.deepEqual([broken.calls, broken.finish], [[], ['stop']])
  assert.ok(broken.comments[0].includes('broken_event=1'))
  for (const index of [0, 1]) {
    const [head, tail] = chunk({ content: 'X' }, null, {
      choices: [{ index, delta: { content: 'X' }, finish_reason: null }],
    })
      .split('X')
      .map((part) => new TextEncoder().encode(part))
    const bytes = [before, behind, chunk({}, 'stop')].map((one) => one.replace('"index":0', `"index":${index}`))
    const { choices } = await streamed(
      [
        bytes[0],
        ...(index === 1 ? [chunk({}, 'stop')] : []),
        head,
        new Uint8Array([0xe2, 0x82]),
        tail,
        bytes[1],
        bytes[2],
        done,
      ],
      { body: { n: index + 1 } },
    )
    assert.deepEqual(choices[index].calls, [], `choice ${index}`)
  }
})

test('errors of the server are untouched, in place of an answer and within it', async () => {
  const body = '{"error":{"message":"slow down","odd" : 1}}'
  const refused = await ask(
    textToolCalls({
      protocol,
      fetch: async () => new Response(body, { status: 429, headers: { 'retry-after': '7', 'x-request-id': 'r' } }),
    }),
    { stream: true },
  )
  assert.deepEqual(
    [refused.status, refused.headers.get('retry-after'), refused.headers.get('x-request-id'), await refused.text()],
    [429, '7', 'r', body],
  )
  const error = event({ error: { message: 'out of memory', code: 500 } })
  for (const said of [error, JSON.stringify({ error: { message: 'out of memory', code: 500 } })]) {
    const within = await streamed(
      said === error
        ? [chunk({ content: `Well ${hermes({ city: 'Rome' })}` }), said, chunk({ content: 'more' }), done]
        : [said],
    )
    assert.deepEqual(
      [within.error, within.calls, within.ends, within.content.includes('more')],
      [{ message: 'out of memory', code: 500 }, [], 0, false],
    )
  }
  const whole = await ask(textToolCalls({ protocol, fetch: async () => new Response(body) }))
  assert.equal(await whole.text(), body)
})

test('a server is not believed what it calls its answer', async () => {
  const text = `Well ${hermes({ city: 'Rome' })}`
  for (const type of ['application/json', 'text/html', undefined]) {
    const response = await ask(
      textToolCalls({
        protocol,
        fetch: answering(
          [streamOf(text)],
          type ? { headers: { 'content-type': type, 'content-length': '5', 'content-encoding': 'gzip' } } : {},
        ),
      }),
      { stream: true },
    )
    assert.deepEqual(
      [
        response.headers.get('content-type'),
        response.headers.get('content-length'),
        response.headers.get('content-encoding'),
      ],
      ['text/event-stream; charset=utf-8', null, null],
    )
    assert.deepEqual(callsOf(readStream(await response.text())), [['get_weather', { city: 'Rome' }]])
  }
  for (const [body, type, said] of [
    [wholeOf(text), 'text/html', 'application/json'],
    ['<html>busy</html>', 'text/html', 'text/html'],
  ]) {
    const response = await ask(
      textToolCalls({ protocol, fetch: async () => new Response(body, { headers: { 'content-type': type } }) }),
    )
    assert.equal(response.headers.get('content-type'), said)
  }
  const json = await streamed([' \n', wholeOf(text)])
  assert.deepEqual(
    [callsOf(json), json.content, json.finish, json.ends, json.usage, json.chunks[0].object],
    [[['get_weather', { city: 'Rome' }]], 'Well ', ['tool_calls'], 1, usage, 'chat.completion.chunk'],
  )
  const stream = await ask(textToolCalls({ protocol, fetch: answering([streamOf(text)]) }))
  assert.deepEqual([stream.status, (await stream.json()).error.code], [502, 'provider'])
})

test('several choices are read each for itself', async () => {
  const choice = (index, content, finish = null) => ({
    index,
    delta: content === undefined ? {} : { content },
    finish_reason: finish,
  })
  const texts = [`A ${hermes({ city: 'Rome' })}`, 'Just prose.', `C ${hermes('{"city"')}`]
  const pieces = []
  for (let at = 0; at < 100; at += 5)
    pieces.push(event({ id: 'x', choices: texts.map((text, index) => choice(index, text.slice(at, at + 5))) }))
  pieces.push(
    event({ choices: [choice(0, undefined, 'stop'), choice(1, undefined, 'length')], usage }),
    event({ choices: [choice(2, undefined, 'stop')] }),
    done,
  )
  const { choices, usage: counted } = await streamed([pieces.join('')], { body: { n: 3 } })
  assert.deepEqual(
    choices.map(({ content }) => content),
    ['A ', 'Just prose.', texts[2]],
  )
  assert.deepEqual(
    choices.map(({ calls, finish }) => [calls.length, finish]),
    [
      [1, ['tool_calls']],
      [0, ['length']],
      [0, ['stop']],
    ],
  )
  assert.deepEqual(counted, usage)
  const whole = JSON.stringify({
    choices: texts.map((content, index) => ({ index, message: { role: 'assistant', content }, finish_reason: 'stop' })),
  })
  const { choices: read } = await (
    await ask(textToolCalls({ protocol, fetch: async () => new Response(whole) }), { n: 3 })
  ).json()
  assert.deepEqual(
    read.map(({ message, finish_reason }) => [message.content, message.tool_calls?.length, finish_reason]),
    [
      ['A ', 1, 'tool_calls'],
      [texts[1], undefined, 'stop'],
      [texts[2], undefined, 'stop'],
    ],
  )
  const later = async () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          const write = (text) => controller.enqueue(new TextEncoder().encode(text))
          write(chunk({ content: 'One' }) + chunk({}, 'stop'))
          await new Promise((resolve) => setTimeout(resolve, 1200))
          write(
            event({ choices: [choice(1, hermes({ city: 'Rome' }))] }) +
              event({ choices: [choice(1, undefined, 'stop')] }) +
              done,
          )
          controller.close()
        },
      }),
    )
  const both = readStream(await (await ask(textToolCalls({ protocol, fetch: later }), { stream: true, n: 2 })).text())
  assert.deepEqual(
    both.choices.map(({ finish }) => finish),
    [['stop'], ['tool_calls']],
  )
  const many = await streamed([
    event({ choices: [{ index: 1e9, delta: { content: hermes({ city: 'x' }) } }] }),
    chunk({ content: 'Hi' }),
    chunk({}, 'stop'),
    done,
  ])
  assert.deepEqual([many.content, many.finish], ['Hi', ['stop']])
})

test('the end comes once: of two only the first counts, and a server that forgets to close is not waited for', async () => {
  const twice = await streamed([streamOf(hermes({ city: 'Rome' })), streamOf(hermes({ city: 'Bari' }))])
  assert.deepEqual([callsOf(twice), twice.ends, twice.finish], [[['get_weather', { city: 'Rome' }]], 1, ['tool_calls']])
  const without = await streamed([streamOf(hermes({ city: 'Rome' }), { end: '' })])
  assert.deepEqual([callsOf(without), without.ends, without.usage], [[['get_weather', { city: 'Rome' }]], 1, usage])
  let cancelled = false
  const open = async () =>
    new Response(
      new ReadableStream({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode(streamOf(hermes({ city: 'Rome' }), { end: '' }))),
        cancel: () => {
          cancelled = true
        },
      }),
    )
  const { calls, ends } = readStream(
    await (await ask(textToolCalls({ protocol, fetch: open }), { stream: true })).text(),
  )
  assert.deepEqual([calls.length, ends, cancelled], [1, 1, true])
  const nothing = await streamed([chunk({ content: hermes({ city: 'Rome' }) }), done])
  assert.deepEqual([nothing.calls.length, nothing.finish], [1, ['tool_calls']], 'the end without a reason')
})

test('reasoning goes where the server puts it, and a quoted marker is prose', async () => {
  const own = await streamed([
    chunk({ reasoning: 'Let me ' }),
    chunk({ reasoning: 'see. ' }),
    chunk({ content: '<think>More.</think>' }),
    chunk({ content: hermes({ city: 'Rome' }) }),
    chunk({}, 'stop'),
    done,
  ])
  assert.deepEqual(
    [
      own.reasoning,
      own.content,
      own.calls.length,
      own.chunks.some(({ choices: [choice] }) => choice?.delta.reasoning_content),
    ],
    ['Let me see. More.', '', 1, false],
  )
  const quoting = 'Write `<tool_call>` and then JSON:\n\n```\nSo: ' + hermes({ city: 'Rome' }) + '\n```\nThat is all.'
  const quoted = await streamed([streamOf(quoting)])
  assert.deepEqual([quoted.content, quoted.calls, quoted.finish], [quoting, [], ['stop']])
  const thought = await streamed([
    chunk({ reasoning_content: `I call it: ${hermes({ city: 'Rome' })}` }),
    chunk({}, 'stop'),
    done,
  ])
  assert.deepEqual([callsOf(thought), thought.finish], [[['get_weather', { city: 'Rome' }]], ['tool_calls']])
})

test('an answer is read as fast as its client reads, and no longer than it stays', async () => {
  let pulled = 0
  let reason
  const endless = async () =>
    new Response(
      new ReadableStream(
        {
          pull(controller) {
            pulled++
            controller.enqueue(new TextEncoder().encode(chunk({ content: 'again and ' })))
          },
          cancel(why) {
            reason = why
          },
        },
        { highWaterMark: 0 },
      ),
    )
  const reader = (await ask(textToolCalls({ protocol, fetch: endless }), { stream: true })).body.getReader()
  await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(pulled <= 3, `${pulled} pieces for one`)
  await reader.cancel('enough')
  assert.equal(reason, 'enough')
})

test('while a long call is written a comment says so', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  t.mock.method(Date, 'now', () => 1_800_000_000_000 - now) // a clock that is set back all the time changes nothing
  const pieces = [
    chunk({ content: 'I look. ' }),
    ...Array.from(hermes({ city: 'Rome' }), (letter) => chunk({ content: letter })),
    chunk({}, 'stop'),
    done,
  ]
  const slow = async () =>
    new Response(
      new ReadableStream(
        {
          pull(controller) {
            now += 400
            controller.enqueue(new TextEncoder().encode(pieces.shift()))
            if (pieces.length === 0) controller.close()
          },
        },
        { highWaterMark: 0 },
      ),
    )
  const { calls, comments, content } = readStream(
    await (await ask(textToolCalls({ protocol, fetch: slow }), { stream: true })).text(),
  )
  assert.deepEqual([calls.length, content, new Set(comments)], [1, 'I look. ', new Set([': a call is being written'])])
  assert.ok(comments.length >= 3 && comments.length <= 8, `${comments.length} comments`)
})

test('a server that falls silent is told in words', async () => {
  const silent =
    (...pieces) =>
    async () =>
      new Response(
        new ReadableStream({
          start: (controller) => pieces.forEach((piece) => controller.enqueue(new TextEncoder().encode(piece))),
        }),
      )
  const times = { firstByteTimeoutMs: 40, idleTimeoutMs: 20 }
  const first = readStream(
    await (await ask(textToolCalls({ protocol, ...times, fetch: silent() }), { stream: true })).text(),
  )
  assert.deepEqual(
    [first.error.code, first.error.message],
    ['first_byte_timeout', "the model's server sent nothing for 40 ms"],
  )
  const idle = readStream(
    await (
      await ask(textToolCalls({ protocol, ...times, fetch: silent(chunk({ content: 'Well' })) }), { stream: true })
    ).text(),
  )
  assert.deepEqual([idle.content, idle.error.code], ['Well', 'idle_timeout'])
  const whole = await ask(textToolCalls({ protocol, ...times, fetch: silent('{"choices":') }))
  assert.deepEqual([whole.status, (await whole.json()).error.code], [504, 'idle_timeout'])
})

test('what has no end and no line costs no more than its limit', async () => {
  let sent = 0
  const piece = new Uint8Array(1024 * 1024).fill(97)
  const noise = (head) => async () =>
    new Response(
      new ReadableStream(
        {
          pull(controller) {
            controller.enqueue(sent++ === 0 ? new TextEncoder().encode(head) : piece)
            if (sent > 100) controller.close()
          },
        },
        { highWaterMark: 0 },
      ),
    )
  for (const [head, stream] of [
    ['data: ', true],
    ['{', true],
    ['{"choices": "', false],
  ]) {
    sent = 0
    const response = await ask(textToolCalls({ protocol, fetch: noise(head) }), { stream })
    const error = stream ? readStream(await response.text()).error : (await response.json()).error
    assert.deepEqual([error.code, sent <= 35], ['oversize', true], head)
  }
})

test('large arguments, odd names, and two thousand tools, go through', async () => {
  const city = 'x'.repeat(1024 * 1024)
  const text = hermes({ city })
  const { calls, finish } = await streamed([
    chunk({ content: text.slice(0, 100) }),
    chunk({ content: text.slice(100) }),
    chunk({}, 'stop'),
    done,
  ])
  assert.deepEqual([finish, JSON.parse(calls[0].arguments).city.length], [['tool_calls'], city.length])
  const tools = Array.from({ length: 2000 }, (_, index) => ({
    type: 'function',
    function: { ...weather.function, name: `tool_${index}` },
  }))
  const { body } = await sent({ tools })
  assert.ok(body.messages[0].content.includes('"tool_1999"'))
  const odd = ['a.b', '天气', 'has space', '$x', 'quo"te', '__proto__', 'constructor']
  for (const name of odd) {
    const said = await streamed([streamOf(hermes({ city: 'Rome' }, name))], {
      body: { tools: [{ type: 'function', function: { name } }] },
    })
    assert.deepEqual(callsOf(said), [[name, { city: 'Rome' }]])
  }
})

test('a model that is not known gets a format, and the developer is told', async () => {
  const told = []
  const { body } = await sent({ model: 'nobody-1' }, { protocol: undefined, onDiagnostic: (one) => told.push(one) })
  assert.ok(body.messages[0].content.includes('TOOL_REQUEST'))
  assert.deepEqual(
    told.map(({ model, code }) => [model, code]),
    [['nobody-1', 'unknown_model']],
  )
  assert.ok(
    (await sent({ model: 'Qwen/Qwen3-8B' }, { protocol: undefined })).body.messages[0].content.includes('<tool_call>'),
  )
})

test('many tools, choices of tools and members twice take no more than their length', async () => {
  await assertLinear(async (count) => {
    const tools = Array.from({ length: count / 20 }, (_, at) => ({ type: 'function', function: { name: `t${at}` } }))
    const body = JSON.stringify({
      messages: [{ role: 'user', content: 'Hi' }],
      tools,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: tools.slice(1) } },
    })
    const twice = `{${'"messages":[],'.repeat(count)}${Array.from({ length: count }, (_, at) => `"m${at}":0,`).join('')}${body.slice(1)}`
    const { body: sentBody } = await sent(twice)
    assert.deepEqual([sentBody.messages.length, sentBody[`m${count - 1}`]], [2, 0])
  }, 6000)
})

test('what is nested without an end is refused, or passed over', async () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000)
  const { response, text } = await sent(
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [weather] }).replace(
      '"properties":{',
      `"x":${deep},"properties":{`,
    ),
  )
  assert.deepEqual([response.status, text], [400, undefined])
  const nested = await streamed([
    chunk({ content: 'Hi' }),
    event(`{"choices":[{"index":0,"delta":{"content":" <tool","x":${deep}}}]}`),
    chunk({ content: ' there' }),
    chunk({}, 'stop'),
    done,
  ])
  assert.deepEqual([nested.content, nested.error.code, nested.ends], ['Hi', 'oversize', 0])
  const whole = await ask(
    textToolCalls({
      protocol,
      fetch: async () =>
        new Response(wholeOf(hermes({ city: 'Rome' })).replace('"logprobs":null', `"logprobs":${deep}`)),
    }),
  )
  assert.deepEqual([whole.status, (await whole.json()).error.code], [502, 'provider'])
  const passed = await streamed([chunk({ content: 'Hi' }), event('[1,2]'), event('5'), chunk({}, 'stop'), done])
  assert.deepEqual(
    [passed.content, passed.finish, passed.comments],
    ['Hi', ['stop'], [': x-sluice-diagnostics: broken_event=2']],
  )
})

test('wrong options are refused by name', () => {
  assert.throws(() => textToolCalls({ protokoll: 'hermes' }), {
    code: 'option',
    path: 'protokoll',
    hint: 'did you mean protocol?',
  })
  assert.throws(() => textToolCalls({ protocol: 'hermesss' }), { code: 'option', path: 'protocol' })
  assert.throws(() => textToolCalls({ idleTimeoutMs: -1 }), { code: 'option', path: 'idleTimeoutMs' })
  assert.throws(() => textToolCalls({ fetch: 'no' }), { code: 'option', path: 'fetch' })
})
