/** Listeners that do not disturb each other: one that throws is reported, and the others are told. */
export class Listeners<Args extends unknown[] = []> {
  #entries = new Set<{ call: (...args: Args) => void }>()

  get size(): number {
    return this.#entries.size
  }

  /** The same function twice is two listeners. */
  add(call: (...args: Args) => void): () => void {
    const entry = { call }
    this.#entries.add(entry)
    return () => void this.#entries.delete(entry)
  }

  tell(...args: Args): void {
    for (const entry of [...this.#entries]) {
      if (!this.#entries.has(entry)) continue // an earlier one took it away
      try {
        entry.call(...args)
      } catch (error) {
        report(error)
      }
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}

/** As an exception that nobody caught, without ending what goes on. */
function report(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error)
  else console.error(error)
}
