// The entries of a conversation as a tree. Stores and hosts keep their entries in it.
import type { Checked } from './check-change.js'
import type { Conversation, ConversationEntry } from './conversation-types.js'

/** The branch that ends with `to`, from its beginning. Default: the shown branch. */
export function pathToEntry(
  { entries, head }: Pick<Conversation, 'entries' | 'head'>,
  to: string | null = head,
): ConversationEntry[] {
  return new EntryTree(entries, head).path(to)
}

export class EntryTree {
  /** By id, in the order in which they were first put here: a parent stands before its children. */
  readonly #entries = new Map<string, ConversationEntry>()
  /** How many entries stand before each on its branch, forgotten ones included. */
  readonly #depths = new Map<string, number>()
  /** The depth of an entry without a known parent. */
  #forgotten = 0
  /** The end of the shown branch. */
  head: string | null

  constructor(entries: Iterable<ConversationEntry> = [], head: string | null = null) {
    for (const entry of entries) this.put(entry)
    this.head = head
  }

  get size(): number {
    return this.#entries.size
  }

  get ids(): IterableIterator<string> {
    return this.#entries.keys()
  }

  get entries(): IterableIterator<ConversationEntry> {
    return this.#entries.values()
  }

  has(id: string): boolean {
    return this.#entries.has(id)
  }

  get(id: string | null | undefined): ConversationEntry | undefined {
    return this.#entries.get(id ?? '')
  }

  /** The branch that ends with an entry, from its beginning. */
  path(to: string | null = this.head): ConversationEntry[] {
    const path: ConversationEntry[] = []
    for (let entry = this.get(to); entry; entry = this.get(entry.parent)) path.push(entry)
    return path.reverse()
  }

  /** How many entries stand before this one on its branch, forgotten ones included; undefined: before a new branch. */
  depth(entry: ConversationEntry | undefined): number {
    return (entry && this.#depths.get(entry.id)) ?? this.#forgotten
  }

  children(parent: string | null): ConversationEntry[] {
    return [...this.entries].filter((entry) => entry.parent === parent)
  }

  /** A function that finds the siblings of an entry: those of the same role and parent, itself included. */
  siblings(): (entry: ConversationEntry) => readonly ConversationEntry[] {
    const groups = new Map<string, ConversationEntry[]>()
    const groupOf = ({ role, parent }: ConversationEntry): string => `${role} ${parent ?? ''}`
    for (const entry of this.entries) {
      const group = groups.get(groupOf(entry))
      if (group) group.push(entry)
      else groups.set(groupOf(entry), [entry])
    }
    return (entry) => groups.get(groupOf(entry)) ?? []
  }

  /** Adds an entry, or replaces the one with its id. */
  put(entry: ConversationEntry): void {
    const parent = this.get(entry.parent)
    if (!this.#depths.has(entry.id)) this.#depths.set(entry.id, parent ? this.depth(parent) + 1 : this.#forgotten)
    this.#entries.set(entry.id, entry)
  }

  /** Applies a checked change. */
  apply({ entries, head }: Pick<Checked, 'entries' | 'head'>): void {
    for (const entry of entries) this.put(entry)
    if (head !== undefined) this.head = head
  }

  /** Replaces all entries by those of a store, except the ones in `own`: they stay, even if the store lacks them. */
  load(stored: readonly ConversationEntry[], own: ReadonlySet<string>): void {
    const before = new Map(this.#entries)
    this.#entries.clear()
    for (const entry of stored) this.put(entry)
    for (const [id, entry] of before) if (own.has(id)) this.put(entry)
    for (const id of before.keys()) if (!this.has(id)) this.#depths.delete(id)
  }

  /** Shows the branch through an entry that ends with the newest one. */
  choose(id: string): void {
    this.head = [...this.#from(id)].at(-1) as string
  }

  /** Deletes an entry and all that follows it. Returns their ids; none if the entry is unknown. */
  delete(id: string): string[] {
    const entry = this.get(id)
    if (!entry) return []
    const gone = this.#from(id)
    if (this.head !== null && gone.has(this.head)) this.head = entry.parent
    this.drop(gone)
    return [...gone]
  }

  /** Deletes all entries. Returns their ids. */
  clear(): string[] {
    const gone = [...this.ids]
    this.drop(gone)
    this.head = null
    return gone
  }

  /**
   * Drops an answer, and its question if nothing else follows it. Returns their ids. What followed the answer stays
   * and keeps its depth.
   */
  forget(id: string): string[] {
    const entry = this.get(id)
    if (!entry) return []
    const question = this.get(entry.parent)
    const gone = question && this.children(question.id).length === 1 ? [question.id, id] : [id]
    this.#forgotten = this.depth(entry) + 1
    this.drop(gone)
    if (this.head !== null && gone.includes(this.head)) this.head = [...this.ids].at(-1) ?? null
    return gone
  }

  /** Drops these entries only. What followed them begins a branch. */
  drop(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#entries.delete(id)
      this.#depths.delete(id)
    }
  }

  /** An entry and all that follows it, in their order. */
  #from(id: string): Set<string> {
    const found = new Set([id])
    for (const entry of this.entries) if (entry.parent !== null && found.has(entry.parent)) found.add(entry.id)
    return found
  }
}
