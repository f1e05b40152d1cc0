// Reads what a person attaches: pictures, which are drawn smaller if they are large; long texts; and other files that
// the host takes. The first bytes say what is a picture.
import {
  ANY_BYTES,
  contradiction,
  HEAD_BYTES,
  isAllowed,
  plainType,
  typeOfBytes,
} from '../../../app/bridge/file-type.js'
import { pictureType, type PictureType } from '../../../app/bridge/picture-type.js'
import type { Attachment, Picture, SentFile } from './chat-types.js'

/** A picture with a longer side is drawn smaller; that also drops where a photograph was taken. */
const LONGEST = 2048
/** A pasted text is a chip from here on. */
const LONG_TEXT = 4000
const LONG_LINES = 60
/** At a time: `String.fromCharCode` takes its characters as arguments. */
const PIECE = 0x8000

/** Why a file is not taken. */
export type Refusal = 'type' | 'size' | 'count' | 'unreadable'

/** A pasted text that would fill the field. */
export const isLong = (text: string): boolean =>
  text.length > LONG_TEXT || text.split('\n', LONG_LINES + 1).length > LONG_LINES

/** A long text as an attachment. */
export const pasted = (text: string): Attachment => ({
  name: '',
  mediaType: 'text/plain',
  bytes: new TextEncoder().encode(text),
})

/**
 * Reads a file. `accept`: types that are taken, such as `image/*`; `types`: those that the host takes as files. No page
 * reads a film to find out that it is too large.
 */
export async function attach(
  file: File,
  { accept, types, maxBytes }: { accept: string; types: readonly string[]; maxBytes: number },
): Promise<Attachment | Refusal> {
  try {
    const head = await bytesOf(file.slice(0, HEAD_BYTES))
    const picture = pictureType(head)
    // a photograph may be larger than what is sent of it
    if (file.size > (picture ? Math.max(maxBytes * 5, 50_000_000) : maxBytes)) return 'size'
    if (picture) {
      const taken = await drawn(await bytesOf(file), picture)
      if (taken === undefined) return 'unreadable'
      return accepts(accept, taken.mediaType) && isAllowed(taken.mediaType, types)
        ? { name: file.name, ...taken }
        : 'type'
    }
    const mediaType = typeOf(file, head)
    const isWhole = isAllowed(mediaType, types) && accepts(accept, mediaType)
    if (isWhole && file.size > 0 && contradiction(mediaType, head) === undefined)
      return { name: file.name, mediaType, bytes: await bytesOf(file), isFile: true }
    const text = accepts(accept, 'text/plain') ? textOf(await bytesOf(file)) : undefined
    return text ? { name: file.name, ...text } : 'type'
  } catch {
    return 'unreadable'
  }
}

const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer())

/** What the system says that it is, else what its bytes say. */
export function typeOf(file: Blob, head?: Uint8Array): string {
  const type = plainType(file.type)
  return type === ANY_BYTES && head ? (typeOfBytes(head) ?? type) : type
}

/** Whether an `accept` such as `image/*,text/plain` holds a type. */
export const accepts = (accept: string, type: string): boolean =>
  accept
    .split(',')
    .map((one) => one.trim())
    .some((one) => one === type || one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))

function textOf(bytes: Uint8Array): Pick<Attachment, 'mediaType' | 'bytes'> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.trim() === '' || text.includes('\0') ? undefined : { mediaType: 'text/plain', bytes }
  } catch {
    return undefined
  }
}

/** As it is where it is small and everybody takes it; AVIF is drawn anew, since few providers do. */
async function drawn(
  bytes: Uint8Array,
  type: PictureType,
): Promise<Pick<Attachment, 'mediaType' | 'bytes'> | undefined> {
  let picture: ImageBitmap
  try {
    picture = await createImageBitmap(new Blob([bytes as BlobPart], { type }))
  } catch {
    return undefined
  }
  const { width, height } = picture
  const scale = Math.min(1, LONGEST / Math.max(width, height))
  try {
    if (scale === 1 && type !== 'image/avif') return { mediaType: type, bytes }
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)))
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
    const blob = await canvas.convertToBlob({
      type: type === 'image/jpeg' || type === 'image/png' ? type : 'image/webp',
      quality: 0.9,
    })
    return { mediaType: blob.type, bytes: new Uint8Array(await blob.arrayBuffer()) }
  } finally {
    picture.close()
  }
}

/** Text and pictures as they are sent: long texts stand behind the words, files of text in a fence with their names. */
export function toSend(
  text: string,
  attachments: readonly Attachment[],
): { text: string; parts: (Picture | SentFile)[] } {
  const texts = attachments
    .filter(({ mediaType, isFile }) => !isFile && mediaType === 'text/plain')
    .map(({ name, bytes }) => {
      const content = new TextDecoder().decode(bytes)
      if (!name) return content
      const fence = '`'.repeat(Math.max(3, ...[...content.matchAll(/`+/g)].map(([run]) => run.length + 1)))
      return `${name}:\n${fence}\n${content}\n${fence}`
    })
  return {
    text: [text, ...texts].filter((one) => one.trim() !== '').join('\n\n'),
    parts: attachments
      .filter(({ mediaType, isFile }) => isFile || mediaType.startsWith('image/'))
      .map(({ name, mediaType, bytes, isFile }) => {
        const data = base64(bytes)
        if (isFile) return { type: 'file', name, mediaType, data }
        return { type: 'image', mediaType, data, ...(name ? { name } : {}) }
      }),
  }
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}
