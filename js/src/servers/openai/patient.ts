import { onAbort } from '../../engine/core/on-abort.js'
import { shownUrl, unlessLate } from '../../engine/core/transport.js'
import { AnswerFault } from './openai-errors.js'
import type { TextToolCallOptions } from './openai-options.js'

/** A `fetch` that waits so long for a response. Throws AnswerFault where none came. */
export function patient({ fetch: send, firstByteTimeoutMs: most = 300_000 }: TextToolCallOptions): typeof fetch {
  return async (input, init) => {
    const gone = new AbortController()
    const off = init?.signal ? onAbort(init.signal, () => gone.abort(init.signal?.reason)) : (): void => {}
    const late = new AnswerFault('first_byte_timeout', `${shownUrl(String(input))} sent nothing for ${most} ms`)
    const timer = most > 0 ? setTimeout(() => gone.abort(late), most) : undefined
    try {
      return watched(await unlessLate((send ?? fetch)(input, { ...init, signal: gone.signal }), gone.signal), off)
    } catch (error) {
      off()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The response; `over` is called when its body was read, broke off or is not wanted any more. */
function watched(response: Response, over: () => void): Response {
  const { body, status, statusText, headers } = response
  if (!body) {
    over()
    return response
  }
  const reader = body.getReader()
  const read = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      controller.close()
    } catch (error) {
      controller.error(error)
    }
    over()
  }
  const cancel = async (reason: unknown): Promise<void> => {
    over()
    await reader.cancel(reason)
  }
  return new Response(new ReadableStream({ pull: read, cancel }, { highWaterMark: 0 }), { status, statusText, headers })
}
