// The name of a model: a field with the server's models beneath, filtered by what is written. Any other name may be
// written too.
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { icon } from '../shared/icons.js'
import { markInvisible } from '../shared/mark-invisible.js'
import { modelFieldStyles } from './server-panel-styles.js'

/** More are not drawn: people write on. */
const MOST = 100

/** Fires `input` with every change; `value` is what is written. */
export class SluiceModelField extends LitElement {
  static override styles = modelFieldStyles
  static override properties = {
    value: {},
    options: { attribute: false },
    label: {},
    open: { state: true },
    active: { state: true },
    typed: { state: true },
    opener: {},
    describedBy: {},
    invalid: { type: Boolean },
  }

  value = ''
  options: readonly string[] = []
  label = ''
  /** What the button says that opens the list. */
  opener = ''
  /** What stands beneath the field. */
  describedBy = ''
  invalid = false
  private open = false
  private active = -1
  /** Something was written since the list was opened: it filters. */
  private typed = false

  override focus(): void {
    this.renderRoot.querySelector('input')?.focus()
  }

  override render(): TemplateResult {
    const found = this.#found()
    const shown = this.open && found.length > 0
    return html`<div class="box" @focusout=${this.#left}>
      <input class="field" role="combobox" aria-label=${this.label} aria-description=${this.describedBy || nothing} aria-expanded=${shown} aria-controls="list" aria-autocomplete="list"
        autocomplete="off" autocapitalize="off" spellcheck="false" aria-invalid=${this.invalid} .value=${this.value}
        aria-activedescendant=${shown && found[this.active] !== undefined ? `option-${this.active}` : nothing} @input=${this.#write} @keydown=${this.#key}>
      <button type="button" class="opener" tabindex="-1" aria-label=${this.opener} ?hidden=${this.options.length === 0}
        @pointerdown=${(event: Event) => event.preventDefault()} @click=${this.#toggle}>${icon('chevron')}</button>
      <ul id="list" role="listbox" aria-label=${this.label} ?hidden=${!shown}>${shown ? found.slice(0, MOST).map((name, at) => this.#option(name, at)) : nothing}</ul>
    </div>`
  }

  #option(name: string, at: number): TemplateResult {
    return html`<li id="option-${at}" role="option" aria-selected=${name === this.value} class=${at === this.active ? 'active' : ''}
      @pointerdown=${(event: Event) => event.preventDefault()} @click=${() => this.#pick(name)}>${markInvisible(name)}</li>`
  }

  #found(): readonly string[] {
    if (!this.typed) return this.options
    const words = this.value.toLowerCase().split(/\s+/).filter(Boolean)
    return this.options.filter((name) => words.every((word) => name.toLowerCase().includes(word)))
  }

  #tell(value: string): void {
    this.value = value
    this.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  }

  readonly #write = (event: InputEvent): void => {
    event.stopPropagation()
    this.typed = this.open = true
    this.active = -1
    this.#tell((event.target as HTMLInputElement).value)
  }

  readonly #toggle = (): void => {
    this.typed = false
    this.open = !this.open
    this.focus()
  }

  readonly #left = ({ relatedTarget }: FocusEvent): void => {
    if (!(relatedTarget instanceof Node && this.renderRoot.contains(relatedTarget))) this.open = false
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    const { key } = event
    const count = Math.min(this.#found().length, MOST)
    if ((key === 'ArrowDown' || key === 'ArrowUp') && count > 0) {
      event.preventDefault()
      if (!this.open) {
        this.typed = false
        this.open = true
      }
      const step = key === 'ArrowDown' ? this.active + 1 : this.active < 0 ? count - 1 : this.active - 1
      this.active = (step + count) % count
      void this.updateComplete.then(() =>
        this.renderRoot.querySelector('.active')?.scrollIntoView({ block: 'nearest' }),
      )
    } else if (key === 'Enter' && this.open && this.#found()[this.active] !== undefined) {
      event.preventDefault()
      this.#pick(this.#found()[this.active] as string)
    } else if (key === 'Escape' && this.open) {
      event.preventDefault()
      event.stopPropagation() // a dialog around it stays
      this.open = false
    }
  }

  #pick(name: string): void {
    this.open = this.typed = false
    this.active = -1
    this.#tell(name)
  }
}
