/** A request that is refused: `message` is what the page's `onError` gets. */
export class Refusal extends Error {
  /** @param told the body, as JSON, in place of the message */
  constructor(
    readonly status: number,
    message: string,
    readonly body?: { readonly [member: string]: unknown },
  ) {
    super(message)
  }

  get response(): Response {
    if (this.body) return Response.json(this.body, { status: this.status, headers: { 'cache-control': 'no-store' } })
    return new Response(`${this.message}\n`, {
      status: this.status,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    })
  }
}

/** A result that is about a call which does not wait for it: another one has its number now, or it has its result. */
export const staleResult = (): Refusal => {
  const detail = 'the result is about a call that does not wait for it any more: nothing was done with it'
  return new Refusal(409, detail, { accepted: false, reason: 'stale', detail })
}

/** A request that answers nothing of the answer that waits. */
export const answersNothing = (): Refusal =>
  new Refusal(409, 'the message answers no question of this answer, and brings no result that it waits for')
