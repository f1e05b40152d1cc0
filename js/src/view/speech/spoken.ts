// Markdown as it comes in → what a voice says of it, with the place of every letter. What it says depends on the text
// alone, never on how the text was cut. Stars and underscores mean nothing to a voice: nothing waits for those.
import {
  markdownReader,
  type LeafToken,
  type MarkdownNode,
  type MarkdownReader,
  type MarkdownToken,
} from '../../app/bridge/markdown.js'
import { SaidText } from './said-text.js'

const code = 20 // characters of inline code that are still said

export class Spoken {
  readonly #say: (text: string, place: number, fixed: boolean) => void
  readonly #onScreen: () => string
  readonly #link: () => string
  readonly #text: SaidText
  #reader: MarkdownReader | undefined
  /** Where the text of the reader begins. */
  #base = 0
  #length = 0
  /**
   * What stands between what was said and what comes: nothing, a blank that is still to be said, a line end that was.
   */
  #gap: '' | ' ' | '\n' = '\n'
  #gapAt = 0
  #inTable = false
  #inLine = false
  /** Where the link that is open begins. */
  #linkAt: number | undefined
  #noted = false
  #toNote = false

  /** `say` gets what is said, and the place of its first letter; `fixed`: all of it stands for that place. */
  constructor(
    say: (text: string, place: number, fixed: boolean) => void,
    words: { onScreen: () => string; link: () => string },
  ) {
    this.#say = say
    this.#onScreen = words.onScreen
    this.#link = words.link
    this.#text = new SaidText({
      say: (text, place, fixed) => this.#sayAt(text, place, fixed),
      blank: (place) => this.#blank(' ', place),
      link: (place) => this.#sayAt(this.#link(), place, true),
    })
  }

  push(text: string): void {
    this.#reader ??= markdownReader({ math: true, emphasis: false })
    this.#length += text.length
    this.#take(this.#reader.push(text).settled)
  }

  /** No more text comes: nothing waits any longer. The next text begins a line. */
  end(): void {
    this.#take(this.#reader?.end().settled ?? [])
    this.#text.end(this.#length, '\n')
    if (this.#toNote) this.#note(this.#length)
    this.#reader = undefined
    this.#base = this.#length
    this.#gap = '\n'
  }

  /** The next text is another one, whose places count from the start. */
  restart(): void {
    this.#base = this.#length = 0
  }

  #take(tokens: readonly MarkdownToken[]): void {
    for (const token of tokens) {
      const place = this.#base + token.from
      if (token.type === 'open') this.#open(token.node, place)
      else if (token.type === 'close') this.#close(token.node, this.#base + token.to)
      else if (!this.#inTable) this.#leaf(token, place)
    }
  }

  #open(node: MarkdownNode, place: number): void {
    if (node === 'table') this.#inTable = true
    if (node === 'paragraph' || node === 'heading') this.#inLine = true
    if (node === 'link') this.#linkAt = place
    if (node !== 'table' && node !== 'fence') return
    this.#text.end(place, '\n')
    this.#note(place)
  }

  #close(node: MarkdownNode, place: number): void {
    if (node === 'table') this.#inTable = false
    if (node === 'link') this.#linkAt = undefined
    if (node !== 'paragraph' && node !== 'heading') return
    this.#inLine = false
    this.#endLine(place)
  }

  #leaf(token: LeafToken, place: number): void {
    const { type, text, from, to } = token
    switch (type) {
      case 'text':
        if (text.length === to - from && !this.#isAddress(text)) return this.#text.add(text, place)
        this.#text.end(place, text.at(-1) as string)
        return this.#special(text, place)
      case 'code':
        this.#text.end(place, '`')
        if (text.length <= code) this.#sayAt(text, place + (to - from - text.length) / 2, false)
        return
      case 'image':
        return this.#text.add(text, place + 2)
      case 'math':
        this.#text.end(place, '$')
        this.#toNote = true
        if (!this.#inLine) this.#endLine(this.#base + to)
        return
      case 'break':
        this.#endLine(place)
    }
  }

  /** A link whose text is an address is told in a word. */
  #isAddress(text: string): boolean {
    return this.#linkAt !== undefined && /^(?:https?:|mailto:|[^\s@]+@[^\s@]+$)/i.test(text)
  }

  /** What was written otherwise is said as it is: `\*`, `&amp;`. */
  #special(text: string, place: number): void {
    if (this.#isAddress(text)) this.#sayAt(this.#link(), this.#linkAt ?? place, true)
    else if (text.trim() === '') this.#blank(' ', place)
    else this.#sayAt(text, place, true)
  }

  #endLine(place: number): void {
    this.#text.end(place, '\n')
    this.#blank('\n', place)
    if (this.#toNote) this.#note(place)
  }

  #sayAt(text: string, place: number, fixed: boolean): void {
    if (this.#gap === ' ') this.#say(' ', this.#gapAt, true)
    this.#gap = ''
    this.#say(text, place, fixed)
  }

  /** A blank or a line end; of several in a row one is said. */
  #blank(text: ' ' | '\n', place: number): void {
    if (text === '\n' && this.#gap !== '\n') this.#say(text, place, true)
    if (text === '\n') this.#gap = text
    else if (this.#gap === '') {
      this.#gap = text
      this.#gapAt = place
    }
  }

  /** Something cannot be said. That is told once. */
  #note(place: number): void {
    this.#toNote = false
    if (this.#noted) return
    this.#noted = true
    this.#sayAt(`${this.#onScreen()}\n`, place, true)
    this.#gap = '\n'
  }
}
