/// <reference lib="esnext.disposable" preserve="true" />
// What `companion` takes and gives.
import type { QuestionView, HeardInput, MessageView } from '../../app/bridge/messages.js'
import { checkQuietHours, type QuietHours } from '../../app/bridge/pet-settings.js'
import type { PetNote } from '../../app/bridge/pet-window-messages.js'
import {
  anything,
  func,
  is,
  isObject,
  members,
  milliseconds,
  orNull,
  text,
  withMethods,
} from '../../engine/core/options.js'
import type { LocalizedText } from '../../engine/core/tool-words.js'
import type { PetModel, PetPoint } from '../live2d/live2d-model.js'
import type { ModelSource } from '../live2d/receive.js'
import type { LiveValue, PetClient } from './follow.js'
import type { MouthShape } from '../speech/vowels.js'
import { checkProactive, type ProactiveOptions } from './speaks-first.js'
import type { PetState, PetStateLook } from './states.js'

/** A voice: that of sluice/speech, or anything like it. */
export interface PetSpeaker {
  /** `off`: it cannot speak; the mouth then moves with the text. */
  readonly state: 'off' | 'idle' | 'speaking'
  /** The sentence that is heard; empty: it stands still. */
  readonly saying?: string
  /** How loud it is now, from 0 to 1. */
  level(): number
  /** How far open its mouth is, and how wide. Default: as open as it is loud. */
  mouth?(): MouthShape
  /** Called when the state or what it says changed. Returns what ends that. */
  subscribe(listener: () => void): () => void
  /** Called to speak an answer. */
  follow?(message: LiveValue<MessageView>): void
  /** Calls `listener` where an answer was not heard to its end. Returns what ends that. */
  onInterrupted?(listener: (place: HeardInput) => void): () => void
  /** Called to say nothing more. */
  stop?(why?: string): unknown
  /** Says nothing until it may again. `who` asks: `pet`; what others asked for holds all the same. */
  quiet?(on: boolean, who: string): void
  /** For an order whose words it says: resolves when they come. See `receivePetOrders` of sluice/live2d. */
  hold?(order: { message: string; call: number }): Promise<'now' | 'stopped'>
}

/** What tells the time, for tests. */
export interface PetClock {
  /** The time, in milliseconds. */
  now(): number
  /** As the global one. */
  setTimeout(run: () => void, milliseconds: number): unknown
  /** As the global one. */
  clearTimeout(timer: unknown): void
  /** Before the next picture; what it returns ends that. */
  frame(run: () => void): () => void
  /** The time of day. Default: that of the system. */
  date?(): Date
  /** From 0 to 1. Default: `Math.random`. */
  random?(): number
}

/** What `companion` takes. */
export interface CompanionOptions {
  client: PetClient
  /** What shows it all, or what will; `setModel` gives another one. Default none. */
  model?: ModelSource
  /** The conversation that it takes part in. Default `main`. */
  conversation?: string
  /** Its voice. Default none: the mouth moves with the text. */
  speaker?: PetSpeaker
  /** Changes of the table of states. */
  states?: { readonly [state in PetState]?: Partial<PetStateLook> }
  /** How long an expression of the model stays, in milliseconds. Default 10,000. */
  relaxMs?: number
  /** When it is quiet every day. In a `petWindow` its `settings` have them. Default null: never by itself. */
  quietHours?: QuietHours | null
  /**
   * Has it speak first now and then, where the host lets it (its option `proactive`, and the right `pet`): never while
   * it is quiet, somebody types or nobody is there, nor while an answer or a question is open. Default null: it does
   * not.
   */
  proactive?: ProactiveOptions | null
  /** Something that the model should have done and did not, or that went wrong. */
  onError?: (reason: string) => void
  /** The clock. Default: that of the page. */
  clock?: PetClock
}

/** The pet as it stands: another object whenever something changed. */
export interface PetView {
  state: PetState
  /** What to call that, by language. */
  words: PetStateLook['words']
  /** The expression that the model ordered and that still holds. */
  expression?: string
  /** The name of the tool that works, while it is `busy`. */
  tool?: string
  /** What people call that tool, where the app says it. */
  title?: LocalizedText
  /** The answer that it gives or gave last, where it was seen going on. */
  answer?: MessageView
  /** The questions that wait, where the window may answer them. */
  questions: readonly QuestionView[]
  /** How many questions wait, whoever may answer them. */
  waiting: number
  /** The sentence that its voice says now. */
  heard?: string
  /** What became of the files that were dropped on it, for 8 s. */
  note?: PetNote
  /** Nobody asked for `answer`: it spoke first. */
  first?: true
  /** It is to leave people alone: no bubble, no sound. */
  quiet: boolean
}

/** A pet that lives. */
export interface Companion {
  getSnapshot(): PetView
  /** Called with every change. Returns what ends that. */
  subscribe(listener: () => void): () => void
  /** The message with the questions, for `<sluice-approval>`. */
  readonly message: LiveValue<MessageView> | undefined
  /** What is shown now; null: nothing. */
  readonly model: PetModel | null
  /** Shows it by another model. */
  setModel(model: ModelSource): void
  /** Takes part in another conversation: its face comes to rest. */
  open(conversation: string): void
  /** Somebody types. `field`: where, of the page; it looks there. */
  typed(field?: PetPoint): void
  /** Somebody speaks to it, until they do not. */
  listen(on: boolean): void
  /** Somebody is there: moved the pointer. It wakes. */
  stir(): void
  /** Somebody clicked on it. `zone`: as the model's `hit` says. A finger on the mouth ends the voice. */
  pat(zone?: string | null): void
  /** It hangs from the pointer, until it does not. */
  carry(on: boolean): void
  /** Files were dropped on it: they go to the chat, and its view says for a while what became of them. */
  drop(files: Iterable<File>): Promise<void>
  /** Leave people alone, or not any more. What is said now ends. */
  quiet(on: boolean): void
  /** When it is quiet every day; null: never by itself. Throws where they are wrong. */
  quietHours(hours: QuietHours | null): void
  /** How it speaks first from now on; null: it does not. The time begins anew. Throws where that is wrong. */
  proactive(how: ProactiveOptions | null): void
  /**
   * Nobody is at the computer, or somebody is again. `petBody` has it from the window; else a page that nobody touches
   * for 5 minutes counts.
   */
  away(on: boolean): void
  /** It is to speak first no more today; what it says now ends. Rejects where the host does not take it. */
  notToday(): Promise<void>
  /** It follows nothing any more; the model stays as it is. */
  close(): void
  [Symbol.dispose](): void
}

export const realClock: PetClock = {
  now: () => performance.now(),
  setTimeout: (run, milliseconds) => setTimeout(run, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as number),
  frame: (run) => {
    if (typeof requestAnimationFrame !== 'function') return () => {}
    const id = requestAnimationFrame(run)
    return () => cancelAnimationFrame(id)
  },
}

export const checkOptions = members({
  members: {
    client: withMethods('what connect() returns', 'open', 'message'),
    model: anything,
    conversation: text,
    relaxMs: milliseconds,
    quietHours: checkQuietHours,
    proactive: orNull(checkProactive),
    speaker: withMethods('a speaker with level and subscribe', 'level', 'subscribe'),
    states: is('an object of looks', isObject),
    onError: func('(reason) => void'),
    clock: withMethods('a clock', 'now', 'setTimeout', 'clearTimeout', 'frame'),
  },
  needs: ['client'],
})
