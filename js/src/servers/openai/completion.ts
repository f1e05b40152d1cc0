// What is known of a chat completion, whole or as a chunk. Members that are not named here pass as they are.
import { isObject } from '../../engine/core/options.js'
import type { Piece, ReadCall } from './choice-reader.js'

/** A completion or a chunk of one. */
export interface Completion {
  choices: Choice[]
  usage?: unknown
  [member: string]: unknown
}
/** One choice of it. */
export interface Choice {
  index?: number
  delta?: Message
  message?: Message
  finish_reason?: string | null
  [member: string]: unknown
}
/** What is said: a `message`, or more of one. */
export interface Message {
  [member: string]: unknown
}

/** The value of a JSON text; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The JSON as a completion with choices; undefined where it is something else, such as an error or the count of tokens
 * at the end.
 */
export function asCompletion(value: unknown): Completion | undefined {
  if (!isObject(value) || !Array.isArray(value['choices']) || value['choices'].length === 0) return undefined
  return value['choices'].every(isObject) ? (value as Completion) : undefined
}

/** Where a choice stands in the answer; `position`: in this list, for a server that does not say. */
export const indexOf = ({ index }: Choice, position: number): number =>
  Number.isSafeInteger(index) && (index as number) >= 0 ? (index as number) : position

const saidInWords = ['content', 'tool_calls', 'function_call', 'reasoning_content', 'reasoning', 'reasoning_text']

/** A message without what it says. */
export const unsaid = (message: Message): Message =>
  Object.fromEntries(Object.entries(message).filter(([name]) => !saidInWords.includes(name)))

/** The member in which a server writes reasoning; undefined where this message has none. */
export const reasoningMember = (message: Message): string | undefined =>
  ['reasoning_content', 'reasoning', 'reasoning_text'].find(
    (name) => typeof message[name] === 'string' && message[name] !== '',
  )

/** Whether a message says just these pieces, in the members that OpenAI's format has for them, and calls nothing. */
export function saysJust(message: Message, pieces: readonly Piece[]): boolean {
  if (message['tool_calls'] != null || message['function_call'] != null) return false
  const { content } = message
  if (content != null && typeof content !== 'string') return false
  const thought = reasoningMember(message)
  const said: Piece[] = [
    ...(thought ? [{ kind: 'reasoning', text: message[thought] } as Piece] : []),
    ...(content ? [{ kind: 'content', text: content } as Piece] : []),
  ]
  return (
    said.length === pieces.length &&
    said.every(({ kind, text }, at) => kind === pieces[at]?.kind && text === pieces[at].text)
  )
}

/** Why an answer ended, when all is known that it calls. `given`: what the server says. */
export function finishReason(given: string | null | undefined, calls: readonly ReadCall[]): string {
  if (calls.length > 0 && given !== 'content_filter') return 'tool_calls'
  return given == null || given === 'tool_calls' || given === 'function_call' ? 'stop' : given
}

/** A call as a message has it. */
export const writtenCall = ({ id, name, arguments: args }: ReadCall): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

/** A choice as the bytes of an answer that has no other. */
export const alone = (choice: Choice): string => `data: ${JSON.stringify({ choices: [{ ...choice, index: 0 }] })}\n\n`
