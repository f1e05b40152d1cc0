// What a speaker needs of a voice.
import type { SpeechSegment } from './segmenter.js'
import type { Viseme } from './vowels.js'

/** Says one segment after the other. */
export interface Voice {
  /**
   * A promise: the voice plays the segment itself, and is through when it settles. Pieces: they are played by the
   * speaker, as one audio file that the browser can read (WAV, MP3, Ogg, …) or as sounds one after the other. The next
   * ones are asked for while one is heard. `signal`: it is not wanted any more. What rejects is passed over.
   */
  speak(segment: SpeechSegment, signal: AbortSignal): Promise<void> | AsyncIterable<Uint8Array | AudioBuffer>
  /**
   * The speaker sets it. A voice that plays by itself calls it where a word begins: `at` counts the characters of the
   * segment's `text`.
   */
  onBoundary?: (segment: SpeechSegment, at: number) => void
  /**
   * The shapes of the mouth while a segment is heard, in the order of their places; undefined: it does not know. Asked
   * again and again: it may know more while the sound comes. Without it the mouth follows the loudness, or the letters.
   */
  visemes?(segment: SpeechSegment): readonly Viseme[] | undefined
  /** Why it cannot speak now; absent: it can. */
  readonly silent?: string | undefined
  /** Called when `silent` changed. Returns what ends that. */
  subscribe?(listener: () => void): () => void
  /** Of a voice that plays by itself: holds it, until `resume`. */
  pause?(): void
  /** Called to go on after a pause. */
  resume?(): void
}

/** What tells the time, for tests. */
export interface SpeechClock {
  /** The time, in milliseconds. */
  now(): number
  /** As the global one. */
  setTimeout(run: () => void, milliseconds: number): unknown
  /** As the global one. */
  clearTimeout(timer: unknown): void
}

export const realClock: SpeechClock = {
  now: () => performance.now(),
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as number),
}
