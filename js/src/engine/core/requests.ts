// Requests of a run, one at a time: hooks, transport, the bytes of the answer, and further tries.
import { latin1 } from './bytes.js'
import { messageOf, SluiceError } from './errors.js'
import type { ChatMessage, ErrorEvent, RequestEvent, SluiceEvent } from './events.js'
import { callHook, HookError, unlessAborted } from './hooks.js'
import { onAbort } from './on-abort.js'
import { encode, shown } from './options.js'
import { wires, type WireName } from './providers.js'
import { startHint } from './local-servers.js'
import { readRefusal, refusalText, refusalWords, retryAfter } from './provider-refusal.js'
import {
  checkChanged,
  type ChangedRequest,
  type RequestSource,
  type OutgoingRequest,
  type RequestFailure,
} from './run-options.js'
import { hideSecrets, hideSecretsIn, namedSecrets, secretTexts } from './secrets.js'
import { lowerCase, type Server } from './model.js'
import { hookTimeout, type Stage } from './stage.js'
import {
  fetchTransport,
  httpRequest,
  isNetworkFault,
  readBody,
  retryDelay,
  shownUrl,
  sleep,
  unlessLate,
  type HttpRequest,
  type Transport,
} from './transport.js'
import type { Refusal, TextFallback } from './text-fallback.js'
import type { AnswerEnd } from './turn.js'

/** Status, request id and `Retry-After` of a response. */
export type ResponseFacts = Pick<ErrorEvent, 'status' | 'requestId' | 'retryAfterMs'>

/** How one try ended. `delayMs`: after so long another one follows. */
interface Try {
  how: AnswerEnd
  detail?: string
  delayMs?: number | null
  /** What went wrong; absent where nothing did. */
  failure?: Failure | undefined
  /** The app wants this answer in mode text: why. */
  inText?: string | undefined
}

/** What went wrong, for people, and what the provider itself said of it. */
interface Failure {
  detail: string
  words?: string | undefined
}

/** The reason of a request that is aborted because the run is suspended. */
const SUSPENDED = new Error('the run was suspended')

/**
 * The reason for which reading ends behind the end of an answer: one for all, since making an error takes longer than
 * reading a piece.
 */
const OVER = new Error('the answer is over')

const DEFAULT_RETRIES = 2

/** A body that begins so is one JSON value, or a page, and says at its end what it is. Ollama streams lines of JSON. */
const isWhole = (begin: string, wire: WireName): boolean =>
  begin.startsWith('<') || (wire !== 'ollama' && /^[{[]/.test(begin))

export class Requests {
  readonly #stage: Stage
  readonly #server: Server
  readonly #fallback: TextFallback | undefined
  #sources: RequestEvent['sources'] = []
  #abort: AbortController | undefined
  #reading: AbortController | undefined
  #attempt = 0

  // -- of this answer
  #sawText = false
  /** An error of the provider that may pass, if the answer holds one. */
  #transient: Failure | undefined
  /** A part of it was shown, so it cannot be asked for again. */
  #shown = false
  /** The turn has read its end, even if the connection stays open. */
  #over = false
  #facts: ResponseFacts | undefined

  constructor(stage: Stage, server: Server, fallback: TextFallback | undefined) {
    this.#stage = stage
    this.#server = server
    this.#fallback = fallback
  }

  /** A request is being prepared, sent, read, or waits for its next try. */
  get open(): boolean {
    return this.#abort !== undefined
  }

  /** A part of this answer was shown, so what follows may be grouped. */
  get shown(): boolean {
    return this.#shown
  }

  /** Status, request id and `Retry-After` of the response to the open request. */
  get facts(): ResponseFacts | undefined {
    return this.#facts
  }

  /** Notes what an event of the turn says about the answer. */
  hear(event: SluiceEvent): void {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this.#sawText = this.#shown = true
        return
      case 'args':
        this.#shown = true
        return
      case 'card':
        if (event.status === 'streaming' || event.source === 'provider') this.#shown = true
        return
      case 'diagnostic':
        if (event.code === 'provider_error' && event.retryable)
          this.#transient = { detail: event.detail ?? event.code, words: event.words }
        return
      case 'round':
        this.#over = true
        this.#reading?.abort(OVER)
        return
      case 'abortRequest':
        this.#abort?.abort(new Error(event.reason))
    }
  }

  /** Aborts the open request, if there is one. */
  abort(reason: Error): void {
    this.#abort?.abort(reason)
  }

  /** Aborts the open request so that the turn can be saved. An answer that is being shown goes on, unless `now`. */
  suspend(now: boolean): void {
    if (now || !this.#shown) this.#abort?.abort(SUSPENDED)
  }

  /** What JavaScript knows of this error beside the engine's hint: how a server on this machine is started. */
  hintOf({ code, hint }: ErrorEvent): { hint?: string } {
    const start = code === 'network' && hint?.startsWith('Nothing listens') ? startHint(this.#server.url) : undefined
    return start === undefined ? {} : { hint: `${hint} ${start}` }
  }

  /** Sends the request that the turn wants, and reads its answer. */
  async perform({ round, sources }: RequestEvent): Promise<void> {
    const { turn } = this.#stage
    this.#sources = sources
    const text = turn.request as string // as it stands: a parse and print here would change big integers
    const { signal } = (this.#abort = new AbortController())
    this.#sawText = this.#shown = this.#over = false
    this.#transient = this.#facts = undefined
    let {
      how,
      detail,
      delayMs = null,
      failure,
      inText,
    } = await this.#try(text, round, signal).catch((error: unknown): Try => this.#broken(error, signal))
    if (inText !== undefined && !signal.aborted) {
      try {
        this.#attempt = 0
        this.#finish('fallback', inText)
        return
      } catch (error) {
        if (!isState(error)) ({ how, detail } = this.#broken(error, signal))
      }
    } else if (delayMs !== null && !this.#sawText) {
      try {
        this.#tellRetry(round, delayMs, failure ?? { detail: '' })
        await sleep(delayMs, signal)
        this.#attempt++
        this.#finish('retry', detail)
        return
      } catch (error) {
        // Cancelled meanwhile, or something of the answer was already shown or run (`state`).
        if (signal.aborted) how = 'aborted'
        else if (!isState(error)) throw error
      }
    }
    if (signal.reason === SUSPENDED || (this.#stage.suspending && how === 'complete')) {
      this.#abort = this.#reading = undefined // the saved turn keeps the answer open
      return
    }
    this.#attempt = 0
    this.#finish(how, detail)
  }

  async #try(text: string, round: number, signal: AbortSignal): Promise<Try> {
    await null // the host has its Run before its hooks are called
    signal.throwIfAborted()
    if (this.#stage.hooks.checkpoint) await unlessAborted(this.#stage.checkpoint('request'), signal)
    const request = await this.#prepare(text, round, signal)
    try {
      return await this.#send(request, round, signal)
    } catch (error) {
      if (signal.aborted || error instanceof HookError) throw error
      const detail = messageOf(error)
      const failure = { detail }
      return { how: 'network', detail, failure, delayMs: await this.#delay(round, failure, signal) }
    }
  }

  async #send(request: HttpRequest, round: number, signal: AbortSignal): Promise<Try> {
    const { turn, hooks, step } = this.#stage
    const response = await unlessLate(send(hooks.transport, request, signal), signal)
    const refusal = response.status >= 400 ? await readRefusal(response, signal) : undefined
    const facts = (this.#facts = factsOf(response, refusal, turn.secrets))
    if (refusal) {
      const words = refusalWords(refusal)
      const failure = { detail: refusalText(response.status, refusal), words: words === '' ? undefined : words }
      const detail = shownUrl(request.url)
      const inText = await this.#fallback?.wanted(round, signal, detail, {
        status: response.status,
        headers: hideSecretsIn(response.headers, turn.secrets),
        body: refusal,
      } satisfies Refusal)
      if (inText !== undefined) return { how: 'complete', inText }
      const delayMs = await this.#delay(round, failure, signal, facts)
      // The turn never sees an answer that is asked for again: an error that was told cannot be taken back.
      if (delayMs === null) {
        step(() => turn.response(response.status, hideSecretsIn(response.headers, turn.secrets)))
        step(() => turn.feed(refusal))
      }
      return { how: 'complete', detail, delayMs, failure }
    }
    step(() => turn.response(response.status, hideSecretsIn(response.headers, turn.secrets)))
    const brokeOff = await this.#read(response, signal)
    const inText = this.#shown ? undefined : await this.#fallback?.wanted(round, signal)
    if (inText !== undefined) return { how: 'complete', inText }
    const failure: Failure | undefined =
      this.#transient ?? (brokeOff ? { detail: 'the answer broke off before anything of it was shown' } : undefined)
    return {
      how: 'complete',
      ...(failure === undefined ? {} : { failure, delayMs: await this.#delay(round, failure, signal) }),
    }
  }

  #broken(error: unknown, signal: AbortSignal): Try {
    return {
      how: signal.aborted ? 'aborted' : error instanceof HookError ? 'hook' : 'network',
      detail: messageOf(error),
    }
  }

  /** The request as `beforeRequest` wants it. */
  async #prepare(text: string, round: number, signal: AbortSignal): Promise<HttpRequest> {
    const request = httpRequest(this.#server, text)
    const { beforeRequest } = this.#stage.hooks
    if (!beforeRequest) return request
    const { messages: conversation } = wires[this.#server.wire]
    const sources = this.#sources.flatMap(([source, count]) => Array<RequestSource>(count).fill(source))
    const outgoing = new Outgoing(request, round, this.#attempt + 1, conversation, sources)
    const changed = await callHook('beforeRequest', () => beforeRequest(outgoing), hookTimeout(this.#stage), signal)
    if (changed === undefined || changed === null) return request
    const { text: body, headers } = asHookFault('beforeRequest', () => changedBody(changed, outgoing, conversation))
    this.#stage.turn.secrets = [
      ...new Set([...this.#stage.turn.secrets, ...secretTexts(namedSecrets(Object.entries(headers)))]),
    ]
    return { ...request, headers: { ...request.headers, ...headers }, body }
  }

  /**
   * Feeds the body to the turn until the answer is over. Returns whether a stream ended before that, and nothing of it
   * was shown.
   */
  async #read(response: Response, signal: AbortSignal): Promise<boolean> {
    const { turn, feed, settle } = this.#stage
    const reading = (this.#reading = new AbortController())
    const off = onAbort(signal, () => reading.abort(signal.reason))
    let begin = ''
    try {
      await readBody(
        response,
        reading.signal,
        (bytes) => {
          if (begin === '') begin = latin1(bytes.subarray(0, 64)).trimStart()
          feed(bytes)
          return !this.#over && this.#transient === undefined // some servers leave the connection open
        },
        () => this.#over,
      )
    } catch (error) {
      if (!this.#over) throw error
    } finally {
      off()
    }
    await settle() // text that waits to be grouped may hold the end
    if (this.#over || this.#sawText || isWhole(begin, this.#server.wire)) return false
    return turn.message.finishReason === undefined // some servers, and all of Gemini's, say no more behind it
  }

  #finish(how: AnswerEnd, detail: string | undefined): void {
    const { turn, step } = this.#stage
    this.#abort = this.#reading = undefined
    step(() => turn.finish(how, detail))
    this.#facts = undefined
  }

  /** Milliseconds until the next try; null: there is none. */
  async #delay(
    round: number,
    { detail, words }: Failure,
    signal: AbortSignal,
    refused?: { status: number; retryAfterMs?: number },
  ): Promise<number | null> {
    const {
      over,
      turn,
      hooks: { retries = DEFAULT_RETRIES },
    } = this.#stage
    if (over) return null
    const usual = retryDelay(this.#attempt + 1, refused)
    const failure: RequestFailure = {
      round,
      attempt: this.#attempt + 1,
      ...this.#facts,
      detail: turn.withoutSecrets(detail),
      ...(words === undefined ? {} : { words: turn.withoutSecrets(words) }),
      delayMs: usual,
    }
    const own = typeof retries === 'function'
    const wait = own
      ? await callHook('retries', () => retries(failure), hookTimeout(this.#stage), signal)
      : this.#attempt < retries
        ? usual
        : null
    if (own && wait !== null && !(typeof wait === 'number' && wait >= 0 && wait < Infinity)) {
      throw new HookError(`retries gave back ${shown(wait)}, expected milliseconds, or null to give up`)
    }
    // What would come too late is told now, in the provider's words, and not later as a timeout.
    return wait !== null && !this.#stage.over && Date.now() + wait < turn.tick() ? wait : null
  }

  #tellRetry(round: number, delayMs: number, { detail }: Failure): void {
    const {
      turn,
      hooks: { retries = DEFAULT_RETRIES },
    } = this.#stage
    this.#stage.emit({
      type: 'retry',
      round,
      attempt: this.#attempt + 1,
      ...(typeof retries === 'number' ? { maxAttempts: retries } : {}),
      delayMs: Math.round(delayMs),
      ...this.#facts,
      detail: turn.withoutSecrets(detail),
    })
  }
}

/** The argument of `beforeRequest`. Parses the body when the hook reads it. */
class Outgoing implements OutgoingRequest {
  readonly #conversation: string
  readonly #body: () => { readonly [member: string]: unknown }
  readonly text: string
  readonly sources: OutgoingRequest['sources']
  readonly headers: OutgoingRequest['headers']

  /** @param conversation the member of the body that holds it */
  constructor(
    { headers, body }: HttpRequest,
    readonly round: number,
    readonly attempt: number,
    conversation: string,
    sources: readonly RequestSource[],
  ) {
    this.#conversation = conversation
    this.sources = Object.freeze(sources)
    let parsed: { readonly [member: string]: unknown } | undefined
    this.#body = () =>
      (parsed ??= JSON.parse(body, (_, value: unknown) => Object.freeze(value)) as { [member: string]: unknown })
    this.text = body
    this.headers = Object.freeze({ ...headers })
    Object.freeze(this)
  }

  get body(): { readonly [member: string]: unknown } {
    return this.#body()
  }

  get messages(): readonly ChatMessage[] {
    return this.body[this.#conversation] as readonly ChatMessage[]
  }
}

/** The body and the headers to send, from what `beforeRequest` gave back. */
function changedBody(
  changed: ChangedRequest,
  outgoing: Outgoing,
  conversation: string,
): { text: string; headers: { [name: string]: string } } {
  checkChanged(changed, 'beforeRequest()')
  const { text, body, messages, headers = {} } = changed
  if (text !== undefined && (body ?? messages) !== undefined) {
    throw new SluiceError({
      code: 'option',
      path: 'beforeRequest().text',
      detail: `found \`${body ? 'body' : 'messages'}\` beside it, expected one of the two`,
    })
  }
  const own =
    (body ?? messages)
      ? encode(
          { ...(body ?? outgoing.body), ...(messages ? { [conversation]: messages } : {}) },
          'beforeRequest().body',
        )
      : undefined
  return { text: text ?? own ?? outgoing.text, headers: lowerCase(headers) }
}

/** Turns an error about a hook's return value into one that names the hook. */
function asHookFault<T>(name: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw new HookError(`${name} gave back what cannot be used: ${messageOf(error)}`)
  }
}

function factsOf(
  { status, headers }: Response,
  refusal: Uint8Array | undefined,
  secrets: readonly string[],
): ResponseFacts & { status: number } {
  const requestId = ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray']
    .map((name) => headers.get(name))
    .find((id) => id !== null)
  const retryAfterMs = retryAfter(headers, refusal)
  return {
    status,
    ...(requestId === undefined ? {} : { requestId: hideSecrets(requestId as string, secrets) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** As `fetch` gives it: the body of other libraries is a stream of Node, and is not read as this one is. */
function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false
  const { status, headers, body } = value as { [member in keyof Response]?: Partial<Response[member]> | null }
  return (
    typeof status === 'number' &&
    typeof headers?.get === 'function' &&
    Symbol.iterator in headers &&
    (!body || typeof body.getReader === 'function')
  )
}

export const isState = (error: unknown): boolean => error instanceof SluiceError && error.code === 'state'

/** By the app's transport, or by `fetch`. A transport that is wrong in itself would fail the same way again. */
async function send(transport: Transport | undefined, request: HttpRequest, signal: AbortSignal): Promise<Response> {
  if (!transport) return await fetchTransport(request, signal)
  let response: Response
  try {
    response = await transport(request, signal)
  } catch (error) {
    throw isNetworkFault(error) ? error : new HookError(`transport threw: ${messageOf(error)}`)
  }
  if (isResponse(response)) return response
  throw new HookError(`transport gave back ${shown(response)}, expected a Response`)
}
