// A run of Markdown, such as a paragraph's text, that is read while it comes. What no further text can change leaves
// it; what may still change is read again when enough has come that the work stays linear.
import type { Placed } from './inline-places.js'
import { readInline } from './markdown-rules.js'
import type { MarkdownNode, MarkdownOptions, MarkdownToken } from './markdown-tokens.js'
import { withoutHeldMarks } from './unfinished.js'
import { endThatWaits, REACH, type Waiting } from './waits.js'

/** So much in front of what is read is kept: whether a mark opens depends on it. */
const BEFORE = 32
/** What waits is read again when it has grown by one part of so many. */
const GROWTH = 16

/** From `at` on, up to the next one, the run is the text from `from` on. */
interface Piece {
  at: number
  from: number
}

export class InlineRun {
  readonly #options: MarkdownOptions
  /** Marks at its end close it. */
  readonly #isHeading: boolean
  #text = ''
  #pieces: Piece[] = []
  /** Everything in front of it was given out as tokens. */
  #at = 0
  /** It is read again when it is so long. */
  #next = 1
  /** A run of this mark that is too long to mean anything goes on. */
  #long = ''

  constructor(options: MarkdownOptions, isHeading = false) {
    this.#options = options
    this.#isHeading = isHeading
  }

  clone(): InlineRun {
    const copy = new InlineRun(this.#options, this.#isHeading)
    copy.#text = this.#text
    copy.#pieces = [...this.#pieces]
    copy.#at = this.#at
    copy.#long = this.#long
    return copy
  }

  /** Adds text that stands at `from` in the whole text. A run does not begin with blanks. */
  add(text: string, from: number): void {
    const blanks = this.#text === '' ? text.length - text.trimStart().length : 0
    if (blanks === text.length) return
    const last = this.#pieces.at(-1)
    const goesOn = last && last.from + this.#text.length - last.at === from + blanks
    if (!goesOn) this.#pieces.push({ at: this.#text.length, from: from + blanks })
    this.#text += text.slice(blanks)
  }

  /** A line of it ended at this place of the whole text, and another one follows. */
  break(from: number): void {
    this.#pieces.push({ at: this.#text.length, from })
    this.#text += '\n'
  }

  /** What can no longer change. `over`: no more comes. */
  settle(over: boolean): MarkdownToken[] {
    if (!over && this.#text.length < this.#next) return []
    if (over) this.#trim()
    const long = this.#leaveLong()
    const env: Waiting = { plain: this.#options.emphasis === false, math: this.#options.math === true }
    const tokens = this.#read(env, !over)
    const end = over ? this.#text.length : Math.min(env.hold ?? Infinity, this.#trailing())
    const out = [...long, ...this.#leave(tokens, end)]
    if (this.#at === this.#text.length) this.#long = longRun.exec(this.#text)?.[1] ?? this.#long
    this.#cut()
    return out
  }

  /** Gives the rest as it looks if nothing follows: open marks close at the end. The run takes no text after that. */
  open(): MarkdownToken[] {
    this.#text = this.#text.slice(0, Math.max(this.#at, withoutHeldMarks(this.#text).length))
    this.#trim()
    const out = this.#leaveLong()
    const { emphasis, math } = this.#options
    const tokens = this.#read({ unfinished: true, plain: emphasis === false, math: math === true }, false)
    return [...out, ...this.#leave(tokens, this.#text.length)]
  }

  #read(env: Waiting & { unfinished?: boolean }, more: boolean): Placed[] {
    const [from, to] = [this.#at, this.#text.length]
    const text = this.#text.slice(from)
    if (special.test(text)) return readInline(this.#text, from, env, more)
    return from < to ? [{ type: 'text', content: text, from, to } as Placed] : []
  }

  /** Gives out as text the marks that lengthen a run which is too long already. */
  #leaveLong(): MarkdownToken[] {
    const from = this.#at
    if (this.#long === '') return []
    while (this.#text[this.#at] === this.#long) this.#at++
    if (this.#at < this.#text.length) this.#long = ''
    if (from === this.#at) return []
    return [{ type: 'text', text: this.#text.slice(from, this.#at), from: this.#place(from), to: this.#end(this.#at) }]
  }

  /** The tokens in front of `end`, with their places in the whole text. */
  #leave(tokens: readonly Placed[], end: number): MarkdownToken[] {
    const inside = tokens.find(({ type, from, to }) => type !== 'text' && from < end && end < to)
    const stop = inside ? inside.from : end
    const out: MarkdownToken[] = []
    for (const token of tokens) {
      if (token.from > stop || (token.from === stop && token.to > stop)) break
      const to = Math.min(token.to, stop)
      const from = token.from < to || token.nesting > 0 ? this.#place(token.from) : this.#end(to)
      const isBreak = token.type === 'softbreak' || token.type === 'hardbreak'
      const place = { from, to: isBreak && to < this.#text.length ? this.#place(to) : Math.max(from, this.#end(to)) }
      const content = token.to > to ? token.content.slice(0, to - token.from) : token.content
      const one = made(token, content, place)
      if (one) out.push(one)
    }
    this.#at = stop
    return out
  }

  /** Forgets what left. */
  #cut(): void {
    const waiting = this.#text.length - this.#at
    this.#next = this.#text.length + Math.max(1, Math.floor(waiting / GROWTH))
    const gone = this.#at - BEFORE
    if (gone < BEFORE) return // not with every letter
    this.#text = this.#text.slice(gone)
    const first = this.#pieces.findLastIndex(({ at }) => at <= gone)
    this.#pieces = this.#pieces
      .slice(first)
      .map(({ at, from }) => (at < gone ? { at: 0, from: from + gone - at } : { at: at - gone, from }))
    this.#at -= gone
    this.#next -= gone
  }

  /** Blanks at the end are none, and so are marks that end a heading. */
  #trim(): void {
    const blank = this.#beforeBlanks(this.#text.length)
    this.#text = this.#text.slice(0, this.#isHeading ? this.#beforeMarks(blank) : blank)
  }

  /** Where the end begins that more text may make something else of. */
  #trailing(): number {
    const blank = this.#beforeBlanks(this.#text.length)
    return Math.min(this.#isHeading ? this.#beforeMarks(blank) : blank, endThatWaits(this.#text))
  }

  #beforeBlanks(end: number): number {
    let at = end
    while (at > this.#at && isBlank(this.#text[at - 1])) at--
    return at
  }

  /** In front of the marks that end here, and have a blank in front of them. */
  #beforeMarks(end: number): number {
    let at = end
    while (at > this.#at && this.#text[at - 1] === '#') at--
    return at === 0 || isBlank(this.#text[at - 1]) ? this.#beforeBlanks(at) : end
  }

  /** Where a character stands in the whole text. */
  #place(at: number): number {
    let [low, high] = [0, this.#pieces.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#pieces[middle] as Piece).at <= at) low = middle
      else high = middle - 1
    }
    const piece = this.#pieces[low] as Piece
    return piece.from + at - piece.at
  }

  /** Behind the character in front of this one. */
  #end(at: number): number {
    return at === 0 ? this.#place(0) : this.#place(at - 1) + 1
  }
}

const isBlank = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\r'
const longRun = new RegExp(`([*_~\`])\\1{${REACH - 1},}$`)
const special = /[\\`*_~[\]!<&:$\n]/

/** A token of markdown-it as one of ours. */
function made(token: Placed, content: string, place: { from: number; to: number }): MarkdownToken | undefined {
  const { type, attrs, tag, markup, block, nesting } = token
  const attribute = (name: string): string => String(attrs?.find(([one]) => one === name)?.[1] ?? '')
  switch (type) {
    case 'text':
    case 'text_special':
      return content === '' ? undefined : { type: 'text', text: content, ...place }
    case 'softbreak':
      return { type: 'break', text: '\n', ...place }
    case 'hardbreak':
      return { type: 'break', text: '\n', hard: true, ...place }
    case 'code_inline':
      return { type: 'code', text: content, ...place }
    case 'image':
      return { type: 'image', text: content, href: attribute('src'), ...place }
    case 'math':
      return { type: 'math', text: content, info: markup, display: block, ...place }
  }
  const node = (type.startsWith('s_') ? 'strike' : type.startsWith('link_') ? 'link' : tag) as MarkdownNode
  if (nesting < 0) return { type: 'close', node, ...place }
  return { type: 'open', node, ...(node === 'link' ? { href: attribute('href') } : {}), ...place }
}
