// Which build of the engine runs: the addon where it can be loaded, else WebAssembly. One for all of a process, worker
// or page.
import { loadAddon, readWasm, wantedBackend, wasmAddress, type Addon } from './addon.js'
import { SluiceError } from './errors.js'
import { members, oneOf, wrong } from './options.js'
import { setRunningBackend, type BackendName } from './running-backend.js'
import { cannotLoad, compileNow, compileWasm, whyNoWasm, type WasmSource } from './wasm-source.js'
import { startWasm } from './wasm.js'

export type { BackendName } from './running-backend.js'

/** Which build of the engine runs, as `loadEngine` and `backend` tell. */
export interface Backend {
  /** `addon`: the library for this platform. `wasm`: WebAssembly, which runs everywhere. */
  readonly name: BackendName
  /** Why it is not the addon, where nobody asked for `wasm`. */
  readonly why?: string
}

/** What `loadEngine` takes. */
export interface ReadyOptions {
  /**
   * The build that must run. Default: the addon where it can be loaded, else WebAssembly; the environment variable
   * `SLUICE_BACKEND` is a default too.
   */
  backend?: BackendName
  /** Where `sluice.wasm` comes from. Default: the file of this package. Not with `backend: 'addon'`. */
  wasm?: WasmSource
}

interface Loaded {
  backend: Backend
  functions: Addon
}

const names: readonly BackendName[] = ['addon', 'wasm']
const checkReady = members({ members: { backend: oneOf(...names), wasm: () => {} } })

let loaded: Loaded | undefined
let loading: Promise<Loaded> | undefined

/**
 * The functions of sluice.h. Loads them where that can be done at once. Throws SluiceError `load`, which says what was
 * looked for and where.
 */
export function native(): Addon {
  return (loaded ??= reported(loadNow(wanted()))).functions
}

/**
 * Which build of the engine runs.
 * @throws SluiceError `load` where none can be loaded, or (in a page) none was: see `loadEngine`.
 */
export function backend(): Backend {
  native()
  return loaded!.backend
}

/**
 * Loads the engine, which a page must await before its first `new Engine()`; elsewhere the first one loads it. Twice is
 * fine.
 * @throws SluiceError `load` where it cannot be loaded, `option` for a wrong option, `state` where another build runs
 * already.
 */
export async function loadEngine(options: ReadyOptions = {}): Promise<Backend> {
  checkReady(options, 'options')
  const { backend, wasm } = options
  if (wasm !== undefined && backend === 'addon') throw wrong('wasm', wasm, 'none where the addon is to run')
  const name = backend ?? (wasm === undefined ? wanted() : 'wasm')
  if (!loaded && wasm === undefined && (wasmAddress === undefined || name === 'addon')) loaded = reported(loadNow(name))
  if (!loaded) {
    loading ??= compileWasm(wasm ?? wasmAddress!).then((module) => (loaded ??= reported(start(module, 'compiled'))))
    try {
      await loading
    } finally {
      loading = undefined
    }
  }
  const runs = loaded!.backend
  if (name !== undefined && runs.name !== name)
    throw new SluiceError({
      code: 'state',
      detail: `found the engine loaded as ${runs.name}, expected ${name}`,
      hint: 'call loadEngine() before the first engine',
    })
  return runs
}

/** What the environment asks for. */
function wanted(): BackendName | undefined {
  const name = wantedBackend()
  if (name === undefined || names.includes(name as BackendName)) return name as BackendName | undefined
  throw new SluiceError({
    code: 'load',
    detail: `SLUICE_BACKEND: found ${JSON.stringify(name)}, expected addon or wasm`,
  })
}

function reported(loaded: Loaded): Loaded {
  setRunningBackend(loaded.backend.name)
  return loaded
}

function loadNow(name: BackendName | undefined): Loaded {
  const addon = name === 'wasm' ? undefined : loadAddon()
  if (addon && !('message' in addon)) return { backend: { name: 'addon' }, functions: addon }
  if (addon && name === 'addon') throw cannotLoad(addon)
  const read = readWasm()
  if (!('message' in read)) return start(compileNow(read.bytes, read.file), read.file, addon?.message)
  throw cannotLoad(
    addon && wasmAddress === undefined ? { ...addon, message: `${addon.message}; ${read.message}` } : read,
  )
}

function start(module: object, what: string, why?: string): Loaded {
  try {
    return { backend: why === undefined ? { name: 'wasm' } : { name: 'wasm', why }, functions: startWasm(module) }
  } catch (cause) {
    throw cannotLoad(whyNoWasm(what, cause))
  }
}
