// Waits for a condition, however busy the machine is: no test waits for a time. Clocks that a test replaces are not
// looked at.
const { setTimeout: later } = globalThis
const now = performance.now.bind(performance)
const MINUTE_MS = 60_000
const LONGEST_PAUSE_MS = 100

/**
 * What `condition` gives, as soon as that is true. Looks at once, then with growing pauses. Throws after a minute, with
 * `what` and what it saw last; after `mostMs` where the thing itself takes longer.
 */
export async function until(condition, what = 'it', mostMs = MINUTE_MS) {
  const start = now()
  for (;;) {
    const value = await condition()
    if (value) return value
    const waited = now() - start
    if (waited > mostMs) throw new Error(`waited ${mostMs / 1000} s for ${what}; last seen: ${shown(value)}`)
    await new Promise((resolve) => later(resolve, Math.min(2 + waited / 5, LONGEST_PAUSE_MS)))
  }
}

function shown(value) {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
