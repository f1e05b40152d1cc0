// A message while it is written: its answer in pieces, also where only time ends one.
import { isCommentary } from '../../app/bridge/commentary.js'
import { Reading } from './reading.js'
import { isSaid, speechSegmenter, type SpeechSegment, type SegmentOptions, type Segmenter } from './segmenter.js'
import { patienceMs, quietMs } from './sentences.js'
import type { SpokenMessage } from './speaker-options.js'
import type { SpeechClock } from './voice.js'

export interface FollowedEvents {
  pieces(segments: readonly SpeechSegment[]): void
  /** The text of these blocks is not to be said any more. */
  withdrawn(blocks: readonly number[]): void
  /** A person had the model go on with an answer that was over. */
  goesOn(): void
  /** All of it was read. It is still looked at: it may go on. */
  ended(): void
  cancelled(): void
}

export class Followed {
  readonly message: SpokenMessage
  readonly #clock: SpeechClock
  readonly #options: SegmentOptions | undefined
  readonly #on: FollowedEvents
  readonly #reading = new Reading()
  readonly #segments: Segmenter
  #unsubscribe: (() => void) | undefined
  #left = false
  #writing = true
  #firstAt: number | undefined
  #lastAt = 0
  #timer: unknown
  /** How long its texts were when it was over and went on: the pieces behind that begin there. */
  #before: ReadonlyMap<number, number> = new Map()

  constructor(message: SpokenMessage, clock: SpeechClock, options: SegmentOptions | undefined, on: FollowedEvents) {
    this.message = message
    this.#clock = clock
    this.#options = options
    this.#on = on
    this.#segments = speechSegmenter(options)
  }

  /** More of it may come. */
  get writing(): boolean {
    return this.#writing
  }

  begin(): void {
    this.#unsubscribe = this.message.subscribe(() => this.#read())
    this.#read()
  }

  /** Nothing of it comes any more. */
  leave(): void {
    this.#left = true
    this.#writing = false
    this.#clock.clearTimeout(this.#timer)
    this.#unsubscribe?.()
  }

  #read(): void {
    if (this.#left) return this.#unsubscribe?.()
    const view = this.message.getSnapshot()
    if (!this.#writing && view.outcome === undefined) this.#goOn()
    for (const delta of this.#reading.next(view)) {
      this.#give(this.#segments.push(delta))
      if (this.#left) return // somebody who heard of a piece stopped it
      if (delta.type === 'retracted') this.#on.withdrawn(delta.blocks)
      else if (delta.type === 'text' && isSaid(delta, this.#options)) this.#came()
      else if (delta.type === 'text' && isCommentary(delta) && !this.#options?.commentary)
        this.#on.withdrawn([delta.block])
      if (this.#left) return
    }
    if (this.#left) return
    if (view.outcome === 'cancelled') this.#on.cancelled()
    else if (view.outcome !== undefined && this.#writing) this.#end()
  }

  #goOn(): void {
    this.#writing = true
    this.#firstAt = undefined
    this.#before = this.#reading.again()
    this.#on.goesOn()
  }

  #end(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#writing = false
    this.#give(this.#segments.end())
    if (!this.#left) this.#on.ended()
  }

  #came(): void {
    this.#lastAt = this.#clock.now()
    this.#firstAt ??= this.#lastAt
    this.#wait()
  }

  /** A pause ends a sentence, and a first one may begin without any mark. */
  #wait(): void {
    this.#clock.clearTimeout(this.#timer)
    const now = this.#clock.now()
    const [quiet, since] = [now - this.#lastAt, now - (this.#firstAt ?? now)]
    this.#give(this.#segments.wait(quiet, since))
    const next = [quietMs - quiet, patienceMs - since].filter((ms) => ms > 0)
    if (next.length > 0 && !this.#left) this.#timer = this.#clock.setTimeout(() => this.#wait(), Math.min(...next))
  }

  #give(segments: readonly SpeechSegment[]): void {
    if (segments.length === 0) return
    this.#on.pieces(
      segments.map((segment) => {
        const before = this.#before.get(segment.block) ?? 0
        return before === 0 ? segment : { ...segment, from: segment.from + before, to: segment.to + before }
      }),
    )
  }
}
