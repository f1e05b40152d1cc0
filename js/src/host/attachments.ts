// Checks the pictures that a window sends with a message: how many, how large, and that the bytes are what they claim to be.
import type { Picture } from '../bridge/messages.js'
import { list, members, oneOf, refuse, text, type Check } from './check.js'

const MAX_PICTURES = 8

/** Tests the first bytes of a file of each accepted type. SVG is not accepted: it can hold scripts and addresses. */
const beginnings: { readonly [mediaType: string]: (bytes: Buffer) => boolean } = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
  'image/jpeg': (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
  'image/gif': (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6)),
  'image/webp': (bytes) => /^RIFF....WEBP$/s.test(bytes.toString('latin1', 0, 12)),
}

/** `maxBytes`: of all pictures of a message together. */
export function picturesOf(maxBytes: number): Check<Picture[]> {
  const maxCharacters = Math.ceil(maxBytes / 3) * 4
  const check = list(members<Picture>({ type: oneOf('image'), mediaType: oneOf(...Object.keys(beginnings)), data: text(maxCharacters) }), MAX_PICTURES)
  return (value, path) => {
    const pictures = check(value, path)
    if (pictures.reduce((sum, { data }) => sum + data.length, 0) > maxCharacters) throw refuse('limit', `expected at most ${maxBytes} bytes of pictures`, { path })
    for (const [index, { mediaType, data }] of pictures.entries()) {
      if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) throw refuse('argument', 'expected base64', { path: `${path}[${index}].data` })
      if (beginnings[mediaType]?.(Buffer.from(data.slice(0, 32), 'base64'))) continue
      throw refuse('argument', `the bytes are none of ${mediaType}`, { path: `${path}[${index}].data` })
    }
    return pictures
  }
}
