// The methods that a window may call: the right each needs, the check of its input, and what it does. Bad input gets an error as the reply,
// never an exception.
import { randomUUID } from 'node:crypto'
import type { BridgeError, ConversationItem, Decision, FirstReply, Frame, MessageView, Method, Methods, PetOrder, Picture, Reply, SendInput } from '../bridge/messages.js'
import type { Engine } from '../core/engine.js'
import { messageOf, SluiceError, type ErrorCode } from '../core/errors.js'
import type { ChatMessage, Outcome, SluiceEvent } from '../core/events.js'
import { MemoryConversations } from '../conversations/memory.js'
import { mediaTypeOf, refOf } from '../conversations/blobs.js'
import type { Entry } from '../conversations/types.js'
import { shortTitle } from '../conversations/words.js'
import { picturesOf } from './attachments.js'
import type { Model } from '../core/model.js'
import { addressesOf } from '../core/providers.js'
import type { Run } from '../core/run.js'
import { atMost, savedFirst, STORE_MS } from '../core/not-saved.js'
import { splitHooks, type RunHooks } from '../core/run-options.js'
import { checkRunnable } from '../core/runnable.js'
import { toBase64 } from '../core/base64.js'
import { warn } from '../core/warning.js'
import { Configuration } from './configuration.js'
import { HostConversations } from './conversations.js'
import type { HostConversation } from './conversation.js'
import {
  flag, hidden, json, jsonObject, members, name, nothing, nullable, oneOf, optional, read, Refusal, refuse, text, toBridgeError, whole, type Check,
} from './check.js'
import { checkDropped, Drops } from './drops.js'
import { briefly, First } from './first.js'
import { guard } from './guard.js'
import { checkEngine, checkOptions, checkRights, checkTurn } from './options.js'
import type { Waiting } from './interrupted.js'
import { Links } from './links.js'
import { Message } from './message.js'
import { checkCapabilities, Pet } from './pet.js'
import { TOKEN_LENGTH, type OpenAsk } from './questions.js'
import { checkServerInput, ServerPage } from './server.js'
import { Speech } from './speech.js'
import type { Connection, FinishedTurn, Host, HostBridge, HostOptions, Peer, Rights, RunningTool, TurnOptions } from './types.js'
import { Voices } from './voices.js'
import { HostWindow } from './window.js'

const MAX_CALL = 2 ** 31 - 1
const DEFAULT_CONVERSATION = 'main'

const id = name(200)
const token = text(TOKEN_LENGTH, TOKEN_LENGTH)
const MAX_DIGEST = 64
const MAX_URL = 8000
const GO_ON = 'Go on exactly where you stopped, and repeat nothing.'
const call = whole(1, MAX_CALL)
const order = whole(1, Number.MAX_SAFE_INTEGER)
const reason = text(10_000, 0)
const argumentLimits = { characters: 1_000_000, values: 100_000, depth: 64 }
const resultLimits = { characters: 8_000_000, values: 500_000, depth: 64 }

type Input<M extends Method> = Parameters<Methods[M]> extends [infer I, ...unknown[]] ? I : undefined

/** A turn that is to begin: behind which question, with what the model is sent, and the answer that it goes on with. */
interface Turn {
  question: Entry
  messages: ChatMessage[]
  before?: MessageView
  /** Returns the question as it is kept. */
  begin: (message: Message, turn: Turn) => Entry
}

interface MethodEntry { right: keyof Rights; run: (window: HostWindow, input: unknown) => unknown }

/** Creates the host of an engine. Throws SluiceError `option` for a value that is not an engine, and for a wrong option. */
export function createHost(engine: Engine, options: HostOptions): Host {
  return new EngineHost(engine, options)
}

class EngineHost implements Host {
  readonly #engine: Engine
  readonly #options: HostOptions
  readonly #conversations: HostConversations
  readonly #configuration: Configuration
  readonly #pet: Pet
  readonly #server: ServerPage
  readonly #speech: Speech
  readonly #links: Links
  readonly #first: First
  readonly #methods: Map<unknown, MethodEntry>
  readonly #windows = new Set<HostWindow>()
  readonly #voices = new Voices(this.#windows)
  readonly #drops = new Drops()
  readonly #checkText: Check<string>
  /** Turns that have not ended completely. */
  readonly #following = new Set<Promise<void>>()
  #closed = false
  #closing: Promise<{ stillRunning: RunningTool[] }> | undefined

  constructor(engine: Engine, options: HostOptions) {
    checkEngine(engine, 'engine')
    checkRunnable(engine.tools)
    checkOptions(options, 'options')
    this.#engine = engine
    this.#options = options
    const { conversations, keepMessages = 200 } = options
    const own = conversations ? undefined : new MemoryConversations()
    this.#conversations = new HostConversations({
      store: conversations ?? (own as MemoryConversations),
      forModel: { heard: options.heard, maxTokens: options.contextTokens },
      forgetful: own && { store: own, keep: keepMessages },
      isOpen: (conversation) => [...this.#windows].some(({ opened }) => opened.has(conversation)),
      onChange: (conversation) => {
        for (const window of this.#windows) window.conversationChanged(conversation)
      },
      onUnsaved: (conversation, error) => guard('onUnsaved', () => this.#unsaved(conversation, error)),
      onWaiting: (conversation, { id, waiting }) => this.#wake(conversation, id, waiting),
    })
    const onConfigure: HostOptions['onConfigure'] = (all) => guard('onConfigure', () => options.onConfigure?.(all))
    this.#configuration = rethrowAsSluiceError(() => new Configuration(engine, options.configuration, onConfigure))
    this.#pet = new Pet(engine, {
      ...options,
      onPetFailure: (failure) => guard('onPetFailure', () => options.onPetFailure?.(failure)),
    })
    this.#server = new ServerPage(options.server, Boolean(options.openExternal), (mode) => this.#configuration.configure({ settings: { mode } }))
    this.#speech = new Speech(options.speech)
    this.#links = new Links(options.openExternal)
    this.#first = new First(options.proactive)
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

  async send(text: string, conversation: string = DEFAULT_CONVERSATION): Promise<string> {
    if (this.#closed) throw new SluiceError({ code: 'closed', detail: 'the host was closed' })
    const given = rethrowAsSluiceError(() => ({ text: this.#checkText(text, 'text'), conversation: id(conversation, 'conversation') }))
    try {
      return await this.#send(given.conversation, (one) => one.ask(given.text, undefined), undefined)
    } catch (error) {
      return rethrowAsSluiceError(() => { throw error })
    }
  }

  bridge(rights: Rights = { read: true, chat: true, approve: true, configure: true, server: true }): HostBridge {
    checkRights(rights, 'rights')
    const [frames, orders] = [new Set<(frame: Frame) => void>(), new Set<(order: PetOrder) => void>()]
    // Copies in both directions, like any other transport, so that callers cannot change the host's objects.
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

  close(): Promise<{ stillRunning: RunningTool[] }> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<{ stillRunning: RunningTool[] }> {
    this.#closed = true
    if (this.#options.conversations) await Promise.all(this.#conversations.running.filter(({ asks }) => asks.size > 0).map((message) => this.#conversations.leave(message)))
    const left = await Promise.all(this.#conversations.running.map((message) => message.cancel('the host was closed')))
    this.#pet.close()
    this.#server.close()
    this.#speech.close()
    await Promise.all(this.#following)
    await atMost(STORE_MS, this.#conversations.saved())
    this.#conversations.close()
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
      if (!window.rights[entry.right]) throw refuse('forbidden', `this window lacks the right ${entry.right}`)
      return { ok: true, value: await (decides(entry) ? entry.run(window, input) : window.budget.pay(() => entry.run(window, input))) }
    } catch (error) {
      return { ok: false, error: isStorage(error) ? storageError(error) : toBridgeError(error, hidden('a call of a window')) }
    }
  }

  #declareMethods(): Map<unknown, MethodEntry> {
    const method = <M extends Method>(
      right: keyof Rights, check: Check<Input<M>>, run: (window: HostWindow, input: Input<M>) => ReturnType<Methods[M]> | Promise<ReturnType<Methods[M]>>,
    ): MethodEntry => ({ right, run: (window, input) => run(window, read(check, input)) })

    const decision = { message: id, token, digest: optional(text(MAX_DIGEST)) }
    const table: { [M in Method]: MethodEntry } = {
      send: method<'send'>('chat', this.#sendInput(), (window, { text, conversation = DEFAULT_CONVERSATION, parts, replyTo }) =>
        this.#sendFor(window, conversation, (one) => one.ask(text, parts, replyTo))),
      regenerate: method<'regenerate'>('chat', members({ entry: id }), (window, { entry }) =>
        this.#sendFor(window, this.#conversations.ownerOf(entry).id, (one) => one.questionOf(entry))),
      edit: method<'edit'>('chat', members({ entry: id, text: this.#checkText }), (window, { entry, text }) =>
        this.#sendFor(window, this.#conversations.ownerOf(entry).id, (one) => one.editOf(entry, text))),
      goOn: method<'goOn'>('chat', members({ entry: id }), (window, { entry }) => this.#goOn(window, entry)),
      choose: method<'choose'>('chat', members({ entry: id, index: whole(0, MAX_CALL) }), (_, { entry, index }) => this.#conversations.choose(entry, index)),
      conversations: method<'conversations'>('read', orEmpty(members({ query: optional(text(1000, 0)), skip: optional(whole(0, MAX_CALL)), limit: optional(whole(0, 1000)) })), (window, input) =>
        window.read(async () => (await this.#conversations.list(input)).map(forWindows), 'search')),
      search: method<'search'>('read', members({ query: text(1000), limit: optional(whole(0, 1000)) }), (window, { query, limit }) =>
        window.read(() => this.#conversations.search(query, limit), 'search')),
      rename: method<'rename'>('chat', members({ conversation: id, title: text(200, 0) }), (window, { conversation, title }) =>
        window.read(() => this.#conversations.rename(conversation, title))),
      delete: method<'delete'>('chat', members({ conversation: optional(id), entry: optional(id) }), (window, { conversation, entry }) => {
        if (conversation === undefined && entry === undefined) throw refuse('argument', 'expected a conversation, an entry, or both')
        return window.read(async () => this.#conversations.delete(conversation ?? this.#conversations.ownerOf(entry as string).id, entry))
      }),
      export: method<'export'>('read', members({ conversation: id, as: oneOf('json', 'markdown') }), (window, { conversation, as }) =>
        window.read(() => this.#conversations.export(conversation, as), 'search')),
      openLink: method<'openLink'>('chat', members({ url: text(MAX_URL), agreed: optional(flag) }), (_, { url, agreed }) => this.#links.open(url, agreed)),
      openKnownLink: method<'openKnownLink'>('chat', members({ url: text(MAX_URL) }), (_, { url }) => this.#links.openKnown(url)),
      picture: method<'picture'>('read', members({ conversation: id, url: text(200) }), (window, { conversation, url }) =>
        window.read(() => this.#picture(conversation, url))),
      cancel: method<'cancel'>('chat', members({ message: id, call: optional(call) }), (_, input) =>
        this.#cancel(input.message, input.call)),
      approve: method<'approve'>('approve', members<Decision>({
        ...decision,
        remember: optional(oneOf('once', 'turn', 'session', 'always')),
        exact: optional(flag),
        arguments: optional(jsonObject(argumentLimits)),
      }), (window, input) => this.#approve(window, input)),
      deny: method<'deny'>('approve', members({ ...decision, reason: optional(reason) }), (window, input) => this.#deny(window, input)),
      subscribe: method<'subscribe'>('read', members({ message: id }), (window, { message }) => {
        const live = this.#conversations.live(message)
        return live ? window.watch(live) : window.read(async () => window.copied(await this.#conversations.message(message)))
      }),
      unsubscribe: method<'unsubscribe'>('read', members({ message: id }), (window, { message }) => {
        const live = this.#conversations.live(message)
        if (live) window.unwatch(live)
      }),
      open: method<'open'>('read', openInput, (window, { conversation = DEFAULT_CONVERSATION }) => {
        window.open(conversation)
        return window.read(() => this.#conversations.open(conversation))
      }),
      earlier: method<'earlier'>('read', members({ entry: id, limit: optional(whole(0, 1000)) }), (window, { entry, limit = 100 }) =>
        window.read(() => this.#conversations.earlier(entry, limit))),
      configuration: method<'configuration'>('configure', nothing, () => this.#configuration.view),
      configure: method<'configure'>('configure', unchecked, (_, patch) => this.#configuration.configure(patch)),
      server: method<'server'>('server', nothing, () => this.#server.view),
      localServers: method<'localServers'>('server', nothing, () => this.#server.local()),
      serverModels: method<'serverModels'>('server', checkServerInput, (window, input) => this.#server.models(window, input)),
      checkServer: method<'checkServer'>('server', checkServerInput, (window, input) => this.#server.check(window, input)),
      checkStep: method<'checkStep'>('server', members({ check: whole(0, MAX_CALL), stop: optional(flag) }), (window, { check, stop }) =>
        this.#server.step(window, check, stop)),
      useServer: method<'useServer'>('server', members({ server: nullable(checkServerInput), mode: optional(oneOf('native', 'text', 'auto')) }), (_, { server, mode }) =>
        this.#server.use(server, mode)),
      result: method<'result'>('chat', members({
        message: id, call, token, value: unchecked, error: unchecked,
      }), (window, input) => this.#result(window, input)),
      synthesize: method<'synthesize'>('read', members({ text: text(2000) }), (window, { text }) => this.#speech.of(window, text)),
      heard: method<'heard'>('read', members({ message: id, block: whole(0, MAX_CALL), to: whole(0, MAX_CALL) }), (window, { message, ...place }) => {
        if (!window.rights.chat && !window.rights.pet) throw refuse('forbidden', 'this window lacks the right chat or pet')
        return window.read(() => this.#conversations.heard(message, place))
      }),
      petFirst: method<'petFirst'>('pet', members({ conversation: optional(id), prompt: optional(text(2000)) }), (window, input) => this.#speakFirst(window, input)),
      petVoice: method<'petVoice'>('pet', members({ state: oneOf('off', 'idle', 'speaking'), turn: whole(0, MAX_CALL) }), (window, voice) => this.#voices.tell(window, voice)),
      voice: method<'voice'>('chat', nothing, (window) => {
        window.watchesVoice = true
        return this.#voices.state
      }),
      endVoice: method<'endVoice'>('chat', nothing, () => this.#voices.end()),
      takeDrops: method<'takeDrops'>('chat', members({ on: flag }), (window, { on }) => this.#drops.take(window, on)),
      petDrop: method<'petDrop'>('pet', members({ files: checkDropped }), (_, { files }) => this.#drops.give(files)),
      petNotToday: method<'petNotToday'>('read', nothing, () => this.#first.notToday()),
      petReady: method<'petReady'>('pet', nullable(checkCapabilities), (window, capabilities) => this.#pet.ready(window, capabilities)),
      petReply: method<'petReply'>('pet', members({ id: order, ok: flag, reason: optional(reason) }), (window, input) =>
        this.#pet.reply(window, input.id, input.ok ? undefined : input.reason || 'the pet could not')),
      petHold: method<'petHold'>('pet', members({ id: order, held: flag }), (window, input) => this.#pet.hold(window, input.id, input.held)),
    }
    return new Map(Object.entries(table))
  }

  #disconnect(window: HostWindow): void {
    if (!this.#windows.delete(window)) return
    window.close()
    this.#server.leave(window)
    this.#speech.leave(window)
    this.#voices.leave(window)
    this.#drops.take(window, false)
    guard('the pet window', () => this.#pet.leave(window))
  }

  // -- turns ----------------------------------------------------------------------------------------------------------------

  #sendInput(): Check<SendInput> {
    const { maxTextLength = 1_000_000, maxPictureBytes = 10_000_000 } = this.#options
    const check = members<SendInput>({ text: text(maxTextLength, 0), conversation: optional(id), parts: optional(picturesOf(maxPictureBytes)), replyTo: optional(id) })
    return (input, path) => {
      const given = check(input, path)
      if (!given.parts?.length) this.#checkText(given.text, 'text')
      return given
    }
  }

  /** Starts a message. If the app's `run` throws or returns something unusable, the developer is warned and the window is told only that it failed. */
  #sendFor(window: HostWindow, conversation: string, question: (conversation: HostConversation) => Entry): Promise<{ message: string }> {
    return this.#started(() => this.#send(conversation, question, window))
  }

  #goOn(window: HostWindow, entry: string): Promise<{ message: string }> {
    const said: ChatMessage = { role: 'user', content: this.#options.goOn ?? GO_ON }
    return this.#started(() => this.#turn(this.#conversations.ownerOf(entry).id, window, async (conversation) => ({
      ...(await conversation.goOnWith(entry, said, this.#options.system)),
      begin: (message, { question }) => {
        this.#conversations.resume(conversation, said, message)
        for (const one of this.#windows) one.resumed(message.id)
        return question
      },
    })))
  }

  /** The pet speaks first, while nothing else is said or asked. */
  async #speakFirst(window: HostWindow, { conversation = DEFAULT_CONVERSATION, prompt }: Input<'petFirst'>): Promise<FirstReply> {
    this.#first.check()
    if (prompt === undefined) return { left: this.#first.left }
    if (this.#conversations.busy > 0) throw refuse('state', 'something else is said or asked')
    const { message } = await this.#started(() => this.#turn(conversation, window, async (one) => {
      const question = one.first(this.#first.text(prompt))
      const messages = await one.messages(question, this.#options.system)
      this.#first.take(one)
      return { question, messages, begin: (message, { question: asked }) => this.#conversations.begin(one, asked, message) }
    }))
    return { message, left: this.#first.left }
  }

  async #started(start: () => Promise<string>): Promise<{ message: string }> {
    try {
      return { message: await start() }
    } catch (error) {
      throw error instanceof Refusal || isStorage(error) ? error : new Refusal(hidden('a message could not be started')(error))
    }
  }

  #send(id: string, ask: (conversation: HostConversation) => Entry, sender: HostWindow | undefined): Promise<string> {
    return this.#turn(id, sender, async (conversation) => {
      const question = ask(conversation)
      return {
        question, messages: await conversation.messages(question, this.#options.system),
        begin: (message, { question }) => this.#conversations.begin(conversation, question, message),
      }
    })
  }

  async #turn(id: string, sender: HostWindow | undefined, prepare: (conversation: HostConversation) => Promise<Turn>): Promise<string> {
    const { maxRunning = 16 } = this.#options
    if (this.#conversations.isBusy(id)) throw refuse('state', 'a message of this conversation is still running: wait for its end, or cancel it')
    if (this.#conversations.busy >= maxRunning) throw refuse('limit', `expected at most ${maxRunning} messages at a time`)
    const [conversation, release] = await this.#conversations.claim(id)
    try {
      const prepared = await prepare(conversation)
      const { question, messages, before } = prepared
      if (this.#closed) throw refuse('closed', 'the host was closed')
      const { text = '', parts } = question
      const turn: unknown = this.#options.run({ text, conversation: id, messages: structuredClone(messages), ...(parts ? { parts } : {}), ...(question.first ? { first: true } : {}) })
      checkTurn(turn)
      const message: Message = question.first
        ? this.#start(this.#first.limited(turn), messages, sender, before, undefined, briefly(() => void message.cancel('two sentences are enough')))
        : this.#start(turn, messages, sender, before)
      this.#follow(message, conversation, prepared.begin(message, prepared))
      return message.id
    } catch (error) {
      release()
      throw error
    }
  }

  #follow(message: Message, conversation: HostConversation, question: Entry): void {
    const { text = '', parts } = question
    const finish = (end: Awaited<ReturnType<Message['follow']>>): void => {
      if (!end) return // it was left
      const { history, error } = end
      this.#conversations.finish(conversation, message, history)
      const { onTurn, titles } = this.#options
      const names = titles && message.view.outcome === 'completed' && conversation.begins(question)
      if (!onTurn && !names) return
      const { id, seq: _, asks: __, ...view } = message.view
      const { outcome = 'failed' as Outcome, finishReason, usage } = view
      const turn = (): FinishedTurn => ({
        conversation: conversation.id, message: id, text, ...(parts ? { parts } : {}), history: structuredClone(history), view: structuredClone(view),
        outcome, ...(finishReason ? { finishReason } : {}), ...(usage ? { usage } : {}), ...(error ? { error } : {}),
      })
      if (onTurn) guard('onTurn', () => onTurn(turn()))
      if (names) this.#entitle(conversation, () => titles(turn()))
    }
    const following = message.follow().then(finish, (error: unknown) => {
      finish({ history: [] })
      guard('the host', () => { throw error })
    }).finally(() => this.#following.delete(following))
    this.#following.add(following)
  }

  /** Gives a conversation the title that the app makes, unless a person is the first. */
  #entitle(conversation: HostConversation, make: () => string | undefined | Promise<string | undefined>): void {
    if (conversation.titled) return
    const title = async (): Promise<void> => {
      const made = shortTitle(await make())
      if (made !== '' && !conversation.titled && !this.#closed) await this.#conversations.rename(conversation.id, made)
    }
    void title().catch((error: unknown) => guard('titles', () => { throw error }))
  }

  #unsaved(conversation: string, error: unknown): void {
    const { onUnsaved } = this.#options
    if (onUnsaved) onUnsaved({ conversation, error })
    else warn(`the conversation ${conversation} could not be saved: ${messageOf(error)}`)
  }

  async #picture(conversation: string, url: string): Promise<Picture> {
    const ref = refOf(url)
    const bytes = ref === undefined ? null : await this.#conversations.bytes(conversation, ref)
    if (ref === undefined || !bytes) throw refuse('not_found', 'there is no such picture', { path: 'url' })
    return { type: 'image', mediaType: mediaTypeOf(ref), data: toBase64(bytes) }
  }

  /** A turn of a process that ended waits for a person: it goes on, and asks again. */
  async #wake(conversation: HostConversation, id: string, waiting: Waiting): Promise<void> {
    const { question, messages, before } = await conversation.goOnWaiting(id, waiting, this.#options.system)
    if (this.#closed) throw refuse('closed', 'the host was closed')
    const { text = '', parts } = question
    const turn: unknown = this.#options.run({ text, conversation: conversation.id, messages: structuredClone(messages), ...(parts ? { parts } : {}) })
    checkTurn(turn)
    const sender = [...this.#windows].find(({ opened, rights }) => opened.has(conversation.id) && rights.chat)
    const message = this.#start(turn, messages, sender, before, waiting)
    this.#conversations.wakes(conversation, waiting, message)
    for (const window of this.#windows) window.resumed(message.id)
    this.#follow(message, conversation, question)
  }

  #start(turn: TurnOptions, messages: ChatMessage[], sender: HostWindow | undefined, before: MessageView | undefined, waiting?: Waiting, onEvent?: (event: SluiceEvent) => void): Message {
    const { own: hooks, rest: { model, messages: own, request, signal, rules, context, ...settings } } = splitHooks(turn)
    const said = own ?? messages
    const adapter = hooks.approvals === undefined ? this.#engine.approvals : hooks.approvals
    const common = { ...hooks, ...this.#checkpoint(hooks, () => message), ...{ model, signal, rules, context } }
    let state = waiting?.run
    const run = (history: ChatMessage[]): Run => {
      const resumed = state
      state = undefined
      if (resumed !== undefined) return this.#engine.resume(resumed, common)
      return this.#engine.run({ ...this.#configuration.settings(settings), ...common, request, messages: [...said, ...history] })
    }
    const message: Message = new Message({
      before,
      waiting,
      start: (history) => ({
        run: run(history),
        tools: this.#engine.tools,
        reader: readerOf(model),
      }),
      sender,
      adapted: { execution: Boolean(adapter?.execution), result: Boolean(adapter?.result) },
      graceMs: this.#options.approvalGraceMs ?? 30_000,
      onEvent: (event) => {
        onEvent?.(event)
        guard('onEvent', () => this.#options.onEvent?.(message.id, event))
      },
      onIpc: (event) => this.#pet.order(message, event),
      onChange: (soon) => this.#conversations.changed(message.id, soon),
      onSettled: () => this.#conversations.settle(message.id),
    })
    return message
  }

  /**
   * The store has the question before the request goes out, and a call before it begins: whoever opens the conversation after a crash sees that it may have
   * happened. A call that cannot be saved does not begin.
   */
  #checkpoint(hooks: RunHooks, message: () => Message): Pick<RunHooks, 'checkpoint'> {
    const own = hooks.checkpoint ?? this.#engine.checkpoint
    if (!this.#options.conversations) return own ? { checkpoint: own } : {}
    return { checkpoint: savedFirst(() => this.#saved(message()), own) }
  }

  /** False where the store failed, which the app knows, or takes too long. */
  async #saved(message: Message): Promise<boolean> {
    const late = Symbol('late')
    const saved = await atMost(STORE_MS, this.#conversations.keep(message), late)
    if (saved !== late) return saved as boolean
    this.#unsaved(this.#conversations.ownerOf(message.id).id, new Error(`the store did not answer within ${STORE_MS} ms`))
    return false
  }

  #cancel(id: string, call: number | undefined): void {
    const message = this.#conversations.live(id)
    if (!message && !this.#conversations.knows(id)) throw refuse('not_found', 'there is no such message; it may be too old')
    if (!message) return // it has ended
    if (call === undefined) void message.cancel() // not awaited: it may take long until every tool returned
    else message.cancelCall(call)
  }

  // -- decisions ------------------------------------------------------------------------------------------------------------

  #approve(window: HostWindow, { remember, exact, arguments: edited, ...decision }: Decision): boolean {
    const ask = this.#ask(window, decision)
    if (isStale(ask, decision)) return false
    if (ask.stage === 'execution') return ask.message.approve(ask, { remember, exact, arguments: edited })
    for (const [path, value] of Object.entries({ remember, exact, arguments: edited })) {
      if (value !== undefined) throw refuse('argument', 'this is for an execution; the question is about the release of a result', { path })
    }
    return ask.message.release(ask)
  }

  #deny(window: HostWindow, { reason, ...decision }: Input<'deny'>): boolean {
    const ask = this.#ask(window, decision)
    return !isStale(ask, decision) && ask.message.deny(ask, reason || undefined)
  }

  /** Finds the question of a token. Only the window that was given the token may use it, and only for the message it belongs to. */
  #ask(window: HostWindow, { message, token }: Pick<Decision, 'message' | 'token'>): OpenAsk {
    const ask = window.askOf(token)
    if (ask?.message.id === message) return ask
    throw refuse('forbidden', 'this window was not given this token for this message', { path: 'token' })
  }

  #result(window: HostWindow, { message, call, token, value, error }: Input<'result'>): void {
    const execution = window.executions.get(token)
    if (!execution || execution.message.id !== message || execution.call !== call) {
      throw refuse('state', 'no call waits for this result from this window; it may have come too late', { path: 'token' })
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

const orEmpty = <T extends object>(check: Check<T>): Check<T> => (input, path) => check(input ?? {}, path)

const isStorage = (error: unknown): error is SluiceError => SluiceError.is(error) && error.code === 'storage'

/** The error for a window. The path of the file goes only to the developer's log. */
function storageError(error: SluiceError): BridgeError {
  hidden('a conversation could not be used')(error)
  return { code: 'storage', detail: error.detail }
}

/** Replaces text that names paths on the disk. */
const forWindows = ({ damaged, ...item }: ConversationItem): ConversationItem =>
  (damaged === undefined ? item : { ...item, damaged: 'it cannot be read; the log of the app says why' })

const openInput: Check<Input<'open'>> = orEmpty(members<Input<'open'>>({ conversation: optional(id) }))
/** Passes the input on unchecked: the method checks it itself. */
const unchecked: Check<never> = (input) => input as never
const checkResult = members<Pick<Input<'result'>, 'value' | 'error'>>({
  value: optional(json(resultLimits)),
  error: optional(text(100_000, 0)),
})

/** Who reads what a tool gave. */
function readerOf({ name, provider, baseURL = provider && addressesOf(provider)[0] }: Model): { model: string; host?: string } {
  return baseURL !== undefined && URL.canParse(baseURL) ? { model: name, host: new URL(baseURL).host } : { model: name }
}

const isStale = (ask: OpenAsk, { digest = ask.digest }: Pick<Decision, 'digest'>): boolean => digest !== ask.digest

/** What a person does never counts against the page's budget. */
const decides = ({ right }: MethodEntry): boolean => right === 'chat' || right === 'approve'

function listen<T>(listeners: Set<(data: T) => void>, listener: (data: T) => void): () => void {
  const own = (data: T): void => listener(data)
  listeners.add(own)
  return () => void listeners.delete(own)
}

/** Rethrows an error for windows as a SluiceError, for the app itself. */
function rethrowAsSluiceError<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new SluiceError({ ...error.error, code: error.error.code as ErrorCode })
  }
}

