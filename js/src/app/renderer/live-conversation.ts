import type { ConversationView, EntryView, Picture } from '../bridge/messages.js'
import { bytesOf } from './attachment.js'
import type { Call } from './call.js'
import { ClientError } from './client-errors.js'
import { Listeners } from './listeners.js'

/** The entries of a conversation. Its messages are live objects of their own. */
export class LiveConversation {
  /** As the app named it. */
  readonly id: string
  readonly #call: Call
  readonly #listeners = new Listeners()
  #view: ConversationView
  #opened: Promise<ConversationView> | undefined
  /** The host could not open it. Whoever asks anew has it tried again; a page that draws does not. */
  #failed = false
  /** Counts what arrived: a frame that came while the conversation was being opened is newer than the answer. */
  #arrivals = 0

  /** @internal */
  constructor(id: string, call: Call) {
    this.id = id
    this.#call = call
    this.#view = { id, forgotten: 0, entries: [] }
  }

  /** Called when the conversation changed. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const remove = this.#listeners.add(listener)
    void this.opened
    return remove
  }

  /** The conversation as it stands: another object whenever it changed. */
  readonly getSnapshot = (): ConversationView => {
    this.#open()
    return this.#view
  }

  /** The conversation as it was when it was opened; rejects where it cannot be. Asked for again, it is tried again. */
  get opened(): Promise<ConversationView> {
    if (this.#failed) this.leave()
    return this.#open()
  }

  /**
   * Up to `limit` (100) entries in front of one, of a conversation that is longer than what is shown. None: it is the
   * first that is kept.
   */
  earlier(entry: string, limit?: number): Promise<EntryView[]> {
    return this.#call('earlier', { entry, ...(limit === undefined ? {} : { limit }) })
  }

  /** The bytes of a picture of an entry. Rejects where there are none any more. */
  async picture(part: { type: 'image'; url: string } | Picture): Promise<Picture> {
    return 'data' in part ? part : await this.#call('picture', { conversation: this.id, url: part.url })
  }

  /**
   * The bytes of a file or a picture that a person attached to an entry. Rejects with ClientError `not_found` where
   * there are none any more. Needs the right `read`.
   */
  async file(part: { url: string }): Promise<Uint8Array> {
    return bytesOf(await this.#call('file', { conversation: this.id, url: part.url }))
  }

  /** @internal */
  receive(view: ConversationView): void {
    this.#arrivals++
    this.#view = view
    this.#listeners.tell()
  }

  /** @internal The host tells nothing of it any more: whoever looks next opens it again. */
  leave(): void {
    this.#opened = undefined
    this.#failed = false
  }

  /** @internal */
  close(): void {
    this.#listeners.clear()
  }

  #open(): Promise<ConversationView> {
    if (this.#opened) return this.#opened
    const arrivals = this.#arrivals
    const opened = this.#call('open', { conversation: this.id }).then((view) => {
      if (this.#opened === opened && this.#arrivals === arrivals) this.receive(view)
      return this.#view
    })
    // Without a connection there is nothing to show; the next one that looks tries again.
    opened.catch((error: unknown) => {
      if (this.#opened !== opened) return
      if (error instanceof ClientError && error.code === 'bridge') this.#opened = undefined
      else this.#failed = true
    })
    return (this.#opened = opened)
  }
}
