// <sluice-message>: shows a message while it streams, or a saved one.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { plain } from '../../../app/bridge/question.js'
import { allCards, findCard } from '../../../engine/core/cards.js'
import type { CardStatus } from '../../../engine/core/events.js'
import { meaningOf, questionOf, type SluiceApproval } from '../approval/approval-element.js'
import { ARM_MS, Arming } from '../approval/arming.js'
import { QuestionEvents, cardOf } from '../approval/question-events.js'
import type { BlockContext } from './block-views.js'
import { Blocks } from './blocks.js'
import type { SluiceCard } from '../card/card-element.js'
import { define, SluiceElement } from '../shared/base-element.js'
import { endOf, hasText, isSaidByEnd, spokenEnd, textOf } from '../shared/ends.js'
import { focused, focusIsTaken, hostOf, writes } from '../shared/focus.js'
import { schedule, unschedule } from '../shared/frame.js'
import { icon } from '../shared/icons.js'
import { linkOpener } from '../shared/link-opener.js'
import { escapeInvisible, markInvisible } from '../shared/mark-invisible.js'
import { messageStyles } from './message-styles.js'
import { MATH_CAME } from '../text/math-renderer.js'
import { exported } from '../shared/parts.js'
import { clickOf, decides } from '../approval/presses.js'
import type { SluiceQuestions } from '../questions/questions-element.js'
import '../questions/questions-element.js'
import { textStyles } from '../text/text-styles.js'
import type { LoadImage, OpenLink, RenderText } from '../text/text-types.js'
import { wordsOf } from '../text/words-of.js'
import { controls, foreign, tokens } from '../shared/theme.js'
import type {
  ApprovalsMode,
  QuestionView,
  BlockView,
  CardView,
  CuesMode,
  MessageSource,
  MessageView,
  RetryView,
  ShownMessage,
} from '../ui-types.js'

/** How many characters of a finished message are read out. */
const READ_OUT = 3000
/** From this many open questions on they are drawn in rows, and only their number is read out. */
const MANY = 3
/** How long changes of cards are gathered before they are read out, in milliseconds. */
const GATHER_MS = 700
/** Messages whose end was read out. */
const announced = new WeakSet<MessageSource>()

export class SluiceMessage extends SluiceElement {
  static override styles = [tokens, controls, foreign, textStyles, messageStyles]
  static override properties = {
    message: { attribute: false },
    view: { attribute: false },
    approvals: { type: String, reflect: true },
    armMs: { type: Number, attribute: 'arm-ms' },
    silent: { type: Boolean },
    openLink: { attribute: false },
    loadImage: { attribute: false },
    renderText: { attribute: false },
    name: { type: String },
    calls: { type: String },
    cues: { type: String, reflect: true },
  }

  /** The live message to follow. */
  declare message: MessageSource | undefined
  /** A saved message, shown if `message` is not set. */
  declare view: ShownMessage | undefined
  declare approvals: ApprovalsMode
  declare armMs: number
  /** Whoever shows it reads it out, and says what it is. */
  declare silent: boolean
  declare openLink: OpenLink | undefined
  declare loadImage: LoadImage | undefined
  declare renderText: RenderText | undefined
  /** Who answers and asks. Default: the assistant. */
  declare name: string | undefined
  declare calls: 'each' | 'folded'
  declare cues: CuesMode

  readonly #blocks = new Blocks()
  readonly #arming = new Arming(this, () => this.armMs)
  #unsubscribe: (() => void) | undefined
  #shown: ShownMessage | undefined
  #context: BlockContext | undefined
  #waiting = false
  // -- questions
  #asks: readonly QuestionView[] = []
  readonly #taking = new QuestionEvents(this)
  /** Why the last press of "all" decided nothing. */
  #note = ''
  // -- to read out: questions and the end at once, changes of cards together
  #spoken: string[] = []
  #newQuestions: string[] = []
  readonly #cameTo = new Map<number, { tool: string; status: CardStatus }>()
  #gathering: ReturnType<typeof setTimeout> | undefined
  /** Runs until the next second of a wait. */
  #second: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.approvals = 'inline'
    this.calls = 'each'
    this.cues = 'margin'
    this.armMs = ARM_MS
    this.silent = false
  }

  // -- following ------------------------------------------------------------------------------------------------------

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener(MATH_CAME, this.#drawAnew)
    this.#follow()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#unfollow()
    document.removeEventListener(MATH_CAME, this.#drawAnew)
  }

  readonly #drawAnew = (): void => {
    this.#context = undefined
    this.requestUpdate()
  }

  #follow(): void {
    if (!this.message || !this.isConnected || this.#unsubscribe) return
    this.#unsubscribe = this.message.subscribe(() => schedule(this.#show))
    schedule(this.#show) // draw what changed while the element was detached
  }

  #unfollow(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    unschedule(this.#show)
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    clearTimeout(this.#second)
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('message')) {
      this.#unfollow()
      this.#forget()
      const before = changed.get('message') as MessageSource | undefined
      if (before && before.id !== this.message?.id) this.#blocks.clear() // what was opened in it is not opened here
      this.#follow()
    }
    if (changed.has('view') && !this.message) this.#forget()
    if (changed.size > 0 || this.#context?.words !== this.words) this.#context = undefined
    this.#render()
  }

  #forget(): void {
    this.#shown = undefined
    this.#asks = []
    this.#taking.forget()
    this.#spoken = []
    this.#newQuestions = []
    this.#cameTo.clear()
  }

  readonly #show = (): void => {
    if (this.hasUpdated && this.#render()) this.requestUpdate()
  }

  /** Shows the current view. Returns true if something around the blocks changed, too. */
  #render(): boolean {
    const view: ShownMessage = this.message?.getSnapshot() ?? this.view ?? { role: 'assistant', rounds: 0, blocks: [] }
    const before = this.#shown
    if (view === before && this.#context) return false
    const old = before === undefined || ('seq' in before && before.seq === 0)
    // a message that was there already is not read out
    const first = old && !(this.message?.asked && !announced.has(this.message))
    this.#shown = view
    const asks = 'questions' in view && this.message ? view.questions : []
    const asksChanged = asks !== this.#asks && (asks.length > 0 || this.#asks.length > 0)
    const answered = asksChanged ? this.#focusedQuestion() : undefined
    if (asksChanged) this.#settle(asks, view)
    if (!this.#context || asksChanged || view.outcome !== before?.outcome) this.#context = this.#makeContext(view)
    this.#blocks.update(this.#drawnOf(view), this.#context, (card, old) => {
      if (first) return
      for (const one of allCards([card])) if (one.status !== findCard([old], one.call)?.status) this.#speakOf(one)
    })
    if (answered) this.#moveFocus(answered)
    if (!first && view.outcome && view.outcome !== before?.outcome) this.#speakOutcome(view)
    const waiting = this.message !== undefined && isWaiting(view)
    const retry = retryOf(view)
    const retryChanged = retry !== (before && retryOf(before))
    if (!first && retry && retryChanged)
      this.#spoken.push(this.words.retry(secondsUntil(retry), retry.attempt, retry.maxAttempts))
    const changed = waiting !== this.#waiting || asksChanged || retryChanged || view.outcome !== before?.outcome
    this.#waiting = waiting
    return changed || this.#spoken.length > 0 || this.#newQuestions.length > 0
  }

  #drawnOf(view: ShownMessage): BlockView[] {
    const blocks = view.blocks as BlockView[]
    return view.outcome === 'limit' || view.outcome === 'failed'
      ? blocks.filter((block) => block.type !== 'error' || !isSaidByEnd(block, view))
      : blocks
  }

  #makeContext(view: ShownMessage): BlockContext {
    return {
      words: this.words,
      message: this.message,
      approvals: this.approvals,
      asks: new Map(this.#asks.filter((ask) => !this.#taking.taken(ask)).map((ask) => [ask.call, ask])),
      compact: this.#together.length >= MANY,
      armMs: this.armMs,
      name: this.name,
      folds: this.calls === 'folded',
      still: !this.message || view.outcome !== undefined,
      begun: hasText(view.blocks as BlockView[]),
      lang: this.language,
      host: this,
      openLink: this.openLink ?? linkOpener(this.message),
      loadImage: this.loadImage,
      renderText: this.renderText,
    }
  }

  // -- questions ------------------------------------------------------------------------------------------------------

  #settle(asks: readonly QuestionView[], view: ShownMessage): void {
    this.#asks = asks
    this.#note = ''
    this.#arming.restart() // "all" now means other questions
    if (this.message && this.approvals !== 'dock') this.#taking.update(asks, this.message, (ask) => cardOf(view, ask))
  }

  /** The questions that this element shows. */
  get #open(): QuestionView[] {
    return this.approvals === 'none' || this.approvals === 'dock' || !this.message
      ? []
      : this.#asks.filter((ask) => !this.#taking.taken(ask))
  }

  get #together(): QuestionView[] {
    return this.approvals === 'inline' ? this.#open.filter((ask) => ask.stage === 'execution') : []
  }

  /** What the host refuses, its question says. */
  #decideAll(event: Event, allow: boolean): void {
    const click = clickOf(event)
    this.#note = click === 'changed' ? this.words.questionChanged : ''
    this.requestUpdate()
    if (click !== 'counts') return
    this.#arming.restart() // a second click must not decide again
    for (const ask of this.#together) void this.#asking(ask)?.decide(allow)
  }

  /** The elements of all cards, each in front of those within it. */
  get #cards(): SluiceCard[] {
    const within = (card: SluiceCard): SluiceCard[] => [card, ...card.nested.flatMap(within)]
    return [...this.renderRoot.querySelectorAll<SluiceCard>('sluice-card')].flatMap(within)
  }

  /** The element of a question, if a card shows it. */
  #asking(ask: QuestionView): SluiceApproval | undefined {
    return (
      this.#cards
        .find((card) => card.ask?.token === ask.token)
        ?.renderRoot.querySelector<SluiceApproval>('sluice-approval') ?? undefined
    )
  }

  /** Resolves when every card shows what it was given: a card gives it to those within it when it is drawn. */
  async #cardsDrawn(): Promise<void> {
    for (const card of this.#cards) await card.updateComplete
  }

  /** Those of the questions that were not seen, or that are being edited: they have to be answered one by one. */
  #unready(asks: readonly QuestionView[]): SluiceApproval[] {
    return asks.flatMap((ask) => this.#asking(ask) ?? []).filter((approval) => !approval.ready)
  }

  /** What shows the question that has the focus, if it is one of this message. */
  #focusedQuestion(): SluiceApproval | undefined {
    const host = hostOf(focused())
    return host?.localName === 'sluice-approval' && this.#cards.includes(hostOf(host) as SluiceCard)
      ? (host as SluiceApproval)
      : undefined
  }

  /** Moves the focus from a question that was answered to the next one, or to its card. */
  #moveFocus(gone: SluiceApproval): void {
    const about = gone.ask && questionOf(gone.ask)
    if (this.approvals !== 'inline' || this.#asks.some((ask) => questionOf(ask) === about)) return
    const card = hostOf(gone) as SluiceCard
    const next = this.#cards.find((one) => one.card && this.#context?.asks.has(one.card.call))
    const wrote = writes(focused() as Element)
    void this.#cardsDrawn().then(() => {
      if (next) next.renderRoot.querySelector<SluiceApproval>('sluice-approval')?.present(wrote)
      else card.focusHeader()
    })
  }

  // -- read out -------------------------------------------------------------------------------------------------------

  #speakOf({ call, name, askedName, status }: CardView): void {
    const { words } = this
    const tool = escapeInvisible((name ?? askedName ?? words.aCall).slice(0, 100))
    if (!status || status === 'pending' || status === 'streaming') return
    if (status === 'awaiting_approval') this.#newQuestions.push(words.asks(tool))
    else if (status === 'awaiting_result_approval') this.#newQuestions.push(words.asksRelease(tool))
    else {
      this.#cameTo.set(call, { tool, status })
      this.#gathering ??= setTimeout(() => this.#speak(true), GATHER_MS)
    }
  }

  #speakOutcome(view: ShownMessage): void {
    this.#spoken.push(
      `${spokenEnd(view, this.words) || this.words.finished} ${wordsOf(textOf(view.blocks as BlockView[]), this.words, READ_OUT)}`,
    )
    if (this.message) announced.add(this.message)
  }

  #speak(gathered = false): void {
    if (!gathered && this.#spoken.length === 0 && this.#newQuestions.length === 0) return
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    const asking =
      this.#newQuestions.length >= MANY ? [this.words.waitingCount(this.#newQuestions.length)] : this.#newQuestions
    const region = this.renderRoot.querySelector('.status')
    if (region) region.textContent = [...this.#cameToWords(), ...asking, ...this.#spoken].join('. ')
    this.#spoken = []
    this.#newQuestions = []
    this.#cameTo.clear()
  }

  /** The changes of cards since the last time: each by name, or their number if there are many. */
  #cameToWords(): string[] {
    const { words } = this
    const cards = [...this.#cameTo.values()]
    if (cards.length < MANY) return cards.map(({ tool, status }) => `${tool}: ${words.status[status]}`)
    const count = (...wanted: CardStatus[]): number => cards.filter(({ status }) => wanted.includes(status)).length
    const [done, running] = [count('success'), count('executing')]
    return [words.cameTo(done, cards.length - done - running, running)]
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { words } = this
    return html`<div class="message" part="message" role=${this.silent ? nothing : 'article'} aria-label=${this.silent ? nothing : words.answer} @sluice-ready=${() => this.requestUpdate()}>
        ${this.#blocks.element}
        ${this.#retry()}
        ${this.#waiting ? html`<div class="dots" part="waiting" role="img" aria-label=${words.waiting}><i></i><i></i><i></i></div>` : nothing}
        ${this.#all()}
        ${this.#end()}
      </div>
      ${this.silent ? nothing : html`<div class="status hidden-text" role="status" aria-live="polite"></div>`}
      ${this.approvals === 'dialog' ? this.#dialog() : nothing}`
  }

  /** Counts the seconds until a failed request is sent again. */
  #retry(): TemplateResult | typeof nothing {
    const retry = this.message && this.#shown && retryOf(this.#shown)
    clearTimeout(this.#second)
    if (!retry) return nothing
    const left = retry.at - Date.now()
    if (left > 0 && this.isConnected) this.#second = setTimeout(() => this.requestUpdate(), (left % 1000) + 1)
    return html`<p class="outcome retry" part="retry">${icon('hourglass')}<span>${this.words.retry(secondsUntil(retry), retry.attempt, retry.maxAttempts)}</span>
      <bdi class="why">${markInvisible(retry.detail.slice(0, 300))}</bdi></p>`
  }

  /** A line that tells that an answer was stopped, cut, withheld or empty. */
  #end(): TemplateResult | typeof nothing {
    const end = this.#shown && endOf(this.#shown, this.words)
    if (!end) return nothing
    if (end.warns) return html`<p class="outcome ending" part="ending">${icon('warning')}${end.text}</p>`
    return html`<p class="outcome" part="outcome">${icon(this.#shown?.outcome === 'awaiting_user' ? 'clock' : 'stop')}${end.text}</p>`
  }

  #all(): TemplateResult | typeof nothing {
    const { words } = this
    const asks = this.#together
    if (asks.length < 2) return nothing
    const unready = this.#unready(asks)
    const off = this.#arming.armed ? 'false' : 'true'
    return html`<div class="all" part="approve-all" role="group" aria-label=${words.waitingCount(asks.length)}>
      <span class="what"><span class="count">${words.waitingCount(asks.length)}</span>
        <span class="names">${this.#tools(asks).map((line, at) => html`${at ? ' · ' : ''}<bdi>${line}</bdi>`)}</span></span>
      ${unready.length > 0 ? html`<button type="button" class="more" part="missing" @click=${() => unready[0]?.showUnseen()}>${words.questionsNotSeen(unready.length)} ↑</button>` : this.#arming.hidden ? html`<span class="what">${words.questionHidden}</span>` : nothing}
      <span class="deciding">
        <button type="button" class="button deny-all" part="deny-all" aria-disabled=${off}
          @click=${(event: Event) => this.#decideAll(event, false)}>${words.denyAll}</button>
        <button type="button" class="button primary approve-all" part="approve-all-button" aria-disabled=${unready.length > 0 ? 'true' : off}
          @click=${(event: Event) => this.#decideAll(event, true)}>${words.approveAll(asks.length)}</button>
      </span>
      <p class="note" role="status">${this.#note}</p>
    </div>`
  }

  /** What "approve all" would run: each tool, how often, and with which arguments. */
  #tools(asks: readonly QuestionView[]): string[] {
    const tools = new Map<string, string[]>()
    for (const ask of asks) {
      const name = escapeInvisible((ask.name ?? '?').slice(0, 100))
      const values = Object.values(ask.arguments ?? {})
        .map((value) => plain(value).slice(0, 40))
        .join(', ')
      tools.set(name, [...(tools.get(name) ?? []), escapeInvisible(values.replace(/\s+/g, ' ').slice(0, 60))])
    }
    return [...tools].map(([name, values]) =>
      [values.length > 1 ? `${name} × ${values.length}` : name, values.filter(Boolean).join(' | ')]
        .filter(Boolean)
        .join(': '),
    )
  }

  #dialog(): TemplateResult {
    const { words } = this
    const [ask] = this.#open
    const many = this.#open.length
    const name = escapeInvisible((ask?.name ?? (ask && cardOf(this.#shown, ask))?.name ?? '?').slice(0, 100))
    return html`<dialog part="dialog" role="alertdialog" aria-modal="true" aria-label=${many > 1 ? words.asksTogether(many) : ask?.stage === 'result' ? words.asksRelease(name) : words.asks(name)}
      @cancel=${(event: Event) => event.preventDefault()} @close=${() => this.requestUpdate()}>
      ${ask ? html`<sluice-questions exportparts=${exported.dialog} .message=${this.message} .events=${this.#taking} .name=${this.name} .armMs=${this.armMs}></sluice-questions>` : nothing}
    </dialog>`
  }

  override updated(): void {
    this.#speak()
    this.#arming.watch(this.renderRoot.querySelector('.all > .deciding') ?? undefined)
    const question = (): string => this.#together.map(meaningOf).join()
    decides(this.renderRoot.querySelector('.deny-all'), () => ({ question: question(), armed: this.#arming.holds }))
    decides(this.renderRoot.querySelector('.approve-all'), () => ({
      question: question(),
      armed: this.#unready(this.#together).length === 0 && this.#arming.holds,
    }))
    const dialog = this.renderRoot.querySelector('dialog')
    if (!dialog) return
    const questions = dialog.querySelector<SluiceQuestions>('sluice-questions')
    if (!questions) return dialog.close()
    if (dialog.matches(':modal')) return
    dialog.close() // one that was moved in the page is open, and not modal any more
    const writes = focusIsTaken()
    dialog.showModal()
    void questions.present(writes)
  }
}

/** The next try of a failed request, while the message goes on. */
const retryOf = (view: ShownMessage | MessageView): RetryView | undefined =>
  'retry' in view && view.outcome === undefined ? view.retry : undefined

/** Whole seconds until the try, at least 0. A wrong clock does not make the wait longer. */
const secondsUntil = ({ at, delayMs }: RetryView): number =>
  Math.max(0, Math.ceil(Math.min(at - Date.now(), delayMs) / 1000))

/** True if nothing is there yet, or nothing has come since the last call ended. */
function isWaiting(view: ShownMessage | MessageView): boolean {
  if (view.outcome !== undefined) return false
  const last = (view.blocks as BlockView[]).at(-1)
  if (!last) return true
  if (last.type !== 'tool_use') return false
  return !['streaming', 'pending', 'awaiting_approval', 'executing', 'awaiting_result_approval'].includes(
    last.status ?? 'pending',
  )
}

define('sluice-message', SluiceMessage)
