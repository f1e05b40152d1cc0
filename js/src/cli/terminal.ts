// Reads lines that a person types or that come through a pipe.
import { createInterface, type Interface } from 'node:readline'

export interface LineOptions {
  /** Withdraws the question. */
  signal?: AbortSignal
  /** Drops what was typed before the question, so that it does not answer it. */
  fresh?: boolean
  /** Text that the person can edit. */
  preset?: string
}

export class Terminal {
  /** Input and output are both a terminal. */
  readonly live: boolean
  readonly #lines: Interface
  readonly #queue: string[] = []
  #waiting: ((line: string | undefined) => void) | undefined
  #ended = false

  constructor({ stdin, stdout }: Pick<NodeJS.Process, 'stdin' | 'stdout'> = process) {
    this.live = Boolean(stdin.isTTY && stdout.isTTY)
    this.#lines = createInterface({ input: stdin, ...(this.live ? { output: stdout } : {}), terminal: this.live, historySize: 200 })
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

  /** Reads the next line. Returns undefined at the end of the input, or if the question was withdrawn. One read at a time. */
  line(prompt: string, { signal, fresh = false, preset }: LineOptions = {}): Promise<string | undefined> {
    if (this.live && fresh) {
      this.#queue.length = 0
      this.#lines.write(null, { ctrl: true, name: 'e' })
      this.#lines.write(null, { ctrl: true, name: 'u' })
    }
    const typed = this.#queue.shift()
    if (typed !== undefined || this.#ended || signal?.aborted) return Promise.resolve(typed)
    if (this.live) {
      this.#lines.setPrompt(prompt)
      this.#lines.prompt()
      if (preset !== undefined) this.#lines.write(preset)
    }
    return new Promise((resolve) => {
      const giveUp = (): void => this.#answer(undefined)
      this.#waiting = (line) => {
        signal?.removeEventListener('abort', giveUp)
        resolve(line)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
    })
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
