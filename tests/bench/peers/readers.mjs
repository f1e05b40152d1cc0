// Who reads an answer in `npm run bench:peers`: Sluice in four ways, the clients of others, and JavaScript by hand.
// Each is made for one workload, reads it once per call, and returns a function that tells what it read: looking is not
// measured.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { hermesToolMiddleware, qwen3CoderToolMiddleware } from '@ai-sdk-tool/parser'
import { jsonSchema, streamText, tool as aiTool, wrapLanguageModel } from 'ai'
import { createParser } from 'eventsource-parser'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import OpenAI from 'openai'
import { Engine, tool as sluiceTool } from 'sluice'
import { tool } from './workloads.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const native = createRequire(import.meta.url)(process.env.SLUICE_ADDON ?? join(root, 'build/release/sluice.node'))

const request = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const limits = { argumentBytes: 1 << 24, callsPerRound: 1000 }
const settings = ({ protocol }) => ({
  wire: 'openai-chat',
  execution: 'parallel',
  maxConcurrentTools: 1000,
  maxCalls: 1000,
  limits,
  ...(protocol ? { mode: 'text', protocol } : {}),
})
const declared = { ...tool, permission: 'public', agentCallable: true }
const COMPLETE = 0
const MESSAGE = 2

const response = ({ pieces }) => {
  let next = 0
  const body = new ReadableStream(
    { pull: (controller) => (next < pieces.length ? controller.enqueue(pieces[next++]) : controller.close()) },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** What a message of Sluice holds. */
const inMessage = ({ blocks }) => ({
  text: blocks
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text)
    .join(''),
  calls: blocks.filter(({ type }) => type === 'tool_use').map(({ name, arguments: args }) => ({ name, args })),
})

// -- Sluice -----------------------------------------------------------------------------------------------------------

function engineAlone(workload) {
  const engine = native.engineNew(JSON.stringify({ tools: [declared] }))
  const document = JSON.stringify({ ...settings(workload), request })
  return () => {
    const turn = native.turnNew(engine, document)
    for (const piece of workload.pieces) native.feed(turn, piece)
    native.finish(turn, COMPLETE, null)
    while (native.nextEvent(turn) !== null);
    return () => {
      const message = JSON.parse(native.get(turn, MESSAGE))
      native.turnFree(turn)
      return inMessage(message)
    }
  }
}

function turn(workload) {
  const engine = new Engine({ tools: [sluiceTool(declared)] })
  return () => {
    const turn = engine.turn({ ...settings(workload), request })
    let text = ''
    const calls = []
    const take = (events) => {
      for (const event of events) {
        if (event.type === 'text') text += event.text
        else if (event.type === 'execute') calls.push({ name: event.name, args: event.arguments })
      }
    }
    take(turn.events())
    for (const piece of workload.pieces) take(turn.step(piece))
    turn.finish()
    take(turn.events())
    return () => {
      turn.close()
      return { text, calls }
    }
  }
}

function run(workload) {
  const engine = new Engine({ tools: [sluiceTool(declared)] })
  const { wire: _, ...rest } = settings(workload)
  return async () => {
    const run = engine.run({
      ...rest,
      model: { baseURL: 'http://bench.invalid/v1', name: 'm' },
      messages: request.messages,
      transport: async () => response(workload),
    })
    let text = ''
    const calls = []
    for await (const event of run) {
      if (event.type === 'text') text += event.text
      else if (
        event.type === 'execute' &&
        calls.push({ name: event.name, args: event.arguments }) === workload.calls.length
      )
        run.cancel() // the calls are not answered
    }
    return () => ({ text, calls })
  }
}

// -- others -----------------------------------------------------------------------------------------------------------

function openai(workload) {
  const client = new OpenAI({
    apiKey: 'x',
    baseURL: 'http://bench.invalid/v1',
    fetch: async () => response(workload),
    maxRetries: 0,
  })
  const { name, description, parameters } = tool
  const tools = [{ type: 'function', function: { name, description, parameters } }]
  return async () => {
    const stream = client.chat.completions.stream({ ...request, tools })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    const {
      choices: [{ message }],
    } = await stream.finalChatCompletion()
    return () => ({
      text,
      calls: (message.tool_calls ?? []).map((call) => ({
        name: call.function.name,
        args: JSON.parse(call.function.arguments),
      })),
    })
  }
}

const middlewares = { hermes: hermesToolMiddleware, 'qwen3-coder': qwen3CoderToolMiddleware }

function ai(workload) {
  const bare = createOpenAICompatible({
    name: 'bench',
    baseURL: 'http://bench.invalid/v1',
    fetch: async () => response(workload),
  })('m')
  const model = workload.protocol
    ? wrapLanguageModel({ model: bare, middleware: middlewares[workload.protocol] })
    : bare
  const tools = { [tool.name]: aiTool({ description: tool.description, inputSchema: jsonSchema(tool.parameters) }) }
  return async () => {
    const { fullStream } = streamText({ model, messages: request.messages, tools })
    let text = ''
    const calls = []
    for await (const part of fullStream) {
      if (part.type === 'text-delta') text += part.text
      else if (part.type === 'tool-call') calls.push({ name: part.toolName, args: part.input })
    }
    return () => ({ text, calls })
  }
}

// -- by hand ----------------------------------------------------------------------------------------------------------

/** Adds up deltas. The calls of a text format are found at the end. */
class Appended {
  text = ''
  #calls = []

  add(data) {
    if (data === '[DONE]') return
    const { content, tool_calls = [] } = JSON.parse(data).choices[0].delta
    if (content) this.text += content
    for (const {
      index,
      function: { name = '', arguments: more = '' },
    } of tool_calls) {
      const call = (this.#calls[index] ??= { name: '', args: '' })
      call.name += name
      call.args += more
    }
  }

  end(protocol) {
    if (protocol === undefined)
      return { text: this.text, calls: this.#calls.map(({ name, args }) => ({ name, args: JSON.parse(args) })) }
    const calls = []
    const text = this.text.replace(/<tool_call>\n(.*?)\n<\/tool_call>/gs, (_, call) => {
      calls.push(byHand[protocol](call))
      return ''
    })
    return { text, calls }
  }
}

const byHand = {
  hermes(call) {
    const { name, arguments: args } = JSON.parse(call)
    return { name, args }
  },
  'qwen3-coder': (call) => ({
    name: /<function=(.*?)>/.exec(call)[1],
    args: Object.fromEntries(
      [...call.matchAll(/<parameter=(.*?)>\n(.*?)\n<\/parameter>/gs)].map(([, name, value]) => [name, value]),
    ),
  }),
}

function plain({ pieces, protocol }) {
  return () => {
    const decoder = new TextDecoder()
    const all = new Appended()
    let rest = ''
    for (const piece of pieces) {
      const events = (rest + decoder.decode(piece, { stream: true })).split('\n\n')
      rest = events.pop()
      for (const event of events) all.add(event.slice('data: '.length))
    }
    const read = all.end(protocol)
    return () => read
  }
}

function eventsource({ pieces, protocol }) {
  return () => {
    const decoder = new TextDecoder()
    const all = new Appended()
    const parser = createParser({ onEvent: ({ data }) => all.add(data) })
    for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }))
    const read = all.end(protocol)
    return () => read
  }
}

/** What every client of a `Response` pays: nothing is read in the bytes. */
function body(workload) {
  return async () => {
    const reader = response(workload).body.getReader()
    while (!(await reader.read()).done);
    return () => ({ text: workload.text, calls: workload.calls })
  }
}

/** `over`: the formats of text that it reads, where those are not all. */
export const readers = [
  { name: 'Turn', about: '`Turn`: `step` for every piece', make: turn },
  { name: 'run', about: '`run()`, over a `Response`', make: run },
  { name: 'engine', about: 'the addon alone: fed, polled at the end', make: engineAlone },
  { name: 'body', about: 'the body of the `Response` read, and nothing done', make: body },
  { name: 'openai', about: '`openai`: `chat.completions.stream`', make: openai, over: [] },
  {
    name: 'ai',
    about: '`ai`: `streamText`, with `@ai-sdk/openai-compatible`; formats of text by `@ai-sdk-tool/parser`',
    make: ai,
    over: Object.keys(middlewares),
  },
  { name: 'eventsource', about: '`eventsource-parser`, `JSON.parse`, append', make: eventsource },
  {
    name: 'plain',
    about: 'plain JavaScript: `split`, `JSON.parse`, append; a regular expression at the end',
    make: plain,
  },
]
