import type { Approvals } from './approvals.js'
import { SluiceError } from './errors.js'
import type { ToolList } from './events.js'
import { handleOf, native, setHandle } from './native.js'
import { array, encode, members, text, withMethods, wrong } from './options.js'
import { memory, type RuleStore } from './rules.js'
import { hooks, Run, runShape, type RunHooks, type RunOptions } from './run.js'
import { allParsed, checkTurnSettings, withSettings, type Settings, type TurnSettings } from './settings.js'
import type { Tool } from './tool.js'
import { Turn, type TurnConfig } from './turn.js'

/** Tools, and the defaults of every run. */
export interface EngineOptions extends Settings, RunHooks {
  /** What `tool({ … })` returned. Default none. */
  tools?: Tool[]
  /** Where remembered approvals are kept: `memory()` (the default), `file(path)`, or a store of your own. */
  rules?: RuleStore
}

const checkOptions = members(withSettings({
  members: { ...hooks, tools: array, rules: withMethods('a store of rules such as memory() or file(path)', 'list', 'add', 'revoke') },
}))
const checkRun = members(withSettings(runShape))

/** Tools and defaults. The native engine is immutable: `add` and `remove` compile a new one, running turns keep theirs. */
export class Engine {
  #tools: Tool[] = []
  #settings: Settings
  #host: RunHooks
  /** Remembered approvals: list them, revoke them. */
  readonly rules: RuleStore

  /** @throws SluiceError `option` where something is wrong in the options or a tool; `load` where the addon cannot be loaded. */
  constructor(options: EngineOptions = {}) {
    checkOptions(options, 'options')
    const { tools = [], rules = memory(), approvals, beforeRequest, deadlineMs, flushMs, ipc, retries, transport, ...settings } = options
    this.#host = { approvals, beforeRequest, deadlineMs, flushMs, ipc, retries, transport }
    this.#settings = settings
    this.rules = rules
    this.#compile(tools)
  }

  /** Its tools, in the order in which they came. */
  get tools(): readonly Tool[] {
    return this.#tools
  }

  /** The defaults of its runs, as they were given. */
  get settings(): Readonly<Settings> {
    return this.#settings
  }

  /** Who answers questions, unless a run brings somebody else. */
  get approvals(): Approvals | undefined {
    return this.#host.approvals
  }

  /** Adds tools for the runs that start from now on. A tool of the same name is replaced. Throws SluiceError `option`, and changes nothing. */
  add(...tools: Tool[]): void {
    handleOf(this) // throws where it was closed
    const names = new Set(tools.map((tool) => tool.name))
    this.#compile([...this.#tools.filter((tool) => !names.has(tool.name)), ...tools])
  }

  /** Takes a tool away from the runs that start from now on. Returns false where there is none of that name. */
  remove(name: string): boolean {
    text(name, 'name')
    handleOf(this) // throws where it was closed
    const left = this.#tools.filter((tool) => tool.name !== name)
    if (left.length === this.#tools.length) return false
    this.#compile(left)
    return true
  }

  /**
   * Runs one user input against an OpenAI-compatible server, until the assistant is finished with it.
   * @throws SluiceError `option` where something is wrong in the options, `closed` after `close()`. What goes wrong later is an event.
   */
  run(options: RunOptions): Run {
    checkRun(options, 'options')
    const host = { ...this.#host }
    for (const key of Object.keys(host) as (keyof RunHooks)[]) {
      if (options[key] !== undefined) Object.assign(host, { [key]: options[key] })
    }
    return new Run(this, options, host)
  }

  /** A turn with your own transport. Without `request` in `config` it is a parser. */
  turn(config: TurnConfig): Turn {
    return new Turn(this, config)
  }

  /** What this configuration exposes to a model, and why the rest is hidden. */
  describe(settings: TurnSettings = {}): ToolList & { prompt: string } {
    checkTurnSettings(settings, 'settings')
    const turn = new Turn(this, { wire: 'openai-chat', ...settings })
    try {
      return { ...turn.tools, prompt: turn.prompt }
    } finally {
      turn.close()
    }
  }

  /** Frees the native engine. Running turns keep what they need. Twice is fine. */
  close(): void {
    setHandle(this, null)
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #compile(tools: Tool[]): void {
    checkTools(tools)
    const config = { usage: true, ...this.#settings, alsoParse: allParsed(this.#settings.alsoParse ?? [], tools), tools: tools.map((tool) => tool.declaration) }
    const handle = native().engineNew(encode(config, 'options'))
    const error = native().engineError(handle)
    if (error !== null) {
      native().engineFree(handle)
      throw SluiceError.ofOptions(error)
    }
    setHandle(this, handle)
    this.#tools = tools
  }
}

/** JavaScript passes what it likes: a declaration that `tool()` never saw, an array in an array. */
function checkTools(tools: unknown): void {
  array(tools, 'tools')
  for (const [index, tool] of (tools as (Partial<Tool> | null)[]).entries()) {
    if (typeof tool?.declaration !== 'object') throw wrong(`tools[${index}]`, tool, 'what tool({ … }) returns')
  }
}
