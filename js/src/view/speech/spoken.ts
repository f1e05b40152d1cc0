// Markdown as it comes in → what a voice says of it, with the place of every letter. What it says depends on the text
// alone, never on how the text was cut: where more text could change what a mark means, the mark waits, and every wait
// is bounded. No character is looked at again with every piece but those of a mark that waits.
import { Closing, type Closes } from './closing.js'
import { isWide } from './language.js'

const fast =
  /[^\s\\`$*_~[\]!<hHwW\u200D\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\uFE0F\u20E3\uD800-\uDBFF]+/uy
const emoji = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\uFE0F\u20E3])$/u
/** Part of a word that underscores may join. */
const isPart = (letter: string): boolean => /[\p{L}\p{N}]/u.test(letter) && !isWide(letter)
/** What ends an address in running text. */
const endsAddress =
  /[\s<>"'`|\\^{}\u2018-\u201F\u3000-\u303F\uFF00-\uFFEF\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u
const punctuation = /[.,;:!?)\]*_~]/
const address = /(?:https?:\/\/|www\.)/iy
const openers = ['https://', 'http://', 'www.']
/** The beginning of a line that may yet become something else. */
const undecided =
  /^(?:\d{1,9}|#{1,6}|`{1,2}|~{1,2}|\$|\\|[-*_][-*_ \t]*|(?:```|~~~)[^\n]*|(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+(?:\[[ xX]?\]?)?)?)$/
/** What these marks mean, the next letter tells. */
const waits = new Set('\\$*_~[]!')
/** How much of a line is looked at for that. */
const head = 200
const code = 20 // characters of inline code that are still said
const span = 400 // characters between the marks of inline code or a formula
const target = 2048 // characters of a link's address
const tag = 100

/** An address that is being read: the punctuation at its end may be the sentence's. */
interface Address {
  tail: string
}

export class Spoken {
  readonly #say: (text: string, place: number, fixed: boolean) => void
  readonly #onScreen: () => string
  readonly #link: () => string
  /** What is not decided yet. */
  #rest = ''
  #base = 0
  #last = '\n' // the letter in front of `rest`
  /**
   * What stands between what was said and what comes: nothing, a blank that is still to be said, a line end that was.
   */
  #gap: '' | ' ' | '\n' = '\n'
  #gapAt = 0
  #line: 'start' | 'in' | 'skipped' = 'start'
  #fence: string | undefined
  #formula: string | undefined // what closes it
  #address: Address | undefined
  readonly #closing = new Closing()
  #noted = false
  #toNote = false

  /** `say` gets what is said, and the place of its first letter; `fixed`: all of it stands for that place. */
  constructor(
    say: (text: string, place: number, fixed: boolean) => void,
    words: { onScreen: () => string; link: () => string },
  ) {
    this.#say = say
    this.#onScreen = words.onScreen
    this.#link = words.link
  }

  push(text: string): void {
    this.#rest += text
    this.#read(false)
  }

  /** No more text comes: nothing waits any longer. The next text begins a line. */
  end(): void {
    this.#read(true)
    if (this.#address) this.#endAddress(this.#address, this.#base)
    this.#fence = this.#formula = undefined
    if (this.#toNote) this.#note(this.#base)
    this.#line = 'start'
    this.#last = '\n'
    this.#gap = '\n'
    this.#rest = ''
  }

  /** The next text is another one, whose places count from the start. */
  restart(): void {
    this.#base = 0
    this.#closing.restart()
  }

  #read(over: boolean): void {
    let at = 0
    while (at < this.#rest.length) {
      const taken = this.#step(at, over)
      if (taken === 0) break
      this.#last = this.#rest[at + taken - 1] as string
      at += taken
      this.#closing.taken()
    }
    this.#base += at
    this.#closing.moved(at)
    this.#rest = this.#rest.slice(at)
  }

  /** How many characters it took; 0: that cannot be told yet. */
  #step(at: number, over: boolean): number {
    if (this.#fence !== undefined) return this.#inFence(at, this.#fence, over)
    if (this.#formula !== undefined) return this.#inFormula(at, this.#formula, over)
    if (this.#line === 'skipped') return this.#toLineEnd(at)
    if (this.#line === 'start') {
      const taken = this.#atStart(at, over)
      if (taken !== undefined) return taken
      this.#line = 'in'
    }
    return this.#inLine(at, over)
  }

  // -- lines ----------------------------------------------------------------------------------------------------------

  #toLineEnd(at: number): number {
    const end = this.#rest.indexOf('\n', at)
    if (end < 0) return this.#rest.length - at
    return end > at ? end - at : this.#newline(at)
  }

  #newline(at: number): number {
    this.#line = 'start'
    this.#blank('\n', at)
    if (this.#toNote) this.#note(this.#base + at)
    return 1
  }

  /** Marks at the beginning of a line; undefined: there are none, 0: that cannot be told yet. */
  #atStart(at: number, over: boolean): number | undefined {
    const rest = this.#rest
    const first = rest[at] as string
    if (first === ' ' || first === '\t' || first === '\r') return 1
    if (first === '\n') return this.#newline(at)
    if (first === '>') return 1
    if (!/[-*+•\d#`~$\\|_]/.test(first)) return undefined
    if (first === '|') {
      this.#toNote = true
      this.#line = 'skipped'
      return 1
    }
    const line = lineOf(rest.slice(at, at + head))
    if (!over && line.length < head && at + line.length === rest.length && undecided.test(line)) return 0
    if (/^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line)) return line.length
    const fence = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line)
    if (fence) {
      this.#fence = (fence[1] ?? fence[2]) as string
      this.#line = 'in'
      this.#note(this.#base + at)
      return line.length
    }
    if (line.startsWith('$$') || line.startsWith('\\[')) {
      this.#formula = first === '$' ? '$$' : '\\]'
      this.#toNote = true
      return 2
    }
    const mark = /^(?:#{1,6}(?=[ \t]|$)|(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+(?:\[[ xX]\][ \t])?|$))/.exec(line)
    return mark ? mark[0].length : undefined
  }

  #inFence(at: number, fence: string, over: boolean): number {
    const end = this.#rest.indexOf('\n', at)
    if (this.#line !== 'start') {
      // behind the beginning of a line
      if (end < 0) return this.#rest.length - at
      this.#line = 'start'
      return end + 1 - at
    }
    const line = lineOf(this.#rest.slice(at, at + head))
    if (end < 0 && !over && line.length < head && /^ {0,3}[`~]*[ \t]*$/.test(line)) return 0
    this.#line = 'in'
    if (!new RegExp(`^ {0,3}${fence[0] as string}{${fence.length},}[ \\t]*$`).test(line))
      return line.length || this.#inFence(at, fence, over)
    this.#fence = undefined
    this.#line = 'skipped'
    return line.length
  }

  /** To its closing mark, or to an empty line: a formula has none. */
  #inFormula(at: number, close: string, over: boolean): number {
    const search = close === '$$' ? /\$\$|\n[ \t]{0,20}\n/g : /\\\]|\n[ \t]{0,20}\n/g
    search.lastIndex = at
    const index = search.exec(this.#rest)?.index
    if (index === undefined) {
      const held = over ? 0 : (/\n[ \t]{0,20}$|[\\$]$/.exec(this.#rest.slice(-22))?.[0].length ?? 0)
      return Math.max(0, this.#rest.length - at - held)
    }
    this.#formula = undefined
    this.#line = 'in'
    return index - at + (this.#rest.startsWith(close, index) ? close.length : 0) || this.#inLine(at, over)
  }

  // -- within a line --------------------------------------------------------------------------------------------------

  #inLine(at: number, over: boolean): number {
    if (this.#address) return this.#inAddress(at, this.#address, over)
    const rest = this.#rest
    fast.lastIndex = at
    const plain = fast.exec(rest)
    if (plain) return this.#take(plain[0], at)
    const one = rest[at] as string
    const next = rest[at + 1]
    if (next === undefined && !over && waits.has(one)) return 0
    switch (one) {
      case '\n':
        return this.#newline(at)
      case '\\':
        if (next === '(' || next === '[') return this.#formulaIn(at, 2, next === '(' ? '\\)' : '\\]', over)
        if (next === undefined || !/[!-/:-@[-`{-~]/.test(next)) return 1
        this.#take(next, at + 1)
        return 2
      case '`':
        return this.#code(at, over)
      case '$': {
        const marks = next === '$' ? 2 : 1
        const behind = rest[at + marks]
        if (behind === undefined && !over) return 0
        if (marks === 2 && behind === '\n') {
          this.#formula = '$$'
          this.#toNote = true
          return 2
        }
        if (behind !== undefined && !/\s/.test(behind)) return this.#formulaIn(at, marks, '$'.repeat(marks), over)
        return this.#take(one, at)
      }
      case '*':
        return /\d/.test(this.#last) && /\d/.test(next ?? '') ? this.#take(one, at) : 1
      case '_':
        return isPart(this.#last) && isPart(next ?? '') ? this.#blank(' ', at) : 1
      case '~':
        return next === '~' ? 2 : this.#take(one, at)
      case '[':
        return this.#footnote(at, over)
      case ']':
        return next === '(' ? this.#linkTarget(at, over) : 1
      case '!':
        return next === '[' ? 1 : this.#take(one, at)
      case '<':
        return this.#tag(at, over)
      case 'h':
      case 'H':
      case 'w':
      case 'W':
        return this.#maybeAddress(at, over)
    }
    if (/\s/.test(one)) return this.#blank(' ', at)
    if (one === '\u200D' && /[\uDC00-\uDFFF\uFE0F\u2600-\u27BF]/.test(this.#last)) return 1 // between two pictures
    const point = rest.codePointAt(at) as number
    if (point >= 0xd800 && point <= 0xdbff) return next === undefined && !over ? 0 : 1 // half a character
    const letter = String.fromCodePoint(point)
    if (emoji.test(letter) && !/[©®™‼⁉〰〽㊗㊙↔-↪]/u.test(letter)) return letter.length
    return this.#take(letter, at)
  }

  #take(text: string, at: number): number {
    this.#sayAt(text, this.#base + at, false)
    return text.length
  }

  #sayAt(text: string, place: number, fixed: boolean): void {
    if (this.#gap === ' ') this.#say(' ', this.#gapAt, true)
    this.#gap = ''
    this.#say(text, place, fixed)
  }

  /** A blank or a line end; of several in a row one is said. */
  #blank(text: ' ' | '\n', at: number): number {
    if (text === '\n' && this.#gap !== '\n') this.#say(text, this.#base + at, true)
    if (text === '\n') this.#gap = text
    else if (this.#gap === '') {
      this.#gap = text
      this.#gapAt = this.#base + at
    }
    return 1
  }

  /** Something cannot be said. That is told once. */
  #note(place: number): void {
    this.#toNote = false
    if (this.#noted) return
    this.#noted = true
    this.#sayAt(`${this.#onScreen()}\n`, place, true)
    this.#gap = '\n'
  }

  /**
   * Where what opens at `at` closes, in this line and not further than `most` behind it. -1: nowhere, undefined: that
   * cannot be told yet.
   */
  #close(at: number, from: number, most: number, over: boolean, marks: string, closes: Closes): number | undefined {
    return this.#closing.find(this.#rest, this.#base, { from, most: at + most, over, marks }, closes)
  }

  #code(at: number, over: boolean): number {
    const rest = this.#rest
    let marks = 1
    while (rest[at + marks] === '`') marks++
    if (at + marks === rest.length && !over) return marks > 64 ? marks : 0
    const fence = '`'.repeat(marks)
    const end = this.#close(at, at + marks, span, over, fence, (index) => {
      if (rest[index - 1] === '`' && index > at + marks) return false
      if (index + marks >= rest.length && !over && fence.startsWith(rest.slice(index))) return undefined
      return rest.startsWith(fence, index) && rest[index + marks] !== '`'
    })
    if (end === undefined) return 0
    if (end < 0) return marks
    const inside = rest.slice(at + marks, end)
    if (inside.length <= code) this.#take(inside, at + marks)
    return end + marks - at
  }

  #formulaIn(at: number, marks: number, close: string, over: boolean): number {
    const rest = this.#rest
    const end = this.#close(at, at + marks, span, over, close, (index) => {
      if (index + close.length >= rest.length && !over) return undefined // what stands behind decides
      if (!rest.startsWith(close, index)) return false
      return close[0] !== '$' || (!/\s/.test(rest[index - 1] as string) && !/\d/.test(rest[index + close.length] ?? ''))
    })
    if (end === undefined) return 0
    if (end < 0) return close[0] === '$' ? this.#take('$', at) : 2
    this.#toNote = true
    return end + close.length - at
  }

  #footnote(at: number, over: boolean): number {
    if (this.#rest[at + 1] !== '^') return 1
    const end = this.#close(at, at + 2, 24, over, ']', () => true)
    if (end === undefined) return 0
    return end < 0 ? 1 : end + 1 - at
  }

  #linkTarget(at: number, over: boolean): number {
    const end = this.#close(at, at + 1, target, over, '()', (index, looked) => {
      looked.depth += this.#rest[index] === '(' ? 1 : -1
      return looked.depth > 8 ? 'never' : looked.depth === 0
    })
    if (end === undefined) return 0
    return end < 0 ? 1 : end + 1 - at
  }

  #tag(at: number, over: boolean): number {
    const text = this.#rest.slice(at, at + tag + 2)
    const whole = /^<\/?[a-z][^<>\n]*>/i.exec(text)
    if (whole) {
      if (/^<(?:https?:|mailto:|www\.)/i.test(whole[0])) this.#sayLink(at)
      return whole[0].length
    }
    if (!over && text.length <= tag && /^<(?:\/?(?:[a-z][^<>\n]*)?)?$/i.test(text)) return 0
    return this.#take('<', at)
  }

  #sayLink(at: number): void {
    this.#sayAt(this.#link(), this.#base + at, true)
  }

  #maybeAddress(at: number, over: boolean): number {
    const one = this.#rest[at] as string
    if (/[\p{sc=Latin}\d]/u.test(this.#last)) return this.#take(one, at)
    const rest = this.#rest.slice(at, at + 8).toLowerCase()
    if (!over && openers.some((opener) => opener.length > rest.length && opener.startsWith(rest))) return 0
    address.lastIndex = at
    const found = address.exec(this.#rest)
    if (!found) return this.#take(one, at)
    this.#sayLink(at)
    this.#address = { tail: '' }
    return found[0].length
  }

  /** To its end. Punctuation at the end is the sentence's. */
  #inAddress(at: number, open: Address, over: boolean): number {
    const letter = String.fromCodePoint(this.#rest.codePointAt(at) as number)
    if (!endsAddress.test(letter)) {
      open.tail = punctuation.test(letter) && open.tail.length < 20 ? open.tail + letter : ''
      return letter.length
    }
    this.#endAddress(open, this.#base + at)
    return this.#inLine(at, over)
  }

  #endAddress({ tail }: Address, end: number): void {
    this.#address = undefined
    const said = tail.replace(/[*_~\])]/g, '')
    if (said === '') return
    this.#sayAt(said, end - tail.length, true)
  }
}

const lineOf = (text: string): string => {
  const end = text.indexOf('\n')
  return end < 0 ? text : text.slice(0, end)
}
