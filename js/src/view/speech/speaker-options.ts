/// <reference lib="esnext.disposable" preserve="true" />
// What `speaker` takes and gives.
import type { MessageView } from '../../app/bridge/messages.js'
import { anything, func, members, milliseconds, whole, withMethods } from '../../engine/core/options.js'
import type { SpeechCue, SpeechSegment, SegmentOptions } from './segmenter.js'
import type { SpeechClock, Voice } from './voice.js'
import type { MouthShape } from './vowels.js'

/** What is followed: a message of `connect()`, or anything like it. */
export interface SpokenMessage {
  /** Orders of the pet name it. */
  readonly id?: string
  /** Called with every change. Returns what ends that. */
  subscribe(listener: () => void): () => void
  getSnapshot(): MessageView
}

/** What `speaker` takes. */
export interface SpeakerOptions {
  voice: Voice
  /**
   * A fire-and-forget call whose words come now. Default nothing: `receivePetOrders({ speaker })` of sluice/live2d asks
   * for its orders by itself.
   */
  onCue?: (cue: SpeechCue) => void
  /**
   * What becomes of a segment, for a bubble. `dropped`: it is not heard (or not to its end), since the voice failed,
   * was stopped, or fell too far behind.
   */
  onSegment?: (segment: SpeechSegment, now: 'next' | 'speaking' | 'spoken' | 'dropped') => void
  /** It cannot speak, and why. Called once, until it could again. */
  onOff?: (why: string) => void
  /** How many segments are made ready beyond the one that is heard. Default 2. */
  ahead?: number
  /** How many segments may wait. Those behind them are not said. Default 40. */
  maxQueued?: number
  /** How much of an answer is said, and of each text given to `say`, in characters. Default 1,200. */
  maxCharacters?: number
  /**
   * How long a voice may take for a segment, in milliseconds, before it is passed over: to make its sound, and beyond
   * twice the usual time of its words to say it. Default
   * 10,000.
   */
  timeoutMs?: number
  /** How long an order waits for its words, in milliseconds. Default 30,000. */
  holdMs?: number
  /** How answers are cut. */
  segments?: SegmentOptions
  /** Where sounds are played. Default: one of its own, made with the first sound. */
  audio?: AudioContext
  /** The clock. Default: that of the page. */
  clock?: SpeechClock
}

/** Says answers aloud. */
export interface Speaker {
  /**
   * Says this message, as far as it goes and as it goes on; what was said before ends. The same one again changes
   * nothing while it is said.
   */
  follow(message: SpokenMessage): void
  /** Says a text behind what is being said. */
  say(text: string): void
  /** Falls silent within 80 ms; nothing of what was to come is said. */
  stop(why?: string): StoppedSpeech
  pause(): void
  resume(): void
  /**
   * Says nothing, until everybody who asked for that lets it speak again. `who`: default the app itself; a companion is
   * `pet`. Cues fire at once.
   */
  quiet(on: boolean, who?: string): void
  /** How far the mouth is open now, from 0 to 1. */
  level(): number
  /**
   * The mouth now: `level()` with the shape of the vowel that is heard, where the voice or the letters tell it. For
   * `model.mouth(open, form)`.
   */
  mouth(): MouthShape
  /** `off`: the voice cannot speak, or it is to be quiet. */
  readonly state: 'off' | 'idle' | 'speaking'
  /**
   * The segment that is heard, or was last while the next one is made ready; empty: it stands still. A bubble that
   * shows it agrees with the ear.
   */
  readonly saying: string
  /** Called when the state or what it says changed. Returns what ends that. */
  subscribe(listener: () => void): () => void
  /**
   * Calls `listener` where an answer was not heard to its end, since somebody stopped the voice. Returns what ends
   * that.
   */
  onInterrupted(listener: (place: InterruptedSpeech) => void): () => void
  /** For an order of the pet: resolves when its words come (`now`), or with `stopped`, where they will not. */
  hold(order: HeldOrder): Promise<'now' | 'stopped'>
  /** Falls silent for good. */
  close(): void
  [Symbol.dispose](): void
}

/** How far an answer was heard: for `client.heard`. */
export interface InterruptedSpeech {
  /** Id of the message. */
  message: string
  /** The text block that it was heard to. */
  block: number
  /**
   * How much of the text of that block, and of those behind it where only fire-and-forget calls stand between, in
   * UTF-16 units.
   */
  to: number
}

/** What was heard when a speaker was stopped. */
export interface StoppedSpeech {
  /** What was said of the answer, as far as the voice tells. */
  heard: string
}

/** The call that an order of the pet comes from. */
export interface HeldOrder {
  /** Id of the message. */
  message: string
  /** The number of the call in it. */
  call: number
}

export const checkOptions = members({
  members: {
    voice: withMethods('a voice with speak', 'speak'),
    onCue: func('(cue) => void'),
    onSegment: func('(segment, now) => void'),
    onOff: func('(why) => void'),
    ahead: whole(0),
    maxQueued: whole(1),
    maxCharacters: whole(1),
    timeoutMs: milliseconds,
    holdMs: milliseconds,
    segments: anything,
    audio: withMethods('an AudioContext', 'createAnalyser'),
    clock: withMethods('a clock', 'now', 'setTimeout', 'clearTimeout'),
  },
  needs: ['voice'],
})
