// The windows of a page: each is one stream of server-sent events, and what is called in its name.
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { HostConnection, Host, WindowRights } from '../host/host-types.js'
import { HttpRefusal } from './http-refusal.js'

/** A window that does not read gets this much; then it is gone, and may come back as a new one. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
/** Behind this much that was not read yet, frames wait. */
const MAX_AHEAD_BYTES = 256 * 1024
const MAX_WINDOWS = 64
/** Between signs of life: a proxy or a laptop that sleeps would not be noticed otherwise. */
const ALIVE_MS = 15_000

export class Windows {
  readonly #host: Host
  readonly #rights: WindowRights
  readonly #open = new Map<string, { connection: HostConnection; end: () => void }>()

  constructor(host: Host, rights: WindowRights) {
    this.#host = host
    this.#rights = rights
  }

  /** Opens a window. Only the page gets its id, and the id is enough to call in its name. */
  open(response: ServerResponse): void {
    if (this.#open.size >= MAX_WINDOWS) throw new HttpRefusal(503, `there are ${MAX_WINDOWS} windows already`)
    const id = randomUUID()
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
    const send = (event: string, data: unknown): void =>
      write(response, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    const alive = setInterval(() => write(response, ':\n\n'), ALIVE_MS)
    response.on('close', () => {
      clearInterval(alive)
      this.#open.get(id)?.connection.close()
      this.#open.delete(id)
    })
    send('hello', { window: id })
    const connection = this.#host.connect({
      id,
      rights: this.#rights,
      frame: (frame) => send('frame', frame),
      pet: (order) => send('pet', order),
      busy: () => response.writableLength > MAX_AHEAD_BYTES,
    })
    this.#open.set(id, { connection, end: () => response.destroy() })
  }

  /** `{ window, method, input }`; the host looks at the last two. */
  async call(input: unknown): Promise<unknown> {
    const {
      window: id,
      method,
      input: given,
    } = (typeof input === 'object' && input !== null ? input : {}) as { [name: string]: unknown }
    if (typeof id !== 'string') throw new HttpRefusal(400, 'window: expected the id that came with the events')
    const open = this.#open.get(id)
    if (!open) throw new HttpRefusal(410, 'this window is gone: it is to connect again')
    return await open.connection.call(method, given)
  }

  close(): void {
    for (const { end } of this.#open.values()) end()
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.destroyed) return
  if (response.writableLength > MAX_BUFFERED_BYTES) response.destroy()
  else response.write(text)
}
