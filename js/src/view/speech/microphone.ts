/// <reference lib="esnext.disposable" preserve="true" />
// Somebody speaks to the pet: what an app's recogniser hears, and how that goes together with a voice.
import { flag, func, members, oneOf, withMethods } from '../../engine/core/options.js'
import { Listeners } from '../../app/renderer/listeners.js'
import type { Speaker } from './speaker-options.js'

/** A recogniser of the app. There is none by itself: behind the Web Speech API of Electron there is none either. */
export interface SpeechRecognizer {
  /**
   * What is heard until `signal` ends it: `text` stands for all since the last `final`. Ends by itself where nothing
   * more comes.
   */
  listen(signal: AbortSignal): AsyncIterable<{ text: string; final: boolean }>
}

/** What `microphone` takes. */
export interface MicrophoneOptions {
  ears: SpeechRecognizer
  /**
   * What was said so far; `final`: that was a whole utterance, to be sent. Interim text belongs into the field where
   * people write.
   */
  onText: (text: string, final: boolean) => void
  /** It could not listen, and why. It is `off` then. */
  onError?: (error: unknown) => void
  /** Falls silent as soon as somebody speaks. Default none. */
  speaker?: Pick<Speaker, 'state' | 'stop' | 'subscribe'>
  /**
   * `push`: listens from `start` to `stop`, and `start` ends the voice. `always`: listens, but for while the voice
   * speaks. Default `push`.
   */
  mode?: 'push' | 'always'
  /**
   * What hears does not hear the voice: with `always` it listens all the time, and the first word ends the voice.
   * Default false.
   */
  cancelsEcho?: boolean
}

/** Listens for a pet. */
export interface Microphone {
  start(): void
  /** Listens no more. What was heard and is not final is told as final: the person let go of the key. */
  stop(): void
  /** `waiting`: it is to listen, but the voice speaks. */
  readonly state: 'off' | 'listening' | 'waiting'
  /** Called when the state changed, for `companion.listen(state === 'listening')`. Returns what ends that. */
  subscribe(listener: () => void): () => void
  [Symbol.dispose](): void
}

const checkOptions = members({
  members: {
    ears: withMethods('ears with listen', 'listen'),
    onText: func('(text, final) => void'),
    onError: func('(error) => void'),
    speaker: withMethods('a speaker with stop and subscribe', 'stop', 'subscribe'),
    mode: oneOf('push', 'always'),
    cancelsEcho: flag,
  },
  needs: ['ears', 'onText'],
})

/** Listens to people, and lets the voice be quiet then. Throws where an option is wrong. */
export function microphone(options: MicrophoneOptions): Microphone {
  checkOptions(options, 'options')
  return new Mic(options)
}

class Mic implements Microphone {
  readonly #options: MicrophoneOptions
  readonly #listeners = new Listeners()
  #state: Microphone['state'] = 'off'
  #wanted = false
  #hearing: AbortController | undefined
  #interim = ''
  #left: (() => void) | undefined

  constructor(options: MicrophoneOptions) {
    this.#options = options
  }

  get state(): Microphone['state'] {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  start(): void {
    if (this.#wanted) return
    const { mode = 'push', speaker } = this.#options
    if (mode === 'push') speaker?.stop('somebody speaks')
    this.#wanted = true
    this.#interim = ''
    this.#left = speaker?.subscribe(() => this.#settle())
    this.#settle()
  }

  stop(): void {
    if (!this.#wanted) return
    this.#off()
    this.#flush()
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  #off(): void {
    this.#wanted = false
    this.#left?.()
    this.#left = undefined
    this.#settle()
  }

  #settle(): void {
    const { mode = 'push', speaker, cancelsEcho = false } = this.#options
    const waits = mode === 'always' && !cancelsEcho && speaker?.state === 'speaking'
    if (this.#wanted && !waits) {
      if (!this.#hearing) void this.#hear()
    } else if (this.#hearing) {
      this.#hearing.abort(new Error('nobody listens'))
      this.#hearing = undefined
      if (waits) this.#interim = '' // that was the voice
    }
    const state = !this.#wanted ? 'off' : waits ? 'waiting' : 'listening'
    if (state === this.#state) return
    this.#state = state
    this.#listeners.tell()
  }

  async #hear(): Promise<void> {
    const hearing = new AbortController()
    this.#hearing = hearing
    try {
      for await (const { text, final } of this.#options.ears.listen(hearing.signal)) {
        if (this.#hearing !== hearing) return
        if (text.trim() !== '' && this.#options.speaker?.state === 'speaking')
          this.#options.speaker.stop('somebody speaks')
        this.#interim = final ? '' : text
        this.#options.onText(text, final)
      }
      if (this.#hearing !== hearing) return
      this.#hearing = undefined
      this.#off()
      this.#flush()
    } catch (error) {
      if (this.#hearing !== hearing) return // it was ended
      this.#hearing = undefined
      this.#off()
      this.#options.onError?.(error)
    }
  }

  #flush(): void {
    const text = this.#interim
    this.#interim = ''
    if (text.trim() !== '') this.#options.onText(text, true)
  }
}
