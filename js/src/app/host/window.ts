// One window of the host: queues the deltas of every message that it watches, sends at most one message per frame, and
// holds the tokens of its questions.
import type {
  QuestionView,
  ConversationItem,
  ConversationView,
  Delta,
  DroppedFile,
  WindowFrame,
  MessageView,
  VoiceState,
} from '../bridge/messages.js'
import { clearImmediate, setImmediate, type Immediate } from '../../engine/core/set-immediate.js'
import { Budget } from './budget.js'
import { refuse } from './checks.js'
import { Feed, sizeOf } from './feed.js'
import type { Message, Watcher } from './host-message.js'
import { newToken, type Execution, type OpenQuestion } from './host-questions.js'
import type { WindowPeer, WindowRights } from './host-types.js'

const MAX_WATCHED = 100
const MAX_OPENED = 1000
/** Reads of the store that may wait. A page that opens a long conversation asks for all of its messages. */
const MAX_READS = 1000
/** Beyond this many, tokens of settled questions are forgotten. */
const MAX_TOKENS = 1000
/** About how fast a snapshot is copied. */
const CHARACTERS_PER_MS = 500_000
/** The shortest wait before a busy transport is tried again. */
const BUSY_MS = 16
/** No window has a view of this `seq`: one that shows the message subscribes again. */
const AHEAD = Number.MAX_SAFE_INTEGER
/** How many frames per second may be sent early, to show the first text of a message at once. */
const EARLY_FRAMES = 3

export interface WindowOptions {
  frameMs: number
  view: (conversation: string) => ConversationView
  item: (conversation: string) => ConversationItem
  /** Called when the transport threw. */
  onBroken: (window: HostWindow) => void
}

export class HostWindow implements Watcher {
  readonly budget = new Budget()
  readonly #peer: WindowPeer
  readonly #options: WindowOptions
  #closed = false

  // -- what it watches
  readonly #feeds = new Map<Message, Feed>()
  readonly opened = new Set<string>()
  /** It is told which conversations change. */
  watchesList = false
  readonly #items = new Set<string>()
  /** It is told what the pet's voice does. */
  watchesVoice = false
  /** Snapshots that are being sent. */
  readonly #snapshots = new Map<Message, Promise<void>>()

  #reading: Promise<void> | undefined
  #reads = 0

  // -- its questions by token, settled ones included
  readonly #asks = new Map<string, OpenQuestion>()
  readonly #tokens = new WeakMap<OpenQuestion, string>()
  readonly executions = new Map<string, Execution>()

  // -- the next frame
  readonly #waiting = new Set<Message>()
  readonly #conversations = new Set<string>()
  readonly #left = new Set<string>()
  /** Messages that go on though they were over. */
  readonly #resumed = new Set<string>()
  #execute: NonNullable<WindowFrame['execute']> = []
  #abort: NonNullable<WindowFrame['abort']> = []
  #voice: VoiceState | undefined
  #endVoice: number | undefined
  #dropped: DroppedFile[] | undefined
  #sentAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #soon: Immediate | undefined
  #early = EARLY_FRAMES
  #earlyAt = 0

  constructor(peer: WindowPeer, options: WindowOptions) {
    this.#peer = peer
    this.#options = options
  }

  get rights(): WindowRights {
    return this.#peer.rights
  }

  get peer(): WindowPeer {
    return this.#peer
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Sends what is queued, and says that the host was closed. */
  finish(): void {
    if (this.#closed) return
    try {
      this.#peer.frame({ ...this.#take(), closed: true })
    } catch {
      // it is closed either way
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearImmediate(this.#soon)
    for (const message of [...this.#feeds.keys()]) this.unwatch(message)
    for (const execution of [...this.executions.values()]) execution.message.fail(execution, 'the window was closed')
    this.#asks.clear()
    this.executions.clear()
  }

  // -- messages -------------------------------------------------------------------------------------------------------

  /** Returns a snapshot. The window then gets the deltas that follow it. */
  async watch(message: Message): Promise<MessageView> {
    const before = this.#snapshots.get(message)
    let leave = (): void => {}
    const left = new Promise<void>((resolve) => (leave = resolve))
    this.#snapshots.set(message, left)
    try {
      if (before) await before // a snapshot is a copy: a window that asks in a loop gets one at a time
      if (this.#closed) throw refuse('closed', 'the window was closed')
      return this.#snapshot(message)
    } finally {
      setImmediate(() => {
        leave()
        if (this.#snapshots.get(message) === left) this.#snapshots.delete(message)
      })
    }
  }

  /** Charges the copy of a whole view to the window's budget. */
  copied(view: MessageView): MessageView {
    this.budget.spend(view.blocks.reduce((sum, block) => sum + sizeOf(block), 0) / CHARACTERS_PER_MS)
    return view
  }

  /** Runs reads of the store one at a time for this window. The time of a `search` counts against its budget. */
  async read<T>(what: () => Promise<T>, kind?: 'search'): Promise<T> {
    if (this.#reads >= MAX_READS) throw refuse('limit', `expected at most ${MAX_READS} at a time`)
    this.#reads++
    const before = this.#reading
    let done = (): void => {}
    this.#reading = new Promise((resolve) => (done = resolve))
    try {
      await before
      this.budget.check()
      if (this.#closed) throw refuse('closed', 'the window was closed')
      const start = performance.now()
      const value = await what()
      if (kind === 'search') this.budget.spend(performance.now() - start)
      return value
    } finally {
      this.#reads--
      done()
    }
  }

  #snapshot(message: Message): MessageView {
    this.budget.check()
    const view = this.copied(message.view)
    if (!message.settled) {
      const known = this.#feeds.get(message)
      if (!known && this.#feeds.size >= MAX_WATCHED)
        throw refuse('limit', `expected at most ${MAX_WATCHED} running messages`)
      this.#feeds.set(message, new Feed(view, known))
      this.#waiting.delete(message)
      message.watchers.add(this)
      message.watchQuestions()
    }
    const asks = this.rights.approve ? view.questions.flatMap((ask) => this.#withToken(message, ask) ?? []) : []
    return { ...view, questions: asks }
  }

  unwatch(message: Message): void {
    this.#feeds.delete(message)
    this.#waiting.delete(message)
    message.watchers.delete(this)
    message.watchQuestions()
  }

  push(message: Message, delta: Delta): void {
    const feed = this.#feeds.get(message)
    if (!feed) return
    const shown = delta.type === 'ask' ? this.#withQuestion(message, delta) : delta
    if (!shown) return // the next frame says by its `seq` that something happened
    const urgent = feed.push(shown, message.seq)
    this.#waiting.add(message)
    this.#schedule(urgent)
  }

  /** The message has no more deltas. */
  end(message: Message): void {
    const feed = this.#feeds.get(message)
    if (!feed) return
    feed.ended = true
    if (!this.#waiting.has(message)) this.#feeds.delete(message)
  }

  // -- everything else ------------------------------------------------------------------------------------------------

  /**
   * Beyond the limit the one that was opened longest ago is left: the window opens it again when somebody looks at it.
   */
  open(conversation: string): void {
    this.opened.delete(conversation)
    this.opened.add(conversation)
    this.#left.delete(conversation)
    const [oldest] = this.opened
    if (this.opened.size <= MAX_OPENED || oldest === undefined) return
    this.opened.delete(oldest)
    this.#conversations.delete(oldest)
    this.#left.add(oldest)
    this.#schedule()
  }

  conversationChanged(conversation: string): void {
    this.activityChanged(conversation)
    if (!this.opened.has(conversation)) return
    this.#conversations.add(conversation)
    this.#schedule()
  }

  /** A list shows the conversation otherwise. */
  activityChanged(conversation: string): void {
    if (!this.watchesList) return
    this.#items.add(conversation)
    this.#schedule()
  }

  /** A message that was over goes on: whoever shows it subscribes again. */
  resumed(message: string): void {
    this.#resumed.add(message)
    this.#schedule()
  }

  execute(order: NonNullable<WindowFrame['execute']>[number]): void {
    this.#execute.push(order)
    this.#schedule()
  }

  abort(order: NonNullable<WindowFrame['abort']>[number]): void {
    const queued = this.#execute.findIndex(({ message, call }) => message === order.message && call === order.call)
    if (queued >= 0) return void this.#execute.splice(queued, 1) // the order was not sent yet, so the tool never starts
    this.#abort.push(order)
    this.#schedule()
  }

  voiceChanged(state: VoiceState): void {
    if (!this.watchesVoice) return
    this.#voice = state
    this.#schedule()
  }

  /** A person ends what the voice of this window says. */
  endVoice(turn: number): void {
    this.#endVoice = turn
    this.#schedule()
  }

  /** Files that a person dropped on the pet. One drop at a time: they are large. */
  drop(files: DroppedFile[]): void {
    if (this.#dropped) throw refuse('limit', 'what was dropped before is still on its way to the chat')
    this.#dropped = files
    this.#schedule()
  }

  // -- tokens ---------------------------------------------------------------------------------------------------------

  /** The question of a token that this window was given, open or settled. */
  askOf(token: string): OpenQuestion | undefined {
    return this.#asks.get(token)
  }

  #withQuestion(message: Message, delta: Delta & { type: 'ask' }): Delta | undefined {
    const ask = this.rights.approve ? this.#withToken(message, delta.ask) : undefined
    return ask && { type: 'ask', ask }
  }

  #withToken(message: Message, view: QuestionView): QuestionView | undefined {
    const ask = message.asks.get(view.call)
    const { expiresAt } = view
    return (
      ask && {
        ...view,
        ...(expiresAt === undefined ? {} : { leftMs: Math.max(0, expiresAt - Date.now()) }),
        token: this.#tokens.get(ask) ?? this.#issue(ask),
      }
    )
  }

  #issue(ask: OpenQuestion): string {
    const token = newToken()
    this.#asks.set(token, ask)
    this.#tokens.set(ask, token)
    for (const [old, { open }] of this.#asks) {
      if (this.#asks.size <= MAX_TOKENS) break
      if (!open) this.#asks.delete(old) // open questions are limited by the turns, and have no other token
    }
    return token
  }

  // -- frames ---------------------------------------------------------------------------------------------------------

  #schedule(urgent = false): void {
    if (this.#closed || this.#soon) return
    const wait = this.#sentAt + this.#options.frameMs - performance.now()
    if (wait <= 0 || (urgent && this.#mayComeEarly())) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#soon = setImmediate(() => this.#flush()) // together with everything else of this moment
    } else {
      this.#timer ??= setTimeout(() => this.#ring(), Math.ceil(wait))
    }
  }

  /** The timer may fire too early if it was set late in its turn of the event loop: checks again. */
  #ring(): void {
    this.#timer = undefined
    this.#schedule()
  }

  #mayComeEarly(): boolean {
    const now = performance.now()
    this.#early = Math.min(EARLY_FRAMES, this.#early + ((now - this.#earlyAt) * EARLY_FRAMES) / 1000)
    this.#earlyAt = now
    if (this.#early < 1) return false
    this.#early--
    return true
  }

  /** Sends what is queued now, before the next frame is due. */
  flush(): void {
    if (this.#waiting.size > 0) this.#flush()
  }

  #flush(): void {
    clearImmediate(this.#soon)
    this.#soon = undefined
    if (this.#closed) return
    try {
      this.#sentAt = performance.now()
      if (this.#peer.busy?.()) {
        this.#timer ??= setTimeout(() => this.#ring(), Math.max(this.#options.frameMs, BUSY_MS))
        return
      }
      const frame = this.#take()
      if (frame) this.#peer.frame(frame)
    } catch {
      this.#options.onBroken(this)
    }
  }

  /** Takes what is queued, filtered by the window's current rights, which may have changed since it subscribed. */
  #take(): WindowFrame | undefined {
    const frame: WindowFrame = {}
    const { read, chat, approve, pet } = this.rights
    const resumed = [...this.#resumed].map((id): MessageFrame => ({ id, after: AHEAD, seq: AHEAD, deltas: [] }))
    const messages = [...resumed, ...[...this.#waiting].flatMap((message) => this.#takeFeed(message) ?? [])]
    this.#resumed.clear()
    this.#waiting.clear()
    if (read && messages.length > 0) frame.messages = approve ? messages : messages.map(withoutQuestions)
    if (read && this.#conversations.size > 0) frame.conversations = [...this.#conversations].map(this.#options.view)
    if (read && this.#items.size > 0) frame.items = [...this.#items].map(this.#options.item)
    if (this.#left.size > 0) frame.left = [...this.#left]
    if (chat && this.#execute.length > 0) frame.execute = this.#execute
    if (this.#abort.length > 0) frame.abort = this.#abort
    if (chat && this.#voice !== undefined) frame.voice = this.#voice
    if (pet && this.#endVoice !== undefined) frame.endVoice = this.#endVoice
    if (chat && this.#dropped) frame.dropped = this.#dropped
    if (!chat) for (const { token } of this.#execute) this.#failExecution(token)
    this.#conversations.clear()
    this.#items.clear()
    this.#left.clear()
    this.#execute = []
    this.#abort = []
    this.#voice = this.#endVoice = this.#dropped = undefined
    return Object.keys(frame).length > 0 ? frame : undefined
  }

  #failExecution(token: string): void {
    const execution = this.executions.get(token)
    execution?.message.fail(execution, 'the window may not run tools any more')
  }

  #takeFeed(message: Message): MessageFrame | undefined {
    const feed = this.#feeds.get(message)
    if (!feed) return undefined
    if (feed.ended) this.#feeds.delete(message)
    return { id: message.id, ...feed.take(message.seq) }
  }
}

type MessageFrame = NonNullable<WindowFrame['messages']>[number]

const withoutQuestions = (frame: MessageFrame): MessageFrame => ({
  ...frame,
  deltas: frame.deltas.filter(({ type }) => type !== 'ask'),
})
