// Which state a pet is in: a function of what was seen and of the time, so that any clock may ask it. It tells as well
// when the answer changes by time alone: one timer is enough.
import type { PetState, PetStateMap } from './states.js'

/** A tool is told of when it works longer than this. */
const BUSY_MS = 400
/** A connection that comes back sooner was never gone for the eye. */
const OFFLINE_MS = 600
/** Between two pieces of text it goes on speaking: a face that changes for an expression in mid-sentence twitches. */
const SPEAKS_ON_MS = 600
/** Somebody who paused longer does not type any more. */
const LISTENS_MS = 4000
/** How long nothing must happen before it sleeps. */
export const DOZE_MS = 5 * 60_000

/** What was seen. Times are those of the clock; absent: not, or not yet. */
export interface Seen {
  /** Since when the host cannot be reached. */
  offlineSince?: number | undefined
  asks: boolean
  /** An answer is on its way. */
  running: boolean
  /** Its last words are what a person reads now. */
  writing: boolean
  /** When they last grew. */
  wroteAt?: number | undefined
  /** Since when the tool works that has worked longest. */
  toolSince?: number | undefined
  voice: boolean
  /** How the last answer ended that was seen ending. */
  ended?: { how: 'done' | 'stopped' | 'error'; at: number } | undefined
  /** Somebody speaks into a microphone. */
  heard: boolean
  /** When somebody last typed. */
  typedAt?: number | undefined
  /** It hangs from the pointer. */
  carried: boolean
  /** When it was let go. */
  landedAt?: number | undefined
  /** When it was patted. */
  pattedAt?: number | undefined
  /** When it was woken. */
  wokenAt?: number | undefined
  /** When anything last happened, the pointer included. */
  activeAt: number
}

/** The state, and the time at which it is to be asked again (Infinity: not by time alone). */
export function stateOf(seen: Seen, now: number, table: PetStateMap): { state: PetState; until: number } {
  let until = Infinity
  /** True from `at` on; before that it is to be asked again at `at`. */
  const since = (at: number | undefined, delay = 0): boolean => {
    if (at === undefined) return false
    if (now < at + delay) until = Math.min(until, at + delay)
    return now >= at + delay
  }
  /** True for so long behind `at`. */
  const before = (at: number | undefined, lasts: number): boolean => {
    if (at === undefined || now >= at + lasts) return false
    until = Math.min(until, at + lasts)
    return true
  }
  const passing = (state: PetState, at: number | undefined): boolean => before(at, table[state].lastsMs ?? Infinity)
  const found = ((): PetState => {
    if (seen.carried) return 'carried'
    if (passing('landed', seen.landedAt)) return 'landed'
    if (passing('patted', seen.pattedAt)) return 'patted'
    if (since(seen.offlineSince, OFFLINE_MS)) return 'offline'
    const there = seen.offlineSince === undefined // while it is not, nothing looks as if it went on
    if (there && seen.asks) return 'asking'
    if (there && seen.running && since(seen.toolSince, BUSY_MS)) return 'busy'
    if (seen.voice || (there && seen.running && seen.writing)) return 'speaking'
    if (there && seen.running && before(seen.wroteAt, SPEAKS_ON_MS)) return 'speaking'
    if (there && seen.running) return 'thinking'
    if (seen.ended && passing(seen.ended.how, seen.ended.at)) return seen.ended.how
    if (seen.heard) return 'listening'
    if (before(seen.typedAt, LISTENS_MS)) return 'listening'
    if (passing('waking', seen.wokenAt)) return 'waking'
    return since(seen.activeAt, DOZE_MS) ? 'dozing' : 'idle'
  })()
  return { state: found, until }
}
