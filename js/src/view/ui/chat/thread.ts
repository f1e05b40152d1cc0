// <sluice-thread>: what was said, the end in sight, and what can be done with each entry.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { define } from '../shared/base-element.js'
import { schedule, unschedule } from '../shared/frame.js'
import { whenIdle } from './idle.js'
import { linkOpener } from '../shared/link-opener.js'
import type { OpenLink } from '../text/text-types.js'
import { controls, tokens } from '../shared/theme.js'
import type { ApprovalsMode, CuesMode, MessageSource } from '../ui-types.js'
import { Announcer } from './announcer.js'
import { EntryList, type Given } from './entry-list.js'
import { AT_ONCE, EntryWindow } from './entry-window.js'
import type { SluiceEntry } from './entry.js'
import { FollowingElement } from './following-element.js'
import { follow, type Now } from './following.js'
import { FollowEnd } from './follow-end.js'
import { fillingView, roughHeight } from './rough-height.js'
import { threadStyles } from './thread-styles.js'
import { dayOf, sameDay } from './times.js'
import type {
  AnnounceMode,
  ChatSpeaker,
  EntryAction,
  EntryView,
  LoadImage,
  RenderText,
  UsageMode,
} from './chat-types.js'
import { Voices } from './voice-button.js'

/** Entries come from above when so few pixels are left. */
const AHEAD = 600
/**
 * What waits is drawn in pieces of so many milliseconds, but of so many entries at least: each piece has the page laid
 * out once more.
 */
const SLICE_MS = 8
const LEAST = 4

interface Do {
  action: EntryAction
  entry: EntryView
  text?: string
}

export class SluiceThread extends FollowingElement {
  static override styles = [tokens, controls, threadStyles]
  static override properties = {
    conversation: { type: String },
    name: { type: String },
    usage: { type: String },
    cues: { type: String },
    approvals: { type: String },
    calls: { type: String },
    announce: { type: String },
    renderText: { attribute: false },
    loadImage: { attribute: false },
    voice: { attribute: false },
  }

  declare conversation: string
  declare name: string
  declare usage: UsageMode
  declare cues: CuesMode
  declare approvals: ApprovalsMode
  declare calls: 'each' | 'folded'
  declare announce: AnnounceMode
  declare renderText: RenderText | undefined
  declare loadImage: LoadImage | undefined
  declare voice: ChatSpeaker | undefined

  readonly #entries = new EntryWindow()
  readonly #list = new EntryList()
  readonly #voices = new Voices(() => this.requestUpdate())
  readonly #end = new FollowEnd(
    () => this.#ended(),
    (scroller) => this.#scrolled(scroller),
  )
  readonly #announcer = new Announcer({
    mode: () => this.announce,
    name: () => this.name || this.chat.assistant,
    words: () => ({ elements: this.words, chat: this.chat }),
    lang: () => this.language,
    say: (text, how) => this.#say(text, how),
  })
  #now: Now | undefined
  #opener: OpenLink | undefined
  #opened = false
  #fetching: string | undefined
  #trouble = ''
  /** The last entry when the end was let go: what stands behind it came since. */
  #seen: string | undefined
  /** How many entries more are drawn when there is time, and what keeps them from it. */
  #slice = LEAST
  #offIdle: (() => void) | undefined
  /** The version that a person asked for: the place in the conversation, and the button that has the focus. */
  #choosing: { at: number; index: number; action: EntryAction } | undefined

  constructor() {
    super()
    this.conversation = 'main'
    this.name = ''
    this.usage = 'last'
    this.cues = 'margin'
    this.approvals = 'inline'
    this.calls = 'folded'
    this.announce = 'end'
  }

  /** The end of the conversation is followed. */
  get follow(): boolean {
    return this.#end.sticks
  }

  // -- following ------------------------------------------------------------------------------------------------------

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#end.detach()
    this.#offIdle?.()
    this.#offIdle = undefined
  }

  protected override leave(): void {
    this.#now = undefined
    this.#voices.leave()
    this.#announcer.close()
    unschedule(this.#announceNow)
  }

  override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (this.isConnected) this.#voices.follow(this.voice, this.client?.voice)
  }

  protected override enter(): (() => void) | undefined {
    this.#opened = false
    this.#trouble = ''
    const { client, conversation } = this
    this.#opener = linkOpener(client, (error) => this.#fail(error))
    if (!client) return undefined
    const off = follow(client, conversation, (now) => this.#take(now))
    const opened = client.open(conversation).opened ?? Promise.resolve()
    void opened
      .then(
        () => (this.#opened = true),
        (error: unknown) => this.#fail(error),
      )
      .then(() => this.requestUpdate())
    return off
  }

  /** Comes with every change of the last answer: what draws itself is left alone. */
  #take(now: Now): void {
    const before = this.#now
    this.#now = now
    this.#end.slack = now.doing === 'asking' ? 2 : 0
    if (now.conversation !== before?.conversation) this.#changed(now, before)
    else if (now.doing !== before.doing || now.live !== before.live) this.requestUpdate()
    schedule(this.#announceNow)
  }

  #changed({ conversation }: Now, before: Now | undefined): void {
    const known = before?.conversation.entries.at(-1)?.id
    const last = conversation.entries.at(-1)
    const at = conversation.entries.findIndex(({ id }) => id === known)
    const asked = conversation.entries.slice(at + 1).some(({ role }) => role === 'user')
    const other = this.#entries.set(conversation, this.#end.sticks, this.#filling(conversation.entries))
    // Who asks wants to see the answer; who reads further up is left there while others go on.
    if (other || (asked && known !== undefined && at >= 0 && last?.id !== known)) this.scrollToEnd()
    this.requestUpdate()
  }

  /** How many of the last entries fill the view: the first task draws no more than that. */
  #filling(entries: readonly EntryView[]): number {
    return fillingView(
      innerHeight,
      entries
        .slice(-AT_ONCE)
        .reverse()
        .map((entry) => roughHeight(entry, this.#messageOf(entry))),
    )
  }

  #messageOf(entry: EntryView): MessageSource | undefined {
    return entry.role === 'assistant' ? (this.client?.message(entry.message) as MessageSource | undefined) : undefined
  }

  readonly #announceNow = (): void => {
    const { view, live, doing } = this.#now ?? {}
    if (doing !== 'offline') this.#announcer.see(view, live?.asked === true)
  }

  #say(text: string, how: 'polite' | 'assertive'): void {
    const region = this.renderRoot?.querySelector(`.told.${how}`)
    if (region) region.textContent = text
  }

  // -- the window of entries ------------------------------------------------------------------------------------------

  /** Shows the end, and follows it. */
  scrollToEnd(): void {
    this.#entries.end()
    this.#end.jump()
    this.requestUpdate()
  }

  /**
   * The end is in the page at once, what stands above it comes piece by piece. Only while the end is followed: nothing
   * that is read moves.
   */
  #fill(): void {
    if (!this.#end.sticks || !this.#entries.fill(0)) return
    this.#offIdle ??= whenIdle(() => {
      this.#offIdle = undefined
      if (!this.#end.sticks || !this.isConnected) return
      const begun = performance.now()
      this.#entries.fill(this.#slice)
      this.requestUpdate()
      // Entries and their messages draw themselves behind the thread; a task ends when all of that is done.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        const took = performance.now() - begun
        this.#slice = Math.max(
          LEAST,
          Math.min(this.#slice * 2, Math.floor((this.#slice * SLICE_MS) / Math.max(took, 1))),
        )
        port1.close()
      }
      port2.postMessage(undefined)
    })
  }

  #ended(): void {
    this.#seen = this.#end.sticks ? undefined : (this.#seen ?? this.#now?.conversation.entries.at(-1)?.id)
    this.requestUpdate()
  }

  #scrolled(scroller: HTMLElement): void {
    if (scroller.scrollTop < AHEAD && !this.#end.sticks) this.#upwards(scroller)
    else if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AHEAD && this.#entries.down()) {
      this.#end.sticks = false // there is more behind what looked like the end
      this.requestUpdate()
    }
  }

  #upwards(scroller: HTMLElement): void {
    // at 0 the browser keeps no place
    if (scroller.scrollTop === 0 && (this.#entries.missing || this.#entries.first > 0)) scroller.scrollTop = 1
    if (this.#entries.up()) return this.requestUpdate()
    const before = this.#entries.missing
    if (!before || !this.client || this.#fetching === before) return
    this.#fetching = before
    this.requestUpdate()
    void this.client
      .open(this.conversation)
      .earlier(before)
      .then(
        (entries) => this.#entries.add(before, entries),
        (error: unknown) => this.#fail(error),
      )
      .then(() => {
        this.#fetching = undefined
        this.requestUpdate()
      })
  }

  // -- what is done with entries --------------------------------------------------------------------------------------

  readonly #onDo = (event: CustomEvent<Do>): void => {
    event.stopPropagation()
    void this.#do(event.detail, event.target as SluiceEntry)
  }

  async #do({ action, entry, text = '' }: Do, element: SluiceEntry): Promise<void> {
    const { client } = this
    if (!client) return
    const choose = (step: number): Promise<unknown> => {
      const index = (entry.branch?.index ?? 0) + step
      this.#choosing = { at: this.#place(entry), index, action }
      return client.choose(entry.id, index)
    }
    this.#trouble = ''
    this.requestUpdate()
    if (action === 'edit' || action === 'delete') this.focus({ preventScroll: true }) // what had the focus is gone
    try {
      if (action === 'again') await client.regenerate(entry.id)
      else if (action === 'goOn') await client.goOn?.(entry.id)
      else if (action === 'edit') await client.edit(entry.id, text)
      else if (action === 'delete') await client.delete?.(entry.id)
      else if (action === 'previous') await choose(-1)
      else if (action === 'next') await choose(1)
      else if (action === 'speak') this.#voices.say(element.text)
      else if (action === 'hush') this.#voices.stop('a button')
      if (action === 'again' || action === 'goOn' || action === 'edit') {
        this.scrollToEnd()
        this.focus({ preventScroll: true })
      }
    } catch (error) {
      this.#fail(error)
      if (action === 'edit') element.edit(text) // nothing that was written is lost
    }
  }

  #place(entry: EntryView): number {
    return this.#now?.conversation.entries.findIndex(({ id }) => id === entry.id) ?? -1
  }

  #fail(error: unknown): void {
    const { detail, message, hint } = error as { detail?: string; message?: string; hint?: string }
    this.#trouble = [this.chat.failed(detail ?? message ?? String(error)), hint].filter(Boolean).join(' ')
    this.requestUpdate()
  }

  /** Opens the last question to be changed. Returns false where there is none. */
  editLast(): boolean {
    const element = [...this.renderRoot.querySelectorAll('sluice-entry')].findLast(
      (one) => (one as SluiceEntry).entry?.role === 'user',
    ) as SluiceEntry | undefined
    element?.edit()
    return element !== undefined
  }

  /** Puts the focus on what scrolls. */
  override focus(options?: FocusOptions): void {
    this.renderRoot.querySelector<HTMLElement>('.scroller')?.focus(options)
  }

  protected override focusInstead(): void {
    this.focus({ preventScroll: true })
  }

  /** Page keys lead from entry to entry where one has the focus. */
  readonly #onKey = (event: KeyboardEvent): void => {
    const step = { PageDown: 1, PageUp: -1 }[event.key]
    const at = event.composedPath().find((one) => (one as Element).localName === 'sluice-entry') as
      | SluiceEntry
      | undefined
    if (
      step === undefined ||
      !at ||
      event.composedPath().some((one) => (one as Element).matches?.('textarea, input, .value'))
    )
      return
    const next = (step > 0 ? at.nextElementSibling : at.previousElementSibling) as SluiceEntry | null
    event.preventDefault()
    if (next?.localName === 'sluice-entry') next.focus()
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { chat } = this
    const shown = this.#entries.shown
    const { doing = 'idle' } = this.#now ?? {}
    const answers = doing !== 'idle' && doing !== 'offline'
    return html`<div class="scroller" part="scroller" tabindex="0" role="group" aria-label=${chat.conversation} @keydown=${this.#onKey}>
        <div class="notes" @entry-do=${this.#onDo}>
          ${this.#fetching ? html`<p class="note">${chat.earlierComes}</p>` : this.#entries.lost ? html`<p class="note">${chat.earlierLost}</p>` : nothing}
          <div class="entries" part="entries" role=${shown.length > 0 ? 'feed' : nothing} aria-label=${shown.length > 0 ? chat.conversation : nothing}
            aria-busy=${answers ? 'true' : 'false'}></div>
        </div>
        ${shown.length === 0 && this.#opened ? html`<slot name="empty"></slot>` : nothing}
        ${this.#trouble ? html`<p class="trouble" part="trouble" role="alert">${this.#trouble}</p>` : nothing}
      </div>
      ${this.#jump()}
      <div class="told polite hidden-text" role="status"></div>
      <div class="told assertive hidden-text" role="alert"></div>
      <div class="version hidden-text" role="status"></div>`
  }

  #given(entry: EntryView, before: EntryView | undefined, at: number): Given {
    const { client, chat, name, usage, cues, approvals, calls, renderText, loadImage } = this
    const { doing = 'idle', conversation } = this.#now ?? {}
    const now = Date.now()
    const last = entry.id === conversation?.entries.at(-1)?.id
    const newDay = before ? !sameDay(entry.at, before.at) : !sameDay(entry.at, now)
    return {
      entry,
      name,
      usage,
      cues,
      approvals,
      calls,
      renderText,
      loadImage,
      last,
      can: this.#can,
      position: this.#entries.first + at + 1,
      size: this.#entries.size,
      message: this.#messageOf(entry),
      conversation: client?.open(this.conversation),
      openLink: this.#opener,
      busy: doing !== 'idle' && doing !== 'offline',
      offline: doing === 'offline',
      heard: this.#voices.speak,
      unanswered: last && entry.role === 'user' && doing === 'idle',
      day: newDay ? dayOf(entry.at, now, chat, this.language) : '',
    }
  }

  #ability: SluiceEntry['can'] = { goOn: false, delete: false, speak: false }

  /** The same object while nothing changed: entries are drawn anew by it. */
  get #can(): SluiceEntry['can'] {
    const can = {
      goOn: this.client?.goOn !== undefined,
      delete: this.client?.delete !== undefined,
      speak: this.#voices.reads,
    }
    const { goOn, speak, delete: remove } = this.#ability
    if (goOn !== can.goOn || speak !== can.speak || remove !== can.delete) this.#ability = can
    return this.#ability
  }

  readonly #onJump = (): void => {
    this.focus({ preventScroll: true })
    this.scrollToEnd()
  }

  /** Who comes to it by Tab at the end goes on from there: it stays while it has the focus. */
  #jump(): TemplateResult | typeof nothing {
    if (!this.#end.away && this.#entries.atEnd && !this.renderRoot.querySelector('.jump:focus')) return nothing
    return html`<button type="button" class="jump" part="jump" @click=${this.#onJump} @blur=${() => this.requestUpdate()}>${this.chat.latest(this.#entries.behind(this.#seen) ?? 0)}</button>`
  }

  override updated(): void {
    const scroller = this.renderRoot.querySelector<HTMLElement>('.scroller')
    const entries = this.renderRoot.querySelector<HTMLElement>('.entries')
    const { shown, above } = this.#entries
    if (entries)
      this.#list.show(
        entries,
        shown.map((entry, at) => this.#given(entry, shown[at - 1] ?? above, at)),
      )
    if (scroller && entries) this.#end.attach(scroller, entries)
    this.#end.follow()
    this.#fill()
    this.#arrive()
  }

  /** The version that a person asked for is there: the focus goes on from where it was, and it is read out. */
  #arrive(): void {
    const { at, index, action } = this.#choosing ?? { at: -1, index: 0, action: 'next' as const }
    const entry = this.#now?.conversation.entries[at]
    if (entry?.branch?.index !== index) return
    this.#choosing = undefined
    const element = [...this.renderRoot.querySelectorAll('sluice-entry')].find(
      (one) => (one as SluiceEntry).entry?.id === entry.id,
    ) as SluiceEntry | undefined
    element?.focusTool(action)
    const region = this.renderRoot.querySelector('.version')
    if (region) region.textContent = this.chat.version(index + 1, entry.branch.count)
  }
}

define('sluice-thread', SluiceThread)
