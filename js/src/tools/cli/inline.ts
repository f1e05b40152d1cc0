// Emphasis, code and links within a line of Markdown, as styled text. While more of the line may come it is said how
// much of it can no longer change, whatever follows: so that it can be printed for good, and looks the same however the
// text was cut.
import type { Span } from './flow.js'
import { columns } from './rows.js'

export interface Inline {
  /** The beginning, which stays as it is. */
  settled: Span[]
  /** How much of the text that is. */
  length: number
  /** Gives the rest as it looks so far: what is open closes at the end. */
  rest: () => Span[]
}

/** What is opened is closed within so many characters, or is no markup. Text waits for it no longer than that. */
const REACH = 600
/** So many are closed at the end of what is there; more are no markup of a sane text. */
const CLOSED = 8
/** The longest link that is read as one. */
const LINK = 400

/** `before`: the character in front of the text. `more`: the line goes on behind it. `base`: the style of all of it. */
export function inline(text: string, { before = ' ', more = false, base = '' } = {}): Inline {
  const { nodes, hold } = scan(text, before, more)
  const sure = nodes.filter(({ at }) => at < hold)
  const waiting = pair(sure, hold)
  const length = more ? Math.min(waiting, hold) : text.length
  const settled = drawn(
    sure.filter(({ at }) => at < length),
    base,
  )
  const rest = (): Span[] => {
    const open = scan(text.slice(length), lastPoint(text.slice(0, length)) ?? before, false, true)
    pair(open.nodes, open.hold, true)
    return drawn(open.nodes, base)
  }
  return { settled, length, rest }
}

// -- pieces -----------------------------------------------------------------------------------------------------------

interface Node {
  at: number
  text: string
  /** Codes that are added to those of the text around it. */
  sgr?: string
  /** A run of markers. */
  run?: { left: number; size: number; prev: string; next: string }
  /** Styles of the pairs of markers around it. */
  around: string[]
}

const link = /!?\[((?:[^[\]\\]|\\.)*)\]\(([^()\s<>]*(?:\([^()\s<>]*\)[^()\s<>]*)*)(?:\s+"[^"]*")?\s*\)/y
const beginsLink = /!?(?:\[(?:[^[\]\\]|\\.)*(?:\\|\](?:\([^)]*(?:\([^)]*\)[^)]*)?)?)?)?$/y
const address = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y
const beginsAddress = /<[a-z]{0,6}:?\/{0,2}$|<(?:https?:\/\/|mailto:)[^\s<>]*$/y
const plain = /[^\\`*_~[!<]+/y

const match = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** `hold`: from here on more text can change what this is. `close`: what is open is closed at the end. */
function scan(text: string, before: string, more: boolean, close = false): { nodes: Node[]; hold: number } {
  const nodes: Node[] = []
  let hold = text.length
  const wait = (at: number): void => void (hold = Math.min(hold, at))
  const add = (at: number, given: string, fields: Partial<Node> = {}): void =>
    void nodes.push({ at, text: given, around: [], ...fields })
  const unclosed = new Set<number>() // sizes of runs of backticks that have no partner in what is left
  for (let at = 0; at < text.length; ) {
    const left = text.length - at
    const run = match(plain, text, at)
    if (run) {
      add(at, run[0])
      at += run[0].length
      continue
    }
    const mark = text[at] as string
    if (mark === '\\') {
      const next = text[at + 1]
      if (next === undefined && more) wait(at)
      const escaped = next !== undefined && /[!-/:-@[-`{-~]/.test(next)
      add(at, escaped ? next : mark)
      at += escaped ? 2 : 1
    } else if (mark === '`') {
      const [ticks] = match(/`+/y, text, at) as RegExpExecArray
      const end = unclosed.has(ticks.length) ? -1 : partner(text, at + ticks.length, ticks.length)
      if (end >= 0 && end - at < REACH) {
        const inner = text.slice(at + ticks.length, end)
        add(at, /^ .*[^ ].* $/s.test(inner) ? inner.slice(1, -1) : inner, { sgr: '36' })
        if (more && end + ticks.length === text.length) wait(at) // the run may grow
        at = end + ticks.length
        continue
      }
      if (end < 0) unclosed.add(ticks.length)
      if (end < 0 && more && left < REACH) wait(at)
      const inner = close && end < 0 && left < REACH ? text.slice(at + ticks.length) : ''
      add(at, inner || ticks, inner ? { sgr: '36' } : {})
      at += inner ? left : ticks.length
    } else if (mark === '[' || mark === '!') {
      const found = match(link, text, at)
      if (found && found[0].length <= LINK) {
        const [all, label = '', url = ''] = found
        const said = mark === '!' ? [`picture${label ? `: ${label}` : ''}`] : [label]
        const same = label === url || `mailto:${label}` === url
        for (const part of inline(said.join(''), { base: '4' }).settled) add(at, part.text, { sgr: part.sgr })
        if (!same && url) add(at, ` (${url})`, { sgr: '2' })
        at += all.length
        continue
      }
      if (more && left < LINK && match(beginsLink, text, at)) wait(at)
      add(at, mark)
      at++
    } else if (mark === '<') {
      const found = match(address, text, at)
      if (more && !found && left < LINK && match(beginsAddress, text, at)) wait(at)
      add(at, found ? (found[1] as string) : mark, found ? { sgr: '4' } : {})
      at += found ? found[0].length : 1
    } else {
      let end = at
      while (text[end] === mark) end++
      if (more && end === text.length && left < REACH) wait(at) // the run may grow
      add(at, text.slice(at, end), {
        run: {
          left: end - at,
          size: end - at,
          prev: lastPoint(text.slice(Math.max(0, at - 2), at)) ?? before,
          next: String.fromCodePoint(text.codePointAt(end) ?? 32),
        },
      })
      at = end
    }
  }
  return { nodes, hold }
}

/** Where the next run of exactly this many backticks begins; -1: nowhere. */
function partner(text: string, from: number, size: number): number {
  for (let at = text.indexOf('`', from); at >= 0; at = text.indexOf('`', at)) {
    const start = at
    while (text[at] === '`') at++
    if (at - start === size) return start
  }
  return -1
}

// -- pairs of markers -------------------------------------------------------------------------------------------------

const blank = /\s/
const punctuation = /[\p{P}\p{S}]/u
const isWide = (point: string): boolean => columns(point) === 2

/** By CommonMark's rules, in which Chinese and Japanese characters count as neighbours that a marker may touch. */
function sides(mark: string, prev: string, next: string): { opens: boolean; closes: boolean } {
  const narrow = (point: string): boolean => punctuation.test(point) && !isWide(point)
  const left = !blank.test(next) && (!narrow(next) || blank.test(prev) || narrow(prev) || isWide(prev))
  const right = !blank.test(prev) && (!narrow(prev) || blank.test(next) || narrow(next) || isWide(next))
  if (mark !== '_') return { opens: left, closes: right }
  return { opens: left && (!right || punctuation.test(prev)), closes: right && (!left || punctuation.test(next)) }
}

interface Opener {
  node: number
  closes: boolean
}

/**
 * Finds the markers that belong together. Returns where the first one stands that may still find its partner behind
 * `length` characters; Infinity: there is none. `close`: those are closed at the end.
 */
function pair(nodes: readonly Node[], length: number, close = false): number {
  const stack: Opener[] = []
  const wrap = (from: number, to: number, sgr: string): void => {
    for (let at = from + 1; at < to; at++) (nodes[at] as Node).around.push(sgr)
  }
  for (const [at, { run, text, at: place }] of nodes.entries()) {
    const mark = text[0] as string
    if (!run || (mark === '~' && run.size !== 2)) continue
    const { opens, closes } = sides(mark, run.prev, run.next)
    for (let up = closes ? stack.length - 1 : -1; up >= 0 && run.left > 0; up--) {
      const opener = stack[up] as Opener
      const from = nodes[opener.node] as Node
      const other = from.run as NonNullable<Node['run']>
      if (from.text[0] !== mark || place - from.at >= REACH) continue
      if (
        mark !== '~' &&
        (opener.closes || opens) &&
        (other.size + run.size) % 3 === 0 &&
        (other.size % 3 !== 0 || run.size % 3 !== 0)
      )
        continue
      stack.length = up + 1 // what was opened in between has no partner
      while (run.left > 0 && other.left > 0) {
        const used = Math.min(2, run.left, other.left)
        run.left -= used
        other.left -= used
        wrap(opener.node, at, styleOf(mark, used))
      }
      if (other.left === 0) stack.length = up
    }
    if (opens && run.left > 0) stack.push({ node: at, closes })
  }
  const waiting = stack.map(({ node }) => node).filter((node) => length - (nodes[node] as Node).at < REACH)
  for (const node of close ? waiting.slice(0, CLOSED) : []) {
    const { run, text } = nodes[node] as Node
    wrap(node, nodes.length, styleOf(text[0] as string, (run as NonNullable<Node['run']>).left))
    ;(run as NonNullable<Node['run']>).left = 0
  }
  return waiting[0] === undefined ? Infinity : (nodes[waiting[0]] as Node).at
}

const styleOf = (mark: string, size: number): string => (mark === '~' ? '9' : size >= 2 ? '1' : '3')

function drawn(nodes: readonly Node[], base: string): Span[] {
  const spans: Span[] = []
  for (const { text, sgr, run, around } of nodes) {
    const given = run ? text.slice(0, run.left) : text
    const style = [base, ...[...new Set(around)].sort(), sgr].filter(Boolean).join(';')
    const last = spans.at(-1)
    if (last?.sgr === style) last.text += given
    else if (given) spans.push({ text: given, sgr: style })
  }
  return spans
}

const lastPoint = (text: string): string | undefined => /[\s\S]$/u.exec(text)?.[0]
