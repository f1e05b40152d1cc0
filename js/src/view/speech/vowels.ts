// The five mouths: what a vowel looks like, and how a mouth gets from one to the next.
import { Smooth } from './lips.js'

/** A vowel that a mouth shows. */
export type Vowel = 'a' | 'e' | 'i' | 'o' | 'u'

/** From a place in a sound on the mouth shows this. */
export interface Viseme {
  /** From the beginning of the segment's sound, in milliseconds. */
  at: number
  /** null: the mouth is closed. */
  vowel: Vowel | null
}

/** How far open a mouth is, and how wide (1) or round (-1). */
export interface MouthShape {
  /** 0 is closed, 1 wide open. */
  open: number
  /** From -1 to 1. */
  form: number
}

export const closed: MouthShape = { open: 0, form: 0 }
export const vowels: { readonly [vowel in Vowel]: MouthShape } = {
  a: { open: 0.9, form: 0.1 },
  e: { open: 0.55, form: 0.6 },
  i: { open: 0.35, form: 1 },
  o: { open: 0.7, form: -0.7 },
  u: { open: 0.4, form: -1 },
}

const marks: { readonly [letter: string]: Vowel } = { ä: 'e', ö: 'o', ü: 'u', y: 'i' }

/** The vowel that a letter of an alphabet is, if it is one. */
export function vowelOf(letter: string): Vowel | undefined {
  const small = letter.toLowerCase()
  const plain = marks[small] ?? small.normalize('NFD')[0] ?? ''
  return Object.hasOwn(vowels, plain) ? (plain as Vowel) : undefined
}

/** The mark that counts at this place; undefined: in front of the first one. They are in the order of their places. */
export function visemeAt(visemes: readonly Viseme[], position: number): Viseme | undefined {
  let [low, high] = [0, visemes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((visemes[middle] as Viseme).at <= position) low = middle + 1
    else high = middle
  }
  return visemes[low - 1]
}

/** A mouth that moves from shape to shape without a jerk. */
export class Lips {
  readonly #open = new Smooth()
  readonly #form = new Smooth()

  next({ open, form }: MouthShape, now: number): MouthShape {
    return { open: this.#open.next(open, now), form: this.#form.next(form, now) }
  }
}
