// Waits that only the developer can end, and losses that nobody sees: each is told once for each engine, and for each
// tool that its text names.
import { guardHook } from './hooks.js'
import { warn } from './warning.js'

/**
 * What a warning is about: a call waits for a decision or a result that nobody gives · a run begins with tools of which
 * no model may call one · an answer holds a call that was not read, and no tool ran · `protocol` is set, and nothing
 * reads text · `execute` threw.
 */
export type WarningKind = 'unanswered' | 'no_callable_tool' | 'call_not_read' | 'protocol_unused' | 'tool_threw'

/** What Sluice tells the developer of an app: see the option `warnings`. */
export interface EngineWarning {
  /** What it is about. */
  kind: WarningKind
  /** What happens, and what to do about it. */
  text: string
  /** The name of the tool, if it is about one. */
  tool?: string
  /** What was thrown, if that is the matter. */
  error?: unknown
}

/** The option of an engine: nothing is told, or this function gets what would be printed. */
export type Warnings = false | ((warning: EngineWarning) => void)

/** Tools come and go: a server's names must not fill the memory. */
const MOST_TOLD = 1000

export class EngineWarnings {
  readonly #told = new Set<string>()
  readonly #option: Warnings | undefined

  constructor(option: Warnings | undefined) {
    this.#option = option
  }

  /** This warning was told, or would not be. */
  isTold(kind: WarningKind, tool = ''): boolean {
    return this.#option === false || this.#told.has(`${kind} ${tool}`) || this.#told.size >= MOST_TOLD
  }

  tell(warning: EngineWarning): void {
    const { kind, text, tool, error } = warning
    if (this.isTold(kind, tool)) return
    this.#told.add(`${kind} ${tool ?? ''}`)
    const option = this.#option
    if (option) guardHook('warnings', () => option(warning))
    else warn(text, `SLUICE_${kind.toUpperCase()}`, error)
  }
}
