// Which conversations changed, as the host tells it to whoever listens.
import type { ConversationItem } from '../bridge/messages.js'
import type { Call } from './call.js'
import { Listeners } from './listeners.js'

export class LiveList {
  readonly #call: Call
  readonly #listeners = new Listeners<[ConversationItem[]]>()
  /** The host was told that this window listens. */
  #told = false

  /** @internal */
  constructor(call: Call) {
    this.#call = call
  }

  add(listener: (changed: ConversationItem[]) => void): () => void {
    const off = this.#listeners.add(listener)
    this.#tell()
    return off
  }

  receive(items: ConversationItem[]): void {
    this.#listeners.tell(items)
  }

  /** The host knows nothing of this window any more. */
  disconnect(): void {
    this.#told = false
  }

  reconnect(): void {
    if (this.#told || this.#listeners.size === 0) return
    this.#tell()
  }

  close(): void {
    this.#listeners.clear()
  }

  #tell(): void {
    if (this.#told) return
    this.#told = true
    this.#call('watchConversations').catch(() => (this.#told = false)) // a window that may not read hears nothing
  }
}
