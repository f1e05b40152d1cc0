// What an app is told of a request of AG-UI.
import type { ChatMessage, Json } from '../../engine/core/events.js'
import type { RunAgentInput } from './ag-ui-types.js'

/** What `run` is asked for. */
export interface AGUIRequest {
  /** Of the conversation: the client's `threadId`. */
  id: string
  /** The conversation as the store has it, with the new message: for the model. Empty where a saved turn goes on. */
  messages: ChatMessage[]
  /** What the client sent, with `state`, `forwardedProps` and `context`. Nobody has checked it. */
  input: RunAgentInput
}

/** The same, of a run that goes on in this process. */
export interface AGUIRunRequest extends AGUIRequest {
  /**
   * Gives the client another state in the place of the one that it has, as `STATE_SNAPSHOT`: any number of times until
   * its run ends, from tools too. No model sees it. Throws SluiceError `option` for what is no JSON.
   */
  setState: (state: Json) => void
}
