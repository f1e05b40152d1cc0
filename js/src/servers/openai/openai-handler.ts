// The server's side: any request of an OpenAI client → the model's server, and its answer back.
import { timingSafeEqual } from 'node:crypto'
import { Gathered } from '../../engine/core/bytes.js'
import { messageOf } from '../../engine/core/errors.js'
import { holdRequest } from '../../engine/core/held-request.js'
import { checkHeaders } from '../../engine/core/model.js'
import { is, members, text } from '../../engine/core/options.js'
import { hideSecrets, hideSecretsIn, namedSecrets, secretTexts } from '../../engine/core/secrets.js'
import { shownUrl } from '../../engine/core/transport.js'
import { AnswerFault, errorResponse } from './openai-errors.js'
import { settingChecks, type TextToolCallOptions } from './openai-options.js'
import { patient } from './patient.js'
import { isChat, textToolCalls } from './text-tool-calls.js'

/** What `openAIHandler` takes. */
export interface OpenAIHandlerOptions extends TextToolCallOptions {
  /** Where the model's server is, up to and without `/chat/completions`: `http://127.0.0.1:8000/v1`. */
  baseURL: string
  /** Sent to the model's server as `Authorization: Bearer …`. Default: what the client sent, unless `token` is set. */
  apiKey?: string
  /** Further headers of every request to the model's server. Default none. */
  headers?: Record<string, string>
  /** What a client must send as its API key. Without it everybody who reaches the handler is served. Default none. */
  token?: string
}

/** The largest request that is read whole: a conversation with pictures. */
const MOST_REQUEST_BYTES = 64 * 1024 * 1024

/** Of one connection each, or written anew. */
const notForwarded = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const notReturned = [
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'set-cookie',
  'trailer',
  'transfer-encoding',
  'upgrade',
] // fetch has decoded the body

const checkOptions = members({
  members: {
    ...settingChecks,
    headers: checkHeaders,
    apiKey: text,
    token: is('a text that is not empty', (value) => typeof value === 'string' && value !== ''),
    baseURL: is(
      'an http or https URL such as http://127.0.0.1:8000/v1',
      (value) => typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    ),
  } satisfies { [member in keyof Required<OpenAIHandlerOptions>]: unknown },
  needs: ['baseURL'],
})

/**
 * An OpenAI-compatible server in front of another, for Next, Hono, Bun, Deno or, by `nodeListener` of `sluice/web`, for
 * Node: chat completions with tools are translated as by `textToolCalls`; every other request, such as `GET
 * /v1/models`, is passed on. What stands behind `/v1` in the path goes behind `baseURL`. Errors of the model's server
 * pass untouched; one that cannot be reached is told with status 502, in OpenAI's shape.
 * @throws SluiceError `option` where an option is wrong.
 */
export function openAIHandler(options: OpenAIHandlerOptions): (request: Request) => Promise<Response> {
  checkOptions(options, 'options')
  const { baseURL, apiKey, headers: own = {}, token, ...rest } = options
  const send = textToolCalls({ ...rest, fetch: patient(rest) })
  const secrets = secretTexts([
    apiKey,
    ...namedSecrets(Object.entries(own)),
    ...namedSecrets(new URL(baseURL).searchParams),
  ])
  return async (request) => {
    if (token !== undefined && !isToken(request, token))
      return errorResponse(401, { message: 'the API key is not the token of this server', code: 'invalid_api_key' })
    const url = target(baseURL, request.url)
    if (url === undefined)
      return errorResponse(400, {
        message: 'the path leads out of this server, or cannot be read',
        code: 'invalid_value',
      })
    const headers = new Headers([...request.headers].filter(([name]) => !notForwarded.has(name)))
    headers.set('accept-encoding', 'identity')
    if (token !== undefined) headers.delete('authorization')
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    for (const [name, value] of Object.entries(own)) headers.set(name, value)
    try {
      const body =
        request.body && isChat(url) && request.method === 'POST'
          ? await readBytes(request, request.body)
          : (request.body ?? undefined)
      if (body === null)
        return errorResponse(413, {
          message: `the request is larger than ${MOST_REQUEST_BYTES} bytes`,
          code: 'request_too_large',
        })
      const init = {
        method: request.method,
        headers,
        body,
        redirect: 'manual',
        signal: request.signal,
        ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      }
      const response = await returned(await send(url, init as RequestInit), secrets)
      holdRequest(request, response)
      return response
    } catch (error) {
      if (error instanceof AnswerFault) return errorResponse(504, { message: error.message, code: error.code })
      if (request.signal.aborted) throw error
      return errorResponse(502, {
        message: hideSecrets(`${shownUrl(url)} cannot be reached: ${messageOf(error)}`, secrets),
        code: 'network',
      })
    }
  }
}

function isToken(request: Request, token: string): boolean {
  const [given, expected] = [/^Bearer (.*)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '', token].map(
    (one) => new TextEncoder().encode(one),
  ) as [Uint8Array, Uint8Array]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Where a request goes: no path leads to another origin, or above the base URL. Undefined where it tries. */
function target(baseURL: string, asked: string): string | undefined {
  const { pathname, search } = new URL(asked)
  if (leadsUp(pathname)) return undefined
  const url = new URL(baseURL)
  const behind = pathname.replace(/^.*?\/v1(?=\/|$)/, '')
  url.pathname = url.pathname.replace(/\/+$/, '') + (behind.startsWith('/') || behind === '' ? behind : `/${behind}`)
  url.search = [url.search.slice(1), search.slice(1)].filter(Boolean).join('&')
  return url.href
}

/** `URL` has followed the dots that it reads as such; what stands behind may decode a path first, or twice. */
function leadsUp(pathname: string): boolean {
  let path = pathname
  try {
    for (let times = 0; times < 3 && path.includes('%'); times++) path = decodeURIComponent(path)
  } catch {
    return path === pathname // what was decoded once may have a % of its own
  }
  return path.split(/[\\/]/).includes('..')
}

/** All of a body; null where it is too large. */
async function readBytes({ headers }: Request, body: ReadableStream<Uint8Array>): Promise<Uint8Array | null> {
  if (Number(headers.get('content-length')) > MOST_REQUEST_BYTES) return null
  const all = new Gathered()
  for await (const piece of body as AsyncIterable<Uint8Array> & ReadableStream<Uint8Array>) {
    if (all.size + piece.length > MOST_REQUEST_BYTES) return null
    all.add(piece)
  }
  return all.take()
}

/**
 * Without the operator's secrets in the status text, the headers, and the body of an error. Answers pass as they
 * arrive.
 */
async function returned(response: Response, secrets: readonly string[]): Promise<Response> {
  const headers = new Headers(hideSecretsIn(response.headers, secrets))
  for (const name of [...headers.keys()])
    if (notReturned.includes(name) || name.startsWith('access-control-')) headers.delete(name)
  const body = response.ok || secrets.length === 0 ? response.body : hideSecrets(await response.text(), secrets)
  return new Response(body, { status: response.status, statusText: hideSecrets(response.statusText, secrets), headers })
}
