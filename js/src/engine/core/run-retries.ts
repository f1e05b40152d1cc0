// When a run asks for an answer again though no request failed: `onFinal` sent it back, or the process that read it has
// ended. Requests that failed are tried again in requests.ts.
import { messageOf } from './errors.js'
import type { AssistantMessage, FinalEvent, Outcome } from './events.js'
import { callHook, HookError } from './hooks.js'
import { isState } from './requests.js'
import type { RunHooks } from './run-options.js'
import { hookTimeout, type Stage } from './stage.js'
import { checkFinal, type FinalDecision } from './turn.js'

export class RunRetries {
  readonly #stage: Stage
  /** Aborts when the run has ended. */
  readonly #signal: AbortSignal
  readonly #conclude: (decision: FinalDecision) => void
  #judging = false

  constructor(stage: Stage, signal: AbortSignal, conclude: (decision: FinalDecision) => void) {
    this.#stage = stage
    this.#signal = signal
    this.#conclude = conclude
  }

  /** `onFinal` looks at an answer. */
  get busy(): boolean {
    return this.#judging
  }

  /** Asks the app what becomes of a final answer. Where its hook fails the answer stands: it was shown already. */
  async judge(event: FinalEvent, message: AssistantMessage, onFinal: NonNullable<RunHooks['onFinal']>): Promise<void> {
    let decision: FinalDecision
    this.#judging = true
    try {
      decision = await this.#ask(event, message, onFinal)
    } catch (error) {
      if (this.#stage.over) return
      this.#stage.warn(messageOf(error))
      decision = 'accept'
    } finally {
      this.#judging = false
    }
    this.#conclude(decision)
  }

  async #ask(
    { text, round, noRetry }: FinalEvent,
    message: AssistantMessage,
    onFinal: NonNullable<RunHooks['onFinal']>,
  ): Promise<FinalDecision> {
    const ask = (): ReturnType<typeof onFinal> => onFinal({ text, round, noRetry: noRetry === true, message })
    const decision = (await callHook('onFinal', ask, hookTimeout(this.#stage), this.#signal)) ?? 'accept'
    checkFinal(decision, 'onFinal')
    if (noRetry && decision !== 'accept' && 'retry' in decision) {
      throw new HookError('onFinal sent back the last answer that maxRounds or maxRequests allows')
    }
    return decision
  }

  /**
   * After a restore: asks again for the answer that the former process was reading, unless a request is open. Returns
   * the outcome of a turn that had ended.
   */
  goOn(requesting: boolean): Outcome | undefined {
    const { turn, step, over } = this.#stage
    if (over) return undefined
    const { outcome } = turn.message
    if (outcome !== undefined) return outcome
    if (turn.request === null || requesting) return undefined
    try {
      step(() => turn.finish('retry', 'the run was suspended'))
    } catch (error) {
      if (!isState(error)) throw error
      step(() => turn.finish('complete')) // something of it was shown: it counts as far as it came
    }
    return undefined
  }
}
