import { messageOf } from '../../engine/core/errors.js'
import { warn } from '../../engine/core/warning.js'

/** Calls a hook of the app. An exception becomes a warning: it must not break a turn. */
export function guard(what: string, hook: () => void): void {
  try {
    hook()
  } catch (error) {
    warn(`${what} threw: ${messageOf(error)}`)
  }
}
