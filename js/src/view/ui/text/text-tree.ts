// What is drawn for the blocks of a text: a tree of elements and texts, which the page's nodes are then made equal to.
// Nothing is HTML.
import { parseInline, unescape, type Token } from '../../../app/bridge/markdown/markdown-rules.js'
import { LONGEST_MATH } from '../../../app/bridge/markdown/math-rules.js'
import { codeWithoutTurns, withoutOverrides } from '../../../app/bridge/overrides.js'
import type { Strings } from '../shared/ui-strings.js'
import type { Block } from './cut.js'
import { codeWithoutMarks, splitMarks } from './cue-marks.js'
import { mathRenderer } from './math-renderer.js'

export interface Leaf {
  tag: string
  attributes: { [name: string]: string }
  children: Drawn[]
}

/** A part that looks after its own nodes. */
export type Own =
  | { own: 'code'; code: string; language: string; closed: boolean }
  | { own: 'plain'; text: string }
  | { own: 'cue'; index: number }
  | { own: 'math'; tex: string; written: string; display: boolean }

export type Drawn = string | Leaf | Own

export function drawn(block: Block, words: Strings): Drawn[] {
  switch (block.type) {
    case 'fence':
      return [
        { own: 'code', code: codeWithoutMarks(block.code), language: languageOf(block.info), closed: block.closed },
      ]
    case 'plain':
      return [
        {
          own: 'plain',
          text: splitMarks(block.text)
            .filter((_, at) => at % 2 === 0)
            .join(''),
        },
      ]
    case 'parsed':
      return new Tree(words).build(block.tokens, block.open)
  }
}

const languageOf = (info: string): string =>
  (unescape(info).split(/\s/, 1)[0] ?? '').replace(/^\{?\.?|\}$/g, '').slice(0, 40)

const leaf = (tag: string, attributes: Leaf['attributes'] = {}, ...children: Drawn[]): Leaf => ({
  tag,
  attributes,
  children,
})

/** Headings stand below those of the page and its entries. */
const HEADING_OFFSET = 2

class Tree {
  #stack: Leaf[] = [leaf('root')]

  constructor(private readonly words: Strings) {}

  build(tokens: readonly Token[], open: boolean): Drawn[] {
    const last = open ? tokens.findLast(({ type }) => type === 'inline') : undefined
    const math = mathRenderer() !== undefined
    for (const token of tokens) {
      if (token.type === 'inline')
        for (const child of parseInline(token.content, { math, unfinished: token === last })) this.#inline(child)
      else this.#block(token)
    }
    return (this.#stack[0] as Leaf).children
  }

  get #top(): Leaf {
    return this.#stack.at(-1) as Leaf
  }

  #open(node: Leaf, within: Leaf = node): void {
    this.#top.children.push(node)
    this.#stack.push(within)
  }

  #close(): void {
    if (this.#stack.length > 1) this.#stack.pop()
  }

  /** Texts beside each other are one. */
  #text(whole: string): void {
    const { children } = this.#top
    const [text = '', ...marked] = splitMarks(withoutOverrides(whole)) // they may have been written as `&#x202e;`
    const before = children.at(-1)
    if (typeof before === 'string') children[children.length - 1] = before + text
    else if (text) children.push(text)
    for (let at = 0; at + 1 < marked.length; at += 2) {
      children.push({ own: 'cue', index: Number(marked[at]) })
      if (marked[at + 1]) children.push(marked[at + 1] as string)
    }
  }

  #block(token: Token): void {
    if (token.nesting < 0) {
      if (token.type === 'list_item_close') task(this.#top, this.words.task)
      if (token.type === 'paragraph_close') withoutLastBreak(this.#top.children)
      if (token.type === 'paragraph_close' && this.#top.children.length > 0 && this.#top.children.every(isCue))
        this.#top.attributes['class'] = 'cues'
      return this.#close()
    }
    switch (token.type) {
      case 'paragraph_open':
        return this.#open(leaf('p'))
      case 'heading_open':
        return this.#open(
          leaf(`h${Math.min(6, Number(token.tag.slice(1)) + HEADING_OFFSET)}`, { class: token.tag, part: 'heading' }),
        )
      case 'bullet_list_open':
        return this.#open(leaf('ul', { dir: 'auto' }))
      case 'ordered_list_open': {
        const start = token.attrGet('start')
        return this.#open(leaf('ol', { dir: 'auto', ...(start === null ? {} : { start: String(start) }) }))
      }
      case 'list_item_open':
        return this.#open(leaf('li'))
      case 'blockquote_open':
        return this.#open(leaf('blockquote', { dir: 'auto' }))
      case 'hr':
        this.#top.children.push(leaf('hr'))
        return
      case 'table_open':
        return this.#table()
      case 'th_open':
      case 'td_open': {
        const side = /right|center/.exec(String(token.attrGet('style') ?? ''))?.[0]
        return this.#open(
          leaf(token.tag, { ...(token.tag === 'th' ? { scope: 'col' } : {}), ...(side ? { class: side } : {}) }),
        )
      }
      case 'thead_open':
      case 'tbody_open':
      case 'tr_open':
        return this.#open(leaf(token.tag))
      case 'fence':
      case 'code_block':
        this.#top.children.push({
          own: 'code',
          code: codeWithoutMarks(token.content).replace(/\n$/, ''),
          language: languageOf(token.info),
          closed: true,
        })
        return
      case 'math_block':
        this.#math(token, true)
        return
      default: // a rule that this does not know: its text is not lost
        if (token.nesting > 0) this.#open(leaf('div'))
        else this.#text(token.content)
    }
  }

  #table(): void {
    const table = leaf('table')
    const scroll = leaf(
      'div',
      { class: 'scroll', part: 'table', tabindex: '0', role: 'group', 'aria-label': this.words.table },
      table,
    )
    const button = leaf('button', { type: 'button', class: 'act', 'data-act': 'csv' }, this.words.copyCsv)
    this.#open(leaf('div', { class: 'table', dir: 'auto' }, leaf('div', { class: 'bar' }, button), scroll), table)
  }

  #inline(token: Token): void {
    switch (token.type) {
      case 'text':
      case 'text_special':
        return this.#text(token.content)
      case 'softbreak':
        if (aloneInLine(this.#top.children)) return
        this.#top.children.push(leaf('br'))
        return
      case 'hardbreak':
        this.#top.children.push(leaf('br'))
        return
      case 'code_inline':
        this.#top.children.push(leaf('code', {}, codeWithoutTurns(codeWithoutMarks(token.content))))
        return
      case 'link_open':
        return this.#open(this.#link(String(token.attrGet('href') ?? '')))
      case 'link_close':
        trueHost(this.#top)
        return this.#close()
      case 'image':
        this.#picture(token)
        return
      case 'math':
        this.#math(token, token.block)
        return
      case 'em_open':
      case 'strong_open':
      case 's_open':
      case 'tag_open':
        return this.#open(leaf(token.tag))
      default:
        if (token.nesting < 0) this.#close()
        else this.#text(token.content)
    }
  }

  #link(href: string): Leaf {
    if (!/^(?:https?|mailto):/i.test(href)) return leaf('span')
    return leaf('a', { href, part: 'link', rel: 'noopener noreferrer', target: '_blank' })
  }

  /** Never loaded by itself: its address can carry the conversation away. */
  #picture(token: Token): void {
    const source = String(token.attrGet('src') ?? '')
    const alt = withoutOverrides(token.content || '').slice(0, 200)
    const data = source.startsWith('data:')
    const host = data ? undefined : hostOf(source)
    if (host === undefined && !data) return this.#text(token.content)
    const label = host === undefined ? this.words.pictureInText : this.words.pictureFrom(host)
    const address = data ? [] : [leaf('span', { class: 'address' }, source)]
    this.#top.children.push(
      leaf(
        'span',
        { class: 'picture', part: 'image', 'data-source': source, 'data-alt': alt },
        leaf('button', { type: 'button', class: 'act', 'data-act': 'picture' }, alt ? `${alt} · ${label}` : label),
        ...address,
      ),
    )
  }

  #math(token: Token, display: boolean): void {
    const tex = token.content
    if (!tex || token.markup.length > LONGEST_MATH) {
      if (token.type === 'math') return this.#text(token.markup)
      this.#top.children.push(leaf('p', {}, ...lines(token.markup)))
      return
    }
    this.#top.children.push({ own: 'math', tex, written: token.markup, display })
  }
}

const isCue = (node: Drawn | undefined): boolean => typeof node === 'object' && 'own' in node && node.own === 'cue'

/** Calls stand in a line without text: it is none. */
function aloneInLine(children: readonly Drawn[]): boolean {
  const before = children.findLast((node) => !isCue(node))
  return (
    isCue(children.at(-1)) &&
    (before === undefined || (typeof before === 'object' && 'tag' in before && before.tag === 'br'))
  )
}

/** A line of nothing but calls at the end is none. */
function withoutLastBreak(children: Drawn[]): void {
  const at = children.findLastIndex((node) => !isCue(node))
  const node = children[at]
  if (at < children.length - 1 && typeof node === 'object' && 'tag' in node && node.tag === 'br') children.splice(at, 1)
}

const lines = (text: string): Drawn[] =>
  text
    .split('\n')
    .flatMap((line, at) => (at ? [leaf('br'), line] : [line]))
    .filter((one) => one !== '')

/** `[ ]` and `[x]` in front of an item are boxes. */
function task(item: Leaf, name: string): void {
  const paragraph = item.children[0]
  if (typeof paragraph !== 'object' || !('tag' in paragraph) || paragraph.tag !== 'p') return
  const text = paragraph.children[0]
  const box = typeof text === 'string' ? /^\[([ xX])\](?:\s|$)/.exec(text) : null
  if (!box) return
  item.attributes['class'] = 'task'
  paragraph.children[0] = (text as string).slice(box[0].length)
  paragraph.children.unshift(
    leaf('input', { type: 'checkbox', disabled: '', 'aria-label': name, ...(box[1] === ' ' ? {} : { checked: '' }) }),
  )
}

export function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host || undefined : undefined
}

/** Dots of every kind, a colon or a slash: a text that people may read as an address. */
const likeAddress = /[.\u2024\u3002\uff0e\uff61:/\u2044\u2215\uff0f\uff1a]/

/** A text that may be read as an address gets the true host after it, unless it is exactly that host or address. */
function trueHost(link: Leaf): void {
  const href = link.attributes['href']
  const text = textOf(link).trim()
  if (!href || !likeAddress.test(text)) return
  const host = hostOf(href) ?? href.slice(href.lastIndexOf('@') + 1)
  if (isExactly(text.normalize('NFKC'), href, host)) return
  link.children.push(leaf('span', { class: 'host' }, ` (${host})`))
}

/** The address may lack what every address begins with: `https://`, `mailto:`. */
function isExactly(text: string, href: string, host: string): boolean {
  if (text === host || text === href || text === safeDecoded(href)) return true
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(href)?.[0] ?? ''
  const address = URL.canParse(href) ? new URL(href).href : href
  return [text, scheme + text].some((one) => URL.canParse(one) && new URL(one).href === address)
}

function safeDecoded(href: string): string {
  try {
    return decodeURI(href)
  } catch {
    return href
  }
}

export const textOf = (node: Drawn): string =>
  typeof node === 'string' ? node : 'tag' in node ? node.children.map(textOf).join('') : ''
