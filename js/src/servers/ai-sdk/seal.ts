// Encrypts what a page keeps for the server, so that nobody there can read or change it. Each conversation has a key of
// its own.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { is } from '../../engine/core/options.js'

/** At least 32 characters or bytes that nobody can guess; of several the first one seals, and all of them open. */
export type Secret = string | Uint8Array | readonly (string | Uint8Array)[]

const isSecret = (value: unknown): boolean =>
  (typeof value === 'string' || value instanceof Uint8Array) && value.length >= 32
export const checkSecret = is('a secret of at least 32 characters or bytes, or a list of such', (value) =>
  Array.isArray(value) ? value.length > 0 && value.every(isSecret) : isSecret(value),
)

const MARK = 'v1.'
const NONCE = 12
const TAG = 16

export class Seal {
  readonly #secrets: readonly (string | Uint8Array)[]

  constructor(secret: Secret) {
    this.#secrets = typeof secret === 'string' || secret instanceof Uint8Array ? [secret] : [...secret]
  }

  /**
   * AES-256-GCM over a text about `about`, of which the first member is the conversation. It is not packed first: how
   * long it is would tell what is in it.
   */
  seal(about: readonly string[], text: string): string {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', this.#key(0, about), nonce, { authTagLength: TAG })
    cipher.setAAD(bytesOf(about))
    return (
      MARK +
      Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    )
  }

  /** Undefined for what was sealed about something else, with another secret, or not at all. */
  open(about: readonly string[], sealed: string): string | undefined {
    const bytes = Buffer.from(sealed.slice(MARK.length), 'base64url')
    if (!sealed.startsWith(MARK) || bytes.length < NONCE + TAG) return undefined
    for (const at of this.#secrets.keys()) {
      const cipher = createDecipheriv('aes-256-gcm', this.#key(at, about), bytes.subarray(0, NONCE), {
        authTagLength: TAG,
      })
      cipher.setAAD(bytesOf(about))
      cipher.setAuthTag(bytes.subarray(-TAG))
      try {
        return cipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + cipher.final('utf8')
      } catch {}
    }
    return undefined
  }

  #key(at: number, [conversation]: readonly string[]): Buffer {
    return Buffer.from(
      hkdfSync(
        'sha256',
        this.#secrets[at] as string | Uint8Array,
        '',
        JSON.stringify(['sluice/ai-sdk', 'seal', conversation]),
        32,
      ),
    )
  }
}

const bytesOf = (list: readonly string[]): Buffer => Buffer.from(JSON.stringify(list))
