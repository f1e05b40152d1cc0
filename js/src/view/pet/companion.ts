/// <reference lib="esnext.disposable" preserve="true" />
// The pet as it lives in its page: what goes on with a client becomes a state, the state becomes a face. The model's
// own expressions lie above the state and end by themselves. No DOM is needed but for what a page can hide.
import { isCommentary } from '../../app/bridge/commentary.js'
import { workingCard, writes } from '../../app/bridge/doing.js'
import type { QuestionView, CardView, HeardInput, MessageView } from '../../app/bridge/messages.js'
import { messageOf } from '../../engine/core/errors.js'
import { orNull } from '../../engine/core/options.js'
import type { ToolWords } from '../../engine/core/tool-words.js'
import { checkQuietHours, isQuietAt, toNextMinute, type QuietHours } from '../../app/bridge/pet-settings.js'
import type { PetNote } from '../../app/bridge/pet-window-messages.js'
import type { PetModel, PetPoint, PetStateDetail } from '../live2d/live2d-model.js'
import { receivePetOrders, type ModelSource, type PetReceiver } from '../live2d/receive.js'
import { Listeners } from '../../app/renderer/listeners.js'
import {
  checkOptions,
  realClock,
  type Companion,
  type CompanionOptions,
  type PetClock,
  type PetSpeaker,
  type PetView,
} from './companion-options.js'
import { Face } from './face.js'
import { followAnswer, waitingOf, type Followed, type LiveValue, type PetClient } from './follow.js'
import { LipSync } from './lip-sync.js'
import { checkProactive, SpeaksFirst, type ProactiveOptions } from './speaks-first.js'
import { DOZE_MS, stateOf, type Seen } from './state-of.js'
import { firstOf, propOf, stateMap, type PetState, type PetStateMap } from './states.js'
import { VoiceSide, voiceSideOf } from './voice-side.js'

const RELAX_MS = 10_000
/** An order may come so long before the answer is seen that it stands in, in milliseconds. */
const EARLY_MS = 1000
/** What is told of a drop is told so long, in milliseconds. */
const NOTE_MS = 8000
/** What the host takes of one drop. */
const [MOST_FILES, MOST_BYTES] = [8, 10_000_000]

/**
 * A pet for a page: it follows a conversation, performs the model's orders, and has a face for all that goes on. Throws
 * where an option is wrong.
 */
export function companion(options: CompanionOptions): Companion {
  checkOptions(options, 'options')
  return new Pet(options)
}

class Pet implements Companion {
  readonly #client: PetClient
  readonly #table: PetStateMap
  readonly #clock: PetClock
  readonly #speaker: PetSpeaker | undefined
  readonly #listeners = new Listeners()
  readonly #lips: LipSync
  readonly #face: Face
  readonly #receiver: PetReceiver | undefined
  readonly #voiceSide: VoiceSide | undefined
  readonly #onError: ((reason: string) => void) | undefined
  readonly #offs: (() => void)[] = []
  readonly #seen: Seen
  #model: PetModel | null = null
  #source: ModelSource = null
  #conversation: string | undefined
  #left: (() => void) | undefined
  #answer: MessageView | undefined
  #message: LiveValue<MessageView> | undefined
  #written = 0
  #view: PetView
  #prop: PetStateDetail['prop']
  #zone: string | undefined
  #field: PetPoint | undefined
  #note: { note: PetNote; until: number } | undefined
  #timer: unknown
  #hidden = false
  #quietByHand = false
  #hours: QuietHours | null
  #away: boolean | undefined
  #first = false
  #speaksFirst: SpeaksFirst | undefined
  #closed = false

  constructor({
    client,
    model = null,
    conversation = 'main',
    speaker,
    states,
    relaxMs = RELAX_MS,
    quietHours = null,
    proactive = null,
    onError,
    clock = realClock,
  }: CompanionOptions) {
    this.#client = client
    this.#table = stateMap(states)
    this.#clock = clock
    this.#speaker = speaker
    this.#lips = new LipSync(clock, speaker)
    this.#face = new Face({
      clock,
      relaxMs,
      onActive: () => this.#active(),
      onChange: () => this.#update(),
      onError: (reason) => onError?.(reason),
    })
    this.#hours = quietHours
    this.#onError = onError
    this.#seen = {
      asks: false,
      running: false,
      writing: false,
      voice: false,
      heard: false,
      carried: false,
      activeAt: clock.now(),
    }
    this.#view = { state: 'idle', words: this.#table.idle.words, questions: [], waiting: 0, quiet: false }
    if (client.pet)
      this.#receiver = receivePetOrders({
        client: { pet: client.pet },
        ...(speaker?.hold ? { speaker: { hold: (order) => speaker.hold!(order) } } : {}),
        ...(onError ? { onError: (reason) => onError(reason) } : {}),
      })
    this.#offs.push(client.connection.subscribe(() => this.#connection()))
    if (speaker) this.#offs.push(speaker.subscribe(() => this.#voice()))
    const side = voiceSideOf(client.pet)
    if (speaker && side) this.#voiceSide = new VoiceSide(speaker, side)
    const off = speaker?.onInterrupted?.((place) => this.#interrupted(place))
    if (off) this.#offs.push(off)
    this.#speaksFirst = this.#speaksFirstBy(proactive)
    if (typeof document === 'object') {
      const look = (): void => this.#show(document.visibilityState === 'hidden')
      document.addEventListener('visibilitychange', look)
      this.#offs.push(() => document.removeEventListener('visibilitychange', look))
      this.#hidden = document.visibilityState === 'hidden'
    }
    this.setModel(model)
    this.#connection()
    this.open(conversation)
  }

  readonly getSnapshot = (): PetView => this.#view

  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  get message(): LiveValue<MessageView> | undefined {
    return this.#message
  }

  get model(): PetModel | null {
    return this.#model
  }

  setModel(source: ModelSource): void {
    this.#source = source
    this.#use(null)
    if (!source || !('then' in source)) {
      this.#use(source)
      this.#receiver?.setModel(this.#model && this.#face.layered(this.#model))
      return
    }
    const loading = source.then((model) => {
      if (this.#source !== source || this.#closed) return null
      this.#use(model)
      return model && this.#face.layered(model)
    })
    if (this.#receiver)
      this.#receiver.setModel(loading) // it tells what went wrong
    else loading.catch((error: unknown) => this.#onError?.(String(error)))
  }

  open(conversation: string): void {
    if (conversation === this.#conversation || this.#closed) return
    this.#left?.()
    this.#conversation = conversation
    this.#face.relax()
    this.#forget()
    this.#left = followAnswer(this.#client, conversation, (followed) => this.#follow(followed))
    this.#update()
  }

  typed(field?: PetPoint): void {
    this.#field = field
    this.#seen.typedAt = this.#active()
    this.#speaksFirst?.later()
    this.#update()
    if (this.#view.state === 'listening') this.#model?.look?.(field ?? null)
  }

  listen(on: boolean): void {
    this.#seen.heard = on
    this.#active()
    this.#update()
  }

  stir(): void {
    const asleep = this.#view.state === 'dozing'
    const now = this.#active()
    if (asleep) this.#seen.wokenAt = now
    if (asleep) this.#update()
  }

  pat(zone?: string | null): void {
    this.#zone = zone ?? undefined
    if (/mouth/i.test(zone ?? '') && this.#speaker?.state === 'speaking') this.#speaker.stop?.('a finger on the mouth')
    this.#seen.pattedAt = this.#active()
    this.#update(true)
  }

  carry(on: boolean): void {
    if (this.#seen.carried === on) return
    this.#seen.carried = on
    const now = this.#active()
    if (!on) this.#seen.landedAt = now
    this.#update()
  }

  async drop(files: Iterable<File>): Promise<void> {
    const given = [...files]
    if (given.length === 0) return
    this.#active()
    const note = await this.#handOn(given)
    this.#note = { note, until: this.#clock.now() + NOTE_MS }
    this.#update()
  }

  /** Nothing is read that the host would not take. */
  async #handOn(files: readonly File[]): Promise<PetNote> {
    if (files.length > MOST_FILES || files.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) return 'tooLarge'
    try {
      if (!this.#client.pet?.drop) throw new Error('this client has no pet.drop')
      return (await this.#client.pet.drop(files)) ? 'taken' : 'noChat'
    } catch (error) {
      this.#onError?.(`what was dropped on the pet did not come to the chat: ${messageOf(error)}`)
      return 'notTaken'
    }
  }

  quiet(on: boolean): void {
    this.#quietByHand = on
    this.#update()
  }

  quietHours(hours: QuietHours | null): void {
    checkQuietHours(hours, 'quietHours')
    this.#hours = hours
    this.#update()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#view.quiet) this.#speaker?.quiet?.(false, 'pet')
    this.#left?.()
    this.#receiver?.close()
    this.#voiceSide?.close()
    this.#offs.forEach((off) => off())
    this.#clock.clearTimeout(this.#timer)
    this.#lips.stop()
    this.#listeners.clear()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  // -- what is seen ---------------------------------------------------------------------------------------------------

  #active(): number {
    return (this.#seen.activeAt = this.#clock.now())
  }

  #connection(): void {
    const there = this.#client.connection.state === 'connected'
    if (there && this.#seen.offlineSince !== undefined) this.#voiceSide?.again()
    if (there) this.#seen.offlineSince = undefined
    else if (this.#seen.offlineSince === undefined) {
      this.#seen.offlineSince = this.#clock.now()
      this.#face.relax()
    }
    this.#update()
  }

  #voice(): void {
    this.#seen.voice = this.#speaker?.state === 'speaking'
    if (this.#seen.voice) this.#active()
    this.#voiceSide?.look()
    this.#update()
  }

  #forget(): void {
    Object.assign(this.#seen, {
      asks: false,
      running: false,
      writing: false,
      wroteAt: undefined,
      toolSince: undefined,
      ended: undefined,
    } satisfies Partial<Seen>)
    this.#answer = undefined
    this.#message = undefined
    this.#written = 0
    this.#lips.syllables.stop()
  }

  #follow({ view, other, old, first }: Followed): void {
    const seen = this.#seen
    if (other) {
      this.#forget()
      if (!old && this.#clock.now() - this.#face.orderedAt > EARLY_MS) this.#face.relax() // the last answer's
      this.#message = view && this.#client.message(view.id)
      if (view && !old && this.#message && !this.#view.quiet && this.#speaker && this.#speaker.state !== 'off')
        this.#speaker.follow?.(this.#message)
    }
    this.#first = first && view !== undefined && !old
    if (!view || old) return this.#update()
    const now = this.#active()
    const ran = seen.running || other
    this.#answer = view
    if (view.questions.some(({ token }) => !this.#view.questions.some((known) => known.token === token)))
      this.#face.relax()
    seen.asks = waitingOf(view) > 0
    seen.running = view.outcome === undefined
    const working = workingCard(view)
    seen.toolSince = working ? (seen.toolSince ?? now) : undefined
    if (working) this.#prop = propOf(working.name ?? working.askedName ?? '', working.tags, ownWords(working)?.icon)
    const last = view.blocks.at(-1)
    seen.writing = writes(view)
    const length = view.blocks.reduce(
      (sum, block) => sum + (block?.type === 'text' && !isCommentary(block) ? block.text.length : 0),
      0,
    )
    if (length > this.#written && last?.type === 'text' && !isCommentary(last)) {
      seen.wroteAt = now
      this.#lips.syllables.write(last.text.slice(-Math.min(length - this.#written, 64)), now)
    }
    this.#written = length
    if (seen.running || ran) this.#speaksFirst?.later()
    if (!seen.running && ran)
      seen.ended = {
        how: view.outcome === 'cancelled' ? 'stopped' : view.outcome === 'failed' ? 'error' : 'done',
        at: now,
      }
    this.#update()
  }

  away(on: boolean): void {
    this.#away = on
    this.#update()
  }

  proactive(given: ProactiveOptions | null): void {
    orNull(checkProactive)(given, 'proactive')
    this.#speaksFirst = this.#speaksFirstBy(given)
    this.#update()
  }

  #speaksFirstBy(proactive: ProactiveOptions | null): SpeaksFirst | undefined {
    const first = this.#client.pet?.first?.bind(this.#client.pet)
    if (!proactive || !first) return undefined
    return new SpeaksFirst({
      proactive,
      now: () => this.#clock.now(),
      date: () => this.#date,
      random: () => this.#clock.random?.() ?? Math.random(),
      ask: (input) => first(input),
      onError: (why) => this.#onError?.(`the pet could not speak first: ${messageOf(why)}`),
    })
  }

  async notToday(): Promise<void> {
    if (this.#first) this.#speaker?.stop?.('not today')
    if (this.#speaksFirst) await this.#speaksFirst.notToday()
    else await this.#client.pet?.first?.({ notToday: true })
  }

  #interrupted(place: HeardInput): void {
    this.#client
      .heard?.(place)
      .catch((error: unknown) => this.#onError?.(`the host was not told what was heard: ${messageOf(error)}`))
  }

  #hush(quiet: boolean): void {
    if (quiet === this.#view.quiet) return
    if (this.#speaker?.quiet) this.#speaker.quiet(quiet, 'pet')
    else if (quiet) this.#speaker?.stop?.('quiet')
    this.#change({ quiet })
  }

  get #date(): Date {
    return this.#clock.date?.() ?? new Date()
  }

  #show(hidden: boolean): void {
    this.#hidden = hidden
    this.#pace()
    this.#update()
  }

  // -- what follows from it -------------------------------------------------------------------------------------------

  /** `again`: a state that it is in already begins anew. */
  #update(again = false): void {
    if (this.#closed) return
    this.#hush(this.#quietByHand || (this.#hours !== null && isQuietAt(this.#hours, this.#date)))
    const now = this.#clock.now()
    if (now >= this.#face.until) this.#face.relax()
    if (this.#note && now >= this.#note.until) this.#note = undefined
    const { state, until } = stateOf(this.#seen, now, this.#table)
    const before = this.#view.state
    const begins = state !== before || again
    if (
      state !== before &&
      goesOn.has(state) &&
      this.#face.ordered !== undefined &&
      firstOf(this.#table.thinking.expressions, [this.#face.ordered])
    )
      this.#face.relax()
    const working = state === 'busy' && this.#answer ? workingCard(this.#answer) : undefined
    const asks =
      this.#seen.offlineSince === undefined && this.#answer?.outcome === undefined
        ? (this.#answer?.questions ?? none)
        : none
    const tool = working && (working.name ?? working.askedName)
    const title = working && ownWords(working)?.title
    const waiting = this.#seen.offlineSince === undefined && this.#answer ? waitingOf(this.#answer) : 0
    const heard = this.#speaker?.saying || undefined
    this.#change({
      state,
      words: this.#table[state].words,
      expression: this.#face.ordered,
      tool,
      title,
      answer: this.#answer,
      questions: asks,
      waiting,
      heard,
      note: this.#note?.note,
      first: this.#first || undefined,
    })
    if (state === 'busy') this.#seen.wroteAt = undefined // behind a tool it thinks, or writes anew
    if (begins) this.#begin(state)
    if (this.#model) this.#face.wear(this.#model, this.#model.state ? [] : this.#table[state].expressions)
    this.#lips.quiet = this.#view.quiet
    this.#lips.update(this.#model, state === 'speaking' && !this.#hidden)
    this.#clock.clearTimeout(this.#timer)
    const away = this.#hidden || (this.#away ?? now - this.#seen.activeAt >= DOZE_MS)
    const speaks =
      this.#speaksFirst?.look(
        (state === 'idle' || (state === 'dozing' && this.#away === false)) &&
          !this.#view.quiet &&
          !away &&
          !this.#seen.voice,
        this.#conversation ?? 'main',
      ) ?? Infinity
    const next = Math.min(
      until,
      speaks,
      this.#face.until,
      this.#note?.until ?? Infinity,
      this.#hours ? now + toNextMinute(this.#date) : Infinity,
    )
    this.#timer =
      next < Infinity ? this.#clock.setTimeout(() => this.#update(), Math.min(next - now, DOZE_MS)) : undefined
  }

  #change(change: { [member in keyof PetView]?: PetView[member] | undefined }): void {
    const next = { ...this.#view, ...change } as PetView
    for (const key of ['expression', 'tool', 'title', 'answer', 'heard', 'note', 'first'] as const)
      if (next[key] === undefined) delete next[key]
    const keys = new Set([...Object.keys(next), ...Object.keys(this.#view)]) as Set<keyof PetView>
    if ([...keys].every((key) => next[key] === this.#view[key])) return
    this.#view = next
    this.#listeners.tell()
  }

  #begin(state: PetState): void {
    const model = this.#model
    if (!model) return
    const look = this.#table[state]
    this.#pace()
    if (model.state)
      this.#face.try(() =>
        model.state!(state, {
          ...(state === 'busy' ? { prop: this.#prop } : {}),
          ...(state === 'patted' && this.#zone ? { zone: this.#zone } : {}),
        }),
      )
    else {
      const group = firstOf(look.motions, Object.keys(model.capabilities().motions ?? {}))
      if (group !== undefined) this.#face.try(() => model.motion(group))
    }
    if (look.looks === 'field') model.look?.(this.#field ?? null)
  }

  #pace(): void {
    const model = this.#model
    if (model?.fps) this.#face.try(() => model.fps!(this.#hidden ? 0 : this.#table[this.#view.state].fps))
  }

  // -- the model ------------------------------------------------------------------------------------------------------

  #use(model: PetModel | null): void {
    this.#lips.stop()
    this.#model = model
    this.#face.forget()
    if (!model) return
    this.#begin(this.#view.state)
    this.#update()
  }
}

const none: readonly QuestionView[] = []
/** What the app calls the tool of a card: a stranger's words do not stand for its name. */
const ownWords = ({ words }: CardView): ToolWords | undefined => (words?.from === undefined ? words : undefined)
/** With these a face that thinks has thought. */
const goesOn: ReadonlySet<PetState> = new Set<PetState>(['speaking', 'done', 'stopped', 'error', 'idle'])
