// <sluice-conversations>: what was talked about, to be found, opened, renamed, taken away and deleted.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { each } from '../shared/each.js'
import { define } from '../shared/base-element.js'
import { faultText } from '../shared/fault.js'
import { icon } from '../shared/icons.js'
import { controls, tokens } from '../shared/theme.js'
import { conversationsStyles } from './conversations-styles.js'
import { FollowingElement } from './following-element.js'
import { dayOf, hourOf, sameDay } from './times.js'
import type { ConversationItem, ConversationsClient } from './chat-types.js'

/** How many come at a time. */
const PAGE = 100
/** How long typing is waited for, and changes of the conversation that is open, in milliseconds. */
const PAUSE_MS = 200
/** What no file system takes in a name. */
const odd = /[\u0000-\u001f\u007f"*/:<>?\\|\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g

export class SluiceConversations extends FollowingElement<ConversationsClient> {
  static override styles = [tokens, controls, conversationsStyles]
  static override properties = {
    current: { type: String, reflect: true },
    query: { type: String },
    items: { state: true },
    renaming: { state: true },
    deleting: { state: true },
    trouble: { state: true },
  }

  declare current: string
  declare query: string
  declare items: readonly ConversationItem[] | undefined
  declare renaming: string | undefined
  declare deleting: string | undefined
  declare trouble: string

  protected override readonly followed = ['client', 'current', 'query']

  /** Whose conversations these are. */
  #listed: ConversationsClient | undefined
  #more = false
  /** The first that came last. */
  #next: string | undefined
  #asked = 0
  #pause: ReturnType<typeof setTimeout> | undefined
  /** The list was read while a title was written, or a question open: their rows stay where they are until then. */
  #stale = false

  constructor() {
    super()
    this.current = this.query = this.trouble = ''
  }

  // -- what is listed -------------------------------------------------------------------------------------------------

  protected override leave(): void {
    clearTimeout(this.#pause)
    this.#asked++
  }

  protected override enter(changed: PropertyValues): (() => void) | undefined {
    const { client, current } = this
    if (client !== this.#listed) {
      this.#listed = client
      this.items = this.renaming = this.deleting = undefined // those of another host
      this.#more = false
    }
    if (changed.has('client')) void this.refresh()
    else this.#soon()
    // What is said in the one that is open gives it its title, and its place.
    const offs = [
      current && client?.open(current).subscribe(() => this.#soon()),
      client?.conversations?.subscribe?.(() => this.#soon()),
    ]
    return () => {
      for (const off of offs) if (off) off()
    }
  }

  #soon(): void {
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => void this.refresh(), PAUSE_MS)
  }

  /** Reads the list anew. */
  async refresh(): Promise<void> {
    const items = await this.#read(0, Math.max(PAGE, this.items?.length ?? 0))
    if (!items) return
    if (this.#acting) this.#stale = true
    else this.items = items
  }

  get #acting(): boolean {
    return (this.renaming ?? this.deleting) !== undefined
  }

  override updated(): void {
    if (!this.#stale || this.#acting) return
    this.#stale = false
    this.#soon()
  }

  async #readOn(): Promise<void> {
    const before = this.items ?? []
    const items = await this.#read(before.length, PAGE)
    const known = new Set(before.map(({ id }) => id))
    if (!items) return
    const more = items.filter(({ id }) => !known.has(id)) // one may have moved meanwhile
    this.items = [...before, ...more]
    if (!this.#more && more[0]) this.#next = more[0].id
  }

  /** Undefined where something later was asked. */
  async #read(skip: number, limit: number): Promise<ConversationItem[] | undefined> {
    const { client, query } = this
    if (!client) return undefined
    const asked = ++this.#asked
    try {
      const items = await client.conversations.list({
        skip,
        limit,
        ...(query.trim() === '' ? {} : { query: query.trim().slice(0, 1000) }),
      })
      if (asked !== this.#asked) return undefined
      this.trouble = ''
      this.#more = items.length === limit
      return items
    } catch (error) {
      if (asked === this.#asked) this.#fail(error)
      return undefined
    }
  }

  #fail(error: unknown): void {
    this.trouble = faultText(error, this.chat.failed)
  }

  // -- what is done ---------------------------------------------------------------------------------------------------

  /** False: somebody took it over. */
  #fire(what: 'open' | 'delete' | 'rename', conversation: string): boolean {
    return this.dispatchEvent(
      new CustomEvent(`sluice-${what}`, { detail: { conversation }, bubbles: true, composed: true, cancelable: true }),
    )
  }

  #open(conversation: string): void {
    if (this.#fire('open', conversation)) this.current = conversation
  }

  /** Opens a conversation that is empty. */
  begin(): void {
    this.#open(`chat-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 6)}`)
  }

  async #attempt(act: () => Promise<unknown>): Promise<void> {
    this.trouble = ''
    try {
      await act()
      await this.refresh()
    } catch (error) {
      this.#fail(error)
    }
  }

  #askTitle(id: string): void {
    if (!this.#fire('rename', id)) return
    this.renaming = id
    void this.updateComplete.then(() => {
      const field = this.renderRoot.querySelector<HTMLInputElement>('.title-field')
      field?.focus()
      field?.select()
    })
  }

  #rename(id: string, title: string): void {
    this.#leave(id, 'rename')
    void this.#attempt(async () => this.client?.conversations.rename(id, title.trim().slice(0, 200)))
  }

  #askToDelete(id: string): void {
    if (!this.#fire('delete', id)) return
    this.deleting = id
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('.deleting .button')?.focus())
  }

  async #delete(id: string): Promise<void> {
    const items = this.items ?? []
    const at = items.findIndex((item) => item.id === id)
    this.deleting = undefined
    await this.#attempt(async () => this.client?.conversations.delete(id))
    const next = this.items?.[Math.min(at, this.items.length - 1)]
    if (this.trouble === '' && id === this.current) this.begin()
    await this.updateComplete
    if (next) this.#focusOn(next.id, 'open')
    else this.renderRoot.querySelector<HTMLElement>('.new')?.focus()
  }

  async #export({ id, title }: ConversationItem): Promise<void> {
    await this.#attempt(async () => {
      const text = await this.client?.conversations.export(id, 'markdown')
      const url = URL.createObjectURL(new Blob([text ?? ''], { type: 'text/markdown' }))
      const link = Object.assign(document.createElement('a'), {
        href: url,
        download: `${title.replace(odd, ' ').trim().slice(0, 80) || 'conversation'}.md`,
      })
      link.click()
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
    })
  }

  #focusOn(id: string, button: string): void {
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] .${button}`)?.focus(),
    )
  }

  /** Back to the button that began it. */
  #leave(id: string, button: 'rename' | 'delete'): void {
    this.renaming = this.deleting = undefined
    this.#focusOn(id, button)
  }

  /** The button for more is gone: what came goes on there. */
  protected override focusInstead(): void {
    if (this.#next !== undefined) this.#focusOn(this.#next, 'open')
  }

  // -- drawing --------------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { chat, items, query } = this
    return html`<div class="top"><slot name="new"><button type="button" class="button new" @click=${() => this.begin()}>${icon('pencil')}${chat.newConversation}</button></slot>
        <input class="field search" type="search" aria-label=${chat.search} placeholder=${chat.search} maxlength="200" .value=${query}
          @input=${({ target }: Event) => (this.query = (target as HTMLInputElement).value)}></div>
      ${this.trouble ? html`<p class="trouble" role="alert">${this.trouble}</p>` : nothing}
      ${items?.length === 0 ? html`<slot name="empty"><p class="note">${query.trim() ? chat.nothingFound : chat.noConversations}</p></slot>` : nothing}
      <ul class="list" part="list" aria-label=${chat.conversations}>${each(
        items ?? [],
        ({ id }) => id,
        (item) => this.#item(item),
      )}</ul>
      ${this.#more ? html`<button type="button" class="button more" @click=${() => this.#readOn()}>${chat.more}</button>` : nothing}`
  }

  #item(item: ConversationItem): TemplateResult {
    const { id, title, updated, damaged, unread } = item
    const { chat, language } = this
    const name = title || chat.untitled
    const now = Date.now()
    const current = id === this.current
    const state = this.#stateOf(item)
    return html`<li class="item ${current ? 'current' : ''} ${unread ? 'unread' : ''}" part="item" data-id=${id}>
      ${
        this.renaming === id
          ? html`<input class="field title-field" aria-label=${chat.newTitle} maxlength="200" value=${title} @keydown=${(event: KeyboardEvent) => this.#onTitleKey(event, item)}
          @blur=${() => (this.renaming = undefined)}>`
          : html`<button type="button" class="open" aria-current=${current ? 'true' : nothing} ?disabled=${damaged !== undefined} title=${damaged === undefined ? nothing : chat.damaged}
          @click=${() => this.#open(id)}><bdi class="title" part="title">${name}</bdi><span class="date" part="date">${state ? html`<span class="state" part="state">${state}</span> · ` : nothing}${sameDay(updated, now) ? hourOf(updated, language) : dayOf(updated, now, chat, language)}</span></button>
        <span class="tools">${this.#tool('rename', chat.rename, 'pencil', name, () => this.#askTitle(id))}${this.#tool('export', chat.export, 'file', name, () => this.#export(item))}${this.#tool('delete', chat.delete, 'trash', name, () => this.#askToDelete(id))}</span>`
      }
      ${
        this.deleting === id
          ? html`<div class="deleting" role="group" @keydown=${(event: KeyboardEvent) => {
              if (event.key !== 'Escape') return
              event.stopPropagation()
              this.#leave(id, 'delete')
            }}><span>${chat.deleteConversation(name.slice(0, 80))}</span>
        <button type="button" class="button" @click=${() => this.#leave(id, 'delete')}>${chat.cancel}</button><button type="button" class="button danger" @click=${() => this.#delete(id)}>${chat.delete}</button></div>`
          : nothing
      }</li>`
  }

  /** What a person should know of a conversation that is not open. */
  #stateOf({ waiting, running, unread }: ConversationItem): string | undefined {
    const { chat } = this
    return waiting ? chat.doing.asking : running ? chat.doing.thinking : unread ? chat.unread : undefined
  }

  #tool(
    name: string,
    label: string,
    shape: 'pencil' | 'file' | 'trash',
    of: string,
    act: () => unknown,
  ): TemplateResult {
    return html`<button type="button" class="tool ${name}" title=${label} aria-label="${label}: ${of.slice(0, 80)}" @click=${act}>${icon(shape)}</button>`
  }

  #onTitleKey(event: KeyboardEvent, { id, title }: ConversationItem): void {
    if (event.isComposing || event.keyCode === 229) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      this.#leave(id, 'rename')
    } else if (event.key === 'Enter') {
      event.preventDefault() // the button that gets the focus would be pressed by it
      const given = (event.target as HTMLInputElement).value
      if (given !== title) this.#rename(id, given)
      else this.#leave(id, 'rename')
    }
  }
}

define('sluice-conversations', SluiceConversations)
