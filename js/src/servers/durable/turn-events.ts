// The events of a turn for a reader, over all its legs: from the stream log, and where that has nothing from what was
// saved.
import { messageOf } from '../../engine/core/errors.js'
import type { AssistantMessage, SluiceEvent } from '../../engine/core/events.js'
import { onAbort } from '../../engine/core/on-abort.js'
import { warn } from '../../engine/core/warning.js'
import type { LoggedChunks, StreamLog } from '../leg/stream-log.js'
import { leavable } from './leavable.js'
import type { TurnQuestion, ResetEvent, TurnRow, TurnEnd, TurnEvent } from './durable-types.js'

/** A turn as it was saved. */
export interface Saved {
  row: Pick<TurnRow, 'phase' | 'logNumber' | 'rev'>
  message: AssistantMessage
  questions: readonly TurnQuestion[]
  end: TurnEnd | undefined
}

/** What reading needs of the turns around it. */
export interface Source {
  log: StreamLog
  /** Loads the turn. What it throws ends the reading. */
  look: () => Promise<Saved>
  /** Resolves when there may be more to read: a leg begins here, or a while has passed. */
  pause: (left: AbortSignal) => Promise<void>
}

/** Room for so many events of a log, and for 2^26 logs. */
const EVENTS_PER_LOG = 2 ** 27
const placeOf = (logNumber: number, index: number): number => logNumber * EVENTS_PER_LOG + index
/** Behind every event of a log. */
const lastOf = (logNumber: number): number => placeOf(logNumber, EVENTS_PER_LOG - 1)

export function eventsOf(
  { log, look, pause }: Source,
  id: string,
  from: number | undefined,
): AsyncIterableIterator<TurnEvent> {
  return leavable(tell)

  async function* tell(left: AbortSignal): AsyncGenerator<TurnEvent, void, undefined> {
    let at = from ?? -1
    /** The revision that was told. */
    let rev = 0
    /** The one that was told to wait. */
    let waited = 0
    while (!left.aborted) {
      let [logNumber, index] = [0, 0]
      /** The writer died after its last save: this log gets no more events, and may be incomplete. */
      let cut = false
      const isOver = async (): Promise<boolean> => {
        const { row, end } = await look()
        return (cut = end !== undefined || row.phase === 'waiting' || row.logNumber > logNumber)
      }
      try {
        for await (const logged of until(left, log.read(id), isOver)) {
          if (logged.logNumber !== logNumber) [logNumber, index] = [logged.logNumber, 0]
          for (const chunk of logged.chunks) {
            const place = placeOf(logNumber, index++)
            if (place <= at) continue
            at = place
            const event = JSON.parse(chunk) as SluiceEvent | ResetEvent
            yield { ...event, at }
            if (event.type === 'done') return
          }
        }
      } catch (error) {
        warn(`the stream log: ${messageOf(error)}; the reader of turn ${id} gets what was saved`)
        logNumber = 0
      }
      if (left.aborted) return
      const saved = await look()
      const { row, end } = saved
      const waits = row.phase === 'waiting'
      const known = row.rev === rev || (!cut && waits && (logNumber === row.logNumber || at === lastOf(row.logNumber)))
      if (end || at < 0 || !known) {
        // What the log says of a turn that runs stands behind this. No worker has the log number 0.
        at = Math.max(at, 0, row.phase === 'running' ? placeOf(row.logNumber, 0) - 1 : lastOf(row.logNumber))
        yield* saidBy(saved, at)
      }
      if (end) return
      rev = row.rev
      if (waits && waited !== rev) yield { type: 'waiting', logNumber: row.logNumber, at }
      if (waits) waited = rev
      await pause(left)
    }
  }
}

/** What was saved, as events. */
function* saidBy({ row, message, questions, end }: Saved, at: number): Generator<TurnEvent> {
  yield { type: 'reset', logNumber: row.logNumber, message, at }
  for (const { turn: _, thread: __, askedAt: ___, ...asked } of questions)
    yield { type: 'approval', seq: 0, ...asked, at }
  if (end)
    yield {
      type: 'done',
      seq: 0,
      outcome: end.outcome,
      ...(end.finishReason ? { finishReason: end.finishReason } : {}),
      at,
    }
}

/** So long after the last chunk a reader looks whether the log tells any more, in milliseconds. */
const SILENCE_MS = 5000

/**
 * What a log gives until the reader leaves, or a silent one is over: one that waits for the next chunk is left to
 * itself.
 */
async function* until(
  left: AbortSignal,
  chunks: AsyncIterable<LoggedChunks>,
  isOver: () => Promise<boolean>,
): AsyncGenerator<LoggedChunks, void, undefined> {
  const reader = chunks[Symbol.asyncIterator]()
  let forget = (): void => {}
  const gone = new Promise<IteratorReturnResult<undefined>>(
    (resolve) => (forget = onAbort(left, () => resolve({ done: true, value: undefined }))),
  )
  let timer: NodeJS.Timeout | undefined
  try {
    for (let next = reader.next(); ; ) {
      const silence = new Promise<undefined>(
        (resolve) => (timer = setTimeout(() => resolve(undefined), SILENCE_MS).unref()),
      )
      const read = await Promise.race([next, gone, silence])
      clearTimeout(timer)
      if (read === undefined) {
        if (await isOver()) return
        continue
      }
      if (read.done) return
      yield read.value
      next = reader.next()
    }
  } finally {
    clearTimeout(timer)
    forget()
    void reader.return?.()?.catch(() => {})
  }
}
