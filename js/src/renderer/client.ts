import type {
  Bridge, ConfigurationPatch, ConfigurationView, Frame, Methods, PetCapabilities, PetOrder, SendInput,
} from '../bridge/messages.js'
import { caller, type Call } from './call.js'
import { closed } from './errors.js'
import { LiveConversation } from './live-conversation.js'
import { LiveMessage } from './live-message.js'
import { WindowTools, type WindowTool } from './window-tools.js'

/** For the window that shows the pet; `sluice/live2d` has what goes in between. */
export interface PetSide {
  /** Orders come in the order in which they were given. */
  onOrder(listener: (order: PetOrder) => void): () => void
  /** What the model that is loaded can do; null: there is none any more. */
  ready(capabilities: PetCapabilities | null): Promise<void>
  reply(answer: Parameters<Methods['petReply']>[0]): Promise<void>
}

/** What a window has of an engine in the main process. */
export class Client {
  readonly pet: PetSide
  readonly #call: Call
  readonly #messages = new Map<string, LiveMessage>()
  readonly #conversations = new Map<string, LiveConversation>()
  readonly #tools: WindowTools
  readonly #off: (() => void)[] = []
  #closed = false

  /** @internal: see `connect`. */
  constructor(bridge: Bridge, onClose: () => void) {
    const call = caller(bridge)
    this.#call = (method, ...input) => (this.#closed ? Promise.reject(closed()) : call(method, ...input))
    this.#tools = new WindowTools(this.#call)
    this.pet = this.#petSide(bridge)
    this.#off.push(bridge.onFrame((frame) => this.#receive(frame)), onClose)
  }

  /** What was said, and what will be. Default: `main`. The same object for the same conversation. */
  open(conversation = 'main'): LiveConversation {
    return keep(this.#conversations, conversation, () => new LiveConversation(conversation, this.#call))
  }

  /** Sends what a person wrote. The answer may be looked at, waited for, or left alone. */
  async send(text: string, options: Pick<SendInput, 'conversation'> = {}): Promise<LiveMessage> {
    const { message } = await this.#call('send', { ...options, text })
    return this.message(message)
  }

  /** The message of this id: always the same object. */
  message(id: string): LiveMessage {
    return keep(this.#messages, id, () => new LiveMessage(id, this.#call))
  }

  configuration(): Promise<ConfigurationView> {
    return this.#call('configuration')
  }

  configure(patch: ConfigurationPatch): Promise<ConfigurationView> {
    return this.#call('configure', patch)
  }

  /** Tools with `runsIn: 'window'` that this window runs, by name. Gives back what takes them away again. */
  tools(tools: { [name: string]: WindowTool }): () => void {
    return this.#tools.add(tools)
  }

  /** Nothing comes any more, and waiting for `done` ends with an error. What goes on in the main process is left alone. */
  close(): void {
    if (this.#closed) return
    for (const off of this.#off) off()
    this.#tools.abortAll('the client was closed')
    for (const message of this.#messages.values()) message.close()
    for (const conversation of this.#conversations.values()) conversation.close()
    this.#closed = true
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #receive(frame: Frame): void {
    // Conversations first: whoever shows an entry has its message when it moves.
    for (const view of frame.conversations ?? []) this.#conversations.get(view.id)?.receive(view)
    for (const change of frame.messages ?? []) this.#messages.get(change.id)?.receive(change)
    for (const execute of frame.execute ?? []) void this.#tools.execute(execute)
    for (const abort of frame.abort ?? []) this.#tools.abort(abort)
  }

  #petSide(bridge: Bridge): PetSide {
    return {
      onOrder: (listener) => {
        const off = bridge.onPet(listener)
        this.#off.push(off)
        return off
      },
      ready: (capabilities) => this.#call('petReady', capabilities),
      reply: (answer) => this.#call('petReply', answer),
    }
  }
}

function keep<T>(map: Map<string, T>, id: string, make: () => T): T {
  if (typeof id !== 'string' || id === '') throw new TypeError(`expected an id, found ${id === '' ? 'an empty string' : typeof id}`)
  let value = map.get(id)
  if (!value) map.set(id, (value = make()))
  return value
}
