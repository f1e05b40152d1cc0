// What a run can lose without a word: calls in a format that nobody reads, and tools that no model sees.
import type { EngineWarnings } from './engine-warnings.js'
import type { SluiceEvent } from './events.js'

export class RunLosses {
  readonly #warnings: EngineWarnings
  /** The protocol of a call that was not read. */
  #unread: string | undefined
  #ran = false

  constructor(warnings: EngineWarnings) {
    this.#warnings = warnings
  }

  hear(event: SluiceEvent): void {
    switch (event.type) {
      case 'diagnostic':
        if (event.code === 'no_callable_tool')
          this.#warnings.report({ kind: 'no_callable_tool', text: event.detail ?? '' })
        if (event.code === 'other_format' || event.code === 'text_call_in_native_mode') this.#unread ??= event.detail
        return
      case 'card':
        if (event.status === 'executing' || event.source === 'provider') this.#ran = true
        return
      case 'ipc':
        this.#ran = true
        return
      case 'done':
        return this.#end()
    }
  }

  #end(): void {
    const id = this.#unread
    if (id === undefined || this.#ran) return
    this.#warnings.report({
      kind: 'call_not_read',
      text: `the answer holds a call in the format ${id} that was not read: alsoParse: ['${id}'], or mode: 'text' with protocol: '${id}'`,
    })
  }
}
