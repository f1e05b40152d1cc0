// The contracts of durable turns: the store that has the truth, the queue that wakes, and what an app sees.
import type { ApprovalDuration } from '../../engine/core/approvals.js'
import type {
  ApprovalRequest,
  AssistantMessage,
  ChatMessage,
  ErrorEvent,
  FinishReason,
  Json,
  JsonObject,
  Outcome,
  SluiceEvent,
  Usage,
} from '../../engine/core/events.js'
import type { RunOptions } from '../../engine/core/run-options.js'
import type { Tool } from '../../engine/core/tool.js'
import type { ClientTool } from '../leg/client-tools.js'

// -- the store --------------------------------------------------------------------------------------------------------

/**
 * `running`: a worker has it, or it waits for one. `waiting`: for people, or results from outside. `done`: it is over.
 */
export type TurnPhase = 'running' | 'waiting' | 'done'

/** A turn as lists have it. */
export interface ListedTurnRow {
  /** 1 to 200 characters, no control characters. */
  id: string
  /** What it belongs to, as the app said; null: nothing. */
  thread: string | null
  /** Counts its saves, from 1: the fence. */
  rev: number
  /** Counts the workers that had it. */
  logNumber: number
  phase: TurnPhase
  /**
   * When to look at it at the latest, in Unix milliseconds; null: never. Of one that runs: how long its worker is
   * believed to live.
   */
  wakeAt: number | null
  /** When it was saved, in Unix milliseconds. */
  updated: number
  /** Its open questions: text that the store does not read. Null: none. */
  questions: string | null
}

/** A turn as a store keeps it. The store reads none of the texts: they may be encrypted. */
export interface TurnRow extends ListedTurnRow {
  /** What the app gave with it, and who decided what. */
  config: string
  /** The turn itself; null in front of its first save, and where it is over. */
  state: string | null
  /** Its end; null before that. */
  result: string | null
}

/** What a save changes: members that are left out stay. */
export interface TurnRowPatch
  extends Partial<Pick<TurnRow, 'logNumber' | 'phase' | 'wakeAt' | 'questions' | 'config' | 'state' | 'result'>> {
  /** When it was, in Unix milliseconds. */
  updated: number
  /** Keys of the entries that this save has used: they leave the inbox. */
  taken?: readonly string[]
}

/** Something that came for a turn: a decision, a result, a cancel. */
export interface TurnInboxEntry {
  /** A second entry with the same key is refused, also when the first was taken. */
  key: string
  /** Text that the store does not read. */
  entry: string
}

/** Which turns `list` gives: all of those that fit every member. */
export interface TurnRowFilter {
  /** Those of this thread. */
  thread?: string
  /** Those with open questions. */
  asking?: boolean
  /**
   * Those that somebody should look at now, in Unix milliseconds: `wakeAt` has passed, or it waits and its inbox is not
   * empty.
   */
  due?: number
}

/**
 * Keeps turns. Once a method resolved, what it did survives a crash. Methods may be called from any number of processes
 * at once, unless the store says otherwise, and reject with SluiceError `storage` where they cannot read or write; then
 * nothing has changed.
 */
export interface TurnStore {
  /** Adds a turn, `rev` 1. Resolves to false, and changes nothing, if there is one with this id. */
  create(id: string, row: Omit<TurnRow, 'id' | 'rev'>): Promise<boolean>
  /** The turn; null if there is none. */
  load(id: string): Promise<TurnRow | null>
  /** What came for it and was not taken, in the order in which it came. */
  inbox(id: string): Promise<TurnInboxEntry[]>
  /**
   * Changes a turn, if its `rev` is still this one: resolves to the new one. Null, and nothing changed, if it is
   * another, there is no such turn, or it is `done`. A turn that becomes `done` loses its inbox.
   */
  save(id: string, rev: number, patch: TurnRowPatch): Promise<number | null>
  /**
   * Adds an entry. Resolves to false, and changes nothing, if its key was there before, the turn is `done`, or there is
   * none.
   */
  push(id: string, entry: TurnInboxEntry): Promise<boolean>
  /** The turns that fit, in any order; what changes meanwhile may be there or not. */
  list(filter?: TurnRowFilter): AsyncIterable<ListedTurnRow>
  /** Removes a turn with all that came for it. Resolves to false if there was none. */
  remove(id: string): Promise<boolean>
}

/** Keeps what is long: pictures, results. Named by its content, so that a turn's many saves write it once. */
export interface BlobStore {
  /** Keeps text for a turn; `ref` is the SHA-256 of the plain text. Twice is fine. */
  put(id: string, ref: string, text: string): Promise<void>
  /** What was kept; null: nothing. */
  get(id: string, ref: string): Promise<string | null>
  /** Removes all of a turn. */
  remove(id: string): Promise<void>
}

// -- the queue --------------------------------------------------------------------------------------------------------

/** What takes wakes off a queue. */
export interface QueueWorker {
  /** Takes no more, and waits for those that are being worked on. */
  close(): Promise<void>
}

/**
 * Says which turn somebody should look at, and holds nothing else: what it loses, `sweep` finds. A wake that comes
 * while the turn is being looked at must lead to another look.
 */
export interface WakeQueue {
  /**
   * Somebody should look at this turn now. `swept`: a sweep found it, so whoever was woken for it before may be dead.
   */
  wake(id: string, how?: { swept?: boolean }): Promise<void>
  /** Somebody should look at it at this time, in Unix milliseconds. */
  at(id: string, time: number): Promise<void>
  /**
   * Calls `advance` for what is woken. What it rejects with is tried again after a while. `leaseMs`: a worker that says
   * nothing for so long is taken for dead.
   */
  work(advance: (id: string) => Promise<unknown>, around?: { leaseMs: number }): QueueWorker
}

// -- what an app sees -------------------------------------------------------------------------------------------------

/** A question that waits for a person. */
export interface TurnQuestion extends ApprovalRequest {
  /** The turn that asks. */
  turn: string
  /** What the turn belongs to. */
  thread?: string
  /** `execution`: may it run? `result`: may the model read what came out? */
  stage: 'execution' | 'result'
  /** When it was asked, in Unix milliseconds. */
  askedAt: number
  /** The name of the tool as the model wrote it, where it is another. */
  askedName?: string
  /** Names that the model gave twice in one object of the arguments: the last one counts. */
  twice?: string[]
}

/** What somebody decided about a question. */
export interface TurnDecision {
  /** The number of the call. */
  call: number
  stage: 'execution' | 'result'
  /** Of the question that was seen: a decision about another one is stale. */
  digest: string
  /** It may run, or its result be read; or not. */
  decision: 'approve' | 'deny'
  /** Runs the call with these instead. */
  arguments?: JsonObject
  /** How long calls like this one need no question. Default `once`. */
  remember?: ApprovalDuration
  /** "Like this one" means with exactly these arguments. Default false. */
  exact?: boolean
  /** With `deny`: for the model, and for the card. */
  reason?: string
  /** Who decided, for the record and the card. */
  by?: string
}

/** A decision that was applied. */
export interface TurnDecisionRecord extends Pick<TurnDecision, 'call' | 'stage' | 'digest' | 'decision' | 'by'> {
  /** When, in Unix milliseconds. */
  at: number
}

/** The end of a turn. */
export interface TurnEnd {
  outcome: Outcome
  /** The messages that it adds to the conversation. */
  history: ChatMessage[]
  /** Everything a person saw of it. */
  message: AssistantMessage
  /** Why the provider says that its last answer ended. */
  finishReason?: FinishReason
  /** Tokens of all its answers. */
  usage?: Usage
  /** The error that it did not get over. */
  error?: ErrorEvent
  /** Why the turn was cancelled; only then. */
  reason?: string
}

/** Where a turn stands. */
export interface TurnStatus extends Partial<Omit<TurnEnd, 'message'>> {
  /** `running`, `waiting` for people or results from outside, or `done`. */
  phase: TurnPhase
  /** What it belongs to. */
  thread?: string
  /** What the app gave with it. */
  data?: Json
  questions: TurnQuestion[]
  /** Who decided what, as far as it was applied. */
  decisions: TurnDecisionRecord[]
  /** What a person sees of it, as it was saved last. */
  message: AssistantMessage
  /** @internal Tools of this turn alone. */
  external?: readonly ClientTool[]
}

/** In front of the events of a worker that took the turn: this message replaces all earlier events. */
export interface ResetEvent {
  type: 'reset'
  /** Counts the workers that had it. */
  logNumber: number
  /** What is left: the events behind go on with it. */
  message: AssistantMessage
}

/** Nothing but people, or results from outside, is waited for: what was told is all there is until then. */
export interface WaitingEvent {
  type: 'waiting'
  /** Counts the workers that had it. */
  logNumber: number
}

/** What `events` gives: an event, and where it stands. */
export type TurnEvent = (SluiceEvent | ResetEvent | WaitingEvent) & {
  /** Its place: `events(id, at)` goes on behind it. */
  at: number
}

/** What `run` is asked with. */
export interface TurnInfo {
  id: string
  /** What it belongs to. */
  thread?: string
  /** What the app gave with it. */
  data?: Json
}

/**
 * What `run` gives: model, key, settings and hooks of a turn. Of a turn that goes on, settings are in its state: they
 * are not taken from here.
 */
export type TurnRun<C = unknown> = Omit<RunOptions<C>, 'messages' | 'id' | 'checkpoint' | 'dispatch'>

/** What `start` takes. */
export interface StartOptions {
  /** The conversation so far; the last message is usually the user's. */
  messages: ChatMessage[]
  /** Of the turn: a second start with the same one begins nothing. Default: a random UUID. */
  id?: string
  /** What it belongs to: a conversation, a user. */
  thread?: string
  /** For `run`, whenever the turn goes on. */
  data?: Json
  /** @internal Tools of this turn alone, which a client runs. */
  external?: readonly ClientTool[]
}

/** What carries turns on in this process. */
export interface TurnWorker {
  /** Takes no more turns. Those it has are saved and go to other workers: after at most 5 s, as `run.suspend` does. */
  close(): Promise<void>
}

/** Turns that outlive processes. */
export interface Durable {
  /** The tools of its engine. */
  readonly tools: readonly Tool[]
  /** Begins a turn. Resolves to its id when it is saved: from then on no crash loses it. */
  start(options: StartOptions): Promise<string>
  /**
   * @internal Of the tools that a client brings, those that a turn can have. Throws Refusal where they cannot be
   * declared.
   */
  external(tools: readonly ClientTool[]): ClientTool[]
  /**
   * Decides a question. `accepted`: the worker applies it, unless it asks the question in another way by then. `stale`:
   * it was decided already, expired, or is another one now; nothing runs. `over`: the turn has ended. Who may decide,
   * the app says before it calls. Rejects with SluiceError `json` for edited arguments that do not fit, `state` where a
   * rule of the turn forbids them; then the question waits as before.
   */
  decide(id: string, decision: TurnDecision): Promise<'accepted' | 'stale' | 'over'>
  /**
   * @internal The decision about a question that counts, also where no worker has looked at it yet. Undefined where
   * there is none.
   */
  decisionOn(
    id: string,
    question: Pick<TurnDecision, 'call' | 'stage' | 'digest'>,
  ): Promise<TurnDecisionRecord | undefined>
  /**
   * The result of a call to an `external` tool, as its `execute` event or its card names it. `accepted`: the worker
   * applies it. `stale`: no such call runs, or it has its result; nothing happens, now or later. `over`: the turn has
   * ended.
   */
  result(
    id: string,
    of: {
      /** The number of the call. */
      readonly call: number
      /** Of the `execute` event, or of the card. */
      readonly digest: string
    },
    result:
      | {
          value: unknown
        }
      | {
          /** Why nothing did, for the model. */
          error: string
        },
  ): Promise<'accepted' | 'stale' | 'over'>
  /** Cancels the turn: what waits at once, what runs in another process within about a second. */
  cancel(id: string, reason?: string): Promise<void>
  /** Where it stands, by what was saved. */
  status(id: string): Promise<TurnStatus>
  /** The open questions of all turns. Throws behind the last one if a turn could not be opened. */
  questions(filter?: {
    /** Of this thread only. */
    thread?: string
    /** About this tool only. */
    tool?: string
  }): AsyncIterable<TurnQuestion>
  /**
   * What the turn tells, from the last `reset` on, until it is done. `from`: only what stands behind this place, unless
   * a `reset` came since. A question stands in it when it can be decided, `waiting` when nothing else happens, `done`
   * when it is saved. Where the process that runs the turn shares no log with this one, `reset` brings what was saved,
   * within a second.
   */
  events(id: string, from?: number): AsyncIterableIterator<TurnEvent>
  /** Carries a turn on until it waits or is done: what a worker does for each wake. */
  advance(id: string): Promise<'waiting' | 'done'>
  /**
   * Wakes the turns that somebody should look at: whose inbox is not empty, whose time has passed, whose worker died.
   * Resolves to how many.
   */
  sweep(): Promise<number>
  /** Works off the queue in this process, and sweeps now and every `sweepMs` (default 60,000). */
  work(options?: {
    /** Milliseconds from one sweep to the next. */
    sweepMs?: number
  }): TurnWorker
  /**
   * Removes a turn with all that is kept of it. One that runs stops at its next save. Resolves to false if there was
   * none.
   */
  forget(id: string): Promise<boolean>
}
