import type { Picture } from '../bridge/messages.js'
import { ClientError } from './client-errors.js'

/** What base64 stands for. */
export const bytesOf = (data: string): Uint8Array => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))

/** At a time: `String.fromCharCode` takes its characters as arguments. */
const PIECE = 0x8000

/** A file as it is sent. What is none is refused by the host with its place. */
export async function pictureOf(given: Blob | Picture): Promise<Picture> {
  if (!(typeof Blob === 'function' && given instanceof Blob)) return given as Picture
  if (given.size === 0)
    throw new ClientError({ code: 'argument', path: 'parts', detail: 'found an empty file, expected a picture' })
  return { type: 'image', mediaType: given.type, data: await dataOf(given) }
}

/** The bytes of a file in base64. */
export async function dataOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}
