// Sources, pictures and files of an answer, in words for the terminal; and the folder that pictures and files go to.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileExtension } from '../../app/bridge/file-extension.js'
import { escapeInvisible } from '../../app/bridge/invisible.js'
import { base64Size } from '../../engine/core/base64.js'
import type { FilePart, MediaPart, Source } from '../../engine/core/events.js'
import { fit } from './rows.js'

/** Columns of a title, a name or a media type. */
const NAME = 120
/** So many names are tried before a file is given up. */
const MOST_NAMES = 10_000

const short = (text = ''): string => fit(escapeInvisible(text.replace(/\s+/g, ' ').trim()), NAME)

/** One line for each page or file, however often the text comes from it: `Oslo https://weather.example/oslo`. */
export function sourceLines(sources: readonly Source[]): string[] {
  const lines = new Map<string, string>()
  for (const { url, title, id } of sources) {
    const key = url ?? title ?? id ?? ''
    const words = [short(title ?? id), url === undefined ? '' : escapeInvisible(url)].filter(Boolean).join(' ')
    if (!lines.has(key)) lines.set(key, words)
  }
  return [...lines.values()]
}

/** `image/png, 12 kB`; the name or the address where there is one. */
export function partWords(part: MediaPart): string {
  const { type, mediaType, data, url, name, id } = part as Omit<FilePart, 'type'> & { type: string }
  return [
    short(mediaType ?? (type === 'image' ? 'a picture' : 'a file')),
    short(name ?? (data === undefined && url === undefined ? id : undefined)),
    data === undefined ? '' : bytes(base64Size(data)),
    url === undefined ? '' : escapeInvisible(url),
  ]
    .filter(Boolean)
    .join(', ')
}

const bytes = (count: number): string =>
  count < 1000
    ? `${count} bytes`
    : count < 999_500
      ? `${Math.round(count / 1000)} kB`
      : `${(count / 1_000_000).toFixed(1)} MB`

/** A folder that gets the pictures and files of answers. What is there already stays as it is. */
export class MediaFolder {
  readonly #path: string
  #count = 0

  /** Creates the folder where there is none. Throws what the file system throws. */
  constructor(path: string) {
    mkdirSync(path, { recursive: true })
    this.#path = path
  }

  /**
   * Writes a part to a new file and returns its path. Undefined for a part without data. Throws what the file system
   * throws.
   */
  save(part: MediaPart): string | undefined {
    const { type, mediaType, data, id } = part as Omit<FilePart, 'type'> & { type: string }
    if (data === undefined) return undefined
    const kind = type === 'image' ? 'picture' : 'file'
    const stem = `${kind}-${id === undefined ? ++this.#count : id.replace(/[^\w-]/g, '_').slice(0, 60)}`
    const content = Buffer.from(data, 'base64')
    for (let version = 1; version <= MOST_NAMES; version++) {
      const path = join(this.#path, `${stem}${version === 1 ? '' : `-${version}`}.${fileExtension(mediaType)}`)
      try {
        writeFileSync(path, content, { flag: 'wx' })
        return path
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    }
    throw new Error(`${stem}: found ${MOST_NAMES} files of this name`)
  }
}
