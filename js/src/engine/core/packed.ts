// What a step of the addon polled. The pieces of text come in one string, with a record of three numbers for each: no
// JSON for what most events are.
import type { SluiceEvent } from './events.js'
import { DELTA } from './native.js'

const HEAD = 4
const RECORD = 3
const NEVER = 2 ** 31 - 1 // the high half of INT64_MAX

/** Where a step writes its records, one at a time: what it wrote is read before the next one. */
export const room = new Uint32Array(HEAD + 256 * RECORD)
/** Room for one record, to poll one event. */
export const roomForOne = new Uint32Array(HEAD + RECORD)

/** What waits behind the events that were polled: a number of `DELTA`; `event` where the room ended. */
export const waiting = (out: Uint32Array): number => out[1] as number

/** Where nothing waits, when to tell the time again at the latest; Infinity: never. */
export function deadline(out: Uint32Array): number {
  const high = out[2] as number
  return high === NEVER ? Infinity : high * 2 ** 32 + (out[3] as number)
}

/** A piece of text as an event. */
export function pieceEvent(kind: number, index: number, text: string, seq: number): SluiceEvent {
  switch (kind) {
    case DELTA.text:
      return { type: 'text', block: index, text, seq }
    case DELTA.reasoning:
      return { type: 'reasoning', block: index, text, seq }
    case DELTA.args:
      return { type: 'args', call: index, text, seq }
    default:
      return { type: 'progress', call: index, text, seq }
  }
}

/**
 * The events of which `out` has the records, in their order.
 * @param seq of the event that was polled last
 * @param clean takes secrets out of a text
 */
export function unpack(
  out: Uint32Array,
  given: string | [text: string, events: string],
  seq: number,
  clean: (text: string) => string,
): SluiceEvent[] {
  const count = out[0] as number
  if (count === 1 && typeof given === 'string')
    return [pieceEvent(out[HEAD] as number, out[HEAD + 1] as number, clean(given), seq + 1)]
  const text = typeof given === 'string' ? given : given[0]
  const others = typeof given === 'string' ? [] : (JSON.parse(clean(given[1])) as SluiceEvent[])
  const events: SluiceEvent[] = []
  let at = 0
  let other = 0
  for (let record = HEAD; record < HEAD + count * RECORD; record += RECORD) {
    const kind = out[record] as number
    if (kind === DELTA.event) {
      events.push(others[other++] as SluiceEvent)
    } else {
      const end = at + (out[record + 2] as number)
      events.push(pieceEvent(kind, out[record + 1] as number, clean(text.slice(at, end)), seq + events.length + 1))
      at = end
    }
  }
  return events
}
