// Texts that lie where others can read or write: sealed by AES-256-GCM, each for its place.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { is } from '../../engine/core/options.js'

const MARK = 'sealed:1:'
const IV = 12
const TAG = 16

const isKey = (value: unknown): boolean => value instanceof Uint8Array && value.length === 32

/** @internal 32 bytes, or several such keys. */
export const checkKeys = is(
  '32 bytes, or an array of such keys',
  (value) => isKey(value) || (Array.isArray(value) && value.length > 0 && value.every(isKey)),
)

/** @internal What seals texts and opens them; without a key both leave them as they are. */
export class Sealing {
  /** The first one seals, all of them open. */
  readonly #keys: readonly Uint8Array[]

  constructor(keys: Uint8Array | readonly Uint8Array[]) {
    this.#keys = keys instanceof Uint8Array ? [keys] : keys
  }

  /** A sealed text opens at its place alone. */
  seal(place: string, text: string): string {
    const [key] = this.#keys
    if (!key) return text
    const iv = randomBytes(IV)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
    return (
      MARK + Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
    )
  }

  /** The text, or why it cannot be had. */
  open(place: string, kept: string): { text: string } | { why: string; hint?: string } {
    const sealed = kept.startsWith(MARK)
    if (this.#keys.length === 0)
      return sealed ? { why: 'it is sealed', hint: 'give `seal` the key that it was sealed with' } : { text: kept }
    // Whoever can write there, but has no key, must not get anything believed.
    if (!sealed) return { why: 'it is not sealed, and a key was given' }
    const bytes = Buffer.from(kept.slice(MARK.length), 'base64')
    for (const key of this.#keys) {
      const text = opened(key, bytes, place)
      if (text !== undefined) return { text }
    }
    return {
      why: 'it was sealed with another key, or changed since',
      hint: 'give `seal` the key that it was sealed with: [new, old]',
    }
  }
}

function opened(key: Uint8Array, bytes: Buffer, place: string): string | undefined {
  if (bytes.length < IV + TAG) return undefined
  try {
    const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV), { authTagLength: TAG })
      .setAuthTag(bytes.subarray(-TAG))
      .setAAD(Buffer.from(place))
    return Buffer.concat([cipher.update(bytes.subarray(IV, -TAG)), cipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
