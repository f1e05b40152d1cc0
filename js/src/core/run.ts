// A turn with everything around it: requests, timers, tools, questions. The native turn decides; this carries out what its events say, with a part
// for each of these. Every call into the turn goes through #step: tick, call, drain; the bytes of an answer through #feed, which is one crossing for all.
import type { ApproveOptions } from './approvals.js'
import { Checkpoints } from './checkpoints.js'
import { messageOf } from './errors.js'
import { EventLog } from './event-log.js'
import type { ApprovalEvent, AssistantMessage, ChatMessage, ErrorEvent, ExecuteEvent, FinalEvent, JsonObject, SluiceEvent, Usage } from './events.js'
import { HeldCalls } from './held-calls.js'
import { callHook, HookError } from './hooks.js'
import type { Server } from './model.js'
import { streamedText } from './joined-text.js'
import { onAbort } from './on-abort.js'
import { MOST_MS } from './options.js'
import { Questions } from './questions.js'
import type { Remembered } from './remembered.js'
import { isState, Requests } from './requests.js'
import { checkGrace, type RunHooks, type RunOutcome, type RunResult, type Stopped } from './run-options.js'
import { resultOf, throwIfFailed } from './run-result.js'
import { RunningTools } from './running-tools.js'
import { hookTimeout, type Stage, type Unnumbered } from './stage.js'
import { setImmediate } from './set-immediate.js'
import type { Progress, Tool, ToolResult } from './tool.js'
import { sleep } from './transport.js'
import { callNumber, checkFinal, type CallRef, type FinalDecision, type Turn } from './turn.js'
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
  unanswered: Unanswered
  hooks: RunHooks
  context: unknown
  onEvent: ((event: SluiceEvent) => void) | undefined
  signal: AbortSignal | undefined
}

/** One run of a turn, with its requests, timers, tools and approvals. It goes on by itself; iterate it to see its events. */
export class Run implements AsyncIterable<SluiceEvent> {
  /** By which the run is known: as `engine.run({ id })` said, or a random UUID. A resumed run has that of the one that was saved. */
  readonly id: string
  /** Resolves when the run has ended, however it ended: see `outcome`. Never rejects. */
  readonly done: Promise<RunResult>
  /** @internal Those that it began with. */
  readonly tools: RunParts['tools']
  /** @internal Of a resumed run: the message as it was saved. */
  readonly before: AssistantMessage | undefined
  /** @internal A host, a handler or a durable turn answers its questions: a long wait is that of a person. */
  hosted = false
  /** @internal SHA-256 of the question about a call, by the number of the call. The call's `key` comes from it instead of from arguments that a client may edit. */
  readonly approvals = new Map<number, string>()

  readonly #turn: Turn
  readonly #hooks: RunHooks
  readonly #remembered: Remembered
  readonly #onEvent: RunParts['onEvent']
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
  #together: Promise<void> | undefined

  // -- polling
  #draining = false
  #polledAt = 0
  #lastSeq = 0
  /** How many events in the log do not come from the engine. */
  #added = 0
  #flush: NodeJS.Timeout | undefined
  #alarm: NodeJS.Timeout | undefined
  #alarmAt = Infinity

  // -- how it ends
  #lastError: ErrorEvent | undefined
  #reason: string | undefined
  #deadline: NodeJS.Timeout | undefined
  /** Calls that were cancelled; 0: all of them. What had not started does not start any more. */
  readonly #stopped = new Set<number>()
  /** Requests, tools and adapters that have not settled. */
  readonly #pending = new Set<Promise<unknown>>()
  readonly #ended = new AbortController()
  #suspension: Promise<string | null> | undefined
  #removeSignal: (() => void) | undefined

  // -- who waits for it
  /** The app reads `quiet`, so it looks after open questions. */
  #tended = false
  #quiet: ((what: 'done' | 'waiting') => void)[] = []
  /** `onFinal` looks at an answer. */
  #judging = false

  /** @internal */
  constructor({ id, turn, resumed, tools, remembered, server, unanswered, hooks, context, onEvent, signal }: RunParts) {
    this.id = id
    this.tools = tools
    this.before = resumed ? turn.message : undefined
    this.#turn = turn
    this.#hooks = hooks
    this.#remembered = remembered
    this.#onEvent = onEvent
    const stage = this.#stage()
    this.#requests = new Requests(stage, server)
    this.#tools = new RunningTools(stage, tools, { id, context, approvals: this.approvals })
    this.#questions = new Questions(stage, this, () => this.#isWatched)
    this.#checkpoints = new Checkpoints(stage, this.#ended.signal, (detail) => this.#abandon(detail))
    this.#held = new HeldCalls(stage, (event) => this.#tellHeld(event))
    this.#waits = new Waits(unanswered, () => this.#events.readers > 0 && !this.#tended && !this.hosted, (event) => this.#events.passed(event))
    turn.secrets = server.secrets
    this.done = new Promise((resolve) => (this.#settle = resolve))
    this.#step(() => {})
    if (resumed) this.#goOn()
    const limit = hooks.deadlineMs
    if (limit !== undefined && !this.#result) this.#deadline = setTimeout(() => this.#cancel(`the deadline of ${limit} ms passed`), limit)
    if (signal) this.#removeSignal = onAbort(signal, () => this.#cancel(signal.reason === undefined ? undefined : messageOf(signal.reason)))
  }

  /** Every event from the first one on. Whoever reads is expected to answer `approval` events. */
  [Symbol.asyncIterator](): AsyncGenerator<SluiceEvent, void, undefined> {
    return this.#events.read(() => setImmediate(() => this.#questions.denyUnwatched())) // whoever leaves may suspend
  }

  /**
   * The text as it arrives. Who reads it sees no questions: they are denied, unless an adapter answers them or somebody reads the events as well.
   * Throws SluiceError `failed` at the end of a turn that failed.
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

  /** All text, when the run has ended. Rejects with SluiceError `failed` where the turn failed: the text alone would not say so. */
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
   * Resolves when this process has nothing to do for the turn: `waiting`, for people or results from outside, or `done`. A later look waits for the
   * next time. Whoever looks is expected to answer the questions or to `suspend`: they are no longer denied for want of a reader.
   */
  get quiet(): Promise<'done' | 'waiting'> {
    this.#tended = true
    return new Promise((resolve) => {
      this.#quiet.push(resolve)
      this.#tellQuiet()
    })
  }

  /**
   * Lets a call run: an `approval` event, the number of a call, or 0 for all whose `approval` event somebody has read. Returns false if the
   * question was already decided, nobody could have seen one, or it is not the one whose `digest` was given. Throws SluiceError `not_found` where there is no such call, `json` where edited arguments do not fit the schema.
   */
  approve(call: CallRef, options?: ApproveOptions): boolean {
    if (callNumber(call, 0) !== 0 || options?.arguments !== undefined) return this.#answer(() => this.#turn.approve(call, options))
    const seen = this.#questions.open.filter((event) => event.stage === 'execution' && (this.#events.given(event) || this.#questions.adapted(event)))
    return seen.map((event) => this.approve(event, options)).some(Boolean)
  }

  /** Lets the result of a call out to the model. Returns false if the question was already decided. */
  release(call: CallRef): boolean {
    return this.#answer(() => this.#turn.release(call))
  }

  /** Refuses what a call waits for: to run, or that its result is let out. Returns false if the question was already decided. */
  deny(call: CallRef, reason?: string): boolean {
    return this.#answer(() => this.#turn.deny(call, reason))
  }

  /** Refuses what a call waits for where no person did, by the app's own policy: the model is told so. Returns false if the question was already decided. */
  refuse(call: CallRef, reason?: string): boolean {
    return this.#decide(() => this.#turn.refuse(call, reason))
  }

  /**
   * Cancels the turn. Resolves when everything is quiet: the request closed, every tool returned; at the latest after `graceMs` (default
   * 1,000). `stillRunning` are then the tools that take no notice of their signal: what they return reaches nobody.
   */
  async cancel(reason?: string, options: { graceMs?: number } = {}): Promise<Stopped> {
    checkGrace(options, 'options')
    this.#cancel(reason)
    await this.#waitWhile(() => this.#pending.size > 0, options.graceMs ?? 1000)
    return { stillRunning: this.#tools.list }
  }

  /** Cancels one call. */
  cancelCall(call: CallRef, reason?: string): void {
    const number = callNumber(call)
    this.#step(() => {
      this.#turn.cancel(number, reason)
      this.#stopped.add(number)
    })
  }

  /**
   * Ends the run, but not its turn: `engine.resume(state)` goes on with it, also in another process. Nothing new starts. An answer that is being shown,
   * tools that run and a checkpoint that is being saved are waited for, at most `graceMs` milliseconds (default 5,000): after that the answer is cut
   * off, and a call that ran becomes `unknown`, unless it is `idempotent`. `done` resolves with `suspended`.
   * @returns the state, for `engine.resume`: as trusted as your own memory, it holds messages and results. Null where the turn was over before.
   */
  suspend(options: { graceMs?: number } = {}): Promise<string | null> {
    checkGrace(options, 'options')
    return (this.#suspension ??= this.#suspend(options.graceMs ?? 5000))
  }

  /**
   * With `checkFinal` and without `onFinal`: what becomes of the answer that a `final` event told. Returns false where no answer waits. Throws
   * SluiceError `limit` where it is the last, and cannot be sent back.
   */
  conclude(decision: FinalDecision): boolean {
    return this.#decide(() => this.#turn.conclude(decision))
  }

  /**
   * The arguments with which a tool without `execute` is run, where the app resolves what the model wrote: see `beforeExecute`. Throws SluiceError
   * `json` where they do not fit the schema.
   */
  resolveArguments(call: CallRef, args: JsonObject): void {
    this.#step(() => this.#turn.resolveArguments(call, args))
  }

  /** The result of a tool that has no `execute`. `rewritten`: what the model reads in its place; the card shows both. */
  succeed(call: CallRef, value: unknown, rewritten?: ToolResult): void {
    this.#waits.answered('execute')
    this.#step(() => this.#turn.succeed(call, value, rewritten))
  }

  /** The failure of a tool that has no `execute`. `rewritten`: what the model reads in its place; the card shows both. */
  fail(call: CallRef, message: string, rewritten?: ToolResult): void {
    this.#step(() => this.#turn.fail(call, message, rewritten))
  }

  /** What a running tool has to say meanwhile: shown on the card. */
  progress(call: CallRef, report: Progress): void {
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

  /** @internal What a host keeps of a run that goes on: `seq` of the last event that was read, the messages so far, and the state where it is asked for. */
  kept(state: boolean): { seq: number; history: ChatMessage[]; state?: string } | undefined {
    if (this.#result) return undefined
    return { seq: this.#lastSeq, history: this.#turn.history, ...(state && !this.#draining ? { state: this.#turn.state } : {}) }
  }

  /** @internal `seq` of the last event that was read. */
  get told(): number {
    return this.#lastSeq
  }

  /** @internal What `quiet` waits for holds now. */
  get isQuiet(): boolean {
    if (this.#result) return true
    const busy = this.#draining || this.#flush !== undefined || this.#requests.open || this.#tools.busy || this.#held.busy || this.#checkpoints.busy || this.#judging
    return !busy && !this.#questions.open.some((event) => this.#questions.adapted(event))
  }

  /** @internal A rule that counts now refuses the call, whatever a person says. */
  forbids(call: number): boolean {
    return !this.#result && this.#remembered.forbids(this.#turn, call)
  }

  /** @internal When the turn wants to be looked at again, in Unix milliseconds; Infinity: never. */
  get deadline(): number {
    return this.#turn.deadline
  }

  // -- the native turn ------------------------------------------------------------------------------------------------------

  #stage(): Stage {
    const run = this
    return {
      turn: this.#turn,
      hooks: this.#hooks,
      get over() { return run.#result !== undefined },
      get suspending() { return run.#suspension !== undefined },
      step: (call) => this.#step(call),
      feed: (bytes) => this.#feed(bytes),
      settle: () => this.#settled(),
      emit: (event) => this.#emit(event),
      track: (work) => this.#track(work),
      checkpoint: (why) => this.#checkpoints.save(why),
      together: () => (this.#together ??= this.#settled().finally(() => { this.#together = undefined })),
      forbids: (call) => this.#remembered.forbids(this.#turn, call),
      warn,
    }
  }

  #step(call: () => void): void {
    if (this.#result) return // nothing comes after done, and calls that lost the race to it are fine
    this.#turn.tick()
    try {
      call()
    } finally {
      this.#drain()
    }
  }

  /** Text that nobody polls becomes one event: polling less often is all it takes to group it. */
  #feed(bytes: Uint8Array): void {
    if (this.#result) return
    if (this.#flush) return this.#turn.put(bytes)
    const wait = this.#requests.shown ? this.#polledAt + (this.#hooks.flushMs ?? 16) - performance.now() : 0
    if (wait > 0) this.#flush = setTimeout(() => this.#drain(), wait)
    if (wait > 0 || !this.#mayDrain) return this.#turn.put(bytes)
    let events: SluiceEvent[] | undefined
    try {
      events = this.#turn.take(bytes)
    } finally {
      this.#drain(events)
    }
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

  /** Resolves when every event that the turn has now was acted on. */
  async #settled(): Promise<void> {
    this.#step(() => {})
    while (this.#draining && !this.#result) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  /** False while an event's handler calls: the loop in #drain goes on with what that brought. */
  get #mayDrain(): boolean {
    if (this.#draining || this.#result) return false
    return !this.#suspension || this.#requests.open || this.#stopped.has(0) // the resumed run acts on events that were not polled
  }

  /** Acts on every event: on those that were polled already, and on what waits. */
  #drain(polled?: SluiceEvent[]): void {
    if (this.#draining || this.#result) return
    clearTimeout(this.#flush)
    this.#flush = undefined
    if (!this.#mayDrain) return
    this.#draining = true
    let paused = false
    try {
      for (let events = polled ?? this.#turn.take(); ; events = this.#turn.take()) {
        for (const event of events) {
          this.#tell(event)
          if (this.#result) return
        }
        // An event by which something happens is polled alone: until then it can be taken back, and a state holds it.
        const event = this.#turn.waits ? this.#turn.takeWaiting() : null
        if (event === null) break
        paused = this.#tell(event)
        if (paused) return this.#goOnWith(event)
        if (this.#result) return
      }
    } catch (error) {
      this.#break(error)
    } finally {
      this.#draining = paused
      this.#events.wake()
      this.#tellQuiet()
    }
    this.#polledAt = performance.now()
    this.#arm(this.#turn.deadline)
  }

  /** Publishes an event and acts on it. Returns true where whoever reads has to see it first. A fault must not lose the events behind it. */
  #tell(event: SluiceEvent): boolean {
    try {
      if (event.type === 'error') Object.assign(event, this.#requests.told)
      if (event.type === 'progress') this.#tools.count(event)
      if (event.type === 'diagnostic' && event.code === 'unknown_toggle') warnOnce(`toolToggles: ${event.detail}`)
      if (this.#takenBack(event)) return false
      if (event.type === 'execute' && !this.#tools.runs(event.name) && this.#tools.needsSave(event.name)) return this.#hold(event)
      this.#publish(event)
      if (this.#acts(event)) return true
      this.#handle(event)
    } catch (error) {
      this.#break(error)
    }
    return false
  }

  #publish(event: SluiceEvent): void {
    event.seq += this.#added
    this.#lastSeq = event.seq
    this.#events.push(event)
    if (this.#onEvent) this.#guard('onEvent', () => this.#onEvent?.(event))
  }

  /** Its number is given to the next event. */
  #hold(event: ExecuteEvent): false {
    this.#lastSeq = event.seq + this.#added - 1
    this.#added--
    this.#held.hold(event)
    return false
  }

  #tellHeld(event: ExecuteEvent): void {
    this.#emit(event)
    this.#handle(event)
  }

  #emit(event: Unnumbered): void {
    if (this.#result) return
    this.#publish({ ...event, seq: this.#lastSeq + 1 - this.#added } as SluiceEvent)
    this.#added++
    this.#events.wake()
  }

  /** What must not start, or not any more: whoever reads does not hear of it either, for they may be the ones who start it. */
  #takenBack(event: SluiceEvent): boolean {
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

  #goOnWith(event: SluiceEvent): void {
    setImmediate(() => {
      this.#draining = false
      try {
        this.#handle(event)
      } catch (error) {
        this.#break(error)
      }
      this.#drain()
    })
  }

  #arm(deadline: number): void {
    if (deadline >= this.#alarmAt) return // an alarm that comes too early only asks again
    clearTimeout(this.#alarm)
    this.#alarmAt = deadline
    const ring = (): void => {
      this.#alarmAt = Infinity
      this.#step(() => {})
    }
    this.#alarm = setTimeout(ring, Math.min(Math.max(deadline - Date.now(), 0), MOST_MS))
  }

  #handle(event: SluiceEvent): void {
    this.#requests.hear(event)
    switch (event.type) {
      case 'request':
        this.#lastError = undefined
        return this.#track(this.#requests.perform(event.round))
      case 'card':
        this.#tools.hear(event)
        if (event.status && !event.status.startsWith('awaiting')) this.#questions.forget(event.call)
        if (event.status && event.status !== 'executing') this.#waits.end(event.call)
        return
      case 'approval':
        if (!this.#questions.adapted(event)) this.#waits.begin(event)
        return this.#questions.ask(event)
      case 'final':
        if (this.#hooks.onFinal) return this.#track(this.#checkFinal(event, this.#hooks.onFinal))
        if (!this.#isWatched) setImmediate(() => this.conclude('accept')) // nobody is there who could say no
        return
      case 'execute':
        if (!this.#tools.runs(event.name) && !this.#tools.isExternal(event.name)) this.#waits.begin(event)
        return this.#isStopped(event.call) ? undefined : this.#tools.start(event)
      case 'abortTool':
        this.#held.drop(event.call)
        return this.#tools.abort(event.call, event.reason)
      case 'ipc':
        return this.#isStopped(event.call) ? undefined : this.#guard('ipc', () => this.#hooks.ipc?.(event.channel, ...event.payload))
      case 'rule':
        return this.#guard('rules.add', () => this.#remembered.add(event.rule))
      case 'error':
        this.#lastError = event
        return
      case 'done':
        return this.#end(event.outcome)
    }
  }

  /** What the app makes of a final answer. Where its hook fails the answer stands: it was shown already. */
  async #checkFinal({ text, round, last }: FinalEvent, onFinal: NonNullable<RunHooks['onFinal']>): Promise<void> {
    const { signal } = this.#ended
    let decision: FinalDecision = 'accept'
    this.#judging = true
    try {
      const answer = { text, round, last: last === true, message: this.snapshot }
      decision = (await callHook('onFinal', () => onFinal(answer), hookTimeout({ hooks: this.#hooks }), signal)) ?? 'accept'
      checkFinal(decision, 'onFinal')
      if (last && decision !== 'accept' && 'retry' in decision) throw new HookError('onFinal sent back the last answer that maxRounds allows')
    } catch (error) {
      if (this.#result) return
      warn(messageOf(error))
      decision = 'accept'
    } finally {
      this.#judging = false
    }
    this.#decide(() => this.#turn.conclude(decision))
  }

  /** Somebody is there to answer what is asked. */
  get #isWatched(): boolean {
    return this.#events.readers > 0 || this.#tended || this.#suspension !== undefined || this.#onEvent !== undefined
  }

  #isStopped(call: number): boolean {
    return this.#stopped.has(0) || this.#stopped.has(call)
  }

  // -- how it ends ----------------------------------------------------------------------------------------------------------

  #cancel(reason: string | undefined): void {
    this.#step(() => {
      this.#turn.cancel(0, reason)
      this.#reason ??= reason
      this.#stopped.add(0)
    })
  }

  #end(outcome: RunOutcome, error = outcome === 'failed' || outcome === 'limit' ? this.#lastError : undefined): void {
    const turn = this.#turn
    this.#result = resultOf(turn, outcome, error, this.#reason)
    clearTimeout(this.#alarm)
    clearTimeout(this.#deadline)
    clearTimeout(this.#flush)
    this.#removeSignal?.()
    const over = new Error(outcome === 'suspended' ? 'the run was suspended' : 'the turn is over')
    this.#ended.abort(over)
    this.#requests.abort(over)
    this.#tools.abortAll(over.message)
    this.#waits.endAll()
    this.#questions.forgetAll()
    turn.close()
    this.#events.end()
    this.#settle(this.#result)
    this.#tellQuiet()
  }

  /** A hook of the host must not break the turn. */
  #guard(what: string, call: () => unknown): void {
    const tell = (error: unknown): void => warn(`${what} threw: ${messageOf(error)}`)
    try {
      const given = call()
      if (given instanceof Promise) given.catch(tell)
    } catch (error) {
      tell(error)
    }
  }

  #track(work: Promise<unknown>): void {
    const quiet = work
      .catch((error: unknown) => this.#break(error))
      .finally(() => {
        this.#pending.delete(quiet)
        this.#tellQuiet()
      })
    this.#pending.add(quiet)
  }

  /** Nothing outside can make this happen; but a turn must end. */
  #break(error: unknown): void {
    this.#guard('the run', () => { throw error })
    this.#step(() => this.#turn.cancel(0, messageOf(error)))
  }

  /** Waits until `busy` is false, at most `ms` milliseconds. */
  async #waitWhile(busy: () => boolean, ms: number): Promise<void> {
    if (!busy()) return
    const grace = new AbortController()
    const over = sleep(ms, grace.signal).then(() => grace.abort(), () => {})
    while (busy() && !grace.signal.aborted) await Promise.race([...this.#pending, over, ...(this.#draining ? [new Promise<void>((resolve) => setImmediate(resolve))] : [])])
    grace.abort()
  }

  // -- how it goes on later -------------------------------------------------------------------------------------------------

  async #suspend(graceMs: number): Promise<string | null> {
    if (this.#result) return null
    this.#requests.suspend(false)
    await this.#waitWhile(() => !this.#result && (this.#draining || this.#requests.open || this.#tools.busy || this.#held.busy || this.#checkpoints.busy), graceMs)
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
    this.#end('suspended', { ...error, seq: this.#lastSeq })
  }

  /** After a restore: ends a turn that had ended, and asks again for the answer that the former process was reading. */
  #goOn(): void {
    if (this.#result) return
    const { outcome } = this.#turn.message
    if (outcome !== undefined) {
      this.#emit({ type: 'done', outcome })
      return this.#end(outcome)
    }
    if (this.#turn.request === null || this.#requests.open) return
    try {
      this.#step(() => this.#turn.finish('retry', 'the run was suspended'))
    } catch (error) {
      if (!isState(error)) throw error
      this.#step(() => this.#turn.finish('complete')) // something of it was shown: it counts as far as it came
    }
  }

  /** Resolves the promises of `quiet`, if the run is quiet at the end of this turn of the event loop. */
  #tellQuiet(): void {
    if (this.#quiet.length === 0) return
    setImmediate(() => {
      if (!this.isQuiet) return
      const what = this.#result && this.#result.outcome !== 'suspended' ? 'done' : 'waiting'
      for (const tell of this.#quiet.splice(0)) tell(what)
    })
  }

  async *#texts(): AsyncGenerator<string, void, undefined> {
    yield* streamedText(this.#events.read())
    throwIfFailed(await this.done)
  }
}
