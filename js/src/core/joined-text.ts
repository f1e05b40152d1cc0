// The texts of a message as one text.
import type { Block } from './events.js'

/** All texts that are not retracted. An empty line separates messages of their own. */
export function joinedText(blocks: readonly Block[]): string {
  let all = ''
  for (const block of blocks)
    if (block.type === 'text' && !block.retracted) all += (block.apart && all !== '' ? '\n\n' : '') + block.text
  return all
}
