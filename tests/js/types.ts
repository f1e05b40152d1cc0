// Compiled only: what a user writes must be typed as documented. `@ts-expect-error` marks what must not compile.
import {
  Engine,
  fileRules,
  resultParts,
  SluiceError,
  tool,
  type Block,
  type Run,
  type RunResult,
  type SluiceEvent,
  type Tool,
  type ToolContext,
} from 'sluice'
import OpenAI, { type ClientOptions } from 'openai'
import { createHost, type Bridge, type HostConnection, type WindowPeer, type WindowRights } from 'sluice/host'
import { live2dTools, live2dTriggerChannels } from 'sluice/live2d'
import { openAIHandler, textToolCalls, type TextToolCallDiagnostic } from 'sluice/openai'
import { startScriptedServer } from 'sluice/testing'
import { findPageFile, nodeListener, packagePages, serve, type FoundFile } from 'sluice/web'
import { z } from 'zod'

const weather = tool({
  name: 'weather.now',
  description: 'The weather.',
  parameters: z.object({ city: z.string(), days: z.number().default(1) }),
  permission: 'public',
  agentCallable: true,
  execute: async ({ city, days }, { signal, progress }) => {
    const name: string = city
    const count: number = days
    progress(`${name} ${count}`)
    signal.throwIfAborted()
    // @ts-expect-error: cities are no numbers
    const wrong: number = city
    return { wrong }
  },
})

const plain: Tool = tool({
  name: 'plain',
  parameters: { type: 'object', properties: { anything: {} } },
  execute: (args) => resultParts({ type: 'text', text: String(args['anything']) }),
})

// Members that do not exist are refused; those that begin with x- are the app's.
export const wrong = [
  // @ts-expect-error: maxRounds
  new Engine({ maxRound: 3 }),
  // @ts-expect-error: it belongs into `request`
  new Engine({ temperature: 0.3 }),
  // @ts-expect-error: execution
  new Engine({ approvals: { exec: () => 'once' } }),
  // @ts-expect-error: apiKey
  () => engine.run({ model: { baseURL: 'http://x/v1', name: 'm', apikey: 'x' }, messages: [] }),
  // @ts-expect-error: it belongs into `request`
  () => engine.run({ model: { baseURL: 'http://x/v1', name: 'm' }, messages: [], temperature: 0.3 }),
  // @ts-expect-error: anthropic
  () => engine.run({ model: { provider: 'claude', name: 'm' }, messages: [] }),
  // @ts-expect-error: provider, or baseURL
  () => engine.run({ model: { name: 'm' }, messages: [] }),
  // @ts-expect-error: a wire that does not exist
  () => engine.run({ model: { baseURL: 'http://x', wire: 'openai', name: 'm' }, messages: [] }),
  // @ts-expect-error: a limit that does not exist
  new Engine({ limits: { dept: 3 } }),
  // @ts-expect-error: answers
  () => startScriptedServer({ answer: [] }),
  new Engine({ 'x-mine': { anything: 1 } }),
]

/** Blocks are told apart by their type. */
export function told(block: Block): string {
  if (block.type === 'text' || block.type === 'reasoning') return block.text
  if (block.type === 'tool_use') return block.reason === 'timeout' ? 'slow' : (block.modelOutput ?? String(block.call))
  if (block.type === 'media') return block.parts.map((part) => (part.type === 'file' ? part.name : part.type)).join()
  return block.code === 'http' ? block.detail : (block.hint ?? '')
}

export function decide(run: Run, event: SluiceEvent): void {
  if (event.type === 'approval' && event.name === 'rm') run.deny(event, JSON.stringify(event.arguments))
  else if (event.type === 'approval') run.approve(event, { remember: 'turn' })
  if (event.type === 'diagnostic' && event.code === 'no_callable_tool') console.warn(event.detail)
  // @ts-expect-error: text has no call
  if (event.type === 'text') run.approve(event)
}

// @ts-expect-error: no such level
tool({ name: 'x', permission: 'everyone' })

const engine = new Engine({
  tools: [
    weather,
    plain,
    ...live2dTools({ expressions: ['smile'], motions: { Idle: 2 }, channels: live2dTriggerChannels }),
  ],
  rules: fileRules('rules.json'),
  maxRounds: 3,
  approvals: {
    execution: async (ask) => (ask.level === 'sensitive' ? { decision: 'deny', reason: ask.name } : 'once'),
    result: () => 'release',
  },
})

// What a JSON Schema in the code says, `execute` gets.
tool({
  name: 'typed',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      mode: { enum: ['read', 'write'] },
      lines: { type: 'array', items: { type: 'integer' } },
      at: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    },
    required: ['path', 'at'],
  },
  execute: ({ path, mode, lines, at }) => {
    const all: [string, 'read' | 'write' | undefined, number[] | undefined, number] = [path, mode, lines, at.x]
    // @ts-expect-error: it may be left out
    const always: number[] = lines
    return [...all, ...always]
  },
})

// What a tool returns, and what comes back from its card.
const measured = tool({
  name: 'measured',
  output: z.object({ grams: z.number() }),
  execute: async () => ({ grams: 5 }),
})
const counted = tool({
  name: 'counted',
  output: { type: 'object', properties: { lines: { type: 'integer' } }, required: ['lines'] },
  execute: () => ({ lines: 7 }),
})
// @ts-expect-error: grams
tool({ name: 'wrong', output: z.object({ grams: z.number() }), execute: () => ({ gram: 5 }) })
export const results = (block: Block): number | undefined =>
  block.type === 'tool_use' ? (measured.resultOf(block)?.grams ?? counted.resultOf(block)?.lines) : undefined

// A tool that wants the run's own context: its engine's runs must bring it.
const mine = tool({ name: 'mine', execute: (_, { context }: ToolContext<{ user: string }>) => context.user })
const personal = new Engine({ tools: [weather, mine] })
const conditions = {
  model: { baseURL: 'http://x/v1', name: 'm' },
  messages: [{ role: 'user' as const, content: 'Hello' }],
}
export const runs = [
  () => personal.run({ ...conditions, context: { user: 'Ann' } }),
  // @ts-expect-error: context
  () => personal.run(conditions),
  // @ts-expect-error: context.user
  () => personal.run({ ...conditions, context: { name: 'Ann' } }),
  () => new Engine({ tools: [weather] }).run(conditions),
  () => engine.run({ ...conditions, model: { provider: 'anthropic', apiKey: 'x', name: 'm' } }),
  () =>
    engine.run({
      ...conditions,
      model: { provider: 'openai', wire: 'openai-chat', path: '/chat', headers: { 'x-a': 'b' }, name: 'm' },
    }),
  // @ts-expect-error: a hook that does not exist
  () => engine.run({ ...conditions, beforeSend: () => {} }),
  () =>
    engine.run({
      ...conditions,
      retries: ({ status, attempt, delayMs }) => (status === 429 && attempt < 9 ? 1000 : delayMs),
    }),
  // @ts-expect-error: milliseconds, or null
  () => engine.run({ ...conditions, retries: () => 'soon' }),
  () => engine.run({ ...conditions, beforeRequest: async ({ messages }) => ({ messages: messages.slice(-5) }) }),
  // @ts-expect-error: what it gets is not changed in place
  () => engine.run({ ...conditions, beforeRequest: ({ messages }) => void messages.push({ role: 'user' }) }),
  async () => engine.resume((await engine.run(conditions).suspend()) ?? '', { model: { baseURL: 'http://x/v1' } }),
  () => engine.resume('', { model: { provider: 'gemini' } }),
  // @ts-expect-error: provider, or baseURL
  () => engine.resume('', { model: { apiKey: 'x' } }),
  // @ts-expect-error: the turn keeps its settings
  () => engine.resume('', { model: { baseURL: 'http://x/v1' }, maxRounds: 3 }),
]

export async function main(): Promise<RunResult> {
  await using server = await startScriptedServer({ answers: [{ text: 'x' }, { status: 503 }], chunks: { seed: 1 } })
  const run = engine.run({
    model: { baseURL: server.baseURL, name: 'm' },
    messages: [{ role: 'user', content: 'Hello' }],
    mode: 'text',
    protocol: 'vcp',
    signal: AbortSignal.timeout(1000),
  })
  for await (const event of run) show(event)
  const { message, history, outcome } = await run.done
  const next = [...history, { role: 'user' as const, content: outcome }]
  engine.run({ model: { baseURL: server.baseURL, name: 'm' }, messages: next })
  for (const block of message.blocks) if (block.type === 'tool_use') console.log(block.call, block.status)
  return run.done
}

function show(event: SluiceEvent): void {
  if (event.type === 'text') console.log(event.text)
  if (event.type === 'approval') console.log(event.digest, event.stage)
  // @ts-expect-error: only some events have text
  console.log(event.text)
  if (event.type === 'ipc') console.log(event.channel, event.payload)
}

try {
  engine.remove('plain')
} catch (error) {
  if (error instanceof SluiceError) console.error(error.code, error.path, error.hint)
}

/** A host behind a transport of the app's own. */
export function connected(peer: WindowPeer): { connection: HostConnection; bridge: Bridge } {
  const host = createHost(engine, { run: () => ({ model: { baseURL: 'http://x/v1', name: 'm' } }) })
  const rights: WindowRights = { read: true }
  // @ts-expect-error: there is no such right
  host.bridge({ look: true })
  return { connection: host.connect(peer), bridge: host.bridge(rights) }
}

export const page = async (path: string): Promise<FoundFile> => findPageFile({ ...packagePages, '/': 'pages' }, path)
// @ts-expect-error: routes are POST only
export const got = serve({ roots: {}, routes: { 'GET /x': () => 1 } })

// What stands between OpenAI's client and a server is the client's own option.
export const ofClient: ClientOptions['fetch'] = textToolCalls({
  protocol: ['hermes', { id: 'vcp', lenient: true }],
  onDiagnostic: ({ model, code }: TextToolCallDiagnostic) => console.log(model, code),
})
export const client = new OpenAI({ apiKey: 'none', baseURL: 'http://127.0.0.1:8000/v1', fetch: textToolCalls() })
export const listener = nodeListener(openAIHandler({ baseURL: 'http://127.0.0.1:8000/v1', fetch: textToolCalls() }))
// @ts-expect-error: baseURL
openAIHandler({ protocol: 'auto' })
// @ts-expect-error: protocol
textToolCalls({ protokoll: 'auto' })
