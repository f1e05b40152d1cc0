// Which entries of a conversation stand in the page: its end, more above where a person looks there, and never more
// than a bound. No DOM.
import type { ConversationView, EntryView } from './chat-types.js'

/** In the page at once are at most so many, */
export const AT_ONCE = 30
/** and once it has nothing else to do. */
export const FIRST = 100
/** How many come at a time when a person looks further. */
export const STEP = 50
/** More than this are never in the page. */
export const MOST = 300

export class EntryWindow {
  /** Those that were fetched with those of the view, the oldest first. */
  #all: EntryView[] = []
  #conversation: string | undefined
  #from = 0
  #to = 0
  #forgotten = 0
  /** There is nothing in front of the first: nobody need ask again. */
  #begins = false

  /** In the page, the oldest first. */
  get shown(): readonly EntryView[] {
    return this.#all.slice(this.#from, this.#to)
  }

  /** The entry in front of the first one in the page, where it is at hand. */
  get above(): EntryView | undefined {
    return this.#all[this.#from - 1]
  }

  /** The last entries are in the page. */
  get atEnd(): boolean {
    return this.#to === this.#all.length
  }

  /** Where in the conversation the first one in the page stands, from 0. */
  get first(): number {
    return Math.max(0, this.#forgotten) + this.#from
  }

  /** The conversation has so many entries, as far as is known. */
  get size(): number {
    return Math.max(0, this.#forgotten) + this.#all.length
  }

  /** Entries in front of the first are no longer kept. */
  get lost(): boolean {
    return this.#begins && this.#from === 0 && this.#forgotten > 0
  }

  /** The entry in front of which more can be fetched; undefined while there are some at hand, or where it begins. */
  get missing(): string | undefined {
    return this.#from === 0 && !this.#begins && this.#forgotten > 0 ? this.#all[0]?.id : undefined
  }

  /** How many entries stand behind this one. Undefined where it is gone. */
  behind(id: string | undefined): number | undefined {
    const at = this.#all.findIndex((entry) => entry.id === id)
    return at < 0 ? undefined : this.#all.length - 1 - at
  }

  /**
   * The conversation changed. `follow`: its end is looked at. `atOnce`: how many fill the view. Returns true where it
   * is another one, or all of it is new.
   */
  set(view: ConversationView, follow: boolean, atOnce = AT_ONCE): boolean {
    const at = view.entries.length === 0 ? -1 : this.#all.findIndex(({ id }) => id === view.entries[0]?.id)
    const other = view.id !== this.#conversation || at < 0
    const ended = this.atEnd
    const far = Math.min(this.#from, at)
    const gone = other || far <= MOST ? 0 : far // they can be fetched again: a page may stay open for ever
    const before = other ? [] : this.#all.slice(gone, at)
    this.#conversation = view.id
    this.#all = [...before, ...view.entries]
    this.#forgotten = view.forgotten - before.length
    if (gone > 0) this.#begins = false
    this.#from -= gone
    this.#to -= gone
    if (other) {
      this.#begins = false
      this.#to = this.#all.length
      this.#from = Math.max(0, this.#to - atOnce)
    } else {
      this.#to = ended || follow ? this.#all.length : Math.min(this.#to, this.#all.length)
      if (follow) this.#from = Math.max(this.#from, this.#to - MOST)
      this.#from = Math.min(this.#from, Math.max(0, this.#to - 1))
      if (this.#to - this.#from > MOST) this.#to = this.#from + MOST // its reader stays where they are
    }
    return other
  }

  /** Entries in front of `before` were fetched; none: the conversation begins there. */
  add(before: string, entries: readonly EntryView[]): void {
    if (this.#all[0]?.id !== before) return // of another branch meanwhile
    if (entries.length === 0) this.#begins = true
    this.#all = [...entries, ...this.#all]
    this.#from += entries.length
    this.#to += entries.length
    this.#forgotten -= entries.length
    if (entries.length > 0) this.up()
  }

  /** More above; what is far below goes. Returns false where there is nothing at hand. */
  up(): boolean {
    if (this.#from === 0) return false
    this.#from = Math.max(0, this.#from - STEP)
    this.#to = Math.min(this.#to, this.#from + MOST)
    return true
  }

  /** More below; what is far above goes. Returns false at the end. */
  down(): boolean {
    if (this.atEnd) return false
    this.#to = Math.min(this.#all.length, this.#to + STEP)
    this.#from = Math.max(this.#from, this.#to - MOST)
    return true
  }

  /** The end, as at first. */
  end(): void {
    const near = this.#all.length - FIRST
    // what is in the page already stays
    this.#from = Math.max(0, this.#to > near ? Math.max(this.#from, near) : this.#all.length - AT_ONCE)
    this.#to = this.#all.length
  }

  /** So many more above, up to those that are in the page at first. Returns whether some are still to come. */
  fill(count: number): boolean {
    const first = Math.max(0, this.#to - FIRST)
    this.#from = Math.min(this.#from, Math.max(first, this.#from - count))
    return this.#from > first
  }
}
