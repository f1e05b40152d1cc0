// Decisions and results of a client, applied to the questions and calls that they are about.
import type { ApprovalDuration } from '../../engine/core/approvals.js'
import type { ApprovalEvent, ExecuteEvent, SluiceEvent } from '../../engine/core/events.js'
import type { Run } from '../../engine/core/run.js'
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

export class Answers {
  readonly #run: Run
  readonly #most: ApprovalDuration
  readonly #answered: Answered

  constructor(run: Run, answered: Answered, most: ApprovalDuration) {
    this.#run = run
    this.#most = most
    this.#answered = answered
  }

  /** @returns true where the event was answered; a text where it was answered wrongly, and must be asked again. */
  take(event: SluiceEvent): boolean | string {
    if (event.type === 'approval') return this.#decision(event)
    return event.type === 'execute' && this.#output(event)
  }

  #decision(event: ApprovalEvent): boolean | string {
    const { message, decisions } = this.#answered
    const name = questionName(message, event)
    const decision = decisions.get(name)
    decisions.delete(name)
    if (decision === undefined) return false
    return decide(this.#run, event, decision, this.#most) ?? true
  }

  #output({ call, name, digest }: ExecuteEvent): boolean {
    const { message, outputs } = this.#answered
    const id = callName(message, call, digest)
    const given = outputs.get(id)
    outputs.delete(id)
    if (given === undefined || this.#run.tools.find((tool) => tool.name === name)?.run) return false
    if ('error' in given) this.#run.fail(call, given.error)
    else this.#run.succeed(call, given.output)
    return true
  }
}
