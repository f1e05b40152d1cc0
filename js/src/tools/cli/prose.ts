// Prints a model's text as it streams: Markdown wrapped at words. The row that is being written is redrawn, every row
// above it is final; so a text looks the same however it came. Where nothing can be styled the marks of Markdown stay
// where they are.
import { Flow, painted, type Span } from './flow.js'
import { inline } from './inline.js'
import { kindOf } from './line-kind.js'
import type { Paper } from './paper.js'
import { fit } from './rows.js'
import { cellsOf, sidesOf, Table } from './table.js'

export interface ProseOptions {
  /** No Markdown: text in this style. */
  plain?: string
  /** Stands in front of the first row. */
  first?: Span
}

interface Fence {
  marker: string
  quotes: number
}
/** Rows that are not printed yet, and the columns once they are known. */
interface Held {
  rows: string[]
  drawn?: Table
}

/** The columns of a table are measured by so many rows; those behind them come as they are written. */
const MEASURED_ROWS = 40
/** Text is looked at in pieces of this size. */
const PIECE = 2000
/** The longest line that may still end a fence. */
const MAX_CLOSING = 100

const code = '36'

export class Prose {
  readonly #paper: Paper
  readonly #options: ProseOptions
  #started = false
  /** Empty lines that are printed if something stands behind them. */
  #blank = 0
  // -- the line that is being written
  /** As it was written, while it is not known what it is. */
  #line = ''
  #flow: Flow | undefined
  #base = ''
  /** What more text can still change. */
  #pending = ''
  #before = ' '
  #markup = true
  // -- blocks of several lines
  #fence: Fence | undefined
  #table: Held | undefined

  constructor(paper: Paper, options: ProseOptions = {}) {
    this.#paper = paper
    this.#options = options
  }

  /** More text. It holds no controls but tab and newline. */
  push(text: string): void {
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) this.#endLine()
      for (let from = 0; from < line.length; from += PIECE) this.#more(line.slice(from, from + PIECE))
    }
    this.#draft()
  }

  /** No more text comes. */
  end(): void {
    if (this.#line !== '' || this.#flow) this.#endLine()
    this.#endTable()
    this.#fence = undefined
    this.#paper.tail('')
  }

  // -- lines ----------------------------------------------------------------------------------------------------------

  #more(text: string): void {
    if (this.#flow) return this.#write(text, true)
    this.#line += text
    this.#begin(false)
  }

  #endLine(): void {
    const empty = !this.#flow && this.#line === ''
    if (!this.#flow && !empty) this.#begin(true)
    if (this.#flow) {
      this.#write('', false)
      this.#flow.end()
      this.#flush()
      this.#flow = undefined
    } else if (empty) {
      this.#endTable()
      if (this.#started) this.#blank++
    }
    this.#line = ''
  }

  /** Finds out what the line is. Nothing happens while that is open. */
  #begin(whole: boolean): void {
    const line = this.#line
    const { styled, width } = this.#paper
    const { plain, first } = this.#options
    if (plain !== undefined)
      return this.#text(line, { first: this.#started || !first ? [] : [first], rest: [], base: plain, markup: false })
    if (this.#fence) return this.#inFence(line, whole, this.#fence)
    const kind = kindOf(line, whole)
    if (!kind) return
    if (kind.kind === 'table') return this.#row(line)
    this.#endTable()
    if (whole && line.trim() === '') return this.#nothing()
    const { sign, indent, length } = kind
    const quotes = this.#quotes(kind.quotes)
    const raw = /^\s*(?:>\s?)*/.exec(line)?.[0].length ?? 0
    const from = styled ? length : Math.min(raw, length)
    const front: Span[] = [...quotes, { text: indent.slice(0, 20), sgr: '' }]
    const hang: Span[] = [...front, { text: ' '.repeat(sign.length), sgr: '' }]
    const signed: Span[] = styled && sign ? [...front, { text: sign, sgr: '' }] : front
    switch (kind.kind) {
      case 'fence':
        this.#fence = { marker: kind.marker as string, quotes: kind.quotes }
        return this.#text(line.slice(from), { first: signed, rest: hang, base: styled ? '2' : '', markup: false })
      case 'rule':
        return styled
          ? this.#text('─'.repeat(Math.min(40, width - 4)), { first: front, rest: front, base: '2', markup: false })
          : this.#text(line, { first: [], rest: [], base: '', markup: false })
      case 'heading':
        return this.#text(line.slice(from), { first: signed, rest: hang, base: styled ? '1' : '', markup: styled })
      default:
        return this.#text(line.slice(from), { first: signed, rest: hang, base: '', markup: styled })
    }
  }

  #quotes(count: number): Span[] {
    const { styled } = this.#paper
    return count > 0 ? [{ text: (styled ? '│ ' : '> ').repeat(Math.min(count, 10)), sgr: styled ? '2' : '' }] : []
  }

  #nothing(): void {
    this.#line = ''
    if (this.#started) this.#blank++
  }

  /** Begins to print a line of text. */
  #text(
    text: string,
    {
      first,
      rest,
      base,
      markup,
      anywhere = false,
    }: { first: readonly Span[]; rest: readonly Span[]; base: string; markup: boolean; anywhere?: boolean },
  ): void {
    this.#space()
    this.#flow = new Flow({ width: () => this.#paper.width, first, rest, anywhere })
    this.#base = base
    this.#markup = markup
    this.#pending = ''
    this.#before = ' '
    this.#line = ''
    for (let from = 0; from < text.length; from += PIECE) this.#write(text.slice(from, from + PIECE), true)
  }

  /** Prints the empty lines that were held back. */
  #space(): void {
    if (this.#blank > 0)
      this.#paper.print(Array.from({ length: this.#fence ? this.#blank : Math.min(2, this.#blank) }, () => ''))
    this.#blank = 0
    this.#started = true
  }

  #write(text: string, more: boolean): void {
    const flow = this.#flow as Flow
    if (!this.#markup) flow.add({ text, sgr: this.#base })
    else {
      this.#pending += text
      const { settled, length } = inline(this.#pending, { before: this.#before, more, base: this.#base })
      for (const span of settled) flow.add(span)
      if (length > 0) this.#before = /[\s\S]$/u.exec(this.#pending.slice(0, length))?.[0] ?? ' '
      this.#pending = this.#pending.slice(length)
    }
    this.#flush()
  }

  #flush(): void {
    const { rows } = this.#flow as Flow
    if (rows.length > 0) this.#paper.print(rows.splice(0))
  }

  /** Shows the row that is being written. */
  #draft(): void {
    const { width } = this.#paper
    const rows = this.#table?.rows.length ?? 0
    if (this.#flow) {
      const { settled, rest } = inline(this.#markup ? this.#pending : '', {
        before: this.#before,
        more: true,
        base: this.#base,
      })
      this.#paper.tail(this.#flow.preview([...settled, ...rest()]))
    } else if (rows > 0 || this.#line.startsWith('|'))
      this.#paper.tail(this.#dim(`⋯ table, ${rows === 1 ? '1 line' : `${rows} lines`}`))
    else this.#paper.tail(fit(this.#line.replaceAll('\t', ' '), width))
  }

  #dim(text: string): string {
    return this.#paper.styled ? painted({ text, sgr: '2' }) : text
  }

  // -- code -----------------------------------------------------------------------------------------------------------

  #inFence(given: string, whole: boolean, { marker, quotes }: Fence): void {
    const quoted = quotes > 0 ? (/^(?:[ \t]{0,3}>[ \t]?)+/.exec(given)?.[0] ?? '') : ''
    if (quotes > 0 && quoted === '') {
      if (!whole && /^[ \t]*$/.test(given)) return
      this.#fence = undefined // a fence ends with its quotation
      return this.#begin(whole)
    }
    const line = given.slice(quoted.length)
    const mark = marker[0] as string
    const closing = new RegExp(`^[ \\t]*${mark}*[ \\t]*$`)
    if (!whole && line.length < MAX_CLOSING && closing.test(line)) return
    const front = this.#quotes(quotes)
    const closes = whole && closing.test(line) && line.trim().length >= marker.length
    if (closes) this.#fence = undefined
    const base = !this.#paper.styled ? '' : closes ? '2' : code
    if (whole && line.trim() === '') return this.#nothing()
    this.#text(line, { first: front, rest: front, base, markup: false, anywhere: !closes })
  }

  // -- tables ---------------------------------------------------------------------------------------------------------

  #row(line: string): void {
    this.#line = ''
    this.#table ??= { rows: [] }
    const { rows, drawn } = this.#table
    if (drawn) return this.#paper.print(drawn.row(cellsOf(line)))
    rows.push(line)
    if (rows.length === 2 && !sidesOf(line)) return this.#endTable() // two lines that begin with a bar
    if (rows.length >= MEASURED_ROWS + 2) this.#drawTable()
  }

  #endTable(): void {
    const { rows, drawn }: Held = this.#table ?? { rows: [] }
    if (rows.length > 0 && !drawn) this.#drawTable()
    this.#table = undefined
  }

  /** Prints the rows that are there. Those that follow get the same columns. */
  #drawTable(): void {
    const table = this.#table as Held
    const [head = '', second = '', ...rows] = table.rows.splice(0)
    const sides = sidesOf(second)
    if (!sides) {
      for (const line of [head, second, ...rows].filter((one) => one !== '')) this.#plainLine(line)
      return
    }
    const { styled, width } = this.#paper
    const cells = rows.map(cellsOf)
    const drawn = (table.drawn = new Table(cellsOf(head), cells, {
      width,
      sides,
      indent: ' '.repeat(Math.min(20, head.search(/\S/))),
      rule: (text) => this.#dim(text),
      style: (cell, isHead) => (styled ? inline(cell, { base: isHead ? '1' : '' }).settled : [{ text: cell, sgr: '' }]),
    }))
    this.#space()
    this.#paper.print([...drawn.head, ...cells.flatMap((row) => drawn.row(row))])
  }

  #plainLine(line: string): void {
    this.#text(line, { first: [], rest: [], base: '', markup: this.#paper.styled })
    this.#write('', false)
    ;(this.#flow as Flow).end()
    this.#flush()
    this.#flow = undefined
  }
}
