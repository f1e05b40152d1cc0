import { onAbort } from '../core/on-abort.js'
import { shownUrl } from '../core/transport.js'
import { AnswerFault } from './errors.js'
import type { TextToolCallOptions } from './options.js'

/** A `fetch` that waits so long for a response. Throws AnswerFault where none came. */
export function patient({ fetch: send, firstByteTimeoutMs: most = 300_000 }: TextToolCallOptions): typeof fetch {
  return async (input, init) => {
    const gone = new AbortController()
    if (init?.signal) onAbort(init.signal, () => gone.abort(init.signal?.reason))
    const late = new AnswerFault('first_byte_timeout', `${shownUrl(String(input))} sent nothing for ${most} ms`)
    const timer = most > 0 ? setTimeout(() => gone.abort(late), most) : undefined
    try {
      return await (send ?? fetch)(input, { ...init, signal: gone.signal })
    } finally {
      clearTimeout(timer)
    }
  }
}
