// <sluice-card>: one call of a tool, in one line until a person opens it.
import { html, nothing, render, type PropertyValues, type TemplateResult } from 'lit'
import { plain } from '../../../app/bridge/question.js'
import type { CardStatus, FilePart, Json, JsonObject, ResultPart } from '../../../engine/core/events.js'
import { whatOf } from '../../../app/bridge/sentence.js'
import { inLanguage } from '../../../engine/core/in-language.js'
import { pointerOf } from '../../../engine/core/pointer.js'
import type { LocalizedText } from '../../../engine/core/tool-words.js'
import '../approval/approval-element.js'
import { argumentList, argumentStyles, labelled, summary } from '../approval/arguments.js'
import { ARM_MS } from '../approval/arming.js'
import { drawDecisions, drawFacts } from './facts.js'
import { looks, type Tone } from './looks.js'
import { Written } from './written.js'
import { cardStyles } from './card-styles.js'
import { onRenderers, rendererOf, type CardRenderer } from './card-renderers.js'
import { copyText } from '../shared/copy.js'
import { define, SluiceElement } from '../shared/base-element.js'
import { count, duration } from '../shared/format.js'
import { icon, iconFor, isIcon, type IconName } from '../shared/icons.js'
import { imageSource } from '../shared/images.js'
import { adopt, drawMade, LateFile } from '../shared/late-file.js'
import { ownIcon } from './own-icon.js'
import { linkOpener } from '../shared/link-opener.js'
import { exported } from '../shared/parts.js'
import { shareOf } from './share.js'
import { escapeInvisible, markInvisible } from '../shared/mark-invisible.js'
import { controls, foreign, tokens } from '../shared/theme.js'
import { actions } from '../text/actions.js'
import type { ApprovalsMode, QuestionView, CardView, MessageSource } from '../ui-types.js'

type Part = ResultPart | FilePart

/** How many characters of a text are shown at first. */
const SHOWN = 4000
/** So many pictures of a result stand on the closed card. */
const THUMBNAILS = 4
/** Longer results are not parsed as JSON and drawn as a tree. */
const LARGEST_JSON = 2_000_000
/** How many characters, of how many arguments, are shown of a call that the model is writing: the last ones. */
const WRITING = { characters: 1500, arguments: 6 }

const jsonFile = new LateFile(() => import('./json-view.js'))

export class SluiceCard extends SluiceElement {
  static override styles = [tokens, controls, foreign, argumentStyles, cardStyles]
  static override properties = {
    card: { attribute: false },
    ask: { attribute: false },
    asks: { attribute: false },
    message: { attribute: false },
    approvals: { attribute: false },
    compact: { type: Boolean, reflect: true },
    armMs: { attribute: false },
    name: { type: String },
    still: { type: Boolean },
    quiet: { type: Boolean, reflect: true },
    open: { type: Boolean, reflect: true },
  }

  declare card: CardView | undefined
  /** The open question about this call, if there is one. */
  declare ask: QuestionView | undefined
  /** The open questions of the message by call: those about nested calls are drawn with their cards. */
  declare asks: ReadonlyMap<number, QuestionView> | undefined
  /** The message that answers the question and stops the call. A card of a saved message has none. */
  declare message: MessageSource | undefined
  declare approvals: ApprovalsMode
  /** The question is one of many: the card shows nothing else. */
  declare compact: boolean
  /** `armMs` of the question. */
  declare armMs: number
  /** Who asks, in its question. */
  declare name: string | undefined
  /** The message has ended: nothing moves, whatever the state is. */
  declare still: boolean
  /** A call that nobody waits for: a mark at the edge until it is opened. */
  declare quiet: boolean
  declare open: boolean

  readonly #time = document.createElement('span')
  /** Files of the result. */
  readonly #files = document.createElement('div')
  #ticking: ReturnType<typeof setInterval> | undefined
  readonly #whole = new Set<string>()
  #written: { of: number; text: Written } | undefined
  /** Parts of results that came as pictures and are none. */
  readonly #none = new WeakSet<Part>()
  #json: { of: string; lang: string; node: HTMLElement | undefined } | undefined
  /** The section that was copied a moment ago. */
  #copied: string | undefined
  #copiedTimer: ReturnType<typeof setTimeout> | undefined
  #renderer: CardRenderer | undefined
  /** What the app draws, and where it stands. */
  #drawn: Node | undefined
  readonly #place = Object.assign(document.createElement('div'), { slot: 'card' })
  #offRenderers: (() => void) | undefined
  #own: { of: string; element: HTMLElement } | undefined

  constructor() {
    super()
    this.approvals = 'inline'
    this.compact = false
    this.armMs = ARM_MS
    this.still = false
    this.open = this.quiet = false
    this.#files.className = 'media'
    this.#files.setAttribute('part', 'media')
    actions(this.#files, () => ({ words: this.words, openLink: linkOpener(this.message) }))
    this.#time.className = 'time'
    this.#time.setAttribute('part', 'duration')
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#tick(false)
    this.#offRenderers?.()
    this.#offRenderers = undefined
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#offRenderers ??= onRenderers(() => this.requestUpdate())
  }

  /** Focuses the card's header, after its question was answered. */
  focusHeader(): void {
    this.renderRoot.querySelector<HTMLElement>('.toggle')?.focus({ preventScroll: true })
  }

  override willUpdate(): void {
    const { silent, status, output, parts } = this.card ?? {}
    if (output && jsonFile.file === undefined && mayBeJson(output))
      void jsonFile.load().then(() => this.requestUpdate())
    const files = parts?.filter(({ type }) => type === 'file') ?? []
    if (files.length > 0 || this.#files.firstChild)
      void drawMade('drawMedia', this.#files, this.renderRoot, files, this.words)
    this.quiet = silent === true && status !== 'streaming' && !this.ask
    const renderer = rendererOf(this.card?.name)
    const before = this.#drawn
    this.#drawn = this.#byApp(renderer, renderer === this.#renderer ? before : undefined)
    this.#renderer = renderer
    if (before === this.#drawn) return
    this.#place.remove()
    if (!this.#drawn) return
    this.#place.replaceChildren(this.#drawn)
    this.append(this.#place)
  }

  /** What the app draws of the card; none where it has nothing, or throws. */
  #byApp(renderer: CardRenderer | undefined, before: Node | undefined): Node | undefined {
    const { card, message, language } = this
    if (!renderer || !card) return undefined
    try {
      return (
        renderer.render(card, {
          ...(message ? { message } : {}),
          lang: language,
          ...(before ? { node: before } : {}),
        }) ?? undefined
      )
    } catch (error) {
      reportError(error)
      return undefined
    }
  }

  #lineByApp(card: CardView): string | undefined {
    try {
      const line = this.#renderer?.line?.(card)
      return line === undefined ? undefined : escapeInvisible(String(line).slice(0, 300))
    } catch (error) {
      reportError(error)
      return undefined
    }
  }

  override updated(_changed: PropertyValues): void {
    this.#tick(
      !this.still && this.isConnected && this.card?.status === 'executing' && this.card.startedAt !== undefined,
    )
    this.#showTime()
  }

  #tick(on: boolean): void {
    if (on === (this.#ticking !== undefined)) return
    if (on) this.#ticking = setInterval(() => this.#showTime(), 100)
    else this.#ticking = void clearInterval(this.#ticking)
  }

  #showTime(): void {
    const { startedAt, durationMs } = this.card ?? {}
    const ms = durationMs ?? (this.#ticking === undefined ? undefined : Date.now() - (startedAt as number))
    // No running time for a tool that ends at once.
    const text = ms === undefined || (durationMs === undefined && ms < 300) ? '' : duration(ms, this.words)
    if (this.#time.textContent !== text) this.#time.textContent = text
  }

  // -- the line -------------------------------------------------------------------------------------------------------

  override render(): TemplateResult | typeof nothing {
    const { card, words } = this
    if (!card) return nothing
    const status: CardStatus = card.status ?? 'pending'
    const stopped = status === 'unknown' && card.reason === 'cancelled'
    const [tone, sign] = stopped ? looks.cancelled : (looks[status] ?? looks.unknown)
    const moving = !this.still
    const name = this.#title ?? (escapeInvisible(card.name ?? card.askedName ?? '').slice(0, 200) || words.aCall)
    const asks = this.ask && this.message && this.approvals === 'inline' ? this.ask : undefined
    if (this.quiet && !this.open && !asks) return this.#mark(card, status)
    return html`<article class="card ${tone} ${moving ? status : ''} ${this.open ? 'open' : ''}" part="card ${status}" aria-label="${words.aCall} ${name}">
      ${moving && status === 'executing' ? html`<div class="shimmer" aria-hidden="true"></div>` : nothing}
      <div class="head" ?hidden=${asks !== undefined && this.compact}>
        <button type="button" class="toggle" part="header" aria-expanded=${this.open} aria-controls="body" @click=${this.#toggle}>
          <span class="picture" part="icon">${this.#icon(card)}</span>
          <span class="call"><bdi class="name" part="name">${name}</bdi>${asks ? nothing : this.#summary(tone)}</span>
          <span class="state" part="state">${this.#sign(tone, sign)}<span>${this.#state(status)}</span></span>
          ${this.#time}
          <span class="chevron">${icon('chevron')}</span>
        </button>
        ${moving && this.message && (status === 'executing' || status === 'streaming') && card.source !== 'provider' ? this.#stop() : nothing}
      </div>
      ${status === 'streaming' ? this.#writing(card) : nothing}
      ${card.progress && status === 'executing' ? this.#progress(card, card.progress) : nothing}
      ${stopped && card.reads !== true ? html`<p class="line" part="notice">${words.mayHaveHappened}</p>` : nothing}
      ${this.open ? nothing : this.#thumbnails(card)}
      ${this.#drawn && (this.#renderer?.open || this.open) ? html`<div class="drawn-by-app" part="custom"><slot name="card"></slot></div>` : nothing}
      ${card.notice ? html`<p class="line notice" part="notice">${icon('warning')}<bdi>${markInvisible(card.notice.slice(0, 1000))}</bdi></p>` : nothing}
      ${asks ? html`<sluice-approval part="approval" exportparts=${exported.approval} .ask=${asks} .card=${card} .message=${this.message} .compact=${this.compact} .name=${this.name} .armMs=${this.armMs}></sluice-approval>` : nothing}
      ${card.nested?.map((one) => this.#nested(one))}
      ${moving && status === 'streaming' ? html`<div class="bar" aria-hidden="true"></div>` : nothing}
      <div class="body" id="body" part="body" ?hidden=${!this.open}>${this.open ? this.#body(card, asks !== undefined) : nothing}</div>
    </article>`
  }

  /** The elements of the calls that its tool made of others. */
  get nested(): SluiceCard[] {
    // An element that was never in a page has drawn nothing.
    return this.hasUpdated ? [...this.renderRoot.querySelectorAll<SluiceCard>('sluice-card')] : []
  }

  /** The person opened it, or a card within it. */
  get opened(): boolean {
    return this.open || this.nested.some((card) => card.opened)
  }

  /** Draws a call that its tool made of another one. */
  #nested(card: CardView): TemplateResult {
    return html`<sluice-card class="nested" exportparts=${exported.card} .card=${card} .ask=${this.asks?.get(card.call)} .asks=${this.asks} .message=${this.message} .approvals=${this.approvals} .compact=${this.compact} .name=${this.name} .armMs=${this.armMs} .still=${this.still} lang=${this.language}></sluice-card>`
  }

  #state(status: CardStatus): string {
    const below = this.approvals === 'dock' && this.ask !== undefined && status.startsWith('awaiting')
    if (status === 'unknown' && this.card?.reason === 'cancelled') return this.words.status.cancelled
    return below ? this.words.asksBelow : (this.words.status[status] ?? status)
  }

  /**
   * A call that nobody waits for, such as an expression of the pet: a small picture at the edge, which says on hover
   * what it was.
   */
  #mark(card: CardView, status: CardStatus): TemplateResult {
    const { words } = this
    const failed = status !== 'success' || card.notice !== undefined
    const what = whatOf(
      { stage: 'execution', name: card.name, words: card.words, arguments: card.arguments },
      words,
      this.language,
    )
      .map(({ text }) => text)
      .join('')
    const said = [
      card.words
        ? what
        : [escapeInvisible((card.name ?? '').slice(0, 100)), card.arguments ? summary(card.arguments) : '']
            .filter(Boolean)
            .join(' '),
      failed ? escapeInvisible((card.notice ?? card.error ?? words.status[status] ?? status).slice(0, 300)) : '',
    ]
      .filter(Boolean)
      .join(': ')
    // a tag that did nothing harms nobody
    const alarming = failed && (card.source !== 'inline_tags' || card.notice !== undefined)
    return html`<button type="button" class="mark ${alarming ? 'failed' : ''}" part="mark" aria-label=${said} title=${said} aria-expanded="false" @click=${this.#toggle}>${this.#icon(card)}</button>`
  }

  /** What people call the tool; a stranger's words are not put in the place of its name. */
  get #title(): string | undefined {
    const { words } = this.card ?? {}
    return words?.title === undefined || words.from !== undefined
      ? undefined
      : escapeInvisible(inLanguage(words.title, this.language)).slice(0, 200)
  }

  readonly #label = (name: string): string | undefined => {
    const labels = this.card?.words?.labels
    const pointer = pointerOf(name)
    return labels && Object.hasOwn(labels, pointer)
      ? inLanguage(labels[pointer] as LocalizedText, this.language)
      : undefined
  }

  #icon({ name, askedName, tags, words }: CardView): TemplateResult | HTMLElement {
    const given = words?.from === undefined ? words?.icon : undefined
    if (given !== undefined && isIcon(given)) return icon(given)
    const kind = iconFor(name ?? askedName ?? '', tags)
    if (!given?.startsWith('data:image/svg+xml,')) return icon(kind)
    if (this.#own?.of !== given) this.#own = { of: given, element: ownIcon(given, kind) }
    return this.#own.element
  }

  #toggle(): void {
    this.open = !this.open
  }

  #summary(tone: Tone): TemplateResult | typeof nothing {
    const { card } = this
    if (tone === 'bad' && card?.error && this.open) return nothing // it stands below
    if (tone === 'bad' && card?.error) {
      return html`<span class="summary error">${escapeInvisible(card.error.slice(0, 200).replace(/\s+/g, ' '))}</span>`
    }
    const own = card && this.#lineByApp(card)
    if (own !== undefined) return html`<span class="summary" part="summary">${own}</span>`
    const values = card?.editedArguments ?? card?.arguments
    return values ? html`<span class="summary" part="summary">${summary(values, this.#label)}</span>` : nothing
  }

  #sign(tone: Tone, sign: IconName | undefined): TemplateResult | typeof nothing {
    if (sign) return icon(sign)
    return tone === 'busy' && !this.still ? html`<span class="spinner" aria-hidden="true"></span>` : nothing
  }

  #stop(): TemplateResult {
    const { message, card, words } = this
    return html`<button type="button" class="button quiet stop" part="stop" aria-label=${words.stop} title=${words.stop}
      @click=${() => Promise.resolve(message?.cancel(card?.call)).catch(() => {})}>${icon('stop')}</button>`
  }

  #progress({ progressDone: done, progressTotal: of }: CardView, text: string): TemplateResult {
    const reported = done !== undefined && of ? [Math.min(done, of), of] : done === undefined ? [shareOf(text), 1] : []
    const [value, max] = reported
    const bar =
      value === undefined
        ? nothing
        : html`<progress class="share" part="progress-bar" role="progressbar" aria-label=${this.words.progress}
      max=${max as number} value=${value}></progress>`
    return html`<p class="line" part="progress"><bdi>${markInvisible(text.slice(-400))}</bdi></p>${bar}`
  }

  /** What is written so far: by argument where it is JSON, else as it comes. */
  #writing({ writing, call }: CardView): TemplateResult | typeof nothing {
    if (!writing) return nothing
    const shown = this.open ? SHOWN * 5 : WRITING.characters
    if (this.#written?.of !== call) this.#written = { of: call, text: new Written() }
    const { members, before } = this.#written.text.read(writing, this.open ? SHOWN : WRITING.arguments, shown)
    const value = (text: string, cut: boolean): TemplateResult =>
      html`<code dir="auto">${cut ? '…' : ''}${markInvisible(text)}</code>`
    return html`<div class="writing" part="writing" dir="ltr"><div class="written">${members.length === 0 ? value(writing.slice(-shown), writing.length > shown) : nothing}
      ${before > 0 ? html`<p>… (${before})</p>` : nothing}
      ${members.map((one) => html`<p>${labelled(this.#label(one.name))} <bdi class="argument-name">${markInvisible(one.name)}</bdi></p>${one.value ? value(one.value, one.cut) : nothing}`)}</div></div>`
  }

  // -- opened ---------------------------------------------------------------------------------------------------------

  #body(card: CardView, asked: boolean): TemplateResult {
    const { words } = this
    return html`
      ${card.arguments && !asked ? this.#section('arguments', words.arguments, plain(card.arguments), this.#arguments(card.arguments, 'arguments')) : nothing}
      ${!card.arguments && card.rawArguments ? this.#textSection('rawArguments', words.arguments, card.rawArguments) : nothing}
      ${card.editedArguments ? this.#section('edited', words.edited, plain(card.editedArguments), this.#arguments(card.editedArguments, 'edited')) : nothing}
      ${card.hostArguments ? this.#section('resolved', words.resolved, plain(card.hostArguments), this.#arguments(card.hostArguments, 'resolved')) : nothing}
      ${
        card.protocolFields && Object.keys(card.protocolFields).length > 0
          ? this.#section(
              'reserved',
              words.reserved,
              plain(card.protocolFields),
              this.#arguments(card.protocolFields, 'reserved'),
            )
          : nothing
      }
      ${card.progress && card.status !== 'executing' ? this.#textSection('progress', words.progress, card.progress) : nothing}
      ${card.error ? this.#textSection('error', words.error, card.error, 'problem') : nothing}
      ${this.#result(card)}
      ${card.hostOutput ? this.#rewritten(card.hostOutput) : nothing}
      ${card.modelOutput && !saysTheSame(card) ? this.#textSection('told', words.modelOutput, card.modelOutput) : nothing}
      ${card.raw ? this.#textSection('raw', words.raw, card.raw) : nothing}
      ${card.approvals?.length ? this.#section('approvals', words.approvals, undefined, drawDecisions(card.approvals, words, this.language)) : nothing}
      ${drawFacts(card, this.#title !== undefined, words, this.language)}`
  }

  #section(name: string, title: string, copy: string | undefined, content: unknown): TemplateResult {
    const { words } = this
    const copied = this.#copied === name
    return html`<div class="section" part="section section-${name}" role="group" aria-labelledby="title-${name}">
      <div class="title"><h4 id="title-${name}">${title}</h4>${
        copy === undefined
          ? nothing
          : html`<button type="button"
        class="button quiet copy" part="copy" aria-label="${words.copy}: ${title}" @click=${() => this.#copy(name, copy)}
        >${icon(copied ? 'check' : 'copy')}<span aria-live="polite">${copied ? words.copied : ''}</span></button>`
      }</div>
      ${content}
    </div>`
  }

  #textSection(name: string, title: string, text: string, className = ''): TemplateResult {
    return this.#section(name, title, text, this.#text(name, text, className))
  }

  #text(name: string, text: string, className = ''): TemplateResult {
    const cut = text.length > SHOWN && !this.#whole.has(name)
    return html`<div class="value ${className}" dir="auto" tabindex=${text.length > 400 ? 0 : nothing}>${markInvisible(cut ? text.slice(0, SHOWN) : text)}</div>
      ${
        cut
          ? html`<button type="button" class="more" @click=${() => this.#showWhole(name)}
        >${this.words.showAll(count(text.length, this.language))}</button>`
          : nothing
      }`
  }

  #arguments(values: JsonObject, section: string): TemplateResult {
    const prefix = section + '.'
    const whole = new Set(
      [...this.#whole].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
    )
    return argumentList(values, {
      words: this.words,
      lang: this.language,
      limit: SHOWN,
      whole,
      label: this.#label,
      showWhole: (name) => this.#showWhole(prefix + name),
    })
  }

  #showWhole(name: string): void {
    this.#whole.add(name)
    this.requestUpdate()
  }

  #result({ output: given, error, parts }: CardView): TemplateResult | typeof nothing {
    const output = given === error ? undefined : given
    if (output === undefined && !parts?.length) return nothing
    const { words } = this
    const tree = output && this.#tree(output)
    const content =
      tree || (output ? this.#text('result', output) : parts ? nothing : html`<p class="none">${words.noOutput}</p>`)
    return this.#section(
      'result',
      words.result,
      output || undefined,
      html`${content}${(parts ?? []).map((part) => this.#part(part, output))}${this.#files}`,
    )
  }

  #rewritten({ text, parts }: NonNullable<CardView['hostOutput']>): TemplateResult {
    const { words } = this
    const images = (parts ?? []).map((part) => this.#part(part, text))
    return html`<details class="rewritten" part="section section-rewritten"><summary>${words.rewritten}</summary>
      ${text || images.length > 0 ? nothing : html`<p class="none">${words.noOutput}</p>`}${text ? this.#text('rewritten', text) : nothing}${images}</details>`
  }

  /**
   * JSON as a tree; undefined where it is text. Nothing stands there until the file that draws it has come: text would
   * be seen for a moment.
   */
  #tree(output: string): HTMLElement | typeof nothing | undefined {
    const lang = this.language
    const { file } = jsonFile
    if (!file) return file === undefined && mayBeJson(output) ? nothing : undefined
    adopt(this.renderRoot, file.jsonStyles)
    if (this.#json?.of !== output || this.#json.lang !== lang) {
      const value = readJson(output)
      this.#json = { of: output, lang, node: value === undefined ? undefined : file.jsonView(value, this.words, lang) }
    }
    return this.#json.node
  }

  #part(part: Part, output: string | undefined): TemplateResult | typeof nothing {
    if (part.type === 'text')
      return part.text === output
        ? nothing
        : html`<div class="value" dir="auto">${markInvisible(part.text.slice(0, SHOWN))}</div>`
    if (part.type !== 'image') return nothing
    if ('url' in part)
      // not loaded: the request would tell its server
      return html`<p class="facts">${this.words.imageAt}: <bdi>${markInvisible(part.url.slice(0, 500))}</bdi></p>`
    const source = this.#source(part)
    if (source)
      return html`<img class="picture-result" part="image" alt=${this.words.image} src=${source} @error=${() => this.#isNone(part)}>`
    return html`<p class="facts">${this.words.notDrawn(part.data.length)} <bdi>${markInvisible(part.mediaType.slice(0, 100))}</bdi></p>`
  }

  /** The address of a picture that can be drawn. */
  #source(part: Part): string | undefined {
    return part.type === 'image' && 'data' in part && !this.#none.has(part) ? imageSource(part) : undefined
  }

  /** What came as a picture is none. */
  #isNone(part: Part): void {
    this.#none.add(part)
    this.requestUpdate()
  }

  /** Pictures of a result, small, on the closed card. */
  #thumbnails({ parts, status }: CardView): TemplateResult | typeof nothing {
    const pictures = (parts ?? []).filter((part) => this.#source(part))
    if (pictures.length === 0 || status !== 'success') return nothing
    const sources = pictures.map((part) => this.#source(part) as string)
    const { words } = this
    return html`<div class="thumbs" part="thumbnails">${sources.slice(0, THUMBNAILS).map(
      (source, at) => html`<button type="button" class="thumb" part="thumbnail"
      aria-label=${words.pictureOf(at + 1, sources.length)} @click=${() => void this.#enlarge(sources, at)}><img alt="" src=${source}
      @error=${() => this.#isNone(pictures[at] as Part)}>${at === THUMBNAILS - 1 && sources.length > THUMBNAILS ? html`<span>+${sources.length - THUMBNAILS}</span>` : nothing}</button>`,
    )}</div>`
  }

  /** Few pictures are looked at: the file that shows them is loaded by the first click. */
  async #enlarge(sources: readonly string[], at: number): Promise<void> {
    const { openLightbox } = await import('../shared/lightbox.js')
    openLightbox(this.renderRoot as ShadowRoot, sources, at, this.words, (name, into) => render(icon(name), into))
  }

  async #copy(name: string, text: string): Promise<void> {
    if (!(await copyText(text))) return
    this.#copied = name
    this.requestUpdate()
    clearTimeout(this.#copiedTimer)
    this.#copiedTimer = setTimeout(() => {
      this.#copied = undefined
      this.requestUpdate()
    }, 1500)
  }
}

/**
 * The model reads what the card shows already: the result, the error (with a word in front of it), or the text in their
 * place.
 */
function saysTheSame({ modelOutput, output, error, hostOutput }: CardView): boolean {
  if (modelOutput === output || modelOutput === hostOutput?.text) return true
  return (
    error !== undefined && !!modelOutput?.trimEnd().endsWith(error.trimEnd()) && modelOutput.length <= error.length + 40
  )
}

const mayBeJson = (text: string): boolean => text.length <= LARGEST_JSON && /^\s*[{[]/.test(text)

function readJson(text: string): Json | undefined {
  if (!mayBeJson(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

define('sluice-card', SluiceCard)
