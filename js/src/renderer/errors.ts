import type { BridgeError } from '../bridge/messages.js'

/** What a call to the main process ended with, where it did not do what it should. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /**
   * `forbidden`, `argument`, `limit`, `not_found`, `state`, … from the main process; `bridge`: it was not reached; `connection`: it was lost in
   * mid-message; `closed`: by `close()`.
   */
  readonly code: string
  /** One line: what was found and what was expected. */
  readonly detail: string
  /** Where in the input. */
  readonly path: string | undefined
  /** What to do about it. */
  readonly hint: string | undefined

  constructor({ code, detail, path, hint }: BridgeError, cause?: unknown) {
    super((path ? `${path}: ` : '') + detail + (hint ? ` (${hint})` : ''), cause === undefined ? undefined : { cause })
    this.code = code
    this.detail = detail
    this.path = path
    this.hint = hint
  }
}

export const closed = (): ClientError => new ClientError({ code: 'closed', detail: 'the client was closed' })

export const lost = (): ClientError => new ClientError({
  code: 'connection', detail: 'the connection to the host was lost before the message was at its end', hint: 'it goes on here when the connection is back',
})
