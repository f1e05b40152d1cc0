// The declarations of every subpath, checked too, as a program reads them that has no types of Node: what is left out
// of them as internal, or comes from elsewhere, is named by none of them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const declared = (entry) =>
  entry === null || typeof entry !== 'object'
    ? []
    : Object.entries(entry).flatMap(([name, inside]) => (name === 'types' ? [inside] : declared(inside)))

test('every subpath compiles without types of others', () => {
  const files = [...new Set(declared(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports))]
  assert.ok(files.length > 20, `package.json names declarations in ${files.length} files`)
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    'false',
    '--types',
    '',
    '--target',
    'es2022',
    '--lib',
    'es2023,esnext.disposable,dom,dom.iterable',
    '--module',
    'nodenext',
    '--moduleResolution',
    'nodenext',
  ]
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript7/bin/tsc'), '--pretty', 'false', '--ignoreConfig', ...options, ...files],
    { cwd: root, encoding: 'utf8' },
  )
  assert.equal(status, 0, stdout)
})
