// The host: an engine, its conversations, and the windows that look at them. Knows neither Electron nor HTTP.
import type { Bridge, ConfigurationPatch, Frame, PetCapabilities, PetOrder, Reply } from '../bridge/messages.js'
import type { RunOptions } from '../run.js'
import type { ChatMessage, SluiceEvent } from '../events.js'

/** What a window may do beside looking. */
export interface Rights {
  /** send, cancel, run tools with `runsIn: 'window'`. */
  chat?: boolean
  /** approve and deny. */
  approve?: boolean
  /** Change the configuration. */
  configure?: boolean
  /** Be the pet: get `PetOrder`s, say what it can do. */
  pet?: boolean
}

/** One window, as the transport knows it. */
export interface Peer {
  /** Different for every window, and for every page that is loaded into it. */
  readonly id: string
  readonly rights: Rights
  frame(frame: Frame): void
  pet(order: PetOrder): void
}

/** A peer that is connected. */
export interface Connection {
  /** Never rejects. `method` and `input` are whatever the window sent. */
  call(method: unknown, input: unknown): Promise<Reply>
  /** The window is gone, or shows another page. */
  close(): void
}

export interface HostOptions {
  /** Members of the run: model, settings, request, … Called for every message that a person sends. */
  run: (input: { text: string; conversation: string; messages: ChatMessage[] }) => Omit<RunOptions, 'messages'> & { messages?: ChatMessage[] }
  /** In front of every conversation. */
  system?: string
  /** What was configured before: where it is kept is the app's business. */
  configuration?: ConfigurationPatch
  /** Something was configured: keep it. */
  onConfigure?: (configuration: ConfigurationPatch) => void
  /** Every event of every turn. */
  onEvent?: (message: string, event: SluiceEvent) => void
  /** The pet loaded a model, or has none: a chance to `engine.add(...live2dTools(…))`, which is what happens without this. */
  onPet?: (capabilities: PetCapabilities | null) => void
  /** The pet could not do what it was told, or did not answer in time. The card of the call says it too. */
  onPetFailure?: (failure: { message: string; call: number; channel: string; reason: string }) => void
  /** Milliseconds between two frames to one window. Default 16. */
  frameMs?: number
  /** Largest text of a person, in characters. Default 1,000,000. */
  maxTextLength?: number
}

export interface Host {
  connect(peer: Peer): Connection
  /** Starts a turn without a window. */
  send(text: string, conversation?: string): string
  /** A bridge to this host in the same process, for tests and main-process code. */
  bridge(rights?: Rights): Bridge & { close(): void }
  /** Cancels everything and resolves when all is quiet. */
  close(): Promise<void>
}
