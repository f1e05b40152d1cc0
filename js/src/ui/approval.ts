// <sluice-approval>: asks a person whether a call may run, or whether its result may go to the model. The Approve button waits until the
// person has seen all of the question.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { inLanguage } from '../core/in-language.js'
import { pointerOf } from '../core/pointer.js'
import type { Text } from '../core/tool-words.js'
import { isWhole, questionLines, type Line, type Picture, type QuestionRequest } from '../bridge/question.js'
import type { JsonObject } from '../core/events.js'
import { approvalStyles } from './approval-styles.js'
import { argumentStyles } from './arguments.js'
import { ARM_MS, Arming } from './arming.js'
import { define, SluiceElement } from './element.js'
import { focusIsTaken } from './focus.js'
import { argumentForm, FormProblem, type ArgumentForm } from './form.js'
import { count, countdown } from './format.js'
import { Hold } from './hold.js'
import { icon } from './icons.js'
import { imageSource } from './images.js'
import { scrollers } from './in-view.js'
import { escapeInvisible } from './mark-invisible.js'
import { printArguments, readArguments } from './json-editor.js'
import { drawRuns, QuestionView } from './question-view.js'
import { Seen } from './seen.js'
import { controls, foreign, tokens } from './theme.js'
import type { ApproveOptions, AskView, CardView, LiveMessage } from './types.js'

const SOON_MS = 10_000
/** The smallest height of the part between head and buttons, in pixels. */
const LEAST = 48
/** The share of the window's height that a dock takes at most; with little room all of it. */
const DOCKED = 0.6
/** With less room than this, in pixels, the question is drawn more tightly. */
const LOW = 480

type Remember = NonNullable<ApproveOptions['remember']>
const remembers: Remember[] = ['once', 'turn', 'session', 'always']

export class SluiceApproval extends SluiceElement {
  static override styles = [tokens, controls, foreign, argumentStyles, approvalStyles]
  static override properties = {
    ask: { attribute: false },
    card: { attribute: false },
    message: { attribute: false },
    description: { type: String },
    compact: { type: Boolean, reflect: true },
    row: { type: Boolean, reflect: true },
    grouped: { type: Boolean, reflect: true },
    docked: { type: Boolean, reflect: true },
    name: { type: String },
    armMs: { type: Number, attribute: 'arm-ms' },
  }

  declare ask: AskView | undefined
  /** The call that the question is about. */
  declare card: CardView | undefined
  /** Takes the answer. */
  declare message: Pick<LiveMessage, 'approve' | 'release' | 'deny'> | undefined
  /** The tool's description, used if the question has none. */
  declare description: string | undefined
  /** One of many questions: drawn in a row, with less around it. */
  declare compact: boolean
  /** One of a checklist: it is ticked, and a bar below decides. */
  declare row: boolean
  /** Its tool stands above it, over several rows. */
  declare grouped: boolean
  /** It stands in a dock: with head and buttons it takes 60 % of the window's height at most. */
  declare docked: boolean
  /** Who asks. Default: the assistant. */
  declare name: string | undefined
  declare armMs: number

  // -- when it can be answered: Deny once the buttons are armed, Approve once the whole question was seen
  readonly #refusing = new Arming(this, () => this.armMs, false)
  readonly #approving = new Arming(this, () => this.armMs)
  readonly #seen = new Seen(this)
  readonly #hold = new Hold(this, () => this.#approve())
  readonly #view = new QuestionView((what) => this.#showWhole(what))
  #room: ResizeObserver | undefined
  #complete = false
  #drawnOpen = false
  #low = innerHeight < LOW
  /** Characters that nobody can see, */
  #unseen = 0
  /** and lines that are left out until the person asks for them. */
  #cut: string[] = []
  #token: string | undefined
  #clock: ReturnType<typeof setInterval> | undefined
  #deciding = false
  #note = ''
  #whole: ReadonlySet<string> = new Set()
  /** Pictures that the browser cannot draw. */
  #broken: ReadonlySet<string> = new Set()
  #opened = false
  /** What the person ticked; until then what only reads ticks itself once it was seen. */
  #ticked: boolean | undefined
  #wasTicked = false
  #drawn: { from: readonly unknown[]; lines: Line[] } | undefined
  // -- what the person chose
  #remember: Remember = 'once'
  #exact = false
  #editing = false
  #draft: string | undefined
  /** Fields in place of JSON, where the question has a schema. */
  #form: ArgumentForm | undefined
  #edited: JsonObject | undefined
  #problem = ''
  #giving = false
  #reason = ''

  constructor() {
    super()
    this.compact = this.row = this.grouped = this.docked = false
    this.armMs = ARM_MS
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.requestUpdate()
    this.#room = new ResizeObserver(() => this.#fit())
    addEventListener('resize', this.#fit)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#clock = void clearInterval(this.#clock)
    this.#room?.disconnect()
    removeEventListener('resize', this.#fit)
  }

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has('ask') || this.ask?.token === this.#token) return
    this.#token = this.ask?.token // a new question: nothing of the last answer counts
    this.#deciding = this.#exact = this.#editing = this.#giving = this.#opened = false
    this.#remember = 'once'
    this.#note = this.#problem = this.#reason = ''
    this.#draft = this.#edited = this.#ticked = this.#form = undefined
    this.#whole = new Set()
    this.#broken = new Set()
    this.#view.clear()
    this.#seen.forget()
    this.#refusing.watch()
    this.#approving.watch()
  }

  override updated(changed: PropertyValues): void {
    this.style.setProperty('--_arm', `${this.armMs}ms`)
    const [head, deciding, scroll] = ['.head', '.deciding', '.scroll'].map((selector) => this.renderRoot.querySelector<HTMLElement>(selector))
    this.#refusing.watch(deciding)
    this.#approving.watch(head, deciding)
    this.#seen.watch(this.ask && !this.#editing ? [head as HTMLElement, ...this.#view.pieces, ...this.#images.filter(isLoaded)] : [])
    this.#hold.watch(this.#unseen > 0 && this.#canApprove ? this.renderRoot.querySelector<HTMLElement>('.approve') : null)
    this.#room?.disconnect()
    if (scroll) for (const around of [...scrollers(scroll)].slice(0, 1)) this.#room?.observe(around)
    if (this.docked && this.parentElement) this.#room?.observe(this.parentElement)
    this.#fit()
    if (this.#canApprove !== this.#drawnOpen) this.requestUpdate() // lines that came are to be seen first
    if (this.ready !== this.#complete || this.ticked !== this.#wasTicked) {
      this.#complete = this.ready
      this.#wasTicked = this.ticked
      this.dispatchEvent(new CustomEvent('sluice-ready', { bubbles: true, composed: true }))
    }
    const ticks = this.isConnected && this.ask?.expiresAt !== undefined && !this.#expired
    if (ticks) this.#clock ??= setInterval(() => this.requestUpdate(), 500)
    else this.#clock = void clearInterval(this.#clock)
    if (changed.has('ask') && this.ask && !focusIsTaken()) this.focusDeny()
  }

  /** Focuses the safe answer, Deny. */
  focusDeny(): void {
    this.renderRoot.querySelector<HTMLElement>('.deny')?.focus({ preventScroll: true })
  }

  /** Takes the focus after another question was answered. Keys still held from that answer do not answer this one. */
  present(): void {
    this.#refusing.restart()
    this.#approving.restart()
    this.focusDeny()
  }

  /** Focuses the question but no button, for a person who is typing elsewhere: the next key must not answer. */
  focusQuestion(): void {
    this.renderRoot.querySelector<HTMLElement>('.question')?.focus({ preventScroll: true })
  }

  get #expired(): boolean {
    return this.ask?.expiresAt !== undefined && this.ask.expiresAt <= Date.now()
  }

  /** True if the person saw all of it as it stands and changed nothing. */
  get ready(): boolean {
    return this.#allSeen && this.#unseen === 0 && !this.#editing && !this.#edited
  }

  /** In a checklist: the person saw all of it, and it is to be allowed. */
  get ticked(): boolean {
    return this.row && this.#tickable && (this.#ticked ?? (this.ask !== undefined && toneOf(this.ask) === 'calm'))
  }

  /** True if the person saw all of it that can be seen. */
  get seen(): boolean {
    return this.#allSeen
  }

  get #tickable(): boolean {
    return this.#open && this.#allSeen && this.#unseen === 0 && !this.#editing
  }

  get #allSeen(): boolean {
    return isWhole(this.#request) && this.#seen.complete && this.#cut.length === 0 && this.#images.every(isLoaded)
  }

  get #images(): HTMLImageElement[] {
    return [...this.renderRoot.querySelectorAll('img')]
  }

  /** The options that the person chose for an approval. */
  get chosen(): ApproveOptions | undefined {
    if (this.ask?.stage === 'result') return undefined
    const remember = this.#remembers && this.#remember !== 'once' ? this.#remember : undefined
    return { ...(remember && { remember }), ...(remember && this.#exact && { exact: true }), ...(this.#edited && { arguments: this.#edited }) }
  }

  /** Scrolls to what was not seen yet. */
  showUnseen(): void {
    for (const what of this.#cut) this.#showWhole(what)
    const { next } = this.#seen
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const scroll = this.renderRoot.querySelector<HTMLElement>('.scroll')
    if (next && scroll?.contains(next)) {
      const { top: from, height } = scroll.getBoundingClientRect()
      const zoom = height / scroll.offsetHeight || 1
      const top = scroll.scrollTop + (next.getBoundingClientRect().top + this.#seen.nextTop - from) / zoom
      scroll.scrollTo({ top: top - 4, behavior: still ? 'instant' : 'smooth' })
    }
    this.renderRoot.querySelector('.question')?.scrollIntoView({ block: 'nearest', behavior: still ? 'instant' : 'smooth' })
  }

  get #open(): boolean {
    return !this.#deciding && !this.#expired && this.message !== undefined
  }

  get #canApprove(): boolean {
    return this.#open && this.#approving.armed && this.#allSeen && !this.#editing
  }

  /** Fits the part between head and buttons into the room that its scroller has. */
  readonly #fit = (): void => {
    const question = this.renderRoot.querySelector<HTMLElement>('.question')
    const scroll = question?.querySelector<HTMLElement>('.scroll')
    if (!question || !scroll) return
    const [around] = scrollers(this)
    const rest = question.offsetHeight - scroll.offsetHeight
    const zoom = question.getBoundingClientRect().height / question.offsetHeight || 1 // that of a style of the page
    const inner = innerHeight / zoom
    const room = Math.min(around?.clientHeight ?? Infinity, inner)
    // A chat that is lower than its window gives its dock less.
    const most = this.docked && this.parentElement ? parseFloat(getComputedStyle(this.parentElement).maxHeight) : NaN
    const share = this.docked ? (most || inner * (inner < LOW ? 1 : DOCKED)) - rest - 2 : 0.6 * inner
    const height = `${Math.max(LEAST, Math.round(Math.min(room - rest - 16, share)))}px`
    if (this.#low !== room < LOW) {
      this.#low = room < LOW
      this.requestUpdate()
    }
    if (scroll.style.maxHeight !== height) {
      scroll.style.setProperty('max-height', height)
      scroll.style.setProperty('--_room', height)
    }
    const scrolls = scroll.scrollHeight > scroll.clientHeight + 1
    if (scrolls === (scroll.tabIndex !== 0)) scroll.tabIndex = scrolls ? 0 : -1
  }

  // -- deciding -------------------------------------------------------------------------------------------------------------

  async #decide(answer: (message: Pick<LiveMessage, 'approve' | 'release' | 'deny'>, ask: AskView) => unknown): Promise<void> {
    const { message, ask } = this
    if (!this.#open || !this.#refusing.holds || !message || !ask) return
    this.#deciding = true
    this.#note = ''
    this.requestUpdate()
    try {
      if ((await answer(message, ask)) === false && ask.token === this.#token) this.#note = this.words.faster
    } catch (error) {
      if (ask.token !== this.#token) return
      this.#deciding = false // the person can answer again
      const { path, detail, message: text } = error as { path?: string; detail?: string; message?: string }
      this.#note = this.words.refused([path, detail ?? text ?? String(error)].filter(Boolean).join(': '))
    }
    this.requestUpdate()
  }

  #approve(): void {
    if (!this.#canApprove || !this.#approving.holds) return
    if (this.ask?.stage === 'result') return void this.#decide((message, ask) => message.release(ask))
    const { chosen } = this
    void this.#decide((message, ask) => message.approve(ask, chosen))
  }

  #deny(): void {
    const reason = this.#reason.trim()
    void this.#decide((message, ask) => (reason ? message.deny(ask, reason) : message.deny(ask)))
  }

  /** A tool that asks every time offers nothing to remember. */
  get #remembers(): boolean {
    return this.ask?.policy !== 'ask_always'
  }

  #key(event: KeyboardEvent): void {
    const target = event.composedPath()[0] as Element
    if (event.isComposing || target.localName === 'select') return // there Escape closes the list
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation() // it would close a dialog around the question
      if (this.#editing && target.closest('.editor')) this.#endEdit()
      else if (this.#giving && target.localName === 'input' && (target as HTMLInputElement).type === 'text') this.#giveReason(false)
      else if (!event.repeat) this.#deny()
    }
  }

  // -- editing --------------------------------------------------------------------------------------------------------------

  #edit(): void {
    this.#form ??= this.#makeForm(this.#request.arguments ?? {})
    if (!this.#form) this.#draft ??= printArguments(this.#request.arguments ?? {})
    this.#editing = true
    this.#focusAfterUpdate(':is(.form :is(input, textarea, select), #editor)')
  }

  #makeForm(values: JsonObject): ArgumentForm | undefined {
    const { words, ask, language } = this
    const labels = ask?.words?.labels
    const form = argumentForm(ask?.parameters, values, words, (name) => {
      const pointer = pointerOf(name)
      return labels && Object.hasOwn(labels, pointer) ? inLanguage(labels[pointer] as Text, language) : undefined
    })
    form?.element.addEventListener('input', () => this.requestUpdate())
    return form
  }

  /** Everything as JSON, with what stands in the fields. */
  #editAsJson(): void {
    const values = this.#readForm()
    if (!values) return
    this.#form = undefined
    this.#draft = printArguments(values)
    this.#focusAfterUpdate('#editor')
  }

  #readForm(): JsonObject | undefined {
    try {
      return this.#form?.read()
    } catch (error) {
      if (!(error instanceof FormProblem)) throw error
      error.control.focus({ preventScroll: false })
      return undefined
    }
  }

  #changed(event: Event): void {
    this.#draft = (event.target as HTMLTextAreaElement).value
    const read = readArguments(this.#draft, this.words)
    this.#problem = 'problem' in read ? read.problem : ''
    this.requestUpdate()
  }

  /** Reads the edited arguments. Returns false if they cannot be run. */
  #takeDraft(): boolean {
    const fields = this.#form && this.#readForm()
    if (this.#form && !fields) return false
    const read = readArguments(fields ? JSON.stringify(fields) : (this.#draft ?? ''), this.words)
    if ('problem' in read) {
      this.#problem = read.problem
      this.#focusAfterUpdate('#editor')
      return false
    }
    const same = JSON.stringify(read.value) === JSON.stringify(this.#asked ?? {})
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
    this.#draft = this.#form = undefined
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
    const { ask, words } = this
    if (!ask) return nothing
    const release = ask.stage === 'result'
    const lines = this.#draw()
    this.#drawnOpen = this.#canApprove
    const of = (kind: Line['kind']): Line[] => lines.filter((line) => line.kind === kind)
    if (this.row) return this.#row(of, release)
    return html`<div class="question ${toneOf(ask)} ${this.#refusing.armed ? '' : 'arming'} ${this.#low ? 'low' : ''}" part="question" role="group" tabindex="-1"
      aria-labelledby="ask tool" aria-describedby="counts effects" @keydown=${this.#key}>
      <header class="head" part="question-header">
        <p class="ask" id="ask" part="sentence">${of('sentence').map(({ runs }) => drawRuns(runs))}</p>
        ${of('tool').map(({ runs }) => html`<bdi id="tool" part="tool">${drawRuns(runs)}</bdi>`)}
        <span class="counts" id="counts">${of('counts').map(({ runs }) => drawRuns(runs))}</span>
        ${this.#expiry()}
        <span class="effects" id="effects" part="effects">${of('effect').map(({ runs }) => html`<span class="effect">${drawRuns(runs)}</span>`)}</span>
      </header>
      <div class="scroll" role="group" aria-label=${words.asked}>
        ${this.#editing ? this.#editor() : html`${this.#view.element}${this.#pictures()}`}
        ${release || this.#folded || !this.#remembers ? nothing : this.#options()}
        ${this.#giving ? this.#reasonField() : nothing}
      </div>
      ${this.#actions(release)}
      <p class="note" role="status">${this.#note || (this.#expired ? words.expired : '')}</p>
      <span class="hidden-text" role="status" aria-live=${this.compact ? 'off' : 'polite'}>${this.#deciding || this.#note || this.#expired ? '' : this.#canApprove ? words.armed : words.arming}</span>
    </div>`
  }

  /** In a checklist: a box to tick, what would be done, and every argument. */
  #row(of: (kind: Line['kind']) => Line[], release: boolean): TemplateResult {
    const { words } = this
    return html`<div class="question ${toneOf(this.ask as AskView)}" part="question" role="group" tabindex="-1" aria-labelledby="ask tool" aria-describedby="counts effects">
      <header class="head" part="question-header">
        <input type="checkbox" class="tick" part="tick" aria-labelledby="ask tool" aria-describedby="missing" aria-disabled=${this.#tickable ? 'false' : 'true'}
          .checked=${this.ticked} @click=${this.#tick}>
        <p class="ask" id="ask" part="sentence">${of('sentence').map(({ runs, brief = runs }) => drawRuns(brief))}</p>
        ${of('tool').map(({ runs }) => html`<bdi id="tool" part="tool">${drawRuns(runs)}</bdi>`)}
        <span class="counts" id="counts">${of('counts').map(({ runs }) => drawRuns(runs))}</span>
        ${this.#expiry()}
        <span class="effects" id="effects" part="effects">${of('effect').map(({ runs }) => html`<span class="effect">${drawRuns(runs)}</span>`)}</span>
        <button type="button" class="button quiet unfold" aria-expanded=${this.#opened} aria-label=${words.moreWays} title=${words.moreWays} @click=${this.#unfold}>…</button>
      </header>
      <div class="scroll" role="group" aria-label=${words.asked}>
        ${this.#editing ? this.#editor() : html`${this.#view.element}${this.#pictures()}`}
        ${release || this.#folded || !this.#remembers ? nothing : this.#options()}
      </div>
      ${this.#opened || this.#editing || this.#unseen > 0 ? this.#actions(release) : html`<span class="actions">${this.#missing()}</span>`}
      <p class="note" role="status">${this.#note || (this.#expired ? words.expired : '')}</p>
    </div>`
  }

  #tick(event: Event): void {
    const box = event.target as HTMLInputElement
    if (this.#tickable) this.#ticked = box.checked
    else event.preventDefault()
    this.requestUpdate()
  }

  /** The arguments without edits. Those of the question win over those of the card: they are what is approved. */
  get #asked(): JsonObject | undefined {
    return this.ask?.arguments ?? this.card?.arguments
  }

  get #request(): QuestionRequest {
    const { ask, card } = this
    return {
      ...(ask as AskView),
      name: ask?.name ?? card?.name,
      askedName: card?.askedName,
      description: ask?.description || this.description,
      arguments: this.#edited ?? this.#asked,
      edited: this.#edited !== undefined,
      reserved: card?.reserved,
      twice: card?.twice,
    }
  }

  /** Draws the lines of the question that changed. */
  #draw(): Line[] {
    const { ask, card, description, words, language, name } = this
    const from = [ask, card, description, words, language, name, this.#edited, this.#whole, this.#broken, this.#folded]
    if (this.#drawn?.from.every((one, at) => one === from[at])) return this.#drawn.lines
    const all = questionLines(this.#request, words, { lang: language, name, whole: this.#whole, draws: (picture) => this.#source(picture) !== undefined })
    const lines = this.#folded ? all.filter(({ kind, of }) => kind !== 'about' && of !== 'title' && of !== 'description') : all
    this.#unseen = lines.reduce((sum, { more = 0, show }) => sum + (show ? 0 : more), 0)
    this.#cut = lines.flatMap(({ show }) => show ?? [])
    this.#view.update(lines.filter(({ kind }) => !inHead.has(kind)), ({ more = 0 }) => words.showAll(count(more, language)))
    this.#drawn = { from, lines }
    return lines
  }

  /** Compact, for one of many or for little room: shows the question itself; edit, reason and remembering open on request. */
  get #folded(): boolean {
    return (this.compact || this.row || this.#low) && !this.#opened
  }

  #expiry(): TemplateResult | typeof nothing {
    const { expiresAt } = this.ask ?? {}
    if (expiresAt === undefined) return nothing
    const left = expiresAt - Date.now()
    return html`<span class="expiry ${left < SOON_MS ? 'soon' : ''}" part="expiry" role="timer" aria-live="off"
      >${left > 0 ? this.words.expiresIn(countdown(left)) : this.words.expired}</span>`
  }

  #editor(): TemplateResult {
    const { words } = this
    if (this.#form) {
      return html`<div class="editor" part="editor">${this.#form.element}
        <p class="problem" id="problem" aria-live="polite">${this.#problem}</p>
        <button type="button" class="more" @click=${this.#editAsJson}>${words.allAsJson}</button></div>`
    }
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
        @change=${(event: Event) => this.#chooseExact((event.target as HTMLInputElement).checked)}>${words.exact}</label>
        <span class="covers" part="covers">${this.#exact ? words.coversExactly(this.#shortName) : words.covers(this.#shortName)}</span>`}
    </div>`
  }

  #chooseExact(exact: boolean): void {
    this.#exact = exact
    this.requestUpdate()
  }

  get #shortName(): string {
    return escapeInvisible((this.ask?.name ?? this.card?.name ?? '?').slice(0, 80))
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

  #pictures(): (TemplateResult | typeof nothing)[] {
    return (this.ask?.preview?.parts ?? []).map((part) => {
      const source = part.type === 'image' && 'data' in part ? this.#source(part) : undefined
      return source ? html`<img class="picture-result" alt=${this.words.image} src=${source} @load=${() => this.requestUpdate()} @error=${() => this.#breaks(source)}>` : nothing
    })
  }

  #source(picture: Picture): string | undefined {
    const source = imageSource(picture)
    return source === undefined || this.#broken.has(source) ? undefined : source
  }

  #breaks(source: string): void {
    this.#broken = new Set([...this.#broken, source])
    this.requestUpdate()
  }

  #showWhole(name: string): void {
    this.#whole = new Set([...this.#whole, name])
    this.requestUpdate()
  }

  #actions(release: boolean): TemplateResult {
    const { words } = this
    const { prepared } = this.ask ?? {}
    const changed = this.#edited !== undefined || this.#editing
    const yes = release ? words.releaseButton : changed ? (prepared ? words.runChanged : words.approveChanged) : prepared ? words.run : words.approve
    const approve = this.#unseen > 0 ? words.approveUnseen(size(this.#unseen)) : yes
    return html`<div class="actions" part="actions">
      ${release || this.#folded ? nothing : this.#editButtons()}
      ${this.#giving || this.#folded ? nothing : html`<button type="button" class="button quiet why" @click=${() => this.#giveReason(true)}>${words.giveReason}</button>`}
      ${this.#folded ? html`<button type="button" class="button quiet unfold" aria-label=${words.moreWays} title=${words.moreWays} @click=${this.#unfold}>…</button>` : nothing}
      ${this.#missing()}
      <span class="deciding">
        <button type="button" class="button decide deny" part="deny" aria-disabled=${this.#open && this.#refusing.armed ? 'false' : 'true'} @click=${this.#deny}>${release ? words.withhold : words.deny}</button>
        <button type="button" class="button primary decide approve" part="approve" aria-disabled=${this.#canApprove ? 'false' : 'true'}
          aria-describedby="missing" @click=${this.#click}>${approve}</button>
      </span>
    </div>`
  }

  /** A button that says what is still to be seen, and scrolls there. */
  #missing(): TemplateResult {
    const { words } = this
    const lines = this.#editing || this.#seen.fresh ? 0 : this.#seen.missing
    const head = this.#seen.complete && this.#refusing.armed && !this.#approving.inView
    const button = lines > 0 ? `${words.notSeen(lines)} ↓` : this.#cut.length > 0 && !this.#editing ? words.showLeftOut : head ? `${words.headNotSeen} ↑` : ''
    const said = this.#editing ? words.finishEdit : this.#unseen > 0 && this.#allSeen ? words.holdUnseen : ''
    return html`<span class="missing" id="missing">${button
      ? html`<button type="button" class="more" part="missing" @click=${this.showUnseen}>${button}</button>` : said}</span>`
  }

  #click(): void {
    if (this.#unseen === 0) this.#approve() // nothing unseen can be approved by one click
  }

  #unfold(): void {
    this.#opened = !this.#opened
    this.#focusAfterUpdate(this.#opened ? '.edit' : '.unfold')
  }

  #editButtons(): TemplateResult {
    const { words } = this
    if (this.#editing) return html`<button type="button" class="button quiet edit" part="edit" @click=${this.#doneEditing}>${icon('check')}${words.editDone}</button>`
    return html`<button type="button" class="button quiet edit" part="edit" @click=${this.#edit}>${icon('pencil')}${words.edit}</button>
      ${this.#edited ? html`<button type="button" class="button quiet" @click=${this.#undoEdit}>${words.undoEdit}</button>` : nothing}`
  }
}

const inHead = new Set<Line['kind']>(['sentence', 'tool', 'counts', 'effect'])

/** How dangerous a call is. A missing hint counts as the worst case. */
function toneOf({ stage, annotations }: AskView): string {
  if (stage === 'result') return 'moderate'
  const { readOnlyHint, destructiveHint } = annotations ?? {}
  return readOnlyHint === true ? 'calm' : destructiveHint === false ? 'moderate' : 'sensitive'
}

/** True once a picture is drawn: only then it has a size and can be seen. */
const isLoaded = (image: HTMLImageElement): boolean => image.complete && image.naturalWidth > 0

/** A count of characters for people: 1.2 M. */
const size = (characters: number): string => (characters < 1000 ? String(characters) : characters < 1e6 ? `${Math.round(characters / 1000)} k` : `${(characters / 1e6).toFixed(1)} M`)

define('sluice-approval', SluiceApproval)
