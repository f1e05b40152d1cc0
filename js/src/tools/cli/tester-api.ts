// The requests between the tester's page and its server: POST with JSON, answered by a `Reply` (bridge/messages.ts)
// whose `value` is one of the types here. The page uses `post(path, input, signal)` of renderer/web-bridge.ts, which
// throws errors.
import type { ConfigurationView } from '../../app/bridge/messages.js'
import type { AssistantMessage, DiagnosticEvent, JsonObject, SluiceEvent } from '../../engine/core/events.js'
import type { WireName as ProviderWire } from '../../engine/core/providers.js'
import type { ToolForm } from '../../engine/core/tool-forms.js'

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
  /** Tools that servers get in another form, or not at all; by name, the wires together that have one form. */
  forms: { [tool: string]: ToolForm[] }
}

/** A provider's format, or plain text. */
export type WireName = ProviderWire | 'text'

/** POST /api/parse: parses text or a recorded stream. No call is run. */
export interface ParseRequest {
  text: string
  /** Default: guessed from the text. */
  wire?: WireName
  /** Default: from `settings` or the command line, else `vcp`. */
  protocol?: string
  /** For `protocol: 'auto'`. */
  model?: string
  /** `whole` (the default), `byte`, so many bytes (`'7'`), or `seed:N`: random sizes. */
  chunks?: string
  settings?: JsonObject
  /** Asks for `steps`. */
  steps?: boolean
}

export interface ParseReply {
  wire: WireName
  /** Why this wire was guessed. Absent if it was given. */
  guessed?: string
  /** Ids of the protocols that were looked for. */
  protocols: string[]
  /** How many pieces the text was fed in. */
  pieces: number
  /** For each piece its size in bytes, and how many events there were behind it. */
  steps?: [bytes: number, events: number][]
  events: SluiceEvent[]
  /** The events that say why a text is not a call: `code`, `detail`, `offset`, `raw`. */
  diagnostics: DiagnosticEvent[]
  message: AssistantMessage
}

/** POST /api/script: the same parse as a script of tests/vectors. */
export type ScriptRequest = Omit<ParseRequest, 'chunks' | 'steps'>

export interface ScriptReply {
  /** The file, as JSON. */
  script: string
}

/** POST /api/run: runs one tool by hand. Closing the request aborts the tool. */
export interface RunRequest {
  name: string
  arguments: JsonObject
  /** Up to 10 minutes, as people write it: `30 s`. Default: the tool's own, else the engine's. */
  timeout?: string
}

export interface RunReply {
  /** As on a card: `success`, `error`, `invalid` (the arguments do not fit), `timeout`, `cancelled`. */
  status: string
  /** What the tool was called with. */
  arguments?: JsonObject
  /** The result as the tool gave it. */
  output?: string
  /** What the model would read. */
  modelOutput?: string
  error?: string
  durationMs?: number
  /** What the tool reported while it ran, and what it sent to other windows. */
  progress: string[]
  ipc: { channel: string; payload: unknown[] }[]
}
