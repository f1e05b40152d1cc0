// What the elements share: language, theme, and a `define` that allows a second copy of this module.
import { LitElement, type PropertyValues } from 'lit'
import { focused, lost } from './focus.js'
import { languageChanged, languageOf, onLanguageChange } from './locale.js'
import { text, type Strings } from './ui-strings.js'

export class SluiceElement extends LitElement {
  /**
   * Members with a setter of their own: what a page gave the element before it was defined is given again. Lit does so
   * for properties.
   */
  protected static readonly given: readonly string[] = []

  #offLanguage: (() => void) | undefined
  #language: string | undefined

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang']
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    super.attributeChangedCallback(name, old, value)
    if (name === 'lang' && value !== old && this.isConnected) languageChanged()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#offLanguage ??= onLanguageChange(this, () => this.#forgetLanguage())
    this.#forgetLanguage() // it may stand elsewhere now
    for (const name of (this.constructor as typeof SluiceElement).given) {
      const value: unknown = Object.getOwnPropertyDescriptor(this, name)?.value
      if (Reflect.deleteProperty(this, name) && value !== undefined) Object.assign(this, { [name]: value })
    }
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

  protected override update(changed: PropertyValues): void {
    const root = this.renderRoot as ShadowRoot
    const before = root.activeElement && (focused() as HTMLElement)
    super.update(changed)
    if (!before || root.activeElement) return
    if (before.isConnected) return before.focus({ preventScroll: true }) // it was moved
    lost(before)
    this.focusInstead()
  }

  /** What had the focus is gone from the element: it goes on from another place, not from the beginning of the page. */
  protected focusInstead(): void {}
}

export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element)
}
