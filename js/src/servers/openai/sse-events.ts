// Server-sent events, cut out of a stream as they stand: what is not changed goes on byte by byte.
import { Gathered } from '../../engine/core/bytes.js'

/** One event with its blank line, or a comment. */
export interface SseEvent {
  /** As the server wrote it. */
  bytes: Uint8Array
  /** Its `data` lines; undefined where it has none. */
  data: string | undefined
  /** Some of its bytes were no UTF-8: the text has U+FFFD there. */
  broken: boolean
}

const LF = 10
const CR = 13

export class SseEvents {
  readonly #most: number
  readonly #held = new Gathered() // of the event that is not complete yet
  #blank = true // nothing stands in this line yet
  #afterCr = false

  /** @param most bytes of one event */
  constructor(most: number) {
    this.#most = most
  }

  /** The events that are complete with these bytes. Throws RangeError where one is larger than it may be. */
  feed(bytes: Uint8Array): SseEvent[] {
    const events: SseEvent[] = []
    let from = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      const second = byte === LF && this.#afterCr // CR LF is one end of a line
      this.#afterCr = byte === CR
      if (second) {
        if (from === at && this.#held.size === 0) from = at + 1 // the event before it went out with the CR
        continue
      }
      if (byte !== LF && byte !== CR) {
        this.#blank = false
      } else if (this.#blank) {
        this.#hold(bytes.subarray(from, at + 1))
        from = at + 1
        events.push(...this.#complete())
      } else {
        this.#blank = true
      }
    }
    this.#hold(bytes.subarray(from))
    return events
  }

  /** The stream has ended: what stands there is an event, also without its blank line. */
  end(): SseEvent[] {
    if (this.#held.size > 0) this.#held.add(new Uint8Array([LF, LF]))
    return this.#complete()
  }

  #complete(): SseEvent[] {
    const bytes = this.#held.take()
    this.#blank = true
    const { text, broken } = decoded(bytes)
    const lines = text.split(/\r\n|\r|\n/)
    if (lines.every((line) => line === '')) return []
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(line[5] === ' ' ? 6 : 5)] : []))
    return [{ bytes, data: data.length > 0 ? data.join('\n') : undefined, broken }]
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    if (this.#held.size + bytes.length > this.#most)
      throw new RangeError(`an event of its stream is larger than ${this.#most} bytes`)
    this.#held.add(bytes)
  }
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** Bytes as text. `broken`: some of them are no UTF-8. */
export function decoded(bytes: Uint8Array): { text: string; broken: boolean } {
  try {
    return { text: strict.decode(bytes), broken: false }
  } catch {
    return { text: new TextDecoder().decode(bytes), broken: true }
  }
}
