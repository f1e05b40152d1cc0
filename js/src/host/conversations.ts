// What was said, by conversation: what windows list and what the model is sent.
import type { ConversationView } from '../bridge/messages.js'
import type { ChatMessage } from '../events.js'
import type { Message } from './message.js'

interface Turn {
  conversation: string
  text: string
  message: Message
  /** What the turn added, once it is over. */
  history: ChatMessage[] | undefined
}

export class Conversations {
  readonly #system: string | undefined
  readonly #keep: number
  /** In the order in which they began. */
  readonly #turns = new Set<Turn>()
  readonly #byId = new Map<string, Turn[]>()
  readonly #messages = new Map<string, Message>()

  constructor(system: string | undefined, keep: number) {
    this.#system = system
    this.#keep = keep
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
    const entries = turns.flatMap<ConversationView['entries'][number]>(({ text, message }) => [
      { role: 'user', text },
      { role: 'assistant', message: message.id },
    ])
    return { id: conversation, entries }
  }

  /** What the model is sent when a person says this. */
  messages(conversation: string, text: string): ChatMessage[] {
    const messages: ChatMessage[] = this.#system === undefined ? [] : [{ role: 'system', content: this.#system }]
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
    return (history) => (turn.history = history)
  }

  #forgetOldest(): void {
    for (const turn of this.#turns) {
      if (this.#turns.size <= this.#keep) return
      if (turn.history) this.#forget(turn)
    }
  }

  #forget(turn: Turn): void {
    this.#turns.delete(turn)
    this.#messages.delete(turn.message.id)
    const left = (this.#byId.get(turn.conversation) ?? []).filter((other) => other !== turn)
    if (left.length > 0) this.#byId.set(turn.conversation, left)
    else this.#byId.delete(turn.conversation)
  }
}
