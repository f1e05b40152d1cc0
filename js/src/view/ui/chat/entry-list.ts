// The elements of a thread's entries, by id: what stays is the same element. Not lit's `repeat`, which leaves a node
// behind for each that goes.
import { exported } from '../shared/parts.js'
import type { SluiceEntry } from './entry.js'
import './entry.js'
import type { EntryView } from './chat-types.js'

/** What an entry is given. */
export type Given = Partial<SluiceEntry> & { entry: EntryView }

/** So many that come into an empty list were just said; more are a conversation that is opened. */
const JUST_SAID = 2

export class EntryList {
  readonly #known = new Map<string, SluiceEntry>()
  /** What an app puts beside the last entry. */
  readonly #slots = ['actions', 'ways'].map((name) =>
    Object.assign(document.createElement('slot'), { name, slot: name }),
  )

  /** Shows these, in this order, and nothing else, in `parent`. */
  show(parent: Element, shown: readonly Given[]): void {
    const ids = new Set(shown.map(({ entry }) => entry.id))
    for (const [id, element] of this.#known) {
      if (ids.has(id)) continue
      element.remove()
      this.#known.delete(id)
    }
    let next = parent.firstElementChild
    const last = shown.findLastIndex(({ entry }) => this.#known.has(entry.id))
    const opens = this.#known.size === 0 && shown.length > JUST_SAID
    for (const [at, given] of shown.entries()) {
      const element = this.#known.get(given.entry.id) ?? this.#make(given.entry.id, at > last && !opens)
      Object.assign(element, given)
      if (element === next) next = next.nextElementSibling
      else parent.insertBefore(element, next)
      if (given.last && this.#slots[0]?.parentNode !== element) element.append(...this.#slots)
    }
    if (!shown.some(({ last }) => last)) for (const slot of this.#slots) slot.remove()
  }

  /** `fresh`: it was not there when the conversation was opened. */
  #make(id: string, fresh: boolean): SluiceEntry {
    const element = document.createElement('sluice-entry') as SluiceEntry
    if (fresh) element.setAttribute('fresh', '')
    element.setAttribute('part', 'entry')
    element.setAttribute('exportparts', exported.entry)
    this.#known.set(id, element)
    return element
  }
}
