// <sluice-text>: a text, typeset while it grows.
import { html, type PropertyValues, type TemplateResult } from 'lit'
import { define, SluiceElement } from '../shared/base-element.js'
import { schedule, unschedule } from '../shared/frame.js'
import { controls, tokens } from '../shared/theme.js'
import { MATH_CAME } from './math-renderer.js'
import { textStyles } from './text-styles.js'
import { TextBox } from './text-box.js'
import type { LoadImage, OpenLink, RenderText } from './text-types.js'

export class SluiceText extends SluiceElement {
  static override styles = [tokens, controls, textStyles]
  static override properties = {
    text: { type: String },
    open: { type: Boolean, reflect: true },
    renderText: { attribute: false },
    openLink: { attribute: false },
    loadImage: { attribute: false },
  }

  declare text: string
  declare open: boolean
  declare renderText: RenderText | undefined
  declare openLink: OpenLink | undefined
  declare loadImage: LoadImage | undefined

  readonly #box = new TextBox(0)

  constructor() {
    super()
    this.text = ''
    this.open = false
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener(MATH_CAME, this.#show)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener(MATH_CAME, this.#show)
    unschedule(this.#show)
  }

  override willUpdate(changed: PropertyValues): void {
    if (this.hasUpdated && this.open && !changed.has('open'))
      schedule(this.#show) // once per frame, however often text comes
    else this.#show()
  }

  readonly #show = (): void => {
    const { words, renderText, openLink, loadImage } = this
    this.#box.set(this.text, this.open, { words, lang: this.language, host: this, renderText, openLink, loadImage })
  }

  override render(): TemplateResult {
    return html`${this.#box.element}`
  }
}

define('sluice-text', SluiceText)
