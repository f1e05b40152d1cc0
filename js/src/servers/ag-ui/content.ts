import type { CardFields, FilePart, ResultPart } from '../../engine/core/events.js'
import type { AGUIContentPart } from './ag-ui-types.js'

/** What is told of a result: a text, and to clients that read them parts where there are pictures. */
export function contentOf(
  { modelOutput, output, error, status, parts, hostOutput }: CardFields,
  asParts: boolean,
): string | AGUIContentPart[] {
  const pieces = hostOutput ? hostOutput.parts : parts
  if (asParts && status === 'success' && pieces?.some(({ type }) => type === 'image'))
    return (pieces as (ResultPart | FilePart)[]).flatMap(partOf)
  return modelOutput ?? (status === 'success' ? output : error) ?? String(status)
}

function partOf(part: ResultPart | FilePart): AGUIContentPart | [] {
  if (part.type === 'text') return part
  if (part.type === 'file') {
    const { mediaType = 'application/octet-stream', data, url } = part
    if (data !== undefined) return { type: 'document', source: { type: 'data', value: data, mimeType: mediaType } }
    return url === undefined ? [] : { type: 'document', source: { type: 'url', value: url } }
  }
  return {
    type: 'image',
    source:
      'data' in part ? { type: 'data', value: part.data, mimeType: part.mediaType } : { type: 'url', value: part.url },
  }
}
