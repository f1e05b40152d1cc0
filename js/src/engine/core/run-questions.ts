// Open questions of a run: adapters of the app answer them; a question that nobody can see is denied.
import type { ApproveOptions, ApprovalQuestion, ApprovalDuration } from './approvals.js'
import { messageOf } from './errors.js'
import type { ApprovalEvent } from './events.js'
import { unlessAborted } from './hooks.js'
import { REMEMBER } from './native.js'
import { oneOf } from './options.js'
import { setImmediate } from './set-immediate.js'
import type { Stage } from './stage.js'

/** What an adapter may answer. */
const decisions = {
  execution: oneOf(...Object.keys(REMEMBER), 'deny', 'reject'),
  result: oneOf('release', 'reject', 'deny'),
}

/** The decisions of a run. */
interface Decisions {
  approve(event: ApprovalEvent, options: ApproveOptions): unknown
  release(event: ApprovalEvent): unknown
  deny(event: ApprovalEvent, reason?: string): unknown
  refuse(event: ApprovalEvent, reason: string): unknown
}

interface Question {
  event: ApprovalEvent
  abort: AbortController
}

export class Questions {
  readonly #stage: Stage
  readonly #decide: Decisions
  readonly #watched: () => boolean
  readonly #open = new Map<number, Question>()

  /** @param watched whether somebody looks after questions that no adapter answers */
  constructor(stage: Stage, decide: Decisions, watched: () => boolean) {
    this.#stage = stage
    this.#decide = decide
    this.#watched = watched
  }

  /** The events of the open questions. */
  get open(): ApprovalEvent[] {
    return [...this.#open.values()].map(({ event }) => event)
  }

  /** An adapter of the app answers this stage; null is none. */
  adapted({ stage }: Pick<ApprovalEvent, 'stage'>): boolean {
    return Boolean(this.#stage.hooks.approvals?.[stage])
  }

  ask(event: ApprovalEvent): void {
    const { call, stage } = event
    this.forget(call)
    const question = { event, abort: new AbortController() }
    this.#open.set(call, question)
    if (!this.adapted(event)) {
      // its failure has ended the run
      if (this.#stage.hooks.checkpoint) this.#stage.track(this.#stage.checkpoint('question').catch(() => {}))
      setImmediate(() => this.denyUnwatched()) // whoever starts to read in this moment still counts
      return
    }
    this.#stage.track(
      this.#answer(question).catch((error: unknown) => {
        if (this.#open.get(call) !== question) return // cancelled, or decided elsewhere
        this.#stage.warn(
          `approvals.${stage} failed, which is a no to call ${call} (${event.name}): ${messageOf(error)}`,
        )
        this.#decide.refuse(event, `the approval failed: ${messageOf(error)}`)
      }),
    )
  }

  forget(call: number): void {
    this.#open.get(call)?.abort.abort(new Error('the question was settled'))
    this.#open.delete(call)
  }

  forgetAll(): void {
    for (const call of [...this.#open.keys()]) this.forget(call)
  }

  /** Denies the questions that nobody can see: they must not wait for ever. */
  denyUnwatched(): void {
    if (this.#watched()) return
    for (const event of this.open)
      if (!this.adapted(event)) this.#decide.refuse(event, 'no_approver: there was nobody to ask')
  }

  async #answer({ event, abort: { signal } }: Question): Promise<void> {
    const { type: _, seq: __, stage, ...request } = event
    const ask: ApprovalQuestion = { ...request, signal }
    if (this.#stage.hooks.checkpoint) await this.#stage.checkpoint('question')
    await null
    if (signal.aborted) return
    const answer = await unlessAborted((async () => this.#stage.hooks.approvals?.[stage]?.(ask))(), signal)
    if (signal.aborted) return
    const given = typeof answer === 'object' && answer !== null ? answer : { decision: answer }
    const path = `approvals.${stage}`
    decisions[stage](given.decision, given === answer ? `${path}.decision` : path)
    if (given.decision === 'deny' || given.decision === 'reject')
      this.#decide.deny(event, 'reason' in given ? given.reason : undefined)
    else if (stage === 'result') this.#decide.release(event)
    else this.#decide.approve(event, approval(given))
  }
}

/** A decision as `approve` takes it. */
function approval({ decision, ...rest }: { decision?: unknown }): ApproveOptions {
  return { remember: decision as ApprovalDuration, ...rest }
}
