// The server's side of the AI SDK's `Chat` in front of durable turns: a request starts a turn, decides what it asks, or reads it. Workers carry it on, in
// this process or in others.
import { func, members } from '../core/options.js'
import { pathOf } from '../conversations/entry-tree.js'
import type { Conversation, Entry } from '../conversations/types.js'
import type { Durable, TurnStatus } from '../durable/types.js'
import type { Answered } from '../leg/answers.js'
import { decisionOf, staleDecision } from '../leg/decision.js'
import { askedBy, toldOf, waitingEnd, type Going } from '../durable/answer.js'
import { deciderOf, DurableAnswers, durableRequestChecks, NOT_YOURS, type Decided, type Decider, type DurableRequestOptions, type DurableStart } from '../durable/answers.js'
import { eventStream, opened, type Framing } from '../leg/event-stream.js'
import { questionName } from '../leg/names.js'
import { Refusal } from '../leg/refusal.js'
import { Requests, type RequestOptions, type Written } from '../leg/requests.js'
import type { ChatRequest } from './chat-request.js'
import { answersNothing, refuseUnrelated } from './keeping.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { postedOf, wayOf, type Again, type Posted, type Way } from './posted.js'
import { placeOf, type ChatStore } from './stored-chat.js'
import { writerChecks } from './to-ui-message-stream.js'
import type { UIMessageChunk } from './types.js'

/** What `chatHandler` takes in front of durable turns. How a turn is run says the `run` of `durable`. */
export interface DurableChatOptions extends Omit<DurableRequestOptions, 'store'>, Omit<WriterOptions, 'messageId'> {
  /** Where conversations are kept. Processes that answer requests share it. */
  store: ChatStore
  /** What a turn begins with, beside the conversation: asked when a message comes. `data` is for the `run` of `durable`. Default: nothing. */
  start?: (request: ChatRequest) => DurableStart | Promise<DurableStart>
}

const checkOptions = members({
  members: { ...writerChecks, ...durableRequestChecks, start: func('(request) => { system, data }') } satisfies { [member in keyof Required<DurableChatOptions>]: unknown },
  needs: ['store', 'authorize'],
})

export class DurableChats {
  readonly #turns: Durable
  readonly #options: DurableChatOptions
  readonly #requests: Requests
  readonly #answers: DurableAnswers
  readonly #framing: Framing

  constructor(turns: Durable, options: DurableChatOptions, framing: Framing) {
    checkOptions(options, 'options')
    this.#turns = turns
    this.#options = options
    this.#framing = framing
    this.#answers = new DurableAnswers(turns, options.store)
    this.#requests = new Requests(options as RequestOptions, { name: 'chatHandler', framing })
  }

  respond(request: Request): Promise<Response> {
    return this.#requests.respond(request, async () => {
      const way = wayOf(request)
      if (way) return await this.#act(request, way)
      const posted = postedOf(await this.#requests.body(request, 'id and messages'))
      await this.#requests.authorize(request, posted.id)
      return await this.#requests.inTurn(posted.id, async () => (posted.user ? await this.#begin(request, posted, posted.user) : await this.#goOn(request, posted.id, posted.about as Answered)))
    })
  }

  async #act(request: Request, { id, action }: Way): Promise<Response> {
    await this.#requests.authorize(request, id)
    if (action === 'decide') return await this.#decideOne(request, id, await this.#requests.body(request, 'approvalId and approved'))
    if (action === 'stop') return await this.#requests.inTurn(id, async () => Response.json({ stopped: await this.#answers.stop(id, 'the user stopped it') }))
    const open = await this.#answers.open(id)
    return open?.status.phase === 'running' ? await this.#told(request, id, open.entry) : new Response(null, { status: 204 })
  }

  async #told({ signal }: Request, id: string, entry: Entry, going?: Going, said: ReadonlyMap<string, Decided> = new Map()): Promise<Response> {
    const writer = this.#writer(entry.id)
    const notes = notesOf(writer, said)
    const told = toldOf({ turns: this.#turns, turn: entry.id, writer, notes, onEnd: (end) => this.#answers.settle(id, entry, end) }, going)
    const open = await opened(told)
    if (!open) throw new Refusal(409, 'this answer is over')
    return eventStream(open, { framing: this.#framing, keepAliveMs: this.#requests.keepAliveMs, signals: [signal] })
  }

  #decider(request: Request, id: string): Decider {
    return deciderOf(request, id, this.#options, this.#requests.most)
  }

  #writer(turn: string): MessageWriter {
    return new MessageWriter(turn, this.#turns.tools, this.#options)
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------------

  async #begin(request: Request, { id, again, body }: Posted, written: Written): Promise<Response> {
    const { store } = this.#options
    const before = await store.load(id)
    refuseRepeated(before, written, again)
    await this.#answers.stop(id, 'a new message came', before)
    const kept = await store.load(id)
    refuseRepeated(kept, written, again) // another process may have had it meanwhile
    const path = kept ? pathOf(kept) : []
    const known = placeOf(path, written.id)
    let branch = known < 0 ? path : path.slice(0, known + 1)
    if (known < 0 || again !== 'regenerate') branch = await this.#requests.keep(id, kept, known < 0 ? path : path.slice(0, known), written)
    const entry = await this.#answers.begin(id, kept, branch, async (messages) => (await this.#options.start?.({ id, messages, body })) ?? {})
    return await this.#told(request, id, entry)
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------------

  async #goOn(request: Request, id: string, answered: Answered): Promise<Response> {
    const open = await this.#answers.open(id)
    const turn = answered.message
    if (open?.entry.id !== turn) throw new Refusal(409, 'this answer does not wait for a decision')
    const { entry, status } = open
    refuseUnrelated(answered, status.message)
    const results = await this.#answers.results(turn, status, answered.outputs)
    const said = await this.#answers.decideAll(status, answered.decisions, this.#decider(request, id))
    const decided = new Set([...said].flatMap(([name, one]) => (one.said === 'refused' ? [] : [name]))) // whoever did: the question goes
    if (decided.size + results.size > 0) return await this.#told(request, id, entry, { message: status.message, decided, results }, said)
    return await this.#askedAgain(turn, status, said, answered)
  }

  /** What waits, as it is asked now. */
  async #askedAgain(turn: string, { message, questions }: TurnStatus, said: ReadonlyMap<string, Decided>, { decisions }: Answered): Promise<Response> {
    if (questions.length === 0) throw await this.#lateFor(turn, decisions.keys())
    const writer = this.#writer(turn)
    writer.retell(message) // the page has it
    return this.#requests.told([
      writer.start, ...notesOf(writer, said), ...questions.flatMap((question) => writer.take(askedBy(question))), ...writer.end(waitingEnd({ message })),
    ])
  }

  /** No question waits: who decided those that the client answers. */
  async #lateFor(turn: string, names: Iterable<string>): Promise<Refusal> {
    for (const name of names) {
      const { said, counts } = await this.#answers.decidedBefore(turn, name)
      if (counts.decision !== undefined) return staleDecision(said, counts)
    }
    return answersNothing()
  }

  /** One decision, also while the answer is still written. */
  async #decideOne(request: Request, id: string, { approvalId, ...given }: { [member: string]: unknown }): Promise<Response> {
    const open = await this.#answers.open(id)
    const question = open?.status.questions.find((one) => questionName(one.turn, one) === approvalId)
    if (!question) {
      const entry = (await this.#options.store.load(id))?.entries.find((one) => String(approvalId).startsWith(`${one.id}:`))
      const { said, counts } = entry ? await this.#answers.decidedBefore(entry.id, String(approvalId)) : { said: 'stale' as const, counts: {} }
      throw staleDecision(said, counts)
    }
    const decider = this.#decider(request, id)
    if (!(await decider.may(question))) throw new Refusal(403, NOT_YOURS)
    const decided = await this.#answers.decide(question, decisionOf(given), decider)
    if (decided.said === 'refused') throw new Refusal(400, decided.detail)
    if (decided.said !== 'accepted') throw staleDecision(decided.said, decided.counts)
    return Response.json({ decided: true })
  }
}

/** What the page reads of decisions that do not count. */
const notesOf = (writer: MessageWriter, said: ReadonlyMap<string, Decided>): UIMessageChunk[] =>
  [...said].flatMap(([approvalId, one]) => (one.said === 'accepted' ? [] : one.said === 'refused' ? writer.refused(one.detail) : writer.stale(approvalId, one.said, one.counts)))

function refuseRepeated(kept: Conversation | null, { id }: Written, again: Again): void {
  if (again === 'new' && kept && placeOf(pathOf(kept), id) >= 0) throw new Refusal(409, 'this message was sent before')
}
