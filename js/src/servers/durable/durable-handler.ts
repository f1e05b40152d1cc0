// A handler in front of durable turns: a request starts a turn, decides what it asks, or reads it. Workers carry it on,
// in this process or in others.
import type { ChatMessage, Json } from '../../engine/core/events.js'
import type { Check } from '../../engine/core/options.js'
import type { Conversation, ConversationEntry } from '../../app/conversations/conversation-types.js'
import type { Answered } from '../leg/leg-answers.js'
import type { ClientTool } from '../leg/client-tools.js'
import { decisionOf, staleDecision, type Counting } from '../leg/decision.js'
import { eventStream, opened } from '../leg/event-stream.js'
import { Handler, type RequestReader } from '../leg/handler.js'
import { NEW_MESSAGE, type Writer } from '../leg/legs.js'
import { questionName } from '../leg/names.js'
import { answersNothing, Refusal } from '../leg/leg-refusal.js'
import { Requests, type Next } from '../leg/leg-requests.js'
import { askedBy, chunksFor, waitingEnd, type Going } from './saved-answer.js'
import {
  deciderOf,
  DurableAnswers,
  NOT_YOURS,
  type Decided,
  type DurableRequestOptions,
  type DurableStart,
  type Open,
  type Stale,
  type TurnStore,
} from './durable-answers.js'
import type { Durable } from './durable-types.js'

/** `stale` writes a decision that does not count. */
export type DurableWriter<Chunk> = Writer<Chunk> & {
  stale(question: string, reason: Stale['said'], counts: Counting): Chunk[]
}

type Options = Omit<DurableRequestOptions, 'store'> & { store: TurnStore }

export abstract class DurableHandler<Posted extends { id: string }, Chunk, O extends Options> extends Handler<Posted> {
  protected readonly answers: DurableAnswers

  constructor(
    protected readonly turns: Durable,
    protected readonly options: O,
    reader: RequestReader<Posted>,
    check: Check,
  ) {
    check(options, 'options')
    super(new Requests(options, reader), reader)
    this.answers = new DurableAnswers(turns, options.store)
  }

  /** @param posted absent for a request that brings no messages */
  protected abstract writer(
    turn: string,
    posted: Posted | undefined,
    external?: readonly ClientTool[],
  ): DurableWriter<Chunk>
  protected abstract start(posted: Posted, messages: ChatMessage[]): Promise<DurableStart>

  protected async replay(request: Request, id: string): Promise<Response | null> {
    const open = await this.answers.open(id)
    return open?.status.phase === 'running'
      ? await this.streamed(request, id, open.entry, this.writer(open.entry.id, undefined))
      : null
  }

  protected stop(id: string, reason: string): Promise<boolean> {
    return this.answers.stop(id, reason)
  }

  protected async decide(request: Request, id: string, name: string, given: { [member: string]: Json }): Promise<void> {
    const open = await this.answers.open(id)
    const question = open?.status.questions.find((one) => questionName(one.turn, one) === name)
    if (!question) {
      const entry = (await this.options.store.load(id))?.entries.find((one) => name.startsWith(`${one.id}:`))
      const { said, counts } = entry
        ? await this.answers.decidedBefore(entry.id, name)
        : { said: 'stale' as const, counts: {} }
      throw staleDecision(said, counts)
    }
    const decider = deciderOf(request, id, this.options, this.requests.most)
    if (!(await decider.may(question))) throw new Refusal(403, NOT_YOURS)
    const decided = await this.answers.decide(question, decisionOf(given), decider)
    if (decided.said === 'refused') throw new Refusal(400, decided.detail)
    if (decided.said !== 'accepted') throw staleDecision(decided.said, decided.counts)
  }

  protected async streamed(
    { signal }: Request,
    id: string,
    entry: ConversationEntry,
    writer: Writer<Chunk>,
    notes: readonly Chunk[] = [],
    going?: Going,
  ): Promise<Response> {
    const chunks = chunksFor(
      { turns: this.turns, turn: entry.id, writer, notes, onEnd: (end) => this.answers.settle(id, entry, end) },
      going,
    )
    const open = await opened(chunks)
    if (!open) throw new Refusal(409, 'this answer is over')
    return eventStream(open, {
      framing: this.reader.framing,
      keepAliveMs: this.requests.keepAliveMs,
      signals: [signal],
    })
  }

  /**
   * Begins an answer, and ends the one before.
   * @param nextOf undefined where another process has begun it meanwhile
   */
  protected async begin(
    request: Request,
    posted: Posted,
    nextOf: (kept: Conversation | null) => (Next & { notes?: Chunk[] }) | undefined,
    tools: readonly ClientTool[] = [],
  ): Promise<Response> {
    const { id } = posted
    const external = this.turns.external(tools)
    const before = await this.options.store.load(id)
    if (!nextOf(before)) return await this.answer(request, posted)
    await this.answers.stop(id, NEW_MESSAGE, before)
    const kept = await this.options.store.load(id)
    const next = nextOf(kept)
    if (!next) return await this.answer(request, posted)
    const entry = await this.answers.begin(
      id,
      kept,
      await this.requests.keep(id, kept, next),
      (messages) => this.start(posted, messages),
      external,
    )
    return await this.streamed(request, id, entry, this.writer(entry.id, posted, external), next.notes)
  }

  /**
   * Goes on with an answer.
   * @param former of the questions that the client answers those that do not wait: it reads why. Absent: a request that
   * answers nothing else is refused.
   */
  protected async goOn(
    request: Request,
    posted: Posted,
    { entry, status }: Open,
    { decisions, outputs }: Omit<Answered, 'message'>,
    former?: readonly string[],
  ): Promise<Response> {
    const turn = entry.id
    const results = await this.answers.results(turn, status, outputs)
    const said: Map<string, Decided> = await this.answers.decideAll(
      status,
      decisions,
      deciderOf(request, posted.id, this.options, this.requests.most),
    )
    // whoever did: the question goes
    const decided = new Set([...said].flatMap(([name, one]) => (one.said === 'refused' ? [] : [name])))
    for (const name of former ?? []) said.set(name, await this.answers.decidedBefore(turn, name))
    const writer = this.writer(turn, posted, status.external)
    const notes = [...said].flatMap(([name, one]) =>
      one.said === 'accepted'
        ? []
        : one.said === 'refused'
          ? writer.refused(one.detail)
          : writer.stale(name, one.said, one.counts),
    )
    if (decided.size + results.size > 0)
      return await this.streamed(request, posted.id, entry, writer, notes, {
        message: status.message,
        decided,
        results,
      })
    if (!former && status.questions.length === 0) throw await this.#lateFor(turn, decisions.keys())
    writer.retell(status.message) // the client has it
    return this.requests.streamed([
      writer.start,
      ...notes,
      ...status.questions.flatMap((question) => writer.take(askedBy(question))),
      ...writer.end(waitingEnd(status)),
    ])
  }

  /** No question waits: who decided those that the client answers. */
  async #lateFor(turn: string, names: Iterable<string>): Promise<Refusal> {
    for (const name of names) {
      const { said, counts } = await this.answers.decidedBefore(turn, name)
      if (counts.decision !== undefined) return staleDecision(said, counts)
    }
    return answersNothing()
  }
}
