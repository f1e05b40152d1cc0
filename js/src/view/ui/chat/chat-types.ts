// What the chat and its parts take. Structural: the client of `sluice/renderer` fits, and any object of the same shape.
import type {
  AttachmentLimits,
  ConnectionState,
  ConversationItem,
  ConversationView,
  EntryView,
  Picture,
  SentFile,
} from '../../../app/bridge/messages.js'
import type { MessageSource } from '../ui-types.js'

export type {
  AttachmentLimits,
  ConnectionState,
  ConversationItem,
  ConversationView,
  EntryView,
  Picture,
  SentFile,
} from '../../../app/bridge/messages.js'
export type { LoadImage, RenderText } from '../text/text-types.js'

/** A conversation that is followed, as from `client.open(id)`. */
export interface ChatConversation {
  /** As the app named it. */
  readonly id: string
  /** Settles when the conversation was read; rejects where it cannot be. */
  readonly opened?: Promise<unknown>
  /** Calls `listener` whenever the conversation changed. Returns a function that removes it. */
  subscribe(listener: () => void): () => void
  /** The conversation as it stands: a new object whenever it changed. */
  getSnapshot(): ConversationView
  /** Entries in front of one, the oldest first. None: it is the first that is kept. */
  earlier(entry: string, limit?: number): Promise<EntryView[]>
  /** The bytes of a picture of an entry. */
  picture(part: never): Promise<Picture>
  /** The bytes of a file of an entry. Without it a file is shown, and cannot be saved. */
  file?(part: { url: string }): Promise<Uint8Array>
}

/** How the window stands to its host, as `client.connection`. */
export interface ChatConnection {
  /** `lost`: nothing goes on until it is there again. */
  readonly state: ConnectionState
  /** Since when, in Unix milliseconds. */
  readonly since?: number | undefined
  /** When the next try is made, in Unix milliseconds. */
  readonly retryAt?: number | undefined
  /** Calls `listener` whenever the state changed. Returns a function that removes it. */
  subscribe(listener: () => void): () => void
  retry(): void
}

/** Drafts by conversation, as `client.drafts`. */
export interface ChatDrafts {
  /** The text; empty where there is none. */
  load(conversation: string): string
  /** Keeps a text, in place of the one before. */
  save(conversation: string, text: string): void
}

/** What the chat needs of a client. */
export interface ChatClient {
  /** How the window stands to its host. */
  readonly connection: ChatConnection
  open(conversation?: string): ChatConversation
  /** The message of an answer. */
  message(id: string): MessageSource
  send(said: { text: string; conversation: string; parts?: readonly (Picture | SentFile)[] }): Promise<unknown>
  /** What may be attached to a message. Without it: pictures, and text behind the words. */
  attachments?(): Promise<AttachmentLimits>
  /** Asks the question of an entry again. */
  regenerate(entry: string): Promise<unknown>
  /** Asks something else in place of a question. */
  edit(entry: string, text: string): Promise<unknown>
  /** Shows another one of the branches at an entry. */
  choose(entry: string, index: number): Promise<unknown>
  /** Has the model go on with an answer. Without it nobody is offered to. */
  goOn?(entry: string): Promise<unknown>
  /** Deletes an entry with what follows. Without it nobody is offered to. */
  delete?(entry: string): Promise<unknown>
  /** Opens an address outside of the page, to which a person agreed. */
  openLink?(url: string, options: { agreed: boolean }): Promise<unknown>
  /**
   * Opens an address where a person agreed to its host before. Resolves to false where nobody did. Without it the page
   * remembers.
   */
  openKnownLink?(url: string): Promise<boolean>
  /** Keeps what is written and not sent over a reload of the page. Without it that is lost then. */
  readonly drafts?: ChatDrafts
  /** Calls `take` with what a person drops on the pet in another window. Returns what ends that. */
  onDropped?(take: (files: File[]) => void): () => void
  /** The voice of the pet, in whatever window it speaks. */
  readonly voice?: ChatVoice
}

/** What `<sluice-conversations>` needs of a client. */
export interface ConversationsClient {
  open(conversation?: string): Pick<ChatConversation, 'subscribe'>
  /** The conversations that the host keeps. */
  readonly conversations: {
    /** Tells of every change of one of them. Default: the list is read anew when the one that is open changes. */
    subscribe?(listener: () => void): () => void
    /** The one that changed last comes first. */
    list(options?: { query?: string; skip?: number; limit?: number }): Promise<ConversationItem[]>
    /** An empty title stands for the first line of the first question. */
    rename(conversation: string, title: string): Promise<unknown>
    delete(conversation: string): Promise<unknown>
    /** The shown branch of a conversation, to read. */
    export(conversation: string, as: 'markdown'): Promise<string>
  }
}

/**
 * The detail of `sluice-open`, `sluice-rename` and `sluice-delete`: `preventDefault()` takes over what a person wants
 * to do with a conversation.
 */
export interface ConversationDetail {
  conversation: string
}

/** What a person does with an entry. */
export type EntryAction = 'copy' | 'again' | 'goOn' | 'edit' | 'previous' | 'next' | 'speak' | 'hush' | 'delete'

/** The detail of `sluice-action`: `preventDefault()` takes over what a person wants to do with an entry. */
export interface ActionDetail {
  action: EntryAction
  entry: EntryView
}

/** A voice that a person may end: that of the pet in another window, as `client.voice`. */
export interface ChatVoice {
  stop(why?: string): unknown
  /** While it is `speaking`, Esc ends it, and so does a button of every answer. */
  readonly state?: string
  /** Called when the state changed. Returns what ends that. */
  subscribe?(listener: () => void): () => void
}

/** What reads answers aloud: a speaker of `sluice/speech` fits. */
export interface ChatSpeaker extends ChatVoice {
  /** Reads a text aloud. */
  say(text: string): unknown
}

/** Which answers tell their time and tokens. */
export type UsageMode = 'last' | 'all' | 'none'

/** What is read out of an answer: at its end, every sentence as it is there, or nothing. */
export type AnnounceMode = 'end' | 'sentences' | 'off'

/** A file beside a message that is written. */
export interface Attachment {
  /** Of the file; empty for a pasted text. */
  name: string
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`; `text/plain` of a text; of a file what the host takes. */
  mediaType: string
  /** As they are sent: a large picture was drawn smaller. */
  bytes: Uint8Array
  /** An address of a picture for people. */
  preview?: string
  /** It is sent as a file. Without it a text is put behind the words. */
  isFile?: boolean
}

/** The detail of `sluice-send`: `preventDefault()` takes over the sending. */
export interface SendDetail {
  /** What the person wrote, with long texts behind it. */
  text: string
  parts: (Picture | SentFile)[]
  /** Id of the conversation. */
  conversation: string
}

/** The detail of `sluice-refused`: a file is not taken. */
export interface RefusedDetail {
  file: File
  /** Of a type that is not taken; too large; too many; it cannot be read. */
  why: 'type' | 'size' | 'count' | 'unreadable'
}

/** Something to begin with: its text is sent, or with `send: false` put into the field. */
export type Suggestion =
  | string
  | {
      /** What stands on the button. */
      title: string
      text: string
      /** Whether a message can be sent. Default true. */
      send?: boolean
    }
