import type { ChatMessage, Part } from '../core/events.js'
import { withPictures } from './blobs.js'
import { onlyHeard } from './heard.js'
import type { Entry } from './types.js'

/** What `messagesOf` takes beside the branch. */
export interface MessagesOptions {
  /** The system message to put in front. */
  system?: string | undefined
  /** Gives the bytes of a picture by its ref: `(ref) => store.bytes(id, ref)`. Without it pictures stay addresses that no provider can read. */
  bytes?: (ref: string) => Promise<Uint8Array | null>
  /** `trim`: of an answer whose voice was interrupted the model is told what was heard. Default `note`: all of it. */
  heard?: 'note' | 'trim' | undefined
}

/**
 * The messages to send to a model for a branch (see `pathOf`): each question, followed by the messages of its answer. A question whose answer
 * added nothing is joined with the next question, since some templates refuse two in a row.
 */
export async function messagesOf(path: readonly Entry[], { system, bytes = async () => null, heard = 'note' }: MessagesOptions = {}): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }]
  let asked: Entry[] = []
  for (const entry of path) {
    if (entry.role === 'user') asked.push(await withPictures(entry, bytes))
    const history = entry.heard && heard === 'trim' ? onlyHeard(entry.history ?? [], entry.message, entry.heard) : entry.history
    if (entry.role === 'user' || !history?.length) continue
    if (asked.length > 0) messages.push(questionOf(asked))
    messages.push(...(await withPictures({ history }, bytes)).history)
    asked = []
  }
  return asked.length > 0 ? [...messages, questionOf(asked)] : messages
}

function questionOf(asked: readonly Entry[]): ChatMessage {
  const text = asked.flatMap((one) => one.text || []).join('\n\n')
  const parts = asked.flatMap((one) => one.parts ?? []).flatMap(partOf)
  if (parts.length === 0) return { role: 'user', content: text }
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }
}

function partOf(part: Part): object[] {
  if (part.type !== 'image') return [{ type: 'text', text: part.text }]
  return [{ type: 'image_url', image_url: { url: 'data' in part ? `data:${part.mediaType};base64,${part.data}` : part.url } }]
}
