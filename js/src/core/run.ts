// A turn with everything around it: fetch, timers, retries, tools, approvals. The native turn decides; this carries out what
// its events say. Every call into it goes through #step: tick, call, tick, drain.
import type { Approvals, ApproveOptions, Ask, Remember } from './approvals.js'
import { messageOf, SluiceError } from './errors.js'
import type {
  ApprovalEvent, AssistantMessage, ChatMessage, ErrorEvent, ExecuteEvent, FinishReason, Json, Outcome, Rule, SluiceEvent, Usage,
} from './events.js'
import { REMEMBER } from './native.js'
import { array, func, is, members, milliseconds, oneOf, orNull, shown, whole, type Check, type Shape } from './options.js'
import type { RuleStore } from './rules.js'
import type { Settings } from './settings.js'
import type { Tool, ToolContext } from './tool.js'
import { unusable } from './unusable.js'
import { untellable } from './json-text.js'
import { EventLog } from './event-log.js'
import { onAbort } from './on-abort.js'
import { Remembered } from './remembered.js'
import {
  checkModel, fetchTransport, httpRequest, isNetworkFault, readBody, readRefusal, retryAfter, retryDelay, secretsOf, sleep, whereRefused,
  type HttpRequest, type Model, type Transport,
} from './transport.js'
import { callNumber, type CallRef, type End, type Turn, type TurnConfig } from './turn.js'

/** What the app brings beside settings: given to the engine as a default, or to a run. */
export interface RunHooks {
  /** Answers questions where nobody reads the events. Default none: a question that nobody can see is denied. */
  approvals?: Approvals | undefined
  /** Sees the body of every request before it is sent, and may return another one, as text. What it throws ends the turn with the error `hook`. */
  beforeRequest?: ((body: string) => string | void | Promise<string | void>) | undefined
  /** Coalesces text into one event per this many milliseconds. The first delta is delivered immediately; 0 delivers every delta. Default 16. */
  flushMs?: number | undefined
  /** The turn is cancelled when it takes longer than this many milliseconds, questions included. Default: never. */
  deadlineMs?: number | undefined
  /** Gets what fire-and-forget tools send: `ipc: (channel, ...payload) => petWindow.webContents.send(channel, ...payload)`. Default: nobody. */
  ipc?: ((channel: string, ...payload: Json[]) => void) | undefined
  /** Further tries of a request that failed before anything of it was shown. Default 2. */
  retries?: number | undefined
  /**
   * Replaces `fetch`. What it throws counts as a fault of the network and is tried again, but for faults of its own: a ReferenceError, a TypeError
   * that no network gave, a result that is no Response end the turn with the error `hook`.
   */
  transport?: Transport | undefined
}

/** One user input: what it is about, and settings and hooks that go before the engine's. */
export interface RunOptions extends Settings, RunHooks {
  /** The server and the name of the model. */
  model: Model
  /** The conversation so far, at least one message; the last is usually the user's. */
  messages: ChatMessage[]
  /**
   * Further members of the request's body: `{ temperature: 0.7, max_tokens: 512, response_format: { … } }`. `tools` stand in front of the engine's:
   * the provider may run them itself, and a call that it leaves to you ends as `not_found`.
   */
  request?: { [member: string]: unknown }
  /** Cancels the turn. */
  signal?: AbortSignal
  /** Decisions that are used beside those the engine remembers. */
  rules?: Rule[]
}

const decides = orNull(func('(ask) => decision'))
const checkApprovals = orNull(members({
  members: { execution: decides, result: decides },
  instead: { exec: 'did you mean execution?', execute: 'did you mean execution?', approve: 'did you mean execution?', release: 'did you mean result?' },
}))

/** @internal */
export const hooks: { [hook in keyof Required<RunHooks>]: Check } = {
  approvals: checkApprovals,
  beforeRequest: func('(body) => body | void'),
  deadlineMs: milliseconds,
  flushMs: milliseconds,
  ipc: func('(channel, ...payload) => void'),
  retries: whole(0),
  transport: func('(request, signal) => Promise<Response>'),
}

/** What an adapter may answer. */
const decisions = { execution: oneOf(...Object.keys(REMEMBER), 'deny', 'reject'), result: oneOf('release', 'reject', 'deny') }

const checkCancel = members({ members: { graceMs: milliseconds } })

const checkBody = members({ members: {}, open: true, instead: {
  model: 'the name of the model belongs into `model`: { name }',
  messages: 'they belong beside `request`: engine.run({ model, messages, request })',
} })

/** @internal */
export const runShape: Shape = {
  members: {
    ...hooks,
    model: checkModel,
    messages: is('an array of at least one message', (value) => Array.isArray(value) && value.length > 0),
    request: checkBody,
    signal: is('an AbortSignal', (value) => typeof (value as AbortSignal | null)?.addEventListener === 'function', (value) =>
      value instanceof AbortController ? 'did you mean controller.signal?' : undefined),
    rules: array,
  },
  needs: ['model', 'messages'],
  instead: { name: 'it belongs into `model`: { baseURL, name }' },
}

/** How a run ended. */
export interface RunResult {
  /** `completed`, `cancelled`, `failed`, `limit`, or `awaiting_user` with its calls open. */
  outcome: Outcome
  /** Why the provider says that its last answer ended: `length` is an answer that was cut, `content_filter` one that was withheld. */
  finishReason?: FinishReason
  /** Everything a person saw, block by block. */
  message: AssistantMessage
  /** The messages this turn adds: `messages = [...messages, ...history, next]`. */
  history: ChatMessage[]
  /** All text of the message. */
  text: string
  /** Tokens of all its answers, as the provider counted them. Absent where it counted none. */
  usage?: Usage
  /** The last error of the turn, where it did not get over it. */
  error?: ErrorEvent
  /** Outcome `cancelled`: what `cancel` was told, the reason of the signal, or that the deadline passed. */
  reason?: string
}

/** What `cancel` left behind. */
export interface Stopped {
  /** Tools that took no notice of their signal: nothing of them reaches the turn any more. */
  stillRunning: { call: number; name: string }[]
}

const MAX_TIMER_MS = 2 ** 31 - 1

/** What a run takes of its `Engine`. */
export interface RunEngine {
  /** Those of the moment: a tool that is added later is no part of the run. */
  readonly tools: readonly Tool[]
  /** Where decisions that outlive the run are kept. */
  readonly rules: RuleStore
  /** Makes the native turn. */
  turn(config: TurnConfig): Turn
}

/** One run of a turn, with its requests, timers, tools and approvals. It goes on by itself; iterate it to see its events. */
export class Run implements AsyncIterable<SluiceEvent> {
  /** Resolves when the turn has ended, however it ended: see `outcome`. */
  readonly done: Promise<RunResult>

  readonly #turn: Turn
  readonly #model: Model
  readonly #host: RunHooks
  readonly #tools: Map<string, Tool>
  #settle!: (result: RunResult) => void
  #result: RunResult | undefined

  readonly #events = new EventLog()
  readonly #remembered: Remembered

  // -- polling
  #draining = false
  #polledAt = 0
  #sawText = false // of this answer
  #transient = false // this answer holds an error of the provider that may pass
  #over = false // this answer is at its end, whatever the connection does
  #reading: AbortController | undefined
  /** What the response to this request said of itself. */
  #response: Pick<ErrorEvent, 'status' | 'requestId' | 'retryAfterMs'> | undefined
  #flush: NodeJS.Timeout | undefined
  #alarm: NodeJS.Timeout | undefined
  #alarmAt = Infinity

  // -- what goes on outside
  #request: AbortController | undefined
  #attempt = 0
  #lastError: ErrorEvent | undefined
  #reason: string | undefined
  #deadline: NodeJS.Timeout | undefined
  /** Calls that were cancelled; 0: all of them. What had not started does not start any more. */
  readonly #stopped = new Set<number>()
  readonly #running = new Map<number, { name: string; abort: AbortController }>()
  readonly #asking = new Map<number, { event: ApprovalEvent; abort: AbortController }>()
  readonly #pending = new Set<Promise<unknown>>()
  #removeSignal: (() => void) | undefined

  /** @internal */
  constructor(engine: RunEngine, options: RunOptions, host: RunHooks) {
    const { model, messages, request, signal, rules, ...rest } = options
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- taken out of what the native engine gets
    const { approvals, beforeRequest, deadlineMs, flushMs, ipc, retries, transport, ...settings } = rest
    this.#model = model
    this.#host = host
    this.#tools = new Map(engine.tools.map((tool) => [tool.name, tool]))
    this.#remembered = new Remembered(engine.rules, rules ?? [])
    this.#turn = asOptions(() => engine.turn({
      wire: 'openai-chat',
      ...settings,
      rules: this.#remembered.rules,
      request: { ...request, model: model.name, messages },
    }))
    this.#turn.secrets = secretsOf(model)
    this.done = new Promise((resolve) => (this.#settle = resolve))
    this.#step(() => {})
    const limit = host.deadlineMs
    if (limit !== undefined && !this.#result) this.#deadline = setTimeout(() => this.#cancel(`the deadline of ${limit} ms passed`), Math.min(limit, MAX_TIMER_MS))
    if (signal) this.#removeSignal = onAbort(signal, () => this.#cancel(signal.reason === undefined ? undefined : messageOf(signal.reason)))
  }

  /** Every event from the first one on. Whoever reads is expected to answer `approval` events. */
  [Symbol.asyncIterator](): AsyncGenerator<SluiceEvent, void, undefined> {
    return this.#events.read(() => this.#denyUnwatched())
  }

  /** The message so far, block by block. */
  get message(): AssistantMessage {
    return this.#result ? this.#result.message : this.#turn.message
  }

  /**
   * Lets a call run: an `approval` event, the number of a call, or 0 for all whose `approval` event somebody has read. Returns false if the
   * question was already decided, nobody could have seen one, or it is not the one whose `digest` was given. Throws SluiceError `not_found` where there is no such call, `json` where edited arguments do not fit the schema.
   */
  approve(call: CallRef, options?: ApproveOptions): boolean {
    if (callNumber(call, 0) !== 0 || options?.arguments !== undefined) return this.#decide(() => this.#turn.approve(call, options))
    const seen = [...this.#asking.values()].filter(({ event }) =>
      event.stage === 'execution' && (this.#events.given(event) || this.#host.approvals?.execution !== undefined))
    return seen.map(({ event }) => this.approve(event, options)).some(Boolean)
  }

  /** Lets the result of a call out to the model. Returns false if the question was already decided. */
  release(call: CallRef): boolean {
    return this.#decide(() => this.#turn.release(call))
  }

  /** Refuses what a call waits for: to run, or that its result is let out. Returns false if the question was already decided. */
  deny(call: CallRef, reason?: string): boolean {
    return this.#decide(() => this.#turn.deny(call, reason))
  }

  /** Refuses what a call waits for where no person did, by the app's own policy: the model is told so. Returns false if the question was already decided. */
  refuse(call: CallRef, reason?: string): boolean {
    return this.#decide(() => this.#turn.refuse(call, reason))
  }

  /**
   * Cancels the turn. Resolves when everything is quiet: the request closed, every tool returned; at the latest after `graceMs` (default
   * 1,000). `stillRunning` are then the tools that take no notice of their signal: what they return reaches nobody.
   */
  async cancel(reason?: string, options: { graceMs?: number } = {}): Promise<Stopped> {
    checkCancel(options, 'options')
    const { graceMs = 1000 } = options
    this.#cancel(reason)
    const grace = new AbortController()
    const over = sleep(graceMs, grace.signal).then(() => grace.abort(), () => {})
    while (this.#pending.size > 0 && !grace.signal.aborted) await Promise.race([Promise.allSettled(this.#pending), over])
    grace.abort()
    return { stillRunning: [...this.#running].map(([call, { name }]) => ({ call, name })) }
  }

  #cancel(reason: string | undefined): void {
    this.#step(() => {
      this.#turn.cancel(0, reason)
      this.#reason ??= reason
      this.#stopped.add(0)
    })
  }

  /** Cancels one call. */
  cancelCall(call: CallRef, reason?: string): void {
    const number = callNumber(call)
    this.#step(() => {
      this.#turn.cancel(number, reason)
      this.#stopped.add(number)
    })
  }

  /** The result of a tool that has no `execute`. */
  succeed(call: CallRef, value: unknown): void {
    this.#step(() => this.#turn.succeed(call, value))
  }

  /** The failure of a tool that has no `execute`. */
  fail(call: CallRef, message: string): void {
    this.#step(() => this.#turn.fail(call, message))
  }

  /** What a running tool has to say meanwhile: shown on the card. */
  progress(call: CallRef, text: string): void {
    this.#step(() => this.#turn.progress(call, text))
  }

  // -- the native turn ------------------------------------------------------------------------------------------------------

  #step(call: () => void, lazy = false): void {
    if (this.#result) return // nothing comes after done, and calls that lost the race to it are fine
    this.#turn.tick()
    try {
      call()
    } finally {
      if (lazy) this.#drainLater()
      else this.#drain()
    }
  }

  #decide(call: () => void): boolean {
    if (this.#result) return false
    try {
      this.#step(call)
      return true
    } catch (error) {
      if (isState(error)) return false
      throw error
    }
  }

  /** Text that nobody polls becomes one event: polling less often is all it takes to group it. */
  #drainLater(): void {
    const wait = this.#polledAt + (this.#host.flushMs ?? 16) - performance.now()
    if (!this.#sawText || wait <= 0) this.#drain()
    else this.#flush ??= setTimeout(() => this.#drain(), wait)
  }

  #drain(): void {
    if (this.#draining || this.#result) return // an event's handler called: the loop below goes on with what that brought
    clearTimeout(this.#flush)
    this.#flush = undefined
    this.#draining = true
    let paused = false
    let deadline = Infinity
    const next = (): SluiceEvent | null => {
      const event = this.#turn.nextEvent()
      if (event !== null) return event
      deadline = this.#turn.tick()
      return this.#turn.nextEvent() // of a deadline that passed just now
    }
    try {
      for (let event = next(); event !== null; event = next()) {
        if (event.type === 'error') Object.assign(event, this.#response)
        if (this.#takenBack(event)) continue
        this.#events.push(event)
        paused = this.#acts(event)
        if (paused) return this.#goOnWith(event)
        this.#handle(event)
        if (event.type === 'done') return
      }
    } finally {
      this.#draining = paused
      this.#events.wake()
    }
    this.#polledAt = performance.now()
    this.#arm(deadline)
  }

  /** What must not start, or not any more: whoever reads does not hear of it either, for they may be the ones who start it. */
  #takenBack(event: SluiceEvent): boolean {
    const fault = event.type === 'execute' || event.type === 'approval' ? unusable(event.arguments) : undefined
    if (event.type === 'approval' && event.stage === 'execution' && fault !== undefined) return this.refuse(event.call, fault)
    if (event.type !== 'execute' && event.type !== 'ipc') return false
    const why = fault === undefined ? this.#remembered.withdrawn(this.#turn, event.call) : `Not run: ${fault}`
    if (why !== undefined && event.type === 'execute') this.fail(event.call, why)
    return why !== undefined
  }

  /** Something outside happens by this event: whoever reads has seen by then what stands before it. */
  #acts(event: SluiceEvent): boolean {
    switch (event.type) {
      case 'ipc':
        return this.#host.ipc !== undefined
      case 'execute':
        return this.#tools.get(event.name)?.run !== undefined
      case 'approval':
        return this.#host.approvals?.[event.stage] !== undefined
      default:
        return false
    }
  }

  #goOnWith(event: SluiceEvent): void {
    setImmediate(() => {
      this.#draining = false
      try {
        this.#handle(event)
      } catch (error) {
        this.#break(error)
      }
      this.#drain()
    })
  }

  #arm(deadline: number): void {
    if (deadline >= this.#alarmAt) return // an alarm that comes too early only asks again
    clearTimeout(this.#alarm)
    this.#alarmAt = deadline
    const ring = (): void => {
      this.#alarmAt = Infinity
      this.#step(() => {})
    }
    this.#alarm = setTimeout(ring, Math.min(Math.max(deadline - Date.now(), 0), MAX_TIMER_MS))
  }

  #handle(event: SluiceEvent): void {
    switch (event.type) {
      case 'request':
        return this.#track(this.#perform())
      case 'abortRequest':
        return this.#request?.abort(new Error(event.reason))
      case 'text':
      case 'reasoning':
        this.#sawText = true
        return
      case 'card':
        if (event.status && !event.status.startsWith('awaiting')) this.#forgetAsk(event.call)
        return
      case 'approval':
        return this.#ask(event)
      case 'execute':
        return this.#execute(event)
      case 'abortTool':
        return this.#running.get(event.call)?.abort.abort(new Error(event.reason))
      case 'ipc':
        if (this.#stopped.has(0) || this.#stopped.has(event.call)) return
        return this.#guard('ipc', () => this.#host.ipc?.(event.channel, ...event.payload))
      case 'rule':
        return this.#guard('rules.add', () => this.#remembered.add(event.rule))
      case 'diagnostic':
        if (event.code === 'provider_error' && event.retryable) this.#transient = true
        return
      case 'round':
        this.#over = true
        this.#reading?.abort()
        return
      case 'error':
        this.#lastError = event
        return
      case 'done':
        return this.#end(event.outcome)
    }
  }

  #end(outcome: Outcome): void {
    const turn = this.#turn
    const message = orElse(() => turn.message, { role: 'assistant', outcome, rounds: 0, blocks: [] })
    const history = orElse(() => turn.history, [])
    const text = message.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
    const error = outcome === 'failed' || outcome === 'limit' ? this.#lastError : undefined
    const reason = outcome === 'cancelled' ? this.#reason : undefined
    const { finishReason, usage } = message
    this.#result = { outcome, ...(finishReason ? { finishReason } : {}), message, history, text, ...(usage ? { usage } : {}), ...(error ? { error } : {}), ...(reason === undefined ? {} : { reason }) }
    clearTimeout(this.#alarm)
    clearTimeout(this.#deadline)
    this.#removeSignal?.()
    this.#request?.abort(new Error('the turn is over'))
    for (const { abort } of this.#running.values()) abort.abort(new Error('the turn is over'))
    for (const call of [...this.#asking.keys()]) this.#forgetAsk(call)
    turn.close()
    this.#settle(this.#result)
  }

  /** A hook of the host must not break the turn. */
  #guard(what: string, call: () => unknown): void {
    const warn = (error: unknown): void => this.#warn(`${what} threw: ${messageOf(error)}`)
    try {
      const given = call()
      if (given instanceof Promise) given.catch(warn)
    } catch (error) {
      warn(error)
    }
  }

  #warn(text: string): void {
    process.emitWarning(text, 'SluiceWarning')
  }

  #track(work: Promise<unknown>): void {
    const quiet = work
      .catch((error: unknown) => this.#break(error))
      .finally(() => this.#pending.delete(quiet))
    this.#pending.add(quiet)
  }

  /** Nothing outside can make this happen; but a turn must end. */
  #break(error: unknown): void {
    this.#guard('the run', () => { throw error })
    this.#step(() => this.#turn.cancel(0, messageOf(error)))
  }

  // -- requests -------------------------------------------------------------------------------------------------------------

  async #perform(): Promise<void> {
    const body = this.#turn.request as string // as it stands: a parse and print here would change big integers
    const abort = (this.#request = new AbortController())
    this.#sawText = this.#transient = this.#over = false
    this.#response = undefined
    this.#lastError = undefined
    let how: End = 'complete'
    let detail: string | undefined
    let wait: number | null = null
    let sent = false
    // What the host brings may not know the signal: it is not waited for longer than the turn is.
    const aborted = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(abort.signal.reason), { once: true })
    })
    aborted.catch(() => {})
    try {
      await null // the host has its Run before its hooks are called
      abort.signal.throwIfAborted()
      const changed = await Promise.race([hook('beforeRequest', () => this.#host.beforeRequest?.(body)), aborted])
      abort.signal.throwIfAborted()
      if (typeof (changed ?? '') !== 'string') throw new HookError(`beforeRequest gave back ${shown(changed)}, expected the text of a body, or nothing`)
      const request = httpRequest(this.#model, changed ?? body)
      sent = true
      const response = await Promise.race([send(this.#host.transport, request, abort.signal), aborted])
      const refusal = response.status >= 400 ? await readRefusal(response, abort.signal) : undefined
      if (refusal) wait = this.#retryIn(response)
      this.#response = toldBy(response)
      if (refusal) detail = whereRefused(request.url, response.status)
      // The turn never sees an answer that is asked for again: an error that was told cannot be taken back.
      if (wait === null) this.#step(() => this.#turn.response(response.status, Object.fromEntries(response.headers)))
      if (wait === null && refusal) this.#step(() => this.#turn.feed(refusal))
      const brokeOff = !refusal && (await this.#read(response, abort.signal))
      if (this.#transient || brokeOff) wait ??= this.#retryIn()
    } catch (error) {
      how = abort.signal.aborted ? 'aborted' : error instanceof HookError ? 'hook' : 'network'
      detail = messageOf(error)
      if (how === 'network' && sent) wait ??= this.#retryIn() // a hook of the host fails the same way again
    }
    if (wait !== null && !this.#sawText) {
      try {
        await sleep(wait, abort.signal)
        this.#attempt++
        this.#finish('retry', detail)
        return
      } catch (error) {
        // Cancelled meanwhile, or something of the answer was already shown or run (`state`).
        if (abort.signal.aborted) how = 'aborted'
        else if (!isState(error)) throw error
      }
    }
    this.#attempt = 0
    this.#finish(how, detail)
  }

  /** Feeds the body to the turn until the answer is over. Returns whether a stream ended before that, and nothing of it was shown. */
  async #read(response: Response, signal: AbortSignal): Promise<boolean> {
    const reading = (this.#reading = new AbortController())
    const off = onAbort(signal, () => reading.abort(signal.reason))
    let begin = ''
    try {
      for await (const bytes of readBody(response, reading.signal)) {
        if (begin === '') begin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, 64).trimStart()
        this.#step(() => this.#turn.feed(bytes), true)
        if (this.#over || this.#transient) break // some servers leave the connection open
      }
    } catch (error) {
      if (!this.#over) throw error
    } finally {
      off()
    }
    this.#step(() => {}) // what waits to be grouped may be its end
    while (this.#draining && !this.#result) await new Promise(setImmediate) // so may what waits for its turn
    return !this.#over && !this.#sawText && !begin.startsWith('{') // a JSON body says at its end what it is
  }

  #finish(how: End, detail: string | undefined): void {
    this.#request = this.#reading = undefined
    this.#step(() => this.#turn.finish(how, detail))
    this.#response = undefined
  }

  #retryIn(response?: Response): number | null {
    if (this.#result) return null
    const wait = this.#attempt < (this.#host.retries ?? 2) ? retryDelay(this.#attempt + 1, response) : null
    // What would come too late is told now, in the provider's words, and not later as a timeout.
    return wait !== null && Date.now() + wait < this.#turn.tick() ? wait : null
  }

  // -- tools ----------------------------------------------------------------------------------------------------------------

  #execute(event: ExecuteEvent): void {
    const { call } = event
    const run = this.#tools.get(event.name)?.run
    if (!run) return // the host reads the event, and calls succeed or fail
    if (this.#stopped.has(0) || this.#stopped.has(call)) return
    const abort = new AbortController()
    this.#running.set(call, { name: event.name, abort })
    const context: ToolContext = {
      signal: abort.signal,
      call,
      name: event.name,
      reserved: event.reserved ?? {},
      progress: (text) => {
        if (this.#running.get(call)?.abort === abort && !abort.signal.aborted) this.progress(call, text)
      },
    }
    const work = async (): Promise<void> => {
      let value: unknown
      try {
        value = await run(event.arguments, context)
      } catch (error) {
        return this.#told(() => this.fail(call, messageOf(error)))
      } finally {
        this.#running.delete(call)
      }
      this.#told(() => {
        try {
          this.succeed(call, value)
        } catch (error) {
          if (isState(error)) throw error
          this.fail(call, untellable(error instanceof SluiceError && error.cause ? error.cause : error)) // it did its work
        }
      })
    }
    this.#track(work())
  }

  /** Whoever reads may have answered for the tool. */
  #told(result: () => void): void {
    try {
      result()
    } catch (error) {
      if (!isState(error)) throw error
    }
  }

  // -- approvals ------------------------------------------------------------------------------------------------------------

  #ask(event: ApprovalEvent): void {
    const { call, stage } = event
    this.#forgetAsk(call)
    const asking = { event, abort: new AbortController() }
    this.#asking.set(call, asking)
    if (!this.#host.approvals?.[stage]) {
      setImmediate(() => this.#denyUnwatched()) // whoever starts to read in this moment still counts
      return
    }
    this.#track(
      this.#answer(asking.event, asking.abort.signal).catch((error: unknown) => {
        if (this.#asking.get(call) !== asking) return // cancelled, or decided elsewhere
        this.#warn(`approvals.${stage} failed, which is a no to call ${call} (${event.name}): ${messageOf(error)}`)
        this.refuse(call, `the approval failed: ${messageOf(error)}`)
      }),
    )
  }

  async #answer(event: ApprovalEvent, signal: AbortSignal): Promise<void> {
    const { call, stage } = event
    const { type: _, seq: __, stage: ___, ...request } = event
    const ask: Ask = { ...request, signal }
    await null
    const settled = new Promise<never>((_, reject) => onAbort(signal, () => reject(signal.reason)))
    settled.catch(() => {})
    const answer = await Promise.race([this.#host.approvals?.[stage]?.(ask), settled])
    if (signal.aborted) return
    const given = typeof answer === 'object' && answer !== null ? answer : { decision: answer }
    const path = `approvals.${stage}`
    decisions[stage](given.decision, given === answer ? `${path}.decision` : path)
    if (given.decision === 'deny' || given.decision === 'reject') this.deny(call, 'reason' in given ? given.reason : undefined)
    else if (stage === 'result') this.release(call)
    else this.approve(call, approval(given))
  }

  #forgetAsk(call: number): void {
    this.#asking.get(call)?.abort.abort(new Error('the question was settled'))
    this.#asking.delete(call)
  }

  /** A question that nobody sees is answered with no; it never waits for ever. */
  #denyUnwatched(): void {
    if (this.#events.readers > 0) return
    for (const [call, { event }] of this.#asking) {
      if (!this.#host.approvals?.[event.stage]) this.refuse(call, 'no_approver: there was nobody to ask')
    }
  }
}

function toldBy({ status, headers }: Response): Pick<ErrorEvent, 'status' | 'requestId' | 'retryAfterMs'> {
  const requestId = ['x-request-id', 'request-id', 'x-amzn-requestid', 'cf-ray'].map((name) => headers.get(name)).find((id) => id !== null)
  const retryAfterMs = retryAfter(headers)
  return { status, ...(requestId === undefined ? {} : { requestId: requestId as string }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

/** A turn that ended by a fault of the engine has its last events, but no documents any more. */
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** As `fetch` gives it: the body of other libraries is a stream of Node, and is not read as this one is. */
function isResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null) return false
  const { status, headers, body } = value as { [member in keyof Response]?: Partial<Response[member]> | null }
  return typeof status === 'number' && typeof headers?.get === 'function' && Symbol.iterator in headers && (!body || typeof body.getReader === 'function')
}

const isState = (error: unknown): boolean => error instanceof SluiceError && error.code === 'state'

/** A hook of the app threw: asking again is of no use. */
class HookError extends Error {}

async function hook<T>(name: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new HookError(`${name} threw: ${messageOf(cause)}`)
  }
}

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

/** A decision as `approve` takes it. */
function approval({ decision, ...rest }: { decision?: unknown }): ApproveOptions {
  return { remember: decision as Remember, ...rest }
}

/** The native turn's paths, as `run()` takes its options. */
function asOptions<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof SluiceError) || !error.path?.startsWith('request.')) throw error
    const { code, detail, hint } = error
    const path = error.path.replace(/^request\.(?=messages\b)/, '')
    throw new SluiceError({ code, detail, hint, path, cause: error.cause })
  }
}
