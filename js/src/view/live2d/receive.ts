/// <reference lib="esnext.disposable" preserve="true" />
// The window of the pet: orders come in, a model performs them in their order, and every one is answered.
import type { Bridge, PetCapabilities, PetOrder, PetSide, Reply } from '../../app/bridge/messages.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import {
  anything,
  func,
  is,
  isObject,
  members,
  milliseconds,
  text,
  withMethods,
  type Check,
} from '../../engine/core/options.js'
import type { PetModel } from './live2d-model.js'
import { Orders, type OrderOptions } from './orders.js'

/** A model, one that is being loaded, or none. */
export type ModelSource = PetModel | Promise<PetModel | null> | null

interface Common extends OrderOptions {
  /** What performs the orders. Default none: `setModel` gives one later. */
  model?: ModelSource
  /** An order that was not performed, with the reason that the card shows too; or something else that went wrong. */
  onError?: (reason: string, order?: Pick<PetOrder, 'channel' | 'payload'>) => void
}

/** Where orders come from, and who performs them. */
export interface PetReceiverOptions extends Common {
  /** Of `connect()`; or the bridge itself. */
  client?: {
    /** Orders for the pet. */
    readonly pet: PetSide
  }
  /**
   * Whoever speaks the answers, such as `speaker()` of sluice/speech: with `cues: 'spoken'` of the host an order waits
   * for its words.
   */
  speaker?:
    | {
        /** Resolves when the words of a call come (`now`), or with `stopped` where they will not. */
        hold(order: Pick<PetOrder, 'message' | 'call'>): Promise<'now' | 'stopped'>
      }
    | undefined
  /** In place of a client. */
  bridge?: Pick<Bridge, 'call' | 'onPet'>
}

/** What performs the orders for a pet. */
export interface PetReceiver {
  /** The model that performs, and whose expressions and motions become tools. The same one again: they changed. */
  setModel(model: ModelSource): void
  /** The one that performs now. */
  readonly model: PetModel | null
  /** No order is performed any more, and the tools go. */
  close(): void
  [Symbol.dispose](): void
}

const common: { readonly [option in keyof Required<Common>]: Check } = {
  model: anything,
  onError: func('(reason, order) => void'),
  channels: members({ members: { expression: text, motion: text } }),
  handlers: is(
    'an object of functions',
    (value) => isObject(value) && Object.values(value).every((handler) => typeof handler === 'function'),
  ),
  timeoutMs: milliseconds,
}
const checkReceive = members({
  members: {
    ...common,
    client: is('what connect() returns', (value) => isObject((value as { pet?: unknown }).pet)),
    bridge: withMethods('a bridge with call and onPet', 'call', 'onPet'),
    speaker: withMethods('a speaker with hold', 'hold'),
  },
})
const checkChannels = members({ members: { ...common, on: func('(channel, listener) => void') }, needs: ['on'] })

/**
 * Performs the orders that the host has for the pet of this window.
 * @throws SluiceError `option` for an option that is wrong, and where there is neither a client nor a bridge.
 */
export function receivePetOrders(options: PetReceiverOptions): PetReceiver {
  checkReceive(options, 'options')
  const { client, bridge, speaker } = options
  const side = client?.pet ?? (bridge ? overBridge(bridge) : undefined)
  if (!side)
    throw new SluiceError({
      code: 'option',
      path: 'client',
      detail: 'expected a client or a bridge',
      hint: 'connect() of sluice/renderer gives the client',
    })
  const failed = (what: string) => (error: unknown) => options.onError?.(`${what}: ${messageOf(error)}`)
  let said = Promise.resolve<unknown>(undefined) // one after the other: the last word counts
  const receiver = new Receiver(options, (capabilities) => {
    said = said.then(() => side.ready(capabilities)).catch(failed('the capabilities of the model were not taken'))
  })
  const off = side.onOrder((order) => void take(order))
  receiver.onClose = off

  async function take(order: PetOrder): Promise<void> {
    const { id, channel, payload } = (order ?? {}) as Partial<PetOrder>
    if (typeof id !== 'number' || typeof channel !== 'string')
      return options.onError?.('found an order without id or channel')
    const reason = (await words(order))
      ? await receiver.perform(channel, payload)
      : 'its words were not said: the voice was stopped'
    if (receiver.closed) return
    await side!
      .reply(reason === undefined ? { id, ok: true } : { id, ok: false, reason })
      .catch(failed('the answer was not taken'))
  }
  /** Waits for the words of the order, and tells the host so. False: they will not come. */
  async function words({ id, message, call, spoken }: PetOrder): Promise<boolean> {
    if (!spoken || !speaker) return true
    const tell = (held: boolean): void =>
      void side!.hold?.({ id, held }).catch(failed('the host was not told that an order waits'))
    let waits = true
    const asked = async (): Promise<'now' | 'stopped'> => speaker.hold({ message, call })
    const how = asked()
      .catch((error: unknown) => {
        failed('the voice did not say when its words come')(error)
        return 'now' as const
      })
      .finally(() => (waits = false))
    await new Promise((resolve) => setTimeout(resolve))
    if (!waits) return (await how) === 'now' // nobody speaks
    tell(true)
    const now = (await how) === 'now'
    if (now && !receiver.closed) tell(false)
    return now
  }
  receiver.setModel(options.model ?? null)
  return receiver
}

/** For a preload of your own: how its messages are listened to. */
export interface PetChannelOptions extends Common {
  /**
   * Listens to a channel and hands on the payload, without Electron's event; what it gives back, if a function, ends
   * that.
   */
  on: (channel: string, listener: (...payload: unknown[]) => void) => unknown
}

/**
 * For apps that send `webContents.send('live2d:expression', 'smile')` themselves, over a preload of their own. Throws
 * like `receivePetOrders`.
 */
export function receivePetChannels(options: PetChannelOptions): PetReceiver {
  checkChannels(options, 'options')
  const { on } = options
  const receiver = new Receiver(options, () => undefined)
  const offs = receiver.channels.map((channel) => on(channel, (...payload) => void receiver.perform(channel, payload)))
  receiver.onClose = () => offs.forEach((off) => typeof off === 'function' && off())
  receiver.setModel(options.model ?? null)
  return receiver
}

class Receiver implements PetReceiver {
  readonly #orders: Orders
  readonly #options: Common
  readonly #announce: (capabilities: PetCapabilities | null) => void
  #source: ModelSource = null
  #announced = false
  closed = false
  onClose: () => void = () => undefined

  constructor(options: Common, announce: (capabilities: PetCapabilities | null) => void) {
    this.#options = options
    this.#announce = announce
    this.#orders = new Orders(options)
  }

  get channels(): string[] {
    return this.#orders.channels
  }

  get model(): PetModel | null {
    return this.#orders.model
  }

  async perform(channel: string, payload: unknown): Promise<string | undefined> {
    const reason = await this.#orders.perform(channel, payload)
    if (reason !== undefined && !this.closed)
      this.#options.onError?.(reason, { channel, payload: payload as PetOrder['payload'] })
    return reason
  }

  setModel(source: ModelSource): void {
    if (this.closed) throw new SluiceError({ code: 'closed', detail: 'the receiver was closed' })
    this.#source = source
    if (!isPromise(source)) return this.#use(source)
    this.#use(null, true)
    source.then(
      (model) => this.#source === source && this.#use(model),
      (error: unknown) => {
        if (this.#source !== source) return // another one was set meanwhile
        this.#use(null)
        this.#options.onError?.(`the model could not be loaded: ${messageOf(error)}`)
      },
    )
  }

  close(): void {
    if (this.closed) return
    this.#source = null
    this.#use(null)
    this.closed = true
    this.#orders.close()
    this.onClose()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #use(model: PetModel | null, loading = false): void {
    try {
      const capabilities = model?.capabilities() ?? null
      this.#orders.set(model, loading)
      if (capabilities || this.#announced) this.#announce(capabilities)
      this.#announced = capabilities !== null
    } catch (error) {
      this.#orders.set(null)
      if (this.#announced) this.#announce(null)
      this.#announced = false
      this.#options.onError?.(`the model does not tell what it can do: ${messageOf(error)}`)
    }
  }
}

const isPromise = (source: ModelSource): source is Promise<PetModel | null> =>
  typeof (source as Promise<unknown> | null)?.then === 'function'

function overBridge(bridge: Pick<Bridge, 'call' | 'onPet'>): PetSide {
  const taken = (reply: Reply): void => {
    if (!reply.ok) throw new Error(reply.error.detail)
  }
  return {
    onOrder: (listener) => bridge.onPet(listener),
    ready: (capabilities) => bridge.call('petReady', capabilities).then(taken),
    reply: (answer) => bridge.call('petReply', answer).then(taken),
    hold: (input) => bridge.call('petHold', input).then(taken),
  }
}
