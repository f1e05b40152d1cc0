// Calls without text between them as one line: how many are done, and what they did. It opens into the cards. A
// question, and what a person opened, are never folded.
import { html, nothing, render } from 'lit'
import { allCards } from '../../../engine/core/cards.js'
import { inLanguage } from '../../../engine/core/in-language.js'
import type { CardStatus } from '../../../engine/core/events.js'
import { duration } from '../shared/format.js'
import { icon } from '../shared/icons.js'
import { escapeInvisible } from '../shared/mark-invisible.js'
import type { Strings } from '../shared/ui-strings.js'
import type { BlockView, CardView } from '../ui-types.js'

/** The element of a card, as far as it matters here. */
interface CardElement extends HTMLElement {
  readonly opened: boolean
}

/** What a line needs to know. */
export interface LinesContext {
  words: Strings
  lang: string
  still: boolean
  /** Calls that have an open question in their card, nested ones included. */
  asks: ReadonlyMap<number, unknown>
}

const goes: readonly CardStatus[] = [
  'streaming',
  'pending',
  'executing',
  'awaiting_approval',
  'awaiting_result_approval',
]
const failures: readonly CardStatus[] = ['error', 'not_found', 'invalid', 'timeout', 'unknown']

export class CallsLines {
  /** In the order of their places. */
  #lines: CallsLine[] = []

  /**
   * Draws a line over each run of calls. `elementOf` gives the element of the block at an index. In front of `from`
   * nothing changed.
   */
  update(
    blocks: readonly (BlockView | undefined)[],
    context: LinesContext,
    elementOf: (at: number) => HTMLElement | undefined,
    from = 0,
  ): void {
    const begin = beginOf(blocks, from)
    const before = new Map<number, CallsLine>()
    while ((this.#lines.at(-1)?.at ?? -1) >= begin) {
      const line = this.#lines.pop() as CallsLine
      before.set(line.call, line)
    }
    const drawn: [CallsLine, Cards][] = []
    for (const run of runsOf(blocks, begin)) {
      if (run.length < 2) continue
      const cards = run.map((at) => [blocks[at] as CardView, elementOf(at) as CardElement] as const)
      const { call } = (cards[0] as (typeof cards)[number])[0] as CardView
      const line = before.get(call) ?? new CallsLine(call)
      before.delete(call)
      line.at = run[0] as number
      this.#lines.push(line)
      drawn.push([line, cards])
    }
    for (const line of before.values()) line.remove() // before others take its cards
    for (const [line, cards] of drawn) line.update(cards, context)
  }

  /** Shows all cards again. */
  clear(): void {
    for (const line of this.#lines) line.remove()
    this.#lines = []
  }
}

type Cards = readonly (readonly [CardView, CardElement])[]

class CallsLine {
  readonly element = document.createElement('button')
  /** The number of its first call, */
  readonly call: number
  /** and which block that is. */
  at = 0
  #open = false
  #cards: Cards = []
  #context: LinesContext | undefined

  constructor(call: number) {
    this.call = call
    this.element.type = 'button'
    this.element.className = 'calls'
    this.element.setAttribute('part', 'calls')
    this.element.addEventListener('click', () => {
      this.#open = !this.#open
      this.#draw()
    })
  }

  update(cards: Cards, context: LinesContext): void {
    const [[, first]] = cards as [Cards[number]]
    if (this.element.nextElementSibling !== first) first.before(this.element)
    const now = new Set(cards.map(([, element]) => element))
    for (const [, element] of this.#cards) if (!now.has(element)) element.hidden = false
    this.#cards = cards
    this.#context = context
    this.#draw()
  }

  remove(): void {
    this.element.remove()
    for (const [, element] of this.#cards) element.hidden = false
  }

  #draw(): void {
    const context = this.#context as LinesContext
    for (const [card, element] of this.#cards) {
      const asks = allCards([card]).some(({ call, status }) => context.asks.has(call) || status?.startsWith('awaiting'))
      element.hidden = !this.#open && !element.opened && !asks
    }
    const cards = this.#cards.map(([card]) => card)
    const going = cards.filter(({ status = 'pending' }) => goes.includes(status)).length
    const moves = going > 0 && !context.still
    this.element.setAttribute('aria-expanded', String(this.#open))
    this.element.classList.toggle('going', moves)
    const text = moves ? context.words.callsGoing(cards.length - going, cards.length) : summaryOf(cards, context)
    const time = moves ? '' : timeOf(cards, context.words)
    render(
      html`${icon(cards.some(({ status }) => status && failures.includes(status)) ? 'warning' : moves ? 'clock' : 'check')}<span>${text}</span>
      ${time ? html`<span class="time">${time}</span>` : nothing}<span class="chevron">${icon('chevron')}</span>`,
      this.element,
    )
  }
}

/** What they did, in the words of the tool where it was one alone. */
function summaryOf(cards: readonly CardView[], { words, lang }: LinesContext): string {
  const failed = cards.filter(({ status }) => status && failures.includes(status)).length
  const [{ name, words: own }] = cards as [CardView]
  const done =
    own?.from === undefined && cards.every((card) => card.name === name && card.status === 'success')
      ? own?.done
      : undefined
  return done === undefined
    ? words.callsDone(cards.length, failed)
    : escapeInvisible(inLanguage(done, lang).replaceAll('{count}', cards.length.toLocaleString(words.numbers)))
}

function timeOf(cards: readonly CardView[], words: Strings): string {
  const spans = cards.flatMap(({ startedAt, durationMs }) =>
    startedAt === undefined || durationMs === undefined ? [] : [[startedAt, startedAt + durationMs] as const],
  )
  return spans.length === 0
    ? ''
    : duration(Math.max(...spans.map(([, end]) => end)) - Math.min(...spans.map(([start]) => start)), words)
}

/** It stands between calls. Blank text does not. */
const parts = (block: BlockView | undefined): boolean =>
  block !== undefined && block.type !== 'tool_use' && !(block.type === 'text' && block.text.trim() === '')

/** Where the run begins that a block at this place may belong to. */
function beginOf(blocks: readonly (BlockView | undefined)[], from: number): number {
  let begin = from
  while (begin > 0 && !parts(blocks[begin - 1])) begin--
  return begin
}

/** The places of calls that stand together, from `begin` on. What nobody waits for does not count. */
function runsOf(blocks: readonly (BlockView | undefined)[], begin: number): number[][] {
  const runs: number[][] = []
  let run: number[] | undefined
  for (let at = begin; at < blocks.length; at++) {
    const block = blocks[at]
    if (parts(block)) run = undefined
    else if (block?.type === 'tool_use' && block.silent !== true) {
      if (!run) runs.push((run = []))
      run.push(at)
    }
  }
  return runs
}
