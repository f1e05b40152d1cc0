// The server's side of the AI SDK's `Chat` in front of durable turns: a request starts a turn, decides what it asks, or reads it. Workers carry it on, in
// this process or in others. The conversation has an entry for the answer from its start; what came of it follows when somebody sees that it is over.
import { randomUUID } from 'node:crypto'
import { SluiceError } from '../core/errors.js'
import type { Json } from '../core/events.js'
import { func, isObject, members, wrong } from '../core/options.js'
import { withoutPictures } from '../conversations/blobs.js'
import { messagesOf } from '../conversations/for-model.js'
import { pathOf } from '../conversations/tree.js'
import type { Conversation, Entry } from '../conversations/types.js'
import type { Durable, Question, TurnStatus } from '../durable/types.js'
import type { Answered } from '../leg/answers.js'
import { cut, decisionOf, type Decision } from '../leg/decision.js'
import { eventStream, opened, type Framing } from '../leg/event-stream.js'
import { callName, questionName } from '../leg/names.js'
import { Refusal } from '../leg/refusal.js'
import { requestChecks, Requests, type RequestOptions, type Written } from '../leg/requests.js'
import type { ChatRequest } from './chat-handler.js'
import { toldOf, type Going } from './durable-answer.js'
import { answersNothing, concerning, openCalls } from './keeping.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { postedOf, wayOf, type Posted, type Way } from './posted.js'
import { placeOf, type ChatStore } from './stored-chat.js'
import { writerChecks } from './to-ui-message-stream.js'

/** What `chatHandler` takes in front of durable turns. How a turn is run says the `run` of `durable`. */
export interface DurableChatOptions extends Omit<RequestOptions, 'store'>, Omit<WriterOptions, 'messageId'> {
  /** Where conversations are kept. Processes that answer requests share it. */
  store: ChatStore
  /** What a turn begins with, beside the conversation: asked when a message comes. `data` is for the `run` of `durable`. Default: nothing. */
  start?: (request: ChatRequest) => DurableStart | Promise<DurableStart>
}

/** What `start` gives. */
export interface DurableStart {
  /** The system message. No client sees it. Default none. */
  system?: string
  /** Kept with the turn: the `run` of `durable` gets it whenever the turn goes on. */
  data?: Json
}

/** A turn that is told to end is waited for so long, in milliseconds: one that runs in another process hears of it within a second. */
const END_MS = 10_000

const checkOptions = members({
  members: { ...writerChecks, ...requestChecks, start: func('(request) => { system, data }') } satisfies { [member in keyof Required<DurableChatOptions>]: unknown },
  needs: ['store', 'authorize'],
})

/** Also of the package's other build (ES module, CommonJS). */
export const isDurable = (value: unknown): value is Durable => isObject(value) && ['start', 'decide', 'events', 'status', 'advance'].every((name) => typeof value[name] === 'function')

/** An answer that is not over. */
interface Open {
  entry: Entry
  status: TurnStatus
}

export class DurableChats {
  readonly #turns: Durable
  readonly #options: DurableChatOptions
  readonly #requests: Requests
  readonly #framing: Framing

  constructor(turns: Durable, options: DurableChatOptions, framing: Framing) {
    checkOptions(options, 'options')
    this.#turns = turns
    this.#options = options
    this.#framing = framing
    this.#requests = new Requests(options as RequestOptions, { name: 'chatHandler', framing })
  }

  respond(request: Request): Promise<Response> {
    return this.#requests.respond(async () => {
      const way = wayOf(request)
      if (way) return await this.#act(request, way)
      const posted = postedOf(await this.#requests.body(request, 'id and messages'))
      await this.#requests.authorize(request, posted.id)
      return await this.#requests.inTurn(posted.id, async () => (posted.user ? await this.#begin(request, posted, posted.user) : await this.#goOn(request, posted.id, posted.about as Answered)))
    })
  }

  async #act(request: Request, { id, action }: Way): Promise<Response> {
    await this.#requests.authorize(request, id)
    if (action === 'decide') return await this.#decideOne(id, await this.#requests.body(request, 'approvalId and approved'))
    if (action === 'stop') return await this.#requests.inTurn(id, async () => Response.json({ stopped: await this.#stop(id, 'the user stopped it') }))
    const open = await this.#open(id)
    return open?.status.phase === 'running' ? await this.#told(request, id, open.entry) : new Response(null, { status: 204 })
  }

  async #told({ signal }: Request, id: string, entry: Entry, going?: Going): Promise<Response> {
    const told = toldOf({ turns: this.#turns, options: this.#options, onEnd: (end) => this.#settle(id, entry, end) }, entry.id, going)
    const open = await opened(told)
    if (!open) throw new Refusal(409, 'this answer is over')
    return eventStream(open, { framing: this.#framing, keepAliveMs: this.#requests.keepAliveMs, signals: [signal] })
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------------

  async #begin(request: Request, { id, again, body }: Posted, written: Written): Promise<Response> {
    const { store } = this.#options
    const before = await store.load(id)
    if (again === 'new' && before && placeOf(pathOf(before), written.id) >= 0) throw new Refusal(409, 'this message was sent before')
    await this.#stop(id, 'a new message came', before)
    const kept = await store.load(id)
    const path = kept ? pathOf(kept) : []
    const known = placeOf(path, written.id)
    let branch = known < 0 ? path : path.slice(0, known + 1)
    if (known < 0 || again !== 'regenerate') branch = await this.#requests.keep(id, kept, known < 0 ? path : path.slice(0, known), written)
    const messages = await messagesOf(branch, { bytes: (ref) => store.bytes(id, ref) })
    const given: DurableStart = (await this.#options.start?.({ id, messages, body })) ?? {}
    if (typeof given !== 'object') throw wrong('start()', given, '{ system, data }')
    const { system, data } = given
    const entry: Entry = { id: `msg-${randomUUID()}`, parent: branch.at(-1)?.id ?? null, at: Date.now(), role: 'assistant' }
    await store.save(id, { entries: [entry] }) // in front of the turn: none runs that the conversation does not know
    await this.#turns.start({ id: entry.id, thread: id, messages: [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), ...messages], ...(data === undefined ? {} : { data }) })
    return await this.#told(request, id, entry)
  }

  /** Ends what is written, or waits. @returns whether there was something. */
  async #stop(id: string, reason: string, kept?: Conversation | null): Promise<boolean> {
    const open = await this.#open(id, kept)
    if (!open) return false
    const { id: turn } = open.entry
    await this.#turns.cancel(turn, reason)
    if (!(await this.#hasEnded(turn))) throw new Refusal(503, 'the answer before has not ended yet: try again')
    await this.#settle(id, open.entry, await this.#turns.status(turn))
    return true
  }

  async #hasEnded(turn: string): Promise<boolean> {
    const events = this.#turns.events(turn)
    const timer = setTimeout(() => void events.return?.(), END_MS)
    try {
      for await (const { type } of events) if (type === 'done') return true
      return false
    } finally {
      clearTimeout(timer)
    }
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------------

  async #goOn(request: Request, id: string, answered: Answered): Promise<Response> {
    const open = await this.#open(id)
    const turn = answered.message
    if (open?.entry.id !== turn) throw new Refusal(409, 'this answer does not wait for a decision')
    const { entry, status } = open
    concerning(answered, openCalls(status.message))
    const refused: string[] = []
    const decided = new Set<string>()
    for (const question of status.questions) {
      const name = questionName(turn, question)
      const decision = answered.decisions.get(name)
      if (!decision) continue
      const fault = await this.#decide(question, decision)
      if (fault === undefined) decided.add(name)
      else refused.push(fault)
    }
    const results = await this.#results(turn, status, answered)
    if (decided.size + results.size > 0) return await this.#told(request, id, entry, { message: status.message, decided, results, refused })
    return this.#askedAgain(turn, status, refused)
  }

  /** @returns why the decision counts for nothing, where the question stays. */
  async #decide({ turn, call, stage, digest }: Question, { approved, reason, arguments: args, remember, exact }: Decision): Promise<string | undefined> {
    const kept = remember && cut(remember, this.#requests.most)
    const more = approved ? { ...(args ? { arguments: args } : {}), ...(kept ? { remember: kept } : {}), ...(exact ? { exact } : {}) } : reason === undefined ? {} : { reason }
    try {
      // `stale` here: it was decided before, and nobody has looked yet.
      if ((await this.#turns.decide(turn, { call, stage, digest, decision: approved ? 'approve' : 'deny', ...more })) === 'over') throw new Refusal(409, 'this answer is over')
      return undefined
    } catch (error) {
      if (SluiceError.is(error) && error.code === 'json') return error.message
      throw error
    }
  }

  /** Of the results that came, those that are about a call that runs on the page. */
  async #results(turn: string, { phase, message }: TurnStatus, { outputs }: Answered): Promise<Set<number>> {
    const results = new Set<number>()
    for (const block of message.blocks) {
      if (block.type !== 'tool_use' || block.status !== 'executing' || phase !== 'waiting' || this.#turns.tools.find(({ name }) => name === block.name)?.run) continue
      const given = outputs.get(callName(turn, block.call))
      if (given === undefined) continue
      await this.#turns.result(turn, block.call, 'error' in given ? given : { value: given.output })
      results.add(block.call)
    }
    return results
  }

  /** What waits, as it is asked now. */
  #askedAgain(turn: string, { message, questions }: TurnStatus, refused: readonly string[]): Response {
    if (questions.length === 0) throw answersNothing()
    const writer = new MessageWriter(turn, this.#turns.tools, this.#options)
    writer.retell(message) // the page has it
    return this.#requests.told([
      writer.start, ...refused.flatMap((detail) => writer.refused(detail)), ...questions.flatMap((question) => writer.take({ type: 'approval', seq: 0, ...question })), ...writer.end('waiting'),
    ])
  }

  /** One decision, also while the answer is still written. */
  async #decideOne(id: string, { approvalId, ...given }: { [member: string]: unknown }): Promise<Response> {
    const open = await this.#open(id)
    const question = open?.status.questions.find((one) => questionName(one.turn, one) === approvalId)
    if (!question) throw new Refusal(409, 'this question does not wait')
    const fault = await this.#decide(question, decisionOf(given))
    if (fault !== undefined) throw new Refusal(400, fault)
    return Response.json({ decided: true })
  }

  // -- the conversation -----------------------------------------------------------------------------------------------------

  /** The answer at the end of a conversation, where it is not over. Of one that is, what came of it is kept. */
  async #open(id: string, known?: Conversation | null): Promise<Open | undefined> {
    const kept = known === undefined ? await this.#options.store.load(id) : known
    const entry = kept?.entries.find((one) => one.id === kept.head)
    if (!entry || !isBegun(entry)) return undefined
    const status = await statusOf(this.#turns, entry.id)
    if (status?.phase !== 'done') return status && { entry, status }
    await this.#settle(id, entry, status)
    return undefined
  }

  async #settle(id: string, { id: own, parent, at, role }: Entry, { message, history }: TurnStatus): Promise<void> {
    const { entry, blobs } = withoutPictures({ id: own, parent, at, role, message, ...(history ? { history } : {}) })
    await this.#options.store.save(id, { entries: [entry], blobs })
  }
}

/** An answer of which the conversation has nothing but its begin: the turn has the rest. */
export const isBegun = ({ role, message, history, state }: Entry): boolean => role === 'assistant' && message === undefined && history === undefined && state === undefined

/** Undefined where there is no such turn: it was forgotten, or never started. */
export async function statusOf(turns: Durable, turn: string): Promise<TurnStatus | undefined> {
  try {
    return await turns.status(turn)
  } catch (error) {
    if (SluiceError.is(error) && error.code === 'not_found') return undefined
    throw error
  }
}
