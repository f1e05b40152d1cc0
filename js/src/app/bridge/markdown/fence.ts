// Fenced code at the top of a text, read line by line: an open fence only grows.

export interface Fence {
  type: 'fence'
  info: string
  code: string
  closed: boolean
}

/** The first line of fenced code. A line of hundreds of marks is none: nothing would be shown of it. */
export const FENCE_OPENER = /^( {0,3})(`{3,100}(?=[^`\n]*$)|~{3,100}(?!~))(.*)$/

/** Reads a fence from `at` on, a piece at a time. */
export class FenceReader {
  readonly info: string
  #indent: number
  #close: RegExp
  #at: number // what is before was read
  #code = ''

  private constructor(line: string, at: number) {
    const [, indent, marks, info] = FENCE_OPENER.exec(line) as unknown as [string, string, string, string]
    this.info = info.trim()
    this.#indent = indent.length
    this.#close = new RegExp(`^ {0,3}\\${marks[0]}{${marks.length},}[ \\t]*$`)
    this.#at = at + line.length + 1
  }

  /** Undefined if no fence begins with this line, which begins at `at`. */
  static begin(line: string, at: number): FenceReader | undefined {
    return FENCE_OPENER.test(line) ? new FenceReader(line, at) : undefined
  }

  /**
   * Reads the lines that came. `end`: where the text behind the fence begins, once it is closed. `open`: more may come.
   */
  read(text: string, open: boolean): { fence: Fence; end: number | undefined } {
    for (;;) {
      if (this.#at >= text.length) return this.#now('', open ? undefined : text.length)
      const stop = text.indexOf('\n', this.#at)
      const line = text.slice(this.#at, stop < 0 ? undefined : stop)
      const closes = this.#close.test(line)
      if (stop < 0) {
        if (closes && !open) return this.#now('', text.length, true)
        const held = open && line.length <= 24 && /^ {0,3}[`~]*[ \t]*$/.test(line) // may become the fence's end
        return this.#now(held ? '' : this.#unindented(line), open ? undefined : text.length)
      }
      this.#at = stop + 1
      if (closes) return this.#now('', this.#at, true)
      this.#code += this.#unindented(line) + '\n'
    }
  }

  #now(more: string, end: number | undefined, closed = false): { fence: Fence; end: number | undefined } {
    return {
      fence: {
        type: 'fence',
        info: this.info,
        code: (this.#code + more).replace(/\n$/, ''),
        closed: closed || end !== undefined,
      },
      end,
    }
  }

  #unindented(line: string): string {
    let from = 0
    while (from < this.#indent && line[from] === ' ') from++
    return line.slice(from)
  }
}
