// Tokens of a run of Markdown as text in the styles of a terminal.
import type { LeafToken, MarkdownNode, MarkdownToken } from '../../app/bridge/markdown.js'
import type { Span } from './flow.js'

const styles: { [node in MarkdownNode]?: string } = { strong: '1', em: '3', strike: '9' }

export class Spans {
  readonly #source: (from: number, to: number) => string
  readonly #styled: boolean
  readonly #base: string
  #around: string[] = []
  /** The link that is open, and its text so far. */
  #link: { href: string; label: string } | undefined

  /** `source`: the text as it was written, between two places. Where nothing is `styled` it is that. */
  constructor(source: (from: number, to: number) => string, styled: boolean, base = '') {
    this.#source = source
    this.#styled = styled
    this.#base = styled ? base : ''
  }

  /** The same, for tokens that may not stay. */
  clone(): Spans {
    const copy = new Spans(this.#source, this.#styled, this.#base)
    copy.#around = [...this.#around]
    copy.#link = this.#link && { ...this.#link }
    return copy
  }

  of(token: MarkdownToken): Span[] {
    const written = this.#source(token.from, token.to)
    if (!this.#styled) return [{ text: written.replace(/\s*\n\s*/g, ' '), sgr: '' }]
    if (token.type === 'open' || token.type === 'close') return this.#mark(token.type, token, written)
    if (token.type === 'code') return [this.#span(token.text, '36')]
    if (token.type === 'image') return this.#picture(token, written)
    if (this.#link) this.#link.label += token.text
    return [this.#span(token.text)]
  }

  #mark(type: 'open' | 'close', token: { node: MarkdownNode; href?: string }, written: string): Span[] {
    const style = styles[token.node]
    if (style) {
      if (type === 'open') this.#around.push(style)
      else this.#around.splice(this.#around.lastIndexOf(style), 1)
      return []
    }
    if (token.node !== 'link') return [this.#span(written)] // a tag of HTML
    if (type === 'open') {
      this.#link = { href: token.href ?? '', label: '' }
      return []
    }
    const { href, label } = this.#link as { href: string; label: string }
    this.#link = undefined
    return isSame(label, href) ? [] : this.#address(href, written.slice(2, -1))
  }

  #picture({ text, href = '' }: LeafToken, written: string): Span[] {
    const said = this.#span(text ? `picture: ${text}` : 'picture', '4')
    return href.startsWith('data:') ? [said] : [said, ...this.#address(href, written.slice(text.length + 4, -1))]
  }

  /** The address behind a text: as it was written, if that is what opens. */
  #address(href: string, target: string): Span[] {
    const written = /^\s*<?([^\s<>]*)/.exec(target)?.[1] ?? ''
    const isPlain = /^[\x21-\x7e]+$/.test(written) && isSame(written, href)
    return href === '' ? [] : [{ text: ` (${isPlain ? written : href})`, sgr: '2' }]
  }

  #span(text: string, sgr = ''): Span {
    const codes = [this.#base, ...[...new Set(this.#around)].sort(), this.#link ? '4' : '', sgr]
    return { text, sgr: codes.filter(Boolean).join(';') }
  }
}

/** Whether a text is the address that it leads to. */
function isSame(text: string, href: string): boolean {
  return [text, `mailto:${text}`].some((one) => one === href || (URL.canParse(one) && new URL(one).href === href))
}
