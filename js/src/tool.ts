import { SluiceError } from './errors.js'
import type { ExecutionPolicy, JsonObject, Level, ResultPolicy } from './events.js'

/** https://standardschema.dev: zod ≥ 4, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type JsonSchema = { readonly [keyword: string]: unknown }

/** What `execute` gets: the output of a Standard Schema, or plain JSON. */
export type ArgumentsOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Output } ? Output : unknown
  : // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a JSON Schema says nothing to TypeScript
    Record<string, any>

export interface ToolContext {
  /** Aborted by timeout, by cancel of the call or of the turn. */
  readonly signal: AbortSignal
  readonly call: number
  readonly name: string
  /** Fields of the text protocol that are not arguments. */
  readonly reserved: { readonly [key: string]: string }
  /** Shown on the card while the tool runs. */
  progress(text: string): void
}

/** A tool as the engine reads it (every member is explained in the README), and how it runs. */
export interface ToolOptions<S = JsonSchema | StandardSchema> {
  name?: string
  toolId?: string
  method?: string
  description?: string
  /** JSON Schema, or anything with Standard Schema. */
  parameters?: S
  /** JSON Schema for a Standard Schema that cannot print itself. */
  jsonSchema?: JsonSchema
  /** Default false: not shown to any model, not callable. */
  agentCallable?: boolean
  permission?: Level
  executionApproval?: ExecutionPolicy | null
  resultApproval?: ResultPolicy | null
  enabled?: boolean
  tags?: readonly string[]
  timeoutMs?: number
  immediate?: boolean
  idempotent?: boolean
  aliases?: readonly string[]
  vcpCommand?: string
  ipc?: { channel: string; payload: (JsonObject[string] | { arg: string })[] } | null
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; [hint: string]: unknown }
  /**
   * Runs the call. A string is the result as it is, anything else is told as JSON; what is thrown is told as a failure.
   * Left out where the host does it: it reads the `execute` events and calls `succeed` or `fail`.
   */
  execute?: (args: ArgumentsOf<S>, context: ToolContext) => unknown
  /** Stands for what `execute` does: a remembered approval ends when it changes, for example a version. Default: the function's text. */
  identity?: string
  /** Instead of `execute`, with `hostEngine`: the window that asked runs it, by the name's function in `client.tools({ … })`. */
  runsIn?: 'window'
}

export interface Tool {
  /** The name that calls resolve to. */
  readonly name: string
  readonly description: string
  /** The declaration for the native engine. */
  readonly declaration: { readonly [member: string]: unknown }
  /** Text protocols that call it beside native calls. They are parsed unless the host gives an `alsoParse` of its own. */
  readonly alsoParse?: readonly string[]
  /** Absent: the host answers `execute` events by itself. */
  readonly run?: (args: JsonObject, context: ToolContext) => Promise<unknown>
  /** Absent, and no `run`: whoever reads the events. */
  readonly runsIn?: 'window'
  /** What acts when it is called: a remembered approval ends when this changes. */
  readonly identity?: string
}

/** Declares a tool. Configuration errors of the declaration itself come from `new Engine` and `engine.add`. */
export function tool<const S extends JsonSchema | StandardSchema = JsonSchema>(options: ToolOptions<S>): Tool {
  const { execute, runsIn, parameters, jsonSchema, identity = execute?.toString() ?? runsIn, ...rest } = options
  const name = options.name ?? `${options.toolId}_${options.method}`
  checkPlace(name, runsIn, execute)
  const standard = isStandard(parameters) ? parameters : undefined
  const schema = jsonSchema ?? (standard ? printSchema(standard, name) : parameters)
  return {
    name,
    description: options.description ?? '',
    declaration: schema === undefined ? rest : { ...rest, parameters: schema },
    run: execute && (async (args, context) => {
      const input = standard ? await validate(standard, args) : args
      return await execute(input as ArgumentsOf<S>, context)
    }),
    ...(runsIn ? { runsIn } : {}),
    ...(identity === undefined ? {} : { identity }),
  }
}

function checkPlace(name: string, runsIn: unknown, execute: unknown): void {
  if (runsIn === undefined) return
  const path = `${name}.runsIn`
  if (runsIn !== 'window') throw new SluiceError({ code: 'option', path, detail: `found ${JSON.stringify(runsIn)}, expected "window"` })
  if (execute) throw new SluiceError({ code: 'option', path, detail: 'found `execute` beside it, expected one of the two' })
}

function isStandard(schema: unknown): schema is StandardSchema {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
}

async function validate(schema: StandardSchema, value: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const lines = result.issues.map(({ message, path }) => {
    const at = (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return at ? `${at}: ${message}` : message
  })
  throw new Error(`the arguments do not fit: ${lines.join('; ')}`)
}

type SchemaPrinter = (options: { target: string; io?: string }) => JsonSchema

/** The JSON Schema of what goes in, by Standard JSON Schema or by the schema's own `toJSONSchema` (zod). */
function printSchema(schema: StandardSchema, tool: string): JsonSchema {
  const standard = (schema['~standard'] as { jsonSchema?: { input?: SchemaPrinter } }).jsonSchema?.input
  const own = (schema as { toJSONSchema?: SchemaPrinter }).toJSONSchema
  let printed: JsonSchema | undefined
  let cause: unknown
  try {
    if (standard) printed = standard({ target: 'draft-07' })
    else if (own) printed = own.call(schema, { target: 'draft-7', io: 'input' })
  } catch (error) {
    cause = error
  }
  if (!printed) {
    const { vendor } = schema['~standard']
    throw new SluiceError({
      code: 'option',
      path: `${tool}.parameters`,
      detail: cause instanceof Error
        ? `the ${vendor} schema cannot be written as JSON Schema: ${cause.message}`
        : `the ${vendor} schema does not say its JSON Schema`,
      hint: 'give the JSON Schema as `jsonSchema` beside it',
      cause,
    })
  }
  const { $schema: _, ...rest } = printed // some providers refuse the member
  return rest
}
