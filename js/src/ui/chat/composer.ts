// <sluice-composer>: a person writes, attaches and sends; while an answer comes, what is sent waits.
import { html, nothing, type TemplateResult } from 'lit'
import { define } from '../element.js'
import { icon } from '../icons.js'
import { controls, tokens } from '../theme.js'
import { attach, isLong, pasted, toSend, type Refusal } from './attachments.js'
import { composerStyles } from './composer-styles.js'
import { Desk, deskOf, MOST_QUEUED, type Draft } from './drafts.js'
import { FollowingElement } from './following-element.js'
import { follow, type Now } from './following.js'
import type { Attachment, RefusedDetail, SendDetail } from './types.js'

const MAX_BYTES = 10_000_000
const MAX_COUNT = 8

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

  declare conversation: string
  declare name: string
  declare submitKey: 'enter' | 'ctrl-enter'
  declare accept: string
  declare maxBytes: number
  declare maxCount: number

  #desk = new Desk()
  /** The desk is that of a conversation. */
  #kept = false
  #now: Now | undefined
  /** A message is on its way to the host. */
  #sending = false
  #hint = ''
  #trouble = ''
  /** Files are taken in the order in which they were given, however long each takes. */
  #attaching: Promise<void> = Promise.resolve()
  /** Called when the answer that goes on is over. */
  #rested: (() => void)[] = []
  readonly #previews = new Map<Attachment, string>()

  constructor() {
    super()
    this.conversation = 'main'
    this.name = ''
    this.submitKey = 'enter'
    this.accept = 'image/*,text/plain'
    this.maxBytes = MAX_BYTES
    this.maxCount = MAX_COUNT
  }

  /** What is written. */
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
    this.#desk.attachments = [...all]
    this.requestUpdate()
  }

  /** Texts that are sent when the answer is there. */
  get queue(): readonly string[] {
    return this.#desk.queue.map(({ text }) => text)
  }

  /** An answer goes on. */
  get busy(): boolean {
    const { doing } = this.#now ?? {}
    return doing !== undefined && doing !== 'idle' && doing !== 'offline'
  }

  get #offline(): boolean {
    return this.#now?.doing === 'offline'
  }

  // -- the conversation -----------------------------------------------------------------------------------------------------

  protected override leave(): void {
    this.#now = undefined
    for (const url of this.#previews.values()) URL.revokeObjectURL(url)
    this.#previews.clear()
  }

  protected override enter(): (() => void) | undefined {
    this.#hint = this.#trouble = ''
    const { client, conversation } = this
    if (!client) return undefined
    const desk = deskOf(client, conversation)
    if (!this.#kept) desk.back(this.#desk.take()) // written before there was a client
    this.#kept = true
    this.#desk = desk
    return follow(client, conversation, (now) => this.#take(now))
  }

  #take(now: Now): void {
    const before = this.#now
    this.#now = now
    if (now.doing === before?.doing && now.live === before.live) return
    if (now.doing === 'idle') this.#rest(now)
    if (!this.#offline && this.#hint === this.chat.offlineHint) this.#hint = ''
    this.requestUpdate()
  }

  /** No answer goes on any more. */
  #rest({ view, conversation }: Now): void {
    this.#hint = ''
    const waiting = this.#rested.splice(0)
    if (waiting.length > 0) {
      for (const rested of waiting) rested()
      return
    }
    if (conversation.entries.length === 0) return
    const next = this.#desk.over(view?.outcome === 'completed')
    if (next) void this.#send(next)
  }

  // -- sending --------------------------------------------------------------------------------------------------------------

  /** Sends what is written; while an answer comes, it waits for its end. */
  async send(): Promise<void> {
    const desk = this.#desk
    if (desk.empty || this.#sending) return
    if (this.#offline) return this.#say(this.chat.offlineHint)
    if (this.busy) {
      this.#say(desk.enqueue() ? this.chat.queuedHint(this.#who) : this.chat.queueFull(MOST_QUEUED))
      return
    }
    await this.#send(desk.take())
  }

  get #who(): string {
    return this.name || this.chat.assistant
  }

  async #send(draft: Draft): Promise<void> {
    const { client, conversation } = this
    const desk = this.#desk
    const detail: SendDetail = { ...toSend(draft.text, draft.attachments), conversation }
    this.#trouble = ''
    this.requestUpdate()
    if (!this.dispatchEvent(new CustomEvent('sluice-send', { detail, bubbles: true, composed: true, cancelable: true }))) return
    if (!client) return desk.back(draft)
    this.#sending = true
    try {
      const { text, parts } = detail
      await client.send({ text, conversation, ...(parts.length > 0 ? { parts } : {}) })
    } catch (error) {
      desk.back(draft)
      const { detail: said, message, hint } = error as { detail?: string; message?: string; hint?: string }
      if (desk === this.#desk) this.#trouble = [this.chat.failed(said ?? message ?? String(error)), hint].filter(Boolean).join(' ')
    } finally {
      this.#sending = false
      this.requestUpdate()
    }
  }

  /** Stops the answer that comes. */
  async stop(): Promise<void> {
    const { live } = this.#now ?? {}
    if (!live || !this.busy) return
    if (!this.dispatchEvent(new CustomEvent('sluice-stop', { bubbles: true, composed: true, cancelable: true }))) return
    try {
      await live.cancel()
    } catch (error) {
      this.#trouble = this.chat.failed((error as { detail?: string }).detail ?? String(error))
      this.requestUpdate()
    }
  }

  /** Stops the answer, and sends what is written at once, or the first that waits. */
  async #instead(): Promise<void> {
    const desk = this.#desk
    if (!this.busy || this.#sending) return await this.send()
    const draft = desk.empty ? desk.over(true) : desk.take() // what waits may go at once
    if (!draft) return
    const rested = new Promise<void>((resolve) => this.#rested.push(resolve))
    await this.stop()
    if (this.busy) await rested
    await this.#send(draft)
  }

  #say(hint: string): void {
    this.#hint = hint
    this.requestUpdate()
  }

  // -- keys -----------------------------------------------------------------------------------------------------------------

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return // an input method has the key; Safari ends its composition before it
    const ctrl = event.ctrlKey || event.metaKey
    if (event.key === 'Enter' && !event.shiftKey && (ctrl || this.submitKey === 'enter')) {
      event.preventDefault()
      if (event.repeat) return
      void (ctrl && this.submitKey === 'enter' ? this.#instead() : this.send())
    } else if (event.key === 'Escape' && this.busy) {
      event.preventDefault()
      void this.stop()
    } else if (event.key === 'ArrowUp' && this.#desk.empty && !this.busy && !event.repeat) {
      if (!this.dispatchEvent(new CustomEvent('edit-last', { bubbles: true, composed: true, cancelable: true }))) event.preventDefault()
    }
  }

  // -- files ----------------------------------------------------------------------------------------------------------------

  /** Adds files: pictures and text. What cannot be taken is said, and fires `sluice-refused`. */
  attach(files: Iterable<File>): Promise<void> {
    const [given, desk] = [[...files], this.#desk] // a browser empties its list, and another conversation has a desk of its own
    const done = this.#attaching.then(() => this.#attach(given, desk))
    this.#attaching = done.catch(() => {})
    return done
  }

  async #attach(files: readonly File[], desk: Desk): Promise<void> {
    this.#trouble = ''
    for (const file of files) {
      const taken = desk.attachments.length >= this.maxCount ? 'count' : await attach(file, this)
      const size = desk.attachments.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const why = typeof taken === 'string' ? taken : size + taken.bytes.length > this.maxBytes ? 'size' : desk.attachments.length >= this.maxCount ? 'count' : undefined
      if (why) this.#refuse(file, why)
      else desk.attachments = [...desk.attachments, taken as Attachment]
      this.requestUpdate()
      if (why === 'count') return
    }
  }

  #refuse(file: File, why: Refusal): void {
    const { refused, bytes } = this.chat
    const name = file.name.slice(0, 100)
    this.#trouble = why === 'count' ? refused.count(this.maxCount) : why === 'size' ? refused.size(name, bytes(this.maxBytes)) : refused[why](name)
    const detail: RefusedDetail = { file, why }
    this.dispatchEvent(new CustomEvent('sluice-refused', { detail, bubbles: true, composed: true }))
  }

  /** Takes what was pasted: files, or a text too long for the field. Returns false where it is left to the field. */
  paste(data: DataTransfer | null): boolean {
    const files = [...(data?.files ?? [])]
    const text = data?.getData('text/plain') ?? ''
    if (files.length > 0) void this.attach(files)
    else if (isLong(text) && this.#desk.attachments.length < this.maxCount) this.attachments = [...this.#desk.attachments, pasted(text)]
    else return false
    return true
  }

  readonly #onPaste = (event: ClipboardEvent): void => {
    if (this.paste(event.clipboardData)) event.preventDefault()
  }

  #remove(attachment: Attachment): void {
    const at = this.#desk.attachments.indexOf(attachment)
    const url = this.#previews.get(attachment)
    if (url) URL.revokeObjectURL(url)
    this.#previews.delete(attachment)
    this.attachments = this.#desk.attachments.filter((one) => one !== attachment)
    void this.updateComplete.then(() => {
      const buttons = this.renderRoot.querySelectorAll<HTMLElement>('.chips .away')
      ;(buttons[Math.min(at, buttons.length - 1)] ?? this.#field)?.focus()
    })
  }

  #unqueue(draft: Draft): void {
    this.#desk.queue = this.#desk.queue.filter((one) => one !== draft)
    this.#desk.back(draft) // nothing that was written is lost
    this.requestUpdate()
    this.focus()
  }

  get #field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea')
  }

  /** Puts the focus on the field. */
  override focus(options?: FocusOptions): void {
    if (this.#field) this.#field.focus(options)
    else void this.updateComplete.then(() => this.#field?.focus(options))
  }

  // -- drawing --------------------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { chat, busy } = this
    const desk = this.#desk
    const sends = !desk.empty && !this.#offline
    return html`${this.#trouble ? html`<p class="trouble" part="trouble" role="alert">${this.#trouble}</p>` : nothing}
      ${this.#queue()}${this.#chips()}
      <div class="row" part="row">
        <slot name="start"></slot>
        <button type="button" class="round quiet" part="attach" title=${chat.attach} aria-label=${chat.attach} @click=${() => this.#pick()}>${icon('attach')}</button>
        <input type="file" multiple hidden accept=${this.accept.includes('text/plain') ? nothing : this.accept} @change=${this.#onPick}>
        <textarea part="field" rows="1" autocomplete="off" dir="auto" aria-label=${chat.message} placeholder=${chat.placeholder(this.name)} .value=${desk.text}
          @input=${this.#onInput} @keydown=${this.#onKey} @paste=${this.#onPaste}></textarea>
        <slot name="end"></slot>
        ${busy ? html`<button type="button" class="round stop" part="stop" title=${chat.stop} aria-label=${chat.stop} @click=${this.#onStop}>${icon('stop')}</button>` : nothing}
        ${busy && desk.empty ? nothing : html`<button type="button" class="round send" part="send" title=${chat.send} aria-label=${chat.send} ?disabled=${!sends}
          @click=${this.#onSend}>${icon('send')}</button>`}
      </div>
      <p class="hint" part="hint" role="status" ?hidden=${this.#hint === ''}>${this.#hint}</p>`
  }

  #queue(): TemplateResult | typeof nothing {
    const { chat } = this
    const { queue } = this.#desk
    if (queue.length === 0) return nothing
    return html`<ul class="chips" part="queue" aria-label=${chat.queued}>${queue.map((draft) => {
      const name = (draft.text.trim() || chat.attached).slice(0, 60)
      return html`<li class="chip" part="chip">${icon('clock')}<bdi class="name">${name}</bdi>${this.#away(name, () => this.#unqueue(draft))}</li>`
    })}</ul>`
  }

  #chips(): TemplateResult | typeof nothing {
    const { chat } = this
    const { attachments } = this.#desk
    if (attachments.length === 0) return nothing
    return html`<ul class="chips" aria-label=${chat.attached}>${attachments.map((one) => {
      const size = chat.bytes(one.bytes.length)
      const name = one.name || (one.mediaType === 'text/plain' ? chat.pasted(size) : chat.picture)
      const picture = one.mediaType.startsWith('image/')
      return html`<li class=${picture ? 'picture' : 'chip'} part="chip">
        ${picture ? html`<img alt=${name} title=${name} src=${this.#preview(one)}>` : html`${icon('file')}<bdi class="name">${one.name ? `${name.slice(0, 60)} · ${size}` : name}</bdi>`}
        ${this.#away(name.slice(0, 60), () => this.#remove(one))}</li>`
    })}</ul>`
  }

  #away(name: string, act: () => void): TemplateResult {
    const label = this.chat.remove(name)
    return html`<button type="button" class="away" title=${label} aria-label=${label} @click=${act}>${icon('cross')}</button>`
  }

  #preview(attachment: Attachment): string {
    if (attachment.preview) return attachment.preview
    const known = this.#previews.get(attachment) ?? URL.createObjectURL(new Blob([attachment.bytes as BlobPart], { type: attachment.mediaType }))
    this.#previews.set(attachment, known)
    return known
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
