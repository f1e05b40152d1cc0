// When what is written goes to the host: at once, behind the answer that comes, or in its place. No DOM.
import { toSend } from './attachment-chips.js'
import type { Desk, Draft } from './draft-field.js'
import { follow, type Now } from './following.js'
import type { ChatClient, SendDetail } from './chat-types.js'

/** What the composer does about it. */
interface Host {
  /** Fires an event. Returns false where the app takes it over. */
  fire(type: 'sluice-send' | 'sluice-stop', detail?: SendDetail): boolean
  /** Something else goes on than before. */
  changed(): void
  failed(error: unknown): void
}

/** Of one conversation. */
export class Sending {
  #now: Now | undefined
  #off: (() => void) | undefined
  /** Called when the answer that goes on is over; with false where nobody follows it any more. */
  #rested: ((over: boolean) => void)[] = []

  constructor(
    readonly desk: Desk,
    private readonly host: Host,
    private readonly conversation: string,
    private readonly client?: ChatClient,
  ) {}

  begin(): void {
    const offs = [
      this.desk.subscribe(() => this.host.changed()),
      ...(this.client ? [follow(this.client, this.conversation, (now) => this.#take(now))] : []),
    ]
    this.#off = () => offs.forEach((off) => off())
  }

  end(): void {
    this.#off?.()
    this.#off = this.#now = undefined
    this.#wake(false)
  }

  /** An answer goes on. */
  get busy(): boolean {
    const { doing } = this.#now ?? {}
    return doing !== undefined && doing !== 'idle' && doing !== 'offline'
  }

  get offline(): boolean {
    return this.#now?.doing === 'offline'
  }

  #take(now: Now): void {
    const before = this.#now
    this.#now = now
    if (now.doing === before?.doing && now.live === before.live) return
    this.host.changed()
    if (now.doing !== 'idle' || this.#wake(true) || now.conversation.entries.length === 0) return
    const next = this.desk.over(now.view)
    if (next) void this.send(next)
  }

  #wake(over: boolean): boolean {
    const waiting = this.#rested.splice(0)
    for (const rested of waiting) rested(over)
    return waiting.length > 0
  }

  async send(draft: Draft): Promise<void> {
    const { client, conversation, desk } = this
    const detail: SendDetail = { ...toSend(draft.text, draft.attachments), conversation }
    if (!this.host.fire('sluice-send', detail)) return desk.gone(draft)
    if (!client) return desk.back(draft)
    desk.sending = true
    try {
      const { text, parts } = detail
      await client.send({ text, conversation, ...(parts.length > 0 ? { parts } : {}) })
      desk.gone(draft)
    } catch (error) {
      desk.back(draft)
      if (this.#off) this.host.failed(error)
    } finally {
      desk.sending = false
      this.host.changed()
    }
  }

  /** Stops the answer that comes. */
  async stop(): Promise<void> {
    const { live } = this.#now ?? {}
    if (!live || !this.busy || !this.host.fire('sluice-stop')) return
    try {
      await live.cancel()
    } catch (error) {
      if (this.#off) this.host.failed(error)
    }
  }

  /** Stops the answer, and sends what is written at once, or the first that waits. */
  async instead(): Promise<void> {
    const { desk } = this
    const draft = desk.empty ? desk.next() : desk.take()
    if (!draft) return
    let rest = (_over: boolean): void => {}
    const rested = new Promise<boolean>((resolve) => (rest = resolve))
    this.#rested.push(rest)
    desk.instead = true
    await this.stop()
    const over = !this.busy || (await rested)
    desk.instead = false
    this.#rested = this.#rested.filter((one) => one !== rest)
    if (over && this.#off) await this.send(draft)
    else desk.back(draft)
  }
}
