// What every store does alike: the options of `list` and `search` checked and applied, searching entries that were
// read, and exporting.
import { members, oneOf, text, whole, type Check } from '../../engine/core/options.js'
import type {
  Conversation,
  ConversationInfo,
  Conversations,
  ConversationEntry,
  FoundInStore,
  OwnMembers,
} from './conversation-types.js'
import { checkTags, hasTags } from './own-members.js'
import { excerpt, exported, folded, textOf } from './words.js'

export interface ListOptions {
  query?: string
  tags?: string[]
  skip?: number
  limit?: number
}
export interface SearchOptions {
  limit?: number
}

export const LIST_LIMIT = 100
export const SEARCH_LIMIT = 50

export const checkList = (options: ListOptions): void =>
  members({ members: { query: text, tags: checkTags, skip: whole(0), limit: whole(0) } })(options, 'options')
export const checkSearch = (query: string, options: SearchOptions): void => {
  text(query, 'query')
  members({ members: { limit: whole(0) } })(options, 'options')
}
const checkFormat: Check = oneOf('json', 'markdown')

/** Whether a conversation belongs in the list. */
export function fits(query: string | undefined, title: string, entries: Iterable<ConversationEntry>): boolean {
  if (!query || folded(title).includes(folded(query))) return true
  for (const entry of entries) if (folded(textOf(entry)).includes(folded(query))) return true
  return false
}

/** What a list says of a conversation. */
export function infoOf(
  { id, title, updated, head, own }: Pick<Conversation, 'id' | 'title' | 'head'> & { updated: number; own: OwnMembers },
  entries: number,
  end: ConversationEntry | undefined,
): ConversationInfo {
  return {
    id,
    title,
    updated,
    entries,
    ...(own.tags ? { tags: own.tags } : {}),
    ...(head !== null && end?.state !== undefined ? { waiting: true as const } : {}),
    ...(own.seen === false ? { seen: false as const } : {}),
  }
}

/** The requested page of the list. */
export function pageOf(
  infos: ConversationInfo[],
  { tags, skip = 0, limit = LIST_LIMIT }: ListOptions,
): ConversationInfo[] {
  return infos
    .filter((info) => hasTags(info.tags, tags))
    .sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1))
    .slice(skip, skip + limit)
}

/** The entries of a conversation whose text has the query. */
export function foundIn(
  { id, title }: { id: string; title: string },
  entries: Iterable<ConversationEntry>,
  query: string,
): FoundInStore[] {
  const wanted = folded(query)
  const found: FoundInStore[] = []
  for (const entry of entries) {
    const text = textOf(entry)
    if (folded(text).includes(wanted))
      found.push({ conversation: id, title, entry: entry.id, at: entry.at, text: excerpt(text, query) })
  }
  return found
}

/** As many of the found entries as were asked for, the newest first. */
export const newestOf = (found: FoundInStore[], { limit = SEARCH_LIMIT }: SearchOptions): FoundInStore[] =>
  found.sort((a, b) => b.at - a.at || (a.entry < b.entry ? -1 : 1)).slice(0, limit)

/** See `Conversations.export`. */
export async function exportFrom(
  store: Pick<Conversations, 'load' | 'bytes'>,
  id: string,
  as: 'json' | 'markdown',
): Promise<string | null> {
  checkFormat(as, 'as')
  const conversation = await store.load(id)
  return conversation && (await exported(conversation, as, (ref) => store.bytes(id, ref)))
}
