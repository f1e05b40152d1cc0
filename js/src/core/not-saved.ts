// A `checkpoint` of the package itself could not save: the calls that wait for it are refused, and the turn goes on.

/** What such a checkpoint resolves to. */
export const NOT_SAVED = Symbol('not saved')

export class NotSaved extends Error {
  constructor() {
    super('this could not be saved')
  }
}
