// Notes where each token of a run of Markdown stands in it, whenever markdown-it pushes one: markdown-it itself knows
// the lines of blocks, and no place within a block. Tokens touch: where one ends the next begins.
import type { Markdown, StateInline, Token } from '../markdown-it.js'

/** UTF-16 offsets in the run. The place of an opening token is that of its mark, without what the mark opens. */
export interface Place {
  from: number
  to: number
}

/** A token whose place is known. */
export type Placed = Token & Place

export type InlineRule = (state: StateInline, silent: boolean) => boolean

interface PlacingState extends StateInline {
  /** A rule is tried here. */
  begin(): void
  /** All is read. */
  finish(): void
  /** The last three tokens are a link: its text is `within`, the marks are around that. */
  placeLink(around: Place, within: Place): void
}

const NEWLINE = 0x0a

/** Gives every token of `md.inline` its place. What was written with an escape or as an entity is a token of its own. */
export function placeInline(md: Markdown): void {
  class State extends md.inline.State implements PlacingState {
    /** Where the rule that is at work began. */
    #start = 0
    /** Tokens of that rule, which end where the rule does. */
    #waiting: Placed[] = []

    begin(): void {
      this.#end(this.pos)
      this.#start = this.pos
    }

    finish(): void {
      this.#end(this.posMax)
      this.#start = this.posMax
    }

    placeLink(around: Place, within: Place): void {
      const [open, text, close] = this.tokens.slice(-3) as [Placed, Placed, Placed]
      Object.assign(open, { from: around.from, to: within.from })
      Object.assign(text, within)
      Object.assign(close, { from: within.to, to: around.to })
      this.#waiting = []
    }

    /** The tokens that wait share what stands up to here: each has its own characters, the last one the rest. */
    #end(at: number): void {
      let from = this.#waiting[0]?.from ?? at
      for (const [index, token] of this.#waiting.entries()) {
        token.from = from
        from = token.to = index + 1 < this.#waiting.length ? Math.min(at, from + token.content.length) : at
      }
      this.#waiting = []
    }

    override pushPending(): Token {
      return this.#text(this.pos)
    }

    /** The text that was read so far ends at `at`. */
    #text(at: number): Token {
      const { length } = this.pending
      return Object.assign(super.pushPending(), { from: at - length, to: at })
    }

    override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
      if (nesting < 0) this.#end(this.pos)
      const blanks = this.#blanks()
      if (this.pending) this.#text(this.#start - blanks)
      const last = blanks > 0 ? (this.tokens.at(-1) as Placed | undefined) : undefined
      const from = nesting < 0 ? this.pos : (last?.to ?? this.#start - blanks)
      const token: Placed = Object.assign(super.push(type, tag, nesting), { from, to: this.pos })
      if (nesting <= 0 || this.pos === this.#start) this.#waiting.push(token)
      return token
    }

    /** Blanks in front of a line's end are the break's. */
    #blanks(): number {
      if (this.src.charCodeAt(this.#start) !== NEWLINE) return 0
      let count = 0
      while (this.src[this.#start - 1 - count] === ' ') count++
      return count
    }
  }
  md.inline.State = State
  md.inline.ruler.before('text', 'begin', (state, silent) => {
    if (!silent) (state as PlacingState).begin()
    return false
  })
  md.inline.ruler2.before('balance_pairs', 'finish', (state) => (state as PlacingState).finish())
  md.inline.ruler2.at('fragments_join', (state) => {
    ;(state as PlacingState).finish()
    join(state.tokens as Placed[])
  })
}

/** For rules: what is pushed now begins where the state is. */
export const beginRule = (state: StateInline): void => (state as PlacingState).begin()

/** For rules: the text that was read ends where the state is. */
export function flushText(state: StateInline): void {
  if (state.pending) state.pushPending()
}

/** For rules that push a link as three tokens: its text is `within`, the marks are around that. */
export const placeLink = (state: StateInline, around: Place, within: Place): void =>
  (state as PlacingState).placeLink(around, within)

/**
 * Joins texts that touch. The token of the second mark of `**` goes into that of the first; a lone `~` moves behind the
 * token that closes.
 */
function join(tokens: Placed[]): void {
  let count = 0
  for (const token of tokens) {
    const last = tokens[count - 1]
    if (token.type === 'text' && token.content === '') {
      if (last?.type === 'strong_close') last.to = token.to
      else if (token.to > token.from) tokens[count++] = token
      continue
    }
    if (token.type === 'strong_open' && last?.type === 'text' && last.content === '') {
      token.from = last.from
      count--
    } else if (token.type === 'text' && last?.type === 'text') {
      if (last.from > token.from) last.from = token.from
      last.content += token.content
      last.to = token.to
      continue
    }
    tokens[count++] = token
  }
  tokens.length = count
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    if (!before || token.from >= before.from) continue
    let first = at - 1
    while (tokens[first - 1]?.type === 's_close') first--
    // `~` and what closes behind it were exchanged
    let from = token.from
    for (const one of tokens.slice(first, at + 1)) {
      one.from = from
      from = one.to = from + (one.type === 's_close' ? 2 : one.content.length)
    }
  }
}
