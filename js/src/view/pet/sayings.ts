// What an answer says, sentence by sentence, and how long a person needs for each. The sentences are those of a voice:
// eye and ear agree.
import type { MessageView } from '../../app/bridge/messages.js'
import { Reading } from '../speech/reading.js'
import { isSaid, speechSegmenter } from '../speech/segmenter.js'

/** A sentence is shown no shorter and no longer than this, in milliseconds. */
const [LEAST_MS, MOST_MS] = [1600, 9000]
/** More of an answer than this is for the chat. */
const MOST = 200
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** How long a person reads it: 5 wide characters a second, or 15 others. */
export function readingMs(text: string): number {
  let ms = 500
  for (const letter of text) ms += wide.test(letter) ? 200 : 67
  return Math.min(MOST_MS, Math.max(LEAST_MS, ms))
}

/** The sentences of one answer, as they come. */
export class Sayings {
  readonly sentences: string[] = []
  #cutter = speechSegmenter()
  readonly #reading = new Reading()
  #over = false
  #begunAt = 0
  #grewAt = 0

  get open(): boolean {
    return !this.#over && this.sentences.length < MOST
  }

  /** The answer as it stands. */
  take(view: MessageView, now: number): void {
    if (!this.open) return
    for (const delta of this.#reading.next(view)) {
      if (delta.type === 'text' && isSaid(delta)) {
        if (this.#begunAt === 0) this.#begunAt = now
        this.#grewAt = now
      }
      this.#add(this.#cutter.push(delta))
    }
    if (view.outcome === undefined) return
    this.#add(this.#cutter.end())
    this.#over = true
  }

  /** Nothing came for a while. */
  wait(now: number): void {
    if (this.open && this.#begunAt > 0) this.#add(this.#cutter.wait(now - this.#grewAt, now - this.#begunAt))
  }

  #add(segments: { text: string }[]): void {
    for (const { text } of segments)
      if (text.trim() !== '' && this.sentences.length < MOST) this.sentences.push(text.trim())
  }
}

/** A sentence in pieces that fit, cut at blanks where it has some. */
export function pages(text: string, fits: (text: string) => boolean): string[] {
  const found: string[] = []
  let rest = text
  while (rest !== '' && found.length < 20) {
    if (fits(rest)) return [...found, rest]
    const letters = Array.from(rest)
    let [least, most] = [1, letters.length]
    while (least < most) {
      const middle = Math.ceil((least + most) / 2)
      if (fits(letters.slice(0, middle).join(''))) least = middle
      else most = middle - 1
    }
    const piece = letters.slice(0, least).join('')
    const cut = Math.max(...[' ', '，', ',', '、', '；', ';', '。'].map((mark) => piece.lastIndexOf(mark)))
    const end = cut > piece.length / 2 ? cut + 1 : piece.length
    found.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  return found
}
