// For how long an approval counts, and for which arguments.
import { html, nothing, type ReactiveControllerHost, type TemplateResult } from 'lit'
import type { Strings } from '../shared/ui-strings.js'
import type { ApproveOptions } from '../ui-types.js'

type Span = NonNullable<ApproveOptions['remember']>
const spans: Span[] = ['once', 'turn', 'session', 'always']

export class Remember {
  #span: Span = 'once'
  #exact = false

  constructor(private readonly host: ReactiveControllerHost) {}

  forget(): void {
    this.#span = 'once'
    this.#exact = false
  }

  take(other: Remember): void {
    this.#span = other.#span
    this.#exact = other.#exact
  }

  get chosen(): ApproveOptions {
    return this.#span === 'once' ? {} : { remember: this.#span, ...(this.#exact && { exact: true }) }
  }

  /** `tool`: its name, for what a choice covers. */
  draw(tool: string, words: Strings): TemplateResult {
    return html`<div class="options" part="remember">
      <label>${words.remember}
        <select class="remember" @change=${this.#choose}>
          ${spans.map((one) => html`<option value=${one} ?selected=${one === this.#span}>${words.rememberOptions[one]}</option>`)}
        </select>
      </label>
      ${
        this.#span === 'once'
          ? nothing
          : html`<label class="exact"><input type="checkbox" .checked=${this.#exact} @change=${this.#chooseExact}>${words.exact}</label>
        <span class="covers" part="covers">${this.#exact ? words.coversExactly(tool) : words.covers(tool)}</span>`
      }
    </div>`
  }

  readonly #choose = ({ target }: Event): void => {
    this.#span = (target as HTMLSelectElement).value as Span
    this.host.requestUpdate()
  }

  readonly #chooseExact = ({ target }: Event): void => {
    this.#exact = (target as HTMLInputElement).checked
    this.host.requestUpdate()
  }
}
