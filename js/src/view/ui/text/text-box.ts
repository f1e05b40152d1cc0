// A text in an element: typeset here, or drawn by the app.
import type { Strings } from '../shared/ui-strings.js'
import type { CardView } from '../ui-types.js'
import type { ActionOptions } from './action-options.js'
import { actions } from './actions.js'
import { colour } from './colours.js'
import { withoutMarks } from './cue-marks.js'
import { Typeset } from './typeset.js'
import type { RenderText } from './text-types.js'

/** What it depends on beside the text. */
export interface TextContext extends ActionOptions {
  words: Strings
  lang: string
  /** The element whose shadow root the text stands in. */
  host: HTMLElement
  renderText?: RenderText | undefined
}

let slots = 0

export class TextBox {
  readonly #typeset = new Typeset(colour)
  readonly element = this.#typeset.element
  #context: TextContext | undefined
  #own: OwnText | undefined

  /** `block`: which one of the message it is. */
  constructor(private readonly block: number) {
    actions(this.element, () => this.#context as TextContext)
  }

  /** `cards`: the calls that have marks in the text. */
  set(text: string, open: boolean, context: TextContext, cards?: readonly CardView[]): void {
    this.#context = context
    const { renderText, words } = context
    if (renderText) {
      this.#own ??= new OwnText(this.block)
      if (this.#own.draw(renderText, text, open, context)) {
        this.#typeset.clear()
        if (this.element.firstChild !== this.#own.slot) this.element.replaceChildren(this.#own.slot)
        this.element.hidden = text.trim() === ''
        return
      }
    }
    if (this.#own?.slot.isConnected) this.element.replaceChildren()
    if (!renderText) this.remove()
    this.#typeset.set(cards ? text : withoutMarks(text), open, words, cards)
  }

  /** Takes away what stands outside of the shadow root. */
  remove(): void {
    this.#own?.element.remove()
    this.#own = undefined
  }
}

/** Text that the app draws, in an element that the app's styles reach: a child of the host, shown by a slot. */
class OwnText {
  readonly slot = document.createElement('slot')
  readonly element = document.createElement('div')
  #shown: unknown[] = []
  #failed: RenderText | undefined

  constructor(private readonly block: number) {
    this.slot.name = this.element.slot = `sluice-text-${++slots}`
  }

  /** Returns false if the app's function throws: it is not called again. */
  draw(renderText: RenderText, text: string, open: boolean, { lang, host }: TextContext): boolean {
    if (renderText === this.#failed) return false
    const now = [renderText, text, open, lang]
    if (now.every((one, at) => one === this.#shown[at])) return true
    if (this.element.parentNode !== host) host.append(this.element)
    try {
      const node = renderText(text, { open, lang, block: this.block, element: this.element })
      if (
        node instanceof Node &&
        node !== this.element &&
        !(node === this.element.firstChild && node === this.element.lastChild)
      )
        this.element.replaceChildren(node)
      this.#shown = now
      return true
    } catch (error) {
      console.error('sluice: renderText threw, the text is typeset instead', error)
      this.#failed = renderText
      this.element.remove()
      return false
    }
  }
}
