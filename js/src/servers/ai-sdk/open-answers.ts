// What an answer of a page store waits for: questions, and calls that the page runs. Each is answered once.
import type { ApprovalEvent, AssistantMessage } from '../../engine/core/events.js'
import type { Tool } from '../../engine/core/tool.js'
import { questionName } from '../leg/names.js'
import { openBlocks } from './keeping.js'

/** A question, or a call of the page. */
export interface Open {
  call: number
  toolCallId: string
  /** `output`: the page brings the result. */
  stage: ApprovalEvent['stage'] | 'output'
  digest: string
  expiresAt: number
  /**
   * An earlier request answered it, and it is still open: edited arguments did not fit, or the result came before the
   * turn of its call.
   */
  spent?: boolean
}

/** By which the page answers it. */
export const nameOf = (message: string, { call, toolCallId, stage, digest }: Open): string =>
  stage === 'output' ? toolCallId : questionName(message, { call, stage, digest })

const DAY = 86_400_000

/** What an answer waits for while it is written. */
export class OpenAnswers {
  readonly #before: readonly Open[]
  readonly #callName: (call: number) => string
  readonly #timeoutMs: number
  readonly #questions = new Map<number, Open>()

  /**
   * @param before what it waited for when the page got it last
   * @param callName how the page names a call
   */
  constructor(before: readonly Open[], callName: (call: number) => string, timeoutMs = DAY) {
    this.#before = before
    this.#callName = callName
    this.#timeoutMs = timeoutMs
  }

  ask({ call, stage, digest, expiresAt }: Pick<ApprovalEvent, 'call' | 'stage' | 'digest' | 'expiresAt'>): Open {
    const question = this.#open(call, stage, digest, expiresAt)
    this.#questions.set(call, question)
    return question
  }

  /** Those that the message still waits for. */
  in(message: Pick<AssistantMessage, 'blocks'>, tools: readonly Tool[]): Open[] {
    return openBlocks(message).flatMap(({ call, name, status, digest }) => {
      const question = status?.startsWith('awaiting_') ? this.#questions.get(call) : undefined
      const isPages = tools.some((tool) => tool.name === name && !tool.run && !tool.declaration['ipc'])
      return [
        ...(question ? [question] : []),
        ...(isPages && digest !== undefined ? [this.#open(call, 'output', digest)] : []),
      ]
    })
  }

  /** It keeps its time from one request to the next. */
  #open(call: number, stage: Open['stage'], digest: string, until?: number): Open {
    const before = this.#before.find((one) => one.call === call && one.stage === stage && one.digest === digest)
    const expiresAt = until ?? before?.expiresAt ?? Date.now() + this.#timeoutMs
    return {
      call,
      toolCallId: this.#callName(call),
      stage,
      digest,
      expiresAt,
      ...(before?.spent ? { spent: true } : {}),
    }
  }
}
