// Tools that the client brings and runs. They are a part of the turn, so they are kept with it: the next request may
// not have them.
import type { Engine } from '../../engine/core/engine.js'
import { SluiceError } from '../../engine/core/errors.js'
import { isObject, shown } from '../../engine/core/options.js'
import { tool, type Tool } from '../../engine/core/tool.js'
import { warn } from '../../engine/core/warning.js'
import { Refusal } from './leg-refusal.js'

const MOST_TOOLS = 128
const MOST_CHARACTERS = 512 * 1024

/** Why a tool may not call one of them: the client would send the result back to the model. */
export const CLIENT_RUNS_IT = 'the client runs this tool for the model alone'

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
    if (typeof name !== 'string' || name === '')
      throw new Refusal(400, `tools[${at}].name: found ${shown(name)}, expected the name of a tool`)
    if (parameters != null && !isObject(parameters))
      throw new Refusal(400, `tools[${at}].parameters: found ${shown(parameters)}, expected a JSON Schema`)
    const { $schema: _, ...schema } = parameters ?? {} // some providers refuse the member
    return {
      name,
      description: typeof description === 'string' ? description : '',
      ...(Object.keys(schema).length > 0 ? { parameters: schema } : {}),
    }
  })
  if (JSON.stringify(read).length > MOST_CHARACTERS)
    throw new Refusal(413, `tools: they are larger than ${MOST_CHARACTERS} characters`)
  // of several of one name the first
  return [...new Map(read.toReversed().map((tool) => [tool.name, tool])).values()].toReversed()
}

/** As an engine takes them. */
export const toolsOf = (tools: readonly ClientTool[]): Tool[] =>
  tools.map(({ name, description, parameters }) =>
    tool({
      name,
      description,
      ...(parameters ? { parameters } : {}),
      external: true,
      agentCallable: true,
      permission: 'public',
    }),
  )

/** Those of a saved turn. */
export function savedTools(state: string): ClientTool[] {
  const { turn } = JSON.parse(state) as { turn?: { [CLIENT_TOOLS]?: ClientTool[] } }
  return turn?.[CLIENT_TOOLS] ?? []
}

/**
 * Those that can stand beside the engine's. A name that reaches one of these stays that one's: no client puts itself in
 * the place of what the server runs. Throws Refusal where they cannot be declared.
 */
export function clientToolsBeside(engine: Engine, tools: readonly ClientTool[]): ClientTool[] {
  for (const { name } of tools)
    if (isTaken(engine, name)) warn(`the client's tool ${JSON.stringify(name)} is left out, there is one of that name`)
  try {
    withClientTools(engine, tools, () => {})
  } catch (error) {
    if (SluiceError.is(error) && error.code === 'option') throw new Refusal(400, `tools: ${error.message}`)
    throw error
  }
  return tools.filter(({ name }) => !isTaken(engine, name))
}

/** What `use` makes with an engine that has those of these tools, too, whose names are free. */
export function withClientTools<T>(engine: Engine, tools: readonly ClientTool[], use: (engine: Engine) => T): T {
  const both = engineBeside(engine, tools)
  try {
    return use(both)
  } finally {
    if (both !== engine) both.close() // a run keeps what it needs
  }
}

/** The same engine, which whoever asked for it closes: the engine itself where no name is free. */
export function engineBeside(engine: Engine, tools: readonly ClientTool[]): Engine {
  const own = tools.filter(({ name }) => !isTaken(engine, name))
  return own.length === 0 ? engine : engine.beside(toolsOf(own))
}

const isTaken = (engine: Engine, name: string): boolean => engine.resolve(name).tool !== undefined
