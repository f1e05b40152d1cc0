// The tools of a run: each call with its signal, its context and its result.
import { messageOf, SluiceError } from './errors.js'
import type { CallerRef, CardEvent, ChatMessage, ExecuteEvent, JsonObject, ProgressEvent } from './events.js'
import { callHook, guardHook, HookError } from './hooks.js'
import { untellable } from './json-text.js'
import { NestedCalls } from './nested-calls.js'
import { NotSaved } from './not-saved.js'
import { isObject, shown, wrong } from './options.js'
import { OutcomeUnknown } from './outcome-unknown.js'
import { isState } from './requests.js'
import { hookTimeout, type Stage } from './stage.js'
import { ToolError } from './tool-error.js'
import type { Turn } from './turn.js'
import {
  isReadOnly,
  isToolResult,
  type CallInfo,
  type ToolProgress,
  type Tool,
  type ToolContext,
  type ToolResult,
} from './tool.js'
import { ToolFiles, type ToolFile } from './tool-files.js'

interface Running {
  name: string
  abort: AbortController
  /** The last report with numbers. */
  report?: { text: string; done?: number; total?: number }
  /** What it does: see `ExecuteEvent.key`. */
  key: string
  round: number | undefined
  parent: CallerRef | undefined
}

export class RunningTools {
  readonly #stage: Stage
  readonly #tools: ReadonlyMap<string, Tool>
  /** The id of the run, what the app gave to it, and `Run.approvals`. */
  readonly #run: { readonly id: string; readonly context: unknown; readonly approvals: ReadonlyMap<number, string> }
  readonly #files: ToolFiles
  readonly #running = new Map<number, Running>()
  readonly #nested: NestedCalls

  constructor(
    stage: Stage,
    tools: Iterable<Tool>,
    run: {
      id: string
      context: unknown
      approvals: ReadonlyMap<number, string>
      files: readonly ToolFile[] | undefined
    },
  ) {
    this.#stage = stage
    this.#nested = new NestedCalls(stage)
    this.#tools = new Map([...tools].map((tool) => [tool.name, tool]))
    this.#run = run
    this.#files = new ToolFiles(run.files)
  }

  /** The calls that run now. */
  get list(): { call: number; name: string }[] {
    return [...this.#running].map(([call, { name }]) => ({ call, name }))
  }

  /** A call runs that was not aborted. */
  get busy(): boolean {
    return [...this.#running.values()].some(({ abort }) => !abort.signal.aborted)
  }

  /** Whether the tool has `execute`. If not, the reader of the `execute` event calls `succeed` or `fail`. */
  runs(name: string): boolean {
    return this.#tools.get(name)?.run !== undefined
  }

  /** The app brings the result, perhaps days later. */
  isExternal(name: string): boolean {
    return this.#tools.get(name)?.external === true
  }

  /** Nothing of this call may begin before a save names it: with `checkpoint`, unless the tool changes nothing. */
  needsSave(name: string): boolean {
    const tool = this.#tools.get(name)
    return this.#stage.hooks.checkpoint !== undefined && !(tool && isReadOnly(tool))
  }

  /** Notes what a card says about a call that runs. */
  hear(event: CardEvent): void {
    const { call, key } = event
    this.#nested.hear(event)
    const running = this.#running.get(call)
    if (running && key !== undefined) running.key = key
  }

  abort(call: number, reason: string): void {
    this.#running.get(call)?.abort.abort(new Error(reason))
  }

  abortAll(reason: string): void {
    for (const call of this.#running.keys()) this.abort(call, reason)
    this.#nested.endAll(reason)
  }

  start(event: ExecuteEvent): void {
    const tool = this.#tools.get(event.name)
    if (!tool?.run) return
    const { name, key, round, parent } = event
    const running: Running = { name, key, round, parent, abort: new AbortController() }
    this.#running.set(event.call, running)
    this.#stage.track(this.#work(tool, event, running))
  }

  /** Puts a report of a tool on its card. */
  progress(call: number, report: ToolProgress): void {
    const { turn, step } = this.#stage
    if (typeof report === 'string') return step(() => turn.progress(call, report))
    checkProgress(report)
    const { done, total, text } = report
    const counted = total === undefined ? String(done) : `${done} / ${total}`
    const sent = {
      text: text === undefined ? counted : `${text} (${counted})`,
      done,
      ...(total === undefined ? {} : { total }),
    }
    const running = this.#running.get(call)
    if (running) running.report = sent
    step(() => turn.progress(call, sent.text))
  }

  /** Adds the numbers of the report to its event. */
  count(event: ProgressEvent): void {
    const report = this.#running.get(event.call)?.report
    if (report?.text === event.text)
      Object.assign(event, { done: report.done, ...(report.total === undefined ? {} : { total: report.total }) })
  }

  async #work(tool: Tool, event: ExecuteEvent, { abort: { signal } }: Running): Promise<void> {
    const { call } = event
    const needsSave = this.needsSave(event.name)
    try {
      if (needsSave || this.#stage.hooks.beforeExecute) await this.#stage.together()
      if (signal.aborted) return
      const ready = await this.#beforeExecute(event, signal)
      if (!ready || signal.aborted) return
      if (needsSave) await this.#stage.checkpoint('tool')
      if (signal.aborted) return
      const result = await this.#execute(tool, ready, signal)
      if ('lost' in result) return this.#lose(call, result.lost)
      this.#tell(call, ...(await this.#afterTool(ready, result, signal)))
    } catch (error) {
      if (error instanceof NotSaved) return refuseUnsaved(this.#stage, call)
      if (!signal.aborted && !this.#stage.over) throw error
    } finally {
      this.#running.delete(call)
    }
  }

  /**
   * The call with the arguments that it runs with; undefined where it was refused. A call that runs again keeps the
   * arguments that it had.
   */
  async #beforeExecute(event: ExecuteEvent, signal: AbortSignal): Promise<ExecuteEvent | undefined> {
    const { beforeExecute } = this.#stage.hooks
    const { turn, step } = this.#stage
    if (event.hostArguments) return { ...event, arguments: event.hostArguments }
    if (!beforeExecute) return event
    const refuse = (reason: string): undefined => void step(() => turn.refuse(event.call, reason))
    try {
      const given: unknown = await callHook(
        'beforeExecute',
        () => beforeExecute(this.#infoOf(event)),
        hookTimeout(this.#stage),
        signal,
      )
      if (given === undefined) return event
      if (isObject(given) && typeof given['deny'] === 'string' && !('arguments' in given)) return refuse(given['deny'])
      if (!isObject(given) || !isObject(given['arguments']) || 'deny' in given)
        throw new HookError(
          `beforeExecute gave back ${shown(given)}, expected { arguments } with an object, { deny } with a text, or nothing`,
        )
      const args = given['arguments'] as JsonObject
      step(() => turn.resolveArguments(event.call, args))
      if (this.#stage.forbids(event.call)) return refuse('a rule refuses these arguments')
      await this.#stage.settle() // its card has the key of these arguments
      return { ...event, arguments: args, key: this.#running.get(event.call)?.key ?? event.key }
    } catch (error) {
      if (signal.aborted || isState(error))
        return this.#stage.over || signal.aborted ? undefined : refuse(messageOf(error))
      this.#stage.warn(messageOf(error))
      return refuse(error instanceof SluiceError ? messageOf(error) : 'the app could not prepare it')
    }
  }

  async #execute(tool: Tool, event: ExecuteEvent, signal: AbortSignal): Promise<ToolResult | { lost: string }> {
    try {
      return { value: await tool.run?.(event.arguments, this.#contextOf(event, signal)) }
    } catch (error) {
      if (!signal.aborted) this.#reportThrown(event, error)
      if (OutcomeUnknown.is(error)) return { lost: messageOf(error) }
      return { error: ToolError.is(error) ? error.message : messageOf(error) }
    }
  }

  /** A tool that was stopped may throw what it likes. */
  #reportThrown({ call, name, arguments: args }: ExecuteEvent, error: unknown): void {
    const { hooks, warnings } = this.#stage
    const { onToolError } = hooks
    if (onToolError) guardHook('onToolError', () => onToolError({ call, name, arguments: args, error }))
    else if (!ToolError.is(error) && !OutcomeUnknown.is(error))
      warnings.report({ kind: 'tool_threw', text: `${name} threw: ${messageOf(error)}`, tool: name, error })
  }

  /**
   * Nobody knows whether it did its work: as for a call that was stopped while it ran. The card tells why as its last
   * report.
   */
  #lose(call: number, why: string): void {
    const { turn, step } = this.#stage
    try {
      step(() => turn.progress(call, why))
      step(() => turn.cancel(call, why))
    } catch (error) {
      if (!isState(error)) throw error // whoever reads may have answered for the tool
    }
  }

  /**
   * The result, and what `afterTool` puts in its place for the model. If the hook fails, everybody reads only that the
   * tool ran.
   */
  async #afterTool(event: ExecuteEvent, result: ToolResult, signal: AbortSignal): Promise<[ToolResult, ToolResult?]> {
    const { afterTool } = this.#stage.hooks
    if (!afterTool || signal.aborted) return [result]
    try {
      const changed =
        (await callHook('afterTool', () => afterTool(this.#infoOf(event), result), hookTimeout(this.#stage), signal)) ??
        result
      if (changed === result) return [result]
      if (isToolResult(changed)) return [result, changed]
      throw new HookError(
        `afterTool gave back ${shown(changed)}, expected { value }, { error } with a text, or nothing`,
      )
    } catch (error) {
      if (signal.aborted) return [result]
      this.#stage.warn(messageOf(error))
      return [{ error: untellable(error) }]
    }
  }

  #tell(call: number, result: ToolResult, hostOutput?: ToolResult): void {
    const { turn, step } = this.#stage
    try {
      try {
        step(() =>
          'error' in result ? turn.fail(call, result.error, hostOutput) : turn.succeed(call, result.value, hostOutput),
        )
      } catch (error) {
        if (isState(error)) throw error
        if (hostOutput) return this.#tell(call, hostOutput) // no card can show what the tool gave
        // it did its work
        step(() => turn.fail(call, untellable(error instanceof SluiceError && error.cause ? error.cause : error)))
      }
    } catch (error) {
      if (!isState(error)) throw error // whoever reads may have answered for the tool
    }
  }

  #infoOf({ call, name, parent, arguments: args, wireId, round, source, protocolFields, key }: ExecuteEvent): CallInfo {
    return {
      call,
      name,
      arguments: args,
      key: keyOf(this.#run.id, this.#ownKey(call, { key, round, parent })),
      protocolFields: protocolFields ?? {},
      ...(parent === undefined ? {} : { parent }),
      ...(wireId === undefined ? {} : { id: wireId }),
      ...(round === undefined ? {} : { round }),
      ...(source === undefined ? {} : { source }),
    }
  }

  /** The key within the run: by the call's question where that is known. A nested call has its caller's in front. */
  #ownKey(call: number, { key, round, parent }: Pick<Running, 'key' | 'round' | 'parent'>): string {
    const approval = this.#run.approvals.get(call)
    if (approval !== undefined) return `${round ?? 0}:${approval.slice(0, 32)}`
    const caller = parent && this.#running.get(parent.call)
    return caller ? `${this.#ownKey(parent.call, caller)}${key.slice(key.lastIndexOf('/'))}` : key
  }

  #contextOf(event: ExecuteEvent, signal: AbortSignal): ToolContext {
    const { call, deadline } = event
    const { arguments: _, call: number, ...info } = this.#infoOf(event)
    const { turn } = this.#stage
    const files = this.#files
    const runs = (): boolean => this.#running.get(call)?.abort.signal === signal && !signal.aborted
    const made: Omit<ToolContext, 'messages'> = {
      ...info,
      number,
      call: (name, args = {}, options = {}) => this.#nested.call({ call, runs }, name, args, options.signal),
      signal,
      context: this.#run.context,
      get files() {
        return files.list
      },
      file: (ref) => files.find(ref),
      ...(deadline === undefined ? {} : { deadline }),
      progress: (report) => {
        if (runs()) this.progress(call, report)
      },
    }
    // A spread of the context must not copy the whole conversation.
    const messages = { get: () => conversationOf(turn, event.round), enumerable: false }
    return Object.defineProperty(made, 'messages', messages) as ToolContext
  }
}

/** Nobody would know of it after a crash: it does not run, and the model reads why. */
export function refuseUnsaved({ turn, step }: Stage, call: number): void {
  try {
    step(() => turn.refuse(call, new NotSaved().message))
  } catch (error) {
    if (!isState(error)) throw error // it has ended meanwhile
  }
}

/** The messages of the run, and those that its answers before this round added. */
function conversationOf(turn: Turn, round = 0): ChatMessage[] {
  const { turn: settings } = JSON.parse(turn.state) as { turn: { request?: { messages?: ChatMessage[] } } }
  const added = turn.history
  const now = added.findIndex(({ metadata }) => isObject(metadata) && metadata['round'] === round)
  return [...(settings.request?.messages ?? []), ...added.slice(0, now < 0 ? added.length : now)]
}

/** The idempotency key of a call: see `CallInfo.key`. */
export const keyOf = (run: string, key: string): string => `${run}:${key}`

const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < Infinity

function checkProgress(report: unknown): void {
  const { done, total, text } = (isObject(report) ? report : {}) as { [member in 'done' | 'total' | 'text']?: unknown }
  if (isCount(done) && (total === undefined || isCount(total)) && (text === undefined || typeof text === 'string'))
    return
  throw wrong('report', report, 'a text, or { done, total, text } with numbers of at least 0')
}
