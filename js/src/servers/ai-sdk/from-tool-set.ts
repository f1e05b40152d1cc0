// Tools of the AI SDK as tools of an engine.
import { SluiceError } from '../../engine/core/errors.js'
import type { JsonObject, PermissionLevel, ResultPart } from '../../engine/core/events.js'
import { func, isObject, members, oneOf, wrong, type Check } from '../../engine/core/options.js'
import { ToolError } from '../../engine/core/tool-error.js'
import { tool, type StandardSchema, type Tool, type ToolContext } from '../../engine/core/tool.js'
import { resultParts } from '../../engine/core/turn.js'
import { contentOf, type PromptPart } from './prompt.js'
import { dataOf } from './request-parts.js'

/** A tool as `tool({ … })` of the AI SDK, versions 6 and 7, makes it: what is used of it. */
export interface AISDKTool {
  /** The description that the model reads. */
  // Version 7 also takes a function of its context.
  description?: any
  /** The name that people read. */
  title?: string | undefined
  /** A Standard Schema, or what `jsonSchema()` gives. */
  inputSchema?: unknown
  /** Runs a call. Without it the tool's results come from elsewhere. */
  execute?: ((input: any, options: any) => unknown) | undefined
  /** Whether a person is asked. */
  needsApproval?: boolean | ((input: any, options: any) => unknown) | undefined
  /** What the model reads of a result. */
  toModelOutput?: ((given: any) => unknown) | undefined
}

/** What `fromToolSet` takes beside the tools. */
export interface FromToolSetOptions {
  /**
   * What a tool may do without asking: one level for all, or by name. Default `sensitive`: each call is asked about.
   * `needsApproval` of a tool only makes it stricter.
   */
  permission?: PermissionLevel | ((name: string) => PermissionLevel)
  /** The `messages` that `execute` gets, of what the run has as `context`. Default: none. */
  messages?: (context: unknown) => unknown[]
}

/** What `jsonSchema()` gives. */
interface JsonSchemaLike {
  jsonSchema: unknown
  validate?: (value: unknown) => unknown
}

const levels = oneOf('public', 'moderate', 'sensitive')
const check = members({
  members: {
    permission: ((value, path) => (typeof value === 'function' ? undefined : levels(value, path))) as Check,
    messages: func('(context) => messages'),
  } satisfies { [member in keyof Required<FromToolSetOptions>]: unknown },
})

/**
 * The tools of a `ToolSet`, for `new Engine({ tools })`: models may call each by its name. `execute` gets `{
 * toolCallId, messages, abortSignal }`, of which `toolCallId` is the call's idempotency key; a tool without `execute`
 * is `external`. Where `needsApproval` is a function, each call is asked about.
 * @throws SluiceError `option` where an option or a tool is wrong; `unsupported` for a tool that a provider runs.
 */
export function fromToolSet(tools: { readonly [name: string]: AISDKTool }, options: FromToolSetOptions = {}): Tool[] {
  check(options, 'options')
  if (!isObject(tools as unknown)) throw wrong('tools', tools, 'an object with a tool behind each name')
  return Object.entries(tools).map(([name, one]) => toolOf(name, one, options))
}

function toolOf(
  name: string,
  one: AISDKTool & { type?: string },
  { permission = 'sensitive', messages = () => [] }: FromToolSetOptions,
): Tool {
  if (!isObject(one as unknown)) throw wrong(`tools.${name}`, one, 'what tool({ … }) of the AI SDK returns')
  if (one.type?.startsWith('provider'))
    throw new SluiceError({
      code: 'unsupported',
      path: `tools.${name}`,
      detail: 'found a tool that its provider runs, expected one that the app runs',
    })
  const { description, title, execute, needsApproval, toModelOutput } = one
  const { schema, validate } = schemaOf(name, one.inputSchema)
  const level = typeof permission === 'function' ? permission(name) : permission
  levels(level, `permission of ${name}`)
  return tool({
    name,
    ...(description === undefined
      ? {}
      : {
          description:
            typeof description === 'function' ? String(description({ context: undefined })) : (description as string),
        }),
    ...(typeof title === 'string' ? { title } : {}),
    ...(schema === undefined ? {} : { parameters: schema }),
    agentCallable: true,
    permission: level,
    ...(needsApproval ? { executionApproval: 'ask_always' as const } : {}),
    ...(execute
      ? {
          identity: String(execute),
          execute: async (args: unknown, context: ToolContext) => {
            const input = await validate(args)
            const { key: toolCallId, signal: abortSignal, context: given } = context
            const more = {
              toolCallId,
              messages: messages(given),
              abortSignal,
              experimental_context: given,
              context: given,
            }
            const output = await lastOf(await execute.call(one, input, more), context)
            return toModelOutput ? resultOf(await toModelOutput.call(one, { toolCallId, input, output })) : output
          },
        }
      : { external: true }),
  }) as Tool
}

/** The schema, and what it makes of arguments that fit it. */
function schemaOf(
  name: string,
  given: unknown,
): { schema: JsonObject | StandardSchema | undefined; validate: (args: unknown) => unknown } {
  // a schema that is made when it is needed
  const made: unknown = typeof given === 'function' && !('~standard' in given) ? (given as () => unknown)() : given
  if (made === undefined || made === null) return { schema: undefined, validate: (args) => args }
  // a Standard Schema: `tool` checks it, and by it
  if (!isObject(made) || !('jsonSchema' in made)) return { schema: made as JsonObject, validate: (args) => args }
  const { jsonSchema, validate } = made as unknown as JsonSchemaLike
  if (typeof (jsonSchema as PromiseLike<unknown> | undefined)?.then === 'function') {
    throw new SluiceError({
      code: 'unsupported',
      path: `tools.${name}.inputSchema`,
      detail: 'found a JSON Schema that comes later, expected one that is there',
      hint: 'inputSchema: jsonSchema(await schema.jsonSchema)',
    })
  }
  const { $schema: _, ...schema } = jsonSchema as JsonObject
  return { schema, validate: async (args) => (validate ? valueOf(await validate.call(made, args)) : args) }
}

function valueOf(result: unknown): unknown {
  const { success, value, error } = result as { success: boolean; value?: unknown; error?: unknown }
  if (success) return value
  throw new ToolError(`the arguments do not fit: ${error instanceof Error ? error.message : String(error)}`)
}

/** The result; what a tool says before its last word is its progress too. */
async function lastOf(output: unknown, context: ToolContext): Promise<unknown> {
  if (typeof (output as AsyncIterable<unknown> | null | undefined)?.[Symbol.asyncIterator] !== 'function') return output
  let last: unknown
  for await (const value of output as AsyncIterable<unknown>) {
    last = value
    context.progress(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  }
  return last
}

/** What `toModelOutput` gave. */
function resultOf(output: unknown): unknown {
  const { type, value, reason } = output as { type: string; value?: unknown; reason?: string }
  if (type === 'error-text' || type === 'error-json')
    throw new ToolError(typeof value === 'string' ? value : JSON.stringify(value))
  if (type === 'execution-denied') throw new ToolError(reason ?? 'the tool refused to run')
  return type === 'content' && Array.isArray(value) ? resultParts(...(value as PromptPart[]).map(partOf)) : value
}

/** Pictures are pictures; what else is no text is named. */
function partOf(part: PromptPart): ResultPart {
  const { base64 } = dataOf(part['data'])
  const type = part['mediaType']
  if (base64 !== undefined && typeof type === 'string' && /^image\/[\w.+-]+$/i.test(type))
    return { type: 'image', mediaType: type.toLowerCase(), data: base64 }
  return { type: 'text', text: contentOf(part) }
}
