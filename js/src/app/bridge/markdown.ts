// The one reader of Markdown. It takes a text as it comes and gives what no further text can change, each token once
// and with its place; the page, the terminal and speech read by it. Left out is what would change text that stands
// above (setext headings, reference definitions), what people write by accident (indented code), and HTML but for four
// tags without attributes.
import { InlineRun } from './markdown/inline-run.js'
import {
  cellsOf,
  columnsOf,
  planLine,
  type Cell,
  type Container,
  type LinePlan,
  type Side,
  type Start,
} from './markdown/line-plan.js'
import type { MarkdownNode, MarkdownOptions, MarkdownToken, OpenToken } from './markdown/markdown-tokens.js'
import { heldLine } from './markdown/unfinished.js'

export type * from './markdown/markdown-tokens.js'

/** `settled`: tokens that no further text can change, each once. */
export interface MarkdownChange {
  settled: MarkdownToken[]
  /** The rest as it looks if nothing follows; the next change replaces it. It is made when it is asked for. */
  readonly open: MarkdownToken[]
}

export interface MarkdownReader {
  /** More text, with no line ends but `\n`. */
  push(text: string): MarkdownChange
  /** No more text comes: nothing is open. */
  end(): MarkdownChange
}

/**
 * A reader of one text. However the text was cut, the tokens are the same where texts that touch are one. A mark that
 * may still change waits for at most 600 characters, a link for 2,048, a picture for 12,000.
 */
export function markdownReader(options: MarkdownOptions = {}): MarkdownReader {
  const blocks = new Blocks(options)
  const change = (): MarkdownChange => {
    const settled = blocks.take()
    return {
      settled,
      get open() {
        return blocks.open()
      },
    }
  }
  return {
    push: (text) => {
      blocks.push(text)
      return change()
    },
    end: () => {
      blocks.end()
      return change()
    },
  }
}

/** A line that is looked at again once it has grown by one part of so many. */
const GROWTH = 16

/** A line that names columns if the next one says so. */
interface Names {
  text: string
  from: number
  /** Where the line in front of it ends. */
  break: number
  cells: Cell[]
}

type Leaf =
  | { type: 'none' }
  | { type: 'paragraph'; run: InlineRun; begun: boolean; names?: Names }
  | { type: 'heading'; run: InlineRun }
  | { type: 'table'; sides: Side[] }
  | { type: 'math'; text: string[]; from: number; to: number }
  | { type: 'fence'; marks: string; indent: number; begun: boolean }

function copyOf(leaf: Leaf): Leaf {
  if (leaf.type === 'paragraph' || leaf.type === 'heading') return { ...leaf, run: leaf.run.clone() }
  return leaf.type === 'math' ? { ...leaf, text: [...leaf.text] } : { ...leaf }
}

class Blocks {
  readonly #options: MarkdownOptions
  #out: MarkdownToken[] = []
  /** Behind the last token. */
  #at = 0
  #containers: Container[] = []
  #leaf: Leaf = { type: 'none' }
  // -- the line that comes
  /** While it is not known what it is. */
  #line = ''
  #lineFrom = 0
  /** It is known what the line is: more of it goes to the leaf at once. */
  #known = false
  /** It is looked at when it is so long. */
  #next = 1
  /** Behind all that came. */
  #length = 0

  constructor(options: MarkdownOptions) {
    this.#options = options
  }

  push(text: string): void {
    for (let from = 0; from < text.length; ) {
      const newline = text.indexOf('\n', from)
      const end = newline < 0 ? text.length : newline
      if (end > from) this.#more(text.slice(from, end))
      if (newline >= 0) this.#endLine()
      from = end + 1
    }
    if (this.#leaf.type === 'paragraph' || this.#leaf.type === 'heading') this.#emitAll(this.#leaf.run.settle(false))
  }

  end(): void {
    if (this.#line !== '' || this.#known) this.#endLine()
    this.#closeTo(0)
  }

  take(): MarkdownToken[] {
    return this.#out.splice(0)
  }

  open(): MarkdownToken[] {
    const copy = new Blocks(this.#options)
    copy.#at = this.#at
    copy.#containers = this.#containers.map((one) => ({ ...one }))
    copy.#leaf = copyOf(this.#leaf)
    copy.#lineFrom = this.#lineFrom
    copy.#length = this.#length
    copy.#known = this.#known
    if (!this.#known && this.#line !== '') {
      const { names } = this.#leaf as { names?: Names }
      const held = heldLine(this.#line, names?.text)
      if (!held) copy.#begin(this.#line, true)
      if (held === 'both') delete (copy.#leaf as { names?: Names }).names
    }
    copy.#closeTo(0, true)
    return copy.#out
  }

  // -- lines ----------------------------------------------------------------------------------------------------------

  #more(text: string): void {
    const from = this.#length
    this.#length += text.length
    if (this.#known) return this.#add(text, from)
    this.#line += text
    if (this.#line.length < this.#next) return
    this.#known = this.#line.trim() !== '' && this.#begin(this.#line, false)
    if (this.#known) this.#line = ''
    else this.#next = this.#line.length + Math.max(1, Math.floor(this.#line.length / GROWTH))
  }

  #endLine(): void {
    if (!this.#known) this.#begin(this.#line, true)
    if (this.#leaf.type === 'heading') this.#closeLeaf()
    this.#known = false
    this.#line = ''
    this.#next = 1
    this.#lineFrom = ++this.#length
  }

  /** More of a line that is known. */
  #add(text: string, from: number): void {
    const leaf = this.#leaf
    if (leaf.type === 'paragraph' || leaf.type === 'heading') leaf.run.add(text, from)
    else if (leaf.type === 'fence') this.#emit({ type: 'fence', text, from, to: from + text.length })
  }

  /** Whether it is known what the line is. */
  #begin(line: string, whole: boolean): boolean {
    const leaf = this.#leaf
    const names = leaf.type === 'paragraph' ? leaf.names : undefined
    const plan = planLine(line, whole, {
      containers: this.#containers,
      leaf: leaf.type === 'fence' ? leaf : leaf.type,
      names: names?.cells.length ?? 0,
      math: this.#options.math === true,
      anyTable: this.#options.anyTable === true,
    })
    if (!plan) return false
    const { matched, starts, kind, at } = plan
    const from = this.#lineFrom + at
    const rest = line.slice(at)
    if (kind === 'columns') return this.#beginTable(columnsOf(rest) as Side[], from + rest.length)
    if (leaf.type === 'paragraph') this.#giveBack(leaf)
    const all = matched === this.#containers.length
    const isText = kind === 'text' || kind === 'names'
    if (leaf.type === 'paragraph' && isText && starts.length === 0) {
      if (kind === 'names') return this.#name(leaf, rest, from)
      leaf.run.break(this.#lineFrom - 1)
      leaf.run.add(rest, from)
      return true
    }
    if (leaf.type === 'fence' && all && (kind === 'code' || kind === 'closer')) return this.#inFence(leaf, plan, rest)
    if (leaf.type === 'math' && all && kind === 'math') return this.#inMath(leaf, rest, from)
    if (leaf.type === 'table' && all && kind === 'row') return this.#row(cellsOf(rest), from, leaf.sides, false)
    this.#closeTo(matched)
    for (const start of starts) this.#start(start)
    if (kind === 'blank') return true
    if (starts.length === 0 && this.#containers.at(-1)?.type === 'list') this.#closeTo(this.#containers.length - 1)
    this.#fill()
    this.#beginLeaf(plan, rest, from)
    return true
  }

  #beginLeaf({ kind, spaces, level }: LinePlan, rest: string, from: number): void {
    switch (kind) {
      case 'rule':
        return this.#emit({ type: 'rule', text: rest, from, to: from + rest.length })
      case 'heading': {
        this.#leaf = { type: 'heading', run: new InlineRun(this.#options, true) }
        const marks = level as number
        this.#emit({ type: 'open', node: 'heading', level: marks, from: from - marks, to: from })
        return this.#leaf.run.add(rest, from)
      }
      case 'opener': {
        const marks = /^(?:`+|~+)/.exec(rest)?.[0] as string
        const info = rest.slice(marks.length).trim()
        this.#emit({ type: 'open', node: 'fence', info, from, to: from + rest.length })
        this.#leaf = { type: 'fence', marks, indent: spaces, begun: false }
        return
      }
      case 'math': {
        this.#leaf = { type: 'math', text: [], from, to: from }
        this.#inMath(this.#leaf, rest, from)
        return
      }
      default: {
        const leaf: Leaf = { type: 'paragraph', run: new InlineRun(this.#options), begun: false }
        this.#leaf = leaf
        if (kind === 'names') this.#name(leaf, rest, from)
        else {
          this.#beginParagraph(leaf, from)
          leaf.run.add(rest, from)
        }
      }
    }
  }

  // -- containers -----------------------------------------------------------------------------------------------------

  #start(start: Start): void {
    const from = this.#lineFrom + start.from
    const to = this.#lineFrom + start.to
    const top = this.#containers.at(-1)
    const goesOn =
      start.type === 'item' && top?.type === 'list' && top.ordered === start.ordered && top.mark === start.mark
    if (top?.type === 'list' && !goesOn) this.#closeTo(this.#containers.length - 1)
    this.#fill()
    if (start.type === 'quote') {
      this.#containers.push({ type: 'quote' })
      return this.#emit({ type: 'open', node: 'quote', from, to })
    }
    const { ordered, mark, indent } = start
    if (!goesOn) {
      this.#containers.push({ type: 'list', ordered, mark })
      this.#emit({ type: 'open', node: 'list', ordered, ...(ordered ? { start: start.start } : {}), from, to: from })
    }
    this.#containers.push({ type: 'item', indent, empty: true })
    this.#emit({ type: 'open', node: 'item', from, to })
  }

  /** Marks the innermost item as no longer empty. */
  #fill(): void {
    const top = this.#containers.at(-1)
    if (top?.type === 'item') top.empty = false
  }

  /** Closes the leaf, and the containers but for so many. */
  #closeTo(count: number, isOpen = false): void {
    this.#closeLeaf(isOpen)
    while (this.#containers.length > count) this.#close((this.#containers.pop() as Container).type)
  }

  // -- leaves ---------------------------------------------------------------------------------------------------------

  #beginParagraph(leaf: Extract<Leaf, { type: 'paragraph' }>, from: number): void {
    leaf.begun = true
    this.#emit({ type: 'open', node: 'paragraph', from, to: from })
  }

  #name(leaf: Extract<Leaf, { type: 'paragraph' }>, text: string, from: number): true {
    leaf.names = { text, from, break: this.#lineFrom - 1, cells: cellsOf(text) }
    return true
  }

  /** The line that might have named columns is a paragraph's. */
  #giveBack(leaf: Extract<Leaf, { type: 'paragraph' }>): void {
    if (!leaf.names) return
    if (leaf.begun) leaf.run.break(leaf.names.break)
    else this.#beginParagraph(leaf, leaf.names.from)
    leaf.run.add(leaf.names.text, leaf.names.from)
    delete leaf.names
  }

  #closeLeaf(isOpen = false): void {
    const leaf = this.#leaf
    this.#leaf = { type: 'none' }
    switch (leaf.type) {
      case 'paragraph':
        this.#giveBack(leaf)
        if (!leaf.begun) return
        this.#emitAll(isOpen ? leaf.run.open() : leaf.run.settle(true))
        return this.#close('paragraph')
      case 'heading':
        this.#emitAll(isOpen ? leaf.run.open() : leaf.run.settle(true))
        return this.#close('heading')
      case 'math':
        return this.#closeMath(leaf)
      case 'table':
      case 'fence':
        return this.#close(leaf.type)
    }
  }

  #inFence(leaf: Extract<Leaf, { type: 'fence' }>, { kind, at, spaces }: LinePlan, rest: string): true {
    const from = this.#lineFrom + at
    if (kind === 'closer') {
      this.#leaf = { type: 'none' }
      this.#emit({ type: 'close', node: 'fence', from, to: from + rest.length })
      return true
    }
    if (leaf.begun) this.#emit({ type: 'fence', text: '\n', from: this.#lineFrom - 1, to: this.#lineFrom })
    leaf.begun = true
    if (spaces > 0) this.#emit({ type: 'fence', text: ' '.repeat(spaces), from, to: from })
    if (rest !== '') this.#emit({ type: 'fence', text: rest, from, to: from + rest.length })
    return true
  }

  #inMath(leaf: Extract<Leaf, { type: 'math' }>, rest: string, from: number): true {
    const line = rest.trimEnd()
    leaf.text.push(line)
    leaf.to = from + line.length
    const close = (leaf.text[0] as string).startsWith('$$') ? '$$' : '\\]'
    if (line.endsWith(close) && (leaf.text.length > 1 || line.length >= 4)) this.#closeLeaf()
    return true
  }

  #closeMath({ text, from, to }: Extract<Leaf, { type: 'math' }>): void {
    const info = text.join('\n')
    const close = info.startsWith('$$') ? '$$' : '\\]'
    const tex = info.length > 4 && info.endsWith(close) ? info.slice(2, -2).trim() : ''
    this.#emit({ type: 'math', text: tex, info, display: true, from, to })
  }

  #beginTable(sides: Side[], end: number): true {
    const leaf = this.#leaf as Extract<Leaf, { type: 'paragraph' }>
    const { cells, from } = leaf.names as Names
    delete leaf.names
    this.#closeLeaf()
    this.#emit({ type: 'open', node: 'table', from, to: from })
    this.#row(cells, from, sides, true)
    this.#at = end
    this.#leaf = { type: 'table', sides }
    return true
  }

  #row(cells: readonly Cell[], from: number, sides: readonly Side[], head: boolean): true {
    this.#emit({ type: 'open', node: 'row', ...(head ? { head } : {}), from, to: from })
    for (const [at, align] of sides.entries()) {
      const cell = cells[at] ?? []
      const place = cell[0] ? from + cell[0].at : this.#at
      const open: OpenToken = { type: 'open', node: 'cell', ...(align ? { align } : {}), from: place, to: place }
      this.#emit(open)
      const run = new InlineRun(this.#options)
      for (const piece of cell) run.add(piece.text, from + piece.at)
      this.#emitAll(run.settle(true))
      this.#close('cell')
    }
    this.#close('row')
    return true
  }

  // -- tokens ---------------------------------------------------------------------------------------------------------

  #close(node: MarkdownNode): void {
    this.#emit({ type: 'close', node, from: this.#at, to: this.#at })
  }

  #emitAll(tokens: readonly MarkdownToken[]): void {
    for (const token of tokens) this.#emit(token)
  }

  #emit(token: MarkdownToken): void {
    this.#out.push(token)
    this.#at = token.to
  }
}
