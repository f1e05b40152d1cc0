// One request: HTTP in `fetch`'s shape, and when to try again.
import { messageOf } from './errors.js'
import { unlessAborted } from './hooks.js'
import type { Server } from './model.js'
import { onAbort } from './on-abort.js'
import { MOST_MS } from './options.js'

/** One request of a run, as the transport gets it. */
export interface HttpRequest {
  url: string
  method: 'POST'
  /** Names in lower case. */
  headers: Record<string, string>
  /** Sent as it stands. */
  body: string
}

/** Does what `fetch` does. It is to stop when the signal is aborted. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<Response>

export function httpRequest({ url, headers }: Server, body: string): HttpRequest {
  return { url, method: 'POST', headers, body }
}

/** A URL as it may be shown: no query, no user. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

const MAX_REDIRECTS = 5
const inPage = typeof process !== 'object' && 'location' in globalThis
const untold = ' (a browser does not say why: the server may not run, or not allow this page by its CORS headers)'
const refusal = (status: number, message: string): Response => Response.json({ error: { message } }, { status })

/**
 * `fetch`, but what was meant for one server goes to no other: of its redirects only those to the same origin are
 * followed.
 */
export const fetchTransport = async (
  { url, ...init }: Pick<HttpRequest, 'url' | 'headers'> & { method: 'GET' | 'POST'; body?: string },
  signal: AbortSignal,
): Promise<Response> => {
  for (let redirects = 0; ; redirects++) {
    let response: Response
    try {
      response = await fetch(url, { ...init, signal, redirect: 'manual' })
    } catch (error) {
      if (signal.aborted) throw error
      throw new Error(`${shownUrl(url)}: ${messageOf(error)}${inPage ? untold : ''}`)
    }
    if (response.type === 'opaqueredirect')
      return refusal(
        308,
        `${shownUrl(url)}: it redirects, and a page is not told where to; put where it ends into model.baseURL`,
      )
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (location === null || !URL.canParse(location, url)) return response
    response.body?.cancel().catch(() => {})
    const to = new URL(location, url)
    const same = to.origin === new URL(url).origin && (response.status === 307 || response.status === 308)
    if (!same || redirects === MAX_REDIRECTS) {
      const message =
        redirects === MAX_REDIRECTS
          ? 'it redirects in a circle'
          : `it redirects to ${shownUrl(to.href)}; if that is right, put it into model.baseURL`
      return refusal(response.status, `${shownUrl(url)}: ${message}`)
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

/**
 * The response, or the signal's reason as soon as it is aborted: a transport may ignore the signal. What it answers
 * later is not read.
 */
export async function unlessLate(response: Promise<Response>, signal: AbortSignal): Promise<Response> {
  try {
    return await unlessAborted(response, signal)
  } catch (error) {
    response.then(({ body }) => body?.cancel(error)).catch(() => {})
    throw error
  }
}

/**
 * So long, and so much, is waited for behind the end of an answer: a connection that was read to its end is used again.
 */
const REST_MS = 500
const REST_BYTES = 65_536

/**
 * Reads a body piece by piece until `take` returns false. Rejects with the signal's reason also where the transport
 * does not know the signal. What is left then is cancelled, which ends the connection; but where `isOver` says that
 * nothing else is expected, its end is waited for, by nobody.
 */
export async function readBody(
  response: Response,
  signal: AbortSignal,
  take: (piece: Uint8Array) => boolean,
  isOver = (): boolean => false,
): Promise<void> {
  const { body } = response
  if (!body) return
  const reader = body.getReader()
  let [stopped, ended] = [false, false]
  const stop = (): void => {
    if (stopped) return
    stopped = true
    if (isOver() && release(reader)) void readRest(body)
    else reader.cancel(signal.reason).catch(() => {})
  }
  const off = onAbort(signal, stop)
  try {
    while (!ended) {
      if (stopped) throw signal.reason
      const { done, value } = await reader.read()
      if (stopped) throw signal.reason
      ended = done
      if (!done && !take(value)) return
    }
  } catch (error) {
    throw stopped ? signal.reason : error // a read that waited as the body was let go
  } finally {
    off()
    if (!ended) stop()
  }
}

/** Lets a body go, also while a read of it waits; older browsers cannot. */
function release(reader: ReadableStreamDefaultReader<Uint8Array>): boolean {
  try {
    reader.releaseLock()
    return true
  } catch {
    return false
  }
}

async function readRest(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  const cancel = (): void => void reader.cancel().catch(() => {})
  const timer = setTimeout(cancel, REST_MS)
  try {
    for (let left = REST_BYTES; left > 0; ) {
      const { done, value } = await reader.read()
      if (done) return
      left -= value.length
    }
    cancel()
  } catch {
  } finally {
    // the connection broke: nothing was to come
    clearTimeout(timer)
  }
}

/** Longest wait before another try; a server that asks for more is not tried again. */
const MAX_WAIT_MS = 60_000

/**
 * How long to wait before try number `attempt` (from 1), or null: another try is of no use. No refusal: the network
 * failed.
 */
export function retryDelay(attempt: number, refused?: { status: number; retryAfterMs?: number }): number | null {
  if (refused && !(refused.status >= 500 || [408, 409, 425, 429].includes(refused.status))) return null
  const asked = refused?.retryAfterMs
  if (asked !== undefined) return asked <= MAX_WAIT_MS ? asked : null
  // jitter: clients must not march in step
  return Math.min(500 * 2 ** (attempt - 1), MAX_WAIT_MS) * (0.5 + Math.random() / 2)
}

/**
 * Resolves after `ms`, but after the most that a timer waits (25 days) where that is more; rejects with the signal's
 * reason.
 */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, MOST_MS),
    )
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
