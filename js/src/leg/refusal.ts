/** A request that is refused: `message` is what the page's `onError` gets. */
export class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message)
  }

  get response(): Response {
    return new Response(`${this.message}\n`, { status: this.status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } })
  }
}
