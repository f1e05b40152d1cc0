// What somebody wrote and did not send, by conversation, and what waits until the answer is there. No DOM.
import type { MessageView } from '../ui-types.js'
import type { Attachment, ChatClient } from './chat-types.js'

/** So many messages wait. */
export const MOST_QUEUED = 5

/** What is written. */
export interface Draft {
  text: string
  attachments: readonly Attachment[]
}

/** One for all composers of a conversation. */
export class Desk {
  #text = ''
  #attachments: readonly Attachment[] = []
  #queue: readonly Draft[] = []
  /** Taken, and neither sent nor back yet. */
  readonly #away = new Set<Draft>()
  /** A message is on its way to the host. */
  sending = false
  /** A draft goes as soon as the answer is stopped: the queue waits for the next one. */
  instead = false
  /** The answer whose end was seen: two composers see it. */
  #over: MessageView | undefined
  readonly #listeners = new Set<() => void>()
  readonly #keep: (text: string) => void

  /**
   * `text`: of before. `keep` gets what would be lost with the page: the text, behind those that wait and those on
   * their way.
   */
  constructor(text = '', keep: (text: string) => void = () => {}) {
    this.#text = text
    this.#keep = keep
  }

  get text(): string {
    return this.#text
  }

  set text(text: string) {
    this.#text = text
    this.#tell()
  }

  get attachments(): readonly Attachment[] {
    return this.#attachments
  }

  set attachments(all: readonly Attachment[]) {
    this.#attachments = [...all]
    this.#tell()
  }

  get queue(): readonly Draft[] {
    return this.#queue
  }

  /** Calls `listener` with every change. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(): void {
    this.#keep(joined(...this.#away, ...this.#queue, this))
    for (const listener of this.#listeners) listener()
  }

  get empty(): boolean {
    return this.text.trim() === '' && this.attachments.length === 0
  }

  /** Takes what is written away: it is kept until it is `gone`, or `back`. */
  take(): Draft {
    const { text, attachments } = this
    const draft = { text, attachments }
    this.#away.add(draft)
    this.text = ''
    this.attachments = []
    return draft
  }

  /** A draft that was taken is sent, or somebody else's. */
  gone(draft: Draft): void {
    this.#away.delete(draft)
    this.#tell()
  }

  /** What is written waits. Returns false where too much does. */
  enqueue(): boolean {
    if (this.#queue.length >= MOST_QUEUED) return false
    const draft = this.take()
    this.#queue = [...this.#queue, draft]
    this.gone(draft)
    return true
  }

  /** Takes the first that waits: see `take`. */
  next(): Draft | undefined {
    const [next, ...rest] = this.#queue
    this.#queue = rest
    if (next) this.#away.add(next)
    this.#tell()
    return next
  }

  /** What waited is a draft again: nothing that was written is lost. */
  unqueue(...drafts: readonly Draft[]): void {
    this.#queue = this.#queue.filter((one) => !drafts.includes(one))
    this.back(...drafts)
  }

  /**
   * An answer is over: what is sent next. Where it did not end well, what waits is a draft again, for a person to look
   * at.
   */
  over(answer: MessageView | undefined): Draft | undefined {
    if (this.instead || (answer !== undefined && answer === this.#over)) return undefined
    this.#over = answer
    if (answer?.outcome === 'completed') return this.next()
    if (this.#queue.length > 0) this.unqueue(...this.#queue)
    return undefined
  }

  /** Puts drafts in front of what is written. */
  back(...drafts: readonly Draft[]): void {
    for (const draft of drafts) this.#away.delete(draft)
    this.text = joined(...drafts, this)
    this.attachments = [...drafts.flatMap(({ attachments }) => attachments), ...this.attachments]
  }
}

const joined = (...drafts: readonly Pick<Draft, 'text'>[]): string =>
  drafts
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '')
    .join('\n\n')

const desks = new WeakMap<ChatClient, Map<string, Desk>>()

/** The one of a conversation, in this window. */
export function deskOf(client: ChatClient, conversation: string): Desk {
  const all = desks.get(client) ?? new Map<string, Desk>()
  desks.set(client, all)
  const desk =
    all.get(conversation) ??
    new Desk(client.drafts?.load(conversation), (text) => client.drafts?.save(conversation, text))
  all.set(conversation, desk)
  return desk
}
