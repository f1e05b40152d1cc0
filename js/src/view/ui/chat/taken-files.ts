// Files that are pasted, dropped or picked, taken in the order in which they were given, however long each takes.
import { attach, isLong, pasted, type Refusal } from './attachment-chips.js'
import type { Desk } from './draft-field.js'

/** What is taken. */
export interface Limits {
  accept: string
  /** What the host takes as files. */
  types: readonly string[]
  maxBytes: number
  maxCount: number
}

export class TakenFiles {
  #last: Promise<void> = Promise.resolve()

  constructor(
    private readonly limitsNow: () => Promise<Limits>,
    private readonly refused: (file: File, why: Refusal) => void,
  ) {}

  /** Adds files: pictures, text, and what the host takes. */
  take(files: Iterable<File>, desk: Desk): Promise<void> {
    const given = [...files] // a browser empties its list
    const done = this.#last.then(() => this.#take(given, desk))
    this.#last = done.catch(() => {})
    return done
  }

  async #take(files: readonly File[], desk: Desk): Promise<void> {
    const limits = await this.limitsNow()
    for (const file of files) {
      const taken = desk.attachments.length >= limits.maxCount ? 'count' : await attach(file, limits)
      const why =
        typeof taken === 'string'
          ? taken
          : desk.attachments.length >= limits.maxCount
            ? 'count'
            : bytesOf(desk) + taken.bytes.length > limits.maxBytes
              ? 'size'
              : undefined
      if (why) this.refused(file, why)
      else if (typeof taken !== 'string') desk.attachments = [...desk.attachments, taken]
      if (why === 'count') return
    }
  }

  /** Takes what was pasted: files, or a text too long for the field. Returns false where it is left to the field. */
  paste(data: DataTransfer | null, desk: Desk, maxCount: number): Promise<void> | boolean {
    const files = [...(data?.files ?? [])]
    const text = data?.getData('text/plain') ?? ''
    if (files.length > 0) return this.take(files, desk)
    if (!isLong(text) || desk.attachments.length >= maxCount) return false
    desk.attachments = [...desk.attachments, pasted(text)]
    return true
  }
}

const bytesOf = ({ attachments }: Desk): number => attachments.reduce((sum, { bytes }) => sum + bytes.length, 0)
