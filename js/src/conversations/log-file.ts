// The file of a conversation: one line of JSON for each change, so that saving costs what is saved. A line is there as a whole or not at all:
// what a crash or a full disk left of the last one is dropped by the next reader and cut off by the next writer.
import { messageOf, SluiceError } from '../core/errors.js'
import { isObject, shown } from '../core/options.js'
import { checkEntry, type Tree } from './tree.js'
import type { Entry } from './types.js'
import { titleOf } from './words.js'

/** The first line. A later version may write another number, and only it can read that. */
interface Header { sluice: 1; id: string }

/** Every other line; `at`: when. */
interface Line { at: number; entries?: Entry[]; head?: string | null; title?: string }

/** What a file says. */
export interface Log extends Tree {
  id: string
  /** What `rename` said, or empty. */
  title: string
  updated: number
  /** Bytes of whole lines: the next line is written here. */
  size: number
  /** How many entries in the file were replaced by later lines. */
  dead: number
}

export const headerOf = (id: string): string => `${JSON.stringify({ sluice: 1, id } satisfies Header)}\n`

/** `bodies`: entries as JSON. */
export function lineOf({ at, head, title }: Omit<Line, 'entries'>, bodies: readonly string[] = []): string {
  const rest = JSON.stringify({ head, title }).slice(1, -1)
  return `{"at":${at}${bodies.length > 0 ? `,"entries":[${bodies.join(',')}]` : ''}${rest === '' ? '' : `,${rest}`}}\n`
}

/** The whole log, as short as it can be. */
export function compact({ id, title, updated, head, entries }: Log): string {
  const lines = [...entries.values()].map((entry) => lineOf({ at: updated }, [JSON.stringify(entry)]))
  return headerOf(id) + lines.join('') + lineOf({ at: updated, head }) + (title === '' ? '' : lineOf({ at: updated, title }))
}

export const shownTitle = ({ title, entries }: Pick<Log, 'title' | 'entries'>): string => title || titleOf(entries.values())

/** Throws SluiceError `storage` with the line where something is wrong. */
export function readLog(path: string, bytes: Buffer): Log {
  const log: Log = { id: '', title: '', updated: 0, head: null, entries: new Map(), size: 0, dead: 0 }
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
      if (newline < 0 || (newline === bytes.length - 1 && text.includes('\0'))) break // it was being written when everything stopped
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
  new SluiceError({ code: 'storage', path, detail: `the file of a conversation is damaged: ${detail}`, hint: 'mend or remove the file: until then nothing is written to it' })

function readHeader(line: unknown, wrong: Wrong): string {
  const { sluice, id } = (isObject(line) ? line : {}) as Partial<Header>
  if (sluice !== 1 || typeof id !== 'string' || id === '') throw wrong('', 'expected {"sluice":1,"id":"…"} as the first line')
  return id
}

function readLine(log: Log, line: unknown, wrong: Wrong): void {
  if (!isObject(line)) throw wrong('', `found ${shown(line)}, expected an object`)
  const { at, entries = [], head, title } = line as unknown as Line
  if (typeof at !== 'number') throw wrong('.at', `found ${shown(at)}, expected a time`)
  if (!Array.isArray(entries)) throw wrong('.entries', `found ${shown(entries)}, expected an array`)
  for (const [index, entry] of entries.entries()) {
    try {
      checkEntry(entry, `.entries[${index}]`)
    } catch (error) {
      throw error instanceof SluiceError ? wrong(error.path ?? '', error.detail) : error
    }
    const { id, parent } = entry
    const before = log.entries.get(id)
    if (parent === id || (parent !== null && !log.entries.has(parent))) throw wrong(`.entries[${index}].parent`, `there is no entry ${shown(parent)} before it`)
    if (before && before.parent !== parent) throw wrong(`.entries[${index}].parent`, `found ${shown(parent)}, expected ${shown(before.parent)}`)
    if (before) log.dead++
    log.entries.set(id, entry)
  }
  if (head !== undefined && head !== null && !log.entries.has(head)) throw wrong('.head', `there is no entry ${shown(head)}`)
  if (head !== undefined) log.head = head
  if (typeof title === 'string') log.title = title
  else log.updated = at
}
