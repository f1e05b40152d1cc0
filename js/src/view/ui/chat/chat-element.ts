// <sluice-chat>: a conversation with everything around it: who answers, what one can begin with, whether the host is
// there, and the field.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { Doing } from '../../../app/bridge/doing.js'
import { define } from '../shared/base-element.js'
import { exported } from '../shared/parts.js'
import '../questions/questions-element.js'
import { controls, tokens } from '../shared/theme.js'
import type { ApprovalsMode, CuesMode } from '../ui-types.js'
import { chatStyles } from './chat-styles.js'
import './composer.js'
import type { SluiceComposer } from './composer.js'
import { FollowingElement } from './following-element.js'
import { follow, type Now } from './following.js'
import './thread.js'
import type { SluiceThread } from './thread.js'
import type {
  AnnounceMode,
  Attachment,
  ChatSpeaker,
  LoadImage,
  RenderText,
  Suggestion,
  UsageMode,
} from './chat-types.js'
import { Voices } from './voice-button.js'

/** A host that is away so long may have begun anew, at another address. */
const LONG_GONE_MS = 60_000

export class SluiceChat extends FollowingElement {
  static override styles = [tokens, controls, chatStyles]
  static override properties = {
    conversation: { type: String },
    name: { type: String },
    avatar: { type: String },
    suggestions: { attribute: false },
    usage: { type: String },
    cues: { type: String },
    approvals: { type: String, reflect: true },
    calls: { type: String },
    announce: { type: String },
    submitKey: { type: String, attribute: 'submit-key' },
    renderText: { attribute: false },
    loadImage: { attribute: false },
    voice: { attribute: false },
    state: { type: String, reflect: true },
    dropping: { state: true },
  }

  protected static override readonly given = ['value']

  declare conversation: string
  declare name: string
  declare avatar: string
  declare suggestions: readonly Suggestion[]
  declare usage: UsageMode
  declare cues: CuesMode
  declare approvals: ApprovalsMode
  declare calls: 'each' | 'folded'
  declare announce: AnnounceMode
  declare submitKey: 'enter' | 'ctrl-enter'
  declare renderText: RenderText | undefined
  declare loadImage: LoadImage | undefined
  declare voice: ChatSpeaker | undefined
  declare state: Doing
  declare dropping: boolean

  readonly #voices = new Voices(() => {})
  #now: Now | undefined
  #second: ReturnType<typeof setTimeout> | undefined
  /** It was lost since the page began: that it is back is said. */
  #wasLost = false

  constructor() {
    super()
    this.conversation = 'main'
    this.name = this.avatar = ''
    this.suggestions = []
    this.usage = 'last'
    this.cues = 'margin'
    this.approvals = 'dock'
    this.calls = 'folded'
    this.announce = 'end'
    this.submitKey = 'enter'
    this.state = 'idle'
    this.dropping = false
    this.addEventListener('dragover', this.#onDrag)
    this.addEventListener('dragleave', this.#onLeave)
    this.addEventListener('drop', this.#onDrop)
    this.addEventListener('paste', this.#onPaste)
    this.addEventListener('keydown', this.#onKey)
  }

  get #thread(): SluiceThread | null {
    return this.renderRoot.querySelector<SluiceThread>('sluice-thread')
  }

  get #composer(): SluiceComposer | null {
    return this.renderRoot.querySelector<SluiceComposer>('sluice-composer')
  }

  /** Puts the focus on the field. */
  focusComposer(): void {
    void this.updateComplete.then(() => this.#composer?.focus())
  }

  protected override focusInstead(): void {
    this.focusComposer()
  }

  /** Puts the focus on the conversation: a question that comes then may take it. */
  focusThread(): void {
    this.#thread?.focus({ preventScroll: true })
  }

  /** A voice goes on behind the end of an answer. A dialog that is open has the key first. */
  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || !this.#voices.speak) return
    if (event.composedPath().some((one) => one instanceof HTMLDialogElement)) return
    event.preventDefault()
    this.#voices.stop('Esc')
  }

  #sent(): void {
    this.#voices.stop('a message was sent') // who writes interrupts it
    this.scrollToEnd()
  }

  /** Shows the end of the conversation, and follows it. */
  scrollToEnd(): void {
    this.#thread?.scrollToEnd()
  }

  /** What is written and not sent. */
  get value(): string {
    return this.#composer?.value ?? ''
  }

  set value(text: string) {
    void this.updateComplete.then(() => {
      if (this.#composer) this.#composer.value = text
    })
  }

  get attachments(): readonly Attachment[] {
    return this.#composer?.attachments ?? []
  }

  // -- following ------------------------------------------------------------------------------------------------------

  override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (this.isConnected) this.#voices.follow(this.voice, this.client?.voice)
  }

  protected override leave(): void {
    this.#now = undefined
    this.#voices.leave()
    clearTimeout(this.#second)
  }

  protected override enter(): (() => void) | undefined {
    this.#wasLost = false
    if (!this.client) this.state = 'idle'
    return this.client && follow(this.client, this.conversation, (now) => this.#take(now))
  }

  #take(now: Now): void {
    const before = this.#now
    this.#now = now
    if (now.doing === 'offline') this.#wasLost = true
    if (now.conversation !== before?.conversation || now.doing !== before.doing || now.doing === 'offline')
      this.requestUpdate()
    this.state = now.doing
  }

  // -- what comes from elsewhere on the chat --------------------------------------------------------------------------

  readonly #onDrag = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    this.dropping = true
  }

  readonly #onLeave = ({ relatedTarget }: DragEvent): void => {
    if (!this.contains(relatedTarget as Node | null)) this.dropping = false
  }

  readonly #onDrop = (event: DragEvent): void => {
    this.dropping = false
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return
    event.preventDefault() // the browser would show the file in place of the page
    void this.#composer?.attach([...event.dataTransfer.files])
  }

  readonly #onPaste = (event: ClipboardEvent): void => {
    const writes = event.composedPath().some((one) => one instanceof Element && one.matches('textarea, input'))
    if (event.defaultPrevented || writes || !event.clipboardData?.files.length) return
    if (this.#composer?.paste(event.clipboardData)) event.preventDefault()
  }

  #begin(suggestion: Suggestion): void {
    const { text, send = true } = typeof suggestion === 'string' ? { text: suggestion } : suggestion
    const composer = this.#composer
    if (!composer) return
    composer.value = text
    composer.focus()
    if (send) void composer.send()
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { chat, state } = this
    return html`<slot name="header"><header class="head" part="header">
        ${this.avatar ? html`<img class="avatar" part="avatar" alt="" src=${this.avatar}>` : nothing}
        <div class="who"><h2>${this.name || chat.assistant}</h2><p class="state"><span class="dot" aria-hidden="true"></span>${chat.doing[state]}</p></div>
        <slot name="tools"></slot>
      </header></slot>
      ${this.#banner()}
      <sluice-thread part="thread" exportparts=${exported.thread} .client=${this.client} .conversation=${this.conversation} .name=${this.name} .usage=${this.usage} .cues=${this.cues}
        .approvals=${this.approvals} .calls=${this.calls} .announce=${this.announce} .renderText=${this.renderText} .loadImage=${this.loadImage} .voice=${this.voice}>
        <div slot="empty">${this.#welcome()}</div><slot name="actions" slot="actions"></slot><slot name="ways" slot="ways"></slot>
      </sluice-thread>
      <div class="foot" part="foot">
        <slot name="before-composer"></slot>
        ${
          this.approvals === 'dock'
            ? html`<sluice-questions class="dock" part="dock" exportparts=${exported.dock} .client=${this.client} .conversation=${this.conversation} .name=${this.name || undefined}
          @questions-over=${this.focusThread}></sluice-questions>`
            : nothing
        }
        <sluice-composer part="composer" exportparts=${exported.composer} .client=${this.client} .conversation=${this.conversation} .name=${this.name} .submitKey=${this.submitKey}
          @sluice-stop=${() => this.#voices.stop('stop')} @sluice-send=${() => this.#sent()} @edit-last=${(event: Event) => this.#thread?.editLast() && event.preventDefault()}>
          <slot name="composer-start" slot="start"></slot><slot name="composer-end" slot="end"></slot>
        </sluice-composer>
      </div>
      ${this.dropping ? html`<div class="drop" aria-hidden="true"><span>${chat.dropHere}</span></div>` : nothing}`
  }

  /** The host is gone, or cannot save: what a person must know. What a clock changes is not read out again. */
  #banner(): TemplateResult {
    const { chat, client } = this
    clearTimeout(this.#second)
    const offline = this.state === 'offline'
    const unsaved = this.#now?.conversation.unsaved
    let text = ''
    if (offline && this.isConnected) {
      this.#second = setTimeout(() => this.requestUpdate(), 1000)
      const { retryAt, since = Date.now() } = client?.connection ?? {}
      const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - Date.now()) / 1000))
      text = retryAt === undefined ? chat.offlineAnew : seconds === 0 ? chat.offlineNow : chat.offlineIn(seconds)
      if (retryAt !== undefined && Date.now() - since > LONG_GONE_MS) text += ` ${chat.offlineLong}`
    }
    return html`${offline ? html`<p class="banner" part="banner"><span>${text}</span> <button type="button" @click=${() => client?.connection.retry()}>${chat.retry}</button></p>` : nothing}
      ${unsaved === undefined ? nothing : html`<p class="banner" part="banner" role="alert">${chat.unsaved(unsaved)}</p>`}
      <p class="hidden-text link" role="status">${offline ? chat.doing.offline : this.#wasLost ? chat.online : ''}</p>`
  }

  #welcome(): TemplateResult {
    const { chat } = this
    return html`<slot name="welcome"><div class="welcome" part="welcome"><h2>${chat.welcome(this.name)}</h2><p>${chat.welcomeText}</p>
      ${
        this.suggestions.length > 0
          ? html`<ul class="suggestions" aria-label=${chat.suggestions}>${this.suggestions.map(
              (one) => html`<li>
        <button type="button" part="suggestion" @click=${() => this.#begin(one)}>${typeof one === 'string' ? one : one.title}</button></li>`,
            )}</ul>`
          : nothing
      }
    </div></slot>`
  }
}

define('sluice-chat', SluiceChat)
