// The voices of the pet's windows: chats see what they do, and end them.
import type { PetVoice, VoiceState } from '../bridge/messages.js'
import type { HostWindow } from './window.js'

export class Voices {
  readonly #windows: Iterable<HostWindow>
  /** Of windows that told of one. */
  readonly #voices = new Map<HostWindow, PetVoice>()
  #state: VoiceState = 'off'

  /** `windows`: all that are open, now and later. */
  constructor(windows: Iterable<HostWindow>) {
    this.#windows = windows
  }

  /** What the loudest of them does. */
  get state(): VoiceState {
    const states = this.#current.map(([, { state }]) => state)
    return (['speaking', 'idle'] as const).find((state) => states.includes(state)) ?? 'off'
  }

  tell(window: HostWindow, voice: PetVoice): void {
    this.#voices.set(window, voice)
    this.#changed()
  }

  /** The window is gone. */
  leave(window: HostWindow): void {
    if (this.#voices.delete(window)) this.#changed()
  }

  /** Returns false where nobody speaks. */
  end(): boolean {
    const speaking = this.#current.filter(([, { state }]) => state === 'speaking')
    for (const [window, { turn }] of speaking) window.endVoice(turn)
    return speaking.length > 0
  }

  /** A window may have lost the right since it told. */
  get #current(): [HostWindow, PetVoice][] {
    return [...this.#voices].filter(([{ rights }]) => rights.pet)
  }

  #changed(): void {
    const { state } = this
    if (state === this.#state) return
    this.#state = state
    for (const window of this.#windows) window.voiceChanged(state)
  }
}
