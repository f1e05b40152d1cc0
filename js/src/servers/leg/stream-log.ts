// What was told of an answer that is being written, for those who read it from its beginning. A log may be shared by
// processes: the interface asks for nothing but appending in order and reading, so that a stream of Redis can stand
// behind it.
import { members, whole } from '../../engine/core/options.js'

/** Chunks of an answer. */
export interface LoggedChunks {
  /**
   * Of the leg that told them. Where it is another than before, the answer begins anew, and replaces what was read
   * before.
   */
  logNumber: number
  /** `UIMessageChunk`s as JSON, in their order. */
  chunks: readonly string[]
}

/**
 * Keeps what is told of the answers that are being written. Every leg of an answer has a log number, a whole number
 * that is higher than those before. A log that outlives its process ends the answers that nobody goes on with, after a
 * time of its own.
 */
export interface StreamLog {
  /**
   * The log number of a leg that is about to tell something: higher than all that are known of the answer, and at least
   * `least`. No other leg gets the same. `chatHandler` and `agUIHandler` ask for it. Absent: they take the time, so the
   * clocks of processes that share the log must agree.
   */
  begin?(id: string, least: number): number | Promise<number>
  /**
   * Adds chunks. The first with a new log number begin the answer anew: the chunks of earlier ones are dropped. Throws,
   * or rejects, where they cannot be kept, or a later log number has begun.
   */
  append(id: string, logNumber: number, chunks: readonly string[]): void | Promise<void>
  /**
   * Nothing more comes with this log number: who reads it gets the rest, who comes later finds nothing. With a number
   * that is not the last one it does nothing.
   */
  end(id: string, logNumber: number): void | Promise<void>
  /**
   * Everything with the last log number from its beginning, then what comes, until it ends. Where a later one begins
   * meanwhile, its chunks follow, from their beginning. It ends at once where no answer is written. Throws where a
   * reader cannot get everything any more.
   */
  read(id: string): AsyncIterable<LoggedChunks>
}

/** What `memoryLog` takes. */
export interface MemoryLogOptions {
  /**
   * How many characters of JSON are kept of an answer. Of a longer one the beginning is dropped: it can no longer be
   * read from there. Default 8 Mi.
   */
  maxLength?: number
}

const checkOptions = members({ members: { maxLength: whole(1) } })

/**
 * The log of one process. Answers that are over are forgotten. Throws SluiceError `option` where an option is wrong.
 */
export function memoryLog(options: MemoryLogOptions = {}): StreamLog {
  checkOptions(options, 'options')
  return new MemoryLog(options.maxLength ?? 8 * 1024 * 1024)
}

/** The log of one leg. */
interface LegChunks {
  logNumber: number
  chunks: string[]
  /** How many chunks in front of those were dropped. */
  dropped: number
  length: number
  ended: boolean
  /** The log that follows it. */
  next: LegChunks | undefined
  wake: (() => void)[]
}

class MemoryLog implements StreamLog {
  readonly #logs = new Map<string, LegChunks>()
  readonly #maxLength: number

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  begin(id: string, least: number): number {
    return Math.max(least, (this.#logs.get(id)?.logNumber ?? -1) + 1)
  }

  append(id: string, logNumber: number, chunks: readonly string[]): void {
    let log = this.#logs.get(id)
    if (log && logNumber < log.logNumber)
      throw new Error(`log ${logNumber} of ${id} is over: ${log.logNumber} has begun`)
    if (log?.logNumber !== logNumber) {
      const next: LegChunks = { logNumber, chunks: [], dropped: 0, length: 0, ended: false, next: undefined, wake: [] }
      if (log) {
        log.next = next
        wakeAll(log)
      }
      this.#logs.set(id, (log = next))
    }
    for (const chunk of chunks) {
      log.chunks.push(chunk)
      log.length += chunk.length
    }
    if (log.length > this.#maxLength) this.#dropOf(log)
    wakeAll(log)
  }

  end(id: string, logNumber: number): void {
    const log = this.#logs.get(id)
    if (log?.logNumber !== logNumber) return
    this.#logs.delete(id)
    log.ended = true
    wakeAll(log)
  }

  async *read(id: string): AsyncGenerator<LoggedChunks, void, undefined> {
    let log = this.#logs.get(id)
    let at = 0
    while (log) {
      if (log.next) {
        ;[log, at] = [log.next, 0]
        continue
      }
      if (at < log.dropped)
        throw new Error(`the beginning of this answer is not kept: it is longer than ${this.#maxLength} characters`)
      const chunks = log.chunks.slice(at - log.dropped)
      at += chunks.length
      if (chunks.length > 0) yield { logNumber: log.logNumber, chunks }
      else if (log.ended) return
      else await woken(log)
    }
  }

  /** Half of it goes, so that this happens seldom: those who read along are seldom further behind. */
  #dropOf(log: LegChunks): void {
    let count = 0
    for (; log.length > this.#maxLength / 2; count++) log.length -= (log.chunks[count] as string).length
    log.chunks.splice(0, count)
    log.dropped += count
  }
}

const woken = (log: LegChunks): Promise<void> => new Promise((resolve) => log.wake.push(resolve))

function wakeAll(log: LegChunks): void {
  for (const wake of log.wake.splice(0)) wake()
}
