import { built } from '../../js/dist.mjs'

const { startWasm } = await built('wasm')

globalThis.native = startWasm(await WebAssembly.compileStreaming(fetch('/package/js/prebuilds/wasm/sluice.wasm')))
