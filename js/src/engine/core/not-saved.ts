// The package saves a turn before a call of it begins, by a `checkpoint` in front of that of the app. If that save
// fails, the calls that wait for it are refused, and the turn goes on.
import { messageOf } from './errors.js'
import type { RunHooks } from './run-options.js'

/** How long a store may take, in milliseconds. A turn and the end of the app must not hang at it. */
export const STORE_MS = 5000

/** What such a checkpoint resolves to. */
export const NOT_SAVED = Symbol('not saved')

export class NotSaved extends Error {
  constructor() {
    super('this could not be saved')
  }
}

/**
 * A checkpoint that saves requests and calls before they begin. If `save` resolves to false, no call begins, and a
 * request goes out all the same.
 */
export function savedFirst(
  save: (state: string) => Promise<boolean>,
  own: RunHooks['checkpoint'],
): NonNullable<RunHooks['checkpoint']> {
  return async (state, why) => {
    const saved = why === 'question' || (await save(state))
    await own?.(state, why)
    return saved || why !== 'tool' ? undefined : (NOT_SAVED as never)
  }
}

/** Whether a store did this within STORE_MS. `tell` hears why not. */
export async function savedInTime(save: () => Promise<unknown>, tell: (why: string) => void): Promise<boolean> {
  const late = Symbol('late')
  try {
    if ((await atMost(STORE_MS, save(), late)) !== late) return true
    tell(`the store did not answer within ${STORE_MS} ms`)
  } catch (error) {
    tell(messageOf(error))
  }
  return false
}

/** What `work` resolves to, or `late` after so many milliseconds. */
export async function atMost<T, L = undefined>(ms: number, work: Promise<T>, late?: L): Promise<T | L | undefined> {
  let patience: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      work,
      new Promise<L | undefined>((resolve) => (patience = setTimeout(() => resolve(late), ms))),
    ])
  } finally {
    clearTimeout(patience)
  }
}
