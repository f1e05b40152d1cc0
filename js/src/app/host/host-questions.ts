// What a message waits for from windows: decisions of people, and results of tools that a window runs. Both are found
// by tokens.
import { randomBytes } from 'node:crypto'
import type { WindowFrame } from '../bridge/messages.js'
import type { ApproveOptions } from '../../engine/core/approvals.js'
import type { ApprovalEvent } from '../../engine/core/events.js'
import type { WindowRights } from './host-types.js'

/** The message that asked. Its decisions return false if the question was already decided. */
export interface QuestionSource {
  readonly id: string
  approve(ask: OpenQuestion, options: ApproveOptions): boolean
  release(ask: OpenQuestion): boolean
  deny(ask: OpenQuestion, reason?: string): boolean
  /** Ends an execution; the second end of one is ignored. */
  succeed(execution: Execution, value: unknown): void
  fail(execution: Execution, reason: string): void
}

/**
 * A question that was asked; `open` is false once it was decided. A decision counts for this question only: its stage,
 * its digest.
 */
export interface OpenQuestion {
  readonly message: QuestionSource
  readonly call: number
  readonly stage: ApprovalEvent['stage']
  readonly digest: string
  open: boolean
  /** Runs while no window can answer. */
  grace: NodeJS.Timeout | undefined
}

/** A call that a window runs. */
export interface Execution {
  readonly message: QuestionSource
  readonly call: number
  readonly window: ToolWindow
  readonly token: string
}

/** A window that can run tools. */
export interface ToolWindow {
  readonly rights: WindowRights
  readonly closed: boolean
  /** What it runs, by token. */
  readonly executions: Map<string, Execution>
  execute(order: NonNullable<WindowFrame['execute']>[number]): void
  abort(order: NonNullable<WindowFrame['abort']>[number]): void
}

/** A token that cannot be guessed, always of the same length. */
export const newToken = (): string => randomBytes(32).toString('base64url')
export const TOKEN_LENGTH = 43
