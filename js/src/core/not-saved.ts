// What has an effect outside begins after a save that names it: a `checkpoint` of the package itself, in front of that of the app. Where it could not save, the calls
// that wait for it are refused, and the turn goes on.
import type { RunHooks } from './run-options.js'

/** So long a store may take, in milliseconds. */
export const STORE_MS = 5000

/** What such a checkpoint resolves to. */
export const NOT_SAVED = Symbol('not saved')

export class NotSaved extends Error {
  constructor() {
    super('this could not be saved')
  }
}

/** A checkpoint that saves requests and calls before they begin. `save` resolves to false where it could not: a call does not begin then, a request goes out all the same. */
export function savedFirst(save: (state: string) => Promise<boolean>, own: RunHooks['checkpoint']): NonNullable<RunHooks['checkpoint']> {
  return async (state, why) => {
    const saved = why === 'question' || (await save(state))
    await own?.(state, why)
    return saved || why !== 'tool' ? undefined : (NOT_SAVED as never)
  }
}

/** What `work` resolves to, or `late` after so many milliseconds. */
export async function atMost<T, L = undefined>(ms: number, work: Promise<T>, late?: L): Promise<T | L | undefined> {
  let patience: NodeJS.Timeout | undefined
  try {
    return await Promise.race([work, new Promise<L | undefined>((resolve) => (patience = setTimeout(() => resolve(late), ms)))])
  } finally {
    clearTimeout(patience)
  }
}
