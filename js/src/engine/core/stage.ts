// What the parts of a run (its requests, tools, questions and checkpoints) share.
import type { EngineWarnings } from './engine-warnings.js'
import type { SluiceEvent } from './events.js'
import type { CheckpointReason, RunHooks } from './run-options.js'
import type { Turn } from './turn.js'

/** An event without its number. */
export type Unnumbered<E = SluiceEvent> = E extends SluiceEvent ? Omit<E, 'seq'> : never

/** A run, as its parts see it. */
export interface Stage {
  readonly turn: Turn
  readonly hooks: RunHooks
  /** The run has its result: nothing reaches the turn any more. */
  readonly over: boolean
  /** `suspend` was called: nothing new is to start. */
  readonly suspending: boolean
  /** The one way to call into the native turn: tick, call, then act on the events. */
  step(call: () => void): void
  /** A step that feeds bytes of the answer. Text may wait to be grouped. */
  feed(bytes: Uint8Array): void
  /** Resolves when every event that the turn has now was acted on. */
  settle(): Promise<void>
  /**
   * Resolves when every call that starts together with this one was heard of: they start in their order, and share a
   * save.
   */
  together(): Promise<void>
  /** Adds an event that does not come from the engine. */
  emit(event: Unnumbered): void
  /** Keeps work that `cancel` waits for; an error of it ends the turn. */
  track(work: Promise<unknown>): void
  /** Resolves when the app has saved the state as it is now. Rejects, and ends the run, where it could not. */
  checkpoint(why: CheckpointReason): Promise<void>
  /** A rule that applies now denies the call with the arguments that it would run with. */
  forbids(call: number): boolean
  warn(text: string): void
  /** Warnings that come once for each engine. */
  readonly warnings: EngineWarnings
}

/** Milliseconds that a hook may take, unless `hookTimeoutMs` says another number. */
const HOOK_TIMEOUT_MS = 30_000

export const hookTimeout = ({ hooks }: Pick<Stage, 'hooks'>): number => hooks.hookTimeoutMs ?? HOOK_TIMEOUT_MS
