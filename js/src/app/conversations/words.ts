// The texts of a conversation: its title, the text that a search looks through, and exports.
import type { CardView } from '../bridge/messages.js'
import { toBase64 } from '../../engine/core/base64.js'
import { shownSize } from '../bridge/shown-size.js'
import { blobMediaType, blobRef, pictureRefs, refsOf } from './blobs.js'
import { pathToEntry } from './entry-tree.js'
import type { Conversation, ConversationEntry } from './conversation-types.js'
import type { MediaPart, Source } from '../../engine/core/events.js'

const MAX_TITLE = 80
const AROUND = 80
const MAX_FOUND = 200

/** The first line of the first question. */
export function titleOf(entries: Iterable<ConversationEntry>): string {
  for (const { role, text, first } of entries) {
    const line =
      role === 'user' && !first
        ? text
            ?.split('\n')
            .find((one) => one.trim() !== '')
            ?.trim()
        : undefined
    if (line !== undefined) return line.length > MAX_TITLE ? `${cut(line, MAX_TITLE - 1)}…` : line
  }
  return ''
}

/** What an app, or its model, calls a conversation: one line, without the quotes that models like to put around it. */
export function shortTitle(given: unknown): string {
  const line =
    typeof given === 'string'
      ? given
          .replace(/\s+/g, ' ')
          .trim()
          .replace(/^["“”'«「『](.*)["“”'»」』]$/u, '$1')
          .trim()
      : ''
  return line.length > MAX_TITLE ? `${cut(line, MAX_TITLE - 1)}…` : line
}

/** The text of an entry that a person can read. */
export function textOf({ text, message, first }: ConversationEntry): string {
  if (first) return ''
  if (text !== undefined) return text
  const blocks = Array.isArray(message?.blocks) ? message.blocks : []
  return blocks
    .map((block, at) => (block?.type === 'text' ? (blocks[at - 1]?.type === 'text' ? '\n\n' : '') + block.text : ''))
    .join('')
}

/** A text as a search compares it: in lower case, and without NUL, at which SQLite would end it. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('\0', ' ')

/** The text around the first match, in one line. */
export function excerpt(text: string, query: string): string {
  const at = Math.max(0, folded(text).indexOf(folded(query)))
  const start = Math.max(0, at - AROUND)
  const piece = cut(text.slice(start), MAX_FOUND - 2)
    .replace(/^[\uDC00-\uDFFF]/, '')
    .replace(/\s+/g, ' ')
  return `${start > 0 ? '…' : ''}${piece}${start + piece.length < text.length ? '…' : ''}`
}

/** Cuts a text without splitting a character. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** See `Conversations.export`. */
export async function exported(
  conversation: Conversation,
  as: 'json' | 'markdown',
  read: (ref: string) => Promise<Uint8Array | null>,
): Promise<string> {
  const entries = as === 'json' ? conversation.entries : pathToEntry(conversation)
  const blobs: { [ref: string]: string } = {}
  for (const ref of as === 'json' ? refsOf(entries) : entries.flatMap((entry) => [...pictureRefs(entry)])) {
    const bytes = await read(ref)
    if (bytes) blobs[ref] = toBase64(bytes)
  }
  if (as === 'json') return `${JSON.stringify({ ...conversation, blobs }, null, 2)}\n`
  return `# ${conversation.title.replace(/\n/g, ' ')}\n\n${entries
    .filter(({ first }) => !first)
    .map((entry) => markdownOf(entry, blobs))
    .join('\n\n')}\n`
}

function markdownOf(entry: ConversationEntry, blobs: { [ref: string]: string }): string {
  const { role, at, text = '', parts = [], message } = entry
  const attached = parts.flatMap((part) => {
    if (part.type === 'image') return `![](${pictureUrl(part, blobs)})`
    return part.type === 'file' ? `> ${oneLine(part.name)}, ${part.mediaType}, ${shownSize(part.bytes)}` : []
  })
  const blocks = (message?.blocks ?? []).flatMap((block) => {
    if (block?.type === 'text') return [block.text.trim(), sourcesOf(block.sources)]
    if (block?.type === 'media') return block.parts.map((part) => mediaOf(part, blobs))
    if (block?.type === 'error') return `> ${block.code}: ${oneLine(block.detail)}`
    return block?.type === 'tool_use' ? callOf(block) : []
  })
  const said = [text, ...attached, ...blocks].filter((one) => one !== '')
  return [`**${role === 'user' ? 'You' : 'Assistant'}**, ${new Date(at).toISOString()}`, ...said].join('\n\n')
}

/** The line of a call, and those of the calls that its tool made. */
function callOf({ name, editedArguments, arguments: args = {}, status, nested = [] }: CardView): string {
  const line = `> ${name ?? '?'}(${oneLine(JSON.stringify(editedArguments ?? args))}): ${status ?? '?'}`
  return [line, ...nested.map((one) => callOf(one).replace(/^/gm, '> '))].join('\n')
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const sourcesOf = (sources: readonly Source[] = []): string =>
  sources
    .map(({ url, title, id }, at) => `${at + 1}. ${oneLine(title ?? id ?? '')}${url === undefined ? '' : ` <${url}>`}`)
    .join('\n')

const mediaOf = (part: MediaPart, blobs: { [ref: string]: string }): string =>
  part.type === 'image'
    ? `![](${pictureUrl(part, blobs)})`
    : `> ${oneLine([part.name ?? part.mediaType ?? part.id ?? 'a file', part.url].filter(Boolean).join(' '))}`

function pictureUrl(
  part: { mediaType: string; data: string } | { url: string },
  blobs: { [ref: string]: string },
): string {
  if ('data' in part) return `data:${part.mediaType};base64,${part.data}`
  const ref = blobRef(part.url)
  return ref === undefined || blobs[ref] === undefined ? part.url : `data:${blobMediaType(ref)};base64,${blobs[ref]}`
}
