import type { ChatMessage } from '../../engine/core/events.js'
import type { EntryPart } from '../bridge/messages.js'
import { mapMedia, withPictures } from './blobs.js'
import { branchFiles, fileOfPart } from './branch-files.js'
import {
  formBy,
  formOf,
  withFiles,
  type FileBytes,
  type FileForm,
  type FileForModel,
  type QuestionForModel,
} from './files-for-model.js'
import { onlyHeard } from './heard-text.js'
import { recent, tokensOf } from './recent.js'
import type { ConversationEntry } from './conversation-types.js'

/** What `messagesForModel` takes beside the branch. */
export interface MessagesOptions {
  /** The system message to put in front. */
  system?: string | undefined
  /**
   * Gives the bytes of a picture or a file by its ref: `(ref) => store.bytes(id, ref)`. Without it pictures stay
   * addresses that no provider can read, and files are named.
   */
  bytes?: (ref: string) => Promise<Uint8Array | null>
  /**
   * What the model reads of a file: `bytes`, `text` in a fence, or `name`: a line such as `[file_3fa2c1: a.mp4,
   * video/mp4, 3.1 MB]`. Default: pictures `bytes`, text and JSON of up to 64 KiB `text`, all else `name`. Rejects with
   * SluiceError `option` where it says something else.
   */
  toModel?: ((file: FileForModel) => FileForm) | undefined
  /** `trim`: of an answer whose voice was interrupted the model is told what was heard. Default `note`: all of it. */
  heard?: 'note' | 'trim' | undefined
  /**
   * About how many tokens the messages may have: what was said first is left out, question by question; the last
   * question stays. Default: no limit.
   */
  maxTokens?: number | undefined
}

/**
 * The messages to send to a model for a branch (see `pathToEntry`): each question, followed by the messages of its
 * answer. A question whose answer added nothing is joined with the next question, since some templates refuse two in a
 * row. Where the model took no pictures, what was said before that is told without them: the conversation can go on.
 */
export async function messagesForModel(
  branch: readonly ConversationEntry[],
  { system, bytes = async () => null, toModel = formOf, heard = 'note', maxTokens = Infinity }: MessagesOptions = {},
): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }]
  const files = branchFiles(branch)
  const path = recent(branch, maxTokens - tokensOf(system ?? ''), (part) => {
    const file = fileOfPart(part, files)
    return file && { bytes: file.bytes, form: formBy(toModel, file) }
  })
  const refused = path.findLastIndex(refusedPictures)
  let asked: QuestionForModel[] = []
  for (const [at, entry] of path.entries()) {
    if (entry.role === 'user') asked.push(await withFiles(at < refused ? named(entry) : entry, files, toModel, bytes))
    const sent =
      entry.heard && heard === 'trim' ? onlyHeard(entry.history ?? [], entry.message, entry.heard) : entry.history
    const history = at <= refused ? sent?.map(withoutSight) : sent
    if (entry.role === 'user' || !history?.length) continue
    if (asked.length > 0) messages.push(questionOf(asked))
    messages.push(...(await withPictures({ history }, bytes)).history)
    asked = []
  }
  return asked.length > 0 ? [...messages, questionOf(asked)] : messages
}

/** What was asked, in one message. */
export function questionOf(
  asked: readonly { text?: string; parts?: readonly (EntryPart | FileBytes)[] }[],
): ChatMessage {
  const text = asked.flatMap((one) => one.text || []).join('\n\n')
  const parts = asked.flatMap((one) => one.parts ?? []).flatMap(partOf)
  if (parts.length === 0) return { role: 'user', content: text }
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }
}

/** In the place of a picture. */
const NAME = '[picture]'

function named(entry: ConversationEntry): ConversationEntry {
  const { text = '', parts = [] } = entry
  const others = parts.filter(({ type }) => type !== 'image')
  return {
    ...entry,
    parts: others,
    text: [...Array<string>(parts.length - others.length).fill(NAME), text].filter(Boolean).join('\n\n'),
  }
}

/** The answer ended because its model takes no pictures. */
const refusedPictures = ({ message }: ConversationEntry): boolean =>
  message?.outcome === 'failed' &&
  message.blocks.some((block) => block?.type === 'error' && block.code === 'pictures_unsupported')

/** The message with a name in the place of each picture. A picture that the model made keeps its media type. */
function withoutSight(given: ChatMessage): ChatMessage {
  const message = mapMedia(given, (part) =>
    part?.type === 'image' ? { type: 'file', mediaType: 'mediaType' in part ? part.mediaType : 'image/*' } : part,
  )
  const { content } = message
  if (!Array.isArray(content) || !content.some(isPicture)) return message
  return { ...message, content: content.map((part) => (isPicture(part) ? { type: 'text', text: NAME } : part)) }
}

const isPicture = (part: unknown): boolean => (part as { type?: unknown } | null)?.type === 'image_url'

function partOf(part: EntryPart | FileBytes): object[] {
  if (part.type === 'bytes') return [{ type: 'file', file: { filename: part.name, file_data: part.url } }]
  if (part.type === 'file') return []
  if (part.type === 'text') return [{ type: 'text', text: part.text }]
  return [
    { type: 'image_url', image_url: { url: 'data' in part ? `data:${part.mediaType};base64,${part.data}` : part.url } },
  ]
}
