// What a server says, without what gets the app in at it.
import { messageOf } from '../core/errors.js'
import { isObject } from '../core/options.js'
import { hideSecrets, secretTexts } from '../core/secrets.js'

/** Takes the app's secrets out of everything that one server says. */
export class Clean {
  readonly #secrets: readonly string[]

  constructor(secrets: readonly string[] = []) {
    this.#secrets = secretTexts(secrets)
  }

  /** A copy of JSON with `[secret]` in the place of each secret, also in names of members; the very value where there are no secrets. */
  json(said: unknown): unknown {
    return this.#secrets.length === 0 ? said : this.#copy(said)
  }

  /** The error without secrets; without its `cause` where one stood in it. */
  error(thrown: unknown): unknown {
    const words = messageOf(thrown)
    const clean = hideSecrets(words, this.#secrets)
    if (clean === words) return thrown
    const { code, status } = isObject(thrown) ? thrown : ({} as { code?: unknown; status?: unknown })
    return Object.assign(new Error(clean), { code, status })
  }

  #copy(said: unknown): unknown {
    if (typeof said === 'string') return hideSecrets(said, this.#secrets)
    if (Array.isArray(said)) return said.map((one) => this.#copy(one))
    if (!isObject(said)) return said
    return Object.fromEntries(Object.entries(said).map(([name, value]) => [hideSecrets(name, this.#secrets), this.#copy(value)]))
  }
}
