// The server behind AG-UI's `HttpAgent` in front of durable turns: a run starts a turn, answers what it asks, or reads it. Workers carry it on, in this process
// or in others.
import type { JsonObject, ToolUseBlock } from '../core/events.js'
import { func, members } from '../core/options.js'
import type { Conversation, Entry } from '../conversations/types.js'
import type { Durable, TurnStatus } from '../durable/types.js'
import { askedBy, toldOf, waitingEnd, type Going } from '../durable/answer.js'
import { deciderOf, DurableAnswers, durableRequestChecks, type DurableRequestOptions, type DurableStart, type Open, type Stale } from '../durable/answers.js'
import { clientToolsOf, toolsOf, type ClientTool } from '../leg/client-tools.js'
import { eventStream, opened, type Framing } from '../leg/event-stream.js'
import { notCounting } from '../leg/decision.js'
import { callName, questionName, staleNames } from '../leg/names.js'
import { Refusal, staleResult } from '../leg/refusal.js'
import { Requests, type RequestOptions } from '../leg/requests.js'
import type { AGUIRequest } from './ag-ui-request.js'
import { nextOf } from './branch.js'
import { Conflict, checkCoverage, noted } from './conflict.js'
import { EventWriter, type EventOptions } from './event-writer.js'
import { postedOf, type Posted } from './posted.js'
import { eventChecks } from './to-ag-ui-events.js'
import type { AGUIEvent } from './types.js'

/** What `agUIHandler` takes in front of durable turns. How a turn is run says the `run` of `durable`. */
export interface DurableAGUIOptions extends DurableRequestOptions, EventOptions {
  /** What a turn begins with, beside the conversation: asked when a message comes. `data` is for the `run` of `durable`. Default: nothing. */
  start?: (request: AGUIRequest) => DurableStart | Promise<DurableStart>
}

const checkOptions = members({
  members: { ...eventChecks, ...durableRequestChecks, start: func('(request) => { system, data }') } satisfies { [member in keyof Required<DurableAGUIOptions>]: unknown },
  needs: ['store', 'authorize'],
})

export class DurableThreads {
  readonly #turns: Durable
  readonly #options: DurableAGUIOptions
  readonly #requests: Requests
  readonly #answers: DurableAnswers
  readonly #framing: Framing

  constructor(turns: Durable, options: DurableAGUIOptions, framing: Framing) {
    checkOptions(options, 'options')
    this.#turns = turns
    this.#options = options
    this.#framing = framing
    this.#answers = new DurableAnswers(turns, options.store)
    this.#requests = new Requests(options as RequestOptions, { name: 'agUIHandler', framing })
  }

  respond(request: Request): Promise<Response> {
    return this.#requests.respond(request, async () => {
      if (request.method !== 'POST') throw new Refusal(405, `found ${request.method}, expected POST`)
      const posted = postedOf(await this.#requests.body(request, 'threadId, runId and messages'))
      const { threadId } = posted.input
      await this.#requests.authorize(request, threadId)
      return await this.#requests.inTurn(threadId, async () => {
        try {
          return await this.#lead(request, posted)
        } catch (error) {
          if (!(error instanceof Conflict)) throw error
          return this.#requests.told([this.#writer(posted, '').start, error.event])
        }
      })
    })
  }

  async #lead(request: Request, posted: Posted): Promise<Response> {
    const id = posted.input.threadId
    const open = await this.#answers.open(id)
    const isFresh = nextOf(posted.messages, await this.#options.store.load(id)).fresh.length > 0
    if (open?.status.phase === 'waiting') return await this.#goOn(request, posted, open, isFresh)
    if (!open || isFresh) return await this.#begin(request, posted, isFresh)
    if (posted.decisions) throw new Conflict('stale', 'the answer is still being written')
    return await this.#told(request, posted, open.entry, open.status.external, [snapshotWithout(posted, open.entry.id)])
  }

  async #told({ signal }: Request, posted: Posted, entry: Entry, external: readonly ClientTool[] | undefined, notes: readonly AGUIEvent[], going?: Going): Promise<Response> {
    const { threadId } = posted.input
    const told = toldOf({ turns: this.#turns, turn: entry.id, writer: this.#writer(posted, entry.id, external), notes, onEnd: (end) => this.#answers.settle(threadId, entry, end) }, going)
    const open = await opened(told)
    if (!open) throw new Conflict('stale', 'this answer is over')
    return eventStream(open, { framing: this.#framing, keepAliveMs: this.#requests.keepAliveMs, signals: [signal] })
  }

  #writer({ input }: Posted, turn: string, external: readonly ClientTool[] = []): EventWriter {
    return new EventWriter(input, turn, [...toolsOf(external), ...this.#turns.tools], this.#options) // a name of the engine's stays that one's
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------------

  async #begin(request: Request, posted: Posted, isFresh: boolean): Promise<Response> {
    const { input } = posted
    const id = input.threadId
    const external = this.#turns.external(clientToolsOf(input.tools))
    const before = await this.#options.store.load(id)
    const isBegun = (stored: Conversation | null): boolean => isFresh && nextOf(posted.messages, stored).fresh.length === 0 // by another process, meanwhile
    if (isBegun(before)) return await this.#lead(request, posted)
    await this.#answers.stop(id, 'a new message came', before)
    const stored = await this.#options.store.load(id)
    if (isBegun(stored)) return await this.#lead(request, posted)
    let { fresh, branch, left } = nextOf(posted.messages, stored)
    if (!branch) throw new Conflict('stale', posted.decisions ? 'no question waits for an answer' : 'there is no new message of a user')
    for (const written of fresh) branch = await this.#requests.keep(id, stored, branch, written)
    const entry = await this.#answers.begin(id, stored, branch, async (messages) => {
      const given = (await this.#options.start?.({ id, messages, input })) ?? {}
      const system = [given.system, posted.context].filter(Boolean).join('\n\n')
      return { ...given, ...(system === '' ? {} : { system }) }
    }, external)
    return await this.#told(request, posted, entry, external, left.map((detail) => noted('unsupported', detail)))
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------------

  async #goOn(request: Request, posted: Posted, { entry, status }: Open, isFresh: boolean): Promise<Response> {
    const turn = entry.id
    const questions = status.questions.map((question) => questionName(turn, question))
    const calls = this.#openCalls(status).map(({ call, digest }) => callName(turn, call, digest))
    if (staleNames(turn, this.#openCalls(status), posted.outputs.keys()).length > 0) throw staleResult()
    if (questions.length > 0) checkCoverage(questions, posted)
    else if (isFresh) {
      await this.#answers.results(turn, status, posted.outputs)
      return await this.#begin(request, posted, isFresh)
    } else if (calls.length > 0 && !calls.some((call) => posted.outputs.has(call))) throw new Conflict('interrupted', `results are missing: ${calls.join(', ')}`)
    const { decisions = new Map() } = posted
    const results = await this.#answers.results(turn, status, posted.outputs)
    const said = await this.#answers.decideAll(status, decisions, deciderOf(request, posted.input.threadId, this.#options, this.#requests.most))
    const writer = this.#writer(posted, turn, status.external)
    for (const name of decisions.keys()) if (!questions.includes(name)) said.set(name, await this.#answers.decidedBefore(turn, name))
    const notes = [...said].flatMap(([name, one]) => (one.said === 'accepted' ? [] : one.said === 'refused' ? writer.refused(one.detail) : [staleNote(name, one)]))
    const decided = new Set([...said].flatMap(([name, one]) => (one.said !== 'refused' && questions.includes(name) ? [name] : []))) // whoever did: the question goes
    if (decided.size + results.size > 0) return await this.#told(request, posted, entry, status.external, notes, { message: status.message, decided, results })
    writer.retell(status.message) // the client has it
    return this.#requests.told([writer.start, ...notes, ...status.questions.flatMap((question) => writer.take(askedBy(question))), ...writer.end(waitingEnd(status))])
  }

  /** Calls of the client's tools that have no result yet. */
  #openCalls({ message }: TurnStatus): ToolUseBlock[] {
    return message.blocks.filter((block): block is ToolUseBlock => block.type === 'tool_use' && block.status === 'executing' && !this.#turns.tools.find(({ name }) => name === block.name)?.run)
  }
}

const staleNote = (interruptId: string, { said, counts }: Stale): AGUIEvent => noted('stale', notCounting(said, counts), { interruptId, decided: false, reason: said, ...counts })

/** What the client has of the conversation, but for an answer that is told anew behind it. */
function snapshotWithout({ messages }: Posted, turn: string): AGUIEvent {
  const isOf = (id: unknown): boolean => typeof id === 'string' && (id === turn || id.startsWith(`${turn}:`))
  const kept = messages.filter(({ id, toolCallId, toolCalls }) => !isOf(id) && !isOf(toolCallId) && !(Array.isArray(toolCalls) && toolCalls.some((call: unknown) => isOf((call as { id?: unknown } | null)?.id))))
  return { type: 'MESSAGES_SNAPSHOT', messages: kept as unknown as JsonObject[] }
}
