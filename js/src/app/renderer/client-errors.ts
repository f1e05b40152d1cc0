import { DetailedError } from '../../engine/core/errors.js'

/**
 * A call to the main process failed. `code`: `forbidden`, `argument`, `limit`, `not_found`, `state`, … come from the
 * main process; `bridge`: it was not reached; `connection`: the connection was lost before the message ended; `closed`:
 * `close()` was called.
 */
export class ClientError extends DetailedError<string> {
  override readonly name = 'ClientError'
}

export const closed = (): ClientError => new ClientError({ code: 'closed', detail: 'the client was closed' })

export const lost = (): ClientError =>
  new ClientError({
    code: 'connection',
    detail: 'the connection to the host was lost before the message was at its end',
    hint: 'it goes on here when the connection is back',
  })
