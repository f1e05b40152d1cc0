import type { AssistantMessage, ChatMessage } from './events.js'
import { Turn, type TurnEngine } from './turn.js'

/** What becomes of a turn whose process ends behind this save: a call that it names as running is `unknown`, the others were not run, and the model is told so. */
export function cutOff(engine: TurnEngine, state: string, reason: string): { message: AssistantMessage; history: ChatMessage[] } {
  const turn = Turn.restore(engine, state)
  try {
    while (turn.nextEvent()) ; // a call that is to run again counts as running once it was told
    turn.cancel(0, reason)
    const { message, history } = turn
    return { message, history }
  } finally {
    turn.close()
  }
}
