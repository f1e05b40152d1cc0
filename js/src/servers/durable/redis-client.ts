// The two clients of Redis behind one function.
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { wrong } from '../../engine/core/options.js'

/** A client of `ioredis`, or of `redis` (node-redis 4 or later), connected. */
export type RedisClient =
  | {
      /** Of `ioredis`: sends any command. */
      call(command: string, ...args: (string | number)[]): Promise<unknown>
      /** Of `ioredis`: another connection with the same options. */
      duplicate(): unknown
    }
  | {
      /** Of `redis`: sends any command. */
      sendCommand(command: string[]): Promise<unknown>
      /** Of `redis`: another connection with the same options. */
      duplicate(): unknown
    }

/** Sends a command. */
export type Send = (command: string, ...args: (string | number)[]) => Promise<unknown>

export function senderOf(client: unknown, path = 'client'): Send {
  const given = client as { call?: unknown; sendCommand?: unknown } | null | undefined
  if (typeof given?.call === 'function') return (command, ...args) => (given as { call: Send }).call(command, ...args)
  if (typeof given?.sendCommand === 'function')
    return (command, ...args) =>
      (given as { sendCommand(all: string[]): Promise<unknown> }).sendCommand([command, ...args.map(String)])
  throw wrong(path, client, 'a client of ioredis or of redis')
}

/** A client that answers with the errors of this package. */
export function storing(send: Send, what: string): Send {
  return async (...command) => {
    try {
      return await send(...command)
    } catch (cause) {
      throw new SluiceError({
        code: 'storage',
        path: 'client',
        detail: `the Redis of ${what}: ${messageOf(cause)}`,
        cause,
      })
    }
  }
}
