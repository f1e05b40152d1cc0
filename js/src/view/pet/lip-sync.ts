// Moves the mouth of a model in every frame while it speaks: by the voice, or by what is written where there is none.
import type { PetModel } from '../live2d/live2d-model.js'
import type { PetClock, PetSpeaker } from './companion-options.js'
import { Syllables } from './pet-mouth.js'

export class LipSync {
  readonly syllables = new Syllables()
  readonly #clock: PetClock
  readonly #speaker: PetSpeaker | undefined
  #model: PetModel | undefined
  #stop: (() => void) | undefined
  /** The voice is to be quiet: what is written moves the mouth. */
  quiet = false

  constructor(clock: PetClock, speaker: PetSpeaker | undefined) {
    this.#clock = clock
    this.#speaker = speaker
  }

  update(model: PetModel | null, speaks: boolean): void {
    const moves = speaks && model?.mouth !== undefined
    if (moves === (this.#stop !== undefined)) return
    if (moves) {
      this.#model = model ?? undefined
      this.#stop = this.#clock.frame(() => this.#step())
      return
    }
    this.stop()
    model?.mouth?.(0, 0)
  }

  /** The mouth stays as it is. */
  stop(): void {
    this.#stop?.()
    this.#stop = this.#model = undefined
  }

  #step(): void {
    const speaker = this.#speaker
    const heard = speaker !== undefined && speaker.state !== 'off' && !this.quiet
    if (heard && !speaker.mouth) this.#model?.mouth?.(speaker.level())
    else {
      const { open, form } = heard && speaker.mouth ? speaker.mouth() : this.syllables.at(this.#clock.now())
      this.#model?.mouth?.(open, form)
    }
    this.#stop = this.#clock.frame(() => this.#step())
  }
}
