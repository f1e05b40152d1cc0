// A handler, whatever its protocol and whatever runs its turns: reads a request, asks whether its sender may use the
// conversation, and answers it.
import type { Engine } from '../../engine/core/engine.js'
import type { Json } from '../../engine/core/events.js'
import { withMethods, type Check } from '../../engine/core/options.js'
import { checkRunnable } from '../../engine/core/runnable.js'
import { countsOn, decisionOf, NOT_WAITING, staleDecision } from './decision.js'
import type { Leg } from './leg.js'
import { Legs, type LegOptions } from './legs.js'
import { Refusal } from './leg-refusal.js'
import type { Protocol, Requests } from './leg-requests.js'

/** A request that brings no messages: `id` names its conversation. */
export interface Way {
  id: string
  action: 'stream' | 'stop' | 'decide'
}

/** How a protocol reads requests. */
export interface RequestReader<Posted> extends Protocol {
  /** The members that a body needs, for the error message. */
  members: string
  /** Undefined for a request that brings messages. Throws Refusal. */
  wayOf(request: Request): Way | undefined
  postedOf(body: { [member: string]: Json }): Posted
  /** The chunks that report an error. Undefined: the status of the response reports it. */
  reported?(posted: Posted, error: unknown): unknown[] | undefined
}

export abstract class Handler<Posted extends { id: string }> {
  constructor(
    protected readonly requests: Requests,
    protected readonly reader: RequestReader<Posted>,
  ) {}

  /** Begins an answer, or goes on with one. */
  protected abstract answer(request: Request, posted: Posted): Promise<Response>
  /** The answer that is being written, from its beginning. Null where none is. */
  protected abstract replay(request: Request, id: string): Promise<Response | null>
  /** One decision, also while the answer is still written. Throws Refusal. */
  protected abstract decide(
    request: Request,
    id: string,
    name: string,
    given: { [member: string]: Json },
  ): Promise<void>
  /** Ends what is written, or waits. @returns whether there was something. */
  protected abstract stop(id: string, reason: string): Promise<boolean>

  respond(request: Request): Promise<Response> {
    return this.requests.respond(request, async () => {
      const way = this.reader.wayOf(request)
      if (way) return await this.#act(request, way)
      const posted = this.reader.postedOf(await this.requests.body(request, this.reader.members))
      await this.requests.authorize(request, posted.id)
      return await this.requests.inTurn(posted.id, () =>
        this.answer(request, posted).catch((error: unknown) => {
          const chunks = this.reader.reported?.(posted, error)
          if (!chunks) throw error
          return this.requests.streamed(chunks)
        }),
      )
    })
  }

  async #act(request: Request, { id, action }: Way): Promise<Response> {
    await this.requests.authorize(request, id)
    if (action === 'stream') return (await this.replay(request, id)) ?? new Response(null, { status: 204 })
    if (action === 'stop')
      return Response.json({ stopped: await this.requests.inTurn(id, () => this.stop(id, 'the user stopped it')) })
    const { approvalId, ...given } = await this.requests.body(request, 'approvalId and approved')
    await this.decide(request, id, String(approvalId), given)
    return Response.json({ decided: true })
  }
}

/** Turns run in this process, leg by leg. */
export abstract class LegHandler<Posted extends { id: string }, Chunk, Options> extends Handler<Posted> {
  protected readonly legs: Legs<Chunk>

  constructor(
    protected readonly engine: Engine,
    protected readonly options: Options,
    reader: RequestReader<Posted>,
    check: Check,
  ) {
    withMethods('an Engine', 'run', 'resume')(engine, 'engine')
    checkRunnable(engine.tools)
    check(options, 'options')
    const legs = new Legs<Chunk>(engine, options as LegOptions, reader)
    super(legs, reader)
    this.legs = legs
  }

  /** The leg that answers a request. Throws Refusal. */
  protected abstract legOf(posted: Posted): Promise<Leg<Chunk>>
  /** Ends an answer that waits. @returns whether there was one. */
  protected abstract close(id: string, reason: string): Promise<boolean>

  protected async answer(request: Request, posted: Posted): Promise<Response> {
    return await this.legs.response(await this.legOf(posted), request)
  }

  protected async replay(request: Request, id: string): Promise<Response | null> {
    return await this.legs.replay(id, request)
  }

  protected async stop(id: string, reason: string): Promise<boolean> {
    return (await this.legs.stopRunning(id, reason)) || (await this.close(id, reason))
  }

  protected async decide(_: Request, id: string, name: string, given: { [member: string]: Json }): Promise<void> {
    const leg = this.legs.get(id)
    const isAsked = leg?.questions.has(name)
    if (!leg || (isAsked && leg.isEnding))
      throw new Refusal(
        409,
        'this question does not wait while the answer is written: send the decision with the message',
      )
    const fault = isAsked ? leg.decide(name, decisionOf(given), this.legs.most) : NOT_WAITING
    if (fault === NOT_WAITING) throw staleDecision('stale', countsOn(leg.messageId, leg.run.snapshot, name))
    if (fault !== undefined) throw new Refusal(400, fault)
  }
}
