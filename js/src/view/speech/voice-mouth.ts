// The mouth of what is heard: how far it is open, and in which form.
import type { Heard } from './heard-voice.js'
import { Smooth } from './lips.js'
import type { Pause } from './pause.js'
import type { SpeechSegment } from './segmenter.js'
import type { Sound } from './sound.js'
import type { SpeechClock, Voice } from './voice.js'
import { closed, Lips, visemeAt, vowelOf, vowels, type MouthShape, type Viseme } from './vowels.js'

export class Mouth {
  readonly #voice: Voice
  readonly #sound: Sound
  readonly #pause: Pause
  readonly #clock: SpeechClock
  readonly #smooth = new Smooth()
  readonly #lips = new Lips()

  constructor(voice: Voice, sound: Sound, pause: Pause, clock: SpeechClock) {
    this.#voice = voice
    this.#sound = sound
    this.#pause = pause
    this.#clock = clock
  }

  level(heard: Heard | undefined): number {
    const now = this.#clock.now()
    if (heard?.playing) return this.#sound.level(now)
    return this.#smooth.next(heard?.clock && !this.#pause.on ? heard.clock.open(now - heard.held) : 0, now)
  }

  shape(heard: Heard | undefined): MouthShape {
    const now = this.#clock.now()
    const open = this.level(heard)
    return this.#lips.next(heard && !this.#pause.on ? this.#formed(heard, open, now) : closed, now)
  }

  /** Loud as it is heard, and in the form of its vowel. */
  #formed({ playing, clock, item: { segment }, begun, held }: Heard, open: number, now: number): MouthShape {
    const visemes = playing || clock ? this.#visemes(segment) : undefined
    if (visemes) {
      const mark = visemeAt(visemes, playing ? playing.position() : now - begun - held)
      if (!mark?.vowel) return closed
      const shape = vowels[mark.vowel]
      // what is not heard moves no mouth
      return playing ? { open: open * shape.open, form: open > 0 ? shape.form : 0 } : shape
    }
    const vowel = clock && vowelOf(clock.letter(now - held))
    return { open, form: vowel && open > 0 ? vowels[vowel].form : 0 }
  }

  #visemes(segment: SpeechSegment): readonly Viseme[] | undefined {
    try {
      return this.#voice.visemes?.(segment)
    } catch {
      return undefined // the mouth still follows what is heard
    }
  }
}
