// One page of one window: what it is connected to, until it is gone or the window shows another one.
import type { HostConnection, Host, WindowRights } from '../host/host-types.js'
import type { FrameLike, WebContentsLike } from './electron-types.js'

/** A page that reads says so after every frame. Behind this many that it did not read, the next ones wait. */
const MAX_UNREAD = 8

let count = 0

export interface PageOptions {
  host: Host
  sender: WebContentsLike
  frame: FrameLike
  origin: string
  /** The rights of the page that the window shows now; null: it has none, or it is another page. */
  rightsOf: (shown: FrameLike) => WindowRights | null
  onClose: () => void
}

export class Page {
  readonly origin: string
  readonly #options: PageOptions
  readonly #connection: HostConnection
  #sent = 0
  /** Absent: it never said that it reads, so nothing is known. */
  #seen: number | undefined
  #closed = false

  constructor(options: PageOptions) {
    const { host, sender, origin } = options
    this.#options = options
    this.origin = origin
    const page = this
    this.#connection = host.connect({
      id: `${sender.id}.${++count}`,
      get rights() {
        return page.#rights ?? {}
      },
      frame: (frame) => {
        this.#sent++
        this.#send('sluice:frame', frame)
      },
      pet: (order) => this.#send('sluice:pet', order),
      busy: () => this.#gone || (this.#seen !== undefined && this.#sent - this.#seen > MAX_UNREAD),
    })
    sender.on('did-navigate', this.close) // another page, or this one anew; not a step within the page
    sender.on('destroyed', this.close)
    sender.on('render-process-gone', this.close)
  }

  /** It read a frame. */
  seen(): void {
    this.#seen = Math.min((this.#seen ?? 0) + 1, this.#sent)
  }

  call(method: unknown, input: unknown): Promise<unknown> {
    return this.#connection.call(method, input)
  }

  readonly close = (): void => {
    if (this.#closed) return
    this.#closed = true
    this.#connection.close()
    const { sender, onClose } = this.#options
    onClose()
    try {
      for (const event of ['did-navigate', 'destroyed', 'render-process-gone'])
        sender.removeListener(event as 'destroyed', this.close)
    } catch {
      // of a window that is destroyed
    }
  }

  /** Never to another page, and never an exception. */
  #send(channel: string, data: unknown): void {
    if (this.#gone) return
    try {
      this.#options.sender.send(channel, data)
    } catch {
      this.close() // destroyed in this moment
    }
  }

  /** It may nothing any more, or is not there: no frame is made for it. */
  get #gone(): boolean {
    if (!this.#closed && !this.#rights) this.close()
    return this.#closed
  }

  get #rights(): WindowRights | null {
    const { sender, frame, rightsOf } = this.#options
    try {
      return sender.isDestroyed() ? null : rightsOf(sender.mainFrame ?? frame)
    } catch {
      return null // destroyed in this moment
    }
  }
}
