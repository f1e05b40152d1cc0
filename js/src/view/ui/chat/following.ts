// What goes on in a conversation: its entries, its last answer, and what that is up to. No DOM.
import { doingOf, type Doing } from '../../../app/bridge/doing.js'
import type { MessageSource, MessageView } from '../ui-types.js'
import type { ChatClient, ConversationView } from './chat-types.js'

/** A conversation at a moment. */
export interface Now {
  conversation: ConversationView
  /** Of the last answer. */
  live: MessageSource | undefined
  view: MessageView | undefined
  doing: Doing
}

/**
 * Calls `listener` now and with every change of the conversation, of its last answer and of the connection; that may be
 * often. Returns what ends it.
 */
export function follow(client: ChatClient, id: string, listener: (now: Now) => void): () => void {
  const live = client.open(id)
  let answer: MessageSource | undefined
  let offAnswer: (() => void) | undefined
  const tell = (): void => {
    const conversation = live.getSnapshot()
    const view = answer?.getSnapshot()
    listener({
      conversation,
      live: answer,
      view,
      doing: client.connection.state === 'connected' ? doingOf(view) : 'offline',
    })
  }
  const look = (): void => {
    const last = live.getSnapshot().entries.findLast((entry) => entry.role === 'assistant')
    const message = last?.role === 'assistant' ? last.message : undefined
    if (message !== answer?.id) {
      offAnswer?.()
      answer = message === undefined ? undefined : client.message(message)
      offAnswer = answer?.subscribe(tell)
    }
    tell()
  }
  const offs = [live.subscribe(look), client.connection.subscribe(tell)]
  look()
  return () => {
    for (const off of [...offs, offAnswer]) off?.()
  }
}
