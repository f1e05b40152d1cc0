// How questions are answered: by `approve`, or by an adapter of the app.
import type { ApprovalRequest, JsonObject } from './events.js'

/** How long an approval lasts: this call, the turn, the session (as long as the rules are kept), or for ever. */
export type ApprovalDuration = 'once' | 'turn' | 'session' | 'always'

/** How a call is approved. */
export interface ApproveOptions {
  /** How long calls like this one need no question. Default `once`: this call only. */
  remember?: ApprovalDuration
  /** "Like this one" means the same tool with exactly these arguments. Default false: any call of the tool. */
  exact?: boolean
  /** Runs the call with these arguments instead. They are checked against the schema, and shown beside the original. */
  arguments?: JsonObject
  /**
   * Of the question that was seen: a decision about another one is refused like one that comes too late. Default: that
   * of the event, if one was given.
   */
  digest?: string
}

/** What an adapter is asked. */
export interface ApprovalQuestion extends ApprovalRequest {
  /** Aborted when the question lost its meaning: cancelled, expired, answered elsewhere. */
  signal: AbortSignal
}

/** May the call run? Yes, for so long; or no. */
export type ExecutionDecision =
  | ApprovalDuration
  | 'deny'
  | {
      /** Yes: how long calls like this one need no question. */
      decision: ApprovalDuration
      /** "Like this one" means with exactly these arguments. Default false. */
      exact?: boolean
      /** Runs the call with these arguments instead. */
      arguments?: JsonObject
    }
  | {
      decision: 'deny'
      /** For the model, and for the card. */
      reason?: string
    }

/** May the model read the result? */
export type ResultDecision =
  | 'release'
  | 'reject'
  | {
      decision: 'release' | 'reject'
      /** For the model, and for the card. */
      reason?: string
    }

/**
 * Answers questions where nobody wants to watch events. A stage that is left out is asked of whoever iterates the
 * events.
 */
export interface Approvals {
  /** May the call run? */
  execution?: (ask: ApprovalQuestion) => ExecutionDecision | Promise<ExecutionDecision>
  /** May the model read the result? */
  result?: (ask: ApprovalQuestion) => ResultDecision | Promise<ResultDecision>
}
