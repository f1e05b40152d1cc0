// Tools that this window runs for the engine (`runsIn: 'window'`): a call comes with a token that its result is sent
// with.
import type { WindowFrame } from '../bridge/messages.js'
import { messageOf } from '../../engine/core/errors.js'
import type { Json, JsonObject } from '../../engine/core/events.js'
import { jsonText, untellable } from '../../engine/core/json-text.js'
import type { Call } from './call.js'

/** What a tool that runs in a window is called with, beside its arguments. */
export interface WindowToolContext {
  /** Aborted by timeout, by cancel of the call or of the message, and when the client is closed. */
  readonly signal: AbortSignal
  /** Id of the message with the call. */
  readonly message: string
  /** The number of the call in it. */
  readonly call: number
  /** The name of the tool. */
  readonly name: string
  /** The call's id of the provider, or of the text format; absent where it has none. */
  readonly id?: string
  /** Idempotency key: the same for the same call, also when a saved turn runs it again. */
  readonly key: string
}

/** Runs the call. Its return value is the result; what it throws becomes the failure that the model reads. */
export type WindowTool = (args: JsonObject, context: WindowToolContext) => unknown

type Execute = NonNullable<WindowFrame['execute']>[number]
type Abort = NonNullable<WindowFrame['abort']>[number]

export class WindowTools {
  readonly #call: Call
  readonly #tools = new Map<string, WindowTool>()
  readonly #running = new Map<string, AbortController>()

  constructor(call: Call) {
    this.#call = call
  }

  add(tools: { [name: string]: WindowTool }): () => void {
    for (const [name, run] of Object.entries(tools)) {
      if (typeof run !== 'function')
        throw new TypeError(`tools.${name}: expected a function, found ${run === null ? 'null' : typeof run}`)
    }
    const added = Object.entries(tools)
    for (const [name, run] of added) this.#tools.set(name, run)
    return () => {
      for (const [name, run] of added) if (this.#tools.get(name) === run) this.#tools.delete(name)
    }
  }

  async execute({ token, arguments: args, ...info }: Execute): Promise<void> {
    const { message, call, name } = info
    const place = placeOf(message, call)
    const abort = new AbortController()
    this.#running.set(place, abort)
    const result = await this.#run(name, args, { ...info, signal: abort.signal })
    if (this.#running.get(place) === abort) this.#running.delete(place)
    if (abort.signal.aborted) return // it was aborted: the host ignores the result
    try {
      await this.#call('result', { message, call, token, ...result })
    } catch (error) {
      // The host tells the turn itself why it did not take it. On the way there a result may have been too large.
      await this.#call('result', { message, call, token, error: messageOf(error) }).catch(() => {})
    }
  }

  abort({ message, call, reason }: Abort): void {
    this.#running.get(placeOf(message, call))?.abort(new Error(reason))
  }

  abortAll(reason: string): void {
    for (const abort of this.#running.values()) abort.abort(new Error(reason))
  }

  async #run(name: string, args: JsonObject, context: WindowToolContext): Promise<{ value: Json } | { error: string }> {
    const tool = this.#tools.get(name)
    if (!tool) return { error: `this window has no tool ${JSON.stringify(name)}` }
    let value: unknown
    try {
      value = await tool(args, context)
    } catch (error) {
      return { error: messageOf(error) }
    }
    try {
      return { value: value === undefined ? null : (JSON.parse(jsonText(value)) as Json) }
    } catch (error) {
      return { error: untellable(error) }
    }
  }
}

const placeOf = (message: string, call: number): string => `${call}:${message}`
