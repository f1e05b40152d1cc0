// Stores turns as files: each has a folder with its row and an inbox, one file for each entry. For a desktop, and for
// servers with few turns.
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { folderNameOf, isFolderName } from '../../app/conversations/file-names.js'
import { attempt, locked, orNull, replaceFile } from '../../app/conversations/disk.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { LockLost } from '../../engine/core/lock-file.js'
import { isObject } from '../../engine/core/options.js'
import { warn } from '../../engine/core/warning.js'
import { faultIn, fits, listed } from './row.js'
import type {
  BlobStore,
  TurnInboxEntry,
  ListedTurnRow,
  TurnRow,
  TurnRowFilter,
  TurnRowPatch,
  TurnStore,
} from './durable-types.js'

/**
 * Keeps turns in a folder, created with the first turn: `<folder>/<id>/turn.json`, what came for it in `inbox/` beside
 * it. Any number of processes may use it at the same time, on one machine. A damaged file is told with its path, and
 * never written over. Throws SluiceError `option` if `folder` is not a path.
 */
export function fileTurns(folder: string): TurnStore {
  return new FileTurns(checkedFolder(folder))
}

/**
 * Keeps blobs in a folder: `<folder>/<id>/<sha256>`. It may be the folder of `fileTurns`. Throws SluiceError `option`
 * if `folder` is not a path.
 */
export function fileBlobs(folder: string): BlobStore {
  return new FileBlobs(checkedFolder(folder))
}

function checkedFolder(folder: unknown): string {
  if (typeof folder !== 'string' || folder === '')
    throw new SluiceError({ code: 'option', path: 'folder', detail: 'expected the path of a folder' })
  return resolve(folder)
}

const OPEN = 'turn.json'
/** Of a turn that is over: who looks for work need not read it. */
const DONE = 'done.json'
/** Where a turn is looked for. One that ended behind the first look, and whose file is gone at the second, is over. */
const EITHER = [DONE, OPEN, DONE]
const INBOX = 'inbox'
const BLOBS = 'blobs'

/** The file of a turn. A later version may write another number, which this one refuses to read. */
interface Kept extends TurnRow {
  sluice: 1
  /** The keys of entries that were used. */
  taken: string[]
}

const of = 'the file of a turn'

class FileTurns implements TurnStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async create(id: string, row: Omit<TurnRow, 'id' | 'rev'>): Promise<boolean> {
    return await this.#changing(id, async (check) => {
      const folder = this.#pathOf(id)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if (await this.#read(id)) return false
      await this.#write({ sluice: 1, ...row, id, rev: 1, taken: [] }, check)
      return true
    })
  }

  async load(id: string): Promise<TurnRow | null> {
    const kept = await this.#read(id)
    if (!kept) return null
    const { sluice: _, taken: __, ...row } = kept
    return row
  }

  async inbox(id: string): Promise<TurnInboxEntry[]> {
    const kept = await this.#read(id)
    return kept ? await this.#entries(kept) : []
  }

  async save(id: string, rev: number, { taken = [], ...patch }: TurnRowPatch): Promise<number | null> {
    return await this.#changing(id, async (check) => {
      const kept = await this.#read(id)
      if (!kept || kept.rev !== rev || kept.phase === 'done') return null
      const next: Kept = { ...kept, ...patch, rev: rev + 1, taken: [...kept.taken, ...taken] }
      await this.#write(next, check)
      const inbox = join(this.#pathOf(id), INBOX)
      if (next.phase === 'done') {
        await rm(join(this.#pathOf(id), OPEN), { force: true })
        await rm(inbox, { recursive: true, force: true })
      } else if (taken.length > 0) {
        const gone = new Set(taken.map(hashOf))
        for (const name of await this.#names(id))
          if (gone.has(name.slice(ORDER + 1))) await rm(join(inbox, name), { force: true })
      }
      return rev + 1
    })
  }

  async push(id: string, { key, entry }: TurnInboxEntry): Promise<boolean> {
    return await this.#changing(id, async (check) => {
      const kept = await this.#read(id)
      if (!kept || kept.phase === 'done' || kept.taken.includes(key)) return false
      const [hash, names] = [hashOf(key), await this.#names(id)]
      if (names.some((name) => name.slice(ORDER + 1) === hash)) return false
      const number = Math.max(kept.taken.length, ...names.map((name) => Number(name.slice(0, ORDER)))) + 1
      const inbox = join(this.#pathOf(id), INBOX)
      await mkdir(inbox, { recursive: true, mode: 0o700 })
      await replaceFile(
        join(inbox, `${String(number).padStart(ORDER, '0')}-${hash}`),
        JSON.stringify({ key, entry }),
        check,
      )
      return true
    })
  }

  async *list(filter: TurnRowFilter = {}): AsyncGenerator<ListedTurnRow, void, undefined> {
    const found = await attempt(this.#folder, () => orNull(readdir(this.#folder, { withFileTypes: true })), of)
    const open = filter.due !== undefined || filter.asking === true // nothing is due or asked once it is done
    for (const { name } of (found ?? []).filter((one) => one.isDirectory() && isFolderName(one.name))) {
      try {
        const kept = await this.#readIn(name, open ? [OPEN] : EITHER)
        if (!kept) continue
        const waits = kept.phase === 'waiting' && filter.due !== undefined && (await this.#entries(kept)).length > 0
        if (fits(kept, filter, waits)) yield listed(kept)
      } catch (error) {
        warn(`a turn is passed over: ${messageOf(error)}`) // it hides no other
      }
    }
  }

  async remove(id: string): Promise<boolean> {
    return await this.#changing(id, async () => {
      const known = (await this.#read(id)) !== null
      await rm(this.#pathOf(id), { recursive: true, force: true })
      return known
    })
  }

  // -- one turn -------------------------------------------------------------------------------------------------------

  #pathOf(id: string): string {
    return join(this.#folder, folderNameOf(id))
  }

  /** Runs `act` while no other process changes the turn. */
  async #changing<T>(id: string, act: (check: () => void) => Promise<T>): Promise<T> {
    const folder = this.#pathOf(id)
    return await attempt(
      folder,
      async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 })
        for (;;) {
          try {
            return await locked(`${folder}.lock`, act)
          } catch (error) {
            // this process slept while it held it: what is there now decides
            if (!(error instanceof LockLost)) throw error
          }
        }
      },
      of,
    )
  }

  async #write(kept: Kept, check: () => void): Promise<void> {
    await replaceFile(join(this.#pathOf(kept.id), kept.phase === 'done' ? DONE : OPEN), JSON.stringify(kept), check)
  }

  async #read(id: string): Promise<Kept | null> {
    const kept = await this.#readIn(folderNameOf(id), EITHER)
    if (kept && kept.id !== id)
      throw damaged(this.#pathOf(id), `it belongs to the turn ${JSON.stringify(kept.id.slice(0, 60))}`)
    return kept
  }

  async #readIn(folder: string, names: readonly string[]): Promise<Kept | null> {
    for (const name of names) {
      const path = join(this.#folder, folder, name)
      const bytes = await attempt(path, () => orNull(readFile(path, 'utf8')), of)
      if (bytes !== null) return parsed(path, bytes)
    }
    return null
  }

  /** The files of its inbox, in order. */
  async #names(id: string): Promise<string[]> {
    const names = (await orNull(readdir(join(this.#pathOf(id), INBOX)))) ?? []
    return names.filter((name) => /^\d{8}-[0-9a-f]{64}$/.test(name)).sort()
  }

  async #entries({ id, taken }: Kept): Promise<TurnInboxEntry[]> {
    const inbox = join(this.#pathOf(id), INBOX)
    const entries: TurnInboxEntry[] = []
    await attempt(
      inbox,
      async () => {
        for (const name of await this.#names(id)) {
          const text = await orNull(readFile(join(inbox, name), 'utf8'))
          const entry = text === null ? undefined : entryOf(join(inbox, name), text)
          // one that was used and is still there: a process was killed behind its save
          if (entry && !taken.includes(entry.key)) entries.push(entry)
        }
      },
      of,
    )
    return entries
  }
}

/** Digits in front of the name of an entry: in which order they came. */
const ORDER = 8
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex')

const damaged = (path: string, detail: string): SluiceError =>
  new SluiceError({
    code: 'storage',
    path,
    detail: `${of} is damaged: ${detail}`,
    hint: 'mend or remove the file: until then nothing is written to it',
  })

function parsed(path: string, text: string): Kept {
  const kept = jsonOf(path, text) as Partial<Kept>
  const { sluice, id, config, taken } = kept
  if (sluice !== 1 || typeof id !== 'string' || typeof config !== 'string' || !Array.isArray(taken))
    throw damaged(path, 'expected {"sluice":1,"id":"…","rev":…,"phase":"…",…}')
  const fault = faultIn(kept)
  if (fault !== undefined) throw damaged(path, fault)
  return kept as Kept
}

function entryOf(path: string, text: string): TurnInboxEntry {
  const { key, entry } = jsonOf(path, text) as Partial<TurnInboxEntry>
  if (typeof key !== 'string' || typeof entry !== 'string') throw damaged(path, 'expected {"key":"…","entry":"…"}')
  return { key, entry }
}

function jsonOf(path: string, text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw damaged(path, `this is no JSON: ${messageOf(error)}`)
  }
  if (!isObject(value)) throw damaged(path, 'expected an object')
  return value
}

class FileBlobs implements BlobStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  async put(id: string, ref: string, text: string): Promise<void> {
    const folder = join(this.#folder, folderNameOf(id), BLOBS)
    const path = join(folder, ref)
    await attempt(
      path,
      async () => {
        if (await orNull(stat(path))) return
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await replaceFile(path, text, () => {})
      },
      'the file of a blob',
    )
  }

  async get(id: string, ref: string): Promise<string | null> {
    const path = join(this.#folder, folderNameOf(id), BLOBS, ref)
    return await attempt(path, () => orNull(readFile(path, 'utf8')), 'the file of a blob')
  }

  async remove(id: string): Promise<void> {
    const path = join(this.#folder, folderNameOf(id), BLOBS)
    await attempt(path, () => rm(path, { recursive: true, force: true }), 'the file of a blob')
  }
}
