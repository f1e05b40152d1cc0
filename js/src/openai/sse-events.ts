// Server-sent events, cut out of a stream as they stand: what is not changed goes on byte by byte.

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
  #held: Uint8Array[] = [] // of the event that is not complete yet
  #size = 0
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
        if (from === at && this.#size === 0) from = at + 1 // the event before it went out with the CR
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
    if (this.#size > 0) this.#held.push(new Uint8Array([LF, LF]))
    this.#size += this.#size > 0 ? 2 : 0
    return this.#complete()
  }

  #complete(): SseEvent[] {
    const bytes = joined(this.#held, this.#size)
    this.#held = []
    this.#size = 0
    this.#blank = true
    const { text, broken } = decoded(bytes)
    const lines = text.split(/\r\n|\r|\n/)
    if (lines.every((line) => line === '')) return []
    const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(line[5] === ' ' ? 6 : 5)] : []))
    return [{ bytes, data: data.length > 0 ? data.join('\n') : undefined, broken }]
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#size += bytes.length
    if (this.#size > this.#most) throw new RangeError(`an event of its stream is larger than ${this.#most} bytes`)
    this.#held.push(bytes)
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

/** Pieces in one. */
export function joined(pieces: readonly Uint8Array[], size = pieces.reduce((sum, { length }) => sum + length, 0)): Uint8Array<ArrayBuffer> {
  if (pieces.length === 1) return pieces[0] as Uint8Array<ArrayBuffer>
  const all = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
