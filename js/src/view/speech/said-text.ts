// Text between the marks of Markdown → what a voice says of it: no marks that stand alone, no tags, addresses and
// pictures. It comes in pieces; where the next letter decides it waits for that, and every wait is bounded.
import { isWide } from './language.js'

const fast =
  /[^\s\\`*_~[\]<•hHwW\u200D\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\uFE0F\u20E3\uD800-\uDBFF]+/uy
const emoji = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\uFE0F\u20E3])$/u
/** Part of a word that underscores may join. */
const isPart = (letter: string): boolean => /[\p{L}\p{N}]/u.test(letter) && !isWide(letter)
/** What ends an address in running text. */
const endsAddress =
  /[\s<>"'`|\\^{}\u2018-\u201F\u3000-\u303F\uFF00-\uFFEF\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
const punctuation = /[.,;:!?)\]*_~]/
const address = /(?:https?:\/\/|www\.)/iy
const openers = ['https://', 'http://', 'www.']
/** What these mean, the next letter tells. */
const waits = new Set('*_~[')
const footnote = 24 // characters
const tag = 100

/** Where what is said goes. */
export interface Saying {
  /** `place`: of its first letter; `fixed`: all of it stands for that place. */
  say(text: string, place: number, fixed: boolean): void
  blank(place: number): void
  /** An address is passed over. */
  link(place: number): void
}

export class SaidText {
  readonly #out: Saying
  /** What is not decided yet, and where every unit of it stands. */
  #rest = ''
  #places: number[] = []
  /** The letter in front of it. */
  #last = '\n'
  /** An address is passed over: the punctuation at its end may be the sentence's. */
  #tail: string | undefined

  constructor(out: Saying) {
    this.#out = out
  }

  /** More text, which stands at `from`. */
  add(text: string, from: number): void {
    this.#rest += text
    for (let at = 0; at < text.length; at++) this.#places.push(from + at)
    this.#read(false)
  }

  /** Something other than text follows, which stands at `place`: nothing waits any longer. */
  end(place: number, last: string): void {
    this.#read(true)
    if (this.#tail !== undefined) this.#endAddress(this.#tail, place)
    this.#last = last
  }

  #read(over: boolean): void {
    let at = 0
    while (at < this.#rest.length) {
      const taken = this.#step(at, over)
      if (taken === 0) break
      at += taken
      this.#last = this.#rest[at - 1] as string
    }
    this.#rest = this.#rest.slice(at)
    this.#places = this.#places.slice(at)
  }

  /** How many characters it took; 0: that cannot be told yet. */
  #step(at: number, over: boolean): number {
    if (this.#tail !== undefined) return this.#inAddress(at, this.#tail, over)
    const rest = this.#rest
    fast.lastIndex = at
    const plain = fast.exec(rest)
    if (plain) return this.#take(plain[0], at)
    const one = rest[at] as string
    const next = rest[at + 1]
    if (next === undefined && !over && waits.has(one)) return 0
    switch (one) {
      case '\\':
      case '`':
      case ']':
        return 1
      case '*':
        return /\d/.test(this.#last) && /\d/.test(next ?? '') ? this.#take(one, at) : 1
      case '_':
        return isPart(this.#last) && isPart(next ?? '') ? this.#blank(at) : 1
      case '~':
        return next === '~' ? 2 : this.#take(one, at)
      case '•':
        return this.#last === '\n' ? 1 : this.#take(one, at)
      case '[':
        return this.#bracket(at, over)
      case '<':
        return this.#tag(at, over)
      case 'h':
      case 'H':
      case 'w':
      case 'W':
        return this.#maybeAddress(at, over)
    }
    if (/\s/.test(one)) return this.#blank(at)
    if (one === '\u200D' && /[\uDC00-\uDFFF\uFE0F\u2600-\u27BF]/.test(this.#last)) return 1 // between two pictures
    const point = rest.codePointAt(at) as number
    if (point >= 0xd800 && point <= 0xdbff) return 1 // half a character
    const letter = String.fromCodePoint(point)
    if (emoji.test(letter) && !/[©®™‼⁉〰〽㊗㊙↔-↪]/u.test(letter)) return letter.length
    return this.#take(letter, at)
  }

  /** Letters that stand one behind the other are said at once. */
  #take(text: string, at: number): number {
    for (let from = 0; from < text.length; ) {
      const place = this.#places[at + from] as number
      let to = from + 1
      while (to < text.length && this.#places[at + to] === place + to - from) to++
      this.#out.say(text.slice(from, to), place, false)
      from = to
    }
    return text.length
  }

  #blank(at: number): number {
    this.#out.blank(this.#places[at] as number)
    return 1
  }

  /** A box at the beginning of a line, and a footnote. */
  #bracket(at: number, over: boolean): number {
    const text = this.#rest.slice(at, at + footnote)
    if (this.#last === '\n') {
      const box = /^\[[ xX]\](?=\s)/.exec(text)
      if (box) return box[0].length
      if (!over && /^\[(?:[ xX]\]?)?$/.test(text)) return 0
    }
    const note = /^\[\^[^\]\n]*\]/.exec(text)
    if (note) return note[0].length
    return !over && text.length < footnote && /^\[\^[^\]\n]*$/.test(text) ? 0 : 1
  }

  #tag(at: number, over: boolean): number {
    const text = this.#rest.slice(at, at + tag + 2)
    const whole = /^<\/?[a-z][^<>\n]*>/i.exec(text)
    if (whole) return whole[0].length
    if (!over && text.length <= tag && /^<(?:\/?(?:[a-z][^<>\n]*)?)?$/i.test(text)) return 0
    return this.#take('<', at)
  }

  #maybeAddress(at: number, over: boolean): number {
    const one = this.#rest[at] as string
    if (/[\p{sc=Latin}\d]/u.test(this.#last)) return this.#take(one, at)
    const rest = this.#rest.slice(at, at + 8).toLowerCase()
    if (!over && openers.some((opener) => opener.length > rest.length && opener.startsWith(rest))) return 0
    address.lastIndex = at
    const found = address.exec(this.#rest)
    if (!found) return this.#take(one, at)
    this.#out.link(this.#places[at] as number)
    this.#tail = ''
    return found[0].length
  }

  /** To its end. Punctuation at the end is the sentence's. */
  #inAddress(at: number, tail: string, over: boolean): number {
    const letter = String.fromCodePoint(this.#rest.codePointAt(at) as number)
    if (!endsAddress.test(letter)) {
      this.#tail = punctuation.test(letter) && tail.length < 20 ? tail + letter : ''
      return letter.length
    }
    this.#endAddress(tail, this.#places[at] as number)
    return this.#step(at, over)
  }

  #endAddress(tail: string, end: number): void {
    this.#tail = undefined
    const said = tail.replace(/[*_~\])]/g, '')
    if (said !== '') this.#out.say(said, end - tail.length, true)
  }
}
