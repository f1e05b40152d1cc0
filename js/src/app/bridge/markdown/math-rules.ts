// Where maths stands in a text. Where nobody asks for it there is none, and these rules find nothing.
import type { StateBlock } from '../markdown-it.js'
import type { InlineRule } from './inline-places.js'

const DOLLAR = 0x24
/** Longer ones are shown as they were written. */
export const LONGEST_MATH = 2000

/**
 * `$x$` and `$$x$$`: beside non-blanks, and not before a digit, so that `$5 and $6` stays. Also `\(x\)` and `\[x\]`.
 */
const INLINE =
  /\$\$(?!\s)((?:[^$\\]|\\[^])+?)\$\$|\$(?![\s$])((?:[^$\\\n]|\\[^\n])*?(?:[^\s$\\]|\\[^\s]))\$(?!\d)|\\\(([^]+?)\\\)|\\\[([^]+?)\\\]/y

/** So far is looked for the end of `$x$`. */
const SHORT_MATH = 600
const BEGUN = /^(?:\$|\$(?![\s$])(?:[^$\\\n]|\\[^\n])*\\?|\$\$|\$\$(?!\s)(?:[^$\\]|\\[^])*[\\$]?|\\[([][^]*)$/

/** Whether more behind this text may make another formula of what begins it, or of no formula one. */
export function openFormula(text: string): boolean {
  const isShort = /^\$(?!\$)/.test(text)
  if (text.length >= (isShort ? SHORT_MATH : LONGEST_MATH)) return false
  INLINE.lastIndex = 0
  const found = INLINE.exec(text)
  return found ? isShort && found[0].length === text.length : BEGUN.test(text)
}

export const mathInline: InlineRule = (state, silent) => {
  const first = state.src.charCodeAt(state.pos)
  if ((first !== DOLLAR && first !== 0x5c) || !state.env['math']) return false
  const source = state.src.slice(state.pos, Math.min(state.posMax, state.pos + LONGEST_MATH))
  INLINE.lastIndex = 0
  const found = INLINE.exec(source)
  if (!found || (found[2] !== undefined && found[0].length >= SHORT_MATH)) return false
  if (!silent) {
    const token = state.push('math', 'math', 0)
    token.content = (found[1] ?? found[2] ?? found[3] ?? found[4]) as string
    token.markup = found[0]
    token.block = found[1] !== undefined || found[4] !== undefined
  }
  state.pos += found[0].length
  return true
}

const OPEN = /^(?:\$\$|\\\[)/

/** Lines from one that begins with `$$` to one that ends with it, or to a blank one: then they are shown as written. */
export function mathBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (!state.env['math'] || (state.sCount[start] as number) - state.blkIndent >= 4) return false
  const line = (at: number): string =>
    state.src.slice((state.bMarks[at] as number) + (state.tShift[at] as number), state.eMarks[at] as number).trimEnd()
  const first = line(start)
  const opener = OPEN.exec(first)?.[0]
  if (!opener) return false
  const closer = opener === '$$' ? '$$' : '\\]'
  const closes = first.indexOf(closer, 2)
  if (closes >= 0 && closes !== first.length - 2) return false // text follows: it stands in a line
  if (silent) return true
  let last = start
  while (
    !(last === start ? closes >= 0 : line(last).endsWith(closer)) &&
    last + 1 < end &&
    !state.isEmpty(last + 1) &&
    (state.sCount[last + 1] as number) >= state.blkIndent
  )
    last++
  const whole = Array.from({ length: last - start + 1 }, (_, at) => line(start + at)).join('\n')
  const token = state.push('math_block', 'math', 0)
  token.markup = whole
  token.content = whole.length > 4 && whole.endsWith(closer) ? whole.slice(2, -2).trim() : ''
  token.map = [start, last + 1]
  token.block = true
  state.line = last + 1
  return true
}
