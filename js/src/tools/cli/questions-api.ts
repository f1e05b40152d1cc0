// The requests between the page of `sluice questions` and its server: POST with JSON, answered by a `Reply`
// (bridge/messages.ts) whose `value` is one of the types here.
import type { QuestionView } from '../../app/bridge/messages.js'
import type { TurnDecision } from '../../servers/durable/durable-types.js'

/** POST /api/questions: what is asked now. */
export interface QuestionsRequest {
  /** Names of questions that the page has: they are not sent again. */
  known: string[]
}

/** A question, as the page shows it. */
export interface ShownQuestion {
  /** `<turn>:<call>:<stage>:<digest>`: another one where anything of it changed. */
  name: string
  /** The turn that asks. */
  turn: string
  /** What the turn belongs to. */
  thread?: string
  /** When it was asked, in Unix milliseconds. */
  askedAt: number
  /** For `<sluice-approval>`. */
  ask: QuestionView
}

export interface QuestionsReply {
  /**
   * The names of those that are open, the oldest first. With `more` or `fault` not all of them: one that is missing
   * need not be closed.
   */
  open: string[]
  /** Of these, those that the page does not have. */
  fresh: ShownQuestion[]
  /** More are open than a page shows: decide some of these, or name a thread or a tool. */
  more: boolean
  /** Who decides here, for the record. */
  by?: string
  /** A turn could not be read: the questions of the others are here. */
  fault?: string
}

/** POST /api/decide: a decision about the question that was seen. */
export interface DecideRequest extends Omit<TurnDecision, 'by'> {
  turn: string
}

export interface DecideReply {
  /** `stale`: it was decided before, expired, or is asked in another way now. `over`: its turn has ended. */
  said: 'accepted' | 'stale' | 'over'
  /** Not accepted: the decision that counts, where there is one. */
  decision?: TurnDecision['decision']
  /** The person who decided. */
  by?: string
  /** When, in Unix milliseconds. */
  at?: number
}
