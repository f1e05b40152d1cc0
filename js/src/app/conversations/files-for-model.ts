// What a model reads of the files of a question: their bytes, their text, or a line with their names.
import { toBase64 } from '../../engine/core/base64.js'
import { SluiceError } from '../../engine/core/errors.js'
import { shownSize } from '../bridge/shown-size.js'
import type { EntryPart } from '../bridge/messages.js'
import { withPictures } from './blobs.js'
import { fileOfPart, type BranchFile, type BranchFiles } from './branch-files.js'
import type { ConversationEntry } from './conversation-types.js'

/** What a model reads of a file: its bytes, its text in a fence, or a line with its name, type and size. */
export type FileForm = 'bytes' | 'text' | 'name'

/** A file of a person, as `toModel` sees it. */
export interface FileForModel {
  readonly name: string
  /** In lower case, without parameters. */
  readonly mediaType: string
  /** Its size in bytes. */
  readonly bytes: number
}

/** A question as a model reads it: files are in its text, or are parts with their bytes. */
export interface QuestionForModel {
  text: string
  parts: (EntryPart | FileBytes)[]
}

/** A file whose bytes the model gets. */
export interface FileBytes {
  type: 'bytes'
  name: string
  /** A `data:` URL. */
  url: string
}

export type ReadBlob = (ref: string) => Promise<Uint8Array | null>

/** A larger text is named only. */
const MAX_TEXT = 64 * 1024

const isText = (type: string): boolean => type.startsWith('text/') || /^application\/(?:[a-z0-9.-]+\+)?json$/.test(type)

/** Pictures as bytes; text and JSON of up to 64 KiB as text; all else by name. */
export function formOf({ mediaType, bytes }: FileForModel): FileForm {
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return 'bytes'
  return isText(mediaType) && bytes <= MAX_TEXT ? 'text' : 'name'
}

/** What `toModel` says of a file. Throws SluiceError `option` where it says something else. */
export function formBy(toModel: (file: FileForModel) => FileForm, { name, mediaType, bytes }: BranchFile): FileForm {
  const form: unknown = toModel({ name, mediaType, bytes })
  if (form === 'bytes' || form === 'text' || form === 'name') return form
  const found = typeof form === 'string' ? JSON.stringify(form.slice(0, 60)) : `a value of the type ${typeof form}`
  throw new SluiceError({
    code: 'option',
    path: 'toModel()',
    detail: `found ${found}, expected 'bytes', 'text' or 'name'`,
  })
}

/** The question with its files as `toModel` wants them. A file whose bytes are gone is named. */
export async function withFiles(
  { text = '', parts = [] }: ConversationEntry,
  files: BranchFiles,
  toModel: (file: FileForModel) => FileForm,
  read: ReadBlob,
): Promise<QuestionForModel> {
  const lines: string[] = []
  const others: QuestionForModel['parts'] = []
  for (const part of parts) {
    const file = fileOfPart(part, files)
    if (!file) {
      if (part.type !== 'file') others.push(...(await withPictures({ parts: [part] }, read)).parts)
      continue
    }
    const form = formBy(toModel, file)
    const bytes = form === 'name' ? null : await read(file.ref)
    const words = form === 'text' && bytes ? decoded(bytes) : undefined
    if (form === 'bytes' && bytes) others.push(bytesOf(file, bytes))
    else lines.push(words === undefined ? lineOf(file) : `${lineOf(file)}\n${fenced(words)}`)
  }
  return { text: [text, ...lines].filter((one) => one !== '').join('\n\n'), parts: others }
}

const bytesOf = ({ name, mediaType }: BranchFile, bytes: Uint8Array): EntryPart | FileBytes => {
  const data = toBase64(bytes)
  return /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)
    ? { type: 'image', mediaType, data }
    : { type: 'bytes', name, url: `data:${mediaType};base64,${data}` }
}

/** What a model reads in place of a file. Brackets of the name would end the line early. */
function lineOf({ number, name, mediaType, bytes }: BranchFile): string {
  const plain = name.replaceAll('[', '(').replaceAll(']', ')')
  return `[${number}: ${plain}, ${mediaType}, ${shownSize(bytes)}]`
}

/** Undefined: it is not UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** In a fence that nothing in the text ends. */
function fenced(text: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}
