// sluice.h as a table: what bun.ts and deno.ts load. `turn.ts` is the interface.

/** A native address; null: NULL. */
export type Pointer = unknown

/**
 * Types of sluice.h: p pointer, b bytes that are lent for the call, n size_t, i int32_t, u uint32_t, t int64_t, v
 * nothing.
 */
export type Letter = 'p' | 'b' | 'n' | 'i' | 'u' | 't' | 'v'

/** Every function: its result, then its parameters. */
export const functions = {
  sluice_version: 'u',
  sluice_engine_new: 'pbn',
  sluice_engine_error: 'ppb',
  sluice_engine_free: 'vp',
  sluice_turn_new: 'ppbn',
  sluice_turn_restore: 'ppbn',
  sluice_turn_free: 'vp',
  sluice_turn_response: 'ipibn',
  sluice_turn_feed: 'ipbn',
  sluice_turn_finish: 'ipibn',
  sluice_turn_approve: 'ipuibn',
  sluice_turn_deny: 'ipubn',
  sluice_turn_refuse: 'ipubn',
  sluice_turn_judge: 'ipubn',
  sluice_turn_conclude: 'ipibn',
  sluice_turn_cancel: 'ipubn',
  sluice_turn_submit: 'ipuibn',
  sluice_turn_resolve: 'ipubn',
  sluice_turn_call: 'ipubn',
  sluice_turn_tick: 'tpt',
  sluice_turn_next_event: 'ppb',
  sluice_turn_next_delta: 'ppbbb',
  sluice_turn_find_tool: 'ppbnb',
  sluice_turn_get: 'ppib',
} as const

/** The name of a function of sluice.h. */
export type FunctionName = keyof typeof functions

/** The library, as a runtime loads it. */
export interface Native {
  /** The functions. */
  call: Record<FunctionName, (...given: unknown[]) => unknown>
  /** The bytes at an address, as they are now: the library lends them. */
  view(pointer: Pointer, size: number): ArrayBuffer
}

/** $SLUICE_LIBRARY, else the release build of the checkout that this file is in. */
export function libraryPath(named: string | undefined, platform: string): string {
  const file =
    platform === 'win32' || platform === 'windows'
      ? 'sluice.dll'
      : platform === 'darwin'
        ? 'libsluice.dylib'
        : 'libsluice.so'
  return named || decodeURIComponent(new URL(`../../build/release/${file}`, import.meta.url).pathname)
}
