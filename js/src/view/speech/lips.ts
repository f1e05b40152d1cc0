// How far the mouth is open: by the loudness of what is heard, or, where a voice gives no sound, by the letters that it
// is at.
import { durationOf, isWide } from './language.js'

/** Quieter is silence, louder is wide open: root mean square of samples from -1 to 1. */
const QUIET = 0.01
const LOUD = 0.2
const SMOOTH_MS = 60

/** How far the mouth is open at this loudness, from 0 to 1. */
export const openAt = (rms: number): number => Math.min(1, Math.max(0, (rms - QUIET) / (LOUD - QUIET)))

export function rmsOf(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return samples.length > 0 ? Math.sqrt(sum / samples.length) : 0
}

/** Follows a level without trembling. */
export class Smooth {
  #value = 0
  #at: number | undefined

  next(value: number, now: number): number {
    const passed = this.#at === undefined ? Infinity : Math.max(0, now - this.#at)
    this.#at = now
    this.#value += (value - this.#value) * (1 - Math.exp(-passed / SMOOTH_MS))
    if (Math.abs(this.#value) < 0.001) this.#value = 0
    return this.#value
  }
}

/** The mouth of a voice without samples. It opens once per syllable, and is closed in pauses and behind the end. */
export class SyllableClock {
  readonly #text: string
  #at = 0
  #since: number

  constructor(text: string, now: number) {
    this.#text = text
    this.#since = now
  }

  /** The voice begins a word here. */
  boundary(at: number, now: number): void {
    this.#at = at
    this.#since = now
  }

  /** Where in the text the voice is, as far as one can tell; never further than the word behind the next. */
  place(now: number): number {
    const end = wordEnd(this.#text, this.#at)
    const passed = now - this.#since
    let place = this.#at
    for (let time = 0; place < end; place++) {
      time += durationOf(this.#text[place] as string)
      if (time > passed)
        return place + Math.min(1, Math.max(0, 1 - (time - passed) / durationOf(this.#text[place] as string)))
    }
    return place
  }

  /** The letter that it is at; empty behind the end. */
  letter(now: number): string {
    return this.#text[Math.floor(this.place(now))] ?? ''
  }

  open(now: number): number {
    const place = this.place(now)
    const letter = this.#text[Math.floor(place)] ?? ''
    if (isWide(letter)) return /\p{L}/u.test(letter) ? 0.3 + 0.6 * Math.sin(Math.PI * (place % 1)) : 0
    if (/[aeiouyäöüáéíóúàèìòùâêîôû\d]/i.test(letter)) return 0.8
    return /\p{L}/u.test(letter) ? 0.25 : 0
  }
}

/** Behind the two words that begin at `at`: a voice tells of each, and where it does not, the text is one long word. */
function wordEnd(text: string, at: number): number {
  const words = /^\s*\S+\s*\S*/u.exec(text.slice(at, at + 400))
  return at + (words?.[0].length ?? 0)
}
