// Who decided, on the cards: the engine knows that a person did, the turn's record knows which one.
import { mapCards } from '../../engine/core/cards.js'
import type { ApprovalRecord, AssistantMessage, SluiceEvent } from '../../engine/core/events.js'
import type { TurnDecisionRecord } from './durable-types.js'

/** A message whose cards name who decided, where the app said so. */
export function namedIn(message: AssistantMessage, decisions: readonly TurnDecisionRecord[]): AssistantMessage {
  if (!decisions.some(({ by }) => by !== undefined)) return message
  return {
    ...message,
    blocks: mapCards(message.blocks, (card) =>
      card.approvals ? { ...card, approvals: named(card.call, card.approvals, decisions) } : card,
    ),
  }
}

/** The same of an event. */
export function namedOf(event: SluiceEvent, decisions: readonly TurnDecisionRecord[]): SluiceEvent {
  return event.type === 'card' && event.approvals
    ? { ...event, approvals: named(event.call, event.approvals, decisions) }
    : event
}

/** Both are in the order in which they were applied. */
function named(
  call: number,
  approvals: readonly ApprovalRecord[],
  decisions: readonly TurnDecisionRecord[],
): ApprovalRecord[] {
  const left = decisions.filter((one) => one.call === call)
  return approvals.map((approval) => {
    const at = left.findIndex(
      ({ stage, decision }) =>
        stage === approval.stage && (decision === 'approve') === (approval.decision === 'approved'),
    )
    if (approval.by !== 'user' || at < 0) return approval
    const [{ by } = {} as TurnDecisionRecord] = left.splice(at, 1)
    return by === undefined ? approval : { ...approval, who: by }
  })
}
