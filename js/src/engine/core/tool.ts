import { SluiceError } from './errors.js'
import type {
  CallerRef,
  ChatMessage,
  ExecutionPolicy,
  JsonObject,
  PermissionLevel,
  ResultPolicy,
  ToolUseBlock,
} from './events.js'
import { inLanguage } from './in-language.js'
import { anything, flag, func, is, isObject, members, oneOf, text, wrong } from './options.js'
import type { Protocol } from './settings.js'
import { ToolError } from './tool-error.js'
import type { ToolFile, ToolFileInfo } from './tool-files.js'
import { wordNames, wordsOf, type ToolWords } from './tool-words.js'

/** https://standardschema.dev: zod ≥ 4, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the schema can do. */
  readonly '~standard': {
    readonly version: 1
    /** Which library made it: `zod`, `valibot`, `arktype`, … */
    readonly vendor: string
    /** Checks a value: gives it as the schema reads it, or what is wrong with it. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    /** For types only: nothing is there at run time. */
    readonly types?:
      | {
          /** What may be given. */
          readonly input: Input
          readonly output: Output
        }
      | undefined
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

/** A JSON Schema as TypeScript reads it. What it does not know is `any`. */
export type FromSchema<S> = S extends { readonly const: infer T }
  ? T
  : S extends { readonly enum: readonly (infer T)[] }
    ? T
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'number' | 'integer' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'null' }
            ? null
            : S extends { readonly type: 'array'; readonly items: infer I }
              ? FromSchema<I>[]
              : S extends { readonly type: 'object'; readonly properties: infer P }
                ? Members<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
                : any

type Members<P, Required> = Flat<
  { -readonly [name in keyof P as name extends Required ? name : never]: FromSchema<P[name]> } & {
    -readonly [name in keyof P as name extends Required ? never : name]?: FromSchema<P[name]>
  }
>
type Flat<T> = { [member in keyof T]: T[member] }

/** What `execute` gets: the output of a Standard Schema, or what a JSON Schema says that is written out in the code. */
export type ArgumentsOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Output }
    ? Output
    : unknown
  : S extends { readonly type: 'object'; readonly properties: object }
    ? FromSchema<S>
    : // TypeScript knows nothing of a schema that is not a constant.
      Record<string, any>

/**
 * What `execute` is to return, by `output`: what a Standard Schema takes, or what a JSON Schema says that is written
 * out in the code.
 */
export type ReturnOf<O> = O extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer Input }
    ? Input | Promise<Input>
    : unknown
  : O extends { readonly type: 'object'; readonly properties: object }
    ? FromSchema<O> | Promise<FromSchema<O>>
    : unknown

/** What `resultOf` gives, by `output`. */
export type OutputOf<O> = O extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Output }
    ? Output
    : unknown
  : O extends { readonly type: 'object'; readonly properties: object }
    ? FromSchema<O>
    : unknown

/** A call of a tool. */
export interface CallInfo {
  /** The number of the call in its turn, from 1. */
  readonly call: number
  /** The name of the tool. */
  readonly name: string
  /** What it runs with. */
  readonly arguments: JsonObject
  /** The tool that called it; absent where the model did. */
  readonly parent?: Readonly<CallerRef>
  /** The call's id of the provider, or of the text format; absent where it has none. */
  readonly id?: string
  /** The round whose answer holds the call, from 1. */
  readonly round?: number
  /** `native`, or the id of the text protocol. */
  readonly source?: string
  /**
   * Idempotency key: `<run>:<round>:<32 hex digits>`, and `:2` and up for equal calls of a round. The digits are the
   * beginning of the SHA-256 of the tool's name and canonical arguments. The same call has the same key, also when a
   * saved turn runs it again. Other arguments have another key. With `pageStore` of `sluice/ai-sdk`, the digits of a call
   * that was asked about are those of its question: edited arguments change nothing. The k-th call that a tool makes of
   * others has the tool's own key and `/k`.
   */
  readonly key: string
  /** Fields of the text protocol that are not arguments: `archery`, `ink` and the like of `vcp`. */
  readonly protocolFields: { readonly [key: string]: string }
}

const providerKinds = [
  'shell',
  'local_shell',
  'apply_patch',
  'computer',
  'tool_search',
  'mcp',
  'bash',
  'text_editor',
  'memory',
] as const

/**
 * A tool that a provider defines. OpenAI's Responses have `shell`, `local_shell`, `apply_patch`, `computer`,
 * `tool_search` and `mcp` (its calls are approved here and run there); Anthropic has `bash`, `text_editor`, `memory` and
 * `computer`.
 */
export type ProviderKind = (typeof providerKinds)[number]

/** What came of a call: what `execute` returned, or what it threw as text for the model. */
export type ToolResult =
  | {
      readonly value: unknown
    }
  | {
      /** What `execute` threw, as text. */
      readonly error: string
    }

/** @internal It changes nothing outside. A stranger's hint says nothing: it is shown to people. */
export const isReadOnly = ({ declaration, words }: Pick<Tool, 'declaration' | 'words'>): boolean =>
  words?.from === undefined &&
  (declaration['annotations'] as { readOnlyHint?: unknown } | undefined)?.readOnlyHint === true

/** @internal */
export const isToolResult = (value: unknown): value is ToolResult =>
  isObject(value) && ('error' in value ? typeof value['error'] === 'string' && !('value' in value) : 'value' in value)

/** What a tool reports while it runs: a text, or how far it is. */
export type ToolProgress =
  | string
  | {
      /** How much is done, in a unit of the tool's own. */
      readonly done: number
      /** How much there is in all, in the unit of `done`. */
      readonly total?: number
      /** What it does now. */
      readonly text?: string
    }

/** What `execute` gets beside the arguments. `C` is what the run was given as `context`. */
export interface ToolContext<C = unknown> extends Omit<CallInfo, 'arguments' | 'call'> {
  /** The number of the call in its turn, from 1. */
  readonly number: number
  /** Aborted by timeout, by cancel of the call or of the turn. */
  readonly signal: AbortSignal
  /** When its time is up, in Unix milliseconds; absent without a limit. */
  readonly deadline?: number
  /** What the app gave to this run: `engine.run({ context })`. */
  readonly context: C
  /**
   * The conversation in OpenAI's shape: the messages of the run, and what its earlier answers added. Each read makes a
   * copy; a spread of the context leaves it out.
   * @throws SluiceError `closed` when the run has ended.
   */
  readonly messages: ChatMessage[]
  /**
   * Calls another tool: one that the model may call in this turn, or one that `calls` of this tool names. The call
   * passes the same gate (rules, `beforeApproval`, questions) and has a card within this one's; the model never reads of
   * it. While a person decides, the time of this tool does not run. `signal` cancels the call; when this tool ends, its
   * open calls are cancelled.
   * @returns what the other tool returned, after `afterTool`: text, JSON, or the parts of `resultParts`.
   * @throws SluiceError `denied`, `failed` (in the tool's words), `cancelled`, `timeout`, `not_found`, `json` (wrong
   *   arguments), `limit`, or `state` where this tool no longer runs.
   */
  call(name: string, args?: JsonObject, options?: { readonly signal?: AbortSignal }): Promise<unknown>
  /** The files of the conversation: what people attached on this branch. Empty if there are none. */
  readonly files: readonly ToolFileInfo[]
  /** A file by the ref that the model names. Throws SluiceError `not_found` for one that is not in `files`. */
  file(ref: string): ToolFile
  /** Shown on the card while the tool runs, and told as a `progress` event. */
  progress(report: ToolProgress): void
}

/** A tool as models see it, what people read about it, what it may do, and how it runs. */
export interface ToolOptions<S = JsonSchema | StandardSchema, C = unknown, O = unknown> extends ToolWords {
  /** What calls name: `weather.now`. Required without `toolId` and `method`, and without `provider`, which is the default name. */
  name?: string
  /** With `method`, instead of `name`: the name is `toolId_method`, and `toolToggles` may name the `toolId`. */
  toolId?: string
  /** With `toolId`, instead of `name`. */
  method?: string
  /**
   * A tool that a provider defines and this app runs, such as `shell`: it has a description and parameters already, and
   * goes out as the provider declares it. Other providers get it as a function where that makes sense, else not at all.
   * js/docs/providers.md lists the kinds, and what `execute` gets and gives. Default none.
   */
  provider?: ProviderKind
  /** With `provider`: members of the provider's own declaration, sent as they are. Default none. */
  options?: JsonObject
  /** For the model, and for whoever approves a call where there is no `about`. Default none. */
  description?: string
  /**
   * JSON Schema of type object, or a Standard Schema: zod ≥ 4, arktype, or valibot with `jsonSchema`. Default: no
   * parameters.
   */
  parameters?: S
  /** JSON Schema for a Standard Schema that cannot print itself. */
  jsonSchema?: JsonSchema
  /** Models may see and call it. Default false. */
  agentCallable?: boolean
  /**
   * `public` runs at once; `moderate` asks until a decision is remembered; `sensitive`, the default, asks for every
   * call.
   */
  permission?: PermissionLevel
  /** Says what `permission` says in detail. Default null: by `permission`. */
  executionApproval?: ExecutionPolicy | null
  /** Whether a person sees the result before the model does. Default null: `never`. */
  resultApproval?: ResultPolicy | null
  /** False: switched off, unless `toolToggles` switches it on. Default true. */
  enabled?: boolean
  /** For `{{tools::tag}}`. Default none. */
  tags?: readonly string[]
  /** Milliseconds that a call may take; 0: no limit. Default: the engine's `timeoutMs`. */
  timeoutMs?: number
  /**
   * Runs in mid-answer, as soon as the call is complete. With `checkpoint`, a tool with `execute` that is not read-only
   * waits for the end of the answer. Default false.
   */
  immediate?: boolean
  /** May run twice: a restored turn runs it again instead of calling its outcome unknown. Default false. */
  idempotent?: boolean
  /** Other names that calls may use. Default none. */
  aliases?: readonly string[]
  /**
   * Names of tools that `context.call` may call beside those that the model may call: hidden ones too, never those that
   * are switched off. A part of the definition that approvals are bound to. Default none.
   */
  calls?: readonly string[]
  /** What `command` says in a call of the protocol `vcp` to this tool. */
  vcpCommand?: string
  /** The name that requests carry: letters, digits, `_` and `-`, at most 64. Made from the name unless given. */
  wireName?: string
  /** Instead of `execute`: a message to another window, sent by itself. `{ arg: 'name' }` stands for that argument. */
  ipc?: {
    /** The channel of the message. */
    channel: string
    /** The arguments of the message. */
    payload: (
      | JsonObject[string]
      | {
          /** The name of the call's argument that stands here. */
          arg: string
        }
    )[]
  } | null
  /** As in MCP: hints that can only make things stricter. */
  annotations?: {
    /** Whether the tool says that it changes nothing. */
    readOnlyHint?: boolean
    /** It may delete or overwrite. Absent: as if true. */
    destructiveHint?: boolean
    /** Other hints of MCP: `title`, `idempotentHint`, `openWorldHint`. */
    [hint: string]: unknown
  }
  /**
   * Runs the call. A string is the result as it is, anything else is told as JSON; what is thrown is told as a failure.
   * A tool that turns run has `execute`, `external`, `ipc` or `runsIn`. To use the run's own `context`, say its type:
   * `execute: ({ path }, { context }: ToolContext<{ user: string }>) => …`.
   */
  execute?: (args: ArgumentsOf<S>, context: ToolContext<C>) => ReturnOf<O>
  /**
   * Schema of the object that `execute` returns, for `resultOf`. A Standard Schema is checked: where the result does
   * not fit, the call fails and the model reads that the tool ran. Default none: anything.
   */
  output?: O
  /**
   * Instead of `execute`: the app reads the `execute` events and calls `run.succeed` or `run.fail`, perhaps days later
   * (a person, a batch). It implies `idempotent: true, timeoutMs: 0`, and you may set both: a resumed run asks for the
   * result again.
   */
  external?: boolean
  /**
   * Stands for what `execute` does, for example a version: a part of the tool's definition. Where it changes,
   * remembered approvals end, and a restored turn asks again. Default: the function's text.
   */
  identity?: string
  /**
   * Instead of `execute`, with `hostEngine`: the window that asked runs it, by the name's function in `client.tools({ …
   * })`.
   */
  runsIn?: 'window'
}

/** What `tool({ … })` returns. `C`: what its runs must bring as `context`. `O`: what its results are. */
export interface Tool<in C = unknown, out O = unknown> {
  /** The name that calls resolve to. */
  readonly name: string
  /** What models and people read about it. */
  readonly description: string
  /** What people read about it, with the labels of its schema. */
  readonly words?: ToolWords
  /** The declaration for the native engine. */
  readonly declaration: { readonly [member: string]: unknown }
  /** Text protocols that call it beside native calls. They are parsed beside the `alsoParse` of the settings. */
  readonly alsoParse?: readonly Protocol[]
  /** Runs a call. Absent where the tool has `external`, `ipc` or `runsIn` instead. */
  readonly run?: (args: JsonObject, context: ToolContext<C>) => Promise<unknown>
  /**
   * The result of a call of this tool, from its card. Undefined where it has none: the call did not end in `success`,
   * or its result is no object.
   */
  resultOf(card: Pick<ToolUseBlock, 'name' | 'status' | 'output'>): O | undefined
  /** `window`: the window that asked runs it. */
  readonly runsIn?: 'window'
  /** Whoever reads the `execute` events brings its results. */
  readonly external?: true
}

const check = members({
  members: {
    name: text,
    toolId: text,
    method: text,
    provider: oneOf(...providerKinds),
    options: is('an object', isObject),
    description: text,
    parameters: is(
      'a JSON Schema or a Standard Schema',
      (value) => (typeof value === 'object' && value !== null) || isStandard(value),
    ),
    jsonSchema: is('a JSON Schema', (value) => typeof value === 'object' && value !== null),
    agentCallable: anything,
    permission: anything,
    executionApproval: anything,
    resultApproval: anything,
    enabled: anything,
    tags: anything,
    timeoutMs: anything,
    immediate: anything,
    idempotent: anything,
    aliases: anything,
    calls: anything,
    vcpCommand: anything,
    wireName: anything,
    ipc: anything,
    annotations: anything,
    execute: func('(args, context) => result'),
    runsIn: oneOf('window'),
    external: flag,
    output: is('a JSON Schema or a Standard Schema of an object', (value) => isObject(value) || isStandard(value)),
    identity: text,
    title: anything,
    about: anything,
    sentence: anything,
    done: anything,
    icon: anything,
    labels: anything,
    from: anything,
  } satisfies { [member in keyof Required<ToolOptions>]: unknown },
  instead: {
    ...Object.fromEntries(
      ['handler', 'run', 'func', 'function', 'fn', 'callback'].map((name) => [name, 'did you mean execute?']),
    ),
    ...Object.fromEntries(
      ['inputSchema', 'input_schema', 'schema', 'args', 'inputs'].map((name) => [name, 'did you mean parameters?']),
    ),
    timeout: 'Sluice calls it timeoutMs',
  },
})

/**
 * Declares a tool.
 * @throws SluiceError `option` for a member that does not exist or has the wrong type. `new Engine` and `engine.add`
 * check the rest.
 */
export function tool<const S extends JsonSchema | StandardSchema = JsonSchema, C = unknown, const O = unknown>(
  options: ToolOptions<S, C, O>,
): Tool<C, OutputOf<O>> {
  check(options, 'options')
  if (
    options.name === undefined &&
    options.provider === undefined &&
    (options.toolId === undefined || options.method === undefined)
  ) {
    throw wrong('name', undefined, 'the name of the tool, or toolId and method')
  }
  const {
    execute,
    runsIn,
    external,
    output,
    parameters,
    jsonSchema,
    identity = execute?.toString() ?? runsIn,
    ...declared
  } = options
  const { provider } = options
  const name =
    options.name ?? (options.toolId === undefined && provider ? provider : `${options.toolId}_${options.method}`)
  if (provider === undefined && options.options !== undefined)
    throw new SluiceError({ code: 'option', path: `${name}.options`, detail: 'found `options` without `provider`' })
  for (const member of ['description', 'parameters', 'jsonSchema'] as const)
    if (provider !== undefined && options[member] !== undefined)
      throw new SluiceError({
        code: 'option',
        path: `${name}.${member}`,
        detail: `found \`${member}\` beside \`provider\`, which defines it`,
      })
  const [first, second] = Object.entries({ external, ipc: options.ipc, runsIn, execute }).flatMap(([member, given]) =>
    given ? [member] : [],
  )
  if (second !== undefined)
    throw new SluiceError({
      code: 'option',
      path: `${name}.${first}`,
      detail: `found \`${second}\` beside it, expected one of the two`,
    })
  if (!jsonSchema) refuseOldZod(parameters, name)
  const standard = isStandard(parameters) ? parameters : undefined
  const schema = jsonSchema ?? (standard ? printSchema(standard, name) : parameters)
  refuseBareProperties(schema, name)
  const words = wordsOf(options, name, schema as JsonObject | undefined)
  const rest = Object.fromEntries(
    Object.entries(declared).filter(([member]) => !(wordNames as string[]).includes(member)),
  )
  return {
    name,
    description: options.description ?? '',
    ...(words ? { words } : {}),
    declaration: {
      ...(external ? { idempotent: true, timeoutMs: 0 } : {}),
      ...rest,
      ...titled(options),
      ...(schema === undefined ? {} : { parameters: schema }),
      ...identified(identity, options),
    },
    run:
      execute &&
      (async (args, context) => {
        const input = standard ? await validate(standard, args, unfitArguments) : args
        const result: unknown = await execute(input as ArgumentsOf<S>, context)
        return isStandard(output) ? await validate(output, result, unfitResult) : result
      }),
    resultOf: (card) =>
      card.name === name && card.status === 'success' ? (objectOf(card.output) as OutputOf<O> | undefined) : undefined,
    ...(runsIn ? { runsIn } : {}),
    ...(external ? { external } : {}),
  }
}

/** The title also for hosts that know no languages. */
function titled({ title, annotations }: Pick<ToolOptions, 'title' | 'annotations'>): { annotations?: object } {
  if (title === undefined || annotations?.['title'] !== undefined) return {}
  return { annotations: { ...annotations, title: inLanguage(title, 'en') } }
}

/** Words are a part of what a remembered approval holds for. Without words it is the identity alone, as ever. */
function identified(identity: string | undefined, options: ToolWords): { identity?: string } {
  const words = wordNames.flatMap((member) => (options[member] === undefined ? [] : [[member, options[member]]]))
  if (words.length === 0) return identity === undefined ? {} : { identity }
  return { identity: `${identity ?? ''}\n${JSON.stringify(words)}` }
}

function isStandard(schema: unknown): schema is StandardSchema {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
}

function objectOf(text = ''): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The value as the schema makes it. Throws what `fault` makes of the words if it does not fit. */
async function validate(schema: StandardSchema, value: unknown, fault: (words: string) => Error): Promise<unknown> {
  const result = await schema['~standard'].validate(value)
  if (!result.issues) return result.value
  const lines = result.issues.map(({ message, path }) => {
    const at = (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return at ? `${at}: ${message}` : message
  })
  throw fault(lines.join('; '))
}

/** The model wrote them. */
const unfitArguments = (words: string): Error => new ToolError(`the arguments do not fit: ${words}`)
const unfitResult = (words: string): Error => new Error(`The tool ran, but what it returned does not fit: ${words}`)

type SchemaPrinter = (options: { target: string; io?: string }) => JsonSchema

interface Printable {
  '~standard': { vendor: string; jsonSchema?: { input?: SchemaPrinter } }
  toJSONSchema?: SchemaPrinter // zod
  toJsonSchema?: (options: { target: string }) => JsonSchema // arktype
}

/** What to write for a vendor whose schemas do not print themselves. */
const remedies: { readonly [vendor: string]: string } = {
  zod: 'beside it: jsonSchema: z.toJSONSchema(schema, { target: "draft-7", io: "input" })',
  valibot:
    'beside it: jsonSchema: toJsonSchema(schema), with toJsonSchema from @valibot/to-json-schema; or parameters: toStandardJsonSchema(schema)',
}

/** The JSON Schema of what goes in: by Standard JSON Schema, or by the vendor's own function. */
function printSchema(schema: StandardSchema, tool: string): JsonSchema {
  const printable = schema as unknown as Printable
  const { vendor, jsonSchema } = printable['~standard']
  let printed: JsonSchema | undefined
  let cause: unknown
  try {
    if (jsonSchema?.input) printed = jsonSchema.input({ target: 'draft-07' })
    else if (printable.toJSONSchema) printed = printable.toJSONSchema({ target: 'draft-7', io: 'input' })
    else if (printable.toJsonSchema) printed = printable.toJsonSchema({ target: 'draft-07' })
  } catch (error) {
    cause = error
  }
  if (!printed) {
    throw new SluiceError({
      code: 'option',
      path: `${tool}.parameters`,
      detail:
        cause instanceof Error
          ? `the ${vendor} schema cannot be written as JSON Schema: ${cause.message}`
          : `the ${vendor} schema does not say its JSON Schema`,
      hint: (cause === undefined && remedies[vendor]) || 'give the JSON Schema as `jsonSchema` beside it',
      cause,
    })
  }
  const { $schema: _, ...rest } = printed // some providers refuse the member
  return rest
}

const keywords: readonly string[] = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  '$ref',
  '$defs',
  'definitions',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'enum',
  'const',
]
const annotations: readonly string[] = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'nullable',
]
const isKeyword = (name: string): boolean =>
  keywords.includes(name) || annotations.includes(name) || /^(?:\$|x-)/.test(name)

/**
 * The commonest slips: `{ city: { type: 'string' } }` or `{ city: 'string' }`, the properties without the object around
 * them; and a library's schema within a JSON Schema.
 */
function refuseBareProperties(schema: unknown, tool: string): void {
  if (!isObject(schema)) return
  const path = `${tool}.parameters`
  const entries = Object.entries(schema)
  const isSchema = (value: unknown): boolean =>
    isStandard(value) || (typeof value === 'object' && value !== null && 'type' in value)
  const isBare =
    entries.some(([, value]) => isSchema(value)) &&
    !entries.some(([name, value]) => keywords.includes(name) && !isSchema(value))
  if (isBare || (entries.length > 0 && !entries.some(([name]) => isKeyword(name)))) {
    const expected = entries.some(([, value]) => isStandard(value))
      ? 'a schema of the object: z.object({ … }) or the like'
      : "{ type: 'object', properties: { … } }"
    throw new SluiceError({
      code: 'option',
      path,
      detail: `found properties without the object around them, expected ${expected}`,
    })
  }
  const [name, mixed] =
    Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).find(([, value]) => isStandard(value)) ??
    []
  if (!isStandard(mixed)) return
  throw new SluiceError({
    code: 'option',
    path: `${path}.properties.${name}`,
    detail: `found a schema of ${mixed['~standard'].vendor} within a JSON Schema`,
    hint: 'parameters may be one of the two as a whole',
  })
}

/** Schemas of zod 3 have a Standard Schema in later versions only, and never print themselves. */
function refuseOldZod(schema: unknown, tool: string): void {
  const inner = (schema as { _def?: { typeName?: unknown } } | undefined)?._def
  if (typeof inner?.typeName !== 'string' || !inner.typeName.startsWith('Zod')) return
  throw new SluiceError({
    code: 'option',
    path: `${tool}.parameters`,
    detail: 'found a schema of zod 3, expected one of zod 4',
    hint: 'zod 4 is needed: npm install zod@4',
  })
}
