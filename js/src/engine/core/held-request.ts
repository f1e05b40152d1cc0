const requests = new WeakMap<object, Request>()

/**
 * Keeps a request as long as the body of its answer. Node aborts the signal of a request only while something has the
 * request itself: a signal alone would never report that the client has gone.
 */
export function holdRequest(request: Request, { body }: Response): void {
  if (body) requests.set(body, request)
}
