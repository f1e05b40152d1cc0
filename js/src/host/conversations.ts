// What was said, by conversation: what windows list and what the model is sent.
import type { ConversationView, EntryView } from '../bridge/messages.js'
import type { ChatMessage } from '../core/events.js'
import type { Message } from './message.js'

interface Turn {
  conversation: string
  text: string
  message: Message
  /** What the turn added, once it is over. */
  history: ChatMessage[] | undefined
}

/** Beyond it nobody is told any more how much of the oldest was forgotten. */
const MAX_FORGOTTEN = 1000

export interface ConversationsOptions {
  system: string | undefined
  /** Turns that are kept, of all conversations. */
  keep: number
  /** A conversation is another than before: it grew, or its oldest turn was forgotten. */
  onChange: (conversation: string) => void
}

export class Conversations {
  readonly #options: ConversationsOptions
  /** In the order in which they began. */
  readonly #turns = new Set<Turn>()
  readonly #byId = new Map<string, Turn[]>()
  /** Entries that are no longer kept, by conversation. */
  readonly #forgotten = new Map<string, number>()
  readonly #messages = new Map<string, Message>()

  constructor(options: ConversationsOptions) {
    this.#options = options
  }

  message(id: string): Message | undefined {
    return this.#messages.get(id)
  }

  /** Messages that go on. */
  get running(): Message[] {
    return [...this.#turns].flatMap(({ history, message }) => (history ? [] : message))
  }

  isRunning(conversation: string): boolean {
    return this.#byId.get(conversation)?.at(-1)?.history === undefined && this.#byId.has(conversation)
  }

  view(conversation: string): ConversationView {
    const turns = this.#byId.get(conversation) ?? []
    const entries = turns.flatMap<EntryView>(({ text, message: { id } }) => [
      { id: `${id}.question`, role: 'user', text },
      { id, role: 'assistant', message: id },
    ])
    return { id: conversation, forgotten: this.#forgotten.get(conversation) ?? 0, entries }
  }

  /** What the model is sent when a person says this. */
  messages(conversation: string, text: string): ChatMessage[] {
    const { system } = this.#options
    const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }]
    let said: string[] = []
    for (const turn of this.#byId.get(conversation) ?? []) {
      said.push(turn.text)
      if (!turn.history?.length) continue // it came to nothing: its question goes with the next, since some templates refuse two in a row
      messages.push({ role: 'user', content: said.join('\n\n') }, ...turn.history)
      said = []
    }
    return [...messages, { role: 'user', content: [...said, text].join('\n\n') }]
  }

  /** A turn that began. What comes back is to be called with what it added. */
  add(conversation: string, text: string, message: Message): (history: ChatMessage[]) => void {
    const turn: Turn = { conversation, text, message, history: undefined }
    this.#turns.add(turn)
    this.#messages.set(message.id, message)
    this.#byId.set(conversation, [...(this.#byId.get(conversation) ?? []), turn])
    this.#forgetOldest()
    this.#options.onChange(conversation)
    return (history) => (turn.history = history)
  }

  #forgetOldest(): void {
    for (const turn of this.#turns) {
      if (this.#turns.size <= this.#options.keep) return
      if (turn.history) this.#forget(turn)
    }
  }

  #forget(turn: Turn): void {
    const { conversation, message } = turn
    this.#turns.delete(turn)
    this.#messages.delete(message.id)
    const left = (this.#byId.get(conversation) ?? []).filter((other) => other !== turn)
    if (left.length > 0) this.#byId.set(conversation, left)
    else this.#byId.delete(conversation)
    const forgotten = this.#forgotten.get(conversation) ?? 0
    this.#forgotten.delete(conversation) // behind the others: it changed last
    this.#forgotten.set(conversation, forgotten + 2)
    const [oldest] = this.#forgotten.keys()
    if (this.#forgotten.size > MAX_FORGOTTEN) this.#forgotten.delete(oldest as string)
    this.#options.onChange(conversation)
  }
}
