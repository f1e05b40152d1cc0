// What a run has come to when it ends.
import { SluiceError } from './errors.js'
import type { ErrorEvent } from './events.js'
import { joinedText } from './joined-text.js'
import type { RunOutcome, RunResult } from './run-options.js'
import type { Turn } from './turn.js'

/** Reads the documents of a turn that has ended. `reason`: why it was cancelled. */
export function resultOf(
  turn: Turn,
  outcome: RunOutcome,
  error: ErrorEvent | undefined,
  reason: string | undefined,
): RunResult {
  const message = orElse(() => turn.message, {
    role: 'assistant',
    ...(outcome === 'suspended' ? {} : { outcome }),
    rounds: 0,
    blocks: [],
  })
  const history = outcome === 'suspended' ? [] : orElse(() => turn.history, [])
  const text = joinedText(message.blocks)
  const { finishReason, usage } = message
  return {
    outcome,
    ...(finishReason ? { finishReason } : {}),
    message,
    history,
    text,
    ...(usage ? { usage } : {}),
    ...(error ? { error } : {}),
    ...(message.fallback ? { fallback: message.fallback } : {}),
    ...(outcome !== 'cancelled' || reason === undefined ? {} : { reason }),
  }
}

export function throwIfFailed({ outcome, error }: RunResult): void {
  if (outcome !== 'failed') return
  throw new SluiceError({ code: 'failed', detail: error?.detail ?? 'the turn failed', hint: error?.hint, cause: error })
}

/** A turn that ended by a fault of the engine has its last events, but no documents any more. */
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
