import { messageOf } from '../core/errors.js'

/** A hook of the app must not break a turn. */
export function guard(what: string, hook: () => void): void {
  try {
    hook()
  } catch (error) {
    process.emitWarning(`${what} threw: ${messageOf(error)}`, 'SluiceWarning')
  }
}
