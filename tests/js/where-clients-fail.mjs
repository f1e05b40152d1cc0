// Where an official client is no second opinion: it throws, or loses something. Each reason is looked for in the bytes,
// and frees only what it names: `throws` are the client's own words, `differs` the members in which it reads something
// else, `same` what holds of both readings all the same; with `agrees` that is everything that was said.

/** An answer for the reasons below: its text, the payloads of its events as text, and those that are objects. */
export function looked(bytes) {
  const text = bytes.toString('utf8')
  const payloads = text
    .split(/\r\n|\r|\n/)
    .flatMap((line) =>
      line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : line.startsWith('{') ? [line] : [],
    )
  const objects = payloads.flatMap((payload) => objectOf(payload) ?? [])
  return { text, payloads, objects }
}

function objectOf(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const list = (value) => (Array.isArray(value) ? value : [])
const isBroken = (payload) => objectOf(payload) === undefined
const noWhite = (text) => text.replace(/\s/g, '')
const isText = (args) => typeof args === 'string'

// -- tags of reasoning in the text: the clients show them

const tag = /<\/?think>/
const noTags = (text) => noWhite(text.replace(/<\/?think>/g, ''))
const tags = {
  why: 'reasoning in tags is text to the client',
  differs: ['text', 'reasoning'],
  agrees: true,
  holds: ({ text }) => tag.test(text) || text.includes('\\u003cthink') || text.includes('\\u003c/think'),
  same: (client, engine) =>
    [engine.text, engine.reasoning + engine.text].some((text) => noTags(client.text) === noTags(text)),
}

// -- openai-chat

const choices = ({ objects }) => objects.flatMap((chunk) => list(chunk.choices))
const deltas = (answer) =>
  choices(answer)
    .filter(({ index }) => index === 0)
    .flatMap(({ delta }) => delta ?? [])
const pieces = (answer) => deltas(answer).flatMap(({ tool_calls: calls }) => list(calls))

/** What stands under each index, as a client joins it. */
function joined(answer) {
  const calls = new Map()
  for (const { index, type, function: said } of pieces(answer)) {
    const call = calls.get(index) ?? { type, text: '', names: 0 }
    calls.set(index, {
      ...call,
      text: call.text + (isText(said?.arguments) ? said.arguments : ''),
      names: call.names + (said?.name ? 1 : 0),
    })
  }
  return [...calls.values()]
}

const lacksText = (client, engine) => client.text === '' && engine.text !== ''

const chat = [
  tags,
  {
    why: 'text of a choice, of a delta or of speech: the client knows no such member',
    differs: ['text'],
    agrees: true,
    same: lacksText,
    holds: (answer) =>
      choices(answer).some(
        ({ text, delta }) => isText(text) || isText(delta?.text) || isText(delta?.audio?.transcript),
      ),
  },
  {
    why: 'a call without its index',
    throws: /invalid tool call index/,
    holds: (answer) => pieces(answer).some(({ index }) => !(Number.isInteger(index) && index >= 0)),
  },
  {
    why: 'a first call whose index is not 0',
    throws: /reading 'id'/,
    holds: (answer) => Math.min(...pieces(answer).map(({ index }) => index)) > 0,
  },
  {
    why: 'a call of a custom tool',
    throws: /reading 'name'/,
    holds: (answer) => pieces(answer).some(({ type }) => type === 'custom'),
  },
  {
    why: 'a call whose first delta has no type',
    throws: /missing `type`/,
    holds: (answer) => joined(answer).some(({ type }) => !type),
  },
  {
    why: 'an event that is neither JSON nor exactly [DONE]',
    throws: /malformed server-sent event JSON/,
    holds: ({ payloads }) => payloads.some((payload) => payload !== '[DONE]' && isBroken(payload)),
  },
  {
    why: 'no finish reason',
    throws: /missing finish_reason for choice/,
    holds: (answer) =>
      [0, 1].some((at) => !choices(answer).some(({ index, finish_reason: finish }) => index === at && finish)),
  },
  { why: 'no role', throws: /missing role/, holds: (answer) => !deltas(answer).some(({ role }) => role) },
  {
    why: 'no event at all',
    throws: /ended without sending any chunks/,
    holds: ({ objects, text }) => objects.length === 0 || !/^data:/m.test(text),
  },
  {
    why: 'a choice without its index',
    throws: /invalid choice index/,
    holds: (answer) => choices(answer).some(({ index }) => !Number.isInteger(index)),
  },
  {
    why: 'an event without choices',
    throws: /choices is not iterable/,
    holds: ({ objects }) => objects.some((chunk) => !Array.isArray(chunk.choices)),
  },
  {
    why: 'a call of the time before tool_calls without a name',
    throws: /missing function_call\.name/,
    holds: (answer) =>
      !deltas(answer).some((delta) => delta.function_call?.name) && deltas(answer).some((delta) => delta.function_call),
  },
  {
    why: 'an error without words: the client says it as it stands',
    throws: /^\[\]$/,
    holds: ({ objects }) => objects.some(({ error }) => Array.isArray(error) && error.length === 0),
  },
  {
    why: 'an event by the name of error that is a part of the answer',
    throws: /"choices"/,
    holds: ({ text }) => /^event: error\ndata: \{"choices"/m.test(text),
  },
  {
    why: 'an error in a field of its own: the client passes it over',
    throws: /./,
    holds: ({ text }) => /^error:/m.test(text),
  },
  {
    why: 'several calls, or arguments said twice, under one index: the client joins them',
    differs: ['calls'],
    holds: (answer) => joined(answer).some(({ text }) => text !== '' && isBroken(text)),
    same: (client) => client.calls.some(([, args]) => isText(args)),
  },
  {
    why: 'a name in pieces: the last one counts',
    differs: ['calls'],
    holds: (answer) => joined(answer).some(({ names }) => names > 1),
    same: (client, engine) => client.calls.every(([name], at) => engine.calls[at][0].endsWith(name)),
  },
  {
    why: 'arguments that are the word null',
    differs: ['calls'],
    holds: (answer) => joined(answer).some(({ text }) => text === 'null'),
    same: (client) => client.calls.some(([, args]) => args === null),
  },
  {
    why: 'content in parts',
    differs: ['text', 'reasoning'],
    holds: (answer) => deltas(answer).some(({ content }) => Array.isArray(content)),
    same: (client) => client.text.includes('[object Object]'),
  },
  {
    why: 'a growing message beside its deltas',
    differs: ['text'],
    holds: (answer) => choices(answer).some(({ message }) => message),
    same: (client, engine) => client.text.startsWith(engine.text),
  },
  {
    why: 'a call of the time before tool_calls',
    differs: ['calls'],
    holds: (answer) =>
      choices(answer).some(
        ({ delta, message }) => (delta ?? message)?.function_call || (delta ?? message)?.functionCall,
      ),
    same: (client) => client.calls.length === 0,
  },
  {
    why: 'reasoning that stands in its details only',
    differs: ['reasoning'],
    holds: (answer) => deltas(answer).some(({ reasoning_details: details }) => details),
    same: (client) => client.reasoning === '',
  },
]

// -- openai-responses

const ofType = ({ objects }, type) => objects.filter((event) => event.type === type)
const itemsOf = (answer, type) => ofType(answer, type).map(({ output_index: at }) => at)

const responses = [
  {
    why: 'an end with an empty output',
    differs: ['text', 'reasoning', 'calls'],
    holds: (answer) =>
      ofType(answer, 'response.completed').some(({ response }) => response.output?.length === 0) &&
      itemsOf(answer, 'response.output_item.done').length > 0,
    same: (client) => client.calls.length === 0 && client.text === '',
  },
  {
    why: 'a custom call that the provider ran: the client takes it for one of the app',
    differs: ['calls'],
    holds: (answer) =>
      itemsOf(answer, 'response.output_item.done').length > 0 &&
      answer.text.includes('"custom_tool_call"') &&
      answer.text.includes('"message"'),
    same: (client, engine) => engine.calls.length < client.calls.length,
  },
  {
    why: 'another id at the end',
    throws: /identity changed/,
    holds: ({ objects }) => new Set(objects.flatMap(({ response }) => response?.id ?? [])).size > 1,
  },
  {
    why: 'an item that was not added',
    throws: /missing output at index/,
    holds: (answer) =>
      answer.objects.some(
        ({ output_index: at }) => at !== undefined && !itemsOf(answer, 'response.output_item.added').includes(at),
      ),
  },
  {
    why: 'text at the end that is not what was streamed',
    differs: ['text'],
    holds: (answer) => ofType(answer, 'response.output_text.done').length > 0,
    same: (client, engine, answer) =>
      engine.text ===
        ofType(answer, 'response.output_text.delta')
          .map(({ delta }) => delta)
          .join('') &&
      client.text ===
        ofType(answer, 'response.output_text.done')
          .map(({ text }) => text)
          .join(''),
  },
]

// -- anthropic

const blocks = (answer) => ofType(answer, 'content_block_start')
const inputs = (answer) =>
  blocks(answer).map(({ index }) =>
    ofType(answer, 'content_block_delta')
      .filter((event) => event.index === index)
      .map(({ delta }) => delta.partial_json ?? '')
      .join(''),
  )

const anthropic = [
  {
    why: 'a delta whose block never began',
    throws: /reading 'type'/,
    holds: (answer) => {
      const begun = new Set(ofType(answer, 'content_block_start').map(({ index }) => index))
      return ofType(answer, 'content_block_delta').some(({ index }) => !begun.has(index))
    },
  },
  {
    why: 'a block or a delta of text that says another type, or none',
    differs: ['text', 'reasoning'],
    agrees: true,
    same: lacksText,
    holds: (answer) =>
      ofType(answer, 'content_block_delta').some(
        ({ delta }) => delta.type === undefined || delta.type === 'output_text_delta',
      ),
  },
  {
    why: '[DONE] behind the end',
    throws: /"\[DONE\]" is not valid JSON/,
    holds: ({ payloads }) => payloads.includes('[DONE]'),
  },
  {
    why: 'input that is no JSON',
    throws: /is not valid JSON/,
    holds: (answer) => inputs(answer).some((text) => text !== '' && isBroken(text)),
  },
  {
    why: 'input that was cut: the client guesses its end',
    differs: ['calls'],
    holds: (answer) => inputs(answer).some((text) => text !== '' && isBroken(text)),
    same: (client, engine) =>
      client.calls.length === engine.calls.length && engine.calls.some(([, args]) => isText(args)),
  },
  {
    why: 'events without their line `event:`',
    throws: /ended without sending any chunks/,
    holds: ({ text }) => !/^event: message_start/m.test(text),
  },
  {
    why: 'a second message_start',
    throws: /got message_start before/,
    holds: (answer) => ofType(answer, 'message_start').length > 1,
  },
  {
    why: 'a message_start without content',
    throws: /reading 'push'/,
    holds: (answer) => ofType(answer, 'message_start').some(({ message }) => !Array.isArray(message.content)),
  },
  {
    why: 'an event by the name of error that tells none: the client takes it for one',
    throws: /./,
    holds: ({ text }) => /^event: error\ndata: (?!.*"error")/m.test(text),
  },
  {
    why: 'a message_delta without usage',
    throws: /reading 'output_tokens'/,
    holds: (answer) => ofType(answer, 'message_delta').some(({ usage }) => !usage),
  },
  {
    why: 'no message_stop',
    throws: /ended without producing a Message/,
    holds: (answer) => ofType(answer, 'message_stop').length === 0,
  },
]

// -- gemini

const parts = ({ objects }) =>
  objects.flatMap(({ candidates }) => list(candidates)).flatMap(({ content }) => list(content?.parts))
const functionCalls = (answer) => parts(answer).flatMap(({ functionCall }) => functionCall ?? [])

const gemini = [
  {
    why: 'a part in the place of the list of parts',
    throws: /requires \.\.\.iterable/,
    holds: ({ objects }) =>
      objects.some(({ candidates }) =>
        list(candidates).some(({ content }) => content?.parts && !Array.isArray(content.parts)),
      ),
  },
  {
    why: 'content that is a text, or has one',
    differs: ['text'],
    agrees: true,
    same: lacksText,
    holds: ({ objects }) =>
      objects.some(({ candidates }) =>
        list(candidates).some(({ content }) => isText(content) || isText(content?.text)),
      ),
  },
  {
    why: 'a body that is no event, or a last one without its blank line',
    throws: /Incomplete JSON segment/,
    holds: ({ text }) => !/^data:/.test(text) || !/(\n\n|\r\r|\r\n\r\n)$/.test(text),
  },
  {
    why: '[DONE], or an event that is no JSON',
    throws: /Unexpected (token|end)|Expected '/,
    holds: ({ payloads }) => payloads.some(isBroken),
  },
  {
    why: 'arguments in pieces: the client does not put them together',
    differs: ['calls'],
    holds: (answer) => functionCalls(answer).some((call) => call.partialArgs || call.willContinue),
    same: (client) => client.calls.every(([, args]) => Object.keys(args).length === 0),
  },
  {
    why: 'several answers in one event: the client reads none of them',
    differs: ['text', 'reasoning', 'calls'],
    holds: ({ payloads }) => payloads.some((data) => data.trimStart().startsWith('[')),
    same: (client) => client.text === '' && client.calls.length === 0,
  },
  {
    why: 'a text that is a number, or a thought that is a word: the client takes both as they stand',
    differs: ['text', 'reasoning'],
    holds: (answer) =>
      parts(answer).some(({ text, thought }) => typeof text === 'number' || typeof thought === 'string'),
    same: (client, engine) => noWhite(client.text + client.reasoning).length > engine.text.length,
  },
  {
    why: 'other candidates',
    differs: ['text'],
    holds: ({ objects }) => objects.some(({ candidates }) => list(candidates).some(({ index }) => index > 0)),
  },
]

// -- ollama

const ollama = [
  tags,
  {
    why: 'content that is a part, or parts: the client joins them as texts',
    differs: ['text'],
    agrees: true,
    same: (client) => client.text.includes('[object Object]'),
    holds: ({ objects }) =>
      objects.some(({ message }) => typeof message?.content === 'object' && message.content !== null),
  },
  {
    why: 'no line says that it is done',
    throws: /Did not receive done/,
    holds: ({ text }) => !text.split('\n').some((line) => objectOf(line)?.done) || !text.endsWith('\n'),
  },
  {
    why: 'a line without a message',
    throws: /'content' of 'undefined'/,
    holds: ({ objects }) => objects.some(({ message }) => !message),
  },
  {
    why: 'a call without a function',
    throws: /reading 'name'|of null/,
    holds: ({ objects }) => objects.some(({ message }) => list(message?.tool_calls).some((call) => !call?.function)),
  },
]

export const reasons = { 'openai-chat': chat, 'openai-responses': responses, anthropic, gemini, ollama }
