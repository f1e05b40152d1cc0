// Waits that only the app can end, and of which it may not know: the first loop over a run often reads no `approval`
// event.
import type { EngineWarnings } from './engine-warnings.js'
import type { ApprovalEvent, ExecuteEvent } from './events.js'
import { setImmediate } from './set-immediate.js'

const WAIT_MS = 10_000

type Waiting = ApprovalEvent | ExecuteEvent

/** What the app calls to end a wait. */
const waysOf = (event: Waiting): string => {
  if (event.type === 'execute') return 'run.succeed(event, value) or run.fail(event, message)'
  return `${event.stage === 'result' ? 'run.release' : 'run.approve'}(event), run.deny(event), or approvals`
}

/** What an engine knows of its app. After the app's first answer, a wait is that of a person. */
export class Unanswered {
  readonly #silent = new Set<Waiting['type']>()

  /** No wait of this kind is warned about any more. */
  silence(kind: Waiting['type']): void {
    this.#silent.add(kind)
  }

  isSilent(kind: Waiting['type']): boolean {
    return this.#silent.has(kind)
  }
}

/** The waits of one run. */
export class Waits {
  readonly #unanswered: Unanswered
  readonly #warnings: EngineWarnings
  /** Only a loop over the events can answer. */
  readonly #isLoop: () => boolean
  /** A reader has the event, and asked for the next one. */
  readonly #passed: (event: Waiting) => boolean
  readonly #timers = new Map<number, NodeJS.Timeout>()

  constructor(
    unanswered: Unanswered,
    warnings: EngineWarnings,
    isLoop: () => boolean,
    passed: (event: Waiting) => boolean,
  ) {
    this.#unanswered = unanswered
    this.#warnings = warnings
    this.#isLoop = isLoop
    this.#passed = passed
  }

  /** The app answered a wait. */
  answered(kind: Waiting['type']): void {
    this.#unanswered.silence(kind)
  }

  /**
   * Warns when nothing has ended this wait after ten seconds. The process lives until then: else it ends, and nobody
   * learns why.
   */
  begin(event: Waiting): void {
    const { call, name } = event
    this.end(call)
    if (this.#isSilent(event)) return
    const look = (): void => {
      this.#timers.delete(call)
      if (this.#isSilent(event) || !this.#isLoop()) return
      if (!this.#passed(event)) return this.#arm(call, look)
      const text = `${name} has waited ${WAIT_MS / 1000} s: ${waysOf(event)}`
      this.#warnings.report({ kind: 'unanswered', text, tool: name })
    }
    this.#arm(call, look)
    setImmediate(() => this.#isLoop() || this.end(call)) // whoever starts to read in this moment still counts
  }

  /** The call waits no more. */
  end(call: number): void {
    clearTimeout(this.#timers.get(call))
    this.#timers.delete(call)
  }

  endAll(): void {
    for (const call of [...this.#timers.keys()]) this.end(call)
  }

  #isSilent({ type, name }: Waiting): boolean {
    return this.#unanswered.isSilent(type) || this.#warnings.isSilent('unanswered', name)
  }

  #arm(call: number, look: () => void): void {
    this.#timers.set(call, setTimeout(look, WAIT_MS))
  }
}
