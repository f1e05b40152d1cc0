// Why a person refuses: a field that opens on request. The model reads it.
import { html, nothing, type LitElement, type TemplateResult } from 'lit'
import { focusAfterUpdate } from '../shared/focus.js'
import type { Strings } from '../shared/ui-strings.js'

export class Reason {
  /** The field is there. */
  open = false
  #text = ''

  /** `refuse`: what Enter in the field does. */
  constructor(
    private readonly host: LitElement,
    private readonly refuse: () => void,
  ) {}

  get text(): string {
    return this.#text.trim()
  }

  forget(): void {
    this.open = false
    this.#text = ''
  }

  take(other: Reason): void {
    this.open = other.open
    this.#text = other.#text
  }

  begin(): void {
    this.open = true
    focusAfterUpdate(this.host, '.reason input')
  }

  end(): void {
    this.forget()
    focusAfterUpdate(this.host, '.why')
  }

  draw(words: Strings): TemplateResult | typeof nothing {
    if (!this.open) return nothing
    return html`<div class="reason" part="reason">
      <label for="reason">${words.reasonLabel} · ${words.reasonHint}</label>
      <input id="reason" class="field" type="text" maxlength="1000" autocomplete="off" .value=${this.#text}
        @input=${({ target }: Event) => (this.#text = (target as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && !event.isComposing && !event.repeat && this.refuse()}>
    </div>`
  }
}
