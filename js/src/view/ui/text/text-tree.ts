// What is drawn for the blocks of a text: a tree of elements and texts, which the page's nodes are then made equal to.
// Nothing is HTML.
import type { LeafToken, MarkdownToken, OpenToken } from '../../../app/bridge/markdown.js'
import { unescape } from '../../../app/bridge/markdown/markdown-rules.js'
import { LONGEST_MATH } from '../../../app/bridge/markdown/math-rules.js'
import { codeWithoutTurns, withoutOverrides } from '../../../app/bridge/overrides.js'
import type { Strings } from '../shared/ui-strings.js'
import type { Block } from './cut.js'
import { codeWithoutMarks, splitMarks } from './cue-marks.js'

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
      return new Tree(words).build(block.tokens)
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
  /** The code that comes. */
  #code: Extract<Own, { own: 'code' }> | undefined
  #cell: 'th' | 'td' = 'td'

  constructor(private readonly words: Strings) {}

  build(tokens: readonly MarkdownToken[]): Drawn[] {
    for (const token of tokens) {
      if (token.type === 'open') this.#begin(token)
      else if (token.type === 'close') this.#end(token.node)
      else this.#leaf(token)
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

  #begin(token: OpenToken): void {
    switch (token.node) {
      case 'paragraph':
        return this.#open(leaf('p'))
      case 'heading': {
        const level = token.level as number
        return this.#open(leaf(`h${Math.min(6, level + HEADING_OFFSET)}`, { class: `h${level}`, part: 'heading' }))
      }
      case 'list': {
        const start: Leaf['attributes'] = (token.start ?? 1) === 1 ? {} : { start: String(token.start) }
        return this.#open(leaf(token.ordered ? 'ol' : 'ul', { dir: 'auto', ...start }))
      }
      case 'item':
        return this.#open(leaf('li'))
      case 'quote':
        return this.#open(leaf('blockquote', { dir: 'auto' }))
      case 'fence':
        this.#code = { own: 'code', code: '', language: languageOf(token.info ?? ''), closed: true }
        this.#top.children.push(this.#code)
        return
      case 'table':
        return this.#table()
      case 'row': {
        const body = leaf(token.head ? 'thead' : 'tbody')
        const last = this.#top.children.at(-1)
        const goesOn = !token.head && typeof last === 'object' && 'tag' in last && last.tag === 'tbody'
        if (goesOn) this.#stack.push(last)
        else this.#open(body)
        this.#cell = token.head ? 'th' : 'td'
        return this.#open(leaf('tr'))
      }
      case 'cell': {
        const side: Leaf['attributes'] = token.align && token.align !== 'left' ? { class: token.align } : {}
        return this.#open(leaf(this.#cell, { ...(this.#cell === 'th' ? { scope: 'col' } : {}), ...side }))
      }
      case 'link':
        return this.#open(this.#link(token.href ?? ''))
      case 'strike':
        return this.#open(leaf('s'))
      default:
        return this.#open(leaf(token.node))
    }
  }

  #end(node: OpenToken['node']): void {
    if (node === 'fence') return
    if (node === 'item') task(this.#top, this.words.task)
    if (node === 'paragraph') {
      const { children, attributes } = this.#top
      withoutLastBreak(children)
      if (children.length > 0 && children.every(isCue)) attributes['class'] = 'cues'
    }
    if (node === 'link') trueHost(this.#top)
    if (node === 'row') this.#close()
    this.#close()
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

  #leaf(token: LeafToken): void {
    switch (token.type) {
      case 'text':
        return this.#text(token.text)
      case 'fence': {
        const code = this.#code as Extract<Own, { own: 'code' }>
        code.code = codeWithoutMarks(code.code + token.text)
        return
      }
      case 'break':
        if (!token.hard && aloneInLine(this.#top.children)) return
        this.#top.children.push(leaf('br'))
        return
      case 'code':
        this.#top.children.push(leaf('code', {}, codeWithoutTurns(codeWithoutMarks(token.text))))
        return
      case 'rule':
        this.#top.children.push(leaf('hr'))
        return
      case 'image':
        return this.#picture(token)
      case 'math':
        return this.#math(token)
    }
  }

  #link(href: string): Leaf {
    if (!/^(?:https?|mailto):/i.test(href)) return leaf('span')
    return leaf('a', { href, part: 'link', rel: 'noopener noreferrer', target: '_blank' })
  }

  /** Never loaded by itself: its address can carry the conversation away. */
  #picture({ text, href: source = '' }: LeafToken): void {
    const alt = withoutOverrides(text).slice(0, 200)
    const data = source.startsWith('data:')
    const host = data ? undefined : hostOf(source)
    if (host === undefined && !data) return this.#text(text)
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

  #math({ text, info = '', display = false }: LeafToken): void {
    if (text && info.length <= LONGEST_MATH) {
      this.#top.children.push({ own: 'math', tex: text, written: info, display })
      return
    }
    const isInLine = this.#stack.some(({ tag }) => /^(?:p|h\d|t[hd])$/.test(tag))
    if (isInLine) this.#text(info)
    else this.#top.children.push(leaf('p', {}, ...lines(info)))
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
