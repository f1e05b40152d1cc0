// The messages between the main process and a window: plain data that survives a structured clone and JSON alike. No
// Node, no DOM.
import type { ApproveOptions } from '../../engine/core/approvals.js'
import type {
  Json,
  JsonObject,
  PermissionLevel,
  ExecutionPolicy,
  ResultPart,
  ResultPolicy,
  Rule,
} from '../../engine/core/events.js'
import type { ToolTokens } from '../../engine/core/settings.js'
import type { Delta, MessageView } from './message-view.js'
import type { PetWindowSide } from './pet-window-messages.js'
import type {
  DroppedFile,
  ProactiveInput,
  ProactiveReply,
  HeardInput,
  PetCapabilities,
  PetOrder,
  PetVoice,
  VoiceState,
} from './pet-messages.js'
import type { ServerMethods } from './server-messages.js'

export type * from './message-view.js'
export type {
  DroppedFile,
  ProactiveInput,
  ProactiveReply,
  HeardInput,
  PetCapabilities,
  PetOrder,
  PetParameter,
  PetVoice,
  VoiceState,
} from './pet-messages.js'

// -- from the main process to a window --------------------------------------------------------------------------------

/**
 * At most one per frame and window. The deltas lead from the view whose `seq` is `after` to the one of `seq`; a window
 * that has another one subscribes again and gets a snapshot.
 */
export interface WindowFrame {
  /** What happened to messages that the window subscribed to. */
  messages?: MessageFrame[]
  /** Those that the window opened and that changed, as they now stand. */
  conversations?: ConversationView[]
  /** For a window that asked for it (`watchConversations`): the conversations that changed, as a list shows them. */
  items?: ConversationItem[]
  /**
   * Conversations that the window opened so many others ago that it is told of them no more, until it opens them again.
   */
  left?: string[]
  /** Tools that this window is to run (`runsIn: 'window'`). */
  execute?: ExecuteOrder[]
  /** Calls in `execute` whose result nobody waits for any more. */
  abort?: AbortOrder[]
  /** What the pet's voice does now, for a window that asked for it (`voice`). */
  voice?: VoiceState
  /** For the window of the pet: a person ends what it says in this turn (see `PetVoice`). */
  endVoice?: number
  /** For a window that takes them (`takeDrops`): what a person dropped on the pet. */
  dropped?: DroppedFile[]
  /** The host was closed: this is the last frame. */
  closed?: true
}

/** What happened to one message. The deltas lead from the view whose `seq` is `after` to the one of `seq`. */
export interface MessageFrame {
  id: string
  /** `seq` of the view before. */
  after: number
  /** `seq` of the view behind the deltas. */
  seq: number
  /** In order. May be empty: something happened that this window is not told. */
  deltas: Delta[]
}

/** A call that this window is to run. It answers with `result`. */
export interface ExecuteOrder {
  /** Id of the message. */
  message: string
  /** The number of the call in it. */
  call: number
  /** For `result`: good for one. */
  token: string
  /** The name of the tool. */
  name: string
  /** The call's id of the provider, or of the text format; absent where it has none. */
  id?: string
  /** Idempotency key: the same for the same call, also when a saved turn runs it again. */
  key: string
  /** Checked against the tool's schema. */
  arguments: JsonObject
}

/** A call whose result nobody waits for any more. */
export interface AbortOrder {
  /** Id of the message. */
  message: string
  /** The number of the call in it. */
  call: number
  /** Why, for the tool's signal. */
  reason: string
}

/**
 * A conversation as it is kept. Show its entries by their `id`: a list that drops its oldest entries keeps its length.
 */
export interface ConversationView {
  /** As the app named it. */
  id: string
  /** What a person called it, or the first line of the first question; absent where there is neither. */
  title?: string
  /** What the app's `appView` lets windows have of what it keeps with the conversation. */
  app?: JsonObject
  /** What the app calls it by, such as for folders. Absent: nothing. */
  tags?: string[]
  /** Why the store did not take what was said last. It is kept in memory and tried again. */
  unsaved?: string
  /**
   * How many entries stand in front of `entries[0]`: no longer kept, or, of a long conversation in a store, to be had
   * by `earlier`.
   */
  forgotten: number
  /** The branch that is shown, the oldest first: at most the last 500. */
  entries: EntryView[]
}

/** Which of several branches is shown, from 0, and how many there are: an edited question, another answer. */
export interface BranchView {
  /** Of this entry, among those that stand side by side with it. */
  index: number
  /** How many of them there are. */
  count: number
}

/** What somebody said. */
export type EntryView = UserEntryView | AssistantEntryView

/** What every entry has. */
export interface EntryBase {
  /** Never changes, and is never given twice. */
  id: string
  /** When, in Unix milliseconds. */
  at: number
  /** Which of several branches it is. Absent where there is only one. */
  branch?: BranchView
  /** What the app's `appView` lets windows have of what it keeps with the entry. */
  app?: JsonObject
}

/** What a person wrote. */
export interface UserEntryView extends EntryBase {
  role: 'user'
  text: string
  /**
   * The attached pictures and files, each by its address. `conversation.picture(part)` and `conversation.file(part)` of
   * the client give the bytes.
   */
  parts?: EntryPart[]
}

/** What an entry of a person has beside its text. */
export type EntryPart = ResultPart | AttachedPicture | AttachedFile

/** A picture that a person attached, as an entry names it. */
export interface AttachedPicture {
  type: 'image'
  /** Its address in the store: `sluice:…`. */
  url: string
  /** What its file is called. Absent: nobody said it. */
  name?: string
  /** Its size in bytes. */
  bytes?: number
}

/** A file that a person attached, as an entry names it. */
export interface AttachedFile {
  type: 'file'
  /** What it is called: one line of up to 120 characters, never a path. */
  name: string
  /** In lower case, without parameters. */
  mediaType: string
  /** Its size in bytes. */
  bytes: number
  /** Its address in the store: `sluice:…`. */
  url: string
}

/** An answer. */
export interface AssistantEntryView extends EntryBase {
  role: 'assistant'
  /** The id of the message: `subscribe` gives what it says. */
  message: string
  /** The last words that a person heard of it, where they interrupted the voice; empty: they heard nothing. */
  heard?: string
  /** Nobody asked: the pet spoke first. */
  first?: true
}

/**
 * How a window stands to its host. `reconnecting`: the connection broke and is being made again; what is shown may go
 * on. `lost`: nothing goes on until it is there again.
 */
export type ConnectionState = 'connected' | 'reconnecting' | 'lost'

// -- from a window to the main process --------------------------------------------------------------------------------

/** What a person says. */
export interface SendInput {
  /** What the person wrote. It may be empty beside attachments. */
  text: string
  /** The id of the conversation. Default `main`. */
  conversation?: string
  /** Attached pictures and files. The host's `attachments` limit them: by default 8 pictures, 10 MB together. */
  parts?: (Picture | SentFile)[]
  /** The entry behind which it stands, in place of the last one that is shown: a branch. */
  replyTo?: string
}

/** A picture that a person attached: PNG, JPEG, GIF or WebP. */
export interface Picture {
  type: 'image'
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  mediaType: string
  /** The bytes in base64. */
  data: string
  /** What its file is called. */
  name?: string
}

/** A file that a person attached, with its bytes. */
export interface SentFile {
  type: 'file'
  /** What it is called. Folders in front of the name are left out. */
  name: string
  /** Such as `application/pdf`. Empty: it is not known. */
  mediaType: string
  /** The bytes in base64. */
  data: string
}

/** What a person may attach to a message. */
export interface AttachmentLimits {
  /** Media types: `image/png`, or every kind of text as `text/*`. */
  types: string[]
  /** Of all attachments of a message together. */
  maxBytes: number
  /** How many a message may have. */
  maxParts: number
}

/** A conversation in a list. */
export interface ConversationItem {
  id: string
  /** What a person called it, or the first line of the first question. */
  title: string
  /** When its entries last changed, in Unix milliseconds. */
  updated: number
  /** How many entries it has, on all branches. */
  entries: number
  /** What the app calls it by. Absent: nothing. */
  tags?: string[]
  /** Its last answer waits for a person. */
  waiting?: true
  /** An answer goes on, or is prepared. */
  running?: true
  /** How many questions are open. Absent: none. */
  asks?: number
  /** An answer ended or a question came while no window had it open. Whoever opens it has read it. */
  unread?: true
  /** It cannot be read, and why. */
  damaged?: string
}

/** An entry that a search found. */
export interface FoundEntry {
  /** Id of the conversation. */
  conversation: string
  /** Title of the conversation. */
  title: string
  /** Id of the entry. */
  entry: string
  /** When it was said, in Unix milliseconds. */
  at: number
  /** What stands around the first place. */
  text: string
}

/** An answer to a question. `remember`, `exact` and `arguments` are for stage `execution`. */
export interface WindowDecision extends ApproveOptions {
  /** Id of the message with the question. */
  message: string
  /** Of the `QuestionView`. Decides an execution or the release of a result, whichever was asked. */
  token: string
}

/** What the window of the pet needs of its client; `sluice/live2d` connects it with a model. */
export interface PetSide {
  /** Calls `listener` with every order, in the order in which they were given. Returns what takes it away. */
  onOrder(listener: (order: PetOrder) => void): () => void
  /** Tells what the loaded model can do; null: there is none any more. Rejects where the host does not take it. */
  ready(capabilities: PetCapabilities | null): Promise<void>
  /** An order waits for its words, or they came and it is performed now. */
  hold?(input: Parameters<Methods['petHold']>[0]): Promise<void>
  /** Speaks first, or does so no more today. Rejects where the host does not let it. */
  first?(input: ProactiveInput): Promise<ProactiveReply>
  /**
   * Tells what the voice of this window does, so that a person can end it in another one. Rejects where the host does
   * not take it.
   */
  voice?(voice: PetVoice): Promise<void>
  /**
   * Calls `listener` where a person ended the voice in another window, with the turn that is to end. Returns what takes
   * it away.
   */
  onEndVoice?(listener: (turn: number) => void): () => void
  /**
   * Hands files that a person dropped on the pet to the window of the chat, where they lie beside what is written: up
   * to 8, of 10 MB together. Resolves to false where no window has a field for them. Rejects where the host does not
   * take them.
   */
  drop?(files: readonly File[]): Promise<boolean>
  /** Answers an order: it was done, or why not. */
  reply(answer: Parameters<Methods['petReply']>[0]): Promise<void>
}

/** What a tool's person may change, and what the model would see. */
export interface ConfigurationView {
  /** The switches as they stand; members of the engine's configuration. */
  settings: JsonObject
  /** What `settings` would be without this person's changes. A window may set these members and no others. */
  defaults: JsonObject
  /** All of them, also those that the model does not see. */
  tools: ToolView[]
  /** Ids that `settings.protocol` may name. */
  protocols: string[]
  /** The rendered `{{tools}}`. */
  prompt: string
  /** Roughly, what the tools cost a request in this mode. */
  estimatedTokens: number
  /**
   * The same in modes native and auto, where they go into the request as JSON, and in mode text, where they are the
   * prompt.
   */
  tokens: ToolTokens
  /** What people decided for later calls as well. */
  rules: RuleView[]
}

/** A remembered decision. */
export interface RuleView extends Rule {
  /** Names it in `revoke`. */
  id: string
}

/** A tool as the configuration shows it. */
export interface ToolView {
  /** As the tool declares it. */
  name: string
  /** What the model reads of it. */
  description: string
  /** The JSON Schema of its arguments. */
  parameters?: JsonObject
  /** As the tool declares them. */
  tags: string[]
  /** What it may do without asking, as it stands. */
  permission: PermissionLevel
  /** When its calls are asked about; null: as `permission` says. */
  executionApproval: ExecutionPolicy | null
  /** When its results wait for a person; null: as the engine says. */
  resultApproval: ResultPolicy | null
  /** How long a call may take, in milliseconds. */
  timeoutMs?: number
  /** The model sees it. */
  exposed: boolean
  /** Why the model does not see it. */
  reason?: string
  /** Roughly, what it costs a request. */
  estimatedTokens?: number
  /** What this person changed of it. */
  changed?: ('permission' | 'executionApproval' | 'resultApproval')[]
}

/** Merged into what is there; a member that is null goes back to its default. */
export interface ConfigurationPatch {
  /** Members of the engine's configuration. */
  settings?: JsonObject
  /** By tool: what the person allows it. */
  tools?: {
    [name: string]: {
      permission?: PermissionLevel | null
      executionApproval?: ExecutionPolicy | null
      resultApproval?: ResultPolicy | null
    }
  }
  /** Decisions that no longer count. One that is gone already is no error. */
  revoke?: string[]
}

/** Every method that a window may call, with what it gives and gets. The preload exposes these and nothing else. */
export interface Methods extends ServerMethods {
  /** Starts a turn with what a person says. Gives the id of the message. */
  send(input: SendInput): SentMessage
  /** Asks the question of this entry again: another answer beside the one that is there. */
  regenerate(input: { entry: string }): SentMessage
  /** Asks something else in place of this question, with the same attachments: a branch beside it. */
  edit(input: { entry: string; text: string }): SentMessage
  /** Has the model go on with an answer that is the last of its branch: the same message, whose text goes on. */
  goOn(input: { entry: string }): SentMessage
  /** Shows another one of the branches at this entry, counted from 0. */
  choose(input: { entry: string; index: number }): void
  /**
   * Up to `limit` entries in front of this one, the oldest first. Default 100. None: it is the first, or they are no
   * longer kept.
   */
  earlier(input: { entry: string; limit?: number }): EntryView[]
  /**
   * The conversation that changed last comes first. `query`: those with it in their title or text. `tags`: those with
   * all of them. Default: the first 100.
   */
  conversations(input: { query?: string; tags?: string[]; skip?: number; limit?: number }): ConversationItem[]
  /** From now on the window is told which conversations changed (`WindowFrame.items`). */
  watchConversations(): void
  /** Entries that hold `query`, the last that was said first. Default `limit`: 50. */
  search(input: { query: string; limit?: number }): FoundEntry[]
  /**
   * An empty title stands for the first line of the first question. Returns false where there is no such conversation.
   */
  rename(input: { conversation: string; title: string }): boolean
  /**
   * Deletes a conversation, or an entry with all that follows, for which `conversation` may be left out. Returns false
   * if it was gone.
   */
  delete(input: { conversation?: string; entry?: string }): boolean
  /** The conversation as a text to take away. */
  export(input: { conversation: string; as: 'json' | 'markdown' }): string
  /**
   * Has the host open an address outside of the page: `http`, `https` or `mailto`. `agreed`: a person was asked, and
   * agreed; until the app ends its host need not be asked about again, in no window.
   */
  openLink(input: { url: string; agreed?: boolean }): void
  /**
   * Opens an address as `openLink` does where a person agreed to its host since the app began. Returns false, and opens
   * nothing, where nobody did.
   */
  openKnownLink(input: { url: string }): boolean
  /** A picture by its address in an entry (`sluice:…`). */
  picture(input: { conversation: string; url: string }): Picture
  /** The bytes of an attachment in base64, by its address in an entry (`sluice:…`). */
  file(input: { conversation: string; url: string }): string
  /** What a person may attach to a message. */
  attachments(): AttachmentLimits
  /** Cancels a message, or one call of it. */
  cancel(input: { message: string; call?: number }): void
  /** Lets a call run, or its result out to the model. Returns false if the question was already decided. */
  approve(input: WindowDecision): boolean
  /** Refuses a call, or the release of a result. Returns false if the question was already decided. */
  deny(input: Pick<WindowDecision, 'message' | 'token' | 'digest'> & { reason?: string }): boolean
  /** From now on the window gets the deltas of this message. The snapshot is what they go on from. */
  subscribe(input: { message: string }): MessageView
  /** From now on the window gets nothing of this message. */
  unsubscribe(input: { message: string }): void
  /** From now on the window gets this conversation whenever it changes. */
  open(input: { conversation?: string }): ConversationView
  /** What is configured; with `conversation`: as it counts there. */
  configuration(input?: { conversation?: string }): ConfigurationView
  /** Changes what is configured, for all conversations or for one; returns it as it then stands. */
  configure(patch: ConfigurationPatch & { conversation?: string }): ConfigurationView
  /** The result of a tool that this window runs. */
  result(input: { message: string; call: number; token: string; value?: Json; error?: string }): void
  /** The sound of a text, in base64, as the app's `speech` makes it. With the right `chat` or `pet`. */
  synthesize(input: { text: string }): string
  /** A person interrupted the voice: how far they heard an answer. With the right `chat` or `pet`. */
  heard(input: HeardInput): void
  /** What the pet's voice does. From now on the window is told whenever that changes. */
  voice(): VoiceState
  /** Ends what the pet's voice says, in whatever window that is. Returns false where it says nothing. */
  endVoice(): boolean
  /** The pet's voice began to speak, or ended. */
  petVoice(voice: PetVoice): void
  /**
   * From now on this window takes what is dropped on the pet (`Frame.dropped`), until it does not. Of several the last
   * that told so gets it.
   */
  takeDrops(input: { on: boolean }): void
  /** A person dropped files on the pet: the window with the field gets them. Returns false where there is none. */
  petDrop(input: { files: DroppedFile[] }): boolean
  /** The pet speaks first. Gives the message, and how often it may today. */
  petFirst(input: Omit<ProactiveInput, 'notToday'>): ProactiveReply
  /** The pet is not to speak first today any more. Whoever shows what it says may tell so. */
  petNotToday(): ProactiveReply
  /** The pet has a model, or none any more. */
  petReady(capabilities: PetCapabilities | null): void
  /** Answers a `PetOrder`: whether the pet did it, and why not. */
  petReply(input: { id: number; ok: boolean; reason?: string }): void
  /** A `PetOrder` with `spoken` waits for its words, or does no longer: the time for an answer begins then. */
  petHold(input: { id: number; held: boolean }): void
}

/** The message that `send` started. */
export interface SentMessage {
  /** Its id: for `subscribe`. */
  message: string
}

/** The name of a method. */
export type Method = keyof Methods

/** All names of methods. */
export const methods = [
  'send',
  'regenerate',
  'edit',
  'goOn',
  'choose',
  'earlier',
  'conversations',
  'watchConversations',
  'search',
  'rename',
  'delete',
  'export',
  'openLink',
  'openKnownLink',
  'picture',
  'file',
  'attachments',
  'cancel',
  'approve',
  'deny',
  'subscribe',
  'unsubscribe',
  'open',
  'configuration',
  'configure',
  'server',
  'localServers',
  'serverModels',
  'checkServer',
  'checkStep',
  'useServer',
  'result',
  'petReady',
  'petReply',
  'petHold',
  'petFirst',
  'petNotToday',
  'petVoice',
  'petDrop',
  'voice',
  'endVoice',
  'takeDrops',
  'synthesize',
  'heard',
] as const satisfies readonly Method[]

/** What a preload calls beside these, for itself: the window read a frame. */
export const SEEN = 'seen'

/** The result of a call. An exception would lose its fields on the way through Electron. */
export type Reply =
  | {
      /** The call did what it should. */
      ok: true
      /** What the method gives. */
      value: unknown
    }
  | {
      /** The call was refused, or failed. */
      ok: false
      error: BridgeError
    }

/** Why a call was refused. */
export interface BridgeError {
  /**
   * `forbidden`: this window may not; `argument`: it sent something else than expected; `limit`; `not_found`; `state`;
   * …
   */
  code: string
  /** What was found, and what was expected. */
  detail: string
  /** Where in the input. */
  path?: string
  /** What to do about it. */
  hint?: string
}

/** What a window has of the main process: `window.sluice` of the preload, or the like over HTTP. */
export interface Bridge {
  /** Calls a method of the host. Never rejects: what went wrong is in the reply. */
  call(method: Method, input?: unknown): Promise<Reply>
  /** Calls `listener` with every frame. Returns what takes it away. */
  onFrame(listener: (frame: WindowFrame) => void): () => void
  /** Calls `listener` with every order for the pet. Returns what takes it away. */
  onPet(listener: (order: PetOrder) => void): () => void
  /**
   * Called with every change of the connection. `retryAt`: when the next try is made, in Unix milliseconds. Left out by
   * a bridge that is there or not (Electron): its calls tell it.
   */
  onConnection?(listener: (state: ConnectionState, retryAt?: number) => void): () => void
  /** Tries to connect at once. */
  retry?(): void
  /** The window of a pet, in Electron: for `petBody` of sluice/pet. */
  petWindow?: PetWindowSide
}
