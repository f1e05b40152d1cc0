// What goes wrong with a request, as the AI SDK knows errors: it tries again what may pass, and
// `APICallError.isInstance` finds it. Nothing of the package is imported.
const ofSdk: unique symbol = Symbol.for('vercel.ai.error')
const ofCall: unique symbol = Symbol.for('vercel.ai.error.AI_APICallError')

export class ModelCallError extends Error {
  readonly [ofSdk] = true
  readonly [ofCall] = true
  override readonly name = 'AI_APICallError'
  readonly url: string
  readonly requestBodyValues: unknown
  readonly statusCode: number | undefined
  readonly responseHeaders: Record<string, string> | undefined
  readonly responseBody: string | undefined
  readonly isRetryable: boolean
  /** Of js/docs/codes.md. */
  readonly code: string

  constructor({
    message,
    code,
    url,
    body,
    status,
    headers,
    responseBody,
    isRetryable,
    cause,
  }: {
    message: string
    code: string
    url: string
    body: string
    status?: number
    headers?: Record<string, string>
    responseBody?: string
    isRetryable: boolean
    cause?: unknown
  }) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.url = url
    this.requestBodyValues = JSON.parse(body)
    this.statusCode = status
    this.responseHeaders = headers
    this.responseBody = responseBody
    this.isRetryable = isRetryable
  }
}
