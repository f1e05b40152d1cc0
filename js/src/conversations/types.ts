// What a store of conversations keeps and promises. An app may write its own: tests/js/conversations.test.mjs holds every store to it.
import type { MessageView } from '../bridge/messages.js'
import type { ChatMessage, Part } from '../core/events.js'

/** An answer as people saw it: what `<sluice-message>` shows. The message of a run's result is one, too. */
export type SavedMessage = Omit<MessageView, 'id' | 'seq' | 'asks' | 'retry'>

/**
 * What somebody said. An answer keeps what people saw (`message`) and what it adds for the model (`history`) together, so that neither is ever
 * stored without the other. Pictures in `parts`, `message` and `history` are addresses such as `sluice:<ref>`: their bytes are blobs.
 */
export interface Entry {
  /** Never given twice in a conversation: 1 to 200 characters, no control characters. */
  id: string
  /** The entry that it follows; null: it begins the conversation. Two entries behind the same one are two branches. */
  parent: string | null
  /** When it was said, in Unix milliseconds. */
  at: number
  /** Who said it. */
  role: 'user' | 'assistant'
  /** Role `user`: what the person wrote. */
  text?: string
  /** Role `user`: pictures beside the text. */
  parts?: Part[]
  /** Role `assistant`: what people saw. */
  message?: SavedMessage
  /** Role `assistant`: the messages that the turn added for the model. Empty where it came to nothing. */
  history?: ChatMessage[]
}

/** A whole conversation. */
export interface Conversation {
  /** As the app named it: 1 to 200 characters, no control characters. */
  id: string
  /** What `rename` said, else the first line of the first question. */
  title: string
  /** The entry at the end of the branch that is shown; null where there is no entry. `pathOf` gives the whole branch. */
  head: string | null
  /** Of all branches, in the order in which they were first saved: a parent stands before what follows it. */
  entries: Entry[]
}

/** A conversation in a list. */
export interface ConversationInfo {
  /** As the app named it. */
  id: string
  /** What `rename` said, else the first line of the first question. */
  title: string
  /** When its entries last changed, in Unix milliseconds. */
  updated: number
  /** How many entries it has, on all branches. */
  entries: number
  /** What is wrong with it, and where: it cannot be loaded or changed until somebody mends it. Absent where nothing is. */
  damaged?: string
}

/** Bytes that entries name by `ref`: see `blobOf`. */
export interface StoredBlob {
  /** The SHA-256 of the bytes, and what they are: `<64 hex digits>.png`. */
  ref: string
  /** The bytes themselves. */
  bytes: Uint8Array
}

/** What `save` changes: all of it or nothing. */
export interface Change {
  /** Added, or put in the place of the entry with the same id, which keeps its parent. A parent stands in front of what follows it. */
  entries?: Entry[]
  /** The end of the branch that is shown. Default: the last new entry, if there is one; otherwise it stays. */
  head?: string
  /** What the entries refer to. Bytes that are there already may be left out, or given again. */
  blobs?: StoredBlob[]
}

/** An entry that `search` found. */
export interface Found {
  /** Id of the conversation. */
  conversation: string
  /** Title of the conversation. */
  title: string
  /** Id of the entry. */
  entry: string
  /** When it was said, in Unix milliseconds. */
  at: number
  /** Up to 200 characters around the first place. */
  text: string
}

/**
 * Where conversations are kept. Every method rejects with a SluiceError `storage` where the place cannot be read or written, and then has
 * changed nothing; with `option` where it is called wrongly. Several methods may be called at a time.
 */
export interface Conversations {
  /** The one that changed last comes first. `query`: only those whose title or text holds it, in any case. Default: the first 100. */
  list(options?: { query?: string; skip?: number; limit?: number }): Promise<ConversationInfo[]>
  /** A copy of the whole conversation; null where there is none. */
  load(id: string): Promise<Conversation | null>
  /** Makes the conversation where there is none. What it resolved for is there after a crash; of what it did not, all or nothing is. */
  save(id: string, change: Change): Promise<void>
  /** Gives it a title of up to 200 characters; an empty one stands for the first line of the first question. Resolves to false where there is no such conversation. */
  rename(id: string, title: string): Promise<boolean>
  /**
   * Deletes a conversation, or one entry of it with everything that follows. Where the end of the shown branch is deleted, the parent of the
   * entry is the new end. Resolves to false where it was not there.
   */
  delete(id: string, entry?: string): Promise<boolean>
  /** Entries whose text holds `query`, in any case; the last that was said comes first. Default `limit`: 50. */
  search(query: string, options?: { limit?: number }): Promise<Found[]>
  /**
   * A text to take away; null where there is no such conversation. `json`: `{ id, title, head, entries, blobs }` with bytes in base64, all
   * branches. `markdown`: the shown branch, to read.
   */
  export(id: string, as: 'json' | 'markdown'): Promise<string | null>
  /** The bytes of a blob that the conversation refers to; null where there are none. */
  bytes(id: string, ref: string): Promise<Uint8Array | null>
}
