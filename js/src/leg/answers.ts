// Decisions and results of a client, applied to the questions and calls that they are about.
import type { Remember } from '../core/approvals.js'
import type { ApprovalEvent, ExecuteEvent, SluiceEvent } from '../core/events.js'
import type { Run } from '../core/run.js'
import { decide, type Decision } from './decision.js'
import { callName, questionName } from './names.js'

/** The result of a tool that the client ran. */
export type ClientOutput = { output: unknown } | { error: string }

/** What a client answers, by the names that it knows. */
export interface Answered {
  /** The message that it is about. */
  message: string
  decisions: Map<string, Decision>
  outputs: Map<string, ClientOutput>
}

/** How a client names what a run asks. */
export interface Names {
  questionName(event: ApprovalEvent): string
  callName(call: number, digest?: string): string
}

export class Answers {
  readonly #run: Run
  readonly #most: Remember
  readonly #answered: Answered
  readonly #names: Names

  /** @param names how the client names what the run asks, where that is not as usual */
  constructor(run: Run, answered: Answered, most: Remember, names: Names = { questionName: (event) => questionName(answered.message, event), callName: (call, digest) => callName(answered.message, call, digest) }) {
    this.#run = run
    this.#names = names
    this.#most = most
    this.#answered = answered
  }

  /** @returns true where the event was answered; a text where it was answered wrongly, and must be asked again. */
  take(event: SluiceEvent): boolean | string {
    if (event.type === 'approval') return this.#decision(event)
    return event.type === 'execute' && this.#output(event)
  }

  #decision(event: ApprovalEvent): boolean | string {
    const { decisions } = this.#answered
    const name = this.#names.questionName(event)
    const decision = decisions.get(name)
    decisions.delete(name)
    if (decision === undefined || (decision.digest ?? event.digest) !== event.digest) return false
    if ((decision.expiresAt ?? Infinity) < Date.now()) return this.#run.refuse(event, 'nobody decided in time')
    return decide(this.#run, event, decision, this.#most) ?? true
  }

  #output({ call, name, digest }: ExecuteEvent): boolean {
    const { outputs } = this.#answered
    const id = this.#names.callName(call, digest)
    const given = outputs.get(id)
    outputs.delete(id)
    if (given === undefined || this.#run.tools.find((tool) => tool.name === name)?.run) return false
    if ('error' in given) this.#run.fail(call, given.error)
    else this.#run.succeed(call, given.output)
    return true
  }
}
