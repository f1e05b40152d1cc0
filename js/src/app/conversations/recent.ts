// The end of a branch that a model has room for.
import type { EntryPart } from '../bridge/messages.js'
import type { FileForm } from './files-for-model.js'
import type { ConversationEntry } from './conversation-types.js'

/**
 * Where the branch is too long, so much of the room is filled: the next messages fit too, and a provider finds again
 * what it read before.
 */
const FILLED = 0.75
/** Of a picture, or of a file whose bytes the model gets, whatever its size. */
const PICTURE = 1000
/** Of the line that names a file. */
const NAME = 40

/** A Chinese, Japanese or Korean character is about one token, others are a quarter of one. */
export function tokensOf(text: string): number {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x2e80) wide++
  return Math.ceil(wide + (text.length - wide) / 4)
}

/** What a model gets of the file of a part. Undefined: the part is not a file. */
type FileSize = (part: EntryPart) => { bytes: number; form: FileForm } | undefined

function sizeOf({ text = '', parts = [], history = [] }: ConversationEntry, fileOf: FileSize): number {
  const words = tokensOf(text) + (history.length > 0 ? tokensOf(JSON.stringify(history)) : 0)
  return parts.reduce((sum, part) => sum + partSize(part, fileOf), words)
}

function partSize(part: EntryPart, fileOf: FileSize): number {
  const { bytes, form } = fileOf(part) ?? {}
  if (form === 'name') return NAME
  if (form === 'text') return Math.ceil((bytes as number) / 3)
  return part.type === 'text' ? 0 : PICTURE
}

/**
 * The branch without what was said first, from a question on. The last question stays, however long it is. The
 * beginning depends on nothing but what was said: it moves only where the room is full.
 */
export function recent(
  path: readonly ConversationEntry[],
  maxTokens: number,
  fileOf: FileSize,
): readonly ConversationEntry[] {
  if (maxTokens === Infinity) return path
  const sizes = path.map((entry) => sizeOf(entry, fileOf))
  let [from, last, sum] = [0, 0, 0] // where it begins, the last question, and what stands from there to here
  for (const [at, entry] of path.entries()) {
    if (entry.role === 'user') last = at
    sum += sizes[at] as number
    if (sum <= maxTokens) continue
    while (sum > maxTokens * FILLED && from < last) {
      do sum -= sizes[from++] as number
      while (path[from]?.role !== 'user')
    }
  }
  return path.slice(from)
}
