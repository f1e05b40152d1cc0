// A leg while it runs: the run, its questions, and what it tells, which goes through the log to whoever reads.
import type { ApprovalDuration } from '../../engine/core/approvals.js'
import type { ApprovalEvent } from '../../engine/core/events.js'
import { atMost, STORE_MS } from '../../engine/core/not-saved.js'
import type { Run } from '../../engine/core/run.js'
import { CLIENT_RUNS_IT } from './client-tools.js'
import { decide, NOT_WAITING, type Decision } from './decision.js'
import { eventStream, opened, type Framing, type Opened } from './event-stream.js'
import type { StreamLog } from './stream-log.js'

interface LegParts<Chunk> {
  id: string
  /** Higher than those of the legs before. */
  logNumber: Promise<number>
  log: StreamLog
  messageId: string
  run: Run
  framing: Framing
  /** Milliseconds of silence after which a comment keeps a connection alive. */
  keepAliveMs: number
  start: Chunk
  /** What the legs before told of the message. */
  before: readonly Chunk[]
  /** Nobody reads it any more. */
  onAbandoned: () => void
}

export class Leg<Chunk> {
  /** The message that it writes. */
  readonly messageId: string
  readonly run: Run
  /** Its run has ended, and is being saved: a decision comes too late for it. */
  isEnding = false
  /** Resolves when it was saved and its last chunk is there. */
  readonly over: Promise<void>
  /** The questions that wait, by the names that the client knows. */
  readonly questions = new Map<string, ApprovalEvent>()
  readonly #parts: LegParts<Chunk>
  /** The log is read before anything ends: for the request that began the leg. */
  readonly #begun: Promise<Opened | null>
  /** The same, until that request takes it. */
  #first: Promise<Opened | null> | undefined
  /** The log has everything that was told so far. */
  #logged: Promise<void> = Promise.resolve()
  /** What goes into the log next. */
  #next: string[] = []
  /** Aborted where the log failed: nobody can read what follows. */
  readonly #lost = new AbortController()
  #readers = 0
  #ended = false
  #settle!: () => void

  constructor(parts: LegParts<Chunk>) {
    this.#parts = parts
    this.messageId = parts.messageId
    this.run = parts.run
    this.run.hosted = true
    // The client would send the part of such a question, or call, back as a call of the model.
    this.run.refusesNested = ({ type }) =>
      type === 'approval' ? 'no_approver: nobody can be asked about a call of a tool here' : CLIENT_RUNS_IT
    this.over = new Promise((resolve) => (this.#settle = resolve))
    this.append(parts.start, ...parts.before)
    this.#first = this.#begun = this.#open()
    this.#begun.catch(() => {}) // end() looks at it too
  }

  get isRead(): boolean {
    return this.#readers > 0
  }

  /** @returns what is wrong with the decision, if anything: then nothing was decided. */
  decide(name: string, decision: Decision | undefined, most: ApprovalDuration): string | undefined {
    const event = this.questions.get(name)
    const fault = event && decision ? decide(this.run, event, decision, most) : NOT_WAITING
    if (fault === undefined) this.questions.delete(name)
    return fault
  }

  /** Resolves when the log has given this leg its number. Also where that failed, or took longer than STORE_MS. */
  async begun(): Promise<void> {
    await atMost(
      STORE_MS,
      this.#parts.logNumber.catch(() => {}),
    )
  }

  /** Chunks that come while the log is busy go into it together. */
  append(...chunks: readonly Chunk[]): void {
    const { log, id, logNumber } = this.#parts
    if (this.#next.push(...chunks.map((chunk) => JSON.stringify(chunk))) > chunks.length || chunks.length === 0) return
    this.#logged = this.#logged
      .then(async () => log.append(id, await logNumber, this.#next.splice(0)))
      .catch((error: unknown) => this.#lost.abort(error))
  }

  async end(): Promise<void> {
    const { log, id, logNumber } = this.#parts
    this.#ended = true
    try {
      await this.#begun.finally(async () => {
        await this.#logged
        await log.end(id, await logNumber)
      })
    } catch (error) {
      this.#lost.abort(error)
    }
    this.#settle()
  }

  /**
   * The chunks as server-sent events. `whole`: for a client that has nothing of the message, or as much as it has. The
   * run is abandoned when the last reader goes: it cancels the stream, or aborts `signal`, the one of its request. Null
   * where the leg is over. Rejects where the log failed.
   */
  async response(whole: boolean, signal: AbortSignal): Promise<Response | null> {
    const { before, framing, keepAliveMs } = this.#parts
    const first = this.#first ?? this.#open()
    this.#first = undefined
    this.#readers++
    const onLeave = (): void => {
      this.#readers--
      if (this.#readers === 0 && !this.#ended) this.#parts.onAbandoned()
    }
    try {
      const open = await first
      if (open)
        return eventStream(open, {
          framing,
          keepAliveMs,
          signals: [signal, this.#lost.signal],
          known: whole ? 0 : before.length,
          onLeave,
        })
    } catch (error) {
      onLeave()
      throw error
    }
    onLeave()
    return null
  }

  async #open(): Promise<Opened | null> {
    await this.#logged
    this.#lost.signal.throwIfAborted()
    return await opened(this.#parts.log.read(this.#parts.id))
  }
}
