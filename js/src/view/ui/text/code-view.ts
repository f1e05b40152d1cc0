// Code: its language, what can be done with it, and the text in a box that scrolls from the beginning on, so that it
// never folds later.
import { codeWithoutTurns } from '../../../app/bridge/overrides.js'
import type { Strings } from '../shared/ui-strings.js'
import type { OwnView } from './patch.js'
import type { Own } from './text-tree.js'

/**
 * A chunk of the text ends with the line that exceeds this many characters: to append to a long text costs the same as
 * to a short one.
 */
const CHUNK = 8000

export type Code = Extract<Own, { own: 'code' }>

export class CodeView implements OwnView {
  readonly element = document.createElement('div')
  readonly #language = document.createElement('span')
  readonly #text = document.createElement('code')
  #shown = ''
  #chunk: Text | undefined
  #size = 0

  constructor(
    words: Strings,
    private readonly changed: (view: CodeView) => void,
  ) {
    this.element.className = 'code'
    this.element.dir = 'ltr'
    const bar = document.createElement('div')
    bar.className = 'bar'
    this.#language.className = 'language'
    bar.append(this.#language, action('wrap', words.wrap), action('copy', words.copy))
    bar.querySelector('[data-act=wrap]')?.setAttribute('aria-pressed', 'false')
    const box = document.createElement('pre')
    box.tabIndex = 0
    box.setAttribute('part', 'code')
    box.setAttribute('role', 'region')
    box.setAttribute('aria-label', words.code)
    box.append(this.#text)
    this.element.append(bar, box)
  }

  /** The text nodes, in order. */
  get texts(): Text[] {
    return [...this.#text.childNodes].map((chunk) => chunk.firstChild as Text)
  }

  get code(): string {
    return this.#shown
  }

  language = ''
  closed = false

  update(own: Own): void {
    const { code, language, closed } = own as Code
    if (this.language !== language) this.#language.textContent = language
    if (code === this.#shown && language === this.language && closed === this.closed) return
    this.language = language
    this.closed = closed
    if (!code.startsWith(this.#shown)) this.#clear()
    const more = codeWithoutTurns(code.slice(this.#shown.length))
    this.#shown = code
    if (more) this.#append(more)
    this.changed(this)
  }

  #clear(): void {
    this.#text.replaceChildren()
    this.#shown = ''
    this.#chunk = undefined
  }

  #append(more: string): void {
    for (let text = more; text; ) {
      if (!this.#chunk) {
        const chunk = document.createElement('span')
        chunk.className = 'chunk'
        this.#chunk = chunk.appendChild(document.createTextNode(''))
        this.#text.append(chunk)
        this.#size = 0
      }
      const cut = text.indexOf('\n', Math.max(0, CHUNK - this.#size)) + 1
      const piece = cut ? text.slice(0, cut) : text
      this.#chunk.appendData(piece)
      this.#size += piece.length
      if (cut) this.#chunk = undefined
      text = text.slice(piece.length)
    }
  }
}

function action(name: string, label: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'act'
  button.dataset['act'] = name
  button.textContent = label
  return button
}
