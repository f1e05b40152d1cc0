// An answer that came too late: somebody else was faster.
import type { Counting } from '../../../engine/core/counting.js'

/**
 * The decision that counts, if what answering gave says that another one does: false, or the body of the 409 of a
 * server.
 */
export function fasterIn(given: unknown): Counting | undefined {
  return given === false
    ? {}
    : (given as { decided?: boolean } | undefined)?.decided === false
      ? (given as Counting)
      : undefined
}
