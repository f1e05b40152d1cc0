// One request: HTTP in `fetch`'s shape, and when to try again.
import { describe } from './errors.js'

export interface Model {
  /** Up to and without `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  baseURL: string
  name: string
  apiKey?: string
  headers?: Record<string, string>
}

export interface HttpRequest {
  url: string
  method: 'POST'
  headers: Record<string, string>
  /** Sent as it stands. */
  body: string
}

/** Replaces `fetch`. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<Response>

export function httpRequest(model: Model, body: string): HttpRequest {
  const url = new URL(model.baseURL)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions` // in front of a query such as ?api-version=
  return {
    url: url.href,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      ...(model.apiKey ? { authorization: `Bearer ${model.apiKey}` } : {}),
      ...model.headers,
    },
    body,
  }
}

export const fetchTransport: Transport = async ({ url, ...init }, signal) => {
  try {
    return await fetch(url, { ...init, signal })
  } catch (error) {
    if (signal.aborted) throw error
    throw new Error(`${url}: ${describe(error)}`)
  }
}

/** The pieces of a body. Stops with the signal's reason also where the transport does not know the signal. */
export async function* readBody(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!response.body) return
  const reader = response.body.getReader()
  const stop = (): void => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop)
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
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

function retryAfter(headers: Headers): number | undefined {
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
