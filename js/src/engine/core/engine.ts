/// <reference lib="esnext.disposable" preserve="true" />
import { randomUUID } from 'node:crypto'
import type { Approvals } from './approvals.js'
import { backend, type Backend } from './backend.js'
import type { DeclaredProtocol } from './declared-protocol.js'
import { SluiceError } from './errors.js'
import { EngineWarnings, type Warnings } from './engine-warnings.js'
import type { Block, DiagnosticEvent, ToolUseBlock } from './events.js'
import { checkKey, serverOf } from './model.js'
import { handleOf, native, setHandle } from './native.js'
import { array, encode, is, members, text, withMethods, wrong, type Check } from './options.js'
import type { WireName } from './providers.js'
import { RefusedTools } from './refused-tools.js'
import { Remembered } from './remembered.js'
import { memoryRules, type RuleStore } from './rules.js'
import { Run } from './run.js'
import { checkRunnable } from './runnable.js'
import {
  hooks,
  resumeShape,
  runShape,
  splitHooks,
  type ResumeOptions,
  type RunHooks,
  type RunOptions,
} from './run-options.js'
import {
  allParsed,
  checkTurnSettings,
  splitFallback,
  withSettings,
  type Settings,
  type ToolList,
  type TurnSettings,
} from './settings.js'
import type { Tool } from './tool.js'
import { Turn, type TurnConfig } from './turn.js'
import { Unanswered } from './unanswered.js'
import { writtenResults, type ResultToWrite } from './written-results.js'

/** What `engine.resolve` finds. */
export interface ResolvedTool<C = unknown> {
  /** The tool that a call of this name reaches. */
  tool?: Tool<C>
  /** The names that come nearest, at most three. Empty where there is a tool. */
  suggestions: string[]
}

/** What `engine.describe` tells. */
export interface EngineDescription extends ToolList {
  /** The rendered `{{tools}}`. */
  prompt: string
  /** Which build of the engine tells it. */
  backend: Backend
}

/** Tools, and the defaults of every run. `C`: what its tools want as the run's `context`. */
export interface EngineOptions<C = unknown> extends Settings, RunHooks {
  /** What `tool({ … })` returned. Default none. */
  tools?: Tool<C>[]
  /** Where remembered approvals are kept: `memoryRules()` (the default), `fileRules(path)`, or a store of your own. */
  rules?: RuleStore
  /** Ways to write calls as text that are this app's own: `protocol` may name them. Default none. */
  protocols?: readonly DeclaredProtocol[]
  /**
   * What becomes of the five warnings that Sluice prints once for each engine, about waits that only you can end and
   * losses that nobody sees. `false`: nothing. A function gets them instead: `({ kind, text, tool, error }) => …`.
   */
  warnings?: Warnings
}

/** Where the tools of an engine want a `context`, its runs must bring it. */
export type NeedsContext<C> = unknown extends C ? unknown : { context: C }

/** How `engine.parse` reads a text. */
export interface ParseOptions extends Settings {
  /** The text may go on: no call is cut off yet, and `held` says what is kept back. Default false. */
  open?: boolean
}

/** How far a name may be from that of its tool. */
export interface ResolveOptions {
  /** A-Z and a-z are the same, if that leaves one tool. Default: as the setting `names` of the engine. */
  anyCase?: boolean
  /** Brackets, quotes, back-ticks and list marks around the name go. Default: as the setting `names` of the engine. */
  lenient?: boolean
}

/** What was found in a text. */
export interface ParsedText {
  /** All text between the calls. */
  text: string
  /**
   * The calls, each with its status: `pending` where it can be run, `invalid` where it lost something, with the
   * `reason`. With `open` the last one may be `streaming`.
   */
  calls: ToolUseBlock[]
  /** Text, reasoning and calls in their order. */
  blocks: Block[]
  /** What a developer may want to know, such as a call in another format. */
  diagnostics: DiagnosticEvent[]
  /**
   * With `open`: the end of the text that is in no block yet, because it may become a call, or a part of one. A call
   * that is `streaming` has all of its text. Absent without `open`.
   */
  held?: string
}

const checkWarnings: Check = (value, path) => {
  if (value !== false && typeof value !== 'function')
    throw wrong(path, value, 'false, or a function ({ kind, text, tool, error }) => void')
}

const checkOptions = members(
  withSettings({
    members: {
      ...hooks,
      tools: array,
      protocols: array,
      warnings: checkWarnings,
      rules: withMethods('a store of rules such as memoryRules() or fileRules(path)', 'list', 'add', 'revoke'),
    },
  }),
)
const flag = is('true or false', (value) => value === undefined || typeof value === 'boolean')
const checkParse = members(withSettings({ members: { open: flag } }))
const checkResolve = members({ members: { anyCase: flag, lenient: flag } })
const checkRun = members(withSettings(runShape))
const checkResume = members(resumeShape)

/** Where a turn's state keeps the id of its run. The engine passes on what begins with x-. */
const ID = 'x-sluice-run'

/** What is read of a saved turn's configuration. */
interface SavedTurn {
  wire?: WireName
  request?: { model?: string }
  [ID]?: string
}

/**
 * Tools and defaults. The native engine is immutable: `add` and `remove` compile a new one, running turns keep theirs.
 */
// `Engine` without an argument is an engine with any tools.
export class Engine<C = any> {
  #tools: Tool<C>[] = []
  #settings: Settings
  #hooks: RunHooks
  #protocols: readonly DeclaredProtocol[]
  #unanswered = new Unanswered()
  #warnings: EngineWarnings
  readonly #refused = new RefusedTools()
  /** Remembered approvals: list them, revoke them. */
  readonly rules: RuleStore

  /**
   * @throws SluiceError `option` where something is wrong in the options or a tool; `load` where the addon cannot be
   * loaded.
   */
  constructor(options: EngineOptions<C> = {}) {
    checkOptions(options, 'options')
    const {
      own,
      rest: { tools = [], rules = memoryRules(), protocols = [], warnings, ...settings },
    } = splitHooks(options)
    this.#protocols = protocols
    this.#hooks = own
    this.#settings = settings
    this.rules = rules
    this.#warnings = new EngineWarnings(warnings)
    this.#compile(tools)
  }

  /** Its tools, in the order in which they came. */
  get tools(): readonly Tool<C>[] {
    return this.#tools
  }

  /** The defaults of its runs, as they were given. */
  get settings(): Readonly<Settings> {
    return this.#settings
  }

  /** Who answers questions, unless a run brings somebody else. */
  get approvals(): Approvals | undefined {
    return this.#hooks.approvals
  }

  /** @internal The hook of its runs that saves them. */
  get checkpoint(): RunHooks['checkpoint'] {
    return this.#hooks.checkpoint
  }

  /**
   * Adds tools for the runs that start from now on. A tool of the same name is replaced. Throws SluiceError `option`,
   * and changes nothing.
   */
  add(...tools: Tool<C>[]): void {
    handleOf(this) // throws where it was closed
    const names = new Set(tools.map((tool) => tool.name))
    this.#compile([...this.#tools.filter((tool) => !names.has(tool.name)), ...tools])
  }

  /** @internal The same engine with more tools. */
  beside(tools: Tool<C>[]): Engine<C> {
    handleOf(this) // throws where it was closed
    const engine = new Engine({
      ...this.#settings,
      ...this.#hooks,
      protocols: this.#protocols,
      rules: this.rules,
      tools: [...this.#tools, ...tools],
    })
    engine.#unanswered = this.#unanswered
    engine.#warnings = this.#warnings
    return engine
  }

  /**
   * Takes tools away from the runs that start from now on. Returns false where there is none of that name, or of these.
   */
  remove(...names: string[]): boolean {
    for (const name of names) text(name, 'name')
    handleOf(this) // throws where it was closed
    const leaving = new Set(names)
    const left = this.#tools.filter((tool) => !leaving.has(tool.name))
    if (left.length === this.#tools.length) return false
    this.#compile(left)
    return true
  }

  /**
   * Runs one user input against a model's server, until the assistant is finished with it.
   * @throws SluiceError `option` where something is wrong in the options, `closed` after `close()`. What goes wrong
   * later is an event.
   */
  run(options: RunOptions<C> & NeedsContext<C>): Run {
    checkRun(options, 'options')
    checkRunnable(this.#tools)
    const { own, rest } = splitHooks<RunOptions<C>>(options)
    const {
      model,
      messages,
      request,
      id = randomUUID(),
      signal,
      rules = [],
      context,
      files,
      onEvent,
      ...settings
    } = rest
    const remembered = new Remembered(this.rules, rules)
    const hooks = { ...this.#hooks, ...own }
    const { when } = splitFallback({ ...this.#settings, ...settings })
    const server = serverOf(model, model.name)
    if (!hooks.beforeRequest && !hooks.transport) checkKey(model, server) // these two may bring one
    const refused = this.#refused.of(server, model.name)
    const turn = asOptions(() =>
      this.turn({
        wire: server.wire,
        endpoint: server.endpoint,
        dialect: server.dialect ?? null,
        cache: model.cache ?? 'auto',
        ...(refused.size > 0 ? { leaveOut: [...refused] } : {}),
        ...(hooks.onFinal ? { checkFinal: true } : {}),
        ...(hooks.beforeApproval ? { checkArguments: true } : {}),
        ...settings,
        ...(hooks.checkpoint ? { dispatch: 'end' as const } : {}),
        [ID]: id,
        rules: remembered.rules,
        request: { ...request, model: model.name, messages },
      }),
    )
    if (!when) this.#warnOfUnusedProtocol(turn, settings.protocol ?? this.#settings.protocol)
    return new Run({
      id,
      turn,
      resumed: false,
      tools: this.#tools,
      remembered,
      server,
      refused,
      unanswered: this.#unanswered,
      warnings: this.#warnings,
      hooks,
      when,
      restore: (state) => Turn.restore(this, state),
      context,
      files,
      onEvent,
      signal,
    })
  }

  /**
   * Goes on with a turn that `run.suspend()` or a `checkpoint` saved, also in another process, with an engine of the
   * same tools. Open questions are asked again, an answer of which nothing was shown is asked for again. A call that
   * was running becomes `unknown` and the model is told so; one that is `idempotent` runs again. Rules that came
   * meanwhile count.
   * @throws SluiceError `option` where something is wrong in the options, `json` for a state that cannot be read,
   * `closed` after `close()`.
   */
  resume(state: string, options: ResumeOptions<C> & NeedsContext<C>): Run {
    text(state, 'state')
    checkResume(options, 'options')
    checkRunnable(this.#tools)
    const {
      own,
      rest: { model, signal, rules = [], context, files, onEvent },
    } = splitHooks<ResumeOptions<C>>(options)
    const turn = Turn.restore(this, state)
    try {
      const { wire, request, [ID]: id = randomUUID() } = (JSON.parse(state) as { turn: SavedTurn }).turn
      if (request === undefined)
        throw new SluiceError({
          code: 'option',
          path: 'state',
          detail: 'found the state of a parser, expected that of a run',
        })
      const hooks = { ...this.#hooks, ...own }
      const server = serverOf(model, request.model ?? '', wire ?? 'openai-chat')
      if (!hooks.beforeRequest && !hooks.transport) checkKey(model, server)
      const remembered = new Remembered(this.rules, rules)
      return new Run({
        id,
        turn,
        resumed: true,
        tools: this.#tools,
        remembered,
        server,
        refused: this.#refused.of(server, request.model ?? ''),
        unanswered: this.#unanswered,
        warnings: this.#warnings,
        hooks,
        when: splitFallback(this.#settings).when,
        restore: (saved) => Turn.restore(this, saved),
        context,
        files,
        onEvent,
        signal,
      })
    } catch (error) {
      turn.close()
      throw error
    }
  }

  /** Finds the calls in a text, as a model of this engine's settings would have written it. Nothing runs. */
  parse(answer: string, options: ParseOptions = {}): ParsedText {
    text(answer, 'text')
    checkParse(options, 'options')
    const { open = false, ...settings } = options
    const turn = new Turn(this, { mode: 'text', ...settings, wire: 'text' })
    try {
      turn.feed(answer)
      if (!open) turn.finish()
      const diagnostics = [...turn.events()].filter((event) => event.type === 'diagnostic')
      const { blocks, held } = turn.message
      return {
        text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: blocks.filter((block) => block.type === 'tool_use'),
        blocks,
        diagnostics,
        ...(held === undefined ? {} : { held }),
      }
    } finally {
      turn.close()
    }
  }

  /**
   * The tool that a call of this name reaches: by its name, an alias, its `vcpCommand` or the name in requests. Without
   * one, or where no model may call it, `suggestions` has the names that come nearest, at most three.
   */
  resolve(name: string, options: ResolveOptions = {}): ResolvedTool<C> {
    text(name, 'name')
    checkResolve(options, 'options')
    const names = { ...this.#settings.names, ...options }
    const turn = new Turn(this, { wire: 'openai-chat', mode: 'native', names })
    try {
      const { tool: found, reason, suggestions = [] } = turn.findTool(name)
      const tool = reason === undefined ? this.#tools.find((one) => one.name === found) : undefined
      return tool ? { tool, suggestions: [] } : { suggestions }
    } finally {
      turn.close()
    }
  }

  /**
   * Results as a model reads them in mode text, in the words of the format of these settings, and harmless for every
   * format that is read: what they quote is no call if the model repeats it. Several results are those of one round.
   * `resultMaxBytes` does not cut them.
   * @throws SluiceError `option` for a result or a setting of another shape.
   */
  writeResult(results: ResultToWrite | readonly ResultToWrite[], settings: Settings = {}): string {
    checkTurnSettings(settings, 'settings')
    return writtenResults((config) => this.turn(config), results, settings)
  }

  /** A turn with your own transport. Without `request` in `config` it is a parser. */
  turn(config: TurnConfig): Turn {
    return new Turn(this, config)
  }

  /** What this configuration exposes to a model, and why the rest is hidden. */
  describe(settings: TurnSettings = {}): EngineDescription {
    checkTurnSettings(settings, 'settings')
    const turn = new Turn(this, { wire: 'openai-chat', ...settings })
    try {
      return { ...turn.tools, prompt: turn.prompt, backend: backend() }
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

  /** A protocol was given, and nothing reads text. */
  #warnOfUnusedProtocol(turn: Turn, protocol: Settings['protocol']): void {
    if (protocol === undefined || this.#warnings.isSilent('protocol_unused')) return
    const { mode, alsoParse, autoFallback, observeOnly } = turn.tools.settings
    if (mode === 'text' || alsoParse.length > 0 || autoFallback !== null || observeOnly !== false) return
    const text = "protocol counts in mode text, and with alsoParse: 'auto'"
    this.#warnings.report({ kind: 'protocol_unused', text })
  }

  #compile(tools: Tool<C>[]): void {
    this.#refused.forget()
    checkTools(tools)
    const alsoParse = allParsed(this.#settings, tools)
    const config = {
      usage: true,
      ...splitFallback(this.#settings).rest,
      alsoParse,
      protocols: this.#protocols,
      tools: tools.map(declarationOf),
    }
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

/** A stranger's hint that its tool changes nothing is shown to people, and changes nothing here. */
function declarationOf({ declaration, words }: Pick<Tool, 'declaration' | 'words'>): object {
  const { annotations, ...rest } = declaration as { annotations?: { readOnlyHint?: boolean } }
  if (words?.from === undefined || annotations?.readOnlyHint === undefined) return declaration
  const { readOnlyHint: _, ...hints } = annotations
  return { ...rest, annotations: hints }
}

/** JavaScript passes what it likes: a declaration that `tool()` never saw, an array in an array. */
function checkTools(tools: unknown): void {
  array(tools, 'tools')
  for (const [index, tool] of (tools as (Partial<Tool> | null)[]).entries()) {
    if (typeof tool?.declaration !== 'object') throw wrong(`tools[${index}]`, tool, 'what tool({ … }) returns')
  }
}

/** The native turn's paths, as `run()` takes its options. */
function asOptions<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof SluiceError) || !error.path?.startsWith('request.')) throw error
    const { code, detail, hint } = error
    const path = error.path.replace(/^request\.(?=messages\b)/, '')
    throw new SluiceError({ code, detail, hint, path, cause: error.cause })
  }
}
