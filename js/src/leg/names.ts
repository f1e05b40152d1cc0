// What leaves the process has a name of its own in the whole conversation: the engine's numbers begin anew with every turn.
import type { ApprovalEvent } from '../core/events.js'

/**
 * Names a question: a decision that carries it is about this call, these arguments and this definition. 128 bits of the digest: whoever may write
 * definitions, such as the server of a tool, could find two that have 64 in common.
 */
export const questionName = (messageId: string, { call, stage, digest }: Pick<ApprovalEvent, 'stage' | 'digest'> & { call: number | string }): string =>
  `${messageId}:${call}:${stage}:${digest.slice(0, 32)}`

export const callName = (messageId: string, call: number): string => `${messageId}:c${call}`

/** Names a question about a call that the client knows by this name. */
export const questionOfCall = (messageId: string, name: string, event: Pick<ApprovalEvent, 'stage' | 'digest'>): string =>
  questionName(messageId, { ...event, call: name.slice(`${messageId}:c`.length) })

export const blockName = (messageId: string, block: number): string => `${messageId}:b${block}`
