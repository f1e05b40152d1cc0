import type { IncomingMessage, ServerResponse } from 'node:http'
import { Gathered } from '../../engine/core/bytes.js'
import { HttpRefusal } from './http-refusal.js'

/** A page's settings are small. */
export const MAX_BODY_BYTES = 1024 * 1024
/** A message with what is attached to it, in base64, and the text beside it. */
export const maxCallBytes = (attachedBytes: number): number =>
  Math.max(16 * 1024 * 1024, Math.ceil(attachedBytes / 3) * 4 + 4 * 1024 * 1024)

/** Reads the body of a POST. Stops reading when it is too large. */
export async function readJson(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<unknown> {
  const type = request.headers['content-type'] ?? ''
  // A form of another page can send text/plain, but never this.
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new HttpRefusal(415, `content-type: found '${type}', expected application/json`)
  if (request.headers['content-encoding'] !== undefined)
    throw new HttpRefusal(415, 'content-encoding: found one, expected none')
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.headers.expect !== undefined) response.writeContinue()
  const all = new Gathered()
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (all.size + piece.length > maxBytes) throw tooLarge(maxBytes)
    all.add(piece)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(all.take()))
  } catch (error) {
    throw new HttpRefusal(400, `the body is no JSON: ${(error as Error).message}`)
  }
}

const tooLarge = (maxBytes: number): HttpRefusal => new HttpRefusal(413, `the body is larger than ${maxBytes} bytes`)
