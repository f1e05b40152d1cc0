// What a client sends, of which nothing is believed: the store has the conversation. Read are the last message's own
// words, and its decisions about calls that the server knows to be open.
import type { Json, ResultPart } from '../../engine/core/events.js'
import { isObject, shown } from '../../engine/core/options.js'
import type { Answered } from '../leg/leg-answers.js'
import { checkedId, pictureOf } from '../leg/request-body.js'
import { decisionOf } from '../leg/decision.js'
import type { Way } from '../leg/handler.js'
import { Refusal } from '../leg/leg-refusal.js'
import type { Written } from '../leg/leg-requests.js'

const MOST_PARTS = 10_000

/**
 * Whether a question is to be answered anew, or was written anew; `new`: it is said for the first time. Undefined where
 * the client does not say.
 */
export type Again = 'new' | 'regenerate' | 'edit' | undefined

/** A request to go on with a conversation. */
export interface Posted {
  id: string
  /** As they came. Only where the page keeps the conversation more than the last one is read. */
  messages: readonly unknown[]
  /** What follows the conversation, or a question of it. */
  user?: Written
  again: Again
  /** Decisions and results. */
  about?: Answered
  /** What else the client sent. */
  body: { [member: string]: Json }
}

/** Throws Refusal. */
export function postedOf({ id, messages, trigger, messageId, ...body }: { [member: string]: unknown }): Posted {
  const chat = checkedId(id, 'id')
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (!isObject(last))
    throw new Refusal(400, `messages: found ${shown(messages)}, expected a list of at least one message`)
  const parts = Array.isArray(last['parts']) ? (last['parts'] as unknown[]) : []
  if (parts.length > MOST_PARTS) throw new Refusal(413, `parts: found ${parts.length}, expected at most ${MOST_PARTS}`)
  const own = { id: chat, messages: messages as unknown[], body: body as Posted['body'] }
  const message = checkedId(last['id'], 'the id of the last message')
  if (last['role'] === 'user') {
    const again =
      trigger === 'regenerate-message'
        ? 'regenerate'
        : messageId === message
          ? 'edit'
          : trigger === 'submit-message'
            ? 'new'
            : undefined
    return { ...own, again, user: writtenOf(message, parts) }
  }
  if (last['role'] === 'assistant') return { ...own, again: undefined, about: { message, ...decidedOf(parts) } }
  throw new Refusal(
    400,
    `the role of the last message: found ${shown(last['role'])}, expected user, or assistant with decisions`,
  )
}

/** Throws Refusal. */
export function writtenOf(id: string, given: readonly unknown[]): Written {
  let text = ''
  const parts: ResultPart[] = []
  for (const [at, part] of given.entries()) {
    if (!isObject(part)) throw new Refusal(400, `parts[${at}]: found ${shown(part)}, expected an object`)
    if (part['type'] === 'text' && typeof part['text'] === 'string') text += (text === '' ? '' : '\n\n') + part['text']
    else if (part['type'] === 'file') parts.push(pictureOf(part['mediaType'], part['url'], `parts[${at}]`))
  }
  if (text === '' && parts.length === 0) throw new Refusal(400, 'the message is empty')
  return { id, text, parts }
}

function decidedOf(parts: readonly unknown[]): Pick<Answered, 'decisions' | 'outputs'> {
  const decisions: Answered['decisions'] = new Map()
  const outputs: Answered['outputs'] = new Map()
  for (const part of parts) {
    if (!isObject(part)) continue
    const { state, toolCallId, approval } = part
    if (state === 'approval-responded' && isObject(approval) && typeof approval['id'] === 'string')
      decisions.set(approval['id'], decisionOf(approval))
    else if (typeof toolCallId !== 'string') continue
    else if (state === 'output-available') outputs.set(toolCallId, { output: part['output'] ?? null })
    else if (state === 'output-error')
      outputs.set(toolCallId, { error: typeof part['errorText'] === 'string' ? part['errorText'] : 'the tool failed' })
  }
  return { decisions, outputs }
}

/** Undefined for one that brings messages. Throws Refusal. */
export function wayOf({ url, method }: Request): Way | undefined {
  const [, id, action] = /\/([^/]+)\/(stream|stop|decide)\/?$/.exec(new URL(url).pathname) ?? []
  if (id !== undefined && (method === 'GET') === (action === 'stream'))
    return { id: checkedId(decoded(id), 'id'), action: action as Way['action'] }
  if (method !== 'POST') throw new Refusal(405, `found ${method}, expected POST, or GET …/{id}/stream`)
  return undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal(400, 'the address cannot be read')
  }
}
