// The pieces that wait for their turn.
import type { SpeechSegment } from './segmenter.js'

/** It plays by itself, or its sounds are played. */
export type Made = { plays: Promise<void> } | { sounds: Promise<AudioBuffer[]> }

export interface Item {
  segment: SpeechSegment
  abort: AbortController
  /** It is not said: its cues fire when it is its turn. */
  silent: boolean
  /** It is of the message that is followed. */
  answers: boolean
  made?: Made
}

/** Counts as it goes: an answer of megabytes makes pieces by the ten thousand. */
export class Queue {
  #items: Item[] = []
  /** Those in front of it had their turn. */
  #at = 0
  #loud = 0

  get empty(): boolean {
    return this.#at === this.#items.length
  }

  /** How many of them are to be said. */
  get loud(): number {
    return this.#loud
  }

  push(item: Item): void {
    this.#items.push(item)
    if (!item.silent) this.#loud++
  }

  shift(): Item | undefined {
    const item = this.#items[this.#at]
    if (!item) return undefined
    if (!item.silent) this.#loud--
    if (++this.#at * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#at)
      this.#at = 0
    }
    return item
  }

  /** The next ones that are to be said, at most so many. */
  ahead(count: number): Item[] {
    const found: Item[] = []
    const most = Math.min(count, this.#loud)
    for (let at = this.#at; found.length < most; at++) {
      const item = this.#items[at] as Item
      if (!item.silent) found.push(item)
    }
    return found
  }

  /** These are not said. Gives those that were to be. */
  silence(which: (item: Item) => boolean): Item[] {
    const found = this.#items.slice(this.#at).filter((item) => !item.silent && which(item))
    for (const item of found) item.silent = true
    this.#loud -= found.length
    return found
  }

  /** Takes all of them out. */
  clear(): Item[] {
    const left = this.#items.slice(this.#at)
    this.#items = []
    this.#at = this.#loud = 0
    return left
  }
}
