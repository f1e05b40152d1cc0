// The types that the elements take. They are structural: the live store of `sluice/renderer` fits, and any object of the same shape.
import type { AskView, CardView, MessageView } from '../bridge/messages.js'
import type { ApproveOptions } from '../core/approvals.js'
import type { AssistantMessage } from '../core/events.js'

export type { AskView, BlockView, CardView, MessageView, RetryView } from '../bridge/messages.js'
export type { ApproveOptions } from '../core/approvals.js'
export type { AssistantMessage } from '../core/events.js'

/** A message that goes on, as `client.message(id)` gives it. A decision gives false if the question was already decided. */
export interface LiveMessage {
  /** Never given twice. */
  readonly id: string
  /** This window asked for it: its end is read out, also where it is there at once. */
  readonly asked?: boolean
  /** Calls `listener` whenever the message changed. Returns what takes it away. */
  subscribe(listener: () => void): () => void
  /** The message as it stands: another object whenever it changed. */
  getSnapshot(): MessageView
  /** Lets the call run. */
  approve(ask: AskView, options?: ApproveOptions): unknown
  /** Lets the result go to the model. */
  release(ask: AskView): unknown
  /** Refuses either; the model reads the reason. */
  deny(ask: AskView, reason?: string): unknown
  /** Stops the message, or one call of it. */
  cancel(call?: number): unknown
}

/** A message as it was saved: nothing of it is live. */
export type SavedMessage = AssistantMessage | MessageView

/** Who shows a question: the card, a modal dialog, or the app, by `sluice-ask`. */
export type ApprovalsMode = 'inline' | 'dialog' | 'none'

/**
 * `sluice-ask`: a question is open. `preventDefault()` takes it over from the element: nothing of it is shown there.
 * `sluice-settled`: it is no longer, whoever decided.
 */
export interface AskDetail {
  /** Id of the message. */
  message: string
  /** The question. */
  ask: AskView
  /** The call that it is about. */
  card: CardView | undefined
  /** Lets the call run. Returns false if the question was already decided. */
  approve(options?: ApproveOptions): Promise<boolean>
  /** Lets the result go to the model. Returns false if the question was already decided. */
  release(): Promise<boolean>
  /** Refuses either. Returns false if the question was already decided. */
  deny(reason?: string): Promise<boolean>
}

/** What a listener of `sluice-ask` and `sluice-settled` is called with. */
export type SluiceAskEvent = CustomEvent<AskDetail>
