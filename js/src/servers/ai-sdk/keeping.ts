// Where a conversation is while one of its requests is answered: in a store, or with the page.
import type { Engine } from '../../engine/core/engine.js'
import type { AssistantMessage, ChatMessage, ToolUseBlock } from '../../engine/core/events.js'
import type { Run } from '../../engine/core/run.js'
import type { Tool } from '../../engine/core/tool.js'
import type { SavedMessage } from '../../app/conversations/conversation-types.js'
import type { Answered } from '../leg/leg-answers.js'
import type { Answer, ChatRun, Keeper, Legs } from '../leg/legs.js'
import { numberOfCall, staleNames } from '../leg/names.js'
import { answersNothing, staleResult } from '../leg/leg-refusal.js'
import type { Written } from '../leg/leg-requests.js'
import type { Again, Posted } from './posted-chat.js'
import type { UIMessageChunk } from './ai-sdk-types.js'

/** An answer that waits. */
export interface Waiting extends Answer {
  /** Of decisions and results, those that count. Throws Refusal where there are none, or one was used before. */
  accept(answered: Answered): Promise<Answered>
  resume(given: ChatRun): Run
}

/** A conversation, as one request finds it. */
export interface Keeping {
  /** Throws Refusal where this was said before. */
  refuseRepeated(written: Written, again: Again): Promise<void>
  /** Keeps what a person said, and begins the answer, with what the app says to the messages. */
  begin(
    written: Written,
    again: Again,
    given: (messages: ChatMessage[]) => Promise<ChatRun>,
  ): Promise<{ run: Run; answer: Answer }>
  /** The answer at the end, where it waits. */
  waiting(): Promise<Waiting | undefined>
  close(waiting: Waiting, run: Run, reason: string): Promise<void>
  /** Keeps an answer that no store has. `callName`: how the page names a call. */
  keeper?(answer: Answer, run: Run, callName: (call: number) => string): Keeper<UIMessageChunk>
}

/** What runs it. */
export interface Running {
  engine: Engine
  legs: Legs<UIMessageChunk>
}

/** Conversations that the page keeps, made by `pageStore`: a `store` of `chatHandler`. */
export abstract class PageStore {
  /** @internal Throws SluiceError `option` where one of them could run twice for one approval. */
  abstract checkTools(tools: readonly Tool[]): void
  /** @internal Throws Refusal if the page changed what it keeps. */
  abstract open(posted: Posted, running: Running): Promise<Keeping>
}

/** Also of the package's other build (ES module, CommonJS). */
export const isPageStore = (store: object): store is PageStore => 'open' in store && typeof store.open === 'function'

const open = new Set(['pending', 'awaiting_approval', 'executing', 'awaiting_result_approval'])

/** The calls that an answer waits for. */
export const openBlocks = ({ blocks }: Pick<AssistantMessage, 'blocks'> | SavedMessage): ToolUseBlock[] =>
  blocks.flatMap((block) => (block?.type === 'tool_use' && open.has(block.status ?? '') ? [block] : []))

/**
 * Throws Refusal if a client answers nothing that the message waits for. The run asks again about a question that has
 * changed.
 */
export function refuseUnrelated(
  { message, decisions, outputs }: Answered,
  waiting: Pick<AssistantMessage, 'blocks'> | SavedMessage,
): void {
  const calls = new Set<number | undefined>(openBlocks(waiting).map(({ call }) => call))
  const asked = [...decisions.keys()].some(
    (name) => name.startsWith(`${message}:`) && calls.has(Number.parseInt(name.slice(message.length + 1), 10)),
  )
  if (!asked && ![...outputs.keys()].some((name) => calls.has(numberOfCall(message, name)))) throw answersNothing()
}

/** Throws Refusal where a result is about a call that runs on the page, but not as it is now. */
export function refuseStale(
  { message, outputs }: Pick<Answered, 'message' | 'outputs'>,
  { blocks }: Pick<AssistantMessage, 'blocks'> | SavedMessage,
): void {
  const running = blocks.flatMap((block) => (block?.type === 'tool_use' && block.status === 'executing' ? [block] : []))
  if (staleNames(message, running, outputs.keys()).length > 0) throw staleResult()
}
