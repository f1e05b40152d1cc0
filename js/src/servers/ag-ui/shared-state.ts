// State that an app shares with its page, told to the client of one run: from its first event to its last, and to
// nobody behind it.
import { wrong } from '../../engine/core/options.js'
import type { Json } from '../../engine/core/events.js'
import type { AGUIEvent } from './ag-ui-types.js'

export class SharedState {
  #tell: ((event: AGUIEvent) => void) | undefined
  /** What was set before the run began. */
  #first: AGUIEvent | undefined

  readonly set = (state: Json): void => {
    const text = JSON.stringify(state) as string | undefined // as it is now
    if (text === undefined) throw wrong('setState()', state, 'JSON')
    const event: AGUIEvent = { type: 'STATE_SNAPSHOT', snapshot: JSON.parse(text) as Json }
    if (this.#tell) this.#tell(event)
    else this.#first = event
  }

  /** The run has begun. `tell` does nothing behind its end. */
  begin(tell: (event: AGUIEvent) => void): void {
    this.#tell = tell
    if (this.#first) tell(this.#first)
  }
}
