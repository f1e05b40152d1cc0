const codes: { [status: number]: string } = {
  403: 'forbidden',
  404: 'not_found',
  410: 'gone',
  413: 'limit',
  421: 'forbidden',
}

/** A request that is refused. Its `message` says why. */
export class HttpRefusal extends Error {
  constructor(
    /** The status of the answer: 403, 404, … */
    readonly status: number,
    detail: string,
    /** Headers of the answer. */
    readonly headers: { [name: string]: string } = {},
  ) {
    super(detail)
  }

  /** The status by its name, as in a `BridgeError`: `forbidden`, `not_found`, `gone`, `limit`, else `argument`. */
  get code(): string {
    return codes[this.status] ?? 'argument'
  }
}
