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
  epoch: number
  /** `UIMessageChunk`s as JSON, in their order. */
  chunks: readonly string[]
}

/**
 * Keeps what is told of the answers that are being written. Every leg of an answer is an epoch, a whole number that is
 * higher than those before. A log that outlives its process ends the answers that nobody goes on with, after a time of
 * its own.
 */
export interface StreamLog {
  /**
   * The epoch of a leg that is about to tell something: higher than all that this log knows of the answer, and at least
   * `least`. No other leg gets the same. `chatHandler` and `agUIHandler` ask for it. Absent: they take the time, so the
   * clocks of processes that share the log must agree.
   */
  begin?(id: string, least: number): number | Promise<number>
  /**
   * Adds chunks. The first of an epoch begin the answer anew: what earlier epochs told is dropped. Throws, or rejects,
   * where they cannot be kept, or a later epoch has begun.
   */
  append(id: string, epoch: number, chunks: readonly string[]): void | Promise<void>
  /**
   * Nothing more comes of the epoch: who reads it gets the rest, who comes later finds nothing. Of an epoch that is not
   * the last one it does nothing.
   */
  end(id: string, epoch: number): void | Promise<void>
  /**
   * Everything of the last epoch from its beginning, then what comes, until the epoch ends. Where a later one begins
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

/** An epoch of an answer. */
interface Told {
  epoch: number
  chunks: string[]
  /** How many chunks in front of those were dropped. */
  dropped: number
  length: number
  ended: boolean
  /** The epoch that follows it. */
  next: Told | undefined
  wake: (() => void)[]
}

class MemoryLog implements StreamLog {
  readonly #told = new Map<string, Told>()
  readonly #maxLength: number

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  begin(id: string, least: number): number {
    return Math.max(least, (this.#told.get(id)?.epoch ?? -1) + 1)
  }

  append(id: string, epoch: number, chunks: readonly string[]): void {
    let told = this.#told.get(id)
    if (told && epoch < told.epoch) throw new Error(`epoch ${epoch} of ${id} is over: ${told.epoch} has begun`)
    if (told?.epoch !== epoch) {
      const next: Told = { epoch, chunks: [], dropped: 0, length: 0, ended: false, next: undefined, wake: [] }
      if (told) {
        told.next = next
        wakeAll(told)
      }
      this.#told.set(id, (told = next))
    }
    for (const chunk of chunks) {
      told.chunks.push(chunk)
      told.length += chunk.length
    }
    if (told.length > this.#maxLength) this.#dropOf(told)
    wakeAll(told)
  }

  end(id: string, epoch: number): void {
    const told = this.#told.get(id)
    if (told?.epoch !== epoch) return
    this.#told.delete(id)
    told.ended = true
    wakeAll(told)
  }

  async *read(id: string): AsyncGenerator<LoggedChunks, void, undefined> {
    let told = this.#told.get(id)
    let at = 0
    while (told) {
      if (told.next) {
        ;[told, at] = [told.next, 0]
        continue
      }
      if (at < told.dropped)
        throw new Error(`the beginning of this answer is not kept: it is longer than ${this.#maxLength} characters`)
      const chunks = told.chunks.slice(at - told.dropped)
      at += chunks.length
      if (chunks.length > 0) yield { epoch: told.epoch, chunks }
      else if (told.ended) return
      else await woken(told)
    }
  }

  /** Half of it goes, so that this happens seldom: those who read along are seldom further behind. */
  #dropOf(told: Told): void {
    let count = 0
    for (; told.length > this.#maxLength / 2; count++) told.length -= (told.chunks[count] as string).length
    told.chunks.splice(0, count)
    told.dropped += count
  }
}

const woken = (told: Told): Promise<void> => new Promise((resolve) => told.wake.push(resolve))

function wakeAll(told: Told): void {
  for (const wake of told.wake.splice(0)) wake()
}
