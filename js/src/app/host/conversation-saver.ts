// Saves a conversation, one save at a time. If the store fails, what was said waits here until it is saved.
import type { Conversations, ConversationEntry, StoredBlob } from '../conversations/conversation-types.js'
import type { OwnChange } from '../conversations/own-members.js'

/** When a save that failed is tried again: at first, then in twice the time, */
const AGAIN_MS = 1000
/** but at least so often. */
const AGAIN_MOST_MS = 60_000

export interface SaverOptions {
  store: Conversations
  /** Id of the conversation. */
  conversation: string
  /** An entry as it is now; undefined if it was removed. */
  entry: (id: string) => ConversationEntry | undefined
  /** The end of the shown branch, as the store may know it. */
  head: () => string | null
  onTrouble: () => void
  /** The store did not take what was said. */
  onUnsaved: (conversation: string, error: unknown) => void
}

export class ConversationSaver {
  readonly #options: SaverOptions
  /** Ids of entries to save. */
  readonly #unsaved = new Set<string>()
  #headUnsaved = false
  /** What of the app's own members is to be saved. */
  #own: OwnChange | undefined
  readonly #blobs = new Map<string, Uint8Array>()
  #saving: Promise<void> | undefined
  #trouble: string | undefined
  #failures = 0
  #again: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: SaverOptions) {
    this.#options = options
  }

  /** Something is not saved yet. */
  get waits(): boolean {
    return this.#unsaved.size > 0 || this.#headUnsaved || this.#own !== undefined
  }

  /** The save that is going on. */
  get saving(): Promise<void> | undefined {
    return this.#saving
  }

  /** Why the last save failed, in words for people. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** The entry is not saved yet. */
  has(id: string): boolean {
    return this.#unsaved.has(id)
  }

  /** Bytes that are not saved yet. */
  bytes(ref: string): Uint8Array | undefined {
    return this.#blobs.get(ref)
  }

  /** The next save has the entry. */
  add(id: string): void {
    this.#unsaved.add(id)
  }

  addBlobs(blobs: readonly StoredBlob[]): void {
    for (const { ref, bytes } of blobs) this.#blobs.set(ref, bytes)
  }

  /** The next save has the end of the shown branch. */
  addHead(): void {
    this.#headUnsaved = true
  }

  /** The next save has these members of the app's own. */
  addOwn(change: OwnChange): void {
    this.#own = { ...this.#own, ...change }
  }

  /** These entries were removed. */
  drop(ids: Iterable<string>): void {
    for (const id of ids) this.#unsaved.delete(id)
  }

  /** Forgets the head, the blobs and the failures: a save would create the conversation again. */
  clear(): void {
    this.#headUnsaved = false
    this.#own = undefined
    this.#blobs.clear()
    this.#failures = 0
    this.#trouble = undefined
    clearTimeout(this.#again)
  }

  /** Saves what is not saved. Resolves when the store took it, or failed. */
  async saved(): Promise<void> {
    if (this.waits) this.save()
    await this.#saving
  }

  /** Nothing is saved any more. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#again)
  }

  save(): void {
    clearTimeout(this.#again)
    this.#saving ??= this.#write()
  }

  /** The disk may have room again, the server may be back: nobody has to say something for it. */
  #saveLater(): void {
    if (this.#closed) return
    const wait = Math.min(AGAIN_MS * 2 ** this.#failures++, AGAIN_MOST_MS)
    this.#again = setTimeout(() => this.save(), wait).unref()
  }

  async #write(): Promise<void> {
    await null // with everything else that happens in this moment
    try {
      while (this.waits) if (!(await this.#writeOnce())) return this.#saveLater()
    } finally {
      this.#saving = undefined
    }
  }

  async #writeOnce(): Promise<boolean> {
    const { store, conversation, entry, head: headOf, onUnsaved } = this.#options
    const ids = [...this.#unsaved]
    const own = this.#own
    const isOwnAlone = ids.length === 0 && !this.#headUnsaved
    const entries = ids.flatMap((id) => entry(id) ?? [])
    const head = isOwnAlone ? null : headOf()
    const blobs = [...this.#blobs].map(([ref, bytes]) => ({ ref, bytes }))
    this.#unsaved.clear()
    this.#headUnsaved = false
    this.#own = undefined
    try {
      await store.save(conversation, { entries, blobs, ...(head === null ? {} : { head }), ...own })
      for (const { ref } of blobs) this.#blobs.delete(ref)
      this.#failures = 0
      this.#tell(undefined)
      return true
    } catch (error) {
      const since = [...this.#unsaved]
      this.#unsaved.clear()
      for (const id of [...ids, ...since]) if (entry(id)) this.#unsaved.add(id) // in their order: parents first
      this.#headUnsaved = true
      if (own) this.#own = { ...own, ...(this.#own as OwnChange | undefined) }
      onUnsaved(conversation, error)
      this.#tell(error)
      return false
    }
  }

  #tell(error: unknown): void {
    const trouble = error === undefined ? undefined : troubleOf(error)
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.#options.onTrouble()
  }
}

/** Leaves out the path: that is for the developer. */
function troubleOf(error: unknown): string {
  const { code, detail } = (error ?? {}) as { code?: unknown; detail?: unknown }
  return code === 'storage' && typeof detail === 'string'
    ? detail
    : 'the conversation could not be saved; the log of the app says why'
}
