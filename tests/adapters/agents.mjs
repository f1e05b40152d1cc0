// AG-UI's `HttpAgent`, of both eras, over a handler that is called in its `fetch`.
import { built } from '../js/dist.mjs'
import { stage } from '../js/support.mjs'

const { agUIHandler } = await built('sluice/ag-ui')
const { memoryConversations } = await built('sluice/conversations')

export const eras = {
  'ag-ui 1.0.0': { load: () => import('ag-ui-1'), current: true },
  'ag-ui 0.0.59': { load: () => import('ag-ui-0'), current: false },
}

/**
 * A model that gives these answers, the handler in front of it, and a client: `client.agent`, `client.events`,
 * `client.posts`.
 */
export async function agentStage(
  t,
  sdk,
  { answers, tools, handler: more = {}, run: settings = {}, store = memoryConversations(), ...client },
) {
  const { server, engine } = await stage(t, { answers, tools })
  const run = (request) => ({
    model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' },
    ...(typeof settings === 'function' ? settings(request) : settings),
  })
  const options = { run, store, authorize: () => true, ...more }
  const handler = agUIHandler(engine, options)
  return { server, engine, store, options, handler, ...open(sdk, handler, client) }
}

/** A client of a thread. */
export function open(sdk, handler, { threadId = 'thread', messages = [], pendingInterrupts, ...init } = {}) {
  const [posts, events] = [[], []]
  const agent = new sdk.HttpAgent({
    url: 'http://app.test/agent',
    threadId,
    initialMessages: messages,
    ...init,
    fetch: async (url, init) => {
      posts.push(JSON.parse(init.body))
      return await handler(new Request(url, init))
    },
  })
  if (pendingInterrupts) agent.pendingInterrupts = pendingInterrupts
  agent.subscribe({
    onEvent: ({ event }) => {
      events.push(event)
    },
  })
  /** Runs with a new message, or without one; `parameters` as `runAgent` takes them. */
  const ask = async (text, parameters) => {
    events.length = 0
    if (text !== undefined) agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text })
    return await agent.runAgent(parameters)
  }
  return { agent, posts, events, ask, last: () => events.at(-1) }
}

/** The messages of a client, short: texts, calls with their arguments, results. */
export const told = ({ messages }) =>
  messages.flatMap(({ role, content, toolCalls = [] }) => {
    const calls = toolCalls.map(({ function: { name, arguments: args } }) => `${name} ${args}`)
    const text =
      role === 'reasoning'
        ? `(${content})`
        : role === 'tool'
          ? `= ${typeof content === 'string' ? content : JSON.stringify(content)}`
          : content
    return [...(text ? [text] : []), ...calls]
  })

export const typesOf = (events) => events.map(({ type }) => type)
export const ofType = (events, type) => events.filter((event) => event.type === type)
