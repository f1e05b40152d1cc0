// <br>, <sub>, <sup> and <kbd>, without attributes. Every other tag is shown as it was written.
import type { InlineRule } from './inline-places.js'

const TAG = /<(?:(br) ?\/?|(sub|sup|kbd))>/iy
const LONGEST = 400

export const htmlTag: InlineRule = (state, silent) => {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false
  TAG.lastIndex = state.pos
  const [whole, br, pair] = TAG.exec(state.src) ?? []
  if (whole === undefined) return false
  const from = state.pos + whole.length
  if (br) {
    if (!silent) state.push('hardbreak', 'br', 0)
    state.pos = from
    return true
  }
  const tag = (pair as string).toLowerCase()
  const length = state.src
    .slice(from, Math.min(from + LONGEST, state.posMax))
    .toLowerCase()
    .indexOf(`</${tag}>`)
  if (length < 0) return false
  const { posMax } = state
  if (!silent) {
    state.pos = from
    state.posMax = from + length
    state.push('tag_open', tag, 1)
    state.md.inline.tokenize(state)
    state.push('tag_close', tag, -1)
  }
  state.pos = from + length + tag.length + 3
  state.posMax = posMax
  return true
}
