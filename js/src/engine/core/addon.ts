// Finds the addon sluice.node and the WebAssembly build sluice.wasm. In pages js/src/app/page/no-addon.ts stands in its
// place.
import fs from 'node:fs'
import path from 'node:path'
import { foundInstead } from './library-format.js'
import { here, load } from './place.cjs'

declare const handle: unique symbol
/** An opaque handle of the backend. */
export interface NativeEngine {
  [handle]: 'engine'
}
export interface NativeTurn {
  [handle]: 'turn'
}

/** `sluice.h`, function by function; see bindings/node/addon.cpp, and wasm.ts for WebAssembly. */
export interface Addon {
  version(): number
  engineNew(config: string): NativeEngine
  engineError(engine: NativeEngine | null): string | null
  engineFree(engine: NativeEngine | null): void
  turnNew(engine: NativeEngine | null, config: string): NativeTurn
  turnRestore(engine: NativeEngine | null, state: string): NativeTurn
  turnFree(turn: NativeTurn | null): void
  response(turn: NativeTurn | null, status: number, headers: string | null): number
  feed(turn: NativeTurn | null, bytes: Uint8Array): number
  finish(turn: NativeTurn | null, how: number, detail: string | null): number
  approve(turn: NativeTurn | null, call: number, decision: number, edited: string | null): number
  deny(turn: NativeTurn | null, call: number, reason: string | null): number
  refuse(turn: NativeTurn | null, call: number, reason: string | null): number
  judge(turn: NativeTurn | null, call: number, rules: string): number
  cancel(turn: NativeTurn | null, call: number, reason: string | null): number
  resolve(turn: NativeTurn | null, call: number, args: string | null): number
  call(turn: NativeTurn | null, caller: number, call: string): number
  conclude(turn: NativeTurn | null, how: number, text: string | null): number
  submit(turn: NativeTurn | null, call: number, kind: number, data: string): number
  /** Infinity: no deadline. */
  tick(turn: NativeTurn | null, now: number): number
  nextEvent(turn: NativeTurn | null): string | null
  /**
   * Tick, feed, and every event up to the first by which the host acts; see bindings/node/addon.cpp. A number is a
   * return code below 0.
   */
  step(
    turn: NativeTurn | null,
    now: number | null,
    bytes: Uint8Array | null,
    out: Uint32Array | null,
  ): undefined | string | [text: string, events: string] | number
  findTool(turn: NativeTurn | null, name: string): string | null
  get(turn: NativeTurn | null, what: number): string | null
  adjustExternalMemory(delta: number): number
}

/** Why something cannot be loaded, and what to do about it. */
export interface LoadFailure {
  message: string
  hint: string
  cause?: unknown
}

/** Pages have `sluice.wasm` at an address; here it is a file. */
export const wasmAddress: string | undefined = undefined

/** What the environment variable SLUICE_BACKEND says. SLUICE_ADDON, which names a file, wants the addon. */
export function wantedBackend(): string | undefined {
  return process.env['SLUICE_BACKEND'] || (process.env['SLUICE_ADDON'] ? 'addon' : undefined)
}

/** The addon, or why there is none. */
export function loadAddon(): Addon | LoadFailure {
  // SLUICE_ADDON names the file, and then nothing else is tried: a test of one build must not run another.
  const override = process.env['SLUICE_ADDON']
  if (!override && here === undefined) return bundled
  const candidates = override ? [path.resolve(override)] : places()
  const found = candidates.find((file) => fs.existsSync(file))
  if (!found) {
    const message = `the addon sluice.node is missing; looked for ${candidates.join(', ')}`
    return override
      ? { message, hint: 'the environment variable SLUICE_ADDON names that file' }
      : { message: `${message}; ${whatThereIs()}`, hint: remedy() }
  }
  const unusable = (why: string, cause?: unknown): LoadFailure => ({
    message: `${found} cannot be loaded: ${why}`,
    hint: `it has to be a whole library for ${platform}${override ? '' : `: ${found.startsWith(prebuilds) ? 'install the package again, or ' : ''}${remedy()}`}`,
    cause,
  })
  try {
    const instead = foundInstead(found, platform)
    return instead === undefined
      ? (load(found) as Addon)
      : unusable(`found ${instead}, expected a library for ${platform}`)
  } catch (cause) {
    return unusable(cause instanceof Error ? cause.message : String(cause), cause)
  }
}

/** The WebAssembly build and where it lies, or why it cannot be read. */
export function readWasm(): { file: string; bytes: Uint8Array } | LoadFailure {
  if (here === undefined) return { message: 'sluice.wasm lies beside it', hint: LEAVE_OUT }
  const file = path.join(prebuilds, 'wasm/sluice.wasm')
  try {
    return { file, bytes: fs.readFileSync(file) }
  } catch (cause) {
    const message = fs.existsSync(file)
      ? `${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
      : `the WebAssembly build sluice.wasm is missing; looked for ${file}`
    return {
      message,
      hint: fs.existsSync(path.join(root, 'js/src')) ? `\`npm run build:wasm\` in ${root} builds it` : remedy(),
      cause,
    }
  }
}

const root = path.resolve(here ?? '.', '../../../../..')
const prebuilds = path.join(root, 'js/prebuilds')
/** As the folders of js/prebuilds are called. */
const platform = `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`

/** What was built where it runs comes before what came with the package. */
function places(): string[] {
  return [path.join(root, 'build/release/sluice.node'), path.join(prebuilds, platform, 'sluice.node')]
}

function whatThereIs(): string {
  const names = fs.existsSync(prebuilds) ? fs.readdirSync(prebuilds).sort().join(', ') : ''
  return names === '' ? `this is ${platform}` : `this is ${platform}, and there is ${names}`
}

/** Whether another libc than glibc is loaded, which has no other name for its file than these. */
function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  try {
    return !/\/libc(\.so\.6|-2\.\d+\.so)( \(deleted\))?$/m.test(fs.readFileSync('/proc/self/maps', 'latin1'))
  } catch {
    return glibcVersion() === undefined
  }
}

/** As the report of Node tells it, for which it looks at much else. */
function glibcVersion(): string | undefined {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
  return report === undefined ? 'unknown' : report.header?.glibcVersionRuntime
}

const LEAVE_OUT =
  'the addon is found from where the package is installed: a bundler must leave `sluice` out (external), and an app that is packed take all of it along'
const bundled: LoadFailure = { message: 'a bundler took the package apart', hint: LEAVE_OUT }

function remedy(): string {
  if (/\.asar([\\/]|$)/.test(root))
    return 'a packaged app needs the whole package in its node_modules, and `asarUnpack: "**/*.node"`'
  if (!fs.existsSync(path.join(root, 'CMakeLists.txt'))) {
    return LEAVE_OUT
  }
  if (fs.existsSync(path.join(root, 'js/src'))) return `\`npm run build\` in ${root} builds it`
  return `\`npm run build:addon\` in ${root} builds it; CMake 3.25 and a C++20 compiler are needed`
}
