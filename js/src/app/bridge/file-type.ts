// Whether a file can be what somebody says it is, by its first bytes. Only formats whose beginning is sure are here:
// what is unknown contradicts nothing.
import { pictureType, type PictureType } from './picture-type.js'

/** So many bytes from the beginning are enough. */
export const HEAD_BYTES = 1100

interface Format {
  /** What a file that begins so is called, where nobody says it. */
  type: string
  begins: (bytes: Uint8Array) => boolean
  /** Other media types of files that begin so. */
  also?: RegExp
  /** Media types whose files always begin so. Default: `type` alone. */
  always?: readonly string[]
}

const latin = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to))
const starts =
  (...beginnings: readonly string[]) =>
  (bytes: Uint8Array): boolean =>
    beginnings.some((one) => latin(bytes, 0, one.length) === one)
const riff =
  (kind: string) =>
  (bytes: Uint8Array): boolean =>
    latin(bytes, 0, 4) === 'RIFF' && latin(bytes, 8, 12) === kind
const picture = (type: PictureType): Format => ({ type, begins: (bytes) => pictureType(bytes) === type })

const formats: readonly Format[] = [
  picture('image/png'),
  { ...picture('image/jpeg'), also: /^image\/(?:jpg|pjpeg)$/ },
  picture('image/gif'),
  picture('image/webp'),
  picture('image/avif'),
  {
    type: 'application/pdf',
    begins: (bytes) => latin(bytes, 0, 1024).includes('%PDF-'), // readers allow bytes before it
    also: /^application\/(?:x-pdf|postscript|illustrator)$/,
  },
  {
    type: 'video/mp4',
    begins: (bytes) => latin(bytes, 4, 8) === 'ftyp',
    also: /^(?:video|audio)\/(?:x-)?(?:mp4|m4[av]|quicktime|3gpp2?|aac)$|^image\/hei[cf](?:-sequence)?$|^application\/mp4$/,
    always: ['video/mp4', 'audio/mp4'],
  },
  {
    type: 'video/webm',
    begins: starts('\x1a\x45\xdf\xa3'),
    also: /^(?:video|audio)\/(?:x-)?(?:webm|matroska)$/,
    always: ['video/webm', 'audio/webm', 'video/x-matroska', 'video/matroska'],
  },
  { type: 'audio/wav', begins: riff('WAVE'), also: /^audio\/(?:x-wav|wave|vnd\.wave)$/ },
  { type: 'video/x-msvideo', begins: riff('AVI '), also: /^video\/(?:avi|msvideo)$/ },
  {
    type: 'audio/ogg',
    begins: starts('OggS'),
    also: /^(?:audio|video|application)\/(?:x-)?(?:ogg|opus|vorbis)$|^audio\/(?:speex|flac)$/,
    always: ['audio/ogg', 'video/ogg'],
  },
  { type: 'audio/flac', begins: starts('fLaC'), also: /^audio\/x-flac$/, always: [] },
  { type: 'audio/mpeg', begins: starts('ID3'), also: /^audio\//, always: [] }, // the tag stands before other sounds, too
  { type: 'application/zip', begins: starts('PK\x03\x04', 'PK\x05\x06'), also: /^application\/|^model\// },
  { type: 'application/gzip', begins: starts('\x1f\x8b\x08'), also: /^application\/|^image\/svg\+xml$/ },
  { type: 'application/x-7z-compressed', begins: starts('7z\xbc\xaf\x27\x1c') },
]

/** Says nothing of the bytes. */
export const ANY_BYTES = 'application/octet-stream'

/** A media type as it is compared: in lower case, without parameters; what says nothing is `ANY_BYTES`. */
export const plainType = (mediaType: string): string => mediaType.split(';', 1)[0]?.trim().toLowerCase() || ANY_BYTES

/** By the first `HEAD_BYTES` bytes; undefined: it is not known. */
export const typeOfBytes = (head: Uint8Array): string | undefined => formats.find(({ begins }) => begins(head))?.type

/**
 * What the first `HEAD_BYTES` bytes are instead, if they contradict the media type: another type, or '' if it is not
 * known. Undefined: they can be it.
 */
export function contradiction(mediaType: string, head: Uint8Array): string | undefined {
  if (mediaType === ANY_BYTES) return undefined
  const format = formats.find(({ begins }) => begins(head))
  if (format?.type === mediaType) return undefined
  const isSure = formats.some(({ type, always = [type] }) => always.includes(mediaType))
  const fits = format && (format.always?.includes(mediaType) || (!isSure && format.also?.test(mediaType)))
  if (format) return fits ? undefined : format.type
  return isSure ? '' : undefined
}

/** Whether a list such as `['image/png', 'text/*']` holds a type. */
export const isAllowed = (type: string, types: readonly string[]): boolean =>
  types.some((one) => one === type || one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))))
