import { startWasm } from '../../../js/dist/esm/core/wasm.js'

globalThis.native = startWasm(await WebAssembly.compileStreaming(fetch('/package/js/prebuilds/wasm/sluice.wasm')))
