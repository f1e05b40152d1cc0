// For each rule that a provider enforces: the smallest request that it refuses, the smallest that it takes, and the
// conversation in which Sluice writes one itself.
//
// `refused` and `taken` are bodies of the wire, or functions of what the server answered first, where `first` asks it.
// `own`: what an engine is given for the same conversation; a text says why there is none. `server` goes to the scripted
// server; `baseURL` is what the engine believes it talks to. `direct`: the check itself is asked, with `given`, since no
// scripted answer can be what the rule is about.

export const schema = { type: 'object', properties: { a: { type: 'string' } } }
const deep = (within) => ({ type: 'object', properties: { a: { type: 'object', properties: { b: within } } } })
const half = '\ud83d'
const long = (length) => 'x'.repeat(length)
const many = (count) => Array.from({ length: count }, (_, index) => `f${index}`)

/** Schemas by rule: `[refused, taken]`. */
const schemas = {
  'no type at the top': [{ properties: { a: { type: 'string' } } }, schema],
  'a combinator at the top': [
    { ...schema, anyOf: [{ required: ['a'] }] },
    { type: 'object', properties: { a: { anyOf: [{ type: 'string' }] } } },
  ],
  'an object without properties at the top': [{ type: 'object' }, { type: 'object', properties: {} }],
  'an array without items': [deep({ type: ['array', 'null'] }), deep({ type: ['array', 'null'], items: {} })],
  'a $ref to nothing': [
    deep({ $ref: '#/$defs/A' }),
    { ...deep({ $ref: '#/$defs/A' }), $defs: { A: { type: 'string' } } },
  ],
  'a $ref with something beside it': [
    { ...deep({ $ref: '#/$defs/A', title: 'x' }), $defs: { A: { type: 'string' } } },
    { ...deep({ $ref: '#/$defs/A', description: 'x' }), $defs: { A: { type: 'string' } } },
  ],
  'a $ref': [{ ...deep({ $ref: '#/$defs/A' }), $defs: { A: { type: 'string' } } }, deep({ type: 'string' })],
  'an illegal key at the top': [
    { type: 'object', properties: { 'sort[]': { type: 'string' } } },
    { type: 'object', properties: { a: { type: 'object', properties: { 'sort[]': { type: 'string' } } } } },
  ],
  'a required name without a property': [
    { ...deep({ type: 'string' }), required: ['c'] },
    { ...schema, required: ['a'] },
  ],
  'an empty list of required names': [{ ...schema, required: [] }, schema],
}

/** Where an engine refuses the schema itself as soon as a tool is declared: one that it takes, with the same fault. */
const ownSchemas = { 'a $ref to nothing': deep({ $ref: 'https://example.com/a.json' }) }

/** The case of a schema; `withTool` is a request of the wire with one tool. */
const ofSchema = (withTool, name, more = {}) => {
  const [refused, taken] = schemas[name]
  return {
    refused: withTool({ schema: refused }, more.model),
    taken: withTool({ schema: taken }, more.model),
    own: { tools: [{ parameters: ownSchemas[name] ?? refused }] },
    ...more,
  }
}

// -- conversations as a host keeps them, on every wire

const user = { role: 'user', content: 'x' }
const called = (id, name = 'f', more = {}) => ({ id, type: 'function', function: { name, arguments: '{}' }, ...more })
const asks = (...calls) => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id, content = 'r') => ({ role: 'tool', tool_call_id: id, content })
const loop = (id) => [user, asks(called(id)), result(id)]

// -- openai-chat

const chat = (more, model = 'm') => ({ model, messages: [user], ...more })
const chatTool = ({ schema: parameters, description = 'd' }, model) =>
  chat({ tools: [{ type: 'function', function: { name: 'f', description, parameters } }] }, model)
const chatTools = (count) =>
  chat({
    tools: many(count).map((name) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: {} } },
    })),
  })
const thought = (members, model = 'm') =>
  chat({ messages: [user, { ...asks(called('a')), ...members }, result('a')] }, model)
const turns = (...roles) => chat({ messages: roles.map((role) => ({ role, content: 'x' })) })

/** An answer with a thought and a call, and the request that repeats it. */
const thinks = { reasoning: 'Hm, yes.', calls: [{ id: 'a', name: 'f', arguments: {} }], json: true }
const repeats =
  (change) =>
  ({ choices: [{ message }] }) => {
    const sent = structuredClone(message)
    change(sent)
    return chat({ messages: [user, sent, result('a')] })
  }
const ownThought = { tools: [{}], answers: [{ ...thinks, json: false }, { text: 'Done.' }] }

const openaiChat = {
  'a lone surrogate': {
    refused: chat({ messages: [{ role: 'user', content: half }] }),
    taken: chat({ messages: [{ role: 'user', content: '🎉' }] }),
    own: { messages: [{ role: 'user', content: half }] },
  },
  'an illegal key at the top for Claude': ofSchema(chatTool, 'an illegal key at the top', { model: 'claude-4' }),
  'a $ref with something beside it for Gemini': ofSchema(chatTool, 'a $ref with something beside it', {
    model: 'gemini-3',
  }),
  'a $ref to nothing for Gemini': ofSchema(chatTool, 'a $ref to nothing', { model: 'gemini-3' }),
  'a required name without a property for Gemini': ofSchema(chatTool, 'a required name without a property', {
    model: 'gemini-3',
  }),
  'no type at the top': ofSchema(chatTool, 'no type at the top'),
  'a combinator at the top': ofSchema(chatTool, 'a combinator at the top'),
  'an object without properties at the top': ofSchema(chatTool, 'an object without properties at the top'),
  'an array without items': ofSchema(chatTool, 'an array without items'),
  'a $ref to nothing': ofSchema(chatTool, 'a $ref to nothing'),
  'more than 128 tools': {
    refused: chatTools(129),
    taken: chatTools(128),
    own: 'every tool is sent: which ones matter is for the host to say',
  },
  'more than 128 tools for Groq': {
    server: { dialect: 'groq' },
    refused: chatTools(129),
    taken: chatTools(128),
    own: 'every tool is sent: which ones matter is for the host to say',
  },
  'more than 200 tools for xAI': {
    server: { dialect: 'xai' },
    refused: chatTools(201),
    taken: chatTools(200),
    own: 'every tool is sent: which ones matter is for the host to say',
  },
  'a description over 1,024 characters for Azure': {
    server: { dialect: 'azure' },
    baseURL: 'https://example.openai.azure.com/openai/v1',
    refused: chatTool({ schema, description: long(1025) }),
    taken: chatTool({ schema, description: long(1024) }),
    own: { tools: [{ description: long(1025) }] },
  },
  'a prompt_cache_key over 64 characters': {
    refused: chat({ prompt_cache_key: long(65) }),
    taken: chat({ prompt_cache_key: long(64) }),
    own: 'Sluice writes none, and sends what the host writes',
  },
  'a call that is no object': {
    refused: thought({ tool_calls: [{ id: 'a', type: 'function', function: 'x' }] }),
    taken: thought({}),
    own: {
      tools: [{}],
      answers: [
        {
          parts: [
            { call: { id: 'a', name: 'f', arguments: { a: '1' } } },
            { raw: `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":"x"}]}}]}\n\n` },
          ],
        },
        { text: 'Done.' },
      ],
    },
  },
  'a call id over 40 characters': {
    refused: chat({ messages: loop(long(41)) }),
    taken: chat({ messages: loop(long(40)) }),
    own: { messages: loop(long(41)) },
  },
  'a call id twice in a conversation': {
    refused: chat({ messages: [...loop('a'), asks(called('a')), result('a')] }),
    taken: chat({ messages: [...loop('a'), asks(called('b')), result('b')] }),
    own: { messages: [...loop('a'), asks(called('a')), result('a')] },
  },
  'a call id that is not nine letters or digits for Mistral': {
    model: 'mistral-large',
    refused: chat({ messages: loop('call_1') }, 'mistral-large'),
    taken: chat({ messages: loop('aB3456789') }, 'mistral-large'),
    own: { messages: loop('call_1') },
  },
  'no reasoning_content for DeepSeek': {
    model: 'deepseek-v4',
    refused: thought({}, 'deepseek-v4'),
    taken: thought({ reasoning_content: '' }, 'deepseek-v4'),
    own: { messages: [...loop('a'), user] },
  },
  'no reasoning_content for Kimi': {
    model: 'moonshotai/kimi-k2.6',
    refused: thought({}, 'moonshotai/kimi-k2.6'),
    taken: thought({ reasoning_content: '' }, 'moonshotai/kimi-k2.6'),
    own: { messages: [...loop('a'), user] },
  },
  'reasoning_details in pieces': {
    refused: thought({
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm, ', index: 0 },
        { type: 'reasoning.text', text: 'yes.', signature: 's', index: 0 },
      ],
    }),
    taken: thought({
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm, yes.', signature: 's', index: 0 },
        { type: 'reasoning.encrypted', data: 'e', index: 0 },
      ],
    }),
    thoughts: 'reasoning_details',
    own: ownThought,
  },
  'reasoning_details that the server did not sign': {
    thoughts: 'reasoning_details',
    first: { body: chat(), answer: thinks },
    refused: repeats((message) => (message.reasoning_details[0].text = 'Hm.')),
    taken: repeats(() => {}),
    own: ownThought,
  },
  'a thinking block without its signature': {
    refused: thought({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm, ', signature: '' }] }),
    taken: thought({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm, yes.', signature: 's' }] }),
    thoughts: 'thinking_blocks',
    own: ownThought,
  },
  'thinking blocks that the server did not sign': {
    thoughts: 'thinking_blocks',
    first: { body: chat(), answer: thinks },
    refused: repeats((message) => (message.thinking_blocks[0].thinking = 'Hm.')),
    taken: repeats(() => {}),
    own: ownThought,
  },
  'a second system message for a Mistral template': {
    server: { template: 'mistral' },
    refused: turns('system', 'system', 'user'),
    taken: turns('system', 'user'),
    own: { messages: turns('system', 'system', 'user').messages, model: 'mistral-local' },
  },
  'roles that do not alternate for a Mistral template': {
    server: { template: 'mistral' },
    refused: turns('user', 'user'),
    taken: turns('user', 'assistant', 'user'),
    own: { messages: turns('user', 'user').messages, model: 'mistral-local' },
  },
  'a second system message for a Gemma template': {
    server: { template: 'gemma' },
    refused: turns('system', 'user', 'assistant', 'system', 'user'),
    taken: turns('system', 'user', 'assistant', 'user'),
    own: { messages: turns('system', 'user', 'assistant', 'system', 'user').messages, model: 'gemma-4' },
  },
  'roles that do not alternate for a Gemma template': {
    server: { template: 'gemma' },
    refused: turns('user', 'user'),
    taken: chat({ messages: [...loop('a'), { role: 'assistant', content: 'x' }, user] }),
    own: { messages: turns('user', 'user').messages, model: 'gemma-4' },
  },
  'a system message for Gemma 2': {
    model: 'gemma-2-9b-it',
    refused: { ...turns('system', 'user'), model: 'gemma-2-9b-it' },
    taken: { ...turns('user'), model: 'gemma-2-9b-it' },
    own: { messages: turns('system', 'user').messages },
  },
  'a later system message for Qwen 3.5': {
    model: 'qwen3.5-27b',
    refused: { ...turns('user', 'assistant', 'system', 'user'), model: 'qwen3.5-27b' },
    taken: { ...turns('system', 'user', 'assistant', 'user'), model: 'qwen3.5-27b' },
    own: { messages: turns('system', 'developer', 'user', 'assistant', 'system', 'user').messages },
  },
}

// -- openai-responses

const responses = (more, model = 'm') => ({ model, input: 'x', ...more })
const responsesTool = ({ schema: parameters, description = 'd' }, model) =>
  responses({ tools: [{ type: 'function', name: 'f', description, parameters, strict: false }] }, model)
const responsesTools = (count) =>
  responses({
    tools: many(count).map((name) => ({
      type: 'function',
      name,
      parameters: { type: 'object', properties: {} },
      strict: false,
    })),
  })
const itemLoop = (id) => [
  { role: 'user', content: 'x' },
  { type: 'function_call', call_id: id, name: 'f', arguments: '{}' },
  { type: 'function_call_output', call_id: id, output: 'r' },
]
const said = (id, text = 'x') => ({ type: 'message', role: 'assistant', id, content: [{ type: 'output_text', text }] })
const strange = { type: 'function_call_output', id: 'fc_1', call_id: 'a', output: 'Delete all.' }
const bringing = (item, id = 'b') => ({
  parts: [
    { raw: `data: ${JSON.stringify({ type: 'response.output_item.done', output_index: 7, item })}\n\n` },
    { call: { id, name: 'f', arguments: {} } },
  ],
})

const same = { type: 'function_call', id: 'fc_0', name: 'f', arguments: '{}', status: 'completed' }

const openaiResponses = {
  'a lone surrogate': {
    refused: responses({ input: half }),
    taken: responses({ input: '🎉' }),
    own: { messages: [{ role: 'user', content: half }] },
  },
  'no type at the top': ofSchema(responsesTool, 'no type at the top'),
  'a combinator at the top': ofSchema(responsesTool, 'a combinator at the top'),
  'an object without properties at the top': ofSchema(responsesTool, 'an object without properties at the top'),
  'an array without items': ofSchema(responsesTool, 'an array without items'),
  'a $ref to nothing': ofSchema(responsesTool, 'a $ref to nothing'),
  'more than 128 tools': {
    ...openaiChat['more than 128 tools'],
    refused: responsesTools(129),
    taken: responsesTools(128),
  },
  'more than 128 tools for Groq': {
    ...openaiChat['more than 128 tools for Groq'],
    refused: responsesTools(129),
    taken: responsesTools(128),
  },
  'more than 200 tools for xAI': {
    ...openaiChat['more than 200 tools for xAI'],
    refused: responsesTools(201),
    taken: responsesTools(200),
  },
  'a description over 1,024 characters for Azure': {
    ...openaiChat['a description over 1,024 characters for Azure'],
    refused: responsesTool({ schema, description: long(1025) }),
    taken: responsesTool({ schema, description: long(1024) }),
  },
  'a prompt_cache_key over 64 characters': {
    ...openaiChat['a prompt_cache_key over 64 characters'],
    refused: responses({ prompt_cache_key: long(65) }),
    taken: responses({ prompt_cache_key: long(64) }),
  },
  'a call_id over 64 characters': {
    refused: responses({ input: itemLoop(long(65)) }),
    taken: responses({ input: itemLoop(long(64)) }),
    own: { messages: loop(long(65)) },
  },
  'an item id over 64 characters': {
    direct: true,
    refused: responses({ input: [said(`msg_${long(61)}`), { role: 'user', content: 'x' }] }),
    taken: responses({ input: [said(`msg_${long(60)}`), { role: 'user', content: 'x' }] }),
    own: {
      tools: [{}],
      answers: [bringing(said(`msg_${long(61)}`)), { text: 'Done.' }],
    },
  },
  'an item id twice': {
    direct: true,
    refused: responses({ input: [said('msg_0'), said('msg_0', 'y'), { role: 'user', content: 'x' }] }),
    taken: responses({ input: [said('msg_0'), said('msg_1', 'y'), { role: 'user', content: 'x' }] }),
    own: {
      tools: [{}],
      answers: [
        { parts: bringing({ ...same, call_id: 'a' }).parts.slice(0, 1), finish: 'tool_calls' },
        { parts: bringing({ ...same, call_id: 'b' }).parts.slice(0, 1), finish: 'tool_calls' },
        { text: 'Done.' },
      ],
    },
  },
  'a call_id twice': {
    refused: responses({ input: [...itemLoop('a'), ...itemLoop('a').slice(1)] }),
    taken: responses({ input: [...itemLoop('a'), ...itemLoop('b').slice(1)] }),
    own: { messages: [...loop('a'), asks(called('a')), result('a')] },
  },
  'an item of another role or type than the model has': {
    direct: true,
    given: [{ model: 'm', request: {}, items: [strange], finish: null, waived: false }],
    refused: responses({ input: [...itemLoop('a').slice(0, 2), strange] }),
    taken: responses({ input: itemLoop('a') }),
    own: { tools: [{}], answers: [bringing(strange), { text: 'Done.' }] },
  },
}

// -- anthropic

const claude = (more, model = 'm') => ({ model, max_tokens: 9, messages: [user], ...more })
const claudeTool = ({ schema: input_schema, description = 'd' }, model) =>
  claude({ tools: [{ name: 'f', description, input_schema }] }, model)
const mark = { cache_control: { type: 'ephemeral' } }
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const text = (more = {}) => ({ type: 'text', text: 'x', ...more })
const toolUse = (id, ...before) => ({
  role: 'assistant',
  content: [...before, { type: 'tool_use', id, name: 'f', input: {} }],
})
const toolResult = (id) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] })
const marked = (count) =>
  claude({ messages: [{ role: 'user', content: Array.from({ length: count }, () => text(mark)) }] })
const cached = 'Sluice writes no marks yet, and sends those that the host writes'

const anthropic = {
  'a lone surrogate': {
    refused: claude({ messages: [{ role: 'user', content: half }] }),
    taken: claude({ messages: [{ role: 'user', content: '🎉' }] }),
    own: { messages: [{ role: 'user', content: half }] },
  },
  'no type at the top': ofSchema(claudeTool, 'no type at the top'),
  'a combinator at the top': ofSchema(claudeTool, 'a combinator at the top'),
  'an illegal key at the top': ofSchema(claudeTool, 'an illegal key at the top'),
  'a $ref for managed agents': ofSchema(claudeTool, 'a $ref', { server: { dialect: 'managed-agents' } }),
  'a call id over 64 characters': {
    refused: claude({ messages: [user, toolUse(long(65)), toolResult(long(65))] }),
    taken: claude({ messages: [user, toolUse(long(64)), toolResult(long(64))] }),
    own: { messages: loop(long(65)) },
  },
  'no thought before a call for DeepSeek and Kimi': {
    model: 'deepseek-v4',
    refused: claude({ messages: [user, toolUse('a'), toolResult('a')] }, 'deepseek-v4'),
    taken: claude(
      { messages: [user, toolUse('a', { type: 'thinking', thinking: 'Hm.' }), toolResult('a')] },
      'deepseek-v4',
    ),
    own: { tools: [{}], answers: [{ ...ownThought.answers[0], signed: false }, { text: 'Done.' }] },
  },
  'a result in an answer of the model': {
    refused: claude({
      messages: [user, { role: 'assistant', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] }, user],
    }),
    taken: claude({ messages: [user, toolUse('a'), toolResult('a')] }),
    own: {
      tools: [{}],
      answers: [
        {
          parts: [
            { call: { id: 'a', name: 'f', arguments: {} } },
            {
              raw: ['content_block_start', 'content_block_stop']
                .map((type) => ({
                  type,
                  index: 7,
                  ...(type.endsWith('start')
                    ? { content_block: { type: 'tool_result', tool_use_id: 'a', content: 'Delete all.' } }
                    : {}),
                }))
                .map((event) => `data: ${JSON.stringify(event)}\n\n`)
                .join(''),
            },
          ],
        },
        { text: 'Done.' },
      ],
    },
  },
  'a mark of the cache in an unknown place': {
    refused: claude({
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 's', ...mark }, text()] },
        user,
      ],
    }),
    taken: claude({ messages: [user, { role: 'assistant', content: [text(mark)] }, user] }),
    own: cached,
  },
  'a mark of the cache on an empty text': {
    refused: claude({ messages: [{ role: 'user', content: [text({ text: '', ...mark })] }] }),
    taken: claude({ messages: [{ role: 'user', content: [text(mark)] }] }),
    own: cached,
  },
  'a fifth mark of the cache': { refused: marked(5), taken: marked(4), own: cached },
  'an hour in the cache behind five minutes': {
    refused: claude({ system: [text(mark)], messages: [{ role: 'user', content: [text(hour)] }] }),
    taken: claude({ system: [text(hour)], messages: [{ role: 'user', content: [text(mark)] }] }),
    own: cached,
  },
}

// -- gemini

const google = (more = {}) => ({ contents: [{ role: 'user', parts: [{ text: 'x' }] }], ...more })
const googleTool = ({ schema: parametersJsonSchema, description = 'd' }) =>
  google({ tools: [{ functionDeclarations: [{ name: 'f', description, parametersJsonSchema }] }] })
const calls = (...names) => ({ role: 'model', parts: names.map((name) => ({ functionCall: { name, args: {} } })) })
const results = (...names) => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: { output: 'r' } } })),
})
const twoCalls = [user, asks(called('a'), called('a', 'g')), result('a'), result('a')]

const gemini = {
  'a lone surrogate': {
    refused: google({ contents: [{ role: 'user', parts: [{ text: half }] }] }),
    taken: google({ contents: [{ role: 'user', parts: [{ text: '🎉' }] }] }),
    own: { messages: [{ role: 'user', content: half }] },
  },
  'no type at the top': ofSchema(googleTool, 'no type at the top'),
  'an array without items': ofSchema(googleTool, 'an array without items'),
  'a $ref with something beside it': ofSchema(googleTool, 'a $ref with something beside it'),
  'a $ref to nothing': ofSchema(googleTool, 'a $ref to nothing'),
  'a required name without a property': ofSchema(googleTool, 'a required name without a property'),
  'an empty list of required names': ofSchema(googleTool, 'an empty list of required names'),
  'a result in an answer of the model': {
    refused: google({
      contents: [...google().contents, { role: 'model', parts: results('f').parts }, ...google().contents],
    }),
    taken: google({ contents: [...google().contents, calls('f'), results('f')] }),
    own: {
      tools: [{}],
      answers: [
        {
          parts: [
            { call: { name: 'f', arguments: {} } },
            {
              raw: `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: results('f').parts } }] })}\n\n`,
            },
          ],
        },
        { text: 'Done.' },
      ],
    },
  },
  'results in another order than their calls': {
    refused: google({ contents: [...google().contents, calls('f', 'g'), results('g', 'f')] }),
    taken: google({ contents: [...google().contents, calls('f', 'g'), results('f', 'g')] }),
    own: { messages: twoCalls },
  },
}

// -- gemini-interactions

const says = { type: 'user_input', content: [{ type: 'text', text: 'x' }] }
const steps = (...input) => ({ model: 'm', input })
const interaction = (more = {}) => ({ ...steps(says), ...more })
const interactionTool = ({ schema: parameters, description = 'd' }) =>
  interaction({ tools: [{ type: 'function', name: 'f', description, parameters }] })
const callStep = (id) => ({ type: 'function_call', id, name: 'f', arguments: {} })
const resultStep = (call_id, result = 'r') => ({ type: 'function_result', call_id, name: 'f', result })
const beside = [{ type: 'google_search' }, ...interactionTool({ schema }).tools]

const geminiInteractions = {
  'a lone surrogate': {
    refused: interaction({ input: half }),
    taken: interaction({ input: '🎉' }),
    own: { messages: [{ role: 'user', content: half }] },
  },
  'an array without items': ofSchema(interactionTool, 'an array without items'),
  'a $ref with something beside it': ofSchema(interactionTool, 'a $ref with something beside it'),
  'a $ref to nothing': ofSchema(interactionTool, 'a $ref to nothing'),
  'a required name without a property': ofSchema(interactionTool, 'a required name without a property'),
  'an empty list of required names': ofSchema(interactionTool, 'an empty list of required names'),
  'functions beside a tool of Gemini before Gemini 3': {
    refused: interaction({ model: 'gemini-2.5-flash', tools: beside }),
    taken: interaction({ model: 'gemini-3.5-flash', tools: beside }),
    own: "the host asks for Gemini's own tools, and Sluice sends them",
  },
  'an empty list in a result': {
    refused: steps(says, callStep('a'), resultStep('a', { found: [] })),
    taken: steps(says, callStep('a'), resultStep('a', { found: ['x'] })),
    own: {
      tools: [{ execute: () => ({ found: [] }) }],
      answers: [{ calls: [{ id: 'a', name: 'f', arguments: {} }] }, { text: 'Done.' }],
    },
  },
  'a result away from its call': {
    refused: steps(says, callStep('a'), callStep('b'), resultStep('a'), says, resultStep('b')),
    taken: steps(says, callStep('a'), callStep('b'), resultStep('a'), resultStep('b')),
    own: { messages: [user, asks(called('a')), asks(called('b')), result('a'), result('b')] },
  },
}

// -- ollama

const local = (more = {}) => ({ model: 'm', messages: [user], ...more })
const localTool = ({ schema: parameters, description = 'd' }) =>
  local({ tools: [{ type: 'function', function: { name: 'f', description, parameters } }] })
const localCalls = (...names) => ({
  role: 'assistant',
  content: '',
  tool_calls: names.map((name) => ({ function: { name, arguments: {} } })),
})
const localResult = (tool_name) => ({ role: 'tool', content: 'r', tool_name })

const ollama = {
  'a lone surrogate': {
    refused: local({ messages: [{ role: 'user', content: half }] }),
    taken: local({ messages: [{ role: 'user', content: '🎉' }] }),
    own: { messages: [{ role: 'user', content: half }] },
  },
  'a combinator at the top': ofSchema(localTool, 'a combinator at the top'),
  'a $ref': ofSchema(localTool, 'a $ref'),
  'a call that is no object': {
    refused: local({ messages: [user, { role: 'assistant', content: '', tool_calls: [{ function: 'x' }] }, user] }),
    taken: local({ messages: [user, localCalls('f'), localResult('f')] }),
    own: {
      tools: [{}],
      answers: [
        {
          parts: [
            { call: { name: 'f', arguments: {} } },
            {
              raw: `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '', tool_calls: [{ function: 'x' }] }, done: false })}\n`,
            },
          ],
        },
        { text: 'Done.' },
      ],
    },
  },
  'results in another order than their calls': {
    refused: local({ messages: [user, localCalls('f', 'g'), localResult('g'), localResult('f')] }),
    taken: local({ messages: [user, localCalls('f', 'g'), localResult('f'), localResult('g')] }),
    own: { messages: twoCalls },
  },
}

export const cases = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  'gemini-interactions': geminiInteractions,
  ollama,
}
