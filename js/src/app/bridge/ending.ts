import type { FinishReason, Outcome } from '../../engine/core/events.js'

/**
 * What is to be said of an answer though nothing failed: it was cut, withheld or interrupted, or there is nothing in
 * it.
 */
export type Ending = 'empty' | 'length' | 'content_filter' | 'pause' | 'interrupted'

interface Ended {
  outcome?: Outcome | undefined
  finishReason?: FinishReason | undefined
  interrupted?: true | undefined
  blocks: readonly ({ type: string; text?: string } | undefined)[]
}

/** Undefined: it ended as it should, is not over, or tells itself what went wrong. */
export function endingOf({ outcome, finishReason, interrupted, blocks }: Ended): Ending | undefined {
  if (interrupted) return 'interrupted'
  if (outcome !== 'completed') return undefined
  if (finishReason === 'length' || finishReason === 'content_filter' || finishReason === 'pause') return finishReason
  const shown = blocks.some(
    (block) => block?.type === 'tool_use' || block?.type === 'media' || (block?.type === 'text' && block.text?.trim()),
  )
  return shown ? undefined : 'empty'
}

/** What is said of it, in the languages of the elements; the terminal speaks English. */
export const endingWords: { en: { [ending in Ending]: string }; zh: { [ending in Ending]: string } } = {
  en: {
    empty: 'No answer came.',
    length: 'The answer was cut at its length limit.',
    content_filter: 'The provider withheld the rest.',
    pause: 'The model paused before its end.',
    interrupted: 'This answer was interrupted.',
  },
  zh: {
    empty: '没有收到回答。',
    length: '回答达到长度上限，被截断了。',
    content_filter: '模型服务没有给出其余内容。',
    pause: '模型中途停了下来。',
    interrupted: '这个回答中断了。',
  },
}
