// What <sluice-server> shows: which service answers, with which key and model, and whether that works.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { LocalServer, PresetView, ServerView } from '../../../app/bridge/server-messages.js'
import { inLanguage } from '../../../engine/core/in-language.js'
import type { ServerCheck } from '../../../engine/core/server-step.js'
import { copyText } from '../shared/copy.js'
import { define, SluiceElement } from '../shared/base-element.js'
import { faultOf } from '../shared/fault.js'
import { pick } from '../shared/locale.js'
import { markInvisible } from '../shared/mark-invisible.js'
import { draftOf, draftOfCurrent, inputOf, keyKept, mayHaveKey, needsKey, placeOf, type Draft } from './draft.js'
import { SluiceModelField } from './model-field.js'
import { drawStep, verdictOf } from './steps.js'
import { serverStrings, type ServerStrings } from './server-panel-strings.js'
import { serverStyles } from './server-panel-styles.js'
import type { ConnectedDetail, ServerClient } from './server-panel-types.js'

type Field = 'baseURL' | 'apiKey' | 'model'
interface Trouble {
  text: string
  field?: Field | undefined
  code?: string | undefined
}

export class SluiceServerPage extends SluiceElement {
  static override styles = serverStyles
  static override properties = { client: { attribute: false } }

  client: ServerClient | undefined
  #view: ServerView | undefined
  #draft: Draft | undefined
  /** The servers of this machine that answer; undefined while they are looked for. */
  #local: readonly LocalServer[] | undefined
  /** Why there is nothing to choose. */
  #lost: Trouble | undefined
  #trouble: Trouble | undefined
  #said = ''
  /** Counts what was read of clients. */
  #turns = 0
  // -- the models of the chosen server
  #names: { of: string; list: readonly string[] | undefined; asking: boolean } | undefined
  // -- the test
  #steps: readonly ServerCheck[] = []
  #test: AbortController | undefined
  #ended: 'done' | 'stopped' | undefined

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    if (this.#test) this.#stopTest()
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (!changed.has('client')) return
    this.#view = this.#draft = this.#local = this.#names = undefined // they were another host's
    void this.refresh()
  }

  get #text(): ServerStrings {
    return pick(serverStrings, this.language)
  }

  /** Reads anew who answers, and looks for the servers of this machine. */
  async refresh(): Promise<void> {
    this.#forget()
    const side = this.client?.server
    const turn = ++this.#turns
    this.#lost = side || !this.client ? undefined : { text: '', code: 'unsupported' }
    this.requestUpdate()
    if (!side) return
    try {
      const view = await side.view()
      if (turn !== this.#turns) return // another client, or it was read again meanwhile
      this.#view = view
      this.#draft = draftOfCurrent(view)
      this.requestUpdate()
      const local = await side.local().catch(() => [])
      if (turn !== this.#turns) return
      this.#local = local
      // What runs already is the shortest way to an answer.
      this.#draft ??= draftOf(this.#presetOf(local[0]?.provider) ?? (view.presets[0] as PresetView))
      // else somebody has written meanwhile
      if (this.#draft.model === (this.#draft.preset.models[0] ?? '')) this.#chooseFirst()
      void this.#askModels()
    } catch (error) {
      if (turn !== this.#turns) return
      this.#lost = troubleOf(error)
    }
    this.requestUpdate()
  }

  override render(): TemplateResult | typeof nothing {
    const text = this.#text
    if (this.#lost) {
      const { code } = this.#lost
      if (code === 'unsupported' || code === 'forbidden') return html`<p class="state" role="status">${text[code]}</p>`
      return html`<div class="state" role="alert"><p>${text.loadFailed}: ${markInvisible(this.#lost.text)}</p>
        <button class="button" @click=${() => void this.refresh()}>${text.retry}</button></div>`
    }
    if (!this.client) return nothing
    const draft = this.#draft
    if (!this.#view || !draft) return html`<p class="state" role="status">${text.loading}</p>`
    return html`<form autocomplete="off" novalidate @submit=${this.#submit}>
      ${this.#drawFound()}
      <div class="row"><label for="service">${text.service}</label>${this.#drawServices(draft)}</div>
      ${draft.preset.places.length > 1 ? this.#drawPlaces(draft) : nothing}
      ${draft.preset.provider ? nothing : this.#drawAddress(draft)}
      ${mayHaveKey(draft) ? this.#drawKey(draft) : nothing}
      ${this.#drawModel(draft)}
      ${this.#drawMore(draft)}
      <div class="buttons">
        <button type="button" class="button" part="test" @click=${this.#toggleTest}>${this.#test ? text.stop : this.#ended ? text.again : text.test}</button>
        <button type="submit" class="button primary" part="use">${text.use}</button>
      </div>
      <p class="trouble" role="alert" ?hidden=${!this.#trouble}>${this.#trouble ? markInvisible(this.#trouble.text) : nothing}</p>
      <p class="said" role="status" ?hidden=${!this.#said}>${markInvisible(this.#said)}</p>
      ${this.#drawTest(draft)}
    </form>`
  }

  // -- fields ---------------------------------------------------------------------------------------------------------

  #drawFound(): TemplateResult {
    const names = (this.#local ?? []).flatMap(({ provider }) => {
      const preset = this.#presetOf(provider)
      return preset ? [inLanguage(preset.title, this.language)] : []
    })
    return html`<p class="found" role="status" ?hidden=${names.length === 0}>${names.length > 0 ? this.#text.answers(names.join(', ')) : ''}</p>`
  }

  #drawServices({ preset }: Draft): TemplateResult {
    const text = this.#text
    const presets = this.#view?.presets ?? []
    const runs = ({ provider }: PresetView): boolean => this.#local?.some((one) => one.provider === provider) ?? false
    const groups: [string, PresetView[]][] = [
      [text.here, presets.filter((one) => one.local && runs(one))],
      [text.services, presets.filter((one) => !one.local && one.provider)],
      [text.notHere, presets.filter((one) => one.local && !runs(one))],
      [text.other, presets.filter((one) => !one.provider)],
    ]
    return html`<select id="service" part="service" @change=${(event: Event) => this.#chooseService(presets[Number((event.target as HTMLSelectElement).value)] as PresetView)}>
      ${groups
        .filter(([, all]) => all.length > 0)
        .map(
          ([label, all]) =>
            html`<optgroup label=${label}>${all.map(
              (one) => html`
        <option value=${presets.indexOf(one)} .selected=${one === preset}>${inLanguage(one.title, this.language)}</option>`,
            )}</optgroup>`,
        )}</select>`
  }

  #drawPlaces(draft: Draft): TemplateResult {
    return html`<div class="row"><label for="place">${this.#text.region}</label><select id="place" @change=${(event: Event) => this.#change({ place: (event.target as HTMLSelectElement).selectedIndex })}>
      ${draft.preset.places.map(({ title, baseURL }, at) => html`<option .selected=${at === draft.place}>${title === undefined ? new URL(baseURL).host : inLanguage(title, this.language)}</option>`)}
    </select></div>`
  }

  #drawAddress(draft: Draft): TemplateResult {
    const usual = placeOf(draft)?.baseURL ?? 'http://127.0.0.1:11434/v1'
    return html`<div class="row"><label for="address">${this.#text.address}</label><input class="field" id="address" inputmode="url" autocapitalize="off" spellcheck="false" placeholder=${usual}
      aria-invalid=${this.#trouble?.field === 'baseURL'} .value=${draft.address} @input=${(event: Event) => this.#change({ address: valueOf(event) }, false)} @change=${() => void this.#askModels()}></div>`
  }

  #drawKey(draft: Draft): TemplateResult {
    const text = this.#text
    const kept = keyKept(draft, this.#view?.current)
    const { keysAt } = placeOf(draft) ?? {}
    return html`<div class="row"><label for="key">${text.key}</label>
      <input class="field" id="key" type="password" autocomplete="off" aria-describedby="key-note" aria-invalid=${this.#trouble?.field === 'apiKey'} .value=${draft.key}
        @input=${(event: Event) => this.#change({ key: valueOf(event) }, false)} @change=${() => void this.#askModels()}>
      <p class="note" id="key-note">${kept ? text.keyKept : needsKey(draft) ? text.keyStays : text.keyOptional}${kept || this.#view?.keysAreKept === undefined ? nothing : ` ${this.#view.keysAreKept ? text.keySealed : text.keyInMemory}`}
        ${keysAt && !kept ? html`${text.keysAt} <a href=${keysAt} target="_blank" rel="noopener noreferrer" @click=${(event: Event) => this.#openKeys(event, keysAt)}>${keysAt.replace('https://', '')}</a>` : nothing}</p>
    </div>`
  }

  #drawModel(draft: Draft): TemplateResult {
    const text = this.#text
    const asking = this.#names?.asking ?? false
    const list = this.#names?.list
    const note = asking
      ? text.modelLoading
      : list === undefined
        ? text.modelHint
        : list.length === 0
          ? text.modelNone
          : `${text.modelCount(list.length)}. ${text.modelHint}`
    return html`<div class="row"><span class="label" aria-hidden="true">${text.model}</span>
      <sluice-model-field part="model" .label=${text.model} .opener=${text.openModels} .describedBy=${note} .value=${draft.model} .options=${list?.length ? list : draft.preset.models}
        .invalid=${this.#trouble?.field === 'model'} @input=${(event: Event) => this.#change({ model: (event.target as SluiceModelField).value }, false)} @focusin=${() => void this.#askModels()} @keydown=${this.#enter}></sluice-model-field>
      <p class="note">${note}</p></div>`
  }

  #drawMore(draft: Draft): TemplateResult {
    const text = this.#text
    const modes = ['auto', 'native', 'text'] as const
    return html`<details><summary>${text.more}</summary><div>
      ${draft.preset.provider ? this.#drawAddress(draft) : nothing}
      ${
        draft.preset.wires.length > 1
          ? html`<div class="row"><label for="wire">${text.wire}</label><select id="wire" @change=${(event: Event) => this.#change({ wire: draft.preset.wires[(event.target as HTMLSelectElement).selectedIndex] ?? '' })}>
        ${draft.preset.wires.map((wire, at) => html`<option .selected=${wire === draft.wire || (!draft.wire && at === 0)}>${wire}</option>`)}</select></div>`
          : nothing
      }
      <div class="row"><label for="mode">${text.mode}</label><select id="mode" @change=${(event: Event) => this.#setMode(modes[(event.target as HTMLSelectElement).selectedIndex] ?? 'auto')}>
        ${modes.map((mode) => html`<option .selected=${mode === draft.mode}>${text.modes[mode]}</option>`)}</select></div>
    </div></details>`
  }

  #presetOf(provider: string | undefined): PresetView | undefined {
    return provider === undefined ? undefined : this.#view?.presets.find((one) => one.provider === provider)
  }

  #chooseService(preset: PresetView): void {
    this.#draft = draftOf(preset)
    this.#chooseFirst()
    this.#forget()
    void this.#askModels()
  }

  /**
   * A server of this machine has the models that somebody put there: its first is better than the one that is usual.
   */
  #chooseFirst(): void {
    const draft = this.#draft
    const names = this.#local?.find(({ provider }) => provider === draft?.preset.provider)?.models
    if (
      draft &&
      names?.[0] !== undefined &&
      !names.includes(draft.model) &&
      draft.preset.provider !== this.#view?.current?.provider
    )
      this.#draft = { ...draft, model: names[0] }
  }

  #change(change: Partial<Draft>, ask = true): void {
    if (!this.#draft) return
    this.#draft = { ...this.#draft, ...change }
    this.#forget()
    if (ask) void this.#askModels()
  }

  /** What was tried holds for every mode. */
  #setMode(mode: Draft['mode']): void {
    if (this.#draft) this.#draft = { ...this.#draft, mode }
    this.requestUpdate()
  }

  /** What was said and tried was about another server. */
  #forget(): void {
    this.#trouble = this.#ended = undefined
    this.#said = ''
    this.#steps = []
    this.#test?.abort()
    this.#test = undefined
    this.requestUpdate()
  }

  async #askModels(): Promise<void> {
    const draft = this.#draft
    const side = this.client?.server
    if (!draft || !side) return
    const { model: _, ...server } = inputOf(draft)
    const of = JSON.stringify(server)
    if (this.#names?.of === of) return
    const known =
      !draft.address.trim() && !draft.wire
        ? this.#local?.find(({ provider }) => provider === draft.preset.provider)?.models
        : undefined
    const missing =
      (needsKey(draft) && !draft.key.trim() && !keyKept(draft, this.#view?.current)) ||
      (!draft.preset.provider && !draft.address.trim()) ||
      (draft.preset.local && !known && !draft.address.trim())
    const names = { of, list: known, asking: !known && !missing }
    this.#names = names
    this.requestUpdate()
    if (!names.asking) return
    names.list = await side.models(server).catch(() => [])
    names.asking = false
    this.requestUpdate()
  }

  #openKeys(event: Event, url: string): void {
    if (!this.#view?.opensLinks || !this.client?.openLink) return // the browser opens it
    event.preventDefault()
    this.client.openLink(url).catch(async () => {
      if (await copyText(url)) this.#say(this.#text.copied)
    })
  }

  #say(text: string): void {
    this.#said = text
    this.requestUpdate()
  }

  // -- the test -------------------------------------------------------------------------------------------------------

  #drawTest(draft: Draft): TemplateResult | typeof nothing {
    const text = this.#text
    if (this.#steps.length === 0 && !this.#test && !this.#ended) return nothing
    const verdict = this.#test ? text.testing : this.#ended === 'stopped' ? text.stopped : text[verdictOf(this.#steps)]
    const asText = html`<button type="button" class="button" @click=${() => this.#setMode('text')}>${text.asText}</button>`
    return html`<div class="test" part="steps">
      <div role="log" aria-label=${text.stepsTitle}><ol>${this.#steps.map((step) => drawStep(step, text, this.language, !step.ok && step.step === 'tools' && draft.mode !== 'text' ? asText : nothing))}</ol></div>
      <p class="verdict ${this.#steps.length === 0 ? 'first' : ''}" role="status">${verdict}</p>
    </div>`
  }

  readonly #toggleTest = (): void => {
    if (this.#test) this.#stopTest()
    else void this.#try()
  }

  #stopTest(): void {
    this.#test?.abort()
    this.#test = undefined
    this.#ended = 'stopped'
    this.requestUpdate()
  }

  async #try(): Promise<void> {
    const [draft, side] = [this.#draft, this.client?.server]
    if (!draft || !side) return
    this.#forget()
    const address = this.#missing(draft)
    if (address) return this.#complain(address)
    const test = (this.#test = new AbortController())
    try {
      for await (const step of side.check(inputOf(draft), { signal: test.signal })) {
        if (this.#test !== test) return
        this.#steps = [...this.#steps, step]
        this.requestUpdate()
      }
      if (this.#test === test) this.#ended = 'done'
    } catch (error) {
      if (this.#test === test) this.#complain(troubleOf(error))
    }
    if (this.#test === test) this.#test = undefined
    this.requestUpdate()
  }

  /** What cannot be tried at all. */
  #missing({ preset, address }: Draft): Trouble | undefined {
    return preset.provider || address.trim() ? undefined : { text: this.#text.addressMissing, field: 'baseURL' }
  }

  // -- using it -------------------------------------------------------------------------------------------------------

  readonly #submit = (event: Event): void => {
    event.preventDefault()
    void this.#use()
  }

  /** A field in a shadow of its own submits no form. */
  readonly #enter = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.isComposing && !event.defaultPrevented) void this.#use()
  }

  async #use(): Promise<void> {
    const [draft, side] = [this.#draft, this.client?.server]
    if (!draft || !side) return
    const text = this.#text
    this.#trouble = undefined
    this.#said = ''
    const missing =
      this.#missing(draft) ??
      (needsKey(draft) && !draft.key.trim() && !keyKept(draft, this.#view?.current)
        ? { text: text.keyMissing, field: 'apiKey' as const }
        : undefined) ??
      (draft.model.trim() ? undefined : { text: text.modelMissing, field: 'model' as const })
    if (missing) return this.#complain(missing)
    const turn = this.#turns
    try {
      const view = await side.use(inputOf(draft), draft.mode)
      if (turn !== this.#turns) return // it was another client's
      this.#view = view
    } catch (error) {
      if (turn !== this.#turns) return
      const { text: why, field } = troubleOf(error)
      return this.#complain({ text: `${text.failed}: ${why}`, field })
    }
    const { current } = this.#view
    if (this.#draft === draft)
      this.#draft = {
        ...draft,
        preset:
          this.#presetOf(draft.preset.provider) ?? this.#view.presets.find(({ provider }) => !provider) ?? draft.preset,
        key: '',
      }
    if (!current) return this.requestUpdate()
    this.#say(text.used(current.model))
    this.dispatchEvent(
      new CustomEvent<ConnectedDetail>('sluice-connected', {
        detail: { server: current },
        bubbles: true,
        composed: true,
      }),
    )
  }

  /** Says what is wrong, at its field. */
  #complain(trouble: Trouble): void {
    this.#trouble = trouble
    this.requestUpdate()
    const { field } = trouble
    if (!field) return
    void this.updateComplete.then(() => {
      const place = this.renderRoot.querySelector<HTMLElement>(
        { baseURL: '#address', apiKey: '#key', model: 'sluice-model-field' }[field],
      )
      const details = place?.closest('details')
      if (details) details.open = true
      place?.focus()
    })
  }
}

const valueOf = (event: Event): string => (event.target as HTMLInputElement).value

function troubleOf(error: unknown): Trouble {
  const { code, path, detail, hint } = faultOf(error)
  const field = path === 'baseURL' || path === 'apiKey' || path === 'model' ? path : undefined
  return { text: [detail, hint].filter(Boolean).join('. '), field, code }
}

define('sluice-model-field', SluiceModelField)
define('sluice-server-page', SluiceServerPage)

declare global {
  interface HTMLElementTagNameMap {
    'sluice-model-field': SluiceModelField
    'sluice-server-page': SluiceServerPage
  }
}
