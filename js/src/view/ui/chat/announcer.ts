// What is read out of a conversation: one text for a turn, at its end, one more for every question, one where nothing
// comes for long. No DOM.
import { spokenEnd, textOf } from '../shared/ends.js'
import type { Strings } from '../shared/ui-strings.js'
import { wordsOf } from '../text/words-of.js'
import type { BlockView, MessageView } from '../ui-types.js'
import { doingOf } from '../../../app/bridge/doing.js'
import { sentenceOf } from '../../../app/bridge/sentence.js'
import type { ChatStrings } from './chat-strings.js'
import type { AnnounceMode } from './chat-types.js'

/** How much of an answer is read out. */
const READ_OUT = 1000
/** Of so many answers it is known that their end was said. */
const KNOWN = 1000
/** How long a person waits in silence, in milliseconds. */
const SILENCE_MS = 10_000

export interface AnnouncerOptions {
  mode: () => AnnounceMode
  name: () => string
  words: () => { elements: Strings; chat: ChatStrings }
  lang: () => string
  say: (text: string, how: 'polite' | 'assertive') => void
}

/** How much of a text is looked at to tell the words of a sentence in it. */
const AROUND = 4000

export class Announcer {
  readonly #options: AnnouncerOptions
  #message: string | undefined
  /** It went on when it was seen, or this window asked for it: its end is news. */
  #news = false
  /** Answers whose end was said. */
  readonly #ended = new Set<string>()
  #asked = new Set<string>()
  /** The part of the answer's text that was said. */
  #said = ''
  #waiting: ReturnType<typeof setTimeout> | undefined
  #waited = false

  constructor(options: AnnouncerOptions) {
    this.#options = options
  }

  /**
   * The last answer of the conversation as it now is. `asked`: this window asked for it, so its end is news even where
   * it is there at once.
   */
  see(view: MessageView | undefined, asked: boolean): void {
    if (view?.id !== this.#message) this.#begin(view)
    if (!view) return
    if (view.outcome === undefined)
      this.#ended.delete(view.id) // it may go on behind its end
    else if (this.#ended.has(view.id)) return
    if (view.seq === 0 && view.blocks.length === 0 && view.outcome === undefined && !asked) return // not loaded yet
    this.#news ||= asked || view.outcome === undefined // who asked may be known only after the answer is there
    if (!this.#news) return
    if (view.outcome !== undefined) this.#remember(view.id)
    if (this.#options.mode() === 'off') return
    this.#questions(view)
    if (this.#options.mode() === 'sentences') this.#sentences(view)
    if (view.outcome !== undefined) this.#end(view)
    else if (this.#waited || ['asking', 'speaking'].includes(doingOf(view))) this.#stopWaiting()
    else this.#waiting ??= setTimeout(() => this.#still(), SILENCE_MS)
  }

  close(): void {
    this.#stopWaiting()
  }

  #begin(view: MessageView | undefined): void {
    this.#stopWaiting()
    this.#message = view?.id
    this.#news = this.#waited = false
    this.#asked.clear()
    this.#said = ''
  }

  #remember(id: string): void {
    this.#ended.add(id)
    const [oldest] = this.#ended
    if (this.#ended.size > KNOWN && oldest !== undefined) this.#ended.delete(oldest)
  }

  #stopWaiting(): void {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
  }

  #still(): void {
    this.#waited = true
    this.#options.say(this.#options.words().chat.stillWorking(this.#options.name()), 'polite')
  }

  #questions(view: MessageView): void {
    const fresh = view.questions.filter(({ token }) => !this.#asked.has(token))
    for (const { token } of fresh) this.#asked.add(token)
    const { elements } = this.#options.words()
    const [ask] = fresh
    if (!ask) return
    const sentence = sentenceOf(ask, elements, this.#options.lang(), this.#options.name())
      .map(({ text }) => text)
      .join('')
    const text =
      fresh.length > 1
        ? elements.waitingCount(view.questions.length)
        : ask.stage === 'result'
          ? sentence
          : elements.asks(sentence)
    this.#options.say(text.slice(0, READ_OUT), 'assertive')
  }

  /** Each sentence once, as soon as something stands behind it. */
  #sentences(view: MessageView): void {
    const text = textOf(view.blocks)
    this.#said = commonOf(this.#said, text)
    const from = this.#said.length
    const rest = text.slice(from)
    const sentences = [...new Intl.Segmenter(this.#options.lang(), { granularity: 'sentence' }).segment(rest)]
    const whole = view.outcome === undefined ? sentences.slice(0, -1) : sentences
    const last = whole.at(-1)
    if (!last) return
    const length = last.index + last.segment.length
    const said = this.#wordsOf(text, from, from + length)
    this.#said = text.slice(0, from + length)
    if (said) this.#options.say(said, 'polite')
  }

  /** The words between two places: marks in front of them tell what they are. */
  #wordsOf(text: string, from: number, to: number): string {
    const { elements } = this.#options.words()
    const begin = Math.max(text.lastIndexOf('\n\n', from), from - AROUND, 0)
    const before = wordsOf(text.slice(begin, from), elements, AROUND)
    const now = wordsOf(text.slice(begin, to), elements, 2 * AROUND)
    return (now.startsWith(before) ? now.slice(before.length) : wordsOf(text.slice(from, to), elements, AROUND)).trim()
  }

  #end(view: MessageView): void {
    this.#stopWaiting()
    const { elements, chat } = this.#options.words()
    const end = spokenEnd(view, elements)
    const tools = view.blocks.filter((block: BlockView | undefined) => block?.type === 'tool_use').length
    const said = this.#options.mode() === 'sentences' ? '' : wordsOf(textOf(view.blocks), elements, READ_OUT)
    const text = [said, tools > 0 ? chat.toolsUsed(tools) : '', end].filter(Boolean).join('\n')
    if (text) this.#options.say(`${this.#options.name()}: ${text}`, 'polite')
  }
}

/**
 * What is left of a text after a message of it was withdrawn, or turned out to be a comment: its whole messages that
 * still begin `text`.
 */
function commonOf(said: string, text: string): string {
  if (text.startsWith(said)) return said
  let at = 0
  while (at < text.length && said[at] === text[at]) at++
  return at === text.length ? text : text.slice(0, text.lastIndexOf('\n\n', at) + 1)
}
