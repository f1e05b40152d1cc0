import {
  didYouMean,
  func,
  is,
  isObject,
  members,
  milliseconds,
  oneOf,
  text,
  whole,
  withMethods,
  type Check,
} from '../../engine/core/options.js'
import type { PermissionLevel } from '../../engine/core/events.js'
import { wireNames, type WireName } from '../../engine/core/providers.js'
import type { McpTool } from './definition.js'
import type { McpAnswer, McpQuestion } from './elicit.js'
import type { McpPinStore } from './pins.js'

/** A tool that a server changed, brought or took away. */
export interface McpChange {
  /** As the engine knows it: `fs.read_file`. */
  readonly name: string
  /**
   * `changed`: it says something else than what was accepted. `new`: it came after the others. Both wait for `accept`.
   * `gone`: the server has it no more.
   */
  readonly kind: 'changed' | 'new' | 'gone'
  /** The definition that was accepted before. */
  readonly before?: McpTool
  /** What the server says now. */
  readonly after?: McpTool
  /** Of `after`, for `accept`. */
  readonly digest?: string
}

/** What `mcpTools` takes. */
export interface McpToolsOptions {
  /**
   * What the app calls the server: letters of any script, digits, `_`, `-` and `.`, at most 64. Its tools have the tag
   * `mcp:<server>`.
   */
  server: string
  /**
   * What the engine, rules, prompts and people call a tool. Default `<server>.<tool>`. Pins go by the server's own
   * names. A tool whose name Sluice does not take, or that another one of the server has, is left out.
   */
  name?: (tool: McpTool, server: string) => string
  /**
   * What requests call a tool: letters, digits, `_` and `-`, at most 64. Undefined, and by default: made from its name.
   */
  wireName?: (tool: McpTool, server: string) => string | undefined
  /**
   * The tools that models may see: all, those with these names, or those for which the function says true. There is no
   * default.
   */
  expose: 'all' | readonly string[] | ((tool: McpTool) => boolean)
  /**
   * What they may do without asking: for all, by the server's names of the tools, or by a function. Default
   * `sensitive`. What a tool says of itself can only make it stricter.
   */
  permission?:
    | PermissionLevel
    | {
        /** By the server's name. */
        readonly [tool: string]: PermissionLevel
      }
    | ((tool: McpTool) => PermissionLevel | undefined)
  /**
   * Those that change nothing, by the app's own word: a call that loses its connection is then a failure, not
   * `unknown`. Default none.
   */
  readOnly?: readonly string[] | ((tool: McpTool) => boolean)
  /** Where it is kept what each tool was: `memoryPins()`, the default, `filePins(path)`, or a store of your own. */
  pins?: McpPinStore
  /** Is told of every change, once. */
  onChanged?: (change: McpChange) => void
  /**
   * Answers what the server asks the person. The client declares it: `new Client(info, { capabilities: { elicitation:
   * {} } })`. Default: nothing is answered.
   */
  onElicit?: (question: McpQuestion) => McpAnswer | Promise<McpAnswer>
  /**
   * Keys, tokens and passwords that the client sends, of eight characters at least. If the server repeats one, in any
   * usual spelling, Sluice writes `[secret]` instead: in definitions, results, errors, reports and questions. Default
   * none, since Sluice cannot see what the client sends.
   */
  secrets?: readonly string[]
  /** Wires for which `list` says how their servers get each tool. Default: all. */
  wires?: readonly WireName[]
  /** Milliseconds that a call may take; 0: no limit. Default: the engine's `timeoutMs`. */
  timeoutMs?: number
  /** Milliseconds that the server has to tell its tools. Default 30,000. */
  listTimeoutMs?: number
}

const level = oneOf('public', 'moderate', 'sensitive')
const namesOr = (what: string): Check =>
  is(
    what,
    (value) => typeof value === 'function' || (Array.isArray(value) && value.every((name) => typeof name === 'string')),
  )
const expose = namesOr("'all', an array of names, or a function (tool) => boolean: which tools a model may call")

export const checkOptions = members({
  members: {
    name: is(
      'a function (tool, server) => string',
      (value) => typeof value === 'function',
      (value) => (typeof value === 'string' ? 'did you mean server?' : undefined),
    ),
    server: is(
      'a name of letters, digits, _ - and ., at most 64',
      (value) => typeof value === 'string' && /^[\p{L}\p{M}\p{N}_.-]{1,64}$/u.test(value),
    ),
    wireName: func('(tool, server) => string'),
    expose: (value, path) => value === 'all' || expose(value, path),
    permission: (value, path) => {
      if (typeof value === 'function') return
      if (!isObject(value)) return level(value, path)
      for (const [tool, one] of Object.entries(value)) level(one, `${path}.${tool}`)
    },
    readOnly: namesOr('an array of names, or a function (tool) => boolean'),
    pins: withMethods('a store of pins such as memoryPins() or filePins(path)', 'get', 'set'),
    onChanged: func('(change) => void'),
    onElicit: func('(question) => answer'),
    wires: is(
      `an array of ${wireNames.join(', ')}`,
      (value) => Array.isArray(value) && value.every((wire) => (wireNames as readonly unknown[]).includes(wire)),
    ),
    secrets: is(
      'a list of texts',
      (value) => Array.isArray(value) && value.every((secret) => typeof secret === 'string'),
    ),
    timeoutMs: whole(0),
    listTimeoutMs: milliseconds,
  } satisfies { [member in keyof Required<McpToolsOptions>]: Check },
  needs: ['server', 'expose'],
  instead: { tools: 'did you mean expose?', allow: 'did you mean expose?' },
})

export const checkClient = withMethods(
  'a client of @modelcontextprotocol/client or @modelcontextprotocol/sdk',
  'request',
  'callTool',
  'getServerCapabilities',
)

/** What the app calls a tool. Throws where its functions do, or give something else. */
export function namesOf(
  tool: McpTool,
  { server, name, wireName }: McpToolsOptions,
): { name: string; wireName?: string } {
  const own = name ? name(tool, server) : `${server}.${tool.name}`
  text(own, 'name(tool)')
  const sent = wireName?.(tool, server)
  if (sent === undefined) return { name: own }
  text(sent, 'wireName(tool)')
  return { name: own, wireName: sent }
}

/** Of the tools that the server has. */
export function isChosen(tool: McpTool, choice: McpToolsOptions['expose'] | undefined): boolean {
  if (choice === undefined) return false
  if (typeof choice === 'function') return choice(tool) === true
  return choice === 'all' || choice.includes(tool.name)
}

/** Throws where the function gave something else. */
export function levelOf(tool: McpTool, permission: McpToolsOptions['permission']): PermissionLevel {
  const own = isObject(permission)
    ? Object.hasOwn(permission, tool.name)
      ? permission[tool.name]
      : undefined
    : undefined
  const given: unknown = typeof permission === 'function' ? permission(tool) : isObject(permission) ? own : permission
  if (given === undefined) return 'sensitive'
  level(given, 'permission')
  return given as PermissionLevel
}

/** Sentences about names that the server does not have. */
export function strangers(options: McpToolsOptions, names: readonly string[]): string[] {
  const { server, expose: exposed, permission, readOnly } = options
  const lists = { expose: exposed, permission: isObject(permission) ? Object.keys(permission) : undefined, readOnly }
  return Object.entries(lists).flatMap(([option, list]) =>
    (Array.isArray(list) ? (list as string[]) : [])
      .filter((name) => !names.includes(name))
      .map((name) => {
        const hint = didYouMean(name, names)
        return `${option} names ${name}, and ${server} has no such tool${hint ? ` (${hint})` : ''}`
      }),
  )
}
