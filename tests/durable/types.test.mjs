import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const tsc = fileURLToPath(new URL('../../node_modules/typescript7/bin/tsc', import.meta.url))

test('stores, the log and the queue take what each client makes, by its types', () => {
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
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, ...options, fileURLToPath(new URL('types.ts', import.meta.url))],
    { encoding: 'utf8', cwd: fileURLToPath(new URL('../..', import.meta.url)) },
  )
  assert.equal(status, 0, stdout)
})
