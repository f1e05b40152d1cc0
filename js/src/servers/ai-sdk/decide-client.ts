// For pages: what the AI SDK's `addToolApprovalResponse` cannot say. No import, nothing of Node.

/** What a person decides about a question. */
export interface ChatDecision {
  /** May it run, or its result be let out? */
  approved: boolean
  /** Why not: the model reads it. */
  reason?: string
  /**
   * Runs the call with these arguments instead. They must fit the tool's schema; where they do not, the question is
   * asked again.
   */
  arguments?: { [name: string]: unknown }
  /**
   * How long calls of the tool need no question; the server says how long at most (`remember` of `chatHandler`).
   * Default `once`.
   */
  remember?: 'once' | 'turn' | 'session' | 'always'
  /** Remembers these very arguments only. Default false. */
  exact?: boolean
}

interface PartLike {
  type: string
  approval?: unknown
}
interface MessageLike {
  id: string
  parts: PartLike[]
}

/** What is used of `Chat`, and of what `useChat` gives: `{ messages, setMessages, addToolApprovalResponse }`. */
export interface ChatLike {
  /** The messages. `Chat` lets them be set. */
  messages: unknown[]
  /** Of `useChat`: changes the messages. */
  setMessages?: ((change: (messages: any) => any) => void) | undefined
  /** Answers a question, and sends the answer where `sendAutomaticallyWhen` says so. */
  addToolApprovalResponse(response: { id: string; approved: boolean; reason?: string }): unknown
}

/**
 * Answers a question like `addToolApprovalResponse`, with edited arguments and with how long the answer is remembered:
 * both travel to `chatHandler` on `part.approval`. `approvalId` is `part.approval.id`. An id that no part has is passed
 * over.
 */
export async function decide(
  chat: ChatLike,
  approvalId: string,
  { approved, reason, ...more }: ChatDecision,
): Promise<void> {
  const noted = (messages: readonly MessageLike[]): MessageLike[] =>
    messages.map((message) =>
      message.parts.some(asks)
        ? {
            ...message,
            parts: message.parts.map((part) =>
              asks(part) ? { ...part, approval: { ...(part.approval as object), ...more } } : part,
            ),
          }
        : message,
    )
  const asks = ({ approval }: PartLike): boolean => (approval as { id?: unknown } | undefined)?.id === approvalId
  if (chat.setMessages) chat.setMessages(noted)
  else chat.messages = noted(chat.messages as MessageLike[])
  await chat.addToolApprovalResponse({ id: approvalId, approved, ...(reason === undefined ? {} : { reason }) })
}
