// The body of an answer, piece by piece, with its times.
import { Gathered } from '../../engine/core/bytes.js'
import { messageOf } from '../../engine/core/errors.js'
import { AnswerFault } from './openai-errors.js'
import type { AnswerTimes } from './openai-options.js'

/** The most that is held of one answer: an event of a stream, or a whole body. */
export const MOST_BYTES = 32 * 1024 * 1024

export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #times: AnswerTimes
  #begun = false

  constructor(body: ReadableStream<Uint8Array>, times: AnswerTimes) {
    this.#reader = body.getReader()
    this.#times = times
  }

  /**
   * The next bytes; undefined at the end. `patience`: milliseconds after which silence is the end.
   * @throws AnswerFault where the connection broke or the server says nothing any more.
   */
  async next(patience?: number): Promise<Uint8Array | undefined> {
    const limit = this.#begun ? this.#times.idleTimeoutMs : this.#times.firstByteTimeoutMs
    const wait = patience ?? limit
    let timer: ReturnType<typeof setTimeout> | undefined
    const silence = new Promise<'silence'>((resolve) => {
      if (wait > 0) timer = setTimeout(() => resolve('silence'), wait)
    })
    try {
      const read = await Promise.race([this.#reader.read(), silence])
      if (read !== 'silence') {
        this.#begun = true
        return read.done ? undefined : read.value
      }
    } catch (error) {
      throw new AnswerFault('network', `the connection to the model's server broke: ${messageOf(error)}`)
    } finally {
      clearTimeout(timer)
    }
    this.cancel()
    if (patience !== undefined) return undefined
    throw new AnswerFault(
      this.#begun ? 'idle_timeout' : 'first_byte_timeout',
      `the model's server sent nothing for ${wait} ms`,
    )
  }

  /** All of it. Throws AnswerFault, `oversize` where it is too much. */
  async all(): Promise<Uint8Array<ArrayBuffer>> {
    const all = new Gathered()
    for (let piece = await this.next(); piece !== undefined; piece = await this.next()) {
      if (all.size + piece.length > MOST_BYTES) {
        this.cancel()
        throw new AnswerFault('oversize', `the answer of the model's server is larger than ${MOST_BYTES} bytes`)
      }
      all.add(piece)
    }
    return all.take()
  }

  /** Stops reading, and the server's sending. */
  cancel(reason?: unknown): void {
    this.#reader.cancel(reason).catch(() => {})
  }
}
