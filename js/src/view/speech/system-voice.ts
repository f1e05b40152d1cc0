// The voice of the system: the Web Speech API of the browser. It plays by itself and gives no sound, but tells where
// words begin.
import { func, is, members, text } from '../../engine/core/options.js'
import { Listeners } from '../../app/renderer/listeners.js'
import { isWide, Letters, weight } from './language.js'
import type { SpeechSegment } from './segmenter.js'
import { NotAllowed } from './sound.js'
import type { Voice } from './voice.js'

/** What `systemVoice` takes. */
export interface SystemVoiceOptions {
  /** The language where the letters do not tell it, such as `en-GB`. Default: that of the page, or of the browser. */
  lang?: string
  /**
   * Chooses the voice for a language (`zh`, `ja`, `en`, …). Default: one of that language, rather one of this computer.
   */
  choose?: (voices: readonly SpeechSynthesisVoice[], lang: string) => SpeechSynthesisVoice | undefined
  /** How fast, from 0.1 to 10. Default 1. */
  rate?: number
  /** How high, from 0 to 2. Default 1. */
  pitch?: number
  /** How loud, from 0 to 1. Default 1. */
  volume?: number
  /** In place of the browser's. */
  synthesis?: SpeechSynthesis
}

/** Chromium ends a network voice after 15 s: in tenths of a syllable, 4.5 of which are said in a second. */
const LONGEST = 500
const soft = /[,，、:：;；–—。！？!?…\s]/

const within = (most: number) =>
  is(`a number from 0 to ${most}`, (value) => typeof value === 'number' && value >= 0 && value <= most)
const checkOptions = members({
  members: {
    lang: text,
    choose: func('(voices, lang) => voice'),
    rate: within(10),
    pitch: within(2),
    volume: within(1),
    synthesis: is('a SpeechSynthesis', (value) => typeof (value as { speak?: unknown } | null)?.speak === 'function'),
  },
})

/** The default voice: that of the browser or system. Without any it is `silent`. Throws where an option is wrong. */
export function systemVoice(options: SystemVoiceOptions = {}): Voice {
  checkOptions(options, 'options')
  return new SystemVoice(options)
}

class SystemVoice implements Voice {
  onBoundary?: (segment: SpeechSegment, at: number) => void
  readonly #options: SystemVoiceOptions
  readonly #synthesis: SpeechSynthesis | undefined
  readonly #listeners = new Listeners()
  #voices: readonly SpeechSynthesisVoice[] = []
  /** A browser forgets one that nobody holds, and its end with it. */
  #saying: SpeechSynthesisUtterance | undefined

  constructor(options: SystemVoiceOptions) {
    this.#options = options
    this.#synthesis = options.synthesis ?? globalThis.speechSynthesis
    this.#look()
  }

  get silent(): string | undefined {
    if (!this.#synthesis) return 'the browser has no speech'
    if (this.#listeners.size === 0) this.#voices = this.#synthesis.getVoices()
    return this.#voices.length > 0 ? undefined : 'the system has no voice'
  }

  /** Voices come late: as long as somebody wants to know, they are looked at when they do. */
  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) this.#synthesis?.addEventListener?.('voiceschanged', this.#look)
    const off = this.#listeners.add(listener)
    this.#look()
    return () => {
      off()
      if (this.#listeners.size === 0) this.#synthesis?.removeEventListener?.('voiceschanged', this.#look)
    }
  }

  async speak(segment: SpeechSegment, signal: AbortSignal): Promise<void> {
    const lang = this.#langOf(segment.text)
    let at = 0
    for (const piece of pieces(segment.text)) {
      signal.throwIfAborted()
      await this.#say(segment, piece, at, lang, signal)
      at += piece.length
    }
  }

  pause(): void {
    this.#synthesis?.pause()
  }

  resume(): void {
    this.#synthesis?.resume()
  }

  readonly #look = (): void => {
    const before = this.#voices.length
    this.#voices = this.#synthesis?.getVoices() ?? []
    if (this.#voices.length > 0 !== before > 0) this.#listeners.tell()
  }

  #say(segment: SpeechSegment, text: string, begins: number, lang: string, signal: AbortSignal): Promise<void> {
    const synthesis = this.#synthesis as SpeechSynthesis
    const { choose = choice, rate = 1, pitch = 1, volume = 1 } = this.#options
    return new Promise((resolve, reject) => {
      const utterance = new SpeechSynthesisUtterance(text)
      const voice = choose(this.#voices, lang)
      if (voice) utterance.voice = voice
      Object.assign(utterance, { lang: voice?.lang ?? lang, rate, pitch, volume })
      const stop = (): void => {
        synthesis.cancel()
        reject(signal.reason as Error)
      }
      const over = (): void => {
        signal.removeEventListener('abort', stop)
        if (this.#saying === utterance) this.#saying = undefined
      }
      utterance.onend = () => (over(), resolve())
      utterance.onerror = ({ error }) => (
        over(), reject(error === 'not-allowed' ? new NotAllowed() : new Error(`the voice failed: ${error}`))
      )
      utterance.onboundary = ({ name, charIndex }) => {
        if (name !== 'sentence' && !signal.aborted) this.onBoundary?.(segment, begins + charIndex)
      }
      signal.addEventListener('abort', stop, { once: true })
      this.#saying = utterance
      synthesis.speak(utterance)
    })
  }

  /**
   * Letters tell Chinese and Japanese from the rest; the rest is in the page's language, unless that is one of the two.
   */
  #langOf(text: string): string {
    const letters = new Letters()
    letters.add(text)
    const own =
      this.#options.lang ?? (globalThis.document?.documentElement.lang || globalThis.navigator?.language || 'en')
    if (letters.lang !== 'en') return own.startsWith(letters.lang) ? own : letters.lang
    return /^(zh|ja)\b/.test(own) ? 'en' : own
  }
}

function choice(voices: readonly SpeechSynthesisVoice[], lang: string): SpeechSynthesisVoice | undefined {
  const [short] = lang.toLowerCase().split('-')
  const points = (voice: SpeechSynthesisVoice): number => {
    const its = voice.lang.toLowerCase().replace('_', '-')
    if (its.split('-')[0] !== short) return -1
    return (its === lang.toLowerCase() ? 4 : 0) + (voice.localService ? 2 : 0) + (voice.default ? 1 : 0)
  }
  const [best] = [...voices].sort((one, other) => points(other) - points(one))
  return best && points(best) >= 0 ? best : undefined
}

/**
 * The text in pieces that are short enough, cut behind soft marks; where Chinese or Japanese has none, between two
 * letters.
 */
function pieces(text: string): string[] {
  const all: string[] = []
  let [begin, cut, sum] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    if (soft.test(text[at - 1] ?? '')) cut = at
    sum += weight(text[at] as string)
    if (sum <= LONGEST) continue
    if (cut <= begin && isWide(text[at] as string)) cut = at
    if (cut <= begin) continue
    all.push(text.slice(begin, cut))
    begin = cut
    sum = weight(text.slice(begin, at + 1))
  }
  return [...all, text.slice(begin)]
}
