// The bridge of a page over HTTP: calls are POSTs, frames are server-sent events. A connection that breaks comes back
// as a new window to the host; what the old one followed is followed again, by means of the contract alone: see
// `Followed`.
import type {
  Bridge,
  ConnectionState,
  ConversationView,
  WindowFrame,
  Method,
  PetOrder,
  Reply,
} from '../bridge/messages.js'
import { members, text } from '../../engine/core/options.js'
import { ClientError } from './client-errors.js'

/** What `webBridge` takes. */
export interface WebBridgeOptions {
  /** The server's origin, without a slash at its end. Default: the one that the page is from. */
  base?: string
}

/** The bridge of a page behind `serve` of sluice/web. */
export interface WebBridge extends Bridge {
  /** Ends the connection. Calls that still wait are answered with `closed`. */
  close(): void
}

const RETRY_MS = 500
const MAX_RETRY_MS = 10_000
/** A connection that does not come back in this time is called lost. It is tried for all the same. */
const LOST_MS = 5000
/** A connection that is accepted, and on which nothing comes, is given up. */
const HELLO_MS = 5000
/** Asked for twice is the same as asked for once. */
const repeatable: readonly Method[] = [
  'subscribe',
  'unsubscribe',
  'open',
  'earlier',
  'conversations',
  'search',
  'export',
  'picture',
  'file',
  'attachments',
  'configuration',
  'server',
  'localServers',
  'serverModels',
  'petReady',
]

const checkOptions = members({ members: { base: text } })

/**
 * Connects a page with the server of sluice/web that it came from: `connect(webBridge())`. A connection that breaks is
 * made again by itself. Each call opens a stream and is a window of its own to the host: elements of one page share one
 * client. Browsers open six connections to a server without HTTP/2, over all of its tabs. Throws SluiceError `option`
 * for a wrong option, and ClientError `bridge` where there is no EventSource: outside of a browser.
 */
export function webBridge(options: WebBridgeOptions = {}): WebBridge {
  checkOptions(options, 'options')
  const { base = '' } = options
  if (typeof EventSource === 'undefined')
    throw new ClientError({ code: 'bridge', detail: 'there is no EventSource: expected a page in a browser' })
  const followed = new Followed()
  const connection = new Events(
    `${base}/bridge/events`,
    (frame) => followed.see(frame),
    () => followed.again(call, connection.frames),
  )
  const call = async (method: Method, input?: unknown): Promise<Reply> => {
    for (let tries = 1; ; tries++) {
      const window = await (repeatable.includes(method) ? connection.window : connection.reach())
      if (window === undefined)
        return connection.lost
          ? failure('connection', 'there is no connection to the host')
          : failure('closed', 'the bridge was closed')
      const reply = await send(`${base}/bridge/call`, { window, method, input })
      if (reply.ok) return reply.value as Reply
      const { code } = reply.error
      if (code === 'gone' || code === 'network') connection.renew(window)
      // The server never runs a call of a window that is gone. A call that the network lost may have run.
      if (!(code === 'gone' && tries === 1) && !(code === 'network' && repeatable.includes(method))) return reply
    }
  }
  return {
    call(method, input) {
      followed.note(method, input)
      return call(method, input)
    },
    onFrame: (listener) => add(connection.frames, listener),
    onPet: (listener) => add(connection.pets, listener),
    onConnection: (listener) => add(connection.states, ({ state, retryAt }) => listener(state, retryAt)),
    retry: () => connection.retry(),
    close: () => connection.close(),
  }
}

/** No view has this `seq`, so a client that shows the message subscribes again and gets a snapshot. */
const AHEAD = Number.MAX_SAFE_INTEGER

/** What this window follows, so that it can ask for it again after a reconnect. */
class Followed {
  readonly #messages = new Set<string>()
  readonly #conversations = new Set<string | undefined>()
  /** Tools that this window runs, by token. */
  readonly #running = new Map<string, { message: string; call: number }>()
  #pet: unknown

  note(method: Method, input: unknown): void {
    const { message, conversation, token } = (input ?? {}) as { message: string; conversation?: string; token: string }
    if (method === 'subscribe') this.#messages.add(message)
    else if (method === 'unsubscribe') this.#messages.delete(message)
    else if (method === 'open') this.#conversations.add(conversation)
    else if (method === 'result') this.#running.delete(token)
    else if (method === 'petReady') this.#pet = input
  }

  see({ execute = [], abort = [], left = [] }: WindowFrame): void {
    for (const conversation of left) this.#conversations.delete(conversation)
    for (const { token, message, call } of execute) this.#running.set(token, { message, call })
    for (const { message, call } of abort) {
      for (const [token, one] of this.#running)
        if (one.message === message && one.call === call) this.#running.delete(token)
    }
  }

  again(call: (method: Method, input: unknown) => Promise<Reply>, listeners: Set<(frame: WindowFrame) => void>): void {
    const abort = [...this.#running.values()].map((one) => ({ ...one, reason: 'the connection was lost' }))
    this.#running.clear()
    tell(listeners, {
      abort,
      messages: [...this.#messages].map((id) => ({ id, after: AHEAD, seq: AHEAD, deltas: [] })),
    })
    for (const conversation of this.#conversations) {
      void call('open', { conversation }).then((reply) => {
        if (reply.ok) tell(listeners, { conversations: [reply.value as ConversationView] })
      })
    }
    if (this.#pet) void call('petReady', this.#pet)
  }
}

/** The events of one window after the other. */
class Events {
  readonly frames = new Set<(frame: WindowFrame) => void>()
  readonly pets = new Set<(order: PetOrder) => void>()
  readonly states = new Set<(state: { state: ConnectionState; retryAt?: number }) => void>()
  /** Who we are to the server, as soon as it said so; undefined: closed. */
  window!: Promise<string | undefined>

  readonly #url: string
  #source: EventSource | undefined
  #known!: (window: string | undefined) => void
  #name: string | undefined // what `window` resolved to
  #opened = false
  #closed = false
  #retry: ReturnType<typeof setTimeout> | undefined
  #retryMs = RETRY_MS
  #silent: ReturnType<typeof setTimeout> | undefined
  /** Runs while there is no connection. */
  #losing: ReturnType<typeof setTimeout> | undefined
  lost = false
  #retryAt: number | undefined

  readonly #see: (frame: WindowFrame) => void
  readonly #again: () => void

  /** `see` gets every frame first; `again` is called when a later window is there. */
  constructor(url: string, see: (frame: WindowFrame) => void, again: () => void) {
    this.#url = url
    this.#see = see
    this.#again = again
    this.#await()
    this.#connect()
  }

  /** The server does not know this window any more, or cannot be reached. */
  renew(window: string): void {
    if (window !== this.#name || this.#closed) return // a later one is there or under way
    this.#source?.close()
    this.#lost()
  }

  /** As `window`, but undefined also where the connection is lost: what a person does is not kept for later. */
  async reach(): Promise<string | undefined> {
    if (this.lost) return undefined
    let off: (() => void) | undefined
    const lost = new Promise<undefined>(
      (resolve) => (off = add(this.states, ({ state }) => state === 'lost' && resolve(undefined))),
    )
    return await Promise.race([this.window, lost]).finally(off)
  }

  /** Does not wait for its time. */
  retry(): void {
    if (this.#losing === undefined || this.#closed) return
    clearTimeout(this.#retry)
    this.#source?.close()
    this.#connect()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#losing)
    clearTimeout(this.#silent)
    this.#source?.close()
    this.#known(undefined)
    this.window = Promise.resolve(undefined)
  }

  #connect(): void {
    const source = (this.#source = new EventSource(this.#url))
    source.addEventListener('hello', ({ data }) => this.#hello((JSON.parse(data) as { window: string }).window))
    source.addEventListener('frame', ({ data }) => {
      const frame = JSON.parse(data) as WindowFrame
      this.#see(frame)
      tell(this.frames, frame)
    })
    source.addEventListener('pet', ({ data }) => tell(this.pets, JSON.parse(data) as PetOrder))
    const giveUp = (): void => {
      source.close() // it would try again by itself, but not after every kind of error
      if (!this.#closed && source === this.#source) this.#lost()
    }
    source.addEventListener('error', giveUp)
    clearTimeout(this.#silent)
    this.#silent = setTimeout(giveUp, HELLO_MS)
  }

  #hello(window: string): void {
    this.#retryMs = RETRY_MS
    clearTimeout(this.#silent)
    clearTimeout(this.#losing)
    this.#losing = this.#retryAt = undefined
    this.lost = false
    this.#name = window
    this.#known(window)
    if (this.#opened) this.#again()
    this.#opened = true
    this.#tell()
  }

  #lost(): void {
    if (this.#name !== undefined) this.#await()
    clearTimeout(this.#silent)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs)
    this.#losing ??= setTimeout(() => {
      this.lost = true
      this.#tell()
    }, LOST_MS)
    this.#retryAt = Date.now() + this.#retryMs
    this.#tell()
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
  }

  #tell(): void {
    const state = this.lost ? 'lost' : this.#losing === undefined ? 'connected' : 'reconnecting'
    tell(this.states, { state, ...(this.#retryAt === undefined ? {} : { retryAt: this.#retryAt }) })
  }

  #await(): void {
    this.#name = undefined
    this.window = new Promise((resolve) => (this.#known = resolve))
  }
}

/**
 * POSTs JSON to a route of the server. Resolves to what the route returned. Rejects with a ClientError for what went
 * wrong there, with code `network` where the server was not reached, and with the reason of `signal` where that was
 * aborted.
 */
export async function postJson<T>(path: string, input: unknown, signal?: AbortSignal): Promise<T> {
  const reply = await send(path, input, signal)
  if (reply.ok) return reply.value as T
  throw new ClientError(reply.error)
}

async function send(url: string, input: unknown, signal?: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
      ...(signal ? { signal } : {}),
    })
    return (await response.json()) as Reply
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    return failure('network', `${url}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const failure = (code: string, detail: string): Reply => ({ ok: false, error: { code, detail } })

function tell<T>(listeners: Set<(value: T) => void>, value: T): void {
  for (const listener of listeners) listener(value)
}

function add<T>(set: Set<T>, one: T): () => void {
  set.add(one)
  return () => void set.delete(one)
}
