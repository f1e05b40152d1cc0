// What every request is held against before anything of it is read.
import { Gathered } from '../../engine/core/bytes.js'
import type { Json, ResultPart } from '../../engine/core/events.js'
import { isObject, shown } from '../../engine/core/options.js'
import { Refusal } from './leg-refusal.js'

/** Of an id: the store allows 200 characters, and a message that is edited gets a few behind it. */
const MOST_ID = 180
/** What is written as JSON again takes stack for each. */
const MOST_LEVELS = 500

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MOST_ID && !/\p{Cc}/u.test(value)

export function checkedId(value: unknown, what: string): string {
  if (isId(value)) return value
  throw new Refusal(400, `${what}: found ${shown(value)}, expected an id of 1 to ${MOST_ID} characters`)
}

/** The JSON object of a request. Throws Refusal. */
export async function bodyOf(request: Request, members: string, maxBytes: number): Promise<{ [member: string]: Json }> {
  const tooLarge = new Refusal(413, `the request is larger than ${maxBytes} bytes`)
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge
  const all = new Gathered()
  let value: unknown
  try {
    for await (const piece of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
      if (all.size + piece.length > maxBytes) throw tooLarge
      all.add(piece)
    }
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(all.take()))
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, 'the request is no JSON')
  }
  if (!isObject(value)) throw new Refusal(400, `found ${shown(value)}, expected an object with ${members}`)
  if (isDeeper(value, MOST_LEVELS))
    throw new Refusal(400, `the request is nested more deeply than ${MOST_LEVELS} levels`)
  return value as { [member: string]: Json }
}

/**
 * Any page may have a browser send a text or a form, with the cookies of this site; of JSON the browser asks the app
 * first. Throws Refusal, also where nothing is read of what was sent.
 */
export function refuseForms({ method, url, headers }: Request): void {
  if (method === 'GET' || method === 'HEAD') return
  const type = headers.get('content-type') ?? ''
  if (/^application\/json\s*(?:;|$)/i.test(type)) return
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')]
  const isOurs =
    site !== null
      ? site === 'same-origin' || site === 'none'
      : origin === null || (URL.canParse(origin) && new URL(origin).host === new URL(url).host)
  if (!isOurs) throw new Refusal(415, `content-type: found ${shown(type)} from another site, expected application/json`)
}

/** Level by level: the stack has no part in it. */
function isDeeper(value: unknown, levels: number): boolean {
  let within = [value]
  for (let level = 0; within.length > 0; level++) {
    if (level > levels) return true
    const below: unknown[] = []
    for (const one of within)
      if (typeof one === 'object' && one !== null)
        for (const member of Object.values(one)) if (typeof member === 'object' && member !== null) below.push(member)
    within = below
  }
  return false
}

/** A picture in base64 (`data:…`), or by an address, which the provider loads. Throws Refusal. */
export function pictureOf(mediaType: unknown, address: unknown, path: string): ResultPart {
  if (typeof mediaType !== 'string' || !/^image\/[a-z0-9.+*-]{1,50}$/i.test(mediaType))
    throw new Refusal(415, `${path}: found a file of type ${shown(mediaType)}, expected a picture`)
  const url = typeof address === 'string' ? address : ''
  const data = /^data:[^,]*;base64,([a-z0-9+/]+=*)$/i.exec(url)?.[1]
  if (data !== undefined) return { type: 'image', mediaType, data }
  if (/^https:\/\//i.test(url) && URL.canParse(url)) return { type: 'image', url }
  throw new Refusal(
    400,
    `${path}: expected a picture in base64 (data:…;base64,…), or an address that begins with https://`,
  )
}
