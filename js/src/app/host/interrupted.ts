// An answer that goes on, as it is kept: as one that was interrupted, which is what it is if the app ends now. Where it
// waits for a person, the state of its run is kept with it, and the question is asked again.
import type { MessageView } from '../bridge/messages.js'
import type { SavedMessage } from '../conversations/conversation-types.js'
import { mapCards } from '../../engine/core/cards.js'
import { isObject } from '../../engine/core/options.js'
import type { CardStatus, ChatMessage } from '../../engine/core/events.js'
import type { SavedNumbering } from './message-numbering.js'

/** What is beside the view so that a turn which waits for a person goes on in another process. */
export interface Waiting {
  run: string
  numbering: SavedNumbering
  /** The calls wait for a button, and were adopted by this run. */
  adopts: boolean
  /** What the model was sent of this answer before the run. */
  sentBefore: ChatMessage[]
  /** The true states of calls, which the kept view shows as settled. */
  statuses: [call: number, status: CardStatus][]
}

/** A state that is longer is not kept: it would be written again at every turn of events. */
const MAX_STATE = 8_000_000

/** For `Entry.state`. */
export function writeWaiting(waiting: Waiting): string | undefined {
  const text = JSON.stringify({ sluice: 1, ...waiting })
  return text.length > MAX_STATE ? undefined : text
}

/** Undefined for what another version wrote. */
export function readWaiting(text: string): Waiting | undefined {
  try {
    const waiting = JSON.parse(text) as Waiting & { sluice: unknown }
    return isObject(waiting) && waiting.sluice === 1 ? waiting : undefined
  } catch {
    return undefined
  }
}

/** What a call has come to where nobody looks after it any more. */
function leftAs(status: CardStatus | undefined): CardStatus | undefined {
  switch (status) {
    case 'executing':
      return 'unknown'
    case undefined:
    case 'streaming':
    case 'pending':
    case 'awaiting_approval':
    case 'awaiting_result_approval':
      return 'cancelled'
    default:
      return undefined
  }
}

/** The view as it is kept, and the true states of its calls. */
export function interrupted({
  id: _,
  seq: __,
  questions: ___,
  retry: ____,
  preparing: _____,
  outcome: ______,
  finishReason: _______,
  ...view
}: MessageView): { message: SavedMessage; statuses: Waiting['statuses'] } {
  const statuses: Waiting['statuses'] = []
  const blocks = mapCards(view.blocks, (card) => {
    const status = leftAs(card.status)
    if (!status) return card
    statuses.push([card.call, card.status ?? 'pending'])
    return { ...card, status }
  })
  return { message: { ...view, blocks, outcome: 'failed', interrupted: true }, statuses }
}

/**
 * An answer that was over, as it is while it goes on: what ended it is no part of it any more. `statuses`: of calls
 * that wait again.
 */
export function reopened(
  { outcome: _, finishReason: __, retry: ___, interrupted: ____, ...view }: MessageView,
  statuses: Waiting['statuses'] = [],
): MessageView {
  const errors = [...view.blocks].reverse().findIndex((block) => block.type !== 'error')
  const known = new Map(statuses)
  const blocks = mapCards(view.blocks.slice(0, view.blocks.length - Math.max(0, errors)), (card) => {
    const status = known.get(card.call)
    return status ? { ...card, status } : card
  })
  return { ...view, blocks, questions: [] }
}
