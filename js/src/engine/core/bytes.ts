// Bytes without Node's Buffer.

/** The pieces, one behind the other. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.byteLength
  }
  return all
}

/** Bytes that come in pieces, however small: kept one by one, each would cost a hundred bytes and more. */
export class Gathered {
  #bytes = new Uint8Array(0)
  #size = 0
  /** `#bytes` is the only piece that came, as it came. */
  #isGiven = false

  /** How many bytes there are. */
  get size(): number {
    return this.#size
  }

  /** A single piece is kept as it is: it must not be changed. */
  add(piece: Uint8Array): void {
    const size = this.#size + piece.byteLength
    if (this.#size === 0) {
      this.#bytes = piece as Uint8Array<ArrayBuffer>
    } else {
      if (this.#isGiven || size > this.#bytes.byteLength)
        this.#bytes = grown(this.#bytes.subarray(0, this.#size), Math.max(size, 2 * this.#size))
      this.#bytes.set(piece, this.#size)
    }
    this.#isGiven = this.#size === 0
    this.#size = size
  }

  /** All of them. There are none from then on. */
  take(): Uint8Array<ArrayBuffer> {
    const all = this.#bytes.subarray(0, this.#size)
    this.#bytes = new Uint8Array(0)
    this.#size = 0
    return all
  }
}

function grown(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size)
  larger.set(bytes)
  return larger
}

/** As UTF-8; what is none becomes U+FFFD. */
export const utf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** Each byte as the character of its number. */
export const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
