// What the elements share: language, theme, and a `define` that allows a second copy of this module.
import { LitElement, type PropertyValues } from 'lit'
import { languageOf, onLanguageChange } from './locale.js'
import { text, type Strings } from './strings.js'

export class SluiceElement extends LitElement {
  #offLanguage: (() => void) | undefined
  #language: string | undefined

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang']
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    super.attributeChangedCallback(name, old, value)
    if (name === 'lang') this.#forgetLanguage()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#language = undefined
    this.#offLanguage ??= onLanguageChange(() => this.#forgetLanguage())
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#offLanguage?.()
    this.#offLanguage = undefined
  }

  #forgetLanguage(): void {
    this.#language = undefined
    this.requestUpdate()
  }

  get language(): string {
    return (this.#language ??= languageOf(this))
  }

  /** The strings of the element's language. */
  protected get words(): Strings {
    return text(this.language)
  }

  protected override willUpdate(_changed: PropertyValues): void {}

  protected override update(changed: PropertyValues): void {
    const root = this.renderRoot as ShadowRoot
    const before = root.activeElement
    super.update(changed)
    if (before && !before.isConnected && !root.activeElement) this.focusInstead()
  }

  /** What had the focus is gone from the element: it goes on from another place, not from the beginning of the page. */
  protected focusInstead(): void {}
}

export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element)
}
