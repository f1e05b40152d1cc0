// The mouth of a pet without a voice: a syllable for every one that was written, so that it stands still where the text
// does.
import { closed, vowelOf, vowels, type MouthShape } from '../speech/vowels.js'

/** How many it says in a second. */
const RATE = 6
/** It is never further behind than this many: text comes faster than anybody speaks. */
const MOST = 8

const all = Object.values(vowels)

/** What is to be said, and when. */
export class Syllables {
  #waiting: MouthShape[] = []
  #begun = 0

  write(text: string, now: number): void {
    if (this.#waiting.length === 0) this.#begun = now
    for (const letter of text.slice(-4 * MOST)) {
      const vowel = vowelOf(letter)
      const shape = vowel
        ? vowels[vowel]
        : /[\p{L}\p{N}]/u.test(letter) && !/\p{Script=Latin}/u.test(letter)
          ? all[letter.charCodeAt(0) % all.length]
          : undefined
      if (shape && this.#waiting.length < MOST) this.#waiting.push(shape)
    }
  }

  /** Nothing is said any more. */
  stop(): void {
    this.#waiting = []
  }

  /** The mouth at this time. */
  at(now: number): MouthShape {
    const said = Math.floor(((now - this.#begun) / 1000) * RATE)
    if (said > 0) {
      this.#waiting.splice(0, said)
      this.#begun += (said / RATE) * 1000
    }
    const [shape] = this.#waiting
    if (!shape) return closed
    const through = Math.min(1, Math.max(0, ((now - this.#begun) / 1000) * RATE))
    return { open: shape.open * Math.sin(Math.PI * (0.15 + 0.7 * through)), form: shape.form }
  }
}
