// Breaks styled text into rows at words, as it comes: a row that is full is final, only the last one may still change.
import type { TextRun } from '../../app/bridge/invisible.js'
import { columns, painter, type Paint } from './rows.js'

/**
 * A piece of text in one style. `sgr`: parameters of the terminal's "select graphic rendition", such as `1;36`; '' is
 * plain.
 */
export interface Span {
  text: string
  sgr: string
}

interface Cell extends Span {
  wide: number
}

export interface FlowOptions {
  /** Columns of a row, prefix included. A function where they may change while a text comes. */
  width: number | (() => number)
  /** Stands in front of the first row. Default: nothing. */
  first?: readonly Span[]
  /** Stands in front of every other row. Default: `first`. */
  rest?: readonly Span[]
  /** Breaks anywhere and keeps every blank: code. */
  anywhere?: boolean
}

const TAB = '    ' // fixed: a tab stop would depend on what stands in front of the row
/** A row has room for so many columns of text, however deep it is indented. */
const MIN_ROOM = 8
// Where a line of Chinese or Japanese must not begin or end; a joined emoji is one picture.
const noStart = /^[，。！？、；：）」』】》〉”’…～·ー々,.!?;:)\]}%\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]/u
const noEnd = /[（「『【《〈“‘([{\u200d]$/u

export class Flow {
  /** Rows that are final. Whoever prints them takes them out. */
  readonly rows: string[] = []
  readonly #options: FlowOptions
  #row: Cell[] = []
  #word: Cell[] = []
  #used = 0
  #wordUsed = 0
  #count = 0

  constructor(options: FlowOptions) {
    this.#options = options
  }

  add({ text, sgr }: Span): void {
    if (this.#used + this.#wordUsed > this.#room) this.#refit()
    for (const point of text) {
      if (point === '\t') for (const blank of TAB) this.#put({ text: blank, sgr, wide: 1 })
      else this.#put({ text: point, sgr, wide: columns(point) })
    }
  }

  /** The row that is not full yet. */
  get last(): string {
    return this.#compose([...this.#row, ...this.#word])
  }

  /** Whether nothing stands in the last row. */
  get empty(): boolean {
    return this.#row.length + this.#word.length === 0
  }

  /** The last row as it would be with this text behind it, or as much of that as it can hold. */
  preview(spans: readonly Span[]): string {
    const copy = new Flow(this.#options)
    copy.#row = [...this.#row]
    copy.#word = [...this.#word]
    copy.#used = this.#used
    copy.#wordUsed = this.#wordUsed
    copy.#count = this.#count
    for (const span of [{ text: '', sgr: '' }, ...spans]) {
      copy.add(span)
      if (copy.rows.length > 0) return copy.rows[0] as string
    }
    return copy.last
  }

  /** Makes the last row final, and begins with the first prefix again. */
  end(): void {
    this.#row.push(...this.#word)
    this.#commit()
    this.#word = []
    this.#wordUsed = this.#count = 0
  }

  /** The terminal became narrower: what stands in the last row is broken anew. */
  #refit(): void {
    const cells = [...this.#row, ...this.#word]
    this.#row = []
    this.#word = []
    this.#used = this.#wordUsed = 0
    for (const cell of cells) this.#put(cell)
  }

  #put(cell: Cell): void {
    if (this.#options.anywhere) {
      if (this.#used + cell.wide > this.#room) this.#commit()
      this.#row.push(cell)
      this.#used += cell.wide
      return
    }
    if (cell.text === ' ' || cell.text === '\u3000') {
      this.#join()
      if (this.#row.length === 0 && this.#count > 0) return // the row was broken here
      if (this.#used + cell.wide > this.#room) return // the next word breaks the row
      this.#row.push(cell)
      this.#used += cell.wide
      return
    }
    const before = this.#word.at(-1)
    if (
      before &&
      cell.wide > 0 &&
      (before.wide === 2 || cell.wide === 2) &&
      !noStart.test(cell.text) &&
      !noEnd.test(before.text)
    )
      this.#join()
    if (this.#used + this.#wordUsed + cell.wide > this.#room) {
      if (this.#used > 0) this.#commit()
      if (this.#wordUsed + cell.wide > this.#room) {
        this.#join()
        this.#commit()
      }
    }
    this.#word.push(cell)
    this.#wordUsed += cell.wide
  }

  #join(): void {
    this.#row.push(...this.#word)
    this.#used += this.#wordUsed
    this.#word = []
    this.#wordUsed = 0
  }

  get #prefix(): readonly Span[] {
    const { first = [], rest = first } = this.#options
    return this.#count === 0 ? first : rest
  }

  get #room(): number {
    const { width } = this.#options
    const taken = this.#prefix.reduce((sum, { text }) => sum + widthOf(text), 0)
    return Math.max(MIN_ROOM, (typeof width === 'number' ? width : width()) - taken)
  }

  #commit(): void {
    if (!this.#options.anywhere) while (this.#row.at(-1)?.text === ' ') this.#row.pop()
    this.rows.push(this.#compose(this.#row))
    this.#row = []
    this.#used = 0
    this.#count++
  }

  #compose(cells: readonly Cell[]): string {
    const runs: Span[] = []
    for (const { text, sgr } of [...this.#prefix, ...cells]) {
      const run = runs.at(-1)
      if (run?.sgr === sgr) run.text += text
      else runs.push({ text, sgr })
    }
    return runs.map(painted).join('')
  }
}

export const painted = ({ text, sgr }: Span): string => (sgr && text ? `\x1b[${sgr}m${text}\x1b[0m` : text)

const control = /\x1b\[([\d;]*)m/

/** The spans of a text that was painted here. A model's text has no controls any more. */
export function spansOf(text: string): Span[] {
  return text.split(control).reduce<Span[]>((spans, part, at, all) => {
    if (at % 2 === 0 && part !== '') spans.push({ text: part, sgr: (all[at - 1] ?? '').replace(/^0$/, '') })
    return spans
  }, [])
}

/** Columns of a text, painted or plain. */
export const widthOf = (text: string): number => {
  let width = 0
  for (const { text: part } of spansOf(text)) for (const point of part) width += columns(point)
  return width
}

/** The rows of one line of painted text. */
export function wrapped(text: string, options: FlowOptions): string[] {
  const flow = new Flow(options)
  for (const span of spansOf(text)) flow.add(span)
  flow.end()
  return flow.rows
}

/** The rows of a line of a question that is prose: broken at words. */
export function proseRows(runs: readonly TextRun[], width: number, paint: Paint): string[] {
  return wrapped(runs.map(painter(paint)).join(''), { width })
}
