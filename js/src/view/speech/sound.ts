// Plays sounds one after the other through an analyser that tells how loud they are.
import { openAt, rmsOf, Smooth } from './lips.js'

const FADE_MS = 80

export interface Playing {
  /** How long it takes, in milliseconds. */
  duration: number
  /** How much of it was heard, in milliseconds. */
  position(): number
  ended: Promise<void>
  stop(): void
}

/** A browser lets a page play nothing before somebody clicked in it. */
export class NotAllowed extends Error {
  constructor() {
    super('the page may not play sound before somebody clicks in it')
  }
}

export class Sound {
  readonly #given: AudioContext | undefined
  #context: AudioContext | undefined
  #analyser: AnalyserNode | undefined
  #samples = new Float32Array(0)
  readonly #smooth = new Smooth()

  constructor(context?: AudioContext) {
    this.#given = context
  }

  /** One audio file. Rejects where the browser cannot read it. */
  decode(pieces: Uint8Array[]): Promise<AudioBuffer> {
    const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return this.#here().decodeAudioData(bytes.buffer)
  }

  /** Rejects where the page may not play anything yet. */
  async play(buffers: AudioBuffer[]): Promise<Playing> {
    const context = this.#here()
    if (context.state === 'suspended') await this.#allowed(context)
    const gain = context.createGain()
    gain.connect(this.#analyser as AnalyserNode)
    const begin = context.currentTime + 0.01
    let end = begin
    const sources = buffers.map((buffer) => {
      const source = context.createBufferSource()
      source.buffer = buffer
      source.connect(gain)
      source.start(end)
      end += buffer.duration
      return source
    })
    const last = sources.at(-1)
    const ended = new Promise<void>((resolve) => {
      if (last) last.onended = () => resolve()
      else resolve()
    })
    void ended.then(() => gain.disconnect())
    return {
      duration: (end - begin) * 1000,
      position: () => Math.max(0, Math.min(end, context.currentTime) - begin) * 1000,
      ended,
      stop: () => {
        const silence = context.currentTime + FADE_MS / 1000
        gain.gain.setValueAtTime(gain.gain.value, context.currentTime)
        gain.gain.linearRampToValueAtTime(0, silence)
        for (const source of sources) source.stop(silence)
      },
    }
  }

  /** The browser answers when somebody clicked. */
  async #allowed(context: AudioContext): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, fail) => (timer = setTimeout(() => fail(new NotAllowed()), 1000)))
    try {
      await Promise.race([context.resume(), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** How far the mouth is open. */
  level(now: number): number {
    if (!this.#analyser) return 0
    this.#analyser.getFloatTimeDomainData(this.#samples)
    return this.#smooth.next(openAt(rmsOf(this.#samples)), now)
  }

  pause(): void {
    this.#context?.suspend().catch(gone)
  }

  resume(): void {
    this.#context?.resume().catch(gone)
  }

  close(): void {
    this.#analyser?.disconnect()
    if (this.#context && !this.#given) this.#context.close().catch(gone)
    this.#context = this.#analyser = undefined
  }

  #here(): AudioContext {
    if (this.#context) return this.#context
    this.#context = this.#given ?? new AudioContext()
    this.#analyser = this.#context.createAnalyser()
    this.#analyser.fftSize = 1024
    this.#analyser.connect(this.#context.destination)
    this.#samples = new Float32Array(this.#analyser.fftSize)
    return this.#context
  }
}

/** The app closed its context: nothing is heard either way. */
const gone = (): void => {}
