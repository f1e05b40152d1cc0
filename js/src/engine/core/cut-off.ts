// A turn as it will be if its process ends now.
import type { AssistantMessage, ChatMessage } from './events.js'
import { Turn, type TurnEngine } from './turn.js'

/**
 * Ends the saved turn: a call that runs in it becomes `unknown`, other open calls were not run, and the history tells
 * the model so.
 */
export function cutOff(
  engine: TurnEngine,
  state: string,
  reason: string,
): { message: AssistantMessage; history: ChatMessage[] } {
  const turn = Turn.restore(engine, state)
  try {
    while (turn.nextEvent()); // a call that starts again counts as running only when its event was read
    turn.cancel(0, reason)
    const { message, history } = turn
    return { message, history }
  } finally {
    turn.close()
  }
}
