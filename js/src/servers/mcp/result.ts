// The result of a call, as the model and people read it.
import type { Json, ResultPart } from '../../engine/core/events.js'
import { isPicture } from '../../engine/core/foreign-parts.js'
import { isObject } from '../../engine/core/options.js'
import { ToolError } from '../../engine/core/tool-error.js'
import { resultParts } from '../../engine/core/turn.js'
import { canonical } from './definition.js'

/** So many pieces of a result are read. */
const MOST_ITEMS = 1000

/** A result of `tools/call` as `execute` returns it. Throws what the tool said where it failed. */
export function valueOf(result: unknown): unknown {
  if (!isObject(result)) throw new Error('the server gave no result')
  const { content, structuredContent: structured, isError } = result
  const items = Array.isArray(content) ? (content as unknown[]) : []
  if (isError === true)
    throw new ToolError(
      textOf(items.slice(0, MOST_ITEMS).map(partOf)) ||
        (structured === undefined ? 'the tool failed, and does not say why' : JSON.stringify(structured)),
    )
  const isTwin = twinOf(structured)
  const modelOutput = items
    .slice(0, MOST_ITEMS)
    .filter((item) => !isTwin(item))
    .map(partOf)
  if (items.length > MOST_ITEMS)
    modelOutput.push({ type: 'text', text: `[${items.length - MOST_ITEMS} more pieces of the result are left out]` })
  if (structured !== undefined && modelOutput.length === 0) return structured
  if (structured !== undefined) modelOutput.unshift({ type: 'text', text: JSON.stringify(structured) })
  if (modelOutput.length === 0) return undefined
  return modelOutput.some(({ type }) => type === 'image') ? resultParts(...modelOutput) : textOf(modelOutput)
}

const textOf = (parts: readonly ResultPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')

/** Does a piece of text only repeat what `structuredContent` has: as JSON, or one of its own texts? */
function twinOf(structured: unknown): (item: unknown) => boolean {
  if (structured === undefined) return () => false
  const texts = new Set(
    isObject(structured) ? Object.values(structured).filter((value) => typeof value === 'string') : [],
  )
  let whole: string | undefined
  return (item) => {
    if (!isObject(item) || item['type'] !== 'text' || typeof item['text'] !== 'string') return false
    if (texts.has(item['text'])) return true
    try {
      const said = canonical(JSON.parse(item['text']) as Json)
      return said === (whole ??= canonical(structured as Json))
    } catch {
      return false // no JSON, or too deep to compare
    }
  }
}

function partOf(item: unknown): ResultPart {
  if (!isObject(item) || typeof item['type'] !== 'string')
    return { type: 'text', text: '[a piece of the result cannot be read]' }
  if (isPicture(item))
    return { type: 'image', mediaType: String(item['mimeType']).toLowerCase(), data: String(item['data']) }
  return { type: 'text', text: noteOf(item as { type: string; [member: string]: unknown }) }
}

function noteOf(item: { type: string; [member: string]: unknown }): string {
  const { type, text, name, uri, description, resource } = item
  if (type === 'text' && typeof text === 'string') return text
  if (type === 'resource_link')
    return [`${String(name)}: ${String(uri)}`, ...(typeof description === 'string' ? [description] : [])].join('\n')
  if (type === 'resource' && isObject(resource)) {
    const address = String(resource['uri'])
    return typeof resource['text'] === 'string'
      ? `${address}:\n${resource['text']}`
      : `[${address}: ${sizeOf(resource['blob'], resource['mimeType'])}, not shown]`
  }
  return `[${type.slice(0, 60)}: ${sizeOf(item['data'], item['mimeType'])}, not shown]`
}

/** Of bytes in base64. */
function sizeOf(data: unknown, mediaType: unknown): string {
  const kind = typeof mediaType === 'string' ? mediaType.slice(0, 100) : 'of no known kind'
  return typeof data === 'string' ? `${kind}, ${Math.floor((data.length * 3) / 4).toLocaleString('en')} bytes` : kind
}
