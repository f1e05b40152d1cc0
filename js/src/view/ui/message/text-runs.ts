// Text that is cut only by calls nobody waits for (expressions, motions) is one text; the calls are marks in it. Each
// message of an answer is a text of its own.
import { isCommentary } from '../../../app/bridge/commentary.js'
import { cueMark, withoutMarks } from '../text/cue-marks.js'
import type { QuestionView, BlockView, CardView } from '../ui-types.js'

type TextView = Extract<BlockView, { text: string }>

/** A text with the calls that stand in it, in order. */
export type TextRun = TextView & { cues?: readonly CardView[] }

interface Made {
  members: BlockView[]
  run: TextRun
}

const isPlainText = (block: BlockView | undefined): block is TextView =>
  block?.type === 'text' && !block.retracted && !block.refusal && !block.fabricated && !isCommentary(block)

export class TextRuns {
  #shown: readonly (BlockView | undefined)[] = []
  /** The runs, each at the index of its first text. */
  readonly #made: (Made | undefined)[] = []

  /**
   * The blocks as they are shown: a run stands where its first text does, its other blocks are undefined. `still`:
   * nothing more comes. `from`: the blocks in front of it, and all else, are what they were the last time. Gives as
   * `start` from where they may be shown otherwise.
   */
  of(
    blocks: readonly BlockView[],
    asks: ReadonlyMap<number, QuestionView>,
    still: boolean,
    from: number,
  ): { shown: readonly (BlockView | undefined)[]; start: number } {
    let start = from
    while (start > 0 && (isPlainText(blocks[start - 1]) || isCue(blocks[start - 1], asks))) start--
    const shown: (BlockView | undefined)[] = this.#shown.slice(0, start).concat(blocks.slice(start))
    const before = this.#made.splice(start)
    for (let at = start; at < blocks.length; at++) {
      const end = this.#end(blocks, asks, at)
      let first = at
      while (first < end && !isPlainText(blocks[first])) first++
      if (end - at < 2 || first === end) {
        // What a call belongs to may be about to come.
        if (end > at && end === blocks.length && !still) shown.fill(undefined, at, end)
        at = Math.max(at, end - 1)
        continue
      }
      const members = blocks.slice(at, end)
      const old = before[first - start]
      const same =
        old && old.members.length === members.length && members.every((block, index) => block === old.members[index])
      const run = same ? old.run : joined(members, blocks[first] as TextView)
      this.#made[first] = { members, run }
      shown.fill(undefined, at, end)
      shown[first] = run
      at = end - 1
    }
    this.#shown = shown
    return { shown, start }
  }

  /** Where the run that begins here ends. */
  #end(blocks: readonly BlockView[], asks: ReadonlyMap<number, QuestionView>, from: number): number {
    let end = from
    let text = false
    for (; end < blocks.length; end++) {
      const block = blocks[end]
      if (isPlainText(block) ? text && (block.apart || blocks[end - 1]?.type === 'text') : !isCue(block, asks)) break
      text ||= isPlainText(block)
    }
    return end === from + 1 && isPlainText(blocks[from]) ? from : end
  }
}

function isCue(block: BlockView | undefined, asks: ReadonlyMap<number, QuestionView>): block is CardView {
  return (
    block?.type === 'tool_use' &&
    block.silent === true &&
    !asks.has(block.call) &&
    !block.status?.startsWith('awaiting')
  )
}

const ENDS = /(?:^|\n)[ \t]*(?:[-+*>#|`~]|\d+[.)])[^\n]*$|[^\p{L}\p{N},，、;；)）"”'’*_]$/u
const BEGINS = /^\s*[\p{Ll}\p{Lo}]/u
const CJK_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，、；（）“”]$/u

/**
 * Many formats write a call on lines of its own: in the middle of a sentence these lines are none. Gives the text in
 * front of the call.
 */
function sentenceOf(before: string, next: string): string | undefined {
  const text = before.trimEnd()
  const end = text.slice(-TAIL)
  if (end === '' || !before.slice(text.length).includes('\n') || ENDS.test(end) || !BEGINS.test(next)) return undefined
  return CJK_END.test(end) ? text : `${text} `
}

/** The text behind a call goes on with a sentence. */
const goesOn = (before: string, next: string): boolean =>
  /^\s*\n/.test(next) && BEGINS.test(next) && /[^\n]$/.test(before) && !ENDS.test(before.trimEnd())

/** So much of a text is looked at to tell what a call behind it cuts. */
const TAIL = 400

function joined(members: readonly BlockView[], first: TextView): TextRun {
  const cues: CardView[] = []
  const parts: string[] = []
  let text = '' // the last one
  let own = true // the last call has a line of its own
  members.forEach((block, at) => {
    if (block.type !== 'tool_use') {
      const given = withoutMarks((block as TextView).text)
      text = !own && goesOn(text.slice(-TAIL), given) ? given.trimStart() : given
      parts.push(text)
      return
    }
    const next = members[at + 1]
    const sentence =
      members[at - 1]?.type !== 'tool_use' && next && next.type !== 'tool_use'
        ? sentenceOf(text, (next as TextView).text)
        : undefined
    if (sentence !== undefined) parts[parts.length - 1] = text = sentence
    const mark = cueMark(
      cues.push(block) - 1,
      members[at - 1]?.type === 'tool_use' ? (own ? '\n\n' : '.') : text.slice(-TAIL),
    )
    own = mark.endsWith('\n')
    parts.push(mark)
  })
  const sources = members.flatMap((block) => (block.type === 'text' && block.sources) || [])
  return { ...first, text: parts.join(''), cues, ...(sources.length > 0 ? { sources } : {}) }
}
