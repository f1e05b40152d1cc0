// Work that can wait until nothing else is to be done.

/** The longest that it waits while the page is busy, in milliseconds. */
const LATEST_MS = 300

/** Calls `run` once the page has nothing else to do. Returns what keeps it from being called. */
export function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(run, { timeout: LATEST_MS })
    return () => cancelIdleCallback(handle)
  }
  const timer = setTimeout(run, 20) // Safari: let a frame be drawn
  return () => clearTimeout(timer)
}
