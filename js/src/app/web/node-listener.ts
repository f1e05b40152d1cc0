// What answers a Request of the Fetch standard, as Node's HTTP server calls it.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { func, members } from '../../engine/core/options.js'
import { guard } from '../host/guard.js'

// The declarations name no type of Node's own, so that a program without @types/node compiles.

/** What the listener takes for a request: an `IncomingMessage` of `node:http`. */
export interface NodeRequest {
  /** `GET`, `POST`, …. Default `GET`. */
  readonly method?: string | undefined
  /** The path, with its query. Default `/`. */
  readonly url?: string | undefined
  /** By their names in lower case. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Has all of it come? */
  readonly complete: boolean
}

/** What the listener answers: a `ServerResponse` of `node:http`. */
export interface NodeResponse {
  /** Has the status been sent? */
  readonly headersSent: boolean
  /** Sends the status and the headers. */
  writeHead(status: number): unknown
  /** Sets a header; a list of values becomes a header each. */
  setHeader(name: string, value: string | readonly string[]): unknown
  end(): unknown
}

/** Options of `nodeListener`. */
export interface NodeListenerOptions {
  /**
   * Gets what a handler threw, or what broke its answer off; the client reads neither. Default: writes it to stderr.
   */
  onError?: (error: unknown) => void
}

const checkOptions = members({
  members: { onError: func('(error) => void') } satisfies { [member in keyof Required<NodeListenerOptions>]: unknown },
})

/**
 * Makes a handler such as `openAIHandler(…)` a listener: `createServer(nodeListener(handler))`, or a route of Express.
 * The request's signal is aborted when the client goes away; an answer is read as fast as the client takes it. It reads
 * the body itself: it goes before `express.json()`. A handler that throws is answered with status 500 and `the server
 * failed`; `onError` gets what it threw.
 */
export function nodeListener(
  handler: (request: Request) => Response | Promise<Response>,
  options: NodeListenerOptions = {},
): (request: NodeRequest, response: NodeResponse) => void {
  checkOptions(options, 'options')
  const { onError = (error) => console.error(error) } = options
  return (request, response) => void answer(handler, onError, request as IncomingMessage, response as ServerResponse)
}

async function answer(
  handler: Parameters<typeof nodeListener>[0],
  onError: (error: unknown) => void,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort(new Error('the client went away')))
  outgoing.on('error', () => {}) // `close` follows
  try {
    const request = requestOf(incoming, gone.signal)
    if (request === undefined)
      return void outgoing
        .writeHead(400, { 'content-type': 'text/plain', connection: 'close' })
        .end('the address or the method of this request cannot be read\n')
    const response = await handler(request)
    if (gone.signal.aborted) return void response.body?.cancel(gone.signal.reason).catch(() => {})
    await send(response, incoming, outgoing, gone.signal)
  } catch (error) {
    if (!gone.signal.aborted) guard('onError', () => onError(error))
    // the client must not take it for the end
    if (outgoing.headersSent || gone.signal.aborted) return void outgoing.destroy()
    outgoing
      .writeHead(500, { 'content-type': 'application/json' })
      .end(
        JSON.stringify({ error: { message: 'the server failed', type: 'api_error', param: null, code: 'internal' } }),
      )
  }
}

/** Undefined for what Fetch cannot ask for: CONNECT, TRACE, an address that is none. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '', headers } = incoming
  const { originalUrl = url } = incoming as { originalUrl?: string } // Express takes away what a route matched
  const address = `http://${headers.host ?? 'localhost'}${originalUrl.startsWith('/') ? originalUrl : `/${originalUrl}`}`
  const list = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  try {
    return new Request(address, {
      method,
      headers: list,
      signal,
      ...(hasBody ? { body: Readable.toWeb(incoming), duplex: 'half' } : {}),
    } as RequestInit)
  } catch {
    return undefined
  }
}

async function send(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  if (!incoming.complete) outgoing.setHeader('connection', 'close') // the rest of its body is not read
  outgoing.writeHead(response.status, response.statusText)
  if (response.body === null || incoming.method === 'HEAD') return void outgoing.end()
  outgoing.flushHeaders() // a model may think for minutes before its first word
  const reader = response.body.getReader()
  signal.addEventListener('abort', () => void reader.cancel(signal.reason).catch(() => {}), { once: true })
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (!outgoing.write(read.value) && !signal.aborted) await once(outgoing, 'drain', { signal })
  }
  outgoing.end()
}
