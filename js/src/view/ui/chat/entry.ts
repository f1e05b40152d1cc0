// <sluice-entry>, inside of a thread: what somebody said, what can be done with it, and what came of it.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { withoutOverrides } from '../../../app/bridge/overrides.js'
import { allCards } from '../../../engine/core/cards.js'
import { copyText } from '../shared/copy.js'
import { define, SluiceElement } from '../shared/base-element.js'
import { textOf } from '../shared/ends.js'
import { count as countOf } from '../shared/format.js'
import { schedule, unschedule } from '../shared/frame.js'
import { imageSource } from '../shared/images.js'
import '../message/message-element.js'
import { exported } from '../shared/parts.js'
import { controls, tokens } from '../shared/theme.js'
import type { ApprovalsMode, CuesMode, MessageSource, MessageView } from '../ui-types.js'
import { AttachedFiles } from './attached-files.js'
import { entryStyles } from './entry-styles.js'
import { chatText, type ChatStrings } from './chat-strings.js'
import type { OpenLink } from '../text/text-types.js'
import { hourOf } from './times.js'
import { oneTabStop, toolbar, toolButton, type Tool } from './toolbar.js'
import type {
  ActionDetail,
  ChatConversation,
  EntryAction,
  EntryView,
  LoadImage,
  RenderText,
  UsageMode,
} from './chat-types.js'
import { usageOf } from './usage-line.js'
import { waysOn } from './ways-on.js'

/** A person's own text is folded behind so many lines. */
const LINES = 12
/** About so many characters are a line, where it has no breaks. */
const WIDTH = 80

export class SluiceEntry extends SluiceElement {
  static override styles = [tokens, controls, entryStyles]
  static override properties = {
    entry: { attribute: false },
    message: { attribute: false },
    conversation: { attribute: false },
    name: { attribute: false },
    day: { attribute: false },
    usage: { attribute: false },
    cues: { attribute: false },
    approvals: { attribute: false },
    calls: { attribute: false },
    can: { attribute: false },
    position: { attribute: false },
    size: { attribute: false },
    last: { type: Boolean, reflect: true },
    unanswered: { type: Boolean },
    busy: { type: Boolean },
    offline: { type: Boolean },
    heard: { type: Boolean },
    renderText: { attribute: false },
    loadImage: { attribute: false },
    openLink: { attribute: false },
    open: { state: true },
    editing: { state: true },
    deleting: { state: true },
    copied: { state: true },
  }

  declare entry: EntryView | undefined
  declare message: MessageSource | undefined
  declare conversation: ChatConversation | undefined
  declare name: string
  /** Said above it: the first entry of a day. */
  declare day: string
  declare usage: UsageMode
  declare cues: CuesMode
  declare approvals: ApprovalsMode
  declare calls: 'each' | 'folded'
  /** What the client can, beside what every client can. */
  declare can: { goOn: boolean; delete: boolean; speak: boolean }
  /** Which of how many entries it is, from 1. */
  declare position: number
  declare size: number
  declare last: boolean
  /** A question without an answer, and nothing goes on. */
  declare unanswered: boolean
  /** An answer goes on: nothing else can be asked. */
  declare busy: boolean
  declare offline: boolean
  /** A voice is heard: it can be ended. */
  declare heard: boolean
  declare renderText: RenderText | undefined
  declare loadImage: LoadImage | undefined
  declare openLink: OpenLink | undefined
  declare open: boolean
  declare editing: boolean
  declare deleting: boolean
  declare copied: boolean

  #off: (() => void) | undefined
  #followed: MessageSource | undefined
  #view: MessageView | undefined
  #draft: string | undefined
  #pictures = new Map<string, string | null>()
  readonly #files = new AttachedFiles(() => this.requestUpdate())
  #copiedTimer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.name = this.day = ''
    this.position = this.size = 1
    this.usage = 'last'
    this.cues = 'margin'
    this.approvals = 'inline'
    this.calls = 'folded'
    this.can = { goOn: false, delete: false, speak: false }
    this.last =
      this.unanswered =
      this.busy =
      this.offline =
      this.heard =
      this.open =
      this.editing =
      this.deleting =
      this.copied =
        false
  }

  get chat(): ChatStrings {
    return chatText(this.language)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#unfollow()
    clearTimeout(this.#copiedTimer)
    this.copied = false
  }

  // -- its message ----------------------------------------------------------------------------------------------------

  override willUpdate(_: PropertyValues): void {
    if (this.message !== this.#followed && this.isConnected) {
      this.#unfollow()
      this.#followed = this.message
      this.#off = this.message?.subscribe(() => schedule(this.#look))
      this.#view = this.message?.getSnapshot()
    }
  }

  #unfollow(): void {
    this.#off?.()
    this.#off = this.#followed = undefined
    unschedule(this.#look)
  }

  /** Text is drawn by the message: here only what stands around it. */
  readonly #look = (): void => {
    const view = this.#followed?.getSnapshot()
    const before = this.#view
    this.#view = view
    if (view?.outcome !== before?.outcome || (view?.outcome !== undefined && view.usage !== before?.usage))
      this.requestUpdate()
  }

  // -- what is done ---------------------------------------------------------------------------------------------------

  /** Does it here, or has the thread do it: `act` of the thread hears it. */
  readonly #act = (action: EntryAction): void => {
    const { entry } = this
    if (!entry) return
    const detail: ActionDetail = { action, entry }
    if (
      !this.dispatchEvent(new CustomEvent('sluice-action', { detail, bubbles: true, composed: true, cancelable: true }))
    )
      return
    if (action === 'copy') void this.#copy()
    else if (action === 'edit') this.edit()
    else if (action === 'delete') this.#askToDelete()
    else this.#do(action)
  }

  #do(action: EntryAction, text?: string): void {
    this.dispatchEvent(
      new CustomEvent('entry-do', {
        detail: { action, entry: this.entry, ...(text === undefined ? {} : { text }) },
        bubbles: true,
        composed: true,
      }),
    )
  }

  /** What is copied and read aloud: the text without cards. */
  get text(): string {
    if (this.entry?.role === 'user') return this.entry.text
    return textOf(this.message?.getSnapshot().blocks ?? [])
  }

  async #copy(): Promise<void> {
    if (!(await copyText(this.text))) return
    this.copied = true
    clearTimeout(this.#copiedTimer)
    this.#copiedTimer = setTimeout(() => (this.copied = false), 2000)
  }

  /** Opens the question to be changed. `draft`: what was written in its place. */
  edit(draft?: string): void {
    this.#draft = draft
    this.editing = true
    void this.updateComplete.then(() => {
      const field = this.renderRoot.querySelector('textarea')
      field?.focus()
      field?.setSelectionRange(field.value.length, field.value.length)
    })
  }

  #leaveEdit(): void {
    this.editing = false
    this.focusTool('edit')
  }

  #save(): void {
    const text = this.renderRoot.querySelector('textarea')?.value ?? ''
    if (text.trim() === '' || this.busy || this.offline) return
    this.editing = false
    this.#do('edit', text)
  }

  readonly #onEditKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      this.#leaveEdit()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (!event.repeat) this.#save()
    }
  }

  #askToDelete(): void {
    this.deleting = true
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('.deleting .button')?.focus())
  }

  #leaveDelete(): void {
    this.deleting = false
    this.focusTool('delete')
  }

  /** Puts the focus on a button of the toolbar. */
  focusTool(action: EntryAction): void {
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(`[data-action=${action}]`)?.focus({ preventScroll: true }),
    )
  }

  /** Puts the focus on the entry. A host that has it would hide its buttons from Tab. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector<HTMLElement>('.entry')?.focus(options)
  }

  protected override focusInstead(): void {
    this.focus({ preventScroll: true })
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  get #heading(): string {
    const { entry, chat } = this
    return chat.said(
      entry?.role === 'user' ? chat.you : this.name || chat.assistant,
      hourOf(entry?.at ?? 0, this.language),
    )
  }

  override render(): TemplateResult | typeof nothing {
    const { entry } = this
    if (!entry) return nothing
    const mine = entry.role === 'user'
    return html`<div class="entry" role="article" tabindex="-1" aria-label=${this.#heading} aria-posinset=${this.position} aria-setsize=${this.size}>${this.day ? html`<p class="day" part="day">${this.day}</p>` : nothing}
      <h3 class="hidden-text">${this.#heading}</h3>
      <div class=${mine ? 'mine' : 'theirs'} part=${mine ? 'mine' : 'theirs'}>${
        mine
          ? this.#mine()
          : html`<sluice-message silent exportparts=${exported.message} .name=${this.name || undefined}
        .message=${this.message} .approvals=${this.approvals} .calls=${this.calls} .cues=${this.cues} .renderText=${this.renderText}
        .loadImage=${this.loadImage} .openLink=${this.openLink}></sluice-message>`
      }</div>
      ${this.#below()}</div>`
  }

  #mine(): TemplateResult {
    const entry = this.entry as EntryView & { role: 'user' }
    if (this.editing) return this.#editor(this.#draft ?? entry.text)
    const long = entry.text.length > LINES * WIDTH || entry.text.split('\n', LINES + 1).length > LINES
    return html`${this.#images(entry)}${this.#files.draw(entry.parts ?? [], this.chat, this.conversation)}
      <div class="words ${long && !this.open ? 'folded' : ''}" dir="auto">${withoutOverrides(entry.text)}</div>
      ${
        long
          ? html`<button type="button" class="unfold" aria-expanded=${this.open ? 'true' : 'false'}
        @click=${() => (this.open = !this.open)}>${this.open ? this.chat.showLess : this.chat.showMore}</button>`
          : nothing
      }`
  }

  #editor(text: string): TemplateResult {
    const { chat } = this
    const off = this.busy || this.offline ? 'true' : 'false'
    return html`<div class="editor"><textarea class="field" aria-label=${chat.editLabel} dir="auto" maxlength="100000" .value=${text} @keydown=${this.#onEditKey}></textarea>
      <div class="deciding"><button type="button" class="button" @click=${() => this.#leaveEdit()}>${chat.cancel}</button>
      <button type="button" class="button primary" aria-disabled=${off} @click=${() => this.#save()}>${chat.save}</button></div></div>`
  }

  #images({ parts = [] }: EntryView & { role: 'user' }): TemplateResult | typeof nothing {
    const images = parts.filter((part) => part.type === 'image') as {
      url?: string
      data?: string
      mediaType?: string
    }[]
    if (images.length === 0) return nothing
    return html`<div class="pictures">${images.map((part) => {
      const key = part.url ?? part.data ?? ''
      const known = this.#pictures.get(key)
      if (known === undefined) this.#load(key, part)
      return known === null
        ? html`<span class="lost">${this.chat.lostPicture}</span>`
        : html`<img alt=${this.chat.picture} src=${known ?? nothing}>`
    })}</div>`
  }

  #load(key: string, part: object): void {
    this.#pictures.set(key, '')
    void (this.conversation?.picture(part as never) ?? Promise.reject(new Error()))
      .then(
        (picture) => imageSource(picture) ?? null,
        () => null,
      )
      .then((source) => {
        this.#pictures.set(key, source)
        this.requestUpdate()
      })
  }

  // -- below ----------------------------------------------------------------------------------------------------------

  #below(): TemplateResult | typeof nothing {
    const { chat } = this
    if (this.editing) return nothing
    if (this.deleting) {
      return html`<div class="deleting" role="group" aria-label=${chat.delete} @keydown=${(event: KeyboardEvent) => event.key === 'Escape' && this.#leaveDelete()}>
        <span>${chat.deleteAsk}</span><button type="button" class="button" @click=${() => this.#leaveDelete()}>${chat.cancel}</button>
        <button type="button" class="button danger" @click=${() => {
          this.deleting = false
          this.#do('delete')
        }}>${chat.delete}</button></div>`
    }
    const over = this.entry?.role === 'user' || this.#view?.outcome !== undefined
    if (!over) return nothing
    return html`${this.#ways()}<div class="below">${this.offline ? nothing : this.#toolbar()}${this.#usage()}${this.#notes()}<time class="time" part="time" datetime=${new Date(this.entry?.at ?? 0).toISOString()}>${hourOf(this.entry?.at ?? 0, this.language)}</time></div>`
  }

  /** Buttons behind an answer that did not end as it should. */
  #ways(): TemplateResult | typeof nothing {
    const { chat } = this
    if (this.offline || this.busy || !this.last) return nothing
    const ways = this.unanswered
      ? ['again' as const]
      : waysOn(this.#view).filter((way) => way !== 'goOn' || this.can.goOn)
    if (ways.length === 0) return nothing
    const mayHaveRun =
      ways.includes('again') && allCards(this.#view?.blocks ?? []).some(({ status }) => status === 'unknown')
    return html`${this.unanswered ? html`<p class="interrupted" role="note">${chat.interrupted}</p>` : nothing}
      ${mayHaveRun ? html`<p class="interrupted may-repeat" role="note">${chat.mayRepeat}</p>` : nothing}
      <div class="ways" part="ways"><slot name="ways"></slot>${ways.map(
        (way) => html`<button type="button" class="button" data-way=${way}
        @click=${() => this.#act(way)}>${way === 'goOn' ? chat.goOn : chat.askAgain}</button>`,
      )}</div>`
  }

  #toolbar(): TemplateResult {
    const { chat, entry, busy } = this
    const mine = entry?.role === 'user'
    const tools: Tool[] = [
      { name: 'copy', label: this.copied ? chat.copied : chat.copy, icon: this.copied ? 'check' : 'copy' },
      ...(mine
        ? [{ name: 'edit', label: chat.edit, icon: 'pencil', off: busy } as Tool]
        : [{ name: 'again', label: chat.again, icon: 'again', off: busy } as Tool]),
      ...(mine
        ? []
        : this.heard
          ? [{ name: 'hush', label: chat.hush, icon: 'stop' } as Tool]
          : this.can.speak
            ? [{ name: 'speak', label: chat.speak, icon: 'sound' } as Tool]
            : []),
      ...(this.can.delete ? [{ name: 'delete', label: chat.delete, icon: 'trash', off: busy } as Tool] : []),
    ]
    const act = (name: string): void => this.#act(name as EntryAction)
    return toolbar(
      chat.actions,
      html`${tools.map((tool) => toolButton(tool, act))}${this.#versions(act)}`,
      this.last ? html`<slot name="actions"></slot>` : nothing,
    )
  }

  #versions(act: (name: string) => void): TemplateResult | typeof nothing {
    const { branch } = this.entry ?? {}
    if (!branch) return nothing
    const { chat } = this
    const [at, all] = [branch.index + 1, branch.count]
    return html`<span class="versions" role="group" aria-label=${chat.version(at, all)}>
      ${toolButton({ name: 'previous', label: chat.previous, icon: 'before', off: this.busy || at === 1 }, act)}
      <span aria-hidden="true">${at} / ${all}</span>
      ${toolButton({ name: 'next', label: chat.next, icon: 'chevron', off: this.busy || at === all }, act)}</span>`
  }

  /** Nobody asked for it; somebody interrupted the voice. */
  #notes(): (TemplateResult | typeof nothing)[] | typeof nothing {
    const { entry, chat } = this
    if (entry?.role !== 'assistant') return nothing
    const { first, heard } = entry
    const note = (text: string): TemplateResult => html`<span class="note" part="note">${text}</span>`
    return [
      first ? note(chat.spokeFirst) : nothing,
      heard === undefined ? nothing : note(heard === '' ? chat.heardNothing : chat.heard(heard)),
    ]
  }

  #usage(): TemplateResult | typeof nothing {
    if (this.usage === 'none' || (this.usage === 'last' && !this.last)) return nothing
    const usage = usageOf(this.#view, this.words, this.chat, (count) => countOf(count, this.language))
    return usage
      ? html`<span class="usage" part="usage" title=${usage.more}>${usage.line}<span class="hidden-text"> ${usage.more}</span></span>`
      : nothing
  }

  override updated(): void {
    oneTabStop(this.renderRoot.querySelector('.toolbar'))
  }
}

define('sluice-entry', SluiceEntry)
