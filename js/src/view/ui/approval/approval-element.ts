// <sluice-approval>: asks a person whether a call may run, or whether its result may go to the model. The Approve
// button waits until the person has seen all of the question.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { countingIn } from '../../../engine/core/counting.js'
import { inLanguage } from '../../../engine/core/in-language.js'
import { pointerOf } from '../../../engine/core/pointer.js'
import type { LocalizedText } from '../../../engine/core/tool-words.js'
import { isWhole, type QuestionRequest } from '../../../app/bridge/question.js'
import type { JsonObject } from '../../../engine/core/events.js'
import { ArgumentsEdit } from './edit.js'
import { ExactView } from './exact-view.js'
import { drawHead, toneOf } from './head.js'
import { Reason } from './reason.js'
import { Remember } from './remember.js'
import { Room } from './room.js'
import { approvalStyles } from './approval-styles.js'
import { argumentStyles } from './arguments.js'
import { ARM_MS, Arming } from './arming.js'
import { define, SluiceElement } from '../shared/base-element.js'
import { fasterIn } from './faster.js'
import { faultOf } from '../shared/fault.js'
import { focusAfterUpdate, focusIsTaken, wrote } from '../shared/focus.js'
import { Hold } from './hold.js'
import { icon } from '../shared/icons.js'
import { escapeInvisible } from '../shared/mark-invisible.js'
import { clickOf, decides } from './presses.js'
import { Seen } from './seen.js'
import { controls, foreign, tokens } from '../shared/theme.js'
import type { ApproveOptions, QuestionView, CardView, MessageSource } from '../ui-types.js'

/** Tells the questions of a message apart, whatever connection they come over. */
export const questionOf = ({ call, stage, digest }: QuestionView): string => `${call} ${stage} ${digest}`

/**
 * What a button decides, by this question: a press for another one does not count, though it be about the same call.
 */
export const meaningOf = (ask: QuestionView | undefined): string => (ask ? `${ask.token} ${ask.digest}` : '')

/** Takes the answer. */
type Answered = Pick<MessageSource, 'approve' | 'release' | 'deny'> & { readonly id?: string }

/** Questions that went with their connection, and what a person had begun in them: they come again. */
const left = new WeakMap<Answered, Set<SluiceApproval>>()

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

  declare ask: QuestionView | undefined
  /** The call that the question is about. */
  declare card: CardView | undefined
  declare message: Answered | undefined
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
  readonly #hold = new Hold(
    this,
    () => meaningOf(this.ask),
    () => this.#approve(),
  )
  readonly #room = new Room(this, () => this.docked)
  readonly #view = new ExactView(this)
  // -- what the person chose
  readonly #remember = new Remember(this)
  readonly #reason = new Reason(this, () => this.#deny())
  readonly #edit = new ArgumentsEdit(this, () => ({
    arguments: this.#asked,
    parameters: this.ask?.parameters,
    words: this.words,
    label: this.#label,
  }))
  /** What the person ticked; until then what only reads ticks itself once it was seen. */
  #ticked: boolean | undefined
  /** Folded away until the person asks for it: see `#folded`. */
  #unfolded = false
  // -- what was drawn, and told
  #drawnOpen = false
  #wasEditing = false
  #wasReady = false
  #wasTicked = false
  #token: string | undefined
  /** Which question it is, whatever its token: every connection has tokens of its own. */
  #about: string | undefined
  #clock: ReturnType<typeof setInterval> | undefined
  #deciding = false
  /** A button was pressed that takes nothing yet: that is said. */
  #early = false
  #note = ''

  constructor() {
    super()
    this.compact = this.row = this.grouped = this.docked = false
    this.armMs = ARM_MS
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#clock = void clearInterval(this.#clock)
    const { message } = this
    if (message && (this.#begun || this.#edit.values))
      left.set(message, (left.get(message) ?? new Set<SluiceApproval>()).add(this))
  }

  /** A person chose something that is shown where the question is open for more. */
  get #begun(): boolean {
    return this.#edit.open || this.#reason.open || this.#remember.chosen.remember !== undefined
  }

  override willUpdate(changed: PropertyValues): void {
    const { ask, message } = this
    if (ask?.token !== this.#token) {
      this.#token = ask?.token // nothing of the last answer counts
      this.#deciding = this.#early = false
      this.#note = ''
      const about = ask && (message?.id === undefined ? ask.token : `${message.id} ${questionOf(ask)}`)
      if (about !== this.#about) this.#begin(about)
      this.#rearm()
    }
    if (this.#begun && (changed.has('row') || changed.has('ask'))) this.#unfolded = true // nothing of it is hidden
  }

  #begin(about: string | undefined): void {
    this.#about = about
    this.#unfolded = false
    this.#ticked = undefined
    for (const one of [this.#remember, this.#reason, this.#edit, this.#view, this.#seen]) one.forget()
    const all = this.message && left.get(this.message)
    for (const before of all ?? []) {
      if (before.#about !== about || before.isConnected) continue
      all?.delete(before)
      this.#edit.take(before.#edit)
      this.#reason.take(before.#reason)
      this.#remember.take(before.#remember)
    }
  }

  override updated(changed: PropertyValues): void {
    this.style.setProperty('--_arm', `${this.armMs}ms`)
    const [head, deciding, approve, deny] = ['.head', '.deciding', '.approve', '.deny'].map((selector) =>
      this.renderRoot.querySelector<HTMLElement>(selector),
    )
    this.#refusing.watch(deciding)
    this.#approving.watch(head, deciding)
    decides(deny, () => ({ question: meaningOf(this.ask), armed: this.#canDeny }))
    decides(approve, () => ({
      question: meaningOf(this.ask),
      armed: this.#canApprove && this.#approving.holds && this.#canDeny,
    }))
    if (this.#edit.open !== this.#wasEditing) {
      this.#wasEditing = this.#edit.open
      this.#approving.restart() // the editor came or went, and the buttons moved
    }
    this.#seen.watch(this.ask && !this.#edit.open ? [head as HTMLElement, ...this.#view.pieces] : [])
    this.#hold.watch(this.#view.unseen > 0 && this.#canApprove ? (approve ?? null) : null)
    if (this.#canApprove !== this.#drawnOpen) this.requestUpdate() // lines that came are to be seen first
    if (this.ready !== this.#wasReady || this.ticked !== this.#wasTicked) {
      this.#wasReady = this.ready
      this.#wasTicked = this.ticked
      this.dispatchEvent(new CustomEvent('sluice-ready', { bubbles: true, composed: true }))
    }
    if (this.isConnected && this.ask?.expiresAt !== undefined)
      this.#clock ??= setInterval(() => this.requestUpdate(), 500)
    else this.#clock = void clearInterval(this.#clock)
    if (changed.has('ask') && this.ask && !this.row && !focusIsTaken()) this.#takeFocus()
  }

  // -- for what stands around it --------------------------------------------------------------------------------------

  /** Focuses the safe answer, Deny. */
  focusDeny(): void {
    this.renderRoot.querySelector<HTMLElement>('.deny')?.focus({ preventScroll: true })
  }

  /**
   * Takes the focus after another question was answered. Keys still held from that answer do not answer this one.
   * `writes`: see `focusQuestion`.
   */
  present(writes: boolean): void {
    this.#rearm()
    this.#takeFocus(writes)
  }

  #rearm(): void {
    this.#refusing.restart()
    this.#approving.restart()
  }

  #takeFocus(writes = wrote()): void {
    if (writes) this.focusQuestion()
    else this.focusDeny()
  }

  /**
   * Focuses the question but no button, for a person who is typing elsewhere, or was in a field that is gone: the next
   * key must not answer.
   */
  focusQuestion(): void {
    this.renderRoot.querySelector<HTMLElement>('.question')?.focus({ preventScroll: true })
  }

  /** True if the person saw all of it as it stands and changed nothing. */
  get ready(): boolean {
    return this.seen && this.#view.unseen === 0 && !this.#edit.open && !this.#edit.values
  }

  /** In a checklist: the person saw all of it, and it is to be allowed. */
  get ticked(): boolean {
    return (
      this.row &&
      (this.#deciding || this.#tickable) &&
      (this.#ticked ?? (this.ask !== undefined && toneOf(this.ask) === 'calm'))
    )
  }

  /** True if the person saw all of it that can be seen. */
  get seen(): boolean {
    return isWhole(this.#request) && this.#seen.complete && this.#view.cut.length === 0 && this.#view.loaded
  }

  /** The options that the person chose for an approval. */
  get #chosen(): ApproveOptions {
    const { values } = this.#edit
    return { ...(this.#remembers && this.#remember.chosen), ...(values && { arguments: values }) }
  }

  /** Scrolls to what was not seen yet. */
  showUnseen(): void {
    this.#view.showAll()
    const { next } = this.#seen
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const scroll = this.renderRoot.querySelector<HTMLElement>('.scroll')
    if (next && scroll?.contains(next)) {
      const { top: from, height } = scroll.getBoundingClientRect()
      const zoom = height / scroll.offsetHeight || 1
      const top = scroll.scrollTop + (next.getBoundingClientRect().top + this.#seen.nextTop - from) / zoom
      scroll.scrollTo({ top: top - 4, behavior: still ? 'instant' : 'smooth' })
    }
    this.renderRoot
      .querySelector('.question')
      ?.scrollIntoView({ block: 'nearest', behavior: still ? 'instant' : 'smooth' })
  }

  // -- deciding -------------------------------------------------------------------------------------------------------

  /** Also behind the time to answer: by which clock that is over, the host knows, and takes the question away. */
  get #open(): boolean {
    return !this.#deciding && this.message !== undefined
  }

  get #canApprove(): boolean {
    return this.#open && this.#approving.armed && this.seen && !this.#edit.open
  }

  get #canDeny(): boolean {
    return this.#open && this.#refusing.holds
  }

  get #tickable(): boolean {
    return this.#open && this.seen && this.#view.unseen === 0 && !this.#edit.open
  }

  /**
   * Answers as the person chose. For what stands around it: where a button below several questions was pressed. A
   * refusal of the host is said here.
   */
  async decide(allow: boolean): Promise<void> {
    const { message, ask } = this
    if (!this.#open || !message || !ask) return
    const { text } = this.#reason
    this.#deciding = true
    this.#note = ''
    this.requestUpdate()
    try {
      const answer = !allow
        ? text
          ? message.deny(ask, text)
          : message.deny(ask)
        : ask.stage === 'result'
          ? message.release(ask)
          : message.approve(ask, this.#chosen)
      const faster = fasterIn(await answer)
      if (faster && ask.token === this.#token) {
        const { decision, by } = { ...countingIn(this.card?.approvals, ask.stage), ...faster }
        this.#note = this.words.faster(decision, by && escapeInvisible(by.slice(0, 100)))
      }
    } catch (error) {
      if (ask.token !== this.#token) return
      this.#deciding = false // the person can answer again
      const { path, detail } = faultOf(error)
      this.#note = this.words.refused([path, detail].filter(Boolean).join(': '))
      void this.updateComplete.then(() => this.renderRoot.querySelector('.note')?.scrollIntoView({ block: 'nearest' }))
    }
    this.requestUpdate()
  }

  /** True where buttons take nothing yet, which a key that came too early is told. */
  #tooEarly(armed: boolean): boolean {
    if (armed || !this.#open) return false
    this.#early = true
    this.requestUpdate()
    return true
  }

  #approve(): void {
    if (!this.#tooEarly(this.#canApprove) && this.#canApprove && this.#approving.holds && this.#canDeny)
      void this.decide(true)
  }

  #deny(): void {
    if (!this.#tooEarly(this.#refusing.armed) && this.#canDeny) void this.decide(false)
  }

  /** A tool that asks every time offers nothing to remember. */
  get #remembers(): boolean {
    return this.ask?.policy !== 'ask_always'
  }

  #key(event: KeyboardEvent): void {
    const target = event.composedPath()[0] as Element
    // there Escape closes the list
    if (event.key !== 'Escape' || event.isComposing || target.localName === 'select') return
    const [edits, reasons] = [
      this.#edit.open && target.closest('.editor'),
      this.#reason.open && target.closest('.reason'),
    ]
    if (this.row && !edits && !reasons) return // the bar below the checklist refuses
    event.preventDefault()
    event.stopPropagation() // it would close a dialog around the question
    if (edits) this.#edit.end()
    else if (reasons) this.#reason.end()
    else if (!event.repeat) this.#deny()
  }

  /** What said what is missing is gone: the next key is to scroll on, not to answer. */
  protected override focusInstead(): void {
    const scroll = this.renderRoot.querySelector<HTMLElement>('.scroll')
    if (scroll?.tabIndex === 0) scroll.focus({ preventScroll: true })
    else this.focusQuestion()
  }

  // -- what one sees --------------------------------------------------------------------------------------------------

  /** The arguments without edits. Those of the question win over those of the card: they are what is approved. */
  get #asked(): JsonObject | undefined {
    return this.ask?.arguments ?? this.card?.arguments
  }

  get #request(): QuestionRequest {
    const { ask, card } = this
    const { values } = this.#edit
    return {
      ...(ask as QuestionView),
      name: ask?.name ?? card?.name,
      askedName: card?.askedName ?? ask?.askedName,
      description: ask?.description || this.description,
      arguments: values ?? this.#asked,
      editedArguments: values !== undefined,
      protocolFields: ask?.protocolFields ?? card?.protocolFields,
      twice: card?.twice ?? ask?.twice,
    }
  }

  readonly #label = (name: string): string | undefined => {
    const labels = this.ask?.words?.labels
    const pointer = pointerOf(name)
    return labels && Object.hasOwn(labels, pointer)
      ? inLanguage(labels[pointer] as LocalizedText, this.language)
      : undefined
  }

  /**
   * Compact, for one of many or for little room: shows the question itself; edit, reason and remembering open on
   * request.
   */
  get #folded(): boolean {
    return (this.compact || this.row || this.#room.low) && !this.#unfolded
  }

  override render(): TemplateResult | typeof nothing {
    const { ask, words } = this
    if (!ask) return nothing
    const lines = this.#view.draw(this.#request, { words, lang: this.language, name: this.name, folded: this.#folded })
    this.#drawnOpen = this.#canApprove
    if (this.#drawnOpen) this.#early = false
    // one template for both: what a person writes in stays in the page when the question becomes one of many
    const { row } = this
    return html`<div class="question ${toneOf(ask)} ${row ? '' : `${this.#refusing.armed ? '' : 'arming'} ${this.#room.low ? 'low' : ''}`}" part="question" role="group" tabindex="-1"
      aria-labelledby="ask tool" aria-describedby="counts effects" @keydown=${this.#key}>
      <header class="head" part="question-header">
        ${
          row
            ? html`<input type="checkbox" class="tick" part="tick" aria-labelledby="ask tool" aria-describedby="missing" aria-disabled=${this.#tickable ? 'false' : 'true'}
          .checked=${this.ticked} @click=${this.#tick}>`
            : nothing
        }${drawHead(lines, ask, words, row)}${row ? this.#unfolder() : nothing}</header>
      ${this.#between(ask)}
      ${!row || this.#unfolded || this.#edit.open || this.#view.unseen > 0 ? this.#actions(ask) : html`<span class="actions">${this.#missing()}</span>`}
      <p class="note" role="status">${this.#note}</p>
      ${row ? nothing : html`<span class="hidden-text" role="status" aria-live=${this.compact && !this.#early ? 'off' : 'polite'}>${this.#readiness()}</span>`}
    </div>`
  }

  /** For who cannot see how the buttons look. */
  #readiness(): string {
    const { words } = this
    if (this.#deciding || this.#note) return ''
    if (this.#canApprove) return words.armed
    const lines = this.#seen.missing
    return this.#early
      ? `${words.notYet} ${lines > 0 && this.#refusing.armed ? words.notSeen(lines) : words.arming}`
      : words.arming
  }

  #tick(event: Event): void {
    const box = event.target as HTMLInputElement
    if (this.#tickable) this.#ticked = box.checked
    else event.preventDefault()
    this.requestUpdate()
  }

  /** What scrolls between head and buttons. */
  #between({ stage, preview }: QuestionView): TemplateResult {
    const { words } = this
    return html`<div class="scroll" role="group" aria-label=${words.asked}>
      ${this.#edit.open ? this.#edit.draw(words) : html`${this.#view.element}${this.#view.pictures(preview?.parts, words.image)}`}
      ${stage === 'result' || this.#folded || !this.#remembers ? nothing : this.#remember.draw(this.#shortName, words)}
      ${this.#reason.draw(words)}
    </div>`
  }

  get #shortName(): string {
    return escapeInvisible((this.ask?.name ?? this.card?.name ?? '?').slice(0, 80))
  }

  // -- buttons --------------------------------------------------------------------------------------------------------

  #actions({ stage, prepared }: QuestionView): TemplateResult {
    const { words } = this
    const release = stage === 'result'
    const { unseen } = this.#view
    const changed = this.#edit.values !== undefined || this.#edit.open
    const yes = release
      ? words.releaseButton
      : changed
        ? prepared
          ? words.runChanged
          : words.approveChanged
        : prepared
          ? words.run
          : words.approve
    return html`<div class="actions" part="actions">
      ${release || this.#folded ? nothing : this.#editButtons()}
      ${this.#reason.open || this.#folded ? nothing : html`<button type="button" class="button quiet why" @click=${() => this.#reason.begin()}>${words.giveReason}</button>`}
      ${this.#folded && !this.row ? this.#unfolder() : nothing}
      ${this.#missing()}
      <span class="deciding">
        <button type="button" class="button decide deny" part="deny" aria-disabled=${this.#open && this.#refusing.armed ? 'false' : 'true'} @click=${(event: Event) => this.#click(event, false)}>${release ? words.withhold : words.deny}</button>
        <button type="button" class="button primary decide approve" part="approve" aria-disabled=${this.#canApprove ? 'false' : 'true'}
          aria-describedby="missing" @click=${(event: Event) => this.#click(event, true)}>${unseen > 0 ? words.approveUnseen(size(unseen)) : yes}</button>
      </span>
    </div>`
  }

  /** A button that says what is still to be seen, and scrolls there. */
  #missing(): TemplateResult {
    const { words } = this
    const edits = this.#edit.open
    const lines = edits || this.#seen.fresh ? 0 : this.#seen.missing
    const head = this.#seen.complete && this.#refusing.armed && !this.#approving.inView
    const button =
      lines > 0
        ? `${words.notSeen(lines)} ↓`
        : this.#view.cut.length > 0 && !edits
          ? words.showLeftOut
          : head
            ? `${words.headNotSeen} ↑`
            : ''
    const hidden = this.#approving.hidden && this.#refusing.armed
    const said = hidden
      ? words.questionHidden
      : edits
        ? words.finishEdit
        : this.#view.unseen > 0 && this.seen
          ? words.holdUnseen
          : ''
    return html`<span class="missing" id="missing">${
      button && !hidden
        ? html`<button type="button" class="more" part="missing" @click=${this.showUnseen}>${button}</button>`
        : said
    }</span>`
  }

  #click(event: Event, allow: boolean): void {
    const click = clickOf(event)
    // nothing unseen can be approved by one click
    if (!this.#open || (click !== 'changed' && allow && this.#view.unseen > 0)) return
    if (click === 'counts') return void this.decide(allow)
    if (click === 'early') this.#early = true
    this.#note = click === 'changed' ? this.words.questionChanged : ''
    this.requestUpdate()
  }

  /** A row says whether it is open; elsewhere the button goes. */
  #unfolder(): TemplateResult {
    const { moreWays } = this.words
    return html`<button type="button" class="button quiet unfold" aria-expanded=${this.row ? this.#unfolded : nothing} aria-label=${moreWays} title=${moreWays} @click=${this.#unfold}>…</button>`
  }

  #unfold(): void {
    this.#unfolded = !this.#unfolded
    focusAfterUpdate(this, this.#unfolded ? '.edit' : '.unfold')
  }

  #editButtons(): TemplateResult {
    const { words } = this
    const edit = this.#edit
    if (edit.open)
      return html`<button type="button" class="button quiet edit" part="edit" @click=${edit.done}>${icon('check')}${words.editDone}</button>`
    return html`<button type="button" class="button quiet edit" part="edit" @click=${edit.begin}>${icon('pencil')}${words.edit}</button>
      ${edit.values ? html`<button type="button" class="button quiet" @click=${edit.undo}>${words.undoEdit}</button>` : nothing}`
  }
}

/** A count of characters for people: 1.2 M. */
const size = (characters: number): string =>
  characters < 1000
    ? String(characters)
    : characters < 1e6
      ? `${Math.round(characters / 1000)} k`
      : `${(characters / 1e6).toFixed(1)} M`

define('sluice-approval', SluiceApproval)
