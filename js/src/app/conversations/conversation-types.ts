// The contract of a store of conversations. An app may write its own store; tests/js/conversation-contract.mjs checks
// every store against it.
import type { EntryPart, MessageView } from '../bridge/messages.js'
import type { ChatMessage, JsonObject } from '../../engine/core/events.js'

/** An answer as people saw it, for `<sluice-message>`. The message of a run's result fits, too. */
export type SavedMessage = Omit<MessageView, 'id' | 'seq' | 'questions' | 'retry' | 'preparing'>

/** How far an answer was heard. */
export interface HeardPosition {
  /** The text block that it was heard to. */
  block: number
  /** How much of its text, in UTF-16 units. It may reach over into the text blocks behind it. */
  to: number
}

/** As an entry keeps it. */
export interface HeardRecord extends HeardPosition {
  /** The last words of it, for people. Empty: nothing was heard. */
  text: string
}

/**
 * A question or an answer. An answer holds what people saw (`message`) and the messages for the model (`history`)
 * together, so that neither is ever stored without the other. Pictures in `parts`, `message` and `history`, and files in
 * `parts`, are addresses such as `sluice:<ref>`; their bytes are blobs.
 */
export interface ConversationEntry {
  /** Unique in its conversation. 1 to 200 characters, no control characters. */
  id: string
  /**
   * The entry that it follows; null at the beginning of the conversation. Two entries with the same parent are two
   * branches.
   */
  parent: string | null
  /** When it was said, in Unix milliseconds. */
  at: number
  role: 'user' | 'assistant'
  /** Role `user`: what the person wrote. */
  text?: string
  /** Role `user`: pictures and files beside the text. */
  parts?: EntryPart[]
  /** Role `assistant`: what people saw. */
  message?: SavedMessage
  /** Role `assistant`: the messages that the turn added for the model. Empty if it added none. */
  history?: ChatMessage[]
  /**
   * Role `assistant`: the answer waits for a person, and goes on from here in another process. A text of the host, as
   * trusted as its memory.
   */
  state?: string
  /** Role `assistant`: how far a person heard it, where they interrupted the voice. */
  heard?: HeardRecord
  /** Role `user`: nobody wrote it. The pet spoke first, and this had it do so; it is shown to nobody. */
  first?: true
  /** The app's own, up to 64 KiB of JSON. No model and, without `appView`, no window gets it. */
  app?: JsonObject
}

/** What an app keeps with a conversation, beside what was said. */
export interface OwnMembers {
  /** The app's own, up to 64 KiB of JSON: a persona, a choice of the model. Windows get none of it without `appView`. */
  app?: JsonObject
  /** `list` finds it by these: at most 16, of 1 to 64 characters. Also an encrypted store keeps them readable. */
  tags?: string[]
  /** What was configured for this conversation alone, up to 64 KiB of JSON. */
  configuration?: JsonObject
  /** An answer ended or a question came, and no window had the conversation open. Absent: all of it was seen. */
  seen?: false
}

/** A whole conversation. */
export interface Conversation extends OwnMembers {
  /** Chosen by the app. 1 to 200 characters, no control characters. */
  id: string
  /** The title given by `rename`, else the first line of the first question. */
  title: string
  /** The entry at the end of the shown branch; null if there is no entry. `pathToEntry` gives the whole branch. */
  head: string | null
  /** The entries of all branches, in the order of their first save: a parent comes before its children. */
  entries: ConversationEntry[]
}

/** A conversation in a list. */
export interface ConversationInfo {
  /** The id that the app gave it. */
  id: string
  /** The title given by `rename`, else the first line of the first question. */
  title: string
  /** When its entries last changed, in Unix milliseconds. */
  updated: number
  /** How many entries it has, on all branches. */
  entries: number
  /** Those that the app gave it. Absent: none. */
  tags?: string[]
  /** The answer at the end of the shown branch waits for a person. */
  waiting?: true
  /** An answer ended or a question came, and no window had it open. Absent: all of it was seen. */
  seen?: false
  /**
   * What is wrong with it, and where. Such a conversation cannot be loaded or changed until somebody repairs it. Absent
   * if it is sound.
   */
  damaged?: string
}

/** Bytes that entries name by `ref`: see `pictureBlob` and `fileBlob`. */
export interface StoredBlob {
  /** The SHA-256 of the bytes, and what they are: `<64 hex digits>.png`. */
  ref: string
  bytes: Uint8Array
}

/** What `save` changes, all of it or nothing. */
export interface ConversationChange {
  /**
   * New entries, and entries that replace those with the same id and keep their parent. A parent comes before its
   * children.
   */
  entries?: ConversationEntry[]
  /** The end of the shown branch. Default: the last new entry, if any; otherwise unchanged. */
  head?: string
  /** The blobs that the entries refer to. Those already stored may be left out or given again. */
  blobs?: StoredBlob[]
  /** The app's own members in the place of those that are there; null removes them. */
  app?: JsonObject | null
  /** The tags in the place of those that are there. */
  tags?: string[]
  /** The configuration in the place of the one that is there; null removes it. */
  configuration?: JsonObject | null
  /** Whether everything was seen. */
  seen?: boolean
}

/** An entry that `search` found. */
export interface FoundInStore {
  /** Id of the conversation. */
  conversation: string
  /** Title of the conversation. */
  title: string
  /** Id of the entry. */
  entry: string
  /** When it was said, in Unix milliseconds. */
  at: number
  /** Up to 200 characters around the first match. */
  text: string
}

/**
 * A store of conversations. Every method rejects with a SluiceError `storage` if it cannot read or write, and then has
 * changed nothing; with `option` if it is called wrongly. Methods may be called while others are running.
 */
export interface Conversations {
  /**
   * Lists conversations, the one whose entries changed last first. `query`: only those whose title or text contains it,
   * ignoring case. `tags`: only those that have all of them. Default: the first 100.
   */
  list(options?: { query?: string; tags?: string[]; skip?: number; limit?: number }): Promise<ConversationInfo[]>
  /** Returns a copy of the whole conversation; null if there is none. */
  load(id: string): Promise<Conversation | null>
  /**
   * Saves a change and creates the conversation if it is missing. Once it resolved, the change survives a crash;
   * before, all of it is there or nothing.
   */
  save(id: string, change: ConversationChange): Promise<void>
  /**
   * Sets a title of up to 200 characters; an empty one means the first line of the first question. Resolves to false if
   * there is no such conversation.
   */
  rename(id: string, title: string): Promise<boolean>
  /**
   * Deletes a conversation, or one of its entries with everything that follows it. If that deletes the end of the shown
   * branch, the entry's parent is the new end. Resolves to false if it was not there.
   */
  delete(id: string, entry?: string): Promise<boolean>
  /** Finds entries whose text contains `query`, ignoring case, the newest first. Default `limit`: 50. */
  search(query: string, options?: { limit?: number }): Promise<FoundInStore[]>
  /**
   * Exports a conversation as text; null if there is no such conversation. `json`: `{ id, title, head, entries, blobs
   * }` with all branches and
   * the bytes in base64. `markdown`: the shown branch, for reading.
   */
  export(id: string, as: 'json' | 'markdown'): Promise<string | null>
  /** Returns the bytes of a blob that the conversation refers to; null if there are none. */
  bytes(id: string, ref: string): Promise<Uint8Array | null>
  /**
   * Returns the path of a file that holds these bytes and nothing else; null if there is none. Left out by a store that
   * keeps no such files: tools then get a copy.
   */
  path?(id: string, ref: string): Promise<string | null>
}
