// Tools that a server refused, so that the next turn does not ask it again. Kept for one engine, by server and model.

/** Servers and models that are remembered; those used longest ago are forgotten first. */
const MOST = 200

export class RefusedTools {
  readonly #all = new Map<string, Set<string>>()

  /** The names of the tools that this server refused for this model: what is added is remembered. */
  of({ wire, endpoint }: { wire: string; endpoint: string }, model: string): Set<string> {
    const key = `${wire} ${endpoint} ${model}`
    const refused = this.#all.get(key) ?? new Set<string>()
    this.#all.delete(key)
    this.#all.set(key, refused) // behind the others
    for (const [oldest] of this.#all) if (this.#all.size > MOST) this.#all.delete(oldest)
    return refused
  }

  /** The tools are others now. */
  forget(): void {
    this.#all.clear()
  }
}
