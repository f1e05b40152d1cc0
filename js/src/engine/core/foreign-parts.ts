// Results in the shape of the Model Context Protocol, as its clients return them: `{ content: [{ type: 'image', data,
// mimeType }] }`. One with a picture is read as parts: as JSON its base64 would be read by the person and the model.
import type { ResultPart } from './events.js'
import { isObject } from './options.js'

interface Item {
  type: string
  text?: unknown
  data?: unknown
  mimeType?: unknown
  resource?: unknown
}

const isItem = (value: unknown): value is Item => isObject(value) && typeof value['type'] === 'string'
/** Of a picture only: what else is called one is named, and not sent. */
export const isPicture = ({ type, data, mimeType }: { type?: unknown; data?: unknown; mimeType?: unknown }): boolean =>
  type === 'image' &&
  typeof data === 'string' &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(data) &&
  typeof mimeType === 'string' &&
  /^image\/[\w.+-]+$/i.test(mimeType)

/**
 * The parts of such a result, or the text of its failure; undefined for any other value, also for one without a
 * picture.
 */
export function foreignParts(value: unknown): ResultPart[] | { failure: string } | undefined {
  if (!isObject(value) || !Array.isArray(value['content']) || !value['content'].every(isItem)) return undefined
  const items = value['content'] as Item[]
  if (!items.some(({ type }) => type === 'image')) return undefined
  const parts = items.map(partOf)
  if (value['structuredContent'] !== undefined)
    parts.push({ type: 'text', text: JSON.stringify(value['structuredContent']) })
  if (value['isError'] !== true) return parts
  return { failure: parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n') || 'the tool failed' }
}

function partOf(item: Item): ResultPart {
  if (isPicture(item))
    return { type: 'image', mediaType: (item.mimeType as string).toLowerCase(), data: item.data as string }
  if (item.type === 'text' && typeof item.text === 'string') return { type: 'text', text: item.text }
  return {
    type: 'text',
    text: JSON.stringify(item, (name, member: unknown) => (name === 'data' || name === 'blob' ? undefined : member)),
  }
}
