// Prints a model's text as it streams: wrapped at words, the row that is being written redrawn, every row above it final.
import { Flow, type Span } from './flow.js'
import type { Paper } from './paper.js'

export interface ProseOptions {
  /** The style of all of it. */
  sgr?: string
  /** Stands in front of the first row. */
  first?: Span
}

export class Prose {
  readonly #paper: Paper
  readonly #options: ProseOptions
  #flow: Flow | undefined

  constructor(paper: Paper, options: ProseOptions = {}) {
    this.#paper = paper
    this.#options = options
  }

  /** More text. It holds no controls but tab and newline. */
  push(text: string): void {
    for (const [at, line] of text.split('\n').entries()) {
      if (at > 0) this.#endLine()
      if (line === '') continue
      this.#flow ??= new Flow({ width: this.#paper.width, first: this.#options.first ? [this.#options.first] : [], rest: [] })
      this.#flow.add({ text: line, sgr: this.#options.sgr ?? '' })
      this.#flush()
    }
    this.#paper.tail(this.#flow?.last ?? '')
  }

  /** No more text comes. */
  end(): void {
    if (this.#flow) this.#endLine()
  }

  #endLine(): void {
    this.#flow ??= new Flow({ width: this.#paper.width })
    this.#flow.end()
    this.#flush()
    this.#flow = undefined
  }

  #flush(): void {
    const { rows } = this.#flow as Flow
    if (rows.length > 0) this.#paper.print(rows.splice(0))
  }
}
