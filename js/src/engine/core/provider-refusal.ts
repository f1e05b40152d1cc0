// What an answer with an HTTP error says: the provider's words, and how long to wait before another try.
import { Gathered, utf8 } from './bytes.js'
import { onAbort } from './on-abort.js'
import { isObject } from './options.js'
import { readBody } from './transport.js'

/** What a refusal says is short, and comes at once. */
const MAX_BYTES = 64 * 1024
const MAX_MS = 1000
const MAX_WORDS = 500

/**
 * The body of an answer that is an error, as far as it came in a second: some servers leave the connection open behind
 * it.
 */
export async function readRefusal(response: Response, signal: AbortSignal): Promise<Uint8Array> {
  const enough = new AbortController()
  const timer = setTimeout(() => enough.abort(), MAX_MS)
  const off = onAbort(signal, () => enough.abort())
  const all = new Gathered()
  try {
    await readBody(response, enough.signal, (piece) => {
      all.add(piece)
      return all.size < MAX_BYTES
    })
  } catch {
    signal.throwIfAborted() // what broke otherwise: the status is known, and some of the words
  } finally {
    clearTimeout(timer)
    off()
  }
  return all.take()
}

/** What a refusal says, with its status. */
export function refusalText(status: number, body: Uint8Array): string {
  const said = refusalWords(body)
  return `HTTP ${status}${said === '' ? '' : `: ${said}`}`
}

/** The provider's own words, where they are found; empty: it says nothing. */
export function refusalWords(body: Uint8Array): string {
  const text = textOf(body)
  const { error, message } = jsonOf(text)
  const words = text.startsWith('<')
    ? pageWords(text)
    : ((isObject(error) ? error['message'] : error) ?? message ?? text)
  return typeof words === 'string' ? words.replace(/\s+/g, ' ').slice(0, MAX_WORDS) : ''
}

/**
 * What a server asks to wait, in milliseconds: by a header, or in the details of a Google error (`"retryDelay":
 * "36s"`).
 */
export function retryAfter(headers: Headers, body?: Uint8Array): number | undefined {
  const milliseconds = headers.get('retry-after-ms')
  if (milliseconds !== null && Number.isFinite(Number(milliseconds))) return Math.max(0, Number(milliseconds))
  const value = headers.get('retry-after')
  if (value === null) return body && retryInfo(body)
  const delay = Number.isFinite(Number(value)) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(delay) ? undefined : Math.max(0, delay)
}

function retryInfo(body: Uint8Array): number | undefined {
  const { error } = jsonOf(textOf(body))
  const details = isObject(error) && Array.isArray(error['details']) ? error['details'].filter(isObject) : []
  const { retryDelay } = details.find((detail) => String(detail['@type']).endsWith('.RetryInfo')) ?? {}
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(String(retryDelay)) ?? []
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000)
}

const textOf = (body: Uint8Array): string => utf8(body).trim()

/** The object of a document, or the one in its array; empty where there is none. */
function jsonOf(text: string): { [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    const one: unknown = Array.isArray(value) ? value[0] : value
    return isObject(one) ? one : {}
  } catch {
    return {}
  }
}

/** The title of a page, else its text. */
const pageWords = (page: string): string =>
  /<title[^>]*>([^<]+)<\/title/i.exec(page)?.[1]?.trim() ||
  page.replace(/<(style|script)\b[^]*?<\/\1\s*>|<[^>]*>/gi, ' ').trim()
