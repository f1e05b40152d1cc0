// What a person wrote and did not send, by conversation: there again when the page is loaded again, for as long as its
// tab or window is there.

const PREFIX = 'sluice-draft:'
/** How long a text rests before it is written down. A page that goes does it at once. */
const REST_MS = 300

/** `client.drafts`. Where a page may keep nothing (no `sessionStorage`), a draft goes with it. */
export class Drafts {
  readonly #storage = storage()
  /** What is still to be written down. */
  readonly #changed = new Map<string, string>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @internal */
  constructor() {
    if (this.#storage) addEventListener('pagehide', this.#write)
  }

  /** The text; empty where there is none. */
  load(conversation: string): string {
    return this.#changed.get(conversation) ?? this.#attempt((kept) => kept.getItem(PREFIX + conversation)) ?? ''
  }

  /** Keeps a text, in place of the one before; an empty one is forgotten. */
  save(conversation: string, text: string): void {
    if (!this.#storage || text === this.load(conversation)) return
    this.#changed.set(conversation, text)
    this.#timer ??= setTimeout(this.#write, REST_MS)
  }

  /** @internal */
  close(): void {
    this.#write()
    if (this.#storage) removeEventListener('pagehide', this.#write)
  }

  readonly #write = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const [conversation, text] of this.#changed) {
      const key = PREFIX + conversation
      this.#attempt((kept) => kept.removeItem(key)) // an old text is worse than none where the new one has no room
      if (text !== '') this.#attempt((kept) => kept.setItem(key, text))
    }
    this.#changed.clear()
  }

  #attempt<T>(act: (kept: Storage) => T): T | undefined {
    try {
      return this.#storage && act(this.#storage)
    } catch {
      return undefined
    }
  }
}

/** Absent outside of a page; a page without an origin throws. */
function storage(): Storage | undefined {
  try {
    return globalThis.sessionStorage
  } catch {
    return undefined
  }
}
