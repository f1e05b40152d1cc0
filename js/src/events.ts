// Events and documents as the engine writes them: plain JSON. Members and event types may be added: ignore what you do not know.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export type Outcome = 'completed' | 'cancelled' | 'failed' | 'limit' | 'awaiting_user'
/** Why a provider says that its answer ended; `unknown`: in words of its own. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'pause' | 'unknown'
export type Level = 'public' | 'moderate' | 'sensitive'
export type ExecutionPolicy = 'auto' | 'ask_once' | 'ask_always'
export type ResultPolicy = 'never' | 'on_error' | 'always'

export type CardStatus =
  | 'streaming' | 'pending' | 'awaiting_approval' | 'executing' | 'awaiting_result_approval'
  | 'success' | 'error' | 'denied' | 'result_rejected' | 'not_found' | 'invalid' | 'timeout' | 'expired' | 'cancelled'
  | 'unknown'

export interface Approval {
  stage: 'execution' | 'result'
  decision: 'approved' | 'denied' | 'expired'
  by: 'user' | 'rule' | 'policy'
  remember?: string
  reason?: string
  at?: number
}

export type Part =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: string }
  | { type: 'image'; url: string }

/** What is known of a call. A `card` event carries only what is new. */
export interface CardFields {
  wireId?: string
  name?: string
  askedName?: string
  source?: string
  round?: number
  /** The call stood without a result at the end of `messages`. */
  adopted?: boolean
  status?: CardStatus
  arguments?: JsonObject
  rawArguments?: string
  edited?: JsonObject
  reserved?: { [key: string]: string }
  raw?: string
  start?: number
  end?: number
  reason?: string
  output?: string
  outputBytes?: number
  parts?: Part[]
  told?: string
  error?: string
  startedAt?: number
  endedAt?: number
  durationMs?: number
  approvals?: Approval[]
}

interface Base { seq: number }

export interface RequestEvent extends Base { type: 'request'; round: number; bytes: number }
export interface AbortRequestEvent extends Base { type: 'abortRequest'; reason: string }
export interface TextEvent extends Base { type: 'text'; block: number; text: string }
export interface ReasoningEvent extends Base { type: 'reasoning'; block: number; text: string }
export interface CardEvent extends Base, CardFields { type: 'card'; block: number; call: number }
export interface ArgsEvent extends Base { type: 'args'; call: number; text: string }
export interface ProgressEvent extends Base { type: 'progress'; call: number; text: string }
export interface ApprovalEvent extends Base {
  type: 'approval'
  call: number
  stage: 'execution' | 'result'
  level: Level
  policy: ExecutionPolicy | ResultPolicy
  digest: string
  expiresAt?: number
  /** Stage `result`: what the model would read. */
  preview?: { kind: string; text: string; isError: boolean }
}
export interface ExecuteEvent extends Base {
  type: 'execute'
  call: number
  name: string
  arguments: JsonObject
  reserved?: { [key: string]: string }
  detached?: boolean
  deadline?: number
}
export interface AbortToolEvent extends Base { type: 'abortTool'; call: number; reason: string }
export interface IpcEvent extends Base { type: 'ipc'; call: number; channel: string; payload: Json[] }
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
export interface DiagnosticEvent extends Base {
  type: 'diagnostic'; code: string; detail?: string; call?: number; offset?: number; raw?: string; retryable?: boolean
}
export interface ErrorEvent extends Base {
  type: 'error'; block?: number; code: string; detail: string; hint?: string; retryable?: boolean; fatal?: boolean
  /** By `run()`, where a server answered: the status of its response. */
  status?: number
  /** By which the provider knows the request, where it says so. */
  requestId?: string
  /** What the provider asks to wait before another try. */
  retryAfterMs?: number
}
export interface DoneEvent extends Base {
  type: 'done'
  outcome: Outcome
  /** Of the last answer. */
  finishReason?: FinishReason
}

export type SluiceEvent =
  | RequestEvent | AbortRequestEvent | TextEvent | ReasoningEvent | CardEvent | ArgsEvent | ProgressEvent | ApprovalEvent
  | ExecuteEvent | AbortToolEvent | IpcEvent | RuleEvent | RoundEvent | UsageEvent | DiagnosticEvent | ErrorEvent | DoneEvent

export type Block =
  | { type: 'text' | 'reasoning'; round: number; text: string }
  | ({ type: 'tool_use'; call: number } & CardFields)
  | { type: 'error'; code: string; detail: string; hint?: string }

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

export interface AssistantMessage {
  role: 'assistant'
  outcome?: Outcome
  rounds: number
  /** Of the last answer. */
  finishReason?: FinishReason
  /** Of all answers together. */
  usage?: Usage
  /** One for each round. */
  answers?: Answer[]
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
  /** Effect `allow`: hash of what ran when it was given. */
  'x-runs'?: string
}

/** SLUICE_GET_TOOLS. */
export interface ToolList {
  hash: string
  tools: {
    name: string; wireName: string; exposed: boolean; reason?: string; unchecked?: string[]; estimatedTokens?: number
  }[]
  /** The text protocols of this configuration; for `protocol: 'auto'`, what the model's name led to. */
  protocols: string[]
  profiles: {
    match: string; protocol: string; reasoning: [open: string, close: string][]; startsInReasoning: boolean; endsReasoning: boolean
    resultRole: 'user' | 'tool'
  }[]
}
