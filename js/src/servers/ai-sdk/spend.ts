// A list of approvals that were used, for servers without a store.

/**
 * Notes that a key was used. It returns true, or a promise of it, where nobody used the key before, and false where
 * somebody did. Looking and noting must be one step (`INSERT … ON CONFLICT DO NOTHING`, `SET … NX`), for all processes
 * that share the secret. After `expiresAt`, in Unix milliseconds, the key may be forgotten: nothing is accepted under
 * it any more. Where the clocks of processes differ, keep it longer by the difference.
 */
export type Spend = (key: string, expiresAt: number) => boolean | Promise<boolean>

/** The least size at which the list looks for keys to forget. */
const LEAST = 1000

/**
 * A list in memory, for one process. It forgets keys that have expired. With several processes, or after a restart, an
 * approval could be used again.
 */
export function memorySpend(): Spend {
  const spent = new Map<string, number>()
  let full = LEAST
  return (key, expiresAt) => {
    const now = Date.now()
    if ((spent.get(key) ?? 0) > now) return false
    if (spent.size >= full) {
      for (const [old, until] of spent) if (until <= now) spent.delete(old)
      full = Math.max(LEAST, spent.size * 2)
    }
    spent.set(key, expiresAt)
    return true
  }
}
