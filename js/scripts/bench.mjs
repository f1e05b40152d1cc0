// npm run bench: the C++ benchmarks, then the same through the addon.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { command, root, Stop } from './run.mjs'
import { setup } from './setup.mjs'

await command(async () => {
  await setup({ bench: true })
  const run = (program, args) => {
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Stop(`${program} ended with ${status}`)
  }
  run(join(root, 'build/release/sluice_bench'), process.argv.slice(2))
  run(process.execPath, [join(root, 'tests/bench/addon.mjs')])
})
