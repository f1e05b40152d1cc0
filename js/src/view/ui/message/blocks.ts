// Draws the blocks of a message in stream order. Without a template, since a delta must cost the same however much is
// above it: blocks that did not change are skipped.
import { lookOf, makeView, type BlockContext, type Look, type View } from './block-views.js'
import { CallsLines } from './calls-line.js'
import { groupAt } from '../text/growing.js'
import { TextRuns } from './text-runs.js'
import type { BlockView, CardView } from '../ui-types.js'

/** So many blocks are siblings. */
const GROUP = 8

export class Blocks {
  readonly element = document.createElement('div')
  #views: (View | undefined)[] = []
  #shown: readonly (BlockView | undefined)[] = []
  #given: readonly BlockView[] = []
  readonly #runs = new TextRuns()
  readonly #lines = new CallsLines()
  #context: BlockContext | undefined

  constructor() {
    this.element.className = 'blocks'
    this.element.setAttribute('part', 'blocks')
  }

  /** Shows the blocks and calls back for every card that changed. */
  update(
    blocks: readonly BlockView[],
    context: BlockContext,
    changed: (card: CardView, before: CardView | undefined) => void,
  ): void {
    const all = context !== this.#context
    let from = 0
    if (!all) while (from < blocks.length && blocks[from] === this.#given[from]) from++
    const { shown, start } = context.renderText
      ? { shown: blocks, start: from }
      : this.#runs.of(blocks, context.asks, context.still, from)
    const last = shown.findLastIndex(Boolean)
    const lastBefore = this.#shown.findLastIndex(Boolean)
    for (let at = Math.max(0, Math.min(start, lastBefore)); at < blocks.length; at++) {
      const block = shown[at]
      if (!block) this.#remove(at)
      else if (block !== this.#shown[at] || all || at === lastBefore)
        this.#view(at, lookOf(block)).update(block, context, at === last)
    }
    for (let at = blocks.length; at < this.#views.length; at++) this.#remove(at)
    this.#views.length = blocks.length
    for (let at = from; at < blocks.length; at++) {
      const [block, before] = [blocks[at] as BlockView, this.#given[at]]
      if (block !== before && block.type === 'tool_use')
        changed(block, before?.type === 'tool_use' ? before : undefined)
    }
    this.#foldCalls(shown, context, all ? 0 : Math.min(start, shown.length, this.#shown.length), all)
    this.#shown = shown
    this.#given = blocks.slice()
    this.#context = context
  }

  /** Only where a call changed, or text begins or ends a run of calls: text that grows costs nothing here. */
  #foldCalls(shown: readonly (BlockView | undefined)[], context: BlockContext, from: number, all: boolean): void {
    const before = this.#shown
    if (!context.folds) {
      if (this.#context?.folds) this.#lines.clear()
      return
    }
    const matters = (block: BlockView | undefined): boolean => block?.type !== 'text' || isBlank(block)
    let at = from
    if (!all)
      while (
        at < shown.length &&
        at < before.length &&
        (shown[at] === before[at] || !(matters(shown[at]) || matters(before[at])))
      )
        at++
    if (all || at < shown.length || at < before.length)
      this.#lines.update(shown, context, (one) => this.#views[one]?.element, at)
  }

  /** Keeps nothing: another message comes. */
  clear(): void {
    this.#views.forEach((_, at) => this.#remove(at))
    this.#lines.clear()
    this.#views = []
    this.#shown = this.#given = []
    this.#context = undefined
  }

  #remove(at: number): void {
    const view = this.#views[at]
    view?.remove?.()
    view?.element.remove()
    this.#views[at] = undefined
  }

  #view(at: number, look: Look): View {
    const old = this.#views[at]
    if (old?.look === look) return old
    const view = makeView(look, at)
    if (old) {
      old.remove?.()
      old.element.replaceWith(view.element)
    } else {
      const group = groupAt(this.element, at, GROUP)
      const next = this.#views.find((one, index) => index > at && one?.element.parentNode === group)
      group.insertBefore(view.element, next?.element ?? null)
    }
    return (this.#views[at] = view)
  }
}

const isBlank = (block: BlockView): boolean => block.type === 'text' && block.text.trim() === ''
