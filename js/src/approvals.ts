import type { ExecutionPolicy, JsonObject, Level, ResultPolicy } from './events.js'
import type { Remember } from './turn.js'

/** What a person is shown. */
export interface Ask {
  call: number
  name: string
  description: string
  arguments: JsonObject
  level: Level
  policy: ExecutionPolicy | ResultPolicy
  /** What is approved: tool, arguments and definition as shown. */
  digest: string
  /** Stage `result`: what the model would read. */
  preview?: { kind: string; text: string; isError: boolean }
  expiresAt?: number
  /** Aborted when the question lost its meaning: cancelled, expired, answered elsewhere. */
  signal: AbortSignal
}

export type ExecutionDecision =
  | Remember
  | 'deny'
  | { decision: Remember; exact?: boolean; arguments?: JsonObject }
  | { decision: 'deny'; reason?: string }

export type ResultDecision = 'release' | 'reject' | { decision: 'release' | 'reject'; reason?: string }

/** Answers questions where nobody wants to watch events. A stage that is left out is asked of whoever iterates the events. */
export interface Approvals {
  execution?: (ask: Ask) => ExecutionDecision | Promise<ExecutionDecision>
  result?: (ask: Ask) => ResultDecision | Promise<ResultDecision>
}
