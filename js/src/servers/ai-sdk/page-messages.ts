// The messages of a page, read: a list of what nobody has checked.
import { isObject, shown } from '../../engine/core/options.js'
import { checkedId } from '../leg/request-body.js'
import { Refusal } from '../leg/leg-refusal.js'
import type { Written } from '../leg/leg-requests.js'
import { writtenOf } from './posted-chat.js'

const MOST_MESSAGES = 10_000
const MOST_PARTS = 10_000

/** A message whose shape is right; its parts may be anything. */
export interface PageMessage {
  id: string
  role: 'system' | 'user' | 'assistant'
  parts: readonly unknown[]
  metadata?: unknown
}

/** Throws Refusal. */
export function messagesIn(given: readonly unknown[]): PageMessage[] {
  if (given.length > MOST_MESSAGES)
    throw new Refusal(413, `messages: found ${given.length}, expected at most ${MOST_MESSAGES}`)
  return given.map((message, at) => {
    if (!isObject(message)) throw new Refusal(400, `messages[${at}]: found ${shown(message)}, expected an object`)
    const { role, metadata } = message
    const parts: unknown = message['parts'] ?? []
    const id = checkedId(message['id'], `messages[${at}].id`)
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      throw new Refusal(400, `messages[${at}].role: found ${shown(role)}, expected user, assistant or system`)
    if (!Array.isArray(parts)) throw new Refusal(400, `messages[${at}].parts: found ${shown(parts)}, expected a list`)
    if (parts.length > MOST_PARTS)
      throw new Refusal(413, `messages[${at}].parts: found ${parts.length}, expected at most ${MOST_PARTS}`)
    return { id, role, parts: parts as unknown[], metadata }
  })
}

/** What a person wrote. Undefined for what was refused when it was sent, and stands on the page all the same. */
export function writtenIn({ id, parts }: PageMessage): Written | undefined {
  try {
    return writtenOf(id, parts)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** What the server gave the page to keep. */
export function metadataOf({ metadata }: PageMessage): { [member: string]: unknown } {
  const own = isObject(metadata) ? metadata['sluice'] : undefined
  return isObject(own) ? own : {}
}

/** A part about a call. */
export interface CallPart {
  toolCallId: string
  name: string
  state: string
  input: unknown
  output: unknown
  errorText: unknown
  approval: { [member: string]: unknown } | undefined
}

/** Undefined for a part about something else. */
export function callIn(part: unknown): CallPart | undefined {
  if (!isObject(part) || typeof part['toolCallId'] !== 'string' || typeof part['type'] !== 'string') return undefined
  const { type, toolCallId, toolName, state, input, output, errorText, approval } = part as {
    [member: string]: unknown
    type: string
    toolCallId: string
  }
  const name = type === 'dynamic-tool' ? toolName : type.startsWith('tool-') ? type.slice('tool-'.length) : undefined
  if (typeof name !== 'string' || name === '') return undefined
  return {
    toolCallId,
    name,
    state: String(state),
    input,
    output,
    errorText,
    approval: isObject(approval) ? approval : undefined,
  }
}

/** The call has come to no end. */
export const isOpen = ({ state }: CallPart): boolean =>
  state === 'input-available' || state === 'approval-requested' || state === 'approval-responded'
