// What is printed: lines that stay, and on a terminal one line below them that is redrawn.
import { wrapped, widthOf } from './flow.js'

const colours = {
  dim: '2',
  bold: '1',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
} as const
export type Colour = keyof typeof colours

export interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  rows?: number
}

/** After this long without an event the seconds are counted on the screen. */
const WAIT_MS = 2000

export class Paper {
  readonly #out: Output
  /** The output is a terminal: text wraps at its width. */
  readonly tty: boolean
  /** A line can be redrawn. */
  readonly live: boolean
  /** Text can have colours and weights. */
  readonly styled: boolean
  /** What stands in the line that is redrawn. */
  #tail = ''
  /** Text without a terminal ended in the middle of a line. */
  #open = false
  #quiet = false
  // -- the seconds counted while nothing comes
  #since = 0
  #counted = false
  #clock: NodeJS.Timeout | undefined

  constructor(out: Output, env: NodeJS.ProcessEnv) {
    this.#out = out
    this.tty = Boolean(out.isTTY)
    this.live = this.tty && env.TERM !== 'dumb'
    this.styled = this.live && !env.NO_COLOR
  }

  readonly paint = (colour: Colour, text: string): string =>
    this.styled ? `\x1b[${colours[colour]}m${text}\x1b[0m` : text

  get columns(): number {
    return this.#out.columns || 80
  }

  get rows(): number {
    return this.#out.rows || 24
  }

  /** Columns that a row may fill. The last one stays free: some terminals break behind it, others not. */
  get width(): number {
    return Math.max(12, this.columns - 1)
  }

  /** Prints a line, broken into rows on a terminal. `first`, `rest`: what stands in front of them. */
  line(text: string, first = '', rest = first): void {
    if (!this.tty) return this.print([first + text])
    const prefix = (given: string): { text: string; sgr: string }[] => [{ text: given, sgr: '' }]
    this.print(wrapped(text, { width: this.width, first: prefix(first), rest: prefix(rest) }))
  }

  /** Prints rows as they are. */
  print(rows: readonly string[]): void {
    this.#uncount()
    const [first = ''] = rows
    let text = rows.map((row) => `${row}\n`).join('')
    if (this.#tail && rows.length > 0 && first.startsWith(this.#tail)) text = text.slice(this.#tail.length)
    else if (this.#tail) text = `\r\x1b[K${text}`
    if (this.#open) text = `\n${text}`
    this.#tail = ''
    this.#open = false
    if (text) this.#out.write(text)
  }

  /** Without a terminal: text as it comes. */
  raw(text: string): void {
    this.#out.write(text)
    this.#open = !text.endsWith('\n')
  }

  /** Shows this in the line that is redrawn; '' removes it. Where no line can be redrawn nothing is shown. */
  tail(text: string): void {
    if (!this.live || this.#quiet || text === this.#tail) return
    this.#uncount()
    this.#out.write(this.#tail && text.startsWith(this.#tail) ? text.slice(this.#tail.length) : `\r${text}\x1b[K`)
    this.#tail = text
  }

  /** While a person types nothing is redrawn. */
  quiet(on: boolean): void {
    if (on) this.tail('')
    this.#quiet = on
    this.#since = performance.now()
  }

  /** Something came: counts the seconds from 0 again. `over`: nothing else will come. */
  came(over: boolean): void {
    if (!this.live) return
    this.#since = performance.now()
    this.#uncount()
    if (over) this.#clock = void clearInterval(this.#clock)
    else this.#clock ??= setInterval(() => this.#count(), 1000).unref()
  }

  #count(): void {
    const waited = performance.now() - this.#since
    if (this.#quiet || waited < WAIT_MS) return
    const said = ` … ${Math.floor(waited / 1000)} s`
    const at = widthOf(this.#tail)
    this.#uncount()
    this.#counted = true
    const fits = at + widthOf(said) <= this.width
    const back = `\x1b[A\r${at > 0 ? `\x1b[${at}C` : ''}`
    // in a full row it stands below
    this.#out.write(fits ? `\x1b7${this.paint('dim', said)}\x1b8` : `\n${this.paint('dim', said)}${back}`)
  }

  #uncount(): void {
    if (this.#counted) this.#out.write('\x1b[J')
    this.#counted = false
  }
}
