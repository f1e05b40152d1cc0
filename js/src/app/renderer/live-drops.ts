// What a person drops on the pet in another window, for the field in this one.
import type { DroppedFile } from '../bridge/messages.js'
import type { Call } from './call.js'
import { bytesOf, dataOf } from './attachment.js'

export class LiveDrops {
  readonly #call: Call
  readonly #takers = new Set<{ take: (files: File[]) => void }>()
  /** What the host was sent. */
  #sent = false
  #busy = false

  /** @internal */
  constructor(call: Call) {
    this.#call = call
  }

  add(take: (files: File[]) => void): () => void {
    const taker = { take }
    this.#takers.add(taker)
    void this.#tell()
    return () => {
      this.#takers.delete(taker)
      void this.#tell()
    }
  }

  /** The field that came last takes them. */
  receive(files: DroppedFile[]): void {
    const last = [...this.#takers].at(-1)
    last?.take(
      files.map(({ name, mediaType, data }) => new File([bytesOf(data) as BlobPart], name, { type: mediaType })),
    )
  }

  /** The host knows nothing of this window any more. */
  disconnect(): void {
    this.#sent = false
  }

  reconnect(): void {
    this.#sent = false
    void this.#tell()
  }

  close(): void {
    this.#takers.clear()
  }

  /** One call at a time: over HTTP a second one could overtake the first. */
  async #tell(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    await Promise.resolve() // a field that is moved in the page leaves and comes at once
    for (let on = this.#takers.size > 0; on !== this.#sent; on = this.#takers.size > 0) {
      this.#sent = on
      await this.#call('takeDrops', { on }).catch(() => {}) // a window that may not send takes nothing
    }
    this.#busy = false
  }
}

/** A file as it is handed on. */
export async function droppedOf(file: File): Promise<DroppedFile> {
  return { name: file.name.slice(0, 255), mediaType: file.type.slice(0, 255), data: await dataOf(file) }
}
