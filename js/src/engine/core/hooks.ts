// Functions of the app, called so that none of them can break a run or hold it up: a fault names its hook.
import { messageOf } from './errors.js'
import { onAbort } from './on-abort.js'
import { warn } from './warning.js'

/**
 * A function of the app failed: it threw, gave back nonsense, or did not answer in time. Calling it again is of no use.
 */
export class HookError extends Error {}

/** Settles as `work` does, but rejects with the signal's reason as soon as the signal is aborted. */
export function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const off = onAbort(signal, () => reject(signal.reason))
    Promise.resolve(work).then(resolve, reject).finally(off)
  })
}

/**
 * Calls a hook of the app. Rejects with a HookError where it threw, or did not answer within `ms` milliseconds (0: no
 * limit); with the signal's reason where the signal was aborted first.
 */
export async function callHook<T>(
  name: string,
  call: () => T | PromiseLike<T>,
  ms: number,
  signal: AbortSignal,
): Promise<T> {
  const answer = (async () => {
    try {
      return await call()
    } catch (cause) {
      throw new HookError(`${name} threw: ${messageOf(cause)}`)
    }
  })()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    if (ms > 0)
      timer = setTimeout(() => reject(new HookError(`${name} did not answer within ${ms} ms (hookTimeoutMs)`)), ms)
  })
  try {
    return await unlessAborted(Promise.race([answer, late]), signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Calls a hook whose failure must not break the turn: it becomes a warning. */
export function guardHook(what: string, call: () => unknown): void {
  const tell = (error: unknown): void => warn(`${what} threw: ${messageOf(error)}`)
  try {
    const given = call()
    if (given instanceof Promise) given.catch(tell)
  } catch (error) {
    tell(error)
  }
}
