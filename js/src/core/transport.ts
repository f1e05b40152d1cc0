// One request: HTTP in `fetch`'s shape, and when to try again.
import { messageOf, SluiceError } from './errors.js'
import { onAbort } from './on-abort.js'
import { is, members, textsByName, wrong, type Check } from './options.js'

/** A model, and the server that has it. */
export interface Model {
  /** An http or https URL, up to and without `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  baseURL: string
  /** The name by which the server knows the model. */
  name: string
  /** Sent as `Authorization: Bearer …`. Printable ASCII. Default none. */
  apiKey?: string
  /** Further headers of every request. They go before those that Sluice sends. */
  headers?: Record<string, string>
}

/** A model as it is reached: the name of a saved turn's is in its state. */
export type Server = Omit<Model, 'name'>

/** @internal */
export const checkHeaders: Check = (value, path) => {
  textsByName(value, path)
  for (const [name, text] of Object.entries(value as { [name: string]: string })) { // a key may stand there
    if (/^[!#$%&'*+\-.^_`|~\w]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)) continue
    throw new SluiceError({ code: 'option', path: `${path}.${name}`, detail: 'found a character that no header can carry, expected a name and a text of Latin-1' })
  }
}

/** @internal */
export const checkModel = (...needs: string[]): Check => members({
  members: {
    name: is('the name of a model', (value) => typeof value === 'string' && value !== ''),
    baseURL: (value, path) => {
      const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
      if (url && /^https?:$/.test(url.protocol)) return
      const expected = 'an http or https URL such as http://127.0.0.1:11434/v1'
      if (typeof value !== 'string') throw wrong(path, value, expected)
      throw new SluiceError({ code: 'option', path, detail: `found another text, expected ${expected}` }) // a key may stand in it
    },
    apiKey: (value, path) => { // and its text is nobody's to read
      if (typeof value === 'string' && /^[\x21-\x7e]*$/.test(value)) return
      const found = typeof value === 'string' ? 'a character that no header can carry' : `a ${typeof value}`
      throw new SluiceError({ code: 'option', path, detail: `found ${found}, expected a string of printable ASCII` })
    },
    headers: checkHeaders,
  },
  needs,
  instead: { model: 'did you mean name?', url: 'did you mean baseURL?', apikey: 'did you mean apiKey?', key: 'did you mean apiKey?' },
})

/** One request of a run, as the transport gets it. */
export interface HttpRequest {
  /** Where to. */
  url: string
  /** Always POST. */
  method: 'POST'
  /** Names in lower case. */
  headers: Record<string, string>
  /** Sent as it stands. */
  body: string
}

/** Does what `fetch` does. It is to stop when the signal is aborted. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<Response>

export function httpRequest(model: Server, body: string): HttpRequest {
  const url = new URL(model.baseURL)
  const { username, password } = url
  url.username = url.password = '' // fetch refuses them in a URL
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions` // in front of a query such as ?api-version=
  return {
    url: url.href,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'accept-encoding': 'identity', // a compressed stream that breaks stalls fetch without a word
      ...(username || password ? { authorization: `Basic ${basic(username, password)}` } : {}),
      ...(model.apiKey ? { authorization: `Bearer ${model.apiKey}` } : {}),
      ...lowerCase(model.headers ?? {}),
    },
    body,
  }
}

/** Headers with names in lower case. */
export const lowerCase = (headers: { readonly [name: string]: string }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** @param username as in a URL */
const basic = (username: string, password: string): string => btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)

/** A header or a member of a query by whose name somebody gets in. */
const credential = /key|token|secret|auth|cookie|password|signature/i
/** Shorter ones are words (`none`, `ollama`), and may stand in any sentence. */
const MIN_SECRET = 8

/** What of a model is nobody's to read: not in an event, not in a message. */
export function secretsOf({ baseURL, apiKey, headers = {} }: Server): string[] {
  const { username, password, searchParams } = new URL(baseURL)
  const named = [...Object.entries(headers), ...searchParams].filter(([name]) => credential.test(name)).map(([, value]) => value)
  const all = [apiKey, username, password, username || password ? basic(username, password) : '', ...named].flatMap((secret) => (secret ? [secret, safeDecode(secret), secret.replace(/^(?:Bearer|Basic) /i, '')] : []))
  return [...new Set(all)].filter((secret) => secret.length >= MIN_SECRET).sort((a, b) => b.length - a.length)
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A URL as it may be shown: no query, no user. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Where an HTTP error came from, and what is commonly wrong there. */
export function whereRefused(url: string, status: number): string {
  const at = shownUrl(url)
  return status === 404 && !/\/v\d/.test(at) ? `${at}; does the base URL end in /v1?` : at
}

const MAX_REDIRECTS = 5

/** `fetch`, but what was meant for one server goes to no other: of its redirects only those to the same origin are followed. */
export const fetchTransport: Transport = async ({ url, ...init }, signal) => {
  for (let redirects = 0; ; redirects++) {
    let response: Response
    try {
      response = await fetch(url, { ...init, signal, redirect: 'manual' })
    } catch (error) {
      if (signal.aborted) throw error
      throw new Error(`${shownUrl(url)}: ${messageOf(error)}`)
    }
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (location === null || !URL.canParse(location, url)) return response
    response.body?.cancel().catch(() => {})
    const to = new URL(location, url)
    const same = to.origin === new URL(url).origin && (response.status === 307 || response.status === 308)
    if (!same || redirects === MAX_REDIRECTS) {
      const message = redirects === MAX_REDIRECTS ? 'it redirects in a circle' : `it redirects to ${shownUrl(to.href)}; if that is right, put it into model.baseURL`
      return Response.json({ error: { message: `${shownUrl(url)}: ${message}` } }, { status: response.status })
    }
    url = to.href
  }
}

/** What a program does wrong in itself. `fetch` says TypeError as well: with a cause, or in these words. */
const ownFaults = new Set(['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'URIError', 'SluiceError'])
const ofFetch = /fetch|network|load failed|sending request|terminated|socket/i

/** Whether this may be a fault of the network, which may pass. */
export function isNetworkFault(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  if (error.name === 'TypeError') return error.cause !== undefined || ofFetch.test(error.message)
  return !ownFaults.has(error.name)
}

/** The pieces of a body. Stops with the signal's reason also where the transport does not know the signal. */
export async function* readBody(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!response.body) return
  const reader = response.body.getReader()
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {})
  const off = onAbort(signal, stop)
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    off()
    stop()
  }
}

/** What a refusal says is short, and comes at once. */
const MAX_REFUSAL_BYTES = 64 * 1024
const REFUSAL_MS = 1000
const MAX_REFUSAL_WORDS = 500

/** The body of an answer that is an error, as far as it came in a second: some servers leave the connection open behind it. */
export async function readRefusal(response: Response, signal: AbortSignal): Promise<Uint8Array> {
  const enough = new AbortController()
  const timer = setTimeout(() => enough.abort(), REFUSAL_MS)
  const off = onAbort(signal, () => enough.abort())
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of readBody(response, enough.signal)) {
      pieces.push(piece)
      size += piece.byteLength
      if (size >= MAX_REFUSAL_BYTES) break
    }
  } catch {
    signal.throwIfAborted() // what broke otherwise: the status is known, and some of the words
  } finally {
    clearTimeout(timer)
    off()
  }
  return Buffer.concat(pieces)
}

/** What a refusal says, in the provider's own words where they are found. */
export function refusalText(status: number, body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8').trim()
  let words: unknown = text
  try {
    const { error, message } = JSON.parse(text) as { error?: string | { message?: unknown } | null; message?: unknown }
    words = (typeof error === 'string' ? error : error?.message) ?? message ?? text
  } catch {
    // no JSON: the text as it is
  }
  const said = typeof words === 'string' ? words.replace(/\s+/g, ' ').slice(0, MAX_REFUSAL_WORDS) : ''
  return `HTTP ${status}${said === '' ? '' : `: ${said}`}`
}

/** Longest wait before another try; a server that asks for more is not tried again. */
const MAX_WAIT_MS = 60_000

/** How long to wait before try number `attempt` (from 1), or null: another try is of no use. No response: the network failed. */
export function retryDelay(attempt: number, response?: { status: number; headers: Headers }): number | null {
  if (response && !(response.status >= 500 || [408, 409, 425, 429].includes(response.status))) return null
  const asked = response && retryAfter(response.headers)
  if (asked !== undefined) return asked <= MAX_WAIT_MS ? asked : null
  return Math.min(500 * 2 ** (attempt - 1), MAX_WAIT_MS) * (0.5 + Math.random() / 2) // jitter: clients must not march in step
}

/** What the server asks to wait, in milliseconds. */
export function retryAfter(headers: Headers): number | undefined {
  const milliseconds = headers.get('retry-after-ms')
  if (milliseconds !== null && Number.isFinite(Number(milliseconds))) return Math.max(0, Number(milliseconds))
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const delay = Number.isFinite(Number(value)) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(delay) ? undefined : Math.max(0, delay)
}

/** Resolves after `ms`, rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
