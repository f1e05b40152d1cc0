// What <sluice-configuration> shows: the engine's switches, its tools, and the prompt they produce. Changes are saved
// at once.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { Json } from '../../../engine/core/events.js'
import { copyText } from '../shared/copy.js'
import { define, SluiceElement } from '../shared/base-element.js'
import type { Fault } from '../shared/fault.js'
import { pick } from '../shared/locale.js'
import { markInvisible } from '../shared/mark-invisible.js'
import { same, type ConfigurationPage } from './configuration-page.js'
import { SluicePicker } from './picker.js'
import { drawProtocol, drawProtocols } from './protocol.js'
import { quantityOf, quantityText } from '../../../app/bridge/quantity.js'
import { armRules, drawRules } from './rules-panel.js'
import { ConfigurationStore, keyOf, settingPath, type ConfigurationClient, type Path } from './store.js'
import { configurationStrings, type ConfigurationStrings } from './configuration-strings.js'
import { configurationStyles } from './configuration-styles.js'
import { switches, type Group, type Switch } from './switches.js'
import { drawTools, noFilter, toolChanges, type ToolFilter } from './tools-panel.js'

export type { ConfigurationClient } from './store.js'

/** The tabs, and the groups of switches in each. What few people change stands last. */
const contents = {
  tools: ['tools'],
  model: ['model'],
  approval: ['approval'],
  prompt: [],
  advanced: ['running', 'limits'],
} as const satisfies { [tab: string]: readonly Group[] }
type Tab = keyof typeof contents
const tabs = Object.keys(contents) as Tab[]
const groupsOf = (tab: Tab): readonly Group[] => contents[tab]
const tabOf = (group: Group): Tab => tabs.find((tab) => groupsOf(tab).includes(group)) as Tab

/** How long typing has to pause before it is saved, in milliseconds. */
const TYPING_MS = 500

export class SluiceConfigurationPage extends SluiceElement {
  static override properties = {
    client: { attribute: false },
    tab: { state: true },
    filter: { state: true },
    opened: { state: true },
    drafts: { state: true },
    copied: { state: true },
  }

  static override styles = configurationStyles

  /** `connect()` of `sluice/renderer`, or anything that can read and change a configuration. */
  client: ConfigurationClient | undefined
  private tab: Tab = 'tools'
  private filter: ToolFilter = noFilter
  /** Tools whose details are open. */
  private opened: ReadonlySet<string> = new Set()
  /** Text being typed, by field: a wrong number stays in its field while it has the focus. */
  private drafts: ReadonlyMap<string, string> = new Map()
  private copied = false
  #store: ConfigurationStore | undefined

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#store?.flush()
  }

  /** Reads the configuration again, since another window may have changed it. */
  async refresh(): Promise<void> {
    await this.#store?.load()
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (!changed.has('client')) return
    this.#store?.flush()
    const store = this.client && new ConfigurationStore(this.client, () => this.#storeChanged(store))
    this.#store = store
    this.drafts = new Map()
    void store?.load()
  }

  protected override updated(): void {
    armRules(this.renderRoot)
  }

  override render(): TemplateResult {
    const text = this.#text
    const store = this.#store
    if (!store?.view) {
      if (store?.status !== 'failed') return html`<p class="state" role="status">${text.loading}</p>`
      return html`<div class="state" role="alert"><p>${text.loadFailed}: ${store.fault?.detail}</p>
        <button class="button" @click=${() => void store.load()}>${text.retry}</button></div>`
    }
    const page = this.#page(store)
    return html`
      <header>
        <div role="tablist" aria-label=${text.title} @keydown=${this.#tabKey}>${tabs.map((tab) => this.#tabButton(tab, page))}</div>
      </header>
      <section role="tabpanel" id="panel" aria-labelledby="tab-${this.tab}" tabindex="-1">
        <div class="intro"><p>${text.groups[this.tab][1]}</p>${this.#resetAll(page)}</div>
        ${this.tab === 'prompt' ? this.#prompt(page) : groupsOf(this.tab).map((group) => this.#group(group, page))}
      </section>
      ${this.#status(page)}`
  }

  get #text(): ConfigurationStrings {
    return pick(configurationStrings, this.language)
  }

  #storeChanged(store: ConfigurationStore | undefined): void {
    if (store !== this.#store) return
    this.requestUpdate()
    if (store?.status !== 'saved') return
    this.dispatchEvent(new CustomEvent('sluice-configured', { detail: store.view, bubbles: true, composed: true }))
  }

  // -- around the switches

  #tabButton(tab: Tab, page: ConfigurationPage): TemplateResult {
    const count = changesIn(tab, page.store).length
    const selected = tab === this.tab
    return html`<button role="tab" id="tab-${tab}" aria-selected=${selected} aria-controls="panel" tabindex=${selected ? 0 : -1}
      @click=${() => (this.tab = tab)}>${page.text.groups[tab][0]}${
        count > 0
          ? html`<span class="count" title=${page.text.changedCount(count)} aria-label=${page.text.changedCount(count)}>${count}</span>`
          : nothing
      }</button>`
  }

  #tabKey(event: KeyboardEvent): void {
    const at = tabs.indexOf(this.tab)
    const steps: { [key: string]: number } = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    this.#go(tabs[step % tabs.length] as Tab, (root) => root.querySelector('[role=tab][aria-selected=true]'))
  }

  #go(tab: Tab, target: (root: ParentNode) => Element | null): void {
    this.tab = tab
    void this.updateComplete.then(() => {
      const element = target(this.renderRoot) as HTMLElement | null
      const details = element?.closest('details')
      if (details) details.open = true
      element?.focus()
      element?.scrollIntoView({ block: 'nearest' })
    })
  }

  #goTo({ group, id }: Switch): void {
    this.#go(tabOf(group), (root) => root.querySelector(`[data-switch="${id}"]`))
  }

  #status({ store, text }: ConfigurationPage): TemplateResult {
    const { status, fault } = store
    const said = status === 'saving' ? text.saving : status === 'saved' ? text.saved : ''
    const named =
      status === 'failed' ? switches.find(({ id }) => fault?.path?.replace(/^settings\./, '') === id) : undefined
    const where = named ? text.switches[named.id]?.[0] : fault?.path
    const elsewhere = named && tabOf(named.group) !== this.tab ? named : undefined
    return html`<div class="status ${status}"><div>
      <span role="status">${said}</span>
      <span role="alert">${status === 'failed' && fault ? html`<b>${text.failed}</b> ${where ? `${where}: ` : ''}${fault.detail}` : nothing}</span>
      ${elsewhere ? html`<button class="button" @click=${() => this.#goTo(elsewhere)}>${text.show}</button>` : nothing}
    </div></div>`
  }

  #resetAll({ store, text }: ConfigurationPage): TemplateResult | typeof nothing {
    const paths = changesIn(this.tab, store)
    if (paths.length === 0) return nothing
    return html`<button class="button quiet" @click=${() => this.#resetPaths(paths)}>${text.resetAll(paths.length)}</button>`
  }

  #resetPaths(paths: readonly Path[]): void {
    this.drafts = new Map()
    this.#store?.set(paths.map((path) => [path, null] as const))
    this.renderRoot.querySelector<HTMLElement>('#panel')?.focus() // the pressed button disappears
  }

  // -- groups

  #group(group: Group, page: ConfigurationPage): TemplateResult {
    const own = switches.filter((one) => one.group === group && page.store.settable(one.id))
    const rare = own.filter((one) => one.rare)
    const section = group === 'running' || group === 'limits' ? page.text.sections[group] : undefined
    return html`${section ? html`<h3>${section}</h3>` : nothing}
      <div class="rows">${own.filter((one) => !one.rare).map((one) => this.#switch(one, page))}</div>
      ${
        rare.length > 0
          ? html`<details ?open=${rare.some(({ id }) => page.store.faults.has(keyOf(settingPath(id))))}>
            <summary>${page.text.more}</summary><div class="rows">${rare.map((one) => this.#switch(one, page))}</div></details>`
          : nothing
      }
      ${group === 'approval' && page.store.view?.rules ? drawRules(page) : nothing}
      ${
        group === 'tools'
          ? drawTools(
              page,
              this.filter,
              this.opened,
              (filter) => (this.filter = filter),
              (name) => this.#toggleOpened(name),
            )
          : nothing
      }`
  }

  #toggleOpened(name: string): void {
    const opened = new Set(this.opened)
    if (!opened.delete(name)) opened.add(name)
    this.opened = opened
  }

  #switch(one: Switch, page: ConfigurationPage): TemplateResult {
    const path = settingPath(one.id)
    const value = valueOf(one, page.store)
    switch (one.kind) {
      case 'flag':
        return page.row(
          one,
          (id) => html`<input type="checkbox" role="switch" class="switch" id=${id} data-switch=${one.id}
          aria-describedby="${id}-about ${id}-fault" aria-invalid=${page.store.faults.has(keyOf(path))} .checked=${value === true}
          @change=${(event: Event) => page.set(path, (event.target as HTMLInputElement).checked)}>`,
        )
      case 'choice': {
        const labels = page.text.choices[one.id] ?? {}
        const choices = (one.choices ?? []).map((choice) => ({
          value: choice,
          label: labels[String(choice)] ?? String(choice),
        }))
        return page.row(one, (id) => page.select(path, id, choices, value))
      }
      case 'number':
        return page.row(one, (id) => this.#number(one, path, id, value, page))
      case 'protocol':
        return drawProtocol(page, one, value)
      case 'protocols':
        return drawProtocols(page, one, value)
    }
  }

  #number(one: Switch, path: Path, id: string, value: Json, { store }: ConfigurationPage): TemplateResult {
    const typed = this.drafts.get(one.id)
    const shown = typed ?? plainly(one, value, this.#text)
    const { unit } = one
    const read = (text: string): Json | undefined =>
      // the engine reports what is wrong with any other text
      unit ? quantityOf(text, unit) : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
    const draft = (text: string | undefined): void => {
      const drafts = new Map(this.drafts)
      if (text === undefined) drafts.delete(one.id)
      else drafts.set(one.id, text)
      this.drafts = drafts
    }
    return html`<span class="number"><input class="field" id=${id} data-switch=${one.id} inputmode=${unit ? 'text' : 'numeric'} autocomplete="off"
      spellcheck="false" placeholder=${one.optional ? this.#text.unlimited : nothing} .value=${shown} aria-describedby="${id}-about ${id}-fault" aria-invalid=${store.faults.has(keyOf(path))}
      @input=${(event: Event) => {
        const text = (event.target as HTMLInputElement).value.trim()
        draft(text)
        const found = read(text)
        if (text === '' && !one.optional) return // an empty field waits for a number
        if (text === '') return store.set([[path, null]], TYPING_MS)
        if (found === undefined && unit)
          store.refuse(path, { path: one.id, detail: this.#text.noQuantity[unit](text) }, TYPING_MS)
        else store.set([[path, found ?? null]], TYPING_MS)
      }}
      @change=${() => store.flush()} @blur=${() => draft(undefined)}>${read(shown) === 0 && one.zero ? html`<span class="unit">${this.#text.unlimited}</span>` : nothing}</span>`
  }

  #prompt({ store, text }: ConfigurationPage): TemplateResult {
    const view = store.view!
    return html`
      <p class="tokens"><b>${text.promptTokens(view.estimatedTokens)}</b> <span>${text.promptEstimate}</span>
        ${
          view.prompt === ''
            ? nothing
            : html`<button class="button" @click=${() => this.#copy(view.prompt)}>${this.copied ? text.copied : text.copy}</button>`
        }</p>
      ${valueOf(switchOf('mode'), store) === 'text' ? nothing : html`<p class="note">${text.promptNative(view.tokens.text)}</p>`}
      ${
        view.prompt === ''
          ? html`<p class="state">${text.promptEmpty}</p>`
          : html`<pre class="value" tabindex="0" role="region" aria-label=${text.promptLabel}>${markInvisible(view.prompt)}</pre>`
      }`
  }

  #copy(prompt: string): void {
    void copyText(prompt).then((copied) => {
      this.copied = copied
      setTimeout(() => (this.copied = false), 1500)
    })
  }

  // -- for the parts

  #page(store: ConfigurationStore): ConfigurationPage {
    const text = this.#text
    const page: ConfigurationPage = {
      store,
      text,
      set: (path, value) => store.set([[path, value]]),
      row: (one, control) => {
        const id = `switch-${one.id}`
        const [label = one.id, about = ''] = text.switches[one.id] ?? []
        const path = settingPath(one.id)
        const changed = isChanged(one, store)
        return html`<div class="row ${changed ? 'changed' : ''} row-${one.kind}" data-row=${one.id}>
          <div class="label"><label for=${id}>${label}</label> <code>${one.id}</code>
            ${changed ? html`<span class="mark" title=${text.changed}>${text.changed}</span>` : nothing}
            <p id="${id}-about">${about}</p>
            <p class="standard"><span>${text.standard(shownValue(one, standardOf(one, store), text))}</span>
              ${
                changed
                  ? html`<button class="button quiet" aria-label=${text.resetOf(label)} @click=${() => this.#resetPaths([path])}>${text.reset}</button>`
                  : nothing
              }</p>
          </div>
          <div class="control">${control(id)}</div>
          ${page.faultOf(path, id)}
        </div>`
      },
      select: (
        path,
        id,
        choices,
        current,
        label,
      ) => html`<select id=${id} data-switch=${path.slice(1).join('.')} aria-label=${label ?? nothing}
        aria-describedby=${path[0] === 'settings' ? `${id}-about ${id}-fault` : `${id}-fault`}
        aria-invalid=${store.faults.has(keyOf(path))}
        @change=${(event: Event) => page.set(path, choices[(event.target as HTMLSelectElement).selectedIndex]!.value)}>
        ${choices.map(({ value, label }) => html`<option .selected=${same(value, current)}>${label}</option>`)}</select>`,
      faultOf: (path, id) => {
        const fault: Fault | undefined = store.faults.get(keyOf(path))
        const one = switches.find((other) => keyOf(settingPath(other.id)) === keyOf(path))
        return html`<p class="fault" id="${id}-fault" ?hidden=${!fault}>${
          fault
            ? html`${fault.detail}${fault.hint ? ` (${fault.hint})` : ''}
            ${one ? html`<span>${text.kept(shownValue(one, valueOf(one, store), text))}</span>` : nothing}`
            : nothing
        }</p>`
      },
    }
    return page
  }
}

// -- values

const switchOf = (id: string): Switch => switches.find((one) => one.id === id)!

/** The value that counts while the person has changed nothing. */
const standardOf = (one: Switch, store: ConfigurationStore): Json => store.base(settingPath(one.id)) ?? null

const valueOf = (one: Switch, store: ConfigurationStore): Json =>
  store.get(settingPath(one.id)) ?? standardOf(one, store)

const isChanged = (one: Switch, store: ConfigurationStore): boolean =>
  !same(valueOf(one, store), standardOf(one, store))

function changesIn(tab: Tab, store: ConfigurationStore): Path[] {
  const own = switches
    .filter((one) => groupsOf(tab).includes(one.group) && isChanged(one, store))
    .map(({ id }) => settingPath(id))
  return tab === 'tools' ? [...own, ...(store.view?.tools ?? []).flatMap((tool) => toolChanges(store, tool))] : own
}

function shownValue(one: Switch, value: Json, text: ConfigurationStrings): string {
  if (typeof value === 'boolean') return value ? text.on : text.off
  if (one.optional && value === null) return text.unlimited
  if (one.kind === 'choice') return text.choices[one.id]?.[String(value)] ?? String(value)
  if (typeof value === 'number') return readable(one, value, text)
  if (Array.isArray(value)) return value.map((item) => shownValue(one, item, text)).join(', ') || text.none
  return typeof value === 'object' && value !== null ? String(value['id']) : String(value)
}

/** A number for people. */
const readable = (one: Switch, value: number, text: ConfigurationStrings): string =>
  value === 0 && one.zero === 'none' ? text.unlimited : plainly(one, value, text)

/** The same as a person types it. */
const plainly = ({ unit }: Switch, value: Json, text: ConfigurationStrings): string =>
  unit && typeof value === 'number' ? quantityText(value, unit, text.units) : String(value ?? '')

define('sluice-picker', SluicePicker)
define('sluice-configuration-page', SluiceConfigurationPage)

declare global {
  interface HTMLElementTagNameMap {
    'sluice-picker': SluicePicker
    'sluice-configuration-page': SluiceConfigurationPage
  }
}
