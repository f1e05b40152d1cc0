// One page of one window: what it is connected to, until it is gone or the window shows another one.
import type { Connection, Host, Rights } from '../host/types.js'
import { originOf } from './allow.js'
import type { FrameLike, WebContentsLike } from './types.js'

let count = 0

export class Page {
  readonly origin: string
  rights: Rights
  readonly #sender: WebContentsLike
  readonly #frame: FrameLike
  readonly #connection: Connection
  readonly #onClose: () => void
  #closed = false

  constructor(host: Host, sender: WebContentsLike, frame: FrameLike, origin: string, rights: Rights, onClose: () => void) {
    this.#sender = sender
    this.#frame = frame
    this.origin = origin
    this.rights = rights
    this.#onClose = onClose
    const page = this
    this.#connection = host.connect({
      id: `${sender.id}.${++count}`,
      get rights() { return page.rights },
      frame: (frame) => this.#send('sluice:frame', frame),
      pet: (order) => this.#send('sluice:pet', order),
    })
    sender.on('did-navigate', this.close) // another page, or this one anew; not a step within the page
    sender.on('destroyed', this.close)
    sender.on('render-process-gone', this.close)
  }

  call(method: unknown, input: unknown): Promise<unknown> {
    return this.#connection.call(method, input)
  }

  readonly close = (): void => {
    if (this.#closed) return
    this.#closed = true
    this.#connection.close()
    this.#onClose()
    try {
      for (const event of ['did-navigate', 'destroyed', 'render-process-gone']) this.#sender.removeListener(event as 'destroyed', this.close)
    } catch {
      // of a window that is destroyed
    }
  }

  /** Never to a page of another origin, and never an exception. */
  #send(channel: string, data: unknown): void {
    if (this.#closed) return
    try {
      const sender = this.#sender
      if (!sender.isDestroyed() && originOf(sender.mainFrame ?? this.#frame) === this.origin) return sender.send(channel, data)
    } catch {
      // destroyed in this moment
    }
    this.close()
  }
}
