// Calls the app's `checkpoint` hook: one save at a time, each with the newest state.
import { messageOf } from './errors.js'
import { callHook } from './hooks.js'
import { NOT_SAVED, NotSaved } from './not-saved.js'
import type { CheckpointReason } from './run-options.js'
import { hookTimeout, type Stage } from './stage.js'

export class Checkpoints {
  readonly #stage: Stage
  readonly #signal: AbortSignal
  readonly #onFailure: (detail: string) => void
  #last: Promise<unknown> = Promise.resolve()
  /** The save that waits for its turn. A caller with the same reason shares it. */
  #next: { why: CheckpointReason; saved: Promise<void> } | undefined
  #open = 0

  constructor(stage: Stage, signal: AbortSignal, onFailure: (detail: string) => void) {
    this.#stage = stage
    this.#signal = signal
    this.#onFailure = onFailure
  }

  /** A save is open. */
  get busy(): boolean {
    return this.#open > 0
  }

  save(why: CheckpointReason): Promise<void> {
    if (this.#next?.why === why) return this.#next.saved
    this.#open++
    const saved = this.#last.then(() => this.#write(why)).finally(() => this.#open--)
    this.#next = { why, saved }
    this.#last = saved.catch(() => {})
    return saved
  }

  async #write(why: CheckpointReason): Promise<void> {
    if (this.#next?.why === why) this.#next = undefined
    this.#signal.throwIfAborted()
    const { turn, hooks } = this.#stage
    let said: unknown
    try {
      said = await callHook<unknown>(
        'checkpoint',
        () => hooks.checkpoint?.(turn.state, why),
        hookTimeout(this.#stage),
        this.#signal,
      )
    } catch (error) {
      if (!this.#signal.aborted) this.#onFailure(messageOf(error))
      throw error
    }
    if (said === NOT_SAVED) throw new NotSaved()
  }
}
