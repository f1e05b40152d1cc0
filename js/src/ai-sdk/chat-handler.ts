// The server's side of the AI SDK's `Chat`: a conversation in a store, legs that write its answers, decisions that come with the next request.
import type { Engine, NeedsContext } from '../core/engine.js'
import { func, isObject, members, withMethods, type Check } from '../core/options.js'
import { checkRunnable } from '../core/runnable.js'
import type { Run } from '../core/run.js'
import { isDurable } from '../durable/answers.js'
import type { Durable } from '../durable/types.js'
import { Answers, type Answered } from '../leg/answers.js'
import { countsOn, decide, decisionOf, NOT_WAITING, staleDecision } from '../leg/decision.js'
import type { Leg } from '../leg/leg.js'
import { checkedRun, legChecks, Legs, type Answer, type ChatRun, type LegOptions } from '../leg/legs.js'
import { Refusal } from '../leg/refusal.js'
import type { Written } from '../leg/requests.js'
import type { ChatRequest } from './chat-request.js'
import { DurableChats, type DurableChatOptions } from './durable-chat.js'
import { isPageStore, type Keeping, type PageStore } from './keeping.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { postedOf, wayOf, type Posted, type Way } from './posted.js'
import { isChatStore, StoredChat } from './stored-chat.js'
import { writerChecks } from './to-ui-message-stream.js'
import type { UIMessageChunk } from './types.js'

export type { ChatRun }

/** What `chatHandler` takes. */
export interface ChatHandlerOptions<C = unknown> extends Omit<LegOptions, 'store'>, Omit<WriterOptions, 'messageId'> {
  /** Says how a turn is run: called for every request that begins a turn, or goes on with one. */
  run: (request: ChatRequest) => (ChatRun<C> & NeedsContext<C>) | Promise<ChatRun<C> & NeedsContext<C>>
  /**
   * Where conversations are kept: `memory()`, `files(folder)` or `sqlite(…)` of `sluice/conversations`, or a store of your own. Or with the page, which
   * sends them with every request: `sealed(secret, { spend })`.
   */
  store: LegOptions['store'] | PageStore
}

const checkStore: Check = (value, path) => (isObject(value) && isPageStore(value)) || isChatStore(value, path)
const checkOptions = members({
  members: {
    ...writerChecks, ...legChecks, run: func('(request) => { model, … }'), store: checkStore,
  } satisfies { [member in keyof Required<ChatHandlerOptions>]: unknown },
  needs: ['run', 'store', 'authorize'],
})

/**
 * The server's side of the AI SDK's `Chat` and `useChat`, versions 6 and 7, for Next, Hono, Bun, Deno or, by `nodeListener` of `sluice/web`, for Node:
 * `POST {api}`, `GET {api}/{id}/stream`, `POST {api}/{id}/stop`, `POST {api}/{id}/decide`. With a store, only the last message of what a client sends is
 * read: the conversation is the store's. One process runs all requests of a conversation.
 * @throws SluiceError `option` where an option is wrong.
 */
export function chatHandler<C>(engine: Engine<C>, options: ChatHandlerOptions<C>): (request: Request) => Promise<Response>
/**
 * The same in front of durable turns: requests start, decide and read, workers do the work. Any process answers any request, where they share the stores.
 * @throws SluiceError `option` where an option is wrong.
 */
export function chatHandler(turns: Durable, options: DurableChatOptions): (request: Request) => Promise<Response>
export function chatHandler<C>(runner: Engine<C> | Durable, options: ChatHandlerOptions<C> | DurableChatOptions): (request: Request) => Promise<Response> {
  const chats = isDurable(runner) ? new DurableChats(runner, options as DurableChatOptions, framing) : chatsOf(runner as Engine, options as ChatHandlerOptions)
  return (request) => chats.respond(request)
}

function chatsOf(engine: Engine, options: ChatHandlerOptions): Chats {
  withMethods('an Engine', 'run', 'resume')(engine, 'engine')
  checkRunnable(engine.tools)
  checkOptions(options, 'options')
  if (isPageStore(options.store)) options.store.checkTools(engine.tools)
  return new Chats(engine, options)
}

const framing = { headers: { 'x-vercel-ai-ui-message-stream': 'v1' }, last: 'data: [DONE]\n\n' }

class Chats {
  readonly #engine: Engine
  readonly #options: ChatHandlerOptions
  readonly #legs: Legs<UIMessageChunk>

  constructor(engine: Engine, options: ChatHandlerOptions) {
    this.#engine = engine
    this.#options = options
    this.#legs = new Legs(engine, options as LegOptions, { name: 'chatHandler', framing })
  }

  respond(request: Request): Promise<Response> {
    return this.#legs.respond(request, () => this.#answer(request))
  }

  async #answer(request: Request): Promise<Response> {
    const way = wayOf(request)
    if (way) return await this.#act(request, way)
    const posted = postedOf(await this.#legs.body(request, 'id and messages'))
    await this.#legs.authorize(request, posted.id)
    return await this.#legs.inTurn(posted.id, async () => await this.#legs.response(posted.user ? await this.#begin(posted, posted.user) : await this.#goOn(posted, posted.about as Answered), request))
  }

  async #act(request: Request, { id, action }: Way): Promise<Response> {
    await this.#legs.authorize(request, id)
    if (action === 'decide') return await this.#decide(id, await this.#legs.body(request, 'approvalId and approved'))
    if (action === 'stop') return await this.#legs.inTurn(id, async () => Response.json({ stopped: await this.#stop(id, this.#keepingOf(id), 'the user stopped it') }))
    return (await this.#legs.replay(id, request)) ?? new Response(null, { status: 204 })
  }

  /** A decision while the answer is still written. */
  async #decide(id: string, { approvalId, ...given }: { [member: string]: unknown }): Promise<Response> {
    const leg = this.#legs.get(id)
    const event = leg?.questions.get(String(approvalId))
    const fault = leg && event && !leg.isEnding ? decide(leg.run, event, decisionOf(given), this.#legs.most) : NOT_WAITING
    if (!leg || (event && leg.isEnding)) throw new Refusal(409, 'this question does not wait while the answer is written: send the decision with the message')
    if (fault === NOT_WAITING) throw staleDecision('stale', countsOn(leg.messageId, leg.run.snapshot, String(approvalId)))
    if (fault !== undefined) throw new Refusal(400, fault)
    leg.questions.delete(String(approvalId))
    return Response.json({ decided: true })
  }

  /** @param posted absent for a request that brings no messages: of what a page keeps, nothing is known then */
  #keepingOf(id: string, posted?: Posted): Keeping | undefined {
    const { store } = this.#options
    const running = { engine: this.#engine, legs: this.#legs }
    return isPageStore(store) ? posted && store.open(posted, running) : new StoredChat(store, id, running)
  }

  async #run(request: ChatRequest): Promise<ChatRun> {
    return checkedRun(await this.#options.run(request))
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------------

  async #begin(posted: Posted, written: Written): Promise<Leg<UIMessageChunk>> {
    const { id, again, body } = posted
    const keeping = this.#keepingOf(id, posted) as Keeping
    await keeping.refuseRepeated(written, again)
    await this.#stop(id, keeping, 'a new message came')
    const { run, answer } = await keeping.begin(written, again, (messages) => this.#run({ id, messages, body }))
    return this.#lead(id, keeping, run, answer)
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------------

  async #goOn(posted: Posted, answered: Answered): Promise<Leg<UIMessageChunk>> {
    const { id, body } = posted
    const { message, decisions } = answered
    const leg = this.#legs.get(id)
    if (leg?.isEnding) await leg.over
    else if (leg) {
      if (leg.messageId !== message) throw new Refusal(409, 'another answer is being written')
      for (const [name, event] of leg.questions) {
        const decision = decisions.get(name)
        if (decision && decide(leg.run, event, decision, this.#legs.most) === undefined) leg.questions.delete(name)
      }
      return leg
    }
    const keeping = this.#keepingOf(id, posted) as Keeping
    const waiting = await keeping.waiting()
    if (waiting?.id !== message) throw new Refusal(409, 'this answer does not wait for a decision')
    const given = await this.#run({ id, messages: [], body }) // it may throw: then nothing is used up
    const accepted = await waiting.accept(answered)
    return this.#lead(id, keeping, waiting.resume(given), waiting, accepted)
  }

  /** Ends what is written, or waits. @returns whether there was something. */
  async #stop(id: string, keeping: Keeping | undefined, reason: string): Promise<boolean> {
    if (await this.#legs.stopRunning(id, reason)) return true
    const waiting = await keeping?.waiting()
    if (!keeping || !waiting) return false
    await keeping.close(waiting, waiting.resume(await this.#run({ id, messages: [], body: {} })), reason)
    return true
  }

  #lead(id: string, keeping: Keeping, run: Run, answer: Answer, answered?: Answered): Leg<UIMessageChunk> {
    const writer = new MessageWriter(answer.id, run.tools, this.#options)
    const answers = answered && new Answers(run, answered, this.#legs.most)
    return this.#legs.lead(id, run, answer, writer, answers, keeping.keeper?.(answer, run, (call) => writer.callName(call)))
  }
}
