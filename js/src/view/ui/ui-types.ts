// The types that the elements take. They are structural: a live message of `sluice/renderer` fits, and any object of
// the same shape.
import type { QuestionView, CardView, MessageView } from '../../app/bridge/messages.js'
import type { ApproveOptions } from '../../engine/core/approvals.js'
import type { AssistantMessage } from '../../engine/core/events.js'

export type { QuestionView, BlockView, CardView, MessageView, RetryView } from '../../app/bridge/messages.js'
export type { ApproveOptions } from '../../engine/core/approvals.js'
export type { AssistantMessage } from '../../engine/core/events.js'

/**
 * A live message, as from `client.message(id)`. A decision returns false if the question was already decided, or `{
 * decided: false, decision, by, at }`, the body of the 409 of `POST …/decide`: then the question says who was faster.
 */
export interface MessageSource {
  readonly id: string
  /** This window asked for it: its end is read out, even if it has ended by the time it is shown. */
  readonly asked?: boolean
  /** Calls `listener` whenever the message changed. Returns a function that removes it. */
  subscribe(listener: () => void): () => void
  /** The current message: a new object whenever it changed. */
  getSnapshot(): MessageView
  /** Lets the call run. */
  approve(ask: QuestionView, options?: ApproveOptions): unknown
  /** Lets the result go to the model. */
  release(ask: QuestionView): unknown
  /** Refuses the call or the release of its result. The model reads the reason. */
  deny(ask: QuestionView, reason?: string): unknown
  /** Stops the message, or one call of it. */
  cancel(call?: number): unknown
  /** Has the app open an address outside of the page, once the person agreed. */
  openLink?(url: string): unknown
  /**
   * Opens an address where a person agreed to its host before. Resolves to false where nobody did. Without it the page
   * remembers.
   */
  openKnownLink?(url: string): Promise<boolean>
}

/** A saved message. */
export type ShownMessage = AssistantMessage | MessageView

/**
 * Where calls that nobody waits for stand, such as expressions: as a small face in the margin of their line, or
 * nowhere.
 */
export type CuesMode = 'margin' | 'none'

/**
 * Who shows a question: the card, a modal dialog, `<sluice-questions>` (the card says that it asks there), or the app,
 * by `sluice-ask`.
 */
export type ApprovalsMode = 'inline' | 'dialog' | 'dock' | 'none'

/**
 * The detail of `sluice-ask` (a question was opened; `preventDefault()` takes it over, and the element does not show
 * it) and of `sluice-settled` (the question was decided, by whomever).
 */
export interface QuestionDetail {
  /** Id of the message. */
  message: string
  ask: QuestionView
  /** The call that the question is about. */
  card: CardView | undefined
  /** Lets the call run. Returns false if the question was already decided. */
  approve(options?: ApproveOptions): Promise<boolean>
  /** Lets the result go to the model. Returns false if the question was already decided. */
  release(): Promise<boolean>
  /** Refuses the call or the release of its result. Returns false if the question was already decided. */
  deny(reason?: string): Promise<boolean>
}

/** The event of `sluice-ask` and `sluice-settled`. */
export type SluiceAskEvent = CustomEvent<QuestionDetail>
