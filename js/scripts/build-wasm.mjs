// npm run build:wasm: builds the engine as WebAssembly, which runs where there is no addon, and in pages.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { command, root, say } from './run.mjs'
import { buildWasm, isCurrent } from './binaries.mjs'
import { installSystemPackages } from './setup.mjs'

await command(async () => {
  if (!isCurrent('wasm')) await installSystemPackages({ wasm: true })
  await buildWasm()
  say(`built js/prebuilds/wasm/sluice.wasm (${statSync(join(root, 'js/prebuilds/wasm/sluice.wasm')).size} bytes)`)
})
