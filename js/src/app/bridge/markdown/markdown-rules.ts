// The Markdown that is read. It leaves out what would change text that stands above (setext headings, reference
// definitions), what people write by accident (indented code), and HTML but for four tags without attributes.
import { cjkFriendly, MarkdownIt, type StateBlock, type Token } from '../markdown-it.js'
import { bareLink } from './bare-links.js'
import { FENCE_OPENER } from './fence.js'
import { htmlTag } from './html-tags.js'
import { placeInline, placeLink, type InlineRule, type Placed } from './inline-places.js'
import { mathBlock, mathInline } from './math-rules.js'
import { closeAtEnd, openCode, openLink } from './unfinished.js'
import { balance, codeSpan, shortLink, wait, type Waiting } from './waits.js'

export type { Token } from '../markdown-it.js'
export type { Place, Placed } from './inline-places.js'

type BlockRule = (state: StateBlock, start: number, end: number, silent: boolean) => boolean

const { block, inline } = new MarkdownIt()
/** A rule as markdown-it has it. */
function usual(name: string): BlockRule {
  block.ruler.enableOnly([name])
  return block.ruler.getRules('')[0] as BlockRule
}
const table = usual('table')
const fence = usual('fence')

const lineAt = (state: StateBlock, line: number): string =>
  state.src.slice((state.bMarks[line] as number) + (state.tShift[line] as number), state.eMarks[line])

/**
 * Rows are filled up to the width of the first one: a wide one would make hundreds of thousands of cells of a few
 * lines.
 */
const COLUMNS = 32

/** A line that begins a fence is no line of a table, whatever stands in it: `FenceReader` decides so, too. */
function tableButFence(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const line = lineAt(state, start)
  return (
    !FENCE_OPENER.test(line) && line.split('|', COLUMNS + 3).length < COLUMNS + 3 && table(state, start, end, silent)
  )
}

const shortFence: BlockRule = (state, start, end, silent) =>
  FENCE_OPENER.test(lineAt(state, start)) && fence(state, start, end, silent)

function usualInline(name: string): InlineRule {
  inline.ruler.enableOnly([name])
  return inline.ruler.getRules('')[0] as InlineRule
}
const usualAutolink = usualInline('autolink')
const autolink: InlineRule = (state, silent) => {
  const from = state.pos
  if (!usualAutolink(state, silent)) return false
  if (!silent) placeLink(state, { from, to: state.pos }, { from: from + 1, to: state.pos - 1 })
  return true
}

const NESTED = 40
/**
 * What stands deeper than this is text with its marks: markdown-it leaves out what is nested deeper than `maxNesting`.
 * A list is two levels, and a paragraph stands in it.
 */
const within =
  (rule: BlockRule): BlockRule =>
  (state, ...rest) =>
    state.level < NESTED - 3 && rule(state, ...rest)

const md = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: NESTED })
md.use(cjkFriendly)
md.use(placeInline)
md.block.ruler.at('table', tableButFence, { alt: ['paragraph', 'reference'] })
md.block.ruler.at('fence', shortFence, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
md.block.ruler.at('blockquote', within(usual('blockquote')), { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
md.block.ruler.at('list', within(usual('list')), { alt: ['paragraph', 'reference', 'blockquote'] })
md.block.ruler.disable(['lheading', 'code', 'reference', 'html_block'])
md.inline.ruler.disable(['html_inline'])
md.inline.ruler.at('linkify', bareLink)
md.inline.ruler.at('autolink', autolink)
md.inline.ruler.before('html_inline', 'html_tag', htmlTag)
md.inline.ruler.before('backticks', 'open_code', openCode)
md.inline.ruler.before('link', 'open_link', openLink)
md.inline.ruler2.before('balance_pairs', 'close_at_end', closeAtEnd)
md.inline.ruler2.at('balance_pairs', balance)
md.inline.ruler.at('backticks', codeSpan)
md.inline.ruler.at('link', shortLink('link', usualInline('link')))
md.inline.ruler.at('image', shortLink('image', usualInline('image')))
md.inline.ruler.before('text', 'wait', wait)
md.inline.ruler.before('escape', 'math', mathInline)
md.block.ruler.before('fence', 'math_block', mathBlock, { alt: ['paragraph', 'blockquote', 'list'] })

/** Addresses that a link may have. Pictures may also be in the address itself; the tree makes no links of those. */
md.validateLink = (url) => /^(?:https?:|mailto:|data:image\/(?:png|gif|jpeg|webp|avif);base64,)/i.test(url.trim())

/**
 * An address is what the browser will make of it, so what a person is asked about is what opens. Its text stays as it
 * was written.
 */
md.normalizeLink = (url) => {
  const address = url.replaceAll('\\', '%5C') // as CommonMark has it; a browser would read a slash
  return URL.canParse(address) ? new URL(address).href : ''
}
md.normalizeLinkText = (url) => url

/** `math`: formulas are read as such; without it they are text. */
export interface Reading {
  math: boolean
}

/** The blocks of a text. Inline text is not read yet. */
export function parseBlocks(text: string, { math }: Reading): Token[] {
  const tokens: Token[] = []
  md.block.parse(text, md, { math }, tokens)
  return tokens
}

/** The tokens of a run, with their places in it. `unfinished`: more may come behind it. */
export function parseInline(text: string, { math, unfinished = false }: Reading & { unfinished?: boolean }): Placed[] {
  const tokens: Placed[] = []
  md.inline.parse(text, md, { math, unfinished }, tokens)
  return tokens
}

/**
 * The tokens of a run from `from` on; what is in front of that was read. `more`: more may come behind it. Then nothing
 * is read from `env.hold` on, which that may change.
 */
export function readInline(
  text: string,
  from: number,
  env: Waiting & { unfinished?: boolean },
  more: boolean,
): Placed[] {
  const state = new md.inline.State(text, md, env, [])
  if (more) env.main = state
  state.pos = from
  md.inline.tokenize(state)
  for (const rule of md.inline.ruler2.getRules('')) rule(state)
  return state.tokens as Placed[]
}

/** The text of a fence's first line without escapes. */
export const unescape = (info: string): string => md.utils.unescapeAll(info)
