// How this window stands to its host, as a store like the others.
import type { Bridge, ConnectionState } from '../bridge/messages.js'
import { Listeners } from './listeners.js'

/** `client.connection`. */
export class LiveConnection {
  readonly #bridge: Bridge
  readonly #listeners = new Listeners()
  #state: ConnectionState = 'connected'
  #since = Date.now()
  #retryAt: number | undefined

  /** @internal */
  constructor(bridge: Bridge) {
    this.#bridge = bridge
  }

  /**
   * `connected`; `reconnecting`: it broke and is being made again; `lost`: messages do not go on until it is there
   * again.
   */
  get state(): ConnectionState {
    return this.#state
  }

  /** Since when, in Unix milliseconds. */
  get since(): number {
    return this.#since
  }

  /** When the next try is made, in Unix milliseconds. Absent while it is there, or where nobody tries. */
  get retryAt(): number | undefined {
    return this.#retryAt
  }

  /** Called when the state changed, or the time of the next try. Returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  /** The state, for `useSyncExternalStore(connection.subscribe, connection.getSnapshot)`. */
  readonly getSnapshot = (): ConnectionState => this.#state

  /** Tries at once instead of at `retryAt`. */
  retry(): void {
    if (this.#state !== 'connected') this.#bridge.retry?.()
  }

  /** @internal */
  set(state: ConnectionState, retryAt?: number): void {
    if (state === this.#state && retryAt === this.#retryAt) return
    if (state !== this.#state) this.#since = Date.now()
    this.#state = state
    this.#retryAt = retryAt
    this.#listeners.tell()
  }

  /** @internal */
  close(): void {
    this.#listeners.clear()
  }
}
