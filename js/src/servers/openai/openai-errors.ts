// Errors in OpenAI's shape, so that clients show their words.
import { SluiceError } from '../../engine/core/errors.js'

/** What went wrong with an answer, as OpenAI's servers say it. */
export interface ErrorBody {
  message: string
  type: 'invalid_request_error' | 'authentication_error' | 'api_error'
  param: string | null
  code: string | null
}

/** An answer that is an error. */
export function errorResponse(
  status: number,
  { message, param = null, code = null }: { message: string; param?: string | null | undefined; code?: string | null },
  headers: Record<string, string> = {},
): Response {
  const type =
    status === 401 || status === 403 ? 'authentication_error' : status < 500 ? 'invalid_request_error' : 'api_error'
  return Response.json({ error: { message, type, param, code } satisfies ErrorBody }, { status, headers })
}

/** An answer that broke off after its headers. `code`: of js/docs/codes.md. */
export class AnswerFault extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }

  /** The last event of a stream. */
  get event(): string {
    return `data: ${JSON.stringify({ error: { message: this.message, type: 'api_error', param: null, code: this.code } satisfies ErrorBody })}\n\n`
  }
}

/** The fault of an answer that is too large, or nested too deep. */
export const unreadable = (error: RangeError): AnswerFault =>
  new AnswerFault('oversize', `the answer of the model's server cannot be read: ${error.message}`)

/** The paths of an engine's tools, as they stand in the request. */
const asRequested = (path: string): string =>
  path.replace(/^request\./, '').replace(/^(tools\[\d+\])\.(?!function\b)/, '$1.function.')

/** A request that cannot be translated. Rethrows what is no error about it. */
export function refusal(error: unknown): Response {
  if (error instanceof RangeError)
    // nested too deep
    return errorResponse(400, { message: `the request cannot be read: ${error.message}`, code: 'invalid_value' })
  if (!SluiceError.is(error)) throw error
  if (!['option', 'json', 'limit', 'unsupported'].includes(error.code))
    return errorResponse(500, { message: error.message, code: error.code })
  const param = error.path === undefined ? undefined : asRequested(error.path)
  const message = `${param === undefined ? '' : `${param}: `}${error.detail}${error.hint ? ` (${error.hint})` : ''}`
  return errorResponse(400, { message, param, code: 'invalid_value' })
}
