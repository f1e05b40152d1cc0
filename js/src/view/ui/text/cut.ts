// Cuts a growing text into blocks. A block is finished when a whole line of the next one stands behind it; it is never
// read again.
import { FenceReader, type Fence } from '../../../app/bridge/markdown/fence.js'
import { parseBlocks, type Token } from '../../../app/bridge/markdown/markdown-rules.js'
import { withoutHeld } from '../../../app/bridge/markdown/unfinished.js'
import { mathRenderer } from './math-renderer.js'

export interface Plain {
  type: 'plain'
  text: string
}

export interface Parsed {
  type: 'parsed'
  tokens: Token[]
  /** More may come into its last line. */
  open: boolean
}

export type Block = Fence | Plain | Parsed

/**
 * A block beyond one of these is plain text, so that nothing takes long. Code in fences does not count, but for
 * `WITH_CODE`.
 */
const CHARACTERS = 12_000
const MARKERS = 1500
const LINES = 400
const WITH_CODE = 32_000

/** The blocks of a text that grows. */
export class Cutter {
  #at = 0 // what is before is finished
  #fence: FenceReader | undefined
  #plainFrom: number | undefined // the block at `#at` is plain, and its end is searched from here

  /** Nothing is read again while more comes: the last block is open code, or too large to be read. */
  get onlyGrows(): boolean {
    return this.#fence !== undefined || this.#plainFrom !== undefined
  }

  /**
   * Blocks that are finished now, and those that may change. `text` begins as it did before, without carriage returns.
   */
  read(text: string, open: boolean): { finished: Block[]; tail: Block[] } {
    const finished: Block[] = []
    for (;;) {
      const { done, tail } = this.#next(text, open)
      finished.push(...done)
      if (tail) return { finished, tail }
    }
  }

  /** Without `tail` there is more to read. */
  #next(text: string, open: boolean): { done: Block[]; tail?: Block[] } {
    if (this.#plainFrom !== undefined) return this.#plain(text, open)
    if (!this.#fence) {
      this.#skipBlank(text)
      if (this.#at >= text.length) return { done: [], tail: [] }
      const stop = text.indexOf('\n', this.#at)
      if (stop >= 0 || !open)
        this.#fence = FenceReader.begin(text.slice(this.#at, stop < 0 ? undefined : stop), this.#at)
    }
    if (!this.#fence) return this.#parse(text, open)
    const { fence, end } = this.#fence.read(text, open)
    if (end === undefined) return { done: [], tail: [fence] }
    this.#fence = undefined
    this.#at = end
    return { done: [fence] }
  }

  #skipBlank(text: string): void {
    const blank = /[ \t\n]*\n/y
    blank.lastIndex = this.#at
    if (blank.test(text)) this.#at = blank.lastIndex
  }

  #parse(text: string, open: boolean): { done: Block[]; tail?: Block[] } {
    const { end, full } = windowEnd(text, this.#at)
    const whole = text.slice(this.#at, end)
    const over = !full && !open
    const source = open && !full ? withoutHeld(whole) : whole
    const tops = topLevel(parseBlocks(source, { math: mathRenderer() !== undefined }), source)
    const lines = source.split('\n').length - 1 // whole ones
    let last = tops.length
    if (!over)
      do last--
      while (
        last > 0 &&
        (tops[last] as Top).decided > lines &&
        !(full && behindBlank(source, (tops[last] as Top).from))
      )
    const fence = tops.findIndex(({ tokens }, at) => at > 0 && at <= last && tokens[0]?.type === 'fence')
    if (fence > 0) last = fence
    if (last <= 0 && full) {
      this.#plainFrom = end
      return { done: [] }
    }
    const done = tops.slice(0, Math.max(0, last)).map(({ tokens }): Parsed => ({ type: 'parsed', tokens, open: false }))
    const rest = tops.slice(Math.max(0, last))
    if (done.length > 0 || over) this.#at += rest[0]?.from ?? whole.length
    if (fence > 0 || full) return { done }
    const grows = !/\n[ \t]*\n$/.test(source)
    return {
      done,
      tail: rest.map(({ tokens }, at): Parsed => ({ type: 'parsed', tokens, open: grows && at === rest.length - 1 })),
    }
  }

  /** A block that is too large goes to the next blank line. */
  #plain(text: string, open: boolean): { done: Block[]; tail?: Block[] } {
    const blank = /\n[ \t]*\n/g
    blank.lastIndex = Math.max(this.#at, (this.#plainFrom as number) - 1)
    const end = blank.exec(text)?.index ?? (open ? undefined : text.length)
    const plain: Plain = { type: 'plain', text: text.slice(this.#at, end) }
    if (end === undefined) {
      this.#plainFrom = Math.max(this.#plainFrom as number, text.lastIndexOf('\n')) // the line may become a blank one
      return { done: [], tail: [plain] }
    }
    this.#at = end
    this.#plainFrom = undefined
    return { done: [plain] }
  }
}

/** In front of a line too long to be read a blank one settles that a block begins there. */
const behindBlank = (source: string, from: number): boolean =>
  /\n[ \t]*\n$/.test(source.slice(Math.max(0, from - 100), from))

interface Top {
  tokens: Token[]
  /** Where it begins in the source. */
  from: number
  /** So many whole lines of the source settle that it begins there. */
  decided: number
}

function topLevel(tokens: Token[], source: string): Top[] {
  const tops: Top[] = []
  let line = 0
  let from = 0
  let depth = 0
  for (const token of tokens) {
    if (depth === 0) {
      const [start] = token.map ?? [line]
      for (; line < start; line++) from = source.indexOf('\n', from) + 1
      tops.push({ tokens: [], from, decided: start + (token.type === 'table_open' ? 2 : 1) })
    }
    depth += token.nesting
    ;(tops.at(-1) as Top).tokens.push(token)
  }
  return tops
}

const FENCE = /^[\s>\d.)*+-]*?(`{3,100}(?!`)|~{3,100}(?!~))/

/**
 * How far a block that begins at `at` may reach; `full` if the text goes beyond that. Depends on nothing but the text.
 */
function windowEnd(text: string, at: number): { end: number; full: boolean } {
  let [characters, markers, lines] = [0, 0, 0]
  let fence: { marks: string; indent: number } | undefined
  for (let from = at; from < text.length; ) {
    const stop = text.indexOf('\n', from)
    const longest = from + CHARACTERS + 1
    const end = Math.min(stop < 0 ? text.length : stop + 1, longest)
    const line = text.slice(from, end)
    const counts = !fence
    const found = FENCE.exec(line)
    if (!fence) {
      if (found) fence = { marks: found[1] as string, indent: found[0].length - (found[1] as string).length }
    } else if (
      (found && (found[1] as string).startsWith(fence.marks)) ||
      (line.trim() && line.search(/\S/) < fence.indent && fence.indent > 0)
    )
      fence = undefined
    if (counts) {
      characters += line.length
      lines++
      markers += countMarkers(line)
    }
    if (characters > CHARACTERS || markers > MARKERS || lines > LINES || end - at > WITH_CODE)
      return { end, full: true }
    from = end
  }
  return { end: text.length, full: false }
}

function countMarkers(line: string): number {
  let count = 0
  for (let at = 0; at < line.length; at++) {
    switch (line.charCodeAt(at)) {
      case 0x2a: // *
      case 0x5f: // _
      case 0x7e: // ~
      case 0x60: // `
      case 0x5b: // [
      case 0x3c: // <
      case 0x3e: // >
      case 0x24: // $
      case 0x26: // &
      case 0x5c: // \
        count++
    }
  }
  return count
}
