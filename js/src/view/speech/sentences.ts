// Where what is said may be cut: behind sentences, joined where they are short, at a comma where they are long. A cut
// is made as soon as the letters in front of it and one behind it are known, so that it does not matter in which pieces
// they came.
//
// Not by Intl.Segmenter: it looks any distance ahead ("etc. 123 (b" waits for a letter), cuts behind "Dr.", leaves an
// opening bracket with the sentence before, and does not know `～ …… ；`. Which marks end a sentence is Unicode's
// Sentence_Terminal, as it is there.
import { goesOn } from '../../app/bridge/abbreviations.js'
import { isWide, weight, weightOf } from './language.js'

const ends = /[\p{Sentence_Terminal}…⋯～〜；]/u
const closes = /[)\]}」』）】》〉〕”’"'»]/
const opens = /[([{「『（【《〈〔“«]/
const soft = /[,，、:：;；–—،؛]/
// Tenths of a syllable.
const shortest = 80
const longest = 1200
/** For the first segment: a voice should begin soon. */
const firstShortest = 40
const firstWithoutMark = 120
/** Nothing comes for so long: the sentence is over. */
export const quietMs = 200
/** So long after the first letter a segment begins without any mark. */
export const patienceMs = 400

export class Sentences {
  /** What is said and not cut off yet. */
  #text = ''
  #at = 0
  #weight = 0
  #depth = 0
  #quoted = false
  /** A mark that ends a sentence, the next letter permitting: behind it and what closes there. */
  #end = 0
  /** Behind the last soft mark, and the last blank. */
  #soft = 0
  #space = 0
  #first = true

  /** Nothing but blanks is left. */
  get empty(): boolean {
    return this.#text.trim() === ''
  }

  add(text: string): void {
    this.#text += text
  }

  /** The next piece, cut off; empty: there is none yet. */
  next(): string {
    for (
      ;
      this.#at < this.#text.length;
      this.#at += String.fromCodePoint(this.#text.codePointAt(this.#at) as number).length
    ) {
      const cut = this.#read(String.fromCodePoint(this.#text.codePointAt(this.#at) as number))
      if (cut > 0) return this.#cut(cut)
    }
    return ''
  }

  /** The same where nothing came for `quiet` milliseconds, and the first letter `since` milliseconds ago. */
  wait(quiet: number, since: number): string {
    if (quiet >= quietMs && this.#end > 0 && this.#depth === 0 && this.#isEnd(undefined) && this.#isLong(this.#end))
      return this.#cut(this.#end)
    if (!this.#first || since < patienceMs || this.#weight < firstWithoutMark) return ''
    const words = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(this.#text)]
    const at = words.at(-1)?.index ?? 0 // the last word may go on
    return weight(this.#text.slice(0, at)) >= firstWithoutMark ? this.#cut(at) : ''
  }

  /** All that is left. */
  rest(): string {
    return this.#cut(this.#text.length)
  }

  #cut(length: number): string {
    const piece = this.#text.slice(0, length)
    this.#text = this.#text.slice(length)
    if (length > 0) this.#first = false
    this.#again()
    return piece
  }

  #again(): void {
    this.#at = this.#weight = this.#depth = this.#end = this.#soft = this.#space = 0
    this.#quoted = false
  }

  #read(letter: string): number {
    const at = this.#at
    const before = at > 0 ? (this.#text[at - 1] as string) : ''
    if (this.#end > 0 && !/\s/.test(letter)) {
      if (this.#end === at && before !== '\n' && (ends.test(letter) || this.#isClosing(letter))) {
        this.#count(letter)
        this.#end = at + letter.length
        return this.#full(at)
      }
      const end = this.#end
      const is = this.#depth === 0 && this.#isEnd(letter) && this.#isLong(end)
      this.#end = 0
      if (is) return end
    }
    if (letter === '\n') {
      this.#depth = 0
      this.#quoted = false
      this.#end = at + 1
    }
    if (soft.test(before) && !(/\d/.test(letter) && /\d/.test(this.#text[at - 2] ?? ''))) {
      this.#soft = at
      if (this.#first && this.#depth === 0 && weight(this.#text.slice(0, at)) >= firstShortest) return at
    }
    if (/\s/.test(before)) this.#space = at
    this.#count(letter)
    if (ends.test(letter)) this.#end = at + letter.length
    return this.#full(at)
  }

  #count(letter: string): void {
    this.#weight += weightOf(letter)
    if (opens.test(letter)) this.#depth++
    else if (closes.test(letter) && letter !== '"' && letter !== "'" && letter !== '’' && this.#depth > 0) this.#depth--
    if (letter === '"') this.#quoted = !this.#quoted
  }

  #isClosing(letter: string): boolean {
    return closes.test(letter) && (letter !== '"' || this.#quoted)
  }

  /** It grew too long: cut in front of this letter or earlier, at the best place there is. */
  #full(at: number): number {
    if (this.#weight <= longest) return 0
    if (this.#soft > 0 && this.#isLong(this.#soft)) return this.#soft
    if (this.#space > 0 && this.#isLong(this.#space)) return this.#space
    return at
  }

  #isLong(length: number): boolean {
    return weight(this.#text.slice(0, length).trim()) >= (this.#first ? firstShortest : shortest)
  }

  /** Does the mark in front of `#end` end a sentence, with this letter behind it? */
  #isEnd(next: string | undefined): boolean {
    const whole = this.#text.slice(0, this.#end)
    if (whole.endsWith('\n')) return true
    const mark = whole.replace(/[)\]}」』）】》〉〕”’"'»]+$/, '')
    const closed = mark.length < whole.length
    const last = mark.at(-1) as string
    // no blank between
    const inWord = next !== undefined && this.#at === this.#end && /[\p{L}\p{N}]/u.test(next) && !isWide(next)
    if (closed && next !== undefined && /\p{sc=Hiragana}/u.test(next)) return false // 「…。」と言った
    // but not where nothing begins with a capital letter
    const small = next !== undefined && /\p{Ll}/u.test(next) && /\p{Lu}/u.test(whole)
    if (/[～〜…⋯]/.test(last)) return !(inWord && /\d/.test(mark.at(-2) ?? '') && /\d/.test(next))
    if (closed && small) return false // "Really?" she said
    if (last !== '.') return true
    if (inWord || small) return false // 3.14, node.js, 3 p.m. on
    return mark.at(-2) === '.' || !goesOn(/[\p{L}.]*$/u.exec(mark.slice(0, -1))?.[0] ?? '')
  }
}
