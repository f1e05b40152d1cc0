// One message: follows its run, keeps the view of it, and tells the windows that watch. Where calls wait for a button
// (`loop: 'user_mediated'`) a run ends with them, and the next one, which adopts them, goes on in the same message.
import { randomUUID } from 'node:crypto'
import type { BridgeError, QuestionView, Delta, MessageView } from '../bridge/messages.js'
import { applyDelta, emptyView } from '../bridge/view.js'
import type { ApproveOptions } from '../../engine/core/approvals.js'
import type {
  ApprovalEvent,
  CardEvent,
  ChatMessage,
  ErrorEvent,
  ExecuteEvent,
  IpcEvent,
  SluiceEvent,
} from '../../engine/core/events.js'
import { setImmediate } from '../../engine/core/set-immediate.js'
import type { Run } from '../../engine/core/run.js'
import { keyOf } from '../../engine/core/running-tools.js'
import type { Tool } from '../../engine/core/tool.js'
import { warn } from '../../engine/core/warning.js'
import type { SavedMessage } from '../conversations/conversation-types.js'
import { hidden, toBridgeError } from './checks.js'
import { guard } from './guard.js'
import { interrupted, reopened, type Waiting } from './interrupted.js'
import { MessageNumbering } from './message-numbering.js'
import { newToken, type QuestionSource, type Execution, type OpenQuestion, type ToolWindow } from './host-questions.js'
import type { RunningTool } from './host-types.js'

/** A window that shows messages. */
export interface Watcher extends ToolWindow {
  push(message: Message, delta: Delta): void
  /** The message has no more deltas. */
  end(message: Message): void
  /** Sends what waits, whenever the next frame would be due. */
  flush(): void
}

/** One run of a message, with its tools. Calls that a person mediates make a message of several. */
export interface Segment {
  run: Run
  tools: readonly Tool[]
  /** Who reads what the tools give: the model, and where it is. */
  reader: NonNullable<QuestionView['reader']>
  /** Stages that an adapter of the app answers: windows are not asked. */
  adapted: { execution: boolean; result: boolean }
}

export interface MessageOptions {
  /** The message that the run goes on with, as people saw it so far. */
  before?: MessageView | undefined
  /** The run was saved while it waited for a person: it goes on. */
  waiting?: Waiting | undefined
  /** Makes the first run. The signal is aborted where nobody wants it any more. */
  begin: (signal: AbortSignal) => Promise<Segment>
  /** Makes the run that adopts what waits for a button, with what the message added so far. */
  next: (history: ChatMessage[]) => Segment
  /** What a window reads where no first run could be made. */
  unprepared: (error: unknown) => BridgeError
  /** The window that asked. */
  sender: ToolWindow | undefined
  graceMs: number
  onEvent: (event: SluiceEvent) => void
  onIpc: (event: IpcEvent) => void
  /** It changed. `soon`: a question, a call that came to something, the end of an answer. */
  onChange: (soon: boolean) => void
  /** Nothing can happen to it any more. */
  onSettled: () => void
}

export class Message implements QuestionSource {
  readonly id: string
  readonly watchers = new Set<Watcher>()
  /** Open questions by call. */
  readonly asks = new Map<number, OpenQuestion>()
  readonly #options: MessageOptions
  readonly #executions = new Map<number, Execution>()
  /** Calls that were written as tags. */
  readonly #tags = new Set<number>()
  readonly #numbering = new MessageNumbering()
  #sender: ToolWindow | undefined
  /** Aborted where nobody wants the first run any more. Absent when there is one, or none will be. */
  #preparing: AbortController | undefined = new AbortController()
  /** Absent before the first run, and when the last one ended: a run holds every event of it. */
  #segment: Segment | undefined
  #view: MessageView
  /** Somebody holds the view as it is: the next change makes another one. */
  #shown = false
  #ended = false
  /** Answers of the pet that are still to come: the card may get a notice. */
  #held = 0
  /** Holds for the runs to come too: the one that was cancelled may have ended just before. */
  #cancelled: { reason: string | undefined } | undefined
  /** Of runs that are over. */
  #history: ChatMessage[] = []
  /** `seq` of the last event of the run that is in the view. */
  #seen = 0
  /** It is left waiting: another process goes on with it. */
  #left = false
  /** Reasoning that goes on, by its block, and since when. */
  #thinks: { block: number; since: number } | undefined
  /** When the last request was made. */
  #requestedAt: number | undefined
  /** This run asked something: without it, calls that wait for a button never come to an end. */
  #asked = true
  /** This run has adopted what waited for a button. */
  #adopts = false

  constructor(options: MessageOptions) {
    const { before, waiting } = options
    this.id = before?.id ?? randomUUID()
    this.#options = options
    this.#sender = options.sender
    this.#view = { ...(before ? reopened(before, waiting?.statuses) : emptyView(this.id)), preparing: true }
    if (waiting) this.#numbering.restore(waiting.numbering)
    else if (before) this.#numbering.resume(this.#view)
    if (waiting?.adopts) this.#adopts = true
  }

  /** As it is now. Its questions have no tokens: those are each window's own. */
  get view(): MessageView {
    this.#shown = true
    return this.#view
  }

  /** That of the view. */
  get seq(): number {
    return this.#view.seq
  }

  /** The windows that watch it have what was said so far. */
  flush(): void {
    for (const window of this.watchers) window.flush()
  }

  /** Its first run was not made yet. */
  get preparing(): boolean {
    return this.#preparing !== undefined
  }

  /** The turn is over. */
  get ended(): boolean {
    return this.#ended
  }

  /** Nothing can happen to it any more. */
  get settled(): boolean {
    return this.#ended && this.#held === 0
  }

  /**
   * Has its first run made, and reads its runs to the end. Resolves with what they add to the conversation, and the
   * error that ended the last one; null where it was left. `isUnprepared`: there was no run.
   */
  async follow(): Promise<{
    history: ChatMessage[]
    error?: ErrorEvent | undefined
    isUnprepared?: true
  } | null> {
    const history = this.#history
    let error: ErrorEvent | undefined
    const unprepared = await this.#prepare()
    if (this.#left) return null
    if (unprepared) error = unprepared.error
    while (this.#segment) {
      const { run } = this.#segment
      run.hosted = true
      for await (const event of run) {
        guard('the host', () => this.#handle(event)) // one delta is lost, not the message
        this.#seen = event.seq
        this.#options.onEvent(event)
      }
      const result = await run.done
      if (this.#left) return null
      history.push(...result.history)
      this.#seen = 0
      error = result.error
      if (result.outcome === 'suspended')
        guard('the host', () => this.#handle({ type: 'done', seq: 0, outcome: 'failed' })) // its checkpoint failed
      this.#segment = result.outcome === 'awaiting_user' ? this.#goOn(history) : undefined
    }
    this.#ended = true
    this.#sender = undefined
    this.#settle()
    return { history, error, ...(unprepared ? { isUnprepared: true } : {}) }
  }

  /** Has the first run made. Undefined: there is one. Otherwise the view says why not. */
  async #prepare(): Promise<{ error?: ErrorEvent } | undefined> {
    const { signal } = this.#preparing as AbortController
    try {
      this.#segment = await this.#options.begin(signal)
      this.#preparing = undefined
      this.#publish({ type: 'prepared' })
      if (this.#cancelled) void this.#segment.run.cancel(this.#cancelled.reason)
      return undefined
    } catch (thrown) {
      this.#preparing = undefined
      if (this.#left) return {}
      if (signal.aborted) {
        this.#publish({ type: 'done', outcome: 'cancelled' })
        return {}
      }
      const error = { type: 'error' as const, block: this.#view.blocks.length, ...this.#options.unprepared(thrown) }
      this.#publish(error)
      this.#publish({ type: 'done', outcome: 'failed' })
      return { error: { ...error, seq: 0 } as ErrorEvent }
    }
  }

  /** The run that adopts what waits for a button. */
  #goOn(history: ChatMessage[]): Segment | undefined {
    try {
      if (this.#asked) {
        const segment = this.#options.next(history)
        this.#asked = false
        this.#adopts = true
        this.#numbering.next(this.#view)
        if (this.#cancelled) void segment.run.cancel(this.#cancelled.reason)
        return segment
      }
    } catch (error) {
      this.#publish({
        type: 'error',
        block: this.#view.blocks.length,
        ...toBridgeError(error, hidden('a message could not go on')),
      })
      this.#publish({ type: 'done', outcome: 'failed' })
      return undefined
    }
    this.#publish({ type: 'done', outcome: 'awaiting_user' })
    return undefined
  }

  /**
   * The message as it is kept while it goes on. `sentBefore`: what the model was sent of it before. With `waiting` where
   * its run waits for a person, and all of its events are in the view.
   */
  kept(sentBefore: readonly ChatMessage[]): { message: SavedMessage; history: ChatMessage[]; waiting?: Waiting } {
    const { message, statuses } = interrupted(this.view)
    const { run } = this.#segment ?? {}
    const before = [...sentBefore, ...this.#history]
    const { seq, state, history } = run?.kept(this.asks.size > 0) ?? { seq: -1, history: [] }
    const kept = { message, history: [...before, ...history] }
    if (this.#preparing && this.#options.waiting) return { ...kept, waiting: this.#options.waiting }
    if (state === undefined || seq !== this.#seen) return kept
    return {
      ...kept,
      waiting: { run: state, numbering: this.#numbering.saved, adopts: this.#adopts, sentBefore: before, statuses },
    }
  }

  /** Resolves when all that the run reported is in the view. */
  async caughtUp(): Promise<void> {
    for (let tries = 0; tries < 100 && this.#segment && this.#seen < this.#segment.run.lastSeq; tries++)
      await new Promise<void>((resolve) => setImmediate(resolve))
  }

  /** Ends here, so that another process goes on with what was kept. */
  async leave(): Promise<void> {
    this.#left = true
    for (const call of [...this.asks.keys()]) this.#closeQuestion(call)
    this.#preparing?.abort(new Error('the host was closed'))
    await this.#segment?.run.suspend({ graceMs: 0 })
  }

  /** Resolves when all is quiet, with the tools that take no notice. */
  async cancel(reason?: string): Promise<RunningTool[]> {
    this.#cancelled = { reason }
    this.#preparing?.abort(new Error(reason ?? 'the message was cancelled'))
    const { stillRunning = [] } = (await this.#segment?.run.cancel(reason)) ?? {}
    return stillRunning.map(({ call, name }) => ({
      message: this.id,
      call: this.#numbering.ofMessage(call) ?? call,
      name,
    }))
  }

  cancelCall(call: number): void {
    const own = this.#numbering.ofRun(call)
    if (own !== undefined) this.#segment?.run.cancelCall(own)
  }

  notice(call: number, text: string): void {
    this.#publish({ type: 'notice', call, text })
  }

  /** Something about the message may still come; the returned function says that it came. */
  hold(): () => void {
    this.#held++
    return () => {
      this.#held--
      this.#settle()
    }
  }

  // -- questions ------------------------------------------------------------------------------------------------------

  approve(ask: OpenQuestion, options: ApproveOptions): boolean {
    return this.#decide(ask, (run, question) => run.approve(question, options))
  }

  release(ask: OpenQuestion): boolean {
    return this.#decide(ask, (run, question) => run.release(question))
  }

  deny(ask: OpenQuestion, reason?: string): boolean {
    return this.#decide(ask, (run, question) => run.deny(question, reason))
  }

  #decide(ask: OpenQuestion, decision: (run: Run, question: { call: number; digest: string }) => boolean): boolean {
    const call = this.#numbering.ofRun(ask.call)
    if (!ask.open || this.asks.get(ask.call) !== ask || !this.#segment || call === undefined) return false
    const decided = decision(this.#segment.run, { call, digest: ask.digest }) // what it throws decides nothing
    this.#closeQuestion(ask.call, ask)
    return decided
  }

  /** Denies a question that no window can answer, after a while: a window may just be reloading. */
  watchQuestions(): void {
    const seen = [...this.watchers].some((window) => window.rights.approve === true)
    for (const ask of this.asks.values()) {
      if (!seen) ask.grace ??= setTimeout(() => this.#denyUnseen(ask), this.#options.graceMs)
      else {
        clearTimeout(ask.grace)
        ask.grace = undefined
      }
    }
  }

  #denyUnseen(ask: OpenQuestion): void {
    this.#decide(ask, (run, question) => run.refuse(question, 'no_approver: there was no window to ask'))
    warn('a question was denied: no window that shows its message has the right `approve`')
  }

  #ask({ type: _, seq: __, ...event }: ApprovalEvent): void {
    this.#asked = true
    if (this.#segment?.adapted[event.stage]) return
    const { call, stage, digest } = event
    this.#closeQuestion(call)
    this.asks.set(call, { message: this, call, stage, digest, open: true, grace: undefined })
    const { declaration, words } = this.#tool(event.name) ?? {}
    const { annotations, parameters } = (declaration ?? {}) as Pick<QuestionView, 'annotations' | 'parameters'>
    const { reader } = this.#segment as Segment
    const ask: QuestionView = {
      ...event,
      token: '',
      ...(annotations ? { annotations } : {}),
      ...(words ? { words } : {}),
      ...(stage === 'execution' && parameters ? { parameters } : {}),
      ...(stage === 'result' ? { reader } : this.#adopts ? { prepared: true } : {}),
    }
    this.#publish({ type: 'ask', ask })
    this.watchQuestions()
  }

  #closeQuestion(call: number, only?: OpenQuestion): void {
    const ask = this.asks.get(call)
    if (!ask || (only && ask !== only)) return // the decision itself may have brought the next question
    ask.open = false
    clearTimeout(ask.grace)
    this.asks.delete(call)
  }

  // -- tools of windows -----------------------------------------------------------------------------------------------

  /** The result of an execution; once. */
  succeed(execution: Execution, value: unknown): void {
    this.#finish(execution, (run, call) => run.succeed(call, value))
  }

  fail(execution: Execution, reason: string): void {
    this.#finish(execution, (run, call) => failCall(run, call, reason))
  }

  #finish(execution: Execution, finish: (run: Run, call: number) => void): void {
    const call = this.#numbering.ofRun(execution.call)
    if (this.#executions.get(execution.call) !== execution || !this.#segment || call === undefined) return
    finish(this.#segment.run, call) // what it throws finishes nothing: the call still waits
    this.#forgetExecution(execution.call)
  }

  #execute({ call, name, arguments: args, wireId, key }: ExecuteEvent): void {
    const tool = this.#tool(name)
    if (tool?.run) return
    const window = this.#sender
    const own = this.#numbering.ofRun(call)
    const fail = (reason: string): void => {
      if (this.#segment && own !== undefined) failCall(this.#segment.run, own, reason)
    }
    if (tool?.runsIn !== 'window') return fail('the tool has no `execute`, and does not run in a window')
    if (!window) return fail('the tool runs in the window that asks, and none did')
    if (window.closed) return fail('the window was closed')
    if (!window.rights.chat) return fail('the window may not run tools any more')
    const execution: Execution = { message: this, call, window, token: newToken() }
    this.#executions.set(call, execution)
    window.executions.set(execution.token, execution)
    const { run } = this.#segment as Segment
    window.execute({
      message: this.id,
      call,
      token: execution.token,
      name,
      arguments: args,
      key: keyOf(run.id, key),
      ...(wireId === undefined ? {} : { id: wireId }),
    })
  }

  #abort(call: number, reason: string): void {
    const execution = this.#forgetExecution(call)
    execution?.window.abort({ message: this.id, call, reason })
  }

  #forgetExecution(call: number): Execution | undefined {
    const execution = this.#executions.get(call)
    this.#executions.delete(call)
    execution?.window.executions.delete(execution.token)
    return execution
  }

  // -- events ---------------------------------------------------------------------------------------------------------

  #handle(given: SluiceEvent): void {
    const event = this.#numbering.translate(given)
    switch (event.type) {
      case 'text':
      case 'reasoning': {
        const { seq: _, ...delta } = event
        return this.#publish(delta)
      }
      case 'card':
        return this.#card(event)
      case 'args':
        return this.#publish({ type: 'args', call: event.call, text: event.text })
      case 'progress': {
        const { seq: _, ...progress } = event
        return this.#publish(progress)
      }
      case 'retry': {
        const { round, attempt, maxAttempts, delayMs, detail } = event
        return this.#publish({
          type: 'retry',
          round,
          attempt,
          ...(maxAttempts === undefined ? {} : { maxAttempts }),
          delayMs,
          at: Date.now() + delayMs,
          detail,
        })
      }
      case 'approval':
        return this.#ask(event)
      case 'execute':
        return this.#execute(event)
      case 'abortTool':
        return this.#abort(event.call, event.reason)
      case 'ipc': {
        const { seq: _, ...sent } = event
        this.#publish(sent)
        return this.#options.onIpc(event)
      }
      case 'usage': {
        const { seq: _, ...usage } = event
        return this.#publish(usage)
      }
      case 'request':
        this.#requestedAt = Date.now()
        return
      case 'sources':
      case 'media': {
        const { seq: _, ...shown } = event
        return this.#publish(shown)
      }
      case 'retracted':
        return this.#publish({ type: 'retracted', blocks: event.blocks })
      case 'round': {
        const { seq: _, ...round } = event
        return this.#publish({
          ...round,
          ...(this.#requestedAt === undefined ? {} : { startedAt: this.#requestedAt }),
          endedAt: Date.now(),
        })
      }
      case 'error': {
        const { seq: _, fatal: __, ...error } = event
        return this.#publish(error)
      }
      case 'done':
        for (const call of [...this.asks.keys()]) this.#closeQuestion(call)
        for (const call of [...this.#executions.keys()]) this.#abort(call, 'the turn is over')
        if (event.outcome !== 'awaiting_user')
          this.#publish({
            type: 'done',
            outcome: event.outcome,
            ...(event.finishReason ? { finishReason: event.finishReason } : {}),
          })
        return
    }
  }

  #card({ seq: _, ...card }: CardEvent): void {
    if (card.status && !card.status.startsWith('awaiting')) this.#closeQuestion(card.call)
    const tool = this.#tool(card.name)
    if (card.source === 'inline_tags') this.#tags.add(card.call)
    const idle = card.status === 'not_found' && this.#tags.has(card.call) // a tag without a tool to run fails nobody
    const { tags, annotations } = (tool?.declaration ?? {}) as {
      tags?: string[]
      annotations?: QuestionView['annotations']
    }
    this.#publish({
      ...card,
      ...(tags?.length ? { tags } : {}),
      ...(tool?.words ? { words: tool.words } : {}),
      ...(annotations?.readOnlyHint === true && tool?.words?.from === undefined ? { reads: true } : {}),
      ...(tool?.declaration['ipc'] || idle ? { silent: true } : {}),
    })
  }

  #tool(name: string | undefined): Tool | undefined {
    return this.#segment?.tools.find((tool) => tool.name === name)
  }

  #publish(delta: Delta): void {
    this.#think(delta)
    this.#apply(delta)
  }

  /** Thoughts end with whatever else comes of the answer. */
  #think(delta: Delta): void {
    const { block, since } = this.#thinks ?? {}
    if (delta.type === 'reasoning' && delta.block === block) return
    const ends = ['reasoning', 'text', 'media', 'card', 'round', 'error', 'done'].includes(delta.type)
    if (ends && block !== undefined && since !== undefined) {
      this.#thinks = undefined
      this.#apply({ type: 'thought', block, ms: Math.round(performance.now() - since) })
    }
    if (delta.type === 'reasoning') this.#thinks = { block: delta.block, since: performance.now() }
  }

  #apply(delta: Delta): void {
    if (this.#shown) this.#view = { ...this.#view, blocks: [...this.#view.blocks] }
    this.#shown = false
    applyDelta(this.#view, delta)
    this.#view.seq++
    for (const window of this.watchers) window.push(this, delta)
    this.#options.onChange(
      delta.type === 'ask' || delta.type === 'round' || (delta.type === 'card' && delta.status !== undefined),
    )
  }

  #settle(): void {
    if (!this.settled) return
    for (const window of this.watchers) window.end(this)
    this.watchers.clear()
    this.#options.onSettled()
  }
}

function failCall(run: Run, call: number, reason: string): void {
  try {
    run.fail(call, reason)
  } catch {
    // it ended meanwhile
  }
}
