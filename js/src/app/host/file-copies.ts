// Copies of files on the disk, in a folder of this user alone that is removed at the end.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class FileCopies {
  readonly #copies = new Map<string, Promise<string>>()
  #folder: Promise<string> | undefined

  /** The path of the copy, which is made once. `ref`: 64 digits and the ending of a media type, safe as a file name. */
  path(ref: string, read: () => Promise<Uint8Array>): Promise<string> {
    const known = this.#copies.get(ref)
    if (known) return known
    const copy = this.#copy(ref, read)
    this.#copies.set(ref, copy)
    copy.catch(() => this.#copies.delete(ref)) // the next one tries again
    return copy
  }

  async #copy(ref: string, read: () => Promise<Uint8Array>): Promise<string> {
    const bytes = await read()
    const folder = await (this.#folder ??= mkdtemp(join(tmpdir(), 'sluice-files-')))
    const path = join(folder, ref)
    await writeFile(path, bytes, { mode: 0o600 })
    return path
  }

  /** Removes the copies, once those that are being written are there. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#copies.values())
    const folder = await this.#folder?.catch(() => undefined)
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}
