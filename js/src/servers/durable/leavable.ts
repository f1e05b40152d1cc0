/**
 * A reader that may leave while it waits: `read` gets a signal that is aborted then. A generator alone would leave with
 * the next thing that it gives.
 */
export function leavable<T>(
  read: (left: AbortSignal) => AsyncGenerator<T, void, undefined>,
): AsyncIterableIterator<T, void, undefined> {
  const left = new AbortController()
  const items = read(left.signal)
  return {
    next: () => items.next(),
    return: () => {
      left.abort()
      return items.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
