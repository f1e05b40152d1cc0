// An element that few pages need: its inside is a file of its own, loaded when the first one stands in a page.
import { css, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import { SluiceElement } from './base-element.js'
import { pick } from './locale.js'
import { controls, tokens } from './theme.js'

const english = { failed: 'This part of the page could not be loaded.', again: 'Try again' }
const words: { en: typeof english; [language: string]: typeof english } = {
  en: english,
  zh: { failed: '页面的这一部分无法加载。', again: '重试' },
}

/** The element inside: it follows the same client. */
interface Follower extends HTMLElement {
  client: unknown
  refresh(): Promise<void>
}

export abstract class LateElement<Inside extends Follower> extends SluiceElement {
  static override properties: PropertyDeclarations = { client: { attribute: false } }
  static override styles = [
    tokens,
    controls,
    css`
    :host { display: block; }
    p { margin: 0 0 10px; }
  `,
  ]

  declare client: Inside['client']

  #come!: (inside: Inside) => void
  #loading = false
  #failed = false
  #inside: Inside | undefined
  readonly #there = new Promise<Inside>((resolve) => (this.#come = resolve))

  /** Loads the file, and makes the element that it defines. */
  protected abstract load(): Promise<Inside>

  /** Reads anew what it shows, since another window may have changed it. */
  async refresh(): Promise<void> {
    await (await this.#there).refresh()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    if (!this.#inside) void this.#load()
  }

  async #load(): Promise<void> {
    if (this.#loading) return
    this.#loading = true
    this.#failed = false
    this.requestUpdate()
    try {
      this.#inside = await this.load()
      this.#come(this.#inside)
    } catch (error) {
      console.warn('sluice: a file beside sluice/ui could not be loaded', error)
      this.#failed = true
    }
    this.#loading = false
    this.requestUpdate()
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed)
    if (this.#inside) this.#inside.client = this.client
  }

  override render(): TemplateResult {
    if (!this.#failed) return html`${this.#inside}`
    const { failed, again } = pick(words, this.language)
    return html`<div role="alert"><p>${failed}</p><button type="button" class="button" @click=${() => void this.#load()}>${again}</button></div>`
  }
}
