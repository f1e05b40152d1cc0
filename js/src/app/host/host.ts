// The host of an engine: its windows, and the calls that they make. Bad input gets an error as the reply, never an
// exception.
import { randomUUID } from 'node:crypto'
import type {
  AttachmentLimits,
  BridgeError,
  ConfigurationPatch,
  ConfigurationView,
  WindowFrame,
  PetOrder,
  Reply,
} from '../bridge/messages.js'
import type { Engine } from '../../engine/core/engine.js'
import { SluiceError, type ErrorCode } from '../../engine/core/errors.js'
import type { JsonObject } from '../../engine/core/events.js'
import { MemoryConversations } from '../conversations/memory-conversations.js'
import { atMost, STORE_MS } from '../../engine/core/not-saved.js'
import { checkRunnable } from '../../engine/core/runnable.js'
import { Configuration } from './configuration.js'
import { HostConversations } from './host-conversations.js'
import { hidden, isStorage, Refusal, refuse, toBridgeError } from './checks.js'
import { Drops } from './drops.js'
import { First } from './first.js'
import { guard } from './guard.js'
import { attachmentLimits } from './host-attachments.js'
import { Links } from './links.js'
import { checkId, checkText, methodsOf, type MethodEntry } from './methods.js'
import { checkDescription, checkEngine, checkMark, checkOptions, checkRights } from './host-options.js'
import { Pet } from './pet.js'
import { ServerPage } from './host-server.js'
import { Speech } from './speech.js'
import { DEFAULT_CONVERSATION, Turns } from './turns.js'
import type {
  ConversationDescription,
  HostConnection,
  Host,
  HostBridge,
  HostOptions,
  WindowPeer,
  WindowRights,
  RunningTool,
} from './host-types.js'
import { Voices } from './host-voices.js'
import { HostWindow } from './window.js'

/**
 * Creates the host of an engine. Throws SluiceError `option` for a value that is not an engine, and for a wrong option.
 */
export function createHost(engine: Engine, options: HostOptions): Host {
  return new EngineHost(engine, options)
}

class EngineHost implements Host {
  readonly attachments: AttachmentLimits
  readonly #options: HostOptions
  readonly #conversations: HostConversations
  readonly #configuration: Configuration
  readonly #pet: Pet
  readonly #server: ServerPage
  readonly #speech: Speech
  readonly #turns: Turns
  readonly #methods: Map<unknown, MethodEntry>
  readonly #windows = new Set<HostWindow>()
  readonly #voices = new Voices(this.#windows)
  readonly #drops = new Drops()
  #closed = false
  #closing: Promise<{ stillRunning: RunningTool[] }> | undefined

  constructor(engine: Engine, options: HostOptions) {
    checkEngine(engine, 'engine')
    checkRunnable(engine.tools)
    checkOptions(options, 'options')
    this.#options = options
    this.attachments = attachmentLimits(options)
    const { conversations, keepMessages = 200 } = options
    const own = conversations ? undefined : new MemoryConversations()
    this.#conversations = new HostConversations({
      store: conversations ?? (own as MemoryConversations),
      appView: options.appView,
      forModel: {
        heard: options.heard,
        maxTokens: options.contextTokens,
        toModel: options.attachments?.toModel,
      },
      forgetful: own && { store: own, keep: keepMessages },
      isOpen: (conversation) => [...this.#windows].some(({ opened }) => opened.has(conversation)),
      onChange: (conversation) => {
        for (const window of this.#windows) window.conversationChanged(conversation)
      },
      onActivity: (conversation) => {
        for (const window of this.#windows) window.activityChanged(conversation)
      },
      onUnsaved: (conversation, error) => guard('onUnsaved', () => this.#turns.unsaved(conversation, error)),
      onWaiting: (conversation, { id, waiting }) => this.#turns.wake(conversation, id, waiting),
    })
    const onConfigure: HostOptions['onConfigure'] = (all) => guard('onConfigure', () => options.onConfigure?.(all))
    const configuration = (this.#configuration = rethrowAsSluiceError(
      () => new Configuration(engine, options.configuration, onConfigure),
    ))
    this.#pet = new Pet(engine, {
      ...options,
      onPetFailure: (failure) => guard('onPetFailure', () => options.onPetFailure?.(failure)),
    })
    this.#server = new ServerPage(options.server, Boolean(options.openExternal), (mode) =>
      configuration.configure({ settings: { mode } }),
    )
    this.#speech = new Speech(options.speech)
    const parts = {
      engine,
      options,
      configuration,
      conversations: this.#conversations,
      pet: this.#pet,
      first: new First(options.proactive),
    }
    this.#turns = new Turns({ ...parts, windows: this.#windows, isClosed: () => this.#closed })
    this.#methods = methodsOf({
      ...parts,
      turns: this.#turns,
      server: this.#server,
      speech: this.#speech,
      links: new Links(options.openExternal),
      voices: this.#voices,
      drops: this.#drops,
    })
  }

  connect(peer: WindowPeer): HostConnection {
    const window = new HostWindow(peer, {
      frameMs: this.#options.frameMs ?? 16,
      view: (conversation) => this.#conversations.view(conversation),
      item: (conversation) => this.#conversations.itemOf(conversation),
      onBroken: (broken) => this.#disconnect(broken),
    })
    if (this.#closed) window.close()
    else this.#windows.add(window)
    return { call: (method, input) => this.#call(window, method, input), close: () => this.#disconnect(window) }
  }

  async send(text: string, conversation: string = DEFAULT_CONVERSATION): Promise<string> {
    this.#mustBeOpen()
    const given = rethrowAsSluiceError(() => ({
      text: checkText(this.#options)(text, 'text'),
      conversation: checkId(conversation, 'conversation'),
    }))
    try {
      return await this.#turns.send(given.conversation, (one) => one.ask(given.text, undefined))
    } catch (error) {
      return rethrowAsSluiceError(() => {
        throw error
      })
    }
  }

  async describe(conversation: string, description: ConversationDescription): Promise<void> {
    this.#mustBeOpen()
    checkDescription(description, 'description')
    await this.#turns.describe(
      rethrowAsSluiceError(() => checkId(conversation, 'conversation')),
      structuredClone(description),
    )
  }

  mark(entry: string, app: JsonObject | null): void {
    this.#mustBeOpen()
    checkMark(app, 'app')
    rethrowAsSluiceError(() => this.#conversations.ownerOf(checkId(entry, 'entry')).mark(entry, structuredClone(app)))
  }

  async configure(patch: ConfigurationPatch, conversation?: string): Promise<ConfigurationView> {
    this.#mustBeOpen()
    try {
      return conversation === undefined
        ? this.#configuration.configure(patch)
        : await this.#turns.configure(patch, checkId(conversation, 'conversation'))
    } catch (error) {
      return rethrowAsSluiceError(() => {
        throw error
      })
    }
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new SluiceError({ code: 'closed', detail: 'the host was closed' })
  }

  bridge(rights: WindowRights = { read: true, chat: true, approve: true, configure: true, server: true }): HostBridge {
    checkRights(rights, 'rights')
    const [frames, orders] = [new Set<(frame: WindowFrame) => void>(), new Set<(order: PetOrder) => void>()]
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
    if (this.#options.conversations)
      await Promise.all(
        this.#conversations.running
          .filter(({ asks, preparing }) => preparing || asks.size > 0)
          .map((message) => this.#conversations.leave(message)),
      )
    const left = await Promise.all(this.#conversations.running.map((message) => message.cancel('the host was closed')))
    this.#pet.close()
    this.#server.close()
    this.#speech.close()
    await this.#turns.followed()
    await atMost(STORE_MS, this.#conversations.saved())
    this.#conversations.close()
    for (const window of [...this.#windows]) {
      window.finish()
      this.#disconnect(window)
    }
    return { stillRunning: left.flat() }
  }

  // -- calls ----------------------------------------------------------------------------------------------------------

  async #call(window: HostWindow, method: unknown, input: unknown): Promise<Reply> {
    try {
      if (this.#closed) throw refuse('closed', 'the host was closed')
      if (window.closed) throw refuse('closed', 'the window was closed')
      const entry = typeof method === 'string' ? this.#methods.get(method) : undefined
      if (!entry)
        throw refuse('argument', `there is no such method, expected one of ${[...this.#methods.keys()].join(', ')}`)
      if (!window.rights[entry.right]) throw refuse('forbidden', `this window lacks the right ${entry.right}`)
      return {
        ok: true,
        value: await (decides(entry) ? entry.run(window, input) : window.budget.pay(() => entry.run(window, input))),
      }
    } catch (error) {
      return {
        ok: false,
        error: isStorage(error) ? storageError(error) : toBridgeError(error, hidden('a call of a window')),
      }
    }
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
}

/** The error for a window. The path of the file goes only to the developer's log. */
function storageError(error: SluiceError): BridgeError {
  hidden('a conversation could not be used')(error)
  return { code: 'storage', detail: error.detail }
}

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
