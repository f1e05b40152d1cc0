// The voices that a chat can end: the one that the page gave it, and that of the pet in another window. No DOM.
import type { ChatSpeaker, ChatVoice } from './chat-types.js'

export class Voices {
  readonly #changed: () => void
  #own: ChatSpeaker | undefined
  #others: ChatVoice | undefined
  #off: (() => void) | undefined

  /** `changed`: what they do may be something else than before. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Follows these from now on. */
  follow(own: ChatSpeaker | undefined, others: ChatVoice | undefined): void {
    if (own === this.#own && others === this.#others && this.#off) return
    this.leave()
    this.#own = own
    this.#others = others
    const offs = [own?.subscribe?.(this.#changed), others?.subscribe?.(this.#changed)]
    this.#off = () => offs.forEach((off) => off?.())
  }

  leave(): void {
    this.#off?.()
    this.#off = undefined
  }

  /** One of them can read a text aloud. */
  get reads(): boolean {
    return this.#own !== undefined
  }

  /** One of them is heard. */
  get speak(): boolean {
    return speaks(this.#own) || speaks(this.#others)
  }

  say(text: string): void {
    this.stop('another text')
    this.#own?.say(text)
  }

  stop(why: string): void {
    this.#own?.stop(why)
    // the host is gone: the chat says so
    if (speaks(this.#others)) void Promise.resolve(this.#others?.stop(why)).catch(() => {})
  }
}

const speaks = (voice: ChatVoice | undefined): boolean => voice?.state === 'speaking'
