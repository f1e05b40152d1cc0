// Looks for the mark that closes what was opened, where text comes in pieces: no letter is looked at again with every
// piece, nor with every mark that opens.

/** Does the mark at this place close? `never`: nothing will; undefined: what comes next decides. */
export type Closes = (index: number, looked: { depth: number }) => boolean | 'never' | undefined

export interface Search {
  /** Where to begin. */
  from: number
  /** In front of which it must close. */
  most: number
  /** No more text comes. */
  over: boolean
  /** The letters at which it is asked: one, or two. */
  marks: string
}

export class Closing {
  /** How far was looked for what is open. */
  #looked: { to: number; depth: number } | undefined
  /** What closes by these marks stands nowhere in front of there, counted from the beginning of the text. */
  #none: { marks: string; to: number } | undefined

  /** What was open is read. */
  taken(): void {
    this.#looked = undefined
  }

  /** So many letters in front are gone. */
  moved(by: number): void {
    if (this.#looked) this.#looked.to -= by
  }

  restart(): void {
    this.#none = undefined
  }

  /**
   * The place in `rest`, which begins at `base`. -1: it does not close in this line and so near, undefined: that cannot
   * be told yet.
   */
  find(rest: string, base: number, { from, most, over, marks }: Search, closes: Closes): number | undefined {
    const none = this.#none?.marks === marks ? this.#none.to - base : 0
    const looked = (this.#looked ??= { to: Math.max(from, none), depth: 0 })
    const [one, other] = [marks.charCodeAt(0), marks.charCodeAt(marks.length - 1)]
    const end = Math.min(rest.length, most)
    for (; looked.to < end; looked.to++) {
      const letter = rest.charCodeAt(looked.to)
      if (letter === 0x0a) return this.#nowhere(marks, base + looked.to)
      if (letter !== one && letter !== other) continue
      const here = closes(looked.to, looked)
      if (here === undefined && !over) return undefined
      if (here === 'never') return -1
      if (here) return looked.to
    }
    return over || looked.to >= most ? this.#nowhere(marks, base + looked.to) : undefined
  }

  /** The next one that opens need not look there again. Parentheses count from where they open. */
  #nowhere(marks: string, to: number): -1 {
    if (marks !== '()') this.#none = { marks, to }
    return -1
  }
}
