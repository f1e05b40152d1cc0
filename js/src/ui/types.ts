// What the elements need of others. Structural on purpose: the live store of `sluice/renderer` fits, and so does anything else.
import type { AskView, CardView, Decision, MessageView } from '../bridge/messages.js'
import type { AssistantMessage } from '../events.js'

export type { AskView, BlockView, CardView, MessageView } from '../bridge/messages.js'
export type { AssistantMessage } from '../events.js'

export type ApproveOptions = Pick<Decision, 'remember' | 'exact' | 'arguments'>

/** A message that goes on, as `client.message(id)` gives it. What a decision gives: false where somebody was faster. */
export interface LiveMessage {
  readonly id: string
  /** This window asked for it: its end is read out, also where it is there at once. */
  readonly asked?: boolean
  subscribe(listener: () => void): () => void
  getSnapshot(): MessageView
  approve(ask: AskView, options?: ApproveOptions): unknown
  release(ask: AskView): unknown
  deny(ask: AskView, reason?: string): unknown
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
  message: string
  ask: AskView
  card: CardView | undefined
  approve(options?: ApproveOptions): Promise<boolean>
  release(): Promise<boolean>
  deny(reason?: string): Promise<boolean>
}

export type SluiceAskEvent = CustomEvent<AskDetail>
