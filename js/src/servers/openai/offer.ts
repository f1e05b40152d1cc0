// What a request offers of tools, and what it wants of the model about them.
import { isObject, wrong } from '../../engine/core/options.js'
import { tool, type Tool } from '../../engine/core/tool.js'

/** The tools of a request. */
export interface Offer {
  /** The functions, as JSON: the same for the same tools. */
  key: string
  /** Makes them tools of an engine. Throws SluiceError `option`, with the path in the request. */
  tools(): Tool[]
  /** What is no function: it stays in the request. */
  others: unknown[]
  /** False: the model is to answer without a call. */
  wanted: boolean
  /** For the model to read, behind the guide to the tools. */
  sentences: string[]
  /** The model may make one call at most. */
  single: boolean
}

/** Of a request without tools. */
export const noOffer: Offer = { key: '[]', tools: () => [], others: [], wanted: false, sentences: [], single: false }

interface RequestedFunction {
  name: string
  description?: string
  parameters?: { [keyword: string]: unknown }
}

/** What the model reads where a request wants more than `auto`. */
const words = {
  required: 'In your next message call at least one of these tools.',
  named: (name: string): string => `In your next message call the tool ${name}.`,
  single: 'Call one tool at a time: at most one call in a message.',
}

/**
 * The tools of a request's body; undefined where it offers no functions. Throws SluiceError `option` for what is no
 * tool, or no choice.
 */
export function offerOf(body: { [member: string]: unknown }): Offer | undefined {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body
  if (!Array.isArray(tools)) return undefined
  const isFunction = (one: unknown): boolean =>
    isObject(one) && (one['type'] === 'function' || (one['type'] === undefined && isObject(one['function'])))
  const all = tools.flatMap((one, index) => (isFunction(one) ? [functionOf(one as { function?: unknown }, index)] : []))
  if (all.length === 0) return undefined
  const { functions, wanted, sentence } = choose(choice, all)
  const single = parallel === false
  return {
    key: JSON.stringify(functions),
    tools: () => functions.map(declare),
    others: tools.filter((one) => !isFunction(one)),
    wanted,
    single,
    sentences: [...(sentence === undefined ? [] : [sentence]), ...(single ? [words.single] : [])],
  }
}

function functionOf(one: { function?: unknown }, index: number): RequestedFunction {
  const { function: given } = one
  const path = `tools[${index}].function`
  if (!isObject(given)) throw wrong(path, given, 'an object with a name')
  const { name, description, parameters } = given
  if (typeof name !== 'string' || name === '') throw wrong(`${path}.name`, name, 'the name of a function')
  if (parameters != null && !isObject(parameters)) throw wrong(`${path}.parameters`, parameters, 'a JSON Schema')
  return {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(parameters == null ? {} : { parameters: parameters as { [keyword: string]: unknown } }),
  }
}

/** As the engine takes it, which is less strict than `tool()`: what a server took so far is not refused here. */
function declare({ name, description = '', parameters = { type: 'object', properties: {} } }: RequestedFunction): Tool {
  const made = tool({ name, description, agentCallable: true, permission: 'public' })
  return { ...made, declaration: { ...made.declaration, parameters } }
}

interface Choice {
  functions: RequestedFunction[]
  wanted: boolean
  sentence?: string
}

function choose(choice: unknown, functions: RequestedFunction[]): Choice {
  if (choice == null || choice === 'auto') return { functions, wanted: true }
  if (choice === 'none') return { functions, wanted: false }
  if (choice === 'required' || choice === 'any') return { functions, wanted: true, sentence: words.required }
  const named = (one: unknown): string | undefined => {
    const { name } = isObject(one) && isObject(one['function']) ? one['function'] : {}
    return typeof name === 'string' ? name : undefined
  }
  const offered = new Set<unknown>(functions.map(({ name }) => name))
  const known = (name: string | undefined, path: string): string => {
    if (offered.has(name)) return name as string
    throw wrong(path, name, 'the name of one of the tools')
  }
  if (isObject(choice) && choice['type'] === 'function')
    return { functions, wanted: true, sentence: words.named(known(named(choice), 'tool_choice.function.name')) }
  const allowed = isObject(choice) && choice['type'] === 'allowed_tools' ? choice['allowed_tools'] : undefined
  if (!isObject(allowed) || !Array.isArray(allowed['tools']))
    throw wrong('tool_choice', choice, 'none | auto | required, or an object of type function or allowed_tools')
  const names = new Set(
    allowed['tools'].map((one, index) => known(named(one), `tool_choice.allowed_tools.tools[${index}].function.name`)),
  )
  return {
    functions: functions.filter(({ name }) => names.has(name)),
    wanted: true,
    ...(allowed['mode'] === 'required' ? { sentence: words.required } : {}),
  }
}
