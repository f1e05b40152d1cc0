// Bytes without Node's Buffer.

/** The pieces, one behind the other. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.byteLength
  }
  return all
}

/** As UTF-8; what is none becomes U+FFFD. */
export const utf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** Each byte as the character of its number. */
export const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes)
