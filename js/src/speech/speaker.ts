// Says answers: cuts them, keeps a few pieces ready, plays them in their order, and fires the cues with their words.
import type { MessageView } from '../bridge/messages.js'
import { anything, func, milliseconds, members, whole, withMethods } from '../core/options.js'
import { Listeners } from '../renderer/listeners.js'
import { CueTrack } from './cue-track.js'
import { Held } from './held.js'
import { durationOf, isWide } from './language.js'
import { SyllableClock, Smooth } from './lips.js'
import { Reading } from './reading.js'
import { segmenter, type Cue, type Segment, type SegmentOptions, type Segmenter } from './segmenter.js'
import { patienceMs, quietMs } from './sentences.js'
import { NotAllowed, Sound, type Playing } from './sound.js'
import { realClock, type SpeechClock, type Voice } from './voice.js'

/** What is followed: a message of `connect()`, or anything like it. */
export interface SpokenMessage {
  /** Orders of the pet name it. */
  readonly id?: string
  /** Called with every change. Returns what ends that. */
  subscribe(listener: () => void): () => void
  /** As it stands. */
  getSnapshot(): MessageView
}

/** What `speaker` takes. */
export interface SpeakerOptions {
  /** What speaks. */
  voice: Voice
  /** A fire-and-forget call whose words come now. Default nothing: `receive({ speaker })` of sluice/live2d asks for its orders by itself. */
  onCue?: (cue: Cue) => void
  /** What becomes of a segment, for a bubble. `dropped`: it is not heard (or not to its end), since the voice failed, was stopped, or fell too far behind. */
  onSegment?: (segment: Segment, now: 'next' | 'speaking' | 'spoken' | 'dropped') => void
  /** It cannot speak, and why. Called once, until it could again. */
  onOff?: (why: string) => void
  /** How many segments are made ready beyond the one that is heard. Default 2. */
  ahead?: number
  /** How many segments may wait. Those behind them are not said. Default 40. */
  maxQueued?: number
  /** How much of an answer is said, in characters. Default 1,200. */
  maxCharacters?: number
  /** How long a voice may take for a segment, in milliseconds, before it is passed over. Default 10,000. */
  timeoutMs?: number
  /** How long an order waits for its words, in milliseconds. Default 30,000. */
  holdMs?: number
  /** How answers are cut. */
  segments?: SegmentOptions
  /** Where sounds are played. Default: one of its own, made with the first sound. */
  audio?: AudioContext
  /** Of a test. */
  clock?: SpeechClock
}

/** Says answers aloud. */
export interface Speaker {
  /** Says this message, as far as it goes and as it goes on; what was said before ends. The same one again changes nothing while it is said. */
  follow(message: SpokenMessage): void
  /** Says a text behind what is being said. */
  say(text: string): void
  /** Falls silent within 80 ms; nothing of what was to come is said. */
  stop(why?: string): Stopped
  /** Holds the voice. */
  pause(): void
  /** Goes on. */
  resume(): void
  /** Says nothing, until it may again. Cues fire at once. */
  quiet(on: boolean): void
  /** How far the mouth is open now, from 0 to 1. */
  level(): number
  /** `off`: the voice cannot speak, or it is to be quiet. */
  readonly state: 'off' | 'idle' | 'speaking'
  /** The segment that is heard, or was last while the next one is made ready; empty: it stands still. A bubble that shows it agrees with the ear. */
  readonly saying: string
  /** Called when the state or what it says changed. Returns what ends that. */
  subscribe(listener: () => void): () => void
  /** Calls `listener` where an answer was not heard to its end, since somebody stopped the voice. Returns what ends that. */
  onInterrupted(listener: (place: Interrupted) => void): () => void
  /** For an order of the pet: resolves when its words come (`now`), or with `stopped`, where they will not. */
  hold(order: HeldOrder): Promise<'now' | 'stopped'>
  /** Falls silent for good. */
  close(): void
  /** `close`, for `using`. */
  [Symbol.dispose](): void
}

/** How far an answer was heard: for `client.heard`. */
export interface Interrupted {
  /** Id of the message. */
  message: string
  /** The text block that it was heard to. */
  block: number
  /** How much of the text of that block, and of those behind it where only fire-and-forget calls stand between, in UTF-16 units. */
  to: number
}

/** What was heard when a speaker was stopped. */
export interface Stopped {
  /** What was said of the answer, as far as the voice tells. */
  heard: string
}

/** The call that an order of the pet comes from. */
export interface HeldOrder {
  /** Id of the message. */
  message: string
  /** The number of the call in it. */
  call: number
}

interface Item {
  segment: Segment
  abort: AbortController
  /** It is not said: its cues fire when it is its turn. */
  silent: boolean
  /** It is of the message that is followed. */
  answers: boolean
  made?: Made
}

/** A voice that plays by itself, or the sounds of one that does not. */
type Made = { plays: Promise<void> } | { sounds: Promise<AudioBuffer[]> }

interface Heard {
  item: Item
  track: CueTrack
  begun: number
  held: number
  clock?: SyllableClock
  playing?: Playing
}

const checkOptions = members({
  members: {
    voice: withMethods('a voice with speak', 'speak'), onCue: func('(cue) => void'), onSegment: func('(segment, now) => void'), onOff: func('(why) => void'),
    ahead: whole(0), maxQueued: whole(1), maxCharacters: whole(1), timeoutMs: milliseconds, holdMs: milliseconds, segments: anything,
    audio: withMethods('an AudioContext', 'createAnalyser'), clock: withMethods('a clock', 'now', 'setTimeout', 'clearTimeout'),
  },
  needs: ['voice'],
})

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
    try {
      const made = this.#voice.speak(segment, abort.signal)
      if (Symbol.asyncIterator in made) {
        this.#gives = true
        const sounds = this.#collect(made, abort.signal)
        sounds.catch(() => {}) // heard when it is its turn
        return { sounds }
      }
      return { plays: made }
    } catch (error) {
      const failed = Promise.reject<void>(error)
      failed.catch(() => {})
      return { plays: failed }
    }
  }

  async #collect(pieces: AsyncIterable<Uint8Array | AudioBuffer>, signal: AbortSignal): Promise<AudioBuffer[]> {
    const bytes: Uint8Array[] = []
    const buffers: AudioBuffer[] = []
    for await (const piece of pieces) {
      signal.throwIfAborted()
      if (piece instanceof Uint8Array) bytes.push(piece)
      else buffers.push(piece)
    }
    if (bytes.length > 0) buffers.unshift(await this.#sound.decode(bytes))
    return buffers
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
