// Prints a model's text as it streams: Markdown wrapped at words. The row that is being written is redrawn, every row
// above it is final; so a text looks the same however it came. Where nothing can be styled the marks of Markdown stay
// where they are.
import {
  markdownReader,
  type CloseToken,
  type LeafToken,
  type MarkdownToken,
  type OpenToken,
} from '../../app/bridge/markdown.js'
import { Flow, painted, type Span } from './flow.js'
import type { Paper } from './paper.js'
import { Spans } from './spans.js'
import { Table, type Cell } from './table.js'

export interface ProseOptions {
  /** No Markdown: text in this style. */
  plain?: string
  /** Stands in front of the first row. */
  first?: Span
}

/** What stands in front of the rows of a quotation or an item. */
interface Front {
  /** In front of the first one; undefined: it was printed. */
  sign: string | undefined
  rest: string
  sgr: string
  /** Of a list without numbers: a box may take its place. */
  bullet: boolean
}

/** Rows that are not printed yet, and the columns once they are known. */
interface Held {
  sides: OpenToken['align'][]
  head: Cell[]
  rows: Cell[][]
  /** The row that comes. */
  row: Cell[]
  drawn?: Table
}

/** The columns of a table are measured by so many rows; those behind them come as they are written. */
const MEASURED_ROWS = 40
/** Columns in front of a text that is nested deep. */
const MOST_FRONT = 20
const BOX = /^\[([ xX])\][ \t]$/

export class Prose {
  readonly #paper: Paper
  readonly #options: ProseOptions
  readonly #reader = markdownReader()
  /** The text from `#at` on. */
  #text = ''
  #at = 0
  /** Behind the last token. */
  #end = 0
  #started = false
  /** Line ends since something was printed. */
  #lines = 0
  #fronts: Front[] = []
  // -- the line that is being written
  #flow: Flow | undefined
  #spans: Spans
  /** The beginning of an item, which may be a box. */
  #box: string | undefined
  #inCode = false
  #table: Held | undefined

  constructor(paper: Paper, options: ProseOptions = {}) {
    this.#paper = paper
    this.#options = options
    this.#spans = this.#styles()
  }

  /** More text. It holds no controls but tab and newline. */
  push(text: string): void {
    if (this.#options.plain !== undefined) return this.#plain(text, this.#options.plain)
    this.#text += text
    const change = this.#reader.push(text)
    this.#draw(change.settled)
    this.#draft(change.open)
  }

  /** No more text comes. */
  end(): void {
    this.#draw(this.#reader.end().settled)
    this.#endLine()
    this.#paper.tail('')
  }

  // -- without Markdown -----------------------------------------------------------------------------------------------

  #plain(text: string, sgr: string): void {
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) this.#endLine()
      if (at > 0) this.#lines++
      if (line === '') continue
      const { first } = this.#options
      if (!this.#flow) this.#begin(this.#started || !first ? [] : [first], [])
      this.#add([{ text: line, sgr }])
    }
    this.#paper.tail(this.#flow?.last ?? '')
  }

  // -- tokens ---------------------------------------------------------------------------------------------------------

  #source = (from: number, to: number): string => this.#text.slice(from - this.#at, to - this.#at)

  #styles(base = ''): Spans {
    return new Spans(this.#source, this.#paper.styled, base)
  }

  #draw(tokens: readonly MarkdownToken[]): void {
    for (const token of tokens) {
      if (!this.#flow && !this.#table) this.#lines += this.#source(this.#end, token.from).split('\n').length - 1
      this.#end = Math.max(this.#end, token.to)
      if (token.type === 'open') this.#open(token)
      else if (token.type === 'close') this.#close(token)
      else this.#leaf(token)
    }
    this.#text = this.#text.slice(this.#end - this.#at)
    this.#at = this.#end
  }

  #open(token: OpenToken): void {
    const { styled } = this.#paper
    const written = this.#source(token.from, token.to)
    switch (token.node) {
      case 'quote': {
        const sign = styled ? '│ ' : '> '
        this.#fronts.push({ sign, rest: sign, sgr: styled ? '2' : '', bullet: false })
        return
      }
      case 'list':
        return
      case 'item': {
        const bullet = !/^\d/.test(written)
        const sign = bullet && styled ? '• ' : `${written.trimEnd()} `
        this.#fronts.push({ sign, rest: ' '.repeat(sign.length), sgr: '', bullet })
        return
      }
      case 'paragraph':
        this.#spans = this.#styles()
        if (styled && this.#fronts.at(-1)?.bullet && this.#fronts.at(-1)?.sign) this.#box = ''
        else this.#beginLine()
        return
      case 'heading':
        this.#spans = this.#styles('1')
        this.#beginLine()
        if (!styled) this.#add([{ text: `${written} `, sgr: '' }])
        return
      case 'fence':
        this.#beginLine()
        this.#add([{ text: written, sgr: styled ? '2' : '' }])
        this.#endLine()
        this.#inCode = true
        return
      case 'table':
        this.#table = { sides: [], head: [], rows: [], row: [] }
        return
      case 'row':
        if (this.#table) this.#table.row = []
        return
      case 'cell':
        return this.#openCell(token)
      default:
        return this.#inline(token)
    }
  }

  #close(token: CloseToken): void {
    switch (token.node) {
      case 'list':
      case 'cell':
        return
      case 'quote':
      case 'item':
        if (this.#fronts.at(-1)?.sign !== undefined && token.node === 'item') {
          this.#beginLine()
          this.#endLine()
        }
        this.#fronts.pop()
        return
      case 'paragraph':
      case 'heading':
        this.#endBox()
        return this.#endLine()
      case 'fence': {
        this.#endLine()
        this.#inCode = false
        const written = this.#source(token.from, token.to)
        if (written === '') return
        this.#beginLine()
        this.#add([{ text: written, sgr: this.#paper.styled ? '2' : '' }])
        return this.#endLine()
      }
      case 'table':
        if (!this.#table?.drawn) this.#drawTable()
        this.#table = undefined
        return
      case 'row':
        return this.#endRow()
      default:
        return this.#inline(token)
    }
  }

  #leaf(token: LeafToken): void {
    if (token.type === 'rule') return this.#rule(token)
    if (token.type === 'fence') return this.#code(token.text)
    if (token.type !== 'break' || this.#table) return this.#inline(token)
    this.#endBox()
    const written = this.#source(token.from, token.to)
    if (!this.#paper.styled) this.#add([{ text: written.replace(/\s*\n[^]*/, ''), sgr: '' }])
    if (!this.#paper.styled && !written.includes('\n')) return
    this.#endLine()
    this.#beginLine()
  }

  #inline(token: MarkdownToken): void {
    const spans = this.#spans.of(token)
    if (this.#table) this.#table.row.at(-1)?.push(...spans)
    else if (this.#box === undefined) this.#add(spans)
    else if (token.type === 'text') {
      this.#box += token.text
      if (this.#box.length >= 4) this.#endBox()
    } else {
      this.#endBox()
      this.#add(spans)
    }
  }

  /** It is known whether the item begins with a box. */
  #endBox(): void {
    const text = this.#box
    if (text === undefined) return
    this.#box = undefined
    const box = BOX.exec(text.slice(0, 4))
    const front = this.#fronts.at(-1) as Front
    if (box) front.sign = box[1] === ' ' ? '☐ ' : '☑ '
    this.#beginLine()
    this.#add([{ text: box ? text.slice(4) : text, sgr: '' }])
  }

  #rule({ text }: LeafToken): void {
    this.#beginLine()
    const line = '─'.repeat(Math.min(40, this.#paper.width - 4))
    this.#add([this.#paper.styled ? { text: line, sgr: '2' } : { text, sgr: '' }])
    this.#endLine()
  }

  #code(text: string): void {
    if (!this.#flow) this.#beginLine()
    if (text !== '\n') return this.#add([{ text, sgr: this.#paper.styled ? '36' : '' }])
    this.#endLine()
    this.#beginLine()
  }

  // -- rows -----------------------------------------------------------------------------------------------------------

  /** What stands in front of the next row, and of those behind it. Signs that stand there are printed with it. */
  #front(): { first: Span[]; rest: Span[] } {
    let room = MOST_FRONT
    const shown = this.#fronts.filter(({ rest }) => (room -= rest.length) >= 0)
    const first = shown.map(({ sign, rest, sgr }) => ({ text: sign ?? rest, sgr }))
    const rest = shown.map((front) => ({ text: front.rest, sgr: front.sgr }))
    return { first, rest }
  }

  #beginLine(): void {
    const { first, rest } = this.#front()
    for (const front of this.#fronts) if (front.sign !== front.rest) front.sign = undefined
    this.#begin(first, rest)
  }

  #begin(first: readonly Span[], rest: readonly Span[]): void {
    this.#space()
    this.#flow = new Flow({ width: () => this.#paper.width, first, rest, anywhere: this.#inCode })
  }

  /** Prints the empty lines in front. */
  #space(): void {
    const blank = this.#started ? Math.min(2, this.#lines - 1) : 0
    if (blank > 0) this.#paper.print(Array.from({ length: blank }, () => ''))
    this.#lines = 0
    this.#started = true
  }

  #add(spans: readonly Span[]): void {
    const flow = this.#flow as Flow
    for (const span of spans) flow.add(span)
    if (flow.rows.length > 0) this.#paper.print(flow.rows.splice(0))
  }

  #endLine(): void {
    if (!this.#flow) return
    this.#flow.end()
    this.#add([])
    this.#flow = undefined
  }

  /** Shows the row that is being written. */
  #draft(open: readonly MarkdownToken[]): void {
    if (this.#table && !this.#table.drawn) return this.#paper.tail(this.#tableDraft())
    const styled = this.#paper.styled
    let spans = this.#spans.clone()
    const row: Span[] = this.#box ? [{ text: this.#box, sgr: '' }] : []
    for (const token of open) {
      if (token.type === 'break' || token.type === 'rule') break
      if (token.type === 'fence') row.push({ text: token.text, sgr: styled ? '36' : '' })
      else if (token.type === 'open' && /^(?:quote|list|table|row|cell|paragraph|fence)$/.test(token.node)) continue
      else if (token.type === 'open' && token.node === 'item') row.push({ text: '• ', sgr: '' })
      else if (token.type === 'open' && token.node === 'heading') spans = this.#styles('1')
      else if (token.type === 'close' && !/^(?:strong|em|strike|link|su[bp]|kbd)$/.test(token.node)) break
      else row.push(...spans.of(token))
    }
    const { first, rest } = this.#front()
    const flow = this.#flow ?? new Flow({ width: this.#paper.width, first, rest })
    this.#paper.tail(this.#flow || row.length > 0 ? flow.preview(row) : '')
  }

  // -- tables ---------------------------------------------------------------------------------------------------------

  #openCell({ align }: OpenToken): void {
    const table = this.#table as Held
    const isHead = table.head.length === 0
    if (isHead) table.sides.push(align)
    this.#spans = this.#styles(isHead ? '1' : '')
    table.row.push([])
  }

  #endRow(): void {
    const table = this.#table as Held
    if (table.head.length === 0) table.head = table.row
    else if (table.drawn) this.#paper.print(table.drawn.row(table.row))
    else table.rows.push(table.row)
    if (table.rows.length >= MEASURED_ROWS) this.#drawTable()
  }

  /** Prints the rows that are there. Those that follow get the same columns. */
  #drawTable(): void {
    const table = this.#table as Held
    if (this.#fronts.some(({ sign, rest }) => sign !== undefined && sign !== rest)) {
      this.#beginLine()
      this.#endLine()
    }
    const rows = table.rows.splice(0)
    table.drawn = new Table(table.head, rows, {
      width: this.#paper.width,
      sides: table.sides,
      indent: ' '.repeat(this.#front().rest.reduce((sum, { text }) => sum + text.length, 0)),
      rule: (text) => this.#dim(text),
    })
    this.#space()
    const { drawn } = table
    this.#paper.print([...drawn.head, ...rows.flatMap((row) => drawn.row(row))])
  }

  #tableDraft(): string {
    const lines = (this.#table as Held).rows.length + 2
    return this.#dim(`⋯ table, ${lines} lines`)
  }

  #dim(text: string): string {
    return this.#paper.styled ? painted({ text, sgr: '2' }) : text
  }
}
