// The cues of a segment that is being heard: each fires when its words come.
import { durationOf } from './language.js'
import type { SpeechCue, SpeechSegment } from './segmenter.js'
import type { SpeechClock } from './voice.js'

export class CueTrack {
  readonly #segment: SpeechSegment
  readonly #fire: (cue: SpeechCue) => void
  readonly #clock: SpeechClock
  #next = 0
  #timer: unknown
  #position: (() => number) | undefined
  #duration = 0

  constructor(segment: SpeechSegment, clock: SpeechClock, fire: (cue: SpeechCue) => void) {
    this.#segment = segment
    this.#clock = clock
    this.#fire = fire
  }

  /** By time: `position` milliseconds of `duration` were heard. Without a duration, by the usual rate. */
  by(position: () => number, duration?: number): void {
    this.#position = position
    this.#duration = duration ?? durationOf(this.#segment.text)
    this.#tick()
  }

  /** The voice is at this character. */
  reach(at: number): void {
    const { cues } = this.#segment
    while (this.#next < cues.length && (cues[this.#next] as SpeechCue).at <= at)
      this.#fire(cues[this.#next++] as SpeechCue)
  }

  /** The segment is over: all that is left. */
  end(): void {
    this.stop()
    this.reach(Infinity)
  }

  /** Nothing fires by time any more. */
  stop(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#position = undefined
  }

  /** Those that did not fire. */
  get left(): SpeechCue[] {
    return this.#segment.cues.slice(this.#next)
  }

  #tick(): void {
    this.#clock.clearTimeout(this.#timer)
    const { cues, text } = this.#segment
    const total = durationOf(text)
    while (this.#position && this.#next < cues.length) {
      const cue = cues[this.#next] as SpeechCue
      const due = total > 0 ? (durationOf(text.slice(0, cue.at)) / total) * this.#duration : 0
      const rest = due - this.#position()
      if (rest > 1) {
        this.#timer = this.#clock.setTimeout(() => this.#tick(), Math.min(rest, 200)) // a voice may be held meanwhile
        return
      }
      this.#next++
      this.#fire(cue)
    }
  }
}
