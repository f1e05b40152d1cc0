// Cuts a growing text into blocks, which are drawn one by one. A block is finished when nothing that follows can belong
// to it; it is never read again. Of the last one only what is open is.
import {
  markdownReader,
  type LeafToken,
  type MarkdownChange,
  type MarkdownReader,
  type MarkdownToken,
} from '../../../app/bridge/markdown.js'
import { mathRenderer } from './math-renderer.js'

export interface Fence {
  type: 'fence'
  info: string
  code: string
  closed: boolean
}

export interface Plain {
  type: 'plain'
  text: string
}

export interface Parsed {
  type: 'parsed'
  tokens: MarkdownToken[]
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
/** A line that is not whole counts when it is longer: then it is known to which block it belongs. */
const LONG_LINE = 4096

/** The blocks of a text that grows. */
export class Cutter {
  #reader: MarkdownReader | undefined
  #change: MarkdownChange | undefined
  /** Where the text of the reader begins. */
  #base = 0
  /** Behind what was read. */
  #at = 0
  #lineFrom = 0
  /** What is in front is finished. */
  #done = 0
  /** The block behind it. */
  #block = new Grouping()
  #size = new Size()
  /** That block is plain, and its end is searched from here. */
  #plainFrom: number | undefined

  /** Nothing is read again while more comes: the last block is open code, or too large to be read. */
  get onlyGrows(): boolean {
    return this.#plainFrom !== undefined || this.#block.isFence
  }

  /**
   * Blocks that are finished now, and those that may change. `text` begins as it did before, without carriage returns.
   */
  read(text: string, open: boolean): { finished: Block[]; tail: Block[] } {
    const finished: Block[] = []
    while (this.#at < text.length || this.#plainFrom !== undefined) {
      if (this.#plainFrom === undefined) {
        finished.push(...this.#readLine(text))
        continue
      }
      const plain = this.#plain(text, open)
      if (this.#plainFrom !== undefined) return { finished, tail: [plain] }
      finished.push(plain)
    }
    if (open) return { finished, tail: this.#block.with(this.#change?.open ?? []) }
    finished.push(...this.#block.add(this.#reader?.end().settled ?? []))
    return { finished, tail: [] }
  }

  /** Reads what came of a line. Returns the blocks that end with it or in front of it. */
  #readLine(text: string): Block[] {
    if (!this.#reader) {
      this.#base = this.#at
      this.#reader = markdownReader({ math: mathRenderer() !== undefined, anyTable: true })
    }
    const newline = text.indexOf('\n', this.#at)
    const end = Math.min(newline < 0 ? text.length : newline + 1, this.#at + CHARACTERS + 1)
    const isWhole = end === newline + 1
    this.#change = this.#reader.push(text.slice(this.#at, end))
    this.#at = end
    const done = this.#block.add(this.#change.settled)
    const line = text.slice(this.#lineFrom, end)
    const isBlank = line.trim() === ''
    if (done.length > 0) this.#done = this.#base + this.#block.end
    if (done.length > 0 || (isBlank && this.#block.isEmpty)) this.#size = new Size()
    if (!isWhole && (isBlank || line.length < LONG_LINE)) return done
    if (isWhole) this.#lineFrom = end
    if (this.#size.isFull(line, isWhole) && !this.#block.isFence) {
      const blank = /(?:.*\n)?(?:[ \t]*\n)*/y
      blank.lastIndex = this.#done
      if (this.#done > this.#base || this.#base > 0) blank.test(text)
      this.#done = Math.max(this.#done, blank.lastIndex)
      this.#plainFrom = end
    }
    return done
  }

  /** A block that is too large goes to the next blank line. */
  #plain(text: string, open: boolean): Plain {
    const blank = /\n[ \t]*\n/g
    blank.lastIndex = Math.max(this.#done, (this.#plainFrom as number) - 1)
    const end = blank.exec(text)?.index ?? (open ? undefined : text.length)
    const plain: Plain = { type: 'plain', text: text.slice(this.#done, end) }
    if (end === undefined) {
      this.#plainFrom = Math.max(this.#plainFrom as number, text.lastIndexOf('\n')) // the line may become a blank one
      return plain
    }
    this.#reader = this.#change = undefined
    this.#block = new Grouping()
    this.#size = new Size()
    this.#plainFrom = undefined
    this.#at = this.#done = this.#lineFrom = end
    return plain
  }
}

/** Tokens by the block that they are of, while they come. */
class Grouping {
  #tokens: MarkdownToken[] = []
  #depth = 0

  /** Where the last block that is finished ends. */
  end = 0

  get isEmpty(): boolean {
    return this.#tokens.length === 0
  }

  get isFence(): boolean {
    const first = this.#tokens[0]
    return first?.type === 'open' && first.node === 'fence'
  }

  /** The blocks that these tokens finish. */
  add(tokens: readonly MarkdownToken[]): Block[] {
    const done: Block[] = []
    for (const token of tokens) {
      const last = this.#tokens.at(-1)
      if (last?.type === 'fence' && token.type === 'fence') last.text += token.text
      else this.#tokens.push({ ...token })
      this.#depth += token.type === 'open' ? 1 : token.type === 'close' ? -1 : 0
      if (this.#depth > 0) continue
      done.push(this.#made(true))
      this.end = token.to
      this.#tokens = []
    }
    return done
  }

  /** The blocks as they look with these tokens, which are open. */
  with(tokens: readonly MarkdownToken[]): Block[] {
    const all = new Grouping()
    all.#tokens = this.#tokens.map((token) => ({ ...token }))
    all.#depth = this.#depth
    const blocks = all.add(tokens)
    const last = blocks.at(-1)
    if (last?.type === 'fence') last.closed = false
    return blocks
  }

  #made(closed: boolean): Block {
    const [first] = this.#tokens
    if (first?.type !== 'open' || first.node !== 'fence') return { type: 'parsed', tokens: this.#tokens }
    const code = this.#tokens.find((token): token is LeafToken => token.type === 'fence')?.text ?? ''
    return { type: 'fence', info: first.info ?? '', code, closed }
  }
}

const FENCE = /^[\s>\d.)*+-]*?(`{3,100}(?!`)|~{3,100}(?!~))/

/** How large a block is. Depends on nothing but its text. */
class Size {
  #all = 0
  #characters = 0
  #markers = 0
  #lines = 0
  #fence: { marks: string; indent: number } | undefined

  /** Whether it is too large with this line. `whole`: more lines come behind it. */
  isFull(line: string, whole: boolean): boolean {
    let [all, characters, markers, lines] = [this.#all + line.length, this.#characters, this.#markers, this.#lines]
    if (!this.#fence) {
      characters += line.length
      lines++
      markers += countMarkers(line)
    }
    if (whole) {
      ;[this.#all, this.#characters, this.#markers, this.#lines] = [all, characters, markers, lines]
      this.#step(line)
    }
    return characters > CHARACTERS || markers > MARKERS || lines > LINES || all > WITH_CODE
  }

  #step(line: string): void {
    const found = FENCE.exec(line)
    if (!this.#fence) {
      if (!found) return
      const marks = found[1] as string
      this.#fence = { marks, indent: found[0].length - marks.length }
      return
    }
    const { marks, indent } = this.#fence
    const isOut = indent > 0 && line.trim() !== '' && line.search(/\S/) < indent
    if (isOut || (found && (found[1] as string).startsWith(marks))) this.#fence = undefined
  }
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
