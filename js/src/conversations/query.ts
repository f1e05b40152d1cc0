// Checks and applies the options of `list` and `search`.
import { members, oneOf, text, whole, type Check } from '../core/options.js'
import { folded, textOf } from './words.js'
import type { ConversationInfo, Entry, Found } from './types.js'

export interface ListOptions { query?: string; skip?: number; limit?: number }
export interface SearchOptions { limit?: number }

export const LIST_LIMIT = 100
export const SEARCH_LIMIT = 50

export const checkList = (options: ListOptions): void =>
  members({ members: { query: text, skip: whole(0), limit: whole(0) } })(options, 'options')
export const checkSearch = (query: string, options: SearchOptions): void => {
  text(query, 'query')
  members({ members: { limit: whole(0) } })(options, 'options')
}
export const checkFormat: Check = (value) => oneOf('json', 'markdown')(value, 'as')

/** Whether a conversation belongs in the list. */
export function fits(query: string | undefined, title: string, entries: Iterable<Entry>): boolean {
  if (!query || folded(title).includes(folded(query))) return true
  for (const entry of entries) if (folded(textOf(entry)).includes(folded(query))) return true
  return false
}

/** The requested page of the list. */
export function pageOf(infos: ConversationInfo[], { skip = 0, limit = LIST_LIMIT }: ListOptions): ConversationInfo[] {
  return infos.sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1)).slice(skip, skip + limit)
}

/** Sorts found entries, the newest first. */
export const inOrder = (found: Found[]): Found[] => found.sort((a, b) => b.at - a.at || (a.entry < b.entry ? -1 : 1))
