// The host: an engine, its conversations, and the windows that look at them. Knows neither Electron nor HTTP.
import type {
  AttachmentLimits,
  Bridge,
  EntryPart,
  ConfigurationPatch,
  ConfigurationView,
  WindowFrame,
  PetCapabilities,
  PetOrder,
  Reply,
} from '../bridge/messages.js'
import type { FileForm, FileForModel } from '../conversations/files-for-model.js'
import type { ConversationEntry, Conversations, SavedMessage } from '../conversations/conversation-types.js'
import type {
  ChatMessage,
  ErrorEvent,
  FinishReason,
  JsonObject,
  Outcome,
  Rule,
  SluiceEvent,
  Usage,
} from '../../engine/core/events.js'
import type { RunHooks } from '../../engine/core/run-options.js'
import type { Settings } from '../../engine/core/settings.js'
import type { Model } from '../../engine/core/model.js'
import type { ServerPreset } from '../../engine/core/presets.js'

/** What a window may do. What is left out, it may not. */
export interface WindowRights {
  /**
   * List, search and open conversations, subscribe to messages: everything that is said in them, and every result of a
   * tool.
   */
  read?: boolean
  /**
   * Send and cancel messages, rename and delete conversations, have links opened, run tools with `runsIn: 'window'`,
   * take what is dropped on the pet.
   */
  chat?: boolean
  /** Answer questions: approve and deny. A window that is to show them needs `read` too. */
  approve?: boolean
  /** See and change the configuration: which tools there are, and which of them ask. */
  configure?: boolean
  /** Say which server answers, try servers, give keys: what such a window names is where the conversations go. */
  server?: boolean
  /** Be the pet: get `PetOrder`s, say what it can do, hand what is dropped on it to the chat. */
  pet?: boolean
}

/** One window, as the transport knows it. */
export interface WindowPeer {
  /** Different for every window, and for every page that is loaded into it. */
  readonly id: string
  /** Read whenever it matters: a getter may change its mind. */
  readonly rights: WindowRights
  /** Sends what changed to the window. */
  frame(frame: WindowFrame): void
  /** Sends an order to the window of the pet. */
  pet(order: PetOrder): void
  /** What was sent has not left yet: frames wait, and what piles up meanwhile is dropped for a new snapshot. */
  busy?(): boolean
}

/** A peer that is connected. */
export interface HostConnection {
  /** Never rejects. `method` and `input` are whatever the window sent. */
  call(method: unknown, input: unknown): Promise<Reply>
  /** The window is gone, or shows another page. */
  close(): void
}

/** How people choose who answers. The app keeps the choice, and `run` gives it to each turn. */
export interface ServerChoice {
  /** Who answers now; undefined: nobody was chosen. */
  current(): Model | undefined
  /**
   * A person chose another one, with its key: for the next message. null: none any more. What it throws with code
   * `option` the person reads.
   */
  use(model: Model | null): void | Promise<void>
  /**
   * A key that the app has for an address, such as of an environment variable. It is used where a person gives none.
   * Default none.
   */
  keyFor?(baseURL: string): string | undefined
  /**
   * Keys that people give outlast the app, encrypted; false: they end with it. People read it beside the field. Default:
   * nothing is said of it.
   */
  keysAreKept?: boolean
  /** What people choose from. Default: `serverPresets` of the package. */
  presets?: readonly ServerPreset[]
}

/** A turn as the app wants it: what stands here goes before what was configured, that before the engine's defaults. */
export interface TurnOptions extends Settings, RunHooks {
  model: Model
  /** Instead of the messages that the host keeps. */
  messages?: ChatMessage[]
  /** Merged into the request's body. */
  request?: { [member: string]: unknown }
  /** Aborted, it cancels the turn. */
  signal?: AbortSignal
  /** Beside those of the engine's store. */
  rules?: Rule[]
  /** For the tools: `context.context` of their second argument. */
  context?: unknown
}

/** A turn that is over. */
export interface FinishedTurn {
  /** Id of the conversation. */
  conversation: string
  /** Id of the message, and of its entry. */
  message: string
  /** What the person wrote. */
  text: string
  /** Pictures and files beside it, by their addresses in the store. */
  parts?: EntryPart[]
  /**
   * What the turn adds for the model: `[...messages, ...history]` goes on from here. Empty where it came to nothing.
   */
  history: ChatMessage[]
  view: SavedMessage
  outcome: Outcome
  /** Why the provider says that its last answer ended. */
  finishReason?: FinishReason
  /** Tokens of all its answers, as the provider counted them. */
  usage?: Usage
  /** Outcome `failed` or `limit`: what went wrong. */
  error?: ErrorEvent
}

/** What an app says of a conversation. What is left out stays. */
export interface ConversationDescription {
  /** Up to 200 characters; an empty one stands for the first line of the first question. */
  title?: string
  /** By which lists find it: at most 16, of 1 to 64 characters. */
  tags?: string[]
  /** Up to 64 KiB of JSON. No model gets it, and windows only what `appView` lets through. null: nothing any more. */
  app?: JsonObject | null
}

/** What the app is asked to prepare an answer for. */
export interface Prepare {
  /** Id of the conversation. */
  conversation: string
  /** Id of the message, and of its entry: the answer that is prepared. */
  message: string
  /**
   * `send`: a person asked. `regenerate`, `edit`: they want another answer, to the question or to another one. `goOn`:
   * the model is to go on with its answer. `first`: the pet speaks first. `resume`: a turn that waited for a person goes
   * on.
   */
  why: 'send' | 'regenerate' | 'edit' | 'goOn' | 'first' | 'resume'
  /** What the app keeps with the conversation; empty where that is nothing. */
  app: JsonObject
  /** Aborted when the message is cancelled, the host is closed, or `prepareMs` is over. */
  signal: AbortSignal
}

/** What `run` of a host is asked. */
export interface RunInput extends Prepare {
  /** What the person wrote. */
  text: string
  /** Pictures and files beside it, by their addresses in the store. Absent: none. */
  parts?: EntryPart[]
  /** What the model is sent unless `run` gives other `messages`, with `system` in front. */
  messages: ChatMessage[]
  /** The question as it is kept. */
  entry: ConversationEntry
  /** The pet speaks first: nobody asked. */
  first?: true
}

/** What a person may attach to a message, and what the model reads of it. */
export interface AttachmentOptions {
  /**
   * Media types: `application/pdf`, or every kind of text as `text/*`. Bytes that begin otherwise than files of their
   * type do are refused. Default: PNG, JPEG, GIF and WebP.
   */
  types?: string[]
  /** Bytes of all attachments of one message. Default 10,000,000. */
  maxBytes?: number
  /** Attachments of one message. Default 8. */
  maxParts?: number
  /**
   * What the model reads of a file: its bytes, its text in a fence, or a line with its number, name, type and size. The
   * app knows which models read PDFs. Called for each file before each answer. Default: the four kinds of pictures
   * `bytes`, text and JSON of up to 64 KiB `text`, all else `name`.
   */
  toModel?: (file: FileForModel) => FileForm
}

/** What an app gives its host. */
export interface HostOptions {
  /**
   * With what a turn runs: model, settings, request, … Called for each answer, when `system` was asked; a promise is
   * fine. Where it throws, gives nonsense or takes too long (`prepareMs`), the answer is an error block `hook`: "the app
   * could not prepare this answer", or the sentence of a `UserError`.
   */
  run: (input: RunInput) => TurnOptions | Promise<TurnOptions>
  /**
   * Where conversations are kept: `fileConversations(folder)`, `sqliteConversations(database)`, or a store of the app.
   * Default: in memory, and the oldest are forgotten (see `keepMessages`).
   */
  conversations?: Conversations
  /**
   * Gives a conversation its title, such as by asking a model: one line, of which 80 characters are kept. Called behind
   * the answer to the first question of a person, while nobody gave it one. Undefined, an empty one and one that fails
   * leave it as it is. Default: the first line of the first question.
   */
  titles?: (turn: FinishedTurn) => string | undefined | Promise<string | undefined>
  /** A turn is over: what it was about, and what it adds. Called once for each message, also for those that failed. */
  onTurn?: (turn: FinishedTurn) => void
  /**
   * The store did not take what was said. It is kept in memory and tried again, after a second up to a minute. Default:
   * a warning each time.
   */
  onUnsaved?: (failure: { conversation: string; error: unknown }) => void
  /** Lets people choose who answers, in windows with the right `server`: `<sluice-server>`. Default: they cannot. */
  server?: ServerChoice
  /**
   * What a new conversation is called, and what the app keeps with it; called with the first entry, before `system` and
   * `run`. Default: nothing.
   */
  begin?: (about: { conversation: string; text: string }) => ConversationDescription | undefined
  /**
   * What windows may have of what the app keeps with a conversation (`app`), or with an entry of it. Default: nothing.
   */
  appView?: (app: JsonObject, entry?: ConversationEntry) => JsonObject | undefined
  /** In front of every conversation: a text, or a function that is asked before each answer. Default none. */
  system?: string | ((about: Prepare) => string | undefined | Promise<string | undefined>)
  /** Milliseconds that `system` and `run` may take together. Default 30,000; 0: no limit. */
  prepareMs?: number
  /**
   * About how many tokens of a conversation the model gets, `system` included: what was said first is left out,
   * question by question, and people see all of it. `messages` of `run` decides it exactly. Default: all of it.
   */
  contextTokens?: number
  /**
   * What the model is told where a person wants it to go on with its answer. Default: "Go on exactly where you stopped,
   * and repeat nothing."
   */
  goOn?: string
  /**
   * Opens an address outside of the page: in Electron `(url) => shell.openExternal(url)`. Called with `http`, `https`
   * and `mailto` alone, for windows with the right `chat`. Without it the client's `openLink` rejects with
   * `unsupported`.
   */
  openExternal?: (url: string) => unknown
  /** What was configured before: where it is kept is the app's business. */
  configuration?: ConfigurationPatch
  /** Something was configured: keep it. */
  onConfigure?: (configuration: ConfigurationPatch) => void
  /** Every event of every turn. */
  onEvent?: (message: string, event: SluiceEvent) => void
  /**
   * The pet loaded a model, or has none: a chance to `engine.add(...live2dTools(…))`, which is what happens without
   * this.
   */
  onPet?: (capabilities: PetCapabilities | null) => void
  /** The pet could not do what it was told, or did not answer in time. The card of the call says it too. */
  onPetFailure?: (failure: { message: string; call: number; channel: string; reason: string }) => void
  /** Milliseconds between two frames to one window. Default 16. */
  frameMs?: number
  /** Largest text of a person, in characters. Default 1,000,000. */
  maxTextLength?: number
  /** Milliseconds that a question waits for a window that may answer it, before it is denied. Default 30,000. */
  approvalGraceMs?: number
  /** Milliseconds that the pet has to answer. Default 5,000. */
  petReplyMs?: number
  /**
   * When the pet does what the model says: `now`, or `spoken`, with the words beside which it stands. An order then
   * waits in the window that speaks the message (`receivePetOrders({ speaker })`), for up to 30 s; where nobody speaks
   * it is done at once. Default `now`.
   */
  cues?: 'now' | 'spoken'
  /**
   * Makes the sound of a text for windows that speak, such as the body of a response: the key stays in this process.
   * There `httpVoice((text) => client.speech(text))` is the voice. Up to 8 MB in 30 s. Default none.
   */
  speech?: (text: string, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /**
   * What becomes of it that a person interrupted the voice. `note`: the entry says how far they heard the answer.
   * `trim`: the model is told no more of it than that, either. Default `note`.
   */
  heard?: 'note' | 'trim'
  /**
   * Lets the pet speak first, where its page wants to (`companion({ proactive })`, right `pet`): while nothing else is
   * said or asked, in two sentences, without tools that ask. Default: it does not.
   */
  proactive?: {
    /** How often a day, whatever windows are loaded again. Default 4. */
    perDay?: number
    /** The time of day. Default: that of the system. */
    date?: () => Date
  } | null
  /** What a person may attach to a message, and what the model reads of it. Default: pictures. */
  attachments?: AttachmentOptions
  /**
   * Without `conversations`: messages that are kept, of all conversations together, since a window may begin any number
   * of them; the oldest are forgotten, by the model too. Default 200.
   */
  keepMessages?: number
  /** Messages at a time, of all conversations. Default 16. */
  maxRunning?: number
}

/** An engine, its conversations, and the windows that look at them. */
export interface Host {
  /** What windows may attach to a message. */
  readonly attachments: AttachmentLimits
  /** A window is there. Call the result for what it sends, and close it when it goes. */
  connect(peer: WindowPeer): HostConnection
  /** Starts a turn without a window. Resolves to the id of the message. Default conversation: `main`. */
  send(text: string, conversation?: string): Promise<string>
  /**
   * Names a conversation, and changes what the app keeps with it. A new one is created. Resolves when the store took it,
   * or waits to be tried again (`onUnsaved`).
   */
  describe(conversation: string, description: ConversationDescription): Promise<void>
  /** Changes what the app keeps with an entry: up to 64 KiB of JSON; null: nothing any more. */
  mark(entry: string, app: JsonObject | null): void
  /**
   * Changes what is configured, for all conversations, or settings of one: those go before what counts for all, and
   * behind what `run` gives.
   */
  configure(patch: ConfigurationPatch, conversation?: string): Promise<ConfigurationView>
  /**
   * A bridge to this host in the same process, for tests and main-process code. Default: every right but that of the
   * pet.
   */
  bridge(rights?: WindowRights): HostBridge
  /**
   * Cancels everything, shows the windows how it ended, and resolves when all is quiet; at the latest a second after
   * that. `stillRunning` are then the tools that take no notice of their signal: nothing of them reaches anybody any
   * more. With `conversations` a turn that waits for a person is kept instead: its question is asked again where a
   * window opens the conversation in the next process.
   */
  close(): Promise<{ stillRunning: RunningTool[] }>
}

/** A bridge within the same process. */
export interface HostBridge extends Bridge {
  /** The window that it stands for is gone. */
  close(): void
}

/** A tool of a turn that is over. */
export interface RunningTool {
  /** Id of the message. */
  message: string
  /** The number of the call in it. */
  call: number
  /** The name of the tool. */
  name: string
}
