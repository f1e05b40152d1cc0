// An OpenAI-compatible server on 127.0.0.1 that says what a script tells it: real HTTP, real server-sent events, cut as asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { flag, is, members, milliseconds, whole } from '../core/options.js'
import { streamAnswer, wholeAnswer, type Answer, type Splitter, type Step } from '../wire/answer.js'
import { sizes } from '../wire/sizes.js'
import { checkMessages } from './check-messages.js'

/** A request as it came. */
export interface RecordedRequest {
  /** With its query: `/v1/chat/completions`. */
  path: string
  /** Names in lower case. */
  headers: { readonly [name: string]: string | string[] | undefined }
  /** The body as it came. */
  text: string
  /** The body as JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever a test wants to look at
  body: any
  /** The client went away before the answer ended. */
  aborted: boolean
}

/** What the server says, and how it is cut. */
export interface ServerOptions {
  /** One after another; a function answers every request by itself. */
  answers: Answer[] | ((request: RecordedRequest, index: number) => Answer | Promise<Answer>)
  /** How text and arguments become deltas: words (`token`, the default), `whole`, or so many characters. */
  deltas?: 'token' | 'whole' | number
  /** How the body is cut into writes: one event each (the default), `byte`, so many bytes, or at random. */
  chunks?: 'event' | 'byte' | number | {
    /** The same number gives the same cuts. */
    seed: number
    /** The largest piece in bytes. Default 64. */
    max?: number
  }
  /** Milliseconds between writes. */
  delayMs?: number
  /** Default true: a request that a strict provider would refuse gets status 400. */
  strict?: boolean
  /** Default 0: any that is free. */
  port?: number
}

/** A server that listens on 127.0.0.1. */
export interface ScriptedServer {
  /** Without a path: `http://127.0.0.1:1234`. */
  url: string
  /** For `model.baseURL`. */
  baseURL: string
  /** What came, in order. */
  requests: RecordedRequest[]
  /** Closes every connection. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

const orMore = (words: readonly string[], value: unknown): boolean => words.includes(value as string) || (Number.isInteger(value) && (value as number) > 0)

const check = members({
  members: {
    answers: is('an array of answers, or a function (request, index) => answer', (value) => Array.isArray(value) || typeof value === 'function'),
    deltas: is('token | whole | a number of characters', (value) => orMore(['token', 'whole'], value)),
    chunks: is('event | byte | a number of bytes | { seed, max }', (value) =>
      orMore(['event', 'byte'], value) || Number.isInteger((value as { seed?: unknown } | null)?.seed)),
    delayMs: milliseconds, strict: flag, port: whole(0, 65_535),
  } satisfies { [member in keyof Required<ServerOptions>]: unknown },
  needs: ['answers'],
})

/** Starts a scripted server. Rejects with SluiceError `option` where an option is wrong. */
export async function startServer(options: ServerOptions): Promise<ScriptedServer> {
  check(options, 'options')
  const requests: RecordedRequest[] = []
  const server = createServer((request, response) => {
    handle(request, response, requests, options).catch((error: unknown) => {
      if (!response.headersSent) sendError(response, 500, `the script failed: ${String(error)}`)
      else response.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url, baseURL: `${url}/v1`, requests, close, [Symbol.asyncDispose]: close }
}

async function handle(
  request: IncomingMessage, response: ServerResponse, requests: RecordedRequest[], options: ServerOptions,
): Promise<void> {
  const path = request.url ?? ''
  if (request.method !== 'POST' || !path.endsWith('/chat/completions')) {
    return sendError(response, 404, `no such endpoint: ${request.method} ${path}; expected POST /v1/chat/completions`)
  }
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString('utf8')
  const record: RecordedRequest = { path, headers: request.headers, text, body: undefined, aborted: false }
  const gone = new AbortController()
  response.on('close', () => {
    record.aborted = !response.writableFinished
    gone.abort()
  })
  const left = new Promise<void>((resolve) => gone.signal.addEventListener('abort', () => resolve()))
  const pause = (time: number | Promise<unknown>): Promise<unknown> =>
    Promise.race([left, typeof time === 'number' ? delay(time, undefined, { signal: gone.signal }) : time]).catch(() => {})
  const index = requests.push(record) - 1
  try {
    record.body = JSON.parse(text)
  } catch (error) {
    return sendError(response, 400, `the body is no JSON: ${(error as Error).message}`)
  }
  const refused = options.strict === false ? null : checkMessages(record.body)
  if (refused) return sendError(response, 400, refused)

  const { answers } = options
  const answer = typeof answers === 'function' ? await answers(record, index) : answers[index]
  if (!answer) return sendError(response, 500, `the script has no answer for request ${index + 1}`)
  if (answer.delayMs) await pause(answer.delayMs)
  const status = answer.status ?? 200
  if (status >= 400) return sendError(response, status, answer.error ?? `status ${status}`, answer.headers)

  const head = { id: `chatcmpl-${index + 1}`, object: 'chat.completion.chunk', created: 0, model: record.body.model }
  if (answer.json || record.body.stream === false) {
    response.writeHead(status, { 'content-type': 'application/json', ...answer.headers })
    response.end(JSON.stringify(wholeAnswer(answer, head)))
    return
  }
  response.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...answer.headers })
  for (const step of cut(streamAnswer(answer, head, splitter(options.deltas)), options.chunks)) {
    if (response.destroyed) return
    if ('wait' in step) await pause(step.wait)
    else if ('cut' in step) return void response.destroy()
    else {
      response.write(step.bytes)
      // Also without a delay each write is to leave on its own.
      await (options.delayMs ? pause(options.delayMs) : new Promise(setImmediate))
    }
  }
  response.end()
}

function sendError(response: ServerResponse, status: number, error: string | object, headers: Record<string, string> = {}): void {
  const type = status === 400 ? 'invalid_request_error' : 'server_error'
  const body = { error: typeof error === 'string' ? { message: error, type, param: null, code: null } : error }
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

function splitter(deltas: ServerOptions['deltas'] = 'token'): Splitter {
  if (deltas === 'whole') return (text) => (text === '' ? [] : [text])
  if (deltas === 'token') {
    // A word with the blanks before it, or two characters of writing that has none.
    return (text) => text.match(/\s*(?:[\u3000-\u9fff\uff00-\uffef]{1,2}|[^\s\u3000-\u9fff\uff00-\uffef]{1,12})|\s+/gu) ?? []
  }
  return function* (text) {
    const points = [...text]
    for (let at = 0; at < points.length; at += deltas) yield points.slice(at, at + deltas).join('')
  }
}

/** Cuts the bytes between two other steps anew. */
function* cut(steps: Iterable<Step>, chunks: ServerOptions['chunks'] = 'event'): Generator<Step> {
  if (chunks === 'event') return yield* steps
  const size = sizes(chunks)
  let held: Uint8Array[] = []
  function* release(): Generator<Step> {
    const bytes = Buffer.concat(held)
    held = []
    for (let at = 0; at < bytes.length; ) {
      const next = at + size()
      yield { bytes: bytes.subarray(at, next) }
      at = next
    }
  }
  for (const step of steps) {
    if ('bytes' in step) {
      held.push(step.bytes)
    } else {
      yield* release()
      yield step
    }
  }
  yield* release()
}
