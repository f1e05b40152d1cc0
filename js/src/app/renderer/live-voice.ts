// The voice of the pet in another window, as far as a chat has to do with it.
import type { VoiceState } from '../bridge/messages.js'
import type { Call } from './call.js'
import { Listeners } from './listeners.js'

/** `client.voice`. Needs the right `chat`; without it it is `off`. */
export class LiveVoice {
  readonly #call: Call
  readonly #listeners = new Listeners()
  #state: VoiceState = 'off'
  #watched = false
  /** Counts what arrived: a frame that came while the host was asked is newer than its answer. */
  #arrivals = 0

  /** @internal */
  constructor(call: Call) {
    this.#call = call
  }

  /**
   * What it does; known as soon as somebody subscribed. `off`: no window of the pet has a voice, or it is to be quiet.
   */
  get state(): VoiceState {
    return this.#state
  }

  /** Called with every change. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const remove = this.#listeners.add(listener)
    this.#watch()
    return remove
  }

  /** The state, for `useSyncExternalStore(voice.subscribe, voice.getSnapshot)`. */
  readonly getSnapshot = (): VoiceState => this.#state

  /** Ends what it says. Resolves to false where it says nothing. */
  stop(_why?: string): Promise<boolean> {
    return this.#call('endVoice')
  }

  /** @internal */
  receive(state: VoiceState): void {
    this.#arrivals++
    if (state === this.#state) return
    this.#state = state
    this.#listeners.tell()
  }

  /** @internal The host tells nothing of it any more. */
  disconnect(): void {
    this.#watched = false
    this.receive('off')
  }

  /** @internal */
  reconnect(): void {
    this.#watched = false
    if (this.#listeners.size > 0) this.#watch()
  }

  /** @internal */
  close(): void {
    this.#listeners.clear()
  }

  #watch(): void {
    if (this.#watched) return
    this.#watched = true
    const arrivals = this.#arrivals
    void this.#call('voice').then(
      (state) => this.#arrivals === arrivals && this.receive(state),
      () => {
        this.#watched = false // a window that may not, or a host that is gone: whoever looks next tries again
      },
    )
  }
}
