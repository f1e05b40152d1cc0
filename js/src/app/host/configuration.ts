// What a person may change: the switches of the engine's configuration, and what is asked before a tool runs. The
// engine itself says whether a value is right.
import { createHash } from 'node:crypto'
import type { ConfigurationPatch, ConfigurationView, RuleView, ToolView } from '../bridge/messages.js'
import type { Engine } from '../../engine/core/engine.js'
import type {
  ExecutionPolicy,
  Json,
  JsonObject,
  PermissionLevel,
  ResultPolicy,
  Rule,
} from '../../engine/core/events.js'
import { isObject } from '../../engine/core/options.js'
import type { EffectiveSettings, Settings } from '../../engine/core/settings.js'
import type { Tool } from '../../engine/core/tool.js'
import {
  hidden,
  jsonObject,
  list,
  members,
  name,
  nullable,
  oneOf,
  optional,
  read,
  refuse,
  table,
  toBridgeError,
} from './checks.js'

/**
 * The settings that a window may change. Not among them: `limits`, which protect the process; `rules`, which are
 * decisions; `model`, `request` and `messages`, which say where everything goes.
 */
const switches = [
  'enabled',
  'mode',
  'protocol',
  'alsoParse',
  'autoFallback',
  'injectTools',
  'loop',
  'dispatch',
  'stopAfterCall',
  'execution',
  'maxConcurrentTools',
  'questionOrder',
  'requireConfirmation',
  'resultApproval',
  'toolToggles',
  'defaultToolEnabled',
  'maxRounds',
  'forceFinalAnswer',
  'maxCalls',
  'maxRequests',
  'repeatLimit',
  'timeoutMs',
  'approvalTimeoutMs',
  'firstByteTimeoutMs',
  'idleTimeoutMs',
  'malformed',
  'resultMaxBytes',
  'resultRole',
  'providerCards',
  'madePictures',
  'reasoningCalls',
  'startsInReasoning',
] as const satisfies readonly (keyof EffectiveSettings)[]
const MAX_TOGGLES = 1000
const MAX_REVOKED = 1000

interface ToolChange {
  permission?: PermissionLevel | null
  executionApproval?: ExecutionPolicy | null
  resultApproval?: ResultPolicy | null
}
const changeable = ['permission', 'executionApproval', 'resultApproval'] as const

const checkPatch = members<ConfigurationPatch>({
  settings: optional(jsonObject({ characters: 100_000, values: 10_000, depth: 8 })),
  tools: optional(
    table(
      members<ToolChange>({
        permission: optional(nullable(oneOf('public', 'moderate', 'sensitive'))),
        executionApproval: optional(nullable(oneOf('auto', 'ask_once', 'ask_always'))),
        resultApproval: optional(nullable(oneOf('never', 'on_error', 'always'))),
      }),
      MAX_TOGGLES,
    ),
  ),
  revoke: optional(list(name(100), MAX_REVOKED)),
})

interface State {
  settings: JsonObject
  tools: Map<string, ToolChange>
}

export class Configuration {
  readonly #engine: Engine
  readonly #onConfigure: (configuration: ConfigurationPatch) => void
  #state: State = { settings: {}, tools: new Map() }
  /** What a changed tool was before, and how it was changed. */
  readonly #changed = new WeakMap<Tool, { original: Tool; change: string }>()
  /** The last view, and what it was made of. */
  #shown: { of: unknown[]; view: ConfigurationView } | undefined

  constructor(engine: Engine, initial: unknown, onConfigure: (configuration: ConfigurationPatch) => void) {
    this.#engine = engine
    this.#onConfigure = onConfigure
    if (initial !== undefined) this.#apply(read(checkPatch, initial, 'configuration'), 'configuration.')
  }

  /** For the next turn of a conversation, with what was configured there, and what the app says about it. */
  settings(turn: Settings = {}, own: JsonObject = {}): Settings {
    this.#changeTools()
    const settings = merge(this.#state.settings, own)
    const toolToggles = { ...(settings['toolToggles'] as object | undefined), ...turn.toolToggles }
    return { ...settings, ...turn, ...(Object.keys(toolToggles).length > 0 ? { toolToggles } : {}) }
  }

  /** The settings of a conversation behind a patch, which may hold nothing else. Throws a refusal where they do not fit. */
  ownSettings(before: JsonObject, input: unknown): JsonObject {
    const { settings = {}, ...rest } = read(checkPatch, input)
    const [other] = Object.keys(rest)
    if (other !== undefined)
      throw refuse('argument', 'found it for one conversation, expected settings alone: it counts for all', {
        path: other,
      })
    const own = mergeSettings(before, settings, '')
    this.#check(merge(this.#state.settings, own), '')
    return own
  }

  /** As it counts in a conversation with settings of its own. */
  viewWith(own: JsonObject): ConfigurationView {
    const { view } = this
    const settings = merge(view.settings, own)
    return { ...structuredClone(view), settings, estimatedTokens: tokensSent(settings, view.tokens) }
  }

  configure(input: unknown): ConfigurationView {
    const patch = read(checkPatch, input)
    const known = new Set(this.#engine.tools.map((tool) => tool.name))
    for (const name of Object.keys(patch.tools ?? {})) {
      if (!known.has(name) && !this.#state.tools.has(name))
        throw refuse('not_found', 'there is no such tool', { path: `tools.${name}` })
    }
    this.#apply(patch, '')
    this.#revoke(new Set(patch.revoke))
    if (patch.settings || patch.tools) this.#onConfigure(this.#whole)
    return this.view
  }

  /** As it stands; the same object until something changed. */
  get view(): ConfigurationView {
    this.#changeTools()
    const rules = this.#engine.rules.list().map((rule) => ({ id: idOf(rule), ...rule }))
    const of = [this.#engine.tools, this.#state, rules.map(({ id }) => id).join()]
    if (!this.#shown || of.some((each, at) => each !== this.#shown?.of[at]))
      this.#shown = { of, view: this.#makeView(rules) }
    return this.#shown.view
  }

  #makeView(rules: RuleView[]): ConfigurationView {
    const { tools, prompt, tokens, knownProtocols } = this.#engine.describe(this.#state.settings)
    const described = new Map(tools.map((tool) => [tool.name, tool]))
    const effective = this.#engine.describe().settings
    const mode = this.#state.settings['mode'] ?? effective.mode
    // what tools are parsed by besides cannot be switched off
    const { alsoParse = mode === 'auto' ? 'auto' : [] } = this.#engine.settings
    const defaults = Object.fromEntries(
      switches.map((name) => [name, (name === 'alsoParse' ? alsoParse : effective[name]) as Json]),
    )
    const settings = merge(defaults, this.#state.settings)
    return structuredClone({
      settings,
      defaults,
      tools: this.#engine.tools.map((tool) => this.#toolView(tool, described.get(tool.name))),
      protocols: ['auto', ...knownProtocols],
      prompt,
      estimatedTokens: tokensSent(settings, tokens),
      tokens,
      rules,
    })
  }

  #apply(patch: ConfigurationPatch, path: string): void {
    const before = this.#state
    this.#state = {
      settings: mergeSettings(before.settings, patch.settings ?? {}, path),
      tools: mergeTools(before.tools, patch.tools ?? {}),
    }
    try {
      this.#check(this.#state.settings, path)
    } catch (error) {
      this.#state = before
      throw error
    }
  }

  /** Whether the engine takes these settings, and the tools as they are changed. */
  #check(settings: JsonObject, path: string): void {
    try {
      this.#engine.describe(settings)
      this.#changeTools()
    } catch (error) {
      const { code, detail, path: at } = toBridgeError(error, hidden('a configuration'))
      const where = at === undefined ? {} : { path: `${path}${at.startsWith('tools') ? '' : 'settings.'}${at}` }
      throw refuse(code === 'option' ? 'argument' : code, detail, where)
    }
  }

  #revoke(ids: ReadonlySet<string>): void {
    if (ids.size === 0) return
    for (const rule of this.#engine.rules.list()) if (ids.has(idOf(rule))) this.#engine.rules.revoke(rule)
  }

  get #whole(): ConfigurationPatch {
    return structuredClone({ settings: this.#state.settings, tools: Object.fromEntries(this.#state.tools) })
  }

  /** Tools may have come or gone since the last time. */
  #changeTools(): void {
    const tools = this.#engine.tools.flatMap((tool) => {
      const { original, change: old } = this.#changed.get(tool) ?? { original: tool, change: '{}' }
      const wanted = this.#state.tools.get(tool.name) ?? {}
      const change = JSON.stringify(wanted)
      if (change === old) return []
      if (change === '{}') return original
      const changed: Tool = { ...original, declaration: { ...original.declaration, ...wanted } }
      this.#changed.set(changed, { original, change })
      return changed
    })
    if (tools.length > 0) this.#engine.add(...tools)
  }

  #toolView(
    tool: Tool,
    described: { exposed: boolean; reason?: string; estimatedTokens?: number } | undefined,
  ): ToolView {
    const { declaration } = tool
    const changed = changeable.filter((member) => this.#state.tools.get(tool.name)?.[member] !== undefined)
    return {
      name: tool.name,
      description: tool.description,
      ...(declaration['parameters'] ? { parameters: declaration['parameters'] as JsonObject } : {}),
      tags: (declaration['tags'] ?? []) as string[],
      permission: (declaration['permission'] ?? 'sensitive') as PermissionLevel,
      executionApproval: (declaration['executionApproval'] ?? null) as ExecutionPolicy | null,
      resultApproval: (declaration['resultApproval'] ?? null) as ResultPolicy | null,
      ...(declaration['timeoutMs'] === undefined ? {} : { timeoutMs: declaration['timeoutMs'] as number }),
      exposed: described?.exposed ?? false,
      ...(described?.reason === undefined ? {} : { reason: described.reason }),
      ...(described?.estimatedTokens === undefined ? {} : { estimatedTokens: described.estimatedTokens }),
      ...(changed.length > 0 ? { changed } : {}),
    }
  }
}

/** Returns the tokens that a request costs in this mode. */
export const tokensSent = ({ mode }: JsonObject, tokens: ConfigurationView['tokens']): number =>
  mode === 'text' ? tokens.text : tokens.native

function mergeSettings(before: JsonObject, patch: JsonObject, path: string): JsonObject {
  for (const name of Object.keys(patch)) {
    if ((switches as readonly string[]).includes(name)) continue
    const expected = switches.join(', ')
    throw refuse('forbidden', `this is nothing that a window may set; expected one of ${expected}`, {
      path: `${path}settings.${name.slice(0, 60)}`,
    })
  }
  const settings = merge(before, patch)
  for (const [name, value] of Object.entries(patch)) if (value === null) delete settings[name]
  const toggles = settings['toolToggles']
  if (typeof toggles === 'object' && Object.keys(toggles ?? {}).length > MAX_TOGGLES) {
    throw refuse('limit', `expected at most ${MAX_TOGGLES} members`, { path: `${path}settings.toolToggles` })
  }
  return settings
}

/** Toggles are merged one by one; a toggle that is null goes. */
function merge(settings: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...settings, ...patch }
  const [old, toggles] = [settings['toolToggles'], patch['toolToggles']]
  if (!isObject(toggles)) return merged
  const all = Object.entries({ ...(isObject(old) ? old : {}), ...toggles }).filter(([, value]) => value !== null)
  return { ...merged, toolToggles: Object.fromEntries(all) }
}

function mergeTools(before: Map<string, ToolChange>, patch: { [name: string]: ToolChange }): Map<string, ToolChange> {
  const tools = new Map(before)
  for (const [name, change] of Object.entries(patch)) {
    const left = Object.entries({ ...tools.get(name), ...change }).filter(([, value]) => value !== null)
    if (left.length > 0) tools.set(name, Object.fromEntries(left.sort()))
    else tools.delete(name)
  }
  return tools
}

const idOf = (rule: Rule): string => createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 32)

/** The engine lists the protocols that it has where it is asked for one that it has not. */
