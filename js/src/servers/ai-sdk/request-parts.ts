// Files of a prompt, as OpenAI's chat completions have them.
import { fromBase64, toBase64 } from '../../engine/core/base64.js'
import { utf8 } from '../../engine/core/bytes.js'
import { SluiceError } from '../../engine/core/errors.js'
import { shown } from '../../engine/core/options.js'
import type { PromptPart } from './prompt.js'

/** Where a file is: version 7 says it in an object. */
interface FileData {
  type: string
  data?: unknown
  url?: unknown
  text?: unknown
}

/**
 * A part of a user's message that is no text. Throws SluiceError `unsupported` for what the format has no place for.
 */
export function requestPart(part: PromptPart): object {
  const { mediaType, filename } = part
  const type = typeof mediaType === 'string' ? mediaType.toLowerCase() : ''
  const { url, base64, text } = dataOf(part['data'])
  if (type.startsWith('text/') && (text ?? base64) !== undefined)
    return { type: 'text', text: text ?? utf8(fromBase64(base64 as string)) }
  const precise = /^image(?:\/\*)?$/.test(type) ? 'image/jpeg' : type
  const address = url ?? (base64 === undefined ? undefined : `data:${precise};base64,${base64}`)
  if (precise.startsWith('image/') && address !== undefined) return { type: 'image_url', image_url: { url: address } }
  const [, format] = /^audio\/(?:x-)?(wav|mp3|mpeg)$/.exec(type) ?? []
  if (format !== undefined && base64 !== undefined)
    return { type: 'input_audio', input_audio: { data: base64, format: format === 'wav' ? 'wav' : 'mp3' } }
  if (type === 'application/pdf' && base64 !== undefined)
    return {
      type: 'file',
      file: { filename: typeof filename === 'string' ? filename : 'document.pdf', file_data: address },
    }
  throw new SluiceError({
    code: 'unsupported',
    path: 'prompt',
    detail: `found a ${part.type} of type ${shown(mediaType)}, expected a picture, WAV or MP3, a PDF, or text`,
  })
}

/** A file, in any of the forms in which both versions give it. */
export function dataOf(data: unknown): { url?: string; base64?: string; text?: string } {
  if (data instanceof URL) return { url: data.href }
  if (typeof data === 'string') return /^https?:\/\//i.test(data) ? { url: data } : { base64: data }
  if (data instanceof Uint8Array) return { base64: toBase64(data) }
  const { type, data: inner, url, text } = (data ?? {}) as FileData
  if (type === 'text' && typeof text === 'string') return { text }
  return type === 'url' ? { url: String(url) } : type === 'data' ? dataOf(inner) : {}
}
