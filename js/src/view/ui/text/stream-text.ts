// Text that grows. New text goes to the end of the last text node; nothing else changes. The text is cut into chunks
// with a layout of their own, so that appending to a long text costs the same as to a short one.
import { withoutOverrides } from '../../../app/bridge/overrides.js'
import { onlyGrew } from './growing.js'

/** A chunk ends with the line that exceeds this many characters, */
const CHUNK = 1200
/** or with the word that exceeds this many, if no line ends there, */
const LONGEST = 12_000
/** or in the middle of it: browsers lay one long word out in quadratic time. */
const MOST = 24_000

export class StreamText {
  readonly element = document.createElement('div')
  #text = ''
  #node: Text | undefined
  #size = 0 // characters in the last chunk
  #held = '' // white space at the end, shown once text follows it

  constructor() {
    this.element.hidden = true
  }

  /** Shows `text`, which usually is the shown text with more at its end. */
  set(text: string): void {
    if (!onlyGrew(this.#text, text)) this.#clear()
    const more = withoutOverrides(text.slice(this.#text.length))
    this.#text = text
    if (more) this.#append(more)
  }

  #clear(): void {
    this.element.replaceChildren()
    this.element.hidden = true
    this.#text = this.#held = ''
    this.#node = undefined
    this.#size = 0
  }

  #append(more: string): void {
    const end = more.trimEnd().length
    if (end === 0) {
      this.#held += more
      return
    }
    let text = this.#held + more.slice(0, end)
    this.#held = more.slice(end)
    if (!this.element.firstChild) text = text.trimStart()
    this.element.hidden = false
    while (text) text = this.#fill(text)
  }

  /** Adds what fits to the last chunk and returns the rest. */
  #fill(text: string): string {
    if (!this.#node) {
      const chunk = document.createElement('div')
      chunk.className = 'chunk'
      this.#node = chunk.appendChild(document.createTextNode(''))
      this.element.append(chunk)
      this.#size = 0
    }
    const line = text.indexOf('\n', Math.max(0, CHUNK - this.#size)) + 1 || Infinity
    const word =
      this.#size + Math.min(line, text.length) > LONGEST
        ? text.indexOf(' ', Math.max(0, LONGEST - this.#size)) + 1 || Infinity
        : Infinity
    let cut = Math.min(line, word)
    const room = MOST - this.#size
    if (Math.min(cut, text.length) >= room) cut = isHalf(text.charCodeAt(room - 1)) ? room + 1 : room
    if (cut === Infinity) cut = 0
    const piece = cut ? text.slice(0, cut) : text
    this.#node.appendData(piece)
    this.#size += piece.length
    if (cut) this.#node = undefined
    return text.slice(piece.length)
  }
}

/** The first half of a character. */
const isHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00
