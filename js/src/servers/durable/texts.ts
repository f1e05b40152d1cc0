// The texts that a store keeps of a turn: long strings are blobs beside it, and all of it is encrypted if the app gave
// an encryption.
import { createHash } from 'node:crypto'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import type { TextCipher } from '../../engine/core/encryption.js'
import type { BlobStore } from './durable-types.js'

/** Strings of a text that are longer, in UTF-16 units, become blobs. A picture in base64 is. */
const LONG = 16_384
const LONG_TEXT = 'a long text of the turn'

export class Texts {
  readonly #blobs: BlobStore | undefined
  readonly #cipher: TextCipher

  constructor(blobs: BlobStore | undefined, cipher: TextCipher) {
    this.#blobs = blobs
    this.#cipher = cipher
  }

  /** `what` names a text of the turn, such as `state`: it can be read by no other name, and in no other turn. */
  async write(id: string, what: string, text: string): Promise<string> {
    if (!this.#blobs) return await this.#encrypt(id, what, text)
    const { short, long } = withoutLong(text)
    for (const [ref, string] of long)
      await this.#blobs.put(id, ref, await this.#cipher.encrypt(string, [id, 'blob', ref], LONG_TEXT))
    return await this.#encrypt(id, what, short)
  }

  async read(id: string, what: string, kept: string): Promise<string> {
    const short = await this.#decrypt(id, what, kept)
    if (!this.#blobs) return short
    const long = new Map<string, string>()
    for (const ref of refsOf(short)) {
      const blob = await this.#blobs.get(id, ref)
      if (blob === null) throw unreadable(id, what, `a text that it refers to is gone: ${ref}`)
      long.set(ref, await this.#blob(id, what, ref, blob))
    }
    return withLong(short, long)
  }

  /** The same of JSON. */
  async parse(id: string, what: string, kept: string): Promise<unknown> {
    const text = await this.read(id, what, kept)
    try {
      return JSON.parse(text)
    } catch (cause) {
      throw unreadable(id, what, cause)
    }
  }

  async remove(id: string): Promise<void> {
    await this.#blobs?.remove(id)
  }

  async #blob(id: string, what: string, ref: string, kept: string): Promise<string> {
    if (!this.#cipher.isOn && hashOf(kept) === ref) return kept // a plain one may begin like an encrypted text
    const string = await this.#cipher.decrypt(kept, [id, 'blob', ref], LONG_TEXT)
    if (hashOf(string) === ref) return string
    throw unreadable(id, what, `a text that it refers to is not what its name says: ${ref}`)
  }

  async #encrypt(id: string, what: string, text: string): Promise<string> {
    return await this.#cipher.encrypt(text, [id, what], `the ${what} of the turn`)
  }

  async #decrypt(id: string, what: string, kept: string): Promise<string> {
    return await this.#cipher.decrypt(kept, [id, what], `the ${what} of the turn`)
  }
}

/** The error for what a store has and nobody can read. Nothing is written over it. */
export const unreadable = (id: string, what: string, why: unknown): SluiceError =>
  new SluiceError({
    code: 'storage',
    path: id,
    detail: `the ${what} of the turn cannot be read: ${typeof why === 'string' ? why : messageOf(why)}`,
    ...(typeof why === 'string' ? {} : { cause: why }),
  })

// -- long strings -----------------------------------------------------------------------------------------------------

/**
 * How a reference begins in a text of JSON. What a text had of it by itself gets a `~`, so that nobody can write a
 * reference but this file.
 */
const MARK = '"sluice-blob:'
const REFERENCE = /"sluice-blob:([0-9a-f]{64})"/g

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const refsOf = (text: string): Set<string> => new Set([...text.matchAll(REFERENCE)].map(([, ref]) => ref as string))

/** A text of JSON with references in the place of its long strings, and these, as they stand, by their hash. */
export function withoutLong(given: string): { short: string; long: Map<string, string> } {
  const text = given.replaceAll(MARK, `${MARK}~`)
  const long = new Map<string, string>()
  if (text.length <= LONG) return { short: text, long }
  let short = ''
  let from = 0
  for (let open = text.indexOf('"'); open >= 0; ) {
    const close = endOf(text, open)
    if (close < 0) break
    if (close - open - 1 > LONG) {
      const string = text.slice(open + 1, close)
      const ref = hashOf(string)
      long.set(ref, string)
      short += `${text.slice(from, open)}${MARK}${ref}"`
      from = close + 1
    }
    open = text.indexOf('"', close + 1)
  }
  return { short: short + text.slice(from), long }
}

/** What `withoutLong` took apart. */
export const withLong = (short: string, long: ReadonlyMap<string, string>): string =>
  short.replace(REFERENCE, (_, ref: string) => `"${long.get(ref) ?? ''}"`).replaceAll(`${MARK}~`, MARK)

/** Where the string that begins here ends. */
function endOf(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let slashes = 0
    while (text[close - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return close
  }
  return -1
}
