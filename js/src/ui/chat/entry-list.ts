// The elements of a thread's entries, by id: what stays is the same element. Not lit's `repeat`, which leaves a node behind for each that goes.
import type { SluiceEntry } from './entry.js'
import { entryParts } from '../parts.js'
import './entry.js'
import type { EntryView } from './types.js'

/** What an entry is given. */
export type Given = Partial<SluiceEntry> & { entry: EntryView }

export class EntryList {
  readonly #known = new Map<string, SluiceEntry>()
  /** What an app puts beside the last entry. */
  readonly #slots = ['actions', 'ways'].map((name) => Object.assign(document.createElement('slot'), { name, slot: name }))

  /** Shows these, in this order, and nothing else, in `parent`. */
  show(parent: Element, shown: readonly Given[]): void {
    const ids = new Set(shown.map(({ entry }) => entry.id))
    for (const [id, element] of this.#known) {
      if (ids.has(id)) continue
      element.remove()
      this.#known.delete(id)
    }
    let next = parent.firstElementChild
    for (const given of shown) {
      const element = this.#known.get(given.entry.id) ?? this.#make(given.entry.id)
      Object.assign(element, given)
      if (element === next) next = next.nextElementSibling
      else parent.insertBefore(element, next)
      if (given.last && this.#slots[0]?.parentNode !== element) element.append(...this.#slots)
    }
    if (!shown.some(({ last }) => last)) for (const slot of this.#slots) slot.remove()
  }

  #make(id: string): SluiceEntry {
    const element = document.createElement('sluice-entry') as SluiceEntry
    element.setAttribute('part', 'entry')
    element.setAttribute('exportparts', entryParts)
    this.#known.set(id, element)
    return element
  }
}
