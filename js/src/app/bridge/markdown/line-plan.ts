// What a line of Markdown is, by the blocks that are open in front of it: which of them it belongs to, which begin in
// it, and what the rest of it is. Where the line is not whole, that is said as soon as its beginning tells.
import { REACH } from './waits.js'

export type Container =
  | { type: 'quote' }
  | { type: 'list'; ordered: boolean; mark: string }
  /** `indent`: columns of its sign and the blanks behind. `empty`: nothing stands in it yet. */
  | { type: 'item'; indent: number; empty: boolean }

/** What is open and holds text. */
export type Leaf = 'none' | 'paragraph' | 'heading' | 'table' | 'math' | { marks: string; indent: number }

/** A block that begins in the line. Offsets in the line: its sign, and behind the blanks that belong to it. */
export type Start =
  | { type: 'quote'; from: number; to: number }
  | { type: 'item'; from: number; to: number; indent: number; ordered: boolean; mark: string; start: number }

export interface LinePlan {
  /** So many of the open containers go on. */
  matched: number
  starts: Start[]
  kind:
    | 'blank'
    | 'text'
    | 'heading'
    | 'rule'
    /** The line opens a fence, stands in one, or closes it. */
    | 'opener'
    | 'code'
    | 'closer'
    /** The line begins a formula, or stands in one. */
    | 'math'
    /** The line below the names of a table's columns; one of its rows. */
    | 'columns'
    | 'row'
    /** A paragraph's line that makes a table if the next one says so. */
    | 'names'
  /** Where the rest begins. */
  at: number
  /** Columns: blanks of code that a tab stands for, or those in front of what opens a fence. */
  spaces: number
  /** Behind the marks of a heading. */
  level?: number
}

export interface LineState {
  containers: readonly Container[]
  leaf: Leaf
  /** The names of a table's columns may stand in front of this line: so many. */
  names: number
  math: boolean
  anyTable: boolean
}

/** Deeper blocks are text with their marks. */
const NESTED = 37
const MATH_LINE = 2000
export const LONGEST_NAMES = 2048
/** Rows are filled up to the width of the first one: a wide one would make hundreds of thousands of cells. */
const COLUMNS = 32

const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const RULE_BEGUN = /^([-*_])(?:[ \t]*\1)*[ \t]*$/
const FENCE = /^(`{3,100}(?=[^`]*$)|~{3,100}(?!~))/
const SIGN = /^(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/
const SIGN_BEGUN = /^(?:[-+*]|\d{1,9}[.)]?)$/

/** A place in a line. A tab that is left in part counts by its columns. */
class Cursor {
  at = 0
  #column = 0
  /** Columns of the tab in front that are left. */
  spaces = 0

  constructor(private readonly line: string) {}

  /** Columns of blanks from here, and where they end. */
  get indent(): { columns: number; next: number } {
    let [column, next] = [this.#column + this.spaces, this.at]
    for (; isBlank(this.line[next]); next++) column += this.line[next] === '\t' ? 4 - (column % 4) : 1
    return { columns: column - this.#column, next }
  }

  /** Goes on by so many columns of blanks. */
  skip(columns: number): void {
    for (let left = columns; left > 0; left--) {
      if (this.spaces > 0) this.spaces--
      else if (!isBlank(this.line[this.at])) return
      else if (this.line[this.at++] === '\t') this.spaces = 3 - (this.#column % 4)
      this.#column++
    }
  }

  /** Goes on to `at`, behind which `marks` characters stand for columns. */
  to(at: number, marks: number): void {
    this.skip(this.indent.columns)
    this.at = at + marks
    this.#column += marks
  }
}

const isBlank = (character: string | undefined): boolean =>
  character === ' ' || character === '\t' || character === '\r'

/** Undefined: more of the line must come. `whole`: all of it is there. */
export function planLine(line: string, whole: boolean, state: LineState): LinePlan | undefined {
  const { containers, leaf } = state
  const cursor = new Cursor(line)
  /** More of the line may tell what it is. */
  const waits = !whole && line.length < REACH
  let matched = 0
  for (; matched < containers.length; matched++) {
    const one = containers[matched] as Container
    if (one.type === 'list') continue
    const { columns, next } = cursor.indent
    const blank = next >= line.length
    if (blank && !whole) return undefined
    if (one.type === 'quote') {
      if (blank || columns > 3 || line[next] !== '>') break
      if (next + 1 >= line.length && waits) return undefined
      cursor.to(next, 1)
      cursor.skip(1)
    } else if (blank) {
      if (one.empty) break
    } else if (columns < one.indent) break
    else cursor.skip(one.indent)
  }
  const all = matched === containers.length
  const starts: Start[] = []
  const plan = (kind: LinePlan['kind'], at: number, more: { spaces?: number; level?: number } = {}): LinePlan => ({
    matched,
    starts,
    kind,
    at,
    spaces: 0,
    ...more,
  })
  if (all && typeof leaf === 'object') return fenceLine(leaf)
  if (all && leaf === 'math') {
    const { next } = cursor.indent
    if (!whole) return undefined
    return plan(next >= line.length ? 'blank' : 'math', next)
  }
  const top = containers[matched - 1]
  let depth = matched - (top?.type === 'list' ? 1 : 0)
  for (;;) {
    const { columns, next } = cursor.indent
    const rest = line.slice(next)
    if (rest === '') return whole ? plan('blank', next) : undefined
    const isFirst = all && starts.length === 0
    if (columns >= 4) return plan('text', next)
    if (isFirst && state.names > 0 && /^[-|:][-|: \t\r]*$/.test(rest)) {
      if (!whole && line.length < LONGEST_NAMES) return undefined
      if (whole && columnsOf(rest)?.length === state.names) return plan('columns', next)
    }
    const deep = depth >= NESTED
    if (rest[0] === '>' && !deep) {
      if (rest.length < 2 && waits) return undefined
      cursor.to(next, 1)
      cursor.skip(1)
      starts.push({ type: 'quote', from: next, to: cursor.at })
      depth++
      continue
    }
    const heading = /^#{1,6}(?=[ \t\r]|$)/.exec(rest)
    if (/^#{1,6}$/.test(rest) && waits) return undefined
    if (heading) return plan('heading', next + heading[0].length, { level: heading[0].length })
    if (/^(?:`{1,2}|~{1,2})$/.test(rest) && waits) return undefined
    if (FENCE.test(rest)) {
      if (waits) return undefined
      if (line.length < REACH) return plan('opener', next, { spaces: columns })
    }
    if (state.math && rest.length < MATH_LINE) {
      if ((rest === '$' || rest === '\\') && waits) return undefined
      if (/^(?:\$\$|\\\[)/.test(rest)) {
        if (!whole) return undefined
        if (!hasTextBehind(rest)) return plan('math', next)
      }
    }
    if (RULE_BEGUN.test(rest) && waits) return undefined
    if (line.length < REACH && RULE.test(rest.trimEnd())) return plan('rule', next)
    if (SIGN_BEGUN.test(rest) && waits) return undefined
    const sign = deep ? null : SIGN.exec(rest)
    if (sign) {
      const behind = /^[ \t\r]*/.exec(rest.slice(sign[0].length))?.[0] as string
      const isEmpty = sign[0].length + behind.length === rest.length
      if (isEmpty && !whole) return undefined
      const number = Number(sign[2] ?? 0)
      const interrupts = isFirst && leaf === 'paragraph'
      if (!(interrupts && (isEmpty || (sign[2] !== undefined && number !== 1)))) {
        cursor.to(next, sign[0].length)
        const blanks = cursor.indent.columns
        const padding = isEmpty || blanks > 4 ? 1 : blanks
        cursor.skip(padding)
        const mark = sign[1] ?? (sign[3] as string)
        const indent = columns + sign[0].length + padding
        const to = cursor.at
        starts.push({ type: 'item', from: next, to, indent, ordered: sign[2] !== undefined, mark, start: number })
        depth += 2
        continue
      }
    }
    if (isFirst && leaf === 'table') return whole ? plan('row', next) : undefined
    const mayBeNames = rest[0] === '|' || state.anyTable
    const isLazy = !all && starts.length === 0 && leaf === 'paragraph'
    if (mayBeNames && !isLazy && line.length < LONGEST_NAMES) {
      if (!whole) return undefined
      if (rest.includes('|') && rest.split('|', COLUMNS + 3).length < COLUMNS + 3) return plan('names', next)
    }
    return plan('text', next)
  }

  function fenceLine({ marks, indent }: { marks: string; indent: number }): LinePlan | undefined {
    const { columns, next } = cursor.indent
    const rest = line.slice(next)
    if (columns < 4 && new RegExp(`^\\${marks[0]}*[ \\t\\r]*$`).test(rest)) {
      if (waits) return undefined
      if (line.length < REACH && rest.trimEnd().length >= marks.length) return plan('closer', next)
    }
    cursor.skip(Math.min(indent, columns))
    return plan('code', cursor.at, { spaces: cursor.spaces })
  }
}

/** A formula that closes within its first line has nothing behind it there. */
function hasTextBehind(line: string): boolean {
  const first = line.trimEnd()
  const closes = first.indexOf(first.startsWith('$$') ? '$$' : '\\]', 2)
  return closes >= 0 && closes !== first.length - 2
}

export type Side = 'left' | 'right' | 'center' | undefined

/** `| --- | :-: |`: where the text of each column stands. Undefined: it is no such line. */
export function columnsOf(line: string): Side[] | undefined {
  if (!/^(?:-(?![ \t])|[|:]).[-|: \t\r]*$/.test(line)) return undefined
  const parts = line
    .trim()
    .split('|')
    .map((part) => part.trim())
  if (parts[0] === '') parts.shift()
  if (parts.at(-1) === '') parts.pop()
  if (!parts.every((part) => /^:?-+:?$/.test(part))) return undefined
  return parts.map((part) =>
    part.endsWith(':') ? (part[0] === ':' ? 'center' : 'right') : part[0] === ':' ? 'left' : undefined,
  )
}

/** A cell of a row: its text in pieces, each with where it stands in the line. */
export type Cell = { text: string; at: number }[]

/** The cells of a line. `\|` is no border. */
export function cellsOf(line: string): Cell[] {
  const end = line.trimEnd().length
  const cells: Cell[] = [[]]
  let from = line.length - line.trimStart().length
  const take = (to: number): void =>
    void (to > from && (cells.at(-1) as Cell).push({ text: line.slice(from, to), at: from }))
  for (let at = line.indexOf('|', from); at >= 0 && at < end; at = line.indexOf('|', at + 1)) {
    const escaped = line[at - 1] === '\\'
    take(escaped ? at - 1 : at)
    from = escaped ? at : at + 1
    if (!escaped) cells.push([])
  }
  take(end)
  if (cells[0]?.length === 0) cells.shift()
  if (cells.at(-1)?.length === 0) cells.pop()
  return cells
}
