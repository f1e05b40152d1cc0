// What addon.ts is in a page: there are no files and no addon, and `sluice.wasm` has an address.
import type { Addon, LoadFailure } from '../../engine/core/addon.js'

/** `sluice.wasm` of the same package. Written out, so that bundlers see the file and take it along. */
export const wasmAddress: string | undefined = new URL('../../prebuilds/wasm/sluice.wasm', import.meta.url).href

export const wantedBackend = (): string | undefined => undefined

export const loadAddon = (): Addon | LoadFailure => ({
  message: 'a page cannot load the addon',
  hint: 'pages use the WebAssembly build',
})

export const readWasm = (): { file: string; bytes: Uint8Array } | LoadFailure => ({
  message: 'the WebAssembly build is not loaded yet',
  hint: '`await loadEngine()` of sluice before the first engine',
})
