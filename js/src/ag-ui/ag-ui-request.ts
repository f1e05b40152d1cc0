// What an app is told of a request of AG-UI.
import type { ChatMessage } from '../core/events.js'
import type { RunAgentInput } from './types.js'

/** What `run` is asked for. */
export interface AGUIRequest {
  /** Of the conversation: the client's `threadId`. */
  id: string
  /** The conversation as the store has it, with the new message: for the model. Empty where a saved turn goes on. */
  messages: ChatMessage[]
  /** What the client sent, with `state`, `forwardedProps` and `context`. Nobody has checked it. */
  input: RunAgentInput
}
