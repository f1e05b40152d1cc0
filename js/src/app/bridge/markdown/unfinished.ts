// While more may come, the end of the text is shown as what it will most likely be: no stars and brackets that vanish a
// moment later.
import type { StateInline } from '../markdown-it.js'
import type { InlineRule } from './inline-places.js'

const isUnfinished = ({ env }: StateInline): boolean => env['unfinished'] === true

/** Closes what is open at the end of the run: `**bo` is bold. */
export function closeAtEnd(state: StateInline): void {
  if (!isUnfinished(state)) return
  for (const { marker, length, open } of state.delimiters.slice().reverse()) {
    if (!open) continue
    state.push('text', '', 0)
    state.delimiters.push({
      marker,
      length: length ?? 0,
      token: state.tokens.length - 1,
      end: -1,
      open: false,
      close: true,
    })
  }
}

const CODE = /(`+)([^`\n]+)$/y
const LINK = /(!?)\[([^[\]]*)\]\((?:<?[^()\s<>]*>?(?:\s+["'][^"']*)?)$/y

/** `code` whose end has not come. */
export const openCode: InlineRule = (state, silent) => {
  if (
    silent ||
    !isUnfinished(state) ||
    state.src.charCodeAt(state.pos) !== 0x60 ||
    state.src.charCodeAt(state.pos - 1) === 0x60
  )
    return false
  CODE.lastIndex = state.pos
  const found = CODE.exec(state.src)
  if (!found || state.posMax !== state.src.length) return false
  state.push('code_inline', 'code', 0).content = found[2] as string
  state.pos = state.posMax
  return true
}

/** Of `[text](htt` the text is shown, of a picture nothing. */
export const openLink: InlineRule = (state, silent) => {
  const first = state.src.charCodeAt(state.pos)
  if (silent || !isUnfinished(state) || (first !== 0x5b && first !== 0x21)) return false
  LINK.lastIndex = state.pos
  const found = LINK.exec(state.src)
  if (!found || state.posMax !== state.src.length) return false
  const [, picture, text] = found as unknown as [string, string, string]
  if (!picture) {
    const { posMax } = state
    state.pos += 1
    state.posMax = state.pos + text.length
    state.push('link_open', 'a', 1)
    state.linkLevel++
    state.md.inline.tokenize(state)
    state.linkLevel--
    state.push('link_close', 'a', -1)
    state.posMax = posMax
  }
  state.pos = state.posMax
  return true
}

/** At most this many characters are held back. */
const HELD = 24
/** A line of nothing but what could begin a block, and a table's first line. */
const LINE =
  /^[ \t]*(?:>[ \t]*)*(?:(?:[-+*]|\d{1,9}[.)]?|#{1,6}|[-*_ \t]+|[`~]+[^`\n]*|\$+|(?:[-+*]|\d{1,9}[.)])[ \t]+\[[ x]?\]?)?[ \t]*|\|.*)$/i
const MARKERS = /(?:[*_~`$]+|\\|!?\[|<\/?[a-z]{0,3}|&#?[a-z0-9]{0,8})$/i

/** The text without its last characters that may still turn out to be no text. */
export function withoutHeld(text: string): string {
  const from = text.lastIndexOf('\n') + 1
  if (text.length - from <= HELD && LINE.test(text.slice(from))) return text.slice(0, heldTable(text, from))
  return withoutHeldMarks(text)
}

/**
 * What is not shown of a line that has begun, since it may become anything: the line, or also `names` in front of it,
 * which may be a table's first one.
 */
export function heldLine(line: string, names = ''): 'line' | 'both' | undefined {
  if (line.length > HELD || !LINE.test(line)) return undefined
  return names.startsWith('|') && names.length + line.length < HELD && /^[ \t]*\|[-:| \t]*$/.test(line)
    ? 'both'
    : 'line'
}

/** A line without its last characters that may still turn out to be marks. */
export function withoutHeldMarks(text: string): string {
  const held = MARKERS.exec(text.slice(Math.max(text.lastIndexOf('\n') + 1, text.length - HELD)))?.[0].length ?? 0
  return held < HELD ? text.slice(0, text.length - held) : text
}

/** A table's first line is held together with the start of the one that makes it a table. */
function heldTable(text: string, from: number): number {
  if (!/^[ \t]*\|[-:| \t]*$/.test(text.slice(from)) || from === 0) return from
  const before = text.lastIndexOf('\n', from - 2) + 1
  return text.length - before <= HELD && /^[ \t]*\|/.test(text.slice(before, from)) ? before : from
}
