// The answers of conversations, given by durable turns. A conversation has an entry for an answer from its start; what
// came of it follows when somebody sees that its turn is over.
import { createHash, randomUUID } from 'node:crypto'
import type { ApprovalDuration } from '../../engine/core/approvals.js'
import { SluiceError } from '../../engine/core/errors.js'
import type { ChatMessage, Json, ToolUseBlock } from '../../engine/core/events.js'
import type { Tool } from '../../engine/core/tool.js'
import { func, isObject, wrong, type Check } from '../../engine/core/options.js'
import { withoutPictures } from '../../app/conversations/blobs.js'
import { messagesForModel } from '../../app/conversations/for-model.js'
import type { Conversation, Conversations, ConversationEntry } from '../../app/conversations/conversation-types.js'
import type { TurnDecisionRecord, Durable, TurnQuestion, TurnStatus } from './durable-types.js'
import type { ClientOutput } from '../leg/leg-answers.js'
import type { ClientTool } from '../leg/client-tools.js'
import { cut, type Counting, type Decision } from '../leg/decision.js'
import { callName, questionName, staleNames } from '../leg/names.js'
import { Refusal, staleResult } from '../leg/leg-refusal.js'
import { requestChecks, type RequestOptions } from '../leg/leg-requests.js'

/** What `start` gives. */
export interface DurableStart {
  /** The system message. No client sees it. Default none. */
  system?: string
  /** Kept with the turn: the `run` of `durable` gets it whenever the turn goes on. */
  data?: Json
}

/** What handlers in front of durable turns take of whoever sends a request. */
export interface DurableRequestOptions extends Omit<RequestOptions, 'authorize'> {
  /**
   * May whoever sends this request read and continue this conversation? With `question`: may they decide this one, by
   * its turn and its tool? Without a true nothing happens: status 403, or the question stays.
   */
  authorize: (request: Request, id: string, question?: TurnQuestion) => boolean | Promise<boolean>
  /** Who sends this request: kept with what they decide, and shown on the card. Default: nobody is named. */
  by?: (request: Request) => string | undefined | Promise<string | undefined>
}

export const durableRequestChecks: { [member in keyof Required<DurableRequestOptions>]: Check } = {
  ...requestChecks,
  authorize: func('(request, id, question) => true | false'),
  by: func('(request) => a name'),
}

/** Who decides. */
export interface Decider {
  may: (question: TurnQuestion) => Promise<boolean>
  by: () => Promise<string | undefined>
  /** How long an approval may be remembered. */
  most: ApprovalDuration
}

/** Whoever sends this request. */
export const deciderOf = (
  request: Request,
  id: string,
  { authorize, by }: Pick<DurableRequestOptions, 'authorize' | 'by'>,
  most: ApprovalDuration,
): Decider => ({
  may: async (question) => (await authorize(request, id, question)) === true,
  by: async () => await by?.(request),
  most,
})

/**
 * A turn that is told to end is waited for so long, in milliseconds: one that runs in another process hears of it
 * within a second.
 */
const END_MS = 10_000

/** Why a decision counts for nothing that `authorize` refuses. */
export const NOT_YOURS = 'this question is not yours to decide'

/** Also of the package's other build (ES module, CommonJS). */
export const isDurable = (value: unknown): value is Durable =>
  isObject(value) &&
  ['start', 'decide', 'events', 'status', 'advance'].every((name) => typeof value[name] === 'function')

/** An answer that is not over. */
export interface Open {
  entry: ConversationEntry
  status: TurnStatus
}

/** What is used of a store. */
export type TurnStore = Pick<Conversations, 'load' | 'save' | 'bytes'>

export class DurableAnswers {
  readonly #turns: Durable
  readonly #store: TurnStore

  constructor(turns: Durable, store: TurnStore) {
    this.#turns = turns
    this.#store = store
  }

  /**
   * Begins an answer at the end of a branch, with what the app says to its messages, and with tools that the client
   * brings.
   * @param kept the conversation in which the branch is
   */
  async begin(
    id: string,
    kept: Conversation | null,
    branch: readonly ConversationEntry[],
    given: (messages: ChatMessage[]) => Promise<DurableStart>,
    external: readonly ClientTool[] = [],
  ): Promise<ConversationEntry> {
    const messages = await messagesForModel(branch, { bytes: (ref) => this.#store.bytes(id, ref) })
    const start = await given(messages)
    if (typeof start !== 'object') throw wrong('start()', start, '{ system, data }')
    const { system, data } = start
    const parent = branch.at(-1)?.id ?? null
    const entry: ConversationEntry = {
      id: await this.#nameOf([id, parent, kept?.entries.filter((one) => one.parent === parent).length ?? 0, messages]),
      parent,
      at: Date.now(),
      role: 'assistant',
    }
    // in front of the turn: none runs that the conversation does not know
    await this.#store.save(id, { entries: [entry] })
    await this.#turns.start({
      id: entry.id,
      thread: id,
      messages: [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), ...messages],
      ...(data === undefined ? {} : { data }),
      ...(external.length > 0 ? { external } : {}),
    })
    return entry
  }

  /**
   * The same where a request reaches two processes: they begin one turn. A turn of this name that is over was of a
   * conversation that is gone.
   */
  async #nameOf(about: unknown): Promise<string> {
    const name = `msg-${createHash('sha256').update(JSON.stringify(about)).digest('base64url')}`
    return (await statusOf(this.#turns, name))?.phase === 'done' ? `msg-${randomUUID()}` : name
  }

  /** The answer at the end of a conversation, where it is not over. Of one that is, what came of it is kept. */
  async open(id: string, known?: Conversation | null): Promise<Open | undefined> {
    const kept = known === undefined ? await this.#store.load(id) : known
    const entry = kept?.entries.find((one) => one.id === kept.head)
    if (!entry || !isBegun(entry)) return undefined
    const status = await statusOf(this.#turns, entry.id)
    if (status?.phase !== 'done') return status && { entry, status }
    await this.settle(id, entry, status)
    return undefined
  }

  /** Keeps what came of an answer. */
  async settle(
    id: string,
    { id: own, parent, at, role }: ConversationEntry,
    { message, history }: TurnStatus,
  ): Promise<void> {
    const { entry, blobs } = withoutPictures({ id: own, parent, at, role, message, ...(history ? { history } : {}) })
    await this.#store.save(id, { entries: [entry], blobs })
  }

  /** Ends what is written, or waits. @returns whether there was something. */
  async stop(id: string, reason: string, kept?: Conversation | null): Promise<boolean> {
    const open = await this.open(id, kept)
    if (!open) return false
    const { id: turn } = open.entry
    await this.#turns.cancel(turn, reason)
    if (!(await this.#hasEnded(turn))) throw new Refusal(503, 'the answer before has not ended yet: try again')
    await this.settle(id, open.entry, await this.#turns.status(turn))
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

  /** What a client decided about the questions that wait, question by question. */
  async decideAll(
    { questions }: TurnStatus,
    decisions: ReadonlyMap<string, Decision>,
    decider: Decider,
  ): Promise<Map<string, Decided>> {
    const said = new Map<string, Decided>()
    for (const question of questions) {
      const name = questionName(question.turn, question)
      const decision = decisions.get(name)
      if (decision)
        said.set(
          name,
          (await decider.may(question))
            ? await this.decide(question, decision, decider)
            : { said: 'refused', detail: NOT_YOURS },
        )
    }
    return said
  }

  async decide(
    { turn, call, stage, digest }: TurnQuestion,
    { approved, reason, arguments: args, remember, exact }: Decision,
    decider: Decider,
  ): Promise<Decided> {
    const kept = remember && cut(remember, decider.most)
    const by = await decider.by()
    const more = approved
      ? { ...(args ? { arguments: args } : {}), ...(kept ? { remember: kept } : {}), ...(exact ? { exact } : {}) }
      : reason === undefined
        ? {}
        : { reason }
    try {
      const said = await this.#turns.decide(turn, {
        call,
        stage,
        digest,
        decision: approved ? 'approve' : 'deny',
        ...more,
        ...(by === undefined ? {} : { by }),
      })
      return said === 'accepted'
        ? { said }
        : { said, counts: countsOf(await this.#turns.decisionOn(turn, { call, stage, digest })) }
    } catch (error) {
      if (SluiceError.is(error) && (error.code === 'json' || error.code === 'state'))
        return { said: 'refused', detail: error.message }
      throw error
    }
  }

  /** What became of a question that does not wait: who decided it, where somebody did. */
  async decidedBefore(turn: string, name: string): Promise<Stale> {
    const status = await statusOf(this.#turns, turn)
    const record = status?.decisions.findLast((one) => questionName(turn, one) === name)
    return { said: status === undefined || status.phase === 'done' ? 'over' : 'stale', counts: countsOf(record) }
  }

  /**
   * Of the results that came, those that are about a call that runs on the page. Throws Refusal `stale` where one is
   * about another call of its number, or came before: then none of them is used.
   */
  async results(
    turn: string,
    { message }: TurnStatus,
    outputs: ReadonlyMap<string, ClientOutput>,
  ): Promise<Set<number>> {
    const waiting = clientCalls({ message }, this.#turns.tools)
    if (staleNames(turn, waiting, outputs.keys()).length > 0) throw staleResult()
    const results = new Set<number>()
    for (const { call, digest = '' } of waiting) {
      const given = outputs.get(callName(turn, call, digest))
      if (given === undefined) continue
      const said = await this.#turns.result(turn, { call, digest }, 'error' in given ? given : { value: given.output })
      if (said === 'over') throw new Refusal(409, 'this answer is over')
      if (said === 'stale') throw staleResult()
      results.add(call)
    }
    return results
  }
}

/** Calls of the client's tools that have no result yet. */
export const clientCalls = ({ message }: Pick<TurnStatus, 'message'>, tools: readonly Tool[]): ToolUseBlock[] =>
  message.blocks.filter(
    (block): block is ToolUseBlock =>
      block.type === 'tool_use' && block.status === 'executing' && !tools.find(({ name }) => name === block.name)?.run,
  )

/** What a decision comes to. `refused`: it does not fit, and its question still waits. */
export type Decided = { said: 'accepted' } | Stale | { said: 'refused'; detail: string }

/**
 * A decision that does not count: another one does (`counts`), the question is another one now, or its turn has ended
 * (`over`).
 */
export interface Stale {
  said: 'stale' | 'over'
  counts: Counting
}

const countsOf = (record: TurnDecisionRecord | undefined): Counting =>
  record ? { decision: record.decision, ...(record.by === undefined ? {} : { by: record.by }), at: record.at } : {}

/** An answer of which the conversation has nothing but its begin: the turn has the rest. */
export const isBegun = ({ role, message, history, state }: ConversationEntry): boolean =>
  role === 'assistant' && message === undefined && history === undefined && state === undefined

/** Undefined where there is no such turn: it was forgotten, or never started. */
export async function statusOf(turns: Durable, turn: string): Promise<TurnStatus | undefined> {
  try {
    return await turns.status(turn)
  } catch (error) {
    if (SluiceError.is(error) && error.code === 'not_found') return undefined
    throw error
  }
}
