// What stream logs in a database have in common.
import { onAbort } from '../../engine/core/on-abort.js'
import { MOST_MS } from '../../engine/core/options.js'

/** Answers whose writers are remembered. */
const MOST_BEGUN = 10_000
const END_TRIES = 30
const END_RETRY_MS = 1000

/**
 * The numbers of the logs that are being written in this process. What follows must not begin them again, in their
 * middle, where the database lost them; and none is forgotten while its writer lives, however long that is silent.
 */
export class Begun {
  readonly #logNumbers = new Map<string, number>()
  readonly #touch: (id: string, logNumber: number) => Promise<unknown>
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined

  /** @param touch has an answer kept for `keepMs` from now on */
  constructor(keepMs: number, touch: (id: string, logNumber: number) => Promise<unknown>) {
    this.#everyMs = Math.min(Math.max(keepMs / 3, 1), MOST_MS)
    this.#touch = touch
  }

  has(id: string, logNumber: number): boolean {
    return this.#logNumbers.get(id) === logNumber
  }

  add(id: string, logNumber: number): void {
    this.#logNumbers.set(id, logNumber)
    if (this.#logNumbers.size > MOST_BEGUN) this.#logNumbers.delete(this.#logNumbers.keys().next().value as string)
    this.#timer ??= setTimeout(() => void this.#touchAll(), this.#everyMs).unref()
  }

  delete(id: string, logNumber: number): void {
    if (this.has(id, logNumber)) this.#logNumbers.delete(id)
  }

  async #touchAll(): Promise<void> {
    // the next append tells it
    for (const [id, logNumber] of [...this.#logNumbers])
      if (this.has(id, logNumber)) await this.#touch(id, logNumber).catch(() => {})
    this.#timer =
      this.#logNumbers.size === 0 ? undefined : setTimeout(() => void this.#touchAll(), this.#everyMs).unref()
  }
}

/**
 * Says that a log is over, and where that fails says it again later: readers would wait for the rest as long as it
 * is kept. Rejects as the first try does.
 */
export async function endSurely(end: () => Promise<void>): Promise<void> {
  try {
    await end()
  } catch (error) {
    void again(end)
    throw error
  }
}

async function again(end: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < END_TRIES; tries++) {
    await new Promise((resolve) => setTimeout(resolve, END_RETRY_MS).unref())
    try {
      return await end()
    } catch {} // it was told; the database is still away
  }
}

/** Resolves after a while, or when the reader leaves. */
export function delay(ms: number, left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let forget = (): void => {}
    const over = (): void => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(over, ms)
    forget = onAbort(left, over)
  })
}
