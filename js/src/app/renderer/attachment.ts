import type { AttachmentLimits, Picture, SentFile } from '../bridge/messages.js'
import { isAllowed, plainType } from '../bridge/file-type.js'
import { shownSize } from '../bridge/shown-size.js'
import { ClientError } from './client-errors.js'

/** Reads base64. Pages are compiled without the types of Node, which `core/base64` uses. */
export const bytesOf = (data: string): Uint8Array => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))

/** At a time: `String.fromCharCode` takes its characters as arguments. */
const PIECE = 0x8000

const isFile = (given: unknown): given is Blob => typeof Blob === 'function' && given instanceof Blob

/**
 * Files as they are sent. What the host would refuse is refused before a byte is read: a film of two gigabytes is not
 * brought into memory for that.
 */
export async function attachmentsOf(
  given: readonly (Blob | Picture | SentFile)[],
  limits: AttachmentLimits | undefined,
): Promise<(Picture | SentFile)[]> {
  const files = given.filter(isFile)
  for (const [at, file] of given.entries()) if (isFile(file)) checkFile(file, `parts[${at}]`, limits)
  const size = files.reduce((sum, one) => sum + one.size, 0)
  if (limits && size > limits.maxBytes)
    throw refused(
      'limit',
      'parts',
      `found ${shownSize(size)}, expected at most ${shownSize(limits.maxBytes)} of attachments`,
    )
  return await Promise.all(given.map(attachmentOf))
}

function checkFile(file: Blob, path: string, limits: AttachmentLimits | undefined): void {
  if (file.size === 0) throw refused('argument', path, 'found an empty file, expected bytes')
  const type = plainType(file.type)
  if (limits && !isAllowed(type, limits.types))
    throw refused(
      'argument',
      path,
      `found the type ${JSON.stringify(type)}, expected one of ${limits.types.join(', ')}`,
    )
}

const refused = (code: string, path: string, detail: string): ClientError => new ClientError({ code, path, detail })

async function attachmentOf(given: Blob | Picture | SentFile): Promise<Picture | SentFile> {
  if (!isFile(given)) return given
  const { type: mediaType, name } = given as Blob & { name?: string }
  const data = await dataOf(given)
  if (mediaType.startsWith('image/')) return { type: 'image', mediaType, data, ...(name ? { name } : {}) }
  return { type: 'file', name: name ?? '', mediaType, data }
}

/** The bytes of a file in base64. */
export async function dataOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}
