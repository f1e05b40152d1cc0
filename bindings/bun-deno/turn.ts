// Engines and turns: what a host calls, and what comes out.
import type { FunctionName, Native, Pointer } from './native.ts'

const { native }: { native: Native } = 'Deno' in globalThis ? await import('./deno.ts') : await import('./bun.ts')

/** How an answer ended: `turn.finish`. */
export const End = { complete: 0, network: 1, aborted: 2, retry: 3, hook: 4, fallback: 5 } as const
/** What the user decided: `turn.approve`. `exact` is added to turn, session or always: for these arguments only. */
export const Decision = { once: 0, turn: 1, session: 2, always: 3, release: 4, exact: 256 } as const
/** How policy and rules judge a call: `turn.judge`. */
export const Gate = { run: 0, ask: 1, deny: 2 } as const
/** What a tool delivers: `turn.submit`. Result, failure and progress are text, the others JSON. */
export const Kind = { result: 0, json: 1, parts: 2, failure: 3, progress: 4, rewritten: 5 } as const
/** What becomes of a final answer: `turn.conclude`. */
export const Final = { accept: 0, retry: 1, replace: 2, retryBySystem: 257 } as const
/** What a Delta is a piece of. */
export const DeltaKind = { text: 1, reasoning: 2, args: 3, progress: 4 } as const
const documents = { request: 1, message: 2, history: 3, tools: 4, prompt: 5, state: 6, error: 7 } as const

/** A document: a value that becomes JSON, or JSON text that is passed as it stands. */
export type Document = string | object
/** A document that `turn.get` reads. `request`: the body to send; `state`: what `engine.restore` reads. */
export type DocumentName = keyof typeof documents
/** An event: `type`, `seq` and members by its type. Types and members may be added: ignore what you do not know. */
// deno-lint-ignore no-explicit-any
export type Event = { type: string; seq: number; [member: string]: any }
/** A call: its number, or an event of it. */
export type Call = number | Event | { call: number }
/** A piece of text, told without JSON. */
export class Delta {
  /** `kind`: one of DeltaKind; `index`: the block of text and reasoning, the call of arguments and progress. */
  constructor(
    readonly kind: number,
    readonly index: number,
    readonly text: string,
  ) {}
}

/** A mistake of the host. What a model, a provider, the network or a tool does wrong is an event. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  /**
   * `code`: -1 argument, -2 state, -3 not_found, -4 json, -5 limit, -6 unsupported, -100 memory, -101 internal;
   * `detail`: {code, name, message, path}.
   */
  constructor(
    readonly code: number,
    readonly detail: { code: number; name: string; message: string; path?: string },
  ) {
    super(`${detail.name}: ${detail.message}${detail.path ? ` (${detail.path})` : ''}`)
  }
}

// -- bytes in and out -------------------------------------------------------------------------------------------------

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const nothing = new Uint8Array(1) // an empty text has an address too
const size = new BigUint64Array(1)
const kind = new Int32Array(1)
const index = new Uint32Array(1)

type Bytes = Uint8Array<ArrayBuffer>
type Lent = [Bytes | null, number]

function bytes(given: Uint8Array | undefined): Lent {
  if (given === undefined) return [null, 0]
  return [given.length === 0 ? nothing : (given as Bytes), given.length]
}

function text(given: string | undefined): Lent {
  if (given !== undefined && typeof given !== 'string') throw new TypeError(`found ${String(given)}, expected a text`)
  return bytes(given === undefined ? undefined : encoder.encode(given))
}

function json(given: Document | undefined): Lent {
  return text(given === undefined || typeof given === 'string' ? given : JSON.stringify(given))
}

/** FFI would cut off high bits, so that 2 ** 32 would mean call 0: every call. */
function number(call: Call): number {
  const found = typeof call === 'object' ? call.call : call
  if (!Number.isInteger(found) || found! < 0 || found! >= 2 ** 32)
    throw new RangeError(`call: found ${found}, expected the number of a call, or an event of it`)
  return found!
}

function int32(value: number, name: string): number {
  if (value !== (value | 0)) throw new RangeError(`${name}: found ${value}, expected a whole number of 32 bits`)
  return value
}

/** Copies what the library lends until the next call. */
function owned(pointer: Pointer): string | null {
  return pointer ? decoder.decode(native.view(pointer, Number(size[0]))) : null
}

function refused(document: string | null): SluiceError {
  const detail = document === null ? { code: -100, name: 'memory', message: 'memory is short' } : JSON.parse(document)
  return new SluiceError(detail.code, detail)
}

/** The version of the library: [major, minor, patch]. */
export function version(): [number, number, number] {
  const found = native.call.sluice_version() as number
  return [found >>> 16, (found >>> 8) & 255, found & 255]
}

// -- handles ----------------------------------------------------------------------------------------------------------

const forgotten = new FinalizationRegistry(({ free, pointer }: { free: FunctionName; pointer: Pointer }) =>
  native.call[free](pointer),
)

abstract class Handle {
  #pointer: Pointer
  readonly #free: FunctionName

  constructor(pointer: Pointer, free: FunctionName) {
    if (!pointer) throw refused(null)
    this.#pointer = pointer
    this.#free = free
    forgotten.register(this, { free, pointer }, this)
  }

  /** The native handle. Throws TypeError if it is closed. */
  protected get pointer(): Pointer {
    if (!this.#pointer) throw new TypeError(`this ${this.constructor.name} was closed`)
    return this.#pointer
  }

  /** Frees the native memory. May be called twice; what nothing refers to is freed by the garbage collector. */
  close(): void {
    if (this.#pointer) native.call[this.#free](this.#pointer)
    this.#pointer = null
    forgotten.unregister(this)
  }

  /** `using` closes it. */
  [Symbol.dispose](): void {
    this.close()
  }
}

/** Tools and defaults, compiled once, immutable. Closing it leaves its turns alive. */
export class Engine extends Handle {
  /**
   * `config`: { tools: […], protocols: […], and defaults for every turn }. Throws SluiceError where it is not accepted.
   */
  constructor(config: Document = {}) {
    super(native.call.sluice_engine_new(...json(config)), 'sluice_engine_free')
    const why = owned(native.call.sluice_engine_error(this.pointer, size))
    if (why === null) return
    this.close()
    throw refused(why)
  }

  /** Makes a turn from { wire: 'openai-chat', request: {…}, and members that replace the engine's defaults }. */
  turn(config: Document): Turn {
    return new Turn(native.call.sluice_turn_new(this.pointer, ...json(config)))
  }

  /**
   * Makes a turn from the text of a state: `turn.get('state', String)`. Accept states only from sources from which you
   * would accept code.
   */
  restore(state: Document): Turn {
    return new Turn(native.call.sluice_turn_restore(this.pointer, ...json(state)))
  }
}

/**
 * One input of the user, one message of the assistant; `engine.turn` makes it. Every method throws SluiceError for a
 * mistake of the host. What comes out is parsed by JSON.parse, which rounds integers beyond 2 ** 53; `String` in its
 * place gives the text.
 */
export class Turn extends Handle {
  /** @internal */
  constructor(pointer: Pointer) {
    super(pointer, 'sluice_turn_free')
    const why = this.get('error', String)
    if (why === null) return
    this.close()
    throw refused(why)
  }

  #done(code: unknown): number {
    if ((code as number) < 0) throw refused(this.get('error', String))
    return code as number
  }

  // -- what came from the network
  /**
   * Gives status and headers of the response: { 'lower-case name': 'value' }. Optional: without it the status is 200.
   */
  response(status: number, headers?: Document): void {
    this.#done(native.call.sluice_turn_response(this.pointer, int32(status, 'status'), ...json(headers)))
  }

  /** Gives bytes of the response's body, of any size, split anywhere; or text. */
  feed(data: Uint8Array | string): void {
    this.#done(native.call.sluice_turn_feed(this.pointer, ...(typeof data === 'string' ? text(data) : bytes(data))))
  }

  /** Ends the answer: one of End. `detail`: text such as the network's error. */
  finish(how: number = End.complete, detail?: string): void {
    this.#done(native.call.sluice_turn_finish(this.pointer, int32(how, 'how'), ...text(detail)))
  }

  // -- what came from the user
  /**
   * Lets a waiting call run, or releases its result: one of Decision. `edited`: arguments that replace the model's. 0:
   * every call that waits for execution and whose event was polled.
   */
  approve(call: Call = 0, decision: number = Decision.once, edited?: Document): void {
    this.#done(
      native.call.sluice_turn_approve(this.pointer, number(call), int32(decision, 'decision'), ...json(edited)),
    )
  }

  /** Denies what a call waits for. `reason`: text for the model. */
  deny(call: Call, reason?: string): void {
    this.#done(native.call.sluice_turn_deny(this.pointer, number(call), ...text(reason)))
  }

  /** Denies on behalf of the host: nobody could be asked, or its own policy forbids the call. */
  refuse(call: Call, reason?: string): void {
    this.#done(native.call.sluice_turn_refuse(this.pointer, number(call), ...text(reason)))
  }

  /** Judges a call by these rules, an array as in the configuration: one of Gate. Changes nothing. */
  judge(call: Call, rules: Document): number {
    return this.#done(native.call.sluice_turn_judge(this.pointer, number(call), ...json(rules)))
  }

  /**
   * Decides what happens to the answer of a `final` event. `how`: one of Final. `words`: for Final.retry the text that
   * the model reads, for Final.replace the text that replaces the answer.
   */
  conclude(how: number = Final.accept, words?: string): void {
    this.#done(native.call.sluice_turn_conclude(this.pointer, int32(how, 'how'), ...text(words)))
  }

  /** Cancels a call, or with 0 the turn. */
  cancel(call: Call = 0, reason?: string): void {
    this.#done(native.call.sluice_turn_cancel(this.pointer, number(call), ...text(reason)))
  }

  // -- what came from a tool
  /** Gives the result, failure or progress of a call whose `execute` event was polled: one of Kind. */
  submit(call: Call, data: Document, how: number = Kind.result): void {
    this.#done(native.call.sluice_turn_submit(this.pointer, number(call), int32(how, 'kind'), ...json(data)))
  }

  /** Tells the arguments that the host runs a call with, if it resolves references that the model wrote. */
  resolve(call: Call, given: Document): void {
    this.#done(native.call.sluice_turn_resolve(this.pointer, number(call), ...json(given)))
  }

  /** Lets the tool of a call that runs call another one: `{ name, arguments }`. Returns the number of the new call. */
  call(caller: Call, call: Document): number {
    return this.#done(native.call.sluice_turn_call(this.pointer, number(caller), ...json(call)))
  }

  // -- what came from the clock
  /**
   * Tells the time, in Unix milliseconds: before feed, submit and approve. Returns when to call again at the latest;
   * Infinity for never.
   */
  tick(now: number = Date.now()): number {
    const next = BigInt(native.call.sluice_turn_tick(this.pointer, BigInt(now)) as bigint)
    if (next < 0n) this.#done(Number(next))
    return next === 2n ** 63n - 1n ? Infinity : Number(next)
  }

  // -- what comes out
  /** The next event; null if there is none. */
  nextEvent<T = Event>(parse: (text: string) => T = JSON.parse): T | null {
    const found = owned(native.call.sluice_turn_next_event(this.pointer, size))
    return found === null ? null : parse(found)
  }

  /** Every waiting event; those that come meanwhile are among them. */
  *events<T = Event>(parse?: (text: string) => T): Generator<T, void, undefined> {
    for (let event: T | null; (event = this.nextEvent(parse)) !== null; ) yield event
  }

  /** The next event if it is a piece of text, which is told without JSON; else null: ask `nextEvent`. */
  nextDelta(): Delta | null {
    const found = owned(native.call.sluice_turn_next_delta(this.pointer, kind, index, size))
    return found === null ? null : new Delta(kind[0], index[0], found)
  }

  /** Every waiting event in order: text as a Delta, which is faster than JSON, any other as `nextEvent` gives it. */
  *pieces<T = Event>(parse?: (text: string) => T): Generator<Delta | T, void, undefined> {
    for (let piece: Delta | T | null; (piece = this.nextDelta() ?? this.nextEvent(parse)) !== null; ) yield piece
  }

  /** The tool that a model means by this name: { tool }, or { suggestions: […] } with the nearest names. */
  // deno-lint-ignore no-explicit-any
  findTool<T = any>(name: string, parse: (text: string) => T = JSON.parse): T | null {
    const found = owned(native.call.sluice_turn_find_tool(this.pointer, ...text(name), size))
    return found === null ? null : parse(found)
  }

  /** A document about the turn; null if there is none. */
  // deno-lint-ignore no-explicit-any
  get<T = any>(what: DocumentName, parse: (text: string) => T = JSON.parse): T | null {
    if (!(what in documents))
      throw new RangeError(`found ${what}, expected one of ${Object.keys(documents).join(', ')}`)
    const found = owned(native.call.sluice_turn_get(this.pointer, documents[what], size))
    return found === null ? null : parse(found)
  }
}
