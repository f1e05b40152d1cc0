// Checks the pictures that a window sends with a message: how many, how large, and that the bytes are what they claim
// to be.
import type { Picture } from '../bridge/messages.js'
import { pictureType } from '../bridge/picture-type.js'
import { fromBase64 } from '../../engine/core/base64.js'
import { list, members, oneOf, refuse, text, type Check } from './checks.js'

const MAX_PICTURES = 8

/** What every provider takes. */
const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** `maxBytes`: of all pictures of a message together. */
export function picturesOf(maxBytes: number): Check<Picture[]> {
  const maxCharacters = Math.ceil(maxBytes / 3) * 4
  const check = list(
    members<Picture>({ type: oneOf('image'), mediaType: oneOf<string>(...types), data: text(maxCharacters) }),
    MAX_PICTURES,
  )
  return (value, path) => {
    const pictures = check(value, path)
    if (pictures.reduce((sum, { data }) => sum + data.length, 0) > maxCharacters)
      throw refuse('limit', `expected at most ${maxBytes} bytes of pictures`, { path })
    for (const [index, { mediaType, data }] of pictures.entries()) {
      if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
        throw refuse('argument', 'expected base64', { path: `${path}[${index}].data` })
      if (pictureType(fromBase64(data.slice(0, 44))) === mediaType) continue
      throw refuse('argument', `the bytes are none of ${mediaType}`, { path: `${path}[${index}].data` })
    }
    return pictures
  }
}
