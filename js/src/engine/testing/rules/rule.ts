// What a rule is: one row of what a provider refuses although its documentation does not say so.
import { isObject, type GivenAnswer, type RequestJson } from '../strict-refusal.js'

/** Which server a check stands for. Several servers speak `openai-chat`, and each refuses other requests. */
export interface ScriptedProvider {
  /**
   * Default: the provider that the wire is named after, `openai` on `openai-chat`. `azure`, `groq` and `xai` have limits
   * of their own; `managed-agents` are those of Anthropic. Any other word takes the limits of `openai` away.
   */
  dialect?: 'openai' | 'azure' | 'groq' | 'xai' | 'managed-agents' | (string & {})
  /** Default none. The chat template of a local model, which takes one system message and roles that alternate. */
  template?: 'mistral' | 'gemma'
}

/** How much a check refuses, and for which server. */
export interface CheckOptions {
  /**
   * Default true: what documentation and types say, and what providers enforce without documenting it, by the rows of
   * `enforcedRules`. `documented`: without those rows.
   */
  strict?: boolean | 'documented'
  /** Default: the provider that the wire is named after. */
  server?: ScriptedProvider
}

/** What a rule may look at beside the request. */
export interface RuleContext {
  /** The model's name; on `gemini` it stands in the path. */
  model: string
  /** What the server answered before. */
  given: readonly GivenAnswer[]
  server: ScriptedProvider
}

/** What the words of a rule need: where the fault is, and what it is called. */
export interface Found {
  readonly [placeholder: string]: string | number
}

/** One thing that a provider refuses. */
export interface EnforcedRule {
  /** Unique among the rules of a wire: `an array without items`. */
  readonly name: string
  /** Returns what the words need about the first fault, or undefined where the request has none. */
  readonly refuses: (request: RequestJson, context: RuleContext) => Found | undefined
  /** The provider's message. `{at}` stands for the member `at` of what was found. */
  readonly words: string
  /** The month of the source: `2025-04`. */
  readonly since: string
  /** The public issue that quotes the words, or the page of the documentation that says so. */
  readonly source: string
}

/** What counts unless a test says so. */
export const defaultStrict: boolean | 'documented' = true

/** Returns the message of the first rule that refuses this body, or null. With `documented` no rule does. */
export function enforce(
  rules: readonly EnforcedRule[],
  body: unknown,
  options: CheckOptions | undefined,
  given?: readonly GivenAnswer[],
  model?: string,
): string | null {
  const { strict = defaultStrict, server } = isObject(options) ? (options as CheckOptions) : {}
  if (strict !== true || !isObject(body)) return null
  const context: RuleContext = {
    server: isObject(server) ? server : {},
    given: Array.isArray(given) ? given : [],
    model: String(model ?? body['model'] ?? ''),
  }
  for (const { refuses, words } of rules) {
    const found = refuses(body, context)
    if (found) return words.replace(/\{(\w+)\}/g, (all, name: string) => String(found[name] ?? all))
  }
  return null
}

/** The first result that is not undefined. */
export function first<Value, Result>(
  values: Iterable<Value>,
  find: (value: Value, index: number) => Result | undefined,
): Result | undefined {
  let index = 0
  for (const value of values) {
    const result = find(value, index++)
    if (result !== undefined) return result
  }
  return undefined
}

/** The way to the first text or name with half of a surrogate pair, or undefined. */
export function loneSurrogate(value: unknown, at = ''): string | undefined {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? at : undefined
  if (Array.isArray(value)) return first(value, (one, index) => loneSurrogate(one, `${at}[${index}]`))
  if (!isObject(value)) return undefined
  return first(Object.entries(value), ([name, member]) =>
    /\p{Surrogate}/u.test(name) ? `a name in ${at || 'the body'}` : loneSurrogate(member, at ? `${at}.${name}` : name),
  )
}

/** Refuses half of a surrogate pair in any text or name. */
export function surrogates(request: RequestJson): Found | undefined {
  const at = loneSurrogate(request)
  return at === undefined ? undefined : { at }
}

/** A text that is longer than a limit. */
export const tooLong = (value: unknown, limit: number, at: string): Found | undefined =>
  typeof value === 'string' && value.length > limit ? { at, limit, length: value.length } : undefined

/** The words of OpenAI and Azure for a text that is too long. */
export const tooLongWords =
  "Invalid '{at}': string too long. Expected a string with maximum length {limit}, but got a string with length {length} instead."

/** A server that keeps the limits of OpenAI. */
export const likeOpenAI = ({ server: { dialect = 'openai' } }: RuleContext): boolean =>
  dialect === 'openai' || dialect === 'azure'
