// The server's side of the AI SDK's `Chat`: a conversation in a store, legs that write its answers, decisions that come with the next request.
import type { Engine, NeedsContext } from '../core/engine.js'
import type { ChatMessage, Json } from '../core/events.js'
import { func, members, withMethods } from '../core/options.js'
import type { Run } from '../core/run.js'
import { pathOf } from '../conversations/tree.js'
import { Answers, type Answered } from '../leg/answers.js'
import { bodyOf, checkedId } from '../leg/body.js'
import { decide, decisionOf } from '../leg/decision.js'
import type { Leg } from '../leg/leg.js'
import { checkedRun, legChecks, Legs, type Answer, type ChatRun, type LegOptions, type WaitingAnswer, type Written } from '../leg/legs.js'
import { Refusal } from '../leg/refusal.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { postedOf, type Posted } from './posted.js'
import { writerChecks } from './to-ui-message-stream.js'
import type { UIMessageChunk } from './types.js'

export type { ChatRun }

/** What `run` is asked for. */
export interface ChatRequest {
  /** Of the conversation. */
  id: string
  /** The conversation as the store has it, with the new message: for the model. Empty where a saved turn goes on. */
  messages: ChatMessage[]
  /** What else the client sent, such as the `body` of `sendMessage`. Nobody has checked it. */
  body: { [member: string]: Json }
}

/** What `chatHandler` takes. */
export interface ChatHandlerOptions<C = unknown> extends LegOptions, Omit<WriterOptions, 'messageId'> {
  /** Says how a turn is run: called for every request that begins a turn, or goes on with one. */
  run: (request: ChatRequest) => (ChatRun<C> & NeedsContext<C>) | Promise<ChatRun<C> & NeedsContext<C>>
}

const checkOptions = members({
  members: {
    ...writerChecks, ...legChecks, run: func('(request) => { model, … }'),
  } satisfies { [member in keyof Required<ChatHandlerOptions>]: unknown },
  needs: ['run', 'store', 'authorize'],
})

/**
 * The server's side of the AI SDK's `Chat` and `useChat`, versions 6 and 7, for Next, Hono, Bun, Deno or, by `nodeListener` of `sluice/web`, for Node:
 * `POST {api}`, `GET {api}/{id}/stream`, `POST {api}/{id}/stop`, `POST {api}/{id}/decide`. Of what a client sends only its last message is read; the
 * conversation is the store's. One process runs all requests of a conversation.
 * @throws SluiceError `option` where an option is wrong.
 */
export function chatHandler<C>(engine: Engine<C>, options: ChatHandlerOptions<C>): (request: Request) => Promise<Response> {
  withMethods('an Engine', 'run', 'resume')(engine, 'engine')
  checkOptions(options, 'options')
  const chats = new Chats(engine as Engine, options as ChatHandlerOptions)
  return (request) => chats.respond(request)
}

const framing = { headers: { 'x-vercel-ai-ui-message-stream': 'v1' }, last: 'data: [DONE]\n\n' }

class Chats {
  readonly #options: ChatHandlerOptions
  readonly #legs: Legs<UIMessageChunk>

  constructor(engine: Engine, options: ChatHandlerOptions) {
    this.#options = options
    this.#legs = new Legs(engine, options, { name: 'chatHandler', framing })
  }

  respond(request: Request): Promise<Response> {
    return this.#legs.respond(() => this.#answer(request))
  }

  async #answer(request: Request): Promise<Response> {
    const [, id, action] = /\/([^/]+)\/(stream|stop|decide)\/?$/.exec(new URL(request.url).pathname) ?? []
    if (id !== undefined && (request.method === 'GET') === (action === 'stream')) return await this.#act(request, decoded(id), action as string)
    if (request.method !== 'POST') throw new Refusal(405, `found ${request.method}, expected POST, or GET …/{id}/stream`)
    const posted = postedOf(await bodyOf(request, 'id and messages'))
    await this.#legs.authorize(request, posted.id)
    return await this.#legs.inTurn(posted.id, async () => this.#legs.response(posted.user ? await this.#begin(posted, posted.user) : await this.#goOn(posted), request))
  }

  async #act(request: Request, id: string, action: string): Promise<Response> {
    checkedId(id, 'id')
    await this.#legs.authorize(request, id)
    if (action === 'decide') return await this.#decide(id, await bodyOf(request, 'approvalId and approved'))
    if (action === 'stop') return await this.#legs.inTurn(id, async () => Response.json({ stopped: await this.#stop(id, 'the user stopped it') }))
    const leg = this.#legs.get(id)
    return leg ? this.#legs.response(leg, request, true) : new Response(null, { status: 204 })
  }

  /** A decision while the answer is still written. */
  async #decide(id: string, { approvalId, ...given }: { [member: string]: unknown }): Promise<Response> {
    const leg = this.#legs.get(id)
    const event = leg?.questions.get(String(approvalId))
    if (!leg || !event) throw new Refusal(409, 'this question does not wait while the answer is written: send the decision with the message')
    const fault = decide(leg.run, event, decisionOf(given), this.#legs.most)
    if (fault !== undefined) throw new Refusal(400, fault)
    leg.questions.delete(String(approvalId))
    return Response.json({ decided: true })
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------------

  async #begin({ id, again, body }: Posted, written: Written): Promise<Leg<UIMessageChunk>> {
    await this.#stop(id, 'a new message came')
    const kept = await this.#options.store.load(id)
    const path = kept ? pathOf(kept) : []
    const known = path.findIndex((entry) => entry.role === 'user' && (entry.id === written.id || entry.id.startsWith(`${written.id}~`)))
    const asked = path[known]
    let branch = known < 0 ? path : path.slice(0, known + 1)
    if (!asked || again !== 'regenerate') {
      if (asked) branch = path.slice(0, known)
      branch = await this.#legs.keep(id, kept, branch, written)
    }
    const { run, answer } = await this.#legs.begin(id, branch, (messages) => this.#run({ id, messages, body }))
    return this.#legs.lead(id, run, answer, this.#writer(run, answer))
  }

  async #run(request: ChatRequest): Promise<ChatRun> {
    return checkedRun(await this.#options.run(request))
  }

  #writer(run: Run, { id }: Answer): MessageWriter {
    return new MessageWriter(id, run.tools, this.#options)
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------------

  async #goOn({ id, about, body }: Posted): Promise<Leg<UIMessageChunk>> {
    const { message, decisions, outputs } = about as Answered
    const leg = this.#legs.get(id)
    if (leg) {
      if (leg.messageId !== message) throw new Refusal(409, 'another answer is being written')
      for (const [name, event] of leg.questions) {
        const decision = decisions.get(name)
        if (decision && decide(leg.run, event, decision, this.#legs.most) === undefined) leg.questions.delete(name)
      }
      return leg
    }
    const waiting = await this.#legs.waiting(id)
    if (waiting?.id !== message) throw new Refusal(409, 'this answer does not wait for a decision')
    if (decisions.size === 0 && outputs.size === 0) throw new Refusal(400, 'the message has no decision and no result')
    const run = await this.#resume(id, waiting, body)
    return this.#legs.lead(id, run, waiting, this.#writer(run, waiting), new Answers(run, { message, decisions, outputs }, this.#legs.most))
  }

  async #resume(id: string, waiting: WaitingAnswer, body: Posted['body']): Promise<Run> {
    return this.#legs.resume(waiting, await this.#run({ id, messages: [], body }))
  }

  #stop(id: string, reason: string): Promise<boolean> {
    return this.#legs.stop(id, reason, (waiting) => this.#resume(id, waiting, {}))
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal(400, 'the address cannot be read')
  }
}
