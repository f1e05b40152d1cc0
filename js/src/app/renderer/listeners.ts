/** Listeners that do not disturb each other: if one throws, the error is reported and the others still run. */
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
      guarded(() => entry.call(...args))
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}

/** Calls a function of the app. What it throws is reported as an uncaught exception, without stopping the caller. */
export function guarded(call: () => void): void {
  try {
    call()
  } catch (error) {
    if (typeof globalThis.reportError === 'function') globalThis.reportError(error)
    else console.error(error)
  }
}
