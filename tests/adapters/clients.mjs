// Each client of OpenAI's chat completions, in the same words: `ask(question, { fetch, baseURL, stream })` runs the
// tool `get_weather` that the model calls, and gives what the model said, the cities that the tool was asked for, and
// why the last answer ended. What goes wrong is thrown.
import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

let found
const major = Number(process.versions.node.split('.')[0])
const sunny = ({ city }) => `sunny in ${city}`
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** `openai`: `runTools` makes the requests until the model is done. */
const ofOpenAI =
  (load) =>
  async ({ baseURL, fetch, stream }) => {
    const { default: OpenAI } = await load()
    const client = new OpenAI({ baseURL, apiKey: 'key', fetch, maxRetries: 1 })
    const cities = []
    const tool = {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather.',
        parameters: schema,
        parse: JSON.parse,
        function: (given) => {
          cities.push(given.city)
          return sunny(given)
        },
      },
    }
    const run = client.chat.completions.runTools({
      model: 'm',
      stream,
      messages: [{ role: 'user', content: 'Weather?' }],
      tools: [tool],
    })
    const {
      choices: [{ message, finish_reason }],
    } = await run.finalChatCompletion()
    return { text: message.content, cities, finish: finish_reason }
  }

/** `ai`: `streamText` and `generateText` over @ai-sdk/openai-compatible. */
const ofAiSdk =
  (load, loadProvider) =>
  async ({ baseURL, fetch, stream }) => {
    const { generateText, streamText, stepCountIs, isStepCount = stepCountIs, jsonSchema, tool } = await load()
    const { createOpenAICompatible } = await loadProvider()
    const cities = []
    const get_weather = tool({
      description: 'The weather.',
      inputSchema: jsonSchema(schema),
      execute: (given) => {
        cities.push(given.city)
        return sunny(given)
      },
    })
    const options = {
      model: createOpenAICompatible({ name: 'test', baseURL, fetch })('m'),
      prompt: 'Weather?',
      tools: { get_weather },
      stopWhen: isStepCount(4),
      maxRetries: 1,
    }
    let failure
    const result = stream
      ? streamText({
          ...options,
          onError: ({ error }) => {
            failure ??= error
          },
        })
      : await generateText(options)
    if (stream) await result.consumeStream()
    if (failure) throw failure
    return {
      text: await result.text,
      cities,
      finish:
        { 'tool-calls': 'tool_calls', 'content-filter': 'content_filter' }[await result.finishReason] ??
        (await result.finishReason),
    }
  }

async function joined(chunks) {
  let message
  for await (const chunk of chunks) message = message?.concat(chunk) ?? chunk
  return message
}

/** LangChain's ChatOpenAI, and the loop that its users write. */
async function langchain({ baseURL, fetch, stream }) {
  const { ChatOpenAI } = await import('@langchain/openai')
  const { HumanMessage, ToolMessage } = await import('@langchain/core/messages')
  const model = new ChatOpenAI({
    model: 'm',
    apiKey: 'key',
    maxRetries: 1,
    configuration: { baseURL, fetch },
  }).bindTools([
    { type: 'function', function: { name: 'get_weather', description: 'The weather.', parameters: schema } },
  ])
  const cities = []
  const messages = [new HumanMessage('Weather?')]
  for (;;) {
    const message = stream ? await joined(await model.stream(messages)) : await model.invoke(messages)
    messages.push(message)
    for (const { id, args } of message.tool_calls) {
      cities.push(args.city)
      messages.push(new ToolMessage({ tool_call_id: id, content: sunny(args) }))
    }
    if (message.tool_calls.length === 0)
      return { text: message.text, cities, finish: message.response_metadata.finish_reason }
  }
}

/** The client of Python, as a process: it takes no `fetch`, so `baseURL` is a server with the handler. */
async function python({ baseURL, stream }) {
  const script = fileURLToPath(new URL('client.py', import.meta.url))
  const { stdout } = await promisify(execFile)(pythonWith(), [script, baseURL, stream ? 'stream' : 'whole']).catch(
    ({ stderr, message }) => {
      throw new Error(stderr || message)
    },
  )
  return JSON.parse(stdout)
}

/**
 * A Python that has the client: that of js/scripts/test-suites.mjs, which installs it where pip can, or the system's.
 * Undefined where there is none.
 */
export const pythonWith = () =>
  (found ??=
    [fileURLToPath(new URL('../../build/python-clients/bin/python', import.meta.url)), 'python3', 'python'].find(
      hasClient,
    ) ?? null) ?? undefined
const hasClient = (program) => spawnSync(program, ['-c', 'import openai'], { stdio: 'ignore' }).status === 0

const newer = major < 22 && `Node ${process.versions.node}: it needs Node 22`
export const clients = {
  'openai 6': { ask: ofOpenAI(() => import('openai-6')) },
  'openai 7': { ask: ofOpenAI(() => import('openai')), skip: newer },
  'ai 6, @ai-sdk/openai-compatible 2': {
    ask: ofAiSdk(
      () => import('ai-6'),
      () => import('compatible-6'),
    ),
  },
  'ai 7, @ai-sdk/openai-compatible 3': {
    ask: ofAiSdk(
      () => import('ai-7'),
      () => import('compatible-7'),
    ),
    skip: newer,
  },
  'LangChain ChatOpenAI': { ask: langchain, skip: newer },
  'openai of Python': {
    ask: python,
    served: true,
    skip: !pythonWith() && 'pip cannot install the openai client of Python here',
  },
}
