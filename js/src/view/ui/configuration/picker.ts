// A combobox whose list stays open, for the many protocols.
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { each } from '../shared/each.js'
import { pickerStyles } from './configuration-styles.js'

export interface Option {
  id: string
  note: string
}

/** Fires `pick` with the chosen id. The owner keeps the choice. */
export class SluicePicker extends LitElement {
  static override properties = {
    options: { attribute: false },
    chosen: { attribute: false },
    multiple: { type: Boolean },
    label: {},
    placeholder: {},
    empty: {},
    hits: { attribute: false },
    query: { state: true },
    active: { state: true },
  }

  static override styles = pickerStyles

  options: readonly Option[] = []
  chosen: readonly string[] = []
  multiple = false
  label = ''
  placeholder = ''
  empty = ''
  /** Tells a screen reader how many entries match. */
  hits: (count: number) => string = String
  private query = ''
  private active = -1

  override render(): TemplateResult {
    const found = this.#found()
    return html`
      <input type="search" role="combobox" aria-expanded="true" aria-controls="list" aria-autocomplete="list" autocomplete="off" spellcheck="false"
        aria-label=${this.label} placeholder=${this.placeholder} .value=${this.query}
        aria-activedescendant=${found[this.active] ? `option-${this.active}` : nothing}
        @input=${this.#search} @keydown=${this.#key} @blur=${() => (this.active = -1)}>
      <span class="hits" role="status">${this.query ? this.hits(found.length) : ''}</span>
      <ul id="list" role="listbox" aria-label=${this.label} aria-multiselectable=${this.multiple}>
        ${each(
          found,
          ({ id }) => id,
          (option, at) => this.#option(option, at),
        )}
      </ul>
      ${found.length === 0 ? html`<p>${this.empty}</p>` : nothing}`
  }

  override focus(): void {
    this.renderRoot.querySelector('input')?.focus()
  }

  #option({ id, note }: Option, at: number): TemplateResult {
    return html`<li id="option-${at}" role="option" aria-selected=${this.chosen.includes(id)} class=${at === this.active ? 'active' : ''}
      @pointerdown=${(event: Event) => event.preventDefault()} @click=${() => this.#pick(id)}><b>${id}</b><span>${note}</span></li>`
  }

  #found(): readonly Option[] {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean)
    return this.options.filter(({ id, note }) =>
      words.every((word) => id.toLowerCase().includes(word) || note.toLowerCase().includes(word)),
    )
  }

  #search(event: Event): void {
    this.query = (event.target as HTMLInputElement).value
    this.active = this.query && this.#found().length > 0 ? 0 : -1
  }

  #key(event: KeyboardEvent): void {
    const count = this.#found().length
    const steps: { [key: string]: number } = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active < 0 ? count - 1 : this.active - 1,
    }
    const step = steps[event.key]
    if (step !== undefined && count > 0) {
      event.preventDefault()
      this.active = (step + count) % count
      void this.updateComplete.then(() =>
        this.renderRoot.querySelector('.active')?.scrollIntoView({ block: 'nearest' }),
      )
    } else if (event.key === 'Enter' && !event.isComposing) {
      const option = this.#found()[this.active]
      if (option) this.#pick(option.id)
    } else if (event.key === 'Escape' && this.query) {
      event.preventDefault()
      this.query = ''
    }
  }

  #pick(id: string): void {
    this.dispatchEvent(new CustomEvent('pick', { detail: id }))
  }
}
