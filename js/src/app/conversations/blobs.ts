// Pictures and files of a conversation: each is stored once, named by its hash, and entries refer to it by address.
import { createHash } from 'node:crypto'
import { fromBase64, toBase64 } from '../../engine/core/base64.js'
import { mapCards } from '../../engine/core/cards.js'
import type { ChatMessage, FilePart, MediaPart } from '../../engine/core/events.js'
import { fileExtension } from '../bridge/file-extension.js'
import { ANY_BYTES } from '../bridge/file-type.js'
import type { EntryPart } from '../bridge/messages.js'
import type { ConversationEntry, SavedMessage, StoredBlob } from './conversation-types.js'

const SCHEME = 'sluice:'

/** The blob of a picture. `mediaType`: `image/…`. */
export const pictureBlob = (bytes: Uint8Array, mediaType: string): StoredBlob =>
  blobOf(bytes, mediaType.toLowerCase().replace(/^image\//, ''))

/** The blob of any file. The ref ends as files of this media type do; if that says nothing, as the name does. */
export const fileBlob = (bytes: Uint8Array, mediaType: string, name: string): StoredBlob =>
  blobOf(bytes, mediaType === ANY_BYTES ? (/\.([a-z0-9]{1,10})$/i.exec(name)?.[1] ?? '') : fileExtension(mediaType))

const blobOf = (bytes: Uint8Array, ending: string): StoredBlob => ({
  ref: `${createHash('sha256').update(bytes).digest('hex')}.${/^[a-z0-9][a-z0-9+-]{0,30}$/i.test(ending) ? ending.toLowerCase() : 'bin'}`,
  bytes,
})

/** Whether a ref names these bytes. */
export const isBlobOf = (bytes: Uint8Array, ref: string): boolean =>
  createHash('sha256').update(bytes).digest('hex') === ref.slice(0, 64)

/** Such a ref is safe as a file name: it cannot lead out of its folder. */
export const isRef = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}\.[a-z0-9][a-z0-9+-]{0,30}$/.test(value)

/** The media type of a ref: `image/png`. */
export const blobMediaType = (ref: string): string => `image/${ref.slice(65)}`

/** The address of a blob in entries. */
export const blobAddress = ({ ref }: Pick<StoredBlob, 'ref'>): string => SCHEME + ref

/** The ref in an address; undefined for any other address. */
export function blobRef(address: unknown): string | undefined {
  const ref = typeof address === 'string' && address.startsWith(SCHEME) ? address.slice(SCHEME.length) : undefined
  return isRef(ref) ? ref : undefined
}

/** All refs in these entries. */
export function refsOf(entries: Iterable<ConversationEntry>): Set<string> {
  const refs = new Set<string>()
  for (const entry of entries) {
    for (const ref of pictureRefs(entry)) refs.add(ref)
    for (const part of entry.parts ?? []) {
      const ref = part?.type === 'file' ? blobRef(part.url) : undefined
      if (ref !== undefined) refs.add(ref)
    }
  }
  return refs
}

/** The refs of the pictures of an entry. */
export function pictureRefs(entry: Partial<ConversationEntry>): Set<string> {
  const refs = new Set<string>()
  mapPictures(entry, (address) => {
    const ref = blobRef(address)
    if (ref !== undefined) refs.add(ref)
    return address
  })
  return refs
}

/** An entry and its pictures, apart. */
export interface WithoutPictures {
  /** The entry, with addresses in place of pictures. */
  entry: ConversationEntry
  blobs: StoredBlob[]
}

/** Takes the base64 pictures out of an entry and puts addresses in their place. */
export function withoutPictures(entry: ConversationEntry): WithoutPictures {
  const blobs = new Map<string, StoredBlob>()
  const address = (url: string): string => {
    const [, mediaType, data] = /^data:(image\/[^;,]+);base64,(.*)$/s.exec(url) ?? []
    if (mediaType === undefined || data === undefined) return url
    const blob = pictureBlob(fromBase64(data), mediaType)
    blobs.set(blob.ref, blob)
    return blobAddress(blob)
  }
  return { entry: mapPictures(entry, address), blobs: [...blobs.values()] }
}

/**
 * Puts pictures in base64 back in place of their addresses. `read` gives the bytes of a ref; without bytes the address
 * stays.
 */
export async function withPictures<T extends Pick<ConversationEntry, 'parts' | 'message' | 'history'>>(
  entry: T,
  read: (ref: string) => Promise<Uint8Array | null>,
): Promise<T> {
  const urls = new Map<string, string>()
  for (const ref of pictureRefs(entry)) {
    const bytes = await read(ref)
    if (bytes) urls.set(SCHEME + ref, `data:${blobMediaType(ref)};base64,${toBase64(bytes)}`)
  }
  return urls.size === 0 ? entry : mapPictures(entry, (url) => urls.get(url) ?? url)
}

// -- where pictures stand ---------------------------------------------------------------------------------------------

/** Calls `change` with the address of each picture. A picture whose bytes are in the entry has a data URL. */
function mapPictures<T extends Pick<ConversationEntry, 'parts' | 'message' | 'history'>>(
  entry: T,
  change: (url: string) => string,
): T {
  const { parts, message, history } = entry
  return {
    ...entry,
    ...(parts ? { parts: parts.map((part) => mapPart(part, change)) } : {}),
    ...(message ? { message: mapMessage(message, change) } : {}),
    ...(history ? { history: history.map((one) => mapHistory(one, change)) } : {}),
  }
}

function mapPart<Part extends EntryPart | FilePart>(part: Part, change: (url: string) => string): Part {
  if (part?.type !== 'image') return part
  const { url: address, mediaType: type, data: base64, ...rest } = part as { [member: string]: unknown }
  const url = base64 === undefined ? String(address) : `data:${type};base64,${base64}`
  const changed = change(url)
  if (changed === url) return part
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(changed) ?? []
  return { ...rest, ...(data === undefined ? { url: changed } : { mediaType, data }) } as Part
}

function mapMessage(message: SavedMessage, change: (url: string) => string): SavedMessage {
  if (!Array.isArray(message.blocks)) return message
  return {
    ...message,
    blocks: mapCards(message.blocks, (card) =>
      card.parts ? { ...card, parts: card.parts.map((part) => mapPart(part, change)) } : card,
    ).map((block) =>
      block?.type === 'media' && Array.isArray(block.parts)
        ? { ...block, parts: block.parts.map((part) => mapPart(part, change)) }
        : block,
    ),
  }
}

function mapHistory(given: ChatMessage, change: (url: string) => string): ChatMessage {
  const message = mapMedia(given, (part) => mapPart(part, change))
  if (!Array.isArray(message?.content)) return message
  return {
    ...message,
    content: message.content.map((part) => {
      const { image_url: image } = part as { image_url?: { url?: unknown } }
      return typeof image?.url === 'string' ? { ...part, image_url: { ...image, url: change(image.url) } } : part
    }),
  }
}

/** Changes what the model made with a message: `metadata.media` keeps it for the engine. */
export function mapMedia(message: ChatMessage, change: (part: MediaPart) => MediaPart): ChatMessage {
  const { metadata } = (message ?? {}) as { metadata?: { media?: unknown } }
  if (!Array.isArray(metadata?.media)) return message
  return { ...message, metadata: { ...metadata, media: metadata.media.map(change) } }
}
