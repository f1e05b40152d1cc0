import type { CardFields, ResultPart } from '../../engine/core/events.js'
import type { AGUIContentPart } from './ag-ui-types.js'

/** What is told of a result: a text, and to clients that read them parts where there are pictures. */
export function contentOf(
  { modelOutput, output, error, status, parts, hostOutput }: CardFields,
  asParts: boolean,
): string | AGUIContentPart[] {
  const pieces = hostOutput ? hostOutput.parts : parts
  if (asParts && status === 'success' && pieces?.some(({ type }) => type === 'image')) return pieces.map(partOf)
  return modelOutput ?? (status === 'success' ? output : error) ?? String(status)
}

function partOf(part: ResultPart): AGUIContentPart {
  if (part.type !== 'image') return part
  return {
    type: 'image',
    source:
      'data' in part ? { type: 'data', value: part.data, mimeType: part.mediaType } : { type: 'url', value: part.url },
  }
}
