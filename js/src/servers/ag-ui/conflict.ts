// The conversation is in no state for what the client asks: told as the end of its run.
import type { JsonObject } from '../../engine/core/events.js'
import { callName, staleNames, type OpenCall } from '../leg/names.js'
import { staleResult } from '../leg/leg-refusal.js'
import type { Posted } from './posted-run.js'
import type { AGUIEvent } from './ag-ui-types.js'

export class Conflict extends Error {
  constructor(
    readonly code: 'interrupted' | 'stale',
    message: string,
  ) {
    super(message)
  }

  get event(): AGUIEvent {
    return { type: 'RUN_ERROR', message: this.message, code: this.code }
  }
}

/**
 * Nothing happens by half of the answers. One about a former form of a question counts as given, and without any the
 * questions are asked again: a page that was loaded anew does not have them.
 */
function checkCoverage(questions: readonly string[], { decisions }: Posted): void {
  if (!decisions) return
  const about = (name: string): string => name.slice(0, name.lastIndexOf(':')) // without its digest
  const answered = new Set([...decisions.keys()].map(about))
  const missing = questions.filter((name) => !answered.has(about(name)))
  if (missing.length > 0) throw new Conflict('interrupted', `resume has no answer to ${missing.join(', ')}`)
}

/**
 * Whether the answer `turn` continues with what the client sends; else its new message ends it. `open`: calls of the
 * client's tools without a result. Throws Conflict, or Refusal for a result of another call.
 */
export function continues(
  turn: string,
  questions: readonly string[],
  open: readonly OpenCall[],
  posted: Posted,
  isFresh: boolean,
): boolean {
  if (staleNames(turn, open, posted.outputs.keys()).length > 0) throw staleResult()
  const calls = open.map(({ call, digest }) => callName(turn, call, digest))
  if (questions.length > 0) checkCoverage(questions, posted)
  else if (isFresh) return false
  else if (calls.length > 0 && !calls.some((call) => posted.outputs.has(call)))
    throw new Conflict('interrupted', `results are missing: ${calls.join(', ')}`)
  return true
}

/** What the turn goes on behind. */
export const noted = (code: string, detail: string, more: JsonObject = {}): AGUIEvent => ({
  type: 'CUSTOM',
  name: 'sluice.error',
  value: { code, detail, ...more },
})
