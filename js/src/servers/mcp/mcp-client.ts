// The official clients by their shape: `@modelcontextprotocol/client` 2 and `@modelcontextprotocol/sdk` 1. Lists are
// asked for past their own readers: those refuse a whole list for one tool that is none.
import { SluiceError } from '../../engine/core/errors.js'
import { isObject, MOST_MS } from '../../engine/core/options.js'
import { LONGEST_OF_ALL, MOST_TOOLS } from './definition.js'

// The clients of both packages must fit, and their types differ: hence `any`.
/**
 * A connected client of `@modelcontextprotocol/client` 2 or `@modelcontextprotocol/sdk` 1: the app made it, and the app
 * closes it.
 */
export interface McpClientLike {
  request(request: any, schema: any, options?: any): Promise<any>
  /** Calls a tool. What the arguments behind the first are depends on the version. */
  callTool(params: any, second?: any, third?: any): Promise<any>
  /** What the server said of itself; undefined before it is connected. */
  getServerCapabilities(): any
  /** Gets what nobody else listens to. */
  fallbackNotificationHandler?: (notification: any) => Promise<void>
  /** Is asked what nobody else answers. */
  fallbackRequestHandler?: (request: any, extra: any) => Promise<any>
}

/** What is known of version 2 only. */
interface Version2 extends McpClientLike {
  getProtocolEra(): 'legacy' | 'modern' | undefined
  listen(
    filter: { toolsListChanged: true },
    options: { timeout: number },
  ): Promise<{ close(): Promise<void>; closed: Promise<unknown> }>
  setRequestHandler(method: string, handler: (request: any, context: any) => Promise<any>): void
  removeRequestHandler(method: string): void
}

export const isVersion2 = (client: McpClientLike): client is Version2 =>
  typeof (client as Partial<Version2>).getProtocolEra === 'function'

/** Takes any result, in the words of each version: zod's, and Standard Schema. */
const anyResult = {
  parse: (value: unknown): unknown => value,
  safeParse: (value: unknown): unknown => ({ success: true, data: value }),
  '~standard': { version: 1, vendor: 'sluice', validate: (value: unknown): unknown => ({ value }) },
}

/** A list on more pages than this does not end. */
const MOST_PAGES = 1000

/** The tools of the server as it tells them, unchecked. `more`: there are further ones, which are not read. */
export async function listTools(
  client: McpClientLike,
  timeoutMs: number,
): Promise<{ tools: unknown[]; more: boolean }> {
  if (!isObject(client.getServerCapabilities()))
    throw new SluiceError({
      code: 'state',
      detail: 'the client is not connected',
      hint: 'await client.connect(transport) before it',
    })
  if (client.getServerCapabilities().tools === undefined) return { tools: [], more: false }
  const tools: unknown[] = []
  let size = 0
  const until = performance.now() + timeoutMs
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const timeout = Math.max(1, until - performance.now())
    const result: unknown = await client.request(
      { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
      anyResult,
      { timeout, maxTotalTimeout: timeout },
    )
    if (!isObject(result) || !Array.isArray(result['tools']))
      throw new Error('the answer to tools/list has no list of tools')
    for (const tool of result['tools'] as unknown[]) {
      // those that are too long are told by name, up to here
      if (tools.length === MOST_TOOLS || size > 2 * LONGEST_OF_ALL) return { tools, more: true }
      tools.push(tool)
      size += lengthOf(tool)
    }
    const next = result['nextCursor']
    if (typeof next !== 'string' || next === cursor) return { tools, more: false }
    cursor = next
  }
  return { tools, more: true }
}

/** Characters of JSON; of what is nested too deeply to write it, as many as there may be. */
function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0
  } catch {
    return LONGEST_OF_ALL
  }
}

/** A report of a running tool, unchecked. */
export interface McpProgress {
  progress?: unknown
  total?: unknown
  message?: unknown
}

/**
 * Calls a tool. `schema` is that of the definition: where the revision 2026-07-28 is spoken, headers are made by it.
 * Elsewhere a result is read past the client's own reader.
 */
export function callTool(
  client: McpClientLike,
  params: { name: string; arguments: object },
  schema: unknown,
  { signal, onprogress }: { signal: AbortSignal; onprogress: (report: McpProgress) => void },
): Promise<unknown> {
  // the engine measures the time of a call
  const options = { signal, onprogress, timeout: MOST_MS, maxTotalTimeout: MOST_MS, resetTimeoutOnProgress: true }
  if (!isVersion2(client)) return client.callTool(params, anyResult, options)
  if (client.getProtocolEra() !== 'modern') return client.request({ method: 'tools/call', params }, anyResult, options)
  return client.callTool(params, { ...options, toolDefinition: { name: params.name, inputSchema: schema } })
}

/** Hears that the list of a server is another. */
export class ListChanges {
  readonly #client: McpClientLike
  readonly #before: McpClientLike['fallbackNotificationHandler']
  readonly #handler: NonNullable<McpClientLike['fallbackNotificationHandler']>
  #subscription: { close(): Promise<void> } | undefined
  #ended = false

  constructor(client: McpClientLike, changed: () => void) {
    this.#client = client
    this.#before = client.fallbackNotificationHandler
    this.#handler = async (notification: { method?: unknown }) => {
      if (notification.method === 'notifications/tools/list_changed') changed()
      await this.#before?.call(client, notification)
    }
    client.fallbackNotificationHandler = this.#handler
  }

  /**
   * From revision 2026-07-28 on a server tells only those who listen, on every connection anew. Rejects where it does
   * not let them.
   */
  async listen(timeout: number): Promise<void> {
    const client = this.#client
    if (
      this.#ended ||
      this.#subscription ||
      !isVersion2(client) ||
      client.getProtocolEra() !== 'modern' ||
      client.getServerCapabilities()?.tools?.listChanged !== true
    )
      return
    const subscription = await client.listen({ toolsListChanged: true }, { timeout })
    if (this.#ended) return void (await subscription.close().catch(() => {}))
    this.#subscription = subscription
    const over = (): void => {
      if (this.#subscription === subscription) this.#subscription = undefined
    }
    subscription.closed.then(over, over)
  }

  async end(): Promise<void> {
    this.#ended = true
    if (this.#client.fallbackNotificationHandler === this.#handler)
      this.#client.fallbackNotificationHandler = this.#before
    await this.#subscription?.close().catch(() => {})
  }
}

type RequestHandler = (params: unknown, signal: AbortSignal) => Promise<unknown>

/** Answers a request of the server. Returns what ends that. Throws where the client did not declare that it can. */
export function onRequest(client: McpClientLike, method: string, handle: RequestHandler): () => void {
  if (isVersion2(client)) {
    client.setRequestHandler(method, (request: { params?: unknown }, context: { mcpReq: { signal: AbortSignal } }) =>
      handle(request.params, context.mcpReq.signal),
    )
    return () => client.removeRequestHandler(method)
  }
  // Version 1 wants a schema of zod for a handler of its own. What it would check stands in a method that no type
  // tells.
  const { assertRequestHandlerCapability: check } = client as {
    assertRequestHandlerCapability?: (method: string) => void
  }
  check?.call(client, method)
  const before = client.fallbackRequestHandler
  const handler = async (
    request: { method?: unknown; params?: unknown },
    extra: { signal: AbortSignal },
  ): Promise<unknown> => {
    if (request.method === method) return handle(request.params, extra.signal)
    if (before) return before.call(client, request, extra)
    throw Object.assign(new Error('Method not found'), { code: -32601 })
  }
  client.fallbackRequestHandler = handler
  return () => {
    if (client.fallbackRequestHandler === handler) client.fallbackRequestHandler = before
  }
}
