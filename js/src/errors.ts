export type ErrorCode =
  | 'argument' | 'state' | 'not_found' | 'json' | 'limit' | 'unsupported' | 'memory' | 'internal' // of sluice.h
  | 'load' // the addon could not be loaded
  | 'option' // an option of this package is wrong
  | 'closed' // the handle was closed

export interface ErrorFields {
  code: ErrorCode
  detail: string
  path?: string
  hint?: string
  cause?: unknown
}

/** What the host did wrong. What a model, a provider or a tool does wrong is an event. */
export class SluiceError extends Error {
  override readonly name = 'SluiceError'
  readonly code: ErrorCode
  /** One line: what was found and what was expected. */
  readonly detail: string
  /** Where in the configuration: `tools[3].parameters`. */
  readonly path: string | undefined
  /** What to do about it. */
  readonly hint: string | undefined

  constructor({ code, detail, path, hint, cause }: ErrorFields) {
    super((path ? `${path}: ` : '') + detail + (hint ? ` (${hint})` : ''), cause === undefined ? undefined : { cause })
    this.code = code
    this.detail = detail
    this.path = path
    this.hint = hint
  }

  /** From the JSON of SLUICE_GET_ERROR and sluice_engine_error. */
  static fromNative(text: string): SluiceError {
    const { name, message, path } = JSON.parse(text) as { name: ErrorCode; message: string; path?: string }
    return new SluiceError({ code: name, detail: message, path: path || undefined })
  }
}

/** What an unknown thrown value says, with the reason that `fetch` hides in `cause`. */
export function describe(error: unknown): string {
  try {
    return textOf(error)
  } catch {
    return 'something was thrown that cannot be read'
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null && !('toString' in error) ? Object.prototype.toString.call(error) : String(error)
  const cause = error.cause
  if (!(cause instanceof Error)) return error.message || error.name
  // AggregateError (one connection attempt per address) has an empty message.
  const inner = cause.message || (cause as { code?: string }).code || cause.name
  return `${error.message}: ${inner}`
}
