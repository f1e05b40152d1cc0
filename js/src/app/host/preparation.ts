// An answer before its turn: the app says what stands in front of the conversation, and with what the turn runs. It may
// take long, fail, or be given up; a window learns of it only what the app wrote for people.
import type { BridgeError } from '../bridge/messages.js'
import type { ConversationEntry } from '../conversations/conversation-types.js'
import { messageOf } from '../../engine/core/errors.js'
import type { ChatMessage } from '../../engine/core/events.js'
import { onAbort } from '../../engine/core/on-abort.js'
import { unlessAborted } from '../../engine/core/hooks.js'
import { warn } from '../../engine/core/warning.js'
import { isStorage, Refusal, refuse } from './checks.js'
import type { MakeMessages } from './conversation.js'
import { checkTurn } from './host-options.js'
import type { HostOptions, Prepare, TurnOptions } from './host-types.js'
import { UserError } from './user-error.js'

const PREPARE_MS = 30_000

/** What an answer is prepared for. */
export interface Occasion extends Omit<Prepare, 'signal'> {
  question: ConversationEntry
  messages: MakeMessages
}

/**
 * Asks the app for `system`, makes the messages, and asks for the turn. Rejects with what the app threw, where it gives
 * nonsense or takes too long, and with the reason of `signal`.
 */
export async function prepareTurn(
  { run, system, prepareMs = PREPARE_MS }: HostOptions,
  { question, messages, ...about }: Occasion,
  signal: AbortSignal,
): Promise<{ turn: TurnOptions; messages: ChatMessage[] }> {
  const ending = new AbortController()
  const off = onAbort(signal, () => ending.abort(signal.reason))
  const late = (): void => ending.abort(new Error(`system and run took longer than ${prepareMs} ms (prepareMs)`))
  const timer = prepareMs > 0 ? setTimeout(late, prepareMs) : undefined
  const prepare = async (): Promise<{ turn: TurnOptions; messages: ChatMessage[] }> => {
    const input: Prepare = { ...about, signal: ending.signal }
    const said: unknown = typeof system === 'function' ? await system(input) : system
    if (said !== undefined && typeof said !== 'string')
      throw new TypeError(`system() gave a value of the type ${typeof said}, expected a string or nothing`)
    ending.signal.throwIfAborted()
    const made = await messages(said).catch(notRead)
    const { text = '', parts, first } = question
    ending.signal.throwIfAborted()
    const turn: unknown = await run({
      ...input,
      text,
      messages: structuredClone(made),
      entry: structuredClone(question),
      ...(parts ? { parts } : {}),
      ...(first ? { first } : {}),
    })
    checkTurn(turn)
    return { turn, messages: made }
  }
  try {
    return await unlessAborted(prepare(), ending.signal)
  } finally {
    off()
    clearTimeout(timer)
  }
}

/** What a window reads where no turn began. The developer reads what was thrown. */
export function unprepared(error: unknown): BridgeError {
  if (UserError.is(error)) return { code: 'hook', detail: error.message }
  if (error instanceof Refusal) return error.error
  tell(error)
  return { code: 'hook', detail: 'the app could not prepare this answer' }
}

/** The store failed, not the app: a window may read what Sluice says of it. */
function notRead(error: unknown): never {
  if (!isStorage(error)) throw error
  tell(error)
  throw refuse('storage', error.detail)
}

const tell = (error: unknown): void =>
  warn(`the app could not prepare an answer: ${messageOf(error)}`, undefined, error)
