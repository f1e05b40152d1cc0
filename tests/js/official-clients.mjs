// What the official client of each wire makes of an answer's bytes, and what the engine makes of them, in the same
// words: text, reasoning, calls as [name, arguments]. Arguments that are no JSON stay text.
import { createServer } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { Engine } from 'sluice'

/** A server whose every answer is the bytes that were put last, as they stand. */
export async function serveBytes(t) {
  let answer
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': answer.type }).end(answer.bytes))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    put: (bytes, type) => {
      answer = { bytes, type }
    },
  }
}

/** Arguments as a value; text that is no JSON stays text, and none at all are `{}`. */
function given(text) {
  if (typeof text !== 'string') return text ?? {}
  try {
    return JSON.parse(text || '{}')
  } catch {
    return text
  }
}

const texts = (list) => list.map((text) => text ?? '').join('')
const question = 'How is the weather?'
const once = { apiKey: 'key', maxRetries: 0, logLevel: 'off' }

/** By wire: asks at this address, and reads the answer to its end. */
export const clients = {
  async 'openai-chat'(url) {
    const run = new OpenAI({ baseURL: url, ...once }).chat.completions.stream({
      model: 'm',
      messages: [{ role: 'user', content: question }],
    })
    let reasoning = ''
    for await (const { choices } of run) {
      // the client's message has no reasoning: its chunks have
      const { delta } = choices.find(({ index }) => index === 0) ?? {}
      const thought = delta?.reasoning_content ?? delta?.reasoning ?? delta?.reasoning_text
      if (typeof thought === 'string') reasoning += thought
    }
    const { message } = (await run.finalChatCompletion()).choices[0]
    return {
      text: texts([message.content, message.refusal]),
      reasoning,
      calls: (message.tool_calls ?? []).map((call) => [call.function.name, given(call.function.arguments)]),
    }
  },

  async 'openai-responses'(url) {
    const { output } = await new OpenAI({ baseURL: url, ...once }).responses
      .stream({ model: 'm', input: question })
      .finalResponse()
    const of = (type) => output.filter((item) => item.type === type)
    return {
      text: texts(
        of('message')
          .flatMap(({ content }) => content)
          .map(({ text, refusal }) => text ?? refusal),
      ),
      reasoning: texts(
        of('reasoning')
          .flatMap(({ summary, content }) => [...(summary ?? []), ...(content ?? [])])
          .map(({ text }) => text),
      ),
      calls: output.flatMap((item) =>
        item.type === 'function_call'
          ? [[item.name, given(item.arguments)]]
          : item.type === 'custom_tool_call'
            ? [[item.name, { input: item.input }]]
            : [],
      ),
    }
  },

  async anthropic(url) {
    const { content } = await new Anthropic({ baseURL: url, ...once }).messages
      .stream({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: question }] })
      .finalMessage()
    const of = (type) => content.filter((block) => block.type === type)
    return {
      text: texts(of('text').map(({ text }) => text)),
      reasoning: texts(of('thinking').map(({ thinking }) => thinking)),
      calls: of('tool_use').map(({ name, input }) => [name, input]),
    }
  },

  async gemini(url) {
    const answers = await new GoogleGenAI({
      apiKey: 'key',
      httpOptions: { baseUrl: url },
    }).models.generateContentStream({ model: 'm', contents: question })
    const parts = []
    for await (const { candidates } of answers) parts.push(...(candidates?.[0]?.content?.parts ?? []))
    return {
      text: texts(parts.filter(({ thought }) => !thought).map(({ text }) => text)),
      reasoning: texts(parts.filter(({ thought }) => thought).map(({ text }) => text)),
      calls: parts
        .filter(({ functionCall }) => functionCall)
        .map(({ functionCall: { name, args } }) => [name, args ?? {}]),
    }
  },

  async ollama(url) {
    const answers = await new Ollama({ host: url }).chat({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: question }],
    })
    const messages = []
    for await (const { message } of answers) messages.push(message)
    return {
      text: texts(messages.map(({ content }) => content)),
      reasoning: texts(messages.map(({ thinking }) => thinking)),
      calls: messages
        .flatMap(({ tool_calls: calls }) => calls ?? [])
        .map(({ function: { name, arguments: args } }) => [name, given(args)]),
    }
  },
}

/** What the engine makes of an answer of this wire. */
export function readByEngine(wire, bytes) {
  const engine = new Engine()
  const turn = engine.turn({ wire })
  try {
    turn.feed(bytes)
    turn.finish()
    const { blocks } = turn.message
    const joined = (wanted) => texts(blocks.filter(({ type }) => type === wanted).map(({ text }) => text))
    const errors = blocks.filter(({ type }) => type === 'error').map(({ code, detail }) => ({ code, detail }))
    const called = blocks.filter(({ type, source }) => type === 'tool_use' && source !== 'provider')
    return {
      text: joined('text'),
      reasoning: joined('reasoning'),
      calls: called.map(({ name, arguments: args, rawArguments: raw }) => [name, args ?? given(raw)]),
      errors,
    }
  } finally {
    turn.close()
    engine.close()
  }
}
