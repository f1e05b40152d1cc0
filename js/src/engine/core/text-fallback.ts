// Asks the app whether an answer that failed is asked for again in mode text, for reasons that no rule knows.
import { SluiceError } from './errors.js'
import type { ErrorEvent } from './events.js'
import { callHook, HookError } from './hooks.js'
import { shown } from './options.js'
import type { FailedAnswer, Fallback } from './settings.js'
import { hookTimeout, type Stage } from './stage.js'
import type { Turn } from './turn.js'

type When = NonNullable<Fallback['when']>

/** A response with an HTTP error. */
export interface Refusal {
  status: number
  headers: { [name: string]: string }
  body: Uint8Array
}

export class TextFallback {
  readonly #stage: Stage
  readonly #when: When
  readonly #restore: (state: string) => Turn

  /** @param restore makes a turn from a state, with the tools of the run. */
  constructor(stage: Stage, when: When, restore: (state: string) => Turn) {
    this.#stage = stage
    this.#when = when
    this.#restore = restore
  }

  /**
   * The provider's words if the app wants the open answer in text. Undefined: it does not, or there is nothing to ask.
   * Rejects with a HookError if the app's function fails.
   * @param end what `finish` would get beside `complete`
   * @param refusal a response that the turn has not read
   */
  async wanted(round: number, signal: AbortSignal, end?: string, refusal?: Refusal): Promise<string | undefined> {
    const error = this.#failure(end, refusal)
    if (!error) return undefined
    const { code, status, detail = '', hint, words } = error
    const failure: FailedAnswer = {
      code,
      ...(status === undefined ? {} : { status }),
      detail,
      ...(words === undefined ? {} : { words }),
      round,
      ...(hint === undefined ? {} : { hint }),
    }
    const name = 'autoFallback.when'
    const answer = await callHook<unknown>(name, () => this.#when(failure), hookTimeout(this.#stage), signal)
    if (typeof answer !== 'boolean') throw new HookError(`${name} gave back ${shown(answer)}, expected true or false`)
    return answer ? detail : undefined
  }

  /**
   * The error with which the turn would fail if the answer ended now; undefined if it would not, or asks again by
   * itself. A copy of the turn tries it.
   */
  #failure(end: string | undefined, refusal: Refusal | undefined): ErrorEvent | undefined {
    const { turn } = this.#stage
    if (turn.tools.settings.mode !== 'auto') return undefined
    const copy = this.#copy()
    if (!copy) return undefined
    try {
      copy.secrets = turn.secrets
      while (copy.nextEvent() !== null); // events of before
      if (refusal) {
        copy.response(refusal.status, refusal.headers)
        copy.feed(refusal.body)
      }
      copy.finish('complete', end)
      let failure: ErrorEvent | undefined
      for (const event of copy.events()) {
        if (event.type === 'request') return undefined
        if (event.type === 'error') failure = event
      }
      return failure
    } finally {
      copy.close()
    }
  }

  #copy(): Turn | undefined {
    try {
      return this.#restore(this.#stage.turn.state)
    } catch (error) {
      if (error instanceof SluiceError && error.code === 'closed') return undefined // the engine was closed meanwhile
      throw error
    }
  }
}
