// <sluice-composer>: a person writes, attaches and sends; while an answer comes, what is sent waits.
import { html, nothing, type TemplateResult } from 'lit'
import { isAllowed } from '../../../app/bridge/file-type.js'
import { define } from '../shared/base-element.js'
import { faultText } from '../shared/fault.js'
import { icon } from '../shared/icons.js'
import { controls, tokens } from '../shared/theme.js'
import { typeOf, type Refusal } from './attachment-chips.js'
import { AttachmentChips, queueChips } from './chips.js'
import { composerStyles } from './composer-styles.js'
import { Desk, deskOf, MOST_QUEUED } from './draft-field.js'
import { FollowingElement } from './following-element.js'
import { Sending } from './sending.js'
import { TakenFiles, type Limits } from './taken-files.js'
import type { Attachment, AttachmentLimits, ChatClient, RefusedDetail } from './chat-types.js'

/** What a host takes that does not say it. */
const PLAIN: AttachmentLimits = {
  types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  maxBytes: 10_000_000,
  maxParts: 8,
}

export class SluiceComposer extends FollowingElement {
  static override styles = [tokens, controls, composerStyles]
  static override properties = {
    conversation: { type: String },
    name: { type: String },
    submitKey: { type: String, attribute: 'submit-key' },
    accept: { type: String },
    maxBytes: { type: Number, attribute: 'max-bytes' },
    maxCount: { type: Number, attribute: 'max-count' },
  }

  protected static override readonly given = ['value', 'attachments']

  declare conversation: string
  declare name: string
  declare submitKey: 'enter' | 'ctrl-enter'
  declare accept: string
  declare maxBytes: number
  declare maxCount: number

  #sending: Sending
  /** Its desk is that of a conversation. */
  #kept = false
  #hint = ''
  #trouble = ''
  readonly #files = new TakenFiles(
    () => this.#limitsNow(),
    (file, why) => this.#refuse(file, why),
  )
  /** What the host takes, as far as it is known, and when it is. */
  #host = PLAIN
  #asked: Promise<void> | undefined
  readonly #chips = new AttachmentChips()

  constructor() {
    super()
    this.conversation = 'main'
    this.name = ''
    this.submitKey = 'enter'
    this.accept = ''
    this.maxBytes = this.maxCount = 0
    this.#sending = this.#sendingOf(new Desk())
  }

  get #desk(): Desk {
    return this.#sending.desk
  }

  get value(): string {
    return this.#desk.text
  }

  set value(text: string) {
    this.#desk.text = text
    this.requestUpdate()
  }

  get attachments(): readonly Attachment[] {
    return this.#desk.attachments
  }

  set attachments(all: readonly Attachment[]) {
    this.#desk.attachments = all
    this.requestUpdate()
  }

  /** Texts that are sent when the answer is there. */
  get queue(): readonly string[] {
    return this.#desk.queue.map(({ text }) => text)
  }

  /** An answer goes on. */
  get busy(): boolean {
    return this.#sending.busy
  }

  // -- the conversation -----------------------------------------------------------------------------------------------

  protected override leave(): void {
    this.#sending.end()
    this.#chips.clear()
  }

  protected override enter(): (() => void) | undefined {
    this.#hint = this.#trouble = ''
    const { client, conversation } = this
    const before = this.#desk
    const desk = client ? deskOf(client, conversation) : before
    if (client && !this.#kept) desk.back(before.take()) // written before there was a client
    this.#kept ||= client !== undefined
    this.#askHost(client)
    this.#sending = this.#sendingOf(desk)
    this.#sending.begin()
    return client?.onDropped?.((files) => void this.attach(files))
  }

  #askHost(client: ChatClient | undefined): void {
    this.#host = PLAIN
    const asked = (this.#asked = client?.attachments?.().then(
      (limits) => {
        if (this.#asked !== asked) return // of another client
        this.#host = limits
        this.requestUpdate()
      },
      () => {}, // one that may not send, or says it when it is sent
    ))
  }

  /** The app may take less than the host. A text goes behind the words, whatever the host takes. */
  get #limits(): Limits {
    const { types, maxBytes, maxParts } = this.#host
    return {
      accept:
        this.accept || [...types, ...(isAllowed('image/webp', types) ? ['image/avif'] : []), 'text/plain'].join(','),
      types,
      maxBytes: Math.min(this.maxBytes || maxBytes, maxBytes),
      maxCount: Math.min(this.maxCount || maxParts, maxParts),
    }
  }

  async #limitsNow(): Promise<Limits> {
    await this.#asked
    return this.#limits
  }

  #sendingOf(desk: Desk): Sending {
    const { client, conversation } = this
    return new Sending(
      desk,
      {
        fire: (type, detail) => {
          if (type === 'sluice-send') this.#trouble = ''
          return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: true }))
        },
        changed: () => {
          const { busy, offline } = this.#sending
          if (!offline && (!busy || this.#hint === this.chat.offlineHint)) this.#hint = ''
          this.requestUpdate()
        },
        failed: (error) => {
          this.#trouble = faultText(error, this.chat.failed)
          this.requestUpdate()
        },
      },
      conversation,
      client,
    )
  }

  // -- sending --------------------------------------------------------------------------------------------------------

  /** Sends what is written; while an answer comes, it waits for its end. */
  async send(): Promise<void> {
    await this.#drawn()
    const desk = this.#desk
    if (desk.empty || desk.sending) return
    if (this.#sending.offline) return this.#say(this.chat.offlineHint)
    if (!this.busy) return this.#sending.send(desk.take())
    this.#say(
      desk.enqueue() ? this.chat.queuedHint(this.name || this.chat.assistant) : this.chat.queueFull(MOST_QUEUED),
    )
  }

  /** Stops the answer that comes. */
  async stop(): Promise<void> {
    await this.#drawn()
    await this.#sending.stop()
  }

  /** A client or a conversation that was set a moment ago counts. */
  async #drawn(): Promise<void> {
    if (this.isConnected && this.isUpdatePending) await this.updateComplete
  }

  #instead(): Promise<void> {
    const { sending, instead } = this.#desk
    return this.busy && !sending && !instead ? this.#sending.instead() : this.send()
  }

  #say(hint: string): void {
    this.#hint = hint
    this.requestUpdate()
  }

  // -- keys -----------------------------------------------------------------------------------------------------------

  readonly #onKey = (event: KeyboardEvent): void => {
    // an input method has the key; Safari ends its composition before it
    if (event.isComposing || event.keyCode === 229) return
    const ctrl = event.ctrlKey || event.metaKey
    if (event.key === 'Enter' && !event.shiftKey && (ctrl || this.submitKey === 'enter')) {
      event.preventDefault()
      if (event.repeat) return
      void (ctrl && this.submitKey === 'enter' ? this.#instead() : this.send())
    } else if (event.key === 'Escape' && this.busy) {
      event.preventDefault()
      void this.stop()
    } else if (event.key === 'ArrowUp' && this.#desk.empty && !this.busy && !event.repeat) {
      if (!this.dispatchEvent(new CustomEvent('edit-last', { bubbles: true, composed: true, cancelable: true })))
        event.preventDefault()
    }
  }

  // -- files ----------------------------------------------------------------------------------------------------------

  /** Adds files: pictures, text, and what the host takes. What cannot be taken is said, and fires `sluice-refused`. */
  attach(files: Iterable<File>): Promise<void> {
    this.#trouble = ''
    return this.#files.take(files, this.#desk)
  }

  #refuse(file: File, why: Refusal): void {
    const { refused, bytes } = this.chat
    const { accept, maxBytes, maxCount } = this.#limits
    const name = file.name.slice(0, 100)
    this.#trouble =
      why === 'count'
        ? refused.count(maxCount)
        : why === 'size'
          ? refused.size(name, bytes(maxBytes), bytes(file.size))
          : why === 'type'
            ? refused.type(name, typeOf(file), accept.split(','))
            : refused.unreadable(name)
    this.requestUpdate()
    const detail: RefusedDetail = { file, why }
    this.dispatchEvent(new CustomEvent('sluice-refused', { detail, bubbles: true, composed: true }))
  }

  /** Takes what was pasted: files, or a text too long for the field. Returns false where it is left to the field. */
  paste(data: DataTransfer | null): boolean {
    return this.#files.paste(data, this.#desk, this.#limits.maxCount) !== false
  }

  readonly #onPaste = (event: ClipboardEvent): void => {
    if (this.paste(event.clipboardData)) event.preventDefault()
  }

  #remove(attachment: Attachment): void {
    const at = this.#desk.attachments.indexOf(attachment)
    this.attachments = this.#desk.attachments.filter((one) => one !== attachment)
    void this.updateComplete.then(() => {
      const buttons = this.renderRoot.querySelectorAll<HTMLElement>('.chips .away')
      ;(buttons[Math.min(at, buttons.length - 1)] ?? this.#field)?.focus()
    })
  }

  get #field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea')
  }

  /** Puts the focus on the field. */
  override focus(options?: FocusOptions): void {
    if (this.#field) this.#field.focus(options)
    else void this.updateComplete.then(() => this.#field?.focus(options))
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { chat, busy } = this
    const desk = this.#desk
    const sends = !desk.empty && !this.#sending.offline
    const { accept } = this.#limits
    return html`${this.#trouble ? html`<p class="trouble" part="trouble" role="alert">${this.#trouble}</p>` : nothing}
      ${queueChips(desk.queue, chat, (draft) => {
        desk.unqueue(draft)
        this.focus()
      })}${this.#chips.draw(desk.attachments, chat, (one) => this.#remove(one))}
      <div class="row" part="row">
        <slot name="start"></slot>
        <button type="button" class="round quiet" part="attach" title=${chat.attach} aria-label=${chat.attach} @click=${() => this.#pick()}>${icon('attach')}</button>
        <input type="file" multiple hidden accept=${accept.includes('text/plain') ? nothing : accept} @change=${this.#onPick}>
        <textarea part="field" rows="1" autocomplete="off" dir="auto" aria-label=${chat.message} placeholder=${chat.placeholder(this.name)} .value=${desk.text}
          @input=${this.#onInput} @keydown=${this.#onKey} @paste=${this.#onPaste}></textarea>
        <slot name="end"></slot>
        ${busy ? html`<button type="button" class="round stop" part="stop" title=${chat.stop} aria-label=${chat.stop} @click=${this.#onStop}>${icon('stop')}</button>` : nothing}
        ${
          busy && desk.empty
            ? nothing
            : html`<button type="button" class="round send" part="send" title=${chat.send} aria-label=${chat.send} ?disabled=${!sends}
          @click=${this.#onSend}>${icon('send')}</button>`
        }
      </div>
      <p class="hint" part="hint" role="status" ?hidden=${this.#hint === ''}>${this.#hint}</p>`
  }

  #pick(): void {
    this.renderRoot.querySelector<HTMLInputElement>('input[type=file]')?.click()
  }

  readonly #onPick = ({ target }: Event): void => {
    const input = target as HTMLInputElement
    void this.attach([...(input.files ?? [])])
    input.value = '' // the same file may be chosen again
    this.focus()
  }

  readonly #onInput = ({ target }: Event): void => {
    this.#desk.text = (target as HTMLTextAreaElement).value
    this.requestUpdate()
  }

  readonly #onStop = (): void => {
    void this.stop()
    this.focus()
  }

  readonly #onSend = (): void => {
    void this.send()
    this.focus()
  }
}

define('sluice-composer', SluiceComposer)
