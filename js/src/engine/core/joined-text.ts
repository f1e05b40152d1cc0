// The texts of a message as one text: an empty line separates messages.
import type { Block, SluiceEvent, TextBlock, TextEvent } from './events.js'

/** All texts that are not retracted. A message with a phase does not continue a text of an earlier round. */
export function joinedText(blocks: readonly Block[]): string {
  let all = ''
  let last: TextBlock | undefined
  for (const block of blocks) {
    if (block.type !== 'text' || block.retracted) continue
    const apart = block.apart || (last && last.round !== block.round && (last.phase ?? block.phase) !== undefined)
    all += (apart && all !== '' ? '\n\n' : '') + block.text
    last = block
  }
  return all
}

/**
 * The same text piece by piece, while it streams. Events do not say `apart`: text directly after text, or of another
 * phase, is another message.
 */
export async function* streamedText(events: AsyncIterable<SluiceEvent>): AsyncGenerator<string, void, undefined> {
  let last: TextEvent | undefined
  let asked = false
  for await (const event of events) {
    if (event.type === 'request') asked = true
    if (event.type !== 'text') continue
    if (event.text !== '') {
      if (
        last &&
        last.block !== event.block &&
        (asked ? (last.phase ?? event.phase) !== undefined : isApart(event, last))
      )
        yield '\n\n'
      yield event.text
      asked = false
      last = { ...(last?.block === event.block ? last : {}), ...event }
    } else if (last?.block === event.block) last = { ...last, ...event }
  }
}

const isApart = (event: TextEvent, { block, phase, refusal, fabricated }: TextEvent): boolean =>
  (phase !== undefined && event.phase !== undefined && phase !== event.phase) ||
  (event.block === block + 1 && !(refusal || fabricated || event.refusal || event.fabricated))
