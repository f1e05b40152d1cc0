// Before rules and questions the app resolves what the model wrote: `beforeApproval`.
import { messageOf, SluiceError } from './errors.js'
import type { CardEvent, JsonObject, ResolveEvent } from './events.js'
import { callHook, HookError } from './hooks.js'
import { onAbort } from './on-abort.js'
import { isObject, shown } from './options.js'
import { isState } from './requests.js'
import { hookTimeout, type Stage } from './stage.js'

export class References {
  readonly #stage: Stage
  /** Aborts when the run has ended. */
  readonly #ended: AbortSignal
  /** The calls that the app resolves now. */
  readonly #open = new Map<number, AbortController>()

  constructor(stage: Stage, ended: AbortSignal) {
    this.#stage = stage
    this.#ended = ended
  }

  /** A call that has ended needs no arguments any more. */
  hear({ call, status }: CardEvent): void {
    if (status !== undefined && status !== 'pending') this.#open.get(call)?.abort()
  }

  async resolve(event: ResolveEvent): Promise<void> {
    const { hooks, step, turn } = this.#stage
    const { beforeApproval } = hooks
    if (!beforeApproval) return step(() => turn.resolveArguments(event.call, null))
    const stop = new AbortController()
    this.#open.set(event.call, stop)
    const { signal } = stop
    const off = onAbort(this.#ended, () => stop.abort())
    try {
      const { call, name } = event
      const ask = (): unknown => beforeApproval({ call, name, arguments: event.arguments }, { signal })
      this.#take(event, await callHook<unknown>('beforeApproval', ask, hookTimeout(this.#stage), signal))
    } catch (error) {
      if (signal.aborted || isState(error)) return
      const told = error instanceof SluiceError
      if (!told) this.#stage.warn(messageOf(error))
      this.#refuse(event.call, told ? messageOf(error) : 'the app could not prepare it')
    } finally {
      off()
      this.#open.delete(event.call)
    }
  }

  #take({ call }: ResolveEvent, given: unknown): void {
    const { step, turn } = this.#stage
    if (given === undefined) return step(() => turn.resolveArguments(call, null))
    if (isObject(given) && typeof given['deny'] === 'string' && !('arguments' in given))
      return this.#refuse(call, given['deny'])
    if (!isObject(given) || !isObject(given['arguments']) || 'deny' in given)
      throw new HookError(
        `beforeApproval gave back ${shown(given)}, expected { arguments } with an object, { deny } with a text, or nothing`,
      )
    const args = given['arguments'] as JsonObject
    step(() => turn.resolveArguments(call, args))
  }

  #refuse(call: number, reason: string): void {
    const { step, turn } = this.#stage
    try {
      step(() => turn.refuse(call, reason))
    } catch (error) {
      if (!isState(error)) throw error // it has ended meanwhile
    }
  }
}
