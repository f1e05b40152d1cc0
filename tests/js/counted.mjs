// Counts work in JavaScript instead of timing it: how often V8 enters each block of the package's own code. The same
// work takes the same number of steps on every machine; what the engine and V8's own functions do inside is not
// counted.
import { Session } from 'node:inspector/promises'
import { setFlagsFromString } from 'node:v8'

/** Optimized code does not count every call. */
export const exact = ['--no-opt', '--no-maglev']

/** The steps that `work` takes in the files whose address has one of these parts. */
export async function counted(work, parts) {
  const counter = await counting(parts)
  try {
    return await counter.steps(work)
  } finally {
    await counter.end()
  }
}

/** The same for many works, one after the other. */
export async function counting(parts = ['/js/dist/']) {
  exact.forEach((flag) => setFlagsFromString(flag))
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return {
    async steps(work) {
      await session.post('Profiler.takePreciseCoverage') // starts counting anew
      await work()
      const { result } = await session.post('Profiler.takePreciseCoverage')
      return stepsIn(result, parts)
    },
    async end() {
      await session.post('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

/** Of what a profiler counted, also one of a page. */
export function stepsIn(scripts, parts = ['/']) {
  const own = scripts.filter(({ url }) => parts.some((part) => url.includes(part)))
  return own
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0)
}
