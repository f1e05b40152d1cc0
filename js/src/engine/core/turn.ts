/// <reference lib="esnext.disposable" preserve="true" />
import type { Addon } from './addon.js'
import type { ApproveOptions } from './approvals.js'
import { messageOf, SluiceError } from './errors.js'
import type { AssistantMessage, ChatMessage, JsonObject, ResultPart, Rule, SluiceEvent } from './events.js'
import { foreignParts } from './foreign-parts.js'
import { jsonText } from './json-text.js'
import {
  DELTA,
  END,
  EXACT,
  FINAL,
  GET,
  handleOf,
  native,
  RELEASE,
  REMEMBER,
  SUBMIT,
  type NativeTurn,
} from './native.js'
import {
  array,
  type Check,
  encode,
  flag,
  inside,
  is,
  isObject,
  members,
  oneOf,
  record,
  shown,
  text as checkText,
  textsByName,
  unixTime,
  whole,
  wrong,
} from './options.js'
import { deadline, room, roomForOne, unpack, waiting } from './packed.js'
import { hideSecrets } from './secrets.js'
import {
  allParsed,
  checkTurnSettings,
  splitFallback,
  type Settings,
  type ToolList,
  type TurnSettings,
} from './settings.js'
import { isToolResult, type Tool, type ToolResult } from './tool.js'

/**
 * How an answer ended: read to its end, the connection broke, the host stopped reading, it is to be asked for again, a
 * hook of the host failed, or it is to be asked for again in mode text.
 */
export type AnswerEnd = keyof typeof END
/** What a turn takes of an `Engine`. */
export interface TurnEngine {
  /** Some tools have protocols of their own that are read besides. */
  readonly tools: readonly Pick<Tool, 'alsoParse'>[]
  readonly settings: Pick<Settings, 'alsoParse'>
}

/** Settings of a turn with its `wire` and `request`. Text is passed on as it stands (big integers, key order). */
export type TurnConfig = string | TurnSettings

/**
 * A call's number, or an event of the call. With `digest`, as `approval` events have it: only while this is the
 * question that waits.
 */
export type CallRef =
  | number
  | {
      /** The number of the call. */
      readonly call: number
      /** Of the question that was seen. */
      readonly digest?: string
    }

const checkApproval = members({
  members: { remember: oneOf(...Object.keys(REMEMBER)), exact: flag, arguments: record, digest: checkText },
  instead: { reason: 'it belongs into deny(call, reason)' },
})
/** What a name means to the engine. */
export interface FoundTool {
  /** The name of the tool; absent where there is none. */
  tool?: string
  /** Why the model does not see it. */
  reason?: string
  /** Where there is none: the names that come nearest, at most three. */
  suggestions?: string[]
}

/**
 * What becomes of a final answer: it stands, the model reads why not and answers again, or this text stands in its
 * place.
 */
export type FinalDecision = 'accept' | RetryFinal | ReplaceFinal

/** A final answer that is sent back. */
export interface RetryFinal {
  /** What the model reads before it answers again. */
  retry: string
  /**
   * Whose message that is. Default `user`. A wire that keeps instructions outside of the conversation (anthropic,
   * gemini) sends `system` as `user`.
   */
  role?: 'user' | 'system'
}

/** A final answer that does not stand. */
export interface ReplaceFinal {
  /** What people and the history get in its place. */
  replace: string
}

const checkRole = oneOf('user', 'system')
/** @internal */
export const checkFinal: Check = (value, path) => {
  if (value === 'accept') return
  const { role, ...said } = isObject(value) ? value : ({} as { [member: string]: unknown })
  const given = said['retry'] ?? said['replace']
  if (typeof given !== 'string' || given === '' || Object.keys(said).length !== 1)
    throw wrong(path, value, "'accept', { retry: text, role } or { replace: text }")
  if (role !== undefined && !('retry' in said)) throw wrong(inside(path, 'role'), role, 'a role beside `retry`')
  if (role !== undefined) checkRole(role, inside(path, 'role'))
}
const checkEnd = oneOf(...Object.keys(END))
const checkStatus = whole(100, 999)
const NO_STATUS = -1
const checkBytes = is(
  'bytes (a Uint8Array) or a string',
  (value) => typeof value === 'string' || value instanceof Uint8Array,
)
const MAX_CALL = 2 ** 32 - 1

/** The number of a call. `least` 0: it may stand for all. */
export function callNumber(call: unknown, least: 0 | 1 = 1): number {
  const number = typeof call === 'object' && call !== null ? (call as { call?: unknown }).call : call
  if (Number.isInteger(number) && (number as number) >= least && (number as number) <= MAX_CALL) return number as number
  throw new SluiceError({
    code: 'option',
    path: 'call',
    detail: `found ${shownCall(call)}, expected the number of a call, or an event of it`,
    hint: least === 0 ? 'event.call is the number; 0 stands for every call that waits' : 'event.call is the number',
  })
}

const shownCall = (call: unknown): string =>
  typeof call === 'object' && call !== null
    ? `an object whose \`call\` is ${shown((call as { call?: unknown }).call)}`
    : shown(call)

const encoder = new TextEncoder()
/** The collector is told about native memory in steps of this size. */
const MEMORY_STEP = 64 * 1024
/** The bytes of pieces that wait to be fed together. */
const HELD_BYTES = 16 * 1024

/** A thin class over the C API, for hosts with a transport of their own. After every call drain `nextEvent()`. */
export class Turn {
  #handle: NativeTurn | null
  #memory = 0
  #reportedMemory = 0
  /** Of the event that was polled last. A restored turn tells it by its first event. */
  #seq: number | undefined
  #waits = false
  #deadline = Infinity
  /** The first `#heldBytes` of it came since `#heldSince`, and are not fed. */
  #held: Uint8Array | undefined
  #heldBytes = 0
  #heldSince = 0
  /** The digest of the last question about a call. */
  readonly #asked = new Map<number, string>()
  /** @internal Keys that must not appear in events, messages or errors. */
  secrets: readonly string[] = []

  /**
   * @param restore `config` is what `state` gave.
   * @throws SluiceError `option` for a wrong setting, `json` for text that cannot be read, `closed` where the engine
   * was closed.
   */
  constructor(engine: TurnEngine, config: TurnConfig, restore = false) {
    const document = typeof config === 'string' ? config : describeTurn(engine, config)
    const make = restore ? native().turnRestore : native().turnNew
    this.#handle = make(handleOf(engine), document)
    this.#seq = restore ? undefined : 0
    this.#grow(document.length * 2)
    const error = native().get(this.#handle, GET.error)
    if (error !== null) {
      this.close()
      throw typeof config === 'string' ? SluiceError.fromNative(error) : SluiceError.ofOptions(error)
    }
  }

  /** The turn of which `state` was taken, also in another process: with an engine of the same tools. */
  static restore(engine: TurnEngine, state: string): Turn {
    return new Turn(engine, state, true)
  }

  /** Status and headers of the response: optional, 200 is assumed. Header names in lower case. */
  response(status: number, headers?: Record<string, string>): void {
    try {
      checkStatus(status, 'status')
      if (headers !== undefined) textsByName(headers, 'headers')
    } catch (error) {
      native().response(this.#open(), NO_STATUS, null) // the engine takes no bytes of a response that was refused
      throw error
    }
    this.#check(native().response(this.#open(), status, headers ? JSON.stringify(headers) : null))
  }

  /** Bytes of the answer's body: any size, cut anywhere. */
  feed(bytes: Uint8Array | string): void {
    checkBytes(bytes, 'bytes')
    const data = typeof bytes === 'string' ? encoder.encode(bytes) : bytes
    this.#grow(data.byteLength)
    this.#check(native().feed(this.#open(), data))
  }

  /**
   * The answer is over. `detail`: what the network said. `retry`, and `fallback`, which asks again in mode text, throw
   * SluiceError `state` if something of it was shown or run; `fallback` also outside of mode `auto`.
   */
  finish(how: AnswerEnd = 'complete', detail?: string): void {
    checkEnd(how, 'how')
    if (detail !== undefined) checkText(detail, 'detail')
    this.#check(native().finish(this.#open(), END[how], detail ?? null))
  }

  /**
   * Lets a call run. Call 0: every execution approval that was polled.
   * @throws SluiceError `state` where it does not wait for that, or for another question; `not_found` where there is no
   * such call.
   */
  approve(call: CallRef, options: ApproveOptions = {}): void {
    checkApproval(options, 'options')
    const { remember = 'once', exact = false, arguments: edited, digest } = options
    const number = this.#questionOf(call, 0, digest)
    const decision = REMEMBER[remember] + (exact && remember !== 'once' ? EXACT : 0)
    this.#check(
      native().approve(this.#open(), number, decision, edited === undefined ? null : encode(edited, 'arguments')),
    )
  }

  /** Lets the result of a call out. Throws like `approve`. */
  release(call: CallRef): void {
    this.#check(native().approve(this.#open(), this.#questionOf(call), RELEASE, null))
  }

  /**
   * Refuses what the call waits for: its execution, or the release of its result. The model reads `reason`. Throws like
   * `approve`.
   */
  deny(call: CallRef, reason?: string): void {
    const number = this.#questionOf(call)
    if (reason !== undefined) checkText(reason, 'reason')
    this.#check(native().deny(this.#open(), number, reason ?? null))
  }

  /**
   * Refuses like `deny` where no person did: nobody could be asked, or the app's own policy says no. Recorded, and told
   * to the model, as by `policy`. Throws like `approve`.
   */
  refuse(call: CallRef, reason?: string): void {
    const number = this.#questionOf(call)
    if (reason !== undefined) checkText(reason, 'reason')
    this.#check(native().refuse(this.#open(), number, reason ?? null))
  }

  /**
   * What the gate says of a call under these rules, and what was approved for the rest of the turn. Changes nothing:
   * for a host whose rules change while a turn runs, between `execute` and the start of the tool. What a person decided
   * about this very call stands; but what a person put in the place of its arguments is held against rules that deny.
   * @throws SluiceError `not_found` where there is no such call, `state` where there is no such tool.
   */
  judge(call: CallRef, rules: readonly Rule[]): 'run' | 'ask' | 'deny' {
    array(rules, 'rules')
    const way = native().judge(this.#open(), callNumber(call), encode(rules, 'rules'))
    this.#check(way)
    return (['run', 'ask', 'deny'] as const)[way] ?? 'deny'
  }

  /**
   * The arguments that the app runs a call with, where it resolves what the model wrote; null: as they are. Behind a
   * `resolve` event (`checkArguments`) they are the call from then on: rules, limits and the question look at them.
   * Between `execute` and the result they are values that must be fresh. The card shows them as `hostArguments`. An app
   * that will not run the call with them refuses it.
   * @throws SluiceError `json` where they do not fit the tool's schema, `state` where a rule refuses them or the call
   * waits for no arguments and does not execute.
   */
  resolveArguments(call: CallRef, args: JsonObject | null): void {
    const number = callNumber(call)
    if (args !== null) record(args, 'arguments')
    this.#check(native().resolve(this.#open(), number, args === null ? null : encode(args, 'arguments')))
  }

  /**
   * A tool that runs calls another one, through the same gate. Returns the number of the new call: its card event says
   * how it ended.
   * @throws SluiceError `not_found` where there is no such caller, `state` where it does not run, `json`, or `limit`.
   */
  call(caller: CallRef, name: string, args: JsonObject): number {
    const number = callNumber(caller)
    checkText(name, 'name')
    record(args, 'arguments')
    const call = native().call(this.#open(), number, encode({ name, arguments: args }, 'arguments'))
    this.#check(call)
    return call
  }

  /**
   * With `checkFinal`, what becomes of the answer that a `final` event told: the turn ends with it, the model is told
   * why not and answers again, or another text stands in its place.
   * @throws SluiceError `state` where no final answer waits, `limit` where it is the last that may be sent back.
   */
  conclude(decision: FinalDecision): void {
    checkFinal(decision, 'decision')
    const [how, text] =
      decision === 'accept'
        ? (['accept', null] as const)
        : 'retry' in decision
          ? ([decision.role === 'system' ? 'retryBySystem' : 'retry', decision.retry] as const)
          : (['replace', decision.replace] as const)
    this.#check(native().conclude(this.#open(), FINAL[how], text))
  }

  /** The tool that a model means by this name, and why it is hidden; without one the nearest names. */
  findTool(name: string): FoundTool {
    checkText(name, 'name')
    return JSON.parse(native().findTool(this.#open(), name) as string) as FoundTool
  }

  /** Cancels a call; call 0, the default: the whole turn. Twice is fine. */
  cancel(call: CallRef = 0, reason?: string): void {
    const number = callNumber(call, 0)
    if (reason !== undefined) checkText(reason, 'reason')
    this.#check(native().cancel(this.#open(), number, reason ?? null))
  }

  /**
   * The result of a call: a string as it is, parts as such, anything else as JSON. `hostOutput`: what the model reads
   * in its place; the card shows both. Throws SluiceError `option` for what JSON cannot hold.
   */
  succeed(call: CallRef, value: unknown, hostOutput?: ToolResult): void {
    this.#submitResult(call, { value }, hostOutput)
  }

  /** The failure of a call, for the model to read. `hostOutput`: what it reads in its place; the card shows both. */
  fail(call: CallRef, message: string, hostOutput?: ToolResult): void {
    checkText(message, 'message')
    this.#submitResult(call, { error: message }, hostOutput)
  }

  /** What a running tool has to say meanwhile: shown on the card. */
  progress(call: CallRef, text: string): void {
    checkText(text, 'text')
    this.#submit(callNumber(call), SUBMIT.progress, text)
  }

  /** Passes the time on. Returns when to call again at the latest, in Unix milliseconds; Infinity: never. */
  tick(now: number = Date.now()): number {
    unixTime(now, 'now')
    const next = native().tick(this.#open(), now)
    if (next < 0) this.#check(next)
    return (this.#deadline = next)
  }

  /**
   * `tick`, `feed` and `events` in one: the fastest way to read an answer.
   * @returns every event that waits.
   */
  step(bytes: Uint8Array | string, now: number = Date.now()): SluiceEvent[] {
    checkBytes(bytes, 'bytes')
    unixTime(now, 'now')
    const events = this.take(typeof bytes === 'string' ? encoder.encode(bytes) : bytes, now)
    while (this.#waits) {
      const event = this.takeWaiting(now)
      if (event === null) break
      events.push(event)
      for (const next of this.take(null, now)) events.push(next)
    }
    return events
  }

  /**
   * When to call `tick` or `step` again at the latest, as the last of them told: Unix milliseconds; Infinity: never.
   */
  get deadline(): number {
    return this.#deadline
  }

  /** The next event that waits, or null. */
  nextEvent(): SluiceEvent | null {
    if (this.#seq === undefined) return this.#nextOther()
    const [event] = this.#polled(native().step(this.#open(), null, null, roomForOne), roomForOne)
    return event ?? (this.#waits ? this.#nextOther() : null)
  }

  /** Every event that waits. */
  *events(): Generator<SluiceEvent, void, undefined> {
    for (let event = this.nextEvent(); event !== null; event = this.nextEvent()) yield event
  }

  /**
   * @internal `tick` and `feed`, for a host that polls later: crossing costs more than a piece, so small ones are fed
   * together, in front of whatever is asked or done next.
   */
  put(bytes: Uint8Array): void {
    this.#grow(bytes.byteLength)
    if (this.#heldBytes + bytes.byteLength > HELD_BYTES) {
      this.#polled(native().step(this.#open(), Date.now(), bytes, null))
      return
    }
    if (this.#heldBytes === 0) this.#heldSince = Date.now()
    this.#held ??= new Uint8Array(HELD_BYTES)
    this.#held.set(bytes, this.#heldBytes)
    this.#heldBytes += bytes.byteLength
  }

  /**
   * @internal Feeds, where there are bytes, and polls the events up to the first by which the host acts: see `waits`.
   */
  take(bytes: Uint8Array | null = null, now: number = Date.now()): SluiceEvent[] {
    if (bytes !== null) this.#grow(bytes.byteLength)
    const numbered = this.#seq !== undefined
    const events = this.#polled(
      native().step(this.#open(), now, bytes, numbered ? room : null),
      numbered ? room : undefined,
    )
    if (!this.#waits) this.#deadline = deadline(room)
    return events
  }

  /**
   * @internal The event behind those of `take`, where it `waits`; null: there was none. The next `take` tells the
   * deadline, or this where there is no next one.
   */
  takeWaiting(now: number = Date.now()): SluiceEvent | null {
    const event = this.#nextOther()
    if (event === null) {
      const next = native().tick(this.#open(), now)
      if (next >= 0) this.#deadline = next
    }
    return event
  }

  /**
   * @internal Behind the events of `take` there may be more. The next one may be taken back until `takeWaiting` tells
   * it.
   */
  get waits(): boolean {
    return this.#waits
  }

  /** The body of the request to send, as it stands; null while none is wanted. */
  get request(): string | null {
    return native().get(this.#open(), GET.request)
  }

  /** The message so far. */
  get message(): AssistantMessage {
    const message = this.#document<AssistantMessage>(GET.message)
    for (const block of message.blocks) if (block.type === 'error') this.#redact(block)
    return message
  }

  /** The messages that this turn adds to the conversation. */
  get history(): ChatMessage[] {
    return this.#document(GET.history)
  }

  /** What the model sees of the tools, and why not the rest. */
  get tools(): ToolList {
    return this.#document(GET.tools)
  }

  /** The rendered `{{tools}}`. */
  get prompt(): string {
    return this.#document(GET.prompt)
  }

  /**
   * Everything that `Turn.restore` needs. As trusted as your own memory: never take one from a window or the network.
   */
  get state(): string {
    return this.#text(GET.state)
  }

  get closed(): boolean {
    return this.#handle === null
  }

  /** Frees the native turn. Twice is fine. */
  close(): void {
    if (this.#handle === null) return
    native().turnFree(this.#handle)
    this.#handle = null
    this.#held = undefined
    this.#heldBytes = 0
    this.#memory = 0
    this.#tellMemory()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** An event as JSON. */
  #nextOther(): SluiceEvent | null {
    const text = native().nextEvent(this.#open())
    if (text === null) return null
    const event = JSON.parse(this.#redacted(text)) as SluiceEvent
    this.#seq = event.seq
    this.#note(event)
    return event
  }

  /** The events of a step. Without `out` it polled none. */
  #polled(given: ReturnType<Addon['step']>, out?: Uint32Array): SluiceEvent[] {
    if (typeof given === 'number') this.#check(given)
    this.#waits = out === undefined || waiting(out) !== DELTA.none
    if (given === undefined || typeof given === 'number' || out === undefined) return []
    const seq = this.#seq as number
    const events = unpack(out, given, seq, this.#clean)
    this.#seq = seq + events.length
    if (typeof given !== 'string') for (const event of events) this.#note(event)
    return events
  }

  #note(event: SluiceEvent): void {
    if (event.type === 'approval') this.#asked.set(event.call, event.digest)
    if (event.type === 'error' || event.type === 'diagnostic') this.#redact(event)
  }

  readonly #clean = (text: string): string => (this.secrets.length === 0 ? text : this.#redacted(text))

  /** The number of a call about which somebody decides. */
  #questionOf(call: CallRef, least: 0 | 1 = 1, digest = (call as { digest?: string } | null)?.digest): number {
    const number = callNumber(call, least)
    if (digest === undefined || number === 0 || digest === this.#asked.get(number)) return number
    throw new SluiceError({ code: 'state', detail: 'this is not the question that waits: its digest is another' })
  }

  #submitResult(call: CallRef, result: ToolResult, hostOutput: ToolResult | undefined): void {
    const number = callNumber(call)
    const [kind, text] = encodeResult(result)
    if (hostOutput === undefined) return this.#submit(number, SUBMIT[kind], text)
    if (!isToolResult(hostOutput)) throw wrong('hostOutput', hostOutput, '{ value }, or { error } with a text')
    const versions = [[kind, text], encodeResult(hostOutput)] as const
    const [output, instead] = versions.map(
      ([kind, text]) => `{"${kind}":${kind === 'json' || kind === 'parts' ? text : JSON.stringify(text)}}`,
    )
    this.#submit(number, SUBMIT.rewritten, `{"output":${output},"hostOutput":${instead}}`)
  }

  #submit(call: number, kind: number, text: string): void {
    this.#grow(text.length)
    this.#check(native().submit(this.#open(), call, kind, text))
  }

  #document<T>(what: number): T {
    return JSON.parse(this.#redacted(this.#text(what))) as T
  }

  /**
   * Removes keys that nobody writes by chance from every document: a provider may echo them. They need no JSON escapes,
   * so the text can be searched.
   */
  #redacted(text: string): string {
    return hideSecrets(text, this.secrets.filter(isUnmistakable))
  }

  /**
   * Any other may be a word that a model writes as well: only what is said of a failure, which may quote the request,
   * is without it.
   */
  #redact(failure: { detail?: string; hint?: string }): void {
    for (const member of ['detail', 'hint'] as const)
      if (failure[member] !== undefined) failure[member] = this.withoutSecrets(failure[member])
  }

  /** @internal The text of a failure, with secrets replaced. */
  withoutSecrets(text: string): string {
    return hideSecrets(text, this.secrets)
  }

  #text(what: number): string {
    const text = native().get(this.#open(), what)
    if (text === null) this.#check(-1)
    return text as string
  }

  #open(): NativeTurn {
    if (this.#handle === null) throw new SluiceError({ code: 'closed', detail: 'the turn was closed' })
    if (this.#heldBytes > 0) this.#feedHeld(this.#handle)
    return this.#handle
  }

  /** A turn that is poisoned refuses them, and says so to the call that follows. */
  #feedHeld(handle: NativeTurn): void {
    const bytes = (this.#held as Uint8Array).subarray(0, this.#heldBytes)
    this.#heldBytes = 0
    native().step(handle, this.#heldSince, bytes, null)
  }

  #check(code: number): void {
    if (code >= 0) return
    const error = native().get(this.#handle, GET.error)
    throw error === null
      ? new SluiceError({ code: 'internal', detail: `the engine answered ${code} and does not say why` })
      : SluiceError.fromNative(error)
  }

  #grow(bytes: number): void {
    this.#memory += bytes
    if (this.#memory - this.#reportedMemory >= MEMORY_STEP) this.#tellMemory()
  }

  #tellMemory(): void {
    if (this.#memory === this.#reportedMemory) return
    native().adjustExternalMemory(this.#memory - this.#reportedMemory)
    this.#reportedMemory = this.#memory
  }
}

/** Long, of letters and digits, and without a character that JSON escapes. */
const isUnmistakable = (secret: string): boolean =>
  secret.length >= 16 && /\d/.test(secret) && /[a-z]/i.test(secret) && /^[!#-[\]-~]+$/.test(secret)

function describeTurn(engine: TurnEngine, config: TurnSettings): string {
  checkTurnSettings(config, 'config')
  // With another mode the default is another one.
  const isNew = config.alsoParse !== undefined || (config.mode && engine.settings.alsoParse === undefined)
  const alsoParse = isNew && allParsed(config, engine.tools)
  const { rest } = splitFallback(config)
  return encode(alsoParse ? { ...rest, alsoParse } : rest, 'config')
}

const BRAND = Symbol.for('sluice.parts') // the ES module and the CommonJS build know each other's

/** A result made of text and images: what `resultParts()` returns. */
export class ResultParts {
  /** @internal */
  readonly [BRAND] = true
  constructor(
    /** Its texts and images, in the order in which the model reads them. */
    readonly items: readonly ResultPart[],
  ) {}
}

const isParts = (value: unknown): value is ResultParts => typeof value === 'object' && value !== null && BRAND in value

/** A result made of text and images. */
export function resultParts(...items: ResultPart[]): ResultParts {
  return new ResultParts(items)
}

function encodeResult(result: ToolResult): [kind: 'text' | 'json' | 'parts' | 'failure', text: string] {
  if ('error' in result) return ['failure', result.error]
  const { value } = result
  if (value === undefined) return ['text', 'ok']
  if (typeof value === 'string') return ['text', value]
  try {
    if (isParts(value)) return ['parts', jsonText(value.items)]
    const foreign = foreignParts(value)
    if (!foreign) return ['json', jsonText(value)]
    return 'failure' in foreign ? ['failure', foreign.failure] : ['parts', jsonText(foreign)]
  } catch (cause) {
    throw new SluiceError({ code: 'option', path: 'value', detail: messageOf(cause), cause })
  }
}
