// A message as windows show it, and what happens to it: plain data that survives a structured clone and JSON alike. No
// Node, no DOM.
import type {
  ApprovalEvent,
  AssistantMessage,
  CardFields,
  FinishReason,
  Json,
  JsonObject,
  MediaPart,
  Outcome,
  Source,
  TextMarks,
  Usage,
} from '../../engine/core/events.js'
import type { ToolWords } from '../../engine/core/tool-words.js'

/** A question for a person. */
export interface QuestionView extends Omit<ApprovalEvent, 'type' | 'seq'> {
  /** Names the question in a decision. Only this window has it, and it is good for one decision. */
  token: string
  /** The name of the tool as the model wrote it, where it is another and no card says so. */
  askedName?: string
  /** Names that the model gave twice in one object of the arguments, where no card says so: the last one counts. */
  twice?: string[]
  /**
   * How long it was until `expiresAt` when the question was sent to this window, in milliseconds: the clock of a page
   * may be wrong.
   */
  leftMs?: number
  /** What the tool says it does. */
  annotations?: {
    /** Whether the tool says that it changes nothing. */
    readOnlyHint?: boolean
    /** It may delete or overwrite. Absent: as if true. */
    destructiveHint?: boolean
    /** It talks to others, for example over the network. */
    openWorldHint?: boolean
  }
  /** What people read about the tool. */
  words?: ToolWords
  /** Stage `execution`: the JSON Schema of its arguments, for a form. */
  parameters?: JsonObject
  /** Stage `execution`: the call waits for a button (`loop: 'user_mediated'`): who approves it runs it. */
  prepared?: boolean
  /** Stage `result`: who would read it. */
  reader?: {
    /** The name of the model. */
    model: string
    /** The host of its server, with the port where it has one. */
    host?: string
  }
}

/** What happened to a message, in order. Members and types may be added: ignore what you do not know. */
export type Delta =
  | TextDelta
  | ReasoningDelta
  | CardDelta
  | CallDelta
  | IpcDelta
  | ProgressDelta
  | RetryDelta
  | QuestionDelta
  | UsageDelta
  | RoundDelta
  | RetractedDelta
  | SourcesDelta
  | MediaDelta
  | PreparedDelta
  | ErrorDelta
  | DoneDelta

/** More text of a block. */
export interface TextDelta extends TextMarks {
  /** `reasoning` is what the model thinks before it answers. */
  type: 'text' | 'reasoning'
  /** The index in `MessageView.blocks`. */
  block: number
  /** Behind what the block has. */
  text: string
}

/** The model has thought, and goes on with something else. */
export interface ReasoningDelta {
  type: 'thought'
  /** The index of the reasoning in `MessageView.blocks`. */
  block: number
  /** How long it took, in milliseconds. */
  ms: number
}

/** A card began, or some of its fields changed. */
export interface CardDelta extends CardFields {
  type: 'card'
  /** The index in `MessageView.blocks`; absent for a nested call, which has `parent`. */
  block?: number
  /** The number of the call in the message. */
  call: number
}

/** More of a card: arguments as the model writes them, or a notice that its outcome does not tell (the pet said no). */
export interface CallDelta {
  /** `args` is appended, `notice` replaces the one before. */
  type: 'args' | 'notice'
  /** The number of the call in the message. */
  call: number
  text: string
}

/** A fire-and-forget call was sent: the block of its card cuts no sentence. */
export interface IpcDelta extends SentView {
  type: 'ipc'
  /** The number of the call in the message. */
  call: number
}

/** What a running tool reported, in place of its last report. */
export interface ProgressDelta {
  type: 'progress'
  /** The number of the call in the message. */
  call: number
  /** The report in words. */
  text: string
  /** How much is done, where the tool counts. */
  done?: number
  /** How much there is in all, in the unit of `done`. */
  total?: number
}

/** A request failed and will be sent again. What comes of it ends the wait: see `MessageView.retry`. */
export interface RetryDelta extends RetryView {
  type: 'retry'
}

/** A person must decide something. */
export interface QuestionDelta {
  type: 'ask'
  ask: QuestionView
}

/** Tokens of an answer so far. The last one of a round counts. */
export interface UsageDelta extends Usage {
  type: 'usage'
  /** Which answer, from 1. */
  round: number
}

/** An answer is over. */
export interface RoundDelta {
  type: 'round'
  /** Which answer, from 1. */
  round: number
  /** Why it ended. Absent where it broke off. */
  finishReason?: FinishReason
  /** When its request was made, in Unix milliseconds. */
  startedAt?: number
  /** When it was over, in Unix milliseconds. */
  endedAt?: number
}

/** Where the text of a block comes from: all sources of it so far. */
export interface SourcesDelta {
  type: 'sources'
  /** The index in `MessageView.blocks`. */
  block: number
  sources: Source[]
}

/** The model made a picture or a file: one more part of a block. */
export interface MediaDelta {
  type: 'media'
  /** The index in `MessageView.blocks`. */
  block: number
  part: MediaPart
}

/**
 * The text of these blocks is no longer part of the answer: the app sent the answer back, or put another text in its
 * place.
 */
export interface RetractedDelta {
  type: 'retracted'
  /** The indices in `MessageView.blocks`. */
  blocks: number[]
}

/** The app has prepared the answer: its turn began. */
export interface PreparedDelta {
  type: 'prepared'
}

/** Something failed. */
export interface ErrorDelta {
  type: 'error'
  /** The index in `MessageView.blocks`. Absent: the error is not shown among the blocks. */
  block?: number
  /** What failed: js/docs/codes.md lists them. */
  code: string
  /** One line: what happened. */
  detail: string
  /** What to do about it. */
  hint?: string
  /** Asking again may help. */
  retryable?: boolean
  /** The status of the provider's answer. */
  status?: number
  /** How long the provider wants to be left alone, in milliseconds. */
  retryAfterMs?: number
}

/** The turn is over. */
export interface DoneDelta {
  type: 'done'
  outcome: Outcome
  /** Why the last answer ended. Absent where it broke off. */
  finishReason?: FinishReason
}

/**
 * A message as a window shows it: the message document and what goes on around it. Never changed in place: see
 * `applyDelta`.
 */
export interface MessageView extends Omit<AssistantMessage, 'blocks'> {
  id: string
  /** Counts what happened to the message; see `WindowFrame`. */
  seq: number
  /** In the order of the answer. */
  blocks: BlockView[]
  /** Open questions, in the order in which they were asked. */
  questions: QuestionView[]
  /**
   * The last request failed and is sent again. Absent as soon as something of the answer comes, or the message ends.
   */
  retry?: RetryView
  /** The app prepares the answer: no request was made yet. */
  preparing?: true
  /** The app ended in the middle of it: this is how far it came. Its outcome is `failed`. */
  interrupted?: true
}

/** Another try of a request that failed. */
export interface RetryView {
  /** Which answer, from 1. */
  round: number
  /** Which further try this is, from 1. */
  attempt: number
  /** How many further tries there are at most. Absent where a function of the app decides. */
  maxAttempts?: number
  /** How long the wait is, in milliseconds. */
  delayMs: number
  /** When it ends and the request is sent, in Unix milliseconds. */
  at: number
  /** What went wrong, in the provider's words where it has some. */
  detail: string
}

/** A part of a message, told apart by `type`. */
export type BlockView = TextView | CardView | MediaView | ErrorView

/** A block of text. */
export interface TextView extends TextMarks {
  /** `reasoning` is what the model thinks before it answers. */
  type: 'text' | 'reasoning'
  /** The answer that it belongs to, from 1. */
  round?: number
  /** All of it so far. */
  text: string
  /** A message of its own: it does not continue the text in front of it. Text directly after text never does. */
  apart?: true
  /** Of reasoning that is over: how long it took, in milliseconds, as the host saw it. */
  ms?: number
  /**
   * The text is withdrawn: the app sent the answer back or replaced it, or a later message of the answer repeats it.
   */
  retracted?: true
  /** Where it comes from, as the provider says. */
  sources?: Source[]
}

/** Pictures and files that the model made. */
export interface MediaView {
  type: 'media'
  /** The answer that it belongs to, from 1. */
  round?: number
  parts: MediaPart[]
}

/** A block that says what failed. */
export interface ErrorView {
  type: 'error'
  /** What failed: js/docs/codes.md lists them. */
  code: string
  /** One line: what happened. */
  detail: string
  /** What to do about it. */
  hint?: string
}

/** A call of a tool as a window shows it. */
export interface CardView extends Omit<CardFields, 'key'> {
  type: 'tool_use'
  /** The number of the call in the message, from 1. */
  call: number
  /** The arguments as the model writes them, until `arguments` is there. */
  writing?: string
  /** Names that the model gave twice in one object: the last one counts. */
  twice?: string[]
  /** The last progress that the tool reported. */
  progress?: string
  /** How much is done, by the last report of a tool that counts. */
  progressDone?: number
  /** How much there is in all, in the unit of `progressDone`. */
  progressTotal?: number
  /** Something that the outcome does not tell: the pet did not do what it was told. */
  notice?: string
  /** Of the tool: they choose the picture on its card. */
  tags?: string[]
  /** What people read about the tool. */
  words?: ToolWords
  /** The tool says that it changes nothing. */
  reads?: boolean
  /** Nobody waits for it: it tells another window something, such as the pet's (`ipc`). */
  silent?: boolean
  /** Of a fire-and-forget call, once it was sent. */
  sent?: SentView
  /** The calls that its tool made of other tools, in order. */
  nested?: CardView[]
}

/** What a fire-and-forget call sent, and where in the text that is shown it stands. */
export interface SentView {
  /** The block of the text in front of it. Where no text of its answer stands there: its own block. */
  block: number
  /** Bytes of that block's text in front of it, in UTF-8. */
  offset: number
  /** As the tool's `ipc` names it. */
  channel: string
  /** Filled in from the call's arguments. */
  payload: Json[]
}
