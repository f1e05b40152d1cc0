/// <reference lib="esnext.disposable" preserve="true" />
import type {
  AttachmentLimits,
  Bridge,
  ConfigurationPatch,
  ConfigurationView,
  ConnectionState,
  ConversationItem,
  FoundEntry,
  WindowFrame,
  HeardInput,
  PetSide,
  Picture,
  SendInput,
  SentFile,
} from '../bridge/messages.js'
import type { LocalServer, ServerInput, ServerView } from '../bridge/server-messages.js'
import type { ServerCheck } from '../../engine/core/server-step.js'
import { caller, type Call } from './call.js'
import { Drafts } from './kept-drafts.js'
import { closed } from './client-errors.js'
import { Listeners } from './listeners.js'
import { LiveConnection } from './live-connection.js'
import { LiveConversation } from './live-conversation.js'
import { droppedOf, LiveDrops } from './live-drops.js'
import { LiveList } from './live-list.js'
import { LiveMessage } from './live-message.js'
import { LiveVoice } from './live-voice.js'
import { attachmentsOf, bytesOf } from './attachment.js'
import { WindowTools, type WindowTool } from './window-tools.js'

/** What `send` takes beside the text. */
export interface SendOptions extends Omit<SendInput, 'text' | 'parts'> {
  /** What the person wrote. It may be left out beside attachments. */
  text?: string
  /**
   * Files of an input, of a drop or of the clipboard, or their bytes: what the host's `attachments` allow, by default
   * PNG, JPEG, GIF and WebP.
   */
  parts?: readonly (Blob | Picture | SentFile)[]
}

/** The conversations that the host keeps. What changes them needs the right `chat`. */
export interface ConversationList {
  /**
   * The one that changed last comes first. `query`: those with it in their title or text; `tags`: those with all
   * of them. Default: the first 100.
   */
  list(options?: { query?: string; tags?: string[]; skip?: number; limit?: number }): Promise<ConversationItem[]>
  /**
   * Calls `listener` with the conversations that changed, at most once per frame; one that was deleted has no entries.
   * Returns what ends that.
   */
  subscribe(listener: (changed: ConversationItem[]) => void): () => void
  /** Entries that hold `query`, the last that was said first. Default `limit`: 50. */
  search(query: string, options?: { limit?: number }): Promise<FoundEntry[]>
  /**
   * An empty title stands for the first line of the first question. Resolves to false where there is no such
   * conversation.
   */
  rename(conversation: string, title: string): Promise<boolean>
  /** Deletes a conversation, or an entry of it with all that follows. Resolves to false if it was gone. */
  delete(conversation: string, entry?: string): Promise<boolean>
  /** The conversation as a text to take away: JSON with all branches and pictures, or the shown branch to read. */
  export(conversation: string, as: 'json' | 'markdown'): Promise<string>
}

/** Who answers: what `<sluice-server>` needs. Needs the right `server`. */
export interface ServerSide {
  /** Who answers now, and who could. */
  view(): Promise<ServerView>
  /** Which servers answer on this machine. */
  local(): Promise<LocalServer[]>
  /** The models that a server lists. */
  models(server: ServerInput): Promise<string[]>
  /** Tries a server with real requests: each step as it is done. `signal` ends it. */
  check(server: ServerInput, options?: { signal?: AbortSignal }): AsyncIterable<ServerCheck>
  /** Has a server answer from now on; null: nobody is chosen any more. `mode`: how it is given tools. */
  use(server: ServerInput | null, mode?: 'native' | 'text' | 'auto'): Promise<ServerView>
}

/** A window's access to the engine in the main process. */
export class Client {
  /** Orders for the pet, for the window that shows it. */
  readonly pet: PetSide
  /** The voice of the pet, in whatever window it speaks: a chat shows and ends it. */
  readonly voice: LiveVoice
  /** What a person wrote and did not send, in this window: `<sluice-composer>` keeps it here. */
  readonly drafts = new Drafts()
  /** How this window stands to its host. */
  readonly connection: LiveConnection
  /** The conversations that the host keeps. */
  readonly conversations: ConversationList
  /** Who answers, where people choose that. */
  readonly server: ServerSide
  readonly #call: Call
  /** Messages that somebody waits for, or holds: those that ended and are not shown may go. */
  readonly #messages = new Map<string, WeakRef<LiveMessage>>()
  readonly #wanted = new Set<LiveMessage>()
  readonly #forgotten = new FinalizationRegistry<string>((id) => {
    if (!this.#messages.get(id)?.deref()) this.#messages.delete(id)
  })
  readonly #conversations = new Map<string, LiveConversation>()
  readonly #tools: WindowTools
  readonly #drops: LiveDrops
  readonly #list: LiveList
  readonly #endVoice = new Listeners<[number]>()
  readonly #off: (() => void)[] = []
  #closed = false

  /** @internal: see `connect`. */
  constructor(bridge: Bridge, onClose: () => void) {
    const call = caller(bridge)
    this.connection = new LiveConnection(bridge)
    this.#call = async (method, ...input) => {
      if (this.#closed) throw closed()
      const value = await call(method, ...input)
      if (!bridge.onConnection) this.#connection('connected') // what answers is there
      return value
    }
    if (bridge.onConnection) this.#off.push(bridge.onConnection((state, retryAt) => this.#connection(state, retryAt)))
    this.#tools = new WindowTools(this.#call)
    this.voice = new LiveVoice(this.#call)
    this.#drops = new LiveDrops(this.#call)
    this.#list = new LiveList(this.#call)
    this.conversations = {
      list: (options = {}) => this.#call('conversations', options),
      subscribe: (listener) => this.#list.add(listener),
      search: (query, options = {}) => this.#call('search', { query, ...options }),
      rename: (conversation, title) => this.#call('rename', { conversation, title }),
      delete: (conversation, entry) =>
        this.#call('delete', { conversation, ...(entry === undefined ? {} : { entry }) }),
      export: (conversation, as) => this.#call('export', { conversation, as }),
    }
    this.server = {
      view: () => this.#call('server'),
      local: () => this.#call('localServers'),
      models: (server) => this.#call('serverModels', server),
      check: (server, { signal } = {}) => this.#check(server, signal),
      use: (server, mode) => this.#call('useServer', { server, ...(mode === undefined ? {} : { mode }) }),
    }
    this.pet = this.#petSide(bridge)
    this.#off.push(
      bridge.onFrame((frame) => this.#receive(frame)),
      onClose,
    )
  }

  /** Opens a conversation and follows it. Default: `main`. Returns the same object for the same conversation. */
  open(conversation = 'main'): LiveConversation {
    return keep(this.#conversations, conversation, () => new LiveConversation(conversation, this.#call))
  }

  /**
   * Sends what a person wrote, with files beside it (`parts`), behind the last entry or another one (`replyTo`). The
   * answer may be looked at, waited for, or left alone. Rejects with ClientError `argument` for a file of a type that is
   * not allowed, and with `limit` for too many bytes, before it reads the files.
   */
  async send(said: string | SendOptions, options: Omit<SendOptions, 'text'> = {}): Promise<LiveMessage> {
    const {
      text = '',
      parts,
      ...rest
    } = typeof said === 'string' ? { ...options, text: said } : { ...options, ...said }
    const sent = parts && (await attachmentsOf(parts, await this.#limits(parts)))
    return this.#asked(await this.#call('send', { ...rest, text, ...(sent ? { parts: sent } : {}) }))
  }

  /**
   * Asks the question of an entry again: another answer beside the one that is there. Also for a question that was
   * never answered.
   */
  async regenerate(entry: string): Promise<LiveMessage> {
    return this.#asked(await this.#call('regenerate', { entry }))
  }

  /** What a person may attach to a message. Needs the right `chat`. */
  attachments(): Promise<AttachmentLimits> {
    return this.#call('attachments')
  }

  /** Asked for where there are files: bytes that are here already the host checks. */
  async #limits(parts: readonly unknown[]): Promise<AttachmentLimits | undefined> {
    return parts.some((one) => typeof Blob === 'function' && one instanceof Blob) ? await this.attachments() : undefined
  }

  /** Asks something else in place of a question, with the same attachments: a branch beside it. */
  async edit(entry: string, text: string): Promise<LiveMessage> {
    return this.#asked(await this.#call('edit', { entry, text }))
  }

  /**
   * Has the model go on with an answer that was cut, broke off or was stopped: the same message, whose text goes on.
   * For the last answer of a branch. Rejects with `state` where there is nothing to go on with.
   */
  async goOn(entry: string): Promise<LiveMessage> {
    const { message } = await this.#call('goOn', { entry })
    return this.message(message).resume()
  }

  /** Deletes an entry with all that follows it. Resolves to false if it was gone. */
  delete(entry: string): Promise<boolean> {
    return this.#call('delete', { entry })
  }

  /**
   * Has the app open an address outside of the page (`openExternal` of the host): `http`, `https` or `mailto`.
   * `agreed`: a person was asked about it; until the app ends `openKnownLink` opens other addresses of the same host.
   */
  openLink(url: string, { agreed }: { agreed?: boolean } = {}): Promise<void> {
    return this.#call('openLink', { url, ...(agreed ? { agreed } : {}) })
  }

  /**
   * Opens an address where a person agreed to its host since the app began, in whatever window. Resolves to false, and
   * opens nothing, where nobody did.
   */
  openKnownLink(url: string): Promise<boolean> {
    return this.#call('openKnownLink', { url })
  }

  /** The sound of a text, as the app's `speech` in the main process makes it: for `httpVoice` of sluice/speech. */
  async *speech(text: string): AsyncIterable<Uint8Array> {
    yield bytesOf(await this.#call('synthesize', { text }))
  }

  /**
   * A person interrupted the voice: tells how far they heard an answer. What the host makes of it is its option
   * `heard`.
   */
  heard(input: HeardInput): Promise<void> {
    return this.#call('heard', input)
  }

  /** Shows another one of the branches at an entry (see `EntryView.branch`), counted from 0. */
  choose(entry: string, index: number): Promise<void> {
    return this.#call('choose', { entry, index })
  }

  #asked({ message }: { message: string }): LiveMessage {
    return Object.assign(this.message(message), { asked: true })
  }

  /** The message of this id: always the same object. */
  message(id: string): LiveMessage {
    const known = this.#messages.get(checkId(id))?.deref()
    if (known) return known
    const message = new LiveMessage(
      id,
      this.#call,
      (one, wanted) => void (wanted ? this.#wanted.add(one) : this.#wanted.delete(one)),
    )
    this.#messages.set(id, new WeakRef(message))
    this.#forgotten.register(message, id)
    if (this.connection.state === 'lost') message.disconnect()
    return message
  }

  /** What is configured; with `conversation`: as it counts there. Needs the right `configure`. */
  configuration(where: { conversation?: string } = {}): Promise<ConfigurationView> {
    return this.#call('configuration', where)
  }

  /**
   * Changes what is configured, for all conversations, or the settings of one; gives it as it then stands. Needs the
   * right `configure`.
   */
  configure(patch: ConfigurationPatch, where: { conversation?: string } = {}): Promise<ConfigurationView> {
    return this.#call('configure', { ...patch, ...where })
  }

  /** Tools with `runsIn: 'window'` that this window runs, by name. Gives back what takes them away again. */
  tools(tools: { [name: string]: WindowTool }): () => void {
    return this.#tools.add(tools)
  }

  /** Stops listening; pending `done` promises reject. Turns in the main process go on. */
  close(): void {
    if (this.#closed) return
    for (const off of this.#off) off()
    this.#tools.abortAll('the client was closed')
    for (const message of this.#live()) message.close()
    for (const conversation of this.#conversations.values()) conversation.close()
    this.connection.close()
    this.voice.close()
    this.drafts.close()
    this.#drops.close()
    this.#list.close()
    this.#endVoice.clear()
    this.#closed = true
  }

  /**
   * `take` gets the files that a person drops on the pet in another window: `<sluice-composer>` attaches them. Needs
   * the right `chat`. Of several that take them the last gets them. Returns what ends that.
   */
  onDropped(take: (files: File[]) => void): () => void {
    return this.#drops.add(take)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #receive(frame: WindowFrame): void {
    // Conversations first, so that a page has the entry before its message changes.
    for (const id of frame.left ?? []) this.#conversations.get(id)?.leave()
    for (const view of frame.conversations ?? []) this.#conversations.get(view.id)?.receive(view)
    if (frame.items) this.#list.receive(frame.items)
    for (const change of frame.messages ?? []) this.#messages.get(change.id)?.deref()?.receive(change)
    for (const execute of frame.execute ?? []) void this.#tools.execute(execute)
    for (const abort of frame.abort ?? []) this.#tools.abort(abort)
    if (frame.voice !== undefined) this.voice.receive(frame.voice)
    if (frame.endVoice !== undefined) this.#endVoice.tell(frame.endVoice)
    if (frame.dropped) this.#drops.receive(frame.dropped)
    if (frame.closed) this.#connection('lost')
  }

  #live(): LiveMessage[] {
    return [...this.#messages.values()].flatMap((ref) => ref.deref() ?? [])
  }

  #connection(state: ConnectionState, retryAt?: number): void {
    const before = this.connection.state
    if (state === 'lost' && before !== 'lost') {
      this.#tools.abortAll('the connection to the host was lost')
      for (const message of this.#live()) message.disconnect()
      this.voice.disconnect()
      this.#drops.disconnect()
      this.#list.disconnect()
    }
    this.connection.set(state, retryAt)
    if (state !== 'connected' || before === 'connected') return
    for (const message of this.#live()) message.reconnect()
    this.voice.reconnect()
    this.#drops.reconnect()
    this.#list.reconnect()
  }

  async *#check(server: ServerInput, signal: AbortSignal | undefined): AsyncGenerator<ServerCheck, void, undefined> {
    signal?.throwIfAborted()
    const { check } = await this.#call('checkServer', server)
    const stop = (): void => void this.#call('checkStep', { check, stop: true }).catch(() => {}) // it has ended
    signal?.addEventListener('abort', stop, { once: true })
    let ended = false
    try {
      for (;;) {
        signal?.throwIfAborted()
        const step = await this.#call('checkStep', { check })
        signal?.throwIfAborted()
        ended = step === null
        if (step === null) return
        yield step
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      if (!ended) stop()
    }
  }

  #petSide(bridge: Bridge): PetSide {
    return {
      onOrder: (listener) => {
        const off = bridge.onPet(listener)
        this.#off.push(off)
        return off
      },
      ready: (capabilities) => this.#call('petReady', capabilities),
      reply: (answer) => this.#call('petReply', answer),
      hold: (input) => this.#call('petHold', input),
      voice: (voice) => this.#call('petVoice', voice),
      onEndVoice: (listener) => this.#endVoice.add(listener),
      drop: async (files) => this.#call('petDrop', { files: await Promise.all(files.map(droppedOf)) }),
      first: ({ notToday, ...input }) => (notToday ? this.#call('petNotToday') : this.#call('petFirst', input)),
    }
  }
}

function checkId(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id
  throw new TypeError(`expected an id, found ${id === '' ? 'an empty string' : typeof id}`)
}

function keep<T>(map: Map<string, T>, id: string, make: () => T): T {
  let value = map.get(checkId(id))
  if (!value) map.set(id, (value = make()))
  return value
}
