// The server behind AG-UI's `HttpAgent` in front of durable turns.
import type { ChatMessage, JsonObject } from '../../engine/core/events.js'
import { func, members } from '../../engine/core/options.js'
import {
  clientCalls,
  durableRequestChecks,
  type DurableRequestOptions,
  type DurableStart,
  type Open,
} from '../durable/durable-answers.js'
import { DurableHandler } from '../durable/durable-handler.js'
import type { Durable } from '../durable/durable-types.js'
import { clientToolsOf, toolsOf, type ClientTool } from '../leg/client-tools.js'
import type { RequestReader } from '../leg/handler.js'
import { questionName } from '../leg/names.js'
import type { AGUIRequest } from './ag-ui-request.js'
import { newOf, nextOf, withContext } from './branch.js'
import { Conflict, continues, noted } from './conflict.js'
import { EventWriter, type EventOptions } from './event-writer.js'
import type { Posted } from './posted-run.js'
import { eventChecks } from './to-ag-ui-events.js'
import type { AGUIEvent } from './ag-ui-types.js'

/** What `agUIHandler` takes in front of durable turns. How a turn is run says the `run` of `durable`. */
export interface DurableAGUIOptions extends DurableRequestOptions, EventOptions {
  /**
   * What a turn begins with, beside the conversation: asked when a message comes. `data` is for the `run` of `durable`.
   * Default: nothing.
   */
  start?: (request: AGUIRequest) => DurableStart | Promise<DurableStart>
}

const checkOptions = members({
  members: { ...eventChecks, ...durableRequestChecks, start: func('(request) => { system, data }') } satisfies {
    [member in keyof Required<DurableAGUIOptions>]: unknown
  },
  needs: ['store', 'authorize'],
})

export class DurableThreads extends DurableHandler<Posted, AGUIEvent, DurableAGUIOptions> {
  constructor(turns: Durable, options: DurableAGUIOptions, reader: RequestReader<Posted>) {
    super(turns, options, reader, checkOptions)
  }

  protected async answer(request: Request, posted: Posted): Promise<Response> {
    const { id, messages, decisions } = posted
    const open = await this.answers.open(id)
    const isFresh = nextOf(messages, await this.options.store.load(id)).fresh.length > 0
    if (open?.status.phase === 'waiting') return await this.#goOn(request, posted, open, isFresh)
    if (!open || isFresh) return await this.#begin(request, posted, isFresh)
    if (decisions) throw new Conflict('stale', 'the answer is still being written')
    const { entry, status } = open
    return await this.streamed(request, id, entry, this.writer(entry.id, posted, status.external), [
      snapshotWithout(posted, entry.id),
    ])
  }

  async #begin(request: Request, posted: Posted, isFresh: boolean): Promise<Response> {
    return await this.begin(
      request,
      posted,
      (kept) => {
        if (isFresh && nextOf(posted.messages, kept).fresh.length === 0) return undefined
        const { left, ...next } = newOf(posted, kept)
        return { ...next, notes: left.map((detail) => noted('unsupported', detail)) }
      },
      clientToolsOf(posted.input.tools),
    )
  }

  async #goOn(request: Request, posted: Posted, open: Open, isFresh: boolean): Promise<Response> {
    const { entry, status } = open
    const { decisions = new Map(), outputs } = posted
    const questions = status.questions.map((question) => questionName(entry.id, question))
    if (continues(entry.id, questions, clientCalls(status, this.turns.tools), posted, isFresh)) {
      return await this.goOn(
        request,
        posted,
        open,
        { decisions, outputs },
        [...decisions.keys()].filter((name) => !questions.includes(name)),
      )
    }
    await this.answers.results(entry.id, status, outputs)
    return await this.#begin(request, posted, isFresh)
  }

  protected async start({ id, input, context }: Posted, messages: ChatMessage[]): Promise<DurableStart> {
    return withContext((await this.options.start?.({ id, messages, input })) ?? {}, context)
  }

  protected writer(turn: string, { input }: Posted, external: readonly ClientTool[] = []): EventWriter {
    // a name of the engine's stays that one's
    return new EventWriter(input, turn, [...toolsOf(external), ...this.turns.tools], this.options)
  }
}

/** What the client has of the conversation, but for an answer that is told anew behind it. */
function snapshotWithout({ messages }: Posted, turn: string): AGUIEvent {
  const isOf = (id: unknown): boolean => typeof id === 'string' && (id === turn || id.startsWith(`${turn}:`))
  const kept = messages.filter(
    ({ id, toolCallId, toolCalls }) =>
      !isOf(id) &&
      !isOf(toolCallId) &&
      !(Array.isArray(toolCalls) && toolCalls.some((call: unknown) => isOf((call as { id?: unknown } | null)?.id))),
  )
  return { type: 'MESSAGES_SNAPSHOT', messages: kept as unknown as JsonObject[] }
}
