// Gives the app the card of every call that ended, once (`onCall`).
import type { AssistantMessage, CardEvent, CardStatus, ToolUseBlock } from './events.js'
import { guardHook } from './hooks.js'
import type { RunHooks } from './run-options.js'

const open: readonly (CardStatus | undefined)[] = [
  undefined,
  'streaming',
  'pending',
  'awaiting_approval',
  'executing',
  'awaiting_result_approval',
]

export class EndedCalls {
  readonly #onCall: RunHooks['onCall']
  readonly #known = new Set<number>()
  /** Ended; the app does not know yet. */
  #waiting: number[] = []

  constructor(onCall: RunHooks['onCall']) {
    this.#onCall = onCall
  }

  hear({ call, status }: CardEvent): void {
    if (!this.#onCall || open.includes(status) || this.#known.has(call)) return
    this.#known.add(call)
    this.#waiting.push(call)
  }

  /** @param message reads the message with their cards: only where a call ended. */
  report(message: () => AssistantMessage): void {
    if (this.#waiting.length === 0) return
    const calls = new Set(this.#waiting.splice(0))
    for (const block of message().blocks) if (block.type === 'tool_use') this.#tell(block, calls)
  }

  #tell(card: ToolUseBlock, calls: ReadonlySet<number>): void {
    for (const nested of card.nested ?? []) this.#tell(nested, calls)
    if (calls.has(card.call)) guardHook('onCall', () => this.#onCall?.(card))
  }
}
