// The decision about a question that counts, for whoever decided too late.
import type { ApprovalRecord } from './events.js'

/** As far as it is known. */
export interface Counting {
  decision?: 'approve' | 'deny'
  /** Who made it, as the app says. */
  by?: string | undefined
  /** When, in Unix milliseconds. */
  at?: number | undefined
}

/** Finds it among the decisions about a call. */
export function countingIn(approvals: readonly ApprovalRecord[] | undefined, stage: string | undefined): Counting {
  const found = approvals?.findLast((one) => one.stage === stage && one.decision !== 'expired')
  return found ? { decision: found.decision === 'approved' ? 'approve' : 'deny', by: found.who, at: found.at } : {}
}
