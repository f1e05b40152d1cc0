// Checks what a window sends with a message beside its text: how much, of which types, and that the bytes can be what
// they claim to be.
import { attachedName } from '../bridge/attached-name.js'
import { contradiction, HEAD_BYTES, isAllowed, plainType } from '../bridge/file-type.js'
import { shownSize } from '../bridge/shown-size.js'
import type { AttachmentLimits, EntryPart, Picture, SentFile } from '../bridge/messages.js'
import { blobAddress, fileBlob, pictureBlob } from '../conversations/blobs.js'
import type { StoredBlob } from '../conversations/conversation-types.js'
import { base64Size, fromBase64 } from '../../engine/core/base64.js'
import { isPlain, list, members, oneOf, optional, refuse, text, type Check } from './checks.js'
import type { HostOptions } from './host-types.js'

/** What every provider takes. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** So much of base64 has the bytes that tell the type. */
const HEAD = Math.ceil(HEAD_BYTES / 3) * 4
const MAX_NAME = 100_000

/** What a window may attach to a message. */
export const attachmentLimits = ({ attachments = {} }: HostOptions): AttachmentLimits => {
  const { types = PICTURES, maxBytes = 10_000_000, maxParts = 8 } = attachments
  return { types: types.map((type) => type.toLowerCase()), maxBytes, maxParts }
}

/** Attachments of a message, checked. Media types are plain; a file that is one of the four pictures is a picture. */
export function attachmentsOf({ types, maxBytes, maxParts }: AttachmentLimits): Check<(Picture | SentFile)[]> {
  const mediaType: Check<string> = (value, path) => {
    const type = plainType(text(200, 0)(value, path))
    if (!isAllowed(type, types))
      throw refuse('argument', `found the type ${JSON.stringify(type)}, expected one of ${types.join(', ')}`, { path })
    return type
  }
  const data: Check<string> = (value, path) => {
    const given = text(Number.MAX_SAFE_INTEGER, 0)(value, path)
    if (given === '') throw refuse('argument', 'found an empty file, expected bytes in base64', { path })
    if (base64Size(given) > maxBytes) throw tooLarge(base64Size(given), maxBytes, path)
    return given
  }
  const name = text(MAX_NAME, 0)
  const picture = members<Picture>({ type: oneOf('image'), mediaType, data, name: optional(name) })
  const file = members<SentFile>({ type: oneOf('file'), mediaType, data, name })
  const check = list<Picture | SentFile>(
    (value, path) => (isPlain(value) && value['type'] === 'file' ? file(value, path) : picture(value, path)),
    maxParts,
  )
  return (value, path) => {
    const given = check(value, path)
    const bytes = given.reduce((sum, { data }) => sum + base64Size(data), 0)
    if (bytes > maxBytes) throw tooLarge(bytes, maxBytes, path)
    for (const [index, { mediaType, data }] of given.entries()) checkBytes(mediaType, data, `${path}[${index}].data`)
    return given.map((one) => ({
      ...one,
      type: PICTURES.includes(one.mediaType) ? 'image' : 'file',
      ...(one.name === undefined ? {} : { name: attachedName(one.name) }),
    })) as (Picture | SentFile)[]
  }
}

function checkBytes(mediaType: string, data: string, path: string): void {
  if (data.length % 4 !== 0 || !isBase64(data)) throw refuse('argument', 'expected base64', { path })
  const found = contradiction(mediaType, fromBase64(data.slice(0, HEAD)))
  if (found !== undefined)
    throw refuse('argument', `the bytes are not ${mediaType}${found === '' ? '' : `: they begin as ${found} does`}`, {
      path,
    })
}

/** In pieces: a regular expression needs room for each character of one text. */
function isBase64(data: string): boolean {
  const PIECE = 1_000_000
  for (let at = 0; at < data.length; at += PIECE) {
    const isLast = at + PIECE >= data.length
    if (!(isLast ? /^[A-Za-z0-9+/]+={0,2}$/ : /^[A-Za-z0-9+/]+$/).test(data.slice(at, at + PIECE))) return false
  }
  return true
}

const tooLarge = (found: number, most: number, path: string): Error =>
  refuse('limit', `found ${shownSize(found)}, expected at most ${shownSize(most)} of attachments`, { path })

/** Attachments as an entry keeps them, and their bytes. */
export function storedParts(given: readonly (Picture | SentFile)[]): { parts: EntryPart[]; blobs: StoredBlob[] } {
  const blobs: StoredBlob[] = []
  const parts = given.map(({ type, mediaType, name, data }): EntryPart => {
    const bytes = fromBase64(data)
    const blob = type === 'image' ? pictureBlob(bytes, mediaType) : fileBlob(bytes, mediaType, name)
    blobs.push(blob)
    const kept = { bytes: bytes.length, url: blobAddress(blob) }
    return type === 'image'
      ? { type, ...(name === undefined ? {} : { name }), ...kept }
      : { type, name, mediaType, ...kept }
  })
  return { parts, blobs }
}
