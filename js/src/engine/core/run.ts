// A turn with everything around it: requests, timers, tools, questions. The native turn decides; this carries out what
// its events say, with a part for each of these. Every call into the turn goes through RunPolling.
import type { ApproveOptions } from './approvals.js'
import { Checkpoints } from './checkpoints.js'
import { EndedCalls } from './ended-calls.js'
import type { EngineWarnings } from './engine-warnings.js'
import { messageOf } from './errors.js'
import { EventLog } from './event-log.js'
import type {
  ApprovalEvent,
  AssistantMessage,
  ChatMessage,
  ErrorEvent,
  ExecuteEvent,
  JsonObject,
  SluiceEvent,
  Usage,
} from './events.js'
import { HeldCalls } from './held-calls.js'
import { guardHook } from './hooks.js'
import type { Server } from './model.js'
import { streamedText } from './joined-text.js'
import { onAbort } from './on-abort.js'
import { Questions } from './run-questions.js'
import type { Remembered } from './remembered.js'
import { isState, Requests } from './requests.js'
import { checkGrace, type RunHooks, type RunOutcome, type RunResult, type StoppedRun } from './run-options.js'
import { RunLosses } from './run-losses.js'
import { RunPolling, type Polled } from './run-polling.js'
import { RunQuiet } from './run-quiet.js'
import { References } from './run-references.js'
import { resultOf, throwIfFailed } from './run-result.js'
import { RunRetries } from './run-retries.js'
import { RunningTools } from './running-tools.js'
import type { Fallback } from './settings.js'
import type { Stage, Unnumbered } from './stage.js'
import { setImmediate } from './set-immediate.js'
import { TextFallback } from './text-fallback.js'
import type { ToolProgress, Tool, ToolResult } from './tool.js'
import type { ToolFile } from './tool-files.js'
import { callNumber, type CallRef, type FinalDecision, type Turn } from './turn.js'
import { Waits, type Unanswered } from './unanswered.js'
import { unusable } from './unusable.js'
import { warn, warnOnce } from './warning.js'

/** What a run is made of. */
export interface RunParts {
  id: string
  turn: Turn
  /** The turn was saved, and goes on. */
  resumed: boolean
  /** Those of the moment: a tool that is added later is no part of the run. */
  tools: readonly Tool<any>[] // their context is checked when the run begins
  remembered: Remembered
  server: Server
  /** Names of tools that this server refused for this model: those of this run are added. */
  refused: Set<string>
  unanswered: Unanswered
  warnings: EngineWarnings
  hooks: RunHooks
  /** Of `autoFallback`. */
  when: Fallback['when'] | undefined
  /** Makes a copy of the turn from its state. */
  restore: (state: string) => Turn
  context: unknown
  files: readonly ToolFile[] | undefined
  onEvent: ((event: SluiceEvent) => void) | undefined
  signal: AbortSignal | undefined
}

/**
 * One run of a turn, with its requests, timers, tools and approvals. It goes on by itself; iterate it to see its
 * events.
 */
export class Run implements AsyncIterable<SluiceEvent> {
  /**
   * By which the run is known: as `engine.run({ id })` said, or a random UUID. A resumed run has that of the one that
   * was saved.
   */
  readonly id: string
  /** Resolves when the run has ended, however it ended: see `outcome`. Never rejects. */
  readonly done: Promise<RunResult>
  /** @internal Those that it began with. */
  readonly tools: RunParts['tools']
  /** @internal Of a resumed run: the message as it was saved. */
  readonly before: AssistantMessage | undefined
  /** @internal A host, a handler or a durable turn answers its questions: a long wait is that of a person. */
  hosted = false
  /** @internal Why a nested call is refused that waits for a person, or for a tool that runs elsewhere. */
  refusesNested: ((event: ApprovalEvent | ExecuteEvent) => string | undefined) | undefined
  /**
   * @internal SHA-256 of the question about a call, by the number of the call. The call's `key` comes from it instead
   * of from arguments that a client may edit.
   */
  readonly approvals = new Map<number, string>()

  readonly #turn: Turn
  readonly #hooks: RunHooks
  readonly #remembered: Remembered
  readonly #onEvent: RunParts['onEvent']
  readonly #refused: Set<string>
  readonly #events = new EventLog()
  #settle!: (result: RunResult) => void
  #result: RunResult | undefined

  // -- its parts
  readonly #requests: Requests
  readonly #tools: RunningTools
  readonly #questions: Questions
  readonly #checkpoints: Checkpoints
  readonly #held: HeldCalls
  readonly #waits: Waits
  readonly #losses: RunLosses
  readonly #endedCalls: EndedCalls
  readonly #polling: RunPolling
  readonly #quiet: RunQuiet
  readonly #retries: RunRetries
  readonly #references: References
  #together: Promise<void> | undefined

  // -- how it ends
  #lastError: ErrorEvent | undefined
  #reason: string | undefined
  #deadline: NodeJS.Timeout | undefined
  /** Calls that were cancelled; 0: all of them. What had not started does not start any more. */
  readonly #stopped = new Set<number>()
  readonly #ended = new AbortController()
  #suspension: Promise<string | null> | undefined
  #removeSignal: (() => void) | undefined

  /** The app reads `quiet`, so it looks after open questions. */
  #tended = false

  /** @internal */
  constructor(parts: RunParts) {
    const { id, turn, resumed, tools, remembered, server, refused, hooks, when, context, files, onEvent, signal } =
      parts
    this.id = id
    this.tools = tools
    this.before = resumed ? turn.message : undefined
    this.#turn = turn
    this.#hooks = hooks
    this.#remembered = remembered
    this.#onEvent = onEvent
    this.#refused = refused
    const stage = this.#stage(parts.warnings)
    this.#polling = new RunPolling(stage, this.#polled())
    this.#quiet = new RunQuiet({
      quiet: () => this.#quietNow,
      draining: () => this.#polling.draining,
      fail: (error) => this.#break(error),
    })
    this.#references = new References(stage, this.#ended.signal)
    this.#retries = new RunRetries(stage, this.#ended.signal, (decision) => this.conclude(decision))
    this.#requests = new Requests(stage, server, when && new TextFallback(stage, when, parts.restore))
    this.#tools = new RunningTools(stage, tools, { id, context, approvals: this.approvals, files })
    this.#questions = new Questions(stage, this, () => this.#isWatched)
    this.#checkpoints = new Checkpoints(stage, this.#ended.signal, (detail) => this.#abandon(detail))
    this.#held = new HeldCalls(stage, (event) => this.#tellHeld(event))
    this.#waits = new Waits(
      parts.unanswered,
      parts.warnings,
      () => this.#events.readers > 0 && !this.#tended && !this.hosted,
      (event) => this.#events.passed(event),
    )
    this.#losses = new RunLosses(parts.warnings)
    this.#endedCalls = new EndedCalls(hooks.onCall)
    turn.secrets = server.secrets
    this.done = new Promise((resolve) => (this.#settle = resolve))
    this.#step(() => {})
    if (resumed) this.#goOn()
    const limit = hooks.deadlineMs
    if (limit !== undefined && !this.#result)
      this.#deadline = setTimeout(() => this.#cancel(`the deadline of ${limit} ms passed`), limit)
    if (signal)
      this.#removeSignal = onAbort(signal, () =>
        this.#cancel(signal.reason === undefined ? undefined : messageOf(signal.reason)),
      )
  }

  /** Every event from the first one on. Whoever reads is expected to answer `approval` events. */
  [Symbol.asyncIterator](): AsyncGenerator<SluiceEvent, void, undefined> {
    return this.#events.read(() => setImmediate(() => this.#questions.denyUnwatched())) // whoever leaves may suspend
  }

  /**
   * The text as it arrives. Who reads it sees no questions: they are denied, unless an adapter answers them or somebody
   * reads the events as well. Throws SluiceError `failed` at the end of a turn that failed.
   */
  get textStream(): AsyncGenerator<string, void, undefined> {
    return this.#texts()
  }

  /** The message as it is now, block by block. */
  get snapshot(): AssistantMessage {
    return this.#result ? this.#result.message : this.#turn.message
  }

  /** The message when the run has ended. Never rejects: where the turn failed, the last block is the error. */
  get message(): Promise<AssistantMessage> {
    return this.done.then(({ message }) => message)
  }

  /**
   * All text, when the run has ended. Rejects with SluiceError `failed` where the turn failed: the text alone would not
   * say so.
   */
  get text(): Promise<string> {
    return this.done.then((result) => {
      throwIfFailed(result)
      return result.text
    })
  }

  /** Tokens of all answers, when the run has ended; undefined where the provider counted none. Never rejects. */
  get usage(): Promise<Usage | undefined> {
    return this.done.then(({ usage }) => usage)
  }

  /**
   * Resolves when this process has nothing to do for the turn: `waiting`, for people or results from outside, or
   * `done`. A later look waits for the next time. Whoever looks is expected to answer the questions or to `suspend`:
   * they are no longer denied for want of a reader.
   */
  get quiet(): Promise<'done' | 'waiting'> {
    this.#tended = true
    return this.#quiet.next()
  }

  /**
   * Lets a call run: an `approval` event, the number of a call, or 0 for all whose `approval` event somebody has read.
   * Returns false if the question was already decided, nobody could have seen one, or it is not the one whose `digest`
   * was given. Throws SluiceError `not_found` where there is no such call, `json` where edited arguments do not fit the
   * schema.
   */
  approve(call: CallRef, options?: ApproveOptions): boolean {
    if (callNumber(call, 0) !== 0 || options?.arguments !== undefined)
      return this.#answer(() => this.#turn.approve(call, options))
    const seen = this.#questions.open.filter(
      (event) => event.stage === 'execution' && (this.#events.given(event) || this.#questions.adapted(event)),
    )
    return seen.map((event) => this.approve(event, options)).some(Boolean)
  }

  /** Lets the result of a call out to the model. Returns false if the question was already decided. */
  release(call: CallRef): boolean {
    return this.#answer(() => this.#turn.release(call))
  }

  /**
   * Refuses what a call waits for: to run, or that its result is let out. Returns false if the question was already
   * decided.
   */
  deny(call: CallRef, reason?: string): boolean {
    return this.#answer(() => this.#turn.deny(call, reason))
  }

  /**
   * Refuses what a call waits for where no person did, by the app's own policy: the model is told so. Returns false if
   * the question was already decided.
   */
  refuse(call: CallRef, reason?: string): boolean {
    return this.#decide(() => this.#turn.refuse(call, reason))
  }

  /**
   * Cancels the turn. Resolves when everything is quiet: the request closed, every tool returned; at the latest after
   * `graceMs` (default
   * 1,000). `stillRunning` are then the tools that take no notice of their signal: what they return reaches nobody.
   */
  async cancel(reason?: string, options: { graceMs?: number } = {}): Promise<StoppedRun> {
    checkGrace(options, 'options')
    this.#cancel(reason)
    await this.#quiet.waitWhile(() => this.#quiet.pending, options.graceMs ?? 1000)
    return { stillRunning: this.#tools.list }
  }

  cancelCall(call: CallRef, reason?: string): void {
    const number = callNumber(call)
    this.#step(() => {
      this.#turn.cancel(number, reason)
      this.#stopped.add(number)
    })
  }

  /**
   * Ends the run, but not its turn: `engine.resume(state)` goes on with it, also in another process. Nothing new
   * starts. An answer that is being shown, tools that run and a checkpoint that is being saved are waited for, at most
   * `graceMs` milliseconds (default 5,000): after that the answer is cut off, and a call that ran becomes `unknown`,
   * unless it is `idempotent`. `done` resolves with `suspended`.
   * @returns the state, for `engine.resume`: as trusted as your own memory, it holds messages and results. Null where
   * the turn was over before.
   */
  suspend(options: { graceMs?: number } = {}): Promise<string | null> {
    checkGrace(options, 'options')
    return (this.#suspension ??= this.#suspend(options.graceMs ?? 5000))
  }

  /**
   * With `checkFinal` and without `onFinal`: what becomes of the answer that a `final` event told. Returns false where
   * no answer waits. Throws SluiceError `limit` where it is the last, and cannot be sent back.
   */
  conclude(decision: FinalDecision): boolean {
    return this.#decide(() => this.#turn.conclude(decision))
  }

  /**
   * The arguments with which a tool without `execute` is run, where the app resolves what the model wrote: see
   * `beforeExecute`; null: as they are. Throws SluiceError `json` where they do not fit the schema.
   */
  resolveArguments(call: CallRef, args: JsonObject | null): void {
    this.#step(() => this.#turn.resolveArguments(call, args))
  }

  /**
   * The result of a tool that has no `execute`. `hostOutput`: what the model reads in its place; the card shows both.
   */
  succeed(call: CallRef, value: unknown, hostOutput?: ToolResult): void {
    this.#waits.answered('execute')
    this.#step(() => this.#turn.succeed(call, value, hostOutput))
  }

  /**
   * The failure of a tool that has no `execute`. `hostOutput`: what the model reads in its place; the card shows both.
   */
  fail(call: CallRef, message: string, hostOutput?: ToolResult): void {
    this.#step(() => this.#turn.fail(call, message, hostOutput))
  }

  /** What a running tool has to say meanwhile: shown on the card. */
  progress(call: CallRef, report: ToolProgress): void {
    this.#tools.progress(callNumber(call), report)
  }

  /** @internal The questions that wait. */
  get questions(): ApprovalEvent[] {
    return this.#questions.open
  }

  /** @internal The app looks at its final answers: no reader concludes for it. */
  get checksFinal(): boolean {
    return this.#hooks.onFinal !== undefined
  }

  /**
   * @internal What a host keeps of a run that goes on: `seq` of the last event that was read, the messages so far, and
   * the state where it is asked for.
   */
  kept(state: boolean): { seq: number; history: ChatMessage[]; state?: string } | undefined {
    if (this.#result) return undefined
    return {
      seq: this.#events.lastSeq,
      history: this.#turn.history,
      ...(state && !this.#polling.draining ? { state: this.#turn.state } : {}),
    }
  }

  /** @internal `seq` of the last event that was read. */
  get lastSeq(): number {
    return this.#events.lastSeq
  }

  /** @internal What `quiet` waits for holds now. */
  get isQuiet(): boolean {
    if (this.#result) return true
    const busy = this.#polling.busy || this.#requests.open || this.#worksOnCalls || this.#retries.busy
    return !busy && !this.#questions.open.some((event) => this.#questions.adapted(event))
  }

  /** What `quiet` resolves with if the run is quiet now. */
  get #quietNow(): 'done' | 'waiting' | undefined {
    if (!this.isQuiet) return undefined
    return this.#result && this.#result.outcome !== 'suspended' ? 'done' : 'waiting'
  }

  /** A tool runs, or a call or a state is being saved. */
  get #worksOnCalls(): boolean {
    return this.#tools.busy || this.#held.busy || this.#checkpoints.busy
  }

  /** @internal A rule that counts now refuses the call, whatever a person says. */
  forbids(call: number): boolean {
    return !this.#result && this.#remembered.forbids(this.#turn, call)
  }

  /** @internal When the turn wants to be looked at again, in Unix milliseconds; Infinity: never. */
  get deadline(): number {
    return this.#turn.deadline
  }

  // -- the native turn ------------------------------------------------------------------------------------------------

  #stage(warnings: EngineWarnings): Stage {
    const run = this
    return {
      turn: this.#turn,
      hooks: this.#hooks,
      get over() {
        return run.#result !== undefined
      },
      get suspending() {
        return run.#suspension !== undefined
      },
      step: (call) => this.#step(call),
      feed: (bytes) => this.#polling.feed(bytes),
      settle: () => this.#polling.settled(),
      emit: (event) => this.#emit(event),
      track: (work) => this.#quiet.track(work),
      checkpoint: (why) => this.#checkpoints.save(why),
      together: () =>
        (this.#together ??= this.#polling.settled().finally(() => {
          this.#together = undefined
        })),
      forbids: (call) => this.#remembered.forbids(this.#turn, call),
      warn,
      warnings,
    }
  }

  #polled(): Polled {
    return {
      // The resumed run acts on events that were not polled.
      mayPoll: () => !this.#suspension || this.#requests.open || this.#stopped.has(0),
      mayGroup: () => this.#requests.shown,
      tell: (event) => this.#tell(event),
      handle: (event) => this.#handle(event),
      fail: (error) => this.#break(error),
      rest: () => {
        if (!this.#result) this.#endedCalls.report(() => this.#turn.message)
        this.#events.wake()
        this.#quiet.tell()
      },
    }
  }

  #step(call: () => void): void {
    this.#polling.step(call)
  }

  /** A decision that the app brings: it knows of questions. */
  #answer(call: () => void): boolean {
    this.#waits.answered('approval')
    return this.#decide(call)
  }

  #decide(call: () => void): boolean {
    if (this.#result) return false
    try {
      this.#step(call)
      return true
    } catch (error) {
      if (isState(error)) return false
      throw error
    }
  }

  /**
   * Publishes an event and acts on it. Returns true where whoever reads has to see it first. A fault must not lose the
   * events behind it.
   */
  #tell(event: SluiceEvent): boolean {
    try {
      if (event.type === 'error') Object.assign(event, this.#requests.facts, this.#requests.hintOf(event))
      if (event.type === 'progress') this.#tools.count(event)
      if (event.type === 'diagnostic' && event.code === 'unknown_toggle') warnOnce(`toolToggles: ${event.detail}`)
      if (this.#takenBack(event)) return false
      if (event.type === 'execute' && !this.#tools.runs(event.name) && this.#tools.needsSave(event.name))
        return this.#hold(event)
      this.#events.push(event)
      this.#hear(event)
      if (this.#acts(event)) return true
      this.#handle(event)
    } catch (error) {
      this.#break(error)
    }
    return false
  }

  #hear(event: SluiceEvent): void {
    if (this.#onEvent) guardHook('onEvent', () => this.#onEvent?.(event))
  }

  #hold(event: ExecuteEvent): false {
    this.#events.skip(event)
    this.#held.hold(event)
    return false
  }

  #tellHeld(event: ExecuteEvent): void {
    this.#emit(event)
    this.#handle(event)
  }

  #emit(event: Unnumbered): void {
    if (this.#result) return
    this.#hear(this.#events.add(event))
    this.#events.wake()
  }

  /**
   * What must not start, or not any more: whoever reads does not hear of it either, for they may be the ones who start
   * it.
   */
  #takenBack(event: SluiceEvent): boolean {
    if (event.type === 'approval' || (event.type === 'execute' && !this.#tools.runs(event.name))) {
      const unreached = event.parent && this.refusesNested?.(event)
      if (unreached !== undefined) return this.refuse(event.call, unreached)
    }
    const fault = event.type === 'execute' || event.type === 'approval' ? unusable(event.arguments) : undefined
    if (event.type === 'approval' && event.stage === 'execution') {
      const no = fault ?? (this.#remembered.forbids(this.#turn, event.call) ? 'it was forbidden meanwhile' : undefined)
      return no !== undefined && this.refuse(event.call, no)
    }
    if (event.type !== 'execute' && event.type !== 'ipc') return false
    const why = fault === undefined ? this.#remembered.withdrawn(this.#turn, event.call) : `Not run: ${fault}`
    if (why !== undefined && event.type === 'execute') this.fail(event.call, why)
    return why !== undefined
  }

  /** Something outside happens by this event: whoever reads has seen by then what stands before it. */
  #acts(event: SluiceEvent): boolean {
    switch (event.type) {
      case 'ipc':
        return this.#hooks.ipc !== undefined
      case 'execute':
        return this.#tools.runs(event.name)
      case 'approval':
        return this.#questions.adapted(event)
      default:
        return false
    }
  }

  #handle(event: SluiceEvent): void {
    this.#requests.hear(event)
    this.#losses.hear(event)
    switch (event.type) {
      case 'request':
        this.#lastError = undefined
        return this.#quiet.track(this.#requests.perform(event))
      case 'diagnostic':
        if (event.code === 'tool_left_out' && event.tool !== undefined) this.#refused.add(event.tool)
        return
      case 'card':
        this.#tools.hear(event)
        this.#references.hear(event)
        this.#endedCalls.hear(event)
        if (event.status && !event.status.startsWith('awaiting')) this.#questions.forget(event.call)
        if (event.status && event.status !== 'executing') this.#waits.end(event.call)
        return
      case 'approval':
        if (!this.#questions.adapted(event)) this.#waits.begin(event)
        return this.#questions.ask(event)
      case 'resolve':
        return this.#quiet.track(this.#references.resolve(event))
      case 'final':
        if (this.#hooks.onFinal)
          return this.#quiet.track(this.#retries.judge(event, this.snapshot, this.#hooks.onFinal))
        if (!this.#isWatched) setImmediate(() => this.conclude('accept')) // nobody is there who could say no
        return
      case 'execute':
        if (!this.#tools.runs(event.name) && !this.#tools.isExternal(event.name)) this.#waits.begin(event)
        return this.#isStopped(event.call) ? undefined : this.#tools.start(event)
      case 'abortTool':
        this.#held.drop(event.call)
        return this.#tools.abort(event.call, event.reason)
      case 'ipc':
        return this.#isStopped(event.call)
          ? undefined
          : guardHook('ipc', () => this.#hooks.ipc?.(event.channel, ...event.payload))
      case 'rule':
        return guardHook('rules.add', () => this.#remembered.add(event.rule))
      case 'error':
        this.#lastError = event
        return
      case 'done':
        return this.#end(event.outcome)
    }
  }

  /** Somebody is there to answer what is asked. */
  get #isWatched(): boolean {
    return this.#events.readers > 0 || this.#tended || this.#suspension !== undefined || this.#onEvent !== undefined
  }

  #isStopped(call: number): boolean {
    return this.#stopped.has(0) || this.#stopped.has(call)
  }

  // -- how it ends ----------------------------------------------------------------------------------------------------

  #cancel(reason: string | undefined): void {
    this.#step(() => {
      this.#turn.cancel(0, reason)
      this.#reason ??= reason
      this.#stopped.add(0)
    })
  }

  #end(outcome: RunOutcome, error = outcome === 'failed' || outcome === 'limit' ? this.#lastError : undefined): void {
    const turn = this.#turn
    const result = (this.#result = resultOf(turn, outcome, error, this.#reason))
    this.#endedCalls.report(() => result.message)
    this.#polling.close()
    clearTimeout(this.#deadline)
    this.#removeSignal?.()
    const over = new Error(outcome === 'suspended' ? 'the run was suspended' : 'the turn is over')
    this.#ended.abort(over)
    this.#requests.abort(over)
    this.#tools.abortAll(over.message)
    this.#waits.endAll()
    this.#questions.forgetAll()
    turn.close()
    this.#events.end()
    this.#settle(result)
    this.#quiet.tell()
  }

  /** Nothing outside can make this happen; but a turn must end. */
  #break(error: unknown): void {
    guardHook('the run', () => {
      throw error
    })
    this.#step(() => this.#turn.cancel(0, messageOf(error)))
  }

  // -- how it goes on later -------------------------------------------------------------------------------------------

  async #suspend(graceMs: number): Promise<string | null> {
    if (this.#result) return null
    this.#requests.suspend(false)
    const busy = (): boolean => !this.#result && (this.#polling.draining || this.#requests.open || this.#worksOnCalls)
    await this.#quiet.waitWhile(busy, graceMs)
    this.#requests.suspend(true)
    if (this.#result) return null
    const { state } = this.#turn
    this.#end('suspended')
    return state
  }

  /** A checkpoint failed: ends the run, so that nothing happens that was not saved. */
  #abandon(detail: string): void {
    if (this.#result) return
    const error: Unnumbered<ErrorEvent> = { type: 'error', code: 'hook', detail }
    this.#emit(error)
    warn(`the run ends here, and goes on from what was saved before: ${detail}`)
    this.#end('suspended', { ...error, seq: this.#events.lastSeq })
  }

  #goOn(): void {
    const outcome = this.#retries.goOn(this.#requests.open)
    if (outcome === undefined) return
    this.#emit({ type: 'done', outcome })
    this.#end(outcome)
  }

  async *#texts(): AsyncGenerator<string, void, undefined> {
    yield* streamedText(this.#events.read())
    throwIfFailed(await this.done)
  }
}
