// What node:crypto is in a page, as far as this package uses it.
import { SluiceError } from '../../engine/core/errors.js'

/** A random UUID, also without TLS, where browsers have no `crypto.randomUUID`. */
export function randomUUID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40 // version 4
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

export function randomBytes(size: number): { toString(as: 'base64url' | 'hex'): string } {
  const bytes = crypto.getRandomValues(new Uint8Array(size))
  return {
    toString: (as) =>
      as === 'hex'
        ? hexOf(bytes)
        : btoa(String.fromCharCode(...bytes))
            .replaceAll('+', '-')
            .replaceAll('/', '_')
            .replace(/=+$/, ''),
  }
}

/** Only of `sha256`, and of what one `update` gets: `crypto.subtle` answers later, and only with TLS. */
export function createHash(_name: 'sha256'): { update(data: string | Uint8Array): { digest(as: 'hex'): string } } {
  return {
    update: (data) => ({
      digest: () => hexOf(sha256(typeof data === 'string' ? new TextEncoder().encode(data) : data)),
    }),
  }
}

/** A page has no cipher that answers at once: a key of `encryption` is refused when it is given. */
function refuseKey(): never {
  throw new SluiceError({
    code: 'unsupported',
    path: 'encryption',
    detail: 'found a key, expected functions: a page has no cipher that answers at once',
    hint: 'pass functions: encryption: { encrypt, decrypt }, such as over crypto.subtle',
  })
}
export { refuseKey as hkdfSync, refuseKey as createCipheriv, refuseKey as createDecipheriv }

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

// -- SHA-256 (FIPS 180-4) ---------------------------------------------------------------------------------------------

const primes = Array.from({ length: 312 }, (_, at) => at).filter(
  (n) => n > 1 && Array.from({ length: n - 2 }, (_, at) => at + 2).every((divisor) => n % divisor !== 0),
)
/** The first 32 bits of the fractional part. */
const fraction = (value: number): number => ((value - Math.floor(value)) * 2 ** 32) | 0
const begin = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const constants = primes.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)))

function sha256(data: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((data.length + 9) / 64) * 64)
  padded.set(data)
  padded[data.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(data.length / 2 ** 29))
  view.setUint32(padded.length - 4, data.length << 3)
  const state = Int32Array.from(begin)
  const words = new Int32Array(64)
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + 4 * i)
    for (let i = 16; i < 64; i++) {
      const [x, y] = [words[i - 15]!, words[i - 2]!]
      words[i] =
        words[i - 16]! +
        (right(x, 7) ^ right(x, 18) ^ (x >>> 3)) +
        words[i - 7]! +
        (right(y, 17) ^ right(y, 19) ^ (y >>> 10))
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const one =
        (h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!) | 0
      const two = ((right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i]! += word
  }
  const out = new DataView(new ArrayBuffer(32))
  for (const [i, word] of state.entries()) out.setInt32(4 * i, word)
  return new Uint8Array(out.buffer)
}

const right = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))
