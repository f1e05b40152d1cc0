// A server that listens, or why it cannot.
import type { Server } from 'node:http'
import { messageOf, SluiceError } from './errors.js'

/** Where a server listens. */
export interface Place {
  host: string
  /** 0: any that is free. */
  port: number
}

/**
 * Resolves when the server listens. Rejects with SluiceError `option` where it cannot: `path` is the option that said
 * where, `free` how to get a port that is free.
 */
export function listen(server: Server, { host, port }: Place, path: string, free: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE'
      const detail = taken ? `another program already uses ${host}:${port}` : messageOf(cause)
      reject(new SluiceError({ code: 'option', path, detail, hint: taken ? free : undefined, cause }))
    })
    server.listen(port, host, resolve)
  })
}
