// What windows decide and deliver: answers to questions, and results of tools that a window runs. Each needs the token
// that its window was given.
import type { WindowDecision, Methods } from '../bridge/messages.js'
import { hidden, json, members, optional, read, refuse, text, toBridgeError } from './checks.js'
import type { OpenQuestion } from './host-questions.js'
import type { HostWindow } from './window.js'

type Denial = Parameters<Methods['deny']>[0]
type Result = Parameters<Methods['result']>[0]

const checkResult = members<Pick<Result, 'value' | 'error'>>({
  value: optional(json({ characters: 8_000_000, values: 500_000, depth: 64 })),
  error: optional(text(100_000, 0)),
})

/** Returns false if the question was already decided, or is not the one of this digest. */
export function approve(
  window: HostWindow,
  { remember, exact, arguments: edited, ...decision }: WindowDecision,
): boolean {
  const ask = askOf(window, decision)
  if (isStale(ask, decision)) return false
  if (ask.stage === 'execution') return ask.message.approve(ask, { remember, exact, arguments: edited })
  for (const [path, value] of Object.entries({ remember, exact, arguments: edited })) {
    if (value === undefined) continue
    throw refuse('argument', 'this is for an execution; the question is about the release of a result', { path })
  }
  return ask.message.release(ask)
}

/** Returns false if the question was already decided, or is not the one of this digest. */
export function deny(window: HostWindow, { reason, ...decision }: Denial): boolean {
  const ask = askOf(window, decision)
  return !isStale(ask, decision) && ask.message.deny(ask, reason || undefined)
}

/** Finds the question of a token. Only the window that was given it may use it, and only for its message. */
function askOf(window: HostWindow, { message, token }: Pick<WindowDecision, 'message' | 'token'>): OpenQuestion {
  const ask = window.askOf(token)
  if (ask?.message.id === message) return ask
  throw refuse('forbidden', 'this window was not given this token for this message', { path: 'token' })
}

const isStale = (ask: OpenQuestion, { digest = ask.digest }: Pick<WindowDecision, 'digest'>): boolean =>
  digest !== ask.digest

/** Takes the result of a call that the window runs. One that cannot be used fails the call. */
export function takeResult(window: HostWindow, { message, call, token, value, error }: Result): void {
  const execution = window.executions.get(token)
  if (!execution || execution.message.id !== message || execution.call !== call) {
    const detail = 'no call waits for this result from this window; it may have come too late'
    throw refuse('state', detail, { path: 'token' })
  }
  try {
    const given = read(checkResult, { value, error })
    if (given.error === undefined) execution.message.succeed(execution, given.value)
    else execution.message.fail(execution, given.error)
  } catch (refusal) {
    const { detail } = toBridgeError(refusal, hidden('a result of a window'))
    execution.message.fail(execution, `the window gave no usable result: ${detail}`)
    throw refusal
  }
}
