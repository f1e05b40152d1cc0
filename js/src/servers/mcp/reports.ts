// What a running tool reports, as its card shows it: a server may send thousands a second, and anything in them.
import { escapeInvisible } from '../../app/bridge/invisible.js'
import type { ToolContext } from '../../engine/core/tool.js'
import type { McpProgress } from './mcp-client.js'

const EVERY_MS = 100
const LONGEST = 300

/** Passes reports on, the first at once, then the last of each tenth of a second. */
export class Reports {
  readonly #progress: ToolContext['progress']
  #next: McpProgress | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(progress: ToolContext['progress']) {
    this.#progress = progress
  }

  take(report: McpProgress): void {
    this.#next = report
    if (!this.#timer) this.#tell()
  }

  /** The tool has ended: the last report belongs in front of its result. */
  end(): void {
    clearTimeout(this.#timer)
    this.#tell()
    clearTimeout(this.#timer)
  }

  #tell(): void {
    this.#timer = undefined
    const report = this.#next
    this.#next = undefined
    if (!report) return
    const { progress, total, message } = report
    const text = typeof message === 'string' && message !== '' ? escapeInvisible(message.slice(0, LONGEST)) : undefined
    if (isCount(progress))
      this.#progress({
        done: progress,
        ...(isCount(total) ? { total: total } : {}),
        ...(text === undefined ? {} : { text }),
      })
    else if (text !== undefined) this.#progress(text)
    this.#timer = setTimeout(() => this.#tell(), EVERY_MS)
  }
}

const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < Infinity
