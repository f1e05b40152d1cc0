import { loadAddon, type Addon } from './addon.cjs'
import { SluiceError } from './errors.js'

export type { NativeEngine, NativeTurn } from './addon.cjs'

/** The addon. Throws SluiceError `load`, which says what was looked for and where. */
export function native(): Addon {
  const addon = loadAddon()
  if ('message' in addon) {
    throw new SluiceError({ code: 'load', detail: addon.message, hint: addon.hint, cause: addon.cause })
  }
  return addon
}

// Numbers of sluice.h.
export const END = { complete: 0, network: 1, aborted: 2, retry: 3, hook: 4 } as const
export const REMEMBER = { once: 0, turn: 1, session: 2, always: 3 } as const
export const RELEASE = 4
export const EXACT = 256
export const SUBMIT = { text: 0, json: 1, parts: 2, failure: 3, progress: 4 } as const
export const GET = { request: 1, message: 2, history: 3, tools: 4, prompt: 5, state: 6, error: 7 } as const

/** `major.minor.patch` of the native library. */
export function version(): string {
  const number = native().version()
  return `${number >>> 16}.${(number >>> 8) & 255}.${number & 255}`
}
