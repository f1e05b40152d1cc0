// What one request runs: from a message, or from decisions, until the turn is over or nothing but people is waited for.
import type { SluiceEvent } from '../../engine/core/events.js'
import type { Run } from '../../engine/core/run.js'
import { setImmediate } from '../../engine/core/set-immediate.js'

/**
 * The events of a run up to its end, or until it is quiet and the reader, who may decide what an event asks, has seen
 * all of them.
 */
export async function* eventsUntilQuiet(run: Run): AsyncGenerator<SluiceEvent, void, undefined> {
  const events = run[Symbol.asyncIterator]()
  try {
    let next = events.next()
    for (let quiet = isQuiet(run); ; ) {
      let read = await Promise.race([next, quiet])
      if (read === undefined) {
        read = await Promise.race([next, soon()])
        if (read === undefined) return
        quiet = isQuiet(run)
      }
      if (read.done) return
      yield read.value
      next = events.next()
    }
  } finally {
    void events.return()
  }
}

const isQuiet = async (run: Run): Promise<undefined> => {
  if ((await run.quiet) === 'done') await new Promise<never>(() => {}) // its events end by themselves
}
const soon = (): Promise<undefined> => new Promise((resolve) => setImmediate(() => resolve(undefined)))
