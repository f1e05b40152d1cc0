// Checks the types of a file that uses the package, by the TypeScript of the root: as strictly as a user may.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = fileURLToPath(new URL('../node_modules/typescript7/bin/tsc', import.meta.url))
const options = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--module',
  'nodenext',
  '--types',
  'node',
]

/** The errors that TypeScript prints for a file; empty if there is none. `url`: the file. */
export function typeErrors(url) {
  const { status, stdout, error } = spawnSync(process.execPath, [tsc, ...options, fileURLToPath(url)], {
    encoding: 'utf8',
    cwd: root,
  })
  if (error) throw error
  return status === 0 ? '' : stdout
}
