// Events and documents as the engine writes them: plain JSON. Members and event types may be added: ignore what you do not know.

import type { DiagnosticCode, ErrorEventCode, Reason } from './codes.js'

/** What JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
/** A JSON object. */
export type JsonObject = { [key: string]: Json }

/** How a turn ended. `limit`: a limit of the turn was reached. `awaiting_user`: its calls are open, for the next turn. */
export type Outcome = 'completed' | 'cancelled' | 'failed' | 'limit' | 'awaiting_user'
/** Why a provider says that its answer ended; `unknown`: in words of its own. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause' | 'unknown'
/** What a tool may do without asking: run at once, run where a decision of a person is remembered, or nothing: each call is asked about. */
export type Level = 'public' | 'moderate' | 'sensitive'
/** When a call is asked about: never, until it is remembered, or always. */
export type ExecutionPolicy = 'auto' | 'ask_once' | 'ask_always'
/** When a result waits for a person before the model reads it. */
export type ResultPolicy = 'never' | 'on_error' | 'always'

/** Where a call stands. From `success` on it is final. */
export type CardStatus =
  | 'streaming' | 'pending' | 'awaiting_approval' | 'executing' | 'awaiting_result_approval'
  | 'success' | 'error' | 'denied' | 'result_rejected' | 'not_found' | 'invalid' | 'timeout' | 'expired' | 'cancelled'
  | 'unknown'

/** A decision about a call. */
export interface Approval {
  /** That it runs, or that its result is let out. */
  stage: 'execution' | 'result'
  /** What was decided; `expired`: nobody did in time. */
  decision: 'approved' | 'denied' | 'expired'
  /** A person, a remembered decision, or the configuration (also: an approval adapter that failed, or nobody to ask). */
  by: 'user' | 'rule' | 'policy'
  /** How long it lasts: `once`, `turn`, `session`, `always`. */
  remember?: string
  /** In the words of whoever decided. */
  reason?: string
  /** When, in Unix milliseconds. */
  at?: number
}

/** A piece of a result. `data`: base64. */
export type Part =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: string }
  | { type: 'image'; url: string }

/** What is known of a call. A `card` event carries only what is new. */
export interface CardFields {
  /** The provider's id of the call. */
  wireId?: string
  /** The name of the tool, or the one asked for where there is no such tool. */
  name?: string
  /** The name as the model wrote it, where it is another. */
  askedName?: string
  /** `native`, or the protocol in which it was written. */
  source?: string
  /** The round whose answer holds it, from 1. */
  round?: number
  /** The call stood without a result at the end of `messages`. */
  adopted?: boolean
  /** Where it stands. */
  status?: CardStatus
  /** The arguments, with the types of the tool's schema. */
  arguments?: JsonObject
  /** The arguments as the model wrote them. */
  rawArguments?: string
  /** The arguments that a person put in their place: with these it ran. */
  edited?: JsonObject
  /** Fields of the text protocol that are not arguments: `archery` of `vcp` and the like. */
  reserved?: { [key: string]: string }
  /** The call as it stands in the answer's text. */
  raw?: string
  /** Where `raw` begins in the round's text, in bytes. */
  start?: number
  /** Where `raw` ends in the round's text, in bytes. */
  end?: number
  /** Why it has this status. */
  reason?: Reason
  /** The result as the tool gave it. */
  output?: string
  /** Bytes of the whole result, also where `output` holds its beginning only. */
  outputBytes?: number
  /** Text and images of the result. */
  parts?: Part[]
  /** What the model read as the result, after `resultMaxBytes`; for a call that did not run, why. */
  told?: string
  /** What went wrong, for people. */
  error?: string
  /** Not found: up to three names that may have been meant. */
  near?: string[]
  /** When the tool began, in Unix milliseconds. */
  startedAt?: number
  /** When the call ended, in Unix milliseconds. */
  endedAt?: number
  /** Milliseconds that the tool ran. */
  durationMs?: number
  /** What was decided about it, in order. */
  approvals?: Approval[]
}

interface Base {
  /** Counts the events of a turn, without gaps. */
  seq: number
}

/** Perform this model request (`run` does). `bytes`: the size of its body. */
export interface RequestEvent extends Base { type: 'request'; round: number; bytes: number }
/** Stop reading the current answer (`run` does). */
export interface AbortRequestEvent extends Base { type: 'abortRequest'; reason: string }
/** What a text is, where it is not simply the answer. The same in every event of a block. */
export interface TextMarks {
  /** The provider's way to say that the model declines. */
  refusal?: true
  /** The model made up the result of a call, in its own marks for results: nobody ran anything. */
  fabricated?: true
}
/** More text of a block. */
export interface TextEvent extends Base, TextMarks { type: 'text'; block: number; text: string }
/** More reasoning of a block. */
export interface ReasoningEvent extends Base { type: 'reasoning'; block: number; text: string }
/** A call was opened, or something about it changed: a patch of its card. */
export interface CardEvent extends Base, CardFields { type: 'card'; block: number; call: number }
/** More of a call's arguments, while they are written. */
export interface ArgsEvent extends Base { type: 'args'; call: number; text: string }
/** What a running tool reported. */
export interface ProgressEvent extends Base { type: 'progress'; call: number; text: string }

/** A question for a person: may this call run, or its result be let out? The same for events, adapters and windows. */
export interface ApprovalRequest {
  /** The number of the call. */
  call: number
  /** The name of the tool. */
  name: string
  /** `annotations.title` of the tool. */
  title?: string
  /** What the tool says about itself. */
  description: string
  /** What it runs with: the edited arguments, where they were edited. */
  arguments: JsonObject
  /** What the tool declares. */
  level: Level
  /** Why it is asked. */
  policy: ExecutionPolicy | ResultPolicy
  /** SHA-256 of what is approved: tool, arguments and definition as shown; of a result, its text. */
  digest: string
  /** When it counts as refused, in Unix milliseconds. */
  expiresAt?: number
  /** Stage `result`: what the model would read. */
  preview?: { kind: string; text: string; isError: boolean; parts?: Part[] }
}

/** A person must decide: `run.approve(event)`, `run.release(event)` or `run.deny(event)`. */
export interface ApprovalEvent extends Base, ApprovalRequest {
  type: 'approval'
  /** `execution`: may it run? `result`: may the model read what came out? */
  stage: 'execution' | 'result'
}
/** Run this tool (`run` does where it has `execute`). `deadline`: Unix milliseconds. `detached`: nobody waits for its result. */
export interface ExecuteEvent extends Base {
  type: 'execute'
  call: number
  name: string
  /** The call's id of the provider, or of the text format. */
  wireId?: string
  /** `native`, or the id of the text protocol. */
  source?: string
  round?: number
  arguments: JsonObject
  reserved?: { [key: string]: string }
  detached?: boolean
  deadline?: number
}
/** A running tool is no longer wanted. */
export interface AbortToolEvent extends Base { type: 'abortTool'; call: number; reason: string }
/** What a fire-and-forget tool sends to another window. */
export interface IpcEvent extends Base { type: 'ipc'; call: number; channel: string; payload: Json[] }
/** A decision to remember for later turns. */
export interface RuleEvent extends Base { type: 'rule'; rule: Rule }
/** The answer of this round is over: once per answer, behind its last text. Stop reading, and finish it as complete. */
export interface RoundEvent extends Base {
  type: 'round'
  round: number
  /** Absent where the provider gave none. */
  finishReason?: FinishReason
}
/** Tokens of this round so far: the last event counts. */
export interface UsageEvent extends Base { type: 'usage'; round: number; inputTokens?: number; outputTokens?: number }
/** Something that a developer wants to know. js/docs/codes.md says what to do about each code. */
export interface DiagnosticEvent extends Base {
  type: 'diagnostic'
  code: DiagnosticCode
  detail?: string
  call?: number
  /** Where in the round's text, in bytes. */
  offset?: number
  /** The text in question. */
  raw?: string
  retryable?: boolean
}
/** Something went wrong and is shown in the message. */
export interface ErrorEvent extends Base {
  type: 'error'
  block?: number
  code: ErrorEventCode
  detail: string
  /** What to do about it. */
  hint?: string
  /** The same request may succeed later: nothing of the answer was shown. */
  retryable?: boolean
  /** A fault of Sluice: the turn is lost. */
  fatal?: boolean
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
  outcome: Outcome
  /** Of the last answer. */
  finishReason?: FinishReason
}

/** Whatever a turn says. Types may be added: ignore what you do not know. */
export type SluiceEvent =
  | RequestEvent | AbortRequestEvent | TextEvent | ReasoningEvent | CardEvent | ArgsEvent | ProgressEvent | ApprovalEvent
  | ExecuteEvent | AbortToolEvent | IpcEvent | RuleEvent | RoundEvent | UsageEvent | DiagnosticEvent | ErrorEvent | DoneEvent

/** Text of the answer. */
export interface TextBlock extends TextMarks { type: 'text'; round: number; text: string }
/** What the model thought. */
export interface ReasoningBlock { type: 'reasoning'; round: number; text: string }
/** A call and its life. */
export interface ToolUseBlock extends CardFields { type: 'tool_use'; call: number }
/** What went wrong. */
export interface ErrorBlock { type: 'error'; code: ErrorEventCode; detail: string; hint?: string }
/** A part of a message, told apart by `type`. Blocks are only ever appended. */
export type Block = TextBlock | ReasoningBlock | ToolUseBlock | ErrorBlock

/** Tokens as the provider counted them. */
export interface Usage { inputTokens?: number; outputTokens?: number }

/** One answer of the model, as far as it is known. */
export interface Answer {
  finishReason?: FinishReason
  usage?: Usage
  /** Who answered, as the provider says. */
  model?: string
  /** Unix milliseconds. */
  startedAt?: number
  /** Unix milliseconds. */
  endedAt?: number
}

/** Everything a person saw of a turn. */
export interface AssistantMessage {
  /** Always `assistant`. */
  role: 'assistant'
  /** Absent while the turn goes on. */
  outcome?: Outcome
  /** How many requests were made. */
  rounds: number
  /** Of the last answer. */
  finishReason?: FinishReason
  /** Of all answers together. */
  usage?: Usage
  /** One for each round. */
  answers?: Answer[]
  /** In the order of the answer. */
  blocks: Block[]
}

/** A message in OpenAI's shape, for every provider. */
export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  content?: string | null | object[]
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  tool_call_id?: string
  name?: string
  [member: string]: unknown
}

/** A remembered decision. */
export interface Rule {
  tool: string
  effect: 'allow' | 'ask' | 'deny'
  scope?: 'turn' | 'session' | 'always'
  arguments?: JsonObject
  definition?: string
}

/** SLUICE_GET_TOOLS. */
export interface ToolList {
  hash: string
  tools: {
    name: string; wireName: string; exposed: boolean; reason?: string; unchecked?: string[]; estimatedTokens?: number
  }[]
  /** Roughly, what the tools cost a request: as JSON in its body (modes native and auto), and as text in its instructions (mode text). */
  tokens: { native: number; text: number }
  /** The text protocols of this configuration; for `protocol: 'auto'`, what the model's name led to. */
  protocols: string[]
  /** Every id that `protocol` may have: Sluice's own, then the model families by name. */
  knownProtocols: string[]
  /** What `protocol: 'auto'` looks the model's name up in, the first that fits. */
  profiles: {
    match: string; protocol: string; reasoning: [open: string, close: string][]; startsInReasoning: boolean; endsReasoning: boolean
    resultRole: 'user' | 'tool'
  }[]
}
