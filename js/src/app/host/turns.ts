// The turns of a host: how each begins, what its run is given, and what becomes of its answer.
import type { ConfigurationView, ProactiveInput, ProactiveReply, MessageView } from '../bridge/messages.js'
import type { Engine } from '../../engine/core/engine.js'
import { messageOf } from '../../engine/core/errors.js'
import type { ChatMessage, JsonObject, Outcome } from '../../engine/core/events.js'
import type { ConversationEntry } from '../conversations/conversation-types.js'
import { shortTitle } from '../conversations/words.js'
import type { Model } from '../../engine/core/model.js'
import { atMost, savedFirst, STORE_MS } from '../../engine/core/not-saved.js'
import { isObject } from '../../engine/core/options.js'
import { addressOf, firstWire } from '../../engine/core/providers.js'
import type { Run } from '../../engine/core/run.js'
import { splitHooks, type RunHooks } from '../../engine/core/run-options.js'
import { warn } from '../../engine/core/warning.js'
import { hidden, isStorage, Refusal, refuse } from './checks.js'
import type { Configuration } from './configuration.js'
import type { HostConversation, MakeMessages } from './conversation.js'
import type { HostConversations } from './host-conversations.js'
import { briefly, type First } from './first.js'
import { guard } from './guard.js'
import type { Waiting } from './interrupted.js'
import { Message, type Segment } from './host-message.js'
import { prepareTurn, unprepared } from './preparation.js'
import type { TurnFiles } from './turn-files.js'
import type { Pet } from './pet.js'
import { checkDescription } from './host-options.js'
import type { ConversationDescription, FinishedTurn, HostOptions, Prepare, TurnOptions } from './host-types.js'
import type { HostWindow } from './window.js'

export const DEFAULT_CONVERSATION = 'main'
const GO_ON = 'Go on exactly where you stopped, and repeat nothing.'

/** The parts of a host that its turns use. */
export interface TurnParts {
  readonly engine: Engine
  readonly options: HostOptions
  readonly conversations: HostConversations
  readonly configuration: Configuration
  readonly pet: Pet
  readonly first: First
  readonly windows: ReadonlySet<HostWindow>
  /** The host was closed. */
  readonly isClosed: () => boolean
}

/** An answer that is to begin. */
interface Beginning {
  question: ConversationEntry
  messages: MakeMessages
  /** The answer that it goes on with. */
  before?: MessageView
  /** Returns the question as it is kept. */
  begin: (message: Message) => ConversationEntry
}

/** What a message is made of. */
interface Start extends Pick<Beginning, 'question' | 'messages' | 'before'> {
  conversation: HostConversation
  why: Prepare['why']
  sender: HostWindow | undefined
  waiting?: Waiting
}

type MessageEnd = NonNullable<Awaited<ReturnType<Message['follow']>>>
type MakeQuestion = (conversation: HostConversation) => ConversationEntry

export class Turns {
  readonly #parts: TurnParts
  /** Turns that have not ended completely. */
  readonly #following = new Set<Promise<void>>()
  /** What the tools of each turn get of the conversation. */
  readonly #files = new WeakMap<Message, TurnFiles>()

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  /** Resolves when every turn has ended completely. */
  async followed(): Promise<void> {
    await Promise.all(this.#following)
  }

  /**
   * Starts a message. What keeps it from being started a window reads in the host's words alone; what keeps its turn
   * from beginning stands in the message.
   */
  ask(
    window: HostWindow,
    conversation: string,
    why: 'send' | 'regenerate' | 'edit',
    question: MakeQuestion,
  ): Promise<{ message: string }> {
    return this.#started(() => this.#begin(conversation, window, why, (one) => this.#answerTo(one, question(one))))
  }

  /** The same, for the app itself: errors are thrown as they are. */
  send(id: string, ask: MakeQuestion): Promise<string> {
    return this.#begin(id, undefined, 'send', (one) => this.#answerTo(one, ask(one)))
  }

  goOn(window: HostWindow, entry: string): Promise<{ message: string }> {
    const { options, conversations } = this.#parts
    const said: ChatMessage = { role: 'user', content: options.goOn ?? GO_ON }
    return this.#started(() =>
      this.#begin(conversations.ownerOf(entry).id, window, 'goOn', async (conversation) => {
        const going = await conversation.goOnWith(entry, said)
        const begin = (message: Message): ConversationEntry => {
          conversations.resume(conversation, said, message)
          this.#resumed(message)
          return going.question
        }
        return { ...going, begin }
      }),
    )
  }

  /** The pet speaks first, while nothing else is said or asked. */
  async speakFirst(
    window: HostWindow,
    { conversation = DEFAULT_CONVERSATION, prompt }: Pick<ProactiveInput, 'conversation' | 'prompt'>,
  ): Promise<ProactiveReply> {
    const { first, conversations } = this.#parts
    first.check()
    if (prompt === undefined) return { left: first.left }
    if (conversations.busy > 0) throw refuse('state', 'something else is said or asked')
    const { message } = await this.#started(() =>
      this.#begin(conversation, window, 'first', (one) => {
        first.take(one)
        return this.#answerTo(one, one.first(first.text(prompt)))
      }),
    )
    return { message, left: first.left }
  }

  /** A turn of a process that ended waits for a person: it goes on, and asks again. */
  async wake(conversation: HostConversation, id: string, waiting: Waiting): Promise<void> {
    const { conversations, windows } = this.#parts
    const going = await conversation.goOnWaiting(id, waiting)
    const sender = [...windows].find(({ opened, rights }) => opened.has(conversation.id) && rights.chat)
    const message = this.#start({ ...going, conversation, why: 'resume', sender, waiting })
    conversations.wakes(conversation, waiting, message)
    this.#resumed(message)
    this.#follow(message, conversation, going.question, true)
  }

  #answerTo(conversation: HostConversation, question: ConversationEntry): Beginning {
    return {
      question,
      messages: conversation.messages(question),
      begin: (message) => {
        const isFirst = conversation.isEmpty
        const kept = this.#parts.conversations.begin(conversation, question, message)
        if (isFirst) this.#describe(conversation, question)
        return kept
      },
    }
  }

  /** What the app says of a conversation that begins. */
  #describe(conversation: HostConversation, { text = '', first }: ConversationEntry): void {
    const { begin } = this.#parts.options
    if (!begin) return
    guard('begin', () => {
      const given: unknown = begin({ conversation: conversation.id, text: first ? '' : text })
      if (given === undefined) return
      checkDescription(given, 'begin()')
      const { title, ...own } = given as ConversationDescription
      conversation.describe(own)
      if (title) this.#entitle(conversation, () => title)
    })
  }

  /** What the app says of any conversation. */
  async describe(id: string, { title, ...own }: ConversationDescription): Promise<void> {
    const { conversations } = this.#parts
    const conversation = await conversations.loaded(id)
    conversation.describe(own)
    await conversation.saved()
    if (title !== undefined) await conversations.rename(id, title)
  }

  /** Changes the settings of one conversation. */
  async configure(patch: unknown, id: string): Promise<ConfigurationView> {
    const { conversations, configuration } = this.#parts
    const conversation = await conversations.loaded(id)
    const settings = configuration.ownSettings(ownSettings(conversation), patch)
    conversation.describe({ configuration: Object.keys(settings).length > 0 ? { settings } : null })
    await conversation.saved()
    return configuration.viewWith(settings)
  }

  /** The store did not take what was said. */
  unsaved(conversation: string, error: unknown): void {
    const { onUnsaved } = this.#parts.options
    if (onUnsaved) onUnsaved({ conversation, error })
    else warn(`the conversation ${conversation} could not be saved: ${messageOf(error)}`)
  }

  async #started(start: () => Promise<string>): Promise<{ message: string }> {
    try {
      return { message: await start() }
    } catch (error) {
      throw error instanceof Refusal || isStorage(error)
        ? error
        : new Refusal(hidden('a message could not be started')(error))
    }
  }

  async #begin(
    id: string,
    sender: HostWindow | undefined,
    why: Prepare['why'],
    beginning: (conversation: HostConversation) => Beginning | Promise<Beginning>,
  ): Promise<string> {
    const {
      conversations,
      options: { maxRunning = 16 },
      isClosed,
    } = this.#parts
    if (conversations.isBusy(id))
      throw refuse('state', 'a message of this conversation is still running: wait for its end, or cancel it')
    if (conversations.busy >= maxRunning) throw refuse('limit', `expected at most ${maxRunning} messages at a time`)
    const [conversation, release] = await conversations.claim(id)
    try {
      const { begin, ...start } = await beginning(conversation)
      if (isClosed()) throw refuse('closed', 'the host was closed')
      const message = this.#start({ ...start, conversation, why, sender })
      this.#follow(message, conversation, begin(message), false)
      return message.id
    } catch (error) {
      release()
      throw error
    }
  }

  #resumed(message: Message): void {
    for (const window of this.#parts.windows) window.resumed(message.id)
  }

  #start({ conversation, why, question, messages, sender, before, waiting }: Start): Message {
    const { options, conversations, pet, first } = this.#parts
    const onFirst = why === 'first' ? briefly(() => void message.cancel('two sentences are enough')) : undefined
    let segments: ((history: ChatMessage[]) => Segment) | undefined
    const message: Message = new Message({
      before,
      waiting,
      begin: async (signal) => {
        const app = structuredClone(conversation.own.app ?? {})
        const occasion = { conversation: conversation.id, app, message: message.id, why, question, messages }
        const { turn, messages: said } = await prepareTurn(options, occasion, signal)
        signal.throwIfAborted()
        const limited = why === 'first' ? first.limited(turn) : turn
        this.#files.set(message, conversation.files(question))
        segments = this.#segments(limited, said, conversation, waiting?.run, () => message)
        return segments([])
      },
      next: (history) => (segments as NonNullable<typeof segments>)(history),
      unprepared,
      sender,
      graceMs: options.approvalGraceMs ?? 30_000,
      onEvent: (event) => {
        onFirst?.(event)
        if (event.type === 'approval') conversations.asked(message.id)
        guard('onEvent', () => options.onEvent?.(message.id, event))
      },
      onIpc: (event) => pet.order(message, event),
      onChange: (soon) => conversations.changed(message.id, soon),
      onSettled: () => conversations.settle(message.id),
    })
    return message
  }

  /** Makes each run of a message: the first from a saved state, if there is one; the others behind what was added. */
  #segments(
    turn: TurnOptions,
    messages: ChatMessage[],
    conversation: HostConversation,
    saved: string | undefined,
    message: () => Message,
  ): (history: ChatMessage[]) => Segment {
    const { engine, configuration } = this.#parts
    const { own: hooks, rest } = splitHooks(turn)
    const { messages: own, request, signal, rules, context, ...settings } = rest
    const model = isObject(settings.model) ? withCacheKey(settings.model, conversation.id) : settings.model
    const adapter = hooks.approvals === undefined ? engine.approvals : hooks.approvals
    const adapted = { execution: Boolean(adapter?.execution), result: Boolean(adapter?.result) }
    const said = own ?? messages
    const files = this.#files.get(message())?.list
    const common = { ...hooks, ...this.#checkpoint(hooks, message), model, signal, rules, context, files }
    let state = saved
    const begin = (history: ChatMessage[]): Run => {
      const resumed = state
      state = undefined
      if (resumed !== undefined) return engine.resume(resumed, common)
      return engine.run({
        ...configuration.settings(settings, ownSettings(conversation)),
        ...common,
        request,
        messages: [...said, ...history],
      })
    }
    return (history) => ({ run: begin(history), tools: engine.tools, reader: readerOf(model), adapted })
  }

  /**
   * The store has the question before the request goes out, and a call before it begins: whoever opens the conversation
   * after a crash sees that it may have happened. A call that cannot be saved does not begin.
   */
  #checkpoint(hooks: RunHooks, message: () => Message): Pick<RunHooks, 'checkpoint'> {
    const { engine, options } = this.#parts
    const own = hooks.checkpoint ?? engine.checkpoint
    if (!options.conversations) return own ? { checkpoint: own } : {}
    return { checkpoint: savedFirst(() => this.#saved(message()), own) }
  }

  /** False where the store failed, which the app knows, or takes too long. */
  async #saved(message: Message): Promise<boolean> {
    const { conversations } = this.#parts
    const late = Symbol('late')
    const saved = await atMost(STORE_MS, conversations.keep(message), late)
    if (saved !== late) return saved as boolean
    this.unsaved(conversations.ownerOf(message.id).id, new Error(`the store did not answer within ${STORE_MS} ms`))
    return false
  }

  /** `isKept`: the store has a state of it, which stays where no run could be made of it. */
  #follow(message: Message, conversation: HostConversation, question: ConversationEntry, isKept: boolean): void {
    const { conversations } = this.#parts
    const finish = (end: Awaited<ReturnType<Message['follow']>>): void => {
      if (!end) return // it was left
      if (isKept && end.isUnprepared && message.view.outcome === 'failed') conversations.putBack(conversation, message)
      else this.#finish(message, conversation, question, end)
    }
    const following = message
      .follow()
      .then(finish, (error: unknown) => {
        finish({ history: [] })
        guard('the host', () => {
          throw error
        })
      })
      .finally(() =>
        this.#files
          .get(message)
          ?.close()
          .catch(() => {}),
      ) // the system removes what is left
      .finally(() => this.#following.delete(following))
    this.#following.add(following)
  }

  #finish(
    message: Message,
    conversation: HostConversation,
    question: ConversationEntry,
    { history, error }: MessageEnd,
  ): void {
    const {
      conversations,
      options: { onTurn, titles },
    } = this.#parts
    conversations.finish(conversation, message, history)
    const names = titles && message.view.outcome === 'completed' && conversation.begins(question)
    if (!onTurn && !names) return
    const { text = '', parts } = question
    const { id, seq: _, questions: __, ...view } = message.view
    const { outcome = 'failed' as Outcome, finishReason, usage } = view
    const turn = (): FinishedTurn => ({
      conversation: conversation.id,
      message: id,
      text,
      ...(parts ? { parts } : {}),
      history: structuredClone(history),
      view: structuredClone(view),
      outcome,
      ...(finishReason ? { finishReason } : {}),
      ...(usage ? { usage } : {}),
      ...(error ? { error } : {}),
    })
    if (onTurn) guard('onTurn', () => onTurn(turn()))
    if (names) this.#entitle(conversation, () => titles(turn()))
  }

  /** Gives a conversation the title that the app makes, unless a person is the first. */
  #entitle(conversation: HostConversation, make: () => string | undefined | Promise<string | undefined>): void {
    if (conversation.titled) return
    const { conversations, isClosed } = this.#parts
    const title = async (): Promise<void> => {
      const made = shortTitle(await make())
      if (made !== '' && !conversation.titled && !isClosed()) await conversations.rename(conversation.id, made)
    }
    void title().catch((error: unknown) =>
      guard('titles', () => {
        throw error
      }),
    )
  }
}

/** The settings that were configured for a conversation alone. */
export function ownSettings({ own }: HostConversation): JsonObject {
  const settings = own.configuration?.['settings']
  return isObject(settings) ? (settings as JsonObject) : {}
}

/** Servers that ask for it learn which requests are of one conversation. */
function withCacheKey(model: Model, key: string): Model {
  const { cache = 'auto' } = model
  if (cache === 'off') return model
  return { ...model, cache: cache === 'auto' ? { key } : { key, ...cache } }
}

/** Who reads what a tool gave. */
function readerOf({ name, provider, region, ...model }: Model): { model: string; host?: string } {
  const baseURL = model.baseURL ?? (provider && addressOf(provider, firstWire(provider), region))
  return baseURL !== undefined && URL.canParse(baseURL) ? { model: name, host: new URL(baseURL).host } : { model: name }
}
