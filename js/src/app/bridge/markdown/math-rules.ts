// Where maths stands in a text. Where nobody asks for it there is none, and these rules find nothing.
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
