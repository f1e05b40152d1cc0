// Where in the stored conversation a client's messages go on, and what of them is new.
import { pathToEntry } from '../../app/conversations/entry-tree.js'
import type { Conversation, ConversationEntry } from '../../app/conversations/conversation-types.js'
import type { Next as NextInStore } from '../leg/leg-requests.js'
import { Conflict } from './conflict.js'
import { writtenOf, type Posted, type PostedMessage } from './posted-run.js'

const MOST_FRESH = 16

/** What follows the stored conversation. */
export interface Next extends Pick<NextInStore, 'fresh'> {
  /** Undefined where nothing is new, and no message is to be answered again. */
  branch: NextInStore['branch'] | undefined
  /** What of the new messages no model is given, in words. */
  left: string[]
}

/**
 * New is what stands behind the last message of a user that the store has: also what was written while a question
 * waited. Where it has none of them, only the end counts: it is not for a client to say what was said before. Throws
 * Refusal.
 */
export function nextOf(messages: readonly PostedMessage[], kept: Conversation | null): Next {
  const path = kept ? pathToEntry(kept) : []
  const users = new Set(kept?.entries.flatMap((entry) => (entry.role === 'user' ? namesOf(entry) : [])))
  const known = (id: unknown): boolean => users.has(String(id))
  const end = endOf(messages)
  const anchor = messages.findLastIndex(({ role, id }) => role === 'user' && known(id))
  const from = anchor < 0 ? end : anchor + 1
  const places = messages
    .flatMap(({ role, id }, at) => (role === 'user' && at >= from && !known(id) ? [at] : []))
    .slice(-MOST_FRESH)
  const left: string[] = []
  const fresh = places.flatMap((at) => writtenOf(messages[at] as PostedMessage, `messages[${at}]`, left) ?? [])
  const [first] = places
  if (first !== undefined && fresh.length > 0) return { fresh, branch: behind(path, messages.slice(0, first)), left }
  if (anchor < end || first !== undefined) return { fresh, branch: undefined, left }
  const asked = placesIn(path).get(String(messages[anchor]?.['id']))
  return { fresh, branch: asked === undefined ? undefined : path.slice(0, asked + 1), left }
}

/** The same, for an answer that begins. Throws Conflict where nothing is to be answered. */
export function newOf({ messages, decisions }: Posted, kept: Conversation | null): NextInStore & Pick<Next, 'left'> {
  const { branch, ...next } = nextOf(messages, kept)
  if (!branch)
    throw new Conflict('stale', decisions ? 'no question waits for an answer' : 'there is no new message of a user')
  return { ...next, branch }
}

/** What a turn begins with, with what the client tells about its page behind the system message. */
export function withContext<T extends { system?: string }>(
  { system, ...given }: T,
  context: string,
): Omit<T, 'system'> & { system?: string } {
  const joined = [system, context].filter(Boolean).join('\n\n')
  return { ...given, ...(joined === '' ? {} : { system: joined }) }
}

/** Where the messages of users at the end begin. */
function endOf(messages: readonly PostedMessage[]): number {
  const others = messages.findLastIndex(
    ({ role }) => !['user', 'system', 'developer', 'activity'].includes(String(role)),
  )
  return others + 1
}

/** The shown branch up to the nearest of these messages that it has, or all of it. */
function behind(path: readonly ConversationEntry[], messages: readonly PostedMessage[]): ConversationEntry[] {
  const places = placesIn(path)
  for (const { id } of messages.toReversed()) {
    const at = places.get(String(id)) ?? places.get(String(id).split(':', 1)[0] ?? '') // `<answer>:b0` and the like
    if (at !== undefined)
      return path.slice(0, path[at]?.role === 'user' && path[at + 1]?.role === 'assistant' ? at + 2 : at + 1)
  }
  return [...path]
}

const placesIn = (path: readonly ConversationEntry[]): Map<string, number> =>
  new Map(path.flatMap((entry, at) => namesOf(entry).map((name) => [name, at] as const)))

/** An id that was taken got a number behind it. */
const namesOf = ({ id }: ConversationEntry): string[] => [id, id.replace(/~\d+$/, '')]
