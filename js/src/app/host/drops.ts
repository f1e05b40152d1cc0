// What is dropped on the pet, whose window may send nothing: it goes to the window in which a person writes, and lies
// there until they send it.
import type { DroppedFile } from '../bridge/messages.js'
import { list, members, refuse, text } from './checks.js'
import type { HostWindow } from './window.js'

const MAX_FILES = 8
/** Of all files of a drop together. */
const MAX_BYTES = 10_000_000
const MAX_CHARACTERS = Math.ceil(MAX_BYTES / 3) * 4

const files = list(
  members<DroppedFile>({ name: text(255, 0), mediaType: text(255, 0), data: text(MAX_CHARACTERS, 0) }),
  MAX_FILES,
)

/** The files of one drop. */
export function checkDropped(value: unknown, path: string): DroppedFile[] {
  const given = files(value, path)
  if (given.reduce((sum, { data }) => sum + data.length, 0) > MAX_CHARACTERS)
    throw refuse('limit', `expected at most ${MAX_BYTES} bytes of files`, { path })
  for (const [index, { data }] of given.entries()) {
    if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
      throw refuse('argument', 'expected base64', { path: `${path}[${index}].data` })
  }
  return given
}

export class Drops {
  /** Windows with a field, the last that told of it at the end. */
  readonly #takers = new Set<HostWindow>()

  take(window: HostWindow, on: boolean): void {
    this.#takers.delete(window)
    if (on) this.#takers.add(window)
  }

  /** Returns false where nobody could take them. */
  give(files: DroppedFile[]): boolean {
    const taker = [...this.#takers].findLast(({ rights }) => rights.chat) // it may have lost the right since it told
    taker?.drop(files)
    return taker !== undefined
  }
}
