// Encrypts what a store keeps: entries, titles and pictures are texts that only the app can decrypt. The tree that the
// store needs stays readable: ids, parents, times, who spoke, and the hashes of pictures. The store beneath cannot read
// entries, so this one makes titles of first questions, lists by a query, and searches.
import { setImmediate as turn } from 'node:timers/promises'
import { fromBase64, toBase64 } from '../../engine/core/base64.js'
import {
  checkEncryption,
  ENCRYPTED,
  isEncrypted,
  notDecrypted,
  TextCipher,
  type Encryption,
} from '../../engine/core/encryption.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import type { JsonObject } from '../../engine/core/events.js'
import { encode, members } from '../../engine/core/options.js'
import { blobAddress, isBlobOf, refsOf } from './blobs.js'
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
  OwnMembers,
} from './conversation-types.js'
import { ownIn, readOwn, withOwn, type OwnChange } from './own-members.js'
import { titleOf } from './words.js'

/** Options of a store. */
export interface ConversationStoreOptions {
  /** Encrypts entries, titles and pictures before they are stored. Default: they are stored in plain text. */
  encryption?: Encryption | undefined
}

/** An entry as the store beneath has it. It names its pictures, so that the store removes them with it. */
type EncryptedEntry = ConversationEntry & { encrypted?: string }

/** In front of an encrypted title. No person types it. */
const TITLE_MARK = '\u001f'
const ALL = Number.MAX_SAFE_INTEGER
/** Names of the texts, for errors. */
const [ENTRY, TITLE, PICTURE, OWN] = [
  'an entry of the conversation',
  'the title of the conversation',
  'a picture',
  'what the app keeps with the conversation',
]

const checkOptions = members({ members: { encryption: checkEncryption } })

/** A store by its options. `make(true)` gives one that has encrypted entries, and titles of any length. */
export function stored(
  make: (takesEncrypted: boolean) => Conversations,
  options: ConversationStoreOptions,
): Conversations {
  checkOptions(options, 'options')
  return options.encryption === undefined
    ? make(false)
    : new EncryptedConversations(make(true), new TextCipher(options.encryption, 'conversation'))
}

// -- for a store without an encryption --------------------------------------------------------------------------------

/** How the JSON of an encrypted entry begins. */
export const ENCRYPTED_BODY = `{"encrypted":"${ENCRYPTED}`
/** How an encrypted title begins. */
export const ENCRYPTED_TITLE = TITLE_MARK + ENCRYPTED

/** Throws SluiceError `storage` if this conversation is encrypted. */
export function refuseEncrypted(
  title: string,
  own: OwnMembers,
  entries: Iterable<ConversationEntry>,
  path: string,
): void {
  if (title.startsWith(ENCRYPTED_TITLE) || encryptedOwn(own) !== undefined) throw encryptedError(path)
  for (const entry of entries) if (encryptedIn(entry) !== undefined) throw encryptedError(path)
}

/** Throws SluiceError `storage` if this is not the picture, but what encryption wrote of it. */
export function refuseEncryptedPicture(bytes: Uint8Array | null, ref: string, path: string): void {
  if (bytes && isEncrypted(beginOf(bytes)) && !isBlobOf(bytes, ref)) throw encryptedError(path)
}

export const encryptedError = (path: string): SluiceError =>
  notDecrypted(path, 'the conversation is encrypted, and encryption is not given')

const beginOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 16))

// -- the store --------------------------------------------------------------------------------------------------------

class EncryptedConversations implements Conversations {
  readonly #inner: Conversations
  readonly #cipher: TextCipher
  /** First lines of first questions, valid until the conversation changes. */
  readonly #titles = new Map<string, { updated: number; entries: number; title: string }>()
  /** Conversations of which every text was decrypted here. */
  readonly #fitting = new Set<string>()
  /** The last change: changes are stored in their order, however long each encryption takes. */
  #change: Promise<unknown> = Promise.resolve()

  constructor(inner: Conversations, cipher: TextCipher) {
    this.#inner = inner
    this.#cipher = cipher
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
    const entries = await Promise.all(kept.entries.map((entry) => this.#entry(id, entry)))
    const title = await this.#title(id, kept.title)
    const { app: _, ...open } = kept
    const own = await this.#own(id, kept)
    this.#fitting.add(id)
    return { ...open, ...own, title: title || titleOf(entries), entries }
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
        ...(entry.state === undefined ? {} : { state: '' }), // the list says that it waits
        body: encode(entry, `change.entries[${index}]`),
      }
    })
    const { app, configuration, ...members } = ownIn(change) ?? {}
    const pictures = change.blobs?.map(({ ref, bytes }) => ({ ref, text: toBase64(bytes) }))
    await this.#inTurn(id, async () => {
      const entries =
        given &&
        (await Promise.all(
          given.map(
            async ({ body, ...open }): Promise<EncryptedEntry> => ({
              encrypted: await this.#cipher.encrypt(body, [id, 'entry', open.id], ENTRY),
              ...open,
            }),
          ),
        ))
      const blobs =
        pictures &&
        (await Promise.all(
          pictures.map(async ({ ref, text }) => ({
            ref,
            bytes: Buffer.from(await this.#cipher.encrypt(text, [id, 'picture', ref], PICTURE)),
          })),
        ))
      await this.#inner.save(id, {
        ...(entries ? { entries } : {}),
        ...(change.head === undefined ? {} : { head: change.head }),
        ...(blobs ? { blobs } : {}),
        ...members,
        ...(app === undefined && configuration === undefined
          ? {}
          : { app: await this.#encryptedOwn(id, { app, configuration }) }),
      })
    })
  }

  async rename(id: string, title: string): Promise<boolean> {
    checkId(id)
    checkTitle(title)
    return await this.#inTurn(id, async () => {
      const encrypted = title && TITLE_MARK + (await this.#cipher.encrypt(title, [id, 'title'], TITLE))
      return await this.#inner.rename(id, encrypted)
    })
  }

  /** Deletes a whole conversation without its key, too. */
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
    if (!kept) return null
    const text = Buffer.from(kept).toString()
    const bytes = fromBase64(await this.#cipher.decrypt(text, [id, 'picture', ref], PICTURE))
    if (!isBlobOf(bytes, ref)) throw notDecrypted(id, `${PICTURE} is not the one of its name`)
    return bytes
  }

  // -- reading --------------------------------------------------------------------------------------------------------

  /** All conversations. Those that cannot be decrypted have no entries. Other work is done between them. */
  async *#each(): AsyncGenerator<{ info: ConversationInfo; entries: ConversationEntry[] }> {
    for (const info of await this.#inner.list({ limit: ALL })) {
      await turn()
      const kept = info.damaged === undefined ? await this.load(info.id).catch(notStored) : null
      yield { info: kept ? { ...info, title: kept.title } : await this.#shown(info), entries: kept?.entries ?? [] }
    }
  }

  /** Its row of a list: `damaged` if it cannot be decrypted. */
  async #shown(info: ConversationInfo): Promise<ConversationInfo> {
    if (info.damaged !== undefined) return info
    try {
      return { ...info, title: (await this.#title(info.id, info.title)) || (await this.#firstLine(info)) }
    } catch (error) {
      return { ...info, title: info.id, damaged: messageOf(error) }
    }
  }

  async #firstLine({ id, updated, entries }: ConversationInfo): Promise<string> {
    const known = this.#titles.get(id)
    if (known?.updated === updated && known.entries === entries) return known.title
    let title = ''
    for (const entry of (await this.#inner.load(id))?.entries ?? []) {
      if (entry.role === 'user' && (title = titleOf([await this.#entry(id, entry)])) !== '') break
    }
    this.#titles.set(id, { updated, entries, title })
    return title
  }

  async #title(id: string, kept: string): Promise<string> {
    if (kept === '') return ''
    return await this.#cipher.decrypt(kept.startsWith(TITLE_MARK) ? kept.slice(1) : kept, [id, 'title'], TITLE)
  }

  /** What `app` of the store beneath holds: `app` and `configuration`. */
  async #own(id: string, kept: OwnMembers): Promise<OwnMembers> {
    const encrypted = encryptedOwn(kept)
    if (encrypted === undefined) {
      if (kept.app) throw notDecrypted(id, `${OWN} is not encrypted`)
      return {}
    }
    const text = await this.#cipher.decrypt(encrypted, [id, 'own'], OWN)
    return readOwn(JSON.parse(text)) ?? {}
  }

  async #encryptedOwn(id: string, change: OwnChange): Promise<JsonObject> {
    const before = await this.#own(id, (await this.#inner.load(id)) ?? {})
    const given = Object.fromEntries(Object.entries(change).filter(([, member]) => member !== undefined)) as OwnChange
    return { encrypted: await this.#cipher.encrypt(JSON.stringify(withOwn(before, given)), [id, 'own'], OWN) }
  }

  async #entry(id: string, entry: ConversationEntry): Promise<ConversationEntry> {
    const text = await this.#cipher.decrypt(encryptedIn(entry) ?? '', [id, 'entry', entry.id], ENTRY)
    try {
      const own: unknown = JSON.parse(text)
      checkEntry(own, 'entry')
      return own as ConversationEntry
    } catch (cause) {
      throw notDecrypted(id, `${ENTRY} cannot be read: ${messageOf(cause)}`, cause)
    }
  }

  // -- writing --------------------------------------------------------------------------------------------------------

  /** Makes a change after those before, if all that is there can be decrypted. */
  async #inTurn<T>(id: string, act: () => Promise<T>): Promise<T> {
    const done = this.#change.then(async () => {
      if (!this.#fitting.has(id)) await this.load(id)
      return await act()
    })
    this.#change = done.catch(() => {})
    return await done
  }
}

/** The encrypted text of an entry. Undefined for a plain one. */
function encryptedIn(entry: ConversationEntry): string | undefined {
  const { encrypted } = entry as EncryptedEntry
  return typeof encrypted === 'string' && isEncrypted(encrypted) ? encrypted : undefined
}

/** The encrypted text of the app's own members. Undefined: there is none. */
function encryptedOwn({ app }: OwnMembers): string | undefined {
  const encrypted = app?.['encrypted']
  return typeof encrypted === 'string' && isEncrypted(encrypted) ? encrypted : undefined
}

/** One that cannot be read hides no other. */
function notStored(error: unknown): null {
  if (SluiceError.is(error) && error.code === 'storage') return null
  throw error
}
