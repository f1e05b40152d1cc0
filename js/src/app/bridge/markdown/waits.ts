// Where more text may still change what a mark means, it waits, and how long is bounded: what is not closed by then is
// text for good. So a run of Markdown can be read while it comes.
import type { Delimiter, StateInline } from '../markdown-it.js'
import { bareStart } from './bare-links.js'
import { flushText, type InlineRule, type Placed } from './inline-places.js'
import { openFormula } from './math-rules.js'

/** What is opened is closed within so many characters, or is no markup; so are runs of one mark. */
export const REACH = 600
export const LONGEST_LINK = 2048
/** The picture may stand in the address. */
export const LONGEST_PICTURE = 12_000
/** So deep markdown-it reads parentheses in an address. */
const DEEPEST = 32
/** The longest element that is read, with its tags. */
const ELEMENT = 420

/** `env` of a run that is read. */
export type Waiting = {
  /** More may come behind the text that this state reads. */
  main?: StateInline
  /** From here on more text can change what this is. Nothing behind it was read. */
  hold?: number
  /** What was found out of links, by where they begin. */
  links?: Map<number, boolean>
  /** Stars, underscores and tildes are text. */
  plain?: boolean
  math?: boolean
}

const runEnd = (text: string, at: number): number => {
  const mark = text.charCodeAt(at)
  let end = at + 1
  while (text.charCodeAt(end) === mark) end++
  return end
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Before every other rule: text where a run is too long, and where more is needed nothing is read any more. */
export const wait: InlineRule = (state, silent) => {
  if (silent) return false
  const { src, pos, posMax } = state
  const env = state.env as Waiting
  const mark = src[pos] as string
  const isMain = env.main === state && posMax === src.length
  if (mark === '*' || mark === '_' || mark === '~' || mark === '`') {
    const end = Math.min(posMax, runEnd(src, pos))
    if (end - pos >= REACH || (env.plain && mark !== '`')) {
      state.pending += src.slice(pos, end)
      state.pos = end
      return true
    }
    if (isMain && end + (isHigh(src.charCodeAt(end)) ? 1 : 0) >= src.length) return hold(state, pos)
  }
  if (!isMain) return false
  if (mark === ':') {
    const scheme = bareStart(state)
    return scheme === undefined ? false : hold(state, scheme)
  }
  return isOpen(state, pos) && hold(state, pos)
}

function hold(state: StateInline, at: number): true {
  state.pending = state.pending.slice(0, state.pending.length - (state.pos - at))
  state.pos = at
  flushText(state)
  ;(state.env as Waiting).hold = at
  state.pos = state.posMax
  return true
}

/** Whether more text can change what begins here. */
function isOpen(state: StateInline, at: number): boolean {
  const { src } = state
  const left = src.length - at
  switch (src[at]) {
    case '\\':
      return left < 2 || (left === 2 && isHigh(src.charCodeAt(at + 1))) || (isMath(state) && openFormula(src.slice(at)))
    case '$':
      return isMath(state) && openFormula(src.slice(at))
    case '`':
      return openCode(src, at)
    case '!':
      return left < 2 || (src[at + 1] === '[' && openLink(state, at + 1, true))
    case '[':
      return openLink(state, at, false)
    case '<':
      return openTag(src.slice(at, at + LONGEST_LINK + 1))
    case '&':
      return left < 40 && /^&(?:#(?:x[a-f0-9]{0,6}|\d{0,7})|[a-z][a-z0-9]{0,31})?$/i.test(src.slice(at))
  }
  return false
}

const isMath = ({ env }: StateInline): boolean => (env as Waiting).math === true

function openCode(src: string, at: number): boolean {
  const end = runEnd(src, at)
  if (end - at >= REACH) return false
  const close = closerOf(src, at, end)
  return close < 0 ? src.length - at < REACH : close + end - at >= src.length
}

function openTag(text: string): boolean {
  if (text.length > LONGEST_LINK) return false
  const element = /^<(sub|sup|kbd)>/i.exec(text)
  if (element)
    return text.length < ELEMENT && !text.toLowerCase().includes(`</${(element[1] as string).toLowerCase()}>`)
  return /^<(?:[^<>\u0000-\u0020]*|br ?\/?)$/i.test(text)
}

/** The target of a link that may still become one. */
const TARGET =
  /^\(\s*(?:<(?:[^<>\n\\]|\\[^\n])*(?:>|\\?$)|[^\s<][^\s]*)?(?:\s+(?:"(?:[^"\\]|\\[^])*(?:"|\\?$)|'(?:[^'\\]|\\[^])*(?:'|\\?$)|\((?:[^()\\]|\\[^])*(?:\)|\\?$))?)?\s*$/

function openLink(state: StateInline, at: number, isPicture: boolean): boolean {
  const known = ((state.env as Waiting).links ??= new Map())
  const found = known.get(at) ?? findOpenLink(state, at, isPicture)
  known.set(at, found)
  return found
}

function findOpenLink(state: StateInline, at: number, isPicture: boolean): boolean {
  const { src } = state
  const left = src.length - at
  const longest = isPicture ? LONGEST_PICTURE : LONGEST_LINK
  if (left >= longest + REACH) return false
  if (src.indexOf(']', at) < 0) return left < longest
  const end = state.md.helpers.parseLinkLabel(state, at, !isPicture)
  if (end < 0) return left < longest
  if (openWithin(state, at + 1, end)) return true
  if (end + 1 >= src.length) return left < longest
  if (src[end + 1] !== '(' || left >= longest) return false
  return !isLink(state, at, isPicture) && !isDeep(src, end + 1) && TARGET.test(src.slice(end + 1))
}

/** Whether an address has more parentheses within each other than one may have. */
function isDeep(src: string, from: number): boolean {
  let depth = 0
  if (src[from + 1] === '<') return false
  for (let at = from; at < src.length && !/\s/.test(src[at] as string); at++) {
    if (src[at] === '\\') at++
    else if (src[at] === '(' && ++depth > DEEPEST + 1) return true
    else if (src[at] === ')' && --depth === 0) return false
  }
  return false
}

function isLink(state: StateInline, at: number, isPicture: boolean): boolean {
  const before = state.pos
  state.pos = isPicture ? at - 1 : at
  const found = (isPicture ? links.image : links.link)(state, true)
  state.pos = before
  return found
}

/** Something in a label whose end may still lie behind the label. */
function openWithin(state: StateInline, from: number, to: number): boolean {
  const { src } = state
  const marks = /[\\`<$[]/g
  marks.lastIndex = from
  for (let found = marks.exec(src); found && found.index < to; found = marks.exec(src)) {
    if (isOpen(state, found.index)) return true
    if (found[0] === '\\') marks.lastIndex++
    else if (found[0] === '`') {
      const end = runEnd(src, found.index)
      const close = closerOf(src, found.index, end)
      marks.lastIndex = close < 0 ? end : close + end - found.index
    }
  }
  return false
}

/** Where the run begins that closes the one from `at` to `end`; -1: nowhere within reach. */
function closerOf(src: string, at: number, end: number): number {
  for (let from = src.indexOf('`', end); from >= 0 && from - at < REACH; from = src.indexOf('`', from)) {
    const to = runEnd(src, from)
    if (to - from === end - at) return from
    from = to
  }
  return -1
}

/** `code`, to the next run of as many marks. */
export const codeSpan: InlineRule = (state, silent) => {
  const { src, pos, posMax } = state
  if (src[pos] !== '`') return false
  const end = Math.min(posMax, runEnd(src, pos))
  const close = end - pos < REACH ? closerOf(src, pos, end) : -1
  const isCode = close >= 0 && close + end - pos <= posMax
  if (!silent) {
    if (isCode) {
      const token = state.push('code_inline', 'code', 0)
      token.content = src
        .slice(end, close)
        .replaceAll('\n', ' ')
        .replace(/^ (.+) $/, '$1')
    } else state.pending += src.slice(pos, end)
  }
  state.pos = isCode ? close + end - pos : end
  return true
}

const links = { link: (() => false) as InlineRule, image: (() => false) as InlineRule }

/** A rule for links that are not longer than `most`. */
export function shortLink(name: 'link' | 'image', usual: InlineRule): InlineRule {
  const most = name === 'image' ? LONGEST_PICTURE : LONGEST_LINK
  links[name] = (state, silent) => {
    const from = state.pos
    if (!state.src.slice(from, from + most).includes(']') || !usual(state, true)) return false
    if (state.pos - from > most) {
      state.pos = from
      return false
    }
    if (silent) return true
    state.pos = from
    return usual(state, false)
  }
  return links[name]
}

/** Pairs of marks, as CommonMark has them, that stand not further apart than `REACH`. Those that still wait hold. */
export function balance(state: StateInline): void {
  const env = state.env as Waiting
  const { starts, openers } = pair(state, state.delimiters)
  for (const meta of state.tokens_meta) if (meta?.delimiters) pair(state, meta.delimiters)
  if (env.main !== state) return
  const read = env.hold ?? state.src.length // a mark behind that may still close
  const first = openers.find((at) => read - (starts[at] as number) < REACH)
  if (first === undefined) return
  let hold = starts[first] as number
  // what is left of a run that closes something waits with what it closes
  for (let at = state.delimiters.length - 1; at >= 0; at--) {
    const { end } = state.delimiters[at] as Delimiter
    if (end >= 0 && (starts[at] as number) < hold && (starts[end] as number) >= hold) hold = starts[at] as number
  }
  env.hold = Math.min(env.hold ?? Infinity, hold)
}

/** Whether a token is of the same run as the one behind it. */
const isMark = (token: Placed | undefined, marker: number, behind: Placed): boolean =>
  token?.type === 'text' &&
  token.to === behind.from &&
  token.content.length <= 2 &&
  token.content.charCodeAt(0) === marker

/** `starts`: where the run of each one begins. `openers`: those that found no partner. */
function pair({ tokens }: StateInline, delimiters: Delimiter[]): { starts: number[]; openers: number[] } {
  const starts = delimiters.map(({ token, marker }) => {
    let first = token
    while (isMark(tokens[first - 1] as Placed | undefined, marker, tokens[first] as Placed)) first--
    return (tokens[first] as Placed).from
  })
  const openers: number[] = []
  const floors = new Map<number, number>()
  for (const [at, closer] of delimiters.entries()) {
    let isPaired = false
    if (closer.close) {
      const kind = closer.marker * 6 + (closer.open ? 3 : 0) + ((closer.length ?? 0) % 3)
      let up = openers.length - 1
      while (up >= 0 && starts[openers[up] as number] === starts[at]) up-- // of the same run
      const below = up + 1
      for (; up >= (floors.get(kind) ?? 0); up--) {
        const opener = delimiters[openers[up] as number] as Delimiter
        if (opener.marker !== closer.marker) continue
        if ((starts[at] as number) - (starts[openers[up] as number] as number) >= REACH) continue
        const [one, other] = [opener.length ?? 0, closer.length ?? 0]
        if ((opener.close || closer.open) && (one + other) % 3 === 0 && (one % 3 !== 0 || other % 3 !== 0)) continue
        opener.end = at
        isPaired = true
        openers.length = up
        break
      }
      if (!isPaired) floors.set(kind, Math.min(below, openers.length))
    }
    if (closer.open && !isPaired) openers.push(at)
  }
  return { starts, openers }
}

/** What stands at the end of a text that may be more than text: half a character, the beginning of an address. */
const END = /[\ud800-\udbff]$|(?<![a-z0-9+.-])(?:ht{0,2}|https?|m|ma|mail?|mailto?)$/i

/** Where the end of a text begins that waits for more. */
export function endThatWaits(text: string): number {
  const from = Math.max(0, text.length - 16)
  const found = END.exec(text.slice(from))
  return found ? from + found.index : text.length
}
