import type { Bridge, Method, Methods, Reply } from '../bridge/messages.js'
import { messageOf } from '../../engine/core/errors.js'
import { ClientError } from './client-errors.js'

/** A method of the main process: its value, or a ClientError. */
export type Call = <M extends Method>(method: M, ...input: Parameters<Methods[M]>) => Promise<ReturnType<Methods[M]>>

export function caller(bridge: Bridge): Call {
  return async (method, ...[input]) => {
    let reply: Reply
    try {
      reply = await bridge.call(method, input)
    } catch (error) {
      // The bridge itself: the main process is gone, or the input cannot be copied to it.
      throw new ClientError({ code: 'bridge', path: method, detail: messageOf(error), cause: error })
    }
    if (!reply.ok) throw new ClientError(reply.error)
    return reply.value as ReturnType<Methods[typeof method]>
  }
}
