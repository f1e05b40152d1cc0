// Stores conversations as files: each has a folder with a log of its entries, and its pictures and files.
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { isRef, refsOf } from './blobs.js'
import { checkChange, checkEntryId, checkId, checkTitle } from './check-change.js'
import { appendAt, attempt, locked, orNull, replaceFile, stampOf } from './disk.js'
import { EntryTree } from './entry-tree.js'
import { withOwn } from './own-members.js'
import { folderNameOf, isFolderName } from './file-names.js'
import { compact, headerOf, lineOf, readLog, shownTitle, type Log } from './log-file.js'
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
import {
  refuseEncrypted,
  refuseEncryptedPicture,
  stored,
  type ConversationStoreOptions,
} from './encrypted-conversations.js'
import type {
  ConversationChange,
  Conversation,
  ConversationInfo,
  Conversations,
  ConversationEntry,
  FoundInStore,
} from './conversation-types.js'

/**
 * Keeps conversations in a folder, created with the first conversation: `<folder>/<id>/conversation.jsonl`, pictures
 * and files beside it. Any number of processes may use it at the same time. Files are checked when they are read: an error names
 * file and line, does not hide other conversations, and a damaged file is never overwritten. Throws SluiceError
 * `option` if `folder` is not a path.
 */
export function fileConversations(folder: string, options: ConversationStoreOptions = {}): Conversations {
  if (typeof folder !== 'string' || folder === '')
    throw new SluiceError({ code: 'option', path: 'folder', detail: 'expected the path of a folder' })
  return stored((takesEncrypted) => new FileConversations(resolve(folder), takesEncrypted), options)
}

const LOG = 'conversation.jsonl'
/** The log is rewritten once more than this many entries were replaced, and more than are left. */
const MAX_DEAD = 20

class FileConversations implements Conversations {
  readonly #folder: string
  readonly #takesEncrypted: boolean
  /** List items by folder name, valid until the log changes. */
  readonly #infos = new Map<string, { stamp: string; info: ConversationInfo }>()
  /** The log that was changed last: the next change is usually to the same one. */
  #last: { stamp: string; log: Log } | undefined

  constructor(folder: string, takesEncrypted: boolean) {
    this.#folder = folder
    this.#takesEncrypted = takesEncrypted
  }

  async list(options: ListOptions = {}): Promise<ConversationInfo[]> {
    checkList(options)
    const { query } = options
    const infos: ConversationInfo[] = []
    for (const name of await this.#names()) {
      const info = await this.#info(name)
      if (!info) continue
      const found =
        fits(query, info.title, []) ||
        (info.damaged === undefined && fits(query, '', (await this.#read(name))?.tree.entries ?? []))
      if (found) infos.push({ ...info })
    }
    return pageOf(infos, options)
  }

  async load(id: string): Promise<Conversation | null> {
    checkId(id)
    const log = await this.#readOf(id)
    return log && { id, title: shownTitle(log), head: log.tree.head, entries: [...log.tree.entries], ...log.own }
  }

  async save(id: string, change: ConversationChange): Promise<void> {
    checkId(id)
    await this.#change(id, true, async (log) => {
      const { entries, bodies, head, own, isOwnAlone } = checkChange(
        change,
        (one) => log.tree.get(one)?.parent,
        this.#takesEncrypted,
      )
      for (const { ref, bytes } of change.blobs ?? []) await this.#saveBlob(join(this.#pathOf(id), ref), bytes)
      const at = Date.now()
      if (!isOwnAlone || log.updated === 0) log.updated = at
      if (own) log.own = withOwn(log.own, own)
      log.dead += entries.filter((entry) => log.tree.has(entry.id)).length
      log.tree.apply({ entries: bodies.map((body) => JSON.parse(body) as ConversationEntry), head })
      return log.dead > MAX_DEAD && log.dead > log.tree.size
        ? ANEW
        : lineOf({ at, head, ...(own ? { own: log.own } : {}) }, bodies)
    })
  }

  async rename(id: string, title: string): Promise<boolean> {
    checkId(id)
    if (!this.#takesEncrypted) checkTitle(title)
    return await this.#change(id, false, async (log) => {
      log.title = title
      return lineOf({ at: Date.now(), title })
    })
  }

  /** Rewrites the log, so that deleted entries are no longer on the disk. */
  async delete(id: string, entry?: string): Promise<boolean> {
    checkId(id)
    checkEntryId(entry, 'entry')
    if (entry === undefined) return await this.#delete(id)
    return await this.#change(id, false, async (log) => {
      if (log.tree.delete(entry).length === 0) return null
      log.updated = Date.now()
      return ANEW
    })
  }

  async search(query: string, options: SearchOptions = {}): Promise<FoundInStore[]> {
    checkSearch(query, options)
    let found: FoundInStore[] = []
    for (const name of await this.#names()) {
      const log = (await this.#info(name))?.damaged === undefined ? await this.#read(name) : null
      if (log) found = found.concat(foundIn({ id: log.id, title: shownTitle(log) }, log.tree.entries, query))
    }
    return newestOf(found, options)
  }

  async export(id: string, as: 'json' | 'markdown'): Promise<string | null> {
    return await exportFrom(this, id, as)
  }

  async bytes(id: string, ref: string): Promise<Uint8Array | null> {
    checkId(id)
    const path = join(this.#pathOf(id), ref)
    const bytes = isRef(ref) ? await attempt(path, () => orNull(readFile(path))) : null
    if (!this.#takesEncrypted) refuseEncryptedPicture(bytes, ref, path)
    return bytes
  }

  async path(id: string, ref: string): Promise<string | null> {
    checkId(id)
    const path = join(this.#pathOf(id), ref)
    return isRef(ref) && (await attempt(path, () => stampOf(path))) !== null ? path : null
  }

  // -- reading --------------------------------------------------------------------------------------------------------

  #pathOf(id: string): string {
    return join(this.#folder, folderNameOf(id))
  }

  /** Names of folders that can be conversations. */
  async #names(): Promise<string[]> {
    const found = await attempt(this.#folder, () => orNull(readdir(this.#folder, { withFileTypes: true })))
    return (found ?? []).filter((one) => one.isDirectory() && isFolderName(one.name)).map(({ name }) => name)
  }

  async #read(name: string): Promise<Log | null> {
    const path = join(this.#folder, name, LOG)
    const bytes = await attempt(path, () => orNull(readFile(path)))
    const log = bytes && readLog(path, bytes)
    if (log && !this.#takesEncrypted) refuseEncrypted(log.title, log.own, log.tree.entries, path)
    return log
  }

  async #readOf(id: string): Promise<Log | null> {
    const log = await this.#read(folderNameOf(id))
    if (log && log.id !== id)
      throw new SluiceError({
        code: 'storage',
        path: join(this.#pathOf(id), LOG),
        detail: `it belongs to the conversation ${JSON.stringify(log.id.slice(0, 60))}`,
      })
    return log
  }

  async #info(name: string): Promise<ConversationInfo | null> {
    const path = join(this.#folder, name, LOG)
    const stamp = await attempt(path, () => stampOf(path))
    if (stamp === null) return null
    const known = this.#infos.get(name)
    if (known?.stamp === stamp) return known.info
    const info = await this.#infoOf(name).catch((error: unknown) => damagedInfo(name, error))
    if (info) this.#infos.set(name, { stamp, info })
    return info
  }

  async #infoOf(name: string): Promise<ConversationInfo | null> {
    const log = await this.#read(name)
    if (!log) return null
    const { id, updated, own, tree } = log
    return infoOf({ id, title: shownTitle(log), updated, head: tree.head, own }, tree.size, tree.get(tree.head))
  }

  // -- writing --------------------------------------------------------------------------------------------------------

  /**
   * Changes a log under its lock. `change` returns the line to write, `ANEW`, or null if there is nothing to do.
   * Resolves to false if there was nothing to do, or if there is no such conversation and `create` is not set.
   */
  async #change(
    id: string,
    create: boolean,
    change: (log: Log) => Promise<string | typeof ANEW | null>,
  ): Promise<boolean> {
    const folder = this.#pathOf(id)
    const path = join(folder, LOG)
    return await attempt(path, async () => {
      if (create) await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      else if ((await stampOf(path)) === null) return false
      return await locked(`${folder}.lock`, async (check) => {
        if (create) await mkdir(folder, { recursive: true, mode: 0o700 }) // under the lock: it may just be deleted
        const stamp = await stampOf(path)
        const known = this.#last?.log.id === id && this.#last.stamp === stamp ? this.#last.log : await this.#readOf(id)
        if (!known && !create) return false
        const log = known ?? { id, title: '', own: {}, updated: 0, tree: new EntryTree(), size: 0, dead: 0 }
        this.#last = undefined // until memory and disk are known to agree
        const line = await change(log)
        if (line !== null) await this.#write(log, path, line, check)
        this.#last = { stamp: (await stampOf(path)) ?? '', log }
        return line !== null
      })
    })
  }

  async #write(log: Log, path: string, line: string | typeof ANEW, check: () => void): Promise<void> {
    const bytes = Buffer.from(line === ANEW ? compact(log) : log.size === 0 ? headerOf(log.id) + line : line)
    if (line !== ANEW && log.size > 0) {
      await appendAt(path, log.size, bytes, check)
      log.size += bytes.length
      return
    }
    await replaceFile(path, bytes, check)
    Object.assign(log, { size: bytes.length, dead: 0 })
    if (line === ANEW) await sweep(path, refsOf(log.tree.entries))
  }

  async #saveBlob(path: string, bytes: Uint8Array): Promise<void> {
    if ((await stampOf(path)) === null) await replaceFile(path, bytes, () => {})
  }

  async #delete(id: string): Promise<boolean> {
    const folder = this.#pathOf(id)
    const path = join(folder, LOG)
    this.#infos.delete(folderNameOf(id))
    return await attempt(path, async () => {
      if ((await stampOf(path)) === null) return false
      return await locked(`${folder}.lock`, async () => {
        const known = (await orNull(rm(path).then(() => true))) ?? false // without its log it is no conversation
        await rm(folder, { recursive: true, force: true })
        return known
      })
    })
  }
}

/** Tells `change` to rewrite the whole log instead of adding a line. */
const ANEW = Symbol('anew')

/** Removes pictures and files that no entry names, and what processes left that were killed in mid-write. */
async function sweep(log: string, refs: Set<string>): Promise<void> {
  const folder = dirname(log)
  for (const name of await readdir(folder))
    if ((isRef(name) && !refs.has(name)) || name.endsWith('.new')) await rm(join(folder, name), { force: true })
}

/** The list shows a file that cannot be read under the name of its folder. */
function damagedInfo(name: string, error: unknown): ConversationInfo {
  return { id: name, title: name, updated: 0, entries: 0, damaged: messageOf(error) }
}
