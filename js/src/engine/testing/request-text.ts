// The text of a request as it came, halves of surrogate pairs included.
import { isUtf8 } from 'node:buffer'

/** Decodes UTF-8. A half of a surrogate pair, which is no UTF-8 but is written as if, stays what it is. */
export function textOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const pieces = bytes.toString('latin1').split(/(\xed[\xa0-\xbf][\x80-\xbf])/)
  return pieces
    .map((piece, index) => {
      const raw = Buffer.from(piece, 'latin1')
      return index % 2 === 0
        ? raw.toString('utf8')
        : String.fromCharCode(0xd000 | ((raw[1]! & 0x3f) << 6) | (raw[2]! & 0x3f))
    })
    .join('')
}
