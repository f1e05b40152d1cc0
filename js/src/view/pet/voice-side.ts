// The voice of this window for the others: the host is told what it does, and a person may end it in a chat.
import type { PetSide, VoiceState } from '../../app/bridge/messages.js'
import type { PetSpeaker } from './companion-options.js'

/** What of a client is needed for it. */
type Side = Required<Pick<PetSide, 'voice' | 'onEndVoice'>>

/** The side of a client that has all of it. */
export const voiceSideOf = (pet: PetSide | undefined): Side | undefined =>
  pet?.voice && pet.onEndVoice ? (pet as Side) : undefined

export class VoiceSide {
  readonly #speaker: PetSpeaker
  readonly #side: Side
  readonly #off: () => void
  #state: VoiceState = 'off'
  #turn = 0
  /** What the host was sent; until somebody spoke there is nothing to send. */
  #sent = 'off 0'
  #busy = false

  constructor(speaker: PetSpeaker, side: Side) {
    this.#speaker = speaker
    this.#side = side
    // What began meanwhile is not what the person heard.
    this.#off = side.onEndVoice(
      (turn) => void (turn === this.#turn && speaker.state === 'speaking' && speaker.stop?.('ended in a chat')),
    )
    this.look()
  }

  /** It may do something else than before. */
  look(): void {
    const { state } = this.#speaker
    if (state === 'speaking' && this.#state !== 'speaking') this.#turn++
    this.#state = state
    void this.#tell()
  }

  /** The host may know nothing of it any more. */
  again(): void {
    this.#sent = 'off 0'
    void this.#tell()
  }

  close(): void {
    this.#off()
    this.#state = 'off'
    void this.#tell()
  }

  /** One call at a time: over HTTP a second one could overtake the first. */
  async #tell(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    for (let now = this.#now; now !== this.#sent; now = this.#now) {
      this.#sent = now
      // then nobody ends it from elsewhere
      await this.#side.voice({ state: this.#state, turn: this.#turn }).catch(() => {})
    }
    this.#busy = false
  }

  get #now(): string {
    return `${this.#state} ${this.#turn}`
  }
}
