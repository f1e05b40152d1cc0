// A message as a window shows it → what happened to its text, for the segmenter.
import type { BlockView, Delta, MessageView } from '../../app/bridge/messages.js'

const over = new Set([
  'success',
  'error',
  'denied',
  'result_rejected',
  'not_found',
  'invalid',
  'timeout',
  'expired',
  'cancelled',
  'unknown',
])

export class Reading {
  /** Blocks in front of this one say nothing new. */
  #from = 0
  /** How much of a text block was read. */
  readonly #read = new Map<number, number>()
  readonly #sent = new Set<number>()
  readonly #phases = new Map<number, string | undefined>()
  readonly #retracted = new Set<number>()
  #answers = 0

  /** What is new since the last view. */
  next({ blocks, answers = [] }: MessageView): Delta[] {
    const news: Delta[] = []
    // what it is may become known late
    for (const at of this.#read.keys()) if (at < this.#from) this.#block(at, blocks[at] as BlockView, news)
    for (let at = this.#from; at < blocks.length; at++) {
      const block = blocks[at] as BlockView | undefined
      if (block) this.#block(at, block, news)
      if (at === this.#from && at < blocks.length - 1 && (!block || isSettled(block))) {
        this.#from++
      }
    }
    const ended = answers.filter((answer) => answer.finishReason !== undefined).length
    if (ended > this.#answers) news.push({ type: 'round', round: ended })
    this.#answers = ended
    return news
  }

  /**
   * It was over and goes on: errors at its end are gone, and the text in front of them grows. Returns how much of each
   * text was read.
   */
  again(): ReadonlyMap<number, number> {
    this.#from = 0
    return new Map(this.#read)
  }

  #block(at: number, block: BlockView, news: Delta[]): void {
    if (block.type === 'tool_use' && block.sent && !this.#sent.has(block.call)) {
      this.#sent.add(block.call)
      news.push({ type: 'ipc', call: block.call, ...block.sent })
    }
    if (block.type !== 'text') return
    const { type, text, fabricated, refusal, phase, retracted } = block
    const known = this.#read.get(at) ?? 0
    const same = this.#phases.get(at) === phase
    if (retracted) {
      if (!this.#retracted.has(at)) news.push({ type: 'retracted', blocks: [at] })
      this.#retracted.add(at)
    } else if (text.length > known || !same) {
      news.push({
        type,
        block: at,
        text: text.slice(known),
        ...(fabricated ? { fabricated } : {}),
        ...(refusal ? { refusal } : {}),
        ...(phase ? { phase } : {}),
      })
    }
    this.#read.set(at, text.length)
    this.#phases.set(at, phase)
  }
}

/** It says nothing new, whatever comes. */
function isSettled(block: BlockView): boolean {
  if (block.type !== 'tool_use') return true // text before another block does not grow
  return block.sent !== undefined || (block.status !== undefined && over.has(block.status))
}
