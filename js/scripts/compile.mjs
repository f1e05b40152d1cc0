// node js/scripts/compile.mjs [OPTION …] PROJECT …: compiles the projects of these tsconfig.json, one behind the other:
// a later one may write what an earlier one wrote. Options are those of tsc, for all of them. Prints every error and
// one line for each project; ends with 1 if one has an error.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './run.mjs'

const tsc = join(root, 'node_modules/typescript7/bin/tsc')

const args = process.argv.slice(2)
const first = args.findIndex((arg) => arg.endsWith('.json'))
const [options, projects] = [args.slice(0, first), args.slice(first)]

for (const project of projects) {
  const start = performance.now()
  const { status, error } = spawnSync(process.execPath, [tsc, '-p', project, '--pretty', 'false', ...options], {
    stdio: 'inherit',
  })
  if (error) throw error
  if (status !== 0) process.exitCode = 1
  console.log(`${status === 0 ? '✔' : '✖'} ${project} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}
