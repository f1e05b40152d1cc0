// What the tester's page and its server say to each other: POST with JSON, answered by `Reply` (bridge/messages.ts), whose `value` is
// what stands here. `post(path, input, signal)` of renderer/web-bridge.ts does that and throws what went wrong.
import type { ConfigurationView } from '../bridge/messages.js'
import type { AssistantMessage, DiagnosticEvent, JsonObject, SluiceEvent } from '../core/events.js'

/** POST /api/tools: what a model would see with these settings. */
export interface ToolsRequest {
  /** Members of the engine's configuration: `mode`, `protocol`, `toolToggles`, … */
  settings?: JsonObject
  /** For `protocol: 'auto'`. */
  model?: string
}

export interface ToolsReply extends ConfigurationView {
  /** Names of the tools that POST /api/run can run: those with `execute`, and fire-and-forget ones. */
  runnable: string[]
}

export type WireName = 'openai-chat' | 'text'

/** POST /api/parse: text, or a recorded stream. Nothing is run. */
export interface ParseRequest {
  text: string
  /** Guessed where it is left out. */
  wire?: WireName
  /** Default: what `settings` or the command line says, else `vcp`. */
  protocol?: string
  /** For `protocol: 'auto'`. */
  model?: string
  /** `whole` (the default), `byte`, so many bytes (`'7'`), or `seed:N`: random sizes. */
  chunks?: string
  settings?: JsonObject
}

export interface ParseReply {
  wire: WireName
  /** Why that wire, where it was guessed. */
  guessed?: string
  /** Ids of the protocols that were looked for. */
  protocols: string[]
  /** How many pieces the text came in. */
  pieces: number
  events: SluiceEvent[]
  /** Those of `events` that say why something is no call: `code`, `detail`, `offset`, `raw`. */
  diagnostics: DiagnosticEvent[]
  message: AssistantMessage
}

/** POST /api/run: one tool, by hand. Whoever closes the request aborts the tool. */
export interface RunRequest {
  name: string
  arguments: JsonObject
  /** Default: the tool's own, else the engine's. */
  timeoutMs?: number
}

export interface RunReply {
  /** As on a card: `success`, `error`, `invalid` (the arguments do not fit), `timeout`, `cancelled`. */
  status: string
  /** What the tool was called with. */
  arguments?: JsonObject
  /** The result as the tool gave it. */
  output?: string
  /** What the model would read. */
  told?: string
  error?: string
  durationMs?: number
  /** What the tool reported meanwhile, and what it sent to other windows. */
  progress: string[]
  ipc: { channel: string; payload: unknown[] }[]
}
