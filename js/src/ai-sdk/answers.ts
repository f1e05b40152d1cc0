// Decisions of a client, applied to the questions that they are about.
import type { Remember } from '../core/approvals.js'
import { SluiceError } from '../core/errors.js'
import type { ApprovalEvent, ExecuteEvent, SluiceEvent } from '../core/events.js'
import type { Run } from '../core/run.js'
import { approvalIdOf, toolCallIdOf } from './message-writer.js'
import type { Posted, PostedDecision } from './posted.js'

const lengths: readonly Remember[] = ['once', 'turn', 'session', 'always']

/** @returns what is wrong with the decision, if anything: then the question stays open. */
export function decide(run: Run, event: ApprovalEvent, { approved, reason, arguments: args, remember = 'once', exact }: PostedDecision, most: Remember): string | undefined {
  if (!approved) return void run.deny(event, reason)
  if (event.stage === 'result') return void run.release(event)
  const kept = lengths[Math.min(lengths.indexOf(remember), lengths.indexOf(most))] as Remember
  try {
    run.approve(event, { remember: kept, ...(args ? { arguments: args } : {}), ...(exact ? { exact } : {}) })
    return undefined
  } catch (error) {
    if (SluiceError.is(error)) return error.message
    throw error
  }
}

export class Answers {
  readonly #run: Run
  readonly #most: Remember
  readonly #message: string
  readonly #decisions: Map<string, PostedDecision>
  readonly #outputs: NonNullable<Posted['about']>['outputs']

  constructor(run: Run, { message, decisions, outputs }: NonNullable<Posted['about']>, most: Remember) {
    this.#run = run
    this.#most = most
    this.#message = message
    this.#decisions = decisions
    this.#outputs = outputs
  }

  /** @returns true where the event was answered; a text where it was answered wrongly, and must be asked again. */
  take(event: SluiceEvent): boolean | string {
    if (event.type === 'approval') return this.#decision(event)
    return event.type === 'execute' && this.#output(event)
  }

  #decision(event: ApprovalEvent): boolean | string {
    const id = approvalIdOf(this.#message, event)
    const decision = this.#decisions.get(id)
    this.#decisions.delete(id)
    return decision !== undefined && (decide(this.#run, event, decision, this.#most) ?? true)
  }

  #output({ call, name }: ExecuteEvent): boolean {
    const id = toolCallIdOf(this.#message, call)
    const given = this.#outputs.get(id)
    this.#outputs.delete(id)
    if (given === undefined || this.#run.tools.find((tool) => tool.name === name)?.run) return false
    if ('error' in given) this.#run.fail(call, given.error)
    else this.#run.succeed(call, given.output)
    return true
  }
}
