// npm run bench: the C++ benchmarks, then the same through the addon and WebAssembly. npm run bench -- page: what
// typeset text costs a page; -- text: how long hostile texts take to be read; -- durable: what turns cost that wait in
// a store.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { command, root, Stop } from './run.mjs'
import { setup } from './setup.mjs'
import { buildTypeScript } from './typescript.mjs'

await command(async () => {
  const [first, ...rest] = process.argv.slice(2)
  const run = (program, args) => {
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
    if (status !== 0) throw new Stop(`${program} ended with ${status}`)
  }
  if (first === 'page' || first === 'text' || first === 'durable') {
    await buildTypeScript()
    return run(process.execPath, ['--expose-gc', join(root, `tests/bench/${first}.mjs`), ...rest])
  }
  await setup({ bench: true })
  run(join(root, 'build/release/sluice_bench'), process.argv.slice(2))
  run(process.execPath, [join(root, 'tests/bench/backends.mjs')])
})
