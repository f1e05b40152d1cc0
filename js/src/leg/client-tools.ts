// Tools that the client brings and runs. They are a part of the turn, so they are kept with it: the next request may not have them.
import { Engine } from '../core/engine.js'
import { SluiceError } from '../core/errors.js'
import { isObject, shown } from '../core/options.js'
import { tool, type Tool } from '../core/tool.js'
import { warn } from '../core/warning.js'
import { Refusal } from './refusal.js'

const MOST_TOOLS = 128
const MOST_CHARACTERS = 512 * 1024

/** Where a turn's state keeps them. The engine passes on what begins with x-. */
export const CLIENT_TOOLS = 'x-sluice-client-tools'

export interface ClientTool {
  name: string
  description: string
  parameters?: { readonly [keyword: string]: unknown }
}

/** Throws Refusal. */
export function clientToolsOf(tools: unknown): ClientTool[] {
  if (tools == null) return []
  if (!Array.isArray(tools)) throw new Refusal(400, `tools: found ${shown(tools)}, expected a list`)
  if (tools.length > MOST_TOOLS) throw new Refusal(413, `tools: found ${tools.length}, expected at most ${MOST_TOOLS}`)
  const read = tools.map((one: unknown, at) => {
    const { name, description, parameters } = isObject(one) ? one : {}
    if (typeof name !== 'string' || name === '') throw new Refusal(400, `tools[${at}].name: found ${shown(name)}, expected the name of a tool`)
    if (parameters != null && !isObject(parameters)) throw new Refusal(400, `tools[${at}].parameters: found ${shown(parameters)}, expected a JSON Schema`)
    const { $schema: _, ...schema } = parameters ?? {} // some providers refuse the member
    return { name, description: typeof description === 'string' ? description : '', ...(Object.keys(schema).length > 0 ? { parameters: schema } : {}) }
  })
  if (JSON.stringify(read).length > MOST_CHARACTERS) throw new Refusal(413, `tools: they are larger than ${MOST_CHARACTERS} characters`)
  const one = new Map(read.map((tool) => [tool.name, tool])) // of several of one name, any
  refusing(() => new Engine({ tools: toolsOf([...one.values()]) }).close())
  return read
}

/** As an engine takes them. */
export const toolsOf = (tools: readonly ClientTool[]): Tool[] =>
  tools.map(({ name, description, parameters }) => tool({ name, description, ...(parameters ? { parameters } : {}), external: true, agentCallable: true, permission: 'public' }))

/** Those of a saved turn. */
export function savedTools(state: string): ClientTool[] {
  const { turn } = JSON.parse(state) as { turn?: { [CLIENT_TOOLS]?: ClientTool[] } }
  return turn?.[CLIENT_TOOLS] ?? []
}

/**
 * What `use` makes with an engine that has these tools, too. A name that reaches one of the engine's stays that one's: no client puts itself in the place
 * of what the server runs. Throws Refusal where they cannot be declared.
 */
export function withClientTools<T>(engine: Engine, tools: readonly ClientTool[], use: (engine: Engine) => T): T {
  const own = new Map<string, ClientTool>()
  for (const one of tools) {
    if (engine.resolve(one.name).tool ?? own.has(one.name)) warn(`agUIHandler: the client's tool ${JSON.stringify(one.name)} is left out, there is one of that name`)
    else own.set(one.name, one)
  }
  if (own.size === 0) return use(engine)
  const both = refusing(() => engine.beside(toolsOf([...own.values()])))
  try {
    return use(both)
  } finally {
    both.close() // a run keeps what it needs
  }
}

function refusing<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (SluiceError.is(error) && error.code === 'option') throw new Refusal(400, `tools: ${error.message}`)
    throw error
  }
}
