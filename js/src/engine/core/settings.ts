// How the engine behaves: members of its configuration that a turn may replace. The engine checks their values; here
// are their names.
import type { FallbackReason } from './codes.js'
import type { ChatMessage, FinishClass, ResultPolicy, Rule } from './events.js'
import { func, inside, is, isObject, members, record, type Check, type Shape } from './options.js'
import type { WireName } from './providers.js'

/**
 * How calls are written as text: an id such as `vcp` or `hermes`, or an object with the id and the protocol's options.
 */
export type Protocol =
  | string
  | {
      id: string
      /** Its options: js/docs/protocols.md lists them. */
      [option: string]: unknown
    }

/**
 * What Sluice tells a server so that it keeps the beginning of a conversation, whose tokens then cost less. `auto`:
 * Anthropic, and Claude behind OpenRouter, get marks in the request; a conversation of `createHost` tells OpenAI and
 * Azure its id. `off`: nothing. Other servers find out by themselves. js/docs/providers.md says what it costs.
 */
export type PromptCache =
  | 'auto'
  | 'off'
  | {
      /** How long Anthropic keeps it. An hour costs twice the price of the tokens that are written. Default `5m`. */
      ttl?: '5m' | '1h'
      /** OpenAI and Azure: which requests belong together. Default: the conversation's id where there is one. */
      key?: string
    }

/** A rule of the protocol `inline_tags`: text between `open` and `close` calls a tool, in mid-sentence. */
export interface TagRule {
  /** Where a tag begins, such as `[表情:`. */
  open: string
  close: string
  /** The name of the tool. Null: the tag is taken out of the text, and nothing happens. */
  tool: string | null
  /** The parameter that gets the value. Give either this or `arguments`, unless `tool` is null. */
  argument?: string
  /** The value is a JSON object with all arguments. */
  arguments?: 'json'
  /** The longest value in code points, 1 to 4,096. Default 64. A longer one is text. */
  max?: number
  /** The value may hold line ends. Default false: such a tag is text. */
  lines?: boolean
  /**
   * A-Z and a-z in `open` are the same, and so they are between a value and the enum of its parameter. Default false.
   */
  anyCase?: boolean
  /**
   * `hide`: a tag that the end of the answer cut, or whose JSON cannot be read, is not shown. Default `text`: it is
   * shown as written.
   */
  broken?: 'text' | 'hide'
}

/** Which protocol a model gets where `protocol` is `'auto'`. */
export interface Profile {
  /** A model whose name contains this text, in any case. */
  match: string
  /** The id of a protocol. */
  protocol: string
  /** The prompt of this model opens its reasoning. Default false. */
  startsInReasoning?: boolean
  /** The role of messages with results in text mode. Default `user`. */
  resultRole?: 'user' | 'tool'
}

/** In which language the model reads what became of a call. */
export type Language = 'en' | 'zh'

/**
 * Sentences that the model reads, one by one in place of those of the language. What stands in braces is filled in:
 * `{name}` in `notFound` and `notAvailable`. js/docs/words.md lists all sentences with what may stand in them.
 */
export interface ModelWords {
  /** For the sentences that are not given. Default `en`. */
  language?: Language
  /** A sentence by its name: `{ notFound: 'There is nothing called {name}.' }`. */
  [sentence: string]: string | undefined
}

/** How far the name in a call may be from that of its tool, which it has exactly by default. */
export interface NameRules {
  /**
   * A-Z and a-z are the same, if that leaves exactly one tool that the model sees, by its name, an alias or
   * `vcpCommand`. Default false.
   */
  anyCase?: boolean
  /** Brackets `「」{}<>`, the halves `始` and `末`, quotes, back-ticks and list marks around the name go. Default false. */
  lenient?: boolean
}

/** A server that runs the calls, and how it tells their results. */
export interface ObservedServer {
  /** How it writes them: one shape, or several. */
  results: ServerResults | ServerResults[]
}

/**
 * How a server writes the results of the calls that it ran: markers around, and what a line of an entry begins with.
 * With `entries` it is a summary, whose entries are no lines.
 */
export interface ServerResults {
  /** Begins the block of results. */
  open: string
  close: string
  /**
   * Begins the line with a tool's name, and with it an entry. In a summary: the pattern of an entry, such as
   * `{name} {status} ({body})`. `{status}` and `{body}` may be missing.
   */
  name: string
  /** Begins what was returned, up to the next entry. Not in a summary. */
  body?: string
  /** Begins the line with the status; needs `success`. Default: every entry is a success. Not in a summary. */
  status?: string
  /** Stands in the status of a call that did not fail. */
  success?: string
  /** Stands in the status of a call that took too long. Default: none; such a call is an error. */
  timeout?: string
  /** Stands in the status of a call that was refused. Default: none; such a call is an error. */
  denied?: string
  /** Makes it a summary. Default: the entries are lines. */
  entries?: ResultEntries
  /** A marker in front of the block that is not shown. */
  before?: string
  /** A marker behind the block that is not shown. */
  behind?: string
}

/** What separates the entries of a summary, and what ends the last one. */
export interface ResultEntries {
  /** What stands between two entries, such as `；`. */
  separator: string
  /** What the last one may end in. Default: nothing. */
  end?: string
}

/**
 * Defaults of the engine, which every run may replace. The engine throws SluiceError `option` for a wrong value, with
 * its path, what was found and what is allowed. Members that begin with `x-` are yours: nobody reads them.
 */
export interface Settings {
  /** False: no tool is offered, and nothing is looked for in the text. Default true. */
  enabled?: boolean
  /**
   * How tools reach the model. `native`: in the request. `text`: described in the system message, calls are read out of
   * the text. `auto` (the default): native; a provider that refuses tools fails the turn with a hint.
   */
  mode?: 'native' | 'text' | 'auto'
  /** How calls are written as text. Default `vcp`. `'auto'`: by the model's name. */
  protocol?: Protocol | Protocol[]
  /** For `protocol: 'auto'`, in front of the built-in table. Default none. */
  profiles?: Profile[]
  /**
   * Protocols that are read beside native calls or the `protocol` of mode `text`. Those that tools ask for are read in
   * any case. `'auto'`, alone or in the list: beside native calls the format named in `protocol`, else the one of the
   * model's profile. A profile's format is read on `openai-chat` and `ollama`; calls in code, and calls of tools that
   * the model does not see, are text. Default `'auto'` in mode `auto`, otherwise none.
   */
  alsoParse?: 'auto' | Protocol[]
  /**
   * `text`: if a provider refuses tools, in any round, mode `auto` asks again in mode `text`, and sends what ran so far
   * as text. Only before anything of that answer was shown. `{ on }`: for these reasons alone; `{ when }`: also when
   * your function says so. Default null: the turn fails.
   */
  autoFallback?: 'text' | Fallback | null
  /**
   * `user_mediated`: the turn ends `awaiting_user` with its calls open; the next turn takes them up from the messages.
   * Default `automatic`.
   */
  loop?: 'automatic' | 'user_mediated'
  /**
   * Where the description of the tools goes in mode text when no message has `{{tools}}`. Default null: the protocol's
   * own place.
   */
  injectTools?: 'top' | 'bottom' | 'off' | null
  /**
   * When calls run: `round` (the default), at the end of the answer, but `immediate` ones as soon as they are complete;
   * `block`, each as soon as it is complete; `end`, at the end of the answer, but `immediate` ones that are read-only
   * or have `ipc`. A run with `checkpoint` has `end`.
   */
  dispatch?: 'round' | 'block' | 'end'
  /** Stops the answer behind its first complete call. Default false. */
  stopAfterCall?: boolean
  /** Whether calls of a round run at the same time. Default `serial`. */
  execution?: 'serial' | 'parallel'
  /** With `execution: 'parallel'`: how many tools run at once, at least 1. Default 4. */
  maxConcurrentTools?: number
  /**
   * `together` (the default): all calls of a round ask at once. `one_by_one`: the next one asks when the one before it
   * has ended.
   */
  questionOrder?: 'together' | 'one_by_one'
  /** Every tool asks, public ones too. Default false. */
  requireConfirmation?: boolean
  /**
   * Results wait for a person before the model reads them; at least this for every tool. Default null: what each tool
   * says.
   */
  resultApproval?: ResultPolicy | null
  /** Switches tools on and off, by name or by `toolId`. Default none. */
  toolToggles?: { [tool: string]: boolean }
  /** For tools that `toolToggles` does not name. Default true. */
  defaultToolEnabled?: boolean
  /** Rounds of tool calls in a turn, at least 1; the answer behind them is not counted. Default 5. */
  maxRounds?: number
  /**
   * Answers that a turn may ask for, at least 1: rounds, answers that `onFinal` sends back, pauses and the one at a
   * limit; further tries of a request are not counted. The last one is asked for without tools, but the first. Default
   * null: no limit.
   */
  maxRequests?: number | null
  /**
   * At a limit, and after the last of `maxRounds`, the model is asked once more, without tools. False: the turn ends
   * with the error `max_rounds` or `max_requests`. Default true.
   */
  forceFinalAnswer?: boolean
  /** Tool calls in a turn, at least 1. Default 32. */
  maxCalls?: number
  /** The same call is not run in so many rounds running, at least 1. Default 3. */
  repeatLimit?: number
  /** Milliseconds that a tool may take; 0: no limit. Default 30,000. */
  timeoutMs?: number
  /** Milliseconds that a question waits for a person; 0: no limit. Default 0. */
  approvalTimeoutMs?: number
  /** Milliseconds until the first byte of an answer, and without content within it; 0: no limit. Default 300,000. */
  firstByteTimeoutMs?: number
  /** Milliseconds of silence within an answer; 0: no limit. Default 90,000. */
  idleTimeoutMs?: number
  /**
   * What a server means by finish reasons of its own: `{ fin: 'good' }`. Sluice compares them without regard to case.
   * Default none.
   */
  finishReasons?: { readonly [word: string]: FinishClass }
  /** What Sluice tells the server about prompt caching. `engine.run` sets it from `model.cache`. Default `off`. */
  cache?: PromptCache
  /** How far the name in a call may be from that of its tool. Default null: exactly that. */
  names?: NameRules | null
  /** `report` (the default): the model is told about a call that cannot be read. `drop`: only a diagnostic says so. */
  malformed?: 'report' | 'drop'
  /** Bytes of a result that the model gets: its beginning and its end. The card keeps all of it. Default 65,536. */
  resultMaxBytes?: number
  /** In mode text, the role in which results go back. Default `user`. */
  resultRole?: 'user' | 'tool'
  /**
   * `text` (the default): after a change of the provider, the model reads what the former provider's own tools did as a
   * sentence each. `off`: it does not.
   */
  providerCards?: 'text' | 'off'
  /**
   * A picture that the model made, where the provider's own item does not go back: `send` it in a message of the user
   * behind the answer, or `name` it in a sentence. Default `auto`: `send` where the conversation has a picture of the
   * user.
   */
  madePictures?: 'auto' | 'send' | 'name'
  /** `execute`: calls within reasoning are calls. Default `ignore`. */
  reasoningCalls?: 'ignore' | 'execute'
  /** The prompt has opened the reasoning already. Default false. */
  startsInReasoning?: boolean
  /**
   * Asks the provider for the tokens of a stream: `stream_options: { include_usage: true }`, unless `request` has
   * `stream_options`. A server that refuses the member is asked again without. Default true.
   */
  usage?: boolean
  /** In which language, and in which words, the model reads what became of a call. Default `en`. */
  words?: Language | ModelWords
  /**
   * In mode text, the guide to the tools that the model reads, in place of the one that the protocol writes. Default
   * null: the protocol's. It goes where `{{tools}}` stands, or where `injectTools` says.
   */
  definitions?: string | null
  /**
   * A word that stands in the markers of calls, 4 to 16 characters of a-z and 0-9: what the model merely quotes is then
   * no call. For `vcp`, `tool_action`, `xml_tag` and `json_strict`. Keep one per conversation, so that requests begin
   * alike. Default null: none.
   */
  markerWord?: string | null
  /**
   * The server runs the calls itself, as VCP servers do: cards show them with the results that it writes into its
   * answer, and nothing runs, asks or goes back here. With `results` it says how another server writes them. Default
   * false.
   */
  observeOnly?: boolean | ObservedServer
  /**
   * The turn waits with a final answer until `conclude` was called: a `final` event tells it. `onFinal` sets it.
   * Default false.
   */
  checkFinal?: boolean
  /**
   * Each complete call of a tool that the model may call waits for `resolveArguments` before rules, limits and questions
   * look at it: a `resolve` event tells it. `beforeApproval` sets it. Default false.
   */
  checkArguments?: boolean
  /**
   * Sizes beyond which something is refused or cut. Bytes, but for `depth` (of JSON), `callsPerRound`, `blocks` and
   * `nested`.
   */
  limits?: {
    /** Arguments of one call. Default 16 MiB. */
    argumentBytes?: number
    /** Text of one answer. Default 8 MiB. */
    textBytes?: number
    /** A result, on its card. Default 16 MiB. */
    resultBytes?: number
    /** Text that is held back because it may become a call. Default 64 KiB. */
    candidateBytes?: number
    /** Nesting of JSON, at most 1,024. Default 128. */
    depth?: number
    /** Calls in one answer, and calls that one tool makes of others. Default 128. */
    callsPerRound?: number
    /** One line of a stream. Default 32 MiB. */
    lineBytes?: number
    /** Blocks of the message. Default 100,000. */
    blocks?: number
    /** How deep tools call tools, 0 to 16. Default 4. */
    nested?: number
  }
  /** Yours: nobody reads it. */
  [own: `x-${string}`]: unknown
}

/** The configuration of one native turn: settings, and what it is about. */
export interface TurnSettings extends Settings {
  /** The provider's format. Default `openai-chat`. `text`: the bytes are the answer's text. */
  wire?: WireName | 'text'
  /**
   * Names the server of the request, in at most 256 bytes. What an answer holds beside text and calls goes back to the
   * same wire, endpoint and model alone. `engine.run` sets it. Default null: one server for all.
   */
  endpoint?: string | null
  /**
   * Who serves the model, in at most 256 bytes: `openai`, `azure`, `groq`, `xai`, `openrouter`, or another name of
   * `providers`. Requests keep to what that server takes. `engine.run` sets it. Default null: unknown.
   */
  dialect?: string | null
  /** Names of tools that the server refused before: the request goes without them. Default none. `engine.run` sets it. */
  leaveOut?: string[]
  /** The body of the request, with `messages`. Left out: the turn is a parser. */
  request?: {
    /** The conversation, at least one message. */
    messages: ChatMessage[]
    /** What else the body has: `model`, `temperature`, … */
    [member: string]: unknown
  }
  /** Decisions that are remembered from before. */
  rules?: Rule[]
}

/** Settings in which nothing is left open: what was not given has the engine's default. */
export type EffectiveSettings = {
  [name in Known]-?: name extends 'limits'
    ? Required<NonNullable<Settings['limits']>>
    : Exclude<Settings[name], undefined>
}

/** When `autoFallback` goes on in mode text. */
export interface Fallback {
  /** For these reasons alone. Default: all of them. */
  on?: FallbackReason[]
  /**
   * Sees a failed answer of which nothing was shown, before `retries` does, if no reason of `on` applies and Sluice
   * does not ask again by itself. true: asks again in mode text. `engine.run` calls it, in mode `auto`; what it throws ends the turn with the
   * error `hook`. A state does not hold it: `engine.resume` takes the one of the engine.
   */
  when?: (failure: FailedAnswer) => boolean | Promise<boolean>
}

/** An answer that failed, as the turn would end with it. */
export interface FailedAnswer {
  /** Of the error: `http`, `provider`, `empty_answer` or another. */
  code: string
  /** Of HTTP, if that is the error. */
  status?: number
  /** In the provider's words, if it has some. */
  detail: string
  /** What the provider itself said, without status and address. Absent if it said nothing. */
  words?: string
  /** The round of the turn, from 1. */
  round: number
  /** What to do about it, if Sluice knows. */
  hint?: string
}

/** What a configuration exposes to the model, and why the rest is hidden: `SLUICE_GET_TOOLS`. */
export interface ToolList {
  /** Another where anything of the tools, or of how they are told, is another. */
  hash: string
  /** Each with the name that a request carries, whether the model sees it, and why not. */
  tools: ListedTool[]
  /** Roughly, what the tools cost a request. */
  tokens: ToolTokens
  /** The text protocols of this configuration; for `protocol: 'auto'`, what the model's name led to. */
  protocols: string[]
  /** Every id that `protocol` may have: Sluice's own, then the model families by name. */
  knownProtocols: string[]
  /** What `protocol: 'auto'` looks the model's name up in, the first that fits. */
  profiles: ListedProfile[]
  /** The settings that count, with every default of the engine. */
  settings: EffectiveSettings
}

/** A tool as a configuration exposes it, or not. */
export interface ListedTool {
  /** As the tool declares it. */
  name: string
  /** The name that a native request carries. */
  wireName: string
  /** The model sees it. */
  exposed: boolean
  /** Why the model does not see it: `not_callable`, `disabled`, or `unsendable`: this server takes it in no form. */
  reason?: string
  /** Its calls go to a window and have no result: no function runs them. */
  ipc?: true
  /** The kind of tool that its provider defines, as in `tool({ provider })`. Absent for any other tool. */
  provider?: string
  /** Keywords of its schema that the engine does not check. */
  unchecked?: string[]
  /**
   * Keywords of its schema that the provider's server drops: its model does not know of them, the engine checks them.
   */
  unseen?: string[]
  /**
   * How the server of this configuration gets it, where the model sees it: `changed` in its schema, its keys or its
   * description; `left out` where no form of it is taken. Arguments are checked against the tool's own schema.
   */
  sent?: 'as it is' | 'changed' | 'left out'
  /**
   * What was changed, in words: `items added at /ids`, `key sort[] is sort_`. Of a tool that was left out, the reason.
   */
  changes?: string[]
  /** Roughly, what it costs a request. */
  estimatedTokens?: number
}

/** Roughly, what the tools cost a request, in tokens. */
export interface ToolTokens {
  /** As JSON in the body: modes native and auto. */
  native: number
  /** As text in the instructions: mode text. */
  text: number
}

/** A row of the table behind `protocol: 'auto'`. */
export interface ListedProfile {
  /** Names of models that contain this text; `*` stands for anything. */
  match: string
  /** The id of the protocol that they get. */
  protocol: string
  /** Tags of reasoning besides `<think>`. */
  reasoning: [open: string, close: string][]
  /** The prompt of these models opens their reasoning. */
  startsInReasoning: boolean
  /** The role of messages with results in text mode. */
  resultRole: 'user' | 'tool'
}

/**
 * The protocols of the settings, then those that tools bring. undefined: the engine's default. Of two with one id the
 * first counts. The engine joins the rules of `inline_tags`: an app and its tools bring tags each.
 */
export function allParsed(
  { alsoParse, mode = 'auto' }: Pick<Settings, 'alsoParse' | 'mode'>,
  tools: readonly { readonly alsoParse?: readonly Protocol[] }[],
): Settings['alsoParse'] {
  const brought = tools.flatMap((tool) => tool.alsoParse ?? [])
  if (brought.length === 0) return alsoParse
  const own = alsoParse === 'auto' ? ['auto'] : (alsoParse ?? (mode === 'auto' ? ['auto'] : []))
  if (!Array.isArray(own)) return own // the engine says what is wrong with it
  const idOf = (protocol: Protocol): string | undefined => (typeof protocol === 'string' ? protocol : protocol?.id)
  const all = new Map(own.map((protocol) => [keyOf(protocol), protocol]))
  const ids = new Set(own.map(idOf))
  for (const protocol of brought) {
    if (idOf(protocol) !== 'inline_tags' && ids.has(idOf(protocol))) continue
    ids.add(idOf(protocol))
    all.set(keyOf(protocol), protocol)
  }
  return [...all.values()]
}

const keyOf = (protocol: Protocol): string => (typeof protocol === 'string' ? protocol : JSON.stringify(protocol))

/**
 * The function of `autoFallback`, which JSON cannot hold, and the settings without it. Without `on`, all reasons apply
 * beside it.
 */
export function splitFallback<T extends Settings>(settings: T): { when: Fallback['when'] | undefined; rest: T } {
  const { autoFallback } = settings
  if (typeof autoFallback !== 'object' || !autoFallback?.when) return { when: undefined, rest: settings }
  const { when, ...others } = autoFallback
  return { when, rest: { ...settings, autoFallback: 'on' in others ? others : 'text' } }
}

const value = is('a JSON value', (given) => typeof given !== 'function' && typeof given !== 'symbol')

const checkWhen = func('(failure) => boolean')
const fallback: Check = (given, path) => {
  value(given, path)
  if (isObject(given) && given['when'] !== undefined) checkWhen(given['when'], inside(path, 'when'))
}

type Known = Exclude<keyof Settings, `x-${string}`>
const known: { [name in Known]: Check } = {
  enabled: value,
  mode: value,
  protocol: value,
  profiles: value,
  alsoParse: value,
  autoFallback: fallback,
  loop: value,
  injectTools: value,
  dispatch: value,
  stopAfterCall: value,
  execution: value,
  maxConcurrentTools: value,
  questionOrder: value,
  requireConfirmation: value,
  resultApproval: value,
  toolToggles: value,
  defaultToolEnabled: value,
  maxRounds: value,
  maxRequests: value,
  forceFinalAnswer: value,
  maxCalls: value,
  repeatLimit: value,
  timeoutMs: value,
  approvalTimeoutMs: value,
  firstByteTimeoutMs: value,
  idleTimeoutMs: value,
  finishReasons: value,
  cache: value,
  names: value,
  malformed: value,
  resultMaxBytes: value,
  resultRole: value,
  providerCards: value,
  madePictures: value,
  reasoningCalls: value,
  startsInReasoning: value,
  usage: value,
  limits: value,
  words: value,
  definitions: value,
  markerWord: value,
  observeOnly: value,
  checkFinal: value,
  checkArguments: value,
}

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(known)

/** A shape of these members and all settings. */
export function withSettings({ members, ...rest }: Shape): Shape {
  return { members: { ...members, ...known }, ...rest }
}

/** The configuration of a native turn. */
export const checkTurnSettings = members(
  withSettings({
    members: { wire: value, endpoint: value, dialect: value, leaveOut: value, request: record, rules: value },
  }),
)
