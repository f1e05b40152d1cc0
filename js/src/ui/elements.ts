// The elements as others see them: their types need nothing of what they are made with.
import type { ConfigurationClient } from './configuration/store.js'
import type { ApprovalsMode, AskDetail, AskView, CardView, LiveMessage, SavedMessage } from './types.js'

/** `<sluice-message>`: a message as it comes, or as it was saved. Fires `sluice-ask` and `sluice-settled`. */
export interface SluiceMessageElement extends HTMLElement {
  /** The message to follow. */
  message: LiveMessage | undefined
  /** Or one to show as it is. */
  view: SavedMessage | undefined
  /** Who shows questions. Default `inline`. */
  approvals: ApprovalsMode
  /** Of its questions, see `<sluice-approval>`. Default 600. */
  armMs: number
}

/** `<sluice-card>`: one call of a tool. */
export interface SluiceCardElement extends HTMLElement {
  /** The call. */
  card: CardView | undefined
  /** The question about this call, where one is open. */
  ask: AskView | undefined
  /** Answers the question and stops the call; a card of a saved message has none. */
  message: LiveMessage | undefined
  /** Who shows its question. Default `inline`. */
  approvals: ApprovalsMode
  /** The message is over: nothing moves, whatever the state says. */
  still: boolean
  /** Shows arguments, result and more. Default false. */
  open: boolean
}

/** `<sluice-approval>`: a question for a person. */
export interface SluiceApprovalElement extends HTMLElement {
  /** The question. */
  ask: AskView | undefined
  /** The call that is asked about. */
  card: CardView | undefined
  /** Takes the answer. */
  message: Pick<LiveMessage, 'approve' | 'release' | 'deny'> | undefined
  /** What the tool says of itself, where the question does not say it. */
  description: string | undefined
  /** Drawn in a row, as one of many. Default false. */
  compact: boolean
  /**
   * Refusing becomes active when the buttons were visible for so many milliseconds; approving when besides every line of the question was in
   * view, and head and buttons stood still for as long. Default 600.
   */
  armMs: number
}

/** `<sluice-configuration>`: what may be configured. */
export interface SluiceConfigurationElement extends HTMLElement {
  /** Of `connect()`. */
  client: ConfigurationClient | undefined
}

declare global {
  interface HTMLElementTagNameMap {
    'sluice-message': SluiceMessageElement
    'sluice-card': SluiceCardElement
    'sluice-approval': SluiceApprovalElement
    'sluice-configuration': SluiceConfigurationElement
  }
  interface HTMLElementEventMap {
    'sluice-ask': CustomEvent<AskDetail>
    'sluice-settled': CustomEvent<AskDetail>
  }
}
