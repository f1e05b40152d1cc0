// What a client sends, of which nothing is believed: the store has the conversation. Read are the last message's own words, and its decisions about
// calls that the server knows to be open.
import type { Remember } from '../core/approvals.js'
import type { Json, JsonObject, Part } from '../core/events.js'
import { isObject, shown } from '../core/options.js'
import { Refusal } from './refusal.js'

const MOST_BYTES = 16 * 1024 * 1024
const MOST_PARTS = 10_000
/** Of an id: the store allows 200 characters, and a message that is edited gets a few behind it. */
const MOST_ID = 180
const remembers: readonly unknown[] = ['once', 'turn', 'session', 'always']

/** A decision of a person about one question. */
export interface PostedDecision {
  approved: boolean
  reason?: string
  arguments?: JsonObject
  remember?: Remember
  exact?: boolean
}

/** The result of a tool that the client ran. */
export type PostedOutput = { output: unknown } | { error: string }

/** What a person wrote. */
export interface Written {
  id: string
  text: string
  parts: Part[]
}

/** A request to go on with a conversation. */
export interface Posted {
  /** Of the conversation. */
  id: string
  /** What follows the stored conversation, or a question of it. */
  user?: Written
  /** The question is to be answered anew, or was written anew. */
  again: 'regenerate' | 'edit' | undefined
  /** Decisions about this message. */
  about?: { message: string; decisions: Map<string, PostedDecision>; outputs: Map<string, PostedOutput> }
  /** What else the client sent. */
  body: { [member: string]: Json }
}

const isId = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= MOST_ID && !/\p{Cc}/u.test(value)

export function checkedId(value: unknown, what: string): string {
  if (isId(value)) return value
  throw new Refusal(400, `${what}: found ${shown(value)}, expected an id of 1 to ${MOST_ID} characters`)
}

/** The JSON object of a request. Throws Refusal. */
export async function bodyOf(request: Request): Promise<{ [member: string]: Json }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [text, size] = ['', 0]
  let value: unknown
  try {
    for await (const piece of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      size += piece.length
      if (size > MOST_BYTES) throw new Refusal(413, `the request is larger than ${MOST_BYTES} bytes`)
      text += decoder.decode(piece, { stream: true })
    }
    value = JSON.parse(text + decoder.decode())
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'the request is no JSON')
  }
  if (!isObject(value)) throw new Refusal(400, `found ${shown(value)}, expected an object with id and messages`)
  return value as { [member: string]: Json }
}

/** Throws Refusal. */
export function postedOf({ id, messages, trigger, messageId, ...body }: { [member: string]: unknown }): Posted {
  const chat = checkedId(id, 'id')
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (!isObject(last)) throw new Refusal(400, `messages: found ${shown(messages)}, expected a list of at least one message`)
  const parts = Array.isArray(last['parts']) ? (last['parts'] as unknown[]) : []
  if (parts.length > MOST_PARTS) throw new Refusal(413, `parts: found ${parts.length}, expected at most ${MOST_PARTS}`)
  const own = { id: chat, body: body as Posted['body'] }
  const message = checkedId(last['id'], 'the id of the last message')
  if (last['role'] === 'user') {
    const again = trigger === 'regenerate-message' ? 'regenerate' : messageId === message ? 'edit' : undefined
    return { ...own, again, user: writtenOf(message, parts) }
  }
  if (last['role'] === 'assistant') return { ...own, again: undefined, about: { message, ...decidedOf(parts) } }
  throw new Refusal(400, `the role of the last message: found ${shown(last['role'])}, expected user, or assistant with decisions`)
}

function writtenOf(id: string, given: readonly unknown[]): Written {
  let text = ''
  const parts: Part[] = []
  for (const [at, part] of given.entries()) {
    if (!isObject(part)) throw new Refusal(400, `parts[${at}]: found ${shown(part)}, expected an object`)
    if (part['type'] === 'text' && typeof part['text'] === 'string') text += (text === '' ? '' : '\n\n') + part['text']
    else if (part['type'] === 'file') parts.push(pictureOf(part, at))
  }
  if (text === '' && parts.length === 0) throw new Refusal(400, 'the message is empty')
  return { id, text, parts }
}

function pictureOf({ mediaType, url }: { [member: string]: unknown }, at: number): Part {
  if (typeof mediaType !== 'string' || !/^image\/[a-z0-9.+-]{1,50}$/i.test(mediaType)) throw new Refusal(415, `parts[${at}]: found a file of type ${shown(mediaType)}, expected a picture`)
  const address = typeof url === 'string' ? url : ''
  const data = /^data:[^,]*;base64,([a-z0-9+/]+=*)$/i.exec(address)?.[1]
  if (data !== undefined) return { type: 'image', mediaType, data }
  if (/^https:\/\//i.test(address) && URL.canParse(address)) return { type: 'image', url: address }
  throw new Refusal(400, `parts[${at}].url: expected a picture in base64 (data:…;base64,…), or an address that begins with https://`)
}

function decidedOf(parts: readonly unknown[]): { decisions: Map<string, PostedDecision>; outputs: Map<string, PostedOutput> } {
  const decisions = new Map<string, PostedDecision>()
  const outputs = new Map<string, PostedOutput>()
  for (const part of parts) {
    if (!isObject(part)) continue
    const { state, toolCallId, approval } = part
    if (state === 'approval-responded' && isObject(approval) && typeof approval['id'] === 'string') decisions.set(approval['id'], decisionOf(approval))
    else if (typeof toolCallId !== 'string') continue
    else if (state === 'output-available') outputs.set(toolCallId, { output: part['output'] ?? null })
    else if (state === 'output-error') outputs.set(toolCallId, { error: typeof part['errorText'] === 'string' ? part['errorText'] : 'the tool failed' })
  }
  return { decisions, outputs }
}

/** Throws Refusal where a member is of another kind: nothing is run by half of what a person meant. */
export function decisionOf({ approved, reason, arguments: args, remember, exact }: { [member: string]: unknown }): PostedDecision {
  if (typeof approved !== 'boolean') throw new Refusal(400, `approved: found ${shown(approved)}, expected true or false`)
  if (args != null && !isObject(args)) throw new Refusal(400, `arguments: found ${shown(args)}, expected an object`)
  if (remember != null && !remembers.includes(remember)) throw new Refusal(400, `remember: found ${shown(remember)}, expected ${remembers.join(' | ')}`)
  return {
    approved, ...(typeof reason === 'string' ? { reason } : {}), ...(args == null ? {} : { arguments: args as JsonObject }),
    ...(remember == null ? {} : { remember: remember as Remember }), ...(exact === true ? { exact } : {}),
  }
}
