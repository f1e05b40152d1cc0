// Says answers: cuts them, keeps a few pieces ready, plays them in their order, and fires the cues with their words.
import { Listeners } from '../renderer/listeners.js'
import { CueTrack } from './cue-track.js'
import { Held } from './held.js'
import { durationOf, isWide } from './language.js'
import { SyllableClock, Smooth } from './lips.js'
import { makeSound, type Made } from './made.js'
import { Reading } from './reading.js'
import { segmenter, type Cue, type Segment, type Segmenter } from './segmenter.js'
import { patienceMs, quietMs } from './sentences.js'
import { checkOptions, type HeldOrder, type Interrupted, type Speaker, type SpeakerOptions, type SpokenMessage, type Stopped } from './speaker-options.js'
import { NotAllowed, Sound, type Playing } from './sound.js'
import { closed, Lips, visemeAt, vowelOf, vowels, type MouthShape, type Viseme } from './vowels.js'
import { realClock, type SpeechClock, type Voice } from './voice.js'

interface Item {
  segment: Segment
  abort: AbortController
  /** It is not said: its cues fire when it is its turn. */
  silent: boolean
  /** It is of the message that is followed. */
  answers: boolean
  made?: Made
}

interface Heard {
  item: Item
  track: CueTrack
  begun: number
  held: number
  clock?: SyllableClock
  playing?: Playing
}

/** Gives answers a voice. Throws where an option is wrong. */
export function speaker(options: SpeakerOptions): Speaker {
  checkOptions(options, 'options')
  return new VoiceOver(options)
}

class VoiceOver implements Speaker {
  readonly #voice: Voice
  readonly #options: SpeakerOptions
  readonly #clock: SpeechClock
  readonly #sound: Sound
  readonly #smooth = new Smooth()
  readonly #lips = new Lips()
  readonly #listeners = new Listeners()
  readonly #interrupted = new Set<(place: Interrupted) => void>()
  readonly #segments: Segmenter
  readonly #held: Held
  readonly #offs: (() => void)[] = []
  #queue: Item[] = []
  #heard: Heard | undefined
  #state: Speaker['state'] = 'idle'
  #saying = ''
  #quiet = false
  #told = false
  #pausedAt: number | undefined
  /** The voice gives sounds: the next ones can be made ready. */
  #gives = false

  // -- the answer
  #message: SpokenMessage | undefined
  #left: (() => void) | undefined
  #writing = false
  #said = ''
  /** How far the answer was heard, and whether any of it was to be. */
  #reached: Pick<Interrupted, 'block' | 'to'> | undefined
  #characters = 0
  #firstAt: number | undefined
  #lastAt = 0
  #timer: unknown

  constructor(options: SpeakerOptions) {
    const { voice, clock = realClock, segments } = options
    this.#voice = voice
    this.#options = options
    this.#clock = clock
    this.#segments = segmenter(segments)
    this.#sound = new Sound(options.audio)
    this.#held = new Held(clock, options.holdMs ?? 30_000)
    voice.onBoundary = (segment, at) => this.#boundary(segment, at)
    const off = voice.subscribe?.(() => this.#settle())
    if (off) this.#offs.push(off)
    this.#settle()
  }

  get state(): Speaker['state'] {
    return this.#state
  }

  get saying(): string {
    return this.#saying
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  follow(message: SpokenMessage): void {
    const same = message === this.#message || (message.id !== undefined && message.id === this.#message?.id)
    if (same && this.#isBusy) return
    this.stop('another answer')
    this.#writing = true
    this.#message = message
    this.#held.follow(message.id)
    const reading = new Reading()
    const read = (): void => {
      if (this.#message !== message) return
      const view = message.getSnapshot()
      if (!this.#writing && view.outcome === undefined) this.#resume(message.id)
      for (const delta of reading.next(view)) this.#write(this.#segments.push(delta), delta.type === 'text')
      if (view.outcome === 'cancelled') this.stop('cancelled')
      else if (view.outcome !== undefined && this.#writing) this.#written()
    }
    this.#left = message.subscribe(read)
    read()
  }

  say(text: string): void {
    const own = segmenter(this.#options.segments)
    for (const segment of [...own.push({ type: 'text', block: 0, text }), ...own.end()]) this.#enqueue(segment, false)
  }

  stop(why = 'stopped'): Stopped {
    const now = this.#heard
    const heard = joined(this.#said, now ? now.item.segment.text.slice(0, this.#place(now)).trim() : '')
    const rest = [...(now ? [now.item] : []), ...this.#queue]
    const place = why === 'closed' || this.#off !== undefined ? undefined : this.#interruptedAt(rest, now)
    this.#queue = []
    this.#heard = undefined
    this.#unfollow()
    this.#segments.end()
    now?.track.stop()
    now?.playing?.stop()
    for (const { abort } of rest) abort.abort(new Error(why))
    this.#held.stop()
    for (const { segment } of rest) this.#tell(segment, 'dropped')
    if (this.#pausedAt !== undefined) this.resume()
    this.#said = ''
    this.#reached = undefined
    this.#characters = 0
    this.#firstAt = undefined
    this.#settle()
    if (place) for (const listener of [...this.#interrupted]) this.#guard(() => listener(place))
    return { heard }
  }

  pause(): void {
    if (this.#pausedAt !== undefined) return
    this.#pausedAt = this.#clock.now()
    this.#sound.pause()
    this.#voice.pause?.()
  }

  resume(): void {
    if (this.#pausedAt === undefined) return
    if (this.#heard) this.#heard.held += this.#clock.now() - this.#pausedAt
    this.#pausedAt = undefined
    this.#sound.resume()
    this.#voice.resume?.()
  }

  quiet(on: boolean): void {
    if (on === this.#quiet) return
    this.#quiet = on
    const heard = this.#heard
    if (!on || !heard) return this.#next()
    this.#heard = undefined
    heard.playing?.stop()
    heard.item.abort.abort(new Error('quiet'))
    heard.track.end()
    this.#tell(heard.item.segment, 'dropped')
    this.#next()
  }

  level(): number {
    const now = this.#clock.now()
    const heard = this.#heard
    if (heard?.playing) return this.#sound.level(now)
    return this.#smooth.next(heard?.clock && this.#pausedAt === undefined ? heard.clock.open(now - heard.held) : 0, now)
  }

  mouth(): MouthShape {
    const now = this.#clock.now()
    const open = this.level()
    return this.#lips.next(this.#pausedAt === undefined ? this.#shape(open, now) : closed, now)
  }

  /** Loud as it is heard, and in the form of its vowel. */
  #shape(open: number, now: number): MouthShape {
    const heard = this.#heard
    if (!heard) return closed
    const { playing, clock, item: { segment } } = heard
    const visemes = playing || clock ? this.#visemes(segment) : undefined
    if (visemes) {
      const mark = visemeAt(visemes, playing ? playing.position() : now - heard.begun - heard.held)
      if (!mark?.vowel) return closed
      const shape = vowels[mark.vowel]
      return playing ? { open: open * shape.open, form: open > 0 ? shape.form : 0 } : shape // what is not heard moves no mouth
    }
    const vowel = clock && vowelOf(clock.letter(now - heard.held))
    return { open, form: vowel && open > 0 ? vowels[vowel].form : 0 }
  }

  #visemes(segment: Segment): readonly Viseme[] | undefined {
    try {
      return this.#voice.visemes?.(segment)
    } catch {
      return undefined // the mouth still follows what is heard
    }
  }

  onInterrupted(listener: (place: Interrupted) => void): () => void {
    const own = (place: Interrupted): void => listener(place)
    this.#interrupted.add(own)
    return () => void this.#interrupted.delete(own)
  }

  hold({ message, call }: HeldOrder): Promise<'now' | 'stopped'> {
    return this.#off === undefined ? this.#held.hold(message, call) : Promise.resolve('now')
  }

  close(): void {
    this.stop('closed')
    this.#held.close()
    for (const off of this.#offs) off()
    this.#sound.close()
    this.#listeners.clear()
    this.#interrupted.clear()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  // -- what is to be said ---------------------------------------------------------------------------------------------------

  /** Why it says nothing. */
  get #off(): string | undefined {
    return this.#quiet ? 'it is to be quiet' : this.#voice.silent
  }

  #unfollow(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#left?.()
    this.#left = this.#message = undefined
    this.#writing = false
  }

  #write(segments: Segment[], more: boolean): void {
    for (const segment of segments) this.#enqueue(segment)
    if (!more) return
    this.#lastAt = this.#clock.now()
    this.#firstAt ??= this.#lastAt
    this.#wait()
  }

  /** A pause ends a sentence, and a first one may begin without any mark. */
  #wait(): void {
    this.#clock.clearTimeout(this.#timer)
    const now = this.#clock.now()
    const [quiet, since] = [now - this.#lastAt, now - (this.#firstAt ?? now)]
    for (const segment of this.#segments.wait(quiet, since)) this.#enqueue(segment)
    const next = [quietMs - quiet, patienceMs - since].filter((ms) => ms > 0)
    if (next.length > 0) this.#timer = this.#clock.setTimeout(() => this.#wait(), Math.min(...next))
  }

  get #isBusy(): boolean {
    return this.#writing || this.#heard !== undefined || this.#queue.length > 0
  }

  /** A person had the model go on with an answer that was over. */
  #resume(id: string | undefined): void {
    this.#writing = true
    this.#characters = 0
    this.#firstAt = undefined
    this.#held.follow(id)
  }

  /** All of the answer was read. It is still looked at: it may go on. */
  #written(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#writing = false
    for (const segment of this.#segments.end()) this.#enqueue(segment)
    this.#next()
  }

  /** `answers`: it is of the message that is followed. */
  #enqueue(segment: Segment, answers = true): void {
    const { maxQueued = 40, maxCharacters = 1200 } = this.#options
    const waiting = this.#queue.filter(({ silent }) => !silent).length
    this.#characters += segment.text.length
    const silent = this.#off !== undefined || segment.text === '' || waiting >= maxQueued || this.#characters > maxCharacters
    this.#queue.push({ segment, silent, answers, abort: new AbortController() })
    this.#tell(segment, silent ? 'dropped' : 'next')
    this.#next()
  }

  // -- what is said ---------------------------------------------------------------------------------------------------------

  #next(): void {
    while (!this.#heard) {
      const item = this.#queue.shift()
      if (!item) break
      if (!item.silent && this.#off === undefined) void this.#speak(item)
      else this.#pass(item)
    }
    if (!this.#isBusy) this.#held.end()
    this.#prepare()
    this.#settle()
  }

  /** Its cues fire, and nothing is heard. */
  #pass({ segment, silent, abort }: Item): void {
    for (const cue of segment.cues) this.#fire(cue)
    if (silent) return // that was told
    abort.abort(new Error('the voice is off'))
    this.#tell(segment, 'dropped')
  }

  #prepare(): void {
    if (!this.#gives || this.#off !== undefined) return
    const next = this.#queue.filter(({ silent }) => !silent).slice(0, this.#options.ahead ?? 2)
    for (const item of next) item.made ??= this.#make(item)
  }

  #make({ segment, abort }: Item): Made {
    const made = makeSound(this.#voice, segment, abort.signal, (bytes) => this.#sound.decode(bytes))
    if ('sounds' in made) this.#gives = true
    return made
  }

  async #speak(item: Item): Promise<void> {
    const { segment, abort } = item
    const { timeoutMs = 10_000 } = this.#options
    const heard: Heard = { item, begun: this.#clock.now(), held: 0, track: new CueTrack(segment, this.#clock, (cue) => this.#fire(cue)) }
    this.#heard = heard
    this.#settle()
    let spoken = true
    try {
      const made = (item.made ??= this.#make(item))
      if ('sounds' in made) {
        this.#prepare()
        const buffers = await this.#within(made.sounds, timeoutMs)
        if (this.#heard !== heard) return
        const playing = await this.#sound.play(buffers)
        if (this.#heard !== heard) return playing.stop()
        heard.playing = playing
        this.#told = false
        this.#tell(segment, 'speaking')
        heard.track.by(playing.position, playing.duration)
        await playing.ended
      } else {
        heard.clock = new SyllableClock(segment.text, heard.begun)
        this.#tell(segment, 'speaking')
        heard.track.reach(0)
        heard.track.by(() => (this.#pausedAt ?? this.#clock.now()) - heard.begun - heard.held)
        await this.#within(made.plays, timeoutMs + 2 * durationOf(segment.text))
      }
    } catch (error) {
      spoken = false
      abort.abort(error)
      if (error instanceof NotAllowed) this.#blocked(error.message)
    }
    if (this.#heard !== heard) return // it was stopped
    heard.track.end()
    if (spoken) this.#said = joined(this.#said, segment.text)
    if (spoken && item.answers) this.#reached = { block: segment.block, to: segment.to }
    this.#heard = undefined
    this.#tell(segment, spoken ? 'spoken' : 'dropped')
    this.#next()
  }

  /** Rejects what takes too long. Time that the voice was held does not count. */
  async #within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    let timer: unknown
    const late = new Promise<never>((_, fail) => {
      const wait = (): void => {
        timer = this.#clock.setTimeout(() => (this.#pausedAt === undefined ? fail(new Error('the voice took too long')) : wait()), milliseconds)
      }
      wait()
    })
    try {
      return await Promise.race([work, late])
    } finally {
      this.#clock.clearTimeout(timer)
    }
  }

  #boundary(segment: Segment, at: number): void {
    const heard = this.#heard
    if (heard?.item.segment !== segment) return // of one that was stopped
    heard.track.stop() // the voice knows better than the rate
    heard.track.reach(at)
    heard.clock?.boundary(at, this.#clock.now() - heard.held)
  }

  /** How many of its characters were heard. */
  #place({ item: { segment }, playing, clock, held }: Heard): number {
    if (playing) return Math.floor((segment.text.length * playing.position()) / Math.max(1, playing.duration))
    return clock ? Math.floor(clock.place((this.#pausedAt ?? this.#clock.now()) - held)) : 0
  }

  /** Where the answer is that is not heard to its end; undefined: it was, or nobody said it. */
  #interruptedAt(rest: readonly Item[], now: Heard | undefined): Interrupted | undefined {
    const id = this.#message?.id
    const first = rest.find(({ answers, segment }) => answers && segment.text !== '')
    if (id === undefined || (!first && !this.#writing)) return undefined
    if (now?.item.answers) {
      const { block, from, to, text } = now.item.segment
      const at = this.#place(now)
      const word = at >= text.length ? text.length : Math.max(0, isWide(text[at] ?? '') ? at : text.lastIndexOf(' ', at) + 1) // not half of one
      return { message: id, block, to: from + Math.round(((to - from) * word) / Math.max(1, text.length)) }
    }
    if (this.#reached) return { message: id, ...this.#reached }
    return first && { message: id, block: first.segment.block, to: first.segment.from }
  }

  #fire(cue: Cue): void {
    this.#held.fire(cue.call)
    this.#guard(() => this.#options.onCue?.(cue))
  }

  #tell(segment: Segment, now: Parameters<NonNullable<SpeakerOptions['onSegment']>>[1]): void {
    if (now === 'speaking' && this.#saying !== segment.text) {
      this.#saying = segment.text
      this.#listeners.tell()
    }
    this.#guard(() => this.#options.onSegment?.(segment, now))
  }

  /** Each segment would say it again. */
  #blocked(why: string): void {
    if (!this.#told) this.#guard(() => this.#options.onOff?.(why))
    this.#told = true
  }

  /** What the app throws must not silence the rest. */
  #guard(call: () => void): void {
    try {
      call()
    } catch (error) {
      if (typeof globalThis.reportError === 'function') globalThis.reportError(error)
      else console.error(error)
    }
  }

  #settle(): void {
    const why = this.#voice.silent
    if (why !== undefined) this.#blocked(why)
    else if (this.#state === 'off') this.#told = false
    const state = this.#off !== undefined ? 'off' : this.#heard || this.#queue.length > 0 ? 'speaking' : 'idle'
    if (state === this.#state) return
    this.#state = state
    if (state !== 'speaking') this.#saying = ''
    this.#listeners.tell()
  }
}

/** Words of one segment and of the next. */
function joined(one: string, other: string): string {
  if (one === '' || other === '') return one + other
  return isWide(one.at(-1) as string) || isWide(other[0] as string) ? one + other : `${one} ${other}`
}
