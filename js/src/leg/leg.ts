// A leg while it runs: what it tells for any number of readers, and the run behind it.
import type { ApprovalEvent } from '../core/events.js'
import { onAbort } from '../core/on-abort.js'
import type { Run } from '../core/run.js'

const KEEP_ALIVE = ': keep-alive\n\n'
const encoder = new TextEncoder()

/** How a protocol writes its stream of server-sent events. */
export interface Framing {
  /** Beside those that every such stream has. */
  headers: { readonly [name: string]: string }
  /** Behind everything. */
  last: string
}

interface LegParts<Chunk> {
  messageId: string
  run: Run
  framing: Framing
  start: Chunk
  before: readonly Chunk[]
  onAbandoned: () => void
}

export class Leg<Chunk> {
  /** The message that it writes. */
  readonly messageId: string
  readonly run: Run
  /** Resolves when it was saved and its last chunk is there. */
  readonly over: Promise<void>
  /** The questions that wait, by the names that the client knows. */
  readonly questions = new Map<string, ApprovalEvent>()
  readonly #framing: Framing
  readonly #start: Chunk
  /** What the legs before told of the message. */
  readonly #before: readonly Chunk[]
  readonly #chunks: Chunk[] = []
  readonly #onAbandoned: () => void
  #readers = 0
  #ended = false
  #wake: (() => void)[] = []
  #settle!: () => void

  constructor({ messageId, run, framing, start, before, onAbandoned }: LegParts<Chunk>) {
    this.messageId = messageId
    this.run = run
    this.#framing = framing
    this.#start = start
    this.#before = before
    this.#onAbandoned = onAbandoned
    this.over = new Promise((resolve) => (this.#settle = resolve))
  }

  /** Somebody reads it. */
  get isRead(): boolean {
    return this.#readers > 0
  }

  append(...chunks: readonly Chunk[]): void {
    for (const chunk of chunks) this.#chunks.push(chunk)
    if (chunks.length > 0) this.#wakeAll()
  }

  end(): void {
    this.#ended = true
    this.#wakeAll()
    this.#settle()
  }

  /**
   * The chunks as server-sent events. `whole`: for a client that has nothing of the message, or as much as it has. The run is abandoned when the last
   * reader goes: it cancels the stream, or aborts `signal`, the one of its request.
   */
  response(whole: boolean, keepAliveMs: number, signal: AbortSignal): Response {
    const said = whole ? [this.#start, ...this.#before] : [this.#start]
    let next = 0
    let gone = false
    this.#readers++
    const leave = (): void => {
      if (gone) return
      gone = true
      forget()
      this.#readers--
      this.#wakeAll()
      if (this.#readers === 0 && !this.#ended) this.#onAbandoned()
    }
    let forget = (): void => {}
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(eventsOf(said))
        forget = onAbort(signal, () => {
          leave()
          controller.error(signal.reason)
        })
      },
      pull: async (controller) => {
        if (next === this.#chunks.length && !this.#ended && !(await this.#more(keepAliveMs))) return controller.enqueue(encoder.encode(KEEP_ALIVE))
        if (gone) return
        if (next < this.#chunks.length) controller.enqueue(eventsOf(this.#chunks.slice(next)))
        next = this.#chunks.length
        if (!this.#ended) return
        if (this.#framing.last !== '') controller.enqueue(encoder.encode(this.#framing.last))
        controller.close()
        leave()
      },
      cancel: leave,
    })
    return new Response(body, { headers: headersOf(this.#framing) })
  }

  /** Resolves to false where nothing came for so long. */
  #more(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms)
      this.#wake.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }

  #wakeAll(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

/** What was said already, as such a stream. */
export const streamOf = (chunks: readonly unknown[], framing: Framing): Response => new Response(textOf(chunks) + framing.last, { headers: headersOf(framing) })

const headersOf = ({ headers }: Framing): { [name: string]: string } => ({
  'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'x-accel-buffering': 'no', ...headers,
})

const textOf = (chunks: readonly unknown[]): string => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
const eventsOf = (chunks: readonly unknown[]): Uint8Array => encoder.encode(textOf(chunks))
