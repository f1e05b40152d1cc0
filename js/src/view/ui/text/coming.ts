// What came while the next reading waits: plain text at the end of the open block. The reading puts the typeset text in
// its place.
import { parseInline, type Token } from '../../../app/bridge/markdown/markdown-rules.js'
import { withoutHeld } from '../../../app/bridge/markdown/unfinished.js'
import { codeWithoutTurns } from '../../../app/bridge/overrides.js'
import { removeFromGroup } from './growing.js'
import { splitMarks } from './cue-marks.js'
import { withLineEnds } from './line-ends.js'
import { mathRenderer } from './math-renderer.js'

/** More is not shown before it is read: of a flood the browser's layout would take longer than the reading. */
const MOST = 2000
/**
 * The end of a block stands in the last of these within it. A heading ends with its line, a table is laid out anew by
 * every letter.
 */
const INTO = 'p, ul, ol, li, blockquote, .code, pre, pre > code, .chunk'
/** What closes something that was opened in front of the text, and a heading's first characters. */
const CLOSERS = /(?<![\s*_~`])(?:[*_]{1,3}|~~|`+)(?![\w*_~`])|^ {0,3}#{1,6} +/gm
/** Longer than what is held back, with the line that it stands in. */
const HELD_IN = 64

export class Coming {
  readonly #element = document.createElement('span')
  readonly #text = this.#element.appendChild(document.createTextNode(''))
  #from = 0
  #place: Element | undefined
  #code = false

  constructor() {
    this.#element.className = 'coming'
  }

  /** The text was read: `last` is what is drawn at its end. */
  read(text: string, last: ChildNode | undefined): void {
    this.#place = last instanceof Element && last.matches(INTO) ? endOf(last) : undefined
    this.#code = this.#place?.closest('.code') != null
    const end = text.slice(-HELD_IN)
    const shown = withoutHeld(end)
    this.#from = text.length - end.length + (this.#code ? shown.replace(/\n$/, '') : shown.trimEnd()).length
  }

  /**
   * Shows what `text` has beyond what was read: in the block that is open, or in a line of its own at the end of
   * `group`.
   */
  show(text: string, group: () => Element): void {
    const more = withLineEnds(text.slice(this.#from, this.#from + MOST), true)
    const all = this.#code ? codeWithoutTurns(withoutCues(more)) : plainly(more, text.slice(0, this.#from))
    const now = this.#place ? all : all.trimStart()
    if (now !== this.#text.data) this.#text.data = now
    if (now.trim() && !this.#element.parentNode) (this.#place ?? group()).append(this.#element)
  }

  remove(): void {
    if (!this.#element.parentNode) return
    removeFromGroup(this.#element)
    this.#text.data = ''
  }
}

function endOf(block: Element): Element {
  const last = block.lastElementChild
  return last?.matches(INTO) ? endOf(last) : block
}

/**
 * The text without its markers, as far as it shows them itself. A letter before it tells whether one stands within a
 * word.
 */
function plainly(text: string, before: string): string {
  const letter = /[\p{L}\p{N}]$/u.exec(before.slice(-2))?.[0] ?? ''
  return parseInline(letter + text, { math: mathRenderer() !== undefined, unfinished: true })
    .map(textIn)
    .join('')
    .slice(letter.length)
    .replace(CLOSERS, '')
}

function textIn({ type, content, markup }: Token): string {
  if (type === 'softbreak' || type === 'hardbreak') return '\n'
  if (type === 'image') return ''
  return type === 'math' ? markup : withoutCues(content)
}

const withoutCues = (text: string): string =>
  splitMarks(text)
    .filter((_, at) => at % 2 === 0)
    .join('')
