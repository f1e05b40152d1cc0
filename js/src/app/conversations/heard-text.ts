// What a person heard of an answer before they interrupted the voice: a place in what is shown, so that no window can
// put words into it.
import type { ChatMessage } from '../../engine/core/events.js'
import type { HeardRecord, HeardPosition, SavedMessage } from './conversation-types.js'

const WORDS = 80

/** The text blocks, and how much of each was heard. Undefined: there is no such place. */
function blocksOf(
  { blocks }: Pick<SavedMessage, 'blocks'>,
  { block, to }: HeardPosition,
): { text: string; heard: number }[] | undefined {
  if (blocks[block]?.type !== 'text') return undefined
  let left = to
  return blocks.flatMap((one, at) => {
    if (one?.type !== 'text' || one.retracted) return []
    if (at < block) return [{ text: one.text, heard: one.text.length }]
    const heard = Math.min(left, one.text.length)
    left -= heard
    return [{ text: one.text, heard }]
  })
}

/** What an entry keeps of it; undefined where there is no such place, or all of it was heard. */
export function heardOf(
  message: Pick<SavedMessage, 'blocks' | 'outcome'>,
  place: HeardPosition,
): HeardRecord | undefined {
  const blocks = blocksOf(message, place)
  if (!blocks) return undefined
  if (message.outcome !== undefined && blocks.every(({ text, heard }) => text.slice(heard).trim() === ''))
    return undefined
  const all = blocks
    .map(({ text, heard }) => text.slice(0, heard))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
  const cut = all.slice(-WORDS).replace(/^[\uDC00-\uDFFF]/, '')
  return {
    block: place.block,
    to: place.to,
    text: cut.length < all.length ? `…${cut.replace(/^[^\s\u3000-\u9fff]{0,20}\s/, '')}` : cut,
  }
}

/**
 * The messages of an answer for the model, without the text that was not heard. Its calls and their results stay: they
 * happened.
 */
export function onlyHeard(
  history: readonly ChatMessage[],
  message: SavedMessage | undefined,
  place: HeardPosition,
): ChatMessage[] {
  const blocks = message && blocksOf(message, place)
  if (!blocks) return [...history]
  let at = 0
  const trimmed = (text: string): string => {
    let [kept, from] = ['', 0]
    while (at < blocks.length) {
      const { text: block, heard } = blocks[at] as { text: string; heard: number }
      const found = block === '' ? from : text.indexOf(block, from)
      if (found < 0) break // of another message
      kept += text.slice(from, found) + block.slice(0, heard)
      from = found + block.length
      at++
    }
    return kept + text.slice(from)
  }
  return history.flatMap((one): ChatMessage[] => {
    if (one['role'] !== 'assistant') return [one]
    const { content, tool_calls: calls } = one
    const left =
      typeof content === 'string'
        ? trimmed(content)
        : Array.isArray(content)
          ? content.map((part) => trimmedPart(part, trimmed))
          : content
    const empty =
      typeof left === 'string'
        ? left.trim() === ''
        : Array.isArray(left) && left.every((part) => (part as { text?: unknown }).text === '')
    if (!empty) return [{ ...one, content: left } as ChatMessage]
    return Array.isArray(calls) && calls.length > 0 ? [{ ...one, content: null } as ChatMessage] : []
  })
}

function trimmedPart(part: unknown, trimmed: (text: string) => string): unknown {
  const { type, text } = part as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' ? { ...(part as object), text: trimmed(text) } : part
}
