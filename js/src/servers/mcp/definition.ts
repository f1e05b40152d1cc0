// A tool as a server tells it: checked, bounded, and with the digest by which a change is seen.
import { createHash } from 'node:crypto'
import { escapeInvisible } from '../../app/bridge/invisible.js'
import type { Json, JsonObject } from '../../engine/core/events.js'
import { isObject, shown } from '../../engine/core/options.js'

/** What a server says of a tool of its own. */
export interface McpTool {
  /** The name that the server knows. */
  readonly name: string
  /** For people, in the server's words. */
  readonly title?: string
  /** For the model, in the server's words. */
  readonly description?: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema?: JsonObject
  /** What the tool says of itself; nobody checked it. */
  readonly annotations?: {
    /** The name that people read. */
    readonly title?: string
    /** Whether the tool says that it changes nothing. */
    readonly readOnlyHint?: boolean
    /** It may delete or overwrite. */
    readonly destructiveHint?: boolean
    /** Called twice, it does no more than once. */
    readonly idempotentHint?: boolean
    /** It reaches what lies outside. */
    readonly openWorldHint?: boolean
  }
}

/** So many tools of a server are read. */
export const MOST_TOOLS = 2000
/** Characters of a definition, and of all of a server's. */
const LONGEST = 100_000
export const LONGEST_OF_ALL = 10_000_000
const DEEPEST = 64
const LONGEST_NAME = 128

/** A definition that can be used, or what is wrong with it. `size`: its characters. */
export type Read =
  | { name: string; tool: McpTool; digest: string; size: number }
  | { name: string; fault: string; reason: 'name' | 'definition' | 'task' }

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** Reads what the server sent. */
export function readTool(given: unknown): Read {
  const name = isObject(given) ? given['name'] : undefined
  if (!isObject(given) || typeof name !== 'string')
    return { name: '', reason: 'name', fault: `found a tool with the name ${shown(name)}, expected a string` }
  // The name stands in requests, in prompts, in rules and in questions.
  if (name.length > LONGEST_NAME || !/^[\p{L}\p{M}\p{N}_.:/@-]+$/u.test(name) || escapeInvisible(name) !== name)
    return {
      name: escapeInvisible(shown(name)),
      reason: 'name',
      fault: `found a name of ${name.length} characters, expected letters, digits and _ - . : / @, at most ${LONGEST_NAME}`,
    }
  const { title, description, inputSchema, outputSchema, execution } = given
  const fault = (what: string): Read => ({ name, reason: 'definition', fault: what })
  if (!isObject(inputSchema))
    return fault(`inputSchema: found ${shown(inputSchema)}, expected a JSON Schema of an object`)
  for (const [member, value] of Object.entries({ title, description }))
    if (value !== undefined && typeof value !== 'string')
      return fault(`${member}: found ${shown(value)}, expected a string`)
  if (outputSchema !== undefined && !isObject(outputSchema))
    return fault(`outputSchema: found ${shown(outputSchema)}, expected a JSON Schema of an object`)
  if (isObject(execution) && execution['taskSupport'] === 'required')
    return { name, reason: 'task', fault: 'it runs only as a task, which is not supported' }
  const annotations = isObject(given['annotations']) ? annotationsOf(given['annotations']) : undefined
  const tool = {
    name,
    ...defined({ title, description, inputSchema, outputSchema, annotations }),
  } as unknown as McpTool
  try {
    const text = canonical(tool as unknown as Json)
    if (text.length > LONGEST)
      return fault(`found a definition of ${text.length} characters, expected at most ${LONGEST}`)
    return { name, tool, digest: createHash('sha256').update(text).digest('hex'), size: text.length }
  } catch (error) {
    return fault((error as Error).message)
  }
}

/** Only the hints that are known, and only where they are what they should be. */
function annotationsOf(given: { [member: string]: unknown }): McpTool['annotations'] {
  const title = typeof given['title'] === 'string' ? given['title'] : undefined
  return defined({
    title,
    ...Object.fromEntries(hints.map((hint) => [hint, typeof given[hint] === 'boolean' ? given[hint] : undefined])),
  })
}

const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T

/**
 * JSON with the members of every object in order, so that the same definition has the same text. Throws where it is
 * nested too deeply.
 */
export function canonical(value: Json, depth = 0): string {
  if (depth > DEEPEST) throw new Error(`found a definition that is nested deeper than ${DEEPEST}`)
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, depth + 1)}`).join(',')}}`
}
