import { refsOf } from './blobs.js'
import { checkList, checkSearch, exportFrom, fits, foundIn, newestOf, pageOf, type ListOptions, type SearchOptions } from './query.js'
import { applyChange, checkChange, checkEntryId, checkId, checkTitle, removeEntry, type Tree } from './tree.js'
import type { Change, Conversation, ConversationInfo, Conversations, Entry, Found } from './types.js'
import { titleOf } from './words.js'

/** Keeps conversations in memory, until the process ends. */
export function memory(): Conversations {
  return new MemoryConversations()
}

interface Kept extends Tree {
  title: string
  updated: number
  blobs: Map<string, Uint8Array>
}

/** @internal */
export class MemoryConversations implements Conversations {
  readonly #kept = new Map<string, Kept>()

  async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    checkList(options)
    const infos = [...this.#kept].flatMap(([id, kept]) => {
      const title = nameOf(kept)
      return fits(options.query, title, kept.entries.values()) ? { id, title, updated: kept.updated, entries: kept.entries.size } : []
    })
    return pageOf(infos, options)
  }

  async load(id: string): Promise<Conversation | null> {
    checkId(id)
    const kept = this.#kept.get(id)
    return kept ? structuredClone({ id, title: nameOf(kept), head: kept.head, entries: [...kept.entries.values()] }) : null
  }

  async save(id: string, change: Change): Promise<void> {
    checkId(id)
    const kept: Kept = this.#kept.get(id) ?? { entries: new Map(), head: null, title: '', updated: 0, blobs: new Map() }
    const { bodies, head } = checkChange(change, (one) => kept.entries.get(one)?.parent)
    applyChange(kept, { entries: bodies.map((body) => JSON.parse(body) as Entry), head })
    for (const { ref, bytes } of change.blobs ?? []) kept.blobs.set(ref, Uint8Array.from(bytes))
    kept.updated = Date.now()
    this.#kept.set(id, kept)
  }

  async rename(id: string, title: string): Promise<boolean> {
    checkId(id)
    checkTitle(title)
    const kept = this.#kept.get(id)
    if (kept) kept.title = title
    return kept !== undefined
  }

  async delete(id: string, entry?: string): Promise<boolean> {
    checkId(id)
    checkEntryId(entry, 'entry')
    if (entry === undefined) return this.#kept.delete(id)
    const kept = this.#kept.get(id)
    if (!kept || removeEntry(kept, entry).length === 0) return false
    this.#sweep(kept)
    kept.updated = Date.now()
    return true
  }

  /** Drops only these entries: what followed them then begins the conversation. */
  forget(id: string, entries: readonly string[]): void {
    const kept = this.#kept.get(id)
    if (!kept) return
    for (const entry of entries) kept.entries.delete(entry)
    if (kept.entries.size === 0) this.#kept.delete(id)
    else this.#sweep(kept)
  }

  #sweep(kept: Kept): void {
    const refs = refsOf(kept.entries.values())
    for (const ref of kept.blobs.keys()) if (!refs.has(ref)) kept.blobs.delete(ref)
  }

  async search(query: string, options: SearchOptions = {}): Promise<Found[]> {
    checkSearch(query, options)
    return newestOf([...this.#kept].flatMap(([id, kept]) => foundIn({ id, title: nameOf(kept) }, kept.entries.values(), query)), options)
  }

  async export(id: string, as: 'json' | 'markdown'): Promise<string | null> {
    return await exportFrom(this, id, as)
  }

  async bytes(id: string, ref: string): Promise<Uint8Array | null> {
    const bytes = this.#kept.get(id)?.blobs.get(ref)
    return bytes ? Uint8Array.from(bytes) : null
  }
}

const nameOf = ({ title, entries }: Kept): string => title || titleOf(entries.values())
