/// <reference lib="esnext.disposable" preserve="true" />
// Says answers: keeps a few pieces ready, plays them in their order, and fires the cues with their words.
import { guarded, Listeners } from '../../app/renderer/listeners.js'
import { CueTrack } from './cue-track.js'
import { Followed } from './followed.js'
import { interruptedAt, placeIn, type Heard, type Place } from './heard-voice.js'
import { Held } from './held.js'
import { durationOf, joined } from './language.js'
import { SyllableClock } from './lips.js'
import { Maker } from './made.js'
import { Mouth } from './voice-mouth.js'
import { Pause } from './pause.js'
import { Queue, type Item } from './queue.js'
import { speechSegmenter, type SpeechCue, type SpeechSegment } from './segmenter.js'
import { NotAllowed, Sound } from './sound.js'
import {
  checkOptions,
  type HeldOrder,
  type InterruptedSpeech,
  type Speaker,
  type SpeakerOptions,
  type SpokenMessage,
  type StoppedSpeech,
} from './speaker-options.js'
import { realClock, type SpeechClock, type Voice } from './voice.js'
import type { MouthShape } from './vowels.js'

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
  readonly #pause: Pause
  readonly #mouth: Mouth
  readonly #maker: Maker
  readonly #held: Held
  readonly #queue = new Queue()
  readonly #listeners = new Listeners()
  readonly #interrupted = new Listeners<[InterruptedSpeech]>()
  readonly #off: (() => void) | undefined
  #heard: Heard | undefined
  #state: Speaker['state'] = 'idle'
  #saying = ''
  /** Who wants it to be quiet. */
  readonly #quiet = new Set<string>()
  #closed = false
  /** That it cannot speak was reported. */
  #reported = false
  /** Counts what was stopped. */
  #stops = 0

  // -- the answer
  #followed: Followed | undefined
  #said = ''
  readonly #saidOf = new Map<number, string>()
  /** What was said of a withdrawn text: what repeats it is not said again. */
  #again = ''
  /** How far the answer was heard, and whether any of it was to be. */
  #reached: Place | undefined
  /** How much of it was given to the voice. */
  #characters = 0

  constructor(options: SpeakerOptions) {
    const { voice, clock = realClock, segments, audio, ahead = 2, holdMs = 30_000 } = options
    speechSegmenter(segments) // throws where an option of it is wrong
    this.#voice = voice
    this.#options = options
    this.#clock = clock
    this.#sound = new Sound(audio)
    this.#pause = new Pause(clock)
    this.#mouth = new Mouth(voice, this.#sound, this.#pause, clock)
    this.#maker = new Maker(voice, this.#sound, ahead)
    this.#held = new Held(clock, holdMs)
    voice.onBoundary = (segment, at) => this.#boundary(segment, at)
    this.#off = voice.subscribe?.(() => this.#settle())
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
    const before = this.#followed?.message
    const same = message === before || (message.id !== undefined && message.id === before?.id)
    if (this.#closed || (same && this.#isBusy)) return
    this.stop('another answer')
    this.#held.follow(message.id)
    this.#followed = new Followed(message, this.#clock, this.#options.segments, {
      pieces: (segments) => this.#enqueue(segments),
      withdrawn: (blocks) => this.#withdraw(blocks),
      goesOn: () => {
        this.#characters = 0
        this.#held.follow(message.id)
      },
      ended: () => this.#next(),
      cancelled: () => void this.stop('cancelled'),
    })
    this.#followed.begin()
  }

  say(text: string): void {
    if (this.#closed) return
    const own = speechSegmenter(this.#options.segments)
    this.#enqueue([...own.push({ type: 'text', block: 0, text }), ...own.end()], false)
  }

  stop(why = 'stopped'): StoppedSpeech {
    const now = this.#heard
    const heard = joined(this.#said, now ? now.item.segment.text.slice(0, placeIn(now, this.#pause.now)).trim() : '')
    const rest = [...(now ? [now.item] : []), ...this.#queue.clear()]
    const place =
      this.#followed && this.#silent === undefined
        ? interruptedAt(this.#followed, rest, now, this.#reached, this.#pause.now)
        : undefined
    this.#stops++
    this.#heard = undefined
    this.#followed?.leave()
    this.#followed = undefined
    now?.track.stop()
    now?.playing?.stop()
    const reason = new Error(why)
    for (const { abort, silent } of rest) if (!silent) abort.abort(reason)
    this.#held.stop()
    for (const { segment } of rest) this.#tell(segment, 'dropped')
    this.resume()
    this.#said = this.#again = ''
    this.#saidOf.clear()
    this.#reached = undefined
    this.#characters = 0
    this.#settle()
    if (place) this.#interrupted.tell(place)
    return { heard }
  }

  pause(): void {
    if (this.#pause.on) return
    this.#pause.begin()
    this.#sound.pause()
    this.#voice.pause?.()
  }

  resume(): void {
    if (!this.#pause.on) return
    const took = this.#pause.end()
    if (this.#heard) this.#heard.held += took
    this.#sound.resume()
    this.#voice.resume?.()
  }

  quiet(on: boolean, who = ''): void {
    const before = this.#quiet.size > 0
    if (on) this.#quiet.add(who)
    else this.#quiet.delete(who)
    const now = this.#quiet.size > 0
    if (now === before) return
    const heard = this.#heard
    if (!now || !heard) return this.#next()
    this.#heard = undefined
    heard.playing?.stop()
    heard.item.abort.abort(new Error('quiet'))
    heard.track.end()
    this.#tell(heard.item.segment, 'dropped')
    this.#next()
  }

  level(): number {
    return this.#mouth.level(this.#heard)
  }

  mouth(): MouthShape {
    return this.#mouth.shape(this.#heard)
  }

  onInterrupted(listener: (place: InterruptedSpeech) => void): () => void {
    return this.#interrupted.add(listener)
  }

  hold({ message, call }: HeldOrder): Promise<'now' | 'stopped'> {
    return this.#silent === undefined ? this.#held.hold(message, call) : Promise.resolve('now')
  }

  close(): void {
    this.#closed = true
    this.stop('closed')
    this.#held.close()
    this.#off?.()
    this.#sound.close()
    this.#listeners.clear()
    this.#interrupted.clear()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  // -- what is to be said ---------------------------------------------------------------------------------------------

  /** Why it says nothing. */
  get #silent(): string | undefined {
    return this.#closed ? 'it was closed' : this.#quiet.size > 0 ? 'it is to be quiet' : this.#voice.silent
  }

  get #isBusy(): boolean {
    return this.#followed?.writing === true || this.#heard !== undefined || !this.#queue.empty
  }

  /** `answers`: they are of the message that is followed. */
  #enqueue(segments: readonly SpeechSegment[], answers = true): void {
    const { maxQueued = 40, maxCharacters = 1200 } = this.#options
    const stops = this.#stops
    let own = 0
    for (const segment of segments) {
      if (stops !== this.#stops) return // somebody who heard of one stopped it
      const characters = answers ? (this.#characters += segment.text.length) : (own += segment.text.length)
      const silent =
        this.#silent !== undefined ||
        segment.text === '' ||
        this.#queue.loud >= maxQueued ||
        characters > maxCharacters ||
        (answers && this.#repeats(segment))
      this.#queue.push({ segment, silent, answers, abort: new AbortController() })
      this.#tell(segment, silent ? 'dropped' : 'next')
      this.#next()
    }
  }

  #withdraw(blocks: readonly number[]): void {
    const { item } = this.#heard ?? {}
    const heard = item?.answers && blocks.includes(item.segment.block) ? item.segment.text : ''
    this.#again = joined(blocks.map((block) => this.#saidOf.get(block) ?? '').reduce(joined, ''), heard) || this.#again
    for (const { segment, abort } of this.#queue.silence(
      ({ answers, segment }) => answers && (blocks.includes(segment.block) || this.#repeats(segment)),
    )) {
      abort.abort(new Error('withdrawn'))
      this.#tell(segment, 'dropped')
    }
    this.#next()
  }

  /** Whether it was said of a text that was withdrawn. */
  #repeats({ text }: SpeechSegment): boolean {
    const repeats = text !== '' && this.#again.startsWith(text)
    if (text !== '') this.#again = repeats ? this.#again.slice(text.length).trimStart() : ''
    return repeats
  }

  // -- what is said ---------------------------------------------------------------------------------------------------

  #next(): void {
    while (!this.#heard) {
      const item = this.#queue.shift()
      if (!item) break
      if (!item.silent && this.#silent === undefined) void this.#speak(item)
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
    if (this.#silent === undefined) this.#maker.prepare(this.#queue)
  }

  async #speak(item: Item): Promise<void> {
    const { segment, abort } = item
    const { timeoutMs = 10_000 } = this.#options
    const mostMs = timeoutMs + 2 * durationOf(segment.text)
    const heard: Heard = {
      item,
      begun: this.#clock.now(),
      held: 0,
      track: new CueTrack(segment, this.#clock, (cue) => this.#fire(cue)),
    }
    this.#heard = heard
    this.#settle()
    let spoken = true
    try {
      const made = this.#maker.make(item)
      if ('sounds' in made) {
        this.#prepare()
        const buffers = await this.#pause.within(made.sounds, timeoutMs, abort.signal)
        await this.#pause.over()
        if (this.#heard !== heard) return
        const playing = await this.#sound.play(buffers)
        if (this.#heard !== heard) return playing.stop()
        heard.playing = playing
        this.#reported = false
        this.#tell(segment, 'speaking')
        heard.track.by(playing.position, playing.duration)
        await this.#pause.within(playing.ended, mostMs, abort.signal) // a context that was closed never tells of an end
      } else {
        heard.clock = new SyllableClock(segment.text, heard.begun)
        this.#tell(segment, 'speaking')
        heard.track.reach(0)
        heard.track.by(() => this.#pause.now - heard.begun - heard.held)
        await this.#pause.within(made.plays, mostMs, abort.signal)
        this.#reported = false
      }
    } catch (error) {
      spoken = false
      abort.abort(error)
      if (error instanceof NotAllowed) this.#blocked(error.message)
    }
    if (this.#heard !== heard) return // it was stopped
    if (!spoken) heard.playing?.stop()
    heard.track.end()
    if (spoken) this.#said = joined(this.#said, segment.text)
    if (spoken && item.answers) {
      this.#reached = { block: segment.block, to: segment.to }
      this.#saidOf.set(segment.block, joined(this.#saidOf.get(segment.block) ?? '', segment.text))
    }
    this.#heard = undefined
    this.#tell(segment, spoken ? 'spoken' : 'dropped')
    this.#next()
  }

  #boundary(segment: SpeechSegment, at: number): void {
    const heard = this.#heard
    if (heard?.item.segment !== segment) return // of one that was stopped
    heard.track.stop() // the voice knows better than the rate
    heard.track.reach(at)
    heard.clock?.boundary(at, this.#clock.now() - heard.held)
  }

  // -- what is told ---------------------------------------------------------------------------------------------------

  #fire(cue: SpeechCue): void {
    this.#held.fire(cue.call)
    guarded(() => this.#options.onCue?.(cue))
  }

  #tell(segment: SpeechSegment, now: Parameters<NonNullable<SpeakerOptions['onSegment']>>[1]): void {
    if (now === 'speaking' && this.#saying !== segment.text) {
      this.#saying = segment.text
      this.#listeners.tell()
    }
    guarded(() => this.#options.onSegment?.(segment, now))
  }

  /** Each segment would say it again. */
  #blocked(why: string): void {
    if (!this.#reported) guarded(() => this.#options.onOff?.(why))
    this.#reported = true
  }

  #settle(): void {
    const why = this.#voice.silent
    if (why !== undefined) this.#blocked(why)
    else if (this.#state === 'off') this.#reported = false
    const state = this.#silent !== undefined ? 'off' : this.#heard || !this.#queue.empty ? 'speaking' : 'idle'
    if (state === this.#state) return
    this.#state = state
    if (state !== 'speaking') this.#saying = ''
    this.#listeners.tell()
  }
}
