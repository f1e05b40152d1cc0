// Which piece of an answer a bubble shows: by the time that one needs to read it, by the voice that says it, or by
// hand.
import { durationOf } from '../speech/language.js'
import { pages, readingMs } from './sayings.js'

interface Page {
  text: string
  sentence: number
}

export class BubblePages {
  #pages: Page[] = []
  #sentences: string[] = []
  #at = -1
  #since = 0
  #byHand = false
  /** The pages that the voice says now: from, to. Of a text that is none of the answer's: its own ones. */
  #voice: { from: number; to: number; own?: string[]; text: string; since: number } | undefined
  /** Up to this sentence the voice came: one that is said twice in an answer is not looked for in front of it. */
  #heardTo = 0

  restart(now: number): void {
    this.#pages = []
    this.#sentences = []
    this.#at = -1
    this.#since = now
    this.#byHand = false
    this.#heardTo = 0
    if (!this.#voice?.own) this.#voice = undefined
  }

  get count(): number {
    return this.#voice?.own?.length ?? this.#pages.length
  }

  get at(): number {
    return this.#voice?.own ? this.#voice.from : this.#at
  }

  /** How many sentences it has pages of. */
  get fitted(): number {
    return this.#sentences.length
  }

  get text(): string | undefined {
    return this.#voice?.own ? this.#voice.own[this.#voice.from] : this.#pages[this.#at]?.text
  }

  /** Since when it is shown. */
  get since(): number {
    return this.#since
  }

  get byHand(): boolean {
    return this.#byHand
  }

  get heard(): boolean {
    return this.#voice !== undefined
  }

  /** The last page is there, and nobody keeps another one. */
  get atEnd(): boolean {
    return this.#at === this.#pages.length - 1 && !this.#byHand
  }

  add(sentences: readonly string[], fits: (text: string) => boolean): void {
    for (const sentence of sentences) {
      this.#pages.push(...pages(sentence, fits).map((text) => ({ text, sentence: this.#sentences.length })))
      this.#sentences.push(sentence)
    }
  }

  /** The letters have another size: the sentence that is shown begins anew. */
  refit(fits: (text: string) => boolean): void {
    const shown = this.#pages[this.#at]?.sentence
    const all = this.#sentences
    this.#pages = []
    this.#sentences = []
    this.#voice = undefined
    this.add(all, fits)
    this.#at = shown === undefined ? -1 : this.#pages.findIndex(({ sentence }) => sentence === shown)
  }

  /** The voice says this now; empty: it stands still. */
  hear(heard: string, now: number, fits: (text: string) => boolean): void {
    const text = heard.trim()
    if (text === (this.#voice?.text ?? '')) {
      if (text !== '' && this.#voice?.own) this.#find(text, this.#voice.since)
      return
    }
    if (text === '') {
      this.#voice = undefined
      this.#since = now
      return
    }
    if (!this.#find(text, now)) this.#voice = { from: 0, to: 0, own: pages(text, fits), text, since: now }
  }

  /** Its pages among those of the answer. A voice may be ahead of the pages. */
  #find(text: string, since: number): boolean {
    const sentence = this.#sentences.indexOf(text, this.#heardTo)
    if (sentence < 0) return false
    this.#heardTo = sentence
    const from = this.#pages.findIndex((page) => page.sentence === sentence)
    const to = this.#pages.findLastIndex((page) => page.sentence === sentence)
    this.#voice = { from, to, text, since }
    if (!this.#byHand) [this.#at, this.#since] = [from, since]
    return true
  }

  /** Goes on as far as it is time. Returns how long until the next one. `times`: as long as usual. */
  advance(now: number, times: number, goesOn: boolean): number {
    const { own } = this.#voice ?? {}
    const last = own ? own.length - 1 : (this.#voice?.to ?? this.#pages.length - 1)
    if (this.#byHand) return Infinity
    const lasts = (at: number): number => {
      const text = (own ? own[at] : this.#pages[at]?.text) ?? ''
      return this.#voice ? durationOf(text) : readingMs(text) * times
    }
    let at = own ? (this.#voice as { from: number }).from : this.#at
    let since = own ? (this.#voice as { since: number }).since : this.#since
    while (at < last && (at < 0 || (goesOn && now >= since + lasts(at)))) {
      since = at < 0 ? now : this.#voice ? since + lasts(at) : Math.max(since + lasts(at), now - 100)
      at++
    }
    if (own && this.#voice) [this.#voice.from, this.#voice.since] = [at, since]
    else [this.#at, this.#since] = [at, since]
    return at >= 0 && at < last && goesOn ? since + lasts(at) - now : Infinity
  }

  /** Back and forth by hand. `more`: the answer goes on. */
  turn(by: number, now: number, more: boolean): void {
    if (this.#voice?.own) {
      const { from, own } = this.#voice
      this.#voice = { ...this.#voice, from: Math.min(own.length - 1, Math.max(0, from + by)), since: now }
      return
    }
    const to = Math.min(this.#pages.length - 1, Math.max(0, this.#at + by))
    // the last one fades again
    this.#byHand = this.#voice ? to < this.#voice.from || to > this.#voice.to : to < this.#pages.length - 1 || more
    if (to !== this.#at) this.#since = now
    this.#at = to
  }
}
