// The piece that is heard now: how far it is, and where in the answer that is.
import type { CueTrack } from './cue-track.js'
import type { Followed } from './followed.js'
import { isWide } from './language.js'
import type { SyllableClock } from './lips.js'
import type { Item } from './queue.js'
import type { Playing } from './sound.js'
import type { InterruptedSpeech } from './speaker-options.js'

/** A place in the answer. */
export type Place = Pick<InterruptedSpeech, 'block' | 'to'>

export interface Heard {
  item: Item
  track: CueTrack
  begun: number
  /** How long it was held. */
  held: number
  clock?: SyllableClock
  playing?: Playing
}

/** How many of its characters were heard. */
export function placeIn({ item: { segment }, playing, clock, held }: Heard, now: number): number {
  if (playing) return Math.floor((segment.text.length * playing.position()) / Math.max(1, playing.duration))
  return clock ? Math.floor(clock.place(now - held)) : 0
}

/**
 * Where an answer is that is not heard to its end; undefined: it was, or nobody said it. `rest`: what was to come, with
 * what is heard.
 */
export function interruptedAt(
  { message: { id }, writing }: Pick<Followed, 'message' | 'writing'>,
  rest: readonly Item[],
  heard: Heard | undefined,
  reached: Place | undefined,
  now: number,
): InterruptedSpeech | undefined {
  const first = rest.find(({ answers, segment }) => answers && segment.text !== '')
  if (id === undefined || (!first && !writing)) return undefined
  if (heard?.item.answers) return { message: id, ...answerPlace(heard, now) }
  if (reached) return { message: id, ...reached }
  return first && { message: id, block: first.segment.block, to: first.segment.from }
}

function answerPlace(heard: Heard, now: number): Place {
  const { block, from, to, text } = heard.item.segment
  const at = placeIn(heard, now)
  const word =
    // not half of one
    at >= text.length ? text.length : Math.max(0, isWide(text[at] ?? '') ? at : text.lastIndexOf(' ', at) + 1)
  return { block, to: from + Math.round(((to - from) * word) / Math.max(1, text.length)) }
}
