// Takes the keys, tokens and passwords of the app out of what an MCP server says.
import { messageOf } from '../../engine/core/errors.js'
import { isObject } from '../../engine/core/options.js'
import { hideSecrets, secretTexts } from '../../engine/core/secrets.js'

/** Takes the app's secrets out of everything that one server says. */
export class Clean {
  readonly #secrets: readonly string[]

  constructor(secrets: readonly string[] = []) {
    this.#secrets = secretTexts(secrets)
  }

  /**
   * A copy of JSON with `[secret]` in the place of each secret, also in names of members; the very value where there
   * are no secrets.
   */
  json(said: unknown): unknown {
    return this.#secrets.length === 0 ? said : this.#copy(said)
  }

  /**
   * The error with its words, codes and status alone: a secret may be anywhere else in it. The very error where there
   * are no secrets.
   */
  error(thrown: unknown): unknown {
    if (this.#secrets.length === 0) return thrown
    const { code, status, cause } = isObject(thrown)
      ? thrown
      : ({} as { code?: unknown; status?: unknown; cause?: unknown })
    const inner = isObject(cause) ? { cause: { code: this.json(cause['code']) } } : {}
    return Object.assign(new Error(hideSecrets(messageOf(thrown), this.#secrets), inner), {
      code: this.json(code),
      status: this.json(status),
    })
  }

  #copy(said: unknown): unknown {
    if (typeof said === 'string') return hideSecrets(said, this.#secrets)
    if (Array.isArray(said)) return said.map((one) => this.#copy(one))
    if (!isObject(said)) return said
    return Object.fromEntries(
      Object.entries(said).map(([name, value]) => [hideSecrets(name, this.#secrets), this.#copy(value)]),
    )
  }
}
