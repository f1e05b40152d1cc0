// A message that goes on in the main process, as this window shows it. Frames are applied in order and only where they
// fit:
// whatever else comes (a gap, a frame of an older subscription, a snapshot later than its frames) ends in a new
// snapshot.
import type { QuestionView, WindowDecision, WindowFrame, MessageView } from '../bridge/messages.js'
import { applyDeltas, emptyView } from '../bridge/view.js'
import type { ApproveOptions } from '../../engine/core/approvals.js'
import { findCard } from '../../engine/core/cards.js'
import { countingIn, type Counting } from '../../engine/core/counting.js'
import { messageOf } from '../../engine/core/errors.js'
import type { Call } from './call.js'
import { ClientError, closed, lost } from './client-errors.js'
import { Listeners } from './listeners.js'

export type MessageFrame = NonNullable<WindowFrame['messages']>[number]
/** The question that is decided: a `QuestionView`, or its token and digest. */
type Question = Pick<QuestionView, 'token'> & { digest?: string | undefined }
const decided = (message: string, { token, digest }: Question): WindowDecision => ({
  message,
  token,
  ...(digest === undefined ? {} : { digest }),
})

/** The end of a question by the clock of this window. */
const byOurClock = (ask: QuestionView): QuestionView =>
  ask.leftMs === undefined ? ask : { ...ask, expiresAt: Date.now() + ask.leftMs }

/** A message as this window shows it: followed while somebody looks at it. */
export class LiveMessage {
  readonly id: string
  /** This window asked for it: its end is news, also where it is there at once. */
  asked = false
  readonly #call: Call
  readonly #listeners = new Listeners()
  #view: MessageView
  /** Somebody looked at it or waits for its end: followed until it is done. */
  #watched = false
  #failure: ClientError | undefined
  /** The view with what went wrong at its end. */
  #failed: MessageView | undefined
  #done:
    | { promise: Promise<MessageView>; resolve: (view: MessageView) => void; reject: (error: ClientError) => void }
    | undefined

  // -- the subscription at the host
  /** Frames come, and they go on from the view. */
  #live = false
  /** Frames that came before the snapshot, while one is asked for. */
  #held: MessageFrame[] | undefined
  #busy = false
  #closed = false

  /** Tells the client whether anybody waits for something of it: until then nothing else need hold it. */
  readonly #hold: (message: LiveMessage, wanted: boolean) => void

  /** @internal */
  constructor(id: string, call: Call, hold: (message: LiveMessage, wanted: boolean) => void) {
    this.id = id
    this.#call = call
    this.#hold = hold
    this.#view = emptyView(id)
  }

  /**
   * Called when the message changed, once per frame. May be passed on unbound: `useSyncExternalStore(m.subscribe,
   * m.getSnapshot)`.
   */
  readonly subscribe = (listener: () => void): (() => void) => {
    const remove = this.#listeners.add(listener)
    this.#watched = true
    if (this.#failure?.code !== 'connection') this.#tryAnew() // a new reader may try again
    void this.#sync()
    return () => {
      remove()
      void this.#sync()
    }
  }

  /** The message as it stands: another object whenever it changed, and never changed in place. */
  readonly getSnapshot = (): MessageView => {
    this.#watched = true
    void this.#sync()
    return this.#failed ?? this.#view
  }

  /**
   * The message when it has ended, however it ended: see `outcome`. Rejects where it cannot be had; ask for it again
   * when it goes on.
   */
  get done(): Promise<MessageView> {
    if (!this.#done) {
      let resolve!: (view: MessageView) => void
      let reject!: (error: ClientError) => void
      const promise = new Promise<MessageView>((...settle) => ([resolve, reject] = settle))
      promise.catch(() => {}) // the view says it too
      this.#done = { promise, resolve, reject }
      this.#watched = true
      void this.#sync()
      this.#settle()
    }
    return this.#done.promise
  }

  /**
   * Lets a call run, once or for longer, as it is or with other arguments. Returns false if the question was already
   * decided: see `decisionOn`.
   */
  approve(ask: Question, options: ApproveOptions = {}): Promise<boolean> {
    return this.#call('approve', { ...options, ...decided(this.id, { ...ask, digest: options.digest ?? ask.digest }) })
  }

  /**
   * Lets the result of a call out to the model. Returns false if the question was already decided: see `decisionOn`.
   */
  release(ask: Question): Promise<boolean> {
    return this.#call('approve', decided(this.id, ask))
  }

  /**
   * Refuses what was asked. The model reads the reason. Returns false if the question was already decided: see
   * `decisionOn`.
   */
  deny(ask: Question, reason?: string): Promise<boolean> {
    return this.#call('deny', { ...decided(this.id, ask), ...(reason ? { reason } : {}) })
  }

  /**
   * Returns the decision about a question that counts, from the message as this window shows it. Empty while there is
   * none.
   */
  decisionOn({ call, stage }: Pick<QuestionView, 'call' | 'stage'>): Counting {
    return countingIn(findCard(this.getSnapshot().blocks, call)?.approvals, stage)
  }

  /** Cancels the message, or one call of it. */
  cancel(call?: number): Promise<void> {
    return this.#call('cancel', { message: this.id, ...(call === undefined ? {} : { call }) })
  }

  /**
   * Has the app open an address outside of the page, to which a person agreed: `<sluice-message>` calls it for a link
   * of the text.
   */
  openLink(url: string): Promise<void> {
    return this.#call('openLink', { url, agreed: true })
  }

  /** As `client.openKnownLink`: `<sluice-message>` calls it before it asks. */
  openKnownLink(url: string): Promise<boolean> {
    return this.#call('openKnownLink', { url })
  }

  /** @internal It was over, and goes on: what stands there is no end any more. */
  resume(): this {
    this.asked = true
    const { outcome: _, finishReason: __, ...view } = this.#view
    this.#view = view
    this.#done = undefined
    this.#live = false
    this.#watched = true
    this.#tell()
    void this.#sync()
    return this
  }

  // -- from the client ------------------------------------------------------------------------------------------------

  /** @internal */
  receive(frame: MessageFrame): void {
    if (this.#held) return void this.#held.push(frame)
    if (!this.#live) return // of a subscription that was given up
    const before = this.#view
    this.#advance(frame)
    if (this.#view !== before) this.#tell()
    void this.#sync()
  }

  /** @internal Nothing goes on until there is a connection again: what is not at its end is shown as broken off. */
  disconnect(): void {
    if (this.#view.outcome === undefined) this.#fail(lost())
  }

  /** @internal */
  reconnect(): void {
    if (this.#failure?.code !== 'connection') return
    this.#tryAnew()
    void this.#sync()
  }

  /** Readers of the old promise saw it fail; a new reader gets a new promise. */
  #tryAnew(): void {
    if (this.#closed || !this.#failure) return
    this.#failure = undefined
    if (this.#view.outcome === undefined) this.#done = undefined
  }

  /** @internal */
  close(): void {
    if (this.#live || this.#held) this.#call('unsubscribe', { message: this.id }).catch(() => {})
    this.#closed = true
    this.#fail(closed())
    this.#listeners.clear()
  }

  // ---------------------------------------------------------------------------------------

  #wanted(): boolean {
    return !this.#failure && (this.#listeners.size > 0 || (this.#watched && this.#view.outcome === undefined))
  }

  /** One call at a time: over HTTP a second one could overtake the first. */
  async #sync(): Promise<void> {
    this.#hold(this, this.#wanted())
    if (this.#busy) return
    this.#busy = true
    while (this.#wanted() !== this.#live) await (this.#live ? this.#leave() : this.#join())
    this.#busy = false
    this.#hold(this, this.#wanted())
  }

  async #join(): Promise<void> {
    this.#held = []
    try {
      const snapshot = await this.#call('subscribe', { message: this.id })
      const held = this.#held
      this.#held = undefined
      if (this.#failure) return
      // it goes on though it was over
      if (this.#view.outcome !== undefined && snapshot.outcome === undefined) this.#done = undefined
      this.#view = { ...snapshot, questions: snapshot.questions.map(byOurClock) }
      this.#failed = undefined
      this.#live = true
      for (const frame of held) this.#advance(frame)
      this.#tell()
    } catch (error) {
      this.#held = undefined
      if (this.#failure) return
      const failure =
        error instanceof ClientError
          ? error
          : new ClientError({ code: 'bridge', detail: messageOf(error), cause: error })
      this.#fail(failure)
    }
  }

  async #leave(): Promise<void> {
    this.#live = false
    // a host that cannot be reached sends nothing either
    await this.#call('unsubscribe', { message: this.id }).catch(() => {})
  }

  /**
   * Applies a frame that goes on from the view. One that is behind it is known already; after a gap a new snapshot is
   * needed.
   */
  #advance({ after, seq, deltas }: MessageFrame): void {
    if (!this.#live || seq <= this.#view.seq) return
    if (after === this.#view.seq)
      this.#view = applyDeltas(
        this.#view,
        deltas.map((delta) => (delta.type === 'ask' ? { ...delta, ask: byOurClock(delta.ask) } : delta)),
        seq,
      )
    else this.#live = false
  }

  /** A message that cannot be had is shown as one that failed; one that was had to its end stays what it is. */
  #fail(failure: ClientError): void {
    if (this.#failure) return
    this.#failure = failure
    this.#live = false
    if (!this.#closed && this.#view.outcome === undefined) {
      const { code, detail, hint } = failure
      const block = { type: 'error' as const, code, detail, ...(hint === undefined ? {} : { hint }) }
      this.#failed = { ...this.#view, blocks: [...this.#view.blocks, block], questions: [], outcome: 'failed' }
    }
    this.#tell()
  }

  #tell(): void {
    this.#settle()
    this.#listeners.tell()
  }

  #settle(): void {
    if (this.#view.outcome !== undefined) this.#done?.resolve(this.#view)
    else if (this.#failure) this.#done?.reject(this.#failure)
  }
}
