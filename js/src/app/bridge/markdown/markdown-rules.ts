// How a run of Markdown is read, such as a paragraph's text: by markdown-it, with rules of our own for code, links,
// formulas and four tags of HTML. Blocks are read by `line-plan.ts`.
import { cjkFriendly, MarkdownIt } from '../markdown-it.js'
import { bareLink } from './bare-links.js'
import { htmlTag } from './html-tags.js'
import { placeInline, placeLink, type InlineRule, type Placed } from './inline-places.js'
import { mathInline } from './math-rules.js'
import { closeAtEnd, openCode, openLink } from './unfinished.js'
import { balance, codeSpan, shortLink, wait, type Waiting } from './waits.js'

export type { Token } from '../markdown-it.js'
export type { Place, Placed } from './inline-places.js'

const { inline } = new MarkdownIt()
/** A rule as markdown-it has it. */
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

const md = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 40 })
md.use(cjkFriendly)
md.use(placeInline)
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

/** The tokens of a run, with their places in it. `unfinished`: more may come, and what is open closes at the end. */
export const parseInline = (text: string, env: { math: boolean; unfinished?: boolean }): Placed[] =>
  readInline(text, 0, env, false)

/** The text of a fence's first line without escapes. */
export const unescape = (info: string): string => md.utils.unescapeAll(info)
