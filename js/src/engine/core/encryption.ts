// Encrypts the texts that stores, stream logs and pages keep: AES-256-GCM by the app's keys, or the app's functions. Each
// text is bound to its place and is decrypted nowhere else.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { messageOf, SluiceError } from './errors.js'
import { shown, withMethods, wrong, type Check } from './options.js'

/** A secret that nobody can guess: a text of at least 32 characters, or at least 32 bytes. */
export type EncryptionKey = string | Uint8Array

/** Two functions that encrypt and decrypt in place of the keys: by a keychain, by a key service, or in a page. */
export interface EncryptionFunctions {
  /**
   * Encrypts a text. `place` names where the text is kept, such as `["turn","t1","state"]`. The text begins with its
   * place, so a function may ignore `place`. If the function throws or rejects, nothing is saved.
   */
  encrypt(text: string, place: string): string | Promise<string>
  /** Decrypts what `encrypt` returned for this place. Throws or rejects if it cannot. */
  decrypt(text: string, place: string): string | Promise<string>
}

/**
 * Encrypts what is kept outside of the process. Of several keys, the first one encrypts and all of them decrypt: `[new,
 * old]`. In a page only functions work: a key throws SluiceError `unsupported`.
 */
export type Encryption = EncryptionKey | readonly EncryptionKey[] | EncryptionFunctions

/** @internal In front of every encrypted text. */
export const ENCRYPTED = 'sluice1.'
const NONCE = 12
const TAG = 16
const SHORTEST_KEY = 32
const FORM = 'a key, an array of keys, or { encrypt, decrypt }'

/** @internal Throws SluiceError `option`. No error shows a key, not even one that is too short. */
export const checkEncryption: Check = (value, path) => {
  if (Array.isArray(value)) {
    if (value.length === 0) throw wrong(path, value, FORM)
    for (const [at, key] of value.entries()) checkKey(key, `${path}[${at}]`, 'a key')
  } else if (typeof value !== 'object' || value === null || value instanceof Uint8Array) checkKey(value, path, FORM)
  else withMethods(FORM, 'encrypt', 'decrypt')(value, path)
}

function checkKey(value: unknown, path: string, expected: string): void {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw wrong(path, value, expected)
  if (value.length >= SHORTEST_KEY) return
  const [found, unit] = typeof value === 'string' ? ['a text', 'characters'] : ['a key', 'bytes']
  throw new SluiceError({
    code: 'option',
    path,
    detail: `found ${found} of ${value.length} ${unit}, expected at least ${SHORTEST_KEY} that nobody can guess`,
    hint: "randomBytes(32).toString('base64') of node:crypto makes one: keep it, the texts cannot be read without it",
  })
}

/** @internal Whether a text was written by an encryption, of whatever key. */
export const isEncrypted = (text: string): boolean => text.startsWith(ENCRYPTED)

/** @internal The error for a text that cannot be decrypted. Nothing is written over it. */
export const notDecrypted = (path: string, detail: string, cause?: unknown): SluiceError =>
  new SluiceError({
    code: 'storage',
    path,
    detail,
    hint: 'give encryption the key it was written with: [new, old]',
    cause,
  })

/** @internal Names the place of a text among all of its use. The first part is the path of errors. */
export type TextPlace = readonly [path: string, ...rest: (string | number)[]]

/** @internal Encrypts the texts of one use and decrypts them. Without an encryption both return the text unchanged. */
export class TextCipher {
  readonly #use: string
  readonly #functions: EncryptionFunctions | undefined
  /** Derived from the keys for this use alone. */
  readonly #keys: readonly Uint8Array[]

  /** @param use names the kind of texts: a key gives each use a key of its own */
  constructor(encryption: Encryption | undefined, use: string) {
    this.#use = use
    const keys = Array.isArray(encryption) ? (encryption as EncryptionKey[]) : [encryption]
    this.#functions = hasFunctions(encryption) ? encryption : undefined
    this.#keys = keys
      .filter((key) => typeof key === 'string' || key instanceof Uint8Array)
      .map((key) => new Uint8Array(hkdfSync('sha256', key, '', `sluice/${use}`, 32)))
  }

  /** Whether texts are encrypted at all. */
  get isOn(): boolean {
    return this.#functions !== undefined || this.#keys.length > 0
  }

  /**
   * @param what names the text in errors: `the state of the turn`
   * @throws SluiceError `storage` if a function of the app fails.
   */
  async encrypt(text: string, at: TextPlace, what: string): Promise<string> {
    const place = this.#placeOf(at)
    const [key] = this.#keys
    if (key) return ENCRYPTED + encrypted(key, place, text)
    if (!this.#functions) return text
    try {
      return ENCRYPTED + textOf('encrypt', await this.#functions.encrypt(`${place}\n${text}`, place))
    } catch (cause) {
      const detail = `${what} is not saved: ${messageOf(cause)}`
      throw new SluiceError({ code: 'storage', path: at[0], detail, cause })
    }
  }

  /**
   * @param what names the text in errors: `the state of the turn`
   * @throws SluiceError `storage` for a text that this encryption did not write at this place.
   */
  async decrypt(kept: string, at: TextPlace, what: string): Promise<string> {
    if (isEncrypted(kept) !== this.isOn)
      throw notDecrypted(
        at[0],
        this.isOn
          ? `${what} is plain text, expected what encryption writes`
          : `${what} is encrypted, and encryption is not given`,
      )
    if (!this.isOn) return kept
    const place = this.#placeOf(at)
    const text = this.#functions
      ? await this.#ofFunctions(this.#functions, kept.slice(ENCRYPTED.length), place, at[0], what)
      : this.#ofKeys(kept.slice(ENCRYPTED.length), place)
    if (text !== undefined) return text
    throw notDecrypted(
      at[0],
      `${what} cannot be decrypted: it was written with another key or at another place, or changed`,
    )
  }

  #ofKeys(body: string, place: string): string | undefined {
    const bytes = Buffer.from(body, 'base64url')
    // Node also takes other spellings of the same bytes.
    if (bytes.length < NONCE + TAG || bytes.toString('base64url') !== body) return undefined
    for (const key of this.#keys) {
      const text = decrypted(key, place, bytes)
      if (text !== undefined) return text
    }
    return undefined
  }

  async #ofFunctions(
    functions: EncryptionFunctions,
    body: string,
    place: string,
    path: string,
    what: string,
  ): Promise<string | undefined> {
    try {
      const text = textOf('decrypt', await functions.decrypt(body, place))
      return text.startsWith(`${place}\n`) ? text.slice(place.length + 1) : undefined
    } catch (cause) {
      throw notDecrypted(path, `${what} cannot be decrypted: ${messageOf(cause)}`, cause)
    }
  }

  #placeOf(at: TextPlace): string {
    return JSON.stringify([this.#use, ...at])
  }
}

const hasFunctions = (encryption: Encryption | undefined): encryption is EncryptionFunctions =>
  typeof encryption === 'object' && 'encrypt' in encryption

function encrypted(key: Uint8Array, place: string, text: string): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function decrypted(key: Uint8Array, place: string, bytes: Buffer): string | undefined {
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(-TAG))
  try {
    return Buffer.concat([cipher.update(bytes.subarray(NONCE, -TAG)), cipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** What a function of the app returned. Throws if it is not a text. */
function textOf(name: keyof EncryptionFunctions, returned: unknown): string {
  if (typeof returned !== 'string') throw new Error(`found ${shown(returned)} from encryption.${name}, expected a text`)
  return returned
}
