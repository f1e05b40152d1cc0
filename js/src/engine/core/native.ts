import type { NativeEngine } from './addon.js'
import type { ApprovalDuration } from './approvals.js'
import { native } from './backend.js'
import { SluiceError } from './errors.js'
import { wrong } from './options.js'

export type { NativeEngine, NativeTurn } from './addon.js'
export { native } from './backend.js'

// Numbers of sluice.h.
export const END = { complete: 0, network: 1, aborted: 2, retry: 3, hook: 4, fallback: 5 } as const
export const REMEMBER: { readonly [remember in ApprovalDuration]: number } = { once: 0, turn: 1, session: 2, always: 3 }
export const RELEASE = 4
export const EXACT = 256
export const SUBMIT = { text: 0, json: 1, parts: 2, failure: 3, progress: 4, rewritten: 5 } as const
export const FINAL = { accept: 0, retry: 1, replace: 2, retryBySystem: 257 } as const
export const DELTA = { none: 0, text: 1, reasoning: 2, args: 3, progress: 4, event: 5, task: 6 } as const
export const GET = { request: 1, message: 2, history: 3, tools: 4, prompt: 5, state: 6, error: 7 } as const

/** The native engines behind `Engine` objects; null behind one that was closed. */
const handles = new WeakMap<object, NativeEngine | null>()

/** Puts a native engine behind an `Engine`, or null to close it. The one before is freed. */
export function setHandle(engine: object, handle: NativeEngine | null): void {
  const before = handles.get(engine)
  handles.set(engine, handle)
  if (before) native().engineFree(before)
}

/**
 * The native engine of an `Engine`. Throws SluiceError `option` where `engine` is none of this build, `closed` where it
 * was closed.
 */
export function handleOf(engine: object): NativeEngine {
  const handle = typeof engine === 'object' && engine !== null ? handles.get(engine) : undefined
  if (handle === undefined) throw wrong('engine', engine, 'an Engine of this build of sluice')
  if (handle === null) throw new SluiceError({ code: 'closed', detail: 'the engine was closed' })
  return handle
}

/** `major.minor.patch` of the engine. */
export function version(): string {
  const number = native().version()
  return `${number >>> 16}.${(number >>> 8) & 255}.${number & 255}`
}
