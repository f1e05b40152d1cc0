import type { ApprovalRequest, JsonObject } from './events.js'
import type { Remember } from './turn.js'

/** What an adapter is asked. */
export interface Ask extends ApprovalRequest {
  /** Aborted when the question lost its meaning: cancelled, expired, answered elsewhere. */
  signal: AbortSignal
}

/** May the call run? Yes, for so long; or no. `arguments`: run it with these instead. */
export type ExecutionDecision =
  | Remember
  | 'deny'
  | { decision: Remember; exact?: boolean; arguments?: JsonObject }
  | { decision: 'deny'; reason?: string }

/** May the model read the result? */
export type ResultDecision = 'release' | 'reject' | { decision: 'release' | 'reject'; reason?: string }

/** Answers questions where nobody wants to watch events. A stage that is left out is asked of whoever iterates the events. */
export interface Approvals {
  /** May the call run? */
  execution?: (ask: Ask) => ExecutionDecision | Promise<ExecutionDecision>
  /** May the model read the result? */
  result?: (ask: Ask) => ResultDecision | Promise<ResultDecision>
}
