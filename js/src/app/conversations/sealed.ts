// Seals what a store keeps: entries, titles and pictures lie there as texts that only the app can open. What the store
// needs to keep its tree stays readable: ids, parents, times, who spoke, and the hashes of pictures. The store beneath
// cannot look into entries, so titles of first questions, lists by a query and searches are made here.
import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { encode, members, withMethods } from '../../engine/core/options.js'
import { blobAddress, refsOf } from './blobs.js'
import {
  checkList,
  checkSearch,
  exportFrom,
  fits,
  foundIn,
  newestOf,
  pageOf,
  type ListOptions,
  type SearchOptions,
} from './query.js'
import { checkChangeShape, checkEntry, checkEntryId, checkId, checkTitle } from './check-change.js'
import type {
  ConversationChange,
  Conversation,
  ConversationInfo,
  Conversations,
  ConversationEntry,
  FoundInStore,
} from './conversation-types.js'
import { titleOf } from './words.js'

/** Two functions that seal texts and open them. */
export interface Encryption {
  /** Seals a text. What it throws or rejects with, the store rejects with, and saves nothing. */
  seal(text: string): string | Promise<string>
  /** Opens what `seal` made. It throws, or rejects, if that was made with another key. */
  open(sealed: string): string | Promise<string>
}

/** Options of a store. */
export interface ConversationStoreOptions {
  /** Seals entries, titles and pictures before they are stored. Default: they are stored as they are. */
  encrypt?: Encryption | undefined
}

/** An entry as the store beneath has it. Its pictures are named, so that they are swept with it. */
type SealedEntry = ConversationEntry & { sealed?: string }

/** In front of a title, and of the bytes of a picture. No person types it. */
const MARK = '\u001fsealed\n'
const ALL = Number.MAX_SAFE_INTEGER

/** As an entry begins in the store beneath. */
export const SEALED_BODY = '{"sealed":'

/** Throws SluiceError `storage` if one of these entries is sealed: they are read without `encrypt`. */
export function refuseSealed(entries: Iterable<ConversationEntry>, path: string): void {
  for (const entry of entries) if ((entry as SealedEntry).sealed !== undefined) throw sealedError(path)
}

export const sealedError = (path: string): SluiceError =>
  new SluiceError({
    code: 'storage',
    path,
    detail: 'the conversation is sealed',
    hint: 'open the store with `encrypt`, as it was when this was saved',
  })

const checkOptions = members({
  members: { encrypt: withMethods('an object with the functions seal and open', 'seal', 'open') },
})

/** A store by its options. `make(true)` gives one that has sealed entries, and titles of any length. */
export function stored(
  make: (takesSealed: boolean) => Conversations,
  options: ConversationStoreOptions,
): Conversations {
  checkOptions(options, 'options')
  return options.encrypt ? new SealedConversations(make(true), options.encrypt) : make(false)
}

class SealedConversations implements Conversations {
  readonly #inner: Conversations
  readonly #encryption: Encryption
  /** First lines of first questions, valid until the conversation changes. */
  readonly #titles = new Map<string, { updated: number; entries: number; title: string }>()
  /** The conversations that this key opens, or that are new. */
  readonly #fitting = new Set<string>()
  /**
   * The change before: changes are stored in the order in which they were asked for, however long their sealing takes.
   */
  #change: Promise<unknown> = Promise.resolve()

  constructor(inner: Conversations, encryption: Encryption) {
    this.#inner = inner
    this.#encryption = encryption
  }

  async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    checkList(options)
    const { query } = options
    if (!query) return await Promise.all((await this.#inner.list(options)).map((info) => this.#shown(info)))
    const infos: ConversationInfo[] = []
    for await (const { info, entries } of this.#each()) if (fits(query, info.title, entries)) infos.push(info)
    return pageOf(infos, options)
  }

  async load(id: string): Promise<Conversation | null> {
    const kept = await this.#inner.load(id)
    if (!kept) return null
    const entries = await Promise.all(kept.entries.map((entry) => this.#openEntry(id, entry)))
    return { ...kept, title: (await this.#openTitle(id, kept.title)) || titleOf(entries), entries }
  }

  async save(id: string, change: ConversationChange): Promise<void> {
    checkId(id)
    checkChangeShape(change, 'change')
    const given = change.entries?.map((entry, index) => {
      checkEntry(entry, `change.entries[${index}]`)
      const parts = [...refsOf([entry])].map((ref) => ({ type: 'image' as const, url: blobAddress({ ref }) }))
      return {
        id: entry.id,
        parent: entry.parent,
        at: entry.at,
        role: entry.role,
        ...(parts.length > 0 ? { parts } : {}),
        body: encode(entry, `change.entries[${index}]`),
      }
    })
    const pictures = change.blobs?.map(({ ref, bytes }) => ({ ref, text: base64(bytes) }))
    await this.#inTurn(id, async () => {
      const entries =
        given &&
        (await Promise.all(
          given.map(
            async ({ body, ...open }): Promise<SealedEntry> => ({ sealed: await this.#seal(id, body), ...open }),
          ),
        ))
      const blobs =
        pictures &&
        (await Promise.all(
          pictures.map(async ({ ref, text }) => ({ ref, bytes: Buffer.from(MARK + (await this.#seal(id, text))) })),
        ))
      await this.#inner.save(id, {
        ...(entries ? { entries } : {}),
        ...(change.head === undefined ? {} : { head: change.head }),
        ...(blobs ? { blobs } : {}),
      })
    })
  }

  async rename(id: string, title: string): Promise<boolean> {
    checkId(id)
    checkTitle(title)
    return await this.#inTurn(
      id,
      async () => await this.#inner.rename(id, title && MARK + (await this.#seal(id, JSON.stringify({ title })))),
    )
  }

  /** A whole conversation can be deleted without its key. */
  async delete(id: string, entry?: string): Promise<boolean> {
    checkId(id)
    checkEntryId(entry, 'entry')
    if (entry !== undefined) return await this.#inTurn(id, () => this.#inner.delete(id, entry))
    this.#fitting.delete(id)
    this.#titles.delete(id)
    return await this.#inner.delete(id)
  }

  async search(query: string, options: SearchOptions = {}): Promise<FoundInStore[]> {
    checkSearch(query, options)
    let found: FoundInStore[] = []
    for await (const { info, entries } of this.#each()) found = found.concat(foundIn(info, entries, query))
    return newestOf(found, options)
  }

  async export(id: string, as: 'json' | 'markdown'): Promise<string | null> {
    return await exportFrom(this, id, as)
  }

  async bytes(id: string, ref: string): Promise<Uint8Array | null> {
    const kept = await this.#inner.bytes(id, ref)
    const text =
      kept && Buffer.from(kept).toString('utf8', 0, MARK.length) === MARK
        ? Buffer.from(kept).toString('utf8', MARK.length)
        : null
    if (text === null) return kept
    const bytes = Buffer.from(await this.#open(id, text), 'base64')
    if (createHash('sha256').update(bytes).digest('hex') !== ref.slice(0, 64))
      throw unopened(id, 'a picture is not what its name says')
    return bytes
  }

  // -- reading --------------------------------------------------------------------------------------------------------

  /** All conversations that can be opened. Between them others have their turn. */
  async *#each(): AsyncGenerator<{ info: ConversationInfo; entries: ConversationEntry[] }> {
    for (const info of await this.#inner.list({ limit: ALL })) {
      await turn()
      const kept = info.damaged === undefined ? await this.load(info.id).catch(notStored) : null
      yield { info: kept ? { ...info, title: kept.title } : await this.#shown(info), entries: kept?.entries ?? [] }
    }
  }

  /** As it stands in a list: one that another key sealed is told as damaged. */
  async #shown(info: ConversationInfo): Promise<ConversationInfo> {
    if (info.damaged !== undefined) return info
    try {
      return { ...info, title: (await this.#openTitle(info.id, info.title)) || (await this.#firstLine(info)) }
    } catch (error) {
      return { ...info, title: info.id, damaged: messageOf(error) }
    }
  }

  async #firstLine({ id, updated, entries }: ConversationInfo): Promise<string> {
    const known = this.#titles.get(id)
    if (known?.updated === updated && known.entries === entries) return known.title
    let title = ''
    for (const entry of (await this.#inner.load(id))?.entries ?? []) {
      if (entry.role === 'user' && (title = titleOf([await this.#openEntry(id, entry)])) !== '') break
    }
    this.#titles.set(id, { updated, entries, title })
    return title
  }

  async #openTitle(id: string, title: string): Promise<string> {
    if (!title.startsWith(MARK)) return title
    return await this.#read(id, title.slice(MARK.length), (value) => {
      checkTitle((value as { title?: unknown } | null)?.title)
      return (value as { title: string }).title
    })
  }

  async #openEntry(id: string, entry: SealedEntry): Promise<ConversationEntry> {
    if (entry.sealed === undefined) return entry
    return await this.#read(id, entry.sealed, (value) => {
      checkEntry(value, 'entry')
      if ((value as ConversationEntry).id !== entry.id)
        throw new Error(`the entry ${entry.id} holds the text of ${(value as ConversationEntry).id}`)
      return value as ConversationEntry
    })
  }

  /** Opens a text of JSON. Some keys do not fail where they do not fit, and give nonsense. */
  async #read<T>(id: string, given: string, take: (value: unknown) => T): Promise<T> {
    const text = await this.#open(id, given)
    try {
      return take(JSON.parse(text))
    } catch (cause) {
      throw unopened(id, cause)
    }
  }

  // -- writing --------------------------------------------------------------------------------------------------------

  /** Changes a conversation behind the changes before, if this key opens what is there. */
  async #inTurn<T>(id: string, act: () => Promise<T>): Promise<T> {
    const done = this.#change.then(async () => {
      await this.#checkFits(id)
      return await act()
    })
    this.#change = done.catch(() => {})
    return await done
  }

  async #checkFits(id: string): Promise<void> {
    if (this.#fitting.has(id)) return
    const kept = await this.#inner.load(id)
    const last = kept?.entries.findLast((entry: SealedEntry) => entry.sealed !== undefined)
    if (last) await this.#openEntry(id, last)
    this.#fitting.add(id)
  }

  // -- the two functions ----------------------------------------------------------------------------------------------

  async #seal(id: string, text: string): Promise<string> {
    let made: unknown
    try {
      made = await this.#encryption.seal(text)
    } catch (cause) {
      throw new SluiceError({
        code: 'storage',
        path: id,
        detail: `the conversation cannot be sealed, and is not saved: ${messageOf(cause)}`,
        cause,
      })
    }
    if (typeof made !== 'string')
      throw new SluiceError({
        code: 'storage',
        path: id,
        detail: `encrypt.seal gave a value of type ${typeof made}, expected a string`,
      })
    return made
  }

  async #open(id: string, text: string): Promise<string> {
    let opened: unknown
    try {
      opened = await this.#encryption.open(text)
    } catch (cause) {
      throw unopened(id, cause)
    }
    if (typeof opened !== 'string')
      throw unopened(id, `encrypt.open gave a value of type ${typeof opened}, expected a string`)
    return opened
  }
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

const unopened = (id: string, cause: unknown): SluiceError =>
  new SluiceError({
    code: 'storage',
    path: id,
    detail: `the conversation cannot be opened: ${typeof cause === 'string' ? cause : messageOf(cause)}`,
    hint: 'give `encrypt` the key that it was sealed with; until then nothing of it is changed',
    cause,
  })

/** One that cannot be read hides no other. */
function notStored(error: unknown): null {
  if (SluiceError.is(error) && error.code === 'storage') return null
  throw error
}
