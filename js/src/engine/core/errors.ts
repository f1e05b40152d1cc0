import { runningBackend, type BackendName } from './running-backend.js'

/** What a SluiceError is about. js/docs/codes.md says what to do about each. */
export type ErrorCode =
  /** An option or argument is wrong: `path` says which. */
  | 'option'
  /** Not now: nothing changed. */
  | 'state'
  /** There is no such call, tool or route. */
  | 'not_found'
  /** A document (a saved state, edited arguments, a configuration given as text) cannot be read. */
  | 'json'
  /** Larger than a limit of the configuration. */
  | 'limit'
  /** Not in this version. */
  | 'unsupported'
  /** The engine, turn or host was closed. */
  | 'closed'
  /** Neither the addon nor the WebAssembly build can be loaded. */
  | 'load'
  /** A value outside of what a function of the C API takes. */
  | 'argument'
  /** A stored conversation, turn or log cannot be read, decrypted or written. */
  | 'storage'
  /** A tool that another tool called was denied: `detail` is the reason. */
  | 'denied'
  /** A tool that another tool called was cancelled, or its caller has ended. */
  | 'cancelled'
  /** A tool that another tool called gave no result in time. */
  | 'timeout'
  /** No memory was left. */
  | 'memory'
  /**
   * A turn failed (`run.text`): `cause` is its `error` event. Or a server gave no list of its models (`listModels`).
   */
  | 'failed'
  /** A fault of Sluice. */
  | 'internal'

/** What an error is made of. */
export interface ErrorFields<Code extends string = ErrorCode> {
  /** What it is about. */
  code: Code
  /** One line: what was found and what was expected. */
  detail: string
  /** Where: `tools[3].parameters`. */
  path?: string | undefined
  /** What to do about it. */
  hint?: string | undefined
  /** What was thrown underneath. */
  cause?: unknown
}

const BRAND = Symbol.for('sluice.error') // the ES module and the CommonJS build have a class each

/** An error in parts. Its `message` is made of `path`, `detail` and `hint`. */
export class DetailedError<Code extends string> extends Error {
  /** What it is about. */
  readonly code: Code
  /** One line: what was found and what was expected. */
  readonly detail: string
  /** Where in the input: `tools[3].parameters`. */
  readonly path: string | undefined
  /** What to do about it. */
  readonly hint: string | undefined

  /** Makes one of its parts. */
  constructor({ code, detail, path, hint, cause }: ErrorFields<Code>) {
    super((path ? `${path}: ` : '') + detail + (hint ? ` (${hint})` : ''), cause === undefined ? undefined : { cause })
    this.code = code
    this.detail = detail
    this.path = path
    this.hint = hint
  }
}

/** What the host did wrong. What a model, a provider or a tool does wrong is an event. */
export class SluiceError extends DetailedError<ErrorCode> {
  /** @internal */
  readonly [BRAND] = true
  override readonly name = 'SluiceError'
  /** The build of the engine that ran; undefined where none was loaded yet. */
  readonly backend: BackendName | undefined = runningBackend()

  /** Like `instanceof`, also for an error of the package's other build (ES module, CommonJS). */
  static is(error: unknown): error is SluiceError {
    return typeof error === 'object' && error !== null && BRAND in error
  }

  /** @internal From the JSON of SLUICE_GET_ERROR and sluice_engine_error. */
  static fromNative(text: string): SluiceError {
    const { name, message, path } = JSON.parse(text) as { name: ErrorCode; message: string; path?: string }
    return new SluiceError({ code: name, detail: message, path: path || undefined })
  }

  /** @internal From a configuration that JavaScript wrote: what is wrong in it is an option. */
  static ofOptions(text: string): SluiceError {
    const { code, detail, path } = SluiceError.fromNative(text)
    // "unknown member; did you mean depth?"
    const [, said = detail, hint] = /^(.*); (did you mean [^;]*\?)$/s.exec(detail) ?? []
    const own = code === 'json' || code === 'argument'
    return new SluiceError(own ? { code: 'option', detail: said, path, hint } : { code, detail, path })
  }
}

/** What an unknown thrown value says, with the reason that `fetch` hides in `cause`. */
export function messageOf(error: unknown): string {
  try {
    return textOf(error)
  } catch {
    return 'something was thrown that cannot be read'
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error))
    return typeof error === 'object' && error !== null && !('toString' in error)
      ? Object.prototype.toString.call(error)
      : String(error)
  const cause = error.cause
  if (!(cause instanceof Error)) return String(error.message || error.name)
  // AggregateError (one connection attempt per address) has an empty message.
  const inner = cause.message || (cause as { code?: string }).code || cause.name
  return `${error.message}: ${inner}`
}
