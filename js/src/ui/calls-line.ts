// Calls without text between them as one line: how many are done, and what they did. It opens into the cards. A question, and what a person
// opened, are never folded.
import { html, nothing, render } from 'lit'
import { inLanguage } from '../core/in-language.js'
import type { CardStatus } from '../core/events.js'
import { duration } from './format.js'
import { icon } from './icons.js'
import { escapeInvisible } from './mark-invisible.js'
import type { Strings } from './strings.js'
import type { BlockView, CardView } from './types.js'

/** The element of a card, as far as it matters here. */
interface CardElement extends HTMLElement {
  open: boolean
}

/** What a line needs to know. */
export interface LinesContext {
  words: Strings
  lang: string
  still: boolean
  /** Calls that have an open question in their card. */
  asks: ReadonlyMap<number, unknown>
}

const goes: readonly CardStatus[] = ['streaming', 'pending', 'executing', 'awaiting_approval', 'awaiting_result_approval']
const failures: readonly CardStatus[] = ['error', 'not_found', 'invalid', 'timeout', 'unknown']

export class CallsLines {
  /** By the number of the first call. */
  #lines = new Map<number, CallsLine>()

  /** Draws a line over each run of calls. `elementOf` gives the element of the block at an index. */
  update(blocks: readonly (BlockView | undefined)[], context: LinesContext, elementOf: (at: number) => HTMLElement | undefined): void {
    const before = this.#lines
    this.#lines = new Map()
    for (const run of runsOf(blocks)) {
      const cards = run.map((at) => [blocks[at] as CardView, elementOf(at) as CardElement] as const)
      const [[first, element]] = cards as [readonly [CardView, CardElement]]
      if (cards.length < 2) continue
      const line = before.get(first.call) ?? new CallsLine()
      before.delete(first.call)
      this.#lines.set(first.call, line)
      if (line.element.nextElementSibling !== element) element.before(line.element)
      line.update(cards, context)
    }
    for (const line of before.values()) line.remove()
  }

  /** Shows all cards again. */
  clear(): void {
    for (const line of this.#lines.values()) line.remove()
    this.#lines.clear()
  }
}

class CallsLine {
  readonly element = document.createElement('button')
  #open = false
  #cards: readonly (readonly [CardView, CardElement])[] = []
  #context: LinesContext | undefined

  constructor() {
    this.element.type = 'button'
    this.element.className = 'calls'
    this.element.setAttribute('part', 'calls')
    this.element.addEventListener('click', () => {
      this.#open = !this.#open
      this.#draw()
    })
  }

  update(cards: readonly (readonly [CardView, CardElement])[], context: LinesContext): void {
    for (const [, element] of this.#cards) if (!cards.some(([, one]) => one === element)) element.hidden = false
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
      element.hidden = !this.#open && !element.open && !context.asks.has(card.call) && !card.status?.startsWith('awaiting')
    }
    const cards = this.#cards.map(([card]) => card)
    const going = cards.filter(({ status = 'pending' }) => goes.includes(status)).length
    const moves = going > 0 && !context.still
    this.element.setAttribute('aria-expanded', String(this.#open))
    this.element.classList.toggle('going', moves)
    const text = moves ? context.words.callsGoing(cards.length - going, cards.length) : toldOf(cards, context)
    const time = moves ? '' : timeOf(cards, context.words)
    render(html`${icon(cards.some(({ status }) => status && failures.includes(status)) ? 'warning' : moves ? 'clock' : 'check')}<span>${text}</span>
      ${time ? html`<span class="time">${time}</span>` : nothing}<span class="chevron">${icon('chevron')}</span>`, this.element)
  }
}

/** What they did, in the words of the tool where it was one alone. */
function toldOf(cards: readonly CardView[], { words, lang }: LinesContext): string {
  const failed = cards.filter(({ status }) => status && failures.includes(status)).length
  const [{ name, words: own }] = cards as [CardView]
  const done = own?.from === undefined && cards.every((card) => card.name === name && card.status === 'success') ? own?.done : undefined
  return done === undefined ? words.callsDone(cards.length, failed) : escapeInvisible(inLanguage(done, lang).replaceAll('{count}', cards.length.toLocaleString(words.numbers)))
}

function timeOf(cards: readonly CardView[], words: Strings): string {
  const spans = cards.flatMap(({ startedAt, durationMs }) => (startedAt === undefined || durationMs === undefined ? [] : [[startedAt, startedAt + durationMs] as const]))
  return spans.length === 0 ? '' : duration(Math.max(...spans.map(([, end]) => end)) - Math.min(...spans.map(([start]) => start)), words)
}

/** The places of calls that stand together. What nobody waits for does not count, nor does blank text. */
function runsOf(blocks: readonly (BlockView | undefined)[]): number[][] {
  const runs: number[][] = []
  let run: number[] | undefined
  for (const [at, block] of blocks.entries()) {
    if (!block || (block.type === 'text' && block.text.trim() === '')) continue
    if (block.type !== 'tool_use') run = undefined
    else if (block.silent !== true) {
      if (!run) runs.push((run = []))
      run.push(at)
    }
  }
  return runs
}
