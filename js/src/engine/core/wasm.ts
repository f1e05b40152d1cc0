// sluice.wasm spelled as the addon: the functions of bindings/node/addon.cpp, with their arguments, results and
// TypeErrors.
import type { Addon, NativeEngine, NativeTurn } from './addon.js'
import { messageOf, SluiceError } from './errors.js'

/** What this file uses of WebAssembly: the types of Node do not describe it. */
declare namespace WebAssembly {
  class Memory {
    constructor(size: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
  }
  class Instance {
    constructor(module: object, imports: object)
    readonly exports: object
  }
}

type Native = (a?: number, b?: number, c?: number, d?: number, e?: number, f?: number, g?: number) => number
type Name =
  | '_initialize'
  | 'malloc'
  | 'free'
  | 'sluice_version'
  | 'sluice_engine_new'
  | 'sluice_engine_error'
  | 'sluice_engine_free'
  | 'sluice_turn_new'
  | 'sluice_turn_restore'
  | 'sluice_turn_free'
  | 'sluice_turn_response'
  | 'sluice_turn_feed'
  | 'sluice_turn_finish'
  | 'sluice_turn_approve'
  | 'sluice_turn_deny'
  | 'sluice_turn_refuse'
  | 'sluice_turn_judge'
  | 'sluice_turn_conclude'
  | 'sluice_turn_cancel'
  | 'sluice_turn_submit'
  | 'sluice_turn_resolve'
  | 'sluice_turn_call'
  | 'sluice_wasm_tick'
  | 'sluice_wasm_step'
  | 'sluice_turn_next_event'
  | 'sluice_turn_find_tool'
  | 'sluice_turn_get'

const PAGE = 64 * 1024
/** As CMakeLists.txt links it. Addresses stay below 2^31, so that none is a negative number here. */
const MEMORY = { initial: 4 * 1024 * 1024, maximum: 2 * 1024 * 1024 * 1024 }
/** Most arguments fit into this part of the memory; a larger one has memory of its own while the call lasts. */
const SCRATCH = 64 * 1024

/** A step's records, see bindings/step.h: at most so many numbers; of more room nothing is used. */
const [HEAD, RECORD, RECORDS] = [4, 3, 4096]

/** The decoder costs more than reading a text of so many bytes here. */
const SHORT = 16

/** What a handle holds; apart from it, so that the finalizer can free it. */
interface Held {
  kind: 'engine' | 'turn'
  pointer: number
}

class Handle {
  constructor(
    readonly held: Held,
    readonly home: object,
  ) {}
}

/**
 * Starts a module of its own memory. `maximum`: of that memory, in bytes.
 * @throws what WebAssembly throws where the module is another one, or there is no memory.
 */
export function startWasm(module: object, maximum: number = MEMORY.maximum): Addon {
  const memory = new WebAssembly.Memory({ initial: MEMORY.initial / PAGE, maximum: maximum / PAGE })
  let bytes: Uint8Array, words: Uint32Array
  const view = () => {
    bytes = new Uint8Array(memory.buffer)
    words = new Uint32Array(memory.buffer)
  }
  view()
  const imports = {
    env: { memory, emscripten_notify_memory_growth: view },
    wasi_snapshot_preview1: {
      // There is no environment.
      environ_sizes_get: (count: number, size: number) => {
        new Int32Array(memory.buffer, count, 1)[0] = 0
        new Int32Array(memory.buffer, size, 1)[0] = 0
        return 0
      },
      environ_get: () => 0,
      proc_exit: () => {
        throw new Error('it gave up')
      },
    },
  }
  const exported = new WebAssembly.Instance(module, imports).exports as { readonly [name in Name]: Native }

  // -- calls ----------------------------------------------------------------------------------------------------------

  let stopped: SluiceError | undefined

  /** A trap leaves the memory as nobody expects it: nothing is called after one. */
  const call = (name: Name): Native => {
    const native = exported[name]
    return (a, b, c, d, e, f, g) => {
      if (stopped) throw stopped
      try {
        return native(a, b, c, d, e, f, g)
      } catch (cause) {
        throw (stopped = new SluiceError({
          code: 'internal',
          detail: `the WebAssembly engine stopped in ${name}: ${messageOf(cause)}`,
          hint: 'no engine of this process or page works any more: load it anew, and please report it',
          cause,
        }))
      }
    }
  }

  call('_initialize')()
  const [malloc, release] = [call('malloc'), call('free')]

  function allocate(size: number): number {
    const at = malloc(size)
    if (at === 0) throw outOfMemory()
    return at
  }

  /** WebAssembly never gives memory back, but what is freed is used again. */
  const outOfMemory = () =>
    new SluiceError({
      code: 'memory',
      detail: `out of memory: WebAssembly has ${bytes.length} bytes, and may have ${maximum}`,
      hint: 'close() turns that are not needed any more',
    })

  const scratch = allocate(SCRATCH)
  const length = allocate(4) // where functions write the length of a text that they return
  const records = allocate(RECORDS * 4) // where a step writes them
  const given = allocate(4 * 4) // where a step writes where its text and its events stand, and their lengths

  // -- what goes in ---------------------------------------------------------------------------------------------------

  function pointer(value: unknown, index: number, kind: Held['kind'] | undefined): number {
    if (value === null) return 0
    const held = value instanceof Handle && value.home === memory ? value.held : undefined
    if (!held || (held.pointer !== 0 && kind !== undefined && held.kind !== kind))
      throw refused(index, kind === undefined ? 'a handle' : kind === 'engine' ? 'an engine' : 'a turn')
    return held.pointer
  }

  const engineOf = (value: unknown): number => pointer(value, 1, 'engine')
  const turnOf = (value: unknown): number => pointer(value, 1, 'turn')

  const encoder = new TextEncoder()

  /** Passes the text on as UTF-8; null as NULL. */
  function withText(text: string | null, act: (at: number, size: number) => number): number {
    if (text === null) return act(0, 0)
    if (text.length * 3 > SCRATCH) return withBytes(encoder.encode(text), act)
    return act(scratch, encoder.encodeInto(text, bytes.subarray(scratch, scratch + SCRATCH)).written)
  }

  function withBytes(data: Uint8Array, act: (at: number, size: number) => number): number {
    const at = data.length <= SCRATCH ? scratch : allocate(data.length)
    bytes.set(data, at)
    try {
      return act(at, data.length)
    } finally {
      if (at !== scratch && !stopped) release(at)
    }
  }

  // -- what comes out -------------------------------------------------------------------------------------------------

  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  /** The text that a function returned, whose length it wrote. */
  function textAt(at: number): string | null {
    if (at === 0) return null
    return decode(at, words[length / 4]!)
  }

  function decode(at: number, size: number): string {
    if (size > SHORT) return decoder.decode(bytes.subarray(at, at + size))
    let text = ''
    for (let each = at; each < at + size; each++) {
      const byte = bytes[each]!
      if (byte >= 0x80) return decoder.decode(bytes.subarray(at, at + size))
      text += String.fromCharCode(byte)
    }
    return text
  }

  const free = { engine: call('sluice_engine_free'), turn: call('sluice_turn_free') }
  const abandoned = new FinalizationRegistry<Held>((held) => {
    if (!stopped) free[held.kind](held.pointer)
  })

  function handOut<H>(kind: Held['kind'], pointer: number): H {
    if (pointer === 0) throw outOfMemory()
    const held = { kind, pointer }
    const handle = new Handle(held, memory)
    abandoned.register(handle, held, handle)
    return handle as H
  }

  function freeHandle(value: NativeEngine | NativeTurn | null): void {
    const at = pointer(value, 1, undefined)
    if (at === 0) return
    const handle = value as unknown as Handle
    abandoned.unregister(handle)
    handle.held.pointer = 0
    free[handle.held.kind](at)
  }

  // -- the functions, in the order of the header ----------------------------------------------------------------------

  const version = call('sluice_version')
  const [engineNew, engineError] = [call('sluice_engine_new'), call('sluice_engine_error')]
  const [turnNew, turnRestore] = [call('sluice_turn_new'), call('sluice_turn_restore')]
  const [response, feed, finish, approve] = [
    call('sluice_turn_response'),
    call('sluice_turn_feed'),
    call('sluice_turn_finish'),
    call('sluice_turn_approve'),
  ]
  const [conclude, submit, tick] = [call('sluice_turn_conclude'), call('sluice_turn_submit'), call('sluice_wasm_tick')]
  const step = call('sluice_wasm_step')
  const [nextEvent, findTool, get] = [
    call('sluice_turn_next_event'),
    call('sluice_turn_find_tool'),
    call('sluice_turn_get'),
  ]

  /** deny, refuse, judge, cancel, resolve and call take the same arguments. */
  const withReason = (name: Name) => {
    const native = call(name)
    return (turn: NativeTurn | null, number: number, reason: string | null): number => {
      const at = turnOf(turn)
      uint32(number, 2)
      return withText(optionalText(reason, 3), (text, size) => native(at, number, text, size))
    }
  }

  return {
    version: () => version(),
    engineNew: (config) =>
      handOut(
        'engine',
        withText(text(config, 1), (at, size) => engineNew(at, size)),
      ),
    engineError: (engine) => textAt(engineError(engineOf(engine), length)),
    engineFree: freeHandle,
    turnNew: (engine, config) => {
      const from = engineOf(engine)
      return handOut(
        'turn',
        withText(text(config, 2), (at, size) => turnNew(from, at, size)),
      )
    },
    turnRestore: (engine, state) => {
      const from = engineOf(engine)
      return handOut(
        'turn',
        withText(text(state, 2), (at, size) => turnRestore(from, at, size)),
      )
    },
    turnFree: freeHandle,
    response: (turn, status, headers) => {
      const at = turnOf(turn)
      int32(status, 2)
      return withText(optionalText(headers, 3), (text, size) => response(at, status, text, size))
    },
    feed: (turn, data) => {
      const at = turnOf(turn)
      if (!isBytes(data)) throw refused(2, 'a Uint8Array')
      return withBytes(data, (from, size) => feed(at, from, size))
    },
    finish: (turn, how, detail) => {
      const at = turnOf(turn)
      int32(how, 2)
      return withText(optionalText(detail, 3), (text, size) => finish(at, how, text, size))
    },
    approve: (turn, number, decision, edited) => {
      const at = turnOf(turn)
      uint32(number, 2)
      int32(decision, 3)
      return withText(optionalText(edited, 4), (text, size) => approve(at, number, decision, text, size))
    },
    deny: withReason('sluice_turn_deny'),
    refuse: withReason('sluice_turn_refuse'),
    judge: withReason('sluice_turn_judge'),
    cancel: withReason('sluice_turn_cancel'),
    resolve: withReason('sluice_turn_resolve'),
    call: withReason('sluice_turn_call'),
    conclude: (turn, how, said) => {
      const at = turnOf(turn)
      int32(how, 2)
      return withText(optionalText(said, 3), (text, size) => conclude(at, how, text, size))
    },
    submit: (turn, number, kind, data) => {
      const at = turnOf(turn)
      uint32(number, 2)
      int32(kind, 3)
      return withText(text(data, 4), (from, size) => submit(at, number, kind, from, size))
    },
    tick: (turn, now) => {
      const at = turnOf(turn)
      int64(now, 2)
      return tick(at, now)
    },
    nextEvent: (turn) => textAt(nextEvent(turnOf(turn), length)),
    step: (turn, now, data, out) => {
      const at = turnOf(turn)
      if (now !== null) int64(now, 2)
      if (data !== null && !isBytes(data)) throw refused(3, 'a Uint8Array')
      if (out !== null && typedArrayName.call(out) !== 'Uint32Array') throw refused(4, 'a Uint32Array')
      const size = out === null ? 0 : Math.min(out.length, RECORDS)
      const act = (from: number, count: number): number => step(at, now ?? NaN, from, count, records, size, given)
      const code = data === null ? act(0, 0) : withBytes(data, act)
      if (code < 0) return code
      if (out === null || size < HEAD) return undefined
      const count = words[records / 4]!
      for (let index = 0; index < HEAD + count * RECORD; index++) out[index] = words[records / 4 + index]!
      if (count === 0) return undefined
      const place = given / 4
      const text = decode(words[place]!, words[place + 1]!)
      return words[place + 3] === 0 ? text : [text, decode(words[place + 2]!, words[place + 3]!)]
    },
    findTool: (turn, name) => {
      const at = turnOf(turn)
      return textAt(withText(text(name, 2), (from, size) => findTool(at, from, size, length)))
    },
    get: (turn, what) => {
      const at = turnOf(turn)
      int32(what, 2)
      return textAt(get(at, what, length))
    },
    // The collector sees this memory: there is nothing to tell it.
    adjustExternalMemory: (delta) => {
      int64(delta, 1)
      return bytes.length
    },
  }
}

// -- the types of arguments -------------------------------------------------------------------------------------------

const refused = (index: number, expected: string): TypeError => new TypeError(`argument ${index}: expected ${expected}`)

function text(value: unknown, index: number): string {
  if (typeof value !== 'string') throw refused(index, 'a string')
  return value
}

function optionalText(value: unknown, index: number): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw refused(index, 'a string or null')
  return value
}

const inRange = (value: unknown, from: number, end: number): boolean =>
  typeof value === 'number' && value >= from && value < end && value === Math.trunc(value)

function int32(value: unknown, index: number): void {
  if (!inRange(value, -(2 ** 31), 2 ** 31)) throw refused(index, 'an integer in range')
}

function uint32(value: unknown, index: number): void {
  if (!inRange(value, 0, 2 ** 32)) throw refused(index, 'an integer in range, not negative')
}

function int64(value: unknown, index: number): void {
  if (!inRange(value, -(2 ** 63), 2 ** 63)) throw refused(index, 'an integer in range')
}

const typedArrayName = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  Symbol.toStringTag,
)!.get!

/** Also one of another realm. */
const isBytes = (value: unknown): value is Uint8Array => typedArrayName.call(value) === 'Uint8Array'
