import type { CardFields, Part } from '../../engine/core/events.js'
import type { ContentPart } from './ag-ui-types.js'

/** What is told of a result: a text, and to clients that read them parts where there are pictures. */
export function contentOf({ told, output, error, status, parts, rewritten }: CardFields, asParts: boolean): string | ContentPart[] {
  const pieces = rewritten ? rewritten.parts : parts
  if (asParts && status === 'success' && pieces?.some(({ type }) => type === 'image')) return pieces.map(partOf)
  return told ?? (status === 'success' ? output : error) ?? String(status)
}

function partOf(part: Part): ContentPart {
  if (part.type !== 'image') return part
  return { type: 'image', source: 'data' in part ? { type: 'data', value: part.data, mimeType: part.mediaType } : { type: 'url', value: part.url } }
}
