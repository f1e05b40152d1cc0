// The file of a conversation: one line of JSON per change, so that a save costs only what changed. A line counts only
// if it is complete: a reader skips what a crash or a full disk left of the last one, and the next writer cuts it off.
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { isObject, shown } from '../../engine/core/options.js'
import { checkStoredEntry } from './check-change.js'
import { EntryTree } from './entry-tree.js'
import type { ConversationEntry, OwnMembers } from './conversation-types.js'
import { readOwn } from './own-members.js'
import { titleOf } from './words.js'

/** The first line. A later version may write another number, which this one refuses to read. */
interface Header {
  sluice: 1
  id: string
}

/** Any other line. `at` is the time of the change. */
interface Line {
  at: number
  entries?: ConversationEntry[]
  head?: string | null
  title?: string
  /** The app's own members, in the place of those before. */
  own?: OwnMembers
}

/** The content of a file. */
export interface Log {
  id: string
  /** The title given by `rename`, or empty. */
  title: string
  own: OwnMembers
  tree: EntryTree
  updated: number
  /** How many bytes the complete lines have: the next line is written there. */
  size: number
  /** How many entries of the file later lines replaced. */
  dead: number
}

export const headerOf = (id: string): string => `${JSON.stringify({ sluice: 1, id } satisfies Header)}\n`

/** The line of a save. `bodies` are the entries as JSON. */
export function lineOf({ at, head, title, own }: Omit<Line, 'entries'>, bodies: readonly string[] = []): string {
  const rest = JSON.stringify({ head, title, own }).slice(1, -1)
  return `{"at":${at}${bodies.length > 0 ? `,"entries":[${bodies.join(',')}]` : ''}${rest === '' ? '' : `,${rest}`}}\n`
}

/** The shortest log with the same content. */
export function compact({ id, title, updated, tree, own }: Log): string {
  const lines = [...tree.entries].map((entry) => lineOf({ at: updated }, [JSON.stringify(entry)]))
  return (
    headerOf(id) +
    lines.join('') +
    lineOf({ at: updated, head: tree.head }) +
    (title === '' ? '' : lineOf({ at: updated, title })) +
    (Object.keys(own).length === 0 ? '' : lineOf({ at: updated, own }))
  )
}

export const shownTitle = ({ title, tree }: Pick<Log, 'title' | 'tree'>): string => title || titleOf(tree.entries)

/** Reads a log. Throws SluiceError `storage` with the number of the first wrong line. */
export function readLog(path: string, bytes: Buffer): Log {
  const log: Log = { id: '', title: '', own: {}, updated: 0, tree: new EntryTree(), size: 0, dead: 0 }
  let number = 0
  while (log.size < bytes.length) {
    const newline = bytes.indexOf(10, log.size)
    const end = newline < 0 ? bytes.length : newline
    const text = bytes.toString('utf8', log.size, end)
    number++
    const wrong = (at: string, detail: string): SluiceError => damaged(`${path}:${number}${at}`, detail)
    let line: unknown
    try {
      line = JSON.parse(text)
    } catch (error) {
      if (newline < 0 || (newline === bytes.length - 1 && text.includes('\0'))) break // a crash interrupted this write
      throw wrong('', `this is no JSON: ${messageOf(error)}`)
    }
    if (newline < 0) break
    if (number === 1) log.id = readHeader(line, wrong)
    else readLine(log, line, wrong)
    log.size = newline + 1
  }
  if (log.id === '') throw damaged(path, 'it has no first line')
  return log
}

type Wrong = (at: string, detail: string) => SluiceError

const damaged = (path: string, detail: string): SluiceError =>
  new SluiceError({
    code: 'storage',
    path,
    detail: `the file of a conversation is damaged: ${detail}`,
    hint: 'mend or remove the file: until then nothing is written to it',
  })

function readHeader(line: unknown, wrong: Wrong): string {
  const { sluice, id } = (isObject(line) ? line : {}) as Partial<Header>
  if (sluice !== 1 || typeof id !== 'string' || id === '')
    throw wrong('', 'expected {"sluice":1,"id":"…"} as the first line')
  return id
}

function readLine(log: Log, line: unknown, wrong: Wrong): void {
  if (!isObject(line)) throw wrong('', `found ${shown(line)}, expected an object`)
  const { at, entries = [], head, title, own } = line as unknown as Line
  if (typeof at !== 'number') throw wrong('.at', `found ${shown(at)}, expected a time`)
  if (!Array.isArray(entries)) throw wrong('.entries', `found ${shown(entries)}, expected an array`)
  for (const [index, entry] of entries.entries()) {
    try {
      checkStoredEntry(entry, `.entries[${index}]`)
    } catch (error) {
      throw error instanceof SluiceError ? wrong(error.path ?? '', error.detail) : error
    }
    const { id, parent } = entry
    const before = log.tree.get(id)
    if (parent === id || (parent !== null && !log.tree.has(parent)))
      throw wrong(`.entries[${index}].parent`, `there is no entry ${shown(parent)} before it`)
    if (before && before.parent !== parent)
      throw wrong(`.entries[${index}].parent`, `found ${shown(parent)}, expected ${shown(before.parent)}`)
    if (before) log.dead++
    log.tree.put(entry)
  }
  if (head !== undefined && head !== null && !log.tree.has(head))
    throw wrong('.head', `there is no entry ${shown(head)}`)
  if (head !== undefined) log.tree.head = head
  if (own !== undefined) {
    const read = readOwn(own)
    if (!read) throw wrong('.own', `found ${shown(own)}, expected an object`)
    log.own = read
  }
  if (typeof title === 'string') log.title = title
  else if (own === undefined || head !== undefined || entries.length > 0 || log.updated === 0) log.updated = at
}
