// The pet: its abilities become tools, calls of these become orders, and failed orders are reported on their cards.
import type { PetCapabilities } from '../bridge/messages.js'
import type { Engine } from '../../engine/core/engine.js'
import type { IpcEvent } from '../../engine/core/events.js'
import { MOST_MS } from '../../engine/core/options.js'
import { live2dTools } from '../bridge/live2d-tools.js'
import { finite, list, members, name, optional, table, text, whole } from './checks.js'
import type { Message } from './host-message.js'
import type { HostOptions } from './host-types.js'
import type { HostWindow } from './window.js'

const MAX_OPEN_ORDERS = 1000
/** How long an order may wait for its words. */
const HOLD_MS = 30_000

type Parameter = NonNullable<PetCapabilities['parameters']>[number]
const parameter = members<Parameter>({ id: name(200), min: finite, max: finite, default: optional(finite) })

export const checkCapabilities = members<PetCapabilities>({
  model: optional(text(500)),
  expressions: list(name(100), 500),
  motions: table(whole(0, 10_000), 500, name(100)),
  parameters: optional(list(parameter, 5000)),
})

interface Order {
  message: Message
  event: IpcEvent
  /** Windows that have not answered yet. */
  waiting: Set<HostWindow>
  release: () => void
  timer: NodeJS.Timeout
  begun: number
}

type PetOptions = Pick<HostOptions, 'cues' | 'onPet' | 'onPetFailure' | 'petReplyMs'>

export class Pet {
  readonly #engine: Engine
  readonly #options: PetOptions
  /** Windows whose pet has a model, in the order in which they reported it. The last one's tools are offered. */
  readonly #ready = new Map<HostWindow, PetCapabilities>()
  readonly #orders = new Map<number, Order>()
  #tools: string[] = []
  #lastId = 0

  constructor(engine: Engine, options: PetOptions) {
    this.#engine = engine
    this.#options = options
  }

  ready(window: HostWindow, capabilities: PetCapabilities | null): void {
    const before = new Map(this.#ready)
    this.#ready.delete(window)
    if (capabilities) this.#ready.set(window, capabilities)
    try {
      this.#offer(capabilities ?? this.#current)
    } catch (error) {
      this.#ready.clear()
      for (const [other, its] of before) this.#ready.set(other, its)
      throw error
    }
  }

  order(message: Message, event: IpcEvent): void {
    const windows = [...this.#ready.keys()].filter((window) => window.rights.pet)
    if (windows.length === 0) return this.#fail(message, event, 'there is no pet window with a model')
    if (this.#orders.size >= MAX_OPEN_ORDERS) return this.#fail(message, event, 'the pet does not keep up')
    const id = ++this.#lastId
    const timer = this.#patience(id, 0)
    this.#orders.set(id, {
      message,
      event,
      waiting: new Set(windows),
      release: message.hold(),
      timer,
      begun: performance.now(),
    })
    message.flush() // the reader has the text in front of it
    for (const window of windows) {
      try {
        window.peer.pet({
          id,
          channel: event.channel,
          payload: event.payload,
          message: message.id,
          call: event.call,
          ...(this.#options.cues === 'spoken' ? { spoken: true as const } : {}),
        })
      } catch {
        this.reply(window, id, 'the pet window cannot be reached')
      }
    }
  }

  /** One window that could is enough. Ignores replies to orders that are already settled. */
  reply(window: HostWindow, id: number, failure: string | undefined): void {
    const order = this.#orders.get(id)
    if (!order?.waiting.delete(window)) return
    if (failure === undefined || order.waiting.size === 0) this.#end(id, failure)
  }

  /** It waits for its words: it has 30 s for that since it was given, and the usual time behind them. */
  hold(window: HostWindow, id: number, held: boolean): void {
    const order = this.#orders.get(id)
    if (this.#options.cues !== 'spoken' || !order?.waiting.has(window)) return
    clearTimeout(order.timer)
    order.timer = this.#patience(id, held ? Math.max(0, order.begun + HOLD_MS - performance.now()) : 0)
  }

  #patience(id: number, more: number): NodeJS.Timeout {
    return setTimeout(
      () => this.#end(id, 'the pet did not answer'),
      Math.min(more + (this.#options.petReplyMs ?? 5000), MOST_MS),
    )
  }

  /** The window is gone. */
  leave(window: HostWindow): void {
    for (const id of [...this.#orders.keys()]) this.reply(window, id, 'the pet window was closed')
    if (this.#ready.delete(window)) this.#offer(this.#current)
  }

  close(): void {
    for (const id of [...this.#orders.keys()]) this.#end(id, undefined)
  }

  get #current(): PetCapabilities | null {
    return [...this.#ready.values()].at(-1) ?? null
  }

  #offer(capabilities: PetCapabilities | null): void {
    if (this.#options.onPet) return this.#options.onPet(capabilities)
    const tools = capabilities ? live2dTools(capabilities) : []
    const names = tools.map((tool) => tool.name)
    if (tools.length > 0) this.#engine.add(...tools)
    for (const name of this.#tools) if (!names.includes(name)) this.#engine.remove(name)
    this.#tools = names
  }

  #end(id: number, failure: string | undefined): void {
    const order = this.#orders.get(id)
    if (!order) return
    this.#orders.delete(id)
    clearTimeout(order.timer)
    if (failure !== undefined) this.#fail(order.message, order.event, failure)
    order.release()
  }

  #fail(message: Message, { call, channel }: IpcEvent, reason: string): void {
    message.notice(call, reason)
    this.#options.onPetFailure?.({ message: message.id, call, channel, reason })
  }
}
