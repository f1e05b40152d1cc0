// Events of a run → chunks of a UI message. The client throws at a delta without its start and at a call that it does
// not know, and reads nothing behind an error: the order is kept here.
import type {
  ApprovalEvent,
  AssistantMessage,
  CardEvent,
  CardFields,
  ErrorEvent,
  FilePart,
  JsonObject,
  MediaPart,
  ReasoningEvent,
  SluiceEvent,
  Source,
  TextEvent,
  TextMarks,
  ToolUseBlock,
} from '../../engine/core/events.js'
import type { RunResult } from '../../engine/core/run-options.js'
import type { Tool } from '../../engine/core/tool.js'
import { notCounting, type Counting } from '../leg/decision.js'
import { blockName, callName, questionName } from '../leg/names.js'
import type { Writer } from '../leg/legs.js'
import type { UIMessageChunk } from './ai-sdk-types.js'

/** What of a run is written, and how. */
export interface WriterOptions {
  /** Names the message: the same on every leg of the turn. Default: the id of the run. */
  messageId?: string
  /** Whether the page sees what the model thinks. Default true. */
  sendReasoning?: boolean
  /** Whether `onData` of the page gets diagnostics, as `data-sluice-diagnostic`. Default false. */
  sendDiagnostics?: boolean
  /**
   * Whether the page's types do not know a tool: its parts are `dynamic-tool` instead of `tool-<name>`. Default: tools
   * with a tag `mcp:…`.
   */
  dynamic?: (tool: string) => boolean
}

interface Call {
  /** A call that the client runs has its name when it comes to the gate. */
  id: string
  /** The card as far as it is known. */
  readonly card: CardFields
  tool: Tool | undefined
  /** The client has the call. */
  begun: boolean
  /** The client has its arguments, and runs the tool where that is its own. */
  available: boolean
  asked: boolean
  /** It waits for its turn, on the server: the page does not wait for it. */
  queued: boolean
  final: boolean
  /** Whether the arguments are streamed as JSON; undefined until a character tells. */
  json: boolean | undefined
  /** What came of them that the client does not have yet. */
  blank: string
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

export class MessageWriter implements Writer<UIMessageChunk> {
  readonly #id: string
  readonly #options: WriterOptions
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #calls = new Map<number, Call>()
  #out: UIMessageChunk[] = []
  #part: { kind: 'text' | 'reasoning'; block: number } | undefined
  /** By block, of text that the client has. */
  readonly #phases = new Map<number, TextMarks['phase']>()
  /** By block, how many of its sources the client has. */
  readonly #sources = new Map<number, number>()
  #step = false
  /** The request of this step failed before anything came, and is sent again. */
  #again = false
  /** The step that the client sees as the last one holds a call that is not the server's own. */
  #endsOnCalls = false
  /** Whether the turn survives it, the next events tell. */
  #error: ErrorEvent | undefined

  constructor(messageId: string, tools: readonly Tool[], options: WriterOptions = {}) {
    this.#id = messageId
    this.#options = options
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
  }

  /** The first chunk of every leg. */
  get start(): UIMessageChunk {
    return { type: 'start', messageId: this.#id }
  }

  questionName(event: ApprovalEvent): string {
    return questionName(this.#id, event)
  }

  /** `toolCallId` of a call that the client has. */
  callName(call: number): string {
    return this.#calls.get(call)?.id ?? callName(this.#id, call)
  }

  /** A question that the client had, and has answered. */
  answered({ call }: Pick<ApprovalEvent, 'call'>): void {
    this.#callOf(call).asked = true
  }

  refused(detail: string): UIMessageChunk[] {
    return [{ type: 'data-sluice-error', data: { code: 'decision', detail } }]
  }

  /** A decision that does not count. */
  stale(approvalId: string, reason: 'stale' | 'over', counts: Counting): UIMessageChunk[] {
    return [
      {
        type: 'data-sluice-error',
        data: { code: 'stale', detail: notCounting(reason, counts), approvalId, decided: false, reason, ...counts },
      },
    ]
  }

  lost(detail: string): UIMessageChunk {
    return { type: 'error', errorText: detail }
  }

  /** What was told of a message before: for a client that has nothing of it. Those of later events continue it. */
  retell({ blocks }: Pick<AssistantMessage, 'blocks'>): UIMessageChunk[] {
    let round = 0
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'error') continue
      if (block.round !== undefined && block.round !== round) this.#nextStep()
      round = block.round ?? round
      if (block.type === 'tool_use') this.#kept(block, at)
      else if (block.type === 'media') for (const part of block.parts) this.#media(part)
      else if (block.type === 'text' || this.#options.sendReasoning !== false) this.#say({ ...block, block: at })
      if (block.type === 'text' && block.sources) this.#cite(at, block.sources)
    }
    const retracted = blocks.flatMap((block, at) => (block.type === 'text' && block.retracted ? at : []))
    if (retracted.length > 0) this.#retract(retracted)
    this.#offerQueue()
    this.#endStep()
    return this.#taken()
  }

  pause(): void {
    this.#endStep()
    this.#out = []
  }

  take(event: SluiceEvent): UIMessageChunk[] {
    if ('parent' in event && event.parent) return [] // the client would send it back as a call of the model
    switch (event.type) {
      case 'request':
        this.#survive()
        if (!this.#again) this.#nextStep()
        this.#again = false
        break
      case 'retry':
        this.#again = true
        break
      case 'text':
        this.#survive()
        this.#say(event)
        break
      case 'reasoning':
        if (this.#options.sendReasoning !== false) this.#say(event)
        break
      case 'sources':
        this.#cite(event.block, event.sources)
        break
      case 'media':
        this.#survive()
        this.#media(event.part)
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
      case 'progress': {
        const { id } = this.#callOf(event.call)
        this.#out.push({ type: 'data-sluice-progress', id, data: { text: event.text }, transient: true })
        break
      }
      case 'ipc':
        this.#out.push({
          type: 'data-sluice-ipc',
          data: { channel: event.channel, payload: event.payload },
          transient: true,
        })
        break
      case 'retracted':
        this.#retract(event.blocks)
        break
      case 'error':
        this.#survive()
        this.#error = event
        break
      case 'diagnostic':
        if (this.#options.sendDiagnostics)
          this.#out.push({
            type: 'data-sluice-diagnostic',
            data: { code: event.code, detail: event.detail ?? null },
            transient: true,
          })
        break
    }
    return this.#taken()
  }

  /** The last chunks of a leg: it waits for people, or the turn is over. */
  end(result: 'waiting' | Pick<RunResult, 'outcome' | 'usage' | 'error' | 'reason'>): UIMessageChunk[] {
    const outcome = result === 'waiting' ? 'suspended' : result.outcome
    if (outcome !== 'failed') this.#survive()
    if (outcome === 'suspended') this.#offerQueue()
    this.#endStep()
    if (result === 'waiting' || outcome === 'suspended')
      return this.#taken({ type: 'finish', finishReason: 'tool-calls' })
    if (outcome === 'failed') return this.#taken({ type: 'error', errorText: textOf(this.#error ?? result.error) })
    const messageMetadata = { sluice: { outcome, ...(result.usage ? { usage: result.usage } : {}) } }
    if (outcome === 'awaiting_user') return this.#taken({ type: 'finish', finishReason: 'tool-calls', messageMetadata })
    // A page that sends by itself when the calls of the last step have results would do so for ever.
    if (this.#endsOnCalls) this.#out.push({ type: 'start-step' }, { type: 'finish-step' })
    if (outcome === 'cancelled')
      return this.#taken(
        { type: 'message-metadata', messageMetadata },
        { type: 'abort', ...(result.reason === undefined ? {} : { reason: result.reason }) },
      )
    return this.#taken({ type: 'finish', finishReason: outcome === 'completed' ? 'stop' : 'other', messageMetadata })
  }

  #taken(...last: UIMessageChunk[]): UIMessageChunk[] {
    const out = this.#out.concat(last)
    this.#out = []
    return out
  }

  // -- text and steps -------------------------------------------------------------------------------------------------

  #partId(block: number): string {
    return blockName(this.#id, block)
  }

  #say(event: Omit<TextEvent | ReasoningEvent, 'seq'>): void {
    const { block, text, type: kind } = event
    const { refusal, fabricated, phase } = event as TextMarks
    const id = this.#partId(block)
    const marks = {
      ...(refusal ? { refusal } : {}),
      ...(fabricated ? { fabricated } : {}),
      ...(phase ? { phase } : {}),
    }
    const metadata = Object.keys(marks).length > 0 ? { providerMetadata: { sluice: marks } } : {}
    const isLate = this.#phases.has(block) && phase !== undefined && this.#phases.get(block) !== phase
    const isOpen = this.#part?.block === block
    if (text === '' && !isOpen && this.#phases.has(block)) {
      // its part has ended
      if (isLate) this.#out.push({ type: 'data-sluice-phase', data: { part: id, phase } })
    } else {
      if (!isOpen) {
        this.#endPart()
        this.#part = { kind, block }
        this.#out.push({ type: `${kind}-start`, id, ...metadata })
      }
      this.#out.push({ type: `${kind}-delta`, id, delta: text, ...(isLate ? metadata : {}) })
    }
    if (kind === 'text') this.#phases.set(block, phase ?? this.#phases.get(block))
  }

  /** A page keeps each source that it gets: only the new ones are sent. */
  #cite(block: number, sources: readonly Source[]): void {
    const known = this.#sources.get(block) ?? 0
    for (const [at, { url, title, kind, id, cited, start, end }] of sources.entries()) {
      if (at < known) continue
      const of = {
        sourceId: `${this.#partId(block)}:s${at + 1}`,
        providerMetadata: {
          sluice: {
            kind,
            ...(id === undefined ? {} : { id }),
            ...(cited === undefined ? {} : { cited }),
            ...(start === undefined || end === undefined ? {} : { start, end }),
          },
        },
      }
      if (url !== undefined)
        this.#out.push({ type: 'source-url', ...of, url, ...(title === undefined ? {} : { title }) })
      else
        this.#out.push({
          type: 'source-document',
          ...of,
          mediaType: kind === 'web' ? 'text/html' : 'application/octet-stream',
          title: title ?? id ?? kind,
        })
    }
    this.#sources.set(block, Math.max(known, sources.length))
  }

  #media(part: MediaPart): void {
    this.#endPart()
    const { mediaType = part.type === 'image' ? 'image/*' : 'application/octet-stream', data, url } = part as FilePart
    const address = data === undefined ? url : `data:${mediaType};base64,${data}`
    if (address !== undefined) return void this.#out.push({ type: 'file', mediaType, url: address })
    const { type: _, ...known } = part as FilePart
    this.#out.push({ type: 'data-sluice-file', data: known })
  }

  #retract(blocks: readonly number[]): void {
    this.#out.push({ type: 'data-sluice-retracted', data: { parts: blocks.map((block) => this.#partId(block)) } })
  }

  #endPart(): void {
    if (this.#part) this.#out.push({ type: `${this.#part.kind}-end`, id: this.#partId(this.#part.block) })
    this.#part = undefined
  }

  #endStep(): void {
    this.#endPart()
    if (this.#step) this.#out.push({ type: 'finish-step' })
    this.#step = false
  }

  #nextStep(): void {
    this.#endStep()
    this.#out.push({ type: 'start-step' })
    this.#step = true
    this.#endsOnCalls = false
  }

  /** The turn went on behind an error: it stays in the message. */
  #survive(): void {
    if (!this.#error) return
    const { code, detail, hint } = this.#error
    this.#out.push({ type: 'data-sluice-error', data: { code, detail, ...(hint === undefined ? {} : { hint }) } })
    this.#error = undefined
  }

  // -- calls ----------------------------------------------------------------------------------------------------------

  #callOf(number: number): Call {
    let call = this.#calls.get(number)
    if (call) return call
    this.#endPart()
    call = {
      id: callName(this.#id, number),
      card: {},
      tool: undefined,
      begun: false,
      available: false,
      asked: false,
      queued: false,
      final: false,
      json: undefined,
      blank: '',
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
    const clients = isClients(call)
    if (clients && !call.begun && call.card.digest !== undefined) call.id = callName(this.#id, number, call.card.digest)
    if (finals.has(status)) return this.#result(call)
    if (clients) return // the client hears of it when it is asked about, or runs
    if (status === 'streaming') return this.#begin(call)
    if (!call.available || fields.editedArguments !== undefined) this.#available(call)
  }

  /** A call that was saved: what runs waits for its result. */
  #kept(block: ToolUseBlock, at: number): void {
    this.#card({ ...block, type: 'card', block: at, seq: 0 })
    if (block.status === 'executing') this.#execute(block.call)
  }

  /** The client may run its call now. */
  #execute(number: number): void {
    const call = this.#callOf(number)
    if (isClients(call) && !call.available) this.#available(call)
  }

  /** What every chunk about the tool of a call has. */
  #toolOf({ id, card: { name = '' }, tool, queued }: Call): {
    toolCallId: string
    toolName: string
    dynamic?: boolean
    title?: string
    providerExecuted?: boolean
  } {
    const tags = tool?.declaration['tags']
    const dynamic =
      this.#options.dynamic?.(name) ?? (Array.isArray(tags) && tags.some((tag) => String(tag).startsWith('mcp:')))
    const title = (tool?.declaration['annotations'] as { title?: unknown } | undefined)?.title
    return {
      toolCallId: id,
      toolName: name,
      ...(dynamic ? { dynamic } : {}),
      ...(typeof title === 'string' ? { title } : {}),
      ...(queued ? { providerExecuted: true } : ownOf(tool)),
    }
  }

  #begin(call: Call): void {
    if (call.begun) return
    call.begun = true
    if (!isOwn(call.tool)) this.#endsOnCalls = true
    this.#out.push({ type: 'tool-input-start', ...this.#toolOf(call) })
  }

  #args(number: number, text: string): void {
    const call = this.#callOf(number)
    if (call.json === false || call.available || isClients(call)) return
    if (call.json === undefined && /\S/.test(text)) call.json = text.trimStart().startsWith('{')
    const piece = call.blank + text
    call.blank = call.json === true && call.begun ? '' : piece
    if (call.blank !== '') return
    this.#out.push({ type: 'tool-input-delta', toolCallId: call.id, inputTextDelta: piece })
  }

  /** The arguments of a tool that the client runs, for people: it runs nothing that may still be asked about. */
  #shown(call: Call): void {
    if (call.available || (call.begun && call.json === true)) return
    this.#begin(call)
    call.json = true
    this.#out.push({
      type: 'tool-input-delta',
      toolCallId: call.id,
      inputTextDelta: JSON.stringify(call.card.arguments ?? {}),
    })
  }

  #available(call: Call): void {
    call.begun = call.available = true
    if (!isOwn(call.tool)) this.#endsOnCalls = true
    this.#out.push({
      type: 'tool-input-available',
      ...this.#toolOf(call),
      input: call.card.editedArguments ?? call.card.arguments ?? {},
    })
  }

  #ask(event: ApprovalEvent): void {
    const {
      call: number,
      stage,
      level,
      policy,
      digest,
      preview,
      expiresAt,
      description,
      name,
      protocolFields,
      written,
    } = event
    const call = this.#callOf(number)
    call.card.name ??= name
    call.tool ??= this.#tools.get(name)
    if (!call.begun) isClients(call) ? this.#shown(call) : this.#available(call)
    call.asked = true
    const sluice = {
      stage,
      level,
      policy,
      digest,
      ...(written ? { arguments: event.arguments, written } : {}), // the tool part has the model's own
      ...(protocolFields ? { protocolFields } : {}),
      ...(preview ? { preview: preview as unknown as JsonObject } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }
    this.#out.push({
      type: 'tool-approval-request',
      approvalId: this.questionName(event),
      toolCallId: call.id,
      ...(description ? { reason: description } : {}),
      approvalDescriptor: { sluice },
    })
  }

  /**
   * Calls run one after another, and the page has one of them: it would wait for ever for those behind it, as it sends
   * its results together. It gets its own at once, and is told not to wait for the server's.
   */
  #offerQueue(): void {
    const calls = [...this.#calls.values()]
    if (!calls.some((call) => call.available && !call.final && isClients(call))) return
    for (const call of calls) {
      if (
        call.card.status !== 'pending' ||
        !call.card.approvals?.some(({ stage, decision }) => stage === 'execution' && decision === 'approved')
      )
        continue
      call.queued = !isClients(call)
      if (call.queued || !call.available) this.#available(call)
    }
  }

  #result(call: Call): void {
    const { id, card, tool } = call
    const { status } = card
    const errorText = card.modelOutput ?? card.error ?? String(status)
    call.final = true
    if (!call.available && !call.asked && (status === 'invalid' || status === 'not_found')) {
      this.#endsOnCalls = true
      return void this.#out.push({
        type: 'tool-input-error',
        ...this.#toolOf(call),
        input: card.rawArguments ?? card.arguments ?? '',
        errorText,
      })
    }
    if (isClients(call)) this.#shown(call)
    else if (!call.available) this.#available(call)
    const own = call.queued ? { providerExecuted: false } : ownOf(tool)
    if (status === 'success')
      this.#out.push({ type: 'tool-output-available', toolCallId: id, output: outputOf(card), ...own })
    else if (
      call.asked &&
      (status === 'denied' || status === 'result_rejected') &&
      card.approvals?.at(-1)?.by === 'user'
    )
      this.#out.push({ type: 'tool-output-denied', toolCallId: id })
    else this.#out.push({ type: 'tool-output-error', toolCallId: id, errorText, ...own })
  }
}

/** Fire-and-forget: nothing of it is the client's business. */
const isOwn = (tool: Tool | undefined): boolean => Boolean(tool?.declaration['ipc'])
const ownOf = (tool: Tool | undefined): { providerExecuted?: true } => (isOwn(tool) ? { providerExecuted: true } : {})

/** Whether the client runs it. */
const isClients = ({ tool, card }: Pick<Call, 'tool' | 'card'>): boolean =>
  tool !== undefined && tool.run === undefined && !isOwn(tool) && card.source !== 'provider'

const textOf = (error: Pick<ErrorEvent, 'detail' | 'hint'> | undefined): string =>
  error ? `${error.detail}${error.hint ? ` (${error.hint})` : ''}` : 'the turn failed'

/** Objects and lists as they are; of other JSON nobody can tell whether it was a text. */
function outputOf({ output = '', parts }: CardFields): unknown {
  if (parts) return parts
  if (!/^\s*[[{]/.test(output)) return output
  try {
    return JSON.parse(output)
  } catch {
    return output
  }
}
