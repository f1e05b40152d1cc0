// What a scripted server remembers of its requests and answers: what it signed, and how far each conversation was.
import type { ScriptedWire } from '../wire/scripted-answer.js'
import { Conversations } from './append-only.js'
import type { CheckOptions } from './rules/rule.js'
import { isObject, type GivenAnswer, type RequestJson } from './strict-refusal.js'
import { wires, type Headers } from './wires.js'

/** A request whose body is JSON. */
export interface Asking {
  wire: ScriptedWire
  model: string
  body: RequestJson
  headers: Headers
}

export class Memory {
  readonly #given: { [wire: string]: GivenAnswer[] } = {}
  readonly #conversations = new Conversations()

  constructor(
    private readonly appendOnly: boolean,
    private readonly options: CheckOptions,
  ) {}

  /** Why this request is refused, or null. */
  check(asking: Asking): string | null {
    const { wire, model, body, headers } = asking
    const refused = wires[wire].check(body, { given: this.#of(wire), model, headers, options: this.options })
    return refused ?? (this.appendOnly ? this.#conversations.check(wire, model, body) : null)
  }

  /** After a refusal a client may tell the conversation anew, without what is opaque. */
  refused({ wire, model, body }: Asking): void {
    if (isObject(body)) this.#conversations.forget(wire, model, body)
    for (const answer of this.#of(wire)) if (answer.model === model) answer.waived = true
  }

  answered(
    { wire, model, body }: Asking,
    { items, ...answer }: { id: string; items: object[]; finish: string | null },
  ): void {
    this.#conversations.keep(wire, model, body)
    this.#of(wire).push({ ...answer, model, request: body, items: items as RequestJson[], waived: false })
  }

  #of(wire: ScriptedWire): GivenAnswer[] {
    return (this.#given[wire] ??= [])
  }
}
