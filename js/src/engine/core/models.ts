// The models that a server has, as it lists them itself.
import { Gathered, utf8 } from './bytes.js'
import { messageOf, SluiceError } from './errors.js'
import { checkModel, serverOf, type Server, type ServerAddress } from './model.js'
import { onAbort } from './on-abort.js'
import { abortSignal, isObject, members, milliseconds } from './options.js'
import { firstWire, wires, type WireName } from './providers.js'
import { refusalText } from './provider-refusal.js'
import { hideSecrets } from './secrets.js'
import { fetchTransport, readBody, shownUrl } from './transport.js'

/** What `listModels` and `checkServer` take beside the server. */
export interface ServerRequestOptions {
  /** Ends it: `listModels` rejects with the signal's reason, `checkServer` throws it. */
  signal?: AbortSignal
  /**
   * Milliseconds until a server that says nothing is given up. Default 10,000 for a list of models, 60,000 for an
   * answer, since a model may be loaded first.
   */
  timeoutMs?: number
}

/** @internal */
export const checkAsk = members({ members: { signal: abortSignal, timeoutMs: milliseconds } })

const lists: { readonly [wire in WireName]: string } = {
  'openai-chat': '/models',
  'openai-responses': '/models',
  anthropic: '/models?limit=1000',
  gemini: '/models?pageSize=1000',
  'gemini-interactions': '/models?pageSize=1000',
  ollama: '/api/tags',
}
const MAX_BYTES = 8 * 1024 * 1024
const MAX_NAME = 200
const LIST_MS = 10_000

/**
 * The names of the models that a server lists, in its order. Rejects with SluiceError `failed` where it gives no such
 * list, or none within `timeoutMs`; with `option` where the server is described wrongly.
 */
export async function listModels(server: ServerAddress, options: ServerRequestOptions = {}): Promise<string[]> {
  checkModel({ needsName: false })(server, 'server')
  checkAsk(options, 'options')
  const { wire, provider } = server
  const list = listServer(server, wire ?? (provider ? firstWire(provider) : 'openai-chat'))
  const { names, words } = await within(options.timeoutMs ?? LIST_MS, options.signal, (signal) =>
    listed(list, signal),
  ).catch((error: unknown) => {
    options.signal?.throwIfAborted()
    return { names: undefined, words: messageOf(error) }
  })
  if (!names)
    throw new SluiceError({
      code: 'failed',
      path: 'server',
      detail: withoutSecrets(`${shownUrl(list.url)} gave no list of models: ${words}`, list, server),
    })
  return names
}

/** @internal Where a server lists its models. */
export function listServer(server: ServerAddress, wire: WireName): Server {
  const { baseURL, path } = server
  const usual = wires[wire].path
  // the base URL is the endpoint
  const base = path === '' && baseURL?.endsWith(usual) ? baseURL.slice(0, -usual.length) : baseURL
  return serverOf(
    { ...server, ...(base === undefined ? {} : { baseURL: base }), wire, path: lists[wire] } as ServerAddress,
    '',
  )
}

/** @internal What a server says when it is asked for its models. */
export interface Listed {
  status: number
  /** Undefined: it gave no list. */
  names?: string[]
  /** A web page came. */
  page: boolean
  /** What came in place of a list. */
  words: string
}

/** @internal Rejects where the network fails. */
export async function listed({ url, headers, wire }: Server, signal: AbortSignal): Promise<Listed> {
  const { 'content-type': _, ...rest } = headers
  const response = await fetchTransport(
    { url, method: 'GET', headers: { ...rest, accept: 'application/json' } },
    signal,
  )
  const all = new Gathered()
  await readBody(response, signal, (piece) => {
    all.add(piece)
    return all.size <= MAX_BYTES
  })
  const body = all.take()
  const text = utf8(body).trim()
  const page = text.startsWith('<')
  const names = response.status < 400 ? namesIn(text, wire) : undefined
  const words = names
    ? ''
    : response.status < 400
      ? page
        ? 'a web page'
        : 'another document'
      : refusalText(response.status, body)
  return { status: response.status, ...(names ? { names } : {}), page, words }
}

function namesIn(text: string, wire: WireName): string[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const list = isObject(value) ? (value['data'] ?? value['models']) : value
  // A server of Ollama without a model has `models: null` in some versions.
  if (list === null && wire === 'ollama') return []
  if (!Array.isArray(list)) return undefined
  const names = list.filter(isObject).flatMap((one) => {
    const name = one['id'] ?? one['name'] ?? one['model']
    const methods = one['supportedGenerationMethods']
    if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) return []
    return Array.isArray(methods) && !methods.includes('generateContent')
      ? []
      : [wire.startsWith('gemini') ? name.replace(/^models\//, '') : name]
  })
  return [...new Set(names)]
}

/** @internal A text without what gets somebody in. */
export function withoutSecrets(text: string, { secrets }: Server, { apiKey = '' }: ServerAddress): string {
  return hideSecrets(text, apiKey.length > 3 ? [...secrets, apiKey] : secrets)
}

/** @internal No answer came in time. */
export class Late extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms / 1000} s`)
  }
}

/**
 * @internal Calls `work` with a signal that is aborted after `ms`, or with `signal`. Rejects with `Late` after `ms`,
 * whatever `work` makes of it.
 */
export async function within<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  let late: Late | undefined
  const timer = setTimeout(() => stop.abort((late = new Late(ms))), ms)
  const off = signal && onAbort(signal, () => stop.abort(signal.reason))
  try {
    stop.signal.throwIfAborted()
    const result = await work(stop.signal)
    if (late) throw late
    return result
  } catch (error) {
    throw late ?? error
  } finally {
    clearTimeout(timer)
    off?.()
  }
}
