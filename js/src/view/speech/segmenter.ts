// An answer as it is written → pieces of speech with the cues between their words. The same pieces, however the text
// was cut on its way.
import { isCommentary } from '../../app/bridge/commentary.js'
import type { Delta } from '../../app/bridge/messages.js'
import type { IpcEvent, Json, TextEvent } from '../../engine/core/events.js'
import { flag, members, text as aText } from '../../engine/core/options.js'
import { Letters, wordsOf, type SpokenWords } from './language.js'
import { quietMs, Sentences } from './sentences.js'
import { Spoken } from './spoken.js'

/** A fire-and-forget call that comes with its words. */
export interface SpeechCue {
  /** In front of which character of the segment's `text`; its length: behind the last one. */
  at: number
  /** The number of the call in the turn. */
  call: number
  /** As the tool's `ipc` names it. */
  channel: string
  /** Filled in from the call's arguments. */
  payload: Json[]
}

/** A piece of an answer as a voice says it. */
export interface SpeechSegment {
  /** Counts the segments of an answer, from 1. */
  id: number
  /**
   * The block that its text is of. Where only fire-and-forget calls cut a text it is one, and this is the first of its
   * blocks.
   */
  block: number
  /** Where it begins in that text as it is shown, in UTF-16 units. */
  from: number
  /** Where it ends in the answer, in UTF-16 units. */
  to: number
  /**
   * What is said: without marks of Markdown, code, tables, formulas, addresses and pictures. Empty: there are only
   * cues.
   */
  text: string
  /** In the order of their places. */
  cues: SpeechCue[]
  /** Nothing of this answer comes behind it. */
  last: boolean
}

/** How an answer is cut. */
export interface SegmentOptions {
  /** The language of the words for what cannot be said. Default: that of the answer, as its letters tell it. */
  lang?: string
  /**
   * Other words for code, tables and formulas (said once), and for an address. Default: in English, Chinese or
   * Japanese.
   */
  words?: Partial<SpokenWords>
  /** Does not say what a provider declines in place of an answer. Default false: that is said. */
  skipRefusals?: boolean
  /** Says the model's comments on its work, too. Default false. */
  commentary?: boolean
}

/** Whether a voice says this text. */
export const isSaid = (
  event: TextEvent | Extract<Delta, { text: string }>,
  { skipRefusals, commentary }: SegmentOptions = {},
): boolean =>
  event.type === 'text' &&
  event.text !== '' &&
  !event.fabricated &&
  !(event.refusal && skipRefusals) &&
  (commentary === true || !isCommentary(event))

/** Cuts one answer after the other. */
export interface Segmenter {
  /** More of the answer. What is neither its text nor a fire-and-forget call is passed over. */
  push(event: TextEvent | IpcEvent | Delta): SpeechSegment[]
  /** Nothing came for `quiet` milliseconds, and the first text came `since` milliseconds ago: what that ends. */
  wait(quiet: number, since: number): SpeechSegment[]
  /** The answer is over: what is left. The next `push` begins another one. */
  end(): SpeechSegment[]
}

const checkOptions = members({
  members: {
    lang: aText,
    words: members({ members: { onScreen: aText, link: aText } }),
    skipRefusals: flag,
    commentary: flag,
  },
})

/**
 * Cuts answers into pieces for a voice. Without a clock of its own: whoever has one calls `wait`.
 * @throws SluiceError `option` for an option that is wrong.
 */
export function speechSegmenter(options: SegmentOptions = {}): Segmenter {
  checkOptions(options, 'options')
  let cutter = new Cutter(options)
  return {
    push: (event) => cutter.push(event),
    wait: (quiet, since) => cutter.wait(quiet, since),
    end: () => {
      const left = cutter.end()
      cutter = new Cutter(options)
      return left
    },
  }
}

/** A cue, and how many units of the text stand in front of it. */
interface Placed {
  place: number
  cue: Omit<SpeechCue, 'at'>
}

class Cutter {
  readonly #options: SegmentOptions
  readonly #letters = new Letters()
  readonly #sentences = new Sentences()
  readonly #spoken: Spoken
  /** Where every unit of what waits in `#sentences` stands in the text. */
  #places: number[] = []
  /** How many of them are used up. */
  #used = 0
  #out: SpeechSegment[] = []
  #id = 0

  // -- the text
  /** The first of its blocks; undefined: there is none yet. */
  #block: number | undefined
  /** The last of its blocks. */
  #last = -1
  /** Fire-and-forget calls behind that one: each is a block itself. */
  #behind = 0
  #length = 0
  /** Where its blocks end. */
  #ends = new Map<number, number>()
  #cues: Placed[] = []

  constructor(options: SegmentOptions) {
    this.#options = options
    const words = (): SpokenWords => ({ ...wordsOf(options.lang ?? this.#letters.lang), ...options.words })
    this.#spoken = new Spoken(
      (text, place, fixed) => {
        this.#sentences.add(text)
        if (!fixed) this.#letters.add(text)
        for (let at = 0; at < text.length; at++) this.#places.push(fixed ? place : place + at)
      },
      { onScreen: () => words().onScreen, link: () => words().link },
    )
  }

  push(event: TextEvent | IpcEvent | Delta): SpeechSegment[] {
    switch (event.type) {
      case 'text':
        if (isSaid(event, this.#options)) this.#text(event.block, event.text)
        else if (isCommentary(event) && !this.#options.commentary && event.block === this.#last) this.#drop()
        break
      case 'ipc':
        this.#cue(event)
        break
      case 'round':
        this.#finish()
        break
      case 'retracted':
        if (event.blocks.includes(this.#last)) this.#drop()
    }
    return this.#out.splice(0)
  }

  wait(quiet: number, since: number): SpeechSegment[] {
    const piece = this.#sentences.wait(quiet, since)
    if (piece !== '') this.#emit(piece)
    if (quiet >= quietMs && this.#sentences.empty) this.#sendCues()
    return this.#out.splice(0)
  }

  end(): SpeechSegment[] {
    this.#finish()
    this.#sendCues()
    if (this.#out.length === 0 && this.#id > 0) this.#empty([])
    const last = this.#out.at(-1)
    if (last) last.last = true
    return this.#out.splice(0)
  }

  // ---------------------------------------------------------------------------------------

  #text(block: number, text: string): void {
    if (block !== this.#last) {
      if (this.#behind === 0 || block !== this.#last + 1 + this.#behind) this.#begin(block)
      this.#last = block
      this.#behind = 0
    }
    this.#length += text.length
    this.#ends.set(block, this.#length)
    this.#spoken.push(text)
    for (let piece = this.#sentences.next(); piece !== ''; piece = this.#sentences.next()) this.#emit(piece)
  }

  /** Another text: something that is shown stands between them. Cues that are left come with its first words. */
  #begin(block: number): void {
    this.#finish()
    for (const one of this.#cues) one.place = 0
    this.#block = block
    this.#length = 0
    this.#ends.clear()
    this.#spoken.restart()
  }

  /** One that comes late, when its place was said, comes with the next words. */
  #cue({ call, channel, payload, block }: Pick<IpcEvent, 'call' | 'channel' | 'payload' | 'block'>): void {
    if (block === this.#last) this.#behind++
    const place = block < (this.#block ?? 0) ? 0 : (this.#ends.get(block) ?? this.#length)
    let at = this.#cues.length
    while (at > 0 && (this.#cues[at - 1] as Placed).place > place) at--
    this.#cues.splice(at, 0, { place, cue: { call, channel, payload } })
  }

  /** What was not said yet is not said. */
  #drop(): void {
    this.#finish(true)
    this.#block = undefined
    this.#last = -1
  }

  /** The text is over. */
  #finish(unsaid = false): void {
    const before = this.#out.length
    this.#spoken.end()
    for (let piece = this.#sentences.next(); piece !== ''; piece = this.#sentences.next()) this.#emit(piece)
    this.#emit(this.#sentences.rest())
    if (unsaid) this.#out.length = before
    const last = this.#out.at(-1)
    if (this.#out.length > before && last)
      for (const { cue } of this.#cues.splice(0)) last.cues.push({ at: last.text.length, ...cue })
  }

  #emit(piece: string): void {
    const text = piece.trim()
    const places = this.#places.slice(this.#used, this.#used + piece.length)
    this.#used += piece.length
    if (this.#used * 2 > this.#places.length) {
      // not with every piece of a long text
      this.#places = this.#places.slice(this.#used)
      this.#used = 0
    }
    if (!/[\p{L}\p{N}]/u.test(text)) return
    const start = piece.length - piece.trimStart().length
    const said = places.slice(start, start + text.length)
    const to = Math.min((said.at(-1) as number) + 1, this.#length)
    const behind = this.#cues.findIndex(({ place }) => place >= to)
    const cues = this.#cues.splice(0, behind < 0 ? this.#cues.length : behind).map(({ place, cue }) => {
      const at = said.findIndex((one) => one >= place)
      return { at: at < 0 ? text.length : at, ...cue }
    })
    this.#out.push({ id: ++this.#id, block: this.#block ?? 0, from: said[0] as number, to, text, cues, last: false })
  }

  #sendCues(): void {
    if (this.#cues.length > 0) this.#empty(this.#cues.splice(0).map(({ cue }) => ({ at: 0, ...cue })))
  }

  #empty(cues: SpeechCue[]): void {
    this.#out.push({
      id: ++this.#id,
      block: this.#block ?? 0,
      from: this.#length,
      to: this.#length,
      text: '',
      cues,
      last: false,
    })
  }
}
