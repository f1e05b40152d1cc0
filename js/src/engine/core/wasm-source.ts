// Where `sluice.wasm` comes from, compiled, and what to do where it cannot be.
import type { LoadFailure } from './addon.js'
import { messageOf, SluiceError } from './errors.js'

/** What this file uses of WebAssembly: the types of Node do not describe it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  function compile(bytes: Uint8Array): Promise<Module>
  function compileStreaming(response: Response): Promise<Module>
}

/** An address, its bytes, a response to a request for it, or a compiled `WebAssembly.Module`. */
export type WasmSource = string | URL | ArrayBuffer | Uint8Array | Response | object

/** Compiles the module. Throws SluiceError `load`. */
export async function compileWasm(source: WasmSource): Promise<object> {
  const what =
    typeof source === 'string' || source instanceof URL ? String(source) : 'what loadEngine() was given as `wasm`'
  try {
    if (typeof WebAssembly === 'undefined') throw new TypeError('there is no WebAssembly here')
    if (source instanceof WebAssembly.Module) return source
    const body = typeof source === 'string' || source instanceof URL ? await fetched(String(source)) : source
    if (typeof Response === 'function' && body instanceof Response) return await compileResponse(body)
    return await compileBytes(body instanceof Uint8Array ? body : new Uint8Array(body as ArrayBuffer))
  } catch (cause) {
    throw cannotLoad(whyNoWasm(what, cause))
  }
}

/** Compiles bytes at once, which pages forbid for long ones. Throws SluiceError `load`. */
export function compileNow(bytes: Uint8Array, what: string): object {
  try {
    if (typeof WebAssembly === 'undefined') throw new TypeError('there is no WebAssembly here')
    checkMagic(bytes)
    return new WebAssembly.Module(bytes)
  } catch (cause) {
    throw cannotLoad(whyNoWasm(what, cause))
  }
}

export const cannotLoad = ({ message, hint, cause }: LoadFailure): SluiceError =>
  new SluiceError({ code: 'load', detail: message, hint, cause })

/** Why WebAssembly does not run here. */
export function whyNoWasm(what: string, cause: unknown): LoadFailure {
  const said = messageOf(cause)
  return { message: `the WebAssembly build, ${what}, cannot be loaded: ${said}`, hint: hintFor(said), cause }
}

function hintFor(said: string): string {
  if (/unsafe-eval|content security policy/i.test(said))
    return "the page's Content-Security-Policy must have 'wasm-unsafe-eval' in script-src"
  if (/no WebAssembly/.test(said)) return 'a browser may turn it off, as lockdown modes do'
  if (/no fetch/.test(said))
    return 'loadEngine({ wasm }) also takes the bytes of js/prebuilds/wasm/sluice.wasm, or a WebAssembly.Module of them'
  if (/memory/i.test(said)) return 'it needs 4 MB to begin with, of addresses that are free'
  if (/^found/.test(said))
    return 'the server must send js/prebuilds/wasm/sluice.wasm of the package as it is; loadEngine({ wasm }) says where it is, or takes its bytes'
  if (/HTTP|fetch|network|load failed/i.test(said))
    return 'the server must have js/prebuilds/wasm/sluice.wasm of the package there; loadEngine({ wasm }) takes another address, or its bytes'
  return 'the file is not whole, or not of this version of the package: install the package again'
}

async function fetched(address: string): Promise<Response> {
  if (typeof fetch !== 'function') throw new TypeError('there is no fetch here')
  return fetch(address)
}

/** A page of words with status 200 is how many servers say that there is no such file. */
async function compileResponse(response: Response): Promise<object> {
  if (!response.ok) throw new TypeError(`the server answered with HTTP ${response.status}`)
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('application/wasm') && WebAssembly.compileStreaming !== undefined)
    return WebAssembly.compileStreaming(response)
  return compileBytes(new Uint8Array(await response.arrayBuffer()))
}

async function compileBytes(bytes: Uint8Array): Promise<object> {
  checkMagic(bytes)
  return WebAssembly.compile(bytes)
}

const MAGIC = [0, 0x61, 0x73, 0x6d]

function checkMagic(bytes: Uint8Array): void {
  if (MAGIC.every((byte, at) => bytes[at] === byte)) return
  const begin = new TextDecoder().decode(bytes.subarray(0, 24))
  throw new TypeError(
    bytes.length === 0
      ? 'found nothing, expected a WebAssembly module'
      : `found ${JSON.stringify(begin)} …, expected a WebAssembly module`,
  )
}
