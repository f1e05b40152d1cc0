// The tools of one server as tools of an engine: kept as the server has them, held against what was accepted, and
// called. What the server says is a stranger's.
import { escapeInvisible } from '../../app/bridge/invisible.js'
import type { Engine } from '../../engine/core/engine.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { text, withMethods } from '../../engine/core/options.js'
import type { Tool, ToolContext } from '../../engine/core/tool.js'
import { warn } from '../../engine/core/warning.js'
import { Clean } from './clean.js'
import { callTool, ListChanges, listTools, type McpClientLike, type McpProgress } from './mcp-client.js'
import { MOST_TOOLS, type McpTool } from './definition.js'
import { askPeople } from './elicit.js'
import { failureOf } from './failure.js'
import { withForms } from './listed-forms.js'
import { Reader, type Entry, type McpListed } from './listed.js'
import { checkClient, checkOptions, isChosen, strangers, type McpChange, type McpToolsOptions } from './mcp-options.js'
import { faultOfPins, memoryPins, type McpPin, type McpPinStore } from './pins.js'
import { Reports } from './reports.js'
import { valueOf } from './result.js'

/** What `mcpTools` gives. */
export interface McpTools {
  /**
   * For the engine, as they are now. Those that wait for `accept` are among them, but no model may see or call them.
   */
  readonly tools: readonly Tool[]
  /** Everything that the server has, with what is wrong with it. */
  readonly list: readonly McpListed[]
  /**
   * Accepts a tool as the server has it now. `digest`: what was seen; where the server says something else meanwhile,
   * nothing is accepted. Rejects with SluiceError `not_found` where there is no such tool, `state` where it cannot be
   * accepted.
   */
  accept(name: string, digest?: string): Promise<void>
  /**
   * Asks the server for its tools again: after a new connection, or where it tells nobody of changes. Gives what
   * changed.
   */
  refresh(): Promise<readonly McpChange[]>
  /**
   * Adds the tools to an engine, and keeps them there as they are, for the runs that start from then on. Returns what
   * takes them out again. Throws SluiceError `option` where the engine has a tool of such a name.
   */
  attach(engine: Pick<Engine, 'tools' | 'add' | 'remove'>): () => void
  /**
   * Listens to nothing any more, and takes the tools out of the engines. Calls that run go on, no other starts; the
   * client stays open.
   */
  close(): Promise<void>
}

/**
 * The tools of an MCP server as tools of Sluice. `client`: of `@modelcontextprotocol/client` 2 or
 * `@modelcontextprotocol/sdk` 1, connected. Rejects with SluiceError `option` where something is wrong in the options,
 * `state` without a connection, `failed` where the server does not tell its tools, `storage` where the pins cannot be
 * read.
 */
export async function mcpTools(client: McpClientLike, options: McpToolsOptions): Promise<McpTools> {
  checkClient(client, 'client')
  checkOptions(options, 'options')
  const tools = new ServerTools(client, options)
  try {
    await tools.start()
  } catch (error) {
    await tools.close()
    throw error
  }
  return tools
}

type AnyEngine = Parameters<McpTools['attach']>[0]
const checkEngine = withMethods('an engine', 'add', 'remove')

/**
 * Milliseconds from the news of another list until it is read, and the least between two such readings: a server may
 * say so all the time.
 */
const DELAY_MS = 20
const REST_MS = 1000
const LONGEST_WORDS = 300

class ServerTools implements McpTools {
  // -- set once
  readonly #client: McpClientLike
  readonly #options: McpToolsOptions
  readonly #pins: McpPinStore
  readonly #reader: Reader
  readonly #clean: Clean
  readonly #changes: ListChanges
  #endQuestions: (() => void) | undefined
  // -- as the server told it last
  #entries = new Map<string, Entry>()
  #tools: readonly Tool[] = []
  #list: readonly McpListed[] = []
  /**
   * How often the server said that its tools are others; and how often it had, when those that are known here were
   * asked for.
   */
  #news = 0
  #known = -1
  // -- what was reported, so that it is reported once
  readonly #reported = new Map<string, string>()
  #warned: string | undefined
  // -- engines, with what they got from here
  readonly #engines = new Map<AnyEngine, Map<string, Tool>>()
  // -- one thing at a time
  #last: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #readAt = -Infinity
  #closed = false

  constructor(client: McpClientLike, options: McpToolsOptions) {
    this.#client = client
    this.#options = { ...options }
    this.#clean = new Clean(options.secrets)
    this.#pins = options.pins ?? memoryPins()
    this.#changes = new ListChanges(client, () => this.#hear())
    this.#reader = new Reader(this.#options, (name, digest, args, context) => this.#call(name, digest, args, context))
  }

  async start(): Promise<void> {
    const { onElicit, server } = this.#options
    if (onElicit) {
      try {
        this.#endQuestions = askPeople(this.#client, server, onElicit, this.#clean)
      } catch (cause) {
        throw new SluiceError({
          code: 'option',
          path: 'onElicit',
          detail: messageOf(cause),
          hint: 'new Client(info, { capabilities: { elicitation: {} } })',
          cause,
        })
      }
    }
    await this.refresh()
    for (const line of strangers(
      this.#options,
      this.#list.flatMap(({ tool }) => tool?.name ?? []),
    ))
      warn(line)
  }

  get tools(): readonly Tool[] {
    return this.#tools
  }

  get list(): readonly McpListed[] {
    return this.#list
  }

  accept(name: string, digest?: string): Promise<void> {
    return this.#alone(async () => {
      text(name, 'name')
      if (digest !== undefined) text(digest, 'digest')
      const { server } = this.#options
      const entry = this.#entries.get(name)
      if (!entry) throw new SluiceError({ code: 'not_found', detail: `${server} has no tool ${name}` })
      const { listed } = entry
      if (digest !== undefined && digest !== listed.digest)
        throw new SluiceError({
          code: 'state',
          detail: `${server} says something else of ${name} by now`,
          hint: '`list` has what it says',
        })
      if (listed.state === 'ready') return
      if (listed.state !== 'disabled')
        throw new SluiceError({
          code: 'state',
          detail: `${name} does not wait for it: ${listed.detail ?? '`expose` does not name it'}`,
        })
      await this.#pins.set(server, pinsOf([entry]))
      this.#entries.set(name, this.#reader.accepted(entry))
      this.#reported.delete(name)
      this.#publish()
    })
  }

  refresh(): Promise<readonly McpChange[]> {
    return this.#alone(() => this.#refresh())
  }

  attach(engine: AnyEngine): () => void {
    checkEngine(engine, 'engine')
    this.#mustBeOpen()
    if (!this.#engines.has(engine)) {
      const names = new Set(engine.tools.map(({ name }) => name))
      const taken = this.#tools.find(({ name }) => names.has(name))
      const sent = this.#tools
        .map(wireNameOf)
        .find((name) => name !== undefined && engine.tools.map(wireNameOf).includes(name))
      if (taken || sent !== undefined)
        throw new SluiceError({
          code: 'option',
          path: 'engine',
          detail: taken ? `it has a tool ${taken.name} already` : `it has a tool with the wireName ${sent} already`,
          hint: taken ? 'give the server another name' : 'wireName gives it another one',
        })
      this.#engines.set(engine, new Map())
      try {
        this.#supply(engine)
      } catch (error) {
        this.#engines.delete(engine)
        throw error
      }
    }
    return () => this.#withEngine(engine, () => this.#detach(engine))
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const engine of [...this.#engines.keys()]) this.#withEngine(engine, () => this.#detach(engine))
    this.#endQuestions?.()
    await this.#changes.end()
  }

  // -- what the server has --------------------------------------------------------------------------------------------

  /** What reads or changes the list does so one after another. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const work = this.#last.then(act)
    this.#last = work.catch(() => {})
    return work
  }

  async #refresh(): Promise<readonly McpChange[]> {
    this.#mustBeOpen()
    const news = this.#news
    this.#known = -1 // until they are there
    const changes = await this.#take(await this.#ask())
    this.#known = news
    return changes
  }

  async #ask(): ReturnType<typeof listTools> {
    const { server, listTimeoutMs = 30_000 } = this.#options
    const said = (error: unknown): string =>
      escapeInvisible(messageOf(this.#clean.error(error)).slice(0, LONGEST_WORDS))
    try {
      await this.#changes
        .listen(listTimeoutMs)
        .catch((error: unknown) => warn(`${server} does not tell of changes: ${said(error)}`))
      const { tools, more } = await listTools(this.#client, listTimeoutMs)
      return { tools: tools.map((tool) => this.#clean.json(tool)), more }
    } catch (thrown) {
      if (thrown instanceof SluiceError) throw thrown
      const cause = this.#clean.error(thrown)
      throw new SluiceError({ code: 'failed', detail: `${server} does not tell its tools: ${said(cause)}`, cause })
    }
  }

  async #take(given: Awaited<ReturnType<typeof listTools>>): Promise<readonly McpChange[]> {
    const { server } = this.#options
    const known = await this.#accepted()
    const entries = this.#reader.read(given.tools, known)
    const seen = known ? [] : pinsOf(entries.values())
    if (seen.length > 0) await this.#pins.set(server, seen) // one that has no tools yet was not seen yet
    this.#mustBeOpen()
    const changes = this.#changesTo(entries)
    this.#entries = entries
    this.#publish()
    this.#complain(given.more)
    for (const change of changes) {
      try {
        this.#options.onChanged?.(change)
      } catch (error) {
        warn(`onChanged threw: ${messageOf(error)}`)
      }
    }
    return changes
  }

  /** What was accepted, by the server's names; undefined where the server was never seen. */
  async #accepted(): Promise<Map<string, McpPin> | undefined> {
    const pins: unknown = await this.#pins.get(this.#options.server)
    if (pins === undefined) return undefined
    const fault = faultOfPins(pins)
    if (fault)
      throw new SluiceError({ code: 'storage', path: `pins.get()${fault.at}`, detail: `expected ${fault.expected}` })
    return new Map((pins as McpPin[]).map((pin) => [pin.tool, pin]))
  }

  #changesTo(entries: ReadonlyMap<string, Entry>): McpChange[] {
    const changes: McpChange[] = []
    for (const {
      listed: { name, state, reason, tool, before, digest },
    } of entries.values()) {
      if (state !== 'disabled') {
        this.#reported.delete(name)
        continue
      }
      const key = `${reason} ${digest}`
      if (this.#reported.get(name) === key) continue
      this.#reported.set(name, key)
      changes.push({
        name,
        kind: reason as 'changed' | 'new',
        ...(before ? { before } : {}),
        ...(tool ? { after: tool } : {}),
        ...(digest === undefined ? {} : { digest }),
      })
    }
    for (const {
      listed: { name, state, tool, before = tool },
    } of this.#entries.values()) {
      if (entries.has(name) || (state !== 'ready' && state !== 'disabled')) continue
      this.#reported.delete(name)
      changes.push({ name, kind: 'gone', ...(before ? { before } : {}) })
    }
    return changes
  }

  #publish(): void {
    const entries = [...this.#entries.values()]
    this.#tools = entries.flatMap(({ made }) => made ?? [])
    this.#list = withForms(entries, this.#tools, this.#options.wires)
    for (const engine of [...this.#engines.keys()]) this.#withEngine(engine, () => this.#supply(engine))
  }

  /** Says what is left out, by name, once. */
  #complain(more: boolean): void {
    const { server } = this.#options
    const out = this.#list.filter(({ state }) => state === 'left out')
    const lines = [
      ...out.slice(0, 5).map(({ name, detail }) => `${name}: ${(detail ?? '').slice(0, LONGEST_WORDS)}`),
      ...(out.length > 5 ? [`and ${out.length - 5} others: \`list\` has them`] : []),
      ...(more
        ? [`more than ${MOST_TOOLS} tools, or far too much in their definitions: the others were not read`]
        : []),
    ]
    const warning = lines.join('; ')
    if (warning === '' || warning === this.#warned) return
    this.#warned = warning
    warn(`tools of ${server} are left out: ${warning}`)
  }

  /** The server says that its tools are others. */
  #hear(): void {
    this.#news++
    if (this.#timer || this.#closed) return
    const rest = Math.max(DELAY_MS, this.#readAt + REST_MS - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#readAt = performance.now()
      this.refresh().catch((error: unknown) => {
        if (!this.#closed) warn(wordsOf(error))
      })
    }, rest).unref()
  }

  // -- engines --------------------------------------------------------------------------------------------------------

  #supply(engine: AnyEngine): void {
    const own = this.#engines.get(engine) as Map<string, Tool>
    const there = new Map(engine.tools.map((tool) => [tool.name, tool]))
    // where neither has it: the name is free
    const isOurs = (name: string): boolean => there.get(name) === own.get(name)
    const sent = new Set(engine.tools.flatMap((tool) => (own.get(tool.name) === tool ? [] : (wireNameOf(tool) ?? []))))
    const fitting = this.#tools.filter((tool) => isOurs(tool.name) && !sent.has(wireNameOf(tool) ?? ''))
    const wanted = new Map(fitting.map((tool) => [tool.name, tool]))
    const gone = [...own.keys()].filter((name) => isOurs(name) && !wanted.has(name))
    const fresh = [...wanted.values()].filter((tool) => own.get(tool.name) !== tool)
    if (gone.length > 0) engine.remove(...gone)
    for (const name of gone) own.delete(name)
    if (fresh.length > 0) engine.add(...fresh)
    for (const tool of fresh) own.set(tool.name, tool)
  }

  /** One that was closed needs nothing any more. */
  #withEngine(engine: AnyEngine, act: () => void): void {
    try {
      act()
    } catch (error) {
      if (SluiceError.is(error) && error.code === 'closed') this.#engines.delete(engine)
      else warn(`an engine does not take the tools of ${this.#options.server}: ${wordsOf(error)}`)
    }
  }

  #detach(engine: AnyEngine): void {
    const own = this.#engines.get(engine)
    this.#engines.delete(engine)
    const left = engine.tools.filter((tool) => own?.get(tool.name) === tool)
    if (left.length > 0) engine.remove(...left.map(({ name }) => name))
  }

  // -- calls ----------------------------------------------------------------------------------------------------------

  async #call(name: string, digest: string, args: object, context: ToolContext): Promise<unknown> {
    const { server, readOnly } = this.#options
    const tool = await this.#offered(name, digest, context.signal)
    if (context.signal.aborted) throw context.signal.reason
    const reports = new Reports((report) => context.progress(report))
    let result: unknown
    try {
      result = await callTool(this.#client, { name: tool.name, arguments: args }, tool.inputSchema, {
        signal: context.signal,
        onprogress: (report) => reports.take(this.#clean.json(report) as McpProgress),
      })
    } catch (error) {
      throw failureOf(this.#clean.error(error), server, isChosen(tool, readOnly))
    } finally {
      reports.end()
    }
    return valueOf(this.#clean.json(result))
  }

  /** The tool, where the server still has it as it was offered. A turn may be older than what the server says now. */
  async #offered(name: string, digest: string, signal: AbortSignal): Promise<McpTool> {
    const { server } = this.#options
    if (this.#known !== this.#news) {
      await this.#alone(async () => signal.aborted || this.#known === this.#news || this.#refresh()).catch(
        (error: unknown) => {
          throw new Error(`Not run: ${wordsOf(error)}`)
        },
      )
    }
    if (this.#closed) throw new Error(`Not run: the app closed ${server}`)
    const listed = this.#entries.get(name)?.listed
    if (!listed?.tool || listed.state === 'left out') throw new Error(`Not run: ${server} does not have it any more`)
    if (listed.state !== 'ready' || listed.digest !== digest)
      throw new Error(`Not run: ${server} changed it since it was offered`)
    return listed.tool
  }

  // -- help -----------------------------------------------------------------------------------------------------------

  #mustBeOpen(): void {
    if (this.#closed)
      throw new SluiceError({ code: 'closed', detail: `the tools of ${this.#options.server} were closed` })
  }
}

/** What the app calls it in requests; undefined: it is made from the name. */
const wireNameOf = ({ declaration }: Tool): string | undefined => declaration['wireName'] as string | undefined

/** What was thrown underneath stands in a message of ours already. */
const wordsOf = (error: unknown): string => (SluiceError.is(error) ? error.message : messageOf(error))

function pinsOf(entries: Iterable<Entry>): McpPin[] {
  return [...entries].flatMap(({ listed: { tool, digest } }) =>
    tool && digest !== undefined ? [{ tool: tool.name, digest, definition: tool }] : [],
  )
}
