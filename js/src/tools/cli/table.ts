// A table of Markdown in columns that fit the terminal.
import { Flow, widthOf, type Span } from './flow.js'

/** A column is at least so wide, or the rows are told one below the other. */
const MIN_COLUMN = 8
const BETWEEN = ' │ '

type Side = 'left' | 'right' | 'center' | undefined

/** The text of a cell in its styles. */
export type Cell = Span[]

export interface TableOptions {
  width: number
  /** Stands in front of each row. */
  indent: string
  sides: readonly Side[]
  /** Lines between the columns. */
  rule: (text: string) => string
}

export class Table {
  readonly #options: TableOptions
  readonly #head: readonly Cell[]
  /** Undefined: the terminal is too narrow for columns. */
  readonly #widths: number[] | undefined

  /** `rows`: those by which the columns get their widths. */
  constructor(head: readonly Cell[], rows: readonly Cell[][], options: TableOptions) {
    this.#options = options
    this.#head = head
    const room = options.width - options.indent.length - BETWEEN.length * (head.length - 1)
    const natural = head.map((name, at) => Math.max(1, sizeOf(name), ...rows.map((row) => sizeOf(row[at] ?? []))))
    this.#widths = fitted(natural, room)
  }

  /** The head, and the line below it. */
  get head(): string[] {
    const widths = this.#widths
    if (!widths) return []
    const line = widths.map((width) => '─'.repeat(width)).join('─┼─')
    return [...this.#row(this.#head), this.#options.indent + this.#options.rule(line)]
  }

  row(cells: readonly Cell[]): string[] {
    return this.#widths ? this.#row(cells) : this.#record(cells)
  }

  #row(cells: readonly Cell[]): string[] {
    const { indent, sides, rule } = this.#options
    const widths = this.#widths as number[]
    const columns = widths.map((width, at) => linesOf(cells[at] ?? [], width))
    return Array.from({ length: Math.max(...columns.map(({ length }) => length)) }, (_, line) => {
      const parts = widths.map((width, at) => padded(columns[at]?.[line] ?? '', width, sides[at] ?? 'left'))
      return (indent + parts.join(rule(BETWEEN))).trimEnd()
    })
  }

  /** `name: cell` below each other, for a narrow terminal. */
  #record(cells: readonly Cell[]): string[] {
    const { indent, rule, width } = this.#options
    const rows = this.#head.flatMap((name, at) => {
      const spans = [...name, { text: ': ', sgr: '' }, ...(cells[at] ?? [])]
      return linesOf(spans, width - indent.length, '  ').map((row) => indent + row)
    })
    return [...rows, indent + rule('─'.repeat(8))]
  }
}

const sizeOf = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0)

/** Makes the widest columns narrower until all fit. */
function fitted(natural: readonly number[], room: number): number[] | undefined {
  const total = (cap: number): number => natural.reduce((sum, width) => sum + Math.min(width, cap), 0)
  let cap = Math.max(MIN_COLUMN, Math.min(room, Math.max(...natural)))
  while (cap > MIN_COLUMN && total(cap) > room) cap--
  return total(cap) <= room ? natural.map((width) => Math.min(width, cap)) : undefined
}

function linesOf(spans: readonly Span[], width: number, hang = ''): string[] {
  const flow = new Flow({ width, first: [], rest: hang ? [{ text: hang, sgr: '' }] : [] })
  for (const span of spans) flow.add(span)
  flow.end()
  return flow.rows
}

function padded(text: string, width: number, side: Side): string {
  const free = Math.max(0, width - widthOf(text))
  const left = side === 'left' ? 0 : side === 'right' ? free : Math.floor(free / 2)
  return ' '.repeat(left) + text + ' '.repeat(free - left)
}
