// Where a conversation is while one of its requests is answered: in a store, or with the page.
import type { Engine } from '../core/engine.js'
import type { AssistantMessage, ChatMessage } from '../core/events.js'
import type { Run } from '../core/run.js'
import type { SavedMessage } from '../conversations/types.js'
import type { Answered } from '../leg/answers.js'
import type { Answer, ChatRun, Keeper, Legs } from '../leg/legs.js'
import { numberOfCall, staleNames } from '../leg/names.js'
import { Refusal, staleResult } from '../leg/refusal.js'
import type { Written } from '../leg/requests.js'
import type { Continued, Sign } from './message-writer.js'
import type { Again, Posted } from './posted.js'
import type { UIMessageChunk } from './types.js'

/** An answer that waits. */
export interface Waiting extends Answer {
  /** Of decisions and results, those that are about something it waits for. Throws Refusal where there are none. */
  accept(answered: Answered): Answered
  /** Goes on. */
  resume(given: ChatRun): Run
  /** The run begins anew, and goes on with a message that the page has. */
  continued?: Continued
}

/** A conversation, as one request finds it. */
export interface Keeping {
  /** Throws Refusal where this was said before. */
  refuseRepeated(written: Written, again: Again): Promise<void>
  /** Keeps what a person said, and begins the answer, with what the app says to the messages. */
  begin(written: Written, again: Again, given: (messages: ChatMessage[]) => Promise<ChatRun>): Promise<{ run: Run; answer: Answer }>
  /** The answer at the end, where it waits. */
  waiting(): Promise<Waiting | undefined>
  /** Ends that answer. */
  close(waiting: Waiting, run: Run, reason: string): Promise<void>
  /** Keeps an answer that no store has. `callName`: how the page names a call. */
  keeper?(answer: Answer, callName: (call: number) => string): Keeper<UIMessageChunk>
  /** Signs the questions of a message, for the page to bring back. */
  sign?(message: string): Sign
}

/** What runs it. */
export interface Running {
  engine: Engine
  legs: Legs<UIMessageChunk>
}

/** Conversations that the page keeps, made by `sealed` or `signed`: a `store` of `chatHandler`. */
export abstract class PageStore {
  /** @internal */
  abstract open(posted: Posted, running: Running): Keeping
}

/** Also of the package's other build (ES module, CommonJS). */
export const isPageStore = (store: object): store is PageStore => 'open' in store && typeof store.open === 'function'

const open = new Set(['pending', 'awaiting_approval', 'executing', 'awaiting_result_approval'])

/** The numbers of the calls that an answer waits for. */
export const openCalls = ({ blocks }: Pick<AssistantMessage, 'blocks'> | SavedMessage): number[] =>
  blocks.flatMap((block) => (block?.type === 'tool_use' && open.has(block.status ?? '') ? [block.call] : []))

export const answersNothing = (): Refusal => new Refusal(409, 'the message answers no question of this answer, and brings no result that it waits for')

/** Throws Refusal where a client answers nothing of what a message waits for. A question that was another one before is asked again. */
export function concerning(answered: Answered, open: readonly number[]): Answered {
  const { message, decisions, outputs } = answered
  const calls = new Set<number | undefined>(open)
  const asked = [...decisions.keys()].some((name) => name.startsWith(`${message}:`) && calls.has(Number.parseInt(name.slice(message.length + 1))))
  if (!asked && ![...outputs.keys()].some((name) => calls.has(numberOfCall(message, name)))) throw answersNothing()
  return answered
}

/** Throws Refusal where a result is about a call that runs on the page, but not as it is now. */
export function refuseStale({ message, outputs }: Pick<Answered, 'message' | 'outputs'>, { blocks }: Pick<AssistantMessage, 'blocks'> | SavedMessage): void {
  const running = blocks.flatMap((block) => (block?.type === 'tool_use' && block.status === 'executing' ? [block] : []))
  if (staleNames(message, running, outputs.keys()).length > 0) throw staleResult()
}
