// What somebody wrote and did not send, by conversation, and what waits until the answer is there. No DOM.
import type { Attachment, ChatClient } from './types.js'

/** So many messages wait. */
export const MOST_QUEUED = 5

/** What is written. */
export interface Draft { text: string; attachments: Attachment[] }

export class Desk {
  text = ''
  attachments: Attachment[] = []
  queue: Draft[] = []

  get empty(): boolean {
    return this.text.trim() === '' && this.attachments.length === 0
  }

  /** Takes what is written away. */
  take(): Draft {
    const { text, attachments } = this
    this.text = ''
    this.attachments = []
    return { text, attachments }
  }

  /** What is written waits. Returns false where too much does. */
  enqueue(): boolean {
    if (this.queue.length >= MOST_QUEUED) return false
    this.queue = [...this.queue, this.take()]
    return true
  }

  /** An answer is over: what is sent next. Where it did not end well, what waits is a draft again, for a person to look at. */
  over(completed: boolean): Draft | undefined {
    const [next, ...rest] = this.queue
    if (!next) return undefined
    if (completed) {
      this.queue = rest
      return next
    }
    this.back(...this.queue)
    this.queue = []
    return undefined
  }

  /** Puts drafts in front of what is written. */
  back(...drafts: readonly Draft[]): void {
    this.text = [...drafts.map(({ text }) => text), this.text].filter((text) => text.trim() !== '').join('\n\n')
    this.attachments = [...drafts.flatMap(({ attachments }) => attachments), ...this.attachments]
  }
}

const desks = new WeakMap<ChatClient, Map<string, Desk>>()

/** The one of a conversation, in this window. */
export function deskOf(client: ChatClient, conversation: string): Desk {
  const all = desks.get(client) ?? new Map<string, Desk>()
  desks.set(client, all)
  const desk = all.get(conversation) ?? new Desk()
  all.set(conversation, desk)
  return desk
}
