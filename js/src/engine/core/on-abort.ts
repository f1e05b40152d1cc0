const listeners = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `listener` when the signal is aborted, at once where it is already. Returns what takes that back. A signal gets
 * one listener of ours, however many runs it has: Node takes more than ten for a leak.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener()
    return () => {}
  }
  let calls = listeners.get(signal)
  if (!calls) {
    const all = (calls = new Set<() => void>())
    listeners.set(signal, all)
    signal.addEventListener(
      'abort',
      () => {
        for (const call of [...all]) call()
        all.clear()
      },
      { once: true },
    )
  }
  const own = (): void => listener()
  calls.add(own)
  return () => void calls.delete(own)
}
