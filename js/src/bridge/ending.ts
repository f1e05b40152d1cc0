import type { FinishReason, Outcome } from '../events.js'

/** What is to be said of an answer though nothing failed: it was cut, withheld or interrupted, or there is nothing in it. */
export type Ending = 'empty' | 'length' | 'content_filter' | 'pause'

interface Ended {
  outcome?: Outcome | undefined
  finishReason?: FinishReason | undefined
  blocks: readonly ({ type: string; text?: string } | undefined)[]
}

/** Undefined: it ended as it should, is not over, or tells itself what went wrong. */
export function endingOf({ outcome, finishReason, blocks }: Ended): Ending | undefined {
  if (outcome !== 'completed') return undefined
  if (finishReason === 'length' || finishReason === 'content_filter' || finishReason === 'pause') return finishReason
  const shown = blocks.some((block) => block?.type === 'tool_use' || (block?.type === 'text' && block.text?.trim()))
  return shown ? undefined : 'empty'
}
