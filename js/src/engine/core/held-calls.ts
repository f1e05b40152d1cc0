// Calls that somebody outside runs, until a save names them: whoever reads of one may begin at once.
import type { ExecuteEvent } from './events.js'
import { NotSaved } from './not-saved.js'
import { refuseUnsaved } from './running-tools.js'
import type { Stage } from './stage.js'

export class HeldCalls {
  readonly #stage: Stage
  readonly #tell: (event: ExecuteEvent) => void
  readonly #held = new Set<number>()

  /** @param tell is called when the call is saved */
  constructor(stage: Stage, tell: (event: ExecuteEvent) => void) {
    this.#stage = stage
    this.#tell = tell
  }

  /** A call waits for its save. */
  get busy(): boolean {
    return this.#held.size > 0
  }

  hold(event: ExecuteEvent): void {
    this.#held.add(event.call)
    this.#stage.track(this.#save(event))
  }

  /** The call is no longer wanted: nobody reads of it. */
  drop(call: number): void {
    this.#held.delete(call)
  }

  async #save(event: ExecuteEvent): Promise<void> {
    try {
      await this.#stage.together()
      await this.#stage.checkpoint('tool')
      if (this.#held.has(event.call) && !this.#stage.over) this.#tell(event)
    } catch (error) {
      if (error instanceof NotSaved) return refuseUnsaved(this.#stage, event.call)
      if (!this.#stage.over) throw error
    } finally {
      this.#held.delete(event.call)
    }
  }
}
