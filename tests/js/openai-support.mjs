// What the tests of sluice/openai share: a real server in the place of a model's, and answers as such servers write
// them.
import { createServer } from 'node:http'

/** A tool of a request. */
export const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
}

/** A call as hermes writes it. */
export const hermes = (args, name = 'get_weather') =>
  `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${typeof args === 'string' ? args : JSON.stringify(args)}}\n</tool_call>`

export const event = (value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
export const chunk = (delta, finish_reason = null, more = {}) =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  })
export const done = event('[DONE]')
export const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }

/** The stream of an answer that says this, in deltas of so many characters. */
export function streamOf(text, { size = 3, finish = 'stop', end = done } = {}) {
  const letters = Array.from(text)
  const deltas = Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    chunk({ content: letters.slice(at * size, (at + 1) * size).join('') }),
  )
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltas,
    chunk({}, finish),
    event({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage }),
    end,
  ].join('')
}

/** The same as one document. */
export const wholeOf = (text, finish = 'stop') =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish, logprobs: null }],
    usage,
  })

/**
 * A server whose requests are answered by `answer(request, response)`; a text or bytes that it returns are the body.
 */
export async function upstream(t, answer) {
  const requests = []
  const server = createServer(async (incoming, response) => {
    const pieces = []
    for await (const piece of incoming) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    const request = {
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : undefined,
    }
    requests.push(request)
    const body = await answer(request, response)
    if (body === undefined) return
    response.setHeader('content-type', body.toString().startsWith('{') ? 'application/json' : 'text/event-stream')
    response.end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${server.address().port}`
  return { url, baseURL: `${url}/v1`, requests }
}

/** A `fetch` that answers with these pieces. */
export const answering =
  (pieces, init = {}) =>
  async () =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const piece of pieces)
            controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
          controller.close()
        },
      }),
      init,
    )

/** Asks for a chat completion. */
export const ask = (fetch, body = {}, init = {}) =>
  fetch('http://model.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body:
      typeof body === 'string'
        ? body
        : JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [weather], ...body }),
    ...init,
  })

/** What a stream says: its chunks, comments and end, joined. */
export function readStream(text) {
  const events = text
    .replaceAll(/\r\n|\r/g, '\n')
    .split('\n\n')
    .filter(Boolean)
  const chunks = events.filter((one) => one.startsWith('data: {')).map((one) => JSON.parse(one.slice(6)))
  const choices = []
  for (const { choices: list = [] } of chunks) {
    for (const { index, delta, finish_reason } of list) {
      const choice = (choices[index] ??= { content: '', reasoning: '', calls: [], finish: [] })
      choice.content += delta.content ?? ''
      choice.reasoning += delta.reasoning_content ?? delta.reasoning ?? ''
      for (const { index: at, id, type, function: said } of delta.tool_calls ?? []) {
        if (id !== undefined) choice.calls[at] = { id, type, name: said.name, arguments: '' }
        choice.calls[at].arguments += said.arguments
      }
      if (finish_reason) choice.finish.push(finish_reason)
    }
  }
  const [first = { content: '', reasoning: '', calls: [], finish: [] }] = choices
  return {
    ...first,
    choices,
    chunks,
    comments: events.filter((one) => one.startsWith(':')),
    ends: events.filter((one) => one === 'data: [DONE]').length,
    error: chunks.find(({ error }) => error)?.error,
    usage: chunks.findLast(({ usage }) => usage)?.usage,
  }
}

/** The calls without their ids. */
export const callsOf = ({ calls }) => calls.map(({ name, arguments: args }) => [name, JSON.parse(args)])
