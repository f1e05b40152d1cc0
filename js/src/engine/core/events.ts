// Events and documents as the engine writes them: plain JSON. Members and event types may be added: ignore what you do
// not know.

import type { DiagnosticCode, ErrorEventCode, CallReason, FallbackReason } from './codes.js'

/** What JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
/** A JSON object. */
export type JsonObject = { [key: string]: Json }

/**
 * How a turn ended. `limit`: a limit of the turn was reached. `awaiting_user`: its calls are open, for the next turn.
 */
export type Outcome = 'completed' | 'cancelled' | 'failed' | 'limit' | 'awaiting_user'
/**
 * Why a provider says that its answer ended; `error`: it broke the answer off; `unknown`: in a word that Sluice does
 * not know.
 */
export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'pause'
  | 'malformed'
  | 'error'
  | 'unknown'
/** What a finish reason means: an answer that ended with `failure` or `unknown` fails, and its calls do not run. */
export type FinishClass = 'good' | 'length' | 'filter' | 'failure' | 'malformed' | 'pause' | 'unknown'
/**
 * What a tool may do without asking: run at once, run where a decision of a person is remembered, or nothing: each call
 * is asked about.
 */
export type PermissionLevel = 'public' | 'moderate' | 'sensitive'
/** When a call is asked about: never, until it is remembered, or always. */
export type ExecutionPolicy = 'auto' | 'ask_once' | 'ask_always'
/** When a result waits for a person before the model reads it. */
export type ResultPolicy = 'never' | 'on_error' | 'always'

/** Where a call stands. From `success` on it is final. */
export type CardStatus =
  | 'streaming'
  | 'pending'
  | 'awaiting_approval'
  | 'executing'
  | 'awaiting_result_approval'
  | 'success'
  | 'error'
  | 'denied'
  | 'result_rejected'
  | 'not_found'
  | 'invalid'
  | 'timeout'
  | 'expired'
  | 'cancelled'
  | 'unknown'

/** A decision about a call. */
export interface ApprovalRecord {
  /** That it runs, or that its result is let out. */
  stage: 'execution' | 'result'
  /** What was decided; `expired`: nobody did in time. */
  decision: 'approved' | 'denied' | 'expired'
  /**
   * A person, a remembered decision, or the configuration (also: an approval adapter that failed, or nobody to ask).
   */
  by: 'user' | 'rule' | 'policy'
  /** Which person, as the app says: `by` of a decision about a durable turn. */
  who?: string
  /** How long it lasts: `once`, `turn`, `session`, `always`. */
  remember?: string
  /** In the words of whoever decided. */
  reason?: string
  /** When, in Unix milliseconds. */
  at?: number
}

/** A piece of a result. */
export type ResultPart =
  | {
      type: 'text'
      text: string
    }
  | {
      type: 'image'
      mediaType: string
      /** The picture in base64. */
      data: string
    }
  | {
      type: 'image'
      /** Where the picture is. The provider loads it. */
      url: string
    }

/** A file that a model or a tool of the provider made. It may be too large to be kept: then only its kind is known. */
export interface FilePart {
  type: 'file'
  /** Absent where the provider does not say. */
  mediaType?: string
  /** The file in base64. */
  data?: string
  /** Where the provider keeps the file. */
  url?: string
  /** Its id at the provider. */
  id?: string
  /** What it is called. */
  name?: string
}

/** A picture or a file that a model made. */
export type MediaPart = Extract<ResultPart, { type: 'image' }> | FilePart

/** Where a text of the model comes from, as the provider says. It has an address, a title or an id. */
export interface Source {
  kind: 'web' | 'file' | 'document' | 'map'
  /** Begins with `http:` or `https:`. Absent where the provider gave none of the web. */
  url?: string
  /** Of the page or the file. */
  title?: string
  /** Of the file, at the provider. */
  id?: string
  /** The text that was quoted. */
  cited?: string
  /** Where the part of the text begins that comes from it, in UTF-16 units; absent where the provider does not say. */
  start?: number
  /** Where that part ends; absent together with `start`. */
  end?: number
}

/** The call whose tool asked for another one: see `ToolContext.call`. */
export interface CallerRef {
  /** The number of that call. */
  call: number
  /** The name of its tool. */
  name: string
}

/** What is known of a call. A `card` event carries only what is new. */
export interface CardFields {
  /** Another tool asked for it. Such a card has no block: it is one of `nested` of its caller's card. */
  parent?: CallerRef
  /** The provider's id of the call. */
  wireId?: string
  /** The name of the tool, or the one asked for where there is no such tool. */
  name?: string
  /** The name as the model wrote it, where it is another. */
  askedName?: string
  /**
   * `native`, or the protocol in which it was written. `provider`: the provider runs it itself, and nothing is asked or
   * run here. `nested`: another tool asked for it.
   */
  source?: string
  /** The round whose answer holds it, from 1. */
  round?: number
  /** The call stood without a result at the end of `messages`. */
  adopted?: boolean
  /** How far the call has come. */
  status?: CardStatus
  /** The arguments, with the types of the tool's schema. */
  arguments?: JsonObject
  /** The arguments as the model wrote them. */
  rawArguments?: string
  /** The arguments that a person put in their place: with these it ran. */
  editedArguments?: JsonObject
  /**
   * The arguments that the app put in the place of references (`beforeApproval`, `beforeExecute`): with these it ran.
   * The model does not read them.
   */
  hostArguments?: JsonObject
  /** SHA-256 of tool, arguments and definition, once it came to the gate: see `ExecuteEvent`. */
  digest?: string
  /** What the call does, once it started: see `ExecuteEvent`. */
  key?: string
  /** Fields of the text protocol that are not arguments: `archery` of `vcp` and the like. */
  protocolFields?: { [key: string]: string }
  /** The call as it stands in the answer's text. */
  raw?: string
  /** Where `raw` begins in the round's text, in bytes of UTF-8. */
  start?: number
  /** Where `raw` ends in the round's text, in bytes of UTF-8. */
  end?: number
  /** Where `raw` begins in the round's text, in UTF-16 units: as strings of JavaScript count. */
  utf16Start?: number
  /** Where `raw` ends in the round's text, in UTF-16 units. */
  utf16End?: number
  /** Why it has this status. */
  reason?: CallReason
  /** The result as the tool gave it. */
  output?: string
  /** Bytes of the whole result, also where `output` holds its beginning only. */
  outputBytes?: number
  /** Of a nested call: the result is JSON. */
  json?: true
  /** Text and images of the result; of a tool of the provider also files. */
  parts?: (ResultPart | FilePart)[]
  /** What the app put in the place of the result for the model (`afterTool`): text, and images where it has any. */
  hostOutput?: {
    /** The text, or JSON as text. */
    text: string
    /** Text and images; absent where there is no image. */
    parts?: ResultPart[]
  }
  /** What the model read as the result, after `resultMaxBytes`; for a call that did not run, why. */
  modelOutput?: string
  /** The last text that the tool reported while it ran. */
  progress?: string
  /** What went wrong, for people. */
  error?: string
  /** Not found: up to three names that may have been meant. */
  suggestions?: string[]
  /** When the tool began, in Unix milliseconds. */
  startedAt?: number
  /** When the call ended, in Unix milliseconds. */
  endedAt?: number
  /** Milliseconds that the tool ran. */
  durationMs?: number
  /** What was decided about it, in order. */
  approvals?: ApprovalRecord[]
}

interface Base {
  /** Counts the events of a turn, without gaps. */
  seq: number
}
interface OfRound {
  /** The request and its answer, from 1. */
  round: number
}
interface OfBlock {
  /** Where in the message's `blocks`, from 0. */
  block: number
}
interface OfCall {
  /** The number of the call in the turn, from 1. */
  call: number
}
interface WithText {
  /** Behind what came before. */
  text: string
}
interface WithReason {
  reason: string
}

/** Perform this model request (`run` does). */
export interface RequestEvent extends Base, OfRound {
  type: 'request'
  /** The size of its body. */
  bytes: number
  /**
   * Whom the elements of its conversation come from, in their order: how many of each. `guide`: the engine's guide to
   * the tools alone; `host`: the `messages` of the turn; `turn`: what the turn added.
   */
  sources: ['guide' | 'host' | 'turn', number][]
}
/**
 * By `run()`: a request failed before anything of its answer was shown, and is sent again after a wait, which begins
 * now.
 */
export interface RetryEvent extends Base, OfRound {
  type: 'retry'
  /** Which further try this is, from 1. */
  attempt: number
  /** How many further tries there are at most; absent where a function decides (`retries`). */
  maxAttempts?: number
  /** Milliseconds until it is sent. */
  delayMs: number
  /** What went wrong, in the provider's words where it has some. */
  detail: string
  /** Of the response, where a server answered. */
  status?: number
  /** By which the provider knows the failed request, where it says so. */
  requestId?: string
  /** What the provider asked to wait, in milliseconds. */
  retryAfterMs?: number
}
/** Stop reading the current answer (`run` does). */
export interface AbortRequestEvent extends Base, WithReason {
  type: 'abortRequest'
}
/**
 * What a text is, where it is not simply the answer. The same in every event of a block, but for a `phase` that becomes
 * known late.
 */
export interface TextMarks {
  /** The provider's way to say that the model declines. */
  refusal?: true
  /** The model made up the result of a call, in its own marks for results: nobody ran anything. */
  fabricated?: true
  /**
   * The message is a commentary on the work, or the answer. The provider may say so after the text: then an event with
   * an empty text has it.
   */
  phase?: 'commentary' | 'final_answer'
}
/** The app looks at a final answer, which the turn would end with: `onFinal`, or `run.conclude`. */
export interface FinalEvent extends Base, OfRound {
  type: 'final'
  text: string
  /** It cannot be sent back: `maxRounds` or `maxRequests` allows no further answer. */
  noRetry?: true
}
/** The text of these blocks is withdrawn: the answer was sent back or replaced, or a later message repeats it. */
export interface RetractedEvent extends Base, OfRound {
  type: 'retracted'
  /** The numbers of the blocks. */
  blocks: number[]
}
/** More text of a block. */
export interface TextEvent extends Base, OfBlock, WithText, TextMarks {
  type: 'text'
}
/** More reasoning of a block. */
export interface ReasoningEvent extends Base, OfBlock, WithText {
  type: 'reasoning'
}
/** Where the text of a block comes from: all sources of it so far. */
export interface SourcesEvent extends Base, OfBlock {
  type: 'sources'
  sources: Source[]
}
/** The model made a picture or a file: one more part of a block. */
export interface MediaEvent extends Base, OfBlock {
  type: 'media'
  part: MediaPart
}
/** A call was opened, or something about it changed: a patch of its card. */
export interface CardEvent extends Base, OfCall, CardFields {
  type: 'card'
  /** Where in the message's `blocks`, from 0; absent for a nested call. */
  block?: number
}
/** More of a call's arguments, while they are written. */
export interface ArgsEvent extends Base, OfCall, WithText {
  type: 'args'
}
/** What a running tool reported. */
export interface ProgressEvent extends Base, OfCall {
  type: 'progress'
  /** In place of the last report. */
  text: string
  /** By `run()`, where the tool counts: how much is done. */
  done?: number
  /** How much there is in all, in the unit of `done`. */
  total?: number
}

/** A question for a person: may this call run, or its result be let out? The same for events, adapters and windows. */
export interface ApprovalRequest {
  /** The number of the call. */
  call: number
  /** The tool that asks for it; absent where the model does. */
  parent?: CallerRef
  /** The name of the tool. */
  name: string
  /** `annotations.title` of the tool. */
  title?: string
  /** What the tool says about itself. */
  description: string
  /** What it runs with: the edited arguments, where they were edited; the resolved ones, where the app resolved them. */
  arguments: JsonObject
  /** What the model wrote, where the app resolved other arguments (`beforeApproval`). */
  written?: JsonObject
  /** Fields of the text protocol that are not arguments, and that it runs with. */
  protocolFields?: { [key: string]: string }
  /** What the tool declares. */
  level: PermissionLevel
  /** Why it is asked. */
  policy: ExecutionPolicy | ResultPolicy
  /** SHA-256 of what is approved: tool, arguments and definition as shown; of a result, its text. */
  digest: string
  /** When it counts as refused, in Unix milliseconds. */
  expiresAt?: number
  /** Stage `result`: what the model would read. */
  preview?: {
    /** `text`, or `parts` where there are pictures. */
    kind: string
    /** What the model would read, as text. */
    text: string
    isError: boolean
    /** Its pieces, where there are pictures. */
    parts?: ResultPart[]
  }
}

/** A person must decide: `run.approve(event)`, `run.release(event)` or `run.deny(event)`. */
export interface ApprovalEvent extends Base, ApprovalRequest {
  type: 'approval'
  /** `execution`: may it run? `result`: may the model read what came out? */
  stage: 'execution' | 'result'
}
/**
 * With `checkArguments`: which arguments does this call run with? Nobody is asked, and nothing runs, before
 * `run.resolveArguments(event, …)`. `beforeApproval` answers it.
 */
export interface ResolveEvent extends Base, OfCall {
  type: 'resolve'
  /** The tool that asks for it; absent where the model does. */
  parent?: CallerRef
  /** The name of the tool. */
  name: string
  /** As the model wrote them, with the types of the tool's schema. */
  arguments: JsonObject
}
/** Run this tool (`run` does where it has `execute`). */
export interface ExecuteEvent extends Base, OfCall {
  type: 'execute'
  /** The tool that asks for it; absent where the model does. */
  parent?: CallerRef
  /** The name of the tool. */
  name: string
  /** The call's id of the provider, or of the text format. */
  wireId?: string
  /** `native`, or the id of the text protocol. */
  source?: string
  /** The round whose answer holds the call, from 1. */
  round?: number
  /** What it runs with: checked against the tool's schema, edited ones where a person edited them. */
  arguments: JsonObject
  /**
   * A call that a restored turn runs again: the arguments that the app resolved before (`beforeExecute`). It runs with
   * these.
   */
  hostArguments?: JsonObject
  /**
   * SHA-256 of tool, arguments and definition, as its question has it: an edit does not change it. A result belongs to
   * this call alone.
   */
  digest: string
  /**
   * What the call does, within its turn: its round, 32 hex digits of the SHA-256 of the tool's name and canonical
   * arguments, and a number from 2 on for equal calls of the round. After a run's id it is the tool's `key`.
   */
  key: string
  /** Fields of the text protocol that are not arguments. */
  protocolFields?: { [key: string]: string }
  /** Nobody waits for its result. */
  detached?: boolean
  /** When its time is up, in Unix milliseconds. */
  deadline?: number
}
/** A running tool is no longer wanted. */
export interface AbortToolEvent extends Base, OfCall, WithReason {
  type: 'abortTool'
}
/** What a fire-and-forget tool sends to another window. */
export interface IpcEvent extends Base, OfCall {
  type: 'ipc'
  /** The block of the text in front of the call. Where no text of its answer stands there: the call's own block. */
  block: number
  /** Bytes of that block's text in front of the call, in UTF-8. */
  offset: number
  /** As the tool's `ipc` names it. */
  channel: string
  /** What goes through the channel, filled in from the arguments. */
  payload: Json[]
}
/** A decision to remember for later turns. */
export interface RuleEvent extends Base {
  type: 'rule'
  /** For the store of rules. */
  rule: Rule
}
/** The answer of this round is over: once per answer, behind its last text. Stop reading, and finish it as complete. */
export interface RoundEvent extends Base, OfRound {
  type: 'round'
  /** Absent where the provider gave none. */
  finishReason?: FinishReason
}
/** Tokens of this round so far: the last event counts. */
export interface UsageEvent extends Base, OfRound, Usage {
  type: 'usage'
}
/** Something that a developer wants to know. js/docs/codes.md says what to do about each code. */
export interface DiagnosticEvent extends Base {
  type: 'diagnostic'
  /** Which of those in js/docs/codes.md. */
  code: DiagnosticCode
  /** What was found, and what was expected. */
  detail?: string
  /** The call in question. */
  call?: number
  /** Where in the round's text, in bytes. */
  offset?: number
  /** The text in question. */
  raw?: string
  /** The name of the tool in question. */
  tool?: string
  /** The same request may succeed later. */
  retryable?: boolean
  /** Of `provider_error`: what the provider itself said. */
  words?: string
  /** Of `fallback_to_text`: see `RunResult.fallback`. */
  reason?: string
}
/** Something went wrong and is shown in the message. */
export interface ErrorEvent extends Base {
  type: 'error'
  /** Where in the message's `blocks`, where it is shown there. */
  block?: number
  /** Which of those in js/docs/codes.md. */
  code: ErrorEventCode
  detail: string
  /** What the provider itself said, without status and address. Absent if it said nothing. */
  words?: string
  /** What to do about it. */
  hint?: string
  /** The same request may succeed later: nothing of the answer was shown. */
  retryable?: boolean
  /** A fault of Sluice: the turn is lost. */
  fatal?: boolean
  /** A tool of `request.tools` that the server refuses. */
  tool?: string
  /** By `run()`, where a server answered: the status of its response. */
  status?: number
  /** By which the provider knows the request, where it says so. */
  requestId?: string
  /** What the provider asks to wait before another try. */
  retryAfterMs?: number
}
/** The last event. */
export interface DoneEvent extends Base {
  type: 'done'
  /** How the turn ended. */
  outcome: Outcome
  /** Of the last answer. */
  finishReason?: FinishReason
}

/** Whatever a turn says. Types may be added: ignore what you do not know. */
export type SluiceEvent =
  | RequestEvent
  | RetryEvent
  | AbortRequestEvent
  | TextEvent
  | ReasoningEvent
  | SourcesEvent
  | MediaEvent
  | CardEvent
  | ArgsEvent
  | ProgressEvent
  | ApprovalEvent
  | ResolveEvent
  | FinalEvent
  | RetractedEvent
  | ExecuteEvent
  | AbortToolEvent
  | IpcEvent
  | RuleEvent
  | RoundEvent
  | UsageEvent
  | DiagnosticEvent
  | ErrorEvent
  | DoneEvent

/** Text of the answer. */
export interface TextBlock extends TextMarks, OfRound {
  type: 'text'
  /** All of it so far. */
  text: string
  /** It is a message of its own: an empty line separates it from the text before it where texts are joined. */
  apart?: true
  /** A final check sent it back, another text replaces it, or a later message of the same answer has the same text. */
  retracted?: true
  /** Where it comes from, as the provider says. */
  sources?: Source[]
}
/** Pictures and files that the model made. */
export interface MediaBlock extends OfRound {
  type: 'media'
  parts: MediaPart[]
}
/** What the model thought. */
export interface ReasoningBlock extends OfRound {
  type: 'reasoning'
  /** All of it so far. */
  text: string
}
/** A call and its life. */
export interface ToolUseBlock extends CardFields, OfCall {
  type: 'tool_use'
  /** The calls that its tool made of other tools, in order. */
  nested?: ToolUseBlock[]
}
/** What went wrong. */
export interface ErrorBlock {
  type: 'error'
  /** Which of those in js/docs/codes.md. */
  code: ErrorEventCode
  detail: string
  /** What the provider itself said, without status and address. Absent if it said nothing. */
  words?: string
  /** What to do about it. */
  hint?: string
}
/** A part of a message, told apart by `type`. Blocks are only ever appended. */
export type Block = TextBlock | ReasoningBlock | ToolUseBlock | MediaBlock | ErrorBlock

/** Tokens as the provider counted them. */
export interface Usage {
  /** Of the request: instructions, messages, tools. */
  inputTokens?: number
  /** Of the answer, with what the model thought. */
  outputTokens?: number
  /** How many of the input's came from the provider's cache; absent where the provider does not say. */
  cachedTokens?: number
  /** How many of the input's were written to that cache; absent where the provider does not say. */
  cacheWriteTokens?: number
  /** How many of the output's the model thought with; absent where the provider does not say. */
  reasoningTokens?: number
}

/** One answer of the model, as far as it is known. */
export interface AnswerInfo {
  /** Why it ended; absent where the provider gave no reason. */
  finishReason?: FinishReason
  /** What it cost, where the provider says so. */
  usage?: Usage
  /** Who answered, as the provider says. */
  model?: string
  /** When it began, in Unix milliseconds. */
  startedAt?: number
  /** When it ended, in Unix milliseconds. */
  endedAt?: number
}

/** Everything a person saw of a turn. */
export interface AssistantMessage {
  role: 'assistant'
  /** Absent while the turn goes on. */
  outcome?: Outcome
  /** How many requests were made. */
  rounds: number
  /** If the turn went on in mode text. */
  fallback?: TakenFallback
  /** Of the last answer. */
  finishReason?: FinishReason
  /** Of all answers together. */
  usage?: Usage
  /** One for each round. */
  answers?: AnswerInfo[]
  /** In the order of the answer. */
  blocks: Block[]
  /** Of a parser whose text may go on: the end of the text that is in no block yet. */
  held?: string
}

/** That a turn went on in mode text. */
export interface TakenFallback {
  /**
   * A reason of `autoFallback`; `host`: its `when` said so; `calls_without_tools`: the provider refused calls in the
   * conversation beside a request without tools.
   */
  reason: FallbackReason | 'host' | 'calls_without_tools' | (string & {})
  /** The round whose request was refused, from 1. */
  round: number
}

/** A message in OpenAI's shape, for every provider. */
export interface ChatMessage {
  /** Who says it; `tool`: the result of a call. */
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  /** Text, or parts in OpenAI's shape; null beside `tool_calls`. */
  content?: string | null | object[]
  /** Of an assistant: what it called. */
  tool_calls?: {
    /** Names the call in its result. */
    id: string
    type: 'function'
    function: {
      /** The name that the request carries. */
      name: string
      /** JSON, as the model wrote it. */
      arguments: string
    }
  }[]
  /** Of a result: whose, by the `id` in `tool_calls`. */
  tool_call_id?: string
  /** Who of several with the same role. */
  name?: string
  [member: string]: unknown
}

/** A remembered decision. */
export interface Rule {
  /** A tool's name, or its beginning and `*`. */
  tool: string
  /** What becomes of the call. */
  effect: 'allow' | 'ask' | 'deny'
  /** How long it lasts. Default `always` in a file. */
  scope?: 'turn' | 'session' | 'always'
  /** Only for a call with exactly these. */
  arguments?: JsonObject
  /** Hash of the tool as the person saw it: where the tool changed, an `allow` no longer counts. */
  definition?: string
}
