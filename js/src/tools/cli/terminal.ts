// Reads lines that a person types or that come through a pipe.
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'

export interface LineOptions {
  /** Withdraws the question. */
  signal?: AbortSignal
  /** Drops what was typed before the question, also what nobody read yet, so that it does not answer it. */
  fresh?: boolean
  /** Text that the person can edit. */
  preset?: string
}

export class Terminal {
  /** Input and output are both a terminal. */
  readonly live: boolean
  readonly #lines: Interface
  readonly #stdout: NodeJS.WriteStream
  readonly #queue: string[] = []
  #waiting: ((line: string | undefined) => void) | undefined
  #ended = false

  /** `complete`: what the Tab key offers for the beginning of a line. */
  constructor(
    { stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'> = process,
    complete: (line: string) => string[] = () => [],
  ) {
    this.#stdout = stdout
    this.live = Boolean(stdin.isTTY && stdout.isTTY)
    // Nothing is drawn but while a line is read: what is typed during an answer would stand in the middle of it.
    const output = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (this.#waiting) stdout.write(chunk)
        done()
      },
    })
    Object.defineProperties(output, { columns: { get: () => stdout.columns }, rows: { get: () => stdout.rows } })
    if (this.live) stdout.on('resize', () => output.emit('resize'))
    const completer = (line: string): [string[], string] => [complete(line), line]
    this.#lines = createInterface({
      input: stdin,
      ...(this.live ? { output, completer } : {}),
      terminal: this.live,
      historySize: 200,
    })
    this.#lines.on('line', (line) => {
      if (this.#waiting) this.#answer(line)
      else this.#queue.push(line)
    })
    this.#lines.on('close', () => {
      this.#ended = true
      this.#answer(undefined)
    })
  }

  /** Calls `listener` on Ctrl-C or SIGINT. */
  onInterrupt(listener: () => void): void {
    this.#lines.on('SIGINT', listener)
    process.on('SIGINT', listener)
  }

  /**
   * Reads the next line. Returns undefined at the end of the input, or if the question was withdrawn. One read at a
   * time.
   */
  async line(prompt: string, { signal, fresh = false, preset }: LineOptions = {}): Promise<string | undefined> {
    if (this.live && fresh) await this.#dropTyped()
    const typed = this.#queue.shift()
    if (typed !== undefined && this.live) this.#stdout.write(`${prompt}${typed}\n`) // typed during the answer
    if (typed !== undefined || this.#ended || signal?.aborted) return typed
    const line = new Promise<string | undefined>((resolve) => {
      const giveUp = (): void => this.#answer(undefined)
      this.#waiting = (line) => {
        signal?.removeEventListener('abort', giveUp)
        resolve(line)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
    })
    if (this.live) {
      Object.assign(this.#lines, { prevRows: 0 }) // rows of what was typed meanwhile, which were not drawn
      this.#lines.setPrompt(prompt)
      this.#lines.prompt(preset === undefined)
      if (preset !== undefined) this.#lines.write(preset)
    }
    return line
  }

  async #dropTyped(): Promise<void> {
    for (let rounds = 0; rounds < 2; rounds++) await new Promise(setImmediate) // reads what waits in the input
    this.#queue.length = 0
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
  }

  /** Draws the question again, below what was printed meanwhile. */
  redraw(): void {
    if (this.live && this.#waiting) this.#lines.prompt(true)
  }

  close(): void {
    this.#lines.close()
  }

  #answer(line: string | undefined): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(line)
  }
}
