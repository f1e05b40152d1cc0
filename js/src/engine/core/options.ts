// What a developer passes, checked before anything acts on it. Every refusal is one SluiceError `option`: where, what
// was found, what is allowed and, where somebody put it into the wrong place, where it belongs. Shapes are data; what
// windows send is checked by host/check.ts.
import { SluiceError } from './errors.js'
import { jsonText, lossOf } from './json-text.js'

/**
 * Throws SluiceError `option` where `value` is not what it should be. `path` is how a developer would write the place.
 */
export type Check = (value: unknown, path: string) => void

const SHOWN = 60

/** A value in a message: short, and never the text of an object. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value)
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The error for a wrong value. */
export function wrong(path: string, value: unknown, expected: string, hint?: string): SluiceError {
  return new SluiceError({ code: 'option', path, detail: `found ${shown(value)}, expected ${expected}`, hint })
}

/** A check by a predicate. `hint` may look at what was found. */
export function is(
  expected: string,
  fits: (value: unknown) => boolean,
  hint?: (value: unknown) => string | undefined,
): Check {
  return (value, path) => {
    if (!fits(value)) throw wrong(path, value, expected, hint?.(value))
  }
}

export const anything: Check = () => {}
export const text = is('a string', (value) => typeof value === 'string')
export const flag = is('true or false', (value) => typeof value === 'boolean')
export const array = is('an array', Array.isArray)
export const record = is('an object', isObject)
/** The longest that a timer waits, in milliseconds: with more than that it fires at once. */
export const MOST_MS = 2 ** 31 - 1
/** How long a timer waits. */
export const milliseconds = is(
  `milliseconds from 0 to ${MOST_MS}`,
  (value) => typeof value === 'number' && value >= 0 && value <= MOST_MS,
)
export const unixTime = is(
  'a time in Unix milliseconds: a number of at least 0',
  (value) => typeof value === 'number' && value >= 0 && value < Infinity,
)
export const abortSignal = is(
  'an AbortSignal',
  (value) => typeof (value as AbortSignal | null)?.addEventListener === 'function',
  (value) => (value instanceof AbortController ? 'did you mean controller.signal?' : undefined),
)
export const func = (form: string): Check => is(`a function ${form}`, (value) => typeof value === 'function')

/** An object of strings. Not a `Headers` or a `Map`: what is in those is none of its members. */
export const textsByName: Check = (value, path) => {
  if (!isObject(value) || !isPlain(value))
    throw wrong(path, value, 'an object of strings', isObject(value) ? 'Object.fromEntries() makes one' : undefined)
  for (const [name, one] of Object.entries(value as object)) text(one, `${path}.${name}`)
}

/** The check, or null for "none". */
export const orNull =
  (check: Check): Check =>
  (value, path) => {
    if (value !== null) check(value, path)
  }

export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): Check {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return is(
    `a whole number ${range}`,
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  )
}

export function oneOf(...values: readonly string[]): Check {
  return (value, path) => {
    if (!(values as readonly unknown[]).includes(value))
      throw wrong(path, value, values.join(' | '), didYouMean(value, values))
  }
}

/** An object with functions of these names. */
export function withMethods(expected: string, ...names: readonly string[]): Check {
  return is(expected, (value) =>
    names.every((name) => typeof (value as { [name: string]: unknown } | null | undefined)?.[name] === 'function'),
  )
}

/** What stands in a shape: a check per member, and what people write instead of a member → what to do. */
export interface Shape {
  members: { readonly [member: string]: Check }
  /** Members that must be there. */
  needs?: readonly string[]
  /** Any other member is fine, but for those that `instead` names. Default false. */
  open?: boolean
  /** Wrong names, or names of another place, with the hint for them. They go before `places`. */
  instead?: { readonly [name: string]: string }
}

/**
 * An object with these members and no others but `x-…`. Members that are undefined count as left out. An instance of a
 * class may have more: they are its own.
 */
export function members({ members, needs = [], open = false, instead = {} }: Shape): Check {
  const known = new Map(Object.entries(members))
  const names = [...known.keys()]
  return (value, path) => {
    if (!isObject(value))
      throw wrong(path, value, needs.length > 0 ? `an object with ${needs.join(' and ')}` : 'an object')
    for (const name of isPlain(value) ? Object.keys(value) : []) {
      if (known.has(name) || name.startsWith('x-') || value[name] === undefined) continue
      if (open && !Object.hasOwn(instead, name)) continue
      const hint = of(instead, name) ?? of(places, name) ?? didYouMean(name, names)
      throw new SluiceError({ code: 'option', path: inside(path, name), detail: 'unknown member', hint })
    }
    for (const name of needs) {
      if (value[name] === undefined) known.get(name)?.(undefined, inside(path, name))
    }
    for (const [name, check] of known) if (value[name] !== undefined) check(value[name], inside(path, name))
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const of = (table: { readonly [name: string]: string }, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** A member's path. The options themselves have none: `retries`, not `options.retries`. */
export const inside = (path: string, name: string): string =>
  ['', 'options', 'config', 'settings'].includes(path) ? name : `${path}.${name}`

// -- where things belong ----------------------------------------------------------------------------------------------

const body = (name: string, as: string = name): [string, string] => [
  name,
  `it belongs into \`request\`: engine.run({ model, messages, request: { ${as} } })`,
]

/** Members that are known somewhere else. */
const places: { readonly [name: string]: string } = Object.fromEntries([
  ...[
    'temperature',
    'top_p',
    'top_k',
    'min_p',
    'max_tokens',
    'max_completion_tokens',
    'stop',
    'seed',
    'n',
    'logprobs',
    'top_logprobs',
    'logit_bias',
    'frequency_penalty',
    'presence_penalty',
    'response_format',
    'reasoning_effort',
    'tool_choice',
    'parallel_tool_calls',
    'stream',
    'stream_options',
    'user',
  ].map((name) => body(name)),
  body('maxTokens', 'max_tokens'),
  body('topP', 'top_p'),
  body('topK', 'top_k'),
  body('responseFormat', 'response_format'),
  body('reasoningEffort', 'reasoning_effort'),
  body('toolChoice', 'tool_choice'),
  body('stopSequences', 'stop'),
  ...['model', 'messages', 'request', 'signal', 'context', 'files', 'onEvent'].map((name) => [
    name,
    `it belongs into engine.run({ ${name} })`,
  ]),
  ...['baseURL', 'apiKey', 'headers', 'provider'].map((name) => [
    name,
    `it belongs into \`model\`: { provider, baseURL, name, apiKey, headers }`,
  ]),
  ...[
    'afterTool',
    'approvals',
    'beforeApproval',
    'beforeExecute',
    'beforeRequest',
    'checkpoint',
    'deadlineMs',
    'flushMs',
    'hookTimeoutMs',
    'ipc',
    'onCall',
    'onFinal',
    'onToolError',
    'retries',
    'transport',
  ].map((name) => [name, 'it belongs into new Engine({ … }) or engine.run({ … })']),
  ...['execute', 'parameters', 'agentCallable', 'permission'].map((name) => [name, 'it belongs into tool({ … })']),
  ...['system', 'systemPrompt', 'instructions'].map((name) => [
    name,
    'it belongs into `messages`: { role: "system", content }',
  ]),
  ...['prompt', 'input'].map((name) => [name, 'it belongs into `messages`: { role: "user", content }']),
  ['tools', 'they belong into new Engine({ tools }), or engine.add(tool)'],
  ['protocols', 'they belong into new Engine({ protocols })'],
  ...['onText', 'onToken', 'onChunk', 'onStepFinish'].map((name) => [
    name,
    'onEvent of engine.run() gets every event; run.textStream has the text',
  ]),
  ...['onFinish', 'onError'].map((name) => [name, 'run.done tells how it ended']),
  ['maxRetries', 'Sluice calls it retries'],
  ['abortSignal', 'Sluice calls it signal'],
  ['maxIterations', 'Sluice calls it maxRounds'],
  ['maxSteps', 'Sluice calls it maxRounds'],
  ['timeout', 'Sluice calls it timeoutMs'],
  ['parallelExecution', 'Sluice calls it execution: "parallel"'],
] as [string, string][])

// -- the nearest name -------------------------------------------------------------------------------------------------

/** "did you mean maxRounds?", or undefined where nothing is near. */
export function didYouMean(name: unknown, names: readonly string[]): string | undefined {
  if (typeof name !== 'string') return undefined
  const plain = (word: string): string => word.toLowerCase().replace(/[-_]/g, '')
  let best = Math.min(3, Math.floor(name.length / 2) + 1)
  let near: string | undefined
  for (const candidate of names) {
    const far = distance(plain(name), plain(candidate))
    if (far < best) [best, near] = [far, candidate]
  }
  return near === undefined ? undefined : `did you mean ${near}?`
}

/** How many letters differ: one swapped for its neighbour, left out, or too many. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return 4
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(
          (row[j] as number) + 1,
          (next[j - 1] as number) + 1,
          (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    }
    row = next
  }
  return row[b.length] as number
}

// -- JSON -------------------------------------------------------------------------------------------------------------

/** The value as JSON, or what in it cannot be: a BigInt, a cycle, NaN, a Map. */
export function encode(value: unknown, path: string): string {
  try {
    return jsonText(value)
  } catch (cause) {
    const [at, found] = culprit(value, path, new Set()) ?? [path, describeCause(cause)]
    throw new SluiceError({ code: 'option', path: at, detail: `found ${found}, expected what JSON can hold`, cause })
  }
}

const describeCause = (cause: unknown): string =>
  `a value that cannot be written (${cause instanceof Error ? cause.message : String(cause)})`

function culprit(
  value: unknown,
  path: string,
  above: Set<unknown>,
  inArray = false,
): [path: string, found: string] | undefined {
  const written = value instanceof Date && Number.isNaN(value.getTime()) ? null : value
  const loss = lossOf(value, written, inArray)
  if (loss !== undefined) return [path, loss]
  if (typeof value !== 'object' || value === null) return undefined
  if (above.has(value)) return [path, 'a cycle']
  above.add(value)
  const list = Array.isArray(value)
  for (const [key, member] of list ? Array.from(value, (item, at) => [at, item] as const) : Object.entries(value)) {
    const found = culprit(member, list ? `${path}[${key}]` : inside(path, String(key)), above, list)
    if (found) return found
  }
  above.delete(value)
  return undefined
}
