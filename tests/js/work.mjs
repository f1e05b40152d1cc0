// How work grows, by the processor time of this process: no clock on the wall, which runs on while others have the
// processor.
import assert from 'node:assert/strict'

/** The least processor time of three runs, in microseconds. */
async function least(run) {
  let best = Infinity
  for (let time = 0; time < 3; time++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, user + system)
  }
  return best
}

/**
 * Four times as much takes at most eight times as long: linear work takes some four times, with the collector's share
 * up to six; quadratic work takes sixteen. `work(n)` does as much work as `n` says, some 20 ms at least; what it gives
 * is of no interest.
 */
export async function assertLinear(work, n, what = 'the work') {
  await work(Math.ceil(n / 4)) // what is compiled first is nobody's work
  const [once, four] = [await least(() => work(n)), await least(() => work(4 * n))]
  assert.ok(four <= 8 * once + 5000, `${what}: ${n} took ${once} µs of processor, ${4 * n} took ${four}`)
}
