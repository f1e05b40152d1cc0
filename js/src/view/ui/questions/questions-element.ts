// <sluice-questions>: what waits for a person's decision, in one place. One question is drawn whole; several are a
// checklist, whose bar allows what was ticked and refuses the rest. Head and buttons never scroll, what is between them
// does.
import { html, nothing, type TemplateResult } from 'lit'
import { questionLines } from '../../../app/bridge/question.js'
import { inLanguage } from '../../../engine/core/in-language.js'
import { meaningOf, questionOf, type SluiceApproval } from '../approval/approval-element.js'
import { ARM_MS, Arming } from '../approval/arming.js'
import { QuestionEvents, cardOf } from '../approval/question-events.js'
import { FollowingElement } from '../chat/following-element.js'
import { follow } from '../chat/following.js'
import { each } from '../shared/each.js'
import { define } from '../shared/base-element.js'
import { focused, focusIsTaken, wrote } from '../shared/focus.js'
import { schedule, unschedule } from '../shared/frame.js'
import { escapeInvisible } from '../shared/mark-invisible.js'
import { exported } from '../shared/parts.js'
import { clickOf, decides } from '../approval/presses.js'
import { drawRuns } from '../approval/question-view.js'
import { questionsStyles } from './questions-styles.js'
import { controls, foreign, tokens } from '../shared/theme.js'
import type { QuestionView, MessageSource, MessageView } from '../ui-types.js'

export class SluiceQuestions extends FollowingElement {
  static override styles = [tokens, controls, foreign, questionsStyles]
  static override properties = {
    conversation: { type: String },
    message: { attribute: false },
    events: { attribute: false },
    name: { type: String },
    compact: { type: Boolean, reflect: true },
    armMs: { type: Number, attribute: 'arm-ms' },
  }

  declare conversation: string
  /** Instead of `client`: the message that asks. */
  declare message: MessageSource | undefined
  /** Who tells of the questions of `message`, and knows which the app shows itself. Default: this element. */
  declare events: QuestionEvents | undefined
  declare name: string | undefined
  declare compact: boolean
  declare armMs: number

  protected override readonly followed = ['client', 'conversation', 'message']

  readonly #arming = new Arming(this, () => this.armMs)
  readonly #own = new QuestionEvents(this)
  #live: MessageSource | undefined
  #view: MessageView | undefined
  #asks: readonly QuestionView[] = []
  /** The questions that the bar would allow. */
  #means = ''
  /** Why the last press decided nothing. */
  #note = ''
  /** What had the focus before a question. */
  #origin: HTMLElement | undefined

  constructor() {
    super()
    this.conversation = 'main'
    this.compact = false
    this.armMs = ARM_MS
    this.addEventListener(
      'focusin',
      ({ relatedTarget }) => (this.#origin = (relatedTarget as HTMLElement | null) ?? this.#origin),
    )
  }

  // -- following ------------------------------------------------------------------------------------------------------

  protected override leave(): void {
    unschedule(this.#look)
  }

  protected override enter(): (() => void) | undefined {
    const { client, message, conversation } = this
    const before = this.#live
    this.#live = message
    const off = message
      ? message.subscribe(() => schedule(this.#look))
      : client &&
        follow(client, conversation, ({ live }) => {
          this.#live = live
          schedule(this.#look)
        })
    if (this.#live !== before) {
      // else it was only moved in the page
      this.#own.forget()
      this.#asks = []
    }
    this.#take()
    return off
  }

  readonly #look = (): void => {
    if (this.#take()) this.requestUpdate()
  }

  /** Returns true where other questions wait than before. */
  #take(): boolean {
    const view = this.#live?.getSnapshot()
    this.#view = view
    const asks = view?.questions ?? []
    if (asks === this.#asks || (asks.length === 0 && this.#asks.length === 0)) return false
    this.#asks = asks
    this.#note = ''
    this.#arming.restart() // the bar now means other questions
    if (this.#live && !this.events) this.#own.update(asks, this.#live, (ask) => cardOf(view, ask))
    return true
  }

  /** Those that the app does not show itself. */
  get #open(): QuestionView[] {
    return this.#asks.filter((ask) => !(this.events ?? this.#own).taken(ask))
  }

  get #rows(): SluiceApproval[] {
    return [...this.renderRoot.querySelectorAll<SluiceApproval>('sluice-approval')]
  }

  /** Takes the focus: the safe answer has it or, for a person who is typing elsewhere, no button. */
  async present(writes: boolean): Promise<void> {
    await this.updateComplete
    const [first] = this.#rows
    if (!first || first.row) return this.#focusBar(writes)
    await first.updateComplete
    if (writes) first.focusQuestion()
    else first.focusDeny()
  }

  #focusBar(writes: boolean): void {
    this.renderRoot.querySelector<HTMLElement>(writes ? '.list' : '.refuse')?.focus({ preventScroll: true })
  }

  // -- deciding -------------------------------------------------------------------------------------------------------

  /** Allows the rows that are ticked, and refuses the others. */
  #decide(event: Event): void {
    this.#answer(event, this.#ticked)
  }

  #refuse(event: Event): void {
    this.#answer(event, [])
  }

  /** What the bar would allow is what it says. */
  get #canAllow(): boolean {
    return this.#means !== '' && meaning(this.#ticked) === this.#means && this.#arming.holds
  }

  get #ticked(): SluiceApproval[] {
    return this.#rows.filter((row) => row.ticked)
  }

  /** What the host refuses, its question says. */
  #answer(event: Event, ticked: readonly SluiceApproval[]): void {
    const click = clickOf(event)
    this.#note = click === 'changed' ? this.words.questionChanged : ''
    this.requestUpdate()
    if (click !== 'counts') return
    this.#arming.restart() // a second click must not decide again
    for (const row of this.#rows) void row.decide(ticked.includes(row))
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  override render(): TemplateResult | typeof nothing {
    const asks = this.#open
    if (asks.length === 0 || !this.#live) return nothing
    const many = asks.length > 1
    const ofMany = <T>(value: T): T | typeof nothing => (many ? value : nothing)
    return html`<div class="dock" part="dock" @sluice-ready=${() => this.requestUpdate()}>
      ${ofMany(html`<p class="title" id="title" part="title">${this.words.asksTogether(asks.length)}</p>`)}
      <div class="list" part=${ofMany('list')} role=${ofMany('group')} aria-labelledby=${ofMany('title')} tabindex=${ofMany(0)}
        >${each(
          groupsOf(asks),
          ([key]) => key,
          ([, group]) => this.#group(group, many),
        )}</div>
      ${many ? this.#bar(asks) : nothing}
    </div>`
  }

  #bar(asks: readonly QuestionView[]): TemplateResult {
    const { words } = this
    const rows = this.#rows
    const ticked = this.hasUpdated ? rows.filter((row) => row.ticked).length : 0
    const unseen = rows.filter((row) => !row.seen)
    return html`<div class="bar" part="bar">
        ${
          unseen.length > 0
            ? html`<button type="button" class="more" part="missing" @click=${() => unseen[0]?.showUnseen()}>${words.questionsNotSeen(unseen.length)} ↓</button>`
            : html`<span class="hint">${this.#arming.hidden ? words.questionHidden : ticked === 0 ? words.tickHint : ''}</span>`
        }
        <span class="deciding">
          <button type="button" class="button refuse" part="refuse" aria-disabled=${this.#arming.armed ? 'false' : 'true'} @click=${this.#refuse}>${words.denyAll}</button>
          <button type="button" class="button primary allow" part="allow" aria-disabled=${ticked > 0 && this.#arming.armed ? 'false' : 'true'}
            @click=${this.#decide}>${words.allowSome(ticked, asks.length - ticked)}</button>
        </span>
        <p class="note" role="status">${this.#note}</p>
      </div>`
  }

  /** Rows of one tool stand under one head. */
  #group(asks: readonly QuestionView[], many: boolean): TemplateResult {
    const [first] = asks as [QuestionView]
    const grouped = asks.length > 1
    const id = `tool-${first.call}`
    return html`<section class="group" aria-labelledby=${grouped ? id : nothing}>
      ${grouped ? html`<p class="tool" id=${id}>${this.#head(first, asks.length)}</p>` : nothing}
      ${each(
        asks,
        questionOf,
        (
          ask,
        ) => html`<sluice-approval part=${many ? 'row' : 'question'} exportparts=${exported.approval} ?row=${many} ?docked=${!many} ?grouped=${grouped}
        ?compact=${!many && this.compact} .ask=${ask} .card=${cardOf(this.#view, ask)} .message=${this.#live} .name=${this.name} .armMs=${this.armMs}></sluice-approval>`,
      )}
    </section>`
  }

  /** What the tool is called, how often it is asked about, its true name, and what it may do. */
  #head(ask: QuestionView, times: number): TemplateResult {
    const lines = questionLines(ask, this.words, { lang: this.language })
    const effects = lines.filter(({ kind }) => kind === 'effect').map(({ runs }) => html` · ${drawRuns(runs)}`)
    const called =
      ask.words?.title !== undefined && ask.words.from === undefined
        ? inLanguage(ask.words.title, this.language)
        : undefined
    const name = html`<bdi class="name">${escapeInvisible((ask.name ?? '?').slice(0, 100))}</bdi>`
    return html`${called === undefined ? name : html`<bdi class="called">${escapeInvisible(called)}</bdi>`}<span class="times"> × ${times}</span>${called === undefined ? nothing : html` · ${name}`}${effects}`
  }

  /** Nothing is asked any more: the focus goes back to where it came from. */
  protected override focusInstead(): void {
    if (this.#open.length > 0) return void this.present(wrote())
    this.#origin?.focus({ preventScroll: true })
    this.#origin = undefined
    if (focused() === document.body) this.dispatchEvent(new Event('questions-over'))
  }

  override updated(): void {
    const means = meaning(this.#ticked)
    if (means !== this.#means) {
      this.#means = means
      this.#arming.restart() // a row ticked itself, or a person did: what the bar says is to be read first
    }
    this.#arming.watch(this.renderRoot.querySelector('.title'), this.renderRoot.querySelector('.deciding'))
    decides(this.renderRoot.querySelector('.refuse'), () => ({
      question: meaning(this.#rows),
      armed: this.#arming.holds,
    }))
    decides(this.renderRoot.querySelector('.allow'), () => ({
      question: `${meaning(this.#ticked)} of ${meaning(this.#rows)}`,
      armed: this.#canAllow,
    }))
    if (!(this.renderRoot as ShadowRoot).activeElement && !focusIsTaken()) this.#focusBar(wrote())
  }
}

const meaning = (rows: readonly SluiceApproval[]): string => rows.map(({ ask }) => meaningOf(ask)).join()

/** Questions of the same tool and kind together, in the order of the first of each. */
function groupsOf(asks: readonly QuestionView[]): [string, QuestionView[]][] {
  const groups = new Map<string, QuestionView[]>()
  for (const ask of asks) {
    const key = `${ask.stage} ${ask.name ?? ''}`
    groups.set(key, [...(groups.get(key) ?? []), ask])
  }
  return [...groups]
}

define('sluice-questions', SluiceQuestions)
