const codes: { [status: number]: string } = { 403: 'forbidden', 404: 'not_found', 410: 'gone', 413: 'limit', 421: 'forbidden' }

/** A request that gets no answer but why. */
export class HttpRefusal extends Error {
  constructor(readonly status: number, detail: string, readonly headers: { [name: string]: string } = {}) {
    super(detail)
  }

  /** As in a `BridgeError`. */
  get code(): string {
    return codes[this.status] ?? 'argument'
  }
}
