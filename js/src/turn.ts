import { SluiceError } from './errors.js'
import type { AssistantMessage, ChatMessage, JsonObject, Part, SluiceEvent, ToolList } from './events.js'
import { nativeOf, type Engine } from './engine.js'
import { jsonText } from './bridge/json-text.js'
import { END, EXACT, GET, native, RELEASE, REMEMBER, SUBMIT, type NativeTurn } from './native.js'

export type End = keyof typeof END
export type Remember = keyof typeof REMEMBER

export interface ApproveOptions {
  /** How long calls like this one need no question. Default: `once`, this call only. */
  remember?: Remember
  /** "Like this one" means the same tool with exactly these arguments. */
  exact?: boolean
  /** Run it with these arguments instead; checked again, and shown beside the original. */
  arguments?: JsonObject
}

/** Engine options of a turn, plus `wire` and `request`. Text is passed on as it stands (big integers, key order). */
export type TurnConfig = string | { [member: string]: unknown }

const encoder = new TextEncoder()
/** The collector is told about native memory in steps of this size. */
const MEMORY_STEP = 64 * 1024

/** A thin class over the C API, for hosts with a transport of their own. After every call drain `nextEvent()`. */
export class Turn {
  #handle: NativeTurn | null
  #memory = 0
  #told = 0
  /** @internal What must be in no document of it. */
  secrets: readonly string[] = []

  /** @param restore `config` is what `state` gave. */
  constructor(engine: Engine, config: TurnConfig, restore = false) {
    const text = typeof config === 'string' ? config : JSON.stringify(config)
    const make = restore ? native().turnRestore : native().turnNew
    this.#handle = make(nativeOf(engine), text)
    this.#grow(text.length * 2)
    const error = native().get(this.#handle, GET.error)
    if (error !== null) {
      this.close()
      throw SluiceError.fromNative(error)
    }
  }

  static restore(engine: Engine, state: string): Turn {
    return new Turn(engine, state, true)
  }

  /** Status and headers of the response: optional, 200 is assumed. Header names in lower case. */
  response(status: number, headers?: Record<string, string>): void {
    this.#check(native().response(this.#open(), status, headers ? JSON.stringify(headers) : null))
  }

  feed(bytes: Uint8Array | string): void {
    const data = typeof bytes === 'string' ? encoder.encode(bytes) : bytes
    this.#grow(data.byteLength)
    this.#check(native().feed(this.#open(), data))
  }

  finish(how: End = 'complete', detail?: string): void {
    this.#check(native().finish(this.#open(), END[how], detail ?? null))
  }

  /** Lets a call run. Call 0: every execution approval that was polled. */
  approve(call: number, { remember = 'once', exact = false, arguments: edited }: ApproveOptions = {}): void {
    const decision = REMEMBER[remember] + (exact && remember !== 'once' ? EXACT : 0)
    this.#check(native().approve(this.#open(), call, decision, edited === undefined ? null : JSON.stringify(edited)))
  }

  /** Lets the result of a call out. */
  release(call: number): void {
    this.#check(native().approve(this.#open(), call, RELEASE, null))
  }

  /** Refuses what the call waits for: its execution, or the release of its result. */
  deny(call: number, reason?: string): void {
    this.#check(native().deny(this.#open(), call, reason ?? null))
  }

  /** Call 0: the whole turn. */
  cancel(call = 0, reason?: string): void {
    this.#check(native().cancel(this.#open(), call, reason ?? null))
  }

  /** The result: a string as it is, parts as such, anything else as JSON. */
  succeed(call: number, value: unknown): void {
    const [kind, text] = encodeResult(value)
    this.#submit(call, kind, text)
  }

  fail(call: number, message: string): void {
    this.#submit(call, SUBMIT.failure, message)
  }

  progress(call: number, text: string): void {
    this.#submit(call, SUBMIT.progress, text)
  }

  /** Tells the time. Returns when to call again at the latest, in Unix milliseconds; Infinity: never. */
  tick(now: number = Date.now()): number {
    const next = native().tick(this.#open(), now)
    if (next < 0) this.#check(next)
    return next
  }

  nextEvent(): SluiceEvent | null {
    const text = native().nextEvent(this.#open())
    return text === null ? null : (JSON.parse(this.#redacted(text)) as SluiceEvent)
  }

  /** Every event that waits. */
  *events(): Generator<SluiceEvent, void, undefined> {
    for (let event = this.nextEvent(); event !== null; event = this.nextEvent()) yield event
  }

  /** The body of the request to send, as it stands; null while none is wanted. */
  get request(): string | null {
    return native().get(this.#open(), GET.request)
  }

  get message(): AssistantMessage {
    return this.#document(GET.message)
  }

  /** The messages that this turn adds to the conversation. */
  get history(): ChatMessage[] {
    return this.#document(GET.history)
  }

  get tools(): ToolList {
    return this.#document(GET.tools)
  }

  /** The rendered `{{tools}}`. */
  get prompt(): string {
    return this.#document(GET.prompt)
  }

  /** Everything that `Turn.restore` needs. As trusted as your own memory: never take one from a window or the network. */
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
    this.#memory = 0
    this.#tellMemory()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #submit(call: number, kind: number, text: string): void {
    this.#grow(text.length)
    this.#check(native().submit(this.#open(), call, kind, text))
  }

  #document<T>(what: number): T {
    return JSON.parse(this.#redacted(this.#text(what))) as T
  }

  /** As JSON text the secrets stand in it as they are: none of them has a character that JSON escapes but `"` and `\`. */
  #redacted(text: string): string {
    for (const secret of this.secrets) {
      const written = JSON.stringify(secret).slice(1, -1)
      if (text.includes(written)) text = text.replaceAll(written, '[secret]')
    }
    return text
  }

  #text(what: number): string {
    const text = native().get(this.#open(), what)
    if (text === null) this.#check(-1)
    return text as string
  }

  #open(): NativeTurn {
    if (this.#handle === null) throw new SluiceError({ code: 'closed', detail: 'the turn was closed' })
    return this.#handle
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
    if (this.#memory - this.#told >= MEMORY_STEP) this.#tellMemory()
  }

  #tellMemory(): void {
    if (this.#memory === this.#told) return
    native().adjustExternalMemory(this.#memory - this.#told)
    this.#told = this.#memory
  }
}

const BRAND = Symbol.for('sluice.parts') // the ES module and the CommonJS build know each other's

export class Parts {
  readonly [BRAND] = true
  constructor(readonly items: readonly Part[]) {}
}

const isParts = (value: unknown): value is Parts => typeof value === 'object' && value !== null && BRAND in value

/** A result made of text and images. */
export function parts(...items: Part[]): Parts {
  return new Parts(items)
}

function encodeResult(value: unknown): [kind: number, text: string] {
  if (value === undefined) return [SUBMIT.text, 'ok']
  if (typeof value === 'string') return [SUBMIT.text, value]
  if (isParts(value)) return [SUBMIT.parts, jsonText(value.items)]
  return [SUBMIT.json, jsonText(value)]
}
