// The official clients read the scripted server, one script on every wire, and what they send back passes the
// validators.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { startScriptedServer } from 'sluice/testing'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const description = 'The weather now.'
const question = 'How is the weather in Paris and Rome?'
const results = { call_paris: '21 degrees', call_rome: '25 degrees' }
const usage = { prompt_tokens: 100, completion_tokens: 30, cached_tokens: 40, reasoning_tokens: 12 }

/** What every client has to read. `told` are the results that went back. */
const script = [
  {
    reasoning: 'Two cities, two calls.',
    text: 'Let me look.',
    usage,
    calls: [
      { id: 'call_paris', name: 'weather', arguments: { city: 'Paris' } },
      { id: 'call_rome', name: 'weather', arguments: { city: 'Rome' } },
    ],
  },
  { reasoning: 'Rome is warmer.', text: 'Rome is warmer, größe 你好.', usage },
]

const said = [
  {
    reasoning: 'Two cities, two calls.',
    text: 'Let me look.',
    calls: [
      ['call_paris', 'weather', { city: 'Paris' }],
      ['call_rome', 'weather', { city: 'Rome' }],
    ],
    finish: 'tool_calls',
    usage: [100, 30, 40],
  },
  {
    reasoning: 'Rome is warmer.',
    text: 'Rome is warmer, größe 你好.',
    calls: [],
    finish: 'stop',
    usage: [100, 30, 40],
  },
]

/**
 * A client per wire: `missing` is what it reads where a result is not there, `start` makes a conversation, `ask` sends
 * it and gives what came in neutral words, `tell` adds what came and its results as the client's own types have them,
 * `say` adds a question.
 */
const clients = {
  'openai-chat': {
    missing: /must be followed by a tool message for each; missing|no tool message for call_paris/,
    of: ({ baseURLs }) => new OpenAI({ baseURL: baseURLs['openai-chat'], apiKey: 'key', maxRetries: 0 }),
    start: () => [{ role: 'user', content: question }],
    request: (messages) => ({
      model: 'scripted',
      messages,
      tools: [{ type: 'function', function: { name: 'weather', description, parameters } }],
    }),
    async ask(client, messages, stream) {
      const body = this.request(messages)
      if (!stream) {
        const {
          choices: [{ message, finish_reason: finish }],
          usage,
        } = await client.chat.completions.create({ ...body, stream: false })
        return { came: message, ...this.read(message, finish, usage) }
      }
      const run = client.chat.completions.stream(body)
      let reasoning = ''
      for await (const chunk of run) reasoning += chunk.choices[0]?.delta.reasoning_content ?? ''
      const {
        choices: [{ message, finish_reason: finish }],
      } = await run.finalChatCompletion()
      const { role, content, tool_calls } = message
      const calls = tool_calls?.map(({ id, type, function: { name, arguments: text } }) => ({
        id,
        type,
        function: { name, arguments: text },
      }))
      const came = { role, content, ...(calls?.length ? { tool_calls: calls } : {}) }
      return { came, ...this.read({ ...came, reasoning_content: reasoning }, finish, await run.totalUsage()) }
    },
    read: ({ content, reasoning_content: reasoning, tool_calls: calls = [] }, finish, usage) => ({
      reasoning,
      text: content,
      finish,
      calls: calls.map(({ id, function: { name, arguments: text } }) => [id, name, JSON.parse(text)]),
      // totalUsage adds up no details
      usage: [usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details?.cached_tokens ?? 40],
    }),
    tell: (messages, { came, calls }) => [
      ...messages,
      came,
      ...calls.map(([id]) => ({ role: 'tool', tool_call_id: id, content: results[id] })),
    ],
    say: (messages, text) => [...messages, { role: 'user', content: text }],
  },

  anthropic: {
    missing: /`tool_use` ids were found without `tool_result` blocks immediately after: call_paris/,
    of: ({ url }) => new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0 }),
    start: () => [{ role: 'user', content: question }],
    request: (messages) => ({
      model: 'scripted',
      max_tokens: 4096,
      thinking: { type: 'enabled', budget_tokens: 2048 },
      messages,
      tools: [{ name: 'weather', description, input_schema: parameters }],
    }),
    async ask(client, messages, stream) {
      const body = this.request(messages)
      const message = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
      const of = (type) => message.content.filter((block) => block.type === type)
      for (const { signature } of of('thinking')) assert.match(signature, /^[A-Za-z0-9+/]{20,}=*$/)
      return {
        came: message.content,
        reasoning: of('thinking')
          .map((block) => block.thinking)
          .join(''),
        text: of('text')
          .map((block) => block.text)
          .join(''),
        calls: of('tool_use').map(({ id, name, input }) => [id, name, input]),
        finish: { end_turn: 'stop', tool_use: 'tool_calls' }[message.stop_reason],
        usage: [
          message.usage.input_tokens + message.usage.cache_read_input_tokens,
          message.usage.output_tokens,
          message.usage.cache_read_input_tokens,
        ],
      }
    },
    tell: (messages, { came, calls }) => [
      ...messages,
      { role: 'assistant', content: came },
      ...(calls.length > 0
        ? [
            {
              role: 'user',
              content: calls.map(([id]) => ({ type: 'tool_result', tool_use_id: id, content: results[id] })),
            },
          ]
        : []),
    ],
    say: (messages, text) => [...messages, { role: 'user', content: text }],
  },

  gemini: {
    missing: /number of function response parts is equal|does not match functionCall.id/,
    of: ({ url }) => new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } }),
    start: () => [{ role: 'user', parts: [{ text: question }] }],
    request: (contents) => ({
      model: 'gemini-3-scripted',
      contents,
      config: {
        thinkingConfig: { includeThoughts: true },
        tools: [{ functionDeclarations: [{ name: 'weather', description, parametersJsonSchema: parameters }] }],
      },
    }),
    async ask(client, contents, stream) {
      const body = this.request(contents)
      const answers = stream
        ? await client.models.generateContentStream(body)
        : [await client.models.generateContent(body)]
      const parts = []
      let last
      for await (const answer of answers) {
        last = answer
        parts.push(...(answer.candidates[0].content?.parts ?? []))
      }
      const calls = parts.filter((part) => part.functionCall)
      if (calls.length > 0)
        assert.deepEqual(
          calls.map((part) => part.thoughtSignature !== undefined),
          [true, false],
        ) // the first of parallel calls
      else assert.ok(parts.at(-1).thoughtSignature)
      return {
        came: parts,
        reasoning: parts
          .filter((part) => part.thought)
          .map((part) => part.text)
          .join(''),
        text: parts
          .filter((part) => part.text && !part.thought)
          .map((part) => part.text)
          .join(''),
        calls: calls.map(({ functionCall: { id, name, args } }) => [id, name, args]),
        finish: last.candidates[0].finishReason === 'STOP' ? (calls.length > 0 ? 'tool_calls' : 'stop') : 'other',
        usage: [
          last.usageMetadata.promptTokenCount,
          last.usageMetadata.candidatesTokenCount + last.usageMetadata.thoughtsTokenCount,
          last.usageMetadata.cachedContentTokenCount,
        ],
      }
    },
    tell: (contents, { came, calls }) => [
      ...contents,
      { role: 'model', parts: came },
      ...(calls.length > 0
        ? [
            {
              role: 'user',
              parts: calls.map(([id, name]) => ({ functionResponse: { id, name, response: { output: results[id] } } })),
            },
          ]
        : []),
    ],
    say: (contents, text) => [...contents, { role: 'user', parts: [{ text }] }],
  },

  'gemini-interactions': {
    missing: /Function call 'call_paris' must be followed by its function_result/,
    of: ({ url }) => new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } }),
    start: () => [{ type: 'user_input', content: [{ type: 'text', text: question }] }],
    request: (input) => ({
      model: 'gemini-3-scripted',
      input,
      store: false,
      generation_config: { thinking_summaries: 'auto' },
      tools: [{ type: 'function', name: 'weather', description, parameters }],
    }),
    async ask(client, input, stream) {
      const body = this.request(input)
      const { steps, status, usage } = stream
        ? await this.last(await client.interactions.create({ ...body, stream: true }, { maxRetries: 0 }))
        : await client.interactions.create(body)
      const of = (type) => steps.filter((step) => step.type === type)
      for (const { signature } of of('thought')) assert.match(signature, /^[A-Za-z0-9+/]{20,}=*$/)
      const texts = (contents = []) => contents.map(({ text }) => text).join('')
      return {
        came: steps,
        reasoning: of('thought')
          .map(({ summary }) => texts(summary))
          .join(''),
        text: of('model_output')
          .map(({ content }) => texts(content))
          .join(''),
        calls: of('function_call').map(({ id, name, arguments: given }) => [id, name, given]),
        finish: { requires_action: 'tool_calls', completed: 'stop' }[status] ?? 'other',
        usage: [
          usage.total_input_tokens,
          usage.total_output_tokens + usage.total_thought_tokens,
          usage.total_cached_tokens,
        ],
      }
    },
    /** The client gives events: this puts the steps together. */
    async last(events) {
      const steps = []
      const pieces = []
      for await (const event of events) {
        const { event_type: type, index, step, delta, interaction } = event
        if (type === 'error') throw new Error(event.error.message)
        if (type === 'step.start') steps[index] = { ...step }
        if (type === 'interaction.completed') return { ...interaction, steps }
        if (type === 'step.stop' && pieces[index]) steps[index].arguments = JSON.parse(pieces[index])
        if (delta?.type === 'text')
          steps[index].content = [{ type: 'text', text: (steps[index].content?.[0].text ?? '') + delta.text }]
        if (delta?.type === 'thought_summary')
          steps[index].summary = [{ type: 'text', text: (steps[index].summary?.[0].text ?? '') + delta.content.text }]
        if (delta?.type === 'thought_signature') steps[index].signature = delta.signature
        if (delta?.type === 'arguments_delta') pieces[index] = (pieces[index] ?? '') + delta.arguments
      }
      assert.fail('it has no end')
    },
    tell: (input, { came, calls }) => [
      ...input,
      ...came,
      ...calls.map(([id, name]) => ({ type: 'function_result', call_id: id, name, result: results[id] })),
    ],
    say: (input, text) => [...input, { type: 'user_input', content: [{ type: 'text', text }] }],
  },

  'openai-responses': {
    missing: /No tool output found for function call call_paris/,
    of: ({ baseURLs }) => new OpenAI({ baseURL: baseURLs['openai-responses'], apiKey: 'key', maxRetries: 0 }),
    start: () => [{ role: 'user', content: [{ type: 'input_text', text: question }] }],
    request: (input) => ({
      model: 'scripted',
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'weather', description, parameters, strict: false }],
    }),
    async ask(client, input, stream) {
      const body = this.request(input)
      const { output, status, usage } = stream
        ? await this.last(client.responses.stream(body))
        : await client.responses.create(body)
      const of = (type) => output.filter((item) => item.type === type)
      for (const { encrypted_content: encrypted } of of('reasoning')) assert.match(encrypted, /^[A-Za-z0-9+/]{20,}=*$/)
      return {
        // `stream` of the client adds what it parsed; that is not for the server
        came: output.map(({ parsed_arguments: _, ...item }) => ({
          ...item,
          ...(item.type === 'message' ? { content: item.content.map(({ parsed: __, ...part }) => part) } : {}),
        })),
        reasoning: of('reasoning')
          .flatMap((item) => item.summary)
          .map((part) => part.text)
          .join(''),
        text: of('message')
          .flatMap((item) => item.content)
          .map((part) => part.text)
          .join(''),
        calls: of('function_call').map(({ call_id: id, name, arguments: text }) => [id, name, JSON.parse(text)]),
        finish: status === 'completed' ? (of('function_call').length > 0 ? 'tool_calls' : 'stop') : 'other',
        usage: [usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens],
      }
    },
    async last(run) {
      let text = ''
      run.on('response.output_text.delta', ({ delta }) => {
        text += delta
      })
      const response = await run.finalResponse()
      assert.equal(response.output_text, text)
      return response
    },
    tell: (input, { came, calls }) => [
      ...input,
      ...came,
      ...calls.map(([id]) => ({ type: 'function_call_output', call_id: id, output: results[id] })),
    ],
    say: (input, text) => [...input, { role: 'user', content: text }],
  },

  ollama: {
    missing: /no tool message for weather/,
    of: ({ url }) => new Ollama({ host: url }),
    start: () => [{ role: 'user', content: question }],
    request: (messages) => ({
      model: 'scripted',
      messages,
      think: true,
      tools: [{ type: 'function', function: { name: 'weather', description, parameters } }],
    }),
    async ask(client, messages, stream) {
      const body = this.request(messages)
      const answers = stream ? await client.chat({ ...body, stream: true }) : [await client.chat(body)]
      const came = { role: 'assistant', content: '' }
      let last
      for await (const answer of answers) {
        last = answer
        came.content += answer.message.content
        if (answer.message.thinking) came.thinking = (came.thinking ?? '') + answer.message.thinking
        if (answer.message.tool_calls) came.tool_calls = [...(came.tool_calls ?? []), ...answer.message.tool_calls]
      }
      return {
        came,
        reasoning: came.thinking,
        text: came.content,
        calls: (came.tool_calls ?? []).map(({ id, function: { name, arguments: given } }) => [id, name, given]),
        finish: last.done_reason === 'stop' ? (came.tool_calls ? 'tool_calls' : 'stop') : 'other',
        usage: [last.prompt_eval_count, last.eval_count, 40], // Ollama counts no cache
      }
    },
    tell: (messages, { came, calls }) => [
      ...messages,
      came,
      ...calls.map(([id, name]) => ({ role: 'tool', content: results[id], tool_name: name, tool_call_id: id })),
    ],
    say: (messages, text) => [...messages, { role: 'user', content: text }],
  },
}

for (const [wire, client] of Object.entries(clients)) {
  for (const stream of [true, false]) {
    test(`${wire}: its client reads a ${stream ? 'stream' : 'whole body'}, and goes on with calls, thoughts and a second question`, async (t) => {
      const server = await startScriptedServer({ answers: [...script, { text: 'Any time.', usage }] })
      t.after(server.close)
      const official = client.of(server)
      let conversation = client.start()
      for (const expected of said) {
        const { came, ...read } = await client.ask(official, conversation, stream)
        assert.deepEqual(read, expected)
        conversation = client.tell(conversation, { came, calls: read.calls })
      }
      const { text } = await client.ask(official, client.say(conversation, 'Thank you!'), stream)
      assert.equal(text, 'Any time.')
      assert.deepEqual(
        server.requests.map((request) => request.wire),
        [wire, wire, wire],
      )
    })
  }

  test(`${wire}: its client reads a stream that is cut anywhere`, async (t) => {
    for (const chunks of ['byte', { seed: 7 }]) {
      const server = await startScriptedServer({ answers: script, chunks, deltas: 3 })
      t.after(server.close)
      const { came: _, ...read } = await client.ask(client.of(server), client.start(), true)
      assert.deepEqual(read, said[0])
    }
  })

  test(`${wire}: its client tells a refusal, an overload and a failure in mid-stream`, async (t) => {
    const server = await startScriptedServer({
      answers: [
        { status: 400, error: 'The model is not yours.' },
        { status: 503, error: 'Come back later.', headers: { 'retry-after': '7' } },
        { parts: [{ text: 'Well, ' }, { error: 'The machine burned down.' }] },
      ],
    })
    t.after(server.close)
    const ask = () => client.ask(client.of(server), client.start(), true)
    await assert.rejects(ask(), /The model is not yours\./)
    await assert.rejects(ask(), /Come back later\./)
    await assert.rejects(ask(), /The machine burned down\./)
  })

  test(`${wire}: its client is refused where a result is missing, and where a result was changed later`, async (t) => {
    const server = await startScriptedServer({ answers: [...script, ...script] })
    t.after(server.close)
    const official = client.of(server)
    const ask = (conversation) => client.ask(official, conversation, true)
    const start = client.start()
    const first = await ask(start)
    const told = client.tell(start, first)
    const second = await ask(told)
    const goOn = (conversation) => client.say(client.tell(conversation, second), 'And tomorrow?')
    await assert.rejects(
      ask(goOn(JSON.parse(JSON.stringify(told).replace('21 degrees', '12 degrees')))),
      /append only.*12 degrees|Invalid `signature`.*12 degrees/,
    )
    await assert.rejects(ask(client.tell(start, { ...first, calls: first.calls.slice(1) })), client.missing)
  })
}
