// Calls that tools make of other tools: each is a promise that its card settles.
import { SluiceError, type ErrorCode } from './errors.js'
import type { CardEvent, CardFields, CardStatus, JsonObject } from './events.js'
import { onAbort } from './on-abort.js'
import { isState } from './requests.js'
import type { Stage } from './stage.js'
import { resultParts } from './turn.js'

interface Open {
  /** What its card events said so far. */
  card: CardFields
  resolve(value: unknown): void
  reject(error: SluiceError): void
}

/** The call whose tool asks. */
interface Caller {
  readonly call: number
  /** Its tool runs, and its signal was not aborted. */
  runs(): boolean
}

export class NestedCalls {
  readonly #stage: Stage
  readonly #open = new Map<number, Open>()

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Calls a tool for another one. Resolves to what it returned. */
  call(caller: Caller, name: string, args: JsonObject, signal: AbortSignal | undefined): Promise<unknown> {
    const made = this.#call(caller, name, args, signal)
    made.catch(() => {}) // a caller that ends without waiting for it is no fault
    return made
  }

  /** A card event of any call. */
  hear({ type: _, seq: __, block: ___, call, ...said }: CardEvent): void {
    const open = this.#open.get(call)
    if (!open) return
    Object.assign(open.card, said)
    const end = endOf(open.card)
    if (!end) return
    this.#open.delete(call)
    if ('error' in end) open.reject(end.error)
    else open.resolve(end.value)
  }

  /** The run has ended: no card can settle them any more. */
  endAll(why: string): void {
    for (const { reject } of this.#open.values()) reject(new SluiceError({ code: 'cancelled', detail: why }))
    this.#open.clear()
  }

  async #call(caller: Caller, name: string, args: JsonObject, signal: AbortSignal | undefined): Promise<unknown> {
    const { turn, step } = this.#stage
    if (!caller.runs()) throw new SluiceError({ code: 'state', detail: `call ${caller.call} no longer runs` })
    if (signal?.aborted) throw new SluiceError({ code: 'cancelled', detail: 'the signal was aborted before the call' })
    let number = 0
    const ended = new Promise<unknown>((resolve, reject) => {
      step(() => {
        number = turn.call(caller.call, name, args)
        this.#open.set(number, { card: {}, resolve, reject })
      })
    })
    if (number === 0) throw new SluiceError({ code: 'state', detail: 'the run has ended' })
    const off = signal && onAbort(signal, () => this.#cancel(number))
    try {
      return await ended
    } finally {
      off?.()
    }
  }

  #cancel(call: number): void {
    const { turn, step } = this.#stage
    try {
      step(() => turn.cancel(call))
    } catch (error) {
      if (!isState(error)) throw error
    }
  }
}

const codes: { readonly [status in CardStatus]?: ErrorCode } = {
  error: 'failed',
  denied: 'denied',
  result_rejected: 'denied',
  expired: 'denied',
  not_found: 'not_found',
  invalid: 'json',
  timeout: 'timeout',
  cancelled: 'cancelled',
  unknown: 'cancelled',
}

/** Reasons that say more than the status. */
const byReason: { readonly [reason in string]?: ErrorCode } = {
  max_calls: 'limit',
  schema: 'json',
  cancelled: 'cancelled',
  caller_ended: 'cancelled',
}

/** How a call ended, for the tool that asked for it; undefined: it has not. */
function endOf(card: CardFields): { value: unknown } | { error: SluiceError } | undefined {
  const { status, reason } = card
  if (status === 'success') return valueOf(card)
  const plain = status && codes[status]
  if (!plain) return undefined
  const code = byReason[reason ?? ''] ?? plain
  return { error: new SluiceError({ code, detail: detailOf(card) }) }
}

const detailOf = ({ status, error, approvals, modelOutput }: CardFields): string =>
  (status === 'denied' || status === 'result_rejected' ? approvals?.at(-1)?.reason : error) ||
  error ||
  modelOutput ||
  `the call ended as ${status}`

/** The result as its card has it, so that it is the same after a restore. */
function valueOf({ output = '', outputBytes, hostOutput, parts, json }: CardFields): ReturnType<typeof endOf> {
  const pieces = hostOutput ? hostOutput.parts : parts
  if (pieces) return { value: resultParts(...(pieces as Parameters<typeof resultParts>)) }
  const text = hostOutput ? hostOutput.text : output
  try {
    const cut = !hostOutput && outputBytes !== undefined && outputBytes > new TextEncoder().encode(output).length
    if (!cut) return { value: json ? JSON.parse(text) : text }
  } catch {
    // cut as well
  }
  return { error: new SluiceError({ code: 'limit', detail: 'the result is longer than limits.resultBytes' }) }
}
