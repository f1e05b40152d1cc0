// The server's side of the AI SDK's `Chat`: a conversation in a store, legs that write its answers, decisions that come with the next request.
import { randomUUID } from 'node:crypto'
import type { Remember } from '../core/approvals.js'
import type { Engine, NeedsContext } from '../core/engine.js'
import { messageOf, SluiceError } from '../core/errors.js'
import type { ChatMessage, Json } from '../core/events.js'
import { func, members, milliseconds, oneOf, withMethods, wrong } from '../core/options.js'
import { hooks, type ResumeOptions, type RunOptions } from '../core/run-options.js'
import type { Run } from '../core/run.js'
import { warn } from '../core/warning.js'
import { withoutPictures } from '../conversations/blobs.js'
import { messagesOf } from '../conversations/for-model.js'
import { pathOf } from '../conversations/tree.js'
import type { Conversations, Entry } from '../conversations/types.js'
import { Answers, decide } from './answers.js'
import { ChatLeg } from './chat-leg.js'
import { eventsUntilQuiet } from './leg.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { bodyOf, checkedId, decisionOf, postedOf, type Posted, type Written } from './posted.js'
import { Refusal } from './refusal.js'
import { writerChecks } from './to-ui-message-stream.js'
import type { UIMessageChunk } from './types.js'

/** What `run` is asked for. */
export interface ChatRequest {
  /** Of the conversation. */
  id: string
  /** The conversation as the store has it, with the new message: for the model. Empty where a saved turn goes on. */
  messages: ChatMessage[]
  /** What else the client sent, such as the `body` of `sendMessage`. Nobody has checked it. */
  body: { [member: string]: Json }
}

/** What `run` gives: the model, settings and hooks of a turn. */
export type ChatRun<C = unknown> = Omit<RunOptions<C>, 'messages' | 'id' | 'signal' | 'onEvent'> & {
  /** The system message. It is not stored, and no client sees it. Default none. */
  system?: string
}

/** What `chatHandler` takes. */
export interface ChatHandlerOptions<C = unknown> extends Omit<WriterOptions, 'messageId'> {
  /** Says how a turn is run: called for every request that begins a turn, or goes on with one. */
  run: (request: ChatRequest) => (ChatRun<C> & NeedsContext<C>) | Promise<ChatRun<C> & NeedsContext<C>>
  /** Where conversations are kept: `memory()`, `files(folder)` or `sqlite(…)` of `sluice/conversations`, or a store of your own. */
  store: Conversations
  /** May whoever sends this request read and continue this conversation? Without a true nothing happens: status 403. */
  authorize: (request: Request, id: string) => boolean | Promise<boolean>
  /** What becomes of an answer when its last reader goes away. Default `cancel`; `continue`: it is there when the page comes back. */
  onDisconnect?: 'cancel' | 'continue'
  /** For how long a client may have an approval remembered; what it asks beyond that is cut. Default `turn`: rules of the engine are those of all its users. */
  remember?: Remember
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 15,000. */
  keepAliveMs?: number
}

const checkOptions = members({
  members: {
    ...writerChecks, run: func('(request) => { model, … }'), store: withMethods('a store of conversations such as memory()', 'load', 'save', 'bytes'), authorize: func('(request, id) => true | false'),
    onDisconnect: oneOf('cancel', 'continue'), remember: oneOf('once', 'turn', 'session', 'always'), keepAliveMs: milliseconds,
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
  return async (request) => {
    try {
      return await chats.answer(request)
    } catch (error) {
      if (error instanceof Refusal) return error.response
      warn(`chatHandler: ${messageOf(error)}`)
      return new Refusal(500, 'the server failed').response
    }
  }
}

/** An answer in the store, or the one to come. */
type Answer = Pick<Entry, 'id' | 'parent' | 'at'>

class Chats {
  readonly #engine: Engine
  readonly #options: ChatHandlerOptions
  readonly #legs = new Map<string, ChatLeg>()
  /** The last request about a conversation: what changes it happens one after another. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(engine: Engine, options: ChatHandlerOptions) {
    this.#engine = engine
    this.#options = options
  }

  async answer(request: Request): Promise<Response> {
    const [, id, action] = /\/([^/]+)\/(stream|stop|decide)\/?$/.exec(new URL(request.url).pathname) ?? []
    if (id !== undefined && (request.method === 'GET') === (action === 'stream')) return await this.#act(request, decoded(id), action as string)
    if (request.method !== 'POST') throw new Refusal(405, `found ${request.method}, expected POST, or GET …/{id}/stream`)
    const posted = postedOf(await bodyOf(request))
    await this.#authorize(request, posted.id)
    return await this.#inTurn(posted.id, async () => {
      const leg = posted.user ? await this.#begin(posted, posted.user) : await this.#goOn(posted)
      return leg.response(false, this.#keepAliveMs)
    })
  }

  async #authorize(request: Request, id: string): Promise<void> {
    if ((await this.#options.authorize(request, id)) !== true) throw new Refusal(403, 'this conversation is not yours')
  }

  get #keepAliveMs(): number {
    return this.#options.keepAliveMs ?? 15_000
  }

  async #act(request: Request, id: string, action: string): Promise<Response> {
    checkedId(id, 'id')
    await this.#authorize(request, id)
    if (action === 'decide') return await this.#decide(id, await bodyOf(request))
    if (action === 'stop') return await this.#inTurn(id, async () => Response.json({ stopped: await this.#stop(id, 'the user stopped it') }))
    return this.#legs.get(id)?.response(true, this.#keepAliveMs) ?? new Response(null, { status: 204 })
  }

  /** A decision while the answer is still written. */
  async #decide(id: string, { approvalId, ...given }: { [member: string]: unknown }): Promise<Response> {
    const leg = this.#legs.get(id)
    const event = leg?.questions.get(String(approvalId))
    if (!leg || !event) throw new Refusal(409, 'this question does not wait while the answer is written: send the decision with the message')
    const fault = decide(leg.run, event, decisionOf(given), this.#options.remember ?? 'turn')
    if (fault !== undefined) throw new Refusal(400, fault)
    leg.questions.delete(String(approvalId))
    return Response.json({ decided: true })
  }

  async #inTurn<T>(id: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(id) ?? Promise.resolve()).then(act)
    const settled = done.catch(() => {})
    this.#last.set(id, settled)
    try {
      return await done
    } finally {
      if (this.#last.get(id) === settled) this.#last.delete(id)
    }
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------------

  async #begin({ id, again, body }: Posted, written: Written): Promise<ChatLeg> {
    const { store } = this.#options
    await this.#stop(id, 'a new message came')
    const kept = await store.load(id)
    const path = kept ? pathOf(kept) : []
    const known = path.findIndex((entry) => entry.role === 'user' && (entry.id === written.id || entry.id.startsWith(`${written.id}~`)))
    const asked = path[known]
    let branch = known < 0 ? path : path.slice(0, known + 1)
    if (!asked || again !== 'regenerate') {
      if (asked) branch = path.slice(0, known)
      const taken = new Set(kept?.entries.map((entry) => entry.id))
      let own = written.id
      for (let n = 2; taken.has(own); n++) own = `${written.id}~${n}`
      const entry: Entry = { id: own, parent: branch.at(-1)?.id ?? null, at: Date.now(), role: 'user', text: written.text, ...(written.parts.length > 0 ? { parts: written.parts } : {}) }
      const { entry: bare, blobs } = withoutPictures(entry)
      await store.save(id, { entries: [bare], blobs })
      branch = [...branch, bare]
    }
    const answer: Answer = { id: `msg-${randomUUID()}`, parent: (branch.at(-1) as Entry).id, at: Date.now() }
    const messages = await messagesOf(branch, { bytes: (ref) => store.bytes(id, ref) })
    const { system, ...given } = await this.#run({ id, messages, body })
    const all = system === undefined ? messages : [{ role: 'system' as const, content: system }, ...messages]
    const run = this.#engine.run({ ...given, messages: all, id: answer.id })
    return this.#lead(id, run, answer)
  }

  async #run(request: ChatRequest): Promise<ChatRun> {
    const given: unknown = await this.#options.run(request)
    if (typeof given !== 'object' || given === null) throw wrong('run()', given, '{ model, … }')
    return given as ChatRun
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------------

  async #goOn({ id, about, body }: Posted): Promise<ChatLeg> {
    const { message, decisions, outputs } = about as NonNullable<Posted['about']>
    const leg = this.#legs.get(id)
    if (leg) {
      if (leg.messageId !== message) throw new Refusal(409, 'another answer is being written')
      for (const [name, event] of leg.questions) {
        const decision = decisions.get(name)
        if (decision && decide(leg.run, event, decision, this.#options.remember ?? 'turn') === undefined) leg.questions.delete(name)
      }
      return leg
    }
    const waiting = await this.#waiting(id)
    if (waiting?.id !== message) throw new Refusal(409, 'this answer does not wait for a decision')
    if (decisions.size === 0 && outputs.size === 0) throw new Refusal(400, 'the message has no decision and no result')
    const run = await this.#resume(id, waiting, body)
    return this.#lead(id, run, waiting, new Answers(run, { message, decisions, outputs }, this.#options.remember ?? 'turn'))
  }

  /** The answer at the end of the conversation, if it waits. */
  async #waiting(id: string): Promise<(Entry & { state: string }) | undefined> {
    const kept = await this.#options.store.load(id)
    const head = kept?.entries.find((entry) => entry.id === kept.head)
    return head?.state === undefined ? undefined : (head as Entry & { state: string })
  }

  async #resume(id: string, { state }: { state: string }, body: Posted['body']): Promise<Run> {
    const given = await this.#run({ id, messages: [], body })
    const taken = Object.entries(given).filter(([name]) => name in hooks || ['model', 'context', 'rules'].includes(name))
    return this.#engine.resume(state, Object.fromEntries(taken) as unknown as ResumeOptions)
  }

  /** Ends what is written, or waits. @returns whether there was something. */
  async #stop(id: string, reason: string): Promise<boolean> {
    const leg = this.#legs.get(id)
    if (leg) {
      await leg.run.cancel(reason)
      await leg.over
      return true
    }
    const waiting = await this.#waiting(id)
    if (!waiting) return false
    const run = await this.#resume(id, waiting, {})
    await run.cancel(reason)
    const { message, history } = await run.done
    await this.#save(id, waiting, { message, history })
    return true
  }

  // -- a leg ----------------------------------------------------------------------------------------------------------------

  #lead(id: string, run: Run, answer: Answer, answers?: Answers): ChatLeg {
    const writer = new MessageWriter(answer.id, run.tools, this.#options)
    const before = run.before ? writer.retell(run.before) : []
    const leg = new ChatLeg({
      messageId: answer.id, run, start: writer.start, before,
      onAbandoned: () => { if (this.#options.onDisconnect !== 'continue') void run.cancel('the client went away') },
    })
    this.#legs.set(id, leg)
    void this.#write(id, leg, answer, writer, answers)
      .catch((error: unknown): UIMessageChunk[] => {
        warn(`chatHandler: the answer was lost: ${messageOf(error)}`)
        void run.cancel('the answer cannot be kept')
        return [{ type: 'error', errorText: 'the server could not keep the answer' }]
      })
      .then((chunks) => {
        this.#legs.delete(id)
        leg.append(...chunks)
        leg.end()
      })
    return leg
  }

  /** Saves the answer before its last chunks are told: the next request may come at once. @returns the last chunks. */
  async #write(id: string, leg: ChatLeg, answer: Answer, writer: MessageWriter, answers: Answers | undefined): Promise<UIMessageChunk[]> {
    const { run } = leg
    for await (const event of eventsUntilQuiet(run)) {
      const answered = answers?.take(event) ?? false
      if (answered === true) {
        if (event.type === 'approval') writer.answered(event)
        continue
      }
      if (typeof answered === 'string') leg.append({ type: 'data-sluice-error', data: { code: 'decision', detail: answered } })
      leg.append(...writer.take(event))
      if (event.type === 'approval') leg.questions.set(writer.approvalId(event), event)
      else if (event.type === 'card' && event.status && !event.status.startsWith('awaiting')) for (const [name, { call }] of leg.questions) if (call === event.call) leg.questions.delete(name)
      if (event.type === 'final' && !run.checksFinal) run.conclude('accept') // no client can say no
    }
    const state = await run.suspend()
    const result = await run.done
    if (state !== null) await this.#save(id, answer, { message: result.message, state })
    else if (result.outcome === 'suspended') throw new SluiceError({ code: 'failed', detail: result.error?.detail ?? 'a checkpoint failed' })
    else await this.#save(id, answer, { message: result.message, history: result.history })
    return writer.end(state === null ? result : 'waiting')
  }

  async #save(id: string, { id: own, parent, at }: Answer, what: Pick<Entry, 'message' | 'history' | 'state'>): Promise<void> {
    const { entry, blobs } = withoutPictures({ id: own, parent, at, role: 'assistant', ...what })
    await this.#options.store.save(id, { entries: [entry], blobs })
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal(400, 'the address cannot be read')
  }
}
