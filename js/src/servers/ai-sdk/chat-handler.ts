// The server's side of the AI SDK's `Chat`: a conversation in a store, legs that write its answers, decisions that come
// with the next request.
import type { Engine, NeedsContext } from '../../engine/core/engine.js'
import { func, isObject, members, type Check } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import { isDurable } from '../durable/durable-answers.js'
import type { Durable } from '../durable/durable-types.js'
import { Answers, type Answered } from '../leg/leg-answers.js'
import { LegHandler, type RequestReader } from '../leg/handler.js'
import type { Leg } from '../leg/leg.js'
import { checkedRun, legChecks, NEW_MESSAGE, type Answer, type ChatRun, type LegOptions } from '../leg/legs.js'
import { Refusal } from '../leg/leg-refusal.js'
import type { Written } from '../leg/leg-requests.js'
import type { ChatRequest } from './chat-request.js'
import { DurableChats, type DurableChatOptions } from './durable-chat.js'
import { isPageStore, type Keeping, type PageStore } from './keeping.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { postedOf, wayOf, type Posted } from './posted-chat.js'
import { isChatStore, StoredChat } from './stored-chat.js'
import { writerChecks } from './to-ui-message-stream.js'
import type { UIMessageChunk } from './ai-sdk-types.js'

export type { ChatRun }

/** What `chatHandler` takes. */
export interface ChatHandlerOptions<C = unknown> extends Omit<LegOptions, 'store'>, Omit<WriterOptions, 'messageId'> {
  /** Says how a turn is run: called for every request that begins a turn, or goes on with one. */
  run: (request: ChatRequest) => (ChatRun<C> & NeedsContext<C>) | Promise<ChatRun<C> & NeedsContext<C>>
  /**
   * Where conversations are kept: `memoryConversations()`, `fileConversations(folder)` or `sqliteConversations(…)` of
   * `sluice/conversations`, or a store of your own. Or with the page, which sends them with every request:
   * `pageStore({ encryption, spend })`.
   */
  store: LegOptions['store'] | PageStore
}

const checkStore: Check = (value, path) => (isObject(value) && isPageStore(value)) || isChatStore(value, path)
const checkOptions = members({
  members: {
    ...writerChecks,
    ...legChecks,
    run: func('(request) => { model, … }'),
    store: checkStore,
  } satisfies { [member in keyof Required<ChatHandlerOptions>]: unknown },
  needs: ['run', 'store', 'authorize'],
})

/**
 * The server's side of the AI SDK's `Chat` and `useChat`, versions 6 and 7, for Next, Hono, Bun, Deno or, by
 * `nodeListener` of `sluice/web`, for Node: `POST {api}`, `GET {api}/{id}/stream`, `POST {api}/{id}/stop`, `POST
 * {api}/{id}/decide`. With a store, only the last message of what a client sends is read: the conversation is the
 * store's. One process runs all requests of a conversation.
 * @throws SluiceError `option` where an option is wrong.
 */
export function chatHandler<C>(
  engine: Engine<C>,
  options: ChatHandlerOptions<C>,
): (request: Request) => Promise<Response>
/**
 * The same in front of durable turns: requests start, decide and read, workers do the work. Any process answers any
 * request, where they share the stores.
 * @throws SluiceError `option` where an option is wrong.
 */
export function chatHandler(turns: Durable, options: DurableChatOptions): (request: Request) => Promise<Response>
export function chatHandler<C>(
  runner: Engine<C> | Durable,
  options: ChatHandlerOptions<C> | DurableChatOptions,
): (request: Request) => Promise<Response> {
  const chats = isDurable(runner)
    ? new DurableChats(runner, options as DurableChatOptions, reader)
    : new Chats(runner as Engine, options as ChatHandlerOptions)
  return (request) => chats.respond(request)
}

const reader: RequestReader<Posted> = {
  name: 'chatHandler',
  framing: { headers: { 'x-vercel-ai-ui-message-stream': 'v1' }, last: 'data: [DONE]\n\n' },
  members: 'id and messages',
  wayOf,
  postedOf,
}

class Chats extends LegHandler<Posted, UIMessageChunk, ChatHandlerOptions> {
  constructor(engine: Engine, options: ChatHandlerOptions) {
    super(engine, options, reader, checkOptions)
    if (isPageStore(options.store)) options.store.checkTools(engine.tools)
  }

  protected legOf(posted: Posted): Promise<Leg<UIMessageChunk>> {
    return posted.user ? this.#begin(posted, posted.user) : this.#goOn(posted, posted.about as Answered)
  }

  protected async close(id: string, reason: string, given?: Keeping): Promise<boolean> {
    const keeping = given ?? (await this.#keepingOf(id))
    const waiting = await keeping?.waiting()
    if (!keeping || !waiting) return false
    await keeping.close(waiting, waiting.resume(await this.#run({ id, messages: [], body: {} })), reason)
    return true
  }

  /** @param posted absent for a request that brings no messages: of what a page keeps, nothing is known then */
  async #keepingOf(id: string, posted?: Posted): Promise<Keeping | undefined> {
    const { store } = this.options
    const running = { engine: this.engine, legs: this.legs }
    return isPageStore(store) ? posted && (await store.open(posted, running)) : new StoredChat(store, id, running)
  }

  async #run(request: ChatRequest): Promise<ChatRun> {
    return checkedRun(await this.options.run(request))
  }

  async #begin(posted: Posted, written: Written): Promise<Leg<UIMessageChunk>> {
    const { id, again, body } = posted
    const keeping = (await this.#keepingOf(id, posted)) as Keeping
    await keeping.refuseRepeated(written, again)
    if (!(await this.legs.stopRunning(id, NEW_MESSAGE))) await this.close(id, NEW_MESSAGE, keeping)
    const { run, answer } = await keeping.begin(written, again, (messages) => this.#run({ id, messages, body }))
    return this.#lead(id, keeping, run, answer)
  }

  async #goOn(posted: Posted, answered: Answered): Promise<Leg<UIMessageChunk>> {
    const { id, body } = posted
    const { message, decisions } = answered
    const leg = this.legs.get(id)
    if (leg?.isEnding) await leg.over
    else if (leg) {
      if (leg.messageId !== message) throw new Refusal(409, 'another answer is being written')
      for (const name of leg.questions.keys()) leg.decide(name, decisions.get(name), this.legs.most)
      return leg
    }
    const keeping = (await this.#keepingOf(id, posted)) as Keeping
    const waiting = await keeping.waiting()
    if (waiting?.id !== message) throw new Refusal(409, 'this answer does not wait for a decision')
    const given = await this.#run({ id, messages: [], body }) // it may throw: then nothing is used up
    const accepted = await waiting.accept(answered)
    return this.#lead(id, keeping, waiting.resume(given), waiting, accepted)
  }

  #lead(id: string, keeping: Keeping, run: Run, answer: Answer, answered?: Answered): Leg<UIMessageChunk> {
    const writer = new MessageWriter(answer.id, run.tools, this.options)
    const answers = answered && new Answers(run, answered, this.legs.most)
    return this.legs.lead(
      id,
      run,
      answer,
      writer,
      answers,
      keeping.keeper?.(answer, run, (call) => writer.callName(call)),
    )
  }
}
