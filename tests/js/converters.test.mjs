// The converters of the AI SDK as a second opinion on what the engine sends: the same conversation through both, and
// the same answers. Bodies are equal but for the differences listed here.
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import { ask as askConverter, converters } from './converters.mjs'
import { cards } from './support.mjs'
import { ask, ended, kept, looking, modelOf, pixel, stage, wires } from './wires-support.mjs'

const list = (value) => (Array.isArray(value) ? value : [])

/** Of a list of messages, their parts; of anthropic and gemini too. */
const partsOf = ({ messages, contents }) =>
  list(messages ?? contents).flatMap(({ content, parts }) => list(content ?? parts))
const responsesOf = (body) => partsOf(body).flatMap(({ functionResponse }) => functionResponse ?? [])
const callsOf = (content) => list(content.parts).filter(({ functionCall }) => functionCall)

/** A failure's words, which the AI SDK wraps in an object. */
const unwrapped = (text) => (typeof text === 'string' && text.startsWith('{"error"') ? JSON.parse(text).error : text)

/**
 * Why a body of ours is not one of theirs: what to change in either, so that they are equal. `only`: of what was
 * echoed, or of what was rebuilt.
 */
const differences = {
  'openai-chat': [
    {
      why: 'servers of this wire take thoughts back, and some want the name of the tool with its result',
      ours: ({ messages }) =>
        messages.forEach((message) => {
          delete message.reasoning_content
          if (message.role === 'tool') delete message.name
        }),
    },
    {
      why: 'a result has no place for an image here: a message behind it has; the AI SDK writes its bytes as text',
      ours: (body) => {
        body.messages = body.messages.filter(({ content }) => content?.[0]?.text !== 'The images of the tool results:')
      },
      theirs: ({ messages }) =>
        messages.forEach((message) => {
          if (message.role === 'tool' && message.content.startsWith('['))
            message.content = JSON.parse(message.content)[0].text
        }),
    },
    {
      why: 'a failure is told in plain words',
      only: 'echoed',
      theirs: ({ messages }) =>
        messages.forEach((message) => {
          message.content = unwrapped(message.content)
        }),
    },
  ],
  'gemini-interactions': [
    {
      why: 'a result is a step of its own, as the types of the official client have it; the AI SDK makes it a content of the user',
      theirs: (body) => {
        body.input = body.input.flatMap((step) => {
          const results = list(step.content).filter(({ type }) => type === 'function_result')
          return results.length > 0 ? results : [step]
        })
      },
    },
    {
      why: 'the type of a file that only has an address is not known',
      only: 'echoed',
      theirs: ({ input }) =>
        input
          .flatMap(({ content }) => list(content))
          .forEach((content) => {
            if (content.uri) delete content.mime_type
          }),
    },
    {
      why: 'Gemini 3 refuses calls that nobody signed; the AI SDK signs them on its other wire alone',
      only: 'rebuilt',
      ours: ({ input }) =>
        input.forEach((step) => {
          if (step.signature === 'skip_thought_signature_validator') delete step.signature
        }),
    },
  ],
  'openai-responses': [
    {
      why: 'a text may stand for a list of one',
      theirs: ({ input }) => {
        input[0].content = [{ type: 'input_text', text: input[0].content }]
      },
    },
    {
      why: 'the type wants `detail`',
      ours: ({ input }) =>
        input
          .flatMap(({ content, output }) => [...list(content), ...list(output)])
          .forEach((part) => {
            if (part.type === 'input_image') delete part.detail
          }),
    },
    {
      why: 'items go back as they came; the AI SDK rebuilds them where nothing is stored',
      only: 'echoed',
      ours: (body) => {
        body.input = body.input.map(({ id, status, type, ...item }) => {
          if (type === 'message') return { role: item.role, content: item.content[0].text }
          return { ...item, ...(type && { type }), ...(type === 'reasoning' && { id, ...(status && { status }) }) }
        })
      },
    },
    {
      why: 'a failure is told in plain words',
      only: 'echoed',
      theirs: ({ input }) =>
        input.forEach((item) => {
          if (item.output) item.output = unwrapped(item.output)
        }),
    },
  ],
  anthropic: [
    {
      why: 'the AI SDK adds what may be thought to what may be said',
      theirs: (body) => {
        body.max_tokens -= body.thinking.budget_tokens
      },
    },
    {
      why: 'the AI SDK asks for arguments that nobody has checked to be JSON',
      theirs: ({ tools }) =>
        tools.forEach((tool) => {
          delete tool.eager_input_streaming
        }),
    },
    {
      why: 'blocks go back as they came',
      only: 'echoed',
      ours: (body) =>
        partsOf(body).forEach((part) => {
          if (part.type === 'text') delete part.citations
        }),
    },
    {
      why: 'blocks go back in their order; the AI SDK moves calls behind text',
      only: 'echoed',
      ours: ({ messages }) =>
        messages.forEach(({ content }) =>
          content.sort((one, other) => (one.type === 'tool_use') - (other.type === 'tool_use')),
        ),
    },
    {
      why: 'a refused call failed',
      ours: (body) =>
        partsOf(body).forEach((part) => {
          if (/^Not run/.test(part.content)) delete part.is_error
        }),
    },
  ],
  gemini: [
    {
      why: 'results stand under the key that is documented',
      theirs: (body) =>
        responsesOf(body).forEach((given) => {
          const { name: _, content, ...response } = given.response
          given.response = content === undefined ? response : { output: content }
        }),
    },
    {
      why: 'a signature stays in the part that it came in',
      only: 'echoed',
      ours: ({ contents }) =>
        contents.forEach((content) => {
          const last = content.parts.at(-1)
          if (last.text === '' && last.thoughtSignature)
            Object.assign(content.parts.at(-2), { thoughtSignature: content.parts.pop().thoughtSignature })
        }),
    },
    {
      why: 'the type of a file that only has an address is not known',
      only: 'echoed',
      theirs: (body) => partsOf(body).forEach(({ fileData }) => delete fileData?.mimeType),
    },
    {
      why: 'ids of other providers mean nothing to this one',
      only: 'rebuilt',
      theirs: (body) =>
        partsOf(body).forEach(({ functionCall, functionResponse }) => {
          delete functionCall?.id
          delete functionResponse?.id
        }),
    },
    {
      why: 'only the first of parallel calls is ever signed',
      only: 'rebuilt',
      theirs: ({ contents }) =>
        contents.forEach((content) =>
          callsOf(content)
            .slice(1)
            .forEach((part) => delete part.thoughtSignature),
        ),
    },
  ],
}

/** Makes both equal by the listed differences, each of which must be one. */
function compare(wire, kind, ours, theirs) {
  for (const { why, only, ...change } of differences[wire]) {
    if ((only ?? kind) !== kind) continue
    const before = JSON.stringify([ours, theirs])
    if (change.ours) ours.forEach(change.ours)
    if (change.theirs) theirs.forEach(change.theirs)
    assert.notEqual(JSON.stringify([ours, theirs]), before, `${wire}: no difference any more: ${why}`)
  }
  assert.equal(ours.length, theirs.length)
  for (const [at, body] of ours.entries()) assert.deepEqual(body, theirs[at], `request ${at + 1}`)
}

// -- the conversation, in both words

const tools = [
  ['camera_look', 'Takes a picture.', { type: 'object', properties: {} }],
  ['files_delete', 'Deletes a file.', { type: 'object', properties: { path: { type: 'string' } } }],
  ['weather_now', 'The weather.', { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }],
].map(([name, description, inputSchema]) => ({ type: 'function', name, description, inputSchema }))

const system = { role: 'system', content: 'Be brief.' }
const user = (...content) => ({ role: 'user', content })
const text = (words) => ({ type: 'text', text: words })
const file = (mediaType, data, more) => ({ type: 'file', mediaType, data, ...more })
const picture = file('image/png', { type: 'data', data: pixel })

/** The results of these calls, as the AI SDK has them. */
const results = (calls, of) => ({
  role: 'tool',
  content: calls.map(({ toolCallId, toolName }) => {
    const { status, modelOutput: told, parts, output } = of.find(({ wireId }) => wireId === toolCallId)
    const value =
      status === 'denied'
        ? { type: 'execution-denied', reason: told }
        : status === 'error'
          ? { type: 'error-text', value: told }
          : parts
            ? { type: 'content', value: [text(parts[0].text), picture] }
            : { type: 'json', value: JSON.parse(output) }
    return { type: 'tool-result', toolCallId, toolName, output: value }
  }),
})

const weather = (city) => ({ name: 'weather_now', arguments: { city }, id: `call_${city}` })

/** Passes on what is asked, and keeps the bytes of every answer. */
function recording(answers) {
  return async ({ url, ...init }, signal) => {
    const response = await fetch(url, { ...init, signal })
    const bytes = Buffer.from(await response.arrayBuffer())
    answers.push(bytes)
    return new Response(bytes, response)
  }
}

for (const wire of Object.keys(converters)) {
  const request = wires[wire]

  test(`${wire}: a conversation of this provider goes back as the AI SDK sends it`, async (t) => {
    const { server, engine } = await stage(t, {
      answers: [
        { reasoning: 'I look first.', text: 'Let me look. ', calls: looking },
        {
          parts: [
            { reasoning: 'And the weather.' },
            { call: weather('Paris') },
            { text: ' And there: ' },
            { call: weather('Atlantis') },
          ],
        },
        { reasoning: 'Enough.', text: ' A red dot, 21 degrees.\n' },
        { reasoning: 'Polite.', text: 'Any time.' },
      ],
    })
    const answers = []
    const options = { model: { ...modelOf(server, wire), cache: 'off' }, request, transport: recording(answers) }
    const first = [
      text('What is this, and how is the weather?'),
      { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
    ]
    const second = [
      text('And these?'),
      { type: 'image_url', image_url: { url: 'https://images.example/a.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]
    const messages = ask([system], first)
    const result = ended(await engine.run({ ...options, messages }).done, server)
    ended(await engine.run({ ...options, messages: ask(kept(messages, result), second) }).done, server)
    assert.equal(answers.length, 4)

    let prompt = [system, user(first[0], picture)]
    const theirs = []
    for (const answer of answers) {
      const { body, message } = await askConverter(wire, options.model.name, { prompt, tools, answer })
      theirs.push(body)
      const calls = message.content.filter(({ type }) => type === 'tool-call')
      const next =
        calls.length > 0
          ? results(calls, cards(result))
          : user(
              second[0],
              file('image/png', { type: 'url', url: new URL('https://images.example/a.png') }),
              file('application/pdf', { type: 'data', data: 'JVBERi0=' }, { filename: 'a.pdf' }),
            )
      prompt = [...prompt, message, next]
    }
    compare(
      wire,
      'echoed',
      server.requests.map(({ body }) => body),
      theirs,
    )
  })

  test(`${wire}: a conversation of another provider is told as the AI SDK tells it`, async (t) => {
    const { server, engine } = await stage(t, {
      answers: [{ text: 'Let me look. ', calls: looking }, { text: 'A red dot.' }, { text: 'Any time.' }],
    })
    const messages = ask([system], 'What is this?')
    const result = ended(
      await engine.run({ model: modelOf(server, 'ollama'), messages, request: wires.ollama }).done,
      server,
    )
    const answers = []
    const model = { ...modelOf(server, wire), cache: 'off' }
    ended(
      await engine.run({
        model,
        request,
        messages: ask(kept(messages, result), 'Thanks!'),
        transport: recording(answers),
      }).done,
      server,
    )

    const calls = cards(result).map(({ wireId, askedName, arguments: input }) => ({
      type: 'tool-call',
      toolCallId: wireId,
      toolName: askedName,
      input,
    }))
    const assistant = (...content) => ({ role: 'assistant', content })
    const prompt = [
      system,
      user(text('What is this?')),
      assistant(text('Let me look. '), ...calls),
      results(calls, cards(result)),
      assistant(text('A red dot.')),
      user(text('Thanks!')),
    ]
    const { body } = await askConverter(wire, model.name, { prompt, tools, answer: answers[0] })
    compare(wire, 'rebuilt', [server.requests.at(-1).body], [body])
  })
}
