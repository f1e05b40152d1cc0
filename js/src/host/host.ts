// Every method that a window may call: who may, with what, and what happens then. Bad input is an answer, never an exception.
import { randomUUID } from 'node:crypto'
import type { Bridge, Decision, Frame, Method, Methods, PetOrder, Reply, SendInput } from '../bridge/messages.js'
import type { Engine } from '../core/engine.js'
import { SluiceError, type ErrorCode } from '../core/errors.js'
import type { ChatMessage } from '../core/events.js'
import { splitHooks } from '../core/run-options.js'
import { Configuration } from './configuration.js'
import { Conversations } from './conversations.js'
import {
  flag, hidden, json, jsonObject, members, name, nothing, nullable, oneOf, optional, read, Refusal, refuse, text, toBridgeError, whole, type Check,
} from './check.js'
import { guard } from './guard.js'
import { checkEngine, checkOptions, checkRights, checkTurn } from './options.js'
import { Message } from './message.js'
import { checkCapabilities, Pet } from './pet.js'
import { TOKEN_LENGTH, type OpenAsk } from './questions.js'
import type { Connection, Host, HostOptions, Peer, Rights, RunningTool, TurnOptions } from './types.js'
import { HostWindow } from './window.js'

const MAX_CALL = 2 ** 31 - 1
const DEFAULT_CONVERSATION = 'main'

const id = name(200)
const token = text(TOKEN_LENGTH, TOKEN_LENGTH)
const MAX_DIGEST = 64
const call = whole(1, MAX_CALL)
const order = whole(1, Number.MAX_SAFE_INTEGER)
const reason = text(10_000, 0)
const argumentLimits = { characters: 1_000_000, values: 100_000, depth: 64 }
const resultLimits = { characters: 8_000_000, values: 500_000, depth: 64 }

type Input<M extends Method> = Parameters<Methods[M]> extends [infer I, ...unknown[]] ? I : undefined

interface MethodEntry { right: keyof Rights; run: (window: HostWindow, input: unknown) => unknown }

export function createHost(engine: Engine, options: HostOptions): Host {
  return new EngineHost(engine, options)
}

class EngineHost implements Host {
  readonly #engine: Engine
  readonly #options: HostOptions
  readonly #conversations: Conversations
  readonly #configuration: Configuration
  readonly #pet: Pet
  readonly #methods: Map<unknown, MethodEntry>
  readonly #windows = new Set<HostWindow>()
  readonly #checkText: Check<string>
  /** Turns that began, until everything about them is quiet. */
  readonly #following = new Set<Promise<void>>()
  #closed = false

  constructor(engine: Engine, options: HostOptions) {
    checkEngine(engine, 'engine')
    checkOptions(options, 'options')
    this.#engine = engine
    this.#options = options
    this.#conversations = new Conversations({
      system: options.system,
      keep: options.keepMessages ?? 200,
      onChange: (conversation) => {
        for (const window of this.#windows) window.conversationChanged(conversation)
      },
    })
    const onConfigure: HostOptions['onConfigure'] = (all) => guard('onConfigure', () => options.onConfigure?.(all))
    this.#configuration = rethrowAsSluiceError(() => new Configuration(engine, options.configuration, onConfigure))
    this.#pet = new Pet(engine, {
      ...options,
      onPetFailure: (failure) => guard('onPetFailure', () => options.onPetFailure?.(failure)),
    })
    this.#checkText = text(options.maxTextLength ?? 1_000_000)
    this.#methods = this.#declareMethods()
  }

  connect(peer: Peer): Connection {
    const window = new HostWindow(peer, {
      frameMs: this.#options.frameMs ?? 16,
      view: (conversation) => this.#conversations.view(conversation),
      onBroken: (broken) => this.#disconnect(broken),
    })
    if (this.#closed) window.close()
    else this.#windows.add(window)
    return { call: (method, input) => this.#call(window, method, input), close: () => this.#disconnect(window) }
  }

  send(text: string, conversation: string = DEFAULT_CONVERSATION): string {
    if (this.#closed) throw new SluiceError({ code: 'closed', detail: 'the host was closed' })
    return rethrowAsSluiceError(() => this.#send(this.#checkText(text, 'text'), id(conversation, 'conversation'), undefined))
  }

  bridge(rights: Rights = { read: true, chat: true, approve: true, configure: true }): Bridge & { close(): void } {
    checkRights(rights, 'rights')
    const [frames, orders] = [new Set<(frame: Frame) => void>(), new Set<(order: PetOrder) => void>()]
    // A copy each way, as through any other transport: nobody holds what is the host's.
    const connection = this.connect({
      id: randomUUID(),
      rights,
      frame: (frame) => frames.forEach((listener) => listener(structuredClone(frame))),
      pet: (order) => orders.forEach((listener) => listener(structuredClone(order))),
    })
    return {
      call: async (method, input) => structuredClone(await connection.call(method, input)),
      onFrame: (listener) => listen(frames, listener),
      onPet: (listener) => listen(orders, listener),
      close: () => connection.close(),
    }
  }

  async close(): Promise<{ stillRunning: RunningTool[] }> {
    this.#closed = true
    const left = await Promise.all(this.#conversations.running.map((message) => message.cancel('the host was closed')))
    this.#pet.close()
    await Promise.all(this.#following)
    for (const window of [...this.#windows]) {
      window.finish()
      this.#disconnect(window)
    }
    return { stillRunning: left.flat() }
  }

  // -- calls ----------------------------------------------------------------------------------------------------------------

  async #call(window: HostWindow, method: unknown, input: unknown): Promise<Reply> {
    try {
      if (this.#closed) throw refuse('closed', 'the host was closed')
      if (window.closed) throw refuse('closed', 'the window was closed')
      const entry = typeof method === 'string' ? this.#methods.get(method) : undefined
      if (!entry) throw refuse('argument', `there is no such method, expected one of ${[...this.#methods.keys()].join(', ')}`)
      if (!window.rights[entry.right]) throw refuse('forbidden', `this window may not: it lacks the right ${entry.right}`)
      return { ok: true, value: await (decides(entry) ? entry.run(window, input) : window.budget.pay(() => entry.run(window, input))) }
    } catch (error) {
      return { ok: false, error: toBridgeError(error, hidden('a call of a window')) }
    }
  }

  #declareMethods(): Map<unknown, MethodEntry> {
    const method = <M extends Method>(
      right: keyof Rights, check: Check<Input<M>>, run: (window: HostWindow, input: Input<M>) => ReturnType<Methods[M]> | Promise<ReturnType<Methods[M]>>,
    ): MethodEntry => ({ right, run: (window, input) => run(window, read(check, input)) })

    const decision = { message: id, token, digest: optional(text(MAX_DIGEST)) }
    const table: { [M in Method]: MethodEntry } = {
      send: method<'send'>('chat', members({ text: this.#checkText, conversation: optional(id) }), (window, input) =>
        ({ message: this.#sendFor(window, input) })),
      cancel: method<'cancel'>('chat', members({ message: id, call: optional(call) }), (_, input) =>
        this.#cancel(input.message, input.call)),
      approve: method<'approve'>('approve', members<Decision>({
        ...decision,
        remember: optional(oneOf('once', 'turn', 'session', 'always')),
        exact: optional(flag),
        arguments: optional(jsonObject(argumentLimits)),
      }), (window, input) => this.#approve(window, input)),
      deny: method<'deny'>('approve', members({ ...decision, reason: optional(reason) }), (window, input) => this.#deny(window, input)),
      subscribe: method<'subscribe'>('read', members({ message: id }), (window, { message }) => window.watch(this.#message(message))),
      unsubscribe: method<'unsubscribe'>('read', members({ message: id }), (window, { message }) => {
        const known = this.#conversations.message(message)
        if (known) window.unwatch(known)
      }),
      open: method<'open'>('read', openInput, (window, { conversation = DEFAULT_CONVERSATION }) => {
        window.open(conversation)
        return this.#conversations.view(conversation)
      }),
      configuration: method<'configuration'>('configure', nothing, () => this.#configuration.view),
      configure: method<'configure'>('configure', unchecked, (_, patch) => this.#configuration.configure(patch)),
      result: method<'result'>('chat', members({
        message: id, call, token, value: unchecked, error: unchecked,
      }), (window, input) => this.#result(window, input)),
      petReady: method<'petReady'>('pet', nullable(checkCapabilities), (window, capabilities) => this.#pet.ready(window, capabilities)),
      petReply: method<'petReply'>('pet', members({ id: order, ok: flag, reason: optional(reason) }), (window, input) =>
        this.#pet.reply(window, input.id, input.ok ? undefined : input.reason || 'the pet could not')),
    }
    return new Map(Object.entries(table))
  }

  #disconnect(window: HostWindow): void {
    if (!this.#windows.delete(window)) return
    window.close()
    guard('the pet window', () => this.#pet.leave(window))
  }

  #message(id: string): Message {
    const message = this.#conversations.message(id)
    if (!message) throw refuse('not_found', 'there is no such message; it may be too old')
    return message
  }

  // -- turns ----------------------------------------------------------------------------------------------------------------

  /** What the app's `run` throws, or gives that is none, is the developer's business: the window is told that it did. */
  #sendFor(window: HostWindow, { text, conversation = DEFAULT_CONVERSATION }: SendInput): string {
    try {
      return this.#send(text, conversation, window)
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(hidden('a message could not be started')(error))
    }
  }

  #send(text: string, conversation: string, sender: HostWindow | undefined): string {
    if (this.#conversations.isRunning(conversation)) {
      throw refuse('state', 'a message of this conversation goes on; it ends or is cancelled before the next')
    }
    const { maxRunning = 16 } = this.#options
    if (this.#conversations.running.length >= maxRunning) throw refuse('limit', `expected at most ${maxRunning} messages at a time`)
    const messages = this.#conversations.messages(conversation, text)
    const turn: unknown = this.#options.run({ text, conversation, messages: structuredClone(messages) })
    checkTurn(turn)
    const message = this.#start(turn, messages, sender)
    const finish = this.#conversations.add(conversation, text, message)
    const following = message.follow().then(finish, (error: unknown) => {
      finish([])
      guard('the host', () => { throw error })
    }).finally(() => this.#following.delete(following))
    this.#following.add(following)
    return message.id
  }

  #start(turn: TurnOptions, messages: ChatMessage[], sender: HostWindow | undefined): Message {
    const { own: hooks, rest: { model, messages: own, request, signal, rules, context, ...settings } } = splitHooks(turn)
    const said = own ?? messages
    const adapter = hooks.approvals === undefined ? this.#engine.approvals : hooks.approvals
    const message: Message = new Message({
      start: (history) => ({
        run: this.#engine.run({
          ...this.#configuration.settings(settings),
          ...hooks,
          ...{ model, request, signal, rules, context },
          messages: [...said, ...history],
        }),
        tools: this.#engine.tools,
      }),
      sender,
      adapted: { execution: Boolean(adapter?.execution), result: Boolean(adapter?.result) },
      graceMs: this.#options.approvalGraceMs ?? 30_000,
      onEvent: (event) => guard('onEvent', () => this.#options.onEvent?.(message.id, event)),
      onIpc: (event) => this.#pet.order(message, event),
    })
    return message
  }

  #cancel(id: string, call: number | undefined): void {
    const message = this.#message(id)
    if (call === undefined) void message.cancel() // it may take long until every tool returned
    else message.cancelCall(call)
  }

  // -- decisions ------------------------------------------------------------------------------------------------------------

  #approve(window: HostWindow, { remember, exact, arguments: edited, ...decision }: Decision): boolean {
    const ask = this.#ask(window, decision)
    if (isStale(ask, decision)) return false
    if (ask.stage === 'execution') return ask.message.approve(ask, { remember, exact, arguments: edited })
    for (const [path, value] of Object.entries({ remember, exact, arguments: edited })) {
      if (value !== undefined) throw refuse('argument', 'this belongs to an execution, and the release of a result was asked', { path })
    }
    return ask.message.release(ask)
  }

  #deny(window: HostWindow, { reason, ...decision }: Input<'deny'>): boolean {
    const ask = this.#ask(window, decision)
    return !isStale(ask, decision) && ask.message.deny(ask, reason || undefined)
  }

  /** Only what this window was shown, and as it was shown. */
  #ask(window: HostWindow, { message, token }: Pick<Decision, 'message' | 'token'>): OpenAsk {
    const ask = window.askOf(token)
    if (ask?.message.id === message) return ask
    throw refuse('forbidden', 'the token is none that this window was given for this message', { path: 'token' })
  }

  #result(window: HostWindow, { message, call, token, value, error }: Input<'result'>): void {
    const execution = window.executions.get(token)
    if (!execution || execution.message.id !== message || execution.call !== call) {
      throw refuse('state', 'nobody waits for this result of this window; it may be too late', { path: 'token' })
    }
    try {
      const given = read(checkResult, { value, error })
      if (given.error === undefined) execution.message.succeed(execution, given.value)
      else execution.message.fail(execution, given.error)
    } catch (refusal) {
      execution.message.fail(execution, `the window gave no usable result: ${toBridgeError(refusal, hidden('a result of a window')).detail}`)
      throw refusal
    }
  }
}

const openInput: Check<Input<'open'>> = (input, path) => members<Input<'open'>>({ conversation: optional(id) })(input ?? {}, path)
/** Checked where it is used. */
const unchecked: Check<never> = (input) => input as never
const checkResult = members<Pick<Input<'result'>, 'value' | 'error'>>({
  value: optional(json(resultLimits)),
  error: optional(text(100_000, 0)),
})

const isStale = (ask: OpenAsk, { digest = ask.digest }: Pick<Decision, 'digest'>): boolean => digest !== ask.digest

/** What a person does is never refused for what the page asked beside it. */
const decides = ({ right }: MethodEntry): boolean => right === 'chat' || right === 'approve'

function listen<T>(listeners: Set<(data: T) => void>, listener: (data: T) => void): () => void {
  const own = (data: T): void => listener(data)
  listeners.add(own)
  return () => void listeners.delete(own)
}

/** What a window would be told, for the app itself. */
function rethrowAsSluiceError<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new SluiceError({ ...error.error, code: error.error.code as ErrorCode })
  }
}

