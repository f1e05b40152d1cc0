// <sluice-approval>: a question for a person. May this call run, may this result go to the model?
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { JsonObject, Level, Part } from '../events.js'
import { argumentList, argumentStyles } from './arguments.js'
import { approvalStyles } from './approval-styles.js'
import { ARM_MS, Arming } from './arming.js'
import { define, SluiceElement } from './element.js'
import { focusIsTaken } from './focus.js'
import { count, countdown, renamed } from './format.js'
import { icon, type IconName } from './icons.js'
import { imageSource } from './images.js'
import { readArguments } from './json-editor.js'
import { controls, foreign, tokens } from './theme.js'
import type { ApproveOptions, AskView, CardView, LiveMessage } from './types.js'
import { revealed, visible } from './visible.js'

/** Characters of one argument that are shown before someone asks for all. */
const SHOWN = 20_000
const SOON_MS = 10_000

const levels: { [level in Level]: IconName } = { public: 'unlocked', moderate: 'shield', sensitive: 'lock' }

type Remember = NonNullable<ApproveOptions['remember']>
const remembers: Remember[] = ['once', 'turn', 'session', 'always']

export class SluiceApproval extends SluiceElement {
  static override styles = [tokens, controls, foreign, argumentStyles, approvalStyles]
  static override properties = {
    ask: { attribute: false },
    card: { attribute: false },
    message: { attribute: false },
    description: { type: String },
    armMs: { type: Number, attribute: 'arm-ms' },
  }

  declare ask: AskView | undefined
  /** The call that is asked about. */
  declare card: CardView | undefined
  /** Takes the answer. */
  declare message: Pick<LiveMessage, 'approve' | 'release' | 'deny'> | undefined
  /** What the tool says of itself, where the question does not say it. */
  declare description: string | undefined
  declare armMs: number

  readonly #arming = new Arming(this, () => this.armMs)
  #token: string | undefined
  #clock: ReturnType<typeof setInterval> | undefined
  #deciding = false
  #note = ''
  #whole = new Set<string>()
  // -- what the person chose
  #remember: Remember = 'once'
  #exact = false
  #editing = false
  #draft: string | undefined
  #edited: JsonObject | undefined
  #problem = ''
  #giving = false
  #reason = ''

  constructor() {
    super()
    this.armMs = ARM_MS
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.requestUpdate()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#clock = void clearInterval(this.#clock)
  }

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has('ask') || this.ask?.token === this.#token) return
    this.#token = this.ask?.token // another question: nothing of the last answer counts
    this.#deciding = this.#exact = this.#editing = this.#giving = false
    this.#remember = 'once'
    this.#note = this.#problem = this.#reason = ''
    this.#draft = this.#edited = undefined
    this.#whole = new Set()
    this.#arming.watch(undefined)
  }

  override updated(changed: PropertyValues): void {
    this.style.setProperty('--_arm', `${this.armMs}ms`)
    this.#arming.watch(this.renderRoot.querySelector('.deciding') ?? undefined)
    const ticks = this.isConnected && this.ask?.expiresAt !== undefined && !this.#expired
    if (ticks) this.#clock ??= setInterval(() => this.requestUpdate(), 500)
    else this.#clock = void clearInterval(this.#clock)
    if (changed.has('ask') && this.ask && !focusIsTaken()) this.focusDeny()
  }

  /** The safe answer has the focus. */
  focusDeny(): void {
    this.renderRoot.querySelector<HTMLElement>('.deny')?.focus({ preventScroll: true })
  }

  /** The focus comes here because another question was answered: that answer's keys are not for this one. */
  present(): void {
    this.#arming.restart()
    this.focusDeny()
  }

  /** For someone who writes elsewhere, and whose next key must not answer. */
  focusQuestion(): void {
    this.renderRoot.querySelector<HTMLElement>('.question')?.focus({ preventScroll: true })
  }

  get #expired(): boolean {
    return this.ask?.expiresAt !== undefined && this.ask.expiresAt <= Date.now()
  }

  get #active(): boolean {
    return this.#arming.armed && !this.#deciding && !this.#expired && this.message !== undefined
  }

  // -- deciding -------------------------------------------------------------------------------------------------------------

  async #decide(answer: (message: Pick<LiveMessage, 'approve' | 'release' | 'deny'>, ask: AskView) => unknown): Promise<void> {
    const { message, ask } = this
    if (!this.#active || !message || !ask) return
    this.#deciding = true
    this.#note = ''
    this.requestUpdate()
    try {
      if ((await answer(message, ask)) === false && ask.token === this.#token) this.#note = this.words.faster
    } catch (error) {
      if (ask.token !== this.#token) return
      this.#deciding = false // it can be answered again, in another way
      const { path, detail, message: text } = error as { path?: string; detail?: string; message?: string }
      this.#note = this.words.refused([path, detail ?? text ?? String(error)].filter(Boolean).join(': '))
    }
    this.requestUpdate()
  }

  #approve(): void {
    if (this.ask?.stage === 'result') return void this.#decide((message, ask) => message.release(ask))
    if (this.#editing && !this.#takeDraft()) return
    const options: ApproveOptions = {}
    if (this.#remember !== 'once' && this.#remembers) options.remember = this.#remember
    if (options.remember && this.#exact) options.exact = true
    if (this.#edited) options.arguments = this.#edited
    void this.#decide((message, ask) => message.approve(ask, options))
  }

  #deny(): void {
    const reason = this.#reason.trim()
    void this.#decide((message, ask) => (reason ? message.deny(ask, reason) : message.deny(ask)))
  }

  /** A tool that is to ask always does not stop asking. */
  get #remembers(): boolean {
    return this.ask?.policy !== 'ask_always'
  }

  #key(event: KeyboardEvent): void {
    const target = event.composedPath()[0] as Element
    if (event.isComposing || target.localName === 'select') return // Escape closes its list
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation() // a dialog around would close
      if (this.#editing && target.localName === 'textarea') this.#endEdit()
      else if (this.#giving && target.localName === 'input' && (target as HTMLInputElement).type === 'text') this.#giveReason(false)
      else if (!event.repeat) this.#deny()
    } else if (event.key === 'Enter' && event.repeat) {
      event.preventDefault() // held down since before the question came
    }
  }

  // -- editing --------------------------------------------------------------------------------------------------------------

  #edit(): void {
    this.#draft ??= JSON.stringify(this.#edited ?? this.card?.arguments ?? {}, null, 2)
    this.#editing = true
    this.#focusAfterUpdate('textarea')
  }

  #changed(event: Event): void {
    this.#draft = (event.target as HTMLTextAreaElement).value
    const read = readArguments(this.#draft, this.words)
    this.#problem = 'problem' in read ? read.problem : ''
    this.requestUpdate()
  }

  /** False: it says nothing that could be run. */
  #takeDraft(): boolean {
    const read = readArguments(this.#draft ?? '', this.words)
    if ('problem' in read) {
      this.#problem = read.problem
      this.#focusAfterUpdate('textarea')
      return false
    }
    const same = JSON.stringify(read.value) === JSON.stringify(this.card?.arguments ?? {})
    this.#edited = same ? undefined : read.value
    return true
  }

  #doneEditing(): void {
    if (this.#takeDraft()) this.#endEdit()
  }

  #undoEdit(): void {
    this.#edited = undefined
    this.#endEdit()
  }

  #endEdit(): void {
    this.#editing = false
    this.#problem = ''
    this.#draft = undefined
    this.#focusAfterUpdate('.edit')
  }

  #giveReason(open: boolean): void {
    this.#giving = open
    if (!open) this.#reason = ''
    this.#focusAfterUpdate(open ? '.reason input' : '.why')
  }

  #focusAfterUpdate(selector: string): void {
    this.requestUpdate()
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }))
  }

  // -- what one sees --------------------------------------------------------------------------------------------------------

  override render(): TemplateResult | typeof nothing {
    const { ask, card, words } = this
    if (!ask) return nothing
    const release = ask.stage === 'result'
    const level: Level = Object.hasOwn(levels, ask.level) ? ask.level : 'sensitive'
    const description = ask.description ?? this.description
    const { askedName, name } = card ?? {}
    return html`<div class="question ${level} ${this.#arming.armed ? '' : 'arming'}" part="question" role="group" tabindex="-1"
      aria-labelledby="ask tool" aria-describedby="level ${description ? 'description' : ''}" @keydown=${this.#key}>
      <header part="question-header">
        <span class="ask" id="ask">${release ? words.release : words.allow}</span>
        ${this.#expiry()}
        <span class="level" id="level" part="level"><span class="hidden-text">${words.levelLabel}: </span>${icon(levels[level])}${words.level[level]}</span>
      </header>
      <div class="tool">
        <bdi id="tool" part="tool">${visible((name ?? askedName ?? '?').slice(0, 300))}</bdi>
        ${description ? html`<div class="description" id="description" part="description">${visible(description.slice(0, 2000))}</div>` : nothing}
        ${renamed(askedName, name) ? html`<p class="told">${words.askedAs('')}<bdi>${revealed(askedName!.slice(0, 300))}</bdi></p>` : nothing}
      </div>
      ${release ? this.#preview(ask) : this.#arguments()}
      ${release || !this.#remembers ? nothing : this.#options()}
      ${this.#giving ? this.#reasonField() : nothing}
      ${this.#actions(release)}
      <p class="note" role="status">${this.#note || (this.#expired ? words.expired : '')}</p>
      <span class="hidden-text" role="status">${this.#deciding || this.#note || this.#expired ? '' : this.#arming.armed ? words.armed : words.arming}</span>
    </div>`
  }

  #expiry(): TemplateResult | typeof nothing {
    const { expiresAt } = this.ask ?? {}
    if (expiresAt === undefined) return nothing
    const left = expiresAt - Date.now()
    return html`<span class="expiry ${left < SOON_MS ? 'soon' : ''}" part="expiry" role="timer" aria-live="off"
      >${left > 0 ? this.words.expiresIn(countdown(left)) : this.words.expired}</span>`
  }

  #arguments(): TemplateResult {
    const { words, card } = this
    if (this.#editing) return this.#editor()
    const options = { words, lang: this.language, limit: SHOWN, whole: this.#whole, showWhole: (name: string) => this.#showWhole(name) }
    return html`${this.#edited ? html`<p class="told">${words.edited}</p>` : nothing}${argumentList(this.#edited ?? card?.arguments ?? {}, options)}
      ${card?.reserved && Object.keys(card.reserved).length > 0 ? html`<p class="told">${words.reserved}</p>${argumentList(card.reserved, options)}` : nothing}`
  }

  #editor(): TemplateResult {
    const { words } = this
    return html`<div class="editor" part="editor">
      <label for="editor">${words.editLabel}</label>
      <textarea id="editor" spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr" .value=${this.#draft ?? ''} @input=${this.#changed}
        aria-invalid=${this.#problem ? 'true' : 'false'} aria-describedby="problem"></textarea>
      <p class="problem" id="problem" aria-live="polite">${this.#problem}</p>
    </div>`
  }

  #options(): TemplateResult {
    const { words } = this
    return html`<div class="options" part="remember">
      <label>${words.remember}
        <select class="remember" @change=${(event: Event) => this.#choose((event.target as HTMLSelectElement).value as Remember)}>
          ${remembers.map((one) => html`<option value=${one} ?selected=${one === this.#remember}>${words.rememberOptions[one]}</option>`)}
        </select>
      </label>
      ${this.#remember === 'once' ? nothing : html`<label class="exact"><input type="checkbox" .checked=${this.#exact}
        @change=${(event: Event) => (this.#exact = (event.target as HTMLInputElement).checked)}>${words.exact}</label>`}
    </div>`
  }

  #choose(remember: Remember): void {
    this.#remember = remember
    this.requestUpdate()
  }

  #reasonField(): TemplateResult {
    const { words } = this
    return html`<div class="reason" part="reason">
      <label for="reason">${words.reasonLabel} · ${words.reasonHint}</label>
      <input id="reason" class="field" type="text" maxlength="1000" autocomplete="off" .value=${this.#reason}
        @input=${(event: Event) => (this.#reason = (event.target as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && !event.isComposing && !event.repeat && this.#deny()}>
    </div>`
  }

  #preview({ preview }: AskView): TemplateResult {
    const { words } = this
    const { text = '', isError = false } = preview ?? {}
    const parts = (preview as { parts?: Part[] } | undefined)?.parts ?? []
    const cut = text.length > SHOWN && !this.#whole.has('preview')
    return html`<div class="preview" part="preview">
      <p class=${isError ? 'failed' : ''}>${isError ? words.previewError : words.preview}${text.length > 400 ? ` · ${words.characters(count(text.length, this.language))}` : ''}</p>
      <div class="value" dir="auto" tabindex=${text.length > 400 ? 0 : nothing} role="region" aria-label=${words.preview}>${visible(cut ? text.slice(0, SHOWN) : text)}</div>
      ${cut ? html`<button type="button" class="more" @click=${() => this.#showWhole('preview')}>${words.showAll(count(text.length, this.language))}</button>` : nothing}
      ${parts.map((part) => {
        if (part.type === 'text') return part.text === text ? nothing : html`<div class="value" dir="auto">${visible(part.text)}</div>`
        if ('url' in part) return html`<p class="told">${words.imageAt}: <bdi>${visible(part.url)}</bdi></p>`
        const source = imageSource(part.mediaType, part.data)
        return source ? html`<img class="picture-result" alt=${words.image} src=${source}>` : nothing
      })}
    </div>`
  }

  #showWhole(name: string): void {
    this.#whole.add(name)
    this.requestUpdate()
  }

  #actions(release: boolean): TemplateResult {
    const { words } = this
    const off = this.#active ? 'false' : 'true'
    const approve = release ? words.releaseButton : this.#edited || this.#editing ? words.approveChanged : words.approve
    return html`<div class="actions" part="actions">
      ${release ? nothing : this.#editButtons()}
      ${this.#giving ? nothing : html`<button type="button" class="button quiet why" @click=${() => this.#giveReason(true)}>${words.giveReason}</button>`}
      <span class="space"></span>
      <span class="deciding">
        <button type="button" class="button decide deny" part="deny" aria-disabled=${off} @click=${this.#deny}>${release ? words.withhold : words.deny}</button>
        <button type="button" class="button primary decide approve" part="approve" aria-disabled=${off} @click=${this.#approve}>${approve}</button>
      </span>
    </div>`
  }

  #editButtons(): TemplateResult {
    const { words } = this
    if (this.#editing) return html`<button type="button" class="button quiet edit" part="edit" @click=${this.#doneEditing}>${icon('check')}${words.editDone}</button>`
    return html`<button type="button" class="button quiet edit" part="edit" @click=${this.#edit}>${icon('pencil')}${words.edit}</button>
      ${this.#edited ? html`<button type="button" class="button quiet" @click=${this.#undoEdit}>${words.undoEdit}</button>` : nothing}`
  }
}

define('sluice-approval', SluiceApproval)
