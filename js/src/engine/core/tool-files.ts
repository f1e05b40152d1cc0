// The files of a conversation, as a tool gets them: a list, and the bytes or a path of each.
import { SluiceError } from './errors.js'
import { array, func, members, shown, text, whole, type Check } from './options.js'

/** A file in the list of a tool. */
export interface ToolFileInfo {
  /** By which the model names it, such as `file_3fa2c1`. */
  readonly ref: string
  /** What it is called. It may hold anything but never becomes a path. */
  readonly name: string
  readonly mediaType: string
  /** Its size in bytes. */
  readonly bytes: number
}

/** A file, with its bytes for a tool. */
export interface ToolFile extends ToolFileInfo {
  /** Its bytes. Rejects with SluiceError `not_found` if they are gone. */
  read(): Promise<Uint8Array>
  /**
   * The path of a file with its bytes, for reading only: it may be the file of the store. A copy is removed when the
   * turn ends. Rejects with SluiceError `not_found` if the bytes are gone, and with `state` after the end of the turn.
   */
  path(): Promise<string>
}

const NAMED = 5

/** @internal */
export const checkFiles: Check = (value, path) => {
  array(value, path)
  const check = members({
    members: {
      ref: text,
      name: text,
      mediaType: text,
      bytes: whole(0),
      read: func('() => Promise<Uint8Array>'),
      path: func('() => Promise<string>'),
    },
    needs: ['ref', 'name', 'mediaType', 'bytes', 'read', 'path'],
    open: true,
  })
  for (const [index, file] of (value as unknown[]).entries()) check(file, `${path}[${index}]`)
}

/** @internal The files of a run: made into lists when the first tool asks. */
export class ToolFiles {
  readonly #given: readonly ToolFile[]
  #list: readonly ToolFileInfo[] | undefined
  #byRef: Map<string, ToolFile> | undefined

  constructor(given: readonly ToolFile[] = []) {
    this.#given = given
  }

  get list(): readonly ToolFileInfo[] {
    return (this.#list ??= Object.freeze(
      this.#given.map(({ ref, name, mediaType, bytes }) => Object.freeze({ ref, name, mediaType, bytes })),
    ))
  }

  /** Models copy a ref with the bracket of its line, or leave out `file_`. Throws SluiceError `not_found`. */
  find(given: unknown): ToolFile {
    this.#byRef ??= new Map(this.#given.map((file) => [file.ref, file]))
    const plain = typeof given === 'string' ? given.trim().replace(/^\[|\]$/g, '') : ''
    const file = this.#byRef.get(plain) ?? this.#byRef.get(`file_${plain}`)
    if (file) return file
    const refs = this.#given.slice(-NAMED).map(({ ref }) => ref)
    throw new SluiceError({
      code: 'not_found',
      path: 'ref',
      detail: `there is no file ${shown(given)}, expected ${refs.length > 0 ? `one of ${refs.join(', ')}` : 'none: the conversation has no files'}`,
    })
  }
}
