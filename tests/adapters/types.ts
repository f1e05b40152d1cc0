// Compiled by types.test.mjs: what `textToolCalls()` returns is what each client's option wants.
import { ChatOpenAI } from '@langchain/openai'
import { createOpenAICompatible as ofAiSdk6 } from 'compatible-6'
import { createOpenAICompatible as ofAiSdk7 } from 'compatible-7'
import type { ClientOptions as OfOpenAI7 } from 'openai'
import type { ClientOptions as OfOpenAI6 } from 'openai-6'
import { textToolCalls } from '../../js/dist/esm/servers/openai/index.js'

const fetch = textToolCalls({ protocol: 'auto' })
export const ofOpenAI6: OfOpenAI6['fetch'] = fetch
export const ofOpenAI7: OfOpenAI7['fetch'] = fetch
export const providers = [
  ofAiSdk6({ name: 'a', baseURL: 'http://127.0.0.1:8000/v1', fetch }),
  ofAiSdk7({ name: 'a', baseURL: 'http://127.0.0.1:8000/v1', fetch }),
]
export const langchain = new ChatOpenAI({ configuration: { fetch } })
// @ts-expect-error: it is a function
export const wrong: OfOpenAI6['fetch'] = { fetch }

// What toUIMessageStream gives is a stream of either major's chunks, and `decide` takes either major's Chat, and what
// useChat gives.
import { Chat as Chat6, useChat as useChat6 } from 'ai-react-6'
import { Chat as Chat7, useChat as useChat7 } from 'ai-react-7'
import {
  createUIMessageStreamResponse as respond6,
  type UIMessage as Message6,
  type UIMessageChunk as Chunk6,
} from 'ai-6'
import {
  createUIMessageStreamResponse as respond7,
  type UIMessage as Message7,
  type UIMessageChunk as Chunk7,
} from 'ai-7'
import { decide } from '../../js/dist/esm/servers/ai-sdk/decide-client.js'
import {
  chatHandler,
  pageStore,
  toChatMessages,
  toUIMessages,
  toUIMessageStream,
} from '../../js/dist/esm/servers/ai-sdk/index.js'
import type { Conversations } from '../../js/dist/esm/app/conversations/index.js'
import type { Durable } from '../../js/dist/esm/servers/durable/index.js'
import type { ChatMessage, Engine, Json, Run } from '../../js/dist/esm/index.js'

export const of6 = (run: Run): [ReadableStream<Chunk6>, Response] => [
  toUIMessageStream(run),
  respond6({ stream: toUIMessageStream(run) }),
]
export const of7 = (run: Run): [ReadableStream<Chunk7>, Response] => [
  toUIMessageStream(run),
  respond7({ stream: toUIMessageStream(run) }),
]
export const decided = [
  decide(new Chat6({}), 'a', { approved: true, arguments: { path: 'x' } }),
  decide(new Chat7({}), 'a', { approved: true }),
  decide(useChat6(), 'a', { approved: true, remember: 'turn' }),
  decide(useChat7(), 'a', { approved: false, reason: 'no' }),
]

// A first load gives messages of the app's own type, and those of either major are read.
export async function loaded(engine: Engine, store: Conversations): Promise<ChatMessage[][]> {
  const of6: Message6<{ shown: boolean }>[] = await toUIMessages(engine, store, 'a')
  const of7: Message7[] = await toUIMessages(engine, store, 'a')
  useChat6({ messages: of6 })
  useChat7({ messages: of7 })
  return [toChatMessages(of6), toChatMessages(of7)]
}
export const stateless = (engine: Engine): unknown =>
  chatHandler(engine, {
    run: () => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' } }),
    store: pageStore({ encryption: 'x'.repeat(32) }),
    authorize: () => true,
  })

// Durable turns stand in for the engine.
export const durably = (turns: Durable, store: Conversations): unknown[] => [
  chatHandler(turns, { store, authorize: () => true, start: ({ id, body }) => ({ system: id, data: body }) }),
  toUIMessages<Message6>(turns, store, 'a'),
  toUIMessages<Message7>(turns, store, 'a'),
]
export const twice = (turns: Durable, store: Conversations): unknown =>
  chatHandler(turns, {
    store,
    authorize: () => true,
    // @ts-expect-error: how a turn is run says `durable`
    run: () => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' } }),
  })
export const unkept = (turns: Durable): unknown =>
  // @ts-expect-error: turns need a store of conversations
  chatHandler(turns, { store: pageStore({ encryption: 'x'.repeat(32) }), authorize: () => true })

// Clients of both generations are what `mcpTools` takes.
import { Client as McpClient1 } from '@modelcontextprotocol/sdk/client/index.js'
import { Client as McpClient2 } from '@modelcontextprotocol/client'
import { mcpTools, type McpTools } from '../../js/dist/esm/servers/mcp/index.js'

const info = { name: 'a', version: '1' }
export const ofServers: Promise<McpTools>[] = [
  mcpTools(new McpClient1(info), { server: 'one', expose: 'all' }),
  mcpTools(new McpClient2(info, { versionNegotiation: { mode: 'auto' } }), {
    server: 'two',
    expose: ['a'],
    permission: { a: 'moderate' },
    onElicit: ({ schema }) => (schema ? { content: { a: 1 } } : 'decline'),
  }),
]
// @ts-expect-error: what a model may call is said out loud
export const unsaid = mcpTools(new McpClient2(info), { server: 'two' })

// What agUIHandler gives is the whole of a client's `fetch`, of either era; what a client sends is its input, and what
// toAGUIEvents gives goes over the wire as it is.
import { HttpAgent as Agent0, type RunAgentInput as Input0 } from 'ag-ui-0'
import {
  HttpAgent as Agent1,
  type Interrupt as Interrupt1,
  type RunAgentInput as Input1,
  type TokenUsage as Usage1,
} from 'ag-ui-1'
import {
  agUIHandler,
  toAGUIEvents,
  type AGUIInterrupt,
  type RunAgentInput,
  type AGUITokenUsage,
} from '../../js/dist/esm/servers/ag-ui/index.js'

export const agents = (handler: ReturnType<typeof agUIHandler>): (Agent0 | Agent1)[] =>
  [Agent0, Agent1].map(
    (Agent) => new Agent({ url: 'http://in.process/', fetch: (url, init) => handler(new Request(url, init)) }),
  )
export const inputs = (older: Input0, newer: Input1): RunAgentInput[] => [older, newer]
export const interrupt = (given: AGUIInterrupt): Interrupt1 => given
export const usage = (given: AGUITokenUsage[]): Usage1[] => given
export const sharing = (engine: Engine<{ setState: (state: Json) => void }>, store: Conversations): unknown =>
  agUIHandler(engine, {
    store,
    authorize: () => true,
    run: ({ setState }) => {
      setState({ cart: [] })
      return { model: { baseURL: 'http://127.0.0.1:1/v1', name: 'm' }, context: { setState } }
    },
  })
export const events = (run: Run, input: Input1): string[] => {
  void toAGUIEvents(run, input)
  return []
}
// The model side: a middleware for either major's models, a model and a provider for whatever takes one, and either
// major's tools.
import {
  createProviderRegistry as registry6,
  generateText as generate6,
  tool as tool6,
  wrapLanguageModel as wrap6,
  type LanguageModelMiddleware as Middleware6,
  type ToolSet as ToolSet6,
} from 'ai-6'
import {
  createProviderRegistry as registry7,
  generateText as generate7,
  streamText as stream7,
  tool as tool7,
  ToolLoopAgent,
  wrapLanguageModel as wrap7,
  type LanguageModelMiddleware as Middleware7,
  type ToolSet as ToolSet7,
} from 'ai-7'
import { z } from 'zod'
import { createSluice, fromToolSet, toolCallMiddleware } from '../../js/dist/esm/servers/ai-sdk/index.js'

const middleware = toolCallMiddleware({ protocol: 'hermes', malformed: 'report' })
export const middlewares: [Middleware6, Middleware7] = [middleware, middleware]
const sluice = createSluice({ baseURL: 'http://127.0.0.1:8000/v1' })
const inputSchema = z.object({ city: z.string() })
const tools6 = {
  get_weather: tool6({ inputSchema, execute: ({ city }) => city }),
  ask: tool6({ inputSchema, needsApproval: true }),
} satisfies ToolSet6
const tools7 = {
  get_weather: tool7({
    inputSchema,
    execute: async function* ({ city }) {
      yield city
    },
  }),
  ask: tool7({ inputSchema, needsApproval: ({ city }) => city === '' }),
} satisfies ToolSet7
export const answers = [
  generate6({ model: sluice('m'), prompt: 'Hi', tools: tools6 }),
  generate6({ model: wrap6({ model: sluice('m'), middleware }), prompt: 'Hi' }),
  registry6({ sluice }).languageModel('sluice:m'),
  generate7({ model: sluice('m'), prompt: 'Hi', tools: tools7 }),
  stream7({ model: wrap7({ model: sluice('m'), middleware }), prompt: 'Hi' }),
  registry7({ sluice }).languageModel('sluice:m'),
  new ToolLoopAgent({ model: sluice('m'), tools: tools7 }),
]
export const anyTools6 = (tools: ToolSet6) =>
  fromToolSet(tools, { permission: (name) => (name === 'get_weather' ? 'public' : 'sensitive') })
export const anyTools7 = (tools: ToolSet7) => fromToolSet(tools, { messages: () => [] })
export const made = [...fromToolSet(tools6), ...fromToolSet(tools7, { permission: 'moderate' })]
export const durableThreads = (turns: Durable, store: Conversations): unknown =>
  agUIHandler(turns, {
    store,
    authorize: () => true,
    start: ({ id, input }) => ({ system: id, data: { run: input.runId } }),
    reason: 'tool_call',
  })
export const abandoned = (turns: Durable, store: Conversations): unknown =>
  // @ts-expect-error: who goes away ends nothing
  agUIHandler(turns, { store, authorize: () => true, onDisconnect: 'cancel' })
