import type { Approvals } from './approvals.js'
import { SluiceError } from './errors.js'
import type { ResultPolicy, ToolList } from './events.js'
import { native, type NativeEngine } from './native.js'
import { memory, type RuleStore } from './rules.js'
import { Run, type RunOptions, type HostOptions } from './run.js'
import type { Tool } from './tool.js'
import { Turn, type TurnConfig } from './turn.js'

export type Protocol = string | { id: string; [option: string]: unknown }

/** Members of the native configuration that a turn may replace; names and defaults are in the README. */
export interface Settings {
  enabled?: boolean
  mode?: 'native' | 'text' | 'auto'
  /** `'auto'`: by the model's name. */
  protocol?: Protocol | Protocol[]
  /** For `protocol: 'auto'`, in front of the built-in table. */
  profiles?: { match: string; protocol: string; startsInReasoning?: boolean; resultRole?: 'user' | 'tool' }[]
  alsoParse?: Protocol[]
  autoFallback?: 'text' | null
  loop?: 'automatic' | 'user_mediated'
  injectTools?: 'top' | 'bottom' | 'off' | null
  dispatch?: 'round' | 'block'
  stopAfterCall?: boolean
  execution?: 'serial' | 'parallel'
  maxConcurrentTools?: number
  ask?: 'together' | 'one_by_one'
  requireConfirmation?: boolean
  resultApproval?: ResultPolicy | null
  toolToggles?: { [tool: string]: boolean }
  defaultToolEnabled?: boolean
  maxRounds?: number
  forceFinalAnswer?: boolean
  maxCalls?: number
  repeatLimit?: number
  timeoutMs?: number
  approvalTimeoutMs?: number
  firstByteTimeoutMs?: number
  idleTimeoutMs?: number
  malformed?: 'report' | 'drop'
  resultMaxBytes?: number
  resultRole?: 'user' | 'tool'
  reasoningCalls?: 'ignore' | 'execute'
  startsInReasoning?: boolean
  limits?: { [limit: string]: number }
  [member: string]: unknown
}

export interface EngineOptions extends Settings, HostOptions {
  tools?: Tool[]
  /** Where remembered approvals are kept: `memory()` (the default), `file(path)`, or a store of your own. */
  rules?: RuleStore
}

let readHandle: (engine: Engine) => NativeEngine

/** @internal */
export function nativeOf(engine: Engine): NativeEngine {
  return readHandle(engine)
}

/** Tools and defaults. The native engine is immutable: `add` and `remove` compile a new one, running turns keep theirs. */
export class Engine {
  #tools: Tool[] = []
  #settings: Settings
  #host: HostOptions
  #handle: NativeEngine | null = null
  /** Remembered approvals: list them, revoke them. */
  readonly rules: RuleStore

  static {
    readHandle = (engine) => {
      if (engine.#handle === null) throw new SluiceError({ code: 'closed', detail: 'the engine was closed' })
      return engine.#handle
    }
  }

  constructor({ tools = [], rules = memory(), ...options }: EngineOptions = {}) {
    const { approvals, beforeRequest, deadlineMs, flushMs, ipc, retries, transport, ...settings } = options
    this.#host = { approvals, beforeRequest, deadlineMs, flushMs, ipc, retries, transport }
    this.#settings = settings
    this.rules = rules
    this.#compile(tools)
  }

  get tools(): readonly Tool[] {
    return this.#tools
  }

  /** The defaults of its turns, as they were given. */
  get settings(): Readonly<Settings> {
    return this.#settings
  }

  /** Who answers questions, unless a run brings somebody else. */
  get approvals(): Approvals | undefined {
    return this.#host.approvals
  }

  /** For the turns that start from now on. A tool of the same name is replaced. */
  add(...tools: Tool[]): void {
    this.#mustBeOpen()
    const names = new Set(tools.map((tool) => tool.name))
    this.#compile([...this.#tools.filter((tool) => !names.has(tool.name)), ...tools])
  }

  remove(name: string): boolean {
    this.#mustBeOpen()
    const left = this.#tools.filter((tool) => tool.name !== name)
    if (left.length === this.#tools.length) return false
    this.#compile(left)
    return true
  }

  /** Runs one user input against an OpenAI-compatible server, until the assistant is finished with it. */
  run(options: RunOptions): Run {
    const host = { ...this.#host }
    for (const key of Object.keys(host) as (keyof HostOptions)[]) {
      if (options[key] !== undefined) Object.assign(host, { [key]: options[key] })
    }
    return new Run(this, options, host)
  }

  /** A turn with your own transport. Without `request` in `config` it is a parser. */
  turn(config: TurnConfig): Turn {
    return new Turn(this, config)
  }

  /** What this configuration exposes to a model, and why the rest is hidden. */
  describe(settings: Settings = {}): ToolList & { prompt: string } {
    const turn = new Turn(this, { wire: 'openai-chat', ...settings })
    try {
      return { ...turn.tools, prompt: turn.prompt }
    } finally {
      turn.close()
    }
  }

  /** Frees the native engine. Running turns keep what they need. Twice is fine. */
  close(): void {
    if (this.#handle === null) return
    native().engineFree(this.#handle)
    this.#handle = null
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #mustBeOpen(): void {
    if (this.#handle === null) throw new SluiceError({ code: 'closed', detail: 'the engine was closed' })
  }

  #compile(tools: Tool[]): void {
    checkTools(tools)
    const alsoParse = [...new Set(tools.flatMap((tool) => tool.alsoParse ?? []))]
    const config = { ...(alsoParse.length > 0 ? { alsoParse } : {}), ...this.#settings, tools: tools.map((tool) => tool.declaration) }
    const handle = native().engineNew(JSON.stringify(config))
    const error = native().engineError(handle)
    if (error !== null) {
      native().engineFree(handle)
      throw SluiceError.fromNative(error)
    }
    this.close()
    this.#handle = handle
    this.#tools = tools
  }
}

/** JavaScript passes what it likes: a declaration that `tool()` never saw, an array in an array. */
function checkTools(tools: unknown): void {
  if (!Array.isArray(tools)) {
    throw new SluiceError({ code: 'option', path: 'tools', detail: `found ${typeof tools}, expected an array of tools` })
  }
  const wrong = tools.findIndex((tool: Partial<Tool> | null) => typeof tool?.declaration !== 'object')
  if (wrong >= 0) throw new SluiceError({ code: 'option', path: `tools[${wrong}]`, detail: 'expected what tool({ … }) returns' })
}
