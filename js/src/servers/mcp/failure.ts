// What a client throws: did the call fail, or does nobody know what became of it?
import { messageOf } from '../../engine/core/errors.js'
import { OutcomeUnknown } from '../../engine/core/outcome-unknown.js'
import { isObject } from '../../engine/core/options.js'

/** By the clients themselves, before anything was sent. */
const unsent: readonly unknown[] = [
  'NOT_CONNECTED',
  'NOT_INITIALIZED',
  'CAPABILITY_NOT_SUPPORTED',
  'METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION',
]
/** The server answered, and the client cannot read it: it lists all that is wrong. */
const unread: readonly unknown[] = ['INVALID_RESULT', 'UNSUPPORTED_RESULT_TYPE']
const LONGEST = 500
/** The server answered otherwise, such as that it lets nobody in. */
const ended: readonly unknown[] = [
  'INPUT_REQUIRED_ROUNDS_EXCEEDED',
  'CLIENT_HTTP_AUTHENTICATION',
  'CLIENT_HTTP_FORBIDDEN',
  'CLIENT_HTTP_UNEXPECTED_CONTENT',
]
/** Nobody took the connection. */
const refused: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
/** Of version 1, among the server's own codes: the connection was closed, or its time was up. */
const isOwn = (code: number, message: unknown): boolean =>
  (code === -32000 || code === -32001) && /connection closed|timed out|timeout/i.test(String(message))

/** The error to throw for `error`. `harmless`: the tool changes nothing, so it makes no difference whether it ran. */
export function failureOf(error: unknown, server: string, harmless: boolean): Error {
  if (isObject(error) && unread.includes(error['code']))
    return new Error(`The tool ran, but its result cannot be read: ${messageOf(error).slice(0, LONGEST)}`, {
      cause: error,
    })
  if (wasAnswered(error) || harmless) return error instanceof Error ? error : new Error(messageOf(error))
  return new OutcomeUnknown(`the connection to ${server} was lost: ${messageOf(error)}`, { cause: error })
}

/** The server said no, or never heard of it. */
function wasAnswered(error: unknown): boolean {
  if (!isObject(error)) return false
  const { code, status, cause, message } = error as {
    code?: unknown
    status?: unknown
    cause?: unknown
    message?: unknown
  }
  if (
    message === 'Not connected' ||
    unsent.includes(code) ||
    refused.includes(code) ||
    (isObject(cause) && refused.includes(cause['code']))
  )
    return true
  if (ended.includes(code)) return true
  const http = typeof status === 'number' ? status : code
  if (typeof http === 'number' && http >= 400 && http < 500) return true
  return typeof code === 'number' && code < 0 && !isOwn(code, message)
}
