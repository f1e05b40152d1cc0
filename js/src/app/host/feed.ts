// What waits of one message until the next frame of a window.
import type { Delta, MessageView } from '../bridge/messages.js'
import type { CardFields } from '../../engine/core/events.js'

/**
 * How many deltas of one message may wait, and how many characters in them. Beyond that the window gets a new snapshot.
 */
const MAX_QUEUED = 2000
const MAX_QUEUED_CHARACTERS = 2_000_000

export class Feed {
  /** `seq` of the view that the window has. */
  #after: number
  #deltas: Delta[] = []
  #characters = 0
  /** Text of the message was queued or sent before. */
  #spoke: boolean
  /** The message has ended. */
  ended = false

  constructor({ seq, blocks }: MessageView, before?: Feed) {
    this.#after = seq
    this.#spoke = before ? before.#spoke : blocks.some((block) => block?.type === 'text')
  }

  /** `seq`: of the view with this delta. Returns whether that is the first text of the message. */
  push(delta: Delta, seq: number): boolean {
    const first = delta.type === 'text' && !this.#spoke
    this.#spoke ||= first
    this.#characters += charactersOf(delta)
    const replaced = merge(this.#deltas, delta)
    if (replaced) this.#characters -= replaced.type === 'progress' ? charactersOf(replaced) : 0
    else this.#deltas.push(delta)
    // What is left then is not behind the view that the window has, so it subscribes again.
    if (this.#deltas.length > MAX_QUEUED || this.#characters > MAX_QUEUED_CHARACTERS) this.#empty(seq)
    return first
  }

  /** What is to be sent. `seq`: that of the message now. */
  take(seq: number): { after: number; seq: number; deltas: Delta[] } {
    const frame = { after: this.#after, seq, deltas: this.#deltas }
    this.#empty(seq)
    return frame
  }

  #empty(seq: number): void {
    this.#after = seq
    this.#deltas = []
    this.#characters = 0
  }
}

/**
 * Joins a delta with the last one if both are text of the same block. Returns the delta it replaced, which stays
 * unchanged: other windows share it.
 */
function merge(deltas: Delta[], delta: Delta): Delta | undefined {
  const at = deltas.length - 1
  const last = deltas[at]
  if (!last) return undefined
  if ((delta.type === 'text' || delta.type === 'reasoning') && last.type === delta.type && last.block === delta.block) {
    deltas[at] = { ...last, ...delta, text: last.text + delta.text } // its phase may become known late
  } else if (delta.type === 'args' && last.type === 'args' && last.call === delta.call) {
    deltas[at] = { ...last, text: last.text + delta.text }
  } else if (delta.type === 'progress' && last.type === 'progress' && last.call === delta.call) {
    deltas[at] = delta
  } else {
    return undefined
  }
  return last
}

/** About how many characters a delta has. */
function charactersOf(delta: Delta): number {
  if ('text' in delta) return delta.text.length
  return delta.type === 'card' ? sizeOf(delta) : 100
}

/** About how many characters a block has. */
export function sizeOf(block: object | undefined): number {
  const {
    text = '',
    raw = '',
    rawArguments = '',
    output = '',
    modelOutput = '',
    hostOutput,
  } = (block ?? {}) as CardFields & { text?: string }
  return (
    100 +
    text.length +
    raw.length +
    rawArguments.length +
    output.length +
    modelOutput.length +
    (hostOutput?.text.length ?? 0)
  )
}
