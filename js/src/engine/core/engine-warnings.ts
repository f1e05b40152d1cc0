// Warnings about waits that only the developer can end, and losses that nobody sees: once for each engine, and for each
// tool that its text names.
import { guardHook } from './hooks.js'
import { warn } from './warning.js'

/**
 * What a warning is about: a call waits for a decision or a result that nobody gives · a run begins with tools of which
 * no model may call one · an answer holds a call that was not read, and no tool ran · `protocol` is set, and nothing
 * reads text · `execute` threw.
 */
export type WarningKind = 'unanswered' | 'no_callable_tool' | 'call_not_read' | 'protocol_unused' | 'tool_threw'

/** A warning to the developer of an app: see the option `warnings`. */
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

/** The option of an engine. `false`: Sluice prints no warning. A function gets each warning instead. */
export type Warnings = false | ((warning: EngineWarning) => void)

/** Tools come and go: a server's names must not fill the memory. */
const MOST_REPORTED = 1000

export class EngineWarnings {
  readonly #reported = new Set<string>()
  readonly #option: Warnings | undefined

  constructor(option: Warnings | undefined) {
    this.#option = option
  }

  /** Nobody would get this warning: it was reported before, or the app wants none. */
  isSilent(kind: WarningKind, tool = ''): boolean {
    return this.#option === false || this.#reported.has(`${kind} ${tool}`) || this.#reported.size >= MOST_REPORTED
  }

  report(warning: EngineWarning): void {
    const { kind, text, tool, error } = warning
    if (this.isSilent(kind, tool)) return
    this.#reported.add(`${kind} ${tool ?? ''}`)
    const option = this.#option
    if (option) guardHook('warnings', () => option(warning))
    else warn(text, `SLUICE_${kind.toUpperCase()}`, error)
  }
}
