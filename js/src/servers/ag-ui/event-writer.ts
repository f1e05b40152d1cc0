// Events of a run → events of AG-UI. A client ends a run with an error where a message, a call or a step is open at its
// end, or a piece comes without its beginning: the order is kept here.
import type {
  ApprovalEvent,
  AssistantMessage,
  CardEvent,
  CardFields,
  ErrorEvent,
  Json,
  JsonObject,
  ReasoningEvent,
  SluiceEvent,
  TextEvent,
} from '../../engine/core/events.js'
import type { RunResult } from '../../engine/core/run-options.js'
import type { Tool } from '../../engine/core/tool.js'
import { notCounting, type Counting } from '../leg/decision.js'
import type { Writer } from '../leg/legs.js'
import { blockName, callName, questionName } from '../leg/names.js'
import { contentOf } from './content.js'
import { interruptOf } from './interrupt.js'
import type { AGUIEvent, AGUIInterrupt, RunFinishedOutcome } from './ag-ui-types.js'
import { usageOf } from './run-usage.js'

/** What of a run is written, and how. */
export interface EventOptions {
  /**
   * Whether clients get the details of every call, as activities `sluice.card`. CopilotKit shows every activity as a
   * message. Default false.
   */
  activities?: boolean
  /**
   * The `reason` of interrupts. Default `sluice:approval`. `tool_call` has CopilotKit write a tool message of its own
   * about the decision.
   */
  reason?: string
}

/** The run that is written. */
export interface WrittenRun {
  /** The conversation, as the client named it. */
  threadId: string
  /** The run, as the client named it. */
  runId: string
  /** Of the client's input: clients before 1.0 send none, and read less. */
  protocolVersion?: string
}

interface Call {
  /** A call that the client runs has its name when it comes to the gate. */
  id: string
  /** The card as far as it is known. */
  readonly card: CardFields
  tool: Tool | undefined
  /** What the client has of it. */
  sent: 'nothing' | 'beginning' | 'all'
  final: boolean
  /** Whether the arguments are streamed as JSON; undefined until a character tells. */
  json: boolean | undefined
  /** What came of them that the client does not have yet. */
  blank: string
  /** Some of them were streamed. */
  streamed: boolean
  /** The client has its activity. */
  active: boolean
  /** This run told the client of it. */
  own: boolean
  /** It runs: the client may begin with one of its own. */
  executing: boolean
}

const finals = new Set([
  'success',
  'error',
  'denied',
  'result_rejected',
  'not_found',
  'invalid',
  'timeout',
  'expired',
  'cancelled',
  'unknown',
])
/**
 * What an activity tells of a card. Arguments and results have events of their own; a result that waits for release has
 * none.
 */
const details = [
  'name',
  'status',
  'source',
  'round',
  'askedName',
  'raw',
  'rawArguments',
  'editedArguments',
  'hostArguments',
  'reason',
  'error',
  'suggestions',
  'startedAt',
  'endedAt',
  'durationMs',
  'approvals',
] as const

export class EventWriter implements Writer<AGUIEvent> {
  readonly #run: WrittenRun
  readonly #answer: string
  readonly #options: EventOptions
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #calls = new Map<number, Call>()
  readonly #interrupts = new Map<number, AGUIInterrupt>()
  #out: AGUIEvent[] = []
  #open: { kind: 'text' | 'reasoning'; block: number } | undefined
  /** By block, of text that the client has. */
  readonly #phases = new Map<number, TextEvent['phase']>()
  #step: string | undefined
  /** The text block that stands in front in this round. */
  #parent: string | undefined
  /** The request of this step failed before anything came, and is sent again. */
  #again = false
  /** Whether the turn survives it, the next events tell. */
  #error: ErrorEvent | undefined
  /** How many answers the runs before have told the tokens of. */
  #answersBefore = 0

  /** @param answer the id of the answer: the same on every leg of the turn */
  constructor(run: WrittenRun, answer: string, tools: readonly Tool[], options: EventOptions = {}) {
    this.#run = run
    this.#answer = answer
    this.#options = options
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
  }

  get #isCurrent(): boolean {
    return this.#run.protocolVersion !== undefined
  }

  get start(): AGUIEvent {
    return { type: 'RUN_STARTED', ...this.#ids, ...(this.#isCurrent ? { protocolVersion: '1.0' } : {}) }
  }

  get #ids(): { threadId: string; runId: string } {
    return { threadId: this.#run.threadId, runId: this.#run.runId }
  }

  questionName(event: ApprovalEvent): string {
    return questionName(this.#answer, event)
  }

  answered(): void {}

  refused(detail: string): AGUIEvent[] {
    return [this.#custom('error', { code: 'decision', detail })]
  }

  stale(interruptId: string, reason: 'stale' | 'over', counts: Counting): AGUIEvent[] {
    return [
      this.#custom('error', {
        code: 'stale',
        detail: notCounting(reason, counts),
        interruptId,
        decided: false,
        reason,
        ...counts,
      }),
    ]
  }

  lost(detail: string, code = 'storage'): AGUIEvent {
    return { type: 'RUN_ERROR', message: detail, code }
  }

  /** Nobody is told: a client has what the runs before told it. */
  retell({ blocks, answers }: Pick<AssistantMessage, 'blocks' | 'answers'>): AGUIEvent[] {
    this.#answersBefore = answers?.length ?? 0
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'text') this.#phases.set(at, block.phase)
      if (block.type !== 'tool_use') continue
      const { type: _, call: number, ...fields } = block
      const call = this.#callOf(number)
      Object.assign(call.card, fields)
      call.tool = this.#tools.get(fields.name ?? '')
      this.#name(call, number)
      call.executing = fields.status === 'executing'
      call.final = finals.has(fields.status ?? '')
      call.sent = isWithheld(call) ? 'nothing' : 'all'
    }
    return []
  }

  pause(): void {
    this.#endStep()
    this.#out = []
  }

  take(event: SluiceEvent): AGUIEvent[] {
    if ('parent' in event && event.parent) return [] // the client would send it back as a call of the model
    switch (event.type) {
      case 'request':
        this.#survive()
        if (!this.#again) this.#nextStep(event.round)
        this.#again = false
        break
      case 'retry':
        this.#again = true
        break
      case 'text':
      case 'reasoning':
        this.#survive()
        this.#say(event)
        break
      case 'sources':
        this.#out.push(
          this.#custom('sources', {
            messageId: blockName(this.#answer, event.block),
            sources: event.sources as unknown as Json,
          }),
        )
        break
      case 'media':
        this.#survive()
        this.#endOpen()
        this.#out.push(
          this.#custom('media', {
            messageId: blockName(this.#answer, event.block),
            part: event.part as unknown as Json,
          }),
        )
        break
      case 'card':
        this.#card(event)
        break
      case 'args':
        this.#args(event.call, event.text)
        break
      case 'execute':
        this.#execute(event.call)
        break
      case 'approval':
        this.#survive()
        this.#ask(event)
        break
      case 'progress':
        this.#out.push(
          this.#custom('progress', {
            toolCallId: this.#callOf(event.call).id,
            text: event.text,
            ...(event.done === undefined ? {} : { done: event.done }),
            ...(event.total === undefined ? {} : { total: event.total }),
          }),
        )
        break
      case 'ipc':
        this.#out.push(this.#custom('ipc', { channel: event.channel, payload: event.payload }))
        break
      case 'retracted':
        this.#out.push(
          this.#custom('retracted', { messageIds: event.blocks.map((block) => blockName(this.#answer, block)) }),
        )
        break
      case 'error':
        this.#survive()
        this.#error = event
        break
    }
    return this.#taken()
  }

  /** Outcome `suspended`: people, or tools of the client, are waited for. */
  end({ outcome, error, message }: Pick<RunResult, 'outcome' | 'error' | 'message'>): AGUIEvent[] {
    if (outcome !== 'failed') this.#survive()
    this.#endStep()
    for (const call of this.#calls.values()) if (call.sent === 'beginning') this.#endCall(call)
    const usage = usageOf(message, this.#answersBefore)
    const counted = usage.length > 0 ? { usage } : {}
    if (outcome === 'failed') {
      const { code = 'failed', detail = 'the turn failed', hint } = this.#error ?? error ?? {}
      return this.#taken({ type: 'RUN_ERROR', message: hint ? `${detail} (${hint})` : detail, code, ...counted })
    }
    return this.#taken({ type: 'RUN_FINISHED', ...this.#ids, ...this.#ending(outcome), ...counted })
  }

  #ending(outcome: RunResult['outcome']): { outcome: RunFinishedOutcome; result?: { outcome: string } } {
    if (outcome === 'suspended' || outcome === 'awaiting_user') {
      if (this.#interrupts.size > 0)
        return { outcome: { type: 'interrupt', interrupts: [...this.#interrupts.values()] } }
      const pending = [...this.#calls.values()]
        .filter((call) => call.own && !call.final && isClients(call))
        .map(({ id }) => id)
      return {
        outcome: { type: 'success', ...(this.#isCurrent && pending.length > 0 ? { pendingToolCallIds: pending } : {}) },
      }
    }
    return {
      outcome: { type: outcome !== 'completed' && this.#isCurrent ? 'cancelled' : 'success' },
      result: { outcome },
    }
  }

  #taken(...last: AGUIEvent[]): AGUIEvent[] {
    const out = this.#out.concat(last)
    this.#out = []
    return out
  }

  #custom(name: string, value: JsonObject): AGUIEvent {
    return { type: 'CUSTOM', name: `sluice.${name}`, value }
  }

  // -- text and steps -------------------------------------------------------------------------------------------------

  #say(event: TextEvent | ReasoningEvent): void {
    const { block, text, type: kind } = event
    if (kind === 'text') this.#tellPhase(event)
    if (text === '') return // clients before 1.0 refuse an empty piece
    const messageId = blockName(this.#answer, block)
    if (this.#open?.block !== block) {
      this.#endOpen()
      this.#open = { kind, block }
      if (kind === 'reasoning')
        this.#out.push(
          { type: 'REASONING_START', messageId },
          { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        )
      else
        this.#out.push({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...this.#marks(event as TextEvent) })
      if (kind === 'text') {
        this.#parent = messageId
        this.#phases.set(block, event.phase)
      }
    }
    this.#out.push({
      type: kind === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT',
      messageId,
      delta: text,
    })
  }

  /** One that became known after its message began. */
  #tellPhase({ block, phase }: TextEvent): void {
    if (phase === undefined || !this.#phases.has(block) || this.#phases.get(block) === phase) return
    this.#phases.set(block, phase)
    this.#out.push(this.#custom('phase', { messageId: blockName(this.#answer, block), phase }))
  }

  #marks({ refusal, fabricated, phase }: TextEvent): { metadata?: { sluice: JsonObject } } {
    if (!this.#isCurrent || !(refusal || fabricated || phase)) return {}
    return {
      metadata: {
        sluice: { ...(refusal ? { refusal } : {}), ...(fabricated ? { fabricated } : {}), ...(phase ? { phase } : {}) },
      },
    }
  }

  #endOpen(): void {
    if (!this.#open) return
    const messageId = blockName(this.#answer, this.#open.block)
    if (this.#open.kind === 'text') this.#out.push({ type: 'TEXT_MESSAGE_END', messageId })
    else this.#out.push({ type: 'REASONING_MESSAGE_END', messageId }, { type: 'REASONING_END', messageId })
    this.#open = undefined
  }

  #endStep(): void {
    this.#endOpen()
    if (this.#step !== undefined) this.#out.push({ type: 'STEP_FINISHED', stepName: this.#step })
    this.#step = undefined
    this.#parent = undefined
  }

  #nextStep(round: number): void {
    this.#endStep()
    this.#step = `round ${round}`
    this.#out.push({ type: 'STEP_STARTED', stepName: this.#step })
  }

  /** The turn went on behind an error. */
  #survive(): void {
    if (!this.#error) return
    const { code, detail, hint } = this.#error
    this.#out.push(this.#custom('error', { code, detail, ...(hint === undefined ? {} : { hint }) }))
    this.#error = undefined
  }

  // -- calls ----------------------------------------------------------------------------------------------------------

  #callOf(number: number): Call {
    let call = this.#calls.get(number)
    if (call) return call
    call = {
      id: callName(this.#answer, number),
      card: {},
      tool: undefined,
      sent: 'nothing',
      final: false,
      json: undefined,
      blank: '',
      streamed: false,
      active: false,
      own: false,
      executing: false,
    }
    this.#calls.set(number, call)
    return call
  }

  #card({ type: _, seq: __, block: ___, call: number, ...fields }: CardEvent): void {
    const call = this.#callOf(number)
    Object.assign(call.card, fields)
    const { name, status = 'streaming' } = call.card
    if (call.final || name === undefined) return
    call.tool = this.#tools.get(name)
    this.#name(call, number)
    if (!status.startsWith('awaiting')) this.#interrupts.delete(number)
    if (finals.has(status)) this.#result(call)
    else if (status !== 'streaming' && !isWithheld(call)) this.#complete(call)
    if (fields.editedArguments !== undefined)
      this.#out.push(this.#custom('edited', { toolCallId: call.id, arguments: fields.editedArguments }))
    if (this.#options.activities) this.#activity(call, fields)
  }

  #name(call: Call, number: number): void {
    if (isClients(call) && call.sent === 'nothing' && call.card.digest !== undefined)
      call.id = callName(this.#answer, number, call.card.digest)
  }

  #execute(number: number): void {
    const call = this.#callOf(number)
    call.executing = true
    if (isClients(call)) this.#complete(call)
  }

  /** A client shows calls in the order in which they begin: those in front go first. */
  #begin(call: Call): void {
    if (call.sent !== 'nothing') return
    call.sent = 'beginning'
    for (const other of this.#calls.values()) {
      if (other === call) break
      if (other.card.name !== undefined && !isWithheld(other)) this.#begin(other)
    }
    this.#endOpen()
    call.own = true
    this.#out.push({
      type: 'TOOL_CALL_START',
      toolCallId: call.id,
      toolCallName: call.card.name ?? '',
      ...(this.#parent === undefined ? {} : { parentMessageId: this.#parent }),
    })
  }

  #args(number: number, text: string): void {
    const call = this.#callOf(number)
    if (call.tool && !isWithheld(call)) this.#begin(call) // not before: until here the name may grow
    if (call.json === false || call.sent === 'all') return
    if (call.json === undefined && /\S/.test(text)) call.json = text.trimStart().startsWith('{')
    const piece = call.blank + text
    call.blank = call.json === true && call.sent === 'beginning' ? '' : piece
    if (call.blank !== '' || piece === '') return
    call.streamed = true
    this.#out.push({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: piece })
  }

  /** All of a call: arguments that were not streamed come whole. */
  #complete(call: Call): void {
    if (call.sent === 'all') return
    this.#begin(call)
    if (!call.streamed) this.#out.push({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: argumentsOf(call) })
    this.#endCall(call)
  }

  #endCall(call: Call): void {
    call.sent = 'all'
    this.#out.push({ type: 'TOOL_CALL_END', toolCallId: call.id })
  }

  #ask(event: ApprovalEvent): void {
    const call = this.#callOf(event.call)
    call.card.name ??= event.name
    call.tool ??= this.#tools.get(event.name)
    if (!isWithheld(call)) this.#complete(call)
    const { declaration } = call.tool ?? {}
    this.#interrupts.set(
      event.call,
      interruptOf(event, {
        id: this.questionName(event),
        reason: this.#options.reason ?? 'sluice:approval',
        parameters: declaration?.['parameters'],
        ...(call.sent === 'all' ? { toolCallId: call.id } : {}),
      }),
    )
  }

  #result(call: Call): void {
    call.final = true
    this.#complete(call)
    const { status } = call.card
    if (isClients(call) && (status === 'success' || status === 'error')) return // its own result, which it has
    this.#out.push({
      type: 'TOOL_CALL_RESULT',
      messageId: `${call.id}:result`,
      toolCallId: call.id,
      role: 'tool',
      content: contentOf(call.card, this.#isCurrent),
    })
  }

  #activity(call: Call, fields: CardFields): void {
    const found = details.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name] as Json] as const]))
    if (found.length === 0) return
    const of = { messageId: `${call.id}:card`, activityType: 'sluice.card' } as const
    if (call.active)
      this.#out.push({
        type: 'ACTIVITY_DELTA',
        ...of,
        patch: found.map(([name, value]) => ({ op: 'add', path: `/${name}`, value })),
      })
    else
      this.#out.push({
        type: 'ACTIVITY_SNAPSHOT',
        ...of,
        content: Object.fromEntries(
          details.flatMap((name) => (call.card[name] === undefined ? [] : [[name, call.card[name] as Json]])),
        ),
      })
    call.active = true
  }
}

/** Whether the client runs it. */
const isClients = ({ tool, card }: Pick<Call, 'tool' | 'card'>): boolean =>
  tool !== undefined && tool.run === undefined && !tool.declaration['ipc'] && card.source !== 'provider'

/** A call of the client's own is not shown to it before it may begin: it would run it. */
function isWithheld(call: Call): boolean {
  return isClients(call) && !call.executing && !finals.has(call.card.status ?? 'streaming')
}

/** Arguments that lost bytes stay as the model wrote them. */
const argumentsOf = ({ card: { editedArguments, arguments: args, rawArguments } }: Call): string =>
  (editedArguments ?? args) ? JSON.stringify(editedArguments ?? args) : rawArguments || '{}'
