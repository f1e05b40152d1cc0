import { refsOf } from './blobs.js'
import { checkChange, checkEntryId, checkId, checkTitle } from './check-change.js'
import { EntryTree } from './entry-tree.js'
import {
  checkList,
  checkSearch,
  exportFrom,
  fits,
  foundIn,
  infoOf,
  newestOf,
  pageOf,
  type ListOptions,
  type SearchOptions,
} from './query.js'
import type {
  ConversationChange,
  Conversation,
  ConversationInfo,
  Conversations,
  ConversationEntry,
  FoundInStore,
  OwnMembers,
} from './conversation-types.js'
import { withOwn } from './own-members.js'
import { titleOf } from './words.js'

/** Keeps conversations in memory, until the process ends. */
export function memoryConversations(): Conversations {
  return new MemoryConversations()
}

interface Kept {
  tree: EntryTree
  title: string
  updated: number
  blobs: Map<string, Uint8Array>
  own: OwnMembers
}

/** @internal */
export class MemoryConversations implements Conversations {
  readonly #kept = new Map<string, Kept>()

  async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    checkList(options)
    const infos = [...this.#kept].flatMap(([id, kept]) => {
      const title = nameOf(kept)
      return fits(options.query, title, kept.tree.entries)
        ? infoOf({ id, title, ...headOf(kept) }, kept.tree.size, kept.tree.get(kept.tree.head))
        : []
    })
    return pageOf(infos, options)
  }

  async load(id: string): Promise<Conversation | null> {
    checkId(id)
    const kept = this.#kept.get(id)
    return kept
      ? structuredClone({
          id,
          title: nameOf(kept),
          head: kept.tree.head,
          entries: [...kept.tree.entries],
          ...kept.own,
        })
      : null
  }

  async save(id: string, change: ConversationChange): Promise<void> {
    checkId(id)
    const kept: Kept = this.#kept.get(id) ?? {
      tree: new EntryTree(),
      title: '',
      updated: 0,
      blobs: new Map(),
      own: {},
    }
    const { bodies, head, own, isOwnAlone } = checkChange(change, (one) => kept.tree.get(one)?.parent)
    kept.tree.apply({ entries: bodies.map((body) => JSON.parse(body) as ConversationEntry), head })
    for (const { ref, bytes } of change.blobs ?? []) kept.blobs.set(ref, Uint8Array.from(bytes))
    if (own) kept.own = withOwn(kept.own, own)
    if (!isOwnAlone || kept.updated === 0) kept.updated = Date.now()
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
    if (!kept || kept.tree.delete(entry).length === 0) return false
    this.#sweep(kept)
    kept.updated = Date.now()
    return true
  }

  /** Drops only these entries: what followed them then begins the conversation. */
  forget(id: string, entries: readonly string[]): void {
    const kept = this.#kept.get(id)
    if (!kept) return
    kept.tree.drop(entries)
    if (kept.tree.size === 0) this.#kept.delete(id)
    else this.#sweep(kept)
  }

  #sweep(kept: Kept): void {
    const refs = refsOf(kept.tree.entries)
    for (const ref of kept.blobs.keys()) if (!refs.has(ref)) kept.blobs.delete(ref)
  }

  async search(query: string, options: SearchOptions = {}): Promise<FoundInStore[]> {
    checkSearch(query, options)
    return newestOf(
      [...this.#kept].flatMap(([id, kept]) => foundIn({ id, title: nameOf(kept) }, kept.tree.entries, query)),
      options,
    )
  }

  async export(id: string, as: 'json' | 'markdown'): Promise<string | null> {
    return await exportFrom(this, id, as)
  }

  async bytes(id: string, ref: string): Promise<Uint8Array | null> {
    const bytes = this.#kept.get(id)?.blobs.get(ref)
    return bytes ? Uint8Array.from(bytes) : null
  }
}

const headOf = ({ tree, updated, own }: Kept): { head: string | null; updated: number; own: OwnMembers } => ({
  head: tree.head,
  updated,
  own,
})
const nameOf = ({ title, tree }: Kept): string => title || titleOf(tree.entries)
