// The files of the branch of a turn, for its tools. Copies on the disk are removed when the turn ends.
import { SluiceError } from '../../engine/core/errors.js'
import type { ToolFile } from '../../engine/core/tool-files.js'
import type { BranchFile, BranchFiles } from '../conversations/branch-files.js'
import { FileCopies } from './file-copies.js'

/** Where the bytes are. */
export interface FileSource {
  bytes(ref: string): Promise<Uint8Array | null>
  /** Of a file that holds nothing but the bytes; null: there is none. */
  path(ref: string): Promise<string | null>
}

export class TurnFiles {
  /** What the tools of the turn get. */
  readonly list: readonly ToolFile[]
  readonly #source: FileSource
  readonly #copies = new FileCopies()
  #closed = false

  constructor(files: BranchFiles, source: FileSource) {
    this.#source = source
    this.list = [...files.values()].map((file) => this.#fileOf(file))
  }

  #fileOf({ number, name, mediaType, bytes, ref }: BranchFile): ToolFile {
    return {
      ref: number,
      name,
      mediaType,
      bytes,
      read: () => this.#read(ref, number),
      path: () => this.#path(ref, number),
    }
  }

  async #read(ref: string, number: string): Promise<Uint8Array> {
    const bytes = await this.#source.bytes(ref)
    if (!bytes) throw new SluiceError({ code: 'not_found', detail: `the bytes of ${number} are gone` })
    return bytes
  }

  async #path(ref: string, number: string): Promise<string> {
    const own = this.#closed ? null : await this.#source.path(ref)
    if (own !== null) return own
    if (this.#closed) throw new SluiceError({ code: 'state', detail: `${number} has no path: the turn has ended` })
    return await this.#copies.path(ref, () => this.#read(ref, number))
  }

  /** The turn has ended: copies are removed. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#copies.close()
  }
}
