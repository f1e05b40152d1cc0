// Which build of the engine runs, for those that must not load one to know it.

/** The builds of the engine. They do the same; the addon is faster. */
export type BackendName = 'addon' | 'wasm'

let name: BackendName | undefined

/** @internal Undefined where none was loaded yet. */
export const runningBackend = (): BackendName | undefined => name

/** @internal For the file that loads it. */
export function setRunningBackend(loaded: BackendName): void {
  name = loaded
}
