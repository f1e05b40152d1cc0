// What an app is told of a request of the AI SDK's `Chat`.
import type { ChatMessage, Json } from '../../engine/core/events.js'

/** What `run` is asked for. */
export interface ChatRequest {
  id: string
  /** The conversation as it is kept, with the new message: for the model. Empty where a saved turn goes on. */
  messages: ChatMessage[]
  /** What else the client sent, such as the `body` of `sendMessage`. Nobody has checked it. */
  body: { [member: string]: Json }
}
