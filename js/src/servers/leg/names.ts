// What leaves the process has a name of its own in the whole conversation: the engine's numbers begin anew with every
// turn.
import type { ApprovalEvent } from '../../engine/core/events.js'

/**
 * Names a question: a decision that carries it is about this call, these arguments and this definition. 128 bits of the
 * digest: whoever may write definitions, such as the server of a tool, could find two that have 64 in common.
 */
export const questionName = (
  messageId: string,
  { call, stage, digest }: Pick<ApprovalEvent, 'call' | 'stage' | 'digest'>,
): string => `${messageId}:${call}:${stage}:${digest.slice(0, 32)}`

/**
 * Names a call. One that the client runs has its digest in the name, so that a result is about these arguments and this
 * definition: the client hears of it when it is asked about or runs, and not while the model writes it. Others have
 * none: the client sees them while they are written.
 */
export const callName = (messageId: string, call: number, digest?: string): string =>
  `${messageId}:c${call}${digest === undefined ? '' : `-${digest.slice(0, 16)}`}`

/** The number of the call that a client names; undefined where the name is not of this message. */
export function numberOfCall(messageId: string, name: string): number | undefined {
  if (!name.startsWith(`${messageId}:c`)) return undefined
  const [, number] = /^(\d{1,9})(?:-[0-9a-f]{16})?$/.exec(name.slice(messageId.length + 2)) ?? []
  return number === undefined ? undefined : Number(number)
}

/** A call that waits for a result of the client. */
export interface OpenCall {
  call: number
  digest?: string
}

/** The names of results that are about a call that waits, but not as it is now. */
export function staleNames(messageId: string, open: readonly OpenCall[], names: Iterable<string>): string[] {
  const expected = new Map(open.map(({ call, digest }) => [call, callName(messageId, call, digest)]))
  return [...names].filter((name) => {
    const number = numberOfCall(messageId, name)
    const own = number === undefined ? undefined : expected.get(number)
    return own !== undefined && own !== name
  })
}

export const blockName = (messageId: string, block: number): string => `${messageId}:b${block}`
